"""A game on a terminal while it is played: its board is drawn again and again at one place."""

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

# Takes a line about the game, and what makes its board.
Show = Callable[[str, Callable[[], TextBoard]], object]


@contextmanager
def open_watch(looks: Mapping[str, Look]) -> Iterator[Show]:
    """Yield a function that draws a game on the terminal of standard error.

    Drawing is the work of rich's thread, so that the game never waits for it; boards that follow
    each other faster than pictures are left out, but the last one is drawn.
    """
    check_looks(looks)
    if not sys.stderr.isatty():
        complain("--watch: standard error is no terminal, nothing is drawn", kind="note")
        yield lambda _title, _board: None
        return
    from rich.console import Console
    from rich.live import Live

    live = Live(
        console=Console(stderr=True), refresh_per_second=10, vertical_overflow="crop",
        redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
    with live, _print_above(live):
        yield lambda title, board: live.update(_Scene(title, board(), looks))


@contextmanager
def _print_above(live: Live) -> Iterator[None]:
    """Let what is printed meanwhile stand above the board, if it goes to a terminal."""
    from rich.file_proxy import FileProxy

    class Above(FileProxy):
        encoding = "utf-8"  # Click goes round a stream that does not say it.

        def write(self, text: str) -> int:
            with live._lock:  # Else rich's thread draws while this finds where the board begins.
                return super().write(text)

    out = Above(live.console, sys.stdout) if sys.stdout.isatty() else sys.stdout
    with redirect_stderr(Above(live.console, sys.stderr)), redirect_stdout(out):
        yield


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
        kinds |= {ord(s): inks[(k.piece or k).colour] for s, k in self.looks.items() if len(s) == 1}
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
