"""Records of the published Kingdom Builder that a ruling tells apart from its default.

Each is the beginning of a random game, cut off behind the first turn where it matters.
"""

from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

from tests.oracles.kingdom_builder_game import Rulings, check_game
from tests.oracles.kingdom_builder_game_random import Habits, random_game


@dataclass(frozen=True, slots=True)
class Recipe:
    """How games are made in which a ruling is likely to matter."""

    ruling: str
    value: str | int
    nomads: bool = True
    cards: tuple[str, ...] = ()
    habits: Habits = field(default_factory=lambda: Habits(extra=0.8, greed=0.6))
    seed: int = 0  # where the search begins, to find the same game sooner


RECIPES = (
    Recipe("no_hex", "stop", nomads=False, habits=Habits(terrains="G")),
    Recipe("mandatory_settlements", 4, nomads=False),
    Recipe("tiles_between", 1),
    Recipe("buildable_nomad", 1, seed=3),
    Recipe("tile_again", 1),
    Recipe("tile_loss", "end_of_turn"),
    Recipe("twin_tile", "exact", seed=1),
    Recipe("move_lift", 0, seed=6),
    Recipe("vacated", 0, seed=6),
    Recipe("families_contiguous", 0, cards=("families",), seed=2),
    Recipe("families_source", "any", cards=("families",)),
    Recipe("move_counts_as_build", 1, cards=("shepherds",), seed=1),
    Recipe("sword", "each", seed=5),
    Recipe("treasure_gold", 5),
    Recipe("nomads_are_locations", 0, cards=("workers",)),
    Recipe("fishermen_on_water", 1, cards=("fishermen",), seed=3),
    Recipe("miners_on_mountain", 1, cards=("miners",), seed=4),
    Recipe("lords_need_settlement", 1, cards=("lords",), seed=1),
    Recipe("lords_need_settlement", 3, cards=("lords",), seed=2),
    Recipe("lords_need_settlement", 40, cards=("lords",), seed=3),
)


def ruled_by(recipe: Recipe) -> Rulings:
    """Give the defaults but for the ruling of a recipe."""
    # The name is not known to the type checker.
    chosen: dict[str, Any] = {recipe.ruling: recipe.value}
    return Rulings(**chosen)


def find_record(recipe: Recipe) -> str:
    """Find the beginning of a game that the ruling and its default judge differently."""
    rulings = ruled_by(recipe)
    for seed in count(recipe.seed):
        for played in (None, rulings):
            rng = Random(seed)
            text = random_game(
                rng,
                rng.randint(2, 3),
                nomads=recipe.nomads,
                cards=recipe.cards,
                rulings=played,
                habits=recipe.habits,
                claim=False,
            )
            if _differ(text, rulings):
                return _cut(text, rulings)
    raise AssertionError(recipe.ruling)


def _cut(text: str, rulings: Rulings) -> str:
    kept = ""
    for line in text.splitlines(keepends=True):
        kept += line
        if line[0].isdigit() and _differ(kept, rulings):
            break
    return kept


def _differ(text: str, rulings: Rulings) -> bool:
    one, other = (check_game(text, by) for by in (None, rulings))
    return replace(one, position=other.position) != other
