"""Reads TOML files as msgspec structs; errors name the line of the mistake."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import fields

from kb_score.errors import GAME_PART, FormatError, Mistakes, Place, describe_list, guess, shorten
from kb_score.shell.files import read_input

_Struct = TypeVar("_Struct", bound=Struct)
# The path of a value: keys, and indices from 0 in lists, such as ("bot", 2, "name").
_Key: TypeAlias = str | int
_Keys: TypeAlias = tuple[_Key, ...]

_MOST = 10**9  # the upper bound of numbers that have no other: the rules use 32 bits
_DEEPEST = 4  # the most keys in the path of a value whose place is known
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_HEADER = re.compile(r"(\[\[?)([^\[\]]*)\]")
_ENTRY = re.compile(r"""((?:"[^"]*"|'[^']*'|[\w. \t-])+)=""")
_KEY = re.compile(r"""[^"'. \t]+|(?<=")[^"]+(?=")|(?<=')[^']+(?=')""")

# The kinds of values, with their descriptions in messages; all strings must be printable.
_TEXT = "a printable string"
_SOME_TEXT = f"{_TEXT} that is not empty"
Line = Annotated[str, Meta(pattern=r"\A[^\n\t]*\Z", description=_TEXT)]
Name = Annotated[str, Meta(pattern=r"\A(?=.*\S)[^\n\t]*\Z", description=_SOME_TEXT)]
Text = Annotated[str, Meta(description="a string")]
Lines = Annotated[str, Meta(pattern=r"\S", description=_SOME_TEXT)]
Names = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[^\0]+\Z")], ...],
    Meta(min_length=1, description="a non-empty list of strings"),
]
Flag = Annotated[bool, Meta(description="true or false")]
Table = Annotated[dict[str, Any], Meta(description="a table")]
Tables = Annotated[list[dict[str, Any]], Meta(description="a list of tables [[...]]")]


@dataclass(frozen=True)
class TomlFile:
    """A TOML file."""

    name: str  # the file's name in messages
    text: str
    values: Mapping[str, Any]  # the parsed text

    def read(self, kind: type[_Struct], *keys: _Key) -> _Struct:
        """Read a table as a struct, or raise a FormatError with all its mistakes.

        The keys are its path, such as ``"bot", 2``; none for the whole file. A missing table is
        read as an empty one.
        """
        table = self._find(keys)
        if not isinstance(table, dict):
            raise self._refuse(Table, *keys)
        mistakes = Mistakes()
        self.check(kind, mistakes, *keys)
        mistakes.raise_any()
        return convert(table, kind)

    def check(self, kind: type[Struct], mistakes: Mistakes, *keys: _Key) -> None:
        """Add a table's mistakes to those so far; a value that is not a table is skipped."""
        table = self._find(keys)
        if not isinstance(table, dict):
            return
        known = fields(kind)
        if kind.__struct_config__.forbid_unknown_fields:
            names = [field.name for field in known]
            unknown = [key for key in table if key not in names]
            for key in unknown:
                error = self._refuse_unknown(key, names, keys)
                mistakes.add(error)
        for field in known:
            name = field.name
            if name in table:
                with mistakes.catch():
                    self._check_value(field.type, *keys, name)
            elif field.required:
                message = f"{_name_table(keys)} needs the key {quote(name)}"
                error = self.error(message, *keys)
                mistakes.add(error)

    def count_tables(self, key: str) -> int:
        """Return the number of tables ``[[key]]``."""
        tables = self._find((key,))
        if not isinstance(tables, list):
            return 0
        return len(tables)

    def error(self, message: str, *keys: _Key) -> FormatError:
        """Return an error about a value.

        If its place is not known, as for a key in ``{ ... }``, the error has the place of the
        nearest table or key around it.
        """
        while keys not in self._places:
            keys = keys[:-1]
        line, column = self._places[keys]
        source = self._lines[line - 1].rstrip("\r")
        place = Place(self.name, line, column, source)
        return FormatError(place, message)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _places(self) -> dict[_Keys, tuple[int, int]]:
        """The line and column of each value; cached, as a file may have thousands of mistakes."""
        return _list_places(self.text)

    def _find(self, keys: _Keys) -> Any:
        value: Any = self.values
        for key in keys:
            if isinstance(value, list):
                value = value[int(key)]
            elif isinstance(value, dict):
                value = value.get(key, {})
            else:
                return {}  # a missing table is empty
        return value

    def _check_value(self, kind: Any, *keys: _Key) -> None:
        """Check that a value is of a kind, and printable if it is text."""
        value = self._find(keys)
        try:
            convert(value, kind)
        except ValidationError as error:
            raise self._refuse(kind, *keys) from error
        if isinstance(value, str):
            without_breaks = re.sub(r"[\n\t]", "", value)
            if not without_breaks.isprintable():
                raise self._refuse(kind, *keys)

    def _refuse(self, kind: Any, *keys: _Key) -> FormatError:
        """Return the error for a value that is not of its kind."""
        expected = _describe_kind(kind)
        value = quote(self._find(keys))
        return self.error(f"{keys[-1]} must be {expected}, not {value}", *keys)

    def _refuse_unknown(self, key: str, known: list[str], keys: _Keys) -> FormatError:
        """Return the error for a key that a table cannot have."""
        message = f"unknown key {quote(key)}"
        if keys:
            table = _name_table(keys)
            message += f" in {table}"
        expected = describe_list(known)
        hint = guess(key, known, most=2)
        return self.error(f"{message}: expected {expected}{hint}", *keys, key)


