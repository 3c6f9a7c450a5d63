"""Files that ``-o`` names: pipes."""

from __future__ import annotations

import os
from pathlib import Path

from tests.helpers import SMALL, run


def test_devices_and_pipes_are_written(tmp_path: Path) -> None:
    board, pipe = tmp_path / "board.txt", tmp_path / "pipe.csv"
    board.write_text(SMALL)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    assert run("score", board, "-o", pipe).status == 0

    assert os.read(reader, 1 << 16).startswith(b"board,card,player,gold")
    os.close(reader)
