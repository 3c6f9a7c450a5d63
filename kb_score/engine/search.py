"""Searches that may end at any time: answer sets one by one, or what all of them have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from kb_score.engine.aside import PERIOD, run_aside
from kb_score.engine.limits import DEFAULT, LimitError, Limits, limited
from kb_score.engine.messages import collected_messages
from kb_score.engine.program import Program
from kb_score.engine.solve import open_control, parse_rules, read_model
from kb_score.engine.terms import Facts, FactSource

if TYPE_CHECKING:
    from kb_score.engine.aside import Deadline
    from kb_score.engine.program import Signature
    from kb_score.engine.terms import Answer


class Search:
    """A program that is grounded once, and may be searched several times.

    Args:
        program: The rules.
        facts: What they are told.
        shown: The only predicate that is read from answer sets; they differ in it.
        deadline: When to stop.
        options: More of clingo's options.

    Raises:
        TimeUp: The time was over before the search could begin.
        LimitError: The rules took too much memory.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        shown: Signature,
        deadline: Deadline,
        options: Sequence[str] = (),
    ) -> None:
        self._deadline = deadline
        memory = (program.limits or DEFAULT).memory
        self._program = replace(_show_only(program, shown), limits=Limits(None, memory))
        source = FactSource({name: rows for name, rows in facts.items() if name in program.asked})
        deadline.check()
        timed = replace(self._program, limits=Limits(deadline.left, memory))
        with collected_messages() as log:
            whole = self._program + parse_rules(tuple(source.taking_in))
            self._control = open_control(whole, log, "--project=show", *options)
            try:
                with limited(timed):
                    run_aside(lambda: self._control.ground([("base", [])], context=source))
            except LimitError:
                deadline.check()
                raise

    def find(self, most: int = 0) -> Iterator[Answer]:
        """Yield the answer sets, up to so many, or all; TimeUp ends this early."""
        yield from self._solve("auto", most)

    def find_common(self) -> Iterator[Answer]:
        """Yield ever smaller sets of atoms: what is common to all answer sets is the last one.

        Each of them holds that, and perhaps more. There is none if there is no answer set.
        """
        yield from self._solve("cautious")

    def _solve(self, mode: str, most: int = 0) -> Iterator[Answer]:
        settings = self._control.configuration.solve
        assert not isinstance(settings, str | int | None)
        settings.enum_mode, settings.models = mode, most
        control, limit = self._control, limited(self._program, self._control.interrupt)
        with limit, run_aside(lambda: control.solve(yield_=True, async_=True)) as handle:
            while True:
                handle.resume()
                while not handle.wait(PERIOD):
                    self._deadline.check()
                if (model := handle.model()) is None:
                    return
                yield read_model(model)
                self._deadline.check()


def _show_only(program: Program, shown: Signature) -> Program:
    def stays(node: object) -> bool:
        kind = getattr(node, "ast_type", None)
        if kind == ASTType.ShowSignature:
            return (getattr(node, "name", ""), getattr(node, "arity", 0)) == shown
        return kind != ASTType.ShowTerm

    return replace(program, statements=tuple(s for s in program.statements if stays(s.node)))
