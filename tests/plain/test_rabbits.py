"""Rabbits and crusher-bots in plain Python: each rule on the smallest map that shows it."""

from random import Random

import pytest

from benchmarks.plain.rabbits import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Policy,
    Run,
    cautious,
    parse_map,
    random_walk,
    towards_exit,
)
from benchmarks.plain.rabbits_records import (
    check_session,
    follow_run_log,
    play,
    random_map,
    write_run_log,
    write_session,
)

SEEDS = range(40)  # enough for each of three choices to turn up
POLICIES = [towards_exit, cautious, random_walk]


def situation(
    drawing: str, *, heading: int = NORTH, seed: int = 0, collide_in_pairs: bool = True
) -> Run:
    """Set up a run from a frame, in which corridor is below each ``X`` and ``o``."""
    run = Run(
        parse_map(drawing.replace("X", " ").replace("o", " ")), Random(seed), collide_in_pairs
    )
    rows = [line.strip() for line in drawing.split("\n") if line.strip()]
    marks = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    run.rabbits = {cell for cell, mark in marks.items() if mark == "o"}
    run.crushers = {cell: heading for cell, mark in marks.items() if mark == "X"}
    return run


def corridor(row: str) -> str:
    """Put walls above and below one row."""
    return "\n".join(["#" * len(row), row, "#" * len(row)])


def choices(drawing: str, cell: tuple[int, int], *, heading: int) -> set[int]:
    """Collect what a crusher chooses, over many seeds."""
    chosen = set()
    for seed in SEEDS:
        run = situation(drawing, heading=heading, seed=seed)
        run.turn_crushers()
        chosen.add(run.crushers[cell])
    return chosen


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


# Sessions


def session(*turns: str) -> str:
    """Write turns given as ``left|actions|rabbits|moves``; the moves may be missing."""
    words = ("turnsleft", "crusher", "rabbits", "move")
    lines = [
        f"{word} {part}".rstrip()
        for turn in turns
        for word, part in zip(words, turn.split("|"), strict=False)
    ]
    return "\n".join(lines) + "\n"


TWO_STEPS = ("2||1,1|1,1 to 2,1", "1||2,1 1,1|2,1 to 3,1")


def two_runs(*claims: int) -> str:
    """Write runs of those two turns, each with the score that is claimed for it."""
    runs = enumerate(claims, start=1)
    return "".join(f"run {n} seed 7\n{session(*TWO_STEPS)}score {claim}\n" for n, claim in runs)


@pytest.mark.parametrize(
    ("text", "saved", "consistent"),
    [
        pytest.param(session(*TWO_STEPS), 1, True, id="no-score"),
        pytest.param(session(*TWO_STEPS) + "score 1", 1, True, id="right-score"),
        pytest.param(session(*TWO_STEPS) + "score 2", 1, False, id="wrong-score"),
        pytest.param(session(TWO_STEPS[0]), 0, True, id="stops-early"),
        pytest.param(session(TWO_STEPS[0], "1||1,1 2,1") + "score 0", 0, True, id="late-answer"),
        pytest.param(
            session(TWO_STEPS[0], "5||1,1 2,1|2,1 to 3,1"), 1, False, id="wrong-turnsleft"
        ),
        pytest.param(session(*TWO_STEPS, "0||1,1|"), 1, False, id="after-the-last-turn"),
        pytest.param(session("2|||1,1 to 2,1", TWO_STEPS[1]), 1, False, id="rabbit-not-told"),
        pytest.param(session("2||1,1 3,1|"), 0, False, id="rabbit-that-is-not-there"),
        pytest.param(session("2|2,1 movesto 3,1|1,1|"), 0, False, id="crusher-that-is-not-there"),
        pytest.param(two_runs(1, 1), 2, True, id="two-runs"),
        pytest.param(two_runs(2, 1), 2, False, id="two-runs-with-the-score-of-both-at-the-first"),
    ],
)
def test_a_session_without_crushers_is_played_again(
    text: str, saved: int, consistent: bool
) -> None:
    assert check_session(parse_map(corridor("#s e#")), text) == (saved, consistent)


