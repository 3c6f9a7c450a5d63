"""Slips of users that were silent, or hard to find: each is told with its place and its cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ASP, EXAMPLE, MEADOW, ROOT, SAFE, STATION, Ran, add_rules, run

SLIME = ("check", "slime", ROOT / "boards" / "slime" / "session.txt")
PARTY = ("check", "search-party", MEADOW, SAFE)
RABBITS = ("check", "rabbits", STATION, ROOT / "boards" / "rabbits" / "small.session")
GAME = ("check", "kingdom-builder", ROOT / "boards" / "kingdom_builder" / "games" / "base.txt")


def use(folder: Path, rules: str, words: tuple[object, ...], *options: object) -> Ran:
    return run(*words, "--rules", add_rules(folder, rules), *options)


@pytest.mark.parametrize(
    ("words", "part"),
    [(SLIME, "step"), (PARTY, "step"), (RABBITS, "turn")],
    ids=["slime", "search-party", "rabbits"],
)
def test_a_turn_outside_any_part_is_told_with_the_cure(
    words: tuple[object, ...], part: str, tmp_path: Path
) -> None:
    rule = 'violation(t,"always","","never") :- 1 = 1.'

    ran = use(tmp_path, rule, words)

    assert ran.status == 2
    assert "mine.lp:1:11: t is used in a rule outside any part" in ran.err
    assert f"hint: write #program {part}(t). above the rule" in ran.err
    assert use(tmp_path, f"#program {part}(t).\n{rule}", words).status == 1


@pytest.mark.parametrize("words", [SLIME, PARTY, RABBITS, GAME])
def test_a_result_of_a_user_stands_in_table_and_json(
    words: tuple[object, ...], tmp_path: Path
) -> None:
    rules = "result(answer,42).\nresult(pair,(1,2))."

    table = use(tmp_path, rules, words)
    (line,) = use(tmp_path, rules, words, "--format", "json").json

    assert (table.status, table.err) == (0, "")
    assert "answer" in table.out
    (plain,) = run(*words, "--format", "json").json
    assert line["result"] == {**plain["result"], "answer": 42, "pair": [1, 2]}
    assert list(line["result"]) == [*plain["result"], "answer", "pair"]


def test_two_results_of_one_name_are_refused(tmp_path: Path) -> None:
    ran = use(tmp_path, "result(answer,42).\nresult(answer,43).", SLIME)

    assert (ran.status, ran.err) == (2, "the rules give two results for answer: 42 and 43\n")


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("slime/rules/rules.lp", SLIME),
        ("rabbits/record/check.lp", RABBITS),
        ("kingdom_builder/cards/lords.lp", ("score", EXAMPLE)),
    ],
)
def test_a_copy_under_another_name_is_told_first_and_alone(
    file: str, words: tuple[object, ...], tmp_path: Path
) -> None:
    # One rule is changed: that is what copies are for.
    text = (ASP / file).read_text().replace("1", "2", 1)

    ran = use(tmp_path, text, words)

    _, _, place = file.partition("/")
    assert ran.status == 2
    assert ran.err == (
        f"{tmp_path}/rules/mine.lp repeats asp/{file}: "
        f"to replace that file, give it the path {place} below the folder\n"
    )


def test_all_faults_of_a_kind_are_told_at_once_up_to_twenty(tmp_path: Path) -> None:
    rules = "".join(f"mine{n}(T) :- turn{n}(T).\n" for n in range(30))

    ran = use(tmp_path, rules, SLIME)

    assert ran.status == 2
    found = [line for line in ran.err.splitlines() if "nothing defines" in line]
    assert len(found) == 20
    assert "mine.lp:20:14: nothing defines turn19/1" in found[-1]


def test_hints_give_the_next_free_number_of_a_card(tmp_path: Path) -> None:
    card = 'card(scouts, 11, "1 gold").\ngold(scouts,P,none,1) :- player(P).\n'
    twice = use(tmp_path, card + 'card(guards, 11, "2 gold").', ("score", EXAMPLE))
    unstated = use(tmp_path, card + "gold(guards,P,none,2) :- player(P).", ("score", EXAMPLE))

    assert "hint: 12 is free" in twice.err
    assert 'hint: state it: card(guards, 12, "what it pays").' in unstated.err
