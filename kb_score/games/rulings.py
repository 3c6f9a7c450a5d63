"""Rulings at the top of a record, in comments such as ``% const sight=3``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from kb_score.engine.changes import Changes
from kb_score.engine.loading import check_constants
from kb_score.engine.rules import GameRules
from kb_score.errors import FormatError, Place, RuleError

if TYPE_CHECKING:
    from kb_score.games.game import File
    from kb_score.shell.verdict import Verdict

_Found = TypeVar("_Found")

_LINE = re.compile(r"[ \t]*%[ \t]*const(?![^ \t])[ \t]*(.*)")
_SETTING = re.compile(r"([A-Za-z_]\w*)[ \t]*=[ \t]*([^\s=]+)")
# The options of the command that checks a record, at its top.
_OPTIONS = re.compile(r"[ \t]*%[ \t]*check with[ \t]+(.*)")
_LONGEST = 10_000  # characters of options; splitting longer ones takes too long
_MOST_LINES = 1_000
_MISPLACED = "rulings are named at the top of a record, before everything else"


@dataclass(frozen=True, slots=True)
class _NamedRuling:
    """A ruling of a record."""

    name: str
    value: str
    place: Place


def write_rulings(rules: GameRules) -> str:
    """Return the lines with the rulings of a match, for the top of its record.

    Returns:
        A line for each constant that was set, such as ``% const sight=3``, by name.
    """
    return "".join(f"% const {name}={value}\n" for name, value in rules.changes.constants)


def apply_rulings(rules: GameRules, *files: File, has_free_lines: bool = True) -> GameRules:
    """Return the rules with the rulings of a record.

    Args:
        rules: The rules; their own rulings take precedence.
        files: The files of a check, the record last, each a name and a text.
        has_free_lines: Whether lines below the top may be anything, such as the answers of bots.

    Raises:
        FormatError: A line of rulings cannot be read, names an unknown constant or a wrong value,
            or is not at the top of the record.
    """
    *maps, (name, text) = files
    for map_name, map_text in maps:
        for number, line in _list_top(map_text):
            if _LINE.fullmatch(line):
                raise FormatError(Place(map_name, number, line.index("%") + 1, line), _MISPLACED)
    if not has_free_lines:
        _check_below_top(text, name)
    named: dict[str, str] = {}
    for ruling in _read_top(text, name):
        if ruling.name in named:
            raise FormatError(ruling.place, f"{ruling.name} is set twice")
        named[ruling.name] = ruling.value
        alone = replace(rules.changes, constants=((ruling.name, ruling.value),))
        _check_ruling(rules.game, alone, ruling)
    if not named:
        return rules
    constants = named | dict(rules.changes.constants)
    ordered = tuple(sorted(constants.items()))
    return replace(rules, changes=replace(rules.changes, constants=ordered))


def note_rulings(verdict: Verdict, given: GameRules, applied: GameRules) -> Verdict:
    """Return a verdict with a note about the rulings that the record has set, if any.

    Args:
        verdict: The verdict.
        given: The rules before `apply_rulings`.
        applied: The rules of the verdict.
    """
    constants = [pair for pair in applied.changes.constants if pair not in given.changes.constants]
    if not constants:
        return verdict
    named = ", ".join(f"{name}={value}" for name, value in constants)
    note = f"judged by the rulings that the record names: {named}"
    return replace(verdict, notes=(*verdict.notes, note))


def read_below_rulings(read: Callable[[str], _Found], text: str) -> _Found:
    """Read a record without its rulings; its lines keep their numbers.

    Args:
        read: Reads the text of a record.
        text: The text.

    Raises:
        FormatError: ``read`` raises it, or a line of rulings is not at the top.
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
        source = error.place.source or ""
        if not _LINE.fullmatch(source):
            raise
        place = replace(error.place, column=source.index("%") + 1)
        raise FormatError(place, _MISPLACED) from None


def strip_rulings(text: str) -> str:
    """Return a record without the lines of rulings at its top."""
    removed = set()
    for number, line in _list_top(text):
        if _LINE.fullmatch(line) or _OPTIONS.fullmatch(line):
            removed.add(number)
    if not removed:
        return text
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(line for number, line in lines if number not in removed)


def _list_top(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of the first empty lines and comments, at most 1,000."""
    start = 0
    number = 0
    while start < len(text) and number < _MOST_LINES:
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        line = text[start:end]
        content = line.strip()
        if content and not content.startswith("%"):
            return
        number += 1
        yield number, line
        start = end + 1


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
            yield _NamedRuling(setting[1], setting[2], place)
            continue
        found = _OPTIONS.fullmatch(line) if len(line) <= _LONGEST else None
        if found:
            for word in _list_constants(found[1]):
                place = Place(name, number, max(0, line.find(word)) + 1, line)
                ruling, _, value = word.partition("=")
                yield _NamedRuling(ruling, value, place)


def _list_constants(options: str) -> list[str]:
    """List the constants that the options of a command set, such as ``sight=3``."""
    try:
        words = shlex.split(options)
    except ValueError:
        return []  # a comment in other words
    pairs = pairwise(words)
    return [word for option, word in pairs if option == "--const" and _SETTING.fullmatch(word)]


def _check_below_top(text: str, name: str) -> None:
    """Check that no line below the top of a record is a ruling."""
    top = {number for number, _ in _list_top(text)}
    for number, line in enumerate(text.split("\n"), 1):
        if number not in top and _LINE.fullmatch(line):
            raise FormatError(Place(name, number, line.index("%") + 1, line), _MISPLACED)


def _check_ruling(game: str, changes: Changes, ruling: _NamedRuling) -> None:
    try:
        check_constants([game], changes)
    except RuleError as error:
        raise FormatError(ruling.place, error.reason) from None
