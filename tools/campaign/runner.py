"""Running cases: folders are made, a server runs the command, what is left is looked at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.campaign.case import Case, lay_out
from tools.campaign.judge import Seen, compare, take_stock


class Runner:
    """A server, and the folder in which the folders of its cases lie."""

    def __init__(self, folder: Path) -> None:
        """Start the server; the package is that which Python finds from here."""
        self._folder = folder
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tools.campaign.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def __enter__(self) -> Runner:
        """Do nothing: the server works already."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the server."""
        self.close(at_once=kind is not None)

    def close(self, *, at_once: bool = False) -> None:
        """End the server; its process of a case ends with it."""
        if at_once:
            self._server.kill()
        self._server.communicate()

    def run(self, case: Case, name: str, *, keep: bool = False) -> Seen:
        """Run a case in a folder of this name, which is removed unless it shall be kept."""
        folder = self._folder / name
        remove(folder)
        lay_out(case, folder)
        before = take_stock(folder / "work")
        answer = self.ask(case, folder)
        after = take_stock(folder / "work")
        out = _read(folder / "out")
        seen = Seen(
            status=answer["status"],
            seconds=answer["seconds"],
            memory=answer["memory"],
            ended_for=answer["ended_for"],
            signalled=answer["signalled"],
            left=tuple(answer["left"]),
            out=out,
            err=_read(folder / "err"),
            changed=compare(before, after),
            temporary=tuple(take_stock(folder / "tmp")),
            recheck=self._recheck(case, folder, answer, seen_files=after),
            plain=self._run_plainly(case, folder),
        )
        if not keep:
            remove(folder)
        return seen

    def _recheck(
        self, case: Case, folder: Path, answer: dict[str, Any], seen_files: dict[str, bytes]
    ) -> int | None:
        """Read again what was written, if there is something and the command had a result."""
        wrote = any(seen_files.get(name) for name in case.writes)
        if not case.recheck or not wrote or answer["status"] not in (0, 1) or answer["ended_for"]:
            return None
        plain = Case(case.kind, case.recheck)
        return int(self.ask(plain, folder)["status"])

    def _run_plainly(self, case: Case, folder: Path) -> bytes | None:
        """Run the same command without what was added, if figures are to be compared."""
        if not case.expected.plain:
            return None
        before = len(_read(folder / "out"))
        self.ask(Case(case.kind, case.expected.plain), folder)
        return _read(folder / "out")[before:]

    def ask(
        self,
        case: Case,
        folder: Path,
        *,
        layer: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Run a command in a folder that is there, and say how it ended.

        Args:
            case: The case.
            folder: Its folder; what the command prints is added to ``out`` and ``err`` in it.
            layer: A module that is imported in the process before the command runs.
            environment: What to add to its environment.
        """
        request = {
            "folder": str(folder),
            "arguments": case.arguments,
            "layer": layer,
            "environment": {**case.environment, **(environment or {})},
            "patience": case.patience,
            "stdout": case.stdout,
            "script": bool(case.script),
            "real": case.real or case.stdout != "file",
            "signal": case.signal,
            "after": case.after,
            "to_group": case.to_group,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        answer: dict[str, Any] = json.loads(self._server.stdout.readline())
        return answer


def remove(folder: Path) -> None:
    """Remove a folder; one that is nested too deeply for Python, too."""
    subprocess.run(["rm", "-rf", "--", str(folder)], check=False)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
