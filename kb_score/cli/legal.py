"""The verb ``legal``: the legal moves in a turn of a record, or the reasons against a move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from kb_score.cli.command import files_argument, make_game_verb, make_options, read_named
from kb_score.cli.run import Run
from kb_score.cli.why import JUDGED, LISTED
from kb_score.errors import write_count
from kb_score.games.game import Game
from kb_score.games.match import Judged, Legal, Position, Reason
from kb_score.shell.options import WholeNumber
from kb_score.shell.output import Block, Exit, Messages, Output, Table, Text, complain


def make_legal(game: Game) -> click.Command:
    """Return the command ``legal`` of a game."""

    def legal(
        run: Run, paths: tuple[str, ...], turn: int | None, move: str | None, **options: Any
    ) -> Exit:
        files = read_named(game, paths)
        position = game.position(run.rules, files, turn, **options)
        messages = Messages()
        for remark in game.find_notes(run.rules, files):
            messages.warn(*remark)
        if move is None:
            return _show_legal(run, game, position)
        return _judge(run, game, position, move)

    turn = click.option(
        "--turn", type=WholeNumber(1), metavar="N", help="The turn  [default: the next]"
    )
    example = f", such as {game.answer.example}," if game.answer.example else ""
    about_move = f"Check whether this move{example} is legal."
    move = click.option("--move", metavar="TEXT", help=about_move)
    return make_game_verb(
        "legal",
        game,
        legal,
        files_argument(game),
        turn,
        move,
        *make_options(game.list_options("legal")),
        has_reasons=True,
    )


def _show_legal(run: Run, game: Game, position: Position) -> Exit:
    """Print the legal moves.

    People see one row for each move, or for each actor in games with simultaneous moves. CSV always
    has one row for each move.
    """
    found: Sequence[Legal] = [] if position.over else position.moves()
    for one in found:
        if one.note:
            complain(one.note, kind="note")
    number = sum(len(one.moves) for one in found)
    title = _write_title(game, position, found, number)
    move_table = _make_move_table(game, title, found)
    for_people: Block
    if position.over:
        for_people = Text(f"{title}: {position.over}")
    elif game.nothing_legal and not number:
        for_people = Text(f"{title}: {game.nothing_legal}")
    elif game.play.actors:
        for_people = _make_actor_table(game, title, found)
    else:
        for_people = move_table
    lines = _make_json(game, position, found)
    run.show(Output([for_people], lines, move_table))
    run.explain(LISTED)
    return Exit.FINE


def _write_title(game: Game, position: Position, found: Sequence[Legal], number: int) -> str:
    """Return a title with the turn, the player if only one moves, and the number of moves."""
    title = f"turn {position.turn}"
    if found and not game.play.actors:
        player = found[0].player
        title += f", player {player}" if player else ", chance"
    moves = write_count(number, "legal move")
    return f"{title}: {moves}"


def _make_json(
    game: Game, position: Position, found: Sequence[Legal]
) -> Sequence[Mapping[str, Any]]:
    """Return the JSON objects: one for each actor, or one without a player."""
    turn = {"game": game.title, "turn": position.turn}
    lines: list[dict[str, Any]] = []
    for one in found:
        line = {**turn, "player": one.player, "moves": one.moves}
        if one.counts_as:
            line["counts_as"] = one.counts_as
        lines.append(line)
    return lines or [{**turn, "player": None, "moves": []}]


def _make_actor_table(game: Game, title: str, found: Sequence[Legal]) -> Table:
    """Return a table with one row for each actor."""
    separator = game.play.between
    rows = tuple((one.player, separator.join(one.moves)) for one in found)
    return Table(title, (game.play.actors, "moves"), rows)


def _make_move_table(game: Game, title: str, found: Sequence[Legal]) -> Table:
    """Return a table with one row for each move, with its kind if moves have kinds."""
    has_actors = bool(game.play.actors)
    has_kinds = any(one.counts_as for one in found)
    columns = ["move"]
    if has_actors:
        columns.insert(0, game.play.actors)
    if has_kinds:
        columns.append("counts as")
    rows: list[tuple[str | int, ...]] = []
    for one in found:
        for number, move in enumerate(one.moves):
            row: list[str | int] = [move]
            if has_actors:
                row.insert(0, one.player)
            if has_kinds:
                row.append(one.counts_as[number])
            rows.append(tuple(row))
    return Table(title, tuple(columns), tuple(rows))


def judge_move(position: Position, move: str) -> Judged:
    """Judge a move in a position; no move is legal after the end of a game."""
    if position.over:
        return Judged([Reason("after-end", position.over)])
    return position.judge(move)


def _judge(run: Run, game: Game, position: Position, move: str) -> Exit:
    """Print whether a move is legal, with all reasons if it is not."""
    judged = judge_move(position, move)
    reasons = judged.reasons
    outcome = "illegal" if reasons else "legal"
    if judged.counts_as:
        outcome = f"counts as a {judged.counts_as}"
    colour = "red" if reasons else "green"
    said = move or "the end of the turn"
    blocks: list[Block] = [Text(f"{said}: ", outcome=outcome, colour=colour)]
    if reasons:
        blocks.append(_list_reasons(reasons))
    line = _make_object(game, move, judged)
    run.show(Output(blocks, [line]))
    run.explain(JUDGED)
    return Exit.DIFFERS if reasons else Exit.FINE


def _make_object(game: Game, move: str, judged: Judged) -> dict[str, Any]:
    """Return the JSON object of a judged move."""
    line: dict[str, Any] = {"move": move, "legal": True, "code": None, "detail": None}
    if judged.reasons:
        first = judged.reasons[0]
        line["legal"] = False
        line["code"] = first.code
        line["detail"] = first.detail
    line["reasons"] = [
        {"who": reason.who, "code": reason.code, "detail": reason.detail, "places": reason.places}
        for reason in judged.reasons
    ]
    if game.counts_as:
        line["counts_as"] = judged.counts_as or None
    return line


def _list_reasons(reasons: Sequence[Reason]) -> Table:
    """Return a table of reasons, with a column for actors if any reason has one."""
    if any(reason.who for reason in reasons):
        actors = tuple((reason.code, reason.subject, reason.detail) for reason in reasons)
        return Table("", ("code", "who", "detail"), actors)
    rows = tuple((reason.code, reason.detail) for reason in reasons)
    return Table("", ("code", "detail"), rows)
