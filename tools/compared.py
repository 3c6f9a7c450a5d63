"""Random changes of cards, compared with the cards as they are: the figures of docs/compare.md.

    python -m tools.compared [--count 40] [--seed 1]

Each mutant changes one comparison, number, literal or rule of a card. The board that compare finds
must be paid as the oracle says by the card as it is, and otherwise by the mutant, whose file scores
it without the search's rules. No smaller board may be found by trying all boards: of four hexes
with all symbols that matter, of six and nine with up to four things of four and of two kinds. Where
compare finds none on these sizes, none may be found that way. Else the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.supervisor import Deadline
from kb_score.errors import KbScoreError, unwrap
from kb_score.games.kingdom_builder.board import Board
from kb_score.lab.compare import CardComparer, Size, list_sizes, load_version
from tests.helpers import ROOT
from tests.oracles import kingdom_builder as oracle
from tools.mutants import Mutant, find_mutants

_GAME = "kingdom_builder"
_CARDS = ROOT / "asp" / _GAME / "cards"
# Odd sizes have no quadrants of one size, but the rules take them; `score` does not.
SIZES: tuple[Size, ...] = (2, 2), (2, 3), (3, 2), (3, 3)
_KINDS = {"water": "W", "mountain": "M", "castle": "C", "location": "T", "town": "T", "nomad": "O"}
_SECONDS = 10.0
_TOGETHER = 200

Rows = tuple[tuple[str, ...], ...]


def pay(
    card: str, rules: GameRules, boards: Sequence[tuple[str | tuple[str, ...], ...]]
) -> list[dict[int, int]]:
    """Score boards by a card alone: the gold of each player."""
    use = Use(("board", "score", f"cards/{card}"))
    facts = [Board("", rows).facts for rows in boards]
    answers = map(unwrap, rules.ask_boards(use, facts))
    return [
        {player: gold for name, player, gold in sorted(answer["score"]) if name == card}
        for answer in answers
    ]


def list_boards(size: Size, text: str) -> Iterator[Rows]:
    """List the boards of a size, with fewer symbols where there are many hexes."""
    kinds = list(dict.fromkeys(symbol for kind, symbol in _KINDS.items() if kind in text))
    both = [kind + player for kind in kinds if kind in "WM" for player in "12"]
    hexes = size[0] * size[1]
    most = {4: 99, 6: 5, 9: 3}[hexes]
    for symbols in {(".", "1", *kinds, "2", *both)[:most], (".", "1", "2")}:
        for cells in product(symbols, repeat=hexes):
            if hexes == 4 or hexes - cells.count(".") <= 4:
                left = iter(cells)
                yield tuple(tuple(islice(left, size[1])) for _ in range(size[0]))


def find_by_trying(card: str, text: str, size: Size, versions: Sequence[GameRules]) -> Rows | None:
    """Try all boards of a size until two versions of a card differ."""
    boards = list_boards(size, text)
    while some := list(islice(boards, _TOGETHER)):
        first, second = (pay(card, rules, some) for rules in versions)
        for rows, one, other in zip(some, first, second, strict=True):
            if one != other:
                return rows
    return None


def check(card: str, folder: Path) -> tuple[str, list[str]]:
    """Compare a mutant with its card; tell what was found, and what is wrong with that."""
    versions = GameRules(_GAME), GameRules(_GAME, Changes((folder,)))
    text, faults = (_CARDS / f"{card}.lp").read_text(), list[str]()

    def compare(sizes: Sequence[Size]) -> CardComparer:
        before, after = map(load_version, versions)
        found = CardComparer(card, before, after, sizes=sizes, deadline=Deadline(_SECONDS))
        found.run()
        return found

    begin = time.process_time()
    found = compare(tuple(list_sizes()))
    told = f"the same up to {found.reached}" if found.board is None else "differs"
    told = "the same rules" if found.is_same else told
    if found.board is not None:
        board = found.board
        told += f" on {board.height} x {board.width}" + " (not the fewest)" * (not found.fewest)
        before, after = (pay(card, rules, [board.rows])[0] for rules in versions)
        if tuple(before.values()) != oracle.score(board.rows)[card] or before == after:
            faults.append(f"this board is paid {before} and {after}:\n{board}")
    told += f", {time.process_time() - begin:.2f} s"
    small = compare(SIZES)
    for size in SIZES:
        here = small.board is not None and (small.board.height, small.board.width) == size
        if here:
            break
        if size in small.proved and (rows := find_by_trying(card, text, size, versions)):
            faults.append(f"trying all boards finds {rows}")
    return told, faults


def main() -> None:
    """Compare mutants of cards, and print what was found of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    rng, bad, done = random.Random(words.seed), 0, 0
    mutants: list[Mutant] = [m for path in sorted(_CARDS.glob("*.lp")) for m in find_mutants(path)]
    for mutant in rng.sample(mutants, len(mutants)):
        if done == words.count:
            break
        path = ROOT / mutant.path
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / "cards" / path.name
            copy.parent.mkdir()
            copy.write_text(mutant.apply(path.read_text()))
            try:
                told, faults = check(path.stem, Path(name))
            except KbScoreError as error:
                told, faults = f"refused: {str(error).splitlines()[0][-90:]}", []
            else:
                done += 1
        sys.stdout.write(f"{mutant}: {told}\n" + "".join(f"  {fault}\n" for fault in faults))
        sys.stdout.flush()
        bad += len(faults)
    sys.stdout.write(f"{done} mutants, {bad} faults\n")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
