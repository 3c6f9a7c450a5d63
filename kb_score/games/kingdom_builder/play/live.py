"""Games of Kingdom Builder as they are played: the rules say what a turn makes of a position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name, Term
from kb_score.games.dialect import ViolationRow, read_result, write_sentence
from kb_score.games.kingdom_builder.play.game import Line, line_facts, read_hex
from kb_score.games.kingdom_builder.play.legal import Moment
from kb_score.games.kingdom_builder.play.names import use_of
from kb_score.games.kingdom_builder.rules import (
    LIVE,
    AwaitsCardRow,
    CarriedRow,
    InHandRow,
    LiesRow,
    MovesNextRow,
    SupplyLeftRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kb_score.engine.run import Answer, GameRules, Use
    from kb_score.engine.terms import Facts, Row, Value
    from kb_score.games.kingdom_builder.play.game import Game, Hex, Part


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: its kind, the hex that it is or was got from, and who holds it, 0 for nobody.

    The number is that of such tiles there, which is 1 for a tile that somebody holds.
    """

    kind: str
    place: Hex
    player: int = 0
    number: int = 1


@dataclass(frozen=True, slots=True)
class Position:
    """A game between two turns.

    Attributes:
        use: The rules that judge a turn.
        board: The facts of the board and of the players, which stay.
        state: The facts that the next turn begins with.
        turns: The number of turns played.
        mover: The player whose turn is next.
        finished: Whether the game is over.
        left: The settlements that each player has left.
        tiles: Those that lie on the board, and those that players may use in their next turns.
    """

    use: Use
    board: Facts
    state: Facts
    turns: int
    mover: int
    finished: bool
    left: tuple[int, ...]
    tiles: tuple[Tile, ...]

    def moment(self, cards: Sequence[str], parts: Sequence[Part] = ()) -> Moment:
        """Make the moment of the next turn at which it shows these cards and has these actions."""
        line = Line(None, tuple(cards), tuple(parts))
        return Moment({**self.board, **self.state}, (line,), before=self.turns)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a turn cannot stand as it is.

    Attributes:
        code: The code of the violation.
        detail: The reason, in words.
        awaits_card: Whether nothing is wrong, but a further card is to be drawn.
    """

    code: str
    detail: str
    awaits_card: bool

    def __str__(self) -> str:
        return f"{self.code}, {self.detail}"


def begin_game(game: Game, rules: GameRules) -> Position:
    """Set up a game: its headings count, its turns do not.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    facts = replace(game, lines=(), claimed=None).facts
    board = {name: rows for name, rows in facts.items() if rows}
    use = use_of(game.cards, rules, LIVE, at_end=False)
    return _read_position(use, board, rules.ask(use, board))


def play_turn(position: Position, line: Line, rules: GameRules) -> Position | Refusal:
    """Play one turn.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return play_turns(position, [line], rules)


def play_turns(position: Position, lines: Sequence[Line], rules: GameRules) -> Position | Refusal:
    """Play some turns, of which the first illegal one is refused; see `play_turn`."""
    facts = {**position.board, **position.state, **line_facts(lines)}
    answer = rules.ask(position.use, facts)
    if illegal := answer.read(ViolationRow):
        awaits = bool(answer.read(AwaitsCardRow))
        return Refusal(illegal[0].code, write_sentence(illegal[0].detail), awaits)
    return _read_position(position.use, position.board, answer)


def _read_position(use: Use, board: Facts, answer: Answer) -> Position:
    result = read_result(answer, "turns", "finished")
    (mover,) = answer.read(MovesNextRow)
    held = [Tile(row.tile, read_hex(row.place), row.player) for row in answer.read(InHandRow)]
    lying = [Tile(row.tile, read_hex(row.place), 0, row.number) for row in answer.read(LiesRow)]
    return Position(
        use=use,
        board=board,
        state=_collect(row.fact for row in answer.read(CarriedRow)),
        turns=result["turns"],
        mover=mover.player,
        finished=result["finished"],
        left=tuple(row.number for row in sorted(answer.read(SupplyLeftRow))),
        tiles=tuple(sorted([*held, *lying], key=lambda tile: (tile.player, tile.place))),
    )


def _collect(facts: Iterable[Value]) -> Facts:
    """Collect the facts that stand in other atoms as terms."""
    found: dict[str, list[Row]] = {}
    for fact in facts:
        assert isinstance(fact, Term)
        found.setdefault(fact.name, []).append(tuple(map(_restore, fact.arguments)))
    return {name: sorted(rows, key=str) for name, rows in found.items()}


def _restore(value: Value) -> Value:
    """Make a value of an answer, in which no text stands, one that can be a fact again."""
    if isinstance(value, str):
        return Name(value)
    return tuple(map(_restore, value)) if isinstance(value, tuple) else value
