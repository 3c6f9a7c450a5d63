"""A small part of the campaign, and that each sort of defect would be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tools.campaign.__main__ import run_campaign
from tools.campaign.case import Case
from tools.campaign.judge import Seen, judge

SEED = 20240511


def test_no_case_of_the_campaign_finds_a_defect() -> None:
    tally = run_campaign(SEED, range(15))

    assert tally.defects == 0, tally.write()


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


def test_a_record_that_is_written_in_place_of_json_is_none() -> None:
    arguments = ("check", "rabbits", "map.txt", "run.txt", "--explain", "-", "--format", "json")
    explained = replace(CASE, arguments=arguments)

    assert not judge(explained, Seen(0, out=b"turn 1\n"))
