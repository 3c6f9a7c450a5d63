"""The protocols of games: a game's data, its matches and its positions.

Each verb is written once for all games, in `kb_score.cli`, `kb_score.arena` and the other parts. A
game is a `kb_score.games.declared.DeclaredGame`, made of its folder, or one of our two `Game`s with
Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from kb_score.engine.rules import GameRules, Use
from kb_score.errors import Fault, FileKind, InputError, write_count
from kb_score.games.schema import IllegalRow, ViolationRow, write_sentence

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.terms import Row, Value
    from kb_score.shell.picture import Replay, TextBoard
    from kb_score.shell.verdict import Verdict

# The name and the text of a file.
File: TypeAlias = tuple[str, str]
# Adds an option to a command.
Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
# The use of the rules that ranks bots by points.
RANKING = Use(("common/means", "common/points"))
# How often each bot had each score on each map; bots and maps are given by number.
Tally: TypeAlias = Counter[tuple[int, int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game: a setting of a match, a time limit for bots, or an option of a verb.

    Attributes:
        name: The name in contest files and of the parameter, such as ``some_name``; the command
            line has ``--some-name``.
        default: The default value, whose type is that of the values; False for a flag.
        help: The help text of the command line.
        least: The smallest number.
        most: The largest number; None for no limit.
        unit: The name of the value on the command line. A number of SECONDS must be more than 0,
            unless ``least`` is 0.
        also: An alternative name on the command line, which other games use for the option; empty
            for none.
        flag: The name on the command line, if it is not derived from ``name``.
        is_repeatable: Whether the option may be given several times.
    """

    name: str
    default: int | float | str | bool | None
    help: str
    least: float = 0
    most: float | None = None
    unit: str = "N"
    also: str = ""
    flag: str = ""
    is_repeatable: bool = False

    @property
    def kind(self) -> Literal["flag", "fraction", "whole", "text"]:
        """The kind of its values: booleans, numbers with or without a fraction, or strings."""
        if self.default is False:
            return "flag"
        if isinstance(self.default, float) or self.unit == "SECONDS":
            return "fraction"
        if isinstance(self.default, int) or self.most is not None:
            return "whole"
        return "text"


TIMEOUT = Option(
    name="timeout",
    default=10.0,
    help="Time that a bot has for an answer.",
    least=0.001,
    most=3600,
    unit="SECONDS",
)
MAP = Option(
    name="map",
    default=None,
    help="The map for most cases  [default: small maps that come with kb-score].",
    unit="MAP",
)
MAX_TURNS = Option(
    name="most_turns",
    default=10_000,
    help="The game stops after this many turns.",
    least=1,
    most=10**9,
)


@dataclass(frozen=True, slots=True)
class Clock:
    """The times of a bot, in seconds.

    Attributes:
        answer: The time for an answer.
        start: The time to get ready, in addition to the time for the first answer.
        grace: The factor by which an answer may exceed its time, as the machine may be busy.
        kill: The time after which a late bot is killed; never before its answer is late.
    """

    answer: float
    start: float = 0.0
    grace: float = 1.0
    kill: float = 0.0

    @property
    def late(self) -> float:
        """The seconds after which an answer does not count."""
        return self.answer * self.grace


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The setup of a match.

    Attributes:
        files: The map, if the game has maps.
        settings: The values of `Arena.settings`, by name.
        run: The number of the match in a series, from 1.
        runs: The number of matches in the series.
        names: The names of players, by their numbers.
    """

    files: tuple[File, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    players: int = 1
    run: int = 1
    runs: int = 1
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Legal:
    """The legal moves of one player, person or robot, in the notation of records.

    Attributes:
        player: The player or robot: a number, a name or a place.
        counts_as: The kind that each move counts as, in games that have kinds of moves.
        note: A remark about the moves.
    """

    player: int | str
    moves: tuple[str, ...]
    counts_as: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why a move is illegal.

    Attributes:
        code: The code, as docs/file-formats.md lists it.
        detail: A sentence.
        who: The number of the player, or the person or robot, if a line has the moves of several.
        places: The places in the reason, such as (3, 4).
    """

    code: str
    detail: str
    who: str | int = ""
    places: tuple[tuple[int, ...], ...] = ()

    @property
    def subject(self) -> str:
        """Whom it concerns, in words."""
        if isinstance(self.who, int):
            return f"player {self.who}"
        return self.who

    def __str__(self) -> str:
        code = self.code
        if self.who:
            code = f"{code} ({self.subject})"
        return f"{code}: {self.detail}"


