"""How tests make pages and look at them."""

from __future__ import annotations

import base64
import json
import re
import shutil
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score.errors import visible
from tests.helpers import run, tally_at

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page, Request

    from kb_score.shell.picture import Replay

WIDE, NARROW = (1280, 900), (360, 740)
# What stands beside the board, by its label.
TALLY = """() => {
  const found = [...document.querySelectorAll("#tally div")].map((line) => (
    [line.firstChild.textContent, line.lastChild.textContent]
  ));
  const heads = [...document.querySelectorAll("#crossed thead > tr > *")];
  for (const line of document.querySelectorAll("#crossed tbody tr")) {
    const [row, ...cells] = [...line.children].map((on) => on.textContent);
    cells.forEach((cell, i) => { if (cell) found.push([row + heads[i + 1].textContent, cell]); });
  }
  return Object.fromEntries(found);
}"""
# What the page says, put together in the page, for a question to a browser takes its time.
_STATE = f"""() => {{
  const texts = (wanted) => [...document.querySelectorAll(wanted)].map((on) => on.textContent);
  return {{
    caption: texts("#caption")[0], rows: texts("#rows")[0].split("\\n"), tally: ({TALLY})(),
  }};
}}"""
_STATES = f"""(turns) => turns.map((turn) => {{
  const slider = document.getElementById("slider");
  slider.value = turn;
  slider.dispatchEvent(new Event("input"));
  return ({_STATE})();
}})"""
# Read in the page, for a question to a browser takes its time.
FIGURES = """() => Object.fromEntries(
  [...document.querySelectorAll("#gold tbody tr")].map((line) => [
    line.firstChild.textContent.replace(/^\\d+ /, ""),
    [...line.querySelectorAll("button")].map((button) => Number(button.textContent)),
  ])
)"""
# Where the middle of a place lies in the window.
MIDDLE = """([row, column]) => {
  const { first: [x, y], step: [right, down], shift } = kb.state.picture;
  return [x + column * right + (row % 2 ? shift : 0), y + row * down];
}"""
# The hexes that the picture of a page marks, such as "3,4".
MARKED = """() => [...document.querySelectorAll('.marks g')].flatMap(
  (on) => on.dataset.hexes.split(" ").filter(Boolean)
)"""
# Take a page back to how it was opened.
_RESET = """async () => {
  await kb.settled();
  document.activeElement.blur();
  scrollTo(0, 0);
  for (const on of document.querySelectorAll(".column")) on.scrollTop = 0;
  for (const on of document.querySelectorAll("details")) on.open = false;
  for (const on of document.querySelectorAll("dialog[open]")) on.close();
  await kb.reset();
  if (document.getElementById("app")) return; // it makes its own markup
  document.getElementById("note").hidden = true;
  for (const on of document.querySelectorAll("[id$=-error], #copied, #at")) on.textContent = "";
  const name = document.getElementById("new-name");
  if (name) name.value = "";
}"""
# Have the address of a page hold something else, and wait for what comes of it.
_FOLLOW = """async (fragment) => {
  history.replaceState(null, "", location.pathname); // the same fragment would be no change
  const heard = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = fragment;
  await heard;
  await kb.settled();
}"""
# A page hears of its new size in the frame after it.
_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# In a container there is neither a sandbox nor a graphics card.
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
_PATIENCE = 10_000  # milliseconds for a part of a page to be there
_LOCAL = ("file:", "data:", "blob:")


class NoBrowser(Exception):
    """There is no browser to be had here; the message says why."""


