"""Pictures made of dots: PNG and GIF, by the libraries of the extra ``kb-score[pictures]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from kb_score.errors import KbScoreError, visible
from kb_score.shell.svg import TileShape, check_looks, draw_ring, draw_tile, frame_tile, shape_of

if TYPE_CHECKING:
    from kb_score.shell.picture import Place
    from kb_score.shell.replay import Replay


def make_png(svg: str, *, zoom: float = 2) -> bytes:
    """Render an SVG as PNG, each unit of the picture ``zoom`` dots wide."""
    resvg = _load("resvg_py")
    fonts = _load("font_roboto")
    made: bytes = resvg.svg_to_bytes(
        svg_string=svg, zoom=zoom, font_files=[fonts.Roboto, fonts.RobotoBold],
        skip_system_fonts=True,
    )  # fmt: skip
    return bytes(made)


def check_libraries() -> None:
    """Check that the libraries for animations are there; else a KbScoreError says what to do."""
    for module in ("resvg_py", "font_roboto", "PIL.Image"):
        _load(module)


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
_LINE = 24  # dots for the caption


def make_gif(replay: Replay, *, across: int = 800) -> bytes:
    """Make an animation of a replay: a frame for each turn, with its rings and its caption."""
    image, draw = _load("PIL.Image"), _load("PIL.ImageDraw")
    shape = shape_of(hexes=replay.hexes)
    check_looks(replay.looks)
    rows, columns = replay.size
    wide = columns * shape.width + shape.hexes * shape.width // 2
    zoom = max(2 / shape.width, min(2.0, across / wide))
    tiles = {
        symbol: _rasterize(image, draw_tile(symbol, look, shape), shape, zoom)
        for symbol, look in replay.find_looks().items()
    }
    ring = _rasterize(image, draw_ring(shape), shape, zoom)
    high = round((rows * shape.height + shape.tall - shape.height) * zoom)
    canvas = image.new("RGB", (max(200, round(wide * zoom)), high + _LINE), "white")
    palette = _find_palette(image, [*tiles.values(), ring])
    font = _load("PIL.ImageFont").truetype(_load("font_roboto").Roboto, 16)
    wrong = {replay.turn_of(violation) for violation in replay.violations}

    def draw_frames() -> Iterator[Any]:
        for turn, step in enumerate(replay.steps, replay.first):
            for place, symbol in step.cells.items():
                paste(canvas, tiles[symbol], place)
            frame = canvas.copy()
            for place in step.points:
                paste(frame, ring, place)
            says = visible(step.caption) + (": not by the rules" if turn in wrong else "")
            draw.Draw(frame).text((4, high + 2), says, fill="black", font=font)
            yield frame.quantize(palette=palette, dither=image.Dither.NONE)

    def paste(frame: Any, tile: Any, place: Place) -> None:
        x, y = shape.middle(place)
        frame.paste(tile, (round(x * zoom), round(y * zoom)), tile)

    frames, made = draw_frames(), BytesIO()
    seconds = max(_FAST, min(_SLOW, _WHOLE / len(replay.steps)))
    times = [round(seconds * 1000)] * (len(replay.steps) - 1) + [2000]
    options = {"save_all": True, "append_images": frames, "duration": times, "loop": 0}
    next(frames).save(made, "GIF", optimize=False, **options)
    return made.getvalue()


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
