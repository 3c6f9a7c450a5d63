"""Text to tree: the Lark grammars of ``parsers/``, and their errors in words."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from kb_score.errors import FormatError, Mistakes, Place, describe_list
from kb_score.resources import find_home

if TYPE_CHECKING:
    # This takes a while to load, and options and help need none of it.
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

# clingo's numbers have 32 bits.
MAX_NUMBER = 2**31 - 1

_FOLDED = {ord(letter): letter.lower() for letter in ascii_uppercase}
_SEPARATORS = ":;/>@ \t\n"
# What stands in a grammar for its terminals in messages.
_WORDS = re.compile(r"^//! (\w+) (.+)$", re.MULTILINE)


def parse(
    grammar: str, text: str, *, name: str, start: str = "start", fold: bool = False
) -> Tree[Any]:
    """Parse a text by ``parsers/<grammar>.lark``, from its rule ``start``.

    The text has the line ends that `kb_score.shell.files.decode` leaves; the last one may be
    missing. The tree has the shape that the grammar's comments describe. If letters are folded, it
    has small ones.
    """
    from lark.exceptions import UnexpectedInput

    text = text if text.endswith("\n") else text + "\n"
    try:
        return _load(grammar, start).parse(text.translate(_FOLDED) if fold else text)
    except UnexpectedInput as error:
        raise _explain(error, grammar, text, name) from None


def parse_lines(
    grammar: str, text: str, *, name: str, mistakes: Mistakes, fold: bool = False
) -> Tree[Any] | None:
    """Parse a text of lines that stand for themselves, without the lines that have mistakes.

    Args:
        grammar: As in `parse`. Wherever a line of the text may begin, the text may end as well.
        text: As in `parse`.
        name: What errors call the text.
        mistakes: Receives a mistake for each line that cannot be parsed.
        fold: As in `parse`.

    Returns:
        The tree of the other lines; None where the text ends too early.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    text = text if text.endswith("\n") else text + "\n"
    folded = text.translate(_FOLDED) if fold else text

    def skip_line(error: UnexpectedInput) -> bool:
        """Report the mistake, and go on behind its line; return False at the end of the text."""
        assert isinstance(error, UnexpectedCharacters | UnexpectedToken)
        if mistakes.is_full:
            mistakes.count()
        else:
            mistakes.add(_explain(error, grammar, text, name))
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":
            return False
        parser: Any = error.interactive_parser
        choices = parser.choices()
        # Forget what the line began with: a state in which the text may end is one between lines.
        while "$END" not in choices and len(parser.parser_state.state_stack) > 1:
            parser.parser_state.state_stack.pop()
            parser.parser_state.value_stack.pop()
            choices = parser.choices()
        position = parser.lexer_thread.state.line_ctr
        if all(choice.startswith(("$", "_")) for choice in choices):
            # Nothing but empty lines may follow, so that whatever does is one mistake.
            position.feed(folded[position.char_pos :])
        elif position.line == error.line:
            # An unexpected token that has a line end has been read to its end.
            end = folded.index("\n", position.char_pos) + 1
            position.feed(folded[position.char_pos : end])
        return True

    with suppress(UnexpectedInput):
        return _load(grammar, "start").parse(folded, on_error=skip_line)
    return None


def read_number(word: str, token: Token, text: str, name: str, *, largest: int = MAX_NUMBER) -> int:
    """Read a number in a token, perhaps with a sign; a FormatError if it is too large."""
    digits = word.lstrip("+-").lstrip("0") or "0"
    # int() refuses numbers of thousands of digits with an error of its own.
    if len(digits) > len(str(largest)) or int(digits) > largest:
        place = place_at(text, token.line or 1, token.column or 1, name)
        raise FormatError(place, f"{word[:20]} is too large: numbers here go up to {largest}")
    return -int(digits) if word.startswith("-") else int(digits)


def place_at(text: str, line: int, column: int, name: str) -> Place:
    """Make a place in a text that knows its line; line and column count from 1."""
    lines = text.split("\n", line)
    return Place(name, line, column, lines[line - 1] if line <= len(lines) else None)


@cache
def _source(grammar: str) -> str:
    return (find_home("parsers", f"{grammar}.lark") / f"{grammar}.lark").read_text(encoding="utf-8")


@cache
def _load(grammar: str, start: str) -> Lark:
    from lark import Lark

    source = _source(grammar)
    # Making a parser takes longer than everything else in a short command, so it is kept.
    file = _cache_file(f"{start} {source}")
    return Lark(source, parser="lalr", start=start, propagate_positions=False, cache=file)


def _cache_file(parser: str) -> str | bool:
    from lark import __version__

    digest = sha256(f"{__version__} {parser}".encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(cache) if cache else Path.home() / ".cache") / "kb-score"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # There is no home, or it is read-only: then the parser is made again each time.
        return False
    return str(folder / f"{digest}.grammar")


def _explain(error: UnexpectedInput, grammar: str, text: str, name: str) -> FormatError:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedCharacters):
        problem = f"unexpected {error.char!r}"
        # A line that begins well is meant to go on as it began; not so behind what only separates.
        before = [
            t for t in error.token_history or () if t.strip(_SEPARATORS) and not t.endswith("\n")
        ]
        begun = [t.type for t in before if t.end_line == error.line]
        expected = begun or sorted(error.allowed or ())
        place = place_at(text, error.line, error.column, name)
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        first = error.token.value.lstrip(" \t\n").split("\n")[0][:20]
        problem = f"unexpected {first!r}" if first else "unexpected end of the line"
        expected = sorted(error.accepts or error.expected)
        place = place_at(text, error.line, error.column, name)
    else:
        problem = "the text ends too early"
        expected = sorted(getattr(error, "expected", ()))
        lines = text.rstrip("\n").split("\n")
        place = Place(name, len(lines), len(lines[-1]) + 1, lines[-1])
    # Nobody has forgotten a terminal without words, such as a comment.
    words = dict(_WORDS.findall(_source(grammar)))
    named = list(dict.fromkeys(words[t] for t in expected if t in words))
    return FormatError(place, f"{problem}: expected {describe_list(named or ['nothing more'])}")
