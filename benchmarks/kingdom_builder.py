"""Kingdom Builder: boards scored next to plain Python.

Run: ``python -m benchmarks.kingdom_builder``.

Each side begins with the text of a board and ends with the gold of 11 cards and the findings of
validity. The rules also derive what every card pays for; so does the plain version with evidence.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.boards import random_board, write_board
from benchmarks.evidence import list_evidence, sum_evidence
from benchmarks.measure import Row, best_of, peak_memory, print_rows, time_command
from kb_score import load_rules
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from tests.oracles import kingdom_builder as plain

EXAMPLE = Path(__file__).parent.parent / "boards" / "kingdom_builder" / "example.txt"
_MEMORY = """
from benchmarks.boards import random_board, write_board
from kb_score import load_rules
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
boards = (parse_board(write_board(random_board(seed))) for seed in range({boards}))
for scores in score_boards(boards, Scorer(load_rules())):
    pass
"""


def score_plainly(text: str) -> object:
    """Score a board in plain Python, gold and findings only."""
    rows = plain.parse(text)
    return plain.score(rows), plain.violations(rows)


def score_plainly_with_evidence(text: str) -> object:
    """Score a board in plain Python by the sums of all evidence, and findings."""
    rows = plain.parse(text)
    return sum_evidence(list_evidence(rows)), plain.violations(rows)


def main() -> None:
    """Measure and print the table."""
    print_rows("Kingdom Builder, 20x20, 4 players, all 11 cards", [*_boards(), *_start()])


def _boards() -> list[Row]:
    example = EXAMPLE.read_text()
    scorer = Scorer(load_rules())
    ours = best_of(lambda: scorer.query(parse_board(example)).ask())
    only_gold = best_of(lambda: score_plainly(example))
    evidence = best_of(lambda: score_plainly_with_evidence(example))
    rows = [
        Row("one board, plain with evidence", ours, evidence, "<= 4"),
        Row("one board, plain with sums only", ours, only_gold),
    ]
    texts = [write_board(random_board(seed)) for seed in range(1000)]
    for count in (10, 100, 1000):
        batch = texts[:count]
        together = best_of(partial(_score_all, batch), repeat=2) / count
        alone = best_of(partial(_score_one_by_one, batch), repeat=2) / count
        rows.append(Row(f"a board in {count} / one by one", together, alone, "<= 1"))
    rows.append(_two_jobs(texts))
    return rows


def _two_jobs(texts: list[str]) -> Row:
    boards = [parse_board(text) for text in texts]
    one = best_of(lambda: list(score_boards(boards, Scorer(load_rules()))), repeat=2, seconds=0)

    def two() -> None:
        with ProcessPoolExecutor(2) as executor:
            list(score_boards(boards, Scorer(load_rules()), executor))

    return Row("1000 boards, 2 jobs / 1 job", best_of(two, repeat=2, seconds=0), one, "<= 0.59")


def _start() -> list[Row]:
    command = [sys.executable, "-m", "kb_score", "score", str(EXAMPLE)]
    base = [sys.executable, "-c", "import clingo, lark"]
    start = Row(
        "cold start / import clingo, lark", time_command(command), time_command(base), "<= 2"
    )
    memory = [
        Row(
            f"memory, {boards} boards",
            None,
            note=f"{peak_memory(_MEMORY.format(boards=boards)):.0f} MB",
        )
        for boards in (1, 1000)
    ]
    return [start, *memory]


def _score_all(texts: list[str]) -> object:
    return list(score_boards((parse_board(text) for text in texts), Scorer(load_rules())))


def _score_one_by_one(texts: list[str]) -> object:
    scorer = Scorer(load_rules())
    return [scorer.query(parse_board(text)).ask() for text in texts]


if __name__ == "__main__":
    main()
