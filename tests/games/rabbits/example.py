"""Rabbits and crusher-bots for the tests of all games."""

from __future__ import annotations

import re
import sys

from tests.games.contract import Example, read_expected
from tests.games.rabbits.helpers import BOARDS, GOOD, HALL, MAP, SESSION, log

WHOLE = (BOARDS / "small.session").read_text()

MAPS = {
    "symbol": ("####\n#sx#\n####\n", "unexpected 'x'"),
    "ragged": ("####\n#se#\n###\n", "this row has 3 cells, but the first row has 4"),
    "open-edge-stripped": ("####\n#se \n####\n", "this row has 3 cells"),
    "open-edge": ("####\nse #\n####\n", "walls # all along its edge"),
    "no-exit": ("####\n#s #\n####\n", "no exit 'e'"),
    "no-start": ("####\n# e#\n####\n", "no rabbit start 's'"),
    "huge-line": ("#" * 100_000 + "x", "unexpected 'x'"),
}
RECORDS = {
    "another-kind": ("hello\n", "not a record"),
    "no-break-space": ("\u00a0", "not a record"),
    "another-kind-further-down": ("\n\nhello\n", ":3:1"),
    "word": (SESSION.replace("crusher 1", "crushed 1"), ":2:"),
    "place": (SESSION.replace("3,3 movesto", "3;3 movesto"), ":10:"),
    "truncated": (SESSION.split("rabbits")[0], "ends too early"),
    "number": (SESSION.replace("turnsleft 3", "turnsleft 99999999999999"), "numbers here go up"),
    "no-answer-amid-run": (SESSION.replace("move 1,1 to 2,1\n", "", 1), "last of its run"),
    "head": ("Running: controller.py m 1 0\nTotal Score: 0\n", "the number of turns"),
    "turns": ("Running: controller.py m 1000000000 0 1 p\nTotal Score: 0\n", "frames"),
    "no-turns": ("run 1 seed 1\nscore 1\n", "turnsleft"),
}
LOGS = {
    "more": (log(*GOOD).replace(" 3 1 1 ", " 2 1 1 "), "has 1 to 2 frames"),
    "fewer": (log(*GOOD).replace(" 3 1 1 ", " 9 1 4 "), "has 4 to 36 frames"),
    "rows": (log(*GOOD).replace("# ###### #\n", "", 1), "ends after 6 rows"),
    "ragged": (log(*GOOD).replace("#o", "# o", 1), "frame must have 7 rows of 10"),
    "number": (log(*GOOD, total=10**15), "up to"),
}

EXAMPLE = Example(
    game="rabbits",
    starts=(BOARDS / "small.map",),
    whole=BOARDS / "small.session",
    turns=120,
    cut="".join(WHOLE.splitlines(keepends=True)[:9]),
    expected=read_expected(
        BOARDS / "expected.jsonl",
        lambda record: (record.with_name(re.split("[.-]", record.name)[0] + ".map"), record),
    ),
    broken=WHOLE.replace("crusher 5,1 movesto 6,1", "crusher 5,1 movesto 4,1", 1),
    violation=(2, "illegal-crusher", "5,1"),
    shown=("after the crushers' moves of turn 2; in brackets, where the record differs:\n",),
    unreadable={
        **{f"map-{name}": ((text, SESSION), message) for name, (text, message) in MAPS.items()},
        **{name: ((MAP, text), message) for name, (text, message) in RECORDS.items()},
        **{f"log-{name}": ((HALL, text), message) for name, (text, message) in LOGS.items()},
    },
    turn=2,
    moves={"5,1": 1, "5,3": 2, "6,3": 2},
    legal="move 5,3 to 6,3; 6,3 to 7,3",
    illegal=("move 1,1 to 1,2", "no-rabbit", "there is no rabbit on 1,1"),
    over="the run is over after turn 120",
    bot=f"{sys.executable} {BOARDS / 'pathfinder.py'}",
    short=("--turns", 6, "--runs", 2, "--seed", 5),
    patient=("--start-time", 60, "--answer-time", 60),
    hasty=("--start-time", 0, "--answer-time", 0.5),
    answers={"hello": "run 1: 1 of 1 answers contain no readable move"},
    holds="open(_)",
    part="turn",
    derived=("rules.lp", "saved"),
)
