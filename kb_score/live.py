"""Games as they are played: the rules grounded part after part, with facts that come in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from clingo import Control, MessageCode, Number, Observer, Symbol

from kb_score.errors import RuleError
from kb_score.given import FactSource, take_in, take_in_steps
from kb_score.messages import Logger, collected_messages
from kb_score.program import Program, Signature
from kb_score.solve import open_control
from kb_score.terms import Facts, Row, to_value

_CONTRADICTION = "the rules contradict themselves, or what is given"


class LivePlay:
    """A game as far as it has been played.

    Grounding takes longer the more atoms there are. So now and then all is begun anew from the
    atoms that are carried over, which nobody who asks for news notices.

    Attributes:
        turn: The turn that parts are grounded for; 0 is before the first.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        *,
        given: Sequence[Signature],
        wanted: Sequence[Signature],
        carried: Sequence[Signature],
        kept: Sequence[Signature] = (),
        renewal: int,
    ) -> None:
        """Ground how the game begins.

        Args:
            program: The rules; what happens follows from what is given.
            facts: The facts that are known from the beginning.
            given: The predicates that come in between; their last value is the turn.
            wanted: The predicates whose new atoms `news` tells.
            carried: The predicates that the next turn looks at; their last value is the turn.
            kept: The predicates that all turns look at; their values tell of no turn.
            renewal: After so many turns all is begun anew.

        Raises:
            RuleError: clingo complained, or the rules leave something open.
        """
        self.turn = 0
        self._program = program + take_in_steps(given)
        self._facts = facts
        self._carried, self._kept = tuple(carried), tuple(kept)
        self._shown = tuple(dict.fromkeys([*wanted, *carried, *kept]))
        self._renewal = renewal
        self._told: dict[Signature, list[Symbol]] = {signature: [] for signature in wanted}
        self._begin(facts)

    def next_turn(self) -> None:
        """Go on to the next turn.

        Raises:
            RuleError: clingo complained.
        """
        if self.turn - self._begun == self._renewal:
            told, self._told = self._told, {signature: [] for signature in self._told}
            self._begin({**self._facts, **self._state()})
            # Nothing is new about what the game begins with, or about what was carried over.
            self._told = told
        self.turn += 1

    def play(self, parts: Sequence[str], given: Facts | None = None) -> None:
        """Ground parts for the present turn.

        Args:
            parts: The parts of the program.
            given: The facts that come with them, without the turn.

        Raises:
            RuleError: clingo complained, or the rules leave something open.
        """
        given = given or {}
        taking = [f"given_{name}" for name in given]
        self._ground([(part, [Number(self.turn)]) for part in [*taking, *parts]], given)

    def news(self, signature: Signature) -> list[Row]:
        """Tell the atoms of a wanted predicate that have come since they were last asked for."""
        symbols, self._told[signature] = self._told[signature], []
        return [tuple(map(to_value, symbol.arguments)) for symbol in symbols]

    def _begin(self, facts: Facts) -> None:
        self._begun = self.turn
        self._known: dict[Signature, list[Symbol]] = {s: [] for s in (*self._carried, *self._kept)}
        self._atoms = _Atoms()
        self._log: Logger
        with collected_messages() as self._log:
            rules = self._program + take_in(facts)
            # Each grounding collects its own messages; what the control holds passes them on.
            self._control = open_control(rules, self._shown, self._hear, "--models=2")
            self._control.register_observer(self._atoms)
        self._ground([("base", [])], facts)

    def _ground(self, parts: Sequence[tuple[str, Sequence[Symbol]]], facts: Facts) -> None:
        with collected_messages() as self._log:
            self._control.ground(parts, context=FactSource(facts))
            if self._control.is_conflicting:
                raise RuleError(_CONTRADICTION)
            for symbol in self._atoms.take(self._control):
                signature = symbol.name, len(symbol.arguments)
                for found in (self._told, self._known):
                    if signature in found:
                        found[signature].append(symbol)

    def _state(self) -> Facts:
        now = Number(self.turn)
        state = {signature: self._known[signature] for signature in self._kept}
        for signature in self._carried:
            state[signature] = [s for s in self._known[signature] if s.arguments[-1] == now]
        # Symbols stand for themselves: as values, a constant and a text would look alike.
        rows = {name: [tuple(s.arguments) for s in found] for (name, _), found in state.items()}
        return cast(Facts, rows)

    def _hear(self, code: MessageCode, message: str) -> None:
        self._log(code, message)


class _Atoms(Observer):
    """Hears of each shown atom when it is new; to look through all atoms each turn takes long."""

    def __init__(self) -> None:
        self._facts: list[Symbol] = []
        self._open: list[Symbol] = []

    def output_atom(self, symbol: Symbol, atom: int) -> None:
        # Facts have no number.
        (self._open if atom else self._facts).append(symbol)

    def take(self, control: Control) -> list[Symbol]:
        """Take the atoms that have come and hold; what grounding alone cannot tell is solved."""
        facts, self._facts = self._facts, []
        open_, self._open = self._open, []
        if not open_:
            return facts
        with control.solve(yield_=True) as models:
            held = [[symbol for symbol in open_ if model.contains(symbol)] for model in models]
        if len(held) > 1:
            raise RuleError(f"live play needs rules that leave nothing open: {open_[0]}")
        if not held:
            raise RuleError(_CONTRADICTION)
        return facts + held[0]
