"""The games: each is a folder with rules, a grammar and a manifest, in ``asp/`` or elsewhere.

A user's games are the folders that ``--game-dir`` or the environment variable KB_SCORE_GAMES names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
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
    from kb_score.games.game import Game

_GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Records(Protocol):
    """The functions for ``kb-score facts``: a game's texts, or a module of a game of ours."""

    @property
    def FACTS_OF(self) -> FileKind:  # noqa: N802, the name is that of a module's constant
        """The kind of file that it reads, such as a map."""

    def read_facts(self, text: str, name: str) -> Facts:
        """Return the facts of such a file."""

    def recognises(self, text: str) -> bool:
        """Return whether the whole text looks like such a file; parts may look like other files."""


@dataclass(frozen=True, slots=True)
class GameFolder:
    """A game, by its folder in ``asp/``; its manifest is read when it is needed."""

    folder: str

    @property
    def name(self) -> str:
        """The game's name on the command line."""
        return self.folder.replace("_", "-")

    @property
    def about(self) -> str:
        """A one-line description of the game; empty if its manifest cannot be read."""
        return _read_about(find_rule_folder(self.folder) / MANIFEST)

    @property
    def type(self) -> Game:
        """The game, which is loaded again when one of its files has changed."""
        home = find_rule_folder(self.folder)
        files = [home / MANIFEST]
        if not is_shipped(home):
            files += [find_grammar(self.folder), *list_rule_files_below(home)]
        stamps = tuple((path, path.stat().st_mtime_ns) for path in files if path.is_file())
        return _load(self.folder, home, stamps)

    @property
    def records(self) -> Records:
        """The reader of the game's texts."""
        game = self.type
        return cast("Records", game.files.find_function("facts") or game.files.texts)

    @property
    def ranks_records(self) -> bool:
        """Whether the game has rules that rank entries by their records on maps."""
        return bool(self.type.maps) and self.type.ranks_maps


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
def _load(name: str, home: Path, _stamps: tuple[tuple[Path, int], ...]) -> Game:
    """Load a game from its folder; cached until one of its files changes."""
    from kb_score.games.files import GameFiles
    from kb_score.games.game import Game

    return Game(GameFiles(name, home))


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
