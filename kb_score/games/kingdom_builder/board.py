"""Kingdom Builder boards: hexes, quadrants, text to boards, boards to facts and back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

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
# What stands in the row of a board: a text if each hex has one symbol.
BoardRow: TypeAlias = str | tuple[str, ...]
# A fact that a symbol stands for: its predicate, and the values before the place.
Meaning: TypeAlias = tuple[str, Row]

MAX_PLAYERS = 5
PLAYERS = "".join(map(str, range(1, MAX_PLAYERS + 1)))
# A hex that could not be read, on a board that is to be restored.
HIDDEN = "?"
BLANK = "a blank is missing between two hexes, as the other rows have them"


@dataclass(frozen=True)
class Notation:
    """What the hexes of a board's file may be: the kinds of terrain and of land, by their symbols.

    The terrains come first, land after them. Settlements may stand on land and on some terrain.
    """

    terrain: tuple[tuple[str, str], ...]
    land: tuple[tuple[str, str], ...]
    bearing: tuple[str, ...]  # the symbols of terrain with settlements

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each symbol."""
        return dict(self.terrain + self.land)

    @cached_property
    def symbols(self) -> dict[str, str]:
        """The symbol of each kind."""
        return {kind: symbol for symbol, kind in self.kinds.items()}

    @cached_property
    def walled(self) -> str:
        """The ground of stone walls, which is land."""
        return "." + "".join(symbol for symbol, _ in self.land)

    @cached_property
    def settled(self) -> str:
        """The ground of settlements."""
        return self.walled + "".join(self.bearing)

    @cached_property
    def alone(self) -> str:
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
    def meanings(self) -> dict[str, Meaning]:
        """The fact that each symbol stands for."""
        found: dict[str, Meaning] = {}
        for symbol, kind in self.terrain:
            found[symbol] = ("terrain", (Name(kind),))
        for symbol, kind in self.land:
            found[symbol] = ("land", (Name(kind),))
        for symbol in PLAYERS:
            found[symbol] = ("settlement", (int(symbol),))
        found["#"] = ("wall", ())
        return found

    @property
    def facts(self) -> Facts:
        """The symbols of hexes with something on them, for asp/kingdom_builder/picture."""
        built = [(ground, what, shorten(hex_)) for hex_, (ground, what) in self.pairs.items()]
        return {
            "built_symbol": built,
            "start_symbol": [(symbol, f"{symbol}+") for symbol in self.walled if symbol != "."],
        }

    def open_facts(self, hexes: Iterable[str]) -> dict[str, list[Row]]:
        """Return the facts for search/open.lp about what may stand on a hex."""
        facts: dict[str, list[Row]] = {}
        for hex_ in hexes:
            for predicate, values in self._meanings_of(hex_):
                facts.setdefault(f"symbol_{predicate}", []).append((hex_, *values))
        return facts

    def leave_out_alike(self, hexes: Iterable[str], asked: Set[str]) -> list[str]:
        """List the first of the hexes that mean the same to rules that ask for some predicates."""
        found: dict[frozenset[Meaning], str] = {}
        for hex_ in hexes:
            facts = frozenset(fact for fact in self._meanings_of(hex_) if fact[0] in asked)
            found.setdefault(facts, hex_)
        return list(found.values())

    def _meanings_of(self, hex_: str) -> list[Meaning]:
        return [self.meanings[symbol] for symbol in hex_ if symbol != "."]

    @property
    def words(self) -> str:
        """A sentence that says what a hex may be."""
        return f"each hex is one of {' '.join(self.alone)}, or a pair such as G2 or G#"

    def has(self, word: str) -> bool:
        """Return whether a word is a hex."""
        return word in self.pairs or (len(word) == 1 and word in self.alone)

    @cached_property
    def rows(self) -> re.Pattern[str]:
        """A pattern of what looks like a row of hexes."""
        return re.compile(rf"[ \t]*[{self.alone}#][ \t{self.alone}#]*\n?", re.IGNORECASE)

    def is_like_row(self, line: str) -> bool:
        """Return whether a line is meant as a row.

        It looks like a row, or half of its words are hexes. A line of numbers is a claim.
        """
        if self.rows.fullmatch(line):
            return True
        words = line.upper().split()
        hexes = sum(self.has(word) for word in words)
        is_claim = all(word.isdigit() for word in words)
        return len(words) > 1 and 2 * hexes >= len(words) and not is_claim

    def find_fault(self, word: str) -> tuple[int, str]:
        """Find what is wrong with a word that is no hex: at which of its symbols, and why."""
        first = word[0]
        second = word[1:2]
        land = self.walled[1:]
        if first == "#":
            return 0, "unexpected '#': a stone wall is a second symbol, after the terrain, as in G#"
        end = 1 if first in PLAYERS else 2  # of what would be a hex with something on it
        third = word[end : end + 1]
        is_second_piece = third == "#" or (first in land and third != "" and third in PLAYERS)
        if is_second_piece and self.has(word[:end]):
            return end, f"unexpected {third!r}: a hex holds one settlement or one stone wall"
        if second == "#":
            reason = f"a stone wall stands on one of {' '.join(self.walled)}"
            return 0, f"unexpected {word[:2]!r}: {reason}"
        if second in PLAYERS and first in self.kinds and first not in self.settled:
            reason = f"a settlement stands on one of {' '.join(self.settled)}"
            return 0, f"unexpected {word[:2]!r}: {reason}"
        message = BLANK
        if first in PLAYERS and second in land:
            message += f"; did you mean {second}{first}?"
        is_pair = first != "." and self.has(word[:2])
        return 2 if is_pair else 1, message


