"""The options ``--why`` and ``--why-not``, which the part ``reasons`` implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from kb_score.resources import is_there
from kb_score.shell.options import DEPTH, WIDTH, OptionGroup, make_number_option
from kb_score.shell.output import Output

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, GameRules

# What is explained by default: the atoms of the first of these predicates that has any. They are
# for records, for legal moves, and for a move that is judged; each game has some of them.
CHECKED = ("violation", "wrong", "mistake", "result")
LISTED = ("illegal", "legal", "allowed", "skipped", "may_roll", "may_hop")
JUDGED = ("illegal", "passes", "counts_as", *LISTED[1:])

# The value of an option without an atom.
_ANYTHING = " "


def _refuse_file(_context: Any, _parameter: Any, given: str | None) -> str | None:
    """Refuse a file that was taken for the atom of --why; atoms contain no dot and no slash."""
    if given and set(given) & set("./") and is_there(given):
        raise click.UsageError(f"--why read the file name {given!r} as an atom: put --why last")
    return given


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """The values of ``--why``, ``--why-not``, ``--depth`` and ``--width``.

    Attributes:
        why: The atom that holds; blank for the usual atoms of the command; None without ``--why``.
        why_not: The atom that does not hold; None without ``--why-not``.
        depth: The maximum number of levels of rules in a tree.
        width: The maximum number of atoms to explain, and of terms of a sum to show.
        solved: The queries to the rules, in order, which a listener of the rules adds.
    """

    why: str | None
    why_not: str | None
    depth: int
    width: int
    solved: list[Asked] = field(default_factory=list)

    def report(
        self, rules: GameRules, names: Sequence[str], codes: Mapping[str, str], format_: str
    ) -> Output:
        """Return the trees of reasons, with the arguments of `kb_score.cli.run.Run.explain`."""
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
        help="Explain why ATOM holds, rule by rule. ATOM is an atom such as 'gold(lords,1,_,_)' (_ "
        "stands for anything), a predicate, the code of a violation, or a card. Without ATOM, put "
        "this option last.",
    ),
    _REASONS.option(
        "--why-not",
        metavar="ATOM",
        help="Explain why ATOM does not hold: which conditions of which rules fail.",
    ),
    make_number_option(
        "--depth", 1, 100, DEPTH, "With --why: maximum number of levels to show.", group=_REASONS
    ),
    make_number_option(
        "--width",
        1,
        10**6,
        WIDTH,
        "With --why: maximum number of atoms to explain, and of terms of a sum to show.",
        group=_REASONS,
    ),
)
