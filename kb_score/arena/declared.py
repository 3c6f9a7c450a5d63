"""Matches, bots and contests of games without Python, as their manifests describe them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from random import Random
from typing import Any, Literal

from kb_score.arena.declared_cases import CASES, list_cases, read_case_map
from kb_score.arena.referee import Reporter
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.terms import Row
from kb_score.errors import InputError, RuleError
from kb_score.games.agreement import MERIT, SETUP, STARTED, list_meetings
from kb_score.games.declared import list_given, list_options, order_kinds
from kb_score.games.declared_files import GameFiles
from kb_score.games.declared_match import DeclaredMatch, join_parts, order_value, play_once
from kb_score.games.game import (
    MAP,
    MAX_TURNS,
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
    Tally,
)
from kb_score.games.helps import read_helps
from kb_score.games.texts import ANSWER
from kb_score.shell.files import read_input
from kb_score.shell.output import Block, Table, Text

# The times of bots that are run once per turn.
_GRACE = Option(
    "grace",
    5.0,
    "Accept answers that take up to this many times the timeout: the machine may be busy.",
    1,
    1000,
    "TIMES",
)
# The setting with the number of players, which rules read as option(players,N).
_PLAYERS = "players"
# The seed of the matches in which a bot is tried.
_SEED = 7
_KILL = Option("kill", 2.0, "The time after which a late bot is killed.", 0.001, 3600, "SECONDS")


class DeclaredScoring(Scoring):
    """The figures that contests compare, as the manifest describes them."""

    def __init__(self, files: GameFiles) -> None:
        """Read the manifest of a game."""
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
        """Return the figures and the score key of each player.

        A figure of None counts as 0; a wrong value of a figure or a score key is a RuleError.
        """
        values_by_key = {}
        for key, value in result.items():
            values_by_key[key] = 0 if value is None else value
        for figure in self.figures:
            value = values_by_key[figure]
            values = [value] * players
            if isinstance(value, list):
                values = value
            has_numbers = all(isinstance(one, int) for one in values)
            if len(values) != players or not has_numbers:
                message = f"figure/3 gives {value} for {figure}, which contests compare"
                raise RuleError(f"{message}: a number is expected, or one for each player")
        try:
            scores = super().score(rules, values_by_key, players)
        except KeyError as error:
            raise RuleError(f"merit/2 gives no merit to player {error}") from error
        for _, merit in scores:
            if not isinstance(merit, tuple):
                raise RuleError(f"merit/2 gives {merit}, where a tuple is expected")
        return scores

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, maps: int, metric: str
    ) -> dict[int, tuple[Any, ...]]:
        """Return the key by which each bot is ranked; see `Scoring.rank`."""
        if not self.ranks_maps:
            return super().rank(rules, bots, tally, maps, metric)
        facts = self.list_attempts(bots, maps, sorted(tally))
        answer = rules.ask(self.ranking, facts)
        return read_standing(answer, bots)

    def list_attempts(
        self, entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
    ) -> dict[str, Sequence[Row]]:
        """Return the facts of attempts, each given as its entry, map and figures.

        The figure that says whether the others count is left out.
        """
        attempts: list[Row] = []
        incomplete: list[Row] = []
        for number, (entry, map_, figures) in enumerate(found):
            values = dict(zip(self.figures, figures, strict=True))
            if not values.pop(self.counts_if, True):
                incomplete.append((number,))
            attempts.append((entry, map_, number, *values.values()))
        return {
            "entry": [(entry,) for entry in range(entries)],
            "map": [(map_,) for map_ in range(maps)],
            "attempt": attempts,
            "incomplete": incomplete,
        }


def read_standing(answer: Answer, entries: int) -> dict[int, tuple[Any, ...]]:
    """Return the key by which each entry is ranked: larger keys come first.

    It is a RuleError if an entry has no key or several, or if the keys are of different types.
    """
    rows: Sequence[tuple[Any, ...]] = answer.rows.get(("standing", 2), ())
    keys = dict(rows)
    if len(rows) != entries or keys.keys() != set(range(entries)):
        raise RuleError("rank.lp must derive and show one standing/2 for each entry/1")
    if len(set(map(type, keys.values()))) > 1:
        raise RuleError("rank.lp gives keys of several kinds in standing/2: tuples are expected")
    return keys


class DeclaredBots(BotProtocol):
    """The protocol of bots, as the manifest describes it."""

    def __init__(self, files: GameFiles) -> None:
        """Read the manifest of a game."""
        play = files.manifest.play
        self.times = (replace(TIMEOUT, default=play.timeout),)
        self.in_shell = play.shell
        if play.shell:
            self.times += (_GRACE, _KILL)
        self._files = files
        cases = files.folder / CASES
        self._has_cases = cases.is_file()
        if self._has_cases:
            options = list(list_options(files.manifest.options, "play"))
            if files.texts.has_map:
                options.insert(0, MAP)
            self.case_options = tuple(options)

    @cached_property
    def plan(self) -> str:  # type: ignore[override]
        """The arguments of ``check`` for a record of only answers; empty if there can be none."""
        answer = read_helps(self._files.name).get(ANSWER, Help("", ""))
        texts = self._files.texts
        # Where any line is an answer, the beginning of a record proves nothing.
        if self._files.counts_answers or not texts.fits_record(answer.example.strip("'")):
            return ""
        names = []
        for kind in texts.kinds:
            words = kind.words.split()
            names.append(words[-1].upper())
        return " ".join([*names, "RECORD"])

    @property
    def on_fault(self) -> Literal["pass", "play for", "end"]:  # type: ignore[override]
        """The consequence of a fault: a pass if the game counts answers, else the end."""
        if self._files.counts_answers:
            return "pass"
        return "end"

    @property
    def case_map(self) -> str:  # type: ignore[override]
        """The text of the map of the cases; empty if there is none."""
        return read_case_map(self._files.folder)

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        """Return the clock for the values of `times`, by name."""
        timeout = times["timeout"]
        grace = times.get(_GRACE.name, 1.0)
        kill = times.get(_KILL.name, 0.0)
        return Clock(timeout, grace=grace, kill=kill)

    def describe_malformed(self, line: str) -> str:
        """Return what a valid answer is if a line is not one; otherwise an empty string."""
        texts = self._files.texts
        if not self._files.counts_answers or texts.fits_answer(line):
            return ""
        return texts.describe_answer()

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case] | None:
        """Return the cases in the game's folder; None if it has none."""
        if not self._has_cases:
            return None
        files = self._files
        other = None
        path = options.pop(MAP.name, None)
        if path is not None:
            other = (path, read_input(path, files.texts.map))

        def begin(map_: File, settings: Mapping[str, int]) -> DeclaredMatch:
            return new_match(files, rules, map_, {**options, **settings}, Random(_SEED))

        settings = list_options(files.manifest.options, "play")
        meetings = list_meetings(files.folder)
        return list_cases(files.folder, begin, other, meetings, settings) or None


