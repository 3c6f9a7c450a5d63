"""Positions that the rules judge: what is legal there, and why an answer is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kb_score.engine.program import Program
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import hand_in_all
from kb_score.engine.terms import Facts, Row, Term, Value, predicate_of
from kb_score.errors import FormatError, RuleError
from kb_score.games.files import GameFiles
from kb_score.games.live import calls_illegal
from kb_score.games.match import Judged, Legal, Reason, read_reason
from kb_score.games.schema import IllegalRow
from kb_score.games.texts import ANSWER, CHANCE

# The number of chance as a player.
CHANCE_PLAYER = 0

# The prefix of the code of a reason why an answer would count as a pass.
COUNTS_AS_PASS = "counts as a pass: "


class PassesRow(NamedTuple):
    """A reason why the answer of a turn counts as a pass."""

    turn: int
    code: str
    who: Value
    detail: Value


class ForbiddenRow(NamedTuple):
    """An action that is not allowed at a turn."""

    turn: int
    action: Value
    code: str
    detail: Value


@dataclass(frozen=True)
class RulesPosition:
    """A position that the rules judge: they derive ``illegal/4`` for an illegal answer.

    Attributes:
        facts: The initial facts, and the state before the turn.
        step: The number of the turn, or of the step if turns have several, from 1.
        end: The turn after which the game was over; None if it goes on.
        mover: The player whose turn it is; 0 for chance.
        name: The name of an answer in messages.
        is_live: Whether the game is being played.
    """

    files: GameFiles
    rules: GameRules
    facts: Facts
    step: int
    end: int | None
    mover: int
    name: str
    is_live: bool = False

    @property
    def turn(self) -> int:
        """The number of the turn, from 1, in a game in which a turn is a step."""
        return self.step

    @property
    def over(self) -> str:
        """Why no move is legal after the end of the game; empty if the game goes on."""
        return "" if self.end is None else f"the game is over after turn {self.end}"

    @property
    def _start(self) -> str:
        """The rule of the grammar for an answer."""
        return CHANCE if self.mover == CHANCE_PLAYER else ANSWER

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves of each player or person."""
        use = self.files.uses.legal
        known = replace(self, facts=hand_in_all(self.facts))
        listed = self._list_moves(known._ask(use, {"undecided": [()]}))
        program = self.rules.program(use)
        if not calls_illegal(program) or _asks_illegal(program):
            return listed
        return [self._leave_out(legal) for legal in listed]

    def _list_moves(self, answer: Answer) -> Sequence[Legal]:
        """Return the legal moves that the rules list and do not forbid."""
        forbidden = {row.action for row in answer.read(ForbiddenRow)}
        found = [row for row in answer["legal"] if row[1] not in forbidden]
        moves = list_legal(self.files, found, answer["legal_kind"], self.mover)
        check_written(self.files, self.rules, found)
        check_legal(self.files, self.rules, moves, self._start)
        if not moves and self.mover == CHANCE_PLAYER:
            note = "what chance draws and shuffles (draw/3 and shuffle/2) is not listed"
            return [Legal(self.mover, (), note=note)]
        if not moves and self.files.counts_answers:
            return [Legal(self.mover, ())]
        return moves

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
        return self.judge_facts(self.files.read_answer(self.rules, line, self.name, self._start))

    def judge_facts(self, given: Facts) -> Judged:
        """Judge an answer by its facts without the turn; see `judge`."""
        use = self.files.uses.judge
        given = self.files.add_actions(self.rules.program(use), given, has_turn=False)
        facts: dict[str, list[Row]] = {}
        for name, rows in given.items():
            known = list(self.facts.get(name, ()))
            known += [(*row, self.step) for row in rows]
            facts[name] = known
        answer = self._ask(use, facts)
        illegal = answer.read(IllegalRow)
        kinds = [str(kind) for kind, _ in answer["counts_as"]]
        if not kinds:
            if self.files.counts_answers:
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
        facts = {**self.facts, "queried": [(self.step,)], **more}
        return self.rules.ask(use, facts)


def list_reasons(rows: Iterable[IllegalRow | PassesRow]) -> list[Reason]:
    """Return the reasons against an answer, sorted by player or person."""
    reasons = []
    for row in sorted(rows, key=lambda row: (str(row.who), row.code)):
        reason = read_reason(row.code, row.who, row.detail)
        reasons.append(reason)
    return reasons


def _asks_illegal(program: Program) -> bool:
    """Return whether rules exclude choices that contain an illegal action."""
    illegal = predicate_of(IllegalRow)
    return any(rule.guides and illegal in rule.body for rule in program.statements)


def check_written(files: GameFiles, rules: GameRules, legal: Iterable[Row]) -> None:
    """Raise a RuleError unless legal actions are written as the grammar reads them.

    Of each kind of action, one with as many different values as possible is read.
    """
    chosen: dict[str, Term] = {}
    for _, action, _ in legal:
        if isinstance(action, Term):
            other = chosen.setdefault(action.name, action)
            if len(set(other.arguments)) < len(set(action.arguments)):
                chosen[action.name] = action
    texts = files.texts
    for action in chosen.values():
        text = texts.format.write_action(action)
        allowed = (ANSWER, CHANCE) if texts.format.has_chance else (ANSWER,)
        starts = [rule for rule in allowed if texts.fits_answer(text, rule)]
        if not starts:
            continue  # it may be a part of an answer
        given = files.read_steps(rules, text, "legal/3", starts[0])[0]
        read = texts.list_actions(given, has_turn=False)
        listed = " ".join(str(other) for (other,) in read)
        # Constants are not told from strings here: an answer of the rules does not either.
        if listed != str(action):
            problem = f"{action} is written {text!r}, which is read as {listed}"
            raise RuleError(f"the grammar of {files.title}: {problem}")


def check_legal(
    files: GameFiles, rules: GameRules, legal: Sequence[Legal], start: str = ANSWER
) -> None:
    """Raise a RuleError unless the grammar can read listed answers, joined where several move."""
    first = [one.moves[0] for one in legal]
    for number, one in enumerate(legal):
        for move in one.moves:
            text = " ".join([*first[:number], move, *first[number + 1 :]])
            if not text or files.texts.fits_answer(text, start):
                continue
            try:
                files.texts.read_steps(text, "legal/3", start, files.find_words(rules))
            except FormatError as error:
                message = f"the rules of {files.title} list an answer that cannot be read:\n{error}"
                raise RuleError(message) from error


def list_legal(
    files: GameFiles, legal: Iterable[Row], legal_kind: Iterable[Row], mover: int
) -> list[Legal]:
    """Return the legal answers of each player or person who moves, in the order of the actions.

    The rows are those of the predicates; there are kinds only if the answers of the game count as
    something.
    """
    kinds = {action: str(kind) for action, kind, _ in legal_kind}
    moves = defaultdict[Value, list[str]](list)
    counts_as = defaultdict[Value, list[str]](list)
    for who, action, _ in sorted(legal, key=order_value):
        moves[who].append(files.texts.format.write_action(action))
        if kinds:
            counts_as[who].append(kinds.get(action, ""))
    found = []
    for who, listed in moves.items():
        player = str(who) or mover
        found.append(Legal(player, tuple(listed), tuple(counts_as[who])))
    return found


def order_value(value: Value) -> tuple[Any, ...]:
    """Return a key that sorts values: numbers by size, strings, tuples, then terms by name."""
    if isinstance(value, Term):
        return 3, value.name, order_value(value.arguments)
    if isinstance(value, tuple):
        return 2, tuple(map(order_value, value))
    if isinstance(value, int):
        return 0, value
    return 1, str(value)
