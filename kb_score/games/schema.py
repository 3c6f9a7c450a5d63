"""Readers of the predicates that all games share: violations, results and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from kb_score.engine.program import Program
from kb_score.engine.scan import Signature
from kb_score.engine.terms import Answer, Row, Value, predicate_of
from kb_score.errors import RuleError
from kb_score.shell.picture import Drawing, Look, Piece, Place, draw
from kb_score.shell.verdict import Verdict, Violation


class ViolationRow(NamedTuple):
    """A violation of the rules in a record."""

    turn: int
    code: str
    who: Value
    detail: Value


class IllegalRow(NamedTuple):
    """A reason why an action is illegal."""

    turn: int
    code: str
    who: Value
    detail: Value


class ResultRow(NamedTuple):
    """A key and a value of the result."""

    key: str
    value: Value


class CellRow(NamedTuple):
    """The symbol at a place of the picture."""

    row: int
    column: int
    symbol: Value


class HighlightRow(NamedTuple):
    """A place that the picture points at."""

    row: int
    column: int


class LookRow(NamedTuple):
    """The look of a symbol; see `Look`."""

    symbol: str
    colour: str
    mark: str
    name: str


class PieceRow(NamedTuple):
    """The piece that a symbol shows on its place."""

    symbol: str
    colour: str
    mark: str
    name: str


class TerminalRow(NamedTuple):
    """The turn after which the game is over."""

    turn: int


def calls_illegal(program: Program) -> bool:
    """Return whether a user's rules call actions illegal."""
    illegal = predicate_of(IllegalRow)
    return any(rule.origin == "user" and illegal in rule.heads for rule in program.statements)


def judge(
    game: str,
    record: str,
    answer: Answer,
    *keys: str,
    claimed: Mapping[str, Any] | None = None,
    caption: str = "turn {turn}:",
) -> Verdict:
    """Return the verdict on a record from the answer of the rules.

    Args:
        game: The folder of the game.
        keys: The keys of the result, in the order of the JSON.
        claimed: The result that the record claims, if any.
        caption: The caption of the picture; {turn} stands for the turn.

    Raises:
        LookupError: A user's rules do not derive a key.
        RuleError: The rules contradict themselves.
    """
    return Verdict(
        game=game.replace("_", "-"),
        record=record,
        result=read_result(answer, *keys),
        claimed=claimed,
        violations=read_violations(answer.read(ViolationRow)),
        picture=draw_picture(answer, caption),
    )


def read_violations(rows: Iterable[ViolationRow | IllegalRow]) -> tuple[Violation, ...]:
    """Return violations, or illegal actions, in order of turn, code, who and detail."""
    found = []
    for row in rows:
        violation = Violation(
            code=row.code,
            detail=write_sentence(row.detail),
            turn=row.turn,
            who=row.who if isinstance(row.who, str | int) else write_sentence((row.who,)),
        )
        found.append(violation)
    found.sort(key=lambda one: (one.turn or 0, one.code, str(one.who), one.detail))
    return tuple(found)


def read_result(answer: Answer, *keys: str) -> dict[str, Any]:
    """Return the result as values for the JSON; see `to_json`.

    The given keys come first, in this order; keys that a user's rules add follow.

    Raises:
        LookupError: A user's rules do not derive a key.
        RuleError: A key has several values.
    """
    values: dict[str, Value] = {}
    for key, value in sorted(answer.read(ResultRow), key=str):
        other = values.setdefault(key, value)
        if other != value:
            both = f"{write_sentence(other)} and {write_sentence(value)}"
            raise RuleError(f"the rules give two results for {key}: {both}")
    ordered = dict.fromkeys((*keys, *values))
    return {key: to_json(values[key]) for key in ordered}


def read_drawing(answer: Answer) -> Drawing:
    """Return the single picture that the rules have drawn.

    It is a RuleError if a place has several symbols, or a symbol has several looks.
    """
    turn = next((turn for (turn,) in answer["pictured"]), None)
    cells: dict[Place, str] = {}
    for row, column, symbol in answer.read(CellRow):
        paint(cells, (row, column), str(symbol), turn)
    check_size(cells)
    labels: dict[Place, str] = {}
    for row, column, text in answer["label"]:
        labels[row, column] = write_sentence(text)
    return Drawing(
        cells=cells,
        highlights=frozenset((row, column) for row, column in answer.read(HighlightRow)),
        labels=labels,
        looks=read_looks(answer),
    )


def read_looks(answer: Answer) -> dict[str, Look]:
    """Return the look of each symbol, in the order of the symbols.

    A symbol that has several looks or pieces is a DrawingError.
    """
    pieces: dict[str, Piece] = {}
    for symbol, *fields in sorted(answer.read(PieceRow)):
        piece = Piece(*fields)
        if pieces.setdefault(symbol, piece) != piece:
            message = f"the rules put two pieces on the symbol {symbol!r}"
            raise DrawingError(message, (symbol, symbol))
    looks: dict[str, Look] = {}
    for symbol, colour, mark, name in sorted(answer.read(LookRow)):
        look = Look(colour, mark, name, pieces.get(symbol))
        if looks.setdefault(symbol, look) != look:
            message = f"the rules give two looks to the symbol {symbol!r}"
            raise DrawingError(message, (symbol, symbol))
    return looks


