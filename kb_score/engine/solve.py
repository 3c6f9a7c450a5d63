"""Grounds and solves programs with clingo, and finds the rule that prevents a single answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from clingo import Control, Model, Number, Symbol
from clingo.ast import ASTType, Location, Position, ProgramBuilder, ShowSignature

from kb_score.engine.program import (
    DEFAULT,
    DRIVER,
    SYNTAX,
    Limits,
    Logger,
    Program,
    Statement,
    collected_messages,
    error_at,
    parse_program,
    parse_rewritten,
    plain_head,
)
from kb_score.engine.scan import Signature
from kb_score.engine.supervisor import Deadline, LimitError, Supervisor
from kb_score.engine.terms import (
    Answer,
    Facts,
    FactSource,
    Row,
    Term,
    Value,
    to_atom,
    to_exact_value,
)
from kb_score.errors import HINT, RuleError
from kb_score.resources import is_shipped, rule_file_name

NONE = "the rules have no answer set: they contradict themselves or the facts"
SEVERAL = "the rules have more than one answer set: everything must follow from the facts"

_NOWHERE = Location(Position(DRIVER, 1, 1), Position(DRIVER, 1, 1))


class AnswerSetError(RuleError):
    """The rules have no answer set, or several although they should decide everything."""


def solve_each(
    program: Program,
    facts: Facts,
    options: Sequence[str] = (),
    *,
    parts: Sequence[tuple[str, int]] = (),
    best: bool = False,
    exact: Collection[Signature] = (),
) -> list[Answer]:
    """Ground a program, solve it, and return the shown atoms of its answer sets.

    Args:
        options: Options of clingo.
        parts: The parts that are grounded in addition to the base part, each for one turn.
        best: Whether to return only one answer set, which has the lowest cost.
        exact: The predicates that become facts of another question; see `read_model`.
    """

    def solve(program: Program) -> list[Answer]:
        """Solve a variant of the program with the same facts."""
        return _solve(program, facts, options, parts, best=best, exact=exact)

    try:
        return solve(program)
    except LimitError:
        raise
    except RuleError as error:
        raise blame_user(program, error, solve) from error


def _solve(
    program: Program,
    facts: Facts,
    options: Sequence[str],
    parts: Sequence[tuple[str, int]],
    *,
    best: bool,
    exact: Collection[Signature],
) -> list[Answer]:
    """Do what `solve_each` does, with clingo's errors as they are."""
    chosen = choose_facts(facts, program)
    source = FactSource(chosen)
    grounded: list[tuple[str, list[Symbol]]] = [("base", [])]
    for part, turn in parts:
        grounded.append((part, [Number(turn)]))
    with collected_messages(program.statements) as log:
        taking_in = parse_rules(tuple(source.taking_in))
        control = open_control(program + taking_in, log, *options)
        supervisor = Supervisor(program)

        def solve() -> list[Answer]:
            """Ground and solve the program, and read its answer sets."""
            control.ground(grounded, context=source)
            supervisor.is_solving = True
            with control.solve(yield_=True) as models:
                if not best:
                    return [read_model(model, exact) for model in models]
                # Only the best answer set is read: a long game has many atoms.
                for model in models:
                    if not any(model.cost):
                        return [read_model(model, exact)]
                last = models.last()
                if last is None:
                    return []
                return [read_model(last, exact)]

        return supervisor.run(solve, control.interrupt)


def only_one(answers: Sequence[Answer]) -> Answer:
    """Return the only answer set; an AnswerSetError if there is none, or more than one."""
    if not answers:
        raise AnswerSetError(NONE)
    if len(answers) > 1:
        raise AnswerSetError(SEVERAL)
    return answers[0]


