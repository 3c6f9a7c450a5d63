"""Pages and pictures as single files, which need no network and no server."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from html import escape
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from itertools import product
from pathlib import PurePath
from string import Template
from typing import Any

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
    list_own,
    take_apart,
)
from kb_score.shell.target import Target

_FOLDER = files("kb_score") / "shell" / "page"

# The most that a page shows where no script runs, such as in a preview of mail.
_MOST_PLACES = 10_000
_MOST_VIOLATIONS = 20


def write_replay(replay: Replay) -> str:
    """Return a page that shows a replay."""
    tally: dict[str, str] = {}
    for step in replay.steps:
        tally.update(step.tally)
    entries = ""
    for label, value in tally.items():
        entries += f"<div><dt>{_escape(label)}<dd>{_escape(value)}</div>"
    violations = ""
    for violation in replay.violations[:_MOST_VIOLATIONS]:
        violations += f"<li>{_escape(violation)}"
    title = replay.title or name_page(replay.record, replay.game)
    last_board = replay.at(replay.last)
    return fill_page(
        "replay",
        title,
        _list_data(replay),
        seen=see_board(last_board, hexes=replay.hexes),
        caption=_escape(replay.steps[-1].caption),
        tally=entries,
        violations=violations,
    )


def see_board(drawing: Drawing, *, hexes: bool) -> str:
    """Draw the board that is seen before a script draws it; empty for a very large one."""
    rows, columns = drawing.size
    if rows * columns > _MOST_PLACES:
        return ""
    symbols = dict.fromkeys(drawing.cells.values())
    tiles = {symbol: f"t{number}" for number, symbol in enumerate(symbols)}
    return draw_patterns(drawing, tiles, SHAPES[hexes])


def _escape(text: object) -> str:
    return escape(visible(str(text)))


def name_page(record: str, game: str) -> str:
    """Return a page's title, which distinguishes the tabs of a browser.

    It does not contain the folder of the record: people send pages to others.
    """
    file_name = PurePath(record).name
    game_name = game.replace("-", " ").title()
    return f"{file_name} - {game_name}"


def list_styles(*, hexes: bool) -> dict[str, Any]:
    """List the data with which a page's script draws places: their shape, colours and marks."""
    return {
        "shape": _describe_shape(hexes=hexes),
        "colours": {name: (fill, find_ink(name)) for name, fill in COLOURS.items()},
        "marks": MARKS,
    }


