"""Edits of the rules that a user makes with the documents alone, each in a folder of its own.

The README.md of a folder says what the edit is. Its commands are run in a copy of the folder, which
has the project's boards, too, and print what that user expects. Where the exit status is not 0, the
next command asks for it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.helpers import ROOT
from tests.transcripts import blocks, commands, matches, run

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/README.md"))
ASKS = "echo $?"


def read_commands(folder: Path) -> list[tuple[str, str]]:
    """Read the commands of an edit, each with the output that is expected."""
    found: list[tuple[str, str]] = []
    for block in blocks((folder / "README.md").read_text(), "console"):
        found.extend(commands(block))
    return found


@pytest.mark.parametrize("edit", FOLDERS, ids=lambda folder: str(folder.name))
def test_an_edit_has_the_effect_that_its_user_expects(
    edit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / edit.name
    shutil.copytree(edit, folder)
    (folder / "boards").symlink_to(ROOT / "boards")
    status = 0

    for command, expected in read_commands(edit):
        assert status == 0 or command == ASKS, f"exit status {status} before: $ {command}"
        printed, status = run(command, folder, status)
        shown = f"$ {command}\nprints:\n{printed}\nnot:\n{expected}"
        assert matches(printed, expected), shown

    assert status == 0, f"exit status {status} after the last command"


def test_each_folder_has_commands_that_use_kb_score() -> None:
    folders = {path for path in Path(__file__).parent.iterdir() if path.is_dir()}

    assert set(FOLDERS) == {path for path in folders if path.name != "__pycache__"}
    for folder in FOLDERS:
        called = [command for command, _ in read_commands(folder) if "kb-score" in command]
        assert len(called) > 1, folder.name