def read_reason(code: str, who: Value, detail: Value) -> Reason:
    """Return a reason from the values that the rules derive.

    The player or robot is a place if it is a tuple, and so is a tuple among the words of the
    detail.
    """
    parts = [who]
    if isinstance(detail, tuple):
        parts += detail
    places = [
        tuple(number for number in part if isinstance(number, int))
        for part in parts
        if isinstance(part, tuple)
    ]
    subject = who if isinstance(who, int) else write_sentence((who,))
    return Reason(code=code, detail=write_sentence(detail), who=subject, places=tuple(places))


def resolve_turn(turn: int | None, played: int, name: str) -> int:
    """Return the number of an existing turn of a record, from 1, or of the turn after its last one.

    None stands for the turn after the last one. A record that is too short is an InputError.
    """
    if turn is None:
        turn = played + 1
    if not 1 <= turn <= played + 1:
        turns = write_count(played, "turn")
        raise InputError(name, f"there is no turn {turn}: the record has {turns}")
    return turn


def refuse(name: str, row: IllegalRow | ViolationRow) -> InputError:
    """Return the error for a record that breaks the rules before the turn in question."""
    detail = write_sentence(row.detail)
    return InputError(name, f"no move is legal: turn {row.turn} is wrong ({row.code}): {detail}")


@dataclass(frozen=True, slots=True)
class Judged:
    """The reasons why a move is illegal, none if it is legal, and the kind that it counts as.

    The kind is empty in games in which not every answer counts as one.
    """

    reasons: Sequence[Reason]
    counts_as: str = ""


class Position(Protocol):
    """A position of a game in which it is a player's turn."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""

    @property
    def over(self) -> str:
        """Why no move is legal, if the game is over; empty if it is not."""

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves of each player, person or robot that moves."""

    def judge(self, line: str) -> Judged:
        """Judge an answer, without playing it; an unreadable one is an error."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The text in a record of an answer after which the game goes on, despite a fault in it."""

    record: str
    fault: Fault | None = None


