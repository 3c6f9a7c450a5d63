"""``legal``, ``legal --move``, ``check`` and random games agree on what is legal.

What ``legal`` lists is what ``--move`` and ``check`` accept, all else they refuse, and random games
are legal. This holds by the rules of each game, and by rules of a user that forbid or add.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.arena.playouts import Playout, play_randomly
from kb_score.cli.legal import judge_move
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.game import Game
from kb_score.games.kingdom_builder.records import (
    Action,
    ActionTarget,
    load_names,
    read_actions,
    write_action,
    write_actions,
)
from kb_score.games.match import File, Judged, Legal, MatchSetup, Position
from kb_score.resources import add_user_folders
from kb_score.shell.verdict import Verdict
from tests.games.kingdom_builder.turns import split_game
from tests.helpers import ASP, ROOT, run

# A check has no code for an answer that is a pass, or that is skipped.
IGNORED = "ignored"
# Answers that are drawn in each position, of what is listed and of what is not.
LISTED = 1
OTHERS = 3
# Turns of a random game, unless it is over before.
SHORT = 6
LONG = 14


@dataclass(frozen=True)
class Moment:
    """A turn in the record of a random game.

    Attributes:
        turn: Its number, from 1.
        before: The record before the answer, with what the player is told.
        answer: The answer.
        after: The record after the answer, from the end of its line.
    """

    turn: int
    before: str
    answer: str
    after: str


class Trial(ABC):
    """A position of a random game, in which answers are tried.

    Attributes:
        subject: The game.
        rules: The rules by which the game was played.
        moment: The turn.
        random: Draws answers.
    """

    def __init__(self, subject: Subject, rules: GameRules, moment: Moment, random: Random) -> None:
        self.subject = subject
        self.rules = rules
        self.moment = moment
        self.random = random

    @property
    def played(self) -> str:
        """The answer that the random game has from this position on."""
        return self.moment.answer

    @cached_property
    def position(self) -> Position:
        """The position."""
        return self.find_position()

    @cached_property
    def legal(self) -> Sequence[Legal]:
        """What ``legal`` lists."""
        return self.position.moves()

    @cached_property
    def listed(self) -> Sequence[str]:
        """All moves that ``legal`` lists, of whoever moves."""
        return [move for one in self.legal for move in one.moves]

    def find_position(self, **options: Any) -> Position:
        """Find a position at this turn, as ``legal --turn`` does."""
        record = f"{self.moment.before}{self.moment.answer}\n"
        files = self.subject.list_files(record)
        return self.subject.game.position(self.rules, files, self.moment.turn, **options)

    def draw_listed(self) -> str | None:
        """Draw an answer made of what is listed; None if nothing is."""
        return self.random.choice(self.listed) if self.listed else None

    @abstractmethod
    def draw_other(self) -> str | None:
        """Draw an answer with something in it that is not listed; None if the draw failed."""

    def judge(self, answer: str) -> Judged:
        """Judge an answer, as ``legal --move`` does."""
        return judge_move(self.position, answer)

    def check(self, answer: str) -> str:
        """Check the record up to an answer; return the code at this turn, or an empty text."""
        return self.find_code(f"{self.moment.before}{answer}\n")

    def find_code(self, record: str) -> str:
        """Check a record that is consistent up to this turn; return the code at this turn."""
        verdict = self.check_record(record)
        codes = [one.code for one in verdict.violations if one.turn == self.moment.turn]
        assert len(codes) == len(verdict.violations), self.describe(record)
        return codes[0] if codes else ""

    def check_record(self, record: str) -> Verdict:
        """Check a record."""
        return self.subject.game.check(self.rules, self.subject.list_files(record))

    def describe(self, answer: str) -> str:
        """Describe an answer and its position, to find out what is wrong."""
        before = f"turn {self.moment.turn} of this record, which was played by {self.rules}:"
        return f"{answer!r} at {before}\n{self.moment.before}{self.moment.answer}\n"


class SlimeTrial(Trial):
    """A turn of Slime, in which an answer that is refused counts as a pass."""

    def draw_other(self) -> str | None:
        told = self.moment.before.splitlines()[-1]
        size = told.count(",")
        row, column, to_row, to_column = (self.random.randint(-1, size) for _ in range(4))
        if self.listed and self.random.random() < 0.7:
            row, column, *_ = map(int, self.random.choice(self.listed).split())
        if self.random.random() < 0.6:
            to_row = row + self.random.randint(-2, 2)
            to_column = column + self.random.randint(-2, 2)
        answer = f"{row} {column} {to_row} {to_column}"
        return None if answer in self.listed else answer

    def check(self, answer: str) -> str:
        before = self._count_passes(self.moment.before)
        after = self._count_passes(f"{self.moment.before}{answer}\n")
        assert after - before in (0, 1), self.describe(answer)
        return IGNORED if after > before else ""

    def _count_passes(self, record: str) -> int:
        verdict = self.check_record(record)
        assert verdict.consistent, self.describe(record)
        return sum(verdict.more["counts"].get("pass", ()))


class PartyTrial(Trial):
    """A turn of a search party, in which each person may be told where to go."""

    def draw_listed(self) -> str | None:
        return self._draw_moves({}) if self.listed else None

    def draw_other(self) -> str | None:
        person = self.random.choice("@ABaQ")
        move = f"{person}{self.random.choice('0123456789x')}"
        return None if move in self.listed else self._draw_moves({person: move})

    def _draw_moves(self, given: Mapping[str, str]) -> str:
        """Draw listed moves of some people, beside the moves that are given."""
        moves = dict(given)
        for one in self.legal:
            if self.random.random() < 0.6:
                moves.setdefault(str(one.player), self.random.choice(one.moves))
        return " ".join(moves[person] for person in sorted(moves)) + "."


class LightsTrial(Trial):
    """A turn of the game of tests/fifth_game."""

    def draw_other(self) -> str | None:
        answer = f"press {self.random.randint(-1, 3)} {self.random.randint(-1, 3)}"
        return None if answer in self.listed else answer


class RabbitsTrial(Trial):
    """A turn of a run, in which crushers move, and then rabbits.

    A record shows what crushers do. Moves that a bot asks for are skipped if they are illegal: the
    record then has the same end as without them.
    """

    def draw_listed(self) -> str | None:
        if not self.listed:
            return None
        move = self.random.choice(self.listed)
        if " to " in move:
            return f"move {move}"
        # What other crushers do may be in its way, but not all that they may do.
        lines = self._join_crushers(move)
        return next((line for line in lines if not self.judge(line).reasons), f"crusher {move}")

    def draw_other(self) -> str | None:
        word = self.random.choice(["to", "to", "movesto", "crushes"])
        column, row = self._draw_cell(word)
        steps = [(0, 0), (1, 1), (2, 0), *(2 * [(1, 0), (-1, 0), (0, 1), (0, -1)])]
        across, down = self.random.choice(steps)
        move = f"{column},{row} {word} {column + across},{row + down}"
        if move in self.listed or min(column + across, row + down) < 0:
            return None
        return f"move {move}" if word == "to" else self.random.choice(self._join_crushers(move))

    def _draw_cell(self, word: str) -> tuple[int, int]:
        """Draw a cell, most often one of a robot that may do something by this word."""
        cells = [move.split()[0] for move in self.listed if f" {word} " in move]
        if cells and self.random.random() < 0.8:
            column, row = self.random.choice(cells).split(",")
            return int(column), int(row)
        ((_, text), *_) = self.subject.maps
        rows = text.splitlines()
        return self.random.randrange(len(rows[0])), self.random.randrange(len(rows))

    def _join_crushers(self, action: str) -> Sequence[str]:
        """Write an action of a crusher with each choice of listed actions of some others."""
        crusher = action.split()[0]
        others: list[list[str]] = []
        for one in self.legal:
            moves = [move for move in one.moves if " to " not in move]
            if moves and one.player != crusher:
                others.append(["", *moves])
        lines: list[str] = []
        for chosen in product(*others):
            actions = [action, *filter(None, chosen)]
            lines.append(f"crusher {'; '.join(actions)}")
        return lines

    def check(self, answer: str) -> str:
        verb, _, move = answer.partition(" ")
        if verb == "crusher":
            start, _, rabbits = self.moment.before.rpartition("crusher")
            rabbits = rabbits.partition("\n")[2]
            verdict = self.check_record(f"{start}{answer}\n{rabbits}move\n")
            codes = [one.code for one in verdict.violations if one.turn == self.moment.turn]
            # The rabbits of the record are those that other actions have left.
            return next((code for code in codes if code != "wrong-rabbits"), "")
        rabbit = move.split()[0]
        asked = self.moment.answer.removeprefix("move").split(";")
        others = [one.strip() for one in asked if one.strip() and one.split()[0] != rabbit]
        is_skipped = self._show_end(others) == self._show_end([*others, move])
        return IGNORED if is_skipped else ""

    def _show_end(self, moves: Sequence[str]) -> object:
        """Check the record up to the next turn with other moves; return what depends on them."""
        told, _, _ = self.moment.after.partition("\nmove")
        line = f"move {'; '.join(moves)}".rstrip()
        verdict = self.check_record(f"{self.moment.before}{line}{told}\n")
        return verdict.violations, verdict.picture, verdict.result, verdict.more


# Tiles to try, by what they do.
BUILDERS = ("farm", "garden", "lake", "oasis", "oracle", "quarry", "tavern", "tower", "village")
MOVERS = ("barn", "caravan", "harbor", "paddock", "raft")
TERRAINS = ("grass", "canyon", "desert", "flower", "forest")


class KingdomTrial(Trial):
    """A turn of Kingdom Builder, with some of its actions done: an answer is one more action.

    Attributes:
        done: The actions that are done.
        rest: The actions of the random game that follow them.
        terrains: The cards of the turn.
    """

    def __init__(self, subject: Subject, rules: GameRules, moment: Moment, random: Random) -> None:
        super().__init__(subject, rules, moment, random)
        _, turns = split_game(f"{moment.before}{moment.answer}\n")
        said = [turn.partition(":") for turn in turns]
        lines = [read_actions(actions, rules, "turn") for _, _, actions in said]
        self.terrains = said[-1][0].split()[-1].split("/")
        number = 0
        # After a further card it matters when it was drawn, which a record does not say.
        if len(self.terrains) == 1 and random.random() < 0.5:
            number = random.randrange(sum(len(action.targets) for action in lines[-1]) + 1)
        self.done, self.rest = _split(lines[-1], number)
        actions = [action for line in lines for action in line]
        self._places = [target.place for action in actions for target in action.targets]

    @property
    def played(self) -> str:
        rest = list(self.rest)
        goes_on = self.done and rest and self.done[-1].name == rest[0].name
        if goes_on and rest[0].name != "mandatory":
            rest[0] = Action("also", rest[0].targets)
        return write_actions(rest)

    def find_position(self, **options: Any) -> Position:
        options.setdefault("after", write_actions(self.done))
        return super().find_position(**{"player": None, "card": None, "tiles": (), **options})

    def draw_other(self) -> str | None:
        tiles = load_names(self.rules).tiles
        known = [name for name in (*BUILDERS, *MOVERS) if name in tiles]
        held = [name for name in known if any(move.startswith(name) for move in self.listed)]
        name = self.random.choice(["mandatory", *held, self.random.choice(known)])
        start = self._draw_hex() if name in MOVERS else None
        answer = write_action(Action(name, (ActionTarget(start, self._draw_hex()),)))
        return None if answer in self.listed else answer

    def _draw_hex(self) -> tuple[int, int]:
        """Draw a hex, most often one beside a settlement, or beside a hex that is listed."""
        if not self._places or self.random.random() < 0.2:
            return self.random.randrange(21), self.random.randrange(21)
        row, column = self.random.choice(self._places)
        found = re.findall(r"(\d+),(\d+)", " ".join(self.listed))
        if found and self.random.random() < 0.5:
            row, column = map(int, self.random.choice(found))
        down, across = self.random.randint(-1, 1), self.random.randint(-2, 2)
        return max(row + down, 0), max(column + across, 0)

    def check(self, answer: str) -> str:
        said = [*map(write_action, self.done), answer]
        cards = self._complete(said) if answer in self.listed else self.terrains
        player = self.moment.answer.split()[0]
        line = f"{player} {'/'.join(cards)}: {'; '.join(said)}\n"
        return self.find_code(self.moment.before + line)

    def _complete(self, said: list[str]) -> Sequence[str]:
        """Complete the actions of a turn by what is listed; return the cards that it takes."""
        cards = [*self.terrains]
        while True:
            drawn = "/".join(cards) if len(cards) > len(self.terrains) else None
            (found,) = self.find_position(after="; ".join(said), card=drawn).moves()
            moves = found.moves
            owed = [move for move in moves if move[0].isdecimal()]
            further = [move for move in moves if move.startswith("also")]
            if owed:
                said.append(self.random.choice(owed))
            elif further and len(further) == len(moves):
                said.append(self.random.choice(further))
            elif "another one is due" in found.note:
                cards.append(self.random.choice(TERRAINS))
                assert len(cards) < 30, self.describe("; ".join(said))
            else:
                return cards


def _split(actions: Sequence[Action], number: int) -> tuple[list[Action], list[Action]]:
    """Split actions after a number of hexes."""
    done: list[Action] = []
    rest: list[Action] = []
    for action in actions:
        first = replace(action, targets=action.targets[:number])
        second = replace(action, targets=action.targets[number:])
        if number > 0:
            done.append(first)
        if number <= 0 or second.targets:
            rest.append(second)
        number = max(number - len(action.targets), 0)
    return done, rest


@dataclass(frozen=True)
class Variation:
    """Rules of a user for a game.

    Attributes:
        name: What they do.
        files: Their texts, by their paths in a folder of rules.
        settings: The settings of random games that they need.
    """

    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """A game.

    Attributes:
        folder: Its folder in ``asp/``.
        trial: How answers are tried in it.
        answers: What an answer is in a record that ``playouts`` writes, as a group.
        maps: The maps, each a name and a text, where they stand before a record.
        start: The map of a random game, if it is in the record.
        settings: The settings of random games; of several values one is drawn.
        length: The setting that says how many turns they have.
    """

    folder: str
    trial: type[Trial]
    answers: str
    maps: Sequence[File] = ()
    start: Sequence[File] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    length: str = "most_turns"

    @property
    def game(self) -> Game:
        """The game."""
        return GameFolder(self.folder).type

    def find_rules(self, variation: Variation, folder: Path) -> GameRules:
        """Find the rules with those of a user, which are written to a folder."""
        home = folder / self.folder / variation.name
        for path, text in variation.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            if not (home / path).exists():
                (home / path).write_text(text)
        return GameRules(self.folder, Changes((home,) if variation.files else ()))

    def list_files(self, record: str) -> list[File]:
        """List the maps and a record, as a verb reads them."""
        return [*self.maps, ("record", record)]

    def play(self, rules: GameRules, variation: Variation, random: Random, turns: int) -> str:
        """Play a random game, as ``playouts`` does; return its record."""
        playout = self.play_out(rules, variation, random, turns)
        assert "illegal" not in playout.problem, (playout.problem, playout.record)
        return playout.record

    def play_out(
        self, rules: GameRules, variation: Variation, random: Random, turns: int
    ) -> Playout:
        """Play a random game, as ``playouts`` does."""
        settings = {self.length: turns, **self.settings, **variation.settings}
        for name, value in settings.items():
            if isinstance(value, tuple):
                settings[name] = random.choice(value)
        seed = random.randrange(10**6)
        maps = (*self.maps, *self.start)
        setup = MatchSetup(maps, settings, seed, self.game.players[1])
        return play_randomly(self.game, rules, setup, Random(seed))

    def list_moments(self, record: str) -> list[Moment]:
        """List the turns of a record."""
        moments: list[Moment] = []
        for found in re.finditer(self.answers, record, re.MULTILINE):
            before = record[: found.start(1)]
            after = record[found.end(1) :]
            moments.append(Moment(len(moments) + 1, before, found[1], after))
        return moments


ROOMS = """\
###########
#s   #   s#
#  c   c  #
# e #   e #
###########
"""
MEADOW = """\
7 5 2 1
.......
..#....
...S...
.#...#.
.......
"""
CROSS = """\
.*.
***
.*.
"""
BOARDS = (
    "quarry farm oracle paddock",
    "garden/180 tavern quarry oasis",
    "harbor tower caravan/180 village",
    "barn farm/180 garden oracle",
)


def write_quadrants(*names: str) -> str:
    """Write quadrants with many towns, so that random players soon have tiles."""
    lines: list[str] = []
    for name in names:
        lines += ["", f"% {name} -- with many towns"]
        for row in range(10):
            land = ["GNDLF"[(row // 2 + column // 3) % 5] for column in range(10)]
            if row % 3 == 1:
                land[1::3] = "TTT"
            lines.append(" " * (row % 2) + " ".join(land))
    return "\n".join(lines) + "\n"


OURS = Variation("ours")
SLIME = Subject("slime", SlimeTrial, r"^[1-4],.*\n(.*)", settings={"size": (5, 7)})
SLIME_FORBIDS = """
forbidden(T,go(R,C,R1,C1),"house-rule",("nobody goes north",)) :-
    answer((R,C),(R1,C1),T), R1 < R.
