"""The shape of the package: which way imports point, and how large things may become."""

from __future__ import annotations

import re

import pytest

from tests.house import (
    ROOT,
    count_imports,
    find_longest_chain,
    game_of,
    layer_of,
    read_house,
)

HOUSE = read_house()
GAMES = sorted({game_of(name) for name in HOUSE if HOUSE.get(f"{name}.records")} - {""})

# A layer may import those before it; those of one rank do not know each other.
RANKS = {
    "kb_score": 0,
    "errors": 0,
    "resources": 0,
    "engine": 1,
    "shell": 1,
    "grammar": 1,
    "games": 2,
    "contests": 3,
    "api": 3,
    "cli": 4,
    "__main__": 5,
}
NAMES = {"records", "check", "commands", "rules"}


def test_there_is_a_house_to_look_at() -> None:
    assert {"kingdom_builder", "rabbits", "search_party", "slime"} <= set(GAMES)
    assert {layer_of(name) for name in HOUSE} == set(RANKS)


@pytest.mark.parametrize("name", HOUSE)
def test_imports_point_one_way(name: str) -> None:
    layer = layer_of(name)
    for other in HOUSE[name].imports:
        assert layer_of(other) == layer or RANKS[layer_of(other)] < RANKS[layer], other


@pytest.mark.parametrize("name", [name for name in HOUSE if game_of(name) in GAMES])
def test_no_game_knows_another(name: str) -> None:
    others = {game_of(other) for other in HOUSE[name].imports} & set(GAMES)

    assert others <= {game_of(name)}


@pytest.mark.parametrize("name", [n for n in HOUSE if layer_of(n) in ("engine", "shell")])
def test_engine_and_shell_know_no_game_by_name(name: str) -> None:
    path = ROOT / (name.replace(".", "/") + ".py")
    text = path.read_text() if path.exists() else ""

    assert not [game for game in GAMES if re.search(rf"[\"']{game}[\"']", text)]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_the_same_modules(game: str) -> None:
    modules = {
        name.split(".")[3] for name in HOUSE if game_of(name) == game and name.count(".") > 2
    }

    assert modules >= NAMES
    assert game == "kingdom_builder" or "play" in modules
    assert len(modules) <= (18 if game == "kingdom_builder" else 13)


@pytest.mark.parametrize("name", HOUSE)
def test_a_module_holds_one_idea(name: str) -> None:
    assert HOUSE[name].lines <= 300
    assert HOUSE[name].longest <= 40


def test_the_house_stays_small() -> None:
    assert sum(module.lines for module in HOUSE.values()) <= 29000
    assert count_imports(HOUSE) <= 990
    assert len(find_longest_chain(HOUSE)) <= 20


def test_no_list_of_predicates_repeats_what_the_rules_show() -> None:
    literal = re.compile(r'\("[a-z_]*", *[0-9]')
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "kb_score").rglob("*.py")
        for line in path.read_text().splitlines()
        if literal.search(line)
    ]

    assert len(found) <= 10, found
