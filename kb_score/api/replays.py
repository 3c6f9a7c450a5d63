"""Replays: the pictures of a record, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb_score.api.arguments import LARGEST, wrong
from kb_score.api.questions import Questions
from kb_score.shell.picture import Replay as Pictures
from kb_score.shell.picture import draw

if TYPE_CHECKING:
    from kb_score.games.game import File


@dataclass(frozen=True, slots=True)
class Replay:
    """The pictures of a record, one for each turn.

    Attributes:
        pictures: What they are drawn of; no part of the compatible library.
    """

    pictures: Pictures

    @property
    def turns(self) -> range:
        """The turns that have pictures; 0 is the start."""
        return range(self.pictures.first, self.pictures.last + 1)

    def caption(self, turn: int | None = None) -> str:
        """Say what the picture of a turn shows; see `svg` for the argument and errors."""
        chosen = self._choose(turn)
        return self.pictures.steps[chosen - self.pictures.first].caption

    def text(self, turn: int | None = None) -> str:
        """Draw the board after a turn as text; see `svg` for the argument and errors."""
        drawing = self.pictures.at(self._choose(turn))
        return draw(drawing, hexes=self.pictures.hexes)

    def svg(self, turn: int | None = None) -> str:
        """Draw the board after a turn as SVG.

        Args:
            turn: The number of the turn; None for the first violation, or the last turn.

        Raises:
            InputError: There is no picture of this turn.
            RuleError: A rule of the caller's gives a symbol an unknown colour or mark.
        """
        from kb_score.shell.pages import draw_turn

        return draw_turn(self.pictures, self._choose(turn))

    def html(self) -> str:
        """Write a page that shows all turns, and needs no network; errors are those of `svg`."""
        from kb_score.shell.pages import write_replay

        return write_replay(self.pictures)

    def _choose(self, turn: int | None) -> int:
        if turn is not None and (type(turn) is not int or abs(turn) >= LARGEST):
            raise wrong("turn", "the number of a turn", turn)
        return self.pictures.choose(turn)

    def _repr_svg_(self) -> str:
        """Draw the picture that a notebook shows."""
        return self.svg()


def draw_record(game: Questions, files: Sequence[File], options: Mapping[str, Any]) -> Replay:
    """Draw each turn of a record, or the beginning on a map alone."""
    return game.ask(_draw, files, options)


def _draw(game: Questions, files: Sequence[File], options: Mapping[str, Any]) -> Replay:
    pictures = game.type.replay(game.rules, files, **options)
    return Replay(replace(pictures, windows=()))
