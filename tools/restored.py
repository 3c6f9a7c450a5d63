"""Boards with hidden hexes, restored from their scores: the figures of docs/restore.md.

    python -m tools.restored [--boards 20] [--seed 1] [--hidden 1,3,6,12,20]

The example and random boards are scored by the oracle, and the claims are those scores: of all
cards, or of the challenge's 16 games. Some hexes are hidden. Then every board that is found must
score as claimed by the oracle, the true board must be among the answers, and what is told to be
common to all must be so on the true one. A table of times is printed. The exit status is 1 if
anything is not so, or takes too long.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import kb_score
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import HIDDEN, Board, Hex, parse_board
from kb_score.search.restore import Puzzle, Restorer, make_puzzle
from tests.helpers import EXAMPLE
from tests.oracles import kingdom_builder as oracle

RULES = kb_score.load_rules()
NUMBERS = {name: number for number, name in enumerate(oracle.CARDS)}
# What the search may take, in seconds of the processor, by the number of hidden hexes.
PROMISED = {12: 1.0, 20: 3.0}
_SIZE = 20
_HEADING = "hidden  claims  boards  all found  most listed  common  seconds: median  worst"


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of a board with hidden hexes."""

    found: Restorer
    seconds: float  # of the processor
    faults: tuple[str, ...]


def draw_rows(random: Random, size: int = _SIZE) -> list[str]:
    """Draw a board of lakes, hills and groups of settlements."""
    rows = [["."] * size for _ in range(size)]
    for _ in range(size * size // 5):
        symbol = random.choices("WMTC1234", (5, 5, 1, 1, 5, 5, 5, 5))[0]
        row, column = random.randrange(size), random.randrange(size)
        # Runs make groups, which single hexes seldom do.
        for step in range(1 if symbol in "TC" else random.randint(1, 5)):
            rows[row][(column + step) % size] = symbol
    # Everybody has settled.
    for player, place in zip("1234", random.sample(range(size * size), 4), strict=True):
        rows[place // size][place % size] = player
    return ["".join(row) for row in rows]


def write_claims(gold: dict[str, tuple[int, ...]], *, totals: bool) -> str:
    """Write the scores that the oracle gives as claims."""
    if not totals:
        return "".join(f"{card}: {' '.join(map(str, paid))}\n" for card, paid in gold.items())
    names = {number: name for name, number in NUMBERS.items()}
    lines = []
    for cards in ((a, b, c) for a in (1, 2) for b in (3, 4, 5, 6) for c in (7, 8)):
        paid = zip(*(gold[names[card]] for card in (0, *cards)), strict=True)
        lines.append(f"{' '.join(map(str, cards))}  {' '.join(str(sum(p)) for p in paid)}\n")
    return "".join(lines)


def hide(rows: Sequence[str], places: Sequence[Hex]) -> Board:
    """Hide some hexes of a board."""
    hidden = [list(row) for row in rows]
    for row, column in places:
        hidden[row][column] = HIDDEN
    return parse_board("\n".join(map(" ".join, hidden)) + "\n", allows="hidden")


def restore(rows: Sequence[str], places: Sequence[Hex], *, totals: bool, most: int) -> Restored:
    """Hide some hexes of a board, restore it from its scores, and find what is wrong with that."""
    gold = oracle.score(rows)
    players = len(gold["castles"])
    claims = write_claims(gold, totals=totals)
    puzzle = make_puzzle(hide(rows, places), claims, RULES, name="claims", players=players)
    found = Restorer(puzzle, RULES, most, 0, Deadline(None))
    start = time.process_time()
    found.run()
    seconds = time.process_time() - start
    return Restored(found, seconds, tuple(_find_faults(found, rows, claims, totals=totals)))


def _find_faults(
    found: Restorer, rows: Sequence[str], claims: str, *, totals: bool
) -> Iterator[str]:
    players = len(found.puzzle.players)
    for board in map(found.puzzle.board.fill, found.found):
        if write_claims(oracle.score(board.rows, players), totals=totals) != claims:
            yield f"this board scores otherwise:\n{board}"
    true = frozenset((r, c, rows[r][c]) for r, c in found.puzzle.hidden)
    if true not in found.found and (found.complete or not _explains(found.puzzle, true)):
        yield "the true board is not among the answers"
    if not found.common <= true or not found.proved:
        yield f"common to all is {sorted(found.common - true)}, but not with the true board"


def _explains(puzzle: Puzzle, filling: frozenset[tuple[int, int, str]]) -> bool:
    """Ask the same rules whether one filling is an answer, where the list of them was cut off."""
    program = RULES.game.program(asp.SCORE.plus("claims", "open", "restore"))
    facts = {**puzzle.facts(puzzle.hidden, 0, program.asked), "may_stand": sorted(filling)}
    search = AnswerSearch(program, facts, ("puts", 3), Deadline(None))
    return len(list(search.find())) == 1


def _write_line(
    number: int, done: Sequence[Restored], times: Sequence[float], *, totals: bool
) -> str:
    return (
        f"{number:6}  {'games' if totals else 'cards'}  {len(done):7}"
        f"  {sum(one.found.complete for one in done):9}"
        f"  {max(len(one.found.found) for one in done):11}"
        f"  {sum(len(one.found.common) for one in done) / len(done):6.1f}"
        f"  {times[len(times) // 2]:15.2f}  {times[-1]:5.2f}\n"
    )


def main() -> None:
    """Restore boards, and print how many were found and how long that took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", default="1,3,6,12,20")
    words = parser.parse_args()
    random = Random(words.seed)
    example = [str(row) for row in kb_score.parse_board(EXAMPLE.read_text()).rows]
    boards = [example, *(draw_rows(random) for _ in range(words.boards))]
    bad = 0
    sys.stdout.write(f"{_HEADING}\n")
    for number in map(int, words.hidden.split(",")):
        for totals in (False, True):
            done = []
            for rows in boards:
                places = random.sample([(r, c) for r in range(_SIZE) for c in range(_SIZE)], number)
                done.append(restore(rows, places, totals=totals, most=1000))
            times = sorted(one.seconds for one in done)
            faults = [fault for one in done for fault in one.faults]
            if times[-1] > PROMISED.get(number, times[-1]):
                faults.append(f"{number} hidden hexes took {times[-1]:.1f} s")
            sys.stdout.write(_write_line(number, done, times, totals=totals))
            sys.stdout.write("".join(f"  {fault}\n" for fault in faults))
            sys.stdout.flush()
            bad += len(faults)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
