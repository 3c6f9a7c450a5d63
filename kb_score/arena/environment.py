"""Games as environments of reinforcement learning, after PettingZoo's AEC interface."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, SupportsIndex, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv

from kb_score.api.arguments import wrong
from kb_score.api.games import Game
from kb_score.api.matches import Match
from kb_score.arena.spaces import Encoder, find_encoder
from kb_score.errors import IllegalMoveError, InputError


def _to_number(value: object, name: str) -> int:
    """Return a whole number, numpy's included; raise an InputError for any other value."""
    try:
        return index(cast("SupportsIndex", value))
    except TypeError as error:
        raise wrong(name, "a whole number", value) from error


class GameEnv(AECEnv[str, Any, Any]):
    """A game of two or more players on a grid.

    An agent is a player, ``"player_1"`` and so on. It observes a dictionary: ``"observation"`` has
    a layer of the board for each name in `layers`, with values from 0 to 1; ``"action_mask"`` has
    a 1 for each action that is legal by the rules, and only zeros for agents that wait. Rewards are
    0 until the end. Then they follow the ranking, from 1 for an agent ahead of all others to -1 for
    one behind all others.

    Attributes:
        game: The game.
        layers: What each layer of an observation shows.
    """

    metadata = {"render_modes": ["ansi"], "name": "kb_score", "is_parallelizable": False}  # noqa: RUF012, PettingZoo has it so

    def __init__(
        self, game: Game, settings: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        """Make an environment; `kb_score.arena.env` says what it takes and raises."""
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise InputError("render_mode", f"ansi or None is expected, not {render_mode!r}")
        self.render_mode = render_mode
        self.game = game
        self._settings = dict(settings or {})
        self._begin(0)
        if self._match.players < 2:
            raise InputError(game.name, "an environment has two players or more")
        self._encoder: Encoder = find_encoder(self._match, game)
        self.layers = tuple(self._encoder.layers)
        self.agents: list[str] = []
        rows, columns = self._encoder.size
        seen = Box(0, 1, (len(self.layers), rows, columns), np.float32)
        mask = Box(0, 1, (self._encoder.actions,), np.int8)
        self.possible_agents = [f"player_{seat}" for seat in range(1, self._match.players + 1)]
        self.observation_spaces = {
            agent: Dict({"observation": seen, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: Discrete(self._encoder.actions) for agent in self.possible_agents
        }

    @property
    def match(self) -> Match:
        """The match, as it is after the last whole turn."""
        return self._match

    def observation_space(self, agent: str) -> Space[Any]:
        """Return what an agent may observe."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the actions, the same for all agents."""
        return self.action_spaces[agent]

    def _begin(self, seed: int) -> None:
        self._match = self.game.new_match(seed=seed, **self._settings)
        self._seed = seed
        self._steps: list[str] = []
        self._legal: dict[int, str] | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new match.

        Args:
            seed: What is drawn depends on it; None for the seed after the last one.
            options: Not used.
        """
        self._begin(self._seed + 1 if seed is None else _to_number(seed, "seed"))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self._match.finished)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._match.mover - 1]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees: while it waits, the mover's view with no legal action."""
        mask = np.zeros(self._encoder.actions, np.int8)
        if agent == self.agent_selection and agent in self.agents and not self._match.finished:
            mask[list(self._list_legal())] = 1
        return {"observation": self._encoder.observe(self._match, self._steps), "action_mask": mask}

    def _list_legal(self) -> Mapping[int, str]:
        """List what the mover may do; the rules are asked once for each step."""
        if self._legal is None:
            self._legal = self._encoder.list_legal(self._match, self._steps)
        return self._legal

    def step(self, action: int | None) -> None:
        """Take an action of the agent whose turn it is, or None for an agent whose game is over.

        Raises:
            IllegalMoveError: The action is illegal; nothing has changed.
        """
        if not self.agents:
            raise InputError("step", "the game is over: reset begins another one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._list_legal()
        number = _to_number(action, "action")
        if number not in legal:
            raise IllegalMoveError(f"{agent}: action {number} is illegal", "illegal")
        self._cumulative_rewards[agent] = 0.0
        self._do(legal[number])
        if self._match.finished:
            self._end()
        self._select()
        self._accumulate_rewards()

    def _do(self, step: str) -> None:
        """Do a step of a turn, or play the turn if it is over."""
        answer = self._encoder.find_answer(self._steps, step)
        self._legal = None
        if answer is None:
            self._steps.append(step)
            return
        self._match.apply(answer)
        self._steps.clear()

    def _end(self) -> None:
        """Give the rewards, and end the game for all agents; a game cut off has no rewards."""
        if self._match.is_cut:
            self.truncations = dict.fromkeys(self.agents, True)
            return
        ranks = self._match.ranks()
        others = len(ranks) - 1
        for agent, rank in zip(self.possible_agents, ranks, strict=True):
            behind = [other for other in ranks if other > rank]
            ahead = [other for other in ranks if other < rank]
            self.rewards[agent] = (len(behind) - len(ahead)) / others
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | None:
        """Return the board as text, where ``render_mode`` is ``"ansi"``."""
        return str(self._match) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Release nothing: an environment holds no process and no window."""
