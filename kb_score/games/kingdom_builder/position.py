"""Positions of a game: what the rules make of its turns, and what a player may do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

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
    """Set up a game: its headings count, its turns do not; a RuleError if that cannot be."""
    facts = replace(game, lines=(), claimed=None).facts
    board = {name: tuple(rows) for name, rows in facts.items() if rows}
    use = in_play(asp.LIVE, rules, game.cards)
    return _read_state(game.cards, board, rules.ask(use, board))


def in_play(
    use: Use,
    rules: GameRules,
    cards: Sequence[str],
    tiles: Collection[str] | None = None,
    facts: Facts | None = None,
) -> Use:
    """Return a use with the files that matter while a game is played; see `narrow`.

    Args:
        use: The use that is narrowed.
        rules: The rules.
        cards: The cards of the game. Those that pay at its end do not matter before.
        tiles: The tiles that are used or held; None if the game is being set up.
        facts: The facts of the position, which tell what small sets are on the board.
    """
    names = load_names(rules)
    pay = sorted(names.in_game.intersection({*names.always, *cards}))
    # The files of cards that pay in the game have longer names, which leave their own to users.
    kept: dict[str, list[str]] = {"cards": [], "deeds": [f"{card}*" for card in pay]}
    if tiles is not None:
        # A donation's kind has its terrain behind it.
        held = set(tiles).difference(kind for _, kind in QUEENIES.values())
        kept["tiles"] = sorted({f"{tile.partition('_')[0]}*" for tile in held})
        kept["queenies"] = [
            word
            for word, (_, kind) in QUEENIES.items()
            if kind in tiles or (facts and facts.get(kind))
        ]
        kept["places"] = []
    return asp.narrow(use, rules, kept)


def play_turns(
    state: GameState,
    lines: Sequence[Line],
    rules: GameRules,
    *,
    is_open: bool = False,
    is_legal: bool = False,
) -> GameState | Refusal:
    """Play some turns, of which the first illegal one is refused; an open one goes on.

    Those that are known to be legal, as our rules have listed them, are not judged again.
    """
    facts = {**state.board, **state.facts, **line_facts(lines)}
    facts["unfinished"] = [(len(lines),)] * is_open
    use = replace(asp.LIVE, absent=("flaw", "first_fault") if is_legal else ())
    answer = rules.ask(in_play(use, rules, state.cards, tiles_of(lines), facts), facts)
    if illegal := answer.read(ViolationRow):
        awaits = bool(answer.read(asp.AwaitsCardRow))
        return Refusal(illegal[0].code, write_sentence(illegal[0].detail), awaits)
    return _read_state(state.cards, state.board, answer)


def _read_state(cards: Sequence[str], board: Facts, answer: Answer) -> GameState:
    result = read_result(answer, "turns", "finished")
    (mover,) = answer.read(asp.MovesNextRow)
    held = [Tile(row.tile, read_hex(row.place), row.player) for row in answer.read(asp.InHandRow)]
    lying = [Tile(row.tile, read_hex(row.place), 0, row.number) for row in answer.read(asp.LiesRow)]
    return GameState(
        cards=tuple(cards),
        board=board,
        facts=_collect(row.fact for row in answer.read(asp.CarriedRow)),
        turns=result["turns"],
        mover=mover.player,
        finished=result["finished"],
        left=tuple(row.number for row in sorted(answer.read(asp.SupplyLeftRow))),
        tiles=tuple(sorted([*held, *lying], key=lambda tile: (tile.player, tile.place))),
    )


def _collect(facts: Iterable[Value]) -> Facts:
    """Collect the facts that stand in other atoms as terms."""
    found: dict[str, list[Row]] = {}
    for fact in facts:
        assert isinstance(fact, Term)
        found.setdefault(fact.name, []).append(tuple(map(restore, fact.arguments)))
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def restore(value: Any) -> Value:
    """Make a value of an answer or of JSON, in which no text stands, one that can be a fact."""
    if isinstance(value, list | tuple):
        return tuple(map(restore, value))
    found: Value = Name(value) if isinstance(value, str) else value
    return found


# What is to be known where no hex is free by the card: in a record, and while a game is played.
_NEXT_CARD = (
    "no hex is free by this card: say the next one, too, as in --card grass/desert",
    "no hex is free by this card: another one is drawn after an answer",
)


@dataclass(frozen=True, slots=True)
class Choices:
    """The player whose turn it is, and all that he may do."""

    player: int  # the player
    moves: tuple[Action, ...]  # actions of one target each, or of none
    further: tuple[Action, ...] = ()  # the last action that is said, each with one target more
    needs_card: bool = False  # whether a further card is to be drawn for what is due
    # Whether our rules let nothing follow one more mandatory settlement.
    ends_turn: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class TurnPosition:
    """A turn of a game, of which some is played."""

    rules: GameRules  # the rules
    facts: Facts  # the board, the players, and the state that the lines begin with
    lines: tuple[Line, ...]  # the turns before, and last what is played already of the turn itself
    name: str = "<game>"  # what errors call the game or the board, usually its path
    before: int = 0  # the number of turns before those of the lines
    # Tiles that the player may use besides those that he holds, each once.
    lent: tuple[str, ...] = ()
    over: str = ""  # why nothing is legal, as the game is over; empty if it goes on
    live: bool = False  # whether what is judged is an answer, which may be empty, and has no notes
    hand: tuple[str, ...] | None = None  # the tiles that the player may use, where they are known
    is_legal: bool = False  # whether all that is played already is known to be legal

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.before + len(self.lines)

    def after(self, actions: Sequence[Action]) -> TurnPosition:
        """Make the position after some more actions of the turn."""
        *before, now = self.lines
        done = replace(now, actions=(*now.actions, *actions))
        return replace(self, lines=(*before, done), is_legal=False)

    def choices(self) -> Choices:
        """List all that may be done next; an InputError if the lines break the rules."""
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
        further: tuple[Action, ...] = ()
        if more := sorted(answer.read(asp.GoesOnToRow)):
            last = self.lines[-1].actions[-1]
            further = tuple(
                Action(last.name, last.targets + _targets(row.start, row.place)) for row in more
            )
        (mover,) = answer.read(asp.MoverNowRow)
        needs_card, ends = (bool(answer.read(row)) for row in (asp.NeedsCardRow, asp.EndsTurnRow))
        return Choices(mover.player, moves, further, needs_card, ends and self.is_legal)

    def moves(self) -> Sequence[Legal]:
        """List all that may be done next, as a game has it."""
        return () if self.over else self.moves_query().ask()

    def moves_query(self) -> Query[Sequence[Legal]]:
        """Make the query for `moves`, of a game that is not over."""
        return self._choices_query(self._read_moves)

    def _read_moves(self, answer: Answer) -> Sequence[Legal]:
        found = self._read_choices(answer)
        moves = tuple(map(write_action, (*found.moves, *found.further)))
        note = _NEXT_CARD[self.live] if found.needs_card else ""
        return [Legal(found.player, moves, note=note)]

    def judge(self, line: str) -> Judged:
        """Judge actions with which the turn may go on."""
        return self.judge_query(line).ask()

    def judge_query(self, line: str) -> Query[Judged]:
        """Make the query for `judge`; an InputError if the line cannot be read."""
        if not self.live and not line.strip():
            sample = "such as '4,11 4,12' or 'farm 6,12'"
            raise InputError("--move", f"an action is expected, {sample}")
        read = read_answer if self.live else partial(read_actions, name="--move")
        lines = self.after(read(line, load_names(self.rules))).lines
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
        if self.hand is not None:
            tiles = {*self.hand, *self.lent, *tiles_of(lines)}
            use = in_play(use, self.rules, (), tiles, whole)
        return Query(self.rules, use, whole, read)

    def _lend(self) -> list[Row]:
        return [(Name(tile), number) for tile, number in Counter(self.lent).items()]


def find_in_game(
    rules: GameRules, game: GameRecord, turn: int | None, cards: Sequence[str] = ()
) -> TurnPosition:
    """Find the position in which a turn of a game opens, by some cards or all that it shows."""
    turn = find_turn(turn, len(game.lines), game.name)
    if not cards and turn > len(game.lines):
        raise InputError(game.name, f"turn {turn} is not there yet: say its card with --card")
    cards = cards or game.lines[turn - 1].terrains
    # Whose turn it is, the rules know.
    lines = (*game.lines[: turn - 1], Line(None, tuple(cards), ()))
    return TurnPosition(rules, game.facts, lines, game.name)


def find_on_board(
    rules: GameRules, board: Board, player: int, cards: Sequence[str]
) -> TurnPosition:
    """Find the position in which a turn opens on a board, whoever may hold which tiles."""
    settled = (who for who, _, _ in board.facts["settlement"] if isinstance(who, int))
    given = board.facts_for(max(player, 2, *settled))
    facts = {key: given[key] for key in ("size", "terrain", "land", "players")}
    stood = [(who, (row, column)) for who, row, column in given["settlement"]]
    walled = [((row, column),) for row, column in given["wall"]]
    state: Facts = {"starter": [(player,)], "stood": stood, "walled": walled}
    return TurnPosition(rules, {**facts, **state}, (Line(player, tuple(cards), ()),), board.name)


def _targets(start: Value, place: Value) -> tuple[tuple[Hex | None, Hex], ...]:
    """Make the targets of an action that leads from one hex to another; each may be ``none``."""
    if not isinstance(place, tuple):
        return ()
    return ((read_hex(start) if isinstance(start, tuple) else None, read_hex(place)),)
