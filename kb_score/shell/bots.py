"""Bots: programs that answer lines of text, and run for a whole game or for one answer."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from kb_score.errors import Fault, FaultKind, InputError, KbScoreError, shorten, visible
from kb_score.shell.files import decode
from kb_score.shell.process import (
    MARK,
    NO_BOUNDS,
    PROGRAM,
    Bounds,
    confine,
    end_left,
    explain_script,
    kill_with_parent,
    list_words,
    make_mark,
)
from kb_score.shell.sandbox import list_needed

MAX_ANSWER = 1 << 16  # bytes of a line from a running program
MAX_LINE = 200  # characters of a line from a command; a longer one would fill the record
MAX_ERROR_BYTES = 1 << 16  # bytes at the end of a program's error stream that messages show
_MAX_LOG = 1 << 24  # bytes of a log
_LINES = 8  # lines of the error stream of a failed program in the message
_WIDTH = 160  # characters of each of these lines
_MAX_OUTPUT = 1 << 16  # bytes of the output of a command
# Programs that every shell contains.
_BUILT_IN = frozenset(["echo", "printf", "test", "[", "true", "false", "kill", "pwd"])
_CHUNK = 1 << 16
_CHUNKS = 32  # more than a pipe can contain
_GRACE = 0.5  # seconds between the request to end and the kill, and after the end of the output
_LOOK = 0.1  # seconds between checks of the deadline
_POLL = 0.002  # seconds between checks for a program's end, on systems that do not report it


class BotError(KbScoreError):
    """A bot cannot be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How to run a program: its folder, its log and its bounds."""

    folder: Path | None = None  # None for the current folder
    log: Path | None = None  # a file for its error stream; None to show its end in messages
    bounds: Bounds = NO_BOUNDS


def _open_log(path: Path) -> IO[bytes]:
    """Open a file for appending, without waiting if a bot has replaced it with a pipe."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
    number = os.open(path, flags, 0o666)
    return open(number, "ab")  # noqa: PTH123


class ErrorStream:
    """The error stream of a program; its end is in memory, and all of it in the log, if any."""

    def __init__(self, log: Path | None = None) -> None:
        self._log = log
        self._end = bytearray()

    def add(self, data: bytes) -> None:
        """Add data of the error stream; a log that is full or cannot be written stays as it is."""
        self._end += data
        del self._end[:-MAX_ERROR_BYTES]
        if self._log is not None:
            with contextlib.suppress(OSError), _open_log(self._log) as stream:
                room = max(0, _MAX_LOG - stream.tell())
                stream.write(data[:room])

    def describe(self) -> str:
        """Return the end of the stream for a message; see `describe_error_stream`."""
        return describe_error_stream(bytes(self._end), self._log)


def describe_error_stream(words: bytes, log: Path | None) -> str:
    """Return the end of an error stream for a message, or the path of its log.

    The text begins with a new line; it is empty if the program has written nothing.
    """
    text = words[-MAX_ERROR_BYTES:].decode("utf-8", errors="replace").strip()
    if not text:
        return ""
    if log is not None:
        path = visible(str(log))
        return f"\n    its error stream is in {path}"
    described = ""
    for line in text.splitlines():
        shown = visible(line.expandtabs())
        described += f"\n    | {shown}"
    return described


