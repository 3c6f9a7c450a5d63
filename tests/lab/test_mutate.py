"""Small changes of rules: which there are, and which of them examples notice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_score.engine.rules import GameRules
from kb_score.lab import mutate
from kb_score.lab.examples import find_examples
from tests.helpers import ASP, run

RULES = """#const least = 1.
a(X,Y) :- b(X), c(Y,X), not d(X), #count { Z,W : b(Z), c(Z,W) } >= 2,
    X < Y.  % älter
f(X) :- b(X), c(X,X).  % no example: live play
:- a(1,Y), e(_,_).
"""
CARD = """card(ferrymen, 11, "2 gold for a settlement beside water").
gold(ferrymen, P, all, 2) :- settlement(P,R,C), beside(R,C,water), player(P).

%*! Example: beside water
1 W
player 1: 2 *%
"""


def write_card(folder: Path, text: str = CARD) -> Path:
    path = folder / "ferrymen.lp"
    path.write_text(text)
    return path


def test_each_mutant_is_the_text_with_one_cut(tmp_path: Path) -> None:
    path = tmp_path / "rules.lp"
    path.write_text(RULES)

    found = {mutant.text for mutant in mutate.find_mutants(path)}

    expected = {
        RULES.replace(old, new, 1)
        for old, new in (
            ("least = 1", "least = 2"),
            (RULES[RULES.index("a(X,Y) :-") : RULES.index("  %")], ""),
            ("a(X,Y)", "a(Y,X)"),
            ("b(X), c", "c"),
            ("b(X), c", "not b(X), c"),
            (", c(Y,X)", ""),
            ("c(Y,X)", "not c(Y,X)"),
            ("c(Y,X)", "c(X,Y)"),
            (", not d(X)", ""),
            ("not d(X)", "d(X)"),
            (", #count { Z,W : b(Z), c(Z,W) } >= 2", ""),
            ("Z,W :", "Z :"),
            ("b(Z), c", "c"),
            ("b(Z), c", "not b(Z), c"),
            (", c(Z,W)", ""),
            ("c(Z,W)", "not c(Z,W)"),
            ("c(Z,W)", "c(W,Z)"),
            (">= 2", "> 2"),
            (">= 2", ">= 3"),
            (",\n    X < Y", ""),
            ("X < Y", "X <= Y"),
            (":- a(1,Y), e(_,_).", ""),
            ("a(1,Y), e", "e"),
            (", e(_,_)", ""),
            ("e(_,_)", "not e(_,_)"),
            ("a(1,Y)", "not a(1,Y)"),
            ("a(1,Y)", "a(2,Y)"),
        )
    }
    assert found == expected


@pytest.mark.slow
def test_what_no_example_notices_is_told_with_the_example_that_would(tmp_path: Path) -> None:
    path = write_card(tmp_path)

    ran = run("rules", "mutate", path, "--format", "json", "--limit-seconds", "1")

    assert ran.status == 1
    (line,) = ran.json
    told = {(one["before"], one["after"]): one for one in line["not_noticed"]}
    assert line["mutants"] == line["noticed"] + line["same"] + line["survivors"]
    assert told["player(P)", ""]["proved"].startswith("no difference on any board up to")
    examples = {one["example"] for one in told.values()} - {None}
    assert len(examples) > 0
    # With these examples each is noticed.
    write_card(tmp_path, "\n".join((CARD, *sorted(examples))))
    assert run("rules", "test", path).status == 0
    ran = run("rules", "mutate", path, "--format", "json", "--limit-seconds", "1")
    assert (ran.status, ran.json[0]["survivors"]) == (0, 0)


def test_an_interrupt_keeps_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> Iterator[None]:
        yield None
        raise KeyboardInterrupt

    monkeypatch.setattr(mutate, "try_mutants", stop)

    ran = run("rules", "mutate", write_card(tmp_path), "--format", "csv")

    assert ran.out.splitlines()[1] == f"kingdom-builder,{tmp_path}/ferrymen.lp,1,1,0,0"


def test_a_seed_draws_the_same_mutants(tmp_path: Path) -> None:
    path = write_card(tmp_path)
    every = mutate.find_mutants(path)

    first, again, other = (mutate.draw_mutants([path], 3, seed)[path] for seed in (1, 1, 2))

    assert first == again != other
    assert {*first, *other} <= {*every}
    assert mutate.draw_mutants([path], 99, 1) == {path: every}


def test_files_without_examples_are_refused() -> None:
    ran = run("rules", "mutate", "open", "--game", "kingdom-builder")

    assert (ran.status, ran.err.startswith("these files have no examples")) == (2, True)


def test_a_mutant_that_no_record_can_be_read_with_is_noticed() -> None:
    path = ASP / "slime" / "rules" / "session.lp"
    (mutant,) = (
        m for m in mutate.find_mutants(path) if m.before.startswith("mover((N") and not m.after
    )
    examples = list(find_examples("slime", [ASP / "slime" / "rules" / "rules.lp"]))[:1]

    assert [*mutate.try_mutants([mutant], examples, GameRules("slime"))] == [None]


@pytest.mark.slow
def test_a_difference_that_is_never_told_has_no_example() -> None:
    path = ASP / "rabbits" / "record" / "check.lp"
    (mutant,) = (m for m in mutate.find_mutants(path) if m.before == "Key != saved" and not m.after)

    assert [*mutate.try_mutants([mutant], [], GameRules("rabbits"))] == [mutant]
