"""A board that kills whoever scores it costs no other board its scores."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kb_score import Board, KbScoreError, Scores, load_rules, parse_board
from kb_score.games.kingdom_builder.scoring import Scorer, score_boards
from kb_score.shell.pool import Workers
from tests.helpers import SMALL


class Victim(Scorer):
    def score_together(self, boards: Sequence[Board]) -> list[Scores | KbScoreError]:
        if any(board.name == "killer" for board in boards):
            os._exit(9)
        return super().score_together(boards)


def test_a_board_that_kills_its_worker_is_reported_and_all_others_are_scored() -> None:
    names = [str(number) for number in range(60)]
    names[20] = names[45] = "killer"
    boards = [parse_board(SMALL, name=name) for name in names]

    with Workers(2) as workers:
        found = list(score_boards(boards, Victim(load_rules()), workers))

    assert [f.board for f in found if isinstance(f, Scores)] == [n for n in names if n != "killer"]
    assert [str(f) for f in found if isinstance(f, KbScoreError)] == [
        "killer: it has no scores: the process at work on it was killed"
    ] * 2
