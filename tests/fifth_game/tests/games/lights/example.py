"""Lights for the tests of all games."""

import shlex

from tests.games.contract import Example, read_expected
from tests.helpers import ROOT

BOARDS = ROOT / "boards" / "lights"
CROSS = (BOARDS / "cross.txt").read_text()

EXAMPLE = Example(
    game="lights",
    play_starts=(BOARDS / "cross.txt",),
    whole=BOARDS / "solved.txt",
    turns=3,
    cut=f"{CROSS}press 0 0\n",
    expected=read_expected(BOARDS / "expected.jsonl"),
    broken=(BOARDS / "wrong.txt").read_text(),
    violation=(2, "wrong-grid", ""),
    shown=("after turn 2, as the rules derive it:", "\n2 [.] *  .\n"),
    unreadable={"symbol": (("*x\n",), "record.txt:1:1: unexpected '*'")},
    turn=3,
    moves={1: 9},
    legal="press 1 1",
    illegal=("press 9 9", "off-grid", "the press at 9,9 is off the grid"),
    over="the game is over after turn 3",
    bot=shlex.join(["sh", "-c", 'while read -r l; do [ "$l" ] || echo press 1 1; done']),
    answers={
        "press 9 9": "off-grid: the press at 9,9 is off the grid",
        "push 0 0": "unexpected 'push': expected the cell that is pressed",
    },
    fault=1,
    holds="lamp(_,_)",
    derived=("rules.lp", "lit"),
)
