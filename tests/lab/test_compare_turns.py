"""Two versions of the rules of turns: where they differ, or a proof that they do not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules, Limits, Use
from kb_score.engine.supervisor import Deadline
from kb_score.engine.terms import Facts
from kb_score.lab import mutate
from kb_score.lab.compare import Comparer, make_comparer
from tests.helpers import ASP, run, write_copy
from tests.oracles.slime import move

_SMALL = [(row, column) for row in (0, 1) for column in (0, 1)]
TAKES = "move(Kind,_,_,t), Kind != merge, mover(P,t), around(S,t), before_holds(S,O,t), O != P"
TAVERN = "toward(D,B,C), own(C,t), toward(D,C,H)."


def change(folder: Path, path: str, old: str, new: str) -> Path:
    text = (ASP / path).read_text().partition("\n%*! Example")[0]
    assert text.count(old) == 1
    write_copy(folder, path, text.replace(old, new))
    return folder


def compare(name: str, game: str, folder: Path, *sizes: tuple[int, int]) -> Comparer:
    versions = GameRules(game), GameRules(game, Changes((folder,)))
    found = make_comparer(name, *versions, 1, Deadline(None))
    assert found is not None
    found.sizes = sizes
    found.run()
    return found


def list_cases() -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """List all boards of 2 x 2 for player 1, whose enemies are all alike, and all moves on them."""
    for board in product(".12", repeat=4):
        for source, target in product(_SMALL, repeat=2):
            yield "".join(board), (*source, *target)


def play(folder: Path) -> list[str]:
    """Tell what the rules make of all cases, each a turn of its own."""
    cases = list(enumerate(list_cases(), 1))
    facts: Facts = {
        "size": [(2, 2)],
        "turn": [(n,) for n, _ in cases],
        "mover": [(1, n) for n, _ in cases],
        "answer": [(move[:2], move[2:], n) for n, (_, move) in cases],
        "before_holds": [
            (square, int(owner.replace(".", "0")), n)
            for n, (board, _) in cases
            for square, owner in zip(_SMALL, board, strict=True)
        ],
    }
    rules = GameRules("slime", Changes((folder,)))
    boards = [list(board) for _, (board, _) in cases]
    use = Use(("rules",), lifted=("step",), exact=(("holds", 3),))
    for square, owner, turn in rules.ask(use, facts).rows["holds", 3]:
        boards[cast(int, turn) - 1][_SMALL.index(cast(tuple[int, int], square))] = ".1234"[
            cast(int, owner)
        ]
    return ["".join(board) for board in boards]


def play_plainly() -> list[str]:
    moved = (move((board[:2], board[2:]), 1, answer)[0] for board, answer in list_cases())
    return ["".join(rows) for rows in moved]


@pytest.mark.slow
def test_a_changed_turn_is_found_and_its_record_judged_by_either_version(tmp_path: Path) -> None:
    new = change(tmp_path / "new", "slime/rules/rules.lp", TAKES, TAKES.replace("!= m", "= m"))
    record = tmp_path / "record.txt"

    outputs = ("-o", record, "-o", tmp_path / "second")
    ran = run("rules", "compare", "slime", "--rules", new, "-f", "json", *outputs)

    (line,) = ran.json
    assert (ran.status, line["rows"], line["columns"], line["fewest"]) == (1, 2, 2, True)
    assert ran.err.splitlines() == [
        "note: files found: 1; each needs its own -o",
        f"note: {new}/slime/rules/rules.lp replaces asp/slime/rules/rules.lp",
    ]
    assert not (tmp_path / "second").exists()
    settings = line["example"].partition("with turns_before = ")[2].split()[0]
    words = "check", "slime", record, "--turns-before", settings
    assert run(*words).status == 0
    assert "wrong-board" in run(*words, "--rules", new).out
    # The example can be pasted, and only the first version makes it true.
    (tmp_path / "more.lp").write_text(line["example"])
    assert run("rules", "test", "--game", "slime", tmp_path / "more.lp").status == 0
    ran = run("rules", "test", "--game", "slime", tmp_path / "more.lp", "--rules", new)
    assert ran.status == 1
    # No position with less slime on it would do.
    differing = (
        len(board.replace(".", ""))
        for (board, _), one, other in zip(list_cases(), play_plainly(), play(new), strict=True)
        if one != other
    )
    board = record.read_text().partition("\n")[0][2:]
    assert len(board.replace(".", "").replace(",", "")) == min(differing)


def test_turns_that_are_the_same_are_proved_to_be(tmp_path: Path) -> None:
    both = (f"{TAKES.replace('!= merge', f'= {kind}')}, O != 0.\n" for kind in ("spread", "jump"))
    new = change(
        tmp_path, "slime/rules/rules.lp", f"{TAKES}, O != 0.", "becomes(S,P,t) :- ".join(both)
    )

    found = compare("slime", "slime", new, (2, 2))

    assert (found.is_same, found.at, found.reached) == (False, None, (2, 2))
    assert play(new) == play_plainly()


def find_ends(row: tuple[str, ...]) -> str:
    """Find the free hexes at an end of three settlements in a row."""
    three = ("1",) * 3
    free = (c for c, hex_ in enumerate(row) if hex_ == " ")
    ends = [c for c in free if three in (row[max(c - 3, 0) : c], row[c + 1 : c + 4])]
    return " ".join(f"0,{c}" for c in ends) or "none"


@pytest.mark.slow
def test_a_changed_tile_is_found_and_one_that_is_the_same_proved(tmp_path: Path) -> None:
    new = change(tmp_path / "new", "kingdom_builder/tiles/tavern.lp", TAVERN, "toward(D,B,H).")
    record = tmp_path / "board.txt"

    ran = run("rules", "compare", "tavern", "--rules", new, "-f", "json", "-o", record)

    (line,) = ran.json
    assert (ran.status, line["rows"], line["columns"]) == (1, 1, 3)
    card = line["example"].partition("card = ")[2].partition(",")[0]
    words = "legal", "kingdom-builder", record, "--player", 1, "--card", card, "--tile", "tavern"
    assert "tavern" not in run(*words, "-f", "csv").out
    assert "tavern" in run(*words, "-f", "csv", "--rules", new).out
    split = "toward(D,B,C), tavern_end(D,C,H,t).\n"
    split += "tavern_end(D,C,H,t) :- explored(tavern,none,t), own(C,t), toward(D,C,H)."
    same = change(tmp_path / "same", "kingdom_builder/tiles/tavern.lp", TAVERN, split)
    found = compare("tavern", "kingdom_builder", same, (1, 4))
    assert (found.is_same, found.at, found.reached) == (False, None, (1, 4))
    examples = (
        f"%*! Example: a row of four\nG{' G'.join(row)}\nwith player = 1, card = grass, "
        f"tile = tavern\nlegal tavern: {find_ends(row)} *%\n"
        for row in product(" 1", repeat=4)
    )
    (same / "more.lp").write_text("\n".join(examples))
    assert run("rules", "test", same / "more.lp", "--rules", same / "kingdom_builder").status == 0


@pytest.mark.slow
def test_what_no_example_of_a_tile_notices_gets_one(tmp_path: Path) -> None:
    rules = GameRules("kingdom_builder", Changes(limits=Limits(60)))
    path = ASP / "kingdom_builder" / "tiles" / "tavern.lp"
    (mutant,) = (m for m in mutate.find_mutants(path) if m.before == "shaped(tavern).")

    (found,) = mutate.try_mutants([mutant], [], rules)

    assert found is not None
    (tmp_path / "more.lp").write_text(found.example)
    assert "tile = tavern" in found.example
    assert run("rules", "test", tmp_path / "more.lp").status == 0


@pytest.mark.slow
def test_a_changed_step_is_found_on_a_map_of_its_own(tmp_path: Path) -> None:
    saved = "leaves(C,To,t), exit(To)"
    new = change(
        tmp_path / "new", "rabbits/rules/rules.lp", f"{saved}, not ends(To,t).", f"{saved}."
    )
    files = [tmp_path / "map.txt", tmp_path / "session.txt"]

    ran = run(
        "rules", "compare", "rabbits", "--rules", new, "-f", "json", "-o", files[0], "-o", files[1]
    )

    (line,) = ran.json
    # A rabbit and a crusher come to an exit.
    assert (ran.status, line["rows"], line["columns"]) == (1, 4, 4)
    assert (line["before"], line["after"]) == ({"saved": "0"}, {"saved": "1"})
    for words, number in ((), 0), (("--rules", new), 1):
        (verdict,) = run("check", "rabbits", *files, *words, "-f", "json").json
        assert (verdict["consistent"], verdict["result"]["saved"]) == (True, number)


def list_hops() -> Iterator[tuple[str, tuple[int, ...]]]:
    """List what can stand on three cells in a row, and each step that is asked for from them."""
    yield from product(
        ("".join(row) for row in product(" oX", repeat=3)), product((-1, 0, 1), repeat=3)
    )


def hop(folder: Path) -> list[set[int]]:
    """Tell where rabbits are after each of these turns, on three cells with an exit to the east."""
    cases = [(2 * n, state, steps) for n, (state, steps) in enumerate(list_hops())]
    asked = (
        (n, c, c + step, t)
        for t, _, steps in cases
        for n, (c, step) in enumerate(zip((6, 7, 8), steps, strict=True))
    )
    facts: Facts = {
        "size": [(3, 5)],
        "corridor": [(6, 8)],
        "exit": [(8,)],
        "turn": [(n,) for n in range(2 * len(cases))],
        "stands": [
            (c, t) for t, state, _ in cases for c, what in enumerate(state, 6) if what == "o"
        ],
        "ends": [(c, t) for t, state, _ in cases for c, what in enumerate(state, 6) if what == "X"],
        "request": [row for row in asked if row[1] != row[2]],
    }
    rules = GameRules("rabbits", Changes((folder,)))
    found: list[set[int]] = [set() for _ in cases]
    play = Use(("rules", "chain", "play"), lifted=("turn", "answer", "derived"))
    for cell, turn in rules.ask(play, facts)["rabbit"]:
        found[turn // 2].add(cell - 6)
    return found


def hop_plainly() -> list[set[int]]:
    return [_remain(state, steps) for state, steps in list_hops()]


def _remain(state: str, steps: tuple[int, ...]) -> set[int]:
    goals = [c + steps[c] if 0 <= c + steps[c] < 3 else c for c in range(3)]
    moved = [goals[c] for c in range(3) if state[c] == "o" and goals[c] != c]
    still = [c for c in range(3) if state[c] == "o" and goals[c] == c]
    come = [c for c in moved if state[c] != "X" and c != 2] + still
    # Two that meet destroy each other, and a third that is there or comes survives.
    return {c for c in come if come.count(c) % 2}


@pytest.mark.slow
def test_steps_that_are_the_same_are_proved_to_be(tmp_path: Path) -> None:
    old = "remains(C,t) :- still(C,t), not settles(C,t).\n"
    old += "remains(C,t) :- settles(C,t), not still(C,t)."
    new = "remains(C,t) :- open(C), 1 = #count { 1 : still(C,t); 2 : settles(C,t) }."
    folder = change(tmp_path, "rabbits/rules/rules.lp", old, new)

    found = compare("rabbits", "rabbits", folder, (3, 4), (4, 3), (3, 5))

    assert (found.is_same, found.at, found.reached) == (False, None, (3, 5))
    assert hop(folder) == hop_plainly()


@pytest.mark.slow
def test_a_changed_verdict_is_found_with_its_plan(tmp_path: Path) -> None:
    old = "repeated(P,t), before_alive(P,t)."
    new = change(tmp_path / "new", "search_party/rules/rules.lp", old, f"star(P), {old}")
    files = [tmp_path / "map.txt", tmp_path / "plan.txt"]
    outputs = ("-o", files[0], "-o", files[1])

    ran = run("rules", "compare", "search-party", "--rules", new, "-f", "json", *outputs)

    (line,) = ran.json
    # A plan with the repeated move in the second turn is as simple as one with it in the first.
    (turn,) = (label for label in line["before"] if line["before"][label] == "moved-twice")
    assert (ran.status, line["after"][turn]) == (1, "legal")
    assert "moved-twice" in run("check", "search-party", *files).out
    assert "moved-twice" not in run("check", "search-party", *files, "--rules", new).out


# The star, a costar and three extras on four cells in a row, whose two ends do not see each other.
_CAST = "@Aabc"


class Standing(NamedTuple):
    person: str
    cell: int
    turn: int


def stand(folder: Path) -> list[str]:
    """Tell who lives on after a turn in which all stand still, wherever they are."""
    cases = list(enumerate(product(range(4), repeat=len(_CAST))))
    facts: Facts = {
        "size": [(1, 4)],
        "header": [(4, 1, 1, 3, 0)],
        "map_cell": [(0, x, symbol) for x, symbol in enumerate("S...")],
        "turn": [(2 * n + 1,) for n, _ in cases],
        "before_alive": [(person, 2 * n + 1) for n, _ in cases for person in _CAST],
        "before_at": [
            (p, 7 + c, 2 * n + 1) for n, cells in cases for p, c in zip(_CAST, cells, strict=True)
        ],
    }
    rules = GameRules("search_party", Changes((folder,)))
    living = ["" for _ in cases]
    use = Use(("map", "rules", "listed", "play"), lifted=("step",), exact=(("standing", 3),))
    rows = rules.ask(use, facts).read(Standing)
    for row in sorted(rows, key=lambda row: row.person):
        living[row.turn // 2] += row.person if row.turn else ""
    return living


def stand_plainly() -> list[str]:
    return [_live(dict(zip(_CAST, cells, strict=True))) for cells in product(range(4), repeat=5)]


def _live(at: dict[str, int]) -> str:
    near = {p: {q for q in _CAST if q != p and abs(at[p] - at[q]) < 3} for p in _CAST}
    extras = {p for p in "abc" if near[p] & {"@", "A"} or len(near[p]) == 2}
    return "".join(sorted({"@", *extras, *("A" if near["A"] else "")}))


@pytest.mark.slow
def test_verdicts_that_are_the_same_are_proved_to_be(tmp_path: Path) -> None:
    old = "haven(C,t) :- later_extra(C,P,t), later_extra(C,Q,t), P < Q."
    new = "haven(C,t) :- at(Q,C,t), 3 <= #count { P : extra_in_sight(C,P,t) }."
    folder = change(tmp_path, "search_party/rules/rules.lp", old, new)

    found = compare("search-party", "search_party", folder, (1, 2), (2, 1), (2, 2), (1, 4))

    assert (found.is_same, found.at, found.reached) == (False, None, (2, 2))
    assert stand(folder) == stand_plainly()
