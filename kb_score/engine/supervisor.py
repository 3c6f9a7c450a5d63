"""Runs clingo under supervision: deadlines, limits on time and memory, signals.

clingo works in a thread of its own. The calling thread waits in short steps, between which Python
handles signals, and checks the limits. A thread that does not stop at a limit is abandoned: the
process can end without it.
"""

from __future__ import annotations

import os
import re
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any, TypeVar, cast

from clingo import Control, Model, SolveHandle, parse_term
from clingo.ast import ASTType

from kb_score.engine.program import Program, Statement, statement_of
from kb_score.engine.scan import Signature, split_rule
from kb_score.errors import RuleError

_Result = TypeVar("_Result")

_NO_RULES = Program(())
_PERIOD = 0.05  # seconds between two checks
# Seconds of processor time after which a user's rule that may grow without end is assumed to do so.
_GROWING = 8.0
_PATIENCE = 5.0  # seconds to wait until clingo notices that it gets no more memory
_MEMORY = Path("/proc/self/statm")
# Terms that may be larger than their parts.
_LARGER = re.compile(r"[-+*^]|\(.*\(", re.DOTALL)
_BOUND = re.compile(r"[<>]|!=|\.\.")
_INTERVAL = re.compile(r"(-?[0-9]+)\.\.(-?[0-9]+)")
_VARIABLE = re.compile(r"\b[A-Z]\w*'*")
# The number of atoms that a predicate is assumed to have, and that of instances that are many.
_SOME = 100
_MANY = 1000
# The number of instances that no computer grounds in time.
_HOPELESS = 10**9


class LimitError(RuleError):
    """The rules were stopped at a time or memory limit."""


class TimeUp(Exception):
    """The time for a search is up; the results found so far are valid."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a search: a number of seconds after its start by the monotonic clock.

    Without seconds, the search has no end.
    """

    seconds: float | None
    start: float = field(default_factory=monotonic)

    @property
    def left(self) -> float | None:
        """The remaining seconds; None for a search without an end."""
        if self.seconds is None:
            return None
        end = self.start + self.seconds
        return end - monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.left is not None and self.left <= 0

    def check(self) -> None:
        """Raise a `TimeUp` if no time is left."""
        if self.is_over:
            raise TimeUp


class Supervisor:
    """Runs one query of clingo, within the limits of a program and before a deadline.

    Attributes:
        is_solving: Whether the program is grounded; set by the work that is run.
    """

    def __init__(self, program: Program = _NO_RULES, deadline: Deadline | None = None) -> None:
        """Start the clock for the time limit of the program.

        The deadline is that of the search that the query belongs to.
        """
        self._program = program
        self._deadline = deadline or Deadline(None)
        self._start = monotonic()
        self.is_solving = False

    def run(
        self, work: Callable[[], _Result], stop: Callable[[], object] = lambda: None
    ) -> _Result:
        """Run a function in a thread, and return its result or raise its error.

        clingo cannot be stopped while it grounds. For this reason, the process gets no more memory
        once a limit is reached. The function ``stop`` ends the work at a limit; it is needed if the
        work does anything but ground.

        Raises:
            LimitError: A limit is reached.
            TimeUp: The deadline has passed.
        """
        worker = _find_worker()
        future = worker.submit(work)
        start = _read_clock(worker.thread)
        reached: Exception | None = None
        while reached is None and not _is_done(future, _PERIOD):
            worked = _read_clock(worker.thread) - start
            reached = self._find_limit(worked)
        if reached is not None:
            stop()
            _allow_memory(2**20)  # less than the process uses already, so that it gets no more
            _is_done(future, _PATIENCE)
            _allow_memory(None)
        if future.done():
            _idle.append(worker)
            if reached is None and isinstance(future.exception(), MemoryError):
                reached = self._explain_limit("the limit of available memory")
        if reached is not None:
            raise reached
        return future.result()

    def models(self, control: Control) -> Iterator[Model]:
        """Yield the answer sets of a grounded program; each is valid until the next one.

        The errors are those of `run`.
        """
        solve = partial(control.solve, yield_=True, async_=True)
        # The deadline does not apply here: reaching it would leave the search without memory.
        started = Supervisor(self._program).run(solve)
        with cast("SolveHandle", started) as handle:
            while True:
                handle.resume()
                while not handle.wait(_PERIOD):
                    reached = self._find_limit()
                    if reached is not None:
                        control.interrupt()
                        raise reached
                model = handle.model()
                if model is None:
                    return
                yield model
                self._deadline.check()

    def _find_limit(self, worked: float = 0.0) -> Exception | None:
        """Return the error for a limit that is reached, or None.

        The seconds are the processor time that clingo has used.
        """
        if self._deadline.is_over:
            return TimeUp()
        limits = self._program.limits
        if limits is None or limits.memory is None or not _MEMORY.exists():
            return None
        seconds = limits.seconds
        if seconds is not None and monotonic() - self._start > seconds:
            return self._explain_limit(f"{seconds:g} s (--limit-seconds)")
        _, pages, *_ = _MEMORY.read_text().split()
        used_bytes = int(pages) * resource.getpagesize()
        if used_bytes > limits.memory << 20:
            return self._explain_limit(f"{limits.memory} MiB of memory (--limit-memory)")
        if seconds is None and worked > _GROWING and self._has_no_end:
            used = f"{_GROWING:g} seconds of processor time (--limit-seconds allows more)"
            return self._explain_limit(used)
        return None

    @cached_property
    def _has_no_end(self) -> bool:
        """Whether a user's rule may grow without end, or surely has hopelessly many instances."""
        users = [s for s in self._program.statements if s.origin != "shipped"]
        return bool(self._find_growing()) or _find_largest(users, 1)[0] > _HOPELESS

    def _find_growing(self) -> list[Statement]:
        """Return the user's rules that may grow without end."""
        suspects: list[Statement] = []
        for statement in self._program.statements:
            if statement.origin != "shipped" and _may_grow(self._program, statement):
                suspects.append(statement)
        return suspects

    def _explain_limit(self, reached: str) -> LimitError:
        """Return the error for a limit, at the user's rule that is the most likely cause."""
        message = f"the rules were stopped at {reached}"
        users = [s for s in self._program.statements if s.origin != "shipped"]
        choices = [statement for statement in users if statement.guides and statement.heads]
        if self.is_solving and choices:
            error = choices[0].error(f"{message}: this choice leaves too much open")
            return LimitError(str(error))
        suspects = self._find_growing()
        if not suspects:
            size, largest = _find_largest(users)
            if largest is None or size < _MANY:
                return LimitError(f"{message}: they derive too much, or leave too much open")
            message = f"{message}: this rule probably has too many instances"
            hint = "add conditions that leave its variables fewer values"
            return LimitError(str(largest.error(message, hint)))
        names: list[str] = []
        for statement in suspects:
            # A user knows the predicates of the file, and not those of the lifted rule.
            in_file = statement_of(statement.tree)
            names += [f"{name}/{arity}" for name, arity in sorted(in_file.heads)]
        different = dict.fromkeys(names)
        growing = " and ".join(different)
        # One without a bound is more likely to have no end.
        first = min(suspects, key=_has_bound)
        if _has_bound(first):
            verb = "is" if len(different) == 1 else "are"
            message = f"{message}: {growing} {verb} still growing"
            hint = "the bound of the rule may be too large"
        else:
            verb = "grows" if len(different) == 1 else "grow"
            message = f"{message}: {growing} {verb} without end"
            hint = "give the rule a bound, such as N < 100 in its body"
        return LimitError(str(first.error(message, hint)))


