"""``kb-score completion``: what a shell completes, asked for by click.

A Tab is to be quick: values are read out of our rule files as text, without clingo and without
the verb that takes them. Those of a user's rules are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

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
    """Find what completes a value after a verb's words; None if it is none that we know."""
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


class _OrFiles(ShellComplete):
    """Offers files where click knows nothing: most words are files, and shells leave it to us."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


def _make_shells() -> dict[str, type[ShellComplete]]:
    shells: Sequence[type[ShellComplete]] = (BashComplete, ZshComplete, FishComplete)
    return {shell.name: type(shell.__name__, (_OrFiles, shell), {}) for shell in shells}


def register_shells() -> None:
    """Tell click of our shells, in a process that a shell asks for completions."""
    for shell in _make_shells().values():
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
    click.echo(_make_shells()[shell](main, {}, "kb-score", "_KB_SCORE_COMPLETE").source())
