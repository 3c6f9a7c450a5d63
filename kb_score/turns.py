"""Games in turns: a whole record solved in one grounding, or live play stepped turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from clingo import Number, Observer, Symbol

from kb_score.errors import RuleError
from kb_score.messages import collected_messages
from kb_score.program import Program, Signature, parse_program
from kb_score.solve import Answer, open_control, parse_facts, read_model
from kb_score.terms import Facts, Row, to_symbol, to_value

# Facts by predicate and turn: the rows of turn T are at index T, and T is their last value.
TurnFacts: TypeAlias = Mapping[str, Sequence[Sequence[Row]]]


def solve_record(
    program: Program, facts: Facts, turns: TurnFacts, wanted: Sequence[Signature]
) -> Answer:
    """Ground and solve the rules of a game for all turns of a record at once.

    Args:
        program: The rules as `kb_score.lift.lift_to_turns` leaves them; ``turn/1`` names the turns.
        facts: The facts that have no turn, by predicate.
        turns: The facts of each turn.
        wanted: The predicates to read.

    Returns:
        An answer set, a best one where the rules minimise.

    Raises:
        RuleError: clingo complained, or there is no answer set.
    """
    plain = tuple((name, len(rows[0]), False) for name, rows in facts.items() if rows)
    rules = program + parse_facts(plain) + parse_program(_take_in(turns))
    with collected_messages() as log:
        control = open_control(rules, wanted, log, "--models=0")
        control.ground(context=_Source(facts, turns))
        with control.solve(yield_=True) as handle:
            # Only the best model is read: a long game has many atoms.
            for model in handle:
                if not any(model.cost):
                    return read_model(model, wanted)
            best = handle.last()
            if best is not None:
                return read_model(best, wanted)
    raise RuleError("the rules have no answer set for this record")


class LivePlay:
    """The rules of a game, grounded turn after turn while it is played.

    The rules have the parts ``base``, ``step(t)`` and ``done(t)``, and decide everything: there is
    nothing to choose, so that grounding finds all atoms and no solving is needed.
    """

    def __init__(
        self, program: Program, facts: Facts, moves: Mapping[str, int], wanted: Iterable[Signature]
    ) -> None:
        """Ground how the game begins.

        Args:
            program: The rules.
            facts: The facts about the game's beginning.
            moves: The predicates given with each step, and how many values they have before t.
            wanted: The predicates whose new atoms `step` gives.

        Raises:
            RuleError: clingo complained.
        """
        plain = tuple((name, len(rows[0]), False) for name, rows in facts.items() if rows)
        wanted = tuple(wanted)
        rules = program + parse_facts(plain) + parse_program(_take_in_steps(moves))
        self._news = _News(wanted)
        self.turn = 0
        with collected_messages() as self._log:
            self._control = open_control(rules, wanted, lambda *message: self._log(*message))
            self._control.register_observer(self._news)
        self._ground("base", _Source(facts, {}))
        self._ground("done", _Source({}, {}))

    def step(self, moves: Facts) -> None:
        """Ground the next turn.

        Args:
            moves: The facts of that turn, by predicate, without the turn.

        Raises:
            RuleError: clingo complained.
        """
        self.turn += 1
        # The rows stand at the turn's own index only.
        turns = {name: {self.turn: rows} for name, rows in moves.items()}
        self._ground("step", _Source({}, turns))
        self._ground("done", _Source({}, {}))

    def news(self, signature: Signature) -> list[Row]:
        """Give the atoms of a wanted predicate that have come since they were last asked for.

        Raises:
            RuleError: The rules leave open whether one of them holds.
        """
        return self._news.take(signature)

    def _ground(self, part: str, source: _Source) -> None:
        arguments = [] if part == "base" else [Number(self.turn)]
        with collected_messages() as self._log:
            self._control.ground([(part, arguments)], context=source)


class _News(Observer):
    """Hears of each wanted atom when it is new; to look through all atoms each turn takes long."""

    def __init__(self, wanted: Iterable[Signature]) -> None:
        self._symbols: dict[Signature, list[Symbol]] = {signature: [] for signature in wanted}
        self._open: list[Symbol] = []

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        self._symbols[symbol.name, len(symbol.arguments)].append(symbol)
        # Facts have no number.
        if atom:
            self._open.append(symbol)

    def take(self, signature: Signature) -> list[Row]:
        if self._open:
            raise RuleError(f"live play needs rules that leave nothing open: {self._open[0]}")
        symbols, self._symbols[signature] = self._symbols[signature], []
        return [tuple(map(to_value, symbol.arguments)) for symbol in symbols]


# All turns of a record, or the one turn that is played.
_ByTurn: TypeAlias = Sequence[Sequence[Row]] | Mapping[int, Sequence[Row]]


class _Source:
    """What clingo asks for the rows of each predicate while it grounds."""

    def __init__(self, facts: Facts, turns: Mapping[str, _ByTurn]) -> None:
        self._facts = facts
        self._turns = turns

    def __getattr__(self, name: str) -> Callable[..., list[Symbol]]:
        if name not in self._facts and name not in self._turns:
            # clingo takes this for an unknown function, and says where it is called.
            raise AttributeError(name)

        def rows(turn: Symbol | None = None) -> list[Symbol]:
            found = self._facts[name] if turn is None else self._turns[name][turn.number]
            return [to_symbol(row) for row in found]

        return rows


def _take_in(turns: TurnFacts) -> str:
    shapes = ((name, _arity(rows), len(rows)) for name, rows in turns.items())
    return "".join(
        f"{name}({_row(arity)},T) :- T = 0..{number - 1}, {_tuple(arity)} = @{name}(T).\n"
        for name, arity, number in shapes
        if arity
    )


def _take_in_steps(moves: Mapping[str, int]) -> str:
    lines = (
        f"{name}({_row(arity)},t) :- {_tuple(arity)} = @{name}(t).\n"
        for name, arity in moves.items()
    )
    return "#program step(t).\n" + "".join(lines)


def _row(arity: int) -> str:
    return ",".join(f"X{i}" for i in range(arity))


def _tuple(arity: int) -> str:
    # A tuple of one is written with a comma after it.
    return f"({_row(arity)}{',' if arity == 1 else ''})"


def _arity(turns: Sequence[Sequence[Row]]) -> int:
    return next((len(rows[0]) for rows in turns if rows), 0)
