"""Games: check and draw their records, write their facts, and start new matches."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score.api.arguments import (
    LARGEST,
    Constants,
    Folders,
    Text,
    expect,
    make_changes,
    read_text,
    take_options,
    wrong,
)
from kb_score.api.limits import check_seconds
from kb_score.api.positions import Position, PositionSource
from kb_score.api.questions import Questions
from kb_score.api.replays import Replay, draw_record
from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import Ruling, read_rule_files
from kb_score.engine.loading import check_constants
from kb_score.engine.rules import Asked, GameRules
from kb_score.engine.terms import write_facts
from kb_score.errors import FileKind, InputError, guess
from kb_score.games import GameFolder, check_game_name
from kb_score.games import list_games as find_games
from kb_score.games.match import MatchSetup
from kb_score.games.options import Option
from kb_score.resources import is_game
from kb_score.shell.verdict import Verdict

if TYPE_CHECKING:
    from kb_score.api.matches import Match
    from kb_score.games.match import File


def list_games() -> tuple[str, ...]:
    """Return the names of the games, such as ``"slime"``, in alphabetical order."""
    return tuple(find_games())


def game(
    name: str | PathLike[str],
    *,
    rules: Folders = (),
    constants: Constants | None = None,
    limit_seconds: float | None = None,
) -> Game:
    """Return a game by its name or its folder.

        >>> import kb_score
        >>> slime = kb_score.game("slime", constants={"last_turn": 12})
        >>> slime.players
        (4, 4)

    Args:
        name: The name of the game, see `list_games`; or the path of a folder that is a game.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"last_turn": 12}``; a value is a number or a word.
        limit_seconds: The time limit for each question about a record; None for no limit. With a
            limit, a separate process answers each question; starting it takes a quarter of a
            second.

    Raises:
        InputError: There is no such game, or an argument has a wrong value.
        RuleError: A folder is missing, or a ruling cannot have its value.
    """
    changes = make_changes(rules, constants)
    check_seconds(limit_seconds)
    expect(name, "name", (str, PathLike), "the name of a game, or a folder")
    known = find_games()
    folder = None
    found = known.get(name) if isinstance(name, str) else None
    if found is None:
        folder = _find_folder(name)
        if folder is None:
            names = ", ".join(known)
            meant = guess(str(name), known)
            message = f"this is neither a game nor a game's folder: the games are {names}{meant}"
            raise InputError(str(name), message)
        check_game_name(folder)
        found = GameFolder(folder.name.replace("-", "_"))
    questions = Questions(found.name, GameRules(found.folder, changes), folder, limit_seconds)
    # Mistakes in the rules are reported now, before the first question.
    questions.ask(_read_rules)
    return Game(questions)


def _find_folder(name: str | PathLike[str]) -> Path | None:
    """Return the absolute path of a game's folder; None for any other folder."""
    try:
        folder = Path(os.path.realpath(name))  # a loop of links has a path, but is no folder
        if is_game(folder):
            return folder
    except (OSError, ValueError):
        pass
    return None


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """A game, with the rules that judge it.

    Several threads may call its methods at once. Files are given as texts or as paths: a string is
    always a text, so the file ``game.txt`` is ``Path("game.txt")``.
    """

    _questions: Questions

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    @property
    def name(self) -> str:
        """The name of the game on the command line."""
        return self._questions.name

    @property
    def rules(self) -> GameRules:
        """The rules with the caller's changes."""
        return self._questions.rules

    @property
    def about(self) -> str:
        """A description of the game in one line."""
        return self._questions.run(_describe)

    @property
    def players(self) -> tuple[int, int]:
        """The smallest and the largest number of players of a match."""
        return self._questions.type.players

    @property
    def settings(self) -> tuple[Option, ...]:
        """The options of a match, besides its map and its number of players."""
        return self._questions.type.settings

    def check(self, record: Text, *, map: Text | None = None, **options: Any) -> Verdict:  # noqa: A002
        """Return the verdict on a record, with the result and the violations of the rules.

        Args:
            record: The record.
            map: Its map, in games that have maps.
            options: The options of ``kb-score check``, by name.

        Raises:
            FormatError: A file does not follow its format; the error has path, line and column.
            InputError: A file cannot be used, a map is missing, or there is no such option.
            RuleError: A rule of the caller is wrong.
            LimitError: The check took longer than ``limit_seconds``.
        """
        files = self._questions.read_files(record, map)
        given = self._questions.take_options("check", options)
        return self._questions.ask(_check, files, given)

    def position(
        self,
        record: Text | None = None,
        *,
        map: Text | None = None,  # noqa: A002
        turn: int | None = None,
        **options: Any,
    ) -> Position:
        """Return the position before a turn of a record, which can be asked for its legal moves.

        Args:
            record: The record; None for the first turn on a map.
            map: As for `check`.
            turn: The number of the turn, from 1; None for the one after the last, for which Kingdom
                Builder needs the option ``card``.
            options: The options of ``kb-score legal``, by name; for Kingdom Builder ``card``,
                ``player``, ``after`` and ``tiles``.

        Raises:
            KbScoreError: As for `check`; or the record has no such turn, or breaks the rules before
                it.
        """
        if turn is not None and (type(turn) is not int or not 1 <= turn < LARGEST):
            raise wrong("turn", "a turn number that is at least 1", turn)
        files = self._questions.read_files(record, map)
        given = self._questions.take_options("legal", options)
        source = PositionSource(tuple(files), turn, given)
        return Position.open(self._questions, source)

    def replay(
        self,
        record: Text | None = None,
        *,
        map: Text | None = None,  # noqa: A002
        **options: Any,
    ) -> Replay:
        """Return pictures of each turn of a record, or of the start on a map.

        Args:
            record: The record; None for the start on a map.
            map: As for `check`.
            options: The options of ``kb-score draw`` for this game, by name.

        Raises:
            KbScoreError: As for `check`; or there is nothing to draw.
        """
        files = self._questions.read_files(record, map)
        given = self._questions.take_options("draw", options)
        return draw_record(self._questions, files, given)

    def new_match(
        self,
        *,
        map: Text | None = None,  # noqa: A002
        players: int | None = None,
        seed: int = 1,
        **settings: Any,
    ) -> Match:
        """Return a new match, which the caller plays move by move.

        Args:
            map: The map, in games that have maps.
            players: The number of players; None for the smallest number.
            seed: The random seed: the same seed and moves give the same match, as with
                ``kb-score play --seed``. For rabbits, 0 stands for a random seed.
            settings: Options of the match, by name; see `settings`.

        Raises:
            KbScoreError: There is no such match, or a rule of the caller is wrong.
        """
        from kb_score.api.matches import Match

        game = self._questions.type
        least, most = game.players
        number = least if players is None else players
        if type(number) is not int or not least <= number <= most:
            expected = f"a number from {least} to {most}"
            if least == most:
                expected = str(least)
            raise wrong("players", expected, players)
        if type(seed) is not int or not 0 <= seed < LARGEST:
            raise wrong("seed", "a number that is at least 0", seed)
        files = self._questions.read_maps(map, game.match_maps)
        others = ["map", "players", "seed"] if game.match_maps else ["players", "seed"]
        given = take_options(game.settings, settings, f"a match of {self.name}", others)
        setup = MatchSetup(
            files=tuple(files), settings=given, seed=game.find_seed(seed), players=number
        )
        return Match(self._questions, setup)

    def facts(self, text: Text) -> str:
        """Return the facts of a map or a record, as text for clingo.

        Args:
            text: The text that ``kb-score facts`` reads: for most games a map.

        Raises:
            KbScoreError: The text cannot be read.
        """
        kind = self._questions.run(_find_kind_of_facts)
        file = read_text(text, kind, "text")
        return self._questions.ask(_write_facts, file)

    def programs(self, record: Text, *, map: Text | None = None) -> tuple[str, ...]:  # noqa: A002
        """Return the programs that judge a record: facts and rules that plain clingo can run.

        There is one, or several if the record is checked part by part. The arguments and the errors
        are those of `check`.
        """
        files = self._questions.read_files(record, map)
        return self._questions.ask(_write_programs, files)

    def find_explanation(self, record: Text, *, map: Text | None = None) -> str:  # noqa: A002
        """Return choices that complete a record which leaves some out, such as a log of rabbits.

        They are a session as ``kb-score check --explain`` writes it; empty if no choices fit the
        record. The arguments are those of `check`.

        Raises:
            KbScoreError: As for `check`; or records of this game leave no choices out.
        """
        if not self._questions.type.can_explain:
            raise InputError("record", f"records of {self.name} leave nothing open to explain")
        files = self._questions.read_files(record, map)
        return self._questions.ask(_find_explanation, files)

    def rule_files(self) -> tuple[Path, ...]:
        """Return the rule files: ours that no file of the caller replaces, then the caller's."""
        return self._questions.run(_list_rule_files)

    def rulings(self) -> tuple[Ruling, ...]:
        """Return the disputed readings that ``constants`` can set, with their defaults."""
        return self._questions.run(_list_rulings)

    def list_warnings(self) -> tuple[str, ...]:
        """Return the notes and warnings about the caller's rules.

        Notes name our files that the caller's files replace; warnings name doubtful statements.
        """
        return self._questions.ask(_list_warnings)


