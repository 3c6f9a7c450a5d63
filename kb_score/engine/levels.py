"""Which atom was there first: levels, where predicates depend on themselves.

A rule such as ``reach(P,R1,C1,A) :- reach(P,R,C,A), joined(P,R,C,R1,C1).`` lets two atoms follow
from each other. An explanation must not go in a circle, so each atom gets a level: that of a rule
that asks for no atom of its own kind is 0, that of any other is one more than the highest that it
asks for. A step leads down to lower levels only.

Most predicates that depend on themselves depend on what they were a turn before, as in
``at(P,C,T) :- at(P,C,T-1), ...``. There no circle is possible, and nothing is computed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kb_score.engine.program import Signature
from kb_score.engine.queries import ask_all

if TYPE_CHECKING:
    from clingo import Symbol

    from kb_score.engine.clauses import Clause
    from kb_score.engine.shapes import AtomShape
    from kb_score.engine.whole import Whole

_BEFORE = re.compile(r"\(?([A-Z_]\w*'?)-[1-9]\d*\)?")

NEVER = 2**31
Graph = Mapping[Signature, Iterable[Signature]]


class Levels:
    """The levels of atoms, found where they are asked for."""

    def __init__(
        self, clauses: Mapping[Signature, Sequence[Clause]], whole: Whole | None = None
    ) -> None:
        """Find the predicates that depend on themselves; levels need what holds."""
        self._clauses, self._whole = clauses, whole
        self.loops: dict[Signature, frozenset[Signature]] = {}
        for loop in _find_loops({head: _all_asked(cs) for head, cs in clauses.items()}):
            for hard in _split(loop, clauses):
                self.loops.update(dict.fromkeys(hard, hard))
        self._levels: dict[frozenset[Signature], dict[Symbol, int]] = {}

    def level(self, atom: Symbol, signature: Signature) -> int:
        """Find the level of an atom whose predicate is in a loop.

        It is `NEVER` where an atom follows only from itself, as by a sum over its own predicate.
        """
        loop = self.loops[signature]
        if loop not in self._levels:
            self._levels[loop] = self._compute(loop)
        return self._levels[loop].get(atom, NEVER)

    def _compute(self, loop: frozenset[Signature]) -> dict[Symbol, int]:
        """Let each atom follow as early as it can, by counting what its rules still wait for."""
        assert self._whole is not None
        waiting: list[tuple[Symbol, set[Symbol]]] = []
        for signature in loop:
            for clause in self._clauses[signature]:
                waiting += self._list_instances(clause, loop)
        asking: dict[Symbol, list[int]] = defaultdict(list)
        for number, (_, needed) in enumerate(waiting):
            for atom in needed:
                asking[atom].append(number)
        levels: dict[Symbol, int] = {}
        ready = [head for head, needed in waiting if not needed]
        ready += [atom for s in loop for atom in self._whole.atoms(s) if self._whole.is_given(atom)]
        level = 0
        while ready:
            now = [atom for atom in dict.fromkeys(ready) if atom not in levels]
            levels.update(dict.fromkeys(now, level))
            ready, level = [], level + 1
            for atom in now:
                for number in asking[atom]:
                    head, needed = waiting[number]
                    needed.discard(atom)
                    if not needed:
                        ready.append(head)
        return levels

    def _list_instances(
        self, clause: Clause, loop: frozenset[Signature]
    ) -> Iterable[tuple[Symbol, set[Symbol]]]:
        assert self._whole is not None
        asked = [p for p in clause.parts if p.kind == "atom" and p.atoms[0].signature in loop]
        return [row for row in ask_all(clause, asked, self._whole) if self._whole.holds(row[0])]


def _all_asked(clauses: Iterable[Clause]) -> set[Signature]:
    return {atom.signature for clause in clauses for atom in _asked(clause)}


def _asked(clause: Clause) -> Iterable[AtomShape]:
    for part in clause.parts:
        if part.kind not in ("absent", "comparison"):
            yield from part.atoms


def _split(
    loop: frozenset[Signature], clauses: Mapping[Signature, Sequence[Clause]]
) -> list[frozenset[Signature]]:
    """Leave out of a loop what only goes back in time, if the rest of it stays in the same turn."""
    graph: dict[Signature, list[Signature]] = {signature: [] for signature in loop}
    for head in loop:
        for clause in clauses[head]:
            last = _last(clause.head)
            for atom in _asked(clause):
                if atom.signature not in loop:
                    continue
                term = _last(atom)
                earlier = _BEFORE.fullmatch(term)
                if earlier and earlier[1] == last:
                    continue
                if term != last or not last[:1].isupper():
                    return [loop]
                graph[head].append(atom.signature)
    return list(_find_loops(graph))


def _last(atom: AtomShape) -> str:
    return atom.arguments[-1].text if atom.arguments else ""


def _find_loops(graph: Graph) -> Iterable[frozenset[Signature]]:
    """Find the predicates that lead back to themselves, grouped by those that they reach so."""
    reached: dict[Signature, set[Signature]] = {}
    for start in graph:
        seen, open_ = set[Signature](), list(graph[start])
        while open_:
            signature = open_.pop()
            if signature not in seen:
                seen.add(signature)
                open_.extend(graph.get(signature, ()))
        reached[start] = seen
    done = set[Signature]()
    for start, seen in reached.items():
        if start in seen and start not in done:
            loop = frozenset(s for s in seen if start in reached.get(s, ()))
            done |= loop
            yield loop
