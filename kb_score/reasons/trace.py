"""Rules that state their reasons: clingo itself finds the values with which each of them applies.

For the rule

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).

that is the seventh one, the traced rule is

    why'(7,gold(miners,P,hex(R,C),1),(P,R,C),(settlement(P,R,C),beside(R,C,mountain))) :-
        settlement(P,R,C); beside(R,C,mountain).

One more rule for each element of a sum finds what counts in the sum. An answer set is given as
facts, so that a traced rule is about what holds there, whatever was chosen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from clingo import Control, Symbol, SymbolicAtom, parse_term
from clingo.ast import (
    AST,
    ASTType,
    ComparisonOperator,
    Location,
    Sign,
    SymbolicTerm,
    Transformer,
    Variable,
    parse_string,
)

from kb_score.engine.docs import Origin, Words, read_origin, read_parameter
from kb_score.engine.lift import ConstantSetter
from kb_score.engine.program import (
    Program,
    Signature,
    Statement,
    atoms_in,
    collected_messages,
    functions_in,
)
from kb_score.engine.solve import (
    NONE,
    AnswerSetError,
    choose_facts,
    open_control,
    parse_rules,
    show_only,
)
from kb_score.engine.supervisor import Supervisor
from kb_score.engine.terms import Facts, FactSource, to_symbol

# The values of variables, by name.
Values = Mapping[str, Symbol]
# The terms of conditions, or the arguments of an atom; None for those that are open.
Terms = tuple[Symbol | None, ...]

# Stands in a traced rule for a condition that needs no term.
_NONE = "none'"
# Stands in a traced rule for an open argument.
_ANY = "any'"
# The predicate that rules about what holds give.
ROW = "row'"
_AGGREGATES = (ASTType.BodyAggregate, ASTType.Aggregate)
# The level of an atom that follows only from itself.
_NEVER = 2**31
_OPEN = re.compile(r'("(?:\\.|[^"\\])*")|(?<![\w\'])_(?![\w\'])')
_OPEN_ARGUMENT = re.compile(r"(?<![\w'])_(?![\w'])")
_MAY_BE_OPEN = re.compile(rf"{_OPEN_ARGUMENT.pattern}|\.\.")
_NAME = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w\'])_*[A-Z]\w*\'*')


class Binding(NamedTuple):
    """Variables that have values once some others, the needed ones, have values."""

    names: frozenset[str]
    needed: frozenset[str] = frozenset()


class Pattern(NamedTuple):
    """An atom, some of whose arguments may be open."""

    signature: Signature
    arguments: Terms

    def __str__(self) -> str:
        """Write it, with ``_`` for what may be anything."""
        name, _ = self.signature
        if not self.arguments:
            return name
        shown = ["_" if value is None else str(value) for value in self.arguments]
        return f"{name}({','.join(shown)})"


class AtomText(NamedTuple):
    """An atom as clingo takes it, and its pattern."""

    text: str
    pattern: Pattern


class ElementRule(NamedTuple):
    """An element of an aggregate as it stands in the rule: its tuple, and its conditions."""

    terms: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """A condition in the body of a rule."""

    node: AST  # its syntax tree, with constants in place and a name for all that it leaves open
    kind: str  # atom, absent, comparison, aggregate or all
    text: str  # as it stands in the rule, with constants in place
    body: str  # as a traced rule has it
    asks: frozenset[Signature]  # all predicates in it
    names: tuple[str, ...]  # its variables, but for those that are its own
    term: str = _NONE  # its term in a traced rule: an atom, two sides, or nothing
    operator: str = ""  # that of a comparison of two sides
    elements: tuple[ElementRule, ...] = ()  # those of an aggregate
    is_added: bool = False  # whether lifting the rule added it: it does not stand in the file

    @cached_property
    def gives(self) -> tuple[Binding, ...]:
        """Which variables have values by it, once some others have."""
        return tuple(_gives(self.node))

    def fill(self, values: Values) -> str:
        """Write it with the values of its variables."""
        return fill(self.text, values)


@dataclass(frozen=True, eq=False)
class Clause:
    """A rule as one of the atoms of its head sees it."""

    number: int
    statement: Statement  # the rule
    signature: Signature  # the predicate that it gives
    head: str  # the atom of the head, as clingo takes it
    terms: tuple[AST, ...]  # its arguments
    parts: tuple[Part, ...]  # the conditions, those of a chosen element of the head included
    names: tuple[str, ...]  # its variables
    is_chosen: bool  # whether the head leaves the choice
    parameter: str  # what the file calls the turn that the rule is about; empty for none

    @cached_property
    def origin(self) -> Origin:
        """Where the rule stands, and how."""
        return read_origin(self.statement.node.location)

    @property
    def asks(self) -> set[Signature]:
        """The predicates that its traced rules ask about."""
        asked = find_asked(self.parts)
        if self.is_chosen:
            asked.add(self.signature)
        return asked

    @property
    def leads(self) -> set[Signature]:
        """The predicates whose atoms it may rest on."""
        return find_asked(part for part in self.parts if part.kind in ("atom", "aggregate"))

    def trace(self) -> Iterator[str]:
        """Yield the rules that find with which values it applies, and what its sums count."""
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
                names = own_names(self, element.parts)
                own = write_tuple(names)
                inner_terms = [inner.term for inner in element.parts]
                atoms = write_tuple(inner_terms)
                head = f"counts'({self.number},{at},{row},{key},{number},{own},{atoms})"
                conditions = [inner.body for inner in element.parts]
                body = "; ".join([applies, *conditions])
                yield f"{head} :- {body}."


class Instance(NamedTuple):
    """A rule with values: those of its variables, and the terms of its conditions."""

    clause: Clause
    values: Values
    terms: Terms
    row: Symbol  # the values as a tuple of clingo's


class Element(NamedTuple):
    """A tuple that counts in an aggregate, and the conditions for it, with values."""

    key: Symbol
    parts: tuple[Part, ...]
    values: Values
    terms: Terms


class _TracedStep(NamedTuple):
    """An `Instance` as a traced rule finds it: the clause is given by its number."""

    number: int
    row: Symbol
    terms: Symbol


class _TracedElement(NamedTuple):
    """An `Element` as a traced rule finds it: its parts are given by the element's number."""

    key: Symbol
    number: Symbol
    own: Symbol  # the values of the variables that only the element has
    terms: Symbol


