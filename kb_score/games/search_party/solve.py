"""The fewest turns in which everybody survives a search: plans, and bounds that none can beat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush, nlargest
from itertools import count, pairwise, takewhile
from random import Random
from typing import Any, TypeVar

import click

from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.solve import solve_each
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts
from kb_score.errors import InputError
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.check import check_map, judge_record
from kb_score.games.search_party.records import MAP_FILE, Map, read_map, read_record
from kb_score.games.verbs.command import game_options, make_verb
from kb_score.shell.files import check_whole, read_input, write_whole
from kb_score.shell.output import Exit, Output, Table, Text, complain, render, show, show_progress

# Where the last of a group is, and before that where all others are.
_Pair = tuple[int, int]
_Place = TypeVar("_Place", int, _Pair)

# So many pairs of cells are looked at before walks abreast are given up.
_MOST_LOOKED = 200_000
# The first plan is made shorter so many times, by a stretch of so many turns, of which so many ways
# that see most are followed.
_WALKS, _ROUNDS, _STRETCH, _BEAM, _SEED = 5, 300, (6, 14), 20, 1
# Marks that are nearer to each other tell a search nothing new.
_NEAR = 3


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
        self._views = defaultdict[int, set[int]](set)
        self._abreast = dict[_Pair, list[_Pair]]()
        self._seen_from = defaultdict[int, list[int]](list)
        for cell, seen in answer.read(asp.ViewsRow):
            self._views[cell].add(seen)
            self._seen_from[seen].append(cell)

    def reach(self) -> tuple[int, int]:
        """Find out how soon a cell can be seen, of that which can be seen last; and that cell."""
        moves, last = 0, self._start
        hidden = set(self._leads)
        for turn, front in enumerate(_waves([self._start], self._go)):
            for cell in front:
                if found := hidden.intersection(self._views[cell]):
                    moves, last = turn, min(found)
                    hidden -= found
        if hidden:
            x, y = self._map.place(min(hidden))
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

    def walk(self, random: Random | None = None) -> dict[int, list[_Pair]]:
        """Find a route for each group, so that all is seen; empty if that takes too long.

        Every group goes on to the nearest cells that are new, those left out to which another one
        is on its way. At random, the last of a group goes where the others see her.
        """
        routes = {group: [(self._start, self._start)] for group in self._groups}
        waiting = [(0, group) for group in sorted(routes)]
        new = set(self._leads).difference(self._views[self._start])
        self._looked = 0
        while waiting:
            _, group = heappop(waiting)
            if leg := self._find_leg(routes[group][-1], new, group, random):
                new -= self._see(leg)
                routes[group] += leg
                heappush(waiting, (len(routes[group]), group))
        return {} if new else routes

    def list_moves(self, routes: Mapping[int, Sequence[_Pair]]) -> list[list[str]]:
        """List the moves of each turn of these routes."""
        moves: list[list[str]] = [[] for _ in range(_measure(routes))]
        for group, route in routes.items():
            *others, last = self._groups[group]
            for turn, ((front, rear), (to, to_rear)) in enumerate(pairwise(route)):
                moves[turn] += [f"{person}{self._leads[front][to]}" for person in others]
                moves[turn].append(f"{last}{self._leads[rear][to_rear]}")
        return moves

    def shorten(self, routes: dict[int, list[_Pair]], random: Random) -> None:
        """Replace a stretch of the longest route by another one that is no longer, if any is found.

        What nobody else sees has to be seen on the new stretch, too.
        """
        group = max(routes, key=lambda group: len(routes[group]))
        route, length = routes[group], random.randint(*_STRETCH)
        begin = random.randrange(-length // 2, len(route) - 1)
        kept, rest = route[: max(begin, 0) + 1], route[max(begin, 0) + length :]
        seen = self._see(
            pair for g, r in routes.items() for pair in (r if g != group else kept + rest)
        )
        missing = sorted(set(self._leads) - seen)
        signs = defaultdict[int, int](int)
        for number, cell in enumerate(missing):
            for place in self._seen_from[cell]:
                signs[place] |= 1 << number
        near = [self._measure(part, length) for pair in rest[:1] for part in pair]
        go = self._go_abreast if len(self._groups[group]) > 1 else self._go_together
        beam = [(kept[-1], 0)]
        came = {beam[0]: (beam[0])}
        for left in range(length - 1, -1, -1):
            ahead = []
            for state in beam:
                for a, b in go(state[0]):
                    if rest and max(near[0].get(a, length), near[1].get(b, length)) > left:
                        continue
                    found = (a, b), state[1] | signs[a] | signs[b]
                    if came.setdefault(found, state) is state:
                        ahead.append(found)
            done = [
                s for s in ahead if s[1] + 1 == 1 << len(missing) and s[0] in (rest[:1] or [s[0]])
            ]
            if done:
                stretch = [random.choice(done)]
                while came[stretch[-1]] != (kept[-1], 0):
                    stretch.append(came[stretch[-1]])
                routes[group] = [*kept, *(pair for pair, _ in stretch[::-1]), *rest[1:]]
                return
            beam = nlargest(_BEAM, ahead, key=lambda s: s[1].bit_count() + random.random())

    def _measure(self, cell: int, length: int) -> dict[int, int]:
        waves = zip(range(length), _waves([cell], self._go), strict=False)
        return {place: moves for moves, cells in waves for place in cells}

    def _see(self, route: Iterable[_Pair]) -> set[int]:
        return set[int]().union(*(self._views[cell] for pair in set(route) for cell in pair))

    def _find_leg(
        self, here: _Pair, new: set[int], group: int, random: Random | None
    ) -> list[_Pair]:
        """Find the moves to where most new cells are seen, of the nearest where any is."""
        wide = random is not None and len(self._groups[group]) > 1
        go = self._go_abreast if wide else self._go_together
        came: dict[_Pair, _Pair] = {}
        for front in _waves([here], go, came) if new else ():
            catch, _, pair = max(
                (
                    len(new & (self._views[a] | self._views[b])),
                    random.random() if random else -a,
                    (a, b),
                )
                for a, b in front
            )
            if catch:
                leg = [pair]
                while came[leg[-1]] != here:
                    leg.append(came[leg[-1]])
                return leg[::-1]
            self._looked += len(front)
            if wide and self._looked > _MOST_LOOKED:
                break
        return []

    def _go(self, cell: int) -> Iterable[int]:
        self._pause()
        return self._leads[cell]

    def _go_together(self, pair: _Pair) -> list[_Pair]:
        return [(to, to) for to in self._go(pair[0])]

    def _go_abreast(self, pair: _Pair) -> list[_Pair]:
        if pair not in self._abreast:
            front, rear = map(self._go, pair)
            self._abreast[pair] = [(a, b) for a in front for b in rear if b in self._views[a]]
        return self._abreast[pair]


def _measure(routes: Mapping[int, Sequence[_Pair]]) -> int:
    """Count the turns until the last group is at its end; -1 if there are no routes."""
    return max(map(len, routes.values()), default=0) - 1


def _waves(
    first: Iterable[_Place],
    go: Callable[[_Place], Iterable[_Place]],
    came: dict[_Place, _Place] | None = None,
) -> Iterator[list[_Place]]:
    """Yield these places, those that are a move away, and so on; note how one ``came`` there."""
    front = sorted(first)
    known = set(front)
    while front:
        yield front
        ahead: list[_Place] = []
        for here in front:
            for place in go(here):
                if place not in known:
                    known.add(place)
                    ahead.append(place)
                    if came is not None:
                        came[place] = here
        front = ahead


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
            stopped = f"stopped after {limits.seconds:g} seconds (--limit-seconds)"
            if not self._deadline.is_over:
                stopped = f"stopped: the next step takes more than {limits.memory} MiB of memory"
                stopped += " (--limit-memory)"
            self._find(stopped=stopped)

    def _run(self) -> None:
        scout = Scout(self.rules, self.map_, self._deadline.check)
        bound, last = scout.reach()
        self._find(bound=bound)
        self._take(scout.list_moves(scout.walk()))
        random = Random(_SEED)
        walks = takewhile(bool, (scout.walk(random) for _ in range(_WALKS)))
        routes = min(walks, key=_measure, default={})
        for _ in range(_ROUNDS):
            if (before := _measure(routes)) <= bound:
                break
            scout.shorten(routes, random)
            if _measure(routes) < before:
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
        known = "" if self.bound is None else f"at least {self.bound} turns; "
        show_progress(f"{known}{plan}")


_HELP = """The fewest turns of a search that everybody survives.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the two meet, the plan is proved to be the best. With --limit-seconds, or when
it is interrupted, the command prints the best plan and the best bound so far.
"""


@make_verb("solve", asp.GAME, _HELP, "search-party map.txt --record plan.txt")
@click.argument("map_path", metavar="MAP")
@click.option("--record", metavar="FILE", help="Write the plan to FILE, too.")
@game_options(asp.GAME)
def solve(map_path: str, record: str | None, format_: str, rules: GameRules) -> Exit:
    """Search for the best plan on a map."""
    text = read_input(map_path, MAP_FILE)
    inputs = [map_path, *rules.changes.paths]
    if record is not None:
        check_whole(record, inputs)
    found = PlanSearch(rules, read_map(text, map_path))
    try:
        found.tell()
        found.run()
    finally:
        # At a signal, too, what has been found is told.
        if found.plan and record is not None:
            write_whole(record, found.plan.encode(), inputs)
        if found.bound is not None:
            show(_write(found), format_)
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
