"""Many tasks by processes of this machine: order, memory, and processes that are killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from kb_score.errors import InputError
from kb_score.shell.cluster import open_pool
from kb_score.shell.pool import TaskLost, Workers, run_tasks
from tests.shell import tasks
from tests.shell.processes import ENVIRONMENT, all_gone, is_gone, run_script, wait_until


def test_results_come_in_order() -> None:
    with open_pool(2) as pool:
        assert pool.slots == 2
        found = list(run_tasks(pool, tasks.sleep, [0.2, 0.0, 0.1, 0.0]))

    assert found == [(0.2, 0.2), (0.0, 0.0), (0.1, 0.1), (0.0, 0.0)]


def test_results_come_as_they_are_done() -> None:
    with open_pool(2) as pool:
        found = list(run_tasks(pool, tasks.sleep, [0.6, 0.0, 0.1], ordered=False))

    assert [item for item, _ in found] == [0.0, 0.1, 0.6]


LOCKED = """
import sys
from pathlib import Path

from kb_score.shell.pool import Workers, run_tasks
from tests.shell import tasks

trace = Path(sys.argv[1])
with Workers(2) as pool:
    done = run_tasks(pool, tasks.kill_with_lock, [(number, trace) for number in range(12)])
    print(*(result for _, result in done))
"""


def test_a_process_that_is_killed_while_it_sends_a_result_blocks_no_other(tmp_path: Path) -> None:
    status, found, problem = run_script(LOCKED, tmp_path / "trace")

    assert (status, problem) == (0, "")
    assert found.split() == [str(number) for number in range(12)]


@pytest.mark.parametrize("ordered", [True, False])
def test_of_tasks_without_end_only_a_window_is_drawn(ordered: bool) -> None:
    drawn = 0

    def draw() -> Iterator[int]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    with (
        open_pool(2) as pool,
        closing(run_tasks(pool, tasks.double, draw(), ordered=ordered)) as results,
    ):
        found = dict(islice(results, 50))

    assert found == {number: 2 * number for number in found}
    assert 50 <= drawn <= 56


def test_a_mistake_in_the_input_of_a_task_is_raised() -> None:
    with open_pool(2) as pool, pytest.raises(InputError, match="task: refuses 3"):
        list(run_tasks(pool, tasks.refuse, [3]))


def test_what_a_killed_process_took_with_it_is_done_again(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with open_pool(2) as pool:
        found = list(
            run_tasks(pool, tasks.kill_once, [(n, trace) for n in range(20)], ordered=False)
        )

    assert sorted(str(result) for _, result in found) == sorted(map(str, range(20)))


@pytest.mark.slow
def test_a_task_that_kills_its_process_twice_is_given_up_and_no_other() -> None:
    with open_pool(2) as pool:
        todo = ((number, 7) for number in range(20))
        found = dict(run_tasks(pool, tasks.kill_at, todo, name=lambda task: f"no. {task[0]}"))

    lost = found.pop((7, 7))
    assert isinstance(lost, TaskLost)
    assert str(lost) == "no. 7: given up: all processes that worked on it were killed (2)"
    assert list(found.values()) == [number for number in range(20) if number != 7]


linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells what belongs to a process"
)


@linux
def test_the_bot_of_a_worker_that_is_killed_ends_and_no_other(tmp_path: Path) -> None:
    told = [tmp_path / "first", tmp_path / "second"]
    with open_pool(2) as pool, open_pool(1) as other:
        other.submit(tasks.run_bot, told[1])
        pool.submit(tasks.run_bot, told[0])
        assert wait_until(lambda: all(path.exists() for path in told))
        (worker, bot, child), (other_worker, *others) = map(read_told, told)
        try:
            os.kill(worker, signal.SIGKILL)
            assert wait_until(lambda: is_gone(bot))
            time.sleep(0.3)
            assert not any(map(is_gone, others))
        finally:
            os.kill(child, signal.SIGKILL)  # in a session of its own, it lives on
        os.kill(other_worker, signal.SIGTERM)

    assert all_gone(others, 20)


@linux
@pytest.mark.parametrize("number", ["SIGTERM", "parent"])
def test_a_worker_that_ends_ends_its_bots(number: str, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = (
        "import signal, sys, pathlib\n"
        "from kb_score.shell.cluster import open_pool\n"
        "from tests.shell import tasks\n"
        # Whatever handles signals here, workers are to end at one.
        "for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(n, print)\n"
        "with open_pool(1) as pool:\n"
        "    pool.submit(tasks.run_bot, pathlib.Path(sys.argv[1])).exception()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(told)], env=ENVIRONMENT) as process:
        assert wait_until(told.exists)
        worker, bot, child = read_told(told)
        if number == "parent":
            process.kill()
        else:
            os.kill(worker, getattr(signal, number))
        assert all_gone((worker, bot, child), 5)


def test_what_a_worker_has_started_that_does_not_end_in_time_is_ended(tmp_path: Path) -> None:
    told = tmp_path / "told"

    def give_up() -> None:
        with Workers(1) as workers:
            workers.submit(tasks.stay, told)
            assert wait_until(told.exists)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        give_up()

    assert all_gone(read_told(told), 5)


def read_told(path: Path) -> list[int]:
    return [int(word) for word in path.read_text().split()]


@pytest.mark.slow
def test_workers_that_are_given_up_leave_no_process_and_no_thread() -> None:
    threads = threading.active_count()
    start = time.monotonic()

    def give_up() -> None:
        with Workers(2) as workers:
            for _ in range(4):
                workers.submit(time.sleep, 60)
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            give_up()
        assert threading.active_count() == threads
        assert multiprocessing.active_children() == []
    assert time.monotonic() - start < 10


def test_what_a_killed_process_has_put_into_temporary_folders_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_pool(1) as pool:
        list(run_tasks(pool, tasks.leave_folder, [(1, tmp_path / "trace")]))
        assert list(tmp_path.rglob("left"))

    assert [path.name for path in tmp_path.iterdir()] == ["trace"]
