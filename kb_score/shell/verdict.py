"""The outcome of a check or a game, and its output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from kb_score.errors import visible
from kb_score.shell.output import Block, Output, Table, Text, render


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing in a record that breaks the rules; docs/file-formats.md lists the codes."""

    code: str
    detail: str
    turn: int | None = None  # from 1; None if the record has no turns
    who: str | int = ""  # the person, player or robot concerned

    def __str__(self) -> str:
        who = f" ({self.who})" if self.who else ""
        return f"turn {self.turn}: {self.code}{who}: {self.detail}"

    def to_json(self) -> dict[str, Any]:
        """Make the object that stands in the JSON of a check."""
        return {"turn": self.turn, "code": self.code, "who": self.who, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a cross-check; the keys of its results are the game's."""

    game: str
    record: str
    result: Mapping[str, Any]  # what the rules derive
    claimed: Mapping[str, Any] | None  # the record's claims about it, with the same keys
    violations: tuple[Violation, ...] = ()  # in the order in which they occur
    picture: str = ""  # a picture of where the record first breaks the rules
    notes: tuple[str, ...] = ()  # warnings and remarks that do not affect consistency
    tables: tuple[Table, ...] = ()  # more tables for people, such as counts of moves
    more: Mapping[str, Any] = field(default_factory=dict)  # more keys for the JSON object
    in_turns: bool = True  # the game has turns, which violations then name

    @property
    def consistent(self) -> bool:
        """Whether the rules can have led to this record."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        return {
            "game": self.game,
            "record": self.record,
            "consistent": self.consistent,
            "result": dict(self.result),
            "claimed": None if self.claimed is None else dict(self.claimed),
            "violations": [violation.to_json() for violation in self.violations],
            **self.more,
        }

    def _repr_html_(self) -> str:
        """Return its tables and notes for a notebook."""
        return name_text(write_html([*list_blocks(self), *map(Text, self.notes)]))


def report_verdict(verdict: Verdict, hint: str = "", *, is_alone: bool = True) -> Output:
    """Report a verdict, for each format.

    Args:
        verdict: The verdict.
        hint: The last line for people; empty for none.
        is_alone: Whether it is the only verdict of the command; others name their records.
    """
    blocks = list_blocks(verdict)
    if hint:
        blocks.append(Text(hint))
    rows = _list_violations(verdict, with_turns=verdict.in_turns or not is_alone)
    if not is_alone:
        named = tuple((verdict.record, *row) for row in rows.rows)
        rows = Table("", ("record", *rows.columns), named)
    return Output(blocks, [verdict.to_json()], rows)


def list_blocks(verdict: Verdict) -> list[Block]:
    """List what people see of a verdict."""
    blocks = [*_say_result(verdict), *verdict.tables]
    if verdict.picture:
        blocks.append(Text(verdict.picture, "picture"))
    if verdict.violations:
        has_turns = any(v.turn is not None for v in verdict.violations)
        blocks.append(_list_violations(verdict, with_turns=has_turns))
    return blocks


def _say_result(verdict: Verdict) -> list[Block]:
    word = "consistent with the rules" if verdict.consistent else "not consistent with the rules"
    colour = "green" if verdict.consistent else "red"
    heading = Text(f"{visible(verdict.record)}: ", outcome=word, colour=colour)
    columns = ["result", "derived"]
    if verdict.claimed:
        columns.append("claimed")
    rows: list[tuple[str | int, ...]] = []
    for key, value in verdict.result.items():
        row = [key, render(value)]
        if verdict.claimed:
            claimed = verdict.claimed.get(key, "")
            row.append(render(claimed))
        rows.append(tuple(row))
    return [heading, Table("", tuple(columns), tuple(rows))]


def _list_violations(verdict: Verdict, *, with_turns: bool) -> Table:
    columns = ["code", "who", "detail"]
    if with_turns:
        columns.insert(0, "turn")
    rows: list[tuple[str | int, ...]] = []
    for violation in verdict.violations:
        row = [violation.code, violation.who, violation.detail]
        if with_turns:
            turn = violation.turn
            row.insert(0, "" if turn is None else turn)
        rows.append(tuple(row))
    return Table("", tuple(columns), tuple(rows))


def name_text(shown: str) -> str:
    """Replace ``<text>`` in HTML or SVG, the name of a text that does not come from a file."""
    return shown.replace("&lt;text&gt;", "the text")


def write_html(blocks: Iterable[Block]) -> str:
    """Write blocks for people as one element, which is well-formed XML too."""
    return f"<div>{''.join(map(_write_block, blocks))}</div>"


def _write_block(block: Block) -> str:
    if isinstance(block, Table):
        return _write_table(block)
    if block.kind == "picture":
        return f"<pre>{_escape(block.text, keep=chr(10))}</pre>"
    outcome = block.outcome and f"<strong>{_escape(block.outcome)}</strong>"
    tag = "h4" if block.kind == "heading" else "p"
    return f"<{tag}>{_escape(block.text)}{outcome}</{tag}>"


def _write_table(table: Table) -> str:
    numeric = table.find_numeric()
    sums = len(table.rows) - table.footer_rows
    caption = f"<caption>{_escape(table.title)}</caption>" if table.title else ""
    head = _write_line("th", table.columns, numeric)
    body = "".join(_write_line("td", row, numeric) for row in table.rows[:sums])
    foot = "".join(_write_line("th", row, numeric) for row in table.rows[sums:])
    end = f"<tfoot>{foot}</tfoot>" if foot else ""
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody>{end}</table>"


def _write_line(tag: str, cells: Sequence[str | int], numeric: Sequence[bool]) -> str:
    sides = ("right" if right else "left" for right in numeric)
    written = (
        f'<{tag} style="text-align: {side}">{_escape(str(cell))}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"


def _escape(text: str, keep: str = "") -> str:
    return escape(visible(text, keep))
