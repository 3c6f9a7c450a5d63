"""Replays of records, made of the pictures that ``asp/<game>/picture.lp`` draws of each turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kb_score.engine.terms import Value
from kb_score.errors import RuleError
from kb_score.games.schema import (
    check_size,
    count_turns,
    paint,
    read_captions,
    read_looks,
    write_sentence,
)
from kb_score.shell.picture import Replay, Step

if TYPE_CHECKING:
    from kb_score.engine.rules import Answer
    from kb_score.shell.picture import Look, Place
    from kb_score.shell.verdict import Verdict

_Key = TypeVar("_Key")

# The rule file that asks for the pictures of all turns; it is added to the use of a record.
REPLAY = "common/replayed"


class PicturesRow(NamedTuple):
    """A range of turns whose pictures are drawn."""

    first: int
    last: int


class PaintsRow(NamedTuple):
    """A symbol on the board after a turn."""

    turn: int
    row: int
    column: int
    symbol: Value


class PointsRow(NamedTuple):
    """A place that the picture of a turn points out."""

    turn: int
    row: int
    column: int


class TitledRow(NamedTuple):
    """What a place of the board is called."""

    row: int
    column: int
    name: Value


class Window(NamedTuple):
    """Some turns of a record that the rules answer together.

    Attributes:
        before: The number of turns before the window.
        answer: The answer of the rules, which count turns from the beginning of the window.
        caption: The caption of the pictures, with {turn} for the turn as the record counts it, and
            {own} for the turn as the rules count it.
        beside: Another answer with more values beside the board, if there is one.
        turn_of: The number of the turn of each step, if the rules count steps.
    """

    before: int
    answer: Answer
    caption: str
    beside: Answer | None = None
    turn_of: Sequence[int] = ()


def make_replay(verdict: Verdict, windows: Iterable[Window], *, hexes: bool = False) -> Replay:
    """Return a replay of the pictures that the rules draw.

    It is a RuleError if they draw nothing, or two symbols at one place.
    """
    looks: dict[str, Look] = {}
    steps: dict[int, Step] = {}
    cells: dict[Place, str] = {}
    titles: dict[Place, str] = {}
    tally: dict[str, str] = {}
    kept = []
    for given in windows:
        kept.append(given)
        window = given._replace(answer=count_turns(given.answer, given.turn_of))
        if not looks:
            looks = read_looks(window.answer)
        for row, column, name in window.answer.read(TitledRow):
            titles[row, column] = write_sentence(name)
        for turn, step in _read_steps(window, cells, tally):
            steps[turn] = step
    if not cells:
        message = f"the rules of {verdict.game} draw no picture"
        raise RuleError(f"{message}: no told_cell/4 gives a grid, and picture.lp paints nothing")
    first = min(steps)
    last = max(steps)
    # After an illegal turn the rules go on with the next run, if there is one.
    unknown = Step("the rules cannot follow the record here")
    shown = [steps.get(turn, unknown) for turn in range(first, last + 1)]
    return Replay(
        game=verdict.game,
        record=verdict.record,
        first=first,
        steps=tuple(shown),
        looks=looks,
        violations=verdict.violations,
        hexes=hexes,
        titles=titles,
        windows=tuple(kept),
    )


def _read_steps(
    window: Window, shown_cells: dict[Place, str], shown_tally: dict[str, str]
) -> Iterator[tuple[int, Step]]:
    """Yield the turns of a window with their steps.

    The symbols and the values of the last picture are updated to the last picture of the window.
    """
    changes = _read_changes(window)
    captions = read_captions(window.answer)
    for first, last in window.answer.read(PicturesRow):
        for turn in range(first, last + 1):
            record_turn = window.before + turn
            caption = captions.get(turn)
            if not caption:
                caption = window.caption.format(turn=record_turn, own=turn)
            step = Step(
                caption,
                _update(shown_cells, changes.cells[turn]),
                _update(shown_tally, changes.tally[turn]),
                frozenset(changes.points[turn]),
            )
            yield record_turn, step


class _Changes(NamedTuple):
    """The symbols, values and places of pictures that are new or changed, by turn."""

    cells: defaultdict[int, dict[Place, str]]
    tally: defaultdict[int, dict[str, str]]
    points: defaultdict[int, set[Place]]


def _read_changes(window: Window) -> _Changes:
    """Return what the pictures of a window change, turn by turn."""
    changes = _Changes(cells=defaultdict(dict), tally=defaultdict(dict), points=defaultdict(set))
    for painted in window.answer.read(PaintsRow):
        place = (painted.row, painted.column)
        cells = changes.cells[painted.turn]
        paint(cells, place, str(painted.symbol), window.before + painted.turn)
    for painted_cells in changes.cells.values():
        check_size(painted_cells)
    for turn, label, values in _read_tally(window):
        tally = changes.tally[turn]
        tally[label] = values
    for point in window.answer.read(PointsRow):
        place = (point.row, point.column)
        points = changes.points[point.turn]
        points.add(place)
    return changes


def _update(shown: dict[_Key, str], values: Mapping[_Key, str]) -> dict[_Key, str]:
    """Update what is shown, and return the values that are new."""
    new = {key: value for key, value in values.items() if shown.get(key) != value}
    shown.update(new)
    return new


def _read_tally(window: Window) -> Iterator[tuple[int, str, str]]:
    """Yield turns, labels and values as text; several values of one label are joined."""
    rows = window.answer["tally"]
    if window.beside is not None:
        rows += window.beside["tally"]
    values: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for turn, label, value in rows:
        values[turn, write_sentence(label)].add(write_sentence(value))
    for turn, label in sorted(values, key=_order_labels):
        listed = sorted(values[turn, label])
        yield turn, label, ", ".join(listed)


def _order_labels(turn_and_label: tuple[int, str]) -> tuple[bool, str]:
    """Return a key that sorts one-letter labels, which name people, after the others."""
    _, label = turn_and_label
    return len(label) == 1, label
