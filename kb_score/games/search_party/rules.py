"""The rule files of the game, put together for each use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from kb_score.errors import RuleError
from kb_score.lift import lift_to_turns
from kb_score.program import Program, read_program
from kb_score.resources import find_folder

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
    folders: Iterable[Path] = (),
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
    program = _read_ours(stems, lifted)
    for folder in folders:
        added = read_program(_list_rules(folder))
        program += lift_to_turns(added) if lifted else added
    return program.with_constants(constants or {})


@cache
def _read_ours(stems: tuple[str, ...], lifted: bool) -> Program:
    folder = find_folder("asp") / "search_party"
    program = read_program(folder / f"{stem}.lp" for stem in stems)
    return lift_to_turns(program) if lifted else program


def _list_rules(folder: Path) -> list[Path]:
    found = sorted(folder.glob("*.lp"))
    if not found:
        raise RuleError(f"{folder}: the folder has no .lp file")
    return found
