"""What the mutations begin with: sound boards, maps, records, claims, rules and bots."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "boards"
_LINES = 90  # of a long record so many are enough: one that stops early is sound

# Hexes with something on them, and some without.
_PAIRS = (".", "G", "N2", "D1", "L#", "F5", "W", "W1", "M3", "T", "C", "O", "2", ".#")

TOML = b"""[[bot]]
name = "a"
command = "true"
[[bot]]
name = "b"
command = "echo 0 0 0 1"
[[bot]]
name = "c"
command = "false"
[[bot]]
name = "d"
command = "true"
folder = "bots"
"""
RESULT = (
    b'{"key": "0123456789abcdef", "number": 1, "bots": ["a", "b", "c", "d"], "map": "",'
    b' "round": 0, "players": ['
    b'{"score": [1], "merit": [1], "faults": {}, "detail": "", "seconds": [0.1, 0.2]}, '
    b'{"score": [2], "merit": [2], "faults": {}, "detail": "", "seconds": [0.1, 0.2]}, '
    b'{"score": [3], "merit": [3], "faults": {"late": 1}, "detail": "turn 3: it took 9 s",'
    b' "seconds": [0.1, 9]}, '
    b'{"score": [3], "merit": [3], "faults": {}, "detail": "", "seconds": [0.1, 0.2]}],'
    b' "turns": 4, "record": "", "ended": "2024-05-01T10:00:00+00:00",'
    b' "parts": [], "digest": ""}\n'
)
# The file of a contest of one bot on one map, and what is before its bots.
CONTEST = b"""game = "search-party"
maps = ["map.txt"]
rounds = 1
seed = 3

[settings]
most_turns = 4

[limits]
timeout = 2

[[bot]]
name = "a"
command = "true"
"""
# Rules for each game that change little, and are right.
RULES = {
    "kingdom-builder": (
        b'card(frontier, 12, "1 gold for each of your settlements beside another\'s").\n'
        b"gold(frontier, P, hex(R,C), 1) :- settlement(P,R,C), near(R,C,R1,C1),"
        b" settlement(Q,R1,C1), P != Q.\n",
        b'%* Shore. *%\ncard(shore, 13, "2 gold for each area on the shore").\n'
        b"gold(shore, P, area(A), 2) :- area(P,R,C,A), beside(R,C,water).\n",
        b'card(rows, 14, "gold by rows").\n'
        b"gold(rows, P, row(R), N) :- player(P), hex(R,0),"
        b" N = #count { C : settlement(P,R,C) }, N > 3.\n",
    ),
    "slime": (
        b"moves(T) :- move(Kind,From,To,T).\n"
        b'violation(T,"passes",P,("there is no move of player",P)) :- mover(P,T), not moves(T),'
        b" last(L), T <= L.\n",
    ),
    "search-party": (b'violation(T,"late","",("turn",T)) :- turn(T), T > 5.\n',),
    "rabbits": (b'violation(T,"late","",("turn",T)) :- turn(T), T > 50.\n',),
}


@cache
def read(name: str) -> bytes:
    """Read a file of ``boards/``."""
    return (BOARDS / name).read_bytes()


@cache
def find(pattern: str) -> tuple[Path, ...]:
    """Find files of the project, in order of name."""
    return tuple(sorted(ROOT.glob(pattern)))


def draw_board(rng: random.Random) -> bytes:
    """Draw a Kingdom Builder board: the example, a part of it, or any symbols."""
    way = rng.randrange(4)
    if way == 0:
        return read("kingdom_builder/example.txt")
    height, width = 2 * rng.randint(1, 5), 2 * rng.randint(1, 6) - (rng.random() < 0.1)
    symbols: Sequence[str] = rng.choice(
        ("....WMTC1234", "..12", ".W1", "1234", "WMTC1", "GNDLFWMTCO.5", _PAIRS)
    )
    rows = [" ".join(rng.choice(symbols) for _ in range(width)) for _ in range(height)]
    return "".join(f"{' ' * (i % 2)}{row}\n" for i, row in enumerate(rows)).encode()


# What programs print of a board of four players: rows of gold, and what score has for formats.
_PRINTED = (
    b"(52, 46, 43, 62) (49, 51, 45, 35)\n" * 8,
    b"[[4, 12, 11, 4],\n [18, 0, 15, 12]]\n",
    b"1 3 7: [52, 46, 43, 62]\n1 4 7 (43, 37, 44, 61)\n",
    b'{"board": "b", "players": [1, 2, 3, 4], "gold": {"miners": [4, 12, 11, 4]}, '
    b'"cards": ["miners"], "total": [22, 12, 26, 16], '
    b'"combinations": [{"cards": [1, 3, 7], "total": [52, 46, 43, 62]}]}\n',
    b"board,card,player,gold\nb,miners,1,4\nb,miners,2,12\nb,miners,3,11\nb,miners,4,4\n"
    b"b,total,1,4\nb,total,2,12\nb,total,3,11\nb,total,4,4\n",
)


def draw_claims(rng: random.Random) -> bytes:
    """Draw claims for a board of four players, mostly wrong ones."""
    if rng.random() < 0.4:
        return read("kingdom_builder/claims.txt")
    if rng.random() < 0.4:
        return rng.choice(_PRINTED)
    lines = []
    for _ in range(rng.randint(1, 6)):
        gold = [str(rng.randint(0, 60)) for _ in range(4)]
        cards = " ".join(str(rng.randint(1, 9)) for _ in range(3))
        named = rng.choice(("miners", "lords", "castles", "hermits"))
        by_numbers, by_name = f"{cards}   {' '.join(gold)}\n", f"{named}: {', '.join(gold)}\n"
        lines.append(rng.choice((by_numbers, by_name)))
    return "".join(lines).encode()


def draw_map(rng: random.Random) -> bytes:
    """Draw a map of the search party: one of ours, or a small one."""
    if rng.random() < 0.6:
        return rng.choice(find("boards/search_party/maps/*.txt")).read_bytes()
    width, height = rng.randint(2, 9), rng.randint(2, 9)
    cells = [rng.choice("....#") for _ in range(width * height)]
    cells[rng.randrange(len(cells))] = "S"
    rows = ["".join(cells[i : i + width]) for i in range(0, len(cells), width)]
    heading = f"{width} {height} {rng.randint(0, 3)} {rng.randint(0, 3)}"
    return ("\n".join([heading, *rows]) + "\n").encode()


def cut_record(rng: random.Random, record: bytes) -> bytes:
    """Keep the beginning of a long record."""
    lines = record.splitlines(keepends=True)
    return b"".join(lines[:_LINES]) if rng.random() < 0.7 else record


def draw_rules(rng: random.Random, game: str) -> bytes:
    """Choose a rule file for a game: a small one, or one of ours."""
    if rng.random() < 0.6:
        return rng.choice(RULES[game])
    return rng.choice(find(f"asp/{game.replace('-', '_')}/**/*.lp")).read_bytes()
