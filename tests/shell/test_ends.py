"""How commands end: by signals, without a reader or a disk, with workers killed, by failures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.helpers import CLAIMS, EXAMPLE, MEADOW, STATION, listens, new_seconds, runs
from tests.shell.processes import ENVIRONMENT, all_gone, command, run_script, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks into /proc")

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
SLEEPER = ("--", sys.executable, "-c", "import time; time.sleep(300)")
COMMANDS = {
    "version": ("--version",),
    "help": ("--help",),
    "score": ("score", EXAMPLE),
    "check": ("check", "kingdom-builder", EXAMPLE, CLAIMS, "--format", "json"),
    "facts": ("facts", EXAMPLE),
}


def write_boards(folder: Path, number: int = 1500) -> Path:
    path = folder / "many.txt"
    path.write_text(f"{EXAMPLE.read_text()}\n" * number)
    return path


@contextmanager
def started(*arguments: object, out: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a group of its own; whatever of it is left in the end is killed."""
    process = subprocess.Popen(
        command(*arguments),
        stdout=out,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


def end(process: subprocess.Popen[bytes], number: int) -> tuple[int, bytes]:
    """Send a signal to a process alone; return its status and its messages."""
    process.send_signal(number)
    status = process.wait(20)
    assert process.stderr is not None
    return status, process.stderr.read()


def children_of(process: subprocess.Popen[bytes]) -> list[int]:
    found = []
    for path in Path(f"/proc/{process.pid}/task").glob("*/children"):
        found += list(map(int, path.read_text().split()))
    return found


def wait_for_children(process: subprocess.Popen[bytes], number: int) -> list[int]:
    assert wait_until(lambda: len(children_of(process)) >= number)
    return children_of(process)


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_results_that_nobody_can_take_are_one_line_or_none(arguments: Sequence[object]) -> None:
    said = "cannot continue"
    full, closed = f"{said}: no space left on device\n", f"{said}: the stream is closed\n"
    assert run_in_shell('"$@" >/dev/full', *arguments) == (2, full)
    assert run_in_shell('"$@" >&-', *arguments) == (2, closed)
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as unread:
        assert run_in_shell('"$@"', *arguments, out=unread) == (141, "")


def run_in_shell(line: str, *arguments: object, out: IO[bytes] | None = None) -> tuple[int, str]:
    words = ["/bin/sh", "-c", f"exec {line}", "sh", *command(*arguments)]
    done = subprocess.run(
        words, stdout=out, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True, check=False
    )
    return done.returncode, done.stderr


def test_nobody_need_read_the_messages() -> None:
    assert run_in_shell('"$@" 2>&-', "score", "nowhere.txt") == (2, "")
    assert run_in_shell('"$@" 2>/dev/full', "score", "nowhere.txt") == (2, "")


def test_a_closed_standard_input_is_empty() -> None:
    assert run_in_shell('"$@" <&-', "score", "-") == (2, "-: the file is empty\n")


@pytest.mark.parametrize(
    ("number", "seconds", "jobs"),
    [
        (signal.SIGINT, 0, 2),
        (signal.SIGTERM, 0, 2),
        (signal.SIGHUP, 0.15, 1),
        (signal.SIGTERM, 0.15, 1),
        (signal.SIGINT, 0.3, 2),
        (signal.SIGHUP, 0.3, 2),
        (signal.SIGINT, 0.8, 2),
        (signal.SIGTERM, 0.8, 2),
    ],
)
def test_a_signal_ends_a_batch_and_its_workers(
    number: signal.Signals, seconds: float, jobs: int, tmp_path: Path
) -> None:
    with started("score", write_boards(tmp_path), "--jobs", jobs) as process:
        while not listens(process):  # on a busy machine Python takes its time to start
            time.sleep(0.001)
        time.sleep(seconds)
        children = children_of(process)
        status, said = end(process, number)

        assert (status, said) == (STATUS[number], b"")
        assert all_gone(children)


@pytest.mark.slow
@pytest.mark.parametrize("number", STATUS, ids=lambda number: number.name)
def test_a_signal_is_heard_while_clingo_is_at_work(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "endless.lp").write_text("n(0). n(X+1) :- n(X).\n")

    with started("score", EXAMPLE, "--rules", tmp_path) as process:
        while not listens(process):
            time.sleep(0.001)
        time.sleep(0.7)  # until it has read the rules
        status, said = end(process, number)

    assert (status, said) == (STATUS[number], b"")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, ("search-party", MEADOW, "--timeout", 60, *SLEEPER)),
        (signal.SIGTERM, ("rabbits", STATION, *SLEEPER)),
        (
            signal.SIGHUP,
            ("slime", *["--bot", "sleep 300; true"] * 4, "--timeout", 60, "--kill", 60),
        ),
    ],
    ids=["search-party", "rabbits", "slime"],
)
def test_a_signal_ends_a_game_and_its_bots(
    number: signal.Signals, words: tuple[object, ...]
) -> None:
    with started("play", *words) as process:
        children = wait_for_children(process, 1)
        time.sleep(0.2)
        status, said = end(process, number)

        assert (status, said) == (STATUS[number], b"interrupted after 0 turns\n")
        assert all_gone(children)


