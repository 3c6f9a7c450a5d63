"""Advice for a player: the placements that gain the most, and the command ``advise``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import click

from kb_score.cli.kingdom_builder.score import PLAYER, load_cards, players_option
from kb_score.cli.run import Run, run_command
from kb_score.engine.program import Program, Statement
from kb_score.engine.rules import Answer, GameRules, LimitError
from kb_score.engine.scan import Atom, Signature
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Facts, Name, Value
from kb_score.errors import InputError, RuleError, guess, unwrap
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    Board,
    Hex,
    load_notation,
    parse_board,
    print_notes,
)
from kb_score.games.kingdom_builder.position import find_on_board
from kb_score.games.kingdom_builder.records import read_hex
from kb_score.games.kingdom_builder.rules import GAME, Rules, find_heads
from kb_score.games.kingdom_builder.scoring import Gold, Row, draw_board, draw_hexes, read_gold
from kb_score.search.placements import CardTable, Hexes, PlacementSearch, Shown
from kb_score.shell.files import read_input
from kb_score.shell.options import WholeNumber, make_number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain
from kb_score.shell.shutdown import Ended

# The hexes of a placement, by row and column.
Places: TypeAlias = tuple[Hex, ...]

# The maximum number of settlements in a placement, and in a mandatory action.
MAX_SETTLEMENTS = 3
# Boards with more hexes have too many placements to search.
_MAX_HEXES = 10_000
# The least gain of a placement that has to be made: it may lose gold.
_ANY = -(10**5)
# The maximum number of hexes, across several boards, that are grounded together: a query has to
# end soon after a signal.
_CHUNK = 12800
# The most cards in one error message.
_MAX_ERRORS = 3

# The predicates that say of each card what it is, what it pays, and how it may be searched.
_CARD = ("card", 3)
_GOLD = ("gold", 4)
_LOOKS = ("looks", 3)
_JOINS = ("joins", 1)
_APART = ("apart", 2)
_MINDS = ("minds", 1)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player wants to know.

    Attributes:
        cards: The cards of the game, without those that pay in every game; None for all.
        players: The number of players; None for everybody with a settlement.
        settlements: The maximum number of settlements in a placement.
        terrains: The terrain cards that are shown in the turn; empty for placements on any hex.
    """

    player: int
    cards: tuple[str, ...] | None = None
    players: int | None = None
    settlements: int = MAX_SETTLEMENTS
    placements: int = 5
    terrains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement and what it gains.

    Cards that pay nothing more are left out. ``others`` has the gold that other players gain or
    lose.
    """

    hexes: Places
    by_card: Mapping[str, int]
    others: Gold = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """The gold that the player gains from all cards."""
        return sum(self.by_card.values())


class Adviser:
    """Searches for the best placements; the best so far can be read at any time.

    ``proved`` says whether no placement is better, and ``notes`` what the player should know.
    """

    def __init__(self, board: Board, rules: Rules, wish: Wish, deadline: Deadline) -> None:
        """Prepare a search.

        It is an InputError if the board is too large or the game does not have the player, and a
        RuleError if a user's rules do not say what one of the cards looks at.
        """
        if board.height * board.width > _MAX_HEXES:
            size = f"{board.height} rows of {board.width} hexes"
            message = f"{size} are too many for this search: the limit is {_MAX_HEXES:,} hexes"
            raise InputError(board.name, message)
        if wish.players is not None and wish.player > wish.players:
            message = f"there is no player {wish.player}: --players is {wish.players}"
            raise InputError(board.name, message)
        self.board = board
        self.rules = rules
        self.wish = wish
        self.proved = False
        self.notes: list[str] = []
        self._deadline = deadline
        self._cards = rules.list_cards(wish.cards)
        _check_known(rules, self._cards)
        self._base: Gold = {}  # the gold on the board as it is
        self._hexes: list[Hex] = []  # those that may be built on
        self._numbers: dict[Hex, int] = {}  # their numbers in the search: their indices
        self._search: PlacementSearch | None = None
        self._found: list[Placement] | None = None

    def run(self) -> None:
        """Search for the best placements until the search is complete or the deadline has passed.

        A limit other than the deadline is a LimitError.
        """
        try:
            self._run()
        except (TimeUp, LimitError):
            # A single query may use up all of the time.
            if not self._deadline.is_over:
                raise
            self.notes.append("time limit reached (--limit-seconds): better placements may exist")

    @property
    def placements(self) -> list[Placement]:
        """The best placements so far, best first; before the search ends, gains may be inexact."""
        if self._found is not None:
            return self._found
        if self._search is None:
            return []
        found: list[Placement] = []
        for ranked in self._search.best:
            gains = self._search.gains_of(ranked.hexes)
            found.append(Placement(self._places_of(ranked.hexes), _drop_zeros(gains)))
        return found

    def _run(self) -> None:
        wish = self.wish
        (self._base,) = self._price([()])
        legal: list[Places] = []
        least_gain = 1
        if wish.terrains:
            legal = _list_legal(self.board, self.rules, wish.player, wish.terrains, self._deadline)
            least_gain = _ANY
        search = self._prepare(legal, least_gain)
        self._search = search
        if legal:
            size = len(legal[0])
            if size < MAX_SETTLEMENTS:
                self.notes.append(
                    f"placements have {size} of {MAX_SETTLEMENTS} settlements: no more are left "
                    "to build, or no more hexes are free for this card; if so, name the next card, "
                    "too, as in --card grass/desert"
                )
            search.search_among(list(map(self._numbers_of, legal)))
        else:
            search.search_all(wish.settlements)
        # The gold of all cards together may differ from the sum over cards and parts.
        sums = {self._places_of(ranked.hexes): -ranked.loss for ranked in search.best}
        found = list(map(self._compare, sums, self._price(list(sums))))
        self.proved = all(sums[placement.hexes] == placement.gain for placement in found)
        if not self.proved:
            self.notes.append("a card looks at more than looks/3, joins/1, apart/2 and minds/1 say")

        def rank(placement: Placement) -> tuple[int, int, Places]:
            return -placement.gain, len(placement.hexes), placement.hexes

        found.sort(key=rank)
        self._found = [placement for placement in found if placement.gain >= least_gain]

    def _prepare(self, legal: Sequence[Places], least_gain: int) -> PlacementSearch:
        """Query the rules about the board, and return the search with no card priced yet.

        Without legal placements, all placements on vacant hexes are searched. Those that gain less
        than ``least_gain`` are left out.
        """
        wish = self.wish
        answer = _ask_board(self.board, self.rules, wish.player)
        hexes = set[Hex]().union(*legal)
        if not hexes:
            hexes.update(answer["vacant"])
        self._hexes = sorted(hexes)
        self._numbers = {hex_: number for number, hex_ in enumerate(self._hexes)}
        near = self._read_neighbours(answer)
        spare = _read_spare(answer)
        if spare < wish.settlements and not legal:
            left = f"only {spare} of these settlements" if spare > 0 else "no settlement"
            self.notes.append(
                f"player {wish.player} has {left} left to build (--const most_settlements)"
            )
        return PlacementSearch(
            tables=self._make_tables(answer, near),
            near=near,
            ask=self._ask,
            deadline=self._deadline,
            kept=wish.placements,
            least_gain=least_gain,
        )

    def _read_neighbours(self, answer: Answer) -> list[frozenset[int]]:
        """Return the neighbours of each hex among those that may be built on."""
        near = [set[int]() for _ in self._hexes]
        for row, column, row1, column1 in answer.read(asp.AdjoinsRow):
            one = self._numbers.get((row, column))
            other = self._numbers.get((row1, column1))
            if one is not None and other is not None:
                near[one].add(other)
                near[other].add(one)
        return list(map(frozenset, near))

    def _make_tables(self, answer: Answer, near: Sequence[frozenset[int]]) -> list[CardTable]:
        """Return what each card looks at."""
        shown = defaultdict[tuple[str, Value], set[Value]](set)
        for card, place, what in answer["looks"]:
            shown[card, place].add(what)
        joins = {card for (card,) in answer["joins"]}
        apart = dict(answer["apart"])
        minds = {card for (card,) in answer["minds"]}
        return [
            CardTable(
                card=card,
                near=near,
                looks=[Shown(shown[card, hex_]) for hex_ in self._hexes],
                joins=card in joins,
                apart=apart.get(card, ""),
                minds=card in minds,
            )
            for card in self._cards
        ]

    def _ask(self, table: CardTable, placements: Sequence[Hexes]) -> Iterator[int]:
        """Yield the gold that a card adds for each placement of the player."""
        key = (table.card, self.wish.player)
        base = self._base.get(key, 0)
        places = list(map(self._places_of, placements))
        for gold in self._price(places, table):
            yield gold.get(key, 0) - base

    def _price(
        self, placements: Sequence[Places], table: CardTable | None = None
    ) -> Iterator[Gold]:
        """Yield the gold of one card, or of all of them, on the board after each placement."""
        game = self.rules.game
        board = self.board
        player = self.wish.player
        use = asp.SCORE.plus("asks")
        facts = board.facts_for(self.wish.players)
        facts["advised"] = [(player,)]
        standing = facts["settlement"]
        if table is not None:
            use = asp.narrow(use, game, {"cards": [table.card]})
            if not table.minds:
                standing = [row for row in standing if row[0] == player]
        step = max(1, _CHUNK // (board.height * board.width))
        for first in range(0, len(placements), step):
            self._deadline.check()
            boards: list[Facts] = []
            for hexes in placements[first : first + step]:
                built = [(player, *hex_) for hex_ in hexes]
                boards.append({**facts, "settlement": [*standing, *built]})
            for answer in game.ask_boards(use, boards):
                yield read_gold(unwrap(answer))

    def _places_of(self, numbers: Hexes) -> Places:
        return tuple(self._hexes[number] for number in numbers)

    def _numbers_of(self, places: Places) -> Hexes:
        return tuple(self._numbers[hex_] for hex_ in places)

    def _compare(self, hexes: Places, gold: Gold) -> Placement:
        """Return a placement with what everybody gains, from the gold after it."""
        by_card = dict.fromkeys(self._cards, 0)
        others: Gold = {}
        for key, paid in gold.items():
            card, player = key
            if card not in by_card:
                continue
            gain = paid - self._base.get(key, 0)
            if player == self.wish.player:
                by_card[card] = gain
            elif gain:
                others[key] = gain
        return Placement(hexes, _drop_zeros(by_card), others)


def _drop_zeros(gains: Mapping[str, int]) -> dict[str, int]:
    return {card: gain for card, gain in gains.items() if gain}


def _ask_board(board: Board, rules: Rules, player: int) -> Answer:
    """Ask the rules what a player can build on a board, and what each card looks at."""
    facts = {**board.facts, "advised": [(player,)]}
    return rules.game.ask(asp.ADVISE, facts)


def _read_spare(answer: Answer) -> int:
    """Return how many settlements the player has left to build."""
    [(number,)] = answer["spare"]
    assert isinstance(number, int)
    return number


def _check_known(rules: Rules, cards: Sequence[str]) -> None:
    """Raise a RuleError if a user's rules do not say what a card that they change looks at."""
    shipped = GameRules(rules.game.game)
    ours, _ = shipped.read_parts()
    _, users = rules.game.read_parts()
    changed = set(_find_cards(users, _GOLD, _CARD))
    derived_in_games = shipped.program(asp.GAMES).derived
    shared = derived_in_games | shipped.program(asp.ADVISE).derived
    shared -= {_CARD, _GOLD, _LOOKS, _JOINS, _APART, _MINDS}
    known = {card.name for card in rules.cards}
    # A changed predicate that all cards share changes all of them, and so does a rule in which a
    # variable stands for the card.
    if users.derived & shared or not changed <= known:
        changed = set(cards)
    described = _find_cards(users, _LOOKS)
    places = _find_cards(ours + users, _GOLD, _CARD)
    errors: list[str] = []
    for name in sorted(changed.intersection(cards)):
        if name in described:
            continue
        message = f"nothing says what {name} looks at: write looks/3 for it in your rules"
        # There is no place if the rule names the card by a constant.
        if name in places:
            rule, head = places[name]
            message = str(rule.error(message, offset=head.begin))
        errors.append(message)
    if errors:
        raise RuleError("\n".join(errors[:_MAX_ERRORS]))


