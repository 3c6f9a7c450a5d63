"""The command ``contest report``: what its page has, and the replays beside it."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest

from kb_score.arena.contests import report as report_module
from kb_score.arena.contests.plan import Fixture, GameMap
from kb_score.arena.contests.report import ReplayJob, draw_replay
from kb_score.engine.rules import GameRules
from tests.arena.contests.contest import (
    RECORD,
    Game,
    read_page,
    report,
    write_contest,
    write_played,
)
from tests.helpers import MEADOW, ROOT, SAFE, SESSION, STATION, run

FOUR = ("Ada", "Bo", "Cy", "Di")
SHOUT = "</script><script>alert(1)</script>'&\""


def play_five(folder: Path) -> Path:
    """Write a contest of five bots with all their games, some of them ties."""
    random = Random(5)
    kinds = ("late", "crashed", "illegal")
    games = [
        Game(
            [random.randrange(4) for _ in range(4)],
            {0: {random.choice(kinds): 2}} if random.random() < 0.2 else {},
        )
        for _ in range(120)
    ]
    return write_contest(folder, [*FOUR, "Em"], games, 'seatings = "all"')


def read_results(contest: Path) -> list[dict[str, Any]]:
    path = contest.with_suffix(".results") / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_who_beat_whom_is_what_the_results_say(tmp_path: Path) -> None:
    contest = play_five(tmp_path)
    wanted: dict[tuple[str, str], Counter[str]] = {}
    for result in read_results(contest):
        squares = [player["score"][0] for player in result["players"]]
        for (one, own), (other, its) in permutations(zip(result["bots"], squares, strict=True), 2):
            count = wanted.setdefault((one, other), Counter())
            count["met"] += 1
            count["before"] += own > its
            count["ties"] += own == its

    assert report(contest).status == 0

    page = read_page(contest)
    names = [page["bots"][bot] for bot in page["order"]]
    found = {
        (one, other): dict(zip(("before", "ties", "met"), page["compared"][i][j], strict=True))
        for (i, one), (j, other) in permutations(enumerate(names), 2)
    }
    assert found == {pair: dict(count) for pair, count in wanted.items()}
    assert sum(count["ties"] for count in wanted.values()) > 0


@pytest.mark.slow
def test_the_table_is_that_of_contest_table(tmp_path: Path) -> None:
    contest = play_five(tmp_path)
    assert report(contest).status == 0
    page = read_page(contest)

    lines = run("contest", "table", contest, "--format", "json").json

    place, bot, rating = (page["columns"].index(name) for name in ("place", "bot", "rating"))
    assert [(row[place], row[bot], row[rating]) for row in page["rows"]] == [
        (line["place"], line["name"], f"{line['rating']:.1f}") for line in lines
    ]
    assert [line["rating_interval"][0] for line in lines] == pytest.approx(
        [low for _, low, _, _ in page["ratings"]], abs=0.01
    )
    assert [bool(line["separated"]) for line in lines] == [last for *_, last in page["ratings"]]


@pytest.mark.slow
def test_bots_that_are_separated_are_marked(tmp_path: Path) -> None:
    random = Random(2)

    def play(fixture: Fixture) -> Game:
        return Game([random.randrange(20) + 12 * (bot < 2) for bot in fixture.bots])

    contest = write_played(tmp_path, FOUR, play, 120, 'seatings = "all"\nrounds = 5')
    assert report(contest).status == 0

    lines = run("contest", "table", contest, "--format", "json").json

    separated = [line["separated"] for line in lines]
    assert separated[1:] == [True, False, None]
    assert [last for *_, last in read_page(contest)["ratings"]] == list(map(bool, separated))


def test_faults_are_counted_and_told_by_one_game(tmp_path: Path) -> None:
    contest = play_five(tmp_path)
    wanted: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for result in read_results(contest):
        for bot, player in zip(result["bots"], result["players"], strict=True):
            for kind, count in player["faults"].items():
                wanted[bot, kind] += count
                first.setdefault((bot, kind), result["number"])

    assert report(contest).status == 0

    page = read_page(contest)
    for bot, counts, seconds, examples in page["mishaps"]:
        name = page["bots"][bot]
        assert counts == [wanted[name, kind] for kind in page["faults"]]
        numbers = {first[name, kind] for kind in page["faults"] if (name, kind) in first}
        assert {number for number, _, _ in examples} == numbers
        assert all(text == f"turn {number}: it stumbled" for number, _, text in examples)
        assert seconds[0] == 0.25
    assert max(mishap[2][1] for mishap in page["mishaps"]) == 119.5


def test_an_example_of_a_fault_is_a_game_with_this_fault_alone(tmp_path: Path) -> None:
    games = [
        Game([1, 2, 3, 4], {0: {"late": 1, "crashed": 1}}),
        Game([1, 2, 3, 4], {0: {"late": 1}}),
    ]
    contest = write_contest(tmp_path, FOUR, games, "rounds = 2")

    assert report(contest).status == 0

    (told,) = (examples for bot, _, _, examples in read_page(contest)["mishaps"] if bot == 0)
    assert [number for number, _, _ in told] == [2, 1]


@pytest.mark.slow
def test_bots_that_play_alone_are_compared_by_map_and_seed(tmp_path: Path) -> None:
    (tmp_path / "meadow.txt").write_text(MEADOW.read_text())
    walker = ROOT / "boards" / "search_party" / "bots" / "walker.py"
    contest = tmp_path / "contest.toml"
    contest.write_text(
        'game = "search-party"\nmaps = ["meadow.txt"]\n'
        f'[[bot]]\nname = "Walker"\ncommand = "python3 {walker}"\n'
        '[[bot]]\nname = "Silent"\ncommand = "true"\n'
    )
    assert run("contest", contest).status == 0

    assert report(contest).status == 0

    page = read_page(contest)
    assert [page["bots"][bot] for bot in page["order"]] == ["Walker", "Silent"]
    assert page["compared"] == [[[0, 0, 0], [1, 0, 1]], [[0, 0, 1], [0, 0, 0]]]
    assert [len(game[3]) for game in page["games"]] == [1, 1]
    assert sorted(path.name for path in (tmp_path / "contest.games").iterdir()) == [
        "1.html",
        "2.html",
    ]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags[tag] += 1


def test_names_never_become_markup(tmp_path: Path) -> None:
    names = (SHOUT, "x" * 5000, "../..", "Di")
    contest = write_contest(
        tmp_path, names, [Game([1, 2, 3, 4], {0: {"late": 1}}, RECORD)], f"name = '''{SHOUT}'''"
    )

    ran = report(contest)

    assert (ran.status, ran.err) == (0, "")
    assert read_page(contest)["bots"] == list(names)
    for path in (contest.with_suffix(".html"), tmp_path / "contest.games" / "1.html"):
        tags = _Tags()
        tags.feed(path.read_text())
        assert tags.tags["script"] == 3
        assert "<script>alert" not in path.read_text()


def test_what_could_steer_a_reader_is_shown_as_such(tmp_path: Path) -> None:
    contest = write_contest(tmp_path, FOUR, [Game([1, 2, 3, 4], {0: {"late": 1}})])
    results = contest.with_suffix(".results") / "results.jsonl"
    results.write_text(results.read_text().replace("stumbled", "\u202estumbled"))

    assert report(contest).status == 0

    assert read_page(contest)["games"][0][3][0][4] == "turn 1: it \\u202estumbled"


def test_without_a_game_the_page_says_so(tmp_path: Path) -> None:
    contest = write_contest(tmp_path, FOUR, [])

    ran = report(contest)

    assert (ran.status, ran.out, ran.err) == (0, "", "")
    page = read_page(contest)
    assert page["state"].startswith("No game had been played by")
    assert (page["rows"], page["games"], page["ratings"], page["compared"]) == ([], [], [], [])
    assert not (tmp_path / "contest.games").exists()


def test_every_link_leads_to_a_file(tmp_path: Path) -> None:
    games = [Game([1, 2, 3, 4], record=RECORD, said={2: "hello"}), Game([4, 3, 2, 1])]
    contest = write_contest(tmp_path / "a b#c", FOUR, games, "rounds = 2")
    (tmp_path / "pages").mkdir()
    page = tmp_path / "pages" / "50% of it?.html"
    assert run("contest", "report", contest, "-o", page).status == 0
    page.rename(contest.with_suffix(".html"))

    data = read_page(contest)

    folder = page.parent
    (first, second) = data["games"]
    assert first[4:] == ["1.txt", 1, 1]
    assert second[4:] == ["2.txt", 0, 0]
    assert data["said"] == [[], [], [1], []]
    for place in (
        f"{data['replays']}/1.html", f"{data['records']}/1.txt", f"{data['logs'][2]}/1.txt",
    ):  # fmt: skip
        assert "%25" in place or "%23" in place
        assert (folder / unquote(place)).is_file()


@pytest.mark.parametrize("name", ["../1.txt", "games/../../1.txt", "/etc/hostname", "games/x.txt"])
def test_a_record_that_is_none_of_the_folder_is_left_alone(tmp_path: Path, name: str) -> None:
    contest = write_contest(tmp_path, FOUR, [Game([1, 2, 3, 4], record=RECORD)])
    (tmp_path / "1.txt").write_text(RECORD)
    results = contest.with_suffix(".results") / "results.jsonl"
    results.write_text(results.read_text().replace("games/1.txt", name))

    assert report(contest).status == 0

    assert read_page(contest)["games"][0][4:] == ["", 0, 0]
    assert not (tmp_path / "contest.games").exists()


def make_games(folder: Path) -> Path:
    """Write a contest of four games, of which the last has a fault."""
    games = [*[Game([1, 2, 3, 4], record=RECORD)] * 3, Game([1, 2, 3, 4], {1: {"late": 1}}, RECORD)]
    return write_contest(folder, FOUR, games, "rounds = 4")


def replayed(contest: Path) -> list[int]:
    return [game[0] for game in read_page(contest)["games"] if game[5]]


@pytest.mark.slow
def test_so_many_games_have_a_replay_those_with_faults_first(tmp_path: Path) -> None:
    contest = make_games(tmp_path)

    assert report(contest, "--replays", "none").status == 0
    assert replayed(contest) == []
    ran = report(contest, "--replays", 1)
    assert replayed(contest) == [4]
    assert ran.err == "1 of 4 games have a replay; see --replays\n"
    assert report(contest, "--replays", "all", "--jobs", 1).err == ""
    assert replayed(contest) == [1, 2, 3, 4]
    # What is there is linked, whatever is asked for.
    assert report(contest, "--replays", "none").status == 0
    assert replayed(contest) == [1, 2, 3, 4]


@pytest.mark.slow
def test_replays_are_drawn_again_only_where_something_has_changed(tmp_path: Path) -> None:
    contest = make_games(tmp_path)
    assert report(contest).status == 0
    pages = sorted((tmp_path / "contest.games").iterdir())
    before = [path.stat().st_mtime_ns for path in pages]
    record = contest.with_suffix(".results") / "games" / "2.txt"
    record.write_text(RECORD.rsplit("\n", 2)[0] + "\n")
    pages[2].write_text(pages[2].read_text()[:1000] + "<!-- a game of a contest by kb-score, -->")

    assert report(contest).status == 0

    after = [path.stat().st_mtime_ns for path in pages]
    assert [one == other for one, other in zip(before, after, strict=True)] == [
        True, False, False, True,
    ]  # fmt: skip
    assert replayed(contest) == [1, 2, 3, 4]


@pytest.mark.slow
def test_what_is_drawn_before_an_interruption_is_linked(tmp_path: Path) -> None:
    games = [Game([1, 2, 3, 4], record=RECORD)] * 60
    contest = write_contest(tmp_path, FOUR, games, "rounds = 60")
    page = contest.with_suffix(".html")
    command = "-m", "kb_score", "contest", "report", contest, "-o", page, "--replays", "all"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, *command, "--jobs", "1"], env=environment)
    while not [*tmp_path.glob("contest.games/*.html")] and process.poll() is None:
        time.sleep(0.01)

    process.terminate()

    assert process.wait(30) == 143
    pages = {int(path.stem) for path in tmp_path.glob("contest.games/*.html")}
    assert 0 < len(pages) < 60
    # The signal may come between a page and its link.
    linked = set(replayed(contest))
    assert linked <= pages
    assert len(linked) >= len(pages) - 1


@pytest.mark.slow
def test_a_long_contest_keeps_its_page_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(3)
    games = [Game([random.randrange(9) for _ in range(4)]) for _ in range(150)]
    bots = [f"Bot {number}" for number in range(70)]
    contest = write_contest(tmp_path, bots, games, "games = 150")
    monkeypatch.setattr(report_module, "MAX_GAMES", 100)

    assert report(contest).status == 0

    page = read_page(contest)
    assert len(page["rows"]) == 70
    assert len(page["ratings"]) == 60
    assert [len(row) for row in page["compared"]] == [40] * 40
    assert [game[0] for game in page["games"]] == list(range(51, 151))
    assert page["left"] == 50


@pytest.mark.slow
def test_the_page_tells_that_more_games_are_being_played(tmp_path: Path) -> None:
    contest = write_contest(tmp_path, FOUR, [Game([1, 2, 3, 4])], "rounds = 5")
    assert report(contest).status == 0
    assert "1 of 5 games had been played" in read_page(contest)["state"]
    assert "More are being played" not in read_page(contest)["state"]

    with (contest.with_suffix(".results") / "results.jsonl").open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert report(contest).status == 0

    assert "More are being played" in read_page(contest)["state"]


def _kingdom(name: str) -> Path:
    return ROOT / "boards" / "kingdom_builder" / "games" / name


@pytest.mark.parametrize(
    ("game", "paths"),
    [
        pytest.param("slime", [ROOT / "boards" / "slime" / "session.txt"], id="slime"),
        pytest.param("search_party", [MEADOW, SAFE], id="search-party"),
        pytest.param("rabbits", [STATION, SESSION], id="rabbits"),
        pytest.param("kingdom_builder", [_kingdom("example.txt")], id="kingdom-builder"),
    ],
)
def test_a_game_is_drawn_as_its_replay_draws_it(
    game: str, paths: list[Path], tmp_path: Path
) -> None:
    *maps, record = paths
    map_ = GameMap("the map", maps[0].read_text()) if maps else None

    drawn = draw_replay(GameRules(game), ReplayJob("", map_, record, "", (), Path(), ""))

    page = run("replay", game.replace("_", "-"), *paths).out
    assert isinstance(drawn, str)
    shown = tmp_path / "game.html"
    shown.write_text(drawn)
    assert len(read_page(shown)["steps"]) > 2
    assert drawn.split('id="data">')[1].strip() == page.split('id="data">')[1].strip()
