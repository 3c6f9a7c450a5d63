"""What it costs a program to take a move back, beside playing all moves before it again.

Run: ``python -m benchmarks.undo``.

A search tries a move and takes it back at every node. Without saved states each of these would play
the whole match again.
"""

from random import Random

import kb_score
from benchmarks.measure import Row, best_of, print_rows
from kb_score import Match
from tests.matches import SETUPS

_MOVES = 60


def begin(name: str) -> Match:
    """Play the first moves of a match."""
    random = Random(1)
    match = kb_score.game(name).new_match(map=SETUPS[name].map, seed=1)
    while not match.finished and len(match.moves) < _MOVES:
        match.apply(match.random_move(random))
    return match


def main() -> None:
    """Print a table: a move taken back and played again, against the whole match."""
    rows = []
    for name in SETUPS:
        match = begin(name)
        moves = match.moves

        def try_move(match: Match = match) -> None:
            match.undo()
            match.redo()

        def replay(name: str = name, moves: tuple[str, ...] = moves) -> None:
            again = kb_score.game(name).new_match(map=SETUPS[name].map, seed=1)
            for move in moves:
                again.observation()
                again.apply(move)

        ours = best_of(try_move, seconds=0.5)
        theirs = best_of(replay, repeat=2, seconds=0)
        row = Row(f"{name}, {len(moves)} moves: one back and again", ours, theirs, "below 0.5")
        rows.append(row)
    print_rows("taking a move back", rows)


if __name__ == "__main__":
    main()