def new_match(
    files: GameFiles, rules: GameRules, map_: File, settings: Mapping[str, Any], random: Random
) -> DeclaredMatch:
    """Begin a match, in which a generator decides for chance.

    Without a map, the name and the text of the map are empty.
    """
    files.check()
    name, text = map_
    texts = files.texts
    if files.has_file(SETUP):
        name, text = "the start", draw_start(files, rules, settings, random)
    if texts.has_map and not text:
        cases = str(files.folder / CASES)
        raise InputError(cases, "the cases need a map: add one to [maps]")
    if text and not texts.has_map:
        raise InputError(name, "this game has no map: its grammar has no rule map")
    maps = [(name, text)] if text else []
    start = {**texts.read_start(maps), **_list_settings(files, settings)}
    if text and not text.endswith("\n"):
        text += "\n"
    return DeclaredMatch(files, rules, start, (name, text), random=random)


def _list_settings(files: GameFiles, settings: Mapping[str, Any]) -> dict[str, Sequence[Row]]:
    """Return the facts of the settings that rules read, such as the number of players."""
    known = {option.name for option in list_options(files.manifest.options, "play")}
    if files.manifest.least_players < files.manifest.players:
        known.add(_PLAYERS)
    return list_given({name: value for name, value in settings.items() if name in known})


