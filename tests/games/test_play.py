"""What ``kb-score play`` promises of the bots of every game, and of what they leave behind."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.games.contract import Example
from tests.games.examples import EXAMPLES, each_game, some_games
from tests.helpers import run


def shell(script: str) -> str:
    """The command of a script that is told the arguments of a bot."""
    return shlex.join(["sh", "-c", script, "bot"])


# Bots that answer nothing, with what is said of them.
SILENT = {
    "ends": (shell("exit 3"), "exited with status 3"),
    "is-killed": (shell("kill -9 $$"), "killed by signal 9"),
    "closes-its-output": (shell("exec >&-; sleep 60"), "closed its output"),
    "babbles": (shell("yes | tr -d '\\n'"), "printed "),
    "says-why": (shell("echo why >&2; exit 3"), "\n    | why\n"),
}


def refuse(game: Example, bot: str, *options: object, record: Path) -> str:
    """Let a bot play that does what it must not; its record is wrong about nothing else."""
    ran = game.play(*options, "--record", record, bot=bot)

    assert ran.status == game.fault
    assert "Traceback" not in ran.err
    (found,) = game.check(record, *game.const).json
    assert all(v["code"] in ran.err for v in found["violations"])
    return ran.err


@pytest.mark.slow
@each_game
def test_bots_play_a_game_to_its_end_and_again_and_its_record_is_accepted(
    game: Example, tmp_path: Path
) -> None:
    record = tmp_path / "record.txt"

    ran = game.play("--record", record, "--format", "json")
    game.play("--record", tmp_path / "again.txt")

    (told,), (found,) = ran.json, game.check(record, *game.const).json
    assert (ran.status, ran.err) == (0, "")
    assert (told["game"], told["result"]["finished"]) == (game.game, True)
    assert list(told) == ["game", "result", "runs"]
    assert found["consistent"] is True
    assert found["result"] == told["result"]
    assert found["claimed"] is None or found["claimed"].items() <= told["result"].items()
    assert (tmp_path / "again.txt").read_text() == record.read_text() != ""


@pytest.mark.parametrize(
    ("game", "answer"),
    [
        pytest.param(game, answer, id=f"{game.game}-{answer}")
        for game in EXAMPLES
        for answer in game.answers
    ],
)
def test_an_answer_that_the_rules_refuse_is_told(
    game: Example, answer: str, tmp_path: Path
) -> None:
    bot = shell(f"echo '{answer}'; cat >/dev/null")

    assert game.answers[answer] in refuse(game, bot, *game.hasty, record=tmp_path / "record")


@pytest.mark.slow
@each_game
@pytest.mark.parametrize("kind", SILENT)
def test_a_bot_that_gives_no_answer_is_told(game: Example, kind: str, tmp_path: Path) -> None:
    bot, message = SILENT[kind]

    assert message in refuse(game, bot, record=tmp_path / "record")


@each_game
def test_a_bot_that_never_answers_is_not_waited_for(game: Example, tmp_path: Path) -> None:
    soon = [word for option in game.hasty[::2] for word in (option, 0.1)]

    said = refuse(game, shell("sleep 60"), *soon, record=tmp_path / "record")

    assert game.late in said


@each_game
def test_a_bot_that_is_missing_or_cannot_be_started_costs_no_old_record(
    game: Example, tmp_path: Path
) -> None:
    record = tmp_path / "old.txt"
    record.write_text("old\n")

    ran = game.play("--record", record, "--force", bot="./no-such-program 1")
    without = run("play", game.game, *game.starts, *game.play_starts)

    assert (without.status, without.out) == (2, "")
    assert "COMMAND" in without.err or "--bot" in without.err
    assert (ran.status, ran.out) == (2, "")
    start = "cannot (start|run bot 'player 1': there is no program)"
    assert re.fullmatch(rf"{start} '\./no-such-program'.*\n", ran.err)
    assert record.read_text() == "old\n"


@some_games(lambda game: game.starts or game.play_starts)
def test_a_record_is_not_written_over_the_map(game: Example, tmp_path: Path) -> None:
    (path,) = (*game.starts, *game.play_starts)
    map_ = Path(shutil.copy(path, tmp_path))
    words = ("--record", tmp_path / "." / map_.name, "--bot", game.bot)

    ran = run("play", game.game, map_, *game.options, *words)

    assert (ran.status, ran.out) == (2, "")
    assert "this command already uses this file: name another one to write to" in ran.err
    assert map_.read_bytes() == path.read_bytes()


@each_game
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no/folder", "no/folder: no such file or directory"),
        ("-", "-: an output cannot have this name: name a file, or leave it out"),
        ("bot.py", "bot.py: this command already uses this file: name another one to write to"),
        ("/dev/full", "/dev/full: no space left on device"),
    ],
)
def test_a_record_is_written_over_nothing_that_is_needed(
    game: Example, name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = Path("bot.py")
    program.write_text("raise SystemExit(3)\n")

    ran = game.play("--record", name, bot=f"{sys.executable} bot.py")

    # A disk is known to be full when something is written, which is when the game goes on.
    assert ran.status == 2
    assert not ran.out or name == "/dev/full"
    assert said in ran.err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "bot.py": "raise SystemExit(3)\n"
    }


@each_game
def test_what_a_bot_says_goes_to_the_folder_that_is_named(game: Example, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "logs"

    ran = game.play("--bot-log", folder, bot=shell("echo why >&2; exit 3"))

    log = folder / ("bot.log" if game.seats == 1 else "player-1.log")
    assert set(log.read_text().splitlines()) == {"why"}
    assert f"\n    its error stream is in {log}\n" in ran.err
    assert "why" not in ran.err.replace(str(tmp_path), "")
    refused = game.play("--bot-log", log, bot="true")
    assert (refused.status, refused.out) == (2, "")
    assert f"{log.name}: the folder cannot be created: file exists" in refused.err


@each_game
@pytest.mark.parametrize("time_", ["nan", "inf", "-1"])
def test_a_time_is_a_time(game: Example, time_: str) -> None:
    for option in game.hasty[::2]:
        ran = game.play(option, time_)

        assert (ran.status, ran.out) == (2, "")
        assert str(option) in ran.err
