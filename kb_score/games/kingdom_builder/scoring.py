"""Boards to gold: their scores, one by one or many at once, and the evidence for each score."""

from __future__ import annotations

import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from kb_score.engine.query import Query, ask_many, catch
from kb_score.engine.rules import Answer, Use
from kb_score.engine.terms import Facts, Name, Term, Value
from kb_score.errors import InputError, KbScoreError, RuleError, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, Hex
from kb_score.games.kingdom_builder.rules import Card, Rules
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.schema import read_drawing, write_sentence
from kb_score.shell.output import Block, Output, Table, Text
from kb_score.shell.picture import Drawing, Evidence, draw

if TYPE_CHECKING:
    # This takes a while to load, and most boards are scored without it.
    from concurrent.futures import Executor

    from kb_score.shell.pool import Pool


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

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
    # What people call the players and the board, and the sentence that tells who has won.
    labels: Labels = field(default=NO_LABELS, compare=False, repr=False)
    saying: str = field(default="", compare=False, repr=False)

    def only(self, player: int | None) -> Scores:
        """Leave out all players but one, if one is wanted, or an InputError; the winner stays."""
        if player is None:
            return self
        if player not in self.players:
            raise InputError(self.board, f"player {player} has no settlement on it")
        at = slice(self.players.index(player), self.players.index(player) + 1)
        games = (replace(c, total=c.total[at]) for c in self.combinations or ())
        return replace(
            self,
            players=(player,),
            gold={card: gold[at] for card, gold in self.gold.items()},
            total=self.total and self.total[at],
            combinations=self.combinations and tuple(games),
        )

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        keys = "board", "players", "gold", "cards", "total", "combinations", "violations"
        shown = [*keys, *["winners"] * (self.winners is not None)]
        made = asdict(self)
        return {key: made[key] for key in shown}


@dataclass(frozen=True)
class Scorer:
    """Scores boards by given rules; see `Rules.find_cards` for the cards."""

    rules: Rules
    cards: tuple[str, ...] | None = None  # None for all
    combinations: bool = False
    players: int | None = None  # None for everybody with a settlement

    def query(self, board: Board) -> Query[Scores]:
        """Make the query for the scores of one board.

        Raises:
            InputError: The board has a settlement of a player who does not play.
        """
        facts = self._facts(board)
        return Query(self.rules.game, self._use, facts, partial(self._read, board), board.name)

    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        """Score boards in one grounding, which is faster; return the error of each bad board."""
        return ask_many([catch(self.query, board) for board in boards])

    @cached_property
    def _use(self) -> Use:
        use = asp.SCORE.plus("valid")
        if self.cards is not None:
            use = use.plus("total")
        if self.combinations:
            use = use.plus("combinations")
        return use

    @cached_property
    def _shown_cards(self) -> tuple[str, ...]:
        return self.rules.list_cards(self.cards)

    def _facts(self, board: Board) -> Facts:
        facts = board.facts_for(self.players)
        if self.cards is not None:
            facts["chosen"] = [(Name(card),) for card in self.cards]
        return facts

    def _read(self, board: Board, answer: Answer) -> Scores:
        gold = {(row.card, row.player): row.gold for row in answer.read(asp.ScoreRow)}
        players = tuple(sorted({player for _, player in gold}))
        winners = tuple(sorted(row.player for row in answer.read(asp.WinnerRow)))
        total = {row.player: row.gold for row in answer.read(asp.TotalRow)}
        violations = answer.read(asp.ViolationRow)
        findings = (Finding(v.code, write_sentence(v.detail)) for v in violations)
        return Scores(
            board=board.name,
            players=players,
            gold={card: tuple(gold[card, p] for p in players) for card in self._shown_cards},
            cards=self.cards,
            total=None if self.cards is None else tuple(total[p] for p in players),
            combinations=_read_combinations(answer, players) if self.combinations else None,
            violations=tuple(sorted(findings, key=lambda f: (f.code, f.detail))),
            winners=None if self.cards is None else winners,
            labels=board.labels,
            saying=""
            if self.cards is None
            else board.labels.describe_winners(winners, max(total.values(), default=0)),
        )


def score_boards(
    boards: Iterable[Board], scorer: Scorer, executor: Executor | Pool | None = None
) -> Iterator[Scores | KbScoreError]:
    """Score boards in order, in this process or with an executor, such as a pool."""
    yield from do_many(boards, scorer.score_together, scorer.rules, executor)