class Match(Protocol):
    """A game that is being played."""

    keeps_told: bool = True  # whether a record contains the texts for players

    @property
    def mover(self) -> int:
        """The player whose turn it is, from 1."""
        return 1

    @property
    def turn(self) -> int:
        """The number of turns played."""

    @property
    def finished(self) -> bool:
        """Whether the game is over."""

    def tell(self) -> str:
        """Return the text that the mover receives before an answer."""

    def answer(self, line: str) -> Turn:
        """Play the mover's answer.

        Raises:
            Fault: The answer is illegal or cannot be read, and the game does not count that as a
                turn.
        """

    def position(self) -> Position:
        """Return the current position."""

    def choose(self, random: Random) -> str:
        """Choose a legal answer for the mover at random."""

    def picture(self) -> TextBoard:
        """Return the board as people see it."""

    def check_record(self, _pieces: Sequence[tuple[str, str]]) -> None:
        """Raise an error if a record of this match cannot be read.

        Each piece of the record comes with what wrote it: ``opening``, ``tell``, ``line`` or
        ``end``. Only a user's game may write a record that it cannot read.
        """
        return

    def legal(self) -> Sequence[Legal]:
        """Return the legal moves of each player, person or robot that moves."""
        position = self.position()
        if position.over:
            return ()
        return position.moves()

    def save(self) -> object | None:
        """Return the state of the match between two answers, for `restore`.

        It is the state before the mover is told about the turn, and None if a match can return to
        an earlier turn only by replaying all answers before it.
        """
        return None

    def restore(self, saved: object) -> None:
        """Return to a state that `save` returned, for this match or one with the same setup."""
        raise NotImplementedError

    def hold(self, _parts: Sequence[str]) -> str | None:
        """Hold parts of the mover's answer, which may still be taken back, and return them joined.

        The position and the picture reflect the held parts until other parts are held. In a game in
        which an answer has no parts, nothing is held and None is returned.
        """
        return None

    def can_end_turn(self) -> bool:
        """Return whether the held parts may be the whole answer."""
        return True

    def notes(self) -> str:
        """Return additional text to show to a person at the table before each answer."""
        return ""

    def help(self) -> str:
        """Return help for a person at the table."""
        return ""

    def result(self) -> dict[str, Any]:
        """Return the result, with the keys that ``check`` uses."""

    def default(self, _fault: Fault) -> str:
        """Return the answer that replaces a missing one, if the game has one."""
        return ""

    def opening(self) -> str:
        """Return the text at the beginning of a record."""
        return ""

    def closing(self) -> str:
        """Return the text at the end of a record."""
        return ""

    def blank(self) -> str:
        """Return a record without turns, from which the board can be drawn."""
        return self.opening()

    def frame(self) -> str:
        """Return the board before a turn, for a log of frames."""
        return ""

    def state(self) -> str:
        """Return the state of the game in a few words."""
        if self.finished:
            return f"finished after {self.turn} turns"
        return f"turn {self.turn + 1}"


@dataclass(frozen=True, slots=True)
class Help:
    """The command-line help for a verb of a game; lists show its first line.

    The example begins with the game's name.
    """

    text: str
    example: str


# Tests a bot in a case: takes a `kb_score.arena.bot.Transcript` and a function that sets up the
# match, and returns a remark about a bot that passes.
Probe: TypeAlias = Callable[[Any, Callable[[], Match]], str]


@dataclass(frozen=True, slots=True)
class Case:
    """An edge case of a protocol.

    Attributes:
        name: A hyphenated name.
        shows: What the case shows, in a few words.
        begin: Sets up the match; raises NotAsked if there is no such position.
        arguments: Additional arguments for the bot's command.
    """

    name: str
    shows: str
    probe: Probe
    begin: Callable[[], Match]
    arguments: Sequence[str] = ()


# The figures of a player, and those compared within a game: the larger tuple is better.
Score: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Wording:
    """The words that verbs use for a game.

    Attributes:
        actors: The word for those who move in one turn; each then has a row of ``legal``. Empty if
            a turn belongs to one player; each move then has a row.
        separator: The text between the moves of one of the actors.
        nothing_legal: The message about a player without a move.
        move: An example of a move.
        answer: The description of an answer, for a person at the table.
    """

    actors: str = ""
    separator: str = " "
    nothing_legal: str = ""
    move: str = ""
    answer: str = "a line, as a bot prints it"


@dataclass(frozen=True, slots=True)
class VerbOptions:
    """The options of a game's verbs, in addition to those that all games have."""

    check: tuple[Option, ...] = ()
    draw: tuple[Option, ...] = ()  # also for replay and playground
    legal: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class ReasonNames:
    """The predicates that ``--why`` explains by default: the first one that holds.

    The last ones are those of ``legal --move``.
    """

    check: tuple[str, ...] = ("violation", "result")
    legal: tuple[str, ...] = ("illegal", "permitted")
    move: tuple[str, ...] = ("illegal", "permitted")


@dataclass(frozen=True, slots=True)
class PositionSpace:
    """The small positions on which two versions of rules are compared; see common/differ.lp.

    The rules choose a position and an action in it. The sizes are the rows and columns of the
    boards.
    """

    use: Use
    sizes: tuple[tuple[int, int], ...]


