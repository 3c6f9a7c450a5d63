"""What was found out about a board that is to be restored, laid out for people and programs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.games.kingdom_builder.evidence import draw_board
from kb_score.games.kingdom_builder.hexes import HIDDEN
from kb_score.shell.output import Block, Output, Table, Text
from kb_score.shell.picture import draw

if TYPE_CHECKING:
    from kb_score.games.kingdom_builder.restore.puzzle import Hex
    from kb_score.games.kingdom_builder.restore.search import Filling, Restorer

# If there are no more boards than this, each of them is drawn.
_DRAWN = 3


def report_restored(found: Restorer) -> Output:
    """Lay out the boards that explain claims, as far as they were found."""
    name, boards = found.puzzle.board.name, list(found.boards)
    common = sorted(found.common)
    line = {
        "board": name,
        "explanations": len(boards),
        "complete": found.complete,
        "boards": list(map(str, boards)),
        "common": [list(row) for row in common],
        "common_proved": found.proved,
        "changes": found.fewest if found.changes else None,
    }
    blocks: list[Block] = [Text(f"{name}: ", outcome=_tell(found), colour=_colour(found))]
    if boards:
        blocks += [_draw_common(found), _list_hexes(found), *_list_boards(found)]
    rows = tuple(
        (name, number, row, column, found.puzzle.at((row, column)), symbol)
        for number, filling in enumerate(found.found, start=1)
        for row, column, symbol in sorted(filling)
    )
    listed = Table("", ("board", "explanation", "row", "column", "given", "holds"), rows)
    return Output(blocks, [line], listed)


def _colour(found: Restorer) -> str:
    return "green" if found.found else "red"


def _tell(found: Restorer) -> str:
    number = len(found.found)
    within = f" with at most {_count(found.changes, 'change')}" if found.changes else ""
    if not number:
        return (
            f"no board{within} explains the claims"
            if found.complete
            else f"no board{within} was found in the time there was; there may be one"
        )
    said = f"{_count(number, 'board')}{within} explain{'s' * (number == 1)} the claims"
    fewest = f"; the fewest changes are {found.fewest}" if found.changes else ""
    whole = "no other does" if found.complete else "there may be more"
    return f"{said}{fewest}; {whole}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _draw_common(found: Restorer) -> Text:
    """Draw the board with what all boards have in common, the hexes in question in brackets."""
    puzzle, common = found.puzzle, found.common
    drawing = draw_board(puzzle.fill(common), found.rules)
    asked = frozenset(puzzle.hidden) | {(row, column) for row, column, _ in common}
    known = {(row, column) for row, column, _ in common}
    cells = {**drawing.cells, **dict.fromkeys(asked - known, HIDDEN)}
    return Text(draw(replace(drawing, cells=cells, highlights=asked), hexes=True), "picture")


def _list_hexes(found: Restorer) -> Table:
    """List the hexes in question: what stands there on all boards, or on how many."""
    counts: dict[Hex, dict[str, int]] = {}
    for filling in found.found:
        for row, column, symbol in filling:
            here = counts.setdefault((row, column), {})
            here[symbol] = here.get(symbol, 0) + 1
    common = {(row, column): symbol for row, column, symbol in found.common}
    rows: list[tuple[str | int, ...]] = []
    for place, symbols in sorted(counts.items()):
        given = found.puzzle.at(place)
        left = len(found.found) - sum(symbols.values())
        often = sorted({**symbols, **({given: left} if left else {})}.items())
        held = "  ".join(f"{symbol} x {number}" for symbol, number in often)
        rows.append((*place, given, common.get(place, ""), held))
    return Table("", ("row", "column", "given", "on all", "on the boards listed"), tuple(rows))


def _list_boards(found: Restorer) -> list[Block]:
    """List what stands on the hexes in question of each board, and draw the first boards."""
    blocks: list[Block] = []
    if found.changes:
        rows = tuple(
            (number, *place, given, symbol)
            for number, filling in enumerate(found.found, start=1)
            for place, given, symbol in found.list_changes(filling)
        )
        columns = "explanation", "row", "column", "given", "would explain"
        blocks.append(Table("changes", columns, rows))
    # The only board is drawn already: it is what all boards have in common.
    if 1 < len(found.found) <= _DRAWN:
        for number, filling in enumerate(found.found, start=1):
            blocks += [Text(f"explanation {number}", "heading"), _draw(found, filling)]
    return blocks


def _draw(found: Restorer, filling: Filling) -> Text:
    drawing = draw_board(found.puzzle.fill(filling), found.rules)
    marked = frozenset((row, column) for row, column, _ in filling)
    return Text(draw(replace(drawing, highlights=marked), hexes=True), "picture")
