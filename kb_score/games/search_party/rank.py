"""Entries to the challenge: their records checked and summed, ranked by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb_score.command import list_inputs, read_input
from kb_score.errors import BoardError, KbScoreError
from kb_score.findings import as_int
from kb_score.games.search_party.check import check_record
from kb_score.games.search_party.maps import Map, read_map
from kb_score.games.search_party.records import read_record
from kb_score.rules import NO_CHANGES, Changes, read_rules
from kb_score.solve import solve_unique
from kb_score.terms import Row
from kb_score.verdict import Verdict

_BEST, _TOTAL, _RANK = ("best", 6), ("total", 5), ("rank", 2)


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of an entry, or the one run that counts on a map.

    Attributes:
        turns: Turns taken.
        costars: Living costars.
        extras: Living extras.
    """

    turns: int
    costars: int
    extras: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an entry stands.

    Attributes:
        entry: The entry's name.
        rank: From 1; equal entries share one.
        total: Its sums over the maps.
        maps: On how many maps it has a run that counts.
        best: The run that counts on each of these maps, by the map's name, with its record's path.
    """

    entry: str
    rank: int
    total: Sums
    maps: int
    best: Mapping[str, tuple[str, Sums]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking of entries.

    Attributes:
        maps: The names of the maps.
        standings: The entries, best first.
        rejected: What was found wrong with records that do not count.
        unreadable: Why some records could not be read; they do not count either.
    """

    maps: tuple[str, ...]
    standings: tuple[Standing, ...]
    rejected: tuple[Verdict, ...]
    unreadable: tuple[KbScoreError, ...]


def rank_entries(
    entries: Sequence[Path],
    maps_folder: Path,
    changes: Changes = NO_CHANGES,
) -> Ranking:
    """Check all records of some entries, and rank the entries.

    Args:
        entries: A folder each, with records ``<map>.txt`` or ``<map>/*.txt``.
        maps_folder: The folder of the maps, ``<map>.txt`` each.
        changes: What the user changes about the rules.

    Raises:
        BoardError: A folder is not there, or holds nothing.
        FormatError: A map cannot be read.
        RuleError: Something is wrong with the user's rules.
    """
    maps = {Path(path).stem: read_map(read_input(path), path) for path in _list(maps_folder)}
    rejected: list[Verdict] = []
    unreadable: list[KbScoreError] = []
    runs: list[Row] = []
    paths: list[str] = []
    for number, entry in enumerate(entries):
        for map_number, path, verdict in _check_entry(entry, maps, changes):
            if isinstance(verdict, KbScoreError):
                unreadable.append(verdict)
            elif verdict.consistent and verdict.result["finished"]:
                result = [verdict.result[key] for key in ("turns", "costars", "extras")]
                runs.append((number, map_number, len(paths), *result))
                paths.append(path)
            else:
                rejected.append(verdict)
    standings = _rank([_name(entry) for entry in entries], tuple(maps), runs, paths, changes)
    return Ranking(tuple(maps), standings, tuple(rejected), tuple(unreadable))


def _list(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise BoardError(str(folder), "there is no such folder")
    return list(list_inputs([str(folder)]))


def _check_entry(
    entry: Path, maps: Mapping[str, Map], changes: Changes
) -> Iterator[tuple[int, str, Verdict | KbScoreError]]:
    if not entry.is_dir():
        reason = "an entry is a folder of records" if entry.exists() else "there is no such folder"
        raise BoardError(str(entry), reason)
    for number, (name, map_) in enumerate(maps.items()):
        single, several = entry / f"{name}.txt", entry / name
        found = [str(single)] if single.is_file() else []
        found += _list(several) if several.is_dir() else []
        for path in found:
            try:
                record = read_record(read_input(path), path, map_)
            except KbScoreError as error:
                yield number, path, error
            else:
                yield number, path, check_record(map_, record, path, changes)


def _name(entry: Path) -> str:
    return entry.resolve().name


def _rank(
    entries: Sequence[str],
    maps: Sequence[str],
    runs: Sequence[Row],
    paths: Sequence[str],
    changes: Changes,
) -> tuple[Standing, ...]:
    facts = {
        "entry": [(number,) for number in range(len(entries))],
        "map": [(number,) for number in range(len(maps))],
        "run": runs,
    }
    answer = solve_unique(
        read_rules("search_party", ["rank"], changes), facts, (_BEST, _TOTAL, _RANK)
    )
    best: list[dict[str, tuple[str, Sums]]] = [{} for _ in entries]
    for row in answer[_BEST]:
        entry, map_, run, turns, costars, extras = map(as_int, row)
        best[entry][maps[map_]] = (paths[run], Sums(turns, costars, extras))
    ranks = {as_int(entry): as_int(rank) for entry, rank in answer[_RANK]}
    standings = []
    for row in answer[_TOTAL]:
        entry, turns, costars, extras, number = map(as_int, row)
        total = Sums(turns, costars, extras)
        by_map = {name: best[entry][name] for name in maps if name in best[entry]}
        standings.append(Standing(entries[entry], ranks[entry], total, number, by_map))
    return tuple(sorted(standings, key=lambda standing: (standing.rank, standing.entry)))
