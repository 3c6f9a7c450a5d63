"""What all tests share with pytest: what to leave alone, a folder for rules, and the site."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.helpers import SHARED, SMALL
from tests.site import Site, build_site

# No test is timed: machines are busy at times.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# As in a process of the command, where most objects stay, too.
gc.set_threshold(100_000, 50, 50)

# A shell's background jobs ignore these, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Its tests belong to a game that is not ours: tests/test_fifth_game.py puts it beside ours.
collect_ignore = ["fifth_game"]


def pytest_configure(config: pytest.Config) -> None:
    """Let all tests share caches that are not the user's, and that go when they end."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        caches = tempfile.mkdtemp(prefix="tests-of-kb-score-")
        os.environ["XDG_CACHE_HOME"] = caches
        config.add_cleanup(lambda: shutil.rmtree(caches, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need files beside the project where these are missing."""
    if not SHARED.is_dir():
        for item in items:
            if item.get_closest_marker("shared"):
                item.add_marker(pytest.mark.skip(f"needs {SHARED}"))


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
