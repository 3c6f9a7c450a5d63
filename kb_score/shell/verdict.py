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
    who: str | int = ""  # the person or robot that it concerns, or the number of the player

    @property
    def subject(self) -> str:
        """Whom it concerns, in words."""
        if isinstance(self.who, int):
            return f"player {self.who}"
        return self.who

    def __str__(self) -> str:
        turn = "" if self.turn is None else f"turn {self.turn}: "
        who = f" ({self.subject})" if self.who else ""
        return f"{turn}{self.code}{who}: {self.detail}"

    def to_json(self) -> dict[str, Any]:
        """Return the violation's object in the JSON of a check."""
        return {"turn": self.turn, "code": self.code, "who": self.who, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a cross-check; each game has its own keys of results."""

    game: str
    record: str
    result: Mapping[str, Any]  # what the rules derive
    claimed: Mapping[str, Any] | None  # what the record claims instead, with the same keys
    violations: tuple[Violation, ...] = ()  # in the order in which they occur
    picture: str = ""  # a picture of the place where the record first breaks the rules
    notes: tuple[str, ...] = ()  # warnings and remarks that do not affect consistency
    tables: tuple[Table, ...] = ()  # more tables for people, such as counts of moves
    more: Mapping[str, Any] = field(default_factory=dict)  # more keys for the JSON object
    in_turns: bool = True  # whether the game has turns, which violations then name

    @property
    def consistent(self) -> bool:
        """Whether the record is consistent with the rules: it has no violations."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``--format json`` prints on one line."""
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
        """Return the tables and notes as HTML for a notebook."""
        notes = map(Text, self.notes)
        html = write_html([*list_blocks(self), *notes])
        return name_text(html)


def report_verdict(verdict: Verdict, hint: str = "", *, is_alone: bool = True) -> Output:
    """Return the output of a verdict in all formats.

    The hint is the last line for people. Rows name the record unless the verdict is alone.
    """
    blocks = list_blocks(verdict)
    if hint:
        blocks.append(Text(hint))
    has_turns = verdict.in_turns or not is_alone
    table = _list_violations(verdict, with_turns=has_turns)
    if not is_alone:
        rows = tuple((verdict.record, *row) for row in table.rows)
        table = Table("", ("record", *table.columns), rows)
    return Output(blocks, [verdict.to_json()], table)


def list_blocks(verdict: Verdict) -> list[Block]:
    """Return the blocks of a verdict that people see."""
    heading = _write_heading(verdict)
    results = _list_results(verdict)
    blocks: list[Block] = [heading, results, *verdict.tables]
    if verdict.picture:
        blocks.append(Text(verdict.picture, "picture"))
    if verdict.violations:
        has_turns = any(violation.turn is not None for violation in verdict.violations)
        blocks.append(_list_violations(verdict, with_turns=has_turns))
    return blocks


def _write_heading(verdict: Verdict) -> Text:
    record = f"{visible(verdict.record)}: "
    if verdict.consistent:
        return Text(record, outcome="consistent with the rules", colour="green")
    return Text(record, outcome="not consistent with the rules", colour="red")


def _list_results(verdict: Verdict) -> Table:
    """Return a table of the results, with the record's claims if it has any."""
    rows: list[tuple[str | int, ...]] = []
    for key, value in verdict.result.items():
        derived = render(value)
        row = (key, derived)
        if verdict.claimed:
            claim = verdict.claimed.get(key, "")
            rows.append((*row, render(claim)))
        else:
            rows.append(row)
    columns = ("result", "derived", "claimed") if verdict.claimed else ("result", "derived")
    return Table("", columns, tuple(rows))


def _list_violations(verdict: Verdict, *, with_turns: bool) -> Table:
    """Return a table of the violations."""
    rows: list[tuple[str | int, ...]] = []
    for violation in verdict.violations:
        row = (violation.code, violation.subject, violation.detail)
        if not with_turns:
            rows.append(row)
        elif violation.turn is None:
            rows.append(("", *row))
        else:
            rows.append((violation.turn, *row))
    columns = ["code", "who", "detail"]
    if with_turns:
        columns.insert(0, "turn")
    return Table("", tuple(columns), tuple(rows))


def name_text(shown: str) -> str:
    """Replace ``<text>``, the name of a text that does not come from a file, in HTML or SVG."""
    return shown.replace("&lt;text&gt;", "the text")


def write_html(blocks: Iterable[Block]) -> str:
    """Return blocks for people as one HTML element, which is also well-formed XML."""
    elements = "".join(map(_write_block, blocks))
    return f"<div>{elements}</div>"


def _write_block(block: Block) -> str:
    if isinstance(block, Table):
        return _write_table(block)
    if block.kind == "picture":
        picture = _escape(block.text, keep="\n")
        return f"<pre>{picture}</pre>"
    text = _escape(block.text)
    if block.outcome:
        outcome = _escape(block.outcome)
        text += f"<strong>{outcome}</strong>"
    tag = "h4" if block.kind == "heading" else "p"
    return f"<{tag}>{text}</{tag}>"


def _write_table(table: Table) -> str:
    numeric = table.find_numeric()
    first_sum = len(table.rows) - table.footer_rows
    caption = ""
    if table.title:
        caption = f"<caption>{_escape(table.title)}</caption>"
    head = _write_row("th", table.columns, numeric)
    body = ""
    foot = ""
    for number, row in enumerate(table.rows):
        if number < first_sum:
            body += _write_row("td", row, numeric)
        else:
            foot += _write_row("th", row, numeric)
    if foot:
        foot = f"<tfoot>{foot}</tfoot>"
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody>{foot}</table>"


def _write_row(tag: str, cells: Sequence[str | int], numeric: Sequence[bool]) -> str:
    """Return a row of cells, with numbers aligned to the right."""
    written = ""
    for cell, is_number in zip(cells, numeric, strict=True):
        side = "right" if is_number else "left"
        text = _escape(str(cell))
        written += f'<{tag} style="text-align: {side}">{text}</{tag}>'
    return f"<tr>{written}</tr>"


def _escape(text: str, keep: str = "") -> str:
    return escape(visible(text, keep))
