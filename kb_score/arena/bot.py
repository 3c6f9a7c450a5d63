"""The verb ``bot``: tests one bot in the edge cases of its protocol.

A game lists its cases: how to reach a position, and how to probe the bot there. The rules judge
the bot's answers.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeAlias

import click

from kb_score.arena.players import BotCommand, ShellPlayer
from kb_score.arena.referee import Player
from kb_score.cli.command import make_game_verb, make_options, pop_options
from kb_score.cli.run import Run
from kb_score.engine.rules import GameRules
from kb_score.errors import Fault, FormatError, describe_list, visible, write_count
from kb_score.games.game import Case, Game, Match, MatchSetup, Probe
from kb_score.shell.bots import Bot, describe_end
from kb_score.shell.options import bounds_options, make_timeout_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, show_progress
from kb_score.shell.process import Bounds

# The verdicts.
FINE = "fine"
NOT_ASKED = "not-asked"
UNREPEATABLE = "not-repeatable"
LATE = "late"
ILLEGAL = "illegal"
CRASHED = "crashed"

_FLUSH_TIME = 0.5  # seconds to wait for an answer that comes only when the input is closed
# The most that is printed of a case.
_EXCHANGES = 3  # the last exchanges
_LINES = 16  # lines of a text
_CHARACTERS = 240  # characters of a line
_ERRORS = 10  # the last lines of the error stream
_LEGEND = "> sent to the bot, < its answer, ! its error stream"
_HELP = """\
    The verdicts: fine; late; illegal, an answer that the rules or the protocol reject; crashed, it
    ended too early or with an exit status other than 0; not-repeatable, it gave two different
    answers in the same position (a bot that chooses at random may do so); not-asked, the case does
    not apply. The exit status is 1 if any case has a verdict other than fine or not-asked.
    """

Subject: TypeAlias = Bot | ShellPlayer


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
        if self.game.arena.bots.in_shell and not self.subject.persistent:
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


def _list_cases(game: Game, rules: GameRules) -> Sequence[Case]:
    """Return the cases of a game that has none of its own."""
    arena = game.arena
    case_map = arena.bots.case_map
    files = (("the map of the cases", case_map),) if case_map else ()
    settings = {option.name: option.default for option in arena.settings}
    setup = MatchSetup(files, settings, players=arena.players[0])

    def begin() -> Match:
        return arena.new_match(rules, setup, Random(1))

    return [
        Case("first-turn", "the first turn of a game", ask_turns(), begin),
        Case("input-closed", "the input is closed after an answer", close_after(), begin),
        Case("same-twice", "the first turn, twice", ask_twice(), begin),
        Case("whole-game", "a game of at most 60 turns", ask_turns(60, whole=True), begin),
    ]


def make_bot(game: Game) -> click.Command:
    """Make the verb of a game."""
    bots = game.arena.bots
    options = make_options((*bots.case_options, *bots.times))
    if bots.in_shell:
        options = [_persistent_option, *options]
    return make_game_verb(
        "bot",
        game,
        partial(_bot, game),
        _command_argument,
        _bot_option,
        *options,
        _end_option,
        _case_option,
        _lines_option,
        bounds_options,
        more=_HELP,
    )


def _bot(
    game: Game,
    run: Run,
    command: tuple[str, ...],
    bot: str | None,
    end_time: float,
    names: tuple[str, ...],
    lines: bool,
    bounds: Bounds,
    persistent: bool = False,
    **given: Any,
) -> Exit:
    """Try a bot in the cases, print the verdicts, and return the exit status."""
    bots = game.arena.bots
    times = pop_options(given, bots.times)
    options = pop_options(given, bots.case_options)
    if (bot is None) == (not command):
        wrong = "Missing argument"
        if bot:
            wrong = "the command tests one bot"
        raise click.UsageError(f"{wrong}: name it with --bot COMMAND or -- COMMAND...")
    text = bot or shlex.join(command)
    name = text
    if not bot and len(command) == 1:
        name = command[0]
        # If the game runs bots in a shell, a single word goes to the shell unquoted, as with --bot.
        if bots.in_shell:
            text = name
    clock = bots.make_clock(times)
    subject = BotCommand(Player.who, text, clock, persistent=persistent, bounds=bounds)
    cases = bots.list_cases(run.rules, **options)
    if cases is None:
        cases = _list_cases(game, run.rules)
    subject.check(game)
    chosen = _choose(cases, names)
    transcripts = [Transcript(subject, game, end_time, case) for case in chosen]
    _run(transcripts)
    return _show(run, game.title, name, transcripts, with_lines=lines)


_command_argument = click.argument(
    "command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]"
)
_bot_option = click.option("--bot", metavar="COMMAND", help="The bot, in place of -- COMMAND...")
_persistent_option = click.option(
    "--persistent", is_flag=True, help="The bot runs for a whole game, and reads one line per turn."
)
_end_option = make_timeout_option(
    2.0, "Time that the bot has to exit when its input is closed.", "--end-time"
)
_case_option = click.option(
    "--case", "names", multiple=True, metavar="NAME", help="Run only this case. Repeatable."
)
_lines_option = click.option(
    "--lines",
    "--verbose",
    "lines",
    is_flag=True,
    help="Show the exchanges of all cases, not only of those that are not fine.",
)


def _choose(cases: Sequence[Case], names: Sequence[str]) -> Sequence[Case]:
    """Return the cases with the given names; all if there are no names."""
    known = [case.name for case in cases]
    for name in names:
        if name not in known:
            message = f"--case: there is no case {visible(name)!r}: use {describe_list(known)}"
            raise click.UsageError(message)
    return [case for case in cases if case.name in names or not names]


def _run(transcripts: Sequence[Transcript]) -> None:
    """Run the cases; if the bot never answers in the first one, skip the others."""
    is_mute = False
    for number, transcript in enumerate(transcripts, start=1):
        show_progress(f"case {number} of {len(transcripts)}, {transcript.case.name}")
        if is_mute:
            transcript.verdict = NOT_ASKED
            transcript.detail = "the bot never answered in the first case"
            continue
        transcript.run()
        if number == 1:
            is_mute = transcript.verdict == LATE and not any(transcript.answered)


def _show(
    run: Run, game: str, bot: str, outcomes: Sequence[Transcript], *, with_lines: bool
) -> Exit:
    """Print the verdicts, and the exchanges of the cases that the bot does not pass."""
    columns = ("case", "verdict", "seconds", "detail")
    width = 0
    if run.format == "table":
        width = len("seconds")  # aligns the column to the right
    rows = []
    passed = 0
    asked = 0
    for found in outcomes:
        seconds = f"{found.seconds:{width}.2f}"
        rows.append((found.case.name, found.verdict, seconds, found.detail))
        if found.verdict == FINE:
            passed += 1
        if found.verdict != NOT_ASKED:
            asked += 1
    summary = Text(f"{passed} of {asked} cases fine")
    blocks: list[Block] = [Table("", columns, tuple(rows)), summary]
    quoted: list[Transcript] = []
    for found in outcomes:
        if found.said and (with_lines or not found.passed):
            if not quoted:
                blocks.append(Text(_LEGEND))
            quote = "\n".join(_quote(found, quoted))
            blocks.append(Text(quote, "picture"))
            quoted.append(found)
    lines = [_to_json(game, bot, found) for found in outcomes]
    run.show(Output(blocks, lines))
    if passed == asked:
        return Exit.FINE
    return Exit.DIFFERS


def _to_json(game: str, bot: str, found: Transcript) -> Mapping[str, Any]:
    return {
        "game": game,
        "bot": bot,
        "case": found.case.name,
        "verdict": found.verdict,
        "seconds": round(found.seconds, 3),
        "detail": found.detail,
        "said": found.said,
        "answered": found.answered,
        "errors": found.errors,
    }


def _quote(talk: Transcript, before: Sequence[Transcript]) -> Iterator[str]:
    """Yield the last exchanges of a case in clipped lines, and new lines of the error stream.

    An error stream that equals that of a case before is not repeated.
    """
    yield f"{talk.case.name}, {talk.case.shows}: {talk.verdict}"
    if talk.detail:
        yield f"  {talk.detail}"
    first = max(0, len(talk.said) - _EXCHANGES)
    if first:
        yield f"  ... {first} earlier"
    for text, answer in zip(talk.said[first:], talk.answered[first:], strict=True):
        lines = text.splitlines()
        for line in lines[:_LINES]:
            yield f"  > {_clip(line)}"
        if len(lines) > _LINES:
            yield f"  > ... {len(lines) - _LINES} more lines"
        if answer is not None:
            yield f"  < {_clip(answer)}"
    errors = talk.errors[-_ERRORS:]
    same = [other.case.name for other in before if other.errors == talk.errors]
    if errors and same:
        errors = [f"as in {same[0]}"]
    for line in errors:
        yield f"  ! {_clip(line)}"


def _clip(line: str) -> str:
    """Clip a long line."""
    more = len(line) - _CHARACTERS
    if more <= 0:
        return line
    return f"{line[:_CHARACTERS]} ... {more} more characters"


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
