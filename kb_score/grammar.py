"""Parses texts with the Lark grammars in ``parsers/``, and reports the mistakes in them."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from string import Formatter, ascii_uppercase
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from kb_score.errors import (
    GAME_PART,
    FormatError,
    InputError,
    Mistakes,
    Place,
    describe_failure,
    describe_list,
)
from kb_score.resources import find_grammar
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    # Lark takes a while to load, and options and help do not need it.
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

T = TypeVar("T")
P = ParamSpec("P")

# The processor time that Lark may take to make a parser of a grammar.
_MOST_SECONDS = 8
# clingo's numbers have 32 bits.
MAX_NUMBER = 2**31 - 1

_FOLDED = {ord(letter): letter.lower() for letter in ascii_uppercase}
# Special comments of a grammar. The name of a terminal in messages:
_WORDS = re.compile(r"^//! (\w+) (.+)$", re.MULTILINE)
# The correct beginning of a terminal of several words, and the text to skip if it is wrong:
_BEGINNINGS = re.compile(r"^//< (\w+) (.+)$", re.MULTILINE)
_SKIPPED = re.compile(r"^//> (\w+) (.+)$", re.MULTILINE)
# The characters that the rows of a terminal may have:
_CELLS = re.compile(r"^//= (\w+) (.+)$", re.MULTILINE)
# What a line looks like whose terminal has a wrong first word:
_LOOKS = re.compile(r"^//\? (\w+) (.+)$", re.MULTILINE)
# How a terminal is written:
_TEMPLATES = re.compile(r"^//: (\w+) ?(.*)$", re.MULTILINE)
# A terminal that is one string.
_STRINGS = re.compile(r'^([A-Z]\w*)(?:\.-?\d+)?: *"((?:[^"\\\n])*)"i? *$', re.MULTILINE)
# A terminal that is one regular expression.
_TERMINALS = re.compile(r"^([A-Z]\w*)(?:\.-?\d+)?: */(.*)/([imsux]*)$", re.MULTILINE)
# Additional rules of a grammar for texts in which empty lines may precede a RULE.
_BELOW_BLANKS = r"""
below_blanks: _BLANK_LINES? RULE
_BLANK_LINES.9: /[ \t\n]*\n/
"""
# A part of a regular expression: an escape, a class, a word, or a character; and the
# quantifier after it.
_PART = re.compile(r"\\.|\w+(?![*+?{])|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_POSSESSIVE = re.compile(r"\)([+*])\+")
_REPEATED = re.compile(r"(?:[*+?]|\{[0-9,]+\})?\??")
# The beginning of a named group.
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")
# A rule of a grammar: its name, and everything up to the next rule, terminal or comment.
_RULES = re.compile(
    r"^[?!]?([a-z_]\w*)(?:\.-?\d+)?[ \t]*:((?:[^\n]*\n)(?:(?:[ \t]+|\|)[^\n]*\n)*)", re.MULTILINE
)
_STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"[?!]?([A-Za-z_]\w*)(?:\.-?\d+)?[ \t]*:")
# The place and the names in a message from Lark.
_WHERE = re.compile(r"line ([0-9]+),? column ([0-9]+)")
_NAME_IN_MESSAGE = re.compile(r"(?:'|token |in rule |<)([A-Za-z_]\w*)")
_REST_OF_LINE = re.compile(r"[^\n]*")
_BLANKS = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*\n")
# Lark's name for the end of a text.
_END = "$END"
_WORD = re.compile(r"\S{0,20}")


def _cache_by_file(find: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Cache a function's results by the name of a grammar, until the grammar's file changes."""

    @lru_cache(maxsize=64)
    def find_once(_file: tuple[Path, int], grammar: str, *args: Any) -> Any:
        find_any: Callable[..., T] = find
        return find_any(grammar, *args)

    def cached(grammar: str, /, *args: P.args, **_: P.kwargs) -> T:
        path = find_grammar(grammar)
        changed = 0
        if path.exists():
            changed = path.stat().st_mtime_ns
        found: T = find_once((path, changed), grammar, *args)
        return found

    update_wrapper(cached, find)
    return cached


