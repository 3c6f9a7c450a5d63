"""Positions of a game: the state after its turns, and what a player may do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar, cast

from kb_score.engine.program import BEFORE
from kb_score.engine.rules import Answer, GameRules, Use, cache_by_rules
from kb_score.engine.scan import Signature
from kb_score.engine.state import CARRIED, list_states
from kb_score.engine.terms import Facts, Name, Row, Value
from kb_score.errors import FormatError, InputError, OptionError, guess
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import Board, Hex, is_game, parse_board
from kb_score.games.kingdom_builder.query import Query
from kb_score.games.kingdom_builder.records import (
    START,
    Action,
    Actions,
    ActionTarget,
    Count,
    Line,
    count_turns,
    find_files,
    line_facts,
    load_names,
    read_actions,
    read_hex,
    read_record,
    tiles_of,
    write_action,
)
from kb_score.games.match import File, Judged, Legal, read_reason, refuse, resolve_turn
from kb_score.games.record import RecordJudge
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import ViolationRow, read_result, write_sentence
from kb_score.games.texts import ReadText
from kb_score.grammar import place_at

_Found = TypeVar("_Found")
# Extracts the result of a query from its answer.
_Reader: TypeAlias = Callable[[Answer], _Found]


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile that lies on a hex, or that a player has taken from there.

    Attributes:
        kind: The name of the tile.
        player: The player who holds the tile; 0 if it lies on the hex.
        number: The number of such tiles on the hex.
    """

    kind: str
    place: Hex
    player: int = 0
    number: int = 1

    def __str__(self) -> str:
        kind = self.kind.replace("_", "-")
        place = write_sentence((self.place,))
        return f"{kind} from {place}"


