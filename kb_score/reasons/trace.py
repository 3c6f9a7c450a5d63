"""Traced rules: clingo itself finds the values for which each rule applies.

If the seventh rule is

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).

then its traced rule is

    why'(7,gold(miners,P,hex(R,C),1),(P,C,R),(settlement(P,R,C),beside(R,C,mountain))) :-
        settlement(P,R,C); beside(R,C,mountain).

One more rule for each element of a sum finds what counts in the sum. The atoms of an answer set
are the facts for traced rules, so they apply to what holds in it, whatever was chosen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Literal, NamedTuple

from clingo import Control, Symbol, SymbolicAtom, parse_term
from clingo.ast import (
    AST,
    ASTType,
    ComparisonOperator,
    Location,
    ProgramBuilder,
    Sign,
    SymbolicTerm,
    Transformer,
    Variable,
    parse_string,
)

from kb_score.engine.arithmetic import PARTIAL, guard_terms
from kb_score.engine.docs import Origin, Words, read_origin, read_parameter
from kb_score.engine.messages import collected_messages
from kb_score.engine.program import SYNTAX, Program, Statement
from kb_score.engine.scan import Signature
from kb_score.engine.solve import (
    NONE,
    AnswerSetError,
    choose_facts,
    open_control,
    parse_cached,
    show_only,
)
from kb_score.engine.supervisor import Supervisor
from kb_score.engine.terms import Facts, FactSource, to_symbol
from kb_score.reasons.walk import ConstantSetter, atoms_in, functions_in

# The values of variables, by name.
Values = Mapping[str, Symbol]
# The terms of conditions, or the arguments of an atom; None for those that are open.
Terms = tuple[Symbol | None, ...]

# In a traced rule, the placeholder for a condition without a term.
_NONE = "none'"
# In a traced rule, an open argument.
_ANY = "any'"
# The predicate of the results of queries.
ROW = "row'"
_AGGREGATES = (ASTType.BodyAggregate, ASTType.Aggregate)
# The level of an atom that follows only from itself.
_NEVER = 2**31
_OPEN = re.compile(r'("(?:\\.|[^"\\])*")|(?<![\w\'])_(?![\w\'])')
_OPEN_ARGUMENT = re.compile(r"(?<![\w'])_(?![\w'])")
_MAY_BE_OPEN = re.compile(rf"{_OPEN_ARGUMENT.pattern}|\.\.")
_NAME = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w\'])_*[A-Z]\w*\'*')


class Binding(NamedTuple):
    """Variables that get values as soon as the needed variables have values."""

    names: frozenset[str]
    needed: frozenset[str] = frozenset()


class Pattern(NamedTuple):
    """An atom whose arguments may be open."""

    signature: Signature
    arguments: Terms

    def __str__(self) -> str:
        """Return the atom, with ``_`` for open arguments."""
        name, _ = self.signature
        if not self.arguments:
            return name
        joined = ",".join("_" if value is None else str(value) for value in self.arguments)
        return f"{name}({joined})"


class AtomText(NamedTuple):
    """An atom as text for clingo, and its pattern."""

    text: str
    pattern: Pattern


class ElementRule(NamedTuple):
    """An element of an aggregate as written in the rule: its tuple, and its conditions."""

    terms: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A condition in the body of a rule.

    Attributes:
        node: The syntax tree, with constants replaced by their values and a name for everything
            that the condition leaves open.
        body: The condition as written in the traced rule.
        names: The variables of the condition, except local ones.
        term: The term of the condition in the head of the traced rule: an atom, the two sides of a
            comparison, or a placeholder.
        operator: The operator of a comparison of two sides.
        is_added: Whether the condition was added by lifting, and is not in the file.
    """

    node: AST
    kind: Literal["atom", "absent", "comparison", "aggregate", "all"]
    text: str
    body: str
    asks: frozenset[Signature]
    names: tuple[str, ...]
    term: str = _NONE
    operator: str = ""
    elements: tuple[ElementRule, ...] = ()
    is_added: bool = False

    @cached_property
    def gives(self) -> tuple[Binding, ...]:
        """The variables that get values from the condition."""
        return tuple(_gives(self.node))

    def fill(self, values: Values) -> str:
        """Return the text with the values of its variables."""
        return fill(self.text, values)


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule, paired with one of the atoms in its head.

    Attributes:
        number: The number of the clause, from 0.
        parts: The conditions of the rule, with those of a chosen element of the head.
        parameter: The name of the rule's turn in the file; empty if it has none.
    """

    number: int
    statement: Statement
    signature: Signature
    head: str
    terms: tuple[AST, ...]
    parts: tuple[Part, ...]
    names: tuple[str, ...]
    is_chosen: bool
    parameter: str

    @cached_property
    def origin(self) -> Origin:
        """The place of the rule, and its text."""
        return read_origin(self.statement.location)

    @property
    def asks(self) -> set[Signature]:
        """The predicates in the bodies of the traced rules."""
        asked = find_asked(self.parts)
        if self.is_chosen:
            asked.add(self.signature)
        return asked

    @property
    def leads(self) -> set[Signature]:
        """The predicates whose atoms the rule may depend on."""
        return find_asked(part for part in self.parts if part.kind in ("atom", "aggregate"))

    def trace(self) -> Iterator[str]:
        """Yield the rule that finds the values for which the clause applies.

        The rules that find what its sums count follow.
        """
        row = write_tuple(self.names)
        terms = write_tuple([part.term for part in self.parts])
        conditions = [part.body for part in self.parts]
        if self.is_chosen:
            conditions.append(self.head)
        body = "; ".join(conditions) or "#true"
        yield f"why'({self.number},{self.head},{row},{terms}) :- {body}."
        applies = f"why'({self.number},_,{row},_)"
        for at, part in enumerate(self.parts):
            for number, element in enumerate(part.elements):
                key = write_tuple(element.terms)
                own = write_tuple(own_names(self, element.parts))
                atoms = write_tuple([inner.term for inner in element.parts])
                head = f"counts'({self.number},{at},{row},{key},{number},{own},{atoms})"
                conditions = [inner.body for inner in element.parts]
                body = "; ".join([applies, *conditions])
                yield f"{head} :- {body}."


class Instance(NamedTuple):
    """A rule with the values of its variables, and with the terms of its conditions."""

    clause: Clause
    values: Values
    terms: Terms
    row: Symbol  # the values as a tuple of clingo


class Element(NamedTuple):
    """A tuple that counts in an aggregate, with its conditions and values."""

    key: Symbol
    parts: tuple[Part, ...]
    values: Values
    terms: Terms


class _TracedStep(NamedTuple):
    """An `Instance` as a traced rule finds it, with the number of the clause."""

    number: int
    row: Symbol
    terms: Symbol


class _TracedElement(NamedTuple):
    """An `Element` as a traced rule finds it, with its number in the aggregate."""

    key: Symbol
    number: Symbol
    own: Symbol  # the values of the variables that only the element has
    terms: Symbol


class _Waiting(NamedTuple):
    """An atom that follows from a rule as soon as the needed atoms hold."""

    head: Symbol
    needed: set[Symbol]


class Reasons:
    """The reasons for an answer set: the rules that gave its atoms, with their values."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        words: Words,
        *,
        best: bool = False,
        required: Symbol | None = None,
    ) -> None:
        """Ground and solve a program.

        With ``best``, an answer set with the lowest cost is used instead of the first one;
        ``required`` has to hold in it. An AnswerSetError says that there is no such answer set.
        """
        self.words = words
        self.program = program
        self._given = choose_facts(facts, program)
        self._facts: dict[str, frozenset[Symbol]] = {}
        self._atoms: dict[Signature, tuple[Symbol, ...]] = {}
        source = FactSource(self._given)
        models = "--models=0" if best else "--models=1"
        with collected_messages(program.statements) as log:
            taking_in = parse_cached(tuple(source.taking_in))
            control = open_control(show_only(program) + taking_in, log, models)
            self._control = control
            supervisor = Supervisor(program)
            supervisor.run(lambda: control.ground([("base", [])], context=source))
            self._true = supervisor.run(lambda: self._solve(required), control.interrupt)
        self.rules = ClauseIndex(program, self._control.get_const)
        # By the atom of the head.
        self._steps = defaultdict[Symbol, list[_TracedStep]](list)
        # By the number of a clause, the place of an aggregate in it, and the values.
        self._counted = defaultdict[tuple[int, int, Symbol], list[_TracedElement]](list)
        self._traced: set[Signature] = set()
        self._chosen: dict[Symbol, Instance | None] = {}
        self._levels: dict[Symbol, int] = {}

    def _solve(self, required: Symbol | None) -> frozenset[int]:
        """Solve, and return the literals of the atoms that hold but are not facts."""
        found: frozenset[int] | None = None
        assumed = [] if required is None else [(required, True)]
        with self._control.solve(assumptions=assumed, yield_=True) as models:
            for model in models:
                atoms = self._control.symbolic_atoms
                literals = [atom.literal for atom in atoms if not atom.is_fact]
                # An atom that nothing derives has the literal 0, whose value means nothing.
                found = frozenset(n for n in literals if n and model.is_true(n))
        if found is None:
            raise AnswerSetError(NONE)
        return found

    def possible(self, signature: Signature) -> list[Symbol]:
        """Return the atoms of a predicate that hold here or may hold in another answer set.

        They are in clingo's order of terms.
        """
        return sorted(atom.symbol for atom in self._by_signature(signature))

    def atoms(self, signature: Signature) -> tuple[Symbol, ...]:
        """Return the atoms of a predicate that hold, in clingo's order of terms."""
        if signature not in self._atoms:
            found = self._by_signature(signature)
            holding = [atom.symbol for atom in found if self._is_true(atom)]
            self._atoms[signature] = tuple(sorted(holding))
        return self._atoms[signature]

    def _by_signature(self, signature: Signature) -> Iterable[SymbolicAtom]:
        name, arity = signature
        bare = name.removeprefix("-")
        return self._control.symbolic_atoms.by_signature(bare, arity, bare == name)

    def holds(self, atom: Symbol) -> bool:
        """Return whether an atom is in the answer set."""
        found = self._control.symbolic_atoms[atom]
        return found is not None and self._is_true(found)

    def _is_true(self, atom: SymbolicAtom) -> bool:
        return atom.is_fact or atom.literal in self._true

    def is_given(self, atom: Symbol) -> bool:
        """Return whether an atom is one of the facts, which need no rule."""
        name = atom.name
        if name not in self._facts:
            self._facts[name] = frozenset(map(to_symbol, self._given.get(name, ())))
        return atom.positive and to_symbol(tuple(atom.arguments)) in self._facts[name]

    def match(self, pattern: Pattern) -> list[Symbol]:
        """Return the atoms that hold and match a pattern, in clingo's order of terms."""
        atoms = self.atoms(pattern.signature)
        for at, value in enumerate(pattern.arguments):
            if value is not None:
                atoms = tuple(atom for atom in atoms if atom.arguments[at] == value)
        return list(atoms)

    def choose(self, atom: Symbol) -> Instance | None:
        """Return the first rule that gives an atom, with its smallest values.

        Rules that would make the atom depend on itself, even indirectly, are skipped. A fact has no
        rule, nor has an atom for which all rules are skipped.
        """
        if atom not in self._chosen:
            steps = self._list_steps(atom)
            well_founded = (step for step in steps if self._is_well_founded(atom, step))
            self._chosen[atom] = next(well_founded, None)
        return self._chosen[atom]

    def count(self, step: Instance, at: int) -> list[Element]:
        """Return what counts in an aggregate, in clingo's order of terms.

        Only the first of equal tuples counts. ``at`` is the index of the aggregate among the
        conditions of the rule, from 0.
        """
        found: dict[Symbol, Element] = {}
        clause = step.clause
        aggregate = clause.parts[at]
        traced = self._counted[clause.number, at, step.row]
        for key, number, own, terms in sorted(traced):
            if key in found:
                continue
            element = aggregate.elements[number.number]
            names = own_names(clause, element.parts)
            values = dict(step.values)
            values.update(zip(names, own.arguments, strict=True))
            found[key] = Element(key, element.parts, values, _read_terms(terms))
        return list(found.values())

    def query(self, rules: Sequence[str], about: Iterable[Signature]) -> list[tuple[int, Symbol]]:
        """Run rules that derive ``row'/2`` on the answer set.

        ``about`` has the predicates in their bodies. The two arguments of each derived atom, a
        number and a row, are returned sorted.
        """
        pairs = [atom.arguments for atom in self._ground(rules, about, (ROW, 2))]
        return sorted((number.number, row) for number, row in pairs)

    def _ground(
        self, rules: Iterable[str], about: Iterable[Signature], *wanted: Signature
    ) -> list[Symbol]:
        """Ground rules about some predicates of the answer set; see `ground`."""
        atoms = {signature: self.atoms(signature) for signature in about}
        return ground(self.program, rules, atoms, *wanted)

    def _trace(self, signature: Signature) -> None:
        """Run the traced rules of all clauses that lead to a predicate."""
        rules: list[str] = []
        about: set[Signature] = set()
        waiting = [signature]
        while waiting:
            lead = waiting.pop()
            if lead in self._traced:
                continue
            self._traced.add(lead)
            for clause in self.rules.giving(lead):
                rules += clause.trace()
                about |= clause.asks
                waiting += clause.leads
        for atom in self._ground(rules, about, ("why'", 4), ("counts'", 7)):
            if atom.name == "why'":
                number, head, row, terms = atom.arguments
                self._steps[head].append(_TracedStep(number.number, row, terms))
            else:
                number, at, row, *element = atom.arguments
                self._counted[number.number, at.number, row].append(_TracedElement(*element))

    def _list_steps(self, atom: Symbol) -> Iterator[Instance]:
        """Yield the rules that give an atom, with values; none for a fact."""
        if self.is_given(atom):
            return
        signature = signature_of(atom)
        if signature not in self._traced:
            self._trace(signature)
        for number, row, terms in sorted(self._steps[atom]):
            clause = self.rules.by_number[number]
            values = dict(zip(clause.names, row.arguments, strict=True))
            yield Instance(clause, values, _read_terms(terms), row)

    def _is_well_founded(self, atom: Symbol, step: Instance) -> bool:
        """Return whether a step that gives an atom does not depend on the atom itself.

        This is the case if each atom in its conditions follows in fewer steps, or cannot depend on
        the atom at all.
        """
        if atom not in self._levels:
            self._set_levels(atom)
        level = self._levels.get(atom, _NEVER)
        for other in _list_required(step):
            if self._levels.get(other, _NEVER) < level:
                continue
            if self._may_depend_on(other, atom):
                return False
        return True

    def _may_depend_on(self, start: Symbol, atom: Symbol) -> bool:
        """Return whether an atom, ``start``, may depend on another through any of its rules."""
        found = {start}
        unread = [start]
        while unread:
            for step in self._list_steps(unread.pop()):
                new = set(_list_required(step)) - found
                if atom in new:
                    return True
                found |= new
                unread += new
        return start == atom

    def _set_levels(self, start: Symbol) -> None:
        """Compute the fewest steps in which each atom that ``start`` may depend on follows."""
        ready: list[tuple[int, Symbol]] = []
        # The steps that wait for an atom, by the atom.
        waiting_for = defaultdict[Symbol, list[_Waiting]](list)
        found = {start}
        unread = [start]
        while unread:
            atom = unread.pop()
            if atom in self._levels or self.is_given(atom):
                ready.append((self._levels.get(atom, 0), atom))
                continue
            for step in self._list_steps(atom):
                needed = set(_list_required(step))
                if not needed:
                    ready.append((1, atom))
                waiting = _Waiting(atom, needed)
                for other in needed:
                    waiting_for[other].append(waiting)
                unread += needed - found
                found |= needed
        heapify(ready)
        done: set[Symbol] = set()
        while ready:
            level, atom = heappop(ready)
            if atom in done:
                continue
            done.add(atom)
            self._levels[atom] = level
            for head, needed in waiting_for[atom]:
                needed.discard(atom)
                if not needed:
                    heappush(ready, (level + 1, head))