"""
SLIME_ADDS = "reach(leap,3). onto(leap,empty).\n"

PARTY = Subject("search_party", PartyTrial, r"^-{40}\n(.*\.)", [("map.txt", MEADOW)])
PARTY_FORBIDS = """
#program step(t).
forbidden(t,go(P,D),"house-rule",(P,"goes askew")) :- before_alive(P,t), D = (1;3;7;9).
"""
# A leap of two cells to the right.
PARTY_ADDS = (ASP / "search_party" / "rules" / "map.lp").read_text() + "pad(0,2,0).\n"
PARTY_REFUSES = """
#program step(t).
illegal(t,"slow",P,("nobody stands still",)) :- move(P,5,t).
"""

RABBITS = Subject(
    folder="rabbits",
    trial=RabbitsTrial,
    answers=r"^(move.*)(?=\nturnsleft)",
    maps=[("map.txt", ROOMS)],
    length="turns",
)
RABBITS_FORBIDS = """
forbidden(T,move(C,C-1),"house-rule",("nobody goes west",)) :- turn(T), way(C,_,C-1).
"""
# Crushers that see no rabbit may turn back.
RABBITS_ADDS = """
#program turn(t).
option(C,H,t) :- free(C,H,t), not hunts(C,t).
"""

KINGDOM = Subject(
    folder="kingdom_builder",
    trial=KingdomTrial,
    answers=r"^(\d [\w/]+: .*)",
    settings={"board": BOARDS, "cards": "", "queenies": None, "players": (2, 3)},
)
KINGDOM_FORBIDS = r"""
forbidden(T,build(mandatory,(R,C)),"house-rule",("nobody builds here",)) :-
    mover(_,T), hex(R,C), C \ 2 = 0.
