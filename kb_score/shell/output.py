"""Results to text: one function for each format, and one that prints what a command has found."""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from shutil import get_terminal_size
from threading import RLock, Timer
from typing import IO, Any, Literal, TypeAlias, TypeVar

import click

from kb_score.errors import KbScoreError, visible

_Item = TypeVar("_Item")

_LINE_END = "\n"
_MARKED = re.compile(r"\[.\]")
_QUOTED = re.compile(r"'[^']*'")

_FEW = 3  # inputs whose messages of one kind are printed one by one
_NAMED = 10  # further inputs that are named, and messages of one kind about one input

FORMATS = ("table", "markdown", "csv", "json")


class Exit(IntEnum):
    """The exit status of a command."""

    FINE = 0  # scored, or consistent
    DIFFERS = 1  # the record breaks the rules, or claims differ
    UNUSABLE = 2  # the input or the command line cannot be used
    FAILED = 70  # kb-score itself


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results; a column whose cells are numbers is set flush right."""

    title: str  # for a terminal and for Markdown; empty for none
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]
    footer_rows: int = 0  # this many of the last rows are sums, set apart by a line
    code: tuple[str, ...] = ()  # the columns that hold parts of rules; Markdown sets them as code

    def find_numeric(self) -> list[bool]:
        """Return for each column whether its cells are numbers or empty, but not all empty."""
        found: list[bool] = []
        for number in range(len(self.columns)):
            cells = [row[number] for row in self.rows if row[number] != ""]
            is_numeric = all(isinstance(cell, int) for cell in cells)
            found.append(bool(cells) and is_numeric)
        return found


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text between tables; a picture's places in brackets are bold on a terminal."""

    text: str
    kind: str = "line"  # or a "heading" of its own, or a "picture" in equal widths
    outcome: str = ""  # what a line ends with, bold and in a colour on a terminal
    colour: str = ""


Block: TypeAlias = Table | Text


@dataclass(frozen=True, slots=True)
class Output:
    """The findings of a command, for each format."""

    blocks: Sequence[Block]  # for people, with an empty line between them
    lines: Iterable[Mapping[str, Any]]  # the JSON objects
    rows: Table | None = None  # for spreadsheets; None where these are the blocks' tables


# What click's context of a command holds: whether it is quiet, and its `_ProgressLine`.
_QUIET = "kb_score.quiet"
_LINE = "kb_score.line"
_DELAY = 2.0  # seconds after which a command shows its progress


class _ProgressLine:
    """The line on a terminal that shows the progress of a command."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.shown = ""
        self._text = ""
        self._is_visible = False
        timer = Timer(_DELAY, self._appear)
        timer.daemon = True
        timer.start()

    def put(self, text: str) -> None:
        """Replace the text."""
        with self.lock:
            # A text of two lines could not be overwritten.
            width = get_terminal_size().columns - 1
            self._text = visible(text)[:width]
            if self._is_visible:
                self.write(self._text)

    def _appear(self) -> None:
        with self.lock:
            self._is_visible = True
            self.write(self._text)

    def write(self, text: str) -> None:
        """Write a text over the line."""
        if text != self.shown:
            self.shown = text
            click.echo(f"\r\x1b[K{text}", err=True, nl=False, color=True)


@contextmanager
def _clear_line() -> Iterator[None]:
    """Clear the progress line while something else is written."""
    context = click.get_current_context(silent=True)
    line = context.meta.get(_LINE) if context else None
    if line is None:
        yield
        return
    with line.lock:
        shown = line.shown
        line.write("")
        yield
        line.write(shown)


@_clear_line()
def show(
    output: Output, format_: str, *, is_first: bool = True, stream: IO[str] | None = None
) -> None:
    """Write the findings of a command.

    Args:
        output: The findings.
        format_: One of `FORMATS`.
        is_first: Whether nothing was written before: CSV then has headings; the formats for people
            otherwise begin with an empty line.
        stream: The stream to write to; None for standard output.
    """
    stream = sys.stdout if stream is None else stream
    if format_ == "json":
        for line in output.lines:
            stream.write(write_json(line))
    elif format_ == "csv":
        if output.rows is None:
            tables = [block for block in output.blocks if isinstance(block, Table)]
        else:
            tables = [output.rows]
        stream.write("\n".join(write_csv(table, header=is_first) for table in tables))
    else:
        write = write_markdown if format_ == "markdown" else _write_for_people
        if not is_first:
            stream.write("\n")
        for number, block in enumerate(output.blocks):
            if number:
                stream.write("\n")
            write(_clean(block), stream)
    # A program that reads this through a pipe should see each result at once.
    stream.flush()


def hush(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Print nothing but errors from now on, if that is wanted."""
    if wanted:
        context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Return whether the command prints nothing but errors."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


