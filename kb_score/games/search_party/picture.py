"""Pictures of a game: what a message shows of the map."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from kb_score.games.search_party.maps import Map

# So much of the map is shown to either side of what a picture is about.
_ACROSS, _DOWN = 14, 5

Place = tuple[int, int]


def draw_board(map_: Map, searched: Collection[Place]) -> list[str]:
    """Draw the rows of the map with ``o`` for what is searched."""
    return [
        "".join(
            "#" if cell == "#" else "o" if (x, y) in searched else "." for x, cell in enumerate(row)
        )
        for y, row in enumerate(map_.rows)
    ]


def draw_cutout(
    map_: Map,
    turn: int,
    searched: Collection[Place],
    standing: Mapping[str, Place],
    spots: Sequence[Place],
) -> str:
    """Draw the surroundings of what is wrong in a record.

    Args:
        map_: The map.
        turn: The turn before which the picture is taken.
        searched: The cells that are searched.
        standing: Where everybody alive stands.
        spots: The cells in question, the one in the middle of the picture first.

    Returns:
        Lines of text: what is shown, the columns' numbers, the rows, and who stands where.
    """
    middle_x, middle_y = spots[0]
    left, top = max(0, middle_x - _ACROSS), max(0, middle_y - _DOWN)
    right, bottom = min(map_.width, middle_x + _ACROSS + 1), min(map_.height, middle_y + _DOWN + 1)
    rows = [list(row) for row in draw_board(map_, searched)]
    # The star is drawn over the others; who stands where is listed below.
    for who, (x, y) in sorted(standing.items(), key=lambda item: item[0] == "@"):
        rows[y][x] = who
    for x, y in spots:
        if (x, y) not in standing.values():
            rows[y][x] = "?"
    margin = len(str(bottom - 1))
    lines = [
        f"before turn {turn}, columns {left} to {right - 1}:",
        "",
        *(f"{y:>{margin}} {''.join(rows[y][left:right])}" for y in range(top, bottom)),
    ]
    shown = [
        (place, who)
        for who, place in standing.items()
        if left <= place[0] < right and top <= place[1] < bottom
    ]
    lines += ["", *_list_people(shown)] if shown else []
    return "".join(f"{line}\n" for line in lines)


def _list_people(shown: list[tuple[Place, str]]) -> list[str]:
    shown.sort()
    return [
        f"{x},{y}: {' '.join(who for _, who in group)}"
        for (x, y), group in groupby(shown, key=lambda item: item[0])
    ]
