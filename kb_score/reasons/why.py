"""The options --why and --why-not: why atoms hold in the answers of a command, or do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from clingo import Function, String, Symbol, SymbolType

from kb_score.engine.program import Program, Signature, find_fault
from kb_score.engine.terms import shapes_of, to_atom, to_value
from kb_score.errors import InputError, describe_list, guess, shorten
from kb_score.reasons.trace import ROW, AtomText, Pattern, Reasons, ground, read_atom
from kb_score.reasons.trees import Tree, WhyNode
from kb_score.reasons.why_not import WhyNot

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# The predicates that name a code.
_FAULTS = ("violation", "illegal")
# The predicate of the outcome of a record.
_OUTCOME = "result"
_CODE = re.compile(r"[a-z]\w*(?:-\w+)*")


@dataclass(frozen=True)
class Wanted:
    """The atoms that a user asks about.

    Attributes:
        text: How they are named: an atom, which may have ``_`` for any argument, the name of a
            predicate, or a code such as ``wrong-cell``.
        option: The option with the text, for messages.
    """

    text: str
    option: str

    @cached_property
    def atom(self) -> AtomText | None:
        """The atom; None for a name or a code.

        Raises:
            InputError: The text is not an atom.
        """
        if _CODE.fullmatch(self.text):
            return None
        fault = find_fault(self.text)
        if fault is not None:
            raise self.refuse(f"cannot be read: {fault[1]}")
        found = read_atom(self.text)
        if found is None:
            hint = "such as gold(lords,1,_,_), where _ stands for anything"
            raise self.refuse(f"is no atom: expected an atom of the rules, {hint}")
        return found

    def match(self, program: Program, atoms: Sequence[Symbol]) -> Sequence[Symbol]:
        """List those atoms of a predicate that are asked about, within a program's limits."""
        if self.atom is None:
            return atoms
        text, pattern = self.atom
        rule = f"{ROW}({text}) :- {text}."
        found = ground(program, [rule], {pattern.signature: atoms}, (ROW, 1))
        return [atom.arguments[0] for atom in found]

    def refuse(self, message: str) -> InputError:
        """Make the error that something is wrong with the text."""
        return InputError(self.option, f"{shorten(self.text)!r} {message}")


class FoundAtom(NamedTuple):
    """An atom that holds, and the number of the last question with it in the answer."""

    number: int
    atom: Symbol


