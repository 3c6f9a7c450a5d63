"""Matches between programs, and games as environments for reinforcement learning."""

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
    """Make the environment of a game, with PettingZoo's AEC interface.

    Args:
        game: A game with two or more players on a grid, or its name, or its folder.
        render_mode: ``"ansi"`` if ``render`` has to return the board as text, or None.
        settings: The arguments of `kb_score.Game.new_match` for each match: ``map``, ``players``
            and the settings of the game.

    Returns:
        The environment.

    Raises:
        KbScoreError: There is no such game or setting, the game cannot be an environment, or
            PettingZoo is not installed.
    """
    from importlib.util import find_spec

    from kb_score.api.games import game as find_game
    from kb_score.errors import KbScoreError

    if find_spec("pettingzoo") is None:
        hint = "run pip install 'kb-score[rl]'"
        raise KbScoreError(f"environments need PettingZoo, which is not installed: {hint}")
    from kb_score.arena.environment import GameEnv

    if isinstance(game, str | PathLike):
        game = find_game(game)
    return GameEnv(game, settings, render_mode)
