"""Rules that say their reasons: clingo itself tells with which values each of them applies.

For the rule

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).

that stands seventh, the traced rule is

    why'(7,gold(miners,P,hex(R,C),1),(P,R,C),(settlement(P,R,C),beside(R,C,mountain))) :-
        settlement(P,R,C); beside(R,C,mountain).

What counts in a sum is said by one more rule for each of its elements. An answer set comes in as
facts, so that a traced rule speaks of what holds there, whatever was chosen.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, count
from typing import Any, NamedTuple

from clingo import Control, Symbol, parse_term
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
from kb_score.engine.program import Program, Signature, Statement, collected_messages, functions_in
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

Constant = Callable[[str], Symbol | None]
# The values of variables, by name.
Values = Mapping[str, Symbol]
# Variables that have values once some others have.
Give = tuple[frozenset[str], frozenset[str]]
# An atom some of whose arguments may be anything.
Pattern = tuple[Signature, tuple[Symbol | None, ...]]

# What stands in a traced rule for a condition that needs no term, and for an open argument.
_NONE, _ANY = "none'", "any'"
# The predicate that rules about what holds give.
ROW = "row'"
_LOCAL = (ASTType.BodyAggregate, ASTType.Aggregate)
# The level of what follows only from itself.
_NEVER = 2**31
_OPEN = re.compile(r'("(?:\\.|[^"\\])*")|(?<![\w\'])_(?![\w\'])')
_MAY_BE_OPEN = re.compile(r"(?<![\w'])_(?![\w'])|\.\.")
_NAME = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w\'])_*[A-Z]\w*\'*')


@dataclass(frozen=True, eq=False)
class Part:
    """A condition in the body of a rule."""

    node: AST  # its syntax tree, with constants in place and a name for all that it leaves open
    kind: str  # atom, absent, comparison, aggregate or all
    text: str  # as it stands in the rule, with constants in place
    body: str  # as a traced rule has it
    term: str  # what a traced rule says of it: an atom, two sides, or nothing
    operator: str  # that of a comparison of two sides
    signature: Signature  # the predicate of kinds atom and absent
    asks: frozenset[Signature]  # all predicates in it
    names: tuple[str, ...]  # its variables, but for those that are its own
    elements: tuple[tuple[tuple[str, ...], tuple[Part, ...]], ...]  # terms, and conditions
    is_added: bool  # whether lifting the rule added it: it does not stand in the file

    @cached_property
    def gives(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
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
    def asks(self) -> frozenset[Signature]:
        """The predicates that its traced rules ask about."""
        asked = frozenset(signature for part in self.parts for signature in part.asks)
        return asked | {self.signature} if self.is_chosen else asked

    @property
    def leads(self) -> frozenset[Signature]:
        """The predicates whose atoms it may rest on."""
        kinds = "atom", "aggregate"
        return frozenset(s for part in self.parts if part.kind in kinds for s in part.asks)

    def trace(self) -> Iterator[str]:
        """Yield the rules that say with which values it applies, and what its sums count."""
        body = [part.body for part in self.parts] + [self.head] * self.is_chosen
        shown = f"{write_tuple(self.names)},{write_tuple([part.term for part in self.parts])}"
        yield f"why'({self.number},{self.head},{shown}) :- {'; '.join(body) or '#true'}."
        for at, part in enumerate(self.parts):
            for number, (terms, parts) in enumerate(part.elements):
                own, atoms = own_names(self, parts), [inner.term for inner in parts]
                row = write_tuple(self.names)
                said = ",".join(
                    [row, write_tuple(terms), f"{number}", *map(write_tuple, (own, atoms))]
                )
                conditions = [f"why'({self.number},_,{row},_)", *(inner.body for inner in parts)]
                yield f"counts'({self.number},{at},{said}) :- {'; '.join(conditions)}."


class Instance(NamedTuple):
    """A rule with values: those of its variables, and what its conditions say."""

    clause: Clause
    values: Values
    terms: tuple[Symbol | None, ...]
    row: Symbol  # the values once more


class Element(NamedTuple):
    """What counts in an aggregate: its tuple, and the conditions for it, with values."""

    key: Symbol
    parts: tuple[Part, ...]
    values: Values
    terms: tuple[Symbol | None, ...]


class Reasons:
    """An answer set, with the rules that gave it, to be asked for reasons."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        words: Words,
        *,
        best: bool = False,
        required: Symbol | None = None,
    ) -> None:
        """Ground and solve; the first answer set that clingo gives counts, or a best one."""
        self.words = words
        self.program = program
        self._given = choose_facts(facts, program)
        self._facts: dict[str, frozenset[Symbol]] = {}
        self._atoms: dict[Signature, tuple[Symbol, ...]] = {}
        source = FactSource(self._given)
        models = f"--models={0 if best else 1}"
        with collected_messages() as log:
            taking_in = parse_rules(tuple(source.taking_in))
            self._control = open_control(show_only(program) + taking_in, log, models)
            supervisor = Supervisor(program)
            supervisor.run(lambda: self._control.ground([("base", [])], context=source))
            solve = partial(_solve, self._control, required)
            self._true = supervisor.run(solve, self._control.interrupt)
        self.rules = ClauseIndex(program, self._control.get_const)
        self._steps: defaultdict[Symbol, list[tuple[int, Symbol, Symbol]]] = defaultdict(list)
        self._counted: defaultdict[tuple[int, int, Symbol], list[tuple[Symbol, ...]]]
        self._counted = defaultdict(list)
        self._traced: set[Signature] = set()
        self._chosen: dict[Symbol, Instance | None] = {}
        self._levels: dict[Symbol, int] = {}
        self._rings: dict[Symbol, int] = {}

    def possible(self, signature: Signature) -> list[Symbol]:
        """List the atoms of a predicate that hold, or that some other choice might bring about."""
        return sorted(atom.symbol for atom in self._by_signature(signature))

    def atoms(self, signature: Signature) -> tuple[Symbol, ...]:
        """List the atoms of a predicate that hold, in clingo's order of terms."""
        if signature not in self._atoms:
            found = self._by_signature(signature)
            holding = (a.symbol for a in found if a.is_fact or a.literal in self._true)
            self._atoms[signature] = tuple(sorted(holding))
        return self._atoms[signature]

    def _by_signature(self, signature: Signature) -> Iterable[Any]:
        name, arity = signature
        bare = name.removeprefix("-")
        return self._control.symbolic_atoms.by_signature(bare, arity, bare == name)

    def holds(self, atom: Symbol) -> bool:
        """Whether an atom is in the answer set."""
        found = self._control.symbolic_atoms[atom]
        return found is not None and (found.is_fact or found.literal in self._true)

    def is_given(self, atom: Symbol) -> bool:
        """Whether an atom is one of the facts, and so follows from no rule."""
        if atom.name not in self._facts:
            rows = self._given.get(atom.name, ())
            self._facts[atom.name] = frozenset(map(to_symbol, rows))
        row = to_symbol(tuple(atom.arguments))
        return atom.positive and row in self._facts[atom.name]

    def match(self, pattern: Pattern) -> list[Symbol]:
        """List the atoms that hold and have the arguments of a pattern."""
        signature, arguments = pattern
        known = [(at, value) for at, value in enumerate(arguments) if value is not None]
        atoms = self.atoms(signature)
        return [atom for atom in atoms if all(atom.arguments[at] == value for at, value in known)]

    def choose(self, atom: Symbol) -> Instance | None:
        """Find the first rule that gives an atom, with its least values; None for a fact.

        A rule counts if what it rests on can be had without the atom itself.
        """
        if atom not in self._chosen:
            steps = self._list_steps(atom)
            self._chosen[atom] = next((s for s in steps if self._leads_down(atom, s)), None)
        return self._chosen[atom]

    def count(self, step: Instance, at: int) -> list[Element]:
        """List what counts in the aggregate at a place of a rule, in clingo's order of terms."""
        found: dict[Symbol, Element] = {}
        part = step.clause.parts[at]
        for key, number, own, terms in sorted(self._counted[step.clause.number, at, step.row]):
            if key not in found:
                parts = part.elements[number.number][1]
                named = zip(own_names(step.clause, parts), own.arguments, strict=True)
                values = {**step.values, **dict(named)}
                found[key] = Element(key, parts, values, _read_terms(terms))
        return list(found.values())

    def query(self, rules: Sequence[str], about: Iterable[Signature]) -> list[tuple[int, Symbol]]:
        """Ask rules for ``row'/2`` about some predicates: list their numbers and rows, sorted."""
        atoms = {signature: self.atoms(signature) for signature in about}
        found = ground(self.program, rules, atoms, (ROW, 2))
        return sorted((a.arguments[0].number, a.arguments[1]) for a in found)

    def _trace(self, signature: Signature) -> None:
        """Let the rules say their reasons that lead to a predicate."""
        clauses, open_ = list[Clause](), [signature]
        while open_:
            if (one := open_.pop()) not in self._traced:
                self._traced.add(one)
                clauses += self.rules.giving(one)
                open_ += [lead for clause in self.rules.giving(one) for lead in clause.leads]
        rules = [rule for clause in clauses for rule in clause.trace()]
        about = {asked for clause in clauses for asked in clause.asks}
        atoms = {s: self.atoms(s) for s in about}
        for atom in ground(self.program, rules, atoms, ("why'", 4), ("counts'", 7)):
            number, *said = atom.arguments
            if atom.name == "why'":
                head, row, terms = said
                self._steps[head].append((number.number, row, terms))
            else:
                at, row, *element = said
                self._counted[number.number, at.number, row].append(tuple(element))

    def _list_steps(self, atom: Symbol) -> Iterator[Instance]:
        if self.is_given(atom):
            return
        if (signature := signature_of(atom)) not in self._traced:
            self._trace(signature)
        clauses = {clause.number: clause for clause in self.rules.giving(signature)}
        for number, row, terms in sorted(self._steps[atom]):
            clause = clauses[number]
            values = dict(zip(clause.names, row.arguments, strict=True))
            yield Instance(clause, values, _read_terms(terms), row)

    def _leads_down(self, atom: Symbol, step: Instance) -> bool:
        if atom not in self._rings:
            self._find_rings(atom)
        ring, level = self._rings[atom], self._levels.get(atom, _NEVER)
        others = (other for other in _rests_on(step) if self._rings[other] == ring)
        return all(self._levels.get(other, _NEVER) < level for other in others)

    def _find_rings(self, start: Symbol) -> None:
        """Find which atoms rest on each other, from one down, by Tarjan's algorithm."""
        order, low, stack = dict[Symbol, int](), dict[Symbol, int](), list[Symbol]()
        open_: list[tuple[Symbol, Iterator[Symbol]]] = []
        entering: Symbol | None = start
        while entering is not None or open_:
            if entering is not None:
                order[entering] = low[entering] = len(order)
                stack.append(entering)
                resting = map(_rests_on, self._list_steps(entering))
                open_.append((entering, chain.from_iterable(resting)))
            atom, others = open_[-1]
            entering = None
            other = next((o for o in others if o not in self._rings), None)
            if other is not None and other not in order:
                entering = other
            elif other is not None:
                low[atom] = min(low[atom], order[other])
            else:
                open_.pop()
                if open_:
                    above = open_[-1][0]
                    low[above] = min(low[above], low[atom])
                if low[atom] == order[atom]:
                    at = len(stack) - 1 - stack[::-1].index(atom)
                    self._set_levels(stack[at:])
                    del stack[at:]

    def _set_levels(self, ring: Sequence[Symbol]) -> None:
        """Let each atom of a ring follow as early as it can: count what its rules wait for."""
        number = len(self._rings)
        self._rings.update(dict.fromkeys(ring, number))
        asking, waiting = defaultdict[Symbol, list[int]](list), list[tuple[Symbol, set[Symbol]]]()
        for atom in ring:
            for step in self._list_steps(atom):
                needed = {other for other in _rests_on(step) if self._rings[other] == number}
                for other in needed:
                    asking[other].append(len(waiting))
                waiting.append((atom, needed))
        ready, level = [atom for atom, needed in waiting if not needed], 0
        while ready:
            now = [atom for atom in dict.fromkeys(ready) if atom not in self._levels]
            self._levels.update(dict.fromkeys(now, level))
            ready, level = [], level + 1
            for atom in now:
                for at in asking[atom]:
                    head, needed = waiting[at]
                    needed.discard(atom)
                    if not needed:
                        ready.append(head)


