"""Trees of reasons as text, Markdown and JSON: what ``--why`` and ``--why-not`` print."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size

from kb_score.cli.why import WhyRequest
from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import Words
from kb_score.engine.rules import GameRules
from kb_score.reasons.trees import WhyNode, write_list, write_tree
from kb_score.reasons.why import Explainer, Wanted
from kb_score.shell.output import Output, Text, complain


def report(
    request: WhyRequest,
    rules: GameRules,
    names: Sequence[str],
    codes: Mapping[str, str],
    format_: str,
) -> Output:
    """Report the trees of reasons that the user wants; see `kb_score.cli.run.Run.explain`.

    Raises:
        KbScoreError: There is no such atom.
    """
    explainer = _open(request, rules, names)
    trees: list[WhyNode] = []
    if request.why is not None:
        trees += _explain(explainer, names, codes.get(request.why, request.why).strip())
    if request.why_not is not None:
        trees.append(_explain_lack(explainer, codes.get(request.why_not, request.why_not).strip()))
    return _show(trees, is_list=format_ == "markdown")


def _open(request: WhyRequest, rules: GameRules, names: Sequence[str]) -> Explainer:
    ours, users = list_rule_files(rules.game, rules.changes)
    about = [name.partition("(")[0] for name in names]
    words = Words([*ours, *users])
    return Explainer(request.solved, words, about, depth=request.depth, width=request.width)


def _explain(explainer: Explainer, names: Sequence[str], named: str) -> Iterable[WhyNode]:
    """Make the trees of what holds: of the atom that is named, or of the first of the usual ones.

    If none of the usual ones holds, the one tree is about why not.
    """
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
    return explainer.why_not(Wanted(named, "--why-not"))


def _show(trees: Sequence[WhyNode], *, is_list: bool) -> Output:
    # A terminal would break lines where it likes.
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    blocks = [Text(write_list(tree) if is_list else write_tree(tree, width)) for tree in trees]
    return Output(blocks, [{"why": tree.to_json()} for tree in trees])
