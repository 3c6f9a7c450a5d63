"""``kb-score score`` of many boards by several processes.

tests/transcripts/kingdom_builder/scores.md has what it prints.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import kb_score
from kb_score import Board, KbScoreError, Scores, load_rules, parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from kb_score.shell.pool import Workers
from tests.helpers import EXAMPLE, SMALL, draw, run_process


@pytest.mark.slow
def test_two_processes_give_the_same_output_in_the_same_order(tmp_path: Path) -> None:
    boards = [draw({(0, 0): "1", (1, n % 8): "2"}, width=8) for n in range(70)]
    boards[40] = ". x\n . .\n"
    path = tmp_path / "many.txt"
    path.write_text("\n".join(boards))

    one = run_process("score", path, EXAMPLE, "--jobs", "1", "--format", "json")
    two = run_process("score", path, EXAMPLE, "--jobs", "2", "--format", "json")

    assert (one.status, two.status) == (2, 2)
    assert one.out == two.out
    assert [json.loads(line)["board"] for line in two.out.splitlines()] == [
        *(f"{path}#{n}" for n in range(1, 71) if n != 41),
        str(EXAMPLE),
    ]
    assert sorted(one.err.splitlines()) == sorted(two.err.splitlines())


class Victim(Scorer):
    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        if any(board.name == "killer" for board in boards):
            os._exit(9)
        return super().score_together(boards)


@pytest.mark.slow
def test_a_board_that_kills_its_worker_is_reported_and_all_others_are_scored() -> None:
    names = [str(number) for number in range(60)]
    names[20] = names[45] = "killer"
    boards = [parse_board(SMALL, name=name) for name in names]

    with Workers(2) as workers:
        found = list(score_boards(boards, Victim(load_rules()), workers))

    assert [f.board for f in found if isinstance(f, Scores)] == [n for n in names if n != "killer"]
    assert [str(f) for f in found if isinstance(f, KbScoreError)] == [
        "killer: the board has no scores: the process that scored it was killed"
    ] * 2


@pytest.mark.parametrize("cards", [["1", "1", "3"], ["discoverers", "1"], ["LORDS", "Lords"]])
def test_the_library_refuses_a_card_that_is_named_twice(cards: list[str]) -> None:
    with pytest.raises(KbScoreError, match="is named twice"):
        kb_score.score(EXAMPLE.read_text(), cards=cards)