@pytest.mark.parametrize(
    ("row", "turns", "consistent"),
    [
        pytest.param("#c#", ["2|||", "1|||"], True, id="shut-in"),
        pytest.param("#c #", ["1|||"], False, id="must-leave-a-dead-end"),
        pytest.param("#c #", ["2|1,1 movesto 2,1||", "1|2,1 movesto 1,1||"], True, id="turns-back"),
        pytest.param("# c #", ["1|2,1 movesto 1,1||"], True, id="first-heading-unknown"),
        pytest.param(
            "#c  #", ["2|1,1 movesto 2,1||", "1|2,1 movesto 1,1||"], False, id="turns-without-need"
        ),
        pytest.param("#c  #", ["1|1,1 movesto 3,1||"], False, id="too-far"),
        pytest.param("#c  #", ["1|1,1 movesto 1,0||"], False, id="into-a-wall"),
        pytest.param(
            "#c  #", ["1|1,1 movesto 2,1; 2,1 movesto 3,1||"], False, id="moves-twice-a-turn"
        ),
        pytest.param(
            "#cc #", ["1|2,1 movesto 3,1; 1,1 movesto 2,1||"], True, id="after-the-one-ahead"
        ),
        pytest.param(
            "#cc #", ["1|1,1 movesto 2,1; 2,1 movesto 3,1||"], False, id="before-the-one-ahead"
        ),
        pytest.param("#cc #", ["1|2,1 movesto 3,1||"], True, id="had-its-turn-before"),
        pytest.param(
            "# cc#",
            ["2|2,1 movesto 1,1; 3,1 movesto 2,1||", "1|2,1 movesto 3,1||"],
            True,
            id="in-the-dead-end-had-its-turn-before",
        ),
        pytest.param("#c c#", ["1|1,1 movesto 2,1||"], True, id="both-wanted-one-cell"),
        pytest.param("#c c#", ["1|||"], False, id="one-of-both-gets-it"),
    ],
)
def test_the_crushers_of_a_session_must_be_possible(
    row: str, turns: list[str], consistent: bool
) -> None:
    assert check_session(parse_map(corridor(row)), session(*turns)) == (0, consistent)


JUNCTION = "\n".join(["#######", "###  ##", "#  c c#", "#######"])


@pytest.mark.parametrize(
    ("action", "consistent"),
    [
        pytest.param("3,2 movesto 3,1", True, id="turns-left"),
        pytest.param("3,2 movesto 2,2", False, id="turns-back"),
    ],
)
def test_a_crusher_that_stood_still_had_turned_to_what_stopped_it(
    action: str, consistent: bool
) -> None:
    # In the first turn only the way east was blocked, so the left one has been heading east.
    text = session("2|5,2 movesto 4,2||", f"1|{action}; 4,2 movesto 4,1||")

    assert check_session(parse_map(JUNCTION), text) == (0, consistent)


def test_a_crusher_moves_once_a_turn_even_where_another_one_was() -> None:
    station = parse_map("\n".join(["######", "## ###", "#cc  #", "######"]))
    twice = "2,2 movesto 2,1; 1,2 movesto 2,2; 2,2 movesto 3,2"

    assert check_session(station, session(f"1|{twice[:32]}||")) == (0, True)
    assert check_session(station, session(f"1|{twice}||")) == (0, False)


# The crusher can only come out of its side way; then it sees the rabbit that has left the start.
HUNT = "\n".join(["######", "#s   #", "###c##", "######"])


@pytest.mark.parametrize(
    ("turn", "consistent"),
    [
        pytest.param("1|3,1 crushes 2,1||", True, id="crushed"),
        pytest.param("1|3,1 movesto 2,1||", False, id="crushed-but-said-to-move"),
        pytest.param("1|3,1 crushes 2,1|2,1|", False, id="crushed-but-still-told"),
        pytest.param("1|3,1 movesto 4,1|2,1|", False, id="crusher-flees-from-its-prey"),
        pytest.param("1||2,1|", False, id="crusher-waits"),
        pytest.param("1|3,1 crushes 2,1|1,1|", False, id="new-rabbit-in-sight-of-the-crusher"),
    ],
)
def test_a_crusher_must_hunt(turn: str, consistent: bool) -> None:
    text = session("2|3,2 movesto 3,1|1,1|1,1 to 2,1", turn)

    assert check_session(parse_map(HUNT), text) == (0, consistent)


