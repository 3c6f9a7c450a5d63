"""The pages of Kingdom Builder that show scores and rules: ``report`` and ``playground``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, TypedDict

import click

from kb_score.cli.kingdom_builder.score import (
    cards_option,
    load_cards,
    players_option,
    read_all,
    tell_findings,
)
from kb_score.cli.run import Run, run_command
from kb_score.engine.changes import list_wanted
from kb_score.engine.rules import Asked, GameRules, Use
from kb_score.engine.terms import Answer, to_symbol
from kb_score.errors import InputError, unwrap, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    HEADINGS,
    MAX_PLAYERS,
    Board,
    Notation,
    Quadrant,
    is_game,
    load_notation,
    parse_board,
    print_notes,
    read_quadrants,
)
from kb_score.games.kingdom_builder.check import trace_game
from kb_score.games.kingdom_builder.records import load_names, read_record
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import (
    Scorer,
    Scores,
    draw_board,
    explain,
    read_gold,
    score_boards,
)
from kb_score.games.labels import NO_LABELS, Labels, names_option, title_option
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import read_drawing
from kb_score.shell.files import normalise, read_input
from kb_score.shell.output import Exit, Messages, with_progress
from kb_score.shell.pages import (
    DrawnBoard,
    Pair,
    draw_static_board,
    fill_page,
    list_board,
    list_styles,
    make_title,
)
from kb_score.shell.svg import draw_patterns

if TYPE_CHECKING:
    from kb_score.web.playground import BoardData, BoardUse, GameData, Meaning, QuadrantData


class Payment(TypedDict):
    """A piece that a card pays for, with the hexes that show it."""

    why: str
    gold: int
    hexes: Sequence[Pair]
    # The first row and column and the last of the part of the board that it is about, if of one.
    span: tuple[int, int, int, int] | None


class ReportBoard(DrawnBoard):
    """A board of the report."""

    name: str
    players: Sequence[int]
    # The gold of each player, in the order of the players, for each card.
    gold: Mapping[str, Sequence[int]]
    # The total of a game with the chosen cards; none if all cards are scored.
    total: Sequence[int] | None
    names: Sequence[str]  # the names of the players
    winners: Sequence[int] | None  # the numbers of the winners; none if there is no total
    saying: str  # the sentence that names the winners; may be empty
    findings: Sequence[tuple[str, str]]  # the code and the detail of each violation
    # The pieces that are paid for, for each card and player.
    evidence: Mapping[str, Sequence[Sequence[Payment]]]


class CardData(TypedDict):
    """A card."""

    name: str
    number: int  # 0 for what pays in every game
    text: str  # what it pays for


class ReportData(TypedDict):
    """The data of a report."""

    boards: Sequence[ReportBoard]
    cards: Sequence[CardData]  # the cards that are scored, in order
    players: Sequence[tuple[int, str]]  # the players of any board, and their names


def _list_board(
    board: Board, name: str, scores: Scores, rules: Rules, players: int | None
) -> ReportBoard:
    """Return the data of a board for the report; a title of its own goes before its name."""
    saying = scores.saying
    if saying:
        saying = f"{saying[0].upper()}{saying[1:]}."
    evidence: dict[str, list[list[Payment]]] = {card: [] for card in scores.gold}
    for found in explain(board, rules, cards=scores.gold, players=players):
        payments: list[Payment] = [
            {
                "why": visible(piece.why),
                "gold": piece.gold,
                "hexes": piece.hexes,
                "span": piece.span,
            }
            for piece in found.evidence
        ]
        evidence[found.card.name].append(payments)
    return {
        "name": visible(scores.labels.title or name),
        **list_board(draw_board(board, rules), hexes=True),
        "players": scores.players,
        "gold": scores.gold,
        "total": scores.total,
        "names": [*map(scores.labels.name, scores.players)],
        "winners": scores.winners,
        "saying": saying,
        "findings": [(visible(v.code), visible(v.detail)) for v in scores.violations],
        "evidence": evidence,
    }


def _name_boards(paths: Sequence[str]) -> dict[str, str]:
    """Return the names of boards: file names, or whole paths where two files have the same name.

    People send pages to others, so a folder is named only where it has to be.
    """
    names = {path: PurePath(path).name for path in paths}
    counts = Counter(names.values())
    return {path: path if counts[name] > 1 else name for path, name in names.items()}


def _write_report(boards: Sequence[ReportBoard], rules: Rules, labels: Labels, seen: str) -> str:
    """Return the page of a report of at least one board, as `_list_board` describes them.

    ``seen`` is the picture of the first board, for browsers that do not run scripts.
    """
    first = boards[0]
    title = labels.title
    if not title and len(boards) > 1:
        title = f"Scores of {len(boards)} Kingdom Builder boards"
    elif not title:
        title = "Scores of a Kingdom Builder board"
    data: ReportData = {
        "boards": boards,
        "cards": [card for card in list_cards(rules) if card["name"] in first["gold"]],
        "players": [*_name_players(boards).items()],
    }
    return fill_page(
        "report",
        title,
        data,
        seen=seen,
        name=escape(first["name"]),
        winner=escape(first["saying"]),
        gold=_write_gold(first),
    )


def list_cards(rules: Rules) -> list[CardData]:
    """Return the data of the cards for a page."""
    return [
        {"name": card.name, "number": card.number, "text": visible(card.text)}
        for card in rules.cards
    ]


def _name_players(boards: Sequence[ReportBoard]) -> dict[int, str]:
    """Return the players' names; a number instead of a name that is not the same on all boards."""
    names: set[tuple[int, str]] = set()
    for board in boards:
        names.update(zip(board["players"], board["names"], strict=True))
    counts = Counter(player for player, _ in names)
    players: dict[int, str] = {}
    for player, name in sorted(names):
        players[player] = name
        if counts[player] > 1:
            players[player] = f"player {player}"
    return players


