"""The fewest turns in which everybody survives a search: plans, and bounds that none can beat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from typing import Any

import click

from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.solve import solve_each
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts
from kb_score.errors import InputError
from kb_score.games.search_party.check import check_map, judge_record
from kb_score.games.search_party.records import MAP_FILE, Map, read_map, read_record
from kb_score.games.search_party.rules import (
    GAME,
    SCOUT,
    SOLVE,
    CrewRow,
    InvalidMapRow,
    LeadsRow,
    MoveRow,
    StartingCellRow,
    ViewsRow,
)
from kb_score.games.verbs.command import game_options, make_verb
from kb_score.shell.files import check_whole, read_input, write_whole
from kb_score.shell.output import Exit, Output, Table, Text, complain, render, show, show_progress

# Marks that are nearer to each other tell a search nothing new.
_NEAR = 3


class Scout:
    """Looks round a map, by what the rules say of single cells."""

    def __init__(self, rules: GameRules, map_: Map, pause: Callable[[], object]) -> None:
        """Ask the rules about a map; ``pause`` is called now and then, and may raise."""
        answer = rules.ask(SCOUT, map_.facts())
        check_map(map_, answer.read(InvalidMapRow))
        (self._start,) = (row.cell for row in answer.read(StartingCellRow))
        self._map, self._pause = map_, pause
        self._groups = defaultdict[int, list[str]](list)
        for person, group in sorted(answer.read(CrewRow)):
            self._groups[group].append(person)
        self._leads = defaultdict[int, list[LeadsRow]](list)
        for lead in sorted(answer.read(LeadsRow)):
            self._leads[lead.cell].append(lead)
        self._views = defaultdict[int, list[int]](list)
        self._seen_from = defaultdict[int, list[int]](list)
        for cell, seen in answer.read(ViewsRow):
            self._views[cell].append(seen)
            self._seen_from[seen].append(cell)

    def reach(self) -> tuple[int, int]:
        """Find out how soon a cell can be seen, of that which can be seen last; and that cell."""
        moves, last = 0, self._start
        hidden = set(self._leads)
        for turn, front in enumerate(self._waves([self._start])):
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
            for moves, front in enumerate(self._waves(self._seen_from[mark])):
                for cell in front:
                    gaps[cell] = min(gaps.get(cell, moves), moves)
                    yield mark, cell, moves
            mark = max(sorted(gaps), key=gaps.__getitem__)
            if gaps[mark] <= _NEAR:
                return

    def walk(self) -> list[list[str]]:
        """List the moves of each turn of walks that see all there is, if the rules allow them.

        Every group goes on to the nearest cells that are new, those left out to which another one
        is on its way.
        """
        routes: dict[int, list[int]] = {group: [] for group in self._groups}
        waiting = [(0, group, self._start) for group in sorted(routes)]
        new = set(self._leads).difference(self._views[self._start])
        while waiting:
            _, group, here = heappop(waiting)
            if leg := self._find_leg(here, new):
                for row in leg:
                    new.difference_update(self._views[row.to])
                routes[group] += [row.direction for row in leg]
                heappush(waiting, (len(routes[group]), group, leg[-1].to))
        moves: list[list[str]] = [[] for _ in range(max(map(len, routes.values())))]
        for group, route in routes.items():
            for turn, direction in enumerate(route):
                moves[turn] += [f"{person}{direction}" for person in self._groups[group]]
        return moves

    def _find_leg(self, here: int, new: set[int]) -> list[LeadsRow]:
        """Find the moves to where most new cells are seen, of the nearest where any is."""
        came: dict[int, LeadsRow] = {}
        for front in self._waves([here], came) if new else ():
            catch, cell = max((len(new.intersection(self._views[c])), -c) for c in front)
            if catch:
                leg = [came[-cell]]
                while leg[-1].cell != here:
                    leg.append(came[leg[-1].cell])
                return leg[::-1]
        return []

    def _waves(
        self, cells: Iterable[int], came: dict[int, LeadsRow] | None = None
    ) -> Iterator[list[int]]:
        """Yield these cells, those that are a move away, and so on; note how one ``came`` there."""
        came = {} if came is None else came
        front = sorted(cells)
        known = set(front)
        while front:
            self._pause()
            yield front
            ahead: list[int] = []
            for row in (row for cell in front for row in self._leads[cell]):
                if row.to not in known:
                    known.add(row.to)
                    ahead.append(row.to)
                    came[row.to] = row
            front = ahead


# So many marks are enough to tell the regions of a map apart; each makes the search larger.
_MARKS = 5


@dataclass(frozen=True, slots=True)
class KnownPlan:
    """What is known of a map."""

    map_: Map  # the map
    # No plan in which everybody survives has fewer turns; None if the map is not known.
    bound: int | None = None
    # The best plan so far, which the rules accept and everybody survives; empty if there is none.
    plan: str = ""
    turns: int | None = None  # how many turns it has
    stopped: str = ""  # why the search stopped before its end; empty if it did not

    @property
    def proved(self) -> bool:
        """Whether no plan can be better."""
        return self.bound is not None and self.turns == self.bound

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        return {
            "game": GAME.replace("_", "-"),
            "map": self.map_.name,
            "turns": self.turns,
            "lower_bound": self.bound,
            "proved": self.proved,
            "costars": self.map_.costars if self.plan else None,
            "extras": self.map_.extras if self.plan else None,
            "plan": self.plan or None,
        }


class PlanSearch:
    """Looks for a plan of the fewest turns.

    Attributes:
        finding: What is known so far; any thread may read it at any time.
    """

    def __init__(self, rules: GameRules, map_: Map, tell: Callable[[KnownPlan], object]) -> None:
        """Begin with a map of which nothing is known; ``tell`` is called with what is found."""
        self.finding = KnownPlan(map_)
        self._rules, self._map, self._tell = rules, map_, tell
        self._deadline = Deadline(rules.changes.limits.seconds)

    def run(self) -> None:
        """Search until a plan is proved to be the best, or a limit is reached."""
        limits = self._rules.changes.limits
        try:
            self._run()
        except (TimeUp, LimitError):
            stopped = f"stopped after {limits.seconds:g} seconds (--limit-seconds)"
            if not self._deadline.is_over:
                stopped = f"stopped: the next step takes more than {limits.memory} MiB of memory"
                stopped += " (--limit-memory)"
            self._find(stopped=stopped)

    def _run(self) -> None:
        scout = Scout(self._rules, self._map, self._deadline.check)
        bound, last = scout.reach()
        self._find(bound=bound)
        self._take(scout.walk())
        if self.finding.proved:
            return
        facts = {**self._map.facts(), "away": list(scout.mark(last, _MARKS))}
        for turns in count(bound):
            answer = self._ask({**facts, "horizon": [(turns,)]})
            if answer is not None:
                moves: list[list[str]] = [[] for _ in range(turns)]
                for person, direction, turn in sorted(answer.read(MoveRow)):
                    moves[turn - 1].append(f"{person}{direction}")
                self._take(moves)
                if not self.finding.proved:
                    # A user's rules may say of a record what they do not say of a turn.
                    refused = f"stopped: a plan of {turns} turns is found, but no check accepts it"
                    self._find(stopped=refused)
                return
            self._find(bound=turns + 1)
            if self.finding.proved:
                return

    def _ask(self, facts: Facts) -> Answer | None:
        """Ask the rules for a plan, in the time that is left; None if there is none."""
        self._deadline.check()
        limits = replace(self._rules.changes.limits, seconds=self._deadline.left)
        program = replace(self._rules.program(SOLVE), limits=limits)
        return next(iter(solve_each(program, facts, ["--models=1"])), None)

    def _take(self, moves: Sequence[Sequence[str]]) -> None:
        """Take a plan, the moves of each turn, if by the rules everybody survives it."""
        turns, lines = len(moves), [" ".join(some) + "." for some in moves]
        # The rules judge what the plan claims: who is alive at its end.
        plan = "\n".join([*lines, f"{turns} {self._map.costars} {self._map.extras}\n"])
        verdict = judge_record(self._rules, self._map, read_record(plan, "the plan", self._map))
        if verdict.consistent:
            self._find(plan=plan, turns=turns)
        elif verdict.result["finished"] and verdict.result["turns"] < turns:
            # Somebody on the way to the last cells has seen them earlier.
            self._take(moves[: verdict.result["turns"]])

    def _find(self, **news: Any) -> None:
        self.finding = replace(self.finding, **news)
        self._tell(self.finding)


_HELP = """The fewest turns of a search that everybody survives.

