"""Random runs of the plain simulator: what it plays is consistent, what is spoiled is not."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.rabbits.check import explain_record
from kb_score.shell.verdict import Verdict
from tests.oracles.rabbits import Map, cautious, random_walk, towards_exit
from tests.oracles.rabbits_brute_force import Frame, totals
from tests.oracles.rabbits_records import RunRecord, play, random_map, write_run_log
from tests.oracles.rabbits_records import check_session as check_plainly
from tests.oracles.rabbits_records import write_session as write_plainly

GAME = GameFolder("rabbits").type

EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "5"))
few = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
COUNTS = ("saved", "crushed", "squished", "collided", "spawned")


class Played:
    """Some runs of the plain simulator on a random map."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        width, height = rng.randint(7, 14), rng.randint(5, 9)
        starts, exits, crushers = rng.randint(1, 3), rng.randint(1, 2), rng.randint(0, 4)
        self.map: Map = random_map(
            rng, width, height, starts=starts, exits=exits, crushers=crushers
        )
        self.in_pairs = rng.random() < 0.7
        self.turns = rng.randint(1, 25)
        policy = rng.choice([towards_exit, cautious, random_walk])
        self.records: list[RunRecord] = [
            play(self.map, self.turns, rng, policy, collide_in_pairs=self.in_pairs)
            for _ in range(rng.randint(1, 2))
        ]
        self.rules = rules_for(in_pairs=self.in_pairs)
        self.station = ("map", "\n".join(self.map.rows))

    def check(self, text: str) -> Verdict:
        return GAME.check(self.rules, [self.station, ("record", text)])

    def explain(self, text: str) -> tuple[Verdict, str]:
        return explain_record(self.rules, [self.station, ("record", text)])

    def log(self) -> str:
        words = ["map", str(self.turns), "1", str(len(self.records)), "bot"]
        return write_run_log(self.records, words)


def rules_for(*, in_pairs: bool) -> GameRules:
    """Decide the ruling on a third rabbit."""
    return GameRules("rabbits", Changes((), (("collide_in_pairs", str(int(in_pairs))),)))


played = st.integers(0, 10**9).map(Played)


@few
@given(played)
def test_a_session_of_the_simulator_is_consistent_and_its_counts_agree(game: Played) -> None:
    verdict = game.check(write_plainly(game.records))

    assert verdict.consistent, verdict.violations
    assert verdict.result["finished"]
    for count in COUNTS:
        found = {**verdict.result, **verdict.more["counts"]}[count]
        assert found == sum(getattr(r.end, count) for r in game.records)


@pytest.mark.slow
@few
@given(played)
def test_a_spoiled_session_is_judged_as_the_simulator_judges_it(game: Played) -> None:
    lines = write_plainly(game.records).splitlines()
    for _ in range(3):
        number = game.rng.randrange(len(lines))
        digits = [i for i, symbol in enumerate(lines[number]) if symbol.isdigit()]
        if not digits or lines[number].startswith("run"):
            continue
        at = game.rng.choice(digits)
        changed = f"{lines[number][:at]}{game.rng.randrange(10)}{lines[number][at + 1 :]}"
        text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
        saved, consistent = check_plainly(game.map, text, collide_in_pairs=game.in_pairs)
        verdict = game.check(text)

        assert (verdict.result["saved"], verdict.consistent) == (saved, consistent), changed


@pytest.mark.slow
@few
@given(played)
def test_a_run_log_of_the_simulator_has_an_explanation_that_passes(game: Played) -> None:
    verdict, explained = game.explain(game.log())

    assert verdict.consistent, verdict.violations
    saved = sum(record.end.saved for record in game.records)
    assert check_plainly(game.map, explained, collide_in_pairs=game.in_pairs) == (saved, True)
    again = game.check(explained)
    assert again.consistent, again.violations
    assert again.result["finished"]


@pytest.mark.slow
@few
@given(played)
def test_what_a_run_log_allows_is_no_less_than_what_was_saved(game: Played) -> None:
    text = game.log()
    verdict = game.check(text)
    least, most = verdict.result["saved_range"]

    assert least <= sum(record.end.saved for record in game.records) <= most
    head = text.rsplit("Total Score:", 1)[0]
    too_much = game.check(f"{head}Total Score: {most + 1}\n")
    assert [v.code for v in too_much.violations] == ["wrong-score"]


def tiny(seed: int) -> tuple[Map, list[Frame], bool]:
    """Play a few turns with a few rabbits, and perhaps change a frame."""
    rng = Random(seed)
    station = random_map(
        rng, rng.randint(5, 8), rng.randint(5, 6), starts=1, exits=1, crushers=rng.randint(0, 2)
    )
    in_pairs = rng.random() < 0.5
    policy = rng.choice([towards_exit, random_walk])
    record = play(station, rng.randint(2, 5), rng, policy, collide_in_pairs=in_pairs)
    frames = [_read(turn.frame) for turn in record.turns]
    if rng.random() < 0.4:
        at = rng.randrange(1, len(frames))
        robots = [set(cells) for cells in frames[at]]
        some = rng.choice([cells for cells in robots if cells] or [set()])
        if some:
            gone = rng.choice(sorted(some))
            some.discard(gone)
            some.add(rng.choice([gone, *station.beside[gone]]))
        if not robots[0] & robots[1]:
            frames[at] = frozenset(robots[0]), frozenset(robots[1])
    return station, frames, in_pairs


def _read(drawing: str) -> Frame:
    cells = {
        (x, y): symbol for y, row in enumerate(drawing.split("\n")) for x, symbol in enumerate(row)
    }
    rabbits, crushers = (
        frozenset(cell for cell, drawn in cells.items() if drawn == symbol) for symbol in "oX"
    )
    return rabbits, crushers


def _draw(station: Map, frame: Frame) -> str:
    rows = [list(row) for row in station.rows]
    for cells, symbol in zip(frame, "oX", strict=True):
        for x, y in cells:
            rows[y][x] = symbol
    return "\n".join("".join(row) for row in rows)


@few
@given(st.integers(0, 10**9).map(tiny))
def test_exactly_those_totals_are_accepted_that_trying_everything_reaches(
    game: tuple[Map, list[Frame], bool],
) -> None:
    station, frames, in_pairs = game
    if max(len(rabbits) for rabbits, _ in frames) > 4:
        return
    reached = totals(station, frames, in_pairs)
    ours = ("map", "\n".join(station.rows))
    rules = rules_for(in_pairs=in_pairs)
    body = "".join(f"{_draw(station, frame)}\n\n\n" for frame in frames)
    for total in {0, 1, 3, *reached}:
        head = f"Running: controller.py map {len(frames)} 1 1 bot\n"
        log = f"{head}{body}Total Score: {total}\n"
        verdict = GAME.check(rules, [ours, ("log", log)])

        assert verdict.consistent == (total in reached), (total, reached, verdict.violations)
        if reached:
            assert verdict.result["saved_range"] == [min(reached), max(reached)]
        else:
            assert [v.code for v in verdict.violations] == ["no-explanation"]
