"""Trees that explain why an atom holds: rules as their files have them, and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import PurePath
from textwrap import fill as fold
from typing import Any, NamedTuple

from clingo import Symbol

from kb_score.engine.docs import Origin
from kb_score.engine.program import BEFORE
from kb_score.engine.scan import TURN
from kb_score.reasons.trace import (
    Clause,
    Element,
    Instance,
    Part,
    Reasons,
    Values,
    read_pattern,
    signature_of,
)


class _Link(NamedTuple):
    """A rule on the way to an atom, and the number of the condition that the way goes through."""

    clause: Clause
    part: int


# The links from the root of a tree to an atom.
_Path = tuple[_Link, ...]


@dataclass(frozen=True, slots=True)
class WhyNode:
    """A node of a tree that shows why an atom holds, or why it does not.

    Attributes:
        kind: ``follows`` from a rule; ``chosen`` by a rule; ``stated`` in a rule file; ``given``, a
            fact of the input; ``absent``, an atom that does not hold; ``compared``, a comparison;
            ``counted``, a sum or another aggregate, and an ``element`` of it; ``all``, a condition
            on everything of a kind; ``again``, explained above; ``steps``, the same rules many
            times; ``held``, an atom that holds only together with itself; or a kind of
            `kb_score.reasons.why_not.WhyNot`.
        atom: The atom, or the condition with its values.
        says: The atom in words; empty if its predicate is not documented.
        because: The reasons, in the order of the rule's body.
    """

    kind: str
    atom: str
    says: str = ""
    origin: Origin | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    because: tuple[WhyNode, ...] = ()
    left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the tree as a JSON object, which contains the objects of the reasons."""
        origin = self.origin
        return {
            "kind": self.kind,
            "atom": self.atom,
            "says": self.says or None,
            "file": origin and origin.file,
            "line": origin and origin.line,
            "rule": origin and origin.text,
            "note": (origin and origin.note) or None,
            "values": dict(self.values),
            "because": [reason.to_json() for reason in self.because],
            "left_out": self.left_out,
        }

    def walk(self) -> Iterator[WhyNode]:
        """Yield this node and all below it, each before its reasons."""
        yield self
        for reason in self.because:
            yield from reason.walk()


