"""Trees that explain why an atom does not hold: the first failing condition of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from clingo import Function, Infimum, Number, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, BinaryOperator

from kb_score.reasons.trace import (
    ROW,
    Binding,
    Clause,
    Part,
    Pattern,
    Reasons,
    Terms,
    Values,
    bind,
    fill,
    find_asked,
    find_bound,
    find_names,
    find_solvable,
    read_atom,
    write_tuple,
)
from kb_score.reasons.trees import Tree, WhyNode, write_values


@dataclass(frozen=True, slots=True)
class _Miss:
    """A rule that does not apply, with the first of its conditions that fails."""

    clause: Clause
    values: Values  # the values with which the conditions before the failing one hold
    failing: Part | None  # None if all conditions hold, but the rules leave a choice
    ways: int  # the number of different failing conditions with their values
    held: int  # the number of conditions before the failing one


class Nearest(NamedTuple):
    """A rule that nearly gives an atom."""

    held: int  # the number of conditions before the one that fails
    atoms: list[str]  # the conditions that are atoms, with the values that are known
    node: WhyNode


class WhyNot:
    """Explains in one tree why an atom does not hold.

    Besides the kinds of `WhyNode`, its nodes have these: ``lacking`` is an atom that does not hold,
    or a pattern that no atom matches. Below it is a ``nearly`` for each rule that could give it,
    and below that the first condition that fails: either ``fails``, or another ``lacking`` atom. An
    atom is ``missing`` if no rule or fact gives any atom like it. ``depth`` is the maximum number
    of rules explained one below another, and ``width`` that of rules for an atom.
    """

    def __init__(self, reasons: Reasons, *, depth: int, width: int) -> None:
        self.reasons = reasons
        self.depth = depth
        self.width = width
        self._tree = Tree(reasons, depth=depth, width=width)
        self._shown: set[Pattern] = set()

    def explain(self, pattern: Pattern, depth: int | None = None) -> WhyNode:
        """Return the node that explains why no atom matches a pattern.

        ``depth`` is the maximum number of rules below the node, by default that of the tree.
        """
        if depth is None:
            depth = self.depth
        text = str(pattern)
        says = self.reasons.words.say(*pattern)
        if pattern in self._shown:
            return WhyNode("again", f"not {text}", says)
        clauses = self.reasons.rules.giving(pattern.signature)
        if not clauses:
            return WhyNode("missing", text, says, because=self._find_instead(pattern))
        if depth <= 0:
            return WhyNode("lacking", text, says, left_out=len(clauses))
        since = self._find_since(pattern)
        if since is not None:
            says = f"it has not held since {since.arguments[-1]}"
            return WhyNode("steps", text, says, because=(self.explain(since, depth),))
        self._shown.add(pattern)
        misses = [self._find_miss(clause, pattern.arguments) for clause in clauses]
        found = [miss for miss in misses if miss is not None]
        if not found:
            return WhyNode("missing", text, says)
        nodes = [self._explain_miss(miss, depth) for miss in found[: self.width]]
        return WhyNode(
            kind="lacking",
            atom=text,
            says=says,
            because=tuple(nodes),
            left_out=len(found) - len(nodes),
        )

    def find_nearest(self, patterns: Iterable[Pattern]) -> Nearest | None:
        """Return the rule that came closest to giving an atom of any pattern, if there is one."""
        best: _Miss | None = None
        for pattern in patterns:
            for clause in self.reasons.rules.giving(pattern.signature):
                miss = self._find_miss(clause, pattern.arguments)
                if miss is not None and (best is None or miss.held > best.held):
                    best = miss
        if best is None:
            return None
        atoms = [part.fill(best.values) for part in best.clause.parts if part.kind == "atom"]
        return Nearest(best.held, atoms, self._explain_miss(best, self.depth))

    def _find_instead(self, pattern: Pattern) -> tuple[WhyNode, ...]:
        """Explain a fact of another kind, such as a hex that has a town instead of a castle."""
        values = _list_values(pattern)
        if len(values) < 2:
            return ()
        kind, *others = values
        if kind.type != SymbolType.Function or kind.arguments:
            return ()
        facts = self.reasons.match(Pattern(pattern.signature, (None, *others)))
        return tuple(self._tree.explain(fact, 0) for fact in facts[:1])

    def _find_since(self, pattern: Pattern) -> Pattern | None:
        """Return the atom of the turn since which an atom has not held.

        That turn is explained instead. There is none if the atom of the following turn has not been
        explained, if the atom held in the turn before, or if it never held.
        """
        values = _list_values(pattern)
        if not values:
            return None
        *others, turn = values
        if turn.type != SymbolType.Number:
            return None
        signature = pattern.signature
        now = turn.number
        following = Pattern(signature, (*others, Number(now + 1)))
        if following not in self._shown:
            return None
        name, _ = signature
        bare = name.removeprefix("-")
        is_positive = bare == name
        since = now
        while since > 0:
            before = Function(bare, [*others, Number(since - 1)], is_positive)
            if self.reasons.holds(before):
                break
            since -= 1
        if since in (0, now):
            return None
        return Pattern(signature, (*others, Number(since)))

    def _find_miss(self, clause: Clause, arguments: Terms) -> _Miss | None:
        """Find the first condition of a rule that fails; None if the rule cannot give the atom."""
        pairs = zip(clause.terms, arguments, strict=True)
        known = [(term, value) for term, value in pairs if value is not None]
        bindings = _bind_arguments(known)
        parts = _put_in_order(clause.parts, bindings)
        names_of_prefixes: list[list[str]] = []
        rules: list[str] = []
        for number in range(len(parts) + 1):
            prefix = parts[:number]
            bound = find_bound(prefix, bindings)
            names = [name for name in clause.names if name in bound]
            names_of_prefixes.append(names)
            rules.append(_write_rule(number, prefix, names, known))
        try:
            rows = self.reasons.query(rules, find_asked(parts))
        except RuntimeError:
            # clingo rejects the first conditions as unsafe, although it accepts the whole rule.
            rows = []
        if not rows:
            return None
        # The rows are sorted: the last one has the most conditions that hold.
        number, _ = rows[-1]
        names = names_of_prefixes[number]
        found: list[Values] = [
            dict(zip(names, row.arguments, strict=True)) for other, row in rows if other == number
        ]
        if number == len(parts):
            return _Miss(clause, found[0], None, 1, number)
        failing = parts[number]
        if _is_ruling(failing):
            return None
        ways = set(map(failing.fill, found))
        return _Miss(clause, found[0], failing, len(ways), number)

    def _explain_miss(self, miss: _Miss, depth: int) -> WhyNode:
        clause = miss.clause
        values = miss.values
        says = "the rules could choose it, but did not"
        because: tuple[WhyNode, ...] = ()
        if miss.failing is not None:
            says = "this condition fails"
            because = (self._explain_failing(miss.failing, miss, depth),)
        head = _read(clause.head, values)
        return WhyNode(
            kind="nearly",
            atom=fill(clause.head, values) if head is None else str(head),
            says=says,
            origin=clause.origin,
            values=write_values(clause, values),
            because=because,
        )

    def _explain_failing(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        values = miss.values
        if part.kind == "absent":
            return self._explain_denied(part, values, depth)
        if part.kind == "aggregate":
            return WhyNode("fails", part.fill(values), self._describe_value(part, values))
        if part.kind != "atom":
            return _explain_comparison(part, values)
        pattern = _read(part.term, values)
        if pattern is None:
            return WhyNode("fails", part.fill(values))
        if self.reasons.match(pattern):
            says = "such atoms hold, but not with values that fit"
            return WhyNode("fails", part.fill(values), says)
        lacking = self.explain(pattern, depth - 1)
        if miss.ways == 1:
            return lacking
        example = lacking.says or lacking.atom
        return replace(lacking, says=f"any of {miss.ways}, such as: {example}")

    def _explain_denied(self, part: Part, values: Values, depth: int) -> WhyNode:
        """Explain why a condition with ``not`` fails: the atom holds."""
        text = part.fill(values)
        denied = _read(part.text.removeprefix("not "), values)
        if denied is None:
            return WhyNode("fails", text)
        holding = self.reasons.match(denied)
        because = [self._tree.explain(atom, depth - 1) for atom in holding[:1]]
        return WhyNode("fails", text, because=tuple(because))

    def _describe_value(self, part: Part, values: Values) -> str:
        """Return a phrase for the value of an aggregate."""
        # The value is computed without the guards, with which it is compared.
        bare = part.node.atom.update(left_guard=None, right_guard=None)
        known = [name for name in find_names(part.text) if name in values]
        body = "; ".join([f"X' = {bare}", *(f"{name} = {values[name]}" for name in known)])
        rule = f"{ROW}(0,X') :- {body}."
        try:
            found = self.reasons.query([rule], part.asks)
        except RuntimeError:
            found = []
        if not found:
            return "no value fits"
        _, value = found[0]
        if value in (Infimum, Supremum):
            return "nothing qualifies"
        return f"it is {value}"


def _bind_arguments(known: Sequence[tuple[AST, Symbol]]) -> list[Binding]:
    """Return the bindings by which the variables of a head get values from its arguments."""
    bindings: list[Binding] = []
    for term, _ in known:
        solved = find_solvable(term)
        names = frozenset(find_names(str(term)))
        bindings.append(Binding(solved, names - solved))
        if _is_sum(term):
            bindings.append(bind(term.left, term.right))
            bindings.append(bind(term.right, term.left))
    return bindings


def _put_in_order(parts: Sequence[Part], bindings: Sequence[Binding]) -> list[Part]:
    """Return conditions in their order, except that each follows those that bind its variables."""
    ordered: list[Part] = []
    waiting = list(parts)
    while waiting:
        for part in waiting:
            needed = _find_outer(part, parts).union(part.names)
            if needed <= find_bound([*ordered, part], bindings):
                break
        else:
            # No condition alone is safe, but all of them together are.
            return [*ordered, *waiting]
        ordered.append(part)
        waiting.remove(part)
    return ordered


def _find_outer(part: Part, parts: Sequence[Part]) -> set[str]:
    """Return the rule's own variables that occur within an aggregate or a universal condition."""
    if part.kind not in ("aggregate", "all"):
        return set()
    elsewhere: set[str] = set()
    for other in parts:
        if other is not part:
            elsewhere.update(other.names)
    return elsewhere.intersection(find_names(part.text))


