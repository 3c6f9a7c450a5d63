"""Games: their records are checked, drawn and listed as facts, and new matches are begun."""

from __future__ import annotations

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
from kb_score.games.game import MatchSetup, Option
from kb_score.resources import is_game
from kb_score.shell.verdict import Verdict

if TYPE_CHECKING:
    from kb_score.api.matches import Match
    from kb_score.games.game import Arena, File


def list_games() -> tuple[str, ...]:
    """List the names of the games, such as ``"slime"``, in alphabetical order."""
    return tuple(find_games())


def game(
    name: str | PathLike[str],
    *,
    rules: Folders = (),
    constants: Constants | None = None,
    limit_seconds: float | None = None,
) -> Game:
    """Open a game by its name or its folder.

        >>> import kb_score
        >>> slime = kb_score.game("slime", constants={"last_turn": 12})
        >>> slime.players
        (4, 4)

    Args:
        name: Its name, see `list_games`; or the path of a folder that is a game.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"last_turn": 12}``; a value is a number or a word.
        limit_seconds: The time limit for each question about a record, which a process of its own
            then answers; starting it takes a quarter of a second. None for no limit.

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
            raise InputError(
                str(name), f"there is no such game, and no folder of a game: {names}{meant}"
            )
        check_game_name(folder)
        found = GameFolder(folder.name.replace("-", "_"))
    questions = Questions(found.name, GameRules(found.folder, changes), folder, limit_seconds)
    # What is wrong with the rules is found before a question is asked.
    questions.ask(_read_rules)
    return Game(questions)


def _find_folder(name: str | PathLike[str]) -> Path | None:
    """Return the absolute path of a game's folder; None for any other folder."""
    try:
        folder = Path(name).resolve()
        return folder if is_game(folder) else None
    except (OSError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class Game:
    """A game, with the rules that judge it.

    Its methods may be called by several threads at once. A file is given as text or as a path:
    a string is always a text, so the file ``game.txt`` is ``Path("game.txt")``.
    """

    _questions: Questions

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self._questions.name

    @property
    def rules(self) -> GameRules:
        """Its rules, with the caller's changes; no part of the compatible library."""
        return self._questions.rules

    @property
    def about(self) -> str:
        """What it is, in a line."""
        return self._questions.run(_describe)

    @property
    def players(self) -> tuple[int, int]:
        """How many players a match has, at least and at most."""
        return self._arena.players

    @property
    def settings(self) -> tuple[Option, ...]:
        """What a match may be set up with, beside its map and its players."""
        return self._arena.settings

    @property
    def _arena(self) -> Arena:
        return self._questions.type.arena

    def check(self, record: Text, *, map: Text | None = None, **options: Any) -> Verdict:  # noqa: A002
        """Judge a record.

        Args:
            record: The record.
            map: Its map, in games that have maps.
            options: The options of ``kb-score check``, by name.

        Returns:
            The verdict, with its result and a violation for all that breaks the rules.

        Raises:
            FormatError: A file does not follow its format; it has path, line and column.
            InputError: A file cannot be used, a map is missing, or there is no such option.
            RuleError: A rule of the caller's is wrong.
            LimitError: It has taken longer than ``limit_seconds``.
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
        """Find the position before a turn of a record, to ask what is legal there.

        Args:
            record: The record; None for a map alone, at the first turn.
            map: Its map, in games that have maps.
            turn: The number of the turn, from 1; None for the one after the last, of which Kingdom
                Builder needs the ``card``.
            options: The options of ``kb-score legal``, by name: of Kingdom Builder ``card``,
                ``player``, ``after`` and ``tiles``.

        Raises:
            KbScoreError: As for `check`; also where the record has no such turn, or breaks the
                rules before it.
        """
        if turn is not None and (type(turn) is not int or not 1 <= turn < LARGEST):
            raise wrong("turn", "the number of a turn, from 1,", turn)
        files = self._questions.read_files(record, map)
        given = self._questions.take_options("legal", options)
        return Position.open(self._questions, PositionSource(tuple(files), turn, given))

    def replay(
        self,
        record: Text | None = None,
        *,
        map: Text | None = None,  # noqa: A002
        **options: Any,
    ) -> Replay:
        """Draw each turn of a record, or the beginning on a map alone.

        Args:
            record: The record; None for a map alone.
            map: Its map, in games that have maps.
            options: The options of ``kb-score draw`` for this game, by name.

        Raises:
            KbScoreError: As for `check`; also where there is nothing to draw.
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
        """Begin a match, which the caller plays move by move.

        Args:
            map: The map, in games that have maps.
            players: The number of players; None for the fewest.
            seed: What is drawn depends on it: the same seed and moves give the same match, as with
                ``kb-score play --seed``. Rabbits take 0 for a seed that is drawn.
            settings: What the match is set up with, by name: see `settings`.

        Raises:
            KbScoreError: There is no such match, or a rule of the caller's is wrong.
        """
        from kb_score.api.matches import Match

        arena = self._arena
        least, most = arena.players
        number = least if players is None else players
        if type(number) is not int or not least <= number <= most:
            expected = str(least) if least == most else f"a number from {least} to {most}"
            raise wrong("players", expected, players)
        if type(seed) is not int or not 0 <= seed < LARGEST:
            raise wrong("seed", "a number from 0", seed)
        files = self._questions.read_maps(map, arena.maps)
        given = take_options(arena.settings, settings, f"a match of {self.name}")
        setup = MatchSetup(tuple(files), given, arena.find_seed(seed), number)
        return Match(self._questions, setup)

    def facts(self, text: Text) -> str:
        """Write the facts of a map or a record, as text for clingo.

        Args:
            text: The text that ``kb-score facts`` reads: for most games their map.

        Raises:
            KbScoreError: It cannot be read.
        """
        kind = self._questions.run(_find_kind_of_facts)
        file = read_text(text, kind, "text")
        return self._questions.ask(_write_facts, file)

    def programs(self, record: Text, *, map: Text | None = None) -> tuple[str, ...]:  # noqa: A002
        """Write the programs that judge a record, facts and rules, which plain clingo runs.

        Args:
            record: The record.
            map: Its map, in games that have maps.

        Returns:
            One program; several if the record is checked part by part.

        Raises:
            KbScoreError: As for `check`.
        """
        files = self._questions.read_files(record, map)
        return self._questions.ask(_write_programs, files)

    def find_explanation(self, record: Text, *, map: Text | None = None) -> str:  # noqa: A002
        """Find choices that explain a record which leaves some out, such as a log of rabbits.

        Args:
            record: The record.
            map: Its map, in games that have maps.

        Returns:
            A session with these choices, as ``kb-score check --explain`` writes it; empty if there
            are none.

        Raises:
            KbScoreError: As for `check`; also in a game whose records leave nothing out.
        """
        if not self._questions.type.can_explain:
            raise InputError("record", f"records of {self.name} leave no choices out")
        files = self._questions.read_files(record, map)
        return self._questions.ask(_find_explanation, files)

    def rule_files(self) -> tuple[Path, ...]:
        """List the rule files: ours that no file of the caller replaces, then the caller's."""
        return self._questions.run(_list_rule_files)

    def rulings(self) -> tuple[Ruling, ...]:
        """List the disputed readings that ``constants`` can set, with their defaults."""
        return self._questions.run(_list_rulings)

    def list_warnings(self) -> tuple[str, ...]:
        """List what is doubtful in the caller's rules, and which of our files they replace."""
        return self._questions.ask(_list_warnings)


def _read_rules(game: Questions) -> None:
    check_constants([game.rules.game], game.rules.changes)
    game.rules.read_parts()


def _check(game: Questions, files: list[File], options: dict[str, Any]) -> Verdict:
    verdict: object = game.type.check(game.rules, files, **options)
    if not isinstance(verdict, Verdict):
        name, _ = files[-1]
        raise InputError(name, "this is a board and no game: see kb_score.score, check_claims")
    return verdict


def _describe(game: Questions) -> str:
    return GameFolder(game.rules.game).about


def _find_kind_of_facts(game: Questions) -> FileKind:
    return GameFolder(game.rules.game).records.FACTS_OF


def _write_facts(game: Questions, file: File) -> str:
    name, text = file
    return write_facts(GameFolder(game.rules.game).records.read_facts(text, name))


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
