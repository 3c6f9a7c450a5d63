"""The verb ``check``, which checks records against the rules: one after another, in order."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from kb_score.cli.command import make_game_verb, make_options, name_files, take_files
from kb_score.cli.why import CHECKED
from kb_score.errors import FileKind, KbScoreError, unwrap, visible
from kb_score.resources import list_rule_folders, list_user_folders
from kb_score.shell.files import Input, Inputs, find_inputs, open_output, read_inputs
from kb_score.shell.output import Exit, Messages, complain, show_progress
from kb_score.shell.verdict import Verdict, report_verdict

if TYPE_CHECKING:
    from kb_score.cli.run import Run
    from kb_score.engine.rules import GameRules
    from kb_score.games.game import Game
    from kb_score.games.match import File
    from kb_score.shell.pool import Pool

_EXPLAIN = "Save to FILE, as a session, choices that explain the record; - is standard output."


def make_check(game: Game) -> click.Command:
    """Return the command ``check`` of a game."""
    (name,) = name_files([game.record])

    def check(run: Run, explain: str | None = None, **given: Any) -> Exit:
        paths = take_files(given, game.maps)
        may_be_empty = game.has_empty_record
        records = find_inputs(given[name], game.record, *paths, may_be_empty=may_be_empty)
        options = {option.name: given[option.name] for option in game.list_options("check")}
        maps = read_maps(game, run.rules, paths, game.maps)
        repeated = _repeat_options(game, options)
        hint = ReplayHint(game.title, run.rules, paths, repeated)
        if explain is not None:
            return _explain(run, explain, game, records, maps, hint)
        judge = Judge(game.check, run.rules, maps, options)
        with Messages() as messages, open_workers(run, is_alone=records.alone) as pool:
            found = judge_all(judge, records, pool)
            progress = f"of {len(records.paths)} records"
            status = report_all(run, found, messages, hint, records.alone, progress)
        if status is not Exit.UNUSABLE:
            run.explain(CHECKED)
        return status

    explain = click.option("--explain", metavar="FILE", help=_EXPLAIN)
    return make_game_verb(
        "check",
        game,
        check,
        *(click.argument(before, metavar=before.upper()) for before in name_files(game.maps)),
        click.argument(name, metavar=f"{name.upper()}...", nargs=-1, required=True),
        *make_options(game.list_options("check")),
        *([explain] if game.can_explain else []),
        has_workers=True,
        has_reasons=True,
        saves_results=True,
    )


def _repeat_options(game: Game, given: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line for the options that check and replay share."""
    words: list[str] = []
    for option in game.list_options("draw"):
        value = given.get(option.name)
        if value is not None:
            words += [f"--{option.name}", str(value)]
    return words


def read_maps(
    game: Game, rules: GameRules, paths: Sequence[str], kinds: Sequence[FileKind]
) -> tuple[File, ...]:
    """Read the maps that a command line names, and print warnings about them."""
    texts = read_inputs(*zip(paths, kinds, strict=True))
    files = tuple(zip(paths, texts, strict=True))
    # A file that is not a map is reported later, where it is used, perhaps with a hint.
    with suppress(KbScoreError):
        for doubt in game.find_doubts(rules, files):
            complain(doubt, kind="warning")
    return files