forbidden(T,build(farm,(R,C)),"house-rule",("no farm here",)) :- mover(_,T), hex(R,C), R \ 2 = 0.
forbidden(T,wall(quarry,(R,C)),"house-rule",("no wall here",)) :- mover(_,T), hex(R,C), R \ 2 = 1.
forbidden(T,move(paddock,(R,C),(R,C-2)),"house-rule",("nobody goes west",)) :-
    mover(_,T), hex(R,C).
"""
KINGDOM_ADDS = """
tile(lake, build, 1, "build 1 on canyon, adjacent if possible").
ground(lake, canyon). close(lake, possible).
tile(raft, move, 1, "move one of your settlements one hex").
ground(raft, K) :- open_ground(K). shaped(raft).
shape(raft,F,H,T) :- lifted(raft,F,T), next_to(F,H).
"""

LIGHTS = Subject("lights", LightsTrial, r"^(press .*)", start=[("map.txt", CROSS)])
LIGHTS_FORBIDS = """
#program step(t).
forbidden(t,press(R,C),"house-rule",("it is dark",)) :- lamp(R,C), not before_lit(R,C,t).
"""
LIGHTS_ADDS = """
#program step(t).
terminal(t) :- lit(1,1,t), not lit(0,0,t), not lit(2,2,t).
"""
LIGHTS_REFUSES = """
#program step(t).
illegal(t,"dark","",("it is dark",)) :- press(R,C,t), lamp(R,C), not before_lit(R,C,t).
"""

VARIATIONS = [
    (SLIME, OURS),
    (SLIME, Variation("forbids", {"house.lp": SLIME_FORBIDS})),
    (SLIME, Variation("adds", {"leap.lp": SLIME_ADDS})),
    (PARTY, OURS),
    (PARTY, Variation("forbids", {"house.lp": PARTY_FORBIDS})),
    (PARTY, Variation("adds", {"rules/map.lp": PARTY_ADDS})),
    (PARTY, Variation("refuses", {"slow.lp": PARTY_REFUSES})),
    (RABBITS, OURS),
    (RABBITS, Variation("forbids", {"house.lp": RABBITS_FORBIDS})),
    (RABBITS, Variation("adds", {"option.lp": RABBITS_ADDS})),
    (KINGDOM, OURS),
    (
        KINGDOM,
        Variation(
            name="forbids",
            files={
                "house.lp": KINGDOM_FORBIDS,
                "quadrants.txt": write_quadrants("farm", "paddock", "quarry"),
            },
            settings={"board": ("farm oracle paddock quarry", "quarry/180 paddock farm harbor")},
        ),
    ),
    (
        KINGDOM,
        Variation(
            name="adds",
            files={"tiles.lp": KINGDOM_ADDS, "quadrants.txt": write_quadrants("lake", "raft")},
            settings={"board": ("lake oracle raft farm", "raft/180 lake garden tavern")},
        ),
    ),
    (LIGHTS, OURS),
    (LIGHTS, Variation("forbids", {"house.lp": LIGHTS_FORBIDS})),
    (LIGHTS, Variation("adds", {"end.lp": LIGHTS_ADDS})),
    (LIGHTS, Variation("refuses", {"dark.lp": LIGHTS_REFUSES})),
]
POSITIONS = 2  # of each variation; `tools.agreement` looks at 200


def each_variation() -> pytest.MarkDecorator:
    """Parametrize a test by games and rules."""
    found = []
    for subject, variation in VARIATIONS:
        is_slow = subject is KINGDOM and variation is not OURS
        name = f"{subject.folder}-{variation.name}"
        marks = [pytest.mark.slow] if is_slow else []
        found.append(pytest.param(subject, variation, id=name, marks=marks))
    return pytest.mark.parametrize(("subject", "variation"), found)


@pytest.fixture(scope="module", autouse=True)
def _lights() -> Iterator[None]:
    """Make the game of tests/fifth_game known."""
    restore = add_user_folders([str(ROOT / "tests" / "fifth_game" / "lights")])
    yield
    restore()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for rules of users."""
    return tmp_path_factory.mktemp("rules")


