"""Short commands that have figures, as JSON: what a user's rules must not change silently."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tools.campaign import seeds

_GAME = (
    b"board oracle farm tavern paddock\nplayers 2\ncards miners lords\n1 grass: 4,11 4,12 5,11\n"
)


@dataclass(slots=True)
class Question:
    """A command with its files.

    Attributes:
        game: The game's folder in ``asp/``.
        words: The words after ``kb-score``.
        files: The files that it is about, by name.
    """

    game: str
    words: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)


def _ask_about_board() -> Question:
    files = {"board.txt": seeds.read("kingdom_builder/example.txt")}
    return Question("kingdom_builder", ("score", "board.txt"), files)


def _ask_about_game() -> Question:
    words = ("check", "kingdom-builder", "game.txt")
    return Question("kingdom_builder", words, {"game.txt": _GAME})


def _ask_what_is_legal() -> Question:
    words = ("legal", "kingdom-builder", "game.txt", "--card", "canyon")
    return Question("kingdom_builder", words, {"game.txt": _GAME})


def _ask_about_search() -> Question:
    folder = "search_party/why"
    files = {
        "map.txt": seeds.read(f"{folder}/lane.txt"),
        "record.txt": seeds.read(f"{folder}/wrong-result.txt"),
    }
    return Question("search_party", ("check", "search-party", "map.txt", "record.txt"), files)


def _ask_about_slime() -> Question:
    files = {"record.txt": seeds.read("slime/why/session.txt")}
    return Question("slime", ("check", "slime", "record.txt"), files)


def _ask_about_rabbits() -> Question:
    folder = "rabbits/why"
    files = {
        "map.txt": seeds.read(f"{folder}/corridor.map"),
        "record.txt": seeds.read(f"{folder}/false-crush.session"),
    }
    return Question("rabbits", ("check", "rabbits", "map.txt", "record.txt"), files)


_OF_KINGDOM_BUILDER = (_ask_about_board, _ask_about_game, _ask_what_is_legal)
_OF_OTHERS = (_ask_about_search, _ask_about_slime, _ask_about_rabbits)


def draw_question(rng: random.Random) -> Question:
    """Draw a command of any game; half of them are about Kingdom Builder."""
    return rng.choice(_OF_KINGDOM_BUILDER if rng.random() < 0.5 else _OF_OTHERS)()
