"""The search for choices that explain some frames of a run log."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from kb_score.games.rabbits.rules import TURN
from kb_score.games.rabbits.run_log import Frame
from kb_score.games.rabbits.station import Station, station_facts
from kb_score.program import Program, Signature
from kb_score.rules import Changes, read_rules_for_turns
from kb_score.solve import Answer, solve_each
from kb_score.terms import Facts, Row

# A heading for each crusher of a group, by cells: one of the combinations that are possible.
Headings = tuple[tuple[int, int], ...]
# Groups of crushers whose headings do not depend on each other, each with its combinations.
Alternatives = tuple[tuple[Headings, ...], ...]

_FOUND: tuple[Signature, ...] = (("saves", 2), ("facing", 2), ("bound", 2))
_FACED: tuple[Signature, ...] = (("faced", 2),)
_CHOICES: tuple[Signature, ...] = (
    ("action", 5),
    ("told", 2),
    ("leaves", 3),
    ("began", 2),
)
# All answers that differ in what is shown.
_PROJECTED = ("--enum-mode=record", "--project=show", "--models=0")
_BLAMED: tuple[Signature, ...] = (("astray", 3),)


@dataclass(frozen=True, slots=True)
class Window:
    """Some turns of a run, one after another.

    Attributes:
        first: The first turn.
        frames: The frames of the turns, and the one after them unless the run ends with them.
        closes: Whether the run ends with them.
        before: The headings that are possible when they begin; None at the start of a run.
    """

    first: int
    frames: tuple[Frame, ...]
    closes: bool
    before: Alternatives | None

    @property
    def turns(self) -> int:
        """How many turns there are."""
        return len(self.frames) - (not self.closes)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the explanations of a window can come to.

    Attributes:
        saves: For each turn, counted from 1 within the window, in which a rabbit stands beside an
            exit, how many can be saved: each turn's number goes with every other turn's.
        after: The headings that are possible after the window.
    """

    saves: Mapping[int, frozenset[int]]
    after: Alternatives


@dataclass(frozen=True, slots=True)
class Choices:
    """An explanation of a window, turns counted from 1 within it.

    Attributes:
        actions: By turn, the crushers' moves as in a session.
        rabbits: By turn, the rabbits that are left then.
        requests: By turn, the moves of rabbits.
        began: The heading of each crusher at the start of the window.
    """

    actions: Mapping[int, tuple[tuple[int, str, int], ...]]
    rabbits: Mapping[int, tuple[int, ...]]
    requests: Mapping[int, tuple[tuple[int, int], ...]]
    began: Headings