def fill_page(page: str, title: str, data: Mapping[str, Any], **more: str) -> str:
    """Return a page of the folder ``page`` with its data and texts.

    The data are compressed, so that nothing in them can become markup, and the page stays small.

    Args:
        page: The name of the page's files, without an ending.
        title: The title of the page.
        data: The data that the page's script reads.
        more: Markup by its name in the page; a name that is not given stands for no text.
    """
    texts = defaultdict(str, {"title": _escape(title), **more})
    texts["player"] = Template(_read("player.html")).substitute(texts)
    texts["kind"] = str(data.get("kind"))
    body = _read(f"{page}.html")
    if "$wasm" in body:  # clingo runs in the page
        wasm = (_FOLDER / "clingo.wasm.gz").read_bytes()
        texts["wasm"] = b64encode(wasm).decode()
        texts["policy"] = " 'wasm-unsafe-eval' blob:; worker-src blob:"
    if '"later"' in body:  # the page starts its script itself
        texts["later"] = ' type="text/plain" id="later"'
    style = _read("page.css")
    own_style = f"{page}.css"
    if (_FOLDER / own_style).is_file():
        style += "\n" + _read(own_style)
    json_text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    compressed = zlib.compress(json_text.encode(errors="replace"), 9)
    return Template(_read("frame.html")).substitute(
        texts,
        body=Template(body).substitute(texts),
        style=style,
        script=_read(f"{page}.js"),
        data=b64encode(compressed).decode(),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip()


def _list_data(replay: Replay) -> dict[str, Any]:
    """List the data of a replay; places are numbers, row by row, and so are symbols."""
    _, columns = replay.size
    looks = replay.find_looks()
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    first_board = replay.at(replay.first)
    titles = {row * columns + column: name for (row, column), name in replay.titles.items()}
    start = replay.first
    if replay.violations:
        start = replay.choose(None)
    violations = []
    for violation in replay.violations:
        shown_turn = replay.turn_of(violation)
        text = visible(str(violation))
        violations.append([violation.turn, shown_turn, text])
    return {
        **_list_looks(first_board, looks, hexes=replay.hexes),
        "titles": titles,
        "first": replay.first,
        "start": start,
        "steps": [_list_step(step, columns, numbers) for step in replay.steps],
        "violations": violations,
    }


def list_board(drawing: Drawing, *, hexes: bool) -> dict[str, Any]:
    """List the data of a board, its places row by row."""
    looks = drawing.find_looks()
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    rows, columns = drawing.size
    cells = []
    for place in product(range(rows), range(columns)):
        symbol = drawing.cells.get(place, "")
        cells.append(numbers.get(symbol, 0))
    return {"cells": cells, **_list_looks(drawing, looks, hexes=hexes)}


def _describe_shape(*, hexes: bool) -> dict[str, Any]:
    """Describe the shape of places, from which a page computes where they are."""
    described = asdict(SHAPES[hexes])
    described["hexes"] = described.pop("row_shift") > 0
    return described


def _list_looks(drawing: Drawing, looks: Mapping[str, Look], *, hexes: bool) -> dict[str, Any]:
    """List the size of a board and the looks of its symbols.

    Raises:
        RuleError: A look has an unknown colour or mark.
    """
    check_looks(looks)
    shape = SHAPES[hexes]
    rows, columns = drawing.size
    signs = list_own(drawing, looks)
    listed = []
    for symbol, look in looks.items():
        shown = {
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


def _list_legend(looks: Mapping[str, Look], shape: TileShape) -> Iterator[dict[str, Any]]:
    """List each name once, with a tile and the symbols that stand for it."""
    drawn = {**looks, **take_apart(looks)}
    has_pieces = any(look.piece for look in looks.values())
    for name, (symbol, *_) in list_legend(drawn):
        look = drawn[symbol]
        top = look.piece or look
        if has_pieces:  # dots only show where a piece may be put
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


def _list_step(step: Step, columns: int, numbers: Mapping[str, int]) -> list[Any]:
    """List the changes of a step; places as distances, which compress well."""
    cells = []
    before = 0
    for (row, column), symbol in sorted(step.cells.items()):
        place = row * columns + column
        cells += [place - before, numbers[symbol]]
        before = place
    tally = [[visible(label), visible(value)] for label, value in step.tally.items()]
    points = sorted(row * columns + column for row, column in step.points)
    return [visible(step.caption), cells, tally, points]


def check_libraries(target: Target) -> None:
    """Check that the libraries for an animation are installed, before anything takes time.

    Raises:
        KbScoreError: A library is missing; the message says how to install it.
    """
    if target.ending == ".gif":
        for module in ("resvg_py", "font_roboto", "PIL.Image"):
            _load(module)


def draw_turn(replay: Replay, turn: int | None) -> str:
    """Return one picture of a replay as SVG; `Replay.choose` says which."""
    chosen = replay.choose(turn)
    caption = replay.steps[chosen - replay.first].caption
    title = visible(replay.title or PurePath(replay.record).name)
    violations = [str(one) for one in replay.violations if one.turn == chosen]
    return draw_svg(
        replay.at(chosen),
        title=f"{title}: {caption}",
        description="; ".join(violations),
        hexes=replay.hexes,
    )


def write_picture(svg: str, target: Target) -> None:
    """Write a picture as its file's name says; as SVG on standard output."""
    picture = make_png(svg) if target.ending == ".png" else svg.encode()
    target.write(picture)


def save_replay(replay: Replay, target: Target, speed: float | None = None) -> None:
    """Write a replay as its file's name says; as a page on standard output.

    Args:
        replay: The replay.
        target: The file, or standard output.
        speed: The number of turns per second of an animation.

    Raises:
        InputError: A speed is given for a page, or the file cannot be written.
    """
    if target.ending == ".gif":
        target.write(make_gif(replay, speed=speed))
        return
    if speed:
        raise InputError("--speed", "a page has its own speeds: only an animation (.gif) takes one")
    target.write(write_replay(replay).encode())


def make_png(svg: str, *, zoom: float = 2) -> bytes:
    """Render an SVG as PNG, each unit of the picture ``zoom`` dots wide."""
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
            "pictures in dots need libraries that are not installed: "
            "pip install 'kb-score[pictures]' brings them; SVG needs nothing more"
        ) from None


# Seconds: a short game can be followed turn by turn, and a long one lasts at most a minute.
_SLOWEST_TURN = 0.6
_FASTEST_TURN = 0.05
_WHOLE_GAME = 60.0
_LAST_TURN = 2000  # milliseconds
_CAPTION_HEIGHT = 24  # dots


def make_gif(replay: Replay, *, across: int = 800, speed: float | None = None) -> bytes:
    """Return an animation of a replay: a frame for each turn, with its rings and its caption.

    Args:
        replay: The replay.
        across: The width of the board, in dots, unless it is small.
        speed: The number of turns per second; None for a speed that depends on their number.

    Raises:
        KbScoreError: A library for animations is not installed.
        RuleError: A look has an unknown colour or mark.
    """
    check_looks(replay.looks)
    turns = len(replay.steps)
    seconds = max(_FASTEST_TURN, min(_SLOWEST_TURN, _WHOLE_GAME / turns))
    if speed:
        seconds = 1 / speed
    durations = [round(seconds * 1000)] * (turns - 1)
    durations.append(_LAST_TURN)
    gif = BytesIO()
    frames = _Animator(replay, across).draw_frames()
    first_frame = next(frames)
    first_frame.save(
        gif, "GIF", optimize=True, save_all=True, append_images=frames, duration=durations, loop=0
    )
    return gif.getvalue()


class _Animator:
    """Draws the frames of an animation; all lengths but those of frames are in units of the SVG."""

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
        # Tiles of places whose own name is a mark, by name.
        first_board = replay.at(replay.first)
        self._own_tiles = self._draw_tiles(list_own(first_board, self._looks))
        self._ring = self._rasterize(draw_ring(shape), shape)

    def _draw_tiles(self, looks: Mapping[str, Look]) -> dict[str, Any]:
        tiles = {}
        for name, look in looks.items():
            tile = draw_tile(name, look, self._shape)
            tiles[name] = self._rasterize(tile, self._shape)
        return tiles

    def draw_frames(self) -> Iterator[Any]:
        """Draw the frame of each turn."""
        replay = self._replay
        draw = _load("PIL.ImageDraw")
        palette = self._find_palette()
        wrong_turns = set(map(replay.turn_of, replay.violations))
        caption_top = round(self._height * self._zoom)
        tally: dict[str, str] = {}
        for turn, (step, frame) in enumerate(self._draw_boards(caption_top), replay.first):
            for place in step.points:
                self._paste(frame, self._ring, self._shape.middle(place))
            tally.update(step.tally)
            turns = [value for label, value in tally.items() if label.endswith(" turn")]
            caption = ": ".join([step.caption, *turns])
            if turn in wrong_turns:
                caption += ": not by the rules"
            position = (4, caption_top + 2)
            draw.Draw(frame).text(position, visible(caption), fill="black", font=self._font)
            yield frame.quantize(palette=palette, dither=self._image.Dither.NONE)

    def _draw_boards(self, height: int) -> Iterator[tuple[Step, Any]]:
        """Draw the board of each step; its borders only if the colours of places have changed."""
        width = max(200, round(self._width * self._zoom))
        canvas = self._image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
        grounds: dict[Place, str] = {}
        drawn_grounds: dict[Place, str] = {}
        borders = None
        for step in self._replay.steps:
            for place, symbol in step.cells.items():
                look = self._looks[symbol]
                tile = self._tiles[symbol]
                if look.piece is None:
                    name = self._replay.titles.get(place, "")
                    tile = self._own_tiles.get(name, tile)
                self._paste(canvas, tile, self._shape.middle(place))
                grounds[place] = look.colour
            if grounds != drawn_grounds:
                drawn_grounds = dict(grounds)
                borders = self._draw_borders(grounds)
            frame = canvas.copy()
            self._paste(frame, borders, (0, 0))
            yield step, frame

    def _draw_borders(self, grounds: Mapping[Place, str]) -> Any:
        """Draw the borders of the whole board as one tile, whose middle is that of the board."""
        x = (self._shape.width - self._width) // 2
        y = (self._shape.tall - self._height) // 2
        borders = draw_borders(grounds, self._shape)
        moved_borders = f'<g transform="translate({x}, {y})">{borders}</g>'
        whole_board = replace(self._shape, width=self._width, tall=self._height)
        return self._rasterize(moved_borders, whole_board)

    def _paste(self, frame: Any, tile: Any, place: tuple[int, int]) -> None:
        x, y = place
        corner = (round(x * self._zoom), round(y * self._zoom))
        frame.paste(tile, corner, tile)

    def _find_palette(self) -> Any:
        """Return the colours of all tiles; dithering with other colours would take space."""
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
