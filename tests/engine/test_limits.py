"""Rules without an end are stopped: what tests/transcripts/engine/limits.md cannot hold."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import kb_score
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules, Limits, Use
from kb_score.engine.supervisor import LimitError
from tests.helpers import EXAMPLE, add_rules, run, run_process

ENDLESS = "n(0).\nn(X+1) :- n(X).\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "growing", "said"),
    [
        (ENDLESS, 0.1, "stopped at 0.1 seconds of processor time (--limit-seconds allows more): n"),
        # Rules that have an end may take their time.
        ("m(X) :- X = 1..100000. :- m(0).", 0.0, ""),
    ],
)
def test_rules_without_an_end_are_stopped_by_default(
    tmp_path: Path, rules: str, growing: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb_score.engine.supervisor._GROWING", growing)

    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, rules))

    assert (ran.status, bool(ran.out)) == ((2, False) if said else (0, True))
    assert said in ran.err


@pytest.mark.slow
def test_memory_is_limited_and_given_back(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, ENDLESS)

    ran = run_process("score", EXAMPLE, "--rules", folder, "--limit-memory", "200")

    assert ran.status == 2
    assert "stopped at 200 MiB of memory (--limit-memory): n/1 grows without end" in ran.err


@pytest.mark.slow
def test_a_program_that_stopped_rules_goes_on(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    game = GameRules("kingdom_builder", Changes((add_rules(tmp_path, ENDLESS),), (), Limits(0.1)))

    for _ in range(3):
        with pytest.raises(LimitError, match="n/1 grows"):
            game.program(Use(("board",)))

    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert kb_score.score(EXAMPLE.read_text()).gold["miners"] == (4, 12, 11, 4)


# It holds on a small board alone: no rule that a check of the file asks for has no end.
GROWING = (
    'card(zz, 30, "p").\n'
    "gold(zz,P,n(X),1) :- n(P,X).\n"
    "n(P,R) :- settlement(P,R,_).\n"
    "n(P,X+1) :- n(P,X).\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("explain", EXAMPLE, "--why", "score(zz,1,1)"),
        ("rules", "coverage", EXAMPLE),
        ("rules", "mutate", "--count", "1"),
    ],
    ids=["why", "coverage", "mutate"],
)
def test_what_explains_and_tests_rules_is_stopped_too(
    tmp_path: Path, words: tuple[object, ...]
) -> None:
    folder = add_rules(tmp_path, GROWING)

    ran = run(*words, "--rules", folder, "--limit-seconds", "0.3")

    assert ran.status == 2
    assert "stopped at 0.3 s (--limit-seconds): n/2 grows without end" in ran.err
    assert ".lp:4:1: " in ran.err


@pytest.mark.slow
def test_eight_threads_have_limits_of_their_own(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, GROWING)
    board = EXAMPLE.read_text()

    def score(number: int) -> str:
        rules, seconds = ([folder], 3) if number % 2 else ([], 60)
        try:
            return str(kb_score.score(board, rules=rules, limit_seconds=seconds).gold["miners"])
        except LimitError as error:
            return str(error)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(score, range(8)))

    stopped = "the rules were stopped after 3 s (limit_seconds)"
    assert found == ["(4, 12, 11, 4)", stopped] * 4


# Rules that score a board at once, and whose reasons are many times more than what they derive.
MANY_REASONS = (
    'card(zz, 30, "p").\n'
    "gold(zz,P,all,1) :- player(P), q(A), q(B), q(C), q(D), A + B + C + D > 0.\n"
    "q(1..60).\n"
)


@pytest.mark.slow
def test_reasons_that_have_no_end_are_stopped(tmp_path: Path) -> None:
    words = "explain", EXAMPLE, "--why", "score(zz,1,1)", "--limit-seconds", "0.7"
    ran = run(*words, "--rules", add_rules(tmp_path, MANY_REASONS))

    assert (ran.status, ran.out) == (2, "")
    assert "the rules were stopped at 0.7 s (--limit-seconds)" in ran.err


def test_reading_a_rule_file_takes_time_linear_in_its_size(tmp_path: Path) -> None:
    # Were it quadratic, this would take hours.
    openings = add_rules(tmp_path / "a", "%*\n" * 300_000)
    blanks = add_rules(tmp_path / "b", "%*!" + " " * 900_000 + 'x *%\ncard(zz,30,"p").\n')

    assert "lexer error" in run("score", EXAMPLE, "--rules", openings).err
    assert run("rules", "list", "cards", "--rules", blanks).status == 0


def test_an_example_of_20_000_lines_is_judged(tmp_path: Path) -> None:
    # Were it quadratic, this would take minutes.
    lines = "player 1: 1\n" * 20_000
    rules = 'card(zz,30,"p").\ngold(zz,P,all,1) :- player(P).\n'
    folder = add_rules(tmp_path, f"{rules}%*! Example: a line again and again\n1 .\n{lines}*%\n")

    ran = run("rules", "test", folder)

    assert (ran.status, ran.err) == (0, "")
