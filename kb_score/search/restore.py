"""Boards that explain claims: the search for all of them, and the command ``restore``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, product
from math import ceil
from typing import Literal, TypeAlias

import click

from kb_score.cli.kingdom_builder.score import players_option
from kb_score.cli.run import Run, run_command
from kb_score.engine.program import Program
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts, Row
from kb_score.errors import InputError, write_count
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    HIDDEN,
    MAX_PLAYERS,
    PLAYERS,
    Board,
    Hex,
    parse_board,
    print_notes,
    shorten,
)
from kb_score.games.kingdom_builder.claims import CLAIMS_FILE, Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.land import find_asked
from kb_score.games.kingdom_builder.records import recognises
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.shell.files import hint_if_swapped, read_inputs
from kb_score.shell.options import make_number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show_progress
from kb_score.shell.picture import draw
from kb_score.shell.shutdown import Ended

# With more hidden hexes a search would take hours, or all memory.
MAX_HIDDEN = 64


@dataclass(frozen=True)
class Puzzle:
    """A board with hidden hexes, and claims.

    Attributes:
        board: The board, on which ``?`` stands for a hidden hex.
        players: The players, in the order of the figures of a claim.
        number: The number of players; None if it is not given.
        symbols: The symbols that may stand on an open hex; None for all.
    """

    board: Board
    claims: tuple[Claim, ...]
    players: tuple[int, ...]
    number: int | None
    symbols: tuple[str, ...] | None

    @property
    def hidden(self) -> tuple[Hex, ...]:
        """The hidden hexes, row by row."""
        return tuple(place for place in self.places if self.at(place) == HIDDEN)

    @property
    def places(self) -> list[Hex]:
        """All hexes of the board, row by row."""
        return list(product(range(self.board.height), range(self.board.width)))

    def at(self, place: Hex) -> str:
        """Return the symbol on a hex; rows and columns count from 0."""
        row, column = place
        return self.board.rows[row][column]

    def facts(self, opened: Sequence[Hex], changes: int, asked: Set[str]) -> Facts:
        """Return the facts of a search, which decides what stands on the open hexes.

        ``changes`` is the number of readable open hexes that hold another symbol, and ``asked`` has
        the predicates that the rules ask for.
        """
        masked = self.board.fill((row, column, HIDDEN) for row, column in opened)
        symbols: set[str] = set()
        given: list[Row] = []
        may_stand: list[Row] = []
        for place in opened:
            here = self.at(place)
            if here != HIDDEN:
                given.append((*place, here))
            options = self._list_options(here, asked)
            may_stand += [(*place, symbol) for symbol in options]
            symbols.update(options)
        return {
            **masked.facts_for(self.number),
            **claim_facts(self.claims, self.players),
            **self.board.notation.open_facts(sorted(symbols)),
            "restored": [()],
            "open": list(opened),
            "may_stand": may_stand,
            "given": given,
            "changes": [(changes,)],
        }

    def _list_options(self, here: str, asked: Set[str]) -> Sequence[str]:
        """Return the symbols that a hex with this symbol may have on a restored board.

        Of symbols that the rules cannot tell apart, only one is returned.
        """
        if here == HIDDEN and self.symbols:
            return self.symbols
        symbols = list(self.symbols or self._list_symbols())
        if here != HIDDEN:
            symbols.insert(0, here)
        return self.board.notation.drop_equivalent(symbols, asked)

    def _list_symbols(self) -> list[str]:
        """Return all symbols that a hex may have in the board's notation, for these players."""
        notation = self.board.notation
        # Boards without land letters use the challenge's symbols.
        no_land = [symbol for symbol, kind in notation.terrain.items() if kind != "nomad"]
        symbols = [".", *no_land, *PLAYERS]
        hexes = set(chain.from_iterable(self.board.rows))
        if not hexes <= {*symbols, HIDDEN}:
            symbols = notation.hexes
        absent = set(PLAYERS).difference(map(str, self.players))
        return [symbol for symbol in symbols if absent.isdisjoint(symbol)]