def load_notation(rules: GameRules | None = None) -> Notation:
    """Load the notation of some rules, or ours."""
    return _load_notation(rules or GameRules(GAME))


@cache_by_rules
def _load_notation(rules: GameRules) -> Notation:
    answer = rules.ask(asp.NOTATION, {})
    known = [(row.symbol, row.kind) for row in answer.read(asp.GroundSymbolRow)]
    land = {row.kind for row in answer.read(asp.BuildableRow)}
    bearing = {row.kind for row in answer.read(asp.BearsRow)} - land
    return Notation(
        terrain=tuple(pair for pair in known if pair[1] not in land),
        land=tuple(pair for pair in known if pair[1] in land),
        bearing=tuple(symbol for symbol, kind in known if kind in bearing),
    )


def shorten(hex_: str) -> str:
    """Leave out the point below a settlement: ``.2`` is the same hex as ``2``."""
    if hex_[:1] == "." and hex_[1:] in tuple(PLAYERS):
        return hex_[1:]
    return hex_


# A larger board is an accident, and its neighbours would fill the memory.
MAX_ROWS = 1000
# This many lines can be read within seconds: some 50,000 boards of the official size.
MAX_LINES = 1_000_000
BOARD_FILE = FileKind("a board", 64 << 20)
QUADRANTS_FILE = FileKind("a file of quadrants", 1 << 20)
_SIDE = 10  # of a quadrant
# What a line of a game may begin with, besides a player.
HEADINGS = ("board", "cards", "players", "start", "nomad", "capitol", "caves")

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
        facts: dict[str, list[Row]] = {"size": [(self.height, self.width)]}
        facts |= {predicate: [] for predicate in ("terrain", "land", "settlement", "wall")}
        meanings = self.notation.meanings
        for row, hexes in enumerate(self.rows):
            for column, hex_ in enumerate(hexes):
                if hex_ not in (".", HIDDEN):
                    for symbol in hex_.lstrip("."):
                        predicate, first = meanings[symbol]
                        facts[predicate].append((*first, row, column))
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
            indent = " " * (number % 2)
            text += f"{indent}{hexes.rstrip()}\n"
        return text

    def _list_hexes(self) -> Iterator[str]:
        return chain.from_iterable(self.rows)


