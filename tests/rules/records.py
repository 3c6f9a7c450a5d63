"""All boards and records of ``boards/``, each with the files that are judged together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import ROOT, SHARED

BOARDS = ROOT / "boards"

KINGDOM_BUILDER = BOARDS / "kingdom_builder"
RABBITS = BOARDS / "rabbits"
SEARCH_PARTY = BOARDS / "search_party"
SLIME = BOARDS / "slime"

# What is no board, map or record.
OTHER_SUFFIXES = {".cpp", ".json", ".jsonl", ".lp", ".md", ".py", ".pyc", ".toml"}

# Boards with unreadable hexes: only `restore` reads them.
UNREADABLE = {
    KINGDOM_BUILDER / "restore" / "five-mountains.txt",
    KINGDOM_BUILDER / "restore" / "smudged.txt",
}

# Claims, each with the board that it is about.
CLAIMS = {
    KINGDOM_BUILDER / "claims.txt": KINGDOM_BUILDER / "example.txt",
    KINGDOM_BUILDER / "restore" / "scores.txt": KINGDOM_BUILDER / "example.txt",
    KINGDOM_BUILDER / "restore" / "mistyped-scores.txt": (
        KINGDOM_BUILDER / "restore" / "mistyped.txt"
    ),
    KINGDOM_BUILDER / "why" / "wrong-claim.txt": KINGDOM_BUILDER / "why" / "cards.txt",
}

# Records whose names do not say on which map they are.
_STATIONS = {"no-explanation": "room"}


@dataclass(frozen=True, slots=True)
class Judged:
    """What one command judges: a board, a board with claims, or a record.

    Attributes:
        game: The game's name on the command line.
        files: The files in the order of the command: a map before its record, a board before
            its claims.
        is_board: Whether it is a board alone, which ``score`` takes; ``check`` takes the others.
    """

    game: str
    files: tuple[Path, ...]
    is_board: bool = False

    @property
    def name(self) -> str:
        """A name for the test of it."""
        last = self.files[-1]
        folder = BOARDS / self.game.replace("-", "_")
        return f"{self.game}:{last.relative_to(folder)}"

    @property
    def is_shared(self) -> bool:
        """Whether its map is not in ``boards/``."""
        return SHARED in self.files[0].parents

    @property
    def verdict_command(self) -> tuple[object, ...]:
        """The words after ``kb-score`` that print its score or its verdict as JSON."""
        if self.is_board:
            return "score", *self.files, "--format", "json"
        return "check", self.game, *self.files, "--format", "json"


def list_judged() -> Iterator[Judged]:
    """Yield every board, board with claims and record of ``boards/``, in order of game."""
    yield from _list_kingdom_builder()
    yield from _list_rabbits()
    yield from _list_search_party()
    for path in sorted(SLIME.rglob("*.txt")):
        yield Judged("slime", (path,))


def list_texts() -> set[Path]:
    """List the files of ``boards/`` that are boards, claims, maps or records."""
    files = (path for path in BOARDS.rglob("*") if path.is_file())
    return {path for path in files if path.suffix not in OTHER_SUFFIXES}


def _list_kingdom_builder() -> Iterator[Judged]:
    for path in sorted(KINGDOM_BUILDER.rglob("*.txt")):
        if path in UNREADABLE:
            continue
        if path in CLAIMS:
            yield Judged("kingdom-builder", (CLAIMS[path], path))
        else:
            is_game = path.read_text().startswith("board ")
            yield Judged("kingdom-builder", (path,), is_board=not is_game)


def _list_rabbits() -> Iterator[Judged]:
    for path in sorted(RABBITS.rglob("*")):
        if path.suffix not in (".session", ".log", ".table"):
            continue
        named = path.with_name(f"{path.stem.partition('-')[0]}.map")
        if not named.exists():
            named = path.with_name(f"{_STATIONS.get(path.stem, 'corridor')}.map")
        yield Judged("rabbits", (named, path))


def _list_search_party() -> Iterator[Judged]:
    maps = SEARCH_PARTY / "maps"
    for folder in ("entries", "records"):
        for path in sorted((SEARCH_PARTY / folder).rglob("*.txt")):
            named = maps / path.name
            if not named.exists():
                named = maps / f"{path.parent.name}.txt"
            yield Judged("search-party", (named, path))
    lane = SEARCH_PARTY / "why" / "lane.txt"
    for path in sorted(lane.parent.glob("*.txt")):
        if path != lane:
            yield Judged("search-party", (lane, path))
    for path in sorted((SEARCH_PARTY / "plans").glob("*.txt")):
        yield Judged("search-party", (SHARED / "search_party" / path.name, path))
