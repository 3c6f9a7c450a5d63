"""Positions of a game: the state after its turns, and what a player may do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar, cast

from kb_score.engine.query import Query
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.terms import Facts, Name, Row, Term, Value
from kb_score.errors import InputError
from kb_score.games.game import Judged, Legal, find_turn, read_reason, refuse
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, Hex
from kb_score.games.kingdom_builder.records import (
    QUEENIES,
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
        return f"{self.kind.replace('_', '-')} of {write_sentence((self.place,))}"


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
    use = in_play(asp.LIVE, rules, game.cards)
    return _read_state(game.cards, board, rules.ask(use, board))


def in_play(
    use: Use,
    rules: GameRules,
    cards: Sequence[str],
    tiles: Collection[str] = (),
    facts: Facts | None = None,
) -> Use:
    """Return a use with the files that matter while a game is played; see `narrow`.

    Args:
        use: The use that is narrowed.
        rules: The rules.
        cards: The cards of the game. Those that pay at its end do not matter before.
        tiles: The tiles that are used or held.
        facts: All facts that are given; None if the game is being set up.
    """
    names = load_names(rules)
    pay = sorted(names.in_game.intersection({*names.always, *cards}))
    # The files of cards that pay in the game have longer names, which leave their own to users.
    kept: dict[str, Iterable[str]] = {"cards": (), "deeds": [f"{card}*" for card in pay]}
    if facts is not None:
        held = set(tiles)
        small_sets: list[str] = []
        for word, (_, kind) in QUEENIES.items():
            if kind in held or facts.get(kind):
                small_sets.append(word)
            held.discard(kind)
        # A donation's kind has its terrain behind it.
        kept["tiles"] = sorted({f"{tile.partition('_')[0]}*" for tile in held})
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
    facts["unfinished"] = [(len(lines),)] if is_open else []
    use = asp.LIVE
    if is_legal:
        use = replace(use, absent=("flaw", "first_fault"))
    answer = rules.ask(in_play(use, rules, state.cards, tiles_of(lines), facts), facts)
    violations = answer.read(ViolationRow)
    if violations:
        first = violations[0]
        awaits_card = bool(answer.read(asp.AwaitsCardRow))
        return Refusal(first.code, write_sentence(first.detail), awaits_card)
    return _read_state(state.cards, state.board, answer)


def _read_state(cards: Sequence[str], board: Facts, answer: Answer) -> GameState:
    result = read_result(answer, "turns", "finished")
    (mover,) = answer.read(asp.MovesNextRow)
    tiles = [Tile(row.tile, read_hex(row.place), row.player) for row in answer.read(asp.InHandRow)]
    for row in answer.read(asp.LiesRow):
        tiles.append(Tile(row.tile, read_hex(row.place), number=row.number))
    tiles.sort(key=lambda tile: (tile.player, tile.place))
    return GameState(
        cards=tuple(cards),
        board=board,
        facts=_collect(row.fact for row in answer.read(asp.CarriedRow)),
        turns=result["turns"],
        mover=mover.player,
        finished=result["finished"],
        left=tuple(row.number for row in sorted(answer.read(asp.SupplyLeftRow))),
        tiles=tuple(tiles),
    )


def _collect(facts: Iterable[Value]) -> Facts:
    """Collect the facts that stand in other atoms as terms."""
    found: dict[str, list[Row]] = {}
    for fact in facts:
        assert isinstance(fact, Term)
        found.setdefault(fact.name, []).append(tuple(map(restore, fact.arguments)))
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def restore(value: Any) -> Value:
    """Turn a value of an answer or of JSON into that of a fact: a text becomes a constant."""
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, list | tuple):
        return tuple(map(restore, value))
    return cast("Value", value)


# The notes of a position where no hex is free by the card: of a record, and of live play.
_NEXT_CARD = (
    "no hex is free by this card: say the next one, too, as in --card grass/desert",
    "no hex is free by this card: another one is drawn after an answer",
)


@dataclass(frozen=True, slots=True)
class Choices:
    """The player whose turn it is, and all that the player may do."""

    player: int
    moves: tuple[Action, ...]  # actions of one target each, or without targets
    further: tuple[Action, ...] = ()  # the last action so far, each with one target more
    needs_card: bool = False  # whether another card has to be drawn first
    # Whether one more mandatory settlement ends the turn by our rules.
    ends_turn: bool = field(default=False, repr=False)


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

    def choices(self) -> Choices:
        """List all that may be done next; an InputError if the turns so far break the rules."""
        return self._choices_query(self._read_choices).ask()

    def _choices_query(self, read: Callable[[Answer], _Found]) -> Query[_Found]:
        facts = {**line_facts(self.lines, is_open=True), "lent": self._lend()}
        use = asp.MOVES if self.is_legal else asp.LEGAL
        return self._query(self.lines, facts, use, read)

    def _read_choices(self, answer: Answer) -> Choices:
        for row in answer.read(IllegalRow):
            raise refuse(self.name, row)
        rows = sorted(answer.read(asp.LegalRow), key=lambda row: (row.name != "mandatory", row))
        moves = tuple(Action(row.name, _targets(row.start, row.place)) for row in rows)
        further: list[Action] = []
        for more in sorted(answer.read(asp.GoesOnToRow)):
            last = self.lines[-1].actions[-1]
            further.append(Action(last.name, last.targets + _targets(more.start, more.place)))
        (mover,) = answer.read(asp.MoverNowRow)
        return Choices(
            player=mover.player,
            moves=moves,
            further=tuple(further),
            needs_card=bool(answer.read(asp.NeedsCardRow)),
            ends_turn=self.is_legal and bool(answer.read(asp.EndsTurnRow)),
        )

    def moves(self) -> Sequence[Legal]:
        """List all that may be done next, in words; nothing if the game is over."""
        return () if self.over else self.moves_query().ask()

    def moves_query(self) -> Query[Sequence[Legal]]:
        """Return the query for `moves`, of a game that is not over."""
        return self._choices_query(self._read_moves)

    def _read_moves(self, answer: Answer) -> Sequence[Legal]:
        found = self._read_choices(answer)
        moves = tuple(map(write_action, (*found.moves, *found.further)))
        note = _NEXT_CARD[self.live] if found.needs_card else ""
        return [Legal(found.player, moves, note=note)]

    def judge(self, line: str) -> Judged:
        """Judge actions that may come next; see `judge_query`."""
        return self.judge_query(line).ask()

    def judge_query(self, line: str) -> Query[Judged]:
        """Return the query for `judge`; an InputError if the line cannot be read."""
        if not self.live and not line.strip():
            sample = "such as '4,11 4,12' or 'farm 6,12'"
            raise InputError("--move", f"an action is expected, {sample}")
        names = load_names(self.rules)
        if self.live:
            actions = read_answer(line, names)
        else:
            actions = read_actions(line, names, name="--move")
        lines = self.after(actions).lines
        facts = {**line_facts(lines), "unfinished": [(len(lines),)], "lent": self._lend()}
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
        whole = {**self.facts, **facts}
        hand = _list_tiles(whole) if self.hand is None else self.hand
        tiles = {*hand, *self.lent, *tiles_of(lines)}
        return Query(self.rules, in_play(use, self.rules, (), tiles, whole), whole, read)

    def _lend(self) -> list[Row]:
        return [(Name(tile), number) for tile, number in Counter(self.lent).items()]


def _list_tiles(facts: Facts) -> set[str]:
    """Return the tiles that lie on a board or have been taken from it."""
    places = chain(facts.get("yields", ()), facts.get("nomad", ()))
    taken = (row[:3] for row in facts.get("nomad_before", ()))
    return {str(row[-1]) for row in chain(places, taken)}


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
    if not cards and turn > len(game.lines):
        raise InputError(game.name, f"turn {turn} is not there yet: say its card with --card")
    cards = cards or game.lines[turn - 1].terrains
    # The rules know whose turn it is.
    lines = (*game.lines[: turn - 1], Line(None, tuple(cards), ()))
    return TurnPosition(rules, game.facts, lines, game.name)


def find_on_board(
    rules: GameRules, board: Board, player: int, cards: Sequence[str]
) -> TurnPosition:
    """Find the position in which a turn opens on a board, whoever may hold which tiles."""
    settled = (who for who, _, _ in board.facts["settlement"] if isinstance(who, int))
    given = board.facts_for(max(player, 2, *settled))
    facts: Facts = {
        "size": given["size"],
        "terrain": given["terrain"],
        "land": given["land"],
        "players": given["players"],
        "starter": [(player,)],
        "stood": [(who, (row, column)) for who, row, column in given["settlement"]],
        "walled": [(place,) for place in given["wall"]],
    }
    return TurnPosition(rules, facts, (Line(player, tuple(cards), ()),), board.name)


def _targets(start: Value, place: Value) -> tuple[ActionTarget, ...]:
    """Return the targets of an action from one hex to another; each may be ``none``."""
    if not isinstance(place, tuple):
        return ()
    left = read_hex(start) if isinstance(start, tuple) else None
    return (ActionTarget(left, read_hex(place)),)
