"""What counts as a defect of what was seen."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.campaign.case import Case

# The columns of the table, in order.
DEFECTS = (
    *("traceback", "death", "hang", "memory", "flood", "status", "internal", "mute", "control"),
    *("errno", "json", "output", "files", "processes", "unnamed", "silent", "reach"),
)
# Fine, differs, cannot be used, an internal failure, ended by INT, TERM, HUP, and by a reader.
STATUS = {0: "result", 1: "result", 2: "refusal", 70: "internal"}
_ENDED = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
_QUIET = 141
# Until then a busy machine may be at the first imports, before which nobody can listen.
_EARLY = 0.1

_MARKS = "\u202a-\u202e\u2066-\u2069\u200e\u200f"
# Bytes that are no UTF-8 arrive as surrogates.
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_MARKS}\ud800-\udfff]")
# A csv keeps text as data, but for what begins an escape.
_ESCAPE = re.compile("[\x1b\x9b]")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a run.

    Attributes:
        status: The exit status, or less than 0 for death by that signal.
        seconds: How long it took.
        memory: The most that its processes had together, in bytes.
        ended_for: ``hang``, ``memory`` or ``flood`` if it was ended from outside.
        signalled: When the case's signal was sent, or 0.
        left: The processes that outlived it.
        out: What standard output got.
        err: What standard error got.
        changed: The paths of the folder that were made, changed or removed.
        temporary: What it left in the folder of temporary files.
        recheck: The exit status of the command that reads what was written, or None.
        plain: What the same command prints without what was added, or None.
    """

    status: int
    seconds: float = 0.0
    memory: int = 0
    ended_for: str = ""
    signalled: float = 0.0
    left: tuple[str, ...] = ()
    out: bytes = b""
    err: bytes = b""
    changed: tuple[str, ...] = ()
    temporary: tuple[str, ...] = ()
    recheck: int | None = None
    plain: bytes | None = None


def judge(case: Case, seen: Seen) -> dict[str, str]:
    """Find the defects of a run, each with what shows it."""
    out, err = (text.decode(errors="surrogateescape") for text in (seen.out, seen.err))
    found = {seen.ended_for: f"ended after {seen.seconds:.1f} s, {seen.memory >> 20} MB"}
    found |= _judge_end(case, seen, out, err)
    found |= _judge_text(case, out, err)
    found |= _judge_expected(case, seen, out, err)
    if seen.left:
        found["processes"] = "; ".join(seen.left)
    rightly = [path for path in seen.changed if _may_change(case, path)]
    # A folder may be new that holds an output, but not without the output.
    strays = [
        path
        for path in seen.changed
        if path not in rightly and not any(other.startswith(f"{path}/") for other in rightly)
    ]
    if seen.temporary or strays:
        # A bot that nests folders leaves many, with long names.
        found["files"] = ", ".join(map(ascii, [*seen.temporary, *strays]))[:500]
    if seen.recheck not in (None, 0, 1):
        found["output"] = f"what it wrote cannot be read again: status {seen.recheck}"
    found.pop("", None)
    return found


# How the names of the files begin that a bot of `tools.campaign.sandbox` makes: one for each thing
# that it should not reach.
REACHED = "CAN REACH"


def _judge_expected(case: Case, seen: Seen, out: str, err: str) -> dict[str, str]:
    """Find where a run differs from what has to come of its case."""
    found = {}
    reached = [path for path in seen.changed if path.startswith(REACHED)]
    if reached:
        found["reach"] = ascii(reached[0][:200])
    expected = case.expected
    has_ended = not seen.ended_for and seen.status >= 0 and not seen.signalled
    if has_ended and expected.statuses and seen.status not in expected.statuses:
        found["status"] = f"status {seen.status} in place of {expected.statuses}"
    if has_ended and seen.status == 2:
        missing = [pattern for pattern in expected.refusal if not re.search(pattern, err)]
        if missing:
            found["unnamed"] = f"the refusal does not say {missing[0]}: {_first_line(err)}"
    if has_ended and seen.status in (0, 1):
        missing_files = [path for path in expected.made if path not in seen.changed]
        if missing_files:
            found["output"] = f"it did not make {missing_files[0]}"
        if expected.note and not re.search(expected.note, err):
            found["silent"] = f"there is no note {expected.note}"
        changed = find_change(seen.plain.decode(), out) if seen.plain is not None else ""
        if changed and "note:" not in err:
            found["silent"] = changed
    return found