def do_many(
    items: Iterable[_Item],
    do_together: Callable[[Sequence[_Item]], list[_Result | KbScoreError]],
    rules: Rules,
    executor: Executor | Pool | None,
    chunk: int = _CHUNK,
) -> Iterator[_Result | KbScoreError]:
    """Do something for boards, or what has the name of one, some of them together, in order."""
    drawn = iter(items)
    chunks = iter(lambda: list(islice(drawn, chunk)), [])
    if executor is None:
        for some in chunks:
            yield from do_together(some)
        return
    from kb_score.shell.pool import BorrowedPool, Pool, TaskLost, run_tasks

    pool = executor if isinstance(executor, Pool) else BorrowedPool(executor, _AHEAD)
    pool.require(rules.game.changes.check)
    run = partial(run_tasks, pool, do_together)
    for together, done in run(chunks, ahead=max(_AHEAD, 3 * pool.slots)):
        if not isinstance(done, TaskLost):
            yield from done
            continue
        # An item that kills each process costs no other its result.
        for (item,), alone in run(([item] for item in together), ahead=1):
            if isinstance(alone, TaskLost):
                yield InputError(getattr(item, "name", ""), _KILLED)
            else:
                yield from alone


def _read_combinations(answer: Answer, players: tuple[int, ...]) -> tuple[Combination, ...]:
    totals = {((a, b, c), player): gold for a, b, c, player, gold in answer.read(asp.GameTotalRow)}
    games = sorted({game for game, _ in totals})
    return tuple(Combination(game, tuple(totals[game, p] for p in players)) for game in games)


def report_scores(scores: Scores) -> Output:
    """Lay out the scores of a board: cards down, players across, castles first; then the games."""
    cards = list(scores.gold.items())
    if scores.total is not None:
        cards.append(("total", scores.total))
    paid: list[tuple[str | int, ...]] = [(name, *gold) for name, gold in cards]
    sums = int(scores.total is not None)
    columns = [*map(scores.labels.name, scores.players)]
    title = scores.labels.title or scores.board
    blocks: list[Block] = [Table(title, ("card", *columns), tuple(paid), sums)]
    blocks += [Text(scores.saying)] if scores.saying else []
    games = [(" ".join(map(str, c.cards)), c.total) for c in scores.combinations or ()]
    if scores.combinations is not None:
        title = "games of the castles and three cards"
        paid = [(name, *gold) for name, gold in games]
        blocks.append(Table(title, ("cards", *columns), tuple(paid)))
    rows = tuple(
        (scores.board, name, player, gold)
        for name, golds in [*cards, *games]
        for player, gold in zip(scores.players, golds, strict=True)
    )
    listed = Table("", ("board", "cards" if games else "card", "player", "gold"), rows)
    return Output(blocks, [scores.to_json()], listed)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reasons for a card's gold for a player on a board, payment by payment."""

    board: str
    card: Card
    player: int
    gold: int
    evidence: tuple[Evidence, ...]
    # For a picture in a notebook: the board, and the rules that say how it is drawn.
    source: tuple[Board, Rules] | None = field(default=None, repr=False, compare=False)

    @property
    def hexes(self) -> frozenset[Hex]:
        """All hexes that show some of the evidence."""
        return frozenset(hex_ for piece in self.evidence for hex_ in piece.hexes)

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        shown = {key: getattr(self, key) for key in ("board", "card", "player", "gold")}
        evidence = [{"why": e.why, "gold": e.gold, "hexes": e.hexes} for e in self.evidence]
        return {**shown, "card": self.card.name, "evidence": evidence}


