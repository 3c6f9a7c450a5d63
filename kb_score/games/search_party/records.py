"""Records: plans, streams and sessions, told apart by their grammar, to facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lark import Token, Tree

from kb_score.engine.terms import Facts, Name, Numbered, Row
from kb_score.errors import FileKind, FormatError
from kb_score.games.search_party.maps import MAP_FILE, read_map
from kb_score.grammar import parse, place_at, read_number

if TYPE_CHECKING:
    from kb_score.games.search_party.maps import Map

FACTS_OF = MAP_FILE
# A stream of 4,000 turns on the largest map.
RECORD_FILE = FileKind("a record", 256 << 20)

_HEADER = re.compile(r"\s*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*\n[.#S\s]")
_CHANGED = re.compile(rb"[^\0]+")


def recognises(text: str) -> bool:
    """Say whether a text looks like a map; a record says nothing without its map."""
    return _HEADER.match(text) is not None


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map.

    Raises:
        FormatError: The text is no map.
    """
    return read_map(text, name).facts()


@dataclass(frozen=True, slots=True)
class Record:
    """A record as facts for ``asp/search_party``.

    Attributes:
        name: What errors and verdicts call it, usually its path.
        kind: ``plan``, ``stream`` or ``session``.
        claimed: The result that it claims, with the keys of the JSON, or None.
        facts: The facts that have no turn.
        turns: The facts of each turn and of each printed state.
    """

    name: str
    kind: str
    claimed: dict[str, int] | None
    facts: Facts
    turns: Numbered


def read_record(text: str, name: str, map_: Map) -> Record:
    """Read a record of any kind.

    Args:
        text: The whole file.
        name: What errors call it, usually its path.
        map_: The map that the game was played on.

    Returns:
        The record as facts. Nothing of what it says is judged.

    Raises:
        FormatError: The text is no record of any kind, or a board has not the map's size.
    """
    (record,) = parse("search_party", text, name=name).children
    assert isinstance(record, Tree)
    return _Reader(text, name, map_).read(record)


def tidy_answer(line: str) -> str:
    """Write the line that a bot answers as a record has it.

    The challenge's controller takes away blanks and full stops around the line, however many there
    are, so the full stop may lack.
    """
    words = line.strip().strip(".").split()
    return " ".join(words) + "." if line.strip() else line


def read_answer(line: str, name: str = "the answer") -> tuple[list[Row], list[Row]]:
    """Read the line that a bot answers, or what errors call so; returns what `read_moves` does.

    Raises:
        FormatError: It is no line of moves.
    """
    (moves,) = parse("search_party", f"{tidy_answer(line)}\n", name=name, start="answer").children
    assert isinstance(moves, Token)
    return read_moves(moves)


def read_moves(line: str) -> tuple[list[Row], list[Row]]:
    """Read a line of moves that the grammar accepts.

    Returns:
        Person and direction of each move, and the people who are named again after that.
    """
    words = line.replace(".", " ").split()
    if len({word[0] for word in words}) == len(words):
        return [_read_move(word) for word in words], []
    moves: dict[str, Row] = {}
    repeated: list[Row] = []
    for word in words:
        if word[0] in moves:
            repeated.append((word[0],))
        else:
            moves[word[0]] = _read_move(word)
    return list(moves.values()), repeated


@lru_cache(maxsize=1 << 10)
def _read_move(word: str) -> Row:
    person, direction = word[0], word[1]
    # Only the digits of ASCII are numbers; all else is no direction.
    return person, int(direction) if direction in "0123456789" else direction


