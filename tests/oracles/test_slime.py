"""Slime in plain Python against the challenge's figures and boards worked out by hand."""

from itertools import product
from random import Random

import pytest

from tests.oracles.slime import (
    Answer,
    Board,
    Kind,
    Style,
    Turn,
    explanations,
    finished,
    legal_moves,
    move,
    parse_answer,
    random_game,
    scores,
    start_board,
)
from tests.oracles.slime_records import check_session, write_frames, write_session


def board(text: str) -> Board:
    """Write a board in one line, its rows apart by a blank."""
    return tuple(text.split())


# The challenge prints its figures with four rows of five; a fifth row, empty, changes nothing.
FIGURES = [
    pytest.param(
        "11.22 1..22 ..22. .....", (0, 1, 1, 2), "11.12 1.112 ..11. .....", "spread", id="spread"
    ),
    pytest.param(
        "11..2 1...2 ....2 ...22", (0, 1, 2, 3), "1...2 1...1 ...11 ...11", "jump", id="jump"
    ),
    pytest.param(
        "11..2 1.1.2 ....2 ..222", (0, 1, 1, 2), "1.112 11112 .1112 ..222", "merge", id="merge"
    ),
]


@pytest.mark.parametrize("more", ["", " ....."], ids=["as-printed", "made-square"])
@pytest.mark.parametrize(("before", "answer", "after", "kind"), FIGURES)
def test_move_gives_the_figure_of_the_challenge(
    before: str, answer: Answer, after: str, kind: Kind, more: str
) -> None:
    assert move(board(before + more), 1, answer) == (board(after + more), kind)


@pytest.mark.parametrize(("before", "answer", "after", "kind"), FIGURES)
def test_explanations_find_the_move_of_the_figure(
    before: str, answer: Answer, after: str, kind: Kind
) -> None:
    moved, found_kind = move(board(before), 1, answer)

    assert answer in explanations(board(before), moved, 1)
    assert (moved, found_kind) == (board(after), kind)


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        pytest.param((0, 0, 1, 1), "11122 .1... 1.... .....", id="spread-beside-three-of-five"),
        pytest.param((0, 0, 2, 2), ".2222 ..... 2.1.. .....", id="jump-beside-none"),
        pytest.param((0, 0, 2, 1), ".2222 ..... 11... .....", id="jump-beside-one"),
    ],
)
def test_new_slime_converts_only_the_squares_around_itself(answer: Answer, after: str) -> None:
    assert move(board("12222 ..... 2.... ....."), 1, answer)[0] == board(after)


def test_jump_over_enemies_leaves_those_beside_the_old_slime_alone() -> None:
    assert move(board("12... 2.... ..... ..... ....."), 1, (0, 0, 0, 2)) == (
        board(".11.. 2.... ..... ..... ....."),
        "jump",
    )


def test_conversion_does_not_wrap_around_the_edge() -> None:
    before = board("1..2 ...2 ...2 2222")

    assert move(before, 1, (0, 0, 1, 0))[0] == board("1..2 1..2 ...2 2222")


def test_conversion_takes_slime_of_every_enemy_and_keeps_ones_own() -> None:
    assert move(board("234 1.2 111"), 1, (1, 0, 1, 1)) == (board("111 111 111"), "spread")


def test_merge_fills_empty_squares_but_not_the_one_just_left() -> None:
    assert move(board("1... .1.. .... ...."), 1, (0, 0, 1, 1)) == (
        board(".11. 111. 111. ...."),
        "merge",
    )


def test_merge_converts_no_enemy() -> None:
    assert move(board("112 ... 3.4"), 1, (0, 0, 0, 1)) == (board(".12 111 3.4"), "merge")


def test_merge_without_empty_squares_around_only_loses_a_slime() -> None:
    assert move(board("112 222 ..."), 1, (0, 0, 0, 1)) == (board(".12 222 ..."), "merge")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="no-four-integers"),
        pytest.param((0, 0, 0, 0), id="onto-itself"),
        pytest.param((1, 1, 1, 2), id="from-an-empty-square"),
        pytest.param((0, 1, 1, 1), id="from-enemy-slime"),
        pytest.param((0, 0, 0, 1), id="onto-an-enemy-at-one"),
        pytest.param((0, 0, 2, 2), id="onto-an-enemy-at-two"),
        pytest.param((0, 0, 2, 0), id="onto-own-slime-at-two"),
        pytest.param((0, 0, 0, 3), id="too-far-along-a-row"),
        pytest.param((0, 0, 3, 1), id="too-far-along-a-column"),
        pytest.param((0, 0, -1, 0), id="off-the-north"),
        pytest.param((0, 0, 0, -1), id="off-the-west"),
        pytest.param((2, 0, 4, 0), id="off-the-south"),
        pytest.param((2, 3, 2, 4), id="off-the-east"),
        pytest.param((-2, 0, -1, 0), id="from-off-the-board"),
        pytest.param((0, 5, 1, 0), id="column-that-would-wrap-to-the-next-row"),
    ],
)
def test_anything_else_is_a_pass(answer: Answer | None) -> None:
    before = board("12.. .... 1.21 ....")

    assert move(before, 1, answer) == (before, "pass")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        pytest.param("0 1 2 3", (0, 1, 2, 3), id="plain"),
        pytest.param("  0\t1  2 3 ", (0, 1, 2, 3), id="any-blanks"),
        pytest.param("-1 +1 02 10", (-1, 1, 2, 10), id="signs-and-leading-zeros"),
        pytest.param("", None, id="blank"),
        pytest.param("pass", None, id="word"),
        pytest.param("0 1 2", None, id="three"),
        pytest.param("0 1 2 3 4", None, id="five"),
        pytest.param("0 1 2 3.0", None, id="fraction"),
        pytest.param("0,1,2,3", None, id="commas"),
        pytest.param("0 1 2 1_0", None, id="underscore"),
        pytest.param("0 1 2\u00a03", None, id="no-break-space"),
        pytest.param("0 1 2 " + "9" * 9999, None, id="endless-number"),
    ],
)
def test_answer_is_exactly_four_integers_or_a_pass(line: str, answer: Answer | None) -> None:
    assert parse_answer(line) == answer


