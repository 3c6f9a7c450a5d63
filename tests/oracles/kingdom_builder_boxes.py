"""Random boards of the published game: four quadrants, settlements and stone walls."""

from __future__ import annotations

import random

from kb_score import Board
from kb_score.games.kingdom_builder.board import find_quadrants, join_quadrants, read_quadrants


def draw_box(rng: random.Random) -> tuple[str, ...]:
    """Draw four different quadrants, each perhaps turned, and join them."""
    names = rng.sample([quadrant.name for quadrant in read_quadrants()], 4)
    words = [name + rng.choice(("", "/180")) for name in names]
    return join_quadrants(*find_quadrants(words))


def settle_box(seed: int) -> Board:
    """Settle a random board in random groups, also on water and mountains."""
    rng = random.Random(seed)
    hexes = [list(row) for row in draw_box(rng)]
    players = rng.randint(2, 5)
    for player in "12345"[:players]:
        row, column = rng.randrange(20), rng.randrange(20)
        for _ in range(rng.choice((5, 40, 120))):
            if rng.random() < 0.1:
                row, column = rng.randrange(20), rng.randrange(20)
            row = max(0, min(19, row + rng.randint(-1, 1)))
            column = max(0, min(19, column + rng.randint(-1, 1)))
            is_wet = hexes[row][column] in ("W", "M") and rng.random() < 0.5
            if hexes[row][column] in tuple("GNDLF") or is_wet:
                hexes[row][column] += player
    for _ in range(rng.choice((0, 0, 25))):
        row, column = rng.randrange(20), rng.randrange(20)
        if hexes[row][column] in tuple("GNDLF"):
            hexes[row][column] += "#"
    return Board(f"box {seed}", tuple(map(tuple, hexes)))