def _explain(
    run: Run, path: str, game: Game, records: Inputs, maps: Sequence[File], hint: ReplayHint
) -> Exit:
    """Check a record, and write choices that explain it to a file."""
    if not records.alone:
        raise click.UsageError("--explain works on one record: name one file, not a folder")
    ((name, text),) = records
    verdict, session = game.explain(run.rules, [*maps, (name, unwrap(text))])
    if path == "-" and session:
        # Standard output then contains only the session.
        click.echo(session, nl=False)
        return Exit.FINE
    if session:
        with open_output(path, run.target.inputs, force=run.target.force) as write:
            write(session)
    else:
        reason = "not written, because nothing explains this record"
        complain(f"{visible(path)}: {reason}", kind="note")
    return _report(run, verdict, hint, is_alone=True, is_first=True)


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges single records by the rules of a game.

    The options are those of `kb_score.games.game.Game.check`, by name.
    """

    check: Callable[..., Verdict]
    rules: GameRules
    maps: Sequence[File] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, record: Input) -> Verdict | KbScoreError:
        """Return the verdict on a record, or the error if it cannot be judged."""
        name, text = record
        try:
            files = [*self.maps, (name, unwrap(text))]
            return self.check(self.rules, files, **self.options)
        except KbScoreError as error:
            return error


def open_workers(run: Run, *, is_alone: bool) -> AbstractContextManager[Pool | None]:
    """Open the workers of a check; None stands for this process.

    A check with reasons has one record, and needs no workers: several records are a usage error.
    """
    if run.reasons is None:
        return run.open_workers()
    if not is_alone:
        raise click.UsageError("--why works on one record: name one file, not a folder")
    return nullcontext()


def judge_all(
    judge: Judge, records: Iterable[Input], pool: Pool | None
) -> Iterable[Verdict | KbScoreError]:
    """Return the verdict on each record or its error, in order; no pool stands for this process."""
    if pool is None:
        return map(judge, records)
    from kb_score.shell.pool import run_tasks

    pool.require(judge.rules.changes.check)
    done = run_tasks(pool, judge, records, name=lambda record: record[0])
    return (found for _, found in done)


def report_all(
    run: Run,
    found: Iterable[Verdict | KbScoreError],
    messages: Messages,
    hint: ReplayHint,
    is_alone: bool,
    progress: str,
) -> Exit:
    """Print verdicts in order, report the errors of the other records, and return the status.

    The text ``progress`` follows the number of judged records, such as "of 3 records".
    """
    status = Exit.FINE
    last_error = ""
    if not is_alone:
        show_progress(f"0 {progress}")
    for number, verdict in enumerate(found, 1):
        if isinstance(verdict, Verdict):
            is_first = messages.accept()
            one = _report(run, verdict, hint, is_alone=is_alone, is_first=is_first)
            status = max(status, one)
        elif str(verdict) != last_error:
            # A mistake in a map is reported once, not for each record.
            messages.refuse(verdict)
            last_error = str(verdict)
        if not is_alone:
            show_progress(f"{number} {progress}")
    return status or messages.status


@dataclass(frozen=True, slots=True)
class ReplayHint:
    """A hint that shows the command for replaying a record's first violation.

    The command has the paths ``before`` the record, and repeats the user's changes to the rules.
    """

    game: str
    rules: GameRules
    before: Sequence[str] = ()
    options: Sequence[str] = ()

    def write(self, verdict: Verdict) -> str:
        """Return the hint; empty if the verdict's first violation has no turn, or a file is "-"."""
        paths = [*self.before, verdict.record]
        turn = verdict.violations[0].turn if verdict.violations else None
        if turn is None or "-" in paths:
            return ""
        changes = self.rules.changes.words()
        home = list_rule_folders()[self.rules.game]
        folder = ["--game-dir", str(home)] if home in list_user_folders() else []
        options = [*self.options, *changes, *folder, "-o", "replay.html"]
        command = ["kb-score", "replay", self.game, *paths, *options]
        return f"see turn {turn}: {shlex.join(command)}"


def _report(
    run: Run, verdict: Verdict, hint: ReplayHint, *, is_alone: bool, is_first: bool
) -> Exit:
    for note in verdict.notes:
        complain(note, kind="note" if is_alone else f"{verdict.record}: note")
    line = hint.write(verdict) if run.format == "table" else ""
    run.show(report_verdict(verdict, line, is_alone=is_alone), is_first=is_first)
    return Exit.FINE if verdict.consistent else Exit.DIFFERS
