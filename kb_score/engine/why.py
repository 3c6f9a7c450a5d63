"""Why does an atom hold? A tree of steps: rules as they stand in their files, down to facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clingo.ast import ASTType

from kb_score.engine.clauses import Clause, make_clauses
from kb_score.engine.levels import Levels
from kb_score.engine.queries import ask, ask_elements
from kb_score.engine.terms import TURN
from kb_score.engine.whole import Whole, signature_of
from kb_score.engine.words import Origin, Words, read_origin, read_parameter

if TYPE_CHECKING:
    from clingo import Symbol

    from kb_score.engine.clauses import Part
    from kb_score.engine.program import Program, Signature
    from kb_score.engine.queries import Instance

# What a step of a path came from: its atom, the rule, and the condition that led on.
_Path = tuple[tuple["Symbol", Clause, int], ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """A node of a tree that tells why an atom holds, or why it does not.

    Attributes:
        kind: ``follows`` from a rule; ``chosen`` by one; ``stated`` in a rule file; ``given``, a
            fact of the input; ``absent``, something that does not hold; ``compared``; ``counted``,
            a sum or the like, and an ``element`` of it; ``all``, a condition on everything of a
            kind; ``again``, for what is explained above; ``steps``, many of the same rules;
            ``held``, what holds only together with itself; or one of those of
            `kb_score.engine.why_not`.
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
    because: tuple[Reason, ...] = ()
    left_out: int = 0

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

    def walk(self) -> Iterator[Reason]:
        """Yield this and all that it rests on, from above."""
        yield self
        for reason in self.because:
            yield from reason.walk()


class Grounds:
    """The rules and an answer set of theirs, to be asked for reasons."""

    def __init__(self, program: Program, whole: Whole, words: Words) -> None:
        """Take the rules as they are run, what holds, and what predicates mean."""
        self.whole, self.words = whole, words
        self.clauses = list_clauses(program, whole.constant)
        self.levels = Levels(self.clauses, whole)
        self._origins: dict[int, Origin] = {}
        self._chosen: dict[Symbol, tuple[Clause, Instance] | None] = {}

    def choose(self, atom: Symbol) -> tuple[Clause, Instance] | None:
        """Find a rule that gives an atom, the first, and its least instance; None for a fact."""
        if atom not in self._chosen:
            found = None if self.whole.is_given(atom) else next(self._list_ways(atom), None)
            self._chosen[atom] = found
        return self._chosen[atom]

    def _list_ways(self, atom: Symbol) -> Iterator[tuple[Clause, Instance]]:
        signature = signature_of(atom)
        for clause in self.clauses.get(signature, ()):
            for instance in ask(clause, atom.arguments, self.whole):
                if signature not in self.levels.loops or self._leads_down(atom, instance):
                    yield clause, instance

    def _leads_down(self, atom: Symbol, instance: Instance) -> bool:
        level, loops = self.levels.level, self.levels.loops
        signature = signature_of(atom)
        top, loop = level(atom, signature), loops[signature]
        asked = ((a, signature_of(a)) for a in instance.atoms if a is not None)
        return all(level(a, other) < top for a, other in asked if other in loop)

    def origin(self, clause: Clause) -> Origin:
        """Read where a rule stands."""
        key = id(clause.statement)
        if key not in self._origins:
            self._origins[key] = read_origin(clause.location)
        return self._origins[key]

    def say(self, signature: Signature, arguments: Sequence[Symbol | None]) -> str:
        """Say an atom in words; see `Words.say`."""
        return self.words.say(signature, arguments)


