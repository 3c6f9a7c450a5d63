"""Random boards on which ``advise`` is held against a search that tries every placement.

    python -m tools.advice [--boards 300] [--seed 1]

The search has the scorer and the turns of tests/oracles, which share nothing with the rules. Sizes,
shapes, players, cards, rulings and how many placements are listed change from board to board. Every
third board has land, and a terrain card is played. The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from kb_score import Board
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.engine.supervisor import Deadline
from kb_score.games.kingdom_builder.board import load_notation
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.search.advise import Adviser, Wish
from tests.oracles.kingdom_builder import CARDS, score
from tests.oracles.kingdom_builder_game_play import do_target
from tests.oracles.kingdom_builder_game_state import State, draw_position
from tests.oracles.kingdom_builder_game_targets import MANDATORY, legal_targets

Hex = tuple[int, int]
# The gain, the hexes, and what each card gains.
Found = tuple[int, tuple[Hex, ...], dict[str, int]]

RULINGS = {
    "lords_need_settlement": False,
    "merchants_need_settlement": True,
    "fishermen_on_water": False,
    "miners_on_mountain": False,
    "nomads_are_locations": True,
}
_PLAIN = (
    "WMTC1234..........",
    "WTC11112......",
    "1123........",
    "........TTC1",
    ("W", "M", "T", "C", "O", "G", "N", "1", "2", "3", "G1", "W1", "M2", "F#", *".." * 3, "D"),
)
_LANDS = ("G", "G", "G", "N", "N", "D", "W", "M", "T", "C", "G1", "N1", "D1", "G2", "N2", "G#")


@dataclass(frozen=True, slots=True)
class Case:
    """A board, what is wished for, and the rulings that are not the usual ones."""

    board: Board
    wish: Wish
    rulings: tuple[tuple[str, bool], ...]


def draw_case(seed: int) -> Case:
    """Draw a case."""
    random = Random(seed)
    with_card = seed % 3 == 2
    height, width = (2 * random.randint(1, 3) for _ in range(2))
    pool = _LANDS if with_card else random.choice(_PLAIN)
    longest = random.choice((1, 1, 4))
    hexes: list[str] = []
    while len(hexes) < height * width:
        hexes += [random.choice(pool)] * random.randint(1, longest)
    rows = tuple(tuple(hexes[i * width : (i + 1) * width]) for i in range(height))
    changed = random.choice((None, None, *RULINGS))
    cards = tuple(card for card in CARDS[1:] if random.random() < 0.3)
    wish = Wish(
        player=random.randint(1, 3),
        cards=random.choice((None, cards)),
        players=random.choice((None, None, 5)),
        settlements=3 if with_card else random.choice((1, 2, 3, 3)),
        placements=random.choice((1, 5, 1000)),
        terrains=(random.choice(("grass", "canyon")),) if with_card else (),
    )
    rulings = {**RULINGS, changed: not RULINGS[changed]} if changed else RULINGS
    return Case(Board(f"board {seed}", rows), wish, tuple(rulings.items()))


def ask(case: Case) -> tuple[bool, list[Found]]:
    """Ask for advice: whether it is proved, and the placements."""
    changed = tuple((name, str(int(on))) for name, on in case.rulings if on != RULINGS[name])
    adviser = Adviser(case.board, _load(changed), case.wish, Deadline(None))
    adviser.run()
    return adviser.proved, [(p.gain, p.hexes, dict(p.by_card)) for p in adviser.placements]


def try_all(case: Case) -> list[Found]:
    """Try every placement, and list the best ones in the order of the advice."""
    wish, rows = case.wish, case.board.rows
    placements = _list_legal(case) if wish.terrains else _list_vacant(rows, wish.settlements)
    before = _pay(case, ())
    found: list[Found] = []
    for hexes in placements:
        after = _pay(case, hexes)
        counted = CARDS if wish.cards is None else ("castles", *wish.cards)
        gains = {c: after[c] - before[c] for c in CARDS if c in counted and after[c] != before[c]}
        if wish.terrains or sum(gains.values()) > 0:
            found.append((sum(gains.values()), hexes, gains))
    return sorted(found, key=lambda f: (-f[0], len(f[1]), f[1]))[: wish.placements]


@cache
def _load(constants: tuple[tuple[str, str], ...]) -> Rules:
    return load_rules(GameRules(GAME, Changes(constants=constants)))


def _list_vacant(rows: tuple[str | tuple[str, ...], ...], most: int) -> Iterator[tuple[Hex, ...]]:
    vacant = [
        (r, c)
        for r, row in enumerate(rows)
        for c, hex_ in enumerate(row)
        if hex_ in tuple(".GNDLF")
    ]
    for size in range(1, most + 1):
        yield from combinations(vacant, size)


def _list_legal(case: Case) -> list[tuple[Hex, ...]]:
    (terrain,) = case.wish.terrains
    card = load_notation().symbols[terrain]
    text = "\n".join(" ".join(row) for row in case.board.rows)
    state = draw_position(text, players=5, player=case.wish.player, card=card)
    found = {tuple(sorted(hexes)) for hexes in _build(state, 3)}
    width = case.board.width
    longest = max(map(len, found))
    return [
        tuple(divmod(place, width) for place in places)
        for places in sorted(found)
        if len(places) == longest
    ]


def _build(state: State, left: int) -> Iterator[tuple[int, ...]]:
    """Yield all mandatory actions, in every order of their settlements."""
    targets = legal_targets(state, MANDATORY) if left else set()
    if not targets:
        yield ()
    for target in targets:
        after = state.copy()
        do_target(after, "farm", target)
        for more in _build(after, left - 1):
            yield (*target, *more)


def _pay(case: Case, hexes: tuple[Hex, ...]) -> dict[str, int]:
    """Say what every card pays the player after a placement."""
    rows = [list(row) for row in case.board.rows]
    for row, column in hexes:
        rows[row][column] = f"{rows[row][column]}{case.wish.player}".lstrip(".")
    present = {int(h[-1]) for line in case.board.rows for h in line if h[-1].isdigit()}
    players = case.wish.players
    if players is None and case.wish.player not in present:
        # He takes part all the same.
        players = max(case.wish.player, *present, 1)
    names = sorted(present) if players is None else list(range(1, players + 1))
    paid = score(rows, players, **dict(case.rulings))
    return {card: gold[names.index(case.wish.player)] for card, gold in paid.items()}


def run(boards: int, seed: int) -> list[str]:
    """Compare the two on some boards, and describe the cases in which they differ."""
    wrong = []
    for number in range(seed, seed + boards):
        case = draw_case(number)
        if case.wish.terrains and not _has_room(case):
            continue
        got, expected = ask(case), (True, try_all(case))
        if got != expected:
            wrong.append(f"{case}\n{case.board}\ngot      {got}\nexpected {expected}\n")
    return wrong


def _has_room(case: Case) -> bool:
    letters = {load_notation().symbols[name] for name in case.wish.terrains}
    return any(hex_ in letters for row in case.board.rows for hex_ in row)


def main() -> None:
    """Run by hand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    wrong = run(words.boards, words.seed)
    sys.stdout.write("".join(wrong) + f"{words.boards} boards, {len(wrong)} differ\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
