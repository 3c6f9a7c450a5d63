"""Boards that explain claims: the search for all of them, and the command ``restore``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, count, islice
from typing import Literal

import click

from kb_score.engine.program import Program
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts, predicate_of
from kb_score.errors import InputError
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    HIDDEN,
    MAX_PLAYERS,
    PLAYERS,
    Board,
    Hex,
    parse_board,
    shorten,
    tell_notes,
)
from kb_score.games.kingdom_builder.claims import CLAIMS_FILE, Claim, claim_facts, read_claims
from kb_score.games.kingdom_builder.commands import players_option
from kb_score.games.kingdom_builder.land import find_asked
from kb_score.games.kingdom_builder.records import recognises
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board
from kb_score.games.verbs.run import Run, run_command
from kb_score.shell.files import in_order, read_inputs
from kb_score.shell.options import number_option
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, show_progress
from kb_score.shell.picture import draw
from kb_score.shell.shutdown import Ended

# More hidden hexes would take the rules hours, or all memory.
MOST_HIDDEN = 64


@dataclass(frozen=True)
class Puzzle:
    """A board, on which a hidden hex is ``?``, and claims that are right."""

    board: Board
    claims: tuple[Claim, ...]
    players: tuple[int, ...]  # in the order of the claims' figures
    number: int | None  # of players, if it is given
    symbols: tuple[str, ...] | None  # what may stand on an open hex; None for all there is

    @property
    def hidden(self) -> tuple[Hex, ...]:
        """The hidden hexes, row by row."""
        return tuple(place for place in self.places if self.at(place) == HIDDEN)

    @property
    def places(self) -> list[Hex]:
        """All hexes of the board, row by row."""
        return [(r, c) for r in range(self.board.height) for c in range(self.board.width)]

    def at(self, place: Hex) -> str:
        """What the board has on a hex."""
        row, column = place
        return self.board.rows[row][column]

    def facts(self, opened: Sequence[Hex], changes: int, asked: Set[str]) -> Facts:
        """Make the facts of a search in which some hexes are open."""
        masked = self.board.fill((row, column, HIDDEN) for row, column in opened)
        options = {place: self._options(place, asked) for place in opened}
        symbols = sorted({symbol for some in options.values() for symbol in some})
        return {
            **masked.facts_for(self.number),
            **claim_facts(self.claims, self.players),
            **self.board.notation.open_facts(symbols),
            "restored": [()],
            "open": list(opened),
            "may_stand": [(*place, symbol) for place, some in options.items() for symbol in some],
            "given": [(*h, self.at(h)) for h in opened if self.at(h) != HIDDEN],
            "changes": [(changes,)],
        }

    def _options(self, place: Hex, asked: Set[str]) -> list[str]:
        """List what may stand on a hex: itself, and what the rules can tell from it."""
        here = self.at(place)
        if here == HIDDEN and self.symbols:
            return list(self.symbols)
        symbols = [*([] if here == HIDDEN else [here]), *(self.symbols or self._list_symbols())]
        return self.board.notation.leave_out_alike(symbols, asked)

    def _list_symbols(self) -> list[str]:
        """List all that a hex may hold in the board's notation, for these players."""
        others = set(PLAYERS) - set(map(str, self.players))
        hexes = {hex_ for row in self.board.rows for hex_ in row} - {HIDDEN}
        notation = self.board.notation
        # What a file may hold whose board says nothing of its land: the challenge's symbols.
        no_land = [s for s, kind in notation.terrain if kind != "nomad"]
        symbols = [".", *no_land, *PLAYERS]
        if not hexes <= set(symbols):
            symbols = [*notation.alone, *notation.pairs]
        return [s for s in symbols if others.isdisjoint(s) and shorten(s) == s and s != ".#"]


def make_puzzle(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str,
    players: int | None = None,
    symbols: Sequence[str] | None = None,
) -> Puzzle:
    """Put a board and claims together; an InputError says why they do not fit."""
    seen = rules.find_players(board.facts_for(players))
    given = None if players is None else range(1, players + 1)
    claims = read_claims(claims_text, replace(rules, kinds=()), given, name=name)
    figures = len(claims[0].gold)
    if len(seen) > figures:
        message = f"a line has {figures} figures, but the board has {len(seen)} players"
        raise InputError(name, message)
    if figures > MAX_PLAYERS:
        raise InputError(name, f"a line has {figures} figures, for up to {MAX_PLAYERS} players")
    # Players who are all hidden are taken to have the lowest numbers that are left.
    others = islice((p for p in count(1) if p not in seen), figures - len(seen))
    everybody = tuple(sorted([*seen, *others]))
    chosen = None if symbols is None else tuple(dict.fromkeys(map(shorten, symbols)))
    for symbol in chosen or ():
        if not board.notation.has(symbol):
            raise InputError("--symbols", f"unexpected {symbol[:20]!r}: {board.notation.words}")
        if owner := set(symbol) & set(PLAYERS) - set(map(str, everybody)):
            numbers = ", ".join(map(str, everybody))
            message = f"{symbol} is of player {min(owner)}: there are {numbers}"
            raise InputError("--symbols", message)
    puzzle = Puzzle(board, claims, everybody, players, chosen)
    if len(puzzle.hidden) > MOST_HIDDEN:
        message = f"{len(puzzle.hidden)} hidden hexes are too many: {MOST_HIDDEN} is the limit"
        raise InputError(board.name, message)
    return puzzle