@dataclass(frozen=True, slots=True)
class GameState:
    """A game between two turns.

    Attributes:
        board: The facts of the board and the players, which do not change.
        facts: The facts that the next turn begins with, the gold that cards have paid and the state
            before its first step.
        count: The number of turns and steps that were played.
        mover: The player whose turn is next.
        left: The number of settlements that each player has left.
        tiles: The tiles that lie on the board, and those that players may use next.
    """

    cards: tuple[str, ...]
    board: Facts
    facts: Facts
    count: Count
    mover: int
    finished: bool
    left: tuple[int, ...]
    tiles: tuple[Tile, ...]

    @property
    def turns(self) -> int:
        """The number of turns that were played."""
        return self.count.turns


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a turn is illegal or incomplete.

    Attributes:
        awaits_card: Whether the only thing that the turn is missing is another card.
    """

    code: str
    detail: str
    awaits_card: bool

    def __str__(self) -> str:
        return f"{self.code}, {self.detail}"


def begin_game(game: ReadText, rules: GameRules) -> GameState:
    """Return the state of a game before its first turn; its turns are ignored."""
    given = {**game.list_start(), "claimed_gold": ()}
    board = {name: tuple(rows) for name, rows in given.items() if rows}
    cards = tuple(str(card) for (card,) in board.get("chosen", ()))
    use = remembering(in_play(asp.LIVE, rules, cards, board), rules)
    answer = rules.ask(use, board)
    return _read_state(cards, board, use, answer)


def remembering(use: Use, rules: GameRules) -> Use:
    """Return a use whose answer has the whole state, too, and what the cards have paid."""
    return replace(use, exact=(*list_remembered(rules), ("deed", 2), ("score", 3)))


@cache_by_rules
def list_remembered(rules: GameRules) -> tuple[Signature, ...]:
    """Return the predicates for the state after the last step, such as ``carried_stands/3``."""
    program = rules.program(replace(asp.LIVE, state="given"))
    return tuple((one.carried, one.arity) for one in list_states(program))


def in_play(
    use: Use,
    rules: GameRules,
    cards: Sequence[str],
    facts: Facts,
    tiles: Collection[str] | None = None,
) -> Use:
    """Return a use with only the files that matter while a game is played; see `narrow`.

    Args:
        cards: The cards of the game. Those that pay at its end do not matter until then.
        facts: All facts of the query.
        tiles: The tiles that are used or held; None if the game is being set up.
    """
    names = load_names(rules)
    scored_cards = {*names.always, *cards}
    paying_cards = sorted(names.in_game.intersection(scored_cards))
    # Files of cards that pay in the game have longer names than the cards, so that users can name
    # files after the cards.
    kept: dict[str, Iterable[str]] = {"cards": (), "deeds": [f"{card}*" for card in paying_cards]}
    if tiles is not None:
        held = set(tiles)
        small_sets: list[str] = []
        placed = {str(kind) for kind, _ in facts.get("lies_on", ())}
        for word, (_, kind) in names.headings.items():
            if kind in held or kind in placed:
                small_sets.append(word)
            held.discard(kind)
        # The name of a donation ends with its terrain.
        kinds = {tile.partition("_")[0] for tile in held}
        kept["tiles"] = [f"{kind}*" for kind in sorted(kinds)]
        kept["queenies"] = small_sets
        kept["places"] = ()
    return asp.narrow(use, rules, kept, facts)


def play_record(state: GameState, game: ReadText, rules: GameRules) -> GameState | Refusal:
    """Return the state of a game after its turns, or why the first illegal turn is refused."""
    steps = {name: game.facts[name] for name in game.numbered}
    return _play(state, steps, rules)


def play_turn(
    state: GameState, line: Line, rules: GameRules, *, is_open: bool = False, is_legal: bool = False
) -> GameState | Refusal:
    """Return the state of a game after a turn, or why it is refused.

    Args:
        state: The state before the turn.
        is_open: Whether the turn may be incomplete.
        is_legal: Whether our rules have listed the turn as legal: then it is not judged again.
    """
    steps = line_facts(line, state.count, is_open=is_open)
    return _play(state, steps, rules, is_legal=is_legal)


def _play(
    state: GameState, steps: Facts, rules: GameRules, *, is_legal: bool = False
) -> GameState | Refusal:
    """Play the steps of some turns; see `play_turn`."""
    facts = {**state.board, **state.facts, **steps}
    use = remembering(in_play(asp.LIVE, rules, state.cards, facts, tiles_of(steps)), rules)
    if is_legal:
        use = replace(use, absent=("flaw/3",))
    answer = rules.ask(use, facts)
    violations = answer.read(ViolationRow)
    if violations:
        first = violations[0]
        awaits_card = bool(answer["awaits_card"])
        return Refusal(first.code, write_sentence(first.detail), awaits_card)
    return _read_state(state.cards, state.board, use, answer)


def _read_state(cards: tuple[str, ...], board: Facts, use: Use, answer: Answer) -> GameState:
    """Return the state that the rules derive after some turns."""
    result = read_result(answer, "turns", "finished")
    [(mover,)] = answer["moves_next"]
    supplies = sorted(answer["supply_left"])
    tiles: list[Tile] = []
    for player, tile, place in answer["in_hand"]:
        tiles.append(Tile(tile, read_hex(place), player))
    for tile, place, number in answer["lies"]:
        tiles.append(Tile(tile, read_hex(place), number=number))
    tiles.sort(key=lambda tile: (tile.player, tile.place))
    [(last,)] = answer["last"]
    assert isinstance(last, int)
    return GameState(
        cards=cards,
        board=board,
        facts=_read_carried(use, answer),
        count=Count(result["turns"], last),
        mover=mover,
        finished=result["finished"],
        left=tuple(number for _, number in supplies),
        tiles=tuple(tiles),
    )


def _read_carried(use: Use, answer: Answer) -> Facts:
    """Return the facts that the next turn begins with."""
    *states, deed, score = use.exact
    found = dict[str, list[Row]]()
    for name, _ in states:
        rows = answer[name]
        if rows:
            found[name.replace(CARRIED, BEFORE, 1)] = sorted(rows, key=str)
    deeds = {card for card, _ in answer.rows.get(deed, ())}
    paid = [row for row in answer.rows.get(score, ()) if row[0] in deeds]
    return {**found, "gold_before": sorted(paid, key=str)}


def restore(value: Any) -> Value:
    """Return a value from an answer or from JSON as that of a fact; strings become constants."""
    if isinstance(value, str):
        return Name(value)
    if isinstance(value, list | tuple):
        return tuple(map(restore, value))
    return cast("Value", value)


# The code of a turn after the end of the game.
_AFTER_END = "after-end"
# The notes for a position in which no hex is free for the card.
_NEXT_CARD = "no hex is free for this card: name the next card, too, as in --card grass/desert"
_NEXT_CARD_LIVE = "no hex of this terrain is free: another card is drawn after an answer"


@dataclass(frozen=True, slots=True)
class Choices:
    """The player whose turn it is, and all legal actions.

    Attributes:
        moves: Actions with one target each, or without targets.
        further: Continuations of the last action so far, each with one more target.
        needs_card: Whether another card has to be drawn first.
        ends_turn: Whether one more mandatory settlement ends the turn under our rules.
    """

    player: int
    moves: Actions
    further: Actions = ()
    needs_card: bool = False
    ends_turn: bool = field(default=False, repr=False)


def _continues(action: Action, last: Action) -> bool:
    """Return whether an action of a tile repeats the last action with more targets."""
    if action.name != last.name or action.name == "mandatory":
        return False
    done = len(last.targets)
    return 0 < done < len(action.targets) and action.targets[:done] == last.targets


def _list_refused(answer: Answer) -> list[ViolationRow]:
    """Return why turns are refused: what is illegal, or after the end, not what a user remarks."""
    codes = {code for _, code, _, _ in answer["illegal"]} | {_AFTER_END}
    return [row for row in answer.read(ViolationRow) if row.code in codes]


@dataclass(frozen=True, slots=True)
class TurnPosition:
    """A position within a turn of a game.

    Attributes:
        facts: The facts of the board and the players, and earlier turns or the state before the
            turn.
        line: The turn as far as it has been played.
        name: The name of the game or the board in errors, usually its path.
        before: The number of turns and steps before the turn.
        lent: Tiles that the player may use besides those in hand, each once.
        over: Why no move is legal, if the game is over; otherwise empty.
        live: Whether answers of live play are judged, which may be empty and have no notes.
        hand: The tiles that the player may use; None if they are not known.
        is_legal: Whether all actions so far are known to be legal.
    """

    rules: GameRules
    facts: Facts
    line: Line
    name: str = "<game>"
    before: Count = START
    lent: tuple[str, ...] = ()
    over: str = ""
    live: bool = False
    hand: tuple[str, ...] | None = None
    is_legal: bool = False

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.before.turns + 1

    def after(self, actions: Sequence[Action]) -> TurnPosition:
        """Return the position after some more actions of the turn."""
        done = replace(self.line, actions=(*self.line.actions, *actions))
        return replace(self, line=done, is_legal=False)

    def _continue_with(self, actions: Sequence[Action]) -> TurnPosition:
        """Return the position after some more actions, the first of which may continue the last.

        Lists of legal moves repeat the last action with one more target. This cannot mean a second
        action of the same kind, because its hexes have been occupied or vacated by now.
        """
        done = self.line.actions
        if done and actions and _continues(actions[0], done[-1]):
            left = replace(self.line, actions=done[:-1])
            return replace(self, line=left).after(actions)
        return self.after(actions)

    def choices(self) -> Choices:
        """Return all legal actions; an InputError if the turns so far break the rules."""
        query = self._choices_query(self._read_choices)
        return query.ask()

    def _choices_query(self, read: _Reader[_Found]) -> Query[_Found]:
        """Return a query for all legal actions."""
        use = asp.MOVES if self.is_legal else asp.CHOICES
        return self._ask_at_end(use, read)

    def _ask_at_end(self, use: Use, read: _Reader[_Found]) -> Query[_Found]:
        """Return a query about the step after the actions so far."""
        facts = line_facts(self.line, self.before, looks=True)
        return self._query(facts, use, read)

    def _refuse_illegal(self, answer: Answer) -> None:
        """Raise an InputError if the turns so far break the rules."""
        illegal = _list_refused(answer)
        if illegal:
            raise refuse(self.name, illegal[0])

    def _read_choices(self, answer: Answer) -> Choices:
        self._refuse_illegal(answer)
        if answer["first_wrong"]:
            query = self._ask_at_end(asp.LEGAL, self._refuse_illegal)
            query.ask()
        legal = sorted(answer["allowed"])
        # Mandatory actions come first.
        legal.sort(key=lambda action: action[0] != "mandatory")
        moves = [Action(name, _targets(start, place)) for name, start, place in legal]
        further: list[Action] = []
        for _, start, place in sorted(answer["goes_on_to"]):
            last = self.line.actions[-1]
            targets = last.targets + _targets(start, place)
            further.append(Action(last.name, targets))
        [(mover,)] = answer["mover_now"]
        return Choices(
            player=mover,
            moves=tuple(moves),
            further=tuple(further),
            needs_card=bool(answer["needs_card"]),
            ends_turn=self.is_legal and bool(answer["ends_turn"]),
        )

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves as text; an empty sequence if the game is over.

        It is an InputError if the turns so far break the rules.
        """
        if self.over:
            return ()
        query = self.moves_query()
        return query.ask()

    def moves_query(self) -> Query[Sequence[Legal]]:
        """Return the query for `moves`, of a game that is not over."""
        return self._choices_query(self._read_moves)

    def _read_moves(self, answer: Answer) -> Sequence[Legal]:
        choices = self._read_choices(answer)
        actions = choices.moves + choices.further
        moves = tuple(map(write_action, actions))
        note = ""
        if choices.needs_card and self.live:
            note = _NEXT_CARD_LIVE
        elif choices.needs_card:
            note = _NEXT_CARD
        return [Legal(choices.player, moves, note=note)]

    def judge(self, line: str) -> Judged:
        """Return whether further actions are legal, with the reason if they are not.

        Actions that cannot be read are a FormatError. No actions, and turns before that break the
        rules, are an InputError.
        """
        query = self.judge_query(line)
        return query.ask()

    def judge_query(self, line: str) -> Query[Judged]:
        """Return the query for `judge`, which raises the same errors for the actions."""
        name = "answer" if self.live else "--move"
        actions = read_actions(line, self.rules, name)
        if not self.live and not actions:
            message = "an action is expected, such as '4,11 4,12' or 'farm 6,12'"
            if line.strip():
                raise FormatError(place_at(line, 1, 1, name), message)
            raise InputError(name, message)
        position = self._continue_with(actions)
        facts = line_facts(position.line, self.before, is_open=True)
        return self._query(facts, asp.LEGAL, self._read_judged)

    def _read_judged(self, answer: Answer) -> Judged:
        illegal = _list_refused(answer)
        if not illegal:
            return Judged([])
        row = illegal[0]
        if row.turn < self.turn:
            raise refuse(self.name, row)
        return Judged([read_reason(row.code, "", row.detail)])

    def _query(self, facts: Facts, use: Use, read: _Reader[_Found]) -> Query[_Found]:
        """Return a query about the position after some steps of the turn, whose facts are given."""
        lent = Counter(self.lent)
        whole = {**self.facts, "lent": [(Name(tile), number) for tile, number in lent.items()]}
        for name, rows in facts.items():
            whole[name] = [*self.facts.get(name, ()), *rows]
        tiles = tiles_of(whole).union(lent)
        if self.hand is None:
            tiles |= _list_tiles(whole)
        else:
            tiles.update(self.hand)
        narrowed = in_play(use, self.rules, (), whole, tiles)

        def read_turns(answer: Answer) -> _Found:
            return read(count_turns(answer, whole))

        return Query(self.rules, narrowed, whole, read_turns)