def test_a_false_crush_is_no_crush() -> None:
    station = parse_map(corridor("#c #"))

    assert check_session(station, session("1|1,1 crushes 2,1||")) == (0, False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("turnsleft 1\nrabbits\nmove\n", id="a-line-missing"),
        pytest.param("turnsleft 1\ncrusher 1,1 eats 2,1\nrabbits\nmove\n", id="strange-action"),
    ],
)
def test_what_is_no_session_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a turn has|no action"):
        check_session(parse_map(corridor("#c #")), text)


# Run logs

EXIT_GUARDED = "\n".join(["######", "#s  e#", "####c#", "######"])
# Two turns with a single step of the rabbit: after it the crusher, now on the exit, sees the start.
LOG = """Running: controller.py m.txt 2 7 1 prog
######
#o  e#
####X#
######


######
#so X#
####c#
######


Total Score: 0
"""


def test_a_run_log_has_a_frame_for_each_turn_before_the_crushers_move() -> None:
    record = play(parse_map(EXIT_GUARDED), 2, Random(0), lambda _: "move 1,1 to 2,1")

    assert write_run_log([record], ["m.txt", "2", "7", "1", "prog"]) == LOG


@pytest.mark.parametrize(
    ("old", "new", "possible"),
    [
        pytest.param("", "", True, id="as-it-was"),
        pytest.param("#so X#", "#soXe#", False, id="crusher-jumps"),
        pytest.param("#so X#\n####c#", "#so X#\n####X#", False, id="crusher-from-nowhere"),
        pytest.param("#so X#", "#s oX#", False, id="rabbit-jumps"),
        pytest.param("#so X#", "#oo X#", False, id="rabbit-from-nowhere"),
        pytest.param("#so X#", "#s  X#", True, id="rabbit-gone"),
        pytest.param("#o  e#", "#s  e#", False, id="no-rabbit-in-a-free-start"),
        pytest.param("####X#", "#  #X#", False, id="wall-gone"),
        pytest.param("Score: 0", "Score: 1", False, id="nobody-can-have-been-saved"),
    ],
)
def test_two_frames_of_a_run_log_may_contradict_each_other(
    old: str, new: str, possible: bool
) -> None:
    log = LOG.replace(old, new, 1)

    assert follow_run_log(parse_map(EXIT_GUARDED), log)[1] is possible


def test_a_rabbit_that_vanishes_beside_an_exit_may_have_been_saved() -> None:
    station = parse_map(corridor("#se#"))
    frames = f"{corridor('#oe#')}\n\n\n" * 2

    for total, possible in ((0, True), (2, True), (3, False)):
        log = f"Running: controller.py m.txt 2 7 1 prog\n{frames}Total Score: {total}\n"
        assert follow_run_log(station, log) == (2, possible)


