"""The values that a ruling allows, as listed in the ``% values:`` line above its ``#const``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"-?[0-9]{1,9}|[a-z]\w*")
_RANGE = re.compile(r"(-?[0-9]{1,9}) to (-?[0-9]{1,9})")
# A number as clingo reads it: only a minus sign may precede its first digit.
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}")

# The beginning of the line that lists the values.
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
        if _NUMBER.fullmatch(value) is None:
            return False
        return int(value) in self.numbers

    def __str__(self) -> str:
        """Describe the values for use in a sentence: "0 or 1", "a number from 0 to 40"."""
        if not self.words:
            least = self.numbers[0]
            most = self.numbers[-1]
            return f"a number from {least} to {most}"
        *others, last = self.words
        if not others:
            return last
        listed = ", ".join(others)
        return f"{listed} or {last}"

    @property
    def short(self) -> str:
        """The values as the rule file lists them: "0, 1", "0 to 40"."""
        if self.words:
            return ", ".join(self.words)
        least = self.numbers[0]
        most = self.numbers[-1]
        return f"{least} to {most}"


def read_allowed_values(text: str) -> AllowedValues | None:
    """Return the values that the text after ``% values:`` lists; None if it lists none."""
    text = text.strip()
    limits = _RANGE.fullmatch(text)
    if limits is not None:
        least = int(limits[1])
        most = int(limits[2])
        if least > most:
            return None
        numbers = range(least, most + 1)
        return AllowedValues(numbers=numbers)
    words = tuple(word.strip() for word in text.split(","))
    if not all(map(_WORD.fullmatch, words)):
        return None
    return AllowedValues(words)