def _find_cards(program: Program, *signatures: Signature) -> dict[str, tuple[Statement, Atom]]:
    """Return the rules whose heads name cards, or variables for them, with these heads."""
    places: dict[str, tuple[Statement, Atom]] = {}
    for signature in signatures:
        for rule, head in find_heads(signature, program):
            places[head.arguments[0]] = (rule, head)
    return places


def _list_legal(
    board: Board, rules: Rules, player: int, terrains: Sequence[str], deadline: Deadline
) -> list[Places]:
    """Return the placements of a turn's mandatory action, with as many settlements as possible.

    An action that can build nothing is an InputError.
    """
    words = "/".join(terrains)
    names = list(map(Name, terrains))
    land = board.facts["land"]
    if not any(kind in names for kind, *_ in land):
        message = f"the board has no {words} hex"
        if not land:
            message += ": --terrain needs a board with the letters of its terrain"
        raise InputError(board.name, message)
    opened = find_on_board(rules.game, board, player, terrains)
    for number in range(MAX_SETTLEMENTS, 0, -1):
        # A turn that builds this number of settlements; all else is left to the rules.
        built = opened.after([{"undecided": [()]}] * number)
        found: set[Places] = set()
        options = ("--models=0", "--project=show")
        for answer in rules.game.search(asp.ADVISE_TURN, built.facts, *options):
            deadline.check()
            hexes = [read_hex(place) for (place,) in answer["built_on"]]
            found.add(tuple(sorted(hexes)))
        if found:
            return sorted(found)
    message = f"player {player} cannot build with the card {words}"
    if _read_spare(_ask_board(board, rules, player)) <= 0:
        message += ": no settlement is left to build (--const most_settlements)"
    raise InputError(board.name, message)


