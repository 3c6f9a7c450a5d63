"""The commands ``play slime`` and ``tournament slime``, from the outside."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kb_score.cli import main

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "boards" / "slime" / "bots"
PYTHON = sys.executable
# On a busy machine Python alone may need half a second to start.
PATIENT = ("--timeout", "20", "--grace", "1")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def play(*bots: str, options: tuple[str, ...] = PATIENT) -> Result:
    seats = [word for bot in bots for word in ("--bot", bot)]
    return invoke("play", "slime", *seats, *options)


def shell(script: str) -> str:
    """A command whose added argument is $1 of a script."""
    return f"sh -c '{script}' bot"


def test_a_game_is_stepped_by_the_rules_and_recorded(tmp_path: Path) -> None:
    record = tmp_path / "session.txt"
    bots = [shell("echo 0 0 1 1"), shell("echo no"), shell("echo 2 0 2 1"), shell("echo 0 0 0 0")]

    result = play(*bots, options=(*PATIENT, "--size", "3", "--const", "last_turn=6",
                                  "--record", str(record), "--format", "json"))  # fmt: skip

    assert result.exit_code == 0
    # 1 spreads and takes all corners, so 3 has nothing to move; then it merges.
    assert json.loads(result.stdout) == {
        "game": "slime",
        "result": {"turns": 6, "squares": [8, 0, 0, 0], "finished": True},
        "runs": None,
    }
    assert record.read_text().splitlines()[:4] == [
        "1,1.2,...,3.4", "0 0 1 1", "2,1.1,.1.,1.1", "no",
    ]  # fmt: skip
    check = invoke("check", "slime", str(record), "--const", "last_turn=6")
    assert check.exit_code == 0


def test_the_board_line_is_one_more_argument() -> None:
    bots = [shell('test "$1" = 1,1.2,...,3.4 && echo 0 0 1 1')] + [shell("echo 0 0 0 0")] * 3

    result = play(*bots, options=(*PATIENT, "--size", "3", "--const", "last_turn=1"))

    assert "spread" in result.stdout
    assert not result.stderr


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param("exit 3", "ended with exit status 3", id="crash"),
        pytest.param("kill -9 $$", "ended with", id="killed"),
        pytest.param("no-such-program-at-all", "exit status 127", id="not-there"),
        pytest.param("echo hello", "answered 'hello'", id="garbage"),
        pytest.param("true", "answered ''", id="silence"),
        pytest.param("yes 0 0 1 1", "printed more than", id="endless"),
        pytest.param('printf "\\\\377\\\\376\\\\0"', "no four numbers", id="binary"),
        pytest.param("sleep 0.5; echo 0 0 1 1", "0.20 s are allowed", id="late"),
        pytest.param("sleep 60; echo 0 0 1 1", "was ended after", id="asleep"),
        pytest.param('trap "" TERM; sleep 60 & wait; sleep 60', "was ended", id="stubborn"),
    ],
)
def test_a_bot_that_fails_passes_with_a_warning_and_the_game_goes_on(
    script: str, message: str, tmp_path: Path
) -> None:
    record = tmp_path / "session.txt"
    options = ("--timeout", "0.1", "--grace", "2", "--kill", "1", "--size", "3")
    start = time.monotonic()

    result = play(
        *[shell(script), shell("echo 0 0 0 0"), shell("echo 0 0 0 0"), shell("echo 0 0 0 0")],
        options=(*options, "--const", "last_turn=4", "--record", str(record)),
    )

    assert result.exit_code == 0
    assert "warning: turn 1: player 1 " in result.stderr
    assert message in result.stderr
    assert time.monotonic() - start < 10
    assert record.read_text().startswith("1,1.2,...,3.4\n")
    assert record.read_text().endswith("1 1 1 1\n")
    assert invoke("check", "slime", str(record), "--const", "last_turn=4").exit_code == 0


def test_what_a_bot_starts_ends_with_its_turn(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    bot = shell(f"(sleep 1; touch {mark}) >/dev/null & echo 0 0 1 1")

    play(bot, *[shell("echo 0 0 0 0")] * 3, options=(*PATIENT, "--const", "last_turn=4"))
    time.sleep(1.2)

    assert not mark.exists()


def test_a_game_needs_four_bots() -> None:
    result = play("true", "true")

    assert result.exit_code == 2
    assert "not 2 times" in result.stderr


def test_a_board_of_four_squares_is_over_at_once() -> None:
    result = play(*["true"] * 4, options=("--size", "2", "--format", "json"))

    assert json.loads(result.stdout)["result"] == {
        "turns": 0,
        "squares": [1, 1, 1, 1],
        "finished": True,
    }


@pytest.mark.parametrize("bot", ["greedy", "anywhere", "jumper", "brain"])
def test_a_reference_bot_answers_with_a_legal_move(bot: str) -> None:
    from benchmarks.plain.slime import legal_moves, parse_answer

    board = "11111222,11111444,11.22444,.1222.4.,333.3244,33333.44,333...44,333....4"
    done = subprocess.run(
        [PYTHON, str(BOTS / f"{bot}.py"), f"3,{board}"],
        stdout=subprocess.PIPE, text=True, check=True, timeout=60,
    )  # fmt: skip

    assert parse_answer(done.stdout.strip()) in legal_moves(tuple(board.split(",")), 3)


@pytest.mark.parametrize("bot", ["greedy", "anywhere", "jumper", "brain"])
def test_a_reference_bot_without_slime_passes(bot: str) -> None:
    done = subprocess.run(
        [PYTHON, str(BOTS / f"{bot}.py"), "2,1..,...,3.4"],
        stdout=subprocess.PIPE, text=True, check=True, timeout=60,
    )  # fmt: skip

    assert done.stdout == "0 0 0 0\n"


def test_the_brain_takes_the_move_that_leaves_least_to_take_back() -> None:
    # Greedy takes two with a spread; so does the brain, but where no 2 can answer.
    done = subprocess.run(
        [PYTHON, str(BOTS / "brain.py"), "1,1..,...,..2"],
        stdout=subprocess.PIPE, text=True, check=True, timeout=60,
    )  # fmt: skip

    assert done.stdout == "0 0 1 1\n"


# Tournaments


def write_bots(folder: Path, bots: dict[str, str]) -> Path:
    path = folder / "bots.toml"
    tables = [
        f"[[bot]]\nname = {name!r}\ncommand = '''{command}'''\n" for name, command in bots.items()
    ]
    path.write_text("\n".join(tables))
    return path


REFERENCE = {
    name: f"{PYTHON} {BOTS / name}.py" for name in ("brain", "greedy", "anywhere", "jumper")
}
BAD = {"Crash": "exit 1;", "Garbage": "echo hello;", "Sleeper": "sleep 60;"}
QUICK = ("--size", "4", "--const", "last_turn=4")


def leaderboard(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_tournament_ranks_all_bots_whatever_they_do(tmp_path: Path) -> None:
    bots = write_bots(tmp_path, REFERENCE | BAD)
    options = ("--timeout", "1", "--grace", "1", "--kill", "1", "--jobs", "4", *QUICK)

    result = invoke("tournament", "slime", str(bots), *options, "--format", "json")

    assert result.exit_code == 0
    ranked = leaderboard(result)
    assert {(line["name"], line["games"]) for line in ranked} == {
        (name, 20) for name in (*REFERENCE, *BAD)
    }
    averages = [line["average"] for line in ranked]
    assert averages == sorted(averages, key=lambda a: -float(str(a)))
    assert "warning: Crash" in result.stderr
    # All is played: the leaderboard comes from the file.
    start = time.monotonic()
    again = invoke("tournament", "slime", str(bots), *options)
    assert time.monotonic() - start < 2
    assert again.stdout.splitlines()[1] == (
        "| Name                     | Avg Score | Last Updated (UTC) |"
    )
    assert "35 of 35 games were played before" in again.stderr


def test_all_seatings_are_every_order_of_every_four(tmp_path: Path) -> None:
    fixed = {name: f"echo 0 0 {i} 1;" for i, name in enumerate("abcd")}
    bots = write_bots(tmp_path, fixed)

    result = invoke(
        "tournament", "slime", str(bots), "--seatings", "all", "--format", "json",
        "--size", "3", "--const", "last_turn=2", *PATIENT,
    )  # fmt: skip

    assert {line["games"] for line in leaderboard(result)} == {24}


def test_an_interrupted_tournament_goes_on_and_plays_no_game_twice(tmp_path: Path) -> None:
    names = ("greedy", "anywhere", "jumper")
    bots = write_bots(
        tmp_path, {n: REFERENCE[n] for n in names} | {"a": "exit 1;", "b": "echo;", "c": "echo no;"}
    )
    results = tmp_path / "bots.results.jsonl"
    command = [
        PYTHON, "-m", "kb_score", "tournament", "slime", str(bots), "--jobs", "2",
        "--size", "3", "--const", "last_turn=8", "--format", "json", *PATIENT,
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (
            not results.exists() or results.read_text().count("\n") < 3
        ):
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=60)
    kept = results.read_text()
    assert first.returncode == 130
    assert "interrupted" in said
    assert 3 <= kept.count("\n") < 15

    # As if it had been ended in the middle of a line.
    results.write_text(kept + '{"key": "12')
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True
    )

    lines = results.read_text().splitlines()
    assert "\n".join(lines).startswith(kept.rstrip("\n"))
    assert len(lines) == len({json.loads(line)["key"] for line in lines}) == 15
    fresh = invoke(*command[3:6], *command[6:], "--results", str(tmp_path / "other.jsonl"))
    assert done.stdout == fresh.stdout


def test_a_bot_with_files_has_a_folder_of_its_own_in_each_game(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "seed").write_text("0 0 0 0\n")
    (tmp_path / "bots.toml").write_text(
        "".join(
            f'[[bot]]\nname = "{name}"\nfolder = "notes"\n'
            "command = '''sh -c 'cat seed; echo $1 >> log; test $(wc -l < log) -le 2' bot'''\n"
            for name in "abcde"
        )
    )

    result = invoke(
        "tournament", "slime", str(tmp_path / "bots.toml"), "--size", "3", "--const",
        "last_turn=8", *PATIENT,
    )  # fmt: skip

    assert result.exit_code == 0
    # Nobody has more than the two lines of its own two turns, so nobody crashed.
    assert "warning" not in result.stderr
    assert [p.name for p in (tmp_path / "notes").iterdir()] == ["seed"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("[[bot]]\nname = 'a'\n", "needs a command", id="no-command"),
        pytest.param("[[bot]]\nname = 'a'\ncommand = 'true'\n", "needs 4 bots", id="one-bot"),
        pytest.param("[[bot]]\nname = 'a'\ncommand = 'true'\n" * 2, "the name 'a'", id="twice"),
        pytest.param("[[bot]\n", "no TOML", id="no-toml"),
        pytest.param("bots = 3\n", "[[bot]]", id="other-key"),
        pytest.param("[[bot]]\nname='a'\ncommand='b'\ncolour='c'\n", "colour", id="other-field"),
        pytest.param("[[bot]]\nname='a'\ncommand='b'\nfolder='c'\n", "not there", id="no-folder"),
    ],
)
def test_what_is_wrong_with_the_bots_is_said(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bots.toml"
    path.write_text(text)

    result = invoke("tournament", "slime", str(path))

    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_that_holds_no_results_is_left_alone(tmp_path: Path) -> None:
    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true"))
    other = tmp_path / "other.txt"
    other.write_text("a letter\nto somebody")

    result = invoke("tournament", "slime", str(bots), "--results", str(other))

    assert result.exit_code == 2
    assert "no result" in result.stderr
    assert other.read_text() == "a letter\nto somebody"


def test_two_tournaments_cannot_share_a_file(tmp_path: Path) -> None:
    from kb_score.games.slime.results import ResultsFile

    bots = write_bots(tmp_path, dict.fromkeys("abcd", "true"))
    with ResultsFile(tmp_path / "bots.results.jsonl"):
        result = invoke("tournament", "slime", str(bots))

    assert result.exit_code == 2
    assert "another tournament" in result.stderr
