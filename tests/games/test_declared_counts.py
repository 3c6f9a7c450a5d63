"""Games without Python in which every answer counts as something, with options and cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import run

# Two players say numbers in turn; a number up to the option `highest` counts, all else is a pass.
FILES = {
    "game.toml": """
players = 2
figures = ["sum"]
[play]
tell = "{mover}\\n"
end = "sum {sum}\\n"
[option.highest]
of = ["play", "check", "legal"]
default = 3
least = 1
most = 9
help = "The highest number."
[contest]
figures = ["sum"]
""",
    "texts.lark": """
start: turn* (SUM _NL)?
turn: SAY _NL | _OTHER
answer: SAY _NL
//! SAY a number, such as "say 2"
SAY.2: /say (?P<number>[0-9])(?=\\n)/
//! SUM the sum of each player, such as "sum 3 0"
SUM.2: /sum (?P<one>[0-9]+) (?P<other>[0-9]+)/
_OTHER: /[^\\n]*\\n/
_NL: /\\n/
""",
    "rules.lp": """
#defined say/2.
#defined sum/3.
#defined queried/1.
#defined undecided/0.
highest(N) :- option(highest,N).
kind(1,small). kind(2,pass).
total(1..2,0,0).
figure(sum,(0,0),0).
claimed_result(sum,(A,B)) :- sum(A,B,_).
#program open(t).
mover(2-t\\2,t).
#program step(t).
adds(N,t) :- say(N,t), highest(M), N <= M.
counts_as(small,t) :- adds(_,t).
counts_as(pass,t) :- mover(_,t), not adds(_,t).
passes(t,"too-high","",("the number",N,"is too high")) :- queried(t), say(N,t), not adds(_,t).
passes(t,"no-number","",("no number is said",)) :- queried(t), not undecided, not say(_,t).
total(P,N+M,t) :- before_total(P,N,t), mover(P,t), adds(M,t).
total(P,N,t) :- before_total(P,N,t), mover(P,t), not adds(_,t).
total(P,N,t) :- before_total(P,N,t), mover(Q,t), P != Q.
figure(sum,(A,B),t) :- total(1,A,t), total(2,B,t).
terminal(t) :- t = 6.
#program legal(t).
legal_text("",("say ",1..M),t) :- highest(M), mover(_,t).
legal_kind(("say ",1..M),small,t) :- highest(M), mover(_,t).
""",
    "check.lp": """
made(P,Kind,N) :-
    kind(_,Kind), P = 1..2, last(L), N = #count { T : counts_as(Kind,T), mover(P,T), T <= L }.
#show made/3.
#show kind/2.
""",
    "cases.toml": """
[[case]]
name = "third"
about = "the third turn"
answers = "say 1\\nhello"
settings = { highest = 5 }
""",
}


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    folder = tmp_path / "numbers"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text.lstrip())
    return folder


def test_an_answer_that_cannot_be_read_is_a_pass_in_every_verb(numbers: Path) -> None:
    own = ("--game-dir", numbers)
    record = numbers.parent / "played.txt"
    bots = ("--bot", "sh -c 'while read -r l; do echo say 2; done'",
            "--bot", "sh -c 'while read -r l; do echo hello; done'")  # fmt: skip

    played = run("play", "numbers", *bots, "--record", record, *own, "--format", "csv")
    judged = run("check", "numbers", record, *own, "--format", "json").json[0]
    refused = run("legal", "numbers", record, "--turn", 1, "--move", "hello", *own, "-f", "json")

    assert played.status == 0
    assert played.csv[1]["pass"] == "3"
    assert (judged["consistent"], judged["result"]["sum"]) == (True, [6, 0])
    assert judged["counts"] == {"small": [3, 0], "pass": [0, 3]}
    assert (refused.status, refused.json[0]["counts_as"]) == (1, "pass")


def test_an_option_changes_what_counts(numbers: Path) -> None:
    own = ("--game-dir", numbers, "--format", "json")
    text = "say 5\nsay 1\n"

    low = run("check", "numbers", "-", *own, given=text).json[0]
    high = run("check", "numbers", "-", "--highest", 5, *own, given=text).json[0]
    (legal,) = run("legal", "numbers", "-", "--highest", 2, *own, given=text).json

    assert (low["result"]["sum"], high["result"]["sum"]) == ([0, 1], [5, 1])
    assert (legal["moves"], legal["counts_as"]) == (["say 1", "say 2"], ["small", "small"])
    assert run("check", "numbers", "-", "--highest", 10, *own, given=text).status == 2


def test_a_case_may_have_answers_and_settings(numbers: Path) -> None:
    bot = ("--", "sh", "-c", "while read -r l; do echo say 5; done")

    ran = run("bot", "numbers", "--game-dir", numbers, "--format", "json", *bot)

    assert (ran.status, ran.json[0]["said"], ran.json[0]["verdict"]) == (0, ["1\n"], "fine")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("{ lowest = 3 }", "lowest is not a setting of this game"),
        ("{ highest = 10 }", "highest is a whole number from 1 to 9"),
        ('{ highest = "x" }', "highest is a whole number from 1 to 9"),
        ("{ highest = [1] }", "highest is a whole number from 1 to 9"),
    ],
)
def test_settings_that_no_match_can_have_are_told(
    numbers: Path, settings: str, message: str
) -> None:
    cases = numbers / "cases.toml"
    cases.write_text(cases.read_text().replace("{ highest = 5 }", settings))

    ran = run("bot", "numbers", "--game-dir", numbers, "--", "true")

    assert ran.status == 2
    assert f"cases.toml:5:1: {message}" in ran.err


def test_counts_of_somebody_who_does_not_play_are_told(numbers: Path) -> None:
    check = numbers / "check.lp"
    check.write_text(check.read_text().replace("P = 1..2", "P = 2..3"))

    ran = run("check", "numbers", "-", "--game-dir", numbers, given="say 1\n")

    assert ran.status == 2
    assert "made/3 counts answers of player 3, who does not play" in ran.err


def test_a_check_of_a_kind_that_there_is_not_is_told(numbers: Path) -> None:
    (numbers / "list_check.lp").write_text('note(("never",)).\n')

    ran = run("check", "numbers", "-", "--game-dir", numbers, given="say 1\n")

    assert ran.status == 2
    assert "the grammar has no kind of records list" in ran.err
