"""Pictures by the rules: the predicates of ``asp/<game>/picture.lp`` to drawings and replays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.terms import Value
from kb_score.errors import RuleError
from kb_score.games.schema import paint, read_looks, write_sentence
from kb_score.shell.picture import Replay, Step

if TYPE_CHECKING:
    from kb_score.engine.rules import Answer
    from kb_score.shell.picture import Look, Place
    from kb_score.shell.verdict import Verdict

# The rule file that asks for the pictures of all turns; a use of a record takes it in addition.
REPLAY = "common/replayed"

PicturesRow = NamedTuple("PicturesRow", [("first", int), ("last", int)])
PaintsRow = NamedTuple("PaintsRow", [("turn", int), ("row", int), ("column", int), ("symbol", str)])
PointsRow = NamedTuple("PointsRow", [("turn", int), ("row", int), ("column", int)])
TitledRow = NamedTuple("TitledRow", [("row", int), ("column", int), ("name", Value)])
TallyRow = NamedTuple("TallyRow", [("turn", int), ("label", Value), ("value", Value)])


class Window(NamedTuple):
    """Some turns of a record that the rules were asked about together.

    The caption of their pictures has {turn} for the turn as the record counts it, and {own} for the
    turn as the rules count it, after this many turns before the window. Another answer may have
    more of what stands beside the board.
    """

    before: int
    answer: Answer
    caption: str
    beside: Answer | None = None


def make_replay(
    verdict: Verdict, windows: Iterable[Window], *, hexes: bool = False, keep: bool = False
) -> Replay:
    """Make a replay of what the rules have drawn; a RuleError if that is nothing, or too much."""
    looks: dict[str, Look] = {}
    steps: dict[int, Step] = {}
    cells: dict[Place, str] = {}
    titles: dict[Place, str] = {}
    tally, kept = dict[str, str](), list[Window]()
    for window in windows:
        kept += [window] if keep else []
        looks = looks or read_looks(window.answer)
        titles |= {(r, c): write_sentence(name) for r, c, name in window.answer.read(TitledRow)}
        steps.update(_read_steps(window, cells, tally))
    if not cells:
        raise RuleError(f"the rules of {verdict.game} draw no picture: picture.lp paints nothing")
    first, last = min(steps), max(steps)
    # After an illegal turn the rules go on with the next run, if there is one.
    unknown = Step("the rules cannot follow the record here")
    return Replay(
        game=verdict.game,
        record=verdict.record,
        first=first,
        steps=tuple(steps.get(turn, unknown) for turn in range(first, last + 1)),
        looks=looks,
        violations=verdict.violations,
        hexes=hexes,
        titles=titles,
        windows=tuple(kept),
    )


def _read_steps(
    window: Window, shown: dict[Place, str], told: dict[str, str]
) -> Iterator[tuple[int, Step]]:
    """Read the pictures of a window, and take in what is new in each: only that is part of it."""
    before, answer, caption, beside = window
    cells: defaultdict[int, dict[Place, str]] = defaultdict(dict)
    tally: defaultdict[int, dict[str, str]] = defaultdict(dict)
    points: defaultdict[int, set[Place]] = defaultdict(set)
    for turn, row, column, symbol in answer.read(PaintsRow):
        paint(cells[turn], (row, column), symbol)
    for turn, label, values in _read_tally(answer, beside):
        tally[turn][label] = values
    for turn, row, column in answer.read(PointsRow):
        points[turn].add((row, column))
    for first, last in answer.read(PicturesRow):
        for turn in range(first, last + 1):
            new_cells = {at: s for at, s in cells[turn].items() if shown.get(at) != s}
            new_tally = {k: v for k, v in tally[turn].items() if told.get(k) != v}
            shown |= new_cells
            told |= new_tally
            says = caption.format(turn=before + turn, own=turn)
            yield before + turn, Step(says, new_cells, new_tally, frozenset(points[turn]))


def _read_tally(*answers: Answer | None) -> Iterator[tuple[int, str, str]]:
    """Read what stands under each label in words; several values of one are put side by side."""
    values: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for row in (row for answer in answers if answer for row in answer.read(TallyRow)):
        values[row.turn, write_sentence(row.label)].append(write_sentence(row.value))
    # Names of people, a letter each, stand behind what is counted.
    for turn, label in sorted(values, key=lambda at: (at[0], len(at[1]) == 1, at[1])):
        yield turn, label, ", ".join(sorted(set(values[turn, label])))
