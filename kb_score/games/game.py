"""What a game is: data about it, a match of it that is being played, and a position of one.

Every verb is written once over these, in `kb_score.cli`, `kb_score.arena` and the other parts. A
game has a module ``game`` with its `Game`, called ``GAME``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from kb_score.engine.rules import GameRules, Use
from kb_score.errors import Fault, FileKind, InputError
from kb_score.games.schema import IllegalRow, write_sentence

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.terms import Row, Value
    from kb_score.shell.picture import Replay, TextBoard
    from kb_score.shell.verdict import Verdict

# A name and a text.
File: TypeAlias = tuple[str, str]
# Adds an option to a command.
Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
# The use that ranks bots by points.
RANKING = Use(("common/means", "common/points"))
# How often a bot (by its number) had a score on a map (by its number).
Tally: TypeAlias = Counter[tuple[int, int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game: a setting of a match, a time that bots have, or one of a verb."""

    # Its name in a contest's file, and that of the parameter; on the command line --some-name.
    name: str
    # What it is if nothing is said; its type is that of the values. False for a flag.
    default: int | float | str | bool | None
    help: str  # what the command line says of it
    least: float = 0  # the smallest number
    most: float | None = None  # the largest number; None for any
    # What the command line calls the value; SECONDS are more than 0, unless least is.
    unit: str = "N"
    also: str = ""  # another name on the command line, if it has one: that of other games
    flag: str = ""  # its name on the command line, if that is not made of the name
    is_repeatable: bool = False  # whether it may be given several times

    @property
    def kind(self) -> Literal["flag", "fraction", "whole", "text"]:
        """What its values are: True or False, numbers with or without a fraction, or texts."""
        if self.default is False:
            return "flag"
        if isinstance(self.default, float) or self.unit == "SECONDS":
            return "fraction"
        if isinstance(self.default, int) or self.most is not None:
            return "whole"
        return "text"


TIMEOUT = Option("timeout", 10.0, "Time that a bot has for an answer.", 0.001, 3600, "SECONDS")
MAP = Option(
    "map",
    None,
    "The map of most cases  [default: small maps that kb-score brings along].",
    unit="MAP",
)
MOST_TURNS = Option("most_turns", 10_000, "The game stops after this many turns.", 1, 10**9)


@dataclass(frozen=True, slots=True)
class Clock:
    """How many seconds a bot has."""

    answer: float  # for an answer
    start: float = 0.0  # to get ready, in addition to the time for its first answer
    grace: float = 1.0  # an answer counts up to this many times its time: the machine may be busy
    # After this many seconds a late bot is ended, but never before its answer is late.
    kill: float = 0.0

    @property
    def late(self) -> float:
        """The seconds after which an answer does not count."""
        return self.answer * self.grace


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """What a match is set up with."""

    files: tuple[File, ...] = ()  # what it is played on, if the game has maps
    # The values of `Arena.settings`, by name.
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0  # what the match draws by
    players: int = 1  # how many play
    run: int = 1  # the number of the match in a series, from 1
    runs: int = 1  # how many matches there are in the series
    names: Mapping[int, str] = field(default_factory=dict)  # what people call the players


@dataclass(frozen=True, slots=True)
class Legal:
    """What one player, person or robot may do, as a record has it."""

    player: int | str  # who it is: a number, a name or a place
    moves: tuple[str, ...]  # the moves
    # What each of them counts as, in games that have kinds of moves.
    counts_as: tuple[str, ...] = ()
    note: str = ""  # a remark about the moves


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is illegal."""

    code: str  # the code, as in docs/file-formats.md
    detail: str  # a sentence
    who: str = ""  # who was to make it, where a line has the moves of several
    places: tuple[tuple[int, ...], ...] = ()  # the places that are named, such as (3, 4)

    def __str__(self) -> str:
        who = f" ({self.who})" if self.who else ""
        return f"{self.code}{who}: {self.detail}"


def read_reason(code: str, who: Value, detail: Value) -> Reason:
    """Make a reason of what the rules say: a tuple for Who, or in the detail, is a place."""
    parts = (who, *(detail if isinstance(detail, tuple) else (detail,)))
    places = [
        tuple(number for number in part if isinstance(number, int))
        for part in parts
        if isinstance(part, tuple)
    ]
    return Reason(code, write_sentence(detail), write_sentence((who,)), tuple(places))


def find_turn(turn: int | None, played: int, name: str) -> int:
    """Find the turn that is meant, None for the next; an InputError if the record is too short."""
    turn = played + 1 if turn is None else turn
    if not 1 <= turn <= played + 1:
        raise InputError(name, f"it has no turn {turn}, but {played} turns")
    return turn


def refuse(name: str, row: IllegalRow) -> InputError:
    """Make the error for a record that breaks the rules before the turn in question."""
    reason = f"turn {row.turn} is {row.code}, {write_sentence(row.detail)}"
    return InputError(name, f"no move is legal: {reason}")


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say of a move."""

    reasons: Sequence[Reason]  # why it is illegal; none if it is legal
    counts_as: str = ""  # what it counts as, in games in which every answer counts as something


