"""The sweep: a run meets every fault at every operation, and is run again after each."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tools.campaign.case import Case, lay_out
from tools.campaign.judge import Seen, judge, take_stock
from tools.campaign.runner import Runner
from tools.faults import layer
from tools.faults.runs import Run, Stock

# Before Python uses a folder for temporary files, it makes a file of such a name and removes it.
_TRIAL = re.compile("[a-z0-9_]{8}")


@dataclass(frozen=True, slots=True)
class Defect:
    """What went wrong.

    Attributes:
        run: The name of the run.
        number: Which operation met the fault, from 1.
        fault: One of `layer.FAULTS`.
        operation: What the operation was.
        wrong: What was wrong then.
    """

    run: str
    number: int
    fault: str
    operation: str
    wrong: str

    def __str__(self) -> str:
        """Write it as a line."""
        return f"{self.run}, {self.fault} at {self.number} ({self.operation}): {self.wrong}"


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended: its exit status, what it printed, and the files that it made."""

    status: int
    out: bytes
    err: bytes
    made: Stock
    left: tuple[str, ...]


class Sweep:
    """The faults of one run."""

    def __init__(self, runner: Runner, run: Run, folder: Path) -> None:
        """Run it undisturbed, in a folder of its own below the given one."""
        self._runner = runner
        self._run = run
        self._folder = folder / run.name
        self._log = folder / f"{run.name}.log"
        self._case = Case("faults", run.arguments, run.files, writes=("*",))
        self._prepare()
        self._right = self._start()
        assert self._right.status == 0, self._right
        self._right_again = self._start()
        self.met = 0

    def run(self, fault: str, numbers: Iterable[int] | None = None) -> Iterator[Defect]:
        """Let a fault meet the operations of these numbers, or each until there are no more."""
        for number in count(1) if numbers is None else numbers:
            self._prepare()
            ended = self._start({layer.NUMBER: str(number), layer.FAULT: fault})
            if not self._log.exists():
                return
            self.met += 1
            operation = self._log.read_text()
            for wrong in self._find_wrong(ended, fault):
                yield Defect(self._run.name, number, fault, operation, wrong)

    def _prepare(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._log.unlink(missing_ok=True)
        lay_out(self._case, self._folder)

    def _start(self, fault: dict[str, str] | None = None) -> End:
        for name in ("out", "err"):
            (self._folder / name).unlink(missing_ok=True)
        environment = {layer.ROOT: str(self._folder), layer.LOG: str(self._log), **(fault or {})}
        answer = self._runner.ask(
            self._case,
            self._folder,
            layer="tools.faults.layer" if fault else "",
            environment=environment,
        )
        if answer["status"] == -signal.SIGKILL:
            # Nobody is left who could remove them.
            for folder in (self._folder / "tmp").glob("kb-score-*"):
                shutil.rmtree(folder)
        stock = take_stock(self._folder / "work")
        made = {name: text for name, text in stock.items() if name not in self._case.files}
        temporary = (n for n in take_stock(self._folder / "tmp") if not _TRIAL.fullmatch(n))
        out, err = ((self._folder / name).read_bytes() for name in ("out", "err"))
        return End(answer["status"], out, err, made, (*answer["left"], *temporary))

    def _find_wrong(self, ended: End, fault: str) -> Iterator[str]:
        """Say what is wrong after a fault, then after another run without one."""
        is_killed = fault in ("kill", "torn") and ended.status == -9
        seen = Seen(0 if is_killed else ended.status, err=ended.err)
        yield from (f"{sort}: {text}" for sort, text in judge(self._case, seen).items())
        if ended.status == 0:
            yield from self._compare(ended, self._right, "status 0, but ")
        elif not is_killed and not ended.err:
            yield f"status {ended.status} without a word"
        if not self._right.out.startswith(ended.out):
            yield "it printed what an undisturbed run does not"
        if ended.left:
            yield f"left: {', '.join(ended.left)}"
        made = self._without_scratch(ended.made) if is_killed else ended.made
        if not self._run.grows and not self._is_whole(made):
            yield "what it leaves is neither whole nor absent"
        # What was done before the fault need not be done again.
        is_done = made == self._right.made and bool(made)
        right = self._right_again if is_done else self._right
        yield from self._compare(self._start(), right, "run again: ")

    def _without_scratch(self, made: Stock) -> Stock:
        scratch = self._run.scratch
        return {n: text for n, text in made.items() if not (scratch and n.startswith(scratch))}

    def _is_whole(self, made: Stock) -> bool:
        if not any(made.values()) or made == self._right.made:
            return True
        case = Case("faults", self._run.recheck)
        return bool(self._run.recheck) and self._runner.ask(case, self._folder)["status"] == 0

    def _compare(self, ended: End, right: End, where: str) -> Iterator[str]:
        if ended.status != right.status:
            message = ended.err.decode(errors="replace").strip().splitlines()[-1:]
            yield f"{where}status {ended.status} {' '.join(message)}"
            return
        if ended.out != right.out:
            yield f"{where}it printed something else"
        made = self._without_scratch(ended.made)
        if self._run.normal(made) != self._run.normal(right.made):
            yield f"{where}files differ"