def draw_trials(
    subject: Subject,
    variation: Variation,
    rules: GameRules,
    random: Random,
    positions: int,
    turns: int,
) -> Iterator[Trial]:
    """Play random games, and find positions in them."""
    while positions > 0:
        record = subject.play(rules, variation, random, turns)
        moments = subject.list_moments(record)
        number = min(positions, len(moments))
        positions -= number
        for moment in random.sample(moments, number):
            yield subject.trial(subject, rules, moment, random)


def compare_lists(
    subject: Subject, variation: Variation, rules: GameRules, seed: int, positions: int, turns: int
) -> None:
    """Compare what is listed with what `--move` and `check` accept, in random games."""
    listed = 0
    others = 0
    for trial in draw_trials(subject, variation, rules, Random(seed), positions, turns):
        for answer in filter(None, (trial.draw_listed() for _ in range(LISTED))):
            listed += 1
            assert not trial.judge(answer).reasons, trial.describe(answer)
            assert not trial.check(answer), trial.describe(answer)
        for answer in filter(None, (trial.draw_other() for _ in range(OTHERS))):
            others += 1
            codes = [reason.code for reason in trial.judge(answer).reasons]
            assert codes, trial.describe(answer)
            assert trial.check(answer) in (IGNORED, *codes), trial.describe(answer)
    assert 4 * min(listed, others) >= positions


