"""Looks ahead: of several good turns it takes the one after which the next turn is best.

Whole turns are searched with a beam, tiles included. Where a turn leaves the bot is valued by what
the first settlement of its next turn could pay, whatever card comes: so it keeps away from being
beside land of many kinds, where the rules leave it little choice.
"""

from __future__ import annotations

from settler import extend, value_of
from table import Table, play

BEAM = 4  # plans that are kept
AHEAD = 2  # how much more the first settlement of the next turn counts: two follow it
TERRAINS = ("grass", "canyon", "desert", "flower", "forest")


def choose(table: Table) -> list:
    """Choose the turn with the best board and the best prospects."""
    plans: list[list] = [[]]
    while True:
        longer = [
            [*plan, move]
            for plan in plans
            for move in table.legal(plan).moves
            if move.name == "mandatory"
        ]
        if not longer:
            break
        plans = keep_best(table, longer)
    plans = [extend(table, plan) for plan in plans]
    if len(plans) == 1:
        return plans[0]
    worth = value_of(table, plans)
    values = [w + AHEAD * prospects(table, plan) for w, plan in zip(worth, plans, strict=True)]
    return plans[values.index(max(values))]


def keep_best(table: Table, plans: list) -> list:
    """Keep the plans that lead to the best boards, one of those on the same hexes."""
    values = value_of(table, plans)
    found: dict = {}
    for _, plan in sorted(zip(values, plans, strict=True), key=lambda pair: -pair[0]):
        found.setdefault(frozenset(target for part in plan for target in part.targets), plan)
    return list(found.values())[:BEAM]


def prospects(table: Table, plan: list) -> float:
    """Value what a next turn could begin with, as the mean over all cards."""
    before = value_of(table, [plan])[0]
    later = 0
    for terrain in TERRAINS:
        moves = table.next_moves(plan, terrain)
        if moves:
            later += max(value_of(table, [[*plan, move] for move in moves])) - before
    return later / len(TERRAINS)


if __name__ == "__main__":
    play(choose)
