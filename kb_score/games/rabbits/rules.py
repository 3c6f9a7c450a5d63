"""The rule files of the game, put together for each of their uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import cast

from kb_score.games.rabbits.station import Station, station_facts
from kb_score.lift import lift_to_turns
from kb_score.program import Program, Signature
from kb_score.rules import NO_CHANGES, Changes, read_rules
from kb_score.solve import solve_unique

# The parts of asp/rabbits/rules.lp: one turn, in this order.
TURN = ("turn", "crush", "answer")


def read_files(*stems: str, changes: Changes = NO_CHANGES) -> Program:
    """Read files of asp/rabbits/ with what the user changes about them."""
    return read_rules("rabbits", stems, changes)


def lift(program: Program, parts: Collection[str], wanted: Iterable[Signature]) -> Program:
    """Make rules for all turns of those parts that are given, as far as they are asked for."""
    return lift_to_turns(program, parts).asked_for(wanted)


def find_cut_off(station: Station, changes: Changes = NO_CHANGES) -> list[int]:
    """List the rabbit starts of a map from which no exit can be reached."""
    wanted = (("cut_off", 1),)
    program = read_files("rules", "map", changes=changes).asked_for(wanted)
    answer = solve_unique(program, station_facts(station), wanted)
    return sorted(cast(int, cell) for (cell,) in answer["cut_off", 1])
