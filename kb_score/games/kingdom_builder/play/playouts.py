"""Players who do anything that is legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.games.kingdom_builder.play.legal import list_legal

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.game import Part
    from kb_score.games.kingdom_builder.play.legal import Legal
    from kb_score.games.kingdom_builder.play.referee import Request


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """A player who draws what he does from all that is legal.

    Attributes:
        random: What he draws with.
        rules: The rules, which say what is legal.
        extra: How likely he is to use a tile, if he may.
    """

    random: Random
    rules: GameRules
    extra: float = 0.6

    def __call__(self, request: Request) -> Sequence[Part]:
        """Play a turn."""
        parts: list[Part] = []
        while True:
            moment = request.position.moment(request.terrains, (*request.done, *parts))
            legal = list_legal(moment, self.rules)
            if legal.further and (not legal.moves or self._likes()):
                parts[-1] = self.random.choice(legal.further)
            elif moves := self._choose_kind(legal):
                parts.append(self.random.choice(moves))
            else:
                return parts

    def _choose_kind(self, legal: Legal) -> list[Part]:
        """Choose what is done next, and list the moves of that kind; none to end the turn."""
        kinds = sorted({move.name for move in legal.moves} - {"mandatory"})
        owed = [move for move in legal.moves if move.name == "mandatory"]
        if not kinds or not self._likes():
            return owed
        kind = self.random.choice(kinds)
        return [move for move in legal.moves if move.name == kind]

    def _likes(self) -> bool:
        return self.random.random() < self.extra
