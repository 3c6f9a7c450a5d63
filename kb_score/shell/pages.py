"""Pages, pictures and animations as single files, which need no network and no server."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from itertools import product
from pathlib import PurePath
from string import Template
from typing import Any, NamedTuple, TypeAlias, TypedDict

from kb_score.errors import InputError, KbScoreError, visible
from kb_score.shell.picture import Drawing, Look, Place, Replay, Step
from kb_score.shell.svg import (
    COLOURS,
    MARKS,
    SHAPES,
    TileShape,
    check_looks,
    draw_borders,
    draw_patterns,
    draw_ring,
    draw_svg,
    draw_tile,
    find_ink,
    frame_tile,
    list_legend,
    list_own_looks,
    take_apart,
)
from kb_score.shell.target import Target

_FOLDER = files("kb_score") / "shell" / "page"

# Limits on what a page shows where scripts do not run, such as in an email preview.
_MAX_PLACES = 10_000
_MAX_VIOLATIONS = 20

Pair: TypeAlias = tuple[int, int]


class Shape(TypedDict):
    """The layout of the places of a board, in units of the picture."""

    width: int  # from a place to the next in its row
    height: int  # from a row to the next
    tall: int  # the height of a place
    outline: str  # the edge of a place around its middle, as an SVG path
    corners: Sequence[Pair]  # the corners of the edge, x and y
    hexes: bool  # whether every second row lies half a place to the right


class LookData(TypedDict):
    """The look of a symbol."""

    symbol: str
    name: str
    tile: str  # a piece of SVG around 0,0
    ground: str  # the name of the ground's colour: a border lies where neighbours differ in it


class LegendEntry(TypedDict):
    """A name in the legend."""

    name: str
    tile: str  # a piece of SVG around 0,0
    colour: str  # as CSS writes it
    symbols: Sequence[int]  # the numbers of the looks that have this name, from 1
    counted: bool  # whether the number of places with this look matters


class Drawn(TypedDict):
    """The data to draw the places of a board, or of all boards of a replay."""

    rows: int
    columns: int
    shape: Shape
    signs: Mapping[str, str]  # a piece of SVG for each place's own name that is a mark
    looks: Sequence[LookData]
    legend: Sequence[LegendEntry]


class DrawnBoard(Drawn):
    """The data to draw a board."""

    # The number of each place's look, row by row: from 1, or 0 for no symbol.
    cells: Sequence[int]


class Styles(TypedDict):
    """The parts of looks, for pages whose rules say how symbols are drawn."""

    shape: Shape
    # The fill of each colour, and the ink that can be read on it.
    colours: Mapping[str, tuple[str, str]]
    marks: Mapping[str, str]  # pieces of SVG around 0,0


class ReplayStep(NamedTuple):
    """The differences of a picture from the one before; places are numbers, row by row."""

    caption: str
    # Pairs: the distance of a place from that of the pair before, and the number of its look.
    cells: Sequence[int]
    tally: Sequence[tuple[str, str]]  # the new values beside the board, each after its label
    points: Sequence[int]  # the marked places


class ReplayViolation(NamedTuple):
    """A violation."""

    turn: int | None  # none in a record without turns
    shown: int  # the turn whose picture shows it best
    text: str


class ReplayData(Drawn):
    """The data of a replay."""

    titles: Mapping[int, str]  # names that places have of their own, by the numbers of the places
    first: int  # the turn of the first picture
    # The turn to begin with: the first one that breaks the rules, if there is one.
    start: int
    steps: Sequence[ReplayStep]  # one for each turn from the first one
    violations: Sequence[ReplayViolation]


def write_replay(replay: Replay) -> str:
    """Return the HTML of a page that shows a replay."""
    tally: dict[str, str] = {}
    for step in replay.steps:
        tally.update(step.tally)
    entries = "".join(
        f"<div><dt>{_escape(label)}<dd>{_escape(value)}</div>" for label, value in tally.items()
    )
    shown = replay.violations[:_MAX_VIOLATIONS]
    violations = "".join(f"<li>{_escape(violation)}" for violation in shown)
    title = replay.title or make_title(replay.record, replay.game)
    last_board = replay.at(replay.last)
    return fill_page(
        "replay",
        title,
        _list_data(replay),
        seen=draw_static_board(last_board, hexes=replay.hexes),
        caption=_escape(replay.steps[-1].caption),
        tally=entries,
        violations=violations,
    )


def draw_static_board(drawing: Drawing, *, hexes: bool) -> str:
    """Draw the board that is visible until the page's script draws it; at most 10,000 places."""
    rows, columns = drawing.size
    if rows * columns > _MAX_PLACES:
        return ""
    symbols = dict.fromkeys(drawing.cells.values())
    tiles = {symbol: f"t{number}" for number, symbol in enumerate(symbols)}
    return draw_patterns(drawing, tiles, SHAPES[hexes])


