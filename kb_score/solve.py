"""Program and facts to answer: clingo grounds and solves, values come out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from clingo import Control, Model, Number, SolveHandle
from clingo.ast import ASTType, Defined, Location, Position, ProgramBuilder, ShowSignature

from kb_score.errors import RuleError
from kb_score.given import FactSource, Numbered, take_in, take_in_boards, take_in_turns
from kb_score.messages import DRIVER, Logger, collected_messages
from kb_score.program import Program, Signature, parse_program
from kb_score.terms import Facts, Row, to_atom

_SHOWING = (ASTType.ShowSignature, ASTType.ShowTerm)

_NONE = "the rules have no answer set: they contradict themselves, or what is given"
_SEVERAL = "the rules have more than one answer set: all must follow from what is given"

_NOWHERE = Location(Position(DRIVER, 1, 1), Position(DRIVER, 1, 1))


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked of an answer set.

    Attributes:
        rows: The arguments of the atoms of each wanted predicate, in the order of grounding.
    """

    rows: Mapping[Signature, Sequence[Row]]

    def __getitem__(self, signature: Signature) -> Sequence[Row]:
        return self.rows[signature]


class AnswerSetError(RuleError):
    """The rules have no answer set, or several, where they should decide everything."""


def solve_unique(
    program: Program,
    facts: Facts,
    wanted: Sequence[Signature],
    *,
    turns: Numbered | None = None,
    parts: Sequence[tuple[str, int]] = (),
) -> Answer:
    """Ground and solve a program that decides everything.

    Args:
        program: The rules; what nothing wanted depends on is best left out before.
        facts: The facts by predicate.
        wanted: The predicates to read.
        turns: The facts of each turn: the rows of turn T are at index T, and T is to be their last
            value.
        parts: Parts of the program that are grounded, too, each with the turn that it is about.

    Returns:
        The only answer set.

    Raises:
        AnswerSetError: There is not exactly one answer set.
        RuleError: clingo complained.
    """
    answers = list(
        solve_each(program, facts, wanted, "--models=2", turns=turns, parts=parts),
    )
    return _the_only(answers)


def solve_each(
    program: Program,
    facts: Facts,
    wanted: Sequence[Signature],
    *options: str,
    turns: Numbered | None = None,
    parts: Sequence[tuple[str, int]] = (),
) -> Iterator[Answer]:
    """Ground a program and solve it, answer set by answer set.

    Args:
        program: The rules.
        facts: The facts by predicate.
        wanted: The predicates to read.
        options: clingo's options, such as how many answer sets it shall look for.
        turns: As in `solve_unique`.
        parts: As in `solve_unique`.

    Yields:
        The answer sets; none if there are none.

    Raises:
        RuleError: clingo complained.
    """
    rules = program + take_in(facts) + take_in_turns(turns or {})
    source = FactSource(facts, turns)
    with _solving(rules, source, wanted, options, parts) as models:
        for model in models:
            yield read_model(model, wanted)


def solve_best(
    program: Program, facts: Facts, wanted: Sequence[Signature], *, turns: Numbered | None = None
) -> Answer:
    """Ground and solve a program that may choose, and minimises what it has to take back.

    Args:
        program: The rules.
        facts: The facts by predicate.
        wanted: The predicates to read.
        turns: As in `solve_unique`.

    Returns:
        A best answer set.

    Raises:
        AnswerSetError: There is none.
        RuleError: clingo complained.
    """
    rules = program + take_in(facts) + take_in_turns(turns or {})
    with _solving(rules, FactSource(facts, turns), wanted, ["--models=0"]) as models:
        # Only the best model is read: a long game has many atoms.
        for model in models:
            if not any(model.cost):
                return read_model(model, wanted)
        best = models.last()
        if best is None:
            raise AnswerSetError(_NONE)
        return read_model(best, wanted)


def solve_many(
    program: Program, boards: Sequence[Facts], wanted: Iterable[Signature]
) -> list[Answer]:
    """Ground and solve a program lifted to boards once for several boards.

    Args:
        program: The rules, as `kb_score.lift.lift_to_boards` leaves them.
        boards: The facts of each board.
        wanted: The predicates to read, as they were before the lifting.

    Returns:
        An answer for each board.

    Raises:
        AnswerSetError: There is not exactly one answer set.
        RuleError: clingo complained.
    """
    numbers = parse_program(f"board(0..{len(boards) - 1}).")
    names = {name for facts in boards for name in facts}
    by_number = {name: [facts.get(name, ()) for facts in boards] for name in names}
    lifted = [(name, arity + 1) for name, arity in wanted]
    rules = program + take_in_boards(boards) + numbers
    with _solving(rules, FactSource({}, by_number), lifted, ["--models=2"]) as models:
        answer = _the_only([read_model(model, lifted) for model in models])
    answers: list[dict[Signature, list[Row]]] = [
        {(name, arity - 1): [] for name, arity in lifted} for _ in boards
    ]
    for (name, arity), rows in answer.rows.items():
        for board, *row in rows:
            assert isinstance(board, int)
            answers[board][name, arity - 1].append(tuple(row))
    return [Answer(rows) for rows in answers]


def open_control(
    program: Program, wanted: Iterable[Signature], log: Logger, *options: str
) -> Control:
    """Make a control that holds a program and shows the wanted predicates.

    Args:
        program: The rules.
        wanted: The predicates that models shall show.
        log: What hears clingo's messages, see `kb_score.messages.collected_messages`.
        options: More of clingo's options.
    """
    constants = (f"-c{name}={value}" for name, value in program.constants)
    control = Control([*constants, *options], logger=log)
    with ProgramBuilder(control) as builder:
        for statement in program.statements:
            if statement.node.ast_type not in _SHOWING:
                builder.add(statement.node)
        for name, arity in program.defined:
            builder.add(Defined(_NOWHERE, name, arity, True))
        # Nothing is shown but what is wanted: else clingo writes every atom into its output.
        builder.add(ShowSignature(_NOWHERE, "", 0, True))
        for name, arity in wanted:
            builder.add(ShowSignature(_NOWHERE, name, arity, True))
    return control


def read_model(model: Model, wanted: Iterable[Signature]) -> Answer:
    """Copy the wanted atoms out of a model, which does not outlive its solve call."""
    rows: dict[Signature, list[Row]] = {signature: [] for signature in wanted}
    for symbol in model.symbols(shown=True):
        signature, row = to_atom(symbol)
        rows[signature].append(row)
    return Answer(rows)


@contextmanager
def _solving(
    program: Program,
    source: FactSource,
    wanted: Sequence[Signature],
    options: Sequence[str],
    parts: Sequence[tuple[str, int]] = (),
) -> Iterator[SolveHandle]:
    grounded = [("base", []), *((part, [Number(turn)]) for part, turn in parts)]
    with collected_messages() as log:
        control = open_control(program, wanted, log, *options)
        with interruptible():
            control.ground(grounded, context=source)
        with control.solve(yield_=True) as handle:
            yield handle


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt end the process: Python hears of it only when clingo has come to its end."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _the_only(answers: Sequence[Answer]) -> Answer:
    if len(answers) != 1:
        raise AnswerSetError(_SEVERAL if answers else _NONE)
    return answers[0]
