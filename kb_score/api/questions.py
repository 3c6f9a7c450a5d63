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
    from kb_score.games.game import Game as GameType
    from kb_score.games.match import File

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Questions:
    """Asks the rules of a game, with a caller's changes.

    Attributes:
        name: The name of the game on the command line.
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
        """Return the result of a function of this object, called in this process.

        The game's folder is in use meanwhile.
        """
        with use_folder(self.folder), blame_rules(self.rules):
            return function(self, *args, **options)

    def ask(
        self, function: Callable[Concatenate[Questions, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Call a function as `run` does, in a child process if there is a time limit.

        Raises:
            LimitError: The call took longer than the limit.
        """
        return call(self.limit_seconds, _run, self, function, args, options)

    def take_options(self, verb: str, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all options of a verb: check, draw or legal.

        A name or a value that is not allowed is an InputError.
        """
        return take_options(self.type.list_options(verb), given, f"{verb} of {self.name}")

    def read_files(self, record: Text | None, map_: Text | None) -> list[File]:
        """Return the map, if the game has maps, and the record, if there is one.

        A file that is missing, and a map for a game that has none, are errors.
        """
        game = self.type
        files = self.read_maps(map_, game.maps)
        if record is not None:
            files.append(read_text(record, game.record, "record"))
        elif not files:
            raise InputError("record", f"{game.record} is missing")
        return files

    def read_maps(self, map_: Text | None, kinds: Sequence[FileKind]) -> list[File]:
        """Return a list with the map, which is empty if no kind of map is needed.

        A map that is missing or is not needed is an error.
        """
        if not kinds:
            if map_ is not None:
                raise InputError("map", f"{self.name} takes no map here")
            return []
        if map_ is None:
            raise InputError("map", f"{kinds[0]} is missing: {self.name} is played on maps")
        return [read_text(map_, kinds[0], "map", "<map>")]


def _run(questions: Questions, function: Callable[..., T], args: Any, options: Any) -> T:
    return questions.run(function, *args, **options)


def _find_type(questions: Questions) -> GameType:
    folder = questions.folder
    if folder is not None and not is_game(folder):
        raise InputError(str(folder), "the game's folder is no longer there")
    return GameFolder(questions.rules.game).type
