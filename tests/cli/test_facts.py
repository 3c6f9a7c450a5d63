"""``kb-score facts``: the same rule files in plain clingo give the same scores."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_score.engine.rules import Asked, GameRules
from kb_score.engine.terms import write_facts
from kb_score.games import list_games, recognise
from kb_score.games.kingdom_builder.board import parse_board
from tests.helpers import ASP, CLAIMS, EXAMPLE, ROOT, SMALL, add_rules, run, run_process

FILES = sorted((ASP / "kingdom_builder").glob("*.lp"))
CARD_FILES = sorted((ASP / "kingdom_builder" / "cards").glob("*.lp"))
SCORE = re.compile(r"score\((\w+),(\d),(\d+)\)")


def clingo_with_the_rules(facts: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Ask plain clingo for all answer sets."""
    return subprocess.run(
        [sys.executable, "-m", "clingo", "-", *map(str, FILES + CARD_FILES), "0", *options],
        input=facts,
        capture_output=True,
        text=True,
        check=False,
    )


def answers(output: str) -> list[str]:
    lines = output.splitlines()
    return [lines[i + 1] for i, line in enumerate(lines) if line.startswith("Answer:")]


def gold(answer: str) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for card, player, paid in SCORE.findall(answer):
        found.setdefault(card, {})[int(player)] = int(paid)
    return found


def by_player(scores: dict[str, list[int]], players: list[int]) -> dict[str, dict[int, int]]:
    return {card: dict(zip(players, paid, strict=True)) for card, paid in scores.items()}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(EXAMPLE.read_text(), id="the-example"),
        pytest.param(SMALL, id="two-rows"),
        pytest.param("1 M\n W C\n", id="one-settlement"),
    ],
)
def test_plain_clingo_gives_one_answer_set_with_the_same_scores(tmp_path: Path, text: str) -> None:
    path = tmp_path / "board.txt"
    path.write_text(text)
    facts = run_process("facts", path)
    (scores,) = run("score", path, "--format", "json").json

    done = clingo_with_the_rules(facts.out)

    assert (facts.status, facts.err, done.stderr) == (0, "", "")
    assert re.search(r"^Models +: 1$", done.stdout, re.MULTILINE)
    (answer,) = answers(done.stdout)
    assert gold(answer) == by_player(scores["gold"], scores["players"])
    codes = re.findall(r'violation\("([\w-]+)"', answer)
    assert sorted(codes) == sorted(v["code"] for v in scores["violations"])


def test_plain_clingo_shows_nothing_else() -> None:
    (answer,) = answers(clingo_with_the_rules(run("facts", EXAMPLE).out).stdout)

    assert set(re.findall(r"(\w+)\(", re.sub(r'"[^"]*"', "", answer))) == {"score"}


