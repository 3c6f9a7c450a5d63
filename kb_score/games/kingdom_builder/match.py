"""Matches of the published game: they deal its cards and judge its turns."""

from __future__ import annotations

import shlex
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
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Hex, find_quadrants
from kb_score.games.kingdom_builder.bots import draw_state, write_request
from kb_score.games.kingdom_builder.position import (
    Choices,
    GameState,
    Refusal,
    Tile,
    TurnPosition,
    begin_game,
    play_record,
    play_turn,
)
from kb_score.games.kingdom_builder.records import (
    Action,
    Actions,
    Line,
    Names,
    find_files,
    find_spaces,
    hyphenate,
    join_actions,
    load_names,
    read_answer,
    read_hex,
    read_record,
    write_actions,
    write_hex,
    write_line,
)
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.match import Match, MatchSetup, Position, Turn
from kb_score.games.record import RecordJudge
from kb_score.games.texts import ReadText
from kb_score.shell.picture import TextBoard

_QUADRANTS = 4


def choose_cards(words: str | None, names: Names) -> list[str]:
    """Return the cards that a string names, each once, without those that pay in every game.

    Blanks or commas separate the names. An unknown card is an InputError.
    """
    known = [*names.chosen, *sorted(names.in_game - names.always)]
    spelt = {name.lower(): name for name in (*known, *names.always)}
    found: list[str] = []
    for word in _split_words(words):
        name = spelt.get(word.lower())
        if name is None:
            listed = describe_list(known) + guess(word, known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: use {listed}")
        if name not in names.always and name not in found:
            found.append(name)
    return found


def choose_queenies(words: str | None, names: Names) -> list[str]:
    """Return the small sets that a string names, each once, in alphabetical order.

    Blanks or commas separate the names. An unknown set is an InputError.
    """
    chosen = {word.lower() for word in _split_words(words)}
    unknown = chosen.difference(names.headings)
    if unknown:
        word = min(unknown)
        listed = describe_list([*names.headings])
        raise InputError("--queenies", f"there is no small set {visible(word)!r}: use {listed}")
    return sorted(chosen)


def _split_words(words: str | None) -> list[str]:
    """Return the words of a string, which blanks or commas separate."""
    if words is None:
        return []
    return words.replace(",", " ").split()


def deal_game(
    names: Names,
    words: Sequence[str],
    players: int,
    random: Random,
    cards: Sequence[str] = (),
    labels: Labels = NO_LABELS,
) -> str:
    """Return the headings of a game on four quadrants, with its cards and nomad tiles dealt.

    The words name four different quadrants, such as ``farm/180`` for one that is turned. The cards
    are drawn if none are given.
    """
    quadrants = tuple(find_quadrants(words, names.quadrants))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"expected four quadrants, {sample}, not {len(quadrants)}")
    spaces = find_spaces(quadrants, names.notation)
    deck = list(names.chosen)
    if spaces:
        # The cards that pay during the game belong to the nomads.
        deck += sorted(names.in_game - names.always)
    chosen = cards
    if not chosen:
        number = min(names.dealt, len(deck))
        chosen = sorted(random.sample(deck, number))
    tiles = random.sample(names.nomads, len(names.nomads))
    lines = [
        " ".join(["board", *map(str.lower, words)]),
        f"players {players}",
        "start 1",
        *(f"% player {player}: {name}" for player, name in sorted(labels.names.items())),
    ]
    if chosen:
        lines.insert(1, " ".join(["cards", *map(hyphenate, chosen)]))
    for space, tile in zip(spaces, tiles, strict=False):
        lines.append(f"nomad {write_hex(space)} {hyphenate(tile)}")
    return "".join(f"{line}\n" for line in lines)


# The state of the generator, the pile and the discarded cards.
SavedDeck: TypeAlias = tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]


class Deck:
    """The terrain cards: a pile to draw from, and the discarded cards, which form the next pile."""

    def __init__(self, cards: Sequence[str], random: Random) -> None:
        """Create a deck of terrains whose cards are shuffled when the first one is drawn."""
        self._random = random
        self._discarded = list(cards)
        self._pile: list[str] = []

    def save(self) -> SavedDeck:
        """Return the state of the deck, which decides all later draws."""
        state = self._random.getstate()
        return state, tuple(self._pile), tuple(self._discarded)

    def restore(self, saved: SavedDeck) -> None:
        """Set the deck to a state that `save` returned."""
        drawn, pile, discarded = saved
        self._random.setstate(drawn)
        self._pile = list(pile)
        self._discarded = list(discarded)

    def __len__(self) -> int:
        """The number of cards that can be drawn."""
        return len(self._pile) + len(self._discarded)

    def draw(self) -> str:
        """Remove a card from the deck and return it; the deck must not be empty."""
        if not self._pile:
            self._pile = self._discarded
            self._discarded = []
            self._random.shuffle(self._pile)
        return self._pile.pop()

    def discard(self, card: str) -> None:
        """Put a card on the discard pile."""
        self._discarded.append(card)


