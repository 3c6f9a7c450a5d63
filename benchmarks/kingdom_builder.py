"""Kingdom Builder: boards scored next to plain Python, together and one by one.

Run: ``python -m benchmarks.kingdom_builder``.

Each side begins with the text of a board and ends with the gold of 11 cards and the findings of
validity.
"""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.boards import random_board, write_board
from benchmarks.measure import Row, best_of, print_rows
from kb_score import load_rules
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from tests.oracles import kingdom_builder as plain

EXAMPLE = Path(__file__).parent.parent / "boards" / "kingdom_builder" / "example.txt"


def score_plainly(text: str) -> object:
    """Score a board in plain Python, gold and findings only."""
    rows = plain.parse(text)
    return plain.score(rows), plain.violations(rows)


def main() -> None:
    """Measure and print the table."""
    example = EXAMPLE.read_text()
    scorer = Scorer(load_rules())
    ours = best_of(lambda: scorer.query(parse_board(example)).ask())
    rows = [Row("one board / plain Python", ours, best_of(lambda: score_plainly(example)))]
    texts = [write_board(random_board(seed)) for seed in range(1000)]
    for count in (10, 100, 1000):
        batch = texts[:count]
        together = best_of(partial(_score_all, batch), repeat=2) / count
        alone = best_of(partial(_score_one_by_one, batch), repeat=2) / count
        rows.append(Row(f"a board in {count} / one by one", together, alone, "<= 1"))
    rows.append(_two_jobs(texts))
    print_rows("Kingdom Builder, 20x20, 4 players, all 11 cards", rows)


def _two_jobs(texts: list[str]) -> Row:
    boards = [parse_board(text) for text in texts]
    one = best_of(lambda: list(score_boards(boards, Scorer(load_rules()))), repeat=2, seconds=0)

    def two() -> None:
        with ProcessPoolExecutor(2) as executor:
            list(score_boards(boards, Scorer(load_rules()), executor))

    return Row("1000 boards, 2 jobs / 1 job", best_of(two, repeat=2, seconds=0), one, "<= 0.59")


def _score_all(texts: list[str]) -> object:
    return list(score_boards((parse_board(text) for text in texts), Scorer(load_rules())))


def _score_one_by_one(texts: list[str]) -> object:
    scorer = Scorer(load_rules())
    return [scorer.query(parse_board(text)).ask() for text in texts]


if __name__ == "__main__":
    main()
