"""The verb ``bot``: one bot put through the odd cases of its protocol.

A game says its cases: how to come to a position, and how the bot is probed there. The rules judge
what it answers.
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

from kb_score.engine.rules import GameRules
from kb_score.errors import Fault, FormatError, describe_list, visible
from kb_score.games.game import Case, Game, Match, MatchSetup, Probe
from kb_score.games.players import BotCommand, ShellPlayer
from kb_score.games.verbs.command import make_game_verb, make_options, pop_options
from kb_score.games.verbs.run import Run
from kb_score.shell.bots import Bot
from kb_score.shell.options import bounds_options, timeout_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, show_progress
from kb_score.shell.process import Bounds

FINE, NOT_ASKED, UNREPEATABLE = "fine", "not-asked", "not-repeatable"
LATE, ILLEGAL, CRASHED = "late", "illegal", "crashed"

_FLUSH_TIME = 0.5  # seconds for an answer that comes only when nothing more is said
# What people see of a case: of longer talks and texts the rest is left out.
_EXCHANGES, _LINES, _CHARACTERS, _ERRORS = 3, 16, 240, 10
_LEGEND = "> told to the bot, < answered by it, ! its error stream"
_HELP = """\
    The verdicts: fine; late; illegal, an answer that the rules or the protocol refuse; crashed, it
    ended too early or with another exit status than 0; not-repeatable, it answered the same moment
    in two ways (a bot that draws its moves may do so); not-asked, the case does not apply. The
    exit status is 1 if any case has another verdict than fine and not-asked.
    """

Subject: TypeAlias = Bot | ShellPlayer


class Failed(Exception):
    """The bot does not pass a case."""

    def __init__(self, verdict: str, detail: str) -> None:
        self.verdict = verdict
        super().__init__(detail)


class NotAsked(Failed):
    """There is nothing to ask in a case: the text says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(NOT_ASKED, reason)


