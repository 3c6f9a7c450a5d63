"""Kingdom Builder as a game: its options and wording for the verbs, and positions of its turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import product
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, OptionError, guess
from kb_score.games.game import (
    Arena,
    File,
    Game,
    Option,
    Position,
    PositionSpace,
    ReasonNames,
    VerbOptions,
    Wording,
)
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, is_game, parse_board
from kb_score.games.kingdom_builder.check import check_files, check_game, follow_game
from kb_score.games.kingdom_builder.position import TurnPosition, find_in_game, find_on_board
from kb_score.games.kingdom_builder.records import GAME_FILE, load_names, read_actions, read_game
from kb_score.games.labels import NAMES, TITLE, make_labels
from kb_score.games.rulings import apply_rulings
from kb_score.shell.picture import Replay


def find_position(
    rules: GameRules,
    turn: int | None,
    *files: File,
    player: int | None,
    card: str | None,
    after: str | None,
    tiles: tuple[str, ...],
) -> TurnPosition:
    """Return the position within a turn of a game or on a board.

    Args:
        turn: The number of the turn of a game, from 1; None for the one after the last, or for a
            board.
        player: The player whose turn it is on a board; None for a game.
        card: The cards of the turn, such as grass, or grass/desert; None for those of the record.
        after: The actions of the turn before the position; None for its start.
        tiles: Tiles that the player may use besides those in hand.

    Raises:
        OptionError: An option has a wrong value, or does not fit a game or a board.
        InputError: The game has no such turn, or is over.
    """
    ((name, text),) = files
    if is_game(text):
        rules = apply_rulings(rules, *files, has_free_lines=False)
    names = load_names(rules)
    cards: list[str] = []
    if card:
        for word in card.split("/"):
            terrain = _find_name(word, names.terrains, "--card")
            cards.append(terrain)
    lent = tuple(_find_name(tile, names.tiles, "--tile") for tile in tiles)
    if is_game(text):
        if player is not None:
            raise OptionError("--player applies only to boards: a game shows whose turn it is")
        game = read_game(text, names, name=name)
        if not cards and turn in (None, len(game.lines) + 1):
            _refuse_end(text, len(game.lines), rules, name)
        position = find_in_game(rules, game, turn, cards)
    elif player is None or not cards or turn is not None:
        raise OptionError("a board needs --player and --terrain, and takes no --turn")
    else:
        board = parse_board(text, rules, name=name, allows="odd")
        position = find_on_board(rules, board, player, cards)
    position = replace(position, lent=lent)
    if after:
        position = position.after(read_actions(after, names, name="--after"))
    if cards:
        *before, now = position.lines
        position = replace(position, lines=(*before, now.drawn_now()))
    return position


def _refuse_end(text: str, turns: int, rules: GameRules, path: str) -> None:
    """Raise an InputError if a game is over, so that no card for another turn is requested."""
    verdict = check_game(text, rules, name=path)
    if verdict.result["turns"] < turns:
        raise InputError(path, f"no move is legal: {verdict.violations[0]}")
    if verdict.result["finished"]:
        raise InputError(path, f"no move is legal: the game is over after turn {turns}")


def _find_name(word: str, known: frozenset[str], option: str) -> str:
    """Return a name as the rules have it; an OptionError lists all names if it is unknown."""
    name = word.lower().replace("-", "_")
    if name in known:
        return name
    names = sorted(name.replace("_", "-") for name in known)
    listed = ", ".join(names)
    raise OptionError(f"{option}: there is no {word!r}: choose from {listed}{guess(word, names)}")


class KingdomBuilder(Game):
    """Kingdom Builder: records are whole games, or boards with claims about them."""

    name = asp.GAME
    record = GAME_FILE
    options = VerbOptions(
        draw=(TITLE, NAMES),
        legal=(
            Option("player", None, "Whose turn it is on a board.", 1, MAX_PLAYERS),
            Option(
                "card",
                None,
                "The card that is played: grass, or grass/desert if a second card was drawn.",
                unit="TERRAIN",
                also="terrain",
            ),
            Option("after", None, "Actions already done in the turn.", unit="ACTIONS"),
            Option(
                "tiles",
                None,
                "Let the player use this tile. Repeatable.",
                unit="TILE",
                flag="tile",
                is_repeatable=True,
            ),
        ),
    )
    wording = Wording(
        move="'farm 6,12'",
        answer="one or more actions: hexes to build on, by row and column, such as "
        "4,11 4,12 5,11; a tile and its hexes, such as farm 6,12 or barn 3,15>4,2. Put each "
        "action on a line of its own, or separate actions with ;",
    )
    reasons = ReasonNames(
        check=("violation", "wrong", "result"),
        legal=("illegal", "allowed"),
        move=("illegal", "allowed"),
    )
    lists_reasons = False
    positions = PositionSpace(asp.POSITIONS, tuple(product(range(1, 7), range(1, 7))))

    @cached_property
    def arena(self) -> Arena:
        arena: Arena = import_module("kb_score.arena.kingdom_builder").KingdomArena()
        return arena

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Any:
        return check_files(rules, *files)

    def replay(
        self,
        rules: GameRules,
        files: Sequence[File],
        *,
        names: str | None = None,
        title: str | None = None,
        **_options: Any,
    ) -> Replay:
        return follow_game(rules, *files, labels=make_labels(names, title))

    def find_notes(self, rules: GameRules, files: Sequence[File]) -> Sequence[tuple[str, str, str]]:
        """Return remarks on a board, each with its file and kind; a game has none."""
        ((name, text),) = files
        if is_game(text):
            return ()
        board = parse_board(text, rules, name=name, allows="odd")
        return [(name, "indentation", note) for note in board.notes]

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **options: Any
    ) -> Position:
        return find_position(rules, turn, *files, **options)


GAME = KingdomBuilder()