def _write_gold(board: ReportBoard) -> str:
    """Return the table of gold that is shown before a script fills it."""
    heads = [f"<th>{escape(name)}" for name in board["names"]]
    rows = list(board["gold"].items())
    total = board["total"]
    if total:
        rows.append(("total", total))
    table = f"<thead><tr><th>card{''.join(heads)}<tbody>"
    for card, paid in rows:
        cells = [f"<td>{gold}" for gold in paid]
        table += f"<tr><th>{escape(card)}{''.join(cells)}"
    return table


@run_command(
    GAME,
    epilog="Example: kb-score report boards/ --cards 1,3,7 -o scores.html",
    has_format=False,
    writes=(".html",),
)
@click.argument("boards", nargs=-1, required=True)
@cards_option
@players_option
@title_option
@names_option
def report(
    run: Run, boards: tuple[str, ...], cards: str | None, players: int | None, labels: Labels
) -> Exit:
    """Show the scores of BOARDS as a page that marks the hexes which pay for each figure.

    BOARDS are as for score. The page is one file that needs no network.
    """
    labels.check_players(players or MAX_PLAYERS)
    loaded, chosen = load_cards(run.rules, cards)
    listed: list[ReportBoard] = []
    seen = ""
    with Messages() as messages:
        unread = read_all(boards, run.rules, messages, labels)
        read = list(with_progress(unread, "boards read"))
        names = _name_boards([board.name for board in read])
        scorer = Scorer(loaded, chosen, players=players)
        scored = with_progress(score_boards(read, scorer), f"of {len(read)} boards")
        for board, scores in zip(read, scored, strict=True):
            with messages.refusing():
                found = unwrap(scores)
                messages.accept()
                tell_findings(found, messages)
                listed.append(_list_board(board, names[board.name], found, loaded, players))
                if not seen:
                    seen = draw_static_board(draw_board(board, loaded), hexes=True)
    if listed:
        run.target.write(_write_report(listed, loaded, labels, seen).encode())
    return messages.status


