"""What crushers and rabbits may do in a turn of a session, and why not something else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kb_score.errors import FormatError, InputError
from kb_score.games.dialect import IllegalRow, ViolationRow
from kb_score.games.legal import Legal, Look, Reason, find_turn, read_reason, refuse
from kb_score.games.rabbits.check import follow_turns, state_after
from kb_score.games.rabbits.maps import Places, Station, read_map
from kb_score.games.rabbits.records import read_record, recognises
from kb_score.games.rabbits.rules import (
    DERIVED,
    LEGAL,
    BrokenOff,
    Decided,
    MayHop,
    MayRoll,
    Over,
    Skipped,
)
from kb_score.games.rabbits.session import Run, Turn, read_actions, read_answer
from kb_score.grammar import place_at
from kb_score.shell.files import in_order

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Answer, Facts

_ROLL = r"\d+,\d+ +(?:movesto|crushes) +\d+,\d+"
_HOP = r"\d+,\d+\s+to\s+\d+,\d+"
_CRUSHERS = re.compile(rf"\s*(?:crusher\b)?\s*(?:{_ROLL}\s*;?\s*)*", re.ASCII)
_RABBITS = re.compile(rf"\s*(?:move\b)?\s*(?:{_HOP}\s*;?\s*)*", re.ASCII)
_EXPECTED = (
    'expected moves of rabbits, as in "move 3,4 to 3,5; 7,2 to 6,2", or actions of crushers, as in '
    '"crusher 3,4 movesto 3,5; 7,2 crushes 6,2"'
)
# What is wrong with actions of crushers, apart from the rest of a turn.
_OF_CRUSHERS = ("illegal-crusher", "false-crush", "missed-crush")


@dataclass(frozen=True)
class Moment:
    """A turn of a run, with what happened before it.

    Attributes:
        name: What errors call the record.
        station: The map.
        rules: The rules.
        number: The turn, counted through all runs.
        turn: The turn in its run, from 1.
        run: The run, of which the turns before this one count.
        told: What the record says that the crushers do in the turn; None if it says nothing yet.
        state: The facts of the state before the turn.
    """

    name: str
    station: Station
    rules: GameRules
    number: int
    turn: int
    run: Run
    told: tuple[tuple[int, str, int], ...] | None
    state: Facts

    @cached_property
    def answer(self) -> Answer:
        """What the rules say of the turn."""
        return self.ask({})

    @property
    def over(self) -> str:
        """Why nothing is legal any more; empty if the run goes on."""
        ends = sorted(row.turn for row in self.answer.read(Over))
        return f"the run is over after turn {self.number - self.turn + ends[0]}" if ends else ""

    def ask(self, more: Facts) -> Answer:
        """Ask the rules about the turn."""
        played, first = self.run.turns, self.run.turns[:1]
        facts = {
            **{key: rows for key, rows in self.state.items() if key != "before"},
            "queried": [(self.turn,)],
            "last_turn": [(turn.left,) for turn in first],
            "closed": [(len(played),)] if self.run.score is not None else [],
            "informed": [] if self.told is None else [()],
            "went": [(cell, to, self.turn) for cell, _, to in self.told or ()],
            **more,
        }
        return self.rules.ask(LEGAL, facts)

    def list_legal(self) -> list[Legal]:
        """List what each crusher may do, then what each rabbit may do if that is known."""
        say = self.station.say
        rolls = [
            (r.cell, f"{say(r.cell)} {r.verb} {say(r.to)}")
            for r in sorted(self.answer.read(MayRoll))
        ]
        hops = [
            (hop.cell, f"{say(hop.cell)} to {say(hop.to)}")
            for hop in sorted(self.answer.read(MayHop))
        ]
        return [*_group(self.station, rolls), *_group(self.station, hops)]

    def judge(self, line: str) -> list[Reason]:
        """Judge a line of moves of the rabbits, or of actions of the crushers.

        Raises:
            FormatError: It is neither.
            InputError: Nobody knows yet where the rabbits are that are to move.
        """
        places = Places(self.station)
        found = max((_CRUSHERS.match(line), _RABBITS.match(line)), key=_length)
        assert found is not None
        if found.end() < len(line) or not line.strip():
            raise FormatError(place_at(line, 1, found.end() + 1, "--move"), _EXPECTED)
        if found.re is _CRUSHERS and line.strip() != "move":
            return self.judge_crushers(read_actions(line, places))
        if not self.answer.read(Decided):
            message = f"turn {self.number}: what the crushers do is not there yet, so nobody knows"
            raise InputError(self.name, f"{message} which rabbits are left to move")
        requests = read_answer(line, places)
        given: Facts = {
            "judging": [()],
            "request": [(n, *request, self.turn) for n, request in enumerate(requests)],
        }
        rows = sorted(self.ask(given).read(Skipped))
        say = self.station.say
        return [read_reason(row.code, say(row.cell), row.detail) for row in rows]

    def judge_crushers(self, actions: tuple[tuple[int, str, int], ...]) -> list[Reason]:
        """Judge what all crushers are said to do, by the rules of a check."""
        before = self.run.turns[: self.turn - 1]
        left = before[-1].left - 1 if before else 1
        run = replace(self.run, turns=(*before, Turn(left, actions, (), None)), score=None)
        facts = run.facts(range(self.turn, self.turn + 1), is_last=True)
        found = self.rules.ask(DERIVED, {**self.state, **facts}).read(ViolationRow)
        rows = sorted(row for row in found if row.code in _OF_CRUSHERS)
        return [read_reason(row.code, row.who, row.detail) for row in rows]


def judge_requests(
    station: Station, rabbits: Sequence[int], line: str, rules: GameRules
) -> list[Reason]:
    """Judge a line of moves in live play, by the rabbits that the crushers have left.

    Raises:
        FormatError: It is no line of moves.
    """
    kept = ("size", "corridor", "exit")
    facts = {name: rows for name, rows in station.facts().items() if name in kept}
    # A turn that begins with these rabbits; without crushers and starts they are all there are.
    state: Facts = {**facts, "remains": [(cell, 0) for cell in rabbits]}
    run = Run(1, 0, (), None)
    return Moment(station.name, station, rules, 1, 1, run, None, state).judge(line)


def look_at(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> Look:
    """Make what ``kb-score legal`` finds out of a turn; takes what `find_moment` does."""
    moment = find_moment(rules, turn, *files)
    return Look(moment.number, moment.over, moment.list_legal, moment.judge, "robot", "; ")


def find_moment(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> Moment:
    """Find the moment at which a turn of a session begins.

    Args:
        rules: The rules.
        turn: The turn, counted through all runs; None for the one after the last answer.
        files: A map and perhaps a session, a name and a text each.

    Raises:
        KbScoreError: A file cannot be used, there is no such turn, or the record breaks the rules
            before it.
    """
    (map_name, map_text), *others = files
    with in_order(swapped=bool(others) and recognises(others[0][1])):
        station = read_map(map_text, map_name)
    if not others:
        number = find_turn(turn, 0, map_name)
        return _make_moment(map_name, station, rules, number, Run(1, 0, (), None), number)
    ((name, text),) = others
    runs = read_record(text, station, name)
    if not isinstance(runs, tuple):
        raise InputError(name, "what is legal can be told of a session, which shows all moves")
    last = runs[-1]
    waits = last.turns[-1].requests is None and last.score is None
    number = find_turn(turn, sum(len(run.turns) for run in runs) - waits, name)
    run, before = _find_run(runs, number)
    return _make_moment(name, station, rules, number, run, number - before)


def _find_run(runs: Sequence[Run], number: int) -> tuple[Run, int]:
    """Find the run that a turn belongs to, and how many turns come before the run."""
    before = 0
    for run in runs[:-1]:
        if number <= before + len(run.turns):
            return run, before
        before += len(run.turns)
    return runs[-1], before


def _make_moment(
    name: str, station: Station, rules: GameRules, number: int, run: Run, turn: int
) -> Moment:
    state: Facts = {**station.facts(), "opens": [(1,)], "before": []}
    earlier = range(1, turn)
    for answer in follow_turns(run, earlier, state, rules, "", is_last=True) if earlier else ():
        state = state_after(answer, state)
        for row in sorted(answer.read(ViolationRow)) if answer.read(BrokenOff) else ():
            if row.code in _OF_CRUSHERS:
                raise refuse(name, IllegalRow(*row)._replace(turn=number - turn + row.turn))
    told = run.turns[turn - 1].actions if turn <= len(run.turns) else None
    moment = Moment(name, station, rules, number, turn, run, None, state)
    if told is None:
        return moment
    for reason in moment.judge_crushers(told):
        if reason.code == "illegal-crusher":
            return moment  # where they went nobody knows
    return replace(moment, told=told)


def _length(found: re.Match[str] | None) -> int:
    return found.end() if found else 0


def _group(station: Station, moves: Iterable[tuple[int, str]]) -> list[Legal]:
    """Put together the moves of each robot, in the order of their cells."""
    by_cell = defaultdict[int, list[str]](list)
    for cell, move in moves:
        by_cell[cell].append(move)
    return [Legal(station.say(cell), tuple(some)) for cell, some in by_cell.items()]
