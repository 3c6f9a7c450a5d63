"""TOML files whose errors have a place: which line says what cannot be used."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb_score.errors import FormatError, Place, describe_list

if TYPE_CHECKING:
    from kb_score.games.game import Option

_MOST = 10**9  # where an option has no bound: rules count with 32 bits
_LONGEST = 80  # letters of a value in a message
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_HEADER = re.compile(r"\s*\[(\[)?\s*([\w-]+)\s*\]")
_KEY = re.compile(r"""(\s*)(["']?)([\w-]+)\2\s*[.=]""")


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table of a TOML file, with where it stands."""

    file: File  # the file
    name: str  # the table, such as ``limits`` or ``bot``; empty for the top of the file
    number: int  # which one of several with this name, from 1
    values: Mapping[str, Any]  # what is in it
    within_key: str = ""  # the key of the table above that it stands at; empty for most

    def __str__(self) -> str:
        if not self.name:
            return "the file"
        return f"[[{self.name}]] number {self.number}" if self.number else f"[{self.name}]"

    def error(self, message: str, key: str = "") -> FormatError:
        """Make the error that something about a key, or about the whole table, is wrong."""
        place = self.file.find(self.name, self.number, self.within_key or key)
        return FormatError(place, message)

    def check_keys(self, known: Iterable[str]) -> None:
        """Check that there are no keys but these."""
        known = list(known)
        for key in self.values:
            if key not in known:
                where = f" of {self}" if self.name else ""
                raise self.error(
                    f"unknown key {quote(key)}{where}: {describe_list(known)} can be", key
                )

    def text(
        self, key: str, default: str | None = None, *, empty: bool = False, lines: bool = False
    ) -> str:
        """Read a text that can be shown, perhaps of some lines; one without default must be."""
        value = self.values.get(key, default)
        if value is None:
            raise self.error(f"{self} needs a {key}, a text")
        plain = isinstance(value, str) and (re.sub(r"[\n\t]", "", value) if lines else value)
        if not isinstance(value, str) or (plain and not plain.isprintable()):
            raise self.error(f"{key} is a text that can be shown, not {quote(value)}", key)
        if not value.strip() and not empty:
            raise self.error(f"{key} is empty", key)
        return value

    def within(self, key: str) -> TomlTable:
        """Take a table that stands in this one, such as ``limits = { timeout = 1 }``."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key} is a table: write {key} = {{ ... }}", key)
        return TomlTable(self.file, self.name, self.number, value, key)

    def constant(self, key: str) -> int | str:
        """Read what a ruling is set to: a whole number or a word."""
        value: Any = self.values[key]
        word = isinstance(value, str) and value[:1].isalpha() and value.isidentifier()
        if not word and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.error(f"{key} is a whole number or a word, not {quote(value)}", key)
        return value if isinstance(value, int) else str(value)

    def option(self, key: str, option: Option) -> Any:
        """Read a number that may be left out."""
        kind, most = type(option.default), option.most if option.most is not None else _MOST
        return self.number_of(key, option.least, most, option.default, kind)

    def number_of(self, key: str, least: float, most: float, default: Any, kind: type) -> Any:
        """Read a number within bounds; with ``kind`` int only whole ones."""
        value = self.values.get(key, default)
        kinds = (int, float) if kind is float else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            what = "a number" if kind is float else "a whole number"
            raise self.error(f"{key} is {what} from {least} to {most}, not {quote(value)}", key)
        return kind(value)

    def flag(self, key: str) -> bool:
        """Read true or false; false if nothing is said."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.error(f"{key} is true or false, not {quote(value)}", key)
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Read one of some words."""
        value, choices = self.text(key, default), list(choices)
        if value not in choices:
            raise self.error(f"{key} is {describe_list(choices)}, not {quote(value)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of texts, at least one, none of them twice."""
        value = self.values.get(key)
        if value is None:
            raise self.error(f"{self} needs {key}, a list of texts")
        good = isinstance(value, list) and value and all(isinstance(v, str) and v for v in value)
        if not good or len(set(value)) < len(value):
            raise self.error(f"{key} is a list of different texts, at least one", key)
        return tuple(value)


@dataclass(frozen=True, slots=True)
class File:
    """A TOML file that was read."""

    name: str  # what errors call it
    text: str  # what is in it
    values: Mapping[str, Any]  # what that says

    def top(self) -> TomlTable:
        """Take the top of the file, without its tables."""
        plain = {k: v for k, v in self.values.items() if not _is_table(v)}
        return TomlTable(self, "", 0, plain)

    def table(self, name: str) -> TomlTable:
        """Take a table; an empty one if there is none."""
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise FormatError(self.find("", 0, name), f"{name} is a table: write [{name}]")
        return TomlTable(self, name, 0, value)

    def tables(self, name: str) -> list[TomlTable]:
        """Take all tables ``[[name]]``."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise FormatError(self.find("", 0, name), f"write [[{name}]] before each {name}")
        return [TomlTable(self, name, number, one) for number, one in enumerate(value, 1)]

    def check_tables(self, known: Iterable[str]) -> None:
        """Check that there are no tables but these."""
        known = list(known)
        for name, value in self.values.items():
            if _is_table(value) and name not in known:
                place = self.find(name, int(isinstance(value, list)), "")
                raise FormatError(
                    place, f"unknown table {quote(name)}: {describe_list(known)} can be"
                )

    def find(self, name: str, number: int, key: str) -> Place:
        """Find the place of a table or of a key in it, as near as it can be told."""
        lines = self.text.splitlines()
        now, seen, header = "", 0, 0
        for i, line in enumerate(lines):
            if head := _HEADER.match(line):
                now = head[2]
                seen += now == name
                if now == name and seen == max(number, 1):
                    header = i
                    if not key:
                        return self._place(i, line.index("["))
            elif key and now == name and (not name or seen == max(number, 1)):
                found = _KEY.match(line)
                if found and found[3] == key:
                    return self._place(i, len(found[1]))
        return self._place(header, 0)

    def _place(self, line: int, column: int) -> Place:
        lines = self.text.splitlines() or [""]
        return Place(self.name, line + 1, column + 1, lines[line])


def read_toml(text: str, name: str) -> File:
    """Read a TOML file."""
    try:
        return File(name, text, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        line, column = map(int, place.groups()) if place else (1, 1)
        message = f"this is no TOML file: {str(error)[:100]}"
        raise FormatError(Place(name, line, column), message) from error


def quote(value: object) -> str:
    """Write a value for a message, no longer than 80 letters."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _is_table(value: object) -> bool:
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)