class Position(Protocol):
    """A position of a game, in which somebody has the turn."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""

    @property
    def over(self) -> str:
        """Why nothing is legal, as the game is over; empty if it goes on."""

    def moves(self) -> Sequence[Legal]:
        """List what each who moves may do."""

    def judge(self, line: str) -> Judged:
        """Judge an answer, without playing it.

        Raises:
            KbScoreError: It cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Turn:
    """The outcome of an answer after which the game goes on."""

    record: str  # what a record keeps of it
    fault: Fault | None = None  # what was wrong with it nevertheless


class Match(Protocol):
    """A game that is being played."""

    keeps_told: bool = True  # whether a record has what players are told

    @property
    def mover(self) -> int:
        """The player who has the turn, from 1."""
        return 1

    @property
    def turn(self) -> int:
        """How many turns were played."""

    @property
    def finished(self) -> bool:
        """Whether the game is over."""

    def tell(self) -> str:
        """Write what the mover is told."""

    def answer(self, line: str) -> Turn:
        """Play an answer of the mover.

        Raises:
            Fault: It is illegal or cannot be read, and the rules of the game have no turn for that.
        """

    def position(self) -> Position:
        """Give the position as it is now."""

    def choose(self, random: Random) -> str:
        """Draw an answer of the mover from those that are legal."""

    def picture(self) -> TextBoard:
        """Make the board as people see it."""

    def legal(self) -> Sequence[Legal]:
        """List what each who moves may do."""
        position = self.position()
        return () if position.over else position.moves()

    def save(self) -> object | None:
        """Save the match as it is between two answers, before the mover was told anything.

        Returns:
            What `restore` takes; None where a match returns to an earlier turn only by playing
            all answers before it again.
        """
        return None

    def restore(self, saved: object) -> None:
        """Return to what `save` has returned, of this match or of one with the same setup."""
        raise NotImplementedError

    def hold(self, _parts: Sequence[str]) -> str | None:
        """Take parts of the mover's answer, which he may still take back, for what is said.

        Returns:
            Them as one answer, which the position and the picture go on after until other parts
            are held; None in a game in which an answer has no parts.
        """
        return None

    def can_end_turn(self) -> bool:
        """Return whether the parts that are held may be the whole answer."""
        return True

    def notes(self) -> str:
        """Write what else a person at the table has to see, before each answer."""
        return ""

    def help(self) -> str:
        """Write what else a person at the table may want to know."""
        return ""

    def result(self) -> dict[str, Any]:
        """Make the result, with the keys that ``check`` uses."""

    def default(self, _fault: Fault) -> str:
        """Write the answer that stands in for one that there is not, where the game has such."""
        return ""

    def opening(self) -> str:
        """Write what a record begins with."""
        return ""

    def closing(self) -> str:
        """Write what a record ends with."""
        return ""

    def blank(self) -> str:
        """Write a record without a turn, where it takes one to draw the board."""
        return self.opening()

    def frame(self) -> str:
        """Write the board before a turn, for a log of frames."""
        return ""

    def state(self) -> str:
        """Describe the state of the game in a few words."""
        return f"finished after {self.turn} turns" if self.finished else f"turn {self.turn + 1}"


class StandingRow(NamedTuple):
    """``standing(Bot,Key)``: the bot with the larger key comes first."""

    bot: int
    key: tuple[Any, ...]


class MeritRow(NamedTuple):
    """``merit(Seat,Merit)``: what is compared within a game."""

    seat: int
    merit: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Help:
    """What the command line says of a verb of a game."""

    text: str  # the help; its first line stands in lists
    example: str  # how an example goes on after the game's name


# How a bot is asked in a case: takes a `kb_score.arena.bot.Transcript` and what sets up the
# match; returns what there is to say of a bot that passes.
Probe: TypeAlias = Callable[[Any, Callable[[], Match]], str]


@dataclass(frozen=True, slots=True)
class Case:
    """An odd case of a protocol."""

    name: str  # a word with hyphens
    shows: str  # what it shows, in a few words
    probe: Probe  # how the bot is asked
    begin: Callable[[], Match]  # sets up the match; raises NotAsked where there is no such position
    arguments: Sequence[str] = ()  # more arguments of the bot's command