def make_puzzle(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str,
    players: int | None = None,
    symbols: Sequence[str] | None = None,
) -> Puzzle:
    """Return the puzzle of a board and claims.

    ``name`` is that of the claims in errors; without symbols, any may stand on a hidden hex. Claims
    that cannot be read are a FormatError; a board, claims and symbols that do not match are an
    InputError.
    """
    seen = rules.find_players(board.facts_for(players))
    given = None if players is None else range(1, players + 1)
    claims = read_claims(claims_text, replace(rules, kinds=()), given, name=name)
    figures = len(claims[0].gold)
    if len(seen) > figures:
        shown = write_count(figures, "figure")
        message = f"a line has {shown}, but the board has {len(seen)} players"
        raise InputError(name, message)
    if figures > MAX_PLAYERS:
        raise InputError(name, f"a line has {figures} figures, but at most {MAX_PLAYERS} can play")
    # Players whose settlements are all hidden get the lowest numbers that are left.
    unseen = [player for player in range(1, MAX_PLAYERS + 1) if player not in seen]
    everybody = tuple(sorted([*seen, *unseen[: figures - len(seen)]]))
    chosen = None
    if symbols is not None:
        chosen = tuple(dict.fromkeys(map(shorten, symbols)))
        _check_symbols(chosen, board, everybody)
    puzzle = Puzzle(board, claims, everybody, players, chosen)
    if len(puzzle.hidden) > MAX_HIDDEN:
        message = f"{len(puzzle.hidden)} hidden hexes are too many: {MAX_HIDDEN} is the limit"
        raise InputError(board.name, message)
    return puzzle


def _check_symbols(symbols: Iterable[str], board: Board, players: Sequence[int]) -> None:
    """Check that symbols are hexes, and that their settlements are those of players."""
    known = list(map(str, players))
    absent = set(PLAYERS).difference(known)
    for symbol in symbols:
        if not board.notation.has(symbol):
            message = f"unexpected {symbol[:20]!r}: {board.notation.description}"
            raise InputError("--symbols", message)
        owners = absent.intersection(symbol)
        if owners:
            listed = ", ".join(known)
            message = f"{symbol} belongs to player {min(owners)}, but the players are {listed}"
            raise InputError("--symbols", message)


# The configuration of clasp that found boards soonest; see docs/restore.md.
_OPTIONS = ("--configuration=frumpy",)
# The maximum number of readable hexes that are open at once: with more, clingo would ground far
# more chains of settlements than a few changes can make.
_MAX_OPEN = 20
# Hexes that are open together are spread out: in a row, one hex in as many as there are parts is
# open, and each row is shifted by this number of hexes.
_SHIFT = 7

# The symbols of a restored board where they differ from the board as it is given.
Filling: TypeAlias = frozenset[tuple[int, int, str]]


