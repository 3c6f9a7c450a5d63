"""The playground in a browser: how large it is, how fast it opens and follows a click.

    python -m benchmarks.playground [BOARDS]

BOARDS random boards, 200 if no number is given, are scored in the page and by the library. Times
are medians over 20 in Chromium: the first table from when the page's file is asked for to the end
of the frame that shows board and table, the new table from the click to the frame that shows it,
and what a click would pay from when a hex is pointed at.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.boards import random_board, write_board
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.rules import GAME, load_rules
from kb_score.games.kingdom_builder.scoring import Scorer
from kb_score.shell.output import Output, Table, show
from kb_score.web.kingdom_builder import write_rules
from tests.browser.pages import NoBrowser, Opener, start_browser
from tests.helpers import EXAMPLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

RUNS, BOARDS = 20, 200
COLUMNS = ("playground", "measured", "target")
# The first frame with a coloured board and all figures; the time is taken when it is done.
FIRST = """(() => {
  const look = () => {
    const isShown = document.querySelectorAll("#gold tbody td button").length === 44
      && document.querySelector("#board .drawn, #board svg path");
    if (isShown) setTimeout(() => { window.first = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
CLICKS = """async (count) => {
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const { columns, svg } = playground.subject.board.picture;
    const [x, y] = playground.subject.board.picture.middle((i % 10) * columns + 9);
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
    const click = new MouseEvent("click", { bubbles: true, clientX: at.x, clientY: at.y });
    document.querySelectorAll("#palette input")[i % 9].checked = true;
    await new Promise((done) => setTimeout(done, 50));
    const begin = performance.now();
    svg.dispatchEvent(click);
    await playground.settled();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - begin);
  }
  return times;
}"""
HOVERS = """async (count) => {
  const times = [];
  for (let i = 0; i <= count; i += 1) {
    await new Promise((done) => setTimeout(done, 50));
    const begin = performance.now();
    await playground.subject.hover((i % 10) * playground.subject.board.picture.columns + 8);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    if (i) times.push(performance.now() - begin); // the first one starts a clingo
  }
  return times;
}"""
FIGURES = """async (text) => {
  playground.subject.board.take(text);
  await playground.settled();
  return playground.subject.scores.scores.gold;
}"""


def main() -> None:
    """Print the table, or why there is none."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else BOARDS
    try:
        with start_browser() as browser, TemporaryDirectory() as folder:
            rows = measure(browser, Path(folder), count)
    except NoBrowser as reason:
        print(f"the playground is not measured: {reason}")
        return
    show(Output([Table("The playground", COLUMNS, rows)], ()), "table")


def measure(browser: Browser, folder: Path, count: int) -> tuple[tuple[str, str, str], ...]:
    """Write the page, open it often, and use it."""
    path = folder / "page.html"
    board = parse_board(EXAMPLE.read_text())
    path.write_text(write_rules(load_rules(GameRules(GAME)), board), encoding="utf-8")
    first = list[float]()
    for _ in range(RUNS):
        opener = Opener(browser, folder)  # with a page of its own
        opener.tab.add_init_script(FIRST)
        page = opener.open(path)
        first.append(page.evaluate("first"))
    clicks = page.evaluate(CLICKS, RUNS)
    hovers = page.evaluate(HOVERS, RUNS)
    agree = sum(compare(page, seed) for seed in range(count))
    assert opener.troubles == []
    return (
        ("size, kB", str(round(path.stat().st_size / 1000)), "<= 2000"),
        ("first table, ms", f"{statistics.median(first):.0f}", "<= 150"),
        ("a click to the new table, ms", f"{statistics.median(clicks):.0f}", "<= 60"),
        ("a hex to what a click would pay, ms", f"{statistics.median(hovers):.0f}", "<= 100"),
        ("random boards with the command's figures", f"{agree} of {count}", "all"),
    )


def compare(page: Page, seed: int) -> bool:
    """Hold the page's figures of a random board against the library's."""
    text = write_board(random_board(seed))
    scores = Scorer(load_rules(GameRules(GAME))).query(parse_board(text)).ask()
    expected = {card: list(paid) for card, paid in scores.gold.items()}
    return bool(page.evaluate(FIGURES, text) == expected)


if __name__ == "__main__":
    main()
