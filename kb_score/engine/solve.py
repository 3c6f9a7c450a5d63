"""Program and facts to answer: clingo grounds and solves, values come out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from clingo import Control, Model, Number, SolveHandle
from clingo.ast import AST, Defined, Location, Position, ProgramBuilder, ShowSignature

from kb_score.engine.limits import limited
from kb_score.engine.messages import DRIVER, Logger, collected_messages
from kb_score.engine.program import Program, Signature, parse_program
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
) -> Iterator[Answer]:
    """Ground a program and solve it; yield the shown atoms of each answer set, or of a best one.

    Facts of a turn get the turn as their last value: the rows of turn T are at index T of
    ``turns``. Each of ``parts`` is also grounded, for its turn.
    """
    source = FactSource(_choose_facts(facts, program.asked))
    source.take_in_turns(turns or {})
    with _solving(program, source, options, parts) as models:
        for model in models:
            # If only the best one is wanted, no other is read: a long game has many atoms.
            if not best or not any(model.cost):
                yield read_model(model)
                if best:
                    return
        if best and (last := models.last()):
            yield read_model(last)


def solve_boards(program: Program, boards: Sequence[Facts]) -> Answer:
    """Solve a program of `lift_to_boards`; the first value of each row is a board's number."""
    source, asked = FactSource({}), program.asked
    source.take_in_boards([_choose_facts(facts, asked) for facts in boards])
    with _solving(program, source, ["--models=2"]) as models:
        return only_one([read_model(model) for model in models])


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
    with collected_messages() as log, interruptible(), limited(program):
        open_control(program, log).ground()


@lru_cache(maxsize=256)
def parse_rules(rules: tuple[str, ...]) -> Program:
    """Parse rules that take in facts. Kept, since the same predicates have facts again."""
    return parse_program("\n".join(rules))


def _choose_facts(facts: Facts, asked: frozenset[str]) -> Facts:
    """Leave out the facts that nobody asks for, since handing them over takes time."""
    return {name: rows for name, rows in facts.items() if name in asked}


@contextmanager
def _solving(
    program: Program,
    source: FactSource,
    options: Sequence[str],
    parts: Sequence[tuple[str, int]] = (),
) -> Iterator[SolveHandle]:
    grounded = [("base", []), *((part, [Number(turn)]) for part, turn in parts)]
    with collected_messages() as log:
        control = open_control(program + parse_rules(tuple(source.taking_in)), log, *options)
        with interruptible(), limited(program):
            control.ground(grounded, context=source)
        with limited(program, control.interrupt), control.solve(yield_=True) as handle:
            yield handle


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt end the process: Python would notice it only after clingo has finished."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
