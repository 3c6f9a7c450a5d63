"""One turn: who moves where, what is seen, who lives, what is illegal."""

from __future__ import annotations

import pytest

from tests.rules.search_party.lanes import Rows, ask, draw, moves

LANE = "......S......"


def alive(turn: int, *turns: str, costars: int = 0, extras: int = 0) -> str:
    rows = ask(draw(LANE, costars=costars, extras=extras), moves(*turns), "alive/2")
    return "".join(sorted(str(person) for person, time in rows if time == turn))


def illegal(*turns: str, more: str = "") -> Rows:
    map_ = draw("S#..", "....", costars=1, extras=1)
    found = ask(map_, f"{moves(*turns)} {more}", "illegal/4")
    return {(turn, code, who) for turn, code, who, _ in found}


def test_people_see_rows_of_3_5_5_5_and_3_cells() -> None:
    map_ = draw(*[".......", ".......", ".......", "...S...", ".......", ".......", "......."])

    seen = {map_.place(cell) for cell, _ in ask(map_, moves(""), "seen/2") if isinstance(cell, int)}

    widths = {y: sum(place[1] == y for place in seen) for y in range(7)}
    assert widths == {0: 0, 1: 3, 2: 5, 3: 5, 4: 5, 5: 3, 6: 0}


def test_obstacles_do_not_block_the_view() -> None:
    map_ = draw("S#..")

    assert ask(map_, moves(""), "seen/2") == {(map_.cell(x, 0), 0) for x in (0, 2)}


def test_a_diagonal_move_passes_between_two_obstacles() -> None:
    map_ = draw("S#", "#.")

    assert ("@", map_.cell(1, 1), 1) in ask(map_, moves("@3"), "at/3")


def test_a_person_who_is_not_told_to_move_stands_still() -> None:
    map_ = draw("S..", costars=1)

    places = ask(map_, moves("@6"), "at/3")

    assert {row for row in places if row[2] == 1} == {
        ("@", map_.cell(1, 0), 1),
        ("A", map_.cell(0, 0), 1),
    }


@pytest.mark.parametrize(
    ("crowd", "survivors"),
    [
        *[("A", ""), ("AB", "AB"), ("Aa", "Aa"), ("AaBb", "ABab")],
        *[("a", ""), ("ab", ""), ("abc", "abc")],
    ],
)
def test_away_from_the_star_costars_need_anybody_and_extras_a_costar_or_two_extras(
    crowd: str, survivors: str
) -> None:
    away = " ".join(f"{person}6" for person in crowd)
    extras = sum(map(str.islower, crowd))

    found = alive(3, "@4", away, away, costars=len(crowd) - extras, extras=extras)

    assert found == f"@{survivors}"


def test_everybody_lives_in_sight_of_the_star() -> None:
    assert alive(1, "@6 A5 a4", costars=1, extras=1) == "@Aa"


def test_all_deaths_of_a_turn_happen_at_once() -> None:
    # Away from the star, the extra in the middle sees two others who die, and dies a turn later.
    turns = ["@4 b6 c6", "@4 b6 c6", "@4 c6", ""]

    assert [alive(turn, *turns, extras=3) for turn in (3, 4)] == ["@b", "@"]


def test_a_person_who_dies_in_a_turn_still_sees() -> None:
    map_ = draw(LANE, costars=1)

    seen = ask(map_, moves("@4 A6", "@4 A6"), "seen/2")

    assert (map_.cell(10, 0), 2) in seen


@pytest.mark.parametrize(
    ("line", "code", "who"),
    [
        ("@6", "onto-obstacle", "@"),
        ("A4", "off-map", "A"),
        ("a9", "off-map", "a"),
        ("@0", "bad-direction", "@"),
        ('@"x"', "bad-direction", "@"),
        ("B5", "unknown-person", "B"),
    ],
)
def test_an_illegal_move_is_told_with_its_person(line: str, code: str, who: str) -> None:
    assert illegal(line) == {(1, code, who)}


def test_all_illegal_moves_of_a_turn_are_told() -> None:
    assert illegal("@6 a4") == {(1, "onto-obstacle", "@"), (1, "off-map", "a")}


def test_a_second_move_of_a_person_is_illegal() -> None:
    assert illegal("@2", more='repeated("@",1).') == {(1, "moved-twice", "@")}


def test_the_dead_cannot_even_stand_still() -> None:
    map_ = draw(LANE, costars=1)

    found = ask(map_, moves("@4 A6", "@4 A6", "A5"), "illegal/4")

    assert found == {(3, "dead-person", "A", ("A", "is dead"))}
