"""Records to turns or boards, and these to facts; ``asp/slime/`` says what each fact means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, pairwise
from operator import ne
from typing import Any

from kb_score.engine.terms import Facts, Name, Row
from kb_score.errors import FileKind, FormatError, Mistakes
from kb_score.games.rulings import read_below_rulings, strip_rulings
from kb_score.games.slime.rules import Square
from kb_score.grammar import parse, place_at, read_number

# A game of 2,000 turns on the largest board.
RECORD_FILE = FACTS_OF = FileKind("a record", 128 << 20)

# Whoever claims more squares than this cannot have counted them; clingo's numbers end soon after.
MAX_SQUARES = 10**9

# The smallest board has a corner for each player; clingo needs some 6 KB for each square.
MIN_SIZE, MAX_SIZE = 2, 256

# The symbol of each owner, from 0, which is nobody.
SYMBOLS = ".1234"

_GIVEN = re.compile(r"[1-4](,[1-4.]{2,})+")
_SCORES = re.compile(r"[0-9]+(,[0-9]+){3}\n")
# How a session begins, and what may be left of a line given, or of scores, that is cut off.
_START = re.compile(r"\s*[1-4],")
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
    """A game as its bots saw it."""

    # Rows and columns of the board. A record of no turns does not tell: it is taken to be of the
    # smallest board, which is full at the start, or of the next if it is cut off.
    size: int
    players: tuple[str, ...]  # for each turn the player that the line given names, a digit
    boards: tuple[str, ...]  # for each turn the board printed, its rows joined by commas
    # For each turn the line that the bot answered; if the record is cut off after a line given,
    # that turn has none.
    answers: tuple[str, ...]
    # The squares of players 1 to 4, where the record ends with them.
    claimed: tuple[int, ...] | None
    is_cut: bool = False  # whether the text ends so that the last of them may lack digits
    turns_before: int = 0  # how many turns come before, if it is an excerpt of a game


@dataclass(frozen=True, slots=True)
class Frames:
    """The boards of a game, the moves between them unknown."""

    size: int  # rows and columns of the board
    boards: tuple[str, ...]  # the boards in order, the rows of each joined by commas


def recognises(text: str) -> bool:
    """Whether a text looks like a session or like frames."""
    lines = [line.strip() for line in strip_rulings(text).splitlines() if line.strip()]
    if lines and _GIVEN.fullmatch(lines[0]):
        return True  # what a bot has answered may be anything
    return bool(lines) and all(map(_ROW.fullmatch, lines))


def read_record(text: str, name: str = "<text>") -> Session | Frames:
    """Read a record; the rulings that it names are left to `apply_rulings`."""
    return read_below_rulings(lambda rest: _read_record(rest, name), text)


def _read_record(text: str, name: str) -> Session | Frames:
    mistakes = Mistakes()
    whole = _without_cut_end(text)
    if _is_like_frames(whole):
        whole = _mend_squares(whole, name, mistakes)
    tree: Any = parse("slime", whole, name=name).children[0]
    if tree.data == "session":
        return _read_session(tree.children, text, name)
    boards = tuple(part[:-1].replace("\n", ",") for part in tree.children)
    lines = [part.line or 1 for part in tree.children]
    size = _check_boards(boards, lines, text, name, mistakes)
    return Frames(size, boards)


def _is_like_frames(text: str) -> bool:
    """Whether a text is meant as frames: most symbols of its first line are squares."""
    first = text.lstrip().partition("\n")[0].rstrip()
    squares = sum(first.count(symbol) for symbol in SYMBOLS)
    return "," not in first and " " not in first and 2 * squares > len(first)


def _mend_squares(text: str, name: str, mistakes: Mistakes) -> str:
    """Report the symbols of frames that are no squares, and put empty squares in their place."""
    for found in _NO_SQUARES.finditer(text):
        if mistakes.is_full:
            mistakes.count()
        else:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            message = f"unexpected {found[0][0]!r}: each square is one of 1 2 3 4 ."
            mistakes.add(FormatError(place_at(text, line, column, name), message))
    return _NO_SQUARES.sub(lambda found: "." * len(found[0]), text) if mistakes else text


def _without_cut_end(text: str) -> str:
    """Take away what a cut has left of a line given or of scores, unless that is a line given."""
    body = text.lstrip()
    before, _, last = body.rpartition("\n")
    if not last or before.count("\n") % 2 == 0 or not _START.match(body):
        return text.removesuffix(",") if _GIVEN.fullmatch(body[:-1]) else text
    return text[: -len(last)] if _CUT.fullmatch(last) else text


def _read_session(parts: list[Any], text: str, name: str) -> Session:
    by_kind = {part.type: part for part in parts}
    turns, scores, given = map(by_kind.get, ("TURNS", "SCORES", "GIVEN"))
    lines = turns[:-1].split("\n") if turns else []
    places = [turns.line + i for i in range(0, len(lines), 2)] if turns else []
    if part := by_kind.get("PART"):
        begun = _is_begun(part[:-1], lines[0])
        if not begun and _SCORES.fullmatch(part):
            scores = part
        elif not begun or len(part) > len(lines[0]):
            given = part  # anything shorter is cut off, and says nothing yet
    if given and not turns and not text.endswith("\n") and _is_part(given[2:-1].split(",")):
        return Session(MIN_SIZE + 1, (), (), (), None)
    if given:
        lines.append(given[:-1])
        places.append(given.line)
    claimed = scores and tuple(
        read_number(word, scores, text, name, largest=MAX_SQUARES)
        for word in re.split(r"[\s,]+", scores.strip())
    )
    boards = tuple(line[2:] for line in lines[::2])
    return Session(
        size=_check_boards(boards, places, text, name, Mistakes()) if boards else MIN_SIZE,
        players=tuple(line[0] for line in lines[::2]),
        boards=boards,
        answers=tuple(lines[1::2]),
        claimed=claimed,
        is_cut=not text.endswith("\n"),
    )


def _is_part(rows: Sequence[str]) -> bool:
    """Whether rows are the first of a board, the last of them perhaps cut off."""
    *whole, last = map(len, rows)
    width = whole[0] if whole else MAX_SIZE
    return set(whole) <= {width} and (len(rows), last) < (width, width)


def _is_begun(line: str, given: str) -> bool:
    """Whether a line is one like the line given, or the beginning of such a line."""
    return len(line) <= len(given) and all(
        (one == ",") == (other == ",") for one, other in zip(line, given, strict=False)
    )


def _check_boards(
    boards: Sequence[str], lines: Sequence[int], text: str, name: str, mistakes: Mistakes
) -> int:
    """Check that all boards are square and as large as the first.

    Args:
        boards: The boards, the rows of each joined by commas.
        lines: The line, from 1, in which each begins.
        text: The record.
        name: What errors call it.
        mistakes: What has been found before.

    Returns:
        The number of rows.

    Raises:
        FormatError: Some boards are not; it reports all mistakes.
    """
    size = boards[0].count(",") + 1
    is_first_square = _is_square(boards[0], size)
    for number, (board, line) in enumerate(zip(boards, lines, strict=True)):
        # Where the first board is not square, the others cannot be compared with it.
        expected = size if is_first_square or number == 0 else board.count(",") + 1
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
    """Whether a board has a number of rows and columns."""
    length = size * (size + 1) - 1
    # With its commas where they must be, and nowhere else, its rows are of one length.
    if len(board) != length or board.count(",") != size - 1:
        return False
    return board[size :: size + 1] == "," * (size - 1)


def _explain_board(board: str, size: int, line: int, text: str, name: str) -> FormatError:
    """Make the error for a board that is not square, or unlike the first, at the wrong row."""
    rows = board.split(",")
    if len(rows) == size:
        wrong = next(number for number, row in enumerate(rows) if len(row) != size)
        squares = len(rows[wrong])
        message = f"row {wrong} of the board has {squares} squares, but the board has {size} rows"
    else:
        wrong = min(len(rows), size)
        message = f"the board has {len(rows)} rows, the first of this record has {size}"
    place = place_at(text, line, 1, name)
    source = place.source or ""
    if "," in source:
        # The rows are in one line, behind the player.
        column = sum(len(part) + 1 for part in (source[:1], *rows[:wrong])) + 1
        return FormatError(replace(place, column=min(column, len(source) + 1)), message)
    # In frames each row is a line.
    return FormatError(place_at(text, line + min(wrong, len(rows) - 1), 1, name), message)


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a record: what it says, not what follows from it."""
    record = read_record(text, name)
    facts = record_facts(record)
    boards = [(*row, turn) for turn, b in enumerate(record.boards) for row in list_squares(b)]
    return {**facts, "holds" if isinstance(record, Frames) else "claimed_holds": boards}


