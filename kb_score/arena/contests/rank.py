"""The verb ``rank``: the rules rank entries by their records on a set of maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import click

from kb_score.arena.contests.scoring import list_attempts, rank_maps, read_standing
from kb_score.arena.contests.standings import find_places
from kb_score.cli.command import make_game_verb
from kb_score.cli.run import Run
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Row
from kb_score.errors import InputError, KbScoreError, RuleError, visible
from kb_score.games.game import Game
from kb_score.games.match import File
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.output import Exit, Output, Table, complain, with_progress
from kb_score.shell.verdict import Verdict

_NO_FOLDER = "there is no such folder"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A record of an entry on a map."""

    entry: int  # the number of the entry, from 0
    map: int  # the number of the map, from 0
    verdict: Verdict


class _Best(NamedTuple):
    """The attempt of an entry that counts on a map; its fields are in the table's sort order."""

    map: int
    place: int
    entry: int
    number: int
    figures: tuple[Any, ...]


class CheckedEntries(NamedTuple):
    """The records of entries on maps."""

    attempts: list[Attempt]
    errors: list[KbScoreError]  # the errors of records that cannot be read


_entries_argument = click.argument("entries", nargs=-1, required=True, metavar="ENTRY...")
_maps_option = click.option(
    "--maps",
    "maps_folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder whose .txt files are the maps.",
)
_details_option = click.option(
    "--details", is_flag=True, help="Also show the record that counts on each map."
)


def make_rank(game: Game) -> click.Command:
    """Make the verb of a game whose rules rank by the best record on each map."""
    options = (_entries_argument, _maps_option, _details_option)
    function = partial(_rank, game)
    return make_game_verb("rank", game, function, *options)


def _rank(game: Game, run: Run, entries: tuple[str, ...], maps_folder: Path, details: bool) -> Exit:
    """Print the ranking of entries, and notes on the records that do not count."""
    folders = []
    for name in entries:
        path = Path(name)
        if not path.exists():
            raise InputError(name, _NO_FOLDER)
        if not path.is_dir():
            raise InputError(name, "an entry is a folder of records")
        folders.append(path)
    folders.sort(key=lambda folder: folder.resolve().name)
    names = _name_entries(folders)
    maps = {}
    for map_path in _list_files(maps_folder):
        text = read_input(map_path, game.maps[0])
        map_ = (map_path, text)
        maps[Path(map_path).stem] = map_
        game.files.texts.read_start([map_])  # mistakes in maps are reported first
    map_names = list(maps)
    checked = _check_entries(game, folders, maps, run.rules)
    attempts = checked.attempts
    answer = _ask_rules(game, attempts, len(folders), len(maps), run.rules)
    for error in checked.errors:
        complain(error)
    _report_rejected(answer, attempts)
    _report_missing(answer, names, map_names)
    records = [attempt.verdict.record for attempt in attempts]
    figures = _list_figures(game)
    ranking = _report(answer, figures, names, map_names, records, details=details)
    run.show(ranking)
    if checked.errors:
        return Exit.UNUSABLE
    return Exit.FINE


def _report_rejected(answer: Answer, attempts: Sequence[Attempt]) -> None:
    """Print a note for each record that does not count."""
    rejected = set()
    for (number,) in answer.rows.get(("rejected", 1), ()):
        if number not in range(len(attempts)):
            raise RuleError(f"rank.lp gives rejected({number}), but no attempt has this number")
        rejected.add(number)
    for number, attempt in enumerate(attempts):
        if number not in rejected:
            continue
        verdict = attempt.verdict
        reason = "it was not played to the end"
        if verdict.violations:
            reason = visible(str(verdict.violations[0]))
        record = visible(verdict.record)
        complain(f"{record} does not count: {reason}", kind="note")


def _report_missing(answer: Answer, names: Sequence[str], map_names: Sequence[str]) -> None:
    """Print a note for each entry and map without a record that counts."""
    lacking = set()
    for entry, map_ in answer.rows.get(("lacks", 2), ()):
        if entry not in range(len(names)) or map_ not in range(len(map_names)):
            atom = f"lacks({entry},{map_})"
            raise RuleError(f"rank.lp gives {atom}, but there is no such entry or map")
        lacking.add((entry, map_))
    for entry, name in enumerate(names):
        for map_, map_name in enumerate(map_names):
            if (entry, map_) in lacking:
                missing = f"{visible(name)} has no legal record for map {visible(map_name)}"
                complain(missing, kind="note")


def _check_entries(
    game: Game, entries: Sequence[Path], maps: Mapping[str, File], rules: GameRules
) -> CheckedEntries:
    """Check the records of all entries on all maps; raise a RuleError if the rules are wrong."""
    checked = CheckedEntries([], [])
    pairs = list(product(enumerate(entries), enumerate(maps.items())))
    title = f"of {len(pairs)} maps of entries"
    for (entry, folder), (number, (name, map_)) in with_progress(pairs, title):
        for path in _iter_records(folder, name):
            try:
                text = read_input(path, game.record)
                verdict = game.check(rules, [map_, (path, text)])
            except RuleError:
                raise
            except KbScoreError as error:
                checked.errors.append(error)
                continue
            checked.attempts.append(Attempt(entry, number, verdict))
    return checked


def _iter_records(entry: Path, map_name: str) -> Iterator[str]:
    """Yield the paths of an entry's records on a map."""
    single = _find_file(entry, f"{map_name}.txt")
    if single.is_file():
        yield str(single)
    several = _find_file(entry, map_name)
    if several.is_dir():
        yield from _list_files(several)


