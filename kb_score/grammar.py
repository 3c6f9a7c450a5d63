"""Text to tree: the Lark grammars of ``parsers/``, and their errors in words."""

from __future__ import annotations

import os
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from kb_score.errors import FormatError, Place, describe_list
from kb_score.resources import find_folder

# clingo's numbers have 32 bits.
LARGEST_NUMBER = 2**31 - 1

_WORDS = re.compile(r"^//! (\w+) (.+)$", re.MULTILINE)


def parse(grammar: str, text: str, *, name: str, start: str = "start") -> Tree[Any]:
    """Parse a text by one of the grammars.

    Args:
        grammar: The stem of a file in ``parsers/``, such as ``kingdom_builder``.
        text: The whole text, line ends as `kb_score.text.decode` leaves them; the last may lack.
        name: What errors call the text, usually its path.
        start: The rule that the text shall follow.

    Returns:
        The tree, in the shape that the grammar's comments describe.

    Raises:
        FormatError: The text breaks the grammar.
    """
    text = text if text.endswith("\n") else text + "\n"
    try:
        return _load(grammar, start).parse(text)
    except UnexpectedInput as error:
        raise _explain(error, grammar, text, name) from None


def read_words(source: str) -> dict[str, str]:
    """Read what a grammar calls its terminals: the ``//! NAME words`` lines of its source."""
    return dict(_WORDS.findall(source))


def read_number(
    word: str, token: Token, text: str, name: str, *, largest: int = LARGEST_NUMBER
) -> int:
    """Read a number that stands in a token, with or without a sign.

    Raises:
        FormatError: It is too large, by itself or without its sign.
    """
    digits = word.lstrip("+-").lstrip("0")
    # int() refuses numbers of thousands of digits with an error of its own.
    if len(digits) > len(str(largest)) or int(digits or 0) > largest:
        place = place_at(text, token.line or 1, token.column or 1, name)
        raise FormatError(place, f"{word[:20]} is too large: numbers here go up to {largest}")
    return -int(digits or 0) if word.startswith("-") else int(digits or 0)


def place_at(text: str, line: int, column: int, name: str) -> Place:
    """Make a place in a text that knows its line; line and column count from 1."""
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            return Place(name, line, column)
        start = end + 1
    end = text.find("\n", start)
    return Place(name, line, column, text[start:] if end < 0 else text[start:end])


@cache
def _source(grammar: str) -> str:
    return (find_folder("parsers") / f"{grammar}.lark").read_text(encoding="utf-8")


@cache
def _load(grammar: str, start: str) -> Lark:
    source = _source(grammar)
    # Making a parser takes longer than everything else that a short command does, so it is kept.
    return Lark(
        source,
        parser="lalr",
        start=start,
        propagate_positions=False,
        cache=_cache_file(f"{start} {source}"),
    )


def _cache_file(parser: str) -> str | bool:
    digest = sha256(f"{lark.__version__} {parser}".encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(cache) if cache else Path.home() / ".cache") / "kb-score"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # There is no home, or it cannot be written: then the parser is made anew each time.
        return False
    return str(folder / f"{digest}.grammar")


def _explain(error: UnexpectedInput, grammar: str, text: str, name: str) -> FormatError:
    words = read_words(_source(grammar))
    if isinstance(error, UnexpectedCharacters):
        found = repr(error.char)
        # A line that begins well is meant to go on as what it began as.
        before = [t for t in error.token_history or () if t.strip() and not t.endswith("\n")]
        begun = [t.type for t in before if t.end_line == error.line]
        expected = begun or sorted(error.allowed or ())
        place = place_at(text, error.line, error.column, name)
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        first = error.token.value.lstrip(" \t\n").split("\n")[0][:20]
        found, expected = (
            repr(first) if first else "the end of the line",
            sorted(error.accepts or error.expected),
        )
        place = place_at(text, error.line, error.column, name)
    else:
        lines = text.rstrip("\n").split("\n")
        place = Place(name, len(lines), len(lines[-1]) + 1, lines[-1])
        expected = sorted(getattr(error, "expected", ()))
        return FormatError(place, f"the text ends too early: expected {_in_words(expected, words)}")
    return FormatError(place, f"unexpected {found}: expected {_in_words(expected, words)}")


def _in_words(terminals: list[str], words: dict[str, str]) -> str:
    # Terminals without words, such as comments, are never what somebody has forgotten.
    named = dict.fromkeys(words[t] for t in terminals if t in words)
    return describe_list(list(named) or ["nothing more"])