def _write_rule(
    number: int, parts: Sequence[Part], names: Sequence[str], known: Sequence[tuple[AST, Symbol]]
) -> str:
    """Return a rule for clingo that finds the values of variables.

    Its number is the first argument of its atoms. ``known`` has the terms of the head whose values
    are known.
    """
    body = [part.body for part in parts]
    bound = set(names)
    for term, value in known:
        if not bound.issuperset(find_names(str(term))):
            continue
        if _is_sum(term):
            body.append(f"{term.left} = {value}-{term.right}")
        else:
            body.append(f"{term} = {value}")
    conditions = "; ".join(body) or "#true"
    return f"{ROW}({number},{write_tuple(names)}) :- {conditions}."


def _is_ruling(part: Part) -> bool:
    """Return whether a condition compares a ruling; if it fails, the rule is not in force."""
    return part.kind == "comparison" and not part.names


def _list_values(pattern: Pattern) -> list[Symbol]:
    """Return the arguments of an atom; empty if any is open."""
    values = [value for value in pattern.arguments if value is not None]
    return values if len(values) == len(pattern.arguments) else []


def _explain_comparison(part: Part, values: Values) -> WhyNode:
    """Explain why a comparison or a universal condition fails."""
    text = part.fill(values)
    if not set(part.names) <= values.keys():
        return WhyNode("fails", text, "no value fits")
    if part.operator == "!=" and part.names:
        left, _, _ = text.partition(" != ")
        _, _, right = part.text.partition(" != ")
        says = f"both are {left}"
        if find_names(right):
            says += ", and nothing else fits"
        return WhyNode("fails", part.text, says)
    if "#sup" in text or "#inf" in text:
        return WhyNode("fails", part.text, "nothing qualifies")
    if text == part.text:
        return WhyNode("fails", text)
    return WhyNode("fails", text, part.text)


def _read(text: str, values: Values) -> Pattern | None:
    """Return an atom of a rule with its values; None if an argument, such as 1/0, has no value."""
    found = read_atom(fill(text, values))
    return None if found is None else found.pattern


def _is_sum(term: AST) -> bool:
    is_operation = term.ast_type == ASTType.BinaryOperation
    return is_operation and bool(term.operator_type == BinaryOperator.Plus)
