"""Advice for a player: the placements that gain most, and the command ``advise``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import click
from clingo.ast import Location

from kb_score.engine.program import Program, error_at
from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Facts, Name, Value, predicate_of
from kb_score.errors import InputError, RuleError, guess
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    Board,
    Hex,
    load_notation,
    parse_board,
    tell_notes,
)
from kb_score.games.kingdom_builder.commands import PLAYER, load_cards, players_option
from kb_score.games.kingdom_builder.placements import CardTable, PlacementSearch
from kb_score.games.kingdom_builder.position import find_on_board
from kb_score.games.kingdom_builder.records import read_hex
from kb_score.games.kingdom_builder.rules import GAME, Card, Rules, find_heads
from kb_score.games.kingdom_builder.scoring import draw_board, draw_hexes
from kb_score.games.verbs.command import game_options
from kb_score.shell.files import read_input
from kb_score.shell.options import number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show
from kb_score.shell.shutdown import Ended

# A mandatory action, and a placement on any board, has at most so many settlements.
MOST_SETTLEMENTS = 3
# A larger board has more placements than anybody waits for.
_MOST_HEXES = 10_000
# A placement that has to be made may lose gold.
_ANY = -(10**5)
# So many hexes are grounded together: what is asked has to end soon after a signal.
_CHUNK = 12800
# So many cards are told of together.
_MOST_ERRORS = 3


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player wants to know."""

    player: int
    cards: tuple[str, ...] | None = None  # without those that pay in every game; None for all
    players: int | None = None  # None for everybody with a settlement
    settlements: int = MOST_SETTLEMENTS  # a placement has at most so many
    placements: int = 5  # so many are listed, the best first
    terrains: tuple[str, ...] = ()  # of the cards that are shown in the turn; none for any hex


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement: its hexes, what it gains the player by card, and what others gain or lose."""

    hexes: tuple[Hex, ...]
    by_card: Mapping[str, int]
    others: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """What it gains the player."""
        return sum(self.by_card.values())


class Adviser:
    """Looks for the best placements; what it has found can be asked for at any time."""

    def __init__(self, board: Board, rules: Rules, wish: Wish, deadline: Deadline) -> None:
        """Look at a board; an error says why no advice can be given on it."""
        if board.height * board.width > _MOST_HEXES:
            size = f"{board.height} rows of {board.width} hexes"
            message = f"{size} are too many to look for placements: {_MOST_HEXES:,} is the limit"
            raise InputError(board.name, message)
        if wish.players is not None and wish.player > wish.players:
            message = f"there is no player {wish.player}, but --players is {wish.players}"
            raise InputError(board.name, message)
        self.board, self.rules, self.wish, self._deadline = board, rules, wish, deadline
        self.proved = False  # whether no placement is better
        self.notes: list[str] = []
        self._cards = rules.list_cards(wish.cards)
        _check_known(rules, self._cards)
        self._base: dict[tuple[str, int], int] = {}  # the gold by card and player as it is
        self._hexes: list[Hex] = []  # those that may be built on: the search knows their numbers
        self._search: PlacementSearch | None = None
        self._found: list[Placement] | None = None

    def look(self) -> None:
        """Look for the best placements until the time is over."""
        try:
            self._look()
        except (TimeUp, LimitError):
            # A single question may take all the time.
            if not self._deadline.is_over:
                raise
            self.notes.append("the time is over (--limit-seconds): there may be better placements")

    @property
    def placements(self) -> list[Placement]:
        """The best placements so far; the cards may have been asked about their parts alone."""
        if self._found is not None or self._search is None:
            return self._found or []
        counted = ((p.hexes, self._search.gains_of(p.hexes)) for p in self._search.best)
        return [
            Placement(self._name(hexes), {card: gain for card, gain in gains.items() if gain})
            for hexes, gains in counted
        ]

    def _look(self) -> None:
        wish = self.wish
        (self._base,) = self._price(None, [()], alone=False)
        legal: list[tuple[Hex, ...]] = []
        if wish.terrains:
            legal = _list_legal(self.board, self.rules, wish.player, wish.terrains, self._deadline)
        self._search = search = self._read_board({hex_ for hexes in legal for hex_ in hexes})
        if legal:
            if (size := len(legal[0])) < MOST_SETTLEMENTS:
                self.notes.append(
                    f"placements have {size} of {MOST_SETTLEMENTS} settlements: no more are left "
                    "to build, or no more hexes are free by this card; then say the next one, "
                    "too, as in --card grass/desert"
                )
            numbers = {hex_: number for number, hex_ in enumerate(self._hexes)}
            search.search_among([tuple(numbers[hex_] for hex_ in hexes) for hexes in legal])
        else:
            search.search_all(wish.settlements)
        # All cards together may pay otherwise than it was added up.
        known = {self._name(numbers): -loss for loss, _, numbers in search.best}
        found = list(map(self._compare, known, self._price(None, list(known), alone=False)))
        self.proved = all(known[p.hexes] == p.gain for p in found)
        if not self.proved:
            self.notes.append("a card looks at more than looks/3, joins/1, apart/2 and minds/1 say")
        found.sort(key=lambda p: (-p.gain, len(p.hexes), p.hexes))
        self._found = [p for p in found if p.gain >= (_ANY if legal else 1)]

    def _read_board(self, legal: set[Hex]) -> PlacementSearch:
        """Ask the rules what there is to be known of a board before one of the cards is asked."""
        player = self.wish.player
        answer = self.rules.game.ask(asp.ADVISE, {**self.board.facts, "advised": [(player,)]})
        self._hexes = sorted(legal or {(row, column) for row, column in answer.read(asp.VacantRow)})
        numbers = {hex_: number for number, hex_ in enumerate(self._hexes)}
        beside: list[set[int]] = [set() for _ in numbers]
        for row, column, row1, column1 in answer.read(asp.AdjoinsRow):
            one, other = numbers.get((row, column)), numbers.get((row1, column1))
            if one is not None and other is not None:
                beside[one].add(other)
                beside[other].add(one)
        near = list(map(frozenset, beside))
        ((number,),) = answer.read(asp.SpareRow)
        if number < self.wish.settlements and not legal:
            left = f"only {number} of these settlements" if number > 0 else "no settlement"
            self.notes.append(
                f"player {player} has {left} left to build (--const most_settlements)"
            )
        shown = defaultdict[tuple[str, Value], set[Value]](set)
        for card, place, what in answer.read(asp.LooksRow):
            shown[card, place].add(what)
        joins = {row.card for row in answer.read(asp.JoinsRow)}
        apart = {row.card: row.how for row in answer.read(asp.ApartRow)}
        minds = {row.card for row in answer.read(asp.MindsRow)}
        tables = [
            CardTable(
                card,
                near,
                looks=[frozenset(shown[card, hex_]) for hex_ in self._hexes],
                joins=card in joins,
                apart=apart.get(card, ""),
                minds=card in minds,
            )
            for card in self._cards
        ]
        least = _ANY if legal else 1
        return PlacementSearch(tables, near, self._ask, self._deadline, self.wish.placements, least)

    def _ask(self, table: CardTable, placements: Sequence[tuple[int, ...]]) -> Iterable[int]:
        me, named = (table.card, self.wish.player), list(map(self._name, placements))
        for gold in self._price([table.card], named, alone=not table.minds):
            yield gold.get(me, 0) - self._base.get(me, 0)

    def _price(
        self, cards: Iterable[str] | None, placements: Sequence[Sequence[Hex]], *, alone: bool
    ) -> Iterator[dict[tuple[str, int], int]]:
        """Yield the gold by card and player after each placement."""
        game, board, player = self.rules.game, self.board, self.wish.player
        use = asp.SCORE.plus("asks")
        if cards is not None:
            use = asp.narrow(use, game, {"cards": cards})
        facts = {**board.facts_for(self.wish.players), "advised": [(player,)]}
        stand = facts["settlement"]
        if alone:
            stand = [row for row in stand if row[0] == player]
        step = max(1, _CHUNK // (board.height * board.width))
        for first in range(0, len(placements), step):
            self._deadline.check()
            chunk = [
                {**facts, "settlement": [*stand, *((player, *hex_) for hex_ in hexes)]}
                for hexes in placements[first : first + step]
            ]
            for answer in game.ask_boards(use, chunk):
                yield {(row.card, row.player): row.gold for row in answer.read(asp.ScoreRow)}

    def _name(self, numbers: Iterable[int]) -> tuple[Hex, ...]:
        return tuple(self._hexes[number] for number in numbers)

    def _compare(self, hexes: tuple[Hex, ...], gold: Mapping[tuple[str, int], int]) -> Placement:
        """Compare what everybody gets with what he has."""
        me, base = self.wish.player, self._base
        more = {key: n - base.get(key, 0) for key, n in gold.items() if key[0] in self._cards}
        mine = {card: n for card in self._cards if (n := more.get((card, me), 0))}
        others = {key: n for key, n in more.items() if n and key[1] != me}
        return Placement(hexes, mine, others)


def _check_known(rules: Rules, cards: Iterable[str]) -> None:
    """Check that a user's rules say what each of some cards looks at, where they change it."""
    shipped = GameRules(rules.game.game)
    (ours, _), (_, users) = shipped.read_parts(), rules.game.read_parts()
    changed = _find_cards(asp.GoldRow, users).keys() | _find_cards(Card, users).keys()
    own = Card, asp.GoldRow, asp.LooksRow, asp.JoinsRow, asp.ApartRow, asp.MindsRow
    may = set(map(predicate_of, own))
    seen = shipped.program(asp.GAMES).derived | shipped.program(asp.ADVISE).derived
    # All cards change with what they build on, and where a variable stands for the card.
    if users.derived & seen - may or not changed <= {card.name for card in rules.cards}:
        changed = set(cards)
    places = _find_cards(asp.GoldRow, ours + users) | _find_cards(Card, ours + users)
    errors = []
    for name in sorted(changed.intersection(cards) - _find_cards(asp.LooksRow, users).keys()):
        message = f"nothing says what {name} looks at: write looks/3 for it in your rules"
        # A card may have the name that a constant stands for.
        errors.append(str(error_at(places[name], message)) if name in places else message)
    if errors:
        raise RuleError("\n".join(errors[:_MOST_ERRORS]))


