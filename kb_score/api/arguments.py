"""Check the arguments of callers, with errors as clear as those for files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from kb_score.engine.changes import Changes
from kb_score.engine.program import UNLIMITED
from kb_score.errors import FileKind, InputError, guess, shorten
from kb_score.shell.files import normalise, read_input

if TYPE_CHECKING:
    from kb_score.games.match import File
    from kb_score.games.options import Option

# Text, or the path of a file that contains it. A string is always text, never a path.
Text: TypeAlias = "str | PathLike[str]"
Folders: TypeAlias = "Sequence[Path | str]"
Constants: TypeAlias = "Mapping[str, int | str]"

TEXT_NAME = "<text>"  # the name in messages of a text that is not from a file
# A single line that is a path rather than a board, a map or a record.
_FILE_NAME = re.compile(r"[^\n]+\.(?:txt|map|csv|json|jsonl|log|session|md)")
LARGEST = 10**20  # all numbers in messages are smaller


def read_text(text: Text, kind: FileKind, argument: str, name: str = TEXT_NAME) -> File:
    """Return the name in messages and the text, with plain line endings, of text or of a file.

    The name of a file is its path. The argument is named in errors: an InputError for a value that
    is neither text nor a path and for a file that cannot be read, a FormatError for a file that is
    not text.
    """
    if isinstance(text, str):
        if _FILE_NAME.fullmatch(text):
            raise InputError(
                argument, f"{shorten(text)!r} looks like the name of a file: use Path(...)"
            )
        return name, normalise(text)
    expect(text, argument, (PathLike,), "a string or the path of a file")
    path = str(fspath(text))
    # The command reads standard input for the name "-".
    file = "./-" if path == "-" else path
    try:
        content = read_input(file, kind)
    except ValueError as error:
        raise InputError(argument, f"this is not a path: {error}") from error
    return path, content


def make_changes(rules: Folders, constants: Constants | None) -> Changes:
    """Return the changes to the rules that a caller requests.

    An argument of a wrong type, or a ruling with a wrong name or value, is an InputError.
    """
    expect(rules, "rules", (Sequence,), "a list of folders")
    for folder in rules:
        expect(folder, "rules", (str, Path), "a list of folders")
    given: Constants = {} if constants is None else constants
    expect(given, "constants", (Mapping,), "a mapping of names to numbers or words")
    decided = sorted((name, _write_value(name, value)) for name, value in given.items())
    folders = tuple(map(Path, rules))
    return Changes(folders, tuple(decided), UNLIMITED)


def _write_value(name: object, value: object) -> str:
    """Return the value of a constant, a number or a word, in the form that --const takes."""
    if not (isinstance(name, str) and name.isidentifier()):
        raise wrong("constants", "the name of a ruling", name)
    # The rules check the values of a ruling, but Python refuses to write a huge number as text.
    is_number = type(value) is int and abs(value) < LARGEST
    if not is_number and not isinstance(value, str):
        raise wrong(f"constants, {name}", "a number or a word", value)
    return str(value)


def take_options(
    known: Sequence[Option], given: Mapping[str, Any], whose: str, others: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values of all options: those of the caller, and the defaults of the others.

    Args:
        whose: The owner of the options in messages, such as "check of slime".
        others: Further names that the caller may give, for messages.

    Raises:
        InputError: There is no such option, or an option cannot have its value.
    """
    names = [option.name for option in known]
    other_names = {option.also: option.name for option in known if option.also}
    given = {other_names.get(name, name): value for name, value in given.items()}
    for name in given:
        if name in names:
            continue
        message = f"{whose} has no options"
        allowed = [*others, *names]
        if allowed:
            listed = ", ".join(allowed)
            message = f"{whose} has no such option: its options are {listed}{guess(name, allowed)}"
        raise InputError(name, message)
    values: dict[str, Any] = {}
    for option in known:
        default = () if option.is_repeatable else option.default
        value = given.get(option.name, default)
        if value != default:
            _check_option(option, value)
        values[option.name] = value
    return values


def _check_option(option: Option, value: object) -> None:
    """Raise an InputError if an option cannot have a value."""
    if option.is_repeatable:
        expect(value, option.name, (Sequence,), "a list of strings")
        for part in cast("Sequence[object]", value):
            expect(part, option.name, (str,), "a list of strings")
    elif option.kind == "flag":
        expect(value, option.name, (bool,), "True or False")
    elif option.kind == "text":
        expect(value, option.name, (str,), "a string")
    else:
        _check_number(option, value)


def _check_number(option: Option, value: object) -> None:
    """Raise an InputError if an option that is a number cannot have a value."""
    kinds: tuple[type, ...] = (int,)
    if option.kind == "fraction":
        kinds = (int, float)
    least = option.least
    expected = f"a number that is at least {_write_number(least)}"
    most = float("inf")
    if option.most is not None:
        most = option.most
        expected = f"a number from {_write_number(least)} to {_write_number(most)}"
    # True is an int for isinstance.
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    if not is_number or not least <= cast("float", value) <= most:
        raise wrong(option.name, expected, value)


def _write_number(number: float) -> str:
    """Return a number as text; whole numbers have no exponent and no decimal point."""
    whole = int(number)
    if number == whole:
        return str(whole)
    return str(number)


def expect(value: object, name: str, kinds: tuple[type, ...], what: str) -> None:
    """Raise an InputError that says what is expected unless an argument has one of some types.

    A string counts as a sequence only if ``str`` is among the types.
    """
    is_unexpected_text = isinstance(value, str) and str not in kinds
    if is_unexpected_text or not isinstance(value, kinds):
        raise wrong(name, what, value)


def expect_text(value: object, name: str) -> None:
    """Raise an InputError unless an argument is a string."""
    expect(value, name, (str,), "a string")


def wrong(name: str, what: str, value: object) -> InputError:
    """Return the error for a wrong argument, which says in words what is expected."""
    # A long text or a huge number would hide the message, so only its type is shown.
    is_short = isinstance(value, str) and len(value) <= 40
    is_small = isinstance(value, int | float) and abs(value) < LARGEST
    shown = type(value).__name__
    if is_short or is_small or value is None:
        shown = repr(value)
    return InputError(name, f"expected {what}, not {shown}")
