"""The verb ``bot``: tests one bot in the edge cases of its protocol.

A game lists its cases: how to reach a position, and how to probe the bot there. The rules judge
the bot's answers.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import click

from kb_score.arena.cases import list_cases
from kb_score.arena.players import BotCommand
from kb_score.arena.probes import FINE, LATE, NOT_ASKED, Case, Transcript
from kb_score.arena.referee import Player
from kb_score.cli.command import make_game_verb, make_options, pop_options
from kb_score.cli.run import Run
from kb_score.errors import describe_list, visible
from kb_score.games.game import Game
from kb_score.shell.options import bounds_options, make_timeout_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, show_progress
from kb_score.shell.process import Bounds

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


def make_bot(game: Game) -> click.Command:
    """Make the verb of a game."""
    options = make_options((*game.case_options, *game.times))
    if game.play.shell:
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
    times = pop_options(given, game.times)
    options = pop_options(given, game.case_options)
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
        if game.play.shell:
            text = name
    clock = game.make_clock(times)
    subject = BotCommand(Player.who, text, clock, persistent=persistent, bounds=bounds)
    cases = list_cases(game, run.rules, **options)
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