def ground(
    program: Program,
    rules: Iterable[str],
    atoms: Mapping[Signature, Sequence[Symbol]],
    *wanted: Signature,
) -> list[Symbol]:
    """Return the atoms of the wanted predicates that rules derive from atoms of an answer set.

    The limits of the program apply.
    """
    source = FactSource({}, atoms, find=PARTIAL.get)
    control = Control(["--warn=none"], logger=lambda *_: None)
    text = "\n".join([*source.taking_in, *rules])
    with SYNTAX, ProgramBuilder(control) as builder:
        parse_string(guard_terms(text), builder.add)
    supervisor = Supervisor(program)
    supervisor.run(lambda: control.ground([("base", [])], context=source))
    found: list[Symbol] = []
    for name, arity in wanted:
        found += [atom.symbol for atom in control.symbolic_atoms.by_signature(name, arity)]
    return found


def read_atom(text: str) -> AtomText | None:
    """Return the pattern and the text of an atom that may have variables.

    There is none if the text is not an atom, or an argument has no value.
    """
    nodes: list[AST] = []
    try:
        parse_string(f":- {text}.", nodes.append, logger=lambda *_: None)
    except RuntimeError:
        return None
    # The first node is a #program statement.
    if len(nodes) != 2:
        return None
    body = nodes[1].body
    if len(body) != 1:
        return None
    maker = _PartMaker(ConstantSetter({}))
    part = maker.make_part(body[0])
    functions = list(functions_in(part.node))
    if part.kind != "atom" or len(functions) != 1:
        return None
    _, function = functions[0]
    (signature,) = part.asks
    values: list[Symbol | None] = []
    for term in map(str, function.arguments):
        if find_names(term):
            values.append(None)
            continue
        try:
            values.append(parse_term(term))
        except RuntimeError:  # 1/0 has no value
            return None
    return AtomText(part.body, Pattern(signature, tuple(values)))


