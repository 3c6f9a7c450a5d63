"""Rabbits and crusher-bots in plain Python: each rule on the smallest map that shows it."""

from random import Random

import pytest

from tests.oracles.rabbits import EAST, NORTH, SOUTH, WEST, Run, parse_map
from tests.oracles.rabbits_situations import SEEDS, choices, corridor, situation

# Maps


def test_comments_empty_lines_and_blanks_around_a_line_are_no_part_of_a_map() -> None:
    station = parse_map("; a comment\n\n  #####\n  #s e#  \n;####\n#c###\n#####\n")

    assert station.rows == ("#####", "#s e#", "#c###", "#####")
    assert station.starts == ((1, 1),)
    assert station.exits == {(3, 1)}
    assert station.crusher_starts == ((1, 2),)
    assert station.exit_distance == {(3, 1): 0, (2, 1): 1, (1, 1): 2, (1, 2): 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "rectangle", id="nothing"),
        pytest.param("####\n#  #\n###", "rectangle", id="rows-differ"),
        pytest.param("###\n#x#\n###", "symbol", id="strange-symbol"),
        pytest.param("###\n#s#\n#e#", "edge", id="open-edge"),
    ],
)
def test_a_map_that_cannot_be_used_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_map(text)


# 1. Rabbits appear


@pytest.mark.parametrize(
    ("row", "after"),
    [
        pytest.param("#s  #", "#o  #", id="nobody-there"),
        pytest.param("#s X#", "#s X#", id="crusher-in-sight"),
        pytest.param("#soX#", "#soX#", id="a-rabbit-hides-no-crusher"),
        pytest.param("#s#X#", "#o#X#", id="a-wall-hides-a-crusher"),
        pytest.param("#sXX#", "#sXX#", id="crusher-behind-crusher"),
    ],
)
def test_a_rabbit_appears_in_a_start_unless_a_crusher_is_in_sight(row: str, after: str) -> None:
    run = situation(corridor(row))

    run.spawn()

    assert run.frame() == corridor(after)


def test_no_rabbit_appears_below_a_crusher() -> None:
    run = situation(corridor("#s#"))
    run.crushers = {(1, 1): NORTH}

    run.spawn()

    assert run.spawned == 0


def test_a_start_with_a_rabbit_gets_no_other() -> None:
    run = situation(corridor("#s #"))

    run.spawn()
    run.spawn()

    assert (run.spawned, run.rabbits) == (1, {(1, 1)})


# 2. Crushers turn


def test_a_crusher_turns_to_the_nearest_rabbit_in_sight() -> None:
    assert choices(corridor("#o  X o#"), (4, 1), heading=WEST) == {EAST}


def test_a_crusher_turns_to_any_of_the_nearest_rabbits_even_behind_it() -> None:
    assert choices(corridor("#o X o#"), (3, 1), heading=WEST) == {EAST, WEST}


def test_a_rabbit_hides_no_other_rabbit_but_is_the_nearer_one() -> None:
    assert choices(corridor("#oo X   o#"), (4, 1), heading=EAST) == {WEST}


def test_a_crusher_does_not_see_past_another_crusher() -> None:
    drawing = "\n".join(["######", "# ####", "#X Xo#", "# ####", "######"])

    assert choices(drawing, (1, 2), heading=NORTH) == {NORTH, EAST}


def test_a_crusher_does_not_see_past_a_wall() -> None:
    drawing = "\n".join(["#####", "# ###", "#X#o#", "# ###", "#####"])

    assert choices(drawing, (1, 2), heading=NORTH) == {NORTH}


def test_a_crusher_without_prey_goes_forward_left_or_right_but_not_back() -> None:
    crossing = "\n".join(["#####", "## ##", "# X #", "## ##", "#####"])

    assert choices(crossing, (2, 2), heading=NORTH) == {NORTH, EAST, WEST}
    assert choices(crossing, (2, 2), heading=EAST) == {NORTH, EAST, SOUTH}


@pytest.mark.parametrize(
    ("row", "heading", "chosen"),
    [
        pytest.param("#  X#", EAST, WEST, id="dead-end"),
        pytest.param("#  XX#", EAST, WEST, id="behind-another-crusher"),
        pytest.param("# X #", EAST, EAST, id="way-ahead"),
        pytest.param("#X  #", NORTH, EAST, id="way-to-the-right"),
        pytest.param("##X##", EAST, WEST, id="back-into-a-wall"),
    ],
)
def test_a_crusher_turns_back_only_if_all_else_is_blocked(
    row: str, heading: int, chosen: int
) -> None:
    cell = (row.index("X"), 1)

    assert choices(corridor(row), cell, heading=heading) == {chosen}


def test_all_crushers_turn_before_any_of_them_moves() -> None:
    # The left one finds its way ahead blocked, though the right one is about to leave.
    assert choices(corridor("# XX #"), (2, 1), heading=EAST) == {WEST}


def test_headings_at_the_start_are_random() -> None:
    station = parse_map(corridor("# c #"))

    assert {Run(station, Random(seed)).crushers[2, 1] for seed in SEEDS} == {0, 1, 2, 3}


# 3. Crushers move


def test_a_crusher_that_moves_onto_a_rabbit_crushes_it() -> None:
    run = situation(corridor("# Xo #"))

    assert run.crush() == (((2, 1), "crushes", (3, 1)),)
    assert (run.frame(), run.crushed) == (corridor("#  X #"), 1)


def test_a_crusher_that_moves_onto_a_free_cell_crushes_nobody() -> None:
    run = situation(corridor("#X  o#"))

    assert run.crush() == (((1, 1), "movesto", (2, 1)),)
    assert (run.frame(), run.crushed) == (corridor("# X o#"), 0)


