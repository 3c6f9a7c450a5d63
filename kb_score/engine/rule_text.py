"""Reads the text of rule files, and finds what clingo's parser would choke on."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from kb_score.errors import FileKind, Place, RuleError, describe_failure, visible

# The deepest nesting of terms in files: clingo crashes on much deeper ones.
DEEPEST = 1000

RULE_FILE = FileKind("a rule file", 1 << 20)
_ESCAPES = r"clingo knows \n, \\ and \""

# Comments and strings, and what is forbidden outside of them. They may contain anything but escapes
# other than clingo's three: clingo cannot even report one before a non-ASCII letter.
_FORBIDDEN = (
    r'"(?:\\["\\n]|[^"\\\n])*(?:"|(?P<escape>\\[^\n]))'
    r"|(?P<block>%\*)|%[^\n]*|(?P<letter>[^\x00-\x7f])|(?P<include>#include)"
    r"|(?<!\w)(?P<number>0[xob]\w+|[0-9]+)"
)
_TOKENS = re.compile(_FORBIDDEN, re.DOTALL)
_SIGNS = re.compile(rf"{_FORBIDDEN}|\*\*|\.\.|[][(){{}}.,;:=<>!|&?^~+*/\\-]", re.DOTALL)
# The tokens that matter in a block comment: such comments nest, and a line comment in one hides its
# end.
_IN_BLOCK = re.compile(r"(?P<begin>%\*)|(?P<end>\*%)|%[^\n]*")

NUMBER = re.compile(r"-?[0-9]{1,12}")


def check_text(text: str, path: Path, *, is_shipped: bool) -> None:
    """Raise a RuleError unless clingo's parser can read the text of a rule file."""
    # clingo chokes on non-ASCII letters in rules, and wraps numbers at 32 bits without a message.
    fault = find_fault(text, is_shipped=is_shipped)
    if fault is not None:
        start, message = fault
        place = find_position(text[:start], path)
        lines = text.split("\n")
        raise RuleError.at(replace(place, source=lines[place.line - 1]), message)


def read_rule_text(path: Path) -> str:
    """Return the text of a rule file, with line feeds as line endings and no byte order mark.

    A file that cannot be read, is too large, or is not plain UTF-8 is a RuleError.
    """
    return read_unchanged(path).removeprefix("\ufeff").replace("\r", "\n")


def read_unchanged(path: Path) -> str:
    """Return the text of a rule file as clingo reads it; the errors are those above."""
    # clingo would report a syntax error for a folder or a binary file.
    try:
        size = path.stat().st_size
        if size > RULE_FILE.most:
            too_large = RULE_FILE.refuse(str(path), size)
            raise RuleError(str(too_large))
        data = path.read_bytes()
    except OSError as error:
        raise RuleError(f"{visible(str(path))}: {describe_failure(error)}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A file that PowerShell writes with ">" begins with such a mark.
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            place = find_position("", path)
            message = "a rule file cannot be UTF-16: save it as plain UTF-8"
        else:
            before = data[: error.start].decode()
            place = find_position(before, path)
            byte = data[error.start]
            message = f"byte {byte:#04x} is not text: a rule file must be plain UTF-8"
        raise RuleError.at(place, message) from error
    return text.replace("\r\n", "\n")


def find_position(before: str, path: Path) -> Place:
    """Return the place in a rule file that follows the first part of its text."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Place(str(path), line, column)


def find_fault(text: str, *, is_shipped: bool = False) -> tuple[int, str] | None:
    """Return the offset and the message of the first thing that clingo's parser would choke on.

    It is None if nothing is wrong. In files that are shipped no term is nested too deeply.
    """
    terms = _Depth()
    pattern = _TOKENS if is_shipped else _SIGNS
    found = pattern.search(text)
    while found is not None:
        message = ""
        start = found.start()
        end = found.end()
        if found["block"]:
            end = _skip_block(text, end)
        elif found["escape"]:
            start = found.start("escape")
            message = f"unexpected {found['escape']} in a string: {_ESCAPES}"
        elif found["letter"]:
            message = f"unexpected {found[0]!r} in a rule"
        elif found["include"]:
            message = "a rule file cannot include another one: put that in a --rules folder instead"
        elif found["number"] and not _is_small(found["number"]):
            message = f"{found[0][:12]} does not fit in 32 bits"
        elif terms.add(found[0]) > DEEPEST:
            message = f"a term is nested deeper than {DEEPEST} levels"
        if message:
            return start, message
        found = pattern.search(text, end)
    return None


def _skip_block(text: str, start: int) -> int:
    """Return the offset of the end of a block comment, given the offset where its text begins."""
    depth = 1
    for found in _IN_BLOCK.finditer(text, start):
        if found["begin"]:
            depth += 1
        elif found["end"]:
            depth -= 1
            if not depth:
                return found.end()
    return len(text)


def is_too_large(value: str) -> bool:
    """Return whether the value of a constant is a number that does not fit into 32 bits."""
    digits = value.lstrip("-")
    return digits.isdecimal() and not is_number(value)


def _is_small(number: str) -> bool:
    """Return whether a number without a sign, perhaps with a base prefix, fits into 32 bits."""
    if number.isdecimal():
        return is_number(number)
    try:
        return int(number, 0) < 2**31
    except ValueError:
        return True  # clingo reports what is wrong


def is_number(text: str) -> bool:
    """Return whether a string is a whole number that fits into clingo's 32 bits."""
    if NUMBER.fullmatch(text) is None:
        return False
    return abs(int(text)) < 2**31


class _Depth:
    """The depth of terms, at most twice what it is: each bracket and each operator adds a level."""

    def __init__(self) -> None:
        # For each open bracket, the depth of the last term in it and that of the deepest one.
        self._open = [(0, 0)]

    def add(self, sign: str) -> int:
        """Read the next token, and return the depth of the brackets and the term around it."""
        last, deepest = self._open.pop()
        if sign in "([{":
            self._open += [(last, deepest), (0, 0)]
        elif sign in ")]}" and self._open:
            outer, of_outer = self._open.pop()
            self._open.append((max(outer, last + 1, deepest + 1), of_outer))
        elif sign == ".":
            self._open = [(0, 0)]
        elif sign in ",;:=<>!":
            self._open.append((0, max(last, deepest) if self._open else 0))
        elif sign[0].isalnum() or sign[0] in '"%':
            self._open.append((last, deepest))
        else:
            self._open.append((last + 1, deepest))
        return len(self._open) + self._open[-1][0]