@dataclass(slots=True)
class Transcript:
    """What is said in a case, and what comes of it."""

    subject: BotCommand  # the bot
    game: Game  # its game
    end_time: float  # the seconds that it has to end itself
    case: Case
    verdict: str = FINE  # one of those above
    detail: str = ""  # a sentence about it
    said: list[str] = field(default_factory=list)  # the texts that the bot was told
    # The line that answered each of them; None where there was none.
    answered: list[str | None] = field(default_factory=list)
    seconds: float = 0.0  # the longest time that it took for an answer or for its end
    errors: list[str] = field(default_factory=list)  # what the bot wrote to its error stream

    @property
    def passed(self) -> bool:
        """Whether there is nothing to mend."""
        return self.verdict in (FINE, NOT_ASKED)

    def run(self) -> None:
        """Probe the bot."""
        try:
            self.detail = self.case.probe(self, self.case.begin)
        except Failed as failed:
            self.verdict, self.detail = failed.verdict, str(failed)

    @contextmanager
    def open(self) -> Iterator[Callable[[int], Subject]]:
        """Give what starts the bot for a player, once; listen to its error stream at the end."""
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
                    self.note(bot.tell_words())
                    bot.end()

    def _start(self) -> Subject:
        if self.game.arena.bots.in_shell and not self.subject.persistent:
            return ShellPlayer(self.subject)
        return self.subject.start(self.game, self.case.arguments)

    def note(self, words: str) -> None:
        """Note down what the bot wrote to its error stream."""
        self.errors += [w.removeprefix("    | ") for w in words.splitlines() if w]

    def ask(self, bot: Subject, text: str, *, first: bool = False) -> str:
        """Tell the bot a text, and get its answer; Failed if there is none."""
        if self.said and isinstance(bot, Bot):
            _check_step(bot)
        clock = self.subject.clock
        timeout = clock.late + clock.start * first
        self.said.append(text)
        self.answered.append(None)
        try:
            with self._time():
                line = bot.ask(text, timeout) if isinstance(bot, Bot) else bot.ask(text)
        except Fault as fault:
            if not isinstance(bot, Bot):
                self.note(fault.words)
            hint = _find_hint(bot, timeout) if fault.kind == LATE else ""
            ending = " instead of answering" if fault.kind == CRASHED else ""
            raise Failed(_name(fault), f"{fault.detail}{hint}{ending}") from fault
        self.answered[-1] = line
        return line

    def play(self, seat: Callable[[int], Subject], match: Match, most: int) -> str:
        """Have the bot play some turns at most, or to the end of the match; say how many."""
        if match.finished:
            raise NotAsked("the game is over before a turn")
        begun, answers, met = match.turn, 0, set[int]()
        while not match.finished and match.turn < begun + most:
            mover = match.mover
            line = self.ask(seat(mover), match.tell(), first=mover not in met)
            answers, met = answers + 1, met | {mover}
            where = f"answer {answers}: " if max(most, answers) > 1 else ""
            try:
                reasons = [str(reason) for reason in match.position().judge(line).reasons]
                if not reasons:
                    turn = match.answer(line)
                    reasons = [str(turn.fault)] if turn.fault else []
            except FormatError as error:
                raise Failed(ILLEGAL, f"{where}cannot be read: {error.message}") from error
            except Fault as fault:
                reasons = [str(fault)]
            if reasons:
                raise Failed(ILLEGAL, where + "; ".join(reasons))
        return count(answers) if max(most, answers) > 1 else ""

    def say_end(self, bot: Bot, text: str) -> None:
        """Tell the bot a text that needs no answer."""
        self.said.append(text)
        self.answered.append(None)
        try:
            bot.send(text, self.subject.clock.late)
        except Fault as fault:
            # A bot may end as soon as it can know that the game is over.
            if fault.kind != CRASHED or bot.wait_for_end(self.end_time) != 0:
                raise Failed(_name(fault), fault.detail) from fault

    def close(self, bot: Bot, when: str) -> bool:
        """Close the bot's input; whether it ends by itself in time; Failed if it crashes."""
        bot.close_input()
        with self._time():
            status = bot.wait_for_end(self.end_time)
        if status:
            how = f"ended with exit status {status}"
            if status < 0:
                how = f"was ended by signal {-status}"
            raise Failed(CRASHED, f"{how} {when}")
        return status is not None

    @contextmanager
    def _time(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds = max(self.seconds, time.monotonic() - began)


def ask_turns(most: int = 1, *, whole: bool = False) -> Probe:
    """Make the probe that asks for some turns, in a whole game of all players."""

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        match = begin()
        with transcript.open() as seat:
            found = transcript.play(seat, match, most)
        return f"{found}, the game was not over" if whole and not match.finished else found

    return probe


def ask_twice(most: int = 1) -> Probe:
    """Make the probe that asks two bots, one after the other, for the same turns."""

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        turns = 0
        for _ in range(2):
            match, turns = begin(), len(transcript.answered)
            with transcript.open() as seat:
                transcript.play(seat, match, most)
        answered = transcript.answered
        for turn, (one, other) in enumerate(zip(answered, answered[turns:], strict=False), 1):
            if one != other:
                said = f"answer {turn}: {one!r}, and the second time {other!r}"
                raise Failed(UNREPEATABLE, said)
        return f"{count(turns)}, the same both times"

    return probe


def close_after(most: int = 1) -> Probe:
    """Make the probe that closes the bot's input after some turns: it has to end by itself."""

    def probe(transcript: Transcript, begin: Callable[[], Match]) -> str:
        match = begin()
        with transcript.open() as seat:
            bot = seat(match.mover)
            if not isinstance(bot, Bot):
                raise NotAsked("a bot that is run anew each turn is told nothing on its input")
            transcript.play(lambda _: bot, match, most)
            if not transcript.close(bot, "when its input was closed"):
                went_on = f"went on for {transcript.end_time:g} s after its input was closed"
                raise Failed(LATE, went_on)
        return "ended by itself"

    return probe


def tell_end(most: int, close: Callable[[Match], None] = lambda _: None) -> Probe:
    """Make the probe that tells the end, to which ``close`` brings a match, and closes the input.

    As the game is over, the bot may go on, but not crash.
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
            transcript.say_end(bot, match.tell())
            has_ended = transcript.close(bot, "at the end of the game")
        went_on = f"went on for {transcript.end_time:g} s after the end, and was ended"
        return "ended by itself" if has_ended else went_on

    return probe


def count(answers: int) -> str:
    """Say how many answers there were."""
    return "1 answer" if answers == 1 else f"{answers} answers"


def _list_cases(game: Game, rules: GameRules) -> Sequence[Case]:
    """List the cases of a game that has none of its own."""
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
    return make_game_verb(
        "bot",
        game,
        partial(_bot, game),
        _command_argument,
        _bot_option,
        *([_persistent_option] if game.arena.bots.in_shell else []),
        *make_options((*game.arena.bots.case_options, *game.arena.bots.times)),
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
    clock = game.arena.bots.make_clock(pop_options(given, game.arena.bots.times))
    options = pop_options(given, game.arena.bots.case_options)
    if (bot is None) == (not command):
        wrong = "one bot is tried" if bot else "Missing argument"
        raise click.UsageError(f"{wrong}: name it by --bot COMMAND or -- COMMAND...")
    name = bot or (command[0] if len(command) == 1 else shlex.join(command))
    # One word is for the shell in games whose bots are for it, as with --bot.
    text = name if bot or game.arena.bots.in_shell else shlex.join(command)
    subject = BotCommand("the bot", text, clock, persistent=persistent, bounds=bounds)
    cases = game.arena.bots.list_cases(run.rules, **options)
    if cases is None:
        cases = _list_cases(game, run.rules)
    subject.check(game)
    found = list(_run(_choose(cases, names), partial(Transcript, subject, game, end_time)))
    return _show(run, game.title, name, found, with_lines=lines)


_command_argument = click.argument(
    "command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]"
)
_bot_option = click.option("--bot", metavar="COMMAND", help="The bot, in place of -- COMMAND...")
_persistent_option = click.option(
    "--persistent", is_flag=True, help="The bot runs for a whole game, and reads a line a turn."
)
_end_option = timeout_option(
    2.0, "Time that the bot has to end itself when its input is closed.", "--end-time"
)
_case_option = click.option(
    "--case", "names", multiple=True, metavar="NAME", help="Ask only this case. Repeatable."
)
_lines_option = click.option(
    "--lines",
    "--verbose",
    "lines",
    is_flag=True,
    help="Show what was said in all cases, not only in those that are not fine.",
)


def _choose(cases: Sequence[Case], names: Sequence[str]) -> Sequence[Case]:
    known = [case.name for case in cases]
    for name in names:
        if name not in known:
            message = f"--case: there is no case {visible(name)!r}: {describe_list(known)}"
            raise click.UsageError(message)
    return [case for case in cases if case.name in names or not names]


def _run(cases: Sequence[Case], begin: Callable[..., Transcript]) -> Iterator[Transcript]:
    """Run the cases; a bot that does not answer at all is not waited for again and again."""
    mute = False
    for number, case in enumerate(cases, 1):
        show_progress(f"case {number} of {len(cases)}, {case.name}")
        talk = begin(case)
        if mute:
            talk.verdict, talk.detail = NOT_ASKED, "the bot never answered in the first case"
        else:
            talk.run()
        mute |= number == 1 and talk.verdict == LATE and not any(talk.answered)
        yield talk


def _show(
    run: Run, game: str, bot: str, outcomes: Sequence[Transcript], *, with_lines: bool
) -> Exit:
    columns = "case", "verdict", "seconds", "detail"
    width = len(columns[2]) if run.format == "table" else 0  # so that it stands flush right
    rows = tuple(
        (found.case.name, found.verdict, f"{found.seconds:{width}.2f}", found.detail)
        for found in outcomes
    )
    said = [found for found in outcomes if found.said]
    shown = [found for found in said if with_lines or not found.passed]
    wrong = sum(not found.passed for found in outcomes)
    asked = sum(found.verdict != NOT_ASKED for found in outcomes)
    blocks: list[Block] = [
        Table("", columns, rows),
        Text(f"{asked - wrong} of {asked} cases fine"),
        *([Text(_LEGEND)] if shown else []),
        *(Text("\n".join(_quote(found, shown[:n])), "picture") for n, found in enumerate(shown)),
    ]
    lines = [_to_json(game, bot, found) for found in outcomes]
    run.show(Output(blocks, lines))
    return Exit.DIFFERS if wrong else Exit.FINE


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
    """Quote what was said in a case, in clipped lines; the same errors as before are not."""
    yield f"{talk.case.name}, {talk.case.shows}: {talk.verdict}"
    if talk.detail:
        yield f"  {talk.detail}"
    first = max(0, len(talk.said) - _EXCHANGES)
    if first:
        yield f"  ... {first} earlier"
    for said, answered in zip(talk.said[first:], talk.answered[first:], strict=True):
        told = said.splitlines()
        yield from (f"  > {_clip(line)}" for line in told[:_LINES])
        if len(told) > _LINES:
            yield f"  > ... {len(told) - _LINES} more lines"
        if answered is not None:
            yield f"  < {_clip(answered)}"
    same = [other.case.name for other in before if other.errors == talk.errors]
    errors = [f"as in {same[0]}"] if same and talk.errors else talk.errors[-_ERRORS:]
    yield from (f"  ! {_clip(line)}" for line in errors)


def _clip(line: str) -> str:
    more = len(line) - _CHARACTERS
    return f"{line[:_CHARACTERS]} ... {more} more characters" if more > 0 else line


def _check_step(bot: Bot) -> None:
    """Check that a bot has printed nothing after its answer: it would be taken for the next one."""
    bot.is_over()  # takes in what is there
    if bot.has_unread():
        try:
            more = f": {bot.read_line(_FLUSH_TIME)!r}"
        except Fault:
            more = ""
        raise Failed(ILLEGAL, f"printed more than one line for an answer{more}")


def _find_hint(bot: Subject, timeout: float) -> str:
    """Find out whether a bot that is late answers once nothing more can be said to it."""
    if not isinstance(bot, Bot):
        return ""
    allowed = f", {timeout:g} s are allowed"
    bot.close_input()
    try:
        bot.read_line(_FLUSH_TIME)
    except Fault:
        return allowed
    return f"{allowed}; it answered when its input was closed: flush the output after each line"


def _name(fault: Fault) -> str:
    """Name a fault as `bot` does: what cannot be read is illegal, too."""
    return ILLEGAL if fault.kind == "garbage" else fault.kind
