"""Rules of a user about all turns, rewritten for live play, which grounds one turn after another.

A check has all turns side by side, so that a rule may have a variable for the turn:

    terminal(T) :- move(jump,From,To,T).

In live play it belongs to the part that derives what it asks for, as if it had been written there:

    #program step(t).
    terminal(t) :- move(jump,From,To,t).

A condition ``turn(T)`` of such a rule holds in live play, where it is left out.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from clingo import Function
from clingo.ast import AST, ASTType, Sign, SymbolicTerm, Transformer

from kb_score.engine.lift import list_last_terms
from kb_score.engine.program import Program, Signature, Statement, parse_program


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a program: its number in the order of the files, its name and its parameter."""

    number: int
    name: str
    parameter: str


def lower_to_turns(program: Program) -> Program:
    """Move a user's rules about one turn, out of all parts, into the part of that turn."""
    places = _find_parts(program)
    kept: list[Statement] = []
    moved = defaultdict[_Part, list[Statement]](list)
    parameters = 0
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            parameters = len(statement.node.parameters)
        lowered = None
        if statement.is_users and statement.kind == ASTType.Rule and not parameters:
            lowered = _lower(statement, places)
        if lowered is None:
            kept.append(statement)
        else:
            part, rule = lowered
            moved[part].append(rule)
    for part, rules in moved.items():
        begin = parse_program(f"#program {part.name}({part.parameter}).")
        # The first statement is that of the base part, which each program begins with.
        kept += [begin.statements[-1], *rules]
    return replace(program, statements=tuple(kept))


def _find_parts(program: Program) -> dict[Signature, _Part]:
    """Find the part for what is about its turn: the last one that derives it, or one that asks."""
    derived: dict[Signature, _Part] = {}
    asked: dict[Signature, _Part] = {}
    part = _Part(0, "base", "")
    for number, statement in enumerate(program.statements):
        node = statement.node
        if statement.kind == ASTType.Program:
            parameter = node.parameters[0].name if node.parameters else ""
            part = _Part(number, node.name, parameter)
        elif part.parameter and statement.kind == ASTType.Rule:
            for signature, last in list_last_terms(node.head):
                if str(last) == part.parameter:
                    derived[signature] = part
            for literal in node.body:
                for signature, last in list_last_terms(literal):
                    if str(last) == part.parameter:
                        asked.setdefault(signature, part)
    return asked | derived


def _lower(statement: Statement, places: dict[Signature, _Part]) -> tuple[_Part, Statement] | None:
    """Return the part of a rule, and the rule in it; None if it is not about one turn."""
    parts: set[_Part] = set()
    variables: set[str] = set()
    conditions: list[AST] = []
    for literal in statement.node.body:
        turn = _find_turn(literal)
        if turn and places:
            # In live play there is a turn from the first part on.
            first_part = min(places.values(), key=lambda part: part.number)
            parts.add(first_part)
            variables.add(turn)
            continue
        conditions.append(literal)
        # What an aggregate counts or sums up is about all turns.
        if literal.ast_type != ASTType.Literal or literal.atom.ast_type != ASTType.SymbolicAtom:
            continue
        for signature, last in list_last_terms(literal):
            if last and signature in places and last.ast_type == ASTType.Variable:
                parts.add(places[signature])
                variables.add(last.name)
    if len(variables) != 1:
        return None
    part = max(parts, key=lambda part: part.number)
    rule = statement.node.update(body=conditions)
    node = _TurnSetter(variables.pop(), part.parameter).visit(rule)
    return part, replace(statement, node=node)


def _find_turn(literal: AST) -> str:
    """Find the variable of a condition ``turn(T)``; empty if a condition is none."""
    if literal.ast_type != ASTType.Literal or literal.sign != Sign.NoSign:
        return ""
    atom = literal.atom
    if atom.ast_type != ASTType.SymbolicAtom:
        return ""
    for (name, arity), last in list_last_terms(atom):
        if name == "turn" and arity == 1 and last is not None:
            return _name_variable(last)
    return ""


def _name_variable(term: AST) -> str:
    """Return the name of a variable; empty if a term is none."""
    if term.ast_type != ASTType.Variable:
        return ""
    return str(term.name)


class _TurnSetter(Transformer):
    """Puts the parameter of a part in place of a variable."""

    def __init__(self, variable: str, parameter: str) -> None:
        self._variable = variable
        self._parameter = Function(parameter)

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.name != self._variable:
            return node
        return SymbolicTerm(node.location, self._parameter)
