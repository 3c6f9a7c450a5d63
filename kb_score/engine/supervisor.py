"""clingo at work, supervised: deadlines, limits of time and memory, signals.

clingo works in a thread of its own. Whoever has asked waits in short steps, so that Python hears of
signals, and looks at the limits. A thread that is not waited for any more is left to itself: the
process ends without it.
"""

from __future__ import annotations

import os
import re
import resource
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any, TypeVar, cast

from clingo import Control, Model, SolveHandle, parse_term
from clingo.ast import ASTType

from kb_score.engine.program import Program, Statement, error_at, signatures_in
from kb_score.errors import RuleError

_Result = TypeVar("_Result")

_NO_RULES = Program(())
_PERIOD = 0.05  # seconds between two looks
# Seconds of a processor after which a user's rule that may grow without end is taken to do so.
_GROWING = 8.0
_PATIENCE = 5.0  # seconds in which clingo is to notice that there is no memory left
_MEMORY = Path("/proc/self/statm")
# Terms that may be larger than those they are made of.
_LARGER = re.compile(r"[-+*^]|\(.*\(", re.DOTALL)


class LimitError(RuleError):
    """The rules have been stopped at a limit."""


class TimeUp(Exception):
    """The time of a search is over; what was found until then still holds."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a search, so many seconds after it begins; None for a search without end."""

    seconds: float | None
    start: float = field(default_factory=monotonic)

    @property
    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.seconds is None else self.start + self.seconds - monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self.left is not None and self.left <= 0

    def check(self) -> None:
        """Raise TimeUp when the time is over."""
        if self.is_over:
            raise TimeUp


class Supervisor:
    """Has clingo answer one question, within the limits of a program and before a deadline.

    `run` and `models` raise a LimitError at a limit, and TimeUp at the deadline.
    """

    def __init__(self, program: Program = _NO_RULES, deadline: Deadline | None = None) -> None:
        self._program, self._limits = program, program.limits
        self._deadline, self._start = deadline or Deadline(None), monotonic()

    def run(
        self, work: Callable[[], _Result], stop: Callable[[], object] = lambda: None
    ) -> _Result:
        """Do some work in a thread, and return or raise what it does.

        At a limit it gets no more memory, since clingo cannot be told to stop while it grounds;
        ``stop`` is called where it may do something else.
        """
        worker = _idle.pop() if _idle else _Worker()
        future, begun = worker.submit(work), _time(worker.thread)
        reached: Exception | None = None
        while reached is None and not _is_done(future, _PERIOD):
            reached = self._find_limit(_time(worker.thread) - begun)
        if reached is not None:
            stop()
            _allow_memory(2**20)  # it has more already, and gets nothing on top
            _is_done(future, _PATIENCE)
            _allow_memory(None)
        if future.done():
            _idle.append(worker)
            if isinstance(future.exception(), MemoryError):
                reached = reached or self._blame("the memory there is")
        if reached is not None:
            raise reached
        return future.result()

    def models(self, control: Control) -> Iterator[Model]:
        """Yield the answer sets of a grounded program, each of which lives until the next one."""
        solve = partial(control.solve, yield_=True, async_=True)
        # A search that begins must not be short of memory: the deadline is for what comes of it.
        begun = Supervisor(self._program).run(solve)
        with cast("SolveHandle", begun) as handle:
            while True:
                handle.resume()
                while not handle.wait(_PERIOD):
                    if (reached := self._find_limit()) is not None:
                        control.interrupt()
                        raise reached
                if (model := handle.model()) is None:
                    return
                yield model
                self._deadline.check()

    def _find_limit(self, worked: float = 0.0) -> Exception | None:
        """Find out which limit is reached, if any; a processor has worked for so many seconds."""
        if self._deadline.is_over:
            return TimeUp()
        if self._limits is None or not _MEMORY.exists():
            return None
        seconds, memory = self._limits.seconds, self._limits.memory
        if seconds is not None and monotonic() - self._start > seconds:
            return self._blame(f"{seconds:g} s (--limit-seconds)")
        used = int(_MEMORY.read_text().split()[1]) * resource.getpagesize()
        if used > memory << 20:
            return self._blame(f"{memory} MiB of memory (--limit-memory)")
        if seconds is None and worked > _GROWING and self._suspects():
            return self._blame(f"{_GROWING:g} seconds of a processor (--limit-seconds allows more)")
        return None

    def _suspects(self) -> list[Statement]:
        statements = self._program.statements
        return [s for s in statements if s.is_users and _grows_on(self._program, s)]

    def _blame(self, reached: str) -> LimitError:
        message, suspects = f"the rules were stopped at {reached}", self._suspects()
        if not suspects:
            return LimitError(f"{message}: they derive too much, or leave too much open")
        names = dict.fromkeys(
            f"{name}/{arity}" for s in suspects for name, arity in sorted(s.heads)
        )
        grow = " and ".join(names) + (" grow" if len(names) > 1 else " grows")
        hint = "give the rule an end, such as N < 100 in its body"
        location = suspects[0].node.location
        return LimitError(str(error_at(location, f"{message}: {grow} without end", hint)))


class _Worker:
    """A thread that does one thing after another."""

    def __init__(self) -> None:
        self._given: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def submit(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Have something done."""
        future: Future[_Result] = Future()
        self._given.put((future, work))
        return future

    def _work(self) -> None:
        # Let clingo throw something: what a thread needs for that can be got while memory is.
        with suppress(RuntimeError):
            parse_term("(", logger=lambda *_: None)
        while True:
            future, work = self._given.get()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001
                future.set_exception(error)
            # Nothing is kept of what was done.
            del future, work


# Threads that wait for work: to start one takes longer than a short turn of a game.
_idle = list[_Worker]()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def _is_done(future: Future[Any], seconds: float) -> bool:
    """Wait for so long whether something is done."""
    try:
        future.exception(seconds)
    except TimeoutError:
        return future.done()
    return True


def _time(thread: threading.Thread) -> float:
    """Read how long a thread has used a processor, in seconds."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident or 0))
    except (AttributeError, OSError):  # it has just ended, or the system cannot tell
        return 0.0


def _allow_memory(size: int | None) -> None:
    """Let the process have so many bytes in all, or as many as it may ever have."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if size is None else size, most))


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
