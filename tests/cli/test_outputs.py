"""The outputs of commands: their encoding, and names that are no text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.helpers import ROOT, SMALL, run_process


def test_a_file_name_that_is_no_text_is_valid_text_in_json(tmp_path: Path) -> None:
    board = os.fsencode(tmp_path / "b") + b"\xff.txt"
    with open(board, "wb") as stream:  # noqa: PTH123
        stream.write(b"1 2\n . .\n")

    ran = run_process("score", os.fsdecode(board), "--format", "json")

    assert ran.status == 0
    found = json.loads(ran.out)["board"]
    assert found == f"{tmp_path / 'b'}\\xff.txt"
    assert found.encode()  # a lone surrogate has no bytes


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_what_no_terminal_shows_is_utf_8(encoding: str, tmp_path: Path) -> None:
    name = "Zo\u00eb \U0001f600.txt"
    (tmp_path / name).write_text(SMALL)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}

    def print_bytes(*words: str) -> bytes:
        command = [sys.executable, "-m", "kb_score", *words]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, check=True, capture_output=True
        ).stdout

    score = ("score", name, "--cards", "miners", "-q", "--format")
    assert json.loads(print_bytes(*score, "json").decode())["board"] == name
    assert f"\n{name},miners," in print_bytes(*score, "csv").decode()
    assert print_bytes(*score, "markdown").decode().startswith(f"**{name}**\n")
    picture = print_bytes("draw", name, "--title", name)
    assert name in (ElementTree.fromstring(picture).findtext("{*}title") or "")
    assert print_bytes(*score, "table").decode().startswith(f"{name}\n")