def record_facts(record: Session | Frames) -> Facts:
    """List what a record says beside its boards."""
    size = {"size": [(record.size, record.size)]}
    if isinstance(record, Frames):
        return {**size, "turns": [(len(record.boards) - 1,)]}
    answers = enumerate(record.answers, 1)
    return {
        **size,
        "turns": [(len(record.answers),)],
        "turns_before": [(n,) for n in [record.turns_before] if n],
        "answer": [
            (*row, turn) for turn, line in answers for row in list_answer(line, record.size)
        ],
        "claimed_mover": [(int(player), turn) for turn, player in enumerate(record.players, 1)],
        "claimed_result": [(Name("squares"), record.claimed)] if record.claimed else [],
    }


def compare_boards(session: Session, boards: Sequence[str]) -> Facts:
    """List what a session prints otherwise than it is derived, and which boards are full."""
    pairs = enumerate(zip(session.boards, boards, strict=True))
    return {
        "claimed_holds": [(s, printed, turn) for turn, p in pairs for s, printed, _ in compare(*p)],
        "full": [(turn,) for turn, board in enumerate(boards) if "." not in board],
    }


def list_news(boards: Sequence[str]) -> Iterator[list[tuple[Square, int]]]:
    """List the first board, then which squares of each board differ from the one before it."""
    yield list_squares(boards[0])
    for one, other in pairwise(boards):
        yield [(square, new) for square, _, new in compare(one, other)]