class _Waiting(NamedTuple):
    """An atom that follows by a rule as soon as the needed atoms hold."""

    head: Symbol
    needed: set[Symbol]


class Reasons:
    """The reasons of an answer set: which rules gave its atoms, with which values."""

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

        Args:
            program: The rules.
            facts: The facts that the rules are about.
            words: The meanings of predicates.
            best: Whether to take an answer set of the lowest cost, instead of the first one.
            required: An atom that has to hold; None for any answer set.

        Raises:
            AnswerSetError: There is no such answer set.
            LimitError: Grounding or solving was stopped at a limit.
        """
        self.words = words
        self.program = program
        self._given = choose_facts(facts, program)
        self._facts: dict[str, frozenset[Symbol]] = {}
        self._atoms: dict[Signature, tuple[Symbol, ...]] = {}
        source = FactSource(self._given)
        models = "--models=0" if best else "--models=1"
        with collected_messages() as log:
            taking_in = parse_rules(tuple(source.taking_in))
            shown = show_only(program)
            control = open_control(shown + taking_in, log, models)
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
        """Solve, and return the literals of the atoms that hold although they are no facts."""
        found: frozenset[int] | None = None
        assumed = [] if required is None else [(required, True)]
        with self._control.solve(assumptions=assumed, yield_=True) as models:
            for model in models:
                atoms = self._control.symbolic_atoms
                literals = [atom.literal for atom in atoms if not atom.is_fact]
                # The literal of an atom that nothing derives is 0: a model says anything of it.
                found = frozenset(n for n in literals if n and model.is_true(n))
        if found is None:
            raise AnswerSetError(NONE)
        return found

    def possible(self, signature: Signature) -> list[Symbol]:
        """List the atoms of a predicate that hold, or that some other choice might bring about."""
        return sorted(atom.symbol for atom in self._by_signature(signature))

    def atoms(self, signature: Signature) -> tuple[Symbol, ...]:
        """List the atoms of a predicate that hold, in clingo's order of terms."""
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
        """Return whether an atom is one of the facts, and so follows from no rule."""
        if atom.name not in self._facts:
            rows = self._given.get(atom.name, ())
            self._facts[atom.name] = frozenset(map(to_symbol, rows))
        row = to_symbol(tuple(atom.arguments))
        return atom.positive and row in self._facts[atom.name]

    def match(self, pattern: Pattern) -> list[Symbol]:
        """List the atoms that hold and have the arguments of a pattern."""
        atoms = self.atoms(pattern.signature)
        for at, value in enumerate(pattern.arguments):
            if value is not None:
                atoms = tuple(atom for atom in atoms if atom.arguments[at] == value)
        return list(atoms)

    def choose(self, atom: Symbol) -> Instance | None:
        """Find the first rule that gives an atom, with its least values; None for a fact.

        A rule counts if it does not rest on the atom itself, not even by way of others.
        """
        if atom in self._chosen:
            return self._chosen[atom]
        steps = self._list_steps(atom)
        chosen = next((step for step in steps if self._leads_down(atom, step)), None)
        self._chosen[atom] = chosen
        return chosen

    def count(self, step: Instance, at: int) -> list[Element]:
        """List what counts in the aggregate at a place of a rule, in clingo's order of terms."""
        found: dict[Symbol, Element] = {}
        clause = step.clause
        traced = self._counted[clause.number, at, step.row]
        for key, number, own, terms in sorted(traced):
            if key in found:
                continue
            parts = clause.parts[at].elements[number.number].parts
            names = own_names(clause, parts)
            values = dict(step.values)
            values.update(zip(names, own.arguments, strict=True))
            found[key] = Element(key, parts, values, _read_terms(terms))
        return list(found.values())

    def query(self, rules: Sequence[str], about: Iterable[Signature]) -> list[tuple[int, Symbol]]:
        """Ask rules for ``row'/2`` about some predicates: list their numbers and rows, sorted."""
        found = self._ground(rules, about, (ROW, 2))
        rows = [atom.arguments for atom in found]
        return sorted((number.number, row) for number, row in rows)

    def _ground(
        self, rules: Iterable[str], about: Iterable[Signature], *wanted: Signature
    ) -> list[Symbol]:
        """Ground rules about some predicates of the answer set; see `ground`."""
        atoms = {signature: self.atoms(signature) for signature in about}
        return ground(self.program, rules, atoms, *wanted)

    def _trace(self, signature: Signature) -> None:
        """Run the traced rules of all clauses that lead to a predicate."""
        rules = list[str]()
        about = set[Signature]()
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
                step = _TracedStep(number.number, row, terms)
                self._steps[head].append(step)
            else:
                number, at, row, *element = atom.arguments
                elements = self._counted[number.number, at.number, row]
                elements.append(_TracedElement(*element))

    def _list_steps(self, atom: Symbol) -> Iterator[Instance]:
        """Yield the rules that give an atom, with values."""
        if self.is_given(atom):
            return
        signature = signature_of(atom)
        if signature not in self._traced:
            self._trace(signature)
        for number, row, terms in sorted(self._steps[atom]):
            clause = self.rules.by_number[number]
            values = dict(zip(clause.names, row.arguments, strict=True))
            yield Instance(clause, values, _read_terms(terms), row)

    def _leads_down(self, atom: Symbol, step: Instance) -> bool:
        """Return whether an atom does not come back in what a step rests on.

        All of that follows in fewer steps, or does not rest on the atom at all.
        """
        if atom not in self._levels:
            self._set_levels(atom)
        level = self._levels.get(atom, _NEVER)
        for other in _rests_on(step):
            if self._levels.get(other, _NEVER) >= level and self._may_rest_on(other, atom):
                return False
        return True

    def _may_rest_on(self, start: Symbol, atom: Symbol) -> bool:
        """Return whether an atom may rest on another one, by any of its rules."""
        found = {start}
        unread = [start]
        while unread:
            for step in self._list_steps(unread.pop()):
                new = set(_rests_on(step)) - found
                if atom in new:
                    return True
                found |= new
                unread += new
        return start == atom

    def _set_levels(self, start: Symbol) -> None:
        """Find in how few steps each atom follows, of those that an atom may rest on."""
        ready: list[tuple[int, Symbol]] = []
        # By an atom: the steps that wait for it.
        waiting_for = defaultdict[Symbol, list[_Waiting]](list)
        found = {start}
        unread = [start]
        while unread:
            atom = unread.pop()
            if atom in self._levels or self.is_given(atom):
                ready.append((self._levels.get(atom, 0), atom))
                continue
            for step in self._list_steps(atom):
                needed = set(_rests_on(step))
                if not needed:
                    ready.append((1, atom))
                for other in needed:
                    waiting_for[other].append(_Waiting(atom, needed))
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
    """Ground rules about atoms of a program's answer set, within the limits of the program.

    Returns:
        The atoms of the wanted predicates.

    Raises:
        LimitError: Grounding was stopped at a limit.
    """
    source = FactSource({}, atoms)
    control = Control(["--warn=none"], logger=lambda *_: None)
    control.add("base", [], "\n".join([*source.taking_in, *rules]))
    Supervisor(program).run(lambda: control.ground([("base", [])], context=source))
    found = list[Symbol]()
    for name, arity in wanted:
        found += [atom.symbol for atom in control.symbolic_atoms.by_signature(name, arity)]
    return found


