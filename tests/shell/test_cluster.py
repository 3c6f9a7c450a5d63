"""Many tasks by the workers of a Dask cluster: as locally, whatever happens to workers."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_score.errors import InputError
from kb_score.shell.crew import TaskLost, open_crew, run_ordered, run_unordered
from kb_score.shell.parcels import pack_files, pack_folder
from tests.helpers import EXAMPLE, ROOT, SMALL, run_process
from tests.shell import tasks
from tests.shell.dask import Loopback, open_loopback

if not os.environ.get("KB_SCORE_EXTRAS"):
    pytest.importorskip("distributed", reason="needs the extra kb-score[cluster]")

# What Dask's own threads leave open at their end is not ours to close.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    with open_loopback(tmp_path_factory.mktemp("dask"), 2) as found:
        yield found


def test_results_come_in_order(loopback: Loopback) -> None:
    with open_crew(1, loopback.address) as crew:
        found = list(run_ordered(crew, tasks.double, range(100)))

    assert found == [(number, 2 * number) for number in range(100)]


def test_results_come_as_they_are_done(tmp_path: Path) -> None:
    with open_loopback(tmp_path, 1) as loopback:
        loopback.add_worker()
        with open_crew(1, loopback.address) as crew:
            while crew.slots < 2:
                time.sleep(0.1)
            found = list(run_unordered(crew, tasks.sleep, [1.0, 0.1]))

    assert found == [(0.1, 0.1), (1.0, 1.0)]


def test_a_mistake_in_the_input_of_a_task_is_raised(loopback: Loopback) -> None:
    with open_crew(1, loopback.address) as crew, pytest.raises(InputError, match="refuses 3"):
        list(run_ordered(crew, tasks.refuse, [3]))


def test_a_task_that_kills_its_workers_is_given_up_and_no_other(loopback: Loopback) -> None:
    with open_crew(1, loopback.address) as crew:
        todo = ((number, 3) for number in range(12))
        found = dict(run_unordered(crew, tasks.kill_at, todo, name=lambda task: f"no. {task[0]}"))

    lost = found.pop((3, 3))
    assert isinstance(lost, TaskLost)
    assert str(lost).startswith("no. 3: given up: the processes at work on it were killed")
    assert sorted(map(str, found.values())) == sorted(str(n) for n in range(12) if n != 3)


def test_a_worker_that_dies_loses_nothing_and_nothing_counts_twice(tmp_path: Path) -> None:
    with open_loopback(tmp_path, 1) as loopback:
        mortal = loopback.add_worker("--no-nanny")
        with open_crew(1, loopback.address) as crew:
            while crew.slots < 2:
                time.sleep(0.1)
            found = []
            for number, result in run_unordered(crew, tasks.sleep, [n / 10000 for n in range(200)]):
                found.append((number, result))
                if len(found) == 50:
                    mortal.kill()

    assert sorted(found) == [(n / 10000, n / 10000) for n in range(200)]


def test_folders_travel_by_content_and_words_speak_of_the_one_here(
    loopback: Loopback, tmp_path: Path
) -> None:
    (tmp_path / "a.lp").write_text("a.")
    parcel = pack_folder(tmp_path)
    with open_crew(1, loopback.address) as crew:
        todo = [(parcel, "a.lp")] * 8
        found = [result for _, result in run_unordered(crew, tasks.read_parcel, todo)]
        folders = {tmp_path: pack_files(tmp_path, [tmp_path / "a.lp"])}
        with pytest.raises(InputError) as raised:
            list(run_ordered(crew, tasks.blame, [tmp_path], folders=folders))

    assert {result[0] for result in found if not isinstance(result, TaskLost)} == {"a."}
    # Each of the two workers has unpacked it once.
    assert 1 <= len({result[1] for result in found if not isinstance(result, TaskLost)}) <= 2
    assert str(raised.value) == f"{tmp_path}/a.lp: is wrong"


def test_a_worker_of_another_version_is_an_error_that_names_both(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in ("kb_score", "asp", "parsers"):
        shutil.copytree(ROOT / name, other / name)
    init = other / "kb_score" / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "', '__version__ = "9.'))
    with open_loopback(tmp_path, 0) as loopback:
        loopback.add_worker(environment={"PYTHONPATH": str(other)})
        with pytest.raises(InputError, match=r"runs kb-score 9\.\d.*but here is kb-score \d"):
            open_crew(1, loopback.address).__enter__()


def test_a_worker_of_another_version_that_comes_later_is_told(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in ("kb_score", "asp", "parsers", "tests"):
        shutil.copytree(ROOT / name, other / name)
    (other / "asp" / "slime" / "more.lp").write_text("% Another rule.\n")
    with open_loopback(tmp_path, 1) as loopback, open_crew(1, loopback.address) as crew:

        def play() -> None:
            for done, _ in enumerate(run_unordered(crew, tasks.sleep, [0.05] * 2000)):
                if done == 5:
                    loopback.add_worker(environment={"PYTHONPATH": str(other)})

        with pytest.raises(InputError, match=r"a worker: it runs kb-score .*, but here is"):
            play()


def test_a_cluster_without_a_worker_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_score.shell.cluster._CONNECT", 2.0)
    hint = "the scheduler has no worker: start one with: dask worker"
    with open_loopback(tmp_path, 0) as loopback:
        time.sleep(2)  # the scheduler takes its time to start
        with pytest.raises(InputError, match=hint):
            open_crew(1, loopback.address).__enter__()


@pytest.mark.parametrize(
    ("address", "says"),
    [
        pytest.param("nonsense", "missing port", id="no-port"),
        pytest.param("", "missing port", id="empty"),
        pytest.param("what://here:1", "unknown address scheme", id="scheme"),
        pytest.param("tcp://127.0.0.1:1", "no scheduler of Dask answers", id="nobody"),
    ],
)
def test_an_address_that_does_not_answer_is_told(
    address: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_score.shell.cluster._CONNECT", 1.0)
    with pytest.raises(InputError, match=says):
        open_crew(1, address).__enter__()


def test_what_is_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb_score.shell.cluster._CONNECT", 1.0)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(InputError, match="nothing within 1 seconds"):
            open_crew(1, f"tcp://127.0.0.1:{silent.getsockname()[1]}").__enter__()


def test_who_has_no_dask_is_told_what_to_install() -> None:
    script = (
        "import sys\n"
        "sys.modules['distributed'] = None\n"
        "from kb_score.cli import main\n"
        f"sys.argv[1:] = ['score', {str(EXAMPLE)!r}, '--scheduler', 'tcp://127.0.0.1:1']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert (done.returncode, done.stderr) == (
        2,
        "--scheduler: distributed is not installed: pip install 'kb-score[cluster]'\n",
    )


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_command_soon_and_what_is_queued(
    number: str, loopback: Loopback, tmp_path: Path
) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n".join([EXAMPLE.read_text()] * 1000))
    words = ["-m", "kb_score", "score", str(path), "--scheduler", loopback.address]
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        sent = time.monotonic()
        process.send_signal(getattr(signal, number))
        process.stdout.read()
        status = process.wait()
        took = time.monotonic() - sent
        assert process.stderr is not None
        said = process.stderr.read()

    assert (status, said) == (128 + getattr(signal, number), b"")
    assert took < 10
    # The workers are free for others.
    with open_crew(1, loopback.address) as crew:
        began = time.monotonic()
        assert list(run_ordered(crew, tasks.double, [4])) == [(4, 8)]
        assert time.monotonic() - began < 5


def test_boards_have_the_same_scores_on_a_cluster(loopback: Loopback, tmp_path: Path) -> None:
    boards = tmp_path / "boards.txt"
    boards.write_text("\n".join([EXAMPLE.read_text(), "bad\n", SMALL, EXAMPLE.read_text()] * 12))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "frontier.lp").write_text(
        'card(frontier, 12, "1 gold for each"). gold(frontier, P, hex(R,C), 1) :- '
        "settlement(P,R,C).\n"
    )
    words = "score", boards, "--rules", "more", "--format", "json"

    here = run_process(*words, folder=tmp_path)
    there = run_process(*words, "--scheduler", loopback.address, folder=tmp_path)

    assert here.status == 2
    assert '"frontier"' in here.out
    assert (there.status, there.out) == (here.status, here.out)
    # Boards are read ahead, and what is wrong with one is told at once.
    assert sorted(there.err.splitlines()) == sorted(here.err.splitlines())


def test_records_have_the_same_verdicts_on_a_cluster(loopback: Loopback) -> None:
    maps, records = "boards/search_party/maps", "boards/search_party/records"
    words = "check", "search-party", f"{maps}/meadow.txt", f"{records}/meadow", "nowhere.txt"

    here = run_process(*words)
    there = run_process(*words, "--scheduler", loopback.address)

    assert here.status == 2
    assert here.out.count("consistent with the rules") > 4
    assert there == here


def test_what_goes_wrong_in_rules_is_told_as_here(loopback: Loopback, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "choice.lp").write_text("{ strange }. :- settlement(1,_,_), strange.\n")
    words = "check", "slime", "boards/slime/session.txt", "--rules", tmp_path / "more"

    here = run_process(*words)
    there = run_process(*words, "--scheduler", loopback.address)

    assert here.status == 2
    assert there == here


def test_a_scheduler_that_does_not_answer_is_told_before_the_first_board() -> None:
    ran = run_process("score", EXAMPLE, "--scheduler", "127.0.0.1")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "127.0.0.1: no scheduler of Dask answers here: missing port number in address '127.0.0.1'\n"
    )


def test_a_scheduler_that_ends_is_told(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n".join([EXAMPLE.read_text()] * 1000))
    with open_loopback(tmp_path, 1) as loopback:
        words = ["-m", "kb_score", "score", str(path), "--scheduler", loopback.address]
        with subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            loopback.scheduler.kill()
            _, said = process.communicate(timeout=60)

    gone = f"{loopback.address}: the scheduler is gone, and what was under way with it\n"
    assert (process.returncode, said.decode()) == (2, gone)


def test_many_boards_take_little_memory_here(loopback: Loopback, tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("\n".join([SMALL] * 2000))
    script = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from kb_score.cli import main\n"
        "ran = CliRunner().invoke(main, sys.argv[1:])\n"
        # What getrusage tells of a child begins with the peak of its parent.
        "from benchmarks.measure import own_peak_memory\n"
        "print(ran.exit_code, ran.output.count('\\n'), int(own_peak_memory()))\n"
    )
    words = ["score", str(path), "--format", "csv", "--scheduler", loopback.address]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, cwd=ROOT
    )
    status, lines, peak = map(int, done.stdout.split())

    assert (status, lines > 2000) == (0, True)
    assert peak < 300


def test_a_worker_that_comes_later_shares_the_work(tmp_path: Path) -> None:
    with open_loopback(tmp_path, 1) as loopback, open_crew(1, loopback.address) as crew:
        alone = {found for _, found in run_unordered(crew, tasks.nap, [0.05] * 10)}
        loopback.add_worker()
        while crew.slots < 2:
            time.sleep(0.1)
        both = [found for _, found in run_unordered(crew, tasks.nap, [0.05] * 40)]

    assert len(alone) == 1
    # Neither waits for the other: each does a good part of the work.
    assert min(both.count(worker) for worker in set(both)) >= 10
    assert len(set(both)) == 2
