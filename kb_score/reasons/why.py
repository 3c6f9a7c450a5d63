"""The options --why and --why-not: why atoms hold in the answers of a command, or do not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from clingo import Function, Infimum, Number, String, Supremum, Symbol, SymbolType
from clingo.ast import AST, ASTType, BinaryOperator

from kb_score.engine.program import Program, Signature, find_fault
from kb_score.engine.terms import shapes_of, to_atom, to_value
from kb_score.errors import InputError, describe_list, guess, shorten
from kb_score.reasons.trace import (
    ROW,
    AtomText,
    Binding,
    Clause,
    Part,
    Pattern,
    Reasons,
    Terms,
    Values,
    bind,
    fill,
    find_asked,
    find_bound,
    find_names,
    find_solvable,
    ground,
    read_atom,
    write_tuple,
)
from kb_score.reasons.trees import Tree, WhyNode, write_values

if TYPE_CHECKING:
    from kb_score.engine.docs import Words
    from kb_score.engine.rules import Asked

# The most conditions that are left out together, before a rule is followed from its beginning.
_TOGETHER = 2
# The most misses that are rated, of those that lack the same conditions.
_RATED = 24
# To estimate how far an atom is: the most misses of a rule, and the most rules down.
_ESTIMATED = 4
_FURTHER = 2
# The distance of an atom that no rule can give.
_FAR = 100


@dataclass(frozen=True, slots=True)
class _Miss:
    """A rule that does not apply, with what it lacks."""

    clause: Clause
    values: Values  # those of the variables that have any
    failing: tuple[Part, ...]
    left_open: tuple[Part, ...]  # the conditions whose variables lack values because others fail
    ways: int = 1  # the number of ways to satisfy the condition that fails, if it is only one

    @property
    def distance(self) -> tuple[int, int]:
        """How far the rule is from applying: misses with a lower distance are nearer."""
        failing = len(self.failing)
        return failing + len(self.left_open), failing


@dataclass(frozen=True, slots=True)
class _Trial:
    """A rule without some of its conditions."""

    kept: Sequence[Part]
    failing: tuple[Part, ...] = ()  # what is left out
    left_open: tuple[Part, ...] = ()  # the conditions some of whose variables then have no values


@dataclass(frozen=True)
class _Goal:
    """A rule, and the arguments that an atom of its head should have; None for any."""

    clause: Clause
    arguments: Terms

    @cached_property
    def _known(self) -> list[tuple[AST, Symbol]]:
        """The terms of the head whose arguments are known, with these."""
        known = list[tuple[AST, Symbol]]()
        for term, value in zip(self.clause.terms, self.arguments, strict=True):
            if value is not None:
                known.append((term, value))
        return known

    @cached_property
    def _bindings(self) -> list[Binding]:
        """The variables of the head that have values because some arguments have."""
        bindings = list[Binding]()
        for term, _ in self._known:
            bindings.append(Binding(find_solvable(term)))
            if _is_sum(term):
                bindings.append(bind(term.left, term.right))
                bindings.append(bind(term.right, term.left))
        return bindings

    def find_bound(self, parts: Sequence[Part]) -> set[str]:
        """Find the variables that have values if these conditions count."""
        return find_bound(parts, self._bindings)

    def write_rule(self, number: int, parts: Sequence[Part], names: Sequence[str]) -> str:
        """Write a rule for clingo that finds the values of variables.

        Args:
            number: The number of the rule, which its atoms contain.
            parts: The conditions of the rule.
            names: The variables.
        """
        body = [part.body for part in parts]
        bound = set(names)
        for term, value in self._known:
            used = find_names(str(term))
            if not bound.issuperset(used):
                continue
            if _is_sum(term):
                body.append(f"{term.left} = {value}-{term.right}")
            else:
                body.append(f"{term} = {value}")
        head = f"{ROW}({number},{write_tuple(names)})"
        conditions = "; ".join(body) or "#true"
        return f"{head} :- {conditions}."

    def keep_safe(self, parts: Sequence[Part]) -> list[Part]:
        """Keep the conditions whose variables all have values if these conditions count."""
        bound = self.find_bound(parts)
        safe = [part for part in parts if bound.issuperset(part.names)]
        if len(safe) == len(parts):
            return safe
        return self.keep_safe(safe)

    def leave_out(self, size: int) -> Iterator[_Trial]:
        """Yield what remains of the rule without some conditions that could fail."""
        parts = self.clause.parts
        for failing in combinations(parts, size):
            rest = [part for part in parts if part not in failing]
            kept = self.keep_safe(rest)
            bound = self.find_bound(kept)
            if all(_can_fail(part, bound) for part in failing):
                left_open = [part for part in rest if part not in kept]
                yield _Trial(kept, failing, tuple(left_open))


def _can_fail(part: Part, bound: set[str]) -> bool:
    """Return whether a condition can fail where some variables have values.

    One that gives a variable its value cannot: the variable would have another value.
    """
    return part.kind == "atom" or bound.issuperset(part.names)


def _is_ruling(part: Part) -> bool:
    """Return whether a condition asks for a ruling: if it fails, the rule is not in force."""
    return part.kind == "comparison" and not part.names


class _Rank(NamedTuple):
    """Orders misses: the lowest is the best to show."""

    is_impossible: bool  # an atom is lacking that no rule can give
    distance: tuple[int, int]  # that of the miss
    further: int  # the estimated distance of the atoms that are lacking
    order: int  # lower if the first condition that fails stands later in the rule


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
            because = self.explain(since, depth)
            return WhyNode("steps", text, says, because=(because,))
        self._shown.add(pattern)
        misses = self._list_misses(pattern)
        if not misses:
            return WhyNode("missing", text, says)
        nodes = [self._explain_miss(miss, depth) for miss in misses[: self.width]]
        return WhyNode(
            kind="lacking",
            atom=text,
            says=says,
            because=tuple(nodes),
            left_out=len(misses) - len(nodes),
        )

    def _find_instead(self, pattern: Pattern) -> tuple[WhyNode, ...]:
        """Find a fact of another kind about the same: a hex is not a castle but a town."""
        values = _list_values(pattern)
        if len(values) < 2:
            return ()
        kind, *others = values
        if kind.type != SymbolType.Function or kind.arguments:
            return ()
        facts = self.reasons.match(Pattern(pattern.signature, (None, *others)))
        return tuple(self._tree.explain(fact, 0) for fact in facts[:1])

    def _find_since(self, pattern: Pattern) -> Pattern | None:
        """Find since which turn an atom has not held, to explain that turn in place of its own.

        Returns:
            The atom of that turn. None unless the atom of the following turn has been explained,
            if the atom held in the turn before, and if it never held.
        """
        values = _list_values(pattern)
        if not values:
            return None
        *others, turn = values
        if turn.type != SymbolType.Number:
            return None
        signature = pattern.signature
        now = turn.number
        following = Pattern(signature, (*others, Number(now + 1)))
        if following not in self._shown:
            return None
        name, _ = signature
        bare = name.removeprefix("-")
        is_positive = bare == name
        since = now
        while since > 0:
            before = Function(bare, [*others, Number(since - 1)], is_positive)
            if self.reasons.holds(before):
                break
            since -= 1
        if since in (0, now):
            return None
        return Pattern(signature, (*others, Number(since)))

    def _explain_miss(self, miss: _Miss, depth: int) -> WhyNode:
        clause = miss.clause
        values = miss.values
        because = [self._explain_failing(part, miss, depth) for part in miss.failing]
        for part in miss.left_open:
            because.append(WhyNode("open", part.fill(values)))
        number = len(miss.failing)
        says = "one condition fails" if number == 1 else f"{number} conditions fail"
        head = _read(clause.head, values)
        return WhyNode(
            kind="nearly",
            atom=fill(clause.head, values) if head is None else str(head),
            says=says,
            origin=clause.origin,
            values=write_values(clause, values),
            because=tuple(because),
        )

    def _explain_failing(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        values = miss.values
        if part.kind == "atom":
            return self._explain_atom(part, miss, depth)
        if part.kind == "absent":
            return self._explain_denied(part, values, depth)
        if part.kind == "aggregate":
            says = self._describe_value(part, values)
            return WhyNode("fails", part.fill(values), says)
        return _explain_comparison(part, values)

    def _explain_denied(self, part: Part, values: Values, depth: int) -> WhyNode:
        """Explain why a condition fails that denies an atom: the atom holds."""
        text = part.fill(values)
        denied = _read(part.text.removeprefix("not "), values)
        if denied is None:
            return WhyNode("fails", text)
        holding = self.reasons.match(denied)
        because = [self._tree.explain(atom, depth - 1) for atom in holding[:1]]
        return WhyNode("fails", text, because=tuple(because))

    def _explain_atom(self, part: Part, miss: _Miss, depth: int) -> WhyNode:
        """Explain why a condition fails that asks for an atom."""
        pattern = _read(part.term, miss.values)
        text = part.fill(miss.values)
        if pattern is None:
            return WhyNode("fails", text)
        if self.reasons.match(pattern):
            says = "such atoms hold, but not with values that fit"
            return WhyNode("fails", text, says)
        lacking = self.explain(pattern, depth - 1)
        if miss.ways == 1:
            return lacking
        example = lacking.says or lacking.atom
        return replace(lacking, says=f"any of {miss.ways}, such as: {example}")

    def _describe_value(self, part: Part, values: Values) -> str:
        """Describe the value of an aggregate, whatever it is compared with."""
        bare = part.node.atom.update(left_guard=None, right_guard=None)
        body = [f"X' = {bare}"]
        for name in find_names(part.text):
            if name in values:
                body.append(f"{name} = {values[name]}")
        conditions = "; ".join(body)
        rule = f"{ROW}(0,X') :- {conditions}."
        try:
            found = self.reasons.query([rule], part.asks)
        except RuntimeError:
            found = []
        if not found:
            return "no value fits"
        _, value = found[0]
        if value in (Infimum, Supremum):
            return "nothing counts"
        return f"it is {value}"

    def _list_misses(self, pattern: Pattern) -> list[_Miss]:
        """List the nearest miss of each rule that could give an atom, nearest first."""
        found = list[_Miss]()
        for clause in self.reasons.rules.giving(pattern.signature):
            miss = self._find_nearest(_Goal(clause, pattern.arguments))
            if miss is not None:
                found.append(miss)
        return sorted(found, key=self._rate)

    def _find_nearest(self, goal: _Goal) -> _Miss | None:
        """Find the nearest miss of a rule; None if the rule can never apply."""
        by_failing = defaultdict[tuple[Part, ...], list[_Miss]](list)
        for miss in self._find_misses(goal):
            by_failing[miss.failing].append(miss)
        rated = list[_Miss]()
        for alike in by_failing.values():
            rated += alike[:_RATED]
        if not rated:
            return None
        if any(map(_is_ruling, rated[0].failing)):
            return None
        nearest = min(rated, key=self._rate)
        first, *others = nearest.failing
        if others:
            return nearest
        ways = {first.fill(miss.values) for miss in by_failing[nearest.failing]}
        return replace(nearest, ways=len(ways))

    def _rate(self, miss: _Miss) -> _Rank:
        """Return the rank of a miss."""
        further = self._estimate_failing(miss, _FURTHER)
        # Among equal misses the best fails late: earlier conditions show what a rule is about.
        first = miss.clause.parts.index(miss.failing[0])
        return _Rank(
            is_impossible=further >= _FAR, distance=miss.distance, further=further, order=-first
        )

    def _estimate_failing(self, miss: _Miss, further: int) -> int:
        """Estimate how far the atoms are that a miss lacks, by what their own rules lack."""
        distance = 0
        for part in miss.failing:
            if part.kind != "atom":
                continue
            pattern = _read(part.term, miss.values)
            if pattern is None:
                distance += _FAR
            else:
                distance += self._estimate(pattern, further)
        return distance

    def _estimate(self, pattern: Pattern, further: int) -> int:
        """Estimate how many conditions keep an atom from holding, over ``further`` more rules."""
        key = (pattern, further)
        if key not in self._estimates:
            distances = self._list_distances(pattern, further)
            self._estimates[key] = min(distances, default=_FAR)
        return self._estimates[key]

    def _list_distances(self, pattern: Pattern, further: int) -> list[int]:
        """List the estimated distances of the nearest misses of each rule for an atom."""
        clauses = self.reasons.rules.giving(pattern.signature)
        if not clauses:
            # A fact that is not given is one step away.
            return [1]
        distances = list[int]()
        for clause in clauses:
            misses = self._find_misses(_Goal(clause, pattern.arguments))
            for miss in misses[:_ESTIMATED]:
                distance, _ = miss.distance
                if further:
                    distance += self._estimate_failing(miss, further - 1)
                distances.append(distance)
        return distances

    def _find_misses(self, goal: _Goal) -> list[_Miss]:
        """Find the fewest conditions without which a rule would give an atom."""
        without_any = self._run(goal, [_Trial(())])
        if not without_any:
            return []
        most = min(_TOGETHER, len(goal.clause.parts))
        for size in range(1, most + 1):
            trials = list(goal.leave_out(size))
            misses = self._run(goal, trials)
            if misses:
                return sorted(misses, key=lambda miss: miss.distance)
        return [self._follow(goal, without_any[0].values)]

    def _follow(self, goal: _Goal, values: Values) -> _Miss:
        """Add one condition after the other, and leave out each that then fails."""
        kept = list[Part]()
        failing = list[Part]()
        left_open = list[Part]()
        for part in goal.clause.parts:
            more = [*kept, part]
            if not _can_fail(part, goal.find_bound(more)):
                left_open.append(part)
                continue
            found = self._run(goal, [_Trial(more)])
            if found:
                kept = more
                values = found[0].values
            else:
                failing.append(part)
        return _Miss(goal.clause, values, tuple(failing), tuple(left_open))

    def _run(self, goal: _Goal, trials: Sequence[_Trial]) -> list[_Miss]:
        """List the misses of trials, one for any values with which a trial gives an atom."""
        clause = goal.clause
        names_by_trial = list[list[str]]()
        rules = list[str]()
        about = set[Signature]()
        for number, trial in enumerate(trials):
            bound = goal.find_bound(trial.kept)
            names = [name for name in clause.names if name in bound]
            names_by_trial.append(names)
            rules.append(goal.write_rule(number, trial.kept, names))
            about |= find_asked(trial.kept)
        misses = list[_Miss]()
        try:
            rows = self.reasons.query(rules, about)
        except RuntimeError:
            # Some variable has no value without the conditions that are left out.
            if len(trials) > 1:
                for trial in trials:
                    misses += self._run(goal, [trial])
            return misses
        for number, row in rows:
            trial = trials[number]
            values = dict(zip(names_by_trial[number], row.arguments, strict=True))
            misses.append(_Miss(clause, values, trial.failing, trial.left_open))
        return misses


def _list_values(pattern: Pattern) -> list[Symbol]:
    """List the arguments of an atom; none of them if any is open."""
    values = [value for value in pattern.arguments if value is not None]
    if len(values) < len(pattern.arguments):
        return []
    return values


def _explain_comparison(part: Part, values: Values) -> WhyNode:
    """Explain why a comparison, or a condition on everything of a kind, fails."""
    text = part.fill(values)
    if not values.keys() >= set(part.names):
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
    if text == part.text:
        return WhyNode("fails", text)
    return WhyNode("fails", text, part.text)


def _read(text: str, values: Values) -> Pattern | None:
    """Read an atom of a rule with its values; None if an argument, such as 1/0, has no value."""
    found = read_atom(fill(text, values))
    return None if found is None else found.pattern


def _is_sum(term: AST) -> bool:
    return term.ast_type == ASTType.BinaryOperation and term.operator_type == BinaryOperator.Plus


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
