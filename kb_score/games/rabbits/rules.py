"""The rule files of the game, put together for each of their uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from kb_score.games.rabbits.station import Station, station_facts
from kb_score.lift import lift_to_turns
from kb_score.program import Program, Signature
from kb_score.rules import read_game_rules
from kb_score.solve import solve_unique

# The parts of asp/rabbits/rules.lp: one turn, in this order.
TURN = ("turn", "crush", "answer")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules to play by: those of the game, and what the user adds.

    Attributes:
        folders: Folders with more .lp files.
        constants: The rulings that the user decides, by name.
    """

    folders: tuple[Path, ...] = ()
    constants: Mapping[str, str] = field(default_factory=dict)

    def read(self, *stems: str) -> Program:
        """Read files of asp/rabbits/ and the user's, rulings decided."""
        return read_game_rules("rabbits", stems, self.folders, self.constants)


def lift(program: Program, parts: Iterable[str], wanted: Iterable[Signature]) -> Program:
    """Make rules for all turns of those parts that are given, as far as they are asked for."""
    for part in parts:
        program = lift_to_turns(program, part)
    return program.asked_for(wanted)


def find_cut_off(station: Station, rules: Rules) -> list[int]:
    """List the rabbit starts of a map from which no exit can be reached."""
    wanted = (("cut_off", 1),)
    program = rules.read("rules", "map").asked_for(wanted)
    answer = solve_unique(program, station_facts(station), wanted)
    return sorted(cast(int, cell) for (cell,) in answer["cut_off", 1])
