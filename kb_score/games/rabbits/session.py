"""Sessions, read: what the controller and the bot said to each other, in one run or several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lark import Token, Tree

from kb_score.errors import FormatError, Place
from kb_score.games.rabbits.maps import Places, Station
from kb_score.grammar import parse, place_at, read_number

if TYPE_CHECKING:
    from kb_score.engine.terms import Facts

# As the challenge's controller looks for moves in whatever a bot prints.
# A number is looked at from its beginning only, so that a million digits take no hours.
REQUEST = re.compile(r"(?<!\d)(\d+,\d+)\s+to\s+(\d+,\d+)", re.ASCII)
_ACTION = re.compile(r"(?<!\d)(\d+,\d+) +(\w+) +(\d+,\d+)", re.ASCII)
_RABBIT = re.compile(r"(?<!\d)\d+,\d+", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]+")
MAX_NUMBER = 10**9  # of turns, a seed or a score


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as a session has it; cells as in `Station`.

    Attributes:
        left: The number that stands after ``turnsleft``.
        actions: What the crushers did, in order: from where, ``movesto`` or ``crushes``, to where.
        rabbits: The list of rabbits.
        requests: The moves that the bot asks for, in order; None where it did not answer.
    """

    left: int
    actions: tuple[tuple[int, str, int], ...]
    rabbits: tuple[int, ...]
    requests: tuple[tuple[int, int], ...] | None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a session.

    Attributes:
        number: The number that it bears, or 1.
        seed: The seed that it was played with; 0 where that is not known.
        turns: Its turns, at least one.
        score: The points that the record claims for it, or None.
    """

    number: int
    seed: int
    turns: tuple[Turn, ...]
    score: int | None

    def facts(self, turns: range, *, is_last: bool) -> Facts:
        """Make the facts of some turns of the run, for asp/rabbits/check.lp.

        Args:
            turns: The turns, from 1.
            is_last: Whether no other run follows in the record.
        """
        shown = [(t, self.turns[t - 1]) for t in turns]
        listed = [(t, Counter(turn.rabbits)) for t, turn in shown]
        last, turn = shown[-1]
        at_end = [(last,)] if last == len(self.turns) else []
        return {
            "window_start": [(turns[0],)],
            "window_end": [(last,)],
            "last_turn": [(self.turns[0].left,)],
            "turnsleft": [(turn.left, t) for t, turn in shown],
            "act": [(n, *action, t) for t, turn in shown for n, action in enumerate(turn.actions)],
            "listed": [(cell, t) for t, cells in listed for cell in cells],
            "listed_twice": [(cell, t) for t, cells in listed for cell in cells if cells[cell] > 1],
            "request": [(n, *r, t) for t, turn in shown for n, r in enumerate(turn.requests or ())],
            "stops": at_end,
            "answered": [] if turn.requests is None else [(last,)],
            "closed": at_end if self.score is not None or not is_last else [],
            "claimed_score": [] if self.score is None else [(self.score,)],
        }


def read_session(text: str, station: Station, name: str) -> tuple[Run, ...]:
    """Read a session.

    Args:
        text: The file.
        station: The map that it was played on.
        name: What errors call the file.

    Raises:
        FormatError: The lines are not those of a session, or an answer is missing amid a run.
    """
    text = text.rstrip() + "\n"
    reader = _Reader(text, name, Places(station))
    return tuple(map(reader.run, parse("rabbits_session", text, name=name).children))


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    name: str
    places: Places

    def run(self, tree: Tree[Token]) -> Run:
        number, seed, score = 1, 0, None
        turns: list[Turn] = []
        for child in tree.children:
            if isinstance(child, Tree):
                if turns and turns[-1].requests is None:
                    message = "a turn without an answer is the last of its run"
                    raise FormatError(self.place(child.children[0]), message)
                turns.append(self.turn(child))
            elif child.type == "RUN":
                number, seed = self.numbers(child)
            else:
                (score,) = self.numbers(child)
        return Run(number, seed, tuple(turns), score)

    def turn(self, tree: Tree[Token]) -> Turn:
        left, actions, rabbits, *answer = tree.children
        places = self.places
        return Turn(
            self.numbers(left)[0],
            read_actions(str(actions), places),
            # A hostile list may have millions of cells: they are looked up one by one.
            tuple(places[found[0]] for found in _RABBIT.finditer(str(rabbits))),
            read_answer(str(answer[0]), places) if answer else None,
        )

    def numbers(self, token: Tree[Token] | Token) -> list[int]:
        assert isinstance(token, Token)
        words = _NUMBER.findall(token)
        return [read_number(w, token, self.text, self.name, largest=MAX_NUMBER) for w in words]

    def place(self, token: Tree[Token] | Token) -> Place:
        assert isinstance(token, Token)
        assert token.line is not None
        assert token.column is not None
        return place_at(self.text, token.line, token.column, self.name)


def read_actions(line: str, places: Places) -> tuple[tuple[int, str, int], ...]:
    """Read what crushers do, in order: from where, ``movesto`` or ``crushes``, to where."""
    return tuple((places[a], verb, places[b]) for a, verb, b in _ACTION.findall(line))


def read_answer(line: str, places: Places) -> tuple[tuple[int, int], ...]:
    """Read the moves that a bot asks for, as the challenge's controller does."""
    return tuple((places[a], places[b]) for a, b in REQUEST.findall(line))


def write_session(runs: Sequence[Run], station: Station) -> str:
    """Write a session as `read_session` reads it; runs get a line each where there are several."""
    pieces: list[str] = []
    for run in runs:
        if len(runs) > 1:
            pieces.append(f"run {run.number} seed {run.seed}\n")
        for turn in run.turns:
            pieces.append(write_told(turn, station))
            if turn.requests is not None:
                pieces.append(_write_answer(turn.requests, station))
        if run.score is not None:
            pieces.append(f"score {run.score}\n")
    return "".join(pieces)


def write_told(turn: Turn, station: Station) -> str:
    """Write the three lines that a bot is told."""
    say = station.say
    actions = "; ".join(f"{say(a)} {verb} {say(b)}" for a, verb, b in turn.actions)
    rabbits = " ".join(["rabbits", *map(say, turn.rabbits)])
    # The challenge's controller leaves a blank after an empty list of actions.
    return f"turnsleft {turn.left}\ncrusher {actions}\n{rabbits}\n"


def _write_answer(requests: Sequence[tuple[int, int]], station: Station) -> str:
    moves = "; ".join(f"{station.say(a)} to {station.say(b)}" for a, b in requests)
    return f"move {moves}".rstrip() + "\n"