@dataclass
class Tree:
    """Explains in one tree why an atom holds.

    ``depth`` is the maximum number of rules that are explained one below another, and ``width``
    that of elements of a sum.
    """

    reasons: Reasons
    _: KW_ONLY
    depth: int
    width: int
    _shown: set[Symbol] = field(default_factory=set, init=False)
    _above: list[Symbol] = field(default_factory=list, init=False)

    def explain(self, atom: Symbol, depth: int | None = None, path: _Path = ()) -> WhyNode:
        """Return the node that explains why an atom holds.

        ``depth`` is the maximum number of rules below the node, by default that of the tree. The
        path has the links from the root of the tree to the atom.
        """
        if depth is None:
            depth = self.depth
        text = str(atom)
        says = self.reasons.words.say(signature_of(atom), tuple(atom.arguments))
        step = self.reasons.choose(atom)
        if step is None:
            kind = "given" if self.reasons.is_given(atom) else "held"
            return WhyNode(kind, text, says)
        if atom in self._shown:
            kind = "held" if atom in self._above else "again"
            return WhyNode(kind, text, says)
        clause = step.clause
        run = self._follow_run(atom, clause, depth, path)
        if run is not None:
            return run
        shown = [number for number, part in enumerate(clause.parts) if not part.is_added]
        if clause.is_chosen:
            kind = "chosen"
        elif shown:
            kind = "follows"
        else:
            kind = "stated"
        node = WhyNode(kind, text, says, clause.origin, write_values(clause, step.values))
        if depth <= 0:
            return replace(node, left_out=len(shown))
        self._shown.add(atom)
        self._above.append(atom)
        because = [self._explain_part(step, number, depth, path) for number in shown]
        self._above.pop()
        return replace(node, because=tuple(because))

    def _explain_part(self, step: Instance, number: int, depth: int, path: _Path) -> WhyNode:
        """Explain a condition of a step's rule, given by its number."""
        clause = step.clause
        part = clause.parts[number]
        if part.kind == "aggregate":
            return self._explain_sum(step, number, depth)
        longer = (*path, _Link(clause, number))
        return self._explain_condition(part, step.terms[number], step.values, depth, longer)

    def _explain_condition(
        self, part: Part, term: Symbol | None, values: Values, depth: int, path: _Path = ()
    ) -> WhyNode:
        if part.kind == "atom":
            assert term is not None
            return self.explain(term, depth - 1, path)
        if part.kind == "absent" and term is not None:
            pattern = read_pattern(term)
            return WhyNode("absent", f"not {pattern}", self.reasons.words.say(*pattern))
        kind = "compared" if part.kind == "comparison" else part.kind
        return WhyNode(kind, write_condition(part, term, values))

    def _explain_sum(self, step: Instance, number: int, depth: int) -> WhyNode:
        """Explain an aggregate by its elements, and a minimum or maximum by one element."""
        part = step.clause.parts[number]
        elements = self.reasons.count(step, number)
        if depth <= 0:
            shown = []
        elif "#min" in part.text:
            shown = elements[:1]
        elif "#max" in part.text:
            shown = elements[-1:]
        else:
            shown = elements[: self.width]
        return WhyNode(
            kind="counted",
            atom=part.fill(step.values),
            because=tuple(self._explain_element(element, depth) for element in shown),
            left_out=len(elements) - len(shown),
        )

    def _explain_element(self, element: Element, depth: int) -> WhyNode:
        reasons = [
            self._explain_condition(part, term, element.values, depth)
            for part, term in zip(element.parts, element.terms, strict=True)
        ]
        if len(reasons) == 1:
            return reasons[0]
        return WhyNode("element", str(element.key), because=tuple(reasons))

    def _follow_run(self, atom: Symbol, clause: Clause, depth: int, path: _Path) -> WhyNode | None:
        """Return one node for the same few rules repeated, if they have just led to this atom.

        The last atom is explained below it. There is no node if the rules do not repeat at least
        twice.
        """
        start = len(path) - 1
        while start >= 0 and path[start].clause is not clause:
            start -= 1
        if start < 0:
            return None
        run = path[start:]
        times = 0
        last = atom
        following = self._follow(atom, run)
        while following is not None:
            times += 1
            last = following
            following = self._follow(last, run)
        if times < 2:
            return None
        rules = "rule" if len(run) == 1 else f"{len(run)} rules"
        says = f"the same {rules} {times} more times, down to"
        because = (self.explain(last, depth - 1),)
        return WhyNode("steps", str(atom), says, clause.origin, because=because)

    def _follow(self, atom: Symbol, run: _Path) -> Symbol | None:
        """Return the atom to which links lead from an atom; None if they do not apply."""
        for clause, number in run:
            step = self.reasons.choose(atom)
            if step is None or step.clause is not clause:
                return None
            if clause.parts[number].kind != "atom":
                return None
            following = step.terms[number]
            assert following is not None
            atom = following
        return atom


def write_condition(part: Part, term: Symbol | None, values: Values) -> str:
    """Return the text of a condition with its values.

    The term has the two sides of a comparison, each with its value.
    """
    if term is None or not part.operator:
        return part.fill(values)
    left, right = term.arguments
    return f"{left} {part.operator} {right}"


def write_values(clause: Clause, values: Values) -> dict[str, str]:
    """Return the values of a rule's variables, and of its turn, by the names in the file."""
    written: dict[str, str] = {}
    for name, value in values.items():
        if name == TURN:
            written[clause.parameter] = str(value)
        elif not name.endswith("'"):
            written[name] = str(value)
    return written


_ITSELF = re.compile(
    r"(.*) = \1|-?\d+ = \(.*\.\..*\)|.* (!=|<) #(sup|inf)|#(sup|inf) (!=|<) .*", re.DOTALL
)
# The minimum number of characters on a line, however deep it is in a tree.
_MIN_WIDTH = 40
# The file of rules that the engine has made: they look back at the turn before.
_MADE = "<string>"
# Where a reason comes from if it has no rule.
_SOURCES = {
    "given": "given",
    "missing": "no rule or fact gives it",
    "again": "see above",
    "held": "depends on itself",
}
# The beginning of a line by its kind.
_BEGINNINGS = {
    "absent": "not so: ",
    "lacking": "missing: ",
    "missing": "missing: ",
    "fails": "fails: ",
    "all": "for all: ",
}


