"""Errors in a user's input: one root class, with messages that are ready to be printed."""

from __future__ import annotations

import copyreg
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

# What is wrong with an answer: too late, none at all, unreadable, or against the rules.
FaultKind = Literal["late", "crashed", "garbage", "illegal"]

# A line of a hostile file may be megabytes long: messages show no more of it than this.
_SHOWN = 72
_LONGEST = 80  # letters of a name or a value in a message
_UNUSUAL = re.compile(r"[^ -~]")


def visible(text: str, keep: str = "") -> str:
    """Escape characters that control a terminal or are invisible, such as direction marks.

    Args:
        text: The text. A byte in the name of a file that is not text is escaped as that byte.
        keep: Characters to leave as they are, such as line ends and tabs.
    """

    def show(found: re.Match[str]) -> str:
        character = found[0]
        if character.isprintable() or character in keep:
            return character
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:  # how Python reads such a byte
            return f"\\x{code - 0xDC00:02x}"
        return character.encode("unicode_escape").decode()

    return text if text.isprintable() else _UNUSUAL.sub(show, text)


def shorten(text: str) -> str:
    """Cut a text for a message: it becomes no longer than 80 letters."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def say_failure(error: OSError) -> str:
    """Return an OSError's reason as text."""
    if error.errno == errno.EBADF:
        return "it is closed"
    return (error.strerror or type(error).__name__).lower()


class KbScoreError(Exception):
    """The input cannot be used; the text of the exception is the whole message for the user.

    Attributes:
        reason: What is wrong, without the place: other files may fail for the same reason.
        path: The file, argument or option that cannot be used, if there is one.
        line: The line of the first mistake in the file, from 1, if the mistake has a place.
        column: The column of that mistake, from 1, if it has a place.
    """

    path: str | None = None
    line: int | None = None
    column: int | None = None

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(visible(message, keep="\n"))
        self.reason = (message if reason is None else reason).partition("\n")[0]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the error with its attributes, whatever arguments its class takes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def put_at(self, place: Place) -> None:
        """Set where the mistake is."""
        self.path = place.name
        self.line = place.line
        self.column = place.column


_Value = TypeVar("_Value")


def unwrap(value: _Value | KbScoreError) -> _Value:
    """Return a value, or raise it if it is an error."""
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
        shown = shown.replace("\t", " ")
        offset = self.column - 1 - first
        left = visible(shown[:offset])
        right = visible(shown[offset:])
        blanks = " " * (len(before) + max(len(left), offset))
        return f"    {before}{left}{right}{after}\n    {blanks}^"


class FormatError(KbScoreError):
    """A text that does not follow its format, at a place in it."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__(_join_lines(f"{place}: {message}", place.pointer()), message)
        self.put_at(place)


def _join_lines(*lines: str) -> str:
    """Join those lines of a message that are not empty."""
    return "\n".join(filter(None, lines))


class InputError(KbScoreError):
    """An input that follows its format, if it has one, but cannot be used."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{visible(name)}: {message}", message)
        self.path = name


# The number of mistakes of one text that are reported; the others are counted.
MOST_MISTAKES = 20


class Mistakes:
    """Collects the mistakes of one text, so that all of them are reported at once.

    The first 20 are kept, and further ones counted: a hostile file may have millions.
    """

    def __init__(self) -> None:
        self._kept: list[KbScoreError] = []
        self._number = 0

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return self._number > 0

    @property
    def is_full(self) -> bool:
        """Whether further mistakes are only counted, so that none need be explained."""
        return self._number >= MOST_MISTAKES

    @property
    def lines(self) -> set[int]:
        """The lines of the mistakes that have a place."""
        return {error.place.line for error in self._kept if isinstance(error, FormatError)}

    def count(self) -> None:
        """Count a mistake that is not explained."""
        self._number += 1

    def add(self, mistake: KbScoreError) -> None:
        """Add a mistake."""
        if not self.is_full:
            self._kept.append(mistake)
        self.count()

    @contextmanager
    def catch(self) -> Iterator[None]:
        """Add the error that the block raises about its input, if any."""
        try:
            yield
        except (FormatError, InputError) as error:
            self.add(error)

    def raise_any(self) -> None:
        """Raise one error that reports all mistakes in the order of the text, if there are any.

        Those that have no place in the text come last.

        Raises:
            FormatError: The first mistake that has a place, with the text of all.
            InputError: The first mistake, where none has a place.
        """
        if not self._kept:
            return
        ordered = sorted(self._kept, key=_position)
        texts = [str(error) for error in ordered]
        more = self._number - len(ordered)
        if more == 1:
            texts.append("1 more mistake")
        if more > 1:
            texts.append(f"{more} more mistakes")
        first = ordered[0]
        first.args = ("\n".join(texts),)
        raise first


def _position(error: KbScoreError) -> tuple[bool, int, int]:
    """Return what mistakes are ordered by: line and column, and those without a place last."""
    if isinstance(error, FormatError):
        return False, error.place.line, error.place.column
    return True, 0, 0


@contextmanager
def explain_failure(path: Path | str, what: str = "") -> Iterator[None]:
    """Raise an InputError about a file or a folder instead of an OSError."""
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


# What clingo and we write in front of a message about a place.
_AT = re.compile(r"(.+?):(\d+):(\d+)(?:-\d+)?: ")


class RuleError(KbScoreError):
    """Something is wrong with an .lp file, or with a setting of its constants."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message, reason)
        found = _AT.match(message)
        if found is not None:
            path, line, column = found.groups()
            self.path = path
            self.line = int(line)
            self.column = int(column)

    @classmethod
    def at(cls, place: Place, message: str, hint: str = "") -> RuleError:
        """Make the error with a message about a place in a rule file."""
        if hint:
            hint = f"    hint: {hint}"
        error = cls(_join_lines(f"{place}: {message}", place.pointer(), hint))
        error.put_at(place)
        return error


class OptionError(KbScoreError):
    """An option of a game cannot be what is given, or does not go with the others."""


class IllegalMoveError(KbScoreError):
    """A move of a match that the rules refuse, or that cannot be read; the match is as before.

    Attributes:
        kind: "illegal", or "garbage" if it cannot be read.
    """

    def __init__(self, message: str, kind: FaultKind) -> None:
        super().__init__(message)
        self.kind = kind


def describe_list(words: list[str]) -> str:
    """Join words as in a sentence: "a", "a or b", "a, b or c"; "a, as in b; or c" with commas."""
    if len(words) < 2:
        return "".join(words)
    if any("," in word for word in words):
        return "; ".join(words[:-1]) + "; or " + words[-1]
    return ", ".join(words[:-1]) + " or " + words[-1]


def guess(
    word: str, known: Iterable[str], before: str = "; ", most: int = 1, cutoff: float = 0.65
) -> str:
    """Guess which of the known words is meant: "; did you mean X?", or nothing."""
    from difflib import get_close_matches  # most commands make no mistake

    close = get_close_matches(word.lower(), known, most, cutoff)
    return f"{before}did you mean {describe_list(close)}?" if close else ""


class Fault(Exception):
    """A bot has given no answer that could be a turn.

    Attributes:
        kind: What is wrong.
        detail: What happened, in words.
        words: What the bot wrote to its error stream, beginning with a line end; the text of the
            exception is the detail and these words.
        answer: What a record keeps of the answer.
    """

    def __init__(self, kind: FaultKind, detail: str, words: str = "", answer: str = "") -> None:
        self.kind = kind
        self.detail = detail
        self.words = words
        self.answer = answer
        super().__init__(f"{detail}{words}")
