"""Random games for the sheet, and what the sheet and the command say of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import find_quadrants, join_quadrants
from kb_score.games.kingdom_builder.records import load_names
from tests.browser.pages import follow, pack
from tests.helpers import CARDS, run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

PHONE = (390, 844)
_NAMES = load_names(GameRules("kingdom_builder"))
NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva")
_READ = """() => Object.fromEntries(
  [...document.querySelectorAll("#gold tbody tr, #gold tfoot tr")].map((line) => [
    line.querySelector("td button").dataset.key.replace(/ \\d+$/, ""),
    [...line.querySelectorAll("td button")].map((button) => Number(button.textContent)),
  ])
)"""


def read_grounds(quadrants: Sequence[str]) -> list[str]:
    """Return the ground of each hex of a board of four quadrants, such as ``farm/180``."""
    return [ground for row in join_quadrants(*find_quadrants(quadrants)) for ground in row]


def can_stand(ground: str) -> bool:
    """Tell whether the rules let a settlement stand on a ground."""
    return f"{ground}1" in _NAMES.notation.pairs


def begin_game(**changes: object) -> dict[str, Any]:
    """Return a game as the sheet keeps it: a new one, but for some changes."""
    state = {
        "step": "setup",
        "names": ["", ""],
        "title": "",
        "date": "",
        "quadrants": [quadrant.name for quadrant in _NAMES.quadrants[:4]],
        "cards": [],
        "houses": "." * 400,
    }
    return {**state, **changes}


def draw_game(random: Random) -> dict[str, Any]:
    """Draw a finished game, or one that is not: players, quadrants, cards and settlements.

    The settlements of a player lie in a few clusters, as they do in games.
    """
    names = list(NAMES[: random.randint(2, 5)])
    known = [quadrant.name for quadrant in _NAMES.quadrants]
    quadrants = [name + "/180" * random.randint(0, 1) for name in random.sample(known, 4)]
    cards = random.sample(list(CARDS), 3)
    free = list(map(can_stand, read_grounds(quadrants)))
    houses = ["."] * 400
    for player in range(1, len(names) + 1):
        at = random.randrange(400)
        for _ in range(random.choice((40, 40, 37, 12))):
            if random.random() < 0.15:
                at = random.randrange(400)
            near = [at + step for step in (-21, -20, -19, -1, 1, 19, 20, 21)]
            open_ = [p for p in near if 0 <= p < 400 and free[p] and houses[p] == "."]
            open_ = open_ or [p for p in range(400) if free[p] and houses[p] == "."]
            at = random.choice(open_)
            houses[at] = str(player)
    return begin_game(names=names, quadrants=quadrants, cards=cards, houses="".join(houses))


def open_game(page: Page, state: dict[str, Any]) -> None:
    """Open a game on the sheet, by a link."""
    follow(page, f"#sheet={pack(state)}")


def show_result(page: Page, state: dict[str, Any]) -> None:
    """Show the result of a game on the sheet."""
    open_game(page, {**state, "step": "result"})


def read_gold(page: Page) -> dict[str, list[int]]:
    """Read the table of the result: gold by card and player, and the totals."""
    found: dict[str, list[int]] = page.evaluate(_READ)
    return found


def ask_command(board: Path, options: list[str]) -> dict[str, Any]:
    """Score a board as the command does, with the gold of the cards of the game alone."""
    ran = run("score", board, *options, "--format", "json")
    assert ran.status == 0, ran.err
    found: dict[str, Any] = ran.json[0] if isinstance(ran.json, list) else ran.json
    return found
