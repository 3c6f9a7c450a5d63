"""Questions to the cards: what do they pay with a few settlements more?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.engine.run import Use
from kb_score.games.kingdom_builder.rules import ScoreRow, bound, check_bounds

if TYPE_CHECKING:
    from kb_score.engine.aside import Deadline
    from kb_score.engine.terms import Facts
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.evidence import Hex

# So many hexes are grounded together: what is asked has to end soon after a signal.
_CHUNK = 12800


@dataclass(frozen=True, slots=True)
class Pricer:
    """Asks the cards about a board.

    Attributes:
        board: The board as it is.
        player: The player who builds.
        rules: The rules.
        players: The number of players; None for everybody with a settlement.
        deadline: When to stop.
    """

    board: Board
    player: int
    rules: Rules
    players: int | None
    deadline: Deadline

    def price(
        self, cards: Iterable[str] | None, placements: Sequence[Sequence[Hex]], *, alone: bool
    ) -> Iterator[dict[tuple[str, int], int]]:
        """Yield the gold by card and player after each placement.

        Args:
            cards: The cards that are asked; None for all.
            placements: The placements.
            alone: Whether the settlements of other players may be left out.
        """
        changed = bool(self.rules.game.changes.folders)
        # A user's rules may look at any card, and at anybody, so nothing may be left out.
        deck = ["cards/*"] if changed or cards is None else [f"cards/{card}" for card in cards]
        use = bound(Use(" ".join(["board", "score", "uses/asks", *deck])), self.rules.game)
        start = self._facts(alone=alone and not changed)
        step = max(1, _CHUNK // (self.board.height * self.board.width))
        for first in range(0, len(placements), step):
            self.deadline.check()
            chunk = [self._add(start, hexes) for hexes in placements[first : first + step]]
            for answer in map(check_bounds, self.rules.game.ask_boards(use, chunk)):
                yield {(row.card, row.player): row.gold for row in answer.read(ScoreRow)}

    def _facts(self, *, alone: bool) -> Facts:
        facts: Facts = {**self.board.facts_for(self.players), "advised": [(self.player,)]}
        if alone:
            mine = [row for row in facts["settlement"] if row[0] == self.player]
            facts = {**facts, "settlement": mine}
        return facts

    def _add(self, facts: Facts, hexes: Sequence[Hex]) -> Facts:
        built = [(self.player, *hex_) for hex_ in hexes]
        return {**facts, "settlement": [*facts["settlement"], *built]}
