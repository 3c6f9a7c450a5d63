"""The verb ``bot``: the cases of a game, one after another, and a table of what came of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import click

from kb_score.errors import describe_list, visible
from kb_score.games.command import game_options, make_verb
from kb_score.games.compliance import LATE, NOT_ASKED, Case, Outcome, Talk, Times, run_case
from kb_score.games.referee import show_progress
from kb_score.shell.options import timeout_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, show

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

# Lists the cases of a game: takes the rules, the words of the bot's command, the seconds that it
# has to end itself, as ``end``, and the game's own options by name.
ListCases = Callable[..., tuple[Sequence[Case], Times]]

_COLOURS = {"fine": "green", "not-asked": ""}
# What people see of a case: of longer talks and texts the rest is left out.
_EXCHANGES, _LINES, _CHARACTERS, _ERRORS = 3, 16, 240, 10
_LEGEND = "> told to the bot, < answered by it, ! its error stream"
_HELP = """\
    The verdicts: fine; late; illegal, an answer that the rules or the protocol refuse; crashed, it
    ended too early or with another exit status than 0; not-repeatable, it answered the same moment
    in two ways (a bot that draws its moves may do so); not-asked, the case does not apply. The
    exit status is 1 if any case has another verdict than fine and not-asked.
    """


def make_bot(
    game: str,
    list_cases: ListCases,
    *options: Callable[[Callable[..., Any]], Callable[..., Any]],
    help_: str,
    example: str,
) -> click.Command:
    """Make the command ``bot`` of a game.

    Args:
        game: Its folder in ``asp/``.
        list_cases: Lists its cases.
        options: Its own options.
        help_: The help, to which the meaning of the verdicts is added.
        example: How the example goes on after ``kb-score bot``.
    """

    def bot(
        command: tuple[str, ...],
        end_time: float,
        names: tuple[str, ...],
        lines: bool,
        format_: str,
        rules: GameRules,
        **others: Any,
    ) -> Exit:
        cases, times = list_cases(rules, command, end=end_time, **others)
        try:
            outcomes = list(_run(_choose(cases, names), times))
        finally:
            show_progress("")
        name = command[0] if len(command) == 1 else shlex.join(command)
        return _show(game.replace("_", "-"), name, outcomes, format_, with_lines=lines)

    added: Callable[..., Any] = game_options(game)(bot)
    adding: list[Callable[..., Any]] = [_command_argument, *options]
    adding += [_end_option, _case_option, _lines_option]
    for add in reversed(adding):
        added = add(added)
    return make_verb("bot", game, f"{cleandoc(help_)}\n\n{cleandoc(_HELP)}", example)(added)


_command_argument = click.argument(
    "command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND..."
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


def _run(cases: Sequence[Case], times: Times) -> Iterator[Outcome]:
    """Run the cases; a bot that does not answer at all is not waited for again and again."""
    mute = False
    for number, case in enumerate(cases, 1):
        show_progress(f"case {number} of {len(cases)}, {case.name}")
        if mute:
            yield Outcome(case, NOT_ASKED, "the bot never answered in the first case", Talk(times))
            continue
        outcome = run_case(case, times)
        mute = number == 1 and outcome.verdict == LATE and not any(outcome.talk.answered)
        yield outcome


def _show(
    game: str, bot: str, outcomes: Sequence[Outcome], format_: str, *, with_lines: bool
) -> Exit:
    columns = "case", "verdict", "seconds", "detail"
    width = len(columns[2]) if format_ == "table" else 0  # so that it stands flush right
    rows = tuple(
        (found.case.name, found.verdict, f"{found.talk.seconds:{width}.2f}", found.detail)
        for found in outcomes
    )
    shown = [found for found in outcomes if found.talk.said and (with_lines or not found.passed)]
    wrong = sum(not found.passed for found in outcomes)
    asked = sum(found.verdict != NOT_ASKED for found in outcomes)
    blocks: list[Block] = [
        Table("", columns, rows),
        Text(f"{asked - wrong} of {asked} cases fine"),
        *([Text(_LEGEND)] if shown else []),
        *(Text("\n".join(_quote(found, shown[:n])), "picture") for n, found in enumerate(shown)),
    ]
    lines = [_to_json(game, bot, found) for found in outcomes]
    show(Output(blocks, lines), format_)
    return Exit.DIFFERS if wrong else Exit.FINE


def _to_json(game: str, bot: str, found: Outcome) -> Mapping[str, Any]:
    return {
        "game": game,
        "bot": bot,
        "case": found.case.name,
        "verdict": found.verdict,
        "seconds": round(found.talk.seconds, 3),
        "detail": found.detail,
        "said": found.talk.said,
        "answered": found.talk.answered,
        "errors": found.talk.errors,
    }


def _quote(found: Outcome, before: Sequence[Outcome]) -> Iterator[str]:
    """Quote what was said in a case, in clipped lines; the same errors as before are not."""
    talk = found.talk
    yield f"{found.case.name}, {found.case.shows}: {found.verdict}"
    if found.detail:
        yield f"  {found.detail}"
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
    same = [other.case.name for other in before if other.talk.errors == talk.errors]
    errors = [f"as in {same[0]}"] if same and talk.errors else talk.errors[-_ERRORS:]
    yield from (f"  ! {_clip(line)}" for line in errors)


def _clip(line: str) -> str:
    """Clip a line that is too long, and say by how much."""
    more = len(line) - _CHARACTERS
    return f"{line[:_CHARACTERS]} ... {more} more characters" if more > 0 else line
