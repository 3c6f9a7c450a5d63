"""Why an atom holds: a tree of steps, which are rules as they stand in their files, and facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import PurePath
from textwrap import fill as fold
from typing import Any

from clingo import Symbol

from kb_score.engine.docs import Origin
from kb_score.engine.terms import TURN
from kb_score.engine.trace import (
    Clause,
    Element,
    Instance,
    Part,
    Reasons,
    Values,
    read_pattern,
    signature_of,
)

# The steps that led to an atom, each with the condition that led on.
_Path = tuple[tuple[Instance, int], ...]


@dataclass(frozen=True, slots=True)
class WhyNode:
    """A node of a tree that shows why an atom holds, or why it does not.

    Attributes:
        kind: ``follows`` from a rule; ``chosen`` by one; ``stated`` in a rule file; ``given``, a
            fact of the input; ``absent``, something that does not hold; ``compared``; ``counted``,
            a sum or the like, and an ``element`` of it; ``all``, a condition on everything of a
            kind; ``again``, explained above; ``steps``, many of the same rules; ``held``, what
            holds only together with itself; or one of those of `kb_score.engine.why`.
        atom: The atom, or the condition with its values.
        says: That in words; empty if nothing is documented.
        origin: The rule.
        values: The values of the rule's variables.
        because: What it rests on, in the order of the rule's body.
        left_out: How much more it rests on.
    """

    kind: str
    atom: str
    says: str = ""
    origin: Origin | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    because: tuple[WhyNode, ...] = ()
    left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object, which contains the nodes that it rests on."""
        rule = dict[str, Any].fromkeys(("file", "line", "rule", "note"))
        if self.origin is not None:
            rule["file"] = self.origin.file
            rule["line"] = self.origin.line
            rule["rule"] = self.origin.text
            rule["note"] = self.origin.note or None
        return {
            "kind": self.kind,
            "atom": self.atom,
            "says": self.says or None,
            **rule,
            "values": dict(self.values),
            "because": [reason.to_json() for reason in self.because],
            "left_out": self.left_out,
        }

    def walk(self) -> Iterator[WhyNode]:
        """Yield this node and all below it, each before those that it rests on."""
        yield self
        for reason in self.because:
            yield from reason.walk()


@dataclass
class Tree:
    """Explains in one tree why an atom holds.

    Attributes:
        reasons: The reasons of the answer set.
        depth: How many rules at most are explained one below another.
        width: How many elements of a sum at most are explained.
    """

    reasons: Reasons
    _: KW_ONLY
    depth: int
    width: int
    _shown: set[Symbol] = field(default_factory=set, init=False)
    _above: list[Symbol] = field(default_factory=list, init=False)

    def explain(self, atom: Symbol, depth: int | None = None, path: _Path = ()) -> WhyNode:
        """Explain why an atom holds."""
        if depth is None:
            depth = self.depth
        text = str(atom)
        says = self.reasons.words.say(signature_of(atom), tuple(atom.arguments))
        step = self.reasons.choose(atom)
        if step is None:
            return WhyNode("given" if self.reasons.is_given(atom) else "held", text, says)
        if atom in self._shown:
            return WhyNode("held" if atom in self._above else "again", text, says)
        clause = step.clause
        run = self._follow_run(atom, clause, depth, path)
        if run is not None:
            return run
        shown = [at for at, part in enumerate(clause.parts) if not part.is_added]
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
        because = [self._explain_part(step, at, depth, path) for at in shown]
        self._above.pop()
        return replace(node, because=tuple(because))

    def _explain_part(self, step: Instance, at: int, depth: int, path: _Path) -> WhyNode:
        part = step.clause.parts[at]
        if part.kind == "aggregate":
            return self._explain_sum(step, at, depth)
        path = (*path, (step, at))
        return self._explain_condition(part, step.terms[at], step.values, depth, path)

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

    def _explain_sum(self, step: Instance, at: int, depth: int) -> WhyNode:
        part = step.clause.parts[at]
        elements = self.reasons.count(step, at)
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
        """Follow the same few rules as far as they lead, if they have just led to this atom."""
        rules = [(step.clause, at) for step, at in path]
        before = [number for number, (rule, _) in enumerate(rules) if rule is clause]
        if not before:
            return None
        rules = rules[before[-1] :]
        times = 0
        last = atom
        following = self._follow(atom, rules)
        while following is not None:
            times += 1
            last = following
            following = self._follow(last, rules)
        if times < 2:
            return None
        count = "rule" if len(rules) == 1 else f"{len(rules)} rules"
        says = f"the same {count} {times} more times, down to"
        because = (self.explain(last, depth - 1),)
        return WhyNode("steps", str(atom), says, clause.origin, because=because)

    def _follow(self, atom: Symbol, rules: Sequence[tuple[Clause, int]]) -> Symbol | None:
        """Return the atom to which these conditions of rules lead from another; None if none."""
        for clause, at in rules:
            step = self.reasons.choose(atom)
            if step is None or step.clause is not clause or clause.parts[at].kind != "atom":
                return None
            following = step.terms[at]
            assert following is not None
            atom = following
        return atom