def _escape(text: object) -> str:
    return escape(visible(str(text)))


def make_title(record: str, game: str) -> str:
    """Return a page's title, which tells browser tabs apart.

    It omits the record's folder, since people share pages.
    """
    file_name = PurePath(record).name
    game_name = game.replace("-", " ").title()
    return f"{file_name} - {game_name}"


def list_styles(*, hexes: bool) -> Styles:
    """Return the data from which a page's script draws places: shape, colours and marks."""
    return {
        "shape": _describe_shape(hexes=hexes),
        "colours": {name: (fill, find_ink(name)) for name, fill in COLOURS.items()},
        "marks": MARKS,
    }


def fill_page(page: str, title: str, data: Mapping[str, Any] | None, **more: str) -> str:
    """Return the HTML of a page whose files are in the folder ``page``.

    ``more`` is markup by its name in the page; missing names become empty. A page without data has
    no script.
    """
    texts = defaultdict(str, {"title": _escape(title), **more})
    body = _read(f"{page}.html")
    if data is not None:
        texts["kind"] = str(data.get("kind"))
        policy = "script-src 'unsafe-inline'"
        if "$wasm" in body:  # clingo runs in the page
            wasm = (_FOLDER / "clingo.wasm.gz").read_bytes()
            texts["wasm"] = b64encode(wasm).decode()
            policy += " 'wasm-unsafe-eval' blob:; worker-src blob:"
        texts["policy"] = f" {policy};"
        # Some pages start their script themselves.
        texts["scripts"] = _write_scripts(page, data, is_later='"later"' in body)
    frame = Template(_read("frame.html"))
    body = Template(body).substitute(texts)
    return frame.substitute(texts, body=body, style=_read(f"{page}.css"))


