"""Whole games, refereed: players say what they do, the rules judge it, and somebody listens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb_score.errors import RuleError
from kb_score.games.kingdom_builder.play.game import Line, join_parts
from kb_score.games.kingdom_builder.play.legal import list_legal
from kb_score.games.kingdom_builder.play.live import Refusal, begin_game, play_turn

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.deal import Deck
    from kb_score.games.kingdom_builder.play.game import Game, Part
    from kb_score.games.kingdom_builder.play.live import Position


class NoTurn(Exception):
    """A player has said nothing that could be a turn.

    The kind is one of ``late``, ``ended``, ``too-long``, ``garbage`` and ``illegal``.
    """

    def __init__(self, kind: str, detail: str) -> None:
        self.kind = kind
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Request:
    """What a player is asked for.

    Attributes:
        game: The headings of the game.
        position: The game before the turn.
        terrains: The terrains of the cards that are shown by now; the last one is the newest.
        done: What he has done in this turn already, before the newest card was drawn.
    """

    game: Game
    position: Position
    terrains: tuple[str, ...]
    done: tuple[Part, ...] = ()


# Answers with what is done in the turn, from where it stands; raises NoTurn.
Player = Callable[[Request], Sequence["Part"]]


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that was played.

    Attributes:
        player: Whose it was.
        line: What was done.
        position: The game after it.
        fault: Why the referee has played it for the player; None if it has not.
    """

    player: int
    line: Line
    position: Position
    fault: NoTurn | None


def play_game(
    game: Game,
    deck: Deck,
    players: Sequence[Player],
    rules: GameRules,
    witness: Callable[[Played], object] = lambda _: None,
    *,
    most: int | None = None,
) -> Position:
    """Let players play a game to its end, or ``most`` turns of it.

    Args:
        game: Its headings.
        deck: The terrain cards.
        players: Players 1 and so on.
        rules: The rules.
        witness: Told of each turn; what it raises ends the game.
        most: The most turns that are played.

    Raises:
        RuleError: The user's rules cannot be used, or allow no turn at all.
    """
    position = begin_game(game, rules)
    hands = [deck.draw() for _ in players]
    while not position.finished and position.turns != most:
        seat = position.mover
        request = Request(game, position, (hands[seat - 1],))
        played = _play(request, deck, players[seat - 1], rules)
        hands[seat - 1] = deck.draw()
        witness(played)
        position = played.position
    return position


def _play(request: Request, deck: Deck, player: Player, rules: GameRules) -> Played:
    """Play a turn as the player says, or for him if that cannot be; all shown cards go back."""
    mover, fault = request.position.mover, None
    deck.discard(request.terrains[0])
    # By twice as many draws as there are cards, each of them has been drawn.
    for _ in range(2 * len(deck) + 1):
        parts: Sequence[Part] = ()
        outcome: Position | Refusal | None = None
        if fault is None:
            try:
                parts = player(request)
                outcome = judge_turn(request, parts, rules)
            except NoTurn as error:
                fault = error
        if fault is not None:
            parts = _place_anywhere(request, rules)
            outcome = _try(request, parts, rules)
            if isinstance(outcome, Refusal) and not outcome.awaits_card:
                raise RuleError(f"the rules refuse what they have called legal: {outcome}")
        if not isinstance(outcome, Refusal):
            assert outcome is not None
            return Played(mover, join_line(request, parts), outcome, fault)
        card = deck.draw()
        deck.discard(card)
        terrains = (*request.terrains, card)
        request = replace(request, terrains=terrains, done=(*request.done, *parts))
    turn = request.position.turns + 1
    raise RuleError(f"turn {turn}: no card is left by which player {mover} could build")


def judge_turn(request: Request, parts: Sequence[Part], rules: GameRules) -> Position | Refusal:
    """Judge what a player says in a turn.

    Returns:
        The game after it, or that it is legal so far but awaits a further card.

    Raises:
        NoTurn: It is illegal.
    """
    outcome = _try(request, parts, rules)
    if isinstance(outcome, Refusal) and not outcome.awaits_card:
        raise NoTurn("illegal", f"made an illegal turn: {outcome}")
    return outcome


def _try(request: Request, parts: Sequence[Part], rules: GameRules) -> Position | Refusal:
    return play_turn(request.position, join_line(request, parts), rules)


def join_line(request: Request, parts: Sequence[Part]) -> Line:
    """Join what was done in a turn before to what is said now."""
    return Line(None, request.terrains, tuple(join_parts([*request.done, *parts])))


def _place_anywhere(request: Request, rules: GameRules) -> list[Part]:
    """Do what has to be done: the mandatory action, on the first legal hexes in reading order."""
    parts: list[Part] = []
    while True:
        moment = request.position.moment(request.terrains, (*request.done, *parts))
        moves = [part for part in list_legal(moment, rules).moves if part.name == "mandatory"]
        if not moves:
            return parts
        parts.append(min(moves, key=lambda part: part.targets[0][1]))