def write_condition(part: Part, term: Symbol | None, values: Values) -> str:
    """Write a condition with its values; of a comparison those of both sides."""
    if term is None or not part.operator:
        return part.fill(values)
    left, right = term.arguments
    return f"{left} {part.operator} {right}"


def write_values(clause: Clause, values: Values) -> dict[str, str]:
    """Write the values of a rule's variables, and of the turn that it is about."""
    return {
        clause.parameter if name == TURN else name: str(value)
        for name, value in values.items()
        if name == TURN or not name.endswith("'")
    }


_ITSELF = re.compile(
    r"(.*) = \1|-?\d+ = \(.*\.\..*\)|.* (!=|<) #(sup|inf)|#(sup|inf) (!=|<) .*", re.DOTALL
)
# A line has room for as many letters, however deep it is in a tree.
_LEAST = 40
# Where a reason comes from if it has no rule.
_SOURCES = {
    "given": "given",
    "missing": "neither a rule nor a fact gives it",
    "again": "see above",
    "held": "holds only together with itself",
}
# How the kinds begin a line.
_BEGINNINGS = {
    "absent": "not so: ",
    "lacking": "lacking: ",
    "missing": "lacking: ",
    "fails": "fails: ",
    "open": "then open: ",
    "all": "for all: ",
}


def describe(reason: WhyNode) -> str:
    """Describe a reason on one line, without what it rests on."""
    kind = reason.kind
    atom = re.sub("#(sup|inf)", "none", reason.atom)
    place = _place(reason)
    if kind == "nearly":
        return f"{place} gives {atom}, but {reason.says}"
    if kind == "steps":
        return f"{place or atom}: {reason.says}"
    beginning = _BEGINNINGS.get(kind, "")
    if kind in ("compared", "counted", "element", "open", "fails", "all"):
        more = f" ({reason.says})" if reason.says else ""
        return f"{beginning}{atom}{more}"
    source = _SOURCES.get(kind, place)
    if kind == "chosen":
        source = f"chosen, {source}"
    says = reason.says or atom
    if kind == "again":
        if atom.startswith("not "):
            says = f"lacking: {says.removeprefix('not ')}"
        atom = atom.removeprefix("not ")
    aside = "; ".join(filter(None, [atom if reason.says else "", source]))
    more = f" [{aside}]" if aside else ""
    return f"{beginning}{says}{more}"


def write_tree(tree: WhyNode, width: int) -> str:
    """Write a tree as text, in lines of a width; 0 for any."""
    lines = [_break(describe(tree), "", "  ", width)]
    if tree.origin is not None and tree.kind != "steps":
        asides = filter(None, [tree.origin.note, tree.origin.text])
        lines += [_break(line, "  ", "  ", width) for line in asides]
    return "\n".join([*lines, *_write_branches(tree, "", width)])


def _write_branches(tree: WhyNode, before: str, width: int) -> Iterator[str]:
    """Write what a node rests on, each line after what stands ``before`` it."""
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
    """Break a text into lines that fit, each after what stands before it; 0 for any width."""
    text = " ".join(text.split())
    if not width or len(first + text) < width:
        return first + text
    room = max(width - 1, len(others) + _LEAST)
    return fold(text, room, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def write_list(tree: WhyNode, indent: int = 0) -> str:
    """Write a tree as a Markdown list."""
    # Signs of a text are not taken for Markdown's own.
    text = re.sub(r"([\\`*_<>#])", r"\\\1", describe(tree))
    lines = [f"{'  ' * indent}- {text}"]
    lines += [write_list(reason, indent + 1) for reason in _list_shown(tree)]
    if tree.left_out:
        lines.append(f"{'  ' * (indent + 1)}- … {_describe_left_out(tree)}")
    return "\n".join(lines)


def _list_shown(tree: WhyNode) -> list[WhyNode]:
    """List what people want to see.

    Not that something equals itself, is one of its range, or is less than nothing at all.
    """
    return [r for r in tree.because if r.kind != "compared" or not _ITSELF.fullmatch(r.atom)]


def _place(reason: WhyNode) -> str:
    """Name a rule by its file, whose name is enough in a game, and its line."""
    if reason.origin is None:
        return ""
    return f"{PurePath(reason.origin.file).name}:{reason.origin.line}"


def _describe_left_out(tree: WhyNode) -> str:
    words = {"lacking": "rule", "counted": "part"}
    word = words.get(tree.kind, "condition")
    if tree.left_out != 1:
        word += "s"
    return f"{tree.left_out} more {word}" if tree.because else f"{tree.left_out} {word}"
