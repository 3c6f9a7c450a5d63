"""The rule files of the game, put together for each of their uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import cast

from kb_score.errors import RuleError
from kb_score.games.rabbits.station import Station, station_facts
from kb_score.lift import lift_to_turns
from kb_score.program import Program, Signature, read_program
from kb_score.resources import find_folder
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
        program = _read(stems)
        for folder in self.folders:
            if not (found := sorted(folder.glob("*.lp"))):
                raise RuleError(f"{folder}: the folder has no .lp file")
            program += read_program(found)
        return program.with_constants(self.constants)


@lru_cache(maxsize=16)
def _read(stems: tuple[str, ...]) -> Program:
    return read_program(find_folder("asp") / "rabbits" / f"{stem}.lp" for stem in stems)


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
