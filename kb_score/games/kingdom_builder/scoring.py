"""Boards to gold: the rules of Kingdom Builder applied to one board, or to many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import Answer, AnswerSetError, LimitError, Use
from kb_score.engine.terms import Facts, Name
from kb_score.errors import InputError, KbScoreError, RuleError, visible
from kb_score.games.kingdom_builder.rules import (
    GameTotalRow,
    Rules,
    ScoreRow,
    TotalRow,
    ViolationRow,
    WinnerRow,
    bound,
    check_bounds,
    score_use,
)
from kb_score.games.schema import write_sentence
from kb_score.shell.output import Output, Table

if TYPE_CHECKING:
    # This takes a while to load, and most boards are scored without it.
    from concurrent.futures import Executor

    from kb_score.games.kingdom_builder.board import Board
    from kb_score.shell.pool import Pool

# So many boards are grounded together: more would crowd the processor's caches.
_CHUNK = 16
# An executor gets this many chunks in advance of the one whose scores are awaited.
_AHEAD = 64
_KILLED = "it has no scores: the process at work on it was killed"


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition for finished boards that this one does not satisfy, as code and sentence."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Combination:
    """One of the challenge's games: the numbers of its cards, and the total of each player."""

    cards: tuple[int, int, int]
    total: tuple[int, ...]  # including that of the castles, in the order of the players


@dataclass(frozen=True, slots=True)
class Scores:
    """The gold that a board pays, with the players in ascending order.

    The cards are in the order of their numbers, castles first. Parts not asked for are None.
    """

    board: str
    players: tuple[int, ...]
    gold: Mapping[str, tuple[int, ...]]
    cards: tuple[str, ...] | None = None  # the chosen ones without the castles
    total: tuple[int, ...] | None = None  # from the castles and the chosen cards
    combinations: tuple[Combination, ...] | None = None  # the challenge's 16 games
    violations: tuple[Finding, ...] = ()  # the board is scored all the same
    winners: tuple[int, ...] | None = None  # the players with the highest total

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
    """Scores boards by given rules; see `score_use` and `Rules.find_cards`."""

    rules: Rules
    cards: tuple[str, ...] | None = None  # None for all
    combinations: bool = False
    players: int | None = None  # None for everybody with a settlement

    def score(self, board: Board) -> Scores:
        """Score one board."""
        facts = self._facts(board)
        try:
            return self._read(board, self.rules.game.ask(self._use, facts))
        except AnswerSetError as error:
            raise RuleError(f"{visible(board.name)}: {error}") from error

    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        """Score boards in one grounding, which is faster; return the error of each bad board."""
        if len(boards) > 1:
            # Who is to blame for an error shows one by one, and the others keep their scores.
            try:
                facts = [self._facts(board) for board in boards]
                answers = self.rules.game.ask_boards(self._use, facts)
                return list(map(self._read, boards, answers))
            except LimitError:
                raise  # what has no end on one board would have none on the next
            except KbScoreError:
                pass
        return list(map(self._try, boards))

    def _try(self, board: Board) -> Scores | KbScoreError:
        try:
            return self.score(board)
        except LimitError:
            raise
        except KbScoreError as error:
            return error

    @cached_property
    def _use(self) -> Use:
        # A user's rules may look at any card, so none may be left out.
        all_ = self.cards is None or self.combinations or self.rules.game.changes.folders
        cards = None if all_ else self._shown_cards
        use = score_use(cards, total=self.cards is not None, combinations=self.combinations)
        return bound(use, self.rules.game)

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
        check_bounds(answer)
        gold = {(row.card, row.player): row.gold for row in answer.read(ScoreRow)}
        players = tuple(sorted({player for _, player in gold}))
        winners = tuple(sorted(row.player for row in answer.read(WinnerRow)))
        total = {row.player: row.gold for row in answer.read(TotalRow)}
        findings = (Finding(v.code, write_sentence(v.detail)) for v in answer.read(ViolationRow))
        return Scores(
            board=board.name,
            players=players,
            gold={card: tuple(gold[card, p] for p in players) for card in self._shown_cards},
            cards=self.cards,
            total=None if self.cards is None else tuple(total[p] for p in players),
            combinations=_read_combinations(answer, players) if self.combinations else None,
            violations=tuple(sorted(findings, key=lambda f: (f.code, f.detail))),
            winners=None if self.cards is None else winners,
        )


def score_boards(
    boards: Iterable[Board], scorer: Scorer, executor: Executor | Pool | None = None
) -> Iterator[Scores | KbScoreError]:
    """Score boards in order, in this process or with an executor, such as a pool."""
    drawn = iter(boards)
    chunks = iter(lambda: list(islice(drawn, _CHUNK)), [])
    if executor is None:
        for chunk in chunks:
            yield from scorer.score_together(chunk)
        return
    from kb_score.shell.pool import BorrowedPool, Pool, TaskLost, run_tasks

    pool = executor if isinstance(executor, Pool) else BorrowedPool(executor, _AHEAD)
    pool.require(scorer.rules.game.changes.check)
    score: Callable[[Sequence[Board]], list[Scores | KbScoreError]] = scorer.score_together
    run = partial(run_tasks, pool, score)
    for together, scored in run(chunks, ahead=max(_AHEAD, 3 * pool.slots)):
        if not isinstance(scored, TaskLost):
            yield from scored
            continue
        # A board that kills each process costs no other its scores.
        for (board,), alone in run(([board] for board in together), ahead=1):
            if isinstance(alone, TaskLost):
                yield InputError(board.name, _KILLED)
            else:
                yield from alone


def _read_combinations(answer: Answer, players: tuple[int, ...]) -> tuple[Combination, ...]:
    totals = {((a, b, c), player): gold for a, b, c, player, gold in answer.read(GameTotalRow)}
    games = sorted({game for game, _ in totals})
    return tuple(Combination(game, tuple(totals[game, p] for p in players)) for game in games)


def report_scores(scores: Scores) -> Output:
    """Lay out the scores of a board: cards down, players across, castles first; then the games."""
    players = tuple(f"player {player}" for player in scores.players)
    cards = list(scores.gold.items())
    if scores.total is not None:
        cards.append(("total", scores.total))
    paid: list[tuple[str | int, ...]] = [(name, *gold) for name, gold in cards]
    sums = int(scores.total is not None)
    tables = [Table(scores.board, ("card", *players), tuple(paid), sums)]
    games = [(" ".join(map(str, c.cards)), c.total) for c in scores.combinations or ()]
    if scores.combinations is not None:
        title = "games of the castles and three cards"
        paid = [(name, *gold) for name, gold in games]
        tables.append(Table(title, ("cards", *players), tuple(paid)))
    rows = tuple(
        (scores.board, name, player, gold)
        for name, golds in [*cards, *games]
        for player, gold in zip(scores.players, golds, strict=True)
    )
    listed = Table("", ("board", "card", "player", "gold"), rows)
    return Output(tables, [scores.to_json()], listed)
