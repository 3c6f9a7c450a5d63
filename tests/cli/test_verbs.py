"""Verbs, the games that they know, and the examples in their help."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from kb_score.cli import main
from tests.helpers import EXAMPLE, ROOT, run


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


@pytest.mark.parametrize("verb", ["", "check", "contest table"])
def test_help_is_whole_without_docstrings(verb: str) -> None:
    helps = []
    for flag in ("-O", "-OO"):
        command = [sys.executable, flag, "-m", "kb_score", *verb.split(), "--help"]
        helps.append(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    assert helps[0] == helps[1]
