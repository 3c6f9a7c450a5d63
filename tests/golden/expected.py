"""The files that tell what the sessions have to do, one a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "expected"
_WIDTH = 100


def find_expected() -> list[Path]:
    """Find the files of all sessions."""
    return sorted(_FOLDER.glob("*.json"))


def read_expected(name: str) -> Any:
    """Read what a session has to do."""
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def write_expected(name: str, ran: Any) -> None:
    """Write what a session has done as what it has to do."""
    _FOLDER.mkdir(exist_ok=True)
    text = "\n".join(_lay_out(ran, 0)) + "\n"
    (_FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def _lay_out(value: Any, depth: int) -> list[str]:
    """Write a value on a line if it fits, and else its parts on lines of their own."""
    line = json.dumps(value, ensure_ascii=False)
    inner = " " * (depth + 1)
    if len(line) + depth <= _WIDTH or not value or not isinstance(value, dict | list):
        return [line]
    parts = []
    if isinstance(value, dict):
        for key, one in value.items():
            first, *more = _lay_out(one, depth + 1)
            parts.append([f"{json.dumps(key, ensure_ascii=False)}: {first}", *more])
    else:
        parts = [_lay_out(one, depth + 1) for one in value]
    for part in parts[:-1]:
        part[-1] += ","
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    lines = [inner + part[0] if not i else part[i] for part in parts for i in range(len(part))]
    return [opened, *lines, " " * depth + closed]
