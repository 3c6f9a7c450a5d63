"""What all tests share with pytest: what to leave alone, a folder for rules, and the site."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.helpers import SMALL
from tests.site import Site, build_site

# No test is timed: machines are busy at times.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# As in a process of the command, where most objects stay, too.
gc.set_threshold(100_000, 50, 50)

# What commands remember of the files that they have written is not mixed with the user's.
os.environ["XDG_STATE_HOME"] = f"{tempfile.gettempdir()}/tests-of-kb-score-{os.getuid()}"

# A shell's background jobs ignore these, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Its tests belong to a game that is not there: tests/test_fifth_game.py puts it there.
collect_ignore = ["fifth_game"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for rules, beside a small board."""
    (tmp_path / "board.txt").write_text(SMALL)
    rules = tmp_path / "rules"
    rules.mkdir()
    return rules


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of the documents, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    return build_site((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site")
