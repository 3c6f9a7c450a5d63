"""Boards as SVG text: pure functions, for pages, files and notebooks.

Each place of a board is a group with ``data-row``, ``data-column`` and ``data-symbol`` attributes,
which your own styles and scripts can select. The colours come from the palette of Okabe and Ito,
which colour-blind people can tell apart. Colour alone never carries a meaning: each look has a mark
too.

All lengths are in user units of the picture; x grows to the right and y downwards.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from itertools import cycle, pairwise
from math import ceil
from operator import itemgetter
from textwrap import wrap
from typing import NamedTuple, TypeAlias

from kb_score.errors import RuleError, visible
from kb_score.shell.picture import Drawing, Look, Piece, Place, PlaceGroup

_MARGIN = 30  # around the board
_TITLE_BASELINE = 22  # of the first line of the title
_TITLE_LINE = 18  # from one line of the title to the next
_DESCRIPTION_LINE = 16
_TITLE_LETTER = 8  # average width of a letter, to break lines
_DESCRIPTION_LETTER = 7
_ENTRY_WIDTH = 150  # a tile of the legend and its name
_ENTRY_GAP = 12  # between the rows of the legend
_LONGEST_ENTRY = 18  # characters of a name that fit beside its tile
_FONT = "Roboto,'DejaVu Sans',Arial,sans-serif"

BORDER = 'fill="none" stroke="#1a1a1a" stroke-width="1.800" stroke-linecap="round"'
# Inner colours of rings. Single places have the first one; groups and parts of the board use all of
# them in turn.
RINGS = ("#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73")


class Point(NamedTuple):
    """A point of the picture, or a distance in it."""

    x: int
    y: int

    def __str__(self) -> str:
        """Return the point as SVG paths write it."""
        return f"{self.x} {self.y}"

    def shift(self, distance: Point) -> Point:
        """Return this point, moved by a distance."""
        return Point(self.x + distance.x, self.y + distance.y)


# The start and the end of an edge, clockwise around its place. Around the neighbour on the other
# side, the same edge runs from its end to its start.
Edge: TypeAlias = tuple[Point, Point]

# The look of each symbol.
Looks: TypeAlias = Mapping[str, Look]

# An entry of a legend: a name, and the symbols that share it.
Entry: TypeAlias = tuple[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class TileShape:
    """The shape of a board's places and the distances between them."""

    width: int  # from one place to the next in its row
    row_shift: int  # how far every second row lies to the right; 0 for squares
    height: int  # from one row to the next
    tall: int  # from the top of a place to its bottom
    outline: str  # SVG path of the edge, around the middle of the place
    corners: tuple[Point, ...]  # corners of the edge, clockwise, relative to the middle

    @property
    def half_width(self) -> int:
        """Half the width of a place."""
        return self.width // 2

    def middle(self, place: Place) -> Point:
        """Return the middle of a place; that of row 0, column 0 is at 0,0."""
        row, column = place
        x = column * self.width
        if row % 2:
            x += self.row_shift
        y = row * self.height
        return Point(x, y)

    def list_corners(self, place: Place) -> list[Point]:
        """Return the corners of a place, clockwise."""
        middle = self.middle(place)
        return [middle.shift(corner) for corner in self.corners]

    def list_edges(self, place: Place) -> list[Edge]:
        """Return the edges of a place, clockwise."""
        corners = self.list_corners(place)
        corners.append(corners[0])
        return list(pairwise(corners))

    def board_width(self, columns: int) -> int:
        """Return the width of a board, including the shift of every second row."""
        return columns * self.width + self.row_shift

    def board_height(self, rows: int) -> int:
        """Return the height of a board."""
        to_last_row = self.height * (rows - 1)
        return to_last_row + self.tall


HEXES = TileShape(
    width=28,
    row_shift=14,
    height=24,
    tall=32,
    outline="M0-16 14-8V8L0 16-14 8V-8z",
    corners=(
        Point(0, -16),
        Point(14, -8),
        Point(14, 8),
        Point(0, 16),
        Point(-14, 8),
        Point(-14, -8),
    ),
)
SQUARES = TileShape(
    width=24,
    row_shift=0,
    height=24,
    tall=24,
    outline="M-12-12H12V12H-12z",
    corners=(Point(-12, -12), Point(12, -12), Point(12, 12), Point(-12, 12)),
)
SHAPES = {True: HEXES, False: SQUARES}  # by whether places are hexes