@contextmanager
def start_browser() -> Iterator[Browser]:
    """Start a browser, and end it in the end.

    Raises:
        NoBrowser: There is none, or nothing to drive it.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "playwright is not installed: pip install -e '.[browser]' brings it"
        raise NoBrowser(reason) from None
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise NoBrowser(f"there is no browser: none of {', '.join(BROWSERS)} is on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_OPTIONS)
        yield browser
        browser.close()


@dataclass
class Opener:
    """Opens pages in a browser, and collects what goes wrong there.

    All pages share one tab, for a new one takes a second to start. A page that is wanted again is
    not made again; a playground, a tabletop or a sheet is not even loaded again.
    """

    browser: Browser
    folder: Path
    troubles: list[str] = field(default_factory=list)
    made: dict[tuple[object, ...], Path] = field(default_factory=dict)
    kept: dict[tuple[object, ...], Page] = field(default_factory=dict)

    def open(self, path: Path, size: tuple[int, int] = WIDE) -> Page:
        """Open a page of ours from its file, and wait until it is ready."""
        return wait_until_ready(self.visit(path, size))

    def visit(self, path: Path, size: tuple[int, int] = WIDE) -> Page:
        """Open any page from its file, in a window of a size."""
        set_size(self.tab, size)
        self.tab.goto(path.as_uri())
        return self.tab

    def make(self, *words: object, size: tuple[int, int] = WIDE) -> Page:
        """Make a page, by the words of its command, and open it."""
        return self.open(self._write(words), size)

    def replay(self, *files: object, size: tuple[int, int] = WIDE) -> Page:
        """Make the page of a record, by the words after ``replay``, and open it."""
        return self.make("replay", *files, size=size)

    def playground(self, *words: object, size: tuple[int, int] = WIDE) -> Page:
        """Open a playground in a tab of its own; what was changed there is taken back."""
        return self._keep(("playground", *words), size)

    def tabletop(self, *words: object, size: tuple[int, int] = WIDE) -> Page:
        """Open a tabletop in a tab of its own, at the start of its game; bots make no pauses."""
        return self._keep(("tabletop", "kingdom-builder", *words), size)

    def sheet(self) -> Page:
        """Open a sheet in a tab of its own, at the start of a game."""
        return self._keep(("sheet",), WIDE)

    def close(self) -> None:
        """Leave the tab to the next test, with nothing that a page has kept."""
        if self.tab.url == "about:blank":
            return
        if self.tab.url.startswith("file:"):
            self.tab.evaluate("localStorage.clear()")
        self.tab.goto("about:blank")
        self.tab.emulate_media(media="null", color_scheme="null", reduced_motion="null")

    @cached_property
    def tab(self) -> Page:
        """Where pages are opened."""
        return self._start()

    def _keep(self, words: tuple[object, ...], size: tuple[int, int]) -> Page:
        page = self.kept.get(words)
        if page:
            page.mouse.move(0, 0)
            page.emulate_media(media="null", color_scheme="null")
            page.evaluate(_RESET)
        else:
            page = self.kept[words] = self._start()
            page.emulate_media(reduced_motion="reduce")
            page.goto(self._write(words).as_uri())
        set_size(page, size)
        return wait_until_ready(page)

    def _write(self, words: tuple[object, ...]) -> Path:
        path = self.made.get(words)
        if not path:
            path = self.made[words] = self.folder / f"{words[0]}{len(self.made)}.html"
            ran = run(*words, "-o", path)
            assert ran.status == 0, ran.err
            # These tell of boards that break rules, and that covered rules may be wrong.
            assert not ran.err or words[0] in ("report", "rules")
        return path

    def _start(self) -> Page:
        page = self.browser.new_context(offline=True).new_page()
        page.set_default_timeout(_PATIENCE)
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog: {dialog.message}"))
        page.on("request", self._look_at)
        return page

    def _look_at(self, request: Request) -> None:
        if not request.url.startswith(_LOCAL):
            self.troubles.append(f"request: {request.url}")


def wait_until_ready(page: Page) -> Page:
    """Wait until a page of ours shows what it has to show."""
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    return page


def set_size(page: Page, size: tuple[int, int]) -> None:
    """Make the window of a page so large, and wait until the page has followed."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate(_FRAMES)


def read_column(page: Page, table: str, number: int) -> list[str]:
    """Read a column of a table's body, from 1 on."""
    return page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


