"""Kingdom Builder boards: hexes, quadrants, text to boards, boards to facts and back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from io import StringIO
from itertools import chain
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
# The hexes of a row: a text if each hex has one symbol.
BoardRow: TypeAlias = str | tuple[str, ...]

MAX_PLAYERS = 5
PLAYERS = "".join(map(str, range(1, MAX_PLAYERS + 1)))
# Draws boards for notebooks. It stands on this module and is loaded by its name, when it is needed.
DISPLAY = "kb_score.games.kingdom_builder.display"
# A hex that could not be read, on a board that is to be restored.
HIDDEN = "?"


class Meaning(NamedTuple):
    """The fact that a symbol stands for."""

    predicate: str
    values: Row  # the arguments before the row and the column


class RowFault(NamedTuple):
    """A mistake in a row of a board, or in one word of it."""

    offset: int  # of the wrong symbol
    message: str


@dataclass(frozen=True)
class Notation:
    """The symbols of the hexes of a board.

    Settlements may stand on land and on some terrain.
    """

    terrain: Mapping[str, str]  # the kind of terrain, by its symbol
    land: Mapping[str, str]  # the kind of land, by its symbol
    bearing: tuple[str, ...]  # the symbols of terrain with settlements

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each symbol, those of terrain first."""
        return {**self.terrain, **self.land}

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The symbol of each kind."""
        return {kind: symbol for symbol, kind in self.kinds.items()}

    @cached_property
    def walled(self) -> str:
        """The ground of stone walls, which is land."""
        return "." + "".join(self.land)

    @cached_property
    def settled(self) -> str:
        """The ground of settlements."""
        return self.walled + "".join(self.bearing)

    @cached_property
    def single_symbols(self) -> str:
        """The hexes of one symbol."""
        return "." + "".join(self.kinds) + PLAYERS

    @cached_property
    def pairs(self) -> dict[str, tuple[str, int | Name]]:
        """The hexes of two symbols: the ground, and what stands there, as the rules name it."""
        found: dict[str, tuple[str, int | Name]] = {}
        for ground in self.settled:
            for player in PLAYERS:
                found[ground + player] = (ground, int(player))
        for ground in self.walled:
            found[ground + "#"] = (ground, Name("wall"))
        return found

    @cached_property
    def hexes(self) -> list[str]:
        """All hexes but those with a point below a settlement or a wall, whose land is unknown."""
        spellings = [*self.single_symbols, *self.pairs]
        return [hex_ for hex_ in spellings if hex_ == "." or not hex_.startswith(".")]

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
        """The symbols of hexes with something on them, for asp/kingdom_builder/picture."""
        built: list[Row] = []
        for hex_, (ground, piece) in self.pairs.items():
            built.append((ground, piece, shorten(hex_)))
        return {
            "built_symbol": built,
            "start_symbol": [(symbol, f"{symbol}+") for symbol in self.land],
        }

    def open_facts(self, hexes: Iterable[str]) -> dict[str, list[Row]]:
        """Return the facts for search/open.lp about what may stand on a hex."""
        facts: dict[str, list[Row]] = {}
        for hex_ in hexes:
            for meaning in self._meanings_of(hex_):
                rows = facts.setdefault(f"symbol_{meaning.predicate}", [])
                rows.append((hex_, *meaning.values))
        return facts

    def leave_out_alike(self, hexes: Iterable[str], asked: Set[str]) -> list[str]:
        """List hexes without those that rules cannot tell from an earlier one.

        Args:
            hexes: The hexes.
            asked: The predicates that the rules ask for.
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
        """Return whether a word is a hex."""
        if len(word) == 1:
            return word in self.single_symbols
        return word in self.pairs

    @cached_property
    def row_pattern(self) -> re.Pattern[str]:
        """A pattern of what looks like a row of hexes."""
        symbols = f"{self.single_symbols}#"
        return re.compile(rf"[ \t]*[{symbols}][ \t{symbols}]*\n?", re.IGNORECASE)

    def is_like_row(self, line: str) -> bool:
        """Return whether a line is meant as a row.

        It looks like a row, or half of its words are hexes. A line of numbers is a claim.
        """
        if self.row_pattern.fullmatch(line):
            return True
        words = line.upper().split()
        if len(words) < 2 or all(word.isdigit() for word in words):
            return False
        hexes = sum(self.has(word) for word in words)
        return 2 * hexes >= len(words)

    def find_fault(self, word: str) -> RowFault:
        """Find what is wrong with a word that is not a hex."""
        first = word[0]
        second = word[1:2]
        if first == "#":
            reason = "a stone wall is a second symbol, after the terrain, as in G#"
            return RowFault(0, f"unexpected '#': {reason}")
        # A hex with a settlement or a wall may have another of them behind it.
        length = 1 if first in PLAYERS else 2
        extra = word[length : length + 1]
        is_second_settlement = first in self.land and extra != "" and extra in PLAYERS
        if (extra == "#" or is_second_settlement) and self.has(word[:length]):
            reason = "a hex holds one settlement or one stone wall"
            return RowFault(length, f"unexpected {extra!r}: {reason}")
        pair = word[:2]
        if second == "#":
            reason = f"a stone wall stands on one of {' '.join(self.walled)}"
            return RowFault(0, f"unexpected {pair!r}: {reason}")
        if second in PLAYERS and first in self.kinds and first not in self.settled:
            reason = f"a settlement stands on one of {' '.join(self.settled)}"
            return RowFault(0, f"unexpected {pair!r}: {reason}")
        message = "a blank is missing between two hexes, as the other rows have them"
        if first in PLAYERS and second in self.land:
            message += f"; did you mean {second}{first}?"
        offset = 1
        if first != "." and self.has(pair):
            offset = 2
        return RowFault(offset, message)


