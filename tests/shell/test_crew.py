"""Many tasks by processes of this machine: order, memory, and processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from kb_score.errors import InputError
from kb_score.shell.crew import TaskLost, open_crew, run_ordered, run_unordered
from tests.helpers import ROOT
from tests.shell import tasks


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_gone(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_results_come_in_order() -> None:
    with open_crew(2) as crew:
        assert crew.slots == 2
        found = list(run_ordered(crew, tasks.sleep, [0.2, 0.0, 0.1, 0.0]))

    assert found == [(0.2, 0.2), (0.0, 0.0), (0.1, 0.1), (0.0, 0.0)]


def test_results_come_as_they_are_done() -> None:
    with open_crew(2) as crew:
        found = list(run_unordered(crew, tasks.sleep, [0.6, 0.0, 0.1]))

    assert [item for item, _ in found] == [0.0, 0.1, 0.6]


@pytest.mark.parametrize("run", [run_ordered, run_unordered])
def test_of_tasks_without_end_only_a_window_is_drawn(
    run: Callable[..., Iterator[tuple[int, int]]],
) -> None:
    drawn = 0

    def draw() -> Iterator[int]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    with open_crew(2) as crew, closing(run(crew, tasks.double, draw())) as results:  # type: ignore[type-var]
        found = dict(islice(results, 50))

    assert found == {number: 2 * number for number in found}
    assert 50 <= drawn <= 56


def test_a_mistake_in_the_input_of_a_task_is_raised() -> None:
    with open_crew(2) as crew, pytest.raises(InputError, match="task: refuses 3"):
        list(run_ordered(crew, tasks.refuse, [3]))


def test_what_a_killed_process_took_with_it_is_done_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with open_crew(2) as crew:
        found = list(run_unordered(crew, tasks.kill_once, [(n, trace) for n in range(20)]))

    assert sorted(str(result) for _, result in found) == sorted(map(str, range(20)))


def test_a_task_that_kills_its_process_three_times_is_given_up_and_no_other() -> None:
    with open_crew(2) as crew:
        todo = ((number, 7) for number in range(20))
        found = dict(run_ordered(crew, tasks.kill_at, todo, name=lambda task: f"no. {task[0]}"))

    lost = found.pop((7, 7))
    assert isinstance(lost, TaskLost)
    assert str(lost) == ("no. 7: given up: the processes at work on it were killed, 3 in all")
    assert list(found.values()) == [number for number in range(20) if number != 7]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what belongs to a process")
def test_a_killed_process_has_its_own_bots_ended_and_its_own_folders_removed(
    tmp_path: Path,
) -> None:
    told = [tmp_path / "first", tmp_path / "second"]

    def look() -> tuple[list[str], str]:
        with open_crew(2) as crew, open_crew(1) as other:
            other.submit(tasks.run_bot, (told[1], False))
            crew.submit(tasks.run_bot, (told[0], False))
            assert wait_until(lambda: all(path.exists() for path in told))
            (worker, *bots, folder), (other_worker, *others, their_folder) = map(read_told, told)
            os.kill(int(worker), signal.SIGKILL)

            assert wait_until(lambda: all(is_gone(int(bot)) for bot in bots))
            assert wait_until(lambda: not Path(folder).exists())
            time.sleep(0.3)
            assert not any(is_gone(int(bot)) for bot in others)
            assert Path(their_folder).exists()
            os.kill(int(other_worker), signal.SIGKILL)
        return others, their_folder

    others, their_folder = look()
    assert wait_until(lambda: all(is_gone(int(bot)) for bot in others))
    assert wait_until(lambda: not Path(their_folder).exists())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what belongs to a process")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP", "parent"])
def test_a_process_that_ends_leaves_nothing_behind(number: str, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = (
        "import signal, sys, pathlib\n"
        "from kb_score.shell.crew import open_crew\n"
        "from tests.shell import tasks\n"
        # Whatever handles signals here, workers are to end at one.
        "for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(n, print)\n"
        "with open_crew(1) as crew:\n"
        "    crew.submit(tasks.run_bot, (pathlib.Path(sys.argv[1]), False)).exception()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", script, str(told)], env=environment) as process:
        assert wait_until(told.exists)
        worker, *bots, folder = read_told(told)
        if number == "parent":
            process.kill()
        else:
            os.kill(int(worker), getattr(signal, number))
        assert wait_until(lambda: all(is_gone(int(one)) for one in (worker, *bots)), 5)
        assert wait_until(lambda: not Path(folder).exists(), 5)


def read_told(path: Path) -> list[str]:
    return path.read_text().split()
