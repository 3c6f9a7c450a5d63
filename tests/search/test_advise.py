"""``kb-score advise``: the placements that gain most."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb_score.search.placements import PlacementSearch
from kb_score.shell.shutdown import Ended
from tests.helpers import ASP, EXAMPLE, listens, run, write_copy
from tests.oracles.kingdom_builder_game_examples import E2, E8
from tools import advice

NOBODY_LEFT = (
    f"{EXAMPLE}: note: player 1 has no settlement left to build (--const most_settlements)\n"
)
# With the sizes and the letters of a whole board, and too many groups to be looked through at once.
MOTLEY = "".join(
    " ".join(".1"[(r * r + c * c + r * c) % 7 < 2] for c in range(60)) + "\n" for r in range(60)
)

WIDE = (". " * 200 + "\n") * 100

# Pays for two settlements that are two hexes apart in a row: no word of the rules tells of that.
PAIRS = """%*! Pairs (card 11). Takes settlement/3; gives card/3 and gold/4. *%
card(pairs, 11, "5 gold for your settlements two hexes apart").
gold(pairs, P, pair(R,C), 5) :- settlement(P,R,C), settlement(P,R,C+2).
"""
COUNTED = """%*! Even (card 11). Takes settlement/3; gives card/3, gold/4 and looks/3. *%
card(even, 11, "1 gold for your settlements in even rows").
gold(even, P, hex(R,C), 1) :- settlement(P,R,C), R\\2 = 0.
"""
SAYS_IT = """#defined vacant/2.
looks(even, (R,C), even) :- vacant(R,C), R\\2 = 0.
apart(even, sum).
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "board.txt"
    path.write_text(text)
    return path


def rules(folder: Path, text: str) -> Path:
    (folder / "rules").mkdir()
    (folder / "rules" / "mine.lp").write_text(text)
    return folder / "rules"


@pytest.mark.slow
def test_advice_is_what_a_search_finds_that_tries_every_placement() -> None:
    # python -m tools.advice does the same with more boards.
    assert advice.run(9, seed=1) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "hexes", "by_card"),
    [
        pytest.param(
            "--settlements 1",
            [[0, 3]],
            {"discoverers": 1, "fishermen": 1, "lords": 6, "hermits": 1},
            id="one-settlement",
        ),
        pytest.param(
            "--cards 1,3,7",
            [[0, 3], [7, 10], [8, 4]],
            {"discoverers": 3, "fishermen": 3, "hermits": 3},
            id="three-cards",
        ),
    ],
)
def test_nine_is_the_best_that_player_1_can_gain_on_the_example(
    options: str, hexes: list[list[int]], by_card: dict[str, int]
) -> None:
    ran = run("advise", EXAMPLE, "--player", 1, *options.split(), "--format", "json")

    (found,) = ran.json
    assert (ran.status, ran.err) == (0, NOBODY_LEFT)
    assert list(found) == ["board", "player", "proved", "placements"]
    assert (found["board"], found["player"], found["proved"]) == (str(EXAMPLE), 1, True)
    assert found["placements"][0] == {"hexes": hexes, "gain": 9, "by_card": by_card}
    assert [placement["gain"] for placement in found["placements"]] == [9] * 5


@pytest.mark.slow
def test_three_settlements_and_all_cards_gain_what_was_counted_one_by_one() -> None:
    # A loop over all 762,521 placements with tests/oracles/kingdom_builder.py gives 24, 30 times.
    ran = run("advise", EXAMPLE, "--player", 1, "--placements", 100, "--format", "json")

    gains = [placement["gain"] for placement in ran.json[0]["placements"]]
    assert gains.count(24) == 30
    assert max(gains) == 24


def test_a_location_that_two_groups_reach_is_paid_once(tmp_path: Path) -> None:
    # Both groups lie beside the town in the middle, and each is to be linked to another one.
    path = write(tmp_path, "T . 1 T 1 . T W\n W W W W W W W W\n")

    ran = run("advise", path, "--player", 1, "--cards", "merchants", "--format", "json")

    assert ran.json[0]["proved"]
    assert ran.json[0]["placements"] == [
        {"hexes": [[0, 1], [0, 5]], "gain": 12, "by_card": {"merchants": 12}},
        {"hexes": [[0, 1]], "gain": 8, "by_card": {"merchants": 8}},
        {"hexes": [[0, 5]], "gain": 8, "by_card": {"merchants": 8}},
    ]


@pytest.mark.slow
def test_the_best_placement_is_drawn_and_others_are_told_of() -> None:
    ran = run("advise", EXAMPLE, "--player", 1, "--cards", "5", "--settlements", 3)

    assert "other players" in ran.out
    assert "player 3 lords +6, player 4 lords +6" in ran.out
    assert ran.out.count("[.]") == 3
    assert ran.out.endswith("no placement gains more than 12: proved\n")