def load_notation(rules: GameRules | None = None) -> Notation:
    """Load the notation of some rules, or ours."""
    return _load_notation(rules or GameRules(GAME))


@cache_by_rules
def _load_notation(rules: GameRules) -> Notation:
    answer = rules.ask(asp.NOTATION, {})
    buildable = {row.kind for row in answer.read(asp.BuildableRow)}
    bears = {row.kind for row in answer.read(asp.BearsRow)}
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
    """Leave out the point below a settlement: ``.2`` is the same hex as ``2``."""
    if len(hex_) == 2 and hex_[0] == "." and hex_[1] in PLAYERS:
        return hex_[1]
    return hex_


# A larger board is an accident, and its neighbours would fill the memory.
MAX_ROWS = 1000
# This many lines can be read within seconds: some 50,000 boards of the official size.
MAX_LINES = 1_000_000
BOARD_FILE = FileKind("a board", 64 << 20)
QUADRANTS_FILE = FileKind("a file of quadrants", 1 << 20)
_SIDE = 10  # of a quadrant
# What a line of a game may begin with, besides a player and the headings that rules add.
HEADINGS = ("board", "cards", "players", "start", "nomad")

_TOUCHING = re.compile(r"[^ \t\n]{2}")
_WORD = re.compile(r"[^ \t\n]+")
_LOOKS_LIKE = re.compile(rf"(?:[ \t]*[.A-Z{PLAYERS}]#?)+")
NO_BREAK_SPACE = "\xa0"