def parse(
    grammar: str,
    text: str,
    *,
    name: str,
    start: str = "start",
    fold: bool = False,
    below_blanks: bool = False,
) -> Tree[Any]:
    """Parse a text with ``parsers/<grammar>.lark``, and return the tree.

    Line endings are as `kb_score.shell.files.decode` normalises them; the last one may be missing.
    The name is for errors, and the comments of the grammar describe the shape of the tree.

    Args:
        grammar: The name of the grammar.
        text: The text.
        name: The name of the text in errors.
        start: The rule that the text follows.
        fold: Whether the tokens of the tree are in lowercase.
        below_blanks: Whether the text may begin with empty lines that the rule does not allow.

    Raises:
        FormatError: The text does not follow the grammar. The error has messages for
            all mistakes up to the first one that stops the parser; see `Mistakes`.
    """
    mistakes = Mistakes()
    tree = parse_with_mistakes(
        grammar,
        text,
        name=name,
        mistakes=mistakes,
        start=start,
        fold=fold,
        below_blanks=below_blanks,
    )
    mistakes.raise_any()
    assert tree is not None
    return tree


def parse_with_mistakes(
    grammar: str,
    text: str,
    *,
    name: str,
    mistakes: Mistakes,
    start: str = "start",
    fold: bool = False,
    below_blanks: bool = False,
    has_lines: bool = False,
) -> Tree[Any] | None:
    """Parse a text as `parse` does, but collect the mistakes instead of raising them.

    A terminal that has a mistake is an empty token of the tree. If no line goes on with the one
    before it (``has_lines``), a line with a mistake may be missing in the tree. There is no tree if
    the parser could not go on after a mistake.
    """
    from lark.exceptions import UnexpectedInput

    text = _end_line(text)
    folded = _fold(text) if fold else text
    recovery = _Recovery(grammar, text, name, mistakes, start, below_blanks, has_lines)
    with suppress(UnexpectedInput):
        parser = _load(grammar, start, below_blanks)
        tree = parser.parse(folded, on_error=recovery)
        if not below_blanks:
            return tree
        below: Any = tree.children[-1]
        return cast("Tree[Any]", below)
    return None


def _end_line(text: str) -> str:
    """Return a text with a newline as its last character."""
    if text.endswith("\n"):
        return text
    return f"{text}\n"


def _fold(text: str) -> str:
    """Return a text with its ASCII letters in lowercase."""
    return text.translate(_FOLDED)


def read_number(
    word: str,
    token: Token,
    text: str,
    name: str,
    *,
    largest: int = MAX_NUMBER,
    offset: int | None = None,
) -> int:
    """Return the value of a number, perhaps with a sign, in a token of a text.

    The offset is that of the number in the token; None for its first occurrence. A number beyond
    ``largest``, or below its negative, is a FormatError.
    """
    digits = word.lstrip("+-").lstrip("0") or "0"
    # int() rejects numbers with thousands of digits by raising its own error.
    if len(digits) <= len(str(largest)):
        number = int(digits)
        if number <= largest:
            is_negative = word.startswith("-")
            return -number if is_negative else number
    if offset is None:
        offset = max(0, token.find(word))
    place = place_in(token, offset, text, name)
    raise FormatError(place, f"{word[:20]} is too large: numbers here go up to {largest}")


def place_in(token: Token, offset: int, text: str, name: str) -> Place:
    """Return the place of a character in a token, given its offset there, from 0."""
    before = token[:offset]
    line = (token.line or 1) + before.count("\n")
    # On a later line of the token, rfind() gives the newline before it; on the first one, -1.
    column = offset - before.rfind("\n")
    if "\n" not in before:
        column += (token.column or 1) - 1
    return place_at(text, line, column, name)


def place_at(text: str, line: int, column: int, name: str) -> Place:
    """Return a place in a text, with the line of the text if there is such a line.

    Lines and columns count from 1.
    """
    lines = text.split("\n", line)
    source = None
    if line <= len(lines):
        source = lines[line - 1]
    return Place(name, line, column, source)


def add_mistake(
    mistakes: Mistakes, text: str, line: int, column: int, name: str, message: str
) -> None:
    """Add a mistake in a text to those collected so far; lines and columns count from 1."""
    if mistakes.is_full:
        mistakes.count()
        return
    place = place_at(text, line, column, name)
    mistakes.add(FormatError(place, message))


@_cache_by_file
def _source(grammar: str) -> str:
    """Return the text of a grammar, in a form that this version of Python can use."""
    text = read_input(str(find_grammar(grammar)), GAME_PART)
    if _can_repeat():
        return text
    return write_atomic(text)


def _can_repeat() -> bool:
    """Return whether Python matches possessive quantifiers on groups correctly.

    Python 3.11.2, which Debian 12 has, does not return to the end of the last whole repetition when
    the next one fails.
    """
    found = re.match(r"(?:[a](?:,b)+;)++", "a,b;a,c")
    return found is not None and found.end() == 4