def open_control(
    program: Program, log: Logger, *options: str, shown: Sequence[Signature] = ()
) -> Control:
    """Return a control with a program that is not grounded yet.

    Models show the given predicates in addition to those of the program's ``#show`` lines.
    """
    constants = [f"-c{name}={value}" for name, value in program.constants]
    control = Control([*constants, *options], logger=log)
    rewritten = tuple(s for s in program.statements if s.is_rewritten)
    parsed = iter(parse_rewritten(rewritten))
    with SYNTAX, ProgramBuilder(control) as builder:
        for statement in program.statements:
            builder.add(next(parsed) if statement.is_rewritten else statement.safe_tree)
        # Without any #show statement clingo would show every atom.
        for name, arity in [("", 0), *shown]:
            builder.add(ShowSignature(_NOWHERE, name, arity, True))
    return control


def read_model(model: Model, exact: Collection[Signature] = ()) -> Answer:
    """Copy the shown atoms of a model, which does not outlive its solve call.

    In rows of the exact predicates, a constant is not the same as a string.
    """
    rows: dict[Signature, list[Row]] = {}
    for symbol in model.symbols(shown=True):
        signature, row = to_atom(symbol)
        if signature in exact:
            row = tuple(map(to_exact_value, symbol.arguments))
        rows.setdefault(signature, []).append(row)
    return Answer(rows)


@lru_cache(maxsize=256)
def parse_rules(rules: tuple[str, ...]) -> Program:
    """Parse rules that take in facts; cached, since most facts have the same predicates."""
    text = "\n".join(rules)
    return parse_program(text)


def choose_facts(facts: Facts, program: Program) -> Facts:
    """Return the facts that a program reads, since handing over the others takes time."""
    # Lifted rules also read the numbers of the boards.
    asked = program.asked | {"board_id"}
    return {name: rows for name, rows in facts.items() if name in asked}


class AnswerSearch:
    """A search for answer sets with different shown atoms, in a program that is grounded once."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        shown: Signature,
        deadline: Deadline,
        options: Sequence[str] = (),
    ) -> None:
        """Ground the program, whose atoms of one predicate are shown.

        A deadline that has passed is a `TimeUp`; too much memory is a `LimitError`.
        """
        own_limits = program.limits or DEFAULT
        limits = Limits(seconds=None, memory=own_limits.memory)
        program = replace(show_only(program, shown), limits=limits)
        chosen = choose_facts(facts, program)
        source = FactSource(chosen)
        deadline.check()
        self._supervisor = Supervisor(program, deadline)
        try:
            with collected_messages(program.statements) as log:
                whole = program + parse_rules(tuple(source.taking_in))
                self._control = open_control(whole, log, "--project=show", *options)
                self._supervisor.run(lambda: self._control.ground([("base", [])], context=source))
        except LimitError:
            raise
        except RuleError as error:
            raise blame_user(program, error) from error

    def find(self, mode: str = "auto") -> Iterator[Answer]:
        """Yield the answer sets, with clingo's option ``--enum-mode``.

        With "cautious", the answers are ever smaller sets; the last one has just the atoms that all
        answer sets share. The errors are those of the constructor.
        """
        settings = self._control.configuration.solve
        assert not isinstance(settings, str | int | None)
        settings.enum_mode = mode
        settings.models = 0
        models = self._supervisor.models(self._control)
        yield from map(read_model, models)


def show_only(program: Program, *shown: Signature) -> Program:
    """Return a copy that shows no other predicates; without ``#show`` lines it shows all atoms."""

    def stays(statement: Statement) -> bool:
        """Return whether a statement shows none of the other predicates."""
        if statement.kind == ASTType.ShowSignature:
            return (statement.node.name, statement.node.arity) in shown
        return statement.kind != ASTType.ShowTerm

    statements = filter(stays, program.statements)
    return replace(program, statements=tuple(statements))


# The number of rules to leave out, one at a time, to see whether one answer set remains.
_TRIED = 50

_Ask = Callable[[Program], Sequence[Answer]]


