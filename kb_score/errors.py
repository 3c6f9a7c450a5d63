"""Errors in a user's input: one root class, with messages that are ready to be read."""

from __future__ import annotations

from dataclasses import dataclass

# A line of a hostile file may be megabytes long: messages show no more of it than this.
_SHOWN = 72


class KbScoreError(Exception):
    """The input cannot be used; the text of the exception is the whole message for the user."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text: line and column from 1."""

    name: str
    line: int
    column: int
    source: str | None = None  # that line of the text, if it is known

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}"

    def pointer(self) -> str:
        """Draw the line with a caret under the column; empty if the line is not known."""
        if self.source is None:
            return ""
        first = max(0, self.column - 1 - _SHOWN // 2)
        shown = self.source[first : first + _SHOWN]
        before = "..." if first else ""
        after = "..." if first + _SHOWN < len(self.source) else ""
        # Control characters would garble a terminal; a tab must not widen the line.
        clean = "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in shown)
        caret = " " * (len(before) + self.column - 1 - first) + "^"
        return f"    {before}{clean}{after}\n    {caret}"


class FormatError(KbScoreError):
    """A text that does not follow its format, at a place in it."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__("\n".join(filter(None, (f"{place}: {message}", place.pointer()))))


class InputError(KbScoreError):
    """An input that follows its format, if it has one, but cannot be used."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")


# The earlier name in the API.
BoardError = InputError


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