# The longest side of a board on a page: a page draws hexes one by one, and its clingo is slower.
MAX_SIDE = 100
_SIDE = 20
EMPTY = Board("empty board", ("." * _SIDE,) * _SIDE)

_NEW_CARD = """\
% A card declares its name, what it pays, and for what reason:
% card(name, number, "what it pays").
% gold(name, P, hex(R,C), points) :- settlement(P,R,C), ...
"""
_ONE_LINE = """\
card(walkers, 12, "2 gold for each settlement on the edge of the board").
gold(walkers, P, hex(R,C), 2) :- settlement(P,R,C), #count { R1,C1 : near(R,C,R1,C1) } < 6.
"""


# The questions of the page, and the files that answer them.
_USED: dict[BoardUse, Use] = {"scores": asp.PLAYGROUND, "gold": asp.SCORE.plus("total", "deck")}


def _ask_first(rules: Rules, board: Board) -> tuple[list[str] | None, dict[str, str]]:
    """Return the first answer for the page: its atoms, and the markup until the script runs.

    There are no atoms if a user has changed the rules: these may have no answer, and the page
    reports that.
    """
    if rules.game.has_user_files():
        return None, {"board": "", "gold": ""}
    answer = rules.game.ask(asp.PLAYGROUND, {**board.facts, **board.notation.facts})
    atoms: list[str] = []
    for (name, _), rows in answer.rows.items():
        atoms += [f"{name}{to_symbol(row)}" for row in rows]
    drawing = read_drawing(answer)
    tiles: dict[str, str] = {}
    for drawn in drawing.cells.values():
        tiles.setdefault(drawn, f"t{len(tiles)}")
    table = _write_scores(rules, board, answer, tiles)
    return atoms, {"board": draw_patterns(drawing, tiles), "gold": table}


def _write_scores(rules: Rules, board: Board, answer: Answer, tiles: Mapping[str, str]) -> str:
    """Return the table of gold as markup, with the symbols of the players."""
    gold = read_gold(answer)
    players = sorted({player for _, player in gold})
    table = "<thead><tr><th><button>card</button>"
    for player in players:
        tile = next(tile for symbol, tile in tiles.items() if symbol.endswith(str(player)))
        icon = f'<svg viewBox="-14 -16 28 32"><use href="#{tile}"/></svg>'
        label = escape(board.labels.name(player))
        if label == f"player {player}":
            label = f'<span class="word">player </span>{player}'
        table += f"<th><button>{icon}{label}</button>"
    table += "<tbody>"
    for card in rules.cards:
        box = f"<input type=checkbox>{card.number} " if card.number > 0 else ""
        table += f"<tr><th><label>{box}{card.name}</label>"
        for player in players:
            table += f"<td><button>{gold[card.name, player]}</button>"
    return table


def write_rules(rules: Rules, board: Board) -> str:
    """Return a page in which the rules and a board can be changed.

    A board that is too large for a page is an InputError.
    """
    # Imported here so that the shell completes options quickly.
    from kb_score.web import playground

    game = rules.game
    notation = load_notation(game)
    if max(board.height, board.width) > MAX_SIDE:
        size = f"{board.height} rows of {board.width} hexes"
        raise InputError(board.name, f"{size} are too many for a page: {MAX_SIDE} is the limit")
    answer, seen = _ask_first(rules, board)
    uses: dict[BoardUse, list[str]] = {}
    wanted: set[str] = set()
    for name, use in _USED.items():
        names = list_wanted(game.game, use.files)
        uses[name] = sorted(names)
        wanted.update(names)
    files = playground.list_files(game, wanted)
    data: BoardData = {
        "kind": "board",
        "board": str(board),
        "symbols": list_symbols(notation),
        "pairs": [*notation.pairs],
        "drawn": playground.write_pooled(notation.facts),
        "names": dict(board.labels.names),
        "answer": answer,
        "quadrants": list_quadrants(read_quadrants(game)),
        "limit": playground.BOARD_LIMIT,
        "most": MAX_SIDE,
        # False sorts before True: the files of cards come first.
        "files": sorted(files, key=lambda file: file["folder"] != "cards"),
        "ours": playground.list_derived(game, wanted),
        "open": "miners.lp",
        "uses": uses,
        "constants": dict(game.changes.constants),
        "why": playground.list_reasons(game, {"scores": asp.PLAYGROUND}),
        "template": _NEW_CARD,
        "card": {"name": "walkers.lp", "text": _ONE_LINE},
        "styles": list_styles(hexes=True),
    }
    title = board.labels.title or make_title(board.name, "kingdom-builder")
    return fill_page("playground", title, data, **seen)