def _find_file(folder: Path, name: str) -> Path:
    """Return the path of a name in a folder, where letters may be composed in another way."""
    path = folder / name
    if not path.exists():
        composed = normalize("NFC", name)
        for other in folder.iterdir():
            if normalize("NFC", other.name) == composed:
                return other
    return path


def _list_files(folder: Path) -> Iterator[str]:
    """Return the paths of the files in a folder; raise an InputError if there is no such folder."""
    path = str(folder)
    if not folder.is_dir():
        raise InputError(path, _NO_FOLDER)
    return list_inputs([path])


def _name_entries(folders: Sequence[Path]) -> list[str]:
    """Return the last parts of the paths of entries, as many of each as tell it apart."""
    paths = [folder.resolve() for folder in folders]
    names = []
    for folder, path in zip(folders, paths, strict=True):
        if paths.count(path) > 1:
            raise InputError(str(folder), "this entry is given twice")
        count = 1
        while sum(path.parts[-count:] == other.parts[-count:] for other in paths) > 1:
            count += 1
        names.append("/".join(path.parts[-count:]))
    return names


def _list_figures(game: Game) -> list[str]:
    """List the figures that are ranked, without the one that says whether the others count."""
    contest = game.contest
    return [figure for figure in contest.figures if figure != contest.counts_if]


def _ask_rules(
    game: Game, attempts: Sequence[Attempt], entries: int, maps: int, rules: GameRules
) -> Answer:
    """Ask the rules for the ranking; raise a RuleError if a figure is not a number."""
    contest = game.contest
    scores = []
    inconsistent: list[Row] = []
    for number, attempt in enumerate(attempts):
        verdict = attempt.verdict
        result = verdict.result
        score = tuple(result[figure] for figure in contest.figures)
        if not all(isinstance(value, int) for value in score):
            figures = ", ".join(contest.figures)
            raise RuleError(f"figure/3 gives {score} for {figures}: numbers are expected")
        scores.append((attempt.entry, attempt.map, score))
        if not verdict.consistent:
            inconsistent.append((number,))
    facts = list_attempts(game, entries, maps, scores)
    return rank_maps(rules, {**facts, "inconsistent": inconsistent})


def _report(
    answer: Answer,
    figures: Sequence[str],
    entries: Sequence[str],
    maps: Sequence[str],
    records: Sequence[str],
    *,
    details: bool,
) -> Output:
    """Return the ranking, with the record of each entry that counts on each map if asked for."""
    standing = read_standing(answer, len(entries))
    places = find_places(standing)
    count = len(figures)
    _check_numbers(answer, count, len(entries), len(maps), len(records))
    columns = (*figures, "maps")
    rows = []
    lines = {}  # by entry, the best one first
    for entry, sums in _list_sums(answer, count, places):
        name = entries[entry]
        cells = (places[entry], name, *sums)
        rows.append(cells)
        line: dict[str, Any] = {"entry": name}
        line.update(zip(columns, sums, strict=True))
        lines[entry] = line
    tables = [Table("", ("rank", "entry", *columns), tuple(rows))]
    if details:
        for line in lines.values():
            line["runs"] = []
        details_rows = []
        for best in _list_best(answer, count, places):
            map_name = maps[best.map]
            record = records[best.number]
            name = entries[best.entry]
            details_cells = (map_name, name, record, *best.figures)
            details_rows.append(details_cells)
            shown = {"map": map_name, "record": record}
            shown.update(zip(figures, best.figures, strict=True))
            line = lines[best.entry]
            line["runs"].append(shown)
        details_columns = ("map", "entry", "record", *figures)
        tables.append(Table("", details_columns, tuple(details_rows)))
    return Output(tables, list(lines.values()))


def _list_sums(
    answer: Answer, figures: int, places: Mapping[int, int]
) -> list[tuple[int, tuple[Any, ...]]]:
    """List the entries, the best one first, with their sums from sums(Entry,Figure,...,Maps)."""
    found: dict[int, tuple[Any, ...]] = {}
    for entry, *sums in answer.rows.get(("sums", figures + 2), ()):
        assert isinstance(entry, int)
        found[entry] = tuple(sums)
    return sorted(found.items(), key=lambda item: (places[item[0]], item[0]))


def _check_numbers(answer: Answer, figures: int, entries: int, maps: int, records: int) -> None:
    """Check that sums and best attempts refer to entries, maps and attempts that exist.

    An entry without exactly one row of sums is a RuleError, too.
    """
    arity = figures + 2
    sums = [row[0] for row in answer.rows.get(("sums", arity), ())]
    if sorted(sums, key=str) != sorted(range(entries), key=str):
        message = f"must derive and show one sums/{arity} for each entry/1"
        raise RuleError(f"rank.lp {message}: the sums of its figures, and the number of its maps")
    known = (range(entries), range(maps), range(records))
    best = answer.rows.get(("best", figures + 3), ())
    for row in best:
        for number, numbers in zip(row, known, strict=False):
            if number not in numbers:
                arguments = ",".join(map(str, row))
                problem = "there is no such entry, map or attempt"
                raise RuleError(f"rank.lp gives best({arguments}), but {problem}")


def _list_best(answer: Answer, figures: int, places: Mapping[int, int]) -> list[_Best]:
    """List the attempts that count, by map and place, from best(Entry,Map,Number,Figure,...)."""
    found = []
    best = answer.rows.get(("best", figures + 3), ())
    for entry, map_, number, *rest in best:
        assert isinstance(entry, int)
        assert isinstance(map_, int)
        assert isinstance(number, int)
        place = places[entry]
        attempt = _Best(map_, place, entry, number, tuple(rest))
        found.append(attempt)
    return sorted(found)
