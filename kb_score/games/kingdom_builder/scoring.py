"""Score boards, one by one or many at once, and explain each score with evidence."""

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

from kb_score.engine.rules import Answer, Use, catch
from kb_score.engine.terms import Name, Term, Value
from kb_score.errors import InputError, KbScoreError, RuleError, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import DISPLAY, Board, Hex
from kb_score.games.kingdom_builder.rules import Card, Rules
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.query import Query, ask_all
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
# Payments by card and player.
_Payments: TypeAlias = "defaultdict[tuple[str, Value], list[Evidence]]"
# Hexes by card, player and reason.
_Marks: TypeAlias = defaultdict[tuple[str, Value, Value], list[Hex]]
# A row of a table.
Row: TypeAlias = tuple[str | int, ...]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

# The number of boards in one grounding; larger groundings make poor use of the CPU caches.
_CHUNK = 16
# The number of chunks that are submitted ahead of the one whose scores are awaited.
_AHEAD = 64
# The module that explains one hex, which belongs to a part.
HEXES = "kb_score.reasons.hexes"
_KILLED = "the board has no scores: the process that scored it was killed"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule for finished boards that a board breaks.

    Attributes:
        code: The code of the rule.
        detail: A sentence about the violation.
    """

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Combination:
    """One of the challenge's games.

    Attributes:
        cards: The numbers of the three cards.
        total: The gold of each player from these cards and the castles.
    """

    cards: tuple[int, int, int]
    total: ByPlayer


@dataclass(frozen=True, slots=True)
class Scores:
    """The gold that a board pays.

    Attributes:
        board: The name of the board.
        players: The numbers of the players, ascending.
        gold: The gold of each player, by card. The cards are in the order of their numbers,
            castles first.
        cards: The chosen cards without the castles; None if no cards were chosen.
        total: The gold of each player from the castles and the chosen cards; None if no cards were
            chosen.
        combinations: The challenge's 16 games; None unless they were requested.
        violations: The rules for finished boards that the board breaks; it is scored nevertheless.
        winners: The players with the highest total; None if no cards were chosen.
        labels: The names of the players and the title of the board.
        saying: The sentence that names the winners; empty if no cards were chosen.
    """

    board: str
    players: ByPlayer
    gold: Mapping[str, ByPlayer]
    cards: tuple[str, ...] | None = None
    total: ByPlayer | None = None
    combinations: tuple[Combination, ...] | None = None
    violations: tuple[Finding, ...] = ()
    winners: ByPlayer | None = None
    labels: Labels = field(default=NO_LABELS, compare=False, repr=False)
    saying: str = field(default="", compare=False, repr=False)

    def _repr_html_(self) -> str:
        """Return the tables and the violations as HTML for a notebook."""
        blocks = [*report_scores(self).blocks]
        for violation in self.violations:
            text = Text(f"{violation.code}: {violation.detail}")
            blocks.append(text)
        page = write_html(blocks)
        return name_text(page)

    def only(self, player: int | None) -> Scores:
        """Return the scores of one player, or of all for None; the winners stay the same.

        Raises:
            InputError: The player has no settlement on the board.
        """
        if player is None:
            return self
        if player not in self.players:
            raise InputError(self.board, f"player {player} has no settlement on it")
        index = self.players.index(player)
        own = slice(index, index + 1)
        gold = {card: paid[own] for card, paid in self.gold.items()}
        total = self.total
        if total is not None:
            total = total[own]
        combinations = self.combinations
        if combinations is not None:
            games = [replace(game, total=game.total[own]) for game in combinations]
            combinations = tuple(games)
        return replace(self, players=(player,), gold=gold, total=total, combinations=combinations)

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
    """Scores boards with given rules.

    Attributes:
        cards: The chosen cards, as `Rules.find_cards` returns them; None for all cards and no
            totals.
        combinations: Whether to score the challenge's games, too.
        players: The number of players; None for all players with settlements.
    """

    rules: Rules
    cards: tuple[str, ...] | None = None
    combinations: bool = False
    players: int | None = None

    def query(self, board: Board) -> Query[Scores]:
        """Return the query for the scores of a board.

        A settlement of a player who does not play is an InputError.
        """
        facts = board.facts_for(self.players)
        if self.cards is not None:
            facts["chosen"] = [(Name(card),) for card in self.cards]
        read = partial(self._read, board)
        return Query(self.rules.game, self._use, facts, read, board.name)

    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        """Return the scores of each board or its error; one grounding is faster than one by one."""
        queries = [catch(self.query, board) for board in boards]
        return ask_all(queries)

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
        players = tuple(_list_players(paid))
        gold = {card: tuple(paid[card, player] for player in players) for card in self._shown_cards}
        violations: list[Finding] = []
        for row in answer.read(asp.ViolationRow):
            detail = write_sentence(row.detail)
            violations.append(Finding(row.code, detail))
        violations.sort(key=lambda finding: (finding.code, finding.detail))
        scores = Scores(
            board=board.name,
            players=players,
            gold=gold,
            violations=tuple(violations),
            labels=board.labels,
        )
        if self.combinations:
            combinations = _read_combinations(answer, players)
            scores = replace(scores, combinations=combinations)
        if self.cards is None:
            return scores
        total = dict(answer["total"])
        winners = sorted(player for (player,) in answer["winner"])
        highest = max(total.values(), default=0)
        saying = board.labels.describe_winners(winners, highest)
        return replace(
            scores,
            cards=self.cards,
            total=tuple(total[player] for player in players),
            winners=tuple(winners),
            saying=saying,
        )


def score_boards(
    boards: Iterable[Board], scorer: Scorer, executor: Executor | Pool | None = None
) -> Iterator[Scores | KbScoreError]:
    """Yield the scores of boards in order, or the error in their place.

    An executor runs the work in other processes, as a pool does.
    """
    yield from do_many(boards, scorer.score_together, scorer.rules, executor)


def do_many(
    items: Iterable[_Item],
    do_together: Callable[[Sequence[_Item]], list[_Result | KbScoreError]],
    rules: Rules,
    executor: Executor | Pool | None,
    chunk: int = _CHUNK,
) -> Iterator[_Result | KbScoreError]:
    """Process items in order, in chunks, and yield the result of each, or the error in its place.

    Args:
        items: Boards, or pairs of boards and claims.
        do_together: Processes some items, and returns a result for each.
        rules: The rules that the function uses.
        executor: Runs the work in other processes; None for this process.
        chunk: The number of items that are processed together.
    """
    chunks = _split(items, chunk)
    if executor is None:
        for batch in chunks:
            yield from do_together(batch)
        return
    from kb_score.shell.pool import BorrowedPool, Pool, TaskLost, run_tasks

    pool = executor if isinstance(executor, Pool) else BorrowedPool(executor, _AHEAD)
    pool.require(rules.game.changes.check)
    run = partial(run_tasks, pool, do_together)
    ahead = max(_AHEAD, 3 * pool.slots)
    for tried, done in run(chunks, ahead=ahead):
        if not isinstance(done, TaskLost):
            yield from done
            continue
        # One item that crashes must not cost the results of others.
        for (item,), alone in run(_split(tried, 1), ahead=1):
            if isinstance(alone, TaskLost):
                name = getattr(item, "name", "")
                yield InputError(name, _KILLED)
            else:
                yield from alone


def _split(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield the items in lists of the given size; the last one may be shorter."""
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