class Game(ABC):
    """A game whose records can be checked and drawn.

    Attributes:
        name: The game's folder in asp/.
        record: The kind of file of a record.
        maps: The kinds of files that precede a record on the command line.
        sample: Names of example files, such as ``map.txt plan.txt``.
        reasons: The predicates that ``--why`` explains by default.
        lists_reasons: Whether the JSON of ``legal --move`` has all reasons, not just the first.
        counts_as: Whether every answer counts as something, which ``legal --move`` shows.
        can_explain: Whether `explain` finds choices that a record leaves open.
        positions: The positions on which versions of its rules are compared; None for none.
    """

    name: str
    record: FileKind
    maps: tuple[FileKind, ...] = ()
    sample: str = "game.txt"
    options: VerbOptions = VerbOptions()
    wording: Wording = Wording()
    reasons: ReasonNames = ReasonNames()
    lists_reasons: bool = True
    counts_as: bool = False
    can_explain: bool = False
    positions: PositionSpace | None = None

    @property
    def arena(self) -> Arena:
        """The arena in which bots play it."""
        raise NotImplementedError

    @property
    def has_empty_record(self) -> bool:
        """Whether a record without text is the start of a game."""
        return False

    @property
    def title(self) -> str:
        """Its name on the command line."""
        return self.name.replace("_", "-")

    @abstractmethod
    def check(self, rules: GameRules, files: Sequence[File], **options: Any) -> Verdict:
        """Return the verdict on a record.

        The files are the maps, then the record. The options are those of ``self.options.check``.
        """

    @abstractmethod
    def replay(self, rules: GameRules, files: Sequence[File], **options: Any) -> Replay:
        """Return pictures of each turn of a record, or of a map alone.

        The files are the maps, then the record if there is one. The options are those of
        ``self.options.draw``. It is an error if there is nothing to draw.
        """

    @abstractmethod
    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        """Return the position before a turn, from 1, or None for the one after the last.

        The files are the maps, then the record. The options are those of ``self.options.legal``. It
        is an error if there is no such turn, or if a turn before it is illegal.
        """

    def find_doubts(self, _rules: GameRules, _maps: Sequence[File]) -> Sequence[str]:
        """Return warnings about the maps."""
        return ()

    def find_notes(
        self, _rules: GameRules, _files: Sequence[File]
    ) -> Sequence[tuple[str, str, str]]:
        """Return remarks on the files of a position, each as arguments for `Messages.warn`."""
        return ()

    def explain(self, _rules: GameRules, _files: Sequence[File]) -> tuple[Verdict, str]:
        """Return the verdict on a record, and a session that explains its open choices, if any."""
        raise NotImplementedError


class BotProtocol:
    """The protocol between a game and the program of a bot.

    Attributes:
        times: The time limits of bots.
        on_fault: What happens if a bot gives no valid answer: the turn counts as a pass, the
            referee plays for the bot, or the game ends.
        in_shell: Whether a bot is a shell command that is run again for each turn, with the text
            for the mover as its last argument.
        plan: The files that check takes if a bot prints all answers at once, such as ``MAP PLAN``;
            empty if no record consists of answers alone.
        case_options: The options of the verb ``bot`` that `list_cases` takes.
        case_map: The map for the default cases, in games that list no cases of their own.
    """

    times: tuple[Option, ...] = (TIMEOUT,)
    on_fault: Literal["pass", "play for", "end"] = "end"
    in_shell: bool = False
    plan: str = ""
    case_options: tuple[Option, ...] = ()
    case_map: str = ""

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        """Return the clock for the given times, by option name."""
        return Clock(times["timeout"])

    def list_arguments(self, _setup: MatchSetup) -> Sequence[str]:
        """Return additional arguments for a bot's program."""
        return ()

    def describe_malformed(self, _line: str) -> str:
        """Return the expected form, such as "four numbers"; empty if an answer can be read."""
        return ""

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case] | None:
        """Return the edge cases of the protocol; None for the few that every game has."""
        return None