def list_symbols(notation: Notation) -> list[Meaning]:
    """Return the symbols of single hexes for a page."""
    symbols: list[Meaning] = [(".", None)]
    for symbol, (name, first) in notation.meanings.items():
        symbols.append((symbol, (name, *map(str, first))))
    return symbols


def list_quadrants(quadrants: Iterable[Quadrant]) -> list[QuadrantData]:
    """Return the data of quadrants, which are as printed, for a page."""
    return [
        {
            "name": quadrant.name,
            "expansion": quadrant.expansion,
            "rows": quadrant.rows,
            "turned": quadrant.turn().rows,
        }
        for quadrant in quadrants
    ]


def write_game(rules: GameRules, name: str, text: str) -> str:
    """Return a page in which the turns of a game, and the rules that judge them, can be changed.

    A game that is too large for a page is an InputError, and so are rules that leave a choice open.
    """
    from kb_score.web.playground import list_record, write_record

    rules = apply_rulings(rules, (name, text), has_free_lines=False)
    asked: list[Asked] = []
    listening = replace(rules, listener=asked.append)
    game = read_record(text, rules, name)
    replay = trace_game(listening, game, name)
    names = load_names(rules)
    ((players,),) = game.facts["players"]
    assert isinstance(players, int)
    # The page makes the facts of the turns itself.
    left_out = {*game.numbered, "claimed_gold"}
    data: GameData = {
        "kind": "game",
        **list_record(replay, asked, rules, left_out),
        "open": "judge.lp",
        "template": _NEW_FILE,
        "turns": _find_turns(text, {*HEADINGS, *names.headings}),
        "players": players,
        "terrains": sorted(names.terrains),
    }
    return write_record(replay, data)


def _find_turns(text: str, words: set[str]) -> str:
    """Return the part of a game after its headings, which begin with the given words."""
    lines = normalise(text).split("\n")
    last = max(
        number for number, line in enumerate(lines) if words.intersection(line.lower().split()[:1])
    )
    return "\n".join(lines[last + 1 :]).strip("\n") + "\n"


_NEW_FILE = """\
% A tile declares its name, what it may do and where:
% tile(name, build, 1, "what it may do"). ground(name, grass). close(name, possible).
"""


@run_command(
    GAME,
    epilog="Example: kb-score playground game.txt -o playground.html",
    has_format=False,
    writes=(".html",),
)
@click.argument("file", metavar="[BOARD|GAME]", required=False)
@title_option
@names_option
def playground(run: Run, file: str | None, labels: Labels) -> Exit:
    """Write a page in which the rules, and a board or a game, can be edited in the browser.

    Without a file the board is empty. The page is one file that needs no network; clingo is in it.
    Names and a title are for boards.
    """
    labels.check_players(MAX_PLAYERS)
    board = EMPTY
    if file is not None:
        text = read_input(file, BOARD_FILE)
        if is_game(text):
            if labels != NO_LABELS:
                message = "a playground of a game has no names and no title of its own"
                raise InputError(file, message)
            run.target.write(write_game(run.rules, file, text).encode())
            return Exit.FINE
        board = print_notes(parse_board(text, run.rules, name=file))
    board = replace(board, labels=labels.over(board.labels))
    run.target.write(write_rules(load_rules(run.rules), board).encode())
    return Exit.FINE


COMMANDS = {"report": report, "playground": playground}
