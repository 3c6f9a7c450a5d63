"""Bots refereed live, over several runs: the rules name the options, a generator picks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from kb_score.engine.incremental import Live
from kb_score.errors import visible
from kb_score.games.rabbits.maps import Places, Station
from kb_score.games.rabbits.records import Frame
from kb_score.games.rabbits.rules import (
    PLAY,
    Action,
    Crusher,
    Faces,
    MayStep,
    Option,
    Rabbit,
    Saved,
    Stands,
)
from kb_score.games.rabbits.session import REQUEST, Turn, read_answer, write_told
from kb_score.shell.bots import Bot, BotFailure
from kb_score.shell.watch import Board, show_nothing

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.games.referee import Asked
    from kb_score.shell.watch import Show

# With seed 0 each run has a new seed, of these.
_SEEDS = range(1, 1001)
# What a bot says that wants no rabbit to move.
NOTHING = ("", "move")

# The parts of the rules with which a turn begins.
_BEGIN = ("turn", "derived")

Write = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Series:
    """What is played: some runs of one bot.

    Attributes:
        station: The map.
        rules: The rules of the game.
        command: The bot and its arguments; map and seed come after them.
        turns: The turns of a run.
        seed: The seed of every run; 0 draws one for each.
        runs: How many runs.
        start_time: The seconds that the bot has to get ready, once a run.
        answer_time: The seconds that it has for each answer.
        logs: The folder for what the bot writes to its error stream, if there is one.
    """

    station: Station
    rules: GameRules
    command: tuple[str, ...]
    turns: int
    seed: int
    runs: int
    start_time: float
    answer_time: float
    logs: Path | None = None

    def headline(self) -> str:
        """Write the line that the challenge's controller begins with."""
        words = (self.station.name, self.turns, self.seed, self.runs, *self.command)
        return visible(" ".join(["Running: controller.py", *map(str, words)]))


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """What came of one run.

    Attributes:
        number: The run, from 1.
        seed: The seed that the bot and the generator were given.
        saved: The points.
        turns: The turns that were played to their end.
        failure: Why it ended before its last turn; empty if it did not.
        unusable: How many answers say something, but nothing of a move.
    """

    number: int
    seed: int
    saved: int
    turns: int
    failure: str = ""
    unusable: int = 0


def play_series(
    series: Series,
    write_session: Write,
    write_log: Write,
    show: Show,
    tell: Callable[[PlayedRun], object],
) -> list[PlayedRun]:
    """Play all runs of a series.

    Args:
        series: What is played.
        write_session: Takes the text of the session, piece by piece, so that a game broken off
            leaves what there was.
        write_log: Takes the text of the controller's kind of log in the same way.
        show: Shows each state.
        tell: Called after each run.

    Returns:
        The runs, in order.

    Raises:
        BotError: The bot cannot be started.
    """
    write_log(f"{series.headline()}\n")
    played = []
    for number in range(1, series.runs + 1):
        seed = series.seed or SystemRandom().choice(_SEEDS)
        if series.runs > 1:
            write_session(f"run {number} seed {seed}\n")
        command = [*series.command, series.station.name, str(seed)]
        with Bot(command, logs=series.logs) as bot:
            run = play_run(series, number, seed, bot, write_session, write_log, show)
        write_session(f"score {run.saved}\n")
        played.append(run)
        tell(run)
    write_log(f"Total Score: {sum(run.saved for run in played)}\n")
    return played


def play_run(
    series: Series,
    number: int,
    seed: int,
    bot: Asked,
    write_session: Write,
    write_log: Write = lambda _: None,
    show: Show = show_nothing,
) -> PlayedRun:
    """Play one run of a series with a bot that has been started; the rest is as in `play_series`.

    The number counts from 1.
    """
    station, places = series.station, Places(series.station)
    live = LiveRun(station, series.rules, Random(seed))
    # The challenge's controller waits before its first lines; here the first answer may be later.
    time = series.start_time + series.answer_time
    turn = unusable = 0
    try:
        for turn in range(series.turns):
            frame = live.look().write(station)
            write_log(frame)
            title = f"run {number}, turn {turn + 1} of {series.turns}, {live.saved} saved"
            show(title, partial(_draw, frame))
            actions, rabbits = live.crush()
            told = write_told(Turn(series.turns - turn, actions, rabbits, ()), station)
            write_session(told)
            answer = bot.ask(told, time)
            time = series.answer_time
            write_session(f"{repeat_answer(answer)}\n")
            requests = read_answer(answer, places)
            unusable += not requests and answer.strip() not in NOTHING
            live.answer(requests)
    except BotFailure as failure:
        return PlayedRun(number, seed, live.saved, turn, f"the bot {failure}", unusable)
    return PlayedRun(number, seed, live.saved, series.turns, unusable=unusable)