class Search:
    """Looks for explanations by the rules for one map."""

    def __init__(self, station: Station, changes: Changes) -> None:
        self._base = station_facts(station)
        self._changes = changes
        self._lifted: dict[tuple[object, ...], Program] = {}

    def _program(self, wanted: tuple[Signature, ...], *parts: str) -> Program:
        # Lifting takes longer than a small log does, so no more is lifted than is needed.
        key = (wanted, parts)
        if key not in self._lifted:
            lifted = read_rules_for_turns(
                "rabbits", ["rules", "run_log"], (*TURN, "log", *parts), self._changes
            )
            self._lifted[key] = lifted.asked_for(wanted)
        return self._lifted[key]

    def explore(self, window: Window) -> Findings | None:
        """Find out what the explanations of a window can come to; None if there is none."""
        facts = self._facts(window)
        answer = _solve(
            self._program(_FOUND, "strict"), facts, _FOUND, "--enum-mode=brave", "--models=0"
        )
        if answer is None:
            return None
        saves: dict[int, set[int]] = {}
        for number, turn in answer["saves", 2]:
            saves.setdefault(cast(int, turn), set()).add(cast(int, number))
        after = () if window.closes else self._alternatives(facts, answer)
        return Findings({turn: frozenset(some) for turn, some in saves.items()}, after)

    def explain(self, window: Window, aims: Mapping[int, int], after: Headings | None) -> Choices:
        """Find an explanation of a window that has one.

        Args:
            window: The window.
            aims: How many rabbits are saved in each turn that `Findings.saves` names.
            after: The headings that the crushers have after it; None at the end of a run.
        """
        facts = dict(self._facts(window))
        facts["aim"] = [(number, turn) for turn, number in aims.items()]
        facts["must_face"] = list(after or ())
        answer = _solve(self._program(_CHOICES, "strict", "explain"), facts, _CHOICES)
        assert answer is not None
        return _read_choices(answer)

    def blame(self, window: Window) -> list[tuple[str, int]]:
        """Name as few robots, by kind and cell, as keep a window from being explained."""
        answer = _solve(self._program(_BLAMED, "blame"), self._facts(window), _BLAMED, "--models=0")
        assert answer is not None
        cells = {(str(who), cast(int, cell)) for who, cell, _ in answer["astray", 3]}
        return sorted(cells, key=lambda place: place[1])

    def _facts(self, window: Window) -> dict[str, Sequence[Row]]:
        frames = list(enumerate(window.frames, 1))
        # Turns are numbered within the window: so the symbols of one serve for the next as well.
        return {
            **self._base,
            "turn": [(t,) for t, _ in frames],
            "plays": [(t,) for t in range(1, window.turns + 1)],
            "compared": [(t,) for t, _ in frames if t > 1 or window.before is None],
            "rabbit_shown": [(cell, t) for t, frame in frames for cell in frame.rabbits],
            "crusher_shown": [(cell, t) for t, frame in frames for cell in frame.crushers],
            "closes": [(window.turns,)] if window.closes else [],
            "opens": [(1,)] if window.before is None else [],
            "alternative": [
                (group, number, cell, heading)
                for group, some in enumerate(window.before or ())
                for number, headings in enumerate(some)
                for cell, heading in headings
            ],
        }

    def _alternatives(self, facts: Facts, answer: Answer) -> Alternatives:
        possible: dict[int, list[int]] = {}
        for cell, heading in answer["facing", 2]:
            possible.setdefault(cast(int, cell), []).append(cast(int, heading))
        sure = [((cell, some[0]),) for cell, some in possible.items() if len(some) == 1]
        bound = {(cast(int, a), cast(int, b)) for a, b in answer["bound", 2]}
        found: list[tuple[Headings, ...]] = [(headings,) for headings in sure]
        open_ = sorted(cell for cell, some in possible.items() if len(some) > 1)
        while open_:
            group = [cell for cell in open_ if cell == open_[0] or (cell, open_[0]) in bound]
            open_ = [cell for cell in open_ if cell not in group]
            if len(group) == 1:
                found.append(tuple(((group[0], heading),) for heading in possible[group[0]]))
            else:
                found.append(self._combinations(facts, group))
        return tuple(found)

    def _combinations(self, facts: Facts, group: Sequence[int]) -> tuple[Headings, ...]:
        asked = {**facts, "in_question": [(cell,) for cell in group]}
        combinations = set()
        for answer in solve_each(
            self._program(_FACED, "strict"),
            asked,
            _FACED,
            *_PROJECTED,
        ):
            rows = answer["faced", 2]
            combinations.add(tuple(sorted(cast(tuple[int, int], row) for row in rows)))
        return tuple(sorted(combinations))


def _solve(
    program: Program, facts: Facts, wanted: Sequence[Signature], *options: str
) -> Answer | None:
    """Return the last answer that clingo gives: with some options it sums up those before it."""
    answers = deque(solve_each(program, facts, wanted, *options), maxlen=1)
    return answers[0] if answers else None


def _read_choices(answer: Answer) -> Choices:
    actions: dict[int, list[tuple[int, int, str, int]]] = {}
    rabbits: dict[int, list[int]] = {}
    began = [(cast(int, cell), cast(int, heading)) for cell, heading in answer["began", 2]]
    requests: dict[int, list[tuple[int, int]]] = {}
    for number, a, verb, b, t in answer["action", 5]:
        row = (cast(int, number), cast(int, a), str(verb), cast(int, b))
        actions.setdefault(cast(int, t), []).append(row)
    for cell, t in answer["told", 2]:
        rabbits.setdefault(cast(int, t), []).append(cast(int, cell))
    for a, b, t in answer["leaves", 3]:
        requests.setdefault(cast(int, t), []).append((cast(int, a), cast(int, b)))
    return Choices(
        {t: tuple((a, v, b) for _, a, v, b in sorted(some)) for t, some in actions.items()},
        {t: tuple(sorted(some)) for t, some in rabbits.items()},
        {t: tuple(sorted(some)) for t, some in requests.items()},
        tuple(sorted(began)),
    )
