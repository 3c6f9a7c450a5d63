"""Slime for the tests of all games."""

from __future__ import annotations

import sys

from tests.games.contract import Example, read_expected
from tests.games.slime.games import SHORT
from tests.helpers import ROOT

BOARDS = ROOT / "boards" / "slime"

UNREADABLE: dict[str, tuple[bytes | str, str]] = {
    "half-a-line": (b"1,1.2,..\n", "not 2 and 3"),
    "ragged": (b"1,1.2,..,3.4\n\n", "this row has 2 cells"),
    "other-size": (b"1,1.2,...,3.4\n\n2,12,34\n\n", "this row has 2 cells"),
    "player-5": (b"5,1.2,...,3.4\n\n", "record.txt:1:1"),
    "wrong-symbol": (b"1,1.2,.x.,3.4\n\n", "record.txt:1:"),
    "beyond-32-bits": (b"1,1.2,...,3.4\n\n99999999999 0 0 0\n", "numbers here go up"),
    "short-frame": (b"1.2\n...\n3.4\n\n1.2\n...\n", "the grid has 2 rows"),
    "not-square": (b"11..2\n1...2\n....2\n...22\n", "not 4 and 5"),
    "one-square": (b"1\n", "2 to 256 rows"),
    "too-large": ((("." * 300 + "\n") * 300 + "\n") * 2, "1:1: a grid has 2 to 256 rows"),
    "endless": (b"1.2\n" * 200_000, "this one has 200000 and 3"),
}

EXAMPLE = Example(
    game="slime",
    whole=BOARDS / "session.txt",
    turns=52,
    cut=SHORT[:22],
    expected=read_expected(
        BOARDS / "expected.jsonl",
        lambda record: (record, *(("--first", 2) if record.stem == "frames" else ())),
    ),
    broken=SHORT.replace("4,.11,111,111", "4,.12,111,111"),
    violation=(8, "wrong-board", ""),
    shown=("turn 8: the board as it should be", "\n0  .  1 [1]\n"),
    unreadable={name: ((text,), message) for name, (text, message) in UNREADABLE.items()},
    turn=2,
    moves={2: 8},
    legal="0 4 1 4",
    illegal=("4 4 4 4", "no-own-slime", "the slime on 4,4 belongs to player 4"),
    over="the game is over after turn 52",
    reads_all=True,
    bot=f"{sys.executable} {BOARDS / 'bots' / 'greedy.py'}",
    seats=4,
    patient=("--timeout", 60, "--kill", 60),
    short=("--size", 3),
    const=("--const", "last_turn=6"),
    hasty=("--timeout", 0.5, "--kill", 0.5),
    answers={"hello": "player 1 answered 'hello'"},
    late="was stopped after",
    holds="square(_)",
    derived=("rules.lp", "becomes"),
)
