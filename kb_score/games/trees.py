"""Trees of reasons as text, as a Markdown list and as JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from kb_score.shell.output import Output, Text, show

if TYPE_CHECKING:
    from kb_score.engine.why import Reason

_ITSELF = re.compile(r"(.*) = \1|-?\d+ = \(.*\.\..*\)", re.DOTALL)
# A line has room for so much, however deep it is in a tree.
_LEAST = 40
# How the kinds begin a line.
_BEGINNINGS = {
    "absent": "not so: ",
    "lacking": "lacking: ",
    "missing": "lacking: ",
    "fails": "fails: ",
    "open": "then open: ",
    "all": "for all: ",
}


def show_trees(trees: Sequence[Reason], format_: str, *, is_first: bool) -> None:
    """Print trees."""
    # A terminal would break lines where it likes.
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    is_list = format_ == "markdown"
    blocks = [Text(_write_list(t) if is_list else _write_tree(t, width)) for t in trees]
    lines = ({"why": tree.to_json()} for tree in trees)
    show(Output(blocks, lines), format_, is_first=is_first)


def describe(reason: Reason) -> str:
    """Describe a reason on one line, without what it rests on."""
    if reason.kind == "nearly":
        return f"{_place(reason)} gives {reason.atom}, but {reason.says}"
    if reason.kind == "steps":
        return f"{_place(reason) or reason.atom}: {reason.says}"
    if reason.kind in ("compared", "counted", "element", "open", "fails", "all"):
        more = f" ({reason.says})" if reason.says else ""
        return f"{_BEGINNINGS.get(reason.kind, '')}{reason.atom}{more}"
    known = {
        "given": "given",
        "missing": "neither a rule nor a fact gives it",
        "again": "see above",
        "held": "holds only together with itself",
    }
    source = known.get(reason.kind, _place(reason))
    if reason.kind == "chosen":
        source = f"chosen, {source}"
    says = reason.says or reason.atom
    if reason.kind == "again" and reason.atom.startswith("not "):
        says = f"lacking: {says}"
    aside = "; ".join(filter(None, [reason.atom if reason.says else "", source]))
    return f"{_BEGINNINGS.get(reason.kind, '')}{says}" + (f" [{aside}]" if aside else "")


def _write_tree(tree: Reason, width: int) -> str:
    lines = [_break(describe(tree), "", "  ", width)]
    if tree.origin is not None and tree.kind != "steps":
        asides = (line for line in (tree.origin.note, tree.origin.text) if line)
        lines += [_break(line, "  ", "  ", width) for line in asides]
    return "\n".join([*lines, *_write_branches(tree, "", width)])


def _write_branches(tree: Reason, before: str, width: int) -> Iterator[str]:
    shown = _list_shown(tree)
    last = len(shown) - (not tree.left_out)
    for number, reason in enumerate(shown):
        is_last = number == last
        after = before + ("   " if is_last else "│  ")
        yield _break(describe(reason), f"{before}{'└─ ' if is_last else '├─ '}", after, width)
        yield from _write_branches(reason, after, width)
    if tree.left_out:
        yield f"{before}└─ … {_say_left_out(tree)}"


def _break(text: str, first: str, others: str, width: int) -> str:
    """Break a text into lines that fit, each after what stands before it; 0 for any width."""
    text = " ".join(text.split())
    if not width or len(first + text) < width:
        return first + text
    room = max(width - 1, len(others) + _LEAST)
    return fill(text, room, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def _write_list(tree: Reason, indent: int = 0) -> str:
    lines = [f"{'  ' * indent}- {_mark(describe(tree))}"]
    lines += [_write_list(reason, indent + 1) for reason in _list_shown(tree)]
    if tree.left_out:
        lines.append(f"{'  ' * (indent + 1)}- … {_say_left_out(tree)}")
    return "\n".join(lines)


def _list_shown(tree: Reason) -> list[Reason]:
    """List what people want to see: not that something equals itself, or is one of its range."""
    return [r for r in tree.because if r.kind != "compared" or not _ITSELF.fullmatch(r.atom)]


def _mark(text: str) -> str:
    """Keep Markdown from taking signs of a text for its own."""
    for sign in "\\`*_<>#":
        text = text.replace(sign, f"\\{sign}")
    return text


def _place(reason: Reason) -> str:
    """Name a rule by its file, whose name is enough in a game, and its line."""
    if reason.origin is None:
        return ""
    return f"{PurePath(reason.origin.file).name}:{reason.origin.line}"


def _say_left_out(tree: Reason) -> str:
    what = "rule" if tree.kind == "lacking" else "part" if tree.kind == "counted" else "condition"
    return f"{tree.left_out} {'more ' if tree.because else ''}{what}{'s' * (tree.left_out != 1)}"