def _write_scripts(page: str, data: Mapping[str, Any], *, is_later: bool) -> str:
    """Return the data and the script of a page as markup.

    The data are compressed and encoded: the page stays small, and nothing in them becomes markup.
    """
    json_text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    compressed = zlib.compress(json_text.encode(errors="replace"), 9)
    later = ' type="text/plain" id="later"' if is_later else ""
    script = _read(f"{page}.js")
    return (
        f"<script>\n{_read('old_browser.js')}\n</script>\n"
        f'<script type="text/plain" id="data">{b64encode(compressed).decode()}</script>\n'
        f"<script{later}>\n{script}\n</script>\n"
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip()


def _list_data(replay: Replay) -> ReplayData:
    """Return the data of a replay."""
    _, columns = replay.size
    looks = replay.find_looks()
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    first_board = replay.at(replay.first)
    titles = {}
    for (row, column), name in replay.titles.items():
        place = row * columns + column
        titles[place] = name
    start = replay.first
    if replay.violations:
        start = replay.choose(None)
    violations = []
    for violation in replay.violations:
        shown_turn = replay.turn_of(violation)
        text = visible(str(violation))
        violations.append(ReplayViolation(violation.turn, shown_turn, text))
    return {
        **_list_looks(first_board, looks, hexes=replay.hexes),
        "titles": titles,
        "first": replay.first,
        "start": start,
        "steps": [_list_step(step, columns, numbers) for step in replay.steps],
        "violations": violations,
    }


def list_board(drawing: Drawing, *, hexes: bool) -> DrawnBoard:
    """Return the data from which a page's script draws a board."""
    looks = drawing.find_looks()
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    rows, columns = drawing.size
    cells = []
    for place in product(range(rows), range(columns)):
        symbol = drawing.cells.get(place, "")
        cells.append(numbers.get(symbol, 0))
    return {"cells": cells, **_list_looks(drawing, looks, hexes=hexes)}


def _describe_shape(*, hexes: bool) -> Shape:
    """Return the shape of places, from which a page's script computes their positions."""
    shape = SHAPES[hexes]
    return {
        "width": shape.width,
        "height": shape.height,
        "tall": shape.tall,
        "outline": shape.outline,
        "corners": shape.corners,
        "hexes": shape.row_shift > 0,
    }


def _list_looks(drawing: Drawing, looks: Mapping[str, Look], *, hexes: bool) -> Drawn:
    """Return the size of a board and the looks of its symbols."""
    check_looks(looks)
    shape = SHAPES[hexes]
    rows, columns = drawing.size
    signs = list_own_looks(drawing, looks)
    listed: list[LookData] = []
    for symbol, look in looks.items():
        shown: LookData = {
            "symbol": visible(symbol),
            "name": visible(look.describe(symbol)),
            "tile": draw_tile(symbol, look, shape),
            "ground": look.colour,
        }
        listed.append(shown)
    return {
        "rows": rows,
        "columns": columns,
        "shape": _describe_shape(hexes=hexes),
        "signs": {name: draw_tile(name, look, shape) for name, look in signs.items()},
        "looks": listed,
        "legend": list(_list_legend(looks, shape)),
    }


def _list_legend(looks: Mapping[str, Look], shape: TileShape) -> Iterator[LegendEntry]:
    """Yield each name once, with a tile and the symbols that stand for it."""
    drawn = {**looks, **take_apart(looks)}
    has_pieces = any(look.piece for look in looks.values())
    for name, symbols in list_legend(drawn):
        symbol = symbols[0]
        look = drawn[symbol]
        top = look.piece or look
        if has_pieces:  # dots only show where a piece may be placed
            is_counted = look.piece is not None and look.piece.mark != "dot"
        else:  # a place with a letter is unique, and another symbol may hide it
            is_counted = look.mark != "text" or not look.name
        numbers = []
        for number, (other, other_look) in enumerate(looks.items(), 1):
            if name in other_look.list_names(other):
                numbers.append(number)
        yield {
            "name": visible(name),
            "tile": draw_tile(symbol, look, shape),
            "colour": COLOURS[top.colour],
            "symbols": numbers,
            "counted": is_counted,
        }


def _list_step(step: Step, columns: int, numbers: Mapping[str, int]) -> ReplayStep:
    """Return the changes of a step; each place is given as the distance from the one before.

    Small numbers compress well.
    """
    cells = []
    previous = 0
    for (row, column), symbol in sorted(step.cells.items()):
        place = row * columns + column
        cells += [place - previous, numbers[symbol]]
        previous = place
    tally = [(visible(label), visible(value)) for label, value in step.tally.items()]
    points = sorted(row * columns + column for row, column in step.points)
    return ReplayStep(visible(step.caption), cells, tally, points)


def check_libraries(target: Target) -> None:
    """Check that the libraries for an animation are installed, before the rules run.

    Only a name that ends in ``.gif`` needs them; the KbScoreError says how to install them.
    """
    if target.ending == ".gif":
        for module in ("resvg_py", "font_roboto", "PIL.Image"):
            _load(module)


def draw_turn(replay: Replay, turn: int | None) -> str:
    """Return one picture of a replay as SVG; None is the turn that `Replay.choose` returns.

    Raises an InputError if there is no picture of this turn.
    """
    chosen = replay.choose(turn)
    caption = replay.steps[chosen - replay.first].caption
    title = visible(replay.title or PurePath(replay.record).name)
    violations = [str(violation) for violation in replay.violations if violation.turn == chosen]
    board = replay.at(chosen)
    return draw_svg(
        board, title=f"{title}: {caption}", description="; ".join(violations), hexes=replay.hexes
    )


def write_picture(svg: str, target: Target) -> None:
    """Write a picture as PNG if the file's name ends in ``.png``, and as SVG otherwise."""
    picture = make_png(svg) if target.ending == ".png" else svg.encode()
    target.write(picture)


def save_replay(replay: Replay, target: Target, speed: float | None = None) -> None:
    """Write a replay as an animation if the file's name ends in ``.gif``, and as a page otherwise.

    ``speed`` is that of `make_gif`; a page refuses it with an InputError.
    """
    if target.ending == ".gif":
        target.write(make_gif(replay, speed=speed))
        return
    if speed:
        message = "a page has its own speed control: use this option with an animation (.gif)"
        raise InputError("--speed", message)
    page = write_replay(replay)
    target.write(page.encode())


def make_png(svg: str, *, zoom: float = 2) -> bytes:
    """Render an SVG as PNG, with ``zoom`` pixels per unit of the picture.

    Raises a KbScoreError if the libraries for PNG are not installed.
    """
    resvg = _load("resvg_py")
    fonts = _load("font_roboto")
    png: bytes = resvg.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        font_files=[fonts.Roboto, fonts.RobotoBold],
        skip_system_fonts=True,
    )
    return bytes(png)


