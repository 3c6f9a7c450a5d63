"""Looks ahead: it searches whole turns, and takes the one that leaves it the best prospects.

Plans are kept by a beam. A tile is worth what it may still bring in the turns that are left, so it
hurries to locations at first, and goes to none at the end. Where a turn leaves the bot is valued by
what the first settlement of its next turn could pay, as the mean over all cards: so it keeps away
from being beside land of many kinds, where the rules leave it little choice.
"""

from __future__ import annotations

from settler import extend, value_of
from table import Table, play

BEAM = 4  # plans that are kept
USE = 1.2  # what a use of a tile is worth, in gold
BUILT = 4  # settlements that a player builds in a turn, with tiles
TERRAINS = ("grass", "canyon", "desert", "flower", "forest")


def choose(table: Table) -> list:
    """Choose the turn with the best board and the best prospects."""
    tile = USE * turns_left(table)
    plans: list[list] = [[]]
    while True:
        longer = [
            [*plan, move]
            for plan in plans
            for move in table.legal(plan)
            if move.name == "mandatory"
        ]
        if not longer:
            break
        plans = keep_best(table, longer, tile)
    plans = [extend(table, plan, tile) for plan in plans]
    if len(plans) == 1:
        return plans[0]
    worth = value_of(table, plans, tile)
    if turns_left(table):
        worth = [w + prospects(table, plan) for w, plan in zip(worth, plans, strict=True)]
    return plans[worth.index(max(worth))]


def turns_left(table: Table) -> int:
    """Estimate how many turns the bot has after this one."""
    return max(0, min(table.told.json["supply"]) - 1) // BUILT


def keep_best(table: Table, plans: list, tile: float) -> list:
    """Keep the plans that lead to the best boards, one of those on the same hexes."""
    values = value_of(table, plans, tile)
    found: dict = {}
    for _, plan in sorted(zip(values, plans, strict=True), key=lambda pair: -pair[0]):
        found.setdefault(frozenset(target for part in plan for target in part.targets), plan)
    return list(found.values())[:BEAM]


def prospects(table: Table, plan: list) -> float:
    """Value what a next turn could begin with, as the mean over all cards."""
    (before,) = table.gold([plan])
    later = 0
    for terrain in TERRAINS:
        if moves := table.next_moves(plan, terrain):
            later += max(table.gold([[*plan, move] for move in moves])) - before
    return later / len(TERRAINS)


if __name__ == "__main__":
    play(choose)
