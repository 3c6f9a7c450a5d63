"""What a live game leaves and shows: the page that plays it, and the board on a terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from base64 import b64decode
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kb_score.arena.watch import open_watch
from kb_score.shell.output import complain
from kb_score.shell.picture import TextBoard
from tests.games.contract import Example
from tests.games.examples import each_game
from tests.games.rabbits.example import EXAMPLE as RABBITS
from tests.helpers import ASP, MEADOW, ROOT, Ran, need_pictures, run, write_copy

WALKER = ("--", sys.executable, ROOT / "boards" / "search_party" / "bots" / "walker.py")
# What stands above and in the last picture of a game that is watched.
WATCHED = {
    "search-party": ("finished after 9 turns, 100 % searched, 1 alive", "o o o o o o "),
    "rabbits": ("run 2, turn 6 of 6, ", "# # # # "),
    "slime": ("finished after 6 turns, squares of players 1 to 4: ", "1 1 1"),
}


def read_page(page: str) -> dict[str, Any]:
    """Read the data of a page back."""
    (packed,) = re.findall(r'id="data">([^<]*)<', page)
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(packed)))
    return data


def write_bot(tmp_path: Path, *answers: str) -> tuple[object, ...]:
    """Write a bot for the search party that gives some answers and ends; return its words."""
    path = tmp_path / "bot.py"
    path.write_text(
        f"import sys\nfor answer in {answers!r}:\n    for line in sys.stdin:\n"
        "        if line.startswith('-'):\n            print(answer, flush=True)\n"
        "            break\n"
    )
    return "--", sys.executable, path


Lived = tuple[Ran, Path, Path]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Example], Lived]:
    """What plays each game once, and gives the record and the page that it leaves."""
    played: dict[str, Lived] = {}

    def play(game: Example) -> Lived:
        if game.game not in played:
            folder = tmp_path_factory.mktemp("live")
            record, page = folder / "session.txt", folder / "game.html"
            words = ("--record", record, "--replay", page, "--watch", "--format", "json")
            played[game.game] = game.play(*words), record, page
        return played[game.game]

    return play


@pytest.mark.slow
@each_game
def test_the_page_of_a_game_is_that_of_its_record(
    game: Example, live: Callable[[Example], Lived]
) -> None:
    ran, record, page = live(game)

    assert ran.status == 0
    replayed = run("replay", game.game, *game.starts, record, *game.const)
    assert page.read_text() == replayed.out
    data = read_page(page.read_text())
    assert data["violations"] == []
    (found,) = game.check(record, *game.const).json
    # Of rabbits there is no picture of the end.
    assert len(data["steps"]) == found["result"]["turns"] + (game.game != "rabbits")


@pytest.mark.parametrize(("move", "steps", "violations"), [("@6.", 3, []), ("Q6.", 2, [2])])
def test_a_game_that_stops_early_has_its_page_with_the_move_that_ends_it(
    move: str, steps: int, violations: list[int], tmp_path: Path
) -> None:
    page = tmp_path / "game.html"

    ran = run("play", "search-party", MEADOW, "--replay", page, *write_bot(tmp_path, "@1.", move))

    data = read_page(page.read_text())
    assert (ran.status, len(data["steps"])) == (1, steps)
    assert [turn for turn, _, _ in data["violations"]] == violations
    assert all("unknown-person" in words for _, _, words in data["violations"])


def test_an_animation_of_a_game_is_written(tmp_path: Path) -> None:
    need_pictures()
    made = tmp_path / "game.gif"

    ran = run("play", "search-party", MEADOW, "--replay", made, *WALKER)

    assert ran.status == 0
    assert made.read_bytes().startswith(b"GIF89a")


@pytest.mark.parametrize("name", ["page.pdf", "nowhere/page.html", "folder.html", "session.html"])
@each_game
def test_a_page_that_cannot_be_written_starts_no_bot(
    game: Example, name: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.html").mkdir()
    mark = tmp_path / "started"
    record = tmp_path / "session.html"

    ran = game.play("--record", record, "--replay", tmp_path / name, bot=f"touch {mark}")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{tmp_path / name}: ")
    assert not mark.exists()
    assert {path.name for path in tmp_path.iterdir()} <= {"folder.html", "session.html"}


def test_an_animation_without_its_libraries_starts_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    mark = tmp_path / "started"

    ran = run(
        "play", "search-party", MEADOW, "--replay", tmp_path / "game.gif", "--", "touch", mark
    )

    assert (ran.status, ran.out) == (2, "")
    assert "pip install 'kb-score[pictures]'" in ran.err
    assert not mark.exists()


def read_some(terminal: int) -> bytes:
    """What a terminal got meanwhile; nothing at its end."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed.
        return b""


