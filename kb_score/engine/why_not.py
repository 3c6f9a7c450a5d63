"""Why does an atom not hold? For each rule that could give it, the conditions that fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from clingo import Function, Infimum, Number, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, BinaryOperator

from kb_score.engine.trace import (
    ROW,
    Clause,
    Give,
    Part,
    Pattern,
    Reasons,
    Values,
    fill,
    find_bound,
    find_names,
    read_atom,
    settle,
    write_pattern,
    write_tuple,
)
from kb_score.engine.trees import Tree, WhyNode, write_values

# So many conditions are left out together, before rules are followed from their beginning.
_TOGETHER = 2
# So many ways to come near are looked at more closely, at first of those that lack the same
# conditions and where one looks on, and so many rules down.
_TRIED, _TRIED_FURTHER, _FURTHER = 24, 4, 2
# The distance of what no rule can give.
_FAR = 100


@dataclass(frozen=True, slots=True)
class _Miss:
    """How near a rule comes: the conditions that fail, those left open, and values so far."""

    clause: Clause
    values: Values
    failing: tuple[Part, ...]
    left_open: tuple[Part, ...]
    ways: int = 1  # of how many conditions any would do, where one fails

    @property
    def distance(self) -> tuple[int, int]:
        """What comes first is nearest."""
        return len(self.failing) + len(self.left_open), len(self.failing)

    @property
    def places(self) -> tuple[int, ...]:
        """Which conditions of the rule fail, from 0."""
        return tuple(n for n, part in enumerate(self.clause.parts) if part in self.failing)


def _is_ruling(part: Part) -> bool:
    """Whether a condition asks for a ruling: where it fails, the rule is not in force."""
    return part.kind == "comparison" and not part.names


class Lack:
    """Makes one tree of what an atom lacks; a reason's ``kind`` is one of these, or of `WhyNode`.

    ``lacking`` is an atom that does not hold, or of which none does; below it there is a ``nearly``
    for each rule that could give it, and below that what ``fails``. What stays open because of that
    is ``open``. An atom is ``missing`` if neither a rule nor a fact gives any like it.
    """

    def __init__(self, reasons: Reasons, *, depth: int, width: int) -> None:
        """Take how many rules follow one another, and how many are tried for each atom."""
        self.reasons = reasons
        self.depth, self.width = depth, width
        self._tree = Tree(reasons, depth=depth, width=width)
        self._shown: set[Pattern] = set()
        self._estimates: dict[tuple[Pattern, int], int] = {}

    def explain(self, pattern: Pattern, depth: int | None = None) -> WhyNode:
        """Explain why no atom with such arguments holds; None stands for any argument."""
        depth = self.depth if depth is None else depth
        text, says = write_pattern(pattern), self.reasons.say(pattern)
        if pattern in self._shown:
            return WhyNode("again", f"not {text}", says)
        clauses = self.reasons.rules.giving(pattern[0])
        if not clauses:
            return WhyNode("missing", text, says)
        if depth <= 0:
            return WhyNode("lacking", text, says, left_out=len(clauses))
        if (since := self._find_since(pattern)) is not None:
            says = f"so it has been from {since[1][-1]} on"
            return WhyNode("steps", text, says, because=(self.explain(since, depth),))
        self._shown.add(pattern)
        misses = self._list_misses(pattern)
        if not misses:
            return WhyNode("missing", text, says)
        because = tuple(self._tell(miss, depth) for miss in misses[: self.width])
        return WhyNode("lacking", text, says, because=because, left_out=len(misses) - len(because))

    def _find_since(self, pattern: Pattern) -> Pattern | None:
        """Find when what held before came to an end, where the turn after this one asks for it."""
        signature, arguments = pattern
        known = [value for value in arguments if value is not None]
        if not known or len(known) < len(arguments) or known[-1].type != SymbolType.Number:
            return None
        *others, last = known
        if (signature, (*others, Number(last.number + 1))) not in self._shown:
            return None
        name = signature[0].removeprefix("-")
        for turn in range(last.number - 1, -1, -1):
            if self.reasons.holds(Function(name, [*others, Number(turn)], name == signature[0])):
                return (signature, (*others, Number(turn + 1))) if turn + 1 < last.number else None
        return None

    def _tell(self, miss: _Miss, depth: int) -> WhyNode:
        because = [self._explain_failing(part, miss, depth) for part in miss.failing]
        because += [WhyNode("open", part.fill(miss.values)) for part in miss.left_open]
        number = len(miss.failing)
        says = "one condition fails" if number == 1 else f"{number} conditions fail"
        head = write_pattern(_read(miss.clause.head, miss.values))
        origin, named = self.reasons.origin(miss.clause), write_values(miss.clause, miss.values)
        return WhyNode("nearly", head, says, origin, named, tuple(because))

    def _explain_failing(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        text, values = part.fill(miss.values), miss.values
        if part.kind == "atom":
            pattern = _read(part.term, values)
            if self.reasons.match(pattern):
                return WhyNode("fails", text, "such atoms hold, but not with values that fit")
            lacking = self.explain(pattern, depth - 1)
            some = f"any of {miss.ways}, such as: {lacking.says or lacking.atom}"
            return replace(lacking, says=some) if miss.ways > 1 else lacking
        if part.kind == "absent":
            holding = self.reasons.match(_read(part.text.removeprefix("not "), values))[:1]
            because = tuple(self._tree.explain(atom, depth - 1) for atom in holding)
            return WhyNode("fails", text, because=because)
        if part.kind == "aggregate":
            value = self._find_value(part, values)
            rare = {None: "no value fits", Infimum: "nothing counts", Supremum: "nothing counts"}
            return WhyNode("fails", text, rare.get(value, f"it is {value}"))
        if not all(name in values for name in part.names):
            return WhyNode("fails", text, "no value fits")
        if part.operator == "!=" and part.names:
            others = ", and nothing else fits" * bool(find_names(part.text.partition(" != ")[2]))
            return WhyNode("fails", part.text, f"both are {text.partition(' != ')[0]}{others}")
        return WhyNode("fails", text, part.text * (part.text != text))

    def _find_value(self, part: Part, values: Values) -> Symbol | None:
        """Find the value of an aggregate, whatever it is compared with; None if that is open."""
        bare = part.node.atom.update(left_guard=None, right_guard=None)
        given = [f"{name} = {values[name]}" for name in find_names(part.text) if name in values]
        rule = "; ".join([f"{ROW}(0,X') :- X' = {bare}", *given]) + "."
        try:
            found = self.reasons.query([rule], part.asks)
        except RuntimeError:
            return None
        return found[0][1] if found else None

    def _list_misses(self, pattern: Pattern) -> list[_Miss]:
        """List how near each rule comes to an atom, nearest first."""
        found = []
        for clause in self.reasons.rules.giving(pattern[0]):
            alike = defaultdict[object, list[_Miss]](list)
            for miss in self._try(clause, pattern[1]):
                alike[miss.places].append(miss)
            misses = [miss for some in alike.values() for miss in some[:_TRIED]]
            if misses and not any(map(_is_ruling, misses[0].failing)):
                best = min(misses, key=self._rate)
                ways = {best.failing[0].fill(miss.values) for miss in alike[best.places]}
                found.append(replace(best, ways=len(ways) if len(best.failing) == 1 else 1))
        return sorted(found, key=self._rate)

    def _rate(self, miss: _Miss) -> tuple[object, ...]:
        """Rate a way to come near, the best lowest: what can be comes before what never can."""
        further = self._look_on(miss)
        # Of what is alike the last condition fails: those before it say what it is about.
        return further >= _FAR, miss.distance, further, -min(miss.places)

    def _look_on(self, miss: _Miss, further: int = _FURTHER) -> int:
        """Estimate how far the atoms are that a miss lacks, by what their own rules lack."""
        return sum(
            self._estimate(_read(part.term, miss.values), further)
            for part in miss.failing
            if part.kind == "atom"
        )

    def _estimate(self, pattern: Pattern, further: int) -> int:
        if (pattern, further) not in self._estimates:
            clauses = self.reasons.rules.giving(pattern[0])
            distances = [
                miss.distance[0] + (self._look_on(miss, further - 1) if further else 0)
                for clause in clauses
                for miss in self._try(clause, pattern[1])[:_TRIED_FURTHER]
            ]
            # A fact that is not given is one step away, what no rule gives is out of reach.
            self._estimates[pattern, further] = min(distances, default=_FAR if clauses else 1)
        return self._estimates[pattern, further]

    def _try(self, clause: Clause, arguments: Sequence[Symbol | None]) -> list[_Miss]:
        """Find the fewest conditions without which a rule would give an atom."""
        settled = _settle(clause, arguments)
        if not self._ask(clause, arguments, [()]):
            return []
        for size in range(1, min(_TOGETHER, len(clause.parts)) + 1):
            tried = []
            for failing in combinations(clause.parts, size):
                rest = [part for part in clause.parts if part not in failing]
                kept = _keep_safe(rest, settled)
                bound = find_bound(kept, settled)
                # What gives a variable its value cannot fail: then it would have another one.
                if all(part.kind == "atom" or bound.issuperset(part.names) for part in failing):
                    left_open = tuple(part for part in rest if part not in kept)
                    tried.append((failing, left_open, kept))
            found = self._ask(clause, arguments, [kept for _, _, kept in tried])
            misses = [_Miss(clause, values, *tried[number][:2]) for number, values in found]
            if misses:
                return sorted(misses, key=lambda miss: miss.distance)
        return list(self._follow(clause, arguments))

    def _follow(self, clause: Clause, arguments: Sequence[Symbol | None]) -> Iterator[_Miss]:
        """Add one condition after the other, and leave out each that then fails."""
        kept, failing, left_open = list[Part](), list[Part](), list[Part]()
        settled = _settle(clause, arguments)
        found = self._ask(clause, arguments, [()])
        for part in clause.parts:
            if part.kind != "atom" and not find_bound([*kept, part], settled) >= set(part.names):
                left_open.append(part)
            elif further := self._ask(clause, arguments, [[*kept, part]]):
                kept, found = [*kept, part], further
            else:
                failing.append(part)
        # Nothing comes of a rule whose head is never such an atom.
        for _, values in found[:1]:
            yield _Miss(clause, values, tuple(failing), tuple(left_open))

    def _ask(
        self, clause: Clause, arguments: Sequence[Symbol | None], tried: Sequence[Sequence[Part]]
    ) -> list[tuple[int, Values]]:
        """List the values with which conditions give an atom, and which ones of those tried."""
        rules, names = [], list[list[str]]()
        settled = _settle(clause, arguments)
        for number, kept in enumerate(tried):
            bound = find_bound(kept, settled)
            names.append([name for name in clause.names if name in bound])
            equations = [
                f"{term.left} = {value}-{term.right}" if _is_sum(term) else f"{term} = {value}"
                for term, value in zip(clause.terms, arguments, strict=True)
                if value is not None and bound.issuperset(find_names(str(term)))
            ]
            body = "; ".join([*(part.body for part in kept), *equations]) or "#true"
            rules.append(f"{ROW}({number},{write_tuple(names[-1])}) :- {body}.")
        about = {signature for kept in tried for part in kept for signature in part.asks}
        try:
            rows = self.reasons.query(rules, about)
        except RuntimeError:
            # Some variable has no value without the conditions that are left out.
            one_by_one = [self._ask(clause, arguments, [kept]) for kept in tried if len(tried) > 1]
            return [(n, values) for n, found in enumerate(one_by_one) for _, values in found]
        return [(n, dict(zip(names[n], row.arguments, strict=True))) for n, row in rows]


def _read(text: str, values: Values) -> Pattern:
    """Read an atom of a rule with its values."""
    found = read_atom(fill(text, values))
    assert found is not None, text
    return found[1]


def _settle(clause: Clause, arguments: Sequence[Symbol | None]) -> list[Give]:
    """The variables of a head that have values if some of its arguments have."""
    pairs = zip(clause.terms, arguments, strict=True)
    terms = [term for term, value in pairs if value is not None]
    sums = [(term.left, term.right) for term in terms if _is_sum(term)]
    sums += [(right, left) for left, right in sums]
    found = [(settle(one), frozenset(find_names(str(other)))) for one, other in sums]
    return [*found, *((settle(term), frozenset[str]()) for term in terms)]


def _is_sum(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and term.operator_type == BinaryOperator.Plus


def _keep_safe(parts: Sequence[Part], settled: Sequence[Give]) -> list[Part]:
    """Keep the conditions whose variables all have values if these conditions count."""
    kept = list(parts)
    while True:
        bound = find_bound(kept, settled)
        safe = [part for part in kept if bound.issuperset(part.names)]
        if len(safe) == len(kept):
            return kept
        kept = safe
