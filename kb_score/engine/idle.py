"""Rules that derive nothing, found by the words that facts may have.

clingo takes a while for each rule, and longer for each sum, also where no atom comes of it. So what
cannot apply is left out before: what a ruling excludes, or what is about tiles that move where no
tile in play does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from kb_score.engine.program import SYNTAX, Program, Signature, Statement
from kb_score.engine.terms import Facts, Name, Value

# What an argument may be: some words and numbers; None for anything.
_Column: TypeAlias = frozenset[str] | None
Given: TypeAlias = tuple[tuple[Signature, tuple[_Column, ...]], ...]
# A predicate, or the sign of a comparison, with its terms: a variable is a str.
_Atom: TypeAlias = tuple[Signature, tuple[str | _Column, ...]]
# What a rule derives, and what it needs.
_Rule: TypeAlias = Sequence[Sequence[_Atom]]

# Of more rows than this nothing is known, nor of larger numbers: games have many of both.
_FEW, _SMALL = 8, (0, 1)
_TEXT, _INNERMOST = re.compile(r'"(?:\\.|[^"\\])*"'), re.compile(r"\([^()]*\)")
_ATOM, _WORD = re.compile(r"([a-z_]\w*)\(([^;=<>!:]+)\)"), re.compile(r"[a-z]\w*|\d+")
_COMPARISON, _SAME = re.compile(r"(\w+) (!?=|<) (\w+)"), ("=", 2)
_SIGNS = {_SAME, ("!=", 2), ("<", 2)}


class Sketch:
    """A program whose rulings are decided, with what its rules say of words."""

    def __init__(self, program: Program) -> None:
        """Look at the rules, but for those of a user, which always stay."""
        self.program = program
        rulings = {name: str(node.value) for name, node in program.find_constants().items()}
        rulings |= dict(program.constants)
        put: dict[str | _Column, str | _Column] = {
            frozenset({name}): _read_word(value) for name, value in rulings.items()
        }
        # What each rule derives, and what it needs and compares.
        rules = {
            number: [
                [(signature, tuple([put.get(t, t) for t in terms])) for signature, terms in part]
                for part in _read_rule(rule)
            ]
            for number, rule in enumerate(program.statements)
            if rule.heads and not (rule.guides or rule.is_users)
        }
        self._rules, statements = _sort(rules), program.statements
        self._always = [n for n in range(len(statements)) if n not in self._rules]
        # What a rule that always stays derives may be anything.
        self._open = {s: (None,) * s[1] for n in self._always for s in statements[n].heads}
        self._asking, self._words = defaultdict[Signature, list[int]](list), set[str]()
        for number, (_, body) in self._rules.items():
            for signature, terms in body:
                self._asking[signature].append(number)
                self._words.update(*(term for term in terms if isinstance(term, frozenset)))

    def look_at(self, facts: Facts) -> Given:
        """Tell which words and small numbers stand in facts, argument by argument."""
        return tuple(
            ((name, len(rows[0])), tuple(map(self._look_at, zip(*rows[: _FEW + 1], strict=True))))
            for name, rows in sorted(facts.items())
            if rows and name in self.program.asked
        )

    def _look_at(self, column: Sequence[Value]) -> _Column:
        is_plain = all(isinstance(value, Name) or value in _SMALL for value in column)
        found = frozenset(map(str, column)) if is_plain and len(column) <= _FEW else None
        return found if found is not None and found <= self._words else None

    def without_idle(self, given: Given) -> Program:
        """Leave out those rules of ours that derive nothing where only such facts are given."""
        whole, known, active = self.program, {**dict(given), **self._open}, set(self._always)
        waiting = dict.fromkeys(self._rules)
        while waiting:
            del waiting[number := next(iter(waiting))]
            heads, body = self._rules[number]
            if (values := _apply(body, known)) is None:
                continue
            active.add(number)
            for signature, terms in heads:
                found = tuple([values.get(t) if isinstance(t, str) else t for t in terms])
                if (before := known.get(signature)) is not None:
                    pairs = zip(before, found, strict=True)
                    found = tuple([None if a is None or b is None else a | b for a, b in pairs])
                if found != before:
                    known[signature] = found
                    waiting |= dict.fromkeys(self._asking[signature])
        kept = tuple(s for n, s in enumerate(whole.statements) if n in active)
        left = replace(whole, statements=kept).without_unused()
        asked = frozenset[Signature]().union(*(s.body for s in left.statements))
        return replace(left, defined=asked & (whole.defined | whole.derived))


def _sort(rules: Mapping[int, _Rule]) -> dict[int, _Rule]:
    """Put what derives an atom before what needs it, so that most rules are looked at once."""
    deriving, found = defaultdict[Signature, list[int]](list), dict[int, _Rule]()
    for number, (heads, _) in rules.items():
        for signature, _ in heads:
            deriving[signature].append(number)
    waiting = set(rules)

    def visit(number: int) -> None:
        if number in waiting:
            waiting.remove(number)
            for signature, _ in rules[number][1]:
                for other in deriving[signature]:
                    visit(other)
            found[number] = rules[number]

    for number in rules:
        visit(number)
    return found


def _apply(
    body: Sequence[_Atom], known: dict[Signature, tuple[_Column, ...]]
) -> dict[str, _Column] | None:
    """Tell what the variables of a rule may be, as far as that is known; None if it is idle."""
    values: dict[str, _Column] = {}
    for signature, terms in body:
        if signature in _SIGNS:
            left, right = (values.get(t) if isinstance(t, str) else t for t in terms)
            if left and right:
                is_open = left & right if signature == _SAME else len(left | right) > 1
                if not is_open:
                    return None
            continue
        if (columns := known.get(signature)) is None:
            return None
        for term, column in zip(terms, columns, strict=False):
            if column is not None and term is not None:
                other = values.get(term) if isinstance(term, str) else term
                if not (found := column if other is None else column & other):
                    return None
                if isinstance(term, str):
                    values[term] = found
    return values


@lru_cache(maxsize=4096)
def _read_rule(rule: Statement) -> tuple[Sequence[_Atom], Sequence[_Atom]]:
    with SYNTAX:
        head, body = _read_atom(str(rule.node.head)), list(map(str, rule.node.body))
    needs = [atom for atom in map(_read_atom, body) if atom[0] in rule.needs]
    others: list[_Atom] = [(s, ()) for s in rule.needs.difference(s for s, _ in needs)]
    compared = filter(None, map(_COMPARISON.fullmatch, body))
    signs = [((found[2], 2), tuple(map(_read_term, found.group(1, 3)))) for found in compared]
    heads = [head] if head[0] in rule.heads else [(s, (None,) * s[1]) for s in rule.heads]
    return heads, [*needs, *others, *signs]


def _read_atom(text: str) -> _Atom:
    """Read an atom; what is no plain one has no name."""
    name, bracket, arguments = _TEXT.sub("?", text).partition("(")
    while (flat := _INNERMOST.sub("?", arguments)) != arguments:
        arguments = flat
    found = _ATOM.fullmatch(f"{name}({arguments}")
    terms = tuple(map(_read_term, found[2].split(","))) if found else ()
    return (name if found or not bracket else "", len(terms)), terms


def _read_term(text: str) -> str | _Column:
    return text if text[:1].isupper() and text.isalnum() else _read_word(text)


def _read_word(text: str) -> _Column:
    return frozenset({text}) if _WORD.fullmatch(text) else None
