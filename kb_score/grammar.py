"""Text to tree: the Lark grammars of ``parsers/``, with messages about mistakes in a text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from kb_score.errors import (
    FormatError,
    InputError,
    Mistakes,
    Place,
    describe_list,
    explain_failure,
    say_failure,
)
from kb_score.resources import find_grammar

if TYPE_CHECKING:
    # This takes a while to load, and options and help need none of it.
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

T = TypeVar("T")
P = ParamSpec("P")

# clingo's numbers have 32 bits.
MAX_NUMBER = 2**31 - 1

_FOLDED = {ord(letter): letter.lower() for letter in ascii_uppercase}
_SEPARATORS = ":;/>@ \t\n"
# Comments of a grammar: what messages call a terminal.
_WORDS = re.compile(r"^//! (\w+) (.+)$", re.MULTILINE)
# How a terminal of several words begins as far as it is right, and what is skipped if it is wrong.
_BEGINNINGS = re.compile(r"^//< (\w+) (.+)$", re.MULTILINE)
_SKIPPED = re.compile(r"^//> (\w+) (.+)$", re.MULTILINE)
# What each character of the rows of a terminal may be.
_CELLS = re.compile(r"^//= (\w+) (.+)$", re.MULTILINE)
# What a terminal looks like if even its first word is wrong.
_LOOKS = re.compile(r"^//\? (\w+) (.+)$", re.MULTILINE)
# A terminal that is one regular expression, and the beginning of a named group.
_TERMINALS = re.compile(r"^([A-Z]\w*)(?:\.\d+)?: */(.*)/([imsux]*)$", re.MULTILINE)
# The rules of a grammar for texts with empty lines above what follows a RULE.
_BELOW_BLANKS = r"""
below_blanks: _BLANK_LINES? RULE
_BLANK_LINES.9: /[ \t\n]*\n/
"""
# A part of a regular expression: an escape, a class, a word, or a character; and how often it may
# stand.
_PART = re.compile(r"\\.|\w+(?![*+?{])|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_POSSESSIVE = re.compile(r"\)([+*])\+")
_REPEATED = re.compile(r"(?:[*+?]|\{[0-9,]+\})?\??")
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")
# A rule of a grammar: its name, and all up to the next rule, terminal or comment.
_RULES = re.compile(
    r"^[?!]?([a-z_]\w*)(?:\.\d+)?[ \t]*:((?:[^\n]*\n)(?:(?:[ \t]+|\|)[^\n]*\n)*)", re.MULTILINE
)
_STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEFINED = re.compile(r"[?!]?([A-Za-z_]\w*)(?:\.\d+)?[ \t]*:")
# The place and the names in a message of Lark.
_WHERE = re.compile(r"line ([0-9]+),? column ([0-9]+)")
_NAME_IN_MESSAGE = re.compile(r"(?:'|token |in rule |<)([A-Za-z_]\w*)")
_REST_OF_LINE = re.compile(r"[^\n]*")
_BLANKS = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*\n")
# What Lark calls the end of a text.
_END = "$END"
_WORD = re.compile(r"\S{0,20}")


def _cache_by_file(find: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Cache what a function finds in a grammar, by its name, as long as its file stays as it is."""

    @lru_cache(maxsize=64)
    def find_once(_file: tuple[Path, int], grammar: str, *args: Any) -> Any:
        find_any: Callable[..., T] = find
        return find_any(grammar, *args)

    def cached(grammar: str, /, *args: P.args, **_: P.kwargs) -> T:
        path = find_grammar(grammar)
        changed = path.stat().st_mtime_ns if path.exists() else 0
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
    """Parse a text by ``parsers/<grammar>.lark``, from its rule ``start``.

    The text has the line ends that `kb_score.shell.files.decode` leaves; the last one may be
    missing. The comments of the grammar describe the shape of the tree. If letters are folded, its
    tokens have small letters. If the text may be below blanks, it may begin with empty lines that
    the rule does not allow.

    Raises:
        FormatError: The text does not follow the grammar. Its text has a message for each mistake
            behind which the parser can go on; see `Mistakes`.
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
) -> Tree[Any] | None:
    """Parse a text as `parse` does, but add the mistakes to others instead of raising them.

    Returns:
        The tree, in which a terminal that has a mistake is an empty token; None if the parser could
        not go on behind a mistake.
    """
    from lark.exceptions import UnexpectedInput

    text = _end_line(text)
    folded = text.translate(_FOLDED) if fold else text
    recovery = _Recovery(grammar, text, name, mistakes, start, below_blanks)
    with suppress(UnexpectedInput):
        tree = _load(grammar, start, below_blanks).parse(folded, on_error=recovery)
        if not below_blanks:
            return tree
        below: Any = tree.children[-1]
        return cast("Tree[Any]", below)
    return None


def _end_line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def parse_lines(
    grammar: str, text: str, *, name: str, mistakes: Mistakes, fold: bool = False
) -> Tree[Any] | None:
    """Parse a text of independent lines, without the lines that have mistakes.

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

    text = _end_line(text)
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
            # Only empty lines may follow, so that all other lines together are one mistake.
            position.feed(folded[position.char_pos :])
        elif position.line == error.line:
            # An unexpected token that has a line end has been read to its end.
            end = folded.index("\n", position.char_pos) + 1
            position.feed(folded[position.char_pos : end])
        return True

    with suppress(UnexpectedInput):
        return _load(grammar, "start", False).parse(folded, on_error=skip_line)
    return None


