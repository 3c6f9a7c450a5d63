"""The fewest turns in which everybody survives a search: plans, and bounds that none can beat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from heapq import heappop, heappush, nlargest, nsmallest
from itertools import chain, count, pairwise
from operator import or_
from random import Random
from typing import Any

import click

from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.solve import solve_each
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts
from kb_score.errors import InputError
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.check import check_map, judge_record
from kb_score.games.search_party.records import MAP_FILE, Map, read_map, read_record
from kb_score.games.verbs.run import Run, run_command
from kb_score.shell.files import check_whole, read_input, write_whole
from kb_score.shell.output import Exit, Output, Table, Text, complain, render, show_progress

# Where the last of a group is, and before that where all others are.
_Pair = tuple[int, int]
# Where each group goes, turn by turn, in stretches that end where it is to come to.
_Routes = dict[int, list[list[_Pair]]]

# Marks that are nearer to each other tell a search nothing new.
_NEAR = 3
# From a cell distances are known to so many cells around it, and to so many in all; others are far.
_AROUND, _MOST_KNOWN, _FAR = 1000, 2_000_000, 1000
# A round takes away so many stops at most. A new one is tried at so many places of the routes, in
# so many ways each, together now and then; and so many ways are followed.
_REMOVED, _PLACES, _WAYS, _TOGETHER, _FOLLOWED = 15, 6, 10, 0.2, 3
# A group that would part goes so many turns more at most, and so many ways are looked at then. A
# longer way than this gets more stops, and the turns of a longer route count more, by a power.
_MORE, _BEAM, _LONGEST, _POWER = 5, 20, 6, 8
# What is found is compared with what was kept so many rounds ago. So many rounds are always tried.
_PAST, _ROUNDS, _SEED = 64, 300, 1


class Scout:
    """Looks round a map, by what the rules say of single cells."""

    def __init__(self, rules: GameRules, map_: Map, pause: Callable[[], object]) -> None:
        """Ask the rules about a map; ``pause`` is called now and then, and may raise."""
        answer = rules.ask(asp.SCOUT, map_.facts())
        check_map(map_, answer.read(asp.InvalidMapRow))
        (self._start,) = (row.cell for row in answer.read(asp.StartingCellRow))
        self._map, self._pause = map_, pause
        self._groups = defaultdict[int, list[str]](list)
        for person, group in sorted(answer.read(asp.GroupRow)):
            self._groups[group].append(person)
        # The cells that a move from a cell leads to, and its direction.
        self._leads = defaultdict[int, dict[int, int]](dict)
        for cell, direction, to in sorted(answer.read(asp.LeadsRow)):
            self._leads[cell][to] = direction
        self._cells = sorted(self._leads)
        # Cells that are seen are the bits of a number.
        self._bits = {cell: 1 << number for number, cell in enumerate(self._cells)}
        self._all = (1 << len(self._cells)) - 1
        self._views = dict.fromkeys(self._cells, 0)
        self._seen_from = defaultdict[int, list[int]](list)
        for cell, seen in sorted(answer.read(asp.ViewsRow)):
            self._views[cell] |= self._bits[seen]
            self._seen_from[seen].append(cell)
        self._abreast = dict[_Pair, list[_Pair]]()
        self._around = dict[int, dict[int, int]]()

    def reach(self) -> tuple[int, int]:
        """Find out how soon a cell can be seen, of that which can be seen last; and that cell."""
        moves, last, hidden = 0, self._start, self._all
        for turn, front in enumerate(_waves([self._start], self._go)):
            for cell in front:
                if found := hidden & self._views[cell]:
                    moves, last = turn, self._first(found)
                    hidden -= found
        if hidden:
            x, y = self._map.place(self._first(hidden))
            raise InputError(self._map.name, f"there is no plan: nobody can ever see {x},{y}")
        return moves, last

    def mark(self, first: int, number: int) -> Iterator[tuple[int, int, int]]:
        """Choose cells that lie far from each other, from one on."""
        gaps: dict[int, int] = {}
        mark = first
        for _ in range(number):
            for moves, front in enumerate(_waves(self._seen_from[mark], self._go)):
                for cell in front:
                    gaps[cell] = min(gaps.get(cell, moves), moves)
                    yield mark, cell, moves
            mark = max(sorted(gaps), key=gaps.__getitem__)
            if gaps[mark] <= _NEAR:
                return

    def list_moves(self, routes: _Routes) -> list[list[str]]:
        """List the moves of each turn of these routes."""
        moves: list[list[str]] = [[] for _ in range(_measure(routes))]
        for group, legs in routes.items():
            *others, last = self._groups[group]
            for turn, ((front, rear), (to, to_rear)) in enumerate(pairwise(chain(*legs))):
                moves[turn] += [f"{person}{self._leads[front][to]}" for person in others]
                moves[turn].append(f"{last}{self._leads[rear][to_rear]}")
        return moves

    def plan(self, random: Random) -> Iterator[_Routes]:
        """Yield routes by which all is seen, shorter and shorter ones.

        A round takes some stops out of the routes, and adds stops that see again what is then
        unseen. The result is kept if it is no worse than what was kept some rounds ago. The search
        goes on for as many rounds as the last better routes have taken, and some more.
        """
        yield (routes := self._walk())
        cost, best, last, number = _rate(routes), _measure(routes), 0, 0
        past = [cost] * _PAST
        while (number := number + 1) <= 2 * last + _ROUNDS:
            changed = self._ruin(routes, random)
            if self._recreate(changed, random):
                rate = _rate(changed)
                if rate <= max(cost, past[number % _PAST]):
                    routes, cost = changed, rate
                if _measure(changed) < best:
                    best, last = _measure(changed), number
                    yield changed
            past[number % _PAST] = cost

    def _walk(self) -> _Routes:
        """Find first routes: each group goes on together to the nearest cell that sees more."""
        routes: _Routes = {group: [[(self._start, self._start)]] for group in self._groups}
        waiting = [(0, group) for group in sorted(routes)]
        while unseen := self._find_unseen(routes):
            turns, group = heappop(waiting)
            moves = dict[int, int]()
            for number, front in enumerate(_waves([routes[group][-1][-1][0]], self._go)):
                moves |= dict.fromkeys(front, number)
                news, cell = max(((self._views[c] & unseen).bit_count(), -c) for c in front)
                if news:
                    break
            leg = [-cell]
            for left in range(number - 1, 0, -1):
                leg.append(next(c for c in self._go(leg[-1]) if moves.get(c) == left))
            routes[group].append([(c, c) for c in reversed(leg)])
            heappush(waiting, (turns + number, group))
        return routes

    def _ruin(self, routes: _Routes, random: Random) -> _Routes:
        """Take stops out of the routes that lie near each other, and go straight on."""
        near, left = self._look_around(random.choice(self._cells)), random.randint(1, _REMOVED)
        routes = {
            group: [leg[at : at + _LONGEST] for leg in legs for at in range(0, len(leg), _LONGEST)]
            for group, legs in routes.items()
        }
        nearest = [
            min((near.get(leg[-1][0], _FAR), random.random(), group, n) for n, leg in stops)
            for group, legs in routes.items()
            if (stops := list(enumerate(legs))[1:])
        ]
        for _, _, group, stop in sorted(nearest):
            legs, some = routes[group], random.choice((left, random.randint(1, left)))
            begin = max(1, min(stop - random.randrange(some), len(legs) - some))
            end = min(len(legs), begin + some)
            routes[group] = legs[:begin] + legs[end + 1 :]
            if end < len(legs):
                old, unseen = list(chain(*legs[begin : end + 1])), self._find_unseen(routes)
                way = self._go_to(legs[begin - 1][-1], old[-1], group, unseen, random)
                way = old if way is None or len(way) > len(old) else way
                routes[group][begin:begin] = [way] if way else []
            if not (left := left - end + begin):
                break
        return routes

    def _recreate(self, routes: _Routes, random: Random) -> bool:
        """Add stops that see what nobody sees, in any order; say whether all is seen then."""
        while unseen := self._find_unseen(routes):
            left, cells = unseen, [cell for cell in self._cells if unseen & self._bits[cell]]
            random.shuffle(cells)
            for cell in cells:
                if left & self._bits[cell] and self._add_stop(routes, cell, left, random):
                    left = self._find_unseen(routes)
            if left == unseen:
                return False
        return True

    def _add_stop(self, routes: _Routes, cell: int, unseen: int, random: Random) -> bool:
        """Add a stop from which a cell is seen, where it costs least; say whether there is one."""
        ways = list[tuple[float, int, int, list[_Pair]]]()
        for _, weight, group, at in nsmallest(_PLACES, self._list_places(routes, cell, random)):
            begin, *after = routes[group][at - 1 : at + 1]
            stops = [leg[-1] for leg in after]
            arounds = [tuple(map(self._look_around, pair)) for pair in (begin[-1], *stops)]
            best = min(
                (turns * weight - news / 10 + random.random() / 2, pair)
                for pair in self._list_pairs(cell, group, random)
                for turns in [
                    sum(max(a.get(pair[0], _FAR), b.get(pair[1], _FAR)) for a, b in arounds)
                ]
                for news in [(self._see((pair,)) & unseen).bit_count()]
            )
            ways.append((best[0] - weight * sum(map(len, after)), group, at, [best[1], *stops]))
        for _, group, at, stops in nsmallest(_FOLLOWED, ways):
            legs, new, left = routes[group], list[list[_Pair]](), unseen
            for here, stop in pairwise([legs[at - 1][-1], *stops]):
                if (way := self._go_to(here, stop, group, left, random)) is None:
                    break
                left &= ~self._see(way)
                new.append(way)
            else:
                legs[at : at + 1] = filter(None, new)
                return True
        return False

    def _list_places(
        self, routes: _Routes, cell: int, random: Random
    ) -> Iterator[tuple[float, float, int, int]]:
        """List where in the routes a cell could be seen, with estimates of what that costs."""
        self._pause()
        near, mean = self._look_around(cell), _rate(routes)
        for group, legs in routes.items():
            weight = (sum(map(len, legs)) / mean) ** (_POWER - 1)
            gaps = [near.get(leg[-1][0], _FAR) - 4 for leg in legs]
            for at, gap in enumerate(gaps, 1):
                more = gaps[at] - len(legs[at]) if at < len(legs) else 0
                yield max(gap + more, 0) * weight + random.random() / 2, weight, group, at

    def _list_pairs(self, cell: int, group: int, random: Random) -> Iterator[_Pair]:
        """List ways in which a group could stand in sight of a cell."""
        for one in random.sample(self._seen_from[cell], min(_WAYS, len(self._seen_from[cell]))):
            other = random.choice(self._seen_from[one])
            is_one = len(self._groups[group]) == 1 or random.random() < _TOGETHER
            yield (one, one) if is_one else random.choice(((one, other), (other, one)))

    def _go_to(
        self, here: _Pair, stop: _Pair, group: int, unseen: int, random: Random
    ) -> list[_Pair] | None:
        """Go on to a stop soon, and see most on the way; None if the group would part."""
        front, rear = map(self._look_around, stop)
        turns = max(front.get(here[0], _FAR), rear.get(here[1], _FAR))
        is_one = len(self._groups[group]) == 1
        for more in range(_MORE if turns < _FAR else 0):
            came, beam = {here: here}, {here: unseen}
            for left in range(turns + more - 1, -1, -1):
                ahead = list[tuple[float, _Pair, int]]()
                for pair, dark in beam.items():
                    together = ((to, to) for to in self._go(pair[0]))
                    for to in together if is_one else self._go_abreast(pair):
                        soon = front.get(to[0], _FAR) <= left and rear.get(to[1], _FAR) <= left
                        if soon and came.setdefault(to, pair) is pair:
                            news = (self._views[to[0]] | self._views[to[1]]) & dark
                            ahead.append((news.bit_count() + random.random(), to, dark & ~news))
                beam = {to: rest for _, to, rest in nlargest(1 + _BEAM * more, ahead)}
            if stop in came:
                way = [stop]
                while way[-1] != here:
                    way.append(came[way[-1]])
                return way[-2::-1]
        return None

    def _look_around(self, cell: int) -> dict[int, int]:
        """Count the moves from a cell to those around it."""
        if cell not in self._around:
            if sum(map(len, self._around.values())) > _MOST_KNOWN:
                self._around.clear()
            around = self._around[cell] = dict[int, int]()
            for moves, front in enumerate(_waves([cell], self._go)):
                around.update(dict.fromkeys(front, moves))
                if len(around) > _AROUND:
                    break
        return self._around[cell]

    def _see(self, way: Iterable[_Pair]) -> int:
        return reduce(or_, map(self._views.__getitem__, set(chain.from_iterable(way))), 0)

    def _find_unseen(self, routes: _Routes) -> int:
        return self._all & ~self._see(chain.from_iterable(chain.from_iterable(routes.values())))

    def _first(self, cells: int) -> int:
        return self._cells[(cells & -cells).bit_length() - 1]

    def _go(self, cell: int) -> Iterable[int]:
        self._pause()
        return self._leads[cell]

    def _go_abreast(self, pair: _Pair) -> list[_Pair]:
        if pair not in self._abreast:
            front, rear = map(self._go, pair)
            self._abreast[pair] = [
                (a, b) for a in front for b in rear if self._views[a] & self._bits[b]
            ]
        return self._abreast[pair]


def _rate(routes: _Routes) -> float:
    """Rate routes by a mean of their lengths, in which the longest ones count most."""
    lengths = [sum(map(len, legs)) for legs in routes.values()]
    return float((sum(length**_POWER for length in lengths) / len(lengths)) ** (1 / _POWER))


def _measure(routes: _Routes) -> int:
    """Count the turns until the last group is at its end."""
    return max(sum(map(len, legs)) for legs in routes.values()) - 1


def _waves(first: Iterable[int], go: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """Yield these cells, those that are a move away, and so on."""
    front = sorted(first)
    known = set(front)
    while front:
        yield front
        ahead = [to for cell in front for to in go(cell)]
        front = [to for to in dict.fromkeys(ahead) if to not in known]
        known.update(front)


# So many marks are enough to tell the regions of a map apart; each makes the search larger.
_MARKS = 5


@dataclass
class PlanSearch:
    """Looks for a plan of the fewest turns, and holds what is known of it so far."""

    rules: GameRules
    map_: Map
    # No plan in which everybody survives has fewer turns; None if the map is not known.
    bound: int | None = None
    # The best plan so far, which the rules accept and everybody survives; empty if there is none.
    plan: str = ""
    turns: int | None = None  # how many turns it has
    stopped: str = ""  # why the search stopped before its end; empty if it did not

    def __post_init__(self) -> None:
        """Begin to count the time."""
        self._deadline = Deadline(self.rules.changes.limits.seconds)

    @property
    def proved(self) -> bool:
        """Whether no plan can be better."""
        return self.bound is not None and self.turns == self.bound

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        return {
            "game": asp.GAME.replace("_", "-"),
            "map": self.map_.name,
            "turns": self.turns,
            "lower_bound": self.bound,
            "proved": self.proved,
            "costars": self.map_.costars if self.plan else None,
            "extras": self.map_.extras if self.plan else None,
            "plan": self.plan or None,
        }

    def run(self) -> None:
        """Search until a plan is proved to be the best, or a limit is reached."""
        limits = self.rules.changes.limits
        try:
            self._run()
        except (TimeUp, LimitError):
            stopped = f"stopped after {limits.seconds:g} s (--limit-seconds)"
            if not self._deadline.is_over:
                stopped = f"stopped: the next step takes more than {limits.memory} MiB of memory"
                stopped += " (--limit-memory)"
            self._find(stopped=stopped)

    def _run(self) -> None:
        scout = Scout(self.rules, self.map_, self._deadline.check)
        bound, last = scout.reach()
        self._find(bound=bound)
        for routes in scout.plan(Random(_SEED)):
            self._take(scout.list_moves(routes))
            if self.proved:
                return
        facts = {**self.map_.facts(), "away": list(scout.mark(last, _MARKS))}
        for turns in count(bound):
            answer = self._ask({**facts, "horizon": [(turns,)]})
            if answer is not None:
                moves: list[list[str]] = [[] for _ in range(turns)]
                for person, direction, turn in sorted(answer.read(asp.MoveRow)):
                    moves[turn - 1].append(f"{person}{direction}")
                self._take(moves)
                if not self.proved:
                    # A user's rules may say of a record what they do not say of a turn.
                    refused = f"stopped: a plan of {turns} turns is found, but no check accepts it"
                    self._find(stopped=refused)
                return
            self._find(bound=turns + 1)
            if self.proved:
                return

    def _ask(self, facts: Facts) -> Answer | None:
        """Ask the rules for a plan, in the time that is left; None if there is none."""
        self._deadline.check()
        limits = replace(self.rules.changes.limits, seconds=self._deadline.left)
        program = replace(self.rules.program(asp.SOLVE), limits=limits)
        return next(iter(solve_each(program, facts, ["--models=1"])), None)

    def _take(self, moves: Sequence[Sequence[str]]) -> None:
        """Take a plan, the moves of each turn, if by the rules everybody survives it."""
        turns, lines = len(moves), [" ".join(some) + "." for some in moves]
        # The rules judge what the plan claims: who is alive at its end.
        plan = "\n".join([*lines, f"{turns} {self.map_.costars} {self.map_.extras}\n"])
        verdict = judge_record(self.rules, self.map_, read_record(plan, "the plan", self.map_))
        if verdict.consistent:
            if self.turns is None or turns < self.turns:
                self._find(plan=plan, turns=turns)
        elif verdict.result["finished"] and verdict.result["turns"] < turns:
            # Somebody on the way to the last cells has seen them earlier.
            self._take(moves[: verdict.result["turns"]])

    def _find(self, **news: Any) -> None:
        vars(self).update(news)
        self.tell()

    def tell(self) -> None:
        """Tell what is known so far."""
        plan = f"best plan so far: {self.turns} turns" if self.plan else "no plan yet"
        least = self.bound
        known = "" if least is None else f"at least {least} turn{'s' * (least != 1)}; "
        show_progress(f"{known}{plan}")


_HELP = """The fewest turns of a search that everybody survives.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the two meet, the plan is proved to be the best. With --limit-seconds, or when
it is interrupted, the command prints the best plan and the best bound so far.
"""


@run_command(
    asp.GAME,
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
    found = PlanSearch(run.rules, read_map(text, map_path))
    try:
        found.tell()
        found.run()
    finally:
        # At a signal, too, what has been found is told.
        if found.plan and record is not None:
            write_whole(record, found.plan.encode(), inputs)
        if found.bound is not None:
            run.show(_write(found))
    if found.stopped:
        complain(found.stopped, kind="note")
    return Exit.FINE if found.plan else Exit.UNUSABLE


def _write(found: PlanSearch) -> Output:
    known = found.to_json()
    keys = ("map", "turns", "lower_bound", "proved", "costars", "extras")
    columns = tuple(key.replace("lower_bound", "at least") for key in keys)
    table = Table("", columns, (tuple(render(known[key]) for key in keys),))
    blocks: list[Table | Text] = [table]
    if found.plan:
        blocks.append(Text(found.plan, "picture"))
    return Output(blocks, [known], table)


COMMANDS = {"solve": solve}
