"""Cases of bots in a sandbox that look at what they can reach, and of bots that nest folders.

A bot only looks: for each thing outside that it could use it makes a file in its folder, which is
named after that thing. One that nests folders does so in its own folder, and loses its own game
alone.
"""

from __future__ import annotations

import platform
import random

from tools.campaign.case import Case, Expected
from tools.campaign.judge import REACHED

# Services of a session, as their variables name them.
_SERVICES = {
    "SSH_AUTH_SOCK": "/tmp/agent.1",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus",
    "XDG_RUNTIME_DIR": "/run/user/0",
    "DOCKER_HOST": "unix:///run/docker.sock",
}

_LOOK = f"""#!/bin/sh
own=$(pwd)
reach() {{ : > "$own/{REACHED} $(printf %s "$*" | tr / :)"; }}
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || reach "$(grep CapEff /proc/self/status)"
[ "$(cat /proc/sys/kernel/hostname)" = '{{host}}' ] && reach "the name of the host"
[ -w /proc/sys/kernel/hostname ] && reach /proc/sys
for path in / /bin /etc /home /opt /root /srv /sys /usr /usr/bin /var /var/tmp "$HOME"; do
    [ -w "$path" ] && reach "$path can be written to"
done
while read -r _ _ _ _ point options _; do
    case "$point" in "$own"*|/tmp|/run|/dev|/dev/*|/proc) continue ;; esac
    case ",$options," in *,rw,*) reach "the mount $point" ;; esac
done < /proc/self/mountinfo
for path in $(find /tmp /run /var/run -xdev -type s -o -xdev -type p 2> /dev/null | head -n 3); do
    reach "the socket $path"
done
for name in /proc/[0-9]*; do
    grep -qa tools.campaign.server "$name/cmdline" 2> /dev/null && reach "the process $name"
done
grep : /proc/net/dev | grep -qv ' lo:' && reach "a network"
[ -s /proc/net/unix ] && grep -q ' /' /proc/net/unix && reach "$(grep -m 1 ' /' /proc/net/unix)"
for name in {" ".join(_SERVICES)}; do
    eval "value=\\$$name"
    [ -n "$value" ] && reach "$name=$value"
done
: > "$own/looked"
echo 0 0 0 0
"""

_NEST = """#!/bin/sh
i=0
while [ $i -lt {depth} ]; do
    mkdir {name} && cd {name} || break
    i=$((i+1))
done
echo 0 0 0 0
"""

_BOT = '[[bot]]\nname = "{name}"\ncommand = "{command}"\n{more}'
_CONTEST = 'game = "slime"\nrounds = 1\nseed = 1\n[settings]\nsize = 3\n'
_LIMITS = "[limits]\ntimeout = 5\n[rules]\nconst = { last_turn = 2 }\n"


def draw_look(rng: random.Random) -> Case:
    """Draw a match, or the trial of a bot, in which sandboxed bots look around."""
    files = {"look.sh": _LOOK.replace("{host}", platform.node()).encode()}
    bot = rng.choice(("sh look.sh", "./look.sh"))
    if rng.random() < 0.5:
        arguments = ["play", "slime", "--size", "3", "--timeout", "5", "--grace", "5"]
        arguments += ["--const", "last_turn=2"]
        for number in range(4):
            arguments += ["--bot", bot if number == 0 or rng.random() < 0.3 else "true"]
    else:
        arguments = ["bot", "slime", "--size", "3", "--case", "first-turn", "--verbose"]
    arguments.insert(2, "--sandbox")
    if arguments[0] == "bot":
        arguments += ["--", *bot.split()]
    services = rng.sample(sorted(_SERVICES), rng.randrange(len(_SERVICES) + 1))
    return Case(
        "sandbox",
        tuple(arguments),
        files,
        writes=("looked",),
        expected=Expected(made=("looked",)),
        environment={name: _SERVICES[name] for name in services},
        patience=30.0,
    )


def draw_nest(rng: random.Random) -> Case:
    """Draw a contest with a bot that nests folders in its own one."""
    script = _NEST.format(
        depth=rng.choice((50, 400, 900, 1000, 1500, 4000)), name=rng.choice(("d", "d" * 40))
    )
    bots = [_BOT.format(name="nest", command="./nest.sh", more='folder = "f"\n')]
    bots += [_BOT.format(name=name, command="true", more="") for name in "abc"]
    text = _CONTEST + _LIMITS + "".join(bots)
    arguments = ["contest", "contest.toml"]
    if rng.random() < 0.4:
        arguments.append("--sandbox")
    if rng.random() < 0.3:
        arguments += ["--jobs", "2"]
    return Case(
        "nested",
        tuple(arguments),
        {"contest.toml": text.encode(), "f/nest.sh": script.encode()},
        writes=("contest.results",),
        recheck=("contest", "table", "contest.toml"),
        expected=Expected((0,)),
        patience=40.0,
    )
