"""How bots play a game without Python, and what contests compare, as its manifest says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from kb_score.arena.declared_cases import CASES, list_cases, read_case_map
from kb_score.arena.referee import Reporter
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.terms import Row
from kb_score.errors import InputError, RuleError
from kb_score.games.agreement import ANSWER, MERIT, list_meetings
from kb_score.games.declared import list_given, list_options, order_kinds
from kb_score.games.declared_files import GameFiles
from kb_score.games.declared_match import DeclaredMatch
from kb_score.games.game import (
    MAP,
    MOST_TURNS,
    TIMEOUT,
    Arena,
    BotProtocol,
    Case,
    Clock,
    File,
    Help,
    Match,
    MatchSetup,
    Option,
    Score,
    Scoring,
    StandingRow,
    Tally,
)
from kb_score.games.helps import read_helps
from kb_score.shell.files import read_input
from kb_score.shell.output import Block, Table, Text

if TYPE_CHECKING:
    pass

# The times of bots that are run anew for each turn.
_GRACE = Option(
    "grace",
    5.0,
    "An answer counts up to this many times the timeout: the machine may be busy.",
    1,
    1000,
    "TIMES",
)


_KILL = Option("kill", 2.0, "The time after which a late bot is ended.", 0.001, 3600, "SECONDS")


class DeclaredScoring(Scoring):
    """What contests compare, as the manifest says.

    Attributes:
        ranks_maps: Whether the game has rules that rank by the best game on each map.
    """

    def __init__(self, files: GameFiles) -> None:
        contest = files.manifest.contest
        self.figures = contest.figures
        self.metrics = contest.metrics
        self.counts_if = contest.counts_if
        if not files.has_file("merit"):
            self.score_key = Use((MERIT,))
        self.ranks_maps = files.has_file("rank")
        if self.ranks_maps:
            self.ranking = Use(("rank",))

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Find the figures of each player; one that no rule has said is 0."""
        said = {key: 0 if value is None else value for key, value in result.items()}
        for figure in self.figures:
            value = said[figure]
            values: list[Any] = [value] * players
            if isinstance(value, list):
                values = value
            has_numbers = all(isinstance(one, int) for one in values)
            if len(values) != players or not has_numbers:
                message = f"figure/3 gives {value} for {figure}, which contests compare"
                raise RuleError(f"{message}: a number is expected, or one for each player")
        try:
            scores = super().score(rules, said, players)
        except KeyError as error:
            raise RuleError(f"merit/2 gives player {error} none") from error
        for _, merit in scores:
            if not isinstance(merit, tuple):
                raise RuleError(f"merit/2 gives {merit}, where a tuple is expected")
        return scores

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, maps: int, metric: str
    ) -> list[StandingRow]:
        if not self.ranks_maps:
            return super().rank(rules, bots, tally, maps, metric)
        facts = self.list_attempts(bots, maps, sorted(tally))
        return read_standing(rules.ask(self.ranking, facts), bots)

    def list_attempts(
        self, entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
    ) -> dict[str, Sequence[Row]]:
        """Return the facts of attempts, without the figure that says whether the others count.

        Args:
            entries: The number of entries.
            maps: The number of maps.
            found: The entry, the map and the figures of each attempt.
        """
        attempts: list[Row] = []
        incomplete: list[Row] = []
        for number, (entry, map_, figures) in enumerate(found):
            said = dict(zip(self.figures, figures, strict=True))
            if not said.pop(self.counts_if, True):
                incomplete.append((number,))
            attempts.append((entry, map_, number, *said.values()))
        return {
            "entry": [(entry,) for entry in range(entries)],
            "map": [(map_,) for map_ in range(maps)],
            "attempt": attempts,
            "incomplete": incomplete,
        }


def read_standing(answer: Answer, entries: int) -> list[StandingRow]:
    """Read who comes first; a RuleError if an entry has no place, or two."""
    rows = answer.read(StandingRow)
    if sorted(row.bot for row in rows) != list(range(entries)):
        raise RuleError("rank.lp has to give, and to show, one standing/2 for each entry/1")
    if len({type(row.key) for row in rows}) > 1:
        raise RuleError("rank.lp gives keys of several kinds in standing/2: tuples are expected")
    return rows


