"""What a shell completes: verbs, games, options, and values out of the rules."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kb_score.cli import COMPLETION, main
from kb_score.cli.completion import register_shells
from kb_score.games.kingdom_builder.board import read_quadrants
from tests.helpers import ROOT, run


@pytest.fixture(autouse=True, scope="module")
def our_shells() -> None:
    register_shells()


def ask(shell: str, words: str, word: int | None = None) -> str:
    """Complete a word of a command line, by default the last one, as a shell asks for it."""
    number = words.count(" ") + 1 if word is None else word
    asked = {
        "COMP_WORDS": f"kb-score {words}",
        "COMP_CWORD": "" if shell == "fish" else str(number),
        COMPLETION: f"{shell}_complete",
    }
    result = CliRunner(env=asked).invoke(
        main, [], prog_name="kb-score", complete_var=COMPLETION, catch_exceptions=False
    )
    assert result.exit_code == 0
    return result.output


def ask_process(shell: str, words: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Complete the last of some words in a process of its own."""
    asked = {"COMP_WORDS": f"kb-score {words}", "COMP_CWORD": str(words.count(" ") + 1)}
    return subprocess.run(
        [sys.executable, *options, "-m", "kb_score"],
        env={**os.environ, **asked, COMPLETION: f"{shell}_complete"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
    )


def complete(words: str) -> dict[str, str]:
    lines = ask("zsh", words).splitlines()
    return {value: text for _, value, text in zip(*[iter(lines)] * 3, strict=True)}


def list_rules(section: str, column: int, game: str = "kingdom-builder") -> list[list[str]]:
    ran = run("rules", "list", section, "--game", game, "--format", "csv")
    return [row[column:] for row in csv.reader(ran.out.splitlines()[1:])]


@pytest.mark.parametrize(
    "words", ["score --cards ", "explain x --card ", "play kingdom-builder --cards "]
)
def test_cards_are_those_of_the_rules(words: str) -> None:
    assert complete(words) == dict(list_rules("cards", 1))


def test_a_list_of_cards_goes_on_behind_its_last_comma() -> None:
    assert complete("score x --cards 1,lords,mi") == {
        "1,lords,miners": "1 gold for each of your settlements beside a mountain"
    }


@pytest.mark.parametrize("game", ["kingdom-builder", "slime"])
def test_rulings_are_those_of_the_game_with_their_values(game: str) -> None:
    rows = run("rules", "list", "rulings", "--game", game, "--format", "json").json
    rulings = dict[str, str]()
    for row in rows:
        values = row["allowed"].split(", ")
        for value in values if len(values) > 1 else [""]:
            rulings[f"{row['ruling']}={value}"] = row["decides"]

    found = complete(f"check {game} --const ")

    assert found.keys() == rulings.keys()
    assert all(text and rulings[name].startswith(text) for name, text in found.items())
    if game == "kingdom-builder":
        assert complete("score --const ") == complete("draw x --const ") == found


@pytest.mark.slow
def test_quadrants_may_be_turned() -> None:
    names = [quadrant.name for quadrant in read_quadrants()]

    assert complete("board oracle ").keys() == {f"{n}{end}" for n in names for end in ("", "/180")}
    assert complete("board farm oa").keys() == {"oasis", "oasis/180"}
    assert "--output" in complete("board -")


def test_tiles_and_terrains_are_those_of_the_rules() -> None:
    files = {path.stem for path in (ROOT / "asp/kingdom_builder/tiles").iterdir()}
    tiles = files - {"donation", "sword_each"}
    found = complete("legal game.txt --tile ")

    assert {tile for tile in found if "_" not in tile} == tiles
    assert "donation_grass" in found
    assert complete("advise x --card ").keys() == {"grass", "canyon", "desert", "flower", "forest"}


@pytest.mark.slow
def test_what_else_there_is_stays_with_click() -> None:
    assert complete("chec").keys() == {"check"}
    assert complete("check sl").keys() == {"slime"}
    assert complete("score --for").keys() == {"--format", "--force"}
    assert complete("score --format j").keys() == {"json"}


@pytest.mark.parametrize(
    "words", ["score boa", "score x.txt --rules fo", "bot kingdom-builder -- ./bot --cards "]
)
def test_where_nothing_is_known_there_may_be_a_file(words: str) -> None:
    assert ask("zsh", words).startswith("file\n")


def test_a_value_is_found_without_its_verb() -> None:
    imported = ask_process("zsh", "score --cards ", "-X", "importtime").stderr

    assert "kb_score.cli.completion" in imported
    assert not re.search(r"\b(clingo|lark|rich|kb_score\.engine)\b", imported)


@pytest.mark.parametrize("verb", ["score", "explain", "board"])
def test_the_options_of_a_board_are_found_without_a_parser_and_other_verbs(verb: str) -> None:
    imported = ask_process("zsh", f"{verb} --", "-X", "importtime").stderr

    assert "kb_score.games.kingdom_builder.scoring" in imported
    assert not re.search(r"\b(lark|kingdom_builder\.check|games\.playground)\b", imported)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("score --cards=lo", {"--cards=lords"}, id="cards"),
        pytest.param("score x --cards=1,lo", {"--cards=1,lords"}, id="list"),
        pytest.param("score --format=j", {"--format=json"}, id="choice"),
        pytest.param("legal x --card=gra", {"--card=grass"}, id="terrain"),
    ],
)
def test_a_value_behind_an_equals_sign_is_completed(words: str, found: set[str]) -> None:
    assert complete(words).keys() == found