@pytest.mark.parametrize(
    ("size", "start"),
    [
        pytest.param(2, "12 34", id="2x2"),
        pytest.param(3, "1.2 ... 3.4", id="3x3"),
        pytest.param(4, "1..2 .... .... 3..4", id="4x4"),
    ],
)
def test_start_board_has_a_slime_in_every_corner(size: int, start: str) -> None:
    assert start_board(size) == board(start)


def test_start_board_is_8_by_8_unless_said_otherwise() -> None:
    assert start_board() == start_board(8)


def test_start_board_refuses_a_single_square() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        start_board(1)


@pytest.mark.parametrize(
    ("rows", "turns", "over"),
    [
        pytest.param("12 34", 0, True, id="full-at-the-start"),
        pytest.param("111 111 111", 5, True, id="full"),
        pytest.param("111 1.1 111", 1999, False, id="one-empty-one-turn-left"),
        pytest.param("111 1.1 111", 2000, True, id="one-empty-no-turn-left"),
    ],
)
def test_game_ends_on_a_full_board_or_after_2000_turns(rows: str, turns: int, over: bool) -> None:
    assert finished(board(rows), turns) is over


def test_scores_count_squares_on_the_arena_of_the_challenge() -> None:
    arena = board("11111222 11111444 11.22444 .1222.4. 333.3244 33333.44 333...44 333....4")

    assert scores(arena) == (13, 9, 15, 14)


def test_legal_moves_of_a_corner_are_three_spreads_and_five_jumps() -> None:
    spreads = [(0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1)]
    jumps = [(0, 0, 0, 2), (0, 0, 1, 2), (0, 0, 2, 0), (0, 0, 2, 1), (0, 0, 2, 2)]

    assert legal_moves(start_board(8), 1) == sorted(spreads + jumps)


def test_legal_moves_are_none_without_slime() -> None:
    assert legal_moves(board("1.. ... 3.4"), 2) == []


@pytest.mark.parametrize("seed", range(20))
def test_legal_moves_are_all_answers_that_are_no_pass(seed: int) -> None:
    rng = Random(seed)
    rows = tuple("".join(rng.choices("1234.", k=4)) for _ in range(5))
    answers = [(a, b, c, d) for a, b, c, d in product(range(-1, 6), repeat=4)]

    assert legal_moves(rows, 1) == [a for a in answers if move(rows, 1, a)[1] != "pass"]


@pytest.mark.parametrize("seed", range(20))
def test_explanations_are_all_moves_with_that_effect(seed: int) -> None:
    rng = Random(seed)
    before = ("1...", *("".join(rng.choices("12..", k=4)) for _ in range(3)))
    moves = legal_moves(before, 1)
    after, _ = move(before, 1, rng.choice(moves))

    assert explanations(before, after, 1) == [a for a in moves if move(before, 1, a)[0] == after]


def test_explanation_of_an_unchanged_board_is_a_pass() -> None:
    assert explanations(start_board(4), start_board(4), 3) == [None]


def test_explanations_name_both_slimes_that_may_have_spread() -> None:
    assert explanations(board("1.. ... 1.2"), board("1.. 1.. 1.2"), 1) == [
        (0, 0, 1, 0),
        (2, 0, 1, 0),
    ]


@pytest.mark.parametrize(
    "after",
    [
        pytest.param("1.2 ... 3..", id="slime-vanishes"),
        pytest.param("1.2 .2. 3.4", id="somebody-else-spreads"),
        pytest.param("1.2 .1. 3.4", id="conversion-forgotten"),
        pytest.param("1..2 .... .... 3..4", id="board-grows"),
    ],
)
def test_explanations_are_none_for_a_change_that_no_move_makes(after: str) -> None:
    assert explanations(start_board(3), board(after), 1) == []


