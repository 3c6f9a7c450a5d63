"""The command ``rank search-party``: entries checked on a set of maps, and ranked by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

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

# The numbers of an entry and of a map, and what the rules say of a record.
Attempt: TypeAlias = tuple[int, int, Verdict]


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
        if not Path(name).is_dir():
            exists = Path(name).exists()
            raise InputError(name, "an entry is a folder of records" if exists else _NO_FOLDER)
    folders = sorted(map(Path, entries), key=_name)
    maps = {
        Path(path).stem: read_map(read_input(path, MAP_FILE), path) for path in _list(maps_folder)
    }
    attempts, errors = _check_entries(folders, maps, run.rules)
    names, verdicts = [_name(folder) for folder in folders], [verdict for _, _, verdict in attempts]
    found = [
        (e, m, tuple(v.result[key] for key in GAME.arena.scoring.figures)) for e, m, v in attempts
    ]
    facts = list_attempts(len(folders), len(maps), found)
    wrong: list[Row] = [(n,) for n, verdict in enumerate(verdicts) if not verdict.consistent]
    answer = run.rules.ask(GAME.arena.scoring.ranking, {**facts, "inconsistent": wrong})
    for error in errors:
        complain(error)
    for (number,) in sorted(answer.read(asp.RejectedRow)):
        violations = verdicts[number].violations
        reason = violations[0] if violations else "it is not played to the end"
        why = f"does not count: {visible(str(reason))}"
        complain(f"{visible(verdicts[number].record)} {why}", kind="note")
    for entry, map_ in sorted(answer.read(asp.LacksRow)):
        lacks = f"{visible(names[entry])} has no legal record of map {visible([*maps][map_])}"
        complain(lacks, kind="note")
    records = [verdict.record for verdict in verdicts]
    run.show(_report(answer, names, [*maps], records, details=details))
    return Exit.UNUSABLE if errors else Exit.FINE


def _check_entries(
    entries: Sequence[Path], maps: Mapping[str, Map], rules: GameRules
) -> tuple[list[Attempt], list[KbScoreError]]:
    """Check the records of all entries on all maps, and collect those that cannot be read."""
    attempts: list[Attempt] = []
    errors: list[KbScoreError] = []
    pairs = list(product(enumerate(entries), enumerate(maps)))
    for (entry, folder), (number, name) in with_progress(pairs, f"of {len(pairs)} maps of entries"):
        single, several = folder / f"{name}.txt", folder / name
        paths = [str(single)] if single.is_file() else []
        for path in [*paths, *(_list(several) if several.is_dir() else ())]:
            try:
                record = read_record(read_input(path, RECORD_FILE), path, maps[name])
            except KbScoreError as error:
                errors.append(error)
            else:
                attempts.append((entry, number, judge_record(rules, maps[name], record)))
    return attempts, errors


def _list(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        raise InputError(str(folder), _NO_FOLDER)
    return list_inputs([str(folder)])


def _name(entry: Path) -> str:
    return entry.resolve().name


def _report(
    answer: Answer,
    entries: Sequence[str],
    maps: Sequence[str],
    records: Sequence[str],
    *,
    details: bool,
) -> Output:
    places = find_places(answer.read(StandingRow))
    ranked = sorted(answer.read(asp.SumsRow), key=lambda row: (places[row.entry], row.entry))
    order = {row.entry: number for number, row in enumerate(ranked)}
    rows = tuple((places[row.entry], entries[row.entry], *row[1:]) for row in ranked)
    lines: list[dict[str, Any]] = [dict(zip(_COLUMNS[1:], row[1:], strict=True)) for row in rows]
    tables = [Table("", _COLUMNS, rows)]
    if details:
        # The records that count: an entry, by its place in the table, a map, and what is shown.
        best: list[tuple[int, int, tuple[Any, ...]]] = [
            (order[entry], map_, (maps[map_], entries[entry], records[number], *sums))
            for entry, map_, number, *sums in answer.read(asp.BestRow)
        ]
        for line in lines:
            line["runs"] = []
        for number, _, shown in sorted(best):
            run = dict(zip(_DETAILS, shown, strict=True))
            lines[number]["runs"].append({key: run[key] for key in run if key != "entry"})
        by_map = sorted(best, key=lambda one: (one[1], one[0]))
        tables.append(Table("", _DETAILS, tuple(shown for _, _, shown in by_map)))
    return Output(tables, lines)


COMMANDS = {"rank": rank}