def read_atom(text: str) -> AtomText | None:
    """Read an atom that may have variables; None if it is no atom, or an argument has no value."""
    nodes: list[AST] = []
    try:
        parse_string(f":- {text}.", nodes.append, logger=lambda *_: None)
    except RuntimeError:
        return None
    # The first node is a #program statement.
    if len(nodes) != 2 or len(nodes[1].body) != 1:
        return None
    part = _PartMaker(ConstantSetter({})).make_part(nodes[1].body[0])
    functions = list(functions_in(part.node))
    if part.kind != "atom" or len(functions) != 1:
        return None
    _, function = functions[0]
    (signature,) = part.asks
    values = list[Symbol | None]()
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
    """Return the predicate of an atom; that of classical negation begins with a minus."""
    name = atom.name if atom.positive else f"-{atom.name}"
    return name, len(atom.arguments)


def read_pattern(atom: Symbol) -> Pattern:
    """Read an atom of a traced rule, in which some arguments may be open."""
    arguments = (None if str(value) == _ANY else value for value in atom.arguments)
    return Pattern(signature_of(atom), tuple(arguments))


def write_tuple(terms: Sequence[str]) -> str:
    """Write terms as a tuple for clingo."""
    inner = ",".join(terms)
    return f"({inner},)" if len(terms) == 1 else f"({inner})"