def test_the_later_of_two_crushers_stays_and_keeps_its_new_heading() -> None:
    for seed in SEEDS:
        run = situation(corridor("#XoX#"), seed=seed)

        (action,) = run.crush()

        left_moved = action == ((1, 1), "crushes", (2, 1))
        assert left_moved or action == ((3, 1), "crushes", (2, 1))
        assert run.crushers == (
            {(2, 1): EAST, (3, 1): WEST} if left_moved else {(1, 1): EAST, (2, 1): WEST}
        )


def test_crushers_move_in_any_order() -> None:
    # Both go east: the left one (its only free way is back) if the right one has gone first.
    frames = set()
    for seed in SEEDS:
        run = situation(corridor("#XX o#"), heading=WEST, seed=seed)
        run.crush()
        frames.add(run.frame())

    assert frames == {corridor("#X Xo#"), corridor("# XXo#")}


# 4. What the program is told


def test_the_program_is_told_turns_actions_and_rabbits() -> None:
    run = situation(corridor("#Xo ooo#"))
    run.turns_left = 35

    run.crush()

    assert run.tell() == ("turnsleft 35", "crusher 1,1 crushes 2,1", "rabbits 4,1 5,1 6,1")


def test_empty_lists_are_told_as_the_controller_does() -> None:
    run = situation(corridor("#X#"))

    run.crush()

    assert run.tell() == ("turnsleft 500", "crusher ", "rabbits")


# 5. and 6. Rabbits move

COUNTERS = ("saved", "squished", "collided")


@pytest.mark.parametrize(
    ("row", "moves", "after", "counters"),
    [
        pytest.param("#o #", "1,1 to 2,1", "# o#", (0, 0, 0), id="free-cell"),
        pytest.param("#oe#", "1,1 to 2,1", "# e#", (1, 0, 0), id="exit-saves"),
        pytest.param("#oX#", "1,1 to 2,1", "# X#", (0, 1, 0), id="onto-crusher-destroyed"),
        pytest.param("#oeo#", "1,1 to 2,1; 3,1 to 2,1", "# e #", (2, 0, 0), id="two-into-an-exit"),
        pytest.param("#oo#", "1,1 to 2,1", "#  #", (0, 0, 2), id="onto-still-one-destroys-both"),
        pytest.param("#oo#", "1,1 to 2,1; 2,1 to 1,1", "#oo#", (0, 0, 0), id="swap"),
        pytest.param("#oo #", "1,1 to 2,1; 2,1 to 3,1", "# oo#", (0, 0, 0), id="one-behind-other"),
        pytest.param("#o o#", "1,1 to 2,1; 3,1 to 2,1", "#   #", (0, 0, 2), id="two-meet"),
        pytest.param(
            "#ooo#", "1,1 to 2,1; 3,1 to 2,1", "# o #", (0, 0, 2), id="two-meet-over-still"
        ),
        pytest.param("#o#", "1,1 to 1,0", "#o#", (0, 0, 0), id="into-a-wall"),
        pytest.param("#o  #", "1,1 to 3,1", "#o  #", (0, 0, 0), id="too-far"),
        pytest.param("#o #", "1,1 to 1,1", "#o #", (0, 0, 0), id="on-the-spot"),
        pytest.param("#o  #", "3,1 to 2,1", "#o  #", (0, 0, 0), id="no-rabbit"),
        pytest.param("#o  #", "1,1 to 2,1; 2,1 to 3,1", "# o #", (0, 0, 0), id="moved-already"),
        pytest.param("#o #", "1,1 to 1,0; 1,1 to 2,1", "# o#", (0, 0, 0), id="after-a-skipped-one"),
        pytest.param("#o #", "whatever", "#o #", (0, 0, 0), id="no-moves"),
    ],
)
def test_rabbits_move(row: str, moves: str, after: str, counters: tuple[int, ...]) -> None:
    run = situation(corridor(row))

    run.answer(f"move {moves}")

    assert run.frame() == corridor(after)
    assert tuple(getattr(run, name) for name in COUNTERS) == counters
    assert run.turns_left == 499


def test_an_exit_below_a_crusher_saves_nobody() -> None:
    run = situation(corridor("#oe#"))
    run.crushers = {(2, 1): NORTH}

    run.answer("move 1,1 to 2,1")

    assert (run.score, run.squished, run.rabbits) == (0, 1, set())


STAR = "\n".join(["#####", "##o##", "#o o#", "##o##", "#####"])
ALL_IN = ["2,1 to 2,2", "1,2 to 2,2", "3,2 to 2,2", "2,3 to 2,2"]


@pytest.mark.parametrize(
    ("arrivals", "in_pairs", "there", "collided"),
    [
        pytest.param(2, True, False, 2, id="two"),
        pytest.param(3, True, True, 2, id="third-survives"),
        pytest.param(4, True, False, 4, id="fourth-meets-third"),
        pytest.param(3, False, False, 3, id="ruling-third-destroyed"),
        pytest.param(4, False, False, 4, id="ruling-fourth-destroyed"),
    ],
)
def test_rabbits_that_arrive_in_one_cell_collide_in_pairs_unless_ruled_otherwise(
    arrivals: int, in_pairs: bool, there: bool, collided: int
) -> None:
    run = situation(STAR, collide_in_pairs=in_pairs)

    run.answer("move " + "; ".join(ALL_IN[:arrivals]))

    assert ((2, 2) in run.rabbits, run.collided) == (there, collided)
    assert len(run.rabbits) == 4 - arrivals + there


def test_a_third_rabbit_collides_with_one_that_stood_there() -> None:
    run = situation(STAR.replace("o o", "ooo"))

    run.answer("move " + "; ".join(ALL_IN[:3]))

    assert (run.rabbits, run.collided) == ({(2, 3)}, 4)
