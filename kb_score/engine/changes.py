"""What a user changes about the rules of a game: rule files of their own, and rulings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

from kb_score.engine.program import DEFAULT, Limits
from kb_score.errors import InputError, RuleError, visible
from kb_score.resources import (
    COMMON,
    find_folder,
    find_home,
    is_folder,
    is_there,
    list_below,
    list_folders,
    name_rule_file,
)


@dataclass(frozen=True, slots=True)
class StampedFile:
    """A file and when it was last changed: while both stay the same, so does its text."""

    path: Path
    changed: int  # in nanoseconds


@dataclass(frozen=True, slots=True)
class Changes:
    """A user's changes to the rules of a game.

    A file at the path of one of ours below the game's folder, such as ``cards/miners.lp``, replaces
    that file; all others are added.

    Attributes:
        folders: Folders of rule files, or single files.
        constants: The rulings that are set, with their values.
        limits: The limits for rules that may have no end.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits = DEFAULT

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, in order of their paths."""
        return tuple(chain.from_iterable(map(find_rule_files, self.folders)))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables in the folders, in order of their paths."""
        return tuple(chain.from_iterable(map(find_tables, self.folders)))

    @property
    def paths(self) -> list[str]:
        """The paths of all these files; no output may be written to them."""
        return list(map(str, (*self.files, *self.tables)))

    @property
    def check(self) -> Callable[[], None]:
        """A function that checks, on another machine, that its folders have the same rules."""
        return partial(_check_folders, self.folders, _digest_folders(self.folders))

    def stamp(self) -> tuple[StampedFile, ...]:
        """Return all files as they are now, to see later whether one has changed."""
        files = (*self.files, *self.tables)
        return tuple(StampedFile(path, path.stat().st_mtime_ns) for path in files)

    def plus(self, folders: Iterable[Path]) -> Changes:
        """Append folders, each once."""
        unique = dict.fromkeys((*self.folders, *folders))
        return replace(self, folders=tuple(unique))

    def list_folders(self) -> tuple[str, ...]:
        """List the paths of the folders."""
        return tuple(map(str, self.folders))

    def words(self) -> list[str]:
        """Write the changes as options of a command; there are none without changes."""
        words = list[str]()
        for folder in self.folders:
            words += ["--rules", str(folder)]
        for name, value in self.constants:
            words += ["--const", f"{name}={value}"]
        return words


NO_CHANGES = Changes()


def find_rule_files(folder: Path) -> list[Path]:
    """Find the rule files in a folder and below it, in order of their paths, or a single one.

    Raises:
        RuleError: A path ends with .lp and is not a regular file.
    """
    return _find_files(folder, lambda path: path.suffix == ".lp")


def find_tables(folder: Path) -> list[Path]:
    """Find the files in a folder that have the name of a table which a game reads."""
    names = _name_tables()
    return _find_files(folder, lambda path: path.name in names)


@lru_cache(maxsize=1)
def _name_tables() -> frozenset[str]:
    """Name the tables that lie beside our rules, such as ``quadrants.txt``."""
    return frozenset(path.name for path in find_folder("asp").glob("*/*.txt"))


def _find_files(folder: Path, is_wanted: Callable[[Path], bool]) -> list[Path]:
    # Editors leave links there that lead nowhere; pathlib raises an OSError for a name too long.
    found = list_below(folder) if is_folder(folder) else [folder]
    files = sorted(path for path in found if is_wanted(path) and is_there(str(path)))
    for path in files:
        if not path.is_file():
            # A pipe or a device may have no end.
            raise RuleError(f"{visible(str(path))}: a rule file must be a regular file")
    return files


def _digest_folders(folders: tuple[Path, ...]) -> str:
    from hashlib import sha256  # loads OpenSSL

    hashed = sha256()
    for folder in folders:
        for path in (*find_rule_files(folder), *find_tables(folder)):
            data = path.read_bytes()
            hashed.update(f"{path.relative_to(folder)} {len(data)}\n".encode() + data)
        hashed.update(b"\0")
    return hashed.hexdigest()


def _check_folders(folders: tuple[Path, ...], digest: str) -> None:
    if _digest_folders(folders) != digest:
        names = ", ".join(visible(str(folder)) for folder in folders)
        raise InputError(names, "the rules there are not those of the machine of the command")