def draw_start(
    files: GameFiles, rules: GameRules, settings: Mapping[str, Any], random: Random
) -> str:
    """Return the beginning of a record of a random game, as setup.lp gives it."""
    drawn = play_once(rules, Use((SETUP, STARTED)), _list_settings(files, settings), random)
    lines = [join_parts(parts) for _, parts, _ in sorted(drawn, key=order_value)]
    return "".join(f"{line}\n" for line in lines)


class CountReporter(Reporter):
    """Prints the board at the end, and the number of answers of each kind by each player."""

    def write_blocks(self, match: Match, result: Mapping[str, Any]) -> list[Block]:
        """Return the last line, the board and the table of a match."""
        assert isinstance(match, DeclaredMatch)
        found = [kind for kind, _ in match.counts]
        kinds = order_kinds(found, match.kinds)
        figures = []
        for key, value in result.items():
            if isinstance(value, list):
                figures.append(key)
        faults = self.list_faults()
        rows = []
        for player, bot in enumerate(self.bots, start=1):
            seat = player - 1
            row: list[str | int] = [self.names[seat], bot]
            for key in figures:
                value = result[key][seat]
                row.append(value)
            for kind in kinds:
                number = match.counts[kind, player]
                row.append(number)
            row.extend(turns[seat] for turns in faults.values())
            rows.append(tuple(row))
        columns = ("player", "bot", *figures, *kinds, *faults)
        board = "\n".join(match.picture().rows)
        picture = Text(board, "picture")
        table = Table("", columns, tuple(rows))
        return [self.write_end(match), picture, table]


class DeclaredArena(Arena):
    """The arena of a game without Python."""

    def __init__(self, files: GameFiles) -> None:
        """Read the manifest of a game."""
        least, most = files.manifest.least_players, files.manifest.players
        self.players = (least, most)
        own = list_options(files.manifest.options, "play")
        # A game that has settings is taken to end by its own rules.
        self.settings = own or (MAX_TURNS,)
        self.playout_options = (*own, MAX_TURNS)
        if least < most:
            about = f"The number of players  [default: {least} to {most}]."
            players = Option(_PLAYERS, None, about, least, most)
            self.playout_options = (*own, players, MAX_TURNS)
        self.bots = DeclaredBots(files)
        self.scoring = DeclaredScoring(files)
        if files.texts.has_map and not files.has_file(SETUP):
            self.maps = (files.texts.map,)
        self._files = files

    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        """Begin a match; see `new_match`."""
        map_ = ("", "")
        if setup.files:
            map_ = setup.files[0]
        settings = {**setup.settings, _PLAYERS: setup.players}
        return new_match(self._files, rules, map_, settings, random)

    def draw_setup(self, _rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
        """Return a setup in which the number of players is drawn if it is not set."""
        least, most = self.players
        if least == most:
            return setup
        settings = dict(setup.settings)
        players = settings.pop(_PLAYERS, None)
        if players is None:
            players = random.randint(least, most)
        return replace(setup, settings=settings, players=players)

    @property
    def seed(self) -> Option | None:  # type: ignore[override]
        """The option for the seed of chance; None if the game has no chance."""
        if self._files.has_chance:
            return Option("seed", 0, "Random seed for chance.")
        return None

    @property
    def reporter(self) -> type[Reporter] | None:  # type: ignore[override]
        """The class of the reporter; None for `Reporter` itself."""
        if self._files.counts_answers:
            return CountReporter
        return None
