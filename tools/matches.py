"""Random matches through the library, held against the oracles, in one thread and in eight.

    python -m tools.matches [--games N] [--seed S] [GAME...]

Every so often moves are taken back and played again, and all that the match shows is compared with
what it showed before. The exit status is 1 if something differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.matches import SETUPS, judge, play_randomly

THREADS = 8


def play_and_judge(game: str, seed: int) -> str:
    """Play a match, and return its record."""
    setup = SETUPS[game]
    match = play_randomly(setup, seed)
    judge(setup, match)
    return match.record()


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="the games; without any, all")
    parser.add_argument("--games", dest="number", type=int, default=200, help="matches of a game")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first one")
    given = parser.parse_args(words)
    for game in given.games or SETUPS:
        begin = time.monotonic()
        seeds = range(given.seed, given.seed + given.number)
        alone = [play_and_judge(game, seed) for seed in seeds]
        print(f"{game}: {len(alone)} matches agree, {time.monotonic() - begin:.0f} s", flush=True)
        some = [(game, seed) for seed in seeds[: 4 * THREADS]]
        with ThreadPoolExecutor(THREADS) as threads:
            together = list(threads.map(lambda one: play_and_judge(*one), some))
        if together != alone[: len(together)]:
            print(f"{game}: {THREADS} threads at once play other matches")
            return 1
        print(f"{game}: {len(together)} matches by {THREADS} threads at once are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
