"""Errors in a user's input: one root class, with messages that are ready to be read."""

from __future__ import annotations

import copyreg
import errno
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

# What may be wrong with an answer: late, none, one that cannot be read, or one against the rules.
FaultKind = Literal["late", "crashed", "garbage", "illegal"]

# A line of a hostile file may be megabytes long: messages show no more of it than this.
_SHOWN = 72
_UNUSUAL = re.compile(r"[^ -~]")


def visible(text: str, keep: str = "") -> str:
    """Make visible what steers a terminal or hides in a text: escapes, direction marks and such.

    Line ends and tabs are made visible, too, unless they are among the characters to keep. A byte
    of a file's name that is no text appears as that byte.
    """

    def show(found: re.Match[str]) -> str:
        character = found[0]
        if character.isprintable() or character in keep:
            return character
        if 0xDC80 <= (code := ord(character)) <= 0xDCFF:  # how Python reads such a byte
            return f"\\x{code - 0xDC00:02x}"
        return character.encode("unicode_escape").decode()

    return text if text.isprintable() else _UNUSUAL.sub(show, text)


def say_failure(error: OSError) -> str:
    """Say in words why the system could not do something."""
    if error.errno == errno.EBADF:
        return "it is closed"
    return (error.strerror or type(error).__name__).lower()


class KbScoreError(Exception):
    """The input cannot be used; the text of the exception is the whole message for the user.

    Attributes:
        reason: What is wrong, without where it is: other files may fail for the same reason.
    """

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(visible(message, keep="\n"))
        self.reason = (message if reason is None else reason).partition("\n")[0]

    def __reduce__(self) -> tuple[object, ...]:
        """Take the error from one process to another, whatever it was made of."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


_Value = TypeVar("_Value")


def unwrap(value: _Value | KbScoreError) -> _Value:
    """Give a value, or raise it if it is the error that there is in its place."""
    if isinstance(value, KbScoreError):
        raise value
    return value


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text: line and column from 1."""

    name: str
    line: int
    column: int
    source: str | None = None  # that line of the text, if it is known

    def __str__(self) -> str:
        return f"{visible(self.name)}:{self.line}:{self.column}"

    def pointer(self) -> str:
        """Draw the line with a caret under the column; empty if the line is not known."""
        if self.source is None:
            return ""
        first = max(0, self.column - 1 - _SHOWN // 2)
        shown = self.source[first : first + _SHOWN]
        before = "..." if first else ""
        after = "..." if first + _SHOWN < len(self.source) else ""
        # A tab must not widen the line.
        left, right = shown[: self.column - 1 - first], shown[self.column - 1 - first :]
        left, right = (visible(part.replace("\t", " ")) for part in (left, right))
        caret = " " * max(len(before + left), len(before) + self.column - 1 - first) + "^"
        return f"    {before}{left}{right}{after}\n    {caret}"


class FormatError(KbScoreError):
    """A text that does not follow its format, at a place in it."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__("\n".join(filter(None, (f"{place}: {message}", place.pointer()))), message)


_Part = TypeVar("_Part")
_Read = TypeVar("_Read")
MOST_ERRORS = 20  # so many errors of a file are told together


def read_each(read: Callable[[_Part], _Read], parts: Iterable[_Part]) -> list[_Read]:
    """Read all parts of a text; a FormatError tells what is wrong in any of them."""
    found, errors = list[_Read](), list[FormatError]()
    for part in parts:
        try:
            found.append(read(part))
        except FormatError as error:
            errors.append(error)
    if errors:
        raise join_errors(errors)
    return found


def join_errors(errors: Sequence[FormatError]) -> FormatError:
    """Join the errors of a file, at least one, to an error at the place of the first.

    Its text has 20 of them at most, in order.
    """
    first = errors[0]
    texts = [str(error) for error in errors[:MOST_ERRORS]]
    more = len(errors) - MOST_ERRORS
    if more > 0:
        texts.append("1 more error" if more == 1 else f"{more} more errors")
    first.args = ("\n".join(texts),)
    return first


class InputError(KbScoreError):
    """An input that follows its format, if it has one, but cannot be used."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{visible(name)}: {message}", message)


@contextmanager
def explain_failure(path: Path | str, what: str = "") -> Iterator[None]:
    """Make an InputError about a file or a folder of what the system could not do."""
    try:
        yield
    except OSError as error:
        raise InputError(str(path), what + say_failure(error)) from error


# The earlier name in the API.
BoardError = InputError


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file, in words such as "a board", and how many bytes such a file may have."""

    words: str
    most: int

    def __str__(self) -> str:
        return self.words

    def refuse(self, name: str, size: int | None = None) -> InputError:
        """Make the error that a file is too large; its size may not be known."""
        if size is None:
            return InputError(name, f"more than the {self.most:,} bytes that {self} may have")
        message = f"{size:,} bytes, more than the {self.most:,} that {self} may have"
        return InputError(name, message)


# Which game and which kind of file it is shows only when it has been read.
ANY_FILE = FileKind("a file of any game", 256 << 20)


class RuleError(KbScoreError):
    """Something is wrong with an .lp file, or with a setting of its constants."""

    @classmethod
    def at(cls, place: Place, message: str, hint: str = "") -> RuleError:
        """Make the error that a message about a place in a rule file is."""
        hint = f"    hint: {hint}" if hint else ""
        return cls("\n".join(filter(None, (f"{place}: {message}", place.pointer(), hint))))


def describe_list(words: list[str]) -> str:
    """Join words as in a sentence: "a", "a or b", "a, b or c"; "a, as in b; or c" with commas."""
    if len(words) < 2:
        return "".join(words)
    if any("," in word for word in words):
        return "; ".join(words[:-1]) + "; or " + words[-1]
    return ", ".join(words[:-1]) + " or " + words[-1]


def guess(
    word: str, known: Iterable[str], before: str = "; ", most: int = 1, cutoff: float = 0.6
) -> str:
    """Guess which of the known words is meant: "; did you mean X?", or nothing."""
    from difflib import get_close_matches  # most commands make no mistake

    close = get_close_matches(word.lower(), known, most, cutoff)
    return f"{before}did you mean {describe_list(close)}?" if close else ""


class Fault(Exception):
    """There is no answer that could be a turn.

    Attributes:
        kind: What is wrong.
        detail: What happened, in words; the text of the exception also has what a bot said.
        words: What it said on its error stream, in lines that begin on a new one.
        answer: What a record keeps of the answer.
    """

    def __init__(self, kind: FaultKind, detail: str, words: str = "", answer: str = "") -> None:
        self.kind, self.detail, self.words, self.answer = kind, detail, words, answer
        super().__init__(f"{detail}{words}")
