"""The odd cases of Slime's protocol: a bot is run anew for each turn, with the board line."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from kb_score.games.compliance import Begin, Case, Times
from kb_score.games.slime.bots import BotSpec, Patience, ask_bot, check_program
from kb_score.games.slime.legal import judge_answer, list_legal
from kb_score.games.slime.play import State, play_turn, resume_game, start_game
from kb_score.games.ways import ask_turns, ask_twice, leave_out
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
    rules: GameRules, command: Sequence[str], *, end: float, size: int, patience: Patience
) -> tuple[Sequence[Case], Times]:
    """List the cases; see `kb_score.games.bot_command`.

    Raises:
        KbScoreError: The rules cannot be used, or the shell does not find the bot's program.
    """
    # One word is a command for the shell, as with --bot; several are a program and its arguments.
    bot = BotSpec("the bot", command[0] if len(command) == 1 else shlex.join(command))
    first = start_game(size, rules)
    check_program(bot)
    start = partial(_start, bot, patience)

    def at(begin: Callable[[], State]) -> Begin:
        return lambda: _Exam(begin(), rules)

    def of(turn: int, board: str) -> Begin:
        return at(lambda: resume_game(board.count(",") + 1, turn, board, rules))

    cases = [
        Case("first-turn", "the first turn of a game", ask_turns(), start, at(lambda: first)),
        Case("last-seat", "the first turn of player 4", ask_turns(), start, of(3, first.board)),
        Case("middle", "a turn in the middle of a game", ask_turns(), start,
             at(lambda: _open_game(size, rules))),
        Case("nothing-to-do", "the player has slime but no legal move: any answer is a pass",
             ask_turns(), start, of(*_STUCK)),
        Case("people-dead", "the player has no slime left: any answer is a pass", ask_turns(),
             start, of(*_DEAD)),
        Case("almost-full", "one square of the board is empty", ask_turns(), start,
             of(*_ALMOST_FULL)),
        Case("end-of-game", "the game is over", leave_out(_NO_INPUT), start, at(lambda: first)),
        Case("input-closed", "the input is closed", leave_out(_NO_INPUT), start,
             at(lambda: first)),
        Case("same-twice", "the same board, twice", ask_twice(), start,
             at(lambda: _open_game(size, rules))),
        Case("whole-game", "a small board, all four seats", ask_turns(_MOST, whole=True), start,
             at(lambda: start_game(_SMALL, rules))),
    ]  # fmt: skip
    return cases, Times(patience.late, patience.late, end)


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


class _Runner:
    """A bot that is run anew for each turn."""

    def __init__(self, bot: BotSpec, patience: Patience) -> None:
        self._bot, self._patience, self._words = bot, patience, ""

    def ask(self, text: str, timeout: float) -> str:
        """Run it with a board line; a BotFailure if it is late or crashes."""
        reply = ask_bot(self._bot, text, self._patience)
        self._words = reply.words
        if reply.problem == "late":
            raise BotFailure("late", reply.detail)
        if reply.problem == "crashed":
            raise BotFailure("ended", reply.detail)
        return reply.answer

    def hear(self) -> str:
        """Tell what it said in a turn that went wrong."""
        return self._words


@contextmanager
def _start(bot: BotSpec, patience: Patience) -> Iterator[_Runner]:
    yield _Runner(bot, patience)


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
        return f"{self._state.mover},{self._state.board}"

    def answer(self, line: str) -> list[str]:
        """Judge an answer, and play it."""
        judged = judge_answer(self._state, line, self._rules)
        passes = judged.counts_as == "pass" and list_legal(self._state, self._rules).moves
        self._state = play_turn(self._state, line, self._rules)
        return [f"counts as a pass: {why.code}, {why.detail}" for why in judged.reasons if passes]
