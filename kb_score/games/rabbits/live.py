"""One run as it is played: the rules name the options, a generator picks among them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import cast

from kb_score.games.rabbits.run_log import Frame
from kb_score.games.rabbits.station import Station, station_facts
from kb_score.live import LivePlay
from kb_score.program import Signature
from kb_score.rules import Changes, read_rules, read_rules_for_turns
from kb_score.solve import solve_unique
from kb_score.terms import Facts, Row

_FILES = ("rules", "play")
_FACES: tuple[Signature, ...] = (("faces", 3),)
_BEGINS, _CRUSHER, _OPTION = ("begins", 2), ("crusher", 2), ("option", 3)
_ACTION, _SPARED, _SAVED = ("action", 5), ("spared", 2), ("saved", 2)
_WANTED = (_BEGINS, _CRUSHER, _OPTION, _ACTION, _SPARED, _SAVED)
_STATE = (("remains", 2), ("ends", 2), ("keeps", 3))
_GIVEN = (("picked", 3), ("goes", 3), ("went", 3), ("request", 4))

Action = tuple[int, str, int]


class LiveRun:
    """One run: `look`, `crush` and `answer` again and again, in this order.

    Attributes:
        saved: The rabbits saved so far.
    """

    def __init__(self, station: Station, changes: Changes, generator: Random) -> None:
        """Place the crushers; their headings are random."""
        self.saved = 0
        self._random = generator
        base = station_facts(station)
        self._play = LivePlay(
            read_rules("rabbits", _FILES, changes).asked_for((*_WANTED, *_STATE)),
            {**base, **self._place_crushers(base, changes)},
            given=_GIVEN,
            wanted=_WANTED,
            carried=_STATE,
            renewal=5,
        )
        self._look_around()

    def look(self) -> Frame:
        """Return who is where when the turn begins: rabbits have appeared."""
        return self._frame

    def crush(self) -> tuple[tuple[Action, ...], tuple[int, ...]]:
        """Let the crushers choose, and move in random order.

        Returns:
            What those did that moved, in the order in which it happened, and the rabbits left.
        """
        options = _by_cell(self._play.news(_OPTION))
        order = sorted(options)
        picked = [(cell, self._pick(options[cell])) for cell in order]
        self._random.shuffle(order)
        self._play.play(["decide"], {"picked": picked, "goes": list(enumerate(order))})
        actions = [(a, verb, b) for _, a, verb, b, _ in sorted(self._play.news(_ACTION))]
        # What has come of it goes in as a fact: what is settled once need not be solved again.
        self._play.play(["crush", "settled"], {"went": [(a, b) for a, _, b in actions]})
        return cast(tuple[Action, ...], tuple(actions)), _cells(self._play.news(_SPARED))

    def answer(self, requests: Sequence[tuple[int, int]]) -> None:
        """Carry out the moves that the program asks for; after it the next turn begins."""
        self._play.play(["answer"], {"request": [(n, a, b) for n, (a, b) in enumerate(requests)]})
        self.saved += len(self._play.news(_SAVED))
        self._look_around()

    def _look_around(self) -> None:
        self._play.next_turn()
        self._play.play(["turn", "derived"])
        self._frame = Frame(_cells(self._play.news(_BEGINS)), _cells(self._play.news(_CRUSHER)))

    def _place_crushers(self, base: Facts, changes: Changes) -> Facts:
        facts: Facts = {**base, "turn": [(1,)], "opens": [(1,)]}
        program = read_rules_for_turns("rabbits", _FILES, ["turn"], changes).asked_for(_FACES)
        options = _by_cell(solve_unique(program, facts, _FACES)["faces", 3])
        return {
            "ends": [(cell, 0) for cell in sorted(options)],
            "keeps": [(cell, self._pick(options[cell]), 0) for cell in sorted(options)],
        }

    def _pick(self, headings: Sequence[int]) -> int:
        return self._random.choice(sorted(headings))


def _cells(rows: Sequence[Row]) -> tuple[int, ...]:
    return tuple(sorted(cast(int, cell) for cell, _ in rows))


def _by_cell(rows: Sequence[Row]) -> dict[int, list[int]]:
    headings: dict[int, list[int]] = {}
    for cell, heading, _ in cast(Sequence[tuple[int, int, int]], rows):
        headings.setdefault(cell, []).append(heading)
    return headings
