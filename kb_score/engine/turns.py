"""A user's rules about turns: which turns they may read, and how they fit checks and live play.

A check grounds all turns together, so a rule may have a variable for the turn. Live play grounds
turn after turn, so there the rule moves into the part that derives what its body asks for:

    terminal(T) :- move(jump,From,To,T).
    #program step(t). terminal(t) :- move(jump,From,To,t).

Live play and `legal` know one turn and the state before it, so a rule on which they depend reads
one turn only. Where a turn is not the number that people count, the game derives `turn_of(T,N)`,
and a rule that compares turns compares numbers:

    terminal(T) :- moved(T), T > 8.
    terminal(T) :- moved(T), T' > 8, turn_of(T,T').
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, TypeAlias

from clingo.ast import ASTType

from kb_score.engine.docs import Predicate
from kb_score.engine.messages import raise_all
from kb_score.engine.program import BEFORE, OPEN, Program, Statement, parse_program
from kb_score.engine.scan import (
    STRING,
    Atom,
    Signature,
    add_condition,
    is_variable,
    remove_condition,
    scan,
    set_variable,
)
from kb_score.errors import RuleError

# The indices, from 0, of the arguments that are turns, by predicate.
TurnIndices: TypeAlias = Mapping[Signature, Set[int]]

# The name of such an argument in the documentation.
_TURN = "T"
# The turn before the first one, whose rules are outside the parts.
_START = "0"
TURN_OF = "turn_of"
# The parts of a turn that are used after part `open`.
_LATE = {"ways", "step", "judge"}
_NUMBER = re.compile(r"[0-9]+|\(?[0-9]+\.\.[0-9]+\)?")
# What `legal` and live play read, besides what the parts of the rules read.
_ROOTS = frozenset(["forbidden", "illegal", "terminal"])
_MEMORY = (
    "a rule sees its own turn and the state before it: let a predicate of your own remember the "
    "rest, as in went(P,D,t) :- go(P,D,_,t) and went(P,D,t) :- before_went(P,D,t)"
)


def find_turn_indices(
    ours: Program, users: Program, documented: Iterable[Predicate]
) -> dict[Signature, set[int]]:
    """Return the indices of the arguments that are turns, by predicate.

    These are the arguments called T in the documentation, those that are the parameter of a part,
    and those of a user's predicates that share a variable with one of these.
    """
    indices = defaultdict[Signature, set[int]](set)
    for predicate in documented:
        for index, argument in enumerate(predicate.arguments):
            if argument == _TURN:
                indices[predicate.signature].add(index)
    for statement in (ours + users).statements:
        if statement.turn:
            _add_indices(statement.atoms, {statement.turn}, indices)
    own = users.derived - ours.derived - ours.inputs
    size = -1
    while size < sum(map(len, indices.values())):
        size = sum(map(len, indices.values()))
        for statement in users.statements:
            added = [atom for atom in statement.atoms if atom.signature in own]
            _add_indices(added, _find_variables(statement, indices), indices)
    return dict(indices)


def _add_indices(
    atoms: Iterable[Atom], terms: Set[str], indices: defaultdict[Signature, set[int]]
) -> None:
    """Add the indices of some terms, where they are whole arguments of atoms."""
    for atom in atoms:
        for index, argument in enumerate(atom.arguments):
            if argument in terms:
                indices[atom.signature].add(index)


def _find_variables(statement: Statement, indices: TurnIndices) -> set[str]:
    """Find the variables of a rule that are turns."""
    turns = chain.from_iterable(_list_turns(atom, indices) for atom in statement.atoms)
    return {turn for turn in turns if is_variable(turn)}


def _list_turns(atom: Atom, indices: TurnIndices) -> list[str]:
    """List the arguments of an atom that are turns."""
    return [atom.arguments[index] for index in sorted(indices.get(atom.signature, ()))]


def check_turns(ours: Program, users: Program, indices: TurnIndices) -> None:
    """Raise a RuleError unless a user's rules read only their own turn, and what is known then.

    Our rules include the user's copies of our files. The indices are those of the turns.
    """
    faults = chain(
        find_unknown_in_open(ours, users, indices, frozenset()),
        find_other_turns_in_parts(users, indices),
        _find_other_turns(ours, users, indices),
    )
    raise_all(faults)


def find_other_turns_in_parts(rules: Program, indices: TurnIndices) -> Iterator[RuleError]:
    """Yield errors where a rule of a part reads another turn, or derives something for one."""
    for rule in rules.statements:
        turn = rule.turn
        if not turn or all(name.startswith(BEFORE) for name, _ in rule.heads):
            continue
        for atom in rule.atoms:
            if all(one == turn for one in _list_turns(atom, indices)):
                continue
            if atom.in_head:
                message = f"{atom.name} is derived for another turn than {turn}"
                yield rule.error(message, f"write {turn} for the turn", atom.begin)
            else:
                yield _refuse(rule, atom, turn, indices)


def _find_other_turns(ours: Program, users: Program, indices: TurnIndices) -> Iterator[RuleError]:
    """Yield errors where a user's rule outside the parts is about several turns.

    It may be if only verdicts and results depend on it.
    """
    program = ours + users
    needed = _find_roots(program)
    for statement in program.statements:
        if statement.turn:
            needed |= statement.body
    needed_of_users = users.find_needed(needed)
    for rule in users.statements:
        if not rule.turn and not needed_of_users.isdisjoint(rule.heads):
            yield from _check_rule(rule, indices)


def _find_roots(program: Program) -> set[Signature]:
    """Find the predicates of a program that `legal` and live play read."""
    return {signature for signature in program.derived | program.used if signature[0] in _ROOTS}


def _refuse(rule: Statement, atom: Atom, turn: str, indices: TurnIndices) -> RuleError:
    """Return the error for an atom about another turn than that of its rule."""
    term = next(term for term in _list_turns(atom, indices) if term != turn or turn == "_")
    if term.strip("()") == f"{turn}-1":
        message = f"{atom.name} of turn {turn}-1 is the state before turn {turn}"
        hint = f"write {BEFORE}{atom.name} with {turn} as its last value"
        if any(name == f"{BEFORE}{atom.name}" for name, _ in indices):
            return rule.error(message, hint, atom.begin)
    message = f"{atom.name} is about another turn than {turn}, the turn of this rule"
    return rule.error(message, _MEMORY, atom.begin)


def _check_rule(rule: Statement, indices: TurnIndices) -> Iterator[RuleError]:
    """Check that a rule outside the parts is about one turn."""
    of_turns = [atom for atom in rule.atoms if indices.get(atom.signature)]
    asked = [atom for atom in of_turns if not atom.in_head]
    if not asked:
        return
    turn = _list_turns(asked[0], indices)[0]
    for head in of_turns:
        if not head.in_head:
            continue
        turns = _list_turns(head, indices)
        turn = turns[0]
        is_named = turn == _START or is_variable(turn)
        if not is_named or set(turns) != {turn}:
            message = f"{head.name} is derived for another turn than that of the conditions"
            yield rule.error(message, "write the same variable for the turn", head.begin)
            return
    for atom in asked:
        if turn == "_" or set(_list_turns(atom, indices)) != {turn}:
            yield _refuse(rule, atom, turn, indices)


def find_unknown_in_open(
    ours: Program, users: Program, indices: TurnIndices, answers: Set[Signature]
) -> Iterator[RuleError]:
    """Yield the atoms in rules of part ``open`` that are not known before the answer of the turn.

    The answers are the predicates of the facts of answers.
    """
    parts = defaultdict[Signature, set[str]](set)
    for statement in (ours + users).statements:
        for signature in statement.heads:
            parts[signature].add(statement.part)
    for rule in users.statements:
        if rule.part != OPEN:
            continue
        for atom in rule.atoms:
            derived_in = parts[atom.signature]
            is_late = atom.signature in answers or (derived_in and derived_in <= _LATE)
            # What turn t-1 has derived is known: a chain.lp hands it on.
            is_now = rule.turn in _list_turns(atom, indices)
            if is_late and is_now and not atom.in_head:
                name, arity = atom.signature
                message = f"{name}/{arity} is not known in part {OPEN}"
                hint = "it comes with the answer: write #program step(t). above the rule"
                yield rule.error(message, hint, atom.begin)


def gives_turn_numbers(program: Program) -> bool:
    """Return whether the rules of a game give the numbers of turns."""
    return any(name == TURN_OF for name, _ in program.derived)


def compare_turn_numbers(
    program: Program, indices: TurnIndices, copied: Collection[str]
) -> Program:
    """Let a user's rules count turns as people do, if the program derives `turn_of`.

    A move that is tried out is a turn of its own, such as ``try(From,To)``, which has a number. A
    user's copy of one of our files, which are named, means what our file means.
    """
    # A verdict is about the turns of the record, and not about moves that are tried out.
    needed = program.find_needed(_find_roots(program))
    statements: list[Statement] = []
    for statement in program.statements:
        is_new = statement.origin == "user" and statement.path.name not in copied
        if is_new and not needed.isdisjoint(statement.heads):
            statement = _count(statement, indices)
        statements.append(statement)
    return replace(program, statements=tuple(statements))


def _count(statement: Statement, indices: TurnIndices) -> Statement:
    """Return a rule in which the numbers of turns stand in place of turns that are compared."""
    turns = _find_variables(statement, indices)
    return statement.rewrite(lambda text: _write_numbers(text, turns, indices))


def _write_numbers(text: str, turns: Set[str], indices: TurnIndices) -> str:
    """Return the text of a rule with numbers in place of turns that are no arguments of their own.

    In the head, a turn may also be a number such as 8 or 1..8.
    """
    numbers: dict[str, str] = {}
    spans: list[tuple[int, int, str]] = []
    for atom in scan(text):
        for index in sorted(indices.get(atom.signature, ())):
            argument = kept = atom.arguments[index]
            if atom.in_head and _NUMBER.fullmatch(argument):
                kept = f"Turn{index}'"
                numbers[kept] = argument
            begin = atom.begin_of(index)
            spans.append((begin, begin + len(argument), kept))
    written = ""
    copied = 0
    pattern = re.compile(rf"({STRING})|(?<![\w'])({'|'.join(turns) or '(?!)'})(?![\w'])")

    def count(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        numbers[found[2]] = f"{found[2]}'"
        return numbers[found[2]]

    for begin, end, kept in spans:
        written += pattern.sub(count, text[copied:begin]) + kept
        copied = end
    written += pattern.sub(count, text[copied:])
    for turn, number in numbers.items():
        written = add_condition(written, f"{TURN_OF}({turn},{number})")
    return written


class _Part(NamedTuple):
    """A part of a program: its place in the order of the files, its name and its parameter."""

    number: int
    name: str
    turn: str


def move_into_parts(program: Program) -> Program:
    """Move a user's rules about one turn, which are outside all parts, into a part for the turn.

    A condition ``turn(T)`` always holds in live play, so it is left out, also in a part. The rules
    that have moved are the last statements of the result.
    """
    part_of = _find_parts(program)
    kept: list[Statement] = []
    moved = defaultdict[_Part, list[Statement]](list)
    for statement in program.statements:
        if statement.kind == ASTType.Rule and statement.origin != "shipped":
            if statement.turn:
                statement = _drop_turn(statement, statement.turn)
            elif statement.origin == "user":
                part, variable = _find_part(statement, part_of)
                if part is not None:
                    moved[part].append(_lower(statement, part, variable))
                    continue
        kept.append(statement)
    for part, rules in moved.items():
        begin = parse_program(f"#program {part.name}({part.turn}).")
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
    number = 0
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            number += 1
        part = _Part(number, statement.part, statement.turn)
        for atom in statement.atoms if statement.turn else ():
            if atom.last != statement.turn:
                continue
            signature = (atom.name.removeprefix("-"), len(atom.arguments))
            if atom.in_head:
                derived[signature] = part
            else:
                asked.setdefault(signature, part)
    return asked | derived


def _find_part(rule: Statement, part_of: Mapping[Signature, _Part]) -> tuple[_Part | None, str]:
    """Return the part for a rule and the variable of its turn; None if it is not about one turn."""
    parts: set[_Part] = set()
    variables: set[str] = set()
    for atom in rule.atoms:
        # An aggregate is about all turns.
        if atom.in_head or not atom.is_alone or not is_variable(atom.last):
            continue
        if atom.signature == ("turn", 1) and atom.is_plain and part_of:
            # A turn has been played once its answer is known.
            parts.add(min(part_of.values(), key=lambda part: (part.name == OPEN, part.number)))
            variables.add(atom.last)
        elif atom.signature in part_of:
            parts.add(part_of[atom.signature])
            variables.add(atom.last)
    if len(variables) != 1:
        return None, ""
    # The part ``open`` is the first of a turn, then they follow as in the files.
    return max(parts, key=lambda part: (part.name != OPEN, part.number)), variables.pop()


def _lower(rule: Statement, part: _Part, variable: str) -> Statement:
    """Return a rule with the parameter of a part in place of a variable."""
    without = _drop_turn(rule, variable)
    lowered = without.rewrite(lambda text: set_variable(text, variable, part.turn))
    return replace(lowered, part=part.name, turn=part.turn)


def _drop_turn(rule: Statement, turn: str) -> Statement:
    """Return a rule without the condition that there is its turn."""
    if ("turn", 1) not in rule.needs:
        return rule

    def drop(text: str) -> str:
        atoms = [a for a in scan(text) if a.name == "turn" and a.arguments == (turn,)]
        for atom in reversed(atoms):
            if atom.is_plain and not atom.in_head:
                text = remove_condition(text, atom)
        return text

    return rule.rewrite(drop)