def check_alone(program: Program, ask: _Ask, *, choices: bool) -> None:
    """Raise a RuleError unless a user's rules are safe and those independent of ours decide all.

    With ``choices``, the user's rules may leave a choice. The function ``ask`` solves a program.
    """
    with collected_messages(program.statements) as log:
        control = open_control(program, log)
        no_facts = FactSource({})
        Supervisor(program).run(lambda: control.ground([("base", [])], context=no_facts))
    independent = _find_independent(program, choices=choices)
    rules = replace(program, statements=independent)
    if not find_suspects(rules):
        return
    answers = ask(rules)
    if len(answers) != 1:
        raise find_conflict(rules, ask, several=bool(answers))


def _find_independent(program: Program, *, choices: bool) -> tuple[Statement, ...]:
    """Return the statements that depend neither on choices nor on the rules of the game."""
    kept = [s for s in program.statements if not (choices and s.guides and s.heads)]
    while True:
        left_out = set(program.statements).difference(kept)
        given = program.used - Program(tuple(kept)).derived
        undecided = given | Program(tuple(left_out)).derived
        independent = [s for s in kept if undecided.isdisjoint(s.body)]
        if len(independent) == len(kept):
            return tuple(kept)
        kept = independent


def find_conflict(program: Program, ask: _Ask, *, several: bool) -> AnswerSetError:
    """Return an AnswerSetError at the user's rule that is the most likely cause.

    There are several answer sets, or none. The function ``ask`` solves a program.
    """
    message = SEVERAL if several else NONE
    suspects = find_suspects(program)
    if not suspects:
        return AnswerSetError(message)
    # A rule that reads its own head is a more likely cause.
    suspects.sort(key=lambda s: s.heads.isdisjoint(s.body))
    cause = suspects[0]
    for suspect in suspects[:_TRIED]:
        if _is_cause(program, ask, suspect):
            cause = suspect
            break
    if several:
        hint = _describe_difference(program, ask)
    elif not cause.heads:
        hint = "the body of this constraint holds"
    else:
        heads = [f"{name}/{arity}" for name, arity in cause.heads]
        words = " or ".join(sorted(heads))
        hint = f"{words} depends on its own absence"
    error = error_at(cause.location, message, hint)
    return AnswerSetError(str(error))


def name_suspect(
    program: Program, message: str, open_: frozenset[Signature] = frozenset()
) -> RuleError:
    """Return an error at one of the user's rules that may be its cause.

    Rules that derive open predicates are suspected first.
    """
    suspects = find_suspects(program)
    suspects.sort(key=lambda s: open_.isdisjoint(s.heads))
    if not suspects:
        return RuleError(message)
    first = suspects[0]
    return error_at(first.location, message)


def find_origin(users: Program, fact: Value, message: str) -> RuleError:
    """Return an error about a fact, at the user's rule that derives it.

    This is the rule whose head has the most arguments in common with the fact. The error has no
    place if no rule derives such a fact.
    """
    if not isinstance(fact, Term):
        return RuleError(message)
    best = -1
    place = None
    for statement in users.statements:
        head = plain_head(statement)
        if head is None or head.name != fact.name or len(head.arguments) != len(fact.arguments):
            continue
        pairs = zip(head.arguments, fact.arguments, strict=True)
        alike = sum(str(term) == str(value) for term, value in pairs)
        if alike > best:
            best = alike
            place = head.location
    if place is None:
        return RuleError(message)
    return error_at(place, message)


def blame_user(program: Program, error: RuleError, ask: _Ask | None = None) -> RuleError:
    """Return an error of clingo at one of our rules as one at the user's rule that causes it.

    Errors at other places are returned as they are. The function ``ask`` solves a program, to find
    out whether a rule is the cause; without it, the first rule that derives what our rule reads is
    blamed.
    """
    if _OVERFLOW in str(error):
        return _blame_overflow(program)
    is_value_wrong = any(words in str(error) for words in _WRONG_VALUES)
    if error.path is None or not is_value_wrong or not is_shipped(Path(error.path)):
        return error
    read = set[Signature]()
    for statement in program.statements:
        location = statement.location
        is_there = location.begin.line <= (error.line or 0) <= location.end.line
        if is_there and location.begin.filename == error.path:
            read |= statement.body
    direct = [s for s in program.statements if not (s.is_ours or read.isdisjoint(s.heads))]
    causes = direct
    if ask is not None:
        users = [s for s in program.statements if s.heads and not s.is_ours and s not in direct]
        suspects = [*direct, *users][:_TRIED]
        causes = [s for s in suspects if _is_cured(program, ask, s)] or direct
    if not causes:
        return error
    text, *lines = str(error).split("\n")
    hints = [line for line in lines if line.startswith(HINT)] or [""]
    _, _, problem = text.partition(": ")
    place = f"{rule_file_name(Path(error.path))}:{error.line}"
    message = f"our rule in {place} cannot use what this gives: {problem}"
    hint = hints[0].removeprefix(HINT)
    return error_at(causes[0].location, message, hint)