def read_number(word: str, token: Token, text: str, name: str, *, largest: int = MAX_NUMBER) -> int:
    """Read a number in a token, perhaps with a sign.

    Raises:
        FormatError: The number is too large.
    """
    digits = word.lstrip("+-").lstrip("0") or "0"
    # int() refuses numbers of thousands of digits with an error of its own.
    if len(digits) <= len(str(largest)):
        number = int(digits)
        if number <= largest:
            return -number if word.startswith("-") else number
    place = place_in(token, max(0, token.find(word)), text, name)
    raise FormatError(place, f"{word[:20]} is too large: numbers here go up to {largest}")


def place_in(token: Token, offset: int, text: str, name: str) -> Place:
    """Make the place of a character of a token; offsets are from 0."""
    before = token[:offset]
    line = (token.line or 1) + before.count("\n")
    # In a later line of the token rfind() gives the line end before it; in the first one, -1.
    column = offset - before.rfind("\n")
    if "\n" not in before:
        column += (token.column or 1) - 1
    return place_at(text, line, column, name)


def place_at(text: str, line: int, column: int, name: str) -> Place:
    """Make a place in a text that knows its line; line and column count from 1."""
    lines = text.split("\n", line)
    source = lines[line - 1] if line <= len(lines) else None
    return Place(name, line, column, source)


def add_mistake(
    mistakes: Mistakes, text: str, line: int, column: int, name: str, message: str
) -> None:
    """Add a mistake in a text to others; the arguments are those of `place_at` and a message."""
    if mistakes.is_full:
        mistakes.count()
    else:
        mistakes.add(FormatError(place_at(text, line, column, name), message))


@_cache_by_file
def _source(grammar: str) -> str:
    path = find_grammar(grammar)
    with explain_failure(path, "cannot read the grammar: "):
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(str(path), "a grammar is plain UTF-8") from error
    return text if _can_repeat() else write_atomic(text)


def _can_repeat() -> bool:
    """Return whether Python repeats groups right that keep nothing to go back to.

    Python 3.11.2, that of Debian 12, does not go back behind a repetition that fails.
    """
    found = re.match(r"(?:[a](?:,b)+;)++", "a,b;a,c")
    return found is not None and found.end() == 4


def write_atomic(grammar: str) -> str:
    """Write a grammar with ``(?>(...)+)`` for ``(...)++``: the same, but with more memory."""
    end = 0
    while True:
        repeated = _POSSESSIVE.search(grammar, end)
        if repeated is None:
            return grammar
        start = _find_start_of_group(grammar, repeated.start())
        group = grammar[start : repeated.start() + 1]
        atomic = f"(?>{group}{repeated[1]})"
        grammar = grammar[:start] + atomic + grammar[repeated.end() :]
        # A group may stand within another one.
        end = start + len("(?>")


