"""Shepherd: one rabbit leads each crusher about, so that the others can pass. See shepherd.md.

Start it as the controller does: ``python shepherd.py MAP SEED``.
"""

import re
import sys
from collections import deque
from heapq import heappop, heappush
from pathlib import Path

FAR = 10_000

# How the ways to the exits are found: what a step onto another start's way costs, how much warmer
# a cell gets where a crusher is, how it cools, and how many turns a way lasts.
SHARED, HEAT, COOLING, TURNS_OF_A_WAY = 4, 1.0, 0.85, 10

# How bad a chase is: a turn in which the crusher sees a start, is on a way, or drives rabbits back
# on it; a rabbit on a way that is nearly as close as the decoy; a crusher that sees a way when its
# decoy turns a corner. Later turns count a little less.
WATCHED, ON_WAY, AGAINST, CLOSE_BY, DISTRACTED, LATER = 1.0, 1.5, 3.0, 1.0, 6.0, 0.99
# A decoy that is caught, one that the crusher does not see, and what each step of distance adds.
CAUGHT, LOST, STEP_IN_SIGHT, STEP_APART = 40.0, 20.0, 0.3, 0.5
# The first judgement takes so many rounds. Later ones go on from it, a round a turn: no answer may
# take long.
ROUNDS, MORE_ROUNDS = 60, 8

# How far from a crusher without prey a decoy is looked for, and how far a decoy looks ahead.
CALL, DEPTH = 16, 2
# What others fear: to be crushed; to be seen sooner than the decoy; to be seen nearly as soon; to
# be two steps from a crusher without decoy.
DEATH, DEATH_BESIDE_DECOY, SEEN, ALMOST, NEAR = 60, 20, 60, 3, 1.5


