"""Sessions, read: what controller and program said to each other, in one run or several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lark import Token, Tree

from kb_score.errors import FormatError, Place
from kb_score.games.rabbits.station import Places, Station
from kb_score.grammar import parse, place_at

# As the challenge's controller looks for moves in whatever a program prints.
REQUEST = re.compile(r"(\d+,\d+)\s+to\s+(\d+,\d+)", re.ASCII)
_ACTION = re.compile(r"(\d+,\d+) +(\w+) +(\d+,\d+)", re.ASCII)
_RABBIT = re.compile(r"\d+,\d+", re.ASCII)
_NUMBER = re.compile(r"-?\d+")
_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as a session has it; cells as in `Station`.

    Attributes:
        left: The number that stands after ``turnsleft``.
        actions: What the crushers did, in order: from where, ``movesto`` or ``crushes``, to where.
        rabbits: The list of rabbits.
        requests: The moves that the program asks for, in order; None where it did not answer.
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
        turns: Its turns, at least one.
        score: The points that the record claims for it, or None.
    """

    number: int
    turns: tuple[Turn, ...]
    score: int | None


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
        number, score = 1, None
        turns: list[Turn] = []
        for child in tree.children:
            if isinstance(child, Tree):
                if turns and turns[-1].requests is None:
                    message = "a turn without an answer is the last of its run"
                    raise FormatError(self.place(child.children[0]), message)
                turns.append(self.turn(child))
            elif child.type == "RUN":
                number = self.number(child)
            else:
                score = self.number(child)
        return Run(number, tuple(turns), score)

    def turn(self, tree: Tree[Token]) -> Turn:
        left, actions, rabbits, *answer = tree.children
        places = self.places
        return Turn(
            self.number(left),
            tuple((places[a], verb, places[b]) for a, verb, b in _ACTION.findall(str(actions))),
            tuple(places[cell] for cell in _RABBIT.findall(str(rabbits))),
            read_answer(str(answer[0]), places) if answer else None,
        )

    def number(self, token: Tree[Token] | Token) -> int:
        assert isinstance(token, Token)
        found = _NUMBER.search(token)
        assert found is not None
        if len(found[0]) > len(str(_LARGEST)) or abs(int(found[0])) > _LARGEST:
            raise FormatError(self.place(token), f"numbers go up to {_LARGEST}")
        return int(found[0])

    def place(self, token: Tree[Token] | Token) -> Place:
        assert isinstance(token, Token)
        assert token.line is not None
        assert token.column is not None
        return place_at(self.text, token.line, token.column, self.name)


def read_answer(line: str, places: Places) -> tuple[tuple[int, int], ...]:
    """Read the moves that a program asks for, as the challenge's controller does."""
    return tuple((places[a], places[b]) for a, b in REQUEST.findall(line))


def write_turn(turn: Turn, station: Station) -> Iterator[str]:
    """Yield the lines of a turn, without line ends."""
    say = station.say
    actions = "; ".join(f"{say(a)} {verb} {say(b)}" for a, verb, b in turn.actions)
    yield f"turnsleft {turn.left}"
    # The challenge's controller leaves a blank after an empty list of actions.
    yield f"crusher {actions}"
    yield " ".join(["rabbits", *map(say, turn.rabbits)])
    if turn.requests is not None:
        yield ("move " + "; ".join(f"{say(a)} to {say(b)}" for a, b in turn.requests)).rstrip()
