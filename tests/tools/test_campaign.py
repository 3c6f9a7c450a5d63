"""The campaign sees each sort of defect; .ci/run runs some of its cases."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tools.campaign.case import Case, Expected
from tools.campaign.clashes import draw_clash
from tools.campaign.judge import REACHED, Seen, find_change, judge
from tools.campaign.rulings import list_rulings

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


EXPECTED = replace(
    CASE,
    expected=Expected(
        (0, 2), refusal=("mine", r"asp/\S+\.lp:\d+"), note="note: .*mine", made=("o.txt",)
    ),
)


@pytest.mark.parametrize(
    ("seen", "defects"),
    [
        pytest.param(
            Seen(0, err=b"note: r/mine.lp\n", changed=("o.txt",)), set(), id="as-expected"
        ),
        pytest.param(Seen(2, err=b"mine.lp, asp/a.lp:3\n"), set(), id="a-refusal"),
        pytest.param(Seen(2, err=b"mine.lp\n"), {"unnamed"}, id="one-place-alone"),
        pytest.param(Seen(1, err=b"note: mine", changed=("o.txt",)), {"status"}, id="status"),
        pytest.param(Seen(0, changed=("o.txt",)), {"silent"}, id="no-note"),
        pytest.param(Seen(0, err=b"note: mine"), {"output"}, id="nothing-made"),
        pytest.param(
            Seen(0, err=b"note: mine", changed=("o.txt", f"{REACHED} a")), {"reach", "files"},
            id="reached",
        ),
    ],
)  # fmt: skip
def test_what_else_is_expected_of_a_case(seen: Seen, defects: set[str]) -> None:
    assert set(judge(EXPECTED, seen)) == defects


def test_figures_that_change_without_a_note_are_a_defect() -> None:
    plain = b'{"gold": {"miners": [4, 12]}, "players": [1, 2]}\n'
    added = b'{"gold": {"miners": [4, 12], "mine": [1, 1]}, "players": [1, 2]}\n'
    changed = b'{"gold": {"miners": [4, 0], "mine": [1, 1]}, "players": [1, 2]}\n'

    assert not judge(CASE, Seen(0, out=added, plain=plain))
    assert set(judge(CASE, Seen(0, out=changed, plain=plain))) == {"silent"}
    assert not judge(CASE, Seen(0, out=changed, err=b"note: mine.lp\n", plain=plain))
    assert find_change(plain.decode(), changed.decode()) == "gold miners: [4, 12] became [4, 0]"


def test_cases_of_clashes_have_files_of_the_user_and_something_to_compare_with() -> None:
    for seed in range(50):
        case = draw_clash(random.Random(seed))

        assert case.arguments[-2:] == ("--rules", "r")
        assert any(Path(name).parts[0] == "r" for name in case.files)
        assert case.expected.plain == case.arguments[:-2]


def test_each_ruling_has_values_that_are_wrong() -> None:
    (lords,) = (r for r in list_rulings("kingdom_builder") if r.name == "lords_need_settlement")

    assert not lords.allows(lords.draw_wrong(random.Random(1)))
    assert lords.listed[0] == "lords_need_settlement"
    for game in ("rabbits", "search_party", "slime"):
        assert list_rulings(game)
