"""The sandbox of a bot: what bubblewrap shows of the system, and what a bot needs of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SANDBOX = "bwrap"
# The services of a session listen on sockets in these folders; a program sees empty ones.
_HIDDEN = ("/run", "/tmp")
# The environment variables that name these sockets, or a folder of them.
_SOCKETS = (
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_HOST",
    "GPG_AGENT_INFO",
    "NOTIFY_SOCKET",
    "PIPEWIRE_RUNTIME_DIR",
    "PULSE_RUNTIME_PATH",
    "PULSE_SERVER",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "STY",
    "TMUX",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
)
_FIRST_LINE = 256  # bytes of a program in which the system looks for its interpreter
# Prints the first of its arguments that a program in the sandbox could neither read nor run.
_FIND_UNREACHABLE = (
    'for path; do if [ ! -r "$path" ] && [ ! -x "$path" ]; then '
    'printf "%s" "$path"; exit 0; fi; done'
)


def enter_sandbox(own: Path | None, needed: Iterable[Path]) -> list[str]:
    """Make the beginning of a command that runs another one in a sandbox.

    Args:
        own: The only folder of ours that the program can write to, if there is one.
        needed: What it needs of the folders that are hidden: see `list_needed`.
    """
    hidden = _find_hidden()
    words = [SANDBOX, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    # Root could change the system there even without capabilities.
    words += ["--ro-bind", "/proc/sys", "/proc/sys"]
    for folder in hidden:
        words += ["--tmpfs", str(folder)]
    owned = [] if own is None else _spell(own)
    for path in _choose_shown(needed, hidden):
        if not any(path.is_relative_to(folder) for folder in owned):
            words += ["--ro-bind", str(path), str(path)]
    for path in owned:
        words += ["--bind", str(path), str(path)]
    if own is not None:
        words += ["--setenv", "TMPDIR", str(own)]
    for name in _SOCKETS:
        words += ["--unsetenv", name]
    words += ["--cap-drop", "ALL", "--unshare-uts", "--hostname", "sandbox", "--unshare-pid"]
    words += ["--unshare-net", "--unshare-ipc", "--die-with-parent"]
    return words


def find_too_wide(own: Path) -> Path | None:
    """Find a hidden folder that would be open again in a sandbox whose own folder is this one."""
    for folder in _find_hidden():
        if folder.is_relative_to(os.path.realpath(own)):
            return folder
    return None


def make_probe(needed: Iterable[Path]) -> list[str]:
    """Make a command that prints the first of some paths that cannot be used where it runs."""
    return ["/bin/sh", "-c", _FIND_UNREACHABLE, "sh", *map(str, needed)]


def is_hidden(path: Path) -> bool:
    """Whether a path is that of a folder of which a sandbox shows another one, an empty one."""
    return Path(os.path.realpath(path)) in _find_hidden()


def list_needed(words: Iterable[str], folder: Path) -> list[Path]:
    """List the folder of a program, and the files that its command names.

    The files come with what links lead to, and with their interpreters. Files that we cannot use
    ourselves are left out.

    Args:
        words: The words of the command.
        folder: The folder that it runs in.
    """
    needed = dict.fromkeys(_spell(folder))
    waiting = list(words)
    while waiting:
        for path in _find_named(waiting.pop(), folder):
            if path not in needed:
                needed[path] = None
                waiting += _list_next(path)
    return list(needed)


def _find_hidden() -> list[Path]:
    """Find the folders that a sandbox hides, on a system on which they may be links."""
    found = (Path(os.path.realpath(name)) for name in _HIDDEN)
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def _spell(path: Path) -> list[Path]:
    """List the spellings of a path: as it is written, and without links."""
    return list(dict.fromkeys([Path(os.path.abspath(path)), Path(os.path.realpath(path))]))  # noqa: PTH100


def _choose_shown(needed: Iterable[Path], hidden: Sequence[Path]) -> list[Path]:
    """Choose what has to be shown of hidden folders; no path lies below another one."""
    roots = set[Path]()
    for path in needed:
        for folder in hidden:
            if path != folder and path.is_relative_to(folder):
                roots.add(_find_root(path, hidden))
    shown = list[Path]()
    for root in sorted(roots):
        if not any(root.is_relative_to(other) for other in shown):
            shown.append(root)
    return shown


def _find_root(path: Path, hidden: Sequence[Path]) -> Path:
    """Find what has to be shown with a file: a program in ``bin`` has libraries beside that."""
    folder = path.parent
    if folder.name != "bin" or not path.is_file() or not os.access(path, os.X_OK):
        return path
    return folder if folder.parent in hidden else folder.parent


def _find_named(word: str, folder: Path) -> Iterator[Path]:
    """Find the files that a word of a command may mean, there or on the path."""
    names = [str(folder / word)]
    if "/" not in word:
        names.append(shutil.which(word) or "")
    for name in names:
        # pathlib raises where a name is too long.
        is_file = os.path.isfile(name)  # noqa: PTH113
        if is_file and (os.access(name, os.R_OK) or os.access(name, os.X_OK)):
            yield from _spell(Path(name))


def _list_next(path: Path) -> list[str]:
    """List what a program needs besides itself: what a link leads to, and its interpreter."""
    if path.is_symlink():
        return [str(path.parent / path.readlink())]
    if not path.is_file() or not os.access(path, os.X_OK):
        return []
    try:
        with path.open("rb") as stream:
            line = stream.read(_FIRST_LINE).partition(b"\n")[0]
    except OSError:
        return []
    if not line.startswith(b"#!"):
        return []
    return os.fsdecode(line[2:]).split()
