"""The sources of the pages in ``web/``: what is committed is what is built from them."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import zlib
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clingo
import msgspec
import pytest

from kb_score.arena.contests.report import ContestData
from kb_score.engine.program import parse_program, read_program
from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Answer, write_facts
from kb_score.errors import KbScoreError
from kb_score.games.kingdom_builder.board import load_notation, parse_board
from kb_score.games.kingdom_builder.records import read_record
from kb_score.games.labels import read_labels
from kb_score.games.schema import count_turns
from kb_score.shell.pages import ReplayData, fill_page
from kb_score.web.kingdom_builder import ReportData, list_symbols
from kb_score.web.playground import BoardData, ClauseData, GameData, RecordData, list_traced
from kb_score.web.sheet import SheetData
from kb_score.web.tabletop import TableData
from tests.arena.contests.contest import Game, report, write_contest
from tests.helpers import EXAMPLE, ROOT, run
from tools.page_types import write_types

WEB = ROOT / "web"
PAGES = ("contest", "playground", "replay", "report", "sheet", "tabletop")
PAGE = ROOT / "kb_score" / "shell" / "page"
BUILT = tuple(f"{name}.js" for name in PAGES)
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT")
_NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def read(folder: Path) -> dict[str, bytes]:
    """Read what is built; of what is gzipped only the contents count, for packers differ."""
    built = {name: (folder / name).read_bytes() for name in (*BUILT, "playground.licences.txt")}
    return {**built, "wasm": gzip.decompress((folder / "clingo.wasm.gz").read_bytes())}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, with what they are built and checked by."""
    if not all(map(shutil.which, ("npm", "node"))):
        pytest.skip("there is no npm: pages are built with it, and tested without")
    folder = tmp_path_factory.mktemp("sources")
    web = folder / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules"))
    # Otherwise npm would leave packages and logs in the home folder.
    (web / ".npmrc").write_text(f"cache={folder / 'cache'}\n", encoding="utf-8")
    ran = subprocess.run(_NPM, cwd=web, capture_output=True, text=True, check=False)
    if any(word in ran.stderr for word in _OFFLINE):
        pytest.skip(f"npm reaches no registry: {ran.stderr[-200:]}")
    assert ran.returncode == 0, ran.stderr
    return web


@pytest.mark.slow
def test_what_is_committed_is_what_is_built(web: Path, tmp_path: Path) -> None:
    subprocess.run(("node", "build.js", str(tmp_path)), cwd=web, check=True)

    assert read(tmp_path) == read(PAGE), "run `npm ci && npm run build` in web/"


