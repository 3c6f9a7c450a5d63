"""Finds search party plans with the fewest turns, and lower bounds that no plan can beat.

Short plans come from a local search: it removes stops from the routes of a plan, and adds others
(ruin and recreate). The rules judge each plan, and prove with an answer set program which numbers
of turns are too few.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, reduce
from heapq import nlargest, nsmallest
from itertools import chain, count, pairwise, product
from operator import or_
from random import Random
from typing import Any, NamedTuple

import click

from kb_score.cli.run import Run, force_option, run_command
from kb_score.engine.rules import GameRules, LimitError, Use
from kb_score.engine.solve import solve_each
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Facts
from kb_score.errors import InputError, write_count
from kb_score.games import GameFolder
from kb_score.games.agreement import MAP
from kb_score.games.files import MAP_FILE
from kb_score.games.live import check_usable
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, Output, Table, Text, complain, render, show_progress
from kb_score.shell.target import Target

_GAME = "search_party"
_STEP = ("step",)
SCOUT = Use(("map", "rules", "views", "groups", "scout"))
_SOLVE = Use(("map", "rules", "listed", "chain", "views", "solve"), lifted=_STEP)

# Where a group stands: the cell of its front, which is all of it but one person, and the cell of
# its rear, which is that person.
_Pair = tuple[int, int]
# A part of a route: where a group stands turn by turn. The last pair is its stop.
_Leg = list[_Pair]
# The legs of each group in order, the first one at the start.
_Routes = dict[int, list[_Leg]]

# Marks that are fewer moves apart than this add nothing to a proof.
_NEAR = 3
# The number of marks: enough to tell the regions of a map apart. Each makes the search larger.
_MARKS = 5

# The distances from a cell are computed for about this many cells around it; others count as far.
_AROUND = 1000
_FAR = 1000
# The number of cells in the cache of distances.
_KNOWN = 2000

# The most stops that a round removes.
_REMOVED = 15
# For each new stop, the number of slots in the routes, and the number of cells tried in each.
_SLOTS = 6
_CELLS = 10
# The share of stops at which a group that could split up stands on one cell.
_TOGETHER = 0.2
# The number of detours, cheapest first, that are tried until the group can walk one together.
_FOLLOWED = 3
# A cell is seen from about this many moves away.
_IN_SIGHT = 4
# The number of path lengths that are tried, shortest first: on a longer path it is easier for a
# group to stay together.
_MORE = 5
# For each additional turn, the number of additional positions that the beam search keeps.
_BEAM = 20
# The maximum number of pairs in a leg: longer legs are divided.
_LONGEST = 6
# The exponent of the mean that rates routes: longer routes count more.
_POWER = 8
# Routes are compared with those that were kept this many rounds ago (late acceptance).
_PAST = 64
# The number of rounds after which the search may end.
_ROUNDS = 300
_SEED = 1


class _Slot(NamedTuple):
    """A slot in a route for another stop; slots are ordered by their estimated costs."""

    cost: float  # estimated, with some noise
    weight: float  # the cost of one additional turn of this group
    group: int
    number: int  # the stop comes before the leg with this number
    legs: list[_Leg]  # of the group

    @property
    def here(self) -> _Pair:
        """Where the group stands before it turns off to the stop."""
        return self.legs[self.number - 1][-1]

    @property
    def divided(self) -> list[_Leg]:
        """The leg that the stop divides, as a list; empty at the end of the route."""
        return self.legs[self.number : self.number + 1]


class _Detour(NamedTuple):
    """A way through a slot to another stop; detours are ordered by their estimated costs."""

    cost: float  # estimated, with some noise
    slot: _Slot
    stops: list[_Pair]  # the new stop, and the next one of the route, if any


@dataclass(frozen=True, slots=True)
class Map:
    """A map as it was read from its file, named as in messages."""

    name: str
    text: str
    facts: Facts
    columns: int
    costars: int
    extras: int

    def place(self, cell: int) -> tuple[int, int]:
        """Return the column and the row, both from 0, of a cell of the rules."""
        row, column = divmod(cell, 2 * self.columns + 2)
        return column - 1, row - 1


def read_map(text: str, name: str) -> Map:
    """Read a map; the rules, not this function, check that it is connected and not too large.

    All mistakes in the text are reported as one FormatError.
    """
    game = GameFolder(_GAME).type
    facts = game.files.texts.format.read(text, name, start=MAP).list_start()
    (header,) = facts["header"]
    columns, _, costars, extras, _ = header
    assert isinstance(columns, int)
    assert isinstance(costars, int)
    assert isinstance(extras, int)
    return Map(name, text, facts, columns, costars, extras)


class Scout:
    """Searches for plans on a map, with the moves and views that the rules derive for its cells."""

    def __init__(
        self, rules: GameRules, map_: Map, random: Random, pause: Callable[[], object]
    ) -> None:
        """Query the rules about a map; an InputError says what is wrong with it.

        ``pause`` is called now and then; it ends a search by raising an exception.
        """
        answer = rules.ask(SCOUT, map_.facts)
        check_usable(map_.name, answer["unusable"])
        ((start,),) = answer["starting_cell"]
        self._start: int = start
        self._map = map_
        self._random = random
        self._pause = pause
        self._groups = defaultdict[int, list[str]](list)
        for person, group in sorted(answer["group"]):
            self._groups[group].append(person)
        # For each cell, the cells that a move leads to, with the direction of the move.
        self._leads = defaultdict[int, dict[int, int]](dict)
        for cell, direction, to in sorted(answer["leads"]):
            self._leads[cell][to] = direction
        self._cells = sorted(self._leads)
        # A set of cells is a number, with a bit for each cell.
        self._bits = {cell: 1 << number for number, cell in enumerate(self._cells)}
        self._all = sum(self._bits.values())
        self._views = dict.fromkeys(self._cells, 0)
        self._seen_from = defaultdict[int, list[int]](list)
        for cell, seen in sorted(answer["views"]):
            self._views[cell] |= self._bits[seen]
            self._seen_from[seen].append(cell)
        self._list_abreast = cache(self._find_abreast)
        self._look_around = lru_cache(maxsize=_KNOWN)(self._explore_around)

    def reach(self) -> tuple[int, int]:
        """Return a lower bound on the turns: the moves to the cell that is hardest to see.

        The cell is returned, too. It is an InputError if some cell cannot be seen from any cell
        that moves lead to.
        """
        most_moves = 0
        last = self._start
        hidden = self._all
        for moves, front in enumerate(self._waves([self._start])):
            for cell in front:
                found = hidden & self._views[cell]
                if found:
                    most_moves = moves
                    last = self._first(found)
                    hidden -= found
        if hidden:
            x, y = self._map.place(self._first(hidden))
            raise InputError(self._map.name, f"there is no plan: nobody can ever see {x},{y}")
        return most_moves, last

    def mark(self, first: int, number: int) -> Iterator[tuple[int, int, int]]:
        """Choose cells far apart as marks, and yield the moves to get within sight of them.

        Each row has a mark, a cell, and the fewest moves from that cell to one from which the mark
        is seen.
        """
        gaps = dict[int, int]()  # to the nearest mark
        mark = first
        for _ in range(number):
            for moves, front in enumerate(self._waves(self._seen_from[mark])):
                for cell in front:
                    gaps[cell] = min(gaps.get(cell, moves), moves)
                    yield mark, cell, moves
            mark = max(sorted(gaps), key=gaps.__getitem__)
            if gaps[mark] <= _NEAR:
                return

    def list_moves(self, routes: _Routes) -> list[list[str]]:
        """Return the moves of each turn, such as ``@6``, of the routes of all groups."""
        moves: list[list[str]] = [[] for _ in range(_measure(routes))]
        for group, legs in routes.items():
            *others, last = self._groups[group]
            for turn, (here, there) in enumerate(pairwise(chain.from_iterable(legs))):
                front, rear = here
                next_front, next_rear = there
                front_direction = self._leads[front][next_front]
                rear_direction = self._leads[rear][next_rear]
                moves[turn] += [f"{person}{front_direction}" for person in others]
                moves[turn].append(f"{last}{rear_direction}")
        return moves

    def plan(self) -> Iterator[_Routes]:
        """Yield routes by which all cells are seen, each shorter than the ones before.

        A round removes some stops from the routes, and adds stops from which the cells that are
        then unseen can be seen. The result is kept if it is no worse than the routes of some rounds
        ago. After an improvement in round N, the search goes on until round 2 N + `_ROUNDS`.
        """
        routes = self._walk()
        yield routes
        cost = _rate(routes)
        fewest = _measure(routes)
        past = deque([cost], maxlen=_PAST)
        last_success = 0
        number = 0
        while number < 2 * last_success + _ROUNDS:
            number += 1
            changed = self._ruin(routes)
            if self._recreate(changed):
                changed_cost = _rate(changed)
                if changed_cost <= max(cost, past[0]):
                    routes = changed
                    cost = changed_cost
                turns = _measure(changed)
                if turns < fewest:
                    fewest = turns
                    last_success = number
                    yield changed
            past.append(cost)

    def _walk(self) -> _Routes:
        """Return simple routes to start from, on which no group splits up.

        The group with the shortest route goes to the nearest cell from which it sees more, until
        all cells are seen.
        """
        start = (self._start, self._start)
        routes: _Routes = {group: [[start]] for group in self._groups}
        unseen = self._find_unseen(routes)
        while unseen:
            lengths = {group: _count_pairs(legs) for group, legs in sorted(routes.items())}
            group = min(lengths, key=lengths.__getitem__)
            legs = routes[group]
            here, _ = legs[-1][-1]
            legs.append([(cell, cell) for cell in self._explore(here, unseen)])
            unseen = self._find_unseen(routes)
        return routes

    def _explore(self, here: int, unseen: int) -> list[int]:
        """Return the cells on a way to the nearest cell from which an unseen cell is seen."""

        def count_new(cell: int) -> int:
            return (self._views[cell] & unseen).bit_count()

        distances = dict[int, int]()
        for distance, front in enumerate(self._waves([here])):
            distances.update(dict.fromkeys(front, distance))
            end = max(sorted(front), key=count_new)
            if self._views[end] & unseen:
                break
        # The way is found backwards: each cell is a move nearer to the beginning.
        way = [end]
        for left in range(distances[end] - 1, 0, -1):
            nearer = (cell for cell in self._go(way[-1]) if distances.get(cell) == left)
            way.append(next(nearer))
        way.reverse()
        return way

    def _ruin(self, routes: _Routes) -> _Routes:
        """Return the routes without some stops that lie near each other."""
        random = self._random
        distances = self._look_around(random.choice(self._cells))
        left = random.randint(1, _REMOVED)
        routes = {group: _divide(legs) for group, legs in routes.items()}
        for group, number in self._list_nearest(routes, distances):
            count = len(routes[group])
            fewer = random.randint(1, left)
            removed = random.choice((left, fewer))
            begin = number - random.randrange(removed)
            begin = max(1, min(begin, count - removed))
            end = min(count, begin + removed)
            self._remove_stops(routes, group, begin, end)
            left -= end - begin
            if left == 0:
                break
        return routes

    def _list_nearest(
        self, routes: _Routes, distances: Mapping[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Yield each group with the number of its nearest stop, the nearest group first."""
        nearest = []
        for group, legs in routes.items():
            stops = []
            for number, leg in enumerate(legs[1:], start=1):
                front, _ = leg[-1]
                noise = self._random.random()
                stops.append((distances.get(front, _FAR), noise, group, number))
            if stops:
                nearest.append(min(stops))
        for _, _, group, number in sorted(nearest):
            yield group, number

    def _remove_stops(self, routes: _Routes, group: int, begin: int, end: int) -> None:
        """Remove some stops from a group's route, and reconnect it by a path that is not longer.

        The routes are changed. The stops are those of the legs from ``begin`` to before ``end``.
        """
        legs = routes[group]
        kept = legs[:begin]
        routes[group] = kept + legs[end + 1 :]
        if end == len(legs):
            return
        old_way = list(chain.from_iterable(legs[begin : end + 1]))
        way = self._go_to(kept[-1][-1], old_way[-1], group, self._find_unseen(routes))
        if way is None or len(way) > len(old_way):
            way = old_way
        if way:
            routes[group].insert(begin, way)

    def _recreate(self, routes: _Routes) -> bool:
        """Add stops until all cells are seen; return whether that was possible."""
        unseen = self._find_unseen(routes)
        while unseen:
            cells = [cell for cell in self._cells if unseen & self._bits[cell]]
            self._random.shuffle(cells)
            left = unseen
            for cell in cells:
                if left & self._bits[cell] and self._add_stop(routes, cell, left):
                    left = self._find_unseen(routes)
            if left == unseen:
                return False
            unseen = left
        return True

    def _add_stop(self, routes: _Routes, cell: int, unseen: int) -> bool:
        """Add a stop in sight of a cell, where it costs least; return whether one was added."""
        slots = nsmallest(_SLOTS, self._list_slots(routes, cell))
        detours = [self._find_detour(slot, cell, unseen) for slot in slots]
        for _, slot, stops in nsmallest(_FOLLOWED, detours):
            ways = self._follow(slot.here, stops, slot.group, unseen)
            if ways is not None:
                slot.legs[slot.number : slot.number + 1] = filter(None, ways)
                return True
        return False

    def _list_slots(self, routes: _Routes, cell: int) -> Iterator[_Slot]:
        """Yield the slots of the routes for a stop in sight of a cell, with estimated costs."""
        self._pause()
        distances = self._look_around(cell)
        mean = _rate(routes)
        for group, legs in routes.items():
            # The longer a route already is, the more an additional turn costs.
            share = _count_pairs(legs) / mean
            weight = share ** (_POWER - 1)
            fronts = [leg[-1][0] for leg in legs]
            gaps = [distances.get(front, _FAR) - _IN_SIGHT for front in fronts]
            for number, gap in enumerate(gaps, start=1):
                turns = gap
                if number < len(legs):
                    turns += gaps[number] - len(legs[number])
                noise = self._random.random() / 2
                cost = max(turns, 0) * weight + noise
                yield _Slot(cost, weight, group, number, legs)

    def _find_detour(self, slot: _Slot, cell: int, unseen: int) -> _Detour:
        """Return the cheapest of some random detours through a slot to stops in sight of a cell."""
        divided = slot.divided
        next_stops = [leg[-1] for leg in divided]
        neighbours = [slot.here, *next_stops]
        stops = []
        for pair in self._list_pairs(cell, slot.group):
            turns = sum(self._count_turns(pair, other) for other in neighbours)
            news = self._see([pair]) & unseen
            reward = news.bit_count() / 10
            noise = self._random.random() / 2
            cost = turns * slot.weight - reward + noise
            stops.append((cost, pair))
        cost, stop = min(stops)
        cost -= slot.weight * _count_pairs(divided)
        return _Detour(cost, slot, [stop, *next_stops])

    def _list_pairs(self, cell: int, group: int) -> Iterator[_Pair]:
        """Yield some random pairs of cells on which a group could stand in sight of a cell."""
        random = self._random
        cells = self._seen_from[cell]
        for one in random.sample(cells, min(_CELLS, len(cells))):
            other = random.choice(self._seen_from[one])
            is_single = len(self._groups[group]) == 1
            if is_single or random.random() < _TOGETHER:
                yield one, one
            else:
                yield random.choice(((one, other), (other, one)))

    def _follow(
        self, here: _Pair, stops: Sequence[_Pair], group: int, unseen: int
    ) -> list[_Leg] | None:
        """Return the ways from stop to stop; None if a group cannot stay together on one."""
        ways = list[_Leg]()
        for stop in stops:
            way = self._go_to(here, stop, group, unseen)
            if way is None:
                return None
            ways.append(way)
            unseen &= ~self._see(way)
            here = stop
        return ways

    def _go_to(self, here: _Pair, stop: _Pair, group: int, unseen: int) -> _Leg | None:
        """Return a short path to a stop that shows many unseen cells; None if none is found."""
        fewest = self._count_turns(here, stop)
        if fewest >= _FAR:
            return None
        for more in range(_MORE):
            width = 1 + _BEAM * more
            way = self._find_way(here, stop, group, fewest + more, width, unseen)
            if way is not None:
                return way
        return None

    def _find_way(
        self, here: _Pair, stop: _Pair, group: int, turns: int, width: int, unseen: int
    ) -> _Leg | None:
        """Return where a group stands after each turn of a way to a stop, found by beam search.

        There is none if no way was found. ``width`` is the number of positions that are kept at
        each turn, and ``unseen`` has the cells that are not seen yet.
        """
        views = self._views
        noise = self._random.random
        front_distances, rear_distances = map(self._look_around, stop)
        came_from = {here: here}
        beam = {here: unseen}  # the cells that are still unseen, by position
        for left in range(turns - 1, -1, -1):
            ahead = list[tuple[float, _Pair, int]]()
            for pair, dark in beam.items():
                for to in self._list_steps(pair, group):
                    front, rear = to
                    if front_distances.get(front, _FAR) > left:
                        continue
                    if rear_distances.get(rear, _FAR) > left:
                        continue
                    if came_from.setdefault(to, pair) is pair:
                        news = (views[front] | views[rear]) & dark
                        score = news.bit_count() + noise()
                        ahead.append((score, to, dark & ~news))
            beam = {to: dark for _, to, dark in nlargest(width, ahead)}
        if stop not in came_from:
            return None
        way = [stop]
        while way[-1] != here:
            way.append(came_from[way[-1]])
        return way[-2::-1]

    def _list_steps(self, pair: _Pair, group: int) -> Iterable[_Pair]:
        """Return where a group can stand a turn later, its parts in sight of each other."""
        if len(self._groups[group]) == 1:
            cell, _ = pair
            return [(to, to) for to in self._go(cell)]
        self._pause()
        return self._list_abreast(pair)

    def _find_abreast(self, pair: _Pair) -> list[_Pair]:
        """Return where the two parts of a group can stand a turn later, in sight of each other."""
        return [
            (front, rear)
            for front, rear in product(*map(self._go, pair))
            if self._views[front] & self._bits[rear]
        ]

    def _count_turns(self, here: _Pair, there: _Pair) -> int:
        """Return the fewest turns from place to place if the parts need not see each other."""
        front, rear = here
        next_front, next_rear = there
        front_turns = self._look_around(next_front).get(front, _FAR)
        rear_turns = self._look_around(next_rear).get(rear, _FAR)
        return max(front_turns, rear_turns)

    def _explore_around(self, cell: int) -> dict[int, int]:
        """Return the fewest moves from a cell to each of those around it."""
        around = dict[int, int]()
        for moves, front in enumerate(self._waves([cell])):
            around.update(dict.fromkeys(front, moves))
            if len(around) > _AROUND:
                break
        return around

    def _see(self, way: Iterable[_Pair]) -> int:
        """Return all cells that are seen on a way."""
        cells = set(chain.from_iterable(way))
        return reduce(or_, map(self._views.__getitem__, cells), 0)

    def _find_unseen(self, routes: _Routes) -> int:
        legs = chain.from_iterable(routes.values())
        return self._all & ~self._see(chain.from_iterable(legs))

    def _first(self, cells: int) -> int:
        """Return the first cell of a set of cells."""
        lowest_bit = cells & -cells
        return self._cells[lowest_bit.bit_length() - 1]

    def _waves(self, first: Iterable[int]) -> Iterator[list[int]]:
        """Yield these cells, those that are one move away, and so on."""
        front = sorted(first)
        known = set(front)
        while front:
            yield front
            ahead = dict.fromkeys(chain.from_iterable(map(self._go, front)))
            front = [cell for cell in ahead if cell not in known]
            known.update(front)

    def _go(self, cell: int) -> Iterable[int]:
        """Return the cells that are one move away."""
        self._pause()
        return self._leads[cell]