def test_a_ruling_is_set_with_c_in_plain_clingo(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("1.\n.2\n")

    # Without blanks it could be a frame of slime, too.
    assert "kingdom-builder or slime: say which with --game" in run("facts", path).err
    facts = run("facts", path, "--game", "kingdom-builder").out
    (answer,) = answers(clingo_with_the_rules(facts, "-c", "lords_need_settlement=1").stdout)

    # With 0 each would be second in the other's quadrant, and first in two empty ones.
    assert gold(answer)["lords"] == {1: 12, 2: 12}


def test_the_facts_of_a_small_board_are_those_one_would_write() -> None:
    out = run("facts", "-", given=". 1 W .\n C T M 4\n").out

    assert set(out.splitlines()[1:]) == {
        "size(2,4).",
        "terrain(water,0,2). terrain(castle,1,0). terrain(town,1,1). terrain(mountain,1,2).",
        "settlement(1,0,1). settlement(4,1,3).",
    }
    assert out.splitlines()[0] == "% -"


def test_a_board_is_recognised_but_words_need_the_games_name(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("hello\n")

    assert run("facts", EXAMPLE).out == run("facts", EXAMPLE, "--game", "kingdom-builder").out
    ran = run("facts", path)
    assert (ran.status, ran.out) == (2, "")
    assert "name the game with --game" in ran.err


def test_only_squares_of_one_size_are_frames_and_no_boards() -> None:
    assert recognise("123\n231\n333\n\n123\n123\n123\n") == ["slime"]
    assert "kingdom-builder" in recognise("123\n231\n\n12\n34\n11\n")


def test_facts_speak_of_one_board(tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text(f"{SMALL}\n{SMALL}")

    ran = run("facts", path)

    assert ran.status == 2
    assert f"{path}: one board is expected, but there are 2" in ran.err


def test_the_printed_facts_are_the_boards() -> None:
    board = parse_board(EXAMPLE.read_text())
    out = run("facts", EXAMPLE).out

    assert len(re.findall(r"settlement\(", out)) == len(board.facts["settlement"])
    assert len(re.findall(r"terrain\(", out)) == len(board.facts["terrain"])


BOARDS = ROOT / "boards"
STATION = BOARDS / "rabbits" / "small.map"


def list_records() -> Iterator[tuple[str, tuple[Path, ...]]]:
    """Every board and record in boards/ but run logs, with the game and the files to check."""
    yield "kingdom_builder", (EXAMPLE,)
    yield "kingdom_builder", (EXAMPLE, CLAIMS)
    for name in ("session.txt", "frames.txt", "wrong.txt"):
        yield "slime", (BOARDS / "slime" / name,)
    yield "rabbits", (STATION, BOARDS / "rabbits" / "small.session")
    yield "rabbits", (STATION, BOARDS / "rabbits" / "small.table")
    yield "rabbits", (BOARDS / "rabbits" / "large.map", BOARDS / "rabbits" / "large.session")
    maps = BOARDS / "search_party" / "maps"
    for record in sorted((BOARDS / "search_party" / "records").rglob("*.txt")):
        yield "search_party", (maps / f"{record.parent.name}.txt", record)
    for record in sorted((BOARDS / "search_party" / "entries").rglob("*.txt")):
        named = maps / record.name
        yield (
            "search_party",
            (named if named.exists() else maps / f"{record.parent.name}.txt", record),
        )


def read_by_the_driver(game: str, files: tuple[Path, ...]) -> list[set[str]]:
    """What the driver reads of each program that it runs, as atoms."""
    heard: list[Asked] = []
    texts = [(str(path), path.read_text()) for path in files]
    list_games()[game.replace("_", "-")].type.check(GameRules(game, listener=heard.append), texts)
    return [
        {
            line.removesuffix(".")
            for (name, _), rows in asked.answer.rows.items()
            for row in rows
            for line in write_facts({name: [row]}).splitlines()
        }
        for asked in heard
    ]


RECORDS = list(list_records())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "files"), RECORDS, ids=["-".join(p.stem for p in files) for _, files in RECORDS]
)
def test_plain_clingo_shows_of_the_program_what_the_driver_reads(
    game: str, files: tuple[Path, ...]
) -> None:
    for part, expected in enumerate(read_by_the_driver(game, files), 1):
        program = run("facts", "--program", *files, "--part", part, "--game", game_name(game))
        done = subprocess.run(
            [sys.executable, "-m", "clingo", "-", "--outf=2", "--warn=none", "--models=0"],
            input=program.out,
            capture_output=True,
            text=True,
            check=False,
        )

        (call,) = json.loads(done.stdout)["Call"]
        shown = set(call["Witnesses"][-1]["Value"])
        assert done.stderr == ""
        assert {without_quotes(atom) for atom in shown} == {without_quotes(a) for a in expected}


def game_name(folder: str) -> str:
    return folder.replace("_", "-")


def without_quotes(atom: str) -> str:
    # The driver reads constants and texts alike.
    return atom.replace('"', "")


def test_a_ruling_is_decided_in_the_program() -> None:
    const = ("--const", "lords_need_settlement=1")
    program = run("facts", "--program", EXAMPLE, *const)

    assert "#const lords_need_settlement = 1." in program.out
    assert run("facts", EXAMPLE, *const).status == 2


def test_a_part_that_there_is_not_is_told() -> None:
    ran = run("facts", "--program", EXAMPLE, "--part", 2)

    assert (ran.status, ran.out) == (2, "")
    assert "there is 1 program" in ran.err


@pytest.mark.parametrize(
    "path",
    [
        *sorted((BOARDS / "slime").rglob("*.txt")),
        *sorted((BOARDS / "search_party" / "maps").iterdir()),
        *sorted((BOARDS / "rabbits").rglob("*.map")),
        *sorted((BOARDS / "kingdom_builder" / "games").glob("*.txt")),
        EXAMPLE,
    ],
    ids=lambda path: path.name,
)
def test_our_own_files_are_recognised(path: Path) -> None:
    game = path.relative_to(BOARDS).parts[0].replace("_", "-")

    assert recognise(path.read_text()) == [game]


@pytest.mark.parametrize("name", ["frames.txt", "why/no-explanation.txt", "wrong.txt"])
def test_the_program_of_a_slime_record_gives_its_verdict(name: str) -> None:
    record = BOARDS / "slime" / name
    (verdict,) = run("check", "slime", record, "--format", "json").json
    program = run("facts", "--program", record)
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "-", "--outf=2", "--warn=none", "--models=0"],
        input=program.out,
        capture_output=True,
        text=True,
        check=False,
    )

    shown = json.loads(done.stdout)["Call"][0]["Witnesses"][-1]["Value"]
    assert f"result(turns,{verdict['result']['turns']})" in shown
    found = [atom for atom in shown if atom.startswith("violation(")]
    assert len(found) == len(verdict["violations"])


@pytest.mark.parametrize("game", ["slime", "search-party", "rabbits"])
def test_too_many_files_for_a_program_are_refused(game: str) -> None:
    files = [EXAMPLE, EXAMPLE, EXAMPLE]

    ran = run("facts", "--program", *files, "--game", game)

    assert (ran.status, ran.out) == (2, "")
    assert " not 3 files" in ran.err
    assert run("facts", "--program", EXAMPLE, EXAMPLE, "--game", "slime").status == 2


def test_facts_of_a_bad_board_print_nothing(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("1 x\n . .\n")
    assert run("facts", path, "--game", "kingdom-builder").out == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("1\n", ": 1 row of 1 hex cannot be halved", id="odd"),
        pytest.param("1 .\n . .\n\n1\n", "#2: 1 row of 1 hex cannot be halved", id="second-odd"),
        pytest.param("% nothing\n", ": there is no board in it", id="none"),
    ],
)
def test_what_cannot_be_scored_has_no_program(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(text)

    ran = run("facts", path, "--program", "--game", "kingdom-builder")

    assert (ran.status, ran.out) == (2, "")
    assert f"{path}{said}" in ran.err


def test_the_program_of_doubtful_rules_comes_with_a_warning(tmp_path: Path) -> None:
    rule = "gold(zz,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,montain)."
    folder = add_rules(tmp_path, f'card(zz,12,"x"). {rule}')

    ran = run("facts", "--program", EXAMPLE, "--rules", folder)

    assert ran.status == 0
    assert ran.err == run("score", EXAMPLE, "--rules", folder).err
    assert "did you mean mountain?" in ran.err