def fill(text: str, values: Values) -> str:
    """Replace the variables in a text of a rule by their values."""

    def put(found: re.Match[str]) -> str:
        return str(values.get(found[0], found[0]))

    return _NAME.sub(put, text)


def find_names(text: str) -> tuple[str, ...]:
    """List the variables in a text of a rule, each once."""
    return tuple(name for name in dict.fromkeys(_NAME.findall(text)) if name[0] != '"')


def find_bound(parts: Sequence[Part], given: Iterable[Binding] = ()) -> set[str]:
    """Find the variables to which some conditions and some bindings give values."""
    bindings = list(given)
    for part in parts:
        shared = _find_shared(part, parts)
        for names, needed in part.gives:
            bindings.append(Binding(names, needed | (shared - names)))
    bound = set[str]()
    before = -1
    while len(bound) > before:
        before = len(bound)
        for names, needed in bindings:
            if needed <= bound:
                bound |= names
    return bound


def _find_shared(part: Part, parts: Sequence[Part]) -> frozenset[str]:
    """Find the variables within an aggregate to which other conditions have to give values."""
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
    conditions: Sequence[AST]  # those of the atom, and the body of the rule

    @property
    def signature(self) -> Signature:
        return self.sign + self.atom.name, len(self.atom.arguments)


class ClauseIndex:
    """The rules of a program by what they give, taken apart when they are needed."""

    def __init__(self, program: Program, constant: Callable[[str], Symbol | None]) -> None:
        """Index the rules as they are run; ``constant`` finds the value of a constant."""
        constants: dict[str, AST] = {}
        for name, definition in program.find_constants().items():
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
        """List the rules that give a predicate, in the order of the program."""
        if signature not in self._clauses:
            self._clauses[signature] = list(self._make_clauses(signature))
        return self._clauses[signature]

    def _make_clauses(self, signature: Signature) -> Iterator[Clause]:
        for statement, parameter in self._statements.get(signature, ()):
            for rule in statement.node.unpool():
                for head in _heads(rule):
                    if head.signature == signature:
                        clause = self._make_clause(statement, parameter, head)
                        self.by_number.append(clause)
                        yield clause

    def _make_clause(self, statement: Statement, parameter: str, head: _HeadAtom) -> Clause:
        node = statement.node
        maker = _PartMaker(self._constants)
        atom = self._constants.put(head.atom)
        parts = tuple(maker.make_part(literal, node.location) for literal in head.conditions)
        names = list[str]()
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
            parts=parts,
            names=tuple(dict.fromkeys(names)),
            is_chosen=node.head.ast_type != ASTType.Literal,
            parameter=parameter,
        )


def find_asked(parts: Iterable[Part]) -> set[Signature]:
    """Find the predicates in some conditions."""
    asked = set[Signature]()
    for part in parts:
        asked |= part.asks
    return asked