def _list_tiles(facts: Facts) -> set[str]:
    """Return the tiles that lie on a board or have been taken from it."""
    tiles = set[str]()
    for name in ("yields", "nomad"):
        for row in facts.get(name, ()):
            tiles.add(str(row[-1]))
    return tiles


def find_in_game(
    rules: GameRules, game: ReadText, name: str, turn: int | None, cards: Sequence[str] = ()
) -> TurnPosition:
    """Return the position at the start of a turn of a game, from 1, or after the last one.

    The cards of the turn are those of the record if none are given. It is an InputError if there is
    no such turn, or if its card is not known.
    """
    turn = resolve_turn(turn, game.turns, name)
    if not cards:
        if turn > game.turns:
            message = f"turn {turn} is not in the record yet: name its card with --card"
            raise InputError(name, message)
        cards = list_shown(game, turn)
    earlier = game.cut(turn - 1)
    before = Count(turn - 1, len(earlier.turn_of))
    # The rules derive whose turn it is.
    return TurnPosition(rules, earlier.facts, Line(tuple(cards)), name, before)


def list_shown(game: ReadText, turn: int) -> list[str]:
    """Return the terrains of the cards that a turn of a game shows."""
    rows: Sequence[tuple[Any, ...]] = game.facts["shows"]
    return [str(terrain) for terrain, step in rows if game.count_turn(step) == turn]


