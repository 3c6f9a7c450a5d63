"""Which kb-score this is: its version, and a digest of its rules and its code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from kb_score import __version__
from kb_score.resources import find_folder

_SHOWN = 12  # so many characters of a digest tell two apart


@dataclass(frozen=True, slots=True)
class Version:
    """A version of kb-score; the digest tells a changed copy from the one that was published."""

    number: str
    digest: str

    def __str__(self) -> str:
        return f"{self.number} ({self.digest[:_SHOWN]})"


@cache
def find_version() -> Version:
    """Find the version of this process; it stays while the process runs, as its code does."""
    package = Path(__file__).resolve().parents[1]
    hashed = sha256()
    for root, pattern in ((package, "*.py"), *((find_folder(n), "*") for n in ("asp", "parsers"))):
        for path in sorted(root.rglob(pattern)):
            name = path.relative_to(root).as_posix()
            if path.is_file() and "__pycache__" not in name:
                data = path.read_bytes()
                hashed.update(f"{root.name}/{name} {len(data)}\n".encode() + data)
    return Version(__version__, hashed.hexdigest())
