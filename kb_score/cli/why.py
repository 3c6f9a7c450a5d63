"""The options ``--why`` and ``--why-not``: they ask the part that gives reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from kb_score.resources import is_there
from kb_score.shell.options import DEPTH, WIDTH, OptionGroup, number_option
from kb_score.shell.output import Output

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, GameRules

# What an option without an atom stands for.
_ANYTHING = " "


def _refuse_file(_context: Any, _parameter: Any, given: str | None) -> str | None:
    """Refuse a file that --why has taken for an atom, which has neither point nor slash."""
    if given and set(given) & set("./") and is_there(given):
        raise click.UsageError(f"--why has taken the file {given!r} for an atom: put --why last")
    return given


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """What ``--why`` and ``--why-not`` ask about.

    Attributes:
        why: The atom that holds, blank for the usual ones of the command; None if none is asked
            about.
        why_not: The atom that does not hold, in the same way.
        depth: How many rules follow one another in a tree.
        width: How many atoms are explained, and how many parts of a sum.
        solved: The questions that were asked of the rules, in order: a listener adds them.
    """

    why: str | None
    why_not: str | None
    depth: int
    width: int
    solved: list[Asked] = field(default_factory=list)

    def report(
        self, rules: GameRules, names: Sequence[str], codes: Mapping[str, str], format_: str
    ) -> Output:
        """Report the trees of reasons that the user wants; see `kb_score.cli.run.Run.explain`.

        Raises:
            KbScoreError: There is no such atom.
        """
        reasons = import_module("kb_score.reasons.report")
        found: Output = reasons.report(self, rules, names, codes, format_)
        return found


def _make_reasons(
    why: str | None, why_not: str | None, depth: int, width: int
) -> WhyRequest | None:
    if why is None and why_not is None:
        return None
    return WhyRequest(why, why_not, depth, width)


_REASONS = OptionGroup("reasons", _make_reasons)
REASONS_OPTIONS = (
    _REASONS.option(
        "--why",
        is_flag=False,
        flag_value=_ANYTHING,
        callback=_refuse_file,
        metavar="[ATOM]",
        help="Tell why ATOM holds, rule by rule: an atom such as 'gold(lords,1,_,_)', where _ is "
        "anything, the name of a predicate, the code of a violation, or the name of a card; "
        "put it last if you name none.",
    ),
    _REASONS.option(
        "--why-not", metavar="ATOM", help="Tell why ATOM does not hold: what fails in which rules."
    ),
    number_option(
        "--depth", 1, 100, DEPTH, "With --why: how many rules follow one another.", group=_REASONS
    ),
    number_option(
        "--width",
        1,
        10**6,
        WIDTH,
        "With --why: how many atoms are explained, and how many parts of a sum.",
        group=_REASONS,
    ),
)