def write_atomic(grammar: str) -> str:
    """Return a grammar with ``(?>(...)+)`` for ``(...)++``, which means the same.

    Matching atomic groups needs more memory.
    """
    end = 0
    while True:
        repeated = _POSSESSIVE.search(grammar, end)
        if repeated is None:
            return grammar
        start = _find_start_of_group(grammar, repeated.start())
        before = grammar[:start]
        group = grammar[start : repeated.start() + 1]
        behind = grammar[repeated.end() :]
        grammar = f"{before}(?>{group}{repeated[1]}){behind}"
        # A group may contain another one.
        end = start + len("(?>")


def _find_start_of_group(pattern: str, end: int) -> int:
    """Return the offset of the opening parenthesis that matches the closing one at an offset."""
    opened: list[int] = []
    position = pattern.rfind("\n", 0, end) + 1
    while position < end:
        part = _PART.match(pattern, position)
        assert part is not None
        if part[0] == "(":
            opened.append(position)
        elif part[0] == ")":
            opened.pop()
        position = part.end()
    return opened[-1]


@_cache_by_file
def _read_patterns(grammar: str, comments: re.Pattern[str]) -> dict[str, re.Pattern[str]]:
    """Return the regular expressions for terminals in comments of a grammar."""
    text = _source(grammar)
    found: dict[str, re.Pattern[str]] = {}
    for comment in comments.finditer(text):
        terminal, pattern = comment.groups()
        try:
            found[terminal] = re.compile(pattern)
        except re.error as error:
            line = text.count("\n", 0, comment.start()) + 1
            place = place_at(text, line, 1, str(find_grammar(grammar)))
            raise FormatError(place, f"this is not a regular expression: {error}") from error
    return found


@_cache_by_file
def _read_beginnings(grammar: str) -> dict[str, re.Pattern[str]]:
    """Return patterns that match the correct beginnings of terminals of several words.

    A comment of the grammar gives the pattern; for a terminal with named groups it is derived from
    the terminal.
    """
    found: dict[str, re.Pattern[str]] = {}
    for terminal, pattern in read_terminals(grammar).items():
        if pattern.groupindex:
            beginning = write_beginning(pattern.pattern)
            if beginning:
                found[terminal] = re.compile(beginning, pattern.flags)
    return found | _read_patterns(grammar, _BEGINNINGS)


@_cache_by_file
def _list_patterns(grammar: str, start: str, below_blanks: bool) -> dict[str, re.Pattern[str]]:
    """Return the patterns of all terminals that a text may have, as Lark writes them."""
    parser = _load(grammar, start, below_blanks)
    found: dict[str, re.Pattern[str]] = {}
    for terminal in parser.terminals:
        expression = terminal.pattern.to_regexp()
        found[terminal.name] = re.compile(expression)
    return found


