"""The search party as a game: its match, its positions, and what the verbs need to know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from random import Random
from typing import Any

from kb_score.engine.rules import GameRules, Use
from kb_score.engine.terms import Answer, Facts, Row
from kb_score.games.game import (
    MAP,
    Arena,
    BotProtocol,
    Case,
    File,
    Game,
    Legal,
    Match,
    MatchSetup,
    Option,
    Position,
    PositionSpace,
    Scoring,
    StandingRow,
    Tally,
    Wording,
    find_turn,
    refuse,
)
from kb_score.games.live import LiveMatch, RulesPosition
from kb_score.games.record import check, follow
from kb_score.games.rulings import apply_rulings, write_rulings
from kb_score.games.schema import IllegalRow
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.check import KIND, check_files, check_map, read_files
from kb_score.games.search_party.records import (
    FACTS_OF,
    RECORD_FILE,
    Map,
    read_answer,
    read_map,
    tidy_answer,
)
from kb_score.shell.files import read_input
from kb_score.shell.picture import Replay, TextBoard
from kb_score.shell.verdict import Verdict

_DASHES = "-" * 40
# How often random people go on in their direction: who turns at each step hardly gets anywhere.
_STEADY = 7 / 8


def _make_position(
    rules: GameRules,
    map_: Map,
    turn: int,
    people: Sequence[tuple[str, int]],
    over: str = "",
    name: str = "--move",
) -> RulesPosition:
    facts = {
        **map_.facts(),
        "waiting": people,
        "at": [(person, cell, turn - 1) for person, cell in people],
        "alive": [(person, turn - 1) for person, _ in people],
    }
    read = partial(read_answer, name=name)
    return RulesPosition(rules, facts, turn, over, _list_moves, read, asp.LEGAL, asp.JUDGE)


def _list_moves(answer: Answer) -> list[Legal]:
    """List where each person may go, such as ``A7``."""
    return [
        Legal(person, tuple(f"{row.person}{row.direction}" for row in rows))
        for person, rows in groupby(sorted(answer.read(asp.PermittedRow)), lambda row: row.person)
    ]


def find_position(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> RulesPosition:
    """Find the position in which a turn of a record begins; None is the one after the last."""
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    map_ = mapped.map
    record = mapped.record
    ((played,),) = record.facts["turns"]
    assert isinstance(played, int)
    turn = find_turn(turn, played, record.name)
    facts = {**map_.facts(), **record.facts, "queried": [(turn,)]}
    answer = rules.ask(asp.POSITION[record.kind], facts, turns=record.turns)
    check_map(map_, answer.read(asp.InvalidMapRow))
    over = min((row.turn for row in answer.read(asp.OverRow)), default=None)
    for row in sorted(answer.read(IllegalRow)) if over is None else ():
        if row.turn < turn:
            raise refuse(record.name, row)
    why = "" if over is None else f"the search was over after turn {over}"
    return _make_position(rules, map_, turn, sorted(answer.read(asp.WaitingRow)), why)


class PartyMatch(LiveMatch):
    """A search, in which one bot moves the whole cast.

    Attributes:
        open_cells: The number of open cells of the map.
        unsearched: How many of them are not searched.
        people: Who is alive, and where.
    """

    people: Sequence[asp.Standing] = ()

    def __init__(self, rules: GameRules, text: str, name: str) -> None:
        """Set everybody on the starting cell of a map."""
        self._map = read_map(text, name)
        self._rows = [list(row) for row in self._map.blank_board().split()]
        self.open_cells = self.unsearched = sum(row.count(".") for row in self._rows)
        self._moves: dict[str, int] = {}
        self._before: dict[str, int] = {}
        super().__init__(rules, asp.PLAY, self._map.facts(), renewal=100)

    def tell(self) -> str:
        if self.finished:
            costars, extras, _ = self._living
            return f"Finished in {self.turn} turns\n{self.turn} {costars} {extras}\n"
        places = ((row.person, self._map.place(row.cell)) for row in self.people)
        people = " ".join(f"{who}:{x},{y}" for who, (x, y) in places)
        board = map("".join, self._rows)
        return "\n".join((f"Turn {self.turn + 1}", f"{people}.", *board, _DASHES, ""))

    def opening(self) -> str:
        return write_rulings(self.rules)

    def blank(self) -> str:
        return ""  # the map shows the board

    def read(self, line: str) -> Facts:
        return read_answer(line)

    def repeat(self, line: str) -> str:
        return tidy_answer(line)

    def step(self, facts: Facts) -> None:
        """Work out a turn, and what is illegal of it."""
        self.live.play(asp.STEP, facts)

    def look(self) -> None:
        """Take in who is where, and what is newly searched."""
        check_map(self._map, self.live.news(asp.InvalidMapRow))
        self.people = sorted(self.live.news(asp.Standing))
        (self._living,) = self.live.news(asp.LivingRow)
        newly = self.live.news(asp.NewlyRow)
        self.unsearched -= len(newly)
        for row in newly:
            x, y = self._map.place(row.cell)
            self._rows[y][x] = "o"

    def position(self) -> RulesPosition:
        people = [(row.person, row.cell) for row in self.people]
        return _make_position(self.rules, self._map, self.turn + 1, people, name="the answer")

    def choose(self, random: Random) -> str:
        moves: dict[str, int] = {}
        places = {row.person: row.cell for row in self.people}
        self.live.play(["choices"])
        rows = sorted(self.live.news(asp.MayGoRow))
        for person, some in groupby(rows, lambda row: row.person):
            choices = [row.direction for row in some]
            before = self._moves.get(person)
            # Who has stood still chooses anew.
            going = before in choices and places[person] != self._before[person]
            steady = going and random.random() < _STEADY
            moves[person] = before if steady and before else random.choice(choices)
        self._moves, self._before = moves, places
        return " ".join(f"{person}{direction}" for person, direction in moves.items()) + "."

    def result(self) -> dict[str, Any]:
        costars, extras, _ = self._living
        counts = {"turns": self.turn, "costars": costars, "extras": extras}
        return {**counts, "finished": self.finished}

    def state(self) -> str:
        share = 100 * (self.open_cells - self.unsearched) // self.open_cells
        return f"{super().state()}, {share} % searched, {len(self.people)} alive"

    def picture(self) -> TextBoard:
        """Make the board that the bot is told, with the people on it; the star is in the middle."""
        rows = list(map("".join, self._rows))
        middle = (0, 0)
        # Of the people who share a cell the first by name is seen: the star is before all others.
        for row in reversed(self.people):
            x, y = self._map.place(row.cell)
            rows[y] = f"{rows[y][:x]}{row.person}{rows[y][x + 1 :]}"
            middle = y, x
        return TextBoard(rows, middle)


def list_attempts(
    entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
) -> dict[str, Sequence[Row]]:
    """Make the facts of attempts: an entry, a map and the figures of the game, for each."""
    runs = [(*run, number) for number, run in enumerate(found)]
    return {
        "entry": [(entry,) for entry in range(entries)],
        "map": [(map_,) for map_ in range(maps)],
        "attempt": [(entry, map_, number, *sums) for entry, map_, (*sums, _), number in runs],
        "incomplete": [(number,) for _, _, (*_, finished), number in runs if not finished],
    }


_PARK = "12 9 2 3\n" + "\n".join(
    (
        *("............", "..##....#...", "..##....#...", "........#...", "....S......."),
        *("......##....", ".#....##....", ".#........#.", "............\n"),
    )
)
# The only way out of the start leads along walls, and back.
_LANE = "9 3 1 2\n#########\nS.......#\n########.\n"
_ROOM = "3 3 1 1\n...\n.S.\n...\n"  # everything is in sight at once
_YARD = "7 5 1 1\n.......\n.......\nS..#...\n.......\n.......\n"

_SEED = 1
_PATIENCE = 400  # turns in which a position has to come about
_TRIES = 5  # random games in which it is looked for
_MOST = 60  # turns of a whole game, which a bot need not know how to end
_FEW = 3  # cells that are left to be searched


def list_cases(rules: GameRules, *, map: str | None) -> Sequence[Case]:  # noqa: A002
    """List the odd cases of the protocol, on small maps of this module or on one map."""
    from kb_score.games.verbs.bot import ask_turns, ask_twice, close_after, tell_end

    park = (_PARK, "the park") if map is None else (read_input(map, FACTS_OF), map)
    PartyMatch(rules, *park)  # What is wrong with the map is told before a bot is started.
    lead = partial(_lead, rules, park)

    start = partial(PartyMatch, rules, *park)
    few = partial(lead, lambda match: match.unsearched <= _FEW)
    return [
        Case("first-turn", "the first turn of a game", ask_turns(), start),
        Case("middle", "a game in which half the map is searched", ask_turns(3),
             partial(lead, lambda match: 2 * match.unsearched <= match.open_cells)),
        Case("walls", "a lane between walls, in which hardly any move is legal", ask_turns(3),
             partial(PartyMatch, rules, _LANE, "the lane")),
        Case("people-dead", "nobody but the star is alive", ask_turns(3),
             partial(lead, lambda match: len(match.people) == 1)),
        Case("almost-searched", "hardly a cell is left to be searched", ask_turns(3), few),
        Case("nothing-to-do", "everything is in sight before the first turn: no answer is wanted",
             tell_end(0), partial(PartyMatch, rules, _ROOM, "the room")),
        Case("end-of-game", "the end is told after an answer", tell_end(1, _wander), few),
        Case("input-closed", "the input is closed after an answer", close_after(), start),
        Case("same-twice", "the first turns, twice", ask_twice(3), start),
        Case("whole-game", "a small map, to the end", ask_turns(_MOST, whole=True),
             partial(PartyMatch, rules, _YARD, "the yard")),
    ]  # fmt: skip


def _lead(
    rules: GameRules, map_: tuple[str, str], reached: Callable[[PartyMatch], bool]
) -> PartyMatch:
    """Play random legal turns until a position is reached."""
    for number in range(_TRIES):
        match, random = PartyMatch(rules, *map_), Random(_SEED + number)
        while not match.finished and match.turn < _PATIENCE:
            if match.turn and reached(match):
                return match
            match.answer(match.choose(random))
    from kb_score.games.verbs.bot import NotAsked

    raise NotAsked(f"no random game on {map_[1]} comes to that")


def _wander(match: Match) -> None:
    random = Random(_SEED)
    while not match.finished and match.turn < 3 * _PATIENCE:
        match.answer(match.choose(random))


class PartyBots(BotProtocol):
    """A bot is told the map, then the state before each turn."""

    times = (Option("timeout", 60.0, "Time that the bot has for a turn.", 0.001, 3600, "SECONDS"),)
    plan = "MAP PLAN"
    case_options = (MAP,)

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        return list_cases(rules, **options)


class PartyScoring(Scoring):
    """Whoever searches the maps in fewer turns is ahead."""

    figures = ("turns", "costars", "extras", "finished")
    metrics = ("turns",)
    counts_if = "finished"
    ranking = Use(("rank",))

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, maps: int, _metric: str
    ) -> list[StandingRow]:
        """Rank bots by their best runs on all maps."""
        return rules.ask(self.ranking, list_attempts(bots, maps, sorted(tally))).read(StandingRow)


class PartyArena(Arena):
    """One player leads the party over a map."""

    bots = PartyBots()
    scoring = PartyScoring()
    maps = (FACTS_OF,)

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        ((name, text),) = setup.files
        return PartyMatch(rules, text, name)


class SearchParty(Game):
    """The search party: records are plans, sessions and streams on a map."""

    name = "search_party"
    record = RECORD_FILE
    arena = PartyArena()
    maps = (FACTS_OF,)
    sample = "map.txt plan.txt"
    wording = Wording(
        actors="person",
        move="'@9 A2.'",
        answer="a person and a direction for each who moves, such as @9 A2. The direction is the "
        "way from 5 to the digit on a number pad: 8 is up, 6 right. A full stop ends it",
    )
    positions = PositionSpace(
        asp.POSITIONS, tuple((rows, columns) for rows in (1, 2, 3) for columns in range(1, 12))
    )

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        check_files(files)
        return check(read_files, [KIND], rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(read_files, [KIND], rules, files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        return find_position(rules, turn, *files)


GAME = SearchParty()
