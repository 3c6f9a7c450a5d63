"""What docs/discoveries.md tells of is so: plain Python finds it in the certificates again."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, ROOT, run
from tests.oracles import kingdom_builder, rabbits, rabbits_brute_force, rabbits_records

BOARDS = ROOT / "boards" / "kingdom_builder" / "discoveries"
RUNS = ROOT / "boards" / "rabbits" / "discoveries"
GAMES = tuple(
    product(
        ("discoverers", "knights"),
        ("fishermen", "miners", "lords", "farmers"),
        ("hermits", "citizens"),
    )
)
MOST = {
    "castles": 24,
    "discoverers": 20,
    "knights": 40,
    "fishermen": 40,
    "miners": 40,
    "lords": 48,
    "farmers": 30,
    "hermits": 40,
    "citizens": 20,
    "merchants": 48,
    "workers": 40,
}


def read_rows(name: str) -> list[str]:
    """Read a board as the plain version takes it, and see that it is a finished one."""
    rows = [line.replace(" ", "") for line in (BOARDS / name).read_text().splitlines()]
    assert [len(row) for row in rows] == [20] * 20
    # What a finished board must satisfy is tested elsewhere; here there is nothing to find.
    (line,) = run("score", BOARDS / name, "--format", "json").json
    assert line["violations"] == []
    return rows


def total_games(rows: list[str]) -> list[list[int]]:
    """Sum up the 16 games for each player."""
    gold = kingdom_builder.score(rows)
    return [
        [sum(paid) for paid in zip(gold["castles"], *(gold[card] for card in game), strict=True)]
        for game in GAMES
    ]


def count_settlements(rows: list[str]) -> list[int]:
    text = "".join(rows)
    return [text.count(player) for player in "1234"]


def test_one_player_wins_all_16_games_by_33_gold() -> None:
    rows = read_rows("always20.txt")

    games = total_games(rows)

    assert count_settlements(rows) == [40] * 4
    assert min(first - max(others) for first, *others in games) == 33


def test_four_players_share_the_16_games() -> None:
    rows = read_rows("fourways20.txt")

    games = total_games(rows)

    assert count_settlements(rows) == [40] * 4
    winners = [totals.index(max(totals)) for totals in games if totals.count(max(totals)) == 1]
    assert [winners.count(player) for player in range(4)] == [4] * 4


def test_two_boards_pay_the_most_of_every_card() -> None:
    boards = [read_rows(name) for name in ("seven-cards.txt", "four-cards.txt")]

    paid = [kingdom_builder.score(rows) for rows in boards]

    assert [count_settlements(rows)[0] for rows in boards] == [40, 40]
    assert {card: max(gold[card][0] for gold in paid) for card in kingdom_builder.CARDS} == MOST
    assert sum(paid[0][card][0] == most for card, most in MOST.items()) == 7


def test_one_board_pays_the_limit_of_nine_cards() -> None:
    rows = read_rows("nine-cards.txt")

    paid = kingdom_builder.score(rows)

    assert count_settlements(rows)[0] == 40
    missed = {card for card, most in MOST.items() if paid[card][0] != most}
    assert missed == {"knights", "hermits"}


def test_the_richest_game_pays_133_gold() -> None:
    rows = read_rows("richest.txt")

    assert count_settlements(rows)[0] == 40
    assert max(totals[0] for totals in total_games(rows)) == 133


def test_knights_and_hermits_pay_61_together_at_most() -> None:
    # All ways to fill the fullest row; each other settlement may be a group of its own.
    fillings = ((row.bit_count(), (row & ~(row << 1)).bit_count()) for row in range(1, 1 << 20))

    assert max(2 * number + groups + 40 - number for number, groups in fillings) == 61


def explains_the_table(rows: list[str]) -> bool:
    claims = [line.split()[3:] for line in CLAIMS.read_text().splitlines()[1:]]
    return total_games(rows) == [list(map(int, claimed)) for claimed in claims]


@pytest.mark.slow
def test_no_board_with_one_other_hex_explains_the_challenges_table() -> None:
    rows = [line.replace(" ", "") for line in EXAMPLE.read_text().splitlines()]
    boards = (
        [*rows[:row], rows[row][:column] + symbol + rows[row][column + 1 :], *rows[row + 1 :]]
        for row, column in product(range(20), range(20))
        for symbol in ".WMTC1234"
    )

    assert not any(map(explains_the_table, boards))


def test_a_board_without_two_mountains_explains_the_challenges_table() -> None:
    rows = [line.replace(" ", "") for line in EXAMPLE.read_text().splitlines()]

    fewer = read_rows("two-mountains-fewer.txt")

    assert explains_the_table(fewer)
    differ = [(a, b) for a, b in zip("".join(rows), "".join(fewer), strict=True) if a != b]
    assert differ == [("M", ".")] * 2


def read_frames(path: Path) -> list[rabbits_brute_force.Frame]:
    text = path.read_text().split("\n", 1)[1].split("Total Score")[0]
    frames = [frame.split("\n") for frame in re.split(r"\n\n\n", text) if frame.strip()]
    return [
        tuple(  # type: ignore[misc]
            frozenset(
                (x, y)
                for y, line in enumerate(frame)
                for x, one in enumerate(line)
                if one == symbol
            )
            for symbol in "oX"
        )
        for frame in frames
    ]


def test_a_controller_can_claim_20_rabbits_where_none_was_saved() -> None:
    station = rabbits.parse_map((RUNS / "hall.map").read_text())
    session, log = (RUNS / "hall.session").read_text(), (RUNS / "hall.log")

    assert rabbits_records.check_session(station, session) == (0, True)
    # The frames are those of the session, and allow everything from the truth to the claim.
    frames = read_frames(log)
    told = re.findall(r"^rabbits(.*)$", session, re.MULTILINE)
    assert [
        {f"{x},{y}" for x, y in shown} for shown, _ in frames
    ] == [set(cells.split()) for cells in told]  # fmt: skip
    totals = rabbits_brute_force.totals(station, frames, in_pairs=True)
    assert (min(totals), max(totals)) == (0, 20)
    assert log.read_text().endswith("Total Score: 20\n")
