"""The colours and the marks that pictures know, by the names that rules call them."""

from __future__ import annotations

COLOURS = {
    "white": "#ffffff",
    "black": "#000000",
    "grey": "#999999",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "green": "#009e73",
    "yellow": "#f0e442",
    "blue": "#0072b2",
    "vermillion": "#d55e00",
    "purple": "#cc79a7",
    # Land, lighter than what stands on it; the marks tell apart what colours may not.
    "grass": "#b5d77a",
    "canyon": "#c9a27c",
    "desert": "#fbf0b4",
    "flower": "#efc9dc",
    "forest": "#5f9168",
    "brown": "#7a4a1e",
}

# Where the pieces of a pattern lie, all over a place.
_SCATTERED = ((0, 0), (0, -11), (0, 11), (-9, -5), (9, -5), (-9, 5), (9, 5))


def _scatter(piece: str) -> str:
    some = (f'<g transform="translate({x} {y})">{piece}</g>' for x, y in _SCATTERED)
    return f'<g opacity=".35">{"".join(some)}</g>'


# Shapes around the middle of a place, some 18 wide.
MARKS = {
    "none": "",
    "dot": '<circle r="2"/>',
    "circle": '<circle r="8"/>',
    "triangle": '<path d="M0-9 9 7H-9z"/>',
    "square": '<path d="M-7-7H7V7H-7z"/>',
    "diamond": '<path d="M0-10 8 0 0 10-8 0z"/>',
    "cross": '<path d="M-8-5-5-8 0-3 5-8 8-5 3 0 8 5 5 8 0 3-5 8-8 5-3 0z"/>',
    "wave": '<path d="M-9-1q4.500-6 9 0t9 0v4q-4.500 6-9 0t-9 0z"/>',
    "peak": '<path d="M-10 7-3-7 1 0 3-3 10 7z"/>',
    "house": '<path d="M0-9 9-1H6V8H-6V-1H-9z"/>',
    "tower": '<path d="M-8-8h4v3h2v-3h4v3h2v-3h4V8h-16z"/>',
    "tent": '<path d="M0-9 9 8H3L0 1-3 8H-9z"/>',
    "bricks": '<path d="M-8-7H-1V-3H-8zM1-7H8V-3H1zM-8-1H-5V3H-8zM-3-1H3V3H-3zM5-1H8V3H5z'
    'M-8 5H-1V9H-8zM1 5H8V9H1z"/>',
    # Patterns of land: faint, for pieces lie on them.
    "tufts": _scatter('<path d="M-3 2-2-3-1 2zM1 2 2-3 3 2z"/>'),
    "layers": _scatter('<path d="M-5 0 0-2 5 0V1.500L0-.5-5 1.500z"/>'),
    "dunes": _scatter('<circle r="1.200"/>'),
    "petals": _scatter(
        '<circle cx="-1.500" r="1.500"/><circle cx="1.500" r="1.500"/>'
        '<circle cy="-1.500" r="1.500"/><circle cy="1.500" r="1.500"/>'
    ),
    "trees": _scatter('<path d="M0-4 3 3H-3z"/>'),
}
