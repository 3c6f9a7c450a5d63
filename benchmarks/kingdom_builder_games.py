"""Whole games of Kingdom Builder: checked next to plain Python, and refereed turn by turn.

Run: ``python -m benchmarks.kingdom_builder_games``.

A live turn is what the referee does when a bot has answered: the turn is judged, and the position
is found that it leaves. `legal` lists all moves at the beginning of a turn.
"""

import time
from random import Random
from statistics import median

from benchmarks.measure import Row, best_of, print_rows
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.check import check_game
from kb_score.games.kingdom_builder.rules import GAME
from tests.games.kingdom_builder.turns import split_game
from tests.oracles import kingdom_builder_game as plain
from tests.oracles.kingdom_builder_game_random import random_game

RULES = GameRules("kingdom_builder")


def main() -> None:
    """Measure and print the table."""
    rows = [_check(nomads=False), _check(nomads=True), *_live(), *_lengths()]
    print_rows("Kingdom Builder, whole random games of 4 players", rows)


def _check(*, nomads: bool) -> Row:
    text = random_game(Random(4), 4, nomads=nomads)
    ours = best_of(lambda: check_game(text, RULES))
    theirs = best_of(lambda: plain.check_game(text))
    return Row(f"check, {'Nomads' if nomads else 'the base game'} / plain", ours, theirs, "<= 15")


def _live() -> list[Row]:
    """Time each turn of a few games; the median counts, as a turn comes only once."""
    turns: list[float] = []
    moves: list[float] = []
    game = GameFolder(GAME).type
    for seed in range(4):
        text = random_game(Random(seed), 4, nomads=seed % 2 == 1)
        headings, _ = split_game(text)
        match = game.go_on(RULES, headings, Random(seed))
        while not match.finished and len(turns) < 100 * (seed + 1):
            begin = time.perf_counter()
            match.position().moves()
            moves.append(time.perf_counter() - begin)
            answer = match.choose(Random(len(turns)))
            match.position()  # so that the answer is judged
            begin = time.perf_counter()
            match.answer(answer)
            turns.append(time.perf_counter() - begin)
    return [
        Row("a live turn, median", median(turns), None, "< 30 ms"),
        Row("legal at a turn, median", median(moves), None, "< 20 ms"),
    ]


def _lengths() -> list[Row]:
    """Check games of more and more turns: what a turn costs must not grow."""
    rows = []
    for players in (2, 3, 5):
        text = random_game(Random(9), players, nomads=True)
        turns = sum(":" in line for line in text.splitlines())
        each = best_of(lambda text=text: check_game(text, RULES), seconds=1) / turns  # type: ignore[misc]
        rows.append(Row(f"check, a turn of {turns}", each, None, "no more than before"))
    return rows


if __name__ == "__main__":
    main()
