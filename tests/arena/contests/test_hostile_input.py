"""Files from the wild, for contests."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_score.arena.contests.runner import format_duration
from kb_score.shell import toml
from tests.helpers import MEADOW, ROOT, run

BOARDS = ROOT / "boards"


@pytest.mark.parametrize(
    "text", ["a = " + "1" * 5000, "a = " + "[" * 100_000, "\n\na = ?", "[[bot]"]
)
def test_a_strange_list_of_bots_is_told(text: str, tmp_path: Path) -> None:
    bots = tmp_path / "bots.toml"
    bots.write_text(text)

    ran = run("tournament", "slime", bots)

    assert (ran.status, ran.out) == (2, "")
    assert "this is not a TOML file" in ran.err
    assert (":3:5: " in ran.err) == ("?" in text)


def test_thousands_of_mistakes_are_placed_by_one_look_at_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def look(text: str) -> object:
        looks.append(text)
        return list_places(text)

    list_places = toml._list_places
    monkeypatch.setattr(toml, "_list_places", look)
    bots = tmp_path / "bots.toml"
    bots.write_text('[[bot]]\nname = "b"\ncommandmand = "true"\n' * 3000)

    ran = run("tournament", "slime", bots)

    assert ran.status == 2
    assert ran.err.endswith(" more mistakes\n")
    assert len(looks) == 1


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
        ("rounds = 0x", "rounds must be a whole number from 1 to "),
        ("seed = [0x", "seed must be a whole number from 0 to "),
        ("settings.most_turns = 0x", "most_turns must be a whole number from "),
        ("limits.timeout = 0x", "timeout must be a number from "),
        ('maps = ["m\\u0000', "maps must be a non-empty list of strings, not "),
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


@pytest.mark.parametrize("game", ["slime", "search-party"])
def test_a_command_that_is_too_long_is_refused_at_once(game: str, tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    (tmp_path / "lane.txt").write_text(MEADOW.read_text())
    maps = '\nmaps = ["lane.txt"]' if game == "search-party" else ""
    command = "a" * 1_000_000
    path.write_text(f'game = "{game}"{maps}\n[[bot]]\nname = "A"\ncommand = "{command}"\n')

    ran = run("contest", "table", path)

    assert (ran.status, ran.out) == (2, "")
    line = 4 + bool(maps)
    said = "this command has 1,000,000 characters, but at most 10,000 are allowed"
    assert ran.err.splitlines()[0] == f"{path}:{line}:1: {said}"
    assert max(map(len, ran.err.splitlines())) < 250 + len(str(path))


def test_a_program_of_a_long_name_is_named_in_part(tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    name, program = "n" * 5000, "p" * 5000
    path.write_text(f'game = "slime"\n[[bot]]\nname = "{name}"\ncommand = "{program}"\n')

    ran = run("contest", path)
    played = run("play", "search-party", MEADOW, "--", program)

    assert (ran.status, played.status) == (2, 2)
    assert ": there is no program 'ppp" in ran.err
    assert played.err.startswith("cannot start 'ppp")
    for said in (ran.err, played.err):
        assert max(map(len, said.splitlines())) < 300 + len(str(path))


def test_a_message_counts_lines_as_toml_does(tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    path.write_text('game = "slime" # one\u2028line\nrounds = 0\n', encoding="utf-8")

    ran = run("contest", path)

    assert ran.err.splitlines()[0].startswith(
        f"{path}:2:1: rounds must be a whole number from 1 to "
    )


def test_all_maps_that_cannot_be_read_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "contest.toml"
    (tmp_path / "bad.txt").write_text("7 1 0 0\n")
    path.write_text('game = "rabbits"\nmaps = ["no.txt", "bad.txt"]\n')

    ran = run("contest", path)

    assert f"{path}:2:1: 'no.txt' cannot be played on: {tmp_path}/no.txt: no such file" in ran.err
    assert f"{path}:2:1: 'bad.txt' cannot be played on: {tmp_path}/bad.txt:1:1: unexp" in ran.err


def test_a_mistake_in_a_rule_file_is_not_reported_at_a_constant(folder: Path) -> None:
    path = folder.parent / "contest.toml"
    (folder.parent / "lane.txt").write_text(MEADOW.read_text())
    (folder / "wrong.lp").write_text("a(.\n")
    path.write_text(
        'game = "search-party"\nmaps = ["lane.txt"]\n'
        f'[rules]\nfolders = ["{folder.name}"]\nconst = {{ sight = 8 }}\n'
    )

    ran = run("contest", path)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{folder / 'wrong.lp'}:1:")


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0 s"),
        (89.4, "89 s"),
        (89.6, "1 min"),
        (3569, "59 min"),
        (3599, "1 h 0 min"),
        (7199, "2 h 0 min"),
        (10799, "3 h 0 min"),
        (12000, "3 h 20 min"),
    ],
)
def test_a_time_has_no_60_minutes(seconds: float, written: str) -> None:
    assert format_duration(seconds) == written
