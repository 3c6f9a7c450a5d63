"""The pages of the site in a browser: from the disk, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import NARROW, Opener, figures, find_faults_everywhere, is_too_wide
from tests.helpers import EXAMPLE, run

if TYPE_CHECKING:
    from tests.site import Site


# Of all cards tests/test_site.py reads which file their frames open.
def test_the_page_of_a_card_scores_the_example_board(opener: Opener, site: Site) -> None:
    page = opener.visit(site.folder / "reference" / "cards" / "workers.html")
    page.locator("iframe").scroll_into_view_if_needed()
    page.frame_locator("iframe").locator("#file").wait_for()
    (frame,) = page.main_frame.child_frames

    frame.wait_for_selector("html[data-ready=yes]", state="attached")

    (scores,) = run("score", EXAMPLE, "--format", "json").json
    assert figures(frame) == scores["gold"]
    assert frame.input_value("#file") == "workers.lp"
    assert "card(workers, " in frame.locator(".cm-content").inner_text()
    assert frame.locator("#note").is_hidden()


def test_the_front_page_has_a_board_to_click_on(opener: Opener, site: Site) -> None:
    page = opener.visit(site.folder / "index.html")
    box = page.locator("iframe").bounding_box()
    assert box is not None
    assert box["y"] < page.evaluate("innerHeight") / 2
    page.frame_locator("iframe").locator("#gold").wait_for()
    (frame,) = page.main_frame.child_frames
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    before = figures(frame)
    assert frame.text_content("#note") == "Opened from a link."
    assert set("GCDFL") <= set(frame.evaluate("kb.state.board"))  # it has land

    frame.click("#clear")

    assert figures(frame) != before
    (board, gold) = (frame.locator(on).bounding_box() for on in ("#board .drawn", "#gold"))
    assert board is not None
    assert gold is not None
    for shown in (board, gold):
        assert box["y"] <= shown["y"] < shown["y"] + shown["height"] <= box["y"] + box["height"]


@pytest.mark.parametrize("name", ["playground", "tabletop", "sheet"])
def test_a_page_of_its_own_leads_back(opener: Opener, site: Site, name: str) -> None:
    page = opener.open(site.folder / "reference" / f"{name}.html")

    page.click("a.home")

    assert page.url.endswith("/index.html")
    assert page.inner_text("h1").startswith("Who won?")


def test_the_front_page_has_three_doors(opener: Opener, site: Site) -> None:
    doors = opener.visit(site.folder / "index.html").locator(".door")

    titles = [door.locator("b").inner_text() for door in doors.all()]
    assert titles == ["Score a game", "Play", "Change a rule"]
    links = [door.get_attribute("href") or "" for door in doors.all()]
    assert all((site.folder / link).is_file() for link in links)


# One of each template; the page of what all games share is the smallest of a game.
@pytest.mark.parametrize(
    "name", ["index", "reference/cards/lords", "reference/commands/score", "reference/games/common"]
)
def test_a_page_has_no_faults(opener: Opener, site: Site, name: str) -> None:
    page = opener.visit(site.folder / f"{name}.html")

    assert find_faults_everywhere(page) == []


def test_no_page_is_too_wide_for_a_telephone(opener: Opener, site: Site) -> None:
    # Of the pages that are made from one template the largest is looked at.
    made = [path for path in (site.folder / "reference").glob("*/*.html") if path.stem != "index"]
    largest = {path.parent: path for path in sorted(made, key=lambda path: path.stat().st_size)}
    paths = [*site.folder.glob("*.html"), *largest.values()]

    wide = [path.name for path in paths if is_too_wide(opener.visit(path, NARROW))]

    assert {"cards", "commands", "games"} <= {folder.name for folder in largest}
    assert len(paths) > 30
    assert wide == []
