"""The command ``contest``: any game, many bots, one file."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from kb_score.arena.contests.plan import digest_rules
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from tests.arena.contests.contest import write_contest
from tests.helpers import ROOT, add_rules, run, run_process

BOARDS = ROOT / "boards"
PYTHON = sys.executable
SLIME = """game = "slime"
[settings]
size = 3
[limits]
timeout = 20
grace = 1
[rules]
const = { last_turn = 4 }
"""
# Players of Slime whose moves hang on nothing but the turn's line.
SHELL = ("echo 0 0 0 1 #", "echo 0 2 1 1 #", "exit 1 #", "echo 2 2 1 2 #", "echo no #", "true")


def write_slime(folder: Path, number: int = 5, head: str = SLIME, more: str = "") -> Path:
    path = folder / "contest.toml"
    bots = [
        f"[[bot]]\nname = 'bot {i}'\ncommand = '{SHELL[i % len(SHELL)]}'\n" for i in range(number)
    ]
    path.write_text(head + "".join(bots) + more)
    return path


def read_results(path: Path) -> list[dict[str, Any]]:
    results = path.with_suffix(".results") / "results.jsonl"
    return [json.loads(line) for line in results.read_text().splitlines()]


def drop_times(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results without times, in the order of the games."""
    plain = []
    for result in sorted(results, key=lambda result: int(result["number"])):
        players = [player | {"seconds": 0} for player in result["players"]]
        plain.append(result | {"players": players, "ended": ""})
    return plain


GAMES = {
    "slime": ("slime", ""),
    "search-party": ("search_party", ""),
    "rabbits": ("rabbits", 'maps = ["small.map"]\nrounds = 2\n[settings]\nturns = 6\n'),
    "kingdom-builder": (
        "kingdom_builder",
        'boards = ["oracle farm/180 tavern paddock"]\nrules.const.most_settlements = 4\n',
    ),
}
BOTS = {
    "slime": [(f"b{i}", command) for i, command in enumerate(SHELL[:5])],
    "search-party": [("walker", f"{PYTHON} bots/walker.py"), ("crash", "false")],
    "rabbits": [("pathfinder", f"{PYTHON} pathfinder.py"), ("silent", "sleep 60")],
    "kingdom-builder": [("no", "echo no"), ("crash", "false")],
}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_contests_whose_records_are_accepted(game: str, tmp_path: Path) -> None:
    folder, head = GAMES[game]
    shutil.copytree(BOARDS / folder, tmp_path / "home")
    path = tmp_path / "home" / "own.toml"
    given = SLIME if game == "slime" else f'game = "{game}"\n{head}'
    if game == "search-party":
        given += 'maps = ["maps/meadow.txt", "maps/hollow.txt"]\n'
    tables = (f"[[bot]]\nname = '{n}'\ncommand = '{c}'\n" for n, c in BOTS[game])
    path.write_text(given + "".join(tables))

    ran = run("contest", path, "--format", "json", "--jobs", 2)

    assert ran.status == 0, ran.err
    results = read_results(path)
    lines = {line["name"]: line for line in ran.json}
    assert set(lines) == {name for name, _ in BOTS[game]}
    # The second round counts only where it has another record.
    played = {(*r["bots"], r["map"], r["digest"]) for r in results}
    seats = len(results[0]["bots"])
    assert sum(int(line["games"]) for line in ran.json) == len(played) * seats
    places = [line["place"] for line in ran.json]
    assert places == sorted(places)
    assert run("contest", "check", path).status == 0

    # A contest that was stopped in its second game comes to the same results.
    stored = path.with_suffix(".results") / "results.jsonl"
    written = stored.read_bytes()
    stored.write_bytes(written[: written.index(b"\n") + 50])
    resumed = run("contest", path, "--format", "json", "--jobs", 2)
    assert "1 of " in resumed.err
    assert drop_times(read_results(path)) == drop_times(results)
    assert [bot["average"] for bot in resumed.json] == [bot["average"] for bot in ran.json]