# In messages about values that a rule cannot compute with.
_WRONG_VALUES = ("operation undefined", "tuple ignored")
# In the message of clasp, which does not say where.
_OVERFLOW = "Integer overflow"
_TEXT = re.compile(r'"[^"]*"')
_NUMBER = re.compile(r"[0-9]+")


def _blame_overflow(program: Program) -> RuleError:
    """Return the error for a sum that is too large, at the user's rule with the largest number."""
    message = "a sum over all that may hold does not fit in 32 bits"
    numbers: list[tuple[int, Statement]] = []
    for statement in program.statements:
        if not statement.is_ours and statement.heads:
            text = _TEXT.sub("", str(statement.node))
            found = map(int, _NUMBER.findall(text))
            numbers.append((max(found, default=0), statement))
    if not numbers:
        return RuleError(message)
    _, cause = max(numbers, key=lambda pair: pair[0])
    return error_at(cause.location, message, "use smaller numbers")


def find_suspects(program: Program) -> list[Statement]:
    """Return a user's rules that are choices or constraints, or part of a loop."""
    return [statement for statement in program.statements if _is_suspect(program, statement)]


def _is_suspect(program: Program, statement: Statement) -> bool:
    """Return whether a statement is a user's choice or constraint, or part of a loop."""
    if not statement.is_from_user:
        return False
    if statement.guides:
        return True
    # There may be thousands of facts, and they are part of no loop.
    if not statement.body:
        return False
    dependents = program.find_dependents(statement.heads)
    return not statement.body.isdisjoint(dependents)


def _is_cause(program: Program, ask: _Ask, suspect: Statement) -> bool:
    """Return whether exactly one answer set remains if a rule is left out."""
    try:
        answers = ask(_leave_out(program, suspect))
    except RuleError:
        return False
    return len(answers) == 1


def _is_cured(program: Program, ask: _Ask, suspect: Statement) -> bool:
    """Return whether clingo reports nothing if a rule is left out."""
    try:
        ask(_leave_out(program, suspect))
    except RuleError:
        return False
    return True


def _leave_out(program: Program, suspect: Statement) -> Program:
    """Return a program without one of its statements."""
    others = tuple(s for s in program.statements if s is not suspect)
    return replace(program, statements=others)


def _describe_difference(program: Program, ask: _Ask) -> str:
    """Describe a difference between two answer sets in the atoms that a user's rules derive."""
    users = [statement for statement in program.statements if statement.is_from_user]
    heads = Program(tuple(users)).derived
    shows = [f"#show {name}/{arity}." for name, arity in sorted(heads)]
    showing = parse_program(" ".join(shows))
    answers = ask(program + showing)
    first, second = map(_list_terms, answers[:2])
    only_first = sorted(map(str, first - second))
    only_second = sorted(map(str, second - first))
    if only_first and only_second:
        return f"one answer set has {only_first[0]}, another has {only_second[0]}"
    named = [*only_first, *only_second, "something"]
    return f"one answer set has {named[0]}, another does not"


def _list_terms(answer: Answer) -> set[Term]:
    """Return the atoms of an answer as terms."""
    terms = set[Term]()
    for (name, _), rows in answer.rows.items():
        terms.update(Term(name, row) for row in rows)
    return terms
