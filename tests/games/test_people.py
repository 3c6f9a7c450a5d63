"""People at the table: ``--bot human`` in every game, at a terminal and through a pipe."""

from __future__ import annotations

import itertools
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.helpers import MEADOW, ROOT, STATION, run

BOARDS = ROOT / "boards"
PROMPT = re.compile(r"player \d+> $")


def python(*words: object) -> str:
    return " ".join(map(str, (sys.executable, *words)))


def read_slime(record: str) -> list[str]:
    lines = record.splitlines()
    return [answer for told, answer in itertools.pairwise(lines) if told[:2] == "1,"]


def read_moves(record: str) -> list[str]:
    return re.findall(r"^-+\n(.*)$", record, re.M)


def read_hops(record: str) -> list[str]:
    return re.findall(r"^rabbits.*\n(.*)$", record, re.M)


def read_turns(record: str) -> list[str]:
    return re.findall(r"^1 \w+: (.*)$", record, re.M)


GREEDY = python(BOARDS / "slime" / "bots" / "greedy.py")
SETTLER = python(BOARDS / "kingdom_builder" / "bots" / "greedy.py")
# The words of a game, the bot whose seat a person takes, the bots of the others, what reads the
# answers of player 1 in a record, an illegal answer and the code of the reason.
GAMES: dict[str, tuple[list[object], str, list[str], Callable[[str], list[str]], str, str]] = {
    "slime": (
        ["--size", 3, "--timeout", 20],
        GREEDY,
        [GREEDY] * 3,
        read_slime,
        "0 0 9 9",
        "off-board",
    ),
    "search-party": (
        [MEADOW],
        python(BOARDS / "search_party" / "bots" / "walker.py"),
        [],
        read_moves,
        "Q9.",
        "unknown-person",
    ),
    "rabbits": (
        [STATION, "--turns", 6, "--runs", 1, "--seed", 7, "--answer-time", 30],
        python(BOARDS / "rabbits" / "pathfinder.py"),
        [],
        read_hops,
        "move 0,0 to 0,1",
        "no-rabbit",
    ),
    "kingdom-builder": (
        ["--seed", 3, "--timeout", 60, "--const", "most_settlements=9"],
        SETTLER,
        [SETTLER],
        read_turns,
        "0,0 0,0 0,0",
        "wrong-terrain",
    ),
}


def sit_down(command: Sequence[object], answers: Sequence[str]) -> tuple[int, str]:
    """Type answers at a terminal, each at a prompt; return the exit status and what was shown."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "kb_score", *map(str, command)]
    typed, shown, since = iter(answers), "", ""
    with subprocess.Popen(
        words, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, cwd=ROOT
    ) as program:
        os.close(theirs)
        while True:
            try:
                data = os.read(ours, 1 << 16).decode()
            except OSError:  # the other end is closed
                break
            shown, since = shown + data, since + data
            if PROMPT.search(since):
                since = ""
                # Ctrl-D where there is nothing left to say.
                os.write(ours, f"{next(typed, chr(4))}".encode() + b"\n")
        status = program.wait()
    os.close(ours)
    return status, shown.replace("\r\n", "\n")


@pytest.mark.parametrize("game", GAMES)
def test_a_person_who_types_what_a_bot_answered_plays_the_same_game(
    game: str, tmp_path: Path
) -> None:
    words, bot, others, read, illegal, code = GAMES[game]
    records = [tmp_path / "bot.txt", tmp_path / "person.txt"]
    seats = [word for other in others for word in ("--bot", other)]
    ran = run("play", game, *words, "--bot", bot, *seats, "--record", records[0])
    assert (ran.status, ran.err) == (0, "")
    answers = read(records[0].read_text())
    assert len(answers) > 1

    status, shown = sit_down(
        ["play", game, *words, "--bot", "human", *seats, "--record", records[1]],
        ["?", illegal, *answers],
    )

    assert status == 0, shown
    assert re.findall(r"^no: .*", shown, re.M) == re.findall(f"^no: .*{code}.*", shown, re.M)
    assert len(re.findall(r"^no: ", shown, re.M)) == 1
    listed, _, _ = shown.split("player 1> ", 2)[1].partition("turn 1")
    assert re.search(r"\d", listed)
    assert records[1].read_text() == records[0].read_text()


@pytest.mark.parametrize("game", GAMES)
def test_a_person_who_leaves_gives_up_the_seat_in_words(game: str) -> None:
    words, _, others, _, _, _ = GAMES[game]
    seats = [word for other in others for word in ("--bot", other)]

    ran = run("play", game, *words, "--bot", "human", *seats, given="")

    assert ran.status == (1 if game == "search-party" else 0)
    assert "has given up the seat" in ran.err
