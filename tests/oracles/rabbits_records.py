"""Records of rabbits and crusher-bots in plain Python: playing, writing and checking them.

A session is checked exactly: all it leaves out are the headings of crushers, and for each of
them the set of those that are possible is kept.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from tests.oracles.rabbits import (
    HEADINGS,
    STEPS,
    Action,
    Cell,
    Map,
    Policy,
    Run,
    parse_map,
    prey_headings,
    wander_headings,
)

_RUN = re.compile(r"^run \d+ seed \d+ *$", re.MULTILINE)
_ACTION = re.compile(r"(\d+),(\d+) (movesto|crushes) (\d+),(\d+)")
_OPENNESS = 0.15  # the part of its walls that a random maze loses


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn, with what the controller keeps to itself.

    ``headings`` are those that the crushers chose, by the cells where they stood before moving;
    ``saved`` counts the rabbits saved in the run so far, this turn's included.
    """

    frame: str
    headings: tuple[tuple[Cell, int], ...]
    actions: tuple[Action, ...]
    told: tuple[str, str, str]
    answer: str
    saved: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A whole run; ``end`` holds its counters and who was left after the last turn."""

    seed: int
    turns: tuple[TurnRecord, ...]
    end: Run


def play(
    station: Map,
    turns: int,
    rng: Random,
    policy: Policy,
    *,
    seed: int = 1,
    collide_in_pairs: bool = True,
) -> RunRecord:
    """Play one run. ``seed`` is only written down: all chance comes from ``rng``."""
    run = Run(station, rng, collide_in_pairs, turns=turns)
    record = []
    for _ in range(turns):
        run.spawn()
        frame = run.frame()
        run.turn_crushers()
        headings = tuple(run.crushers.items())
        actions = run.move_crushers()
        told, answer = run.tell(), policy(run)
        run.answer(answer)
        record.append(TurnRecord(frame, headings, actions, told, answer, run.saved))
    return RunRecord(seed, tuple(record), run)


def write_session(records: Sequence[RunRecord], *, scores: bool = True) -> str:
    """Write what program and controller said; several runs get a line ``run K seed S`` each."""
    lines: list[str] = []
    for number, record in enumerate(records, start=1):
        if len(records) > 1:
            lines.append(f"run {number} seed {record.seed}")
        for turn in record.turns:
            lines += [*turn.told, turn.answer]
        if scores:
            lines.append(f"score {record.end.saved}")
    return "\n".join(lines) + "\n"


def write_run_log(records: Sequence[RunRecord], arguments: Sequence[str]) -> str:
    """Write what the controller logs; ``arguments`` are MAP, TURNS, SEED, RUNS, PROGRAM..."""
    frames = (turn.frame + "\n\n\n" for record in records for turn in record.turns)
    total = sum(record.end.saved for record in records)
    head = " ".join(["Running: controller.py", *arguments])
    return f"{head}\n{''.join(frames)}Total Score: {total}\n"


def check_session(station: Map, text: str, *, collide_in_pairs: bool = True) -> tuple[int, bool]:
    """Play a session again: the crushers as recorded, the rabbits by the rules.

    Returns:
        The rabbits saved in all runs, and whether nothing in the record contradicts the rules. A
        run is played on after a wrong number or list, but not after an impossible crusher.

    Raises:
        ValueError: The lines are not those of a session.
    """
    saved, consistent = 0, True
    for block in _RUN.split(text):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        claim = lines.pop() if lines and lines[-1].startswith("score ") else None
        retrace = Retrace(station, collide_in_pairs)
        for at in range(0, len(lines), 4):
            if not retrace.turn(lines[at : at + 4]):
                break
        saved += retrace.run.saved
        consistent &= retrace.consistent and claim in (None, f"score {retrace.run.saved}")
    return saved, consistent


class Retrace:
    """A run that follows a record; ``possible`` holds the headings each crusher may have."""

    def __init__(self, station: Map, collide_in_pairs: bool) -> None:
        self.run = Run(station, Random(0), collide_in_pairs)
        self.possible: dict[Cell, Collection[int]] = dict.fromkeys(self.run.crushers, HEADINGS)
        self.turns_left: int | None = None
        self.consistent = True

    def turn(self, lines: Sequence[str]) -> bool:
        """Follow one turn, of which the answer may be missing; say whether one can go on."""
        words = ["turnsleft", "crusher", "rabbits", "move"][: max(len(lines), 3)]
        if [line.split()[0] for line in lines] != words:
            raise ValueError(f"a turn has the lines {', '.join(words)}, not {lines}")
        left = int(lines[0].split()[1])
        self.turns_left = left if self.turns_left is None else self.turns_left - 1
        self.consistent &= left == self.turns_left > 0
        self.run.spawn()
        acts = lines[1].partition(" ")[2].split("; ")
        if not self.follow(_action(act) for act in acts if act):
            self.consistent = False
            return False
        places = [f"{x},{y}" for x, y in self.run.rabbits]
        self.consistent &= sorted(lines[2].split()[1:]) == sorted(places)
        if len(lines) == 4:
            self.run.answer(lines[3])
        return True

    def follow(self, actions: Iterable[Action]) -> bool:
        """Move the crushers as recorded; say whether some choice of headings leads to it."""
        run, rays = self.run, self.run.station.sight
        waiting = {cell: self.options(cell) for cell in run.crushers}
        passed = set(run.crushers)
        moved: dict[Cell, Collection[int]] = {}
        for cell, verb, target in actions:
            ways = [way for way in waiting.pop(cell, set()) if rays[cell][way][:1] == (target,)]
            if not ways or target in run.crushers:
                return False
            self.consistent &= run.advance(cell, ways[0]) == verb
            moved[target] = ways
            passed.add(target)
        # Who stayed had its turn at some moment at which a wall or another crusher stood in
        # its way; each cell that a crusher left or reached was blocked before or after all.
        for cell, options in waiting.items():
            kept = {way for way in options if not rays[cell][way] or rays[cell][way][0] in passed}
            if not kept:
                return False
            moved[cell] = kept
        self.possible = moved
        return True

    def options(self, cell: Cell) -> set[int]:
        """Collect the headings that one crusher may choose, given those that it may have."""
        station, crushers = self.run.station, self.run.crushers
        return set(prey_headings(station, cell, crushers, self.run.rabbits)) or {
            way
            for heading in self.possible[cell]
            for way in wander_headings(station, cell, heading, crushers)
        }


def _action(text: str) -> Action:
    found = _ACTION.fullmatch(text)
    if not found:
        raise ValueError(f"no action of a crusher: {text}")
    x, y, verb, u, v = found.groups()
    return (int(x), int(y)), verb, (int(u), int(v))


def random_map(
    rng: Random, width: int, height: int, *, starts: int = 2, exits: int = 1, crushers: int = 2
) -> Map:
    """Draw a walled-in map on which every corridor cell can be reached from every other.

    It is a maze of which some walls are taken away; the marks stand anywhere in it.

    Raises:
        ValueError: There are fewer corridor cells than marks to put on them.
    """
    inside = [(x, y) for y in range(1, height - 1) for x in range(1, width - 1)]
    corridor = _dig_maze(rng, set(inside))
    for x, y in inside:
        if rng.random() < _OPENNESS and any((x + dx, y + dy) in corridor for dx, dy in STEPS):
            corridor.add((x, y))
    marks = "s" * starts + "e" * exits + "c" * crushers
    drawn = dict.fromkeys(corridor, " ")
    drawn.update(zip(rng.sample(sorted(corridor), len(marks)), marks, strict=True))
    rows = ("".join(drawn.get((x, y), "#") for x in range(width)) for y in range(height))
    return parse_map("\n".join(rows))


def _dig_maze(rng: Random, inside: Collection[Cell]) -> set[Cell]:
    digging, corridor = [(1, 1)], {(1, 1)}
    while digging:
        x, y = digging[-1]
        ways = [(dx, dy) for dx, dy in STEPS if (x + 2 * dx, y + 2 * dy) in inside]
        ways = [(dx, dy) for dx, dy in ways if (x + 2 * dx, y + 2 * dy) not in corridor]
        if ways:
            dx, dy = rng.choice(ways)
            corridor |= {(x + dx, y + dy), (x + 2 * dx, y + 2 * dy)}
            digging.append((x + 2 * dx, y + 2 * dy))
        else:
            digging.pop()
    return corridor
