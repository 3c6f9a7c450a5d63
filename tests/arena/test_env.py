"""Games as environments of reinforcement learning."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import kb_score
from kb_score.arena import env
from tests.environments import GAMES, copy_konane, make_env, play_env
from tests.helpers import slow_for

pettingzoo = pytest.importorskip("pettingzoo.test", reason="PettingZoo is not installed")


@pytest.mark.parametrize("game", slow_for(GAMES, "kingdom-builder"))
def test_pettingzoo_accepts_an_environment(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = make_env(game, tmp_path)
    with warnings.catch_warnings():
        # Observations are dictionaries, as those of all games with masks.
        warnings.simplefilter("ignore")
        pettingzoo.api_test(made, num_cycles=30)

    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game", slow_for(GAMES, "kingdom-builder"))
def test_a_random_game_is_one_by_the_rules(game: str, tmp_path: Path) -> None:
    made = make_env(game, tmp_path)
    rewards = play_env(made, 4)
    match = made.match

    assert match.finished
    assert made.game.check(match.record()).consistent
    ranks = dict(zip(made.possible_agents, match.ranks(), strict=True))
    best = [agent for agent, rank in ranks.items() if rank == 1]
    assert {agent for agent in rewards if rewards[agent] == max(rewards.values())} == set(best)
    assert sum(rewards.values()) == pytest.approx(0)
    assert made.agents == []


def test_the_same_seed_and_actions_give_the_same_game(tmp_path: Path) -> None:
    made = make_env("kingdom-builder", tmp_path)
    records = []
    for _ in range(2):
        made.reset(seed=7)
        for _ in range(25):
            mask = made.observe(made.agent_selection)["action_mask"]
            made.step(int(np.flatnonzero(mask)[-1]))
        records.append(made.match.record())

    assert records[0] == records[1]
    assert made.match.turn > 3


def test_workers_with_neighbouring_seeds_play_games_of_their_own() -> None:
    seeds = set[int]()
    for worker in range(8):
        made = env("kingdom-builder", players=2)
        made.reset(seed=100 + worker)
        for _ in range(10):
            seeds.add(made.match.seed)
            made.reset()

    assert len(seeds) == 80


def test_a_seed_decides_the_games_after_it_and_no_seed_decides_none() -> None:
    first, second = env("slime", size=4), env("slime", size=4)
    first.reset()
    second.reset()
    assert first.match.seed != second.match.seed

    first.reset(seed=7)
    second.reset(seed=7)
    for made in (first, second):
        made.reset()
    assert first.match.seed == second.match.seed != 7


def test_an_action_that_the_mask_leaves_out_changes_nothing() -> None:
    made = env("slime", size=4)
    made.reset(seed=1)
    before = made.observe("player_1")
    illegal = int(np.flatnonzero(before["action_mask"] == 0)[0])

    with pytest.raises(kb_score.IllegalMoveError, match="player_1: action 0 is illegal"):
        made.step(illegal)
    assert np.array_equal(made.observe("player_1")["action_mask"], before["action_mask"])
    assert made.agent_selection == "player_1"


def test_layers_show_the_board_from_the_movers_side() -> None:
    made = env("kingdom-builder", players=2)
    made.reset(seed=1)
    agent = made.agent_selection
    action = int(np.flatnonzero(made.observe(agent)["action_mask"])[0])
    made.step(action)
    shown = dict(zip(made.layers, made.observe(agent)["observation"], strict=True))
    row, column = divmod(action, 20)

    assert shown["settlement of player +0"][row, column] == 1
    assert shown["settlement of player +0"].sum() == 1
    assert shown["supply of player +0"].max() == 1
    assert made.observe("player_2")["action_mask"].sum() == 0


def test_a_turn_ends_only_where_the_rules_let_it() -> None:
    made = env("kingdom-builder", board="quarry garden caravan village")
    made.reset(seed=2)
    end = len(made.observe("player_1")["action_mask"]) - 1
    first = (313, 312, 292, end, 76, 56, 35, end, 273, 253, 232, end)
    for action in (*first, 55, 54, 73, end, 3553):
        made.step(action)

    # A donation of two hexes more is under way.
    assert made.observe(made.agent_selection)["action_mask"][end] == 0


def test_a_refused_seed_changes_nothing() -> None:
    made, other = env("slime", size=3), env("slime", size=3)
    made.reset(seed=5)
    other.reset(seed=5)
    for seed in ("x", -1):
        with pytest.raises(kb_score.InputError):
            made.reset(seed=cast("int", seed))
    with pytest.raises(kb_score.InputError, match="a whole number"):
        made.step(cast("int", 1.5))
    made.reset()
    other.reset()
    assert made.match.seed == other.match.seed


def test_a_game_that_is_cut_off_has_no_rewards(tmp_path: Path) -> None:
    made = env(kb_score.game(copy_konane(tmp_path / "konane")), most_turns=3)
    rewards = play_env(made, 1)

    assert made.match.turn == 3
    assert set(rewards.values()) == {0}


def test_symbols_of_a_game_have_layers_of_their_own(tmp_path: Path) -> None:
    made = make_env("konane", tmp_path)

    assert {"X", "O", "."} <= set(made.layers)

    slime = env("slime", size=3)
    assert slime.layers[:6] == (".", "1", "2", "3", "4", "another symbol")


def test_a_game_of_one_player_is_no_environment() -> None:
    with pytest.raises(kb_score.InputError, match="at least two players"):
        env("rabbits", map=Path("boards/rabbits/small.map"))
    with pytest.raises(kb_score.InputError, match="render_mode"):
        env("slime", render_mode="human")
    shown = env("slime", render_mode="ansi")
    shown.reset()
    assert "1" in str(shown.render())
