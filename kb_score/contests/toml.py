"""TOML files that are read as structs of msgspec; an error names the line that is wrong."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from msgspec import Meta, Struct, ValidationError, convert, defstruct
from msgspec.structs import fields

from kb_score.errors import FormatError, Mistakes, Place, describe_list, shorten

if TYPE_CHECKING:
    from kb_score.games.game import Option

_Struct = TypeVar("_Struct", bound=Struct)
# Where a value stands: keys, and numbers from 0 in lists, such as ("bot", 2, "name").
_Keys: TypeAlias = tuple[str | int, ...]

_MOST = 10**9  # where an option has no bound: rules count with 32 bits
_DEEPEST = 4  # keys of a place that is told
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_HEADER = re.compile(r"(\[\[?)([^\[\]]*)\]")
_ENTRY = re.compile(r"""((?:"[^"]*"|'[^']*'|[\w. \t-])+)=""")
_KEY = re.compile(r"""[^"'. \t]+|(?<=")[^"]+(?=")|(?<=')[^']+(?=')""")

# What the values of tables are, with what messages call it; all texts are such that can be shown.
_TEXT = "a text that can be shown"
Line = Annotated[str, Meta(pattern=r"\A[^\n\t]*\Z", description=_TEXT)]
Name = Annotated[
    str, Meta(pattern=r"\A(?=.*\S)[^\n\t]*\Z", description=f"{_TEXT} and is not empty")
]
Lines = Annotated[str, Meta(pattern=r"\S", description=f"{_TEXT} and is not empty")]
Names = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[^\0]+\Z")], ...],
    Meta(min_length=1, description="a list of texts, at least one"),
]
Flag = Annotated[bool, Meta(description="true or false")]
Table = Annotated[dict[str, Any], Meta(description="a table")]
Tables = Annotated[list[dict[str, Any]], Meta(description="a list of tables [[bot]]")]


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML file."""

    name: str  # the name that errors show
    text: str
    values: Mapping[str, Any]  # the parsed text

    def read(self, kind: type[_Struct], *keys: str | int) -> _Struct:
        """Read a table, such as that at ``"bot", 2``.

        Raises:
            FormatError: All that is wrong with the table.
        """
        table = self._find(keys)
        if not isinstance(table, dict):
            raise self._refuse(Table, *keys)
        mistakes = Mistakes()
        self.check(kind, mistakes, *keys)
        mistakes.raise_any()
        return convert(table, kind)

    def check(self, kind: type[Struct], mistakes: Mistakes, *keys: str | int) -> None:
        """Add all that is wrong with a table to mistakes; a value that is no table is left out."""
        table = self._find(keys)
        if not isinstance(table, dict):
            return
        known = {field.name: field for field in fields(kind)}
        if kind.__struct_config__.forbid_unknown_fields:
            for key in table:
                if key not in known:
                    mistakes.add(self._refuse_unknown(key, [*known], keys))
        for name, field in known.items():
            if name in table:
                with mistakes.catch():
                    self._check_value(field.type, *keys, name)
            elif field.required:
                message = f"{_name_table(keys)} needs the key {quote(name)}"
                mistakes.add(self.error(message, *keys))

    def count_tables(self, key: str) -> int:
        """Count the tables ``[[key]]``."""
        tables = self._find((key,))
        return len(tables) if isinstance(tables, list) else 0

    def error(self, message: str, *keys: str | int) -> FormatError:
        """Make the error that something is wrong with the value at some keys."""
        places = _list_places(self.text)
        while keys not in places:  # such as a key in { ... }
            keys = keys[:-1]
        line, column = places[keys]
        lines = self.text.split("\n")
        source = lines[line - 1].rstrip("\r")
        place = Place(self.name, line, column, source)
        return FormatError(place, message)

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

    def _check_value(self, kind: Any, *keys: str | int) -> None:
        """Check that a value is of a kind, and can be shown if it is a text."""
        value = self._find(keys)
        try:
            convert(value, kind)
        except ValidationError as error:
            raise self._refuse(kind, *keys) from error
        if isinstance(value, str):
            shown = re.sub(r"[\n\t]", "", value)
            if not shown.isprintable():
                raise self._refuse(kind, *keys)

    def _refuse(self, kind: Any, *keys: str | int) -> FormatError:
        """Make the error that a value is not of its kind."""
        expected = _describe_kind(kind)
        value = quote(self._find(keys))
        return self.error(f"{keys[-1]} is {expected}, not {value}", *keys)

    def _refuse_unknown(self, key: str, known: list[str], keys: _Keys) -> FormatError:
        """Make the error that a table has a key that it cannot have."""
        table = f" of {_name_table(keys)}" if keys else ""
        choices = describe_list(known)
        message = f"unknown key {quote(key)}{table}: {choices} can be"
        return self.error(message, *keys, key)


def _describe_kind(kind: Any) -> str:
    """Return what values of a kind are, in words."""
    plain, *more = get_args(kind)
    if get_origin(kind) is Literal:
        return describe_list([plain, *more])
    meta: Meta = more[0]
    if meta.description:
        return meta.description
    number = "a number" if plain is float else "a whole number"
    return f"{number} from {meta.ge} to {meta.le}"


def _name_table(keys: _Keys) -> str:
    if not keys:
        return "the file"
    name, *numbers = keys
    if numbers:
        return f"[[{name}]] number {int(numbers[0]) + 1}"
    return f"[{name}]"


def read_toml(text: str, name: str) -> TomlFile:
    """Read a TOML file."""
    try:
        return TomlFile(name, text, tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        reason = str(error)
        found = _PLACE.search(reason)
        line, column = map(int, found.groups()) if found else (1, 1)
        place = Place(name, line, column)
        if isinstance(error, RecursionError):
            reason = "its values are nested too deeply"
        raise FormatError(place, f"this is no TOML file: {reason[:100]}") from error


def make_kind(options: Iterable[Option]) -> type[Struct]:
    """Make the kind of a table whose keys are options."""
    kinds: list[tuple[str, Any, Any]] = []
    for option in options:
        default = option.default
        if isinstance(default, int | float):
            number = make_number(type(default), option.least, option.most)
            kinds.append((option.name, number, default))
        else:
            text = str(default or "")
            kinds.append((option.name, Line, text))
    return defstruct("Options", kinds, forbid_unknown_fields=True)


def make_number(kind: type, least: float, most: float | None) -> Any:
    """Make the kind of a number from the least to the most; None is what rules can count to."""
    if most is None:
        most = _MOST
    return Annotated[kind, Meta(ge=least, le=most)]


def quote(value: object) -> str:
    """Write a value as in a TOML file, for a message, no longer than 80 letters."""
    try:
        return shorten(_spell(value))
    except ValueError:  # Python does not write numbers of some thousand digits
        return "a number of thousands of digits"
    except RecursionError:
        return "a value of many levels"


def _spell(value: object) -> str:
    """Write a value as in a TOML file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        items = ", ".join(map(_spell, value))
        return f"[{items}]"
    if isinstance(value, dict):
        entries = ", ".join(f"{key} = {_spell(inner)}" for key, inner in value.items())
        return f"{{{entries}}}"
    if isinstance(value, date | time):
        return value.isoformat()
    return repr(value)


def _list_places(text: str) -> dict[_Keys, tuple[int, int]]:
    """List line and column, from 1, of each table and key; an entry in braces is not found."""
    places: dict[_Keys, tuple[int, int]] = {(): (1, 1)}
    counts = Counter[_Keys]()  # of the tables [[...]]
    table: _Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.lstrip()
        header = _HEADER.match(plain)
        entry = _ENTRY.match(plain)
        if header:
            table = tuple(_KEY.findall(header[2]))
            # A line of a text may look like a table without a name.
            if header[1] == "[[" and table:
                counts[table] += 1
            count = counts[table[:1]]
            if count:  # [bot.limits] belongs to the last [[bot]]
                table = (table[0], count - 1, *table[1:])
            keys = table
        elif entry:
            keys = (*table, *_KEY.findall(entry[1]))
        else:
            continue
        column = len(line) - len(plain) + 1
        deepest = keys[:_DEEPEST]
        for end in range(len(deepest)):
            places.setdefault(deepest[: end + 1], (number, column))
    return places
