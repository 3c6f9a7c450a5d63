"""Pages in a real browser: opened from files, without a network, and without a single error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.pages import Opener
from tests.helpers import leave_out

try:
    from playwright.sync_api import Browser, sync_playwright
except ImportError:
    Browser = None  # type: ignore[assignment, misc]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, for all tests of a module."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if Browser is None:
        leave_out("playwright is not installed: pip install -e '.[browser]' brings it")
    if path is None:
        leave_out(f"there is no browser: none of {', '.join(BROWSERS)} is on the path")
    with sync_playwright() as playwright:
        # In a container there is neither a sandbox nor a graphics card.
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


@pytest.fixture
def opener(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """What opens pages; whatever went wrong in one of them fails the test."""
    opener = Opener(browser, tmp_path)
    yield opener
    opener.close()
    assert opener.troubles == []
