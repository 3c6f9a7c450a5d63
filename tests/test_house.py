"""The shape of the package: which way imports point."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.helpers import ROOT

# A layer may import those before it; those of one rank do not know each other.
RANKS = {
    "version": 0,
    "errors": 0,
    "resources": 0,
    "engine": 1,
    "shell": 1,
    "grammar": 2,
    "games": 3,
    "api": 4,
    "cli": 5,
    "reasons": 6,
    "arena": 6,
    "search": 6,
    "lab": 7,
    "web": 7,
    "kb_score": 8,
    "__main__": 8,
}
# The parts that stand on the core, and the other parts that each may import.
PARTS = {
    "reasons": set[str](),
    "arena": set[str](),
    "search": set[str](),
    "lab": {"reasons"},
    "web": {"reasons", "arena"},
}


@dataclass(frozen=True)
class Module:
    """The modules of the package that a module imports when it runs, and all that it imports.

    The second also has the imports that only type checkers read.
    """

    imports: frozenset[str]
    knows: frozenset[str]


House: TypeAlias = Mapping[str, Module]


@pytest.fixture(scope="module")
def house() -> House:
    """All modules of the package by their dotted names."""
    paths = {name_module(path): path for path in (ROOT / "kb_score").rglob("*.py")}
    modules = {}
    for name, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = frozenset(list_imports(tree, paths, typed=False)) - {name}
        knows = frozenset(list_imports(tree, paths, typed=True)) - {name}
        modules[name] = Module(imports, knows)
    return modules


def name_module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def list_imports(node: ast.AST, known: Mapping[str, Path], *, typed: bool) -> Iterator[str]:
    """Yield the known modules that are imported, wherever the import stands."""
    for child in ast.iter_child_nodes(node):
        if not typed and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and child.module and child.module in known:
            for alias in child.names:
                inner = f"{child.module}.{alias.name}"
                yield inner if inner in known else child.module
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name in known)
        yield from list_imports(child, known, typed=typed)


def layer_of(name: str) -> str:
    """Return the layer that a module is in, such as ``engine``; ``kb_score.api`` is ``api``."""
    _, _, rest = name.partition(".")
    return rest.split(".")[0] or "kb_score"


def game_of(name: str) -> str:
    """Return the game that a module belongs to; empty if it belongs to none."""
    parts = name.split(".")
    return parts[2] if parts[1:2] == ["games"] and len(parts) > 2 else ""


def list_reached(house: House, name: str) -> set[str]:
    """Return the modules that a module knows, directly or by way of others."""
    reached = set[str]()
    waiting = [name]
    while waiting:
        new = house[waiting.pop()].knows - reached
        reached |= new
        waiting += new
    return reached


@pytest.fixture(scope="module")
def all_games(house: House) -> list[str]:
    """The games with Python, by their folders."""
    return sorted({game_of(name) for name in house if f"{name}.records" in house} - {""})


def test_there_is_a_house_to_look_at(house: House, all_games: list[str]) -> None:
    assert set(all_games) == {"kingdom_builder", "rabbits"}
    assert {layer_of(name) for name in house} == set(RANKS)


def test_imports_point_one_way(house: House) -> None:
    wrong = [
        f"{name} imports {other}"
        for name, module in house.items()
        for other in module.imports
        if layer_of(other) != layer_of(name) and RANKS[layer_of(other)] >= RANKS[layer_of(name)]
    ]

    assert wrong == []


def test_no_module_knows_itself_by_way_of_others(house: House) -> None:
    assert [name for name in house if name in list_reached(house, name)] == []


def test_a_part_imports_the_core_and_few_other_parts(house: House) -> None:
    for name, module in house.items():
        known = {layer_of(other) for other in module.knows} & set(PARTS)
        layer = layer_of(name)
        assert known - {layer} <= PARTS.get(layer, set()), name


def test_no_game_knows_another(house: House, all_games: list[str]) -> None:
    known = [
        f"{name} imports {other}"
        for name, module in house.items()
        if game_of(name) in all_games
        for other in module.imports
        if game_of(other) in all_games and game_of(other) != game_of(name)
    ]

    assert known == []


def test_engine_and_shell_know_no_game_by_name(house: House, all_games: list[str]) -> None:
    paths = {
        name: ROOT / (name.replace(".", "/") + ".py")
        for name in house
        if layer_of(name) in ("engine", "shell")
    }
    names = [name.replace("_", "[-_]") for name in all_games]
    texts = {name: path.read_text() for name, path in paths.items() if path.exists()}

    assert texts
    assert [n for n, t in texts.items() for g in names if re.search(rf"[\"']{g}[\"']", t)] == []


def test_verbs_and_contests_know_no_game(house: House, all_games: list[str]) -> None:
    known = {
        (name, game_of(other))
        for name, module in house.items()
        for other in module.knows
        if name.startswith(("kb_score.games.", "kb_score.arena.contests."))
        if game_of(other) in all_games and game_of(name) not in all_games
    }

    assert known == set()
