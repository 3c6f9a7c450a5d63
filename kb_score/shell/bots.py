"""Bots: programs that are told lines and answer lines, all the time or run anew for each."""

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
    end_with_parent,
    explain_script,
    list_words,
    make_mark,
)
from kb_score.shell.sandbox import list_needed

# An answer is a line of moves; anything longer is not an answer.
MAX_ANSWER = 1 << 16
# A longer line of a command that is run anew is no answer, and would only fill the record.
MAX_LINE = 200
# What is kept of a program's error stream for a message, and what a file of it may hold.
MAX_WORDS = 1 << 16
_MAX_LOG = 1 << 24
# Of what a program that fails has said so many lines are shown, and so much of each.
_LINES, _WIDTH = 8, 160
_MAX_OUTPUT = 1 << 16
# Programs that every shell has in itself.
_BUILT_IN = frozenset(["echo", "printf", "test", "[", "true", "false", "kill", "pwd"])
_CHUNK = 1 << 16
_CHUNKS = 32  # more than a pipe holds
_GRACE = 0.5  # seconds between the request to end and the kill, and after the end of the output
_LOOK = 0.1  # seconds between looks at whether to go on
_POLL = 0.002  # seconds between looks at what the system tells of only if it is asked


class BotError(KbScoreError):
    """A bot cannot be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a program runs, and within what bounds."""

    folder: Path | None = None  # the present one where None
    # The file that its error stream is added to; where None, its end is told on failure.
    log: Path | None = None
    bounds: Bounds = NO_BOUNDS


