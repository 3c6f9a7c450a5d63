"""The scores of boards as one page: what `kb_score/shell/page/report.js` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb_score.errors import visible
from kb_score.games.kingdom_builder.evidence import draw_board, explain
from kb_score.shell.pages import fill_page
from kb_score.shell.svg import HEXES, draw_svg

if TYPE_CHECKING:
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.evidence import Explanation
    from kb_score.games.kingdom_builder.scoring import Scores


def list_board(
    board: Board, scores: Scores, rules: Rules, players: int | None, number: int
) -> dict[str, Any]:
    """List what the page shows of a board; the number sets its picture apart from the others.

    Raises:
        RuleError: The rules draw nothing, or something that cannot be drawn.
    """
    name = visible(scores.board)
    evidence: dict[str, list[Any]] = {card: [] for card in scores.gold}
    for explanation in explain(board, rules, cards=scores.gold, players=players):
        evidence[explanation.card.name].append(_list_evidence(explanation))
    svg = draw_svg(draw_board(board, rules), title=name, hexes=True, name=f"b{number}-")
    return {
        "name": name,
        "svg": svg,
        "players": scores.players,
        "gold": scores.gold,
        "total": scores.total,
        "winners": scores.winners,
        "findings": [[visible(v.code), visible(v.detail)] for v in scores.violations],
        "evidence": evidence,
    }


def _list_evidence(explanation: Explanation) -> list[Any]:
    return [[visible(piece.why), piece.gold, piece.hexes] for piece in explanation.evidence]


def write_page(boards: Sequence[Mapping[str, Any]], rules: Rules) -> str:
    """Write the page for the boards that `list_board` has listed, at least one."""
    count = (
        "a Kingdom Builder board" if len(boards) == 1 else f"{len(boards)} Kingdom Builder boards"
    )
    cards = [
        {"name": card.name, "number": card.number, "text": visible(card.text)}
        for card in rules.cards
        if card.name in boards[0]["gold"]
    ]
    data = {"boards": boards, "cards": cards, "outline": HEXES.outline}
    return fill_page("report", f"Scores of {count}", data, scripts=["tables"])
