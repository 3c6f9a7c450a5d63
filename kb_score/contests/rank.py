"""The command ``rank search-party``: entries checked on a set of maps, and ranked by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kb_score.contests.standings import find_places
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Facts, Row
from kb_score.errors import InputError, KbScoreError, visible
from kb_score.games.game import StandingRow
from kb_score.games.search_party.check import judge_record
from kb_score.games.search_party.game import GAME
from kb_score.games.search_party.records import MAP_FILE, RECORD_FILE, Map, read_map, read_record
from kb_score.games.search_party.rules import BestRow, LacksRow, RejectedRow, SumsRow
from kb_score.games.verbs.command import game_options
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.output import Exit, Output, Table, complain, show
from kb_score.shell.verdict import Verdict

_SUMS = ("turns", "costars", "extras")
_COLUMNS = ("rank", "entry", *_SUMS, "maps")
_DETAILS = ("map", "entry", "record", *_SUMS)


@click.command(
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
@game_options("search_party")
def rank(
    entries: tuple[str, ...], maps_folder: Path, details: bool, format_: str, rules: GameRules
) -> Exit:
    """Rank entries by their records on a set of maps.

    ENTRY is a folder with a record <map>.txt for each map, or a folder <map> of several records, of
    which the best legal one counts. Fewest turns win, then most living costars, then extras.
    """
    folders = sorted(map(_find_entry, entries), key=_name)
    maps = {
        Path(path).stem: read_map(read_input(path, MAP_FILE), path) for path in _list(maps_folder)
    }
    attempts, errors = _check_entries(folders, maps, rules)
    answer = rules.ask(GAME.ranking, _make_facts(len(folders), len(maps), attempts))
    names, verdicts = [_name(folder) for folder in folders], [verdict for _, _, verdict in attempts]
    for error in errors:
        complain(error)
    for (number,) in sorted(answer.read(RejectedRow)):
        complain(_say_why(verdicts[number]), kind="note")
    for entry, map_ in sorted(answer.read(LacksRow)):
        lacks = f"{visible(names[entry])} has no legal record of map {visible([*maps][map_])}"
        complain(lacks, kind="note")
    records = [verdict.record for verdict in verdicts]
    show(_report(answer, names, [*maps], records, details=details), format_)
    return Exit.UNUSABLE if errors else Exit.FINE


Attempt = tuple[int, int, "Verdict"]


def _find_entry(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        exists = folder.exists()
        reason = "an entry is a folder of records" if exists else "there is no such folder"
        raise InputError(name, reason)
    return folder


def _check_entries(
    entries: Sequence[Path], maps: Mapping[str, Map], rules: GameRules
) -> tuple[list[Attempt], list[KbScoreError]]:
    """Check the records of all entries on all maps, and collect those that cannot be read."""
    attempts: list[Attempt] = []
    errors: list[KbScoreError] = []
    for entry, folder in enumerate(entries):
        for number, (name, map_) in enumerate(maps.items()):
            for path in _find_records(folder, name):
                try:
                    record = read_record(read_input(path, RECORD_FILE), path, map_)
                except KbScoreError as error:
                    errors.append(error)
                else:
                    attempts.append((entry, number, judge_record(rules, map_, record)))
    return attempts, errors


def _find_records(entry: Path, map_name: str) -> Iterator[str]:
    single, several = entry / f"{map_name}.txt", entry / map_name
    if single.is_file():
        yield str(single)
    if several.is_dir():
        yield from _list(several)


def _list(folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        raise InputError(str(folder), "there is no such folder")
    return list_inputs([str(folder)])


def _name(entry: Path) -> str:
    return entry.resolve().name


def _make_facts(entries: int, maps: int, attempts: Sequence[Attempt]) -> Facts:
    verdicts = [verdict for _, _, verdict in attempts]
    rows: list[Row] = [
        (entry, map_, number, *(verdict.result[key] for key in _SUMS))
        for number, (entry, map_, verdict) in enumerate(attempts)
    ]
    return {
        "entry": [(number,) for number in range(entries)],
        "map": [(number,) for number in range(maps)],
        "attempt": rows,
        "incomplete": [(n,) for n, v in enumerate(verdicts) if not v.result["finished"]],
        "inconsistent": [(n,) for n, v in enumerate(verdicts) if not v.consistent],
    }


def _say_why(verdict: Verdict) -> str:
    reason = verdict.violations[0] if verdict.violations else "it is not played to the end"
    return f"{visible(verdict.record)} does not count: {visible(str(reason))}"


def _report(
    answer: Answer,
    entries: Sequence[str],
    maps: Sequence[str],
    records: Sequence[str],
    *,
    details: bool,
) -> Output:
    places = find_places(answer.read(StandingRow))
    ranked = sorted(answer.read(SumsRow), key=lambda row: (places[row.entry], row.entry))
    rows = tuple((places[row.entry], entries[row.entry], *row[1:]) for row in ranked)
    lines: list[dict[str, Any]] = [dict(zip(_COLUMNS[1:], row[1:], strict=True)) for row in rows]
    tables = [Table("", _COLUMNS, rows)]
    if details:
        best = {
            (row.entry, row.map_): (
                maps[row.map_],
                entries[row.entry],
                records[row.number],
                *row[3:],
            )
            for row in answer.read(BestRow)
        }
        chosen = [
            [(row.entry, m) for m in range(len(maps)) if (row.entry, m) in best] for row in ranked
        ]
        for line, own in zip(lines, chosen, strict=True):
            runs = (zip(_DETAILS, best[place], strict=True) for place in own)
            line["runs"] = [{key: value for key, value in run if key != "entry"} for run in runs]
        by_map = sorted((place for own in chosen for place in own), key=lambda place: place[1])
        tables.append(Table("", _DETAILS, tuple(best[place] for place in by_map)))
    return Output(tables, lines)


COMMANDS = {"rank": rank}