def compare_games(
    subject: Subject, variation: Variation, rules: GameRules, seed: int, positions: int, turns: int
) -> None:
    """Check random games with at least so many positions, and judge what was played there."""
    random = Random(seed)
    while positions > 0:
        record = subject.play(rules, variation, random, turns)
        verdict = subject.game.check(rules, subject.list_files(record))
        assert verdict.consistent, (verdict.violations, record)
        moments = subject.list_moments(record)
        positions -= len(moments)
        for moment in moments:
            trial = subject.trial(subject, rules, moment, random)
            if not trial.played:
                continue
            judged = trial.judge(trial.played)
            # In Slime a player without a move passes.
            passes = judged.counts_as == "pass" and not trial.listed
            assert passes or not judged.reasons, trial.describe(trial.played)


@each_variation()
def test_what_is_listed_is_accepted_and_all_else_refused(
    subject: Subject, variation: Variation, folder: Path
) -> None:
    rules = subject.find_rules(variation, folder)
    compare_lists(subject, variation, rules, 0, POSITIONS, SHORT)


@each_variation()
def test_a_random_game_is_legal(subject: Subject, variation: Variation, folder: Path) -> None:
    rules = subject.find_rules(variation, folder)
    compare_games(subject, variation, rules, 0, POSITIONS, SHORT)


