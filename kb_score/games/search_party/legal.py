"""Where people may go at a turn of a record, and what of a line of moves is illegal."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from kb_score.games.dialect import IllegalRow
from kb_score.games.legal import Legal, Look, Reason, find_turn, read_reason, refuse
from kb_score.games.search_party.check import check_map, read_files
from kb_score.games.search_party.records import read_answer
from kb_score.games.search_party.rules import (
    JUDGE,
    LEGAL,
    MOMENT,
    InvalidMapRow,
    OverRow,
    PermittedRow,
    WaitingRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts, Row
    from kb_score.games.search_party.maps import Map


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment at which a turn begins.

    Attributes:
        map_: The map.
        turn: The turn, from 1.
        people: Everybody alive, each with the cell as the rules number it.
        over: After which turn the search was over, or None if it goes on.
    """

    map_: Map
    turn: int
    people: tuple[tuple[str, int], ...]
    over: int | None

    def facts(self) -> Facts:
        """Make the facts for asp/search_party/legal.lp."""
        before = self.turn - 1
        return {
            **self.map_.facts(),
            "queried": [(self.turn,)],
            "waiting": self.people,
            "at": [(person, cell, before) for person, cell in self.people],
            "alive": [(person, before) for person, _ in self.people],
        }


def look_at(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> Look:
    """Make what ``kb-score legal`` finds out of a turn; takes what `find_moment` does."""
    moment = find_moment(rules, turn, *files)
    return Look(
        moment.turn,
        "" if moment.over is None else f"the search was over after turn {moment.over}",
        lambda: list_legal(moment, rules),
        lambda line: judge_moves(moment, line, rules),
        "person",
    )


def find_moment(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> Moment:
    """Find the moment at which a turn of a record begins; None is the one after the last.

    Args:
        rules: The rules.
        turn: The turn.
        files: A map and perhaps a record, a name and a text each.

    Raises:
        KbScoreError: A file cannot be used, there is no such turn, or the record breaks the rules
            before it.
    """
    map_, record = read_files(*files, alone=True)
    ((played,),) = record.facts["turns"]
    assert isinstance(played, int)
    turn = find_turn(turn, played, record.name)
    facts = {**map_.facts(), **record.facts, "queried": [(turn,)]}
    answer = rules.ask(MOMENT[record.kind], facts, turns=record.turns)
    check_map(map_, answer.read(InvalidMapRow))
    over = min((row.turn for row in answer.read(OverRow)), default=None)
    for row in sorted(answer.read(IllegalRow)) if over is None else ():
        if row.turn < turn:
            raise refuse(record.name, row)
    return Moment(map_, turn, tuple(sorted(answer.read(WaitingRow))), over)


def list_legal(moment: Moment, rules: GameRules) -> list[Legal]:
    """List where each person may go before the end of a game, such as ``A7``."""
    found = rules.ask(LEGAL, {**moment.facts(), "undecided": [()]}).read(PermittedRow)
    return [
        Legal(person, tuple(f"{row.person}{row.direction}" for row in rows))
        for person, rows in groupby(sorted(found), key=lambda row: row.person)
    ]


def judge_moves(moment: Moment, line: str, rules: GameRules) -> list[Reason]:
    """Judge a line of moves before the end of a game: list what of it is illegal, by person.

    Raises:
        FormatError: It is no line of moves.
    """
    moves, repeated = read_answer(line, "--move")
    given: dict[str, list[Row]] = {
        "move": [(*row, moment.turn) for row in moves],
        "repeated": [(*row, moment.turn) for row in repeated],
    }
    found = rules.ask(JUDGE, {**moment.facts(), **given}).read(IllegalRow)
    return [read_reason(row.code, row.who, row.detail) for row in sorted(found, key=_by_person)]


def _by_person(row: IllegalRow) -> tuple[str, str]:
    return str(row.who), row.code
