"""Verbs, the games that they know, and the examples in their help."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kb_score.cli import main
from tests.helpers import EXAMPLE, ROOT, run

BOARDS = ROOT / "boards"


@pytest.mark.parametrize("verb", ["check", "play", "rank"])
def test_a_game_may_be_written_as_its_folder_is(verb: str) -> None:
    assert run(verb, "search_party", "--help").out == run(
        verb, "search-party", "--help"
    ).out.replace(f"{verb} search-party [", f"{verb} search_party [")


def test_a_game_that_a_verb_does_not_know_is_told_with_those_that_it_knows() -> None:
    ran = run("tournament", "rabbits")

    assert (ran.status, ran.out) == (2, "")
    assert "tournament has no game 'rabbits', but slime" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chekc"], "there is no verb 'chekc': did you mean check?"),
        (["xyz"], "there is no verb 'xyz'\n"),
        (["check", "slme"], "rabbits, search-party, slime: did you mean slime?"),
    ],
)
def test_a_word_that_is_misspelt_is_guessed(words: list[str], message: str) -> None:
    ran = run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(
    ("verb", "title"),
    [
        ("score", "Kingdom Builder"),
        ("explain", "Kingdom Builder"),
        ("board", "Kingdom Builder"),
        ("report", "Kingdom Builder"),
        ("advise", "Kingdom Builder"),
        ("restore", "Kingdom Builder"),
        ("tournament", "Slime"),
    ],
)
def test_the_list_of_verbs_says_which_are_of_one_game(verb: str, title: str) -> None:
    (about,) = re.findall(rf"^  {verb} +(\S.*\n(?: {{4,}}.*\n)*)", run("--help").out, re.M)

    assert title in " ".join(about.split())


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        pytest.param(["--help"], {"clingo", "lark", "numpy", "openskill"}, id="help"),
        pytest.param(
            ["score", EXAMPLE, "--cards", "miners"],
            {"numpy", "openskill", "kb_score.search.advise"},
            id="score",
        ),
    ],
)
def test_a_verb_loads_nothing_that_it_does_not_use(words: list[object], unused: set[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "kb_score", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}

    assert "click" in loaded
    assert not unused & loaded


@pytest.mark.parametrize("words", [[], ["score"], ["check", "slime"]])
def test_help_is_a_verb(words: list[str]) -> None:
    ran = run("help", *words)

    assert ran.status == 0
    assert ran == run(*words, "--help")


@pytest.mark.parametrize("verb", ["check", "contest", "rules"])
def test_a_verb_alone_is_helped(verb: str) -> None:
    ran = run(verb)

    assert ran.status == 2
    assert "\n\nOptions:\n" in ran.err


def test_an_option_before_the_verb_is_told_where_it_belongs() -> None:
    ran = run("--format", "json", "score", EXAMPLE)

    assert (ran.status, ran.out) == (2, "")
    assert "options go after the verb" in ran.err


@pytest.mark.parametrize("verb", ["draw", "playground"])
def test_an_empty_word_is_no_board(verb: str) -> None:
    ran = run(verb, "")

    assert (ran.status, ran.out) == (2, "")
    assert "is a directory" in ran.err


def list_examples(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from list_examples(found, (*words, name))
    if command.epilog:
        _, _, examples = command.epilog.partition("Example")
        yield from re.findall("kb-score .*", examples)


@pytest.mark.parametrize("example", sorted(set(list_examples(main))))
def test_the_command_of_an_example_has_its_options(example: str) -> None:
    # What stands behind -- is a bot, and behind a bar another program.
    words = shlex.split(example.partition(" -- ")[0].partition(" | ")[0])
    assert words[0] == "kb-score"

    ran = run(*words[1:], "--help")

    assert (ran.status, ran.err) == (0, "")
    assert example.split()[1] in ran.out.split("\n")[0]


@pytest.mark.parametrize("verb", [["score"], ["check"], ["check", "slime"]])
def test_a_file_that_begins_with_a_hyphen_is_written_with_a_dot(
    verb: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-board.txt").write_text("1 2\n . .\n")

    there, absent = run(*verb, "-board.txt"), run(*verb, "-other.txt")

    assert there.status == absent.status == 2
    assert there.err.endswith("No such option '-b'. (name the file as ./-board.txt)\n")
    assert "name the file" not in absent.err
