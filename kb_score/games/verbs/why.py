"""The options ``--why`` and ``--why-not``: trees of reasons as text, Markdown and JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from kb_score.resources import is_there
from kb_score.shell.options import DEPTH, WIDTH, OptionGroup, number_option
from kb_score.shell.output import Output, Text, complain

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, GameRules
    from kb_score.engine.trees import WhyNode
    from kb_score.engine.why import Explainer

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
        """Report the trees that answer what is asked; see `kb_score.games.verbs.run.Run.explain`.

        Raises:
            KbScoreError: There is no such atom.
        """
        explainer = self._open(rules, names)
        trees: list[WhyNode] = []
        if self.why is not None:
            trees += _explain(explainer, names, codes.get(self.why, self.why).strip())
        if self.why_not is not None:
            trees.append(_explain_lack(explainer, codes.get(self.why_not, self.why_not).strip()))
        return _report(trees, is_list=format_ == "markdown")

    def _open(self, rules: GameRules, names: Sequence[str]) -> Explainer:
        # Most commands never ask why.
        from kb_score.engine.changes import list_rule_files
        from kb_score.engine.docs import Words
        from kb_score.engine.why import Explainer

        ours, users = list_rule_files(rules.game, rules.changes)
        about = [name.partition("(")[0] for name in names]
        words = Words([*ours, *users])
        return Explainer(self.solved, words, about, depth=self.depth, width=self.width)


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


def _explain(explainer: Explainer, names: Sequence[str], named: str) -> Iterable[WhyNode]:
    """Make the trees of what holds: of the atom that is named, or of the first of the usual ones.

    If none of the usual ones holds, the one tree is about why not.
    """
    from kb_score.engine.why import Wanted

    if named:
        target = Wanted(named, "--why")
        found = explainer.find(target)
        if not found:
            meant = explainer.guess(target) or ": ask --why-not"
            raise target.refuse(f"does not hold{meant}")
    else:
        usual = [Wanted(name, "--why") for name in names]
        known = [target for target in usual if explainer.has(target)]
        found = next(filter(None, map(explainer.find, known)), [])
        if not found:
            return [explainer.why_not((known or usual)[0])]
    if len(found) > explainer.width:
        some = f"{explainer.width} of {len(found)} atoms are explained"
        complain(f"{some}: see more with --width, or name one", kind="note")
    return explainer.why(found[: explainer.width])


def _explain_lack(explainer: Explainer, named: str) -> WhyNode:
    from kb_score.engine.why import Wanted

    return explainer.why_not(Wanted(named, "--why-not"))


def _report(trees: Sequence[WhyNode], *, is_list: bool) -> Output:
    from shutil import get_terminal_size

    from kb_score.engine.trees import write_list, write_tree

    # A terminal would break lines where it likes.
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    blocks = [Text(write_list(tree) if is_list else write_tree(tree, width)) for tree in trees]
    return Output(blocks, [{"why": tree.to_json()} for tree in trees])