class DrawingError(RuleError):
    """The rules draw two symbols at one place, one symbol in two ways, or a place too far away.

    The place and the turn of the picture are None if they are not known.
    """

    def __init__(
        self,
        message: str,
        symbols: tuple[str, ...],
        place: Place | None = None,
        turn: int | None = None,
    ) -> None:
        self.symbols = symbols
        self.place = place
        self.turn = turn
        super().__init__(message)


# The most places of a picture: rows times columns.
_MAX_PLACES = 4_000_000


def check_size(cells: Mapping[Place, str]) -> None:
    """Raise a DrawingError if a picture is too large to be drawn.

    The error names the place that is farthest away.
    """
    rows = 1 + max((row for row, _ in cells), default=0)
    columns = 1 + max((column for _, column in cells), default=0)
    if rows * columns > _MAX_PLACES:
        far = max(cells, key=lambda place: (max(place), place))
        row, column = far
        where = f"the rules draw {cells[far]!r} at {row},{column} (cell/3, paints/4 or told_cell/4)"
        message = f"{where}: a picture has at most {_MAX_PLACES} places, rows times columns"
        raise DrawingError(message, (cells[far],), far)


def paint(cells: dict[Place, str], place: Place, symbol: str, turn: int | None = None) -> None:
    """Put a symbol on a place, in the picture of a turn.

    It is a DrawingError if the place has another symbol.
    """
    other = cells.setdefault(place, symbol)
    if other != symbol:
        row, column = place
        first, second = sorted((other, symbol))
        message = f"the rules draw both {first!r} and {second!r} at {row},{column}"
        if turn is not None:
            message += f" after turn {turn}"
        raise DrawingError(message, (first, second), place, turn)


def draw_picture(answer: Answer, caption: str, before: int = 0) -> str:
    """Return the picture around its highlights as text, below a caption; empty if there is none.

    In the caption, {turn} stands for the turn, to which the number of turns before is added.
    """
    for (turn,) in answer["pictured"]:
        picture = draw(read_drawing(answer), cut_out=True)
        if not picture:
            return ""
        words = read_captions(answer).get(turn) or caption.format(turn=before + turn)
        return f"{words}\n\n{picture}"
    return ""


def read_captions(answer: Answer) -> dict[int, str]:
    """Return the captions that the rules give to the pictures of turns."""
    return {turn: write_sentence(words) for turn, words in answer["caption"]}


def write_sentence(detail: Value) -> str:
    """Return a tuple of words and numbers as a sentence; a tuple in it is a place or a part.

    Constants are written as records write them. Spaces before commas and colons are removed.
    """
    if not isinstance(detail, tuple):
        detail = (detail,)
    sentence = " ".join(map(_write_part, detail))
    return sentence.replace(" ,", ",").replace(" :", ":")


_CONSTANT = re.compile(r"\A[a-z]+(_[a-z]+)+\Z")


def _write_part(part: Value) -> str:
    """Return a word, a number, a place such as ``1,2``, or a part of a sentence."""
    if isinstance(part, tuple):
        if any(isinstance(word, str) and " " in word for word in part):
            return write_sentence(part)
        return ",".join(map(_write_part, part))
    word = str(part)
    if _CONSTANT.match(word):
        return word.replace("_", "-")
    return word


def to_json(value: Value) -> Any:
    """Return a value of a result for the JSON: true for yes, false for no, a list for a tuple."""
    if isinstance(value, tuple):
        return list(value)
    if value == "yes":
        return True
    if value == "no":
        return False
    return value


def count_turn(step: int, turn_of: Sequence[int]) -> int:
    """Return the number of the turn of a step, as people count; the next one after the last.

    The turn of each step is listed; the list is empty if a turn is a step.
    """
    if not turn_of or not step:
        return step
    if step > len(turn_of):
        return turn_of[-1] + 1
    return turn_of[step - 1]


def count_turns(answer: Answer, turn_of: Sequence[int]) -> Answer:
    """Return an answer in which steps are turns as people count; see `count_turn`.

    Of what the steps of one turn draw at a place, or say under a label, the last counts.
    """
    if not turn_of:
        return answer
    rows: dict[Signature, Sequence[Row]] = dict(answer.rows)
    for signature in answer.rows:
        name, _ = signature
        found: Sequence[tuple[Any, ...]] = answer[name]
        if name == "pictures":
            rows[signature] = [tuple(count_turn(step, turn_of) for step in row) for row in found]
        elif name in ("paints", "tally"):
            last: dict[Row, list[Row]] = {}
            for step, group in groupby(sorted(found, key=itemgetter(0)), key=itemgetter(0)):
                drawn: dict[Row, list[Row]] = {}
                for _, *place, shown in group:
                    key = (count_turn(step, turn_of), *place)
                    drawn.setdefault(key, []).append((*key, shown))
                last |= drawn
            rows[signature] = list(chain.from_iterable(last.values()))
        elif name in ("violation", "pictured", "caption", "points"):
            rows[signature] = [(count_turn(step, turn_of), *rest) for step, *rest in found]
    return Answer(rows)
