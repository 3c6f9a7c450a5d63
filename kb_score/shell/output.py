"""The output of commands: results in four formats, messages and progress."""

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
from textwrap import wrap
from threading import RLock, Timer
from typing import IO, Any, Literal, TypeAlias, TypeVar

import click

from kb_score.errors import KbScoreError, visible

_Item = TypeVar("_Item")

_LINE_END = "\n"
# The width of a plain table whose last column is prose, and the least width of that column.
_WIDTH = 120
_LEAST_WIDTH = 40
_MARKED = re.compile(r"\[.\]")
_QUOTED = re.compile(r"'[^']*'")

# Messages with the same reason or code are printed one by one for this many inputs.
_FEW = 3
# At most this many further inputs are named, and this many such messages printed about one input.
_NAMED = 10

FORMATS = ("table", "markdown", "csv", "json")


class Exit(IntEnum):
    """The exit status of a command."""

    FINE = 0  # scored, or consistent
    DIFFERS = 1  # the record breaks the rules, or claims differ
    UNUSABLE = 2  # the input or the command line cannot be used
    FAILED = 70  # kb-score itself has failed


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results; columns of numbers are aligned to the right."""

    title: str  # for a terminal and for Markdown; empty for none
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]
    footer_rows: int = 0  # the number of rows at the end that are sums, below a line
    code: tuple[str, ...] = ()  # the columns with parts of rules; Markdown formats them as code
    is_prose: bool = False  # whether plain text breaks long lines in the last column

    def find_numeric(self) -> list[bool]:
        """Return whether the cells of each column are numbers or empty, but not all empty."""
        found = []
        for number in range(len(self.columns)):
            cells = [row[number] for row in self.rows if row[number] != ""]
            is_numeric = all(isinstance(cell, int) for cell in cells)
            found.append(bool(cells) and is_numeric)
        return found


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text between tables.

    On a terminal, bracketed places of a picture are bold.
    """

    text: str
    kind: str = "line"  # or "heading", or "picture" for text in a fixed-width font
    outcome: str = ""  # the end of a line, which a terminal shows bold and in the colour
    colour: str = ""


Block: TypeAlias = Table | Text


@dataclass(frozen=True, slots=True)
class Output:
    """The findings of a command, for each format."""

    blocks: Sequence[Block]  # for people, with an empty line between them
    lines: Iterable[Mapping[str, Any]]  # the JSON objects, one for each line
    rows: Table | None = None  # for CSV; None for the tables among the blocks


# Keys in the meta of a command's click context: whether it is quiet, and its `_ProgressLine`.
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
            # Text that wraps could not be overwritten.
            width = get_terminal_size().columns - 1
            self._text = visible(text)[:width]
            if self._is_visible:
                self.write(self._text)

    def _appear(self) -> None:
        with self.lock:
            self._is_visible = True
            self.write(self._text)

    def write(self, text: str) -> None:
        """Replace the line on the terminal."""
        if text != self.shown:
            self.shown = text
            click.echo(f"\r\x1b[K{text}", err=True, nl=False, color=True)


@contextmanager
def _clear_line() -> Iterator[None]:
    """Clear the progress line while the block writes something else."""
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
    """Write the findings of a command in one of `FORMATS`.

    CSV begins with headings if the findings are the first of the command; the formats for people
    begin with an empty line if they are not.
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
        written = [write_csv(table, header=is_first) for table in tables]
        stream.write("\n".join(written))
    else:
        write = write_markdown if format_ == "markdown" else _write_for_people
        if not is_first:
            stream.write("\n")
        for number, block in enumerate(output.blocks):
            if number:
                stream.write("\n")
            write(_clean(block), stream)
    # Programs that read this through a pipe get each result at once.
    stream.flush()


def hush(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Make the command print errors only: the callback of ``--quiet``."""
    if wanted:
        context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Return whether the command prints errors only."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


@_clear_line()
def complain(message: KbScoreError | str, *, kind: str = "") -> None:
    """Print a message on standard error.

    ``kind`` is a prefix such as "warning" or "note", empty for an error; ``--quiet`` suppresses
    messages that have one.
    """
    text = visible(str(message), keep=_LINE_END)
    if kind:
        if is_quiet():
            return
        prefix = click.style(f"{visible(kind)}: ", fg="yellow")
        text = prefix + text
    click.echo(text, err=True)


class Messages(AbstractContextManager["Messages"]):
    """Messages about many inputs; a message that many inputs share is summarised in one line.

    Errors are held back until the first usable input, or the end of the ``with`` statement.
    """

    def __init__(self) -> None:
        self.status = Exit.FINE
        self._has_usable = False  # whether an input could be used
        self._held: list[KbScoreError] = []
        # The inputs with warnings, by code; and the numbers of warnings, by input and code.
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
        """Report a `KbScoreError` of the block with `refuse` instead of raising it."""
        try:
            yield
        except KbScoreError as error:
            self.refuse(error)

    def accept(self) -> bool:
        """Print the errors that were held back; return whether this is the first usable input."""
        is_first = not self._has_usable
        self._has_usable = True
        for error in self._held:
            complain(error)
        self._held = []
        return is_first

    def warn(self, name: str, code: str, text: str) -> None:
        """Print a warning about an input; more inputs with its code are summarised at the end."""
        names = self._warned[code]
        if names[-1:] != [name]:
            names.append(name)
        if len(names) > _FEW:
            return
        self._printed[name, code] += 1
        if self._printed[name, code] <= _NAMED:
            complain(text, kind=f"{name}: warning")

    def __exit__(self, *_: object) -> None:
        """Print the remaining messages, in one line for each reason and code."""
        by_reason = defaultdict[str, list[KbScoreError]](list)
        for error in self._held:
            reason = _QUOTED.sub("", error.reason)
            by_reason[reason].append(error)
        for errors in by_reason.values():
            self._report_same(errors)
        for (name, code), number in self._printed.items():
            more = number - _NAMED
            if more > 0:
                complain(f"{code}: {more} more", kind=f"{name}: warning")
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
            complain(f"{len(errors) - 1} more cannot be used, for the same reason")
            return
        for error in errors:
            complain(error)


