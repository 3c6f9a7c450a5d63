"""The files that commands read and write: none is lost by a slip of the pen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, ROOT, run

BOARDS = ROOT / "boards"
MEADOW = BOARDS / "search_party" / "maps" / "meadow.txt"
STATION = BOARDS / "rabbits" / "small.map"
LOG = BOARDS / "rabbits" / "small.log"
SILENT = ("--", sys.executable, "-c", "")


@pytest.mark.parametrize(
    ("game", "path", "option"),
    [
        ("search-party", MEADOW, "--record"),
        ("rabbits", STATION, "--record"),
        ("rabbits", STATION, "--run-log"),
    ],
)
def test_play_does_not_write_over_its_map(
    game: str, path: Path, option: str, tmp_path: Path
) -> None:
    map_ = tmp_path / "map.txt"
    map_.write_bytes(path.read_bytes())

    ran = run("play", game, map_, option, tmp_path / "." / "map.txt", *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert "this file has another use here: name another one to write to" in ran.err
    assert map_.read_bytes() == path.read_bytes()


def test_an_explanation_does_not_overwrite_what_it_explains(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(LOG.read_bytes())

    ran = run("check", "rabbits", STATION, log, "--explain", log)

    assert ran.status == 2
    assert log.read_bytes() == LOG.read_bytes()


def test_an_explanation_that_there_is_not_is_told(tmp_path: Path) -> None:
    path = tmp_path / "explained.txt"

    ran = run(
        "check", "rabbits", STATION, BOARDS / "rabbits/small-displaced.log", "--explain", path
    )

    assert ran.status == 1
    assert f"{path}: not written" in ran.err
    assert not path.exists()


@pytest.mark.parametrize(
    "command",
    [
        ("play", "search-party", MEADOW, "--record", "-", *SILENT),
        ("play", "rabbits", STATION, "--record", "-", *SILENT),
        ("play", "slime", *["--bot", "true"] * 4, "--record", "-"),
    ],
    ids=lambda command: str(command[1]),
)
def test_a_record_is_not_mixed_with_the_result(command: tuple[object, ...]) -> None:
    ran = run(*command)

    assert (ran.status, ran.out) == (2, "")
    assert "standard output has the result" in ran.err
    assert not Path("-").exists()


@pytest.mark.parametrize("game", ["kingdom-builder", "search-party", "rabbits"])
def test_two_files_are_not_both_standard_input(game: str) -> None:
    ran = run("check", game, "-", "-", given="anything")

    assert (ran.status, ran.out) == (2, "")
    assert "only one of the files can be standard input" in ran.err


def test_a_program_that_needs_the_maps_path_is_not_given_standard_input() -> None:
    ran = run("play", "rabbits", "-", *SILENT, given=STATION.read_text())

    assert (ran.status, ran.out) == (2, "")
    assert "name a file" in ran.err


@pytest.mark.parametrize("game", ["search-party", "rabbits"])
def test_a_program_that_is_not_there_leaves_nothing_on_standard_output(game: str) -> None:
    path = MEADOW if game == "search-party" else STATION

    ran = run("play", game, path, "--", "./no-such-program")

    assert (ran.status, ran.out) == (2, "")
    assert "cannot start './no-such-program'" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("search-party", MEADOW, BOARDS / "search_party/records/meadow/sample-plan.txt"),
        ("rabbits", STATION, BOARDS / "rabbits/small.session"),
        ("rabbits", STATION, BOARDS / "rabbits/small-displaced.log"),
        ("slime", BOARDS / "slime/session.txt"),
        ("slime", BOARDS / "slime/wrong.txt"),
    ],
    ids=lambda words: Path(words[-1]).name,
)
def test_the_headings_of_violations_do_not_depend_on_them(words: tuple[object, ...]) -> None:
    assert run("check", *words, "--format", "csv").out.splitlines()[0] == "turn,code,who,detail"


def test_claims_have_no_turns() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE, CLAIMS, "--format", "csv")

    assert ran.out.splitlines()[0] == "code,who,detail"


def test_a_record_that_cannot_be_read_does_not_lose_the_others(tmp_path: Path) -> None:
    maps, entry = tmp_path / "maps", tmp_path / "walker"
    for folder in (maps, entry):
        folder.mkdir()
    for name in ("one", "two"):
        (maps / f"{name}.txt").write_text("7 1 0 0\nS......\n")
    (entry / "one.txt").write_bytes(b"\0")
    (entry / "two.txt").write_text(".\n")
    (entry / "two").mkdir()
    (entry / "two" / "better.txt").write_text("@6.\n" * 4)

    ran = run("rank", "search-party", entry, "--maps", maps, "--format", "json")

    assert ran.status == 2
    assert json.loads(ran.out)["maps"] == 1
    assert f"{entry / 'one.txt'}:1:1: byte 0x00 is not text" in ran.err


def test_answers_without_a_move_are_told() -> None:
    babble = "import sys\nfor line in sys.stdin:\n if line[0] == 'r': print('go!', flush=True)"

    ran = run(
        "play", "rabbits", STATION, "--turns", 3, "--runs", 1, "--answer-time", 60,
        "--", sys.executable, "-c", babble,
    )  # fmt: skip

    assert ran.status == 0
    assert "run 1: 3 of 3 answers ask for no move that can be read" in ran.err


def test_a_bot_of_slime_that_is_not_there_is_told_before_the_first_turn() -> None:
    ran = run("play", "slime", *["--bot", "true"] * 3, "--bot", "./no-such-bot 1")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "cannot run bot 'player 4': there is no program './no-such-bot'\n"


@pytest.mark.parametrize("command", ["true", "A=1 true", "(true)", "printf x |cat", "cd . && true"])
def test_whatever_the_shell_can_run_is_a_bot_of_slime(command: str) -> None:
    bots = [word for _ in range(4) for word in ("--bot", command)]

    assert run("play", "slime", *bots, "--size", 2, "--const", "last_turn=4").status == 0


def test_a_tournament_with_a_bot_that_is_not_there_plays_no_game(tmp_path: Path) -> None:
    bots = tmp_path / "bots.toml"
    commands = ["true", "true", "true", "./no-such-bot"]
    bots.write_text(
        "".join(f'[[bot]]\nname = "{i}"\ncommand = "{c}"\n' for i, c in enumerate(commands))
    )

    ran = run("tournament", "slime", bots)

    assert (ran.status, ran.out) == (2, "")
    assert "cannot run bot '3': there is no program './no-such-bot'" in ran.err
    assert not bots.with_suffix(".results.jsonl").exists()


def test_facts_of_two_games_are_not_mixed() -> None:
    ran = run("facts", EXAMPLE, BOARDS / "slime" / "session.txt")

    assert (ran.status, ran.out) == (2, "")
    assert "this is of slime, the file before of kingdom-builder: one at a time" in ran.err


@pytest.mark.parametrize("verb", ["check", "play", "rank"])
def test_a_game_may_be_written_as_its_folder_is(verb: str) -> None:
    assert run(verb, "search_party", "--help").out == run(
        verb, "search-party", "--help"
    ).out.replace(f"{verb} search-party [", f"{verb} search_party [")


def test_a_game_that_a_verb_does_not_know_is_told_with_those_that_it_knows() -> None:
    ran = run("tournament", "rabbits")

    assert (ran.status, ran.out) == (2, "")
    assert "tournament has no game 'rabbits', but slime" in ran.err


def test_an_option_before_the_verb_is_told_where_it_belongs() -> None:
    ran = run("--format", "json", "score", EXAMPLE)

    assert (ran.status, ran.out) == (2, "")
    assert "options stand after the verb" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("kingdom-builder", CLAIMS, EXAMPLE),
        ("search-party", BOARDS / "search_party/records/meadow/sample-plan.txt", MEADOW),
        ("rabbits", BOARDS / "rabbits/small.session", STATION),
    ],
    ids=lambda words: str(words[0]),
)
def test_files_in_the_wrong_order_are_told(words: tuple[object, ...]) -> None:
    ran = run("check", *words)

    assert (ran.status, ran.out) == (2, "")
    assert "are they in the wrong order?" in ran.err


def test_a_board_of_slime_that_is_too_large_to_work_with_is_refused() -> None:
    board = ("." * 300 + "\n") * 300

    ran = run("check", "slime", "-", given=f"{board}\n{board}")

    assert (ran.status, ran.out) == (2, "")
    assert "-:1:1: a board has 2 to 256 rows, this has 300" in ran.err


def test_a_station_that_is_too_large_to_work_with_is_refused(tmp_path: Path) -> None:
    station, edge = tmp_path / "station.map", "#" * 600
    inside = "#" + " " * 598 + "#"
    station.write_text("\n".join([edge, f"#se{inside[3:]}", *[inside] * 500, edge]) + "\n")

    ran = run("play", "rabbits", station, *SILENT)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{station}: the map has more than 250000 cells\n"
