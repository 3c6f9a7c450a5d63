"""Kingdom Builder in plain Python with the evidence for every point, as the rules give it.

`kingdom_builder.score` only counts. The rules derive what each card pays for as well: this is the
version that does the same work, so it is the fair yardstick, and the oracle of ``explain``.
"""

from collections.abc import Iterator, Sequence

from tests.oracles.kingdom_builder import (
    _Board,
    _build_board,
    _find_beside,
    _find_groups,
    _name_players,
    _pay_lords,
)

# Card, player, the kind of thing that pays, which one it is, gold.
Evidence = tuple[str, int, str, object, int]


def list_evidence(rows: Sequence[Sequence[str]], players: int | None = None) -> list[Evidence]:
    """List everything that the 11 cards pay for, with the default rulings.

    Args:
        rows: The board from north to south, a string of symbols without blanks for each row.
        players: The number of players, or None for everybody with a settlement.

    Returns:
        The evidence. A hex is named by (row, column), a row and a quadrant by its number, a group
        by its first hex. Of several rows, quadrants or groups that tie, one is named.
    """
    board = _build_board(rows)
    names = _name_players(board, players)
    return [
        piece
        for name in names
        for piece in (*_places(board, name), *_hexes(board, name), *_groups(board, name))
    ] + list(_lords(board, names))


def sum_evidence(evidence: Sequence[Evidence]) -> dict[tuple[str, int], int]:
    """Sum the gold of each card and player that is paid anything."""
    totals: dict[tuple[str, int], int] = {}
    for card, player, _, _, gold in evidence:
        totals[card, player] = totals.get((card, player), 0) + gold
    return totals


def _places(board: _Board, name: str) -> Iterator[Evidence]:
    player = int(name)
    in_rows = [row.count(name) for row in board.rows]
    for row, number in enumerate(in_rows):
        if number:
            yield "discoverers", player, "row", row, 1
    most = max(in_rows)
    if most:
        yield "knights", player, "row", in_rows.index(most), 2 * most
    in_quadrants = [quadrant.count(name) for quadrant in board.quadrants]
    fewest = min(in_quadrants)
    yield "farmers", player, "quadrant", in_quadrants.index(fewest) + 1, 3 * fewest


def _hexes(board: _Board, name: str) -> Iterator[Evidence]:
    player, own, width = int(name), board.holding[name], len(board.rows[0])
    for castle in board.holding["C"]:
        if not own.isdisjoint(board.near[castle]):
            yield "castles", player, "hex", divmod(castle, width), 3
    for card, around in (
        ("fishermen", _find_beside(board.near, board.holding["W"]) - board.holding["W"]),
        ("miners", _find_beside(board.near, board.holding["M"]) - board.holding["M"]),
        ("workers", board.suburbs),
    ):
        for place in own & around:
            yield card, player, "hex", divmod(place, width), 1


def _groups(board: _Board, name: str) -> Iterator[Evidence]:
    player, width = int(name), len(board.rows[0])
    groups = _find_groups(board, board.holding[name])
    linked: set[int] = set()
    for group in groups:
        yield "hermits", player, "area", divmod(min(group), width), 1
        reached = board.locations & _find_beside(board.near, board.suburbs.intersection(group))
        if len(reached) > 1:
            linked |= reached
    if groups:
        largest = max(groups, key=len)
        yield "citizens", player, "area", divmod(min(largest), width), len(largest) // 2
    for place in linked:
        yield "merchants", player, "hex", divmod(place, width), 4


def _lords(board: _Board, names: list[str]) -> Iterator[Evidence]:
    for number, quadrant in enumerate(board.quadrants, start=1):
        for name, gold in _pay_lords([quadrant], names, least=0).items():
            if gold:
                yield "lords", int(name), "quadrant", number, gold
