"""A match of rabbits: one run, in which one bot moves all rabbits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

from kb_score.engine.live import Live, SavedGame
from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Facts
from kb_score.errors import Fault
from kb_score.games.live import refuse_misuse
from kb_score.games.match import Match, MatchSetup, Position, Turn
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.position import RabbitsLivePosition, is_readable
from kb_score.games.rabbits.records import (
    Cells,
    Frame,
    RunTurn,
    read_answer,
    read_map,
    tidy_answer,
    write_answer,
    write_told,
)
from kb_score.games.rulings import write_rulings
from kb_score.shell.picture import TextBoard

# The parts of the rules with which a turn begins.
_BEGIN = ("turn", "derived")


@dataclass(frozen=True, slots=True)
class _SavedRun:
    """A saved state of a `RabbitsMatch`, with the state of its generator."""

    game: SavedGame
    drawn: tuple[Any, ...]
    turn: int
    saved: int
    unreadable: int
    begun: Frame


class RabbitsMatch(Match):
    """One run, in which a generator chooses among the options that the rules derive.

    Attributes:
        turn: The number of turns that were played.
        saved: The number of rabbits saved so far.
        unreadable: The number of answers without a readable move.
    """

    finished = False
    turn = 0
    saved = 0
    unreadable = 0

    def __init__(self, rules: GameRules, setup: MatchSetup, random: Random) -> None:
        """Place the crushers on the map of a setup, with random headings."""
        ((name, text),) = setup.files
        self._rules = rules
        self._setup = setup
        self._random = random
        self._station = read_map(text, name)
        self._turns: int = setup.settings["turns"]
        self._told = ""
        # The moves that random games choose from in this turn, once they are needed.
        self._choices: list[tuple[int, int]] = []
        self._has_choices = False
        # The robots at the beginning of the turn, and as the bot sees them.
        self._begun = self._shown = Frame((), ())
        base = self._station.facts()
        parts = [(part, 1) for part in _BEGIN]
        begin = rules.ask(asp.PLAY, {**base, "opens": [(1,)]}, parts=parts)
        headings = self._pick(begin["first_heading"])
        ends = []
        placed = []
        for cell, heading in headings:
            ends.append((cell, 0))
            placed.append((cell, heading, 0))
        start: Facts = {**base, "ends": ends, "heading": placed}
        self._live = Live(rules.program(asp.PLAY), start, renewal=40)
        self._live.next_turn()
        self._live.play(_BEGIN)
        self._begin_turn()

    def tell(self) -> str:
        """Move the crushers in random order, once a turn, and return the text for the bot."""
        if self.finished:
            return self.closing()
        if self._told:
            return self._told
        live = self._live
        options = live.news(asp.OptionRow)
        picked = self._pick(options)
        order = [cell for cell, _ in picked]
        self._random.shuffle(order)
        numbered = list(enumerate(order))
        given = {"picked": picked, "order": numbered}
        live.play(["decide"], given)
        refuse_misuse(self._rules, live)
        actions = []
        went: dict[int, int] = {}
        for row in sorted(live.news(asp.ActionRow)):
            action = (row.cell, row.verb, row.to)
            actions.append(action)
            went[row.cell] = row.to
        # The moves are added as facts, so that they are not derived again.
        moved = list(went.items())
        live.play(["crush", "settled"], {"went": moved})
        standing = live.news("stands")
        rabbits = _cells(standing)
        left = self._turns - self.turn
        turn = RunTurn(left=left, actions=tuple(actions), rabbits=rabbits, requests=())
        self._told = write_told(turn, self._station)
        crushers = tuple(went.get(cell, cell) for cell in self._shown.crushers)
        self._shown = Frame(rabbits, crushers)
        return self._told

    def answer(self, line: str) -> Turn:
        """Carry out the moves in an answer; then the next turn begins.

        The turn has a fault if the answer has no readable move.
        """
        self.tell()
        requests = enumerate(read_answer(line, self._station))
        facts: Facts = {"request": [(number, *request) for number, request in requests]}
        self._live.end_turn(["answer"], facts, _BEGIN)
        refuse_misuse(self._rules, self._live)
        self.turn += 1
        self.finished = self.turn >= self._turns
        self.saved += len(self._live.news("saved"))
        self._begin_turn()
        record = f"{tidy_answer(line)}\n"
        if is_readable(line, self._station):
            return Turn(record)
        self.unreadable += 1
        return Turn(record, Fault("garbage", "gave no readable move"))

    def save(self) -> object:
        return _SavedRun(
            game=self._live.save(),
            drawn=self._random.getstate(),
            turn=self.turn,
            saved=self.saved,
            unreadable=self.unreadable,
            begun=self._begun,
        )

    def restore(self, saved: object) -> None:
        assert isinstance(saved, _SavedRun)
        self._random.setstate(saved.drawn)
        self.turn = saved.turn
        self.saved = saved.saved
        self.unreadable = saved.unreadable
        self.finished = self.turn >= self._turns
        self._told = ""
        self._has_choices = False
        self._begun = self._shown = saved.begun
        self._live.restore(saved.game, _BEGIN)

    def _begin_turn(self) -> None:
        """Update the robots at the beginning of a turn, when new rabbits have appeared."""
        rabbits = _cells(self._live.news("rabbit"))
        crushers = _cells(self._live.news("crusher"))
        self._begun = self._shown = Frame(rabbits, crushers)
        self._told = ""
        self._has_choices = False

    def _pick(self, rows: Iterable[tuple[int, int, int]]) -> list[tuple[int, int]]:
        """Pick a heading for each crusher, in the order of their cells."""
        picked = []
        for cell, options in groupby(sorted(rows), key=itemgetter(0)):
            headings = [heading for _, heading, _ in options]
            picked.append((cell, self._random.choice(headings)))
        return picked

    def position(self) -> Position:
        """Return the current position, in which the crushers have moved."""
        self.tell()
        facts = self._station.facts()
        # Without crushers and starts, the rabbits that remain are the only ones.
        state = {name: facts[name] for name in ("size", "corridor", "exit")}
        state["remains"] = [(cell, 0) for cell in self._shown.rabbits]
        over = ""
        if self.finished:
            over = f"the run is over after turn {self.turn}"
        return RabbitsLivePosition(
            rules=self._rules, station=self._station, turn=self.turn + 1, state=state, over=over
        )

    def choose(self, random: Random) -> str:
        """Choose at random a move or none for each rabbit, and the order of the moves."""
        self.tell()
        if not self._has_choices:
            self._live.play(["choices"])
            choices = [(cell, to) for cell, to, _ in self._live.news("may_step")]
            self._choices = sorted(choices)
            self._has_choices = True
        moves = []
        for cell, rows in groupby(self._choices, key=itemgetter(0)):
            targets = [to for _, to in rows]
            chosen = random.choice([cell, *targets])
            if chosen != cell:
                moves.append((cell, chosen))
        random.shuffle(moves)
        return write_answer(moves, self._station)

    def picture(self) -> TextBoard:
        self.tell()
        lines = self._shown.write(self._station).rstrip("\n").split("\n")
        return TextBoard(lines)

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, "runs": 1, "saved": self.saved, "finished": self.finished}

    def opening(self) -> str:
        setup = self._setup
        text = ""
        if setup.run == 1:
            text = write_rulings(self._rules)
        if setup.runs > 1:
            text += f"run {setup.run} seed {setup.seed}\n"
        return text

    def closing(self) -> str:
        return f"score {self.saved}\n"

    def blank(self) -> str:
        return ""

    def frame(self) -> str:
        return self._begun.write(self._station)

    def state(self) -> str:
        number = min(self.turn + 1, self._turns)
        turn = f"turn {number} of {self._turns}"
        return f"run {self._setup.run}, {turn}, {self.saved} saved"


def _cells(rows: Iterable[tuple[int, int]]) -> Cells:
    """Return the cells of robots, sorted, from rows with the cell and the turn."""
    cells = sorted(cell for cell, _ in rows)
    return tuple(cells)