class DeclaredBots(BotProtocol):
    """How a program plays, as the manifest says."""

    def __init__(self, files: GameFiles) -> None:
        play = files.manifest.play
        self.times = (replace(TIMEOUT, default=play.timeout),)
        self.in_shell = play.shell
        if play.shell:
            self.times += (_GRACE, _KILL)
        self._files = files
        settings = list_options(files.manifest.options, "play")
        self._has_cases = (files.folder / CASES).is_file()
        if self._has_cases:
            self.case_options = (*([MAP] if files.texts.has_map else []), *settings)

    @cached_property
    def plan(self) -> str:  # type: ignore[override]
        answer = read_helps(self._files.name).get(ANSWER, Help("", ""))
        texts = self._files.texts
        # Where any line is an answer, the beginning of a record proves nothing.
        if self._files.counts_answers or not texts.fits_record(answer.example.strip("'")):
            return ""
        names = [kind.words.split()[-1].upper() for kind in texts.kinds]
        return " ".join([*names, "RECORD"])

    @property
    def on_fault(self) -> Literal["pass", "play for", "end"]:  # type: ignore[override]
        return "pass" if self._files.counts_answers else "end"

    @property
    def case_map(self) -> str:  # type: ignore[override]
        return read_case_map(self._files.folder)

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        grace = times.get(_GRACE.name, 1.0)
        return Clock(times["timeout"], grace=grace, kill=times.get(_KILL.name, 0.0))

    def describe_malformed(self, line: str) -> str:
        if not self._files.counts_answers:
            return ""
        texts = self._files.texts
        return "" if texts.fits_answer(line) else texts.describe_answer()

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case] | None:
        if not self._has_cases:
            return None
        files = self._files
        other = None
        path = options.pop(MAP.name, None)
        if path is not None:
            other = (path, read_input(path, files.texts.map))

        def begin(map_: File, settings: Mapping[str, int]) -> DeclaredMatch:
            return new_match(files, rules, map_, {**options, **settings})

        settings = list_options(files.manifest.options, "play")
        meetings = list_meetings(files.folder)
        return list_cases(files.folder, begin, other, meetings, settings) or None


def new_match(
    files: GameFiles, rules: GameRules, map_: File, settings: Mapping[str, Any]
) -> DeclaredMatch:
    """Begin a match.

    Args:
        files: The game.
        rules: The rules.
        map_: The map, whose name and text are empty if there is none.
        settings: What the match is set up with, by name.

    Raises:
        KbScoreError: The map or a file of the game is wrong.
    """
    files.check()
    name, text = map_
    if files.texts.has_map and not text:
        raise InputError(str(files.folder / CASES), "a map is missing: the first one in [maps]")
    if text and not files.texts.has_map:
        raise InputError(name, "this game has no map: its grammar has no rule map")
    given: dict[str, Any] = {}
    for option in list_options(files.manifest.options, "play"):
        if option.name in settings:
            given[option.name] = settings[option.name]
    maps = [map_] if text else []
    start = {**files.texts.read_start(maps), **list_given(given)}
    if text and not text.endswith("\n"):
        text += "\n"
    return DeclaredMatch(files, rules, start, (name, text))


class CountReporter(Reporter):
    """Shows the board at the end, and how many answers of each kind each player gave."""

    def write_blocks(self, match: Match, result: Mapping[str, Any]) -> list[Block]:
        assert isinstance(match, DeclaredMatch)
        found = [kind for kind, _ in match.counts]
        kinds = order_kinds(found, match.kinds)
        figures = [key for key, value in result.items() if isinstance(value, list)]
        rows: list[tuple[str | int, ...]] = []
        for player, bot in enumerate(self.bots, start=1):
            seat = player - 1
            row: list[str | int] = [self.names[seat], bot]
            for key in figures:
                value = result[key][seat]
                row.append(value)
            for kind in kinds:
                number = match.counts[kind, player]
                row.append(number)
            rows.append(tuple(row))
        columns = ("player", "bot", *figures, *kinds)
        board = "\n".join(match.picture().rows)
        picture = Text(board, "picture")
        table = Table("", columns, tuple(rows))
        return [self.write_end(match), picture, table]


class DeclaredArena(Arena):
    """How bots play a game without Python."""

    def __init__(self, files: GameFiles) -> None:
        players = files.manifest.players
        self.players = (players, players)
        own = list_options(files.manifest.options, "play")
        # A game that has settings is taken to end by its own rules.
        self.settings = own or (MOST_TURNS,)
        self.playout_options = (*own, MOST_TURNS)
        self.bots = DeclaredBots(files)
        self.scoring = DeclaredScoring(files)
        if files.texts.has_map:
            self.maps = (files.texts.map,)
        self._files = files

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        map_ = setup.files[0] if setup.files else ("", "")
        return new_match(self._files, rules, map_, setup.settings)

    @property
    def reporter(self) -> type[Reporter] | None:  # type: ignore[override]
        return CountReporter if self._files.counts_answers else None
