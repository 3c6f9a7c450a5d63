"""Search party plans of the fewest turns, and lower bounds that no plan can beat.

Short plans come from a local search: it removes stops from the routes of a plan, and adds others
(ruin and recreate). The rules judge each plan, and prove by an answer set program which numbers of
turns are too few.
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

from kb_score.cli.run import Run, run_command
from kb_score.engine.rules import GameRules, LimitError, Use
from kb_score.engine.solve import solve_each
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Facts
from kb_score.errors import InputError
from kb_score.games import GameFolder
from kb_score.games.agreement import MAP
from kb_score.games.declared import DeclaredGame
from kb_score.games.declared_files import MAP_FILE
from kb_score.games.declared_match import UnusableRow, check_usable
from kb_score.shell.files import check_whole, read_input, write_whole
from kb_score.shell.output import Exit, Output, Table, Text, complain, render, show_progress

_GAME = "search_party"
_STEP = ("step",)
SCOUT = Use(("map", "rules", "views", "groups", "scout"))
_SOLVE = Use(("map", "rules", "listed", "chain", "views", "solve"), lifted=_STEP)

# Where a group stands: the cell of its front, which is all of it but one person, and the cell of
# its rear, which is that person.
_Pair = tuple[int, int]
# A part of a route: where a group stands turn by turn. The last pair is its stop.
_Leg = list[_Pair]
# The legs of each group, from the start on.
_Routes = dict[int, list[_Leg]]

# Marks that are fewer moves apart than this add nothing to a proof.
_NEAR = 3
# The number of marks: enough to tell the regions of a map apart. Each makes the search larger.
_MARKS = 5

# The distances from a cell are counted to about this many cells around it; others are far away.
_AROUND = 1000
_FAR = 1000
# The number of cells in the cache of distances.
_KNOWN = 2000

# The most stops that a round removes.
_REMOVED = 15
# For each new stop, the number of slots in the routes, and the number of cells tried in each.
_SLOTS = 6
_CELLS = 10
# How often a group that could part is tried with both parts on one cell.
_TOGETHER = 0.2
# The number of detours that are walked, the cheapest ones, until the group can do one together.
_FOLLOWED = 3
# A cell is seen from about this many moves away.
_IN_SIGHT = 4
# The numbers of turns that are tried for a way, from the fewest on: a group must not part.
_MORE = 5
# For each turn more, the number of further positions that are kept at each turn.
_BEAM = 20
# The most pairs of a leg: longer legs are divided.
_LONGEST = 6
# The exponent of the mean that rates routes: longer routes count more.
_POWER = 8
# Routes are compared with those that were kept this many rounds ago (late acceptance).
_PAST = 64
# The number of rounds that are always tried.
_ROUNDS = 300
_SEED = 1


class _Slot(NamedTuple):
    """A slot of a route for another stop; slots are ordered by what they may cost."""

    cost: float  # estimated, with some noise
    weight: float  # the cost of one turn more of this group
    group: int
    number: int  # the stop comes before the leg with this number
    legs: list[_Leg]  # of the group

    @property
    def here(self) -> _Pair:
        """Where the group stands before."""
        return self.legs[self.number - 1][-1]

    @property
    def divided(self) -> list[_Leg]:
        """The leg that the stop divides; none at the end of the route."""
        return self.legs[self.number : self.number + 1]


class _Detour(NamedTuple):
    """A way through a slot to another stop; detours are ordered by what they may cost."""

    cost: float  # estimated, with some noise
    slot: _Slot
    stops: list[_Pair]  # the new stop, and the next one of the route, if any


class GroupRow(NamedTuple):
    """The group of a person; group 0 has the star."""

    person: str
    group: int


class LeadsRow(NamedTuple):
    """A move from one open cell to another."""

    cell: int
    direction: int
    to: int


class ViewsRow(NamedTuple):
    """A cell, and a cell that is seen from it."""

    cell: int
    seen: int


class StartingCellRow(NamedTuple):
    """The cell that is marked S."""

    cell: int


class MoveRow(NamedTuple):
    """A person's move at a turn."""

    person: str
    direction: int
    turn: int