def test_an_equals_sign_of_a_bot_is_its_own() -> None:
    assert ask("zsh", "bot slime -- ./bot --format=j").startswith("file\n--format=j\n")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("score --cards = lo", "plain,lords\n", id="value"),
        pytest.param("score --cards=lo", "plain,--cards=lords\n", id="one-word"),
        pytest.param("score --format =", "plain,table\nplain,markdown\nplain,csv\nplain,json\n"),
        pytest.param("check slime --const = la", "plain,last_turn=\n", id="ruling"),
    ],
)
def test_bash_parts_words_at_equals_signs(words: str, found: str) -> None:
    assert ask("bash", words) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    "words",
    [
        "scoer ",
        "check foo ",
        "rank rabbits ",
        "score --no-such-option ",
        "rules nosuch ",
        'check "unclosed ',
        "check " + "a" * 5000 + " ",
        "= = ",
        "--version ",
    ],
)
def test_a_tab_never_fails(shell: str, words: str) -> None:
    printed = ask(shell, words)

    assert "Error" not in printed
    assert "Usage" not in printed


def test_a_tab_writes_nothing_and_waits_for_no_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    logs = ask_process("bash", f"play slime --bot-log {tmp_path / 'logs'} --b")
    piped = ask_process("bash", f"check {tmp_path / 'pipe'} --")
    wrong = ask_process("bash", "score --no-such-option ")

    assert "plain,--bot\n" in logs.stdout
    assert (logs.stderr, piped.stderr, wrong.stderr) == ("", "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_as_the_shell_does(shell: str) -> None:
    ran = run("completion", shell)

    assert (ran.status, ran.err) == (0, "")
    assert f"_KB_SCORE_COMPLETE={shell}_complete" in ran.out


@pytest.mark.slow
def test_bash_completes_cards_and_files(tmp_path: Path) -> None:
    command = tmp_path / "kb-score"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m kb_score "$@"\n')
    command.chmod(0o755)
    script = """
        compopt() { echo "$@"; }
        eval "$(kb-score completion bash)"
        COMP_WORDS=(kb-score explain board.txt --card mi); COMP_CWORD=4
        _kb_score_completion kb-score; echo "${COMPREPLY[@]}"
        COMP_WORDS=(kb-score score boa); COMP_CWORD=2
        _kb_score_completion kb-score; echo "${#COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("miners\n-o default\n0\n", "")
