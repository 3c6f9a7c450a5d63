"""Cases of hostile bots, and of signals that end a command while it works."""

from __future__ import annotations

import random
from dataclasses import replace

from tools.campaign import seeds
from tools.campaign.case import Case
from tools.campaign.command import Command
from tools.campaign.commands import play_rabbits, play_search_party, play_slime, tournament
from tools.campaign.moves import try_bot

# Shell commands; each ends, or is ended by the limits of time that the cases set.
_BOTS = (
    "true",
    "exit 3",
    "kill -9 $$",
    "kill -SEGV $$",
    "sleep 20",
    "exec sleep 20",
    "trap '' TERM INT HUP; sleep 20",
    "exec >&-; sleep 20",
    "exec >&- 2>&- <&-",
    "yes",
    "yes | head -c 300000 | tr -d '\\n'; echo",
    "head -c 3000000 /dev/zero >&2; echo .",
    "printf '\\033[31mred\\007\\n' >&2; exit 1",
    "printf '\\033[31m\\n'; cat > /dev/null",
    "printf '\\000\\377\\n'; cat > /dev/null",
    "printf '\\342\\200\\256x\\n'; cat > /dev/null",
    "printf '@5.\\r\\n'; printf '@5.'; cat > /dev/null",
    "printf '0 0 0 1'",
    "echo 99999999999999999999 0 0 -1",
    "echo 0 0 0 1; echo 0 0 0 1; sleep 0.2",
    "echo @6.; echo @6; echo ' @6..'; echo @@6; echo .; cat > /dev/null",
    "echo move 5,3 to 6,3; echo move; echo; cat > /dev/null",
    "sleep 20 & echo 0 0 0 1",
    "setsid sleep 20 & echo 0 0 0 1",
    "(setsid sh -c 'trap \"\" HUP TERM; sleep 20' &) ; cat > /dev/null",
    "while read line; do :; done",
    'while read line; do echo "$line"; done',
    "while read line; do echo .; echo; done",
    "printf '%070000d\\n' 0; cat > /dev/null",
    "nosuchcommand",
    "kill -STOP $$",
    'echo $PPID > /dev/null; rm -rf "$TMPDIR"/*; exit 1',
)
_COMMANDS = ("./absent", "", " ", "./folder", "./text.txt", "\udcff", "\x1b[31m", "'", "./bad", "~")


def draw_bots(rng: random.Random) -> Case:
    """Draw a case of a game with bots that misbehave."""
    draw = rng.choice((play_search_party, play_slime, play_rabbits, tournament, try_bot))
    made = draw(rng)
    made.files |= {"folder/": b"", "text.txt": b"no program\n", "bad": b"#!/nowhere\n"}
    odd = rng.random() < 0.2
    for bot in range(4 if made.game == "slime" and not made.bot else 1):
        script = rng.choice(_COMMANDS if odd and not bot else _BOTS)
        _seat(made, bot, [script] if odd else ["sh", "-c", script], script)
    _limit(made)
    return replace(made.to_case("bots", rng), real=rng.random() < 0.1)


def _seat(made: Command, bot: int, words: list[str], script: str) -> None:
    if made.verb[0] == "tournament":
        quoted = script.replace("\\", "\\\\").replace('"', '\\"')
        clean = "".join(c for c in quoted if c.isprintable())
        lines = made.files["bots.toml"].decode().split("command = ")
        rest = lines[bot + 1].partition("\n")[2]
        lines[bot + 1] = f'"{clean}"\n{rest}'
        made.files["bots.toml"] = "command = ".join(lines).encode()
    elif made.game == "slime" and not made.bot:
        places = [i for i, word in enumerate(made.options) if word == "--bot"]
        made.options[places[bot] + 1] = script
    else:
        made.bot = words


def _limit(made: Command) -> None:
    """Set limits of time, so that a case ends long before it counts as hung."""
    if made.game == "slime":
        made.options += ["--timeout", "0.05", "--grace", "1", "--kill", "0.1"]
    elif made.game == "rabbits":
        made.options += ["--start-time", "0.1", "--answer-time", "0.2"]
    else:
        made.options += ["--timeout", "0.3"]
    if made.verb[0] == "bot":
        made.options += ["--end-time", "0.2"]


def draw_signals(rng: random.Random) -> Case:
    """Draw a case of a command that is ended by a signal."""
    way = rng.randrange(5)
    if way == 0:
        board = seeds.read("kingdom_builder/example.txt")
        made = Command("kingdom-builder", ["score"], ["batch.txt"])
        made.files["batch.txt"] = b"\n".join([board] * 1500)
        made.options += ["--jobs", rng.choice(("1", "2"))]
    else:
        made = (play_search_party, play_slime, play_rabbits, tournament)[way - 1](rng)
        for bot in range(4 if made.game == "slime" else 1):
            _seat(made, bot, ["sh", "-c", "sleep 20"], "sleep 20")
        made.recheck = []
        if made.game == "slime":
            made.options += ["--timeout", "20", "--kill", "30"]
        elif made.game == "search-party":
            made.options += ["--timeout", "20"]
        else:
            made.options += ["--start-time", "5", "--answer-time", "20"]
    case = made.to_case("signals", rng)
    return replace(
        case,
        signal=rng.choice(("SIGINT", "SIGTERM", "SIGHUP")),
        after=rng.choice((0.02, 0.1, 0.2, 0.4, 0.8)) * rng.random() + 0.02,
        to_group=rng.random() < 0.4,
        real=True,
    )