def _find_cards(row: type[NamedTuple], program: Program) -> dict[str, Location]:
    """Find the cards, or variables for them, that stand first in the heads of a predicate."""
    heads = find_heads(predicate_of(row), program)
    return {head.name: head.atom.location for head in heads}


def _list_legal(
    board: Board, rules: Rules, player: int, terrains: Sequence[str], deadline: Deadline
) -> list[tuple[Hex, ...]]:
    """List what the mandatory action of a turn may build, with as many settlements as it can."""
    words = "/".join(terrains)
    names = list(map(Name, terrains))
    land = board.facts["land"]
    if not any(kind in names for kind, *_ in land):
        hint = "" if land else ": --terrain needs a board with the letters of its terrain"
        raise InputError(board.name, f"no hex of it is {words}{hint}")
    opened = find_on_board(rules.game, board, player, terrains).facts
    for number in range(MOST_SETTLEMENTS, 0, -1):
        moments = range(2, number + 2)
        # A turn with so many settlements, of which nothing more is said.
        turn: Facts = {
            "line": [(1, player)],
            "opens": [(1, 1)],
            "closes": [(1, number + 2)],
            "reveals": [(1, i, name) for i, name in enumerate(names, 1)],
            "part": [(1, 1, Name("mandatory"))],
            "step": [(moment, 1, moment - 1) for moment in moments],
            "undecided": [(moment,) for moment in moments],
            "unfinished": [(1,)],
        }
        found: set[tuple[Hex, ...]] = set()
        for answer in rules.game.ask_each(asp.ADVISE_TURN, {**opened, **turn}):
            deadline.check()
            found.add(tuple(sorted(read_hex(row.place) for row in answer.read(asp.BuiltOnRow))))
        if found:
            return sorted(found)
    ((spare,),) = rules.game.ask(asp.ADVISE, {**board.facts, "advised": [(player,)]}).read(
        asp.SpareRow
    )
    why = "no settlement is left to build (--const most_settlements)" if spare <= 0 else ""
    message = f"player {player} can build nothing by the card {words}"
    raise InputError(board.name, message + f": {why}" * bool(why))


