"""Program and facts to answer: clingo grounds and solves, values come out."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from clingo import Control, Model, Number
from clingo.ast import AST, ASTType, Defined, Location, Position, ProgramBuilder, ShowSignature

from kb_score.engine.messages import DRIVER, Logger, collected_messages
from kb_score.engine.overlay import DEFAULT, Limits
from kb_score.engine.program import Program, Signature, parse_program
from kb_score.engine.supervisor import Deadline, Supervisor
from kb_score.engine.terms import Answer, Facts, FactSource, Numbered, Row, to_atom
from kb_score.errors import RuleError

NONE = "the rules have no answer set: they contradict themselves or the facts"
SEVERAL = "the rules have more than one answer set: everything must follow from the facts"

# Programs are shared, and clingo counts references to their syntax trees without a lock: games
# that are played side by side would corrupt them.
_SYNTAX = threading.Lock()

_NOWHERE = Location(Position(DRIVER, 1, 1), Position(DRIVER, 1, 1))


class AnswerSetError(RuleError):
    """The rules have no answer set, or several although they should decide everything."""


def solve_each(
    program: Program,
    facts: Facts,
    options: Sequence[str] = (),
    *,
    turns: Numbered | None = None,
    parts: Sequence[tuple[str, int]] = (),
    best: bool = False,
) -> list[Answer]:
    """Ground a program and solve it; list the shown atoms of each answer set, or of a best one.

    Facts of a turn get the turn as their last value: the rows of turn T are at index T of
    ``turns``. Each of ``parts`` is also grounded, for its turn.
    """
    source = FactSource(choose_facts(facts, program))
    source.take_in_turns(turns or {})
    return _solve(program, source, options, parts, best=best)


def solve_boards(program: Program, boards: Sequence[Facts]) -> Answer:
    """Solve a program of `lift_to_boards`; the first value of each row is a board's number."""
    source = FactSource({})
    source.take_in_boards([choose_facts(facts, program) for facts in boards])
    return only_one(_solve(program, source, ["--models=2"]))


def only_one(answers: Sequence[Answer]) -> Answer:
    """Take the only answer set; an AnswerSetError if there is none, or more than one."""
    if len(answers) != 1:
        raise AnswerSetError(SEVERAL if answers else NONE)
    return answers[0]


def open_control(
    program: Program, log: Logger, *options: str, shown: Sequence[Signature] = ()
) -> Control:
    """Make a control that holds a program; models also show ``shown``."""
    constants = (f"-c{name}={value}" for name, value in program.constants)
    control = Control([*constants, *options], logger=log)
    with _SYNTAX, ProgramBuilder(control) as builder:
        for statement in program.statements:
            builder.add(statement.node)
        for name, arity in program.defined:
            builder.add(_defined(name, arity))
        # Without any #show clingo would write every atom into its output.
        builder.add(_show("", 0))
        for name, arity in shown:
            builder.add(_show(name, arity))
    return control


@lru_cache(maxsize=1024)
def _defined(name: str, arity: int) -> AST:
    return Defined(_NOWHERE, name, arity, True)


@lru_cache(maxsize=1024)
def _show(name: str, arity: int) -> AST:
    return ShowSignature(_NOWHERE, name, arity, True)


def read_model(model: Model) -> Answer:
    """Copy the shown atoms out of a model, which does not outlive its solve call."""
    rows: dict[Signature, list[Row]] = {}
    for symbol in model.symbols(shown=True):
        signature, row = to_atom(symbol)
        rows.setdefault(signature, []).append(row)
    return Answer(rows)


def ground_alone(program: Program) -> None:
    """Ground rules without facts: nothing is derived, but clingo finds what is unsafe."""
    with collected_messages() as log:
        Supervisor(program).run(open_control(program, log).ground)


@lru_cache(maxsize=256)
def parse_rules(rules: tuple[str, ...]) -> Program:
    """Parse rules that take in facts. Kept, since the same predicates have facts again."""
    return parse_program("\n".join(rules))


def choose_facts(facts: Facts, program: Program) -> Facts:
    """Leave out the facts that nobody asks for, since handing them over takes time."""
    return {name: rows for name, rows in facts.items() if name in program.asked}


def _solve(
    program: Program,
    source: FactSource,
    options: Sequence[str],
    parts: Sequence[tuple[str, int]] = (),
    *,
    best: bool = False,
) -> list[Answer]:
    grounded = [("base", []), *((part, [Number(turn)]) for part, turn in parts)]
    with collected_messages() as log:
        control = open_control(program + parse_rules(tuple(source.taking_in)), log, *options)

        def solve() -> list[Answer]:
            control.ground(grounded, context=source)
            with control.solve(yield_=True) as models:
                if not best:
                    return list(map(read_model, models))
                # No other one is read: a long game has many atoms.
                found = next((model for model in models if not any(model.cost)), None)
                found = found or models.last()
                return [] if found is None else [read_model(found)]

        return Supervisor(program).run(solve, control.interrupt)


class AnswerSearch:
    """A program that is grounded once, and searched for answer sets that differ in what is shown.

    Whatever asks it raises TimeUp at the deadline, or a LimitError.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        shown: Signature,
        deadline: Deadline,
        options: Sequence[str] = (),
    ) -> None:
        limits = Limits(None, (program.limits or DEFAULT).memory)
        program = replace(_show_only(program, shown), limits=limits)
        source = FactSource(choose_facts(facts, program))
        deadline.check()
        self._supervisor = Supervisor(program, deadline)
        with collected_messages() as log:
            whole = program + parse_rules(tuple(source.taking_in))
            self._control = open_control(whole, log, "--project=show", *options)
            self._supervisor.run(lambda: self._control.ground([("base", [])], context=source))

    def find(self, mode: str = "auto") -> Iterator[Answer]:
        """Yield the answer sets; by the mode "cautious" ever smaller parts that all may share."""
        settings = self._control.configuration.solve
        assert not isinstance(settings, str | int | None)
        settings.enum_mode, settings.models = mode, 0
        yield from map(read_model, self._supervisor.models(self._control))


def _show_only(program: Program, shown: Signature) -> Program:
    def stays(node: AST) -> bool:
        if node.ast_type == ASTType.ShowSignature:
            return (node.name, node.arity) == shown
        return node.ast_type != ASTType.ShowTerm

    return replace(program, statements=tuple(s for s in program.statements if stays(s.node)))
