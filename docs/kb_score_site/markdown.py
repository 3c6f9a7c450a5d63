"""Parts of pages, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable


def escape(text: str) -> str:
    """Write a text so that nothing in it is Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&!])", r"\\\1", " ".join(text.split()))


def fence(text: str, language: str = "text") -> str:
    """Write a text as a block of code."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def write_contents(pages: Iterable[str], caption: str = "") -> str:
    """Write the part of the table of contents that stands below a page; it is shown at the side."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n" + fence("\n".join([*options, "", *pages]), "{toctree}")
