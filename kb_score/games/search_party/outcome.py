"""What live play shows: a line of progress, a result."""

from __future__ import annotations

from typing import IO

from kb_score.command import DIFFERS, FINE, complain, print_played
from kb_score.games.search_party.check import GAME
from kb_score.games.search_party.play import Outcome, State
from kb_score.report import Table


class Progress:
    """A line on a terminal that says how the game goes; nothing elsewhere."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._shown = stream.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, state: State) -> None:
        """Show a turn."""
        if self._shown:
            searched = sum(row.count("o") for row in state.board)
            share = 100 * searched // (searched + state.left)
            alive = len(state.people)
            line = f"turn {state.turn + 1}, {share} % searched, {alive} alive"
            self._stream.write(f"\r\x1b[K{line}")
            self._stream.flush()


def print_outcome(outcome: Outcome, name: str, format_: str) -> int:
    """Print how a game ended; return the exit status."""
    result = outcome.state.result()
    if outcome.failure:
        complain(f"turn {outcome.state.turn + 1}: the bot {outcome.failure}")
    for violation in outcome.violations:
        who = f" ({violation.who})" if violation.who else ""
        complain(f"turn {violation.turn}: {violation.code}{who}: {violation.detail}")
    state = outcome.state
    finished = "no" if state.left else "yes"
    row = (name, state.turn, state.costars, state.extras, finished)
    print_played(GAME, result, [Table("", ("map", *result), (row,))], format_)
    return FINE if outcome.state.left == 0 else DIFFERS