class Scoring:
    """The figures that contests compare, and how they rank bots.

    Attributes:
        map_key: The key of the maps in a contest's file.
        map_setting: The setting that replaces maps, in games without map files.
        figures: The figures of each player that a contest stores, by the keys of `Match.result`.
        metrics: The figures by which a contest can rank, the default first. The rules compare
            these figures.
        counts_if: The figure that is 0 in games whose other figures do not count; empty if all do.
        ranks_maps: Whether the game has rules that rank by the best game on each map.
        score_key: The use of the rules that selects the figures compared within a game.
        ranking: The use of the rules that ranks bots.
    """

    map_key: str = "maps"
    map_setting: str = ""
    figures: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    counts_if: str = ""
    ranks_maps: bool = False
    score_key: Use = Use(("merit",))
    ranking: Use = RANKING

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Return the figures of each player in a result, and those that the rules compare."""
        columns = [_list_figure(result[figure], players) for figure in self.figures]
        figures_of_seats = list(zip(*columns, strict=True))
        facts: list[Row] = list(enumerate(figures_of_seats))
        answer = rules.ask(self.score_key, {"outcome": facts})
        rows: Sequence[tuple[Any, ...]] = answer.rows.get(("merit", 2), ())
        merits = dict(rows)
        return [(figures, merits[seat]) for seat, figures in enumerate(figures_of_seats)]

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, _maps: int, metric: str
    ) -> dict[int, tuple[Any, ...]]:
        """Return the key by which each bot is ranked for a metric: larger keys come first."""
        counted = Counter[tuple[int, ...]]()
        for (bot, _, score), games in tally.items():
            counted[bot, *score[: len(self.metrics)]] += games
        scored = [(*key, games) for key, games in sorted(counted.items())]
        numbers = [(bot,) for bot in range(bots)]
        facts: dict[str, Sequence[Row]] = {"bot": numbers, "scored": scored}
        if metric != self.metrics[0]:
            facts[f"by_{metric}"] = [()]
        return dict(rules.ask(self.ranking, facts)["standing"])


def _list_figure(value: Any, players: int) -> list[int]:
    """Return a figure for each player; a value that is not a list applies to all players."""
    if isinstance(value, list):
        return [int(number) for number in value]
    return [int(value)] * players


class Arena(ABC):
    """How matches of a game are set up and played.

    Attributes:
        players: The smallest and the largest number of players.
        maps: The kinds of map files of a match.
        seed: The option of ``play`` for the seed; None if nothing is random.
        runs: The option of ``play`` for the number of matches; None for one match.
        run_log: The help for the ``play`` option that logs frames; empty if there is none.
        playout_options: The options of playouts; None for the settings.
        reporter: The `kb_score.arena.referee.Reporter` of play, if the game has its own.
    """

    bots: BotProtocol = BotProtocol()
    scoring: Scoring = Scoring()
    players: tuple[int, int] = (1, 1)
    maps: tuple[FileKind, ...] = ()
    settings: tuple[Option, ...] = (MAX_TURNS,)
    seed: Option | None = None
    runs: Option | None = None
    run_log: str = ""
    playout_options: tuple[Option, ...] | None = None
    reporter: type[Any] | None = None

    @property
    def has_maps(self) -> bool:
        """Whether a contest's file names maps, or the setting that replaces them."""
        return bool(self.maps or self.scoring.map_setting)

    @abstractmethod
    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        """Return a new match, whose chance events the generator decides."""

    def find_seed(self, seed: int) -> int:
        """Return the seed to use for a match, given the requested seed."""
        return seed

    def draw_setup(self, _rules: GameRules, setup: MatchSetup, _random: Random) -> MatchSetup:
        """Return the setup of a random game with random values where none are given."""
        return setup
