"""Rabbits and crusher-bots in plain Python: a map, one run turn by turn, programs that play it.

A second computation of the rules, from their English text and the controller of the challenge:
the oracle of the tests. ``rabbits_records`` writes and checks records.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from random import Random

Cell = tuple[int, int]  # column x, row y, from 0 at the upper left
Action = tuple[Cell, str, Cell]  # where a crusher was, "movesto" or "crushes", where it is now

NORTH, EAST, SOUTH, WEST = HEADINGS = range(4)
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
_MOVE = re.compile(r"(\d+),(\d+)\s+to\s+(\d+),(\d+)")


@dataclass(frozen=True, slots=True)
class Map:
    """A station: its drawing, what stands where, and what follows from the walls alone.

    ``sight`` gives for a corridor cell and a heading the cells up to the first wall, nearest
    first; ``beside`` the neighbours without a wall; ``watched`` for a start the cells from which
    a crusher keeps rabbits from appearing; ``exit_distance`` the steps to the nearest exit,
    for cells that reach one. Starts are in reading order.
    """

    rows: tuple[str, ...]
    walls: frozenset[Cell]
    starts: tuple[Cell, ...]
    exits: frozenset[Cell]
    crusher_starts: tuple[Cell, ...]
    sight: Mapping[Cell, tuple[tuple[Cell, ...], ...]] = field(repr=False, compare=False)
    beside: Mapping[Cell, tuple[Cell, ...]] = field(repr=False, compare=False)
    watched: Mapping[Cell, frozenset[Cell]] = field(repr=False, compare=False)
    exit_distance: Mapping[Cell, int] = field(repr=False, compare=False)


def parse_map(text: str) -> Map:
    """Read a map; lines beginning with ``;``, empty lines and blanks around a line do not count.

    Raises:
        ValueError: The rows differ in length, hold another symbol, or leave the edge open.
    """
    lines = (line.strip() for line in text.splitlines())
    rows = tuple(line for line in lines if line and not line.startswith(";"))
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("a map is a rectangle: all its rows have the same length")
    if strange := set("".join(rows)) - set("# sec"):
        raise ValueError(f"no symbol of a map: {sorted(strange)}")
    if set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) != {"#"}:
        raise ValueError("a map has walls all along its edge")
    cells: dict[str, list[Cell]] = {symbol: [] for symbol in "# sec"}
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            cells[symbol].append((x, y))
    walls, exits = frozenset(cells["#"]), frozenset(cells["e"])
    corridor = sorted(cells[" "] + cells["s"] + cells["e"] + cells["c"])
    sight = {cell: tuple(tuple(_ray(cell, *step, walls)) for step in STEPS) for cell in corridor}
    beside = {cell: tuple(ray[0] for ray in sight[cell] if ray) for cell in corridor}
    # A crusher behind another one changes nothing: the nearer one is in sight already.
    watched = {start: frozenset([start]).union(*sight[start]) for start in cells["s"]}
    starts, crushers = tuple(cells["s"]), tuple(cells["c"])
    distance = _distances(exits, beside)
    return Map(rows, walls, starts, exits, crushers, sight, beside, watched, distance)


def _ray(cell: Cell, dx: int, dy: int, walls: Collection[Cell]) -> Iterator[Cell]:
    while (cell := (cell[0] + dx, cell[1] + dy)) not in walls:
        yield cell


def _distances(goals: Iterable[Cell], beside: Mapping[Cell, tuple[Cell, ...]]) -> dict[Cell, int]:
    distance = dict.fromkeys(goals, 0)
    queue = deque(distance)
    while queue:
        cell = queue.popleft()
        for near in beside[cell]:
            if near not in distance:
                distance[near] = distance[cell] + 1
                queue.append(near)
    return distance


def prey_headings(
    station: Map, cell: Cell, crushers: Collection[Cell], rabbits: Collection[Cell]
) -> list[int]:
    """Name the headings that lead a crusher to a nearest rabbit in sight, if it sees any."""
    found: list[int] = []
    nearest = inf
    for heading, ray in enumerate(station.sight[cell]):
        for distance, seen in enumerate(ray):
            if seen in crushers or distance > nearest:
                break
            if seen in rabbits:
                found = [*found, heading] if distance == nearest else [heading]
                nearest = distance
                break
    return found


def wander_headings(
    station: Map, cell: Cell, heading: int, crushers: Collection[Cell]
) -> list[int]:
    """Name where a crusher without prey may turn: forward, left, right; else back, free or not."""
    back = (heading + 2) % 4
    rays = station.sight[cell]
    ways = [way for way in HEADINGS if way != back and rays[way] and rays[way][0] not in crushers]
    return ways or [back]


class Run:
    """One run: the rabbits, the crushers with their headings, and what has happened to whom.

    A turn is ``spawn``, ``crush``, ``answer``; ``frame`` is drawn after the first of them and
    ``tell`` said after the second. Every rabbit that was ``spawned`` is either ``saved``,
    ``crushed`` by a crusher, ``squished`` (it ran into one), ``collided``, or still there.
    """

    def __init__(
        self, station: Map, rng: Random, collide_in_pairs: bool = True, *, turns: int = 500
    ) -> None:
        """Place the crushers, with random headings; ``turns`` is what ``tell`` counts down."""
        self.station = station
        self.rng = rng
        self.collide_in_pairs = collide_in_pairs
        self.turns_left = turns
        self.rabbits: set[Cell] = set()
        self.crushers = {cell: rng.choice(HEADINGS) for cell in station.crusher_starts}
        self.actions: tuple[Action, ...] = ()
        self.saved = self.crushed = self.squished = self.collided = self.spawned = 0

    @property
    def score(self) -> int:
        """A point for each rabbit that was saved."""
        return self.saved

    def spawn(self) -> None:
        """Let a rabbit appear in each start cell without one that no crusher is in sight of."""
        for start in self.station.starts:
            watched = self.station.watched[start]
            if start not in self.rabbits and watched.isdisjoint(self.crushers):
                self.rabbits.add(start)
                self.spawned += 1

    def crush(self) -> tuple[Action, ...]:
        """Turn all crushers, then move them one after another, in random order.

        Returns:
            What those did that could move, in the order in which it happened.
        """
        self.turn_crushers()
        return self.move_crushers()

    def turn_crushers(self) -> None:
        """Choose all headings from the same positions."""
        for cell, heading in self.crushers.items():
            ways = prey_headings(self.station, cell, self.crushers, self.rabbits)
            ways = ways or wander_headings(self.station, cell, heading, self.crushers)
            self.crushers[cell] = self.rng.choice(ways) if len(ways) > 1 else ways[0]

    def move_crushers(self) -> tuple[Action, ...]:
        """Move those whose next cell is free at that moment; the second half of ``crush``."""
        order = list(self.crushers.items())
        self.rng.shuffle(order)
        actions = []
        for cell, heading in order:
            ray = self.station.sight[cell][heading]
            if ray and ray[0] not in self.crushers:
                actions.append((cell, self.advance(cell, heading), ray[0]))
        self.actions = tuple(actions)
        return self.actions

    def advance(self, cell: Cell, heading: int) -> str:
        """Move one crusher to the next cell, which is free, and name what it does there."""
        target = self.station.sight[cell][heading][0]
        del self.crushers[cell]
        self.crushers[target] = heading
        if target not in self.rabbits:
            return "movesto"
        self.rabbits.discard(target)
        self.crushed += 1
        return "crushes"

    def frame(self) -> str:
        """Draw the map with ``X`` for crushers and ``o`` for rabbits, without a last newline."""
        canvas = [list(row) for row in self.station.rows]
        for cells, symbol in ((self.rabbits, "o"), (self.crushers, "X")):
            for x, y in cells:
                canvas[y][x] = symbol
        return "\n".join("".join(row) for row in canvas)

    def tell(self) -> tuple[str, str, str]:
        """Say what the program is told; the rabbits are in ascending order."""
        acts = "; ".join(f"{x},{y} {verb} {u},{v}" for (x, y), verb, (u, v) in self.actions)
        places = "".join(f" {x},{y}" for x, y in sorted(self.rabbits))
        return f"turnsleft {self.turns_left}", f"crusher {acts}", f"rabbits{places}"

    def answer(self, line: str) -> None:
        """Carry out a line like ``move 14,3 to 14,4; 14,2 to 14,3``, which ends the turn.

        Whatever does not look like a move is passed over, as the controller does.
        """
        arrived: set[Cell] = set()
        spoiled: set[Cell] = set()
        for a, b, c, d in _MOVE.findall(line):
            source, target = (int(a), int(b)), (int(c), int(d))
            if source not in self.rabbits or target not in self.station.beside[source]:
                continue
            self.rabbits.discard(source)
            if target in self.crushers:
                self.squished += 1
            elif target in self.station.exits:
                self.saved += 1
            elif target in arrived:
                self.collided += 2
                arrived.discard(target)
                spoiled.add(target)
            elif target in spoiled and not self.collide_in_pairs:
                self.collided += 1
            else:
                arrived.add(target)
        self.collided += 2 * len(self.rabbits & arrived)
        # Those who stand and those who arrive remain, except where both meet.
        self.rabbits ^= arrived
        self.turns_left -= 1


def move_line(moves: Iterable[tuple[Cell, Cell]]) -> str:
    """Write the answer of a program: ``move``, alone if there are no moves."""
    return ("move " + "; ".join(f"{x},{y} to {u},{v}" for (x, y), (u, v) in moves)).rstrip()


Policy = Callable[[Run], str]  # looks at a run after the crushers have moved, answers


def towards_exit(run: Run) -> str:
    """Send each rabbit the shortest way to an exit, whatever stands there."""
    distance, beside = run.station.exit_distance, run.station.beside
    return move_line(
        (rabbit, min(beside[rabbit], key=distance.__getitem__))
        for rabbit in sorted(run.rabbits & distance.keys())
    )


def cautious(run: Run) -> str:
    """Send rabbits to the exits, but not within two steps of a crusher nor onto each other."""
    beside, distance = run.station.beside, run.station.exit_distance
    close = {near for cell in run.crushers for near in beside[cell]}
    feared = close | {far for near in close for far in beside[near]}
    taken = run.rabbits | run.crushers.keys()
    moves = []
    # Those in front decide first, so that those behind see which cells they leave.
    for rabbit in sorted(run.rabbits, key=lambda cell: (distance.get(cell, inf), cell)):
        taken.discard(rabbit)
        choice = [rabbit, *(cell for cell in beside[rabbit] if cell not in taken)]
        goal = min(choice, key=lambda cell: (cell in feared, distance.get(cell, inf)))
        taken |= {goal} - run.station.exits
        if goal != rabbit:
            moves.append((rabbit, goal))
    return move_line(moves)


def random_walk(run: Run) -> str:
    """Move at random, into walls too, and make odd requests now and then.

    The odd ones come first: swaps, everybody around a cell into it, moves of missing rabbits,
    moves further than to a neighbour, second moves of a rabbit.
    """
    rng, beside, rabbits = run.rng, run.station.beside, sorted(run.rabbits)
    steps = [(cell, rng.choice(STEPS)) for cell in rabbits if rng.random() < 0.8]
    moves = [((x, y), (x + dx, y + dy)) for (x, y), (dx, dy) in steps]
    if not rabbits or rng.random() < 0.5:
        return move_line(moves)
    chosen, anywhere = rng.choice(rabbits), rng.choice(list(beside))
    crowded = rng.choice([chosen, *beside[chosen]])
    odd = [
        [(a, b) for near in beside[chosen] for a, b in ((chosen, near), (near, chosen))],
        [(near, crowded) for near in beside[crowded]],
        [(anywhere, crowded), (crowded, anywhere), (chosen, chosen)],
    ]
    return move_line(rng.choice(odd) + moves)
