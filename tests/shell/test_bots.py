"""The process handling that all live games share."""

import sys
import time
from pathlib import Path

import pytest

from kb_score.shell.bots import Bot, BotError, BotFailure


def python(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def test_a_bot_answers_line_by_line() -> None:
    with Bot(python("while 1: print(input().upper())")) as bot:
        bot.send("one\ntwo\n", 5)

        assert [bot.read_line(5), bot.read_line(5)] == ["ONE", "TWO"]


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(BotError, match="no-such-program"):
        Bot(["no-such-program"])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        pytest.param("import time; time.sleep(60)", "late", id="hangs"),
        pytest.param("print(1, end='')", "ended", id="dies-without-a-line-end"),
        pytest.param("import os; os.close(1); import time; time.sleep(60)", "ended", id="closes"),
        pytest.param("while 1: print('x' * 1000, end='')", "too-long", id="prints-megabytes"),
    ],
)
def test_a_bot_that_fails_is_told_apart(code: str, kind: str) -> None:
    with Bot(python(code)) as bot, pytest.raises(BotFailure) as failure:
        bot.read_line(0.5 if kind == "late" else 10)

    assert failure.value.kind == kind


def test_a_bot_that_never_reads_cannot_block_the_referee() -> None:
    with Bot(python("import time; time.sleep(60)")) as bot, pytest.raises(BotFailure) as failure:
        bot.send("x" * 10_000_000, 0.5)

    assert failure.value.kind == "late"


def test_the_children_of_a_bot_end_with_it(tmp_path: Path) -> None:
    sign = tmp_path / "alive"
    child = f"import time, pathlib\nwhile 1: pathlib.Path({str(sign)!r}).touch(); time.sleep(.01)"
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    code = f"{start}; print(input())"
    with Bot(python(code)) as bot:
        bot.send("hello\n", 5)
        bot.read_line(5)
        while not sign.exists():
            time.sleep(0.01)

    sign.unlink(missing_ok=True)
    time.sleep(0.2)
    assert not sign.exists()
