"""The options --why and --why-not: why atoms hold in the answers of a command, or do not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
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
    Binding,
    Clause,
    Part,
    Pattern,
    Reasons,
    Terms,
    Values,
    bind,
    fill,
    find_bound,
    find_names,
    ground,
    read_atom,
    settle,
    write_tuple,
)
from kb_score.engine.trees import Tree, WhyNode, write_values
from kb_score.errors import InputError, describe_list, guess, shorten

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# How many conditions at most are left out together, before a rule is followed from its beginning.
_TOGETHER = 2
# How many misses are rated, of those that lack the same conditions.
_RATED = 24
# How many are looked at to estimate how far an atom is, and how many rules down.
_ESTIMATED = 4
_FURTHER = 2
# The distance of an atom that no rule can give.
_FAR = 100


@dataclass(frozen=True, slots=True)
class _Miss:
    """How near a rule comes: the conditions that fail, those left open, and values so far."""

    clause: Clause
    values: Values
    failing: tuple[Part, ...]
    left_open: tuple[Part, ...]
    ways: int = 1  # how many conditions would do, each alone, if one fails

    @property
    def distance(self) -> tuple[int, int]:
        """How far the rule is from applying: misses with a lower distance are nearer."""
        return len(self.failing) + len(self.left_open), len(self.failing)

    @property
    def places(self) -> tuple[int, ...]:
        """Which conditions of the rule fail, from 0."""
        return tuple(n for n, part in enumerate(self.clause.parts) if part in self.failing)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A rule without some of its conditions."""

    kept: Sequence[Part]
    failing: tuple[Part, ...]  # what is left out
    left_open: tuple[Part, ...]  # the conditions some of whose variables then have no values


