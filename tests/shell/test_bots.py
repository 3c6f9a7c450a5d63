"""The process handling that all live games share."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb_score.errors import Fault
from kb_score.shell.bots import MAX_ERROR_BYTES, Bot, BotError, Setting, run_command
from kb_score.shell.process import Bounds, explain_script
from tests.helpers import new_seconds, runs, sandboxed
from tests.shell.processes import ENVIRONMENT, wait_until


def python(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def test_a_bot_answers_line_by_line() -> None:
    with Bot(python("while 1: print(input().upper())")) as bot:
        bot.send("one\ntwo\n", 5)

        assert [bot.read_line(5), bot.read_line(5)] == ["ONE", "TWO"]


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(BotError, match="no-such-program"):
        Bot(["no-such-program"])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        pytest.param("import time; time.sleep(60)", "late", id="hangs"),
        pytest.param("print(1, end='')", "crashed", id="dies-without-a-line-end"),
        pytest.param("import os; os.close(1); import time; time.sleep(60)", "crashed", id="closes"),
        pytest.param("while 1: print('x' * 1000, end='')", "garbage", id="prints-megabytes"),
    ],
)
def test_a_bot_that_fails_is_told_apart(code: str, kind: str) -> None:
    with Bot(python(code)) as bot, pytest.raises(Fault) as failure:
        bot.read_line(0.5 if kind == "late" else 10)

    assert failure.value.kind == kind


def test_a_bot_that_never_reads_cannot_block_the_referee() -> None:
    with Bot(python("import time; time.sleep(60)")) as bot, pytest.raises(Fault) as failure:
        bot.send("x" * 10_000_000, 0.5)

    assert failure.value.kind == "late"


def test_a_bot_that_closes_its_input_keeps_playing() -> None:
    code = "import os, time; os.close(0); print(1); print(2); time.sleep(60)"
    with Bot(python(code)) as bot:
        assert bot.read_line(10) == "1"
        assert bot.ask("x" * 1_000_000, 10) == "2"


def test_what_a_bot_printed_before_it_ended_are_its_answers() -> None:
    with Bot(python("print(1); print(2); exit(3)")) as bot:
        assert bot.wait_for_end(20) == 3

        assert [bot.ask("x\n", 10), bot.ask("x\n", 10)] == ["1", "2"]
        with pytest.raises(Fault, match="exited with status 3"):
            bot.ask("x\n", 10)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("#!/bin/sh\r", "its first line ends in a carriage return"),
        ("#!/usr/bin/env sh\r", "its first line ends in a carriage return"),
        ("#! /no/such/perl -w", "its first line asks for '/no/such/perl', which does not exist"),
        ("#!/usr/bin/env no-such", "its first line asks for 'no-such', which does not exist"),
        ("#!/bin/sh -e", ""),
        ("#!/usr/bin/env -S sh -e", ""),
        ("echo 1", ""),
    ],
)
def test_a_script_without_its_interpreter_says_so(tmp_path: Path, first: str, said: str) -> None:
    script = tmp_path / "bot"
    script.write_text(f"{first}\necho 1\n")
    script.chmod(0o755)

    assert explain_script("./bot", tmp_path).startswith(said)
    assert bool(explain_script("./bot", tmp_path)) == bool(said)


def test_a_bot_without_its_interpreter_does_not_start(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\r\nread line\r\necho 0 0 0 0\r\n")
    script.chmod(0o755)

    with pytest.raises(BotError, match="carriage return"):
        Bot([str(script)])


@pytest.mark.parametrize(
    ("printed", "said", "kept"),
    [
        (r"\n0 0 1 1\n", "answered '', not a move", ""),
        ("%300s0 0 1 1", "answered with a line of 307 characters, but only 200 are allowed", ""),
        ("hello", "answered 'hello', not a move", "hello"),
    ],
)
def test_the_first_line_is_the_answer(printed: str, said: str, kept: str) -> None:
    def reads(line: str) -> str:
        return "" if line == "0 0 1 1" else "a move"

    with pytest.raises(Fault) as failure:
        run_command(f"printf '{printed}' ''; #", "", 20, 20, reads)

    assert (failure.value.kind, failure.value.detail) == ("garbage", said)
    assert failure.value.answer == kept


def test_the_children_of_a_bot_end_with_it(tmp_path: Path) -> None:
    sign = tmp_path / "alive"
    child = f"import time, pathlib\nwhile 1: pathlib.Path({str(sign)!r}).touch(); time.sleep(.01)"
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    code = f"{start}; print(input())"
    with Bot(python(code)) as bot:
        bot.send("hello\n", 5)
        bot.read_line(5)
        while not sign.exists():
            time.sleep(0.01)

    sign.unlink(missing_ok=True)
    time.sleep(0.2)
    assert not sign.exists()


def start_child(seconds: str, *, new_session: bool = True) -> str:
    options = f"stdin=subprocess.DEVNULL, start_new_session={new_session}"
    return f"import subprocess; subprocess.Popen(['sleep', {seconds!r}], {options})"


def test_a_child_in_a_session_of_its_own_ends_with_the_bot() -> None:
    seconds = new_seconds()
    with Bot(python(f"{start_child(seconds)}; print(input()); input()")) as bot:
        bot.ask("hello\n", 10)
        assert runs(f"sleep {seconds}")

    assert not runs(f"sleep {seconds}")


def test_other_processes_of_ours_live_on_when_a_bot_ends() -> None:
    with subprocess.Popen(["sleep", "61.5"]) as other:
        with Bot(["true"]):
            pass

        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize("where", ["open", pytest.param("sandbox", marks=sandboxed)])
def test_what_outlives_us_when_we_are_killed(where: str, tmp_path: Path) -> None:
    # It ignores its input, and what asks it to end; the child has a session of its own.
    rest = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)"
    )
    child, own = new_seconds(), new_seconds()
    code = f"{start_child(child)}; {rest}; time.sleep({own})"
    script = (
        "from pathlib import Path; import sys\n"
        "from kb_score.shell.bots import Bot, Bounds, Setting\n"
        f"folder = Path({str(tmp_path)!r}) if {where == 'sandbox'} else None\n"
        "setting = Setting(bounds=Bounds(folder))\n"
        "with Bot([sys.executable, '-c', sys.argv[1]], setting) as bot:"
        " bot.read_line(20); print('ready', flush=True); bot.read_line(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, code], stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.kill()

    left = [f"time.sleep({own})", *([f"sleep {child}"] if where == "sandbox" else [])]
    assert wait_until(lambda: not any(map(runs, left)), 10)
    subprocess.run(["pkill", "-f", f"sleep {child}"], check=False)


@sandboxed
def test_a_bot_in_a_sandbox_writes_to_its_folder_alone_and_reaches_nobody(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
    code = """
