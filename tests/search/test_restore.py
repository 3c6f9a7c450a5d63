"""Boards restored from claims, held against the oracle that tries every board."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import pytest

import kb_score
from tests.helpers import CLAIMS, EXAMPLE, ROOT, run
from tests.oracles import kingdom_builder as oracle
from tools.restored import restore, write_claims

SYMBOLS = ".WMTC123"
ROWS = ("1T2.", "W.13", ".C2M", "3..1")


def write_board(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    path.write_text("".join(f"{' '.join(row)}\n" for row in rows))
    return path


def with_symbols(
    rows: Sequence[Sequence[str]], places: Sequence[tuple[int, int]], symbols: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    changed = [list(row) for row in rows]
    for (row, column), symbol in zip(places, symbols, strict=True):
        changed[row][column] = symbol
    return tuple(map(tuple, changed))


def explains(rows: Sequence[Sequence[str]], claims: str, **rulings: bool) -> bool:
    gold = oracle.score(rows, **rulings)
    return len(gold["castles"]) == 3 and write_claims(gold, totals=False) == claims


def read_rows(board: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in board.splitlines())


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    path = tmp_path / "claims.txt"
    path.write_text(write_claims(oracle.score(ROWS), totals=False))
    return path


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([(1, 1)], id="one"),
        pytest.param([(2, 0), (2, 1)], id="two-side-by-side"),
        pytest.param([(0, 3), (3, 0), (3, 1)], id="one-that-held-a-settlement"),
    ],
)
@pytest.mark.parametrize("ruling", ["lords_need_settlement", "merchants_need_settlement"])
@pytest.mark.parametrize("value", [0, 1])
def test_exactly_the_boards_that_the_oracle_scores_as_claimed_are_found(
    tmp_path: Path, places: list[tuple[int, int]], ruling: str, value: int
) -> None:
    rulings = {ruling: bool(value)}
    text = write_claims(oracle.score(ROWS, **rulings), totals=False)
    (tmp_path / "claims.txt").write_text(text)
    board = write_board(tmp_path / "board.txt", with_symbols(ROWS, places, "?" * len(places)))
    filled = (with_symbols(ROWS, places, some) for some in product(SYMBOLS, repeat=len(places)))
    expected = {rows for rows in filled if explains(rows, text, **rulings)}

    words = (board, tmp_path / "claims.txt", "--const", f"{ruling}={value}")
    (found,) = run("restore", *words, "--boards", 5000, "--format", "json").json

    assert tuple(map(tuple, ROWS)) in expected
    assert set(map(read_rows, found["boards"])) == expected
    assert found["explanations"] == len(found["boards"]) == len(expected)
    assert found["complete"]
    same = [[r, c, ROWS[r][c]] for r, c in places if len({rows[r][c] for rows in expected}) == 1]
    assert found["common"] == same


def changed_boards(most: int) -> Iterator[tuple[int, tuple[tuple[str, ...], ...]]]:
    places = list(product(range(4), range(4)))
    for number in range(most + 1):
        for some in combinations(places, number):
            others = ([s for s in SYMBOLS if s != ROWS[r][c]] for r, c in some)
            for symbols in product(*others):
                yield number, with_symbols(ROWS, some, symbols)


@pytest.mark.slow
def test_exactly_the_boards_with_so_few_changes_are_found_those_with_fewest_first(
    tmp_path: Path,
) -> None:
    # One settlement of player 2 was a town's neighbour, and one of player 3 belongs to player 1.
    truth = with_symbols(ROWS, [(0, 2), (1, 3)], ".1")
    text = write_claims(oracle.score(truth), totals=False)
    (tmp_path / "claims.txt").write_text(text)
    board = write_board(tmp_path / "board.txt", ROWS)
    expected = {rows: number for number, rows in changed_boards(2) if explains(rows, text)}

    words = (board, tmp_path / "claims.txt", "--changes", 2, "--boards", 5000)
    (found,) = run("restore", *words, "--format", "json").json

    rows = list(map(read_rows, found["boards"]))
    assert truth in expected
    assert sorted(rows) == sorted(expected)
    assert [expected[row] for row in rows] == sorted(expected.values())
    assert found["changes"] == min(expected.values())
    assert found["complete"]


def test_what_is_common_to_all_boards_is_known_although_few_are_listed(
    tmp_path: Path, claims: Path
) -> None:
    places = [(0, 1), (0, 3), (2, 3), (3, 1), (3, 2)]
    board = write_board(tmp_path / "board.txt", with_symbols(ROWS, places, "?" * 5))
    whole, few = (
        run("restore", board, claims, "--boards", most, "--format", "json").json[0]
        for most in (5000, 1)
    )

    assert whole["complete"]
    assert whole["explanations"] > 1
    assert (few["complete"], few["explanations"], few["common_proved"]) == (False, 1, True)
    assert few["common"] == whole["common"]


@pytest.mark.parametrize(("number", "totals"), [(3, True), (12, False), (20, True)])
def test_the_example_is_restored_from_its_scores(number: int, totals: bool) -> None:
    rows = [str(line).replace(" ", "") for line in EXAMPLE.read_text().splitlines()]
    places = [((7 * i) % 20, (3 * i + 1) % 20) for i in range(number)]

    assert restore(rows, places, totals=totals, most=200).faults == ()


def test_twenty_boards_explain_the_table_of_the_challenge_with_two_changes() -> None:
    board = ROOT / "boards" / "kingdom_builder" / "restore" / "five-mountains.txt"
    example = read_rows(EXAMPLE.read_text())

    (found,) = run("restore", board, CLAIMS, "--format", "json").json

    boards = list(map(read_rows, found["boards"]))
    changes = [
        sum(a != b for p, q in zip(r, example, strict=True) for a, b in zip(p, q, strict=True))
        for r in boards
    ]
    assert found["complete"]
    assert (min(changes), changes.count(2)) == (2, 20)
    claimed = [line.split() for line in CLAIMS.read_text().splitlines()[1:]]
    totals = "".join(f"{' '.join(words[:3])}  {' '.join(words[3:])}\n" for words in claimed)
    assert {write_claims(oracle.score(rows), totals=True) for rows in boards} == {totals}


@pytest.mark.slow
def test_a_copy_of_the_sums_that_a_user_has_changed_counts(tmp_path: Path, claims: Path) -> None:
    run("rules", "export", tmp_path / "copy")
    sums = tmp_path / "copy" / "kingdom_builder" / "score.lp"
    sums.write_text(sums.read_text().replace("#sum { Points,Why", "#sum { 2*Points,Why"))
    twice = {c: tuple(2 * gold for gold in paid) for c, paid in oracle.score(ROWS).items()}
    (tmp_path / "twice.txt").write_text(write_claims(twice, totals=False))
    board = write_board(tmp_path / "board.txt", with_symbols(ROWS, [(0, 2)], "?"))
    (plain,) = run("restore", board, claims, "--format", "json").json

    words = (board, tmp_path / "twice.txt", "--rules", sums.parent)
    (found,) = run("restore", *words, "--format", "json").json

    assert found["boards"] == plain["boards"] != []


def write_smudge(tmp_path: Path) -> Path:
    """Hide a part of the example that takes long to restore."""
    rows = [line.split() for line in EXAMPLE.read_text().splitlines()]
    places = list(product(range(6, 13), range(4, 13)))
    return write_board(tmp_path / "board.txt", with_symbols(rows, places, "?" * len(places)))


@pytest.mark.slow
def test_a_search_that_is_too_long_says_so(tmp_path: Path) -> None:
    words = (write_smudge(tmp_path), CLAIMS, "--limit-seconds", "0.3")

    start = time.monotonic()
    ran = run("restore", *words, "--format", "json")

    assert time.monotonic() - start < 20
    assert ran.status == 2
    assert ran.err == "note: stopped after 0.3 s (--limit-seconds)\n"
    (found,) = ran.json
    assert (found["complete"], found["common_proved"], found["boards"]) == (False, False, [])


def wait_until_it_works(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a process has used so many seconds of a processor."""
    ticks = 0
    while process.poll() is None and ticks < seconds * os.sysconf("SC_CLK_TCK"):
        time.sleep(0.05)
        _, _, fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")
        ticks = sum(map(int, fields.split()[11:13]))


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_shows_what_it_found(tmp_path: Path, sent: signal.Signals) -> None:
    # A quarter of the board has a first explanation soon, and more than can be listed by then.
    board = write_board(
        tmp_path / "board.txt", [r[:10] for r in read_rows(EXAMPLE.read_text())[:10]]
    )
    gold = kb_score.score(board.read_text()).gold
    (tmp_path / "claims.txt").write_text(write_claims(dict(gold), totals=False))
    words = (board, tmp_path / "claims.txt", "--changes", 2, "--boards", 5000)
    process = subprocess.Popen(
        [sys.executable, "-m", "kb_score", "restore", *map(str, words), "--format", "json"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    wait_until_it_works(process, 1.0)
    process.send_signal(sent)
    out, _ = process.communicate(timeout=30)

    assert process.returncode == 128 + sent
    found = json.loads(out)
    assert not found["complete"]
    # The board as it is explains its own scores.
    assert found["changes"] == 0
    assert found["boards"][0].split() == board.read_text().split()
