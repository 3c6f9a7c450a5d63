"""Positions that the rules judge: what is legal there, and why an answer is not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from kb_score.engine.program import Program
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.state import hand_in_all
from kb_score.engine.terms import Facts, Row, Term, Value, predicate_of
from kb_score.errors import FormatError, InputError, RuleError
from kb_score.games.agreement import STEP, TURN
from kb_score.games.files import GameFiles
from kb_score.games.live import CHANCE_PLAYER
from kb_score.games.match import Judged, Legal, Reason, read_reason, refuse
from kb_score.games.options import AFTER
from kb_score.games.query import Query
from kb_score.games.schema import IllegalRow, calls_illegal, write_sentence
from kb_score.games.texts import ANSWER, CHANCE

T = TypeVar("T")

# The note about an action that ends the turn.
_MAY_END = "the turn may end here"

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

    In a game in which a turn has several steps, it may be in the middle of a turn.

    Attributes:
        facts: The facts of the record before the step, or the initial facts and the state before
            the step.
        step: The number of the step, from 1, which is that of the turn if a turn is a step.
        turn: The number of the turn, from 1.
        name: The name of an answer in messages.
        mover: The player whose turn it is, 0 for chance; None if the rules have to say that, and
            whether the game is over.
        end: The turn after which the game was over; None if it goes on.
        is_live: Whether the game is being played.
        awaits_chance: Whether an answer may end here, since chance has to decide then.
        record: The name of the record, or of the board.
        begun: The first step after the record: later ones are those of a part of the turn.
    """

    files: GameFiles
    rules: GameRules
    facts: Facts
    step: int
    turn: int
    name: str
    mover: int | None = None
    end: int | None = None
    is_live: bool = False
    awaits_chance: bool = False
    record: str = ""
    begun: int = 0

    @property
    def over(self) -> str:
        """Why no move is legal after the end of the game; empty if the game goes on.

        An illegal step before the position is an InputError.
        """
        end = self.end
        if self.mover is None:
            end = self._find_end(self._listed)
            if end is None:
                self._refuse_illegal(self._listed)
        return "" if end is None else f"the game is over after turn {end}"

    @cached_property
    def _listed(self) -> Answer:
        """The answer of the rules that lists the legal moves."""
        return self._list_query(lambda answer: answer).ask()

    def _find_mover(self, answer: Answer | None = None) -> int:
        """Return the player whose turn it is, as the rules say, by default in the list of moves."""
        if self.mover is not None:
            return self.mover
        answer = answer or self._listed
        movers = [player for player, step in answer["mover"] if step == self.step]
        return min(movers, default=1)

    @property
    def _has_steps(self) -> bool:
        return self.files.texts.format.has_steps

    @property
    def _start(self) -> str:
        """The rule of the grammar for an answer."""
        if not self.files.texts.format.has_chance:
            return ANSWER
        return CHANCE if self._find_mover() == CHANCE_PLAYER else ANSWER

    def after(self, steps: Iterable[Facts]) -> RulesPosition:
        """Return the position after more steps of the turn, which may be illegal."""
        step = self.step
        number: Facts = {TURN: [()], STEP: [(self.turn,)]} if self._has_steps else {}
        facts = {name: list(rows) for name, rows in self.facts.items()}
        for given in steps:
            for name, rows in {**given, **number}.items():
                facts.setdefault(name, []).extend((*row, step) for row in rows)
            step += 1
        return replace(self, facts=facts, step=step)

    def _find_end(self, answer: Answer) -> int | None:
        """Return the turn after which the game was over before the step."""
        ends = [step for (step,) in answer["terminal"] if step < self.step]
        return self._count_turn(min(ends)) if ends else None

    def _count_turn(self, step: int) -> int:
        """Return the number of the turn of a step before the position."""
        (turn,) = [turn for turn, other in self.facts[STEP] if other == step]
        assert isinstance(turn, int)
        return turn

    def _refuse_illegal(self, answer: Answer) -> None:
        """Raise an InputError about the first illegal step before the position.

        It is about the record, or about the part of the turn after it.
        """
        illegal = [row for row in answer.read(IllegalRow) if row.turn < self.step]
        if not (illegal and self.record):
            return
        first = min(illegal, key=lambda row: row.turn)
        if first.turn >= self.begun:
            reasons = list_reasons(row for row in illegal if row.turn == first.turn)
            raise InputError(f"--{AFTER.name}", "; ".join(map(str, reasons)))
        raise refuse(self.record, first._replace(turn=self._count_turn(first.turn)))

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves of each player or person."""
        return show_end(self.options())

    def moves_query(self) -> Query[Sequence[Legal]]:
        """Return the query for `moves`."""
        return self._list_query(lambda answer: show_end(self._read_options(answer)))

    def options(self) -> Sequence[Legal]:
        """Return the legal moves, among which an empty one ends the turn."""
        return self._read_options(self._listed)

    def _list_query(self, read: Callable[[Answer], T]) -> Query[T]:
        """Return a query about the step, for which there is no answer yet."""
        known = replace(self, facts=hand_in_all(self.facts))
        asked = known.after([{"queried": [()]}])
        facts = {**asked.facts, "undecided": [()]}
        return Query(self.rules, self.files.uses.legal, facts, read)

    def _read_options(self, answer: Answer) -> Sequence[Legal]:
        """Return the legal moves from the answer that lists them."""
        self._refuse_illegal(answer)
        listed = self._list_moves(answer)
        program = self.rules.program(self.files.uses.legal)
        if calls_illegal(program) and not _asks_illegal(program):
            return [self._leave_out(legal) for legal in listed]
        return listed

    def _list_moves(self, answer: Answer) -> Sequence[Legal]:
        """Return the legal moves that the rules list and do not forbid."""
        forbidden = {row.action for row in answer.read(ForbiddenRow)}
        found = [row for row in answer["legal"] if row[1] not in forbidden]
        mover = self._find_mover(answer)
        moves = list_legal(self.files, found, answer["legal_kind"], mover)
        start = CHANCE if mover == CHANCE_PLAYER else ANSWER
        check_written(self.files, self.rules, found, start)
        check_legal(self.files, self.rules, moves, start)
        note = "; ".join(sorted(write_sentence(words) for words, _ in answer["legal_note"]))
        if not moves and mover == CHANCE_PLAYER:
            note = "what chance draws and shuffles (draw/3 and shuffle/2) is not listed"
        if not moves and (note or self.files.counts_answers):
            return [Legal(mover, (), note=note)]
        return [replace(one, note=note) for one in moves] if note else moves

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
        if self.awaits_chance and not line.strip():
            return Judged([])
        return self.judge_query(line).ask()

    def judge_query(self, line: str) -> Query[Judged]:
        """Return the query for `judge`, which raises the same errors for the answer."""
        return self._judge_steps(self.read_parts(line, self.name))

    def read_parts(self, text: str, name: str) -> Sequence[Facts]:
        """Return the facts of the steps of a part of an answer, which has a name in messages.

        In a game in which a turn has several steps, an empty text ends the turn. The end of the
        turn after other steps is left out, since the part may be followed by others.
        """
        if not self._has_steps:
            return [self.files.read_answer(self.rules, text, name, self._start)]
        end = self.files.texts.format.end
        if end and not text.strip() and self._start == ANSWER:
            return [{end: [()]}]
        steps = self.files.read_steps(self.rules, text, name, self._start)
        if len(steps) > 1 and end in steps[-1]:
            return steps[:-1]
        return steps

    def _judge_steps(self, steps: Sequence[Facts]) -> Query[Judged]:
        """Return the query that judges the steps of an answer, up to the first that is illegal."""
        use = self.files.uses.judge
        program = self.rules.program(use)
        after = self.after(
            self.files.add_actions(program, given, has_turn=False) for given in steps
        )
        facts = dict(after.facts)
        if self._has_steps:
            facts["ends_turn"] = facts.get(self.files.texts.format.end, ())
        else:
            facts["queried"] = [(self.step,)]
        return Query(self.rules, use, facts, self._read_judged)

    def _read_judged(self, answer: Answer) -> Judged:
        self._refuse_illegal(answer)
        illegal = [row for row in answer.read(IllegalRow) if self.step <= row.turn]
        first = min((row.turn for row in illegal), default=0)
        illegal = [row for row in illegal if row.turn == first]
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


def show_end(listed: Sequence[Legal]) -> list[Legal]:
    """Return lists of legal actions with a note in place of the action that ends the turn."""
    found = []
    for one in listed:
        notes = [one.note] if one.note else []
        if "" in one.moves:
            notes.append(_MAY_END)
        found.append(replace(one, moves=tuple(filter(None, one.moves)), note="; ".join(notes)))
    return found


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


def check_written(
    files: GameFiles, rules: GameRules, legal: Iterable[Row], start: str = ANSWER
) -> None:
    """Raise a RuleError unless legal actions are written as the grammar reads them.

    Of each kind of action, one with as many different values as possible is read.
    """
    chosen: dict[tuple[str, ...], Sequence[Term]] = {}
    for _, action, _ in legal:
        parts: Sequence[Term] = [p for p in _split_action(action) if isinstance(p, Term)]
        key = tuple(part.name for part in parts)
        other = chosen.setdefault(key, parts)
        if _count_values(other) < _count_values(parts):
            chosen[key] = parts
    texts = files.texts
    for parts in filter(None, chosen.values()):
        text = texts.format.write_action(tuple(parts))
        if not texts.fits_answer(text, start):
            continue  # it may be a part of an answer
        given = files.read_steps(rules, text, "legal/3", start)[0]
        read = texts.list_actions(given, has_turn=False)
        # Constants are not told from strings here: an answer of the rules does not either.
        if sorted(str(other) for (other,) in read) != sorted(map(str, parts)):
            listed = " ".join(str(other) for (other,) in read)
            action = " ".join(map(str, parts))
            problem = f"{action} is written {text!r}, which is read as {listed}"
            raise RuleError(f"the grammar of {files.title}: {problem}")


def _split_action(action: Value) -> Sequence[Value]:
    """Return the terminals of an action."""
    return action if isinstance(action, tuple) else (action,)


def _count_values(parts: Iterable[Term]) -> int:
    """Return how many different values some terms have."""
    return len({value for part in parts for value in part.arguments})


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
        found.append(Legal(find_player(who, mover), tuple(listed), tuple(counts_as[who])))
    return found


def find_player(who: Value, mover: int) -> int | str:
    """Return the player or person whom rules name; an empty name is the mover's."""
    return who if isinstance(who, int) else str(who) or mover


def order_value(value: Value) -> tuple[Any, ...]:
    """Return a key that sorts values: numbers by size, strings, terms by name, then tuples."""
    if isinstance(value, Term):
        return 2, value.name, order_value(value.arguments)
    if isinstance(value, tuple):
        return 3, tuple(map(order_value, value))
    if isinstance(value, int):
        return 0, value
    return 1, str(value)
