"""Shepherd: one rabbit leads each crusher about, so that the others can pass. See shepherd.md.

Start it as the controller does: ``python shepherd.py MAP SEED``.
"""

import re
import sys
from collections import deque
from heapq import heappop, heappush
from pathlib import Path

FAR = 10_000
DISCOUNT = 0.99
SHARE, ATTRACT, POWER = 4, 60, 1
HEAT, COOL, EVERY = 1.0, 0.85, 10
W0, T, FADE, REACH = 0, 1, 0.8, 3
CAUGHT, LOST, PUSH, FARCOST = 40.0, 20.0, 3.0, 0.3


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
        self.rays = {c: [self._ray(c, step) for step in self.steps] for c in self.open}
        self.sees = {
            c: {cell: n for ray in self.rays[c] for n, cell in enumerate(ray, 1)} for c in self.open
        }
        self.left = self.measure(self.exits)

    def _ray(self, cell, step):
        ray = []
        while cell + step in self.open:
            cell += step
            ray.append(cell)
        return ray

    def measure(self, goals, most=FAR):
        """Count the steps to the nearest of some cells."""
        found = dict.fromkeys(goals, 0)
        queue = deque(found)
        while queue:
            cell = queue.popleft()
            if found[cell] >= most:
                break
            for near in self.near[cell]:
                if near not in found:
                    found[near] = found[cell] + 1
                    queue.append(near)
        return found

    def weigh(self, heat, shared):
        """Measure the way to the exits, where hot cells and those of others take longer."""
        found = {}
        heap = [(0, cell) for cell in self.exits]
        while heap:
            far, cell = heappop(heap)
            if cell in found:
                continue
            found[cell] = far
            far += 1 + heat.get(cell, 0) + SHARE * (cell in shared)
            for near in self.near[cell]:
                if near not in found:
                    heappush(heap, (far, near))
        return found

    def follow(self, cell, left):
        """Follow the way of the rabbits from a start to an exit."""
        path = set()
        while cell in left:
            path.add(cell)
            if cell in self.exits:
                break
            cell = min(self.near[cell], key=lambda near: (left.get(near, FAR), near))
        return path