# The probability that a random player uses a tile where this is legal.
_EXTRA = 0.6


@dataclass(frozen=True, slots=True)
class _SavedTable:
    """What `KingdomBuilderMatch.save` returns."""

    deck: SavedDeck
    state: GameState
    lines: tuple[str, ...]
    hands: tuple[str, ...]
    cards: tuple[str, ...]
    done: Actions


class KingdomBuilderMatch(Match):
    """A match of the published game.

    A turn takes several answers if the player needs further cards.
    """

    keeps_told = False

    def __init__(
        self, rules: GameRules, headings: str, deck: Deck, turns: Sequence[str] = (), card: str = ""
    ) -> None:
        """Continue a game after its turns; one that breaks the rules is an InputError.

        Args:
            headings: The beginning of the record.
            deck: The terrain cards, from which each player draws one.
            turns: The lines of the turns so far; without any, the match starts at the beginning.
            card: The terrain card of the first turn; if empty, the card that the mover drew.
        """
        self._rules = rules
        self._names = load_names(rules)
        self._deck = deck
        self._headings = headings
        self._lines = list(turns)
        game = self._read()
        state: GameState | Refusal = begin_game(game, rules)
        if turns and not isinstance(state, Refusal):
            state = play_record(state, game, rules)
        if isinstance(state, Refusal):
            raise InputError("the game", f"the game breaks the rules: {state}")
        self._state = state
        # With rules of a user, a listed action may still be refused.
        self._lists_legal = not rules.has_user_files()
        self._hands = [deck.draw() for _ in state.left]
        self._result: tuple[int, dict[str, Any]] | None = None
        own_card = self._hands[self.mover - 1]
        self._open(card or own_card)

    def _read(self) -> ReadText:
        """Read the record so far."""
        return read_record("".join([self._headings, *self._lines]), self._rules)

    def _open(self, card: str) -> None:
        """Begin a turn by showing a card."""
        self._cards: tuple[str, ...] = (card,)
        self._done: Actions = ()
        self._held: Actions = ()  # actions that a person has chosen and may take back
        self._is_referee_playing = False  # whether the referee plays the rest of the turn
        # An answer that the rules have listed and that completes the turn.
        self._listed: str | None = None
        self._deck.discard(card)

    @property
    def mover(self) -> int:
        """The player whose turn it is, from 1."""
        return self._state.mover

    @property
    def turn(self) -> int:
        """The number of turns that have been played."""
        return self._state.turns

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self._state.finished

    def tell(self) -> str:
        """Return the request for the mover: a line of JSON with all that the mover may know."""
        constants = dict(self._rules.changes.constants)
        return write_request(self._names, self._state, self._cards, self._done, constants)

    def answer(self, line: str) -> Turn:
        """Play the actions of an answer.

        The record of the turn is empty while it waits for a further card.

        Raises:
            Fault: The answer cannot be read, or is illegal.
            RuleError: The rules refuse what they have listed as legal, or no card is left that
                lets the player build.
        """
        try:
            actions: Sequence[Action] = read_answer(line, self._rules)
        except KbScoreError as error:
            reason = getattr(error, "message", str(error))
            raise Fault("garbage", f"gave an unreadable answer: {reason}") from error
        while True:
            joined = join_actions([*self._done, *actions])
            so_far = self._line_so_far()
            now = replace(so_far, actions=tuple(joined))
            is_legal = line == self._listed
            after = play_turn(self._state, now, self._rules, is_legal=is_legal)
            if not isinstance(after, Refusal):
                return self._close(now, after)
            if not after.awaits_card:
                if self._is_referee_playing:
                    raise RuleError(f"the rules refuse an answer they listed as legal: {after}")
                raise Fault("illegal", f"made an illegal turn: {after}")
            self._draw_further(actions)
            if not self._is_referee_playing:
                return Turn("")
            actions = self._place_anywhere()

    def save(self) -> object:
        """Return the state of the match, which may be in mid-turn, waiting for a card."""
        return _SavedTable(
            deck=self._deck.save(),
            state=self._state,
            lines=tuple(self._lines),
            hands=tuple(self._hands),
            cards=self._cards,
            done=self._done,
        )

    def restore(self, saved: object) -> None:
        """Set the match to a state that `save` returned."""
        assert isinstance(saved, _SavedTable)
        self._deck.restore(saved.deck)
        self._state = saved.state
        self._lines = list(saved.lines)
        self._hands = list(saved.hands)
        self._cards = saved.cards
        self._done = saved.done
        self._held = ()
        self._is_referee_playing = False
        self._listed = None
        self._result = None

    def _line_so_far(self) -> Line:
        """Return the turn as it was when its newest card was drawn."""
        return Line(self._cards, self._done).drawn_now()

    def _close(self, line: Line, state: GameState) -> Turn:
        """Finish the turn, draw the mover's next card and begin the next turn."""
        mover = self.mover
        self._state = state
        self._lines.append(write_line(mover, line))
        self._hands[mover - 1] = self._deck.draw()
        if not state.finished:
            next_card = self._hands[self.mover - 1]
            self._open(next_card)
        return Turn(self._lines[-1])

    def _draw_further(self, actions: Sequence[Action]) -> None:
        """Draw a further card for the turn after some actions."""
        # After twice as many draws as there are cards, each card has been drawn.
        if len(self._cards) > 2 * len(self._deck):
            number = self.turn + 1
            message = f"no card is left that lets player {self.mover} build"
            raise RuleError(f"turn {number}: {message}")
        card = self._deck.draw()
        self._deck.discard(card)
        self._cards = (*self._cards, card)
        self._done = (*self._done, *actions)
        self._listed = None

    def default(self, _fault: Fault) -> str:
        """Return the referee's answer in place of a faulty one.

        The referee then plays the turn to its end.
        """
        self._is_referee_playing = True
        actions = self._place_anywhere()
        return write_actions(actions)

    def _place_anywhere(self) -> list[Action]:
        """Return the mandatory actions that are due, each on the first legal hex."""
        actions: list[Action] = []
        while True:
            moves = self._find(actions).choices().moves
            owed = [action for action in moves if action.name == "mandatory"]
            if not owed:
                return actions
            actions.append(min(owed, key=lambda action: action.targets[0][1]))

    def _find(self, actions: Sequence[Action] = ()) -> TurnPosition:
        """Return the position after some more actions of the turn."""
        state = self._state
        so_far = self._line_so_far()
        now = replace(so_far, actions=(*so_far.actions, *actions))
        over = ""
        if state.finished:
            over = f"the game is over after turn {state.turns}"
        facts = {**state.board, **state.facts}
        hand = tuple(tile.kind for tile in self._list_own_tiles())
        return TurnPosition(
            rules=self._rules,
            facts=facts,
            line=now,
            name="answer",
            before=state.count,
            over=over,
            live=True,
            hand=hand,
            is_legal=self._lists_legal,
        )

    def _list_own_tiles(self) -> list[Tile]:
        """Return the tiles that the mover holds."""
        state = self._state
        return [tile for tile in state.tiles if tile.player == state.mover]

    def position(self) -> Position:
        """Return the current position, after the actions that are held."""
        found = self._find(self._held)
        if self._held:
            # The actions that are held have not been judged yet.
            return replace(found, is_legal=False)
        return found

    def hold(self, parts: Sequence[str]) -> str:
        """Hold actions in place of those held before, and return them as one answer.

        An action that repeats the previous one with one more hex replaces it.
        """
        self._held = ()
        for part in parts:
            for action in read_answer(part, self._rules):
                begun = Action(action.name, action.targets[:-1])
                held = self._held
                if begun.targets and held and held[-1] == begun:
                    held = held[:-1]
                joined = join_actions((*held, action))
                self._held = tuple(joined)
        return write_actions(self._held)

    def can_end_turn(self) -> bool:
        """Return whether the turn may end after the actions held, or a further card is due."""
        line = self._line_with_held()
        after = play_turn(self._state, line, self._rules)
        if isinstance(after, Refusal):
            return after.awaits_card
        return True

    def _line_with_held(self) -> Line:
        """Return the turn so far with the actions that are held."""
        so_far = self._line_so_far()
        actions = join_actions((*so_far.actions, *self._held))
        return replace(so_far, actions=tuple(actions))

    def choose(self, random: Random, extra: float = _EXTRA) -> str:
        """Return a random legal answer, drawn action by action.

        A tile is used with the probability ``extra`` where this is legal.
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
        # After a further card a turn may end without a settlement, so such an answer is judged.
        if len(self._cards) == 1 and self._lists_legal and not legal.needs_card:
            self._listed = answer
        return answer

    def picture(self) -> TextBoard:
        """Return the board as people see it; a settlement or a wall hides the terrain of its hex.

        The board shows the actions that are held, if they are legal.
        """
        state = self._state
        line = self._line_with_held()
        if line.actions:
            after = play_turn(state, line, self._rules, is_open=True)
            if not isinstance(after, Refusal):
                state = after
        board = draw_state(state, self._names.notation)
        rows: list[str] = []
        for row in board.rows:
            top_symbols = [hex_[-1] for hex_ in row]
            rows.append("".join(top_symbols))
        return TextBoard(rows, hexes=True)

    def result(self) -> dict[str, Any]:
        """Return the result as if the game ended now, with the gold of each player."""
        if self._result is None or self._result[0] != self.turn:
            verdict = RecordJudge(find_files(), {}).judge(self._rules, self._read(), "the game")
            self._result = (self.turn, dict(verdict.result))
        _, result = self._result
        return dict(result)

    def opening(self) -> str:
        """Return the headings of the record."""
        options = self._rules.changes.words()
        if not options:
            return self._headings
        return f"% check with {visible(shlex.join(options))}\n{self._headings}"

    def closing(self) -> str:
        """Return the last line of the record, the gold of all players; empty before the end."""
        if not self.finished:
            return ""
        gold = " ".join(map(str, self.result()["gold"]))
        return f"gold {gold}\n"

    def notes(self) -> str:
        """Return a line with the cards, the settlements left and the mover's tiles."""
        cards = ", ".join(self._state.cards)
        left = ", ".join(map(str, self._state.left))
        held = "; ".join(map(str, self._list_own_tiles())) or "none"
        return f"cards {cards}; settlements left {left}; tiles to use: {held}"

    def help(self) -> str:
        """Return lines that describe what the cards pay and where tiles lie."""
        rules = load_rules(self._rules)
        paying = rules.list_cards(self._state.cards)
        lines: list[str] = []
        for card in rules.cards:
            if card.name in paying:
                lines.append(f"{card.name}: {card.text}")
        for tile in self._state.tiles:
            if not tile.player:
                lines.append(f"tiles to get: {tile.number} {tile}")
        return "\n".join(lines)

    def state(self) -> str:
        """Return a description of the turn: the player, the cards and the actions so far."""
        words = super().state()
        if self.finished:
            return words
        cards = "/".join(self._cards)
        done = ""
        if self._done:
            done = f", done: {write_actions(self._done)}"
        return f"{words}, player {self.mover}, card {cards}{done}"


