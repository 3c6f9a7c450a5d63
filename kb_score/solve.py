"""Program and facts to answer: clingo grounds and solves, values come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clingo import Control, Model, Symbol
from clingo.ast import ASTType, Defined, Location, Position, ProgramBuilder, ShowSignature

from kb_score.errors import RuleError
from kb_score.messages import DRIVER, Logger, collected_messages
from kb_score.program import BOARD, Program, Signature, parse_program
from kb_score.terms import Facts, Row, to_atom, to_symbol

# A predicate of facts: its name, its number of values, and whether a board stands before them.
_Shape = tuple[str, int, bool]

_SHOWING = (ASTType.ShowSignature, ASTType.ShowTerm)

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


def solve_unique(program: Program, facts: Facts, wanted: Iterable[Signature]) -> Answer:
    """Ground and solve a program that decides everything.

    Args:
        program: The rules; what nothing wanted depends on is best left out before.
        facts: The facts by predicate.
        wanted: The predicates to read.

    Returns:
        The only answer set.

    Raises:
        AnswerSetError: There is not exactly one answer set.
        RuleError: clingo complained.
    """
    taken_in = parse_facts(
        tuple((name, len(rows[0]), False) for name, rows in facts.items() if rows)
    )
    return _solve(program + taken_in, FactSource([facts]), tuple(wanted))


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
        RuleError: clingo complained, or there is not exactly one answer set.
    """
    shapes = {
        (name, len(rows[0]), True) for facts in boards for name, rows in facts.items() if rows
    }
    numbers = parse_program(f"board(0..{len(boards) - 1}).")
    lifted = [(name, arity + 1) for name, arity in wanted]
    answer = _solve(
        program + parse_facts(tuple(sorted(shapes))) + numbers, FactSource(boards), lifted
    )
    answers: list[dict[Signature, list[Row]]] = [
        {(name, arity - 1): [] for name, arity in lifted} for _ in boards
    ]
    for (name, arity), rows in answer.rows.items():
        for board, *row in rows:
            assert isinstance(board, int)
            answers[board][name, arity - 1].append(tuple(row))
    return [Answer(rows) for rows in answers]


@lru_cache(maxsize=256)
def parse_facts(shapes: tuple[_Shape, ...]) -> Program:
    """Make the rules that take in facts: each asks the driver for all rows of its predicate.

    One call for all rows of a predicate is several times faster than a call for each atom.
    """
    return parse_program("".join(_take_in(*shape) for shape in shapes))


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


def _solve(program: Program, source: FactSource, wanted: Sequence[Signature]) -> Answer:
    answers: list[Answer] = []
    with collected_messages() as log:
        control = open_control(program, wanted, log, "--models=2")
        control.ground(context=source)
        with control.solve(yield_=True) as handle:
            answers.extend(read_model(model, wanted) for model in handle)
    if len(answers) != 1:
        kind = "more than one answer set" if answers else "no answer set"
        raise AnswerSetError(f"the rules have {kind}: a score must follow from the board alone")
    return answers[0]


def _take_in(name: str, arity: int, lifted: bool) -> str:
    variables = ",".join(f"X{i}" for i in range(arity))
    # A tuple of one is written with a comma after it.
    row = f"({variables}{',' if arity == 1 else ''})"
    if lifted:
        return f"{name}({BOARD},{variables}) :- board({BOARD}), {row} = @{name}({BOARD}).\n"
    return f"{name}({variables}) :- {row} = @{name}().\n"


class FactSource:
    """What clingo asks for the rows of each predicate while it grounds."""

    def __init__(self, boards: Sequence[Facts]) -> None:
        self._boards = boards

    def __getattr__(self, name: str) -> Callable[..., list[Symbol]]:
        boards = self._boards
        if not any(name in facts for facts in boards):
            # clingo takes this for an unknown function, and says where it is called.
            raise AttributeError(name)

        def rows(board: Symbol | None = None) -> list[Symbol]:
            facts = boards[board.number if board is not None else 0]
            return [to_symbol(row) for row in facts.get(name, ())]

        return rows
