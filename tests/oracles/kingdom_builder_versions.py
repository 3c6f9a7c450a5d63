"""Ten cards with a small change each: the change of the rule, and what then is paid, in Python."""

from collections.abc import Callable, Sequence

from tests.oracles import kingdom_builder as oracle
from tests.oracles.kingdom_builder import _build_board, _find_beside, _find_groups

Gold = tuple[int, ...]
Rows = Sequence[Sequence[str]]


def _each(rows: Rows, pay: Callable[[oracle._Board, set[int]], int]) -> Gold:
    """Pay every player who has a settlement for the hexes that he holds."""
    board = _build_board(rows)
    return tuple(pay(board, board.holding[name]) for name in "12345" if board.holding[name])


def _count(board: oracle._Board, own: set[int], parts: Sequence[str]) -> list[int]:
    name = next(n for n in "12345" if board.holding[n] == own)
    return [part.count(name) for part in parts]


def _pay_highest(rows: Rows) -> Gold:
    board = _build_board(rows)
    names = [n for n in "12345" if board.holding[n]]
    most = [max(part.count(n) for n in names) for part in board.quadrants]
    parts = list(zip(board.quadrants, most, strict=True))
    return tuple(12 * sum(part.count(n) == top for part, top in parts) for n in names)


def _touch(board: oracle._Board, own: set[int]) -> set[int]:
    return board.locations & _find_beside(board.near, own)


# The card, what stands in its file, what stands there after the change, and what that pays.
VERSIONS: list[tuple[str, str, str, Callable[[Rows], Gold]]] = [
    (
        "castles",
        ", 3) :- t",
        ", 2) :- t",
        lambda r: tuple(g // 3 * 2 for g in oracle.score(r)["castles"]),
    ),
    (
        "discoverers",
        "in_row(P,R,_)",
        "in_row(P,R,N), N > 1",
        lambda r: _each(r, lambda b, o: sum(n > 1 for n in _count(b, o, b.rows))),
    ),
    (
        "knights",
        "#max",
        "#min",
        lambda r: _each(r, lambda b, o: 2 * min(filter(None, _count(b, o, b.rows)))),
    ),
    (
        "fishermen",
        " beside(R,C,water), not",
        " not",
        lambda r: _each(r, lambda b, o: len(o - b.holding["W"])),
    ),
    (
        "miners",
        ", not terrain(mountain,R,C)",
        "",
        lambda r: oracle.score(r, miners_on_mountain=True)["miners"],
    ),
    ("lords", "lords_lower(Q,M), N < M.", "lords_lower(Q,M), N <= M.", _pay_highest),
    (
        "farmers",
        "#min",
        "#max",
        lambda r: _each(r, lambda b, o: 3 * max(_count(b, o, b.quadrants))),
    ),
    (
        "hermits",
        "area(A), 1) :- area(P,_,_,A)",
        "hex(R,C), 1) :- area(P,R,C,_)",
        lambda r: _each(r, lambda _, o: len(o)),
    ),
    (
        "citizens",
        "N/2",
        "N/3",
        lambda r: _each(r, lambda b, o: max(map(len, _find_groups(b, o))) // 3),
    ),
    ("merchants", ", (R,C) != (R1,C1)", "", lambda r: _each(r, lambda b, o: 4 * len(_touch(b, o)))),
]
