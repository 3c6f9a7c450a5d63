"""What hostile files, options, bots and rules have done once, and do no more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, ROOT, run

BOARDS = ROOT / "boards"
MEADOW = BOARDS / "search_party" / "maps" / "meadow.txt"
SAFE = BOARDS / "search_party" / "records" / "meadow" / "safe-session.txt"
STATION = BOARDS / "rabbits" / "small.map"
SESSION = BOARDS / "rabbits" / "small.session"


def bot(tmp_path: Path, answer: str) -> tuple[str, ...]:
    path = tmp_path / "bot.py"
    path.write_text(f"import sys\nprint({answer}, flush=True)\nsys.stdin.read()\n")
    return sys.executable, str(path)


def add(tmp_path: Path, rule: str) -> Path:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "mine.lp").write_text(rule + "\n")
    return folder


def test_a_file_that_is_no_results_is_kept(tmp_path: Path) -> None:
    bots, foreign = tmp_path / "bots.toml", tmp_path / "precious.json"
    bots.write_text("".join(f'[[bot]]\nname = "{i}"\ncommand = "true"\n' for i in range(4)))
    foreign.write_text('{"a": 1}')

    ran = run("tournament", "slime", bots, "--results", foreign, "--size", 2)

    assert ran.status == 2
    assert foreign.read_text() == '{"a": 1}'


def test_a_record_is_not_written_over_the_bot(tmp_path: Path) -> None:
    command = bot(tmp_path, "'.'")
    text = Path(command[1]).read_text()

    ran = run("play", "search-party", MEADOW, "--record", command[1], "--", *command)

    assert ran.status == 2
    assert Path(command[1]).read_text() == text


def test_a_record_is_not_written_over_a_rule(tmp_path: Path) -> None:
    folder = add(tmp_path, "moves(T) :- move(_,_,T). violation(T,a,b,c) :- moves(T), turn(77).")
    command = ("play", "search-party", MEADOW, "--rules", folder, "--record", folder / "mine.lp")

    assert run(*command, "--", "true").status == 2
    assert (folder / "mine.lp").read_text()


def test_a_map_is_known_by_whatever_name_it_has(tmp_path: Path) -> None:
    map_, other = tmp_path / "map.txt", tmp_path / "other.txt"
    map_.write_bytes(MEADOW.read_bytes())
    os.link(map_, other)

    assert run("play", "search-party", map_, "--record", other, "--", "true").status == 2
    assert map_.read_bytes() == MEADOW.read_bytes()


def test_a_bot_that_cannot_be_started_costs_no_old_record(tmp_path: Path) -> None:
    record = tmp_path / "old.txt"
    record.write_text("old\n")

    ran = run("play", "search-party", MEADOW, "--record", record, "--", "./no-such-bot")

    assert ran.status == 2
    assert record.read_text() == "old\n"


@pytest.mark.parametrize(
    ("game", "path", "answer"),
    [
        ("rabbits", STATION, "'move ' + '1' * 60000"),
        ("rabbits", STATION, "'move ' + '1,1 ' * 15000"),
        ("search-party", MEADOW, "'@4' + ' ' * 60000 + 'x'"),
        ("search-party", MEADOW, "'@4 ' * 20000 + 'x'"),
    ],
)
def test_no_answer_freezes_the_referee(game: str, path: Path, answer: str, tmp_path: Path) -> None:
    options = ["--turns", 1, "--runs", 1] if game == "rabbits" else []
    began = time.monotonic()

    run("play", game, path, *options, "--", *bot(tmp_path, answer))

    assert time.monotonic() - began < 20


def test_a_line_of_blanks_freezes_nobody(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(f"@4{' ' * 1_000_000}x\n")

    ran = run("check", "search-party", MEADOW, plan)

    assert ran.status == 2
    assert f"{plan}:1:" in ran.err


def test_a_broken_row_of_a_board_is_told_with_its_place(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text(SAFE.read_text().replace("ooooo.\n", "ooo\no.\n", 1))

    ran = run("check", "search-party", MEADOW, record)

    assert ran.status == 2
    assert "the board is not 6 columns wide and 5 rows high" in ran.err


@pytest.mark.parametrize(
    ("old", "new"),
    [("rabbits ", "rabbits ٣,٣ "), ("turnsleft 6", "turnsleft ٦"), ("run 1", "run ٤")],
)
def test_a_session_has_only_the_digits_of_ascii(old: str, new: str, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text(SESSION.read_text().replace(old, new, 1))

    assert run("check", "rabbits", STATION, record).status == 2


@pytest.mark.parametrize("time_", ["nan", "inf", "-1"])
@pytest.mark.parametrize(
    "command",
    [
        ("play", "search-party", MEADOW, "--timeout"),
        ("play", "rabbits", STATION, "--answer-time"),
        ("play", "rabbits", STATION, "--start-time"),
    ],
    ids=lambda command: str(command[-1]),
)
def test_a_time_is_a_time(command: tuple[object, ...], time_: str) -> None:
    assert run(*command, time_, "--", "true").status == 2


def test_a_name_that_is_too_long_does_not_lose_the_good_boards() -> None:
    ran = run("score", "a" * 300, EXAMPLE, "--format", "json")

    assert ran.status == 2
    assert len(ran.json) == 1


def test_a_link_that_leads_nowhere_is_no_rule_file(tmp_path: Path) -> None:
    folder = add(tmp_path, 'card(scouts, 11, "1 gold"). gold(scouts, P, all, 1) :- player(P).')
    (folder / ".#mine.lp").symlink_to("nowhere")

    assert run("score", EXAMPLE, "--rules", folder).status == 0


@pytest.mark.parametrize("text", ["a = " + "1" * 5000, "a = " + "[" * 100_000, "\n\na = ?"])
def test_a_strange_list_of_bots_is_told(text: str, tmp_path: Path) -> None:
    bots = tmp_path / "bots.toml"
    bots.write_text(text)

    ran = run("tournament", "slime", bots)

    assert (ran.status, ran.out) == (2, "")
    assert "this is no TOML file" in ran.err
    assert (":3:5: " in ran.err) == ("?" in text)


@pytest.mark.parametrize("line", ['"turns": 1e999', '"squares": [1, 1, 1]', '"bots": "zzzz"'])
def test_an_edited_result_is_no_traceback(line: str, tmp_path: Path) -> None:
    bots, results = tmp_path / "bots.toml", tmp_path / "results.jsonl"
    bots.write_text("".join(f'[[bot]]\nname = "{i}"\ncommand = "true"\n' for i in range(4)))
    command = ("tournament", "slime", bots, "--results", results, "--size", 2)
    assert run(*command).status == 0
    key = line.split(":")[0]
    kept = json.loads(results.read_text())
    old = json.dumps({json.loads(key): kept[json.loads(key)]})[1:-1]
    assert old in results.read_text()
    results.write_text(results.read_text().replace(old, line))

    assert run(*command).status in (0, 2)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (("score", EXAMPLE), '#const town = water. violation("x","k").'),
        (("check", "slime", BOARDS / "slime/session.txt"), "#const spread = jump."),
        (("check", "search-party", MEADOW, SAFE), "#const t = 5."),
    ],
    ids=["terrain", "kind", "parameter"],
)
def test_a_constant_cannot_change_the_words_of_our_rules(
    command: tuple[object, ...], rule: str, tmp_path: Path
) -> None:
    ran = run(*command, "--rules", add(tmp_path, rule))

    assert (ran.status, ran.out) == (2, "")
    assert "our rules use" in ran.err
    assert "as a word" in ran.err


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (("check", "slime", BOARDS / "slime/frames.txt"), "explains(1,2,walk,(1,2),(2,3))."),
        (("play", "slime", *["--bot", "true"] * 4, "--size", 3), "next(5) :- now(0)."),
        (("check", "search-party", MEADOW, SAFE), 'spot(9999). violation(1,"a","b","c").'),
        (("check", "rabbits", STATION, SESSION), "cut_off(foo). cut_off(3)."),
        (("check", "kingdom-builder", EXAMPLE, CLAIMS), "wrong(-1,1,1,1)."),
    ],
    ids=["explains", "next", "spot", "cut_off", "wrong"],
)
def test_rules_that_derive_what_nobody_can_read_are_told(
    command: tuple[object, ...], rule: str, tmp_path: Path
) -> None:
    ran = run(*command, "--rules", add(tmp_path, rule))

    assert ran.status == 2
    assert "derive what nobody can read" in ran.err or "a number is expected" in ran.err


@pytest.mark.parametrize("value", ["Ä", "9999999999999", "1.5"])
def test_a_constant_is_a_word_or_a_number(value: str, tmp_path: Path) -> None:
    folder = add(tmp_path, "#const prize = gold.")

    assert run("score", EXAMPLE, "--rules", folder, "--const", f"prize={value}").status == 2


def test_a_hexadecimal_number_is_no_way_around_32_bits(tmp_path: Path) -> None:
    folder = add(tmp_path, 'card(a, 11, "much"). gold(a, P, all, 0xFFFFFFFFFF) :- player(P).')

    ran = run("score", EXAMPLE, "--rules", folder)

    assert ran.status == 2
    assert "beyond 32 bits" in ran.err


def test_an_interrupt_ends_a_grounding_without_end(tmp_path: Path) -> None:
    folder = add(tmp_path, 'p(0). p(X+1) :- p(X). violation("x",X) :- p(X).')
    process = subprocess.Popen(
        [sys.executable, "-m", "kb_score", "score", EXAMPLE, "--rules", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        time.sleep(2)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)

        assert process.wait(10) == -signal.SIGINT
    finally:
        process.kill()


def test_what_a_bot_prints_makes_no_record_that_cannot_be_read(tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    command = bot(tmp_path, "chr(0) + '4.'")
    assert run("play", "search-party", MEADOW, "--record", record, "--", *command).status == 1

    ran = run("check", "search-party", MEADOW, record, "--format", "json")

    assert ran.status == 1
    assert [v["code"] for v in ran.json[0]["violations"]] == ["unknown-person"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_told() -> None:
    ran = run("play", "slime", *["--bot", "true"] * 4, "--size", 2, "--record", "/dev/full")

    assert (ran.status, ran.err) == (2, "/dev/full: no space left on device\n")
