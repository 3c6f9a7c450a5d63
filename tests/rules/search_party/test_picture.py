"""The picture: every cell has one symbol, and what is wrong is pointed at."""

from __future__ import annotations

from tests.rules.search_party.lanes import Rows, ask, draw, moves, show

MAP = draw("S....#", costars=1, extras=1)


def picture(facts: str, predicate: str, *turns: str) -> Rows:
    files = "map rules listed chain record picture common/looks common/pictured"
    return ask(MAP, f"{moves(*turns)} {facts}", predicate, files)


def test_a_turn_that_is_wrong_is_drawn_as_it_begins() -> None:
    found = picture("", "cell/3", "@6", "@8")

    assert "".join(str(symbol) for *_, symbol in sorted(found, key=str)) == "A@oo.#"


def test_the_first_turn_that_is_wrong_is_drawn_otherwise() -> None:
    assert picture("", "pictured/1", "@6", "@8 A8", "@8") == {(2,)}
    assert picture("", "cell/3", "@6") == set()


def test_people_who_break_a_rule_are_pointed_at() -> None:
    assert picture("", "highlight/2", "@6", "@8") == {(0, 1)}


def test_a_wrong_cell_is_pointed_at() -> None:
    facts = f"number(1,0). {show(MAP, 'oooo.#')}"
    people = "".join(f'place("{who}",0,0,{i},0).' for i, who in enumerate("@Aa", 1))

    assert picture(facts + people, "highlight/2", "@6") == {(0, 3)}


def test_people_who_share_a_place_are_listed() -> None:
    found = picture("", "sharing/3", "@6", "@8")

    assert found == {(0, 0, "A"), (0, 0, "a")}
