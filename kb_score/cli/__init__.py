"""The command ``kb-score``, which loads a verb only when it is called, to start fast."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_score.cli.verbs import KINGDOM_BUILDER, VERBS, Verb
from kb_score.errors import ANY_FILE, KbScoreError, describe_list, guess, visible
from kb_score.games import GameFolder, check_folders, list_games, recognise
from kb_score.resources import add_user_folders, is_folder, is_game, is_there, list_rule_folders
from kb_score.shell.files import list_inputs, read_input
from kb_score.shell.options import keep_help
from kb_score.shell.output import Exit, complain, show_progress
from kb_score.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_EXAMPLES = """\
\b
Examples:
  kb-score score board.txt --cards 1,3,7
  kb-score check slime session.txt --why
  kb-score play search-party field.txt -- python3 bot.py
"""
# The key of the words of the command line in click's context.
_WORDS = "kb_score.words"
_GAME_FOLDER = "--game-dir"
# The environment variable with which a shell asks for completions.
COMPLETION = "_KB_SCORE_COMPLETE"


class Verbs(click.Group):
    """The verbs of kb-score."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the verbs in the order of the documentation."""
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Load a verb, and return its command; None if there is no such verb."""
        verb = VERBS.get(name)
        if verb is None:
            return None
        if verb.of == "games":
            return _GameVerb(verb)
        if verb.of == "game":
            return keep_help(verb.load(list_games()[verb.game]))
        return keep_help(verb.load())

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs to the help, group by group, without loading them."""
        for group, verbs in groupby(VERBS.values(), lambda verb: verb.group):
            lines = [(f"{verb.name:10}", verb.about) for verb in verbs]
            with formatter.section(group):
                formatter.write_dl(lines)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a verb without loading any."""
        verbs = {verb.name: verb.about for verb in VERBS.values()}
        return _complete(self, context, incomplete, verbs)

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Parse the words before the verb; the verb parses those after it."""
        if arguments[:1] == ["help"]:
            arguments = [*arguments[1:], "--help"]
        context.meta[_WORDS] = tuple(arguments)
        arguments = _take_game_folders(context, arguments)
        arguments = _name_games(context, arguments)
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            hint = "options go after the verb, as in: kb-score score BOARD --format csv"
            message = visible(error.format_message())
            raise click.UsageError(f"{message} ({hint})", context) from None

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb of the command line; a usage error suggests similar ones."""
        name = arguments[0]
        if name not in VERBS:
            hint = guess(name, VERBS, ": ", 3)
            if is_there(name) or name.endswith(".txt"):
                score = f"to score a board: kb-score score {name}"
                hint = f"; {score}; to check a record: kb-score check {name}"
            raise click.UsageError(f"there is no verb {name!r}{hint}", context)
        if context.resilient_parsing:  # a shell asks for completions
            from kb_score.cli.completion import find_values

            game = VERBS[name].game or KINGDOM_BUILDER
            if arguments[1:] and arguments[1] in list_games():
                game = arguments[1]
            load = partial(self.get_command, context, name)
            values = find_values(arguments, game.replace("-", "_"), load)
            if values is not None:
                return name, values, []
        return super().resolve_command(context, arguments)

    def invoke(self, context: click.Context) -> object:
        """Run a verb, and exit with the status that it returns; errors show no traceback."""
        if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
            context.color = False
        try:
            check_folders()
            status = super().invoke(context)
            context.exit(int(status or Exit.FINE))
        except click.ClickException as error:
            message = error.message
            words = context.meta.get(_WORDS, ())
            if isinstance(error, click.NoSuchOption):
                # Dashes would make all options alike.
                name = error.option_name.lstrip("-")
                alike = [
                    word for word in error.possibilities or () if guess(name, [word.lstrip("-")])
                ]
                object.__setattr__(error, "possibilities", alike)
                message += _hint_at_file(error, words)
            if "extra argument" in message and {"--card", "--cards"}.intersection(words):
                message += " (separate cards with commas, as in --cards miners,lords)"
            # click quotes some words of the command line unescaped; its help has several lines.
            keep = "\n" if message.startswith("Usage: ") else ""
            escaped = visible(message, keep)
            object.__setattr__(error, "message", escaped)
            raise
        except KbScoreError as error:
            complain(error)
            context.exit(Exit.UNUSABLE)
        finally:
            show_progress("")


def _take_game_folders(context: click.Context, words: list[str]) -> list[str]:
    """Remove ``--game-dir`` from the words, and add its folders until the command ends.

    The folders decide which games the other words may name, so click parses only those words.
    """
    # The words after -- are the command of a bot.
    end = words.index("--") if "--" in words else len(words)
    folders = []
    left = []
    waiting = iter(words[:end])
    for word in waiting:
        name, is_joined, value = word.partition("=")
        if name != _GAME_FOLDER:
            left.append(word)
            continue
        folder = value if is_joined else next(waiting, "")
        if not folder:
            raise click.UsageError(f"Option {_GAME_FOLDER!r} requires an argument.", context)
        folders.append(folder)
    if folders:
        context.call_on_close(add_user_folders(folders))
    return left + words[end:]


def _name_games(context: click.Context, words: list[str]) -> list[str]:
    """Return the words with the names of games in place of their folders, and add the folders."""
    verb = VERBS.get(words[0]) if words else None
    if verb is None:
        return words
    named = list(words)
    end = words.index("--") if "--" in words else len(words)
    for number, word in enumerate(words[1:end], 1):
        before = words[number - 1]
        follows = number == 1 and verb.of == "games"
        is_option = before == "--game" or word.startswith("--game=")
        # The verbs of rules take games among other names.
        is_name = verb.name == "rules" and number > 1 and not before.startswith("-")
        folder = word.removeprefix("--game=")
        if not (follows or is_option or is_name) or not is_folder(folder):
            continue
        if is_game(Path(folder)) and folder.replace("_", "-") not in list_games():
            path = os.path.realpath(folder)
            name = os.path.basename(path).replace("_", "-")  # noqa: PTH119
            named[number] = word.removesuffix(folder) + name
            if path not in map(os.path.realpath, list_rule_folders().values()):
                context.call_on_close(add_user_folders([folder]))
    return named


def _hint_at_file(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Return how to name a file that was taken for an option; empty if there is no such file."""
    for word in words:
        if word.startswith(error.option_name) and is_there(word):
            return f" (name the file as ./{word})"
    return ""


