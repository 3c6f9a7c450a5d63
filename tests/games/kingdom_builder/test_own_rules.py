"""Rules of a user for the published game: what is wrong with them is told, and the rest counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import EXAMPLE, ROOT, add_rules, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"


def test_a_fault_of_any_rank_makes_a_game_illegal(tmp_path: Path) -> None:
    for rank in (99, 100, 12_345):
        rules = add_rules(tmp_path, f'flaw(S,{rank},"my-rule",("never",)) :- opens(T,S), T = 2.\n')

        ran = run("check", "kingdom-builder", BASE, "--rules", rules, "--format", "json")

        (line,) = ran.json
        found = [(v["turn"], v["code"]) for v in line["violations"]]
        assert found == [(2, "my-rule")], rank
        assert line["result"]["finished"] is False


LODGE = (
    'tile(lodge, build, 1, "build 1 on canyon").\nground(lodge, canyon).\nclose(lodge, possible).\n'
)


@pytest.mark.parametrize(
    ("word", "instead", "said"),
    [
        pytest.param("1, ", "1, ", None, id="as-it-is"),
        pytest.param("build, ", "built, ", "1:1: the manner of a tile is build, move", id="manner"),
        pytest.param("lodge, canyon", "lodge, woods", "2:1: no terrain is called woods", id="land"),
        pytest.param("ground(lodge", "ground(lodg", "2:1: no tile is called lodg", id="tile"),
        pytest.param("possible", "posible", "3:1: a tile is close always or possible", id="close"),
    ],
)
def test_a_word_that_means_nothing_is_an_error_with_its_place(
    word: str, instead: str, said: str | None, tmp_path: Path
) -> None:
    rules = add_rules(tmp_path, LODGE.replace(word, instead))

    for words in (("check", "kingdom-builder", BASE), ("legal", BASE, "--turn", 3)):
        ran = run(*words, "--rules", rules)

        if said is None:
            assert (ran.status, ran.err) == (0, "")
        else:
            assert ran.status == 2
            assert ran.err.startswith(f"{rules / 'mine.lp'}:{said}"), ran.err


def test_a_card_that_does_not_exist_cannot_be_in_every_game(tmp_path: Path) -> None:
    rules = add_rules(tmp_path, "chosen(treasury).")

    ran = run("check", "kingdom-builder", BASE, "--rules", rules)

    assert ran.status == 2
    assert "mine.lp:1:1: no card is called treasury" in ran.err


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gold(twice,P,hex(R,C),2) :- settlement(P,R,C).", "for the same reason the card also"),
        ("gold(twice,anna,none,1).", "a player is a number, not anna"),
    ],
)
def test_gold_that_means_nothing_is_an_error_with_its_place(
    rule: str, said: str, tmp_path: Path
) -> None:
    card = 'card(twice, 11, "1 gold for each settlement").\n'
    payment = "gold(twice,P,hex(R,C),1) :- settlement(P,R,C).\n"
    rules = add_rules(tmp_path, f"{card}{payment}{rule}")

    for words in (("score",), ("score", "--cards", "11"), ("explain",)):
        ran = run(words[0], EXAMPLE, *words[1:], "--rules", rules)

        assert ran.status == 2
        assert f"mine.lp:3:1: {said}" in ran.err


def test_a_rule_says_how_many_settlements_a_player_has_in_some_games(tmp_path: Path) -> None:
    def check(*options: object) -> list[object]:
        return run("check", "kingdom-builder", BASE, *options, "--format", "json").json

    few = check("--const", "most_settlements=6")

    # Three play.
    assert check("--rules", add_rules(tmp_path, "allots(6) :- players(3).")) == few != check()
    assert check("--rules", add_rules(tmp_path, "allots(6) :- players(2).")) == check()
