"""Finds the atoms in a rule or a weak constraint, in the text that clingo prints of it.

clingo prints each statement in one way: ``head :- condition; condition.``, where a condition may be
``atom: condition, condition`` or an aggregate ``2 < #count { term,term: condition, condition }``.
So atoms are found without walking a syntax tree, and can be changed in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# A predicate: its name and its number of arguments.
Signature = tuple[str, int]


class Atom(NamedTuple):
    """An atom in the text of a statement; an atom with a pool, such as ``p(1;2)``, is several.

    Attributes:
        name: The name; one that is classically negated begins with a minus sign.
        arguments: The texts of the arguments.
        is_derived: Whether the statement derives it, or may choose it.
        in_head: Whether it stands in the head, perhaps as a condition there.
        is_alone: Whether it is the whole head, or a condition of the body by itself, perhaps
            negated: not in an aggregate, without conditions of its own.
        sign: What negates it: ``not``, ``not not`` or nothing.
        begin: The offset of the name; alternatives of a pool share it.
        inside: The offset of the first argument, or of the end of a name without arguments.
    """

    name: str
    arguments: tuple[str, ...]
    is_derived: bool
    in_head: bool
    is_alone: bool
    sign: str
    begin: int
    inside: int

    @property
    def signature(self) -> Signature:
        """The predicate."""
        return self.name, len(self.arguments)

    @property
    def is_plain(self) -> bool:
        """Whether it is the whole head, or a condition of the body by itself, and not negated."""
        return self.is_alone and not self.sign

    @property
    def end(self) -> int:
        """The offset of its end, where it has no pool."""
        return self.inside + len(",".join(self.arguments)) + bool(self.arguments)

    def begin_of(self, index: int) -> int:
        """Return the offset of an argument."""
        return self.inside + sum(len(argument) + 1 for argument in self.arguments[:index])

    @property
    def last(self) -> str:
        """The last argument, which is the turn in games; empty without arguments."""
        return self.arguments[-1] if self.arguments else ""


# The variable for the board in rules for many boards, and the one for the turn in rules for many
# turns; the prime keeps them apart from the variables of rules for one board or one turn.
BOARD = "Board'"
TURN = "Turn'"

STRING = r'"(?:[^"\\]|\\.)*"'
_STRING = re.compile(STRING)
_BRACKETS = re.compile(r"\([^()]*\)")
# A literal whose arguments are masked.
_LITERAL = re.compile(r" *((?:not )*)(-?_*[a-z][\w']*)(⟨_*⟩)? *")
# What precedes braces in which each element begins with a tuple of terms.
_AGGREGATE = re.compile(r"#[a-z]+\+? *$")
_THEORY = re.compile(r"&\w+(?:⟨_*⟩)? *$")
_PIECE = re.compile(r"(?:[^;{}]|\{[^{}]*\})+")
_ELEMENT = re.compile(r"[^;{}]+")
_CONDITION = re.compile(r"[^,]+")
_BRACES = re.compile(r"\{[^{}]*\}")


def is_word(term: str) -> bool:
    """Return whether a term is a constant, such as ``water``."""
    return re.fullmatch(r"_*[a-z][\w']*", term) is not None


def is_symbol(term: str) -> bool:
    """Return whether a term is a number, a string or a constant."""
    return re.fullmatch(rf"[0-9]+|{STRING}|#?_*[a-z][\w']*", term) is not None


def is_variable(term: str) -> bool:
    """Return whether a term is a variable with a name."""
    return re.fullmatch(r"_*[A-Z][\w']*", term) is not None


def scan(text: str) -> list[Atom]:
    """Return the atoms of a rule or a weak constraint as clingo prints it, from left to right."""
    masked = _mask(text)
    if masked.startswith(":~"):
        head_end = 0
        start, end = len(":~"), masked.rindex(". [")
    else:
        end = len(masked) - len(".")
        head_end = masked.find(" :- ")
        if head_end < 0:
            head_end = end
        start = min(end, head_end + len(" :- "))
    head = list(_literals(masked, 0, head_end, in_head=True))
    if len(head) > 1:
        head = [literal._replace(is_alone=False) for literal in head]
    atoms: list[Atom] = []
    for literal in [*head, *_literals(masked, start, end, in_head=False)]:
        atoms += _read_literal(text, masked, literal)
    return atoms


def _mask(text: str) -> str:
    """Return a text of the same length without what is in strings and in brackets."""
    masked = text
    if '"' in masked:
        masked = _STRING.sub(lambda found: f'"{"_" * (len(found[0]) - 2)}"', masked)
    while "(" in masked:
        masked = _BRACKETS.sub(lambda found: f"⟨{'_' * (len(found[0]) - 2)}⟩", masked)
    return masked


class _Literal(NamedTuple):
    """Where a literal may stand in a text, or a comparison."""

    start: int
    end: int
    is_derived: bool
    in_head: bool
    is_alone: bool


def _literals(masked: str, start: int, end: int, *, in_head: bool) -> Iterator[_Literal]:
    """Yield the literals and comparisons of a head or a body."""
    for piece in _PIECE.finditer(masked, start, end):
        brace = masked.find("{", piece.start(), piece.end())
        if brace < 0:
            colon = masked.find(": ", piece.start(), piece.end())
            literal_end = piece.end() if colon < 0 else colon
            yield _Literal(piece.start(), literal_end, in_head, in_head, is_alone=colon < 0)
            if colon >= 0:
                yield from _conditions(masked, colon + 1, piece.end(), in_head=in_head)
            continue
        is_aggregate = _AGGREGATE.search(masked, piece.start(), brace) is not None
        is_theory = _THEORY.search(masked, piece.start(), brace) is not None
        closing = masked.index("}", brace)
        for element in _ELEMENT.finditer(masked, brace + 1, closing):
            start, end = element.span()
            if is_aggregate or is_theory:
                colon = masked.find(": ", start, end)
                start = end if colon < 0 else colon + 1
            if is_theory or (is_aggregate and not in_head):
                yield from _conditions(masked, start, end, in_head=in_head)
                continue
            colon = masked.find(": ", start, end)
            literal_end = end if colon < 0 else colon
            yield _Literal(start, literal_end, in_head, in_head, is_alone=False)
            if colon >= 0:
                yield from _conditions(masked, colon + 1, end, in_head=in_head)


def _conditions(masked: str, start: int, end: int, *, in_head: bool) -> Iterator[_Literal]:
    """Yield the conditions of an element or of a literal, which commas divide."""
    for found in _CONDITION.finditer(masked, start, end):
        yield _Literal(*found.span(), is_derived=False, in_head=in_head, is_alone=False)


def _read_literal(text: str, masked: str, literal: _Literal) -> Iterator[Atom]:
    """Yield the atoms of a literal: none if it is a comparison, several if there is a pool."""
    found = _LITERAL.fullmatch(masked, literal.start, literal.end)
    if found is None:
        return
    is_alone = literal.is_alone
    name, sign, begin = found[2], found[1].rstrip(), found.start(2)
    if found[3] is None:
        yield Atom(
            name, (), literal.is_derived, literal.in_head, is_alone, sign, begin, found.end(2)
        )
        return
    start = found.start(3) + 1
    pool = _split(text[start : found.end(3) - 1])
    if not literal.in_head:
        # No predicate of a pool of several is always needed.
        is_alone = is_alone and len({len(arguments) for _, arguments in pool}) == 1
    is_derived, in_head = literal.is_derived, literal.in_head
    for offset, arguments in pool:
        yield Atom(name, arguments, is_derived, in_head, is_alone, sign, begin, start + offset)


def _split(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Split what an atom has in brackets: the arguments of each alternative, and their offset."""
    masked = _mask(text)
    pool: list[tuple[int, tuple[str, ...]]] = []
    start = 0
    for alternative in masked.split(";"):
        arguments: list[str] = []
        first = start
        for argument in alternative.split(","):
            arguments.append(text[start : start + len(argument)])
            start += len(argument) + 1
        if not alternative:
            arguments = []
        pool.append((first, tuple(arguments)))
    return pool


