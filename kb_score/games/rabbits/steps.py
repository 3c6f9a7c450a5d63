"""A program grounded part after part, with facts that come to be known in between."""

from __future__ import annotations

from collections.abc import Sequence

from clingo import MessageCode, Model, Number, Symbol

from kb_score.errors import RuleError
from kb_score.messages import Logger, collected_messages
from kb_score.program import Program, Signature
from kb_score.solve import Answer, FactSource, open_control, parse_facts
from kb_score.terms import Facts, Row, Term, to_symbol, to_value


class Steps:
    """A control that is asked again after each of some groundings.

    Its program must decide everything: there is one answer set at any time.
    """

    def __init__(self, program: Program, facts: Facts) -> None:
        """Ground the base part.

        Raises:
            RuleError: clingo complained.
        """
        shapes = tuple((name, len(rows[0]), False) for name, rows in facts.items() if rows)
        # Each step collects its own messages, so what the control holds only passes them on.
        self._log: Logger
        with collected_messages() as self._log:
            self._control = open_control(program + parse_facts(shapes), (), self._hear)
            self._control.ground(context=FactSource([facts]))

    def take(
        self, facts: Facts, parts: Sequence[tuple[str, int]], wanted: Sequence[Signature], turn: int
    ) -> Answer:
        """Add facts, ground parts, and solve.

        Args:
            facts: Rows by predicate.
            parts: The parts, each with the turn that it is about.
            wanted: The predicates to read; their last argument is the turn.
            turn: The turn of the rows to read: those of other turns are left out.

        Raises:
            RuleError: clingo complained, or there is no answer set.
        """
        with collected_messages() as self._log:
            with self._control.backend() as backend:
                for name, rows in facts.items():
                    for row in rows:
                        backend.add_rule([backend.add_atom(to_symbol(Term(name, row)))])
            self._control.ground([(part, [Number(turn)]) for part, turn in parts])
            with self._control.solve(yield_=True) as handle:
                model = handle.model()
                if model is None:
                    raise RuleError("the rules have no answer set for a turn")
                return Answer({want: self._read(model, want, Number(turn)) for want in wanted})

    def _read(self, model: Model, signature: Signature, turn: Symbol) -> list[Row]:
        # Only what is asked for is looked at: what is shown grows from turn to turn.
        return [
            tuple(map(to_value, arguments))
            for atom in self._control.symbolic_atoms.by_signature(*signature)
            if (arguments := atom.symbol.arguments)[-1] == turn
            and (atom.is_fact or model.contains(atom.symbol))
        ]

    def _hear(self, code: MessageCode, message: str) -> None:
        self._log(code, message)
