"""Ask the rules of a game, in this process or in a child process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from kb_score.api.arguments import Text, read_text, take_options
from kb_score.api.limits import call
from kb_score.engine.rules import GameRules
from kb_score.errors import FileKind, InputError
from kb_score.games import GameFolder
from kb_score.games.blame import blame_rules
from kb_score.resources import is_game, use_folder

if TYPE_CHECKING:
    from kb_score.games.game import File, Option
    from kb_score.games.game import Game as GameType

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Questions:
    """Asks the rules of a game, with a caller's changes.

    Attributes:
        name: The name of the game on the command line.
        rules: The rules with the changes.
        folder: The folder of the game, if the caller named one; otherwise None.
        limit_seconds: The time limit for each question about a record; None for no limit.
    """

    name: str
    rules: GameRules
    folder: Path | None = None
    limit_seconds: float | None = None

    @property
    def type(self) -> GameType:
        """The object that implements the game for the verbs of the command line."""
        return self.run(_find_type)

    def run(
        self, function: Callable[Concatenate[Questions, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Call a function in this process, with the game's folder in use.

        Args:
            function: The function; its first argument is this object.
            args: Its other arguments.
            options: More arguments, by name.

        Returns:
            The result of the function.
        """
        with use_folder(self.folder), blame_rules(self.rules):
            return function(self, *args, **options)

    def ask(
        self, function: Callable[Concatenate[Questions, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Call a function as `run` does, in a child process if there is a time limit.

        Args:
            function: The function; its first argument is this object.
            args: Its other arguments.
            options: More arguments, by name.

        Returns:
            The result of the function.

        Raises:
            LimitError: The call took longer than the limit.
        """
        return call(self.limit_seconds, _run, self, function, args, options)

    def take_options(self, verb: str, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all options of a verb.

        Args:
            verb: The verb: check, draw or legal.
            given: The values that the caller gives, by name.

        Raises:
            InputError: There is no such option, or an option cannot have its value.
        """
        options = self.type.options
        known: dict[str, Sequence[Option]] = {
            "check": options.check,
            "draw": options.draw,
            "legal": options.legal,
        }
        return take_options(known[verb], given, f"{verb} of {self.name}")

    def read_files(self, record: Text | None, map_: Text | None) -> list[File]:
        """Return the map, if the game has maps, and the record, if there is one.

        Args:
            record: The record; None if there is only a map.
            map_: The map; None if the game has no maps.

        Raises:
            KbScoreError: A file cannot be read, is missing, or is a map for a game that has none.
        """
        game = self.type
        files = self.read_maps(map_, game.maps)
        if record is not None:
            file = read_text(record, game.record, "record")
            files.append(file)
        elif not files:
            raise InputError("record", f"{game.record} is missing")
        return files

    def read_maps(self, map_: Text | None, kinds: Sequence[FileKind]) -> list[File]:
        """Return a list with the map, which is empty if the game has no maps.

        Args:
            map_: The map; None if there is none.
            kinds: The kinds of maps that the game needs: one, or none.

        Raises:
            KbScoreError: The map cannot be read, is missing, or is not needed.
        """
        if not kinds:
            if map_ is not None:
                raise InputError("map", f"{self.name} takes no map here")
            return []
        if map_ is None:
            raise InputError("map", f"{kinds[0]} is missing: {self.name} is played on maps")
        file = read_text(map_, kinds[0], "map", "<map>")
        return [file]


def _run(questions: Questions, function: Callable[..., T], args: Any, options: Any) -> T:
    return questions.run(function, *args, **options)


def _find_type(questions: Questions) -> GameType:
    folder = questions.folder
    if folder is not None and not is_game(folder):
        raise InputError(str(folder), "the game's folder is no longer there")
    return GameFolder(questions.rules.game).type
