"""Rules rewritten as syntax trees: for many boards, for all turns, and two versions for comparison.

A board argument is put in front of every predicate that depends on the board:

    gold(miners,P,hex(R,C),1) :- settlement(P,R,C), beside(R,C,mountain).
    gold(Board',miners,P,hex(R,C),1) :- settlement(Board',P,R,C), beside(Board',R,C,mountain).

The turn that a program part is about becomes a variable:

    #program step(t).
    at(P,C,t) :- at(P,C,t-1), not moves(P,t).
    at(P,C,Turn') :- at(P,C,Turn'-1), not moves(P,Turn'); turn(Turn').

The prime in the names of these variables keeps them apart from those of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from clingo import ast, parse_term
from clingo.ast import AST, ASTType, Location, Sign, SymbolicTerm, Transformer, Variable

from kb_score.engine.program import (
    Program,
    Signature,
    Statement,
    error_at,
    functions_in,
    read_program,
    read_statement,
    signatures_in,
)
from kb_score.engine.terms import BOARD, TURN

_WORD = re.compile(r"[a-z_]\w*")
_BACK = re.compile(r"\(?([a-z_]\w*)-(\d+)\)?")
_GUIDES = "a constraint or a choice cannot be compared: state what follows from it"


def lift_to_boards(program: Program, facts: Iterable[Signature]) -> Program:
    """Put the board in front of what depends on the facts of a board, for all of ``board/1``."""
    lifted = program.find_dependents(facts)
    statements = tuple(_lift_to_boards(s, lifted & _named_in(s)) for s in program.statements)
    with_board = frozenset((name, arity + 1) for name, arity in program.defined & lifted)
    return replace(program, statements=statements, defined=program.defined - lifted | with_board)


def lift_to_turns(program: Program, parts: Collection[str]) -> Program:
    """Put some parts into the base part, their parameter a variable that ranges over ``turn/1``."""
    statements = list[Statement]()
    parameter = ""
    for statement in program.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            parameter = ""
            if node.name in parts:
                parameter = node.parameters[0].name
                base = node.update(name="base", parameters=[])
                statement = replace(statement, node=base)
        elif parameter and statement.kind in (ASTType.Rule, ASTType.Minimize):
            statement = _lift_rule_to_turns(statement, parameter)
        statements.append(statement)
    return replace(program, statements=tuple(statements))


def find_carried(program: Program) -> tuple[dict[Signature, int], frozenset[Signature]]:
    """Find the predicates of past and of later turns that live play still needs.

    Returns:
        The predicates whose atoms a turn looks back at, because the last value of one in a body is
        ``t-1`` or ``t-2`` and so on, each with the largest such distance, or with 0 where a turn
        only derives atoms of other turns, such as ``t+1``; and the predicates that parts derive
        without a turn as the last value, whose atoms hold from then on.
    """
    back = dict[Signature, int]()
    lasting = set[Signature]()
    parameter = ""
    for statement in program.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            parameter = node.parameters[0].name if node.parameters else ""
        if not parameter or statement.kind != ASTType.Rule:
            continue
        for literal in node.body:
            for signature, last in _list_last(literal):
                found = _BACK.fullmatch(last)
                if found and found[1] == parameter:
                    back[signature] = max(int(found[2]), back.get(signature, 0))
        for signature, last in _list_last(node.head):
            if parameter not in _WORD.findall(last):
                lasting.add(signature)
            elif last != parameter:
                back.setdefault(signature, 0)
    return back, frozenset(lasting)


def _list_last(node: AST) -> Iterator[tuple[Signature, str]]:
    """Yield the predicates of the atoms in a syntax tree, with their last arguments as text."""
    for _, atom in functions_in(node):
        arguments = atom.arguments
        yield (atom.name, len(arguments)), str(arguments[-1]) if arguments else ""


def _named_in(statement: Statement) -> frozenset[Signature]:
    """Return the predicates that a statement names."""
    if statement.kind == ASTType.ShowSignature:
        return frozenset({(statement.node.name, statement.node.arity)})
    return statement.heads | statement.body


# Several uses of a game lift the same rules, to boards and to turns.
@lru_cache(maxsize=1 << 12)
def _lift_to_boards(statement: Statement, lifted: frozenset[Signature]) -> Statement:
    node = statement.node
    if lifted and statement.kind == ASTType.ShowSignature:
        return replace(statement, node=node.update(arity=node.arity + 1))
    if not lifted or statement.kind != ASTType.Rule:
        return statement
    return replace(statement, node=_BoardLifter(lifted).lift(node))


class _BoardLifter(Transformer):
    """Puts the board in front of the arguments of some predicates' atoms."""

    def __init__(self, lifted: frozenset[Signature]) -> None:
        self.lifted = lifted

    def lift(self, rule: AST) -> AST:
        """Lift a rule, which at least one of the predicates is in."""
        lifted: AST = self.visit(rule)
        if any(map(self._binds, rule.body)):
            return lifted
        return lifted.update(body=[*lifted.body, _atom(rule.location, "board", BOARD)])

    def _binds(self, literal: AST) -> bool:
        """Return whether a condition gives the board a value."""
        if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
            return False
        if literal.atom.ast_type != ASTType.SymbolicAtom:
            return False
        return not self.lifted.isdisjoint(signatures_in(literal))

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if self.lifted.isdisjoint(signatures_in(node)):
            return node
        return node.update(symbol=_change_functions(node.symbol, self._add_board))

    def _add_board(self, function: AST) -> AST:
        board = Variable(function.location, BOARD)
        return function.update(arguments=[board, *function.arguments])


