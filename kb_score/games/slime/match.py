"""One game between four bots, stepped by the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb_score.games.slime.bot import Patience, Player, Reply, ask_bot
from kb_score.games.slime.turn import State, play_turn, start_game
from kb_score.program import Program

# What hears of each turn: the line given, the reply, and the game after it.
Witness = Callable[[str, Reply, State], None]


@dataclass(frozen=True, slots=True)
class Match:
    """A game that was played.

    Attributes:
        state: The game at its end.
        counts: How many turns of each kind each player made, by kind and player.
        problems: How often each player was late, crashed or printed garbage, by player and kind.
    """

    state: State
    counts: Counter[tuple[str, int]]
    problems: Counter[tuple[int, str]]


def play_match(
    players: Sequence[Player],
    size: int,
    patience: Patience,
    program: Program,
    witness: Witness = lambda *_: None,
) -> Match:
    """Let four bots play.

    Args:
        players: The bots of players 1 to 4.
        size: Rows and columns of the board.
        patience: How long a bot may take for a turn.
        program: The rules, see `kb_score.games.slime.turn.load_rules`.
        witness: Told of each turn; what it raises ends the game.

    Returns:
        The game.

    Raises:
        BotError: No process can be started.
        RuleError: The user's rules cannot be used.
    """
    state = start_game(size, program)
    counts: Counter[tuple[str, int]] = Counter()
    problems: Counter[tuple[int, str]] = Counter()
    while not state.ended:
        seat = state.mover
        line = f"{seat},{state.board}"
        reply = ask_bot(players[seat - 1], line, patience)
        state = play_turn(state, reply.answer, program)
        counts[state.kind, seat] += 1
        if reply.problem:
            problems[seat, reply.problem] += 1
        witness(line, reply, state)
    return Match(state, counts, problems)
