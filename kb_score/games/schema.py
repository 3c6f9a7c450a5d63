"""Readers of the predicates that all games share: violations, results, pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kb_score.engine.terms import Answer, Value
from kb_score.errors import RuleError
from kb_score.shell.picture import Drawing, Look, Piece, Place, draw
from kb_score.shell.verdict import Verdict, Violation

ViolationRow = NamedTuple(
    "ViolationRow", [("turn", int), ("code", str), ("who", Value), ("detail", Value)]
)
IllegalRow = NamedTuple(
    "IllegalRow", [("turn", int), ("code", str), ("who", Value), ("detail", Value)]
)
ResultRow = NamedTuple("ResultRow", [("key", str), ("value", Value)])
CellRow = NamedTuple("CellRow", [("row", int), ("column", int), ("symbol", str)])
HighlightRow = NamedTuple("HighlightRow", [("row", int), ("column", int)])
LabelRow = NamedTuple("LabelRow", [("row", int), ("column", int), ("text", Value)])
LookRow = NamedTuple("LookRow", [("symbol", str), ("colour", str), ("mark", str), ("name", str)])
PieceRow = NamedTuple("PieceRow", [("symbol", str), ("colour", str), ("mark", str), ("name", str)])
PicturedRow = NamedTuple("PicturedRow", [("turn", int)])
TerminalRow = NamedTuple("TerminalRow", [("turn", int)])


def judge(
    game: str,
    record: str,
    answer: Answer,
    *keys: str,
    claimed: Mapping[str, Any] | None = None,
    caption: str = "turn {turn}:",
    who: str = "{}",
) -> Verdict:
    """Turn the answer of the rules about a record into a verdict.

    The keys are those of the result, in the order of the JSON; the caption of the picture has
    {turn} for the turn; ``who`` is for `read_violations`. A LookupError names a key that a user's
    rules have left out.
    """
    return Verdict(
        game=game.replace("_", "-"),
        record=record,
        result=read_result(answer, *keys),
        claimed=claimed,
        violations=read_violations(answer.read(ViolationRow), who),
        picture=draw_picture(answer, caption),
    )


def read_violations(
    rows: Iterable[ViolationRow | IllegalRow], who: str | None = "{}"
) -> tuple[Violation, ...]:
    """Put violations, or illegal actions, into words, in order of turn, code, who and detail.

    A number for Who is put into ``who``, such as "player {}", or stays one; a tuple is a place.
    """
    found = [
        Violation(row.code, write_sentence(row.detail), row.turn, _say_who(row.who, who))
        for row in rows
    ]
    return tuple(sorted(found, key=lambda v: (v.turn or 0, v.code, str(v.who), v.detail)))


def read_result(answer: Answer, *keys: str) -> dict[str, Any]:
    """Read the outcome as the JSON has it: yes and no are true and false, a tuple is a list.

    These keys come first, in this order, then those that a user's rules add; a LookupError names
    a key that they have left out.

    Raises:
        RuleError: A key has several values.
    """
    values: dict[str, Value] = {}
    for key, value in sorted(answer.read(ResultRow), key=str):
        if values.setdefault(key, value) != value:
            said = f"{write_sentence(values[key])} and {write_sentence(value)}"
            raise RuleError(f"the rules give two results for {key}: {said}")
    return {key: _to_json(values[key]) for key in dict.fromkeys((*keys, *values))}


def read_drawing(answer: Answer) -> Drawing:
    """Read the single picture that the rules have drawn; a RuleError if they contradict it."""
    cells: dict[Place, str] = {}
    for row, column, symbol in answer.read(CellRow):
        paint(cells, (row, column), symbol)
    highlights = frozenset((row, column) for row, column in answer.read(HighlightRow))
    labels = {(row, column): write_sentence(text) for row, column, text in answer.read(LabelRow)}
    return Drawing(cells, highlights, labels, read_looks(answer))


def read_looks(answer: Answer) -> dict[str, Look]:
    """Read how symbols are drawn, in their order; a RuleError if one has several looks."""
    pieces: dict[str, Piece] = {}
    for symbol, *piece in sorted(answer.read(PieceRow)):
        if pieces.setdefault(symbol, Piece(*piece)) != Piece(*piece):
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
    """The rules draw two symbols at one place, or one symbol in two ways.

    Attributes:
        symbols: The symbols, which may be the same.
    """

    def __init__(self, message: str, symbols: tuple[str, str]) -> None:
        self.symbols = symbols
        super().__init__(message)


def paint(cells: dict[Place, str], place: Place, symbol: str) -> None:
    """Put a symbol on a place, which must not have another one; else a RuleError says so."""
    if (other := cells.setdefault(place, symbol)) != symbol:
        row, column = place
        first, second = sorted((other, symbol))
        message = f"the rules draw both {first!r} and {second!r} at {row},{column}"
        raise DrawingError(message, (first, second))


def draw_picture(answer: Answer, caption: str, before: int = 0) -> str:
    """Draw the surroundings of a picture's highlights; empty if nothing is drawn.

    The caption has {turn} for the turn, which counts on from the turns before this window.
    """
    for (turn,) in answer.read(PicturedRow):
        picture = draw(read_drawing(answer), cut_out=True)
        return f"{caption.format(turn=before + turn)}\n\n{picture}" if picture else ""
    return ""


def write_sentence(detail: Value) -> str:
    """Write the sentence of a tuple of words and numbers; a tuple in it is a place or a part.

    Constants are spelt as in records, and no blank stands before a comma or a colon.
    """
    parts = detail if isinstance(detail, tuple) else (detail,)
    return " ".join(map(_write_part, parts)).replace(" ,", ",").replace(" :", ":")


_CONSTANT = re.compile(r"\A[a-z]+(_[a-z]+)+\Z")


def _write_part(part: Value) -> str:
    if not isinstance(part, tuple):
        return _CONSTANT.sub(lambda found: found[0].replace("_", "-"), str(part))
    if any(isinstance(word, str) and " " in word for word in part):
        return write_sentence(part)
    return ",".join(map(_write_part, part))


def _say_who(who: Value, number: str | None) -> str | int:
    if isinstance(who, int):
        return who if number is None else number.format(who)
    return who if isinstance(who, str) else write_sentence((who,))


def _to_json(value: Value) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return {"yes": True, "no": False}.get(value, value) if isinstance(value, str) else value
