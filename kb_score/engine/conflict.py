"""Why a user's rules have no answer set, or several: the rule that brings it about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kb_score.engine.messages import error_at
from kb_score.engine.program import Program, Signature, Statement, parse_program, plain_head
from kb_score.engine.solve import NONE, SEVERAL, AnswerSetError
from kb_score.engine.terms import Answer, Term, Value
from kb_score.errors import RuleError

# So many rules are left out in turn, to see whether one answer set remains.
_TRIED = 50

_Ask = Callable[[Program], Sequence[Answer]]


def check_alone(program: Program, ask: _Ask, *, choices: bool) -> None:
    """Check that a user's rules that ask nothing of ours have one answer set, but for choices."""
    left_out = [s for s in program.statements if choices and s.guides and s.heads]
    own = [s for s in program.statements if not (choices and s.guides and s.heads)]
    while True:
        given = program.defined - Program(tuple(own)).derived
        open_ = given.union(*(s.heads for s in left_out))
        if not (found := [s for s in own if not open_.isdisjoint(s.body)]):
            break
        left_out += found
        own = [s for s in own if open_.isdisjoint(s.body)]
    rules = replace(program, statements=tuple(own), defined=program.defined | program.derived)
    if find_suspects(rules) and len(answers := ask(rules)) != 1:
        raise find_conflict(rules, ask, several=bool(answers))


def find_conflict(program: Program, ask: _Ask, *, several: bool) -> AnswerSetError:
    """Find the rule of a user without which there is one answer set, and make the error of it."""
    message, hint = SEVERAL if several else NONE, ""
    suspects = find_suspects(program)
    # Who speaks of itself is guiltier than who speaks of it.
    suspects.sort(key=lambda s: s.heads.isdisjoint(s.body))
    if not suspects:
        return AnswerSetError(message)
    if several:
        hint = _tell_apart(program, ask)
    cause = next((s for s in suspects[:_TRIED] if _is_cause(program, ask, s)), suspects[0])
    if not several and not cause.heads:
        hint = "what this rule forbids is the case"
    elif not several:
        words = " or ".join(sorted(f"{name}/{arity}" for name, arity in cause.heads))
        hint = f"{words} depends on its own absence"
    return AnswerSetError(str(error_at(cause.node.location, message, hint)))


def name_suspect(
    program: Program, message: str, open_: frozenset[Signature] = frozenset()
) -> RuleError:
    """Make the error that a message is, at a rule of the user's that may be the cause."""
    suspects = find_suspects(program)
    suspects.sort(key=lambda s: open_.isdisjoint(s.heads))
    if not suspects:
        return RuleError(message)
    return error_at(suspects[0].node.location, message)


def find_origin(users: Program, fact: Value, message: str) -> RuleError:
    """Make the error that a message about a fact is, at the rule of the user's that says it."""
    name, said = (fact.name, [*map(str, fact.arguments)]) if isinstance(fact, Term) else ("", [])
    best, place = -1, None
    for head in filter(None, map(plain_head, users.statements)):
        if head.name == name and len(head.arguments) == len(said):
            alike = sum(str(term) == word for term, word in zip(head.arguments, said, strict=True))
            if alike > best:
                best, place = alike, head.location
    return RuleError(message) if place is None else error_at(place, message)


def find_suspects(program: Program) -> list[Statement]:
    """Find the rules of a user that are choices or constraints, or part of a loop."""
    # There may be thousands of facts: they are part of no loop.
    return [
        s
        for s in program.statements
        if s.is_users and (s.guides or (s.body and s.body & program.find_dependents(s.heads)))
    ]


def _is_cause(program: Program, ask: _Ask, suspect: Statement) -> bool:
    others = tuple(s for s in program.statements if s is not suspect)
    defined = program.defined | suspect.heads | suspect.body
    try:
        return len(ask(replace(program, statements=others, defined=defined))) == 1
    except RuleError:
        return False


def _tell_apart(program: Program, ask: _Ask) -> str:
    """Tell an atom of a user's rules that holds in one answer set, and one that does in another."""
    heads = frozenset(h for s in program.statements if s.is_users for h in s.heads)
    shown = parse_program(" ".join(f"#show {name}/{arity}." for name, arity in sorted(heads)))
    answers = ask(replace(program + shown, defined=program.defined | heads))
    first, second = (
        {Term(name, row) for (name, _), rows in answer.rows.items() for row in rows}
        for answer in answers[:2]
    )
    told = [min(map(str, some)) for some in (first - second, second - first) if some]
    one, *another = told or ["something"]
    return f"one answer set has {one}, another " + (f"has {another[0]}" if another else "does not")
