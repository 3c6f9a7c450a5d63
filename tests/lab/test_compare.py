"""Two versions of a card: the board on which they differ, held against plain Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

import kb_score
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.lab.compare import CardComparer, list_sizes, load_version
from tests.helpers import ASP, ROOT, run, write_copy
from tests.oracles import kingdom_builder as oracle
from tests.oracles.kingdom_builder_versions import VERSIONS, Gold, Rows
from tests.search.test_restore import wait_until_it_works

CARDS = ASP / "kingdom_builder" / "cards"
BOTH = "in_row(P,R,N), #count { R1 : in_row(P,R1,M), (M,R1) > (N,R) } = 0"
# Of a group without holes this is 1; the smallest one with a hole is a ring of six.
BY_PAIRS = """card(hermits, 7, "1 gold for each group").
gold(hermits,P,all,Settlements-Pairs+Threes) :-
    player(P), Settlements = #count { R,C : settlement(P,R,C) },
    Pairs = #count { R,C,R1,C1 : joined(P,R,C,R1,C1) },
    Threes = #count { R,C,R1,C1,R2,C2 : joined(P,R,C,R1,C1), joined(P,R1,C1,R2,C2),
                                        joined(P,R,C,R2,C2) }."""


def change(folder: Path, card: str, old: str, new: str) -> Path:
    text = (CARDS / f"{card}.lp").read_text()
    assert text.count(old) == 1
    return write_copy(folder, f"kingdom_builder/cards/{card}.lp", text.replace(old, new))


def compare(card: str, path: Path, players: int = 2, longest: int = 4) -> CardComparer:
    changed = GameRules("kingdom_builder", Changes((path,)))
    before, after = map(load_version, (GameRules("kingdom_builder"), changed))
    found = CardComparer(card, before, after, players, sizes=tuple(list_sizes(longest)))
    found.run()
    return found


def count_things(rows: Rows) -> int:
    return sum(len(hex_.strip(".")) for row in rows for hex_ in row)


@pytest.mark.parametrize(("card", "old", "new", "pay"), VERSIONS, ids=[v[0] for v in VERSIONS])
def test_the_smallest_board_is_paid_differently(
    tmp_path: Path, card: str, old: str, new: str, pay: Callable[[Rows], Gold]
) -> None:
    found = compare(card, change(tmp_path, card, old, new))

    assert found.board is not None
    assert oracle.score(found.board.rows)[card] != pay(found.board.rows)
    is_small = len(found.board.rows) * len(found.board.rows[0]) == 4
    for hexes in product([*".WMTC12", "M1"], repeat=4):
        rows = hexes[:2], hexes[2:]
        owners = {"1", "2"}.intersection("".join(hexes))
        # One player is simpler than two.
        is_simpler = len(owners) == 1 or "2" in str(found.board)
        if is_small:
            is_simpler = is_simpler and count_things(rows) < count_things(found.board.rows)
        if owners and is_simpler:
            assert oracle.score(rows)[card] == pay(rows), rows


@pytest.mark.slow
def test_what_pays_the_same_is_proved_to(tmp_path: Path) -> None:
    equal = change(tmp_path, "knights", "player(P), (N,R) = #max { (M,R1) : in_row(P,R1,M) }", BOTH)

    found = compare("knights", equal)

    assert (found.board, found.reached) == (None, (4, 4))
    for hexes in product(".12", repeat=4):
        text = f"{' '.join(hexes[:2])}\n{' '.join(hexes[2:])}\n"
        changed = kb_score.score(text, rules=[tmp_path]).gold
        assert kb_score.score(text).gold["knights"] == changed["knights"]


@pytest.mark.slow
def test_a_board_is_saved_and_scored_by_either_version(tmp_path: Path) -> None:
    new = tmp_path / "new"
    path = change(new, "merchants", ", (R,C) != (R1,C1)", "")

    ran = run("rules", "compare", "9", path, "-f", "json", "-o", tmp_path / "board.txt")

    assert ran.status == 1
    (line,) = ran.json
    assert (line["rows"], line["columns"], line["before"], line["after"]) == (2, 2, [0], [4])
    for words, gold in ((), [0]), (("--rules", new), [4]):
        (scores,) = run("score", tmp_path / "board.txt", *words, "-f", "json").json
        assert scores["gold"]["merchants"] == gold
    assert run("rules", "compare", "merchants", path, path).status == 0
    assert run("rules", "compare", "castles", path, "--limit-seconds", "9").status == 2


def test_a_version_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    path = change(
        tmp_path, "lords", ":-\n    in_quadrant(P,Q,N), N >= lords_need_settlement, not", ":- not"
    )

    assert run("rules", "compare", "lordz", path).err.startswith(f"{path}:")
    assert f"{path}:1" in (ran := run("rules", "compare", "lords", path)).err
    assert (ran.status, run("rules", "compare", "lords").status) == (2, 2)
    assert "no card 'lordz'" in run("rules", "compare", "lordz", "--const", "capitol_radius=1").err
    empty = write_copy(tmp_path, "kingdom_builder/cards/miners.lp", "")
    ran = run("rules", "compare", "miners", empty)
    assert (ran.status, ran.err) == (
        2,
        f"there is no card miners in the rules of kb-score with --rules {empty}\n",
    )
    ours = CARDS / "miners.lp"
    assert "affects the card lords" in run("rules", "compare", "lords", ours).err


@pytest.mark.slow
def test_an_interrupted_search_keeps_the_board_it_found(tmp_path: Path) -> None:
    path = write_copy(tmp_path, "kingdom_builder/cards/hermits.lp", BY_PAIRS)
    words = ("rules", "compare", "hermits", str(path), "-f", "json", "-o", str(tmp_path / "board"))
    process = subprocess.Popen(
        [sys.executable, "-m", "kb_score", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    wait_until_it_works(process, 4)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)

    assert process.returncode == 130
    line = json.loads(out)
    assert (line["differ"], line["fewest"], line["rows"], line["columns"]) == (True, False, 4, 4)
    assert (tmp_path / "board").read_text() == line["board"]
