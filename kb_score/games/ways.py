"""The ways of asking a bot in an odd case of its protocol; each makes a `Way`."""

from __future__ import annotations

from collections.abc import Callable

from kb_score.games.compliance import (
    LATE,
    UNREPEATABLE,
    Begin,
    Exam,
    Fault,
    NotAsked,
    Start,
    Talk,
    Way,
    check_status,
    count,
)
from kb_score.shell.bots import Bot


def ask_turns(most: int = 1, *, whole: bool = False) -> Way:
    """Make the way of asking for some turns; of a whole game it is told if it had no end."""

    def ask(talk: Talk, start: Start, begin: Begin) -> str:
        exam = begin()
        with talk.meet(start) as bot:
            count = talk.play(bot, exam, most)
        return f"{count}, the game was not over" if whole and not exam.finished else count

    return ask


def ask_twice(most: int = 1) -> Way:
    """Make the way of asking two bots, one after the other, for the same turns."""

    def ask(talk: Talk, start: Start, begin: Begin) -> str:
        turns = 0
        for _ in range(2):
            exam, turns = begin(), len(talk.answered)
            with talk.meet(start) as bot:
                talk.play(bot, exam, most)
        pairs = zip(talk.answered, talk.answered[turns:], strict=False)
        for turn, (one, other) in enumerate(pairs, 1):
            if one != other:
                raise Fault(UNREPEATABLE, f"answer {turn}: {one!r}, and the second time {other!r}")
        return f"{count(turns)}, the same both times"

    return ask


def close_after(most: int = 1) -> Way:
    """Make the way of closing the bot's input after some turns: it has to end by itself."""

    def ask(talk: Talk, start: Start, begin: Begin) -> str:
        exam = begin()
        with talk.meet(start) as bot:
            assert isinstance(bot, Bot)
            talk.play(bot, exam, most)
            status = talk.close(bot)
        if status is None:
            raise Fault(LATE, f"went on for {talk.times.end:g} s after its input was closed")
        check_status(status, "when its input was closed")
        return "ended by itself"

    return ask


def tell_end(most: int, close: Callable[[Exam], None] = lambda _: None) -> Way:
    """Make the way of telling the end after some turns; then the input is closed.

    As the game is over, the bot may go on, but not crash.
    ``close`` brings a game to its end that the bot has not brought there.
    """

    def ask(talk: Talk, start: Start, begin: Begin) -> str:
        exam = begin()
        with talk.meet(start) as bot:
            assert isinstance(bot, Bot)
            if most:
                talk.play(bot, exam, most)
            close(exam)
            if not exam.finished:
                raise NotAsked("the game is not over")
            talk.say_end(bot, exam.tell())
            status = talk.close(bot)
        if status is None:
            return f"went on for {talk.times.end:g} s after the end, and was ended"
        check_status(status, "at the end of the game")
        return "ended by itself"

    return ask


def leave_out(reason: str) -> Way:
    """Make the way of not asking, where a protocol has no such case."""

    def ask(_talk: Talk, _start: Start, _begin: Begin) -> str:
        raise NotAsked(reason)

    return ask


class Seats:
    """A program for each player, started at his first turn, of which the one is asked who moves."""

    def __init__(self, start: Callable[[], Bot], seat_of: Callable[[str], int]) -> None:
        """Take what starts a program, and what finds out of a text who is told it."""
        self._start, self._seat_of = start, seat_of
        self._bots: dict[int, Bot] = {}

    def __enter__(self) -> Seats:
        return self

    def __exit__(self, *_: object) -> None:
        for bot in self._bots.values():
            bot.end()

    def ask(self, text: str, timeout: float) -> str:
        """Ask the bot of the player who is told something."""
        seat = self._seat_of(text)
        if seat not in self._bots:
            self._bots[seat] = self._start()
        return self._bots[seat].ask(text, timeout)

    def tell_words(self) -> str:
        """Tell what all of them have on their error streams."""
        return "".join(bot.tell_words() for bot in self._bots.values())
