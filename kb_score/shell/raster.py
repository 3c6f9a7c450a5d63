"""Pictures made of dots: PNG and GIF, by the libraries of the extra ``kb-score[pictures]``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kb_score.errors import KbScoreError

if TYPE_CHECKING:
    pass

_LARGEST = 16_000  # pixels of a side, which any viewer still opens


def make_png(svg: str, *, zoom: float = 2) -> bytes:
    """Render an SVG as PNG, each unit of the picture ``zoom`` dots wide.

    Raises:
        KbScoreError: The libraries that do this are not installed.
    """
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