def _find_start_of_group(pattern: str, end: int) -> int:
    """Return the offset of the bracket that a closing one at an offset belongs to."""
    opened: list[int] = []
    line = pattern.rfind("\n", 0, end) + 1
    position = line
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
    """Read the regular expressions for terminals in comments of a grammar."""
    text = _source(grammar)
    found: dict[str, re.Pattern[str]] = {}
    for comment in comments.finditer(text):
        terminal, pattern = comment.groups()
        try:
            found[terminal] = re.compile(pattern)
        except re.error as error:
            line = text.count("\n", 0, comment.start()) + 1
            place = place_at(text, line, 1, str(find_grammar(grammar)))
            raise FormatError(place, f"this is no regular expression: {error}") from error
    return found


@_cache_by_file
def _read_beginnings(grammar: str) -> dict[str, re.Pattern[str]]:
    """Read how terminals of several words begin as far as they are right.

    A grammar says it in a comment. Of a terminal with named groups it is found here.
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
    """List the patterns of all terminals that a text may have, as Lark has them."""
    found: dict[str, re.Pattern[str]] = {}
    for terminal in _load(grammar, start, below_blanks).terminals:
        found[terminal.name] = re.compile(terminal.pattern.to_regexp())
    return found


def read_cells(grammar: str) -> dict[str, re.Pattern[str]]:
    """Read what each cell of a terminal may be, where a comment ``//=`` of the grammar says it."""
    return _read_patterns(grammar, _CELLS)


def name_terminal(grammar: str, terminal: str) -> str:
    """Return what messages call a terminal."""
    words: dict[str, str] = dict(_WORDS.findall(_source(grammar)))
    return words.get(terminal, terminal)


def write_beginning(pattern: str) -> str:
    """Write the regular expression of the longest beginning that agrees with another one.

    ``to [0-9]+`` becomes ``to(?: (?:[0-9]+)?)?``: a word is right as a whole. It is empty for
    alternatives.
    """
    parts = []
    position = 0
    while position < len(pattern):
        part = _PART.match(pattern, position)
        if part is None or pattern[position] in "|)":
            return ""
        end = part.end()
        if part[0] == "(":
            end = _find_end_of_group(pattern, position)
        repeated = _REPEATED.match(pattern, end)
        assert repeated is not None
        parts.append(pattern[position : repeated.end()])
        position = repeated.end()
    beginning = ""
    for part_text in reversed(parts):
        beginning = f"{part_text}(?:{beginning})?" if beginning else part_text
    # A name may stand only once in a pattern, and these are not asked for.
    return _NAMED_GROUP.sub("(?:", beginning)


def _find_end_of_group(pattern: str, start: int) -> int:
    """Return the offset behind the group that begins at an offset."""
    depth = 0
    position = start
    while position < len(pattern):
        part = _PART.match(pattern, position)
        assert part is not None
        depth += {"(": 1, ")": -1}.get(part[0], 0)
        position = part.end()
        if not depth:
            break
    return position


@_cache_by_file
def read_terminals(grammar: str) -> dict[str, re.Pattern[str]]:
    """Read the regular expressions of the terminals of a grammar, with their named groups."""
    found = _TERMINALS.findall(_source(grammar))
    terminals: dict[str, re.Pattern[str]] = {}
    for terminal, pattern, flags in found:
        inline = f"(?{flags})" if flags else ""
        try:
            terminals[terminal] = re.compile(inline + pattern)
        except re.error as error:
            place = list_names(grammar)[terminal]
            raise FormatError(place, f"{terminal} is no regular expression: {error}") from error
    return terminals


@_cache_by_file
def _read_rules(grammar: str) -> dict[str, frozenset[str]]:
    """Read the rules of a grammar, each with the names of the rules in it."""
    found: dict[str, frozenset[str]] = {}
    for name, body in _RULES.findall(_source(grammar)):
        plain = _STRINGS_AND_COMMENTS.sub(" ", body)
        found[name] = frozenset(_NAME.findall(plain))
    return found


def list_reachable(grammar: str, rule: str) -> frozenset[str]:
    """List the rules and terminals that a text which follows a rule may have."""
    rules = _read_rules(grammar)
    known = set[str]()
    waiting = [rule]
    while waiting:
        for other in rules.get(waiting.pop(), frozenset()) - known:
            known.add(other)
            waiting.append(other)
    return frozenset(known)


def list_alternatives(grammar: str, rule: str) -> list[str]:
    """List the rules of which a text that follows a rule is one; none if it is more than one."""
    bodies = dict(_RULES.findall(_source(grammar)))
    plain = _STRINGS_AND_COMMENTS.sub(" ", bodies.get(rule, ""))
    found: list[str] = []
    for alternative in plain.split("|"):
        names = [name for name in _NAME.findall(alternative) if name.islower()]
        if len(names) != 1 or re.search(rf"{names[0]}\s*[*+?~]", alternative):
            return []
        found += names
    return found if len(found) > 1 else []