def signature_of(atom: Symbol) -> Signature:
    """Return the predicate of an atom.

    The name begins with a minus for classical negation.
    """
    sign = "" if atom.positive else "-"
    return f"{sign}{atom.name}", len(atom.arguments)


def read_pattern(atom: Symbol) -> Pattern:
    """Return the pattern of an atom of a traced rule.

    A constant stands for open arguments.
    """
    arguments = tuple(None if str(value) == _ANY else value for value in atom.arguments)
    return Pattern(signature_of(atom), arguments)


def write_tuple(terms: Sequence[str]) -> str:
    """Return a tuple as text for clingo."""
    inner = ",".join(terms)
    if len(terms) == 1:
        return f"({inner},)"
    return f"({inner})"


def fill(text: str, values: Values) -> str:
    """Return part of a rule's text with the variables replaced by their values.

    Variables without a value are kept.
    """

    def put(found: re.Match[str]) -> str:
        name = found[0]
        return str(values.get(name, name))

    return _NAME.sub(put, text)


def find_names(text: str) -> tuple[str, ...]:
    """Return the variables in part of a rule's text, each once, in order of appearance.

    Strings are skipped.
    """
    found = dict.fromkeys(_NAME.findall(text))
    return tuple(name for name in found if name[0] != '"')


def find_bound(parts: Sequence[Part], given: Iterable[Binding] = ()) -> set[str]:
    """Return the variables to which conditions and bindings give values."""
    bindings = list(given)
    for part in parts:
        shared = _find_shared(part, parts)
        for names, needed in part.gives:
            bindings.append(Binding(names, needed | (shared - names)))
    bound: set[str] = set()
    before = -1
    while len(bound) > before:
        before = len(bound)
        for names, needed in bindings:
            if needed <= bound:
                bound |= names
    return bound


