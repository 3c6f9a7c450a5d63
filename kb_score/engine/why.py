"""Questions why: what the rules said in a command, asked for its reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import Function, String, Symbol

from kb_score.engine.program import Signature, find_fault
from kb_score.engine.terms import shapes_of, to_atom, to_value
from kb_score.engine.trace import ROW, Pattern, Reasons, ground, read_atom
from kb_score.engine.trees import Tree, WhyNode
from kb_score.engine.why_not import Lack
from kb_score.errors import InputError, describe_list

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# The predicates that name a code.
_FAULTS = ("violation", "illegal")
# The predicate that says what came of a record.
_OUTCOME = "result"
_CODE = re.compile(r"[a-z]\w*(?:-\w+)*")


@dataclass(frozen=True)
class Wanted:
    """The atoms that somebody asks about."""

    # How they are named: an atom, which may have _ for any argument, the name of a predicate, or a
    # code such as wrong-cell.
    text: str
    option: str  # the option that says so, for messages

    @cached_property
    def atom(self) -> tuple[str, Pattern] | None:
        """The atom, for clingo and as a pattern; None for a name or a code, else an InputError."""
        if _CODE.fullmatch(self.text):
            return None
        if (fault := find_fault(self.text)) is not None:
            raise self.refuse(f"cannot be read: {fault[1]}")
        if (found := read_atom(self.text)) is None:
            raise self.refuse("is no atom")
        return found

    def match(self, signature: Signature, atoms: Sequence[Symbol]) -> Sequence[Symbol]:
        """List those atoms of a predicate that are asked about."""
        if self.atom is None:
            return atoms
        rule = f"{ROW}({self.atom[0]}) :- {self.atom[0]}."
        return [atom.arguments[0] for atom in ground([rule], {signature: atoms}, (ROW, 1))]

    def refuse(self, message: str) -> InputError:
        """Make the error that something is wrong with it."""
        hint = "such as gold(lords,1,_,_), where _ stands for anything"
        more = f": expected an atom of the rules, {hint}" if message == "is no atom" else ""
        return InputError(self.option, f"{self.text!r} {message}{more}")


class Inquiry:
    """All that was asked of the rules in a command, the last of which knows best."""

    def __init__(
        self,
        asked: Sequence[Asked],
        words: Words,
        about: Sequence[str] = (),
        *,
        depth: int,
        width: int,
    ) -> None:
        """Take the questions, and the predicates that a word such as a card may stand in.

        Depth is how many rules follow one another, width how many atoms are explained, and how many
        parts of a sum.
        """
        self._asked, self._words, self._about = asked, words, about
        self._depth, self.width = depth, width
        self._reasons: dict[int, Reasons] = {}

    def why(self, atoms: Iterable[tuple[int, Symbol]]) -> Iterator[WhyNode]:
        """Explain why some atoms hold; see `find`."""
        for number, atom in atoms:
            reasons = self._reason(number)
            if not reasons.holds(atom):
                # Another choice of the rules brings it about.
                reasons = open_reasons(self._asked[number], self._words, atom)
            tree = Tree(reasons, depth=self._depth, width=self.width)
            yield tree.explain(atom)

    def why_not(self, wanted: Wanted) -> WhyNode:
        """Explain why no such atom holds."""
        if found := self.find(wanted):
            raise wanted.refuse(f"holds, as {found[0][1]} does: ask --why")
        signature = self._resolve(wanted)
        atom = wanted.atom
        pattern = (signature, (None,) * signature[1]) if atom is None else atom[1]
        knowing = [n for n, asked in enumerate(self._asked) if signature in _known(asked)]
        number = knowing[-1]
        lack = Lack(self._reason(number), depth=self._depth, width=self.width)
        return lack.explain(pattern)

    def find(self, wanted: Wanted) -> list[tuple[int, Symbol]]:
        """Find atoms that hold, in clingo's order, and for each the last question with it."""
        if found := self._find_word(wanted):
            return [(found[atom], atom) for atom in sorted(found)]
        signatures = self._list_signatures(wanted)
        for signature in signatures:
            numbers = [n for n, asked in enumerate(self._asked) if _has_any(asked, signature)]
            # A record may be checked in windows: what came of it is the outcome of the last one.
            for number in numbers[-1:] if signature[0] == _OUTCOME else numbers:
                atoms = wanted.match(signature, self._list_atoms(number, signature))
                found.update(dict.fromkeys(atoms, number))
        if not found:
            self._resolve(wanted)
        return [(found[atom], atom) for atom in sorted(found)]

    def has(self, wanted: Wanted) -> bool:
        """Whether any rule gives such an atom, or any fact is one."""
        return bool(self._list_signatures(wanted))

    def _list_atoms(self, number: int, signature: Signature) -> Sequence[Symbol]:
        asked, reasons = self._asked[number], self._reason(number)
        if asked.use.models == "last" and signature in asked.program.shown:
            # What is shown sums up several answer sets.
            rows = set(asked.answer.rows[signature])
            return [a for a in reasons.possible(signature) if to_atom(a)[1] in rows]
        return reasons.atoms(signature)

    def _find_word(self, wanted: Wanted) -> dict[Symbol, int]:
        """Find the faults with a code, or else what a card or the like brings about."""
        if wanted.atom is not None:
            return {}
        found: dict[Symbol, int] = {}
        names: Sequence[str] = _FAULTS
        word = String(wanted.text)
        if not self._list_signatures(wanted) and not any(self._list_about(word, _FAULTS)):
            word, names = Function(wanted.text), self._about
        for number, signature in self._list_about(word, names):
            atoms = self._reason(number).atoms(signature)
            found.update((atom, number) for atom in atoms if word in atom.arguments)
        return found

    def _list_about(self, word: Symbol, names: Sequence[str]) -> Iterator[tuple[int, Signature]]:
        """Yield the questions and the predicates that have a word in their answers."""
        value = to_value(word)
        for number, asked in enumerate(self._asked):
            for signature, rows in asked.answer.rows.items():
                if signature[0] in names and any(value in row for row in rows):
                    yield number, signature

    def _list_signatures(self, wanted: Wanted) -> list[Signature]:
        known = set[Signature]().union(*map(_known, self._asked))
        if wanted.atom is None:
            return sorted(s for s in known if s[0] == wanted.text)
        signature = wanted.atom[1][0]
        return [signature] if signature in known else []

    def _resolve(self, wanted: Wanted) -> Signature:
        if found := self._list_signatures(wanted):
            return found[0]
        name, arity = (wanted.text, -1) if wanted.atom is None else wanted.atom[1][0]
        if "-" in name:
            raise wanted.refuse("is asked for, but nothing here has this code")
        what = name if wanted.atom is None else f"{name}/{arity}"
        known = sorted(set[Signature]().union(*map(_known, self._asked)))
        alike = [f"{n}/{arity}" for n, arity in known if n == name]
        if not alike:
            close = get_close_matches(name, sorted({n for n, _ in known}), n=3)
            alike = [f"{n}/{arity}" for n, arity in known if n in close]
        hint = f"did you mean {describe_list(alike)}?" if alike else "see kb-score rules list"
        raise wanted.refuse(f"is asked for, but no rule gives {what} here: {hint}")

    def _reason(self, number: int) -> Reasons:
        if number not in self._reasons:
            self._reasons[number] = open_reasons(self._asked[number], self._words)
        return self._reasons[number]


def open_reasons(asked: Asked, words: Words, required: Symbol | None = None) -> Reasons:
    """Answer a question once more, to be asked for reasons; an atom may be required to hold."""
    options = ["--models=0"] if asked.use.models == "best" else ["--models=1"]
    return Reasons(asked.program, asked.facts, words, options, required)


def _has_any(asked: Asked, signature: Signature) -> bool:
    """Whether a question may have atoms of a predicate in its answer."""
    if signature in asked.program.shown:
        return bool(asked.answer.rows.get(signature))
    return signature in _known(asked)


def _known(asked: Asked) -> set[Signature]:
    """List the predicates that may have atoms where a question was asked."""
    return {*asked.program.derived, *asked.program.inputs, *shapes_of(asked.facts)}
