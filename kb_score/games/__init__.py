"""The games, found by their modules: a new game is a new module here, and nothing else changes.

A module ``kb_score/games/some_game.py``, or a package of that name, is the game ``some-game``. It
has

- ``COMMANDS``, the click commands that it adds, by verb: ``check``, ``play``, ``tournament`` and
  ``rank``, those that it has;
- ``FACTS_OF``, what kind of file ``kb-score facts`` reads, such as ``"a map"``;
- ``recognises(text)``, which says whether a text looks like such a file: look at all of it, for
  the games' files are alike in parts;
- ``read_facts(text, name)``, the facts of that file.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from click import Command

from kb_score.terms import Facts


class Game(Protocol):
    """What a game's module offers."""

    COMMANDS: Mapping[str, Command]
    FACTS_OF: str

    def read_facts(self, text: str, name: str) -> Facts:
        """Read the facts of one of the game's files."""

    def recognises(self, text: str) -> bool:
        """Say whether a text looks like one of the game's files."""


def list_games() -> list[str]:
    """List the names of the games as the command line has them, in alphabetical order."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(__path__))


def load_game(name: str) -> Game:
    """Load a game by its name on the command line."""
    return cast(Game, import_module(f"{__name__}.{name.replace('-', '_')}"))
