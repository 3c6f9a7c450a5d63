"""The games as parameters of tests: one that is put into this folder is one more."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.games.contract import Example


def load_examples() -> tuple[Example, ...]:
    """Load the examples of all games, in the order of their names."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/example.py"))
    return tuple(import_module(f"tests.games.{folder}.example").EXAMPLE for folder in folders)


EXAMPLES = load_examples()
each_game = pytest.mark.parametrize("game", EXAMPLES, ids=lambda game: game.game)


def some_games(holds: Callable[[Example], object]) -> pytest.MarkDecorator:
    """Parametrize a test over the games of which something holds."""
    found = [pytest.param(game, id=game.game) for game in EXAMPLES if holds(game)]
    return pytest.mark.parametrize("game", found)