def _join_hexes(hexes: Sequence[str]) -> BoardRow:
    """Return a row of a board: a text if each hex has one symbol."""
    has_pairs = max(map(len, hexes)) > 1
    return tuple(hexes) if has_pairs else "".join(hexes)


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
        first, *others = words
        if first.lower() in HEADINGS:
            # What follows a heading is a name or a number; a program may have "board = [[".
            return not others or others[0][0].isalnum()
        return first.rstrip(".").isdigit() and ":" in line
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
        yield InputError(name, f"there is no board in it: {notation.words}")
    # Only comments have labels.
    source = normalise(text).split("\n") if "%" in text else []
    end = 0
    for number, rows in enumerate(boards, start=1):
        start = end
        end = rows[-1].line or 0
        title = f"{name}#{number}" if len(boards) > 1 else name
        try:
            board = _BoardReader(name, title, notation, allows).read(rows)
            yield replace(board, labels=read_labels(source[start:end], start + 1, name))
        except KbScoreError as error:
            yield error


def _find_boards(tree: Tree[Any], notation: Notation) -> list[list[Token]]:
    """Find the boards of a file, each with a token a row; the first alone if none is a board."""
    children = [child for child in tree.children if not isinstance(child, str)]
    boards = [cast("list[Token]", child.children) for child in children]
    rows = list(chain.from_iterable(boards))
    if len(boards) > 1 and len(rows) == len(boards):
        # No board has one row: these are the rows of one, with empty lines between them.
        boards = [rows]
    if not any(map(notation.is_like_row, rows)):
        # This is some other file, not a board with a mistake: its first line shows it.
        return boards[:1]
    return boards


def check_board(board: Board, rules: GameRules) -> Board:
    """Check a board that may have been made by hand; an InputError says what is wrong with it."""
    notation = load_notation(rules)
    board = replace(board, notation=notation)
    name = board.name
    rows = board.rows
    if not isinstance(name, str) or not isinstance(rows, tuple) or not rows:
        raise InputError("board", "a board has a name, a text, and rows, a tuple of texts")
    if not all(_is_row(notation, row) for row in rows):
        expected = f"a text without blanks, or a tuple: {notation.words}"
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
    row_word = "row" if rows == 1 else "rows"
    hex_word = "hex" if hexes == 1 else "hexes"
    return f"{rows} {row_word} of {hexes} {hex_word}"


