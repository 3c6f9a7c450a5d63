"""Pages and pictures as files: one each, which needs no network and no server."""

from __future__ import annotations

import json
import sys
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from html import escape
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from itertools import product
from pathlib import PurePath
from string import Template
from typing import Any

from kb_score.errors import InputError, KbScoreError, visible
from kb_score.shell.files import write_whole
from kb_score.shell.picture import PLAIN, Drawing, Look, Place, Replay, Step
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

_FOLDER = files("kb_score") / "shell" / "page"


def write_replay(replay: Replay) -> str:
    """Write a page that shows a replay."""
    title = replay.title or name_page(replay.record, replay.game)
    last = replay.at(replay.last)
    tally = {label: value for step in replay.steps for label, value in step.tally.items()}
    wrong = "".join(f"<li>{_escape(v)}" for v in replay.violations[:_MOST_SEEN])
    return fill_page(
        "replay",
        title,
        _list_data(replay),
        seen=see_board(last, hexes=replay.hexes),
        caption=_escape(replay.steps[-1].caption),
        tally="".join(
            f"<div><dt>{_escape(label)}<dd>{_escape(value)}</div>" for label, value in tally.items()
        ),
        violations=wrong,
    )


# What is seen of a page where no script runs, such as in a preview of mail: no more places, and
# no more violations.
_MOST_SEEN_PLACES, _MOST_SEEN = 10_000, 20


def see_board(drawing: Drawing, *, hexes: bool) -> str:
    """Draw what is seen of a board before a script draws it; nothing of a very large one."""
    rows, columns = drawing.size
    if rows * columns > _MOST_SEEN_PLACES:
        return ""
    tiles = {symbol: f"t{i}" for i, symbol in enumerate(dict.fromkeys(drawing.cells.values()))}
    return draw_patterns(drawing, tiles, SHAPES[hexes])


def _escape(text: object) -> str:
    return escape(visible(str(text)))


def name_page(record: str, game: str) -> str:
    """Name a page so that the tabs of a browser can be told apart.

    People send pages to others, so it does not name the folder of the record.
    """
    return f"{PurePath(record).name} - {game.replace('-', ' ').title()}"


def list_styles(*, hexes: bool) -> dict[str, Any]:
    """List what a page's script needs to draw places: their shape, colours and marks."""
    return {
        "shape": asdict(SHAPES[hexes]),
        "colours": {name: (fill, find_ink(name)) for name, fill in COLOURS.items()},
        "marks": MARKS,
    }


