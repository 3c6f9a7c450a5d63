"""What files from the wild look like: harmless ones are read, others end in a message."""

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
UNREADABLE = [
    pytest.param(b"1 W . .\n . 1 x .\n", ":2:6: unexpected 'x'", WORDS, id="wrong-symbol"),
    pytest.param(b"1 W . .\n . 1 6 .\n", ":2:6: unexpected '6'", WORDS, id="player-6"),
    pytest.param(b"1 w W .\n . 1 2 .\n", ":1:3: unexpected 'w'", WORDS, id="small-letter"),
    pytest.param("1 é\n . .\n".encode(), ":1:3: unexpected 'é'", WORDS, id="unicode"),
    pytest.param(b"1 \x1b[1m\n . .\n", ":1:3: unexpected '\\x1b'", WORDS, id="control-character"),
    pytest.param(b"1 .\xc2\xa0W .\n . . . .\n", ":1:4: unexpected", WORDS, id="no-break-space"),
    pytest.param(b"1 . % c\n . .\n", ":1:5: unexpected '%'", WORDS, id="comment-after-a-row"),
    pytest.param(b"To whom it may concern:\nhi.\n", ":1:2: unexpected 'o'", WORDS, id="prose"),
    pytest.param(b"<html>\n<body>\n", ":1:1: unexpected '<'", WORDS, id="html"),
    pytest.param(
        b"C1 .\n . .\n",
        ":1:1: unexpected 'C1'",
        "a settlement stands on one of . G N D L F W M",
        id="settlement-on-a-castle",
    ),
    pytest.param(b". T2\n . .\n", ":1:3: unexpected 'T2'", "a settlement stands", id="on-a-town"),
    pytest.param(b". .\n . O5\n", ":2:4: unexpected 'O5'", "a settlement stands", id="on-nomads"),
    pytest.param(
        b". .\n W# .\n",
        ":2:2: unexpected 'W#'",
        "a stone wall stands on one of . G N D L F",
        id="wall-on-water",
    ),
    pytest.param(b"M# .\n . .\n", ":1:1: unexpected 'M#'", "a stone wall", id="wall-on-a-mountain"),
    pytest.param(b"T# .\n . .\n", ":1:1: unexpected 'T#'", "a stone wall", id="wall-on-a-town"),
    pytest.param(b"C# .\n . .\n", ":1:1: unexpected 'C#'", "a stone wall", id="wall-on-a-castle"),
    pytest.param(b"O# .\n . .\n", ":1:1: unexpected 'O#'", "a stone wall", id="wall-on-nomads"),
    pytest.param(
        b"# .\n . .\n",
        ":1:1: unexpected '#'",
        "a stone wall is a second symbol, after the terrain, as in G#",
        id="wall-alone",
    ),
    pytest.param(
        b"G#\n..\n", ":1:2: unexpected '#'", "blanks have to divide the hexes", id="compact-wall"
    ),
    *(
        pytest.param(
            f"{word} .\n . .\n",
            f":1:{at}: unexpected {word[at - 1]!r}",
            "a hex holds one settlement or one stone wall",
            id=word,
        )
        for word, at in (("G12", 3), ("G1#", 3), ("G#1", 3), ("G##", 3), ("1#", 2), (".1#", 3))
    ),
    *(
        pytest.param(
            f"{word} .\n . .\n", f":1:{at}: a blank is missing", "as the other rows", id=word
        )
        for word, at in (("12", 2), ("GW", 2), ("2G", 2), ("G2W", 3), ("W1W", 3), ("TC", 2))
    ),
    pytest.param(
        b"G2 .\n W1\n", ":2:4: this row has 1 hexes", "first row of the board has 2", id="pairs"
    ),
    pytest.param(
        b"1 W . .\n . 1 2\n",
        ":2:7: this row has 3 hexes",
        "first row of the board has 4",
        id="short",
    ),
    pytest.param(
        b"1 W\n . 1 2\n", ":2:7: this row has 3 hexes", "first row of the board has 2", id="long"
    ),
    pytest.param(
        b"1 W . .\n.12.\n", ":2:2: a blank is missing", "as the other rows have them", id="mixed"
    ),
    pytest.param(
        b"1 W\n . .\n. .\n", ": 3 rows of 2 hexes", "both numbers must be even", id="odd-height"
    ),
    pytest.param(
        b"1 W .\n . . .\n", ": 2 rows of 3 hexes", "both numbers must be even", id="odd-width"
    ),
    pytest.param(b"1\n", ": 1 row of 1 hex ", "both numbers must be even", id="one-hex"),
    pytest.param(b"", ": the file is empty", "", id="empty"),
    pytest.param(b"\xef\xbb\xbf \r\n\t\n", ": the file is empty", "", id="blanks-only"),
    pytest.param(b"% a\n% b\n", ": there is no board in it", WORDS, id="comments-only"),
    pytest.param(b"1 W\n .\0.\n", ":2:3: byte 0x00", NOT_TEXT, id="nul"),
    pytest.param(b"1 W\n . \xff\n", ":2:4: byte 0xff", NOT_TEXT, id="invalid-utf-8"),
    pytest.param("1 W\n . .\n".encode("utf-16")[:-1], ": this is UTF-16", "UTF-8", id="utf-16"),
    pytest.param(bytes(range(128, 256)) * 99, ":1:1: byte 0x80", NOT_TEXT, id="every-high-byte"),
    pytest.param(random.Random(3).randbytes(9999), "byte 0x", NOT_TEXT, id="random-bytes"),
    pytest.param(
        (". " * 1002 + "\n") * 2, ": 2 rows of 1002 hexes", "1000 is the limit", id="wide"
    ),
    pytest.param(
        ("G2 " * 1002 + "\n") * 2, ": 2 rows of 1002 hexes", "1000 is the limit", id="wide-pairs"
    ),
]


