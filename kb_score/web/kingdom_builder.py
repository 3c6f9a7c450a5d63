"""The pages of Kingdom Builder that show scores and rules: ``report`` and ``playground``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from html import escape
from itertools import chain
from pathlib import PurePath
from typing import Any

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
from kb_score.engine.rules import Asked, GameRules
from kb_score.engine.terms import Answer, to_symbol
from kb_score.errors import InputError, unwrap, visible
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    HEADINGS,
    MAX_PLAYERS,
    Board,
    is_game,
    load_notation,
    parse_board,
    read_quadrants,
    tell_notes,
)
from kb_score.games.kingdom_builder.check import trace_game
from kb_score.games.kingdom_builder.records import line_facts, load_names, read_game
from kb_score.games.kingdom_builder.rules import GAME, Rules, load_rules
from kb_score.games.kingdom_builder.scoring import Scorer, Scores, draw_board, explain, score_boards
from kb_score.games.labels import NO_LABELS, Labels, names_option, title_option
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import read_drawing
from kb_score.shell.files import normalise, read_input
from kb_score.shell.output import Exit, Messages, with_progress
from kb_score.shell.pages import fill_page, list_board, list_styles, name_page, see_board
from kb_score.shell.svg import draw_patterns


def _list_board(
    board: Board, name: str, scores: Scores, rules: Rules, players: int | None
) -> dict[str, Any]:
    """List what the page shows of a board that has a name there."""
    saying = scores.saying and f"{scores.saying[0].upper()}{scores.saying[1:]}."
    evidence: dict[str, list[Any]] = {card: [] for card in scores.gold}
    for found in explain(board, rules, cards=scores.gold, players=players):
        pieces = [{**asdict(piece), "why": visible(piece.why)} for piece in found.evidence]
        evidence[found.card.name].append(pieces)
    return {
        "name": visible(scores.labels.title or name),
        **list_board(draw_board(board, rules), hexes=True),
        "players": scores.players,
        "gold": scores.gold,
        "total": scores.total,
        "names": [*map(scores.labels.name, scores.players)],
        "winners": scores.winners,
        "saying": saying,
        "findings": [[visible(v.code), visible(v.detail)] for v in scores.violations],
        "evidence": evidence,
    }


def _name_boards(paths: Sequence[str]) -> dict[str, str]:
    """Name boards by their files alone, or with the folders where two have the same name.

    People send pages to others, so a folder is named only where it has to be.
    """
    counts = Counter(PurePath(path).name for path in set(paths))
    names = ((path, PurePath(path).name) for path in paths)
    return {path: name if counts[name] == 1 else path for path, name in names}


def _write_report(
    boards: Sequence[Mapping[str, Any]], rules: Rules, labels: Labels, seen: str
) -> str:
    """Write the page for the boards that `_list_board` has listed, at least one.

    ``seen`` is the picture of the first one, for where no script runs.
    """
    many = f"{len(boards)} Kingdom Builder boards" if boards[1:] else "a Kingdom Builder board"
    cards = [
        {"name": card.name, "number": card.number, "text": visible(card.text)}
        for card in rules.cards
        if card.name in boards[0]["gold"]
    ]
    names = {
        pair for board in boards for pair in zip(board["players"], board["names"], strict=True)
    }
    several = Counter(player for player, _ in names)
    # A column of several boards is that of a person where it is the same one on all of them.
    players = {p: name if several[p] == 1 else f"player {p}" for p, name in sorted(names)}
    data = {"boards": boards, "cards": cards, "players": [*players.items()]}
    first = boards[0]
    return fill_page(
        "report",
        labels.title or f"Scores of {many}",
        data,
        seen=seen,
        name=escape(first["name"]),
        winner=escape(first["saying"] or ""),
        gold=_write_gold(first),
    )


def _write_gold(board: Mapping[str, Any]) -> str:
    """Write the table of gold that is seen before a script fills it."""
    heads = "".join(f"<th>{escape(name)}" for name in board["names"])
    rows = list(board["gold"].items())
    total = board["total"]
    if total:
        rows.append(("total", total))
    lines = []
    for card, paid in rows:
        name = escape(card)
        cells = "".join(f"<td>{gold}" for gold in paid)
        lines.append(f"<tr><th>{name}{cells}")
    body = "".join(lines)
    return f"<thead><tr><th>card{heads}<tbody>{body}"


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
    listed: list[dict[str, Any]] = []
    seen = ""
    with Messages() as messages:
        read = list(with_progress(read_all(boards, run.rules, messages, labels), "boards read"))
        names = _name_boards([board.name for board in read])
        scored = score_boards(read, Scorer(loaded, chosen, players=players))
        scored = with_progress(scored, f"of {len(read)} boards")
        for board, scores in zip(read, scored, strict=True):
            with messages.refusing():
                found = unwrap(scores)
                messages.go_on()
                tell_findings(found, messages)
                name = names[board.name]
                listed.append(_list_board(board, name, found, loaded, players))
                seen = seen or see_board(draw_board(board, loaded), hexes=True)
    if listed:
        page = _write_report(listed, loaded, labels, seen)
        run.target.write(page.encode())
    return messages.status


# A page draws hexes one by one, and clingo in it is slower than at home.
MAX_SIDE = 100
_SIDE = 20
EMPTY = Board("empty board", ("." * _SIDE,) * _SIDE)

_NEW_CARD = """\
% A card states itself, and what it pays for which reason:
% card(name, number, "what it pays").
% gold(name, P, hex(R,C), points) :- settlement(P,R,C), ...
"""
_ONE_LINE = """\
card(walkers, 12, "2 gold for each settlement on the edge of the board").
gold(walkers, P, hex(R,C), 2) :- settlement(P,R,C), #count { R1,C1 : near(R,C,R1,C1) } < 6.
"""


# The questions of the page, and the files that answer them.
_USED = {"scores": asp.PLAYGROUND, "gold": asp.SCORE.plus("total", "deck")}


def _ask_first(rules: Rules, board: Board) -> tuple[list[str] | None, dict[str, str]]:
    """Ask what the page shows: as atoms, and as markup that is seen before its script runs.

    Rules of a user may have no answer, which the page tells.
    """
    if rules.game.has_user_files():
        return None, {"board": "", "gold": ""}
    answer = rules.game.ask(asp.PLAYGROUND, {**board.facts, **board.notation.facts})
    atoms: list[str] = []
    for (name, _), rows in answer.rows.items():
        for row in rows:
            symbol = to_symbol(row)
            atoms.append(f"{name}{symbol}")
    drawing = read_drawing(answer)
    tiles: dict[str, str] = {}
    for drawn in drawing.cells.values():
        tiles.setdefault(drawn, f"t{len(tiles)}")
    table = _write_scores(rules, board, answer, tiles)
    return atoms, {"board": draw_patterns(drawing, tiles), "gold": table}


def _write_scores(rules: Rules, board: Board, answer: Answer, tiles: Mapping[str, str]) -> str:
    """Write the table of gold as markup, with the tiles that stand for players."""
    gold: dict[tuple[str, int], int] = {}
    for score in answer.read(asp.ScoreRow):
        gold[score.card, score.player] = score.gold
    players = sorted({player for _, player in gold})
    table = "<thead><tr><th><button>card</button>"
    for player in players:
        number = str(player)
        tile = next(tile for symbol, tile in tiles.items() if symbol.endswith(number))
        icon = f'<svg viewBox="-14 -16 28 32"><use href="#{tile}"/></svg>'
        name = board.labels.name(player)
        label = escape(name)
        if label == f"player {player}":
            label = f'<span class="word">player </span>{player}'
        table += f"<th><button>{icon}{label}</button>"
    table += "<tbody>"
    for card in rules.cards:
        box = ""
        if card.number > 0:
            box = f"<input type=checkbox>{card.number} "
        table += f"<tr><th><label>{box}{card.name}</label>"
        for player in players:
            paid = gold[card.name, player]
            table += f"<td><button>{paid}</button>"
    return table


def write_rules(rules: Rules, board: Board) -> str:
    """Write a page where the rules and a board can be changed."""
    from kb_score.web import playground  # a Tab for options is to be quick

    game, notation = rules.game, load_notation(rules.game)
    if max(board.height, board.width) > MAX_SIDE:
        size = f"{board.height} rows of {board.width} hexes"
        raise InputError(board.name, f"{size} are too many for a page: {MAX_SIDE} is the limit")
    answer, seen = _ask_first(rules, board)
    uses = {name: sorted(list_wanted(game.game, use.files)) for name, use in _USED.items()}
    files = playground.list_files(game, {*chain(*uses.values())})
    searched = list_wanted(game.game, ("open", "compare"))
    data = {
        "kind": "board",
        "board": str(board),
        "symbols": [  # each with its fact's predicate and first argument
            (".", None),
            *((s, (name, *map(str, first))) for s, (name, first) in notation.meanings.items()),
        ],
        "pairs": [*notation.pairs],
        "drawn": playground.write_pooled(notation.facts),
        "names": dict(board.labels.names),
        "answer": answer,
        "quadrants": [
            {"name": q.name, "expansion": q.expansion, "rows": q.rows, "turned": q.turn().rows}
            for q in read_quadrants(game)
        ],
        "limit": playground.LIMIT_BOARD,
        "most": MAX_SIDE,
        "files": sorted(files, key=lambda file: str(file["folder"]) != "cards"),
        "ours": playground.list_derived(game, {*chain(*uses.values())}),
        "open": "miners.lp",
        "uses": uses,
        "compare": [file["text"] for file in playground.list_files(GameRules(GAME), searched)],
        "constants": dict(game.changes.constants),
        "why": playground.list_reasons(game, {"scores": asp.PLAYGROUND}),
        "template": _NEW_CARD,
        "card": {"name": "walkers.lp", "text": _ONE_LINE},
        "styles": list_styles(hexes=True),
    }
    title = board.labels.title or name_page(board.name, "kingdom-builder")
    return fill_page("playground", title, data, **seen)


def write_game(rules: GameRules, name: str, text: str) -> str:
    """Write a page where the turns of a game, and the rules that judge them, can be changed."""
    from kb_score.web.playground import write_record

    rules = apply_rulings(rules, (name, text), has_free_lines=False)
    asked: list[Asked] = []
    replay = trace_game(replace(rules, listener=asked.append), (name, text))
    names = load_names(rules)
    game = read_game(text, names, name=name)
    more = {
        "kind": "game",
        "open": "judge.lp",
        "template": _NEW_FILE,
        "turns": _find_turns(text, {*HEADINGS, *names.headings}),
        "players": game.players,
        "terrains": sorted(names.terrains),
    }
    said = {*line_facts(game.lines), "claimed_gold"}
    return write_record(replay, asked, rules, "player {}", more, said)


def _find_turns(text: str, words: set[str]) -> str:
    """Find the part of a game behind its headings, which begin with some words."""
    lines = normalise(text).split("\n")
    heads = [n for n, line in enumerate(lines) if {*line.lower().split()[:1]} & words]
    return "\n".join(lines[max(heads) + 1 :]).strip("\n") + "\n"


_NEW_FILE = """\
% A tile states itself, what it may do and where:
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
    """Put the rules into a page of the browser, to be changed there, with a board or a game.

    The board and the turns of the game can be changed too. Without a file the board is empty. The
    page is one file that needs no network; clingo is in it. Names and a title are for boards.
    """
    labels.check_players(MAX_PLAYERS)
    text = "" if file is None else read_input(file, BOARD_FILE)
    if file is not None and is_game(text):
        if labels != NO_LABELS:
            raise InputError(file, "a playground of a game has no names and no title of its own")
        page = write_game(run.rules, file, text)
    else:
        board = EMPTY if file is None else tell_notes(parse_board(text, run.rules, name=file))
        board = replace(board, labels=labels.over(board.labels))
        page = write_rules(load_rules(run.rules), board)
    run.target.write(page.encode())
    return Exit.FINE


COMMANDS = {"report": report, "playground": playground}
