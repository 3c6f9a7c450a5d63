"""Files from the wild, for contests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers import ASP, ROOT, run

BOARDS = ROOT / "boards"


def test_a_tournament_is_played_again_when_its_rules_change(folder: Path) -> None:
    bots = folder.parent / "bots.toml"
    bots.write_text("".join(f'[[bot]]\nname = "{i}"\ncommand = "true"\n' for i in range(4)))
    text = (ASP / "slime" / "rules" / "rules.lp").read_text()
    command = ("tournament", "slime", bots, "--rules", folder, "--size", 3, "--format", "csv")
    copy = folder / "rules.lp"
    copy.write_text(text.replace("last_turn = 2000", "last_turn = 8"))
    first = run(*command)
    copy.write_text(text.replace("last_turn = 2000", "last_turn = 4"))

    second = run(*command)

    assert first.out.splitlines()[0] == "Name,Avg Score,Last Updated (UTC)"
    assert "after 8 turns" in first.err
    assert "after 4 turns" in second.err
    assert "were played before" in run(*command).err


@pytest.mark.parametrize("text", ["a = " + "1" * 5000, "a = " + "[" * 100_000, "\n\na = ?"])
def test_a_strange_list_of_bots_is_told(text: str, tmp_path: Path) -> None:
    bots = tmp_path / "bots.toml"
    bots.write_text(text)

    ran = run("tournament", "slime", bots)

    assert (ran.status, ran.out) == (2, "")
    assert "this is no TOML file" in ran.err
    assert (":3:5: " in ran.err) == ("?" in text)


@pytest.mark.parametrize("line", ["a." * 5000 + "a = 1", "'" + "b" * 10**6 + "' = 1", " " * 10**6])
def test_a_line_without_an_end_is_told_at_once(line: str, tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    path.write_text(f'game = "slime"\n{line}\n')
    ran = run("contest", path)

    assert (ran.status, ran.out) == (2, "")
    assert max(map(len, ran.err.splitlines())) < 250 + len(str(path))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rounds = 0x", "rounds is a whole number from 1 to "),
        ("seed = [0x", "seed is a whole number from 0 to "),
        ("settings.most_turns = 0x", "most_turns is a whole number from "),
        ("limits.timeout = 0x", "timeout is a number from "),
        ('maps = ["m\\u0000', "maps is a list of texts, at least one, not "),
    ],
)
def test_what_python_does_not_write_is_no_traceback(line: str, said: str, tmp_path: Path) -> None:
    path, end = tmp_path / "contest.toml", "]" * ("[" in line)
    rest = '"' if '"' in line else "f" * 5000
    maps = "" if "maps" in line else 'maps = ["m.txt"]\n'
    path.write_text(
        f'game = "search-party"\n{maps}{line}{rest}{end}\n[[bot]]\nname = "a"\ncommand = "true"\n'
    )

    ran = run("contest", "status", path)

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert f"{path}:" in ran.err


def test_a_record_that_cannot_be_read_does_not_lose_the_others(tmp_path: Path) -> None:
    maps, entry = tmp_path / "maps", tmp_path / "walker"
    for folder in (maps, entry):
        folder.mkdir()
    for name in ("one", "two"):
        (maps / f"{name}.txt").write_text("7 1 0 0\nS......\n")
    (entry / "one.txt").write_bytes(b"\0")
    (entry / "two.txt").write_text(".\n")
    (entry / "two").mkdir()
    (entry / "two" / "better.txt").write_text("@6.\n" * 4)

    ran = run("rank", "search-party", entry, "--maps", maps, "--format", "json")

    assert ran.status == 2
    assert json.loads(ran.out)["maps"] == 1
    assert f"{entry / 'one.txt'}:1:1: byte 0x00 is not text" in ran.err


def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    maps = BOARDS / "search_party" / "maps"

    for command in (("tournament", "slime", loop), ("rank", "search-party", loop, "--maps", maps)):
        ran = run(*command)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith(f"{loop}: ")
        assert ran.err.count("\n") == 1