@pytest.mark.parametrize(("data", "message", "expected"), UNREADABLE)
@pytest.mark.parametrize("verb", ["score", "explain"])
def test_what_is_no_board_is_refused_with_its_place(
    tmp_path: Path, verb: str, data: bytes | str, message: str, expected: str
) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())

    ran = run(verb, path)

    assert_refused(ran, str(path), message, expected)


def test_a_message_shows_the_line_and_points_at_the_column(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("1 W . .\n . 1 x .\n")

    ran = run("score", path)

    assert ran.err == f"{path}:2:6: unexpected 'x': {WORDS}\n     . 1 x .\n         ^\n"


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("% comment\n", id="comment"),
        pytest.param("\r\n\r\n", id="empty-lines"),
        pytest.param(SMALL + "\n", id="another-board"),
    ],
)
def test_places_count_all_lines_of_the_file(tmp_path: Path, before: str) -> None:
    path = tmp_path / "board.txt"
    path.write_text(f"{before}1 W\n . x\n", newline="")

    ran = run("score", path)

    assert ran.status == 2
    assert f"{path}:{before.count(chr(10)) + 2}:4: unexpected 'x'" in ran.err


def test_every_bad_board_of_a_file_gets_its_message(tmp_path: Path) -> None:
    path = tmp_path / "boards.txt"
    path.write_text("1 x\n . .\n\n1 .\n . y\n\n1 .\n .\n")

    ran = run("score", path)

    assert_refused(ran, f"{path}:1:3: ", f"{path}:5:4: ", f"{path}:8:3: ")


@pytest.mark.parametrize("verb", ["score", "explain", "facts"])
def test_a_missing_file_is_named(tmp_path: Path, verb: str) -> None:
    path = tmp_path / "nowhere.txt"

    assert_refused(run(verb, path), f"{path}: no such file or directory")


@pytest.mark.parametrize("verb", ["explain", "facts"])
def test_a_folder_is_no_board(tmp_path: Path, verb: str) -> None:
    assert_refused(run(verb, tmp_path), f"{tmp_path}: is a directory")


def test_a_folder_without_text_files_has_no_boards(tmp_path: Path) -> None:
    (tmp_path / "board.md").write_text(SMALL)

    assert_refused(run("score", tmp_path), f"{tmp_path}: the folder has no .txt file")


