"""Terms of rules as values see them: which value a term has, and which terms a value fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import Function, Symbol, SymbolType, parse_term
from clingo.ast import AST, ASTType

from kb_score.engine.program import Signature, functions_in

if TYPE_CHECKING:
    from kb_score.engine.whole import Whole

# The values of variables, by name; also those of sums that a head has, by their text.
Values = Mapping[str, Symbol]
# An atom some of whose arguments may be anything.
Pattern = tuple[Signature, tuple[Symbol | None, ...]]

_VARIABLE = re.compile(r"\b_*[A-Z]\w*'*")


@dataclass(frozen=True, slots=True)
class Shape:
    """A term.

    Attributes:
        kind: ``variable``, ``value``, ``function``, a ``sum`` of any kind, or ``open``.
        text: Its text, or the name of the variable or of the function.
        value: The value.
        inner: The arguments of the function.
        names: The variables in it.
    """

    kind: str
    text: str
    value: Symbol | None = None
    inner: tuple[Shape, ...] = ()
    names: frozenset[str] = frozenset()

    def evaluate(self, known: Values) -> Symbol | None:
        """Find its value; None if that is not known."""
        match self.kind:
            case "value":
                return self.value
            case "variable" | "sum" if self.text in known:
                # What a head says about a sum holds wherever that sum stands.
                return known[self.text]
            case "function":
                values = [shape.evaluate(known) for shape in self.inner]
                whole = [value for value in values if value is not None]
                return Function(self.text, whole) if len(whole) == len(values) else None
            case "sum" if all(name in known for name in self.names):
                text = _VARIABLE.sub(lambda found: str(known[found[0]]), self.text)
                try:
                    return parse_term(text, logger=lambda *_: None)
                except RuntimeError:
                    return None
        return None

    def fits(self, value: Symbol, known: dict[str, Symbol]) -> bool:
        """Whether it may have a value; what that tells of its variables becomes known."""
        match self.kind:
            case "value":
                return self.value == value
            case "variable" | "sum":
                return known.setdefault(self.text, value) == value
            case "function":
                if value.type != SymbolType.Function or value.name != self.text:
                    return False
                inner = value.arguments
                return len(inner) == len(self.inner) and all_fit(self.inner, inner, known)
        return True

    def settled(self) -> Iterator[str]:
        """Yield the variables that its value settles."""
        if self.kind == "variable" or (self.kind == "sum" and len(self.names) == 1):
            yield from self.names
        for shape in self.inner:
            yield from shape.settled()


@dataclass(frozen=True, slots=True)
class AtomShape:
    """An atom of a rule."""

    signature: Signature
    arguments: tuple[Shape, ...]

    def find(self, known: Values, whole: Whole) -> Sequence[Symbol]:
        """List the atoms that hold and agree with what is known, as far as places tell."""
        values = ((at, shape.evaluate(known)) for at, shape in enumerate(self.arguments))
        return whole.find(self.signature, {at: v for at, v in values if v is not None})

    def match(self, whole: Whole) -> list[Symbol]:
        """List the atoms that hold and match it in every part."""
        found = self.find({}, whole)
        return [atom for atom in found if all_fit(self.arguments, atom.arguments, {})]

    def pattern(self, known: Values) -> Pattern:
        """Make a pattern of it."""
        return self.signature, tuple(shape.evaluate(known) for shape in self.arguments)


def all_fit(
    shapes: Iterable[Shape], values: Iterable[Symbol | None], known: dict[str, Symbol]
) -> bool:
    """Whether terms may have some values, of which None stands for any; see `Shape.fits`."""
    pairs = zip(shapes, values, strict=True)
    return all(value is None or shape.fits(value, known) for shape, value in pairs)


def shape_atom(sign: str, atom: AST) -> AtomShape:
    """Take in an atom, with "-" for classical negation."""
    arguments = tuple(map(shape_term, atom.arguments))
    return AtomShape((sign + atom.name, len(arguments)), arguments)


def shape_atoms(node: AST) -> tuple[AtomShape, ...]:
    """Take in all atoms of a syntax tree."""
    return tuple(shape_atom(sign, atom) for sign, atom in functions_in(node))


def shape_term(term: AST) -> Shape:
    """Take in a term."""
    if term.ast_type == ASTType.Variable:
        if term.name == "_":
            return Shape("open", "_")
        return Shape("variable", term.name, names=frozenset({term.name}))
    if term.ast_type == ASTType.SymbolicTerm:
        return Shape("value", str(term), term.symbol)
    if term.ast_type == ASTType.Function and not term.external:
        inner = tuple(map(shape_term, term.arguments))
        names = frozenset(name for shape in inner for name in shape.names)
        return Shape("function", term.name, None, inner, names)
    text = str(term)
    is_sum = term.ast_type in (ASTType.BinaryOperation, ASTType.UnaryOperation)
    names = frozenset(_VARIABLE.findall(text))
    return Shape("sum" if is_sum and names else "open", text, None, (), names)