def _open_log(path: Path) -> IO[bytes]:
    """Open a file to add to it; a bot may have put a pipe there, which must not keep us waiting."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
    return open(os.open(path, flags, 0o666), "ab")  # noqa: PTH123


class ErrorStream:
    """What a program writes to its error stream: the end of it, and all of it in a file."""

    def __init__(self, log: Path | None = None) -> None:
        """Keep the end of it, and add to a file, if there is one, as long as that is no giant."""
        self._log = log
        self._end = bytearray()

    def take(self, data: bytes) -> None:
        """Take what was written."""
        self._end += data
        del self._end[:-MAX_WORDS]
        if self._log is not None:
            # No game is lost for what is said beside it.
            with contextlib.suppress(OSError), _open_log(self._log) as stream:
                stream.write(data[: max(0, _MAX_LOG - stream.tell())])

    def tell(self) -> str:
        """Tell of it; see `describe_words`."""
        return describe_words(bytes(self._end), self._log)


def describe_words(said: bytes, log: Path | None) -> str:
    """Tell what a program said in lines that begin on a new one: its end, or where all of it is."""
    text = said[-MAX_WORDS:].decode("utf-8", errors="replace").strip()
    if not text:
        return ""
    if log is not None:
        return f"\n    what it said is in {visible(str(log))}"
    return "".join(f"\n    | {visible(line.expandtabs())}" for line in text.splitlines())


class BotProcess:
    """A program that runs, its output and errors read without ever waiting for it.

    Attributes:
        words: What it writes to its error stream.
        process: The process; its output does not block.
    """

    def __init__(
        self,
        command: Sequence[str],
        setting: Setting,
        *,
        named: Sequence[str] | None = None,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        """Start a program; an OSError if that cannot be.

        Args:
            command: Its words.
            setting: Where it runs, and within what bounds.
            named: The words that name the files it needs in a sandbox; its own where None.
            stdin: What its input is.
        """
        self.words = ErrorStream(setting.log)
        self._mark = make_mark()
        needed = list[Path]()
        if setting.bounds.folder is not None:
            folder = Path() if setting.folder is None else setting.folder
            needed = list_needed(command if named is None else named, folder)
        self.process = subprocess.Popen(
            confine(command, setting.bounds, needed),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=setting.folder,
            env={**os.environ, MARK: self._mark},
            start_new_session=True,
            # A program that runs anew each turn ends soon; it would take twice as long to start.
            preexec_fn=None if stdin == subprocess.DEVNULL else end_with_parent,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._out, self._errors = self.process.stdout.fileno(), self.process.stderr.fileno()
        os.set_blocking(self._out, False)
        os.set_blocking(self._errors, False)
        self._heard = True  # whether its error stream is open

    def has_ended(self) -> bool:
        """Whether it has ended; its number is ours until `end`, so that nobody else is hit."""
        if self.process.returncode is not None:
            return True
        options = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_PID, self.process.pid, options) is not None

    def read_status(self) -> int:
        """Read the exit status of a program that has ended, below 0 the signal that ended it."""
        if self.process.returncode is not None:
            return self.process.returncode
        found = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        assert found is not None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def wait(self, stream: int | None, event: int, deadline: float) -> bool:
        """Wait until a stream is ready or the program has ended; tell whether that was in time."""
        with selectors.DefaultSelector() as selector, _open_end(self.process) as end:
            if stream is not None:
                selector.register(stream, event)
            if end is not None:
                selector.register(end, selectors.EVENT_READ)
            if self._heard:
                selector.register(self._errors, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                ready = selector.select(min(left, _POLL if end is None else _LOOK))
                found = {key.fd for key, _ in ready}
                if self._errors in found:
                    self._listen()
                    if not self._heard:
                        selector.unregister(self._errors)
                if found - {self._errors} or (end is None and self.has_ended()):
                    return True
        return False

    def wait_for_end(self, timeout: float) -> int | None:
        """Wait until it has ended by itself; its exit status, None if it goes on."""
        if not self.wait(None, 0, time.monotonic() + timeout):
            return None
        return self.read_status()

    def read_output(self, deadline: float) -> bytes | None:
        """Read what it prints until it has ended; None if that is too much, or takes too long."""
        output = bytearray()
        while self.wait(self._out, selectors.EVENT_READ, deadline):
            if (chunk := self._read_chunk()) == b"":
                return bytes(output)
            output += chunk or b""
            if len(output) > _MAX_OUTPUT:
                return None
        return None

    def _read_chunk(self) -> bytes | None:
        """Read what there is of its output: empty at its end, None if there is nothing yet."""
        ended = self.has_ended()
        try:
            return os.read(self._out, _CHUNK)
        except BlockingIOError:
            return b"" if ended else None  # what it has started may hold its output

    def end(self, *, politely: bool = False) -> None:
        """End the program and all that it has started; politely, then for certain."""
        requests = [signal.SIGTERM] * politely + [signal.SIGKILL]
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        for request in requests:
            # The group may live on when its leader has gone.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, request)
            self.wait(None, 0, time.monotonic() + _GRACE)
        self.listen()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        end_left(self._mark)

    def listen(self) -> None:
        """Take in what is on its error stream by now."""
        # What still runs may write without end.
        for _ in range(_CHUNKS):
            if not (self._heard and self._listen()):
                return

    def _listen(self) -> bool:
        """Take in a piece of its error stream; tell whether there was one."""
        try:
            data = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return False
        self.words.take(data)
        self._heard = bool(data)
        return self._heard


@contextlib.contextmanager
def _open_end(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """Open what becomes ready to be read when a process ends; None where there is no such thing."""
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
    """A running program that is told lines and answers lines; its children end with it."""

    def __init__(
        self,
        command: Sequence[str],
        setting: Setting = Setting(),
        *,
        named: Sequence[str] | None = None,
    ) -> None:
        """Start a program; a BotError if that cannot be. See `BotProcess`."""
        self._unread = bytearray()
        self._is_listening = True  # whether its input is open
        try:
            super().__init__(command, setting, named=named, stdin=subprocess.PIPE)
        except OSError as error:
            reason = error.strerror or str(error)
            if isinstance(error, FileNotFoundError):
                reason = explain_script(command[0], setting.folder or Path()) or reason
            quoted = len(command) == 1 and " " in command[0]
            hint = " (write the program and its arguments without quotes)" if quoted else ""
            raise BotError(f"cannot start {shorten(repr(command[0]))}: {reason}{hint}") from error
        assert self.process.stdin is not None
        self._in = self.process.stdin.fileno()
        os.set_blocking(self._in, False)

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(politely=True)

    def ask(self, text: str, timeout: float) -> str:
        """Send a text and read the line that answers it; the timeout, in seconds, is for both."""
        deadline = time.monotonic() + timeout
        self.send(text, timeout)
        return self.read_line(max(0.0, deadline - time.monotonic()))

    def send(self, text: str, timeout: float) -> None:
        """Write a text to the bot's standard input; it has ``timeout`` seconds to read it.

        A bot that has closed its input, or has ended, is told nothing more: what it has printed
        may answer all the same.
        """
        data = memoryview(text.encode())
        deadline = time.monotonic() + timeout
        while data and self._is_listening:
            self._wait(self._in, selectors.EVENT_WRITE, deadline, "did not read its input")
            ended = self.has_ended()
            try:
                data = data[os.write(self._in, data[:_CHUNK]) :]
            except BlockingIOError:
                # What the bot has started may hold its input open.
                self._is_listening = not ended
            except OSError:
                self._is_listening = False

    def read_line(self, timeout: float) -> str:
        """Read a line of the bot's standard output, without its end, within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while (end := self._unread.find(b"\n")) < 0:
            if len(self._unread) > MAX_ANSWER:
                detail = f"printed {len(self._unread)} bytes without a line end"
                raise self._fail("garbage", detail)
            self._wait(self._out, selectors.EVENT_READ, deadline, "did not answer")
            if (chunk := self._read_chunk()) == b"":
                raise self._ended()
            self._unread += chunk or b""
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        # A record is text, and must not have characters that control a terminal.
        return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)

    def close_input(self) -> None:
        """Close the bot's standard input: nothing more is said to it."""
        stream = self.process.stdin
        assert stream is not None
        # What it has not read is lost to a bot that has ended.
        with contextlib.suppress(OSError):
            stream.close()

    def is_over(self) -> bool:
        """Whether it has ended or closed its output; what it has printed by now is taken in."""
        chunk = self._read_chunk()
        self._unread += chunk or b""
        return chunk == b"" or self.has_ended()

    def has_unread(self) -> bool:
        """Whether it has printed more than was read, as far as that was taken in."""
        return bool(self._unread)

    def count_unread(self) -> int:
        """Count the lines that it has printed by now and that were not read."""
        self.is_over()
        return self._unread.count(b"\n")

    def tell_words(self) -> str:
        """Tell what it has written to its error stream by now, in lines that begin on a new one."""
        self.listen()
        return self.words.tell()

    def _wait(self, stream: int, event: int, deadline: float, complaint: str) -> None:
        if not self.wait(stream, event, deadline):
            raise self._fail("late", f"{complaint} in time")

    def _ended(self) -> Fault:
        if not self.wait(None, 0, time.monotonic() + _GRACE):
            return self._fail("crashed", "closed its output")
        code = self.read_status()
        how = f"ended with exit status {code}" if code >= 0 else f"was ended by signal {-code}"
        return self._fail("crashed", how)

    def _fail(self, kind: FaultKind, detail: str) -> Fault:
        return Fault(kind, detail, self.tell_words())


