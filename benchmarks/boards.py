"""Random Kingdom Builder boards, the same for a seed, for benchmarks and tests."""

from random import Random

_TERRAIN = "W" * 12 + "M" * 8 + "." * 80


def random_board(seed: int, height: int = 20, width: int = 20, settlements: int = 30) -> list[str]:
    """Draw a board as it may be at the end of a game.

    Args:
        seed: Boards of one seed and size are the same.
        height: The number of rows, even.
        width: The number of columns, even.
        settlements: How many settlements each of the four players builds, in a few clusters; the
            board must have room for them.

    Returns:
        The rows from north to south, a string of hex symbols without blanks for each.
    """
    random = Random(seed)
    cells = [[random.choice(_TERRAIN) for _ in range(width)] for _ in range(height)]
    for south in (0, 1):
        for east in (0, 1):
            for symbol in random.choice(("TCC", "TTC")):
                row = south * (height // 2) + random.randrange(height // 2)
                cells[row][east * (width // 2) + random.randrange(width // 2)] = symbol
    for player in "1234":
        _settle(random, cells, player, settlements)
    return ["".join(row) for row in cells]


def write_board(rows: list[str]) -> str:
    """Write a board as a file shows it."""
    return "".join(" " * (r % 2) + " ".join(row) + "\n" for r, row in enumerate(rows))


def _settle(random: Random, cells: list[list[str]], player: str, settlements: int) -> None:
    height, width = len(cells), len(cells[0])
    row, column = random.randrange(height), random.randrange(width)
    left = settlements
    while left:
        row = min(max(row + random.choice((-1, 0, 1)), 0), height - 1)
        column = min(max(column + random.choice((-1, 0, 1)), 0), width - 1)
        if cells[row][column] == ".":
            cells[row][column] = player
            left -= 1
        elif random.random() < 0.1:
            row, column = random.randrange(height), random.randrange(width)
