"""The verb ``check``: records against the rules, each on its own, in order."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from kb_score.errors import FileKind, KbScoreError, unwrap, visible
from kb_score.games.verbs.command import (
    PoolOpener,
    game_options,
    make_game_verb,
    make_options,
    name_files,
    pool_options,
    save_option,
    take_files,
)
from kb_score.games.verbs.why import why_options
from kb_score.shell.files import Input, Inputs, find_inputs, open_output, read_inputs
from kb_score.shell.output import Exit, Messages, complain, with_progress
from kb_score.shell.verdict import Verdict, show_verdict

if TYPE_CHECKING:
    from kb_score.engine.rules import GameRules
    from kb_score.games.game import File, Game
    from kb_score.shell.pool import Pool

_EXPLAIN = "Write choices that explain a record to FILE, as a session; - is standard output."

Judge: TypeAlias = Callable[[Input], Verdict | KbScoreError]


def make_check(game: Game) -> click.Command:
    """Make the verb of a game."""
    (name,) = name_files([game.record])

    def check(
        format_: str, rules: GameRules, pool: PoolOpener, explain: str | None = None, **others: Any
    ) -> Exit:
        before = take_files(others, game.maps)
        records = find_inputs(others[name], game.record, *before)
        options = {option.name: others[option.name] for option in game.options.check}
        maps = read_maps(game, rules, before, game.maps)
        words = list[str]()
        for option in game.options.draw:
            if options.get(option.name) is not None:
                words += [f"--{option.name}", str(options[option.name])]
        reporter = VerdictReporter(rules, format_, before, words)
        if explain is not None:
            return _explain(explain, game, records, maps, reporter)
        judge = partial(judge_record, game.check, rules, maps, options)
        return report_all(records, judge, reporter, pool)

    explain = click.option("--explain", metavar="FILE", help=_EXPLAIN)
    return make_game_verb(
        "check",
        game,
        check,
        *(click.argument(before, metavar=before.upper()) for before in name_files(game.maps)),
        click.argument(name, metavar=f"{name.upper()}...", nargs=-1, required=True),
        *make_options(game.options.check),
        *([explain] if game.can_explain else []),
        pool_options,
        game_options(game.name),
        save_option(*name_files(game.maps), name),
        why_options(game.why.get("check", ("violation", "result"))),
    )


def read_maps(
    game: Game, rules: GameRules, paths: Sequence[str], kinds: Sequence[FileKind]
) -> tuple[File, ...]:
    """Read the maps of a game, and tell what is doubtful about them."""
    texts = read_inputs(*zip(paths, kinds, strict=True))
    files = tuple(zip(paths, texts, strict=True))
    # What is no map at all is told where it is used, perhaps with a hint.
    with suppress(KbScoreError):
        for doubt in game.find_doubts(rules, files):
            complain(doubt, kind="warning")
    return files


def _explain(
    path: str, game: Game, records: Inputs, maps: Sequence[File], reporter: VerdictReporter
) -> Exit:
    """Check a record, and write choices that explain it to a file."""
    ((name, text),) = records if records.alone else [("", None)]
    if text is None:
        raise click.UsageError("--explain is about one record: name one, and no folder")
    verdict, session = game.explain(reporter.rules, [*maps, (name, unwrap(text))])
    if path == "-" and session:
        # If the session goes to standard output, nothing else does.
        click.echo(session, nl=False)
        return Exit.FINE
    if session:
        with open_output(path, [*reporter.before, name, *reporter.rules.changes.paths]) as write:
            write(session)
    else:
        reason = "not written, because nothing explains this record"
        complain(f"{visible(path)}: {reason}", kind="note")
    return reporter.tell(verdict, name)


@dataclass(frozen=True)
class VerdictReporter:
    """Prints the verdicts of a command, one after another."""

    rules: GameRules  # the rules, whose changes are repeated in commands that it proposes
    format_: str  # one of `kb_score.shell.output.FORMATS`
    before: Sequence[str] = ()  # the files that come before a record on the command line
    options: Sequence[str] = ()  # more of the command line that the game's check and replay share

    def tell(
        self, verdict: Verdict, path: str, *, alone: bool = True, is_first: bool = True
    ) -> Exit:
        """Print the verdict on a record, and which command shows its first violation."""
        turn = verdict.violations[0].turn if verdict.violations else None
        hint, paths = "", (*self.before, path)
        if turn is not None and "-" not in paths:
            changes = self.rules.changes.words()
            words = "kb-score", "replay", verdict.game, *paths, *self.options, *changes
            hint = f"see turn {turn}: {shlex.join((*words, '-o', 'replay.html'))}"
        return show_verdict(verdict, self.format_, hint, alone=alone, is_first=is_first)


def report_all(
    records: Inputs,
    judge: Judge,
    reporter: VerdictReporter,
    pool: PoolOpener,
    texts: Iterable[Input] | None = None,
) -> Exit:
    """Check records and print the verdicts in order; a bad record does not lose the others."""
    found = partial(_judge_each, texts or records, judge, reporter.rules)
    what = f"of {len(records.paths)} records"
    return report_found(found, reporter, pool, alone=records.alone, what=what)


def report_found(
    judge: Callable[[Pool | None], Iterable[tuple[str, Verdict | KbScoreError]]],
    reporter: VerdictReporter,
    pool: PoolOpener,
    messages: Messages | None = None,
    *,
    alone: bool,
    what: str = "records",
) -> Exit:
    """Print what comes of records, in order: a verdict on each, or why there is none."""
    status, said = Exit.FINE, ""
    if reporter.rules.listener is not None:
        if not alone:
            raise click.UsageError("--why is about one record: name one, and no folder")
        # Other processes could not tell what they ask the rules.
        pool = nullcontext
    with messages or Messages() as told, pool() as workers:
        found = judge(workers)
        for path, verdict in found if alone else with_progress(found, what):
            if isinstance(verdict, Verdict):
                is_first = told.go_on()
                found_so = reporter.tell(verdict, path, alone=alone, is_first=is_first)
                status = max(status, found_so)
            # A mistake in a map is told once, and not for each record on it.
            elif str(verdict) != said:
                told.refuse(verdict)
                said = str(verdict)
    return status or told.status


def judge_record(
    check: Callable[..., Verdict],
    rules: GameRules,
    before: Sequence[File],
    options: Mapping[str, Any],
    record: Input,
) -> Verdict | KbScoreError:
    """Check a record, whose name and text come last, after other files."""
    try:
        return check(rules, [*before, (record[0], unwrap(record[1]))], **options)
    except KbScoreError as error:
        return error


def _judge_each(
    records: Iterable[Input], judge: Judge, rules: GameRules, pool: Pool | None
) -> Iterator[tuple[str, Verdict | KbScoreError]]:
    if pool is None:
        for record in records:
            yield record[0], judge(record)
        return
    from kb_score.shell.pool import run_tasks

    pool.require(rules.changes.check)
    for record, verdict in run_tasks(pool, judge, records, name=lambda record: record[0]):
        yield record[0], verdict