_TERRAIN = ("--terrain", "--card")


@click.command(epilog="Example: kb-score advise game.txt --player 1 --cards 1,3,7")
@click.argument("board")
@click.option("--player", type=PLAYER, required=True, metavar="N", help="The player who builds.")
@click.option("--cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners.")
@click.option(
    *_TERRAIN,
    "card",
    metavar="TERRAIN",
    help="The terrain card that is played, as for legal: only legal placements.",
)
@click.option(
    "--settlements",
    type=click.IntRange(1, MOST_SETTLEMENTS),
    metavar="N",
    help=f"Build at most so many settlements  [default: {MOST_SETTLEMENTS}].",
)
@number_option("--placements", 1, 1000, 5, "How many placements are listed.")
@players_option
@game_options(GAME)
def advise(
    board: str,
    player: int,
    cards: str | None,
    card: str | None,
    settlements: int | None,
    placements: int,
    players: int | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Find where up to three more settlements on BOARD gain a player most.

    Any vacant land will do. With --terrain, which needs a board with the letters of its terrain,
    the rules of the turn say where and how many. "-" is standard input.
    """
    terrains = () if card is None else tuple(card.lower().split("/"))
    land = [kind.replace("_", "-") for _, kind in load_notation(rules).land]
    for word in terrains:
        if word not in land:
            listed = ", ".join(land) + guess(word, land)
            raise click.BadParameter(f"there is no {word!r}, but {listed}", param_hint=_TERRAIN)
    if terrains and settlements is not None:
        fault = "the rules of the turn say how many settlements there are"
        raise click.BadParameter(f"{fault}: leave out --settlements", param_hint=_TERRAIN)
    loaded, chosen = load_cards(rules, cards)
    wish = Wish(player, chosen, players, settlements or MOST_SETTLEMENTS, placements, terrains)
    read = tell_notes(parse_board(read_input(board, BOARD_FILE), rules, name=board))
    adviser = Adviser(read, loaded, wish, Deadline(rules.changes.limits.seconds))
    try:
        adviser.look()
    except Ended:
        show(_report(adviser, drawn=False), format_)
        raise
    for note in adviser.notes:
        complain(note, kind=f"{read.name}: note")
    show(_report(adviser, drawn=True), format_)
    return Exit.FINE


def _report(adviser: Adviser, *, drawn: bool) -> Output:
    """Lay advice out; a picture of the best placement takes time."""
    found, wish, board = adviser.placements, adviser.wish, adviser.board
    kind = f"of up to {wish.settlements} settlements" if wish.settlements > 1 else "of a settlement"
    if wish.terrains:
        kind = f"by the card {'/'.join(wish.terrains)}"
    title = f"{board.name}: player {wish.player}, the best placements {kind}"
    blocks: list[Block] = [_list_placements(title, found)] if found else []
    if found and drawn:
        drawing = draw_board(board, adviser.rules)
        blocks.append(draw_hexes(replace(drawing, highlights=frozenset(found[0].hexes))))
    if adviser.proved:
        what = "legal placement" if wish.terrains else "placement"
        more = f"more than {found[0].gain}" if found else "anything"
        blocks.append(Text(f"no {what} gains {more}: ", outcome="proved", colour="green"))
    else:
        blocks.append(Text("there may be better placements: ", outcome="not proved", colour="red"))
    line = {
        "board": board.name,
        "player": wish.player,
        "proved": adviser.proved,
        "placements": [
            {"hexes": list(map(list, p.hexes)), "gain": p.gain, "by_card": p.by_card} for p in found
        ],
    }
    columns = ("board", "player", "proved", "placement", "gain", "hexes", "card", "gold")
    rows = tuple(
        (board.name, wish.player, int(adviser.proved), i, p.gain, _write(p), card, gold)
        for i, p in enumerate(found, 1)
        for card, gold in (p.by_card or {"": 0}).items()
    )
    return Output(blocks, [line], Table("", columns, rows))


def _list_placements(title: str, found: Sequence[Placement]) -> Table:
    rows: list[tuple[str | int, ...]] = []
    for placement in found:
        by_card = ", ".join(f"{card} {gold}" for card, gold in placement.by_card.items())
        others = ", ".join(
            f"player {player} {card} {gold:+}"
            for player, card, gold in sorted((p, c, n) for (c, p), n in placement.others.items())
        )
        rows.append((placement.gain, _write(placement), by_card, others))
    columns: tuple[str, ...] = ("gain", "hexes", "by card", "other players")
    if not any(placement.others for placement in found):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table(title, columns, tuple(rows))


def _write(placement: Placement) -> str:
    return "  ".join(f"{row},{column}" for row, column in placement.hexes)


COMMANDS = {"advise": advise}
