"""The search party as a game: its matches, its positions, and the odd cases of its protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby, product
from operator import itemgetter
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
from kb_score.games.record import check, expect_map_and_record, follow
from kb_score.games.rulings import apply_rulings, write_rulings
from kb_score.games.schema import IllegalRow
from kb_score.games.search_party import rules as asp
from kb_score.games.search_party.check import KIND, check_map, read_files
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
# How often random people go on in their direction: turns at every step would lead nowhere.
_STEADY = 7 / 8


def _make_position(
    rules: GameRules,
    map_: Map,
    turn: int,
    people: Sequence[tuple[str, int]],
    over: str = "",
    name: str = "--move",
) -> RulesPosition:
    """Make the position before a turn from the people who are alive, each with a cell."""
    facts = {
        **map_.facts(),
        "waiting": people,
        "before_at": [(person, cell, turn) for person, cell in people],
        "before_alive": [(person, turn) for person, _ in people],
    }
    read = partial(read_answer, name=name)
    return RulesPosition(rules, facts, turn, over, _list_moves, read, asp.LEGAL, asp.JUDGE)


def _list_moves(answer: Answer) -> list[Legal]:
    """List the moves of each person, such as ``A7``."""
    legal = list[Legal]()
    for person, rows in groupby(sorted(answer.read(asp.PermittedRow)), itemgetter(0)):
        legal.append(Legal(person, tuple(f"{person}{direction}" for _, direction in rows)))
    return legal


def find_position(rules: GameRules, turn: int | None, *files: tuple[str, str]) -> RulesPosition:
    """Return the position in which a turn of a record begins; None is the one after the last."""
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
    people = sorted(answer.read(asp.WaitingRow))
    ends = [row.turn for row in answer.read(asp.OverRow)]
    if ends:
        over = f"the search was over after turn {min(ends)}"
        return _make_position(rules, map_, turn, people, over)
    for row in sorted(answer.read(IllegalRow)):
        if row.turn < turn:
            raise refuse(record.name, row)
    return _make_position(rules, map_, turn, people)


class PartyMatch(LiveMatch):
    """A search, in which one bot moves the whole cast.

    Attributes:
        map_name: The map's name in messages.
        open_cells: The number of open cells of the map.
        unsearched: The number of them that are not searched.
        people: The people who are alive, and their cells.
    """

    people: Sequence[asp.Standing] = ()

    def __init__(self, rules: GameRules, text: str, name: str) -> None:
        """Begin with everybody on the starting cell of a map."""
        self.map_name = name
        self._map = read_map(text, name)
        self._rows = [list(row) for row in self._map.blank_board().split()]
        self.open_cells = sum(row.count(".") for row in self._rows)
        self.unsearched = self.open_cells
        # The last random moves of the people, and the cells where they began.
        self._moves: dict[str, int] = {}
        self._before: dict[str, int] = {}
        super().__init__(rules, asp.PLAY, self._map.facts(), renewal=100)

    def tell(self) -> str:
        if self.finished:
            costars, extras, _ = self._living
            return f"Finished in {self.turn} turns\n{self.turn} {costars} {extras}\n"
        people = list[str]()
        for row in self.people:
            x, y = self._map.place(row.cell)
            people.append(f"{row.person}:{x},{y}")
        board = map("".join, self._rows)
        lines = [f"Turn {self.turn + 1}", " ".join(people) + ".", *board, _DASHES, ""]
        return "\n".join(lines)

    def opening(self) -> str:
        return write_rulings(self.rules)

    def blank(self) -> str:
        return ""  # the map shows the board

    def read(self, line: str) -> Facts:
        return read_answer(line)

    def repeat(self, line: str) -> str:
        return tidy_answer(line)

    def step(self, facts: Facts) -> None:
        """Derive a turn, and the violations in it."""
        self.live.play(asp.STEP, facts)

    def look(self) -> None:
        """Update the people and the cells that are searched."""
        check_map(self._map, self.live.news(asp.InvalidMapRow))
        self.people = sorted(self.live.news(asp.Standing))
        (self._living,) = self.live.news(asp.LivingRow)
        searched = self.live.news(asp.SearchedRow)
        self.unsearched -= len(searched)
        for row in searched:
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
        for person, legal in groupby(rows, itemgetter(0)):
            directions = [row.direction for row in legal]
            before = self._moves.get(person)
            # People who stood still choose again.
            is_going = before in directions and places[person] != self._before[person]
            if is_going and random.random() < _STEADY and before:
                moves[person] = before
            else:
                moves[person] = random.choice(directions)
        self._moves = moves
        self._before = places
        return " ".join(f"{person}{direction}" for person, direction in moves.items()) + "."

    def result(self) -> dict[str, Any]:
        costars, extras, _ = self._living
        return {"turns": self.turn, "costars": costars, "extras": extras, "finished": self.finished}

    def state(self) -> str:
        share = 100 * (self.open_cells - self.unsearched) // self.open_cells
        return f"{super().state()}, {share} % searched, {len(self.people)} alive"

    def picture(self) -> TextBoard:
        """Return the bot's board with the people on it; the star is in the middle."""
        rows = list(map("".join, self._rows))
        middle = (0, 0)
        # A cell shows the first of its people by name; the star comes before all others.
        for row in reversed(self.people):
            x, y = self._map.place(row.cell)
            rows[y] = f"{rows[y][:x]}{row.person}{rows[y][x + 1 :]}"
            middle = (y, x)
        return TextBoard(rows, middle)


