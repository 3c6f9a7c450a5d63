"""Positions that the rules judge, and the faults of answers in live play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kb_score.engine.live import Live
from kb_score.engine.program import Program
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import hand_in_all
from kb_score.engine.terms import Facts, Row, Value, predicate_of
from kb_score.errors import Fault, FormatError, RuleError
from kb_score.games.match import Judged, Legal, Reason, read_reason
from kb_score.games.schema import IllegalRow, read_violations

# The prefix of the code of a reason why an answer would count as a pass.
COUNTS_AS_PASS = "counts as a pass: "


class PassesRow(NamedTuple):
    """A reason why the answer of a turn counts as a pass."""

    turn: int
    code: str
    who: Value
    detail: Value


def list_reasons(rows: Iterable[IllegalRow | PassesRow]) -> list[Reason]:
    """Return the reasons against an answer, sorted by player or person."""
    reasons = []
    for row in sorted(rows, key=lambda row: (str(row.who), row.code)):
        reason = read_reason(row.code, row.who, row.detail)
        reasons.append(reason)
    return reasons


def calls_illegal(program: Program) -> bool:
    """Return whether a user's rules call actions illegal."""
    illegal = predicate_of(IllegalRow)
    return any(rule.origin == "user" and illegal in rule.heads for rule in program.statements)


def _asks_illegal(program: Program) -> bool:
    """Return whether rules exclude choices that contain an illegal action."""
    illegal = predicate_of(IllegalRow)
    return any(rule.guides and illegal in rule.body for rule in program.statements)


def explain_unreadable(error: FormatError) -> Fault:
    """Return the fault of an answer that cannot be read, from the error about it."""
    column = error.place.column
    return Fault("garbage", f"gave an unreadable answer: column {column}: {error.message}")


def explain_illegal(rows: Iterable[IllegalRow], answer: str) -> Fault:
    """Return the fault of an illegal answer, as a record has it, with at least one reason."""
    reasons = []
    for violation in read_violations(rows):
        _, _, reason = str(violation).partition(": ")
        reasons.append(reason)
    listed = "; ".join(reasons)
    return Fault("illegal", f"made an illegal move: {listed}", answer=answer)


def refuse_misuse(rules: GameRules, live: Live) -> None:
    """Raise a RuleError if the last turns have led to an impossible state.

    The error names the rule that may be the cause.
    """
    rules.accept(Answer({("misuse", 2): live.news("misuse")}))


@dataclass(frozen=True)
class RulesPosition:
    """A position that the rules judge: they derive ``illegal/4`` for an illegal answer.

    Attributes:
        turn: The number of the turn, from 1.
        over: Why no move is legal after the end of the game; empty if the game goes on.
        list_moves: Reads the legal moves from an answer of the rules.
        read: Reads a line as facts without the turn.
        listing: The use of the rules that lists legal moves, where ``undecided`` holds.
        judging: The use of the rules that judges an answer; None if it is the same.
        is_live: Whether the game is being played.
        counts: Whether every answer counts as something.
    """

    rules: GameRules
    facts: Facts
    turn: int
    over: str
    list_moves: Callable[[Answer], Sequence[Legal]]
    read: Callable[[str], Facts]
    listing: Use
    judging: Use | None = None
    is_live: bool = False
    counts: bool = False

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves of each player or person."""
        known = replace(self, facts=hand_in_all(self.facts))
        answer = known._ask(self.listing, {"undecided": [()]})
        listed = self.list_moves(answer)
        program = self.rules.program(self.listing)
        if not calls_illegal(program) or _asks_illegal(program):
            return listed
        return [self._leave_out(legal) for legal in listed]

    def _leave_out(self, legal: Legal) -> Legal:
        """Leave out the moves that a user's rules call illegal; each is judged on its own."""
        # In live play, judging a pass needs the list of moves, so making the list must not need it.
        position = replace(self, is_live=False)
        moves = []
        kinds = []
        for number, move in enumerate(legal.moves):
            if position.judge(move).reasons:
                continue
            moves.append(move)
            if legal.counts_as:
                kinds.append(legal.counts_as[number])
        return replace(legal, moves=tuple(moves), counts_as=tuple(kinds))

    def judge(self, line: str) -> Judged:
        """Return the reasons against an answer, sorted by player or person, and what it counts as.

        Where every answer counts as something, these are the reasons why it is a pass; in live play
        there are none if no other answer is legal. An unreadable answer is a FormatError.
        """
        return self.judge_facts(self.read(line))

    def judge_facts(self, given: Facts) -> Judged:
        """Judge an answer by its facts without the turn; see `judge`."""
        facts: dict[str, list[Row]] = {}
        for name, rows in given.items():
            known = list(self.facts.get(name, ()))
            known += [(*row, self.turn) for row in rows]
            facts[name] = known
        use = self.judging or self.listing
        answer = self._ask(use, facts)
        illegal = answer.read(IllegalRow)
        kinds = [str(kind) for kind, _ in answer["counts_as"]]
        if not kinds:
            if self.counts:
                raise RuleError("counts_as/2 does not say what this answer counts as")
            return Judged(list_reasons(illegal))
        passes = answer.read(PassesRow)
        reasons = list_reasons([*illegal, *passes])
        if reasons and self.is_live:
            reasons = self._refuse_pass(reasons)
        return Judged(reasons, min(kinds))

    def _refuse_pass(self, reasons: Sequence[Reason]) -> list[Reason]:
        """Return why an answer must not be a pass in live play; empty if no other is legal."""
        if not any(one.moves for one in self.moves()):
            return []
        refused = []
        for reason in reasons:
            code = f"{COUNTS_AS_PASS}{reason.code}"
            refused.append(replace(reason, code=code))
        return refused

    def _ask(self, use: Use, more: Mapping[str, Any]) -> Answer:
        """Ask the rules about the position with more facts."""
        facts = {**self.facts, "queried": [(self.turn,)], **more}
        return self.rules.ask(use, facts)
