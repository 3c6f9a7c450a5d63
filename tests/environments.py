"""Environments of reinforcement learning, played at random."""

from __future__ import annotations

import re
from pathlib import Path

import kb_score
from kb_score.arena import env
from kb_score.arena.environment import GameEnv
from tests.helpers import ROOT

_PAGE = (ROOT / "docs" / "write-a-game.md").read_text()


def copy_konane(folder: Path) -> Path:
    """Write the files of Konane as the page on games has them."""
    folder.mkdir()
    for name, mark in (("texts.lark", "//"), ("rules.lp", "%"), ("game.toml", "#")):
        (text,) = re.findall(rf"^```\w+\n({mark} {name}.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL)
        (folder / name).write_text(text)
    return folder


def make_env(game: str, folder: Path) -> GameEnv:
    """Make the environment of a game; Konane is made in a folder."""
    if game == "slime":
        return env(kb_score.game("slime", constants={"last_turn": 60}), size=4)
    if game == "konane":
        konane = folder / "konane"
        return env(kb_score.game(konane if konane.is_dir() else copy_konane(konane)))
    return env(game)


GAMES = ("slime", "kingdom-builder", "konane")


def play_env(made: GameEnv, seed: int) -> dict[str, float]:
    """Play a random game to its end; return what each agent was rewarded."""
    made.reset(seed=seed)
    for space in made.action_spaces.values():
        space.seed(seed)
    rewards = dict.fromkeys(made.agents, 0.0)
    for agent in made.agent_iter():
        seen, reward, ended, cut, _ = made.last()
        rewards[agent] += reward
        action = None
        if not ended and not cut:
            assert made.observation_space(agent).contains(seen)
            action = made.action_space(agent).sample(seen["action_mask"])
        made.step(action)
    return rewards
