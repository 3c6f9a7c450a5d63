"""The games: each is a folder of rules, and some of ours have Python as well.

A game is a folder with rules and a manifest ``game.toml``, in ``asp/`` or elsewhere; see
`kb_score.games.declared`. A user's games are the folders that ``--game-dir`` or the environment
variable KB_SCORE_GAMES names.

A game of ours without a manifest has Python, in a folder of its name here. Its module ``game``
defines ``GAME``, the `kb_score.games.game.Game` that the verbs shared by all games use. The
functions of its module ``records`` are those of the protocol `Records` below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from kb_score.errors import GAME_PART, InputError, KbScoreError
from kb_score.resources import (
    COMMON,
    MANIFEST,
    find_grammar,
    find_rule_folder,
    is_game,
    is_shipped,
    list_rule_files_below,
    list_rule_folders,
    list_user_folders,
)
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts
    from kb_score.errors import FileKind
    from kb_score.games.declared import DeclaredGame
    from kb_score.games.game import Game

_GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Records(Protocol):
    """The functions of a game's module ``records``, for ``kb-score facts``."""

    @property
    def FACTS_OF(self) -> FileKind:  # noqa: N802, the name is that of a module's constant
        """The kind of file that it reads, such as a map."""

    def read_facts(self, text: str, name: str) -> Facts:
        """Return the facts of such a file."""

    def recognises(self, text: str) -> bool:
        """Return whether the whole text looks like such a file; parts may look like other files."""


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
        """A one-line description of the game; empty if its manifest cannot be read."""
        if self._is_declared:
            return _read_about(find_rule_folder(self.folder) / MANIFEST)
        module = import_module(f"{__name__}.{self.folder}")
        if module.__doc__ is not None:
            return module.__doc__
        from ast import get_docstring, parse  # python -OO leaves out docstrings
        from inspect import getsource

        return get_docstring(parse(getsource(module))) or ""

    @property
    def type(self) -> Game:
        """The game's `Game`."""
        if self._declared is not None:
            return self._declared
        return cast("Game", import_module(f"{__name__}.{self.folder}.game").GAME)

    @property
    def records(self) -> Records:
        """The game's text reader, or its module ``records``."""
        if self._declared is not None:
            return self._declared.files.texts
        return cast("Records", import_module(f"{__name__}.{self.folder}.records"))

    @property
    def ranks_records(self) -> bool:
        """Whether the game has rules that rank entries by their records on maps."""
        declared = self._declared
        return declared is not None and bool(declared.maps) and declared.files.has_file("rank")

    @property
    def _is_declared(self) -> bool:
        """Whether the game has a manifest, which is not read."""
        return is_game(find_rule_folder(self.folder))

    @property
    def _declared(self) -> DeclaredGame | None:
        """The game if it has a manifest; otherwise None."""
        if not self._is_declared:
            return None
        home = find_rule_folder(self.folder)
        files = [home / MANIFEST]
        if not is_shipped(home):
            files += [find_grammar(self.folder), *list_rule_files_below(home)]
        stamps = tuple((path, path.stat().st_mtime_ns) for path in files if path.is_file())
        return _load_declared(self.folder, home, stamps)


def _read_about(manifest: Path) -> str:
    """Return the description in a manifest; shell completion needs nothing else of a game."""
    import tomllib  # other commands do without it

    try:
        text = read_input(str(manifest), GAME_PART, may_be_empty=True)
        values = tomllib.loads(text)
    except (KbScoreError, ValueError):
        return ""
    return str(values.get("about", ""))


@lru_cache(maxsize=64)
def _load_declared(name: str, home: Path, _stamps: tuple[tuple[Path, int], ...]) -> DeclaredGame:
    """Load a game from its folder; it is reloaded when one of its files changes."""
    from kb_score.games.declared import DeclaredGame
    from kb_score.games.declared_files import GameFiles

    return DeclaredGame(GameFiles(name, home))


def check_folders() -> None:
    """Raise an InputError unless each of a user's game folders is a game with a valid name."""
    for folder in list_user_folders():
        if not is_game(folder):
            raise InputError(str(folder), f"there is no game here: no file {MANIFEST}")
        check_game_name(folder)


def check_game_name(folder: Path) -> None:
    """Raise an InputError unless the name of a folder is valid for a game, and free.

    The folder need not exist yet.
    """
    name = folder.resolve().name.replace("-", "_")
    if not _GAME_NAME.fullmatch(name):
        allowed = "lowercase letters, digits, _ and -, starting with a letter"
        message = f"name a game's folder with {allowed}"
        raise InputError(str(folder), message)
    other = list_rule_folders().get(name)
    if name == COMMON or (other is not None and other != folder):
        message = f"another game is called {name}: choose another name for the folder"
        raise InputError(str(folder), message)


def list_games() -> dict[str, GameFolder]:
    """Return the games by their names on the command line, in alphabetical order."""
    games = map(GameFolder, sorted(list_rule_folders()))
    return {game.name: game for game in games}


def recognise(text: str) -> list[str]:
    """Return the names of the games to which a file with this text may belong."""
    return [name for name, game in list_games().items() if game.records.recognises(text)]
