"""Results as HTML, which notebooks show; text stays text and never becomes markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kb_score.errors import visible
from kb_score.shell.output import Block, Table


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
