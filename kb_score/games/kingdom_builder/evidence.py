"""Evidence: what each card pays for on a board, by general rules that no card has to write."""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from kb_score.engine.terms import Name, Term, Value
from kb_score.errors import InputError, RuleError, visible
from kb_score.games.kingdom_builder.rules import (
    EXPLAIN,
    MARKED,
    PICTURE,
    Card,
    GoldRow,
    MarkRow,
    Rules,
    ScoreRow,
    bound,
    check_bounds,
)
from kb_score.games.schema import read_drawing
from kb_score.shell.output import Block, Output, Table, Text
from kb_score.shell.picture import draw
from kb_score.shell.svg import draw_svg

if TYPE_CHECKING:
    from kb_score.engine.rules import Answer
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.shell.picture import Drawing

Hex = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One payment: its reason in words, and the hexes that show it, from 0, ascending."""

    why: str
    gold: int
    hexes: tuple[Hex, ...]


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
        return {
            "board": self.board,
            "card": self.card.name,
            "player": self.player,
            "gold": self.gold,
            "evidence": [
                {"why": e.why, "gold": e.gold, "hexes": [list(h) for h in e.hexes]}
                for e in self.evidence
            ],
        }


def explain(
    board: Board,
    rules: Rules,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a board, in order of the cards' numbers, then of the players.

    Cards and a player may be chosen; see `Board.facts_for` for the number of players.
    """
    # Who listens may ask why there are findings, too.
    use = EXPLAIN if rules.game.listener is None else EXPLAIN.plus("valid")
    answer = check_bounds(rules.game.ask(bound(use, rules.game), board.facts_for(players)))
    score = {(row.card, row.player): row.gold for row in answer.read(ScoreRow)}
    evidence = _read_evidence(answer)
    present = sorted({p for _, p in score})
    if player is not None and player not in present:
        raise InputError(board.name, f"player {player} has no settlement on it")
    shown = [card for card in rules.cards if cards is None or card.name in set(cards)]
    chosen, source = present if player is None else [player], (board, rules)
    return tuple(
        Explanation(board.name, c, p, score[c.name, p], tuple(evidence[c.name, p]), source)
        for c in shown
        for p in chosen
    )


def draw_board(board: Board, rules: Rules, marked: tuple[str, int] | None = None) -> Drawing:
    """Draw a board by the rules, and point at the hexes for which a card pays a player, if any."""
    use, facts = PICTURE, board.facts
    if marked is not None:
        card, player = marked
        use, facts = bound(MARKED, rules.game), {**facts, "pictured": [(Name(card), player)]}
    drawing = read_drawing(rules.game.ask(use, facts))
    if not drawing.cells:
        raise RuleError("the rules of kingdom-builder draw no picture: picture.lp gives no cell")
    return drawing


def write_picture(
    board: Board, rules: Rules, marked: tuple[str, int] | None = None, more: str = ""
) -> str:
    """Write a picture of a board as SVG, with what `draw_board` points at.

    Several of them can stand in one page, for the identifiers come from what each one shows. Its
    title is the board's name, the card and the player, and then whatever more there is to say.
    """
    drawing = draw_board(board, rules, marked)
    card = f": {marked[0]}, player {marked[1]}" if marked else ""
    title = f"{board.name}{card}{more}"
    name = f"b{crc32(repr((title, drawing)).encode(errors='replace')):08x}"
    return draw_svg(drawing, title=title, hexes=True, name=name)


def _read_evidence(answer: Answer) -> defaultdict[tuple[str, Value], list[Evidence]]:
    """Read the payments by card and player."""
    hexes = defaultdict[tuple[str, Value, Value], list[Hex]](list)
    for card, player, why, row, column in answer.read(MarkRow):
        # A card may name a hex that does not exist: then there is nothing to mark.
        if isinstance(row, int) and isinstance(column, int):
            hexes[card, player, why].append((row, column))
    evidence = defaultdict[tuple[str, Value], list[Evidence]](list)
    payments = sorted(answer.read(GoldRow), key=lambda paid: _sort_key(paid.why))
    for card, player, why, points in payments:
        shown = tuple(sorted(hexes[card, player, why]))
        evidence[card, player].append(Evidence(_say_why(why), points, shown))
    return evidence


def _say_why(why: Value) -> str:
    """Put a reason into words: hex(3,4) is "hex 3,4", a group is named by its first hex."""
    match why:
        case Term("area", ((row, column),)):
            return f"group from hex {row},{column}"
        case Term(name, arguments):
            return f"{name} {','.join(map(str, arguments))}"
        case _:
            return str(why)


def _sort_key(why: Value) -> tuple[str, tuple[int, ...], str]:
    # Numbers are ordered by size, in any kind of term.
    if isinstance(why, Term):
        return why.name, tuple(_numbers(why.arguments)), str(why)
    return "", (), str(why)


def _numbers(values: Iterable[Value]) -> Iterable[int]:
    for value in values:
        if isinstance(value, int):
            yield value
        elif isinstance(value, tuple):
            yield from _numbers(value)


def report_evidence(explanations: Sequence[Explanation], drawing: Drawing) -> Output:
    """Lay out the evidence for scores, with a picture of the board for each."""
    blocks: list[Block] = []
    for explanation in explanations:
        card = explanation.card
        paid = f"player {explanation.player}: {explanation.gold} gold"
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
