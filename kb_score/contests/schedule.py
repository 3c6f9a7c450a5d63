"""The games of a contest: which bots play in which order, on which map and with which seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, count, islice, permutations
from math import comb, factorial
from random import Random
from typing import Literal, TypeAlias

Seating = Literal["file", "all", "rotate"]
# Bots by their places in the contest's file, a map, and a round, all from 0.
Game: TypeAlias = tuple[tuple[int, ...], int, int]

MOST_GAMES = 1_000_000
_SEEDS = 2**31 - 1  # seeds that every bot's language has room for


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game of a contest, before it is played."""

    number: int  # its number, from 0
    # The bots of players 1 and so on, by their places in the contest's file, from 0.
    bots: tuple[int, ...]
    map: int  # what it is played on, by its place in the contest's file, from 0
    round: int  # the round, from 0
    # What the game draws by; the same for all games of a round on one map, so that luck is the same
    # for all.
    seed: int
    # Whether an earlier version of kb-score added it to the contest's own games.
    added: bool = False


def count_games(bots: int, players: int, seating: Seating, maps: int, rounds: int) -> int:
    """Count the games in which each group of bots plays in each seating, on each map and round."""
    orders = {"file": 1, "all": factorial(players), "rotate": players}[seating]
    return rounds * comb(bots, players) * orders * maps


def list_games(
    bots: int, players: int, seating: Seating, maps: int = 1, rounds: int = 1, seed: int = 1
) -> list[Fixture]:
    """List the games in which each group of bots plays in each seating, on each map and round.

    Each group plays once, in the order of the file; or once in every order; or so often that each
    bot is each player once. Rounds come one after another: a contest that is stopped early has let
    all bots play nearly equally often.
    """
    games = (
        (seats, map_, round_)
        for round_ in range(rounds)
        for group in combinations(range(bots), players)
        for seats in (
            permutations(group)
            if seating == "all"
            else (group[i:] + group[:i] for i in range(players if seating == "rotate" else 1))
        )
        for map_ in range(maps)
    )
    return [_make(number, game, seed) for number, game in enumerate(games)]


def draw_games(bots: int, players: int, games: int, maps: int = 1, seed: int = 1) -> list[Fixture]:
    """Draw so many games, in which all bots play nearly equally often.

    Shuffles of the bots are cut into games; who is left over sits out, and all take turns in that.
    """
    drawn = islice(_draw(bots, players, maps, seed), games)
    return [_make(number, game, seed) for number, game in enumerate(drawn)]


def _draw(bots: int, players: int, maps: int, seed: int) -> Iterator[Game]:
    # In this order the bots sit out, as many at a time as are left over.
    waiting = Random(f"{seed} waiting").sample(range(bots), bots)
    over = bots % players
    for shuffle in count():
        out = {waiting[(shuffle * over + i) % bots] for i in range(over)}
        playing = [bot for bot in range(bots) if bot not in out]
        Random(f"{seed} {shuffle}").shuffle(playing)
        round_, map_ = divmod(shuffle, maps)
        for i in range(0, len(playing), players):
            yield tuple(playing[i : i + players]), map_, round_


def _make(number: int, game: Game, seed: int) -> Fixture:
    bots, map_, round_ = game
    return Fixture(number, bots, map_, round_, find_seed(seed, map_, round_))


@lru_cache(maxsize=1024)
def find_seed(seed: int, map_: int, round_: int) -> int:
    """Find the seed of a map in a round, from 1 to 2^31 - 1."""
    text = f"{seed} {map_} {round_}"
    return int.from_bytes(sha256(text.encode()).digest()[:8]) % _SEEDS + 1
