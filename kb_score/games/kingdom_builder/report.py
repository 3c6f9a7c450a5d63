"""Scores and evidence, laid out for people and for spreadsheets."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.errors import visible
from kb_score.shell.output import Block, Output, Table, Text, complain
from kb_score.shell.picture import Drawing, draw

if TYPE_CHECKING:
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.evidence import Evidence, Explanation
    from kb_score.games.kingdom_builder.scoring import Scores


def tell_notes(board: Board) -> Board:
    """Tell what is odd about the file of a board."""
    for note in board.notes:
        complain(note, kind=f"{board.name}: warning")
    return board


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
            marked = replace(drawing, highlights=explanation.hexes)
            blocks.append(draw_hexes(marked))
    rows = tuple(
        (e.board, e.card.name, e.player, piece.gold, piece.why)
        for e in explanations
        for piece in e.evidence
    )
    listed = Table("", ("board", "card", "player", "gold", "why"), rows)
    return Output(blocks, (e.to_json() for e in explanations), listed)


def draw_hexes(drawing: Drawing) -> Text:
    """Draw a board as text, as wide as the terminal lets it be."""
    return Text(draw(drawing, hexes=True, width=_find_width(drawing)), "picture")


def _find_width(drawing: Drawing) -> int:
    """Find the width of a hex: 4 characters, or 3 if the terminal is too narrow for that."""
    rows, columns = (1 + max(place[i] for place in drawing.cells) for i in (0, 1))
    needed = 4 * columns + len(str(rows)) + 2
    narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < needed
    return 3 if narrow else 4


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