def find_change(plain: str, changed: str) -> str:
    """Find the first figure that JSON lines have, and that other lines have otherwise.

    Figures that only the other lines have, such as those of a user's card, do not count.
    """
    pairs = zip(plain.splitlines(), changed.splitlines(), strict=False)
    for before, after in pairs:
        try:
            values = json.loads(before), json.loads(after)
        except ValueError:
            continue
        found = _find_difference(*values, "")
        if found:
            return found
    return ""


def _find_difference(before: object, after: object, name: str) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            found = _find_difference(value, after.get(key), f"{name} {key}".strip())
            if found:
                return found
        return ""
    return "" if before == after else f"{name}: {before} became {after}"[:200]


def _is_early(case: Case, seen: Seen) -> bool:
    """Whether a signal ended Python before kb-score could listen: a shell has the same status."""
    if case.signal not in _ENDED or case.after >= _EARLY:
        return False
    return seen.status == -int(getattr(signal, case.signal))


def _judge_end(case: Case, seen: Seen, out: str, err: str) -> dict[str, str]:
    found = {}
    if "Traceback (most recent call last)" in err + out:
        found["traceback"] = _last_line(err)
    if seen.ended_for:
        return found
    if seen.status < 0 and not _is_early(case, seen):
        found["death"] = f"died of signal {-seen.status}"
    elif seen.status >= 0 and seen.signalled and seen.status not in (0, _ENDED[case.signal]):
        found["status"] = f"status {seen.status} after {case.signal}"
    elif seen.status >= 0 and not seen.signalled and not _is_in_table(case, seen.status):
        found["status"] = f"status {seen.status}"
    if seen.status == 70:
        found["internal"] = _last_line(err)
    if seen.status in (1, 2) and not err.strip() and not out.strip() and not _has_no_reader(case):
        found["mute"] = f"status {seen.status} without a word"
    if case.stdout == "gone" and seen.status in (1, 2) and not err:
        found["status"] = f"status {seen.status} for a reader that has gone"
    return found


def _is_in_table(case: Case, status: int) -> bool:
    return status in STATUS or (status == _QUIET and case.stdout == "gone")


def _has_no_reader(case: Case) -> bool:
    return case.stdout in ("closed", "gone", "full")


def _judge_text(case: Case, out: str, err: str) -> dict[str, str]:
    found = {}
    wanted = _ESCAPE if case.format == "csv" else _CONTROL
    control = wanted.search(out) or _CONTROL.search(err)
    if control and "Traceback" not in err:
        around = control.string[max(0, control.start() - 30) : control.end() + 30]
        found["control"] = ascii(around)
    # The script of a page may have the word; what is said to people may not.
    said = err if out.startswith("<!doctype html>") else out + err
    if re.search("errno", said, re.IGNORECASE) and "Traceback" not in err:
        found["errno"] = _last_line(err)
    if case.format == "json" and not case.signal and case.stdout == "file":
        for line in out.splitlines():
            try:
                json.loads(line)
            except ValueError:
                found["json"] = ascii(line[:100])
    return found


def _first_line(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return ascii(lines[0][:200])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return ascii(lines[-1][:200])


def _may_change(case: Case, path: str) -> bool:
    if "*" in case.writes and path not in case.files:
        return True  # odd options may name a new file, never an input
    tops = [name.rstrip("/") for name in case.writes if name]
    return any(path == name or path.startswith(f"{name}/") for name in tops)


def take_stock(folder: Path) -> dict[str, bytes]:
    """Read a folder: the content of each file by path, empty for what else lies there.

    A bot may nest folders so deeply that no path leads there; what lies there is left out.
    """
    stock = {}
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as scanned:
                entries = list(scanned)
        except OSError:
            continue
        for entry in entries:
            is_file = entry.is_file(follow_symlinks=False)
            path = Path(entry.path)
            stock[str(path.relative_to(folder))] = path.read_bytes() if is_file else b""
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
    return stock


def compare(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """List the paths that differ between two stocks."""
    return tuple(
        name
        for name in sorted(before.keys() | after.keys(), key=ascii)
        if before.get(name) != after.get(name)
    )
