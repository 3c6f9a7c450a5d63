"""Many tasks by the workers of a Dask cluster: as locally, whatever happens to workers."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock

import pytest
import trustme

from kb_score.arena.contests.entrants import make_check
from kb_score.engine.changes import Changes
from kb_score.errors import InputError
from kb_score.games import GameFolder
from kb_score.shell.cluster import Cluster, open_pool
from kb_score.shell.pool import Pool, TaskLost, run_tasks
from tests.helpers import EXAMPLE, MEADOW, ROOT, SMALL, run, run_process
from tests.shell import tasks
from tests.shell.dask import Loopback, open_loopback
from tests.shell.processes import run_script, wait_until

# It takes a while to load: only those do that run these tests.
if not os.environ.get("KB_SCORE_EXTRAS") and find_spec("distributed") is None:
    pytest.skip("needs the extra kb-score[cluster]", allow_module_level=True)

pytestmark = [
    # A cluster takes a while to start.
    pytest.mark.slow,
    # What Dask's own threads leave open at their end is not ours to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    # As their users start them; what kills its worker needs nannies.
    with open_loopback(tmp_path_factory.mktemp("dask"), 2, nannies=True) as found:
        yield found


def wait_for_workers(pool: Pool, most: int) -> None:
    while pool.slots < most:
        time.sleep(0.1)


def test_results_come_in_order(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool:
        found = list(run_tasks(pool, tasks.double, range(100)))

    assert found == [(number, 2 * number) for number in range(100)]


def test_results_come_as_they_are_done(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool:
        wait_for_workers(pool, 2)
        found = list(run_tasks(pool, tasks.sleep, [0.5, 0.1], ordered=False))

    assert found == [(0.1, 0.1), (0.5, 0.5)]


def test_a_pool_leaves_its_scheduler_at_the_end(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool:
        assert isinstance(pool, Cluster)
        assert pool._client.status == "running"

    assert pool._client.status == "closed"


def test_a_mistake_in_the_input_of_a_task_is_raised(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool, pytest.raises(InputError, match="refuses 3"):
        list(run_tasks(pool, tasks.refuse, [3]))


def test_a_task_that_kills_its_workers_is_given_up_and_no_other(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool:
        todo = ((number, 3) for number in range(12))
        found = dict(
            run_tasks(pool, tasks.kill_at, todo, name=lambda task: f"no. {task[0]}", ordered=False)
        )

    lost = found.pop((3, 3))
    assert isinstance(lost, TaskLost)
    assert str(lost).startswith("no. 3: given up: all processes that worked on it were killed")
    assert sorted(map(str, found.values())) == sorted(str(n) for n in range(12) if n != 3)


def test_a_worker_that_comes_later_shares_the_work_and_loses_nothing_when_it_dies(
    loopback: Loopback,
) -> None:
    with open_pool(1, loopback.address) as pool:
        wait_for_workers(pool, 2)
        before = {found for _, found in run_tasks(pool, tasks.nap, [0.05] * 20, ordered=False)}
        mortal = loopback.add_worker()
        wait_for_workers(pool, 3)
        after = [found for _, found in run_tasks(pool, tasks.nap, [0.05] * 60, ordered=False)]
        found = []
        for number, result in run_tasks(
            pool, tasks.sleep, [n / 10000 for n in range(200)], ordered=False
        ):
            found.append((number, result))
            if len(found) == 50:
                mortal.kill()

    assert len(before) == 2
    # Nobody waits for another: each does a good part of the work.
    assert len(set(after)) == 3
    assert min(map(after.count, after)) >= 8
    assert sorted(found) == [(n / 10000, n / 10000) for n in range(200)]


def test_a_result_counts_whose_worker_has_died_since(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client

    gather = Client._gather

    async def gather_and_lose(self: Client, futures: list[Any]) -> Any:
        found = await gather(self, futures)
        for future in futures:
            future._state.lose()
        return found

    monkeypatch.setattr(Client, "_gather", gather_and_lose)
    with open_pool(1, loopback.address) as pool:
        assert list(run_tasks(pool, tasks.double, [4])) == [(4, 8)]


def test_a_worker_of_another_version_is_an_error_that_names_both(
    loopback: Loopback, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for name in ("kb_score", "asp", "parsers", "tests"):
        shutil.copytree(ROOT / name, other / name)
    (other / "asp" / "slime" / "more.lp").write_text("% Another rule.\n")
    with ExitStack() as stack:
        own = replace(loopback, stack=stack)

        def play() -> None:
            with open_pool(1, loopback.address) as pool:
                results = run_tasks(pool, tasks.sleep, [0.05] * 2000, ordered=False)
                for done, _ in enumerate(results):
                    if done == 5:
                        own.add_worker(environment={"PYTHONPATH": str(other)})

        said = r"it runs kb-score \d.*, but this machine runs kb-score \d"
        # One that comes later is told with its first task, one that is there at once.
        with pytest.raises(InputError, match=rf"the worker tcp://.*: {said}"):
            play()
        with pytest.raises(InputError, match=said):
            open_pool(1, loopback.address).__enter__()


def test_what_a_worker_lacks_is_told_with_its_name(loopback: Loopback) -> None:
    with open_pool(1, loopback.address) as pool:
        with pytest.raises(InputError, match=r"^the worker tcp://127.0.0.1:\d+: task: refuses 7"):
            pool.require(partial(tasks.refuse, 7))
        # One that comes later is asked before its first task.
        with pytest.raises(InputError, match=r"^the worker tcp://127.0.0.1:\d+: task: refuses 7"):
            list(run_tasks(pool, tasks.double, [4]))


@pytest.mark.parametrize("of_contest", [False, True])
def test_other_rules_of_a_user_on_a_worker_are_refused(of_contest: bool, tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text("a.")
    check = Changes((tmp_path,)).check
    if of_contest:
        changes = Changes((tmp_path,))
        check = make_check(GameFolder("slime").type, [], tmp_path, changes, sandbox=False)
    else:
        check()
    (tmp_path / "a.lp").write_text("b.")

    with pytest.raises(InputError, match="the rules there differ from those on the machine"):
        check()


def test_a_cluster_may_ask_for_certificates(tmp_path: Path) -> None:
    authority = trustme.CA()
    own = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    own.private_key_and_cert_chain_pem.write_to_path(tmp_path / "own.pem")
    begin = "DASK_DISTRIBUTED__COMM__TLS__"
    roles = {f"{begin}{role}__CERT": "own.pem" for role in ("SCHEDULER", "WORKER", "CLIENT")}
    names = {f"{begin}CA_FILE": "ca.pem", **roles}
    keys = {name: str(tmp_path / file) for name, file in names.items()}
    words = "score", str(EXAMPLE), "--scheduler"

    with open_loopback(tmp_path, 1, "tls", keys) as loopback:
        with_keys, without = (
            subprocess.run(
                [sys.executable, "-m", "kb_score", *words, loopback.address],
                env={**os.environ, **more}, capture_output=True, text=True, check=False, cwd=ROOT,
            )
            for more in (keys, {})
        )  # fmt: skip

    assert (with_keys.returncode, with_keys.stderr) == (0, "")
    assert with_keys.stdout == run_process("score", EXAMPLE).out
    assert (without.returncode, without.stdout) == (2, "")
    assert without.stderr.startswith(f"{loopback.address}: no Dask scheduler answers here: ")
    assert "see docs/cluster.md for the certificates" in without.stderr


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for an answer for less than a second."""
    monkeypatch.setattr("kb_score.shell.cluster._CONNECT_TIMEOUT", 0.6)


