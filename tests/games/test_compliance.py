"""``kb-score bot``: one bot through the odd cases of its protocol, seen from the outside."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kb_score.arena import kingdom_builder
from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import check_game
from tests.games.contract import Example, Words
from tests.games.examples import EXAMPLES, each_game
from tests.helpers import MEADOW, ROOT, STATION, run, run_process
from tests.oracles.slime import legal_moves, scores

BOARDS = ROOT / "boards"
BY_NAME = {example.game: example for example in EXAMPLES}
PERSISTENT = ("--persistent",)
# On a small map random games soon come to where the cases begin.
ON_MEADOW = ("--map", MEADOW)
# A bot of the search party that stands still; the lines of a test come before it answers.
STILL = """
import os, sys, time
people = []
for line in sys.stdin:
    if line[0] == "@":
        people = line.split()
    {before}
    if line[0] == "-":
        {answer}
{after}
"""


def ask(game: str, *words: object, options: Words | None = None) -> dict[str, dict[str, Any]]:
    """Ask a bot, and give the JSON by case; the exit status is that of the verdicts."""
    times = BY_NAME[game].patient if options is None else options
    ran = run("bot", game, "--format", "json", *times, *words)
    assert ran.status in (0, 1), ran.err
    found = {line["case"]: line for line in ran.json}
    assert len(found) == len(ran.json) > 0
    passed = all(line["verdict"] in ("fine", "not-asked") for line in ran.json)
    assert ran.status == (0 if passed else 1)
    return found


def verdicts(found: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The cases of each verdict."""
    kinds = {line["verdict"] for line in found.values()}
    return {
        kind: [name for name, line in found.items() if line["verdict"] == kind] for kind in kinds
    }


def cases(*names: str) -> tuple[str, ...]:
    """The options by which these cases alone are asked."""
    return tuple(word for name in names for word in ("--case", name))


def shell(script: str) -> tuple[str, ...]:
    """The command of a shell script that is told the arguments of a bot."""
    return "--", "sh", "-c", script, "bot"


def still(
    tmp_path: Path, *, before: str = "pass", answer: str = "print('.', flush=True)", after: str = ""
) -> tuple[str, ...]:
    """Write a bot that stands still."""
    path = tmp_path / "still.py"
    path.write_text(STILL.format(before=before, answer=answer, after=after))
    return "--", sys.executable, str(path)


@pytest.mark.slow
@each_game
def test_a_reference_bot_passes_every_case(game: Example) -> None:
    found = ask(game.game, "--", *shlex.split(game.bot))

    expected = {"end-of-game", "input-closed"} if game.game == "slime" else set()
    assert set(verdicts(found).get("not-asked", [])) == expected
    assert {"first-turn", "middle", "nothing-to-do", "same-twice", "whole-game"} <= set(found)
    assert len(found) >= 9


@pytest.mark.slow
def test_a_persistent_bot_is_asked_every_case() -> None:
    found = ask("slime", *PERSISTENT, "--", sys.executable, BOARDS / "slime/bots/steady.py")

    assert list(verdicts(found)) == ["fine"]
    assert found["input-closed"]["detail"] == "exited on its own"


@each_game
def test_a_bot_that_never_answers_is_late_once_and_not_waited_for_again(game: Example) -> None:
    found = ask(game.game, *shell("sleep 60"), options=game.hasty)

    assert found.pop("first-turn")["verdict"] == "late"
    assert list(verdicts(found)) == ["not-asked"]


@each_game
def test_a_bot_that_crashes_is_told_with_its_last_words(game: Example) -> None:
    found = ask(game.game, "--case", "first-turn", *shell("echo why >&2; echo oh >&2; exit 3"))

    line = found["first-turn"]
    assert (line["verdict"], line["errors"]) == ("crashed", ["why", "oh"])
    assert line["detail"] == "exited with status 3 instead of answering"
    assert line["answered"] == [None]
    assert len(line["said"]) == 1


