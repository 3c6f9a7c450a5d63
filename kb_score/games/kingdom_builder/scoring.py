"""Scores of boards, one by one or many at once, and the evidence for each score."""

from __future__ import annotations

import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kb_score.engine.query import Query, ask_many, catch
from kb_score.engine.rules import Answer, Use
from kb_score.engine.terms import Name, Term, Value
from kb_score.errors import InputError, KbScoreError, RuleError, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import DISPLAY, Board, Hex
from kb_score.games.kingdom_builder.rules import Card, Rules
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.schema import read_drawing, write_sentence
from kb_score.shell.output import Block, Output, Table, Text
from kb_score.shell.picture import Drawing, PlaceGroup, draw
from kb_score.shell.verdict import name_text, write_html

if TYPE_CHECKING:
    # This takes a while to load, and most boards are scored without it.
    from concurrent.futures import Executor

    from kb_score.shell.pool import Pool


# Values by player, in ascending order of the players.
ByPlayer: TypeAlias = tuple[int, ...]
# Gold by card and player.
Gold: TypeAlias = dict[tuple[str, int], int]
# The name of a card and a player.
_CardAndPlayer: TypeAlias = tuple[str, Value]
# The row of a table.
Row: TypeAlias = tuple[str | int, ...]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# The number of boards that are grounded together: more would crowd the processor's caches.
_CHUNK = 16
# An executor gets this many chunks in advance of the one whose scores are awaited.
_AHEAD = 64
_KILLED = "it has no scores: the process at work on it was killed"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule for finished boards that a board breaks, as a code and a sentence."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Combination:
    """One of the challenge's games: the numbers of its cards, and the total of each player."""

    cards: tuple[int, int, int]
    total: ByPlayer  # with the castles


