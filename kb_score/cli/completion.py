"""``kb-score completion``: what a shell completes, asked for by click.

A Tab is to be quick: values are read out of our rule files as text, without clingo and without
the verb that takes them. Those of a user's rules are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from kb_score.resources import find_folder

# In which files of a game the values of an option stand, and how.
_CARDS = "cards/*.lp", r'^card\((?P<value>\w+), *\d+, *"(?P<text>[^"]*)'
_TERRAINS = "notation.lp", r"\bbuildable\((?P<value>[a-z]+)(?P<text>)\)\."
_TILES = (
    "tiles/*.lp",
    r'^(?:tile|donation)\((?P<value>[a-z]\w*), *(?:\w+, *[\w-]+,\s*"(?P<text>[^"]*))?',
)
_RULINGS = (
    "**/*.lp",
    r"^% ruling: (?P<text>.*)(?:\n%.*)*\n% values: (?P<allowed>.*)\n"
    r"#const (?P<value>\w+) *= *\w+\.",
)
_QUADRANTS = "quadrants.txt", r"^% (?P<value>\w+)(?: \((?P<text>.*)\))? -- "
_VALUES = {"--cards": _CARDS, "--card": _CARDS, "--tile": _TILES, "--const": _RULINGS}


class _ValueVerb(click.Command):
    """Stands in for a verb while one of its values is completed."""

    def __init__(self, texts: Mapping[str, str], load: Callable[[], click.Command | None]) -> None:
        super().__init__("values")
        self.texts, self.load = texts, load

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-") and (command := self.load()):
            return command.shell_complete(ctx, incomplete)
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{value}", help=text)
            for value, text in self.texts.items()
            if value.startswith(last)
        ]


def find_values(
    words: Sequence[str], game: str, load: Callable[[], click.Command | None]
) -> click.Command | None:
    """Find what completes a value after a verb's words; None for other values."""
    verb, last = words[0], words[-1]
    where = _VALUES.get(last) if "--" not in words else None  # behind it is the command of a bot
    if last == "--card" and verb in ("legal", "advise"):
        where = _TERRAINS
    if verb == "board" and last not in ("-o", "--output"):
        where = _QUADRANTS
    if where is None:
        return None
    texts = dict[str, str]()
    for path in sorted((find_folder("asp") / game).glob(where[0])):
        for found in re.finditer(where[1], path.read_text(encoding="utf-8"), re.MULTILINE):
            for value in _list_values(found):
                texts[value] = found["text"] or ""
    if verb == "board":
        texts = {f"{name}{end}": texts[name] for name in texts for end in ("", "/180")}
    return _ValueVerb(texts, load)


def _list_values(found: re.Match[str]) -> list[str]:
    """List what completes a value: of a ruling its name with each value, or with = alone."""
    name = found["value"]
    if "allowed" not in found.groupdict():
        return [name]
    if "," not in found["allowed"]:
        return [f"{name}="]  # a range of numbers
    return [f"{name}={value.strip()}" for value in found["allowed"].split(",")]


class _OurComplete(ShellComplete):
    """Offers files where click knows nothing, completes ``--option=value``, and never fails.

    Most words are files, and shells leave them to us.
    """

    def complete(self) -> str:
        """Return what may follow, as the shell reads it; nothing where the words make no sense."""
        # Whatever goes wrong, a message amid the command line is worse than no completion.
        with suppress(Exception):
            return super().complete()
        return ""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """List what may stand in the place of the incomplete word."""
        if "--" in args:  # behind it is the command of a bot
            return [CompletionItem(incomplete, type="file")]
        option, equals, value = incomplete.partition("=")
        if not (equals and option.startswith("--")):
            found = super().get_completions(args, incomplete)
            return found or [CompletionItem(incomplete, type="file")]
        found = super().get_completions([*args, option], value)
        for item in found:
            item.value = f"{option}={item.value}"
        return found or [CompletionItem(incomplete, type="file")]


class _OurBashComplete(_OurComplete, BashComplete):
    """Completes in bash, which takes "=" for a word of its own."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """List what may stand in the place of the incomplete word, or behind it if it is "="."""
        words = _join_at_equals([*args, incomplete])
        found = super().get_completions(words[:-1], words[-1])
        begun = "" if incomplete == "=" else incomplete
        before = words[-1].removesuffix(begun)
        for item in found:
            item.value = item.value.removeprefix(before)
        return found


def _join_at_equals(words: Sequence[str]) -> list[str]:
    """Join the words that bash has parted at "=", as in ``--cards = 1``."""
    joined = list[str]()
    for number, word in enumerate(words):
        follows = word == "=" or (number > 0 and words[number - 1] == "=")
        if joined and follows:
            joined[-1] += word
        else:
            joined.append(word)
    return joined


class _OurZshComplete(_OurComplete, ZshComplete):
    """Completes in zsh."""


class _OurFishComplete(_OurComplete, FishComplete):
    """Completes in fish."""


_SHELLS = {shell.name: shell for shell in (_OurBashComplete, _OurZshComplete, _OurFishComplete)}


def register_shells() -> None:
    """Tell click of our shells, in a process that a shell asks for completions."""
    for shell in _SHELLS.values():
        add_completion_class(shell)


@click.command(epilog="Example: kb-score completion fish > kb-score.fish")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes verbs, games, options and values in SHELL.

    Values are cards, tiles, quadrants and rulings. For bash, add the line

        eval "$(kb-score completion bash)"

    to ~/.bashrc, and for zsh likewise to ~/.zshrc, behind compinit. For fish, write the script to
    ~/.config/fish/completions/kb-score.fish.
    """
    main = context.find_root().command
    click.echo(_SHELLS[shell](main, {}, "kb-score", "_KB_SCORE_COMPLETE").source())