def _draw(frame: str) -> Board:
    return Board(frame.rstrip("\n").split("\n"))


def repeat_answer(answer: str) -> str:
    """Write down the moves that an answer asks for, and nothing else that it may hold."""
    moves: Sequence[tuple[str, str]] = REQUEST.findall(answer)
    return ("move " + "; ".join(f"{a} to {b}" for a, b in moves)).rstrip()


class LiveRun:
    """One run: `look`, `crush` and `answer` again and again, in this order.

    Attributes:
        saved: The rabbits saved so far.
    """

    def __init__(self, station: Station, rules: GameRules, generator: Random) -> None:
        """Place the crushers; their headings are random."""
        self.saved = 0
        self._random = generator
        base = station.facts()
        parts = [("turn", 1), ("derived", 1)]
        begin = rules.ask(PLAY, {**base, "opens": [(1,)]}, parts=parts)
        headings = self._pick(begin.read(Faces))
        placed: Facts = {
            "ends": [(cell, 0) for cell, _ in headings],
            "keeps": [(cell, heading, 0) for cell, heading in headings],
        }
        self._live = Live(rules.program(PLAY), {**base, **placed}, renewal=40)
        self._live.next_turn()
        self._live.play(_BEGIN)
        self._take_in()

    def look(self) -> Frame:
        """Return who is where when the turn begins: rabbits have appeared."""
        return self._frame

    def crush(self) -> tuple[tuple[tuple[int, str, int], ...], tuple[int, ...]]:
        """Let the crushers choose, and move in random order.

        Returns:
            What those did that moved, in the order in which it happened: from where, ``movesto``
            or ``crushes``, to where; and the rabbits left.
        """
        picked = self._pick(self._live.news(Option))
        order = [cell for cell, _ in picked]
        self._random.shuffle(order)
        self._live.play(["decide"], {"picked": picked, "order": list(enumerate(order))})
        actions = [(a.cell, a.verb, a.to) for a in sorted(self._live.news(Action))]
        # What has come of it goes in as a fact: what is settled once need not be solved again.
        self._live.play(["crush", "settled"], {"went": [(a, b) for a, _, b in actions]})
        return tuple(actions), _cells(self._live.news(Stands))

    def list_steps(self) -> list[tuple[int, int]]:
        """List the moves of rabbits that are legal, after `crush`: from where to where."""
        self._live.play(["choices"])
        return sorted((row.cell, row.to) for row in self._live.news(MayStep))

    def answer(self, requests: Sequence[tuple[int, int]]) -> None:
        """Carry out the moves that the bot asks for; after it the next turn begins."""
        asked = {"request": [(n, a, b) for n, (a, b) in enumerate(requests)]}
        self._live.end_turn(["answer"], asked, _BEGIN)
        self.saved += len(self._live.news(Saved))
        self._take_in()

    def _take_in(self) -> None:
        rabbits, crushers = self._live.news(Rabbit), self._live.news(Crusher)
        self._frame = Frame(_cells(rabbits), _cells(crushers))

    def _pick(self, rows: Iterable[Faces | Option]) -> list[tuple[int, int]]:
        """Pick a heading for each crusher, in the order of their cells."""
        headings = defaultdict[int, list[int]](list)
        for row in sorted(rows):
            headings[row.cell].append(row.heading)
        return [(cell, self._random.choice(some)) for cell, some in headings.items()]


def _cells(rows: Iterable[Rabbit | Crusher | Stands]) -> tuple[int, ...]:
    return tuple(sorted(row.cell for row in rows))
