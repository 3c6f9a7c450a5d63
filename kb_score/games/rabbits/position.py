"""Positions in the rabbits game: the legal actions of crushers and rabbits in a turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Facts, Row
from kb_score.errors import FormatError, InputError
from kb_score.games.match import File, Judged, Legal, Reason, read_reason, refuse, resolve_turn
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.check import follow_turns, read_files, state_after
from kb_score.games.rabbits.records import (
    Actions,
    RabbitsRun,
    RunTurn,
    Station,
    read_actions,
    read_answer,
    tidy_answer,
)
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import IllegalRow, ViolationRow
from kb_score.grammar import place_at

_ROLL = r"\d+,\d+ +(?:movesto|crushes) +\d+,\d+"
_HOP = r"\d+,\d+\s+to\s+\d+,\d+"
_CRUSHERS = re.compile(rf"\s*(?:crusher\b)?\s*(?:{_ROLL}\s*;?\s*)*", re.ASCII)
_RABBITS = re.compile(rf"\s*(?:move\b)?\s*(?:{_HOP}\s*;?\s*)*", re.ASCII)
_EXPECTED = (
    'expected moves of rabbits, as in "move 3,4 to 3,5; 7,2 to 6,2", or actions of crushers, as in '
    '"crusher 3,4 movesto 3,5; 7,2 crushes 6,2"'
)
# The codes of violations by actions of crushers.
_CRUSHER_CODES = ("illegal-crusher", "false-crush", "missed-crush")
_NO_RUN = RabbitsRun(number=1, seed=0, turns=(), score=None)


def is_readable(line: str, station: Station) -> bool:
    """Return whether an answer has a move, or states that no rabbit moves."""
    if line.strip() in ("", "move"):
        return True
    return bool(read_answer(line, station))


def _find_end(pattern: re.Pattern[str], line: str) -> int:
    """Return the end of a pattern's match at the beginning of a line; 0 without a match."""
    found = pattern.match(line)
    if found is None:
        return 0
    return found.end()


@dataclass(frozen=True)
class RabbitsPosition:
    """A turn of a run.

    Attributes:
        turn: The number of the turn, counted over all runs, from 1.
        state: The facts of the state before the turn.
        run: The run, of which only the turns before this one matter.
        own: The number of the turn in its run, from 1.
        told: The actions of the crushers; None if they are not known.
        name: The record's name in messages.
    """

    rules: GameRules
    station: Station
    turn: int
    state: Facts
    run: RabbitsRun = _NO_RUN
    own: int = 1
    told: Actions | None = None
    name: str = ""

    @cached_property
    def answer(self) -> Answer:
        """The rules' answer about the turn."""
        return self._ask({})

    @property
    def over(self) -> str:
        """Why no move is legal after the end of the run; empty if the run goes on."""
        ends = [turn for (turn,) in self.answer["over"]]
        if not ends:
            return ""
        last = self.turn - self.own + min(ends)
        return f"the run is over after turn {last}"

    def moves(self) -> Sequence[Legal]:
        """Return the actions of each crusher, then the moves of each rabbit if they are known."""
        rolls = self.answer["may_roll"]
        hops = [(cell, "to", to) for cell, to in self.answer["may_hop"]]
        return [*self._list_legal(rolls), *self._list_legal(hops)]

    def _list_legal(self, actions: Iterable[tuple[int, str, int]]) -> Iterator[Legal]:
        """Yield the legal actions of each robot, in order."""
        write = self.station.write_cell
        for cell, group in groupby(sorted(actions), key=itemgetter(0)):
            who = write(cell)
            ends = ((verb, write(to)) for _, verb, to in group)
            moves = tuple(f"{who} {verb} {end}" for verb, end in ends)
            yield Legal(who, moves)

    def judge(self, line: str) -> Judged:
        """Return the reasons against a line of moves of the rabbits, or of actions of the crushers.

        A line that cannot be read is a FormatError. Moves of rabbits are an InputError if the
        record does not yet have the actions of the crushers.
        """
        crushers_end = _find_end(_CRUSHERS, line)
        rabbits_end = _find_end(_RABBITS, line)
        end = max(crushers_end, rabbits_end)
        if end < len(line) or not line.strip():
            raise FormatError(place_at(line, 1, end + 1, "--move"), _EXPECTED)
        if crushers_end == end and line.strip() != "move":
            actions = read_actions(line, self.station)
            return Judged(self.judge_crushers(actions))
        if not self.answer["decided"]:
            message = f"turn {self.turn}: the actions of the crushers are missing: they decide"
            raise InputError(self.name, f"{message} which rabbits are left to move")
        asked = read_answer(line, self.station)
        requests = [(number, *request, self.own) for number, request in enumerate(asked)]
        answer = self._ask({"judging": [()], "request": requests})
        reasons = []
        for row in sorted(answer.read(asp.Skipped)):
            cell = self.station.write_cell(row.cell)
            reasons.append(read_reason(row.code, cell, row.detail))
        return Judged(reasons)

    def judge_crushers(self, actions: Actions) -> list[Reason]:
        """Return the reasons against the actions of all crushers in a turn, as a check does."""
        before = self.run.turns[: self.own - 1]
        left = before[-1].left - 1 if before else 1
        turn = RunTurn(left=left, actions=actions, rabbits=(), requests=None)
        run = replace(self.run, turns=(*before, turn), score=None)
        own_turn = range(self.own, self.own + 1)
        facts = run.facts(own_turn, is_last=True)
        answer = self.rules.ask(asp.DERIVED, {**self.state, **facts})
        return [
            read_reason(row.code, row.who, row.detail)
            for row in sorted(answer.read(ViolationRow))
            if row.code in _CRUSHER_CODES
        ]

    def _ask(self, more: Facts) -> Answer:
        """Ask the rules about the legal moves of the turn, with more facts."""
        state = dict(self.state)
        state.pop("before", None)
        facts: dict[str, Sequence[Row]] = {
            **state,
            "queried": [(self.own,)],
            "last_turn": [],
            "closed": [],
            "informed": [],
            "went": [],
        }
        turns = self.run.turns
        if turns:
            facts["last_turn"] = [(turns[0].left,)]
        if self.run.score is not None:
            facts["closed"] = [(len(turns),)]
        if self.told is not None:
            facts["informed"] = [()]
            facts["went"] = [(cell, to, self.own) for cell, _, to in self.told]
        return self.rules.ask(asp.LEGAL, {**facts, **more})


