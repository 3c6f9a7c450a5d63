"""A game on a terminal while it is played: its board is drawn again and again at one place."""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING

from kb_score.shell.marks import COLOURS
from kb_score.shell.output import complain
from kb_score.shell.picture import PLAIN, Look, TextBoard, window
from kb_score.shell.svg import check_looks, find_ink

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

_PAUSE = 1 / 15  # seconds from a picture to the next, at least
_SHARE = 30  # drawing takes at most this part of the time
_RUN = re.compile(r"(.)\1*", re.DOTALL)

# Takes a line about the game, and what makes its board.
Show = Callable[[str, Callable[[], TextBoard]], object]


@contextmanager
def open_watch(looks: Mapping[str, Look]) -> Iterator[Show]:
    """Yield a function that draws a game on the terminal of standard error.

    Drawing is the work of a thread, so that the game never waits for it; boards that follow each
    other faster than pictures are left out, but the last one is drawn.
    """
    check_looks(looks)
    if not sys.stderr.isatty():
        complain("--watch: standard error is no terminal, nothing is drawn", kind="note")
        yield lambda _title, _board: None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    live = Live(
        console=console, auto_refresh=False, vertical_overflow="crop",
        redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
    turns = RLock()  # to write to the terminal, one thread after the other
    with live, _print_above(console, turns):
        painter = _Painter(live, looks, turns)
        thread = Thread(target=painter.run, daemon=True)
        thread.start()
        try:
            yield painter.show
        finally:
            painter.close()
            thread.join()
            painter.draw()


@contextmanager
def _print_above(console: Console, turns: RLock) -> Iterator[None]:
    """Let what is printed meanwhile stand above the board, if it goes to a terminal."""
    from rich.file_proxy import FileProxy

    class Above(FileProxy):
        """A stream that says its encoding, as click expects: else click goes round it."""

        encoding = "utf-8"

        def write(self, text: str) -> int:
            with turns:
                return super().write(text)

        def flush(self) -> None:
            with turns:
                super().flush()

    with redirect_stderr(Above(console, sys.stderr)):
        shared = sys.stdout.isatty()
        with redirect_stdout(Above(console, sys.stdout)) if shared else nullcontext():
            yield


class _Painter:
    """Draws the latest board, as often as its thread has time for it."""

    def __init__(self, live: Live, looks: Mapping[str, Look], turns: RLock) -> None:
        self._live, self._looks, self._turns = live, looks, turns
        self._latest: tuple[str, TextBoard] | None = None
        self._news, self._closed = Event(), Event()

    def show(self, title: str, board: Callable[[], TextBoard]) -> None:
        self._latest = title, board()
        self._news.set()

    def close(self) -> None:
        self._closed.set()
        self._news.set()

    def run(self) -> None:
        while not self._closed.is_set():
            self._news.wait()
            self._news.clear()
            began = time.thread_time()
            self.draw()
            self._closed.wait(max(_PAUSE, _SHARE * (time.thread_time() - began)))

    def draw(self) -> None:
        if not self._latest:
            return
        with self._turns:
            self._live.update(_Scene(*self._latest, self._looks), refresh=True)


@dataclass(frozen=True, slots=True)
class _Scene:
    """A title and a board, cut to the size of the terminal, as rich prints it."""

    title: str
    board: TextBoard
    looks: Mapping[str, Look]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment
        from rich.style import Style
        from rich.text import Text

        yield Text(self.title, "bold", no_wrap=True, overflow="ellipsis")
        rows, middle = self.board.rows, self.board.middle
        columns = max(map(len, rows), default=0)
        # Places are about square if they are two characters wide.
        wide = 2 if 2 * columns + self.board.hexes <= options.max_width else 1
        shown = window(middle[1], options.max_width // wide, columns)
        # Symbols become characters that stand for colours: what has one colour is printed at once.
        inks = {colour: chr(number) for number, colour in enumerate(COLOURS)}
        kinds: defaultdict[int, str] = defaultdict(lambda: inks[PLAIN.colour])
        kinds |= {ord(s): inks[look.colour] for s, look in self.looks.items() if len(s) == 1}
        styles = [Style(color=find_ink(colour), bgcolor=COLOURS[colour]) for colour in COLOURS]
        # One line is left for the title, and one for the cursor.
        for row in window(middle[0], console.size.height - 2, len(rows)):
            symbols = rows[row][shown.start : shown.stop]
            if self.board.hexes and row % 2 and wide > 1:
                yield Segment(" ")
            for run in _RUN.finditer(symbols.translate(kinds)):
                same = symbols[run.start() : run.end()]
                text = same if wide == 1 else f"{' '.join(same)} "
                yield Segment(text, styles[ord(run[1])])
            yield Segment.line()