def split_rule(text: str) -> tuple[str, str]:
    """Return the head and the body of a rule as clingo prints it; the body of a fact is empty."""
    begin = _mask(text).find(" :- ")
    if begin < 0:
        return text, ""
    return text[:begin], text[begin + len(" :- ") :]


def set_constant(text: str, name: str, value: str) -> str:
    """Return a statement with a value in place of a constant, but not of an atom of that name."""
    if name not in text:
        return text
    ends = {atom.inside for atom in scan(text) if atom.name == name and not atom.arguments}

    def put(found: re.Match[str]) -> str:
        if found[1] or found.end() in ends:
            return found[0]
        return value

    return re.sub(rf"({_STRING.pattern})|(?<![\w'])(?:{name})(?![\w'(])", put, text)


def set_variable(text: str, name: str, value: str) -> str:
    """Return a statement with a value in place of a variable."""

    def put(found: re.Match[str]) -> str:
        return found[1] or value

    return re.sub(rf"({STRING})|(?<![\w'])(?:{name})(?![\w'])", put, text)


def remove_condition(text: str, atom: Atom) -> str:
    """Return a rule without an atom that is a condition of its body by itself."""
    before, after = text[: atom.begin], text[atom.end :]
    if before.endswith("; "):
        return before[: -len("; ")] + after
    if after.startswith("; "):
        return before + after[len("; ") :]
    return before[: -len(" :- ")] + after


def add_condition(text: str, condition: str) -> str:
    """Return a rule or a weak constraint with one more condition at the end of its body."""
    masked = _mask(text)
    is_weak = masked.startswith(":~")
    end = masked.rindex(". [") if is_weak else len(text) - len(".")
    joint = "; " if is_weak or " :- " in masked else " :- "
    return f"{text[:end]}{joint}{condition}{text[end:]}"


def find_condition(text: str, offset: int) -> int | None:
    """Return the number, from 0, of the condition at an offset in a rule; None in its head."""
    masked = _BRACES.sub(lambda found: "_" * len(found[0]), _mask(text))
    head_end = masked.find(" :- ")
    if head_end < 0 or offset < head_end:
        return None
    return masked.count(";", head_end, offset)