def test_nothing_on_standard_input_is_an_empty_file() -> None:
    assert_refused(run("score", "-", given=""), "-: the file is empty")


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
        pytest.param(["score", EXAMPLE, "--format", "xml"], id="unknown-format"),
        pytest.param(["score", EXAMPLE, "--players", "0"], id="no-players"),
        pytest.param(["score", EXAMPLE, "--players", "6"], id="six-players"),
        pytest.param(["score", EXAMPLE, "--jobs", "0"], id="no-jobs"),
        pytest.param(["score", EXAMPLE, "--const", "lords_need_settlement"], id="no-value"),
        pytest.param(["score", EXAMPLE, "--const", "a b=1"], id="no-name"),
        pytest.param(["explain"], id="explain-nothing"),
        pytest.param(["explain", EXAMPLE, "--player", "9"], id="player-9"),
        pytest.param(["check", "kingdom-builder", EXAMPLE], id="no-claims"),
        pytest.param(["check", "chess", EXAMPLE, CLAIMS], id="unknown-game"),
        pytest.param(["facts"], id="no-file"),
        pytest.param(["facts", EXAMPLE, "--game", "chess"], id="facts-of-unknown-game"),
        pytest.param(["rules", "show"], id="show-nothing"),
        pytest.param(["rules", "export"], id="export-nowhere"),
    ],
)
def test_a_wrong_command_line_is_told_with_status_2(arguments: list[object]) -> None:
    assert_refused(run(*arguments))
    assert run(*arguments).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["--cards", "1,99"], "there is no card '99': the cards are 0 castles", id="99"
        ),
        pytest.param(["--cards", ""], "there is no card ''", id="no-card"),
        pytest.param(["--const", "lord=1"], "there is no ruling or constant 'lord'", id="const"),
        pytest.param(["--rules", "nowhere"], "nowhere is not a folder", id="no-rules"),
    ],
)
def test_a_setting_that_does_not_exist_is_told_with_those_that_do(
    arguments: list[str], message: str
) -> None:
    assert_refused(run("score", EXAMPLE, *arguments), message)


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


@pytest.mark.parametrize("value", ["abc", "99999999999"])
def test_the_value_of_a_ruling_is_a_number_that_clingo_can_hold(value: str) -> None:
    ran = run("score", EXAMPLE, "--const", f"lords_need_settlement={value}")
    assert (ran.status, ran.out) == (2, "")


@pytest.mark.parametrize("verb", ["score", "explain", "check"])
def test_fewer_players_than_settlements_are_refused_everywhere(tmp_path: Path, verb: str) -> None:
    board, claims = tmp_path / "b.txt", tmp_path / "c.txt"
    board.write_text(SMALL)
    claims.write_text("miners: 0\n")
    words = ["check", "kingdom-builder", board, claims] if verb == "check" else [verb, board]
    ran = run(*words, "--players", "1")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{board}: it has settlements of player 2, but --players is 1\n"


def test_a_name_that_is_too_long_does_not_lose_the_good_boards() -> None:
    ran = run("score", "a" * 300, EXAMPLE, "--format", "json")

    assert ran.status == 2
    assert len(ran.json) == 1


def test_a_python_list_is_no_game(tmp_path: Path) -> None:
    posted = tmp_path / "posted.txt"
    posted.write_text("board = [['3', '3', 'W', '.'], ['.', 'M', 'W', 'W']]\n")

    scored = run("score", posted)
    checked = run("check", "kingdom-builder", posted)

    assert scored.status == checked.status == 2
    assert scored.err.startswith(f"{posted}:1:1: unexpected 'b': each hex is one of")
    assert "this is a game" not in scored.err + checked.err


def test_a_no_break_space_is_called_so() -> None:
    ran = run("score", "-", given="1\xa02\n . .\n")

    assert ran.err.startswith(r"-:1:2: unexpected '\xa0': each hex is one of ")
    assert "; this is a no-break space: put a plain blank in its place\n" in ran.err
