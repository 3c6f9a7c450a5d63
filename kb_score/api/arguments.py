"""Checks of arguments: what a caller gives is as hostile as a file, and its errors as clear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from kb_score.engine.changes import Changes
from kb_score.engine.program import UNLIMITED
from kb_score.errors import FileKind, InputError, describe_list, guess
from kb_score.shell.files import normalise, read_input

if TYPE_CHECKING:
    from kb_score.games.game import File, Option

# A text, or the path of a file that has it: a string is always a text.
Text: TypeAlias = "str | PathLike[str]"
Folders: TypeAlias = "Sequence[Path | str]"
Constants: TypeAlias = "Mapping[str, int | str]"

TEXT_NAME = "<text>"  # what messages call a text that is no file
LARGEST = 10**20  # numbers that are shown in messages are smaller


def read_text(text: Text, kind: FileKind, argument: str, name: str = TEXT_NAME) -> File:
    """Take a text, or read the file of a path.

    Args:
        text: The text or the path.
        kind: What the text is, such as a record.
        argument: The name of the argument.
        name: What messages call a text that is no file.

    Returns:
        What messages call it, and the text with plain line ends.

    Raises:
        InputError: It is neither a text nor a path, or the file cannot be read.
        FormatError: The file is not text.
    """
    if isinstance(text, str):
        return name, normalise(text)
    expect(text, argument, (PathLike,), "a text or the path of a file")
    path = str(fspath(text))
    # For the command this is standard input.
    file = "./-" if path == "-" else path
    try:
        return path, read_input(file, kind)
    except ValueError as error:
        raise InputError(argument, f"this is no path: {error}") from error


def make_changes(rules: Folders, constants: Constants | None) -> Changes:
    """Make the changes to the rules that folders and rulings say."""
    expect(rules, "rules", (Sequence,), "a list of folders")
    for folder in rules:
        expect(folder, "rules", (str, Path), "a list of folders")
    given = {} if constants is None else constants
    expect(given, "constants", (Mapping,), "a mapping of names to numbers or words")
    decided: list[tuple[str, str]] = []
    for name, value in given.items():
        written = _write_value(name, value)
        decided.append((name, written))
    decided.sort()
    return Changes(tuple(map(Path, rules)), tuple(decided), UNLIMITED)


def _write_value(name: object, value: object) -> str:
    """Return the value of a constant, a number or a word, as --const has it."""
    if not (isinstance(name, str) and name.isidentifier()):
        raise wrong("constants", "the name of a ruling", name)
    # The rules check which values a ruling has; Python itself cannot write a huge number.
    is_number = type(value) is int and abs(value) < LARGEST
    if not is_number and not isinstance(value, str):
        raise wrong(f"constants, {name}", "a number or a word", value)
    return str(value)


def take_options(known: Sequence[Option], given: Mapping[str, Any], whose: str) -> dict[str, Any]:
    """Check the options that a caller gives, and add the defaults of all others.

    Args:
        known: The options that there are.
        given: The values of some of them, by name.
        whose: Whose options they are, such as "check of slime".

    Raises:
        InputError: There is no such option, or it cannot have its value.
    """
    names = [option.name for option in known]
    for name in given:
        if name in names:
            continue
        there = f"{whose} has no options"
        if names:
            there = f"{whose} has no such option, but {describe_list(names)}{guess(name, names)}"
        raise InputError(name, there)
    values: dict[str, Any] = {}
    for option in known:
        default = () if option.is_repeatable else option.default
        value = given.get(option.name, default)
        if value != default:
            _check_option(option, value)
        values[option.name] = value
    return values


def _check_option(option: Option, value: object) -> None:
    """Check the value of an option; an InputError says what is expected."""
    if option.is_repeatable:
        expect(value, option.name, (Sequence,), "a list of texts")
        for part in cast("Sequence[object]", value):
            expect(part, option.name, (str,), "a list of texts")
    elif option.kind == "flag":
        expect(value, option.name, (bool,), "True or False")
    elif option.kind == "text":
        expect(value, option.name, (str,), "a text")
    else:
        _check_number(option, value)


def _check_number(option: Option, value: object) -> None:
    """Check the value of an option that is a number."""
    kinds: tuple[type, ...] = (int,)
    if option.kind == "fraction":
        kinds = (int, float)
    least = option.least
    expected = f"a number that is at least {_write_number(least)}"
    most = float("inf")
    if option.most is not None:
        most = option.most
        expected = f"a number from {_write_number(least)} to {_write_number(most)}"
    # For Python True is a number, too.
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not least <= cast("float", value) <= most:
        raise wrong(option.name, expected, value)


def _write_number(number: float) -> str:
    """Write a number without an exponent."""
    if number == int(number):
        return str(int(number))
    return str(number)


def expect(value: object, name: str, kinds: tuple[type, ...], what: str) -> None:
    """Check that a value is of some kinds; a text is not a list of its letters."""
    if not isinstance(value, kinds) or (isinstance(value, str) and str not in kinds):
        raise wrong(name, what, value)


def expect_text(value: object, name: str) -> None:
    """Check that a value is a text."""
    expect(value, name, (str,), "a text")


def wrong(name: str, what: str, value: object) -> InputError:
    """Make the error for an argument that is not what is expected."""
    # A whole board or a huge number would drown the message.
    is_short = isinstance(value, str) and len(value) <= 40
    is_small = isinstance(value, int | float) and abs(value) < LARGEST
    shown = type(value).__name__
    if is_short or is_small or value is None:
        shown = repr(value)
    return InputError(name, f"{what} is expected, not {shown}")