@dataclass(frozen=True)
class _Goal:
    """A rule, and the arguments that an atom of its head is to have; None for any."""

    clause: Clause
    arguments: Terms

    @cached_property
    def settled(self) -> list[Binding]:
        """The variables of the head that have values because some arguments have."""
        pairs = zip(self.clause.terms, self.arguments, strict=True)
        terms = [term for term, value in pairs if value is not None]
        sums = [term for term in terms if _is_sum(term)]
        bindings = [bind(term.left, term.right) for term in sums]
        bindings += [bind(term.right, term.left) for term in sums]
        bindings += [Binding(settle(term)) for term in terms]
        return bindings

    def find_bound(self, parts: Sequence[Part]) -> set[str]:
        """Find the variables that have values if these conditions count."""
        return find_bound(parts, self.settled)

    def write_rule(self, number: int, parts: Sequence[Part], names: Sequence[str]) -> str:
        """Write a rule for clingo that finds the values of names; its head has a number, too."""
        body = [part.body for part in parts]
        for term, value in zip(self.clause.terms, self.arguments, strict=True):
            if value is None or not set(names).issuperset(find_names(str(term))):
                continue
            if _is_sum(term):
                body.append(f"{term.left} = {value}-{term.right}")
            else:
                body.append(f"{term} = {value}")
        return f"{ROW}({number},{write_tuple(names)}) :- {'; '.join(body) or '#true'}."

    def keep_safe(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Keep the conditions whose variables all have values if these conditions count."""
        kept = parts
        while True:
            bound = self.find_bound(kept)
            safe = [part for part in kept if bound.issuperset(part.names)]
            if len(safe) == len(kept):
                return kept
            kept = safe

    def leave_out(self, size: int) -> Iterator[_Trial]:
        """Yield what remains of the rule without some conditions that could fail."""
        parts = self.clause.parts
        for failing in combinations(parts, size):
            rest = [part for part in parts if part not in failing]
            kept = self.keep_safe(rest)
            bound = self.find_bound(kept)
            # What gives a variable its value cannot fail: then it would have another one.
            if all(part.kind == "atom" or bound.issuperset(part.names) for part in failing):
                left_open = tuple(part for part in rest if part not in kept)
                yield _Trial(kept, failing, left_open)


def _is_ruling(part: Part) -> bool:
    """Return whether a condition asks for a ruling: if it fails, the rule is not in force."""
    return part.kind == "comparison" and not part.names


class WhyNot:
    """Explains in one tree why an atom does not hold.

    The kinds of its nodes are those of `WhyNode` and these: ``lacking`` is an atom that does not
    hold, or a pattern that no atom matches; below it there is a ``nearly`` for each rule that could
    give it, and below that what ``fails``, and what stays ``open`` because of that. An atom is
    ``missing`` if neither a rule nor a fact gives any like it.
    """

    def __init__(self, reasons: Reasons, *, depth: int, width: int) -> None:
        """Explain at most ``depth`` rules one below another, and ``width`` rules for an atom."""
        self.reasons = reasons
        self.depth = depth
        self.width = width
        self._tree = Tree(reasons, depth=depth, width=width)
        self._shown: set[Pattern] = set()
        self._estimates: dict[tuple[Pattern, int], int] = {}

    def explain(self, pattern: Pattern, depth: int | None = None) -> WhyNode:
        """Explain why no atom matches a pattern."""
        if depth is None:
            depth = self.depth
        text = str(pattern)
        says = self.reasons.words.say(*pattern)
        if pattern in self._shown:
            return WhyNode("again", f"not {text}", says)
        clauses = self.reasons.rules.giving(pattern.signature)
        if not clauses:
            return WhyNode("missing", text, says, because=self._find_instead(pattern))
        if depth <= 0:
            return WhyNode("lacking", text, says, left_out=len(clauses))
        since = self._find_since(pattern)
        if since is not None:
            says = f"so it has been from {since.arguments[-1]} on"
            return WhyNode("steps", text, says, because=(self.explain(since, depth),))
        self._shown.add(pattern)
        misses = self._list_misses(pattern)
        if not misses:
            return WhyNode("missing", text, says)
        because = tuple(self._explain_miss(miss, depth) for miss in misses[: self.width])
        return WhyNode("lacking", text, says, because=because, left_out=len(misses) - len(because))

    def _find_instead(self, pattern: Pattern) -> tuple[WhyNode, ...]:
        """Find a fact of another kind about the same: a hex is not a castle but a town."""
        kind, *others = pattern.arguments or (None,)
        if kind is None or kind.type != SymbolType.Function or kind.arguments:
            return ()
        if None in others or not others:
            return ()
        facts = self.reasons.match(Pattern(pattern.signature, (None, *others)))
        return tuple(self._tree.explain(fact, 0) for fact in facts[:1])

    def _find_since(self, pattern: Pattern) -> Pattern | None:
        """Find since which turn an atom does not hold, if that of the turn after it is explained.

        None if that is the turn of the atom itself, or if it never held before.
        """
        signature, arguments = pattern
        known = [value for value in arguments if value is not None]
        if not known or len(known) < len(arguments):
            return None
        *others, last = known
        if last.type != SymbolType.Number:
            return None
        if Pattern(signature, (*others, Number(last.number + 1))) not in self._shown:
            return None
        name = signature[0].removeprefix("-")
        is_positive = name == signature[0]
        for turn in range(last.number - 1, -1, -1):
            if self.reasons.holds(Function(name, [*others, Number(turn)], is_positive)):
                if turn + 1 == last.number:
                    return None
                return Pattern(signature, (*others, Number(turn + 1)))
        return None

    def _explain_miss(self, miss: _Miss, depth: int) -> WhyNode:
        because = [self._explain_failing(part, miss, depth) for part in miss.failing]
        because += [WhyNode("open", part.fill(miss.values)) for part in miss.left_open]
        number = len(miss.failing)
        return WhyNode(
            kind="nearly",
            atom=str(_read(miss.clause.head, miss.values)),
            says="one condition fails" if number == 1 else f"{number} conditions fail",
            origin=miss.clause.origin,
            values=write_values(miss.clause, miss.values),
            because=tuple(because),
        )

    def _explain_failing(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        if part.kind == "atom":
            return self._explain_atom(part, miss, depth)
        values = miss.values
        text = part.fill(values)
        if part.kind == "absent":
            holding = self.reasons.match(_read(part.text.removeprefix("not "), values))
            because = tuple(self._tree.explain(atom, depth - 1) for atom in holding[:1])
            return WhyNode("fails", text, because=because)
        if part.kind == "aggregate":
            return WhyNode("fails", text, self._describe_value(part, values))
        if not all(name in values for name in part.names):
            return WhyNode("fails", text, "no value fits")
        if part.operator == "!=" and part.names:
            left, _, _ = text.partition(" != ")
            _, _, right = part.text.partition(" != ")
            says = f"both are {left}"
            if find_names(right):
                says += ", and nothing else fits"
            return WhyNode("fails", part.text, says)
        if "#sup" in text or "#inf" in text:
            return WhyNode("fails", part.text, "nothing counts")
        return WhyNode("fails", text, part.text if part.text != text else "")

    def _explain_atom(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        """Explain why a condition fails that asks for an atom."""
        pattern = _read(part.term, miss.values)
        if self.reasons.match(pattern):
            says = "such atoms hold, but not with values that fit"
            return WhyNode("fails", part.fill(miss.values), says)
        lacking = self.explain(pattern, depth - 1)
        if miss.ways == 1:
            return lacking
        return replace(lacking, says=f"any of {miss.ways}, such as: {lacking.says or lacking.atom}")

    def _describe_value(self, part: Part, values: Values) -> str:
        """Describe the value of an aggregate, whatever it is compared with."""
        bare = part.node.atom.update(left_guard=None, right_guard=None)
        body = [f"X' = {bare}"]
        body += [f"{name} = {values[name]}" for name in find_names(part.text) if name in values]
        try:
            found = self.reasons.query([f"{ROW}(0,X') :- {'; '.join(body)}."], part.asks)
        except RuntimeError:
            found = []
        if not found:
            return "no value fits"
        _, value = found[0]
        return "nothing counts" if value in (Infimum, Supremum) else f"it is {value}"

    def _list_misses(self, pattern: Pattern) -> list[_Miss]:
        """List how near each rule comes to an atom, nearest first."""
        found = list[_Miss]()
        for clause in self.reasons.rules.giving(pattern.signature):
            alike = defaultdict[tuple[int, ...], list[_Miss]](list)
            for miss in self._try(_Goal(clause, pattern.arguments)):
                alike[miss.places].append(miss)
            misses = list[_Miss]()
            for some in alike.values():
                misses += some[:_RATED]
            if not misses or any(map(_is_ruling, misses[0].failing)):
                continue
            best = min(misses, key=self._rate)
            if len(best.failing) == 1:
                ways = {best.failing[0].fill(miss.values) for miss in alike[best.places]}
                best = replace(best, ways=len(ways))
            found.append(best)
        return sorted(found, key=self._rate)

    def _rate(self, miss: _Miss) -> tuple[object, ...]:
        """Rate a miss, the best lowest: what can be comes before what never can."""
        further = self._look_on(miss, _FURTHER)
        # Of misses alike the last condition fails: those before it show what the rule is about.
        return further >= _FAR, miss.distance, further, -min(miss.places)

    def _look_on(self, miss: _Miss, further: int) -> int:
        """Estimate how far the atoms are that a miss lacks, by what their own rules lack."""
        return sum(
            self._estimate(_read(part.term, miss.values), further)
            for part in miss.failing
            if part.kind == "atom"
        )

    def _estimate(self, pattern: Pattern, further: int) -> int:
        """Estimate how many conditions keep an atom from being, as many rules down."""
        key = pattern, further
        if key not in self._estimates:
            clauses = self.reasons.rules.giving(pattern.signature)
            distances = list[int]()
            for clause in clauses:
                misses = self._try(_Goal(clause, pattern.arguments))
                for miss in misses[:_ESTIMATED]:
                    lacking, _ = miss.distance
                    if further:
                        lacking += self._look_on(miss, further - 1)
                    distances.append(lacking)
            # A fact that is not given is one step away, what no rule gives is out of reach.
            self._estimates[key] = min(distances, default=_FAR if clauses else 1)
        return self._estimates[key]

    def _try(self, goal: _Goal) -> list[_Miss]:
        """Find the fewest conditions without which a rule would give an atom."""
        without_any = self._ask(goal, [()])
        if not without_any:
            return []
        for size in range(1, min(_TOGETHER, len(goal.clause.parts)) + 1):
            trials = list(goal.leave_out(size))
            misses = list[_Miss]()
            for number, values in self._ask(goal, [trial.kept for trial in trials]):
                trial = trials[number]
                misses.append(_Miss(goal.clause, values, trial.failing, trial.left_open))
            if misses:
                return sorted(misses, key=lambda miss: miss.distance)
        _, values = without_any[0]
        return [self._follow(goal, values)]

    def _follow(self, goal: _Goal, values: Values) -> _Miss:
        """Add one condition after the other, and leave out each that then fails."""
        kept = list[Part]()
        failing = list[Part]()
        left_open = list[Part]()
        for part in goal.clause.parts:
            more = [*kept, part]
            if part.kind != "atom" and not goal.find_bound(more).issuperset(part.names):
                left_open.append(part)
                continue
            found = self._ask(goal, [more])
            if found:
                kept = more
                _, values = found[0]
            else:
                failing.append(part)
        return _Miss(goal.clause, values, tuple(failing), tuple(left_open))

    def _ask(self, goal: _Goal, tried: Sequence[Sequence[Part]]) -> list[tuple[int, Values]]:
        """List the values with which conditions give an atom, and which ones of those tried."""
        names = list[list[str]]()
        rules = list[str]()
        about = set[Signature]()
        for number, parts in enumerate(tried):
            bound = goal.find_bound(parts)
            names.append([name for name in goal.clause.names if name in bound])
            rules.append(goal.write_rule(number, parts, names[number]))
            about.update(*(part.asks for part in parts))
        found = list[tuple[int, Values]]()
        try:
            rows = self.reasons.query(rules, about)
        except RuntimeError:
            # Some variable has no value without the conditions that are left out.
            if len(tried) > 1:
                for number, parts in enumerate(tried):
                    found += [(number, values) for _, values in self._ask(goal, [parts])]
            return found
        for number, row in rows:
            found.append((number, dict(zip(names[number], row.arguments, strict=True))))
        return found


def _read(text: str, values: Values) -> Pattern:
    """Read an atom of a rule with its values."""
    found = read_atom(fill(text, values))
    assert found is not None, text
    return found[1]


def _is_sum(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and term.operator_type == BinaryOperator.Plus


# The predicates that name a code.
_FAULTS = ("violation", "illegal")
# The predicate of the outcome of a record.
_OUTCOME = "result"
_CODE = re.compile(r"[a-z]\w*(?:-\w+)*")


@dataclass(frozen=True)
class Wanted:
    """The atoms that a user asks about."""

    # How they are named: an atom, which may have _ for any argument, the name of a predicate, or a
    # code such as wrong-cell.
    text: str
    option: str  # the option with the text, for messages

    @cached_property
    def atom(self) -> tuple[str, Pattern] | None:
        """The atom, for clingo and as a pattern; None for a name or a code, else an InputError."""
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

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of an atom; None for a name or a code."""
        return None if self.atom is None else self.atom[1]

    def match(
        self, program: Program, signature: Signature, atoms: Sequence[Symbol]
    ) -> Sequence[Symbol]:
        """List those atoms of a predicate that are asked about, within a program's limits."""
        if self.atom is None:
            return atoms
        text, _ = self.atom
        found = ground(program, [f"{ROW}({text}) :- {text}."], {signature: atoms}, (ROW, 1))
        return [atom.arguments[0] for atom in found]

    def refuse(self, message: str) -> InputError:
        """Make the error that something is wrong with it."""
        return InputError(self.option, f"{shorten(self.text)!r} {message}")


@dataclass
class Inquiry:
    """Explains the answers to all questions that a command asked the rules.

    Attributes:
        asked: The questions with their answers; the last one has the most facts.
        words: What the predicates mean.
        about: The predicates that may have a word such as the name of a card.
        depth: How many rules at most are explained one below another.
        width: How many atoms at most are explained, and how many parts of a sum.
    """

    asked: Sequence[Asked]
    words: Words
    about: Sequence[str] = ()
    _: KW_ONLY
    depth: int
    width: int
    _reasons: dict[int, Reasons] = field(default_factory=dict, init=False)

    def why(self, atoms: Iterable[tuple[int, Symbol]]) -> Iterator[WhyNode]:
        """Explain why some atoms hold; see `find`."""
        for number, atom in atoms:
            reasons = self._reason(number)
            if not reasons.holds(atom):
                # Another choice of the rules brings it about.
                reasons = open_reasons(self.asked[number], self.words, atom)
            tree = Tree(reasons, depth=self.depth, width=self.width)
            yield tree.explain(atom)

    def why_not(self, wanted: Wanted) -> WhyNode:
        """Explain why no such atom holds."""
        found = self.find(wanted)
        if found:
            _, atom = found[0]
            raise wanted.refuse(f"holds, as {shorten(str(atom))} does: ask --why")
        signature = self._resolve(wanted)
        pattern = wanted.pattern or Pattern(signature, (None,) * signature[1])
        number = max(n for n, asked in enumerate(self.asked) if signature in _list_known(asked))
        why_not = WhyNot(self._reason(number), depth=self.depth, width=self.width)
        return why_not.explain(pattern)

    def find(self, wanted: Wanted) -> list[tuple[int, Symbol]]:
        """Find atoms that hold, in clingo's order, and for each the last question with it."""
        found = self._find_word(wanted) or self._find_atoms(wanted)
        if not found:
            self._resolve(wanted)
        return [(found[atom], atom) for atom in sorted(found)]

    def _find_atoms(self, wanted: Wanted) -> dict[Symbol, int]:
        found: dict[Symbol, int] = {}
        for signature in self._list_signatures(wanted):
            numbers = self._find_asked(signature)
            if signature[0] == _OUTCOME:
                # A record may be checked in windows: its outcome is that of the last one.
                numbers = numbers[-1:]
            for number in numbers:
                known = self._list_atoms(number, signature)
                atoms = wanted.match(self.asked[number].program, signature, known)
                found.update(dict.fromkeys(atoms, number))
        return found

    def guess(self, wanted: Wanted) -> str:
        """Return a hint at the constant that is meant by one that no atom has; perhaps empty."""
        if wanted.pattern is None:
            return ""
        signature, given = wanted.pattern
        rows = list[list[Symbol]]()
        for number in self._find_asked(signature):
            rows += [atom.arguments for atom in self._list_atoms(number, signature)]
        for place, value in enumerate(given):
            known = {row[place].name for row in rows if _is_name(row[place])}
            if value is not None and _is_name(value) and value.name not in known:
                return guess(value.name, known, ": ")
        return ""

    def has(self, wanted: Wanted) -> bool:
        """Return whether any rule gives such an atom, or any fact is one."""
        return bool(self._list_signatures(wanted))

    def _find_asked(self, signature: Signature) -> list[int]:
        """List the questions that may have atoms of a predicate in their answers, by number."""
        return [n for n, asked in enumerate(self.asked) if _has_any(asked, signature)]

    def _list_atoms(self, number: int, signature: Signature) -> Sequence[Symbol]:
        """List the atoms of a predicate in the answer to a question."""
        asked = self.asked[number]
        reasons = self._reason(number)
        if asked.use.models == "last" and signature in asked.program.shown:
            # What is shown sums up several answer sets.
            rows = set(asked.answer.rows[signature])
            return [atom for atom in reasons.possible(signature) if to_atom(atom)[1] in rows]
        return reasons.atoms(signature)

    def _find_word(self, wanted: Wanted) -> dict[Symbol, int]:
        """Find the violations with a code, or else the atoms about a card or the like."""
        if wanted.atom is not None:
            return {}
        found: dict[Symbol, int] = {}
        names: Sequence[str] = _FAULTS
        word = String(wanted.text)
        if not self.has(wanted) and not any(self._list_about(word, _FAULTS)):
            names = self.about
            word = Function(wanted.text)
        for number, signature in self._list_about(word, names):
            atoms = self._reason(number).atoms(signature)
            found.update((atom, number) for atom in atoms if word in atom.arguments)
        return found

    def _list_about(self, word: Symbol, names: Sequence[str]) -> Iterator[tuple[int, Signature]]:
        """Yield the questions and the predicates that have a word in their answers."""
        value = to_value(word)
        for number, asked in enumerate(self.asked):
            for signature, rows in asked.answer.rows.items():
                if signature[0] in names and any(value in row for row in rows):
                    yield number, signature

    @cached_property
    def _known(self) -> list[Signature]:
        """The predicates that may have atoms in any answer, sorted."""
        return sorted(set[Signature]().union(*map(_list_known, self.asked)))

    def _list_signatures(self, wanted: Wanted) -> list[Signature]:
        """List the predicates that are meant."""
        if wanted.pattern is None:
            return [signature for signature in self._known if signature[0] == wanted.text]
        signature = wanted.pattern.signature
        return [signature] if signature in self._known else []

    def _resolve(self, wanted: Wanted) -> Signature:
        """Return the first predicate that is meant, or raise the error that there is none."""
        found = self._list_signatures(wanted)
        if found:
            return found[0]
        name = wanted.text
        what = shorten(name)
        if wanted.pattern is not None:
            name, arity = wanted.pattern.signature
            what = shorten(f"{name}/{arity}")
        if "-" in name:
            raise wanted.refuse("is asked for, but nothing here has this code")
        names = {known for known, _ in self._known}
        close = [name] if name in names else get_close_matches(name, sorted(names), n=3)
        alike = [f"{known}/{arity}" for known, arity in self._known if known in close]
        hint = f"did you mean {describe_list(alike)}?" if alike else "see kb-score rules list"
        raise wanted.refuse(f"is asked for, but no rule gives {what} here: {hint}")

    def _reason(self, number: int) -> Reasons:
        """Find the reasons of the answer to a question."""
        if number not in self._reasons:
            self._reasons[number] = open_reasons(self.asked[number], self.words)
        return self._reasons[number]


def open_reasons(asked: Asked, words: Words, required: Symbol | None = None) -> Reasons:
    """Answer a question once more, for its reasons; an atom may be required to hold."""
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
    return {*asked.program.derived, *asked.program.inputs, *shapes_of(asked.facts)}