def _is_row(notation: Notation, row: Any) -> bool:
    if isinstance(row, str):
        return bool(row) and set(row) <= set(notation.alone)
    is_full = isinstance(row, tuple) and bool(row)
    return is_full and all(isinstance(hex_, str) and notation.has(hex_) for hex_ in row)


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
        is_small = all(token == token.lower() for token in tokens)
        symbols = self.notation.alone.lower() if is_small else self.notation.alone
        if self.allows == "hidden":
            symbols += HIDDEN
        wrong = re.compile(rf"[^ \t\n#{symbols}]+")
        if not any(map(self.notation.is_like_row, tokens)):
            # This is no board at all: its first mistake is enough to see that.
            for offset, message in self._find_wrong_symbols(wrong, tokens[0]):
                raise _error(self.path, tokens[0], offset, message)
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
        are_even = True
        for token in tokens:
            faults = list(self._find_wrong_symbols(wrong, token))
            if not faults and ("#" in token or has_pairs):
                faults = list(self._find_wrong_pairs(token.upper(), is_compact=is_compact))
            for offset, message in faults:
                self._report(token, offset, message)
            if faults:
                continue
            row = _read_row(token.upper(), has_pairs=has_pairs)
            rows.append(row)
            if model is None:
                model = token
            elif len(row) != len(rows[0]):
                are_even = False
                where = f"row in line {model.line}"
                if model is tokens[0]:
                    where = "first row of the board"
                message = f"this row has {len(row)} hexes, the {where} has {len(rows[0])}"
                self._report(token, len(token.rstrip()), message)
        if rows and are_even:
            self._check_sides(len(tokens), len(rows[0]))
        return tuple(rows)

    def _check_sides(self, height: int, width: int) -> None:
        if self.allows != "odd" and (height % 2 or width % 2):
            reason = "cannot be halved into quadrants: both numbers must be even"
            self.mistakes.add(InputError(self.name, f"{_describe_size(height, width)} {reason}"))

    def _report(self, token: Token, offset: int, message: str) -> None:
        """Report a mistake at an offset in a row."""
        if self.mistakes.is_full:
            self.mistakes.count()
        else:
            self.mistakes.add(_error(self.path, token, offset, message))

    def _find_wrong_symbols(
        self, wrong: re.Pattern[str], token: Token
    ) -> Iterator[tuple[int, str]]:
        """Yield the offset and the message of each part of a row that is in no hex."""
        for found in wrong.finditer(token):
            yield found.start(), self._explain(found[0][0], token)

    def _explain(self, symbol: str, token: Token) -> str:
        """Return the message that a symbol of a row is in no hex, and what may be meant."""
        message = f"unexpected {symbol!r}: {self.notation.words}"
        if symbol == HIDDEN:
            message += "; kb-score restore finds out what an unreadable hex may hold"
        if symbol == ",":
            message += "; put blanks in place of commas"
        if symbol == NO_BREAK_SPACE:
            message += "; this is a no-break space: put a plain blank in its place"
        if token.lstrip().startswith("#"):
            message += "; a comment begins with %"
        if symbol.upper() in self.notation.alone:
            message += f"; did you mean {symbol.upper()}?"
        return message

    def _find_wrong_pairs(self, row: str, *, is_compact: bool) -> Iterator[tuple[int, str]]:
        """Yield the offset and the message of each mistake where hexes have two symbols."""
        if is_compact:
            reason = "a stone wall is a second symbol as in G#, so blanks have to divide the hexes"
            yield row.index("#"), f"unexpected '#': {reason}"
            return
        for found in _WORD.finditer(row):
            if found[0] != HIDDEN and not self.notation.has(found[0]):
                offset, message = self.notation.find_fault(found[0])
                yield found.start() + offset, message


def _has_blanks(token: Token) -> bool:
    row = token.strip()
    return " " in row or "\t" in row


def _read_row(row: str, *, has_pairs: bool) -> BoardRow:
    if has_pairs:
        return _join_hexes(tuple(map(shorten, row.split())))
    return "".join(row.split())


def _check_size(tokens: Sequence[Token], name: str) -> None:
    # The rows of a hostile file are counted first, since taking them apart takes longer.
    hexes = max(map(_count_hexes, tokens))
    if max(len(tokens), hexes) > MAX_ROWS:
        size = _describe_size(len(tokens), hexes)
        raise InputError(name, f"{size} are too many: {MAX_ROWS} is the limit")