def list_rule_files(game: str, changes: Changes = NO_CHANGES) -> tuple[list[Path], list[Path]]:
    """List our rule files of a game that no file of the user replaces, and the user's.

    Raises:
        RuleError: A folder is missing or has no rules of the game, two files have the same name, or
            a file has the name of one of ours and does not lie where it would replace that file.
    """
    ours = {path.name: path for path in list_shipped(game)}
    users: dict[str, Path] = {}
    for folder in changes.folders:
        for path in _list_users(game, folder):
            if path.name in ours:
                _check_replaces(path, folder, game, ours[path.name])
            other = users.setdefault(path.name, path)
            if other != path:
                problem = f"{visible(str(path))} has the name of {visible(str(other))}"
                raise RuleError(f"--rules: {problem}: rename one of them")
    left = [path for name, path in ours.items() if name not in users]
    return left, list(users.values())


def _list_users(game: str, folder: Path) -> list[Path]:
    """List the rule files in a folder of the user that are not about another game."""
    found = find_rule_files(folder)
    here = [path for path in found if not _is_of_other_game(path, folder, game)]
    if here or (not found and find_tables(folder)):
        return here
    if found:
        problem = f"has rules of other games, but none of {game.replace('_', '-')}"
    elif is_folder(folder):
        problem = "has no .lp file"
    else:
        problem = "is not a folder"
    raise RuleError(f"--rules: {visible(str(folder))} {problem}")


def find_replaced(game: str, changes: Changes) -> dict[Path, Path]:
    """Find the files of a user that replace ours: each with the file that it replaces."""
    ours = {path.name: path for path in list_shipped(game)}
    _, users = list_rule_files(game, changes)
    return {path: ours[path.name] for path in users if path.name in ours}


def place_in_game(path: Path) -> str:
    """Return where a rule file of ours lies below its game's folder, such as ``cards/miners.lp``.

    What games share lies in ``common``, beside the folders of the games: ``common/means.lp``.
    """
    for home in list_folders("asp"):
        if path.is_relative_to(home):
            below = path.relative_to(home)
            game, *place = below.parts
            return below.as_posix() if game == COMMON else "/".join(place)
    raise LookupError(f"{path} is not a rule file of ours")


def _is_of_other_game(path: Path, folder: Path, game: str) -> bool:
    """Return whether a file lies below a folder named after another game, as in a full export."""
    first, *below = path.relative_to(folder).parts or [""]
    if not below or first in (game, COMMON):
        return False
    return any((home / first).is_dir() for home in list_folders("asp"))


def _check_replaces(path: Path, folder: Path, game: str, ours: Path) -> None:
    """Check that a file with the name of one of ours lies where it replaces that file."""
    place = place_in_game(ours)
    full_place = place if place.startswith(f"{COMMON}/") else f"{game}/{place}"
    whole = path.absolute()
    depth = len(Path(place).parts)
    if path == folder:
        # A file that is named by itself shows where it lies by the end of its path.
        below = "/".join(whole.parts[-depth:])
    else:
        below = path.relative_to(folder).as_posix()
    if below in (place, full_place):
        return
    if whole.as_posix().endswith(f"/{place}"):
        top = os.path.relpath(whole.parents[depth - 1])
        cure = f"name {visible(top)} with --rules to replace that file"
    else:
        home = folder if is_folder(folder) else folder.parent
        cure = f"move it to {visible(str(home / place))} to replace that file, or rename it"
    problem = f"{visible(str(path))} has the name of {name_rule_file(ours)}"
    raise RuleError(f"--rules: {problem}: {cure}")


def list_shipped(game: str) -> tuple[Path, ...]:
    """List all our rule files of a game, and those that games share."""
    return _list_ours("*.lp", find_home("asp", game) / game, find_folder("asp") / COMMON)


def list_wanted(game: str, files: Iterable[str]) -> frozenset[str]:
    """List the names of our files of a game that words such as ``board`` and ``cards/*`` mean."""
    names = set[str]()
    for word in files:
        shared = word.startswith(f"{COMMON}/")
        home = find_folder("asp") if shared else find_home("asp", game) / game
        found = {path.name for path in _list_ours(f"{word}.lp", home)}
        if not found:
            raise LookupError(f"asp/{game} has no {word}.lp")
        names |= found
    return frozenset(names)


@lru_cache(maxsize=256)
def _list_ours(names: str, *folders: Path) -> tuple[Path, ...]:
    """List our rule files with such names; they are looked for once, unlike a user's."""
    found = set[Path]()
    for folder in folders:
        found.update(folder.rglob(names))
    return tuple(sorted(found))
