"""The odd cases of the rabbits' protocol, on small maps of this module or on one map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from kb_score.errors import InputError
from kb_score.games.compliance import Begin, Case, Start, Times
from kb_score.games.rabbits.legal import judge_requests
from kb_score.games.rabbits.maps import Places, Station, read_map
from kb_score.games.rabbits.play import NOTHING, LiveRun, repeat_answer
from kb_score.games.rabbits.records import FACTS_OF
from kb_score.games.rabbits.session import Turn, read_answer, write_told
from kb_score.games.ways import ask_turns, ask_twice, close_after
from kb_score.shell.bots import Bot
from kb_score.shell.files import read_input
from kb_score.shell.programs import make_folder

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

_HALL = """\
###############
#s    #      c#
# ### # ##### #
#   #   #   # #
### # ### # # #
#c      #   e #
###############
"""
# A crusher stands in sight of the start, so that no rabbit appears.
_GUARDED = "#########\n#sc    e#\n#########\n"
_QUIET = "########\n#s    e#\n########\n"  # no crusher, so that nothing is told of any
_CELL = "########\n#s#s  e#\n########\n"  # a rabbit that cannot move
# Rabbits on all cells but the exits.
_CROWD = "#######\n#sssss#\n#sssse#\n#sssss#\n#######\n"

_SEED = 7  # a seed of the challenge's range, which bot and generator are given
_LONG, _SHORT = 500, 30  # turns of a run


def list_cases(
    rules: GameRules,
    command: Sequence[str],
    *,
    end: float,
    start_time: float,
    answer_time: float,
    map_path: str | None,
) -> tuple[Sequence[Case], Times]:
    """List the cases; see `kb_score.games.bot_command`. A KbScoreError if a map cannot be used."""
    given = None if map_path is None else _read_map(map_path)

    def on(station: Station, text: str | None = None, turns: int = _LONG) -> tuple[Start, Begin]:
        return partial(_start, command, station, text), partial(_Exam, station, rules, turns)

    def on_ours(name: str, text: str, turns: int = _LONG) -> tuple[Start, Begin]:
        return on(read_map(text, name), text, turns)

    def on_main(turns: int = _LONG) -> tuple[Start, Begin]:
        return on_ours("hall.map", _HALL, turns) if given is None else on(given, turns=turns)

    main = on_main()
    cases = [
        Case("first-turn", "the first turn of a run", ask_turns(), *main),
        Case("middle", "the first 20 turns of a long run", ask_turns(20), *main),
        Case("people-dead", "there is no rabbit: the list of rabbits is empty",
             ask_turns(4), *on_ours("guarded.map", _GUARDED)),
        Case("no-crushers", "there is no crusher: the list of crushers is empty", ask_turns(4),
             *on_ours("quiet.map", _QUIET)),
        Case("nothing-to-do", "a rabbit between walls, which cannot move", ask_turns(4),
             *on_ours("cell.map", _CELL)),
        Case("full-board", "a rabbit on every cell", ask_turns(4), *on_ours("crowd.map", _CROWD)),
        Case("end-of-game", "a run of one turn: the input is closed after it", close_after(),
             *on_main(1)),
        Case("input-closed", "the input is closed in the middle of a run", close_after(5), *main),
        Case("same-twice", "the first turns, twice with the same seed", ask_twice(5), *main),
        Case("whole-game", "a short run, to its last turn", ask_turns(_SHORT, whole=True),
             *on_main(_SHORT)),
    ]  # fmt: skip
    return cases, Times(start_time + answer_time, answer_time, end)


def _read_map(path: str) -> Station:
    if path == "-":
        raise InputError("--map", "the bot is given the path of the map: name a file")
    return read_map(read_input(path, FACTS_OF), path)


@contextmanager
def _start(command: Sequence[str], station: Station, text: str | None) -> Iterator[Bot]:
    """Start the bot as the controller does, with map and seed; a map of ours is written for it."""
    if text is None:
        with Bot([*command, station.name, str(_SEED)]) as bot:
            yield bot
        return
    with make_folder() as folder:
        path = folder / station.name
        path.write_text(text, encoding="utf-8")
        with Bot([*command, str(path), str(_SEED)]) as bot:
            yield bot


class _Exam:
    """A run from its first turn; the rules judge each move that a bot asks for."""

    def __init__(self, station: Station, rules: GameRules, turns: int) -> None:
        self._station, self._rules, self._places = station, rules, Places(station)
        self._live, self._left = LiveRun(station, rules, Random(_SEED)), turns
        self._rabbits: tuple[int, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether there is no turn left."""
        return not self._left

    def tell(self) -> str:
        """Let the crushers move, and write what the bot is told of it."""
        actions, self._rabbits = self._live.crush()
        return write_told(Turn(self._left, actions, self._rabbits, ()), self._station)

    def answer(self, line: str) -> list[str]:
        """Judge an answer, and go on to the next turn."""
        requests = read_answer(line, self._places)
        if not requests and line.strip() not in NOTHING:
            return ["no readable move: expected, for example, move 3,4 to 3,5; 7,2 to 6,2"]
        found = judge_requests(self._station, self._rabbits, repeat_answer(line), self._rules)
        self._live.answer(requests)
        self._left -= 1
        return [f"{reason.code} ({reason.who}): {reason.detail}" for reason in found]
