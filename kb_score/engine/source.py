"""Rule files as text: what clingo's parser would choke on is found before it reads."""

from __future__ import annotations

import re
from pathlib import Path

from kb_score.errors import FileKind, Place, RuleError, say_failure, visible

# Syntax trees are walked by recursion, here and in clingo, which dies of a very deep one.
DEEPEST = 100

RULE_FILE = FileKind("a rule file", 1 << 20)

# Texts and comments, which may hold anything, then what is wrong outside of them.
_FORBIDDEN = (
    r'"(?:\\.|[^"\\\n])*"|%\*.*?\*%|%[^\n]*|(?P<letter>[^\x00-\x7f])|(?P<include>#include)'
    r"|(?<!\w)(?P<number>0[xob]\w+|[0-9]+)"
)
_TOKENS = re.compile(_FORBIDDEN, re.DOTALL)
_SIGNS = re.compile(rf"{_FORBIDDEN}|\*\*|\.\.|[][(){{}}.,;:=<>!|&?^~+*/\\-]", re.DOTALL)

NUMBER = re.compile(r"-?[0-9]{1,12}")


def check_readable(path: Path, *, ours: bool = False) -> None:
    """Check that a rule file is what clingo's parser can take; a RuleError names the place.

    To look at each bracket takes a while: in files of ours terms are not that deep.
    """
    # clingo would say of a folder or of a binary file that its syntax is wrong. It chokes on
    # letters beyond ASCII in rules, and wraps numbers at 32 bits without a word.
    try:
        if (size := path.stat().st_size) > RULE_FILE.most:
            raise RuleError(str(RULE_FILE.refuse(str(path), size)))
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RuleError(f"{visible(str(path))}: {say_failure(error)}") from error
    except UnicodeDecodeError as error:
        message = "a rule file is plain text, but this is not"
        raise RuleError(f"{visible(str(path))}: {message}") from error
    if (fault := find_fault(text, ours=ours)) is not None:
        start, message = fault
        line = text.count("\n", 0, start)
        column = start - text.rfind("\n", 0, start)
        place = Place(str(path), line + 1, column, text.splitlines()[line])
        raise RuleError.at(place, message)


def find_fault(text: str, *, ours: bool = False) -> tuple[int, str] | None:
    """Find what clingo's parser would choke on: where it begins, and what is wrong with it."""
    depth = _Depth()
    for found in (_TOKENS if ours else _SIGNS).finditer(text):
        if found["letter"]:
            message = f"unexpected {found[0]!r} in a rule"
        elif found["include"]:
            message = "a rule file cannot include another one: put that into a folder of --rules"
        elif found["number"] and not _is_small(found["number"]):
            message = f"{found[0][:12]} is beyond 32 bits"
        elif depth.exceeds(found[0]):
            message = f"a term is nested deeper than {DEEPEST} levels"
        else:
            continue
        return found.start(), message
    return None


def _is_small(number: str) -> bool:
    try:
        return is_number(number) if number.isdecimal() else int(number, 0) < 2**31
    except ValueError:
        return True  # clingo will say what is wrong


def is_number(text: str) -> bool:
    """Whether a text is a whole number that clingo can count with: it has 32 bits, and wraps."""
    return NUMBER.fullmatch(text) is not None and abs(int(text)) < 2**31


class _Depth:
    """How deep the syntax tree of a term can be: one level a bracket, one an operator beside it."""

    def __init__(self) -> None:
        # For each open bracket: the operators of the present term, and the deepest bracket in it.
        self._open = [(0, 0)]

    def exceeds(self, sign: str) -> bool:
        """Go on by a sign, and tell whether that leads too deep."""
        operators, deepest = self._open[-1]
        if sign[0].isalnum() or sign[0] in '"%':
            return False
        if sign in "([{":
            self._open.append((0, 0))
        elif sign in ")]}" and len(self._open) > 1:
            inner = sum(self._open.pop()) + 1
            operators, deepest = self._open[-1]
            self._open[-1] = operators, max(deepest, inner)
        elif sign == ".":
            self._open = [(0, 0)]
        elif sign in ",;:=<>!":
            # What stands between commas is as deep as the deepest of them.
            self._open[-1] = 0, operators + deepest if len(self._open) > 1 else 0
        else:
            self._open[-1] = operators + 1, deepest
        return len(self._open) + sum(self._open[-1]) > DEEPEST + 1
