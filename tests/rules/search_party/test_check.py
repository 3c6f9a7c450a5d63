"""A record against the rules: how far it goes, and what it prints wrongly."""

from __future__ import annotations

import pytest

from tests.rules.search_party.lanes import Rows, ask, draw, moves, show

# The star sees the last cell after two moves to the right.
MAP = draw("S....#")


def check(facts: str, predicate: str, *turns: str) -> Rows:
    given = f"{moves(*turns) if turns else ''} {facts}"
    return ask(MAP, given, predicate, "map rules listed chain record")


def printed(number: int, state: int, x: int) -> str:
    return f'number({number},{state}). place("@",{x},0,1,{state}).'


@pytest.mark.parametrize(
    ("turns", "played", "finished"),
    [
        pytest.param(["@6"], 1, "no", id="stops-early"),
        pytest.param(["@6", "@6"], 2, "yes", id="to-the-end"),
        pytest.param(["@6", "@6", "@6"], 2, "yes", id="goes-on-after-the-end"),
        pytest.param(["@6", "@8", "@6"], 1, "no", id="illegal-turn"),
    ],
)
def test_a_game_is_played_up_to_its_end_or_its_first_illegal_turn(
    turns: list[str], played: int, finished: str
) -> None:
    found = {str(key): value for key, value in check("", "result/2", *turns)}

    assert (found["turns"], found["finished"]) == (played, finished)


def test_the_game_is_over_once_everything_has_been_searched() -> None:
    assert check("", "terminal/1", "@6", "@6", "@6") == {(2,)}
    assert check("", "terminal/1", "@6") == set()


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        pytest.param("claim(2,0,0,2).", set(), id="right"),
        pytest.param("claim(2,1,0,2).", {"wrong-result"}, id="wrong-costars"),
        pytest.param("finish(2). finished(3,2).", {"wrong-result"}, id="wrong-turns"),
    ],
)
def test_a_claimed_result_is_compared(claim: str, code: set[str]) -> None:
    assert {row[1] for row in check(claim, "violation/4", "@6", "@6")} == code


def test_an_unfinished_game_has_no_result_to_claim() -> None:
    found = check("finish(1). finished(1,1).", "violation/4", "@6")

    assert {(turn, code) for turn, code, *_ in found} == {(1, "not-finished")}


def test_what_is_wrong_in_several_blocks_in_a_row_is_told_once() -> None:
    facts = "".join(printed(state + 1, state, 4) for state in (0, 1))

    found = check(facts, "violation/4", "@6")

    assert ("@", "is printed at", (4, 0), "but stands at", (0, 0)) in {row[3] for row in found}
    assert [row[0] for row in found if row[1] == "wrong-position"] == [1]


@pytest.mark.parametrize(
    ("facts", "turn", "code", "who"),
    [
        pytest.param(printed(7, 0, 0), 1, "wrong-turn-number", "", id="number"),
        pytest.param("number(1,0).", 1, "missing-person", "@", id="missing"),
        pytest.param(f'{printed(1, 0, 0)} place("z",0,0,2,0).', 1, "ghost", "z", id="unknown"),
        pytest.param(f'{printed(1, 0, 0)} place("@",4,0,2,0).', 1, "ghost", "@", id="twice"),
    ],
)
def test_a_wrong_block_is_told(facts: str, turn: int, code: str, who: str) -> None:
    shown = f"{show(MAP, 'ooo..#')} {facts}"

    assert {row[:3] for row in check(shown, "violation/4", "@6")} == {(turn, code, who)}


@pytest.mark.parametrize(
    ("boards", "cell", "state", "text"),
    [
        pytest.param(["ooooo#"], 4, 0, "searched before", id="early"),
        pytest.param([".oo..#"], 0, 0, "as unsearched", id="late"),
        pytest.param(["ooo..#", "oooo##"], 4, 1, "as an obstacle", id="obstacle"),
        pytest.param(["ooo..#", "oooo.o"], 5, 1, "as open", id="open"),
    ],
)
def test_a_cell_that_is_printed_wrongly_is_told(
    boards: list[str], cell: int, state: int, text: str
) -> None:
    found = check(f"number(1,0). {show(MAP, *boards)}", "miscoloured/3", "@6", "@6")

    details = [row[2] for row in found if row[:2] == (MAP.cell(cell, 0), state)]
    assert any(text in str(detail) for detail in details)
