"""Results to text: tables for a terminal, for Markdown and for spreadsheets, and JSON lines."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.box import Box

FORMATS = ("table", "markdown", "csv", "json")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results.

    Attributes:
        title: What it shows, for a terminal and for Markdown; empty for none.
        columns: The headings. A column whose cells are numbers is set flush right.
        rows: The cells, as many in each row as there are columns.
        footer_rows: How many of the last rows are sums, set apart by a line.
        code: The headings of the columns that hold parts of rules; Markdown sets them as code.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]
    footer_rows: int = 0
    code: tuple[str, ...] = ()

    def is_numeric(self, column: int) -> bool:
        """Whether all cells of a column, from 0, are numbers or empty, but not all are empty."""
        cells = [row[column] for row in self.rows if row[column] != ""]
        return bool(cells) and all(isinstance(cell, int) for cell in cells)


def write_markdown(table: Table) -> str:
    """Write a table in Markdown, the title as a paragraph before it."""
    rules = ["---:" if table.is_numeric(i) else "---" for i in range(len(table.columns))]
    tick = ["`" if column in table.code else "" for column in table.columns]
    rows = [
        [f"{mark}{_escape(cell)}{mark}" for mark, cell in zip(tick, row, strict=True)]
        for row in table.rows
    ]
    lines = [table.columns, rules, *rows]
    body = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return f"**{table.title}**\n\n{body}" if table.title else body


def write_plain(table: Table) -> str:
    """Write a table as plain text, with a line below the headings and above the sums."""
    lines = [table.columns, *((str(cell) for cell in row) for row in table.rows)]
    cells = [tuple(line) for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    written = []
    for line in cells:
        padded = (
            cell.rjust(width) if table.is_numeric(i) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        written.append("  ".join(padded).rstrip())
    ruler = "-" * (sum(widths) + 2 * (len(widths) - 1))
    written.insert(1, ruler)
    if table.footer_rows:
        written.insert(len(written) - table.footer_rows, ruler)
    title = [table.title, ""] if table.title else []
    return "\n".join([*title, *written]) + "\n"


def write_csv(table: Table, *, header: bool = True) -> str:
    """Write a table as comma-separated values, with a line of headings where wanted."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([table.columns, *table.rows] if header else table.rows)
    return stream.getvalue()


def write_json(value: Any) -> str:
    """Write a value as JSON on one line."""
    import json

    return json.dumps(value, ensure_ascii=False) + "\n"


def print_table(table: Table, stream: IO[str]) -> None:
    """Print a table for people: set by rich on a terminal, as plain text elsewhere."""
    if not stream.isatty():
        stream.write(write_plain(table))
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(
        title=Text(table.title) if table.title else None,
        title_justify="left",
        title_style="bold",
        box=_make_box(),
        show_edge=False,
        pad_edge=False,
    )
    for i, column in enumerate(table.columns):
        justify = "right" if table.is_numeric(i) else "left"
        grid.add_column(Text(column), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for i, row in enumerate(table.rows):
        last = i == len(table.rows) - table.footer_rows - 1 and table.footer_rows > 0
        is_sum = i >= len(table.rows) - table.footer_rows
        style = "bold" if is_sum else None
        grid.add_row(*(Text(str(cell)) for cell in row), end_section=last, style=style)
    Console(file=stream, highlight=False).print(grid)


def _make_box() -> Box:
    """Make rich's plain box with one line below the headings, and one above the sums too."""
    from rich.box import Box

    return Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")


def print_tables(tables: Sequence[Table], format_: str, stream: IO[str]) -> None:
    """Print tables in one of `FORMATS` but json, an empty line between them."""
    for i, table in enumerate(tables):
        if i:
            stream.write("\n")
        if format_ == "markdown":
            stream.write(write_markdown(table))
        elif format_ == "csv":
            stream.write(write_csv(table))
        else:
            print_table(table, stream)


def _escape(cell: str | int) -> str:
    return str(cell).replace("|", "\\|")
