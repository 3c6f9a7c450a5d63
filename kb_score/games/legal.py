"""What is legal: the common part of all games' ``legal``, from the turn to what is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kb_score.errors import InputError
from kb_score.games.command import game_options, make_verb
from kb_score.games.dialect import IllegalRow, write_sentence
from kb_score.games.why import why_options
from kb_score.shell.files import read_inputs
from kb_score.shell.output import Block, Exit, Output, Table, Text, show

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Value
    from kb_score.errors import FileKind


@dataclass(frozen=True, slots=True)
class Legal:
    """What one player, person or robot may do, as a record has it.

    Attributes:
        player: Who it is: a number, a name or a place.
        moves: The moves.
        counts_as: What each of them counts as, in games that have kinds of moves.
    """

    player: int | str
    moves: tuple[str, ...]
    counts_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is illegal.

    Attributes:
        code: The code, as in docs/file-formats.md.
        detail: A sentence.
        who: Who was to make it, where a line has the moves of several.
        places: The places that are named, such as ``(3, 4)``.
    """

    code: str
    detail: str
    who: str = ""
    places: tuple[tuple[int, ...], ...] = ()


def read_reason(code: str, who: Value, detail: Value) -> Reason:
    """Make a reason of what the rules say: a tuple for Who, or in the detail, is a place."""
    parts = (who, *(detail if isinstance(detail, tuple) else (detail,)))
    places = [
        tuple(number for number in part if isinstance(number, int))
        for part in parts
        if isinstance(part, tuple)
    ]
    return Reason(code, write_sentence(detail), write_sentence((who,)), tuple(places))


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to be found out of a turn.

    Attributes:
        turn: The turn.
        over: Why nothing is legal, as the game is over; empty if it goes on.
        list_: Lists what each may do.
        judge: Lists the reasons why a line of moves is illegal.
        who: What those who move are called, such as "person".
        joint: What stands between the moves of one of them.
    """

    turn: int
    over: str
    list_: Callable[[], Sequence[Legal]]
    judge: Callable[[str], Sequence[Reason]]
    who: str
    joint: str = " "

    def show(self, game: str, move: str | None, format_: str) -> Exit:
        """Print what is legal, or whether a move is."""
        if move is None:
            found = [] if self.over else self.list_()
            why, who, joint = self.over, self.who, self.joint
            return show_legal(game, self.turn, found, format_, why=why, who=who, joint=joint)
        reasons = [Reason("after-end", self.over)] if self.over else self.judge(move)
        return show_reasons(move, reasons, format_, {})


def make_legal(
    game: str,
    look: Callable[..., Look],
    map_kind: FileKind,
    record_kind: FileKind,
    *,
    help_: str,
    move: str,
    example: str,
) -> click.Command:
    """Make the command ``legal`` of a game that is played on a map, by its folder in ``asp/``.

    ``look`` takes the rules, the turn or None, and a map and perhaps a record, a name and a text
    each. Then there are the kinds of these files, the help, whose first line stands in lists, an
    example of a move, and how an example goes on after ``kb-score legal``.
    """

    @make_verb("legal", game, help_, example)
    @click.argument("map_path", metavar="MAP")
    @click.argument("record_path", metavar="[RECORD]", required=False)
    @legal_options(move)
    @game_options(game)
    @why_options(("illegal", "permitted", "skipped", "may_roll", "may_hop"))
    def legal(
        map_path: str,
        record_path: str | None,
        turn: int | None,
        move: str | None,
        format_: str,
        rules: GameRules,
    ) -> Exit:
        files = [(map_path, map_kind)]
        files += [(record_path, record_kind)] if record_path is not None else []
        texts = read_inputs(*files)
        named = zip((path for path, _ in files), texts, strict=True)
        return look(rules, turn, *named).show(game.replace("_", "-"), move, format_)

    return legal


def legal_options(example: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--turn`` and ``--move``, whose help has an example of a move."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        move = click.option(
            "--move", metavar="TEXT", help=f"Tell whether this move is legal, such as {example}."
        )
        return turn_option(move(function))

    return decorate


turn_option = click.option(
    "--turn", type=click.IntRange(1), metavar="N", help="The turn  [default: the next]"
)


def find_turn(turn: int | None, played: int, name: str) -> int:
    """Find the turn that is meant: None is the one after those that were played.

    Raises:
        InputError: The record is too short for it.
    """
    turn = played + 1 if turn is None else turn
    if not 1 <= turn <= played + 1:
        raise InputError(name, f"it has no turn {turn}, but {played} turns")
    return turn


def refuse(name: str, row: IllegalRow) -> InputError:
    """Make the error for a record that breaks the rules before the turn in question."""
    reason = f"turn {row.turn} is {row.code}, {write_sentence(row.detail)}"
    return InputError(name, f"nothing is legal any more: {reason}")


def show_legal(
    game: str,
    turn: int,
    found: Sequence[Legal],
    format_: str,
    *,
    why: str = "",
    who: str = "",
    joint: str = " ",
) -> Exit:
    """Print what is legal; for people, each who may move has a line.

    Args:
        game: The name of the game on the command line.
        turn: The turn.
        found: What each may do.
        format_: One of `kb_score.shell.output.FORMATS`.
        why: Why nothing is legal, where that is so.
        who: What those who move are called; empty where one player moves.
        joint: What stands between the moves of one of several.
    """
    number = sum(len(one.moves) for one in found)
    player = f", player {found[0].player}" if found and not who else ""
    title = f"turn {turn}{player}: {number} legal move{'s' * (number != 1)}"
    table = _list_moves(title, found, who)
    grouped = tuple((one.player, joint.join(one.moves)) for one in found)
    shown = Table(title, (who, "moves"), grouped) if who else table
    what = {"game": game, "turn": turn}
    lines = [{**what, **_describe(one)} for one in found]
    empty = {**what, "player": None, "moves": []}
    show(Output([Text(f"{title}: {why}") if why else shown], lines or [empty], table), format_)
    return Exit.FINE


def _describe(one: Legal) -> dict[str, Any]:
    kinds = {"counts_as": list(one.counts_as)} if one.counts_as else {}
    return {"player": one.player, "moves": list(one.moves), **kinds}


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


def show_reasons(
    move: str,
    reasons: Sequence[Reason],
    format_: str,
    more: Mapping[str, object] | None = None,
    *,
    word: str = "",
) -> Exit:
    """Print whether a move is legal, or all reasons why not.

    Args:
        move: The move.
        reasons: Why it is illegal; none if it is legal.
        format_: One of `kb_score.shell.output.FORMATS`.
        more: More keys for the JSON, which come with all reasons; without them, the JSON has just
            the first one.
        word: What people are told that the move is, if not legal or illegal.
    """
    first = reasons[0] if reasons else None
    code, detail = (None, None) if first is None else (first.code, first.detail)
    line: dict[str, Any] = {"move": move, "legal": first is None, "code": code, "detail": detail}
    if more is not None:
        line |= {"reasons": [_to_json(reason) for reason in reasons], **more}
    verdict, colour = ("legal", "green") if first is None else ("illegal", "red")
    blocks: list[Block] = [Text(f"{move}: ", outcome=word or verdict, colour=colour)]
    if reasons:
        named = any(reason.who for reason in reasons)
        columns = ("code", *(["who"] if named else []), "detail")
        rows = [(r.code, *([r.who] if named else []), r.detail) for r in reasons]
        blocks.append(Table("", columns, tuple(rows)))
    show(Output(blocks, [line]), format_)
    return Exit.FINE if first is None else Exit.DIFFERS


def _to_json(reason: Reason) -> dict[str, Any]:
    places = [list(place) for place in reason.places]
    return {"who": reason.who, "code": reason.code, "detail": reason.detail, "places": places}