def read_gold(answer: Answer) -> Gold:
    """Return the gold that each card pays each player, by the name and the number."""
    return {(card, player): gold for card, player, gold in answer["score"]}


def _list_players(gold: Gold) -> list[int]:
    """Return the players whom cards pay, in ascending order."""
    return sorted({player for _, player in gold})


def _read_combinations(answer: Answer, players: ByPlayer) -> tuple[Combination, ...]:
    """Return the challenge's games, sorted by the numbers of their cards."""
    totals = defaultdict[tuple[int, int, int], dict[int, int]](dict)
    for a, b, c, player, gold in answer.read(asp.GameTotalRow):
        totals[a, b, c][player] = gold
    games: list[Combination] = []
    for cards, by_player in sorted(totals.items()):
        total = tuple(by_player[player] for player in players)
        games.append(Combination(cards, total))
    return tuple(games)


def report_scores(scores: Scores) -> Output:
    """Return a table with a row for each card, castles first, and a column for each player.

    The challenge's games follow, if they were scored.
    """
    lines: list[Row] = []
    for card, gold in scores.gold.items():
        lines.append((card, *gold))
    footer_rows = 0
    if scores.total is not None:
        lines.append(("total", *scores.total))
        footer_rows = 1
    columns = [scores.labels.name(player) for player in scores.players]
    title = scores.labels.title or scores.board
    headings = ("card", *columns)
    main_table = Table(title, headings, tuple(lines), footer_rows)
    blocks: list[Block] = [main_table]
    if scores.saying:
        blocks.append(Text(scores.saying))
    if scores.combinations is not None:
        games: list[Row] = []
        for game in scores.combinations:
            cards = " ".join(map(str, game.cards))
            games.append((cards, *game.total))
        title = "games of the castles and three cards"
        headings = ("cards", *columns)
        blocks.append(Table(title, headings, tuple(games)))
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
    """One payment of a card.

    Attributes:
        why: The reason in words.
        gold: The gold.
        hexes: The hexes that the payment is for, ascending, with rows and columns from 0.
        span: The first row and column and the last row and column of the part of the board that
            the payment is for; None if it is not for a part.
    """

    why: str
    gold: int
    hexes: Sequence[Hex]
    span: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reasons for the gold that a card pays a player on a board.

    Attributes:
        board: The name of the board.
        card: The card.
        player: The number of the player.
        gold: The gold of all payments together.
        evidence: The payments.
        source: The board and the rules that draw it in a notebook; None if they are not known.
    """

    board: str
    card: Card
    player: int
    gold: int
    evidence: tuple[Evidence, ...]
    source: tuple[Board, Rules] | None = field(default=None, repr=False, compare=False)

    @property
    def hexes(self) -> frozenset[Hex]:
        """All hexes that any payment is for."""
        found: set[Hex] = set()
        for piece in self.evidence:
            found.update(piece.hexes)
        return frozenset(found)

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

    def svg(self) -> str | None:
        """Return a picture of the board with the marked hexes; None if the board is not known."""
        shown: str | None = import_module(DISPLAY).draw_explanation(self)
        return shown

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook."""
        return self.svg()


