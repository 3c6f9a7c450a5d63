"""Records: plans, streams and sessions, told apart by their grammar, to facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lark import Token, Tree

from kb_score.errors import FormatError
from kb_score.games.search_party.boards import blank_board, find_changes
from kb_score.games.search_party.maps import Map
from kb_score.given import Numbered
from kb_score.grammar import parse, place_at, read_number
from kb_score.terms import Facts, Row

GRAMMAR = "search_party"


@dataclass(frozen=True, slots=True)
class Record:
    """A record as facts for ``asp/search_party``.

    Attributes:
        kind: ``plan``, ``stream`` or ``session``.
        turns: How many turns it tells of.
        claimed: Its result, if it has one: turns, costars and extras.
        facts: The facts that have no turn.
        turn_facts: The facts of each turn and of each block.
    """

    kind: str
    turns: int
    claimed: tuple[int, int, int] | None
    facts: Facts
    turn_facts: Numbered


def read_record(text: str, name: str, map_: Map) -> Record:
    """Read a record of any kind.

    Args:
        text: The whole file.
        name: What errors call it, usually its path.
        map_: The map that the game was played on.

    Returns:
        The record as facts. Nothing of what it says is judged.

    Raises:
        FormatError: The text is none of the three kinds, or a board has not the map's size.
    """
    (record,) = parse(GRAMMAR, text, name=name).children
    assert isinstance(record, Tree)
    return _Reader(text, name, map_).read(record)


def read_moves(line: str) -> tuple[list[Row], list[Row]]:
    """Read a line of moves that the grammar accepts.

    Returns:
        Person and direction of each move, and whoever is named again after that.
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


class _Reader:
    """Collects the facts of one record."""

    def __init__(self, text: str, name: str, map_: Map) -> None:
        self.text, self.name, self.map = text, name, map_
        self.moves: list[Sequence[Row]] = [()]
        self.repeated: list[Sequence[Row]] = [()]
        self.numbers: list[Row] = []
        self.printed: list[Sequence[Row]] = [()]
        self.printed_again: list[Sequence[Row]] = [()]
        self.shown: list[Sequence[Row]] = [()]
        self.repainted: list[Row] = []
        self.facts: dict[str, list[Row]] = {}
        self.board = blank_board(map_)
        # Groups go together, so most places are read more than once.
        self.places: dict[str, int] = {}

    def read(self, record: Tree[Any]) -> Record:
        for part in record.children:
            if isinstance(part, Token):
                moves, repeated = read_moves(part)
                self.moves.append(moves)
                self.repeated.append(repeated)
            elif part.data == "block":
                self._read_block(*part.children)
            else:
                self._read_end(part)
        if record.data == "stream":
            turns = len(self.numbers) - ("finished_in" not in self.facts)
        else:
            turns = len(self.moves) - 1
        claimed = self.facts.get("claimed", [None])[0]
        return Record(
            kind=record.data,
            turns=turns,
            claimed=claimed,  # type: ignore[arg-type]
            facts={
                "turns": [(turns,)],
                "block": self.numbers,
                "repainted": self.repainted,
                **self.facts,
            },
            turn_facts={
                "move": self.moves,
                "repeated": self.repeated,
                "printed": self.printed,
                "printed_again": self.printed_again,
                "shown": self.shown,
            },
        )

    def _read_block(self, turn: Token, people: Token, board: Token) -> None:
        number = len(self.numbers) + 1
        self.numbers.append((number, self._number(turn.split()[1], turn)))
        self._read_people(people)
        self._read_board(board, number)

    def _read_people(self, people: Token) -> None:
        cells: dict[str, Row] = {}
        again: list[Row] = []
        for word in people.rstrip(". \t").split():
            person, _, place = word.partition(":")
            if person in cells:
                again.append((person,))
            else:
                cells[person] = (person, self._read_place(place, people))
        self.printed.append(list(cells.values()))
        self.printed_again.append(again)

    def _read_place(self, place: str, people: Token) -> int:
        cell = self.places.get(place)
        if cell is None:
            x, _, y = place.partition(",")
            cell = self.map.cell(self._number(x, people), self._number(y, people))
            self.places[place] = cell
        return cell

    def _read_board(self, board: Token, number: int) -> None:
        after = str(board)
        self._check_size(board)
        shown: list[Row] = []
        for change in find_changes(self.board, after):
            first = self.map.cell(change.x, change.y)
            if change.only_finds():
                shown.append((first, first + len(change.after) - 1))
                continue
            for i, (old, new) in enumerate(zip(change.before, change.after, strict=True)):
                if (old, new) == (".", "o"):
                    shown.append((first + i, first + i))
                elif old != new:
                    self.repainted.append((first + i, number, new))
        self.shown.append(shown)
        self.board = after

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
                self.facts["finished_in"] = [(self._number(part.split()[2], part),)]
            else:
                numbers = tuple(self._number(word, part) for word in part.split())
                self.facts["claimed"] = [numbers]

    def _number(self, word: str, token: Token) -> int:
        return read_number(word, token, self.text, self.name)