class _Worker:
    """A thread that runs one function after another."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def submit(self, work: Callable[[], _Result]) -> Future[_Result]:
        """Run a function in the thread, and return the future for its result."""
        future: Future[_Result] = Future()
        self._tasks.put((future, work))
        return future

    def _work(self) -> None:
        # The first error in clingo allocates what a thread needs to raise errors. Cause one now,
        # while there is memory.
        with suppress(RuntimeError):
            parse_term("(", logger=lambda *_: None)
        while True:
            future, work = self._tasks.get()
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001
                future.set_exception(error)
            # While the thread waits, it must not keep the result in memory.
            del future, work


# Threads that wait for work: starting one takes longer than a short turn of a game.
_idle: list[_Worker] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def _find_worker() -> _Worker:
    """Return a thread that waits for work, or a new one."""
    # Another thread may take the last one between a test and `pop`.
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()


def _is_done(future: Future[Any], seconds: float) -> bool:
    """Wait for a future, and return whether it is done."""
    try:
        future.exception(seconds)
    except TimeoutError:
        return future.done()
    return True


def _read_clock(thread: threading.Thread) -> float:
    """Return the processor time of a thread, in seconds; 0 if it has ended or cannot be read."""
    try:
        clock = time.pthread_getcpuclockid(thread.ident or 0)
        return time.clock_gettime(clock)
    except (AttributeError, OSError):
        return 0.0


def _allow_memory(size: int | None) -> None:
    """Limit the address space of the process, in bytes; None for the most the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if size is None:
        size = most
    resource.setrlimit(resource.RLIMIT_AS, (size, most))


def _may_grow(program: Program, statement: Statement) -> bool:
    """Return whether a rule may derive larger and larger terms from its own atoms."""
    head, body = split_rule(statement.text)
    equations = [condition for condition in body.split("; ") if "=" in condition]
    if not any(_LARGER.search(part) for part in (head, *equations)):
        return False
    # The body of a statement includes the predicates of a choice in its head, which do not count.
    read = {atom.signature for atom in statement.atoms if not atom.in_head}
    return not read.isdisjoint(program.find_dependents(statement.heads))


def _has_bound(rule: Statement) -> bool:
    """Return whether a condition of a rule compares something, other than for being equal."""
    _, body = split_rule(rule.text)
    return _BOUND.search(body) is not None


def _find_largest(users: Iterable[Statement], unknown: int = _SOME) -> tuple[int, Statement | None]:
    """Return the estimated number of instances of a user's largest rule, with that rule.

    A predicate that rules with conditions derive counts as ``unknown`` atoms.
    """
    sizes = Counter[Signature]()
    rules = [statement for statement in users if statement.kind == ASTType.Rule]
    for statement in rules:
        if not statement.body:
            for signature in statement.heads:
                sizes[signature] += _estimate(statement, sizes, unknown)
    numbers = [_estimate(statement, sizes, unknown) for statement in rules]
    most = max(numbers, default=0)
    return most, rules[numbers.index(most)] if rules else None


def _estimate(statement: Statement, sizes: Mapping[Signature, int], unknown: int) -> int:
    """Return an estimate of the number of instances of a rule.

    A predicate whose size is not given counts as ``unknown`` atoms.
    """
    number = 1
    bound = set[str]()
    for first, last in _INTERVAL.findall(statement.text):
        number *= max(1, int(last) - int(first) + 1)
    for atom in statement.atoms:
        if atom.in_head:
            continue
        variables = set(_VARIABLE.findall(",".join(atom.arguments)))
        if atom.is_plain and not variables <= bound:
            number *= sizes.get(atom.signature) or unknown
        bound |= variables
    return number
