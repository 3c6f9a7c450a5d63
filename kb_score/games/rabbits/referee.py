"""Programs refereed live, over several runs, as the challenge's controller does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random, SystemRandom

from kb_score.bots import Bot, BotFailure
from kb_score.games.rabbits.live import LiveRun
from kb_score.games.rabbits.picture import draw
from kb_score.games.rabbits.session import REQUEST, Turn, read_answer, write_told
from kb_score.games.rabbits.station import Places, Station
from kb_score.rules import Changes

# With seed 0 each run has a new seed, of these.
_SEEDS = range(1, 1001)
# What a program says that wants no rabbit to move.
_NOTHING = ("", "move")


@dataclass(frozen=True, slots=True)
class Match:
    """What is played.

    Attributes:
        station: The map.
        changes: What the user changes about the rules.
        turns: The turns of a run.
        seed: The seed of every run; 0 draws one for each.
        runs: How many runs.
        command: The program and its arguments; map and seed come after them.
        start_time: The seconds that the program has to get ready, once a run.
        answer_time: The seconds that it has for each answer.
    """

    station: Station
    changes: Changes
    turns: int
    seed: int
    runs: int
    command: tuple[str, ...]
    start_time: float
    answer_time: float

    def headline(self) -> str:
        """Write the line that the challenge's controller begins with."""
        words = (self.station.name, self.turns, self.seed, self.runs, *self.command)
        return " ".join(["Running: controller.py", *map(str, words)])


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """What came of one run.

    Attributes:
        number: The run, from 1.
        seed: The seed that the program and the generator were given.
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


@dataclass(frozen=True, slots=True)
class Log:
    """What is written while a match is played, so that a match broken off leaves what there was.

    Attributes:
        session: Takes the text of the session, piece by piece.
        frames: Takes the text of the controller's kind of log.
    """

    session: Callable[[str], object]
    frames: Callable[[str], object]


def play_match(match: Match, log: Log, tell: Callable[[PlayedRun], object]) -> list[PlayedRun]:
    """Play all runs of a match.

    Args:
        match: What is played.
        log: Takes the records.
        tell: Called after each run.

    Returns:
        The runs, in order.

    Raises:
        BotError: The program cannot be started.
    """
    log.frames(f"{match.headline()}\n")
    played = []
    for number in range(1, match.runs + 1):
        seed = match.seed or SystemRandom().choice(_SEEDS)
        if match.runs > 1:
            log.session(f"run {number} seed {seed}\n")
        run = _play_run(match, number, seed, log)
        log.session(f"score {run.saved}\n")
        played.append(run)
        tell(run)
    log.frames(f"Total Score: {sum(run.saved for run in played)}\n")
    return played


def _play_run(match: Match, number: int, seed: int, log: Log) -> PlayedRun:
    station, places = match.station, Places(match.station)
    live = LiveRun(station, match.changes, Random(seed))
    # The challenge's controller waits before its first lines; here the first answer may be later.
    time = match.start_time + match.answer_time
    turn = unusable = 0
    with Bot([*match.command, station.name, str(seed)]) as bot:
        try:
            for turn in range(match.turns):
                frame = live.look()
                log.frames(f"{draw(station, frame.rabbits, frame.crushers)}\n\n")
                actions, rabbits = live.crush()
                told = write_told(Turn(match.turns - turn, actions, rabbits, ()), station)
                log.session("".join(f"{line}\n" for line in told))
                answer = bot.ask("".join(f"{line}\n" for line in told), time)
                time = match.answer_time
                log.session(f"{_repeat(answer)}\n")
                requests = read_answer(answer, places)
                unusable += not requests and answer.strip() not in _NOTHING
                live.answer(requests)
        except BotFailure as failure:
            return PlayedRun(number, seed, live.saved, turn, f"the program {failure}", unusable)
    return PlayedRun(number, seed, live.saved, match.turns, unusable=unusable)


def _repeat(answer: str) -> str:
    """Write down the moves that an answer asks for, and nothing else that it may hold."""
    moves: Sequence[tuple[str, str]] = REQUEST.findall(answer)
    return ("move " + "; ".join(f"{a} to {b}" for a, b in moves)).rstrip()
