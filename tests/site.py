"""The site of the documents, as tests build it and read it."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

from tests.helpers import ROOT, leave_out

# Most of its objects stay, as those of the tests do.
_SPHINX = """import gc, runpy
gc.set_threshold(100_000, 50, 50)
runpy.run_module("sphinx", run_name="__main__")"""
_COMMAND = ("-c", _SPHINX, "-W", "--keep-going", "-n", "-b", "html", "docs", "build/site")
_LEFT_OUT = (
    ".git",
    ".venv",
    "*cache*",
    ".hypothesis",
    "node_modules",
    "build",
    "dist",
    "reference",
)
_POINTERS = {"a": "href", "img": "src", "link": "href", "script": "src", "iframe": "src"}


@dataclass(frozen=True)
class Site:
    """A site that has been built, and what Sphinx said."""

    folder: Path
    status: int
    messages: str


@dataclass
class Reader(HTMLParser):
    """What tests want to know of a page."""

    text: str = ""
    ids: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)  # tags, and where they point
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    _code: list[str] | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.tags.append((tag, named))
        self.ids |= {named[name] for name in ("id", "name") if name in named}
        if (pointer := named.get(_POINTERS.get(tag, ""))) is not None:
            self.links.append((tag, pointer))
        if tag == "code":
            self._code = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "code" and self._code is not None:
            self.codes.add("".join(self._code))
            self._code = None

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._code is not None:
            self._code.append(data)


def read_page(path: Path) -> Reader:
    """Read a page."""
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


def build_site(folder: Path) -> Site:
    """Build the site out of a copy of the checkout, once for all processes that share a folder."""
    for module in ("sphinx", "myst_parser", "furo"):
        if find_spec(module) is None:
            leave_out(f"there is no {module}: pip install -e '.[site]' brings it")
    folder.mkdir(exist_ok=True)
    copy, result = folder / "checkout", folder / "result.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
            ran = subprocess.run(
                (sys.executable, *_COMMAND), cwd=copy, capture_output=True, text=True, check=False
            )
            result.write_text(json.dumps([ran.returncode, ran.stderr]))
    status, messages = json.loads(result.read_text())
    return Site(copy / "build" / "site", status, messages)