class Terminal:
    """A command whose standard error is a terminal; its standard output is a pipe, if not too."""

    def __init__(
        self, *words: object, columns: int = 80, lines: int = 24, both: bool = False
    ) -> None:
        self.ours, theirs = os.openpty()
        size = {"COLUMNS": str(columns), "LINES": str(lines), "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kb_score", *map(str, words)],
            stdout=theirs if both else subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **size},
        )
        os.close(theirs)
        self.raw = b""

    def read(self, until: bytes = b"\0") -> None:
        """Read what the terminal gets, up to some bytes or to the end."""
        while until not in self.raw and (some := read_some(self.ours)):
            self.raw += some

    def end(self) -> tuple[int, str]:
        """Wait for the end; returns the exit status, and what went to standard output."""
        self.read()
        os.close(self.ours)
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, (out or b"").decode()

    def lines(self) -> list[str]:
        """The lines of all pictures, one after the other, without colours."""
        plain = re.sub(rb"\x1b\[[\d;?]*[A-Za-z]", b"", self.raw).decode()
        return [line.rstrip("\r") for line in re.split(r"[\r\n]+", plain)]

    def shows_cursor(self) -> bool:
        return self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l") >= 0


on_terminals = pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")


@pytest.mark.slow
@on_terminals
@each_game
def test_a_game_is_watched_to_its_end(game: Example) -> None:
    words = ("play", game.game, *game.starts, *game.play_starts, *game.options)
    bots = ("--bot", game.bot) * game.seats
    terminal = Terminal(*words, "--format", "json", "--watch", *bots)

    status, out = terminal.end()

    assert (status, json.loads(out)["game"]) == (0, game.game)
    assert terminal.shows_cursor()
    lines = terminal.lines()
    last, row = WATCHED.get(game.game, ("finished after ", ""))
    end = max(number for number, line in enumerate(lines) if line.startswith(last))
    assert any(line.startswith(row) for line in lines[end + 1 :] if line), lines[end:]


@pytest.mark.slow
@on_terminals
def test_symbols_have_the_colours_of_the_rules() -> None:
    terminal = Terminal("play", "search-party", MEADOW, "--watch", *WALKER)

    terminal.end()

    # Vermillion is #d55e00; the star is written in black on it.
    assert b"\x1b[38;2;0;0;0;48;2;213;94;0m@ \x1b[0m" in terminal.raw


@pytest.mark.slow
@on_terminals
def test_a_users_look_is_that_of_the_terminal(tmp_path: Path) -> None:
    name = "search_party/picture/picture.lp"
    source = (ASP / name).read_text()
    text = source.replace("piece(P,vermillion,", "piece(P,purple,")
    assert text != source
    write_copy(tmp_path, name, text)
    terminal = Terminal("play", "search-party", MEADOW, "--watch", "--rules", tmp_path, *WALKER)

    terminal.end()

    assert b"48;2;204;121;167m@ " in terminal.raw
    assert b"48;2;213;94;0m" not in terminal.raw