def test_spreadsheets_have_a_row_for_each_card_that_pays(tmp_path: Path) -> None:
    path = write(tmp_path, "1 . W .\n . . . .\n")

    ran = run("advise", path, "--player", 1, "--settlements", 1, "--cards", "3", "--format", "csv")

    assert [tuple(row.values()) for row in ran.csv] == [
        (str(path), "1", "1", str(i), "1", place, "fishermen", "1")
        for i, place in enumerate(("0,1", "0,3", "1,1", "1,2"), 1)
    ]


def test_where_nothing_gains_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "1 .\n . .\n")

    ran = run("advise", path, "--player", 1, "--cards", "miners")

    assert (ran.status, ran.out) == (0, "no placement gains anything: proved\n")
    json = run("advise", path, "--player", 1, "--cards", "miners", "--format", "json").json
    assert json == [{"board": str(path), "player": 1, "proved": True, "placements": []}]


def test_a_board_without_a_vacant_hex_has_no_placement(tmp_path: Path) -> None:
    path = write(tmp_path, "1 W\n G# O\n".replace("1 W", "1  W"))

    ran = run("advise", path, "--player", 2)

    assert (ran.status, ran.out) == (0, "no placement gains anything: proved\n")


def test_a_card_allows_what_the_rules_of_the_turn_allow(tmp_path: Path) -> None:
    path = write(tmp_path, E2)

    ran = run("advise", path, "--player", 1, "--card", "grass", "--format", "json")

    # From 0,1 there is 1,0 and then 0,0, or 0,0 at once, after which any grass may follow.
    hexes = [placement["hexes"] for placement in ran.json[0]["placements"]]
    assert ran.json[0]["proved"]
    assert {str(found) for found in hexes} <= {
        str([[0, 0], *rest])
        for rest in (
            [[0, 5], [1, 0]],
            [[1, 0], [1, 5]],
            [[1, 0], [3, 5]],
            [[0, 5], [1, 5]],
            [[1, 5], [3, 5]],
            [[0, 5], [3, 5]],
        )
    } | {
        str([[0, 0], [0, 5], [1, 0]]),
        str([[0, 0], [1, 0], [1, 5]]),
        str([[0, 0], [1, 0], [3, 5]]),
    }
    assert len(hexes) == 3


def test_a_placement_that_has_to_be_made_is_listed_even_if_it_loses_gold(tmp_path: Path) -> None:
    # Two groups become one, and nothing else changes.
    path = write(tmp_path, "G1 G  G1 W\n W  W  W  W\n")

    ran = run("advise", path, "--player", 1, "--card", "grass", "--cards", "7")

    assert "-1  0,1    hermits -1" in ran.out
    assert "placements have 1 of 3 settlements" in ran.err


@pytest.mark.parametrize(
    ("board", "options", "message"),
    [
        pytest.param(
            *(E8, "--player 1 --card flower"), "no hex of it is flower\n", id="no-such-land"
        ),
        pytest.param(
            *("1 .\n . .\n", "--player 1 --card flower"),
            "no hex of it is flower: --terrain needs a board with the letters of its terrain",
            id="no-land",
        ),
        pytest.param(
            *("G1 G\n G1 G1\n", "--player 1 --card grass --const most_settlements=3"),
            "by the card grass: no settlement is left to build (--const most_settlements)\n",
            id="no-supply",
        ),
        pytest.param(E8, "--player 3 --players 2", "there is no player 3, but", id="player"),
        pytest.param("1 1\n", "--player 1", "cannot be halved into quadrants", id="odd"),
        pytest.param("...\n" * 4000, "--player 1", "4000 rows of 3 hexes are", id="size"),
        pytest.param(
            *(WIDE, "--player 1"),
            "100 rows of 200 hexes are too many to look for placements: 10,000 is the limit",
            id="placements",
        ),
        pytest.param("1 x\n . .\n", "--player 1", ":1:3: unexpected 'x'", id="symbol"),
        pytest.param(
            E8,
            "--player 1 --card beach",
            "'--terrain' / '--card': there is no 'beach', but",
            id="card",
        ),
        pytest.param(E8, "--player 1 --terrain x", "'--terrain' / '--card': there is no", id="x"),
        pytest.param(
            E8, "--player 1 --card grass/", "'--card': there is no '', but", id="half-card"
        ),
        pytest.param(E8, "--player 1 --cards beach", "there is no card 'beach'", id="cards"),
        pytest.param(E8, "", "Missing option '--player'", id="no-player"),
        pytest.param(E8, "--player 1 --settlements 4", "4 is not in the range", id="four"),
        pytest.param(
            *(E8, "--player 1 --card grass --settlements 2"),
            "the rules of the turn say how many settlements",
            id="both",
        ),
    ],
)
def test_what_cannot_be_used_is_said(
    tmp_path: Path, board: str, options: str, message: str
) -> None:
    ran = run("advise", write(tmp_path, board), *options.split())

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(
    ("text", "cards", "named"),
    [
        pytest.param(PAIRS, "pairs", {"pairs": "mine.lp:2:1"}, id="card"),
        pytest.param(
            *(PAIRS + COUNTED.replace("11", "12"), "pairs,even"),
            {"even": "mine.lp:5:1", "pairs": "mine.lp:2:1"},
            id="two",
        ),
        pytest.param(
            '#const named = mine.\ncard(named, 11, "mine").\ngold(named, P, once, 1) :- player(P).',
            "lords,mine",
            {"castles": "cards/castles.lp:", "lords": "cards/lords.lp:", "mine": ""},
            id="constant",
        ),
    ],
)
def test_a_card_of_which_nothing_says_what_it_looks_at_is_refused_with_its_file(
    tmp_path: Path, text: str, cards: str, named: dict[str, str]
) -> None:
    path, folder = write(tmp_path, ". . . .\n . . . .\n"), rules(tmp_path, text)

    ran = run("advise", path, "--player", 1, "--rules", folder, "--cards", cards)

    assert (ran.status, ran.out) == (2, "")
    lines = [line for line in ran.err.splitlines() if "looks at" in line]
    for (name, place), line in zip(named.items(), lines, strict=True):
        assert place in line
        assert line.endswith(
            f"nothing says what {name} looks at: write looks/3 for it in your rules"
        )


