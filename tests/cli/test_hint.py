"""The command that ``check`` names for its first violation: it can be run as it stands."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import CLAIMS, EXAMPLE, LOG, MEADOW, ROOT, SAFE, STATION, add_rules, run

BOARDS = ROOT / "boards"
HOLLOW = BOARDS / "search_party" / "maps" / "hollow.txt"
BLOCKED = BOARDS / "search_party" / "records" / "hollow" / "onto-obstacle-plan.txt"
ROOM = BOARDS / "rabbits" / "why" / "room.map"
WRONG = BOARDS / "slime" / "wrong.txt"
FRAMES = BOARDS / "slime" / "frames.txt"


def read_hint(text: str) -> tuple[str, list[str]]:
    """Read the last line: the turn, and the words of the command as a shell has them."""
    *_, blank, hint = text.splitlines()
    assert blank == ""
    turn, _, command = hint.partition(": ")
    return turn, shlex.split(command)


@pytest.mark.parametrize(
    ("words", "turn"),
    [
        (("search-party", HOLLOW, BLOCKED), 3),
        (("rabbits", ROOM, ROOM.with_name("no-explanation.log")), 1),
        (("slime", WRONG), 10),
        (("slime", WRONG, "--const", "last_turn=30"), 10),
        (("slime", FRAMES, "--first", 3), 1),
        (("kingdom-builder", BOARDS / "kingdom_builder" / "games" / "broken.txt"), 37),
    ],
    ids=["search-party", "rabbits", "slime", "ruling", "first", "kingdom-builder"],
)
def test_the_command_shows_the_first_violation(
    words: tuple[object, ...], turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = run("check", *words)

    said, command = read_hint(checked.out)

    assert checked.status == 1
    assert said == f"see turn {turn}"
    assert command == ["kb-score", "replay", *map(str, words), "-o", "replay.html"]
    monkeypatch.chdir(tmp_path)
    assert run(*command[1:]).status == 0
    assert (tmp_path / "replay.html").read_text().startswith("<!doctype html>")


def test_names_are_quoted_for_a_shell_and_rules_repeated(tmp_path: Path) -> None:
    record = tmp_path / "what's $this; here.txt"
    record.write_bytes(SAFE.read_bytes())
    folder = add_rules(tmp_path, 'violation(2,"mine","",("mine",1)).').rename(tmp_path / "my rules")

    said, command = read_hint(run("check", "search-party", MEADOW, record, "--rules", folder).out)

    words = ["search-party", str(MEADOW), str(record), "--rules", str(folder)]
    assert said == "see turn 2"
    assert command == ["kb-score", "replay", *words, "-o", "replay.html"]


@pytest.mark.parametrize("format_", ["json", "csv", "markdown"])
def test_other_formats_have_no_hint(format_: str) -> None:
    ran = run("check", "slime", WRONG, "--format", format_)

    assert ran.status == 1
    assert "kb-score replay" not in ran.out


def test_what_was_read_from_standard_input_cannot_be_read_again() -> None:
    ran = run("check", "slime", "-", given=WRONG.read_text())

    assert ran.status == 1
    assert "wrong-board" in ran.out
    assert "kb-score replay" not in ran.out


def test_what_has_no_turns_has_no_hint(tmp_path: Path) -> None:
    table = tmp_path / "wrong.table"
    text = (BOARDS / "rabbits" / "small.table").read_text()
    *rows, total = text.rstrip().splitlines()
    table.write_text("\n".join([*rows, total.partition(":")[0] + ": 999"]) + "\n")

    for words in (("rabbits", STATION, table), ("kingdom-builder", EXAMPLE, CLAIMS)):
        ran = run("check", *words)
        assert ran.status == 1
        assert "kb-score replay" not in ran.out


@pytest.mark.parametrize("words", [("search-party", MEADOW, SAFE), ("rabbits", STATION, LOG)])
def test_what_is_consistent_has_no_hint(words: Any) -> None:
    ran = run("check", *words)

    assert ran.status == 0
    assert "kb-score replay" not in ran.out
