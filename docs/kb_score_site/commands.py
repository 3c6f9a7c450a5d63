"""A page for each verb of the command: its help, and that of the commands under it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kb_score.cli import main
from kb_score_site.command import run_command
from kb_score_site.links import REFERENCE
from kb_score_site.markdown import escape, fence, write_contents

COMMANDS = f"{REFERENCE}/commands"


def write_commands() -> dict[str, str | bytes]:
    """Write the pages of all verbs, and one that lists them."""
    verbs = list_verbs()
    lines = [f"- [kb-score {name}]({name}.md): {escape(text)}\n" for name, text in verbs.items()]
    index = (
        f"# The commands\n\n{''.join(lines)}\n"
        f"`kb-score --help` prints:\n\n{_write_help(())}{write_contents(verbs)}"
    )
    return {
        f"{COMMANDS}/index.md": index,
        **{f"{COMMANDS}/{verb}.md": _write_verb(verb) for verb in verbs},
    }


def list_verbs() -> dict[str, str]:
    """List the verbs, and what each of them does."""
    context = click.Context(main)
    found = ((name, main.get_command(context, name)) for name in main.list_commands(context))
    return {name: command.get_short_help_str(100) for name, command in found if command}


def _write_verb(verb: str) -> str:
    parts = [
        f"{'#' * len(words)} kb-score {' '.join(words)}\n\n{_write_help(words)}"
        for words in _list_words((verb,), main)
    ]
    return "\n".join(parts)


def _list_words(words: tuple[str, ...], parent: click.Group) -> Iterator[tuple[str, ...]]:
    """List a command, by the words that call it, and all that stand under it."""
    yield words
    command = parent.get_command(click.Context(parent), words[-1])
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from _list_words((*words, name), command)


def _write_help(words: tuple[str, ...]) -> str:
    return fence(run_command(*words, "--help"))
