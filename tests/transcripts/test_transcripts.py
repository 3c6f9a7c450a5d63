"""Each case of the transcript files in this folder prints what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transcripts import Case, matches, read_cases, run, write_path

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.md"))


def list_cases() -> Iterator[object]:
    for path in FILES:
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        for case in read_cases(path):
            marks = [pytest.mark.slow] if case.is_slow else []
            yield pytest.param(case, id=f"{name}: {case.name}", marks=marks)


@pytest.mark.parametrize("case", list(list_cases()))
def test_the_commands_of_a_case_print_what_it_says(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PATH", write_path())
    case.prepare(tmp_path)

    last = 0
    for command, shown, status in case.commands():
        printed, last = run(command, tmp_path, last)
        assert matches(printed, shown), f"$ {command}\nprints:\n{printed}\nnot:\n{shown}"
        assert last == status, (
            f"$ {command}\nends with {last}, not {status}, and prints:\n{printed}"
        )


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_has_cases_with_commands_and_no_two_of_one_name(path: Path) -> None:
    cases = read_cases(path)

    assert [name for name, count in Counter(case.name for case in cases).items() if count > 1] == []
    assert cases
    for case in cases:
        assert case.commands(), case.name