def _change_functions(symbol: AST, change: Callable[[AST], AST]) -> AST:
    """Change the function terms of an atom, also in a pool and behind a minus."""
    if symbol.ast_type == ASTType.Pool:
        return symbol.update(arguments=[_change_functions(a, change) for a in symbol.arguments])
    if symbol.ast_type == ASTType.UnaryOperation:
        return symbol.update(argument=_change_functions(symbol.argument, change))
    return change(symbol)


class ConstantSetter(Transformer):
    """Replaces constants by terms."""

    def __init__(self, values: Mapping[str, AST]) -> None:
        self.values = values
        names = "|".join(values) or "(?!)"
        self._name = re.compile(rf"(?<![\w'])(?:{names})(?![\w'])")

    def put(self, node: AST) -> AST:
        """Replace the constants in a syntax tree; most have none, and are not walked through."""
        return self.visit(node) if self._name.search(str(node)) else node

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        """Replace a constant."""
        value = self.values.get(str(node.symbol))
        return node if value is None else self.visit(value)


@lru_cache(maxsize=1 << 12)
def _lift_rule_to_turns(statement: Statement, parameter: str) -> Statement:
    variable = Variable(statement.node.location, TURN)
    node = ConstantSetter({parameter: variable}).put(statement.node)
    if node is statement.node:
        return statement
    turn = _atom(node.location, "turn", TURN)
    node = node.update(body=[*node.body, turn])
    return replace(statement, node=node, body=statement.body.union(signatures_in(turn)))


def _atom(location: Location, name: str, variable: str) -> AST:
    function = ast.Function(location, name, [Variable(location, variable)], False)
    return ast.Literal(location, Sign.NoSign, ast.SymbolicAtom(function))


def write_lifted(path: Path, parts: Collection[str]) -> str:
    """Write a rule file with some parts lifted; statements that stay the same keep their text."""
    data = path.read_bytes()
    lines = [0, *(found.end() for found in re.finditer(b"\n", data))]
    program = read_program([path], ours=True)
    lifted = lift_to_turns(program, parts)
    pieces = list[bytes]()
    written = 0
    for old, new in zip(program.statements, lifted.statements, strict=True):
        text = str(new.node)
        if str(old.node) == text:
            continue
        location = old.node.location
        begin = lines[location.begin.line - 1] + location.begin.column - 1
        pieces += [data[written:begin], text.encode()]
        written = lines[location.end.line - 1] + location.end.column - 1
    return b"".join([*pieces, data[written:]]).decode()


def pair_versions(before: Program, after: Program) -> tuple[Program, frozenset[Signature]]:
    """Put two versions of rules side by side, their constants decided.

    Returns:
        The rules of both. What they derive alike is there once; what depends on other rules is
        there a second time, its name ending in _after. And the predicates that are there twice.

    Raises:
        RuleError: A constraint or a choice differs: it would hold for both versions.
    """
    first = _decide(before)
    second = _decide(after)
    different = [*_list_missing(first, second), *_list_missing(second, first)]
    for statement in different:
        if statement.guides:
            raise error_at(statement.node.location, _GUIDES)
    changed = Program(tuple(different)).derived
    # What is chosen is there once, by the first version.
    rules = Program(tuple(s for s in (*first, *second) if not (s.guides and s.heads)))
    doubled = rules.find_dependents(changed) if changed else changed
    renamer = _Renamer(doubled)
    copies = list[Statement]()
    for statement in second:
        if statement.guides and not doubled.isdisjoint(_list_chosen(statement.node)):
            raise error_at(statement.node.location, _GUIDES)
        if not statement.guides and not doubled.isdisjoint(statement.heads):
            copies.append(read_statement(renamer.visit(statement.node)))
    shows = (s for s in before.statements if s.kind == ASTType.ShowSignature)
    # Where a rule is left out nothing may be left that derives its head.
    renamed = frozenset((f"{name}_after", arity) for name, arity in doubled)
    defined = before.defined | after.defined | doubled | renamed
    return Program((*first, *copies, *shows), defined, (), after.limits), doubled


def _list_missing(statements: Sequence[Statement], others: Iterable[Statement]) -> list[Statement]:
    """List the statements, each once, whose text none of the others has."""
    present = {str(other.node) for other in others}
    by_text = {str(statement.node): statement for statement in statements}
    return [statement for text, statement in by_text.items() if text not in present]


def _list_chosen(node: AST) -> set[Signature]:
    """List what a choice chooses, without what its conditions ask for."""
    chosen = set[Signature]()
    for element in getattr(node.head, "elements", ()):
        chosen.update(signatures_in(element.literal))
    return chosen


def _decide(program: Program) -> list[Statement]:
    """List the rules of a program, with the values of constants in their place."""
    found = program.find_constants()
    values: dict[str, AST] = {name: node.value for name, node in found.items()}
    for name, value in program.constants:
        values[name] = SymbolicTerm(found[name].location, parse_term(value))
    setter = ConstantSetter(values)
    rules = (s for s in program.statements if s.kind == ASTType.Rule)
    return [replace(rule, node=setter.put(rule.node)) for rule in rules]


class _Renamer(Transformer):
    """Appends _after to the names of some predicates."""

    def __init__(self, doubled: frozenset[Signature]) -> None:
        self.doubled = doubled

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        return node.update(symbol=_change_functions(node.symbol, self._rename))

    def _rename(self, function: AST) -> AST:
        is_doubled = (function.name, len(function.arguments)) in self.doubled
        return function.update(name=f"{function.name}_after") if is_doubled else function
