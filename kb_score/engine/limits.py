"""Limits on what rules may take: a grounding without end is stopped, and its cause is named.

clingo hears of no interrupt while it grounds. But it ends in order where it gets no more memory: so
a thread watches, and at a limit it lets the operating system give no more to this process, until
clingo has ended.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from clingo import parse_term
from clingo.ast import ASTType

from kb_score.engine.program import signatures_in
from kb_score.engine.user_rules import error_at
from kb_score.errors import RuleError

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from kb_score.engine.program import Program, Statement

_PERIOD = 0.05
_MEMORY = Path("/proc/self/statm")
# Terms that may be larger than those they are made of.
_LARGER = re.compile(r"[-+*^]|\(.*\(", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question to the rules may take; None for any time."""

    seconds: float | None = None
    memory: int = 4096  # of the process, in MiB


DEFAULT = Limits()


class LimitError(RuleError):
    """The rules have been stopped at a limit."""


class _Watch:
    """A thread that ends clingo's work at a limit."""

    def __init__(self, limits: Limits, end: Callable[[], object]) -> None:
        self.reached = ""
        self._limits, self._end = limits, end
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> str:
        """End the watch, and tell which limit was reached, if any."""
        with self._lock:
            self._done.set()
        self._thread.join()
        if self.reached:
            _feed()
        return self.reached

    def _watch(self) -> None:
        start, (seconds, memory) = monotonic(), (self._limits.seconds, self._limits.memory)
        while not self._done.wait(_PERIOD):
            if seconds is not None and monotonic() - start > seconds:
                self.reached = self.reached or f"{seconds:g} seconds (--limit-seconds)"
            elif _used() > memory:
                self.reached = self.reached or f"{memory} MiB of memory (--limit-memory)"
            with self._lock:
                if self.reached and not self._done.is_set():
                    self._end()


@contextmanager
def limited(program: Program, end: Callable[[], object] | None = None) -> Iterator[None]:
    """Stop what is done meanwhile at the limits of a program; by ``end``, or for want of memory.

    Raises:
        LimitError: A limit was reached; it names the predicate that grows without end.
    """
    if program.limits is None or not _MEMORY.exists():
        yield
        return
    _throw()
    watch = _Watch(program.limits, end or _starve)
    watch.start()
    reached = ""
    try:
        yield
    except Exception as error:
        reached = watch.stop() or ("the memory there is" if isinstance(error, MemoryError) else "")
        if not reached:
            raise
    finally:
        watch.stop()
    if reached or watch.reached:
        raise _blame(program, reached or watch.reached)


def _throw() -> None:
    """Let clingo throw something: what a thread needs for that can be got while memory is."""
    with suppress(RuntimeError):
        parse_term("(", logger=lambda *_: None)


def _used() -> float:
    return int(_MEMORY.read_text().split()[1]) * resource.getpagesize() / 2**20


def _starve() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**20, most))


def _feed() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _blame(program: Program, reached: str) -> LimitError:
    message = f"the rules were stopped at {reached}"
    suspects = [s for s in program.statements if s.is_users and _grows_on(program, s)]
    if not suspects:
        return LimitError(f"{message}: they derive too much, or leave too much open")
    names = dict.fromkeys(f"{name}/{arity}" for s in suspects for name, arity in sorted(s.heads))
    grow = " and ".join(names) + (" grow" if len(names) > 1 else " grows")
    hint = "give the rule an end, such as N < 100 in its body"
    location = suspects[0].node.location
    return LimitError(str(error_at(location, f"{message}: {grow} without end", hint)))


def _grows_on(program: Program, statement: Statement) -> bool:
    """Whether a rule may derive larger and larger terms from what it derives itself."""
    node = statement.node
    if node.ast_type != ASTType.Rule:
        return False
    sums = (literal for literal in node.body if "=" in str(literal))
    if not any(_LARGER.search(str(part)) for part in (node.head, *sums)):
        return False
    # What a choice derives counts as asked for, elsewhere.
    asked = {name for literal in node.body for name, _ in signatures_in(literal)}
    body = frozenset(s for s in statement.body if s[0] in asked)
    return not body.isdisjoint(program.find_dependents(statement.heads))
