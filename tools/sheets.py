"""Random games at the sheet: ``python -m tools.sheets [--games 400] [--seed 0]``.

Each game, base or Nomads, of two to five people, is put on the sheet in a browser, as a link would
put it there, and its board as the sheet saves it is scored by the command. Prints a line, and each
difference; exit status 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.browser.pages import Opener, start_browser
from tests.browser.sheets import ask_command, draw_game, read_gold, show_result

if TYPE_CHECKING:
    from playwright.sync_api import Page


def compare(page: Page, seed: int, folder: Path) -> str:
    """Score a game on the sheet and by the command; say what differs, if anything does."""
    state = draw_game(Random(seed))
    show_result(page, state)
    board = folder / "board.txt"
    board.write_text(page.evaluate("kb.state.text"), encoding="utf-8")
    options = ["--players", str(len(state["names"])), "--cards", ",".join(state["cards"])]
    scores = ask_command(board, options)
    shown = read_gold(page)
    said = {**scores["gold"], "total": scores["total"]}
    winners = page.evaluate("kb.state.winners")
    expected = [state["names"][player - 1] for player in scores["winners"]]
    if shown == said and winners == expected:
        return ""
    return f"game {seed}: the sheet has {shown}, {winners}; the command {said}, {expected}"


def main() -> int:
    """Compare so many games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    given = parser.parse_args()
    begin = time.monotonic()
    faults = 0
    with start_browser() as browser, tempfile.TemporaryDirectory(prefix="sheets-") as name:
        folder = Path(name)
        opener = Opener(browser, folder)
        page = opener.make("sheet")
        for seed in range(given.seed, given.seed + given.games):
            fault = compare(page, seed, folder)
            if fault:
                faults += 1
                print(fault)
        faults += len(opener.troubles)
        print("\n".join(opener.troubles), end="")
    seconds = time.monotonic() - begin
    print(f"{given.games} games in {seconds:.0f} s, {faults} differences")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
