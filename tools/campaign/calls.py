"""Cases of calls from Python: what comes out is a value or a `KbScoreError`, nothing else.

A wrong number of arguments is the caller's slip, and Python's own `TypeError` tells it; every other
exception is a defect.
"""

from __future__ import annotations

import random

from tools.campaign import seeds, texts
from tools.campaign.case import Case

_PROGRAM = """\
import sys
from pathlib import Path
import kb_score

board = Path("board.txt").read_bytes().decode(errors="surrogateescape")
claims = Path("claims.txt").read_bytes().decode(errors="surrogateescape")
try:
    found = {call}
    if not isinstance(found, (tuple, str)) and hasattr(found, "__next__"):
        found = list(found)
    for one in found if isinstance(found, list) else [found]:
        print(type(one).__name__, ascii(str(one))[:200])
except kb_score.KbScoreError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""
_ANY = (
    *("None", "True", "False", "0", "1", "-1", "3", "5", "6", "2**31 - 1", "2**31", "2**40"),
    *("2**63", "10**400", "1.5", 'float("nan")', 'float("inf")', '""', '"1"', '"x"', '"\\0"'),
    *('b"x"', "[]", "()", "{}", "object()", "[None]", "[[1]]", "{1}", "len", "range(3)", "int"),
    *('Path("r")', "iter([])", '"\\u202e"', '"\\x1b[31m"', '"\\udcff"', "[1] * 10000", "[b'x']"),
    *('["miners"]', "[1, 4, 7]", '["x"]', '[1, "x"]', "[2**70]", '["\\x1b[31m"]', "[1.5]"),
    *('{"a": 1}', "{1: 1}", '{"lords_need_settlement": 1}', '{"lords_need_settlement": 2**40}'),
    *('{"lords_need_settlement": None}', '{"lords_need_settlement": "x"}', '["r"]', '["absent"]'),
    *('{"lords_need_settlement": 1.5}', '["\\0"]', '["\\udcff"]', '["x" * 5000]', "[Path()]"),
    *("float", "3 + 4j", "[['miners']]", "lambda: 1", "frozenset()", "memoryview(b'1')", "..."),
)
_RIGHT = {
    "cards": ("None", "[1, 4, 7]", '["miners"]', "()"),
    "combinations": ("True", "False"),
    "players": ("None", "1", "4", "5"),
    "player": ("None", "1", "4"),
    "card": ("None", '"miners"', "5"),
    "rules": ("()", '["r"]', '[Path("r")]'),
    "constants": ("None", '{"lords_need_settlement": 1}'),
    "name": ('"x"', '"\\x1b[31m"'),
    "executor": ("None",),
}
_SHARED = ("players", "rules", "constants")
_BOARDS = ("board", "kb_score.parse_board(board)")
_MANY = ("kb_score.read_boards(board)", "[kb_score.parse_board(board)] * 3", "[]", "[board]")
_FUNCTIONS = {
    "score": ((_BOARDS,), ("cards", "combinations", *_SHARED)),
    "score_many": ((_MANY,), ("cards", "combinations", "executor", *_SHARED)),
    "explain": ((_BOARDS,), ("card", "player", *_SHARED)),
    "check_claims": ((_BOARDS, ("claims",)), _SHARED),
    "load_rules": ((), ("rules", "constants")),
    "parse_board": ((("board",),), ("name",)),
    "read_boards": ((("board",),), ("name",)),
}


def draw_call(rng: random.Random) -> Case:
    """Draw a case of a call with odd values, or with a text that was changed."""
    function = rng.choice(sorted(_FUNCTIONS))
    places, names = _FUNCTIONS[function]
    text_is_odd = rng.random() < 0.3
    words = [rng.choice(place) for place in places]
    if words and not text_is_odd and rng.random() < 0.35:
        words[rng.randrange(len(words))] = rng.choice(_ANY)
    for name in names:
        if rng.random() < 0.4:
            value = rng.choice(_RIGHT[name] if rng.random() < 0.5 else _ANY)
            words.append(f"{name}={value}")
    board, claims = seeds.draw_board(rng), seeds.draw_claims(rng)
    if text_is_odd:
        board = texts.mutate(rng, board)
        claims = texts.mutate(rng, claims)
    files = {"board.txt": board, "claims.txt": claims}
    files["r/x.lp"] = seeds.draw_rules(rng, "kingdom-builder")
    program = _PROGRAM.format(call=f"kb_score.{function}({', '.join(words)})")
    return Case("api", (), files, script=program, real=rng.random() < 0.03)
