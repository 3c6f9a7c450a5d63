"""Small maps as facts, in the numbering of the rules."""

from __future__ import annotations

from kb_score.engine.terms import write_facts
from kb_score.games.search_party.records import Map
from tests.helpers import derive

Rows = set[tuple[object, ...]]


def draw(*rows: str, costars: int = 0, extras: int = 0) -> Map:
    """Make a map of rows of ``.``, ``#`` and ``S``."""
    return Map("<map>", len(rows[0]), len(rows), costars, extras, rows)


def ask(map_: Map, facts: str, predicate: str, files: str = "map rules orders chain") -> Rows:
    """Derive a predicate of a game on a map, with some of the rule files."""
    given = f"{write_facts(map_.facts())} {facts}"
    return derive("search_party", files, given, predicate, turns="step judge")


def moves(*turns: str) -> str:
    """Write the moves of some turns as facts, such as ``@6 a4``."""
    facts = [
        f'move("{word[0]}",{word[1:]},{turn}).'
        for turn, line in enumerate(turns, 1)
        for word in line.split()
    ]
    return f"turn(1..{len(turns)}). {' '.join(facts)}"