def _divide(legs: Iterable[_Leg]) -> list[_Leg]:
    """Return the legs with long ones divided, so that they have more stops."""
    divided = list[_Leg]()
    for leg in legs:
        divided += [leg[begin : begin + _LONGEST] for begin in range(0, len(leg), _LONGEST)]
    return divided


def _count_pairs(legs: Iterable[_Leg]) -> int:
    return sum(map(len, legs))


def _rate(routes: _Routes) -> float:
    """Return a power mean of the lengths of routes, in which the longest ones count most."""
    powers = [_count_pairs(legs) ** _POWER for legs in routes.values()]
    mean = sum(powers) / len(routes)
    return float(mean ** (1 / _POWER))


def _measure(routes: _Routes) -> int:
    """Return the number of turns of the longest route."""
    return max(map(_count_pairs, routes.values())) - 1


@dataclass
class PlanSearch:
    """A search for the plan with the fewest turns, with the best plan and bound so far.

    Attributes:
        bound: No plan that everybody survives has fewer turns; None before the rules have read the
            map.
        plan: The best plan that the rules accept and everybody survives; empty if none was found.
        stopped: Why the search stopped early; empty if it did not.
    """

    rules: GameRules
    map_: Map
    bound: int | None = None
    plan: str = ""
    turns: int | None = None
    stopped: str = ""

    def __post_init__(self) -> None:
        """Start the clock."""
        self._deadline = Deadline(self.rules.changes.limits.seconds)

    @property
    def proved(self) -> bool:
        """Whether the plan is proved to be the best."""
        return self.bound is not None and self.turns == self.bound

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints on one line."""
        has_plan = bool(self.plan)
        return {
            "game": _GAME.replace("_", "-"),
            "map": self.map_.name,
            "turns": self.turns,
            "lower_bound": self.bound,
            "proved": self.proved,
            "costars": self.map_.costars if has_plan else None,
            "extras": self.map_.extras if has_plan else None,
            "plan": self.plan or None,
        }

    def run(self) -> None:
        """Search until a plan is proved to be the best, or a limit is reached.

        It is an InputError if the rules refuse the map, or if there is no plan for it.
        """
        limits = self.rules.changes.limits
        try:
            self._run()
        except (TimeUp, LimitError):
            if self._deadline.is_over:
                self.stopped = f"stopped after {limits.seconds:g} s (--limit-seconds)"
            else:
                needed = f"more than {limits.memory} MiB of memory (--limit-memory)"
                self.stopped = f"stopped: the next step takes {needed}"

    def _run(self) -> None:
        scout = Scout(self.rules, self.map_, Random(_SEED), self._deadline.check)
        bound, last = scout.reach()
        self._raise_bound(bound)
        for routes in scout.plan():
            self._try_plan(scout.list_moves(routes))
            if self.proved:
                return
        facts = {**self.map_.facts, "away": list(scout.mark(last, _MARKS))}
        for turns in count(bound):
            solved = self._solve(facts, turns)
            if solved is not None:
                self._try_plan(solved)
                if not self.proved:
                    # A user's rules may judge a record differently from its turns.
                    refused = f"a plan of {turns} turns was found, but the check rejects it"
                    self.stopped = f"stopped: {refused}"
                return
            self._raise_bound(turns + 1)
            if self.proved:
                return

    def _solve(self, facts: Facts, turns: int) -> list[list[str]] | None:
        """Return the moves of each turn of a plan that clingo finds; None if there is none."""
        self._deadline.check()
        limits = replace(self.rules.changes.limits, seconds=self._deadline.left)
        program = replace(self.rules.program(_SOLVE), limits=limits)
        answers = solve_each(program, {**facts, "horizon": [(turns,)]}, ["--models=1"])
        if not answers:
            return None
        moves: list[list[str]] = [[] for _ in range(turns)]
        for person, direction, turn in sorted(answers[0]["move"]):
            moves[turn - 1].append(f"{person}{direction}")
        return moves

    def _try_plan(self, moves: Sequence[Sequence[str]]) -> None:
        """Store the plan with these moves if it is better and everybody survives it."""
        turns = len(moves)
        map_ = self.map_
        lines = [" ".join(words) + "." for words in moves]
        # The last line claims that everybody is alive; the rules judge this, too.
        lines.append(f"{turns} {map_.costars} {map_.extras}\n")
        plan = "\n".join(lines)
        files = [(map_.name, map_.text), ("the plan", plan)]
        verdict = GameFolder(_GAME).type.check(self.rules, files)
        played = verdict.result["turns"]
        if verdict.consistent:
            if self.turns is None or turns < self.turns:
                self.plan = plan
                self.turns = turns
                self.report()
        elif verdict.result["finished"] and played < turns:
            # The last cells were seen earlier, by somebody on the way to them.
            self._try_plan(moves[:played])

    def _raise_bound(self, bound: int) -> None:
        self.bound = bound
        self.report()

    def report(self) -> None:
        """Show the best plan and bound so far as progress."""
        message = "no plan yet"
        if self.turns is not None:
            message = f"best plan so far: {write_count(self.turns, 'turn')}"
        if self.bound is not None:
            message = f"at least {write_count(self.bound, 'turn')}; {message}"
        show_progress(message)


_HELP = """Find the fewest turns in which a search can be finished with everybody alive.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the plan has no more turns than the bound, it is proved to be optimal. With
--limit-seconds, or when it is interrupted, the command prints the best plan and the best bound so
far.
"""


@run_command(
    _GAME,
    "search-party",
    help=_HELP,
    short_help=_HELP.partition("\n")[0],
    epilog="Example: kb-score solve search-party map.txt --record plan.txt",
)
@click.argument("map_path", metavar="MAP")
@click.option("--record", metavar="FILE", help="Write the plan to FILE, too.")
@force_option
def solve(run: Run, map_path: str, record: str | None, force: bool) -> Exit:
    """Search for the best plan on a map."""
    text = read_input(map_path, MAP_FILE)
    inputs = [map_path, *run.rules.changes.paths]
    plan_file = Target(record, inputs, force, is_edited=True)
    plan_file.check()
    # A long search must not end with a plan that cannot be written.
    plan_file.check_replacing(b"")
    search = PlanSearch(run.rules, read_map(text, map_path))
    try:
        search.report()
        search.run()
    finally:
        # The results so far are shown even if a signal ends the search.
        if search.plan and record is not None:
            plan_file.write(search.plan.encode())
        if search.bound is not None:
            run.show(_make_output(search))
    if search.stopped:
        complain(search.stopped, kind="note")
    return Exit.FINE if search.plan else Exit.UNUSABLE


def _make_output(search: PlanSearch) -> Output:
    found = search.to_json()
    keys = ("map", "turns", "lower_bound", "proved", "costars", "extras")
    columns = ("map", "turns", "at least", "proved", "costars", "extras")
    table = Table("", columns, rows=(tuple(render(found[key]) for key in keys),))
    blocks: list[Table | Text] = [table]
    if search.plan:
        blocks.append(Text(search.plan, "picture"))
    return Output(blocks, [found], table)


COMMANDS = {"solve": solve}