def test_what_all_cards_build_on_makes_each_of_them_unknown(tmp_path: Path) -> None:
    path, name = write(tmp_path, ". . . .\n . . . .\n"), "kingdom_builder/board.lp"
    write_copy(tmp_path / "rules", name, (ASP / name).read_text() + "near(1,1,1,2).\n")

    words = ("--player", 1, "--rules", tmp_path / "rules", "--cards", "lords")
    ran = run("advise", path, *words)

    assert (ran.status, ran.out) == (2, "")
    castles, lords = (line for line in ran.err.splitlines() if "looks at" in line)
    for line, card in ((castles, "castles"), (lords, "lords")):
        assert f"cards/{card}.lp:" in line
        assert line.endswith(
            f"nothing says what {card} looks at: write looks/3 for it in your rules"
        )


def test_a_users_card_that_says_nothing_does_not_matter_where_it_is_left_out(
    tmp_path: Path,
) -> None:
    path, folder = write(tmp_path, "1 . W .\n . . . .\n"), rules(tmp_path, PAIRS)

    words = ("advise", path, "--player", 1, "--cards", "3", "--format", "json")

    assert run(*words, "--rules", folder).json == run(*words).json


@pytest.mark.slow
def test_a_users_card_that_says_what_it_looks_at_is_proved(tmp_path: Path) -> None:
    folder = rules(tmp_path, COUNTED + SAYS_IT)

    ran = run(
        *("advise", EXAMPLE, "--player", 1, "--rules", folder, "--cards", "even,3"),
        *("--format", "json"),
    )

    assert (ran.json[0]["proved"], ran.err) == (True, NOBODY_LEFT)
    assert ran.json[0]["placements"][0]["by_card"] == {"fishermen": 3, "even": 3}
    assert run("score", EXAMPLE, "--rules", folder).status == 0


def test_a_users_card_that_looks_at_more_than_it_says_is_found_out(tmp_path: Path) -> None:
    lies = PAIRS + "looks(pairs, none, none).\napart(pairs, sum).\n"
    path, folder = write(tmp_path, ". . . .\n . . . .\n"), rules(tmp_path, lies)

    ran = run(
        *("advise", path, "--player", 1, "--rules", folder, "--cards", "1,pairs"),
        *("--format", "json", "--placements", 1000),
    )

    assert not ran.json[0]["proved"]
    assert "a card looks at more than looks/3, joins/1, apart/2 and minds/1 say" in ran.err


def test_when_the_time_is_over_the_best_so_far_is_not_proved() -> None:
    ran = run("advise", EXAMPLE, "--player", 1, "--limit-seconds", 0.01, "--format", "json")

    assert (ran.status, ran.json[0]["proved"]) == (0, False)
    assert "the time is over (--limit-seconds): there may be better placements" in ran.err


@pytest.mark.slow
def test_what_is_found_before_a_signal_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(range(300))

    def complete(self: PlacementSearch, placed: object) -> None:
        if next(calls, None) is None:
            raise Ended(signal.SIGTERM)
        there(self, placed)  # type: ignore[arg-type]

    there = PlacementSearch._complete
    monkeypatch.setattr(PlacementSearch, "_complete", complete)

    ran = run("advise", EXAMPLE, "--player", 1)

    assert ran.status == 143
    assert "hexes" in ran.out
    assert ran.out.endswith("there may be better placements: not proved\n")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_a_real_signal_is_heard_at_once(tmp_path: Path) -> None:
    command = ("advise", str(write(tmp_path, MOTLEY)), "--player", "1", "--format", "json")
    for seconds in (1, 4, 16, 32):  # until a first placement is found, on a slow machine, too
        process = subprocess.Popen(
            [sys.executable, "-m", "kb_score", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while not listens(process):
            time.sleep(0.05)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, _ = process.communicate(timeout=30)

        assert process.returncode == 130
        assert time.monotonic() - began < 10
        if out:
            break

    assert out.count(b'"proved": false') == 1