# The figures of a player, and what of them is compared within a game: the larger tuple is better.
Score: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Wording:
    """How verbs speak of a game.

    Attributes:
        who: What a number is called in a violation, such as ``player {}``.
        actors: What those are called who move in one turn: each then has a row of ``legal``. Empty
            if a turn is of one player: then each move has a row.
        separator: What stands between the moves of one of these.
        nothing_legal: What is said of a player without a move.
        move: An example of a move.
        answer: What a turn is, for a person at the table.
    """

    who: str = "{}"
    actors: str = ""
    separator: str = " "
    nothing_legal: str = ""
    move: str = ""
    answer: str = "a line, as a bot prints it"


@dataclass(frozen=True, slots=True)
class VerbOptions:
    """The options of a game's verbs, beside those that all games have."""

    check: tuple[Option, ...] = ()
    draw: tuple[Option, ...] = ()  # also of replay and playground
    legal: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class ReasonNames:
    """What ``--why`` is about if it names no atom: predicates, of which the first that holds.

    Attributes:
        check: For ``check``.
        legal: For ``legal``.
        move: For ``legal --move``.
    """

    check: tuple[str, ...] = ("violation", "result")
    legal: tuple[str, ...] = ("illegal", "permitted")
    move: tuple[str, ...] = ("illegal", "permitted")


@dataclass(frozen=True, slots=True)
class PositionSpace:
    """The small positions in which two versions of rules are compared; see common/differ.lp.

    Attributes:
        use: The rules that choose a position and what is done in it.
        sizes: The rows and columns of its boards.
    """

    use: Use
    sizes: tuple[tuple[int, int], ...]


class Game(ABC):
    """A game whose records can be checked and drawn.

    Attributes:
        name: The game's folder in asp/ and in kb_score/games/.
        record: What a record is.
        maps: What comes before a record on the command line.
        sample: Files of examples, such as ``map.txt plan.txt``.
        options: More options of its verbs.
        wording: How verbs speak of it.
        reasons: The predicates that ``--why`` alone is about.
        lists_reasons: Whether ``legal --move`` has all reasons in its JSON, not just the first.
        counts_as: Whether every answer counts as something, which ``legal --move`` says.
        can_explain: Whether `explain` finds choices that a record leaves open.
        positions: Where versions of its rules are compared.
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
        """How bots play it; a class of a user may have it as an attribute."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """Its name on the command line."""
        return self.name.replace("_", "-")

    @abstractmethod
    def check(self, rules: GameRules, files: Sequence[File], **options: Any) -> Verdict:
        """Judge a record.

        Args:
            rules: The rules that judge it.
            files: Each a name and a text: the maps, then the record.
            options: The values of ``self.options.check``, by name.

        Raises:
            KbScoreError: A file cannot be read, or a rule of the user is wrong.
        """

    @abstractmethod
    def replay(self, rules: GameRules, files: Sequence[File], **options: Any) -> Replay:
        """Draw each turn of a record, or of a map alone; ``options`` are ``self.options.draw``."""

    @abstractmethod
    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        """Find the position before a turn of a record.

        Args:
            rules: The rules that say what is legal.
            files: The maps, then the record.
            turn: The number of the turn, from 1; None for the one after the last.
            options: The values of ``self.options.legal``, by name.
        """

    def find_doubts(self, _rules: GameRules, _maps: Sequence[File]) -> Sequence[str]:
        """List what is doubtful about the maps."""
        return ()

    def find_notes(
        self, _rules: GameRules, _files: Sequence[File]
    ) -> Sequence[tuple[str, str, str]]:
        """List remarks on the files of a position, each as `Messages.warn` takes it."""
        return ()

    def explain(self, _rules: GameRules, _files: Sequence[File]) -> tuple[Verdict, str]:
        """Judge a record, and write choices that explain it, as a session; empty if none do."""
        raise NotImplementedError


class BotProtocol:
    """How a program plays a game: what it is told, and when it is late.

    Attributes:
        times: The times that bots have.
        on_fault: What the game does where there is no answer: it counts as a pass, the referee
            plays, or the game ends.
        in_shell: Whether a bot is a command for the shell, run anew for each turn with what it is
            told as one more argument.
        plan: The files that check takes where a bot prints all answers at once, such as
            ``MAP PLAN``; empty if no record has answers alone.
        case_options: The options of the verb ``bot`` that `list_cases` takes.
        case_map: The map of the cases of games that list none of their own.
    """

    times: tuple[Option, ...] = (TIMEOUT,)
    on_fault: Literal["pass", "play for", "end"] = "end"
    in_shell: bool = False
    plan: str = ""
    case_options: tuple[Option, ...] = ()
    case_map: str = ""

    def make_clock(self, times: Mapping[str, float]) -> Clock:
        """Make the clock of the times, by name."""
        return Clock(times["timeout"])

    def list_arguments(self, _setup: MatchSetup) -> Sequence[str]:
        """List more arguments of a bot's program."""
        return ()

    def describe_malformed(self, _line: str) -> str:
        """Say what an answer is not, such as "four numbers"; empty if it can be read."""
        return ""

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case] | None:
        """List the odd cases of the protocol; None for a few that any game has."""
        return None


