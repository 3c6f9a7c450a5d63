"""The shape of the package: which way imports point."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tools.house import ROOT, Module, count_rules, find_circles, game_of, layer_of, read_house

House: TypeAlias = Mapping[str, Module]

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
# A row is named after its predicate, and what is wrong with a board has no turn.
TWO_MEANINGS = {"ViolationRow"}
# The library has names of its own for what it wraps.
WRAPPED = {"Game", "Match", "Position", "Replay"}
# What of a game's folder is the same in every game.
NAMES = {"game", "records", "check", "rules"}


@pytest.fixture(scope="module")
def house() -> House:
    return read_house()


@pytest.fixture(scope="module")
def all_games(house: House) -> list[str]:
    return sorted({game_of(name) for name in house if f"{name}.records" in house} - {""})


def test_there_is_a_house_to_look_at(house: House, all_games: list[str]) -> None:
    assert {"kingdom_builder", "rabbits"} <= set(all_games)
    assert {layer_of(name) for name in house} == set(RANKS)


def test_imports_point_one_way(house: House) -> None:
    wrong = [
        f"{name} imports {other}"
        for name, module in house.items()
        for other in module.imports
        if layer_of(other) != layer_of(name) and RANKS[layer_of(other)] >= RANKS[layer_of(name)]
    ]

    assert wrong == []
    assert find_circles(house) == []


def test_a_part_imports_the_core_and_few_other_parts(house: House) -> None:
    for name, module in house.items():
        known = {layer_of(other) for other in module.knows} & set(PARTS)
        layer = layer_of(name)
        assert known - {layer} <= PARTS.get(layer, set()), name


def test_no_game_knows_another_and_all_have_the_same_modules(
    house: House, all_games: list[str]
) -> None:
    games = [name for name in house if game_of(name) in all_games]
    modules = defaultdict[str, set[str]](set)
    for name in games:
        modules[game_of(name)].add(name.split(".")[3] if name.count(".") > 2 else "")
    known = [
        f"{name} imports {other}"
        for name in games
        for other in house[name].imports
        if game_of(other) in all_games and game_of(other) != game_of(name)
    ]

    assert known == []
    # A small game has all in two modules.
    assert {game for game, names in modules.items() if not names >= NAMES} <= {"lights"}


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


def test_no_class_name_has_two_meanings(house: House) -> None:
    places = defaultdict[str, list[str]](list)
    for name, module in house.items():
        for class_ in module.classes:
            places[class_].append(name)

    assert {name for name, where in places.items() if len(where) > 1} == TWO_MEANINGS | WRAPPED


def test_no_function_is_called_command() -> None:
    texts = {path: path.read_text() for path in (ROOT / "kb_score").rglob("*.py")}

    assert texts
    assert [path for path, text in texts.items() if "def command(" in text] == []


def test_no_list_of_predicates_repeats_what_the_rules_show() -> None:
    literal = re.compile(r'\("[a-z_]+", *[0-9]+\)')
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "kb_score").rglob("*.py")
        for line in path.read_text().splitlines()
        if literal.search(line)
    ]

    assert len(found) == 1, found


def test_lines_of_rules_are_counted_by_folder_and_kind(tmp_path: Path) -> None:
    rules = tmp_path / "asp" / "ludo" / "rules"
    rules.mkdir(parents=True)
    (rules / "turn.lp").write_text(
        "%*! One.\n\nTwo. *%\n#defined a/1.\n\n% Why.\nb :-\n    a(1).\n"
    )
    (rules.parent / "board.lp").write_text("c.\n#show c/0.\n\n%*! Example: d\nM 1\n\ne: 1 *%\n")

    kinds = {"code": 3, "comment": 3, "blank": 2, "#": 2, "example": 5}
    assert count_rules(tmp_path) == {"rules": kinds}
