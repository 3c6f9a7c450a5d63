"""Processes that work for the command, and their end."""

from __future__ import annotations

import multiprocessing
import threading
import time

import pytest

from kb_score.shell.workers import Workers


def test_workers_that_are_given_up_leave_no_process_and_no_thread() -> None:
    threads = threading.active_count()
    start = time.monotonic()

    def give_up() -> None:
        with Workers(2) as workers:
            for _ in range(4):
                workers.submit(time.sleep, 60)
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            give_up()
        assert threading.active_count() == threads
        assert multiprocessing.active_children() == []
    assert time.monotonic() - start < 10