def describe(reason: WhyNode) -> str:
    """Return the line for a reason, without the reasons below it."""
    kind = reason.kind
    atom = re.sub("#(sup|inf)", "none", reason.atom)
    place = _place(reason)
    if kind == "nearly":
        return f"{place} gives {atom}, but {reason.says}"
    if kind == "steps":
        return f"{place or atom}: {reason.says}"
    if kind in ("compared", "counted", "element", "fails", "all"):
        beginning = _BEGINNINGS.get(kind, "")
        if reason.says:
            return f"{beginning}{atom} ({reason.says})"
        return f"{beginning}{atom}"
    source = _SOURCES.get(kind, place)
    if kind == "chosen":
        source = f"chosen, {source}"
    return _describe_atom(reason, atom, source)


def _describe_atom(reason: WhyNode, atom: str, source: str) -> str:
    """Return the line for an atom, which ends with its source unless that is empty."""
    kind = reason.kind
    beginning = _BEGINNINGS.get(kind, "")
    says = reason.says or atom
    if kind == "absent":
        # The beginning of the line already says "not".
        says = says.removeprefix("not ")
    if kind == "again":
        if atom.startswith("not "):
            says = f"missing: {says.removeprefix('not ')}"
        atom = atom.removeprefix("not ")
    asides: list[str] = []
    if reason.says and atom:
        asides.append(atom)
    if source:
        asides.append(source)
    if not asides:
        return f"{beginning}{says}"
    return f"{beginning}{says} [{'; '.join(asides)}]"


def write_tree(tree: WhyNode, width: int) -> str:
    """Return a tree as text, in lines of ``width`` characters; 0 for lines of any length."""
    lines = [_break(describe(tree), "", "  ", width)]
    if tree.origin is not None and tree.kind != "steps":
        for aside in (tree.origin.note, tree.origin.text):
            if aside:
                lines.append(_break(aside, "  ", "  ", width))
    lines += _write_branches(tree, "", width)
    return "\n".join(lines)


def _write_branches(tree: WhyNode, before: str, width: int) -> Iterator[str]:
    """Yield the lines of a node's reasons; each begins with ``before``."""
    shown = _list_shown(tree)
    for number, reason in enumerate(shown, start=1):
        if number == len(shown) and not tree.left_out:
            first = f"{before}└─ "
            others = f"{before}   "
        else:
            first = f"{before}├─ "
            others = f"{before}│  "
        yield _break(describe(reason), first, others, width)
        yield from _write_branches(reason, others, width)
    if tree.left_out:
        yield f"{before}└─ … {_describe_left_out(tree)}"


def _break(text: str, first: str, others: str, width: int) -> str:
    """Break text into lines of ``width`` characters; 0 for a single line."""
    text = " ".join(text.split())
    line = first + text
    if not width or len(line) < width:
        return line
    room = max(width - 1, len(others) + _MIN_WIDTH)
    return fold(text, room, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def write_list(tree: WhyNode, indent: str = "") -> str:
    """Return a tree as a Markdown list."""
    # Some characters have a meaning in Markdown.
    text = re.sub(r"([\\`*_<>#])", r"\\\1", describe(tree))
    lines = [f"{indent}- {text}"]
    deeper = f"{indent}  "
    lines += [write_list(reason, deeper) for reason in _list_shown(tree)]
    if tree.left_out:
        lines.append(f"{deeper}- … {_describe_left_out(tree)}")
    return "\n".join(lines)


def _list_shown(tree: WhyNode) -> list[WhyNode]:
    """Return the reasons to show, without obvious ones.

    It is obvious that a value equals itself, is in its own range, or lies between #inf and #sup.
    """
    return [
        reason
        for reason in tree.because
        if reason.kind != "compared" or not _ITSELF.fullmatch(reason.atom)
    ]


def _place(reason: WhyNode) -> str:
    """Return the place of a rule: the name of its file, which is enough in a game, and its line."""
    if reason.origin is None:
        return ""
    if reason.origin.file == _MADE and reason.atom.startswith(BEFORE):
        return "the turn before"
    return f"{PurePath(reason.origin.file).name}:{reason.origin.line}"


def _describe_left_out(tree: WhyNode) -> str:
    nouns = {"lacking": "rule", "counted": "part"}
    noun = nouns.get(tree.kind, "condition")
    if tree.left_out != 1:
        noun += "s"
    if tree.because:
        noun = f"more {noun}"
    return f"{tree.left_out} {noun}"
