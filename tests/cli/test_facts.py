"""``kb-score facts``: plain clingo scores its facts, and files are recognised.

tests/transcripts/cli/facts.md has what people read; tests/rules/test_plain_clingo.py runs the
programs that ``facts --program`` prints.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kb_score.engine.rules import Asked, GameRules
from kb_score.games import list_games, recognise
from tests.helpers import ASP, EXAMPLE, LOG, ROOT, SESSION, SMALL, STATION, run, run_process

BOARDS = ROOT / "boards"
FILES = [
    *sorted((ASP / "kingdom_builder").glob("*.lp")),
    *sorted((ASP / "kingdom_builder" / "cards").glob("*.lp")),
]
SCORE = re.compile(r"score\((\w+),(\d),(\d+)\)")


def clingo_with_the_rules(facts: str, *options: str) -> str:
    """Let plain clingo find all answer sets of some facts, of which there is one; return it."""
    done = subprocess.run(
        [sys.executable, "-m", "clingo", "-", *map(str, FILES), "0", *options],
        input=facts,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    _, *answers = done.stdout.split("\nAnswer:")
    assert len(answers) == 1
    return answers[0].splitlines()[1]


def gold(answer: str) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for card, player, paid in SCORE.findall(answer):
        found.setdefault(card, {})[int(player)] = int(paid)
    return found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(EXAMPLE.read_text(), {"score"}, id="the-example"),
        pytest.param(SMALL, {"score", "violation"}, id="two-rows"),
        pytest.param("1 M\n W C\n", {"score", "violation"}, id="one-settlement"),
    ],
)
def test_plain_clingo_shows_the_same_scores_and_nothing_else(
    tmp_path: Path, text: str, shown: set[str]
) -> None:
    path = tmp_path / "board.txt"
    path.write_text(text)
    facts = run_process("facts", path)
    (scores,) = run("score", path, "--format", "json").json

    answer = clingo_with_the_rules(facts.out)

    assert (facts.status, facts.err) == (0, "")
    assert gold(answer) == {
        card: dict(zip(scores["players"], paid, strict=True))
        for card, paid in scores["gold"].items()
    }
    codes = re.findall(r'violation\("([\w-]+)"', answer)
    assert sorted(codes) == sorted(v["code"] for v in scores["violations"])
    assert set(re.findall(r"(\w+)\(", re.sub(r'"[^"]*"', "", answer))) == shown


def test_plain_clingo_sets_a_ruling_with_c() -> None:
    facts = run("facts", "-", "--game", "kingdom-builder", given="1.\n.2\n").out

    answer = clingo_with_the_rules(facts, "-c", "lords_need_settlement=1")

    # With 0 each would be second in the other's quadrant, and first in two empty ones.
    assert gold(answer)["lords"] == {1: 12, 2: 12}


@pytest.mark.parametrize("record", [SESSION, LOG], ids=["session", "log"])
def test_each_program_of_a_record_is_a_part(record: Path) -> None:
    heard: list[Asked] = []
    files = STATION, record
    texts = [(str(path), path.read_text()) for path in files]
    list_games()["rabbits"].type.check(GameRules("rabbits", listener=heard.append), texts)

    for number, asked in enumerate(heard, 1):
        ran = run("facts", "--program", *files, "--part", number)
        assert (ran.status, ran.out) == (0, str(asked))
    assert len(heard) > 1
    assert f"there are {len(heard)} programs" in run("facts", "--program", *files, "--part", 99).err


def test_only_squares_of_one_size_are_frames_and_not_boards() -> None:
    assert recognise("123\n231\n333\n\n123\n123\n123\n") == ["slime"]
    assert "kingdom-builder" in recognise("123\n231\n\n12\n34\n11\n")


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