@dataclass
class Restorer:
    """Searches for the boards that explain claims, those with the fewest changes first.

    Attributes:
        most: The maximum number of boards to find.
        changes: The maximum number of readable hexes that may hold another symbol.
        found: The boards that were found, in the order of the search.
        complete: Whether there is no other board.
        proved: Whether `common` also holds for boards that were not found.
    """

    puzzle: Puzzle
    rules: Rules
    most: int
    changes: int
    deadline: Deadline
    found: dict[Filling, None] = field(default_factory=dict)
    complete: bool = False
    proved: bool = False
    _common: list[Filling] = field(default_factory=list)  # supersets of `common`, ever smaller

    def run(self) -> None:
        """Search until all boards, or as many as wanted, are found or the deadline has passed."""
        parts: list[tuple[list[Hex], int]] = []
        for changes in range(self.changes + 1):
            parts += [(opened, changes) for opened in self._cover(changes)]
        with suppress(TimeUp):
            for number, (opened, changes) in enumerate(parts, 1):
                part = f"part {number} of {len(parts)}"
                if not self._find(opened, changes, part):
                    return
            self.complete = True
            self.proved = True

    @property
    def common(self) -> Filling:
        """What all boards have on hidden and on changed hexes, as far as is known."""
        if not self.found:
            return frozenset()
        return frozenset.intersection(*self.found, *self._common)

    @property
    def fewest(self) -> int | None:
        """The number of changes of the first board; None if no board was found."""
        if not self.found:
            return None
        first = next(iter(self.found))
        return sum(self.puzzle.at(place) != HIDDEN for place in _by_place(first))

    def _find(self, opened: list[Hex], changes: int, part: str) -> bool:
        """Search for boards with this number of changes, all of them on open hexes.

        Returns whether all of these boards were found. ``part`` names this part of the search for
        the progress display.
        """
        program = self._program
        asked = find_asked(program, self.puzzle.board.notation.land.values())
        facts = dict(self.puzzle.facts(opened, changes, asked))
        if "score.lp" not in {path.name for path in self.rules.game.changes.files}:
            facts["plain_sums"] = [()]
        search = AnswerSearch(program, facts, ("puts", 3), self.deadline, _OPTIONS)
        self._show_progress(part)
        # Some of these boards may have been found before, in another part of the search.
        for answer in search.find():
            filling = self._read(answer)
            if filling not in self.found and len(self.found) == self.most:
                break
            self.found[filling] = None
            self._show_progress(part)
        else:
            return True
        if not self.changes:
            for answer in search.find("cautious"):
                self._common.append(self._read(answer))
            self.proved = True
        return False

    @cached_property
    def _program(self) -> Program:
        """The rules of the cards that the claims are about."""
        numbers = {0}
        for claim in self.puzzle.claims:
            numbers.update(claim.numbers)
        names = [card.name for card in self.rules.cards if card.number in numbers]
        game = self.rules.game
        use = asp.SCORE.plus("claims", "open", "restore")
        return game.program(asp.narrow(use, game, {"cards": names}))

    def _read(self, answer: Answer) -> Filling:
        """Return the symbols of a board that differ from the given board."""
        changed: list[tuple[int, int, str]] = []
        for row, column, symbol in answer["puts"]:
            if symbol != self.puzzle.at((row, column)):
                changed.append((row, column, symbol))
        return frozenset(changed)

    def _show_progress(self, part: str) -> None:
        boards = write_count(len(self.found), "board")
        show_progress(f"{boards} found, {part}")

    def _cover(self, changes: int) -> Iterator[list[Hex]]:
        """Yield sets of open hexes: any combination of this number of hexes is in one of them."""
        given = [place for place in self.puzzle.places if self.puzzle.at(place) != HIDDEN]
        number = max(1, changes, ceil(len(given) * changes / _MAX_OPEN))
        parts: list[list[Hex]] = [[] for _ in range(number)]
        for row, column in given:
            parts[(_SHIFT * row + column) % number].append((row, column))
        for chosen in combinations(parts, changes):
            yield sorted(chain(self.puzzle.hidden, *chosen))


def _by_place(filling: Filling) -> dict[Hex, str]:
    return {(row, column): symbol for row, column, symbol in filling}


def _report(found: Restorer) -> Output:
    """Lay out the boards that explain claims, as far as they were found."""
    puzzle = found.puzzle
    name = puzzle.board.name
    fillings = list(found.found)
    boards = [str(puzzle.board.fill(filling)) for filling in fillings]
    fewest = found.fewest if found.changes else None
    line = {
        "board": name,
        "explanations": len(fillings),
        "complete": found.complete,
        "boards": boards,
        "common": list(map(list, sorted(found.common))),
        "common_proved": found.proved,
        "changes": fewest,
    }
    colour: Literal["green", "red"] = "green" if fillings else "red"
    blocks: list[Block] = [Text(f"{name}: ", outcome=_describe(found), colour=colour)]
    if fillings:
        marked = {*_by_place(found.common), *puzzle.hidden}
        blocks.append(_draw(found, found.common, marked))
        blocks.append(_list_hexes(found))
    differences = list(_list_differences(found))
    if fillings and found.changes:
        columns = ("explanation", "row", "column", "given", "would explain")
        changed = tuple(cells for cells in differences if cells[3] != HIDDEN)
        blocks.append(Table("changes", columns, changed))
    # Two or three boards are drawn; a single one has been drawn already, as what all boards have in
    # common.
    if 1 < len(fillings) <= 3:
        for number, filling in enumerate(fillings, start=1):
            blocks.append(Text(f"explanation {number}", "heading"))
            blocks.append(_draw(found, filling, set(_by_place(filling))))
    heads = ("board", "explanation", "row", "column", "given", "holds")
    table = Table("", heads, tuple((name, *cells) for cells in differences))
    return Output(blocks, [line], table)


def _list_differences(found: Restorer) -> Iterator[tuple[int, int, int, str, str]]:
    """Yield the hexes that differ from the given board, with the numbers of the restored boards."""
    for number, filling in enumerate(found.found, start=1):
        for row, column, symbol in sorted(filling):
            given = found.puzzle.at((row, column))
            yield number, row, column, given, symbol