@pytest.mark.slow
def test_a_record_ends_with_the_illegal_line_that_check_tells_of(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("4 3 0 0\n....\nS...\n....\n")
    (tmp_path / "bot.py").write_text("print('Z6.', flush=True)\nwhile input(): pass\n")
    path = tmp_path / "contest.toml"
    bot = f'[[bot]]\nname = "a"\ncommand = "{PYTHON} bot.py"\n'
    path.write_text(f'game = "search-party"\nmaps = ["map.txt"]\n{bot}')

    assert run("contest", path).status == 0
    assert run("contest", "check", path).status == 0

    record = tmp_path / "contest.results" / "games" / "1.txt"
    checked = run("check", "search-party", tmp_path / "map.txt", record, "--format", "json")
    assert record.read_text().rstrip("-\n").splitlines()[-1] == "Z6."
    assert checked.status == 1
    (violation,) = checked.json[0]["violations"]
    assert (violation["turn"], violation["code"]) == (1, "unknown-person")


@pytest.mark.parametrize("verb", ["play", "bot", "contest"])
def test_bots_are_kept_to_the_memory_that_they_are_given(verb: str, tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("4 3 0 0\n....\nS...\n....\n")
    (tmp_path / "bot.py").write_text("data = bytearray(1 << 29)\nwhile 1: input(); print('.')\n")
    bot, path = (PYTHON, str(tmp_path / "bot.py")), tmp_path / "contest.toml"
    table = f'[[bot]]\nname = "a"\ncommand = "{" ".join(bot)}"\n'
    path.write_text(f'game = "search-party"\nmaps = ["map.txt"]\n{table}')
    words = {
        "play": ("search-party", tmp_path / "map.txt", "--bot-memory", 256, "--", *bot),
        "bot": ("search-party", "--case", "middle", "--bot-memory", 256, "--", *bot),
        "contest": (path, "--bot-memory", 256),
    }

    ran = run(verb, *words[verb])

    assert "MemoryError" in ran.err + ran.out or "logs/a/1.txt" in ran.err


def test_the_folder_of_a_bot_has_a_bound_and_nothing_is_read_before(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    with (folder / "data").open("wb") as stream:
        stream.truncate(3 << 30)
    # Whoever read it would wait for ever.
    (folder / "an endless file").symlink_to("/proc/kmsg")
    contest = write_contest(tmp_path / "contest", "abcd", [])
    text = contest.read_text()
    contest.write_text(text.replace('"a"\n', f'"a"\nfolder = {json.dumps(str(folder))}\n'))

    ran = run("contest", contest)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder}: more than 256 MiB in a bot's folder: each game gets a copy" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("trap", ["mkfifo", "ln -s /etc/passwd"])
def test_what_a_bot_puts_in_place_of_its_words_is_not_read(trap: str, tmp_path: Path) -> None:
    find = 'log=$(ls -d "$TMPDIR"/*/*/4-words/bot.log); rm -f "$log"'
    bot = f'echo x >&2; sleep 0.2; {find}; {trap} "$log"; echo 0 0 0 0 #'
    path = write_slime(tmp_path, 3, more=f"[[bot]]\nname='x'\ncommand='''{bot}'''\n")
    (tmp_path / "tmp").mkdir()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path / "tmp"))
        ran = run_process("contest", path)

    assert ran.status == 0, ran.err
    assert not list((path.with_suffix(".results") / "logs").glob("x/*"))


@pytest.mark.slow
def test_a_temporary_folder_with_a_line_end_is_one_like_others(tmp_path: Path) -> None:
    bot = "[[bot]]\nname = 'x'\ncommand = 'sleep 0.3; cat f #'\nfolder = 'x'\n"
    path = write_slime(tmp_path, 3, more=bot)
    for name in ("x", "a\nb", "a of others"):
        (tmp_path / name).mkdir()
    (tmp_path / "x" / "f").write_text("0 0 0 1\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path / "a\nb"))
        ran = run_process("contest", path)

    assert ran.status == 0, ran.err
    assert (tmp_path / "a of others").exists()
    assert list((tmp_path / "a\nb").iterdir()) == []


def test_a_rabbits_bot_that_removes_its_map_harms_nobody(tmp_path: Path) -> None:
    shutil.copy(BOARDS / "rabbits" / "small.map", tmp_path)
    path = tmp_path / "contest.toml"
    path.write_text(
        'game = "rabbits"\nmaps = ["small.map"]\n[settings]\nturns = 3\n'
        "[[bot]]\nname = 'x'\ncommand = 'sh bot.sh'\nfolder = 'x'\n"
    )
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "bot.sh").write_text('rm -f "$1"; while read -r line; do echo move; done\n')

    assert run("contest", path).status == 0
    assert len(read_results(path)) == 1


def digest(game: str, *constants: tuple[str, str], rules: Path | None = None) -> str:
    folders = () if rules is None else (rules,)
    return digest_rules(GameRules(game, Changes(folders, constants)))


def test_constants_and_rules_of_a_user_make_other_rules(tmp_path: Path) -> None:
    own = add_rules(tmp_path, "% none\nviolation(T,a,b,c) :- turn(T), T > 77.")
    plain = digest("slime")

    assert len({plain, digest("slime", ("last_turn", "9")), digest("slime", rules=own)}) == 3

    # Comments and blanks do not count, and a default is no change.
    before = digest("slime", rules=own)
    (own / "mine.lp").write_text("violation(T,a,b,c) :-\n  turn(T), T>77. % as agreed\n")
    assert digest("slime", rules=own) == before
    assert digest("kingdom_builder", ("most_settlements", "40")) == digest("kingdom_builder")


def test_the_file_in_the_documents_can_be_played(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "contests.md").read_text()
    found = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert found is not None
    for folder in ("greedy", "my_rules"):
        (tmp_path / folder).mkdir()
    (tmp_path / "my_rules" / "own.lp").write_text('card(own, 20, "nothing").\n')
    more = (f"[[bot]]\nname = '{n}'\ncommand = 'python bot.py'\n" for n in "abc")
    path = tmp_path / "contest.toml"
    path.write_text(found[1] + "".join(more))

    ran = run("contest", "status", path, "--format", "json")

    assert ran.status == 0, ran.err
    assert (ran.json[0]["contest"], ran.json[0]["games"]) == ("Friday evening", 40)


def test_what_bots_say_is_kept_for_each_game_and_bounded(tmp_path: Path) -> None:
    loud = (
        "[[bot]]\nname = '../loud'\ncommand = 'head -c 300000 /dev/zero | tr \"\\\\0\" x >&2 #'\n"
    )
    path = write_slime(tmp_path, 3, more=loud)

    assert run("contest", path).status == 0

    (folder,) = (path.with_suffix(".results") / "logs").glob("*loud*")
    (log,) = folder.iterdir()
    assert log.parent.name.startswith(".._loud-")
    assert 1 << 18 < log.stat().st_size < (1 << 18) + 100
    assert log.read_bytes().split()[1:7] == b"bytes before this are left out]".split()
