"""Pictures as SVG: pure functions from a drawing to text, for a page, a file or a test.

Every place is a group with its row, its column and its symbol as ``data-`` attributes, for styles
and scripts of one's own. Colours are those of Okabe and Ito, which colour-blind people can tell
apart, and no meaning has a colour alone: each look has a mark too.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from itertools import cycle, pairwise, product
from operator import itemgetter
from textwrap import wrap

from kb_score.errors import RuleError, visible
from kb_score.shell.picture import PLAIN, Drawing, Evidence, Look, Piece, Place

_DRAWN: dict[str, dict[str, str]] = tomllib.loads(
    (files("kb_score") / "shell" / "marks.toml").read_text(encoding="utf-8")
)
COLOURS = _DRAWN["colours"]

# Where the pieces of a pattern lie, all over a place.
_SCATTERED = ((0, 0), (0, -11), (0, 11), (-9, -5), (9, -5), (-9, 5), (9, 5))
_FEW = ((-3, -7), (5, 1), (-4, 8))


def _scatter(piece: str, places: Sequence[Place] = _SCATTERED) -> str:
    some = (f'<g transform="translate({x} {y})">{piece}</g>' for x, y in places)
    return f'<g opacity=".35">{"".join(some)}</g>'


MARKS = {
    **_DRAWN["shapes"],
    **{name: _scatter(piece, _FEW) for name, piece in _DRAWN["sparse"].items()},
    **{name: _scatter(piece) for name, piece in _DRAWN["patterns"].items()},
    **{name: f'<path fill-rule="evenodd" d="{path}"/>' for name, path in _DRAWN["tiles"].items()},
}
# What belongs to a player, in its colour and with its shape.
_HOUSE = '<path d="M0-12 11-3H9V10H-9V-3H-11z"/>'
_SLIME = '<path d="M-11 9Q-10-9 0-9T11 9Q8 11 5 9.500T-1 10-6 9.500-11 9z"/>'
for _shape in ("circle", "triangle", "square", "diamond", "cross"):
    _inner = f'scale(.6)" fill="#000000" stroke="none">{MARKS[_shape]}</g>'
    MARKS[f"{_shape}_house"] = f'{_HOUSE}<g transform="translate(0,3.500) {_inner}'
    MARKS[f"{_shape}_slime"] = f'{_SLIME}<g transform="translate(0,1.500) {_inner}'

_MARGIN, _LINE, _ENTRY = 30, 22, 150
_HEAD = 18  # from a line of the title to the next
_LONG = 18  # characters of a legend that fit in
BORDER = 'fill="none" stroke="#1a1a1a" stroke-width="1.800" stroke-linecap="round"'
# The inner colours of rings: the first, and one after the other for groups of places.
RINGS = ("#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73")
_FONT = "Roboto,'DejaVu Sans',Arial,sans-serif"


@dataclass(frozen=True, slots=True)
class TileShape:
    """The places of a board: how they lie, in units of the picture."""

    hexes: bool  # whether they are hexes, of which every second row lies half a hex to the right
    width: int  # from a place to the next in its row
    height: int  # from a row to the next
    tall: int  # from the top of a place to its bottom
    outline: str  # the edge of a place around its middle, as an SVG path
    corners: tuple[Place, ...]  # those of the edge, x and y

    def middle(self, place: Place) -> tuple[int, int]:
        """Find the middle of a place, x and y, where that of the first lies at 0,0."""
        row, column = place
        return column * self.width + (self.hexes and row % 2) * self.width // 2, row * self.height


_HEX = ((0, -16), (14, -8), (14, 8), (0, 16), (-14, 8), (-14, -8))
HEXES = TileShape(True, 28, 24, 32, "M0-16 14-8V8L0 16-14 8V-8z", _HEX)
_SQUARE = ((-12, -12), (12, -12), (12, 12), (-12, 12))
SQUARES = TileShape(False, 24, 24, 24, "M-12-12H12V12H-12z", _SQUARE)
SHAPES = {True: HEXES, False: SQUARES}  # by whether places are hexes


def check_looks(looks: Mapping[str, Look]) -> None:
    """Check that all colours and marks are known."""
    for symbol, look in looks.items():
        _check_drawn(f"look of {symbol!r}", look, [*MARKS, "text"])
        if look.piece:
            _check_drawn(f"piece of {symbol!r}", look.piece, [*MARKS])


def _check_drawn(whose: str, drawn: Look | Piece, marks: Sequence[str]) -> None:
    for what, name, known in (("colour", drawn.colour, [*COLOURS]), ("mark", drawn.mark, marks)):
        if name not in known:
            raise RuleError(f"{whose}: no {what} is called {name!r}, but {', '.join(known)}")


def draw_tile(symbol: str, look: Look, shape: TileShape) -> str:
    """Draw one place around 0,0 as a piece of SVG."""
    fill, ink = COLOURS[look.colour], find_ink(look.colour)
    edge = f'<path d="{shape.outline}" fill="{fill}" stroke="#595959" stroke-opacity=".35"/>'
    if look.piece:
        edge, mark = draw_tile(symbol, replace(look, piece=None), shape), MARKS[look.piece.mark]
        halo = f'<g stroke="#ffffff" stroke-width="5" stroke-linejoin="round">{mark}</g>'
        paint = f'fill="{COLOURS[look.piece.colour]}" stroke="#000000" stroke-width="1.500"'
        name = _write(symbol, 12, 8, find_ink(look.piece.colour))
        return f"{edge}{halo}<g {paint}>{mark}</g>{name if look.piece.mark == 'person' else ''}"
    if look.mark != "text":
        mark = MARKS[look.mark]
        return f'{edge}<g fill="{ink}">{mark}</g>' if mark else edge
    # A long symbol is squeezed into its place.
    size = 15 if len(symbol) <= 1 else max(5, 24 // len(symbol))
    return edge + _write(symbol, size, size * 0.36, ink)


def _write(symbol: str, size: int, y: float, ink: str) -> str:
    return f'<text y="{y:.1f}" font-size="{size}" fill="{ink}">{_text(symbol)}</text>'


def frame_tile(tile: str, shape: TileShape) -> str:
    """Make a picture of a single place."""
    x, y = shape.width // 2, shape.tall // 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{shape.width}" height="{shape.tall}" '
        f'viewBox="{-x} {-y} {shape.width} {shape.tall}" font-family="{_FONT}" '
        f'text-anchor="middle">{tile}</svg>'
    )


def draw_ring(shape: TileShape, place: Place = (0, 0), colour: str = RINGS[0]) -> str:
    """Draw a ring around a place, as a piece of SVG."""
    x, y = shape.middle(place)
    return _draw_twice(shape.outline, colour, f'transform="translate({x},{y}) scale(.86)"')


def _draw_twice(path: str, colour: str, more: str) -> str:
    """Draw a line of two colours, which stands out on any look."""
    at = f'<path d="{path}" fill="none" {more}'
    return f'{at} stroke="#000000" stroke-width="6"/>{at} stroke="{colour}" stroke-width="2.500"/>'


def find_ink(colour: str) -> str:
    """Find black or white, whichever can be read better on a colour."""
    red, green, blue = (int(COLOURS[colour][i : i + 2], 16) / 255 for i in (1, 3, 5))
    # Relative luminance as WCAG 2 defines it, with a plain power for the curve of sRGB.
    light = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return "#000000" if light > 0.18 else "#ffffff"


def draw_svg(
    drawing: Drawing, *, title: str, description: str = "", hexes: bool = False, name: str = "p"
) -> str:
    """Draw a board as SVG; the description stands below the title."""
    check_looks(drawing.looks)
    shape, (rows, columns) = SHAPES[hexes], drawing.size
    looks = {s: drawing.looks.get(s, PLAIN) for s in sorted(set(drawing.cells.values()))}
    owns = list_own(drawing, looks)
    hidden = {*looks} - {s for at, s in drawing.cells.items() if drawing.titles.get(at) not in owns}
    looks |= {f"legend: {name}": look for name, look in owns.items()} | take_apart(looks)
    listed = list_legend({s: look for s, look in looks.items() if s not in hidden})
    across = columns * shape.width + hexes * shape.width // 2
    width = max(across, 2 * _ENTRY) + 2 * _MARGIN
    heads = wrap(visible(title), (width - 2 * _MARGIN) // 8) or [""]
    lines = wrap(visible(description), (width - 2 * _MARGIN) // 7)
    first = _LINE + _HEAD * (len(heads) - 1)  # where the last line of the title stands
    top = first + _MARGIN + 16 * len(lines)
    below = top + rows * shape.height + _MARGIN // 2
    left, high = (_ENTRY, top) if across <= _ENTRY else (0, below)  # beside a small board
    tiles = {symbol: f"{name}{i}" for i, symbol in enumerate(looks)}
    legend, height = _draw_legend(listed, tiles, shape, (left, high), width)
    middle = f"{_MARGIN + shape.width // 2},{top + shape.height // 2}"
    pieces = [
        _begin(width, max(below, height), title, description or title, name),
        "<defs>\n",
        *(f'<g id="{t}">{draw_tile(s, looks[s], shape)}</g>\n' for s, t in tiles.items()),
        "</defs>\n",
        *(_write_line(_LINE + _HEAD * n, 14, line) for n, line in enumerate(heads)),
        *(_write_line(first + 16 * n, 13, line) for n, line in enumerate(lines, 1)),
        f'<g transform="translate({middle})">\n',
        *_number_edges(rows, columns, shape),
        *_draw_places(drawing, tiles, looks, shape),
        draw_borders({place: looks[s].colour for place, s in drawing.cells.items()}, shape),
        *_draw_highlights(drawing, shape),
        "</g>\n",
        *legend,
        "</svg>\n",
    ]
    return "".join(pieces)


def draw_patterns(drawing: Drawing, tiles: Mapping[str, str], shape: TileShape = HEXES) -> str:
    """Draw the places of a board in few elements: for each symbol a path, filled with its tile."""
    (rows, columns), paths = drawing.size, defaultdict[str, str](str)
    (x0, y0), *others = shape.corners
    steps = " ".join(f"{x - a} {y - b}" for (a, b), (x, y) in pairwise([(x0, y0), *others]))
    for place, symbol in sorted(drawing.cells.items()):
        x, y = shape.middle(place)
        paths[symbol] += f"M{x + x0} {y + y0}l{steps}z"
    wide = shape.width * columns + shape.hexes * shape.width // 2
    high = shape.height * (rows - 1) + shape.tall
    corner = f"{-shape.width // 2} {-shape.tall // 2}"
    pieces = [
        f'<svg viewBox="{corner} {wide} {high}" style="--wide:{wide / shape.width}px" '
        'preserveAspectRatio="xMinYMin" text-anchor="middle">'
    ]
    # A pattern repeats where the rows do: every row of squares, and every second one of hexes.
    tall = shape.height * (1 + shape.hexes)
    repeated = [*product((0, shape.width), (0, tall))]
    repeated += [(shape.width // 2, shape.height)] * shape.hexes
    for symbol, path in paths.items():
        tile, name = draw_tile(symbol, drawing.looks.get(symbol, PLAIN), shape), tiles[symbol]
        pieces += (
            f'<pattern id="{name}s" width="{shape.width}" height="{tall}" '
            'patternUnits="userSpaceOnUse">',
            f'<g id="{name}">{tile}</g>',
            *(f'<use href="#{name}" x="{x}" y="{y}"/>' for x, y in repeated),
            f'</pattern><path d="{path}" fill="url(#{name}s)"/>',
        )
    grounds = {place: drawing.looks.get(s, PLAIN).colour for place, s in drawing.cells.items()}
    return "".join((*pieces, draw_borders(grounds, shape), "</svg>"))


def list_legend(looks: Mapping[str, Look]) -> list[tuple[str, Sequence[str]]]:
    """List the names of looks, each with the symbols that share it, in the order of the symbols.

    Numbers, which are players, come last. Places with pieces on them are left out.
    """
    entries = dict[str, list[str]]()
    for symbol, look in looks.items():
        if not (look.name and look.piece):
            entries.setdefault(look.say(symbol), []).append(symbol)
    return sorted(entries.items(), key=lambda entry: entry[1][0].isdigit())


def take_apart(looks: Mapping[str, Look]) -> dict[str, Look]:
    """Find the places and the pieces of looks that have both, without those in other looks."""
    parts = dict[str, Look]()
    known = {look.say(s) for s, look in looks.items() if not (look.name and look.piece)}
    for look in looks.values():
        if look.name and look.piece:
            parts.setdefault(look.name, replace(look, piece=None))
            parts.setdefault(look.piece.name, Look("white", "none", "", look.piece))
    # Places come before pieces, and pieces in order of their names.
    order = sorted(parts.items(), key=lambda part: (part[1].piece is not None, part[0]))
    return {f"legend: {name}": look for name, look in order if name not in known}


def list_own(drawing: Drawing, looks: Mapping[str, Look]) -> dict[str, Look]:
    """List the looks of places whose own name is a mark, by name: it stands for their symbol's."""
    titles = sorted(drawing.titles.items(), key=itemgetter(1))
    named = [(name, looks[drawing.cells[at]]) for at, name in titles if at in drawing.cells]
    return {n: replace(look, mark=n, name=n) for n, look in named if n in MARKS and not look.piece}