def _count_hexes(token: Token) -> int:
    symbols = len(token) - token.count(" ") - token.count("\t") - 1
    # Up to two symbols of a row with blanks are one hex.
    if symbols > MAX_ROWS and _has_blanks(token):
        return max(len(token.split()), -(-symbols // 2))
    return symbols


def _note_indentation(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield a note about the first row whose indentation does not fit its place, if any."""
    lines = [token.expandtabs().rstrip() for token in tokens]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    if not any(indents):
        return
    # The hexes of a row may stand apart by more than one blank.
    apart = (len(lines[0].strip()) - 1) / max(1, len(lines[0].split()) - 1)
    halves = {1, int(apart / 2), int(apart / 2 + 0.5)} - {0}
    for row in range(1, len(lines)):
        this = indents[row]
        before = indents[row - 1]
        shift = this - before
        side = "right"
        if row % 2 == 0:
            shift = -shift
            side = "left"
        if shift not in halves:
            yield (
                f"line {tokens[row].line}: this row is indented by {this}, the row before it by "
                f"{before}; it is taken to lie half a hex to the {side} of that row"
            )
            return


def _error(path: str, token: Token, offset: int, message: str) -> FormatError:
    place = Place(path, token.line or 1, (token.column or 1) + offset, token.rstrip("\n"))
    return FormatError(place, message)


def tell_notes(board: Board, messages: Messages | None = None) -> Board:
    """Print the notes of a board, and return the board."""
    for note in board.notes:
        (messages or Messages()).warn(board.name, "indentation", note)
    return board


@dataclass(frozen=True, slots=True)
class Quadrant:
    """A quadrant, as it is printed or turned; its file says what the symbols mean."""

    name: str  # what its location hexes are called, such as farm
    expansion: str  # which it comes from, or an empty text
    rows: tuple[str, ...]  # ten of ten symbols; odd rows lie half a hex to the right

    def turn(self) -> Quadrant:
        """Return the quadrant turned by 180 degrees; its even number of rows keeps its shape."""
        return replace(self, rows=tuple(row[::-1] for row in reversed(self.rows)))


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
    tree = parse("quadrants", normalise(read_input(path, QUADRANTS_FILE)), name=path)
    ground = [symbol for symbol, _ in (*notation.land, *notation.terrain)]
    town = notation.symbols["town"]
    mistakes = Mistakes()
    found: dict[str, Quadrant] = {}
    for quadrant in tree.children:
        heading, *tokens = quadrant.scan_values(lambda value: isinstance(value, str))
        _, name, after, *_ = heading.split()
        rows = tuple("".join(token.split()) for token in tokens)
        wrong_rows = list(_check_table_rows(path, tokens, ground))
        for mistake in wrong_rows:
            mistakes.add(mistake)
        fault = ""
        if name in found:
            fault = f"there is a second quadrant {name}"
        elif len(rows) != _SIDE and not wrong_rows:
            fault = f"{name} has {len(rows)} rows: {_SIDE} are expected"
        elif tiles is not None and town in "".join(rows) and name.replace("-", "_") not in tiles:
            fault = f"a location of {name} yields a tile {name}, but the rules have no such tile"
        if fault:
            mistakes.add(_error(path, heading, heading.index(name), fault))
        expansion = after[1:] if after.startswith("(") else ""
        found[name] = Quadrant(name, expansion, rows)
    mistakes.raise_any()
    return found


def _check_table_rows(
    path: str, tokens: Iterable[Token], ground: Sequence[str]
) -> Iterator[FormatError]:
    """Yield the mistakes in the rows of a quadrant."""
    no_ground = re.compile(rf"[^ \t\n{''.join(ground)}]+")
    for token in tokens:
        wrong = list(no_ground.finditer(token))
        for symbols in wrong:
            message = f"unexpected {symbols[0][0]!r}: each hex is one of {' '.join(ground)}"
            yield _error(path, token, symbols.start(), message)
        hexes = len("".join(token.split()))
        if not wrong and hexes != _SIDE:
            message = f"this row has {hexes} hexes: {_SIDE} are expected"
            yield _error(path, token, len(token.rstrip()), message)


def find_quadrants(words: Sequence[str], quadrants: Iterable[Quadrant] = ()) -> list[Quadrant]:
    """Find different quadrants, ours if none are given: ``farm``, or ``farm/180``, turned."""
    known = {quadrant.name: quadrant for quadrant in quadrants or read_quadrants()}
    found: dict[str, Quadrant] = {}
    for word in words:
        name, slash, turned = word.lower().partition("/")
        if name not in known or (slash and turned != "180"):
            hint = ""
            if name not in known:
                hint = guess(name, known, "")
            if hint:
                hint += " "
            names = f"the quadrants are {', '.join(known)}, each perhaps with /180, if it is turned"
            raise InputError("board", f"there is no quadrant {visible(word)!r}: {hint}{names}")
        if name in found:
            raise InputError("board", f"{name} is named twice: the quadrants of a board differ")
        found[name] = known[name].turn() if slash else known[name]
    return list(found.values())


def join_quadrants(
    northwest: Quadrant, northeast: Quadrant, southwest: Quadrant, southeast: Quadrant
) -> tuple[str, ...]:
    """Join four quadrants, each turned or not, to the rows of a board."""
    rows: list[str] = []
    for left, right in ((northwest, northeast), (southwest, southeast)):
        rows += [west + east for west, east in zip(left.rows, right.rows, strict=True)]
    return tuple(rows)