def start_command(command: str, setting: Setting = Setting()) -> Bot:
    """Start a command for the shell as a program that runs all the time; perhaps a BotError."""
    words = ["/bin/sh", "-c", f"{_say_exec(command)}{command}"]
    return Bot(words, setting, named=list_words(command))


def run_command(
    command: str,
    text: str,
    late: float,
    end: float,
    reads: Callable[[str], str],
    setting: Setting = Setting(),
) -> str:
    """Run a command once with one more argument, and read the line that it prints, or a Fault.

    Its answer is late after ``late`` seconds, and after ``end`` seconds it is ended.
    """
    start = time.monotonic()
    words = ["/bin/sh", "-c", f"{_say_exec(command)}{command} {shlex.quote(text)}"]
    program = BotProcess(words, setting, named=list_words(command))
    try:
        output, took = program.read_output(start + end), time.monotonic() - start
        # Where its output has ended it may be about to end, too.
        status = program.wait_for_end(_GRACE) if output is not None else None
    finally:
        program.end()
    if output is None and took < end:
        fault: tuple[FaultKind, str] = "garbage", f"printed more than {_MAX_OUTPUT} bytes"
    elif output is None or took > late:
        fault = "late", describe_late(None if output is None else "", took, late)
    elif status:
        fault = "crashed", f"ended with {_name_status(status)}"
    else:
        answer = clean_line(output.decode("utf-8", errors="replace"))
        problem = find_fault(answer, reads)
        if not problem:
            return answer
        if output or status == 0:
            raise Fault("garbage", problem, program.words.tell(), clip_answer(answer))
        fault = "crashed", "closed its output without an answer"
    raise Fault(*fault, program.words.tell())


