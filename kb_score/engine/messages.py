"""Turns clingo's messages into errors; even those that clingo marks as information are errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol

from clingo import MessageCode
from clingo.ast import Position

from kb_score.engine.arithmetic import ArithmeticFault, unguard
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.scan import TURN
from kb_score.errors import Place, RuleError

_MESSAGE = re.compile(
    r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: "
    r"(?:error|info|warning|note): (?P<text>.*)",
    re.DOTALL,
)
_CAPITAL = re.compile(r"[A-Z]\w*\s*$")
_HINTS = {
    "unexpected EOF": "the last rule is missing its full stop",
    "syntax error": "a rule ends with a full stop, and variables begin with a capital letter",
    "unsafe variables": "every variable must occur in a positive condition of the rule's body",
    "function": "rules here cannot call Python or Lua functions",
    "operation undefined": "a sum or a product needs numbers; #max of nothing is #inf, and #min of "
    "nothing is #sup",
    "tuple ignored": "the first term of a #sum must be a number; #max of nothing is #inf, and "
    "#min of nothing is #sup",
    "redefinition of constant": "a ruling is set with --const NAME=VALUE",
}

# What is no mistake: a shown predicate without atoms, and a variable that is meant.
_FINE = ("no atoms over signature occur in program", "global variable in tuple of aggregate")

# The number of mistakes that are reported together.
_MAX_ERRORS = 20
# The file name in messages for statements that do not come from a file.
DRIVER = "<driver>"
# The file name in messages for statements that have been rewritten, one a line.
_REWRITTEN = "<string>"

Logger = Callable[[MessageCode, str], None]


class Located(Protocol):
    """A statement of a program, which knows where it stands in its file."""

    @property
    def is_as_in_file(self) -> bool:
        """Whether clingo gets it as the file has it; all others stand on lines of their own."""

    def find_place(self, column: int) -> Position:
        """Return the place in its file of what stands in a column of its text, from 1."""


@contextmanager
def collected_messages(
    statements: Sequence[Located] = (), path: Path | None = None
) -> Iterator[Logger]:
    """Yield a logger for clingo, and raise what it reports as a RuleError at the end of the block.

    A RuntimeError of clingo becomes such an error, too. A message about a statement that has been
    rewritten names its place in its file. A path is that of the file whose text is parsed.
    """
    messages: list[str] = []

    def log(code: MessageCode, message: str) -> None:
        # A predicate may well be without atoms; those that nobody knows are found by other checks.
        if code != MessageCode.AtomUndefined:
            if path is not None:
                message = message.replace(_REWRITTEN, str(path))
            messages.append(message)

    try:
        yield log
    except ArithmeticFault as error:
        raise RuleError(_explain([str(error)], statements)) from error
    except RuntimeError as error:
        raise RuleError(_explain(messages or [f"clingo: {error}"], statements)) from error
    mistakes: list[str] = []
    for message in messages:
        is_fine = any(words in message for words in _FINE)
        if not is_fine and not message.startswith(DRIVER):
            mistakes.append(message)
    if mistakes:
        raise RuleError(_explain(mistakes, statements))


def raise_all(errors: Iterable[RuleError]) -> None:
    """Raise a RuleError with the first different messages, if there are any."""
    messages = dict.fromkeys(map(str, islice(errors, _MAX_ERRORS)))
    if messages:
        raise RuleError("\n".join(messages))


def _explain(messages: list[str], statements: Sequence[Located]) -> str:
    """Return the text of an error for clingo's first messages."""
    rewritten = [statement for statement in statements if not statement.is_as_in_file]
    # An error stops clingo; earlier info messages are usually consequences of it.
    errors = [message for message in messages if ": error: " in message]
    if not errors:
        errors = messages
    different = dict.fromkeys(_explain_one(message, rewritten) for message in errors[:3])
    return "\n".join(different)


def _explain_one(message: str, rewritten: Sequence[Located]) -> str:
    """Return one of clingo's messages with its place, the line of the file, and a hint."""
    message = message.strip()
    found = _MESSAGE.match(message)
    if found is None:
        return message
    text, *more = found["text"].split("\n")
    detail = " ".join(line.strip() for line in more)
    # For an unsafe rule clingo prints the rule, then a note that points at each unsafe variable.
    variables: list[str] = []
    for line in more:
        note = _MESSAGE.match(line)
        if note is not None and "is unsafe" in note["text"]:
            if not variables:
                found = note
            variable = note["text"].removesuffix(" is unsafe")
            variables.append(variable)
    if variables:
        detail = ", ".join(variables)
    place = _find_place(found["name"], int(found["line"]), int(found["column"]), rewritten)
    problem = text.rstrip(":")
    if detail:
        problem = f"{problem}: {detail}"
    # The variable of a lifted rule stands for the parameter of its part.
    problem = unguard(problem.replace(TURN, "t"))
    hint = _find_hint(f"{text} {detail}")
    if text.endswith("unexpected (") and place.source is not None:
        before = place.source[: place.column - 1]
        if _CAPITAL.search(before):
            hint = "predicates begin with a lowercase letter, variables with a capital letter"
    return str(RuleError.at(place, problem, hint))


def _find_hint(message: str) -> str:
    """Return the first hint for one of clingo's messages; empty if there is none."""
    for part, hint in _HINTS.items():
        if part in message:
            return hint
    return ""


def _find_place(name: str, line: int, column: int, rewritten: Sequence[Located]) -> Place:
    """Return a place in a file; a place beyond its text becomes the end of that text."""
    if name == _REWRITTEN and line <= len(rewritten):
        begin = rewritten[line - 1].find_place(column)
        name, line, column = begin.filename, begin.line, begin.column
    path = Path(name)
    if not path.is_file():
        return Place(name, line, column)
    lines = read_rule_text(path).rstrip().split("\n")
    if line > len(lines):
        # The end of the file does not help the user; the last text does.
        return Place(name, len(lines), len(lines[-1]) + 1, lines[-1])
    source = lines[line - 1]
    # clingo counts columns in bytes.
    before = source.encode()[: column - 1].decode(errors="replace")
    return Place(name, line, len(before) + 1, source)
