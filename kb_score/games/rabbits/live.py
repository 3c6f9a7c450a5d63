"""One run as it is played: the rules name the options, a generator picks among them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import cast

from kb_score.games.rabbits.rules import Rules, lift
from kb_score.games.rabbits.run_log import Frame
from kb_score.games.rabbits.station import Station, station_facts
from kb_score.games.rabbits.steps import Steps
from kb_score.program import Signature
from kb_score.solve import Answer, solve_unique
from kb_score.terms import Facts, Row

# What is grounded in a step takes time for all turns before: after so many a new control is made.
_RENEWAL = 5

_BEGIN = ("turn", "derived")
_FACES: tuple[Signature, ...] = (("faces", 3),)
_VIEW: tuple[Signature, ...] = (("begins", 2), ("crusher", 2), ("option", 3))
_STATE: tuple[Signature, ...] = (("remains", 2), ("ends", 2), ("keeps", 3))
_WANTED = (*_VIEW, *_STATE, ("action", 5), ("spared", 2), ("saved", 2))

Action = tuple[int, str, int]


class LiveRun:
    """One run: `look`, `crush` and `answer` again and again, in this order.

    Attributes:
        saved: The rabbits saved so far.
    """

    def __init__(self, station: Station, rules: Rules, generator: Random) -> None:
        """Place the crushers; their headings are random."""
        self.saved = 0
        self._random = generator
        self._base = station_facts(station)
        self._files = rules.read("rules", "play")
        self._program = self._files.asked_for(_WANTED)
        self._open(self._start())

    def look(self) -> Frame:
        """Return who is where when the turn begins: rabbits have appeared."""
        return Frame(_cells(self._view["begins", 2]), _cells(self._view["crusher", 2]))

    def crush(self) -> tuple[tuple[Action, ...], tuple[int, ...]]:
        """Let the crushers choose, and move in random order.

        Returns:
            What those did that moved, in the order in which it happened, and the rabbits left.
        """
        options = _by_cell(self._view["option", 3])
        order = sorted(options)
        picked = [(cell, self._pick(options[cell]), self._turn) for cell in order]
        self._random.shuffle(order)
        goes = [(place, cell, self._turn) for place, cell in enumerate(order)]
        done = self._take({"picked": picked, "goes": goes}, ["decide"], ("action", 5))
        actions = [(a, verb, b) for _, a, verb, b, _ in sorted(done["action", 5])]
        went = [(a, b, self._turn) for a, _, b in actions]
        left = self._take({"went": went}, ["crush", "settled"], ("spared", 2))["spared", 2]
        return cast(tuple[Action, ...], tuple(actions)), _cells(left)

    def answer(self, requests: Sequence[tuple[int, int]]) -> None:
        """Carry out the moves that the program asks for; after it the next turn begins."""
        facts: Facts = {"request": [(n, a, b, self._turn) for n, (a, b) in enumerate(requests)]}
        end = self._take(facts, ["answer"], ("saved", 2), *_STATE)
        self.saved += len(end["saved", 2])
        if self._turn == _RENEWAL:
            self._open({name: [(*row[:-1], 0) for row in end[name, n]] for name, n in _STATE})
        else:
            self._turn += 1
            self._view = self._take({}, _BEGIN, *_VIEW)

    def _start(self) -> Facts:
        facts: Facts = {**self._base, "turn": [(1,)], "opens": [(1,)]}
        rows = solve_unique(lift(self._files, ["turn"], _FACES), facts, _FACES)["faces", 3]
        options = _by_cell(rows)
        return {
            "ends": [(cell, 0) for cell in sorted(options)],
            "keeps": [(cell, self._pick(options[cell]), 0) for cell in sorted(options)],
        }

    def _open(self, state: Facts) -> None:
        self._steps = Steps(self._program, self._base)
        self._turn = 1
        self._view = self._take(state, _BEGIN, *_VIEW)

    def _take(self, facts: Facts, parts: Sequence[str], *wanted: Signature) -> Answer:
        turn = self._turn
        return self._steps.take(facts, [(part, turn) for part in parts], wanted, turn)

    def _pick(self, headings: Sequence[int]) -> int:
        return self._random.choice(sorted(headings))


def _cells(rows: Sequence[Row]) -> tuple[int, ...]:
    return tuple(sorted(cast(int, cell) for cell, _ in rows))


def _by_cell(rows: Sequence[Row]) -> dict[int, list[int]]:
    headings: dict[int, list[int]] = {}
    for cell, heading, _ in cast(Sequence[tuple[int, int, int]], rows):
        headings.setdefault(cell, []).append(heading)
    return headings