def has_rule(grammar: str, name: str) -> bool:
    """Return whether a grammar has a rule."""
    return name in _read_rules(grammar)


def rule_contains(grammar: str, rule: str, name: str) -> bool:
    """Return whether a text that follows a rule may have a part that follows another one."""
    return name in list_reachable(grammar, rule)


def list_names(grammar: str) -> dict[str, Place]:
    """List the rules and terminals of a grammar, each with its place."""
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
        FormatError: It cannot; the error is at the place in the grammar.
        InputError: It cannot be read.
    """
    text = _source(grammar)
    name = str(find_grammar(grammar))
    for number, line in enumerate(text.split("\n"), start=1):
        group = _NAMED_GROUP.search(line)
        if group and not line.startswith("//") and not _TERMINALS.fullmatch(line):
            place = Place(name, number, group.start() + 1, line)
            message = "a terminal with named groups is one regular expression on a line of its own"
            raise FormatError(place, message)
    _check_comments(grammar)
    for start in starts:
        if not has_rule(grammar, start):
            raise FormatError(place_at(text, 1, 1, name), f"the grammar has no rule {start!r}")
        _load(grammar, start, True)
    for rule, place in list_names(grammar).items():
        if rule == "not":
            raise FormatError(place, "no predicate can be called not: rename this rule")
        if rule in ("turn", *starts) and (place.source or "").startswith("?"):
            raise FormatError(place, f"{rule} must stay in the tree: remove the ?")


def _check_comments(grammar: str) -> None:
    """Check that the comments for messages are about terminals, by regular expressions."""
    names = list_names(grammar)
    for comments in (_BEGINNINGS, _SKIPPED, _LOOKS, _CELLS):
        for terminal in _read_patterns(grammar, comments):
            if terminal not in names:
                message = f"a comment is about {terminal}, which is no terminal of the grammar"
                raise InputError(str(find_grammar(grammar)), message)


def fits(grammar: str, text: str, *, start: str = "start") -> bool:
    """Return whether a text follows a rule of a grammar, perhaps below empty lines."""
    from lark.exceptions import UnexpectedInput

    try:
        _load(grammar, start, True).parse(_end_line(text))
    except UnexpectedInput:
        return False
    return True


@_cache_by_file
def _load(grammar: str, start: str, below_blanks: bool) -> Lark:
    """Make the parser of a grammar; a FormatError if the grammar is wrong.

    If empty lines may stand above what follows the rule, its tree is the only child.
    """
    from lark import Lark
    from lark.exceptions import LarkError

    # Lark joins all terminals to one expression, in which a name could be that of one group alone.
    source = _NAMED_GROUP.sub("(?:", _source(grammar))
    if below_blanks:
        source += _BELOW_BLANKS.replace("RULE", start)
        start = "below_blanks"
    # Making a parser takes longer than everything else in a short command, so it is kept.
    file = _cache_file(f"{start} {source}")
    try:
        return Lark(source, parser="lalr", start=start, propagate_positions=False, cache=file)
    except LarkError as error:
        raise _explain_grammar(error, grammar) from error
    except (AttributeError, TypeError, ValueError) as error:
        # Where interegular is installed, Lark compares expressions by it, which reads not all.
        message = f"Lark cannot use a regular expression of this grammar: {error}"
        raise InputError(str(find_grammar(grammar)), message) from error
    except OSError as error:
        message = f"a file that the grammar imports: {say_failure(error)}"
        raise InputError(str(find_grammar(grammar)), message) from error


def _explain_grammar(error: Exception, grammar: str) -> FormatError:
    """Make the error that a grammar is wrong, at the place that Lark's message is about."""
    text = _source(grammar)
    name = str(find_grammar(grammar))
    message, _, more = str(error).partition("\n")
    where = _WHERE.search(message)
    if where:
        line = int(where[1])
        column = int(where[2])
        return FormatError(place_at(text, line, column, name), "this is no rule of a grammar")
    known = list_names(grammar)
    for word in _NAME_IN_MESSAGE.findall(f"{message}\n{more}"):
        if word in known:
            return FormatError(known[word], message.rstrip(": "))
    return FormatError(place_at(text, 1, 1, name), message.rstrip(": "))


