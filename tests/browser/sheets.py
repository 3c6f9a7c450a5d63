"""Random games for the sheet, and what the sheet and the command say of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from tests.helpers import run

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

PHONE = (390, 844)
NAMES = ("Anna", "Ben", "Cleo", "Dan", "Eva")
_READ = """() => Object.fromEntries(
  [...document.querySelectorAll("#gold tbody tr, #gold tfoot tr")].map((line) => [
    line.querySelector("td button").dataset.key.replace(/ \\d+$/, ""),
    [...line.querySelectorAll("td button")].map((button) => Number(button.textContent)),
  ])
)"""


def draw_game(random: Random, page: Page) -> dict[str, Any]:
    """Draw a finished game, or one that is not: players, quadrants, cards and settlements.

    The settlements of a player lie in a few clusters, as they do in games.
    """
    data = page.evaluate(
        "({ quadrants: sheet.game.data.quadrants.map((one) => one.name),"
        " cards: sheet.game.data.cards.filter((one) => one.number).map((one) => one.name) })"
    )
    names = list(NAMES[: random.randint(2, 5)])
    quadrants = [
        name + "/180" * random.randint(0, 1) for name in random.sample(data["quadrants"], 4)
    ]
    state = {
        "step": "setup",
        "names": names,
        "title": "",
        "date": "",
        "quadrants": quadrants,
        "cards": random.sample(data["cards"], 3),
        "houses": "." * 400,
    }
    free = page.evaluate(
        """(state) => {
          const before = sheet.game.state;
          sheet.game.take(state);
          const free = sheet.game.grounds.map((on) => sheet.game.canStand(on));
          sheet.game.state = before;
          return free;
        }""",
        state,
    )
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
    return {**state, "houses": "".join(houses)}


def show_result(page: Page, state: dict[str, Any]) -> None:
    """Show the result of a game on the sheet."""
    page.evaluate(
        """async (state) => {
          sheet.game.take(state);
          await sheet.go("result");
          await sheet.settled();
        }""",
        state,
    )


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
