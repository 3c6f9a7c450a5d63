"""The rules of a turn: the challenge's figures, and the independent simulator on random boards."""

import os
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lark import Lark

from benchmarks.plain.slime import Answer, finished, legal_moves, move, start_board
from benchmarks.plain.slime import scores as count
from kb_score.games.slime.frames import check_frames
from kb_score.games.slime.read import Frames
from kb_score.games.slime.turn import State, load_rules, play_turn, start_game
from kb_score.grammar import read_words
from kb_score.rules import NO_CHANGES

ROOT = Path(__file__).parents[2]
RULES = load_rules()
EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "12"))
# The challenge prints four rows of five and says that its boards are 5x5; the fifth row is empty.
FIGURES = [
    pytest.param(
        "11.22 1..22 ..22. .....", "0 1 1 2", "11.12 1.112 ..11. .....", "spread", id="spread"
    ),
    pytest.param(
        "11..2 1...2 ....2 ...22", "0 1 2 3", "1...2 1...1 ...11 ...11", "jump", id="jump"
    ),
    pytest.param(
        "11..2 1.1.2 ....2 ..222", "0 1 1 2", "1.112 11112 .1112 ..222", "merge", id="merge"
    ),
]


def at(rows: tuple[str, ...], player: int) -> State:
    """A game in which it is a player's turn."""
    return State(len(rows), player - 1, ",".join(rows), player, "pass", False, ())


def square(text: str) -> tuple[str, ...]:
    """The rows of a figure, with the fifth row."""
    return (*text.split(), ".....")


@pytest.mark.parametrize(("before", "answer", "after", "kind"), FIGURES)
def test_a_turn_gives_the_figure_of_the_challenge(
    before: str, answer: str, after: str, kind: str
) -> None:
    state = play_turn(at(square(before), 1), answer, RULES)

    assert state.board == ",".join(square(after))
    assert state.kind == kind
    assert state.mover == 2


@pytest.mark.parametrize(("before", "answer", "after", "kind"), FIGURES)
def test_frames_are_explained_by_the_move_of_the_figure(
    before: str, answer: str, after: str, kind: str
) -> None:
    boards = (",".join(square(before)), ",".join(square(after)))

    found = check_frames(Frames(5, boards), None, NO_CHANGES)

    assert found.violations == ()
    assert [e.player for e in found.explanations] == [1]
    assert (kind, answer) in found.explanations[0].moves


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_game_starts_with_a_slime_in_every_corner(size: int) -> None:
    state = start_game(size, RULES)

    assert state.board == ",".join(start_board(size))
    assert (state.mover, state.turn, state.ended) == (1, 0, size == 2)
    assert state.squares == (1, 1, 1, 1)


def test_a_game_ends_after_2000_turns() -> None:
    rows = ("1..", "...", "..2")
    last = State(3, 1999, ",".join(rows), 4, "pass", False, ())

    assert play_turn(last, "", RULES).ended
    assert not play_turn(State(3, 1998, ",".join(rows), 3, "pass", False, ()), "", RULES).ended


@st.composite
def boards(draw: st.DrawFn, owners: str = "1234..") -> tuple[str, ...]:
    size = draw(st.integers(2, 7))
    squares = st.text(st.sampled_from(owners), min_size=size, max_size=size)
    return tuple(draw(st.lists(squares, min_size=size, max_size=size)))


@settings(max_examples=5 * EXAMPLES, deadline=None)
@given(boards(), st.integers(1, 4), st.data())
def test_a_turn_is_what_the_simulator_makes_of_it(
    rows: tuple[str, ...], player: int, data: st.DataObject
) -> None:
    size = len(rows)
    anything = st.tuples(*[st.integers(-1, size)] * 4)
    moves = legal_moves(rows, player)
    answer: Answer = data.draw(st.sampled_from(moves) | anything if moves else anything)

    state = play_turn(at(rows, player), " ".join(map(str, answer)), RULES)

    after, kind = move(rows, player, answer)
    assert (state.board, state.kind) == (",".join(after), kind)
    assert state.squares == count(after)
    assert state.ended == finished(after, player)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(boards("112.."), st.data())
def test_the_explanations_of_a_move_are_all_moves_with_its_effect(
    rows: tuple[str, ...], data: st.DataObject
) -> None:
    moves = legal_moves(rows, 1)
    assume(moves and "." in "".join(rows))
    after, _ = move(rows, 1, data.draw(st.sampled_from(moves)))
    frames = Frames(len(rows), (",".join(rows), ",".join(after)))

    found = check_frames(frames, 1, NO_CHANGES)

    expected = {" ".join(map(str, a)) for a in moves if move(rows, 1, a)[0] == after}
    assert {answer for _, answer in found.explanations[0].moves} == expected


# The formats


def test_the_grammar_is_strict_and_has_words_for_its_terminals() -> None:
    source = (ROOT / "parsers" / "slime.lark").read_text()
    grammar = Lark(source, parser="lalr", strict=True)

    assert {terminal.name for terminal in grammar.terminals} == set(read_words(source))


@pytest.mark.parametrize("claim", ["1,1,1,1", "4,10,22,28", "1,11,22,30", "1,1234,2345,3456"])
def test_four_numbers_after_the_last_turn_are_scores(claim: str) -> None:
    from kb_score.games.slime.read import Session, read_record

    session = read_record(f"1,1.2,...,3.4\n0 0 1 1\n{claim}\n\n")

    assert isinstance(session, Session)
    assert session.claimed == tuple(map(int, claim.split(",")))


def test_three_rows_of_three_squares_are_a_board_and_no_scores() -> None:
    from kb_score.games.slime.read import Session, read_record

    session = read_record("4,123,412,333\n0 0 0 0\n")

    assert isinstance(session, Session)
    assert session.boards == ("123,412,333",)
