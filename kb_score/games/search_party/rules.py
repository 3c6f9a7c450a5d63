"""The rule files of the game, put together for each use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from kb_score.lift import lift_to_turns
from kb_score.program import Program
from kb_score.rules import read_game_rules

MAP = ("map",)
PLAY = ("map", "rules", "orders", "live")
# A plan and a session list moves, from a stream they are inferred.
CHECK = {
    "plan": ("map", "rules", "orders", "check"),
    "session": ("map", "rules", "orders", "check"),
    "stream": ("map", "rules", "stream", "check"),
}
RANK = ("rank",)


def load_rules(
    stems: tuple[str, ...],
    folders: Sequence[Path] = (),
    constants: Mapping[str, str] | None = None,
    *,
    lifted: bool = False,
) -> Program:
    """Read rule files of the game.

    Args:
        stems: The names of files in ``asp/search_party``.
        folders: The user's folders of .lp files to add.
        constants: The values that the user sets.
        lifted: Whether the rules shall speak of all turns at once.

    Returns:
        The program.

    Raises:
        RuleError: A file cannot be read or parsed, or there is no such constant.
    """
    if folders:
        program = read_game_rules("search_party", stems, folders)
        lifted_program = lift_to_turns(program) if lifted else program
    else:
        lifted_program = _read_ours(stems, lifted)
    return lifted_program.with_constants(constants or {})


@cache
def _read_ours(stems: tuple[str, ...], lifted: bool) -> Program:
    program = read_game_rules("search_party", stems)
    return lift_to_turns(program) if lifted else program