def _text(text: str) -> str:
    return escape(visible(text))


def _write_line(y: int, size: int, text: str) -> str:
    at = f'x="{_MARGIN}" y="{y}" font-size="{size}" text-anchor="start"'
    return f"<text {at}>{_text(text)}</text>\n"


def _begin(width: int, height: int, title: str, description: str, name: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{name}-t {name}-d" '
        f'font-family="{_FONT}" text-anchor="middle">\n'
        f'<title id="{name}-t">{_text(title)}</title>\n'
        f'<desc id="{name}-d">{_text(description)}</desc>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
    )


def _number_edges(rows: int, columns: int, shape: TileShape) -> Iterable[str]:
    """Number rows and columns, every fifth of them where they are many."""
    yield '<g font-size="10" fill="#595959">\n'
    for column in range(0, columns, 1 if columns <= 30 else 5):
        x, _ = shape.middle((0, column))
        yield f'<text x="{x + shape.hexes * shape.width // 4}" y="-20">{column}</text>\n'
    for row in range(0, rows, 1 if rows <= 30 else 5):
        yield f'<text x="-{shape.width // 2 + 10}" y="{row * shape.height + 4}">{row}</text>\n'
    yield "</g>\n"


def _draw_places(
    drawing: Drawing, tiles: Mapping[str, str], looks: Mapping[str, Look], shape: TileShape
) -> Iterable[str]:
    for place, symbol in sorted(drawing.cells.items()):
        (row, column), (x, y) = place, shape.middle(place)
        more = (drawing.titles.get(place), drawing.labels.get(place))
        own = "" if looks[symbol].piece else f"legend: {more[0]}"
        says = f"{row},{column}: {', '.join(filter(None, [looks[symbol].say(symbol), *more]))}"
        yield (
            f'<g data-row="{row}" data-column="{column}" data-symbol="{_text(symbol)}" '
            f'transform="translate({x},{y})"><title>{_text(says)}</title>'
            f'<use href="#{tiles.get(own, tiles[symbol])}"/></g>\n'
        )