def _find_changes(before: str, after: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield where two boards of one size differ.

    Yields:
        For cells side by side: x and y of the first, how they were printed, how they are printed.
    """
    if before == after:
        return
    for y, (old, new) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True)):
        if old != new:
            # As numbers of many digits, for rows differ where their exclusive or is not 0.
            left, right = old.encode(), new.encode()
            changed = int.from_bytes(left, "big") ^ int.from_bytes(right, "big")
            for found in _CHANGED.finditer(changed.to_bytes(len(left), "big")):
                begin, end = found.span()
                yield begin, y, old[begin:end], new[begin:end]


class _Reader:
    """Collects the facts of one record."""

    def __init__(self, text: str, name: str, map_: Map) -> None:
        self.text, self.name, self.map = text, name, map_
        self.facts: dict[str, list[Row]] = {}
        self.claimed: dict[str, int] | None = None
        # Moves begin with turn 1, printed states with state 0.
        self.moves: list[Sequence[Row]] = [()]
        self.repeated: list[Sequence[Row]] = [()]
        # How many turns come before the ending, where there is one.
        self.ended: int | None = None
        # The number that each block bears, and its state.
        self.numbers: list[Row] = []
        self.people: list[Sequence[Row]] = []
        self.again: list[Sequence[Row]] = []
        self.searched: list[Sequence[Row]] = []
        self.symbols: list[Sequence[Row]] = []
        self.board = map_.blank_board()
        # Groups go together, so most places are read more than once.
        self.places: dict[str, int] = {}

    def read(self, record: Tree[Any]) -> Record:
        for part in record.children:
            if isinstance(part, Token):
                moves, repeated = read_moves(part)
                self.moves.append(moves)
                self.repeated.append(repeated)
            elif part.data == "block":
                if self.ended is not None:
                    self.facts["belated"] = [()]
                self._read_block(*part.children)
            else:
                is_stream = record.data == "stream"
                self.ended = len(self.numbers) if is_stream else len(self.moves) - 1
                self._read_end(part)
        turns = self.ended
        if turns is None:
            turns = (len(self.numbers) if record.data == "stream" else len(self.moves)) - 1
        by_turn = {
            "move": self.moves,
            "repeated": self.repeated,
            "claimed_at": self.people,
            "claimed_again": self.again,
            "claimed_searched": self.searched,
            "claimed_symbol": self.symbols,
        }
        self.facts["turns"], self.facts["claimed_number"] = [(turns,)], self.numbers
        return Record(self.name, record.data, self.claimed, self.facts, by_turn)

    def _read_block(self, turn: Token, people: Token, board: Token) -> None:
        self.numbers.append((self._number(turn.split()[1], turn), len(self.numbers)))
        self._read_people(people)
        self._check_size(board)
        self._read_board(str(board))

    def _read_people(self, people: Token) -> None:
        cells: dict[str, Row] = {}
        again: list[Row] = []
        for word in people.rstrip(". \t").split():
            person, _, place = word.partition(":")
            if person in cells:
                again.append((person,))
            else:
                cells[person] = (person, self._read_place(place, people))
        self.people.append(list(cells.values()))
        self.again.append(again)

    def _read_place(self, place: str, people: Token) -> int:
        cell = self.places.get(place)
        if cell is None:
            x, _, y = place.partition(",")
            cell = self.map.cell(self._number(x, people), self._number(y, people))
            self.places[place] = cell
        return cell

    def _read_board(self, board: str) -> None:
        searched: list[Row] = []
        symbols: list[Row] = []
        for x, y, before, after in _find_changes(self.board, board):
            first, number = self.map.cell(x, y), len(after)
            if before == "." * number and after == "o" * number:
                searched.append((first, first + number - 1))
                continue
            for cell, (old, new) in enumerate(zip(before, after, strict=True), first):
                if (old, new) == (".", "o"):
                    searched.append((cell, cell))
                else:
                    symbols.append((cell, new))
        self.searched.append(searched)
        self.symbols.append(symbols)
        self.board = board

    def _check_size(self, board: Token) -> None:
        width, height = self.map.width, self.map.height
        ends = board[width :: width + 1]
        whole = len(board) == height * (width + 1) - 1 and ends == "\n" * (height - 1)
        if whole and board.count("\n") == height - 1:
            return
        rows = board.split("\n")
        line = (board.line or 1) + next(
            (i for i, row in enumerate(rows) if len(row) != width or i == height), len(rows) - 1
        )
        place = place_at(self.text, line, 1, self.name)
        raise FormatError(place, f"the board is not {width} columns wide and {height} rows high")

    def _read_end(self, end: Tree[Any]) -> None:
        for part in end.children:
            if isinstance(part, Tree):
                self._read_end(part)
            elif part.type == "FINISHED":
                self.facts["claimed_turns"] = [(self._number(part.split()[2], part),)]
            else:
                numbers = (self._number(word, part) for word in part.split())
                keys = ("turns", "costars", "extras")
                self.claimed = dict(zip(keys, numbers, strict=True))
                claims = self.claimed.items()
                self.facts["claimed_result"] = [(Name(key), number) for key, number in claims]

    def _number(self, word: str, token: Token) -> int:
        return read_number(word, token, self.text, self.name)