@pytest.mark.slow
@pytest.mark.parametrize("script", ["check", "test"])
def test_sources_are_checked_and_tested_without_a_page(web: Path, script: str) -> None:
    ran = subprocess.run(
        ("npm", "run", script), cwd=web, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stdout


def test_what_the_page_reads_of_turns_is_what_the_command_reads() -> None:
    """The cases of ``web/test/turns.test.js``, held against the reader of records."""
    rules = GameRules("kingdom_builder")
    for case in json.loads((WEB / "test" / "cases" / "turns.json").read_text(encoding="utf-8")):
        game = read_record(f"{case['head']}\n{case['turns']}", rules)

        of_page = {*game.numbered, "claimed_gold"}
        facts = {name: rows for name, rows in game.facts.items() if name in of_page}

        assert game.facts["players"] == [(case["players"],)]
        assert read_atoms(write_facts(facts)) == set(case["atoms"].split(" "))


STEPS = json.loads((WEB / "test" / "cases" / "steps.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", STEPS, ids=[case["about"] for case in STEPS])
def test_steps_are_counted_as_turns_as_pages_do(case: dict[str, Any]) -> None:
    rows = {}
    for key, found in case["rows"].items():
        name, _, arity = key.partition("/")
        rows[name, int(arity)] = [tuple(row) for row in found]

    counted = count_turns(Answer(rows), case["turnOf"])

    for key, expected in case["counted"].items():
        name, _, _ = key.partition("/")
        assert sorted(counted[name]) == sorted(tuple(row) for row in expected)


def test_what_the_page_reads_of_boards_is_what_the_command_reads() -> None:
    """The cases of ``web/test/board.test.js``; the command also guesses what was meant."""
    cases = json.loads((WEB / "test" / "cases" / "boards.json").read_text(encoding="utf-8"))
    notation = load_notation()

    assert cases["symbols"] == json.loads(json.dumps(list_symbols(notation)))
    assert cases["pairs"] == list(notation.pairs)
    for case in cases["boards"]:
        board = parse_board(case["text"])
        assert str(board) == case["written"]
        assert sorted(write_facts(board.facts).split()) == case["facts"].split(" ")
    for case in cases["mistakes"]:
        with pytest.raises(KbScoreError) as raised:
            parse_board(case["text"])
        first = str(raised.value).removeprefix("<text>:").split("\n")[0].strip()
        told = re.sub(r"^(\d+):(\d+): ", r"line \1, column \2: ", first)
        assert told.partition("; ")[0] == case["says"]


def test_names_that_a_page_makes_are_those_that_the_command_reads() -> None:
    """The cases of ``web/test/sheet_game.test.js``."""
    for _, name in json.loads((WEB / "test" / "cases" / "names.json").read_text(encoding="utf-8")):
        labels = read_labels([f"% player 1: {name}"], 1, "board.txt")

        assert labels.names == {1: name}


_BLANKS = re.compile(r'("(?:\\.|[^"\\])*")|\s*([^\w\s\'"])\s*')
_BRACKETS = re.compile(r"(?<![\w'])\(([^(),\"]+)\)")


def squeeze(text: str) -> str:
    """Remove what clingo writes in its own way: blanks, and brackets around a sum."""
    squeezed = _BLANKS.sub(lambda found: found[1] or found[2], text)
    return _BRACKETS.sub(r"\1", squeezed)


def list_parts(clause: ClauseData) -> Iterator[str]:
    """List the conditions of a traced rule, each with those of its elements below it."""
    for part in clause["parts"]:
        yield " ".join(filter(None, (part["kind"], part["operator"], part["text"])))
        for element in part["elements"]:
            for inner in element["parts"]:
                words = filter(None, (inner["kind"], inner["operator"], inner["text"]))
                yield f"- {' '.join(words)}"


def test_rules_that_a_page_traces_are_those_that_the_command_traces(tmp_path: Path) -> None:
    """The cases of ``web/test/trace.test.js``."""
    cases = json.loads((WEB / "test" / "cases" / "traces.json").read_text(encoding="utf-8"))
    for number, case in enumerate(cases):
        path = tmp_path / f"{number}.lp"
        path.write_text("\n".join(case["text"]), encoding="utf-8")

        clauses = list_traced(read_program([path]))["clauses"]

        usual = {"line": 1, "rule": case["text"][0], "note": "", "chosen": False}
        assert len(clauses) == len(case["clauses"]), case["about"]
        for clause, expected in zip(clauses, case["clauses"], strict=True):
            traced = {
                **{key: value for key, value in clause.items() if key in ("name", *usual)},
                "asks": " ".join(sorted(clause["asks"])),
                "parts": list(map(squeeze, list_parts(clause))),
                "rules": list(map(squeeze, clause["rules"])),
            }
            lists = {key: list(map(squeeze, expected[key])) for key in ("parts", "rules")}
            assert traced == {**usual, **expected, **lists}, case["about"]


def test_heads_that_a_page_finds_are_those_that_the_command_finds() -> None:
    """The cases of ``web/test/terms.test.js``."""
    for text, heads in json.loads((WEB / "test" / "cases" / "heads.json").read_text("utf-8")):
        found: set[str] = set()
        for statement in parse_program(text).statements:
            found.update(f"{name}/{arity}" for name, arity in statement.heads)

        assert " ".join(sorted(found)) == heads


def read_atoms(text: str) -> set[str]:
    control = clingo.Control()
    control.add("base", [], text)
    control.ground([("base", [])])
    return {str(atom.symbol) for atom in control.symbolic_atoms}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reaches_nothing_and_only_three_run_wasm(name: str) -> None:
    text = fill_page(name, "", {}, board="", gold="")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', text)
    runs_clingo = name in ("playground", "sheet", "tabletop")
    more = " 'wasm-unsafe-eval' blob:; worker-src blob:" if runs_clingo else ""

    assert policy == (
        f"default-src 'none'; script-src 'unsafe-inline'{more}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", BUILT)
def test_the_script_can_stand_in_a_page(name: str) -> None:
    script = (PAGE / name).read_text(encoding="utf-8")

    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert "clingo-mt" not in script
    assert "settlement(P" not in script


def test_types_of_data_are_written_from_the_classes() -> None:
    text = (WEB / "data.d.ts").read_text(encoding="utf-8")

    assert text == write_types(), "run `python -m tools.page_types`"


# The type of each page's data, and the command that makes such a page; a contest has none.
BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
SLIME = ROOT / "boards" / "slime" / "session.txt"
MADE: dict[type, tuple[object, ...]] = {
    BoardData: ("playground", EXAMPLE),
    GameData: ("playground", BASE),
    RecordData: ("playground", "slime", SLIME),
    TableData: ("tabletop", "kingdom-builder"),
    ReportData: ("report", EXAMPLE),
    ReplayData: ("replay", "kingdom-builder", BASE),
    ContestData: (),
    SheetData: ("sheet",),
}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.slow
def test_the_data_of_a_page_are_of_the_type_that_its_script_reads(
    kind: type, tmp_path: Path
) -> None:
    path = tmp_path / "contest.html"
    if words := MADE[kind]:
        ran = run(*words, "-o", path)
    else:
        games = [Game([3, 1, 2, 0], {0: {"late": 2}})]
        ran = report(write_contest(tmp_path, ["Ada", "Bo", "Cy", "Di"], games))
    assert ran.status == 0, ran.err
    (packed,) = re.findall(r'id="data">([^<]*)<', path.read_text(encoding="utf-8"))
    text = zlib.decompress(b64decode(packed))

    data: object = msgspec.json.decode(text, type=kind)

    # What is not declared has been left out.
    assert list_keys(msgspec.json.encode(data)) == list_keys(text)


def list_keys(text: bytes) -> list[list[str]]:
    """List the keys of each object in a JSON text."""
    keys: list[list[str]] = []
    json.loads(text, object_hook=lambda found: keys.append(sorted(found)))
    return keys
