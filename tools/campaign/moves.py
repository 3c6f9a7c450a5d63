"""The commands about moves of the games in turns: ``legal``, ``playouts`` and ``solve``."""

from __future__ import annotations

import random
from collections.abc import Callable

from tools.campaign import seeds
from tools.campaign.command import Command

_TURNS = ("1", "2", "3", "7", "53", "61", "999999999999", "0")
_SEEDS = ("0", "1", "7", "1000000000", "-1")
_MOVES = {
    "search-party": (
        *("@9.", "@9 A2 a2.", ".", "@", "@9 @9", "Q5", "@0.", "@x", "", " ", "@9..", "é5."),
        *("@99", "\x1b[1m5", "@5 " * 999),
    ),
    "slime": (
        *("0 0 1 1", "0 0 0 0", "+0 -0 01 1", "pass", "", "0 4 1 4", "9 9 9 9", "1 2 3"),
        *(f"{'9' * 5000} 0 0 0", "-1 -1 0 0", "0 0 1 1 ", "\u0660 0 1 1", "0\t0 1 1"),
    ),
    "rabbits": (
        *(
            "move",
            "move 5,3 to 6,3",
            "5,3 to 4,3; 6,3 to 7,3",
            "crusher",
            "crusher 4,1 movesto 5,1",
        ),
        *("move 5,3 to 99999999999,3", "move 5,3 to 6,3; foo", "", "crusher 4,1 crushes 5,1", "%"),
        *("move " + "5,3 to 6,3; " * 999, "5,3 movesto 6,3"),
    ),
}
_TAKEN = {
    "search-party": ["--most-turns", "3"],
    "slime": ["--size", "3", "--most-turns", "6"],
    "rabbits": ["--turns", "4"],
    "kingdom-builder": ["--const", "most_settlements=2"],
}
_MAPS = {"search-party": "search_party/maps/meadow.txt", "rabbits": "rabbits/small.map"}


def legal_in_turns(rng: random.Random, checks: dict[str, Callable[..., Command]]) -> Command:
    """``legal`` at a turn of a record that ``check`` takes, or of a map alone."""
    game = rng.choice(sorted(checks))
    made = checks[game](rng)
    if game == "rabbits" and rng.random() < 0.7:
        made.files["record.txt"] = seeds.cut_record(rng, seeds.read("rabbits/small.session"))
    made.verb, made.writes, made.recheck = ["legal", game], [], []
    made.options = ["--turn", rng.choice(_TURNS)] if rng.random() < 0.7 else []
    if game != "slime" and rng.random() < 0.2:
        made.words = made.words[:1]
    if game == "slime" and rng.random() < 0.4:
        made.options += ["--player", rng.choice("1234")]
    if rng.random() < 0.6:
        made.options += ["--move", rng.choice(_MOVES[game])]
    return made


def try_bot(rng: random.Random) -> Command:
    """``bot``: a case or two, with a bot that says little or ends."""
    game = rng.choice(sorted(_TAKEN))
    made = Command(game, ["bot", game], [], ["--end-time", "0.3"])
    if game in _MAPS and rng.random() < 0.5:
        made.files["map.txt"] = seeds.read(_MAPS[game])
        made.roles["map.txt"] = "maps"
        made.options += ["--map", "map.txt"]
    for case in rng.sample(("first-turn", "same-twice", "input-closed", "nothing-to-do"), 2):
        made.options += ["--case", case]
    made.options += rng.choice((["--lines"], ["--verbose"], [], []))
    if game == "slime" and rng.random() < 0.5:
        made.options.append("--persistent")
    script = rng.choice(
        (
            *("exit 1", "cat", "echo .", "echo move; cat > /dev/null", "echo 0 0 0 1", "echo >&2"),
            *("while read l; do echo .; done", "while read l; do echo; done"),
        )
    )
    made.bot = ["sh", "-c", script]
    return made


def playouts(rng: random.Random) -> Command:
    """``playouts`` of a few turns, into files or on standard output."""
    game = rng.choice(sorted(_TAKEN))
    made = Command(game, ["playouts", game], [], list(_TAKEN[game]), has_format=False)
    if game in _MAPS:
        made.words, made.files["map.txt"] = ["map.txt"], seeds.read(_MAPS[game])
        made.roles["map.txt"] = "maps"
    made.options += rng.choice((["--seed", rng.choice(_SEEDS)], []))
    if rng.random() < 0.6:
        made.options += ["--games", rng.choice("123"), "-o", "out"]
        made.writes.append("out")
        made.has_format = True
        if "--seed" not in made.options:
            made.recheck = ["check", game, *made.words, f"out/{game}-1.txt"]
            if game == "kingdom-builder":
                made.recheck += _TAKEN[game]
    return made


def solve(rng: random.Random) -> Command:
    """``solve``, on a small map or on one that takes longer than the limit."""
    game = "search-party"
    made = Command(game, ["solve", game], ["map.txt"], ["--limit-seconds", rng.choice("12")])
    made.files["map.txt"] = seeds.read(f"search_party/maps/{rng.choice(('meadow', 'field'))}.txt")
    made.roles["map.txt"] = "maps"
    if rng.random() < 0.5:
        made.options += ["--record", "plan.txt"]
        made.writes.append("plan.txt")
        made.recheck = ["check", game, "map.txt", "plan.txt"]
    return made
