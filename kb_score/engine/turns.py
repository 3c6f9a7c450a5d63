"""Turns in the rules: which arguments are turns, and what a user's rule may do with them.

In `forbidden(T,go(P,D),Code,Detail)` the first argument is a turn, in `before_alive(P,T)` the last
one. Live play and `legal` know one turn and the state before it, so a rule on which they depend
reads one turn only. Where a turn is not the number that people count, the game derives
`turn_of(T,N)`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from clingo import ast
from clingo.ast import AST, ASTType, Location, Sign, Transformer, Variable

from kb_score.engine.docs import Predicate
from kb_score.engine.lift import read_parameter_name
from kb_score.engine.program import (
    BEFORE,
    OPEN,
    Program,
    Statement,
    error_at,
    functions_in,
    raise_all,
    read_statement,
)
from kb_score.engine.scan import Signature
from kb_score.errors import RuleError

# The indices, from 0, of the arguments that are turns, by predicate.
Places: TypeAlias = Mapping[Signature, Set[int]]

# The name of such an argument in the documentation.
_TURN = "T"
# The turn before the first one, whose rules are outside the parts.
_START = "0"
TURN_OF = "turn_of"
_NUMBERS = (ASTType.SymbolicTerm, ASTType.Interval)
# What `legal` and live play read, besides what the parts of the rules read.
_ROOTS = frozenset(["forbidden", "illegal", "terminal"])
_MEMORY = (
    "a rule sees its own turn and the state before it: let a predicate of your own remember the "
    "rest, as in went(P,D,t) :- go(P,D,_,t) and went(P,D,t) :- before_went(P,D,t)"
)


@dataclass(frozen=True, slots=True)
class _Atom:
    """An atom in a rule, with its arguments that are turns."""

    name: str
    turns: tuple[AST, ...]
    location: Location

    def reads(self, term: str) -> bool:
        """Return whether all its turns are a given term."""
        return all(str(turn) == term for turn in self.turns)


def check_turns(ours: Program, users: Program, places: Places) -> None:
    """Raise a RuleError unless a user's rules read only their own turn, and what is known then.

    Our rules include the user's copies of our files. The places are the arguments that are turns.
    """
    faults = chain(
        find_unknown_in_open(ours, users, places, frozenset()),
        find_other_turns_in_parts(users, places),
        find_other_turns(ours, users, places),
    )
    raise_all(faults)


def find_turn_places(
    ours: Program, users: Program, documented: Iterable[Predicate]
) -> dict[Signature, set[int]]:
    """Return the arguments that are turns, by predicate.

    These are the arguments called T in the documentation, those that are the parameter of a part,
    and those of a user's predicates that share a variable with one of these.
    """
    places = defaultdict[Signature, set[int]](set)
    for predicate in documented:
        for index, argument in enumerate(predicate.arguments):
            if argument == _TURN:
                places[predicate.signature].add(index)
    for _, parameter, statement in _list_rules(ours + users):
        if parameter:
            _add_places(statement, {parameter}, places)
    own = users.derived - ours.derived - ours.inputs
    size = -1
    while size < sum(map(len, places.values())):
        size = sum(map(len, places.values()))
        for _, _, statement in _list_rules(users):
            turns = _find_variables(statement, places)
            _add_places(statement, turns, places, own)
    return dict(places)


def _list_rules(program: Program) -> Iterator[tuple[str, str, Statement]]:
    """Yield the rules of a program, with the name and the parameter of their part.

    Both are empty outside the parts of turns.
    """
    part = ""
    parameter = ""
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            parameter = read_parameter_name(statement.node)
            part = statement.node.name if parameter else ""
        elif statement.kind == ASTType.Rule:
            yield part, parameter, statement


def _add_places(
    statement: Statement,
    terms: Set[str],
    places: defaultdict[Signature, set[int]],
    signatures: Set[Signature] | None = None,
) -> None:
    """Add the places of some terms in a rule, where they are whole arguments of some predicates."""
    if not terms:
        return
    for _, atom in functions_in(statement.node):
        arguments = atom.arguments
        signature = (atom.name, len(arguments))
        if signatures is None or signature in signatures:
            for index, argument in enumerate(arguments):
                if str(argument) in terms:
                    places[signature].add(index)


def _find_variables(statement: Statement, places: Places) -> set[str]:
    """Find the variables of a rule that are turns."""
    found: set[str] = set()
    for atom in _list_atoms([statement.node], places):
        for turn in atom.turns:
            if turn.ast_type == ASTType.Variable and turn.name != "_":
                found.add(turn.name)
    return found


def _list_atoms(nodes: Iterable[AST], places: Places) -> Iterator[_Atom]:
    """Yield the atoms in syntax trees that have a turn."""
    for node in nodes:
        for _, atom in functions_in(node):
            arguments = atom.arguments
            indices = places.get((atom.name, len(arguments)))
            if indices:
                turns = tuple(arguments[index] for index in sorted(indices))
                yield _Atom(atom.name, turns, atom.location)


def find_other_turns_in_parts(rules: Program, places: Places) -> Iterator[RuleError]:
    """Yield the places where a rule of a part reads another turn, or derives something for one."""
    for _, parameter, statement in _list_rules(rules):
        if parameter and not all(name.startswith(BEFORE) for name, _ in statement.heads):
            yield from _check_part_rule(statement, parameter, places)


def find_other_turns(ours: Program, users: Program, places: Places) -> Iterator[RuleError]:
    """Yield the places where a user's rule outside the parts is about several turns.

    It may be if only verdicts and results depend on it.
    """
    needed = _find_needed(ours, users)
    for _, parameter, statement in _list_rules(users):
        if not parameter and not needed.isdisjoint(statement.heads):
            yield from _check_rule(statement, places)


def _find_needed(ours: Program, users: Program) -> Set[Signature]:
    """Find the predicates on which `legal` and live play depend."""
    program = ours + users
    needed = _find_roots(program)
    for _, parameter, statement in _list_rules(program):
        if parameter:
            needed |= statement.body
    return users.find_needed(needed)


def _find_roots(program: Program) -> set[Signature]:
    """Find the predicates of a program that `legal` and live play read."""
    return {signature for signature in program.derived | program.used if signature[0] in _ROOTS}


def _check_part_rule(statement: Statement, turn: str, places: Places) -> Iterator[RuleError]:
    """Check that a rule of a part reads and derives only what belongs to the turn of the part."""
    node = statement.node
    for atom in _list_atoms([node.head], places):
        if not atom.reads(turn):
            message = f"{atom.name} is derived for another turn than {turn}"
            yield error_at(atom.location, message, f"write {turn} for the turn")
    for atom in _list_atoms(node.body, places):
        if not atom.reads(turn):
            yield _refuse(atom, turn, places)


def _refuse(atom: _Atom, turn: str, places: Places) -> RuleError:
    """Return the error for an atom about another turn than that of its rule."""
    (term, *_) = [str(term) for term in atom.turns if str(term) != turn]
    if term.strip("()") == f"{turn}-1":
        message = f"{atom.name} of turn {turn}-1 is the state before turn {turn}"
        hint = f"write {BEFORE}{atom.name} with {turn} as its last value"
        if any(name == f"{BEFORE}{atom.name}" for name, _ in places):
            return error_at(atom.location, message, hint)
    message = f"{atom.name} is about another turn than {turn}, the turn of this rule"
    return error_at(atom.location, message, _MEMORY)


def _check_rule(statement: Statement, places: Places) -> Iterator[RuleError]:
    """Check that a rule outside the parts is about one turn."""
    node = statement.node
    asked = list(_list_atoms(node.body, places))
    if not asked:
        return
    turn = str(asked[0].turns[0])
    heads = list(_list_atoms([node.head], places))
    for head in heads:
        turn = str(head.turns[0])
        is_named = head.turns[0].ast_type == ASTType.Variable or turn == _START
        if not (is_named and head.reads(turn)):
            message = f"{head.name} is derived for another turn than that of the conditions"
            yield error_at(head.location, message, "write the same variable for the turn")
            return
    for atom in asked:
        if not atom.reads(turn) or turn == "_":
            yield _refuse(atom, turn, places)


def find_unknown_in_open(
    ours: Program, users: Program, places: Places, answers: Set[Signature]
) -> Iterator[RuleError]:
    """Yield the atoms in rules of part ``open`` that are not known before the answer of the turn.

    The answers are the predicates of the facts of answers.
    """
    parts = defaultdict[Signature, set[str]](set)
    for part, _, statement in _list_rules(ours + users):
        for signature in statement.heads:
            parts[signature].add(part)
    for part, _, statement in _list_rules(users):
        if part != OPEN:
            continue
        for signature in sorted(statement.body):
            is_late = signature in answers or parts[signature] == {"step"}
            if is_late and signature in places:
                name, arity = signature
                message = f"{name}/{arity} is not known in part {OPEN}"
                hint = "it comes with the answer: write #program step(t). above the rule"
                yield error_at(_locate(statement, signature), message, hint)


def _locate(statement: Statement, signature: Signature) -> Location:
    """Return the location of the first atom of a predicate in the body of a rule."""
    for literal in statement.node.body:
        for _, atom in functions_in(literal):
            if (atom.name, len(atom.arguments)) == signature:
                location: Location = atom.location
                return location
    raise LookupError(signature)


def counts_turns(program: Program) -> bool:
    """Return whether the rules of a game give the numbers of turns."""
    return any(name == TURN_OF for name, _ in program.derived)


def count_turns(program: Program, places: Places, copied: Set[str]) -> Program:
    """Let a user's rules count turns as people do: a rule that compares turns compares numbers.

    A move that is tried out is a turn of its own, such as ``try(From,To)``, which has a number:

        terminal(T) :- moved(T), T > 8.
        terminal(T) :- moved(T), T' > 8, turn_of(T,T').

    The program is the same if it does not derive `turn_of`. A user's copy of one of our files,
    which are named, means what our file means.
    """
    if not counts_turns(program):
        return program
    # A verdict is about the turns of the record, and not about moves that are tried out.
    needed = program.find_needed(_find_roots(program))
    statements: list[Statement] = []
    for statement in program.statements:
        if statement.is_from_user and not needed.isdisjoint(statement.heads):
            path = Path(statement.location.begin.filename)
            if path.name not in copied:
                statement = _count(statement, places)
        statements.append(statement)
    return replace(program, statements=tuple(statements))


def _count(statement: Statement, places: Places) -> Statement:
    """Return a rule in which the numbers of turns stand in place of turns that are compared."""
    if statement.kind != ASTType.Rule:
        return statement
    counter = _Counter(_find_variables(statement, places), places)
    node = statement.node.update(
        head=counter.visit_head(statement.node.head),
        body=list(map(counter.visit, statement.node.body)),
    )
    if not counter.numbers:
        return statement
    location = statement.location
    body = [*node.body]
    for turn, number in counter.numbers.items():
        function = ast.Function(location, TURN_OF, [Variable(location, turn), number], False)
        body.append(ast.Literal(location, Sign.NoSign, ast.SymbolicAtom(function)))
    counted = read_statement(node.update(body=body))
    return replace(counted, is_from_user=True)


class _Counter(Transformer):
    """Puts the number of a turn in place of each turn that is not an argument of its own.

    Attributes:
        numbers: The terms for the numbers, by the variables of the turns.
    """

    def __init__(self, turns: Set[str], places: Places) -> None:
        self._turns = turns
        self._places = places
        self._is_head = False
        self.numbers: dict[str, AST] = {}

    def visit_head(self, head: AST) -> AST:
        """Return the head of a rule, where a turn may also be a number such as 8 or 1..8."""
        self._is_head = True
        visited: AST = self.visit(head)
        self._is_head = False
        return visited

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        symbol = node.symbol
        if symbol.ast_type != ASTType.Function:
            return node
        indices = self._places.get((symbol.name, len(symbol.arguments)), frozenset())
        arguments: list[AST] = []
        for index, argument in enumerate(symbol.arguments):
            if index not in indices:
                argument = self.visit(argument)
            elif self._is_head and argument.ast_type in _NUMBERS:
                name = f"Turn{index}'"
                self.numbers[name] = argument
                argument = Variable(argument.location, name)
            arguments.append(argument)
        return node.update(symbol=symbol.update(arguments=arguments))

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.name not in self._turns:
            return node
        number = Variable(node.location, f"{node.name}'")
        self.numbers[node.name] = number
        return number