def read_cells(grammar: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of the cells of terminals, from the ``//=`` comments of the grammar."""
    return _read_patterns(grammar, _CELLS)


def _read_words(grammar: str) -> dict[str, str]:
    """Return the names that messages use for terminals, from comments of the grammar."""
    text = _source(grammar)
    return dict(_WORDS.findall(text))


def name_terminal(grammar: str, terminal: str) -> str:
    """Return the name that messages use for a terminal of a grammar."""
    words = _read_words(grammar)
    return words.get(terminal, terminal)


def write_beginning(pattern: str) -> str:
    """Return a regular expression that matches the longest correct beginning of another one.

    ``to [0-9]+`` becomes ``to(?: (?:[0-9]+)?)?``: a word is correct only as a whole. It is empty if
    the other expression, which is on one line, has alternatives.
    """
    parts = []
    for part, quantifier in _split_pattern(pattern):
        if part in "|)":
            return ""
        parts.append(f"{part}{quantifier}")
    beginning = ""
    for part_text in reversed(parts):
        rest = f"(?:{beginning})?" if beginning else ""
        beginning = f"{part_text}{rest}"
    # A group name may occur only once in a pattern, and these names are not needed.
    return _NAMED_GROUP.sub("(?:", beginning)


def _split_pattern(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a regular expression, such as ``[a-z]``, each with its quantifier."""
    position = 0
    while position < len(pattern):
        part = _PART.match(pattern, position)
        assert part is not None
        end = part.end()
        if part[0] == "(":
            end = _find_end_of_group(pattern, position)
        repeated = _REPEATED.match(pattern, end)
        assert repeated is not None
        yield pattern[position:end], repeated[0]
        position = repeated.end()


def read_templates(grammar: str) -> dict[str, str]:
    """Return how terminals are written, with a field for each group: ``jump {row} {column}``.

    A comment ``//: NAME template`` of the grammar says so. A terminal without one has a template if
    all that varies in it are its groups and blanks.
    """
    text = _source(grammar)
    found: dict[str, str] = {}
    for terminal, string in _STRINGS.findall(text):
        found[terminal] = _escape_braces(string)
    for terminal, pattern in read_terminals(grammar).items():
        template = write_template(pattern.pattern)
        if template:
            found[terminal] = template
    return found | dict(_TEMPLATES.findall(text))


def write_template(pattern: str) -> str:
    """Return the template of a text that matches a regular expression; empty if there is none.

    ``to +(?P<row>[0-9]+)`` becomes ``to {row}``.
    """
    written = []
    for part, quantifier in _split_pattern(pattern):
        group = _NAMED_GROUP.match(part)
        if group is not None:
            name = group[0].removeprefix("(?P<").removesuffix(">")
            written.append(f"{{{name}}}")
        elif part.startswith(("(?=", "(?!", "(?<")):
            continue  # text around the terminal
        elif part[0] == "(" or part in ".|)^$":
            return ""
        elif _matches(part, " ") and not _matches(part, "a"):
            if quantifier in ("", "+"):
                written.append(" ")
        elif not _matches(part, "\n"):
            literal = part.removeprefix("\\")
            if quantifier or not _matches(part, literal):
                return ""
            written.append(_escape_braces(literal))
    return "".join(written).strip()


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def _escape_braces(text: str) -> str:
    """Return a text as a template has it."""
    return text.replace("{", "{{").replace("}", "}}")


def _find_end_of_group(pattern: str, start: int) -> int:
    """Return the offset of the end of the group that begins at a given offset."""
    depth = 0
    position = start
    while position < len(pattern):
        part = _PART.match(pattern, position)
        assert part is not None
        if part[0] == "(":
            depth += 1
        elif part[0] == ")":
            depth -= 1
        position = part.end()
        if not depth:
            break
    return position


@_cache_by_file
def read_terminals(grammar: str) -> dict[str, re.Pattern[str]]:
    """Return the terminals of a grammar that are one regular expression, with their groups."""
    text = _source(grammar)
    terminals: dict[str, re.Pattern[str]] = {}
    for terminal, pattern, flags in _TERMINALS.findall(text):
        expression = pattern
        if flags:
            expression = f"(?{flags}){pattern}"
        try:
            terminals[terminal] = re.compile(expression)
        except re.error as error:
            place = list_names(grammar)[terminal]
            message = f"{terminal} is not a regular expression: {error}"
            raise FormatError(place, message) from error
    return terminals


@_cache_by_file
def _read_rules(grammar: str) -> dict[str, frozenset[str]]:
    """Return the rules of a grammar, each with the names of the rules and terminals in it."""
    text = _source(grammar)
    found: dict[str, frozenset[str]] = {}
    for name, body in _RULES.findall(text):
        plain = _STRINGS_AND_COMMENTS.sub(" ", body)
        names = _NAME.findall(plain)
        found[name] = frozenset(names)
    return found


def list_reachable(grammar: str, rule: str) -> frozenset[str]:
    """Return the rules and terminals that may occur in a text which follows a rule."""
    rules = _read_rules(grammar)
    known = set[str]()
    waiting = [rule]
    while waiting:
        name = waiting.pop()
        others = rules.get(name, frozenset())
        for other in others - known:
            known.add(other)
            waiting.append(other)
    return frozenset(known)


def list_alternatives(grammar: str, rule: str) -> list[str]:
    """Return the rules that are the alternatives of a rule.

    There are none if an alternative is not exactly one rule, or if there is only one.
    """
    text = _source(grammar)
    bodies: dict[str, str] = dict(_RULES.findall(text))
    body = bodies.get(rule, "")
    plain = _STRINGS_AND_COMMENTS.sub(" ", body)
    found: list[str] = []
    for alternative in plain.split("|"):
        names = [name for name in _NAME.findall(alternative) if name.islower()]
        if len(names) != 1:
            return []
        (name,) = names
        if re.search(rf"{name}\s*[*+?~]", alternative):
            return []
        found.append(name)
    if len(found) == 1:
        return []
    return found


def has_rule(grammar: str, name: str) -> bool:
    """Return whether a grammar has a rule."""
    rules = _read_rules(grammar)
    return name in rules


def rule_contains(grammar: str, rule: str, name: str) -> bool:
    """Return whether a text that follows a rule may have a part that follows another one."""
    reachable = list_reachable(grammar, rule)
    return name in reachable


def list_names(grammar: str) -> dict[str, Place]:
    """Return the places of the rules and terminals of a grammar, by their names."""
    text = _source(grammar)
    name = str(find_grammar(grammar))
    found: dict[str, Place] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        definition = _DEFINED.match(line)
        if definition:
            found[definition[1]] = Place(name, number, definition.start(1) + 1, line)
    return found


def check_grammar(grammar: str, starts: Iterable[str]) -> None:
    """Check that a grammar can be used for texts that follow some of its rules.

    Raises:
        FormatError: The grammar is wrong at the place of the error.
        InputError: The grammar cannot be read, or Lark cannot use it.
    """
    text = _source(grammar)
    name = str(find_grammar(grammar))
    for number, line in enumerate(text.split("\n"), start=1):
        group = _NAMED_GROUP.search(line)
        if group and not line.startswith("//") and not _TERMINALS.fullmatch(line):
            place = Place(name, number, group.start() + 1, line)
            message = "a terminal with named groups must be one regular expression on its own line"
            raise FormatError(place, message)
    _check_comments(grammar)
    for start in starts:
        if not has_rule(grammar, start):
            place = place_at(text, 1, 1, name)
            raise FormatError(place, f"the grammar has no rule {start!r}")
        _load(grammar, start, True)
    for rule, place in list_names(grammar).items():
        if rule.lower() == "not":
            raise FormatError(place, f"no predicate can be called 'not': rename {rule}")
        source = place.source or ""
        if source.startswith("?") and rule in ("turn", *starts):
            raise FormatError(place, f"{rule} must stay in the tree: remove the ?")


def _check_comments(grammar: str) -> None:
    """Check the special comments: what they say must fit the terminals of the grammar."""
    names = list_names(grammar)
    text = _source(grammar)
    for comment in _TEMPLATES.finditer(text):
        terminal, template = comment.groups()
        line = text.count("\n", 0, comment.start()) + 1
        _check_template(
            grammar, terminal, template, place_at(text, line, 1, str(find_grammar(grammar)))
        )
    for comments in (_BEGINNINGS, _SKIPPED, _LOOKS, _CELLS):
        for terminal in _read_patterns(grammar, comments):
            if terminal not in names:
                path = find_grammar(grammar)
                message = f"a comment is about {terminal}, which is not a terminal of the grammar"
                raise InputError(str(path), message)


def _check_template(grammar: str, terminal: str, template: str, place: Place) -> None:
    """Raise a FormatError unless a template has each group of its terminal once."""
    pattern = read_terminals(grammar).get(terminal)
    groups = list(pattern.groupindex) if pattern else []
    try:
        fields = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise FormatError(place, f"this is not a template: {error}") from error
    if terminal in list_names(grammar) and sorted(fields) == sorted(groups):
        return
    listed = " ".join(f"{{{name}}}" for name in groups)
    raise FormatError(
        place, f"expected a terminal and a template with each of its groups: {listed}"
    )


def fits(grammar: str, text: str, *, start: str = "start", below_blanks: bool = True) -> bool:
    """Return whether a text follows a rule of a grammar; see `parse` for the parameters."""
    from lark.exceptions import UnexpectedInput

    parser = _load(grammar, start, below_blanks)
    try:
        parser.parse(_end_line(text))
    except UnexpectedInput:
        return False
    return True


@_cache_by_file
def _load(grammar: str, start: str, below_blanks: bool) -> Lark:
    """Return the parser of a grammar.

    If empty lines may precede what follows the rule, the tree of the rule is the only child of the
    parser's tree. An InputError says that Lark needs too long, or cannot read an imported file.
    """
    from lark import Lark
    from lark.exceptions import LarkError

    path = str(find_grammar(grammar))
    # Lark joins all terminals into one expression, in which no two groups may share a name.
    source = _NAMED_GROUP.sub("(?:", _source(grammar))
    if below_blanks:
        source += _BELOW_BLANKS.replace("RULE", start)
        start = "below_blanks"
    # Making a parser takes longer than everything else in a short command, so it is cached.
    file = _cache_file(f"{start} {source}")
    try:
        with _limited():
            return Lark(source, parser="lalr", start=start, propagate_positions=False, cache=file)
    except LarkError as error:
        raise _explain_grammar(error, grammar) from error
    except TimeoutError as error:
        message = f"Lark needs more than {_MOST_SECONDS} s for this grammar"
        hint = "write it with fewer alternatives and fewer optional parts"
        raise InputError(path, f"{message}: {hint}") from error
    except OSError as error:
        message = f"a file that the grammar imports: {describe_failure(error)}"
        raise InputError(path, message) from error


@contextmanager
def _limited() -> Iterator[None]:
    """Raise a TimeoutError if making a parser takes too long: Lark itself has no limit."""
    import lark.lexer

    end = time.thread_time() + _MOST_SECONDS
    before = sys.getprofile()
    compares = lark.lexer.has_interegular

    def check(*_: object) -> None:
        if time.thread_time() > end:
            sys.setprofile(None)
            raise TimeoutError

    # If interegular is installed, Lark compares all terminals; a large repetition takes forever.
    lark.lexer.has_interegular = False
    sys.setprofile(check)
    try:
        yield
    finally:
        sys.setprofile(before)
        lark.lexer.has_interegular = compares


def _explain_grammar(error: Exception, grammar: str) -> FormatError:
    """Return the error for a wrong grammar, at the place that Lark's message is about."""
    text = _source(grammar)
    name = str(find_grammar(grammar))
    message, _, more = str(error).partition("\n")
    where = _WHERE.search(message)
    if where:
        line = int(where[1])
        column = int(where[2])
        place = place_at(text, line, column, name)
        return FormatError(place, "this is not a grammar rule")
    place = place_at(text, 1, 1, name)
    known = list_names(grammar)
    for word in _NAME_IN_MESSAGE.findall(f"{message}\n{more}"):
        if word in known:
            place = known[word]
            break
    return FormatError(place, message.rstrip(": "))


def _cache_file(parser: str) -> str | bool:
    """Return the path of the file in which Lark caches a parser; False if there can be none."""
    from lark import __version__

    described = f"{__version__} {parser}".encode()
    digest = sha256(described).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(cache) if cache else Path.home() / ".cache"
        folder = home / "kb-score"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # There is no home folder, or it is read-only: the parser is rebuilt each time.
        return False
    path = folder / f"{digest}.grammar"
    return str(path)


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A mistake in a terminal of several words.

    Attributes:
        terminals: The terminals that the writer may have meant.
        start: The offset in the text at which the parser stopped.
        offset: The offset of the wrong word.
    """

    terminals: tuple[str, ...]
    start: int
    offset: int


@dataclass(slots=True)
class _Recovery:
    """Collects the mistakes of a text, and lets the parser go on after a wrong terminal.

    The text has a newline as its last character. If it has lines that do not depend on each other,
    a line with a mistake may be skipped; ``line`` is that of the last mistake, 0 if there is none.
    """

    grammar: str
    text: str
    name: str
    mistakes: Mistakes
    start: str
    below_blanks: bool
    has_lines: bool
    line: int = 0

    def __call__(self, error: UnexpectedInput) -> bool:
        """Add the mistake for an error, and return whether the parser can go on."""
        mistake = self._find_mistake(error)
        if mistake is None:
            found = _explain(error, self.grammar, self.text, self.name)
        else:
            found = self._explain_mistake(mistake)
        # The first mistake in a line may be the cause of later ones.
        if found.place.line != self.line:
            self.mistakes.add(found)
            self.line = found.place.line
        if self.mistakes.is_full:
            return False
        if mistake is None:
            goes_on = self._complete(error) or self._skip_rest(error)
        else:
            goes_on = self._replace(error, mistake)
        return goes_on or (self.has_lines and self._forget_line(error))

    def _explain_mistake(self, mistake: _Mistake) -> FormatError:
        """Return the error for a wrong word, or for a line that ends too early."""
        offset = mistake.offset
        found = _WORD.match(self.text, offset)
        word = found[0] if found else ""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        place = place_at(self.text, line, column, self.name)
        problem = _unexpected(word)
        return _expect(place, problem, mistake.terminals, self.grammar)

    def _find_mistake(self, error: UnexpectedInput) -> _Mistake | None:
        """Return the mistake whose text matches the longest beginning of a terminal."""
        from lark.exceptions import UnexpectedCharacters, UnexpectedToken

        if isinstance(error, UnexpectedCharacters):
            start = error.pos_in_stream or 0
            allowed = error.allowed or set()
        elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
            start = error.token.start_pos or 0
            allowed = error.accepts or error.expected
        else:
            return None
        mistake = self._match_beginnings(allowed, start)
        line_start = self.text.rfind("\n", 0, start) + 1
        if not mistake.terminals and start == line_start:
            # The first word of the line is wrong.
            terminals = self._guess_terminals(allowed, start)
            mistake = replace(mistake, terminals=terminals)
        if not mistake.terminals:
            return None
        return mistake

    def _match_beginnings(self, allowed: Container[str], start: int) -> _Mistake:
        """Return the mistake with the terminals whose beginnings match the most text."""
        terminals = list[str]()
        furthest = start
        line_start = self.text.rfind("\n", 0, start) + 1
        for terminal, beginning in _read_beginnings(self.grammar).items():
            if terminal not in allowed:
                continue
            found = beginning.match(self.text, start)
            if found is None or found.end() == start:
                continue
            end = found.end()
            if terminal not in _read_patterns(self.grammar, _BEGINNINGS):
                # A word of which only the beginning matches is wrong as a whole.
                end = max(start, _find_word(self.text, end))
                if end == start == line_start:
                    continue  # the writer may have meant another terminal
            if end > furthest:
                furthest = end
                terminals = []
            if end == furthest:
                terminals.append(terminal)
        blanks = _BLANKS.match(self.text, furthest)
        offset = blanks.end() if blanks else furthest
        return _Mistake(tuple(terminals), start, offset)

    def _guess_terminals(self, allowed: Container[str], start: int) -> tuple[str, ...]:
        """Return the terminals that the writer of a line may have meant.

        This is the only terminal that is allowed here, or those that the line looks like.
        """
        beginnings = _read_beginnings(self.grammar)
        possible = tuple(terminal for terminal in beginnings if terminal in allowed)
        if len(possible) < 2:
            return possible
        looks = _read_patterns(self.grammar, _LOOKS)
        similar = list[str]()
        for terminal in possible:
            if terminal in looks and looks[terminal].match(self.text, start):
                similar.append(terminal)
        return tuple(similar)

    def _replace(self, error: UnexpectedInput, mistake: _Mistake) -> bool:
        """Read the text as the terminal that was meant, and return whether that is known.

        An empty token stands for the terminal.
        """
        from lark import Token
        from lark.exceptions import UnexpectedToken

        if len(mistake.terminals) > 1:
            return False
        (terminal,) = mistake.terminals
        empty = Token(terminal, "")
        try:
            error.interactive_parser.feed_token(empty)
        except UnexpectedToken:
            return False
        return self._skip(error, terminal, mistake.start)

    def _complete(self, error: UnexpectedInput) -> bool:
        """Insert a terminal that is missing at the end of a line; return whether one fits there."""
        from lark import Token
        from lark.exceptions import UnexpectedToken

        token = None
        start = error.pos_in_stream
        if isinstance(error, UnexpectedToken):
            token = error.token
            start = token.start_pos
            if token.type == _END:
                return False
        if start is None or not _LINE_END.match(self.text, start):
            return False
        parser: Any = error.interactive_parser
        for terminal in sorted(parser.accepts() - {_END}):
            missing = Token(terminal, "")
            trial = parser.copy()
            trial.feed_token(missing)
            following = self._find_terminal(trial.accepts(), start)
            if following is not None:
                parser.feed_token(missing)
                # The lexer has read an unexpected token, but not a character that fits no token.
                if token is not None:
                    parser.feed_token(following)
                return True
        return False

    def _find_terminal(self, allowed: Iterable[str], start: int) -> Token | None:
        """Return the first of some terminals that matches at an offset; None if none does."""
        from lark import Token

        patterns = _list_patterns(self.grammar, self.start, self.below_blanks)
        for terminal in sorted(allowed):
            if terminal not in patterns:
                continue
            found = patterns[terminal].match(self.text, start)
            if found is not None and found.end() > start:
                return Token(terminal, found[0])
        return None

    def _skip_rest(self, error: UnexpectedInput) -> bool:
        """Skip the rest of a line if its first words are a terminal; return whether they are."""
        from lark.exceptions import UnexpectedCharacters, UnexpectedToken

        history = None
        if isinstance(error, UnexpectedCharacters | UnexpectedToken):
            history = error.token_history
        if not history:
            return False
        last = history[-1]
        if last is None or last.end_line != error.line:
            return False
        last_end = last.end_pos or 0
        if last.type in _read_beginnings(self.grammar):
            return self._skip(error, last.type, last_end)
        # What follows a complete line is skipped too.
        line_end = self.text.find("\n", last_end)
        parser: Any = error.interactive_parser
        if line_end < 0 or self._find_terminal(parser.accepts(), line_end) is None:
            return False
        return self._skip(error, last.type, last_end)

    def _forget_line(self, error: UnexpectedInput) -> bool:
        """Forget the beginning of the line, and skip the rest; return whether that is possible.

        A state in which the text may end is between lines.
        """
        token = getattr(error, "token", None)
        if token is not None and token.type == _END:
            return False
        parser: Any = error.interactive_parser
        trial = parser.copy()
        states, values = trial.parser_state.state_stack, trial.parser_state.value_stack
        while _END not in trial.choices() and len(states) > 1:
            states.pop()
            values.pop()
        choices = trial.choices()
        known = parser.parser_state
        del known.state_stack[len(states) :], known.value_stack[len(values) :]
        position = parser.lexer_thread.state.line_ctr
        if all(choice.startswith(("$", "_")) for choice in choices):
            # Only empty lines may follow, so all other lines together are one mistake.
            position.feed(self.text[position.char_pos :])
        elif position.line == error.line:
            # Otherwise the unexpected token contains the newline, and has already been read.
            end = self.text.index("\n", position.char_pos) + 1
            position.feed(self.text[position.char_pos : end])
        return True

    def _skip(self, error: UnexpectedInput, terminal: str, start: int) -> bool:
        """Move the parser to the end of a terminal whose text begins at an offset.

        Return False if it is empty or already passed; the error holds the parser.
        """
        skipped = _read_patterns(self.grammar, _SKIPPED).get(terminal, _REST_OF_LINE)
        found = skipped.match(self.text, start)
        state = error.interactive_parser.lexer_thread.state
        if found is None or state is None:
            return False
        end = found.end()
        counter = state.line_ctr
        if end <= start:
            return False
        token = getattr(error, "token", None)
        if end < counter.char_pos and token is not None and token.start_pos <= start:
            # The lexer has read past the terminal, as part of a longer token: move it back.
            counter.char_pos = token.start_pos
            counter.line = token.line
            counter.column = token.column
            counter.line_start_pos = token.start_pos - token.column + 1
        if end < counter.char_pos:
            return False
        rest = self.text[counter.char_pos : end]
        counter.feed(rest)
        return True


def _find_word(text: str, offset: int) -> int:
    """Return the offset at which a word begins; outside of words, the same offset."""
    if text[offset : offset + 1].isspace():
        return offset
    while offset and not text[offset - 1].isspace():
        offset -= 1
    return offset


def _explain(error: UnexpectedInput, grammar: str, text: str, name: str) -> FormatError:
    """Return the error for a character or a token that the parser did not expect."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedCharacters):
        character = error.char.rstrip("\n")
        problem = _unexpected(character)
        expected = sorted(error.allowed or ())
        # A letter or a digit right after a word probably belongs to it: the word is wrong.
        for token in error.token_history or ():
            is_word = token[-1:].isalnum() and error.char.isalnum()
            if is_word and token.end_pos == error.pos_in_stream:
                expected = [token.type]
        place = place_at(text, error.line, error.column, name)
    elif isinstance(error, UnexpectedToken) and error.token.type != _END:
        unexpected = error.token.value.lstrip(" \t\n")
        first, _, _ = unexpected.partition("\n")
        problem = _unexpected(first[:20])
        expected = sorted(error.accepts or error.expected)
        place = place_at(text, error.line, error.column, name)
    else:
        problem = "the text ends too early"
        expected = sorted(getattr(error, "expected", ()))
        lines = text.rstrip("\n").split("\n")
        last_line = lines[-1]
        behind = len(last_line) + 1
        place = Place(name, len(lines), behind, last_line)
    return _expect(place, problem, expected, grammar)


def _unexpected(word: str) -> str:
    """Describe a word that was not expected; an empty one is the end of a line."""
    if not word:
        return "unexpected end of the line"
    return f"unexpected {word!r}"


def _expect(place: Place, problem: str, terminals: Iterable[str], grammar: str) -> FormatError:
    """Return the error for a place where one of several terminals was expected."""
    words = _read_words(grammar)
    # Several terminals may have the same name. A nameless one, such as a comment, is never missing.
    named = dict.fromkeys(words[terminal] for terminal in terminals if terminal in words)
    expected = "nothing more"
    if named:
        expected = describe_list(list(named))
    return FormatError(place, f"{problem}: expected {expected}")