def list_attempts(
    entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
) -> dict[str, Sequence[Row]]:
    """Return the facts of attempts.

    Args:
        entries: The number of entries.
        maps: The number of maps.
        found: The entry, the map and the figures of each attempt.
    """
    attempts: list[Row] = []
    incomplete: list[Row] = []
    for number, (entry, map_, (*figures, finished)) in enumerate(found):
        attempts.append((entry, map_, number, *figures))
        if not finished:
            incomplete.append((number,))
    return {
        "entry": [(entry,) for entry in range(entries)],
        "map": [(map_,) for map_ in range(maps)],
        "attempt": attempts,
        "incomplete": incomplete,
    }


_PARK = """12 9 2 3
............
..##....#...
..##....#...
........#...
....S.......
......##....
.#....##....
.#........#.
............
"""
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

    map_name = "the park" if map is None else map
    text = _PARK if map is None else read_input(map, FACTS_OF)
    begin = partial(PartyMatch, rules, text, map_name)
    begin()  # a mistake in the map is reported before a bot is started
    half = partial(_lead, begin, lambda match: 2 * match.unsearched <= match.open_cells)
    alone = partial(_lead, begin, lambda match: len(match.people) == 1)
    few = partial(_lead, begin, lambda match: match.unsearched <= _FEW)
    lane = partial(PartyMatch, rules, _LANE, "the lane")
    room = partial(PartyMatch, rules, _ROOM, "the room")
    yard = partial(PartyMatch, rules, _YARD, "the yard")
    in_lane = "a lane between walls, in which hardly any move is legal"
    in_sight = "everything is in sight before the first turn: no answer is wanted"
    whole = ask_turns(_MOST, whole=True)
    return [
        Case("first-turn", "the first turn of a game", ask_turns(), begin),
        Case("middle", "a game in which half the map is searched", ask_turns(3), half),
        Case("walls", in_lane, ask_turns(3), lane),
        Case("people-dead", "nobody but the star is alive", ask_turns(3), alone),
        Case("almost-searched", "hardly a cell is left to be searched", ask_turns(3), few),
        Case("nothing-to-do", in_sight, tell_end(0), room),
        Case("end-of-game", "the end is told after an answer", tell_end(1, _wander), few),
        Case("input-closed", "the input is closed after an answer", close_after(), begin),
        Case("same-twice", "the first turns, twice", ask_twice(3), begin),
        Case("whole-game", "a small map, to the end", whole, yard),
    ]


def _lead(begin: Callable[[], PartyMatch], reached: Callable[[PartyMatch], bool]) -> PartyMatch:
    """Play random legal turns of a match until a position is reached."""
    for number in range(_TRIES):
        match = begin()
        random = Random(_SEED + number)
        while not match.finished and match.turn < _PATIENCE:
            if match.turn and reached(match):
                return match
            match.answer(match.choose(random))
    from kb_score.games.verbs.bot import NotAsked

    raise NotAsked(f"no random game on {match.map_name} comes to that")


def _wander(match: Match) -> None:
    """Play random legal turns to the end."""
    random = Random(_SEED)
    while not match.finished and match.turn < 3 * _PATIENCE:
        match.answer(match.choose(random))


class PartyBots(BotProtocol):
    """A bot receives the map, then the state before each turn."""

    times = (Option("timeout", 60.0, "Time that the bot has for a turn.", 0.001, 3600, "SECONDS"),)
    plan = "MAP PLAN"
    case_options = (MAP,)

    def list_cases(self, rules: GameRules, **options: Any) -> Sequence[Case]:
        return list_cases(rules, **options)


class PartyScoring(Scoring):
    """Bots are compared by the turns in which they search the maps."""

    figures = ("turns", "costars", "extras", "finished")
    metrics = ("turns",)
    counts_if = "finished"
    ranking = Use(("rank",))

    def rank(
        self, rules: GameRules, bots: int, tally: Tally, maps: int, _metric: str
    ) -> list[StandingRow]:
        """Rank bots by their best runs on all maps."""
        facts = list_attempts(bots, maps, sorted(tally))
        return rules.ask(self.ranking, facts).read(StandingRow)


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
    positions = PositionSpace(asp.POSITIONS, tuple(product(range(1, 4), range(1, 12))))

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        expect_map_and_record(files)
        return check(read_files, [KIND], rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(read_files, [KIND], rules, files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        return find_position(rules, turn, *files)


GAME = SearchParty()