@_clear_line()
def complain(message: KbScoreError | str, *, kind: str = "") -> None:
    """Print a message on standard error.

    Args:
        message: The message.
        kind: Such as "warning" or "note", which ``--quiet`` omits; empty for an error.
    """
    text = visible(str(message), keep=_LINE_END)
    if kind:
        if is_quiet():
            return
        text = click.style(f"{visible(kind)}: ", fg="yellow") + text
    click.echo(text, err=True)


class Messages(AbstractContextManager["Messages"]):
    """Messages about many inputs: a message that many of them share is printed once.

    Errors are held back until an input can be used. If none can, a reason is printed once.

    Attributes:
        status: The exit status that they call for.
    """

    def __init__(self) -> None:
        self.status = Exit.FINE
        self._has_usable = False  # whether an input could be used
        self._held: list[KbScoreError] = []
        # The inputs with warnings of a code, and the number of warnings by input and code.
        self._warned = defaultdict[str, list[str]](list)
        self._printed = Counter[tuple[str, str]]()

    def refuse(self, error: KbScoreError) -> None:
        """Report an input that cannot be used."""
        self.status = Exit.UNUSABLE
        if self._has_usable:
            complain(error)
        else:
            self._held.append(error)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Report an input that cannot be used, and go on with others."""
        try:
            yield
        except KbScoreError as error:
            self.refuse(error)

    def go_on(self) -> bool:
        """Print the errors that are held back, as an input can be used.

        Returns:
            Whether it is the first input that can be used.
        """
        is_first = not self._has_usable
        self._has_usable = True
        for error in self._held:
            complain(error)
        self._held = []
        return is_first

    def warn(self, name: str, code: str, text: str) -> None:
        """Warn of something in an input; only the first inputs with a code are named at once."""
        names = self._warned[code]
        if names[-1:] != [name]:
            names.append(name)
        if len(names) > _FEW:
            return
        self._printed[name, code] += 1
        if self._printed[name, code] <= _NAMED:
            complain(text, kind=f"{name}: warning")

    def __exit__(self, *_: object) -> None:
        """Print the rest, in one line for each reason and code."""
        same = defaultdict[str, list[KbScoreError]](list)
        for error in self._held:
            same[_QUOTED.sub("", error.reason)].append(error)
        for errors in same.values():
            self._report_same(errors)
        for (name, code), number in self._printed.items():
            if number > _NAMED:
                complain(f"{code}: {number - _NAMED} more", kind=f"{name}: warning")
        for code, names in self._warned.items():
            others = names[_FEW:]
            if not others:
                continue
            shown = ", ".join(others[:_NAMED])
            if len(others) > _NAMED:
                shown += ", ..."
            complain(f"{code}: {len(others)} more, {shown}", kind="warning")

    def _report_same(self, errors: Sequence[KbScoreError]) -> None:
        """Print errors that have the same reason."""
        if len(errors) > _FEW:
            complain(errors[0])
            complain(f"{len(errors) - 1} more cannot be used for the same reason")
            return
        for error in errors:
            complain(error)


def show_progress(text: str) -> None:
    """Show the progress of a command on a terminal, after 2 seconds; an empty text clears it."""
    context = click.get_current_context(silent=True)
    if context is None or is_quiet() or not sys.stderr.isatty():
        return
    if _LINE not in context.meta:
        context.meta[_LINE] = _ProgressLine()
    context.meta[_LINE].put(text)


def with_progress(done: Iterable[_Item], what: str) -> Iterator[_Item]:
    """Yield items, and count on a terminal those that are done, such as "boards"."""
    show_progress(f"0 {what}")
    for number, item in enumerate(done, 1):
        yield item
        show_progress(f"{number} {what}")


def render(value: object) -> str | int:
    """Return a value of a result as a table shows it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, int) else str(value)


def write_json(value: Any) -> str:
    """Write a value as JSON on one line; what could steer a terminal as JSON escapes it."""
    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        text = "".join(map(_escape, text))
    return f"{text}\n"


def _escape(character: str) -> str:
    """Write a character within a text of JSON.

    A byte of a file's name that is no text becomes a hexadecimal escape, as in other messages.
    """
    if character.isprintable():
        return character
    is_surrogate = 0xD800 <= ord(character) <= 0xDFFF
    shown = visible(character) if is_surrogate else character
    return json.dumps(shown)[1:-1]


