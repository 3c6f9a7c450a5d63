"""Random games in the environments of reinforcement learning; each record is checked.

    python -m tools.environments [--games N] [GAME...]

The exit status is 1 if a record breaks the rules.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.environments import GAMES, make_env, play_env


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="the games; without any, all")
    parser.add_argument("--games", dest="number", type=int, default=100, help="games of each")
    given = parser.parse_args(words)
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for game in given.games or GAMES:
            made = make_env(game, Path(folder))
            begin = time.monotonic()
            for seed in range(given.number):
                play_env(made, seed)
                if not made.game.check(made.match.record()).consistent:
                    print(f"{game}, seed {seed}: the record breaks the rules")
                    status = 1
            print(f"{game}: {given.number} games, {time.monotonic() - begin:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