def own_names(clause: Clause, parts: Iterable[Part]) -> tuple[str, ...]:
    """List the variables that only the conditions of an element have, in their order."""
    names = dict[str, None]()
    for part in parts:
        names.update(dict.fromkeys(part.names))
    return tuple(name for name in names if name not in clause.names)


class _PartMaker(Transformer):
    """Makes the parts of a clause, and names what its conditions leave open."""

    def __init__(self, constants: ConstantSetter) -> None:
        self._constants = constants
        self._also: list[str] = []
        self._count = 0

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        return self._name(node.location) if node.name == "_" else node

    def visit_Interval(self, node: AST) -> AST:  # noqa: N802
        name = self._name(node.location)
        self._also.append(f"{name} = {node}")
        return name

    def _name(self, location: Location) -> AST:
        self._count += 1
        return Variable(location, f"Any{self._count}'")

    def make_part(self, literal: AST, rule: Location | None = None) -> Part:
        """Make the part for a condition; one at the place of the rule was added by lifting."""
        node = self._constants.put(literal)
        text = str(node)
        # It is a comparison, unless it turns out below to be of another kind.
        part = Part(
            node=node,
            kind="comparison",
            text=text,
            body=text,
            asks=frozenset(signature for signature, _ in atoms_in(node)),
            names=find_names(text),
        )
        if node.ast_type == ASTType.ConditionalLiteral:
            return replace(part, kind="all", names=())
        atom = node.atom
        if atom.ast_type in _AGGREGATES:
            guards = [str(guard.term) for guard in (atom.left_guard, atom.right_guard) if guard]
            return replace(
                part,
                kind="aggregate",
                names=find_names(" ".join(guards)),
                elements=tuple(map(self._make_element, atom.elements)),
            )
        if atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.NoSign:
            part = replace(part, kind="atom", term=text, is_added=literal.location == rule)
            return self._close(part) if _MAY_BE_OPEN.search(text) else part
        if atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.Negation:
            # An open argument is a constant there.
            term = _OPEN.sub(lambda found: found[1] or _ANY, str(atom))
            return replace(part, kind="absent", term=_NONE if ".." in text else term)
        if not _has_two_sides(node):
            return part
        if _OPEN_ARGUMENT.search(text):
            part = self._close(part)
        atom = part.node.atom
        (guard,) = atom.guards
        operator, *_ = str(guard).split()
        sides = write_tuple([str(atom.term), str(guard.term)])
        return replace(part, term=sides, operator=operator)

    def _close(self, part: Part) -> Part:
        """Name what an atom leaves open."""
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
        parts = tuple(map(self.make_part, literals))
        return ElementRule(tuple(map(str, terms)), parts)


def _heads(rule: AST) -> Iterator[_HeadAtom]:
    """Yield the atoms in the head of a rule, each with its conditions."""
    if rule.head.ast_type == ASTType.Literal:
        for sign, atom in functions_in(rule.head):
            yield _HeadAtom(sign, atom, rule.body)
        return
    for element in getattr(rule.head, "elements", ()):
        is_sum = element.ast_type == ASTType.HeadAggregateElement
        inner = element.condition if is_sum else element
        for sign, atom in functions_in(inner.literal):
            yield _HeadAtom(sign, atom, (*inner.condition, *rule.body))


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
    """Return the variables of a term that have values if it equals another one, which has one."""
    return Binding(find_solvable(term), frozenset(find_names(str(other))))


def find_solvable(term: AST) -> frozenset[str]:
    """Find the variables of a term that have values if the term has one."""
    if term.ast_type == ASTType.Function and not term.external:
        return frozenset[str]().union(*map(find_solvable, term.arguments))
    text = str(term)
    names = frozenset(find_names(text))
    if term.ast_type in (ASTType.BinaryOperation, ASTType.UnaryOperation):
        # clingo divides nothing backwards.
        is_solvable = len(names) == 1 and set(text).isdisjoint("/\\&?^")
    else:
        is_solvable = term.ast_type == ASTType.Variable
    return names if is_solvable else frozenset()


def _rests_on(step: Instance) -> Iterator[Symbol]:
    """Yield the atoms that the conditions of a rule ask for."""
    for part, term in zip(step.clause.parts, step.terms, strict=True):
        if part.kind == "atom":
            assert term is not None
            yield term


def _read_terms(terms: Symbol) -> Terms:
    return tuple(None if str(term) == _NONE else term for term in terms.arguments)
