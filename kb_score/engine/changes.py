"""A user's changes to the rules of a game: rule files of their own, and rulings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
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
    place_in_game,
    rule_file_name,
)

# The files of asp/common/ that only games without Python share.
_DECLARED = frozenset(["live", "grid", "valid"])


@dataclass(frozen=True, slots=True)
class Changes:
    """A user's changes to the rules of a game: folders or files of rules, and values of rulings.

    A file at the path of one of ours below the game's folder, such as ``cards/miners.lp``, replaces
    that file; all others are added. The limits stop rules whose grounding may not terminate.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits = DEFAULT

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, sorted by path."""
        return tuple(find_rule_files(*self.folders))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables in the folders, sorted by path."""
        return tuple(find_tables(*self.folders))

    @property
    def paths(self) -> list[str]:
        """The paths of all rule files and tables; no output may be written to them."""
        return [str(path) for path in self._find_all()]

    @property
    def check(self) -> Callable[[], None]:
        """A function that another machine calls to check that its folders have the same rules."""
        digest = _digest_folders(self.folders)
        return partial(_check_folders, self.folders, digest)

    def _find_all(self) -> list[Path]:
        """Find the rule files, followed by the tables, in one pass through each folder."""
        tables = _list_table_names()
        found = _find_files(self.folders, lambda path: _is_rule_file(path) or path.name in tables)
        rule_files = [path for path in found if _is_rule_file(path)]
        others = [path for path in found if not _is_rule_file(path)]
        return rule_files + others

    def plus(self, folders: Iterable[Path]) -> Changes:
        """Return the changes with more folders; a folder that is listed twice counts once."""
        unique = dict.fromkeys((*self.folders, *folders))
        return replace(self, folders=tuple(unique))

    def list_folders(self) -> tuple[str, ...]:
        """Return the paths of the folders as strings."""
        return tuple(map(str, self.folders))

    def words(self) -> list[str]:
        """Return the changes as command-line options; empty if there are no changes."""
        words: list[str] = []
        for folder in self.folders:
            words += ["--rules", str(folder)]
        for name, value in self.constants:
            words += ["--const", f"{name}={value}"]
        return words


NO_CHANGES = Changes()


def find_rule_files(*folders: Path) -> list[Path]:
    """Return the rule files in folders and below them, sorted by path in each folder.

    One of the folders may be a single file. A path that ends with .lp but is no regular file is a
    RuleError.
    """
    return _find_files(folders, _is_rule_file)


def _is_rule_file(path: Path) -> bool:
    return path.suffix == ".lp"


def find_tables(*folders: Path) -> list[Path]:
    """Return the files in folders that have the name of a table, sorted by path in each folder.

    A path that has such a name but is no regular file is a RuleError.
    """
    names = _list_table_names()
    return _find_files(folders, lambda path: path.name in names)


@lru_cache(maxsize=1)
def _list_table_names() -> frozenset[str]:
    """Return the names of the tables next to our rules, such as ``quadrants.txt``."""
    tables = find_folder("asp").glob("*/*.txt")
    return frozenset(path.name for path in tables)


def _find_files(folders: Iterable[Path], is_wanted: Callable[[Path], bool]) -> list[Path]:
    """Return the files in folders and below them that meet a condition and are regular files."""
    files: list[Path] = []
    for folder in folders:
        found: Iterable[Path] = [folder]
        if is_folder(folder):
            found = list_below(folder)
        # Editors leave broken links in folders. A name may be too long for pathlib.
        existing = [path for path in found if is_wanted(path) and is_there(str(path))]
        files += sorted(existing)
    for path in files:
        if not path.is_file():
            # Reading a pipe or a device may never end.
            raise RuleError(f"{visible(str(path))}: a rule file must be a regular file")
    return files


def _digest_folders(folders: tuple[Path, ...]) -> str:
    """Return a digest of the names and contents of the files in folders."""
    from hashlib import sha256  # loads OpenSSL

    hashed = sha256()
    for folder in folders:
        files = [*find_rule_files(folder), *find_tables(folder)]
        for path in files:
            data = path.read_bytes()
            name = path.relative_to(folder)
            header = f"{name} {len(data)}\n"
            hashed.update(header.encode())
            hashed.update(data)
        hashed.update(b"\0")
    return hashed.hexdigest()


def _check_folders(folders: tuple[Path, ...], digest: str) -> None:
    """Raise an InputError unless the files in folders have the given digest."""
    if _digest_folders(folders) != digest:
        shown = [visible(str(folder)) for folder in folders]
        names = ", ".join(shown)
        message = "the rules there differ from those on the machine that runs the command"
        raise InputError(names, message)


def list_rule_files(game: str, changes: Changes = NO_CHANGES) -> tuple[list[Path], list[Path]]:
    """Return our rule files for a game that the user does not replace, and the user's files.

    Ours are sorted by path; the user's are in the order of the folders.

    Raises:
        RuleError: A folder is missing or has no rules for the game, two files have the same name,
            or a file has the same name as one of ours but is not where it would replace that file.
    """
    ours = {path.name: path for path in list_shipped(game)}
    users: dict[str, Path] = {}
    rule_files = changes.files
    for folder in changes.folders:
        inside = [path for path in rule_files if path.is_relative_to(folder)]
        for path in _list_user_files(game, folder, inside):
            name = path.name
            if name in ours:
                _check_replaces(path, folder, game, ours[name])
            other = users.setdefault(name, path)
            if other != path:
                problem = f"{visible(str(path))} has the same name as {visible(str(other))}"
                raise RuleError(f"--rules: {problem}: rename one of them")
    not_replaced = [path for name, path in ours.items() if name not in users]
    return not_replaced, list(users.values())