@dataclass
class Explainer:
    """Explains the answers to all questions that a command asked the rules.

    Attributes:
        asked: The questions with their answers; the last one has the most facts.
        words: The meanings of predicates.
        about: The predicates that may have a word such as the name of a card.
        depth: The most rules that are explained one below another.
        width: The most atoms that are explained, and the most parts of a sum.
    """

    asked: Sequence[Asked]
    words: Words
    about: Sequence[str] = ()
    _: KW_ONLY
    depth: int
    width: int
    _reasons: dict[int, Reasons] = field(default_factory=dict, init=False)

    def why(self, atoms: Iterable[FoundAtom]) -> Iterator[WhyNode]:
        """Explain why some atoms hold; see `find`."""
        for number, atom in atoms:
            reasons = self._open_reasons(number)
            if not reasons.holds(atom):
                # Another choice of the rules brings it about.
                reasons = open_reasons(self.asked[number], self.words, atom)
            tree = Tree(reasons, depth=self.depth, width=self.width)
            yield tree.explain(atom)

    def why_not(self, target: Wanted) -> WhyNode:
        """Explain why no such atom holds.

        Raises:
            InputError: Such an atom holds, or no rule gives any.
        """
        found = self.find(target)
        if found:
            example = shorten(str(found[0].atom))
            raise target.refuse(f"holds, as {example} does: ask --why")
        signature = self._resolve(target)
        if target.atom is None:
            pattern = Pattern(signature, (None,) * signature[1])
        else:
            pattern = target.atom.pattern
        last = 0
        for number, asked in enumerate(self.asked):
            if signature in _list_known(asked):
                last = number
        reasons = self._open_reasons(last)
        why_not = WhyNot(reasons, depth=self.depth, width=self.width)
        return why_not.explain(pattern)

    def find(self, target: Wanted) -> list[FoundAtom]:
        """Find the atoms that hold, in clingo's order.

        Raises:
            InputError: No rule gives such an atom.
        """
        found = self._find_word(target) or self._find_atoms(target)
        if not found:
            self._resolve(target)
        return [FoundAtom(found[atom], atom) for atom in sorted(found)]

    def _find_atoms(self, target: Wanted) -> dict[Symbol, int]:
        found: dict[Symbol, int] = {}
        for signature in self._list_signatures(target):
            numbers = self._find_asked(signature)
            if signature[0] == _OUTCOME:
                # A record may be checked in windows: its outcome is that of the last one.
                numbers = numbers[-1:]
            for number in numbers:
                program = self.asked[number].program
                known = self._list_atoms(number, signature)
                for atom in target.match(program, known):
                    found[atom] = number
        return found

    def guess(self, target: Wanted) -> str:
        """Return a hint if a constant of an atom is unknown; empty if all are known."""
        if target.atom is None:
            return ""
        signature, given = target.atom.pattern
        rows = list[list[Symbol]]()
        for number in self._find_asked(signature):
            atoms = self._list_atoms(number, signature)
            rows += [atom.arguments for atom in atoms]
        for place, value in enumerate(given):
            if value is None or not _is_name(value):
                continue
            known = set[str]()
            for row in rows:
                if _is_name(row[place]):
                    known.add(row[place].name)
            if value.name not in known:
                return guess(value.name, known, ": ")
        return ""

    def has(self, target: Wanted) -> bool:
        """Return whether any rule gives such an atom, or any fact is one."""
        return bool(self._list_signatures(target))

    def _find_asked(self, signature: Signature) -> list[int]:
        """List the questions that may have atoms of a predicate in their answers, by number."""
        numbers = list[int]()
        for number, asked in enumerate(self.asked):
            if _has_any(asked, signature):
                numbers.append(number)
        return numbers

    def _list_atoms(self, number: int, signature: Signature) -> Sequence[Symbol]:
        """List the atoms of a predicate in the answer to a question."""
        asked = self.asked[number]
        reasons = self._open_reasons(number)
        if asked.use.models == "last" and signature in asked.program.shown:
            # The shown atoms sum up several answer sets.
            rows = set(asked.answer.rows[signature])
            atoms = list[Symbol]()
            for atom in reasons.possible(signature):
                _, row = to_atom(atom)
                if row in rows:
                    atoms.append(atom)
            return atoms
        return reasons.atoms(signature)

    def _find_word(self, target: Wanted) -> dict[Symbol, int]:
        """Find the violations with a code; if there are none, atoms about a card or the like."""
        if target.atom is not None:
            return {}
        names: Sequence[str] = _FAULTS
        word = String(target.text)
        if not self.has(target) and not any(self._list_about(word, names)):
            names = self.about
            word = Function(target.text)
        found: dict[Symbol, int] = {}
        for number, signature in self._list_about(word, names):
            for atom in self._open_reasons(number).atoms(signature):
                if word in atom.arguments:
                    found[atom] = number
        return found

    def _list_about(self, word: Symbol, names: Sequence[str]) -> Iterator[tuple[int, Signature]]:
        """Yield the questions and the predicates that have a word in their answers."""
        value = to_value(word)
        for number, asked in enumerate(self.asked):
            for signature, rows in asked.answer.rows.items():
                if signature[0] not in names:
                    continue
                if any(value in row for row in rows):
                    yield number, signature

    @cached_property
    def _known(self) -> list[Signature]:
        """The predicates that may have atoms in any answer, sorted."""
        known = set[Signature]()
        for asked in self.asked:
            known |= _list_known(asked)
        return sorted(known)

    def _list_signatures(self, target: Wanted) -> list[Signature]:
        """List the predicates that a target names."""
        if target.atom is None:
            return [signature for signature in self._known if signature[0] == target.text]
        signature = target.atom.pattern.signature
        if signature in self._known:
            return [signature]
        return []

    def _resolve(self, target: Wanted) -> Signature:
        """Return the first predicate that a target names.

        Raises:
            InputError: There is no such predicate.
        """
        found = self._list_signatures(target)
        if found:
            return found[0]
        name = target.text
        what = name
        if target.atom is not None:
            name, arity = target.atom.pattern.signature
            what = f"{name}/{arity}"
        if "-" in name:
            raise target.refuse("is asked for, but nothing here has this code")
        message = f"is asked for, but no rule gives {shorten(what)} here"
        raise target.refuse(f"{message}: {self._suggest(name)}")

    def _suggest(self, name: str) -> str:
        """Return a hint at predicates whose name is like one that is not known."""
        names = sorted({known for known, _ in self._known})
        close = [name] if name in names else get_close_matches(name, names, n=3)
        if not close:
            return "see kb-score rules list"
        alike = list[str]()
        for known, arity in self._known:
            if known in close:
                alike.append(f"{known}/{arity}")
        return f"did you mean {describe_list(alike)}?"

    def _open_reasons(self, number: int) -> Reasons:
        """Find the reasons of the answer to a question."""
        if number not in self._reasons:
            self._reasons[number] = open_reasons(self.asked[number], self.words)
        return self._reasons[number]


def open_reasons(asked: Asked, words: Words, required: Symbol | None = None) -> Reasons:
    """Answer a question again, for its reasons; an atom may be required to hold."""
    best = asked.use.models == "best"
    return Reasons(asked.program, asked.facts, words, best=best, required=required)


def _is_name(value: Symbol) -> bool:
    return value.type == SymbolType.Function and bool(value.name) and not value.arguments


def _has_any(asked: Asked, signature: Signature) -> bool:
    """Return whether a question may have atoms of a predicate in its answer."""
    if signature in asked.program.shown:
        return bool(asked.answer.rows.get(signature))
    return signature in _list_known(asked)


def _list_known(asked: Asked) -> set[Signature]:
    """List the predicates that may have atoms where a question was asked."""
    program = asked.program
    return {*program.derived, *program.inputs, *shapes_of(asked.facts)}
