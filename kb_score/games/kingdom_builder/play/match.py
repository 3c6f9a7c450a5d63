"""The published game while it is played: dealt, its turns judged, and turns played for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.errors import Fault, InputError, KbScoreError, RuleError, describe_list, visible
from kb_score.games.game import Match, Position, Turn
from kb_score.games.kingdom_builder.board import find_quadrants, join_quadrants
from kb_score.games.kingdom_builder.bots import draw_state, write_request
from kb_score.games.kingdom_builder.play.check import judge_game
from kb_score.games.kingdom_builder.play.position import (
    Choices,
    GameState,
    Refusal,
    TurnPosition,
    begin_game,
    play_turns,
)
from kb_score.games.kingdom_builder.play.records import (
    Action,
    GameRecord,
    Line,
    Names,
    join_actions,
    load_names,
    read_answer,
    write_actions,
    write_headings,
    write_line,
)
from kb_score.games.kingdom_builder.rules import (
    BOX,
    Card,
    CardsDealtRow,
    ChosenRow,
    CopiesRow,
    DeedRow,
    TerrainCardsRow,
)
from kb_score.shell.picture import TextBoard

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from kb_score.engine.rules import GameRules

_QUADRANTS = 4


@dataclass(frozen=True, slots=True)
class Box:
    """What the box holds: the terrain of each terrain card, nomad tiles, and scoring cards."""

    terrains: tuple[str, ...]
    nomads: tuple[str, ...]
    cards: tuple[str, ...]  # those that pay at the end and may be chosen
    in_game: tuple[str, ...]  # those that pay in the game, which come with the nomads
    dealt: int  # with how many of both a game is played


def open_box(rules: GameRules) -> Box:
    """List what the box holds, as the rules have it."""
    answer = rules.ask(BOX, {"players": [(2,)]})
    always = {row.card for row in answer.read(ChosenRow)}
    (dealt,) = answer.read(CardsDealtRow)
    terrains, tiles = answer.read(TerrainCardsRow), answer.read(CopiesRow)
    return Box(
        terrains=tuple(row.terrain for row in sorted(terrains) for _ in range(row.number)),
        nomads=tuple(row.tile for row in sorted(tiles) for _ in range(row.number)),
        cards=tuple(sorted(row.name for row in answer.read(Card) if row.number)),
        in_game=tuple(sorted({row.name for row in answer.read(DeedRow)} - always)),
        dealt=dealt.number,
    )


def choose_cards(words: str | None, box: Box, names: Names) -> list[str]:
    """Read names of cards; those that pay in every game may be among them."""
    known = [*box.cards, *box.in_game]
    chosen = [w for w in (words or "").replace(",", " ").split() if w not in names.always]
    for word in chosen:
        if word not in known:
            listed = describe_list(known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: {listed}")
    return list(dict.fromkeys(chosen))


def deal_game(
    box: Box, words: Sequence[str], players: int, random: Random, cards: Sequence[str] = ()
) -> GameRecord:
    """Set up a game on four quadrants such as ``farm/180``; cards are drawn if none are given."""
    quadrants = tuple(find_quadrants(words))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"it has four quadrants, {sample}, not {len(quadrants)}")
    rows = join_quadrants(*quadrants)
    spaces = [(r, c) for r, row in enumerate(rows) for c, at in enumerate(row) if at == "O"]
    deck = [*box.cards, *(box.in_game if spaces else ())]
    chosen = cards or sorted(random.sample(deck, min(box.dealt, len(deck))))
    tiles = random.sample(box.nomads, len(box.nomads))
    return GameRecord(
        name="live game",
        quadrants=quadrants,
        players=players,
        start=1,
        cards=tuple(chosen),
        nomads=tuple(zip(spaces, tiles, strict=False)),
    )


class Deck:
    """The terrain cards: a pile to draw from, and what was discarded, which is the next pile."""

    def __init__(self, cards: Sequence[str], random: Random) -> None:
        """Make a pile of the cards, which is shuffled when the first one is drawn."""
        self._random, self._discarded = random, list(cards)
        self._pile: list[str] = []

    def __len__(self) -> int:
        """The number of cards that can be drawn."""
        return len(self._pile) + len(self._discarded)

    def draw(self) -> str:
        """Draw a card, of which there must be one."""
        if not self._pile:
            self._pile, self._discarded = self._discarded, []
            self._random.shuffle(self._pile)
        return self._pile.pop()

    def discard(self, card: str) -> None:
        """Take back a card that was shown."""
        self._discarded.append(card)


# How likely random players are to use a tile, if they may.
_EXTRA = 0.6


class KingdomBuilderMatch(Match):
    """A match of the published game: while further cards are due, a turn takes several answers."""

    keeps_told = False

    def __init__(self, rules: GameRules, game: GameRecord, deck: Deck, card: str = "") -> None:
        """Go on with a game after its lines, perhaps by a given card."""
        self._rules, self._names, self._deck = rules, load_names(rules), deck
        self._game, self._lines = game, list(game.lines)
        state: GameState | Refusal = begin_game(game, rules)
        if game.lines and not isinstance(state, Refusal):
            state = play_turns(state, game.lines, rules)
        if isinstance(state, Refusal):
            raise InputError(game.name, f"the rules refuse it: {state}")
        self._state = state
        self._hands = [deck.draw() for _ in range(game.players)]
        self._result: tuple[int, dict[str, Any]] | None = None
        self._open(card or self._hands[self.mover - 1])

    def _open(self, card: str) -> None:
        """Begin a turn by showing a card."""
        self._cards: tuple[str, ...] = (card,)
        self._done: tuple[Action, ...] = ()
        self._plays_for = False  # whether the rest of the turn is the referee's
        self._deck.discard(card)

    @property
    def mover(self) -> int:
        """The player who has the turn."""
        return self._state.mover

    @property
    def turn(self) -> int:
        """How many turns were played."""
        return self._state.turns

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self._state.finished

    def tell(self) -> str:
        """Write all that the mover may know."""
        return write_request(self._game, self._state, self._cards, self._done)

    def answer(self, line: str) -> Turn:
        """Play actions; the record of a turn that awaits a further card is empty."""
        try:
            actions: Sequence[Action] = read_answer(line, self._names)
        except KbScoreError as error:
            reason = getattr(error, "message", str(error))
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        while True:
            now = Line(None, self._cards, tuple(join_actions([*self._done, *actions])))
            after = play_turns(self._state, [now], self._rules)
            if not isinstance(after, Refusal):
                return self._close(now, after)
            if not after.awaits_card:
                if self._plays_for:
                    raise RuleError(f"the rules refuse what they have called legal: {after}")
                raise Fault("illegal", f"made an illegal turn: {after}")
            self._draw_further(actions)
            if not self._plays_for:
                return Turn("")
            actions = self._place_anywhere()

    def _close(self, line: Line, state: GameState) -> Turn:
        mover, self._state = self.mover, state
        self._lines.append(line)
        self._hands[mover - 1] = self._deck.draw()
        if not state.finished:
            self._open(self._hands[self.mover - 1])
        return Turn(write_line(mover, line))

    def _draw_further(self, actions: Sequence[Action]) -> None:
        # By twice as many draws as there are cards, each of them has been drawn.
        if len(self._cards) > 2 * len(self._deck):
            who = f"by which player {self.mover} could build"
            raise RuleError(f"turn {self.turn + 1}: no card is left {who}")
        card = self._deck.draw()
        self._deck.discard(card)
        self._cards, self._done = (*self._cards, card), (*self._done, *actions)

    def default(self, _fault: Fault) -> str:
        """Write what the referee plays, who then plays the turn to its end."""
        self._plays_for = True
        return write_actions(self._place_anywhere())

    def _place_anywhere(self) -> list[Action]:
        """Do what has to be done: the mandatory action, on the first legal hexes."""
        actions: list[Action] = []
        while True:
            moves = self._find(actions).choices().moves
            owed = [action for action in moves if action.name == "mandatory"]
            if not owed:
                return actions
            actions.append(min(owed, key=lambda action: action.targets[0][1]))

    def _find(self, actions: Sequence[Action] = ()) -> TurnPosition:
        """Find the position after some more actions of the turn."""
        state, now = self._state, Line(None, self._cards, (*self._done, *actions))
        over = f"the game is over after turn {state.turns}" if state.finished else ""
        facts = {**state.board, **state.facts}
        return TurnPosition(
            self._rules, facts, (now,), "answer", before=state.turns, over=over, live=True
        )

    def position(self) -> Position:
        """Give the position as it is now."""
        return self._find()

    def choose(self, random: Random, extra: float = _EXTRA) -> str:
        """Draw an answer, action by action; ``extra`` is how likely a tile is used."""
        actions: list[Action] = []
        while True:
            legal = self._find(actions).choices()
            if legal.further and (not legal.moves or random.random() < extra):
                actions[-1] = random.choice(legal.further)
            elif moves := _choose_kind(legal, random, extra):
                actions.append(random.choice(moves))
            else:
                return write_actions(actions)

    def picture(self) -> TextBoard:
        """Make the board as people see it: of a hex with a settlement or a wall, that alone."""
        rows = draw_state(self._state).rows
        return TextBoard(["".join(hex_[-1] for hex_ in row) for row in rows], hexes=True)

    def result(self) -> dict[str, Any]:
        """Count the gold of each player, as in a game that ends here."""
        if self._result is None or self._result[0] != self.turn:
            game = replace(self._game, lines=tuple(self._lines), claimed=None)
            self._result = self.turn, dict(judge_game(game, self._rules).result)
        return dict(self._result[1])

    def opening(self) -> str:
        """Write the headings."""
        return write_headings(self._game, self._rules.changes)

    def closing(self) -> str:
        """Write the gold of all players."""
        return f"gold {' '.join(map(str, self.result()['gold']))}\n" if self.finished else ""

    def state(self) -> str:
        """Say whose turn it is, by which cards, and what is done in it already."""
        if self.finished:
            return super().state()
        done = f", done: {write_actions(self._done)}" if self._done else ""
        return f"{super().state()}, player {self.mover}, card {'/'.join(self._cards)}{done}"


def _choose_kind(legal: Choices, random: Random, extra: float) -> list[Action]:
    """Choose what is done next, and list the moves of that kind; none to end the turn."""
    kinds = sorted({move.name for move in legal.moves} - {"mandatory"})
    owed = [move for move in legal.moves if move.name == "mandatory"]
    if not kinds or random.random() >= extra:
        return owed
    kind = random.choice(kinds)
    return [move for move in legal.moves if move.name == kind]