def _list_user_files(game: str, folder: Path, found: Sequence[Path]) -> list[Path]:
    """List those of the rule files found in a user's folder that do not belong to another game."""
    of_game = [path for path in found if not _belongs_to_other_game(path, folder, game)]
    if of_game:
        return of_game
    if not found and find_tables(folder):
        return []
    if found:
        shown_name = game.replace("_", "-")
        problem = f"has rules of other games, but none of {shown_name}"
    elif is_folder(folder):
        problem = "has no .lp file"
    elif os.path.exists(folder):  # noqa: PTH110, the name may have any length
        problem = "is neither a folder nor an .lp file"
    else:
        problem = "does not exist"
    raise RuleError(f"--rules: {visible(str(folder))} {problem}")


def find_replaced(game: str, changes: Changes) -> dict[Path, Path]:
    """Return the user's files that replace ours, each with the file that it replaces."""
    ours = {path.name: path for path in list_shipped(game)}
    _, users = list_rule_files(game, changes)
    replaced: dict[Path, Path] = {}
    for path in users:
        original = ours.get(path.name)
        if original is not None:
            replaced[path] = original
    return replaced


def _belongs_to_other_game(path: Path, folder: Path, game: str) -> bool:
    """Return whether a file is below a folder named after another game, as in a full export."""
    parts = path.relative_to(folder).parts
    if len(parts) < 2:
        return False
    top = parts[0]
    if top == game:
        return False
    if top == COMMON:
        shared = find_folder("asp") / COMMON / path.name
        return shared.is_file() and shared not in list_shipped(game)
    return top in list_rule_folders()


def _check_replaces(path: Path, folder: Path, game: str, ours: Path) -> None:
    """Raise a RuleError unless a file with the name of one of ours is where it replaces it."""
    place = place_in_game(ours)
    full_path = path.absolute()
    ends_with_place = full_path.as_posix().endswith(f"/{place}")
    if path != folder:
        below = path.relative_to(folder).as_posix()
        if below == place:
            return
        is_shared = place.startswith(f"{COMMON}/")
        if below == f"{game}/{place}" and not is_shared:
            return
    elif ends_with_place:
        # For a single file, the end of the path shows where it belongs.
        return
    if ends_with_place:
        depth = place.count("/")
        top = os.path.relpath(full_path.parents[depth])
        cure = f"name {visible(top)} with --rules to replace that file"
    else:
        home = folder if is_folder(folder) else folder.parent
        new_path = str(home / place)
        cure = f"move it to {visible(new_path)} to replace that file, or rename it"
    problem = f"{visible(str(path))} has the same name as {rule_file_name(ours)}"
    raise RuleError(f"--rules: {problem}: {cure}")


def list_shipped(game: str) -> tuple[Path, ...]:
    """Return all our rule files for a game, and those that games share, sorted by path."""
    shared = find_folder("asp") / COMMON
    files = _list_ours("*.lp", find_rule_folder(game), shared)
    if has_no_python(game):
        # A game may have a file of its own in place of a shared one.
        left_out = {path.name for path in files if path.parent != shared}
    else:
        left_out = {f"{stem}.lp" for stem in _DECLARED}
    return tuple(path for path in files if path.parent != shared or path.name not in left_out)


def has_no_python(game: str) -> bool:
    """Return whether no Python of ours plays a game; ``common`` counts too."""
    folder = find_rule_folder(game)
    if game == COMMON or not is_shipped(folder):
        return True
    return "[functions]" not in (folder / MANIFEST).read_text(encoding="utf-8")


def list_wanted(game: str, files: Iterable[str]) -> frozenset[str]:
    """Return the names of a game's files that patterns such as ``board`` and ``cards/*`` match.

    Raises:
        LookupError: A pattern matches no file.
    """
    home = find_rule_folder(game)
    names: set[str] = set()
    for word in files:
        folder = home
        if word.startswith(f"{COMMON}/"):
            folder = find_folder("asp")
        found = _list_ours(f"{word}.lp", folder)
        if not found:
            raise LookupError(f"asp/{game} has no {word}.lp")
        names.update(path.name for path in found)
    return frozenset(names)


def list_own_files(game: str) -> tuple[Path, ...]:
    """List the rule files of a user's own game; return no files for one of our games."""
    home = find_rule_folder(game)
    if is_shipped(home):
        return ()
    return _list_ours("*.lp", home)


def _list_ours(pattern: str, *folders: Path) -> tuple[Path, ...]:
    """List the rule files whose names match a pattern; a user may add files at any time."""
    if all(map(is_shipped, folders)):
        return _find_ours(pattern, *folders)
    return _find_files_below(pattern, *folders)


@lru_cache(maxsize=256)
def _find_ours(pattern: str, *folders: Path) -> tuple[Path, ...]:
    """Find our rule files, which do not change while the program runs."""
    return _find_files_below(pattern, *folders)


def _find_files_below(pattern: str, *folders: Path) -> tuple[Path, ...]:
    """Find the files below folders whose names match a pattern, sorted by path."""
    found: set[Path] = set()
    for folder in folders:
        for path in list_below(folder):
            if path.suffix == ".lp" and path.relative_to(folder).match(pattern):
                found.add(path)
    return tuple(sorted(found))