def _choose_kind(legal: Choices, random: Random, extra: float) -> list[Action]:
    """Return the legal moves of a randomly chosen kind; an empty list ends the turn."""
    kinds = sorted({move.name for move in legal.moves} - {"mandatory"})
    owed = [move for move in legal.moves if move.name == "mandatory"]
    if not kinds or random.random() >= extra:
        return owed
    kind = random.choice(kinds)
    return [move for move in legal.moves if move.name == kind]


def begin_match(rules: GameRules, setup: MatchSetup, random: Random) -> KingdomBuilderMatch:
    """Return a new match of a game that is dealt according to a setup."""
    names = load_names(rules)
    settings = setup.settings
    cards = choose_cards(settings["cards"], names)
    quadrants = settings["board"].split()
    labels = Labels(names=setup.names)
    headings = deal_game(names, quadrants, setup.players, random, cards, labels)
    words = choose_queenies(settings.get("queenies"), names)
    headings += place_queenies(rules, headings, words, random)
    return KingdomBuilderMatch(rules, headings, Deck(names.deck, random))


def place_queenies(rules: GameRules, headings: str, words: Collection[str], random: Random) -> str:
    """Return headings for capitols or caves at random places, one in each quadrant that allows it.

    The words are the headings of the small sets.
    """
    names = load_names(rules)
    game = read_record(headings, rules)
    rows: Sequence[tuple[Any, ...]] = game.facts["terrain"]
    lines: list[str] = []
    for word in words:
        terrain, kind = names.headings[word]
        spots = [(row, column) for found, row, column in rows if found == Name(terrain)]
        silent_rules = replace(rules, warn=None)
        facts = {**game.facts, "lies_on": [(Name(kind), hex_) for hex_ in spots]}
        answer = silent_rules.ask(asp.PLACES, facts)
        offered: dict[int, list[Hex]] = {}
        for _, quadrant, place in sorted(answer["offers"]):
            places = offered.setdefault(quadrant, [])
            places.append(read_hex(place))
        chosen = [write_hex(random.choice(places)) for places in offered.values()]
        if chosen:
            lines.append(" ".join([hyphenate(word), *chosen]))
    return "".join(f"{line}\n" for line in lines)


def draw_setup(rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
    """Return a setup whose board and number of players are drawn where they are missing."""
    given = dict(setup.settings)
    if not given["board"]:
        names = [quadrant.name for quadrant in load_names(rules).quadrants]
        words: list[str] = []
        for name in random.sample(names, _QUADRANTS):
            angle = random.choice(["", "/180"])
            words.append(name + angle)
        given["board"] = " ".join(words)
    players = given.pop("players")
    if not players:
        players = random.randint(2, MAX_PLAYERS)
    return replace(setup, settings=given, players=players)
