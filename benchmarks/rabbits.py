"""Rabbits and crusher-bots: records of a large station checked, next to a plain simulator.

Run: ``python -m benchmarks.rabbits``.

The yardstick is what the plain simulator takes to play the run: 500 turns on 65x30 cells with 5
crushers and about 50 rabbits at a time. Checking begins with the text of a record.
"""

import time
from collections.abc import Callable
from random import Random

from benchmarks.measure import Row, best_of, peak_memory, print_rows
from kb_score.engine.rules import GameRules
from kb_score.games.game import File, MatchSetup
from kb_score.games.rabbits.game import GAME
from kb_score.games.rabbits.match import RabbitsMatch
from kb_score.games.rabbits.run_logs import choose
from tests.oracles.rabbits import Map, Run, towards_exit
from tests.oracles.rabbits_records import check_session as check_plainly
from tests.oracles.rabbits_records import play, random_map, write_run_log, write_session

RULES = GameRules("rabbits")
TURNS = 500
_LIVE_TURNS = 200
_MEMORY = """
from benchmarks.rabbits import check_log, simulate
check_log(simulate({turns}))
"""


def large_map() -> Map:
    """Draw the large station of the measurements."""
    return random_map(Random(3), 65, 30, starts=3, exits=2, crushers=5)


def write_map(drawing: Map) -> File:
    """Write a plain map as a file."""
    return "map", "\n".join(drawing.rows)


def simulate(turns: int) -> str:
    """Play a run in plain Python; return its log."""
    record = play(large_map(), turns, Random(5), towards_exit)
    return write_run_log([record], ["map", str(turns), "1", "1", "bot"])


def check_log(text: str) -> object:
    """Check a run log of the large station."""
    return GAME.check(RULES, [write_map(large_map()), ("log", text)])


def main() -> None:
    """Measure and print the table."""
    # Before anything else: a process is said to hold no less than what started it did.
    memory = [
        Row(f"memory, run log of {turns} turns", None, None, "<= 100 MB", _memory(turns))
        for turns in (100, TURNS, 4 * TURNS)
    ]
    drawing = large_map()
    station = write_map(drawing)
    record = play(drawing, TURNS, Random(5), towards_exit)
    session = write_session([record])
    log = write_run_log([record], ["map", str(TURNS), "1", "1", "bot"])
    played = best_of(lambda: play(drawing, TURNS, Random(5), towards_exit))

    def check() -> None:
        assert GAME.check(RULES, [station, ("session", session)]).consistent

    checked = best_of(check, repeat=3)
    explained = best_of(lambda: check_log(log), repeat=3)
    rows = [
        Row(f"session, {TURNS} turns / playing it", checked, played, "<= 10", _speed(checked)),
        Row("session / checking it plainly", checked, _plainly(check_plainly, drawing, session)),
        Row(f"run log, {TURNS} turns / playing it", explained, played, "<= 30", _speed(explained)),
        Row("run log, seconds", explained, None, "<= 10 s"),
        *memory,
        _live(drawing, station),
        _pick(),
    ]
    print_rows(f"Rabbits and crusher-bots, 65x30, {_crowd(log)} rabbits at a time", rows)


def _plainly(function: Callable[[Map, str], object], drawing: Map, text: str) -> float:
    return best_of(lambda: function(drawing, text))


def _speed(seconds: float) -> str:
    return f"{TURNS / seconds:.0f} turns/s"


def _memory(turns: int) -> str:
    return f"{peak_memory(_MEMORY.format(turns=turns)):.0f} MB"


def _crowd(log: str) -> int:
    return round(log.count("o") / TURNS)


def _live(drawing: Map, station: File) -> Row:
    match = RabbitsMatch(RULES, MatchSetup((station,), {"turns": _LIVE_TURNS}), Random(4))
    view = Run(drawing, Random(0))
    ours = 0.0
    while not match.finished:
        begin = time.perf_counter()
        told = match.tell()
        ours += time.perf_counter() - begin
        places = told.splitlines()[-1].split()[1:]
        view.rabbits = {(int(x), int(y)) for x, y in (place.split(",") for place in places)}
        answer = towards_exit(view)
        begin = time.perf_counter()
        match.answer(answer)
        ours += time.perf_counter() - begin
    return Row("live play, a turn without the bot", ours / _LIVE_TURNS, None, "< 20 ms")


def _pick() -> Row:
    """Pick a number out of what each of 600 runs may have saved, for a total; some have gaps."""
    rng = Random(6)
    sets = [{*range(rng.randint(0, 8), rng.randint(11, 20))} for _ in range(600)]
    for gapped in sets[::10]:
        gapped.discard(9)
    total = sum(rng.choice(sorted(some)) for some in sets)

    def reach_plainly() -> bool:
        sums = {0}
        for some in sets:
            sums = {one + more for one in sums for more in some}
        return total in sums

    assert sum(choose(sets, total) or ()) == total
    assert reach_plainly()
    picked, plain = best_of(lambda: choose(sets, total)), best_of(reach_plainly, repeat=1)
    return Row("totals of 600 runs / all sums", picked, plain, "<= 0.01")


if __name__ == "__main__":
    main()
