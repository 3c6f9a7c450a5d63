"""What lies in a session's folder before it begins: small bots, maps, and files of contests.

The bots always answer the same. A bot of a contest is a script that the contest names, not an
interpreter with a script: so the keys of its games are the same on every machine.
"""

from __future__ import annotations

# It spreads if it can, else it jumps: the first of its moves. It is run anew, or for a whole game.
_PUSHER = """#!/usr/bin/env python3
import sys


def choose(line):
    player, *rows = line.strip().split(",")
    squares = [(r, c) for r in range(len(rows)) for c in range(len(rows))]
    own = [(r, c) for r, c in squares if rows[r][c] == player]
    free = [(r, c) for r, c in squares if rows[r][c] == "."]
    for far in (1, 2):
        for a, b in own:
            for r, c in free:
                if max(abs(a - r), abs(b - c)) == far:
                    return f"{a} {b} {r} {c}"
    return "0 0 0 0"


for line in sys.argv[1:2] or sys.stdin:
    print(choose(line), flush=True)
"""

# What it does hangs on how many squares are empty: all that can go wrong, and sometimes a move.
_STUMBLER = _PUSHER.replace(
    "    print(choose(line), flush=True)\n",
    """    mood = line.count(".") % 6
    if mood == 0:
        print("it stumbles", file=sys.stderr)
        sys.exit(3)
    answer = {1: "no idea", 2: "", 3: "9 9 9 9", 4: "0 0 0 1\\n0 0 0 1"}.get(mood)
    print(choose(line) if answer is None else answer, flush=True)
""",
)

# It places settlements on the first or the last hexes that are legal, and uses three tiles.
_BUILDER = """#!/usr/bin/env python3
import json
import sys

LETTERS = {"grass": "G", "canyon": "N", "desert": "D", "flower": "L", "forest": "F"}
PICK = -1 if "last" in sys.argv else 0


def beside(r, c):
    return {(r, c - 1), (r, c + 1), *((r + d, c + r % 2 - s) for d in (-1, 1) for s in (0, 1))}


def choose(told):
    rows = [row.split() for row in told["board"]]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    me = told["player"]
    mine = {place for place, cell in cells.items() if cell[1:] == str(me)}
    free = {place: cell for place, cell in cells.items() if cell in LETTERS.values()}
    towns = {place for place, cell in cells.items() if cell == "T"}

    def build(letter):
        fit = [place for place, cell in sorted(free.items()) if cell == letter]
        near = [place for place in fit if beside(*place) & mine]
        if not fit:
            return None
        liked = [place for place in near or fit if beside(*place) & towns]
        place = (liked or near or fit)[PICK]
        mine.add(place)
        del free[place]
        return "{},{}".format(*place)

    letter = LETTERS[told["terrains"][-1]]
    left = dict(enumerate(told["supply"], 1))[me]
    built = [place for _ in range(min(3, left)) if (place := build(letter))]
    actions = [" ".join(built)] if built else []
    left -= len(built)
    for tile in told["tiles"] if len(built) == 3 else []:
        if tile.get("player") != me:
            continue
        name = tile["tile"]
        if name in ("farm", "oracle") and left:
            place = build("G" if name == "farm" else letter)
            if place:
                actions.append(f"{name} {place}")
                left -= 1
        elif name == "paddock":
            ways = [(r, c) for r, c in sorted(mine) if (r, c + 2) in free]
            for r, c in ways[:1]:
                actions.append(f"paddock {r},{c}>{r},{c + 2}")
                mine.remove((r, c))
                mine.add((r, c + 2))
                del free[r, c + 2]
    return "; ".join(actions)


for line in sys.stdin:
    print(choose(json.loads(line)), flush=True)
"""

# Another fault in each of its turns, and a legal turn at times.
_GRUMBLER = _BUILDER.replace(
    "    print(choose(json.loads(line)), flush=True)\n",
    """    told = json.loads(line)
    mood = told["turn"] // told["players"] % 4
    if mood == 2:
        print("it grumbles", file=sys.stderr)
        sys.exit(3)
    print({0: "nonsense", 1: "0,0 0,1 0,2"}.get(mood) or choose(told), flush=True)
""",
)

_WALKER = '#!/bin/sh\nexec python3 boards/search_party/bots/walker.py "$@"\n'
_LEADER = '#!/bin/sh\nexec python3 boards/rabbits/pathfinder.py "$@"\n'

