"""Kingdom Builder boards and quadrants: read them from text, and turn them into facts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from io import StringIO
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from kb_score.engine.rules import GameRules, cache_by_rules
from kb_score.engine.terms import Facts, Name, Row
from kb_score.errors import (
    FileKind,
    FormatError,
    InputError,
    KbScoreError,
    Mistakes,
    Place,
    guess,
    unwrap,
    visible,
    write_count,
)
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.rules import GAME
from kb_score.games.labels import NO_LABELS, Labels, read_labels
from kb_score.grammar import parse
from kb_score.resources import find_folder
from kb_score.shell.files import normalise, read_input
from kb_score.shell.output import Messages

if TYPE_CHECKING:
    from lark import Token, Tree

Hex: TypeAlias = tuple[int, int]  # a row and a column, from 0
# The hexes of a row: a string if each hex has one symbol.
BoardRow: TypeAlias = str | tuple[str, ...]
# Rows of facts by predicate, which can be extended.
FactRows: TypeAlias = dict[str, list[Row]]
# The ground of a hex, and what stands there, as the rules name it.
_Pair: TypeAlias = "tuple[str, int | Name]"

MAX_PLAYERS = 5
PLAYERS = "".join(map(str, range(1, MAX_PLAYERS + 1)))
# The module that draws boards for notebooks. It imports this one, so it is loaded when needed.
DISPLAY = "kb_score.games.kingdom_builder.display"
# A hex that could not be read, on a board that `restore` completes.
HIDDEN = "?"


class Meaning(NamedTuple):
    """The fact that a symbol stands for: its arguments before the row and the column."""

    predicate: str
    values: Row


class RowFault(NamedTuple):
    """A mistake in a row of a board or in one word of it, at an offset from 0."""

    offset: int
    message: str


@dataclass(frozen=True)
class Notation:
    """The symbols of the hexes of a board.

    Attributes:
        terrain: The kinds of terrain that are not land, by their symbols.
        land: The kinds of land, by their symbols.
        bearing: The symbols of the terrain that may hold settlements although it is not land.
    """

    terrain: Mapping[str, str]
    land: Mapping[str, str]
    bearing: tuple[str, ...]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each symbol; terrain comes before land."""
        return {**self.terrain, **self.land}

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The symbol of each kind."""
        return {kind: symbol for symbol, kind in self.kinds.items()}

    @cached_property
    def walled(self) -> str:
        """The symbols of ground that may hold a stone wall: a dot, and the kinds of land."""
        return "." + "".join(self.land)

    @cached_property
    def settled(self) -> str:
        """The symbols of ground that may hold a settlement."""
        return self.walled + "".join(self.bearing)

    @cached_property
    def single_symbols(self) -> str:
        """All hexes of one symbol."""
        kinds = "".join(self.kinds)
        return f".{kinds}{PLAYERS}"

    @cached_property
    def pairs(self) -> dict[str, _Pair]:
        """All hexes of two symbols, each with its ground and what stands there."""
        found: dict[str, _Pair] = {}
        for ground in self.settled:
            for player in PLAYERS:
                found[ground + player] = (ground, int(player))
        for ground in self.walled:
            found[ground + "#"] = (ground, Name("wall"))
        return found

    @cached_property
    def hexes(self) -> list[str]:
        """All hexes except settlements and walls on a dot, which is unknown land."""
        singles = [*self.single_symbols]
        pairs = [pair for pair in self.pairs if not pair.startswith(".")]
        return singles + pairs

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        """The fact that each symbol stands for."""
        found: dict[str, Meaning] = {}
        for symbol, kind in self.terrain.items():
            found[symbol] = Meaning("terrain", (Name(kind),))
        for symbol, kind in self.land.items():
            found[symbol] = Meaning("land", (Name(kind),))
        for player in PLAYERS:
            found[player] = Meaning("settlement", (int(player),))
        found["#"] = Meaning("wall", ())
        return found

    @property
    def facts(self) -> Facts:
        """The symbols of hexes with pieces, for asp/kingdom_builder/picture."""
        built: list[Row] = []
        for hex_, (ground, piece) in self.pairs.items():
            symbol = shorten(hex_)
            built.append((ground, piece, symbol))
        starts: list[Row] = [(symbol, f"{symbol}+") for symbol in self.land]
        return {"built_symbol": built, "start_symbol": starts}

    def open_facts(self, hexes: Iterable[str]) -> FactRows:
        """Return the facts about what a hex may hold, for search/open.lp."""
        facts: FactRows = {}
        for hex_ in hexes:
            for meaning in self._meanings_of(hex_):
                rows = facts.setdefault(f"symbol_{meaning.predicate}", [])
                rows.append((hex_, *meaning.values))
        return facts

    def drop_equivalent(self, hexes: Iterable[str], asked: Set[str]) -> list[str]:
        """Return hexes without those that the rules cannot tell from an earlier one.

        The rules use the predicates that are given.
        """
        first_hexes: dict[frozenset[Meaning], str] = {}
        for hex_ in hexes:
            meanings = self._meanings_of(hex_)
            seen = frozenset(meaning for meaning in meanings if meaning.predicate in asked)
            first_hexes.setdefault(seen, hex_)
        return list(first_hexes.values())

    def _meanings_of(self, hex_: str) -> list[Meaning]:
        return [self.meanings[symbol] for symbol in hex_ if symbol != "."]

    @property
    def description(self) -> str:
        """A sentence that says what a hex may be."""
        symbols = " ".join(self.single_symbols)
        return f"each hex is one of {symbols}, or a pair such as G2 or G#"

    def has(self, word: str) -> bool:
        """Return whether a word of capital letters is a hex."""
        if len(word) == 1:
            return word in self.single_symbols
        return word in self.pairs

    @cached_property
    def row_pattern(self) -> re.Pattern[str]:
        """A pattern for lines that look like a row of hexes."""
        symbols = f"{self.single_symbols}#"
        return re.compile(rf"[ \t]*[{symbols}][ \t{symbols}]*\n?", re.IGNORECASE)

    def looks_like_row(self, line: str) -> bool:
        """Return whether a line is meant as a row, even if it has mistakes.

        A line is meant as a row if it looks like one, or if at least half of its words are hexes. A
        line of numbers is a claim.
        """
        if self.row_pattern.fullmatch(line):
            return True
        words = line.upper().split()
        if len(words) < 2:
            return False
        if all(map(str.isdigit, words)):
            return False
        hexes = sum(map(self.has, words))
        return 2 * hexes >= len(words)

    def find_fault(self, word: str) -> RowFault:
        """Return what is wrong with a word of capital letters that is not a hex."""
        first = word[0]
        second = word[1:2]
        if first == "#":
            reason = "a stone wall is a second symbol, after the terrain, as in G#"
            return RowFault(0, f"unexpected '#': {reason}")
        # A second settlement or wall may follow a hex that holds one.
        length = 1 if first in PLAYERS else 2
        extra = word[length : length + 1]
        is_extra_piece = extra == "#"
        if extra and extra in PLAYERS:
            is_extra_piece = first in self.land
        if is_extra_piece and self.has(word[:length]):
            reason = "a hex holds one settlement or one stone wall"
            return RowFault(length, f"unexpected {extra!r}: {reason}")
        pair = word[:2]
        if second == "#" and first not in self.walled:
            ground = " ".join(self.walled)
            reason = f"a stone wall must stand on one of {ground}"
            return RowFault(0, f"unexpected {pair!r}: {reason}")
        if second in PLAYERS and first in self.kinds and first not in self.settled:
            ground = " ".join(self.settled)
            reason = f"a settlement must stand on one of {ground}"
            return RowFault(0, f"unexpected {pair!r}: {reason}")
        message = "a blank is missing between two hexes: the other rows have one there"
        if first in PLAYERS and second in self.land:
            message += f"; did you mean {second}{first}?"
        offset = 1
        if first != "." and self.has(pair):
            offset = 2
        return RowFault(offset, message)


def load_notation(rules: GameRules | None = None) -> Notation:
    """Return the notation that rules define; without rules, that of ours."""
    if rules is None:
        rules = GameRules(GAME)
    return _load_notation(rules)


@cache_by_rules
def _load_notation(rules: GameRules) -> Notation:
    answer = rules.ask(asp.NOTATION, {})
    buildable = {kind for (kind,) in answer["buildable"]}
    bears = {kind for (kind,) in answer["bears"]}
    terrain: dict[str, str] = {}
    land: dict[str, str] = {}
    bearing: list[str] = []
    for row in answer.read(asp.GroundSymbolRow):
        if row.kind in buildable:
            land[row.symbol] = row.kind
            continue
        terrain[row.symbol] = row.kind
        if row.kind in bears:
            bearing.append(row.symbol)
    return Notation(terrain, land, tuple(bearing))


def shorten(hex_: str) -> str:
    """Return a hex without the dot before a settlement: ``.2`` is the same hex as ``2``."""
    if len(hex_) == 2 and hex_[0] == "." and hex_[1] in PLAYERS:
        return hex_[1]
    return hex_


# A larger board is a mistake, and its pairs of neighbours would fill the memory.
MAX_ROWS = 1000
# A million lines can be read within seconds: some 50,000 boards of the official size.
MAX_LINES = 1_000_000
BOARD_FILE = FileKind("a board", 64 << 20)
QUADRANTS_FILE = FileKind("a file of quadrants", 1 << 20)
_SIDE = 10  # of a quadrant
_OFFICIAL = 2 * _SIDE  # of a board
# A comment after the hexes of a row.
_COMMENT_AFTER = re.compile(r"(?<=[^ \t\n%])[ \t]*%.*")
# The words that a line of a game may begin with, besides a player and headings that rules add.
HEADINGS = ("board", "cards", "players", "start", "nomad")

_TOUCHING = re.compile(r"[^ \t\n]{2}")
_WORD = re.compile(r"[^ \t\n]+")
_LOOKS_LIKE = re.compile(rf"(?:[ \t]*[.A-Z{PLAYERS}]#?)+")
NO_BREAK_SPACE = "\xa0"


@dataclass(frozen=True)
class Board:
    """A board.

    A hex is a string of one symbol, or of two: the terrain, then a settlement or a stone wall. A
    row is a tuple of hexes, or a plain string if each hex has one symbol. Boards that are read from
    text have plain strings wherever possible.

    Attributes:
        name: The path of the file, followed by ``#2`` for the second board in it.
        rows: The rows from north to south, all of the same length. Row 0 and column 0 are the
            northern and western edges.
        notes: What is ambiguous in the file, and how it was interpreted.
        labels: The names of the players and the title of the board, from comments in the file.
        notation: The meaning of the symbols.
    """

    name: str
    rows: tuple[BoardRow, ...]
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    labels: Labels = field(default=NO_LABELS, compare=False, repr=False)
    notation: Notation = field(default_factory=load_notation, compare=False, repr=False)

    def svg(self) -> str:
        """Return a picture of the board, the text of an SVG file."""
        shown: str = import_module(DISPLAY).draw_plain(self)
        return shown

    def _repr_svg_(self) -> str:
        """Return a picture for a notebook."""
        return self.svg()

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    @cached_property
    def facts(self) -> Facts:
        """The facts of the board: size/2, terrain/3, land/3, settlement/3 and wall/2."""
        facts: FactRows = {
            "size": [(self.height, self.width)],
            "terrain": [],
            "land": [],
            "settlement": [],
            "wall": [],
        }
        meanings = self.notation.meanings
        for row, hexes in enumerate(self.rows):
            for column, hex_ in enumerate(hexes):
                if hex_ in (".", HIDDEN):
                    continue
                for symbol in hex_.lstrip("."):
                    meaning = meanings[symbol]
                    facts[meaning.predicate].append((*meaning.values, row, column))
        return facts

    def facts_for(self, players: int | None) -> dict[str, Sequence[Row]]:
        """Return the facts of the board for a number of players, or for all with settlements.

        Raises:
            InputError: The board has a settlement of a player beyond this number.
        """
        facts = dict(self.facts)
        if players is None:
            return facts
        symbols = set(chain.from_iterable(self._list_hexes()))
        numbers = map(int, symbols.intersection(PLAYERS))
        most = max(numbers, default=1)
        if most > players:
            message = f"it has settlements of player {most}, but --players is {players}"
            raise InputError(self.name, message)
        facts["players"] = [(players,)]
        return facts

    def fill(self, symbols: Iterable[tuple[int, int, str]]) -> Board:
        """Return a copy of the board with hexes replaced.

        Args:
            symbols: The row, the column and the new symbols of each hex to replace.
        """
        rows = [list(row) for row in self.rows]
        for row, column, symbol in symbols:
            rows[row][column] = symbol
        joined = map(_join_hexes, rows)
        return Board(self.name, tuple(joined), notation=self.notation)

    def __str__(self) -> str:
        """Return the board as text, with every second row indented by one blank.

        If any hex has two symbols, all hexes are two symbols wide.
        """
        width = max(map(len, self._list_hexes()), default=1)
        text = ""
        for number, row in enumerate(self.rows):
            if number % 2:
                text += " "
            hexes = " ".join(hex_.ljust(width) for hex_ in row)
            text += hexes.rstrip()
            text += "\n"
        return text

    def _list_hexes(self) -> Iterator[str]:
        return chain.from_iterable(self.rows)


def _join_hexes(hexes: Sequence[str]) -> BoardRow:
    """Return a row of a board, as a string if each hex has one symbol."""
    if max(map(len, hexes)) > 1:
        return tuple(hexes)
    return "".join(hexes)


def look_like_rows(lines: Iterable[str]) -> bool:
    """Return whether all lines look like rows of hexes, with any letters as symbols."""
    return all(map(_LOOKS_LIKE.fullmatch, lines))


def parse_board(
    text: str, rules: GameRules | None = None, *, name: str = "<text>", allows: str = ""
) -> Board:
    """Return the board in a text, whose symbols the rules define; see `kb_score.parse_board`.

    The text may be "hidden", with hidden hexes, which are ``?``, or "odd", with an odd number of
    rows or columns.
    """
    found = read_boards(text, rules, name=name, allows=allows)
    boards = list(map(unwrap, found))
    if len(boards) > 1:
        message = f"one board is expected, but there are {len(boards)}"
        lines = normalise(text).split("\n")
        line = _find_empty_line(lines, 1)
        raise InputError(name, f"{message}: the empty line {line} separates two boards")
    return boards[0]


def is_game(text: str) -> bool:
    """Return whether a text is a game rather than a board: it begins with a heading or a turn."""
    # A file of boards may be long, but its first line decides.
    for line in StringIO(text):
        words = line.partition("%")[0].split()
        if not words:
            continue
        first = words[0]
        if first.lower() in HEADINGS:
            # A heading is followed by a name or a number; a program may have "board = [[".
            return len(words) == 1 or words[1][0].isalnum()
        return first.rstrip(".").isdigit() and ":" in line
    return False


def read_boards(
    text: str, rules: GameRules | None = None, *, name: str = "<text>", allows: str = ""
) -> Iterator[Board | KbScoreError]:
    """Yield the boards in a text, which are separated by empty lines, or their errors.

    A text that is not a file of boards has one error. The arguments are those of `parse_board`.
    """
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield InputError(name, f"{lines} lines are too many for one file: {MAX_LINES} is the limit")
        return
    if is_game(text):
        check = "kb-score check kingdom-builder checks it"
        replay = "kb-score replay kingdom-builder shows it"
        yield InputError(name, f"this is a game, not a board: {check}, and {replay}")
        return
    plain = normalise(text)
    if "%" in plain:
        plain = _COMMENT_AFTER.sub("", plain)
    try:
        tree = parse("kingdom_builder_boards", plain, name=name)
    except FormatError as error:
        yield error
        return
    notation = load_notation(rules)
    boards = _find_boards(tree, notation)
    if not boards:
        yield InputError(name, f"the file has no board: {notation.description}")
    source: list[str] = []
    if "%" in text:
        # Labels occur only in comments.
        source = normalise(text).split("\n")
    end = 0
    hints = _find_split_boards(boards, plain)
    for number, rows in enumerate(boards, start=1):
        start = end
        end = rows[-1].line or 0
        title = name
        if len(boards) > 1:
            title = f"{name}#{number}"
        hint = hints.get(number, "")
        reader = _BoardReader(name, title, notation, allows, hint)
        try:
            board = reader.read(rows)
            board_lines = source[start:end]
            labels = read_labels(board_lines, start + 1, name)
            yield replace(board, labels=labels)
        except KbScoreError as error:
            yield error


def _find_boards(tree: Tree[Any], notation: Notation) -> list[list[Token]]:
    """Return the boards of a file, each as the tokens of its rows.

    If the file is not a file of boards, only its first group of lines is returned.
    """
    boards: list[list[Token]] = []
    for child in tree.children:
        if not isinstance(child, str):
            boards.append(cast("list[Token]", child.children))
    rows = list(chain.from_iterable(boards))
    if len(boards) > 1 and len(rows) == len(boards):
        # No board has a single row: these are the rows of one board, separated by empty lines.
        boards = [rows]
    if not any(map(notation.looks_like_row, rows)):
        # This is another kind of file: the error in its first line is enough.
        return boards[:1]
    return boards


def _find_split_boards(boards: Sequence[Sequence[Token]], text: str) -> dict[int, str]:
    """Return a hint for each board that was probably meant as one with the board after it.

    The hints are by the number of the first of the two boards, from 1.
    """
    hints: dict[int, str] = {}
    for number, (rows, after) in enumerate(pairwise(boards), start=1):
        height = len(rows) + len(after)
        width = _count_words(rows[0])
        is_whole = (height, width) == (_OFFICIAL, _OFFICIAL)
        are_halves = len(rows) % 2 and len(after) % 2
        if not (is_whole or are_halves) or width != _count_words(after[0]):
            continue
        last = rows[-1].line or 1
        empty = _find_empty_line(text.split("\n"), last)
        hint = (
            f"the empty line {empty} separates two boards, which together have {height} rows: did "
            "you mean one board?"
        )
        hints.setdefault(number, hint)
        if are_halves:
            hints[number + 1] = hint
    return hints


def _count_words(row: Token) -> int:
    """Return the number of hexes of a row, by its blanks if it has any."""
    words = row.split()
    return len(words) if len(words) > 1 else len(row.strip())


def _find_empty_line(lines: Sequence[str], first: int) -> int:
    """Return the number of the first empty line after a row, not before the line ``first``."""
    is_after_row = False
    for number, line in enumerate(lines[first - 1 :], start=first):
        content = line.strip()
        if is_after_row and not content:
            return number
        if content and not content.startswith("%"):
            is_after_row = True
    return len(lines)


def check_board(board: Board, rules: GameRules) -> Board:
    """Check a board that a program may have made, and return it with the notation of the rules.

    Raises:
        InputError: The name or the rows have the wrong type, a row has a wrong hex, rows differ in
            length, or the size is odd or too large.
    """
    notation = load_notation(rules)
    board = replace(board, notation=notation)
    name = board.name
    rows = board.rows
    if not isinstance(name, str) or not isinstance(rows, tuple) or not rows:
        raise InputError("board", "a board needs a name (a string) and rows (a tuple of strings)")
    for row in rows:
        if not _is_row(notation, row):
            expected = f"a string without blanks, or a tuple: {notation.description}"
            raise InputError(name, f"a row of a board is {expected}")
    if len(set(map(len, rows))) > 1:
        raise InputError(name, "the rows of a board must have the same number of hexes")
    height = board.height
    width = board.width
    if max(height, width) > MAX_ROWS or height % 2 or width % 2:
        size = _describe_size(height, width)
        expected = f"even numbers up to {MAX_ROWS} are expected"
        raise InputError(name, f"{size}: {expected}")
    return board


def _describe_size(rows: int, hexes: int) -> str:
    number_of_rows = write_count(rows, "row")
    number_of_hexes = write_count(hexes, "hex", "hexes")
    return f"{number_of_rows} of {number_of_hexes}"


def _is_row(notation: Notation, row: Any) -> bool:
    if isinstance(row, str):
        return bool(row) and set(row) <= set(notation.single_symbols)
    if not isinstance(row, tuple):
        return False
    if not row:
        return False
    return all(isinstance(hex_, str) and notation.has(hex_) for hex_ in row)


@dataclass(frozen=True)
class _BoardReader:
    """Reads a board and collects its mistakes.

    Attributes:
        path: The path of the file.
        name: The name of the board, which may be one of several in the file.
        allows: As for `parse_board`.
        hint: What to say if the board is probably a part of another one.
    """

    path: str
    name: str
    notation: Notation
    allows: str
    hint: str = ""
    mistakes: Mistakes = field(default_factory=Mistakes)

    def read(self, tokens: Sequence[Token]) -> Board:
        """Return the board with the given rows; all mistakes are reported."""
        # A board may be in lowercase, but a lowercase letter among capitals is a mistake.
        symbols = self.notation.single_symbols
        if all(map(_is_lowercase, tokens)):
            symbols = symbols.lower()
        if self.allows == "hidden":
            symbols += HIDDEN
        wrong = re.compile(rf"[^ \t\n#{symbols}]+")
        if not any(map(self.notation.looks_like_row, tokens)):
            # This is not a board at all: its first mistake is enough.
            first = tokens[0]
            for fault in self._find_wrong_symbols(wrong, first):
                raise _error(self.path, first, fault)
        _check_size(tokens, self.name)
        rows = self._read_rows(tokens, wrong)
        self.mistakes.raise_any()
        notes = tuple(_note_indentation(tokens))
        if self.hint:
            notes = (*notes, self.hint)
        return Board(self.name, rows, notes, notation=self.notation)

    def _read_rows(self, tokens: Sequence[Token], wrong: re.Pattern[str]) -> tuple[BoardRow, ...]:
        """Return the rows that can be read, and report all mistakes."""
        good = [token for token in tokens if not wrong.search(token)]
        is_compact = not any(map(_has_blanks, good))
        has_pairs = not is_compact and any(map(_TOUCHING.search, good))
        rows: list[BoardRow] = []
        model: Token | None = None  # the first row, whose length all others should have
        for token in tokens:
            faults = list(self._find_wrong_symbols(wrong, token))
            if not faults and ("#" in token or has_pairs):
                wrong_pairs = self._find_wrong_pairs(token.upper(), is_compact=is_compact)
                faults = list(wrong_pairs)
            if not faults:
                row = _read_row(token.upper(), has_pairs=has_pairs)
                rows.append(row)
                if model is None:
                    model = token
                length = len(rows[0])
                if len(row) != length:
                    where = f"row in line {model.line}"
                    if model is tokens[0]:
                        where = "first row of the board"
                    hexes = write_count(len(row), "hex", "hexes")
                    message = f"this row has {hexes}, but the {where} has {length}"
                    faults.append(RowFault(len(token.rstrip()), message))
            for fault in faults:
                self.mistakes.add(_error(self.path, token, fault))
        lengths = set(map(len, rows))
        if self.allows != "odd" and len(lengths) == 1:
            self._check_sides(tokens, len(rows[0]))
        return tuple(rows)

    def _check_sides(self, tokens: Sequence[Token], width: int) -> None:
        height = len(tokens)
        if height % 2 == 0 and width % 2 == 0:
            return
        size = _describe_size(height, width)
        message = f"{size} cannot be halved into quadrants: both numbers must be even"
        if self.hint:
            message += f"; {self.hint}"
        elif height % 2 and width % 2 == 0 and not self.mistakes:
            message += f"; {_guess_missing_row(tokens)}"
        self.mistakes.add(InputError(self.name, message))

    def _find_wrong_symbols(self, wrong: re.Pattern[str], token: Token) -> Iterator[RowFault]:
        """Yield a fault for each part of a row that does not belong to a hex."""
        for found in wrong.finditer(token):
            symbol = found[0][0]
            message = self._explain(symbol, token)
            yield RowFault(found.start(), message)

    def _explain(self, symbol: str, token: Token) -> str:
        """Return the message about a wrong symbol in a row, with hints about what was meant."""
        message = f"unexpected {symbol!r}: {self.notation.description}"
        if symbol == HIDDEN:
            message += "; kb-score restore finds out what an unreadable hex may hold"
        if symbol == ",":
            message += "; use spaces instead of commas"
        if symbol == NO_BREAK_SPACE:
            message += "; this is a no-break space: use a plain space instead"
        if token.lstrip().startswith("#"):
            message += "; a comment begins with %"
        if symbol.upper() in self.notation.single_symbols:
            message += f"; did you mean {symbol.upper()}?"
        return message

    def _find_wrong_pairs(self, row: str, *, is_compact: bool) -> Iterator[RowFault]:
        """Yield the faults of a row in which hexes may have two symbols."""
        if is_compact:
            reason = "a stone wall is a second symbol, as in G#, so spaces must separate the hexes"
            yield RowFault(row.index("#"), f"unexpected '#': {reason}")
            return
        for found in _WORD.finditer(row):
            word = found[0]
            if word == HIDDEN or self.notation.has(word):
                continue
            fault = self.notation.find_fault(word)
            offset = found.start() + fault.offset
            yield RowFault(offset, fault.message)


def _is_lowercase(row: str) -> bool:
    """Return whether a row has no capital letters."""
    return row == row.lower()


def _has_blanks(token: Token) -> bool:
    row = token.strip()
    return " " in row or "\t" in row


def _read_row(row: str, *, has_pairs: bool) -> BoardRow:
    hexes = row.split()
    if has_pairs:
        shortened = list(map(shorten, hexes))
        return _join_hexes(shortened)
    return "".join(hexes)


def _check_size(tokens: Sequence[Token], name: str) -> None:
    """Raise an InputError if a board is too large."""
    # Hexes are counted before they are read, because reading a hostile file can be slow.
    hexes = max(map(_count_hexes, tokens))
    if max(len(tokens), hexes) > MAX_ROWS:
        size = _describe_size(len(tokens), hexes)
        raise InputError(name, f"{size} are too many: {MAX_ROWS} is the limit")


def _count_hexes(token: Token) -> int:
    blanks = token.count(" ") + token.count("\t")
    symbols = len(token) - blanks - 1
    if symbols > MAX_ROWS and _has_blanks(token):
        # In a row with blanks, a hex has up to two symbols.
        fewest = (symbols + 1) // 2
        return max(len(token.split()), fewest)
    return symbols


def _note_indentation(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a note about the first row whose indentation does not fit its place, if any."""
    lines: list[str] = []
    indents: list[int] = []
    for token in tokens:
        line = token.expandtabs().rstrip()
        lines.append(line)
        indents.append(len(line) - len(line.lstrip()))
    if not any(indents):
        return
    # The hexes of a row may be separated by more than one blank.
    first_row = lines[0].strip()
    gaps = max(1, len(first_row.split()) - 1)
    half_distance = (len(first_row) - 1) / gaps / 2
    shifts = {1, int(half_distance), int(half_distance + 0.5)} - {0}
    for number in range(1, len(lines)):
        indent = indents[number]
        previous = indents[number - 1]
        if number % 2:
            side = "right"
            shift = indent - previous
        else:
            side = "left"
            shift = previous - indent
        if shift not in shifts:
            yield (
                f"line {tokens[number].line}: this row is indented by {indent}, the row before it "
                f"by {previous}; it is read as lying half a hex to the {side} of that row"
            )
            return


