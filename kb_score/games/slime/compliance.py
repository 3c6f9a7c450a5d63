"""The odd cases of Slime's protocols: a bot is run anew for each turn, or for a whole game."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from kb_score.games.compliance import Begin, Case, Start, Times
from kb_score.games.slime.bots import BotSpec, Patience, ask_bot, check_program, start_bot
from kb_score.games.slime.legal import judge_answer, list_legal
from kb_score.games.slime.play import State, play_turn, resume_game, start_game
from kb_score.games.ways import Seats, ask_turns, ask_twice, close_after, leave_out
from kb_score.shell.bots import BotFailure

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

# Positions of random legal games: the turns played, and the board.
_STUCK = 26, ".222,2222,2222,.223"
_DEAD = 2, "....,....,.1.2,1..2"
_ALMOST_FULL = 103, "44333,44433,44333,.4333,44333"

_SEED = 1
_OPENING = 14  # random turns that lead to the middle of a game
_SMALL = 3  # rows and columns of a whole game
_MOST = 60  # turns of a whole game, which need not end
_NO_INPUT = "a bot that is run anew each turn is told nothing on its input"


def list_cases(
    rules: GameRules,
    command: Sequence[str],
    *,
    end: float,
    size: int,
    patience: Patience,
    persistent: bool,
) -> tuple[Sequence[Case], Times]:
    """List the cases; see `kb_score.games.bot_command`. A BotError if there is no such program."""
    bot = _read_bot(command, persistent=persistent)
    first = start_game(size, rules)
    check_program(bot)
    one, all_ = _starts(bot, patience)

    def at(begin: Callable[[], State]) -> Begin:
        return lambda: _Exam(begin(), rules)

    def of(turn: int, board: str) -> Begin:
        return at(lambda: resume_game(board.count(",") + 1, turn, board, rules))

    start, middle = at(lambda: first), at(lambda: _open_game(size, rules))
    case, ask = partial(Case, start=one), ask_turns()
    stop = close_after() if persistent else leave_out(_NO_INPUT)
    cases = [
        case("first-turn", "the first turn of a game", ask, begin=start),
        case("last-seat", "the first turn of player 4", ask, begin=of(3, first.board)),
        case("middle", "a turn in the middle of a game", ask, begin=middle),
        case("nothing-to-do", "slime without a legal move: any answer passes", ask,
             begin=of(*_STUCK)),
        case("people-dead", "no slime is left: any answer passes", ask, begin=of(*_DEAD)),
        case("almost-full", "one square is empty", ask, begin=of(*_ALMOST_FULL)),
        case("end-of-game", "the input is closed when one square was empty", stop,
             begin=of(*_ALMOST_FULL)),
        case("input-closed", "the input is closed after an answer", stop, begin=middle),
        case("same-twice", "the same board, twice", ask_twice(), begin=middle),
        Case("whole-game", "a small board, all four seats", ask_turns(_MOST, whole=True), all_,
             at(lambda: start_game(_SMALL, rules))),
    ]  # fmt: skip
    return cases, Times(patience.late, patience.late, end)


def _read_bot(command: Sequence[str], *, persistent: bool) -> BotSpec:
    """Read a command: one word is for the shell, as with --bot; several are a program's."""
    words = command[0] if len(command) == 1 else shlex.join(command)
    return BotSpec("the bot", words, persistent=persistent)


def _open_game(size: int, rules: GameRules) -> State:
    """Play some random legal turns, if the game does not end before."""
    state, random = start_game(size, rules), Random(_SEED)
    for _ in range(_OPENING):
        moves = list_legal(state, rules).moves
        after = play_turn(state, random.choice(moves) if moves else "", rules)
        if after.ended:
            break
        state = after
    return state


def _starts(bot: BotSpec, patience: Patience) -> tuple[Start, Start]:
    """Make what starts a bot for one player, and for all players."""
    if bot.persistent:
        one = partial(start_bot, bot)
        return one, lambda: Seats(one, lambda text: int(text[0]))
    runner = _Runner(bot, patience)
    return runner.start, runner.start


class _Runner:
    """A bot that is run anew for each turn."""

    def __init__(self, bot: BotSpec, patience: Patience) -> None:
        self._bot, self._patience, self._words = bot, patience, ""

    @contextmanager
    def start(self) -> Iterator[_Runner]:
        """Begin a case."""
        self._words = ""
        yield self

    def ask(self, text: str, timeout: float) -> str:
        """Run it with a board line; a BotFailure if it is late or crashes."""
        reply = ask_bot(self._bot, text.rstrip(), self._patience)
        self._words = reply.words
        if reply.problem == "late":
            raise BotFailure("late", reply.detail, reply.words)
        if reply.problem == "crashed":
            raise BotFailure("ended", reply.detail, reply.words)
        return reply.answer

    def tell_words(self) -> str:
        """Tell what it said in a turn that went wrong."""
        return self._words


class _Exam:
    """A game from a position; a pass is illegal for who can move."""

    def __init__(self, state: State, rules: GameRules) -> None:
        self._state, self._rules = state, rules

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self._state.ended

    def tell(self) -> str:
        """Write the line that the bot of the player is run with."""
        return f"{self._state.mover},{self._state.board}\n"

    def answer(self, line: str) -> list[str]:
        """Judge an answer, and play it."""
        judged = judge_answer(self._state, line, self._rules)
        passes = judged.counts_as == "pass" and list_legal(self._state, self._rules).moves
        self._state = play_turn(self._state, line, self._rules)
        return [f"counts as a pass: {why.code}, {why.detail}" for why in judged.reasons if passes]
