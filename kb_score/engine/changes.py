"""What a user changes about the rules of a game: rule files of their own, and rulings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from kb_score.engine.program import DEFAULT, Limits
from kb_score.errors import InputError, RuleError, visible
from kb_score.resources import (
    COMMON,
    MANIFEST,
    find_folder,
    find_rule_folder,
    is_folder,
    is_shipped,
    is_there,
    list_below,
    list_rule_folders,
    name_rule_file,
    place_in_game,
)

# The files of asp/common/ that games without Python share, and no others.
_DECLARED = frozenset(["record", "live", "position", "grid", "larger", "valid"])


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
        limits: The limits for rules that may grow without end.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits = DEFAULT

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, in order of their paths."""
        return tuple(find_rule_files(*self.folders))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables in the folders, in order of their paths."""
        return tuple(find_tables(*self.folders))

    @property
    def paths(self) -> list[str]:
        """The paths of all these files; no output may be written to them."""
        return [str(path) for path in (*self.files, *self.tables)]

    @property
    def check(self) -> Callable[[], None]:
        """A function that checks, on another machine, that its folders have the same rules."""
        digest = _digest_folders(self.folders)
        return partial(_check_folders, self.folders, digest)

    def stamp(self) -> tuple[StampedFile, ...]:
        """Return all files as they are now, to see later whether one has changed."""
        files = (*self.files, *self.tables)
        return tuple(StampedFile(path, path.stat().st_mtime_ns) for path in files)

    def plus(self, folders: Iterable[Path]) -> Changes:
        """Return the changes with more folders, each once."""
        unique = dict.fromkeys((*self.folders, *folders))
        return replace(self, folders=tuple(unique))

    def list_folders(self) -> tuple[str, ...]:
        """List the paths of the folders."""
        return tuple(map(str, self.folders))

    def words(self) -> list[str]:
        """Return the changes as options of a command; the list is empty if there are no changes."""
        words = list[str]()
        for folder in self.folders:
            words += ["--rules", str(folder)]
        for name, value in self.constants:
            words += ["--const", f"{name}={value}"]
        return words


NO_CHANGES = Changes()


def find_rule_files(*folders: Path) -> list[Path]:
    """Find the rule files in folders and below them; a folder may also be a single file.

    Returns:
        The files of each folder in order of their paths.

    Raises:
        RuleError: A path ends with .lp and is not a regular file.
    """
    return _find_files(folders, lambda path: path.suffix == ".lp")


def find_tables(*folders: Path) -> list[Path]:
    """Find the files in folders that have the name of a table which a game reads."""
    names = _name_tables()
    return _find_files(folders, lambda path: path.name in names)


@lru_cache(maxsize=1)
def _name_tables() -> frozenset[str]:
    """Return the names of the tables that lie beside our rules, such as ``quadrants.txt``."""
    tables = find_folder("asp").glob("*/*.txt")
    return frozenset(path.name for path in tables)


def _find_files(folders: Iterable[Path], is_wanted: Callable[[Path], bool]) -> list[Path]:
    files = list[Path]()
    for folder in folders:
        found = list_below(folder) if is_folder(folder) else [folder]
        # Editors leave links there that lead nowhere. A name may be too long for pathlib.
        files += sorted(path for path in found if is_wanted(path) and is_there(str(path)))
    for path in files:
        if not path.is_file():
            # A pipe or a device may have no end.
            raise RuleError(f"{visible(str(path))}: a rule file must be a regular file")
    return files


def _digest_folders(folders: tuple[Path, ...]) -> str:
    """Return a digest of the names and contents of the files in some folders."""
    from hashlib import sha256  # loads OpenSSL

    hashed = sha256()
    for folder in folders:
        for path in (*find_rule_files(folder), *find_tables(folder)):
            data = path.read_bytes()
            header = f"{path.relative_to(folder)} {len(data)}\n"
            hashed.update(header.encode())
            hashed.update(data)
        hashed.update(b"\0")
    return hashed.hexdigest()


def _check_folders(folders: tuple[Path, ...], digest: str) -> None:
    """Check that folders have a digest; raise an InputError if they do not."""
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


def _is_of_other_game(path: Path, folder: Path, game: str) -> bool:
    """Return whether a file lies below a folder named after another game, as in a full export."""
    parts = path.relative_to(folder).parts
    if len(parts) < 2 or parts[0] == game:
        return False
    if parts[0] == COMMON:
        shared = find_folder("asp") / COMMON / path.name
        return shared.is_file() and shared not in list_shipped(game)
    return parts[0] in list_rule_folders()


def _check_replaces(path: Path, folder: Path, game: str, ours: Path) -> None:
    """Check that a file with the name of one of ours lies where it replaces that file.

    Raises:
        RuleError: It lies somewhere else.
    """
    place = place_in_game(ours)
    full_path = path.absolute()
    ends_with_place = full_path.as_posix().endswith(f"/{place}")
    if path != folder:
        below = path.relative_to(folder).as_posix()
        if below == place or (below == f"{game}/{place}" and not place.startswith(f"{COMMON}/")):
            return
    elif ends_with_place:
        # A file that is named by itself shows where it lies by the end of its path.
        return
    if ends_with_place:
        depth = place.count("/")
        top = os.path.relpath(full_path.parents[depth])
        cure = f"name {visible(top)} with --rules to replace that file"
    else:
        home = folder if is_folder(folder) else folder.parent
        cure = f"move it to {visible(str(home / place))} to replace that file, or rename it"
    problem = f"{visible(str(path))} has the name of {name_rule_file(ours)}"
    raise RuleError(f"--rules: {problem}: {cure}")


def list_shipped(game: str) -> tuple[Path, ...]:
    """List all our rule files of a game, and those that games share."""
    shared = find_folder("asp") / COMMON
    files = _list_ours("*.lp", find_rule_folder(game), shared)
    if _has_no_python(game):
        # A game may have a file of its own in place of a shared one.
        own = {path.name for path in files if path.parent != shared}
        return tuple(path for path in files if path.parent != shared or path.name not in own)
    return tuple(path for path in files if path.parent != shared or path.stem not in _DECLARED)


def _has_no_python(game: str) -> bool:
    """Return whether a game, or all of them, are made of rules, a grammar and a manifest."""
    return game == COMMON or (find_rule_folder(game) / MANIFEST).is_file()


def list_wanted(game: str, files: Iterable[str]) -> frozenset[str]:
    """List the names of our files of a game that words such as ``board`` and ``cards/*`` mean."""
    home = find_rule_folder(game)
    names = set[str]()
    for word in files:
        folder = find_folder("asp") if word.startswith(f"{COMMON}/") else home
        found = _list_ours(f"{word}.lp", folder)
        if not found:
            raise LookupError(f"asp/{game} has no {word}.lp")
        names.update(path.name for path in found)
    return frozenset(names)


def stamp_own(game: str) -> tuple[StampedFile, ...]:
    """Stamp the rule files of a game that a user has made; of a game of ours none can change."""
    home = find_rule_folder(game)
    if is_shipped(home):
        return ()
    return tuple(stamp_game_file(path) for path in _list_ours("*.lp", home))


def stamp_game_file(path: Path) -> StampedFile:
    """Stamp a rule file of a game: one of ours never changes while the program runs."""
    return StampedFile(path, 0 if is_shipped(path) else path.stat().st_mtime_ns)


def _list_ours(pattern: str, *folders: Path) -> tuple[Path, ...]:
    """List the rule files of games whose names match a pattern; a user may add some any time."""
    if all(map(is_shipped, folders)):
        return _find_ours(pattern, *folders)
    return _find_files_below(pattern, *folders)


@lru_cache(maxsize=256)
def _find_ours(pattern: str, *folders: Path) -> tuple[Path, ...]:
    """Find rule files of ours, which stay the same while the program runs."""
    return _find_files_below(pattern, *folders)


def _find_files_below(pattern: str, *folders: Path) -> tuple[Path, ...]:
    found = set[Path]()
    for folder in folders:
        found.update(folder.rglob(pattern))
    return tuple(sorted(found))
