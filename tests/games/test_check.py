"""What ``kb-score check`` promises of the records of every game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_score.games import list_games
from tests.games.contract import Example, Words
from tests.games.examples import EXAMPLES, each_game
from tests.helpers import ROOT, run

KEYS = ["game", "record", "consistent", "result", "claimed", "violations"]
each_record = pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(*record, id=record[1]["record"].removeprefix("boards/"))
        for game in EXAMPLES
        for record in game.expected
    ],
)
# Files of whole games as other systems write them.
VARIANTS: dict[str, Callable[[str], str]] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "byte-order-mark": lambda text: f"\ufeff{text}",
    "no-last-newline": lambda text: text.rstrip("\n"),
    "empty-lines-at-the-end": lambda text: f"{text}\n\n",
}
# What is no file of any game.
NO_FILES: dict[str, tuple[bytes | None, str]] = {
    "empty": (b"", ": the file is empty"),
    "blank": (b"\n \n", ": the file is empty"),
    "binary": (b"\x89PNG\x00\x01", ":1:1: byte 0x89 is not text"),
    "nul": (b"\0", ":1:1: byte 0x00 is not text"),
    "nul-in-utf-16": ("ab\0c".encode("utf-16"), ":1:3: byte 0x00 is not text"),
    "latin-1": (b"board caf\xe9\n", ":1:10: byte 0xe9 is not text"),
    "words": (b"hello\nworld\n", ":1:1: "),
    "long-line": (b"a" * 1_000_000, ":1:1: "),
    "missing": (None, ": no such file or directory"),
}


def write_files(folder: Path, *texts: str | bytes) -> list[Path]:
    """Write a map, if there is one, and a record."""
    paths = [folder / "map.txt", folder / "record.txt"][-len(texts) :]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return paths


def test_every_game_is_tested_here() -> None:
    assert [example.game for example in EXAMPLES] == [*list_games()]


@each_record
def test_a_record_to_try_has_the_verdict_that_is_expected(
    words: Words, expected: dict[str, Any]
) -> None:
    ran = run("check", expected["game"], *words, "--format", "json")

    assert ran.status == (0 if expected["consistent"] else 1)
    assert [{**line, "record": expected["record"]} for line in ran.json] == [expected]
    assert list(ran.json[0])[: len(KEYS)] == KEYS


@each_game
def test_every_record_to_try_has_an_expected_verdict(game: Example) -> None:
    listed = {ROOT / line["record"] for _, line in game.expected}

    folders = {path.parent for path in listed}
    beside = {path for folder in folders for path in folder.iterdir()} - {*game.starts}
    kinds = {path.suffix for path in listed}
    assert game.whole in listed
    assert {path for path in beside if path.suffix in kinds} == listed


@each_game
def test_a_whole_game_is_finished_after_its_turns(game: Example) -> None:
    ran = game.check(game.whole)

    (found,) = ran.json
    assert (ran.status, ran.err, found["consistent"]) == (0, "", True)
    assert (found["result"]["turns"], found["result"]["finished"]) == (game.turns, True)


@each_game
def test_a_record_that_stops_early_is_consistent_and_unfinished(game: Example) -> None:
    found = game.verdict(game.cut)

    assert (found["consistent"], found["claimed"]) == (True, None)
    assert found["result"]["finished"] is False


@each_game
def test_a_record_that_breaks_the_rules_is_told_with_its_turn_and_code(game: Example) -> None:
    first = game.verdict(game.broken)["violations"][0]

    assert (first["turn"], first["code"], first["who"]) == game.violation


@each_game
def test_people_are_told_what_is_wrong_and_shown_it(game: Example, tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_text(game.broken)

    ran = run("check", game.game, *game.starts, path)

    turn, code, _ = game.violation
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.startswith(f"{path}: not consistent with the rules\n")
    assert f"\n{turn:4}  {code} " in ran.out
    assert all(part in ran.out for part in game.shown)
    assert f"\nsee turn {turn}: kb-score replay {game.game} " in ran.out


@each_game
@pytest.mark.parametrize("variant", VARIANTS)
def test_files_of_other_systems_are_read(game: Example, variant: str, tmp_path: Path) -> None:
    texts = [VARIANTS[variant](path.read_text()) for path in (*game.starts, game.whole)]

    ran = run("check", game.game, *write_files(tmp_path, *texts), "--format", "json")

    assert (ran.status, ran.json[0]["result"]) == (0, game.check(game.whole).json[0]["result"])


@each_game
@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_of_the_game_is_refused_with_its_place(
    game: Example, kind: str, tmp_path: Path
) -> None:
    good, (text, message) = (*game.starts, game.whole), NO_FILES[kind]
    bad = tmp_path / "bad.txt"
    if text is not None:
        bad.write_bytes(text)
    for place in range(len(good)):
        words = (*good[:place], bad, *good[place + 1 :])

        ran = run("check", game.game, *words)

        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith(f"{bad}{message}")
        assert len(ran.err) < 1000


@pytest.mark.parametrize(
    ("game", "texts", "message"),
    [
        pytest.param(game, *row, id=f"{game.game}-{name}")
        for game in EXAMPLES
        for name, row in game.unreadable.items()
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place_and_a_reason(
    game: Example, texts: list[str | bytes], message: str, tmp_path: Path
) -> None:
    paths = write_files(tmp_path, *texts)

    ran = run("check", game.game, *paths)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(tuple(f"{path}:" for path in paths))
    assert message in ran.err
    assert len(ran.err) < 1000