def _list_edges(place: Place, shape: TileShape) -> Iterable[tuple[Place, Place]]:
    """List the edges of a place; that of a neighbour leads the other way."""
    x, y = shape.middle(place)
    corners = [(x + dx, y + dy) for dx, dy in shape.corners]
    return pairwise([*corners, corners[0]])


def draw_borders(grounds: Mapping[Place, str], shape: TileShape) -> str:
    """Draw a line where the grounds of neighbours differ in colour, and around the board."""
    edges = dict[tuple[Place, Place], str]()
    for place, ground in sorted(grounds.items()):
        edges |= dict.fromkeys(_list_edges(place, shape), ground)
    line = "".join(
        f"M{a[0]} {a[1]}L{b[0]} {b[1]}"
        for (a, b), ground in edges.items()
        if (other := edges.get((b, a))) is None or (other != ground and a < b)
    )
    return f'<path class="border" d="{line}" {BORDER}/>\n'


def _draw_highlights(drawing: Drawing, shape: TileShape) -> Iterable[str]:
    """Draw rings, and the evidence: each group and part of the board in a colour of its own."""
    for place in sorted(drawing.highlights):
        yield f'<g class="highlight">{draw_ring(shape, place)}</g>\n'
    colours, paid = cycle(RINGS), dict[Place, int]()
    for piece in drawing.evidence:
        colour = next(colours) if piece.span or len(piece.hexes) > 1 else RINGS[0]
        yield f'<g class="highlight">{_draw_evidence(piece, shape, colour)}</g>\n'
        paid |= {place: paid.get(place, 0) + piece.gold for place in piece.hexes[:1]}
    for place, label in sorted({**paid, **drawing.labels}.items()):
        x, y = shape.middle(place)
        at = f'x="{x}" y="{y + 4.5}" font-size="12" font-weight="bold"'
        halo = 'stroke="#ffffff" stroke-width="4" stroke-linejoin="round"'
        yield f'<g class="label"><text {at} {halo}>{_text(str(label))}</text>'
        yield f"<text {at}>{_text(str(label))}</text></g>\n"


