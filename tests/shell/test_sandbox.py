"""What a program sees in the sandbox, and what it needs there: these tests only look."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from kb_score.shell.bots import Bot, Setting, run_command, start_command
from kb_score.shell.process import Bounds, explain_unreachable, list_words
from kb_score.shell.sandbox import list_needed
from tests.helpers import sandboxed

pytestmark = sandboxed

# Prints what the program sees, as JSON: status of the process, mounts, namespaces, environment.
LOOK = """
import json, os, socket, sys
status = dict(line.rstrip().split(":", 1) for line in open("/proc/self/status"))
mounts = {}
for line in open("/proc/self/mountinfo"):
    words = line.split()
    mounts[words[4]] = [words[5].split(",")[0], words[words.index("-") + 1]]
print(json.dumps({
    "capabilities": [status[name].strip() for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")],
    "privileges": status["NoNewPrivs"].strip(),
    "mounts": mounts,
    "namespaces": {n: os.readlink(f"/proc/self/ns/{n}") for n in os.listdir("/proc/self/ns")},
    "host": socket.gethostname(),
    "environment": dict(os.environ),
    "folders": {name: os.listdir(name) for name in ("/run", "/tmp")},
    "there": [os.path.exists(path) for path in sys.argv[1:]],
}), flush=True)
"""


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    # In a folder that a sandbox hides, wherever the other tests have theirs.
    with TemporaryDirectory(dir="/tmp", prefix="kb-score-test-") as name:
        yield Path(name).resolve()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


def look(own: Path, *paths: Path, folder: Path | None = None) -> dict[str, Any]:
    """Return what a program sees that has a folder of its own."""
    words = [sys.executable, "-c", LOOK, *map(str, paths)]
    setting = Setting(folder=folder or own, bounds=Bounds(own))
    with Bot(words, setting, named=words[:1]) as bot:
        seen: dict[str, Any] = json.loads(bot.read_line(20))
    return seen


def test_a_program_has_no_rights_and_writes_to_its_own_folders_alone(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "DOCKER_HOST")
    for name in (*names, "MINE"):
        monkeypatch.setenv(name, "/run/user/0/x")

    seen = look(own)

    assert [int(value, 16) for value in seen["capabilities"]] == [0, 0, 0, 0]
    assert seen["privileges"] == "1"
    mounts = seen["mounts"]
    assert mounts["/"][0] == "ro"
    assert mounts["/proc/sys"][0] == "ro"
    assert mounts["/run"] == ["rw", "tmpfs"]
    assert mounts["/tmp"] == ["rw", "tmpfs"]
    assert mounts[str(own.resolve())][0] == "rw"
    assert not [
        name
        for name, (mode, _) in mounts.items()
        if mode != "ro"
        and name.split("/")[1] not in ("proc", "dev")
        and name not in ("/run", "/tmp", str(own.resolve()))
    ]
    # Namespaces and a name of the host are its own; variables that name sockets are not set.
    for name in ("ipc", "mnt", "net", "pid", "uts"):
        assert seen["namespaces"][name] != str(Path(f"/proc/self/ns/{name}").readlink())
    assert seen["host"] == "sandbox" != socket.gethostname()
    assert seen["environment"]["MINE"] == "/run/user/0/x"
    assert not set(names) & set(seen["environment"])


def test_of_temporary_folders_a_program_sees_its_own_and_its_interpreter(
    own: Path, tmp_path: Path
) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "file").touch()
    (own / "file").touch()

    seen = look(own, own / "file", beside, beside / "file", Path(sys.executable))

    assert seen["there"] == [True, False, False, True]
    allowed = {path.parts[2] for path in (own, own.resolve(), Path(sys.executable))}
    assert set(seen["folders"]["/tmp"]) <= allowed
    assert seen["environment"]["TMPDIR"] == str(own)


def test_sockets_and_pipes_of_others_are_out_of_reach(own: Path, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    pipe, path = beside / "pipe", beside / "socket"
    os.mkfifo(pipe)
    code = """
import os, socket, sys
def attempt(act):
    try: act()
    except OSError as error: return type(error).__name__
    return "yes"
print(
    attempt(lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[1])),
    attempt(lambda: os.open(sys.argv[2], os.O_RDWR | os.O_NONBLOCK)),
    flush=True,
)
"""
    words = [sys.executable, "-c", code, str(path), str(pipe)]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        with Bot(words, Setting(folder=own)) as bot:
            assert bot.read_line(20) == "yes yes"
        with Bot(words, Setting(folder=own, bounds=Bounds(own))) as bot:
            assert bot.read_line(20) == "FileNotFoundError FileNotFoundError"


def test_what_a_program_writes_to_its_temporary_folders_is_not_seen_outside(own: Path) -> None:
    code = "open('/tmp/kb-score-test-file', 'w').write('x'); print(1, flush=True)"
    with Bot([sys.executable, "-c", code], Setting(folder=own, bounds=Bounds(own))) as bot:
        assert bot.read_line(20) == "1"
        assert not Path("/tmp/kb-score-test-file").exists()


def write_script(path: Path, first_line: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\nprint('here', flush=True)\n")
    path.chmod(0o755)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("way", ["interpreter", "env", "link", "word"])
def test_a_program_is_there_with_its_interpreter(
    way: str, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter = tmp_path / "python" / "bin" / "python-of-mine"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{interpreter.parent}:{os.environ['PATH']}")
    first_lines = {"env": "#!/usr/bin/env python-of-mine", "word": ""}
    program = write_script(tmp_path / "else" / "bot", first_lines.get(way, f"#!{interpreter}"))
    words = [str(program)]
    if way == "link":
        (own / "bot").symlink_to(program)
        words = ["./bot"]
    if way == "word":
        words = ["python-of-mine", str(program)]
    setting = Setting(folder=own, bounds=Bounds(own))

    with Bot(words, setting) as bot:
        assert bot.read_line(20) == "here"
    with start_command(" ".join(words), setting) as bot:
        assert bot.read_line(20) == "here"
    answer = run_command(f"{' '.join(words)} #", "", 20, 20, lambda _: "", setting)
    assert answer == "here"


def test_a_program_runs_in_a_folder_that_it_cannot_write_to(own: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    seen = look(own, Path("file"), folder=tmp_path)

    assert seen["there"] == [True]
    assert seen["mounts"][str(tmp_path.resolve())][0] == "ro"
    assert seen["mounts"][str(own.resolve())][0] == "rw"


def test_files_are_needed_with_what_links_lead_to(own: Path, tmp_path: Path) -> None:
    target = write_script(tmp_path / "target", "#!/bin/sh")
    (own / "middle").symlink_to("../target")
    (own / "first").symlink_to("middle")
    (own / "loop").symlink_to("loop")

    needed = list_needed(["first", "loop", "none", "x" * 5000, "\0", str(tmp_path)], own)

    assert set(needed) >= {own, own / "first", own / "middle", target, Path("/bin/sh").resolve()}
    assert own / "loop" not in needed
    assert tmp_path not in needed


def test_the_words_of_a_command_for_the_shell_are_found() -> None:
    command = "X=1 exec /a/b 'c d' <e|f;(g) # h"

    assert {"X=1", "exec", "/a/b", "c d", "e", "f", "g", "h"} <= set(list_words(command))
    assert list_words("it's /a/b") == ("it's", "/a/b")


@pytest.mark.parametrize("folder", ["/", "/tmp", "/run"])
def test_no_program_has_a_folder_of_its_own_that_opens_what_is_hidden(folder: str) -> None:
    reason = explain_unreachable(["sh"], Path(folder), Path(folder))

    assert reason.startswith(f"its own folder {folder} contains /")
    assert reason.endswith(", which is hidden there: run it in another folder")


def test_no_program_runs_in_a_folder_that_is_hidden() -> None:
    assert explain_unreachable(["sh"], Path("/tmp")) == (
        "/tmp is empty there: run it in another folder"
    )
    assert explain_unreachable(["sh"], Path("/tmp"), copied=True) == ""


def test_what_cannot_be_reached_is_named(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write_script(own / "bot", "#!/bin/sh")
    assert explain_unreachable([str(program)], own, own) == ""

    # As where a folder belongs to somebody whose files only root with all capabilities can read.
    monkeypatch.setattr("kb_score.shell.sandbox._choose_shown", lambda *_: [])

    assert explain_unreachable([str(program)], own, own) == f"{own} cannot be reached there"


@pytest.mark.skipif(os.geteuid() != 0, reason="others cannot give a folder away")
def test_without_capabilities_root_cannot_read_what_is_private_to_others(own: Path) -> None:
    program = write_script(own / "private" / "bot", "#!/bin/sh")
    assert explain_unreachable([str(program)], own, own) == ""
    os.chown(program.parent, 65534, 65534)
    program.parent.chmod(0o700)
    bound = explain_unreachable([str(program)], own, own)

    assert bound == f"{program} cannot be reached there"


def test_a_copied_folder_need_not_be_reached(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(own / "bot", "#!/bin/sh")
    monkeypatch.setattr("kb_score.shell.sandbox._choose_shown", lambda *_: [])

    assert explain_unreachable(["./bot"], own, copied=True) == ""


def test_a_program_has_its_libraries_where_it_is_in_a_temporary_folder(
    own: Path, tmp_path: Path
) -> None:
    program = tmp_path / "python" / "bin" / "program"
    program.parent.mkdir(parents=True)
    shutil.copy("/bin/sh", program)
    (tmp_path / "python" / "lib").mkdir()
    (tmp_path / "python" / "lib" / "library").write_text("here\n")
    words = [str(program), "-c", 'read -r line <"$0" && echo "$line"']

    with Bot(
        [*words, str(tmp_path / "python" / "lib" / "library")],
        Setting(bounds=Bounds(own)),
        named=words[:1],
    ) as bot:
        assert bot.read_line(20) == "here"
