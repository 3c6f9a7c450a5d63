"""Rulings that a record names at its top: written by matches, applied by all that reads records."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from kb_score.games.rulings import strip_rulings
from tests.helpers import MEADOW, ROOT, STATION, Ran, run

WALKER = ROOT / "boards" / "search_party" / "bots" / "walker.py"
SHEPHERD = ROOT / "boards" / "rabbits" / "bots" / "shepherd.py"
GREEDY = f"{sys.executable} {ROOT / 'boards' / 'slime' / 'bots' / 'greedy.py'}"


@dataclass(frozen=True)
class Ruled:
    """A match with a ruling that its record needs to be consistent."""

    game: str
    ruling: str
    other: str  # another value, by which the record breaks the rules
    maps: tuple[Path, ...] = ()
    playouts: tuple[object, ...] = ()  # options of a short random game
    play: tuple[object, ...] = ()  # options of a short match, with its bots

    def write(self, path: Path) -> str:
        """Write the record of a random game, and return it."""
        run("playouts", self.game, *self.maps, *self.playouts, "--const", self.ruling, "-o", path)
        (record,) = path.glob("*.txt")
        return record.read_text()

    def check(self, path: Path, text: str, *options: object) -> Ran:
        """Check a record."""
        record = path / "record.txt"
        record.write_text(text)
        return run("check", self.game, *self.maps, record, *options)


RULED = [
    Ruled(
        game="slime",
        ruling="last_turn=6",
        other="last_turn=5",
        playouts=("--size", 4),
        play=("--size", 3, "--timeout", 60, "--kill", 60, *("--bot", GREEDY) * 4),
    ),
    Ruled(
        game="search-party",
        ruling="sight=3",
        other="sight=9",
        maps=(MEADOW,),
        play=("--", sys.executable, WALKER),
    ),
    Ruled(
        game="kingdom-builder",
        ruling="most_settlements=3",
        other="most_settlements=40",
        playouts=("--players", 2),
        play=("--bot", "true", "--bot", "true"),
    ),
]
IDS = [ruled.game for ruled in RULED]


@pytest.mark.parametrize("ruled", RULED, ids=IDS)
def test_a_record_with_rulings_is_accepted_by_plain_check(ruled: Ruled, tmp_path: Path) -> None:
    text = ruled.write(tmp_path)

    assert text.splitlines()[0] == f"% const {ruled.ruling}"
    ran = ruled.check(tmp_path, text)
    assert ran.status == 0
    assert f"judged with the rulings that the record names: {ruled.ruling}" in ran.err
    # What the command line says comes first.
    assert ruled.check(tmp_path, text, "--const", ruled.other).status == 1
    assert ruled.check(tmp_path, text.partition("\n")[2]).status == 1


@pytest.mark.parametrize("ruled", RULED, ids=IDS)
def test_play_writes_rulings_and_nothing_else_than_without_them(
    ruled: Ruled, tmp_path: Path
) -> None:
    record = tmp_path / "record.txt"

    words = (*ruled.maps, "--record", record, *ruled.play)
    assert run("play", ruled.game, "--const", ruled.ruling, *words).status == 0

    text = record.read_text()
    assert text.splitlines()[0] == f"% const {ruled.ruling}"
    assert ruled.check(tmp_path, text).status == 0


@pytest.mark.slow
def test_runs_of_rabbits_name_their_rulings_once(tmp_path: Path) -> None:
    session, log = tmp_path / "session.txt", tmp_path / "log.txt"
    words = ("--turns", 20, "--runs", 2, "--seed", 3, "--const", "collide_in_pairs=0")
    bot = ("--", sys.executable, SHEPHERD)

    ran = run("play", "rabbits", STATION, *words, "--record", session, "--run-log", log, *bot)

    assert ran.status == 0
    for path, heading in ((session, "run 1 seed 3"), (log, "Running: controller.py")):
        text = path.read_text()
        assert text.count("% const") == 1
        assert text.startswith(f"% const collide_in_pairs=0\n{heading}")
        checked = run("check", "rabbits", STATION, path)
        assert checked.status == 0
        assert "rulings that the record names: collide_in_pairs=0" in checked.err


@pytest.mark.slow
@pytest.mark.parametrize("ruled", RULED, ids=IDS)
def test_all_that_reads_a_record_applies_its_rulings(ruled: Ruled, tmp_path: Path) -> None:
    text = ruled.write(tmp_path)
    named, plain = tmp_path / "ruled-a.txt", tmp_path / "ruled-b.txt"
    named.write_text(text)
    plain.write_text("\n" + text.partition("\n")[2])
    const = ("--const", ruled.ruling)
    verbs: Sequence[tuple[object, ...]] = [
        ("check", "--format", "json"),
        ("check", "--why", "result(turns,_)"),
        ("legal", "--turn", 2),
        ("draw",),
        ("replay",),
        ("playground",),
    ]

    for verb, *options in verbs:
        one = run(verb, ruled.game, *ruled.maps, named, *options)
        other = run(verb, ruled.game, *ruled.maps, plain, *const, *options)
        assert (one.status, one.out.replace("ruled-a", "ruled-b")) == (0, other.out), verb
    one = run("facts", "--program", *ruled.maps, named)
    assert one.out == run("facts", "--program", *ruled.maps, plain, *const).out
    assert run("facts", *ruled.maps, named).status == (2 if ruled.maps else 0)


def test_lines_of_rulings_can_be_removed() -> None:
    assert strip_rulings("% const a=1\n\n% const b=2\n1,2\n% const c=3\n") == "\n1,2\n% const c=3\n"
    assert strip_rulings("1,2\n") == "1,2\n"
