"""Rules for one board to rules for many, and for one turn to all turns, as syntax trees.

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
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from clingo import ast
from clingo.ast import AST, ASTType, Location, Sign, Transformer, Variable, parse_files

from kb_score.engine.program import (
    Program,
    Signature,
    Statement,
    functions_in,
    read_program,
    signatures_in,
)
from kb_score.engine.terms import BOARD, TURN

_WORD = re.compile(r"[a-z_]\w*")
_BACK = re.compile(r"\(?([a-z_]\w*)-(\d+)\)?")


def lift_to_boards(program: Program, facts: Iterable[Signature]) -> Program:
    """Put the board in front of what depends on the facts of a board, for all of ``board/1``."""
    lifted = program.find_dependents(facts)
    statements = tuple(_lift_to_boards(s, lifted & _named_in(s)) for s in program.statements)
    defined = frozenset(
        (name, arity + ((name, arity) in lifted)) for name, arity in program.defined
    )
    return replace(program, statements=statements, defined=defined)


def lift_to_turns(program: Program, parts: Collection[str]) -> Program:
    """Put some parts into the base part, their parameter a variable that ranges over ``turn/1``."""
    statements, parameter = list[Statement](), ""
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


def find_carried(program: Program) -> tuple[dict[Signature, int], frozenset[Signature]]:
    """Find the predicates of past and of later turns that live play still needs.

    Returns:
        The predicates whose atoms a turn looks back at, because the last value of one in a body is
        ``t-1`` or ``t-2`` and so on, each with the largest such distance, or with 0 where a turn
        only derives atoms of other turns, such as ``t+1``; and the predicates that parts derive
        without a turn as the last value, whose atoms hold from then on.
    """
    back, lasting, parameter = dict[Signature, int](), set[Signature](), ""
    for statement in program.statements:
        node = statement.node
        if node.ast_type == ASTType.Program:
            parameter = node.parameters[0].name if node.parameters else ""
        elif parameter and node.ast_type == ASTType.Rule:
            for _, atom in (f for literal in node.body for f in functions_in(literal)):
                signature = atom.name, len(atom.arguments)
                found = _BACK.fullmatch(str(atom.arguments[-1])) if atom.arguments else None
                if found and found[1] == parameter:
                    back[signature] = max(int(found[2]), back.get(signature, 0))
            for _, atom in functions_in(node.head):
                signature = atom.name, len(atom.arguments)
                last = str(atom.arguments[-1]) if atom.arguments else ""
                if parameter not in _WORD.findall(last):
                    lasting.add(signature)
                elif last != parameter:
                    back.setdefault(signature, 0)
    return back, frozenset(lasting)


def _named_in(statement: Statement) -> frozenset[Signature]:
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
        return (
            literal.ast_type == ASTType.Literal
            and literal.sign == Sign.NoSign
            and literal.atom.ast_type == ASTType.SymbolicAtom
            and not self.lifted.isdisjoint(signatures_in(literal))
        )

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if self.lifted.isdisjoint(signatures_in(node)):
            return node
        return node.update(symbol=self._rewrite(node.symbol))

    def _rewrite(self, symbol: AST) -> AST:
        if symbol.ast_type == ASTType.Pool:
            return symbol.update(arguments=[self._rewrite(a) for a in symbol.arguments])
        if symbol.ast_type == ASTType.UnaryOperation:
            return symbol.update(argument=self._rewrite(symbol.argument))
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


@lru_cache(maxsize=1 << 12)
def _lift_rule_to_turns(statement: Statement, parameter: str) -> Statement:
    lifter = _TurnLifter(parameter)
    node = lifter.visit(statement.node)
    if not lifter.found:
        return statement
    turn = _atom(node.location, "turn", TURN)
    node = node.update(body=[*node.body, turn])
    return replace(statement, node=node, body=statement.body.union(signatures_in(turn)))


def _atom(location: Location, name: str, variable: str) -> AST:
    function = ast.Function(location, name, [Variable(location, variable)], False)
    return ast.Literal(location, Sign.NoSign, ast.SymbolicAtom(function))


# What a program leaves out of its statements.
_ASIDE = (ASTType.Defined, ASTType.Comment)


def write_lifted(path: Path, parts: Collection[str]) -> str:
    """Write a rule file with some parts lifted; what says the same as before keeps its text."""
    text = path.read_text(encoding="utf-8")
    if not parts:
        return text
    program = read_program([path], ours=True)
    before = [statement.node for statement in program.statements]
    after = [statement.node for statement in lift_to_turns(program, parts).statements]
    changed = {
        _begin(old): str(new)
        for old, new in zip(before, after, strict=True)
        if str(old) != str(new)
    }
    # clingo ends a line at a line feed alone.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    pieces, at = list[str](), (1, 1)
    nodes = list[AST]()
    parse_files([str(path)], nodes.append)
    for node in sorted(nodes, key=_begin):
        begin, end = _begin(node), (node.location.end.line, node.location.end.column)
        # The part that each file begins with stands nowhere.
        if begin == end:
            continue
        pieces.append(_cut(lines, at, begin))
        is_kept = node.ast_type in _ASIDE or begin not in changed
        pieces.append(_cut(lines, begin, end) if is_kept else changed[begin])
        at = end
    return "".join([*pieces, _cut(lines, at, (len(lines) + 1, 1))])


def _begin(node: AST) -> tuple[int, int]:
    begin = node.location.begin
    return begin.line, begin.column


def _cut(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    """Cut out the text between two places, line and column from 1; columns count bytes."""
    (first, left), (last, right) = begin, end
    shown = [line.encode() for line in lines[first - 1 : last]]
    if last <= len(lines):
        shown[-1] = shown[-1][: right - 1]
    if shown:
        shown[0] = shown[0][left - 1 :]
    return b"".join(shown).decode()
