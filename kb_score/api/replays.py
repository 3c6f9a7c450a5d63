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
    from kb_score.games.match import File


@dataclass(frozen=True, slots=True)
class Replay:
    """The pictures of a record, one for each turn.

    Attributes:
        pictures: The data of the pictures; their form may change.
    """

    pictures: Pictures

    @property
    def turns(self) -> range:
        """The numbers of the turns that have pictures; 0 is the start."""
        return range(self.pictures.first, self.pictures.last + 1)

    def caption(self, turn: int | None = None) -> str:
        """Return the caption of the picture of a turn; arguments and errors are those of `svg`."""
        index = self._choose(turn) - self.pictures.first
        return self.pictures.steps[index].caption

    def text(self, turn: int | None = None) -> str:
        """Return the board after a turn as text; arguments and errors are those of `svg`."""
        drawing = self.pictures.at(self._choose(turn))
        return draw(drawing, hexes=self.pictures.hexes)

    def svg(self, turn: int | None = None) -> str:
        """Return the board after a turn as SVG.

        Args:
            turn: The number of the turn; None for the first violation, or for the last turn if
                there is none.

        Raises:
            InputError: There is no picture of this turn.
            RuleError: A rule of the caller gives a symbol an unknown colour or mark.
        """
        from kb_score.shell.pages import draw_turn

        return draw_turn(self.pictures, self._choose(turn))

    def html(self) -> str:
        """Return a page that shows all turns and needs no network; errors are those of `svg`."""
        from kb_score.shell.pages import write_replay

        return write_replay(self.pictures)

    def _choose(self, turn: int | None) -> int:
        if turn is not None and (type(turn) is not int or abs(turn) >= LARGEST):
            raise wrong("turn", "the number of a turn", turn)
        return self.pictures.choose(turn)

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return self.svg()


def draw_record(game: Questions, files: Sequence[File], options: Mapping[str, Any]) -> Replay:
    """Return the pictures of each turn of a record, or of the start on a map.

    The options are those of ``kb-score draw``, by name.
    """
    return game.ask(_draw, files, options)


def _draw(game: Questions, files: Sequence[File], options: Mapping[str, Any]) -> Replay:
    pictures = game.type.replay(game.rules, files, **options)
    return Replay(replace(pictures, windows=()))
