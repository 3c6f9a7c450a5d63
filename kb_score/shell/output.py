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
from typing import IO, Any, TypeAlias, TypeVar

import click

from kb_score.errors import KbScoreError, visible

_Item = TypeVar("_Item")

_LINE_END = "\n"
_MARKED = re.compile(r"\[.\]")
_QUOTED = re.compile(r"'[^']*'")

# So many inputs with the same message are told one by one, and so many more are named; of one input
# so many messages of a kind are told.
_FEW, _NAMED = 3, 10

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
        """Find the columns whose cells are all numbers or empty, but not all empty."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        filled = ([cell for cell in column if cell != ""] for column in columns)
        return [bool(cells) and all(isinstance(c, int) for c in cells) for cells in filled]


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


_QUIET, _LINE = "kb_score.quiet", "kb_score.line"
_WHILE = 2.0  # seconds after which a command tells how far it is


class _ProgressLine:
    """The line on a terminal that tells how far a command is."""

    def __init__(self) -> None:
        self.lock, self.shown, self._text, self._is_late = RLock(), "", "", False
        timer = Timer(_WHILE, self.put)
        timer.daemon = True
        timer.start()

    def put(self, text: str | None = None) -> None:
        """Take another text, or show the last one from now on."""
        with self.lock:
            self._is_late |= text is None
            # A line that is broken could not be written over.
            self._text = self._text if text is None else visible(text)[: get_terminal_size()[0] - 1]
            self.write(self._text * self._is_late)

    def write(self, text: str) -> None:
        if text != self.shown:
            self.shown = text
            click.echo(f"\r\x1b[K{text}", err=True, nl=False, color=True)


@contextmanager
def _clear_line() -> Iterator[None]:
    """Clear that line while something else is written."""
    context = click.get_current_context(silent=True)
    if not context or not (line := context.meta.get(_LINE)):
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
    """Print the findings of a command on standard output, or to another stream.

    If they are not the first, headings of columns are not repeated for spreadsheets, and in the
    formats for people an empty line comes first.
    """
    stream = sys.stdout if stream is None else stream
    if format_ == "json":
        for line in output.lines:
            stream.write(write_json(line))
    elif format_ == "csv":
        tables = [b for b in output.blocks if isinstance(b, Table)]
        tables = tables if output.rows is None else [output.rows]
        stream.write("\n".join(write_csv(table, header=is_first) for table in tables))
    else:
        write = write_markdown if format_ == "markdown" else _write_for_people
        stream.write("" if is_first else "\n")
        for number, block in enumerate(map(_clean, output.blocks)):
            stream.write("\n" if number else "")
            write(block, stream)
    # A program that reads this through a pipe should see each result at once.
    stream.flush()


def hush(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Tell nothing more in a command but its errors, if that is wanted."""
    if wanted:
        context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the command is to tell nothing but errors."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


@_clear_line()
def complain(message: KbScoreError | str, *, kind: str = "") -> None:
    """Print a message on standard error; what is of a kind is a warning or a note."""
    if kind and is_quiet():
        return
    prefix = click.style(f"{visible(kind)}: ", fg="yellow") if kind else ""
    click.echo(f"{prefix}{visible(str(message), keep=_LINE_END)}", err=True)


class Messages(AbstractContextManager["Messages"]):
    """Messages about many inputs: what is so of many of them is told once.

    Errors are held back until an input can be used. If none can, those of one reason are told once.

    Attributes:
        status: The exit status that they call for.
    """

    def __init__(self) -> None:
        self.status = Exit.FINE
        self._held: list[KbScoreError] | None = []
        self._warned = defaultdict[str, list[str]](list)
        self._told = Counter[tuple[str, str]]()

    def refuse(self, error: KbScoreError) -> None:
        """Tell why an input cannot be used."""
        self.status = Exit.UNUSABLE
        if self._held is None:
            complain(error)
        else:
            self._held.append(error)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Tell why an input cannot be used if it cannot, and go on with others."""
        try:
            yield
        except KbScoreError as error:
            self.refuse(error)

    def go_on(self) -> bool:
        """Tell all that is held back, as an input can be used; tell whether it is the first one."""
        held, self._held = self._held, None
        for error in held or ():
            complain(error)
        return held is not None

    def warn(self, name: str, code: str, text: str) -> None:
        """Warn of something in an input; only the first inputs with a code are told one by one."""
        names = self._warned[code]
        names += [name] if names[-1:] != [name] else []
        if len(names) <= _FEW:
            self._told[name, code] += 1
            if self._told[name, code] <= _NAMED:
                complain(text, kind=f"{name}: warning")

    def __exit__(self, *_: object) -> None:
        """Tell what is left, in one line for each reason and code."""
        same = defaultdict[str, list[KbScoreError]](list)
        for error in self._held or ():
            same[_QUOTED.sub("", error.reason)].append(error)
        for errors in same.values():
            for error in errors[: 1 if len(errors) > _FEW else _FEW]:
                complain(error)
            if len(errors) > _FEW:
                complain(f"{len(errors) - 1} more cannot be used for the same reason")
        for (name, code), number in self._told.items():
            if number > _NAMED:
                complain(f"{code}: {number - _NAMED} more", kind=f"{name}: warning")
        for code, names in self._warned.items():
            if others := names[_FEW:]:
                shown = ", ".join(others[:_NAMED])
                if len(others) > _NAMED:
                    shown += ", ..."
                complain(f"{code}: {len(others)} more, {shown}", kind="warning")


def show_progress(text: str) -> None:
    """Tell how far a command is, on a terminal after 2 seconds; an empty text clears that."""
    context = click.get_current_context(silent=True)
    if context and not is_quiet() and sys.stderr.isatty():
        (context.meta.get(_LINE) or context.meta.setdefault(_LINE, _ProgressLine())).put(text)


def with_progress(done: Iterable[_Item], what: str) -> Iterator[_Item]:
    """Yield items, and count on a terminal those that are done with, such as "boards"."""
    show_progress(f"0 {what}")
    for number, item in enumerate(done, 1):
        yield item
        show_progress(f"{number} {what}")


def render(value: object) -> str | int:
    """Put a value of a result into words for a table."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
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
    rows = ([_make_visible(cell, "\n\t") for cell in row] for row in table.rows)
    writer.writerows([table.columns, *rows] if header else rows)
    return stream.getvalue()


