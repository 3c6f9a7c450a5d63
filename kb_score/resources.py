"""Finds rules, grammars and documents: next to the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from unicodedata import normalize

# The folder in asp/ with the rule files that games share.
COMMON = "common"
# The file that describes a game: its manifest.
MANIFEST = "game.toml"

# The variable that names the folders of a user's games.
_USER_FOLDERS = "KB_SCORE_GAMES"
_PACKAGE = Path(__file__).resolve().parent
# The folder that contains ours: in a wheel, the package itself.
_HOME = _PACKAGE if (_PACKAGE / "asp").is_dir() else _PACKAGE.parent
# Folders that are no input, beside those whose names begin with a full stop.
_HIDDEN = ("__MACOSX", "__pycache__")
# Folders of a user's games that only the current thread uses.
_own_folders: ContextVar[tuple[Path, ...]] = ContextVar("own_folders", default=())


def find_folder(name: str) -> Path:
    """Return the path of our folder of some name, such as ``asp``."""
    return _HOME / name


def list_user_folders() -> list[Path]:
    """Return the folders of a user's games as the user wrote them, whether they exist or not."""
    listed = os.environ.get(_USER_FOLDERS, "").split(os.pathsep)
    return [*_own_folders.get(), *(Path(folder) for folder in listed if folder)]


@contextmanager
def use_folder(folder: Path | None) -> Iterator[None]:
    """Add the folder of a user's game, unless it is None, while the block runs.

    Other threads, and the processes that this one starts, do not see the folder.
    """
    if folder is None:
        yield
        return
    token = _own_folders.set((folder, *_own_folders.get()))
    try:
        yield
    finally:
        _own_folders.reset(token)


def add_user_folders(folders: Sequence[str]) -> Callable[[], None]:
    """Add folders of a user's games, and return a function that removes them again.

    The processes that this one starts see the folders too.
    """
    before = os.environ.get(_USER_FOLDERS)
    named = [*folders, before] if before else folders
    os.environ[_USER_FOLDERS] = os.pathsep.join(named)

    def restore() -> None:
        """Set the variable to its previous value."""
        if before is None:
            del os.environ[_USER_FOLDERS]
        else:
            os.environ[_USER_FOLDERS] = before

    return restore


def list_rule_folders() -> dict[str, Path]:
    """Return each game's rules folder by the name of that folder, such as ``search_party``.

    Ours come first: a user's game never replaces one of ours.
    """
    found: dict[str, Path] = {}
    for path in list_folder(find_folder("asp")):
        if path.is_dir() and path.name != COMMON:
            found[path.name] = path
    for folder in list_user_folders():
        if is_game(folder):
            name = folder.resolve().name.replace("-", "_")
            found.setdefault(name, folder)
    return found


def find_rule_folder(game: str) -> Path:
    """Return a game's rules folder; for an unknown game, a path in asp/ that does not exist."""
    ours = find_folder("asp") / game
    if ours.is_dir():
        return ours
    return list_rule_folders().get(game, ours)


def is_game(folder: Path) -> bool:
    """Return whether a folder contains a whole game: rules, grammar and manifest."""
    manifest = folder / MANIFEST
    return manifest.is_file()


def is_shipped(path: Path) -> bool:
    """Return whether a path is below our rules folder."""
    return path.is_relative_to(find_folder("asp"))


def find_grammar(name: str) -> Path:
    """Return the path of a grammar: in ``parsers``, or that of the user's game of this name."""
    users = list_user_folders()
    if users:
        folder = list_rule_folders().get(name)
        if folder in users:
            return folder / "texts.lark"
    return find_folder("parsers") / f"{name}.lark"


def place_in_game(path: Path) -> str:
    """Return the path of one of our rule files in its game's folder, such as ``cards/miners.lp``.

    Shared files are in ``common``, next to the folders of the games: ``common/means.lp``.

    Raises:
        LookupError: The path is not that of one of our rule files.
    """
    home = find_folder("asp")
    if path.is_relative_to(home):
        below = path.relative_to(home)
        game = below.parts[0]
        place = below if game == COMMON else below.relative_to(game)
        return place.as_posix()
    for folder in list_rule_folders().values():
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    raise LookupError(f"{path} is not a rule file of ours")


def rule_file_name(path: Path | str) -> str:
    """Return the name of a rule file for messages, such as ``asp/slime/rules.lp``.

    The name begins with the folder ``asp``, or with that of a user's game. The path of any other
    file is returned unchanged.
    """
    full_path = Path(path)
    for home in (find_folder("asp"), *filter(is_game, list_user_folders())):
        if full_path.is_relative_to(home):
            name = home.name / full_path.relative_to(home)
            return str(name)
    return str(path)


def is_folder(path: Path | str) -> bool:
    """Return whether a user's path is a folder; unlike pathlib, accept a name of any length."""
    return os.path.isdir(path)  # noqa: PTH112


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is no input by its name, such as ``.git`` or ``._a.txt``."""
    return name.startswith(".") or name in _HIDDEN


def _scan(folder: Path | str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as scan:
        return [entry for entry in scan if not is_hidden(entry.name)]


def list_folder(folder: Path | str) -> list[Path]:
    """List the files and folders in a folder that are not hidden, in natural order.

    Raises:
        OSError: The folder cannot be read.
    """
    paths = [Path(entry.path) for entry in _scan(folder)]
    return sorted(paths, key=natural_order)


def natural_order(path: Path | str) -> tuple[list[str | int], str]:
    """Return the key by which files are sorted for people: ``b2.txt`` comes before ``b10.txt``."""
    parts = re.split("([0-9]+)", str(path))
    key = [int(part) if part.isascii() and part.isdecimal() else part for part in parts]
    return key, str(path)


def stem_of(path: Path | str) -> str:
    """Return the name of a file without its extension, composed: macOS decomposes letters."""
    return normalize("NFC", Path(path).stem)


def list_below(folder: Path) -> Iterator[Path]:
    """Yield the files and folders in a folder and below it that are not hidden, unordered.

    Links to folders are not followed, and folders that cannot be read are skipped. Folders may be
    nested to any depth, while `Path.rglob` in Python 3.11 recurses and fails at 1,000 levels.
    """
    waiting = [folder]
    while waiting:
        try:
            entries = _scan(waiting.pop())
        except OSError:
            continue
        for entry in entries:
            path = Path(entry.path)
            yield path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)


def list_rule_files_below(folder: Path) -> list[Path]:
    """List the .lp files in a folder and below it, sorted by path."""
    return sorted(path for path in list_below(folder) if path.suffix == ".lp")


def is_there(path: str) -> bool:
    """Return whether a user's path exists; unlike pathlib, accept a name of any length."""
    return os.path.exists(path)  # noqa: PTH110