def _load(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise KbScoreError(
            "PNG and GIF need libraries that are not installed: "
            "run pip install 'kb-score[pictures]', or write SVG"
        ) from None


# Seconds, unless stated otherwise. The turns of a long game are shorter, so that up to 1,200 of
# them last no longer than a minute.
_SLOWEST_TURN = 0.6
_FASTEST_TURN = 0.05
_WHOLE_GAME = 60.0
_LAST_TURN = 2000  # milliseconds
_CAPTION_HEIGHT = 24  # pixels


def make_gif(replay: Replay, *, across: int = 800, speed: float | None = None) -> bytes:
    """Return an animation of a replay as a GIF file, with one captioned frame for each turn.

    The board is ``across`` pixels wide, or less if it is small. ``speed`` is in turns per second;
    None for one that depends on the number of turns.
    """
    check_looks(replay.looks)
    turns = len(replay.steps)
    seconds = max(_FASTEST_TURN, min(_SLOWEST_TURN, _WHOLE_GAME / turns))
    if speed:
        seconds = 1 / speed
    milliseconds = round(seconds * 1000)
    durations = [milliseconds] * (turns - 1)
    durations.append(_LAST_TURN)
    gif = BytesIO()
    frames = _Animator(replay, across).draw_frames()
    first_frame = next(frames)
    first_frame.save(
        gif, "GIF", optimize=True, save_all=True, append_images=frames, duration=durations, loop=0
    )
    return gif.getvalue()


class _Animator:
    """Draws the frames of an animation; lengths are in SVG units, except those of frames."""

    def __init__(self, replay: Replay, across: int) -> None:
        self._replay = replay
        self._image = _load("PIL.Image")
        roboto = _load("font_roboto").Roboto
        self._font = _load("PIL.ImageFont").truetype(roboto, 16)
        shape = SHAPES[replay.hexes]
        self._shape = shape
        rows, columns = replay.size
        self._width = shape.board_width(columns)
        self._height = shape.board_height(rows)
        self._zoom = max(2 / shape.width, min(2.0, across / self._width))
        self._looks = replay.find_looks()
        self._tiles = self._draw_tiles(self._looks)
        # Tiles of places whose name is a mark, by name.
        first_board = replay.at(replay.first)
        own_looks = list_own_looks(first_board, self._looks)
        self._own_tiles = self._draw_tiles(own_looks)
        ring = draw_ring(shape)
        self._ring = self._rasterize(ring, shape)

    def _draw_tiles(self, looks: Mapping[str, Look]) -> dict[str, Any]:
        tiles = {}
        for name, look in looks.items():
            tile = draw_tile(name, look, self._shape)
            tiles[name] = self._rasterize(tile, self._shape)
        return tiles

    def draw_frames(self) -> Iterator[Any]:
        """Yield the frame of each turn."""
        replay = self._replay
        draw = _load("PIL.ImageDraw")
        palette = self._find_palette()
        wrong_turns = set(map(replay.turn_of, replay.violations))
        caption_top = round(self._height * self._zoom)
        tally: dict[str, str] = {}
        for turn, (step, frame) in enumerate(self._draw_boards(caption_top), replay.first):
            for place in step.points:
                middle = self._shape.middle(place)
                self._paste(frame, self._ring, middle)
            tally.update(step.tally)
            turns = [value for label, value in tally.items() if label.endswith(" turn")]
            caption = ": ".join([step.caption, *turns])
            if turn in wrong_turns:
                caption += ": breaks the rules"
            position = (4, caption_top + 2)
            draw.Draw(frame).text(position, visible(caption), fill="black", font=self._font)
            yield frame.quantize(palette=palette, dither=self._image.Dither.NONE)

    def _draw_boards(self, height: int) -> Iterator[tuple[Step, Any]]:
        """Yield each step with its board; borders are redrawn only if colours of places change."""
        width = max(200, round(self._width * self._zoom))
        canvas = self._image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
        grounds = {}
        drawn_grounds: dict[Place, str] = {}
        borders = None
        for step in self._replay.steps:
            for place, symbol in step.cells.items():
                look = self._looks[symbol]
                tile = self._tiles[symbol]
                if look.piece is None:
                    name = self._replay.titles.get(place, "")
                    tile = self._own_tiles.get(name, tile)
                # A tile's center and its corner have the same offset from those of the first place.
                middle = self._shape.middle(place)
                self._paste(canvas, tile, middle)
                grounds[place] = look.colour
            if grounds != drawn_grounds:
                drawn_grounds = dict(grounds)
                borders = self._draw_borders(grounds)
            frame = canvas.copy()
            self._paste(frame, borders, (0, 0))
            yield step, frame

    def _draw_borders(self, grounds: Mapping[Place, str]) -> Any:
        """Draw the borders of the whole board as one tile, centered on the board."""
        x = (self._shape.width - self._width) // 2
        y = (self._shape.tall - self._height) // 2
        borders = draw_borders(grounds, self._shape)
        moved_borders = f'<g transform="translate({x}, {y})">{borders}</g>'
        whole_board = replace(self._shape, width=self._width, tall=self._height)
        return self._rasterize(moved_borders, whole_board)

    def _paste(self, frame: Any, tile: Any, middle: tuple[int, int]) -> None:
        x, y = middle
        corner = (round(x * self._zoom), round(y * self._zoom))
        frame.paste(tile, corner, tile)

    def _find_palette(self) -> Any:
        """Return a palette of the tiles' colours: frames that need no dithering compress better."""
        tiles = [*self._tiles.values(), *self._own_tiles.values(), self._ring]
        width, height = tiles[0].size
        strip = self._image.new("RGB", (width * len(tiles), height), "white")
        for number, tile in enumerate(tiles):
            strip.paste(tile, (number * width, 0), tile)
        return strip.quantize(256)

    def _rasterize(self, tile: str, shape: TileShape) -> Any:
        png = make_png(frame_tile(tile, shape), zoom=self._zoom)
        image = self._image.open(BytesIO(png))
        return image.convert("RGBA")