def write_markdown(block: Block, stream: IO[str]) -> None:
    """Write a block in Markdown, the title of a table as a paragraph before it."""
    if isinstance(block, Text):
        text = block.text + block.outcome
        marks = {"heading": ("### ", ""), "picture": ("```\n", "\n```")}.get(block.kind, ("", ""))
        stream.write(f"{marks[0]}{text.rstrip()}{marks[1]}\n")
        return
    rules = ["---:" if numeric else "---" for numeric in block.find_numeric()]
    tick = ["`" if column in block.code else "" for column in block.columns]
    lines: list[Sequence[str]] = [block.columns, rules]
    for row in block.rows:
        cells = (str(cell).replace("|", "\\|") for cell in row)
        lines.append([f"{mark}{cell}{mark}" for mark, cell in zip(tick, cells, strict=True)])
    body = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    stream.write(f"**{block.title}**\n\n{body}" if block.title else body)


def write_plain(table: Table) -> str:
    """Write a table as plain text, with a line below the headings and above the sums."""
    lines = [table.columns, *(tuple(map(str, row)) for row in table.rows)]
    numeric = table.find_numeric()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = []
    for line in lines:
        cells = zip(line, widths, numeric, strict=True)
        padded = (c.rjust(width) if right else c.ljust(width) for c, width, right in cells)
        written.append("  ".join(padded).rstrip())
    ruler = "-" * (sum(widths) + 2 * (len(widths) - 1))
    written.insert(1, ruler)
    if table.footer_rows:
        written.insert(len(written) - table.footer_rows, ruler)
    title = [table.title, ""] if table.title else []
    return "\n".join([*title, *written]) + "\n"


def _write_for_people(block: Block, stream: IO[str]) -> None:
    """Write a block for people: set by rich on a terminal, as plain text elsewhere."""
    if isinstance(block, Text):
        click.echo(_style(block), file=stream)
    elif stream.isatty():
        _print_by_rich(block, stream)
    else:
        stream.write(write_plain(block))


def _style(block: Text) -> str:
    text = block.text.rstrip("\n")
    if block.kind == "picture":
        return _MARKED.sub(lambda found: click.style(found[0], bold=True), text)
    outcome = block.outcome and click.style(block.outcome, fg=block.colour or None, bold=True)
    return click.style(text, bold=True) if block.kind == "heading" else text + outcome


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

    grid = RichTable(
        title=RichText(table.title) if table.title else None,
        title_justify="left",
        title_style="bold",
        # rich's plain box has no line above the sums; this has one there, and below the headings.
        box=Box("    \n    \n ── \n    \n ── \n    \n    \n    \n"),
        show_edge=False,
        pad_edge=False,
    )
    for column, numeric in zip(table.columns, table.find_numeric(), strict=True):
        grid.add_column(RichText(column), justify="right" if numeric else "left", overflow="fold")
    sums = len(table.rows) - table.footer_rows
    for i, row in enumerate(table.rows, start=1):
        style = "bold" if i > sums else None
        grid.add_row(*(RichText(str(cell)) for cell in row), end_section=i == sums, style=style)
    console = Console(file=stream, highlight=False)
    room = console.options.update(width=1 << 16)
    if Measurement.get(console, room, grid).minimum <= console.width:
        console.print(grid)
        return
    # Words would be broken: each cell gets a line, behind the name of its column.
    wide = max(map(len, table.columns))
    rows = [zip(table.columns, row, strict=True) for row in table.rows]
    texts = ["".join(f"{name:{wide}}  {cell}\n" for name, cell in row) for row in rows]
    stream.write("\n".join([f"{table.title}\n"] * bool(table.title) + texts))
