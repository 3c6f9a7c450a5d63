"""Records as turns or boards, and these as facts; ``asp/slime/`` describes each fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, pairwise
from operator import ne
from typing import Any

from kb_score.engine.terms import Facts, Name, Row, join_turns
from kb_score.errors import FileKind, FormatError, Mistakes, Place
from kb_score.games.rulings import read_below_rulings, strip_rulings
from kb_score.games.slime.rules import Square
from kb_score.grammar import parse, place_at, read_number

# Large enough for a game of 2,000 turns on the largest board.
RECORD_FILE = FACTS_OF = FileKind("a record", 128 << 20)

# Larger numbers of squares are refused: clingo's numbers end soon after.
MAX_SQUARES = 10**9

# Rows and columns of a board. The smallest has a corner for each player; clingo needs some 6 KB
# for each square of the largest.
MIN_SIZE = 2
MAX_SIZE = 256

# The symbol of each owner, by number; 0 is nobody.
SYMBOLS = ".1234"

_GIVEN = re.compile(r"[1-4](,[1-4.]{2,})+")
_SCORES = re.compile(r"[0-9]+(,[0-9]+){3}\n")
# The beginning of a session.
_START = re.compile(r"\s*[1-4],")
# A line given, or scores, of which only the beginning is left, so that they cannot be read.
_CUT = re.compile(r"[1-4],?|[0-9]+(?:[ \t,]+[0-9]+){0,2}[ \t,]*")
_NO_SQUARES = re.compile(r"[^1-4.\s]+")
_ROW = re.compile(r"[1-4.]{2,}")

# From row, from column, to row, to column.
Answer = tuple[int, int, int, int]

_ANSWER = re.compile(r"\s*" + r"\s+".join([r"([+-]?[0-9]+)"] * 4) + r"\s*", re.ASCII)
_MAX_DIGITS = 12  # Python refuses to read numbers of thousands of digits
_FAR = 10**9


@dataclass(frozen=True, slots=True)
class Session:
    """A game as its bots saw it: the line that a bot was given in each turn, and its answer."""

    # Rows and columns of the board. A record without turns does not tell them. It is taken to be
    # of the smallest board, which is full at the start, or of the next one if it is cut off.
    size: int
    # The player of each turn, a digit.
    players: tuple[str, ...]
    # The board printed in each turn, its rows joined by commas.
    boards: tuple[str, ...]
    # The answer of each turn. The last turn has none if the record is cut off before it.
    answers: tuple[str, ...]
    # The final squares of players 1 to 4; None if the record does not end with them.
    claimed: tuple[int, ...] | None
    is_cut: bool = False  # whether the last line has no line end, so that it may lack digits
    turns_before: int = 0  # turns played before the session starts


@dataclass(frozen=True, slots=True)
class Frames:
    """The boards of a game, without the moves between them."""

    size: int  # rows and columns of the board
    boards: tuple[str, ...]  # in order, the rows of each joined by commas


def recognises(text: str) -> bool:
    """Return whether a text looks like a session or like frames."""
    stripped = map(str.strip, strip_rulings(text).splitlines())
    lines = list(filter(None, stripped))
    if not lines:
        return False
    if _GIVEN.fullmatch(lines[0]):
        # The other lines may be anything, because a bot may answer anything.
        return True
    return all(map(_ROW.fullmatch, lines))


def read_record(text: str, name: str = "<text>") -> Session | Frames:
    """Return the session or the frames of a record.

    The rulings at the top of the record are skipped; `apply_rulings` reads them.

    Args:
        text: The record.
        name: How errors call it.

    Raises:
        FormatError: The text is neither, or some boards are not square or differ in size. It
            reports all mistakes.
    """
    return read_below_rulings(lambda rest: _read_record(rest, name), text)


def _read_record(text: str, name: str) -> Session | Frames:
    mistakes = Mistakes()
    whole = _remove_cut_end(text)
    if _is_like_frames(whole):
        whole = _mend_squares(whole, name, mistakes)
    tree: Any = parse("slime", whole, name=name).children[0]
    tokens = tree.children
    if tree.data == "session":
        return _read_session(tokens, text, name)
    boards = tuple(token[:-1].replace("\n", ",") for token in tokens)
    lines = [token.line or 1 for token in tokens]
    size = _check_boards(boards, lines, text, name, mistakes)
    return Frames(size, boards)


def _is_like_frames(text: str) -> bool:
    """Return whether a text is meant as frames: most symbols of its first line are squares."""
    first = text.lstrip().partition("\n")[0].rstrip()
    if "," in first or " " in first:
        return False
    squares = sum(first.count(symbol) for symbol in SYMBOLS)
    return 2 * squares > len(first)


def _mend_squares(text: str, name: str, mistakes: Mistakes) -> str:
    """Return frames with empty squares in place of wrong symbols; add these to the mistakes."""
    for found in _NO_SQUARES.finditer(text):
        if mistakes.is_full:
            mistakes.count()
            continue
        start = found.start()
        line = text.count("\n", 0, start) + 1
        column = start - text.rfind("\n", 0, start)
        place = place_at(text, line, column, name)
        symbol = found[0][0]
        message = f"unexpected {symbol!r}: each square is one of 1 2 3 4 ."
        mistakes.add(FormatError(place, message))
    if not mistakes:
        return text
    return _NO_SQUARES.sub(lambda found: "." * len(found[0]), text)


def _remove_cut_end(text: str) -> str:
    """Return a record without an unfinished last line of which too little is left.

    If the record is one line given, only a comma at its end is removed.
    """
    body = text.lstrip()
    if _GIVEN.fullmatch(body[:-1]):
        return text.removesuffix(",")
    if not _START.match(body):
        return text
    before, _, last = body.rpartition("\n")
    # Every other line of a session is an answer, which may be anything. A first line stays, too.
    is_kept = before.count("\n") % 2 == 0
    if not is_kept and _CUT.fullmatch(last):
        return text[: -len(last)]
    return text


def _read_session(tokens: Sequence[Any], text: str, name: str) -> Session:
    """Return the session that the grammar's tokens make up.

    Args:
        tokens: Tokens of the types that ``parsers/slime.lark`` describes.
        text: The record.
        name: How errors call it.
    """
    by_type = {token.type: token for token in tokens}
    turns = by_type.get("TURNS")
    given = by_type.get("GIVEN")
    scores = by_type.get("SCORES")
    part = by_type.get("PART")
    lines: list[str] = []  # lines given and answers by turns
    places: list[int] = []  # the number of each line given, from 1
    if turns:
        lines = turns[:-1].split("\n")
        places = list(range(turns.line, turns.line + len(lines), 2))
    if part:
        if _is_begun(part[:-1], lines[0]):
            # A line given that is shorter than the first one is cut off, and left out.
            if len(part) > len(lines[0]):
                given = part
        elif _SCORES.fullmatch(part):
            scores = part
        else:
            given = part
    if given and not turns and not text.endswith("\n"):
        rows = given[2:-1].split(",")
        if _is_part(rows):
            return Session(size=MIN_SIZE + 1, players=(), boards=(), answers=(), claimed=None)
    if given:
        lines.append(given[:-1])
        places.append(given.line)

    given_lines = lines[::2]
    boards = tuple(line[2:] for line in given_lines)
    claimed = _read_scores(scores, text, name) if scores else None
    size = MIN_SIZE
    if boards:
        size = _check_boards(boards, places, text, name, Mistakes())
    return Session(
        size=size,
        players=tuple(line[0] for line in given_lines),
        boards=boards,
        answers=tuple(lines[1::2]),
        claimed=claimed,
        is_cut=not text.endswith("\n"),
    )


def _read_scores(scores: Any, text: str, name: str) -> tuple[int, ...]:
    """Return the numbers of a token; a FormatError if one is too large."""
    words = re.split(r"[\s,]+", scores.strip())
    return tuple(read_number(word, scores, text, name, largest=MAX_SQUARES) for word in words)


def _is_part(rows: Sequence[str]) -> bool:
    """Return whether rows are the beginning of a board that is cut off."""
    *whole, last = map(len, rows)
    width = whole[0] if whole else MAX_SIZE
    if any(length != width for length in whole):
        return False
    if len(rows) == width:
        return last < width
    return len(rows) < width


def _is_begun(line: str, given: str) -> bool:
    """Return whether a line may be a line given, or its beginning, judged by its commas.

    Args:
        line: The line.
        given: A line given in the same session.
    """
    if len(line) > len(given):
        return False
    for symbol, symbol_given in zip(line, given, strict=False):
        if (symbol == ",") != (symbol_given == ","):
            return False
    return True


def _check_boards(
    boards: Sequence[str], lines: Sequence[int], text: str, name: str, mistakes: Mistakes
) -> int:
    """Check that all boards are square and as large as the first.

    Args:
        boards: The boards, the rows of each joined by commas.
        lines: The line, from 1, in which each begins.
        text: The record.
        name: How errors call it.
        mistakes: The mistakes found before; those of the boards are added.

    Returns:
        The number of rows.

    Raises:
        FormatError: Some boards are not, or there were mistakes before. It reports all mistakes.
    """
    size = boards[0].count(",") + 1
    is_first_square = _is_square(boards[0], size)
    for number, (board, line) in enumerate(zip(boards, lines, strict=True)):
        expected = size
        if number > 0 and not is_first_square:
            # The first board is no measure, so that each board is judged by its own rows.
            expected = board.count(",") + 1
        if _is_square(board, expected):
            continue
        if mistakes.is_full:
            mistakes.count()
            continue
        mistakes.add(_explain_board(board, expected, line, text, name))
    mistakes.raise_any()
    if not MIN_SIZE <= size <= MAX_SIZE:
        message = f"a board has {MIN_SIZE} to {MAX_SIZE} rows, this has {size}"
        raise FormatError(place_at(text, lines[0], 1, name), message)
    return size


def _is_square(board: str, size: int) -> bool:
    """Return whether a board has a number of rows and as many columns."""
    number_of_commas = size - 1
    if len(board) != size * size + number_of_commas:
        return False
    if board.count(",") != number_of_commas:
        return False
    # All rows have the same length if this is where the commas are.
    row_ends = board[size :: size + 1]
    return row_ends.count(",") == number_of_commas


def _explain_board(board: str, size: int, line: int, text: str, name: str) -> FormatError:
    """Return an error at the first wrong row of a board that does not have the expected size.

    Args:
        board: The board.
        size: The number of rows and columns expected.
        line: The line, from 1, in which the board begins.
        text: The record.
        name: How errors call it.
    """
    rows = board.split(",")
    if len(rows) == size:
        wrong = next(number for number, row in enumerate(rows) if len(row) != size)
        squares = len(rows[wrong])
        message = f"row {wrong} of the board has {squares} squares, but the board has {size} rows"
    else:
        wrong = min(len(rows), size)
        message = f"the board has {len(rows)} rows, the first of this record has {size}"
    return FormatError(_find_row(rows, wrong, line, text, name), message)


def _find_row(rows: Sequence[str], number: int, line: int, text: str, name: str) -> Place:
    """Return the place of a row, from 0, of a board that begins in a line."""
    place = place_at(text, line, 1, name)
    source = place.source or ""
    if "," in source:
        # In a session, all rows are in one line, after the player.
        column = 1 + len("1,")
        for row in rows[:number]:
            column += len(row) + len(",")
        return replace(place, column=min(column, len(source) + 1))
    # In frames, each row is a line.
    last = len(rows) - 1
    return place_at(text, line + min(number, last), 1, name)


def read_facts(text: str, name: str) -> Facts:
    """Return the facts of a record: what it says, not what follows from it.

    Args:
        text: The record.
        name: How errors call it.

    Raises:
        FormatError: The text is not a record; see `read_record`.
    """
    record = read_record(text, name)
    return join_turns(record_facts(record), {"newly": list(list_news(record.boards))})


def record_facts(record: Session | Frames) -> Facts:
    """Return the facts of a record, except its boards."""
    size: list[Row] = [(record.size, record.size)]
    if isinstance(record, Frames):
        return {"size": size, "turns": [(len(record.boards) - 1,)]}
    turns_before: list[Row] = []
    if record.turns_before:
        turns_before.append((record.turns_before,))
    answers: list[Row] = []
    for turn, line in enumerate(record.answers, 1):
        answers += [(*row, turn) for row in list_answer(line, record.size)]
    results: list[Row] = []
    if record.claimed:
        results.append((Name("squares"), record.claimed))
    return {
        "size": size,
        "turns": [(len(record.answers),)],
        "turns_before": turns_before,
        "answer": answers,
        "claimed_mover": [(int(player), turn) for turn, player in enumerate(record.players, 1)],
        "claimed_result": results,
        "cut": [()] if record.is_cut else [],
    }


def list_news(boards: Sequence[str]) -> Iterator[list[tuple[Square, int]]]:
    """Yield the squares of the first board, if any, then those that change from board to board.

    Each square ``(R,C)`` comes with its owner, or its new owner.
    """
    if not boards:
        return
    yield list_squares(boards[0])
    for before, after in pairwise(boards):
        changes = compare(before, after)
        yield [(square, owner) for square, _, owner in changes]


def list_squares(board: str) -> list[tuple[Square, int]]:
    """Return all squares ``(R,C)`` of a board, row by row, each with its owner."""
    squares = name_squares(board.index(","))
    owners = map(SYMBOLS.find, board)
    owned = zip(squares, owners, strict=True)
    # A comma has an empty square.
    return [(square, owner) for square, owner in owned if square]


def alter(board: str, size: int, changes: Iterable[tuple[Square, int]]) -> str:
    """Return a board with other owners on some squares.

    Args:
        board: The board, its rows joined by commas.
        size: Its rows and columns.
        changes: Squares ``(R,C)``, from 0, and their owners.
    """
    symbols = list(board)
    width = size + len(",")
    for square, owner in changes:
        row, column = square
        symbols[row * width + column] = SYMBOLS[owner]
    return "".join(symbols)


def compare(one: str, other: str) -> Iterator[tuple[Square, int, int]]:
    """Yield ``((R,C), O, O1)`` for each square that is O's on one board and O1's on the other."""
    if one == other:
        return
    squares = name_squares(one.index(","))
    owner_of = SYMBOLS.index
    differs = map(ne, one, other)
    for place in compress(range(len(squares)), differs):
        owner = owner_of(one[place])
        other_owner = owner_of(other[place])
        yield squares[place], owner, other_owner


@cache
def name_squares(size: int) -> tuple[Square, ...]:
    """Return the square at each place of a board's text, such as ``(0, 2)``; () for a comma."""
    squares: list[Square] = []
    for row in range(size):
        for column in range(size):
            squares.append((row, column))
        squares.append(())
    # No comma follows the last row.
    return tuple(squares[:-1])


def read_answer(line: str) -> Answer | None:
    """Return the four numbers that a bot answered; None if the line is anything else.

    Numbers that are too large for clingo become 10**9, or -10**9.
    """
    match = _ANSWER.fullmatch(line)
    if match is None:
        return None
    row, column, to_row, to_column = map(_read_clipped, match.groups())
    return row, column, to_row, to_column


def _read_clipped(number: str) -> int:
    # The number is clipped anyway if it has more digits.
    digits = number.lstrip("+-0")[:_MAX_DIGITS]
    size = min(_FAR, int(digits or "0"))
    return -size if number.startswith("-") else size


def list_answer(line: str, size: int) -> list[Row]:
    """Return what a bot answered as a row ``(From, To)``; nothing if it answered no move.

    Args:
        line: The bot's answer.
        size: Rows and columns of the board.
    """
    answer = _read_near_answer(line, size)
    if answer is None:
        return []
    return [(answer[:2], answer[2:])]


def _read_near_answer(line: str, size: int) -> Answer | None:
    """Return an answer; numbers off the board become -1 or the board's size."""
    answer = read_answer(line)
    if answer is None:
        return None
    near = (max(-1, min(number, size)) for number in answer)
    row, column, to_row, to_column = near
    return row, column, to_row, to_column
