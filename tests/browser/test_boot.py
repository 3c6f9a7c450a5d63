"""How pages start: what they say where they cannot, and what they show without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import wait_until_ready
from tests.helpers import EXAMPLE, ROOT, run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
MADE: dict[str, tuple[object, ...]] = {
    "sheet": ("sheet",),
    "tabletop": ("tabletop", "kingdom-builder"),
    "playground": ("playground", EXAMPLE),
    "report": ("report", EXAMPLE),
    "replay": ("replay", BASE),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("boot")
    paths = {name: folder / f"{name}.html" for name in MADE}
    for name, words in MADE.items():
        assert run(*words, "-o", paths[name], "-q").status in (0, 1)
    return paths


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(offline=True)
    yield made
    made.close()


@pytest.mark.parametrize("name", MADE)
def test_a_page_that_cannot_start_says_why(
    name: str, made: dict[str, Path], context: BrowserContext
) -> None:
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()

    page.goto(made[name].as_uri())
    wait_until_ready(page)

    told = "This page cannot start in this browser: it has no DecompressionStream. "
    assert page.inner_text("#cannot").startswith(told)


@pytest.mark.parametrize("name", MADE)
def test_a_browser_that_cannot_read_the_script_says_why(
    name: str, made: dict[str, Path], context: BrowserContext, tmp_path: Path
) -> None:
    text = made[name].read_text()
    # A word that an old browser does not know, where the script of the page begins.
    start = '<script type="text/plain" id="later">' if name == "playground" else "<script>"
    head, _, tail = text.rpartition(f"{start}\n")
    path = tmp_path / "page.html"
    path.write_text(f"{head}{start}\nlet new = 1;\n{tail}")
    page = context.new_page()

    page.goto(path.as_uri())
    page.wait_for_selector("#cannot:not([hidden])")

    assert page.inner_text("#cannot").startswith("This page cannot start in this browser. It ")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("sheet", "This page needs scripts. On a phone, open the file in the browser itself"),
        ("tabletop", "This page needs scripts"),
        ("playground", "This page needs scripts"),
    ],
)
def test_without_scripts_a_page_says_that_it_needs_them(
    name: str, shown: str, made: dict[str, Path], browser: Browser
) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()

    page.goto(made[name].as_uri())

    assert shown in page.locator("noscript").first.inner_text()
    context.close()


def test_a_game_at_the_table_of_a_frame_is_kept_and_no_link_is_said_to_be_copied(
    made: dict[str, Path], context: BrowserContext, tmp_path: Path
) -> None:
    inner = made["tabletop"].read_text().replace("&", "&amp;").replace('"', "&quot;")
    path = tmp_path / "frame.html"
    path.write_text(f'<!doctype html><iframe srcdoc="{inner}" width="900" height="700"></iframe>')
    page = context.new_page()
    page.goto(path.as_uri())
    frame = page.frames[1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    frame.locator(".hex[aria-disabled=false]").first.dispatch_event("click")
    frame.evaluate("kb.settled()")
    record = frame.text_content("#record")

    frame.locator("#link").dispatch_event("click")
    frame.wait_for_selector("#copied:not(:empty)", state="attached")

    told = "This page has no address here that could be a link: save the record."
    assert frame.text_content("#copied") == told
    page.reload()
    frame = page.frames[1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    assert frame.text_content("#record") == record
