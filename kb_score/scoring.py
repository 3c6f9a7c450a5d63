"""Boards to gold: the rules of Kingdom Builder applied to one board, or to many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from clingo.ast import ASTType

from kb_score.board import Board
from kb_score.cards import INPUTS, Rules
from kb_score.errors import KbScoreError, RuleError
from kb_score.findings import as_int, write_sentence
from kb_score.program import Program, Signature, Statement, plain_head
from kb_score.solve import Answer, AnswerSetError, solve_many, solve_unique
from kb_score.terms import Facts, Name

# So many boards are grounded together: more would crowd the processor's caches.
CHUNK = 16

_PLAYER: Signature = ("player", 1)
_GOLD: Signature = ("gold", 4)
_SCORE: Signature = ("score", 3)
_TOTAL: Signature = ("total", 2)
_COMBINATION: Signature = ("total", 5)
_VIOLATION: Signature = ("violation", 2)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a finished board must satisfy and this one does not.

    Attributes:
        code: Such as ``too-many-settlements``.
        detail: A sentence for people.
    """

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Combination:
    """One of the challenge's games.

    Attributes:
        cards: The numbers of its three cards, ascending.
        total: The gold of each player, that of the castles included, in the order of the players.
    """

    cards: tuple[int, int, int]
    total: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a board pays.

    Attributes:
        board: The board's name.
        players: The players, ascending.
        gold: For each card the gold of each player, in the order of the players; the cards are in
            the order of their numbers, castles first.
        cards: The chosen cards without the castles, or None where all are shown.
        total: The gold of each player from the castles and the chosen cards, or None.
        combinations: The challenge's 16 games, or None where they were not asked for.
        violations: What the board does not satisfy; it is scored all the same.
    """

    board: str
    players: tuple[int, ...]
    gold: Mapping[str, tuple[int, ...]]
    cards: tuple[str, ...] | None = None
    total: tuple[int, ...] | None = None
    combinations: tuple[Combination, ...] | None = None
    violations: tuple[Finding, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        combinations = self.combinations and [
            {"cards": list(c.cards), "total": list(c.total)} for c in self.combinations
        ]
        return {
            "board": self.board,
            "players": list(self.players),
            "gold": {card: list(gold) for card, gold in self.gold.items()},
            "cards": None if self.cards is None else list(self.cards),
            "total": None if self.total is None else list(self.total),
            "combinations": combinations,
            "violations": [{"code": v.code, "detail": v.detail} for v in self.violations],
        }


@dataclass(frozen=True)
class Scorer:
    """Scores boards by some rules.

    Attributes:
        rules: The rules.
        cards: The names of the chosen cards, or None for all; see `Rules.find_cards`.
        combinations: Whether the challenge's 16 games are wanted.
        players: The number of players, or None for everybody with a settlement.
    """

    rules: Rules
    cards: tuple[str, ...] | None = None
    combinations: bool = False
    players: int | None = None

    def score(self, board: Board) -> Scores:
        """Score one board.

        Raises:
            BoardError: The board has settlements of more players than there are.
            RuleError: The rules fail on it.
        """
        facts = self._facts(board)
        try:
            return self._read(board, solve_unique(self._program, facts, self._wanted))
        except AnswerSetError as error:
            raise RuleError(f"{board.name}: {error}") from error

    def score_many(self, boards: Iterable[Board]) -> Iterator[Scores | KbScoreError]:
        """Score boards, some of them together, which is faster.

        Yields:
            For each board in turn its scores, or what is wrong with it.
        """
        for chunk in in_chunks(boards, CHUNK):
            yield from self._score_chunk(chunk)

    def _score_chunk(self, boards: Sequence[Board]) -> Iterator[Scores | KbScoreError]:
        if len(boards) > 1:
            try:
                facts = [self._facts(board) for board in boards]
                answers = solve_many(self._lifted, facts, self._wanted)
                together = list(map(self._read, boards, answers))
            except KbScoreError:
                # Somebody is to blame: one by one it shows who, and the others keep their scores.
                together = []
            if together:
                yield from together
                return
        for board in boards:
            try:
                yield self.score(board)
            except KbScoreError as error:
                yield error

    @cached_property
    def _wanted(self) -> tuple[Signature, ...]:
        wanted = [_PLAYER, _SCORE, _VIOLATION]
        if self.cards is not None:
            wanted.append(_TOTAL)
        if self.combinations:
            wanted.append(_COMBINATION)
        return tuple(wanted)

    @cached_property
    def _program(self) -> Program:
        program = self.rules.program
        # A user's card may pay for what another one pays, whether or not that is in the game.
        asked = any(_GOLD in s.body for s in program.asked_for([_GOLD]).statements)
        if self.cards is not None and not self.combinations and not asked:
            program = _without_cards(program, set(self._shown_cards))
        return program.asked_for(self._wanted)

    @cached_property
    def _lifted(self) -> Program:
        from kb_score.lift import lift_to_boards

        return lift_to_boards(self._program, INPUTS)

    @cached_property
    def _shown_cards(self) -> tuple[str, ...]:
        return tuple(
            card.name
            for card in self.rules.cards
            if self.cards is None or not card.number or card.name in self.cards
        )

    def _facts(self, board: Board) -> Facts:
        facts = board.facts_for(self.players)
        if self.cards is not None:
            facts["chosen"] = [(Name(card),) for card in self.cards]
        return facts

    def _read(self, board: Board, answer: Answer) -> Scores:
        players = tuple(sorted(as_int(player) for (player,) in answer[_PLAYER]))
        gold = {(str(card), as_int(p)): as_int(g) for card, p, g in answer[_SCORE]}
        total = {as_int(p): as_int(g) for p, g in answer.rows.get(_TOTAL, ())}
        return Scores(
            board=board.name,
            players=players,
            gold={card: tuple(gold[card, p] for p in players) for card in self._shown_cards},
            cards=self.cards,
            total=None if self.cards is None else tuple(total[p] for p in players),
            combinations=_read_combinations(answer, players) if self.combinations else None,
            violations=tuple(
                sorted(
                    (
                        Finding(str(code), write_sentence(detail))
                        for code, detail in answer[_VIOLATION]
                    ),
                    key=lambda finding: (finding.code, finding.detail),
                )
            ),
        )


def in_chunks(boards: Iterable[Board], size: int) -> Iterator[list[Board]]:
    """Group boards into lists of a size; the last list may be shorter."""
    chunk: list[Board] = []
    for board in boards:
        chunk.append(board)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _read_combinations(answer: Answer, players: tuple[int, ...]) -> tuple[Combination, ...]:
    totals = {tuple(map(as_int, row[:4])): as_int(row[4]) for row in answer[_COMBINATION]}
    games = sorted({(a, b, c) for a, b, c, _ in totals})
    return tuple(Combination(game, tuple(totals[*game, p] for p in players)) for game in games)


def _without_cards(program: Program, kept: set[str]) -> Program:
    """Leave out what states or pays other cards than these: nothing that is wanted needs it."""

    def pays_other(statement: Statement) -> bool:
        head = plain_head(statement)
        if head is None or (head.name, len(head.arguments)) not in (("card", 3), ("gold", 4)):
            return False
        card = head.arguments[0]
        # A rule that speaks of any card is no card's own.
        return card.ast_type == ASTType.SymbolicTerm and str(card) not in kept

    statements = tuple(s for s in program.statements if not pays_other(s))
    return replace(program, statements=statements, defined=program.defined | {_GOLD})
