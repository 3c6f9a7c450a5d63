"""The pictures of pages in the documents: ``python -m tools.screenshots`` takes them anew.

They are of a window of 1280 by 720, in few colours: their files are part of every checkout.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from PIL import Image

from tests.arena.contests.contest import report
from tests.browser.pages import Opener, settle, start_browser, wait_until_ready
from tests.browser.sheets import draw_game, open_game
from tests.browser.test_contest import write_games
from tests.browser.test_playground import add_card
from tests.helpers import EXAMPLE, ROOT

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page

_WINDOW = (1280, 720)
_PHONE, _GAP = (390, 844), 12
_DOOR = (1280, 800)
_INNS = """card(inns, 11, "4 gold for each town that you stand beside").

gold(inns, P, hex(R,C), 4) :- player(P), town_by(P,R,C).
town_by(P,R,C) :- settlement(P,R1,C1), near(R1,C1,R,C), terrain(town,R,C).
"""
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
        for name, picture in _take_doors(opener):
            _keep(picture, f"static/{name}", 128)
        for name, pictures in _take_looks(opener, Path(folder)):
            _keep(_join(pictures, 0.5), f"looks/{name}", 128)


def _take_sheet(opener: Opener) -> Iterator[bytes]:
    """Take the three steps of the sheet, on a phone."""
    page = opener.make("sheet", size=_PHONE)
    state = draw_game(Random(12)) | {"title": "Friday night"}
    for step in ("setup", "place", "result"):
        open_game(page, state | {"step": step})
        yield page.screenshot()


def _take_doors(opener: Opener) -> Iterator[tuple[str, bytes]]:
    """Take the three pictures of the front page, of one detail each."""
    page = opener.make("sheet", size=(640, 400))
    open_game(page, draw_game(Random(12)) | {"title": "Friday night", "step": "result"})
    page.evaluate("document.querySelector('nav').style.visibility = 'hidden'")
    yield "sheet", page.screenshot()
    page = opener.make(*_TABLE, size=_DOOR)
    page.evaluate(_PLAY, _TURNS)
    box = page.locator("#field").bounding_box()
    assert box is not None
    left, top = box["x"] + 30, box["y"] + 20
    clip: FloatRect = {"x": left, "y": top, "width": 560, "height": 350}
    yield "tabletop", page.screenshot(clip=clip)
    page = opener.playground(EXAMPLE.relative_to(ROOT), size=_DOOR)
    add_card(page, "inns", _INNS)
    yield "playground", page.screenshot(clip={"x": 640, "y": 0, "width": 640, "height": 400})


def _take_looks(opener: Opener, folder: Path) -> Iterator[tuple[str, list[bytes]]]:
    """Take each page on a phone and on a desk, as it is when it has been opened."""
    state = draw_game(Random(12)) | {"title": "Friday night"}
    contest = write_games(folder)
    report(contest)
    base = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
    pages: dict[str, Callable[[tuple[int, int]], Page]] = {
        "playground": lambda size: opener.make("playground", EXAMPLE.relative_to(ROOT), size=size),
        "tabletop": lambda size: opener.make(*_TABLE, size=size),
        "replay": lambda size: opener.make("replay", base.relative_to(ROOT), size=size),
        "report": lambda size: opener.make("report", EXAMPLE.relative_to(ROOT), size=size),
        "contest": lambda size: opener.open(contest.with_suffix(".html"), size),
    }
    for name, make in pages.items():
        pictures = []
        for size in (_PHONE, _DOOR):
            page = make(size)
            settle(page)
            page.reload()
            wait_until_ready(page)
            settle(page)
            pictures.append(page.screenshot())
        yield name, pictures
    for step in ("setup", "place", "result"):
        pictures = []
        for size in (_PHONE, _DOOR):
            page = opener.make("sheet", size=size)
            open_game(page, state | {"step": step})
            pictures.append(page.screenshot())
        yield f"sheet-{step}", pictures


def _join(pictures: list[bytes], scale: float = 1) -> bytes:
    """Put pictures side by side."""
    images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    images = [
        image.resize((round(image.width * scale), round(image.height * scale))) for image in images
    ]
    wide = sum(image.width + _GAP for image in images) - _GAP
    sheet = Image.new("RGB", (wide, max(image.height for image in images)), "#8c8c8c")
    left = 0
    for image in images:
        sheet.paste(image, (left, 0))
        left += image.width + _GAP
    made = io.BytesIO()
    sheet.save(made, "PNG")
    return made.getvalue()


def _keep(picture: bytes, name: str, colours: int = _COLOURS) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    if name.startswith("static/"):
        high = round(image.width / 1.6)
        image = image.crop((0, 0, image.width, min(high, image.height))).resize((640, 400))
    image = image.quantize(colours)
    path = ROOT / "docs" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    image.save(path, optimize=True)


if __name__ == "__main__":
    main()
