"""Helpers for the verbs of ``rules``, which find rule files by their game's folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from kb_score.engine.changes import Changes, list_rule_files
from kb_score.errors import RuleError, guess
from kb_score.resources import (
    COMMON,
    find_folder,
    find_rule_folder,
    list_rule_folders,
    place_in_game,
)
from kb_score.shell.options import GameChoice

DEFAULT_GAME = "kingdom-builder"


def title_of(folder: str) -> str:
    """Return the name of the game whose rules are in a folder."""
    return folder.replace("_", "-")


def folder_of(game: str | None) -> str:
    """Return the name of a game's rules folder, by default that of kingdom-builder."""
    return (game or DEFAULT_GAME).replace("-", "_")


def list_folders() -> list[str]:
    """Return the names of the rules folders: one for each game, then the shared one."""
    return [*sorted(list_rule_folders()), COMMON]


game_option = click.option(
    "--game",
    type=GameChoice(lambda: map(title_of, list_folders())),
    help="Show only this game. --rules applies to this game, or to kingdom-builder by default.",
)


def explain_unknown(kinds: str, name: str, known: Iterable[str]) -> RuleError:
    """Return the error for a name that is in no rule file.

    The kinds say what it may be, such as "card or predicate".
    """
    hint = guess(name, known, ": ") or ": see kb-score rules list"
    if "game" in kinds:
        hint += "; --game-dir DIR adds a game of your own"
    return RuleError(f"there is no {kinds} {name!r}{hint}")


def list_files(folder: str, changes: Changes) -> list[Path]:
    """Return the rule files of a game: ours that the user does not replace, then the user's."""
    ours, users = list_rule_files(folder, changes)
    return [*ours, *users]


def name_file(folder: str, path: Path) -> str:
    """Return the path of a rule file for output; our paths are relative to the game's folder."""
    home = find_rule_folder(folder)
    if path.is_relative_to(home):
        path = path.relative_to(home)
    elif path.is_relative_to(find_folder("asp")):
        path = Path(place_in_game(path))
    return str(path)
