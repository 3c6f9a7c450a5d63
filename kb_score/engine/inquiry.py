"""Questions about questions: why the rules gave an answer, once they have given it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import String, Symbol
from clingo.ast import AST, ASTType, Sign, parse_string

from kb_score.engine.program import Signature, functions_in
from kb_score.engine.shapes import AtomShape, all_fit, shape_atom
from kb_score.engine.source import find_fault
from kb_score.engine.terms import shapes_of, to_atom
from kb_score.engine.whole import Whole
from kb_score.engine.why import Grounds, Reason, Tree
from kb_score.engine.why_not import Lack
from kb_score.errors import InputError, describe_list

if TYPE_CHECKING:
    from kb_score.engine.run import Asked
    from kb_score.engine.words import Words

# The predicates that name a code.
_FAULTS = ("violation", "illegal")
_CODE = re.compile(r"[a-z]\w*(?:-\w+)*")


@dataclass(frozen=True)
class Wanted:
    """The atoms that somebody asks about.

    Attributes:
        text: How they are named: an atom, which may have ``_`` for any argument, the name of a
            predicate, or a code such as ``wrong-cell``.
        option: The option that says so, for messages.
    """

    text: str
    option: str

    @cached_property
    def atom(self) -> AtomShape | None:
        """The atom None for a name or a code.

        Raises:
            InputError: It is nothing of that.
        """
        if _CODE.fullmatch(self.text):
            return None
        if (fault := find_fault(self.text)) is not None:
            raise self.refuse(f"cannot be read: {fault[1]}")
        nodes: list[AST] = []
        try:
            parse_string(f":- {self.text}.", nodes.append, logger=lambda *_: None)
            body = nodes[-1].body
            if len(nodes) == 2 and len(body) == 1 and _is_atom(body[0]):
                ((sign, atom),) = functions_in(body[0])
                return shape_atom(sign, atom)
        except (RuntimeError, ValueError, AttributeError):
            raise self.refuse("is no atom") from None
        raise self.refuse("is no atom")

    def refuse(self, message: str) -> InputError:
        """Make the error that something is wrong with it."""
        hint = "such as gold(lords,1,_,_), where _ stands for anything"
        more = f": expected an atom of the rules, {hint}" if message == "is no atom" else ""
        return InputError(self.option, f"{self.text!r} {message}{more}")


def _is_atom(literal: AST) -> bool:
    return (
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
        and literal.atom.symbol.ast_type == ASTType.Function
    )


class Inquiry:
    """All that was asked of the rules in a command, the last of which knows best."""

    def __init__(self, asked: Sequence[Asked], words: Words, *, depth: int, width: int) -> None:
        """Take the questions with their answers, and how deep and wide trees may be."""
        self._asked, self._words = asked, words
        self._depth, self.width = depth, width
        self._grounds: dict[int, Grounds] = {}

    def why(self, atoms: Iterable[tuple[int, Symbol]]) -> Iterator[Reason]:
        """Explain why some atoms hold; see `find`."""
        for number, atom in atoms:
            grounds = self._ground(number)
            if not grounds.whole.holds(atom):
                # Another choice of the rules brings it about.
                grounds = open_grounds(self._asked[number], self._words, atom)
            tree = Tree(grounds, depth=self._depth, width=self.width)
            yield tree.explain(atom)

    def why_not(self, wanted: Wanted) -> Reason:
        """Explain why no such atom holds.

        Raises:
            InputError: One does, or no rule gives such an atom.
        """
        if found := self.find(wanted):
            raise wanted.refuse(f"holds, as {found[0][1]} does: ask --why")
        signature = self._resolve(wanted)
        atom = wanted.atom
        arguments = (None,) * signature[1] if atom is None else atom.pattern({})[1]
        knowing = [n for n, asked in enumerate(self._asked) if signature in _known(asked)]
        number = knowing[-1]
        lack = Lack(self._ground(number), depth=self._depth, width=self.width)
        return lack.explain((signature, arguments))

    def find(self, wanted: Wanted) -> list[tuple[int, Symbol]]:
        """Find atoms that hold, in clingo's order of terms, and for each the last question with it.

        Raises:
            InputError: No rule gives such an atom.
        """
        if found := self._find_code(wanted):
            return [(found[atom], atom) for atom in sorted(found)]
        signatures = self._list_signatures(wanted)
        for number, asked in enumerate(self._asked):
            for signature in signatures:
                shown = signature in asked.program.shown
                if shown and not asked.answer.rows.get(signature):
                    continue
                atoms = self._list_atoms(number, signature, wanted.atom)
                found.update(dict.fromkeys(atoms, number))
        if not found:
            self._resolve(wanted)
        return [(found[atom], atom) for atom in sorted(found)]

    def has(self, wanted: Wanted) -> bool:
        """Whether any rule gives such an atom, or any fact is one."""
        return bool(self._list_signatures(wanted))

    def _list_atoms(
        self, number: int, signature: Signature, atom: AtomShape | None
    ) -> Sequence[Symbol]:
        asked, whole = self._asked[number], self._ground(number).whole
        if asked.use.models == "last" and signature in asked.program.shown:
            # What is shown sums up several answer sets.
            rows = set(asked.answer.rows[signature])
            shown = [a for a in whole.possible(signature) if to_atom(a)[1] in rows]
            return [a for a in shown if atom is None or all_fit(atom.arguments, a.arguments, {})]
        return whole.atoms(signature) if atom is None else atom.match(whole)

    def _find_code(self, wanted: Wanted) -> dict[Symbol, int]:
        """Find the violations, or the illegal actions, with a code."""
        found: dict[Symbol, int] = {}
        for number, asked in enumerate(self._asked) if wanted.atom is None else ():
            for signature, rows in asked.answer.rows.items():
                if signature[0] in _FAULTS and any(wanted.text in row for row in rows):
                    atoms = self._ground(number).whole.atoms(signature)
                    code = String(wanted.text)
                    found.update((atom, number) for atom in atoms if code in atom.arguments)
        return found

    def _list_signatures(self, wanted: Wanted) -> list[Signature]:
        known = set[Signature]().union(*map(_known, self._asked))
        if wanted.atom is None:
            return sorted(s for s in known if s[0] == wanted.text)
        signature = wanted.atom.signature
        return [signature] if signature in known else []

    def _resolve(self, wanted: Wanted) -> Signature:
        """Find the predicate that is meant.

        Raises:
            InputError: No rule gives such an atom; says which predicate may be meant.
        """
        if found := self._list_signatures(wanted):
            return found[0]
        name, arity = (wanted.text, -1) if wanted.atom is None else wanted.atom.signature
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

    def _ground(self, number: int) -> Grounds:
        if number not in self._grounds:
            self._grounds[number] = open_grounds(self._asked[number], self._words)
        return self._grounds[number]


def open_grounds(asked: Asked, words: Words, required: Symbol | None = None) -> Grounds:
    """Answer a question once more, to be asked for reasons; an atom may be required to hold."""
    options = ["--models=0"] if asked.use.models == "best" else ["--models=1"]
    return Grounds(asked.program, Whole(asked.program, asked.facts, options, required), words)


def _known(asked: Asked) -> set[Signature]:
    """List the predicates that may have atoms where a question was asked."""
    return {*asked.program.derived, *asked.program.inputs, *shapes_of(asked.facts)}
