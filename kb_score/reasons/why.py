"""The options --why and --why-not: why atoms hold in the answers of a command, or do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from clingo import Function, String, Symbol, SymbolType

from kb_score.engine.program import Program
from kb_score.engine.rule_text import find_fault
from kb_score.engine.scan import Signature
from kb_score.engine.terms import shapes_of, to_atom, to_value
from kb_score.errors import InputError, describe_list, guess, shorten
from kb_score.reasons.trace import ROW, AtomText, Pattern, Reasons, ground, read_atom
from kb_score.reasons.trees import Tree, WhyNode
from kb_score.reasons.why_not import WhyNot

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# The predicates whose atoms contain the code of a violation.
_FAULTS = ("violation", "illegal")
# The predicate of the outcome of a record.
_OUTCOME = "result"
_CODE = re.compile(r"[a-z]\w*(?:-\w+)*")


@dataclass(frozen=True)
class Wanted:
    """The atoms that a user asks about.

    Attributes:
        text: The user's words: an atom, which may have ``_`` for any argument, the name of a
            predicate, or a code such as ``wrong-cell``.
        option: The option with the text, for messages.
    """

    text: str
    option: str

    @cached_property
    def atom(self) -> AtomText | None:
        """The atom; None for a name or a code.

        A text that is not an atom is an InputError.
        """
        if _CODE.fullmatch(self.text):
            return None
        fault = find_fault(self.text)
        if fault is not None:
            raise self.refuse(f"cannot be read: {fault[1]}")
        found = read_atom(self.text)
        if found is None:
            hint = "such as gold(lords,1,_,_), where _ stands for anything"
            raise self.refuse(f"is not an atom: expected an atom of the rules, {hint}")
        return found

    def match(self, program: Program, atoms: Sequence[Symbol]) -> Sequence[Symbol]:
        """Return those of the atoms of a predicate that are asked about.

        The limits of the program apply.
        """
        if self.atom is None:
            return atoms
        text, pattern = self.atom
        rule = f"{ROW}({text}) :- {text}."
        found = ground(program, [rule], {pattern.signature: atoms}, (ROW, 1))
        return [atom.arguments[0] for atom in found]

    def refuse(self, message: str) -> InputError:
        """Return the error for a text that cannot be explained; the text begins the message."""
        return InputError(self.option, f"{shorten(self.text)!r} {message}")


class FoundAtom(NamedTuple):
    """An atom that holds, and the number of the last question whose answer has it, from 0."""

    number: int
    atom: Symbol


@dataclass
class Explainer:
    """Explains the answers to all questions that a command asked the rules.

    Attributes:
        asked: The questions with their answers; the last one has the most facts.
        about: The predicates in whose atoms to look for a word, such as the name of a card.
        depth: The maximum number of rules explained one below another.
        width: The maximum number of atoms explained, and of parts of a sum.
    """

    asked: Sequence[Asked]
    words: Words
    about: Sequence[str] = ()
    _: KW_ONLY
    depth: int
    width: int
    _reasons: dict[int, Reasons] = field(default_factory=dict, init=False)

    def why(self, atoms: Iterable[FoundAtom]) -> Iterator[WhyNode]:
        """Yield, for each atom, a tree that explains why it holds."""
        for number, atom in atoms:
            reasons = self._open_reasons(number)
            if not reasons.holds(atom):
                # It holds in another answer set.
                reasons = open_reasons(self.asked[number], self.words, atom)
            yield Tree(reasons, depth=self.depth, width=self.width).explain(atom)

    def why_not(self, target: Wanted) -> WhyNode:
        """Return the tree that explains why no atom of a target holds.

        It is an InputError if such an atom holds, or if no rule gives any.
        """
        found = self.find(target)
        if found:
            example = shorten(str(found[0].atom))
            raise target.refuse(f"holds, as {example} does: use --why")
        signature = self._resolve(target)
        if target.atom is None:
            pattern = Pattern(signature, (None,) * signature[1])
        else:
            pattern = target.atom.pattern
        last = 0
        for number, asked in enumerate(self.asked):
            if signature in _list_known(asked):
                last = number
        why_not = WhyNot(self._open_reasons(last), depth=self.depth, width=self.width)
        return why_not.explain(pattern)

    def find(self, target: Wanted) -> list[FoundAtom]:
        """Return the atoms of a target that hold, in clingo's order.

        It is an InputError if no rule gives such an atom.
        """
        found = self._find_word(target) or self._find_atoms(target)
        if not found:
            self._resolve(target)
        return [FoundAtom(found[atom], atom) for atom in sorted(found)]

    def _find_atoms(self, target: Wanted) -> dict[Symbol, int]:
        """Return the atoms of a target that hold, with the numbers of the questions."""
        found: dict[Symbol, int] = {}
        for signature in self._list_signatures(target):
            name, _ = signature
            numbers = self._find_asked(signature)
            if name == _OUTCOME:
                # A record may be checked in windows: its outcome is that of the last one.
                numbers = numbers[-1:]
            for number in numbers:
                known = self._list_atoms(number, signature)
                matching = target.match(self.asked[number].program, known)
                found |= dict.fromkeys(matching, number)
        return found

    def guess(self, target: Wanted) -> str:
        """Return a hint about the name that was meant by the first unknown one in an atom.

        It begins with a colon. It is empty if all names are known or none is similar.
        """
        if target.atom is None:
            return ""
        signature, given = target.atom.pattern
        rows = list[list[Symbol]]()
        for number in self._find_asked(signature):
            rows += [atom.arguments for atom in self._list_atoms(number, signature)]
        for place, value in enumerate(given):
            if value is None or not _is_name(value):
                continue
            known = {row[place].name for row in rows if _is_name(row[place])}
            if value.name not in known:
                return guess(value.name, known, ": ")
        return ""

    def has(self, target: Wanted) -> bool:
        """Return whether any rule or fact gives an atom of a target."""
        return bool(self._list_signatures(target))

    def _find_asked(self, signature: Signature) -> list[int]:
        """Return the numbers of the questions that may have atoms of a predicate in the answer."""
        return [number for number, asked in enumerate(self.asked) if _has_any(asked, signature)]

    def _list_atoms(self, number: int, signature: Signature) -> Sequence[Symbol]:
        """Return the atoms of a predicate in the answer to a question."""
        asked = self.asked[number]
        reasons = self._open_reasons(number)
        if asked.use.models != "brave" or signature not in asked.program.shown:
            return reasons.atoms(signature)
        # The shown atoms combine several answer sets.
        rows = set(asked.answer.rows[signature])
        return [atom for atom in reasons.possible(signature) if to_atom(atom)[1] in rows]

    def _find_word(self, target: Wanted) -> dict[Symbol, int]:
        """Return the violations with a code; if there are none, atoms about a card or the like."""
        if target.atom is not None:
            return {}
        names: Sequence[str] = _FAULTS
        word = String(target.text)
        if not any(self._list_about(word, names)) and not self.has(target):
            names = self.about
            word = Function(target.text)
        found: dict[Symbol, int] = {}
        for number, signature in self._list_about(word, names):
            for atom in self._open_reasons(number).atoms(signature):
                if word in atom.arguments:
                    found[atom] = number
        return found

    def _list_about(self, word: Symbol, names: Sequence[str]) -> Iterator[tuple[int, Signature]]:
        """Yield the numbers of questions whose answers contain a word, with the predicates."""
        value = to_value(word)
        for number, asked in enumerate(self.asked):
            for signature, rows in asked.answer.rows.items():
                name, _ = signature
                if name in names and any(value in row for row in rows):
                    yield number, signature

    @cached_property
    def _known(self) -> list[Signature]:
        """The predicates that may have atoms in any answer, sorted."""
        return sorted(set[Signature]().union(*map(_list_known, self.asked)))

    def _list_signatures(self, target: Wanted) -> list[Signature]:
        """Return the predicates that a target names."""
        if target.atom is None:
            return [(name, arity) for name, arity in self._known if name == target.text]
        signature = target.atom.pattern.signature
        return [signature] if signature in self._known else []

    def _resolve(self, target: Wanted) -> Signature:
        """Return the first predicate that a target names; an InputError if there is none."""
        found = self._list_signatures(target)
        if found:
            return found[0]
        name = target.text
        shown = name
        if target.atom is not None:
            name, arity = target.atom.pattern.signature
            shown = f"{name}/{arity}"
        if "-" in name:
            raise target.refuse("cannot be explained: nothing here has this code")
        message = f"cannot be explained: no rule gives {shorten(shown)} here"
        raise target.refuse(f"{message}: {self._suggest(name)}")

    def _suggest(self, name: str) -> str:
        """Return a hint about predicates whose names are similar to an unknown one."""
        names = sorted({known for known, _ in self._known})
        close = [name] if name in names else get_close_matches(name, names, n=3)
        if not close:
            return "see kb-score rules list"
        alike = [f"{known}/{arity}" for known, arity in self._known if known in close]
        return f"did you mean {describe_list(alike)}?"

    def _open_reasons(self, number: int) -> Reasons:
        """Return the reasons for the answer to a question."""
        if number not in self._reasons:
            self._reasons[number] = open_reasons(self.asked[number], self.words)
        return self._reasons[number]


def open_reasons(asked: Asked, words: Words, required: Symbol | None = None) -> Reasons:
    """Solve a question again, and return the reasons for its answer.

    ``required`` is an atom that has to hold. An AnswerSetError says that there is no such answer
    set.
    """
    best = asked.use.models == "best"
    return Reasons(asked.program, asked.facts, words, best=best, required=required)


def _is_name(value: Symbol) -> bool:
    return value.type == SymbolType.Function and not value.arguments and bool(value.name)


def _has_any(asked: Asked, signature: Signature) -> bool:
    """Return whether a question may have atoms of a predicate in its answer."""
    if signature in asked.program.shown:
        return bool(asked.answer.rows.get(signature))
    return signature in _list_known(asked)


def _list_known(asked: Asked) -> set[Signature]:
    """Return the predicates that may have atoms in the answer to a question."""
    program = asked.program
    return {*program.derived, *program.inputs, *shapes_of(asked.facts)}
