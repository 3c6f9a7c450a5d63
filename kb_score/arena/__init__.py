"""Matches between programs, and games as environments of reinforcement learning."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb_score.api.games import Game
    from kb_score.arena.environment import GameEnv

__all__ = ["env"]


def env(
    game: str | PathLike[str] | Game, *, render_mode: str | None = None, **settings: Any
) -> GameEnv:
    """Make the environment of a game, after PettingZoo's AEC interface.

    Args:
        game: The game, its name or its folder; one with two or more players on a grid.
        render_mode: ``"ansi"`` if ``render`` is to return the board as text, or None.
        settings: What matches are set up with, as for `kb_score.Game.new_match`: ``map``,
            ``players`` and the settings of the game.

    Raises:
        KbScoreError: There is no such game or setting, or PettingZoo is not installed.
    """
    from importlib.util import find_spec

    from kb_score.api.games import game as find_game
    from kb_score.errors import KbScoreError

    if find_spec("pettingzoo") is None:
        hint = "pip install 'kb-score[rl]' brings it"
        raise KbScoreError(f"environments need PettingZoo, which is not installed: {hint}")
    from kb_score.arena.environment import GameEnv

    found = find_game(game) if isinstance(game, str | PathLike) else game
    return GameEnv(found, settings, render_mode)
