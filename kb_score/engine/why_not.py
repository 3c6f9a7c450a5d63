"""Why does an atom not hold? For each rule that could give it, the conditions that fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from clingo import Function, Number, SymbolType

from kb_score.engine.clauses import Clause, Part, find_bound
from kb_score.engine.queries import ask, ask_value
from kb_score.engine.shapes import all_fit
from kb_score.engine.why import Reason, Tree, write_values

if TYPE_CHECKING:
    from clingo import Symbol

    from kb_score.engine.queries import Instance
    from kb_score.engine.shapes import Pattern, Shape
    from kb_score.engine.why import Grounds

# So many conditions are left out together, before rules are followed from their beginning.
_TOGETHER = 2
# So many ways to come near are looked at more closely, at first and where one looks on, and so many
# rules down.
_TRIED, _TRIED_FURTHER, _FURTHER = 24, 4, 2
# The distance of what no rule can give.
_FAR = 100


@dataclass(frozen=True, slots=True)
class _Miss:
    """How near a rule comes: the conditions that fail, those left open, and values so far."""

    clause: Clause
    instance: Instance
    failing: tuple[Part, ...]
    left_open: tuple[Part, ...]

    @property
    def distance(self) -> tuple[int, int]:
        """What comes first is nearest."""
        return len(self.failing) + len(self.left_open), len(self.failing)


class Lack:
    """Makes one tree of what an atom lacks; a reason's ``kind`` is one of these, or of `Reason`.

    ``lacking`` is an atom that does not hold, or of which none does; below it there is a ``nearly``
    for each rule that could give it, and below that what ``fails``. What stays open because of that
    is ``open``. An atom is ``missing`` if neither a rule nor a fact gives any like it.
    """

    def __init__(self, grounds: Grounds, *, depth: int, width: int) -> None:
        """Take how many rules follow one another, and how many are tried for each atom."""
        self.grounds, self.whole = grounds, grounds.whole
        self.depth, self.width = depth, width
        self._tree = Tree(grounds, depth=depth, width=width)
        self._shown: set[Pattern] = set()
        self._estimates: dict[tuple[Pattern, int], int] = {}

    def explain(self, pattern: Pattern, depth: int | None = None) -> Reason:
        """Explain why no atom with such arguments holds; None stands for any argument."""
        depth = self.depth if depth is None else depth
        signature, arguments = pattern
        text, says = write_pattern(pattern), self.grounds.say(signature, arguments)
        if pattern in self._shown:
            return Reason("again", f"not {text}", says)
        clauses = self.grounds.clauses.get(signature, [])
        if not clauses:
            return Reason("missing", text, says)
        if depth <= 0:
            return Reason("lacking", text, says, left_out=len(clauses))
        if (since := self._find_since(pattern)) is not None:
            says = f"so it has been from {since[1][-1]} on"
            return Reason("steps", text, says, because=(self.explain(since, depth),))
        self._shown.add(pattern)
        misses = self._list_misses(pattern)
        if not misses:
            return Reason("missing", text, says)
        because = tuple(self._tell(miss, depth) for miss in misses[: self.width])
        return Reason("lacking", text, says, because=because, left_out=len(misses) - len(because))

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
            if self.whole.holds(Function(name, [*others, Number(turn)], name == signature[0])):
                return signature, (*others, Number(turn + 1))
        return None

    def _tell(self, miss: _Miss, depth: int) -> Reason:
        values = miss.instance.values
        because = [self._explain_failing(part, miss.instance, depth) for part in miss.failing]
        because += [Reason("open", part.fill(values)) for part in miss.left_open]
        number = len(miss.failing)
        says = "one condition fails" if number == 1 else f"{number} conditions fail"
        head = write_pattern(miss.clause.head.pattern(values))
        origin, named = self.grounds.origin(miss.clause), write_values(miss.clause, miss.instance)
        return Reason("nearly", head, says, origin, named, tuple(because))

    def _explain_failing(self, part: Part, instance: Instance, depth: int) -> Reason:
        text = part.fill(instance.values)
        if part.kind == "atom":
            if part.atoms[0].find(instance.values, self.whole):
                return Reason("fails", text, "such atoms hold, but not with values that fit")
            return self.explain(part.atoms[0].pattern(instance.values), depth - 1)
        if part.kind == "absent":
            signature, arguments = part.atoms[0].pattern(instance.values)
            known = {at: value for at, value in enumerate(arguments) if value is not None}
            because = [
                self._tree.explain(atom, depth - 1)
                for atom in self.whole.find(signature, known)[:1]
            ]
            return Reason("fails", text, because=tuple(because))
        if part.kind == "aggregate":
            value = ask_value(part, instance.values, self.whole)
            return Reason("fails", text, "no value fits" if value is None else f"it is {value}")
        is_known = all(name in instance.values for name in part.names)
        return Reason("fails", text, "" if is_known else "no value fits")

    def _list_misses(self, pattern: Pattern) -> list[_Miss]:
        """List how near each rule comes to an atom, nearest first."""
        signature, arguments = pattern
        found = []
        for clause in self.grounds.clauses.get(signature, []):
            fits = all_fit(clause.head.arguments, arguments, {})
            if misses := self._try(clause, arguments)[:_TRIED] if fits else []:
                found.append(min(misses, key=lambda miss: (miss.distance, self._look_on(miss))))
        return sorted(found, key=lambda miss: (miss.distance, self._look_on(miss)))

    def _look_on(self, miss: _Miss, further: int = _FURTHER) -> int:
        """Estimate how far the atoms are that a miss lacks, by what their own rules lack."""
        return sum(
            self._estimate(part.atoms[0].pattern(miss.instance.values), further)
            for part in miss.failing
            if part.kind == "atom"
        )

    def _estimate(self, pattern: Pattern, further: int) -> int:
        if (pattern, further) not in self._estimates:
            signature, arguments = pattern
            clauses = self.grounds.clauses.get(signature, [])
            near = [c for c in clauses if all_fit(c.head.arguments, arguments, {})]
            distances = [
                miss.distance[0] + (self._look_on(miss, further - 1) if further else 0)
                for clause in near
                for miss in self._try(clause, arguments)[:_TRIED_FURTHER]
            ]
            # A fact that is not given is one step away, what no rule gives is out of reach.
            self._estimates[pattern, further] = min(distances, default=_FAR if clauses else 1)
        return self._estimates[pattern, further]

    def _try(self, clause: Clause, arguments: Sequence[Symbol | None]) -> list[_Miss]:
        """Find the fewest conditions without which a rule would give an atom."""
        parts = clause.parts
        pairs = zip(clause.head.arguments, arguments, strict=True)
        terms = [term for term, value in pairs if value is not None]
        for size in range(1, min(_TOGETHER, len(parts)) + 1):
            misses = []
            for failing in combinations(parts, size):
                rest = [part for part in parts if part not in failing]
                kept = list(_keep_safe(rest, terms))
                bound = find_bound(kept, terms)
                # What gives a variable its value cannot fail: then it would have another one.
                if any(p.kind != "atom" and not bound.issuperset(p.names) for p in failing):
                    continue
                left_open = tuple(part for part in rest if part not in kept)
                misses += [
                    _Miss(clause, instance, failing, left_open)
                    for instance in self._ask(clause, arguments, kept)
                ]
            if misses:
                return sorted(misses, key=lambda miss: miss.distance)
        return list(self._follow(clause, arguments))

    def _follow(self, clause: Clause, arguments: Sequence[Symbol | None]) -> Iterator[_Miss]:
        """Add one condition after the other, and leave out each that then fails.

        Nothing comes of a rule whose head is never such an atom.
        """
        kept, failing, left_open = list[Part](), list[Part](), list[Part]()
        pairs = zip(clause.head.arguments, arguments, strict=True)
        terms = [term for term, value in pairs if value is not None]
        instance = None
        for part in clause.parts:
            if part.kind != "atom" and not find_bound([*kept, part], terms).issuperset(part.names):
                left_open.append(part)
            elif found := self._ask(clause, arguments, [*kept, part]):
                kept, instance = [*kept, part], found[0]
            else:
                failing.append(part)
        if instance is None:
            instance = next(iter(self._ask(clause, arguments, ())), None)
        if instance is not None:
            yield _Miss(clause, instance, tuple(failing), tuple(left_open))

    def _ask(
        self, clause: Clause, arguments: Sequence[Symbol | None], kept: Sequence[Part]
    ) -> list[Instance]:
        try:
            return ask(clause, arguments, self.whole, kept)
        except RuntimeError:
            # Some variable has no value without the conditions that are left out.
            return []


def write_pattern(pattern: Pattern) -> str:
    """Write an atom, with ``_`` for what may be anything."""
    (name, _), arguments = pattern
    shown = ",".join("_" if value is None else str(value) for value in arguments)
    return f"{name}({shown})" if arguments else name


def _keep_safe(parts: Sequence[Part], terms: Sequence[Shape]) -> Iterator[Part]:
    """Yield the conditions whose variables all have values if these conditions count."""
    kept = list(parts)
    while True:
        bound = find_bound(kept, terms)
        safe = [part for part in kept if bound.issuperset(part.names)]
        if len(safe) == len(kept):
            yield from kept
            return
        kept = safe


__all__ = ["Lack", "write_pattern"]
