"""A match of the published game: it is dealt, and its turns are judged."""

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
    """Read names of cards; those that pay in every game may be among them."""
    known = [*names.chosen, *sorted(names.in_game - names.always)]
    spelt = {name.lower(): name for name in (*known, *names.always)}
    chosen = (words or "").replace(",", " ").split()
    for word in chosen:
        if word.lower() not in spelt:
            listed = describe_list(known) + guess(word, known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: {listed}")
    wanted = dict.fromkeys(spelt[word.lower()] for word in chosen)
    return [name for name in wanted if name not in names.always]


def choose_queenies(words: str | None, names: Names) -> list[str]:
    """Read the names of small sets, each once."""
    chosen = {*(words or "").lower().replace(",", " ").split()}
    if wrong := chosen.difference(names.headings):
        there = f"there is no {visible(min(wrong))!r}: {describe_list([*names.headings])}"
        raise InputError("--queenies", there)
    return sorted(chosen)


def deal_game(
    names: Names, words: Sequence[str], players: int, random: Random, cards: Sequence[str] = ()
) -> GameRecord:
    """Set up a game on four quadrants such as ``farm/180``; cards are drawn if none are given."""
    quadrants = tuple(find_quadrants(words, names.quadrants))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"it has four quadrants, {sample}, not {len(quadrants)}")
    spaces = find_spaces(quadrants, names.notation)
    # What pays in the game comes with the nomads.
    deck = [*names.chosen, *(sorted(names.in_game - names.always) if spaces else ())]
    chosen = cards or sorted(random.sample(deck, min(names.dealt, len(deck))))
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


# The state of the generator, the pile, and what was discarded.
SavedDeck: TypeAlias = tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]


