"""What the rules say of a map, and the parts that a turn has in them."""

from __future__ import annotations

from typing import cast

from kb_score.games.rabbits.station import Station, station_facts
from kb_score.rules import NO_CHANGES, Changes, read_rules
from kb_score.solve import solve_unique

# The parts of asp/rabbits/rules.lp: one turn, in this order.
TURN = ("turn", "crush", "answer")


def find_cut_off(station: Station, changes: Changes = NO_CHANGES) -> list[int]:
    """List the rabbit starts of a map from which no exit can be reached."""
    wanted = (("cut_off", 1),)
    program = read_rules("rabbits", ["rules", "map"], changes).asked_for(wanted)
    answer = solve_unique(program, station_facts(station), wanted)
    return sorted(cast(int, cell) for (cell,) in answer["cut_off", 1])
