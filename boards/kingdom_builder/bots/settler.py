"""Looks after locations: their tiles build more settlements, and the game ends sooner.

It plays as greedy does, but a hex beside a location counts for some gold more, and it uses what
tiles it has got.
"""

from __future__ import annotations

from table import Table, neighbours, play

# What a tile is worth in gold that is not on the board yet.
TILE = 6


def value_of(table: Table, plans: list) -> list[int]:
    """Value some plans: gold, and tiles got."""
    return [
        gold + TILE * count_tiles(table, plan)
        for gold, plan in zip(table.gold(plans), plans, strict=True)
    ]


def count_tiles(table: Table, plan: list) -> int:
    """Count the tiles that a plan gets."""
    ends = [place for part in plan for _, place in part.targets]
    return len({near for place in ends for near in neighbours(place)} & table.free_tiles)


def choose(table: Table) -> list:
    """Use the mandatory action and then each tile on the hexes that are worth most."""
    parts: list = []
    while moves := [part for part in table.legal(parts).moves if part.name == "mandatory"]:
        parts.append(best(table, parts, moves)[1])
    return extend(table, parts)


def extend(table: Table, parts: list) -> list:
    """Use tiles as long as that makes the board better, or builds."""
    worth = value_of(table, [parts])[0]
    while True:
        legal = table.legal(parts)
        if any(part.name == "mandatory" for part in legal.moves):
            return parts  # a further card has to be drawn first
        if legal.further:
            worth, last = best(table, parts[:-1], list(legal.further))
            parts = [*parts[:-1], last]
            continue
        moves = [part for part in legal.moves if part.targets or part.name == "treasure"]
        if not moves:
            return parts
        value, move = best(table, parts, moves)
        is_move = bool(move.targets) and move.targets[0][0] is not None
        if value <= worth and (is_move or move.name in ("quarry", "sword")):
            return parts
        worth, parts = value, [*parts, move]


def best(table: Table, parts: list, moves: list) -> tuple[int, object]:
    """Find the move that leads to the best board, and what that is worth."""
    values = value_of(table, [[*parts, move] for move in moves])
    return max(values), moves[values.index(max(values))]


if __name__ == "__main__":
    play(choose)