@pytest.mark.parametrize(
    ("number", "loaded"),
    [
        *((number, "kb_score.cli") for number in STATUS),
        (signal.SIGTERM, "click"),
        (signal.SIGTERM, "clingo"),
    ],
)
def test_a_signal_is_heard_while_the_command_loads(number: signal.Signals, loaded: str) -> None:
    script = f"""
import os, sys
class Slow:
    def find_spec(self, name, *_):
        if name == "{loaded}":
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, Slow())
from kb_score.__main__ import main
main()
"""
    assert run_script(script, "score", EXAMPLE) == (STATUS[number], "", "")


def test_little_is_loaded_before_signals_are_heard() -> None:
    script = "import sys, kb_score.shell.shutdown; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], env=ENVIRONMENT, capture_output=True, check=True
    )

    loaded = set(done.stdout.decode().split())
    assert not {"click", "dataclasses", "clingo", "lark", "pathlib"} & loaded


# Python drops what is raised while an object is taken apart; the command then goes on.
DROPPED = """
import os, signal
from kb_score.shell.shutdown import run_process
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(10): pass
def command():
    last = Last()
    del last
    raise SystemExit(2)
run_process(command)
"""


# The signal is raised again outside of the destructor, so that the command can print what it found.
FOUND = """
import os, signal, time
from kb_score.shell.shutdown import Ended, run_process
class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10): pass
def command():
    last = Last()
    del last
    try:
        time.sleep(9)
    except Ended:
        print("found")
    return 0
run_process(command)
"""


def test_a_signal_in_a_destructor_still_lets_the_command_print_its_results() -> None:
    assert run_script(FOUND) == (130, "found\n", "")


# Python raises an error of its own in the place of what is raised while a class is made.
REPLACED = """
import os, signal
from kb_score.shell.shutdown import run_process
class Name:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(10): pass
def command():
    class Owner:
        name = Name()
run_process(command)
"""


# The first signal is met by a command that takes its time to clean up.
SECOND = """
import os, signal, time
from kb_score.shell.shutdown import run_process
def command():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(9)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(9)
run_process(command)
"""


@pytest.mark.parametrize(
    "script", [DROPPED, REPLACED, SECOND], ids=["unraisable", "class", "second"]
)
def test_a_signal_whose_exception_is_lost_is_still_that_signal(script: str) -> None:
    status, _, said = run_script(script)

    assert (status, said) == (143, "")


