"""Matches of the published game: dealing a game, and judging its turns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Name
from kb_score.errors import (
    Fault,
    InputError,
    KbScoreError,
    RuleError,
    describe_list,
    guess,
    visible,
)
from kb_score.games.game import Match, MatchSetup, Position, Turn
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Hex, find_quadrants
from kb_score.games.kingdom_builder.bots import draw_state, write_request
from kb_score.games.kingdom_builder.check import judge_game
from kb_score.games.kingdom_builder.position import (
    Choices,
    GameState,
    Refusal,
    TurnPosition,
    begin_game,
    play_turns,
)
from kb_score.games.kingdom_builder.records import (
    Action,
    GameRecord,
    Line,
    Names,
    Placed,
    find_spaces,
    join_actions,
    load_names,
    read_answer,
    read_hex,
    write_actions,
    write_headings,
    write_line,
)
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.labels import Labels
from kb_score.shell.picture import TextBoard

_QUADRANTS = 4


def choose_cards(words: str | None, names: Names) -> list[str]:
    """Read names of cards, each once, in any case; cards that pay in every game are left out.

    Raises:
        InputError: There is no such card.
    """
    known = [*names.chosen, *sorted(names.in_game - names.always)]
    spelt = {name.lower(): name for name in (*known, *names.always)}
    chosen: list[str] = []
    for word in (words or "").replace(",", " ").split():
        name = spelt.get(word.lower())
        if name is None:
            listed = describe_list(known) + guess(word, known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: {listed}")
        if name not in names.always and name not in chosen:
            chosen.append(name)
    return chosen


def choose_queenies(words: str | None, names: Names) -> list[str]:
    """Read the names of small expansions, each once, in alphabetical order.

    Raises:
        InputError: There is no such expansion.
    """
    chosen = {*(words or "").lower().replace(",", " ").split()}
    unknown = chosen.difference(names.headings)
    if unknown:
        listed = describe_list([*names.headings])
        raise InputError("--queenies", f"there is no {visible(min(unknown))!r}: {listed}")
    return sorted(chosen)


def deal_game(
    names: Names, words: Sequence[str], players: int, random: Random, cards: Sequence[str] = ()
) -> GameRecord:
    """Set up a game on four quadrants.

    Args:
        names: The names that the rules know.
        words: The names of the quadrants, such as ``farm/180``.
        players: The number of players.
        random: Draws the cards and the nomad tiles.
        cards: The cards that pay; they are drawn if there are none.

    Raises:
        InputError: There is no such quadrant, or there are not four of them.
    """
    quadrants = tuple(find_quadrants(words, names.quadrants))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"it has four quadrants, {sample}, not {len(quadrants)}")
    spaces = find_spaces(quadrants, names.notation)
    deck = list(names.chosen)
    # Cards that pay during the game belong to the Nomads expansion.
    if spaces:
        deck += sorted(names.in_game - names.always)
    chosen = cards
    if not chosen:
        count = min(names.dealt, len(deck))
        chosen = sorted(random.sample(deck, count))
    tiles = random.sample(names.nomads, len(names.nomads))
    return GameRecord(
        name="live game",
        quadrants=quadrants,
        players=players,
        start=1,
        cards=tuple(chosen),
        nomads=tuple(zip(spaces, tiles, strict=False)),
        notation=names.notation,
    )


# The state of the random generator, the pile, and the discarded cards.
SavedDeck: TypeAlias = tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]


class Deck:
    """The terrain cards: a pile to draw from, and the discarded cards, which are the next pile."""

    def __init__(self, cards: Sequence[str], random: Random) -> None:
        """Make a pile of the cards; it is shuffled when the first one is drawn."""
        self._random = random
        self._discarded = list(cards)
        self._pile: list[str] = []

    def save(self) -> SavedDeck:
        """Return the order of the cards and the state of the random generator."""
        return self._random.getstate(), tuple(self._pile), tuple(self._discarded)

    def restore(self, saved: SavedDeck) -> None:
        """Return to a state that `save` has returned."""
        random_state, pile, discarded = saved
        self._random.setstate(random_state)
        self._pile = list(pile)
        self._discarded = list(discarded)

    def __len__(self) -> int:
        """The number of cards that can be drawn."""
        return len(self._pile) + len(self._discarded)

    def draw(self) -> str:
        """Draw a card; there must be one in the pile or among the discarded cards."""
        if not self._pile:
            self._pile = self._discarded
            self._discarded = []
            self._random.shuffle(self._pile)
        return self._pile.pop()

    def discard(self, card: str) -> None:
        """Discard a card that was shown."""
        self._discarded.append(card)


# The probability that a random player uses a tile, if that is legal.
_EXTRA = 0.6


@dataclass(frozen=True, slots=True)
class _SavedTable:
    """What `KingdomBuilderMatch.save` returns."""

    deck: SavedDeck
    state: GameState
    lines: tuple[Line, ...]
    hands: tuple[str, ...]
    cards: tuple[str, ...]
    done: tuple[Action, ...]


class KingdomBuilderMatch(Match):
    """A match of the published game.

    A turn takes several answers if the rules ask for further terrain cards.
    """

    keeps_told = False

    def __init__(self, rules: GameRules, game: GameRecord, deck: Deck, card: str = "") -> None:
        """Continue a game after its last line.

        Args:
            rules: The rules of the match.
            game: The game so far.
            deck: The terrain cards.
            card: The terrain card of the next turn; by default the one in the mover's hand.

        Raises:
            InputError: The rules refuse the game.
        """
        self._rules = rules
        self._names = load_names(rules)
        self._deck = deck
        self._game = game
        self._lines = list(game.lines)
        state: GameState | Refusal = begin_game(game, rules)
        if game.lines and not isinstance(state, Refusal):
            state = play_turns(state, game.lines, rules)
        if isinstance(state, Refusal):
            raise InputError(game.name, f"the rules refuse it: {state}")
        self._state = state
        # The rules of a user may list a move that they refuse.
        self._lists_legal = not rules.has_user_files()
        self._hands = [deck.draw() for _ in range(game.players)]
        self._result: tuple[int, dict[str, Any]] | None = None
        own_card = self._hands[self.mover - 1]
        self._open(card or own_card)

    def _open(self, card: str) -> None:
        """Begin a turn by showing a card."""
        self._cards: tuple[str, ...] = (card,)
        self._done: tuple[Action, ...] = ()
        self._held: tuple[Action, ...] = ()  # actions that a person may still take back
        self._plays_for = False  # whether the referee plays the rest of the turn
        self._listed: str | None = None  # an answer that the rules have listed as legal
        self._deck.discard(card)

    @property
    def mover(self) -> int:
        """The player whose turn it is."""
        return self._state.mover

    @property
    def turn(self) -> int:
        """The number of turns played."""
        return self._state.turns

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self._state.finished

    def tell(self) -> str:
        """Return the request to the mover: everything that the mover may know."""
        constants = dict(self._rules.changes.constants)
        return write_request(self._game, self._state, self._cards, self._done, constants)

    def answer(self, line: str) -> Turn:
        """Play the actions of an answer.

        Returns:
            The turn; its record is empty while it awaits a further card.

        Raises:
            Fault: The answer cannot be read, or the turn is illegal.
            RuleError: No card is left, or the rules contradict themselves.
        """
        try:
            actions: Sequence[Action] = read_answer(line, self._names)
        except KbScoreError as error:
            reason = getattr(error, "message", str(error))
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        while True:
            joined = join_actions([*self._done, *actions])
            now = replace(self._begin_line(), actions=tuple(joined))
            is_legal = line == self._listed
            after = play_turns(self._state, [now], self._rules, is_legal=is_legal)
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

    def save(self) -> object:
        """Return the state of the match, even if its turn awaits a further card."""
        return _SavedTable(
            deck=self._deck.save(),
            state=self._state,
            lines=tuple(self._lines),
            hands=tuple(self._hands),
            cards=self._cards,
            done=self._done,
        )

    def restore(self, saved: object) -> None:
        """Return to a state that `save` has returned."""
        assert isinstance(saved, _SavedTable)
        self._deck.restore(saved.deck)
        self._state = saved.state
        self._lines = list(saved.lines)
        self._hands = list(saved.hands)
        self._cards = saved.cards
        self._done = saved.done
        self._held = ()
        self._plays_for = False
        self._listed = None
        self._result = None

    def _begin_line(self) -> Line:
        """Return the line of the turn up to its newest card."""
        return Line(None, self._cards, self._done).drawn_now()

    def _close(self, line: Line, state: GameState) -> Turn:
        mover = self.mover
        self._state = state
        self._lines.append(line)
        self._hands[mover - 1] = self._deck.draw()
        if not state.finished:
            self._open(self._hands[self.mover - 1])
        return Turn(write_line(mover, line))

    def _draw_further(self, actions: Sequence[Action]) -> None:
        # After twice as many draws as there are cards, each of them has been drawn.
        if len(self._cards) > 2 * len(self._deck):
            message = f"no card is left by which player {self.mover} could build"
            raise RuleError(f"turn {self.turn + 1}: {message}")
        card = self._deck.draw()
        self._deck.discard(card)
        self._cards = (*self._cards, card)
        self._done = (*self._done, *actions)
        self._listed = None

    def default(self, _fault: Fault) -> str:
        """Return the referee's answer; the referee then plays the turn to its end."""
        self._plays_for = True
        return write_actions(self._place_anywhere())

    def _place_anywhere(self) -> list[Action]:
        """Return mandatory actions on the first legal hexes, as long as one is due."""
        actions: list[Action] = []
        while True:
            moves = self._find(actions).choices().moves
            owed = [action for action in moves if action.name == "mandatory"]
            if not owed:
                return actions
            actions.append(min(owed, key=lambda action: action.targets[0][1]))

    def _find(self, actions: Sequence[Action] = ()) -> TurnPosition:
        """Return the position after further actions of the turn."""
        state = self._state
        now = self._begin_line()
        now = replace(now, actions=(*now.actions, *actions))
        over = ""
        if state.finished:
            over = f"the game is over after turn {state.turns}"
        facts = {**state.board, **state.facts}
        hand = tuple(tile.kind for tile in state.tiles if tile.player == state.mover)
        return TurnPosition(
            self._rules,
            facts,
            (now,),
            "answer",
            state.turns,
            over=over,
            live=True,
            hand=hand,
            is_legal=self._lists_legal,
        )

    def position(self) -> Position:
        """Return the present position, after the actions that a person has held."""
        found = self._find(self._held)
        # The held actions have not been judged yet.
        return replace(found, is_legal=found.is_legal and not self._held)

    def hold(self, parts: Sequence[str]) -> str:
        """Hold the actions of some answers; return them as one answer.

        An action that repeats the last one with one more hex replaces it.

        Raises:
            FormatError: An answer cannot be read.
        """
        self._held = ()
        for part in parts:
            for action in read_answer(part, self._names):
                self._hold_action(action)
        return write_actions(self._held)

    def _hold_action(self, action: Action) -> None:
        held = self._held
        shorter = Action(action.name, action.targets[:-1])
        if shorter.targets and held and held[-1] == shorter:
            held = held[:-1]
        self._held = tuple(join_actions((*held, action)))

    def can_end_turn(self) -> bool:
        """Return whether the turn may end, or a further card be drawn, after the held actions."""
        line = self._add_held()
        after = play_turns(self._state, [line], self._rules)
        return not isinstance(after, Refusal) or after.awaits_card

    def _add_held(self) -> Line:
        """Return the line of the turn with the held actions."""
        line = self._begin_line()
        actions = join_actions((*line.actions, *self._held))
        return replace(line, actions=tuple(actions))

    def choose(self, random: Random, extra: float = _EXTRA) -> str:
        """Return a random legal answer.

        Args:
            random: Draws the actions, one by one.
            extra: The probability that a tile is used, if that is legal.
        """
        actions: list[Action] = []
        while True:
            legal = self._find(actions).choices()
            if legal.further and (not legal.moves or random.random() < extra):
                actions[-1] = random.choice(legal.further)
                continue
            moves = _choose_kind(legal, random, extra)
            if not moves:
                break
            action = random.choice(moves)
            actions.append(action)
            if legal.ends_turn and action.name == "mandatory":
                break
        answer = write_actions(actions)
        # With several cards, the newest may be left without a settlement: the rules judge that.
        if len(self._cards) == 1 and self._lists_legal and not legal.needs_card:
            self._listed = answer
        return answer

    def picture(self) -> TextBoard:
        """Return the board as people see it: a settlement or a wall hides its hex."""
        state = self._state
        line = self._add_held()
        if line.actions:
            after = play_turns(state, [line], self._rules, is_open=True)
            if not isinstance(after, Refusal):
                state = after
        rows: list[str] = []
        for row in draw_state(state, self._game.notation).rows:
            symbols = [hex_[-1] for hex_ in row]
            rows.append("".join(symbols))
        return TextBoard(rows, hexes=True)

    def result(self) -> dict[str, Any]:
        """Return the result, with the gold of each player as if the game ended here."""
        if self._result is None or self._result[0] != self.turn:
            game = replace(self._game, lines=tuple(self._lines), claimed=None)
            verdict = judge_game(game, self._rules)
            self._result = (self.turn, dict(verdict.result))
        _, result = self._result
        return dict(result)

    def opening(self) -> str:
        """Return the headings of the record."""
        return write_headings(self._game, self._rules)

    def closing(self) -> str:
        """Return the line with the gold of all players; an empty text before the end."""
        if not self.finished:
            return ""
        gold = " ".join(map(str, self.result()["gold"]))
        return f"gold {gold}\n"

    def notes(self) -> str:
        """Return the cards that pay, the settlements that are left, and the mover's tiles."""
        state = self._state
        cards = ", ".join(self._game.cards)
        left = ", ".join(map(str, state.left))
        tiles = [str(tile) for tile in state.tiles if tile.player == self.mover]
        held = "; ".join(tiles) or "none"
        return f"cards {cards}; settlements left {left}; tiles to use: {held}"

    def help(self) -> str:
        """Return what the cards pay, and which tiles are left to take."""
        rules = load_rules(self._rules)
        paying = rules.list_cards(self._game.cards)
        lines = [f"{card.name}: {card.text}" for card in rules.cards if card.name in paying]
        for tile in self._state.tiles:
            if not tile.player:
                lines.append(f"tiles to get: {tile.number} {tile}")
        return "\n".join(lines)

    def state(self) -> str:
        """Return whose turn it is, the cards of the turn, and the actions done in it."""
        state = super().state()
        if self.finished:
            return state
        cards = "/".join(self._cards)
        done = ""
        if self._done:
            done = f", done: {write_actions(self._done)}"
        return f"{state}, player {self.mover}, card {cards}{done}"


