"""The site of the documents: it is whole, and says what the command and the rules say."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

from kb_score.cli import main
from tests.helpers import ASP, CARDS, EXAMPLE, ROOT, run
from tests.site import Reader, Site, read_page

GAMES = sorted(path.name.replace("_", "-") for path in ASP.iterdir() if path.is_dir())
VERBS = main.list_commands(click.Context(main))
REFERENCE = "reference"
LARGE = ["playground.html", "sheet.html", "tabletop.html"]  # they hold clingo
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^(`{3,})\w*.*?^\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[Path, Reader]:
    """All pages of the site; the playground and the table are pages of another kind."""
    apart = {site.folder / REFERENCE / name for name in LARGE}
    paths = (path for path in site.folder.rglob("*.html") if path not in apart)
    pages = {path: read_page(path) for path in paths if "_downloads" not in path.parts}
    return {path: page for path, page in pages.items() if "sources" not in path.parts}


def card_page(site: Site, card: str) -> Reader:
    return read_page(site.folder / REFERENCE / "cards" / f"{card}.html")


def squeeze(text: str) -> str:
    """Take blanks out, and the quotes that typesetters bend."""
    return re.sub(r"\s+", "", text)


def test_the_site_builds_without_a_warning(site: Site) -> None:
    assert site.messages == ""
    assert site.status == 0


def test_github_is_told_to_serve_every_folder(site: Site) -> None:
    assert (site.folder / "_static").is_dir()
    assert (site.folder / ".nojekyll").is_file()


def test_every_link_leads_somewhere(pages: dict[Path, Reader]) -> None:
    wrong = [
        (path.name, tag, link)
        for path, page in pages.items()
        for tag, link in page.links
        if not leads_somewhere(pages, path, tag, link)
    ]

    assert len(pages) > 50
    assert wrong == []


def leads_somewhere(pages: dict[Path, Reader], path: Path, tag: str, link: str) -> bool:
    """Whether a link leads to a file and a place in it; others' pages are linked to, not loaded."""
    parts = urlsplit(link)
    if parts.scheme:
        return tag == "a" and parts.scheme == "https" and "." in parts.netloc
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not parts.fragment:
        return target.is_file()
    return has_place(pages, target, parts.fragment)


def has_place(pages: dict[Path, Reader], target: Path, fragment: str) -> bool:
    """Whether a fragment is a place of a page, or a board or a file of the playground."""
    if target in pages:
        return unquote(fragment) in pages[target].ids
    word, _, name = fragment.partition("=")
    return word == "kb1" or (
        word == "open" and (ASP / "kingdom_builder" / "cards" / name).is_file()
    )


def test_every_link_of_the_markdown_leads_somewhere(site: Site) -> None:
    texts = [*site.folder.rglob("*.md"), site.folder / "llms.txt"]
    texts = [path for path in texts if not {"_downloads", "sources"} & set(path.parts)]
    wrong = [
        (path.name, link)
        for path in texts
        for link in _LINK.findall(_CODE.sub("", path.read_text(encoding="utf-8")))
        if "://" not in link and not (path.parent / link.partition("#")[0]).is_file()
    ]

    assert len(texts) > 50
    assert wrong == []


def test_every_document_is_a_page(site: Site) -> None:
    for path in [*(ROOT / "docs").glob("*.md")]:
        assert (site.folder / f"{path.stem}.html").is_file()
    for name in ("rules", "golf"):
        assert (site.folder / REFERENCE / f"{name}.html").is_file()


def test_every_card_has_a_page() -> None:
    listed = [line["card"] for line in run("rules", "list", "cards", "--format", "json").json]

    assert listed == list(CARDS)


@pytest.mark.parametrize("card", CARDS)
def test_the_page_of_a_card_has_its_rules_its_gold_and_its_picture(site: Site, card: str) -> None:
    page = card_page(site, card)
    text = squeeze(page.text)
    (scores,) = run("score", EXAMPLE, "--format", "json").json
    (pays,) = (
        line["pays"]
        for line in run("rules", "list", "cards", "--format", "json").json
        if line["card"] == card
    )

    paid = zip(scores["players"], scores["gold"][card], strict=True)
    figures = "".join(f"player{player}{gold}" for player, gold in paid)

    assert squeeze(pays[1:]) in text
    assert squeeze((ASP / "kingdom_builder" / "cards" / f"{card}.lp").read_text()) in text
    assert f"playergold{figures}" in text
    *examples, picture = (link for tag, link in page.links if tag == "img")
    assert 2 <= len(examples) <= 7
    drawn = (site.folder / REFERENCE / "cards" / picture).resolve().read_text()
    assert f"{card}, player " in drawn


@pytest.mark.parametrize("card", CARDS)
def test_the_page_of_a_card_holds_the_playground_with_its_file(site: Site, card: str) -> None:
    (frame,) = (named for tag, named in card_page(site, card).tags if tag == "iframe")

    assert frame["src"] == f"../playground.html#open={card}.lp"
    assert frame["loading"] == "lazy"
    assert frame["title"]


def test_there_are_one_playground_and_one_table(site: Site) -> None:
    large = [path for path in site.folder.rglob("*") if path.stat().st_size > 1_000_000]

    assert sorted(large) == [site.folder / REFERENCE / name for name in LARGE]


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_a_game_has_its_rulings_its_predicates_and_its_rules(
    site: Site, game: str
) -> None:
    page = read_page(site.folder / REFERENCE / "games" / f"{game}.html")
    text = squeeze(page.text)
    listed = run("rules", "list", "--game", game, "--format", "json").json
    names = {line[kind] for line in listed for kind in ("ruling", "predicate") if kind in line}
    files = (ASP / game.replace("-", "_")).rglob("*.lp")

    assert names <= page.codes
    assert any(line["kind"] == "predicates" for line in listed)
    for path in files:
        assert path.parent.name == "cards" or squeeze(path.read_text()) in text, path


@pytest.mark.parametrize("verb", VERBS)
def test_the_page_of_a_verb_has_its_help(site: Site, verb: str) -> None:
    text = squeeze(read_page(site.folder / REFERENCE / "commands" / f"{verb}.html").text)
    help_ = run(verb, "--help").out.partition("\n")[2]

    assert squeeze(help_) in text


def test_llms_txt_has_the_form_that_models_expect(site: Site) -> None:
    lines = (site.folder / "llms.txt").read_text().splitlines()
    listed = [line for line in lines if line.startswith("- ")]

    assert lines[0] == "# kb-score"
    assert lines[2].startswith("> ")
    assert [line for line in lines if line.startswith("#")][1:] == [
        "## Write a card",
        "## Cards to learn from",
        "## Commands",
        "## Optional",
    ]
    assert len(listed) > 20
    assert all(re.match(r"- \[[^\]]+\]\([\w/-]+\.md\)", line) for line in listed)