@dataclass(frozen=True)
class RabbitsLivePosition(RabbitsPosition):
    """A turn in which the crushers have moved; answers may contain other text, too."""

    over: str = ""

    def judge(self, line: str) -> Judged:
        """Judge an answer: moves that the controller would skip are illegal."""
        if not is_readable(line, self.station):
            example = "expected, for example, move 3,4 to 3,5; 7,2 to 6,2"
            return Judged([Reason("no readable move", example)])
        return super().judge(tidy_answer(line))


def find_position(rules: GameRules, files: Sequence[File], turn: int | None) -> RabbitsPosition:
    """Return the position at the beginning of a turn of a session.

    The turn is counted over all runs, from 1; None stands for the turn after the last answer. The
    files are the map and the session. It is an InputError if there is no such turn, or if crushers
    have broken the rules before it.
    """
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    runs = mapped.record
    name, _ = files[-1]
    if not isinstance(runs, tuple):
        message = "legal moves need a session: other records do not show all moves"
        raise InputError(name, message)
    played = sum(len(run.turns) for run in runs)
    if runs:
        last_run = runs[-1]
        if last_run.turns[-1].requests is None and last_run.score is None:
            # The last turn has no answer yet.
            played -= 1
    turn = resolve_turn(turn, played, name)
    run, before = _find_run(runs, turn)
    own = turn - before
    state: Facts = {**mapped.station.facts(), "opens": [(1,)], "before": []}
    if own > 1:
        for answer in follow_turns(rules, run, range(1, own), state, is_last=True):
            state = state_after(answer, state)
            if answer["broken_off"]:
                _refuse_crushers(name, answer, before)
    position = RabbitsPosition(
        rules=rules, station=mapped.station, turn=turn, state=state, run=run, own=own, name=name
    )
    if own > len(run.turns):
        return position
    told = run.turns[own - 1].actions
    codes = [reason.code for reason in position.judge_crushers(told)]
    if "illegal-crusher" in codes:
        return position  # the actions do not show where the crushers went
    return replace(position, told=told)


def _find_run(runs: Sequence[RabbitsRun], turn: int) -> tuple[RabbitsRun, int]:
    """Return the run of a turn (the last run for a new one), and the number of turns before it."""
    before = 0
    for run in runs[:-1]:
        count = len(run.turns)
        if turn <= before + count:
            return run, before
        before += count
    if not runs:
        return _NO_RUN, before
    return runs[-1], before


def _refuse_crushers(name: str, answer: Answer, before: int) -> None:
    """Raise an InputError if crushers break the rules, with turns counted over all runs."""
    for row in sorted(answer.read(ViolationRow)):
        if row.code in _CRUSHER_CODES:
            illegal = IllegalRow(*row)
            raise refuse(name, illegal._replace(turn=before + row.turn))
