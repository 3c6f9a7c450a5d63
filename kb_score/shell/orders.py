"""What goes to a worker and what comes back: a function, what it is for, and its result.

Parcels go to each worker once: an order names them by their digests, and a worker that lacks one
says so. A folder that is sent by content is another folder there: what comes back in words speaks
of the one here.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kb_score.errors import KbScoreError
from kb_score.shell.ends import Ended
from kb_score.shell.parcels import Parcel
from kb_score.shell.signals import leave
from kb_score.shell.versions import Version, find_version


class Order(NamedTuple):
    """A task as it is sent; what it needs is sent beside it where it is lacking."""

    task: bytes  # the function and what it is for
    needs: tuple[str, ...]  # the digests of the parcels
    version: Version | None  # that of who sends it, if it may be another one


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a task, or the mistake in its input that it has met."""

    packed: bytes
    failed: bool = False

    def read(self) -> Any:
        """Unpack the result; a mistake in the input is raised."""
        result = pickle.loads(self.packed)
        if self.failed:
            raise result
        return result


@dataclass(frozen=True, slots=True)
class Lacking:
    """The worker lacks parcels."""

    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """The worker is of another kb-score, and has not begun."""

    version: Version


class _Packer(pickle.Pickler):
    """Packs a task, with parcels and folders by name."""

    def __init__(self, stream: io.BytesIO, folders: Mapping[Path, Parcel]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self.parcels = dict[str, Parcel]()
        self._folders = folders

    def persistent_id(self, value: object) -> tuple[str, ...] | None:
        if isinstance(value, Parcel):
            self.parcels[value.digest] = value
            return (value.digest,)
        if isinstance(value, Path) and (parcel := self._folders.get(value)):
            self.parcels[parcel.digest] = parcel
            return (parcel.digest, str(value))
        return None


class _Unpacker(pickle.Unpickler):
    """Unpacks a task where it is done."""

    def __init__(self, task: bytes) -> None:
        super().__init__(io.BytesIO(task))
        self.names = dict[str, str]()  # what folders are called here, and at home

    def persistent_load(self, name: tuple[str, ...]) -> Parcel | Path:
        parcel = _known[name[0]]
        if len(name) == 1:
            return parcel
        folder = parcel.unpack()
        self.names[str(folder)] = name[1]
        return folder


class _Returner(pickle.Pickler):
    """Packs a result, whose words are to speak of folders as they are called at home."""

    def __init__(self, stream: io.BytesIO, names: Mapping[str, str]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._names = names

    def reducer_override(self, value: object) -> Any:
        if not self._names or not isinstance(value, KbScoreError):
            return NotImplemented
        again: Any = value.__reduce__()
        revive, (kind, arguments, values) = again
        return revive, (kind, self._rename(arguments), self._rename(values))

    def _rename(self, value: Any) -> Any:
        if isinstance(value, str):
            for here, home in self._names.items():
                value = value.replace(here, home)
            return value
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(map(self._rename, value))
        if isinstance(value, dict):
            return {key: self._rename(item) for key, item in value.items()}
        return value


# The parcels that have come to this process.
_known = dict[str, Parcel]()


def pack(
    function: Callable[[Any], Any],
    item: object,
    version: Version | None,
    folders: Mapping[Path, Parcel],
) -> tuple[Order, Mapping[str, Parcel]]:
    """Make an order, and list the parcels that it needs.

    Args:
        function: What is to be called; it must be found by its name in its module.
        item: What it is called with.
        version: What the worker must be, if it may be another one.
        folders: The folders that are sent by content wherever they are named by a path.
    """
    stream = io.BytesIO()
    packer = _Packer(stream, folders)
    packer.dump((function, item))
    return Order(stream.getvalue(), tuple(packer.parcels), version), packer.parcels


def work(order: Order, parcels: tuple[Parcel, ...] = ()) -> Done | Lacking | OtherVersion:
    """Do a task, on a worker."""
    if order.version is not None and order.version != find_version():
        return OtherVersion(find_version())
    _known.update((parcel.digest, parcel) for parcel in parcels)
    if lacking := tuple(digest for digest in order.needs if digest not in _known):
        return Lacking(lacking)
    unpacker = _Unpacker(order.task)
    function, item = unpacker.load()
    try:
        result, failed = function(item), False
    except KbScoreError as error:
        result, failed = error, True
    except Ended as ended:
        # All that the task has begun is ended by now; nobody waits for another one.
        leave(ended.number)
    stream = io.BytesIO()
    _Returner(stream, unpacker.names).dump(result)
    return Done(stream.getvalue(), failed)