def _find_shared(part: Part, parts: Sequence[Part]) -> frozenset[str]:
    """Return the variables within an aggregate to which other conditions have to give values."""
    if part.kind != "aggregate":
        return frozenset()
    elsewhere: set[str] = set()
    for other in parts:
        if other is not part:
            elsewhere.update(other.names)
    return frozenset(elsewhere.intersection(find_names(part.text)))


@dataclass(frozen=True, slots=True)
class _HeadAtom:
    """An atom in the head of a rule."""

    sign: str  # a minus for classical negation, or empty
    atom: AST
    conditions: Sequence[AST]  # the conditions of the atom, and the body of the rule

    @property
    def signature(self) -> Signature:
        return self.sign + self.atom.name, len(self.atom.arguments)


class ClauseIndex:
    """The rules of a program by the predicates that they give; clauses are created lazily.

    ``by_number`` has those made so far.
    """

    def __init__(self, program: Program, constant: Callable[[str], Symbol | None]) -> None:
        """Index the rules that clingo runs.

        ``constant`` returns the value of a constant, None if it has none.
        """
        constants: dict[str, AST] = {}
        for name, definition in program.definitions.items():
            value = constant(name)
            if value is not None:
                constants[name] = SymbolicTerm(definition.location, value)
        self._constants = ConstantSetter(constants)
        self._statements = defaultdict[Signature, list[tuple[Statement, str]]](list)
        self._clauses: dict[Signature, list[Clause]] = {}
        self.by_number: list[Clause] = []
        parameter = ""
        is_run = True
        for statement in program.statements:
            node = statement.node
            if statement.kind == ASTType.Program:
                is_run = node.name == "base" and not node.parameters
                parameter = read_parameter(node.location)
            elif is_run and statement.kind == ASTType.Rule:
                for signature in statement.heads:
                    self._statements[signature].append((statement, parameter))

    def giving(self, signature: Signature) -> list[Clause]:
        """Return the rules that give a predicate, in the order of the program."""
        if signature not in self._clauses:
            self._clauses[signature] = list(self._make_clauses(signature))
        return self._clauses[signature]

    def _make_clauses(self, signature: Signature) -> Iterator[Clause]:
        for statement, parameter in self._statements.get(signature, ()):
            for rule in statement.node.unpool():
                for head in _heads(rule):
                    if head.signature != signature:
                        continue
                    clause = self._make_clause(statement, parameter, head)
                    self.by_number.append(clause)
                    yield clause

    def _make_clause(self, statement: Statement, parameter: str, head: _HeadAtom) -> Clause:
        node = statement.node
        maker = _PartMaker(self._constants)
        atom = self._constants.put(head.atom)
        parts = [maker.make_part(literal, node.location) for literal in head.conditions]
        names: list[str] = []
        for term in atom.arguments:
            names += sorted(find_names(str(term)))
        for part in parts:
            names += part.names
        return Clause(
            number=len(self.by_number),
            statement=statement,
            signature=head.signature,
            head=f"{head.sign}{atom}",
            terms=tuple(atom.arguments),
            parts=tuple(parts),
            names=tuple(dict.fromkeys(names)),
            is_chosen=node.head.ast_type != ASTType.Literal,
            parameter=parameter,
        )


