"""The output of ``--why`` and ``--why-not``: trees of reasons as text, Markdown and JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size

from clingo.ast import ASTType

from kb_score.cli.why import WhyRequest
from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import Words
from kb_score.engine.rules import GameRules
from kb_score.games.agreement import STEPS
from kb_score.reasons.trace import find_names
from kb_score.reasons.trees import WhyNode, write_list, write_tree
from kb_score.reasons.why import Explainer, FoundAtom, Wanted
from kb_score.shell.output import Output, Text, complain


def report(
    request: WhyRequest,
    rules: GameRules,
    names: Sequence[str],
    codes: Mapping[str, str],
    format_: str,
) -> Output:
    """Return the trees of reasons that the user asked for.

    ``names`` has the atoms and predicates that are explained if the user names none, and ``codes``
    the atoms by the codes of violations that stand for them.
    """
    explainer = _open(request, rules, names)
    trees: list[WhyNode] = []
    if request.why is not None:
        named = codes.get(request.why, request.why)
        trees += _explain(explainer, names, named.strip())
    if request.why_not is not None:
        named = codes.get(request.why_not, request.why_not)
        target = Wanted(named.strip(), "--why-not")
        _check_runs(request, rules, target)
        _note_variables(target)
        trees.append(explainer.why_not(target))
    return _show(trees, is_list=format_ == "markdown")


def _check_runs(request: WhyRequest, rules: GameRules, target: Wanted) -> None:
    """Raise an InputError if the rules for an atom are all in parts that other commands run."""
    if target.atom is None:
        return
    signature = target.atom.pattern.signature
    if any(signature in asked.program.derived for asked in request.solved):
        return
    part = ""
    ours, users = rules.read_parts()
    for statement in (ours + users).statements:
        if statement.kind == ASTType.Program:
            part = statement.node.name
        elif signature in statement.heads and part != "base":
            name, arity = signature
            raise target.refuse(
                f"cannot hold here: part {part} gives {name}/{arity}, and is not run"
            )


def _open(request: WhyRequest, rules: GameRules, names: Sequence[str]) -> Explainer:
    ours, users = list_rule_files(rules.game, rules.changes)
    has_steps = any(STEPS in asked.use.files for asked in request.solved)
    words = Words([*ours, *users], has_steps=has_steps)
    about = [name.partition("(")[0] for name in names]
    return Explainer(request.solved, words, about, depth=request.depth, width=request.width)


def _explain(explainer: Explainer, names: Sequence[str], named: str) -> Iterable[WhyNode]:
    """Return the trees for the atoms that are named, or for the first usual ones that hold.

    If no usual atom holds, there is one tree, which explains why the first does not.
    """
    if named:
        target = Wanted(named, "--why")
        _note_variables(target)
        found = explainer.find(target)
        if not found:
            hint = explainer.guess(target) or ": use --why-not"
            raise target.refuse(f"does not hold{hint}")
    else:
        usual = [Wanted(name, "--why") for name in names]
        known = [target for target in usual if explainer.has(target)]
        found = _find_first(explainer, known)
        if not found:
            first, *_ = known or usual
            return [explainer.why_not(first)]
    if len(found) > explainer.width:
        some = f"explained {explainer.width} of {len(found)} atoms"
        complain(f"{some}: use --width to see more, or name one", kind="note")
    return explainer.why(found[: explainer.width])


def _note_variables(target: Wanted) -> None:
    """Print a note about words of an atom that are variables, such as the name of a player."""
    if target.atom is None:
        return
    for name in find_names(target.text):
        if name.startswith("_"):
            continue
        advice = f"{name} stands for anything, as _ does: write a player as a number"
        complain(f"{target.option}: {advice}", kind="note")


def _find_first(explainer: Explainer, targets: Iterable[Wanted]) -> list[FoundAtom]:
    """Return the atoms of the first target that has any; empty if none has."""
    for target in targets:
        found = explainer.find(target)
        if found:
            return found
    return []


def _show(trees: Sequence[WhyNode], *, is_list: bool) -> Output:
    width = 0
    if sys.stdout.isatty():
        # A terminal breaks long lines without regard to the tree, so they are broken here.
        width = get_terminal_size().columns
    blocks: list[Text] = []
    lines = []
    for tree in trees:
        text = write_list(tree) if is_list else write_tree(tree, width)
        blocks.append(Text(text))
        lines.append({"why": tree.to_json()})
    return Output(blocks, lines)
