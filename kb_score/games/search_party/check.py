"""A record against the rules: facts in, verdict out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from kb_score.engine.rules import Answer, GameRules
from kb_score.errors import InputError
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.rulings import apply_rulings, note_rulings
from kb_score.games.schema import judge, write_sentence
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.records import Map, Record, read_map, read_record, recognises
from kb_score.shell.files import in_order
from kb_score.shell.picture import Replay
from kb_score.shell.verdict import Verdict

_CAPTION = "before turn {turn}"


def check_record(rules: GameRules, *files: tuple[str, str]) -> Verdict:
    """Check a record on its map: two files, a name and a text each."""
    applied = apply_rulings(rules, *files)
    return note_rulings(judge_record(applied, *read_files(*files)), rules, applied)


def read_files(*files: tuple[str, str], alone: bool = False) -> tuple[Map, Record]:
    """Read a map and a record on it; a map that may stand alone is a game without a turn."""
    if alone and len(files) == 1:
        ((name, text),) = files
        return read_map(text, name), Record(name, "plan", None, {"turns": [(0,)]}, {})
    if len(files) != 2:
        raise InputError(files[0][0], "two files are needed: a map and a record")
    (map_name, map_text), (name, text) = files
    with in_order(swapped=recognises(text)):
        map_ = read_map(map_text, map_name)
    return map_, read_record(text, name, map_)


def judge_record(rules: GameRules, map_: Map, record: Record) -> Verdict:
    """Compare a record with the rules; violations come in the order of turns."""
    return _judge(_ask(rules, map_, record), record)


def follow_record(rules: GameRules, *files: tuple[str, str]) -> Replay:
    """Draw each turn of a record on its map, or a map alone: one or two files, the map first."""
    rules = apply_rulings(rules, *files)
    map_, record = read_files(*files, alone=True)
    answer = _ask(rules, map_, record, (REPLAY,))
    return make_replay(_judge(answer, record), [Window(0, answer, _CAPTION)], keep=True)


def _ask(rules: GameRules, map_: Map, record: Record, more: Sequence[str] = ()) -> Answer:
    facts = {**map_.facts(), **record.facts}
    use = asp.CHECK[record.kind].plus(*more)
    answer = rules.ask(use, facts, turns=record.turns)
    check_map(map_, answer.read(asp.InvalidMapRow))
    return answer


def _judge(answer: Answer, record: Record) -> Verdict:
    keys = ("turns", "costars", "extras", "finished")
    claimed = record.claimed and {**record.claimed, "finished": True}
    verdict = judge(asp.GAME, record.name, answer, *keys, claimed=claimed, caption=f"{_CAPTION}:")
    return replace(verdict, picture=verdict.picture + _list_sharing(answer))


def check_map(map_: Map, found: Iterable[asp.InvalidMapRow]) -> None:
    """Check that the rules find nothing wrong with a map."""
    if details := sorted(write_sentence(row.detail) for row in found):
        raise InputError(map_.name, "; ".join(details))


def _list_sharing(answer: Answer) -> str:
    """List the places of a picture where several people stand, each with these people."""
    rows = sorted(answer.read(asp.SharingRow))
    lines = [
        f"{column},{row}: {' '.join(person for _, _, person in group)}\n"
        for (row, column), group in groupby(rows, lambda who: who[:2])
    ]
    return "".join(["\n", *lines] if lines else [])
