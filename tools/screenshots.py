"""The pictures of pages in the documents: ``python -m tools.screenshots`` takes them anew.

They are of a window of 1280 by 720, in few colours: their files are part of every checkout.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PIL import Image

from tests.browser.pages import Opener, settle, start_browser
from tests.browser.sheets import draw_game, open_game
from tests.helpers import EXAMPLE, ROOT

_WINDOW = (1280, 720)
_PHONE, _GAP = (390, 844), 12
_COLOURS = 256
_TABLE = ("tabletop", "--player", "human", "--player", "settler", "--player", "greedy", "--seed", 3)
_TURNS = 4
# Builds on the first hex that is marked, and ends each turn.
_PLAY = """async (turns) => {
  const click = (wanted) => document.querySelector(wanted)
    .dispatchEvent(new MouseEvent("click", { bubbles: true }));
  for (let ended = 0; ended < turns;) {
    await kb.settled();
    const isOver = document.querySelector("#end-turn").getAttribute("aria-disabled") === "false";
    click(isOver ? "#end-turn" : ".hex[aria-disabled=false]");
    ended += isOver;
  }
  await kb.settled();
}"""


def main() -> None:
    """Take the pictures."""
    # The title of the playground is the path of its board.
    with (
        contextlib.chdir(ROOT),
        tempfile.TemporaryDirectory() as folder,
        start_browser() as browser,
    ):
        opener = Opener(browser, Path(folder))
        page = opener.make(*_TABLE, size=_WINDOW)
        page.evaluate(_PLAY, _TURNS)
        _keep(page.screenshot(), "tabletop")
        page = opener.playground(EXAMPLE.relative_to(ROOT), size=_WINDOW)
        page.click("#gold tbody tr:nth-child(4) td:nth-of-type(4) button")
        settle(page)
        _keep(page.screenshot(), "playground")
        _keep(_join(list(_take_sheet(opener))), "sheet")


def _take_sheet(opener: Opener) -> Iterator[bytes]:
    """Take the three steps of the sheet, on a phone."""
    page = opener.make("sheet", size=_PHONE)
    state = draw_game(Random(12)) | {"title": "Friday night"}
    for step in ("setup", "place", "result"):
        open_game(page, state | {"step": step})
        yield page.screenshot()


def _join(pictures: list[bytes]) -> bytes:
    """Put pictures side by side."""
    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    wide, high = images[0].size
    sheet = Image.new("RGB", ((wide + _GAP) * len(images) - _GAP, high), "#8c8c8c")
    for number, image in enumerate(images):
        sheet.paste(image, (number * (wide + _GAP), 0))
    made = io.BytesIO()
    sheet.save(made, "PNG")
    return made.getvalue()


def _keep(picture: bytes, name: str) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(_COLOURS)
    image.save(ROOT / "docs" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
