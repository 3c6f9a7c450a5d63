"""Positions of a game: the state after its turns, and what a player may do next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from kb_score.engine.query import Query
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.terms import Facts, Name, Row, Term, Value
from kb_score.errors import InputError
from kb_score.games.game import Judged, Legal, find_turn, read_reason, refuse
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, Hex
from kb_score.games.kingdom_builder.records import (
    Action,
    ActionTarget,
    GameRecord,
    Line,
    line_facts,
    load_names,
    read_actions,
    read_answer,
    read_hex,
    tiles_of,
    write_action,
)
from kb_score.games.schema import IllegalRow, ViolationRow, read_result, write_sentence

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile that lies on a hex, or that a player has got there."""

    kind: str
    place: Hex
    player: int = 0  # who holds it; 0 for nobody
    number: int = 1  # how many such tiles lie there

    def __str__(self) -> str:
        kind = self.kind.replace("_", "-")
        place = write_sentence((self.place,))
        return f"{kind} of {place}"


@dataclass(frozen=True, slots=True)
class GameState:
    """A game between two turns."""

    cards: tuple[str, ...]  # the cards of the game
    board: Facts  # the board and the players, which stay
    facts: Facts  # what the next turn begins with
    turns: int  # how many were played
    mover: int  # whose turn is next
    finished: bool
    left: tuple[int, ...]  # the settlements that each player has left
    tiles: tuple[Tile, ...]  # those that lie there, and those that players may use next


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a turn cannot stand as it is: a code and a sentence."""

    code: str
    detail: str
    awaits_card: bool  # whether nothing is wrong, but a further card is to be drawn

    def __str__(self) -> str:
        return f"{self.code}, {self.detail}"


def begin_game(game: GameRecord, rules: GameRules) -> GameState:
    """Set up a game by its headings, without its turns; a RuleError if the rules refuse them."""
    facts = replace(game, lines=(), claimed=None).facts
    board = {name: tuple(rows) for name, rows in facts.items() if rows}
    use = in_play(asp.LIVE, rules, game.cards, board)
    answer = rules.ask(use, board)
    return _read_state(game.cards, board, answer)


def in_play(
    use: Use,
    rules: GameRules,
    cards: Sequence[str],
    facts: Facts,
    tiles: Collection[str] | None = None,
) -> Use:
    """Return a use with the files that matter while a game is played; see `narrow`.

    Args:
        use: The use that is narrowed.
        rules: The rules.
        cards: The cards of the game. Those that pay at its end do not matter before.
        facts: All facts that are given.
        tiles: The tiles that are used or held; None if the game is being set up.
    """
    names = load_names(rules)
    scored_cards = {*names.always, *cards}
    paying_cards = sorted(names.in_game.intersection(scored_cards))
    # The files of cards that pay in the game have longer names, which leave their own to users.
    kept: dict[str, Iterable[str]] = {"cards": ()}
    kept["deeds"] = [f"{card}*" for card in paying_cards]
    if tiles is not None:
        held = set(tiles)
        small_sets: list[str] = []
        placed = {str(kind) for kind, _ in facts.get("lies_on", ())}
        for word, (_, kind) in names.headings.items():
            if kind in held or kind in placed:
                small_sets.append(word)
            held.discard(kind)
        # A donation's kind has its terrain behind it.
        kinds = {tile.partition("_")[0] for tile in held}
        kept["tiles"] = [f"{kind}*" for kind in sorted(kinds)]
        kept["queenies"] = small_sets
        kept["places"] = ()
    return asp.narrow(use, rules, kept, facts)


def play_turns(
    state: GameState,
    lines: Sequence[Line],
    rules: GameRules,
    *,
    is_open: bool = False,
    is_legal: bool = False,
) -> GameState | Refusal:
    """Play some turns.

    Args:
        state: The game before them.
        lines: The turns.
        rules: The rules.
        is_open: Whether the last turn may go on.
        is_legal: Whether our rules have listed the turns as legal: then they are not judged again.

    Returns:
        The game after the turns, or why the first illegal one is refused.
    """
    facts = {**state.board, **state.facts, **line_facts(lines)}
    facts["unfinished"] = []
    if is_open:
        facts["unfinished"] = [(len(lines),)]
    use = in_play(asp.LIVE, rules, state.cards, facts, tiles_of(lines))
    if is_legal:
        use = replace(use, absent=("flaw", "first_flaw"))
    answer = rules.ask(use, facts)
    violations = answer.read(ViolationRow)
    if violations:
        first = violations[0]
        awaits_card = bool(answer.read(asp.AwaitsCardRow))
        return Refusal(first.code, write_sentence(first.detail), awaits_card)
    return _read_state(state.cards, state.board, answer)


def _read_state(cards: tuple[str, ...], board: Facts, answer: Answer) -> GameState:
    """Read the state that the rules derive after some turns."""
    result = read_result(answer, "turns", "finished")
    (mover,) = answer.read(asp.MovesNextRow)
    supplies = sorted(answer.read(asp.SupplyLeftRow))
    tiles: list[Tile] = []
    for held in answer.read(asp.InHandRow):
        tiles.append(Tile(held.tile, read_hex(held.place), held.player))
    for lying in answer.read(asp.LiesRow):
        tiles.append(Tile(lying.tile, read_hex(lying.place), number=lying.number))
    tiles.sort(key=lambda tile: (tile.player, tile.place))
    return GameState(
        cards=cards,
        board=board,
        facts=_read_carried(answer),
        turns=result["turns"],
        mover=mover.player,
        finished=result["finished"],
        left=tuple(supply.number for supply in supplies),
        tiles=tuple(tiles),
    )


def _read_carried(answer: Answer) -> Facts:
    """Read the facts that the next turn begins with: the rules derive them as terms."""
    found = defaultdict[str, list[Row]](list)
    for carried in answer.read(asp.CarriedRow):
        fact = carried.fact
        assert isinstance(fact, Term)
        row = tuple(map(restore, fact.arguments))
        found[fact.name].append(row)
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def restore(value: Any) -> Value:
    """Turn a value of an answer or of JSON into that of a fact: a text becomes a constant."""
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, list | tuple):
        return tuple(map(restore, value))
    return cast("Value", value)


# The notes of a position where no hex is free by the card.
_NEXT_CARD = "no hex is free by this card: say the next one, too, as in --card grass/desert"
_NEXT_CARD_LIVE = "no hex is free by this card: another one is drawn after an answer"


@dataclass(frozen=True, slots=True)
class Choices:
    """The player whose turn it is, and all that the player may do."""

    player: int
    moves: tuple[Action, ...]  # actions of one target each, or without targets
    further: tuple[Action, ...] = ()  # the last action so far, each with one target more
    needs_card: bool = False  # whether another card has to be drawn first
    # Whether one more mandatory settlement ends the turn by our rules.
    ends_turn: bool = field(default=False, repr=False)


def _continues(action: Action, last: Action) -> bool:
    """Return whether an action of a tile is the last one with more targets."""
    if action.name != last.name or action.name == "mandatory":
        return False
    done = len(last.targets)
    return 0 < done < len(action.targets) and action.targets[:done] == last.targets


@dataclass(frozen=True, slots=True)
class TurnPosition:
    """A turn of a game, of which some is played."""

    rules: GameRules
    facts: Facts  # the board, the players, and the state that the lines begin with
    lines: tuple[Line, ...]  # the turns before, and last what is played already of the turn itself
    name: str = "<game>"  # what errors call the game or the board, usually its path
    before: int = 0  # the number of turns before those of the lines
    # Tiles that the player may use besides those in hand, each once.
    lent: tuple[str, ...] = ()
    over: str = ""  # why nothing is legal, as the game is over; empty if it goes on
    live: bool = False  # whether an answer is judged, which may be empty, and has no notes
    hand: tuple[str, ...] | None = None  # the tiles that the player may use, where they are known
    is_legal: bool = False  # whether all that is played already is known to be legal

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.before + len(self.lines)

    def after(self, actions: Sequence[Action]) -> TurnPosition:
        """Return the position after some more actions of the turn."""
        *before, now = self.lines
        done = replace(now, actions=(*now.actions, *actions))
        return replace(self, lines=(*before, done), is_legal=False)

    def _go_on_with(self, actions: Sequence[Action]) -> TurnPosition:
        """Return the position after some more actions, the first of which may continue the last.

        The list of what is legal has the last action with one target more. Nobody means to begin
        the same action anew: its hexes are occupied, or left, by now.
        """
        *before, now = self.lines
        if now.actions and actions and _continues(actions[0], now.actions[-1]):
            left = replace(now, actions=now.actions[:-1])
            return replace(self, lines=(*before, left)).after(actions)
        return self.after(actions)

    def choices(self) -> Choices:
        """List all that may be done next; an InputError if the turns so far break the rules."""
        return self._choices_query(self._read_choices).ask()

    def _choices_query(self, read: Callable[[Answer], _Found]) -> Query[_Found]:
        """Return a query for all that may be done next."""
        use = asp.MOVES if self.is_legal else asp.CHOICES
        return self._ask_at_end(use, read)

    def _ask_at_end(self, use: Use, read: Callable[[Answer], _Found]) -> Query[_Found]:
        """Return a query about the moment after what is played already."""
        facts = line_facts(self.lines, is_open=True)
        return self._query(self.lines, facts, use, read)

    def _refuse_illegal(self, answer: Answer) -> None:
        """Raise the error that what is played already breaks the rules, if it does."""
        for illegal in answer.read(IllegalRow):
            raise refuse(self.name, illegal)

    def _read_choices(self, answer: Answer) -> Choices:
        self._refuse_illegal(answer)
        if answer.read(asp.FirstFlawRow):
            self._ask_at_end(asp.LEGAL, self._refuse_illegal).ask()
        rows = sorted(answer.read(asp.LegalRow), key=lambda row: (row.name != "mandatory", row))
        moves: list[Action] = []
        for row in rows:
            targets = _targets(row.start, row.place)
            moves.append(Action(row.name, targets))
        further: list[Action] = []
        for more in sorted(answer.read(asp.GoesOnToRow)):
            last = self.lines[-1].actions[-1]
            targets = last.targets + _targets(more.start, more.place)
            further.append(Action(last.name, targets))
        (mover,) = answer.read(asp.MoverNowRow)
        return Choices(
            player=mover.player,
            moves=tuple(moves),
            further=tuple(further),
            needs_card=bool(answer.read(asp.NeedsCardRow)),
            ends_turn=self.is_legal and bool(answer.read(asp.EndsTurnRow)),
        )

    def moves(self) -> Sequence[Legal]:
        """List all that may be done next, in words; nothing if the game is over."""
        if self.over:
            return ()
        return self.moves_query().ask()

    def moves_query(self) -> Query[Sequence[Legal]]:
        """Return the query for `moves`, of a game that is not over."""
        return self._choices_query(self._read_moves)

    def _read_moves(self, answer: Answer) -> Sequence[Legal]:
        choices = self._read_choices(answer)
        actions = choices.moves + choices.further
        moves = tuple(map(write_action, actions))
        note = ""
        if choices.needs_card:
            note = _NEXT_CARD_LIVE if self.live else _NEXT_CARD
        return [Legal(choices.player, moves, note=note)]

    def judge(self, line: str) -> Judged:
        """Judge actions that may come next; see `judge_query`."""
        return self.judge_query(line).ask()

    def judge_query(self, line: str) -> Query[Judged]:
        """Return the query for `judge`; an InputError if the line cannot be read."""
        if not self.live and not line.strip():
            message = "an action is expected, such as '4,11 4,12' or 'farm 6,12'"
            raise InputError("--move", message)
        names = load_names(self.rules)
        if self.live:
            actions = read_answer(line, names)
        else:
            actions = read_actions(line, names, name="--move")
        lines = self._go_on_with(actions).lines
        facts = {**line_facts(lines), "unfinished": [(len(lines),)]}
        return self._query(lines, facts, asp.LEGAL, self._read_judged)

    def _read_judged(self, answer: Answer) -> Judged:
        for row in answer.read(IllegalRow):
            if self.before + row.turn < self.turn:
                raise refuse(self.name, row)
            return Judged([read_reason(row.code, "", row.detail)])
        return Judged([])

    def _query(
        self, lines: Sequence[Line], facts: Facts, use: Use, read: Callable[[Answer], _Found]
    ) -> Query[_Found]:
        """Return a query about the position after some turns, the facts of which are given."""
        lent = Counter(self.lent)
        whole = {
            **self.facts,
            **facts,
            "lent": [(Name(tile), number) for tile, number in lent.items()],
        }
        tiles = tiles_of(lines).union(lent)
        if self.hand is None:
            tiles |= _list_tiles(whole)
        else:
            tiles.update(self.hand)
        narrowed = in_play(use, self.rules, (), whole, tiles)
        return Query(self.rules, narrowed, whole, read)


def _list_tiles(facts: Facts) -> set[str]:
    """Return the tiles that lie on a board or have been taken from it."""
    tiles = [row[2] for row in facts.get("nomad_before", ())]
    for name in ("yields", "nomad"):
        tiles += [row[-1] for row in facts.get(name, ())]
    return set(map(str, tiles))


def find_in_game(
    rules: GameRules, game: GameRecord, turn: int | None, cards: Sequence[str] = ()
) -> TurnPosition:
    """Find the position in which a turn of a game opens.

    Args:
        rules: The rules.
        game: The game.
        turn: The number of the turn, from 1; None for the one after the last.
        cards: The terrain cards that are shown; all that the record shows if none are given.

    Raises:
        InputError: There is no such turn, or its card is not known.
    """
    turn = find_turn(turn, len(game.lines), game.name)
    if not cards:
        if turn > len(game.lines):
            raise InputError(game.name, f"turn {turn} is not there yet: say its card with --card")
        cards = game.lines[turn - 1].terrains
    before = game.lines[: turn - 1]
    # The rules know whose turn it is.
    now = Line(None, tuple(cards), ())
    return TurnPosition(rules, game.facts, (*before, now), game.name)


def find_on_board(
    rules: GameRules, board: Board, player: int, cards: Sequence[str]
) -> TurnPosition:
    """Find the position in which a turn opens on a board, whoever may hold which tiles."""
    owners = [owner for owner, _, _ in board.facts["settlement"] if isinstance(owner, int)]
    given = board.facts_for(max(player, 2, *owners))
    facts: Facts = {
        "size": given["size"],
        "terrain": given["terrain"],
        "land": given["land"],
        "players": given["players"],
        "starter": [(player,)],
        "stood": [(owner, (row, column)) for owner, row, column in given["settlement"]],
        "walled": [(place,) for place in given["wall"]],
    }
    now = Line(player, tuple(cards), ())
    return TurnPosition(rules, facts, (now,), board.name)


def _targets(start: Value, place: Value) -> tuple[ActionTarget, ...]:
    """Return the targets of an action from one hex to another; each may be ``none``."""
    if not isinstance(place, tuple):
        return ()
    from_hex = None
    if isinstance(start, tuple):
        from_hex = read_hex(start)
    return (ActionTarget(from_hex, read_hex(place)),)