# A whole game on 3 x 3: a spread that converts all, passes, a merge, passes, a spread that fills.
SHORT = [
    Turn(1, board("1.2 ... 3.4"), "0 0 1 1", "spread", board("1.1 .1. 1.1")),
    Turn(2, board("1.1 .1. 1.1"), "0 2 1 2", "pass", board("1.1 .1. 1.1")),
    Turn(3, board("1.1 .1. 1.1"), "", "pass", board("1.1 .1. 1.1")),
    Turn(4, board("1.1 .1. 1.1"), "0 0 0 0", "pass", board("1.1 .1. 1.1")),
    Turn(1, board("1.1 .1. 1.1"), "0 0 1 1", "merge", board(".11 111 111")),
    Turn(2, board(".11 111 111"), "no", "pass", board(".11 111 111")),
    Turn(3, board(".11 111 111"), "no", "pass", board(".11 111 111")),
    Turn(4, board(".11 111 111"), "no", "pass", board(".11 111 111")),
    Turn(1, board(".11 111 111"), "0 1 0 0", "spread", board("111 111 111")),
]


def test_session_is_given_and_answered_lines_then_the_scores() -> None:
    assert write_session(SHORT).splitlines()[:6] == [
        "1,1.2,...,3.4",
        "0 0 1 1",
        "2,1.1,.1.,1.1",
        "0 2 1 2",
        "3,1.1,.1.,1.1",
        "",
    ]
    assert write_session(SHORT).endswith("1,.11,111,111\n0 1 0 0\n9 0 0 0\n")


def test_session_is_written_without_scores_on_demand() -> None:
    assert write_session(SHORT, scores=False) + "9 0 0 0\n" == write_session(SHORT)


def test_frames_run_from_the_start_to_the_final_board() -> None:
    assert write_frames(SHORT[:2]) == (
        "1.2\n...\n3.4\n\n"  # the start
        "1.1\n.1.\n1.1\n\n"  # the spread
        "1.1\n.1.\n1.1\n"  # the pass
    )


@pytest.mark.parametrize("claim", ["", "9 0 0 0\n", "9,0,0,0", "9 0 0 0\r\n\r\n"])
def test_session_of_a_whole_game_is_consistent(claim: str) -> None:
    assert check_session(write_session(SHORT, scores=False) + claim) == ((9, 0, 0, 0), True)


def test_session_that_stops_early_is_consistent_with_a_blank_last_answer() -> None:
    assert check_session(write_session(SHORT[:3], scores=False)) == ((5, 0, 0, 0), True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("1,1.2,...,3.4", "1,1.2,...,4.3", id="wrong-start"),
        pytest.param("2,1.1", "3,1.1", id="wrong-player"),
        pytest.param("4,.11,111,111", "4,111,111,111", id="wrong-board"),
        pytest.param("9 0 0 0", "8 1 0 0", id="wrong-result"),
        pytest.param("9 0 0 0", "2,111,111,111\n0 0 0 0\n9 0 0 0", id="after-the-end"),
    ],
)
def test_session_with_a_fault_is_inconsistent_but_derived_to_the_end(old: str, new: str) -> None:
    assert check_session(write_session(SHORT).replace(old, new, 1)) == ((9, 0, 0, 0), False)


def test_session_that_claims_scores_before_the_end_is_inconsistent() -> None:
    assert check_session(write_session(SHORT[:5])) == ((8, 0, 0, 0), False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("4 0 0 0\n", id="scores-only"),
        pytest.param("1,1.2,...,3.4\n", id="no-answer"),
        pytest.param("hello\nworld\n", id="prose"),
    ],
)
def test_text_that_is_no_session_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no turn|no answer|at least 2"):
        check_session(text)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
@pytest.mark.parametrize("style", ["random", "greedy", "mixed", "long"])
def test_random_game_is_a_consistent_session_that_its_frames_explain(
    style: Style, size: int
) -> None:
    turns = random_game(Random(size), size, max_turns=120, style=style)

    for number, turn in enumerate(turns):
        assert turn.player == number % 4 + 1
        assert not finished(turn.before, number)
        answer = None if turn.kind == "pass" else parse_answer(turn.answer)
        assert answer in explanations(turn.before, turn.after, turn.player)
    if turns:  # a 2 x 2 board is full at the start
        over = finished(turns[-1].after, len(turns))
        assert check_session(write_session(turns, scores=over)) == (scores(turns[-1].after), True)


def test_long_game_takes_2000_turns_and_one_more_is_too_many() -> None:
    turns = random_game(Random(1), style="long")
    one_more = [*turns, Turn(1, turns[-1].after, "0 0 0 0", "pass", turns[-1].after)]

    assert len(turns) == 2000
    assert all(all(scores(turn.after)) and sum(scores(turn.after)) <= 32 for turn in turns)
    assert check_session(write_session(turns)) == (scores(turns[-1].after), True)
    assert check_session(write_session(one_more)) == (scores(turns[-1].after), False)
