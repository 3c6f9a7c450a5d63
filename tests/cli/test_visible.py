"""What comes from outside is shown, and steers no terminal."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import kb_score
from kb_score.errors import visible
from tests.helpers import (
    CLAIMS,
    EXAMPLE,
    LOG,
    MEADOW,
    STATION,
    add_rules,
    run,
    run_on_terminal,
    run_process,
)

RAW = "\x1b[31m\x07\u202e\x9b1m\r\n\t"
SHOWN = "\\x1b[31m\\x07\\u202e\\x9b1m\\r\\n\\t"
NAME = f"a{RAW}b.txt"
CARD = 'card(zz,12,"what\x1b[31m\u202e pays"). gold(zz,P,"w \x1b[31m\u202e",1) :- player(P).'


def unsafe(text: str) -> set[str]:
    return {c for c in text if not c.isprintable() and c != "\n"}


def test_what_steers_a_terminal_is_made_visible() -> None:
    assert visible(RAW) == SHOWN
    assert visible(RAW, keep="\n\t") == SHOWN.replace("\\n\\t", "\n\t")
    assert visible("\udcff\ud800") == "\\xff\\ud800"
    assert visible("żółw \N{TURTLE} 中") == "żółw \N{TURTLE} 中"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("score", NAME), id="score"),
        pytest.param(("score", NAME, "--format", "markdown"), id="markdown"),
        pytest.param(("score", NAME, "--format", "csv"), id="csv"),
        pytest.param(("score", NAME, "--format", "json"), id="json"),
        pytest.param(("score", EXAMPLE, f"no{NAME}"), id="no-such-file"),
        pytest.param(("check", "kingdom-builder", EXAMPLE, NAME), id="unreadable-claims"),
        pytest.param(("check", "kingdom-builder", EXAMPLE, f"claims{NAME}"), id="check"),
        pytest.param(("check", "search-party", NAME, NAME), id="no-map"),
        pytest.param(("facts", NAME), id="facts"),
        pytest.param(("score", EXAMPLE, "--rules", NAME), id="rules"),
        pytest.param(("tournament", "slime", f"no{NAME}"), id="tournament"),
        pytest.param(("rules", "export", NAME), id="export"),
        pytest.param(("rules", "export", "new\x1b[31m"), id="exported"),
        pytest.param(("play", "search-party", MEADOW, "--", "./\x1b[31m"), id="bot"),
        pytest.param(("play", "rabbits", f"map{NAME}", "--turns", 1, "--", "true"), id="headline"),
    ],
)
def test_a_files_name_is_shown(
    words: Sequence[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_bytes(EXAMPLE.read_bytes())
    (tmp_path / f"claims{NAME}").write_bytes(CLAIMS.read_bytes())
    (tmp_path / f"map{NAME}").write_bytes(STATION.read_bytes())

    ran = run(*words)

    assert not unsafe(ran.out + ran.err) - ({"\t"} if "csv" in words else set())
    assert "x1b[31m" in ran.out + ran.err or "u001b[31m" in ran.out


def test_spreadsheets_keep_line_ends_and_tabs(tmp_path: Path) -> None:
    (tmp_path / "a\tb\nc\x1b.txt").write_bytes(EXAMPLE.read_bytes())

    rows = run("score", tmp_path, "--format", "csv").csv

    assert {row["board"] for row in rows} == {f"{visible(str(tmp_path))}/a\tb\nc\\x1b.txt"}


def test_json_says_all_characters_as_json_does(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(EXAMPLE.read_bytes())

    ran = run("score", path, "--format", "json")

    assert not unsafe(ran.out)
    assert json.loads(ran.out)["board"] == str(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("rules", "list", "cards"),
        ("rules", "list", "--format", "csv"),
        ("rules", "list", "--format", "markdown"),
        ("rules", "show", "mine"),
        ("explain", EXAMPLE, "--card", "zz"),
        ("explain", EXAMPLE, "--card", "zz", "--format", "csv"),
        ("explain", EXAMPLE, "--card", "zz", "--format", "markdown"),
        ("facts", EXAMPLE, "--program"),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_texts_of_rules_are_shown(words: Sequence[object], tmp_path: Path) -> None:
    folder = add_rules(tmp_path, CARD)

    ran = run(*words, "--rules", folder)
    terminal = run_on_terminal(*words, "--rules", folder, width=200)

    assert ran.status == 0
    assert not unsafe(ran.out + ran.err)
    assert not unsafe(terminal.replace("\r\n", "\n"))
    for text in (ran.out, re.sub(r"\s+", " ", terminal)):
        assert "\\x1b[31m\\u202e" in text


@pytest.mark.parametrize("rules", ["a :- \x1b[31m.", "a :- \x1a.", "a.\x12"])
def test_messages_of_clingo_are_shown(rules: str, tmp_path: Path) -> None:
    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, rules))

    assert ran.status == 2
    assert not unsafe(ran.err)


BREAK = "a\nkb-score: \x1b[31m\u202eb"
SHOWN_BREAK = "a\\nkb-score: \\x1b[31m\\u202eb"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(("score", EXAMPLE, "--rules", "{}"), 2, id="rules-without-a-file"),
        pytest.param(("score", EXAMPLE, "--rules", "{}games"), 2, id="rules-of-several-games"),
        pytest.param(("score", EXAMPLE, "--rules", "{}games/{}"), 2, id="rules-not-text"),
        pytest.param(("rank", "search-party", "{}no", "--maps", "maps"), 2, id="no-entry"),
        pytest.param(
            ("rank", "search-party", "{}", "--maps", "maps"), 0, id="entry-without-record"
        ),
        pytest.param(
            ("check", "rabbits", "{}.map", "{}.log", "--explain", "{}.new"), 1, id="explain"
        ),
    ],
)
def test_a_files_name_breaks_no_line_of_a_message(
    words: Sequence[object], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (BREAK, f"{BREAK}games", f"{BREAK}games/slime", f"{BREAK}games/{BREAK}", "maps"):
        (tmp_path / folder).mkdir()
    (tmp_path / f"{BREAK}games" / "slime" / "x.lp").write_text("")
    (tmp_path / f"{BREAK}games" / BREAK / "x.lp").write_bytes(b"\xff")
    (tmp_path / "maps" / f"{BREAK}.txt").write_bytes(MEADOW.read_bytes())
    (tmp_path / f"{BREAK}.map").write_bytes(STATION.read_bytes())
    (tmp_path / f"{BREAK}.log").write_text(
        LOG.read_text().replace("Total Score: 54", "Total Score: 9")
    )
    words = [str(word).replace("{}", BREAK) for word in words]

    ran = run(*words)

    assert ran.status == status, ran.err
    assert SHOWN_BREAK in ran.err
    assert "\nkb-score:" not in ran.err
    assert not unsafe(ran.err)


def test_errors_of_the_library_are_shown() -> None:
    for rules in (["\0"], ["\x1b[31m"]):
        with pytest.raises(kb_score.RuleError) as raised:
            kb_score.score("1 .\n . .\n", rules=rules)
        assert not unsafe(str(raised.value))
    with pytest.raises(kb_score.FormatError) as told:
        kb_score.parse_board("1 .\n \x1b\t x\n", name=NAME)
    assert not unsafe(str(told.value))
    first, line, caret, second, *_ = str(told.value).split("\n")
    assert second.startswith(f"a{SHOWN}b.txt:2:5: unexpected 'x'")
    assert first.startswith(f"a{SHOWN}b.txt:2:2: unexpected")
    assert line[caret.index("^") :].startswith("\\x1b")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="names are bytes on POSIX")
@pytest.mark.parametrize("format_", ["table", "csv", "json", "markdown"])
def test_a_name_that_is_no_text_is_shown(format_: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"x\xff.txt")
    (tmp_path / name).write_bytes(EXAMPLE.read_bytes())

    ran = run_process("score", name, "--format", format_, folder=tmp_path)

    shown = "x\\\\xff.txt" if format_ == "json" else "x\\xff.txt"
    assert (ran.status, shown in ran.out) == (0, True)
    assert run_process("rules", "export", name, folder=tmp_path).err.startswith(
        "x\\xff.txt: the folder cannot be created"
    )


@pytest.mark.parametrize(
    "words",
    [("check", "slime", "a.txt"), ("playground", "a.txt"), ("draw", "a.txt"), ("rules", "list")],
    ids=" ".join,
)
def test_a_word_too_many_is_made_visible(words: tuple[str, ...]) -> None:
    ran = run(*words, f"{RAW}x", f"{RAW}y")

    assert ran.status == 2
    assert "\\u202e" in ran.err
    assert "\u202e" not in ran.err
    assert "\x1b" not in ran.err