@pytest.mark.slow
def test_a_rule_may_forbid_a_whole_terrain(folder: Path) -> None:
    rule = 'forbidden(T,build(mandatory,H),"flat",("nobody builds on grass",)) :-\n'
    rule += "    mover(_,T), made_of(H,grass).\n"
    variation = Variation("terrain", {"house.lp": rule})
    rules = KINGDOM.find_rules(variation, folder)

    for seed in (1, 3):
        record = KINGDOM.play(rules, variation, Random(seed), SHORT)
        assert KINGDOM.game.check(rules, KINGDOM.list_files(record)).consistent, record


def test_a_hex_more_that_is_listed_is_accepted() -> None:
    board = "G  G  G  G\n G  G1 G  G\nG  G  G2 G\n"
    options = ("--player", 1, "--card", "grass", "--tile", "resettlement")
    after = "resettlement 1,1>1,2"
    words = ("legal", "kingdom-builder", "-", *options, "--after", after)

    (line,) = run(*words, "--format", "json", given=board).json
    listed = [move for move in line["moves"] if move.startswith("also")]

    assert listed
    for move in listed:
        assert run(*words, "--move", move, given=board).status == 0, move


def test_a_jump_by_an_offset_of_a_user_goes_to_an_empty_square(folder: Path) -> None:
    rules = SLIME.find_rules(Variation("offset", {"far.lp": "offset(0,-4,2).\n"}), folder)
    board = "1...2\n.....\n.....\n.....\n3...4\n"
    words = ("legal", "slime", "-", "--player", 4, *rules.changes.words())

    ran = run(*words, "--move", "4 4 4 0", "--format", "json", given=board)

    assert ran.json[0]["counts_as"] == "pass"
    assert (ran.status, ran.json[0]["code"]) == (1, "not-empty")