def _read_rules(game: Questions) -> None:
    check_constants([game.rules.game], game.rules.changes)
    game.rules.read_parts()


def _check(game: Questions, files: list[File], options: dict[str, Any]) -> Verdict:
    verdict: object = game.type.check(game.rules, files, **options)
    if not isinstance(verdict, Verdict):
        name, _ = files[-1]
        message = "this is a board, not a game: use kb_score.score or kb_score.check_claims"
        raise InputError(name, message)
    return verdict


def _describe(game: Questions) -> str:
    return GameFolder(game.rules.game).about


def _find_kind_of_facts(game: Questions) -> FileKind:
    return GameFolder(game.rules.game).records.FACTS_OF


def _write_facts(game: Questions, file: File) -> str:
    name, text = file
    records = GameFolder(game.rules.game).records
    return write_facts(records.read_facts(text, name))


def _write_programs(game: Questions, files: list[File]) -> tuple[str, ...]:
    asked: list[Asked] = []
    heard = replace(game.rules, listener=asked.append)
    game.type.check(heard, files)
    return tuple(map(str, asked))


def _find_explanation(game: Questions, files: list[File]) -> str:
    _, session = game.type.explain(game.rules, files)
    return session


def _list_rule_files(game: Questions) -> tuple[Path, ...]:
    ours, users = list_rule_files(game.rules.game, game.rules.changes)
    return (*ours, *users)


def _list_rulings(game: Questions) -> tuple[Ruling, ...]:
    found: list[Ruling] = []
    for file in read_rule_files(_list_rule_files(game)):
        found += file.rulings
    return tuple(found)


def _list_warnings(game: Questions) -> tuple[str, ...]:
    return (*game.rules.find_notes(), *game.rules.find_warnings())
