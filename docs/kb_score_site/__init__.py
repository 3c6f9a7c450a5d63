"""A Sphinx extension: what the site of kb-score has beyond the documents in docs/.

Cards, commands, games and rules are written as Markdown into docs/reference/ before Sphinx reads,
each out of the place where it stands already. Nothing there is edited, and git leaves it alone.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score_site.api import write_api
from kb_score_site.cards import write_cards
from kb_score_site.command import run_command
from kb_score_site.commands import write_commands
from kb_score_site.games import write_games
from kb_score_site.index import finish_page, write_llms
from kb_score_site.lexer import AspLexer
from kb_score_site.links import REFERENCE, write_copies, write_linked

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_EXAMPLE = "boards/kingdom_builder/example.txt"


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension to the steps of a build."""
    # Documents call their rules Prolog, which is what others can colour.
    app.add_lexer("prolog", AspLexer)
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _finish)
    app.connect("build-finished", _add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _write_pages(app: Sphinx) -> None:
    """Write all generated pages; those that are as they were stay, so that Sphinx reads few."""
    pages = write_copies() | write_linked()
    pages |= write_cards(_EXAMPLE) | write_commands() | write_games() | write_api()
    home = Path(app.srcdir) / REFERENCE
    for path in [path for path in home.rglob("*") if path.is_file()]:
        if str(path.relative_to(app.srcdir)) not in pages:
            path.unlink()
    for name, text in pages.items():
        path = Path(app.srcdir) / name
        data = text if isinstance(text, bytes) else text.encode()
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _finish(_app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = finish_page(page, source[0])


def _link_back(page: Path) -> None:
    """Let a page that stands for itself lead back to the site."""
    text = page.read_text(encoding="utf-8")
    # A page on the kernel makes its own header.
    header = re.search(r'(?=<div id="app">)|<header[^>]*>', text)
    if header is None:
        raise ValueError(f"{page} has no header")
    link = '<a class="home" href="../index.html">kb-score</a> '
    page.write_text(text[: header.end()] + link + text[header.end() :], encoding="utf-8")


def _add_files(app: Sphinx, exception: Exception | None) -> None:
    """Add a playground, a table, a sheet, the Markdown of pages as shown, and ``llms.txt``."""
    if exception is not None or app.builder.format != "html":
        return
    home, out = Path(app.srcdir), Path(app.outdir)
    run_command("playground", _EXAMPLE, "-o", out / REFERENCE / "playground.html")
    table = ("--player", "human", "--player", "greedy", "--seed", "1")
    run_command("tabletop", "kingdom-builder", *table, "-o", out / REFERENCE / "tabletop.html")
    run_command("sheet", "-o", out / REFERENCE / "sheet.html")
    for name in ("playground", "tabletop", "sheet"):
        _link_back(out / REFERENCE / f"{name}.html")
    pages = sorted(app.env.found_docs)
    for page in pages:
        path = out / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (home / f"{page}.md").read_text(encoding="utf-8")
        path.write_text(finish_page(page, text), encoding="utf-8")
    for name in {*app.env.images, *app.env.dlfiles}:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(home / name, out / name)
    (out / "llms.txt").write_text(write_llms(), encoding="utf-8")