def _solve(control: Control, required: Symbol | None) -> frozenset[int]:
    """Solve, and return the literals of the atoms that hold although they are no facts."""
    true: frozenset[int] | None = None
    assumed = [] if required is None else [(required, True)]
    with control.solve(assumptions=assumed, yield_=True) as models:
        for model in models:
            # An atom that nothing derives has 0 for a literal, of which a model says anything.
            open_ = (a.literal for a in control.symbolic_atoms if not a.is_fact and a.literal)
            true = frozenset(literal for literal in open_ if model.is_true(literal))
    if true is None:
        raise AnswerSetError(NONE)
    return true


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
    found = control.symbolic_atoms
    return [atom.symbol for name, arity in wanted for atom in found.by_signature(name, arity)]


def read_atom(text: str) -> tuple[str, Pattern] | None:
    """Read an atom that may have variables: as clingo takes it, and its pattern; None if none."""
    nodes: list[AST] = []
    try:
        parse_string(f":- {text}.", nodes.append, logger=lambda *_: None)
        part = _Naming(ConstantSetter({})).make_part(nodes[-1].body[0])
    except (RuntimeError, AttributeError, IndexError):
        return None
    functions = [function for _, function in functions_in(nodes[-1])]
    if len(nodes) > 2 or len(nodes[-1].body) > 1 or part.kind != "atom" or len(functions) != 1:
        return None
    named = _Naming(ConstantSetter({})).visit(functions[0])
    try:
        values = [None if find_names(a) else parse_term(a) for a in map(str, named.arguments)]
    except RuntimeError:  # 1/0 has no value
        return None
    return part.body, (part.signature, tuple(values))