def explain(
    board: Board,
    rules: Rules,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a board, in order of the cards' numbers, then of the players."""
    # Who listens may ask why there are findings, too.
    use = asp.EXPLAIN if rules.game.listener is None else asp.EXPLAIN.plus("valid")
    answer = rules.game.ask(use, board.facts_for(players))
    shown = [card for card in rules.cards if cards is None or card.name in set(cards)]
    return read_explanations(answer, board.name, shown, player, (board, rules))


def read_explanations(
    answer: Answer,
    name: str,
    cards: Sequence[Card],
    player: int | None,
    source: tuple[Board, Rules] | None = None,
) -> tuple[Explanation, ...]:
    """Read why cards pay each player, or one, what they do."""
    score = {(row.card, row.player): row.gold for row in answer.read(asp.ScoreRow)}
    evidence = _read_evidence(answer)
    present = sorted({p for _, p in score})
    if player is not None and player not in present:
        raise InputError(name, f"player {player} has no settlement on it")
    return tuple(
        Explanation(name, c, p, score[c.name, p], tuple(evidence[c.name, p]), source)
        for c in cards
        for p in (present if player is None else [player])
    )


def draw_board(board: Board, rules: Rules, marked: tuple[str, int | None] | None = None) -> Drawing:
    """Draw a board by the rules; point at the hexes for which a card pays a player, or anybody."""
    use = asp.PICTURE if marked is None else asp.MARKED
    answer = rules.game.ask(use, {**board.facts, **board.notation.facts})
    drawing = read_drawing(answer)
    if marked is not None:
        card, player = marked
        paid = _read_evidence(answer).items()
        mine = (found for (c, p), found in paid if c == card and player in (None, p))
        drawing = replace(drawing, evidence=[*chain(*mine)])
    if not drawing.cells:
        raise RuleError("the rules of kingdom-builder draw no picture: picture.lp gives no cell")
    return replace(drawing, looks=board.labels.put(drawing.looks))


def _read_evidence(answer: Answer) -> defaultdict[tuple[str, Value], list[Evidence]]:
    hexes = defaultdict[tuple[str, Value, Value], list[Hex]](list)
    for card, player, why, row, column in answer.read(asp.MarkRow):
        # A card may name a hex that does not exist: then there is nothing to mark.
        if isinstance(row, int) and isinstance(column, int):
            hexes[card, player, why].append((row, column))
    spans = {row.why: row[1:] for row in answer.read(asp.SpanRow)}
    evidence = defaultdict[tuple[str, Value], list[Evidence]](list)
    payments = sorted(answer.read(asp.GoldRow), key=lambda paid: _sort_key(paid.why))
    for card, player, why, points in payments:
        shown = tuple(sorted(hexes[card, player, why]))
        evidence[card, player].append(Evidence(_say_why(why), points, shown, spans.get(why)))
    return evidence


def _say_why(why: Value) -> str:
    """Put a reason into words: hex(3,4) is "hex 3,4", a group is named by its first hex."""
    match why:
        case Term("area", ((row, column),)):
            return f"group from hex {row},{column}"
        case Term("built", ((row, column), turn, _)):
            return f"built {row},{column} in turn {turn}"
        case Term("turn", (turn, *_)):
            return f"turn {turn}"
        case Term(name, arguments):
            return f"{name} {','.join(map(str, arguments))}"
        case _:
            return str(why)


def _sort_key(why: Value) -> list[str | int]:
    """Order numbers by size, in any kind of term."""
    return [int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", str(why))]


def report_evidence(
    explanations: Sequence[Explanation], drawing: Drawing, labels: Labels
) -> Output:
    """Lay out the evidence for scores, with a picture of the board for each."""
    blocks: list[Block] = []
    for explanation in explanations:
        card = explanation.card
        paid = f"{labels.name(explanation.player)}: {explanation.gold} gold"
        blocks.append(Text(f"{card.name}, {paid} ({visible(card.text)})", "heading"))
        if explanation.evidence:
            blocks.append(_table(explanation.evidence))
        if explanation.hexes:
            blocks.append(draw_hexes(replace(drawing, highlights=explanation.hexes)))
    rows = tuple(
        (e.board, e.card.name, e.player, piece.gold, piece.why)
        for e in explanations
        for piece in e.evidence
    )
    listed = Table("", ("board", "card", "player", "gold", "why"), rows)
    return Output(blocks, (e.to_json() for e in explanations), listed)


def draw_hexes(drawing: Drawing) -> Text:
    """Draw a board as text, as wide as the terminal lets it be."""
    rows, columns = (1 + max(place[i] for place in drawing.cells) for i in (0, 1))
    needed = 4 * columns + len(str(rows)) + 2
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < needed
    return Text(draw(drawing, hexes=True, width=3 if narrow else 4), "picture")


def _table(evidence: Sequence[Evidence]) -> Table:
    """Lay out evidence; reasons of one kind that pay the same share a line."""
    groups: dict[tuple[str, int], list[str]] = {}
    for piece in evidence:
        kind, _, which = piece.why.partition(" ")
        groups.setdefault((kind, piece.gold), []).append(which)
    rows: list[tuple[str | int, ...]] = []
    for (kind, gold), places in groups.items():
        times = f"{len(places)} x {gold}" if len(places) > 1 else ""
        rows.append((gold * len(places), times, kind, "  ".join(places)))
    return Table("", ("gold", "", "for", "which"), tuple(rows))