def _guess_missing_row(tokens: Sequence[Token]) -> str:
    """Return where a row of a board seems to be missing, if the indentation tells."""
    indents: list[int] = []
    for token in tokens:
        line = token.expandtabs()
        indents.append(len(line) - len(line.lstrip()))
    alike = [at for at in range(1, len(indents)) if indents[at] == indents[at - 1]]
    seems = "a row seems to be missing"
    if not any(indents) or len(alike) > 1:
        return seems
    if alike:
        before, after = tokens[alike[0] - 1 : alike[0] + 1]
        return f"{seems} between the lines {before.line} and {after.line}, which are indented alike"
    if indents[0] > min(indents):
        return f"{seems} above line {tokens[0].line}"
    return f"{seems} below line {tokens[-1].line}"


def _error(path: str, token: Token, fault: RowFault) -> FormatError:
    """Return the error that reports a fault in the row of a token."""
    line = token.line or 1
    first_column = token.column or 1
    column = first_column + fault.offset
    place = Place(path, line, column, token.rstrip("\n"))
    return FormatError(place, fault.message)


def print_notes(board: Board, messages: Messages | None = None) -> Board:
    """Print the notes of a board, by default to standard error, and return the board."""
    if messages is None:
        messages = Messages()
    for note in board.notes:
        messages.warn(board.name, "indentation", note)
    return board


