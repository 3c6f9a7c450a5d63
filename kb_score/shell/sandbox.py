"""The sandbox of a bot: the files of the system that bubblewrap shows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SANDBOX = "bwrap"
# The services of a session listen on sockets in these folders; a program sees empty ones instead.
_HIDDEN = ("/run", "/tmp")
# The environment variables that name these sockets or their folders.
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
# Prints the first argument that a program in the sandbox can neither read nor run.
_FIND_UNREACHABLE = (
    'for path; do if [ ! -r "$path" ] && [ ! -x "$path" ]; then '
    'printf "%s" "$path"; exit 0; fi; done'
)


def enter_sandbox(own: Path | None, needed: Iterable[Path]) -> list[str]:
    """Return the first words of a command that runs another command in a sandbox.

    ``own`` is the only folder outside the sandbox that the program can write to, if there is one;
    ``needed`` are the files and folders that it needs: see `list_needed`.
    """
    hidden = _find_hidden()
    words = [SANDBOX, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    # Otherwise root could change the system there even without capabilities.
    words += ["--ro-bind", "/proc/sys", "/proc/sys"]
    for folder in hidden:
        words += ["--tmpfs", str(folder)]
    owned = [] if own is None else _spell(own)
    for path in _choose_shown(needed, hidden):
        is_owned = any(path.is_relative_to(folder) for folder in owned)
        if not is_owned:
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
    """Return a hidden folder that lies in a bot's own folder; None if there is none.

    A sandbox with this own folder would show the hidden folder again.
    """
    real_own = os.path.realpath(own)
    for folder in _find_hidden():
        if folder.is_relative_to(real_own):
            return folder
    return None


def make_probe(needed: Iterable[Path]) -> list[str]:
    """Return a command that prints the first of some paths that it can neither read nor run."""
    return ["/bin/sh", "-c", _FIND_UNREACHABLE, "sh", *map(str, needed)]


def is_hidden(path: Path) -> bool:
    """Return whether a path is a folder that is empty in a sandbox."""
    real_path = Path(os.path.realpath(path))
    return real_path in _find_hidden()


def list_needed(words: Iterable[str], folder: Path) -> list[Path]:
    """Return the files and folders that the words of a command need in a sandbox.

    They are the folder that it runs in, the files that its words name, the targets of links, and
    the interpreters of scripts. Files that this process cannot read or run are left out.
    """
    needed = dict.fromkeys(_spell(folder))
    waiting = list(words)
    while waiting:
        word = waiting.pop()
        for path in _find_named(word, folder):
            if path not in needed:
                needed[path] = None
                waiting += _list_next(path)
    return list(needed)


def _find_hidden() -> list[Path]:
    """Return the real paths of the folders that a sandbox hides."""
    found = (Path(os.path.realpath(name)) for name in _HIDDEN)
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def _spell(path: Path) -> list[Path]:
    """Return the absolute spellings of a path: as it is written, and with links resolved."""
    written = Path(os.path.abspath(path))  # noqa: PTH100
    resolved = Path(os.path.realpath(path))
    return list(dict.fromkeys([written, resolved]))


def _choose_shown(needed: Iterable[Path], hidden: Sequence[Path]) -> list[Path]:
    """Return the paths in hidden folders that the sandbox must show; none lies in another."""
    roots = set[Path]()
    for path in needed:
        for folder in hidden:
            if path != folder and path.is_relative_to(folder):
                root = _find_root(path, hidden)
                roots.add(root)
    shown = list[Path]()
    for root in sorted(roots):
        is_shown = any(root.is_relative_to(other) for other in shown)
        if not is_shown:
            shown.append(root)
    return shown


def _find_root(path: Path, hidden: Sequence[Path]) -> Path:
    """Return what to show for a path: for a program in ``bin`` also the libraries beside it."""
    folder = path.parent
    if folder.name != "bin" or not path.is_file() or not os.access(path, os.X_OK):
        return path
    if folder.parent in hidden:
        return folder
    return folder.parent


def _find_named(word: str, folder: Path) -> Iterator[Path]:
    """Yield the files that a word of a command may name, in the folder or on the search path."""
    names = [str(folder / word)]
    if "/" not in word:
        names.append(shutil.which(word) or "")
    for name in names:
        # pathlib raises an error if a name is too long.
        is_file = os.path.isfile(name)  # noqa: PTH113
        if is_file and (os.access(name, os.R_OK) or os.access(name, os.X_OK)):
            yield from _spell(Path(name))


def _list_next(path: Path) -> list[str]:
    """Return the next files that a program needs: the target of a link, or the interpreter."""
    if path.is_symlink():
        return [str(path.parent / path.readlink())]
    if not path.is_file() or not os.access(path, os.X_OK):
        return []
    try:
        with path.open("rb") as stream:
            start = stream.read(_FIRST_LINE)
    except OSError:
        return []
    line, _, _ = start.partition(b"\n")
    if not line.startswith(b"#!"):
        return []
    return os.fsdecode(line[2:]).split()