def write_csv(table: Table, *, header: bool = True) -> str:
    """Write a table as comma-separated values, with a line of headings if wanted."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if header:
        writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_make_visible(cell, "\n\t") for cell in row])
    return stream.getvalue()


def write_markdown(block: Block, stream: IO[str]) -> None:
    """Write a block in Markdown, the title of a table as a paragraph before it."""
    if isinstance(block, Text):
        text = f"{block.text}{block.outcome}".rstrip()
        if block.kind == "heading":
            text = f"### {text}"
        elif block.kind == "picture":
            text = f"```\n{text}\n```"
        stream.write(f"{text}\n")
        return
    if block.title:
        stream.write(f"**{block.title}**\n\n")
    rulers = ["---:" if is_numeric else "---" for is_numeric in block.find_numeric()]
    lines: list[Sequence[str]] = [block.columns, rulers]
    for row in block.rows:
        cells: list[str] = []
        for column, cell in zip(block.columns, row, strict=True):
            text = str(cell).replace("|", "\\|")
            cells.append(f"`{text}`" if column in block.code else text)
        lines.append(cells)
    for line in lines:
        stream.write(f"| {' | '.join(line)} |\n")


def write_plain(table: Table) -> str:
    """Write a table as plain text, with a line below the headings and above the sums."""
    lines = [table.columns, *(tuple(map(str, row)) for row in table.rows)]
    numeric = table.find_numeric()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written: list[str] = []
    for line in lines:
        cells: list[str] = []
        for cell, width, is_numeric in zip(line, widths, numeric, strict=True):
            cells.append(cell.rjust(width) if is_numeric else cell.ljust(width))
        written.append("  ".join(cells).rstrip())
    gaps = 2 * (len(widths) - 1)
    ruler = "-" * (sum(widths) + gaps)
    written.insert(1, ruler)
    if table.footer_rows:
        written.insert(len(written) - table.footer_rows, ruler)
    if table.title:
        written = [table.title, "", *written]
    return "\n".join(written) + "\n"


def _write_for_people(block: Block, stream: IO[str]) -> None:
    """Write a block for people: set by rich on a terminal, as plain text elsewhere."""
    if isinstance(block, Text):
        click.echo(_style(block), file=stream)
    elif stream.isatty():
        _print_by_rich(block, stream)
    else:
        stream.write(write_plain(block))


def _style(block: Text) -> str:
    """Return a text with the escapes of a terminal for bold and coloured letters."""
    text = block.text.rstrip("\n")
    if block.kind == "picture":
        return _MARKED.sub(lambda found: click.style(found[0], bold=True), text)
    if block.kind == "heading":
        return click.style(text, bold=True)
    if block.outcome:
        text += click.style(block.outcome, fg=block.colour or None, bold=True)
    return text


def _clean(block: Block) -> Block:
    """Make visible whatever a text or a cell holds that could steer a terminal."""
    if isinstance(block, Text):
        return replace(block, text=visible(block.text, keep=_LINE_END))
    rows = tuple(tuple(_make_visible(cell) for cell in row) for row in block.rows)
    columns = tuple(map(visible, block.columns))
    return replace(block, title=visible(block.title), columns=columns, rows=rows)


def _make_visible(cell: str | int, keep: str = "") -> str | int:
    return visible(cell, keep) if isinstance(cell, str) else cell


def _print_by_rich(table: Table, stream: IO[str]) -> None:
    from rich.box import Box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    # rich would read brackets in a plain text as styles.
    grid = RichTable(
        title=RichText(table.title) if table.title else None,
        title_justify="left",
        title_style="bold",
        # rich's plain box has no line above the sums; this has one there, and below the headings.
        box=Box("    \n    \n ── \n    \n ── \n    \n    \n    \n"),
        show_edge=False,
        pad_edge=False,
    )
    for column, is_numeric in zip(table.columns, table.find_numeric(), strict=True):
        side: Literal["left", "right"] = "right" if is_numeric else "left"
        grid.add_column(RichText(column), justify=side, overflow="fold")
    last = len(table.rows) - table.footer_rows  # the last row above the sums
    for number, row in enumerate(table.rows, start=1):
        style = "bold" if number > last else None
        cells = [RichText(str(cell)) for cell in row]
        grid.add_row(*cells, end_section=number == last, style=style)
    console = Console(file=stream, highlight=False)
    room = console.options.update(width=1 << 16)
    if Measurement.get(console, room, grid).minimum <= console.width:
        console.print(grid)
    else:
        # Words would be broken: each cell gets a line of its own.
        stream.write(_write_as_list(table))


def _write_as_list(table: Table) -> str:
    """Write a line for each cell, behind the name of its column."""
    width = max(map(len, table.columns))
    parts = [f"{table.title}\n"] if table.title else []
    for row in table.rows:
        lines = ""
        for name, cell in zip(table.columns, row, strict=True):
            lines += f"{name:{width}}  {cell}\n"
        parts.append(lines)
    return "\n".join(parts)