@dataclass(frozen=True, slots=True)
class Quadrant:
    """A quadrant of a board, as printed or turned.

    Attributes:
        name: The name of its locations, such as farm.
        expansion: The expansion that it comes from; empty for the base game.
        rows: Ten rows of ten symbols each; odd rows are shifted right by half a hex.
    """

    name: str
    expansion: str
    rows: tuple[str, ...]

    def turn(self) -> Quadrant:
        """Return the quadrant turned by 180 degrees."""
        # The number of rows is even, so shifted rows remain shifted.
        turned = [row[::-1] for row in reversed(self.rows)]
        return replace(self, rows=tuple(turned))


def read_quadrants(
    rules: GameRules | None = None, tiles: Collection[str] | None = None, more: Iterable[str] = ()
) -> tuple[Quadrant, ...]:
    """Return all quadrants as printed: ours, and those of a user's tables, which may replace ours.

    A FormatError reports all mistakes of a table.

    Args:
        rules: The rules, with the user's tables; None for ours.
        tiles: The tiles of the rules. The locations of a user's quadrant yield the tile of its
            name, which must be among these; None to skip this check.
        more: The paths of further tables.
    """
    notation = load_notation(rules)
    ours = find_folder("asp") / "kingdom_builder" / "quadrants.txt"
    found = _read_table(str(ours), notation)
    tables = [*more]
    if rules is not None:
        tables = [*map(str, rules.changes.tables), *more]
    for path in tables:
        found |= _read_table(path, notation, tiles)
    return tuple(found.values())


