"""A live view of a game: its board is redrawn in place on a terminal while it is played."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.shell.output import complain
from kb_score.shell.picture import PLAIN, Look, TextBoard, window
from kb_score.shell.svg import COLOURS, check_looks, find_ink

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

_RUN = re.compile(r"(.)\1*", re.DOTALL)

# Draws a title, and the board that a function returns.
Show = Callable[[str, Callable[[], TextBoard]], object]


@contextmanager
def open_watch(looks: Mapping[str, Look]) -> Iterator[Show]:
    """Yield a function that draws a game on the terminal of standard error.

    A thread of rich does the drawing, so the game never waits. It draws ten boards a second and
    skips the others, but always draws the last one.
    """
    check_looks(looks)
    if not sys.stderr.isatty():
        complain("--watch: standard error is not a terminal, so nothing is drawn", kind="note")
        yield lambda _title, _board: None
        return
    from rich.console import Console
    from rich.live import Live

    live = Live(
        console=Console(stderr=True),
        refresh_per_second=10,
        vertical_overflow="crop",
        redirect_stdout=False,
        redirect_stderr=False,
    )

    def draw(title: str, make_board: Callable[[], TextBoard]) -> None:
        scene = _Scene(title, make_board(), looks)
        live.update(scene)

    with live, _print_above(live):
        yield draw


@contextmanager
def _print_above(live: Live) -> Iterator[None]:
    """Print other output above the board, if it goes to a terminal."""
    from rich.file_proxy import FileProxy

    class Above(FileProxy):
        """A stream that prints above the board."""

        encoding = "utf-8"  # Click bypasses a stream without an encoding.

        def write(self, text: str) -> int:
            """Print text while the board is not being drawn."""
            with live._lock:  # keeps rich's thread from drawing while this finds the board's top
                return super().write(text)

    out = Above(live.console, sys.stdout) if sys.stdout.isatty() else sys.stdout
    with redirect_stderr(Above(live.console, sys.stderr)), redirect_stdout(out):
        yield


@dataclass(frozen=True, slots=True)
class _Scene:
    """A title and a board, which rich prints cut to the size of the terminal."""

    title: str
    board: TextBoard
    looks: Mapping[str, Look]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the title and the lines of the board."""
        from rich.segment import Segment
        from rich.style import Style
        from rich.text import Text

        yield Text(self.title, "bold", no_wrap=True, overflow="ellipsis")
        rows = self.board.rows
        middle_row, middle_column = self.board.middle
        columns = max(map(len, rows), default=0)
        # Places that are two characters wide are about square.
        room = options.max_width
        is_wide = 2 * columns + self.board.hexes <= room
        if is_wide:
            room //= 2
        shown = window(middle_column, room, columns)
        codes = self._code_colours()
        styles = [Style(color=find_ink(colour), bgcolor=COLOURS[colour]) for colour in COLOURS]
        # One line is left for the title, and one for the cursor.
        for row in window(middle_row, console.size.height - 2, len(rows)):
            symbols = rows[row][shown.start : shown.stop]
            if is_wide and self.board.hexes and row % 2:
                yield Segment(" ")
            # Neighbours of the same colour are printed at once.
            for run in _RUN.finditer(symbols.translate(codes)):
                text = symbols[run.start() : run.end()]
                if is_wide:
                    text = " ".join(text) + " "
                yield Segment(text, styles[ord(run[1])])
            yield Segment.line()

    def _code_colours(self) -> Mapping[int, str]:
        """Return a table that translates symbols into the numbers of their colours."""
        numbers = {colour: chr(number) for number, colour in enumerate(COLOURS)}
        codes: defaultdict[int, str] = defaultdict(lambda: numbers[PLAIN.colour])
        for symbol, look in self.looks.items():
            if len(symbol) == 1:
                codes[ord(symbol)] = numbers[(look.piece or look).colour]
        return codes
