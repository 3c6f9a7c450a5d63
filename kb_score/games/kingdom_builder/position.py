"""Positions of a game or on a board: before a turn, or within it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Facts, Name
from kb_score.errors import InputError, OptionError, guess
from kb_score.games.find import MOVE
from kb_score.games.kingdom_builder.board import Board, is_game, parse_board
from kb_score.games.kingdom_builder.records import find_files, load_names, read_record
from kb_score.games.match import File, resolve_turn
from kb_score.games.options import AFTER
from kb_score.games.position import RulesPosition
from kb_score.games.rulings import apply_rulings
from kb_score.games.texts import ReadText


def begin_turn(
    rules: GameRules,
    facts: Facts,
    cards: Sequence[str],
    name: str,
    *,
    turn: int = 1,
    step: int = 1,
    mover: int | None = None,
) -> RulesPosition:
    """Return the position in which a turn has shown its cards.

    Args:
        facts: The facts of the turns before, or of a board.
        cards: The terrains of the cards.
        name: The name of the game or the board in messages.
        turn: The number of the turn, from 1.
        step: The number of its first step, from 1.
        mover: The player whose turn it is; None if the rules have to say that.
    """
    position = RulesPosition(
        files=find_files(),
        rules=rules,
        facts=facts,
        step=step,
        turn=turn,
        name=MOVE,
        mover=mover,
        record=name,
        begun=step + len(cards),
    )
    return position.after([{"shows": [(Name(card),)]} for card in cards])


def redraw(position: RulesPosition) -> RulesPosition:
    """Return a position whose newest card was drawn just before."""
    facts = {**position.facts, "before_redrawn": [(position.step,)]}
    return replace(position, facts=facts)


def find_in_game(
    rules: GameRules, game: ReadText, name: str, turn: int | None, cards: Sequence[str] = ()
) -> RulesPosition:
    """Return the position at the start of a turn of a game, from 1, or after the last one.

    The cards of the turn are those of the record if none are given. It is an InputError if there is
    no such turn, or if its card is not known.
    """
    turn = resolve_turn(turn, game.turns, name)
    earlier = game.cut(turn - 1)
    step = len(earlier.turn_of) + 1
    shown = cards or (list_shown(game, turn) if turn <= game.turns else ())
    position = begin_turn(rules, earlier.facts, shown, name, turn=turn, step=step)
    if shown:
        return position
    if position.over:
        raise InputError(name, f"no move is legal: {position.over}")
    raise InputError(name, f"turn {turn} is not in the record yet: name its card with --card")


def list_shown(game: ReadText, turn: int) -> list[str]:
    """Return the terrains of the cards that a turn of a game shows."""
    rows: Sequence[tuple[Any, ...]] = game.facts["shows"]
    return [str(terrain) for terrain, step in rows if game.count_turn(step) == turn]


def find_on_board(
    rules: GameRules, board: Board, player: int, cards: Sequence[str]
) -> RulesPosition:
    """Return the position at the start of a turn on a board, where nobody is known to hold tiles.

    The cards are the terrains of the turn.
    """
    owners = [owner for owner, _, _ in board.facts["settlement"] if isinstance(owner, int)]
    players = max(player, 2, *owners)
    given = board.facts_for(players)
    facts: Facts = {
        "size": given["size"],
        "terrain": given["terrain"],
        "land": given["land"],
        "players": given["players"],
        "starter": [(player,)],
        "stood": [(owner, (row, column)) for owner, row, column in given["settlement"]],
        "walled": [(place,) for place in given["wall"]],
    }
    return begin_turn(rules, facts, cards, board.name, mover=player)


def find_position(
    rules: GameRules,
    files: Sequence[File],
    turn: int | None,
    *,
    player: int | None = None,
    card: str = "",
    after: str = "",
    tiles: Sequence[str] = (),
) -> RulesPosition:
    """Return the position within a turn of a game or on a board.

    Args:
        turn: The number of the turn of a game, from 1; None for the one after the last, or for a
            board.
        player: The player whose turn it is on a board; None for a game.
        card: The cards of the turn, such as grass, or grass/desert; empty for those of the record.
        after: The actions of the turn before the position; empty for its start.
        tiles: Tiles that the player may use besides those in hand.

    Raises:
        OptionError: An option has a wrong value, or does not fit a game or a board.
        InputError: The game has no such turn, or is over.
    """
    ((name, text),) = files
    names = load_names(rules)
    cards: list[str] = []
    if card:
        for word in card.split("/"):
            terrain = _find_name(word, names.terrains, "--card")
            cards.append(terrain)
    lent = Counter(_find_name(tile, names.tiles, "--tile") for tile in tiles)
    if is_game(text):
        rules = apply_rulings(rules, *files, has_free_lines=False)
        if player is not None:
            raise OptionError("--player applies only to boards: a game shows whose turn it is")
        game = read_record(text, rules, name)
        position = find_in_game(rules, game, name, turn, cards)
    elif player is None or not cards or turn is not None:
        raise OptionError("a board needs --player and --terrain, and takes no --turn")
    else:
        board = parse_board(text, rules, name=name, allows="odd")
        position = find_on_board(rules, board, player, cards)
    facts = {**position.facts, "lent": [(Name(tile), number) for tile, number in lent.items()]}
    position = replace(position, facts=facts)
    if after:
        position = position.after(position.read_parts(after, f"--{AFTER.name}"))
    return redraw(position) if len(cards) > 1 else position


def _find_name(word: str, known: frozenset[str], option: str) -> str:
    """Return a name as the rules have it; an OptionError lists all names if it is unknown."""
    name = word.lower().replace("-", "_")
    if name in known:
        return name
    names = sorted(name.replace("_", "-") for name in known)
    listed = ", ".join(names)
    raise OptionError(f"{option}: there is no {word!r}: choose from {listed}{guess(word, names)}")


def find_notes(rules: GameRules, files: Sequence[File]) -> Sequence[tuple[str, str, str]]:
    """Return remarks on a board, each with its file and kind; a game has none."""
    ((name, text),) = files
    if is_game(text):
        return ()
    board = parse_board(text, rules, name=name, allows="odd")
    return [(name, "indentation", note) for note in board.notes]
