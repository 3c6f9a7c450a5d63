"""What a user changes of the rules: files of his own, rulings, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from kb_score.errors import InputError, RuleError, visible
from kb_score.resources import is_folder


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question to the rules may take; None for any time."""

    seconds: float | None = None
    memory: int = 4096  # of the process, in MiB


DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Changes:
    """A user's changes to the rules of a game: folders of rule files, and rulings by name.

    A file with the name of one of ours stands in for it, all others are added. The limits are for
    rules that have no end.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits = DEFAULT

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, in order of their paths."""
        return tuple(path for folder in self.folders for path in find_rule_files(folder))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables in the folders, in order of their paths."""
        return tuple(path for folder in self.folders for path in find_rule_files(folder, TABLE))

    @property
    def stamps(self) -> tuple[tuple[str, int], ...]:
        """The files with the times of their last changes: while these stay, so do the rules."""
        return tuple((str(path), path.stat().st_mtime_ns) for path in (*self.files, *self.tables))

    @property
    def paths(self) -> list[str]:
        """Their paths; no output may be written to them."""
        return list(map(str, (*self.files, *self.tables)))

    @property
    def check(self) -> Callable[[], None]:
        """What checks, on another machine, that the same rules are in the folders there."""
        return partial(_check_folders, self.folders, _digest_folders(self.folders))

    def words(self) -> list[str]:
        """Write them as options of a command."""
        folders = (word for folder in self.folders for word in ("--rules", str(folder)))
        return [
            *folders,
            *(word for pair in self.constants for word in ("--const", "=".join(pair))),
        ]


NO_CHANGES = Changes()

# What a game reads besides its rules, and users may add to.
TABLE = "quadrants.txt"


def find_rule_files(folder: Path, names: str = "*.lp") -> list[Path]:
    """Find the rule files in a folder and below it, in order of their paths, or a single one."""
    # Editors leave links there that lead nowhere; of a name too long pathlib makes an OSError.
    alone = [folder] if folder.match(names) else []
    found = folder.rglob(names) if is_folder(folder) else alone
    files = sorted(path for path in found if path.exists())
    for path in files:
        if not path.is_file():
            # What stands in it may have no end.
            raise RuleError(f"{visible(str(path))}: a rule file is a plain file, but this is none")
    return files


def _digest_folders(folders: tuple[Path, ...]) -> str:
    hashed = sha256()
    for folder in folders:
        for path in (*find_rule_files(folder), *find_rule_files(folder, TABLE)):
            data = path.read_bytes()
            hashed.update(f"{path.relative_to(folder)} {len(data)}\n".encode() + data)
        hashed.update(b"\0")
    return hashed.hexdigest()


def _check_folders(folders: tuple[Path, ...], digest: str) -> None:
    if _digest_folders(folders) != digest:
        names = ", ".join(visible(str(folder)) for folder in folders)
        raise InputError(names, "the rules there are not those of the machine of the command")