class Tree:
    """Makes one tree."""

    def __init__(self, grounds: Grounds, *, depth: int, width: int) -> None:
        """Take how many rules follow one another, and how many elements of a sum are shown."""
        self.grounds, self.whole = grounds, grounds.whole
        self.depth, self.width = depth, width
        self._shown: set[Symbol] = set()
        self._above: list[Symbol] = []

    def explain(self, atom: Symbol, depth: int | None = None, path: _Path = ()) -> Reason:
        """Explain why an atom holds."""
        depth = self.depth if depth is None else depth
        text, says = str(atom), self.grounds.say(signature_of(atom), atom.arguments)
        if (step := self.grounds.choose(atom)) is None:
            return Reason("given" if self.whole.is_given(atom) else "held", text, says)
        if atom in self._shown:
            return Reason("held" if atom in self._above else "again", text, says)
        if (run := self._follow_run(atom, step[0], depth, path)) is not None:
            return run
        clause, instance = step
        shown = [i for i, part in enumerate(clause.parts) if not part.added]
        kind = "chosen" if clause.chosen else "follows" if shown else "stated"
        origin, values = self.grounds.origin(clause), write_values(clause, instance)
        if depth <= 0:
            return Reason(kind, text, says, origin, values, left_out=len(shown))
        self._shown.add(atom)
        self._above.append(atom)
        because = [
            self.explain_part(part, instance, i, depth, (*path, (atom, clause, i)))
            for i, part in enumerate(clause.parts)
            if not part.added
        ]
        self._above.pop()
        return Reason(kind, text, says, origin, values, tuple(because))

    def explain_part(
        self, part: Part, instance: Instance, at: int, depth: int, path: _Path = ()
    ) -> Reason:
        """Explain why a condition holds, the one at this place of the rule."""
        if part.kind == "atom":
            atom = instance.atoms[at]
            assert atom is not None
            return self.explain(atom, depth - 1, path)
        if part.kind == "aggregate":
            return self._explain_sum(part, instance, depth)
        text = part.fill(instance.values)
        if part.kind == "absent":
            return Reason("absent", text, self.grounds.say(*part.atoms[0].pattern(instance.values)))
        return Reason("all" if part.kind == "all" else "compared", text)

    def _explain_sum(self, part: Part, instance: Instance, depth: int) -> Reason:
        text = part.fill(instance.values)
        elements = ask_elements(part, instance.values, self.whole)
        shown, function = elements, part.text
        if "#min" in function or "#max" in function:
            shown = elements[:1] if "#min" in function else elements[-1:]
        else:
            shown = elements[: self.width]
        because = []
        for element in shown if depth > 0 else ():
            reasons = [
                self.explain_part(inner, element.instance, i, depth)
                for i, inner in enumerate(element.parts)
            ]
            one = reasons[0] if len(reasons) == 1 else None
            because.append(one or Reason("element", str(element.key), because=tuple(reasons)))
        left_out = len(elements) - len(because)
        return Reason("counted", text, because=tuple(because), left_out=left_out)

    def _follow_run(self, atom: Symbol, clause: Clause, depth: int, path: _Path) -> Reason | None:
        """Follow the same few rules as far as they lead, where they have just led to this atom."""
        begin = next((i for i in reversed(range(len(path))) if path[i][1] is clause), None)
        if begin is None:
            return None
        steps = [(rule, at) for _, rule, at in path[begin:]]
        times, last = 0, atom
        while (following := self._follow(last, steps)) is not None:
            times, last = times + 1, following
        if times < 2:
            return None
        rules = "rule" if len(steps) == 1 else f"{len(steps)} rules"
        says = f"the same {rules} {times} more times, down to"
        because = (self.explain(last, depth - 1),)
        return Reason("steps", str(atom), says, self.grounds.origin(clause), because=because)

    def _follow(self, atom: Symbol, steps: Sequence[tuple[Clause, int]]) -> Symbol | None:
        for clause, at in steps:
            step = self.grounds.choose(atom)
            if step is None or step[0] is not clause or step[1].atoms[at] is None:
                return None
            following = step[1].atoms[at]
            assert following is not None
            atom = following
        return atom


def write_values(clause: Clause, instance: Instance) -> dict[str, str]:
    """Write the values of a rule's variables, and of the turn that it is about."""
    values = {}
    for name, value in instance.values.items():
        if name == TURN:
            values[clause.parameter] = str(value)
        elif not name.endswith("'"):
            values[name] = str(value)
    return values


def list_clauses(
    program: Program, constant: Callable[[str], Symbol | None]
) -> dict[Signature, list[Clause]]:
    """List the rules that give each predicate, in the order of the program."""
    clauses: dict[Signature, list[Clause]] = {}
    parameter, is_run = "", True
    for statement in program.statements:
        node = statement.node
        if node.ast_type == ASTType.Program:
            is_run = node.name == "base" and not node.parameters
            parameter = read_parameter(node.location)
        elif is_run:
            for clause in make_clauses(statement, constant, parameter):
                clauses.setdefault(clause.signature, []).append(clause)
    return clauses
