"""The command ``rank search-party``: check entries on a set of maps, and rank them by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click

from kb_score.contests.standings import find_places
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Row
from kb_score.errors import InputError, KbScoreError, visible
from kb_score.games.game import StandingRow
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.check import judge_record
from kb_score.games.search_party.game import GAME, list_attempts
from kb_score.games.search_party.records import MAP_FILE, RECORD_FILE, Map, read_map, read_record
from kb_score.games.verbs.run import Run, run_command
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.output import Exit, Output, Table, complain, with_progress
from kb_score.shell.verdict import Verdict

_SUMS = ("turns", "costars", "extras")
_COLUMNS = ("rank", "entry", *_SUMS, "maps")
_DETAILS = ("map", "entry", "record", *_SUMS)
_NO_FOLDER = "there is no such folder"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A record of an entry on a map."""

    entry: int  # the number of the entry, from 0
    map: int  # the number of the map, from 0
    verdict: Verdict


class CheckedEntries(NamedTuple):
    """The records of entries on maps."""

    attempts: list[Attempt]
    errors: list[KbScoreError]  # the errors of records that cannot be read


@run_command(
    "search_party",
    "search-party",
    short_help="Entries by their records on a set of maps.",
    epilog="Example: kb-score rank search-party entries/* --maps maps/",
)
@click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
@click.option(
    "--maps",
    "maps_folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder whose .txt files are the maps.",
)
@click.option("--details", is_flag=True, help="Also show the record that counts on each map.")
def rank(run: Run, entries: tuple[str, ...], maps_folder: Path, details: bool) -> Exit:
    """Rank entries by their records on a set of maps.

    ENTRY is a folder with a record <map>.txt for each map, or a folder <map> of several records, of
    which the best legal one counts. Fewest turns win, then most living costars, then extras.
    """
    for name in entries:
        path = Path(name)
        if not path.exists():
            raise InputError(name, _NO_FOLDER)
        if not path.is_dir():
            raise InputError(name, "an entry is a folder of records")
    folders = sorted(map(Path, entries), key=_name)
    names = list(map(_name, folders))
    maps = {}
    for map_path in _list_files(maps_folder):
        text = read_input(map_path, MAP_FILE)
        maps[Path(map_path).stem] = read_map(text, map_path)
    map_names = list(maps)
    checked = _check_entries(folders, maps, run.rules)
    attempts = checked.attempts
    answer = _ask_rules(attempts, len(folders), len(maps), run.rules)
    for error in checked.errors:
        complain(error)
    for row in sorted(answer.read(asp.RejectedRow)):
        verdict = attempts[row.number].verdict
        reason = "it is not played to the end"
        if verdict.violations:
            reason = visible(str(verdict.violations[0]))
        record = visible(verdict.record)
        complain(f"{record} does not count: {reason}", kind="note")
    for lack in sorted(answer.read(asp.LacksRow)):
        name = visible(names[lack.entry])
        map_name = visible(map_names[lack.map_])
        complain(f"{name} has no legal record of map {map_name}", kind="note")
    records = [attempt.verdict.record for attempt in attempts]
    run.show(_report(answer, names, map_names, records, details=details))
    return Exit.UNUSABLE if checked.errors else Exit.FINE


def _check_entries(
    entries: Sequence[Path], maps: Mapping[str, Map], rules: GameRules
) -> CheckedEntries:
    """Check the records of all entries on all maps."""
    checked = CheckedEntries([], [])
    pairs = list(product(enumerate(entries), enumerate(maps.items())))
    title = f"of {len(pairs)} maps of entries"
    for (entry, folder), (number, (name, map_)) in with_progress(pairs, title):
        for path in _list_records(folder, name):
            try:
                text = read_input(path, RECORD_FILE)
                record = read_record(text, path, map_)
            except KbScoreError as error:
                checked.errors.append(error)
                continue
            verdict = judge_record(rules, map_, record)
            checked.attempts.append(Attempt(entry, number, verdict))
    return checked


def _list_records(entry: Path, map_name: str) -> Iterator[str]:
    """Yield the paths of an entry's records on a map."""
    single = entry / f"{map_name}.txt"
    if single.is_file():
        yield str(single)
    several = entry / map_name
    if several.is_dir():
        yield from _list_files(several)


def _list_files(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        raise InputError(str(folder), _NO_FOLDER)
    return list_inputs([str(folder)])


def _name(entry: Path) -> str:
    return entry.resolve().name


def _ask_rules(attempts: Sequence[Attempt], entries: int, maps: int, rules: GameRules) -> Answer:
    """Return the answer of the rules about the ranking."""
    scoring = GAME.arena.scoring
    scores = []
    inconsistent: list[Row] = []
    for number, attempt in enumerate(attempts):
        verdict = attempt.verdict
        score = tuple(verdict.result[figure] for figure in scoring.figures)
        scores.append((attempt.entry, attempt.map, score))
        if not verdict.consistent:
            inconsistent.append((number,))
    facts = list_attempts(entries, maps, scores)
    return rules.ask(scoring.ranking, {**facts, "inconsistent": inconsistent})


def _report(
    answer: Answer,
    entries: Sequence[str],
    maps: Sequence[str],
    records: Sequence[str],
    *,
    details: bool,
) -> Output:
    """Return the ranking, and with ``details`` the record of each entry that counts on each map."""
    places = find_places(answer.read(StandingRow))
    ranked = sorted(answer.read(asp.SumsRow), key=lambda row: (places[row.entry], row.entry))
    rows = []
    lines: dict[int, dict[str, Any]] = {}  # by entry, the best one first
    for sums in ranked:
        cells = (places[sums.entry], entries[sums.entry], *sums[1:])
        rows.append(cells)
        lines[sums.entry] = dict(zip(_COLUMNS[1:], cells[1:], strict=True))
    tables = [Table("", _COLUMNS, tuple(rows))]
    if details:
        for line in lines.values():
            line["runs"] = []
        details_rows = []
        best = answer.read(asp.BestRow)
        for run in sorted(best, key=lambda run: (run.map_, places[run.entry], run.entry)):
            details_cells = (maps[run.map_], entries[run.entry], records[run.number], *run[3:])
            details_rows.append(details_cells)
            shown = dict(zip(_DETAILS, details_cells, strict=True))
            del shown["entry"]
            lines[run.entry]["runs"].append(shown)
        tables.append(Table("", _DETAILS, tuple(details_rows)))
    return Output(tables, list(lines.values()))


COMMANDS = {"rank": rank}