class Station:
    """What follows from the map alone. A cell is one number, y times the width plus x."""

    def __init__(self, text):
        """Read the rows as the controller does."""
        rows = [line.strip() for line in text.splitlines()]
        rows = [row for row in rows if row and row[0] != ";"]
        self.width = width = max(map(len, rows))
        cells = {y * width + x: sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
        self.open = {cell for cell, sign in cells.items() if sign != "#"}
        self.exits = {cell for cell, sign in cells.items() if sign == "e"}
        self.starts = [cell for cell, sign in cells.items() if sign == "s"]
        self.crushers = [cell for cell, sign in cells.items() if sign == "c"]
        self.steps = (-width, 1, width, -1)
        self.near = {c: [c + s for s in self.steps if c + s in self.open] for c in self.open}
        self.rays = {c: [self._look(c, step) for step in self.steps] for c in self.open}
        self.sees = {
            c: {cell: n for ray in self.rays[c] for n, cell in enumerate(ray, 1)} for c in self.open
        }

    def _look(self, cell, step):
        ray = []
        while cell + step in self.open:
            cell += step
            ray.append(cell)
        return ray

    def count_steps(self, goal, most):
        """Count the steps to a cell from those that are not too far from it."""
        found = {goal: 0}
        queue = deque(found)
        while queue and found[queue[0]] < most:
            cell = queue.popleft()
            for near in self.near[cell]:
                if near not in found:
                    found[near] = found[cell] + 1
                    queue.append(near)
        return found

    def weigh(self, heat, shared):
        """Measure the way to the exits, where hot and shared cells are longer."""
        found = {}
        heap = [(0, cell) for cell in self.exits]
        while heap:
            far, cell = heappop(heap)
            if cell not in found:
                found[cell] = far
                far += 1 + heat.get(cell, 0) + SHARED * (cell in shared)
                for near in self.near[cell]:
                    heappush(heap, (far, near))
        return found

    def follow(self, cell, left):
        """Follow the way from a start to an exit."""
        way = set()
        while cell in left:
            way.add(cell)
            if cell in self.exits:
                break
            cell = min(self.near[cell], key=lambda near: (left.get(near, FAR), near))
        return way


class Chases:
    """How bad it is that a crusher follows a decoy on the next cell: the worth of such a pair."""

    def __init__(self, station):
        """Begin as if no chase did any harm."""
        self.station = station
        self.worth = {(c, r): 0.0 for c in station.open for r in station.near[c]}
        self.turns = {}
        starts = set(station.starts)
        self.watched = {
            c: sum(start == c or start in station.sees[c] for start in starts) for c in station.open
        }

    def prepare(self, ways, left):
        """List what pairs lead to, with the ways and distances of each start."""
        every = set().union(*ways.values())
        self.turns = {pair: list(self.list_turns(*pair, every, ways, left)) for pair in self.worth}

    def judge(self, rounds):
        """Judge all chases by what they lead to."""
        worth = self.worth
        for _ in range(rounds):
            for pair, options in self.turns.items():
                worth[pair] = min(
                    (
                        cost + LATER * (chance * worth[after] + (1 - chance) * LOST)
                        for cost, chance, after in options
                    ),
                    default=CAUGHT,
                )

    def list_turns(self, crusher, decoy, every, ways, left):
        """List where the decoy can go: the cost, the chance that the crusher follows, the pair."""
        station, step = self.station, decoy - crusher
        sides = [s for s in station.steps if abs(s) != abs(step) and crusher + s in station.open]
        cost = WATCHED * self.watched[decoy] + ON_WAY * (decoy in every)
        for goal in station.near[decoy]:
            if goal == crusher:
                continue
            price = cost + AGAINST * any(
                decoy in way and goal in way and left[start][goal] > left[start][decoy]
                for start, way in ways.items()
            )
            seen = station.sees[crusher]
            if goal - decoy == step:
                # The crusher sees the decoy two steps ahead; those who are as close distract it.
                close = sum(
                    n <= 2 and c in every and c not in (decoy, goal) for c, n in seen.items()
                )
                yield price + CLOSE_BY * close, 1.0, (decoy, goal)
            elif not every.isdisjoint(seen):
                yield price + DISTRACTED, 0.5, (decoy, goal)
            else:
                # It does not see the decoy round the corner, and goes on or aside by chance.
                chance = 1 / (1 + len(sides))
                yield price + 2 * (1 - chance), chance, (decoy, goal)


class Bot:
    """What is known of a run."""

    def __init__(self, text):
        """Find the first ways on the map that is given as text."""
        self.map = Station(text)
        self.crushers = dict.fromkeys(self.map.crushers)  # with the last step of each
        self.heat = {}
        self.turn = 0
        self.group = {}  # the start of each rabbit
        self.ways = {start: set() for start in self.map.starts}
        self.left = {}
        self.find_ways()
        self.find_ways()
        self.chases = Chases(self.map)
        self.chases.prepare(self.ways, self.left)
        self.chases.judge(ROUNDS)
        self.rounds_left = 0

    def find_ways(self):
        """Find a way for the rabbits of each start."""
        for start in self.ways:
            others = [way for other, way in self.ways.items() if other != start]
            shared = set().union(*others) - self.map.exits
            self.left[start] = self.map.weigh(self.heat, shared)
            self.ways[start] = self.map.follow(start, self.left[start])

    def note(self, actions):
        """Note the crushers' moves, pairs of cells, and now and then find new ways."""
        for source, target in actions:
            self.crushers.pop(source, None)
            self.crushers[target] = target - source
        for c in self.crushers:
            self.heat[c] = self.heat.get(c, 0) + HEAT
            for near in self.map.near[c]:
                self.heat[near] = self.heat.get(near, 0) + HEAT / 2
        self.turn += 1
        if self.turn % TURNS_OF_A_WAY == 0:
            warm = {cell: heat * COOLING for cell, heat in self.heat.items()}
            self.heat = {cell: heat for cell, heat in warm.items() if heat >= 0.05}
            before = set().union(*self.ways.values())
            self.find_ways()
            if before != set().union(*self.ways.values()):
                self.chases.prepare(self.ways, self.left)
                self.rounds_left = MORE_ROUNDS
        if self.rounds_left:
            self.rounds_left -= 1
            self.chases.judge(1)

    def view(self, crusher):
        """List what a crusher sees up to walls and other crushers: distances and cells."""
        found = []
        for ray in self.map.rays[crusher]:
            for n, cell in enumerate(ray, 1):
                if cell in self.crushers:
                    break
                found.append((n, cell))
        return found

    def list_reactions(self, crusher, last, decoy):
        """List the cells and steps that a crusher may choose if it has no other prey."""
        distance = self.map.sees[crusher].get(decoy)
        if distance:
            step = (decoy - crusher) // distance
            return [(crusher + step, step)]
        back = -(last or 0)
        steps = [s for s in self.map.steps if s != back and crusher + s in self.map.open]
        if not steps and back:
            steps = [back]
        return [(crusher + s, s) for s in steps] or [(crusher, last)]

    def fear(self, crusher, last, decoy, depth):
        """Tell how bad it is for a decoy to be there when its crusher chooses."""
        reactions = self.list_reactions(crusher, last, decoy)
        total = 0
        for cell, step in reactions:
            total += CAUGHT + 10 if cell == decoy else self.judge_pair(cell, step, decoy, depth)
        return total / len(reactions)

    def judge_pair(self, crusher, last, decoy, depth):
        """Tell how bad such a place is for a decoy that may move next."""
        distance = self.map.sees[crusher].get(decoy)
        if distance == 1:
            return self.chases.worth[crusher, decoy]
        if distance:
            # The decoy waits until the crusher is beside it.
            step = (decoy - crusher) // distance
            return self.chases.worth[decoy - step, decoy] + STEP_IN_SIGHT * distance
        if not depth:
            rows = abs(crusher // self.map.width - decoy // self.map.width)
            columns = abs(crusher % self.map.width - decoy % self.map.width)
            return LOST + STEP_APART * (rows + columns)
        cells = [cell for cell in [decoy, *self.map.near[decoy]] if cell != crusher]
        return 0.5 + LATER * min(self.fear(crusher, last, cell, depth - 1) for cell in cells)

    def choose_decoys(self, rabbits):
        """Choose for each crusher the rabbit that it will follow, or one nearby that it may."""
        decoys = {}
        for c in sorted(self.crushers):
            free = rabbits.difference(decoys.values())
            seen = [(n, cell) for n, cell in self.view(c) if cell in free]
            if not seen:
                reach = self.map.count_steps(c, CALL)
                seen = [(reach[r], r) for r in free if r in reach]
            if seen:
                decoys[c] = min(seen)[1]
        return decoys

    def weigh_decoys(self, decoys):
        """Judge where each decoy could go: a number for each cell."""
        return {
            decoy: {
                cell: self.fear(crusher, self.crushers[crusher], cell, DEPTH)
                for cell in [decoy, *self.map.near[decoy]]
                if cell not in self.crushers
            }
            for crusher, decoy in decoys.items()
        }

    def find_danger(self, decoys, plans):
        """Find what the other rabbits had better keep away from."""
        danger = {}
        for c in self.crushers:
            lead = FAR
            if c in decoys:
                plan = plans[decoys[c]]
                lead = self.map.sees[c].get(min(plan, key=lambda cell: (plan[cell], cell)), FAR)
            else:
                for near in self.map.near[c]:
                    for cell in self.map.near[near]:
                        danger[cell] = danger.get(cell, 0) + NEAR
            for n, cell in self.view(c):
                if n == 1:
                    fear = DEATH if lead > 1 else DEATH_BESIDE_DECOY
                else:
                    fear = SEEN / n if n <= lead else ALMOST * (n == lead + 1)
                danger[cell] = danger.get(cell, 0) + fear
        return danger

    def answer(self, cells):
        """Choose the moves of the rabbits on these cells, pairs of cells."""
        rabbits = set(cells)
        decoys = self.choose_decoys(rabbits)
        plans = self.weigh_decoys(decoys)
        danger = self.find_danger(decoys, plans)
        group = {r: r if r in self.ways else self.group.get(r, self.map.starts[0]) for r in rabbits}
        wishes = {
            r: self.wish(r, plans.get(r), self.left[group[r]], danger)
            for r in sorted(
                rabbits, key=lambda r: (r not in plans, self.left[group[r]].get(r, FAR), r)
            )
        }
        goals = arrange(wishes, self.map.exits)
        self.group = {goal: group[r] for r, goal in goals.items()}
        return [(r, goal) for r, goal in goals.items() if r != goal]

    def wish(self, rabbit, plan, left, danger):
        """List where a rabbit would go, the best cell first."""
        judged = []
        for cell in [rabbit, *self.map.near[rabbit]]:
            if cell not in self.crushers:
                score = plan[cell] if plan else left.get(cell, FAR) + danger.get(cell, 0)
                if not plan and cell in self.map.exits:
                    score -= 100
                judged.append((score, cell != rabbit, cell))
        return [cell for _, _, cell in sorted(judged)]


def arrange(wishes, exits):
    """Give each rabbit a cell of its own, and nobody's cell before its rabbit has found another.

    Who wants the cell of a rabbit that has not chosen yet makes it choose at once; if it has to
    stay, the other takes its next wish. Rabbits choose in the order of the wishes.
    """
    goals, taken, waiting = {}, set(), set(wishes)

    def place(rabbit):
        waiting.discard(rabbit)
        for cell in wishes[rabbit]:
            if cell in taken and cell not in exits:
                continue
            goals[rabbit] = cell
            taken.add(cell)
            if cell not in waiting or place(cell):
                return True
        goals[rabbit] = rabbit
        taken.add(rabbit)
        return False

    for rabbit in wishes:
        if rabbit in waiting:
            place(rabbit)
    return goals


def main():
    """Answer the controller until it closes the pipe."""
    # A long row of rabbits that push each other is as deep.
    sys.setrecursionlimit(FAR)
    bot = Bot(Path(sys.argv[1]).read_text())
    width = bot.map.width
    for message in sys.stdin:
        places = [(int(x), int(y)) for x, y in re.findall(r"(\d+),(\d+)", message)]
        cells = [y * width + x for x, y in places]
        if message.startswith("crusher"):
            bot.note(list(zip(cells[::2], cells[1::2], strict=True)))
        elif message.startswith("rabbits"):
            moves = bot.answer(cells)
            words = [f"{a % width},{a // width} to {b % width},{b // width}" for a, b in moves]
            print("move " + "; ".join(words), flush=True)


if __name__ == "__main__":
    main()