class _GameVerb(click.Group):
    """A verb that is followed by the name of a game, such as ``check slime``."""

    def __init__(self, verb: Verb) -> None:
        text = verb.about
        metavar = "GAME ..."
        if verb.files_show_game:
            text += "\n\nGAME may be omitted if the files show which game it is."
            metavar = "[GAME] ..."
        super().__init__(name=verb.name, help=text, subcommand_metavar=metavar)
        self.verb = verb

    def games(self) -> dict[str, GameFolder]:
        return {name: game for name, game in list_games().items() if self.verb.is_of(game)}

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        if arguments:
            first = arguments[0]
            is_option = first.startswith("-") and first not in context.help_option_names
            may_find = is_option or is_there(first)
        else:
            may_find = not self.verb.needs_files
        if may_find:
            game = self._find_game(context, arguments)
            if game:
                arguments = [game, *arguments]
        return super().parse_args(context, arguments)

    def _find_game(self, context: click.Context, words: Sequence[str]) -> str:
        """Return the game to add to a command line; empty if the words name a game already.

        It is the game of the first file that shows one, or the default. A file that may belong to
        several games is a usage error.
        """
        if words and self.get_command(context, words[0]) is not None:
            return ""
        default = self.verb.game
        if not self.verb.files_show_game:
            return default
        for path in words:
            if context.resilient_parsing and not (is_folder(path) or Path(path).is_file()):
                continue  # completion must not wait for a pipe
            with suppress(KbScoreError):
                found = self._recognise(path)
                if default in found:
                    return default
                if len(found) > 1 and not default:
                    looks = f"{path!r} looks like a file of {describe_list(found)}"
                    raise click.UsageError(f"{looks}: name the game before it", context)
                if found:
                    return found[0]
        return default

    def _recognise(self, path: str) -> list[str]:
        """Return the games that a file, or the first file of a folder, may belong to."""
        text = ""
        if is_there(path):
            text = read_input(next(list_inputs([path])), ANY_FILE)
        games = self.games()
        return [name for name in recognise(text) if name in games]

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.games())

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        game = self.games().get(name.lower().replace("_", "-"))  # folder names have underscores
        if game is None:
            return None
        return keep_help(self.verb.load(game))

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        games = {name: game.about for name, game in self.games().items()}
        return _complete(self, context, incomplete, games)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        if self.get_command(context, name) is None:
            # Without a game, the words belong to the verb's default game.
            default = self.verb.game
            is_name = re.fullmatch(r"[A-Za-z][\w-]*", name) is not None and not is_there(name)
            if default and not is_name:
                return default, self.get_command(context, default), arguments
            if not name.startswith("-"):
                games = self.games()
                hint = guess(name, games, "; ", 3)
                listed = ", ".join(games)
                message = f"{self.verb.name} has no game {name!r}: its games are {listed}"
                message += f"; {_GAME_FOLDER} DIR adds a game of your own{hint}"
                raise click.UsageError(message, context)
        return super().resolve_command(context, arguments)


def prepare_process() -> None:
    """Set up a process that only runs the command."""
    # Rules create many objects, and most of them survive: frequent garbage collection is slow.
    gc.set_threshold(100_000, 50, 50)
    if COMPLETION in os.environ:
        from kb_score.cli.completion import register_shells

        register_shells()


def _complete(
    group: click.Group, context: click.Context, incomplete: str, names: Mapping[str, str]
) -> list[CompletionItem]:
    """Return the completions of a word: names with their descriptions, then a group's options."""
    from click.shell_completion import CompletionItem

    items = [
        CompletionItem(name, help=about)
        for name, about in names.items()
        if name.startswith(incomplete)
    ]
    return items + click.Command.shell_complete(group, context, incomplete)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="VERB ...",
    epilog=_EXAMPLES,
)
@click.option(
    _GAME_FOLDER,
    metavar="DIR",
    expose_value=False,
    help="Add the game in this folder; may appear anywhere on the command line. Repeatable.",
)
@click.version_option(__version__, prog_name="kb-score")
def main() -> None:
    """Score and cross-check grid games by rules that anyone can read.

    The rules are answer set programs: `kb-score rules list` shows them.

    `kb-score help VERB` describes a verb.
    """


keep_help(main)
