"""Files that are written: all of a piece, or an error."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kb_score.errors import InputError
from kb_score.shell.files import open_output


def test_a_piece_that_is_written_in_parts_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write_some = tmp_path / "record.txt", os.write

    with open_output(str(path)) as write:
        monkeypatch.setattr(os, "write", lambda stream, data: write_some(stream, data[:3]))
        write("Turn 1\nżółw\n")
        write("Turn 2\n")

    assert path.read_text(encoding="utf-8") == "Turn 1\nżółw\nTurn 2\n"


def test_a_disk_that_is_full_in_the_middle_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write_some, room = tmp_path / "record.txt", os.write, [12]

    def write_until_full(stream: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write_some(stream, data[: room[0]])
        room[0] -= written
        return written

    with open_output(str(path)) as write:
        monkeypatch.setattr(os, "write", write_until_full)
        write("Turn 1\n")
        with pytest.raises(InputError, match="no space left on device") as raised:
            write("Turn 2\n")

    assert "Errno" not in str(raised.value)
    assert path.read_text() == "Turn 1\n"