def _draw_evidence(piece: Evidence, shape: TileShape, colour: str) -> str:
    """Draw rings; of a group its edge, and of a part of the board the surface and the edge too."""
    rings = "".join(draw_ring(shape, place, colour) for place in piece.hexes)
    if not piece.span and len(piece.hexes) < 2:
        return rings
    top, left, bottom, right = piece.span or (0, 0, -1, -1)
    part = [*product(range(top, bottom + 1), range(left, right + 1))] or piece.hexes
    edges = {edge for place in part for edge in _list_edges(place, shape)}
    outer = sorted((a, b) for a, b in edges if (b, a) not in edges)
    line = "".join(f"M{x} {y}L{x1} {y1}" for (x, y), (x1, y1) in outer)
    edge = _draw_twice(line, colour, 'stroke-linecap="round"')
    if not piece.span:
        return edge
    around = ([edge[0] for edge in _list_edges(place, shape)] for place in part)
    surface = "".join(f"M{'L'.join(f'{x} {y}' for x, y in corners)}z" for corners in around)
    return f'<path d="{surface}" fill="{colour}" opacity=".25"/>{edge}{rings}'


def _draw_legend(
    entries: Sequence[tuple[str, Sequence[str]]],
    tiles: Mapping[str, str],
    shape: TileShape,
    corner: Place,
    width: int,
) -> tuple[list[str], int]:
    """Draw one tile of each name; returns the pieces, and where they end."""
    left, top = corner
    across = max(1, (width - 2 * _MARGIN - left) // _ENTRY)
    step = shape.height + 12
    pieces = ['<g class="legend" font-size="13">\n']
    for i, (entry, symbols) in enumerate(entries):
        x = _MARGIN + left + i % across * _ENTRY + shape.width // 2
        y = top + i // across * step + step // 2
        pieces.append(f'<use href="#{tiles[symbols[0]]}" x="{x}" y="{y}"/>')
        more = " ..." if len(symbols) > 1 else ""
        at = f'x="{x + shape.width // 2 + 6}" y="{y + 5}"'
        if len(entry) > _LONG:  # it is squeezed, so that it ends before the next one
            at += f' textLength="{_ENTRY - shape.width - 16}" lengthAdjust="spacingAndGlyphs"'
        pieces.append(f'<text {at} text-anchor="start">{_text(entry)}{more}</text>\n')
    pieces.append("</g>\n")
    return pieces, top + -(-len(entries) // across) * step + 10
