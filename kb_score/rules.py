"""The rules of a game, gathered: our files, the user's files, the rulings that are set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from kb_score.errors import RuleError
from kb_score.program import Program, Signature, read_program
from kb_score.resources import find_folder
from kb_score.solve import solve_unique

# Of Kingdom Builder the driver gives these, and reads those.
INPUTS: frozenset[Signature] = frozenset(
    {("size", 2), ("terrain", 3), ("settlement", 3), ("players", 1), ("chosen", 1)}
)
_CARD = ("card", 3)


@dataclass(frozen=True, slots=True)
class Card:
    """A scoring card.

    Attributes:
        name: Its name in the rules and in every table.
        number: Its number; 0 for what pays in every game.
        text: What it pays, in a sentence.
    """

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of Kingdom Builder with the cards that they hold.

    Attributes:
        program: All statements.
        cards: The cards, in order of their numbers.
    """

    program: Program
    cards: tuple[Card, ...]

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Find the cards of a game by name or number.

        Returns:
            Their names, in order of their numbers, each once. What pays in every game is left out.

        Raises:
            RuleError: There is no such card.
        """
        always = {card.name for card in self.cards if not card.number}
        wanted = {name for word in words for name in self.find_named(word)} - always
        return tuple(card.name for card in self.cards if card.name in wanted)

    def find_named(self, word: str) -> tuple[str, ...]:
        """Find the cards of a name or a number.

        Returns:
            Their names; only a number that several cards share finds several.

        Raises:
            RuleError: There is no such card.
        """
        found = tuple(c.name for c in self.cards if word in (c.name, str(c.number)))
        if not found:
            names = ", ".join(f"{card.number} {card.name}" for card in self.cards)
            raise RuleError(f"there is no card {word!r}: the cards are {names}")
        return found


def list_rule_files(game: str, folders: Sequence[Path] = ()) -> tuple[list[Path], list[Path]]:
    """List the rule files of a game.

    Args:
        game: The game's folder in ``asp/``, such as ``kingdom_builder``.
        folders: The user's folders. A file there, or in a folder below, takes the place of ours if
            it has the same name.

    Returns:
        Our files that are not replaced, and the user's files, each in order of their paths.

    Raises:
        RuleError: A folder is not there, or holds no rule file.
    """
    users: dict[str, Path] = {}
    for folder in folders:
        found = sorted(folder.rglob("*.lp")) if folder.is_dir() else []
        if not found:
            reason = "has no .lp file" if folder.is_dir() else "is no folder"
            raise RuleError(f"--rules: {folder} {reason}")
        users |= {path.name: path for path in found}
    ours = sorted((find_folder("asp") / game).rglob("*.lp"))
    return [path for path in ours if path.name not in users], list(users.values())


def read_game_rules(
    game: str,
    stems: Sequence[str],
    folders: Sequence[Path] = (),
    constants: Mapping[str, str] | None = None,
    *,
    inputs: frozenset[Signature] | None = None,
) -> Program:
    """Read some rule files of a game, and what the user has changed or added.

    Args:
        game: The game's folder in ``asp/``.
        stems: The names of its files that are wanted.
        folders: The user's folders. A file with the name of one of ours stands in for it wherever
            ours is wanted; all other files are added.
        constants: The rulings to set, by name.
        inputs: The predicates that the driver gives: with them, what is added is checked.

    Raises:
        RuleError: Something is wrong with a rule file, a folder or a constant.
    """
    shipped = {path.name: path for path in list_rule_files(game)[0]}
    users = {path.name: path for path in list_rule_files(game, folders)[1]}
    program = _read_files(tuple((shipped | users)[f"{stem}.lp"] for stem in stems), bool(users))
    extra = [path for name, path in users.items() if name not in shipped]
    if extra:
        added = read_program(extra)
        if inputs is not None:
            from kb_score.user_rules import check_user_rules

            check_user_rules(program, added, inputs)
        program += added
    return program.with_constants(constants or {})


def _read_files(paths: tuple[Path, ...], may_change: bool) -> Program:
    # Users edit their files while a program runs; ours stay as they are.
    return read_program(paths) if may_change else _read_once(paths)


@lru_cache(maxsize=32)
def _read_once(paths: tuple[Path, ...]) -> Program:
    return read_program(paths)


def load_rules(folders: Sequence[Path] = (), constants: Mapping[str, str] | None = None) -> Rules:
    """Load the rules of Kingdom Builder.

    Args:
        folders: Folders with more rule files, which users write.
        constants: The rulings to set, by name.

    Returns:
        The rules.

    Raises:
        RuleError: Something is wrong with a rule file, a folder or a constant.
    """
    ours, users = list_rule_files("kingdom_builder", folders)
    program = read_program(ours)
    if users:
        from kb_score.user_rules import check_user_rules

        added = read_program(users)
        shipped = frozenset(path.name for path in list_rule_files("kingdom_builder")[0])
        check_user_rules(program, added, INPUTS, shipped)
        program += added
    program = program.with_constants(constants or {})
    # Which cards there are depends on no board, so neither do choices and constraints matter.
    stating = replace(program, statements=tuple(s for s in program.statements if not s.guides))
    answer = solve_unique(stating.asked_for([_CARD]), {}, [_CARD])
    cards = [Card(str(name), int(str(number)), str(text)) for name, number, text in answer[_CARD]]
    return Rules(program, tuple(sorted(cards, key=lambda card: (card.number, card.name))))