def test_nothing_is_taken_apart_after_the_result() -> None:
    last = "class Last:\n    def __del__(self):\n        import time; time.sleep(70)\nlast = Last()"
    result = "run_process(lambda: print('result') or 0)"
    script = f"from kb_score.shell.shutdown import run_process\n{last}\n{result}"

    assert run_script(script) == (0, "result\n", "")


# It clears its environment, and leaves its session and its parent.
HIDDEN = """
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        os.closerange(0, 3)
        os.execve("/bin/sleep", ["sleep", "SECONDS"], {})
    os._exit(0)
time.sleep(0.3)
print("0 0 0 0")
"""


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["play", "contest"])
def test_what_bots_have_hidden_ends_with_the_command(verb: str, tmp_path: Path) -> None:
    seconds = new_seconds()
    (tmp_path / "bot.py").write_text(HIDDEN.replace("SECONDS", seconds))
    bot, contest = f"{sys.executable} bot.py", tmp_path / "contest.toml"
    entrants = (f'[[bot]]\nname = "{n}"\ncommand = "{bot}"\n' for n in range(4))
    contest.write_text(f'game = "slime"\nsettings.size = 3\n{"".join(entrants)}')
    words = (contest,) if verb == "contest" else ("slime", "--size", 3, *["--bot", bot] * 4)

    done = subprocess.run(
        command(verb, *words, "--const", "last_turn=4"),
        env=ENVIRONMENT,
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert not runs(f"sleep {seconds}")


def test_a_signal_that_is_to_be_ignored_is_ignored() -> None:
    words = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command("score", "-")]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(EXAMPLE.read_bytes(), 20)

    assert (process.returncode, b"lords" in out) == (0, True)


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with started("score", write_boards(tmp_path), "--jobs", 2) as process:
        children = wait_for_children(process, 2)
        time.sleep(0.3)
        process.kill()

        assert all_gone(children)


def test_a_worker_that_has_just_begun_ends_without_a_word() -> None:
    script = (
        "import os, signal\n"
        "from kb_score.shell.shutdown import run_process\n"
        "def begin():\n"
        "    if worker := os.fork():\n"
        "        return os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "    except BaseException:\n"  # as an executor catches what its initializer raises
        "        os._exit(7)\n"
        "run_process(begin)"
    )

    assert run_script(script) == (143, "", "")


@pytest.mark.slow
def test_a_killed_worker_costs_no_board(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with (
        out.open("wb") as stream,
        started(
            "score", write_boards(tmp_path, 600), "--jobs", 2, "--format", "json", "--cards", "3",
            out=stream.fileno(),
        ) as process,
    ):  # fmt: skip
        assert wait_until(lambda: out.stat().st_size > 0)
        first = children_of(process)
        os.kill(first[0], signal.SIGKILL)
        # The worker that replaces it is killed, too.
        came: list[int] = []

        def has_come() -> bool:
            came[:] = [child for child in children_of(process) if child not in first]
            return bool(came)

        assert wait_until(has_come)
        os.kill(came[0], signal.SIGKILL)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""

    names = [json.loads(line)["board"] for line in out.read_text().splitlines()]
    assert names == [f"{tmp_path / 'many.txt'}#{n}" for n in range(1, 601)]


def test_a_failure_of_ours_is_one_line_and_a_file(tmp_path: Path) -> None:
    script = (
        "import kb_score.cli.kingdom_builder.score as c, kb_score.__main__, sys\n"
        "def fail(*_, **__): raise RuntimeError('within')\n"
        "c.report_scores = fail\n"
        "sys.argv[1:] = ['score', %r]\n"
        "kb_score.__main__.main()\n"
    )
    status, out, said = run_script(script % str(EXAMPLE), temporary=tmp_path)

    (path,) = tmp_path.iterdir()
    assert (status, out) == (70, "")
    assert said == (
        f"kb-score itself has failed (RuntimeError): please report it, with the file {path}\n"
    )
    assert "RuntimeError: within" in path.read_text()
