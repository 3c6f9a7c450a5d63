"""Files and options from the wild, for Slime."""

from __future__ import annotations

import pytest

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards"


def test_a_bot_of_slime_that_is_not_there_is_told_before_the_first_turn() -> None:
    ran = run("play", "slime", *["--bot", "true"] * 3, "--bot", "./no-such-bot 1")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "cannot run bot 'player 4': there is no program './no-such-bot'\n"


@pytest.mark.parametrize("command", ["true", "A=1 true", "(true)", "printf x |cat", "cd . && true"])
def test_whatever_the_shell_can_run_is_a_bot_of_slime(command: str) -> None:
    bots = [word for _ in range(4) for word in ("--bot", command)]

    assert run("play", "slime", *bots, "--size", 2, "--const", "last_turn=4").status == 0


def test_a_board_of_slime_that_is_too_large_to_work_with_is_refused() -> None:
    board = ("." * 300 + "\n") * 300

    ran = run("check", "slime", "-", given=f"{board}\n{board}")

    assert (ran.status, ran.out) == (2, "")
    assert "-:1:1: a board has 2 to 256 rows, this has 300" in ran.err