def explain(
    board: Board,
    rules: Rules,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> tuple[Explanation, ...]:
    """Return explanations of scores, sorted by the numbers of the cards, then by players.

    Args:
        cards: The names of the cards to explain; None for all cards.
        player: The player whose scores are explained; None for all players.
        players: The number of players; None for all players with settlements.

    Raises:
        InputError: The player has no settlement on the board, or the board has a settlement of a
            player who does not play.
    """
    use = asp.EXPLAIN
    # A listener may explain the violations of the board, too.
    if rules.game.listener is not None:
        use = use.plus("valid")
    answer = rules.game.ask(use, board.facts_for(players))
    shown: Sequence[Card] = rules.cards
    if cards is not None:
        wanted = set(cards)
        shown = [card for card in shown if card.name in wanted]
    source = (board, rules)
    return read_explanations(answer, board.name, shown, player, source)


def explain_hex(
    board: Board,
    rules: Rules,
    place: Hex,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> Output:
    """Return what each card pays for a hex of a board, and why the others pay nothing."""
    shown: Sequence[Card] = rules.cards
    if cards is not None:
        wanted = set(cards)
        shown = [card for card in shown if card.name in wanted]
    question = import_module(HEXES).HexQuestion(
        rules=rules.game,
        use=asp.HEX,
        facts=board.facts_for(players),
        name=board.name,
        labels=board.labels,
        find_cards=lambda _: shown,
    )
    output: Output = question.explain(place, player)
    return output


def read_explanations(
    answer: Answer,
    name: str,
    cards: Sequence[Card],
    player: int | None,
    source: tuple[Board, Rules] | None = None,
) -> tuple[Explanation, ...]:
    """Return explanations of scores from an answer, in the order of the cards, then by players.

    A notebook draws the board with the rules, which are the source. A player without a settlement
    on the board is an InputError.
    """
    gold = read_gold(answer)
    evidence = _read_evidence(answer)
    present = _list_players(gold)
    if player is not None:
        if player not in present:
            raise InputError(name, f"player {player} has no settlement on it")
        present = [player]
    explanations: list[Explanation] = []
    for card in cards:
        for paid in present:
            key = (card.name, paid)
            explanation = Explanation(
                board=name,
                card=card,
                player=paid,
                gold=gold[key],
                evidence=tuple(evidence[key]),
                source=source,
            )
            explanations.append(explanation)
    return tuple(explanations)


def draw_board(board: Board, rules: Rules, marked: tuple[str, int | None] | None = None) -> Drawing:
    """Return the drawing of a board, as the rules decide.

    The hexes for which a card pays a player, or any player for None, may be marked. It is a
    RuleError if the rules draw nothing.
    """
    use = asp.PICTURE if marked is None else asp.MARKED
    facts = {**board.facts, **board.notation.facts}
    answer = rules.game.ask(use, facts)
    drawing = read_drawing(answer)
    if marked is not None:
        card, player = marked
        groups: list[PlaceGroup] = []
        for (paying, paid), pieces in _read_evidence(answer).items():
            if paying == card and player in (None, paid):
                for piece in pieces:
                    group = PlaceGroup(piece.gold, piece.hexes, piece.span)
                    groups.append(group)
        drawing = replace(drawing, groups=groups)
    if not drawing.cells:
        raise RuleError("the rules of kingdom-builder draw no picture: picture.lp gives no cell")
    looks = board.labels.put(drawing.looks)
    return replace(drawing, looks=looks)


def _read_evidence(answer: Answer) -> _Payments:
    """Return the payments of each card to each player, sorted by their reasons."""
    hexes = _read_marks(answer)
    spans = {row.why: row[1:] for row in answer.read(asp.SpanRow)}
    evidence: _Payments = defaultdict(list)
    rows = answer.read(asp.GoldRow)
    payments = sorted(rows, key=lambda paid: _sort_key(paid.why))
    for card, player, why, gold in payments:
        found = hexes[card, player, why]
        piece = Evidence(
            why=describe_reason(why), gold=gold, hexes=tuple(sorted(found)), span=spans.get(why)
        )
        evidence[card, player].append(piece)
    return evidence


def _read_marks(answer: Answer) -> _Marks:
    """Return the hexes that a card pays a player for, by card, player and reason."""
    hexes: _Marks = defaultdict(list)
    for card, player, why, row, column in answer.read(asp.MarkRow):
        # A user's card may name a hex that does not exist, which cannot be marked.
        if isinstance(row, int) and isinstance(column, int):
            marked = hexes[card, player, why]
            marked.append((row, column))
    return hexes


def describe_reason(why: Value) -> str:
    """Return a reason in words: hex(3,4) is "hex 3,4", and a group is named by its first hex."""
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
    """Return a key that sorts terms as strings, but the numbers in them by value."""
    parts = re.split("([0-9]+)", str(why))
    return [int(part) if part.isdecimal() else part for part in parts]


def report_evidence(
    explanations: Sequence[Explanation], drawing: Drawing, labels: Labels
) -> Output:
    """Return the evidence for scores as tables, each with a picture of the board."""
    blocks: list[Block] = []
    rows: list[Row] = []
    for explanation in explanations:
        card = explanation.card
        name = labels.name(explanation.player)
        score = f"{card.name}, {name}: {explanation.gold} gold"
        heading = f"{score} ({visible(card.text)})"
        blocks.append(Text(heading, "heading"))
        if explanation.evidence:
            blocks.append(_tabulate(explanation.evidence))
        if explanation.hexes:
            marked = replace(drawing, highlights=explanation.hexes)
            blocks.append(draw_hexes(marked))
        for piece in explanation.evidence:
            row = (explanation.board, card.name, explanation.player, piece.gold, piece.why)
            rows.append(row)
    columns = ("board", "card", "player", "gold", "why")
    listed = Table("", columns, tuple(rows))
    objects = (explanation.to_json() for explanation in explanations)
    return Output(blocks, objects, listed)


def draw_hexes(drawing: Drawing) -> Text:
    """Return a board of at least one cell as text, narrower if the terminal has too few columns."""
    last_row = max(row for row, _ in drawing.cells)
    last_column = max(column for _, column in drawing.cells)
    margin = len(str(last_row + 1)) + 2
    needed = 4 * (last_column + 1) + margin
    width = 4
    if sys.stdout.isatty() and shutil.get_terminal_size().columns < needed:
        width = 3
    text = draw(drawing, hexes=True, width=width)
    return Text(text, "picture")


def _tabulate(evidence: Sequence[Evidence]) -> Table:
    """Return a table of payments; reasons of one kind that pay the same amount share a line."""
    groups = defaultdict[tuple[str, int], list[str]](list)
    for piece in evidence:
        kind, _, which = piece.why.partition(" ")
        groups[kind, piece.gold].append(which)
    rows: list[Row] = []
    for (kind, gold), places in groups.items():
        count = len(places)
        times = f"{count} x {gold}" if count > 1 else ""
        which = "  ".join(places)
        rows.append((gold * count, times, kind, which))
    columns = ("gold", "", "for", "which")
    return Table("", columns, tuple(rows))
