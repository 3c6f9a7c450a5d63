"""The games, found by their folders: a new game is a new folder here, and nothing else changes.

A folder ``kb_score/games/some_game/`` is the game ``some-game``. It has the modules ``records`` and
``check``, as described here, and ``commands``, whose ``COMMANDS`` are click commands by verb.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from click import Command

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.errors import FileKind


class Records(Protocol):
    """The functions of a game's module ``records``, for ``kb-score facts``."""

    FACTS_OF: FileKind  # the kind of file that it reads, such as a map

    def read_facts(self, text: str, name: str) -> Facts:
        """Read the facts of such a file."""

    def recognises(self, text: str) -> bool:
        """Say whether the whole text looks like this: the games' files are alike in parts."""


class Check(Protocol):
    """The function of a game's module ``check`` that ``kb-score facts --program`` listens to."""

    def check_files(self, rules: GameRules, *files: tuple[str, str]) -> object:
        """Score or check files, each a name and a text, by the game's rules."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game, by its folder in ``kb_score/games/``; its modules are loaded when asked for."""

    folder: str

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.folder.replace("_", "-")

    @property
    def records(self) -> Records:
        """Its module ``records``."""
        return cast(Records, import_module(f"{__name__}.{self.folder}.records"))

    @property
    def check(self) -> Check:
        """Its module ``check``."""
        return cast(Check, import_module(f"{__name__}.{self.folder}.check"))

    @property
    def commands(self) -> Mapping[str, Command]:
        """Its commands by verb."""
        module = import_module(f"{__name__}.{self.folder}.commands")
        return cast("Mapping[str, Command]", module.COMMANDS)


def list_games() -> dict[str, Game]:
    """List the games by their names on the command line, in alphabetical order."""
    folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    games = (Game(folder) for folder in folders)
    return {game.name: game for game in games}
