"""Encodings, long words and guesses; tests/transcripts/cli/spellings.md has other spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_score.errors import guess
from tests.helpers import EXAMPLE, run


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_board_in_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(f"\ufeff{EXAMPLE.read_text()}".encode(encoding))

    assert run("score", path, "-f", "csv").out.count("\n") > 40
    path.write_bytes(path.read_bytes()[:-1])
    broken = run("score", path)
    assert broken.status == 2
    assert "UTF-16 that cannot be decoded: save it as UTF-8" in broken.err


def test_a_word_that_is_too_long_for_a_file_is_not_a_game() -> None:
    assert run("check", "x" * 5000).status == 2


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        pytest.param("settlment", "settlement", "; did you mean settlement?", id="slip"),
        pytest.param("frm", "farm", "; did you mean farm?", id="short"),
        pytest.param("helper", "held", "", id="another-word"),
    ],
)
def test_a_word_is_guessed_only_where_it_is_a_slip(word: str, known: str, said: str) -> None:
    assert guess(word, [known]) == said
