"""How the library asks about a game: in this process or in a child."""

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
    """What the library asks the rules of a game, with a caller's changes.

    Attributes:
        name: The name of the game on the command line.
        rules: Its rules, with the changes.
        folder: Its folder, if the caller has named one.
        limit_seconds: How long each question about a record may take; None for no limit.
    """

    name: str
    rules: GameRules
    folder: Path | None = None
    limit_seconds: float | None = None

    @property
    def type(self) -> GameType:
        """What the verbs of the command line are made of."""
        return self.run(_find_type)

    def run(
        self, function: Callable[Concatenate[Questions, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Call a function with this, in this process, where the game's folder is known."""
        with use_folder(self.folder), blame_rules(self.rules):
            return function(self, *args, **options)

    def ask(
        self, function: Callable[Concatenate[Questions, P], T], *args: P.args, **options: P.kwargs
    ) -> T:
        """Call a function with this, in a child process if there is a limit.

        Raises:
            LimitError: It has taken longer than the limit.
        """
        return call(self.limit_seconds, _run, self, function, args, options)

    def take_options(self, verb: str, given: dict[str, Any]) -> dict[str, Any]:
        """Take the options of a verb; an InputError says what is wrong with them."""
        options = self.type.options
        known: dict[str, Sequence[Option]] = {
            "check": options.check,
            "draw": options.draw,
            "legal": options.legal,
        }
        return take_options(known[verb], given, f"{verb} of {self.name}")

    def read_files(self, record: Text | None, map_: Text | None) -> list[File]:
        """Read the map, if the game has maps, and the record, if there is one.

        Raises:
            KbScoreError: A file cannot be read, or one is missing.
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
        """Read the map, where there is to be one; errors are those of `read_files`."""
        if not kinds:
            if map_ is not None:
                raise InputError("map", f"{self.name} has no maps here")
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
