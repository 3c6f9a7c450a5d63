"""Pages of replays in a browser: how large they are, how fast they open and step.

    python -m benchmarks.pages [MAP]

MAP is the largest map of the search party's challenge, ``../shared/data/search_party/map5.txt`` if
none is given; without it its games are left out. Times are medians in Chromium; a step goes from
the key to the frame that shows it. Each page is held against the plain rules at 50 random turns.
"""

from __future__ import annotations

import runpy
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.rabbits import large_map
from kb_score.engine.rules import GameRules
from kb_score.shell.output import Output, Table, show
from kb_score.shell.pages import write_replay
from tests.browser.pages import NoBrowser, Opener, look, start_browser
from tests.games.records import follow_party, follow_rabbits, follow_slime
from tests.helpers import ROOT
from tests.oracles.pictures import Picture, Watch, picture_party, picture_session, picture_slime
from tests.oracles.rabbits import parse_map as parse_station
from tests.oracles.rabbits import towards_exit
from tests.oracles.rabbits_records import play
from tests.oracles.rabbits_records import write_session as write_rabbits
from tests.oracles.search_party import Game, Map, Moves, parse_map
from tests.oracles.search_party_bots import safe_game, write_plan
from tests.oracles.slime import random_game
from tests.oracles.slime_records import write_session as write_slime

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from kb_score.shell.picture import Replay

RUNS, STEPS, LOOKS = 5, 200, 50
COLUMNS = (
    "page",
    "pictures",
    "written, s",
    "kB",
    "opens, ms",
    "a step, ms",
    "a jump, ms",
    "agrees",
)
TARGET = ("target", "", "", "<= 2000", "<= 1000", "<= 50", "", f"at {LOOKS} turns")
WALKER = ROOT / "boards" / "search_party" / "bots" / "walker.py"
# From the key, or the slider, until the browser has made the next frame.
TIME = """async ([turns, jumps]) => {
  const times = [];
  const slider = document.getElementById("slider");
  for (const turn of turns) {
    await new Promise(requestAnimationFrame);
    const begin = performance.now();
    if (jumps) {
      slider.value = turn;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: turn, bubbles: true }));
    }
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - begin);
  }
  return times;
}"""


class Sample(NamedTuple):
    """A game: what makes its replay, and what its pictures have to show."""

    name: str
    follow: Callable[[], Replay]
    pictures: Sequence[Picture]


def main() -> None:
    """Print the table, or why there is none."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/data/search_party"
    try:
        with start_browser() as browser, TemporaryDirectory() as folder:
            samples = list_samples(path / "map5.txt" if path.is_dir() else path)
            rows = [measure(sample, browser, Path(folder)) for sample in samples]
    except NoBrowser as reason:
        print(f"pages are not measured: {reason}")
        return
    show(Output([Table("Replays as pages", COLUMNS, (*rows, TARGET))], ()), "table")


def list_samples(path: Path) -> Iterator[Sample]:
    """Play the games."""
    station, session = (ROOT / "boards" / "rabbits" / f"large.{end}" for end in ("map", "session"))
    drawn, said = station.read_text(), session.read_text()
    follow = partial(follow_rabbits, GameRules("rabbits"), ("map", drawn), ("session", said))
    yield Sample("largest of boards/", follow, [*picture_session(parse_station(drawn), said)])

    turns = random_game(Random(1), 40, 500)
    record = ("record", write_slime(turns, scores=False))
    follow = partial(follow_slime, GameRules("slime"), record)
    yield Sample("Slime, 40x40", follow, picture_slime(turns))

    watch, plain = Watch(towards_exit), large_map()
    run = play(plain, 500, Random(5), watch)
    files = ("map", "\n".join(plain.rows)), ("record", write_rabbits([run]))
    follow = partial(follow_rabbits, GameRules("rabbits"), *files)
    yield Sample("rabbits, 65x30", follow, watch.pictures)

    if path.exists():
        yield from list_parties(path)
    else:
        print(f"left out: there is no map {path}")


def list_parties(path: Path) -> Iterator[Sample]:
    """Play the search party: all together, and in groups that go their own ways."""
    text = path.read_text()
    map_ = parse_map(text)
    for how, turns in (("together", walk(map_)), ("in groups", safe_game(map_, Random(1)))):
        files = ("map", text), ("plan", write_plan(map_, turns))
        follow = partial(follow_party, GameRules("search_party"), *files)
        name = f"search party {how}, {map_.width}x{map_.height}"
        yield Sample(name, follow, [*picture_party(map_, turns)])


def walk(map_: Map) -> list[Moves]:
    """Play as the example bot does, without its process."""
    find_way = runpy.run_path(str(WALKER))["find_way"]
    game = Game(map_)
    turns: list[Moves] = []
    while not game.finished:
        rows = [*game.picture]
        turns.append(dict.fromkeys(game.cells, find_way(rows, *game.alive["@"])))
        game.step(turns[-1])
    return turns


def measure(sample: Sample, browser: Browser, folder: Path) -> tuple[str | int, ...]:
    """Write a page, open it, and use it."""
    begin = time.perf_counter()
    path = folder / "page.html"
    path.write_text(write_replay(sample.follow()), encoding="utf-8")
    written = time.perf_counter() - begin
    opened = []
    for _ in range(RUNS):
        opener = Opener(browser, folder)  # with a page of its own
        begin = time.perf_counter()
        page = opener.open(path)
        opened.append(time.perf_counter() - begin)
    step, jump = time_steps(page, len(sample.pictures))
    agrees = compare(page, sample.pictures)
    assert opener.troubles == []
    return (
        sample.name,
        len(sample.pictures),
        f"{written:.1f}",
        round(path.stat().st_size / 1000),
        round(1000 * statistics.median(opened)),
        f"{step:.1f}",
        f"{jump:.1f}",
        "yes" if agrees else "NO",
    )


def time_steps(page: Page, turns: int) -> tuple[float, float]:
    """Time single steps on and back, and jumps of the slider; returns the medians."""
    first = int(page.get_attribute("#slider", "min") or "0")
    rng = Random(1)
    keys = ["ArrowRight"] * (STEPS // 2) + ["ArrowLeft"] * (STEPS // 2)
    jumps = [first + rng.randrange(turns) for _ in range(LOOKS)]
    page.evaluate(TIME, [["Home"], False])
    steps = page.evaluate(TIME, [keys, False])
    return statistics.median(steps), statistics.median(page.evaluate(TIME, [jumps, True]))


def compare(page: Page, pictures: Sequence[Picture]) -> bool:
    """Hold the page against the plain rules at random turns."""
    first = int(page.get_attribute("#slider", "min") or "0")
    for turn in Random(2).choices(range(len(pictures)), k=LOOKS):
        page.locator("#slider").fill(str(first + turn))
        state = look(page)
        if (tuple(state["rows"]), state["tally"]) != pictures[turn]:
            return False
    return True


if __name__ == "__main__":
    main()
