"""What files from the wild look like: harmless ones are read, others end in a message.

tests/transcripts/kingdom_builder/broken-boards.md has what can be written there.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, SMALL, SMALL_GOLD, Ran, run, run_process

WORDS = "each hex is one of . W M T C O G N D L F 1 2 3 4 5, or a pair such as G2 or G#"
MEGABYTES = 6_000_000


def assert_refused(ran: Ran, *parts: str) -> None:
    """Check that a run said why it stopped, and nothing else."""
    assert ran.status == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err


HARMLESS = [
    pytest.param(SMALL.replace("\n", "\r\n").encode(), id="crlf"),
    pytest.param(SMALL.replace("\n", "\r").encode(), id="cr"),
    pytest.param(b"\xef\xbb\xbf" + SMALL.encode(), id="byte-order-mark"),
    pytest.param(SMALL.rstrip("\n").encode(), id="no-last-newline"),
    pytest.param(SMALL.replace(" ", "\t").encode(), id="tabs"),
    pytest.param(SMALL.replace(" ", "  \t ").encode(), id="many-blanks"),
    pytest.param(SMALL.replace("\n", " \t\n").encode(), id="blanks-at-the-end-of-lines"),
    pytest.param(b"1 W . .\n. 1 2 .\n", id="second-row-not-set-off"),
    pytest.param(b" 1 W . .\n. 1 2 .\n", id="first-row-set-off"),
    pytest.param(b"1W..\n.12.\n", id="compact"),
    pytest.param(b"1W..\n .12. \n", id="compact-and-set-off"),
    pytest.param(b"\n \n\t\n" + SMALL.encode() + b"\n\n", id="empty-lines-around"),
    pytest.param(b"% a board\n1 W . .\n  % of two rows\n . 1 2 .\n% end", id="comments"),
    pytest.param("% Königreich ✓\n".encode() + SMALL.encode(), id="comment-in-unicode"),
]


@pytest.mark.parametrize("data", HARMLESS)
def test_a_harmless_variant_pays_the_same(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(data)

    ran = run("score", path, "--format", "json")

    assert ran.status == 0
    assert [row["board"] for row in ran.json] == [str(path)]
    assert ran.json[0]["gold"] == {card: list(gold) for card, gold in SMALL_GOLD.items()}


NOT_TEXT = "is not text: a plain text file is expected"
# What Markdown cannot hold.
UNREADABLE = [
    pytest.param(b"1 \x1b[1m\n . .\n", ":1:3: unexpected '\\x1b'", WORDS, id="control-character"),
    pytest.param(
        b"1 .\xc2\xa0W .\n . . . .\n",
        r":1:4: unexpected '\xa0'",
        "; this is a no-break space: use a plain space instead\n",
        id="no-break-space",
    ),
    pytest.param(b"", ": the file is empty", "", id="empty"),
    pytest.param(b"\xef\xbb\xbf \r\n\t\n", ": the file is empty", "", id="blanks-only"),
    pytest.param(b"1 W\n .\0.\n", ":2:3: byte 0x00", NOT_TEXT, id="nul"),
    pytest.param(b"1 W\n . \xff\n", ":2:4: byte 0xff", NOT_TEXT, id="invalid-utf-8"),
    pytest.param("1 W\n . .\n".encode("utf-16")[:-1], ": this is UTF-16", "UTF-8", id="utf-16"),
    pytest.param(bytes(range(128, 256)) * 99, ":1:1: byte 0x80", NOT_TEXT, id="every-high-byte"),
    pytest.param(random.Random(3).randbytes(9999), "byte 0x", NOT_TEXT, id="random-bytes"),
    pytest.param(b"\r\n\r\n1 W\n . x\n", ":4:4: unexpected 'x'", WORDS, id="behind-empty-lines"),
    pytest.param(
        (". " * 1002 + "\n") * 2, ": 2 rows of 1002 hexes", "1000 is the limit", id="wide"
    ),
    pytest.param(
        ("G2 " * 1002 + "\n") * 2, ": 2 rows of 1002 hexes", "1000 is the limit", id="wide-pairs"
    ),
]


@pytest.mark.parametrize(("data", "message", "expected"), UNREADABLE)
def test_what_is_no_board_is_refused_with_its_place(
    tmp_path: Path, data: bytes | str, message: str, expected: str
) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())

    ran = run("score", path)

    assert_refused(ran, str(path), message, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"x" * 30_000_000, ":1:1: unexpected 'x'", id="line-of-letters"),
        pytest.param(b"." * MEGABYTES, ": 1 row of 6000000 hexes", id="line-of-hexes"),
        pytest.param(b"\0" * MEGABYTES, ":1:1: byte 0x00", id="zeros"),
        pytest.param(b"\n" * MEGABYTES, ": the file is empty", id="empty-lines"),
        # Lines by the million must take seconds, not minutes.
        pytest.param(b"hello, this is a line of words\n" * (MEGABYTES // 31), ":1:1: ", id="words"),
        pytest.param((b". " * 500 + b"\n") * 5_994, ": 5994 rows of 500 hexes are", id="rows"),
        pytest.param(b". . . .\n" * 3_750_000, ": 3750000 lines are too many", id="short-rows"),
    ],
)
def test_megabytes_end_in_a_short_message(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(data)

    ran = run_process("score", path, timeout=60)

    assert_refused(ran, f"{path}{message}")
    assert len(ran.err) < 1000


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="no-verb"),
        pytest.param(["paint"], id="unknown-verb"),
        pytest.param(["score"], id="no-board"),
        pytest.param(["score", EXAMPLE, "--paint"], id="unknown-option"),
        pytest.param(["explain"], id="explain-nothing"),
        pytest.param(["check", "kingdom-builder", EXAMPLE], id="no-claims"),
        pytest.param(["check", "chess", EXAMPLE, CLAIMS], id="unknown-game"),
        pytest.param(["facts"], id="no-file"),
        pytest.param(["facts", EXAMPLE, "--game", "chess"], id="facts-of-unknown-game"),
        pytest.param(["rules", "show"], id="show-nothing"),
        pytest.param(["rules", "export"], id="export-nowhere"),
    ],
)
def test_a_wrong_command_line_ends_with_status_2(arguments: list[object]) -> None:
    ran = run(*arguments)

    assert_refused(ran)
    assert ran.err


@pytest.mark.slow
def test_a_user_without_a_writable_home_can_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "below"))

    ran = run_process("score", EXAMPLE, "--cards", "1,3,7", "--format", "json")

    assert (ran.status, ran.json[0]["total"]) == (0, [52, 46, 43, 62])


@pytest.mark.slow
def test_a_damaged_cache_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run_process("score", EXAMPLE)
    (kept,) = (tmp_path / "kb-score").iterdir()
    kept.write_bytes(b"\0garbage")

    ran = run_process("score", EXAMPLE, "--cards", "1,3,7", "--format", "json")

    assert (ran.status, ran.json[0]["total"]) == (0, [52, 46, 43, 62])


def test_a_name_that_is_too_long_does_not_lose_the_good_boards() -> None:
    ran = run("score", "a" * 300, EXAMPLE, "--format", "json")

    assert ran.status == 2
    assert len(ran.json) == 1