@dataclass(frozen=True, slots=True)
class Map:
    """A map as its file has it.

    Attributes:
        name: Its name in messages, usually its path.
        text: The text.
        facts: What the rules read of it.
        columns: The number of columns.
        costars: The number of costars.
        extras: The number of extras.
    """

    name: str
    text: str
    facts: Facts
    columns: int
    costars: int
    extras: int

    def place(self, cell: int) -> tuple[int, int]:
        """Return the column and row, from 0, of a cell by its number in the rules."""
        row, column = divmod(cell, 2 * self.columns + 2)
        return column - 1, row - 1


def read_map(text: str, name: str) -> Map:
    """Read a map; whether it is connected, and not too large, is for the rules to say.

    Raises:
        FormatError: The text is no map. All mistakes are reported.
    """
    game = GameFolder(_GAME).type
    assert isinstance(game, DeclaredGame)
    facts = game.files.texts.format.read(text, name, start=MAP).list_start()
    ((columns, _, costars, extras, _),) = facts["header"]
    assert isinstance(columns, int)
    assert isinstance(costars, int)
    assert isinstance(extras, int)
    return Map(name, text, facts, columns, costars, extras)


class Scout:
    """Searches for plans on a map, with what the rules say of its cells."""

    def __init__(
        self, rules: GameRules, map_: Map, random: Random, pause: Callable[[], object]
    ) -> None:
        """Query the rules about a map.

        Args:
            rules: The rules.
            map_: The map.
            random: Makes all random choices of the search.
            pause: Called now and then; it ends a search by raising an exception.

        Raises:
            InputError: The rules find something wrong with the map.
        """
        answer = rules.ask(SCOUT, map_.facts)
        check_usable(map_.name, answer.read(UnusableRow))
        (start,) = answer.read(StartingCellRow)
        self._start = start.cell
        self._map = map_
        self._random = random
        self._pause = pause
        self._groups = defaultdict[int, list[str]](list)
        for member in sorted(answer.read(GroupRow)):
            group = self._groups[member.group]
            group.append(member.person)
        # The cells that a move from a cell leads to, and its direction.
        self._leads = defaultdict[int, dict[int, int]](dict)
        for lead in sorted(answer.read(LeadsRow)):
            ways = self._leads[lead.cell]
            ways[lead.to] = lead.direction
        self._cells = sorted(self._leads)
        # A set of cells is a number, with a bit for each cell.
        self._bits = {cell: 1 << number for number, cell in enumerate(self._cells)}
        self._all = sum(self._bits.values())
        self._views = dict.fromkeys(self._cells, 0)
        self._seen_from = defaultdict[int, list[int]](list)
        for view in sorted(answer.read(ViewsRow)):
            self._views[view.cell] |= self._bits[view.seen]
            watching = self._seen_from[view.seen]
            watching.append(view.cell)
        self._list_abreast = cache(self._find_abreast)
        self._look_around = lru_cache(maxsize=_KNOWN)(self._explore_around)

    def reach(self) -> tuple[int, int]:
        """Return the fewest moves to see each single cell, and a cell that takes as many.

        Raises:
            InputError: No moves lead in sight of some cell.
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
        """Mark cells far from each other, and yield the moves from every cell in sight of each.

        Args:
            first: The first mark.
            number: The most marks.

        Yields:
            A mark, a cell, and the fewest moves from that cell to one from which the mark is seen.
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
        """List the moves of each turn of these routes, such as ``@6``."""
        moves: list[list[str]] = [[] for _ in range(_measure(routes))]
        for group, legs in routes.items():
            *others, last = self._groups[group]
            way = chain.from_iterable(legs)
            for turn, (here, there) in enumerate(pairwise(way)):
                front_direction = self._leads[here[0]][there[0]]
                rear_direction = self._leads[here[1]][there[1]]
                moves[turn] += [f"{person}{front_direction}" for person in others]
                moves[turn].append(f"{last}{rear_direction}")
        return moves

    def plan(self) -> Iterator[_Routes]:
        """Yield routes by which all cells are seen, each shorter than the ones before.

        A round removes some stops from the routes, and adds stops that see again what is then
        unseen. The result is kept if it is no worse than what was kept some rounds ago. The search
        goes on for as many rounds as the last better routes have taken, and some more.
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
        """Return first routes: each group goes on together to the nearest cell that sees more."""
        routes: _Routes = {group: [[(self._start, self._start)]] for group in self._groups}
        unseen = self._find_unseen(routes)
        while unseen:
            # The group that has gone least far.
            group = min(sorted(routes), key=lambda group: _count_pairs(routes[group]))
            legs = routes[group]
            here, _ = legs[-1][-1]
            way = self._explore(here, unseen)
            legs.append([(cell, cell) for cell in way])
            unseen = self._find_unseen(routes)
        return routes

    def _explore(self, here: int, unseen: int) -> list[int]:
        """Return the cells on a way to the nearest cell from which something unseen is seen."""
        distances = dict[int, int]()
        for distance, front in enumerate(self._waves([here])):
            distances.update(dict.fromkeys(front, distance))
            end = max(sorted(front), key=lambda cell: (self._views[cell] & unseen).bit_count())
            if self._views[end] & unseen:
                break
        way = [end]
        for left in range(distances[end] - 1, 0, -1):
            nearer = (cell for cell in self._go(way[-1]) if distances.get(cell) == left)
            way.append(next(nearer))
        way.reverse()
        return way

    def _ruin(self, routes: _Routes) -> _Routes:
        """Return the routes without some stops that lie near each other; the ways go past them."""
        random = self._random
        distances = self._look_around(random.choice(self._cells))
        left = random.randint(1, _REMOVED)
        routes = {group: _divide(legs) for group, legs in routes.items()}
        for group, number in self._list_nearest(routes, distances):
            count = len(routes[group])
            removed = random.choice((left, random.randint(1, left)))
            begin = min(number - random.randrange(removed), count - removed)
            begin = max(1, begin)
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
                distance = distances.get(front, _FAR)
                stops.append((distance, self._random.random(), group, number))
            if stops:
                nearest.append(min(stops))
        for _, _, group, number in sorted(nearest):
            yield group, number

    def _remove_stops(self, routes: _Routes, group: int, begin: int, end: int) -> None:
        """Remove some stops from a route; a way that is no longer leads to the next one."""
        legs = routes[group]
        routes[group] = legs[:begin] + legs[end + 1 :]
        if end == len(legs):
            return
        old_way = list(chain.from_iterable(legs[begin : end + 1]))
        unseen = self._find_unseen(routes)
        way = self._go_to(legs[begin - 1][-1], old_way[-1], group, unseen)
        if way is None or len(way) > len(old_way):
            way = old_way
        if way:
            routes[group].insert(begin, way)

    def _recreate(self, routes: _Routes) -> bool:
        """Add stops that see what nobody sees, in any order; return whether all is seen then."""
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
            weight = (_count_pairs(legs) / mean) ** (_POWER - 1)
            gaps = [distances.get(leg[-1][0], _FAR) - _IN_SIGHT for leg in legs]
            for number, gap in enumerate(gaps, start=1):
                turns = gap
                if number < len(legs):
                    turns += gaps[number] - len(legs[number])
                cost = max(turns, 0) * weight + self._random.random() / 2
                yield _Slot(cost, weight, group, number, legs)

    def _find_detour(self, slot: _Slot, cell: int, unseen: int) -> _Detour:
        """Return the cheapest of some detours through a slot to stops in sight of a cell."""
        divided = slot.divided
        next_stops = [leg[-1] for leg in divided]
        neighbours = [slot.here, *next_stops]
        stops = []
        for pair in self._list_pairs(cell, slot.group):
            turns = sum(self._count_turns(pair, other) for other in neighbours)
            news = (self._see([pair]) & unseen).bit_count()
            cost = turns * slot.weight - news / 10 + self._random.random() / 2
            stops.append((cost, pair))
        cost, stop = min(stops)
        cost -= slot.weight * _count_pairs(divided)
        return _Detour(cost, slot, [stop, *next_stops])

    def _list_pairs(self, cell: int, group: int) -> Iterator[_Pair]:
        """Yield ways in which a group could stand in sight of a cell."""
        random = self._random
        cells = self._seen_from[cell]
        for one in random.sample(cells, min(_CELLS, len(cells))):
            other = random.choice(self._seen_from[one])
            if len(self._groups[group]) == 1 or random.random() < _TOGETHER:
                yield one, one
            else:
                yield random.choice(((one, other), (other, one)))

    def _follow(
        self, here: _Pair, stops: Sequence[_Pair], group: int, unseen: int
    ) -> list[_Leg] | None:
        """Return the ways from stop to stop; None if the group would part."""
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
        """Return a short way to a stop that sees much; None if the group would part."""
        turns = self._count_turns(here, stop)
        if turns >= _FAR:
            return None
        for more in range(_MORE):
            width = 1 + _BEAM * more
            way = self._find_way(here, stop, group, turns + more, width, unseen)
            if way is not None:
                return way
        return None

    def _find_way(
        self, here: _Pair, stop: _Pair, group: int, turns: int, width: int, unseen: int
    ) -> _Leg | None:
        """Return a way to a stop in some turns by a beam search of this width, if it finds one."""
        views = self._views
        noise = self._random.random
        front_distances, rear_distances = map(self._look_around, stop)
        came_from = {here: here}
        beam = {here: unseen}
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
                        ahead.append((news.bit_count() + noise(), to, dark & ~news))
            beam = {to: dark for _, to, dark in nlargest(width, ahead)}
        if stop not in came_from:
            return None
        way = [stop]
        while way[-1] != here:
            way.append(came_from[way[-1]])
        return way[-2::-1]

    def _list_steps(self, pair: _Pair, group: int) -> Iterable[_Pair]:
        """List where a group can be a turn later: on one cell, or its parts in sight."""
        if len(self._groups[group]) == 1:
            return [(to, to) for to in self._go(pair[0])]
        self._pause()
        return self._list_abreast(pair)

    def _find_abreast(self, pair: _Pair) -> list[_Pair]:
        """List where the parts of a group can be a turn later, in sight of each other."""
        steps = []
        for front, rear in product(*map(self._go, pair)):
            if self._views[front] & self._bits[rear]:
                steps.append((front, rear))
        return steps

    def _count_turns(self, here: _Pair, there: _Pair) -> int:
        """Return the turns in which a group comes to a place, if it need not keep together."""
        front, rear = there
        front_turns = self._look_around(front).get(here[0], _FAR)
        rear_turns = self._look_around(rear).get(here[1], _FAR)
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
        """Return the first cell of a set of cells, which is the lowest bit of a number."""
        return self._cells[(cells & -cells).bit_length() - 1]

    def _waves(self, first: Iterable[int]) -> Iterator[list[int]]:
        """Yield these cells, those that are a move away, and so on."""
        front = sorted(first)
        known = set(front)
        while front:
            yield front
            ahead = dict.fromkeys(chain.from_iterable(map(self._go, front)))
            front = [cell for cell in ahead if cell not in known]
            known.update(front)

    def _go(self, cell: int) -> Iterable[int]:
        """Return the cells that are a move away."""
        self._pause()
        return self._leads[cell]


def _divide(legs: Iterable[_Leg]) -> list[_Leg]:
    """Divide long legs, so that they have more stops."""
    divided = list[_Leg]()
    for leg in legs:
        for begin in range(0, len(leg), _LONGEST):
            divided.append(leg[begin : begin + _LONGEST])
    return divided


def _count_pairs(legs: Iterable[_Leg]) -> int:
    return sum(map(len, legs))


def _rate(routes: _Routes) -> float:
    """Return a mean of the routes' lengths, in which the longest ones count most."""
    total = sum(_count_pairs(legs) ** _POWER for legs in routes.values())
    mean = total / len(routes)
    return float(mean ** (1 / _POWER))


