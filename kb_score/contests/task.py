"""One game of a contest as a task: played by a process that need not be on this machine."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.contests.plan import find_arena
from kb_score.engine.run import GameRules
from kb_score.errors import InputError, say_failure
from kb_score.games.sitting import Field, Seat, Sitting
from kb_score.shell.files import is_plain_file
from kb_score.shell.programs import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kb_score.contests.entrants import Entrant
    from kb_score.contests.plan import Plan
    from kb_score.contests.schedule import Match
    from kb_score.engine.run import Changes
    from kb_score.games.sitting import Outcome

# What is kept of a bot's error stream in one game: the end of it.
MAX_LOG = 1 << 18
_REASON = re.compile(r"\[Errno -?\d+\] ([^:]*)(: .*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Task:
    """A game that is to be played.

    Attributes:
        game: The game's folder.
        changes: The user's changes of the rules.
        match: Which game of the contest it is.
        bots: The bots of players 1 and so on.
        home: The folder in which bots run that have none.
        field: What is played on.
        settings: The numbers that the game depends on.
        words: The texts that the game depends on.
    """

    game: str
    changes: Changes
    match: Match
    bots: tuple[Entrant, ...]
    home: Path
    field: Field
    settings: Mapping[str, int | float]
    words: Mapping[str, str]

    def __str__(self) -> str:
        names = ", ".join(bot.name for bot in self.bots)
        return f"game {self.match.number + 1} of {names}"


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played, with the end of what each bot wrote to its error stream."""

    outcome: Outcome
    logs: tuple[bytes, ...]


def make_task(plan: Plan, match: Match, changes: Changes) -> Task:
    """Make the task of a game."""
    return Task(
        game=plan.game,
        changes=changes,
        match=match,
        bots=tuple(plan.bots[seat] for seat in match.seats),
        home=plan.home,
        field=plan.fields[match.field],
        settings=plan.settings,
        words=plan.words,
    )


def play_task(task: Task) -> Played:
    """Play a game.

    Raises:
        KbScoreError: A bot cannot be started, a folder cannot be copied, or the rules cannot be
            used.
    """
    arena, rules = find_arena(task.game), GameRules(task.game, task.changes)
    with _seat_all(task.bots, task.home) as seats:
        sitting = Sitting(seats, task.field, task.match.seed, task.settings, task.words)
        outcome = arena.play(sitting, rules)
        # What a bot said is kept elsewhere; where it lies now is gone in a moment.
        stays = tuple(replace(s, detail=s.detail.partition("\n")[0]) for s in outcome.stays)
        outcome = replace(outcome, stays=stays)
        return Played(outcome, tuple(_read_log(seat.logs / "bot.log") for seat in seats))


@contextmanager
def _seat_all(bots: Sequence[Entrant], home: Path) -> Iterator[list[Seat]]:
    """Give each bot a folder for its words, and a copy of its own folder, for this game alone.

    Games run side by side, and a game that is interrupted is played again: what a bot has noted
    down must not come from another game.
    """
    with ExitStack() as folders:
        # Nobody is to find what is beside his own folder.
        words = _make_base(folders)
        seats = []
        for number, bot in enumerate(bots, 1):
            logs, folder = words / f"{number}-words", home
            logs.mkdir()
            if bot.folder is not None:
                folder = _make_base(folders) / "bot"
                _copy(bot.folder, folder)
            seat = Seat(bot.name, bot.command, folder, logs, bot.limits, bot.persistent)
            seats.append(seat)
        yield seats


def _make_base(folders: ExitStack) -> Path:
    try:
        return folders.enter_context(make_folder())
    except OSError as error:
        name = str(error.filename or "a temporary folder")
        raise InputError(name, say_failure(error)) from error


def _copy(folder: Path, to: Path) -> None:
    try:
        shutil.copytree(folder, to, symlinks=False)
    except (OSError, shutil.Error) as error:
        said = say_failure(error)
        if isinstance(error, shutil.Error):
            # Python tells of each file in a text of its own.
            name, _, reason = error.args[0][0]
            plain = _REASON.sub(r"\1", reason).lower()
            said = f"{name}: {plain}"
        raise InputError(str(folder), f"cannot be copied for a game: {said}") from error


def _read_log(path: Path) -> bytes:
    try:
        # A bot may have put something else there, which never ends or leads elsewhere.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(number, "rb") as stream:  # noqa: PTH123
            if not is_plain_file(stream):
                return b""
            size = os.fstat(number).st_size
            stream.seek(max(0, size - MAX_LOG))
            end = stream.read(MAX_LOG)
    except OSError:
        return b""  # it has said nothing
    left_out = f"[{size - MAX_LOG} bytes before this are left out]\n".encode()
    return (left_out if size > MAX_LOG else b"") + end
