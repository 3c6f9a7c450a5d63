"""Probes of a bot: how it is tried in a case, and what it was sent and answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kb_score.arena.players import BotCommand, ShellPlayer
from kb_score.errors import Fault, FormatError, write_count
from kb_score.games.game import Game
from kb_score.games.match import Match
from kb_score.shell.bots import Bot, describe_end

# The verdicts.
FINE = "fine"
NOT_ASKED = "not-asked"
UNREPEATABLE = "not-repeatable"
LATE = "late"
ILLEGAL = "illegal"
CRASHED = "crashed"

_FLUSH_TIME = 0.5  # seconds to wait for an answer that comes only when the input is closed

# Tests a bot in a case: takes a `Transcript` and a function that sets up the
# match, and returns a remark about a bot that passes.
Probe: TypeAlias = Callable[[Any, Callable[[], Match]], str]

Subject: TypeAlias = Bot | ShellPlayer


@dataclass(frozen=True, slots=True)
class Case:
    """An edge case of a protocol.

    Attributes:
        name: A hyphenated name.
        shows: What the case shows, in a few words.
        begin: Sets up the match; raises NotAsked if there is no such position.
        arguments: Additional arguments for the bot's command.
    """

    name: str
    shows: str
    probe: Probe
    begin: Callable[[], Match]
    arguments: Sequence[str] = ()


class Failed(Exception):
    """The bot does not pass a case."""

    def __init__(self, verdict: str, detail: str) -> None:
        """Store the verdict, one of those above, and a sentence about it."""
        self.verdict = verdict
        super().__init__(detail)


class NotAsked(Failed):
    """A case does not apply; the text is the reason."""

    def __init__(self, reason: str) -> None:
        """Store the reason."""
        super().__init__(NOT_ASKED, reason)


@dataclass(slots=True)
class Transcript:
    """The exchange with a bot in a case, and the verdict.

    Attributes:
        end_time: The time that the bot has to exit when its input is closed, in seconds.
        verdict: One of the verdicts above.
        said: The texts that were sent to the bot.
        answered: The answer to each of these texts; None without an answer.
        seconds: The longest time that the bot took to answer or to exit.
    """

    subject: BotCommand
    game: Game
    end_time: float
    case: Case
    verdict: str = FINE
    detail: str = ""
    said: list[str] = field(default_factory=list)
    answered: list[str | None] = field(default_factory=list)
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether the bot passes the case, or the case does not apply."""
        return self.verdict in (FINE, NOT_ASKED)

    def run(self) -> None:
        """Probe the bot, and set the verdict and the detail."""
        try:
            self.detail = self.case.probe(self, self.case.begin)
        except Failed as failed:
            self.verdict = failed.verdict
            self.detail = str(failed)

    @contextmanager
    def open(self) -> Iterator[Callable[[int], Subject]]:
        """Yield a function that returns a player's bot, started on first use; then end all bots."""
        bots: dict[int, Subject] = {}

        def seat(player: int) -> Subject:
            if player not in bots:
                bots[player] = self._start()
            return bots[player]

        try:
            yield seat
        finally:
            for bot in bots.values():
                if isinstance(bot, Bot):
                    self.note(bot.describe_errors())
                    bot.end()

    def _start(self) -> Subject:
        """Start the bot, or return a player that restarts it for each turn."""
        if self.game.play.shell and not self.subject.persistent:
            return ShellPlayer(self.subject)
        return self.subject.start(self.game, self.case.arguments)

    def note(self, words: str) -> None:
        """Add the lines that the bot wrote to its error stream, prefixed as in messages."""
        for line in words.splitlines():
            if line:
                self.errors.append(line.removeprefix("    | "))

    def ask(self, bot: Subject, text: str, *, first: bool = False) -> str:
        """Send the bot a text, and return its answer.

        A bot that has just started has more time. One that does not answer raises Failed.
        """
        if self.said and isinstance(bot, Bot):
            _check_step(bot)
        clock = self.subject.clock
        timeout = clock.late
        if first:
            timeout += clock.start
        self._add_text(text)
        try:
            with self._measure_time():
                line = bot.ask(text, timeout) if isinstance(bot, Bot) else bot.ask(text)
        except Fault as fault:
            detail = fault.detail
            if not isinstance(bot, Bot):
                self.note(fault.words)
            elif fault.kind == LATE:
                detail += _find_hint(bot, timeout)
            if fault.kind == CRASHED:
                detail += " instead of answering"
            raise Failed(_find_verdict(fault), detail) from fault
        self.answered[-1] = line
        return line

    def _add_text(self, text: str) -> None:
        """Add a text that is sent to the bot, without an answer so far."""
        self.said.append(text)
        self.answered.append(None)

    def play(self, seat: Callable[[int], Subject], match: Match, most: int) -> str:
        """Let the bot play at most some turns, or to the end of the match.

        ``seat`` returns the bot of a player. The number of answers is returned as text; empty if
        ``most`` is 1 and one answer was enough. A match that is over raises NotAsked; a missing or
        refused answer raises Failed.
        """
        if match.finished:
            raise NotAsked("the game is over before the first turn")
        end = match.turn + most
        answers = 0
        met: set[int] = set()
        while not match.finished and match.turn < end:
            mover = match.mover
            line = self.ask(seat(mover), match.tell(), first=mover not in met)
            met.add(mover)
            answers += 1
            refusal = _play_answer(match, line)
            if refusal:
                if max(most, answers) > 1:
                    refusal = f"answer {answers}: {refusal}"
                raise Failed(ILLEGAL, refusal)
        if max(most, answers) > 1:
            return write_count(answers, "answer")
        return ""

    def send_end(self, bot: Bot, text: str) -> None:
        """Send the bot the text at the end of a game, which needs no answer.

        It raises Failed if the bot does not read the text, unless the bot has ended with exit
        status 0.
        """
        self._add_text(text)
        try:
            bot.send(text, self.subject.clock.late)
        except Fault as fault:
            # A bot may exit as soon as it can know that the game is over.
            if fault.kind != CRASHED or bot.wait_for_end(self.end_time) != 0:
                raise Failed(_find_verdict(fault), fault.detail) from fault

    def close(self, bot: Bot, when: str) -> bool:
        """Close the bot's input, and return whether it exits in time.

        ``when`` is for messages. It raises Failed if the bot is ended by a signal, or exits with a
        status other than 0.
        """
        bot.close_input()
        with self._measure_time():
            status = bot.wait_for_end(self.end_time)
        if status is None:
            return False
        if status != 0:
            raise Failed(CRASHED, f"{describe_end(status)} {when}")
        return True

    @contextmanager
    def _measure_time(self) -> Iterator[None]:
        """Measure the time that the context takes, and keep the longest one."""
        began = time.monotonic()
        try:
            yield
        finally:
            took = time.monotonic() - began
            self.seconds = max(self.seconds, took)


