"""The games, found by their folders: a new game is a new folder here, without other changes.

A folder ``kb_score/games/some_game/`` is the game ``some-game``. Its module ``game`` has its
`kb_score.games.game.Game`, called ``GAME``, for the verbs of all games. Its module ``records`` is
described here. If a user's game has verbs of its own, its ``VERBS`` name the module of each verb;
``COMMANDS`` of this module are click commands by verb.

A game without Python is a folder of rules with a file ``game.toml``, in ``asp/`` or elsewhere; see
`kb_score.games.declared`.

A user's games are in folders that the variable KB_SCORE_GAMES names. Each is a game with all files
in one folder, or it has the layout of a checkout: ``asp/some_game/``, ``parsers/some_game.lark``,
``kb_score/games/some_game/``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol, cast

from kb_score.errors import InputError
from kb_score.resources import (
    COMMON,
    MANIFEST,
    find_grammar,
    is_game,
    is_shipped,
    list_rule_folders,
    list_user_folders,
)

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts
    from kb_score.errors import FileKind
    from kb_score.games.declared import DeclaredGame
    from kb_score.games.game import Game

# Ours come first: a user's game cannot take the place of one of these.
__path__ += [str(path.resolve()) for path in list_user_folders("kb_score/games")]

_GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Records(Protocol):
    """The functions of a game's module ``records``, for ``kb-score facts``."""

    @property
    def FACTS_OF(self) -> FileKind:  # noqa: N802, the name is that of a module's constant
        """The kind of file that it reads, such as a map."""

    def read_facts(self, text: str, name: str) -> Facts:
        """Return the facts of such a file."""

    def recognises(self, text: str) -> bool:
        """Return whether the whole text looks like such a file; parts may look like other games."""


@dataclass(frozen=True, slots=True)
class GameFolder:
    """A game, by its folder in ``asp/``; its modules are loaded when they are needed."""

    folder: str

    @property
    def name(self) -> str:
        """The game's name on the command line."""
        return self.folder.replace("_", "-")

    @property
    def about(self) -> str:
        """The game in a line."""
        if self._declared is not None:
            return self._declared.files.manifest.about
        return import_module(f"{__name__}.{self.folder}").__doc__ or ""

    @property
    def type(self) -> Game:
        """The game's `Game`."""
        if self._declared is not None:
            return self._declared
        return cast("Game", import_module(f"{__name__}.{self.folder}.game").GAME)

    @property
    def records(self) -> Records:
        """The game's module ``records``, or the reader of texts of a game without Python."""
        if self._declared is not None:
            return self._declared.files.texts
        return cast("Records", import_module(f"{__name__}.{self.folder}.records"))

    @property
    def own_verbs(self) -> Mapping[str, str]:
        """The modules of verbs that the game adds, with names such as ``check``."""
        if self._declared is not None:
            return {}
        package = f"{__name__}.{self.folder}"
        own: Mapping[str, str] = getattr(import_module(package), "VERBS", {})
        return {verb: f"{package}.{module}" for verb, module in own.items()}

    @property
    def ranks_records(self) -> bool:
        """Whether the game has rules that rank entries by their records on maps."""
        declared = self._declared
        return declared is not None and bool(declared.maps) and declared.files.has_file("rank")

    @property
    def _declared(self) -> DeclaredGame | None:
        """The game, if it has no Python."""
        home = list_rule_folders().get(self.folder)
        if home is None or not (home / MANIFEST).is_file():
            return None
        files = [home / MANIFEST]
        if not is_shipped(home):
            files += [find_grammar(self.folder), *sorted(home.rglob("*.lp"))]
        stamps = tuple((path, path.stat().st_mtime_ns) for path in files if path.is_file())
        return _load_declared(self.folder, home, stamps)


@lru_cache(maxsize=64)
def _load_declared(name: str, home: Path, _stamps: tuple[tuple[Path, int], ...]) -> DeclaredGame:
    """Load a game without Python; it is loaded again after one of its files has changed."""
    from kb_score.games.declared import DeclaredGame
    from kb_score.games.declared_files import GameFiles

    return DeclaredGame(GameFiles(name, home))


def check_folders() -> None:
    """Check that each folder for a user's games has some.

    Raises:
        InputError: A folder has no game, or the folder of a game has a wrong name.
    """
    for folder in list_user_folders():
        inside = folder / "kb_score" / "games"
        if not (is_game(folder) or inside.is_dir() or any(folder.glob(f"asp/*/{MANIFEST}"))):
            message = f"there is no game here: no file {MANIFEST}, and no folder kb_score/games"
            raise InputError(str(folder), message)
        if is_game(folder):
            check_game_name(folder)


def check_game_name(folder: Path) -> None:
    """Check that a folder, which may be new, has a valid name for a game.

    Args:
        folder: The folder.

    Raises:
        InputError: The name is not valid, or another game has it.
    """
    name = folder.resolve().name.replace("-", "_")
    if not _GAME_NAME.fullmatch(name):
        message = "name a game's folder with lowercase letters, digits, _ and -, a letter first"
        raise InputError(str(folder), message)
    other = list_rule_folders().get(name)
    if name == COMMON or (other is not None and other != folder):
        message = f"another game is called {name}: choose another name for the folder"
        raise InputError(str(folder), message)


def list_games() -> dict[str, GameFolder]:
    """Return the games by their names on the command line, in alphabetical order."""
    folders = {module.name for module in iter_modules(__path__) if module.ispkg}
    for name, home in list_rule_folders().items():
        if (home / MANIFEST).is_file():
            folders.add(name)
    games = map(GameFolder, sorted(folders))
    return {game.name: game for game in games}


def recognise(text: str) -> list[str]:
    """Return the names of the games that a whole text may be a file of."""
    return [name for name, game in list_games().items() if game.records.recognises(text)]