def _describe_kind(kind: Any) -> str:
    """Return a description of the values of a kind, for messages."""
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return describe_list(list(arguments))
    plain, meta = arguments
    if meta.description:
        return str(meta.description)
    number = "a number" if plain is float else "a whole number"
    return f"{number} from {meta.ge} to {meta.le}"


def _name_table(keys: _Keys) -> str:
    if not keys:
        return "the file"
    name, *inner = keys
    if inner and isinstance(inner[0], int):
        return f"[[{name}]] number {inner[0] + 1}"
    dotted = ".".join(map(str, keys))
    return f"[{dotted}]"


def read_toml_file(path: Path) -> TomlFile:
    """Read a TOML file of a game, which may be empty."""
    text = read_input(str(path), GAME_PART, may_be_empty=True)
    return read_toml(text, str(path))


def read_toml(text: str, name: str) -> TomlFile:
    """Read the text of a TOML file, or raise a FormatError; the name is for messages."""
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "its values are nested too deeply"
        place = Place(name, 1, 1)
        found = _PLACE.search(reason)
        if found:
            line = int(found[1])
            column = int(found[2])
            place = Place(name, line, column)
        raise FormatError(place, f"this is not a TOML file: {reason[:100]}") from error
    return TomlFile(name, text, values)


def make_number(kind: type, least: float, most: float | None) -> Any:
    """Return the type of a number within bounds, for a field of a struct.

    ``kind`` is ``int`` or ``float``; ``most`` is 1,000,000,000 if it is None.
    """
    if most is None:
        most = _MOST
    return Annotated[kind, Meta(ge=least, le=most)]


def quote(value: object) -> str:
    """Return a value as TOML for a message, cut to 80 characters."""
    try:
        return shorten(_spell(value))
    except ValueError:  # Python does not convert an integer this long to text
        return "a number with thousands of digits"
    except RecursionError:
        return "a deeply nested value"


def _spell(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        items = ", ".join(map(_spell, value))
        return f"[{items}]"
    if isinstance(value, dict):
        entries = ", ".join(f"{key} = {_spell(inner)}" for key, inner in value.items())
        return "{" + entries + "}"
    if isinstance(value, date | time):
        return value.isoformat()
    return repr(value)


def _list_places(text: str) -> dict[_Keys, tuple[int, int]]:
    """Return the line and column, from 1, of each table and key, except keys in braces."""
    places: dict[_Keys, tuple[int, int]] = {(): (1, 1)}
    counts = Counter[_Keys]()  # the number of tables [[...]] by name
    table: _Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.lstrip()
        header = _HEADER.match(plain)
        entry = _ENTRY.match(plain)
        if header:
            table = tuple(_KEY.findall(header[2]))
            # A line of a multi-line string may look like a table without a name.
            if header[1] == "[[" and table:
                counts[table] += 1
            count = counts[table[:1]]
            if count:  # [bot.limits] belongs to the last [[bot]]
                first, *others = table
                table = (first, count - 1, *others)
            keys = table
        elif entry:
            keys = (*table, *_KEY.findall(entry[1]))
        else:
            continue
        place = (number, len(line) - len(plain) + 1)
        deepest = min(len(keys), _DEEPEST)
        for length in range(1, deepest + 1):
            places.setdefault(keys[:length], place)
    return places
