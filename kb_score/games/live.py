"""What goes wrong in live play: faults of answers, and of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Set

from kb_score.engine.live import Live
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Row
from kb_score.errors import Fault, FormatError, InputError, RuleError
from kb_score.games.files import GameFiles
from kb_score.games.schema import IllegalRow, read_violations, write_sentence

# The number of turns after which a match grounds its rules again, to stay fast.
RENEWAL = 200
# The number of chance as a player.
CHANCE_PLAYER = 0


def explain_unreadable(error: FormatError) -> Fault:
    """Return the fault of an answer that cannot be read, from the error about it."""
    column = error.place.column
    return Fault("garbage", f"gave an unreadable answer: column {column}: {error.message}")


def explain_illegal(rows: Iterable[IllegalRow], answer: str) -> Fault:
    """Return the fault of an illegal answer, as a record has it, with at least one reason."""
    reasons = []
    for violation in read_violations(rows):
        _, _, reason = str(violation).partition(": ")
        reasons.append(reason)
    listed = "; ".join(reasons)
    return Fault("illegal", f"made an illegal move: {listed}", answer=answer)


def refuse_misuse(rules: GameRules, live: Live) -> None:
    """Raise a RuleError if the last turns have led to an impossible state.

    The error names the rule that may be the cause.
    """
    rules.accept(Answer({("misuse", 2): live.news("misuse")}))


def check_usable(name: str, unusable: Iterable[Row]) -> None:
    """Raise an InputError if the rules have a reason against a map, a record or an option."""
    details = sorted(write_sentence(detail) for (detail,) in unusable)
    if details:
        raise InputError(name, "; ".join(details))


def check_movers(files: GameFiles, turn: int, movers: Set[int], players: int = 0) -> None:
    """Raise a RuleError unless a turn belongs to exactly one of some players.

    The number of players is the largest that the game may have if it is 0.
    """
    players = players or files.manifest.players
    if players == 1 and not movers:
        return
    if not movers:
        problem = "no rule says whose turn it is"
    elif len(movers) > 1:
        listed = " and ".join(sorted(map(str, movers)))
        problem = f"it belongs to players {listed}"
    else:
        (mover,) = movers
        if mover in range(1, players + 1) or (mover == CHANCE_PLAYER and files.has_chance):
            return
        problem = f"it belongs to player {mover}, but the last player is {players}"
        if mover == CHANCE_PLAYER:
            problem = "player 0 is chance, but no rule derives draw/3 or shuffle/2"
    raise RuleError(f"the rules of {files.title}: turn {turn}: {problem} (mover/2)")