@pytest.mark.slow
@on_terminals
def test_a_large_map_is_cut_around_the_star(tmp_path: Path) -> None:
    rows = [["."] * 90 for _ in range(40)]
    rows[30][70] = "S"
    path = tmp_path / "map.txt"
    path.write_text("90 40 1 1\n" + "".join("".join(row) + "\n" for row in rows))
    words = ("play", "search-party", path, "--watch", "--", sys.executable, "-c", "")
    terminal = Terminal(*words, columns=30, lines=12)

    status, _ = terminal.end()

    assert status == 1
    shown = [line for line in terminal.lines() if len(line) > 20 and set(line) <= set(".o@Aa")]
    assert shown
    assert all(len(line) == 30 for line in shown)
    assert [line.index("@") for line in shown if "@" in line] == [15] * sum(
        "@" in line for line in shown
    )
    assert any("@" in line for line in shown)
    # A title, 10 rows, and a line for the cursor.
    assert len(shown) % 10 == 0


@pytest.mark.slow
@on_terminals
def test_results_and_messages_stand_above_the_board() -> None:
    words = ("play", "rabbits", *RABBITS.starts, *RABBITS.options, "--bot", RABBITS.bot)
    terminal = Terminal(*words, "--watch", both=True)
    passing = ("--const", "last_turn=4", *["--bot", "echo no; true"] * 4)
    passes = Terminal("play", "slime", "--size", 3, *passing, "--watch", both=True)

    assert terminal.end() == (0, "")
    assert passes.end() == (0, "")

    rows = [line.split() for line in terminal.lines()]
    assert ["Run", "Seed", "Score"] in rows
    assert ["2", "5", "0"] in rows
    said = [line for line in passes.lines() if "counted as a pass" in line]
    assert len(said) == 4
    assert all(line.startswith(f"warning: turn {turn}: ") for turn, line in enumerate(said, 1)), (
        said
    )


@pytest.mark.slow
@on_terminals
def test_the_board_is_not_drawn_in_the_middle_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    ours, theirs = os.openpty()
    got: list[bytes] = []
    reader = Thread(target=lambda: got.extend(iter(partial(read_some, ours), b"")))
    reader.start()

    with os.fdopen(theirs, "w") as terminal, redirect_stderr(terminal), open_watch({}) as show:
        show("turn 1", lambda: TextBoard(["...", "..."]))
        complain("word " * 200_000)  # It takes longer than the next picture is away.
    reader.join()
    os.close(ours)

    # Before anything is written after a board, its three lines are wiped away.
    _, *boards = b"".join(got).split(b"turn 1")
    assert [board.count(b"\x1b[2K") for board in boards] == [3] * (len(boards) - 1) + [0]


@pytest.mark.slow
@on_terminals
def test_an_interrupt_gives_the_terminal_back_and_leaves_a_page(tmp_path: Path) -> None:
    record, page = tmp_path / "session.txt", tmp_path / "game.html"
    # The second answer never comes.
    bot = ("--", sys.executable, "-c", "print('@1.', flush=True); import time; time.sleep(60)")
    words = ("play", "search-party", MEADOW, "--watch", "--record", record, "--replay", page)
    terminal = Terminal(*words, *bot)
    terminal.read(until=b"turn 2,")

    terminal.process.send_signal(signal.SIGINT)
    began = time.monotonic()
    status, out = terminal.end()

    assert (status, out) == (130, "")
    assert time.monotonic() - began < 20
    assert terminal.shows_cursor()
    assert page.read_text() == run("replay", "search-party", MEADOW, record).out
    assert len(read_page(page.read_text())["steps"]) == 2


@each_game
def test_where_there_is_no_terminal_it_is_said_once(
    game: Example, live: Callable[[Example], Lived]
) -> None:
    ran, _, _ = live(game)

    assert ran.status == 0
    assert ran.err.count("--watch: standard error is not a terminal, so nothing is drawn") == 1
    assert len(ran.json) == 1