def run_on_file(command: str, timeout: float, name: str, text: str) -> str:
    """Run a command for the shell on a file, and read what it prints; a KbScoreError if nothing.

    It gets the text on its standard input, or where it holds ``{}``, the name of the file there.
    """
    given, deadline = command.replace("{}", shlex.quote(name)), time.monotonic() + timeout
    with start_command(given) as program:
        with contextlib.suppress(Fault):  # it need not read all of the text
            program.send(text if given == command else "", timeout)
        program.close_input()
        output, is_late = program.read_output(deadline), time.monotonic() >= deadline
        status = program.wait_for_end(_GRACE) if output is not None else None
    if output is None:
        how = f"did not end within {timeout:g} s" if is_late else "printed over 64 KiB"
    elif status or not output.strip():
        how = f"ended with {_name_status(status)}" if status else "printed nothing"
    else:
        return decode(output, f"what it printed for {name}")
    words = (
        f"\n    {line.strip()[:_WIDTH]}"
        for line in program.words.tell().strip().splitlines()[-_LINES:]
    )
    raise InputError(name, f"the program {how}{''.join(words)}")


def _name_status(status: int) -> str:
    return f"exit status {status}" if status > 0 else f"signal {-status}"


def clean_line(text: str) -> str:
    """Return the first line, which may be empty, without what a record cannot hold."""
    line = text.partition("\n")[0]
    return "".join(c if c.isprintable() or c == "\t" else " " for c in line).rstrip()


def clip_answer(line: str) -> str:
    """Return what a record keeps of a line that is no answer: nothing if it is too long."""
    return line if len(line) <= MAX_LINE else ""


def find_fault(line: str, reads: Callable[[str], str]) -> str:
    """Return what is wrong with an answer, in words; empty if it can be read."""
    if len(line) > MAX_LINE:
        return f"answered a line of {len(line)} characters, {MAX_LINE} are allowed"
    wanted = reads(line)
    return f"answered {line[:40]!r}, not {wanted}" if wanted else ""


def describe_late(answer: str | None, took: float, late: float) -> str:
    """Say how late an answer was, or that there was none."""
    how = f"was ended after {took:.2f} s" if answer is None else f"took {took:.2f} s"
    return f"{how}, {late:.2f} s are allowed"


@cache
def _say_exec(command: str) -> str:
    """Say "exec" where a command is one program: else the shell would hold its output, too."""
    words = shlex.shlex(command, posix=True, punctuation_chars=";&|()")
    words.whitespace_split, words.commenters = True, ""
    try:
        first, *others = words
    except ValueError:
        return ""  # the shell will say
    if "\n" in command or first in _BUILT_IN or not PROGRAM.fullmatch(first):
        return ""
    compound = any(set(word) <= set(";&|()") for word in others)
    return "" if compound or not ("/" in first or shutil.which(first)) else "exec "
