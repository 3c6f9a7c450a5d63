"""Grounds and solves programs with clingo, and finds the rule that prevents a single answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from clingo import Control, Model, Number, Symbol
from clingo.ast import ASTType, Location, Position, ProgramBuilder, ShowSignature

from kb_score.engine.messages import DRIVER, Logger, collected_messages
from kb_score.engine.program import (
    DEFAULT,
    SYNTAX,
    Limits,
    Program,
    Statement,
    parse_program,
    parse_rewritten,
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
from kb_score.errors import HINT, RuleError, describe_list
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
    try:
        return _solve(program, facts, options, parts, best=best, exact=exact)
    except LimitError:
        raise
    except RuleError as error:
        raise blame_user(program, error) from error


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
        taking_in = parse_cached(tuple(source.taking_in))
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
    rewritten = tuple(s for s in program.statements if not s.is_as_in_file)
    parsed = iter(parse_rewritten(rewritten))
    with SYNTAX, ProgramBuilder(control) as builder:
        for statement in program.statements:
            builder.add(statement.tree if statement.is_as_in_file else next(parsed))
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
        if exact and (symbol.name, len(symbol.arguments)) in exact:
            signature = (symbol.name, len(symbol.arguments))
            row: Row = tuple(map(to_exact_value, symbol.arguments))
        else:
            signature, row = to_atom(symbol)
        rows.setdefault(signature, []).append(row)
    return Answer(rows)


@lru_cache(maxsize=256)
def parse_cached(rules: tuple[str, ...]) -> Program:
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
                whole = program + parse_cached(tuple(source.taking_in))
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


def ground_alone(program: Program) -> None:
    """Raise a RuleError unless clingo can ground a user's rules by themselves."""
    with collected_messages(program.statements) as log:
        control = open_control(program, log)
        no_facts = FactSource({})
        Supervisor(program).run(lambda: control.ground([("base", [])], context=no_facts))


def find_conflict(program: Program, answers: Sequence[Answer]) -> AnswerSetError:
    """Return an AnswerSetError at the user's rule that may be the cause.

    There are several answers, or none.
    """
    if not answers:
        return AnswerSetError(str(name_suspect(program, NONE)))
    first, second = map(_list_terms, answers[:2])
    only_first, only_second = sorted(first - second), sorted(second - first)
    difference = ""
    if only_first and only_second:
        difference = f"one answer set has {only_first[0]}, another has {only_second[0]}"
    elif only_first or only_second:
        (atom, *_) = only_first or only_second
        difference = f"one answer set has {atom}, another does not"
    return AnswerSetError(str(name_suspect(program, SEVERAL, hint=difference)))


def _list_terms(answer: Answer) -> set[str]:
    """Return the atoms of an answer as text."""
    terms = set[str]()
    for (name, _), rows in answer.rows.items():
        terms.update(str(Term(name, row)) for row in rows)
    return terms


def name_suspect(
    program: Program, message: str, open_: frozenset[Signature] = frozenset(), hint: str = ""
) -> RuleError:
    """Return an error at one of the user's rules that may be its cause.

    Rules that derive open predicates are suspected first, then those that read their own heads.
    """
    suspects = find_undecided(program)
    suspects.sort(key=lambda s: (open_.isdisjoint(s.heads), s.heads.isdisjoint(s.body)))
    if not suspects:
        return RuleError(message)
    first, *others = suspects
    if others:
        places = [f"{rule_file_name(s.path)}:{s.location.begin.line}" for s in others]
        also = f"the cause may also be {describe_list(places[:3])}"
        hint = f"{hint}; {also}" if hint else also
    return first.error(message, hint)


def find_origin(users: Program, fact: Value, message: str) -> RuleError:
    """Return an error about a fact, at the user's rule that derives it.

    This is the rule whose head has the most arguments in common with the fact. The error has no
    place if no rule derives such a fact.
    """
    if not isinstance(fact, Term):
        return RuleError(message)
    best = -1
    error = RuleError(message)
    for statement in users.statements:
        head = statement.head
        if head is None or head.signature != (fact.name, len(fact.arguments)):
            continue
        pairs = zip(head.arguments, fact.arguments, strict=True)
        alike = sum(term.strip('"') == str(value) for term, value in pairs)
        if alike > best:
            best = alike
            error = statement.error(message, offset=head.begin)
    return error


def blame_user(program: Program, error: RuleError) -> RuleError:
    """Return an error of clingo at one of our rules as one at a user's rule that gives it a value.

    Errors at other places are returned as they are.
    """
    if _OVERFLOW in str(error):
        return RuleError(
            "a sum over all that may hold does not fit in 32 bits: use smaller numbers"
        )
    is_value_wrong = any(words in str(error) for words in _WRONG_VALUES)
    if error.path is None or not is_value_wrong or not is_shipped(Path(error.path)):
        return error
    read = set[Signature]()
    for statement in program.statements:
        location = statement.location
        is_there = location.begin.line <= (error.line or 0) <= location.end.line
        if is_there and str(statement.path) == error.path:
            read |= statement.body
    users = [s for s in program.statements if s.origin != "shipped"]
    causes = [s for s in users if not read.isdisjoint(s.heads)]
    if not causes:
        return error
    text, *lines = str(error).split("\n")
    hints = [line for line in lines if line.startswith(HINT)] or [""]
    _, _, problem = text.partition(": ")
    place = f"{rule_file_name(Path(error.path))}:{error.line}"
    message = f"our rule in {place} cannot use what this gives: {problem}"
    return causes[-1].error(message, hints[0].removeprefix(HINT))


# In messages about values that a rule cannot compute with.
_WRONG_VALUES = ("operation undefined", "tuple ignored")
# In the message of clasp, which does not say where.
_OVERFLOW = "Integer overflow"


def find_undecided(program: Program) -> list[Statement]:
    """Return a user's rules that are choices or constraints, or part of a loop."""
    return [statement for statement in program.statements if _is_undecided(program, statement)]


def _is_undecided(program: Program, statement: Statement) -> bool:
    """Return whether a statement is a user's choice or constraint, or part of a loop."""
    if statement.origin != "user":
        return False
    if statement.guides:
        return True
    # There may be thousands of facts, and they are part of no loop.
    if not statement.body:
        return False
    dependents = program.find_dependents(statement.heads)
    return not statement.body.isdisjoint(dependents)
