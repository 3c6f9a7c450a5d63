"""Rules for one to rules for many, as syntax trees: one board to many, one turn to all turns.

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

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from clingo.ast import (
    AST,
    ASTType,
    Function,
    Literal,
    Location,
    Sign,
    SymbolicAtom,
    Transformer,
    Variable,
)

from kb_score.program import BOARD, WITHOUT_ATOMS, Program, Signature, Statement, signatures_in

TURN = "Turn'"


def lift_to_boards(program: Program, facts: Iterable[Signature]) -> Program:
    """Put a board argument in front of every predicate that depends on the board.

    Args:
        program: Rules that speak of one board.
        facts: The predicates of the board's facts.

    Returns:
        The rules for all boards named by ``board/1``. What depends on no fact stays as it is.
    """
    lifted = _depending(program, set(facts))
    lifter = _BoardLifter(frozenset(lifted))
    return replace(
        program,
        statements=tuple(map(lifter.lift, program.statements)),
        defined=frozenset(
            (name, arity + 1) if (name, arity) in lifted else (name, arity)
            for name, arity in program.defined
        ),
    )


def lift_to_turns(program: Program, parts: Collection[str]) -> Program:
    """Make the parameter of some parts a variable that ranges over ``turn/1``.

    Args:
        program: Rules with parts such as ``#program step(t)``.
        parts: The names of those parts.

    Returns:
        Their rules in the base part, for all turns at once; other parts stay as they are.
    """
    statements, parameter = [], ""
    for statement in program.statements:
        node = statement.node
        if node.ast_type == ASTType.Program:
            lifted = node.name in parts
            parameter = node.parameters[0].name if lifted else ""
            base = node.update(name="base", parameters=[]) if lifted else node
            statements.append(replace(statement, node=base))
        elif parameter and node.ast_type in (ASTType.Rule, ASTType.Minimize):
            statements.append(_lift_rule_to_turns(statement, parameter))
        else:
            statements.append(statement)
    return replace(program, statements=tuple(statements))


def _depending(program: Program, known: set[Signature]) -> set[Signature]:
    rules = [s for s in program.statements if s.heads]
    before = -1
    while before != len(known):
        before = len(known)
        for rule in rules:
            if not rule.heads <= known and not known.isdisjoint(rule.body):
                known |= rule.heads
    return known


@dataclass(frozen=True, slots=True)
class _BoardLifter:
    """Rewrites statements; only atoms change, so terms are never walked through."""

    lifted: frozenset[Signature]

    def lift(self, statement: Statement) -> Statement:
        node = statement.node
        if node.ast_type != ASTType.Rule or self.lifted.isdisjoint(
            statement.heads | statement.body
        ):
            return statement
        body = [self._rewrite(literal) for literal in node.body]
        if not any(map(self._binds, node.body)):
            body.append(_atom(node.location, "board", BOARD))
        return replace(statement, node=node.update(head=self._rewrite(node.head), body=body))

    def _binds(self, literal: AST) -> bool:
        return (
            literal.ast_type == ASTType.Literal
            and literal.sign == Sign.NoSign
            and literal.atom.ast_type == ASTType.SymbolicAtom
            and not self.lifted.isdisjoint(signatures_in(literal))
        )

    def _rewrite(self, node: AST) -> AST:
        if node.ast_type == ASTType.SymbolicAtom:
            if self.lifted.isdisjoint(signatures_in(node)):
                return node
            return node.update(symbol=self._rewrite_symbol(node.symbol))
        changed: dict[str, AST | list[AST]] = {}
        for key in node.child_keys:
            child = getattr(node, key)
            if isinstance(child, AST) and child.ast_type not in WITHOUT_ATOMS:
                changed[key] = self._rewrite(child)
            elif isinstance(child, Sequence) and key != "terms":
                changed[key] = [self._rewrite(element) for element in child]
        return node.update(**changed) if changed else node

    def _rewrite_symbol(self, symbol: AST) -> AST:
        if symbol.ast_type == ASTType.Pool:
            return symbol.update(arguments=[self._rewrite_symbol(a) for a in symbol.arguments])
        if symbol.ast_type == ASTType.UnaryOperation:
            return symbol.update(argument=self._rewrite_symbol(symbol.argument))
        board = Variable(symbol.location, BOARD)
        return symbol.update(arguments=[board, *symbol.arguments])


class _TurnLifter(Transformer):
    """Replaces a constant by the variable `TURN`, and remembers whether it did."""

    def __init__(self, parameter: str) -> None:
        self.parameter = parameter
        self.found = False

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if str(node.symbol) != self.parameter:
            return node
        self.found = True
        return Variable(node.location, TURN)

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.name == self.parameter and not node.arguments:
            self.found = True
            return Variable(node.location, TURN)
        changed = node.update(**self.visit_children(node))
        return changed if isinstance(changed, AST) else node


def _lift_rule_to_turns(statement: Statement, parameter: str) -> Statement:
    lifter = _TurnLifter(parameter)
    node = lifter.visit(statement.node)
    if not lifter.found:
        return statement
    body = [*node.body, _atom(node.location, "turn", TURN)]
    return replace(statement, node=node.update(body=body))


def _atom(location: Location, name: str, variable: str) -> AST:
    arguments = [Variable(location, variable)]
    return Literal(location, Sign.NoSign, SymbolicAtom(Function(location, name, arguments, False)))