_TERRAIN = ("--terrain", "--card")


@run_command(GAME, epilog="Example: kb-score advise game.txt --player 1 --cards 1,3,7")
@click.argument("board")
@click.option(
    "--player",
    type=PLAYER,
    required=True,
    metavar="PLAYER",
    help="The player who builds, by number or name.",
)
@click.option("--cards", metavar="CARDS", help="The cards of the game, such as 1,3,miners.")
@click.option(
    *_TERRAIN,
    "card",
    metavar="TERRAIN",
    help="The terrain card that is played, as in `kb-score legal`: lists only legal placements.",
)
@click.option(
    "--settlements",
    type=WholeNumber(1, MAX_SETTLEMENTS),
    metavar="N",
    help=f"The maximum number of settlements  [default: {MAX_SETTLEMENTS}].",
)
@make_number_option("--placements", 1, 1000, 5, "The number of placements to list.")
@players_option
def advise(
    run: Run,
    board: str,
    player: int | str,
    cards: str | None,
    card: str | None,
    settlements: int | None,
    placements: int,
    players: int | None,
) -> Exit:
    """Find where up to three more settlements on BOARD gain a player most.

    Settlements may stand on any vacant land. With --terrain, which needs a board with the letters
    of its terrain, the rules of the turn say where and how many. "-" is standard input.
    """
    terrains: tuple[str, ...] = () if card is None else tuple(card.lower().split("/"))
    notation = load_notation(run.rules)
    land = [kind.replace("_", "-") for kind in notation.land.values()]
    for word in terrains:
        if word not in land:
            listed = ", ".join(land)
            message = f"there is no {word!r}: choose from {listed}{guess(word, land)}"
            raise click.BadParameter(message, param_hint=_TERRAIN)
    if terrains and settlements is not None:
        fault = "the rules of the turn decide how many settlements are built"
        raise click.BadParameter(f"{fault}: leave out --settlements", param_hint=_TERRAIN)
    loaded, chosen = load_cards(run.rules, cards)
    text = read_input(board, BOARD_FILE)
    read = print_notes(parse_board(text, run.rules, name=board))
    number = read.labels.find_player(player, board)
    assert number is not None
    wish = Wish(
        player=number,
        cards=chosen,
        players=players,
        settlements=settlements or MAX_SETTLEMENTS,
        placements=placements,
        terrains=terrains,
    )
    deadline = Deadline(run.rules.changes.limits.seconds)
    adviser = Adviser(read, loaded, wish, deadline)
    try:
        adviser.run()
    except Ended:
        run.show(_report(adviser, drawn=False))
        raise
    for note in adviser.notes:
        complain(note, kind=f"{read.name}: note")
    run.show(_report(adviser, drawn=True))
    return Exit.FINE


