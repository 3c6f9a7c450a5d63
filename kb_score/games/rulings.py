"""Rulings at the top of a record, in comments such as ``% const sight=3``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, TypeVar

from kb_score.engine.loading import check_constants
from kb_score.engine.rules import GameRules
from kb_score.errors import FormatError, Place, RuleError

if TYPE_CHECKING:
    from kb_score.games.match import File
    from kb_score.shell.verdict import Verdict

_Found = TypeVar("_Found")

_LINE = re.compile(r"[ \t]*%[ \t]*const(?![^ \t])[ \t]*(.*)")
_SETTING = re.compile(r"([A-Za-z_]\w*)[ \t]*=[ \t]*([^\s=]+)")
# The options of the command that checks a record, at its top.
_OPTIONS = re.compile(r"[ \t]*%[ \t]*check with[ \t]+(.*)")
_MAX_OPTIONS = 10_000  # characters of a line with options; splitting longer ones takes too long
_MAX_LINES = 1_000
_MISPLACED = "rulings must be named at the top of a record, before everything else"


@dataclass(frozen=True, slots=True)
class _NamedRuling:
    """A ruling of a record."""

    name: str
    value: str
    place: Place


def write_rulings(rules: GameRules) -> str:
    """Return a line for each constant of a match, such as ``% const sight=3``, by name.

    They are at the top of its record.
    """
    lines = [f"% const {name}={value}\n" for name, value in rules.changes.constants]
    return "".join(lines)


def apply_rulings(rules: GameRules, *files: File, has_free_lines: bool = True) -> GameRules:
    """Return the rules with the rulings of a record; their own rulings take precedence.

    Args:
        files: The files of a check, the record last.
        has_free_lines: Whether lines below the top may be anything, such as the answers of bots.

    Raises:
        FormatError: A line of rulings cannot be read, names an unknown constant or a wrong value,
            is repeated, or is not at the top of the record.
    """
    *maps, (name, text) = files
    for map_name, map_text in maps:
        _refuse_rulings(_list_top(map_text), map_name)
    if not has_free_lines:
        top = len(list(_list_top(text)))
        lines = enumerate(text.split("\n"), start=1)
        _refuse_rulings(islice(lines, top, None), name)
    named: dict[str, str] = {}
    for ruling in _read_top(text, name):
        if ruling.name in named:
            raise FormatError(ruling.place, f"{ruling.name} is set twice")
        named[ruling.name] = ruling.value
        _check_ruling(rules, ruling)
    if not named:
        return rules
    # Rulings of the command take precedence.
    constants = named | dict(rules.changes.constants)
    return _set_constants(rules, constants)


def check_with_rulings(
    judge: Callable[[GameRules], Verdict],
    rules: GameRules,
    files: Sequence[File],
    *,
    has_free_lines: bool = True,
) -> Verdict:
    """Return the verdict that rules with the rulings of a record give; see `apply_rulings`."""
    applied = apply_rulings(rules, *files, has_free_lines=has_free_lines)
    return note_rulings(judge(applied), rules, applied)


def _set_constants(rules: GameRules, constants: Mapping[str, str]) -> GameRules:
    """Return the rules with other constants."""
    ordered = tuple(sorted(constants.items()))
    changes = replace(rules.changes, constants=ordered)
    return replace(rules, changes=changes)


def note_rulings(verdict: Verdict, given: GameRules, applied: GameRules) -> Verdict:
    """Return a verdict with a note about the rulings that come from the record, if any.

    The given rules are those before `apply_rulings`.
    """
    settings = []
    for name, value in applied.changes.constants:
        if (name, value) not in given.changes.constants:
            settings.append(f"{name}={value}")
    if not settings:
        return verdict
    named = ", ".join(settings)
    note = f"judged with the rulings that the record names: {named}"
    return replace(verdict, notes=(*verdict.notes, note))


def read_below_rulings(read: Callable[[str], _Found], text: str) -> _Found:
    """Return what a function reads from a record without its rulings; lines keep their numbers.

    A line of rulings that is not at the top is a FormatError.
    """
    numbers = [number for number, line in _list_top(text) if _LINE.fullmatch(line)]
    if numbers:
        lines = text.split("\n")
        for number in numbers:
            lines[number - 1] = ""
        text = "\n".join(lines)
    try:
        return read(text)
    except FormatError as error:
        line = error.place.source or ""
        if not _LINE.fullmatch(line):
            raise
        column = line.index("%") + 1
        place = replace(error.place, column=column)
        raise FormatError(place, _MISPLACED) from None


def strip_rulings(text: str) -> str:
    """Return a record without the lines of rulings at its top."""
    top = 0
    kept = []
    for number, line in _list_top(text):
        top = number
        if not (_LINE.fullmatch(line) or _OPTIONS.fullmatch(line)):
            kept.append(line)
    lines = text.split("\n")
    return "\n".join([*kept, *lines[top:]])


def _list_top(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of the empty lines and comments at the top, at most 1,000."""
    *lines, _ = f"{text}\n".split("\n", _MAX_LINES)
    for number, line in enumerate(lines, start=1):
        content = line.strip()
        if content and not content.startswith("%"):
            return
        yield number, line


def _read_top(text: str, name: str) -> Iterator[_NamedRuling]:
    """Yield the rulings at the top of a record."""
    for number, line in _list_top(text):
        found = _LINE.fullmatch(line)
        if found:
            place = Place(name, number, found.start(1) + 1, line)
            setting = _SETTING.fullmatch(found[1].rstrip())
            if setting is None:
                message = "expected the name of a ruling and its value, as in % const sight=3"
                raise FormatError(place, message)
            ruling, value = setting.groups()
            yield _NamedRuling(ruling, value, place)
            continue
        if len(line) > _MAX_OPTIONS:
            continue
        found = _OPTIONS.fullmatch(line)
        if found is None:
            continue
        for word in _list_constants(found[1]):
            column = max(0, line.find(word)) + 1
            place = Place(name, number, column, line)
            ruling, _, value = word.partition("=")
            yield _NamedRuling(ruling, value, place)


def _list_constants(options: str) -> list[str]:
    """Return the constants that the options of a command set, such as ``sight=3``."""
    try:
        words = shlex.split(options)
    except ValueError:
        return []  # the comment does not list options
    constants = []
    for option, word in pairwise(words):
        if option == "--const" and _SETTING.fullmatch(word):
            constants.append(word)
    return constants


def _refuse_rulings(lines: Iterable[tuple[int, str]], name: str) -> None:
    """Raise a FormatError if any of the numbered lines is a ruling."""
    for number, line in lines:
        if _LINE.fullmatch(line):
            column = line.index("%") + 1
            raise FormatError(Place(name, number, column, line), _MISPLACED)


def _check_ruling(rules: GameRules, ruling: _NamedRuling) -> None:
    """Raise a FormatError if the rules do not have a ruling, or do not allow its value."""
    constants = ((ruling.name, ruling.value),)
    changes = replace(rules.changes, constants=constants)
    try:
        check_constants([rules.game], changes)
    except RuleError as error:
        raise FormatError(ruling.place, error.reason) from None
