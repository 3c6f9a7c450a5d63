"""What the documentation shows is what the commands print; every rule file explains itself."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from lark import Lark

from kb_score.games.search_party.rules import CHECK, PLAY, RANK
from kb_score.program import read_program

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "search_party.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ (.+)\n((?:.*\n)*?)```", PAGE)
RULES = sorted((ROOT / "asp" / "search_party").glob("*.lp"))
PARSERS = sorted((ROOT / "parsers").glob("search_party*.lark"))


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_documented_command_prints_what_is_shown(command: str, output: str) -> None:
    words = [sys.executable if word == "python" else word for word in shlex.split(command)]
    if words[0] == "kb-score":
        words[:1] = [sys.executable, "-m", "kb_score"]

    done = subprocess.run(words, capture_output=True, cwd=ROOT, timeout=60, check=False)

    lines = done.stdout.decode("utf-8").rstrip().split("\n")
    assert [line.rstrip() for line in lines] == output.rstrip().split("\n")


def test_documentation_shows_commands() -> None:
    assert len(SHOWN) > 5


@pytest.mark.parametrize("stems", [*CHECK.values(), PLAY, RANK])
def test_every_predicate_is_explained_where_it_is_used(stems: tuple[str, ...]) -> None:
    paths = [ROOT / "asp" / "search_party" / f"{stem}.lp" for stem in stems]
    explained = set(re.findall(r"%\*! (\w+)", "".join(map(Path.read_text, paths))))
    explained |= {"violation"} if "check" not in stems else set()
    program = read_program(paths)

    derived = {name for statement in program.statements for name, _ in statement.heads}

    assert derived <= explained


@pytest.mark.parametrize("path", RULES, ids=[path.stem for path in RULES])
def test_rule_file_says_first_what_it_takes_and_gives(path: Path) -> None:
    first = path.read_text().split("*%")[0]

    assert first.startswith("%*! ")
    assert "Takes " in first
    assert "gives " in first


@pytest.mark.parametrize("path", PARSERS, ids=[path.stem for path in PARSERS])
def test_grammar_has_no_conflict(path: Path) -> None:
    Lark(path.read_text(), parser="lalr", strict=True)