@pytest.mark.parametrize(
    ("row", "frames", "turns", "possible"),
    [
        pytest.param("#s   e#", "#o   e#, #oo  e#, #ooo e#", 3, True, id="queue"),
        pytest.param("#s   e#", "#o   e#, #so  e#", 2, False, id="free-start-left-empty"),
        pytest.param("#s   e#", "#o   e#, #oo  e#", 1, False, id="rabbit-of-another-run"),
        pytest.param(
            "#s   e#", "#o   e#, #oo  e#, #o o e#, #ooooe#", 4, False, id="three-out-of-two"
        ),
        pytest.param("#c  c#", "#X  X#, #cXXc#", 2, True, id="both-crushers-move"),
        pytest.param("#c  c#", "#X  X#, #cXXc#", 1, False, id="new-run-with-moved-crushers"),
        pytest.param("#c c#", "#X X#, #cXc#", 2, False, id="crusher-lost"),
        pytest.param("#cc   #", "#XX   #, #cX  X#", 2, False, id="crusher-from-far"),
        pytest.param("# c  c#", "# X  X#, #XX  c#", 2, False, id="crusher-gone-far"),
    ],
)
def test_a_run_log_in_a_corridor(row: str, frames: str, turns: int, possible: bool) -> None:
    drawn = [f"{corridor(frame)}\n\n\n" for frame in frames.split(", ")]
    head = f"Running: controller.py m.txt {turns} 7 {len(drawn) // turns} prog"

    log = f"{head}\n{''.join(drawn)}Total Score: 0\n"

    assert follow_run_log(parse_map(corridor(row)), log)[1] is possible


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("\n\n\n######", "\nx\n\n######", id="first-gap-not-empty"),
        pytest.param("\n\n\n######", "\n\nx\n######", id="second-gap-not-empty"),
        pytest.param("Running:", "Walking:", id="head"),
        pytest.param("Total", "Some", id="tail"),
        pytest.param("m.txt 2", "m.txt 3", id="frame-missing"),
        pytest.param("\n\n\n######", "\n\n######", id="empty-line-missing"),
    ],
)
def test_what_is_no_run_log_is_refused(old: str, new: str) -> None:
    with pytest.raises(ValueError, match=r"run log|not 1 runs"):
        follow_run_log(parse_map(EXIT_GUARDED), LOG.replace(old, new, 1))


# Whole runs


@pytest.mark.parametrize("policy", POLICIES)
def test_every_rabbit_has_one_fate(policy: Policy) -> None:
    for seed in range(10):
        rng = Random(seed)
        end = play(random_map(rng, 19, 8), 60, rng, policy).end

        fates = end.saved + end.crushed + end.squished + end.collided + len(end.rabbits)
        assert end.spawned == fates


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("in_pairs", [True, False])
def test_what_is_played_can_be_checked(policy: Policy, in_pairs: bool) -> None:
    for seed in range(10):
        rng = Random(seed)
        station = random_map(rng, 19, 8, starts=2, exits=2, crushers=3)
        records = [play(station, 40, rng, policy, collide_in_pairs=in_pairs) for _ in range(2)]
        saved = sum(record.end.saved for record in records)
        log = write_run_log(records, ["m.txt", "40", "1", "2", "prog"])

        session_verdict = check_session(station, write_session(records), collide_in_pairs=in_pairs)
        most, possible = follow_run_log(station, log)

        assert session_verdict == (saved, True)
        assert possible
        assert most >= saved


def test_a_large_map_is_played_through() -> None:
    rng = Random(1)
    station = random_map(rng, 65, 30, starts=5, exits=2, crushers=5)

    record = play(station, 100, rng, cautious)

    assert check_session(station, write_session([record])) == (record.end.saved, True)
    assert record.end.saved > 0


def test_the_cautious_program_loses_no_rabbit_by_its_own_moves() -> None:
    for seed in range(20):
        rng = Random(seed)
        end = play(random_map(rng, 19, 8), 60, rng, cautious).end

        assert (end.squished, end.collided) == (0, 0)


def test_the_random_program_makes_every_kind_of_odd_request() -> None:
    rng = Random(0)
    station = random_map(rng, 9, 8, starts=3, exits=1, crushers=1)
    found = set()
    for turn in play(station, 300, rng, random_walk).turns:
        rabbits = set(turn.told[2].split()[1:])
        moves = [tuple(move.split(" to ")) for move in turn.answer[5:].split("; ") if move]
        sources, goals = [move[0] for move in moves], [move[-1] for move in moves]
        found |= {"missing rabbit" for source in sources if source not in rabbits}
        found |= {"second move" for source in sources if sources.count(source) > 1}
        found |= {"three to one cell" for goal in goals if goals.count(goal) > 2}
        found |= {"swap" for move in moves if move[::-1] in moves and {*move} <= rabbits}
        for goal in goals:
            x, y = map(int, goal.split(","))
            found |= {"into a wall"} if (x, y) in station.walls else set()

    assert found == {"missing rabbit", "second move", "three to one cell", "swap", "into a wall"}
