"""Streams: moves are inferred from the places that are printed."""

from __future__ import annotations

from tests.rules.search_party.lanes import Lane, Rows, ask, draw

MAP = draw("S......", costars=1)
# Everybody has to stand still here, so that nothing is left to choose.
NARROW = draw("S#", costars=1)


def infer(places: dict[str, list[int | None]], predicate: str, map_: Lane = MAP) -> Rows:
    """Derive a predicate from the columns where people are printed, state by state."""
    blocks = len(next(iter(places.values())))
    facts = [
        f'place("{who}",{x},0,{number},{state}).'
        for number, (who, columns) in enumerate(places.items(), 1)
        for state, x in enumerate(columns)
        if x is not None
    ]
    given = f"turn(1..{blocks - 1}). {' '.join(facts)}"
    return ask(map_, given, predicate, "map rules stream chain record")


def test_a_move_leads_from_a_printed_place_to_the_next() -> None:
    found = infer({"@": [0, 1, 1], "A": [0, 1, 0]}, "move/3")

    assert found == {("@", 6, 1), ("@", 5, 2), ("A", 6, 1), ("A", 4, 2)}


def test_two_places_that_no_move_joins_are_a_teleport() -> None:
    found = infer({"@": [0, 1], "A": [0, 3]}, "illegal/4")

    detail = ("A", "cannot get from", (0, 0), "to", (3, 0), "in one move")
    assert found == {(1, "teleport", "A", detail)}


def test_a_person_who_was_missing_returns() -> None:
    found = infer({"@": [0, 0, 0, 0], "A": [0, None, None, 0]}, "returns/3", NARROW)

    assert found == {("A", NARROW.cell(0, 0), 3)}


def test_a_person_who_disappears_may_have_moved_to_an_open_cell() -> None:
    found = infer({"@": [0, 0], "A": [0, None]}, "move/3", NARROW)

    assert found == {("@", 5, 1), ("A", 5, 1)}