def look(page: Page) -> dict[str, Any]:
    """Read what a replay's page shows: caption, board as text, and what stands beside it."""
    if not page.evaluate("document.getElementById('text').open"):
        page.click("#text summary")
        page.wait_for_selector("#rows:not(:empty)")
    state: dict[str, Any] = page.evaluate(_STATE)
    return state


def look_at_turns(page: Page, turns: Sequence[int]) -> list[dict[str, Any]]:
    """Read what a replay's page shows at turns, one after the other."""
    look(page)
    found: list[dict[str, Any]] = page.evaluate(_STATES, turns)
    return found


def expect(replay: Replay, turn: int) -> dict[str, Any]:
    """Say what the page of a replay has to show at a turn."""
    (rows, columns), cells = replay.size, replay.at(turn).cells
    lines = [
        [visible(cells.get((row, column), " ")) for column in range(columns)] for row in range(rows)
    ]
    written = ["".join(line) for line in lines]
    if replay.hexes:
        written = [
            f"{' ' * (row % 2)}{' '.join(f'{symbol:2}' for symbol in line)}".rstrip()
            for row, line in enumerate(lines)
        ]
    return {
        "caption": replay.steps[turn - replay.first].caption,
        "rows": written,
        "tally": {visible(k): visible(v) for k, v in tally_at(replay, turn).items()},
    }


def settle(page: Page | Frame) -> None:
    """Wait until a page of ours has done all that follows from what was done."""
    page.evaluate("kb.settled()")


def follow(page: Page, fragment: str) -> None:
    """Have the address of a page hold something else, such as a link does."""
    page.evaluate(_FOLLOW, fragment)


def pack(value: object) -> str:
    """Write a value as the links of pages hold it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(json.dumps(value).encode()) + packer.flush()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def change_data(path: Path, **changes: object) -> None:
    """Change the data that a page was made with."""
    text = path.read_text(encoding="utf-8")
    found = re.search('(?<=id="data">)[^<]*', text)
    assert found
    data = json.loads(zlib.decompress(base64.b64decode(found[0])))
    packed = base64.b64encode(zlib.compress(json.dumps(data | changes).encode())).decode()
    path.write_text(text.replace(found[0], packed), encoding="utf-8")


def wait_for(page: Page, expression: str, argument: object = None) -> None:
    """Wait until an expression, or a function of the argument, is true on the page."""
    # The browser's own way to wait evaluates text on the page, whose policy forbids that.
    end = time.monotonic() + 30
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def figures(page: Page | Frame) -> dict[str, list[int]]:
    """Read the gold of each card in a playground."""
    settle(page)
    found: dict[str, list[int]] = page.evaluate(FIGURES)
    return found


def find_faults(page: Page, **options: object) -> list[str]:
    """List what axe-core finds wrong with a page for people who use it in other ways.

    The options are those of ``axe.run``. It looks neither into frames nor into style sheets, which
    it cannot read from a file.
    """
    from axe_playwright_python.sync_playwright import Axe

    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Without the types it describes where nothing is wrong, too, which takes most of its time.
    options |= {"preload": False, "iframes": False, "resultTypes": ["violations"]}
    found = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    return [f"{fault['id']}: {[node['target'] for node in fault['nodes']]}" for fault in found]


def find_faults_everywhere(page: Page) -> list[str]:
    """List what is wrong in a wide light window, a narrow dark one, and forced colours.

    No colour depends on the width, so other pairs would find nothing more.
    """
    set_size(page, WIDE)
    page.emulate_media(color_scheme="light")
    found = [*find_faults(page), *["too wide"] * is_too_wide(page)]
    set_size(page, NARROW)
    page.emulate_media(color_scheme="dark")
    found += [*find_faults(page), *["too wide when narrow"] * is_too_wide(page)]
    page.emulate_media(color_scheme="null", forced_colors="active")
    found += find_faults(page, runOnly=["color-contrast"])
    page.emulate_media(forced_colors="null")
    return found


def is_too_wide(page: Page) -> bool:
    """Tell whether one has to scroll sideways to read the page."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
