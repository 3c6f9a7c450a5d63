"""What the tests of the plain rabbits share: runs drawn by hand."""

from random import Random

from tests.oracles.rabbits import NORTH, Run, parse_map

SEEDS = range(40)  # enough for each of three choices to turn up


def situation(
    drawing: str, *, heading: int = NORTH, seed: int = 0, collide_in_pairs: bool = True
) -> Run:
    """Set up a run from a frame, in which corridor is below each ``X`` and ``o``."""
    run = Run(
        parse_map(drawing.replace("X", " ").replace("o", " ")), Random(seed), collide_in_pairs
    )
    rows = [line.strip() for line in drawing.split("\n") if line.strip()]
    marks = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    run.rabbits = {cell for cell, mark in marks.items() if mark == "o"}
    run.crushers = {cell: heading for cell, mark in marks.items() if mark == "X"}
    return run


def corridor(row: str) -> str:
    """Put walls above and below one row."""
    return "\n".join(["#" * len(row), row, "#" * len(row)])


def choices(drawing: str, cell: tuple[int, int], *, heading: int) -> set[int]:
    """Collect what a crusher chooses, over many seeds."""
    chosen = set()
    for seed in SEEDS:
        run = situation(drawing, heading=heading, seed=seed)
        run.turn_crushers()
        chosen.add(run.crushers[cell])
    return chosen
