"""The records of the search party, as the rules judge them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kb_score.errors import InputError
from kb_score.games.record import RecordKind
from kb_score.games.schema import write_sentence
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.records import Map, Record, read_map, read_record, recognises
from kb_score.shell.files import in_order

if TYPE_CHECKING:
    from kb_score.engine.rules import Answer, GameRules, Use
    from kb_score.engine.terms import Facts, Numbered
    from kb_score.games.game import File
    from kb_score.shell.verdict import Verdict


@dataclass(frozen=True, slots=True)
class PartyFiles:
    """A record on its map."""

    map: Map
    record: Record


class PartyRecord(RecordKind[PartyFiles]):
    """A plan, a session or a stream; each has its own rules."""

    game = asp.GAME
    type = PartyFiles
    keys = ("turns", "costars", "extras", "finished")
    turn_caption = "before turn {turn}"
    caption = f"{turn_caption}:"

    def use(self, record: PartyFiles) -> Use:
        return asp.CHECK[record.record.kind]

    def facts(self, record: PartyFiles) -> Facts:
        return {**record.map.facts(), **record.record.facts}

    def turns(self, record: PartyFiles) -> Numbered:
        return record.record.turns

    def claimed(self, record: PartyFiles, _answer: Answer) -> Mapping[str, Any] | None:
        claimed = record.record.claimed
        return claimed and {**claimed, "finished": True}

    def ask(self, rules: GameRules, record: PartyFiles, *more: str) -> Answer:
        """Ask about the record; an InputError if the rules find something wrong with the map."""
        answer = super().ask(rules, record, *more)
        check_map(record.map, answer.read(asp.InvalidMapRow))
        return answer

    def make_verdict(self, answer: Answer, record: PartyFiles, name: str) -> Verdict:
        """Make the verdict; below its picture stand the people who share a cell."""
        verdict = super().make_verdict(answer, record, name)
        return replace(verdict, picture=verdict.picture + _list_sharing(answer))


KIND = PartyRecord()


def read_files(_rules: GameRules, files: Sequence[File]) -> PartyFiles:
    """Read a map and a record on it; a map alone is a game without a turn."""
    (map_name, map_text), *others = files
    if not others:
        still = Record(map_name, "plan", None, {"turns": [(0,)]}, {})
        return PartyFiles(read_map(map_text, map_name), still)
    ((name, text),) = others
    with in_order(swapped=recognises(text)):
        map_ = read_map(map_text, map_name)
    return PartyFiles(map_, read_record(text, name, map_))


def judge_record(rules: GameRules, map_: Map, record: Record) -> Verdict:
    """Judge a record that has been read; violations come in the order of turns."""
    mapped = PartyFiles(map_, record)
    return KIND.judge(rules, mapped, record.name)


def check_map(map_: Map, found: Iterable[asp.InvalidMapRow]) -> None:
    """Check that the rules find nothing wrong with a map."""
    details = sorted(write_sentence(row.detail) for row in found)
    if details:
        raise InputError(map_.name, "; ".join(details))


def _list_sharing(answer: Answer) -> str:
    """List the places of a picture where several people stand, each with these people."""
    rows = sorted(answer.read(asp.SharingRow))
    lines = []
    for (row, column), group in groupby(rows, lambda who: who[:2]):
        people = " ".join(person for _, _, person in group)
        lines.append(f"{column},{row}: {people}\n")
    return "".join(["\n", *lines] if lines else [])