def signature_of(atom: Symbol) -> Signature:
    """Name the predicate of an atom; that of classical negation begins with a minus."""
    return (atom.name if atom.positive else f"-{atom.name}"), len(atom.arguments)


def read_pattern(atom: Symbol) -> Pattern:
    """Read an atom of a traced rule, in which some arguments may be open."""
    arguments = (None if str(value) == _ANY else value for value in atom.arguments)
    return signature_of(atom), tuple(arguments)


def write_pattern(pattern: Pattern) -> str:
    """Write an atom, with ``_`` for what may be anything."""
    (name, _), arguments = pattern
    shown = ",".join("_" if value is None else str(value) for value in arguments)
    return f"{name}({shown})" if arguments else name


def write_tuple(terms: Sequence[str]) -> str:
    """Write terms as a tuple for clingo."""
    return f"({','.join(terms)}{',' * (len(terms) == 1)})"


def fill(text: str, values: Values) -> str:
    """Put values in the places of the variables of a text."""
    return _NAME.sub(lambda found: str(values.get(found[0], found[0])), text)


def find_names(text: str) -> tuple[str, ...]:
    """Find the variables in a text of a rule."""
    return tuple(name for name in dict.fromkeys(_NAME.findall(text)) if name[0] != '"')


def find_bound(parts: Iterable[Part], given: Iterable[Give] = ()) -> set[str]:
    """Find the variables that have values once some conditions count, and what else gives any."""
    bound, gives = set[str](), [*given, *(give for part in parts for give in part.gives)]
    before = -1
    while len(bound) > before:
        before = len(bound)
        for names, needed in gives:
            if needed <= bound:
                bound |= names
    return bound


