"""Positions of the rabbits: what crushers and rabbits may do in a turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Facts
from kb_score.errors import FormatError, InputError
from kb_score.games.game import File, Judged, Legal, Reason, find_turn, read_reason, refuse
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


_NO_RUN = RabbitsRun(1, 0, (), None)


def is_readable(line: str, station: Station) -> bool:
    """Return whether an answer has a move, or says that no rabbit moves."""
    return line.strip() in ("", "move") or bool(read_answer(line, station))


def _find_end(pattern: re.Pattern[str], line: str) -> int:
    """Return how far a pattern matches the beginning of a line."""
    found = pattern.match(line)
    return found.end() if found else 0


@dataclass(frozen=True)
class RabbitsPosition:
    """A turn of a run.

    Attributes:
        rules: The rules.
        station: The map.
        turn: The number of the turn in all runs, from 1.
        state: The facts of the state before the turn.
        run: The run; its turns before this one count.
        own: The number of the turn in its run, from 1.
        told: The actions of the crushers, if the record has them.
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
        ends = [row.turn for row in self.answer.read(asp.Over)]
        if not ends:
            return ""
        return f"the run is over after turn {self.turn - self.own + min(ends)}"

    def moves(self) -> Sequence[Legal]:
        """List the actions of each crusher, then the moves of each rabbit if these are known."""
        write = self.station.write_cell
        rolls = [(row.cell, row.verb, row.to) for row in self.answer.read(asp.MayRoll)]
        hops = [(row.cell, "to", row.to) for row in self.answer.read(asp.MayHop)]
        legal: list[Legal] = []
        for actions in (rolls, hops):
            actions.sort()
            for cell, some in groupby(actions, key=itemgetter(0)):
                who = write(cell)
                moves = []
                for _, verb, to in some:
                    place = write(to)
                    moves.append(f"{who} {verb} {place}")
                legal.append(Legal(who, tuple(moves)))
        return legal

    def judge(self, line: str) -> Judged:
        """Judge a line of moves of the rabbits, or of actions of the crushers."""
        crushers_end = _find_end(_CRUSHERS, line)
        rabbits_end = _find_end(_RABBITS, line)
        end = max(crushers_end, rabbits_end)
        if end < len(line) or not line.strip():
            raise FormatError(place_at(line, 1, end + 1, "--move"), _EXPECTED)
        if crushers_end == end and line.strip() != "move":
            actions = read_actions(line, self.station)
            return Judged(self.judge_crushers(actions))
        if not self.answer.read(asp.Decided):
            message = f"turn {self.turn}: what the crushers do is not there yet, so nobody knows"
            raise InputError(self.name, f"{message} which rabbits are left to move")
        requests = enumerate(read_answer(line, self.station))
        answer = self._ask(
            {
                "judging": [()],
                "request": [(number, *request, self.own) for number, request in requests],
            }
        )
        reasons: list[Reason] = []
        for row in sorted(answer.read(asp.Skipped)):
            cell = self.station.write_cell(row.cell)
            reasons.append(read_reason(row.code, cell, row.detail))
        return Judged(reasons)

    def judge_crushers(self, actions: Actions) -> list[Reason]:
        """Judge the actions of all crushers in a turn, by the rules of a check."""
        before = self.run.turns[: self.own - 1]
        left = before[-1].left - 1 if before else 1
        turn = RunTurn(left, actions, (), None)
        run = replace(self.run, turns=(*before, turn), score=None)
        own_turn = range(self.own, self.own + 1)
        facts = run.facts(own_turn, is_last=True)
        answer = self.rules.ask(asp.DERIVED, {**self.state, **facts})
        reasons = []
        for row in sorted(answer.read(ViolationRow)):
            if row.code in _CRUSHER_CODES:
                reason = read_reason(row.code, row.who, row.detail)
                reasons.append(reason)
        return reasons

    def _ask(self, more: Facts) -> Answer:
        """Ask the rules what is legal in the turn, with more facts."""
        turns = self.run.turns
        told = self.told or ()
        state = dict(self.state)
        state.pop("before", None)
        facts = {
            **state,
            "queried": [(self.own,)],
            "last_turn": [(turn.left,) for turn in turns[:1]],
            "closed": [] if self.run.score is None else [(len(turns),)],
            "informed": [] if self.told is None else [()],
            "went": [(cell, to, self.own) for cell, _, to in told],
            **more,
        }
        return self.rules.ask(asp.LEGAL, facts)


@dataclass(frozen=True)
class RabbitsLivePosition(RabbitsPosition):
    """A turn in which the crushers have moved; an answer may have other text beside its moves."""

    over: str = ""

    def judge(self, line: str) -> Judged:
        """Judge an answer: the moves that the controller would skip are illegal."""
        if not is_readable(line, self.station):
            example = "expected, for example, move 3,4 to 3,5; 7,2 to 6,2"
            return Judged([Reason("no readable move", example)])
        return super().judge(tidy_answer(line))


def find_position(rules: GameRules, turn: int | None, *files: File) -> RabbitsPosition:
    """Find the position in which a turn of a session begins."""
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    runs = mapped.record
    name, _ = files[-1]
    if not isinstance(runs, tuple):
        raise InputError(name, "what is legal can be told of a session, which shows all moves")
    played = sum(len(run.turns) for run in runs)
    if runs and runs[-1].turns[-1].requests is None and runs[-1].score is None:
        # The last turn waits for an answer.
        played -= 1
    turn = find_turn(turn, played, name)
    run, before = _find_run(runs, turn)
    own = turn - before
    state: Facts = {**mapped.station.facts(), "opens": [(1,)], "before": []}
    if own > 1:
        for answer in follow_turns(rules, run, range(1, own), state, is_last=True):
            state = state_after(answer, state)
            if answer.read(asp.BrokenOff):
                _refuse_crushers(name, answer, before)
    position = RabbitsPosition(rules, mapped.station, turn, state, run, own, name=name)
    if own > len(run.turns):
        return position
    told = run.turns[own - 1].actions
    codes = [reason.code for reason in position.judge_crushers(told)]
    if "illegal-crusher" in codes:
        return position  # nobody knows where the crushers went
    return replace(position, told=told)


def _find_run(runs: Sequence[RabbitsRun], turn: int) -> tuple[RabbitsRun, int]:
    """Return the run that a turn belongs to, or would, and the number of turns before the run."""
    before = 0
    for run in runs[:-1]:
        if turn <= before + len(run.turns):
            return run, before
        before += len(run.turns)
    return runs[-1] if runs else _NO_RUN, before


def _refuse_crushers(name: str, answer: Answer, before: int) -> None:
    """Raise an InputError if crushers break the rules, in a run with other turns before it."""
    for row in sorted(answer.read(ViolationRow)):
        if row.code in _CRUSHER_CODES:
            raise refuse(name, IllegalRow(*row)._replace(turn=before + row.turn))