def fill_page(page: str, title: str, data: Mapping[str, Any], **more: str) -> str:
    """Put data into a page of the folder ``page``, and more under the names that it has there.

    Data are packed, so that nothing in them can become markup, and so that a page stays small.
    """
    # What is not given is empty: only some pages show it before their scripts run.
    names = defaultdict(str, {"title": escape(visible(title)), **more})
    names["player"] = Template(_read("player.html")).substitute(names)
    names["kind"] = str(data.get("kind"))
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    own = [f"{page}.css"] if (_FOLDER / f"{page}.css").is_file() else []
    if "$wasm" in (body := _read(f"{page}.html")):  # clingo runs in the page
        names["wasm"] = b64encode((_FOLDER / "clingo.wasm.gz").read_bytes()).decode()
        names["policy"] = " 'wasm-unsafe-eval' blob:; worker-src blob:"
    return Template(_read("frame.html")).substitute(
        names,
        later=' type="text/plain" id="later"' * ('"later"' in body),  # the page starts it
        body=Template(body).substitute(names),
        style="\n".join(map(_read, ["page.css", *own])),
        script=_read(f"{page}.js"),
        data=b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode(),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8").rstrip()


def _list_data(replay: Replay) -> dict[str, Any]:
    """List what the page's script reads: places are numbers, row by row, and so are symbols."""
    _, columns = replay.size
    looks = replay.find_looks()
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    return {
        **_list_looks(replay.at(replay.first), looks, hexes=replay.hexes),
        "titles": {row * columns + column: name for (row, column), name in replay.titles.items()},
        "first": replay.first,
        "start": replay.choose(None) if replay.violations else replay.first,
        "steps": [_list_step(step, columns, numbers) for step in replay.steps],
        "violations": [[v.turn, replay.turn_of(v), visible(str(v))] for v in replay.violations],
    }


def list_board(drawing: Drawing, *, hexes: bool) -> dict[str, Any]:
    """List what a page's script reads of a board, its places row by row."""
    looks = {s: drawing.looks.get(s, PLAIN) for s in sorted(set(drawing.cells.values()))}
    numbers = {symbol: number for number, symbol in enumerate(looks, 1)}
    rows, columns = map(range, drawing.size)
    cells = [numbers.get(drawing.cells.get(place, ""), 0) for place in product(rows, columns)]
    return {"cells": cells, **_list_looks(drawing, looks, hexes=hexes)}


def _list_looks(drawing: Drawing, looks: Mapping[str, Look], *, hexes: bool) -> dict[str, Any]:
    check_looks(looks)
    shape, (rows, columns) = SHAPES[hexes], drawing.size
    return {
        "rows": rows,
        "columns": columns,
        "shape": asdict(shape),
        "signs": {n: draw_tile(n, look, shape) for n, look in list_own(drawing, looks).items()},
        "looks": [
            {
                "symbol": visible(s),
                "name": visible(look.describe(s)),
                "tile": draw_tile(s, look, shape),
                "ground": look.colour,
            }
            for s, look in looks.items()
        ],
        "legend": list(_list_legend(looks, shape)),
    }


def _list_legend(looks: Mapping[str, Look], shape: TileShape) -> Iterator[dict[str, Any]]:
    """List each name once, with a tile and the symbols that stand for it."""
    drawn = {**looks, **take_apart(looks)}
    has_pieces = any(look.piece for look in looks.values())
    for name, (symbol, *_) in list_legend(drawn):
        look = drawn[symbol]
        yield {
            "name": visible(name),
            "tile": draw_tile(symbol, look, shape),
            "colour": COLOURS[look.piece.colour if look.piece else look.colour],
            "symbols": [n for n, s in enumerate(looks, 1) if name in looks[s].list_names(s)],
            # Places with a letter are one of a kind, and may be hidden by others; and where there
            # are pieces, these are what matters.
            "counted": _is_counted(look) if has_pieces else look.mark != "text" or not look.name,
        }


def _is_counted(look: Look) -> bool:
    """Whether it is of interest how many places look so: dots only tell where something may be."""
    return look.piece is not None and look.piece.mark != "dot"


def _list_step(step: Step, columns: int, numbers: Mapping[str, int]) -> list[Any]:
    """List what a step changes; places as distances, which pack well."""
    cells: list[int] = []
    before = 0
    for (row, column), symbol in sorted(step.cells.items()):
        place = row * columns + column
        cells += place - before, numbers[symbol]
        before = place
    tally = [[visible(label), visible(value)] for label, value in step.tally.items()]
    points = sorted(row * columns + column for row, column in step.points)
    return [visible(step.caption), cells, tally, points]


def check_ending(output: str | None, *endings: str) -> None:
    """Check that a file's name says what to write, and that it can be, before it takes any time."""
    ending = PurePath(output or "").suffix.lower()
    if output is not None and ending not in endings:
        raise InputError(output, f"the name of the output has to end in {' or '.join(endings)}")
    if ending == ".gif":
        for module in ("resvg_py", "font_roboto", "PIL.Image"):
            _load(module)


def draw_turn(replay: Replay, turn: int | None) -> str:
    """Draw one picture of a replay as SVG: see `Replay.choose`."""
    chosen = replay.choose(turn)
    caption = replay.steps[chosen - replay.first].caption
    return draw_svg(
        replay.at(chosen),
        title=f"{visible(replay.title or PurePath(replay.record).name)}: {caption}",
        description="; ".join(str(v) for v in replay.violations if v.turn == chosen),
        hexes=replay.hexes,
    )


def write_picture(svg: str, output: str | None, inputs: list[str]) -> None:
    """Write a picture as its file's name says; as SVG on standard output."""
    is_png = output is not None and output.lower().endswith(".png")
    write_output(make_png(svg) if is_png else svg.encode(), output, inputs)


def save_replay(
    replay: Replay, output: str | None, inputs: list[str], speed: float | None = None
) -> None:
    """Write a replay as its file's name says; as a page on standard output.

    An animation shows ``speed`` turns a second, if that is given.
    """
    is_gif = output is not None and output.lower().endswith(".gif")
    if speed and not is_gif:
        raise InputError("--speed", "a page has its own speeds: only an animation (.gif) takes one")
    write_output(
        make_gif(replay, speed=speed) if is_gif else write_replay(replay).encode(), output, inputs
    )


def write_output(data: bytes, output: str | None, inputs: list[str]) -> None:
    """Write a file whole, or to standard output, where a person reads no markup."""
    if output is None:
        if data.startswith(b"<") and sys.stdout.isatty():
            raise InputError("-o", "a picture or a page is no text for a terminal: name its file")
        sys.stdout.write(data.decode())
        return
    write_whole(output, data, inputs)


def make_png(svg: str, *, zoom: float = 2) -> bytes:
    """Render an SVG as PNG, each unit of the picture ``zoom`` dots wide."""
    resvg = _load("resvg_py")
    fonts = _load("font_roboto")
    made: bytes = resvg.svg_to_bytes(
        svg_string=svg, zoom=zoom, font_files=[fonts.Roboto, fonts.RobotoBold],
        skip_system_fonts=True,
    )  # fmt: skip
    return bytes(made)


def _load(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise KbScoreError(
            "pictures in dots need libraries that are not installed: "
            "pip install 'kb-score[pictures]' brings them; SVG needs nothing more"
        ) from None


# A short game can be followed turn by turn, and a long one lasts no longer than a minute.
_SLOW, _FAST, _WHOLE = 0.6, 0.05, 60.0
_CAPTION = 24  # dots for the caption


def make_gif(replay: Replay, *, across: int = 800, speed: float | None = None) -> bytes:
    """Make an animation of a replay: a frame for each turn, with its rings and its caption."""
    image, draw = _load("PIL.Image"), _load("PIL.ImageDraw")
    shape, (rows, columns) = SHAPES[replay.hexes], replay.size
    check_looks(replay.looks)
    wide = columns * shape.width + shape.hexes * shape.width // 2
    tall = (rows - 1) * shape.height + shape.tall
    zoom = max(2 / shape.width, min(2.0, across / wide))
    dots = partial(_rasterize, image, zoom=zoom)
    ring, high = dots(draw_ring(shape), shape), round(tall * zoom)
    canvas = image.new("RGB", (max(200, round(wide * zoom)), high + _CAPTION), "white")
    looks = replay.find_looks()
    looks |= {f"own: {n}": o for n, o in list_own(replay.at(replay.first), looks).items()}
    tiles = {key: dots(draw_tile(key, look, shape), shape) for key, look in looks.items()}
    palette = _find_palette(image, [*tiles.values(), ring])
    font = _load("PIL.ImageFont").truetype(_load("font_roboto").Roboto, 16)
    wrong, told = {*map(replay.turn_of, replay.violations)}, dict[str, str]()
    corner = ((shape.width - wide) // 2, (shape.tall - tall) // 2)

    def outline(grounds: Mapping[Place, str]) -> Any:
        line = f'<g transform="translate{corner}">{draw_borders(grounds, shape)}</g>'
        return dots(line, replace(shape, width=wide, tall=tall))

    def draw_frames() -> Iterator[Any]:
        boards = _draw_boards(replay, looks, tiles, canvas, zoom, outline)
        for turn, (step, frame) in enumerate(boards, replay.first):
            told.update(step.tally)
            for place in step.points:
                _paste(frame, ring, shape.middle(place), zoom)
            done = [value for label, value in told.items() if label.endswith(" turn")]
            says = ": ".join([step.caption, *done, *["not by the rules"] * (turn in wrong)])
            draw.Draw(frame).text((4, high + 2), visible(says), fill="black", font=font)
            yield frame.quantize(palette=palette, dither=image.Dither.NONE)

    frames, made = draw_frames(), BytesIO()
    seconds = 1 / speed if speed else max(_FAST, min(_SLOW, _WHOLE / len(replay.steps)))
    times = [round(seconds * 1000)] * (len(replay.steps) - 1) + [2000]
    options = {"save_all": True, "append_images": frames, "duration": times, "loop": 0}
    next(frames).save(made, "GIF", optimize=True, **options)
    return made.getvalue()


def _draw_boards(
    replay: Replay, looks: Mapping[str, Look], tiles: Mapping[str, Any], canvas: Any, zoom: float,
    draw_outline: Callable[[Mapping[Place, str]], Any],
) -> Iterator[tuple[Step, Any]]:  # fmt: skip
    """Draw the board of each step; its outline anew only where grounds have changed."""
    grounds, known, outline = dict[Place, str](), dict[Place, str](), None
    for step in replay.steps:
        for place, symbol in step.cells.items():
            own = "" if looks[symbol].piece else f"own: {replay.titles.get(place)}"
            middle = SHAPES[replay.hexes].middle(place)
            _paste(canvas, tiles.get(own, tiles[symbol]), middle, zoom)
            grounds[place] = looks[symbol].colour
        if grounds != known:
            known, outline = dict(grounds), draw_outline(grounds)
        frame = canvas.copy()
        _paste(frame, outline, (0, 0), zoom)
        yield step, frame


def _paste(frame: Any, tile: Any, at: Place, zoom: float) -> None:
    frame.paste(tile, (round(at[0] * zoom), round(at[1] * zoom)), tile)


def _find_palette(image: Any, tiles: Sequence[Any]) -> Any:
    """Find the colours of all tiles: patterns of other colours in their place would take room."""
    width, height = tiles[0].size
    strip = image.new("RGB", (width * len(tiles), height), "white")
    for i, tile in enumerate(tiles):
        strip.paste(tile, (i * width, 0), tile)
    return strip.quantize(256)


def _rasterize(image: Any, tile: str, shape: TileShape, zoom: float) -> Any:
    svg = frame_tile(tile, shape)
    return image.open(BytesIO(make_png(svg, zoom=zoom))).convert("RGBA")
