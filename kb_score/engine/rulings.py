"""The values that a ruling allows, as the ``% values:`` line above its ``#const`` lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"-?[0-9]{1,9}|[a-z]\w*")
_RANGE = re.compile(r"(-?[0-9]{1,9}) to (-?[0-9]{1,9})")
# As clingo reads a number: nothing stands before its first digit but a minus.
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}")

# How the line that lists the values begins.
VALUES = "% values:"


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """The values of a ruling: either a list of words and numbers, or a range of numbers."""

    words: tuple[str, ...] = ()
    numbers: range = range(0)

    def __contains__(self, value: str) -> bool:
        """Return whether ``--const`` may set the ruling to a value."""
        if self.words:
            return value in self.words
        return _NUMBER.fullmatch(value) is not None and int(value) in self.numbers

    def __str__(self) -> str:
        """Describe the values as in a sentence: "0 or 1", "a number from 0 to 40"."""
        if not self.words:
            return f"a number from {self.numbers[0]} to {self.numbers[-1]}"
        *others, last = self.words
        if not others:
            return last
        return f"{', '.join(others)} or {last}"

    @property
    def short(self) -> str:
        """The values as the rule file lists them: "0, 1", "0 to 40"."""
        if self.words:
            return ", ".join(self.words)
        return f"{self.numbers[0]} to {self.numbers[-1]}"


def read_allowed_values(text: str) -> AllowedValues | None:
    """Read what stands behind ``% values:``; return None if it lists no values."""
    text = text.strip()
    limits = _RANGE.fullmatch(text)
    if limits is not None:
        numbers = range(int(limits[1]), int(limits[2]) + 1)
        return AllowedValues(numbers=numbers) if numbers else None
    words = tuple(word.strip() for word in text.split(","))
    if not all(_WORD.fullmatch(word) for word in words):
        return None
    return AllowedValues(words)
