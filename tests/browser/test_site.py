"""The pages of the site in a browser: from the disk, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import NARROW, WIDE, Opener, figures, find_faults, is_too_wide
from tests.helpers import CARDS, EXAMPLE, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site import Site


def list_pages(site: Site) -> list[Path]:
    return sorted(
        path
        for path in site.folder.rglob("*.html")
        if not {"_downloads", "sources"} & set(path.parts)
    )


# Of all cards tests/test_site.py reads which file their frames open.
@pytest.mark.parametrize("card", [CARDS[0], CARDS[-1]])
def test_the_page_of_a_card_scores_the_example_board(opener: Opener, site: Site, card: str) -> None:
    page = opener.visit(site.folder / "reference" / "cards" / f"{card}.html")
    page.locator("iframe").scroll_into_view_if_needed()
    page.frame_locator("iframe").locator("#file").wait_for()
    (frame,) = page.main_frame.child_frames

    frame.wait_for_selector("html[data-ready=yes]", state="attached")

    (scores,) = run("score", EXAMPLE, "--format", "json").json
    assert figures(frame) == scores["gold"]
    assert frame.input_value("#file") == f"{card}.lp"
    assert f"card({card}, " in frame.locator(".cm-content").inner_text()
    assert frame.locator("#note").is_hidden()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param("index.html", WIDE, id="start"),
        pytest.param("index.html", NARROW, id="start-narrow"),
        pytest.param("reference/cards/lords.html", WIDE, id="card"),
        pytest.param("reference/cards/lords.html", NARROW, id="card-narrow"),
        pytest.param("reference/games/slime.html", NARROW, id="game-narrow"),
    ],
)
def test_a_page_has_no_faults(opener: Opener, site: Site, name: str, size: tuple[int, int]) -> None:
    page = opener.visit(site.folder / name, size)

    assert find_faults(page) == []


def test_no_page_is_too_wide_for_a_telephone(opener: Opener, site: Site) -> None:
    paths = list_pages(site)
    page = opener.visit(paths[0], NARROW)
    wide = []
    for path in paths:
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        if is_too_wide(page):
            wide.append(path.name)

    assert len(paths) > 50
    assert wide == []