class ClauseIndex:
    """The rules of a program, taken apart when somebody asks about what they give."""

    def __init__(self, program: Program, constant: Constant) -> None:
        """Take the rules as they are run, and what finds the value of a constant."""
        found = program.find_constants().items()
        values = ((name, node.location, constant(name)) for name, node in found)
        self._constants = ConstantSetter(
            {name: SymbolicTerm(where, value) for name, where, value in values if value}
        )
        self._statements = defaultdict[Signature, list[tuple[Statement, str]]](list)
        self._clauses: dict[Signature, list[Clause]] = {}
        self._numbers = count()
        parameter, is_run = "", True
        for statement in program.statements:
            node = statement.node
            if node.ast_type == ASTType.Program:
                is_run = node.name == "base" and not node.parameters
                parameter = read_parameter(node.location)
            elif is_run and node.ast_type == ASTType.Rule:
                for signature in statement.heads:
                    self._statements[signature].append((statement, parameter))

    def giving(self, signature: Signature) -> list[Clause]:
        """List the rules that give a predicate, in the order of the program."""
        if signature not in self._clauses:
            self._clauses[signature] = [
                _make_clause(next(self._numbers), statement, head, body, self._constants, parameter)
                for statement, parameter in self._statements.get(signature, ())
                for rule in statement.node.unpool()
                for head, body in _heads(rule)
                if (head[0] + head[1].name, len(head[1].arguments)) == signature
            ]
        return self._clauses[signature]


