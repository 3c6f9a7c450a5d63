"""Games by chance: players who do anything that is legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.check import check_game
from kb_score.games.kingdom_builder.play.deal import Deck, choose_cards, deal_game, open_box
from kb_score.games.kingdom_builder.play.legal import list_legal
from kb_score.games.kingdom_builder.play.names import load_names
from kb_score.games.kingdom_builder.play.referee import play_game
from kb_score.games.kingdom_builder.play.text import write_headings, write_line
from kb_score.games.kingdom_builder.quadrants import read_quadrants
from kb_score.games.playouts import Playout, make_playouts, most_turns_option

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.game import Part
    from kb_score.games.kingdom_builder.play.legal import Choices
    from kb_score.games.kingdom_builder.play.referee import Played, Request


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """A player who draws what he does from all that is legal.

    Attributes:
        random: What he draws with.
        rules: The rules, which say what is legal.
        extra: How likely he is to use a tile, if he may.
    """

    random: Random
    rules: GameRules
    extra: float = 0.6

    def __call__(self, request: Request) -> Sequence[Part]:
        """Play a turn."""
        parts: list[Part] = []
        while True:
            moment = request.position.moment(request.terrains, (*request.done, *parts))
            legal = list_legal(moment, self.rules)
            if legal.further and (not legal.moves or self._likes()):
                parts[-1] = self.random.choice(legal.further)
            elif moves := self._choose_kind(legal):
                parts.append(self.random.choice(moves))
            else:
                return parts

    def _choose_kind(self, legal: Choices) -> list[Part]:
        """Choose what is done next, and list the moves of that kind; none to end the turn."""
        kinds = sorted({move.name for move in legal.moves} - {"mandatory"})
        owed = [move for move in legal.moves if move.name == "mandatory"]
        if not kinds or not self._likes():
            return owed
        kind = self.random.choice(kinds)
        return [move for move in legal.moves if move.name == kind]

    def _likes(self) -> bool:
        return self.random.random() < self.extra


def play_randomly(
    rules: GameRules,
    random: Random,
    *,
    board: str | None,
    cards: str | None,
    players: int | None,
    most_turns: int,
) -> Playout:
    """Play a game of random legal turns; what is not given is drawn as well.

    Raises:
        KbScoreError: There is no such board or card, or the user's rules cannot be used.
    """
    box = open_box(rules)
    words = board.split() if board else _draw_quadrants(random)
    number = players or random.randint(2, MAX_PLAYERS)
    chosen = choose_cards(cards, box, load_names(rules))
    game = deal_game(box, words, number, random, chosen)
    record = [write_headings(game, words, rules.changes)]

    def witness(played: Played) -> None:
        record.append(write_line(played.player, played.line))

    seats = [RandomPlayer(random, rules)] * number
    end = play_game(game, Deck(box.terrains, random), seats, rules, witness, most=most_turns)
    result = check_game("".join(record), rules).result
    if not end.finished:
        return Playout("".join(record), result, f"the game is not over after {end.turns} turns")
    record.append("gold {}\n".format(" ".join(map(str, result["gold"]))))
    return Playout("".join(record), result)


def _draw_quadrants(random: Random) -> list[str]:
    names = [quadrant.name for quadrant in read_quadrants()]
    return [name + random.choice(["", "/180"]) for name in random.sample(names, 4)]


cards_option = click.option(
    "--cards", metavar="NAMES", help="The cards that pay, by name  [default: three at random]."
)
_board_option = click.option(
    "--board",
    metavar="QUADRANTS",
    help="The four quadrants, each with /180 if it is turned  [default: random].",
)
_players_option = click.option(
    "--players",
    type=click.IntRange(1, MAX_PLAYERS),
    metavar="N",
    help="The number of players  [default: 2 to 5].",
)

playouts = make_playouts(
    "kingdom_builder",
    play_randomly,
    options=(_board_option, cards_option, _players_option, most_turns_option),
    help_="""Random legal games of the published rules.

    All players draw what they do from what is legal: hexes, and tiles that they hold. The board,
    the cards and the number of players are drawn, too, unless they are given.
    """,
    example="kingdom-builder --players 3 --seed 7 --games 10 -o games",
)