@pytest.mark.usefixtures("hurry")
def test_a_cluster_without_a_worker_has_a_hint(tmp_path: Path) -> None:
    hint = "the scheduler has no worker: start one with: dask worker"
    with open_loopback(tmp_path, 0) as loopback:
        port = int(loopback.address.rpartition(":")[2])
        assert wait_until(lambda: answers(port))
        with pytest.raises(InputError, match=hint):
            open_pool(1, loopback.address).__enter__()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(
    "address",
    ["nonsense", "", "what://here:1", "inproc://x", "127.0.0.1", "tcp://127.0.0.1:abc",
     "tcp://127.0.0.1:99999", "tcp://[::1"],
)  # fmt: skip
def test_the_form_of_an_address_is_part_of_the_message(address: str) -> None:
    with pytest.raises(InputError) as error:
        open_pool(1, address).__enter__()

    assert str(error.value) == (
        f"{address or '--scheduler'}: the address of a scheduler looks like tcp://host:8786 "
        "(tls://, ucx://, ws:// or wss:// in place of tcp://)"
    )


@pytest.mark.usefixtures("hurry")
@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("listening", [True, False])
def test_what_does_not_answer_is_no_scheduler(listening: bool) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listening:
            silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        said = "no Dask scheduler answers here: nothing within 1 seconds"
        with pytest.raises(InputError, match=said):
            open_pool(1, address).__enter__()


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    "sent", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"garbage\r\n" * 100, b"\0" * 8, b""]
)
def test_a_server_that_speaks_another_protocol_is_no_scheduler(sent: bytes) -> None:
    def answer(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.sendall(sent)

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=answer, args=[server], daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError) as error:
            open_pool(1, address).__enter__()
        server.shutdown(socket.SHUT_RDWR)

    assert str(error.value) in {
        f"{address}: no Dask scheduler answers here: the program there does not speak its protocol",
        f"{address}: no Dask scheduler answers here: nothing within 1 seconds",
    }


