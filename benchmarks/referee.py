"""What a referee needs for a turn of each game, beyond what the bot needs.

    python -m benchmarks.referee

Each figure is the mean of the turns; of each turn the fastest of several games counts that are the
same. It is processor time, so that what else runs disturbs it little. A turn of Slime asks about
the squares around its move, whatever the size of the board.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from benchmarks.measure import Row, print_rows
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.match import Match, MatchSetup
from kb_score.games.rabbits.match import RabbitsMatch
from tests.oracles.rabbits import Run, parse_map, towards_exit
from tests.oracles.search_party import write_map
from tests.oracles.search_party_bots import random_map, safe_game, write_plan
from tests.oracles.slime import legal_moves

_GAMES = 3
_STATION = Path(__file__).parent.parent / "boards" / "rabbits" / "large.map"
_PASS = (0, 0, 0, 0)


def time_turns(begin: Callable[[], Iterator[object]], turns: int) -> float:
    """Time the turns of a game; each step of what ``begin`` makes is one. Return seconds a turn."""
    fastest = [float("inf")] * turns
    for _ in range(_GAMES):
        game = begin()
        for i in range(turns):
            start = time.process_time()
            next(game)
            fastest[i] = min(fastest[i], time.process_time() - start)
    return sum(fastest) / turns


def draw_slime(size: int, turns: int) -> list[str]:
    """Draw the answers of a game by chance."""
    rng = random.Random(1)
    match = begin_slime(size)
    answers = list[str]()
    while len(answers) < turns and not match.finished:
        moves = legal_moves(tuple(match.picture().rows), match.mover)
        answers.append(" ".join(map(str, rng.choice(moves) if moves else _PASS)))
        match.answer(answers[-1])
    return answers


def begin_slime(size: int) -> Match:
    """Begin a game of Slime."""
    setup = MatchSetup(settings={"size": size}, players=4)
    game = GameFolder("slime").type
    return game.new_match(GameRules("slime"), setup, random.Random(1))


def play_slime(size: int, answers: Sequence[str]) -> Iterator[object]:
    """Play these answers."""
    match = begin_slime(size)
    for answer in answers:
        yield match.answer(answer)


def play_search(text: str, answers: Sequence[str]) -> Iterator[object]:
    """Play these lines of moves."""
    party = GameFolder("search_party").type
    setup = MatchSetup((("map", text),))
    game = party.new_match(GameRules("search_party"), setup, random.Random(1))
    for answer in answers:
        game.answer(answer)
        yield None


def begin_run(turns: int) -> RabbitsMatch:
    """Begin a run on the large station."""
    setup = MatchSetup(((str(_STATION), _STATION.read_text()),), {"turns": turns})
    return RabbitsMatch(GameRules("rabbits"), setup, random.Random(4))


def draw_answers(turns: int) -> list[str]:
    """Find what rabbits ask for that go to the exits."""
    match, view = begin_run(turns), Run(parse_map(_STATION.read_text()), random.Random(0))
    answers = list[str]()
    while not match.finished:
        places = match.tell().splitlines()[-1].split()[1:]
        view.rabbits = {(int(x), int(y)) for x, y in (place.split(",") for place in places)}
        answers.append(towards_exit(view))
        match.answer(answers[-1])
    return answers


def play_rabbits(answers: Sequence[str]) -> Iterator[object]:
    """Play these answers."""
    match = begin_run(len(answers))
    for answer in answers:
        match.tell()
        yield match.answer(answer)


def measure_slime(size: int, turns: int) -> float:
    """Measure a turn of a game by chance."""
    answers = draw_slime(size, turns)
    return time_turns(partial(play_slime, size, answers), len(answers))


def measure_search(width: int, height: int) -> float:
    """Measure a turn of a game by a bot that lets nobody die."""
    rng = random.Random(1)
    map_ = random_map(rng, width, height, 4, 9, 0.3)
    moves = list(islice(safe_game(map_, rng), 150))
    lines = write_plan(map_, moves, claim=False).splitlines()
    return time_turns(partial(play_search, write_map(map_), lines), len(lines))


def measure_rabbits(turns: int) -> float:
    """Measure a turn of a run on the large station."""
    return time_turns(partial(play_rabbits, draw_answers(turns)), turns)


_MEASURES: dict[str, Callable[[], float]] = {
    "Slime, 8x8": partial(measure_slime, 8, 150),
    "Slime, 40x40": partial(measure_slime, 40, 40),
    "search party, 12x12": partial(measure_search, 12, 12),
    "search party, 150x58": partial(measure_search, 150, 58),
    "rabbits, the large station": partial(measure_rabbits, 80),
}


def measure(what: str) -> float:
    """Measure what has this name; return seconds a turn."""
    return _MEASURES[what]()


def main() -> None:
    """Measure and print the table."""
    # Each in a process of its own: a heap that others have used is slow.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        measured = list(pool.map(measure, _MEASURES))
    print_rows("A turn of a referee", list(map(Row, _MEASURES, measured)))


if __name__ == "__main__":
    main()
