"""Facts given to clingo: while it grounds it asks the driver for the rows of each predicate.

One call for all rows of a predicate is several times faster than a call or a rule for each atom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from clingo import Symbol

from kb_score.program import BOARD, Program, Signature, parse_program
from kb_score.terms import Facts, Row, to_symbols

# The rows of each predicate by number: that of a board, of a turn, or of a block of a record.
Numbered: TypeAlias = Mapping[str, Sequence[Sequence[Row]]]


def take_in(facts: Facts) -> Program:
    """Make the rules that take in facts as they are."""
    return _parse(tuple(f"{name}({_list(n)}) :- {_row(n)} = @{name}()." for name, n in _of(facts)))


def take_in_boards(boards: Sequence[Facts]) -> Program:
    """Make the rules that take in the facts of several boards, each with its number before it."""
    shapes = sorted({shape for facts in boards for shape in _of(facts)})
    return _parse(
        tuple(
            f"{name}({_list(n, first=BOARD)}) :- board({BOARD}), {_row(n)} = @{name}({BOARD})."
            for name, n in shapes
        )
    )


def take_in_turns(turns: Numbered) -> Program:
    """Make the rules that take in the facts of all turns, each with its turn behind it."""
    shapes = [
        (name, len(rows[0]), len(all_rows))
        for name, all_rows in turns.items()
        for rows in [next(filter(None, all_rows), ())]
        if rows
    ]
    return _parse(
        tuple(
            f"{name}({_list(n, last='T')}) :- T = 0..{number - 1}, {_row(n)} = @{name}(T)."
            for name, n, number in shapes
        )
    )


def take_in_steps(given: Sequence[Signature]) -> Program:
    """Make a part ``given_<name>(t)`` a predicate, which takes in its facts of one turn.

    Args:
        given: The predicates; their last value is the turn, which the facts go without.
    """
    return _parse(
        tuple(
            f"#program given_{name}(t). "
            f"{name}({_list(n - 1, last='t')}) :- {_row(n - 1)} = @{name}()."
            for name, n in given
        )
    )


@lru_cache(maxsize=256)
def _parse(rules: tuple[str, ...]) -> Program:
    return parse_program("\n".join(rules))


def _of(facts: Facts) -> list[Signature]:
    return [(name, len(rows[0])) for name, rows in facts.items() if rows]


def _list(arity: int, *, first: str = "", last: str = "") -> str:
    return ",".join(filter(None, [first, *(f"X{i}" for i in range(arity)), last]))


def _row(arity: int) -> str:
    # A tuple of one is written with a comma after it.
    return f"({_list(arity)}{',' if arity == 1 else ''})"


class FactSource:
    """What clingo asks, by the predicate's name, for its rows."""

    def __init__(self, facts: Facts, numbered: Numbered | None = None) -> None:
        """Hold facts.

        Args:
            facts: The rows that stand for themselves.
            numbered: The rows that are asked for with a number.
        """
        self._facts = facts
        self._numbered = numbered or {}

    def __getattr__(self, name: str) -> Callable[..., Sequence[Symbol]]:
        if name not in self._facts and name not in self._numbered:
            raise AttributeError(name)

        def rows(number: Symbol | None = None) -> Sequence[Symbol]:
            found = self._facts[name] if number is None else self._numbered[name][number.number]
            return to_symbols(found)

        return rows
