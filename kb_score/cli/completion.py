"""The verb ``completion``, and the completion of words in a shell.

Completion must be fast, so values are read from our rule files as text, without clingo and without
the module of the verb. Values from a user's rules are not completed.
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

# The files of a game that contain the values of an option, and a pattern that finds the values.
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
    """A command that stands in for a verb while a shell completes a value of the verb."""

    def __init__(self, texts: Mapping[str, str], load: Callable[[], click.Command | None]) -> None:
        super().__init__("values")
        self.texts = texts
        self.load = load

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            command = self.load()
            if command:
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
    """Return a command that completes the value after the words of a verb.

    It is None if our rule files do not contain such values.
    """
    verb = words[0]
    last = words[-1]
    where = _VALUES.get(last) if "--" not in words else None  # the words after it are a bot's
    if last == "--card" and verb in ("legal", "advise"):
        where = _TERRAINS
    if verb == "board" and last not in ("-o", "--output"):
        where = _QUADRANTS
    if where is None:
        return None
    files, pattern = where
    texts = dict[str, str]()
    folder = find_folder("asp") / game
    for path in sorted(folder.glob(files)):
        rules = path.read_text(encoding="utf-8")
        for found in re.finditer(pattern, rules, re.MULTILINE):
            for value in _list_values(found):
                texts[value] = found["text"] or ""
    if verb == "board":
        texts = _add_turned(texts)
    return _ValueVerb(texts, load)


def _add_turned(quadrants: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of quadrants, each followed by that of the turned quadrant."""
    texts = {}
    for name, text in quadrants.items():
        texts[name] = text
        texts[f"{name}/180"] = text
    return texts


def _list_values(found: re.Match[str]) -> list[str]:
    """Return the values of a match: for a ruling, its name with each value or with "=" only."""
    name = found["value"]
    if "allowed" not in found.groupdict():
        return [name]
    allowed = found["allowed"]
    if "," not in allowed:
        return [f"{name}="]  # a range of numbers
    return [f"{name}={value.strip()}" for value in allowed.split(",")]


class _OurComplete(ShellComplete):
    """Completes words as click does, as well as ``--option=value`` and files, and never fails.

    Most words are files; shells do not complete them by themselves.
    """

    def complete(self) -> str:
        """Return the completions in the shell's format; empty if there is an error."""
        # A message in the middle of the command line would be worse than no completion.
        with suppress(Exception):
            return super().complete()
        return ""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of the last word."""
        if "--" in args:  # the words after it are the command of a bot
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
    """Completes in bash, which splits words at "="."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of the last word, or of the value after it if it is "="."""
        words = _join_at_equals([*args, incomplete])
        found = super().get_completions(words[:-1], words[-1])
        begun = "" if incomplete == "=" else incomplete
        before = words[-1].removesuffix(begun)
        for item in found:
            item.value = item.value.removeprefix(before)
        return found


def _join_at_equals(words: Sequence[str]) -> list[str]:
    """Rejoin words that bash has split at "=", as in ``--cards = 1``."""
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
    """Register our classes with click, in a process that a shell asks for completions."""
    for shell in _SHELLS.values():
        add_completion_class(shell)


@click.command(epilog="Example: kb-score completion fish > kb-score.fish")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes verbs, games, options and values in a shell.

    Values are cards, tiles, quadrants and rulings. For bash, add the line

        eval "$(kb-score completion bash)"

    to ~/.bashrc. For zsh, add the same line with zsh in place of bash to ~/.zshrc, after compinit.
    For fish, write the script to ~/.config/fish/completions/kb-score.fish.
    """
    main = context.find_root().command
    completer = _SHELLS[shell](main, {}, "kb-score", "_KB_SCORE_COMPLETE")
    click.echo(completer.source())
