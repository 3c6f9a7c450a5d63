"""Games at the table of a page, played to their ends by clicks at random; each record is checked.

    python -m tools.tabletops [--games 30] [--refused 300] [--seed 0]

Two to five play the base game and Nomads, by random cards; in each third game the last seat is a
bot's, and in each fifth there are capitols and caves. Quadrants and nomad tiles take turns:
in 30 games each tile lies there in two at the least, most in more. The command has to accept
each record with the gold that the page tells, and to refuse hexes that are not marked with the
page's code. The table has how long the page takes, medians and slowest times in Chromium, and which
tiles were used how often. The exit status is 1 if something differs, or if a tile was never used.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.records import load_names
from kb_score.shell.output import Table, write_plain
from tests.browser.pages import Opener, start_browser
from tests.browser.tables import (
    ask_command,
    check_record,
    list_used,
    open_game,
    play_at_random,
    read_totals,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOTS = ("greedy", "settler")
_NAMES = load_names(GameRules("kingdom_builder"))
# What is always there is no tile that a player gets.
TILES = {name for name in _NAMES.tiles if name != "cave"}


BASE = [q.name for q in _NAMES.quadrants if not q.expansion]
NOMADS = [q.name for q in _NAMES.quadrants if q.expansion]
KINDS = sorted({*_NAMES.nomads})


def take_turns(names: Sequence[str], number: int, count: int) -> list[str]:
    """Take the next names of a circle: so many each time, of which this is the number, from 0."""
    return [names[(number * count + i) % len(names)] for i in range(count)]


def draw_words(seed: int) -> list[str]:
    """Draw the words that make a table."""
    random, number = Random(seed), seed // 2
    seats = ["human"] * (2 + number % 4)
    # Five play with a quadrant of Nomads.
    nomads = take_turns(NOMADS, number, 2) if seed % 2 or len(seats) > 4 else []
    chosen = [*nomads, *take_turns(BASE, number, 4 - len(nomads))]
    board = " ".join(name + random.choice(("", "/180")) for name in random.sample(chosen, 4))
    if seed % 3 == 0:
        seats[-1] = BOTS[seed // 3 % 2]
    players = [word for seat in seats for word in ("--player", seat)]
    sets = ["--queenies", "capitol,caves"] if seed % 5 == 0 else []
    return ["--board", board, "--seed", str(seed), *players, *sets]


def deal(page: Page, kinds: Sequence[str]) -> None:
    """Deal anew until some kinds of nomad tiles lie there, where there are spaces for them."""
    state = page.evaluate("kb.state")
    while state["nomads"] and not {*kinds} <= {tile for _, tile in state["nomads"]}:
        open_game(page, state | {"seed": state["seed"] + 1000, "lines": [], "now": None})
        state = page.evaluate("kb.state")


def play(opener: Opener, seed: int, refused: int, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Play a game; returns what came of it, and what is wrong."""
    opener.tab.emulate_media(reduced_motion="reduce")
    page: Page = opener.make("tabletop", "kingdom-builder", *draw_words(seed))
    deal(page, take_turns(KINDS, seed // 2, 2))
    found = play_at_random(page, seed, refused)
    times = page.evaluate("kb.state.times")
    found |= {"bots": times["bots"], "first": [times["first"]]}
    found["used"] = list_used(page.text_content("#record") or "")
    verdict = check_record(page, folder)
    result, wrong = verdict["result"], list[str]()
    if not (result["finished"] and result["gold"] == verdict["claimed"]["gold"]):
        wrong.append(f"game {seed}: the record is not that of a whole game: {result}")
    if result["gold"] != read_totals(page):
        wrong.append(f"game {seed}: {read_totals(page)} is shown, not {result['gold']}")
    for one in found["refused"]:
        if (code := ask_command(one, folder)) != one["code"]:
            wrong.append(f"game {seed}, {one['said']}; {one['move']}: {one['code']}, not {code}")
    return found, wrong + [f"game {seed}: {trouble}" for trouble in opener.troubles]


def summarise(name: str, times: Sequence[float], target: str) -> tuple[str, ...]:
    """Write a line of the table."""
    if not times:
        return name, "0", "", "", target
    return name, str(len(times)), f"{statistics.median(times):.0f}", f"{max(times):.0f}", target


def main() -> int:
    """Play games, print what is wrong and the table; return 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument(
        "--refused", type=int, default=300, help="hexes that are not marked, in all"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first game")
    options = parser.parse_args()
    times: dict[str, list[float]] = {"first": [], "clicks": [], "bots": []}
    tiles, refused, wrong = Counter[str](), 0, list[str]()
    with start_browser() as browser, tempfile.TemporaryDirectory(prefix="tabletops-") as name:
        opener = Opener(browser, Path(name))
        for seed in range(options.seed, options.seed + options.games):
            share = -(-options.refused // options.games)
            found, faults = play(opener, seed, share, Path(name))
            for key, all_times in times.items():
                all_times += found[key]
            tiles.update(found["used"])
            refused += len(found["refused"])
            wrong += faults
            sys.stdout.write(f"game {seed}: {len(found['clicks'])} clicks {faults or 'fine'}\n")
            sys.stdout.flush()
    if unused := sorted(TILES - set(tiles)):
        wrong.append(f"never used: {', '.join(unused)}")
    rows = (
        summarise("first legal hexes", times["first"], ""),
        summarise("a click to the legal hexes", times["clicks"], "150"),
        summarise("a bot's turn", times["bots"], "2000"),
    )
    heads = ("what takes ms", "times", "median", "slowest", "goal")
    used = ", ".join(f"{tile} {count}" for tile, count in sorted(tiles.items()))
    report = write_plain(Table("", heads, rows))
    sys.stdout.write(f"\n{report}\n{refused} hexes refused as by the command\ntiles used: {used}\n")
    sys.stdout.write("".join(f"wrong: {line}\n" for line in wrong))
    return min(len(wrong), 1)


if __name__ == "__main__":
    sys.exit(main())