def find_asked(parts: Iterable[Part]) -> set[Signature]:
    """Return the predicates in conditions."""
    return set[Signature]().union(*(part.asks for part in parts))


def own_names(clause: Clause, parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the variables that occur in an element of an aggregate but not outside it.

    They are in the order of the conditions.
    """
    names: dict[str, None] = {}
    for part in parts:
        names.update(dict.fromkeys(part.names))
    return tuple(name for name in names if name not in clause.names)


class _PartMaker(Transformer):
    """Makes the parts of a clause, and gives names to what its conditions leave open."""

    def __init__(self, constants: ConstantSetter) -> None:
        self._constants = constants
        self._also: list[str] = []
        self._count = 0

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        if node.name != "_":
            return node
        return self._name(node.location)

    def visit_Interval(self, node: AST) -> AST:  # noqa: N802
        name = self._name(node.location)
        self._also.append(f"{name} = {node}")
        return name

    def _name(self, location: Location) -> AST:
        self._count += 1
        return Variable(location, f"Any{self._count}'")

    def make_part(self, literal: AST, rule: Location | None = None) -> Part:
        """Return the part for a condition.

        A condition at the place of the rule itself was added by lifting.
        """
        node = self._constants.put(literal)
        text = str(node)
        # The part is a comparison unless another kind is found below.
        part = Part(
            node=node,
            kind="comparison",
            text=text,
            body=text,
            asks=frozenset(atoms_in(node)),
            names=find_names(text),
        )
        if node.ast_type == ASTType.ConditionalLiteral:
            return replace(part, kind="all", names=())
        atom = node.atom
        if atom.ast_type in _AGGREGATES:
            return self._make_aggregate(part, atom)
        if atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.NoSign:
            part = replace(part, kind="atom", term=text, is_added=literal.location == rule)
            if _MAY_BE_OPEN.search(text):
                part = self._close(part)
            return part
        if atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.Negation:
            term = _NONE
            if ".." not in text:
                # A constant stands for each open argument.
                term = _OPEN.sub(lambda found: found[1] or _ANY, str(atom))
            return replace(part, kind="absent", term=term)
        if not _has_two_sides(node):
            return part
        if _OPEN_ARGUMENT.search(text):
            part = self._close(part)
        atom = part.node.atom
        (guard,) = atom.guards
        operator, *_ = str(guard).split()
        sides = write_tuple([str(atom.term), str(guard.term)])
        return replace(part, term=sides, operator=operator)

    def _make_aggregate(self, part: Part, atom: AST) -> Part:
        """Return a part as an aggregate, whose variables are those of its guards."""
        names: list[str] = []
        for guard in (atom.left_guard, atom.right_guard):
            if guard:
                names += find_names(str(guard.term))
        elements = tuple(map(self._make_element, atom.elements))
        return replace(part, kind="aggregate", names=tuple(dict.fromkeys(names)), elements=elements)

    def _close(self, part: Part) -> Part:
        """Give names to what an atom leaves open."""
        self._also = []
        node = self.visit(part.node)
        atom = str(node)
        body = "; ".join([atom, *self._also])
        return replace(part, node=node, body=body, term=atom, names=find_names(atom))

    def _make_element(self, element: AST) -> ElementRule:
        if element.ast_type == ASTType.ConditionalLiteral:
            terms = [element.literal]
            literals = [element.literal, *element.condition]
        else:
            terms = element.terms
            literals = element.condition
        return ElementRule(tuple(map(str, terms)), tuple(map(self.make_part, literals)))


def _heads(rule: AST) -> Iterator[_HeadAtom]:
    """Yield the atoms in the head of a rule, each with its conditions."""
    if rule.head.ast_type == ASTType.Literal:
        for sign, atom in functions_in(rule.head):
            yield _HeadAtom(sign, atom, rule.body)
        return
    for element in getattr(rule.head, "elements", ()):
        inner = element
        if element.ast_type == ASTType.HeadAggregateElement:
            inner = element.condition
        conditions = (*inner.condition, *rule.body)
        for sign, atom in functions_in(inner.literal):
            yield _HeadAtom(sign, atom, conditions)


def _has_two_sides(literal: AST) -> bool:
    """Return whether a literal compares two terms, each of which has one value."""
    atom = literal.atom
    if literal.sign or atom.ast_type != ASTType.Comparison or len(atom.guards) != 1:
        return False
    text = str(literal)
    return ".." not in text and ";" not in text


def _gives(literal: AST) -> Iterator[Binding]:
    """Yield the variables to which a condition gives values."""
    if literal.ast_type == ASTType.ConditionalLiteral or literal.sign:
        return
    atom = literal.atom
    if atom.ast_type == ASTType.SymbolicAtom:
        for _, function in functions_in(literal):
            yield Binding(find_solvable(function))
    elif atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        (guard,) = atom.guards
        if guard.comparison == ComparisonOperator.Equal:
            yield bind(atom.term, guard.term)
            yield bind(guard.term, atom.term)
    elif atom.ast_type in _AGGREGATES:
        guard = atom.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            yield Binding(find_solvable(guard.term))


def bind(term: AST, other: AST) -> Binding:
    """Return the binding by which a term gets its value from an equal term."""
    return Binding(find_solvable(term), frozenset(find_names(str(other))))


def find_solvable(term: AST) -> frozenset[str]:
    """Return the variables of a term that clingo can compute from the value of the term."""
    if term.ast_type == ASTType.Function and not term.external:
        return frozenset[str]().union(*map(find_solvable, term.arguments))
    text = str(term)
    names = frozenset(find_names(text))
    if term.ast_type in (ASTType.BinaryOperation, ASTType.UnaryOperation):
        # clingo does not invert division, modulo and operations on bits.
        if len(names) == 1 and set(text).isdisjoint("/\\&?^"):
            return names
    elif term.ast_type == ASTType.Variable:
        return names
    return frozenset()


def _list_required(step: Instance) -> Iterator[Symbol]:
    """Yield the atoms that the conditions of a rule require."""
    for part, term in zip(step.clause.parts, step.terms, strict=True):
        if part.kind == "atom":
            assert term is not None
            yield term


def _read_terms(terms: Symbol) -> Terms:
    return tuple(None if str(term) == _NONE else term for term in terms.arguments)
