"""The one drawer: squares and hexes, brackets, and what is cut out of a large board."""

from __future__ import annotations

from kb_score.shell.picture import Drawing, draw


def board(rows: int, columns: int) -> dict[tuple[int, int], str]:
    return {(row, column): "." for row in range(rows) for column in range(columns)}


def test_squares_stand_in_columns_with_their_numbers() -> None:
    cells = {**board(2, 3), (1, 2): "A"}

    assert draw(Drawing(cells, frozenset({(1, 2)}))) == "   0  1  2\n0  .  .  .\n1  .  . [A]\n"


def test_every_second_row_of_hexes_is_shifted() -> None:
    drawn = draw(Drawing(board(2, 2)), hexes=True, width=4)

    assert drawn == "    0   1\n0  .   .\n1    .   .\n"


def test_a_place_that_nothing_is_drawn_at_is_blank() -> None:
    assert draw(Drawing({(0, 1): "x"})) == "   0  1\n0     x\n"


def test_of_a_large_board_the_surroundings_of_the_first_highlight_are_cut_out() -> None:
    drawn = draw(Drawing(board(100, 100), frozenset({(50, 60), (90, 3)})), cut_out=True)
    head, *rows = drawn.splitlines()

    assert [int(row.split()[0]) for row in rows] == [*range(44, 57)]
    assert head.split()[0] == "48"
    assert head.split()[-1] == "72"
    assert "[.]" in rows[6]


def test_near_an_edge_as_much_is_shown() -> None:
    drawn = draw(Drawing(board(100, 100), frozenset({(99, 0)})), cut_out=True)

    assert [int(row.split()[0]) for row in drawn.splitlines()[1:]] == [*range(87, 100)]


def test_a_small_board_is_shown_whole() -> None:
    assert len(draw(Drawing(board(5, 5), frozenset({(0, 0)})), cut_out=True).splitlines()) == 6


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw(Drawing({})) == ""