@dataclass(frozen=True, slots=True)
class Scores:
    """The gold that a board pays, with the players in ascending order.

    The cards are in the order of their numbers, castles first. Parts not asked for are None.
    """

    board: str
    players: ByPlayer
    gold: Mapping[str, ByPlayer]
    cards: tuple[str, ...] | None = None  # the chosen ones without the castles
    total: ByPlayer | None = None  # from the castles and the chosen cards
    combinations: tuple[Combination, ...] | None = None  # the challenge's 16 games
    violations: tuple[Finding, ...] = ()  # the board is scored all the same
    winners: ByPlayer | None = None  # the players with the highest total
    # What people call the players and the board, and the sentence that tells who has won.
    labels: Labels = field(default=NO_LABELS, compare=False, repr=False)
    saying: str = field(default="", compare=False, repr=False)

    def _repr_html_(self) -> str:
        """Return the tables for a notebook, with what the board does not satisfy."""
        findings = (Text(f"{one.code}: {one.detail}") for one in self.violations)
        return name_text(write_html([*report_scores(self).blocks, *findings]))

    def only(self, player: int | None) -> Scores:
        """Leave out all players but one; the winners stay.

        Args:
            player: The player; None to leave out nobody.

        Raises:
            InputError: The player has no settlement on the board.
        """
        if player is None:
            return self
        if player not in self.players:
            raise InputError(self.board, f"player {player} has no settlement on it")
        index = self.players.index(player)
        own = slice(index, index + 1)
        combinations = self.combinations
        if combinations is not None:
            games = [replace(game, total=game.total[own]) for game in combinations]
            combinations = tuple(games)
        return replace(
            self,
            players=(player,),
            gold={card: gold[own] for card, gold in self.gold.items()},
            total=self.total and self.total[own],
            combinations=combinations,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints on one line."""
        shown = asdict(self)
        del shown["labels"]
        del shown["saying"]
        if self.winners is None:
            del shown["winners"]
        return shown


@dataclass(frozen=True)
class Scorer:
    """Scores boards by given rules; see `Rules.find_cards` for the cards."""

    rules: Rules
    cards: tuple[str, ...] | None = None  # None for all
    combinations: bool = False
    players: int | None = None  # None for everybody with a settlement

    def query(self, board: Board) -> Query[Scores]:
        """Return the query for the scores of one board.

        Raises:
            InputError: The board has a settlement of a player who does not play.
        """
        facts = board.facts_for(self.players)
        if self.cards is not None:
            facts["chosen"] = [(Name(card),) for card in self.cards]
        read = partial(self._read, board)
        return Query(self.rules.game, self._use, facts, read, board.name)

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

    def _read(self, board: Board, answer: Answer) -> Scores:
        paid = read_gold(answer)
        players = tuple(sorted({player for _, player in paid}))
        gold: dict[str, ByPlayer] = {}
        for card in self._shown_cards:
            gold[card] = tuple(paid[card, player] for player in players)
        violations: list[Finding] = []
        for row in answer.read(asp.ViolationRow):
            violations.append(Finding(row.code, write_sentence(row.detail)))
        violations.sort(key=lambda finding: (finding.code, finding.detail))
        scores = Scores(
            board=board.name,
            players=players,
            gold=gold,
            violations=tuple(violations),
            labels=board.labels,
        )
        if self.combinations:
            scores = replace(scores, combinations=_read_combinations(answer, players))
        if self.cards is None:
            return scores
        total = {row.player: row.gold for row in answer.read(asp.TotalRow)}
        winners = tuple(sorted(row.player for row in answer.read(asp.WinnerRow)))
        highest = max(total.values(), default=0)
        return replace(
            scores,
            cards=self.cards,
            total=tuple(total[player] for player in players),
            winners=winners,
            saying=board.labels.describe_winners(winners, highest),
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
    """Process items in order, several of them together, in this process or with an executor.

    Args:
        items: Boards, or what has the name of a board.
        do_together: Processes some items, and returns a result for each.
        rules: The rules that it uses.
        executor: The executor; None for this process.
        chunk: The number of items that are processed together.

    Yields:
        The result of each item, or the error in its place.
    """
    chunks = _split(items, chunk)
    if executor is None:
        for some in chunks:
            yield from do_together(some)
        return
    from kb_score.shell.pool import BorrowedPool, Pool, TaskLost, run_tasks

    pool = executor if isinstance(executor, Pool) else BorrowedPool(executor, _AHEAD)
    pool.require(rules.game.changes.check)
    run = partial(run_tasks, pool, do_together)
    ahead = max(_AHEAD, 3 * pool.slots)
    for together, done in run(chunks, ahead=ahead):
        if not isinstance(done, TaskLost):
            yield from done
            continue
        # One crashing item must not lose other results.
        for (item,), alone in run(_split(together, 1), ahead=1):
            if isinstance(alone, TaskLost):
                yield InputError(getattr(item, "name", ""), _KILLED)
            else:
                yield from alone


def _split(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield the items in lists of a size; the last one may be shorter."""
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


def read_gold(answer: Answer) -> Gold:
    """Read how much gold each card pays each player, by card and player."""
    return {(row.card, row.player): row.gold for row in answer.read(asp.ScoreRow)}


def _read_combinations(answer: Answer, players: ByPlayer) -> tuple[Combination, ...]:
    """Read the challenge's games, in order of the numbers of their cards."""
    totals = defaultdict[tuple[int, int, int], dict[int, int]](dict)
    for a, b, c, player, gold in answer.read(asp.GameTotalRow):
        totals[a, b, c][player] = gold
    games: list[Combination] = []
    for cards, by_player in sorted(totals.items()):
        total = tuple(by_player[player] for player in players)
        games.append(Combination(cards, total))
    return tuple(games)


def report_scores(scores: Scores) -> Output:
    """Lay out the scores of a board: cards down, players across, castles first; then the games."""
    lines: list[Row] = []
    for card, gold in scores.gold.items():
        lines.append((card, *gold))
    footer_rows = 0
    if scores.total is not None:
        lines.append(("total", *scores.total))
        footer_rows = 1
    columns = [scores.labels.name(player) for player in scores.players]
    title = scores.labels.title or scores.board
    blocks: list[Block] = [Table(title, ("card", *columns), tuple(lines), footer_rows)]
    if scores.saying:
        blocks.append(Text(scores.saying))
    if scores.combinations is not None:
        games: list[Row] = []
        for game in scores.combinations:
            cards = " ".join(map(str, game.cards))
            games.append((cards, *game.total))
        title = "games of the castles and three cards"
        blocks.append(Table(title, ("cards", *columns), tuple(games)))
        lines += games
    listed: list[Row] = []
    for name, *golds in lines:
        for player, paid in zip(scores.players, golds, strict=True):
            cells = (scores.board, name, player, paid)
            listed.append(cells)
    kind = "cards" if scores.combinations else "card"
    table = Table("", ("board", kind, "player", "gold"), tuple(listed))
    return Output(blocks, [scores.to_json()], table)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One payment: its reason in words, and the hexes that show it, from 0, ascending."""

    why: str
    gold: int
    hexes: Sequence[Hex]
    # The first row and column and the last ones, if the payment is for a part of the board.
    span: tuple[int, int, int, int] | None = None


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
        return frozenset[Hex]().union(*(piece.hexes for piece in self.evidence))

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints on one line."""
        evidence = [
            {"why": piece.why, "gold": piece.gold, "hexes": piece.hexes} for piece in self.evidence
        ]
        return {
            "board": self.board,
            "card": self.card.name,
            "player": self.player,
            "gold": self.gold,
            "evidence": evidence,
        }

    def _repr_svg_(self) -> str | None:
        """Return the board with the hexes that pay for a notebook; None if it is not known."""
        shown: str | None = import_module(DISPLAY).draw_explanation(self)
        return shown


def explain(
    board: Board,
    rules: Rules,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a board, in order of the cards' numbers, then of the players.

    Args:
        board: The board.
        rules: The rules.
        cards: The names of the cards to explain; None for all.
        player: The player to explain the scores of; None for all.
        players: The number of players; None for all who have settled.

    Raises:
        InputError: The player has no settlement on the board, or others have too many.
    """
    # A listener may ask why there are findings, too.
    use = asp.EXPLAIN
    if rules.game.listener is not None:
        use = use.plus("valid")
    answer = rules.game.ask(use, board.facts_for(players))
    shown: Sequence[Card] = rules.cards
    if cards is not None:
        wanted = set(cards)
        shown = [card for card in shown if card.name in wanted]
    return read_explanations(answer, board.name, shown, player, (board, rules))


def read_explanations(
    answer: Answer,
    name: str,
    cards: Sequence[Card],
    player: int | None,
    source: tuple[Board, Rules] | None = None,
) -> tuple[Explanation, ...]:
    """Read why cards pay each player, or one player, what they do; see `explain`."""
    gold = read_gold(answer)
    evidence = _read_evidence(answer)
    present = sorted({player_ for _, player_ in gold})
    if player is not None:
        if player not in present:
            raise InputError(name, f"player {player} has no settlement on it")
        present = [player]
    explanations: list[Explanation] = []
    for card in cards:
        for paid in present:
            key = (card.name, paid)
            pieces = tuple(evidence[key])
            explanations.append(Explanation(name, card, paid, gold[key], pieces, source))
    return tuple(explanations)


def draw_board(board: Board, rules: Rules, marked: tuple[str, int | None] | None = None) -> Drawing:
    """Draw a board by the rules.

    Args:
        board: The board.
        rules: The rules.
        marked: A card and a player, or None for any player: the hexes for which the card pays the
            player are marked. None to mark nothing.

    Raises:
        RuleError: The rules draw nothing.
    """
    use = asp.PICTURE if marked is None else asp.MARKED
    answer = rules.game.ask(use, {**board.facts, **board.notation.facts})
    drawing = read_drawing(answer)
    if marked is not None:
        card, player = marked
        groups: list[PlaceGroup] = []
        for (paying, paid), pieces in _read_evidence(answer).items():
            if paying == card and player in (None, paid):
                for piece in pieces:
                    groups.append(PlaceGroup(piece.gold, piece.hexes, piece.span))
        drawing = replace(drawing, groups=groups)
    if not drawing.cells:
        raise RuleError("the rules of kingdom-builder draw no picture: picture.lp gives no cell")
    return replace(drawing, looks=board.labels.put(drawing.looks))


def _read_evidence(answer: Answer) -> defaultdict[_CardAndPlayer, list[Evidence]]:
    hexes = _read_marks(answer)
    spans = {row.why: row[1:] for row in answer.read(asp.SpanRow)}
    evidence = defaultdict[_CardAndPlayer, list[Evidence]](list)
    rows = answer.read(asp.GoldRow)
    payments = sorted(rows, key=lambda paid: _sort_key(paid.why))
    for card, player, why, gold in payments:
        found = hexes[card, player, why]
        shown = sorted(found)
        reason = _describe_reason(why)
        span = spans.get(why)
        piece = Evidence(reason, gold, tuple(shown), span)
        evidence[card, player].append(piece)
    return evidence


def _read_marks(answer: Answer) -> defaultdict[tuple[str, Value, Value], list[Hex]]:
    """Read the hexes that show why a card pays a player, by card, player and reason."""
    hexes = defaultdict[tuple[str, Value, Value], list[Hex]](list)
    for card, player, why, row, column in answer.read(asp.MarkRow):
        # A card may name a hex that does not exist: then there is nothing to mark.
        if isinstance(row, int) and isinstance(column, int):
            marked = hexes[card, player, why]
            marked.append((row, column))
    return hexes


def _describe_reason(why: Value) -> str:
    """Return the words for a reason: hex(3,4) is "hex 3,4", a group is named by its first hex."""
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
    """Return a key that orders terms, and the numbers in them by size."""
    parts = re.split("([0-9]+)", str(why))
    return [int(part) if part.isdecimal() else part for part in parts]


def report_evidence(
    explanations: Sequence[Explanation], drawing: Drawing, labels: Labels
) -> Output:
    """Lay out the evidence for scores, with a picture of the board for each."""
    blocks: list[Block] = []
    rows: list[Row] = []
    for explanation in explanations:
        card = explanation.card
        name = labels.name(explanation.player)
        heading = f"{card.name}, {name}: {explanation.gold} gold ({visible(card.text)})"
        blocks.append(Text(heading, "heading"))
        if explanation.evidence:
            blocks.append(_tabulate(explanation.evidence))
        if explanation.hexes:
            blocks.append(draw_hexes(replace(drawing, highlights=explanation.hexes)))
        for piece in explanation.evidence:
            row = (explanation.board, card.name, explanation.player, piece.gold, piece.why)
            rows.append(row)
    listed = Table("", ("board", "card", "player", "gold", "why"), tuple(rows))
    return Output(blocks, (one.to_json() for one in explanations), listed)


def draw_hexes(drawing: Drawing) -> Text:
    """Draw a board as text, narrower if the terminal has too few columns."""
    rows = 1 + max(row for row, _ in drawing.cells)
    columns = 1 + max(column for _, column in drawing.cells)
    needed = 4 * columns + len(str(rows)) + 2
    width = 4
    if sys.stdout.isatty() and shutil.get_terminal_size().columns < needed:
        width = 3
    return Text(draw(drawing, hexes=True, width=width), "picture")


def _tabulate(evidence: Sequence[Evidence]) -> Table:
    """Lay out evidence; reasons of one kind that pay the same share a line."""
    groups = defaultdict[tuple[str, int], list[str]](list)
    for piece in evidence:
        kind, _, which = piece.why.partition(" ")
        groups[kind, piece.gold].append(which)
    rows: list[Row] = []
    for (kind, gold), places in groups.items():
        count = len(places)
        times = f"{count} x {gold}" if count > 1 else ""
        rows.append((gold * count, times, kind, "  ".join(places)))
    return Table("", ("gold", "", "for", "which"), tuple(rows))
