"""A process that has imported the package once and forks a child for each case.

It reads a request a line, JSON, and answers with a line: what was seen (`tools.campaign.watch`). A
child leaves through the end of this program, as a process of the command would.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import pkgutil
import resource
import runpy
import signal
import sys
from pathlib import Path
from typing import Any

import kb_score
from tools.campaign.watch import MARKER, watch

_HOME = str(Path(kb_score.__file__).parents[1])
# A process that a signal shall end says when it begins to load the package, by closing a pipe.
_READY = """\
import os, runpy, sys
os.close({ready})
sys.argv[0] = "kb-score"
runpy.run_module("kb_score", run_name="__main__", alter_sys=True)
"""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def _set_process(option: int, value: int) -> None:
    """Tell the kernel something about this process; where there is no Linux, do without."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def preload() -> None:
    """Import all modules of the package, but what cannot be imported: a case will tell."""
    for module in pkgutil.walk_packages(kb_score.__path__, "kb_score.", onerror=lambda _: None):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(Exception):
                importlib.import_module(module.name)


def become(request: dict[str, Any], ready: int) -> None:
    """Turn the child into the process of the case, and run it."""
    folder = Path(request["folder"])
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # a shell's background jobs ignore some of them
    _set_process(_PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    os.environ |= {MARKER: str(folder), "TMPDIR": str(folder / "tmp"), "PYTHONPATH": _HOME}
    os.environ |= request["environment"]
    os.dup2(os.open(folder / "given", os.O_RDONLY), 0)
    os.dup2(os.open(folder / "err", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    _lead_output(request["stdout"], folder)
    os.chdir(folder / "work")
    words = ["call.py"] if request["script"] else ["-m", "kb_score"]
    if request["signal"]:
        os.set_inheritable(ready, True)
        words = ["-c", _READY.format(ready=ready)]
    if request["real"]:
        os.execv(sys.executable, [sys.executable, *words, *request["arguments"]])
    if request["layer"]:
        importlib.import_module(request["layer"]).install()
    sys.argv = ["kb-score", *request["arguments"]]
    if request["script"]:
        runpy.run_path("call.py", run_name="__main__")
    else:
        runpy.run_module("kb_score", run_name="__main__", alter_sys=True)


def _lead_output(where: str, folder: Path) -> None:
    if where == "closed":
        os.close(1)
    elif where == "gone":
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)
    else:
        path = Path("/dev/full") if where == "full" else folder / "out"
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)


def main() -> None:
    """Answer requests until there are no more."""
    _set_process(_PR_SET_CHILD_SUBREAPER, 1)
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    preload()
    for line in requests:
        request = json.loads(line)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(requests.fileno())
            os.close(answers.fileno())
            become(request, writer)
            return
        os.close(writer)
        print(json.dumps(watch(child, request, reader)), file=answers, flush=True)
        os.close(reader)


if __name__ == "__main__":
    main()
