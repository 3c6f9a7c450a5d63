"""The games of a contest: who plays in which order, on which map, by which seed; their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, count, islice, permutations
from math import comb, factorial
from random import Random
from typing import TYPE_CHECKING, Literal, TypeAlias

from kb_score.contests.store import GameResult, read_results
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.contests.plan import Plan

Seating = Literal["file", "all", "rotate"]
# Bots by their places in the contest's file, a map, and a round, all from 0.
_Game: TypeAlias = tuple[tuple[int, ...], int, int]

MOST_GAMES = 1_000_000
_LARGEST_SCORE = 2**31 - 1  # what clingo counts with
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
        for seats in _seat(group, seating)
        for map_ in range(maps)
    )
    return [_make(number, game, seed) for number, game in enumerate(games)]


def _seat(group: tuple[int, ...], seating: Seating) -> Iterator[tuple[int, ...]]:
    if seating == "rotate":
        return (group[i:] + group[:i] for i in range(len(group)))
    return permutations(group) if seating == "all" else iter([group])


def draw_games(bots: int, players: int, games: int, maps: int = 1, seed: int = 1) -> list[Fixture]:
    """Draw so many games, in which all bots play nearly equally often.

    The bots are shuffled again and again, and each shuffle is cut into games. Where bots are left
    over, those who sit out a shuffle take turns. Who is which player comes by chance; all games of
    a shuffle have one map and one seed.
    """
    drawn = islice(_draw(bots, players, maps, seed), games)
    return [_make(number, game, seed) for number, game in enumerate(drawn)]


def _draw(bots: int, players: int, maps: int, seed: int) -> Iterator[_Game]:
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


def _make(number: int, game: _Game, seed: int) -> Fixture:
    bots, map_, round_ = game
    return Fixture(number, bots, map_, round_, find_seed(seed, map_, round_))


@lru_cache(maxsize=1024)
def find_seed(seed: int, map_: int, round_: int) -> int:
    """Find the seed of a map in a round, from 1 to 2^31 - 1."""
    text = f"{seed} {map_} {round_}"
    return int.from_bytes(sha256(text.encode()).digest()[:8]) % _SEEDS + 1


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A result that counts, with the game of the contest that it is of now."""

    fixture: Fixture
    result: GameResult


@dataclass
class ContestResults:
    """The results of a contest, and which of them count."""

    plan: Plan
    find_key: Callable[[Fixture], str]  # finds what tells a game apart
    path: Path  # the file of results
    stale: int = 0  # how many results did not count when they were last read

    def read(self, played: set[int] | None = None) -> Iterator[StoredGame]:
        """Yield the results that count, each game once, in the order in which they ended.

        What does not count is of bots, maps, limits or rules that are not those of now. The numbers
        of these games are added to ``played``: those that were added to the contest's own games
        count apart, below 0.
        """
        bots = {bot.name: number for number, bot in enumerate(self.plan.bots)}
        maps = {map_.name: number for number, map_ in enumerate(self.plan.maps)}
        # When bots are added to a contest, its games get other numbers.
        known = {(game.bots, game.map, game.round): game for game in self.plan.schedule}
        found = set() if played is None else played
        self.stale = 0
        for result in read_results(self.path):
            fixture = None
            if result.map in maps and all(name in bots for name in result.bots):
                who = tuple(bots[name] for name in result.bots)
                fixture = self._find(result, who, maps[result.map], known)
            if fixture is None:
                self.stale += 1
            elif (mark := ~fixture.number if fixture.added else fixture.number) not in found:
                found.add(mark)
                yield StoredGame(fixture, result)

    def _find(
        self, result: GameResult, who: tuple[int, ...], map_: int, known: Mapping[_Game, Fixture]
    ) -> Fixture | None:
        """Find the game of now that a result is of, if it counts."""
        scores, figures = [player.score for player in result.players], len(self.plan.type.figures)
        if not len(scores) == len(who) == self.plan.players:
            return None
        if any(len(s) != figures or max(map(abs, s)) > _LARGEST_SCORE for s in scores):
            return None
        fixture = known.get((who, map_, result.round))
        if result.added:
            seed = find_seed(self.plan.seed, map_, result.round)
            fixture = Fixture(result.number - 1, who, map_, result.round, seed, added=True)
        return fixture if fixture and self.find_key(fixture) == result.key else None

    def tell_stale(self) -> None:
        """Tell how many results did not count when they were last read, if there were any."""
        if self.stale:
            changed = "bots, boards, limits, settings or rules have changed since"
            counts = "1 result does" if self.stale == 1 else f"{self.stale} results do"
            complain(f"{self.path}: {counts} not count: {changed}", kind="note")