def show_progress(text: str) -> None:
    """Show the progress of a command on a terminal, from 2 seconds after the first call.

    An empty string clears the line.
    """
    context = click.get_current_context(silent=True)
    if context is None or is_quiet() or not sys.stderr.isatty():
        return
    if _LINE not in context.meta:
        context.meta[_LINE] = _ProgressLine()
    context.meta[_LINE].put(text)


def with_progress(done: Iterable[_Item], what: str) -> Iterator[_Item]:
    """Yield items, and show on a terminal how many are done, such as "12 boards"."""
    show_progress(f"0 {what}")
    for number, item in enumerate(done, 1):
        yield item
        show_progress(f"{number} {what}")


def render(value: object) -> str | int:
    """Return a value of a result as a table cell."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, int) else str(value)


def write_json(value: Any) -> str:
    """Return a value as one line of JSON, with characters that control a terminal escaped.

    What JSON does not have, such as a compound term of an answer, is written as text.
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    if not text.isprintable():
        text = "".join(map(_escape, text))
    return f"{text}\n"


def _escape(character: str) -> str:
    """Return a character of a JSON text, escaped if it is not printable.

    A byte of a file name that is not valid UTF-8 becomes a hexadecimal escape, as in messages.
    """
    if character.isprintable():
        return character
    is_surrogate = 0xD800 <= ord(character) <= 0xDFFF
    shown = visible(character) if is_surrogate else character
    return json.dumps(shown)[1:-1]


def write_csv(table: Table, *, header: bool = True) -> str:
    """Return a table as comma-separated values, without its title and the line above its sums."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if header:
        writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_make_visible(cell, "\n\t") for cell in row])
    return stream.getvalue()


def write_markdown(block: Block, stream: IO[str]) -> None:
    """Write a block in Markdown; the title of a table becomes a bold paragraph before it."""
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
        cells = []
        for column, cell in zip(block.columns, row, strict=True):
            text = str(cell).replace("|", "\\|")
            cells.append(f"`{text}`" if column in block.code else text)
        lines.append(cells)
    for line in lines:
        stream.write(f"| {' | '.join(line)} |\n")


def write_plain(table: Table) -> str:
    """Return a table as plain text, with a line below the headings and above the sums."""
    lines = [table.columns, *(tuple(map(str, row)) for row in table.rows)]
    if table.is_prose:
        lines = list(_break_last_column(lines))
    numeric = table.find_numeric()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = []
    for line in lines:
        cells = []
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


def _break_last_column(lines: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table, with more lines for a last cell that is long."""
    before = sum(max(map(len, column)) + 2 for column in list(zip(*lines, strict=True))[:-1])
    width = max(_WIDTH - before, _LEAST_WIDTH)
    for *cells, text in lines:
        for part in wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]:
            yield (*cells, part)
            cells = [""] * len(cells)


def _write_for_people(block: Block, stream: IO[str]) -> None:
    """Write a block for people: rich lays out tables on a terminal; elsewhere they are plain."""
    if isinstance(block, Text):
        click.echo(_style(block), file=stream)
    elif stream.isatty():
        _print_with_rich(block, stream)
    else:
        stream.write(write_plain(block))


def _style(block: Text) -> str:
    """Return a block's text with terminal escapes for bold and colours."""
    text = block.text.rstrip("\n")
    if block.kind == "picture":
        return _MARKED.sub(lambda found: click.style(found[0], bold=True), text)
    if block.kind == "heading":
        return click.style(text, bold=True)
    if block.outcome:
        text += click.style(block.outcome, fg=block.colour or None, bold=True)
    return text


def _clean(block: Block) -> Block:
    """Return a block with characters that control a terminal escaped."""
    if isinstance(block, Text):
        text = visible(block.text, keep=_LINE_END)
        return replace(block, text=text)
    rows = tuple(tuple(map(_make_visible, row)) for row in block.rows)
    columns = tuple(map(visible, block.columns))
    title = visible(block.title)
    return replace(block, title=title, columns=columns, rows=rows)


def _make_visible(cell: str | int, keep: str = "") -> str | int:
    return visible(cell, keep) if isinstance(cell, str) else cell


def _print_with_rich(table: Table, stream: IO[str]) -> None:
    """Print a table with rich, or as a list if the terminal is too narrow for whole words."""
    from rich.box import Box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    # rich would read brackets in a plain str as styles.
    title = RichText(table.title) if table.title else None
    grid = RichTable(
        title=title,
        title_justify="left",
        title_style="bold",
        # rich's plain box has a line only below the headings; this one also has one above the sums.
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
    unbounded = console.options.update(width=1 << 16)
    measurement = Measurement.get(console, unbounded, grid)
    if measurement.minimum <= console.width:
        console.print(grid)
    else:
        # The table would break words.
        stream.write(_write_as_list(table))


def _write_as_list(table: Table) -> str:
    """Return a line for each cell: the name of its column, then the cell."""
    width = max(map(len, table.columns))
    parts = [f"{table.title}\n"] if table.title else []
    for row in table.rows:
        lines = ""
        for name, cell in zip(table.columns, row, strict=True):
            lines += f"{name:{width}}  {cell}\n"
        parts.append(lines)
    return "\n".join(parts)