def _read_table(
    path: str, notation: Notation, tiles: Collection[str] | None = None
) -> dict[str, Quadrant]:
    """Return the quadrants of a table by name; a FormatError reports all its mistakes."""
    text = normalise(read_input(path, QUADRANTS_FILE))
    tree = parse("quadrants", text, name=path)
    ground = [*notation.land, *notation.terrain]
    town = notation.symbols["town"]
    mistakes = Mistakes()
    found: dict[str, Quadrant] = {}
    for quadrant in tree.children:
        heading, *tokens = cast("list[Token]", quadrant.children)
        _, name, after, *_ = heading.split()
        rows = tuple("".join(token.split()) for token in tokens)
        wrong_rows = list(_check_table_rows(path, tokens, ground))
        for mistake in wrong_rows:
            mistakes.add(mistake)
        tile = name.replace("-", "_")
        message = ""
        if name in found:
            message = f"two quadrants have the name {name}"
        elif len(rows) != _SIDE and not wrong_rows:
            message = f"{name} has {len(rows)} rows: {_SIDE} are expected"
        elif tiles is not None and town in "".join(rows) and tile not in tiles:
            message = f"a location of {name} yields a tile {name}, but the rules have no such tile"
        if message:
            fault = RowFault(heading.index(name), message)
            mistakes.add(_error(path, heading, fault))
        expansion = ""
        if after.startswith("("):
            expansion = after[1:]
        found[name] = Quadrant(name, expansion, rows)
    mistakes.raise_any()
    return found


