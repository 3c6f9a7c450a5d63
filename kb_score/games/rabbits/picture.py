"""A station and who is where, drawn as the challenge's run log draws it."""

from __future__ import annotations

from collections.abc import Iterable

from kb_score.games.rabbits.station import Station

RABBIT, CRUSHER, MARK = "oX!"


def draw(
    station: Station,
    rabbits: Iterable[int],
    crushers: Iterable[int],
    marked: Iterable[int] = (),
) -> str:
    """Draw a station.

    Args:
        station: The map.
        rabbits: The cells of the rabbits.
        crushers: The cells of the crushers.
        marked: Cells to draw as ``!`` whoever is there.

    Returns:
        The rows, each with a line end.
    """
    canvas = list("".join(station.rows))
    for cells, symbol in ((rabbits, RABBIT), (crushers, CRUSHER), (marked, MARK)):
        for cell in cells:
            if 0 <= cell < len(canvas):
                canvas[cell] = symbol
    width = station.width
    return "".join("".join(canvas[at : at + width]) + "\n" for at in range(0, len(canvas), width))