def _describe(found: Restorer) -> str:
    """Return a sentence that says how many boards explain the claims."""
    number = len(found.found)
    within = ""
    if found.changes:
        within = f" with at most {write_count(found.changes, 'change')}"
    if not number and found.complete:
        return f"no board{within} explains the claims"
    if not number:
        return f"no board{within} was found before the search stopped; there may be one"
    verb = "explains" if number == 1 else "explain"
    text = f"{write_count(number, 'board')}{within} {verb} the claims"
    if found.changes:
        text += f"; the smallest number of changes is {found.fewest}"
    if found.complete:
        return f"{text}; no other board does"
    return f"{text}; there may be more boards"


def _draw(found: Restorer, filling: Filling, marked: Set[Hex]) -> Text:
    """Draw a board with the marked hexes in brackets, and a ? on those that are not filled."""
    drawing = draw_board(found.puzzle.board.fill(filling), found.rules)
    unfilled = marked - _by_place(filling).keys()
    cells = {**drawing.cells, **dict.fromkeys(unfilled, HIDDEN)}
    shown = replace(drawing, cells=cells, highlights=frozenset(marked))
    return Text(draw(shown, hexes=True), "picture")


def _list_hexes(found: Restorer) -> Table:
    """Return a table of the hexes that differ from the given board on some restored board."""
    common = _by_place(found.common)
    boards = list(map(_by_place, found.found))
    rows: list[tuple[str | int, ...]] = []
    for place in sorted(set(chain.from_iterable(boards))):
        given = found.puzzle.at(place)
        counts = Counter(board.get(place, given) for board in boards)
        held = [f"{symbol} x {number}" for symbol, number in sorted(counts.items())]
        rows.append((*place, given, common.get(place, ""), "  ".join(held)))
    columns = ("row", "column", "given", "on all", "on the boards listed")
    return Table("", columns, tuple(rows))


@run_command(GAME, epilog="Example: kb-score restore smudged.txt claims.txt --limit-seconds 60")
@click.argument("board")
@click.argument("claims")
@make_number_option(
    "--changes", 0, 2, 0, "The maximum number of hexes without ? that may be wrong."
)
@make_number_option("--boards", 1, 5000, 100, "The maximum number of boards to list.")
@click.option(
    "--symbols",
    metavar="SYMBOLS",
    help="The symbols to try, such as '. W 1 2'  [default: all that are possible on the board].",
)
@players_option
def restore(
    run: Run,
    board: str,
    claims: str,
    changes: int,
    boards: int,
    symbols: str | None,
    players: int | None,
) -> Exit:
    """Find the boards that explain CLAIMS, where hexes of BOARD are hidden by ?, or wrong.

    CLAIMS are as for check. One of the files may be "-", standard input. With --limit-seconds,
    or when it is interrupted, the command prints what it has found by then.
    """
    loaded = load_rules(run.rules)
    board_text, claims_text = read_inputs((board, BOARD_FILE), (claims, CLAIMS_FILE))
    # A board in place of the claims means that the files are in the wrong order.
    is_swapped = recognises(claims_text.replace(HIDDEN, "."))
    with hint_if_swapped(swapped=is_swapped):
        read = print_notes(parse_board(board_text, run.rules, name=board, allows="hidden"))
    chosen = None if symbols is None else re.split(r"[\s,]+", symbols.strip())
    puzzle = make_puzzle(read, claims_text, loaded, name=claims, players=players, symbols=chosen)
    if not puzzle.hidden and not changes:
        advice = "use --changes N if N hexes may be wrong, or kb-score check to judge the claims"
        raise InputError(board, f"no hex is hidden (?): {advice}")
    deadline = Deadline(run.rules.changes.limits.seconds)
    found = Restorer(puzzle, loaded, boards, changes, deadline)
    try:
        found.run()
    except Ended:
        run.show(_report(found))
        raise
    run.show(_report(found))
    if found.deadline.is_over and not found.complete:
        complain(f"stopped after {found.deadline.seconds:g} s (--limit-seconds)", kind="note")
    if found.found:
        return Exit.FINE
    if found.complete:
        return Exit.DIFFERS
    # An unfinished search proves nothing.
    return Exit.UNUSABLE


COMMANDS = {"restore": restore}
