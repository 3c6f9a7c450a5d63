"""Kingdom Builder boards: text to boards, boards to facts and back to text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lark import Token, Tree

from kb_score.engine.terms import Facts, Name, Row
from kb_score.errors import FileKind, FormatError, InputError, KbScoreError, Place
from kb_score.grammar import parse
from kb_score.shell.files import normalise

# A larger board is an accident, and its neighbours would fill the memory.
MAX_ROWS = 1000
# This many lines can be read within seconds: some 50,000 boards of the official size.
MAX_LINES = 1_000_000
BOARD_FILE = FileKind("a board", 64 << 20)

_TERRAIN = {"W": Name("water"), "M": Name("mountain"), "T": Name("town"), "C": Name("castle")}
_PLAYERS = {"1": 1, "2": 2, "3": 3, "4": 4}
_WRONG = re.compile(r"[^ \t\n.WMTC1-4]")
_TOUCHING = re.compile(r"[^ \t\n]{2}")
_ROW = re.compile(r"[.WMTC1-4]+")
_WORDS = "each hex is one of . W M T C 1 2 3 4"


@dataclass(frozen=True)
class Board:
    """One board: a string of hex symbols for each row, from north to south, all of one length.

    Row 0 and column 0 are the northern and the western edge. The name is the path of its file, and
    ``#2`` for the second board in it. The notes say what is odd about the file, and what was taken.
    """

    name: str
    rows: tuple[str, ...]
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

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
        """The facts of the board: size/2, terrain/3 and settlement/3."""
        terrain, settlement = [], []
        for row, symbols in enumerate(self.rows):
            for column, symbol in enumerate(symbols):
                if symbol in _TERRAIN:
                    terrain.append((_TERRAIN[symbol], row, column))
                elif symbol in _PLAYERS:
                    settlement.append((_PLAYERS[symbol], row, column))
        size = [(self.height, self.width)]
        return {"size": size, "terrain": terrain, "settlement": settlement}

    def facts_for(self, players: int | None) -> dict[str, Sequence[Row]]:
        """Make the facts of a game with a number of players, or with everybody who has settled."""
        facts = dict(self.facts)
        if players is None:
            return facts
        most = max((_PLAYERS.get(symbol, 1) for row in self.rows for symbol in row), default=1)
        if most > players:
            message = f"it has settlements of player {most}, but --players is {players}"
            raise InputError(self.name, message)
        facts["players"] = [(players,)]
        return facts

    def _repr_svg_(self) -> str:
        """Show the board in a notebook, as our rules draw it."""
        from kb_score.engine.run import GameRules
        from kb_score.games.kingdom_builder.cards import GAME, load_rules
        from kb_score.games.kingdom_builder.evidence import write_picture

        return write_picture(self, load_rules(GameRules(GAME)))

    def __str__(self) -> str:
        """The board as a file shows it: every second row one blank to the right."""
        lines = (" " * (r % 2) + " ".join(symbols) for r, symbols in enumerate(self.rows))
        return "\n".join(lines) + "\n"


def list_symbols() -> dict[str, tuple[str, str] | None]:
    """List the symbols of a board's file, each with its fact's predicate and first argument."""
    terrain = {symbol: ("terrain", str(kind)) for symbol, kind in _TERRAIN.items()}
    players = {symbol: ("settlement", str(player)) for symbol, player in _PLAYERS.items()}
    return {".": None, **terrain, **players}


def parse_board(text: str, *, name: str = "<text>") -> Board:
    """Read a text that holds one board; see `kb_score.parse_board`."""
    boards: list[Board] = []
    for board in read_boards(text, name=name):
        if isinstance(board, KbScoreError):
            raise board
        boards.append(board)
    if len(boards) > 1:
        raise InputError(name, f"one board is expected, but there are {len(boards)}")
    return boards[0]


def read_boards(text: str, *, name: str = "<text>") -> Iterator[Board | KbScoreError]:
    """Read a text that holds boards, separated by empty lines; see `parse_board`.

    Yields each board, or the error in it; one bad board does not affect the others.
    """
    if (lines := text.count("\n")) > MAX_LINES:
        yield InputError(name, f"{lines} lines are too many for one file: {MAX_LINES} is the limit")
        return
    try:
        found = parse("kingdom_builder", normalise(text), name=name)
    except FormatError as error:
        yield error
        return
    trees = [tree for tree in found.children if isinstance(tree, Tree)]
    if not trees:
        yield InputError(name, f"there is no board in it: {_WORDS}")
    tokens = found.scan_values(lambda value: isinstance(value, Token))
    if not any(token.type == "ROW" for token in tokens):
        # This is some other file, not a board with a mistake: its first line shows it.
        trees = trees[:1]
    for number, tree in enumerate(trees, start=1):
        try:
            yield _build_board(tree, name, f"{name}#{number}" if len(trees) > 1 else name)
        except KbScoreError as error:
            yield error


def check_board(board: Board) -> None:
    """Check a board that no text was read for; an InputError says what is wrong with it."""
    name, rows = board.name, board.rows
    if not isinstance(name, str) or not isinstance(rows, tuple) or not rows:
        raise InputError("board", "a board has a name, a text, and rows, a tuple of texts")
    if not all(isinstance(row, str) and _ROW.fullmatch(row) for row in rows):
        raise InputError(name, f"a row of a board is a text without blanks: {_WORDS}")
    if len(set(map(len, rows))) > 1:
        raise InputError(name, "the rows of a board have the same number of hexes")
    if max(len(rows), len(rows[0])) > MAX_ROWS or len(rows) % 2 or len(rows[0]) % 2:
        expected = f"even numbers up to {MAX_ROWS} are expected"
        raise InputError(name, f"{len(rows)} rows of {len(rows[0])} hexes: {expected}")


def _build_board(tree: Tree[Any], path: str, name: str) -> Board:
    tokens = [token for token in tree.children if isinstance(token, Token)]
    for token in tokens:
        if wrong := _WRONG.search(token):
            raise _error(path, token, wrong.start(), f"unexpected {wrong[0]!r}: {_WORDS}")
    _check_size(tokens, name)
    compact = not any(" " in token.strip() or "\t" in token.strip() for token in tokens)
    for token in tokens:
        if not compact and (touching := _TOUCHING.search(token)):
            message = "a blank is missing between two hexes, as the other rows have them"
            raise _error(path, token, touching.start() + 1, message)
    rows = tuple("".join(token.split()) for token in tokens)
    _check_shape(rows, tokens, path, name)
    return Board(name, rows, tuple(_note_indentation(tokens)))


def _check_size(tokens: list[Token], name: str) -> None:
    # The rows of a hostile file are counted first, since taking them apart takes longer.
    hexes = max(len(token) - token.count(" ") - token.count("\t") - 1 for token in tokens)
    if max(len(tokens), hexes) > MAX_ROWS:
        size = f"{len(tokens)} rows of {hexes} hexes"
        raise InputError(name, f"{size} are too many: {MAX_ROWS} is the limit")


def _check_shape(rows: tuple[str, ...], tokens: list[Token], path: str, name: str) -> None:
    width = len(rows[0])
    for row, token in zip(rows, tokens, strict=True):
        if len(row) != width:
            end = len(token.rstrip())
            message = f"this row has {len(row)} hexes, the first row of the board has {width}"
            raise _error(path, token, end, message)
    if len(rows) % 2 or width % 2:
        size = f"{len(rows)} rows of {width} hexes"
        reason = "cannot be halved into quadrants: both numbers must be even"
        raise InputError(name, f"{size} {reason}")


def _note_indentation(tokens: list[Token]) -> Iterator[str]:
    """Note the first row that is not indented as it is taken to lie, if any is indented at all."""
    lines = [token.expandtabs().rstrip() for token in tokens]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    if not any(indents):
        return
    # The hexes of a row may stand apart by more than one blank.
    apart = (len(lines[0].strip()) - 1) / max(1, len(lines[0].split()) - 1)
    halves = {1, int(apart / 2), int(apart / 2 + 0.5)} - {0}
    for row in range(1, len(lines)):
        this, before = indents[row], indents[row - 1]
        shift, side = (this - before, "right") if row % 2 else (before - this, "left")
        if shift not in halves:
            yield (
                f"line {tokens[row].line}: this row is indented by {this}, the row before it by "
                f"{before}; it is taken to lie half a hex to the {side} of that row"
            )
            return


def _error(path: str, token: Token, offset: int, message: str) -> FormatError:
    place = Place(path, token.line or 1, (token.column or 1) + offset, token.rstrip("\n"))
    return FormatError(place, message)
