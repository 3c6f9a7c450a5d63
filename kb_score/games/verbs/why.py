"""The options ``--why`` and ``--why-not``: trees of reasons as text, Markdown and JSON."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kb_score.resources import is_there
from kb_score.shell.options import DEPTH, WIDTH, decorate, number_option
from kb_score.shell.output import Exit, Output, Text, complain, show

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, GameRules
    from kb_score.engine.trees import WhyNode
    from kb_score.engine.why import Inquiry

_Function = Callable[..., Any]
# What may be asked about if nothing is named; of several the first that there is.
_Names = Sequence[str] | Callable[[Mapping[str, Any]], Sequence[str]]
_NO_CODES: Mapping[str, str] = {}
# What an option without an atom stands for.
_ANYTHING = " "


def _refuse_file(_context: Any, _parameter: Any, given: str | None) -> str | None:
    """Refuse a file that --why has taken for an atom, which has neither point nor slash."""
    if given and set(given) & set("./") and is_there(given):
        raise click.UsageError(f"--why has taken the file {given!r} for an atom: put --why last")
    return given


def why_options(
    names: _Names, *, alone: bool = False, codes: Mapping[str, str] = _NO_CODES
) -> Callable[[_Function], _Function]:
    """Add ``--why`` and its kin to a command that takes ``rules`` and ``format_``.

    The command runs as it would without them, with rules that have a listener; then trees follow
    about what was asked of the rules.
    """

    def add(function: _Function) -> _Function:
        @functools.wraps(function)
        def command(
            *, why: str | None, why_not: str | None, depth: int, width: int, **others: Any
        ) -> Any:
            if why is None and why_not is None:
                return function(**others)
            if others["format_"] == "csv":
                raise click.UsageError("trees are no rows: use --format json with --why")
            rules, asked = others["rules"], list[Any]()
            listening = replace(rules, listener=asked.append)
            status = function(**{**others, "rules": listening})
            if status == Exit.UNUSABLE:
                return status
            wanted = names(others) if callable(names) else names
            why, why_not = (text and codes.get(text, text) for text in (why, why_not))
            inquiry = _open_inquiry(asked, rules, wanted, depth=depth, width=width)
            trees = list(_answer(inquiry, wanted, why, why_not))
            show_trees(trees, others["format_"], is_first=alone)
            return status

        return decorate(command, *_OPTIONS)

    return add


_OPTIONS = (
    click.option(
        "--why",
        is_flag=False,
        flag_value=_ANYTHING,
        callback=_refuse_file,
        metavar="[ATOM]",
        help="Tell why ATOM holds, rule by rule: an atom such as 'gold(lords,1,_,_)', where _ is "
        "anything, the name of a predicate, the code of a violation, or the name of a card; "
        "put it last if you name none.",
    ),
    click.option(
        "--why-not", metavar="ATOM", help="Tell why ATOM does not hold: what fails in which rules."
    ),
    number_option("--depth", 1, 100, DEPTH, "With --why: how many rules follow one another."),
    number_option(
        "--width",
        1,
        10**6,
        WIDTH,
        "With --why: how many atoms are explained, and how many parts of a sum.",
    ),
)


def _open_inquiry(
    asked: Sequence[Asked], rules: GameRules, names: Sequence[str], *, depth: int, width: int
) -> Inquiry:
    # Most commands never ask why.
    from kb_score.engine.changes import list_rule_files
    from kb_score.engine.docs import Words
    from kb_score.engine.why import Inquiry

    ours, users = list_rule_files(rules.game, rules.changes)
    about = [name.partition("(")[0] for name in names]
    return Inquiry(asked, Words([*ours, *users]), about, depth=depth, width=width)


def _answer(
    inquiry: Inquiry, names: Sequence[str], why: str | None, why_not: str | None
) -> Iterator[WhyNode]:
    from kb_score.engine.why import Wanted

    if why is not None:
        named = why.strip()
        wanted = [Wanted(name, "--why") for name in ([named] if named else names)]
        known = [one for one in wanted if named or inquiry.has(one)]
        found = next((atoms for one in known if (atoms := inquiry.find(one))), [])
        if not found and named:
            meant = inquiry.guess(wanted[0]) or ": ask --why-not"
            raise wanted[0].refuse(f"does not hold{meant}")
        if not found:
            yield inquiry.why_not((known or wanted)[0])
        if len(found) > inquiry.width:
            some = f"{inquiry.width} of {len(found)} atoms are explained"
            complain(f"{some}: see more with --width, or name one", kind="note")
        yield from inquiry.why(found[: inquiry.width])
    if why_not is not None:
        yield inquiry.why_not(Wanted(why_not.strip(), "--why-not"))


def show_trees(trees: Sequence[WhyNode], format_: str, *, is_first: bool) -> None:
    """Print trees."""
    # Most commands never ask why.
    from shutil import get_terminal_size

    from kb_score.engine.trees import write_list, write_tree

    # A terminal would break lines where it likes.
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    is_list = format_ == "markdown"
    blocks = [Text(write_list(t) if is_list else write_tree(t, width)) for t in trees]
    lines = ({"why": tree.to_json()} for tree in trees)
    show(Output(blocks, lines), format_, is_first=is_first)
