"""The verb ``docs``, which shows the pages of docs/ that messages and help refer to."""

from __future__ import annotations

import re

import click

from kb_score.errors import InputError, guess, visible
from kb_score.resources import find_folder
from kb_score.shell.output import Exit


@click.command(epilog="Example: kb-score docs contests")
@click.argument("page", required=False)
def docs(page: str | None) -> Exit:
    """Show a PAGE of the documentation, such as contests, docs/contests.md or contests.md.

    Without PAGE, all pages are listed.
    """
    pages = {path.stem: path for path in sorted(find_folder("docs").glob("*.md"))}
    del pages["index"]  # the start page of the site
    if page is None:
        width = max(map(len, pages))
        for name, path in pages.items():
            text = path.read_text(encoding="utf-8")
            heading, _, _ = text.partition("\n")
            title = heading.lstrip("# ")
            click.echo(f"{name:{width}}  {title}")
        return Exit.FINE
    name = re.sub(r"^docs/|\.md$", "", page)
    if name not in pages:
        # The page of a game, by the game's name.
        name = name.replace("-", "_")
    if name not in pages:
        hint = guess(name, pages, ": ") or ": the pages are " + ", ".join(pages)
        raise InputError("docs", f"there is no page {visible(page)!r}{hint}")
    # click adds a newline, and uses a pager only on a terminal.
    text = pages[name].read_text(encoding="utf-8")
    click.echo_via_pager(text.rstrip("\n"))
    return Exit.FINE
