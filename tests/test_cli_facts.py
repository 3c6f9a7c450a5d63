"""``kb-score facts``: the same rule files in plain clingo give the same scores."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kb_score.board import parse_board
from tests.helpers import ASP, EXAMPLE, SMALL, run, run_process

FILES = sorted((ASP / "kingdom_builder").glob("*.lp"))
CARD_FILES = sorted((ASP / "kingdom_builder" / "cards").glob("*.lp"))
SCORE = re.compile(r"score\((\w+),(\d),(\d+)\)")


def clingo(facts: str, *options: str) -> subprocess.CompletedProcess[str]:
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

    done = clingo(facts.out)

    assert (facts.status, facts.err, done.stderr) == (0, "", "")
    assert re.search(r"^Models +: 1$", done.stdout, re.MULTILINE)
    (answer,) = answers(done.stdout)
    assert gold(answer) == by_player(scores["gold"], scores["players"])
    codes = re.findall(r'violation\("([\w-]+)"', answer)
    assert sorted(codes) == sorted(v["code"] for v in scores["violations"])


def test_plain_clingo_shows_nothing_else() -> None:
    (answer,) = answers(clingo(run("facts", EXAMPLE).out).stdout)

    assert set(re.findall(r"(\w+)\(", re.sub(r'"[^"]*"', "", answer))) == {"score"}


def test_a_ruling_is_set_with_c_in_plain_clingo(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("1.\n.2\n")

    # Without blanks it could be a frame of slime, too.
    assert "kingdom-builder or slime: say which with --game" in run("facts", path).err
    facts = run("facts", path, "--game", "kingdom-builder").out
    (answer,) = answers(clingo(facts, "-c", "lords_need_settlement=0").stdout)

    # North-west 12 and 6, south-east 6 and 12, both empty quadrants 12 for everybody.
    assert gold(answer)["lords"] == {1: 42, 2: 42}


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
    assert "say which with --game" in ran.err


def test_facts_speak_of_one_board(tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text(f"{SMALL}\n{SMALL}")

    ran = run("facts", path)

    assert ran.status == 2
    assert f"{path}: one board is expected, here are 2" in ran.err


def test_the_printed_facts_are_the_boards() -> None:
    board = parse_board(EXAMPLE.read_text())
    out = run("facts", EXAMPLE).out

    assert len(re.findall(r"settlement\(", out)) == len(board.facts["settlement"])
    assert len(re.findall(r"terrain\(", out)) == len(board.facts["terrain"])
