"""Rabbits and crusher-bots in plain Python: records, and whole runs."""

from random import Random

import pytest

from tests.oracles.rabbits import Policy, cautious, parse_map, random_walk, towards_exit
from tests.oracles.rabbits_records import (
    check_session,
    follow_run_log,
    play,
    random_map,
    write_run_log,
    write_session,
)
from tests.oracles.rabbits_situations import corridor

POLICIES = [towards_exit, cautious, random_walk]


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