@pytest.mark.slow
def test_a_slime_that_moves_otherwise_the_second_time_is_not_repeatable(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    said = ask("slime", "--case", "same-twice", *shell("echo"))["same-twice"]["said"][0]
    player, *rows = said.strip().split(",")
    one, other = legal_moves(tuple(rows), int(player))[:2]
    moves = [" ".join(map(str, move)) for move in (one, other)]
    script = f"if [ -e {sign} ]; then echo {moves[1]}; else echo {moves[0]}; touch {sign}; fi"

    found = ask("slime", "--case", "same-twice", *shell(script))

    assert found["same-twice"]["verdict"] == "not-repeatable"
    assert found["same-twice"]["answered"] == moves


@pytest.mark.slow
def test_a_bot_that_falters_without_people_or_rabbits_fails_there_alone(tmp_path: Path) -> None:
    bot = still(tmp_path, before="assert line[0] != '@' or len(people) > 1, 'all dead'")
    script = 'while read l; do case "$l" in rabbits) exit 1;; rabbits*) echo move;; esac; done'

    people = ask("search-party", *ON_MEADOW, *bot)
    rabbits = ask("rabbits", *shell(script))

    for found, told in ((people, r"^@:\d+,\d+\.$"), (rabbits, "^rabbits$")):
        alone = [name for name in found if re.search(told, _told(found[name]), re.M)]
        assert "people-dead" in alone
        assert verdicts(found)["crashed"] == alone
    assert rabbits["first-turn"]["verdict"] == "fine"
    assert people["people-dead"]["errors"][-1] == "AssertionError: all dead"


@pytest.mark.slow
def test_a_bot_that_falters_at_the_end_fails_there_alone(tmp_path: Path) -> None:
    bot = still(tmp_path, before="assert line[0] != 'F'")

    found = ask("search-party", *ON_MEADOW, *bot)

    assert sorted(verdicts(found)["crashed"]) == ["end-of-game", "nothing-to-do"]
    assert re.fullmatch(r"Finished in \d+ turns\n\d+ 0 0\n", found["end-of-game"]["said"][-1])


# A case, what the bot does in it, the time that it has for its end, and what is said of it.
ENDS: list[tuple[str, dict[str, str], float, str, str]] = [
    ("end-of-game", {"before": "line[0] == 'F' and sys.exit()"}, 20, "fine", "exited on its own"),
    (
        "end-of-game",
        {"before": "line[0] == 'F' and time.sleep(60)"},
        0.3,
        "fine",
        "kept running for 0.3 s after the end, and was stopped",
    ),
    (
        "input-closed",
        {"after": "time.sleep(60)"},
        0.5,
        "late",
        "kept running for 0.5 s after its input was closed",
    ),
    (
        "input-closed",
        {"after": "sys.exit(3)"},
        20,
        "crashed",
        "exited with status 3 when its input was closed",
    ),
    (
        "input-closed",
        {"after": "os.kill(os.getpid(), 9)"},
        20,
        "crashed",
        "was killed by signal 9 when its input was closed",
    ),
    ("input-closed", {}, 20, "fine", "exited on its own"),
]


@pytest.mark.parametrize(("case", "does", "end_time", "verdict", "detail"), ENDS)
def test_a_bot_has_to_end_when_the_game_or_its_input_ends(
    tmp_path: Path, case: str, does: dict[str, str], end_time: float, verdict: str, detail: str
) -> None:
    words = "--end-time", end_time, *cases(case, "middle")

    found = ask("search-party", *ON_MEADOW, *words, *still(tmp_path, **does))

    assert (found[case]["verdict"], found[case]["detail"]) == (verdict, detail)
    assert found["middle"]["verdict"] == "fine"


def test_a_bot_that_prints_two_lines_is_out_of_step(tmp_path: Path) -> None:
    bot = still(tmp_path, answer="print('.\\nextra', flush=True)")

    found = ask("search-party", "--case", "middle", *bot)

    assert found["middle"]["verdict"] == "illegal"
    assert found["middle"]["detail"] == "printed more than one line for an answer: 'extra'"


def test_a_bot_that_does_not_flush_is_reminded_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    bot = still(tmp_path, answer="print('.')")

    found = ask("search-party", "--case", "first-turn", *bot, options=("--timeout", 0.5))

    assert found["first-turn"]["verdict"] == "late"
    assert "flush the output after each line" in found["first-turn"]["detail"]


def test_a_bot_may_have_ended_before_it_is_told_the_end() -> None:
    found = ask("search-party", *ON_MEADOW, *cases("end-of-game"), *shell("read a; echo ."))

    assert found["end-of-game"]["verdict"] == "fine"


@pytest.mark.slow
def test_any_answer_of_a_player_who_cannot_move_is_fine() -> None:
    found = ask("slime", *shell("echo pass"))

    assert sorted(verdicts(found)["fine"]) == ["nothing-to-do", "people-dead"]


def test_a_bot_that_builds_nothing_is_fine_where_nothing_can_be_built() -> None:
    found = ask("kingdom-builder", "--case", "nothing-to-do", *shell("while read l; do echo; done"))

    line = found["nothing-to-do"]
    told = [json.loads(said) for said in line["said"]]
    assert told[0]["terrains"] == ["grass"]
    assert told[1]["terrains"][:1] == ["grass"]
    assert line["verdict"] == "illegal"  # the next card has room
    assert line["detail"].startswith(f"answer {len(told)}: too-few (player 2): ")


def _told(line: dict[str, Any]) -> str:
    return "".join(line["said"])


def test_the_positions_of_slime_are_what_they_are_called() -> None:
    found = ask("slime", *cases("nothing-to-do", "people-dead", "almost-full"), *shell("echo pass"))

    for case, slime in (("nothing-to-do", True), ("people-dead", False)):
        player, *rows = found[case]["said"][0].strip().split(",")
        assert legal_moves(tuple(rows), int(player)) == []
        assert bool(scores(tuple(rows))[int(player) - 1]) is slime
    player, *rows = found["almost-full"]["said"][0].strip().split(",")
    assert "".join(rows).count(".") == 1
    assert legal_moves(tuple(rows), int(player))


@pytest.mark.slow
def test_the_game_of_kingdom_builder_is_legal_and_uses_up_the_grass() -> None:
    game = kingdom_builder._RECORD
    rules = GameRules("kingdom_builder")
    verdict = check_game(game.read_text(encoding="utf-8"), rules)

    assert verdict.consistent
    assert verdict.result["finished"]
    words = cases("only-hexes", "nothing-to-do", "one-left", "end-of-game")
    found = ask("kingdom-builder", *words, *shell("while read l; do echo; done"))
    free = {}
    for case in ("only-hexes", "nothing-to-do"):
        told = json.loads(found[case]["said"][0])
        assert told["terrains"] == ["grass"]
        free[case] = sum(row.split().count("G") for row in told["board"])
    assert free == {"only-hexes": 3, "nothing-to-do": 0}
    told = json.loads(found["one-left"]["said"][0])
    assert told["supply"][told["player"] - 1] == 1
    told = json.loads(found["end-of-game"]["said"][0])
    assert told["turn"] == verdict.result["turns"]


@pytest.mark.slow
def test_a_map_of_the_users_is_the_map_of_most_cases() -> None:
    script = 'cmp -s "$1" boards/rabbits/small.map || exit 5\n'
    script += 'while read l; do case "$l" in rabbits*) echo move;; esac; done'

    found = ask("rabbits", "--map", STATION, *shell(script))

    assert sorted(verdicts(found)["crashed"]) == [
        "full-board", "no-crushers", "nothing-to-do", "people-dead"
    ]  # fmt: skip


def test_what_is_long_is_clipped_and_says_so(tmp_path: Path) -> None:
    map_ = tmp_path / "long.txt"
    map_.write_text("256 40 0 0\nS" + "." * 255 + ("\n" + "." * 256) * 39 + "\n")
    words = "--map", map_, "--case", "first-turn", "--timeout", 20

    ran = run("bot", "search-party", *words, *shell("seq 9 29 >&2; exit 1"))

    assert "  > ... 27 more lines\n" in ran.out
    assert " ... 16 more characters\n" in ran.out
    assert re.findall("  ! (.*)\n", ran.out) == list(map(str, range(20, 30)))


@each_game
def test_a_bot_that_cannot_be_started_leaves_nothing_on_standard_output(game: Example) -> None:
    ran = run("bot", game.game, "--", "./no-such-program")

    assert (ran.status, ran.out) == (2, "")
    assert "./no-such-program" in ran.err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@each_game
def test_no_process_and_no_file_outlives_the_command(game: Example, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"setsid sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; trap '' TERM; sleep 60"

    ran = run_process("bot", game.game, *game.hasty, "--", "sh", "-c", script, folder=tmp_path)

    assert ran.status == 1
    numbers = pids.read_text().split()
    assert len(numbers) >= 2
    deadline = time.monotonic() + 10
    while left := [n for n in numbers if _is_alive(n)]:
        assert time.monotonic() < deadline, left
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pids"]


def _is_alive(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