def _make_clause(
    number: int, statement: Statement, head: tuple[str, AST], body: Sequence[AST],
    constants: ConstantSetter, parameter: str,
) -> Clause:  # fmt: skip
    node, (sign, atom) = statement.node, head
    naming, atom = _Naming(constants), constants.put(atom)
    parts = tuple(naming.make_part(literal, node.location) for literal in body)
    names = [name for term in atom.arguments for name in sorted(find_names(str(term)))]
    names += [name for part in parts for name in part.names]
    return Clause(
        number, statement, (sign + atom.name, len(atom.arguments)), f"{sign}{atom}",
        tuple(atom.arguments), parts, tuple(dict.fromkeys(names)),
        node.head.ast_type != ASTType.Literal, parameter,
    )  # fmt: skip


def own_names(clause: Clause, parts: Iterable[Part]) -> tuple[str, ...]:
    """List the variables of some conditions in a sum that are no others of the rule."""
    names = dict.fromkeys(name for part in parts for name in part.names)
    return tuple(name for name in names if name not in clause.names)


class _Naming(Transformer):
    """Names what the conditions of a rule leave open."""

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
        """Take a condition of a rule."""
        node = self._constants.put(literal)
        kind, named, term, operator, is_added = "comparison", node, _NONE, "", False
        self._also = []
        if node.ast_type == ASTType.ConditionalLiteral:
            kind = "all"
        elif node.atom.ast_type in _LOCAL:
            kind = "aggregate"
        elif node.atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.NoSign:
            is_open = _MAY_BE_OPEN.search(str(node))
            kind, named = "atom", self.visit(node) if is_open else node
            term, is_added = str(named), literal.location == rule
        elif node.atom.ast_type == ASTType.SymbolicAtom and node.sign == Sign.Negation:
            kind = "absent"
            # An open argument is a constant there.
            open_ = _OPEN.sub(lambda found: found[1] or _ANY, str(node.atom))
            term = open_ if ".." not in str(node) else _NONE
        elif (sides := _find_sides(node)) is not None:
            term, operator = write_tuple([str(sides[0]), str(sides[2])]), sides[1]
        atoms = [(sign + f.name, len(f.arguments)) for sign, f in functions_in(node)]
        also, names = tuple(self._also), find_names(str(named)) if kind != "all" else ()
        if kind == "aggregate":
            guards = filter(None, [node.atom.left_guard, node.atom.right_guard])
            names = find_names(" ".join(str(guard.term) for guard in guards))
        return Part(
            named, kind, str(node), "; ".join([str(named), *also]), term, operator,
            atoms[0] if atoms else ("", 0), frozenset(atoms), names,
            tuple(self._elements(node)) if kind == "aggregate" else (), is_added,
        )  # fmt: skip

    def _elements(self, node: AST) -> Iterator[tuple[tuple[str, ...], tuple[Part, ...]]]:
        for element in node.atom.elements:
            if element.ast_type == ASTType.ConditionalLiteral:
                terms: tuple[str, ...] = (str(element.literal),)
                literals = [element.literal, *element.condition]
            else:
                terms, literals = tuple(map(str, element.terms)), element.condition
            yield terms, tuple(self.make_part(literal) for literal in literals)


