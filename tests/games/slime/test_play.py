"""Slime as it is played: turns by the rules, the command ``play slime``, the reference bots."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kb_score.shell.bots import Bot
from tests.games.slime.games import begin, check, find_position
from tests.helpers import ROOT, Ran, run
from tests.oracles.slime import Answer, finished, legal_moves, move, parse_answer, start_board
from tests.oracles.slime import scores as count

BOTS = ROOT / "boards" / "slime" / "bots"
EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "12"))
# On a busy machine Python alone may need half a second to start.
PATIENT = ("--timeout", "20", "--grace", "1")
ONE_TURN = ("--size", "3", "--const", "last_turn=1", "--format", "csv")


# Turns


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_game_starts_with_a_slime_in_every_corner(size: int) -> None:
    match = begin(size)

    assert match.picture().rows == list(start_board(size))
    assert (match.mover, match.turn, match.finished) == (1, 0, size == 2)
    assert match.result()["squares"] == [1, 1, 1, 1]


@st.composite
def boards(draw: st.DrawFn) -> tuple[str, ...]:
    size = draw(st.integers(2, 7))
    squares = st.text(st.sampled_from("1234.."), min_size=size, max_size=size)
    return tuple(draw(st.lists(squares, min_size=size, max_size=size)))


@pytest.mark.slow
@settings(max_examples=5 * EXAMPLES, deadline=None)
@given(boards(), st.integers(1, 4), st.data())
def test_a_turn_is_what_the_simulator_makes_of_it(
    rows: tuple[str, ...], player: int, data: st.DataObject
) -> None:
    size = len(rows)
    anything = st.tuples(*[st.integers(-1, size)] * 4)
    moves = legal_moves(rows, player)
    answer: Answer = data.draw(st.sampled_from(moves) | anything if moves else anything)

    session = f"{player},{','.join(rows)}\n{' '.join(map(str, answer))}\n"
    # A full board ends the game before the turn.
    assume(not finished(rows, 0))

    verdict = check(session, "--turns-before", 4 + player - 1)

    after, kind = move(rows, player, answer)
    assert verdict["violations"] == []
    assert [made for made, counts in verdict["counts"].items() if sum(counts)] == [kind]
    assert verdict["result"]["squares"] == list(count(after))
    assert verdict["result"]["finished"] == finished(after, player)
    board, _ = find_position(session.replace(f"{player},", "1,", 1), 2)
    assert player > 1 or board == ",".join(after)


@pytest.mark.slow
def test_games_can_be_played_side_by_side() -> None:
    def play_turns(_: int) -> str:
        match = begin(4)
        for _ in range(8):
            match.answer("0 0 1 1")
        return match.tell()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(play_turns, range(10)))) == 1


# The command


def play(*bots: str, options: tuple[str, ...] = PATIENT) -> Ran:
    return run("play", "slime", *(word for bot in bots for word in ("--bot", bot)), *options)


def shell(script: str) -> str:
    """A command whose added argument is $1 of a script."""
    return f"sh -c '{script}' bot"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param("yes 0 0 1 1", "printed more than", id="endless"),
        pytest.param('printf "\\\\377\\\\376\\\\0"', "not four numbers", id="binary"),
        pytest.param("sleep 3; echo 0 0 1 1", "the limit is 2.00 s", id="late"),
        pytest.param('trap "" TERM; sleep 60 & wait; sleep 60', "was stopped", id="stubborn"),
    ],
)
def test_a_bot_that_fails_passes_with_a_warning_and_the_game_goes_on(
    script: str, message: str, tmp_path: Path
) -> None:
    record = tmp_path / "session.txt"
    options = ("--timeout", "1", "--grace", "2", "--kill", "1", "--size", "3")
    words = (*options, "--const", "last_turn=4", "--record", str(record))

    ran = play(shell(script), *[shell("echo 0 0 0 0")] * 3, options=words)

    assert ran.status == 0
    assert "warning: turn 1: player 1 " in ran.err
    assert message in ran.err
    assert record.read_text().startswith("% const last_turn=4\n1,1.2,...,3.4\n")
    assert record.read_text().endswith("1 1 1 1\n")
    assert run("check", "slime", record, "--const", "last_turn=4").status == 0


def test_what_a_bot_starts_ends_with_its_turn(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    bot = shell(f"(sleep 1; touch {mark}) >/dev/null & echo 0 0 1 1")

    play(bot, *[shell("echo 0 0 0 0")] * 3, options=(*PATIENT, "--const", "last_turn=4"))
    time.sleep(1.2)

    assert not mark.exists()


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo 0 0 1 1; sleep 60 &", id="a-child-holds-its-output"),
        pytest.param("echo 0 0 1 1; exec >&-; sleep 60", id="it-closes-its-output"),
    ],
)
def test_a_bot_has_answered_once_it_ends_or_closes_its_output(script: str) -> None:
    ran = play(*[shell(script)] * 4, options=(*PATIENT, *ONE_TURN))

    assert (ran.csv[0]["spread"], ran.err) == ("1", "")


@pytest.mark.slow
def test_a_board_may_be_as_large_as_records_allow(tmp_path: Path) -> None:
    record = tmp_path / "session.txt"
    options = ("--size", "256", "--const", "last_turn=1", "--record", str(record))

    assert play(*["echo 0 0 1 1 #"] * 4, options=(*PATIENT, *options)).status == 0
    assert run("check", "slime", record, "--const", "last_turn=1").status == 0
    assert play(*["true"] * 4, options=("--size", "257")).status == 2


def ask(bot: str, line: str) -> str:
    """Start a reference bot for a turn; return its answer."""
    command = [sys.executable, str(BOTS / f"{bot}.py"), line]
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    ).stdout.removesuffix("\n")


@pytest.mark.parametrize("bot", ["greedy", "anywhere", "jumper", "brain"])
def test_a_reference_bot_answers_with_a_legal_move(bot: str) -> None:
    board = "11111222,11111444,11.22444,.1222.4.,333.3244,33333.44,333...44,333....4"

    assert parse_answer(ask(bot, f"3,{board}")) in legal_moves(tuple(board.split(",")), 3)


def test_the_persistent_reference_bot_plays_as_greedy_does_line_by_line() -> None:
    lines = ["3,1.2,...,3.4", "1,11.,11.,333", "2,1..,...,3.4"]

    with Bot([sys.executable, str(BOTS / "steady.py")]) as bot:
        assert [bot.ask(f"{line}\n", 60) for line in lines] == [
            ask("greedy", line) for line in lines
        ]


@pytest.mark.slow
def test_a_long_game_takes_no_more_memory_than_a_short_one() -> None:
    match = begin(40)
    for turn in range(60):
        match.answer("0 0 1 1" if turn % 2 else "39 39 38 38")
        if turn == 19:
            before = resident()

    # Before turns shared their terms, each took a megabyte.
    assert resident() - before < 20 << 20


def resident() -> int:
    """The memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
