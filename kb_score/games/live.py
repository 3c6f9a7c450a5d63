"""Matches that the rules play turn by turn, and positions that the rules judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any

from kb_score.engine.rules import Answer, GameRules, MisuseRow, Use
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Row, predicate_of
from kb_score.errors import Fault, FormatError, InputError
from kb_score.games.game import Judged, Legal, Match, Position, Turn, find_turn, read_reason
from kb_score.games.schema import IllegalRow, TerminalRow, read_violations


def refuse_misuse(rules: GameRules, live: Stepper) -> None:
    """Raise a RuleError at the rule by which the last turns led to an impossible state."""
    rules.accept(Answer({predicate_of(MisuseRow): live.news(MisuseRow)}))


class LiveMatch(Match):
    """A match of one player: part ``step`` of the rules is grounded for each turn."""

    turn = 0  # how many turns were played
    finished = False

    def __init__(self, rules: GameRules, use: Use, facts: Facts, *, renewal: int = 20) -> None:
        """Begin a match; see `kb_score.engine.stepper.Stepper`."""
        self.rules = rules
        self.live = Stepper(rules.program(use), facts, renewal=renewal)
        self._go_on()

    def answer(self, line: str) -> Turn:
        """Play an answer.

        Raises:
            Fault: It cannot be read, or is illegal.
        """
        try:
            facts = self.read(line)
        except FormatError as error:
            reason = f"column {error.place.column}: {error.message}"
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        self.live.next_turn()
        self.step(facts)
        refuse_misuse(self.rules, self.live)
        illegal = read_violations(self.live.news(IllegalRow))
        if illegal:
            reasons = "; ".join(str(violation).partition(": ")[2] for violation in illegal)
            raise Fault("illegal", f"made an illegal move: {reasons}", answer=self.repeat(line))
        self.turn += 1
        self._go_on()
        return Turn(f"{self.repeat(line)}\n")

    def _go_on(self) -> None:
        self.look()
        self.finished = bool(self.live.news(TerminalRow))

    def step(self, facts: Facts) -> None:
        """Derive a turn from the facts of an answer."""
        self.live.play(["step"], facts)

    def look(self) -> None:
        """Update the match by the changes of the last turn."""
        raise TypeError(f"{type(self).__name__} does not say what it looks at")

    def read(self, line: str) -> Facts:
        """Read an answer as facts without the turn; a FormatError if that fails."""
        raise TypeError(f"{type(self).__name__} does not say how an answer is read: {line!r}")

    def repeat(self, line: str) -> str:
        """Return an answer as a record has it."""
        return line

    def choose(self, random: Random) -> str:
        """Draw a legal answer."""
        moves = chain.from_iterable(legal.moves for legal in self.position().moves())
        return random.choice(list(moves))

    def closing(self) -> str:
        """Return the text that the player receives at the end."""
        return self.tell() if self.finished else ""


def lead(match: Match, lines: Sequence[str], turn: int | None, name: str) -> Position:
    """Play the answers of a record before a turn, and return the position.

    Raises:
        InputError: There is no such turn, or an answer before it is illegal.
    """
    played = find_turn(turn, len(lines), name) - 1
    for number, line in enumerate(lines[:played], start=1):
        try:
            match.answer(line)
        except Fault as fault:
            message = f"nothing is legal any more: turn {number} {fault}"
            raise InputError(name, message) from fault
    return match.position()


@dataclass(frozen=True)
class RulesPosition:
    """A position that the rules judge: ``illegal/4`` says what is wrong with an answer.

    Attributes:
        rules: The rules.
        facts: The facts of the position.
        turn: The number of the turn, from 1.
        over: Why nothing is legal, as the game is over; empty if it goes on.
        list_moves: Reads the legal moves from the rules' answer.
        read: Reads a line as facts without the turn.
        listing: The use of the rules that lists legal moves, where ``undecided`` holds.
        judging: The use of the rules that judges an answer, if it is another one.
    """

    rules: GameRules
    facts: Facts
    turn: int
    over: str
    list_moves: Callable[[Answer], Sequence[Legal]]
    read: Callable[[str], Mapping[str, Sequence[Row]]]
    listing: Use
    judging: Use | None = None

    def moves(self) -> Sequence[Legal]:
        """List the legal moves of each player or person."""
        return self.list_moves(self._ask(self.listing, {"undecided": [()]}))

    def judge(self, line: str) -> Judged:
        """Judge an answer; the reasons against it are in the order of those who move."""
        facts = dict[str, list[Row]]()
        for name, answered in self.read(line).items():
            facts[name] = [*self.facts.get(name, ()), *((*row, self.turn) for row in answered)]
        found = self._ask(self.judging or self.listing, facts).read(IllegalRow)
        rows = sorted(found, key=lambda row: (str(row.who), row.code))
        return Judged([read_reason(row.code, row.who, row.detail) for row in rows])

    def _ask(self, use: Use, more: Mapping[str, Any]) -> Answer:
        return self.rules.ask(use, {**self.facts, "queried": [(self.turn,)], **more})
