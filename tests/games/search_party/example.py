"""Horror Movie Search Party for the tests of all games."""

from __future__ import annotations

import sys

from tests.games.contract import Example, read_expected
from tests.games.search_party.conftest import BLOCK, MEADOW, PLAN
from tests.helpers import MEADOW as MAP
from tests.helpers import ROOT, SAFE

BOARDS = ROOT / "boards" / "search_party"

MAPS = {
    "short header": ("6 5 0\n......\n", "map.txt:1:"),
    "symbol": (MEADOW.replace("S", "X"), "map.txt:4:3"),
    "ragged": (MEADOW.replace("..S...", "..S.."), "map.txt:4:6: this row"),
    "too many rows": (MEADOW + "......\n", "the grid has 6 rows: expected 5"),
    "no start": (MEADOW.replace("S", "."), "there are 0 cells marked S"),
    "two starts": (MEADOW.replace(".S", "SS"), "there are 2 cells marked S"),
    "too wide": ("257 1 0 0\nS" + "." * 256, "257 columns, but"),
    "too high": ("1 257 0 0\nS" + "\n." * 256, "257 rows, but"),
    "costars": ("1 1 27 0\nS\n", "27 costars, but"),
    "extras": ("1 1 0 27\nS\n", "27 extras, but"),
    "beyond 32 bits": ("1 1 0 99999999999\nS\n", "is too large"),
    "endless number": ("1 1 0 " + "9" * 9999 + "\nS\n", "is too large"),
    "apart": ("3 1 0 0\nS#.\n", "not connected: no moves lead from S to 2,0"),
    "apart in rows": ("3 3 0 0\nS#.\n###\n.#.\n", "not connected"),
    "no cells": ("0 0 0 0\n\n", "the text ends too early"),
}
RECORDS = {
    "no full stop": ("@4\n", "record.txt:1"),
    "short result": ("@4.\n4 0\n", "record.txt:2"),
    "moves after the result": (PLAN + "@4.\n", "record.txt:6:1"),
    "long word": ("@44.\n", "record.txt:1"),
    "beyond 32 bits": ("4 0 99999999999\n", "too large"),
    "far away": (BLOCK.replace("@:2,2", "@:2,99999999999"), "too large"),
    "endless": (BLOCK.replace("Turn 1", "Turn " + "1" * 9999), "too large"),
    "row": (BLOCK.replace("ooooo.\n", "ooooo\n", 1), "record.txt:4:6: this row has 5 cells"),
    "few rows": (BLOCK.replace("ooooo.\n", "", 1), "the grid has 4 rows: expected 5"),
    "symbol": (BLOCK.replace("ooooo.\n", "oooxo.\n", 1), "record.txt:4:4"),
    "truncated": (BLOCK[:40], "ends too early"),
    "moves are missing": (BLOCK + "@4.\n" + BLOCK + BLOCK, "record.txt:18:1"),
    "broken row": (
        SAFE.read_text().replace("ooooo.\n", "ooo\no.\n", 1),
        "the grid has 6 rows: expected 5",
    ),
    "line of blanks": (f"@4{' ' * 1_000_000}x\n", "record.txt:1:"),
    "huge line": ("a" * 5_000_000, "record.txt:1:1"),
}

EXAMPLE = Example(
    game="search-party",
    starts=(MAP,),
    whole=SAFE,
    turns=6,
    cut="@4.\n@4.\n",
    expected=read_expected(
        BOARDS / "expected.jsonl",
        lambda record: (BOARDS / "maps" / f"{record.parent.name}.txt", record),
    ),
    broken="@4.\n@4.\n@4.\n",
    violation=(3, "off-map", "@"),
    shown=("before turn 3:\n",),
    unreadable={
        **{f"map-{name}": ((text, PLAN), message) for name, (text, message) in MAPS.items()},
        **{name: ((MEADOW, text), message) for name, (text, message) in RECORDS.items()},
    },
    turn=2,
    moves={"@": 9},
    legal="@1.",
    illegal=("@0", "bad-direction", "there is no direction 0"),
    over="the game is over after turn 6",
    bot=f"{sys.executable} {BOARDS / 'bots' / 'walker.py'}",
    answers={
        "hello": "turn 1: the bot gave an unreadable answer",
        "@0.": "turn 1: the bot made an illegal move: bad-direction (@): there is no direction 0",
    },
    fault=1,
    holds="open(_)",
    derived=("rules.lp", "alive"),
)
