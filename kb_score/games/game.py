"""A game: what the verbs, contests and the library need to know of its folder.

Each verb is written once for all games, in `kb_score.cli`, `kb_score.arena` and the other parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, TypeAlias

from kb_score.engine.rules import GameRules, Use
from kb_score.errors import FileKind, InputError, KbScoreError, RuleError
from kb_score.games.agreement import MERIT, SETUP, STARTED
from kb_score.games.files import CASES, GameFiles
from kb_score.games.find import find_position
from kb_score.games.helps import Help, read_helps
from kb_score.games.match import Clock, File, Match, MatchSetup, Position
from kb_score.games.options import AFTER, MAP, MAX_TURNS, TIMEOUT, Option
from kb_score.games.position import order_value
from kb_score.games.record import RecordJudge, list_given
from kb_score.games.rules_match import RulesMatch, play_once
from kb_score.games.rulings import apply_rulings, check_with_rulings
from kb_score.games.texts import ANSWER
from kb_score.games.told import join_parts

if TYPE_CHECKING:
    from kb_score.engine.terms import Row
    from kb_score.games.manifest import ContestTable, OptionTable, PlayTable
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict

# The figures of a player, and those compared within a game: the larger tuple is better.
Score: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
# The figure of contests that is 1 for the best players of a game, else 0.
_WINS = "wins"
# The setting with the number of players, which rules read as option(players,N).
_PLAYERS = "players"
# The seeds of matches of a series if the given seed is 0.
_SEEDS = range(1, 1001)
# The times of bots that are run once per turn.
_GRACE = Option(
    "grace",
    5.0,
    "Accept answers that take up to this many times the timeout: the machine may be busy.",
    1,
    1000,
    "TIMES",
)
_KILL = Option("kill", 2.0, "The time after which a late bot is killed.", 0.001, 3600, "SECONDS")


@dataclass(frozen=True, slots=True)
class PositionSpace:
    """The small positions on which two versions of rules are compared; see common/differ.lp.

    The rules choose a position and an action in it. The sizes are the rows and columns of the
    boards.
    """

    use: Use
    sizes: tuple[tuple[int, int], ...]


class Game:
    """A game, made of its folder: a manifest, a grammar and rules.

    What the files of a game of ours cannot say is said by Python functions that its manifest names.

    Attributes:
        name: Its name in asp/.
        title: Its name on the command line.
        files: Its manifest, its texts and its rules.
        record: The kind of file of a record.
        maps: The kinds of files that precede a record on the command line.
        players: The smallest and the largest number of players of a match.
        play: How it is played, and the words that verbs use.
        contest: The figures that contests compare.
    """

    def __init__(self, files: GameFiles) -> None:
        """Read what the manifest and the grammar of a game say about its verbs."""
        manifest = files.manifest
        self.name = files.name
        self.title = files.title
        self.files = files
        self.record: FileKind = files.texts.record
        self.maps: tuple[FileKind, ...] = files.texts.kinds
        self.players = (manifest.least_players, manifest.players)
        self.play: PlayTable = manifest.play
        self.contest: ContestTable = manifest.contest

    # What the verbs say of it.

    @property
    def answer(self) -> Help:
        """What an answer of a player is, and an example of a move."""
        help_ = read_helps(self.name).get(ANSWER)
        return help_ or Help("a line, as a bot prints it", "")

    @property
    def nothing_legal(self) -> str:
        """The message about a player without a move; empty if there is no special one."""
        return "every answer counts as a pass" if self.counts_as else ""

    @property
    def counts_as(self) -> bool:
        """Whether every answer counts as something, which ``legal --move`` shows."""
        return self.files.counts_answers

    @property
    def can_explain(self) -> bool:
        """Whether `explain` finds choices that a record leaves open."""
        return bool(self.files.manifest.functions.explain)

    @property
    def has_empty_record(self) -> bool:
        """Whether a record without text is the start of a game."""
        texts = self.files.texts
        try:
            functions = self.files.manifest.functions
            if functions.match or functions.deal:
                return False
            return not (texts.has_map or texts.format.grids)
        except KbScoreError:
            return False  # the verb reports what is wrong with the grammar

    def list_options(self, verb: str) -> tuple[Option, ...]:
        """Return the options of a verb: ``check``, ``draw`` (and others that draw) or ``legal``."""
        found = list_options(self.files.manifest.options, verb)
        if verb == "legal" and not self.files.is_coded and self.files.texts.format.has_steps:
            return (AFTER, *found)
        return found

    @property
    def positions(self) -> PositionSpace | None:
        """The positions on which versions of its rules are compared; None for none."""
        space = self.files.find_function("space")
        use: Use | None = space or self.files.uses.positions
        if use is None:
            return None
        manifest = self.files.manifest
        most_rows, most_columns = manifest.positions
        least, _ = manifest.texts.side
        sizes = []
        for size in product(range(least, most_rows + 1), range(least, most_columns + 1)):
            rows, columns = size
            if rows == columns or not manifest.texts.square:
                sizes.append(size)
        return PositionSpace(use, tuple(sizes))

    # Records.

    def check(self, rules: GameRules, files: Sequence[File], **options: Any) -> Verdict:
        """Return the verdict on a record.

        The files are the maps, then the record. The options are those of ``check``.
        """
        judge = self.files.find_function("check")
        if judge is not None:
            verdict: Verdict = judge(rules, files, **options)
            return verdict
        return self.judge(rules, files, options)

    def judge(self, rules: GameRules, files: Sequence[File], options: Mapping[str, Any]) -> Verdict:
        """Return the verdict of the rules on a record; see `check`."""
        name, _ = files[-1]

        def judge_record(rules: GameRules) -> Verdict:
            record = self.files.read(rules, files)
            return RecordJudge(self.files, options).judge(rules, record, name)

        # Where a comment may be anywhere, a ruling below the top would be overlooked.
        free = not self.files.manifest.texts.comments
        return check_with_rulings(judge_record, rules, files, has_free_lines=free)

    def replay(self, rules: GameRules, files: Sequence[File], **options: Any) -> Replay:
        """Return pictures of each turn of a record, or of a map alone.

        The files are the maps, then the record if there is one. The options are those of ``draw``.
        It is an error if there is nothing to draw.
        """
        draw = self.files.find_function("replay")
        if draw is not None:
            replay: Replay = draw(rules, files, **options)
            return replay
        name, _ = files[-1]
        applied = apply_rulings(rules, *files)
        record = self.files.read(applied, files)
        return RecordJudge(self.files, options).follow(applied, record, name)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        """Return the position before a turn, from 1, or None for the one after the last.

        The files are the maps, then the record. The options are those of ``legal``. It is an error
        if there is no such turn, or if a turn before it is illegal.
        """
        find = self.files.find_function("position")
        if find is not None:
            position: Position = find(rules, files, turn, **options)
            return position
        return find_position(self.files, rules, files, turn, options)

    def find_doubts(self, rules: GameRules, maps: Sequence[File]) -> Sequence[str]:
        """Return warnings about the maps."""
        find = self.files.find_function("doubts")
        return find(rules, maps) if find is not None else ()

    def find_notes(self, rules: GameRules, files: Sequence[File]) -> Sequence[tuple[str, str, str]]:
        """Return remarks on the files of a position, each as arguments for `Messages.warn`."""
        find = self.files.find_function("notes")
        return find(rules, files) if find is not None else ()

    def explain(self, rules: GameRules, files: Sequence[File]) -> tuple[Verdict, str]:
        """Return the verdict on a record, and a session that explains its open choices, if any."""
        found: tuple[Verdict, str] = self.files.find_function("explain")(rules, files)
        return found

    # Matches.

    @property
    def match_maps(self) -> tuple[FileKind, ...]:
        """The kinds of map files of a match."""
        texts = self.files.texts
        if texts.has_map and not self.files.has_file(SETUP):
            return (texts.map,)
        return ()

    @property
    def has_maps(self) -> bool:
        """Whether a contest's file names maps, or the values of a setting in place of them."""
        return bool(self.match_maps or self.contest.maps)

    @property
    def map_key(self) -> str:
        """The key of the maps in a contest's file."""
        return f"{self.contest.maps}s" if self.contest.maps else "maps"

    @property
    def settings(self) -> tuple[Option, ...]:
        """The settings of a match, besides its map and its number of players."""
        # A game that has settings is taken to end by its own rules.
        return self.list_options("play") or (MAX_TURNS,)

    @property
    def playout_options(self) -> tuple[Option, ...]:
        """The settings of a random match; what is drawn at random has no default."""
        found = list(self.list_options("play"))
        if self.files.manifest.functions.setup:
            for number, option in enumerate(found):
                if option.kind == "text" and option.default:
                    text = f"{option.help.rstrip('.')}  [default: random]."
                    found[number] = replace(option, default=None, help=text)
        found += self.list_options("playouts")
        least, most = self.players
        if least < most and _PLAYERS not in [option.name for option in found]:
            about = f"The number of players  [default: {least} to {most}]."
            found.append(Option(_PLAYERS, None, about, least, most))
        return (*found, MAX_TURNS)

    @property
    def seed(self) -> Option | None:
        """The option for the seed of chance; None if the game has no chance."""
        text = self.play.seed
        if not text and self.files.has_chance:
            text = "Random seed for chance."
        if not text:
            return None
        return Option("seed", 0, text, most=10**9 if self.play.runs else None)

    @property
    def runs(self) -> Option | None:
        """The option for the number of matches of a series; None for one match."""
        if not self.play.runs:
            return None
        return Option("runs", self.play.runs, "Number of runs to play.", 1, 10**6)

    def find_seed(self, seed: int) -> int:
        """Return the seed to use for a match; in a series 0 stands for a random one."""
        if self.play.runs and seed == 0:
            return SystemRandom().choice(_SEEDS)
        return seed

    def draw_setup(self, rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
        """Return the setup of a random game with random values where none are given."""
        draw = self.files.find_function("setup")
        if draw is not None:
            drawn: MatchSetup = draw(rules, setup, random)
            return drawn
        least, most = self.players
        if least == most:
            return setup
        settings = dict(setup.settings)
        players = settings.pop(_PLAYERS, None)
        if players is None:
            players = random.randint(least, most)
        return replace(setup, settings=settings, players=players)

    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        """Return a new match, whose chance events the generator decides."""
        begin = self.files.find_function("match")
        if begin is not None:
            match: Match = begin(rules, setup, random)
            return match
        deal = self.files.find_function("deal")
        if deal is not None:
            text: str = deal(rules, setup, random)
            return self.go_on(rules, text, random)
        map_ = setup.files[0] if setup.files else ("", "")
        settings = {**setup.settings, _PLAYERS: setup.players}
        return self.begin(rules, map_, settings, random)

    def go_on(self, rules: GameRules, text: str, random: Random, drawn: str = "") -> RulesMatch:
        """Go on with the record of a game whose records have no map; it may have no turn yet.

        Chance begins with what it has drawn, if that is given. A record that cannot be read, or in
        which a turn is illegal, is an InputError.
        """
        record = self.files.read(rules, [("the game", text)])
        match = RulesMatch(self.files, rules, record.list_start(), ("the game", text))
        match.follow(record)
        match.draw_with(random, drawn)
        return match

    def begin(
        self, rules: GameRules, map_: File, settings: Mapping[str, Any], random: Random
    ) -> RulesMatch:
        """Begin a match that the rules alone run; without a map, its name and text are empty."""
        files = self.files
        files.check()
        name, text = map_
        texts = files.texts
        start = self._list_settings(settings)
        if files.has_file(SETUP):
            drawn = play_once(rules, Use((SETUP, STARTED)), start, random)
            lines = [join_parts(parts) for _, parts, _ in sorted(drawn, key=order_value)]
            if not lines:
                path = next(path for path in files.paths if path.stem == SETUP)
                raise InputError(str(path), "nothing derives opening_line/3, how a record begins")
            name, text = "the start", "".join(f"{line}\n" for line in lines)
        if texts.has_map and not text:
            message = "the cases need a map: add one to [maps]"
            raise InputError(str(files.folder / CASES), message)
        if text and not texts.has_map:
            raise InputError(name, "this game has no map: its grammar has no rule map")
        maps = [(name, text)] if text else []
        if text and not text.endswith("\n"):
            text += "\n"
        return RulesMatch(
            files,
            rules,
            {**texts.read_start(maps, files.find_words(rules)), **start},
            (name, text),
            players=settings.get(_PLAYERS) or 0,
            random=random,
        )

    def _list_settings(self, settings: Mapping[str, Any]) -> dict[str, Sequence[Row]]:
        """Return the facts of the settings that rules read, such as the number of players."""
        own = (*self.list_options("play"), *self.list_options("playouts"))
        known = {option.name for option in own}
        least, most = self.players
        if least < most:
            known.add(_PLAYERS)
        return list_given({name: value for name, value in settings.items() if name in known})

    # Bots.

    @property
    def on_fault(self) -> str:
        """What happens if a bot gives no valid answer: ``pass``, ``play for`` or ``end``."""
        return "pass" if self.counts_as else self.play.fault

    @property
    def times(self) -> tuple[Option, ...]:
        """The time limits of bots."""
        play = self.play
        if play.start:
            about = "Time that the bot has for each answer; a late one ends the run."
            answer = replace(TIMEOUT, name="answer_time", help=about, also="timeout")
            start = Option(
                "start_time", play.start, "Time that the bot has to get ready.", 0, 3600, "SECONDS"
            )
            return (start, replace(answer, default=play.timeout))
        timeout = replace(TIMEOUT, default=play.timeout)
        return (timeout, _GRACE, _KILL) if play.shell else (timeout,)

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        """Return the clock for the values of `times`, by name."""
        if self.play.start:
            return Clock(times["answer_time"], start=times["start_time"])
        grace = times.get(_GRACE.name, 1.0)
        kill = times.get(_KILL.name, 0.0)
        return Clock(times["timeout"], grace=grace, kill=kill)

    def list_arguments(self, setup: MatchSetup) -> Sequence[str]:
        """Return additional arguments for a bot's program.

        It is an InputError if they contain the path of a map that comes from standard input.
        """
        path = setup.files[0][0] if setup.files else ""
        if path == "-" and any("{map}" in word for word in self.play.arguments):
            raise InputError("the map", "the bot needs its path: name a file, not standard input")
        return [word.format(map=path, seed=setup.seed) for word in self.play.arguments]

    def describe_malformed(self, line: str) -> str:
        """Return what a valid answer is if a line is not one; empty if it can be read."""
        texts = self.files.texts
        if not self.counts_as or texts.fits_answer(line):
            return ""
        return texts.describe_answer()

    @cached_property
    def plan(self) -> str:
        """The arguments of ``check`` for a record of only answers; empty if there can be none."""
        texts = self.files.texts
        # Where any line is an answer, the beginning of a record proves nothing.
        if self.files.is_coded or self.counts_as:
            return ""
        if not texts.fits_record(self.answer.example.strip("'")):
            return ""
        names = [kind.words.split()[-1].upper() for kind in texts.kinds]
        return " ".join([*names, "RECORD"])

    @property
    def case_options(self) -> tuple[Option, ...]:
        """The options of the verb ``bot`` for the cases."""
        maps = (MAP,) if self.match_maps else ()
        if self.files.is_coded:
            return maps
        if not self.files.has_cases:
            return ()
        return (*maps, *self.list_options("play"))

    # Contests.

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Return the figures of each player in a result, and those that the rules compare.

        A figure of None counts as 0; a wrong value of a figure or a merit is a RuleError.
        """
        names = [figure for figure in self.contest.figures if figure != _WINS]
        columns = [_list_figure(figure, result[figure], players) for figure in names]
        figures = list(zip(*columns, strict=True))
        use = Use(("merit",)) if self.files.has_file("merit") else Use((MERIT,))
        answer = rules.ask(use, {"outcome": list(enumerate(figures))})
        rows: Sequence[tuple[Any, ...]] = answer.rows.get(("merit", 2), ())
        merits = dict(rows)
        for seat in range(players):
            if seat not in merits:
                raise RuleError(f"merit/2 gives no merit to player {seat}")
            if not isinstance(merits[seat], tuple):
                raise RuleError(f"merit/2 gives {merits[seat]}, where a tuple is expected")
        best = max(merits.values())
        scores = []
        for seat, own in enumerate(figures):
            values = dict(zip(names, own, strict=True))
            values[_WINS] = int(merits[seat] == best)
            scores.append((tuple(values[name] for name in self.contest.figures), merits[seat]))
        return scores

    @property
    def ranks_maps(self) -> bool:
        """Whether the game has rules that rank by the best game on each map."""
        return self.files.has_file("rank")


def _list_figure(name: str, value: Any, players: int) -> list[int]:
    """Return a figure for each player; a value that is not a list applies to all players."""
    values = value if isinstance(value, list) else [value or 0] * players
    if len(values) != players or not all(isinstance(one, int) for one in values):
        message = f"figure/3 gives {value} for {name}, which contests compare"
        raise RuleError(f"{message}: a number is expected, or one for each player")
    return [int(one) for one in values]


def list_options(tables: Mapping[str, OptionTable], verb: str) -> tuple[Option, ...]:
    """Return the options of a verb; those of play are settings."""
    found = []
    for name, table in tables.items():
        if verb in table.of:
            option = Option(
                name=name,
                default=table.default,
                help=table.help,
                least=table.least,
                most=None if isinstance(table.default, str) else table.most,
                unit=table.unit,
                also=table.also,
                flag=table.flag,
                is_repeatable=table.repeat,
            )
            found.append(option)
    return tuple(found)