def _report(adviser: Adviser, *, drawn: bool) -> Output:
    """Lay out the best placements, whether they are proved, and a picture of the first.

    Drawing takes time, so there need not be a picture.
    """
    found = adviser.placements
    wish = adviser.wish
    board = adviser.board
    blocks: list[Block] = []
    if found:
        kind = "of a settlement"
        if wish.terrains:
            kind = f"with the card {'/'.join(wish.terrains)}"
        elif wish.settlements > 1:
            kind = f"of up to {wish.settlements} settlements"
        title = f"{board.name}: player {wish.player}, the best placements {kind}"
        blocks.append(_list_placements(title, found))
        if drawn:
            drawing = draw_board(board, adviser.rules)
            best = frozenset(found[0].hexes)
            blocks.append(draw_hexes(replace(drawing, highlights=best)))
    if adviser.proved:
        noun = "legal placement" if wish.terrains else "placement"
        more = f"more than {found[0].gain}" if found else "anything"
        claim = f"no {noun} gains {more}: "
        blocks.append(Text(claim, outcome="proved", colour="green"))
    else:
        blocks.append(Text("no placement is better: ", outcome="not proved", colour="red"))
    shown: list[dict[str, Any]] = []
    rows: list[Row] = []
    for number, placement in enumerate(found, 1):
        hexes = list(map(list, placement.hexes))
        gain = placement.gain
        by_card = placement.by_card
        shown.append({"hexes": hexes, "gain": gain, "by_card": by_card})
        proved = int(adviser.proved)
        cells = (board.name, wish.player, proved, number, gain, _write(placement))
        # A placement that gains nothing has one row, too.
        rows += [(*cells, card, gold) for card, gold in (by_card or {"": 0}).items()]
    line = {
        "board": board.name,
        "player": wish.player,
        "proved": adviser.proved,
        "placements": shown,
    }
    columns = ("board", "player", "proved", "placement", "gain", "hexes", "card", "gold")
    return Output(blocks, [line], Table("", columns, tuple(rows)))


def _list_placements(title: str, found: Sequence[Placement]) -> Table:
    columns = ["gain", "hexes", "by card"]
    concerns_others = any(placement.others for placement in found)
    if concerns_others:
        columns.append("other players")
    rows: list[Row] = []
    for placement in found:
        by_card = [f"{card} {gold}" for card, gold in placement.by_card.items()]
        row: list[str | int] = [placement.gain, _write(placement), ", ".join(by_card)]
        if concerns_others:
            row.append(_write_others(placement))
        rows.append(tuple(row))
    return Table(title, tuple(columns), tuple(rows))


def _write(placement: Placement) -> str:
    """Return the hexes of a placement as text."""
    return "  ".join(f"{row},{column}" for row, column in placement.hexes)


def _write_others(placement: Placement) -> str:
    """Return what others gain or lose as text, player by player."""
    gains = [(player, card, gain) for (card, player), gain in placement.others.items()]
    shown = [f"player {player} {card} {gain:+}" for player, card, gain in sorted(gains)]
    return ", ".join(shown)


COMMANDS = {"advise": advise}