def _check_table_rows(
    path: str, tokens: Iterable[Token], ground: Sequence[str]
) -> Iterator[FormatError]:
    """Yield the mistakes in the rows of a quadrant."""
    symbols = "".join(ground)
    no_ground = re.compile(rf"[^ \t\n{symbols}]+")
    expected = f"each hex is one of {' '.join(ground)}"
    for token in tokens:
        faults: list[RowFault] = []
        for wrong in no_ground.finditer(token):
            symbol = wrong[0][0]
            message = f"unexpected {symbol!r}: {expected}"
            faults.append(RowFault(wrong.start(), message))
        hexes = len("".join(token.split()))
        if not faults and hexes != _SIDE:
            shown = write_count(hexes, "hex", "hexes")
            message = f"this row has {shown}: {_SIDE} are expected"
            faults.append(RowFault(len(token.rstrip()), message))
        for fault in faults:
            yield _error(path, token, fault)


def find_quadrants(words: Sequence[str], quadrants: Iterable[Quadrant] = ()) -> list[Quadrant]:
    """Return the quadrants that words name: ``farm``, or ``farm/180`` for one that is turned.

    The known quadrants are ours by default. A quadrant that does not exist or is named twice is an
    InputError.
    """
    known = {quadrant.name: quadrant for quadrant in quadrants or read_quadrants()}
    found: dict[str, Quadrant] = {}
    for word in words:
        name, slash, angle = word.lower().partition("/")
        if name not in known or (slash and angle != "180"):
            hint = ""
            if name not in known:
                hint = guess(name, known, before="")
            if hint:
                hint += " "
            listed = ", ".join(known)
            names = f"the quadrants are {listed}, with /180 after the name if it is turned"
            message = f"there is no quadrant {visible(word)!r}: {hint}{names}"
            raise InputError("board", message)
        if name in found:
            message = f"{name} is named twice: the quadrants of a board must be different"
            raise InputError("board", message)
        quadrant = known[name]
        if slash:
            quadrant = quadrant.turn()
        found[name] = quadrant
    return list(found.values())


def join_quadrants(
    northwest: Quadrant, northeast: Quadrant, southwest: Quadrant, southeast: Quadrant
) -> tuple[str, ...]:
    """Return the rows of a board of four quadrants, which are turned already if necessary."""
    west = northwest.rows + southwest.rows
    east = northeast.rows + southeast.rows
    return tuple(left + right for left, right in zip(west, east, strict=True))
