"""Matches that the rules step turn by turn, and positions that the rules look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from kb_score.engine.rules import Answer, GameRules, MisuseRow, Use
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Row, predicate_of
from kb_score.errors import Fault, FormatError, InputError
from kb_score.games.game import Judged, Legal, Match, Position, Turn, find_turn, read_reason
from kb_score.games.schema import IllegalRow, TerminalRow, read_violations


def refuse_misuse(rules: GameRules, live: Stepper) -> None:
    """Raise a RuleError if the last turns have led to an impossible state; it names the rule."""
    rules.accept(Answer({predicate_of(MisuseRow): live.news(MisuseRow)}))


class LiveMatch(Match):
    """A match of one player: part ``step`` of the rules is grounded for each turn."""

    turn = 0  # how many turns were played
    finished = False

    def __init__(self, rules: GameRules, use: Use, facts: Facts, *, renewal: int = 20) -> None:
        """Begin a match; see `kb_score.engine.stepper.Stepper`."""
        self.rules, self.live = rules, Stepper(rules.program(use), facts, renewal=renewal)
        self._go_on()

    def answer(self, line: str) -> Turn:
        """Play an answer; a Fault if it cannot be read, or is illegal."""
        try:
            facts = self.read(line)
        except FormatError as error:
            where = f"column {error.place.column}"
            said = f"gave no answer that can be read: {where}: {error.message}"
            raise Fault("garbage", said) from error
        self.live.next_turn()
        self.step(facts)
        refuse_misuse(self.rules, self.live)
        if illegal := read_violations(self.live.news(IllegalRow)):
            said = "; ".join(str(violation).partition(": ")[2] for violation in illegal)
            raise Fault("illegal", f"made an illegal move: {said}", answer=self.repeat(line))
        self.turn += 1
        self._go_on()
        return Turn(f"{self.repeat(line)}\n")

    def _go_on(self) -> None:
        self.look()
        self.finished = bool(self.live.news(TerminalRow))

    def step(self, facts: Facts) -> None:
        """Work out a turn, with what an answer asks for."""
        self.live.play(["step"], facts)

    def look(self) -> None:
        """Take in what has changed."""
        raise TypeError(f"{type(self).__name__} does not say what it looks at")

    def read(self, line: str) -> Facts:
        """Read what an answer asks for, as facts without the turn; a FormatError if that fails."""
        raise TypeError(f"{type(self).__name__} does not say how an answer is read: {line!r}")

    def repeat(self, line: str) -> str:
        """Write an answer that has been read as a record has it."""
        return line

    def choose(self, random: Random) -> str:
        """Draw an answer from those that are legal."""
        return random.choice([move for one in self.position().moves() for move in one.moves])

    def closing(self) -> str:
        """Write what is told at the end."""
        return self.tell() if self.finished else ""


def lead(match: Match, lines: Sequence[str], turn: int | None, name: str) -> Position:
    """Play the first answers of a record, and give the position before a turn, or an InputError."""
    for number, line in enumerate(lines[: find_turn(turn, len(lines), name) - 1], 1):
        try:
            match.answer(line)
        except Fault as fault:
            message = f"nothing is legal any more: turn {number} {fault}"
            raise InputError(name, message) from fault
    return match.position()


@dataclass(frozen=True)
class RulesPosition:
    """A position that the rules look at: ``illegal/4`` says what is wrong with an answer."""

    rules: GameRules  # the rules
    facts: Facts  # the facts of the position
    turn: int  # the number of the turn, from 1
    over: str  # why nothing is legal, as the game is over; empty if it goes on
    list_moves: Callable[[Answer], Sequence[Legal]]  # reads what is legal
    read: Callable[[str], Mapping[str, Sequence[Row]]]  # reads an answer, as facts without the turn
    listing: Use  # the use of the rules that lists what is legal, where undecided holds
    judging: Use | None = None  # the use of the rules that judges an answer, if it is another one

    def moves(self) -> Sequence[Legal]:
        """List what each who moves may do."""
        return self.list_moves(self._ask(self.listing, {"undecided": [()]}))

    def judge(self, line: str) -> Judged:
        """Judge an answer: list what of it is illegal, by who is to do it."""
        given = {
            name: [*self.facts.get(name, ()), *((*row, self.turn) for row in rows)]
            for name, rows in self.read(line).items()
        }
        found = self._ask(self.judging or self.listing, given).read(IllegalRow)
        rows = sorted(found, key=lambda row: (str(row.who), row.code))
        return Judged([read_reason(row.code, row.who, row.detail) for row in rows])

    def _ask(self, use: Use, more: Mapping[str, Any]) -> Answer:
        return self.rules.ask(use, {**self.facts, "queried": [(self.turn,)], **more})