# It walks east until it leaves the map.
_EAST = '#!/bin/sh\nwhile read -r line; do case "$line" in -*) echo "@6.";; esac; done\n'

# It ends after three answers.
_QUITTER = """#!/bin/sh
left=3
while read -r line; do
  case "$line" in
    rabbits*) [ $left -gt 0 ] || exit 2; left=$((left - 1)); echo move;;
  esac
done
"""

# It moves rabbits that are not there, and those that are through walls.
_DREAMER = """#!/bin/sh
while read -r line; do
  case "$line" in
    rabbits*) set -- $line; echo "move 0,0 to 1,0; ${2:-1,1} to 0,0; ${2:-1,1} to 0,0";;
  esac
done
"""

_SLEEPER = "#!/bin/sh\nexec sleep 600\n"

_SLIME = """game = "slime"
name = "Small slimes"

[settings]
size = 3

[limits]
timeout = 60
kill = 120

[rules]
const = { last_turn = 12 }

[[bot]]
name = "Pusher"
version = "1"
command = "./pusher"

[[bot]]
name = "Steady"
version = "2"
command = "./pusher"
persistent = true

[[bot]]
name = "Stumbler"
command = "./stumbler"

[[bot]]
name = "Steady stumbler"
command = "./stumbler"
folder = "kept"
persistent = true

[[bot]]
name = "Sleeper"
command = "./sleeper #"
limits = { timeout = 0.1, grace = 1, kill = 0.2 }
"""

_KINGDOM_BUILDER = """game = "kingdom-builder"
name = "Small kingdoms"
boards = ["oracle farm/180 tavern paddock"]
players = 2
seed = 5

[settings]
cards = "knights hermits miners"

[limits]
timeout = 60

[rules]
const = { most_settlements = 6 }

[[bot]]
name = "Builder"
version = "1"
command = "./builder"

[[bot]]
name = "Last"
command = "./builder last"
folder = "kept"

[[bot]]
name = "Grumbler"
command = "./grumbler"
limits = { timeout = 50 }
"""

_SEARCH_PARTY = """game = "search-party"
name = "Small searches"
maps = ["boards/search_party/maps/meadow.txt", "boards/search_party/maps/hollow.txt"]

[limits]
timeout = 60

[[bot]]
name = "Walker"
version = "1"
command = "./walker"

[[bot]]
name = "Southern walker"
command = "./walker 32164987"

[[bot]]
name = "East"
command = "./east"

[[bot]]
name = "Sleeper"
command = "./sleeper"
limits = { timeout = 0.2 }
"""

_RABBITS = """game = "rabbits"
name = "Few rabbits"
maps = ["boards/rabbits/small.map"]
rounds = 2
seed = 3

[settings]
turns = 25

[limits]
start_time = 60
answer_time = 60

[[bot]]
name = "Leader"
version = "1"
command = "./leader"

[[bot]]
name = "Quitter"
command = "./quitter"

[[bot]]
name = "Dreamer"
command = "./dreamer"
folder = "kept"

[[bot]]
name = "Sleeper"
command = "./sleeper"
limits = { start_time = 0, answer_time = 0.2 }
"""

_TOURNAMENT = "".join(
    f'[[bot]]\nname = "{name}"\ncommand = "{command}"\n'
    for name, command in (
        ("Pusher", "./pusher"),
        ("Stumbler", "./stumbler"),
        ("Steady", './pusher # the same"\npersistent = true\nfolder = "kept'),
        ("Passer", "echo 0 0 0 0 #"),
    )
)

SCRIPTS = {
    "pusher": _PUSHER,
    "stumbler": _STUMBLER,
    "builder": _BUILDER,
    "grumbler": _GRUMBLER,
    "walker": _WALKER,
    "leader": _LEADER,
    "east": _EAST,
    "quitter": _QUITTER,
    "dreamer": _DREAMER,
    "sleeper": _SLEEPER,
    "kept/pusher": _PUSHER,
    "kept/stumbler": _STUMBLER,
    "kept/builder": _BUILDER,
    "kept/dreamer": _DREAMER,
}

TEXTS = {
    "slime.toml": _SLIME,
    "kingdom-builder.toml": _KINGDOM_BUILDER,
    "search-party.toml": _SEARCH_PARTY,
    "rabbits.toml": _RABBITS,
    "tournament.toml": _TOURNAMENT,
}
