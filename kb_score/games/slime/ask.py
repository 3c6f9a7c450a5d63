"""Questions to the rules of Slime: some of their files and parts, with facts, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clingo import Number, Symbol, parse_term

from kb_score.errors import RuleError
from kb_score.lift import lift_to_turns
from kb_score.messages import collected_messages
from kb_score.program import Program, Signature
from kb_score.rules import read_game_rules
from kb_score.solve import Answer, open_control, parse_facts, read_model

# The predicates that records and games give, whatever rule files are asked.
_INPUTS: frozenset[Signature] = frozenset(
    {("size", 1), ("answer", 3), ("holds", 3), ("mover", 2), ("turn", 1)}
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one predicate, written for clingo.

    clingo reads a text of many tuples several times faster than it is handed tuples one by one.

    Attributes:
        arity: The number of values of a row.
        rows: The rows, such as ``((0,1),2,7)``; one of a single value ends in a comma: ``(7,)``.
    """

    arity: int
    rows: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rulings:
    """What a user changes about the rules.

    Attributes:
        folders: Folders of more .lp files.
        constants: The values of ``#const`` statements, by name.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()


def load_rules(files: Iterable[str], parts: Iterable[str], rulings: Rulings) -> Program:
    """Load rule files of the game, and the user's.

    Args:
        files: Stems of files in ``asp/slime/``.
        parts: The parts about a turn that shall hold for all turns.
        rulings: What the user changes.

    Raises:
        RuleError: A file cannot be read or parsed, or a ruling is unknown.
    """
    return _load(tuple(files), tuple(parts), rulings)


@cache
def _load(files: tuple[str, ...], parts: tuple[str, ...], rulings: Rulings) -> Program:
    program = read_game_rules(
        "slime", files, rulings.folders, dict(rulings.constants), inputs=_INPUTS
    )
    for part in parts:
        program = lift_to_turns(program, part)
    return program


def ask(
    program: Program,
    facts: Mapping[str, Rows],
    wanted: Iterable[Signature],
    parts: Iterable[tuple[str, int]] = (),
) -> Answer:
    """Ground and solve the rules with some facts.

    Args:
        program: The rules, parts about turns lifted.
        facts: The rows of each predicate.
        wanted: The predicates to read.
        parts: Parts that were not lifted, each with the turn to ground it for.

    Raises:
        RuleError: clingo complained, or there is not exactly one answer set.
    """
    wanted = tuple(wanted)
    taken_in = parse_facts(tuple((name, rows.arity, False) for name, rows in facts.items()))
    answers: list[Answer] = []
    grounded = [("base", []), *((part, [Number(turn)]) for part, turn in parts)]
    with collected_messages() as log:
        control = open_control(taken_in + program, wanted, log, "--models=2")
        control.ground(grounded, context=_Source(facts))
        with control.solve(yield_=True) as handle:
            answers.extend(read_model(model, wanted) for model in handle)
    if len(answers) != 1:
        kind = "more than one answer set" if answers else "no answer set"
        raise RuleError(f"the rules have {kind}: a turn must follow from the board and the move")
    return answers[0]


class _Source:
    """What clingo asks for the rows of each predicate while it grounds."""

    def __init__(self, facts: Mapping[str, Rows]) -> None:
        self._facts = facts

    def __getattr__(self, name: str) -> Callable[[], Sequence[Symbol]]:
        if name not in self._facts:
            # clingo takes this for an unknown function, and says where it is called.
            raise AttributeError(name)
        rows = self._facts[name].rows
        return lambda: parse_term(f"({','.join(rows)},)").arguments if rows else []