@dataclass(frozen=True)
class Board:
    """One board: its rows from north to south, all of one length, each a sequence of hexes.

    A hex is a text of one symbol, or of two: the terrain, then a settlement or a stone wall. A row
    of hexes of one symbol each may be a plain text; the boards that are read have such rows.

    Row 0 and column 0 are the northern and the western edge. The name is the path of its file, and
    ``#2`` for the second board in it. The notes say what is odd about the file, and what was taken;
    the labels are what its comments call the players and the board.
    """

    name: str
    rows: tuple[BoardRow, ...]
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    labels: Labels = field(default=NO_LABELS, compare=False, repr=False)
    notation: Notation = field(default_factory=load_notation, compare=False, repr=False)

    def _repr_svg_(self) -> str:
        """Return a picture for a notebook."""
        shown: str = import_module(DISPLAY).draw_plain(self)
        return shown

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
        facts: dict[str, list[Row]] = {
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
        """Return the facts of a game with a number of players; None for all who have settled.

        Raises:
            InputError: The board has settlements of further players.
        """
        facts = dict(self.facts)
        if players is None:
            return facts
        symbols = set(chain.from_iterable(self._list_hexes()))
        most = max(map(int, symbols.intersection(PLAYERS)), default=1)
        if most > players:
            message = f"it has settlements of player {most}, but --players is {players}"
            raise InputError(self.name, message)
        facts["players"] = [(players,)]
        return facts

    def fill(self, symbols: Iterable[tuple[int, int, str]]) -> Board:
        """Return the board with other hexes: each with its row, its column and its symbols."""
        rows = [list(row) for row in self.rows]
        for row, column, symbol in symbols:
            rows[row][column] = symbol
        return Board(self.name, tuple(map(_join_hexes, rows)), notation=self.notation)

    def __str__(self) -> str:
        """The board as a file shows it: every second row one blank to the right.

        As soon as one hex has two symbols, each takes up the room of two.
        """
        width = max(map(len, self._list_hexes()), default=1)
        text = ""
        for number, row in enumerate(self.rows):
            hexes = " ".join(hex_.ljust(width) for hex_ in row)
            indent = " " if number % 2 else ""
            text += f"{indent}{hexes.rstrip()}\n"
        return text

    def _list_hexes(self) -> Iterator[str]:
        return chain.from_iterable(self.rows)


def _join_hexes(hexes: Sequence[str]) -> BoardRow:
    """Return a row of a board: a text if each hex has one symbol."""
    if max(map(len, hexes)) > 1:
        return tuple(hexes)
    return "".join(hexes)


def is_like_rows(lines: Iterable[str]) -> bool:
    """Return whether all lines look like rows of hexes, with our symbols or a user's."""
    return all(map(_LOOKS_LIKE.fullmatch, lines))


def parse_board(
    text: str, rules: GameRules | None = None, *, name: str = "<text>", allows: str = ""
) -> Board:
    """Read a text that holds one board; see `kb_score.parse_board`.

    Args:
        text: The text.
        rules: The rules, which say what the symbols mean; None for ours.
        name: What errors call the text.
        allows: "hidden" for a board with hidden hexes, which are ``?``, "odd" for one with an odd
            number of rows or columns.
    """
    boards = [unwrap(board) for board in read_boards(text, rules, name=name, allows=allows)]
    if len(boards) > 1:
        raise InputError(name, f"one board is expected, but there are {len(boards)}")
    return boards[0]


def is_game(text: str) -> bool:
    """Return whether a text is a game rather than a board: it begins with a heading or a turn."""
    # A file of boards is long, and its first line tells.
    for line in StringIO(text):
        words = line.partition("%")[0].split()
        if not words:
            continue
        if words[0].lower() in HEADINGS:
            # What follows a heading is a name or a number; a program may have "board = [[".
            return len(words) == 1 or words[1][0].isalnum()
        return words[0].rstrip(".").isdigit() and ":" in line
    return False


def read_boards(
    text: str, rules: GameRules | None = None, *, name: str = "<text>", allows: str = ""
) -> Iterator[Board | KbScoreError]:
    """Read a text that holds boards, separated by empty lines: yield each, or the error in it."""
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield InputError(name, f"{lines} lines are too many for one file: {MAX_LINES} is the limit")
        return
    if is_game(text):
        check = "kb-score check kingdom-builder checks it"
        replay = "kb-score replay kingdom-builder shows it"
        yield InputError(name, f"this is a game and no board: {check}, {replay}")
        return
    try:
        tree = parse("kingdom_builder", normalise(text), name=name)
    except FormatError as error:
        yield error
        return
    notation = load_notation(rules)
    boards = _find_boards(tree, notation)
    if not boards:
        yield InputError(name, f"there is no board in it: {notation.description}")
    # Only comments have labels.
    source = normalise(text).split("\n") if "%" in text else []
    end = 0
    for number, rows in enumerate(boards, start=1):
        start = end
        end = rows[-1].line or 0
        title = name
        if len(boards) > 1:
            title = f"{name}#{number}"
        reader = _BoardReader(name, title, notation, allows)
        try:
            board = reader.read(rows)
            labels = read_labels(source[start:end], start + 1, name)
            yield replace(board, labels=labels)
        except KbScoreError as error:
            yield error


def _find_boards(tree: Tree[Any], notation: Notation) -> list[list[Token]]:
    """Find the boards of a file, each with a token a row; the first alone if none is a board."""
    boards: list[list[Token]] = []
    for child in tree.children:
        if not isinstance(child, str):
            boards.append(cast("list[Token]", child.children))
    rows = list(chain.from_iterable(boards))
    if len(boards) > 1 and len(rows) == len(boards):
        # No board has one row: these are the rows of one, with empty lines between them.
        boards = [rows]
    if not any(map(notation.is_like_row, rows)):
        # This is some other file, not a board with a mistake: its first line shows it.
        return boards[:1]
    return boards


def check_board(board: Board, rules: GameRules) -> Board:
    """Check a board that may have been made by hand, and return it with the rules' notation.

    Raises:
        InputError: Something is wrong with the board.
    """
    notation = load_notation(rules)
    board = replace(board, notation=notation)
    name = board.name
    rows = board.rows
    if not isinstance(name, str) or not isinstance(rows, tuple) or not rows:
        raise InputError("board", "a board has a name, a text, and rows, a tuple of texts")
    if not all(_is_row(notation, row) for row in rows):
        expected = f"a text without blanks, or a tuple: {notation.description}"
        raise InputError(name, f"a row of a board is {expected}")
    if len(set(map(len, rows))) > 1:
        raise InputError(name, "the rows of a board have the same number of hexes")
    height = board.height
    width = board.width
    if max(height, width) > MAX_ROWS or height % 2 or width % 2:
        expected = f"even numbers up to {MAX_ROWS} are expected"
        raise InputError(name, f"{_describe_size(height, width)}: {expected}")
    return board


def _describe_size(rows: int, hexes: int) -> str:
    rows_text = "1 row" if rows == 1 else f"{rows} rows"
    hexes_text = "1 hex" if hexes == 1 else f"{hexes} hexes"
    return f"{rows_text} of {hexes_text}"


def _is_row(notation: Notation, row: Any) -> bool:
    if isinstance(row, str):
        return bool(row) and set(row) <= set(notation.single_symbols)
    if not isinstance(row, tuple) or not row:
        return False
    return all(isinstance(hex_, str) and notation.has(hex_) for hex_ in row)


@dataclass(frozen=True)
class _BoardReader:
    """Reads one board, and collects all that is wrong with it."""

    path: str  # the file
    name: str  # what the board is called, which may be one of several in the file
    notation: Notation
    allows: str  # "hidden" hexes, "odd" sides, or neither
    mistakes: Mistakes = field(default_factory=Mistakes)

    def read(self, tokens: Sequence[Token]) -> Board:
        """Read a board, a token a row.

        Raises:
            FormatError: Reports all mistakes in the board.
            InputError: Likewise, where none of them has a place; or the board is too large.
        """
        # A small letter among large ones is a slip, and others are the board's own way.
        symbols = self.notation.single_symbols
        if all(token == token.lower() for token in tokens):
            symbols = symbols.lower()
        if self.allows == "hidden":
            symbols += HIDDEN
        wrong = re.compile(rf"[^ \t\n#{symbols}]+")
        if not any(map(self.notation.is_like_row, tokens)):
            # This is no board at all: its first mistake is enough to see that.
            for fault in self._find_wrong_symbols(wrong, tokens[0]):
                raise _error(self.path, tokens[0], fault)
        _check_size(tokens, self.name)
        rows = self._read_rows(tokens, wrong)
        self.mistakes.raise_any()
        notes = tuple(_note_indentation(tokens))
        return Board(self.name, rows, notes, notation=self.notation)

    def _read_rows(self, tokens: Sequence[Token], wrong: re.Pattern[str]) -> tuple[BoardRow, ...]:
        """Read the rows that can be read, and report the mistakes in all of them."""
        good = [token for token in tokens if not wrong.search(token)]
        is_compact = not any(map(_has_blanks, good))
        has_pairs = not is_compact and any(map(_TOUCHING.search, good))
        rows: list[BoardRow] = []
        model: Token | None = None  # the row whose length the others should have
        for token in tokens:
            faults = list(self._find_wrong_symbols(wrong, token))
            if not faults and ("#" in token or has_pairs):
                faults = list(self._find_wrong_pairs(token.upper(), is_compact=is_compact))
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
                    message = f"this row has {len(row)} hexes, the {where} has {length}"
                    faults.append(RowFault(len(token.rstrip()), message))
            for fault in faults:
                self.mistakes.add(_error(self.path, token, fault))
        if self.allows != "odd" and len(set(map(len, rows))) == 1:
            self._check_sides(len(tokens), len(rows[0]))
        return tuple(rows)

    def _check_sides(self, height: int, width: int) -> None:
        if height % 2 or width % 2:
            size = _describe_size(height, width)
            message = f"{size} cannot be halved into quadrants: both numbers must be even"
            self.mistakes.add(InputError(self.name, message))

    def _find_wrong_symbols(self, wrong: re.Pattern[str], token: Token) -> Iterator[RowFault]:
        """Yield a fault for each part of a row that is in no hex."""
        for found in wrong.finditer(token):
            symbol = found[0][0]
            yield RowFault(found.start(), self._explain(symbol, token))

    def _explain(self, symbol: str, token: Token) -> str:
        """Return the message that a symbol of a row is in no hex, and what may be meant."""
        message = f"unexpected {symbol!r}: {self.notation.description}"
        if symbol == HIDDEN:
            message += "; kb-score restore finds out what an unreadable hex may hold"
        if symbol == ",":
            message += "; put blanks in place of commas"
        if symbol == NO_BREAK_SPACE:
            message += "; this is a no-break space: put a plain blank in its place"
        if token.lstrip().startswith("#"):
            message += "; a comment begins with %"
        if symbol.upper() in self.notation.single_symbols:
            message += f"; did you mean {symbol.upper()}?"
        return message

    def _find_wrong_pairs(self, row: str, *, is_compact: bool) -> Iterator[RowFault]:
        """Yield the faults of a row in which hexes have two symbols."""
        if is_compact:
            reason = "a stone wall is a second symbol as in G#, so blanks have to divide the hexes"
            yield RowFault(row.index("#"), f"unexpected '#': {reason}")
            return
        for found in _WORD.finditer(row):
            word = found[0]
            if word == HIDDEN or self.notation.has(word):
                continue
            fault = self.notation.find_fault(word)
            yield fault._replace(offset=found.start() + fault.offset)


def _has_blanks(token: Token) -> bool:
    row = token.strip()
    return " " in row or "\t" in row


def _read_row(row: str, *, has_pairs: bool) -> BoardRow:
    hexes = row.split()
    if has_pairs:
        return _join_hexes(list(map(shorten, hexes)))
    return "".join(hexes)


def _check_size(tokens: Sequence[Token], name: str) -> None:
    # The rows of a hostile file are counted first, since taking them apart takes longer.
    hexes = max(map(_count_hexes, tokens))
    if max(len(tokens), hexes) > MAX_ROWS:
        size = _describe_size(len(tokens), hexes)
        raise InputError(name, f"{size} are too many: {MAX_ROWS} is the limit")


def _count_hexes(token: Token) -> int:
    symbols = len(token) - token.count(" ") - token.count("\t") - 1
    if symbols > MAX_ROWS and _has_blanks(token):
        # Up to two symbols of a row with blanks are one hex.
        fewest = (symbols + 1) // 2
        return max(len(token.split()), fewest)
    return symbols


def _note_indentation(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a note about the first row whose indentation does not fit its place, if any."""
    lines = [token.expandtabs().rstrip() for token in tokens]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    if not any(indents):
        return
    # The hexes of a row may stand apart by more than one blank.
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
                f"by {previous}; it is taken to lie half a hex to the {side} of that row"
            )
            return


def _error(path: str, token: Token, fault: RowFault) -> FormatError:
    """Return the error that reports a fault in the row of a token."""
    line = token.line or 1
    column = token.column or 1
    place = Place(path, line, column + fault.offset, token.rstrip("\n"))
    return FormatError(place, fault.message)


def tell_notes(board: Board, messages: Messages | None = None) -> Board:
    """Print the notes of a board, and return the board."""
    if messages is None:
        messages = Messages()
    for note in board.notes:
        messages.warn(board.name, "indentation", note)
    return board


@dataclass(frozen=True, slots=True)
class Quadrant:
    """A quadrant, as it is printed or turned; its file says what the symbols mean."""

    name: str  # what its location hexes are called, such as farm
    expansion: str  # which it comes from, or an empty text
    rows: tuple[str, ...]  # ten of ten symbols; odd rows lie half a hex to the right

    def turn(self) -> Quadrant:
        """Return the quadrant turned by 180 degrees; its even number of rows keeps its shape."""
        turned = [row[::-1] for row in reversed(self.rows)]
        return replace(self, rows=tuple(turned))


def read_quadrants(
    rules: GameRules | None = None, tiles: Collection[str] | None = None, more: Iterable[str] = ()
) -> tuple[Quadrant, ...]:
    """Read all quadrants as printed: ours, and those of a user's tables, which may replace ours.

    Args:
        rules: The rules, with a user's tables beside them.
        tiles: The tiles of the rules. The locations of a user's quadrant yield the tile of its
            name, which has to be among these; None if that does not matter.
        more: The paths of further tables.
    """
    notation = load_notation(rules)
    ours = find_folder("asp") / "kingdom_builder" / "quadrants.txt"
    found = _read_table(str(ours), notation)
    tables = rules.changes.tables if rules else ()
    for path in (*tables, *more):
        found |= _read_table(str(path), notation, tiles)
    return tuple(found.values())


def _read_table(
    path: str, notation: Notation, tiles: Collection[str] | None = None
) -> dict[str, Quadrant]:
    """Read the quadrants of a table, by name; a FormatError reports all mistakes in it."""
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
            message = f"there is a second quadrant {name}"
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
    no_ground = re.compile(rf"[^ \t\n{''.join(ground)}]+")
    expected = f"each hex is one of {' '.join(ground)}"
    for token in tokens:
        faults: list[RowFault] = []
        for wrong in no_ground.finditer(token):
            symbol = wrong[0][0]
            faults.append(RowFault(wrong.start(), f"unexpected {symbol!r}: {expected}"))
        hexes = len("".join(token.split()))
        if not faults and hexes != _SIDE:
            message = f"this row has {hexes} hexes: {_SIDE} are expected"
            faults.append(RowFault(len(token.rstrip()), message))
        for fault in faults:
            yield _error(path, token, fault)


def find_quadrants(words: Sequence[str], quadrants: Iterable[Quadrant] = ()) -> list[Quadrant]:
    """Find different quadrants, ours if none are given: ``farm``, or ``farm/180``, turned."""
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
            names = f"the quadrants are {', '.join(known)}, each perhaps with /180, if it is turned"
            raise InputError("board", f"there is no quadrant {visible(word)!r}: {hint}{names}")
        if name in found:
            raise InputError("board", f"{name} is named twice: the quadrants of a board differ")
        quadrant = known[name]
        if slash:
            quadrant = quadrant.turn()
        found[name] = quadrant
    return list(found.values())


def join_quadrants(
    northwest: Quadrant, northeast: Quadrant, southwest: Quadrant, southeast: Quadrant
) -> tuple[str, ...]:
    """Join four quadrants, each turned or not, to the rows of a board."""
    west = northwest.rows + southwest.rows
    east = northeast.rows + southeast.rows
    return tuple(left + right for left, right in zip(west, east, strict=True))