def _measure(routes: _Routes) -> int:
    """Return the number of turns until the last group is at its end."""
    return max(map(_count_pairs, routes.values())) - 1


@dataclass
class PlanSearch:
    """A search for the plan of the fewest turns, with the best plan and bound so far.

    Attributes:
        rules: The rules that judge plans.
        map_: The map.
        bound: No plan in which everybody survives has fewer turns; None before the rules have
            read the map.
        plan: The best plan that the rules accept and everybody survives; empty if there is none.
        turns: The number of its turns.
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
        """Whether no plan can be better."""
        return self.bound is not None and self.turns == self.bound

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints on one line."""
        return {
            "game": _GAME.replace("_", "-"),
            "map": self.map_.name,
            "turns": self.turns,
            "lower_bound": self.bound,
            "proved": self.proved,
            "costars": self.map_.costars if self.plan else None,
            "extras": self.map_.extras if self.plan else None,
            "plan": self.plan or None,
        }

    def run(self) -> None:
        """Search until a plan is proved to be the best, or a limit is reached.

        Raises:
            InputError: There is something wrong with the map, or it has no plan.
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
            moves = self._solve(facts, turns)
            if moves is not None:
                self._try_plan(moves)
                if not self.proved:
                    # A user's rules may say of a record what they do not say of a turn.
                    refused = f"a plan of {turns} turns is found, but no check accepts it"
                    self.stopped = f"stopped: {refused}"
                return
            self._raise_bound(turns + 1)
            if self.proved:
                return

    def _solve(self, facts: Facts, turns: int) -> list[list[str]] | None:
        """Return the moves of each turn of a plan that the rules find; None if there is none."""
        self._deadline.check()
        limits = replace(self.rules.changes.limits, seconds=self._deadline.left)
        program = replace(self.rules.program(_SOLVE), limits=limits)
        answers = solve_each(program, {**facts, "horizon": [(turns,)]}, ["--models=1"])
        if not answers:
            return None
        moves: list[list[str]] = [[] for _ in range(turns)]
        for person, direction, turn in sorted(answers[0].read(MoveRow)):
            moves[turn - 1].append(f"{person}{direction}")
        return moves

    def _try_plan(self, moves: Sequence[Sequence[str]]) -> None:
        """Keep a plan, the moves of each turn, if it is better and everybody survives it."""
        turns = len(moves)
        lines = [" ".join(words) + "." for words in moves]
        # The rules judge what the plan claims: who is alive at its end.
        lines.append(f"{turns} {self.map_.costars} {self.map_.extras}\n")
        plan = "\n".join(lines)
        files = [(self.map_.name, self.map_.text), ("the plan", plan)]
        verdict = GameFolder(_GAME).type.check(self.rules, files)
        played = verdict.result["turns"]
        if verdict.consistent:
            if self.turns is None or turns < self.turns:
                self.plan = plan
                self.turns = turns
                self.report()
        elif verdict.result["finished"] and played < turns:
            # Somebody on the way to the last cells has seen them earlier.
            self._try_plan(moves[:played])

    def _raise_bound(self, bound: int) -> None:
        self.bound = bound
        self.report()

    def report(self) -> None:
        """Show the best plan and bound so far as progress."""
        message = "no plan yet"
        if self.plan:
            message = f"best plan so far: {self.turns} turns"
        if self.bound is not None:
            noun = "turn" if self.bound == 1 else "turns"
            message = f"at least {self.bound} {noun}; {message}"
        show_progress(message)


_HELP = """The fewest turns of a search that everybody survives.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the two meet, the plan is proved to be the best. With --limit-seconds, or when
it is interrupted, the command prints the best plan and the best bound so far.
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
def solve(run: Run, map_path: str, record: str | None) -> Exit:
    """Search for the best plan on a map."""
    text = read_input(map_path, MAP_FILE)
    inputs = [map_path, *run.rules.changes.paths]
    if record is not None:
        check_whole(record, inputs)
    search = PlanSearch(run.rules, read_map(text, map_path))
    try:
        search.report()
        search.run()
    finally:
        # A signal, too, ends the search with its results so far.
        if search.plan and record is not None:
            write_whole(record, search.plan.encode(), inputs)
        if search.bound is not None:
            run.show(_make_output(search))
    if search.stopped:
        complain(search.stopped, kind="note")
    return Exit.FINE if search.plan else Exit.UNUSABLE


def _make_output(search: PlanSearch) -> Output:
    found = search.to_json()
    keys = ("map", "turns", "lower_bound", "proved", "costars", "extras")
    columns = tuple(key.replace("lower_bound", "at least") for key in keys)
    row = tuple(render(found[key]) for key in keys)
    table = Table("", columns, rows=(row,))
    blocks: list[Table | Text] = [table]
    if search.plan:
        blocks.append(Text(search.plan, "picture"))
    return Output(blocks, [found], table)


COMMANDS = {"solve": solve}