class Bot:
    def __init__(self, text):
        self.map = Station(text)
        self.crushers = {cell: None for cell in self.map.crushers}
        self.heat = {}
        self.ways = {start: set() for start in self.map.starts}
        self.left = {}
        self.group = {}
        self.find_ways()
        self.find_ways()
        self.turn = 0
        self.value = {}
        self.judge_chases(60)

    def find_ways(self):
        """Find a way for the rabbits of each start."""
        for start in self.ways:
            shared = set().union(*(way for other, way in self.ways.items() if other != start))
            self.left[start] = self.map.weigh(self.heat, shared - self.map.exits)
            self.ways[start] = self.map.follow(start, self.left[start])
        self.paths = set().union(*self.ways.values())

    def judge_chases(self, rounds):
        station, paths = self.map, self.paths
        starts = set(station.starts)
        watch = {c: sum(s in station.sees[c] or s == c for s in starts) for c in station.open}
        ways = {}
        for c in station.open:
            for step in station.steps:
                r = c + step
                if r not in station.open:
                    continue
                base = 1.0 * watch[r] + 1.5 * (r in paths)
                side = [s for s in station.steps if s not in (step, -step) and c + s in station.open]
                out = []
                for r1 in station.near[r]:
                    if r1 == c:
                        continue
                    cost = base
                    if r in paths and r1 in paths and any(r in way and r1 in way and self.left[g][r1] > self.left[g][r] for g, way in self.ways.items()):
                        cost += PUSH
                    if r1 - r == step:
                        close = sum(cell in paths for cell, n in station.sees[c].items()
                                    if n <= 2 and cell not in (r, r1))
                        out.append((cost + 1.0 * close, 1.0, (r, r1)))
                    else:
                        lure = any(cell in paths for cell in station.sees[c])
                        if lure:
                            out.append((cost + 6, 0.5, (r, r1)))
                        else:
                            out.append((cost + 2 * len(side) / (1 + len(side)), 1 / (1 + len(side)), (r, r1)))
                ways[c, r] = out
        lost = LOST
        value = self.value or dict.fromkeys(ways, 0.0)
        for _ in range(rounds):
            for state, out in ways.items():
                value[state] = min([cost + DISCOUNT * (p * value[next_] + (1 - p) * lost)
                                    for cost, p, next_ in out], default=CAUGHT)
        self.value = value

    def note(self, actions):
        """Follow the crushers."""
        for a, b in actions:
            self.crushers.pop(a, None)
            self.crushers[b] = b - a
        heat = self.heat
        for c in self.crushers:
            heat[c] = heat.get(c, 0) + HEAT
            for near in self.map.near[c]:
                heat[near] = heat.get(near, 0) + HEAT / 2
        self.turn += 1
        if self.turn % EVERY == 0:
            for c in list(heat):
                heat[c] *= COOL
                if heat[c] < 0.05:
                    del heat[c]
            paths = self.paths
            self.find_ways()
            if paths != self.paths:
                self.judge_chases(8)

    def visible(self, cell, crushers):
        found = []
        for ray in self.map.rays[cell]:
            for n, c in enumerate(ray, 1):
                if c in crushers:
                    break
                found.append((n, c))
        return found

    def reactions(self, c, heading, r):
        """How a crusher may go on if r is the only rabbit."""
        n = self.map.sees[c].get(r)
        if n:
            step = (r - c) // n if abs(r - c) < self.map.width else (self.map.width if r > c else -self.map.width)
            return [(c + step, step)]
        steps = [s for s in self.map.steps if s != -(heading or 0) and c + s in self.map.open]
        if not steps:
            steps = [-heading] if heading else []
        return [(c + s, s) for s in steps] or [(c, heading)]

    def look_ahead(self, c, heading, r, depth):
        """How bad it is for rabbit r to be there when the crusher chooses."""
        total = 0
        ways = self.reactions(c, heading, r)
        for c1, h1 in ways:
            if c1 == r:
                total += CAUGHT + 10
                continue
            total += self.worth(c1, h1, r, depth)
        return total / len(ways)

    def worth(self, c, heading, r, depth):
        if r - c in self.map.steps:
            return self.value[c, r]
        n = self.map.sees[c].get(r)
        if n:
            w = self.map.width
            step = (r - c) // n
            return self.value[r - step, r] + FARCOST * n
        if not depth:
            return LOST + 0.5 * self.steps_between(c, r)
        return 0.5 + DISCOUNT * min(self.look_ahead(c, heading, r1, depth - 1)
                              for r1 in [r, *self.map.near[r]] if r1 != c)

    def steps_between(self, c, r):
        w = self.map.width
        return abs(c // w - r // w) + abs(c % w - r % w)

    def choose_decoys(self, rabbits):
        decoys = {}
        for c in sorted(self.crushers):
            seen = [(n, cell) for n, cell in self.visible(c, self.crushers) if cell in rabbits and cell not in decoys.values()]
            if seen:
                decoys[c] = min(seen)[1]
                continue
            reach = self.map.measure([c], 16)
            close = [(reach[r], r) for r in rabbits if r in reach and r not in decoys.values()]
            if close:
                decoys[c] = min(close)[1]
        return decoys

    def answer(self, rabbits):
        station = self.map
        rabbits = set(rabbits)
        decoys = self.choose_decoys(rabbits)
        leads = {r: c for c, r in decoys.items()}
        scores = {}
        lure = {}
        danger = {}
        for c, heading in self.crushers.items():
            r = decoys.get(c)
            best = None
            if r is not None:
                options = [(self.look_ahead(c, heading, r1, 2), r1) for r1 in [r, *station.near[r]] if r1 not in self.crushers]
                scores[r] = dict((b, a) for a, b in options)
                best = min(options)[1]
            lead = station.sees[c].get(best, FAR) if best is not None else FAR
            for n, cell in self.visible(c, self.crushers):
                if n == 1:
                    danger[cell] = danger.get(cell, 0) + (60 if lead > 1 else 20)
                elif n <= lead:
                    danger[cell] = danger.get(cell, 0) + ATTRACT / n**POWER
                elif n == lead + 1:
                    danger[cell] = danger.get(cell, 0) + 3
            if r is None:
                for near in station.near[c]:
                    for cell in station.near[near]:
                        danger[cell] = danger.get(cell, 0) + 1.5
            else:
                self.foresee(c, heading, best, danger)
        self.danger = danger
        self.scores = scores
        group = {}
        for r in rabbits:
            group[r] = r if r in station.starts else self.group.get(r, station.starts[0])
        self.group = group
        order = sorted(rabbits, key=lambda r: (r not in leads, self.left[group[r]].get(r, FAR), r))
        self.waiting = set(rabbits)
        self.taken = {}
        self.goal = {}
        for r in order:
            if r in self.waiting:
                self.place(r)
        self.group = {g: group[r] for r, g in self.goal.items()}
        return [(r, g) for r, g in self.goal.items() if r != g]

    def foresee(self, c, heading, r, danger):
        """Keep others from where the crusher will follow its decoy."""
        station = self.map
        weight = W0
        for _ in range(T):
            ways = self.reactions(c, heading, r)
            c, heading = next((w for w in ways if w[1] == heading), ways[0])
            if c == r:
                break
            for near in station.near[c]:
                for cell in station.near[near]:
                    danger[cell] = danger.get(cell, 0) + weight
            for cell, n in station.sees[c].items():
                if n <= REACH:
                    danger[cell] = danger.get(cell, 0) + weight * (REACH + 1 - n)
            weight *= FADE
            options = [(self.look_ahead(c, heading, r1, 0), r1) for r1 in [r, *station.near[r]] if r1 != c]
            r = min(options)[1]

    def options(self, r):
        station = self.map
        mine = self.scores.get(r)
        out = []
        for cell in [r, *station.near[r]]:
            if cell in self.crushers:
                continue
            if mine:
                score = 3 * mine[cell] + 0.3 * self.danger.get(cell, 0) * 0
                if cell in station.exits:
                    score += 0
            else:
                score = self.left[self.group[r]].get(cell, FAR) + self.danger.get(cell, 0)
                if cell in station.exits:
                    score -= 100
            out.append((score, cell != r, cell))
        out.sort()
        return [cell for _, _, cell in out]

    def place(self, r):
        self.waiting.discard(r)
        for cell in self.options(r):
            if cell in self.taken and cell not in self.map.exits:
                continue
            self.goal[r] = cell
            self.taken[cell] = r
            if cell in self.waiting and cell != r:
                if not self.place(cell):
                    continue
            return True
        self.goal[r] = r
        self.taken[r] = r
        return False


def main():
    """Answer the controller until it closes the pipe."""
    bot = Bot(Path(sys.argv[1]).read_text())
    width = bot.map.width
    for message in sys.stdin:
        places = [(int(x), int(y)) for x, y in re.findall(r"(\d+),(\d+)", message)]
        cells = [y * width + x for x, y in places]
        if message.startswith("crusher"):
            bot.note(list(zip(cells[::2], cells[1::2])))
        elif message.startswith("rabbits"):
            moves = bot.answer(cells)
            words = [f"{a % width},{a // width} to {b % width},{b // width}" for a, b in moves]
            print("move " + "; ".join(words), flush=True)


if __name__ == "__main__":
    main()
