"""The games, found by their folders: a new game is a new folder here, and nothing else changes.

A folder ``kb_score/games/some_game/`` is the game ``some-game``. Its module ``game`` has its
`kb_score.games.game.Game`, called ``GAME``, of which the verbs of all games are made;
its module ``records`` is described here. Where the game has verbs of its own, its ``VERBS`` name
the module of each, whose ``COMMANDS`` are click commands by verb. A verb is loaded when it is
called.

A user's games lie in folders that the variable KB_SCORE_GAMES names, each laid out as a checkout:
``asp/some_game/``, ``parsers/some_game.lark``, ``kb_score/games/some_game/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol, cast

from kb_score.errors import InputError
from kb_score.resources import list_user_folders

if TYPE_CHECKING:
    from click import Command

    from kb_score.engine.terms import Facts
    from kb_score.errors import FileKind
    from kb_score.games.game import Game

# Ours come first: no game of a user takes the place of one of these.
__path__ += map(str, list_user_folders("kb_score/games"))

# The verbs that every game has, each with the module of `kb_score.games.verbs` that makes it.
_VERBS = {
    **{verb: verb for verb in ("check", "play", "legal", "playouts", "bot", "draw")},
    **dict.fromkeys(("replay", "playground"), "draw"),
}


class Records(Protocol):
    """The functions of a game's module ``records``, for ``kb-score facts``."""

    FACTS_OF: FileKind  # the kind of file that it reads, such as a map

    def read_facts(self, text: str, name: str) -> Facts:
        """Read the facts of such a file."""

    def recognises(self, text: str) -> bool:
        """Say whether the whole text looks like this: the games' files are alike in parts."""


@dataclass(frozen=True, slots=True)
class GameFolder:
    """A game, by its folder in ``kb_score/games/``; its modules are loaded when asked for."""

    folder: str

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.folder.replace("_", "-")

    @property
    def about(self) -> str:
        """What it is, in a line."""
        return import_module(f"{__name__}.{self.folder}").__doc__ or ""

    @property
    def type(self) -> Game:
        """What it is, as data and functions."""
        return cast("Game", import_module(f"{__name__}.{self.folder}.game").GAME)

    @property
    def records(self) -> Records:
        """Its module ``records``."""
        return cast("Records", import_module(f"{__name__}.{self.folder}.records"))

    @property
    def verbs(self) -> Mapping[str, str]:
        """The module of each of its verbs: in its own folder, or that of all games' verbs."""
        own = self._own_verbs.items()
        return {
            **{verb: f"{__name__}.verbs.{module}" for verb, module in _VERBS.items()},
            **{verb: f"{__name__}.{self.folder}.{module}" for verb, module in own},
        }

    @property
    def _own_verbs(self) -> Mapping[str, str]:
        return getattr(import_module(f"{__name__}.{self.folder}"), "VERBS", {})

    def has_own(self, verb: str) -> bool:
        """Whether the game has a verb of its own in place of that of all games."""
        return verb in self._own_verbs

    def load(self, verb: str) -> Command:
        """Load the command of one of its verbs."""
        module = import_module(self.verbs[verb])
        if module.__name__.startswith(f"{__name__}.verbs."):
            return cast("Command", getattr(module, f"make_{verb}")(self.type))
        return cast("Command", module.COMMANDS[verb])


def check_folders() -> None:
    """Check that what is to have games of a user has some; an InputError says what has none."""
    for folder in list_user_folders():
        if not (folder / "kb_score" / "games").is_dir():
            raise InputError("KB_SCORE_GAMES", f"there is no folder {folder}/kb_score/games")


def list_games() -> dict[str, GameFolder]:
    """List the games by their names on the command line, in alphabetical order."""
    folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    games = (GameFolder(folder) for folder in folders if folder != "verbs")
    return {game.name: game for game in games}


def recognise(text: str) -> list[str]:
    """List the games that a whole text looks like a file of."""
    return [name for name, game in list_games().items() if game.records.recognises(text)]
