"""Questions why: what the rules said in a command, asked for its reasons."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from clingo import Function, Infimum, Number, String, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, BinaryOperator

from kb_score.engine.program import Program, Signature, find_fault
from kb_score.engine.terms import shapes_of, to_atom, to_value
from kb_score.engine.trace import (
    ROW,
    Clause,
    Give,
    Part,
    Pattern,
    Reasons,
    Values,
    fill,
    find_bound,
    find_names,
    ground,
    read_atom,
    settle,
    write_pattern,
    write_tuple,
)
from kb_score.engine.trees import Tree, WhyNode, write_values
from kb_score.errors import InputError, describe_list, guess, shorten

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# So many conditions are left out together, before rules are followed from their beginning.
_TOGETHER = 2
# So many ways to come near are looked at more closely, at first of those that lack the same
# conditions and where one looks on, and so many rules down.
_TRIED, _TRIED_FURTHER, _FURTHER = 24, 4, 2
# The distance of what no rule can give.
_FAR = 100


@dataclass(frozen=True, slots=True)
class _Miss:
    """How near a rule comes: the conditions that fail, those left open, and values so far."""

    clause: Clause
    values: Values
    failing: tuple[Part, ...]
    left_open: tuple[Part, ...]
    ways: int = 1  # of how many conditions any would do, where one fails

    @property
    def distance(self) -> tuple[int, int]:
        """What comes first is nearest."""
        return len(self.failing) + len(self.left_open), len(self.failing)

    @property
    def places(self) -> tuple[int, ...]:
        """Which conditions of the rule fail, from 0."""
        return tuple(n for n, part in enumerate(self.clause.parts) if part in self.failing)


def _is_ruling(part: Part) -> bool:
    """Whether a condition asks for a ruling: where it fails, the rule is not in force."""
    return part.kind == "comparison" and not part.names


class Lack:
    """Makes one tree of what an atom lacks; a reason's ``kind`` is one of these, or of `WhyNode`.

    ``lacking`` is an atom that does not hold, or of which none does; below it there is a ``nearly``
    for each rule that could give it, and below that what ``fails``. What stays open because of that
    is ``open``. An atom is ``missing`` if neither a rule nor a fact gives any like it.
    """

    def __init__(self, reasons: Reasons, *, depth: int, width: int) -> None:
        """Take how many rules follow one another, and how many are tried for each atom."""
        self.reasons = reasons
        self.depth, self.width = depth, width
        self._tree = Tree(reasons, depth=depth, width=width)
        self._shown: set[Pattern] = set()
        self._estimates: dict[tuple[Pattern, int], int] = {}

    def explain(self, pattern: Pattern, depth: int | None = None) -> WhyNode:
        """Explain why no atom with such arguments holds; None stands for any argument."""
        depth = self.depth if depth is None else depth
        text, says = write_pattern(pattern), self.reasons.words.say(*pattern)
        if pattern in self._shown:
            return WhyNode("again", f"not {text}", says)
        clauses = self.reasons.rules.giving(pattern[0])
        if not clauses:
            return WhyNode("missing", text, says, because=self._find_instead(pattern))
        if depth <= 0:
            return WhyNode("lacking", text, says, left_out=len(clauses))
        if (since := self._find_since(pattern)) is not None:
            says = f"so it has been from {since[1][-1]} on"
            return WhyNode("steps", text, says, because=(self.explain(since, depth),))
        self._shown.add(pattern)
        misses = self._list_misses(pattern)
        if not misses:
            return WhyNode("missing", text, says)
        because = tuple(self._tell(miss, depth) for miss in misses[: self.width])
        return WhyNode("lacking", text, says, because=because, left_out=len(misses) - len(because))

    def _find_instead(self, pattern: Pattern) -> tuple[WhyNode, ...]:
        """Find a fact of another kind about the same: a hex is no castle but a town."""
        signature, (kind, *others) = pattern[0], pattern[1] or (None,)
        if kind is None or kind.type != SymbolType.Function or kind.arguments or None in others:
            return ()
        facts = self.reasons.match((signature, (None, *others))) if others else []
        return tuple(self._tree.explain(fact, 0) for fact in facts[:1])

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
            if self.reasons.holds(Function(name, [*others, Number(turn)], name == signature[0])):
                return (signature, (*others, Number(turn + 1))) if turn + 1 < last.number else None
        return None

    def _tell(self, miss: _Miss, depth: int) -> WhyNode:
        because = [self._explain_failing(part, miss, depth) for part in miss.failing]
        because += [WhyNode("open", part.fill(miss.values)) for part in miss.left_open]
        number = len(miss.failing)
        says = "one condition fails" if number == 1 else f"{number} conditions fail"
        head = write_pattern(_read(miss.clause.head, miss.values))
        origin, named = miss.clause.origin, write_values(miss.clause, miss.values)
        return WhyNode("nearly", head, says, origin, named, tuple(because))

    def _explain_failing(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        text, values = part.fill(miss.values), miss.values
        if part.kind == "atom":
            pattern = _read(part.term, values)
            if self.reasons.match(pattern):
                return WhyNode("fails", text, "such atoms hold, but not with values that fit")
            lacking = self.explain(pattern, depth - 1)
            some = f"any of {miss.ways}, such as: {lacking.says or lacking.atom}"
            return replace(lacking, says=some) if miss.ways > 1 else lacking
        if part.kind == "absent":
            holding = self.reasons.match(_read(part.text.removeprefix("not "), values))[:1]
            because = tuple(self._tree.explain(atom, depth - 1) for atom in holding)
            return WhyNode("fails", text, because=because)
        if part.kind == "aggregate":
            value = self._find_value(part, values)
            rare = {None: "no value fits", Infimum: "nothing counts", Supremum: "nothing counts"}
            return WhyNode("fails", text, rare.get(value, f"it is {value}"))
        if not all(name in values for name in part.names):
            return WhyNode("fails", text, "no value fits")
        if part.operator == "!=" and part.names:
            others = ", and nothing else fits" * bool(find_names(part.text.partition(" != ")[2]))
            return WhyNode("fails", part.text, f"both are {text.partition(' != ')[0]}{others}")
        if "#sup" in text or "#inf" in text:
            return WhyNode("fails", part.text, "nothing counts")
        return WhyNode("fails", text, part.text * (part.text != text))

    def _find_value(self, part: Part, values: Values) -> Symbol | None:
        """Find the value of an aggregate, whatever it is compared with; None if that is open."""
        bare = part.node.atom.update(left_guard=None, right_guard=None)
        given = [f"{name} = {values[name]}" for name in find_names(part.text) if name in values]
        rule = "; ".join([f"{ROW}(0,X') :- X' = {bare}", *given]) + "."
        try:
            found = self.reasons.query([rule], part.asks)
        except RuntimeError:
            return None
        return found[0][1] if found else None

    def _list_misses(self, pattern: Pattern) -> list[_Miss]:
        """List how near each rule comes to an atom, nearest first."""
        found = []
        for clause in self.reasons.rules.giving(pattern[0]):
            alike = defaultdict[object, list[_Miss]](list)
            for miss in self._try(clause, pattern[1]):
                alike[miss.places].append(miss)
            misses = [miss for some in alike.values() for miss in some[:_TRIED]]
            if misses and not any(map(_is_ruling, misses[0].failing)):
                best = min(misses, key=self._rate)
                ways = {best.failing[0].fill(miss.values) for miss in alike[best.places]}
                found.append(replace(best, ways=len(ways) if len(best.failing) == 1 else 1))
        return sorted(found, key=self._rate)

    def _rate(self, miss: _Miss) -> tuple[object, ...]:
        """Rate a way to come near, the best lowest: what can be comes before what never can."""
        further = self._look_on(miss)
        # Of what is alike the last condition fails: those before it say what it is about.
        return further >= _FAR, miss.distance, further, -min(miss.places)

    def _look_on(self, miss: _Miss, further: int = _FURTHER) -> int:
        """Estimate how far the atoms are that a miss lacks, by what their own rules lack."""
        return sum(
            self._estimate(_read(part.term, miss.values), further)
            for part in miss.failing
            if part.kind == "atom"
        )

    def _estimate(self, pattern: Pattern, further: int) -> int:
        if (pattern, further) not in self._estimates:
            clauses = self.reasons.rules.giving(pattern[0])
            distances = [
                miss.distance[0] + (self._look_on(miss, further - 1) if further else 0)
                for clause in clauses
                for miss in self._try(clause, pattern[1])[:_TRIED_FURTHER]
            ]
            # A fact that is not given is one step away, what no rule gives is out of reach.
            self._estimates[pattern, further] = min(distances, default=_FAR if clauses else 1)
        return self._estimates[pattern, further]

    def _try(self, clause: Clause, arguments: Sequence[Symbol | None]) -> list[_Miss]:
        """Find the fewest conditions without which a rule would give an atom."""
        settled = _settle(clause, arguments)
        if not self._ask(clause, arguments, [()]):
            return []
        for size in range(1, min(_TOGETHER, len(clause.parts)) + 1):
            tried = []
            for failing in combinations(clause.parts, size):
                rest = [part for part in clause.parts if part not in failing]
                kept = _keep_safe(rest, settled)
                bound = find_bound(kept, settled)
                # What gives a variable its value cannot fail: then it would have another one.
                if all(part.kind == "atom" or bound.issuperset(part.names) for part in failing):
                    left_open = tuple(part for part in rest if part not in kept)
                    tried.append((failing, left_open, kept))
            found = self._ask(clause, arguments, [kept for _, _, kept in tried])
            misses = [_Miss(clause, values, *tried[number][:2]) for number, values in found]
            if misses:
                return sorted(misses, key=lambda miss: miss.distance)
        return list(self._follow(clause, arguments))

    def _follow(self, clause: Clause, arguments: Sequence[Symbol | None]) -> Iterator[_Miss]:
        """Add one condition after the other, and leave out each that then fails."""
        kept, failing, left_open = list[Part](), list[Part](), list[Part]()
        settled = _settle(clause, arguments)
        found = self._ask(clause, arguments, [()])
        for part in clause.parts:
            if part.kind != "atom" and not find_bound([*kept, part], settled) >= set(part.names):
                left_open.append(part)
            elif further := self._ask(clause, arguments, [[*kept, part]]):
                kept, found = [*kept, part], further
            else:
                failing.append(part)
        # Nothing comes of a rule whose head is never such an atom.
        for _, values in found[:1]:
            yield _Miss(clause, values, tuple(failing), tuple(left_open))

    def _ask(
        self, clause: Clause, arguments: Sequence[Symbol | None], tried: Sequence[Sequence[Part]]
    ) -> list[tuple[int, Values]]:
        """List the values with which conditions give an atom, and which ones of those tried."""
        rules, names = [], list[list[str]]()
        settled = _settle(clause, arguments)
        for number, kept in enumerate(tried):
            bound = find_bound(kept, settled)
            names.append([name for name in clause.names if name in bound])
            equations = [
                f"{term.left} = {value}-{term.right}" if _is_sum(term) else f"{term} = {value}"
                for term, value in zip(clause.terms, arguments, strict=True)
                if value is not None and bound.issuperset(find_names(str(term)))
            ]
            body = "; ".join([*(part.body for part in kept), *equations]) or "#true"
            rules.append(f"{ROW}({number},{write_tuple(names[-1])}) :- {body}.")
        about = {signature for kept in tried for part in kept for signature in part.asks}
        try:
            rows = self.reasons.query(rules, about)
        except RuntimeError:
            # Some variable has no value without the conditions that are left out.
            one_by_one = [self._ask(clause, arguments, [kept]) for kept in tried if len(tried) > 1]
            return [(n, values) for n, found in enumerate(one_by_one) for _, values in found]
        return [(n, dict(zip(names[n], row.arguments, strict=True))) for n, row in rows]


def _read(text: str, values: Values) -> Pattern:
    """Read an atom of a rule with its values."""
    found = read_atom(fill(text, values))
    assert found is not None, text
    return found[1]


def _settle(clause: Clause, arguments: Sequence[Symbol | None]) -> list[Give]:
    """The variables of a head that have values if some of its arguments have."""
    pairs = zip(clause.terms, arguments, strict=True)
    terms = [term for term, value in pairs if value is not None]
    sums = [(term.left, term.right) for term in terms if _is_sum(term)]
    sums += [(right, left) for left, right in sums]
    found = [(settle(one), frozenset(find_names(str(other)))) for one, other in sums]
    return [*found, *((settle(term), frozenset[str]()) for term in terms)]


def _is_sum(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and term.operator_type == BinaryOperator.Plus


def _keep_safe(parts: Sequence[Part], settled: Sequence[Give]) -> list[Part]:
    """Keep the conditions whose variables all have values if these conditions count."""
    kept = list(parts)
    while True:
        bound = find_bound(kept, settled)
        safe = [part for part in kept if bound.issuperset(part.names)]
        if len(safe) == len(kept):
            return kept
        kept = safe


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

    def match(
        self, program: Program, signature: Signature, atoms: Sequence[Symbol]
    ) -> Sequence[Symbol]:
        """List those atoms of a predicate that are asked about, within a program's limits."""
        if self.atom is None:
            return atoms
        rule = f"{ROW}({self.atom[0]}) :- {self.atom[0]}."
        found = ground(program, [rule], {signature: atoms}, (ROW, 1))
        return [atom.arguments[0] for atom in found]

    def refuse(self, message: str) -> InputError:
        """Make the error that something is wrong with it."""
        hint = "such as gold(lords,1,_,_), where _ stands for anything"
        more = f": expected an atom of the rules, {hint}" if message == "is no atom" else ""
        return InputError(self.option, f"{shorten(self.text)!r} {message}{more}")


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
            raise wanted.refuse(f"holds, as {shorten(str(found[0][1]))} does: ask --why")
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
                known = self._list_atoms(number, signature)
                atoms = wanted.match(self._asked[number].program, signature, known)
                found.update(dict.fromkeys(atoms, number))
        if not found:
            self._resolve(wanted)
        return [(found[atom], atom) for atom in sorted(found)]

    def guess(self, wanted: Wanted) -> str:
        """Guess which constant is meant by one that no atom has at its place; perhaps nothing."""
        signature, given = wanted.atom[1] if wanted.atom is not None else (("", 0), ())
        asked = [n for n, one in enumerate(self._asked) if _has_any(one, signature)]
        rows = [a.arguments for number in asked for a in self._list_atoms(number, signature)]
        for place, value in enumerate(given):
            known = {row[place].name for row in rows if _is_name(row[place])}
            if value is not None and _is_name(value) and value.name not in known:
                return guess(value.name, known, ": ")
        return ""

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
        raise wanted.refuse(f"is asked for, but no rule gives {shorten(what)} here: {hint}")

    def _reason(self, number: int) -> Reasons:
        if number not in self._reasons:
            self._reasons[number] = open_reasons(self._asked[number], self._words)
        return self._reasons[number]


def open_reasons(asked: Asked, words: Words, required: Symbol | None = None) -> Reasons:
    """Answer a question once more, to be asked for reasons; an atom may be required to hold."""
    best = asked.use.models == "best"
    return Reasons(asked.program, asked.facts, words, best=best, required=required)


def _is_name(value: Symbol) -> bool:
    return value.type == SymbolType.Function and bool(value.name) and not value.arguments


def _has_any(asked: Asked, signature: Signature) -> bool:
    """Whether a question may have atoms of a predicate in its answer."""
    if signature in asked.program.shown:
        return bool(asked.answer.rows.get(signature))
    return signature in _known(asked)


def _known(asked: Asked) -> set[Signature]:
    """List the predicates that may have atoms where a question was asked."""
    return {*asked.program.derived, *asked.program.inputs, *shapes_of(asked.facts)}
