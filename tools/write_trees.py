"""Write the trees in docs/why_trees.md anew, as the commands there print them now.

    python -m tools.write_trees

A tree stands in the page below its command; what the command prints before it is ``...``. To add a
tree, write its heading, a sentence and a block with the command alone, and run this.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tests.helpers import ROOT, run

PAGE = ROOT / "docs" / "why_trees.md"
_BLOCK = re.compile(r"(?<=^```console\n)\$ (.*)\n(?s:(.*?))(?=^```$)", re.MULTILINE)
_HEADING = re.compile(r"^(###?) (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A tree of the page: its section, what it is about, the command, and what is shown of it."""

    section: str
    name: str
    command: str
    shown: str


def list_cases(text: str) -> Iterator[Case]:
    """List the trees of a page in their order."""
    headings = [(found.start(), found[1], found[2]) for found in _HEADING.finditer(text)]
    for block in _BLOCK.finditer(text):
        above = [(level, title) for at, level, title in headings if at < block.start()]
        section = next(title for level, title in reversed(above) if level == "##")
        yield Case(section, above[-1][1], block[1], block[2])


def ask(command: str) -> str:
    """Run a command of the page in this process; return the tree that it prints last."""
    name, *words = shlex.split(command)
    assert name == "kb-score", command
    ran = run(*words)
    # A note says that more atoms hold than are explained.
    has_failed = ran.status > 1 or not re.fullmatch(r"(note: .*\n)?", ran.err)
    assert not has_failed, f"$ {command}\n{ran.out}{ran.err}"
    return "...\n" + ran.out.rpartition("\n\n")[2].lstrip("\n")


def main() -> None:
    """Write the page."""
    os.chdir(ROOT)
    text = PAGE.read_text(encoding="utf-8")
    written = _BLOCK.sub(lambda block: f"$ {block[1]}\n{ask(block[1])}", text)
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
