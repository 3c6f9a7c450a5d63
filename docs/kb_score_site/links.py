"""Links of the documents: they are true in the checkout, and are led to the pages of the site."""

from __future__ import annotations

import re
from functools import cache
from os.path import normpath
from pathlib import Path
from posixpath import relpath

from kb_score_site.command import ROOT
from kb_score_site.markdown import escape, fence

# The folder of generated pages in docs/.
REFERENCE = "reference"
# Documents that stand elsewhere, by the pages that copy them.
COPIES = {
    f"{REFERENCE}/party": "boards/search_party/bots/party.md",
    f"{REFERENCE}/rules": "asp/README.md",
    f"{REFERENCE}/golf": "golf/README.md",
    f"{REFERENCE}/shepherd": "boards/rabbits/bots/shepherd.md",
    f"{REFERENCE}/foresight": "boards/slime/bots/foresight.md",
}
_FILES = f"{REFERENCE}/files"
# What a folder that is linked to holds; Sphinx makes no pages of it.
_SOURCES = f"{REFERENCE}/sources"
_LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=(?:#[^)\s]*)?\))")
_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LANGUAGES = {".lp": "prolog", ".py": "python", "": "bash"}
# What is built or packed is no source to read.
_LEFT_OUT = {".gz", ".pyc"}
_LEFT_OUT_FOLDERS = {"__pycache__", "node_modules"}


def lead_links(text: str, page: str, origin: str) -> str:
    """Lead the links of a document to the pages of the site.

    Args:
        text: The document.
        page: The path of its page in docs/.
        origin: The path of the document in the checkout, from where its links lead on.
    """
    folder = Path(page).parent.as_posix()

    def lead(found: re.Match[str]) -> str:
        return relpath(_find_page(_resolve(found[1], origin)), folder)

    parts = _CODE.split(text)
    parts[::2] = [_LINK.sub(lead, part) for part in parts[::2]]
    return "".join(parts)


def write_copies() -> dict[str, str | bytes]:
    """Write the pages of the documents that stand elsewhere."""
    pages: dict[str, str | bytes] = {}
    for copy, origin in COPIES.items():
        text = (ROOT / origin).read_text(encoding="utf-8")
        pages[f"{copy}.md"] = lead_links(text, f"{copy}.md", origin)
    return pages


def write_linked() -> dict[str, str | bytes]:
    """Write a page for each file and folder outside docs/ that a document links to."""
    pages: dict[str, str | bytes] = {}
    for target in _list_targets():
        page, path = _find_page(target), ROOT / target
        if not page.startswith(_FILES):
            continue
        if path.is_dir():
            copies = {f"{_SOURCES}/{p.relative_to(ROOT)}": p for p in _list_files(path)}
            pages |= {copy: path.read_bytes() for copy, path in copies.items()}
            text = "".join(_write_link(copy, page) for copy in copies)
        else:
            language = _LANGUAGES.get(path.suffix, "text")
            text = fence(path.read_text(encoding="utf-8"), language)
        pages[page] = f"---\norphan: true\n---\n\n# {escape(target)}\n\n{text}"
    return pages


def _write_link(copy: str, page: str) -> str:
    name = copy.removeprefix(f"{_SOURCES}/")
    # A document is a page of the site already.
    target = _find_page(name) if name in COPIES.values() else copy
    return f"- [{escape(name)}]({relpath(target, Path(page).parent.as_posix())})\n"


@cache
def _list_targets() -> tuple[str, ...]:
    """List all paths in the checkout that documents link to."""
    origins = [*COPIES.values(), *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
    found = set()
    for origin in origins:
        for part in _CODE.split((ROOT / origin).read_text(encoding="utf-8"))[::2]:
            found |= {_resolve(link, origin) for link in _LINK.findall(part)}
    return tuple(sorted(found))


def _resolve(link: str, origin: str) -> str:
    return normpath(Path(origin).parent / link)


def _find_page(target: str) -> str:
    """Find the path in docs/ that stands for a path in the checkout."""
    if target in COPIES.values():
        return next(f"{page}.md" for page, origin in COPIES.items() if origin == target)
    if target == "docs":
        return "index.md"
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return f"{_FILES}/{target.lstrip('.')}.md"


def _list_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in _LEFT_OUT
        and not _LEFT_OUT_FOLDERS & set(path.parts)
    )