# Colours and marks

# Where a pattern repeats its piece, in SVG's notation: spread over the whole tile, or farther
# apart, for larger pieces.
_MANY_POINTS = ("0 0", "0 -11", "0 11", "-9 -5", "9 -5", "-9 5", "9 5")
_FEW_POINTS = ("-3 -7", "5 1", "-4 8")

# A player's piece has the player's colour and an emblem with the player's shape.
_PLAYER_SHAPES = ("circle", "triangle", "square", "diamond", "cross")


def _make_marks(drawn: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the SVG of each mark by its name, from the tables of ``marks.toml``."""
    marks = dict(drawn["shapes"])
    for name, piece in drawn["sparse"].items():
        marks[name] = _scatter(piece, _FEW_POINTS)
    for name, piece in drawn["patterns"].items():
        marks[name] = _scatter(piece, _MANY_POINTS)
    for name, path in drawn["tiles"].items():
        marks[name] = f'<path fill-rule="evenodd" d="{path}"/>'
    for shape in _PLAYER_SHAPES:
        for name, piece in drawn["player_pieces"].items():
            height = drawn["emblem_heights"][name]
            emblem = _draw_emblem(marks[shape], height)
            player_piece = f"{shape}_{name}"
            marks[player_piece] = piece + emblem
    return marks


def _scatter(piece: str, points: Sequence[str]) -> str:
    """Draw a faint copy of a piece at each point."""
    copies = ""
    for point in points:
        copies += f'<g transform="translate({point})">{piece}</g>'
    return f'<g opacity=".35">{copies}</g>'


def _draw_emblem(mark: str, y: str) -> str:
    """Draw a small black copy of a mark, to lie on a larger one."""
    transform = f"translate(0,{y}) scale(.6)"
    return f'<g transform="{transform}" fill="#000000" stroke="none">{mark}</g>'


_DRAWN: dict[str, dict[str, str]] = tomllib.loads(
    (files("kb_score") / "shell" / "marks.toml").read_text(encoding="utf-8")
)
COLOURS = _DRAWN["colours"]
MARKS = _make_marks(_DRAWN)


def check_looks(looks: Looks) -> None:
    """Check that all colours and marks are known; a RuleError lists the known ones."""
    marks_of_places = [*MARKS, "text"]
    for symbol, look in looks.items():
        _check_names(f"look of {symbol!r}", look, marks_of_places)
        if look.piece is not None:
            _check_names(f"piece of {symbol!r}", look.piece, MARKS)


def _check_names(owner: str, drawn: Look | Piece, marks: Collection[str]) -> None:
    """Check the colour and the mark of a place or a piece."""
    _check_name(owner, "colour", drawn.colour, COLOURS)
    _check_name(owner, "mark", drawn.mark, marks)


def _check_name(owner: str, kind: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        names = ", ".join(known)
        raise RuleError(f"{owner}: there is no {kind} {name!r}: use one of {names}")


def find_ink(colour: str) -> str:
    """Return black or white as ``#rrggbb``, whichever is more legible on a colour of `COLOURS`."""
    code = COLOURS[colour].removeprefix("#")
    # Relative luminance as WCAG 2 defines it; a power of 2.2 approximates the curve of sRGB.
    red, green, blue = ((value / 255) ** 2.2 for value in bytes.fromhex(code))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    if luminance > 0.18:
        return "#000000"
    return "#ffffff"


# Single places


def draw_tile(symbol: str, look: Look, shape: TileShape) -> str:
    """Draw one place, centred at 0,0, with its mark and the piece on it.

    The symbol is for looks that show it as text; `check_looks` must have accepted the look. The
    result is SVG elements, without a root element.
    """
    fill = COLOURS[look.colour]
    ground = f'<path d="{shape.outline}" fill="{fill}" stroke="#595959" stroke-opacity=".35"/>'
    tile = ground + _draw_mark(symbol, look)
    if look.piece is not None:
        tile += _draw_piece(symbol, look.piece)
    return tile


def _draw_mark(symbol: str, look: Look) -> str:
    """Draw the mark of a place, or its symbol as text; return nothing for an empty mark."""
    ink = find_ink(look.colour)
    if look.mark == "text":
        size = 15
        if len(symbol) > 1:  # in smaller type, to fit into the place
            size = max(5, 24 // len(symbol))
        baseline = size * 0.36
        return _write_symbol(symbol, size, baseline, ink)
    mark = MARKS[look.mark]
    if not mark:
        return ""
    return f'<g fill="{ink}">{mark}</g>'


def _draw_piece(symbol: str, piece: Piece) -> str:
    """Draw a piece with a white halo; a person also shows its symbol, as a name."""
    mark = MARKS[piece.mark]
    fill = COLOURS[piece.colour]
    drawn = (
        f'<g stroke="#ffffff" stroke-width="5" stroke-linejoin="round">{mark}</g>'
        f'<g fill="{fill}" stroke="#000000" stroke-width="1.500">{mark}</g>'
    )
    if piece.mark == "person":
        ink = find_ink(piece.colour)
        drawn += _write_symbol(symbol, 12, 8, ink)
    return drawn


def _write_symbol(symbol: str, size: int, baseline: float, ink: str) -> str:
    text = _escape(symbol)
    return f'<text y="{baseline:.1f}" font-size="{size}" fill="{ink}">{text}</text>'


def _escape(text: str) -> str:
    """Return text as SVG content, with control characters made visible."""
    return escape(visible(text))


def frame_tile(tile: str, shape: TileShape) -> str:
    """Return a complete SVG picture of one tile, whose elements `draw_tile` returned."""
    left = -shape.half_width
    top = -(shape.tall // 2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{shape.width}" height="{shape.tall}" '
        f'viewBox="{left} {top} {shape.width} {shape.tall}" font-family="{_FONT}" '
        f'text-anchor="middle">{tile}</svg>'
    )


def draw_ring(shape: TileShape, place: Place = (0, 0), colour: str = RINGS[0]) -> str:
    """Draw a ring just inside the edge of a place, as SVG elements; its colour is ``#rrggbb``."""
    x, y = shape.middle(place)
    attributes = f'transform="translate({x},{y}) scale(.86)"'
    return _draw_outlined(shape.outline, colour, attributes)


def _draw_outlined(path: str, colour: str, attributes: str) -> str:
    """Draw a coloured line with a black edge, which stands out on any look."""
    line = f'<path d="{path}" fill="none" {attributes}'
    edge = f'{line} stroke="#000000" stroke-width="6"/>'
    inner = f'{line} stroke="{colour}" stroke-width="2.500"/>'
    return edge + inner


# Whole pictures


@dataclass(frozen=True, slots=True)
class _Tile:
    """A tile that is defined once in a picture and used by its id."""

    id: str
    look: Look


# The tile of each symbol.
_Tiles: TypeAlias = Mapping[str, _Tile]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the parts of a picture lie."""

    width: int  # of the whole picture
    height: int  # of the whole picture
    title: Sequence[str]  # lines of the title, at least one
    description: Sequence[str]  # lines below the title
    board_top: int
    legend_left: int  # from the left margin
    legend_top: int
    legend_columns: int


def draw_svg(
    drawing: Drawing, *, title: str, description: str = "", hexes: bool = False, name: str = "p"
) -> str:
    """Draw a board as a complete SVG picture with a title, highlights and a legend.

    Args:
        drawing: The board, its labels and its highlights.
        title: Text above the board, and the picture's title for screen readers.
        description: Text between the title and the board.
        hexes: Whether places are hexes rather than squares.
        name: A prefix for ids. Pictures on one page need different names.

    Raises:
        RuleError: A look has an unknown colour or mark.
    """
    check_looks(drawing.looks)
    shape = SHAPES[hexes]
    looks = drawing.find_looks()
    own_looks = list_own_looks(drawing, looks)
    tiles = _make_tiles(looks, own_looks, name)
    entries = _list_entries(drawing, tiles, own_looks)
    layout = _lay_out(drawing.size, shape, title, description, len(entries))
    read_aloud = description or title  # by screen readers
    parts = [
        _begin_picture(layout.width, layout.height, title, read_aloud, name),
        *_define_tiles(tiles, shape),
        *_write_heading(layout),
        *_draw_board(drawing, tiles, shape, layout.board_top),
        *_draw_legend(entries, tiles, shape, layout),
        "</svg>\n",
    ]
    return "".join(parts)


def _make_tiles(looks: Looks, own_looks: Looks, name: str) -> _Tiles:
    """Return the tiles of the symbols, then those of looks that have no symbol."""
    drawn = dict(looks)
    for own_name, look in own_looks.items():
        key = _entry_key(own_name)
        drawn[key] = look
    drawn.update(take_apart(looks))
    tiles = {}
    for number, (symbol, look) in enumerate(drawn.items()):
        tile_id = f"{name}{number}"
        tiles[symbol] = _Tile(tile_id, look)
    return tiles


def _list_entries(drawing: Drawing, tiles: _Tiles, own_looks: Looks) -> list[Entry]:
    """Return the entries of the legend, without symbols that no place shows.

    A symbol is on the board but not shown if every one of its places shows its own mark instead.
    """
    hidden = set(drawing.cells.values())
    for place, symbol in drawing.cells.items():
        place_name = drawing.titles.get(place)
        if place_name not in own_looks:
            hidden.discard(symbol)
    shown = {}
    for symbol, tile in tiles.items():
        if symbol not in hidden:
            shown[symbol] = tile.look
    return list_legend(shown)


def _lay_out(
    size: tuple[int, int], shape: TileShape, title: str, description: str, entries: int
) -> _Layout:
    """Arrange a picture from top to bottom: title, description, board, legend.

    ``size`` has the numbers of rows and columns, ``entries`` the number of entries of the legend.
    """
    rows, columns = size
    board_width = shape.board_width(columns)
    text_width = max(board_width, 2 * _ENTRY_WIDTH)
    title_letters = text_width // _TITLE_LETTER
    title_lines = wrap(visible(title), title_letters) or [""]
    further_lines = len(title_lines) - 1
    title_bottom = _TITLE_BASELINE + _TITLE_LINE * further_lines
    description_letters = text_width // _DESCRIPTION_LETTER
    description_lines = wrap(visible(description), description_letters)
    description_height = _DESCRIPTION_LINE * len(description_lines)
    board_top = title_bottom + description_height + _MARGIN
    board_bottom = board_top + rows * shape.height + _MARGIN // 2
    if board_width <= _ENTRY_WIDTH:  # a small board has room for the legend beside it
        legend_left = _ENTRY_WIDTH
        legend_top = board_top
    else:
        legend_left = 0
        legend_top = board_bottom
    legend_width = text_width - legend_left
    legend_columns = max(1, legend_width // _ENTRY_WIDTH)
    legend_rows = ceil(entries / legend_columns)
    legend_height = legend_rows * (shape.height + _ENTRY_GAP) + 10
    legend_bottom = legend_top + legend_height
    return _Layout(
        width=text_width + 2 * _MARGIN,
        height=max(board_bottom, legend_bottom),
        title=title_lines,
        description=description_lines,
        board_top=board_top,
        legend_left=legend_left,
        legend_top=legend_top,
        legend_columns=legend_columns,
    )


def _begin_picture(width: int, height: int, title: str, description: str, name: str) -> str:
    """Open the root element, with text for screen readers and a white background."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{name}-t {name}-d" '
        f'font-family="{_FONT}" text-anchor="middle">\n'
        f'<title id="{name}-t">{_escape(title)}</title>\n'
        f'<desc id="{name}-d">{_escape(description)}</desc>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
    )


def _define_tiles(tiles: _Tiles, shape: TileShape) -> Iterator[str]:
    yield "<defs>\n"
    for symbol, tile in tiles.items():
        drawn = draw_tile(symbol, tile.look, shape)
        yield f'<g id="{tile.id}">{drawn}</g>\n'
    yield "</defs>\n"


def _write_heading(layout: _Layout) -> Iterator[str]:
    """Write the lines of the title and those of the description."""
    baseline = _TITLE_BASELINE - _TITLE_LINE
    for line in layout.title:
        baseline += _TITLE_LINE
        yield _write_line(baseline, 14, line)
    for line in layout.description:
        baseline += _DESCRIPTION_LINE
        yield _write_line(baseline, 13, line)


def _write_line(baseline: int, size: int, text: str) -> str:
    attributes = f'x="{_MARGIN}" y="{baseline}" font-size="{size}" text-anchor="start"'
    content = _escape(text)
    return f"<text {attributes}>{content}</text>\n"


def _draw_board(drawing: Drawing, tiles: _Tiles, shape: TileShape, top: int) -> Iterator[str]:
    """Draw a board in coordinates whose origin is the middle of its first place."""
    x = _MARGIN + shape.half_width
    y = top + shape.height // 2
    rows, columns = drawing.size
    grounds = {}
    for place, symbol in drawing.cells.items():
        look = tiles[symbol].look
        grounds[place] = look.colour
    yield f'<g transform="translate({x},{y})">\n'
    yield from _number_rows_and_columns(rows, columns, shape)
    yield from _draw_places(drawing, tiles, shape)
    yield draw_borders(grounds, shape)
    yield from _draw_highlights(drawing, shape)
    yield from _draw_labels(drawing, shape)
    yield "</g>\n"


def _number_rows_and_columns(rows: int, columns: int, shape: TileShape) -> Iterator[str]:
    yield '<g font-size="10" fill="#595959">\n'
    for column in _list_numbered(columns):
        # Halfway between the rows that are shifted and the others.
        x = column * shape.width + shape.row_shift // 2
        yield f'<text x="{x}" y="-20">{column}</text>\n'
    x = -shape.half_width - 10
    for row in _list_numbered(rows):
        y = row * shape.height + 4
        yield f'<text x="{x}" y="{y}">{row}</text>\n'
    yield "</g>\n"


def _list_numbered(count: int) -> range:
    """Return the rows or columns to number: every fifth one if there are more than 30."""
    if count <= 30:
        return range(count)
    return range(0, count, 5)


def _draw_places(drawing: Drawing, tiles: _Tiles, shape: TileShape) -> Iterator[str]:
    for place, symbol in sorted(drawing.cells.items()):
        row, column = place
        x, y = shape.middle(place)
        tile = tiles[symbol]
        symbol_name = tile.look.describe(symbol)
        place_name = drawing.titles.get(place)
        label = drawing.labels.get(place)
        words = [symbol_name, place_name, label]
        description = ", ".join(filter(None, words))
        tooltip = _escape(f"{row},{column}: {description}")
        if place_name is not None and tile.look.piece is None:
            # The name of the place may be a mark, which replaces the mark of its symbol.
            key = _entry_key(place_name)
            tile = tiles.get(key, tile)
        yield (
            f'<g data-row="{row}" data-column="{column}" data-symbol="{_escape(symbol)}" '
            f'transform="translate({x},{y})">'
            f"<title>{tooltip}</title>"
            f'<use href="#{tile.id}"/></g>\n'
        )


# Borders, highlights and groups


def draw_borders(grounds: Mapping[Place, str], shape: TileShape) -> str:
    """Draw a line around the board, and between neighbours whose grounds have different colours.

    The result is one SVG path with the class ``border``.
    """
    borders = _find_borders(grounds, shape)
    path = _write_edges(borders)
    return f'<path class="border" d="{path}" {BORDER}/>\n'


def _find_borders(grounds: Mapping[Place, str], shape: TileShape) -> list[Edge]:
    """Return the edges around some places, and those between places with different grounds."""
    edges = {}
    for place, ground in sorted(grounds.items()):
        for edge in shape.list_edges(place):
            edges[edge] = ground
    borders = []
    for edge, ground in edges.items():
        start, end = edge
        neighbour = edges.get((end, start))
        if neighbour is None:
            borders.append(edge)
        elif neighbour != ground and start < end:
            # Both neighbours have the edge between them, but only one draws it.
            borders.append(edge)
    return borders


def _write_edges(edges: Iterable[Edge]) -> str:
    """Return edges as the data of an SVG path."""
    path = ""
    for start, end in edges:
        path += f"M{start}L{end}"
    return path


def _draw_highlights(drawing: Drawing, shape: TileShape) -> Iterator[str]:
    """Draw a ring around each highlight, and the groups in alternating colours."""
    highlights = [draw_ring(shape, place) for place in sorted(drawing.highlights)]
    colours = cycle(RINGS)
    for group in drawing.groups:
        colour = RINGS[0] if _is_single_place(group) else next(colours)
        drawn = _draw_group(group, shape, colour)
        highlights.append(drawn)
    for highlight in highlights:
        yield f'<g class="highlight">{highlight}</g>\n'


def _is_single_place(group: PlaceGroup) -> bool:
    return group.span is None and len(group.places) <= 1


def _draw_group(group: PlaceGroup, shape: TileShape, colour: str) -> str:
    """Draw a group of places.

    This is a ring for a single place; the outer edge of a group; or the tinted surface and outer
    edge of a part of the board, with a ring around each place that counts.
    """
    rings = ""
    for place in group.places:
        rings += draw_ring(shape, place, colour)
    if _is_single_place(group):
        return rings
    if group.span is None:
        return _draw_outer_edge(group.places, shape, colour)
    part = _list_places(group.span)
    surface = _draw_surface(part, shape, colour)
    edge = _draw_outer_edge(part, shape, colour)
    return surface + edge + rings


def _list_places(span: tuple[int, int, int, int]) -> list[Place]:
    """Return the places of a part of the board, row by row."""
    top, left, bottom, right = span
    places = []
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            places.append((row, column))
    return places


def _draw_surface(places: Sequence[Place], shape: TileShape, colour: str) -> str:
    """Tint places without hiding what is on them."""
    surface = ""
    for place in places:
        corners = shape.list_corners(place)
        outline = "L".join(map(str, corners))
        surface += f"M{outline}z"
    return f'<path d="{surface}" fill="{colour}" opacity=".25"/>'


def _draw_outer_edge(places: Sequence[Place], shape: TileShape, colour: str) -> str:
    """Draw a line around places, without the edges between them."""
    grounds = dict.fromkeys(places, colour)
    edges = sorted(_find_borders(grounds, shape))
    path = _write_edges(edges)
    return _draw_outlined(path, colour, 'stroke-linecap="round"')


def _draw_labels(drawing: Drawing, shape: TileShape) -> Iterator[str]:
    """Write labels on places: their own, or the sum of the groups that begin there."""
    sums = defaultdict[Place, int](int)
    for group in drawing.groups:
        if group.places:
            first_place = group.places[0]
            sums[first_place] += group.number
    labels = {place: str(total) for place, total in sums.items()}
    labels.update(drawing.labels)
    for place, label in sorted(labels.items()):
        x, y = shape.middle(place)
        baseline = y + 4.5
        attributes = f'x="{x}" y="{baseline}" font-size="12" font-weight="bold"'
        halo = 'stroke="#ffffff" stroke-width="4" stroke-linejoin="round"'
        text = _escape(label)
        yield f'<g class="label"><text {attributes} {halo}>{text}</text>'
        yield f"<text {attributes}>{text}</text></g>\n"


# Legends


def list_legend(looks: Looks) -> list[Entry]:
    """Return the entries of a legend: each name with the symbols that share it.

    Places with a piece on them are left out: the legend lists the place and the piece separately,
    see `take_apart`. The entries have the order of the symbols; names whose first symbol is a
    digit, which stands for a player, come last.
    """
    entries: dict[str, list[str]] = {}
    for symbol, look in looks.items():
        if look.piece is None or not look.name:
            name = look.describe(symbol)
            entries.setdefault(name, []).append(symbol)

    def stands_for_player(entry: Entry) -> bool:
        _, symbols = entry
        return symbols[0].isdigit()

    return sorted(entries.items(), key=stands_for_player)


def take_apart(looks: Looks) -> dict[str, Look]:
    """Split looks that show a place and a piece into one look for each.

    The keys stand for symbols: first places, then pieces, both in order of their names. Places and
    pieces that some symbol shows on its own are left out.
    """
    known = set()
    parts: dict[str, Look] = {}
    for symbol, look in looks.items():
        if look.piece is None or not look.name:
            name = look.describe(symbol)
            known.add(name)
        else:
            place = replace(look, piece=None)
            piece = Look("white", "none", "", look.piece)
            parts.setdefault(look.name, place)
            parts.setdefault(look.piece.name, piece)
    missing = parts.keys() - known

    def pieces_last(name: str) -> tuple[bool, str]:
        return parts[name].piece is not None, name

    ordered = sorted(missing, key=pieces_last)
    return {_entry_key(name): parts[name] for name in ordered}


def _entry_key(name: str) -> str:
    """Return the key of a look without a symbol in a mapping whose other keys are symbols."""
    return f"legend: {name}"


def list_own_looks(drawing: Drawing, looks: Looks) -> dict[str, Look]:
    """Return the looks of places whose name is a mark, which replaces the mark of their symbol.

    They are in order of the names.
    """
    own_looks = {}
    for place, name in sorted(drawing.titles.items(), key=itemgetter(1)):
        if place not in drawing.cells or name not in MARKS:
            continue
        symbol = drawing.cells[place]
        look = looks[symbol]
        if look.piece is None:
            own_looks[name] = replace(look, mark=name, name=name)
    return own_looks


def _draw_legend(
    entries: Sequence[Entry], tiles: _Tiles, shape: TileShape, layout: _Layout
) -> Iterator[str]:
    """Draw the first tile of each entry with its name."""
    left = _MARGIN + layout.legend_left + shape.half_width
    row_height = shape.height + _ENTRY_GAP
    top = layout.legend_top + row_height // 2
    yield '<g class="legend" font-size="13">\n'
    for number, (name, symbols) in enumerate(entries):
        row, column = divmod(number, layout.legend_columns)
        x = left + column * _ENTRY_WIDTH
        y = top + row * row_height
        first_symbol = symbols[0]
        tile = tiles[first_symbol]
        middle = Point(x, y)
        is_shared = len(symbols) > 1
        yield f'<use href="#{tile.id}" x="{x}" y="{y}"/>'
        yield _write_entry(name, is_shared, middle, shape)
    yield "</g>\n"


def _write_entry(name: str, is_shared: bool, middle: Point, shape: TileShape) -> str:
    """Write a name beside the middle of its tile, with dots if several symbols share it."""
    x = middle.x + shape.half_width + 6
    y = middle.y + 5
    attributes = f'x="{x}" y="{y}"'
    if len(name) > _LONGEST_ENTRY:  # squeezed, to end before the next entry
        length = _ENTRY_WIDTH - shape.width - 16
        attributes += f' textLength="{length}" lengthAdjust="spacingAndGlyphs"'
    text = _escape(name)
    if is_shared:
        text += " ..."
    return f'<text {attributes} text-anchor="start">{text}</text>\n'


# Boards with few SVG elements, for pages


def draw_patterns(drawing: Drawing, tiles: Mapping[str, str], shape: TileShape = HEXES) -> str:
    """Draw a board with few elements: one path for each symbol, filled with a pattern of its tile.

    Highlights, labels and groups are not drawn. ``tiles`` has the id of each symbol's tile, which
    the page can use elsewhere, too. The result is one ``svg`` element; its CSS variable ``--wide``
    is its width in places, as a length in ``px``.
    """
    rows, columns = drawing.size
    width = shape.board_width(columns)
    height = shape.board_height(rows)
    left = -shape.half_width
    top = -(shape.tall // 2)
    places_across = width / shape.width
    parts = [
        f'<svg viewBox="{left} {top} {width} {height}" style="--wide:{places_across}px" '
        'preserveAspectRatio="xMinYMin" text-anchor="middle">'
    ]
    looks = drawing.find_looks()
    for symbol, path in _trace_symbols(drawing, shape).items():
        tile_id = tiles[symbol]
        tile = draw_tile(symbol, looks[symbol], shape)
        pattern = _define_pattern(tile_id, tile, shape)
        parts.append(pattern)
        parts.append(f'<path d="{path}" fill="url(#{tile_id}s)"/>')
    grounds = {place: looks[symbol].colour for place, symbol in drawing.cells.items()}
    borders = draw_borders(grounds, shape)
    parts += [borders, "</svg>"]
    return "".join(parts)


def _trace_symbols(drawing: Drawing, shape: TileShape) -> dict[str, str]:
    """Return the data of one SVG path for each symbol: the outlines of all its places."""
    first_corner = shape.corners[0]
    moves = []
    for corner, following in pairwise(shape.corners):
        x = following.x - corner.x
        y = following.y - corner.y
        moves.append(f"{x} {y}")
    outline = " ".join(moves)
    paths = defaultdict[str, str](str)
    for place, symbol in sorted(drawing.cells.items()):
        middle = shape.middle(place)
        start = middle.shift(first_corner)
        paths[symbol] += f"M{start}l{outline}z"
    return paths


def _define_pattern(tile_id: str, tile: str, shape: TileShape) -> str:
    """Return a pattern that repeats a tile at every place; its id is the tile's plus an ``s``."""
    width = shape.width
    height = shape.height
    if shape.row_shift:
        height *= 2  # the pattern repeats every two rows
    offsets = [Point(0, 0), Point(0, height), Point(width, 0), Point(width, height)]
    if shape.row_shift:
        offsets.append(Point(shape.row_shift, shape.height))
    parts = [
        f'<pattern id="{tile_id}s" width="{width}" height="{height}" '
        f'patternUnits="userSpaceOnUse"><g id="{tile_id}">{tile}</g>'
    ]
    for offset in offsets:
        parts.append(f'<use href="#{tile_id}" x="{offset.x}" y="{offset.y}"/>')
    parts.append("</pattern>")
    return "".join(parts)