import os, pathlib, socket, sys, tempfile
def attempt(act):
    try: act()
    except OSError: return "no"
    return "yes"
print(
    attempt(lambda: pathlib.Path(sys.argv[1], "a").touch()),
    attempt(lambda: pathlib.Path(sys.argv[2], "a").touch()),
    attempt(lambda: tempfile.TemporaryFile()),
    attempt(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])), 5)),
    len([name for name in os.listdir("/proc") if name.isdigit()]) < 5,
    flush=True,
)
input()
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [*python(code), str(own), str(other), str(server.getsockname()[1])]
        with Bot(words, Setting(folder=own, bounds=Bounds(own))) as bot:
            assert bot.read_line(20) == "yes no yes no True"
        with Bot(words, Setting(folder=own)) as bot:
            assert bot.read_line(20) == "yes yes yes yes False"


@sandboxed
def test_a_bot_in_a_sandbox_leaves_nothing_that_forks_detaches_or_floods(tmp_path: Path) -> None:
    fork = "import os; [os.fork() for _ in range(4)]; os.setsid() if os.getpid() != 2 else 0"
    flood = "while True: print('x' * 10**6)"
    seconds = new_seconds()
    wait = f"import time; time.sleep({seconds})"
    for code in (f"{fork}; {wait}", f"{fork}; seconds = {seconds}\n{flood}"):
        with Bot(python(code), Setting(bounds=Bounds(tmp_path))) as bot, pytest.raises(Fault):
            bot.read_line(1.0)

        assert not runs(seconds)


@pytest.mark.parametrize(
    ("bounds", "code", "said"),
    [
        pytest.param(Bounds(memory=256), "bytearray(1 << 29)", "MemoryError", id="memory"),
        pytest.param(Bounds(seconds=1), "while 1: pass", "was killed by signal", id="processor"),
        pytest.param(
            Bounds(memory=256),
            "subprocess.run([sys.executable, '-c', 'bytearray(1 << 29)'], check=True)",
            "MemoryError",
            id="child",
        ),
    ],
)
def test_a_bot_is_kept_to_its_bounds(bounds: Bounds, code: str, said: str) -> None:
    words = python(f"import subprocess, sys\n{code}")
    with Bot(words, Setting(bounds=bounds)) as bot, pytest.raises(Fault) as failure:
        bot.read_line(30)

    assert failure.value.kind == "crashed"
    assert said in str(failure.value) + failure.value.words


def test_a_bot_that_ended_is_told_at_once_though_its_child_holds_its_output() -> None:
    code = f"print(1, flush=True); {start_child('62', new_session=False)}; exit(3)"
    with Bot(python(code)) as bot:
        assert bot.ask("x\n", 30) == "1"
        with pytest.raises(Fault, match="exited with status 3") as failure:
            bot.ask("x\n", 30)

    assert failure.value.kind == "crashed"


def test_the_last_words_of_a_bot_are_told_when_it_fails() -> None:
    code = "import sys; sys.stderr.write('x' * 10**7 + '\\n\\x1b[31mlast\\n'); exit(1)"
    with Bot(python(code)) as bot, pytest.raises(Fault) as failure:
        bot.read_line(30)

    told = str(failure.value)
    assert told.startswith("exited with status 1\n    | xxx")
    assert told.endswith("\n    | \\x1b[31mlast")
    assert len(told) < MAX_ERROR_BYTES + 100


def test_what_a_bot_says_goes_to_its_file(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    command = python("import sys; sys.stderr.write('why')")
    with Bot(command, Setting(log=log)) as bot, pytest.raises(Fault) as failure:
        bot.read_line(30)

    assert log.read_text() == "why"
    assert str(failure.value) == f"exited with status 0\n    its error stream is in {log}"


@pytest.mark.parametrize("way", ["anew", "ended", "waited-for"])
def test_nobody_else_can_have_the_number_whose_group_is_killed(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill, ours = os.killpg, list[int]()

    def kill_if_ours(group: int, request: int) -> None:
        # What has been waited for is nobody's child: its number may be another program's.
        assert os.waitid(os.P_PID, group, os.WEXITED | os.WNOWAIT) is not None
        ours.append(group)
        kill(group, request)

    monkeypatch.setattr(os, "killpg", kill_if_ours)
    if way == "anew":
        assert run_command("printf '1\\n' #", "", 5, 5, lambda _: "") == "1"
    else:
        with Bot(["sh", "-c", "exit 3"]) as bot:
            if way == "waited-for":
                assert bot.wait_for_end(5) == 3
            with pytest.raises(Fault, match="exited with status 3"):
                bot.read_line(5)

    assert ours
