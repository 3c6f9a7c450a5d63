"""Finds rules, grammars and texts: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

# The folder of asp/ with the rule files that games share.
COMMON = "common"
# The file that says what a game without Python is.
MANIFEST = "game.toml"

# The variable that names the folders of a user's games.
_USER_FOLDERS = "KB_SCORE_GAMES"
_PACKAGE = Path(__file__).resolve().parent
# Folders of a user's games that one thread uses.
_own_folders: ContextVar[tuple[Path, ...]] = ContextVar("own_folders", default=())


def find_folder(name: str) -> Path:
    """Return the path of a folder such as ``asp``."""
    packed = _PACKAGE / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def list_user_folders(name: str = "") -> list[Path]:
    """List the folders of a user's games, as they are named, or a folder in each of them."""
    listed = os.environ.get(_USER_FOLDERS, "").split(os.pathsep)
    folders = [*_own_folders.get(), *(Path(folder) for folder in listed if folder)]
    return [folder / name for folder in folders]


@contextmanager
def use_folder(folder: Path | None) -> Iterator[None]:
    """Add the folder of a user's game, if there is one, for what the caller's thread does inside.

    It changes nothing for other threads, and nothing for the processes that this one starts.
    """
    if folder is None:
        yield
        return
    before = _own_folders.set((folder, *_own_folders.get()))
    try:
        yield
    finally:
        _own_folders.reset(before)


def add_user_folders(folders: Sequence[str]) -> Callable[[], None]:
    """Add folders of a user's games, for this process and those that it starts.

    Returns:
        A function that takes them away again.
    """
    before = os.environ.get(_USER_FOLDERS)
    named = [before] if before else []
    os.environ[_USER_FOLDERS] = os.pathsep.join([*folders, *named])

    def restore() -> None:
        if before is None:
            del os.environ[_USER_FOLDERS]
        else:
            os.environ[_USER_FOLDERS] = before

    return restore


def list_folders(name: str) -> list[Path]:
    """List our folder such as ``asp``, followed by those of a user's games that exist."""
    return [find_folder(name), *filter(Path.is_dir, list_user_folders(name))]


def find_home(name: str, inside: str) -> Path:
    """Return the first of the folders of `list_folders` that contains a path, or ours."""
    for home in list_folders(name):
        if (home / inside).exists():
            return home
    return find_folder(name)


def list_rule_folders() -> dict[str, Path]:
    """List the folder of rules of each game by the game's name there, such as ``search_party``.

    Ours come first: no game of a user takes the place of one of these.
    """
    found: dict[str, Path] = {}
    for home in list_folders("asp"):
        for path in sorted(home.iterdir()):
            if path.is_dir() and path.name != COMMON:
                found.setdefault(path.name, path)
    for folder in list_user_folders():
        if is_game(folder):
            name = folder.resolve().name.replace("-", "_")
            found.setdefault(name, folder)
    return found


def find_rule_folder(game: str) -> Path:
    """Return the folder of rules of a game, by its name there."""
    ours = find_folder("asp") / game
    return ours if ours.is_dir() else list_rule_folders().get(game, ours)


def is_game(folder: Path) -> bool:
    """Return whether a folder is a game that has all in one folder, the grammar included."""
    return (folder / MANIFEST).is_file()


def is_shipped(path: Path) -> bool:
    """Return whether a path lies below our folder of rules."""
    return path.is_relative_to(find_folder("asp"))


def find_grammar(name: str) -> Path:
    """Return the path of a grammar: in ``parsers``, or in the folder of a game of that name."""
    users = list_user_folders()
    folder = list_rule_folders().get(name) if users else None
    if folder is not None and folder in users:
        return folder / "texts.lark"
    inside = f"{name}.lark"
    return find_home("parsers", inside) / inside


def place_in_game(path: Path) -> str:
    """Return where a rule file of ours lies below its game's folder, such as ``cards/miners.lp``.

    What games share lies in ``common``, beside the folders of the games: ``common/means.lp``.
    """
    for folder in list_rule_folders().values():
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    home = find_folder("asp")
    if path.is_relative_to(home):
        return path.relative_to(home).as_posix()
    raise LookupError(f"{path} is not a rule file of ours")


def name_rule_file(path: Path | str) -> str:
    """Return the name of a rule file for messages: from ``asp`` on, unless a user has named it."""
    for home in (*list_folders("asp"), *filter(is_game, list_user_folders())):
        if Path(path).is_relative_to(home):
            return str(Path(home.name) / Path(path).relative_to(home))
    return str(path)


def is_folder(path: Path | str) -> bool:
    """Return whether a path of a user is a folder; pathlib raises for a name that is too long."""
    return os.path.isdir(path)  # noqa: PTH112


def list_below(folder: Path) -> Iterator[Path]:
    """Yield the files and folders in a folder and below it, in no order; links are not followed.

    Folders that cannot be read are skipped. Folders may be nested to any depth, while `Path.rglob`
    of Python 3.11 recurses and fails at 1,000 levels.
    """
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as scan:
                entries = list(scan)
        except OSError:
            continue
        for entry in entries:
            path = Path(entry.path)
            yield path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)


def is_there(path: str) -> bool:
    """Return whether a path of a user exists; pathlib raises for a name that is too long."""
    return os.path.exists(path)  # noqa: PTH110
