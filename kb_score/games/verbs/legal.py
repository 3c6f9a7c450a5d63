"""The verb ``legal``: what may be done in a turn of a record, or why something else may not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from kb_score.games.game import Game, Judged, Legal, Position, Reason
from kb_score.games.verbs.command import files_argument, make_game_verb, make_options, read_named
from kb_score.games.verbs.run import Run
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain


def make_legal(game: Game) -> click.Command:
    """Make the verb of a game."""

    def legal(
        run: Run, paths: tuple[str, ...], turn: int | None, move: str | None, **options: Any
    ) -> Exit:
        files = read_named(game, paths)
        position = game.position(run.rules, files, turn, **options)
        if move is None:
            return _list(run, game, position)
        return _judge(run, game, position, move)

    turn = click.option(
        "--turn", type=click.IntRange(1), metavar="N", help="The turn  [default: the next]"
    )
    move = click.option(
        "--move",
        metavar="TEXT",
        help=f"Tell whether this move is legal, such as {game.wording.move}.",
    )
    return make_game_verb(
        "legal",
        game,
        legal,
        files_argument(game),
        turn,
        move,
        *make_options(game.options.legal),
        has_reasons=True,
    )


def _list(run: Run, game: Game, position: Position) -> Exit:
    """Print what is legal; for people, each who may move has a line."""
    found = [] if position.over else position.moves()
    for one in found:
        if one.note:
            complain(one.note, kind="note")
    number, who = sum(len(one.moves) for one in found), game.wording.actors
    player = f", player {found[0].player}" if found and not who else ""
    title = f"turn {position.turn}{player}: {number} legal move{'s' * (number != 1)}"
    why = position.over or game.wording.nothing_legal * (number == 0)
    table = _list_moves(title, found, who)
    grouped = tuple((one.player, game.wording.separator.join(one.moves)) for one in found)
    shown = Table(title, (who, "moves"), grouped) if who else table
    what = {"game": game.title, "turn": position.turn}
    lines = [
        what
        | {"player": one.player, "moves": one.moves}
        | ({"counts_as": one.counts_as} if one.counts_as else {})
        for one in found
    ]
    empty = {**what, "player": None, "moves": []}
    run.show(Output([Text(f"{title}: {why}") if why else shown], lines or [empty], table))
    run.explain(game.reasons.legal)
    return Exit.FINE


def _list_moves(title: str, found: Sequence[Legal], who: str) -> Table:
    """List moves in a row each, with what they count as if that is known."""
    kinds = any(one.counts_as for one in found)
    columns = (*([who] if who else []), "move", *(["counts as"] if kinds else []))
    rows = [
        (*([one.player] if who else []), move, *([one.counts_as[i]] if kinds else []))
        for one in found
        for i, move in enumerate(one.moves)
    ]
    return Table(title, columns, tuple(rows))


def judge_move(position: Position, move: str) -> Judged:
    """Judge a move in a position; nothing is legal after the end of a game."""
    if position.over:
        return Judged([Reason("after-end", position.over)])
    return position.judge(move)


def _judge(run: Run, game: Game, position: Position, move: str) -> Exit:
    """Print whether a move is legal, or all reasons why not."""
    judged = judge_move(position, move)
    reasons = judged.reasons
    first = reasons[0] if reasons else None
    code, detail = (None, None) if first is None else (first.code, first.detail)
    line: dict[str, Any] = {"move": move, "legal": first is None, "code": code, "detail": detail}
    if game.lists_reasons:
        keys = "who", "code", "detail", "places"
        line["reasons"] = [{key: getattr(reason, key) for key in keys} for reason in reasons]
    if game.counts_as:
        line["counts_as"] = judged.counts_as or None
    verdict, colour = ("legal", "green") if first is None else ("illegal", "red")
    word = f"counts as a {judged.counts_as}" if judged.counts_as else verdict
    blocks: list[Block] = [Text(f"{move}: ", outcome=word, colour=colour)]
    if reasons:
        named = any(reason.who for reason in reasons)
        columns = ("code", *(["who"] if named else []), "detail")
        rows = [(r.code, *([r.who] if named else []), r.detail) for r in reasons]
        blocks.append(Table("", columns, tuple(rows)))
    run.show(Output(blocks, [line]))
    run.explain(game.reasons.move)
    return Exit.FINE if first is None else Exit.DIFFERS
