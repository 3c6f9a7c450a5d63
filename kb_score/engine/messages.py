"""clingo's messages to errors: its mere information counts as an error, too, in rules here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from clingo import MessageCode
from clingo.ast import Location

from kb_score.errors import Place, RuleError

_MESSAGE = re.compile(
    r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: "
    r"(?:error|info|warning|note): (?P<text>.*)",
    re.DOTALL,
)
_CAPITAL = re.compile(r"[A-Z]\w*\s*$")
_HINTS = {
    "unexpected EOF": "the last rule lacks its full stop",
    "syntax error": "a rule ends with a full stop, and variables begin with a capital letter",
    "unsafe variables": "every variable must stand in a positive condition of the rule's body",
    "function": "rules here cannot call functions of Python or Lua",
    "operation undefined": "a sum or a product needs numbers",
    "atom does not occur in any rule head": "no rule and no fact defines this predicate",
    "tuple ignored": "the first term of a #sum must be a number",
    "redefinition of constant": "a ruling is set with --const NAME=VALUE",
}

_NO_ATOMS = "no atoms over signature occur in program"

# What messages call statements that the driver makes itself.
DRIVER = "<driver>"

Logger = Callable[[MessageCode, str], None]


@contextmanager
def collected_messages() -> Iterator[Logger]:
    """Collect clingo's messages by the logger that this yields; any of them is a RuleError."""
    messages: list[str] = []
    try:
        yield lambda _, message: messages.append(message)
    except RuntimeError as error:
        raise RuleError(_explain(messages or [f"clingo: {error}"])) from error
    # A shown predicate without atoms is not a mistake.
    if messages := [m for m in messages if _NO_ATOMS not in m and not m.startswith(DRIVER)]:
        raise RuleError(_explain(messages))


def error_at(location: Location, message: str, hint: str = "") -> RuleError:
    """Make the error that a message about a place in a rule file is."""
    begin = location.begin
    lines = Path(begin.filename).read_text(encoding="utf-8").splitlines()
    place = Place(begin.filename, begin.line, begin.column, lines[begin.line - 1])
    return RuleError.at(place, message, hint)


def _explain(messages: list[str]) -> str:
    # An error stops clingo; earlier information is most often a consequence of it.
    errors = [m for m in messages if ": error: " in m] or messages
    return "\n".join(dict.fromkeys(map(_explain_one, errors[:3])))


def _explain_one(message: str) -> str:
    found = _MESSAGE.match(message.strip())
    if found is None:
        return message.strip()
    text, *more = found["text"].split("\n")
    detail = " ".join(line.strip() for line in more)
    # For an unsafe rule clingo prints the rule, then a note that points at each unsafe variable.
    notes = [note for note in map(_MESSAGE.match, more) if note and "is unsafe" in note["text"]]
    if notes:
        detail = ", ".join(note["text"].removesuffix(" is unsafe") for note in notes)
        found = notes[0]
    place = _place(found["name"], int(found["line"]), int(found["column"]))
    hints = [hint for part, hint in _HINTS.items() if part in f"{text} {detail}"]
    if text.endswith("unexpected (") and _CAPITAL.search((place.source or "")[: place.column - 1]):
        hints = ["a predicate begins with a small letter, variables begin with a capital letter"]
    said = f"{text.rstrip(':')}{': ' if detail else ''}{detail}"
    return str(RuleError.at(place, said, *hints[:1]))


def _place(name: str, line: int, column: int) -> Place:
    path = Path(name)
    source = None
    if path.is_file():
        lines = path.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
        if lines and line > len(lines):
            # The end of the file does not help the user; the text before it does.
            line, column = len(lines), len(lines[-1]) + 1
        source = lines[line - 1] if line <= len(lines) else None
    return Place(name, line, column, source)