Prints a plan that `kb-score check search-party` accepts, and a bound: no plan in which nobody dies
has fewer turns. If the two meet, the plan is proved to be the best. With --limit-seconds, or when
it is interrupted, the command prints the best plan and the best bound so far.
"""


@make_verb("solve", GAME, _HELP, "search-party map.txt --record plan.txt")
@click.argument("map_path", metavar="MAP")
@click.option("--record", metavar="FILE", help="Write the plan to FILE, too.")
@game_options(GAME)
def solve(map_path: str, record: str | None, format_: str, rules: GameRules) -> Exit:
    """Search for the best plan on a map."""
    text = read_input(map_path, MAP_FILE)
    inputs = [map_path, *rules.changes.paths]
    if record is not None:
        check_whole(record, inputs)
    search = PlanSearch(rules, read_map(text, map_path), lambda found: show_progress(_say(found)))
    try:
        search.run()
    finally:
        # At a signal, too, what has been found is told.
        show_progress("")
        found = search.finding
        if found.plan and record is not None:
            write_whole(record, found.plan.encode(), inputs)
        if found.bound is not None:
            show(_write(found), format_)
    if found.stopped:
        complain(found.stopped, kind="note")
    return Exit.FINE if found.plan else Exit.UNUSABLE


def _say(found: KnownPlan) -> str:
    """Say in a line how far the search is."""
    plan = f"best plan so far: {found.turns} turns" if found.plan else "no plan yet"
    return plan if found.bound is None else f"at least {found.bound} turns; {plan}"


def _write(found: KnownPlan) -> Output:
    """Write what is known of a map."""
    known = found.to_json()
    keys = ("map", "turns", "lower_bound", "proved", "costars", "extras")
    columns = tuple(key.replace("lower_bound", "at least") for key in keys)
    table = Table("", columns, (tuple(render(known[key]) for key in keys),))
    blocks: list[Table | Text] = [table]
    if found.plan:
        blocks.append(Text(found.plan, "picture"))
    return Output(blocks, [known], table)


COMMANDS = {"solve": solve}
