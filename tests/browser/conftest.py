"""Pages in a real browser: opened from files, without a network, and without a single error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import NoBrowser, Opener, start_browser
from tests.helpers import leave_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser, for all tests of pages."""
    try:
        with start_browser() as browser:
            yield browser
    except NoBrowser as reason:
        leave_out(str(reason))


@pytest.fixture(scope="package")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Opener:
    """What opens pages, for all tests of them."""
    return Opener(browser, tmp_path_factory.mktemp("pages"))


@pytest.fixture
def opener(pages: Opener) -> Iterator[Opener]:
    """What opens pages; whatever went wrong in one of them fails the test."""
    pages.troubles.clear()
    yield pages
    pages.close()
    assert pages.troubles == []
