"""The search for choices that explain the frames of a run log, some turns at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.engine.run import AnswerSetError
from kb_score.games.rabbits.records import Frame, list_frames
from kb_score.games.rabbits.rules import (
    BLAME,
    EXPLAIN,
    EXPLORE,
    HEADINGS,
    Action,
    Began,
    Bound,
    Facing,
    Fails,
    Leaves,
    Saves,
    ToldRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import Answer, GameRules
    from kb_score.engine.terms import Facts
    from kb_score.games.rabbits.maps import Station

# This many turns are grounded at once; memory grows with it.
_WINDOW = 20

# What a session tells of a turn: the actions of crushers, the rabbits, the moves of rabbits.
Told = tuple[tuple[tuple[int, str, int], ...], tuple[int, ...], tuple[tuple[int, int], ...]]
# A heading for each crusher of a group, by cells: one of the combinations that are possible.
Headings = tuple[tuple[int, int], ...]
# Groups of crushers whose headings do not depend on each other, each with its combinations.
Alternatives = tuple[tuple[Headings, ...], ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Some turns of a run, one after another, that can be explained.

    Attributes:
        turns: How many turns.
        frames: Their frames, and the one after them unless the run ends with them.
        given: What else the rules are told of them.
        saves: For each of the turns in which a rabbit is beside an exit, how many can be saved:
            each turn's number goes with every other turn's.
    """

    turns: int
    frames: Sequence[Frame]
    given: Facts
    saves: Mapping[int, Set[int]]


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of one run.

    Attributes:
        frames: All that the log has of it.
        windows: What can be explained of it, in order.
        reach: How many of the frames, from the first, can be explained.
        failure: The answer that says where it fails; None if all can be explained.
    """

    frames: Sequence[Frame]
    windows: tuple[Window, ...]
    reach: int
    failure: Answer | None = None

    @property
    def turns(self) -> int:
        """How many turns can be explained."""
        return sum(window.turns for window in self.windows)

    @property
    def saves(self) -> list[Set[int]]:
        """The numbers of rabbits that some turns can save: any of the first, any of the next."""
        return [numbers for window in self.windows for numbers in window.saves.values()]


class Search:
    """Looks for explanations by the rules for one map."""

    def __init__(self, station: Station, rules: GameRules) -> None:
        self._base = station.facts()
        self._rules = rules

    def follow(self, frames: Sequence[Frame], planned: int) -> Course:
        """Find out what the explanations of a run can come to that was to have so many turns."""
        windows: list[Window] = []
        before: Facts = {"opens": [(1,)]}
        stops = len(frames) < planned
        for first in range(0, len(frames), _WINDOW):
            # The last frame of a window is the first of the next one.
            shown = frames[first : first + _WINDOW + 1]
            rest = len(frames) - first
            # No turn of a window is the last of the run if another window follows.
            last = [(rest if rest <= _WINDOW else rest + 1,)]
            given: Facts = {**before, "last_turn": last, "unanswered": last if stops else []}
            facts = self._facts(shown, given)
            try:
                answer = self._rules.ask(EXPLORE, facts)
            except AnswerSetError:
                failure = self._rules.ask(BLAME, {**facts, "earlier": [(first,)]})
                ((fails,),) = failure.read(Fails)
                good = shown[: fails - 1]
                if len(good) > 1:
                    answer = self._rules.ask(EXPLORE, self._facts(good, given))
                    windows.append(Window(len(good) - 1, good, given, _saves(answer)))
                return Course(frames, tuple(windows), first + fails - 1, failure)
            turns = min(_WINDOW, len(frames) - first)
            windows.append(Window(turns, shown, given, _saves(answer)))
            if first + turns < len(frames):
                before = self._alternatives(facts, answer)
        return Course(frames, tuple(windows), len(frames))

    def explain(self, course: Course, aims: Iterable[int]) -> list[Told]:
        """Find an explanation of a run that has one.

        Args:
            course: What is known of the run.
            aims: How many rabbits are saved, in the order of `Course.saves`.

        Returns:
            Of each turn the crushers' actions, the rabbits that are left, and their moves.
        """
        wanted = iter(aims)
        by_window = [[(next(wanted), turn) for turn in w.saves] for w in course.windows]
        turns: list[Told] = []
        after: Facts = {}
        # From the last window to the first: each has to end as the one after it begins.
        for window, aim in zip(reversed(course.windows), reversed(by_window), strict=True):
            facts = {**self._facts(window.frames, window.given), **after, "aim": aim}
            answer = self._rules.ask(EXPLAIN, facts)
            turns[:0] = _read_turns(answer, window.turns)
            after = {"must_face": [tuple(row) for row in answer.read(Began)]}
        return turns

    def _facts(self, frames: Sequence[Frame], given: Facts) -> Facts:
        return {**self._base, **given, **list_frames(frames)}

    def _alternatives(self, facts: Facts, answer: Answer) -> Facts:
        """Make the facts of the headings that are possible after a window."""
        groups = self._groups(facts, answer)
        return {
            "alternative": [
                (group, number, cell, heading)
                for group, some in enumerate(groups)
                for number, headings in enumerate(some)
                for cell, heading in headings
            ]
        }

    def _groups(self, facts: Facts, answer: Answer) -> Alternatives:
        possible = defaultdict[int, list[int]](list)
        for cell, heading in answer.read(Facing):
            possible[cell].append(heading)
        bound = set(answer.read(Bound))
        found: list[tuple[Headings, ...]] = []
        left = sorted(possible)
        while left:
            first, *_ = left
            is_open = len(possible[first]) > 1
            group = [
                cell
                for cell in left
                if cell == first or (is_open and len(possible[cell]) > 1 and (cell, first) in bound)
            ]
            left = [cell for cell in left if cell not in group]
            if len(group) == 1:
                found.append(tuple(((first, heading),) for heading in possible[first]))
            else:
                found.append(self._combinations(facts, group))
        return tuple(found)

    def _combinations(self, facts: Facts, group: Sequence[int]) -> tuple[Headings, ...]:
        asked = {**facts, "in_question": [(cell,) for cell in group]}
        answers = self._rules.ask_each(HEADINGS, asked)
        return tuple(sorted({tuple(sorted(answer.read(Facing))) for answer in answers}))


def _saves(answer: Answer) -> dict[int, Set[int]]:
    saves = defaultdict[int, set[int]](set)
    for number, turn in answer.read(Saves):
        saves[turn].add(number)
    return dict(saves)


def _read_turns(answer: Answer, turns: int) -> list[Told]:
    actions = sorted(answer.read(Action))
    rabbits, moves = sorted(answer.read(ToldRow)), sorted(answer.read(Leaves))
    return [
        (
            tuple((a.cell, a.verb, a.to) for a in actions if a.turn == t),
            tuple(row.cell for row in rabbits if row.turn == t),
            tuple((row.cell, row.to) for row in moves if row.turn == t),
        )
        for t in range(1, turns + 1)
    ]


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of one number out of each of some sets.

    Most sets have no gap; then any sum between the smallest and the largest can be reached. What
    those with gaps can add up to is kept as the bits of an integer.
    """

    sets: Sequence[Set[int]]

    @property
    def least(self) -> int:
        """The smallest sum."""
        return sum(map(min, self.sets))

    @property
    def most(self) -> int:
        """The largest sum."""
        return sum(map(max, self.sets))

    def choose(self, total: int) -> list[int] | None:
        """Pick a number out of each set, in order, that add up to a total; None if none do."""
        gapped = [i for i, some in enumerate(self.sets) if max(some) - min(some) >= len(some)]
        even = [i for i in range(len(self.sets)) if i not in set(gapped)]
        reached = self._reached(gapped)
        low = sum(min(self.sets[i]) for i in even)
        high = sum(max(self.sets[i]) for i in even)
        # The least that the sets without gaps leave to those with gaps, up to the most.
        window = (reached[-1] >> max(0, total - high)) if total >= low else 0
        if not window or (rest := max(0, total - high) + _lowest_bit(window)) > total - low:
            return None
        picked = {}
        missing = total - rest
        for i in even:
            picked[i] = min(max(self.sets[i]), min(self.sets[i]) + missing - low)
            missing, low = missing - picked[i], low - min(self.sets[i])
        for i, before in zip(reversed(gapped), reversed(reached[:-1]), strict=True):
            picked[i] = next(n for n in self.sets[i] if rest >= n and before >> (rest - n) & 1)
            rest -= picked[i]
        return [picked[i] for i in range(len(self.sets))]

    def _reached(self, gapped: Sequence[int]) -> list[int]:
        reached = [1]
        for i in gapped:
            bits = 0
            for number in self.sets[i]:
                bits |= reached[-1] << number
            reached.append(bits)
        return reached


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
