"""Files that cannot be used, and such as look odd but can: never a traceback."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kb_score.cli import main

MEADOW = "6 5 0 0\n......\n......\n..S...\n......\n......\n"
PLAN = "@4.\n@6.\n@6.\n@6.\n4 0 0\n"
DASHES = "-" * 40
BLOCK = f"Turn 1\n@:2,2.\n.ooo..\nooooo.\nooooo.\nooooo.\n.ooo..\n{DASHES}\n"


def check(folder: Path, map_: bytes, record: bytes, *options: str) -> Result:
    (folder / "map.txt").write_bytes(map_)
    (folder / "record.txt").write_bytes(record)
    paths = [str(folder / "map.txt"), str(folder / "record.txt")]
    return CliRunner().invoke(main, ["check", "search-party", *paths, *options])


@pytest.mark.parametrize(
    ("map_", "message"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("\x00\x01", "is not text", id="binary"),
        pytest.param("6 5 0\n......\n", "map.txt:1:", id="short header"),
        pytest.param(MEADOW.replace("S", "X"), "map.txt:4:3", id="symbol"),
        pytest.param(MEADOW.replace("..S...", "..S.."), "map.txt:4:6: this row", id="ragged"),
        pytest.param(MEADOW + "......\n", "6 rows, but", id="too many rows"),
        pytest.param(MEADOW.replace("S", "."), "there are 0 cells S", id="no start"),
        pytest.param(MEADOW.replace(".S", "SS"), "there are 2 cells S", id="two starts"),
        pytest.param("257 1 0 0\nS" + "." * 256, "257 columns, but", id="too wide"),
        pytest.param("1 257 0 0\nS" + "\n." * 256, "257 rows, but", id="too high"),
        pytest.param("1 1 27 0\nS\n", "27 costars, but", id="costars"),
        pytest.param("1 1 0 27\nS\n", "27 extras, but", id="extras"),
        pytest.param("1 1 0 99999999999\nS\n", "is too large", id="beyond 32 bits"),
        pytest.param("1 1 0 " + "9" * 9999 + "\nS\n", "is too large", id="endless number"),
        pytest.param("3 1 0 0\nS#.\n", "not connected: no moves lead from S to 2,0", id="apart"),
        pytest.param("3 3 0 0\nS#.\n###\n.#.\n", "not connected", id="apart in rows"),
        pytest.param("0 0 0 0\n\n", "the text ends too early", id="no cells"),
    ],
)
def test_map_that_cannot_be_used_is_explained(tmp_path: Path, map_: str, message: str) -> None:
    result = check(tmp_path, map_.encode(), PLAN.encode())

    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout


@pytest.mark.parametrize(
    ("record", "message"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("\x00", "is not text", id="binary"),
        pytest.param("hello\n", "record.txt:1:1", id="garbage"),
        pytest.param("@4\n", "record.txt:1", id="no full stop"),
        pytest.param("@4.\n4 0\n", "record.txt:2", id="short result"),
        pytest.param(PLAN + "@4.\n", "record.txt:6:1", id="moves after the result"),
        pytest.param("@44.\n", "record.txt:1", id="long word"),
        pytest.param("4 0 99999999999\n", "too large", id="beyond 32 bits"),
        pytest.param(BLOCK.replace("@:2,2", "@:2,99999999999"), "too large", id="far away"),
        pytest.param(BLOCK.replace("Turn 1", "Turn " + "1" * 9999), "too large", id="endless"),
        pytest.param(
            BLOCK.replace("ooooo.\n", "ooooo\n", 1), "record.txt:4:1: the board", id="row"
        ),
        pytest.param(BLOCK.replace("ooooo.\n", "", 1), "the board is not 6 columns", id="few rows"),
        pytest.param(BLOCK.replace("ooooo.\n", "oooxo.\n", 1), "record.txt:4:4", id="symbol"),
        pytest.param(BLOCK[:40], "ends too early", id="truncated"),
        pytest.param(BLOCK + "@4.\n" + BLOCK + BLOCK, "record.txt:18:1", id="moves are missing"),
        pytest.param("a" * 5_000_000, "record.txt:1:1", id="huge line"),
    ],
)
def test_record_that_cannot_be_used_is_explained(tmp_path: Path, record: str, message: str) -> None:
    result = check(tmp_path, MEADOW.encode(), record.encode())

    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout
    assert len(result.stderr) < 1000


@pytest.mark.parametrize(
    ("map_", "record"),
    [
        pytest.param(MEADOW.replace("\n", "\r\n"), PLAN.replace("\n", "\r\n"), id="CR LF"),
        pytest.param(MEADOW.rstrip(), PLAN.rstrip(), id="no last newline"),
        pytest.param("\ufeff" + MEADOW, "\ufeff" + PLAN, id="byte order mark"),
        pytest.param(MEADOW + "\n\n", "\n" + PLAN + "\n\n", id="empty lines"),
        pytest.param("  6  5\t0 0 \n" + MEADOW[8:], "@4 .\n @6.\n@6.\n@6.\n4  0 0 ", id="spaces"),
    ],
)
def test_odd_but_proper_files_are_read(tmp_path: Path, map_: str, record: str) -> None:
    result = check(tmp_path, map_.encode(), record.encode())

    assert result.exit_code == 0, result.stderr


def test_file_that_is_not_there_is_named() -> None:
    result = CliRunner().invoke(main, ["check", "search-party", "no-map.txt", "no-record.txt"])

    assert result.exit_code == 2
    assert "no-map.txt: no such file" in result.stderr


def test_record_that_breaks_off_is_consistent_and_unfinished(tmp_path: Path) -> None:
    for record in ("@4.\n", BLOCK, BLOCK + "@4.\n"):
        result = check(tmp_path, MEADOW.encode(), record.encode(), "--format", "json")

        assert result.exit_code == 0
        assert '"finished": false' in result.stdout
        assert '"claimed": null' in result.stdout


def test_ruling_changes_the_rules(tmp_path: Path) -> None:
    arguments = (tmp_path, MEADOW.encode(), b"4 0 0\n", "--format", "json")

    assert '"finished": true' in check(*arguments, "--const", "sight=99").stdout
    assert check(*arguments, "--const", "sigth=99").exit_code == 2


def test_rules_of_the_user_are_added(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "still.lp").write_text(
        '#program step(t).\nfault(t,"lazy",P,(P,"stands still")) :- move(P,5,t), alive(P,t-1).\n'
    )

    result = check(tmp_path, MEADOW.encode(), b"@5.\n", "--rules", str(rules), "--format", "json")

    assert '"code": "lazy", "who": "@", "detail": "@ stands still"' in result.stdout


def test_facts_of_a_map_are_printed_for_clingo() -> None:
    from kb_score.games.search_party import read_facts, recognises
    from kb_score.terms import write_facts

    assert recognises(MEADOW)
    assert not recognises(PLAN)
    assert "size(6,5)." in write_facts(read_facts(MEADOW, "map.txt"))
