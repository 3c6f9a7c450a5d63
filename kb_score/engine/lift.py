"""Rewrites rules: for many boards, for all turns, or to compare two versions.

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
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from clingo.ast import ASTType, Position

from kb_score.engine.program import BASE, OPEN, Program, Statement, read_program
from kb_score.engine.scan import BOARD, TURN, Signature, add_condition, scan, set_constant

_WITH_BODY = (ASTType.Rule, ASTType.Minimize)
# The predicates over which the turns of some parts range.
_RANGES = {OPEN: "opened", "legal": "queried"}
_GUIDES = "a constraint or a choice cannot be compared: write a rule for what follows from it"


def lift_boards(program: Program, facts: Iterable[Signature]) -> Program:
    """Put a board argument in front of every predicate that depends on the facts of a board.

    The result has the rules for all boards of ``board_id/1``.
    """
    lifted = program.find_dependents(facts)
    statements = list[Statement]()
    for statement in program.statements:
        named = _find_named(statement) & lifted
        lifted_statement = _lift_statement_to_boards(statement, named)
        statements.append(lifted_statement)
    return replace(program, statements=tuple(statements))


def lift_turns(program: Program, parts: Collection[str]) -> Program:
    """Move some parts into the base part, where a variable over ``turn/1`` is their parameter.

    In the part ``open``, which holds before the answer of a turn, the variable ranges over
    ``opened/1``: the last turn may be open and not yet played. In the part ``legal`` it ranges over
    ``queried/1``: only there somebody asks what is legal.
    """
    statements = list[Statement]()
    for statement in program.statements:
        if statement.part in parts:
            statement = _lift_statement_to_turns(statement)
        statements.append(statement)
    return replace(program, statements=tuple(statements))


@lru_cache(maxsize=4096)
def _lift_statement_to_turns(statement: Statement) -> Statement:
    """Return a statement of a part as one of the base part; cached, since programs share them."""
    if statement.kind == ASTType.Program:
        statement = statement.rewrite(lambda _: "#program base.")
    elif statement.kind in _WITH_BODY:
        statement = _lift_rule_to_turns(statement)
    return replace(statement, part=BASE, turn="")


def _find_named(statement: Statement) -> frozenset[Signature]:
    """Return the predicates that a statement names."""
    if statement.kind == ASTType.ShowSignature:
        node = statement.node
        signature = (node.name, node.arity)
        return frozenset({signature})
    return statement.heads | statement.body


def _lift_statement_to_boards(statement: Statement, lifted: frozenset[Signature]) -> Statement:
    """Return a statement with the board in front of some of the predicates that it names."""
    if not lifted:
        return statement
    if statement.kind == ASTType.ShowSignature:
        node = statement.node
        return statement.rewrite(lambda _: f"#show {node.name}/{node.arity + 1}.")
    if statement.kind == ASTType.Rule:
        return statement.rewrite(lambda text: _put_board(text, lifted))
    return statement


def _put_board(text: str, lifted: frozenset[Signature]) -> str:
    """Put the board in front of the arguments of the atoms of some predicates in a rule."""
    atoms = [atom for atom in scan(text) if atom.signature in lifted]
    for atom in reversed(atoms):
        before = text[: atom.inside]
        if atom.arguments:
            board = f"{BOARD},"
        elif before.endswith(("(", ";")):
            board = BOARD  # one of a pool
        else:
            board = f"({BOARD})"
        text = f"{before}{board}{text[atom.inside :]}"
    if not any(atom.is_plain and not atom.in_head for atom in atoms):
        text = add_condition(text, f"board_id({BOARD})")
    return text


def _lift_rule_to_turns(statement: Statement) -> Statement:
    """Return a rule of a part with a variable for the turn, which a predicate binds."""
    range_ = _RANGES.get(statement.part, "turn")

    def lift(text: str) -> str:
        """Return the text of the rule with the variable."""
        with_turn = set_constant(text, statement.turn, TURN)
        if with_turn == text:
            return text
        return add_condition(with_turn, f"{range_}({TURN})")

    return statement.rewrite(lift)


def write_lifted(path: Path, parts: Collection[str]) -> str:
    """Return the text of one of our rule files with some parts lifted.

    Unchanged statements keep their text.
    """
    data = path.read_bytes()
    lines = data.split(b"\n")
    program = read_program([path], "shipped")
    lifted = lift_turns(program, parts)
    written = b""
    copied = 0
    for old, new in zip(program.statements, lifted.statements, strict=True):
        if new.text == old.text:
            continue
        location = old.location
        begin = _find_offset(lines, location.begin)
        written += data[copied:begin]
        written += new.text.encode()
        copied = _find_offset(lines, location.end)
    written += data[copied:]
    return written.decode()


def _find_offset(lines: Sequence[bytes], position: Position) -> int:
    """Return the offset of a position in a file, in bytes."""
    offset = position.column - 1
    for line in lines[: position.line - 1]:
        line_end = 1
        offset += len(line) + line_end
    return offset


def pair_versions(before: Program, after: Program) -> tuple[Program, frozenset[Signature]]:
    """Return two versions of rules as one program, and the predicates that may differ between them.

    The values of constants are set. Rules that derive such predicates occur twice: in the copy for
    the second version, the names of the predicates end in ``_after``. All other rules occur once. A
    constraint or a choice that differs is a RuleError, since it would hold for both versions.
    """
    first = _list_decided_rules(before)
    second = _list_decided_rules(after)
    different = (*_list_missing(first, second), *_list_missing(second, first))
    for rule in different:
        if rule.guides:
            raise rule.error(_GUIDES)
    doubled = Program(different).derived
    if doubled:
        # Choices are made once, by the first version.
        rules = [rule for rule in (*first, *second) if not (rule.guides and rule.heads)]
        decided = Program(tuple(rules))
        doubled = decided.find_dependents(doubled)
    copies = _rename_rules(second, doubled)
    shows = [s for s in before.statements if s.kind == ASTType.ShowSignature]
    statements = (*first, *copies, *shows)
    joined = Program(statements, limits=after.limits)
    return joined, doubled


def _rename_rules(rules: Iterable[Statement], doubled: frozenset[Signature]) -> list[Statement]:
    """Return copies of the rules that derive doubled predicates, with names that end in ``_after``.

    A choice of a doubled predicate is a RuleError.
    """

    def rename(text: str) -> str:
        ends = {a.begin + len(a.name) for a in scan(text) if a.signature in doubled}
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]}_after{text[end:]}"
        return text

    copies = list[Statement]()
    for rule in rules:
        if rule.guides:
            if doubled & rule.heads:
                raise rule.error(_GUIDES)
        elif doubled & rule.heads:
            copies.append(rule.rewrite(rename))
    return copies


def _list_missing(statements: Sequence[Statement], others: Iterable[Statement]) -> list[Statement]:
    """List the statements whose text differs from that of all others, each once."""
    missing = {statement.text: statement for statement in statements}
    for other in others:
        missing.pop(other.text, None)
    return list(missing.values())


def _list_decided_rules(program: Program) -> list[Statement]:
    """List the rules of a program, with its constants replaced by their values."""
    values: dict[str, str] = {}
    for name, definition in program.definitions.items():
        values[name] = str(definition.value)
    values.update((name, value) for name, value in program.constants if name in values)
    names = re.compile(rf"(?<![\w'])({'|'.join(values) or '(?!)'})(?![\w'(])")
    # The value of a constant may name others.
    while any(map(names.search, values.values())):
        for name, value in values.items():
            values[name] = names.sub(lambda found: values[found[1]], value)

    def decide(text: str) -> str:
        for name, value in values.items():
            text = set_constant(text, name, value)
        return text

    rules = [statement for statement in program.statements if statement.kind == ASTType.Rule]
    return [rule.rewrite(decide) for rule in rules]