def _play_answer(match: Match, line: str) -> str:
    """Apply an answer to a match; return why the rules refuse it, or an empty text."""
    try:
        reasons = match.position().judge(line).reasons
        if reasons:
            return "; ".join(map(str, reasons))
        fault = match.answer(line).fault
    except FormatError as error:
        return f"cannot be read: {error.message}"
    except Fault as error:
        fault = error
    if fault is None:
        return ""
    return str(fault)


def ask_turns(most: int = 1, *, whole: bool = False) -> Probe:
    """Return a probe that asks for some turns, of all players.

    With ``whole``, the detail says that the game was not over then.
    """

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        match = begin()
        with transcript.open() as seat:
            found = transcript.play(seat, match, most)
        if not whole or match.finished:
            return found
        if found:
            return f"{found}; the game was not over"
        return "the game was not over"

    return probe


def ask_twice(most: int = 1) -> Probe:
    """Return a probe that starts the bot twice, and asks for the same turns."""

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        with transcript.open() as seat:
            transcript.play(seat, begin(), most)
        turns = len(transcript.answered)
        with transcript.open() as seat:
            transcript.play(seat, begin(), most)
        again = transcript.answered[turns:]
        for turn, (one, other) in enumerate(zip(transcript.answered, again, strict=False), 1):
            if one != other:
                difference = f"answer {turn}: {one!r}, and the second time {other!r}"
                raise Failed(UNREPEATABLE, difference)
        answers = write_count(turns, "answer")
        return f"{answers}, the same both times"

    return probe


def close_after(most: int = 1) -> Probe:
    """Return a probe that closes the bot's input after some turns: the bot has to exit."""

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        match = begin()
        with transcript.open() as seat:
            bot = seat(match.mover)
            if not isinstance(bot, Bot):
                raise NotAsked("a bot that is restarted each turn has no input")
            transcript.play(lambda _: bot, match, most)
            if not transcript.close(bot, "when its input was closed"):
                went_on = f"kept running for {transcript.end_time:g} s after its input was closed"
                raise Failed(LATE, went_on)
        return "exited on its own"

    return probe


def tell_end(most: int, close: Callable[[Match], None] = lambda _: None) -> Probe:
    """Return a probe that sends the end of a game, and closes the input.

    The bot first plays at most some turns; ``close`` then plays the match to its end. As the game
    is over, the bot may go on, but not crash.
    """

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        match = begin()
        with transcript.open() as seat:
            bot = seat(match.mover)
            assert isinstance(bot, Bot)
            if most:
                transcript.play(seat, match, most)
            close(match)
            if not match.finished:
                raise NotAsked("the game is not over")
            transcript.send_end(bot, match.tell())
            has_ended = transcript.close(bot, "at the end of the game")
        if has_ended:
            return "exited on its own"
        return f"kept running for {transcript.end_time:g} s after the end, and was stopped"

    return probe


def _check_step(bot: Bot) -> None:
    """Check that a bot has printed nothing after its answer: that would be read as the next one."""
    bot.is_over()  # reads what the bot has printed
    if bot.has_unread():
        try:
            more = f": {bot.read_line(_FLUSH_TIME)!r}"
        except Fault:
            more = ""
        raise Failed(ILLEGAL, f"printed more than one line for an answer{more}")


def _find_hint(bot: Bot, timeout: float) -> str:
    """Return a hint for a late bot, after its input has been closed to see if it answers then."""
    allowed = f"; the limit is {timeout:g} s"
    bot.close_input()
    try:
        bot.read_line(_FLUSH_TIME)
    except Fault:
        return allowed
    return f"{allowed}; it answered when its input was closed: flush the output after each line"


def _find_verdict(fault: Fault) -> str:
    """Return the verdict for a fault: an unreadable answer is illegal."""
    if fault.kind == "garbage":
        return ILLEGAL
    return fault.kind