def find_on_board(
    rules: GameRules, board: Board, player: int, cards: Sequence[str]
) -> TurnPosition:
    """Return the position at the start of a turn on a board, where nobody is known to hold tiles.

    The cards are the terrains of the turn.
    """
    owners = [owner for owner, _, _ in board.facts["settlement"] if isinstance(owner, int)]
    players = max(player, 2, *owners)
    given = board.facts_for(players)
    facts: Facts = {
        "size": given["size"],
        "terrain": given["terrain"],
        "land": given["land"],
        "players": given["players"],
        "starter": [(player,)],
        "stood": [(owner, (row, column)) for owner, row, column in given["settlement"]],
        "walled": [(place,) for place in given["wall"]],
    }
    return TurnPosition(rules, facts, Line(tuple(cards)), board.name)


def _targets(start: Value, place: Value) -> tuple[ActionTarget, ...]:
    """Return the targets of an action from one hex to another; each may be ``none``."""
    if not isinstance(place, tuple):
        return ()
    from_hex = read_hex(start) if isinstance(start, tuple) else None
    return (ActionTarget(from_hex, read_hex(place)),)


def find_position(
    rules: GameRules,
    files: Sequence[File],
    turn: int | None,
    *,
    player: int | None = None,
    card: str = "",
    after: str = "",
    tiles: Sequence[str] = (),
) -> TurnPosition:
    """Return the position within a turn of a game or on a board.

    Args:
        turn: The number of the turn of a game, from 1; None for the one after the last, or for a
            board.
        player: The player whose turn it is on a board; None for a game.
        card: The cards of the turn, such as grass, or grass/desert; empty for those of the record.
        after: The actions of the turn before the position; empty for its start.
        tiles: Tiles that the player may use besides those in hand.

    Raises:
        OptionError: An option has a wrong value, or does not fit a game or a board.
        InputError: The game has no such turn, or is over.
    """
    ((name, text),) = files
    if is_game(text):
        rules = apply_rulings(rules, *files, has_free_lines=False)
    names = load_names(rules)
    cards: list[str] = []
    if card:
        for word in card.split("/"):
            terrain = _find_name(word, names.terrains, "--card")
            cards.append(terrain)
    lent = tuple(_find_name(tile, names.tiles, "--tile") for tile in tiles)
    if is_game(text):
        if player is not None:
            raise OptionError("--player applies only to boards: a game shows whose turn it is")
        game = read_record(text, rules, name)
        if not cards and turn in (None, game.turns + 1):
            _refuse_end(game, rules, name)
        position = find_in_game(rules, game, name, turn, cards)
    elif player is None or not cards or turn is not None:
        raise OptionError("a board needs --player and --terrain, and takes no --turn")
    else:
        board = parse_board(text, rules, name=name, allows="odd")
        position = find_on_board(rules, board, player, cards)
    position = replace(position, lent=lent)
    if after:
        position = position.after(read_actions(after, rules, "--after"))
    if cards:
        position = replace(position, line=position.line.drawn_now())
    return position


def _refuse_end(game: ReadText, rules: GameRules, name: str) -> None:
    """Raise an InputError if a game is over, so that no card for another turn is requested."""
    verdict = RecordJudge(find_files(), {}).judge(rules, game, name)
    if verdict.result["turns"] < game.turns:
        raise InputError(name, f"no move is legal: {verdict.violations[0]}")
    if verdict.result["finished"]:
        raise InputError(name, f"no move is legal: the game is over after turn {game.turns}")


def _find_name(word: str, known: frozenset[str], option: str) -> str:
    """Return a name as the rules have it; an OptionError lists all names if it is unknown."""
    name = word.lower().replace("-", "_")
    if name in known:
        return name
    names = sorted(name.replace("_", "-") for name in known)
    listed = ", ".join(names)
    raise OptionError(f"{option}: there is no {word!r}: choose from {listed}{guess(word, names)}")


def find_notes(rules: GameRules, files: Sequence[File]) -> Sequence[tuple[str, str, str]]:
    """Return remarks on a board, each with its file and kind; a game has none."""
    ((name, text),) = files
    if is_game(text):
        return ()
    board = parse_board(text, rules, name=name, allows="odd")
    return [(name, "indentation", note) for note in board.notes]