def _choose_kind(legal: Choices, random: Random, extra: float) -> list[Action]:
    """Choose the kind of the next action at random; return its moves, none to end the turn."""
    kinds = sorted({move.name for move in legal.moves} - {"mandatory"})
    owed = [move for move in legal.moves if move.name == "mandatory"]
    if not kinds or random.random() >= extra:
        return owed
    kind = random.choice(kinds)
    return [move for move in legal.moves if move.name == kind]


def begin_match(rules: GameRules, setup: MatchSetup, random: Random) -> KingdomBuilderMatch:
    """Deal a game.

    Raises:
        InputError: There is no such quadrant, card or expansion, or there are not four quadrants.
    """
    names = load_names(rules)
    settings = setup.settings
    cards = choose_cards(settings["cards"], names)
    game = deal_game(names, settings["board"].split(), setup.players, random, cards)
    words = choose_queenies(settings.get("queenies"), names)
    game = place_queenies(rules, game, words, random)
    game = replace(game, labels=Labels(names=setup.names))
    return KingdomBuilderMatch(rules, game, Deck(names.deck, random))


def place_queenies(
    rules: GameRules, game: GameRecord, words: Collection[str], random: Random
) -> GameRecord:
    """Draw the places of capitols or caves, one in each quadrant that may have one."""
    found: list[Placed] = []
    for word in words:
        terrain, kind = load_names(rules).headings[word]
        spots = find_spaces(game.quadrants, game.notation, terrain)
        silent_rules = replace(rules, warn=None)
        facts = {**game.facts, "lies_on": [(Name(kind), hex_) for hex_ in spots]}
        answer = silent_rules.ask(asp.PLACES, facts)
        offered: dict[int, list[Hex]] = {}
        for row in sorted(answer.read(asp.OffersRow)):
            places = offered.setdefault(row.quadrant, [])
            place = read_hex(row.place)
            places.append(place)
        if offered:
            chosen = [random.choice(places) for places in offered.values()]
            found.append(Placed(word, kind, tuple(chosen)))
    return replace(game, placed=tuple(found))


def draw_setup(rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
    """Complete the setup of a random game: draw the board and the number of players."""
    given = dict(setup.settings)
    if not given["board"]:
        names = [quadrant.name for quadrant in load_names(rules).quadrants]
        chosen = random.sample(names, _QUADRANTS)
        turned = [name + random.choice(["", "/180"]) for name in chosen]
        given["board"] = " ".join(turned)
    players = given.pop("players") or random.randint(2, MAX_PLAYERS)
    return replace(setup, settings=given, players=players)
