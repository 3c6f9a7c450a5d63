"""The rules of a game, gathered: our files, the user's files, the rulings that are set."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from kb_score.errors import RuleError
from kb_score.lift import lift_to_turns
from kb_score.program import Program, find_constants, read_program
from kb_score.resources import find_folder, is_folder


@dataclass(frozen=True, slots=True)
class Changes:
    """What a user changes about the rules of a game.

    Attributes:
        folders: Folders with more rule files. A file with the name of one of ours stands in for
            it, all others are added.
        constants: The rulings that are decided, by name.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, in order of their paths."""
        return tuple(path for folder in self.folders for path in _find_files(folder))

    @property
    def paths(self) -> list[str]:
        """Their paths, which nothing may be written to."""
        return list(map(str, self.files))


NO_CHANGES = Changes()


def _find_files(folder: Path) -> list[Path]:
    # Editors leave links there that lead nowhere.
    return sorted(path for path in folder.rglob("*.lp") if path.is_file())


def list_rule_files(game: str, folders: Sequence[Path] = ()) -> tuple[list[Path], list[Path]]:
    """List the rule files of a game.

    Args:
        game: The game's folder in ``asp/``, such as ``kingdom_builder``.
        folders: The user's folders. A file there, or in a folder below, takes the place of ours if
            it has the same name.

    Returns:
        Our files that are not replaced, and the user's files, each in order of their paths.

    Raises:
        RuleError: A folder is not there, holds no rule file, or holds those of several games; or
            two files have one name.
    """
    users: dict[str, Path] = {}
    for folder in folders:
        found = _find_files(folder)
        if not found:
            reason = "has no .lp file" if is_folder(folder) else "is no folder"
            raise RuleError(f"--rules: {folder} {reason}")
        games = {path.name for path in find_folder("asp").iterdir()}
        if {path.relative_to(folder).parts[0] for path in found} & games:
            raise RuleError(
                f"--rules: {folder} has the rules of several games: name {folder / game}"
            )
        for path in found:
            if (other := users.setdefault(path.name, path)) != path:
                raise RuleError(f"--rules: {path} has the name of {other}: rename one of them")
    ours = sorted((find_folder("asp") / game).rglob("*.lp"))
    return [path for path in ours if path.name not in users], list(users.values())


def read_rules(
    game: str, stems: Sequence[str] | None = None, changes: Changes = NO_CHANGES
) -> Program:
    """Read rule files of a game, with what a user changes about them.

    Args:
        game: The game's folder in ``asp/``.
        stems: The names of its files that are wanted, without ``.lp``; None for all.
        changes: What the user changes.

    Returns:
        The rules, rulings decided.

    Raises:
        RuleError: Something is wrong with a rule file, a folder or a constant.
    """
    ours, users = read_parts(game, changes, stems)
    return _decide(ours + users, game, changes)


def read_rules_for_turns(
    game: str, stems: Sequence[str], parts: Collection[str], changes: Changes = NO_CHANGES
) -> Program:
    """Read rule files of a game in turns, for all turns of a record at once.

    Args:
        game: As for `read_rules`, like stems and changes.
        stems: The names of the files that are wanted.
        parts: The parts about a turn that shall hold for all turns.
        changes: What the user changes.

    Raises:
        RuleError: Something is wrong with a rule file, a folder or a constant.
    """
    if changes.folders:
        return lift_to_turns(read_rules(game, stems, changes), parts)
    return _decide(_lift_ours(game, tuple(stems), tuple(parts)), game, changes)


@lru_cache(maxsize=32)
def _lift_ours(game: str, stems: Sequence[str], parts: Collection[str]) -> Program:
    return lift_to_turns(read_rules(game, stems), parts)


def read_parts(
    game: str, changes: Changes = NO_CHANGES, stems: Sequence[str] | None = None
) -> tuple[Program, Program]:
    """Read our rules of a game and those of a user, who may refer to all of ours.

    Args:
        game: The game's folder in ``asp/``.
        changes: What the user changes; no ruling is decided yet.
        stems: The names of our files that are wanted, without ``.lp``; None for all.

    Returns:
        Our rules and the user's, which have been looked through.

    Raises:
        RuleError: Something is wrong with a rule file or a folder.
    """
    ours, users = list_rule_files(game, changes.folders)
    all_ours, _ = list_rule_files(game)
    shipped = frozenset(path.name for path in all_ours)
    wanted = shipped if stems is None else frozenset(f"{stem}.lp" for stem in stems)
    program = _read_ours(tuple(path for path in ours if path.name in wanted))
    if not users:
        return program, Program(())
    from kb_score.user_rules import check_user_rules

    whole, left = _read_ours(tuple(all_ours)), _read_ours(tuple(ours))
    check_user_rules(whole, left, read_program(users), shipped)
    # A copy of one of our files stands in for it wherever that is wanted, and only there.
    added = read_program(p for p in users if p.name in wanted or p.name not in shipped)
    # What only other files of the game give is no mistake: it does not hold here.
    absent = (left.derived | whole.inputs) - program.derived - program.inputs
    return program, replace(added, defined=added.defined | absent)


def _decide(program: Program, game: str, changes: Changes) -> Program:
    """Set constants; those that only other files of the game have are of no account here."""
    if not changes.constants:
        return program
    constants = dict(changes.constants)
    here = {name for name, _, _ in find_constants(program)}
    ours, users = list_rule_files(game, changes.folders)
    whole = _read_ours(tuple(ours)) + read_program(users)
    elsewhere = {name for name, _, _ in find_constants(whole)} - here
    return program.with_constants({n: v for n, v in constants.items() if n not in elsewhere})


@lru_cache(maxsize=32)
def _read_ours(paths: tuple[Path, ...]) -> Program:
    # Users edit their files while a program runs; ours stay as they are.
    return read_program(paths)
