"""People at the table: ``--bot human`` in every game, at a terminal and through a pipe."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pytest

from tests.helpers import MEADOW, ROOT, STATION, run

BOARDS = ROOT / "boards"
PROMPT, OR_END = r"(player \d+|Anna|Ben)(, or end)?> ", r"(player \d+|Anna|Ben), or end> "


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
ANY_MOVE = python(BOARDS / "kingdom_builder" / "bots" / "any_move.py")
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
        ["--seed", 3, "--timeout", 60, "--const", "most_settlements=4"],
        ANY_MOVE,
        [ANY_MOVE],
        read_turns,
        "0,0 0,0 0,0",
        "wrong-terrain",
    ),
}


def sit_down(*command: object) -> pexpect.spawn[str]:
    words = ["-m", "kb_score", "play", *map(str, command)]
    return pexpect.spawn(sys.executable, words, cwd=str(ROOT), encoding="utf-8", timeout=120)


def ask(table: pexpect.spawn[str], line: str) -> str:
    """Type a line, and return what is shown before the next prompt, without the line itself."""
    table.sendline(line)
    table.expect(PROMPT)
    return str(table.before).replace("\r\n", "\n").partition("\n")[2]


def play_on(table: pexpect.spawn[str], lines: Sequence[str]) -> str:
    """Answer the prompt with the first line, and each further turn with one; return the screen."""
    typed, shown, found = iter(lines), "", 1
    while found < 2:
        table.sendline(next(typed) if found else "end")
        found = table.expect([OR_END, PROMPT, pexpect.EOF])
        shown += str(table.before)
    table.close()
    return shown


@pytest.mark.slow
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

    table = sit_down(game, *words, "--bot", "human", *seats, "--record", records[1])
    table.expect(PROMPT)
    listed, helped, refused = ask(table, "?"), ask(table, "help"), ask(table, illegal)
    shown = play_on(table, answers)

    assert "A turn is" in helped
    assert re.search(r"\d", listed)
    assert re.match(f"no: .*{code}", refused)
    assert (table.exitstatus, "no: " in shown) == (0, False), shown
    assert records[1].read_text() == records[0].read_text()


@pytest.mark.parametrize("game", GAMES)
def test_a_person_who_leaves_gives_up_the_seat_in_words(game: str) -> None:
    words, _, others, _, _, _ = GAMES[game]
    seats = [word for other in others for word in ("--bot", other)]

    ran = run("play", game, *words, "--bot", "human", *seats, given="")

    assert ran.status == (1 if game == "search-party" else 0)
    assert "has left the game" in ran.err


KINGDOM = ["kingdom-builder", "--seed", 3, "--const", "most_settlements=4"]


@pytest.mark.slow
def test_two_persons_take_parts_of_a_turn_back_and_leave_a_record_with_their_names(
    tmp_path: Path,
) -> None:
    record = tmp_path / "game.txt"
    people = ["--bot", "human", "--bot", "human", "--names", "Anna,Ben"]
    table = sit_down(*KINGDOM, *people, "--record", record)
    table.expect("Anna> ")

    start = ask(table, "undo")
    one, two, back = ask(table, "6,18"), ask(table, "6,19"), ask(table, "undo")
    early = ask(table, "end")
    other = ask(table, "6,19 7,18")
    table.sendline("quit")
    table.expect(pexpect.EOF)
    table.close()

    assert "nothing to take back" in start
    assert (one, one == two) == (back, False)
    assert "no: too-few (player 1)" in early
    assert "turn 2, Ben, card " in other
    assert "the game was not finished: Ben ended the game" in str(table.before)
    assert table.exitstatus == 1
    assert record.read_text().endswith(
        "% player 1: Anna\n% player 2: Ben\n1 desert: 6,18 6,19 7,18\n"
    )
    checked = run("check", "kingdom-builder", record, *KINGDOM[3:])
    assert checked.status == 0, checked.out


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_person_who_presses_ctrl_c_ends_the_game_with_the_prompt_alone_on_the_screen(
    game: str,
) -> None:
    words, _, others, _, _, _ = GAMES[game]
    table = sit_down(game, *words, "--bot", "human", *[w for o in others for w in ("--bot", o)])
    table.expect(PROMPT)
    table.sendintr()
    table.expect(pexpect.EOF)
    table.close()

    assert (table.exitstatus, table.signalstatus) in {(130, None), (None, 2)}
    assert "Traceback" not in str(table.before)