def _heads(rule: AST) -> Iterator[tuple[tuple[str, AST], Sequence[AST]]]:
    """Yield the atoms in the head of a rule, each with the conditions for it."""
    is_plain = rule.head.ast_type == ASTType.Literal
    for element in [rule.head] if is_plain else getattr(rule.head, "elements", ()):
        literal, conditions = element, ()
        if not is_plain:
            is_sum = element.ast_type == ASTType.HeadAggregateElement
            inner = element.condition if is_sum else element
            literal, conditions = inner.literal, inner.condition
        for found in functions_in(literal):
            yield found, (*conditions, *rule.body)


def _find_sides(literal: AST) -> tuple[AST, str, AST] | None:
    """Find the sides of a comparison, and what stands between them, if each has one value."""
    atom = literal.atom
    if literal.sign or atom.ast_type != ASTType.Comparison or len(atom.guards) != 1:
        return None
    (guard,) = atom.guards
    if any(sign in str(literal) for sign in ("..", ";")):
        return None
    return atom.term, str(guard).split()[0], guard.term


def _gives(literal: AST) -> Iterator[Give]:
    """Yield variables that a condition gives values, with those that need some before."""
    if literal.ast_type == ASTType.ConditionalLiteral or literal.sign:
        return
    atom = literal.atom
    if atom.ast_type == ASTType.SymbolicAtom:
        for _, function in functions_in(literal):
            yield settle(function), frozenset()
    elif atom.ast_type == ASTType.Comparison and len(atom.guards) == 1:
        (guard,) = atom.guards
        if guard.comparison == ComparisonOperator.Equal:
            for one, other in ((atom.term, guard.term), (guard.term, atom.term)):
                yield settle(one), frozenset(find_names(str(other)))
    elif atom.ast_type in _LOCAL:
        guard = atom.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            yield settle(guard.term), frozenset()


def settle(term: AST) -> frozenset[str]:
    """Find the variables of a term that have values if the term has one."""
    if term.ast_type == ASTType.Function and not term.external:
        return frozenset().union(*map(settle, term.arguments))
    names = frozenset(find_names(str(term)))
    if term.ast_type in (ASTType.BinaryOperation, ASTType.UnaryOperation):
        # clingo divides nothing backwards.
        return names if len(names) == 1 and not set(str(term)) & set("/\\&?^") else frozenset()
    return names if term.ast_type == ASTType.Variable else frozenset()


def _rests_on(step: Instance) -> Iterator[Symbol]:
    for part, term in zip(step.clause.parts, step.terms, strict=True):
        if part.kind == "atom":
            assert term is not None
            yield term


def _read_terms(terms: Symbol) -> tuple[Symbol | None, ...]:
    return tuple(None if str(term) == _NONE else term for term in terms.arguments)
