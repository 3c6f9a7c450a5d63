"""Folders by content: what arrives is what was there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from kb_score.errors import InputError
from kb_score.shell import orders, parcels
from kb_score.shell.crew import open_crew, run_ordered
from kb_score.shell.parcels import pack_files, pack_folder
from tests.shell import tasks


def write_bot(folder: Path) -> Path:
    (folder / "lib" / "__pycache__").mkdir(parents=True)
    (folder / "lib" / "__pycache__" / "bot.pyc").write_bytes(b"\0")
    (folder / "lib" / "moves.bin").write_bytes(b"\0\xff\n")
    (folder / "logs").mkdir()
    (folder / "bot.sh").write_text("#!/bin/sh\necho 1\n")
    (folder / "bot.sh").chmod(0o755)
    (folder / "latest").symlink_to("lib/moves.bin")
    return folder


def test_a_folder_is_unpacked_as_it_was(tmp_path: Path) -> None:
    there = pack_folder(write_bot(tmp_path)).unpack()

    assert sorted(path.relative_to(there).as_posix() for path in there.rglob("*")) == [
        "bot.sh", "latest", "lib", "lib/moves.bin", "logs",
    ]  # fmt: skip
    assert (there / "bot.sh").read_text() == "#!/bin/sh\necho 1\n"
    assert stat.S_IMODE((there / "bot.sh").stat().st_mode) == 0o755
    assert (there / "lib" / "moves.bin").read_bytes() == b"\0\xff\n"
    assert (there / "latest").readlink() == Path("lib/moves.bin")


def test_the_same_files_are_unpacked_once(tmp_path: Path) -> None:
    write_bot(tmp_path)
    first, second = pack_folder(tmp_path), pack_folder(tmp_path)

    assert first.digest == second.digest
    assert first.unpack() == second.unpack()
    assert first.unpack() != tmp_path


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda folder: (folder / "bot.sh").write_text("echo 2\n"), id="contents"),
        pytest.param(lambda folder: (folder / "bot.sh").chmod(0o700), id="mode"),
        pytest.param(lambda folder: (folder / "bot.sh").rename(folder / "a.sh"), id="name"),
        pytest.param(lambda folder: (folder / "more").mkdir(), id="folder"),
    ],
)
def test_other_files_are_another_parcel(change: Callable[[Path], object], tmp_path: Path) -> None:
    before = pack_folder(write_bot(tmp_path)).digest
    change(tmp_path)

    assert pack_folder(tmp_path).digest != before


@pytest.mark.parametrize("leads", ["/etc/passwd", "../other.txt", "lib/../../other.txt"])
def test_a_link_out_of_the_folder_is_refused(leads: str, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    write_bot(folder)
    (folder / "out").symlink_to(leads)

    with pytest.raises(InputError, match=f"{folder}/out: the link leads to {leads}: what travels"):
        pack_folder(folder)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match="pipe: it is neither a file nor a folder"):
        pack_folder(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: it is not a folder"):
        pack_folder(tmp_path / "nowhere")


def test_a_folder_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MAX_PARCEL", 30)
    (tmp_path / "a").write_bytes(b"1" * 20)
    (tmp_path / "b").write_bytes(b"2" * 20)

    with pytest.raises(InputError, match="more than the 30 bytes that travel"):
        pack_folder(tmp_path)


def test_files_that_are_links_travel_by_their_contents(tmp_path: Path) -> None:
    (tmp_path / "far.lp").write_text("a.\n")
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "near.lp").symlink_to(tmp_path / "far.lp")

    there = pack_files(folder, [folder / "near.lp"]).unpack()

    assert not (there / "near.lp").is_symlink()
    assert (there / "near.lp").read_text() == "a.\n"


def test_a_parcel_goes_to_another_process_and_is_unpacked_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    parcel = pack_folder(tmp_path)
    here = parcel.unpack()
    with open_crew(1) as crew:
        found = [result for _, result in run_ordered(crew, tasks.read_parcel, [(parcel, "a.txt")])]

    assert [text for text, _ in found] == ["hello"]  # type: ignore[misc]
    # The process has a folder of its own, which is gone with it.
    assert {folder for _, folder in found} != {str(here)}  # type: ignore[misc]


def test_what_a_worker_has_forgotten_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "_MOST", 1)
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
        found.append((pack_folder(tmp_path / name), "a.txt"))
    with open_crew(1) as crew:
        done = [result for _, result in run_ordered(crew, tasks.read_parcel, found * 3)]

    assert [text for text, _ in done] == ["one", "two"] * 3  # type: ignore[misc]
    assert len({folder for _, folder in done}) == 2  # type: ignore[misc]
