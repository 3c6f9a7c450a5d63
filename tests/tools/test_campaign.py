"""A small part of the campaign, and that each sort of defect would be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tools.campaign.__main__ import limit, run_campaign
from tools.campaign.case import Case
from tools.campaign.judge import Seen, judge
from tools.campaign.kinds import KINDS, draw_case
from tools.campaign.runner import Runner

SEED = 20240511


def test_no_case_of_the_campaign_finds_a_defect() -> None:
    tally = run_campaign(SEED, range(30))

    assert tally.defects == 0, tally.write()


def test_a_case_is_drawn_from_its_seed_and_number_alone() -> None:
    assert [draw_case(1, number) for number in range(40)] == [draw_case(1, n) for n in range(40)]
    assert draw_case(1, 3) != draw_case(2, 3)


def test_every_kind_comes() -> None:
    assert {draw_case(1, number).kind for number in range(600)} == set(KINDS)


CASE = Case("files", ("score", "b.txt"), {"b.txt": b"1 .\n"}, writes=("o.txt", "copy"))
BAD = "Traceback (most recent call last):\nKeyError: 1\n"


@pytest.mark.parametrize(
    ("seen", "defects"),
    [
        pytest.param(Seen(0, out=b"a\n"), set(), id="a-result"),
        pytest.param(Seen(2, err=b"b.txt: no\n"), set(), id="a-refusal"),
        pytest.param(Seen(1, err=BAD.encode()), {"traceback"}, id="traceback"),
        pytest.param(Seen(-11), {"death"}, id="signal"),
        pytest.param(Seen(-9, seconds=10.1, ended_for="hang"), {"hang"}, id="hang"),
        pytest.param(Seen(-9, memory=2 << 30, ended_for="memory"), {"memory"}, id="memory"),
        pytest.param(Seen(3, err=b"a\n"), {"status"}, id="status"),
        pytest.param(Seen(141, err=b"a\n"), {"status"}, id="no-reader-has-gone"),
        pytest.param(Seen(70, err=b"report this\n"), {"internal"}, id="internal"),
        pytest.param(Seen(1), {"mute"}, id="nothing-said"),
        pytest.param(Seen(0, out=b"a\x1b[0m\n"), {"control"}, id="escape"),
        pytest.param(Seen(0, out=b"a\xc2\x85\n"), {"control"}, id="c1"),
        pytest.param(Seen(0, out="\u202e\n".encode()), {"control"}, id="direction"),
        pytest.param(Seen(0, out=b"\xff\n"), {"control"}, id="no-utf-8"),
        pytest.param(Seen(2, err=b"[Errno 2] no\n"), {"errno"}, id="errno"),
        pytest.param(Seen(0, out=b"[Errno 2] no\n"), {"errno"}, id="errno-as-a-result"),
        pytest.param(Seen(0, out=b"<!doctype html>\nerrno"), set(), id="the-script-of-a-page"),
        pytest.param(Seen(0, changed=("b.txt",)), {"files"}, id="input-changed"),
        pytest.param(Seen(0, changed=("o.txt", "copy/a.lp")), set(), id="outputs"),
        pytest.param(Seen(0, temporary=("x",)), {"files"}, id="temporary"),
        pytest.param(Seen(0, left=("sleep 20",)), {"processes"}, id="process"),
        pytest.param(Seen(0, recheck=2), {"output"}, id="output"),
    ],
)
def test_what_counts_as_a_defect(seen: Seen, defects: set[str]) -> None:
    assert set(judge(CASE, seen)) == defects


def test_csv_may_hold_marks_but_no_escapes_and_json_must_be_json() -> None:
    csv = replace(CASE, arguments=("score", "--format", "csv"))
    json = replace(CASE, arguments=("score", "--format", "json"))

    assert not judge(csv, Seen(0, out="\u202e\x07".encode()))
    assert set(judge(csv, Seen(0, out=b"\x1b"))) == {"control"}
    assert set(judge(json, Seen(0, out=b"{"))) == {"json"}
    assert not judge(json, Seen(0, out=b'{"a": "\\u001b"}\n'))


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with Runner(tmp_path) as runner:
        yield runner


def _run_script(runner: Runner, script: str, *, real: bool) -> set[str]:
    case = Case("api", (), script=script, real=real)
    return set(judge(case, runner.run(case, "case")))


@pytest.mark.parametrize("real", [True, False], ids=["process", "fork"])
@pytest.mark.parametrize(
    ("script", "defects"),
    [
        pytest.param("print(1)", set(), id="nothing"),
        pytest.param("{}[1]", {"traceback"}, id="traceback"),
        pytest.param("import os; os.abort()", {"death"}, id="death"),
        pytest.param("import sys; sys.exit(3)", {"status"}, id="status"),
        pytest.param("a = bytearray(1 << 30)\nwhile True: pass", {"memory"}, id="memory"),
        pytest.param("open('x', 'w').close()", {"files"}, id="file"),
        pytest.param("import tempfile; tempfile.mkdtemp()", {"files"}, id="temporary"),
        pytest.param(
            "import subprocess as s; s.Popen(['sleep', '9'], start_new_session=True)",
            {"processes"},
            id="process",
        ),
        pytest.param(
            "import os\nif not os.fork(): os.setsid(); __import__('time').sleep(9)",
            {"processes"},
            id="fork",
        ),
    ],
)
def test_the_watch_sees_what_a_process_does(
    runner: Runner, script: str, defects: set[str], *, real: bool
) -> None:
    assert _run_script(runner, script, real=real) == defects


@pytest.mark.parametrize(
    ("after", "name", "defects"),
    [(0.04, "SIGHUP", set()), (0.04, "SIGTERM", {"death"}), (0.5, "SIGHUP", {"death"})],
)
def test_a_signal_may_come_before_the_first_import(
    after: float, name: str, defects: set[str]
) -> None:
    case = Case("signals", ("--version",), signal=name, after=after, real=True)

    assert set(judge(case, Seen(-1, signalled=after))) == defects


def test_a_signal_is_sent_once_the_package_is_being_loaded(runner: Runner) -> None:
    case = Case("signals", ("--version",), signal="SIGKILL", after=0.0, real=True)

    assert runner.run(case, "case").status in (0, -9)


def test_rules_without_end_wait_for_a_limit() -> None:
    case = Case("endless", ("score", "--rules", "r"))

    assert set(case.arguments) <= set(limit(case).arguments)


def test_a_new_folder_is_no_stray_if_it_holds_an_output() -> None:
    case = Case("outputs", ("rules", "export", "new/x"), writes=("new/x",))

    assert judge(case, Seen(0, changed=("new", "new/x", "new/x/rules.lp"))) == {}
    assert judge(case, Seen(0, changed=("new",))) == {"files": "'new'"}
