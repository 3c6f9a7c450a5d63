"""picture.lp: which board is drawn, and what it points at."""

from __future__ import annotations

from tests.helpers import derive
from tests.rules.slime.squares import list_news, size

SESSION = ("rules session record session_check picture common/looks common/pictured", "open step")
FRAMES = ("rules record frames picture common/looks common/pictured", "step")
START, FIRST = "1.2 ... 3.4", "1.1 .1. 1.1"
MOVES = "answer((0,0),(1,1),1). turn(1..2). claimed_mover(1,1). claimed_mover(2,2). "


def draw(use: tuple[str, str], facts: str, *boards: str) -> tuple[str, set[tuple[object, ...]]]:
    """Draw a picture in a line, and say where it points."""
    files, lifted = use
    is_frames = use is FRAMES
    news = list_news(*boards, terminal="frame", first=0) if is_frames else list_news(*boards)
    text = f"{size(boards[0])} {facts} {news}"
    cells = sorted(derive("slime", files, text, "cell/3", turns=lifted))
    symbols = [str(symbol) for _, _, symbol in cells]
    rows = ("".join(symbols[i : i + 3]) for i in range(0, len(symbols), 3))
    return " ".join(rows), derive("slime", files, text, "highlight/2", turns=lifted)


def test_nothing_is_drawn_where_nothing_is_wrong() -> None:
    assert draw(SESSION, MOVES, START, FIRST) == ("", set())


def test_a_wrong_board_is_drawn_as_it_should_be() -> None:
    assert draw(SESSION, MOVES, START, "1.1 21. 1.1") == (FIRST, {(1, 0)})
    assert draw(SESSION, MOVES, START, "1.1 .1. 1.4") == (FIRST, {(2, 2)})


def test_a_replay_goes_on_from_what_is_printed() -> None:
    facts = f"{size(START)} {MOVES} {list_news(START, '1.1 21. 1.4')}"

    painted = derive("slime", f"{SESSION[0]} common/replayed", facts, "paints/4", turns=SESSION[1])

    corner = {(turn, symbol) for turn, r, c, symbol in painted if (r, c) == (2, 2)}
    side = {(turn, symbol) for turn, r, c, symbol in painted if (r, c) == (1, 0)}
    assert corner == {(1, "4"), (2, "1"), (3, "4")}
    assert side == {(1, "."), (2, "."), (3, "2")}


def test_a_wrong_outcome_is_drawn_as_the_board_at_the_end() -> None:
    facts = "answer((0,0),(1,1),1). turn(1). claimed_mover(1,1). "
    facts += "scores(1,1,1,1,1)."

    assert draw(SESSION, facts, START) == (FIRST, set())


def test_a_frame_that_no_move_explains_is_drawn_with_what_has_changed() -> None:
    wrong = "1.2 .1. 3.4"

    assert draw(FRAMES, "frames(0).", START, wrong) == (wrong, {(1, 1)})


def test_a_wrong_start_of_frames_is_drawn_as_it_is() -> None:
    excerpt = "11. ... 3.4"

    assert draw(FRAMES, "frames(0).", excerpt, FIRST) == (excerpt, {(0, 1), (0, 2)})
