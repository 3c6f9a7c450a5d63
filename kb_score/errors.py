"""Errors in a user's input: one root class, with messages that are ready to print."""

from __future__ import annotations

import copyreg
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

# The fault of an answer: too late, absent, unreadable, or against the rules.
FaultKind = Literal["late", "crashed", "garbage", "illegal"]

# The most characters of a line that a message shows: a line of a hostile file may be megabytes
# long.
_SHOWN = 72
_LONGEST = 80  # characters of a name or a value in a message
_UNUSUAL = re.compile(r"[^ -~]")


def visible(text: str, keep: str = "") -> str:
    """Return text with escapes for characters that control a terminal or are invisible.

    A byte in a file name that is not valid UTF-8 is escaped as that byte. The characters ``keep``
    stay, such as newlines and tabs.
    """

    def show(found: re.Match[str]) -> str:
        """Return a character, or its escape."""
        character = found[0]
        if character.isprintable() or character in keep:
            return character
        code = ord(character)
        # Python reads invalid bytes as these code points.
        if 0xDC80 <= code <= 0xDCFF:
            byte = code - 0xDC00
            return f"\\x{byte:02x}"
        return character.encode("unicode_escape").decode()

    if text.isprintable():
        return text
    return _UNUSUAL.sub(show, text)


def shorten(text: str) -> str:
    """Return text for a message, cut to at most 80 characters."""
    if len(text) <= _LONGEST:
        return text
    beginning = text[: _LONGEST - 3]
    return f"{beginning}..."


def describe_failure(error: OSError) -> str:
    """Return an OSError's reason as text."""
    if error.errno == errno.EBADF:
        return "the stream is closed"
    reason = error.strerror or type(error).__name__
    return reason.lower()


