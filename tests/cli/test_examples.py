"""The examples in the help of the commands: they are commands that there are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from kb_score.cli import main
from tests.helpers import run


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
