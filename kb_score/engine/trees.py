"""Why does an atom hold? A tree of steps: rules as they stand in their files, down to facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """A node of a tree that tells why an atom holds, or why it does not."""

    # Follows from a rule; chosen by one; stated in a rule file; given, a fact of the input; absent,
    # something that does not hold; compared; counted, a sum or the like, and an element of it; all,
    # a condition on everything of a kind; again, for what is explained above; steps, many of the
    # same rules; held, what holds only together with itself; or one of those of
    # `kb_score.engine.why`.
    kind: str
    atom: str  # the atom, or the condition with its values
    says: str = ""  # that in words; empty if nothing is documented
    origin: Origin | None = None  # the rule
    values: Mapping[str, str] = field(default_factory=dict)  # the values of the rule's variables
    because: tuple[WhyNode, ...] = ()  # what it rests on, in the order of the rule's body
    left_out: int = 0  # how much more it rests on

    def to_json(self) -> dict[str, Any]:
        """Make an object of it, with those it rests on inside."""
        origin = self.origin
        return {
            "kind": self.kind,
            "atom": self.atom,
            "says": self.says or None,
            "file": None if origin is None else origin.file,
            "line": None if origin is None else origin.line,
            "rule": None if origin is None else origin.text,
            "note": None if origin is None else origin.note or None,
            "values": dict(self.values),
            "because": [reason.to_json() for reason in self.because],
            "left_out": self.left_out,
        }

    def walk(self) -> Iterator[WhyNode]:
        """Yield this and all that it rests on, from above."""
        yield self
        for reason in self.because:
            yield from reason.walk()


class Tree:
    """Makes one tree."""

    def __init__(self, reasons: Reasons, *, depth: int, width: int) -> None:
        """Take how many rules follow one another, and how many elements of a sum are shown."""
        self.reasons = reasons
        self.depth, self.width = depth, width
        self._shown: set[Symbol] = set()
        self._above: list[Symbol] = []

    def explain(self, atom: Symbol, depth: int | None = None, path: _Path = ()) -> WhyNode:
        """Explain why an atom holds."""
        depth = self.depth if depth is None else depth
        text, says = str(atom), self.reasons.words.say(signature_of(atom), tuple(atom.arguments))
        if (step := self.reasons.choose(atom)) is None:
            return WhyNode("given" if self.reasons.is_given(atom) else "held", text, says)
        if atom in self._shown:
            return WhyNode("held" if atom in self._above else "again", text, says)
        if (run := self._follow_run(atom, step.clause, depth, path)) is not None:
            return run
        clause = step.clause
        shown = [at for at, part in enumerate(clause.parts) if not part.is_added]
        kind = "chosen" if clause.is_chosen else "follows" if shown else "stated"
        origin, values = clause.origin, write_values(clause, step.values)
        if depth <= 0:
            return WhyNode(kind, text, says, origin, values, left_out=len(shown))
        self._shown.add(atom)
        self._above.append(atom)
        because = [self._explain_part(step, at, depth, (*path, (step, at))) for at in shown]
        self._above.pop()
        return WhyNode(kind, text, says, origin, values, tuple(because))

    def _explain_part(self, step: Instance, at: int, depth: int, path: _Path) -> WhyNode:
        part = step.clause.parts[at]
        if part.kind == "aggregate":
            return self._explain_sum(step, at, depth)
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
        kind = part.kind if part.kind in ("absent", "all") else "compared"
        return WhyNode(kind, write_condition(part, term, values))

    def _explain_sum(self, step: Instance, at: int, depth: int) -> WhyNode:
        part = step.clause.parts[at]
        elements = self.reasons.count(step, at)
        shown = elements[: self.width]
        if "#min" in part.text or "#max" in part.text:
            shown = elements[:1] if "#min" in part.text else elements[-1:]
        because = [self._explain_element(element, depth) for element in shown if depth > 0]
        left_out = len(elements) - len(because)
        text = part.fill(step.values)
        return WhyNode("counted", text, because=tuple(because), left_out=left_out)

    def _explain_element(self, element: Element, depth: int) -> WhyNode:
        reasons = [
            self._explain_condition(part, term, element.values, depth)
            for part, term in zip(element.parts, element.terms, strict=True)
        ]
        if len(reasons) == 1:
            return reasons[0]
        return WhyNode("element", str(element.key), because=tuple(reasons))

    def _follow_run(self, atom: Symbol, clause: Clause, depth: int, path: _Path) -> WhyNode | None:
        """Follow the same few rules as far as they lead, where they have just led to this atom."""
        begin = next((i for i in reversed(range(len(path))) if path[i][0].clause is clause), None)
        if begin is None:
            return None
        rules = [(step.clause, at) for step, at in path[begin:]]
        times, last = 0, atom
        while (following := self._follow(last, rules)) is not None:
            times, last = times + 1, following
        if times < 2:
            return None
        count = "rule" if len(rules) == 1 else f"{len(rules)} rules"
        says = f"the same {count} {times} more times, down to"
        because = (self.explain(last, depth - 1),)
        return WhyNode("steps", str(atom), says, clause.origin, because=because)

    def _follow(self, atom: Symbol, rules: Sequence[tuple[Clause, int]]) -> Symbol | None:
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


def describe(reason: WhyNode) -> str:
    """Describe a reason on one line, without what it rests on."""
    reason = replace(reason, atom=re.sub("#(sup|inf)", "none", reason.atom))
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
        says = f"lacking: {says.removeprefix('not ')}"
    atom = reason.atom.removeprefix("not ") if reason.kind == "again" else reason.atom
    aside = "; ".join(filter(None, [atom if reason.says else "", source]))
    return f"{_BEGINNINGS.get(reason.kind, '')}{says}" + (f" [{aside}]" if aside else "")


def write_tree(tree: WhyNode, width: int) -> str:
    """Write a tree as text, in lines of a width; 0 for any."""
    lines = [_break(describe(tree), "", "  ", width)]
    if tree.origin is not None and tree.kind != "steps":
        asides = (line for line in (tree.origin.note, tree.origin.text) if line)
        lines += [_break(line, "  ", "  ", width) for line in asides]
    return "\n".join([*lines, *_write_branches(tree, "", width)])


def _write_branches(tree: WhyNode, before: str, width: int) -> Iterator[str]:
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
    return fold(text, room, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def write_list(tree: WhyNode, indent: int = 0) -> str:
    """Write a tree as a Markdown list."""
    # Signs of a text are not taken for Markdown's own.
    text = re.sub(r"([\\`*_<>#])", r"\\\1", describe(tree))
    lines = [f"{'  ' * indent}- {text}"]
    lines += [write_list(reason, indent + 1) for reason in _list_shown(tree)]
    if tree.left_out:
        lines.append(f"{'  ' * (indent + 1)}- … {_say_left_out(tree)}")
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


def _say_left_out(tree: WhyNode) -> str:
    what = "rule" if tree.kind == "lacking" else "part" if tree.kind == "counted" else "condition"
    return f"{tree.left_out} {'more ' if tree.because else ''}{what}{'s' * (tree.left_out != 1)}"
