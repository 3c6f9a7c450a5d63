"""Pictures made of dots: PNG and GIF, by the libraries of the extra ``kb-score[pictures]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from kb_score.errors import KbScoreError
from kb_score.shell.svg import TileShape, check_looks, draw_tile, frame_tile, shape_of

if TYPE_CHECKING:
    from kb_score.shell.picture import Look
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


def make_gif(replay: Replay, *, across: int = 800, seconds: float = 0.15) -> bytes:
    """Make an animation of a replay, a frame for each turn."""
    image = _load("PIL.Image")
    shape = shape_of(hexes=replay.hexes)
    check_looks(replay.looks)
    rows, columns = replay.size
    wide = columns * shape.width + shape.hexes * shape.width // 2
    zoom = max(2 / shape.width, min(2.0, across / wide))
    looks = replay.find_looks().items()
    tiles = {symbol: _make_tile(image, symbol, look, shape, zoom) for symbol, look in looks}
    size = round(wide * zoom), round((rows * shape.height + shape.tall - shape.height) * zoom)
    canvas = image.new("RGB", size, "white")
    palette = _find_palette(image, list(tiles.values()))

    def draw_frames() -> Iterator[Any]:
        for step in replay.steps:
            for place, symbol in step.cells.items():
                x, y = shape.middle(place)
                canvas.paste(tiles[symbol], (round(x * zoom), round(y * zoom)), tiles[symbol])
            yield canvas.quantize(palette=palette, dither=image.Dither.NONE)

    frames = draw_frames()
    made = BytesIO()
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


def _make_tile(image: Any, symbol: str, look: Look, shape: TileShape, zoom: float) -> Any:
    tile = draw_tile(symbol, look, shape)
    svg = frame_tile(tile, shape)
    return image.open(BytesIO(make_png(svg, zoom=zoom))).convert("RGBA")