def test_without_dask_the_message_says_what_to_install() -> None:
    script = (
        "import sys\n"
        "sys.modules['distributed'] = None\n"
        "from kb_score.cli import main\n"
        f"sys.argv[1:] = ['score', {str(EXAMPLE)!r}, '--scheduler', 'tcp://127.0.0.1:1']\n"
        "main()\n"
    )
    status, _, said = run_script(script)

    assert status == 2
    assert (
        said == "--scheduler: distributed is not installed: run pip install 'kb-score[cluster]'\n"
    )


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
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
        process.send_signal(getattr(signal, number))
        process.stdout.read()
        status = process.wait()
        assert process.stderr is not None
        said = process.stderr.read()

    assert (status, said) == (128 + getattr(signal, number), b"")
    # The workers are free for others.
    with open_pool(1, loopback.address) as pool:
        assert list(run_tasks(pool, tasks.double, [4])) == [(4, 8)]


def test_boards_have_the_same_scores_on_a_cluster(loopback: Loopback, tmp_path: Path) -> None:
    boards = tmp_path / "boards.txt"
    boards.write_text("\n".join([EXAMPLE.read_text(), "bad\n", SMALL, EXAMPLE.read_text()] * 12))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "frontier.lp").write_text(
        'card(frontier, 12, "1 gold for each"). gold(frontier, P, hex(R,C), 1) :- '
        "settlement(P,R,C).\n"
    )
    words = "score", boards, "--rules", tmp_path / "more", "--format", "json"

    here = run(*words)
    there = run_process(*words, "--scheduler", loopback.address)

    assert here.status == 2
    assert '"frontier"' in here.out
    assert (there.status, there.out) == (here.status, here.out)
    # Boards are read ahead, and what is wrong with one is told at once.
    assert sorted(there.err.splitlines()) == sorted(here.err.splitlines())


@pytest.mark.parametrize("strange", [False, True])
def test_records_have_the_same_verdicts_and_mistakes_on_a_cluster(
    strange: bool, loopback: Loopback, tmp_path: Path
) -> None:
    boards = ROOT / "boards/search_party"
    words = "check", "search-party", MEADOW, boards / "records/meadow", tmp_path / "nowhere.txt"
    (tmp_path / "choice.lp").write_text("{ strange }. :- settlement(1,_,_), strange.\n")
    rules = ("--rules", tmp_path) if strange else ()

    here = run(*words, *rules)
    there = run_process(*words, *rules, "--scheduler", loopback.address)

    assert here.status == (2 if strange else 1)
    assert strange or here.out.count("consistent with the rules") > 4
    assert there == here


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

    gone = f"{loopback.address}: the scheduler is gone, and the running tasks are lost\n"
    assert (process.returncode, said.decode()) == (2, gone)


def test_a_scheduler_that_ends_while_a_result_comes_is_gone() -> None:
    from distributed.comm import CommClosedError

    async def break_off() -> None:
        raise CommClosedError

    future: Future[object] = Future()
    asyncio.run(Cluster(Mock(), "tcp://there:1")._forward_result(break_off(), future))

    with pytest.raises(InputError, match="the scheduler is gone"):
        future.result()


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
    _, out, _ = run_script(script, *words)
    status, lines, peak = map(int, out.split())

    assert (status, lines > 2000) == (0, True)
    assert peak < 300
