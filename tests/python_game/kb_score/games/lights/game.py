"""Lights as a game: a bot is told the grid, and answers with a press."""

from typing import NamedTuple

from kb_score.engine.rules import Use
from kb_score.games.game import Arena, BotProtocol, Game, Legal, Scoring
from kb_score.games.lights.records import FACTS_OF, MAP_FILE, read_facts, read_press
from kb_score.games.live import LiveMatch, RulesPosition, lead
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.schema import judge
from kb_score.shell.picture import TextBoard

CHECK = Use(
    ("rules", "chain", "check", "picture", "common/looks", "common/pictured"), lifted=("step",)
)
LEGAL, PLAY = Use(("rules", "chain", "legal"), lifted=("step",)), Use(("rules", "play"))


LitRow = NamedTuple("LitRow", [("row", int), ("column", int), ("turn", int)])
MayPressRow = NamedTuple("MayPressRow", [("row", int), ("column", int)])


class LightsMatch(LiveMatch):
    """A game of Lights: the methods are those of `kb_score.games.game.Match` and `LiveMatch`."""

    def __init__(self, rules, facts):
        self.facts = {"size": facts["size"], "start_cell": facts["start_cell"], "press": []}
        super().__init__(rules, PLAY, self.facts)

    def look(self):
        self.lit = {(row, column) for row, column, _ in self.live.news(LitRow)}

    def picture(self):
        ((rows, columns),) = self.facts["size"]
        return TextBoard(
            ["".join(".*"[(r, c) in self.lit] for c in range(columns)) for r in range(rows)]
        )

    def tell(self):
        return "".join(f"{row}\n" for row in self.picture().rows) + "\n"

    def blank(self):
        return self.tell()

    def read(self, line):
        return {"press": [read_press(line)]}

    def step(self, facts):
        super().step(facts)
        self.facts["press"] += [(*press, self.turn + 1) for press in facts["press"]]

    def position(self):
        turn, over, facts = self.turn + 1, "all are off" * self.finished, {**self.facts}
        return RulesPosition(self.rules, facts, turn, over, list_moves, self.read, LEGAL)

    def result(self):
        return {"turns": self.turn, "lights": len(self.lit), "finished": self.finished}


def list_moves(answer):
    """List the cells that may be pressed."""
    return [Legal(1, tuple(f"press {r} {c}" for r, c in sorted(answer.read(MayPressRow))))]


def find_position(rules, turn, file):
    """Find the position before a turn of a record."""
    facts = dict(read_facts(file[1], file[0]))
    lines = [f"press {row} {column}" for row, column, _ in facts.get("press", [])]
    return lead(LightsMatch(rules, facts), lines, turn, file[0])


def check(rules, files, *, more=()):
    """Check a record, or draw its turns."""
    (file,) = files
    answer = rules.ask(CHECK.plus(*more), read_facts(file[1], file[0]))
    keys, caption = ("turns", "lights", "finished"), "after turn {turn}, as the rules derive it:"
    verdict = judge("lights", file[0], answer, *keys, caption=caption)
    return make_replay(verdict, [Window(0, answer, "turn {turn}")], keep=True) if more else verdict


class LightsBots(BotProtocol):
    """The map of the cases that every game has."""

    case_map = ".*.\n***\n.*.\n"


class LightsScoring(Scoring):
    """Whoever puts all lights out, in fewer turns, is ahead."""

    figures = ("finished", "turns")
    metrics = ("finished",)
    counts_if = "finished"


class LightsArena(Arena):
    """One player presses cells of a grid."""

    bots = LightsBots()
    scoring = LightsScoring()
    maps = (MAP_FILE,)

    def new_match(self, rules, setup, _random):
        ((name, text),) = setup.files
        return LightsMatch(rules, read_facts(text, name))


class Lights(Game):
    """Lights: a record is a grid and the cells that are pressed."""

    name = "lights"
    record = FACTS_OF
    arena = LightsArena()

    def check(self, rules, files):
        return check(rules, files)

    def replay(self, rules, files):
        return check(rules, files, more=(REPLAY,))

    def position(self, rules, files, turn):
        return find_position(rules, turn, *files)


GAME = Lights()