# clasp's way to search that found boards soonest; see docs/restore.md.
_OPTIONS = ("--configuration=frumpy",)
# So many hexes that are not hidden are open at once: with more, clingo would ground far more chains
# of settlements than a few changes can make.
_OPEN = 20
# Hexes that are open together lie apart: those of a row by the number of parts, and those of the
# next row are shifted by so many.
_SHIFT = 7

# What differs from the board as it is given: the symbol that stands on a hex.
Filling = frozenset[tuple[int, int, str]]


@dataclass
class Restorer:
    """Looks for the boards that explain claims, those with fewest changes first."""

    puzzle: Puzzle
    rules: Rules
    most: int  # so many boards are listed
    changes: int  # so many of the hexes that could be read may hold something else
    deadline: Deadline
    found: dict[Filling, None] = field(default_factory=dict)  # in the order in which they came
    complete: bool = False  # whether there is no other board
    proved: bool = False  # whether `common` is so also on the boards that were not found
    _common: list[Filling] = field(default_factory=list)  # as it narrows, of all there are

    def run(self) -> None:
        """Search until all is known that can be told, or the time is over."""
        with suppress(TimeUp):
            parts = [(o, n) for n in range(self.changes + 1) for o in self._cover(n)]
            self.complete = all(
                self._find(*part, f"part {number} of {len(parts)}")
                for number, part in enumerate(parts, 1)
            )
            self.proved = self.proved or self.complete

    @property
    def common(self) -> Filling:
        """What all boards have on hidden and on changed hexes, as far as is known."""
        return frozenset.intersection(*self.found, *self._common) if self.found else frozenset()

    @property
    def fewest(self) -> int | None:
        """The number of changes of the first board; None if there is no board."""
        for filling in self.found:
            return sum(self.puzzle.at((row, column)) != HIDDEN for row, column, _ in filling)
        return None

    def _find(self, opened: list[Hex], changes: int, part: str) -> bool:
        """Look for boards that change so many of the open hexes; tell whether these are all."""
        program = self._program
        land = [kind for _, kind in self.puzzle.board.notation.land]
        facts = dict(self.puzzle.facts(opened, changes, find_asked(program, land)))
        if "score.lp" not in {path.name for path in self.rules.game.changes.files}:
            facts["plain_sums"] = [()]
        search = AnswerSearch(program, facts, predicate_of(asp.StandsRow), self.deadline, _OPTIONS)
        show_progress(f"{_count(len(self.found), 'board')} found, {part}")
        # Some of these boards may have been found before, in another part of the board.
        for answer in search.find():
            filling = self._read(answer)
            if filling not in self.found and len(self.found) == self.most:
                break
            self.found[filling] = None
            show_progress(f"{_count(len(self.found), 'board')} found, {part}")
        else:
            return True
        if not self.changes:
            for answer in search.find("cautious"):
                self._common.append(self._read(answer))
            self.proved = True
        return False

    @cached_property
    def _program(self) -> Program:
        claimed = {number for claim in self.puzzle.claims for number in claim.numbers}
        names = [card.name for card in self.rules.cards if card.number in {0, *claimed}]
        use = asp.SCORE.plus("claims", "open", "restore")
        game = self.rules.game
        return game.program(asp.narrow(use, game, {"cards": names}))

    def _read(self, answer: Answer) -> Filling:
        stands = answer.read(asp.StandsRow)
        return frozenset(row for row in stands if row.symbol != self.puzzle.at((row[0], row[1])))

    def _cover(self, changes: int) -> Iterator[list[Hex]]:
        """Yield sets of open hexes, such that any so many of the given ones are in one of them."""
        given = [place for place in self.puzzle.places if self.puzzle.at(place) != HIDDEN]
        count = max(1, changes, -(-len(given) * changes // _OPEN))
        parts: list[list[Hex]] = [[] for _ in range(count)]
        for row, column in given:
            parts[(_SHIFT * row + column) % count].append((row, column))
        for some in combinations(parts, changes):
            yield sorted([*self.puzzle.hidden, *(place for part in some for place in part)])


def _report(found: Restorer) -> Output:
    """Lay out the boards that explain claims, as far as they were found."""
    name, puzzle = found.puzzle.board.name, found.puzzle
    line = {
        "board": name,
        "explanations": len(found.found),
        "complete": found.complete,
        "boards": [str(puzzle.board.fill(filling)) for filling in found.found],
        "common": list(map(list, sorted(found.common))),
        "common_proved": found.proved,
        "changes": found.fewest if found.changes else None,
    }
    colour: Literal["green", "red"] = "green" if found.found else "red"
    blocks: list[Block] = [Text(f"{name}: ", outcome=_tell(found), colour=colour)]
    rows = [
        (number, row, column, puzzle.at((row, column)), symbol)
        for number, filling in enumerate(found.found, start=1)
        for row, column, symbol in sorted(filling)
    ]
    if found.found:
        asked = {(row, column) for row, column, _ in found.common}.union(puzzle.hidden)
        blocks += [_draw(found, found.common, asked), _list_hexes(found)]
    if found.found and found.changes:
        changed = tuple(row for row in rows if row[3] != HIDDEN)
        columns = "explanation", "row", "column", "given", "would explain"
        blocks.append(Table("changes", columns, changed))
    # A few boards are drawn; a single one is already, as what all boards have in common.
    if 1 < len(found.found) <= 3:
        for number, filling in enumerate(found.found, start=1):
            marked = _draw(found, filling, {(row, column) for row, column, _ in filling})
            blocks += [Text(f"explanation {number}", "heading"), marked]
    listed = tuple((name, *row) for row in rows)
    heads = "board", "explanation", "row", "column", "given", "holds"
    return Output(blocks, [line], Table("", heads, listed))


def _tell(found: Restorer) -> str:
    number = len(found.found)
    within = f" with at most {_count(found.changes, 'change')}" if found.changes else ""
    if not number:
        late = "was found in the time there was; there may be one"
        return f"no board{within} {'explains the claims' if found.complete else late}"
    said = f"{_count(number, 'board')}{within} explain{'s' * (number == 1)} the claims"
    fewest = f"; the fewest changes are {found.fewest}" if found.changes else ""
    whole = "no other does" if found.complete else "there may be more"
    return f"{said}{fewest}; {whole}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _draw(found: Restorer, filling: Filling, marked: Set[Hex]) -> Text:
    """Draw a board with some hexes in brackets; a hidden one that is not filled is a ?."""
    drawing = draw_board(found.puzzle.board.fill(filling), found.rules)
    filled = {(row, column) for row, column, _ in filling}
    cells = {**drawing.cells, **dict.fromkeys(marked - filled, HIDDEN)}
    shown = replace(drawing, cells=cells, highlights=frozenset(marked))
    return Text(draw(shown, hexes=True), "picture")


def _list_hexes(found: Restorer) -> Table:
    """List the hexes in question: what stands there on all boards, or on how many."""
    common = {(row, column): symbol for row, column, symbol in found.common}
    boards = [{(row, column): symbol for row, column, symbol in some} for some in found.found]
    rows: list[tuple[str | int, ...]] = []
    for place in sorted(set[Hex]().union(*boards)):
        given = found.puzzle.at(place)
        counts = Counter(board.get(place, given) for board in boards)
        held = "  ".join(f"{symbol} x {number}" for symbol, number in sorted(counts.items()))
        rows.append((*place, given, common.get(place, ""), held))
    return Table("", ("row", "column", "given", "on all", "on the boards listed"), tuple(rows))


@run_command(GAME, epilog="Example: kb-score restore smudged.txt claims.txt --limit-seconds 60")
@click.argument("board")
@click.argument("claims")
@number_option("--changes", 0, 2, 0, "Hexes without ? that may be wrong as well.")
@number_option("--boards", 1, 5000, 100, "How many boards are listed.")
@click.option(
    "--symbols",
    metavar="SYMBOLS",
    help="What may stand there, such as '. W 1 2'  [default: all that such a board has].",
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
    or when it is interrupted, the search shows what it has found by then.
    """
    loaded = load_rules(run.rules)
    board_text, claims_text = read_inputs((board, BOARD_FILE), (claims, CLAIMS_FILE))
    with in_order(swapped=recognises(claims_text.replace(HIDDEN, "."))):
        read = tell_notes(parse_board(board_text, run.rules, name=board, allows="hidden"))
    chosen = None if symbols is None else re.split(r"[\s,]+", symbols.strip())
    puzzle = make_puzzle(read, claims_text, loaded, name=claims, players=players, symbols=chosen)
    if not puzzle.hidden and not changes:
        advice = "--changes N looks for boards that differ in N hexes, check judges the claims"
        raise InputError(board, f"no hex is hidden by ?: {advice}")
    found = Restorer(puzzle, loaded, boards, changes, Deadline(run.rules.changes.limits.seconds))
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
    # A search that has not come to its end refutes nothing.
    return Exit.DIFFERS if found.complete else Exit.UNUSABLE


COMMANDS = {"restore": restore}