class KbScoreError(Exception):
    """The input cannot be used; the text of the exception is the whole message for the user.

    Attributes:
        reason: The problem without the place: other files may fail for the same reason.
        path: The file, argument or option that cannot be used, if there is one.
        line: The line of the first mistake in the file, from 1, if the mistake has a place.
        column: The column of that mistake, from 1, if it has a place.
    """

    path: str | None = None
    line: int | None = None
    column: int | None = None

    def __init__(self, message: str, reason: str | None = None) -> None:
        """Make the error; without a reason, the whole message is the reason."""
        super().__init__(visible(message, keep="\n"))
        if reason is None:
            reason = message
        self.reason, _, _ = reason.partition("\n")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the error with its attributes, whatever arguments its class takes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def set_place(self, place: Place) -> None:
        """Set the path, the line and the column of the mistake."""
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
    """A place in a text; lines and columns count from 1.

    Attributes:
        name: The name of the text, such as a path.
        source: The line of the text; None if it is not known.
    """

    name: str
    line: int
    column: int
    source: str | None = None

    def __str__(self) -> str:
        """Return the place as it appears at the start of messages: ``board.txt:3:14``."""
        name = visible(self.name)
        return f"{name}:{self.line}:{self.column}"

    def pointer(self) -> str:
        """Return the line with a caret under the column; empty if the line is not known."""
        if self.source is None:
            return ""
        index = self.column - 1
        first = max(0, index - _SHOWN // 2)
        end = first + _SHOWN
        before = "..." if first else ""
        after = "..." if end < len(self.source) else ""
        # A tab must not widen the line.
        shown = self.source[first:end].replace("\t", " ")
        offset = index - first
        left = visible(shown[:offset])
        right = visible(shown[offset:])
        blanks = " " * (len(before) + max(len(left), offset))
        return f"    {before}{left}{right}{after}\n    {blanks}^"


class FormatError(KbScoreError):
    """A text does not follow its format.

    Attributes:
        place: The place of the mistake.
        message: The message without the place.
    """

    def __init__(self, place: Place, message: str) -> None:
        """Make the error with a message that has the place, the line and a caret."""
        self.place = place
        self.message = message
        whole = _join_lines(f"{place}: {message}", place.pointer())
        super().__init__(whole, message)
        self.set_place(place)


def _join_lines(*lines: str) -> str:
    """Join the lines of a message that are not empty."""
    return "\n".join(filter(None, lines))


class InputError(KbScoreError):
    """An input that follows its format, if it has one, cannot be used."""

    def __init__(self, name: str, message: str) -> None:
        """Make the error with a message that begins with the name of the input."""
        shown_name = visible(name)
        super().__init__(f"{shown_name}: {message}", message)
        self.path = name


# The number of mistakes of one text to report; the others are counted.
MAX_MISTAKES = 20


class Mistakes:
    """Collects the mistakes of one text, so that all of them are reported at once.

    It keeps the first 20 and counts all others: a hostile file may have millions.
    """

    def __init__(self) -> None:
        self._kept: list[KbScoreError] = []
        self._number = 0

    def __bool__(self) -> bool:
        """Return whether there are any mistakes."""
        return self._number > 0

    @property
    def is_full(self) -> bool:
        """Whether further mistakes are only counted, so that they need no message."""
        return self._number >= MAX_MISTAKES

    @property
    def lines(self) -> set[int]:
        """The lines of the kept mistakes that have a place."""
        return {error.place.line for error in self._kept if isinstance(error, FormatError)}

    def count(self) -> None:
        """Count a mistake that has no message."""
        self._number += 1

    def add(self, mistake: KbScoreError) -> None:
        """Keep a mistake, or only count it if there are 20 already."""
        if not self.is_full:
            self._kept.append(mistake)
        self.count()

    @contextmanager
    def catch(self) -> Iterator[None]:
        """Add a FormatError or InputError that the block raises, instead of passing it on."""
        try:
            yield
        except (FormatError, InputError) as error:
            self.add(error)

    def raise_any(self) -> None:
        """Raise one error that reports all mistakes, if there are any.

        The mistakes are in the order of the text; those without a place come last. The error is the
        first of them, with the messages of all.
        """
        if not self._kept:
            return
        ordered = sorted(self._kept, key=_position)
        texts = [str(error) for error in ordered]
        more = self._number - len(ordered)
        if more == 1:
            texts.append("1 more mistake")
        elif more > 1:
            texts.append(f"{more} more mistakes")
        first = ordered[0]
        first.args = ("\n".join(texts),)
        raise first


def _position(error: KbScoreError) -> tuple[bool, int, int]:
    """Return the key by which mistakes are sorted: line and column; those without a place last."""
    if isinstance(error, FormatError):
        return False, error.place.line, error.place.column
    return True, 0, 0


@contextmanager
def explain_failure(path: Path | str, what: str = "") -> Iterator[None]:
    """Turn an OSError of the block into an InputError about a file or a folder.

    The message begins with ``what``, such as "cannot read the grammar: ".
    """
    try:
        yield
    except OSError as error:
        reason = describe_failure(error)
        raise InputError(str(path), f"{what}{reason}") from error


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file, such as "a board", with the largest size of such a file in bytes."""

    words: str
    most: int

    def __str__(self) -> str:
        return self.words

    def refuse(self, name: str, size: int | None = None) -> InputError:
        """Return the error for a file that is too large, with its size in bytes if it is known."""
        if size is None:
            message = f"the file is too large: {self} may have at most {self.most:,} bytes"
        else:
            message = f"the file has {size:,} bytes: {self} may have at most {self.most:,}"
        return InputError(name, message)


# For a file whose game and kind are not known until it has been read.
ANY_FILE = FileKind("a file of any game", 256 << 20)
# A manifest, a grammar, or another small file of a game.
GAME_PART = FileKind("a file of a game's folder", 1 << 20)


# The place that clingo and this module write in front of a message.
_AT = re.compile(r"(.+?):(\d+):(\d+)(?:-\d+)?: ")


# The beginning of the line with the advice.
HINT = "    hint: "


class RuleError(KbScoreError):
    """Something is wrong with an .lp file, or with the value of one of its constants."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        """Make the error, with the place that the message begins with, if any."""
        super().__init__(message, reason)
        found = _AT.match(message)
        if found is not None:
            path, line, column = found.groups()
            self.path = path
            self.line = int(line)
            self.column = int(column)

    @classmethod
    def at(cls, place: Place, message: str, hint: str = "") -> RuleError:
        """Return the error for a place in a rule file; a hint is advice on a line of its own."""
        if hint:
            hint = f"{HINT}{hint}"
        whole = _join_lines(f"{place}: {message}", place.pointer(), hint)
        error = cls(whole)
        error.set_place(place)
        return error


class OptionError(KbScoreError):
    """An option of a game has a wrong value, or does not agree with other options."""


class IllegalMoveError(KbScoreError):
    """The rules refuse a move of a match, or the move cannot be read; the match is unchanged.

    Attributes:
        kind: "illegal", or "garbage" if the move cannot be read.
    """

    def __init__(self, message: str, kind: FaultKind) -> None:
        """Make the error with its whole message."""
        super().__init__(message)
        self.kind = kind


def write_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things as text, such as ``1 turn`` or ``2 turns``.

    By default, the plural is the noun with an s.
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {plural or noun + 's'}"


def describe_list(words: list[str]) -> str:
    """Join words as in a sentence: "a", "a or b", "a, b or c"; "a, as in b; or c" with commas."""
    if not words:
        return ""
    *others, last = words
    if not others:
        return last
    if any("," in word for word in words):
        joined = "; ".join(others)
        return f"{joined}; or {last}"
    joined = ", ".join(others)
    return f"{joined} or {last}"


def guess(
    word: str, known: Iterable[str], before: str = "; ", most: int = 1, cutoff: float = 0.65
) -> str:
    """Return a question that names the most similar known words: "; did you mean X?".

    It is empty if no known word is similar. It begins with ``before`` and names at most ``most``
    words; ``cutoff`` is the similarity that a word must have, from 0 to 1.
    """
    from difflib import get_close_matches  # most commands report no mistake

    close = get_close_matches(word.lower(), known, most, cutoff)
    if not close:
        return ""
    words = describe_list(close)
    return f"{before}did you mean {words}?"


class Fault(Exception):
    """A bot has given no answer that could be a turn.

    Attributes:
        words: A newline and the text that the bot wrote to its error stream, if any; the text of
            the exception is the detail followed by these words.
        answer: The part of the answer that a record keeps.
    """

    def __init__(self, kind: FaultKind, detail: str, words: str = "", answer: str = "") -> None:
        """Make the fault; the arguments are the attributes."""
        self.kind = kind
        self.detail = detail
        self.words = words
        self.answer = answer
        super().__init__(f"{detail}{words}")
