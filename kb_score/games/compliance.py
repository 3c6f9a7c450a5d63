"""One bot put through the odd cases of its protocol: the common part of all games' ``bot``.

A game says its cases: how to come to a position, and a way of asking. The rules judge what the bot
answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from kb_score.errors import FormatError
from kb_score.shell.bots import Bot, BotFailure

FINE, NOT_ASKED = "fine", "not-asked"
LATE, ILLEGAL, CRASHED, UNREPEATABLE = "late", "illegal", "crashed", "not-repeatable"

# What a failure of a bot is called.
_FAILURES = {"late": LATE, "ended": CRASHED, "too-long": ILLEGAL}
_FLUSH_TIME = 0.5  # seconds for an answer that comes only when nothing more is said


class Asked(Protocol):
    """A bot that has been started, such as `kb_score.shell.bots.Bot`."""

    def ask(self, text: str, timeout: float) -> str:
        """Send a text and get a line within the timeout, in seconds; else a BotFailure."""

    def tell_words(self) -> str:
        """Tell what it has written to its error stream by now, in lines that begin on a new one."""


class Exam(Protocol):
    """A game at a position, as `kb_score.games.referee.LiveGame` is one."""

    @property
    def finished(self) -> bool:
        """Whether it is over."""

    def tell(self) -> str:
        """Write the text for the bot before a turn, or at the end."""

    def answer(self, line: str) -> Sequence[str]:
        """Play a turn by a line; return why it is illegal, if it is. It may raise a FormatError."""


class Fault(Exception):
    """The bot does not pass a case."""

    def __init__(self, verdict: str, detail: str) -> None:
        self.verdict = verdict
        super().__init__(detail)


class NotAsked(Exception):
    """There is nothing to ask in a case: the text says why."""


@dataclass(frozen=True, slots=True)
class Times:
    """How many seconds a bot has.

    Attributes:
        first: For its first answer.
        answer: For each other answer.
        end: To end itself when its input is closed.
    """

    first: float
    answer: float
    end: float


@dataclass(slots=True)
class Talk:
    """What is said in a case.

    Attributes:
        times: How long the bot may take.
        said: The texts that the bot was told.
        answered: The line that answered each of them; None where there was none.
        seconds: The longest time that it took for an answer or for its end.
        errors: What the bot wrote to its error stream.
    """

    times: Times
    said: list[str] = field(default_factory=list)
    answered: list[str | None] = field(default_factory=list)
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)

    @contextmanager
    def meet(self, start: Start) -> Iterator[Asked]:
        """Start a bot, and listen to its error stream at the end."""
        with start() as bot:
            try:
                yield bot
            finally:
                self.errors += [
                    w.removeprefix("    | ") for w in bot.tell_words().splitlines() if w
                ]

    def ask(self, bot: Asked, text: str, timeout: float) -> str:
        """Tell the bot a text, and get its answer."""
        if self.said and isinstance(bot, Bot):
            _check_step(bot)
        self.said.append(text)
        self.answered.append(None)
        try:
            with self._clock():
                line = bot.ask(text, timeout)
        except BotFailure as failure:
            hint = _find_hint(bot, timeout) if failure.kind == "late" else ""
            ending = " instead of answering" if failure.kind == "ended" else ""
            detail = f"{failure.detail}{hint}{ending}"
            raise Fault(_FAILURES[failure.kind], detail) from failure
        self.answered[-1] = line
        return line

    def play(self, bot: Asked, exam: Exam, most: int) -> str:
        """Have the bot play at most some turns, or to the end of the game; say how many."""
        if exam.finished:
            raise NotAsked("the game is over before a turn")
        time_, turns = self.times.first, 0
        while not exam.finished and turns < most:
            line, turns = self.ask(bot, exam.tell(), time_), turns + 1
            time_ = self.times.answer
            where = f"answer {turns}: " if most > 1 else ""
            try:
                reasons = exam.answer(line)
            except FormatError as error:
                raise Fault(ILLEGAL, f"{where}cannot be read: {error.message}") from error
            if reasons:
                raise Fault(ILLEGAL, where + "; ".join(reasons))
        return count(turns) if most > 1 else ""

    def say_end(self, bot: Bot, text: str) -> None:
        """Tell the bot a text that needs no answer."""
        self.said.append(text)
        self.answered.append(None)
        try:
            bot.send(text, self.times.answer)
        except BotFailure as failure:
            # A bot may end as soon as it can know that the game is over.
            if failure.kind != "ended" or bot.wait_for_end(self.times.end) != 0:
                raise Fault(_FAILURES[failure.kind], failure.detail) from failure

    def close(self, bot: Bot) -> int | None:
        """Close the bot's input; its exit status if it ends by itself in time, else None."""
        bot.close_input()
        with self._clock():
            return bot.wait_for_end(self.times.end)

    @contextmanager
    def _clock(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds = max(self.seconds, time.monotonic() - began)


# Starts the bot of a case, which ends with the context.
Start = Callable[[], AbstractContextManager[Asked]]
# Sets up the game of a case; raises NotAsked where there is no such position.
Begin = Callable[[], Exam]
# A way of asking: returns what there is to say of a bot that passes; raises Fault or NotAsked.
Way = Callable[[Talk, Start, Begin], str]


@dataclass(frozen=True, slots=True)
class Case:
    """An odd case of a protocol.

    Attributes:
        name: A word with hyphens.
        shows: What it shows, in a few words.
        way: How the bot is asked.
        start: Starts the bot.
        begin: Sets up the game.
    """

    name: str
    shows: str
    way: Way
    start: Start
    begin: Begin


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case: the verdict, one of those above, and a sentence about it."""

    case: Case
    verdict: str
    detail: str
    talk: Talk

    @property
    def passed(self) -> bool:
        """Whether there is nothing to mend."""
        return self.verdict in (FINE, NOT_ASKED)


def run_case(case: Case, times: Times) -> Outcome:
    """Put a bot through a case; a BotError if it cannot be started."""
    talk = Talk(times)
    try:
        return Outcome(case, FINE, case.way(talk, case.start, case.begin), talk)
    except Fault as fault:
        return Outcome(case, fault.verdict, str(fault), talk)
    except NotAsked as reason:
        return Outcome(case, NOT_ASKED, str(reason), talk)


def count(answers: int) -> str:
    """Say how many answers there were."""
    return "1 answer" if answers == 1 else f"{answers} answers"


def check_status(status: int, when: str) -> None:
    """Check the exit status of a bot that has ended by itself; a Fault if it has crashed."""
    if status:
        how = f"ended with exit status {status}" if status > 0 else f"was ended by signal {-status}"
        raise Fault(CRASHED, f"{how} {when}")


def _check_step(bot: Bot) -> None:
    """Check that a bot has printed nothing after its answer: it would be taken for the next one."""
    bot.has_ended()  # takes in what is there
    if bot.has_unread():
        try:
            more = f": {bot.read_line(_FLUSH_TIME)!r}"
        except BotFailure:
            more = ""
        raise Fault(ILLEGAL, f"printed more than one line for an answer{more}")


def _find_hint(bot: Asked, timeout: float) -> str:
    """Find out whether a bot that is late answers once nothing more can be said to it."""
    if not isinstance(bot, Bot):
        return ""
    allowed = f", {timeout:g} s are allowed"
    bot.close_input()
    try:
        bot.read_line(_FLUSH_TIME)
    except BotFailure:
        return allowed
    return f"{allowed}; it answered when its input was closed: flush the output after each line"