class Scoring:
    """What contests compare, and how they rank bots.

    Attributes:
        map_key: What a contest's file calls what is played on, such as maps.
        map_setting: The setting that says what is played on, where that is no file.
        figures: What a contest notes down of each player, by the keys of `Match.result`.
        metrics: The figures of which a contest's file may choose one to rank by, the usual first;
            these are what the rules compare.
        counts_if: The figure that is 0 in games whose other figures do not count; empty if all do.
        earlier_defaults: Rulings whose default has changed, with the default before: a contest
            that was begun with it goes on with it.
        rules_version: The version of the shipped rules, raised when a game is judged differently:
            results of contests that were played by another version do not count.
        score_key: The use of the rules that says what is compared within a game.
        ranking: The use of the rules that ranks bots.
    """

    map_key: str = "maps"
    map_setting: str = ""
    figures: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    counts_if: str = ""
    earlier_defaults: Mapping[str, str] = MappingProxyType({})
    rules_version: int = 1
    score_key: Use = Use(("merit",))
    ranking: Use = RANKING

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Find the figures of each player in a result, and what of them the rules compare."""
        columns = [_list_figure(result[figure], players) for figure in self.figures]
        figures_of_seats = list(zip(*columns, strict=True))
        facts: list[Row] = []
        for seat, figures in enumerate(figures_of_seats):
            facts.append((seat, figures))
        answer = rules.ask(self.score_key, {"outcome": facts})
        merits: dict[int, tuple[int, ...]] = {}
        for row in answer.read(MeritRow):
            merits[row.seat] = row.merit
        scores: list[Score] = []
        for seat, figures in enumerate(figures_of_seats):
            merit = merits[seat]
            scores.append((figures, merit))
        return scores

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, _maps: int, metric: str
    ) -> list[StandingRow]:
        """Rank bots by how often each had which figures, whatever was played on.

        Args:
            rules: The rules that rank.
            bots: How many there are.
            tally: How often each bot had which figures on which map.
            metric: The figure to rank by.
        """
        counted = Counter[tuple[int, ...]]()
        for (bot, _, score), games in tally.items():
            counted[bot, *score[: len(self.metrics)]] += games
        facts: dict[str, list[Row]] = {
            "bot": [(bot,) for bot in range(bots)],
            "scored": [(*key, games) for key, games in sorted(counted.items())],
        }
        if metric != self.metrics[0]:
            facts[f"by_{metric}"] = [()]
        return rules.ask(self.ranking, facts).read(StandingRow)


def _list_figure(value: Any, players: int) -> list[int]:
    """List a figure of each player; one that is not of a player is that of all."""
    if isinstance(value, list):
        return [int(number) for number in value]
    return [int(value)] * players


class Arena(ABC):
    """How matches of a game are set up and played.

    Attributes:
        bots: How programs play it.
        scoring: What contests compare.
        players: How many there are, at least and at most.
        maps: What a match is played on.
        settings: What a match depends on.
        seed: The option of play for the seed; None if nothing is drawn.
        runs: The option of play for the number of matches; None for one.
        run_log: The help of the option of play for a log of frames; empty if there is none.
        playout_options: The options of playouts; None for the settings.
        reporter: The `kb_score.arena.referee.Reporter` of play, if it has one of its own.
    """

    bots: BotProtocol = BotProtocol()
    scoring: Scoring = Scoring()
    players: tuple[int, int] = (1, 1)
    maps: tuple[FileKind, ...] = ()
    settings: tuple[Option, ...] = (MOST_TURNS,)
    seed: Option | None = None
    runs: Option | None = None
    run_log: str = ""
    playout_options: tuple[Option, ...] | None = None
    reporter: type[Any] | None = None

    @property
    def has_maps(self) -> bool:
        """Whether a contest's file says what is played on."""
        return bool(self.maps or self.scoring.map_setting)

    @abstractmethod
    def new_match(self, rules: GameRules, setup: MatchSetup, random: Random) -> Match:
        """Set up a match, which draws by the generator.

        Raises:
            KbScoreError: There is no such match.
        """

    def find_seed(self, seed: int) -> int:
        """Find the seed of a match from the one that is given."""
        return seed

    def draw_setup(self, _rules: GameRules, setup: MatchSetup, _random: Random) -> MatchSetup:
        """Complete the setup of a random game: draw what is not given."""
        return setup
