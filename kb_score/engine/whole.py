"""A whole answer set, of which any predicate can be asked afterwards, not only those shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clingo import Control, Symbol, SymbolType
from clingo.ast import ASTType

from kb_score.engine.limits import limited
from kb_score.engine.messages import collected_messages
from kb_score.engine.program import Program, Signature
from kb_score.engine.solve import NONE, AnswerSetError, interruptible, open_control, parse_rules
from kb_score.engine.terms import FactSource, to_symbol

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts


class Whole:
    """An answer set of a program with facts; its atoms are taken out predicate by predicate."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        options: Sequence[str] = (),
        required: Symbol | None = None,
    ) -> None:
        """Ground and solve; of several answer sets the last one that clingo gives counts.

        Args:
            program: The rules.
            facts: The facts.
            options: Options of clingo.
            required: An atom that must be in the answer set, where rules choose.

        Raises:
            AnswerSetError: There is none.
            RuleError: The rules cannot be used.
        """
        asked = program.asked
        self._given = {name: rows for name, rows in facts.items() if name in asked}
        self._facts: dict[str, frozenset[Symbol]] = {}
        self._atoms: dict[Signature, tuple[Symbol, ...]] = {}
        self._places: dict[tuple[Signature, int], dict[Symbol, list[Symbol]]] = {}
        source = FactSource(self._given)
        with collected_messages() as log:
            silent = Program(
                tuple(s for s in program.statements if s.node.ast_type != ASTType.ShowSignature),
                program.defined,
                program.constants,
                program.limits,
            )
            taking_in = parse_rules(tuple(source.taking_in))
            self._control = open_control(silent + taking_in, log, *options)
            with interruptible(), limited(program):
                self._control.ground([("base", [])], context=source)
            with limited(program, self._control.interrupt):
                self._true = _solve(self._control, required)

    def signatures(self) -> list[Signature]:
        """List the predicates that have atoms, by name."""
        found = self._control.symbolic_atoms.signatures
        return sorted((n if positive else f"-{n}", arity) for n, arity, positive in found)

    def constant(self, name: str) -> Symbol | None:
        """Find the value of a ``#const``; None if there is none of that name."""
        return self._control.get_const(name)

    def atoms(self, signature: Signature) -> tuple[Symbol, ...]:
        """List the atoms of a predicate that hold, in clingo's order of terms."""
        if signature not in self._atoms:
            name, arity = signature
            bare = name.removeprefix("-")
            found = self._control.symbolic_atoms.by_signature(bare, arity, bare == name)
            holding = (a.symbol for a in found if a.is_fact or a.literal in self._true)
            self._atoms[signature] = tuple(sorted(holding))
        return self._atoms[signature]

    def possible(self, signature: Signature) -> list[Symbol]:
        """List the atoms of a predicate that hold, or that some other choice might bring about."""
        name, arity = signature
        bare = name.removeprefix("-")
        found = self._control.symbolic_atoms.by_signature(bare, arity, bare == name)
        return sorted(atom.symbol for atom in found)

    def find(self, signature: Signature, known: Mapping[int, Symbol]) -> Sequence[Symbol]:
        """List the atoms of a predicate that hold and have some known arguments, by position."""
        if not known:
            return self.atoms(signature)
        buckets = (self._place(signature, at).get(value, []) for at, value in known.items())
        fewest = min(buckets, key=len)
        if len(known) == 1:
            return fewest
        return [a for a in fewest if all(a.arguments[at] == v for at, v in known.items())]

    def holds(self, atom: Symbol) -> bool:
        """Whether an atom is in the answer set."""
        found = self._control.symbolic_atoms[atom]
        return found is not None and (found.is_fact or found.literal in self._true)

    def is_given(self, atom: Symbol) -> bool:
        """Whether an atom is one of the facts, and so follows from no rule."""
        if atom.name not in self._facts:
            rows = self._given.get(atom.name, ())
            self._facts[atom.name] = frozenset(map(to_symbol, rows))
        row = to_symbol(tuple(atom.arguments))
        return atom.positive and row in self._facts[atom.name]

    def _place(self, signature: Signature, at: int) -> dict[Symbol, list[Symbol]]:
        if (signature, at) not in self._places:
            buckets: dict[Symbol, list[Symbol]] = {}
            for atom in self.atoms(signature):
                buckets.setdefault(atom.arguments[at], []).append(atom)
            self._places[signature, at] = buckets
        return self._places[signature, at]


def signature_of(atom: Symbol) -> Signature:
    """Name the predicate of an atom; that of classical negation begins with a minus."""
    assert atom.type == SymbolType.Function
    return (atom.name if atom.positive else f"-{atom.name}"), len(atom.arguments)


def _solve(control: Control, required: Symbol | None) -> frozenset[int]:
    """Solve, and return the literals of the atoms that hold although they are no facts."""
    true: frozenset[int] | None = None
    assumed = [] if required is None else [(required, True)]
    with control.solve(assumptions=assumed, yield_=True) as handle:
        for model in handle:
            atoms = control.symbolic_atoms
            # An atom that nothing derives has 0 for a literal, of which a model says anything.
            open_ = (a.literal for a in atoms if not a.is_fact and a.literal)
            true = frozenset(literal for literal in open_ if model.is_true(literal))
    if true is None:
        raise AnswerSetError(NONE)
    return true
