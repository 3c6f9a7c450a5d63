"""A user's rules about all turns, rewritten for live play, which grounds turn after turn.

A check grounds all turns together, so a rule may have a variable for the turn:

    terminal(T) :- move(jump,From,To,T).

For live play the rule moves into the part that derives what its body asks for:

    #program step(t).
    terminal(t) :- move(jump,From,To,t).

A condition ``turn(T)`` always holds in live play, so it is left out, also in a part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clingo import Function
from clingo.ast import AST, ASTType, Sign, SymbolicTerm, Transformer

from kb_score.engine.lift import read_parameter_name
from kb_score.engine.program import OPEN, Program, Statement, functions_in, parse_program
from kb_score.engine.scan import Signature


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a program: its number in the order of the files, its name and its parameter."""

    number: int
    name: str
    parameter: str


def lower_to_turns(program: Program) -> Program:
    """Move a user's rules about one turn, which are outside all parts, into a part for the turn.

    The rules that have moved are the last statements of the result.
    """
    places = _find_parts(program)
    kept: list[Statement] = []
    moved = defaultdict[_Part, list[Statement]](list)
    parameter = ""
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            parameter = read_parameter_name(statement.node)
        lowered = None
        if statement.kind == ASTType.Rule and parameter and not statement.is_ours:
            statement = _drop_turn(statement, parameter)
        elif statement.kind == ASTType.Rule and not parameter and statement.is_from_user:
            lowered = _lower(statement, places)
        if lowered is None:
            kept.append(statement)
        else:
            part, rule = lowered
            moved[part].append(rule)
    for part, rules in moved.items():
        begin = parse_program(f"#program {part.name}({part.parameter}).")
        # The first statement begins the base part, as in every program.
        kept.append(begin.statements[-1])
        kept += rules
    return replace(program, statements=tuple(kept))


def _find_parts(program: Program) -> dict[Signature, _Part]:
    """Return each predicate about a turn with its part.

    This is the last part that derives the predicate; if no part does, the first one that asks for
    it.
    """
    derived: dict[Signature, _Part] = {}
    asked: dict[Signature, _Part] = {}
    part = _Part(0, "base", "")
    for number, statement in enumerate(program.statements):
        if statement.kind == ASTType.Program:
            parameter = read_parameter_name(statement.node)
            part = _Part(number, statement.node.name, parameter)
        elif part.parameter and statement.kind == ASTType.Rule:
            for atom in statement.atoms:
                if atom.last != part.parameter:
                    continue
                signature = (atom.name.removeprefix("-"), len(atom.arguments))
                if atom.in_head:
                    derived[signature] = part
                else:
                    asked.setdefault(signature, part)
    return asked | derived


def _lower(statement: Statement, places: dict[Signature, _Part]) -> tuple[_Part, Statement] | None:
    """Return the part for a rule, and the rewritten rule; None if it is not about one turn."""
    parts: set[_Part] = set()
    variables: set[str] = set()
    conditions: list[AST] = []
    for literal in statement.node.body:
        turn = _find_turn(literal)
        if turn and places:
            # A turn has been played once its answer is known.
            parts.add(min(places.values(), key=_order_by_answer))
            variables.add(turn)
            continue
        conditions.append(literal)
        # An aggregate is about all turns.
        if not _is_plain(literal):
            continue
        for signature, last in _list_last_terms(literal):
            if last is None or signature not in places:
                continue
            variable = _name_variable(last)
            if variable:
                parts.add(places[signature])
                variables.add(variable)
    if len(variables) != 1:
        return None
    part = max(parts, key=_order)
    rule = statement.node.update(body=conditions)
    (variable,) = variables
    setter = _TurnSetter(variable, part.parameter)
    node = setter.visit(rule)
    return part, replace(statement, tree=node, text=str(node))


def _drop_turn(statement: Statement, parameter: str) -> Statement:
    """Return a rule of a part without the condition that there is the turn of the part."""
    conditions = [
        literal for literal in statement.node.body if str(literal) != f"turn({parameter})"
    ]
    if len(conditions) == len(statement.node.body):
        return statement
    node = statement.node.update(body=conditions)
    return replace(statement, tree=node, text=str(node))


def _order(part: _Part) -> tuple[bool, int]:
    """Return a key that orders the parts of a turn: ``open`` is first, then as in the files."""
    return part.name != OPEN, part.number


def _order_by_answer(part: _Part) -> tuple[bool, int]:
    """Return a key that puts the first part which knows the answer of a turn first."""
    return part.name == OPEN, part.number


def _is_plain(literal: AST) -> bool:
    """Return whether a condition is an atom, perhaps negated: not an aggregate or a comparison."""
    if literal.ast_type != ASTType.Literal:
        return False
    kind: ASTType = literal.atom.ast_type
    return kind == ASTType.SymbolicAtom


def _find_turn(literal: AST) -> str:
    """Return the name of the variable in a condition ``turn(T)``; empty for other conditions."""
    if not _is_plain(literal) or literal.sign != Sign.NoSign:
        return ""
    for (name, arity), last in _list_last_terms(literal):
        if name == "turn" and arity == 1 and last is not None:
            return _name_variable(last)
    return ""


def _list_last_terms(node: AST) -> Iterator[tuple[Signature, AST | None]]:
    """Yield the predicate of each atom in a syntax tree, with its last argument or None."""
    for _, atom in functions_in(node):
        # Each access to an attribute of a syntax tree calls clingo: the arguments are read once.
        arguments = atom.arguments
        last = None
        if arguments:
            last = arguments[-1]
        yield (atom.name, len(arguments)), last


def _name_variable(term: AST) -> str:
    """Return the name of a variable; empty for other terms."""
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