class Deck:
    """The terrain cards: a pile to draw from, and what was discarded, which is the next pile."""

    def __init__(self, cards: Sequence[str], random: Random) -> None:
        """Make a pile of the cards, which is shuffled when the first one is drawn."""
        self._random, self._discarded = random, list(cards)
        self._pile: list[str] = []

    def save(self) -> SavedDeck:
        """Save which cards lie where, and what is drawn next."""
        return self._random.getstate(), tuple(self._pile), tuple(self._discarded)

    def restore(self, saved: SavedDeck) -> None:
        """Return to what was saved."""
        drawn, pile, discarded = saved
        self._random.setstate(drawn)
        self._pile = list(pile)
        self._discarded = list(discarded)

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
    """A match of the published game: while further cards are due, a turn takes several answers."""

    keeps_told = False

    def __init__(self, rules: GameRules, game: GameRecord, deck: Deck, card: str = "") -> None:
        """Go on with a game after its lines, perhaps by a given card."""
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
        # What a user's rules refuse, they may still list.
        self._lists_legal = not rules.has_user_files()
        self._hands = [deck.draw() for _ in range(game.players)]
        self._result: tuple[int, dict[str, Any]] | None = None
        own_card = self._hands[self.mover - 1]
        self._open(card or own_card)

    def _open(self, card: str) -> None:
        """Begin a turn by showing a card."""
        self._cards: tuple[str, ...] = (card,)
        self._done: tuple[Action, ...] = ()
        self._held: tuple[Action, ...] = ()  # what a person has said, but may take back
        self._plays_for = False  # whether the rest of the turn is the referee's
        self._listed: str | None = None  # an answer that the rules have listed, to the turn's end
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
        constants = dict(self._rules.changes.constants)
        return write_request(self._game, self._state, self._cards, self._done, constants)

    def answer(self, line: str) -> Turn:
        """Play actions; the record of a turn that awaits a further card is empty."""
        try:
            actions: Sequence[Action] = read_answer(line, self._names)
        except KbScoreError as error:
            reason = getattr(error, "message", str(error))
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        while True:
            joined = join_actions([*self._done, *actions])
            now = replace(self._said(), actions=tuple(joined))
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
        """Save the match, in which a turn may await a further card."""
        return _SavedTable(
            deck=self._deck.save(),
            state=self._state,
            lines=tuple(self._lines),
            hands=tuple(self._hands),
            cards=self._cards,
            done=self._done,
        )

    def restore(self, saved: object) -> None:
        """Return to what was saved."""
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

    def _said(self) -> Line:
        """Make the line of the turn as far as it was said when its newest card came."""
        return Line(None, self._cards, self._done).drawn_now()

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
        self._listed = None

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
        state, now = self._state, self._said()
        now = replace(now, actions=(*now.actions, *actions))
        over = f"the game is over after turn {state.turns}" if state.finished else ""
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
        """Give the position as it is now."""
        found = self._find(self._held)
        # What is held has not been judged yet.
        return replace(found, is_legal=found.is_legal and not self._held)

    def hold(self, parts: Sequence[str]) -> str:
        """Take some actions for said; one that repeats the last one with more hexes replaces it."""
        self._held = ()
        for action in (one for part in parts for one in read_answer(part, self._names)):
            begun = Action(action.name, action.targets[:-1])
            goes_on = bool(begun.targets) and begun in self._held[-1:]
            held = self._held[:-1] if goes_on else self._held
            self._held = tuple(join_actions((*held, action)))
        return write_actions(self._held)

    def can_end_turn(self) -> bool:
        """Return whether the turn may end, or a further card be drawn, after what is held."""
        after = play_turns(self._state, [self._say_held()], self._rules)
        return not isinstance(after, Refusal) or after.awaits_card

    def _say_held(self) -> Line:
        """Make the line of the turn with what is held."""
        said = self._said()
        actions = join_actions((*said.actions, *self._held))
        return replace(said, actions=tuple(actions))

    def choose(self, random: Random, extra: float = _EXTRA) -> str:
        """Draw an answer, action by action; ``extra`` is how likely a tile is used."""
        actions: list[Action] = []
        while True:
            legal = self._find(actions).choices()
            if legal.further and (not legal.moves or random.random() < extra):
                actions[-1] = random.choice(legal.further)
            elif moves := _choose_kind(legal, random, extra):
                actions.append(random.choice(moves))
                if legal.ends_turn and actions[-1].name == "mandatory":
                    break
            else:
                break
        answer = write_actions(actions)
        # Of several cards the newest may be left without a settlement, and that is judged.
        if len(self._cards) == 1 and self._lists_legal and not legal.needs_card:
            self._listed = answer
        return answer

    def picture(self) -> TextBoard:
        """Make the board as people see it: of a hex with a settlement or a wall, that alone."""
        state = self._state
        line = self._say_held()
        if line.actions:
            after = play_turns(state, [line], self._rules, is_open=True)
            if not isinstance(after, Refusal):
                state = after
        rows = draw_state(state, self._game.notation).rows
        return TextBoard(["".join(hex_[-1] for hex_ in row) for row in rows], hexes=True)

    def result(self) -> dict[str, Any]:
        """Count the gold of each player, as in a game that ends here."""
        if self._result is None or self._result[0] != self.turn:
            game = replace(self._game, lines=tuple(self._lines), claimed=None)
            self._result = self.turn, dict(judge_game(game, self._rules).result)
        return dict(self._result[1])

    def opening(self) -> str:
        """Write the headings."""
        return write_headings(self._game, self._rules)

    def closing(self) -> str:
        """Write the gold of all players."""
        return f"gold {' '.join(map(str, self.result()['gold']))}\n" if self.finished else ""

    def notes(self) -> str:
        """Name the cards that pay, the settlements that are left, and the mover's tiles."""
        game, state = self._game, self._state
        tiles = [str(tile) for tile in state.tiles if tile.player == self.mover]
        left = ", ".join(map(str, state.left))
        cards, held = ", ".join(game.cards), "; ".join(tiles) or "none"
        return f"cards {cards}; settlements left {left}; tiles to use: {held}"

    def help(self) -> str:
        """Say what the cards pay, and where tiles lie."""
        rules = load_rules(self._rules)
        paying = rules.list_cards(self._game.cards)
        lines = [f"{card.name}: {card.text}" for card in rules.cards if card.name in paying]
        lying = [tile for tile in self._state.tiles if not tile.player]
        return "\n".join([*lines, *(f"tiles to get: {tile.number} {tile}" for tile in lying)])

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


def begin_match(rules: GameRules, setup: MatchSetup, random: Random) -> KingdomBuilderMatch:
    """Deal a game; an InputError if there is no such board or card."""
    names, settings = load_names(rules), setup.settings
    cards = choose_cards(settings["cards"], names)
    game = deal_game(names, settings["board"].split(), setup.players, random, cards)
    words = choose_queenies(settings.get("queenies"), names)
    game = replace(place_queenies(rules, game, words, random), labels=Labels(names=setup.names))
    return KingdomBuilderMatch(rules, game, Deck(names.deck, random))


def place_queenies(
    rules: GameRules, game: GameRecord, words: Collection[str], random: Random
) -> GameRecord:
    """Draw where capitols or caves are, one in each quadrant that may have one."""
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
            chosen = tuple(random.choice(places) for places in offered.values())
            found.append(Placed(word, kind, chosen))
    return replace(game, placed=tuple(found))


def draw_setup(rules: GameRules, setup: MatchSetup, random: Random) -> MatchSetup:
    """Complete the setup of a random game: draw the board and the number of players."""
    given = dict(setup.settings)
    if not given["board"]:
        names = [quadrant.name for quadrant in load_names(rules).quadrants]
        chosen = random.sample(names, 4)
        given["board"] = " ".join(name + random.choice(["", "/180"]) for name in chosen)
    players = given.pop("players") or random.randint(2, MAX_PLAYERS)
    return replace(setup, settings=given, players=players)