class BotProcess:
    """A running program whose output and errors are read without blocking."""

    def __init__(
        self,
        command: Sequence[str],
        setting: Setting,
        *,
        named: Sequence[str] | None = None,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        """Start a program, or raise an OSError.

        ``named`` are the words that name the files it needs in a sandbox; by default, the command.
        """
        self.words = ErrorStream(setting.log)
        self._mark = make_mark()
        needed: list[Path] = []
        if setting.bounds.folder is not None:
            folder = setting.folder or Path()
            words = command if named is None else named
            needed = list_needed(words, folder)
        self.process = subprocess.Popen(
            confine(command, setting.bounds, needed),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=setting.folder,
            env={**os.environ, MARK: self._mark},
            start_new_session=True,
            # This doubles the time to start; a program that runs for one answer ends soon anyway.
            preexec_fn=None if stdin == subprocess.DEVNULL else kill_with_parent,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._out = self.process.stdout.fileno()
        self._errors = self.process.stderr.fileno()
        os.set_blocking(self._out, False)
        os.set_blocking(self._errors, False)
        self._has_errors = True  # whether its error stream is open

    def has_ended(self) -> bool:
        """Return whether the program has ended; its process ID stays reserved until `end`."""
        if self.process.returncode is not None:
            return True
        options = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_PID, self.process.pid, options) is not None

    def read_status(self) -> int:
        """Wait for the program's end; return its exit status, or minus the signal that ended it."""
        if self.process.returncode is not None:
            return self.process.returncode
        found = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert found is not None
        if found.si_code == os.CLD_EXITED:
            return found.si_status
        return -found.si_status

    def wait(self, stream: int | None, event: int, deadline: float) -> bool:
        """Wait until a stream is ready or the program has ended; return whether that was in time.

        ``stream`` is a file descriptor, None to wait only for the end; ``event`` is one of
        `selectors`; ``deadline`` is a time of `time.monotonic`.
        """
        with selectors.DefaultSelector() as selector, _open_end(self.process) as end:
            if stream is not None:
                selector.register(stream, event)
            if end is not None:
                selector.register(end, selectors.EVENT_READ)
            if self._has_errors:
                selector.register(self._errors, selectors.EVENT_READ)
            interval = _POLL if end is None else _LOOK
            while (left := deadline - time.monotonic()) > 0:
                ready = selector.select(min(left, interval))
                streams = {key.fd for key, _ in ready}
                if self._errors in streams:
                    streams.remove(self._errors)
                    self._read_errors()
                    if not self._has_errors:
                        selector.unregister(self._errors)
                if streams or (end is None and self.has_ended()):
                    return True
        return False

    def wait_for_end(self, timeout: float) -> int | None:
        """Wait some seconds for the program to end; return its status, None if it is running."""
        deadline = time.monotonic() + timeout
        if not self.wait(None, 0, deadline):
            return None
        return self.read_status()

    def read_output(self, deadline: float) -> bytes | None:
        """Read the output; None if it is over 64 KiB, or has not ended at the deadline."""
        output = bytearray()
        while self.wait(self._out, selectors.EVENT_READ, deadline):
            chunk = self._read_chunk()
            if chunk == b"":
                return bytes(output)
            output += chunk or b""
            if len(output) > _MAX_OUTPUT:
                return None
        return None

    def _read_chunk(self) -> bytes | None:
        """Return the next bytes of the output: empty at its end, None if there are none yet."""
        ended = self.has_ended()
        try:
            return os.read(self._out, _CHUNK)
        except BlockingIOError:
            # Another program that this one has started may keep the output open.
            return b"" if ended else None

    def end(self, *, politely: bool = False) -> None:
        """Kill the program and all processes that it has started.

        ``politely`` sends SIGTERM first, and waits half a second before the kill.
        """
        requests = [signal.SIGTERM, signal.SIGKILL] if politely else [signal.SIGKILL]
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        for request in requests:
            # The process group may outlive its leader.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, request)
            deadline = time.monotonic() + _GRACE
            self.wait(None, 0, deadline)
        self.drain_errors()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        end_left(self._mark)

    def drain_errors(self) -> None:
        """Read the error stream as far as it has been written."""
        # The number of chunks is limited: a program that is still running may write endlessly.
        for _ in range(_CHUNKS):
            if not (self._has_errors and self._read_errors()):
                return

    def _read_errors(self) -> bool:
        """Read the next bytes of the error stream, and return whether there were any."""
        try:
            data = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return False
        self.words.add(data)
        self._has_errors = bool(data)
        return self._has_errors


@contextlib.contextmanager
def _open_end(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """Yield a file descriptor that becomes readable when a process ends; None if unsupported."""
    try:
        number = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield number
    finally:
        os.close(number)


class Bot(BotProcess):
    """A running program that answers lines of text; the processes that it starts end with it."""

    def __init__(
        self,
        command: Sequence[str],
        setting: Setting = Setting(),
        *,
        named: Sequence[str] | None = None,
    ) -> None:
        """Start a program as `BotProcess` does, or raise a BotError."""
        self._unread = bytearray()
        self._is_listening = True  # whether its input is open
        try:
            super().__init__(command, setting, named=named, stdin=subprocess.PIPE)
        except OSError as error:
            program = command[0]
            reason = error.strerror or str(error)
            if isinstance(error, FileNotFoundError):
                folder = setting.folder or Path()
                reason = explain_script(program, folder) or reason
            if len(command) == 1 and " " in program:
                reason += " (write the program and its arguments without quotes)"
            raise BotError(f"cannot start {shorten(repr(program))}: {reason}") from error
        assert self.process.stdin is not None
        self._in = self.process.stdin.fileno()
        os.set_blocking(self._in, False)

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(politely=True)

    def ask(self, text: str, timeout: float) -> str:
        """Send text, and return the line that the bot answers with.

        Raises a `Fault` if there is no answer within ``timeout`` seconds, or if it is too long.
        """
        deadline = time.monotonic() + timeout
        self.send(text, timeout)
        left = deadline - time.monotonic()
        return self.read_line(max(0.0, left))

    def send(self, text: str, timeout: float) -> None:
        """Write text to the bot's standard input; a `Fault` if it is not read within the timeout.

        If the bot has ended or closed its input, the text is dropped without an error: the bot's
        output may already contain the answer.
        """
        data = memoryview(text.encode())
        deadline = time.monotonic() + timeout
        while data and self._is_listening:
            self._wait(self._in, selectors.EVENT_WRITE, deadline, "did not read its input")
            ended = self.has_ended()
            try:
                written = os.write(self._in, data[:_CHUNK])
                data = data[written:]
            except BlockingIOError:
                # A program that the bot has started may keep its input open.
                self._is_listening = not ended
            except OSError:
                self._is_listening = False

    def read_line(self, timeout: float) -> str:
        """Return the next line of the bot's standard output, without its line ending.

        Raises a `Fault` if there is no line within ``timeout`` seconds, or if it is too long.
        """
        deadline = time.monotonic() + timeout
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > MAX_ANSWER:
                detail = f"printed {len(self._unread)} bytes without a line ending"
                raise self._fail("garbage", detail)
            self._wait(self._out, selectors.EVENT_READ, deadline, "did not answer")
            chunk = self._read_chunk()
            if chunk == b"":
                raise self._ended()
            self._unread += chunk or b""
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        # Records must not contain characters that control a terminal.
        return _replace_controls(text, "\ufffd")

    def close_input(self) -> None:
        """Close the bot's standard input."""
        stream = self.process.stdin
        assert stream is not None
        # Closing fails if the bot has ended without reading all of its input.
        with contextlib.suppress(OSError):
            stream.close()

    def is_over(self) -> bool:
        """Read the available output, and return whether the bot has ended or closed its output."""
        chunk = self._read_chunk()
        self._unread += chunk or b""
        return chunk == b"" or self.has_ended()

    def has_unread(self) -> bool:
        """Return whether some output has been read but not returned yet."""
        return bool(self._unread)

    def count_unread(self) -> int:
        """Return the number of lines that the bot has printed and `read_line` has not returned."""
        self.is_over()
        return self._unread.count(b"\n")

    def describe_errors(self) -> str:
        """Return the current end of the error stream for a message; see `describe_error_stream`."""
        self.drain_errors()
        return self.words.describe()

    def _wait(self, stream: int, event: int, deadline: float, complaint: str) -> None:
        if not self.wait(stream, event, deadline):
            raise self._fail("late", f"{complaint} in time")

    def _ended(self) -> Fault:
        status = self.wait_for_end(_GRACE)
        how = "closed its output" if status is None else describe_end(status)
        return self._fail("crashed", how)

    def _fail(self, kind: FaultKind, detail: str) -> Fault:
        return Fault(kind, detail, self.describe_errors())


def start_command(command: str, setting: Setting = Setting()) -> Bot:
    """Start a shell command as a program that runs for a whole game, or raise a BotError."""
    script = _choose_exec(command) + command
    words = ["/bin/sh", "-c", script]
    return Bot(words, setting, named=list_words(command))


def run_command(
    command: str,
    text: str,
    late: float,
    end: float,
    reads: Callable[[str], str],
    setting: Setting = Setting(),
    grace: float = 1.0,
) -> str:
    """Run a shell command once with one more argument, and return the line that it prints.

    Args:
        command: The command.
        text: The argument.
        late: The seconds after which an answer is late.
        end: The seconds after which the command is killed.
        reads: Returns a description of what was expected instead of a line; empty if the line is a
            valid answer.
        setting: Its folder, log and bounds.
        grace: How many times the timeout ``late`` is, for messages.

    Raises:
        Fault: There is no valid answer in time.
    """
    start = time.monotonic()
    command = command.rstrip()
    script = f"{_choose_exec(command)}{command} {shlex.quote(text)}"
    words = ["/bin/sh", "-c", script]
    program = BotProcess(words, setting, named=list_words(command))
    try:
        output = program.read_output(start + end)
        took = time.monotonic() - start
        # Its process may end a moment after its output.
        status = program.wait_for_end(_GRACE) if output is not None else None
    finally:
        program.end()
    shown = program.words.describe()
    if output is None and took < end:
        raise Fault("garbage", f"printed more than {_MAX_OUTPUT} bytes", shown)
    if output is None or took > late:
        answer_so_far = None if output is None else ""
        detail = describe_late(answer_so_far, took, late, grace)
        raise Fault("late", detail, shown)
    if status:
        raise Fault("crashed", describe_end(status), shown)
    answer = clean_line(output.decode("utf-8", errors="replace"))
    problem = find_fault(answer, reads)
    if not problem:
        return answer
    if output or status == 0:
        clipped = clip_answer(answer)
        raise Fault("garbage", problem, shown, clipped)
    raise Fault("crashed", "closed its output without an answer", shown)


def run_on_file(command: str, timeout: float, name: str, text: str) -> str:
    """Run a shell command on a file, and return what it prints.

    The file's name replaces ``{}`` in the command; without ``{}``, the command reads the file's
    text from standard input.

    Raises:
        BotError: The command cannot be started.
        FormatError: Its output is not text.
        InputError: It fails, prints nothing or too much, or does not end within the timeout.
    """
    deadline = time.monotonic() + timeout
    filled = command.replace("{}", shlex.quote(name))
    with start_command(filled) as program:
        if filled == command:
            with contextlib.suppress(Fault):  # it need not read all of the text
                program.send(text, timeout)
        program.close_input()
        output = program.read_output(deadline)
        is_late = time.monotonic() >= deadline
        status = program.wait_for_end(_GRACE) if output is not None else None
    if output is None:
        how = f"did not end within {timeout:g} s" if is_late else "printed over 64 KiB"
    elif status:
        how = describe_end(status)
    elif not output.strip():
        how = "printed nothing"
    else:
        return decode(output, f"what it printed for {name}")
    error_lines = program.words.describe().strip().splitlines()
    for line in error_lines[-_LINES:]:
        shown = line.strip()[:_WIDTH]
        how += f"\n    {shown}"
    raise InputError(name, f"the program {how}")


def describe_end(status: int) -> str:
    """Say how a program ended: by itself, or by a signal, whose number is negative here."""
    return f"exited with status {status}" if status >= 0 else f"was killed by signal {-status}"


def clean_line(text: str) -> str:
    """Return the first line of a string, without characters that a record cannot contain."""
    line, _, _ = text.partition("\n")
    printable = _replace_controls(line, " ")
    return printable.rstrip()


def _replace_controls(text: str, replacement: str) -> str:
    """Replace all characters that are not printable, except tabs."""
    return "".join(c if c.isprintable() or c == "\t" else replacement for c in text)


def clip_answer(line: str) -> str:
    """Return the text that a record keeps of an invalid answer: empty if it is too long."""
    if len(line) > MAX_LINE:
        return ""
    return line


def find_fault(line: str, reads: Callable[[str], str]) -> str:
    """Return a description of what is wrong with an answer; empty if nothing is.

    ``reads`` is that of `run_command`.
    """
    length = len(line)
    if length > MAX_LINE:
        return f"answered with a line of {length} characters, but only {MAX_LINE} are allowed"
    expected = reads(line)
    if not expected:
        return ""
    return f"answered {line[:40]!r}, not {expected}"


def describe_late(answer: str | None, took: float, late: float, grace: float = 1.0) -> str:
    """Return a description of how late an answer was; None is one that never came.

    ``grace`` says how many times the timeout ``late`` is.
    """
    how = f"was stopped after {took:.2f} s" if answer is None else f"took {took:.2f} s"
    limit = f"{how}, but the limit is {late:.2f} s"
    if grace == 1:
        return limit
    return f"{limit} ({grace:g} times the timeout of {late / grace:g} s)"


@cache
def _choose_exec(command: str) -> str:
    """Return "exec " for a command of one program, so that no shell keeps the output open."""
    words = shlex.shlex(command, posix=True, punctuation_chars=";&|()")
    words.whitespace_split = True
    words.commenters = ""
    try:
        first, *others = words
    except ValueError:
        return ""  # the shell will report the mistake
    if "\n" in command or first in _BUILT_IN or not PROGRAM.fullmatch(first):
        return ""
    operators = set(";&|()")
    is_compound = any(set(word) <= operators for word in others)
    exists = "/" in first or shutil.which(first)
    if is_compound or not exists:
        return ""
    return "exec "