def _cache_file(parser: str) -> str | bool:
    """Return the path of the file in which Lark keeps a parser; False if there can be none."""
    from lark import __version__

    digest = sha256(f"{__version__} {parser}".encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(cache) if cache else Path.home() / ".cache"
        folder = home / "kb-score"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # There is no home, or it is read-only: then the parser is made again each time.
        return False
    return str(folder / f"{digest}.grammar")


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A mistake in a terminal of several words.

    Attributes:
        terminals: The terminals that the text may have been meant as.
        start: The offset in the text at which the parser stopped.
        offset: The offset of the word that is wrong.
    """

    terminals: tuple[str, ...]
    start: int
    offset: int


@dataclass(slots=True)
class _Recovery:
    """Collects the mistakes of a text, and lets the parser go on behind a wrong terminal."""

    grammar: str
    text: str
    name: str
    mistakes: Mistakes
    start: str
    below_blanks: bool
    line: int = 0  # that of the last mistake

    def __call__(self, error: UnexpectedInput) -> bool:
        """Add the mistake for an error; return whether the parser can go on."""
        mistake = self._find_mistake(error)
        if mistake is None:
            found = _explain(error, self.grammar, self.text, self.name)
        else:
            found = self._explain_mistake(mistake)
        # The first mistake in a line may be the cause of others behind it.
        if found.place.line != self.line:
            self.mistakes.add(found)
            self.line = found.place.line
        if self.mistakes.is_full:
            return False
        if mistake is None:
            return self._complete(error) or self._skip_rest(error)
        return self._replace(error, mistake)

    def _explain_mistake(self, mistake: _Mistake) -> FormatError:
        """Make the error for a wrong word, or for a line that ends too early."""
        found = _WORD.match(self.text, mistake.offset)
        word = found[0] if found else ""
        line = self.text.count("\n", 0, mistake.offset) + 1
        column = mistake.offset - self.text.rfind("\n", 0, mistake.offset)
        place = place_at(self.text, line, column, self.name)
        return _expect(place, _unexpected(word), mistake.terminals, self.grammar)

    def _find_mistake(self, error: UnexpectedInput) -> _Mistake | None:
        """Find the wrong word by how far the text is the beginning of a terminal."""
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
        if not mistake.terminals and start == self.text.rfind("\n", 0, start) + 1:
            # The first word of the line is wrong.
            mistake = replace(mistake, terminals=self._guess_terminals(allowed, start))
        return mistake if mistake.terminals else None

    def _match_beginnings(self, allowed: Container[str], start: int) -> _Mistake:
        """Find the terminals that agree with the text at an offset the furthest."""
        terminals = list[str]()
        furthest = start
        line = self.text.rfind("\n", 0, start) + 1
        for terminal, beginning in _read_beginnings(self.grammar).items():
            found = beginning.match(self.text, start) if terminal in allowed else None
            if found is None or found.end() == start:
                continue
            end = found.end()
            if terminal not in _read_patterns(self.grammar, _BEGINNINGS):
                # A word that goes on otherwise is wrong as a whole.
                end = max(start, _find_word(self.text, end))
                if end == start == line:
                    continue  # the line may be meant as another terminal
            if end > furthest:
                furthest = end
                terminals = []
            if end == furthest:
                terminals.append(terminal)
        blanks = _BLANKS.match(self.text, furthest)
        offset = blanks.end() if blanks else furthest
        return _Mistake(tuple(terminals), start, offset)

    def _guess_terminals(self, allowed: Container[str], start: int) -> tuple[str, ...]:
        """Guess what a line was meant as: the only terminal allowed, or what it looks like."""
        beginnings = _read_beginnings(self.grammar)
        possible = tuple(terminal for terminal in beginnings if terminal in allowed)
        if len(possible) < 2:
            return possible
        looks = _read_patterns(self.grammar, _LOOKS)
        return tuple(
            terminal
            for terminal in possible
            if terminal in looks and looks[terminal].match(self.text, start)
        )

    def _replace(self, error: UnexpectedInput, mistake: _Mistake) -> bool:
        """Read the text as the terminal that it was meant as; return whether that is known."""
        from lark import Token
        from lark.exceptions import UnexpectedToken

        if len(mistake.terminals) > 1:
            return False
        (terminal,) = mistake.terminals
        try:
            error.interactive_parser.feed_token(Token(terminal, ""))
        except UnexpectedToken:
            return False
        return self._skip(error, terminal, mistake.start)

    def _complete(self, error: UnexpectedInput) -> bool:
        """Go on at the end of a line as if the one terminal that is missing stood there."""
        from lark import Token
        from lark.exceptions import UnexpectedToken

        token = error.token if isinstance(error, UnexpectedToken) else None
        start = error.pos_in_stream if token is None else token.start_pos
        is_end = token is not None and token.type == _END
        if start is None or is_end or not _LINE_END.match(self.text, start):
            return False
        parser: Any = error.interactive_parser
        for terminal in sorted(parser.accepts() - {_END}):
            missing = Token(terminal, "")
            trial = parser.copy()
            trial.feed_token(missing)
            following = self._find_terminal(trial.accepts(), start)
            if following is not None:
                parser.feed_token(missing)
                # The lexer is behind an unexpected token, and before what it cannot read.
                if token is not None:
                    parser.feed_token(following)
                return True
        return False

    def _find_terminal(self, allowed: Iterable[str], start: int) -> Token | None:
        """Find the first of some terminals that stands at an offset; None if none does."""
        from lark import Token

        patterns = _list_patterns(self.grammar, self.start, self.below_blanks)
        for terminal in sorted(allowed):
            found = patterns[terminal].match(self.text, start) if terminal in patterns else None
            if found is not None and found.end() > start:
                return Token(terminal, found[0])
        return None

    def _skip_rest(self, error: UnexpectedInput) -> bool:
        """Skip the rest of a line if its first words are a terminal; return whether they are."""
        from lark.exceptions import UnexpectedCharacters, UnexpectedToken

        known = UnexpectedCharacters, UnexpectedToken
        history = error.token_history if isinstance(error, known) else None
        last = history[-1] if history else None
        if last is None or last.end_line != error.line:
            return False
        if last.type in _read_beginnings(self.grammar):
            return self._skip(error, last.type, last.end_pos or 0)
        # What stands behind a line that is whole is skipped, too.
        end = self.text.find("\n", last.end_pos or 0)
        parser: Any = error.interactive_parser
        if end < 0 or self._find_terminal(parser.accepts(), end) is None:
            return False
        return self._skip(error, last.type, last.end_pos or 0)

    def _skip(self, error: UnexpectedInput, terminal: str, start: int) -> bool:
        """Move the parser behind a terminal; return False if it is there or further already."""
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
            # The lexer has read much more than the terminal as another one: it goes back.
            counter.char_pos = token.start_pos
            counter.line = token.line
            counter.column = token.column
            counter.line_start_pos = token.start_pos - token.column + 1
        if end < counter.char_pos:
            return False
        counter.feed(self.text[counter.char_pos : end])
        return True


def _find_word(text: str, offset: int) -> int:
    """Find the beginning of the word that an offset is in; of none, it is the offset."""
    if text[offset : offset + 1].isspace():
        return offset
    while offset and not text[offset - 1].isspace():
        offset -= 1
    return offset


def _explain(error: UnexpectedInput, grammar: str, text: str, name: str) -> FormatError:
    """Make the error for what the parser did not expect."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedCharacters):
        problem = _unexpected(error.char.rstrip("\n"))
        # A line that begins well is meant to go on as it began, but not behind a separator.
        begun = list[str]()
        for token in error.token_history or ():
            is_word = token.strip(_SEPARATORS) and not token.endswith("\n")
            if is_word and token.end_line == error.line:
                begun.append(token.type)
        expected = begun or sorted(error.allowed or ())
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
    return f"unexpected {word!r}" if word else "unexpected end of the line"


def _expect(place: Place, problem: str, terminals: Iterable[str], grammar: str) -> FormatError:
    """Make the error for a text at which one of some terminals is expected."""
    # A terminal without words, such as a comment, is not what is missing.
    words = dict(_WORDS.findall(_source(grammar)))
    # Several terminals may have the same words.
    named = dict.fromkeys(words[terminal] for terminal in terminals if terminal in words)
    expected = describe_list(list(named)) if named else "nothing more"
    return FormatError(place, f"{problem}: expected {expected}")