def list_squares(board: str) -> list[tuple[Square, int]]:
    """List a whole board: a row ``((R,C), O)`` a square."""
    squares = name_squares(board.index(","))
    owned = zip(squares, map(SYMBOLS.find, board), strict=True)
    return [(square, owner) for square, owner in owned if square]


def alter(board: str, size: int, changes: Iterable[tuple[Square, int]]) -> str:
    """Change the owners of some squares ``(R,C)`` of a board."""
    symbols = list(board)
    for (row, column), owner in changes:
        symbols[row * (size + 1) + column] = SYMBOLS[owner]
    return "".join(symbols)


def compare(one: str, other: str) -> Iterator[tuple[Square, int, int]]:
    """Yield ``((R,C), O, O1)`` for each square that is O's on one board and O1's on the other."""
    if one == other:
        return
    squares, owner = name_squares(one.index(",")), SYMBOLS.index
    for place in compress(range(len(squares)), map(ne, one, other)):
        yield squares[place], owner(one[place]), owner(other[place])


@cache
def name_squares(size: int) -> tuple[Square, ...]:
    """Name the square at each place of a board's text, such as ``(0, 2)``; () for a comma."""
    return tuple(
        () if column == size else (row, column) for row in range(size) for column in range(size + 1)
    )[:-1]


def read_answer(line: str) -> Answer | None:
    """Read the line that a bot answered, its numbers as far as clingo can hold them."""
    match = _ANSWER.fullmatch(line)
    if match is None:
        return None
    row, column, to_row, to_column = map(_read_short, match.groups())
    return row, column, to_row, to_column


def _read_short(number: str) -> int:
    # A number of so many digits is off every board, however it goes on.
    size = min(_FAR, int(number.lstrip("+-0")[:_MAX_DIGITS] or 0))
    return -size if number.startswith("-") else size


def list_answer(line: str, size: int) -> list[Row]:
    """List what a bot answered as a row ``(From, To)``; nothing if it answered no move."""
    return [(answer[:2], answer[2:])] if (answer := _clip(line, size)) else []


def _clip(line: str, size: int) -> Answer | None:
    """Read an answer; numbers far off the board become just off it, which clingo can hold."""
    answer = read_answer(line)
    if answer is None:
        return None
    row, column, to_row, to_column = (max(-1, min(number, size)) for number in answer)
    return row, column, to_row, to_column


def list_seen(board: str, line: str, size: int) -> list[Row]:
    """List the squares that an answer's move looks at: a row ``((R,C), O)`` each."""
    answer = _clip(line, size)
    if answer is None:
        return []
    row, column, to_row, to_column = answer
    around = {(to_row + down, to_column + across) for down in (-1, 0, 1) for across in (-1, 0, 1)}
    seen = [(r, c) for r, c in around | {(row, column)} if 0 <= r < size and 0 <= c < size]
    return [((r, c), SYMBOLS.index(board[r * (size + 1) + c])) for r, c in sorted(seen)]
