"""Where a live game goes: its session to a file, the page that plays it, the terminal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import click

from kb_score.errors import KbScoreError
from kb_score.games.pictures import Follow, check_ending, save_replay
from kb_score.shell.ends import Ended
from kb_score.shell.files import check_whole, open_output
from kb_score.shell.options import record_option
from kb_score.shell.raster import check_libraries
from kb_score.shell.watch import Show, open_watch, show_nothing

Write = Callable[[str], object]

_replay_option = click.option(
    "--replay", metavar="FILE", help="Write the game as a page to FILE: .html, or .gif."
)
_watch_option = click.option(
    "--watch", is_flag=True, help="Draw the game on the terminal while it is played."
)


@dataclass(frozen=True, slots=True)
class Stage:
    """What the options of ``play`` ask for.

    Attributes:
        record: The file for the session, if there is one.
        replay: The file for the page that plays the game, if there is one.
        watch: Whether the game is drawn on the terminal.
    """

    record: str | None
    replay: str | None
    watch: bool

    @property
    def outputs(self) -> list[str]:
        """The files that are written."""
        return [path for path in (self.record, self.replay) if path is not None]

    @contextmanager
    def open_session(self, follow: Follow | None, inputs: Sequence[str]) -> Iterator[Write]:
        """Yield a function that takes the session piece by piece; the page is written at the end.

        Of a game that a signal ends there is a page if that can be made of it in time.

        Args:
            follow: Draws each turn of a session: takes its name and its text, as a pair; None for
                a game without pictures.
            inputs: The files that the command uses, which are not written to.

        Raises:
            KbScoreError: A file cannot be written, in which case the game should not begin.
        """
        inputs = list(inputs)
        pieces: list[str] = []

        def save() -> None:
            if self.replay is not None and follow is not None:
                session = self.record or "live game", "".join(pieces)
                save_replay(follow(session), self.replay, inputs)

        if self.replay is not None:
            check_ending(self.replay, ".html", ".gif")
            check_whole(self.replay, [*inputs, *filter(None, [self.record])])
            if self.replay.lower().endswith(".gif"):
                check_libraries()
        with open_output(self.record, inputs) as write:

            def keep(text: str) -> None:
                write(text)
                if self.replay is not None:
                    pieces.append(text)

            try:
                yield keep
            except Ended:
                with suppress(KbScoreError):
                    save()
                raise
        save()

    def open_watch(
        self, follow: Follow | None, *blank: tuple[str, str]
    ) -> AbstractContextManager[Show]:
        """Open what shows the game, if that is asked for.

        Args:
            follow: As for `open_session`; it tells how symbols look.
            blank: What it takes to draw a game without a turn.
        """
        looks = follow(*blank).looks if self.watch and follow is not None else None
        return nullcontext(show_nothing) if looks is None else open_watch(looks)


def stage_options(*, pictured: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--record``, and for pictures ``--replay`` and ``--watch``, handed on as a `Stage`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command(
            record: str | None, replay: str | None = None, watch: bool = False, **others: Any
        ) -> Any:
            return function(stage=Stage(record, replay, watch), **others)

        shown = _replay_option(_watch_option(command)) if pictured else command
        return record_option(shown)

    return decorate
