"""Games as reinforcement learning environments with PettingZoo's AEC API."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from random import Random
from typing import Any, SupportsIndex, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv

from kb_score.api.arguments import wrong
from kb_score.api.games import Game
from kb_score.api.matches import Match
from kb_score.arena.spaces import Encoder, find_encoder
from kb_score.errors import IllegalMoveError, InputError

# Seeds that are drawn have this many bits, so that they are not those that people choose.
_SEED_BITS = 60


def _to_number(value: object, name: str) -> int:
    """Convert an integer, including numpy's, to an int; raise an InputError for other values."""
    try:
        return index(cast("SupportsIndex", value))
    except TypeError as error:
        raise wrong(name, "a whole number", value) from error


class GameEnv(AECEnv[str, Any, Any]):
    """A game of two or more players on a grid.

    An agent is a player, ``"player_1"`` and so on. It observes a dictionary: ``"observation"`` has
    a layer of the board for each name in `layers`, with values from 0 to 1; ``"action_mask"`` has
    a 1 for each legal action, and only zeros for agents that are waiting. Rewards are 0 until the
    end. Then they depend on the ranking, from 1 for an agent ahead of all others to -1 for one
    behind all others.

    Attributes:
        game: The game.
        layers: A description of each layer of an observation.
    """

    metadata = {"render_modes": ["ansi"], "name": "kb_score", "is_parallelizable": False}  # noqa: RUF012, as in PettingZoo

    def __init__(
        self, game: Game, settings: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        """Make an environment; see also `kb_score.arena.env`.

        Args:
            game: The game.
            settings: The arguments of `kb_score.Game.new_match` for each match, by name.
            render_mode: ``"ansi"`` if ``render`` should return the board as text, or None.

        Raises:
            InputError: The render mode is unknown, or the game has fewer than two players.
            KbScoreError: A match cannot be set up.
        """
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise InputError("render_mode", f"ansi or None is expected, not {render_mode!r}")
        self.render_mode = render_mode
        self.game = game
        self._settings = dict(settings or {})
        # The seeds of matches that are begun without one; the first match only shows the layers.
        self._seeds = Random()
        self._begin(0)
        if self._match.players < 2:
            raise InputError(game.name, "an environment needs at least two players")
        encoder = find_encoder(self._match, game)
        self._encoder: Encoder = encoder
        self.layers = tuple(encoder.layers)
        self.agents: list[str] = []
        rows, columns = encoder.size
        shape = (len(self.layers), rows, columns)
        layers = Box(0, 1, shape, np.float32)
        mask = Box(0, 1, (encoder.actions,), np.int8)
        self.possible_agents = []
        self.observation_spaces = {}
        self.action_spaces = {}
        for seat in range(1, self._match.players + 1):
            agent = f"player_{seat}"
            self.possible_agents.append(agent)
            self.observation_spaces[agent] = Dict({"observation": layers, "action_mask": mask})
            self.action_spaces[agent] = Discrete(encoder.actions)

    @property
    def match(self) -> Match:
        """The match as of the last complete turn."""
        return self._match

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions, the same for all agents."""
        return self.action_spaces[agent]

    def _begin(self, seed: int) -> None:
        """Begin a match."""
        self._match = self.game.new_match(seed=seed, **self._settings)
        self._steps: list[str] = []
        self._legal: dict[int, str] | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new match.

        Args:
            seed: The random seed of this match, and of those that are begun without a seed after
                it; None for the next match. Matches of different seeds, also of neighbouring ones,
                are different, and so are those of environments that were never given a seed.
            options: Not used.

        Raises:
            InputError: The seed is not a whole number.
        """
        if seed is None:
            self._begin(self._seeds.getrandbits(_SEED_BITS))
        else:
            number = _to_number(seed, "seed")
            self._begin(number)
            self._seeds = Random(number)
        agents = list(self.possible_agents)
        self.agents = agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, self._match.finished)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._select()

    def _select(self) -> None:
        """Select the agent of the player whose turn it is."""
        seat = self._match.mover - 1
        self.agent_selection = self.possible_agents[seat]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees: while it waits, the mover's view with no legal action."""
        encoder = self._encoder
        mask = np.zeros(encoder.actions, np.int8)
        if agent == self.agent_selection and agent in self.agents and not self._match.finished:
            legal = list(self._list_legal())
            mask[legal] = 1
        layers = encoder.observe(self._match, self._steps)
        return {"observation": layers, "action_mask": mask}

    def _list_legal(self) -> Mapping[int, str]:
        """Return the mover's legal actions, which the rules list once for each step."""
        if self._legal is None:
            self._legal = self._encoder.list_legal(self._match, self._steps)
        return self._legal

    def step(self, action: int | None) -> None:
        """Apply an action of the selected agent.

        Args:
            action: The action; None for an agent whose game is over.

        Raises:
            InputError: The game is over for all agents, or the action is not a whole number.
            IllegalMoveError: The action is illegal; nothing has changed.
        """
        if not self.agents:
            raise InputError("step", "the game is over: call reset to start another one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._list_legal()
        number = _to_number(action, "action")
        if number not in legal:
            raise IllegalMoveError(f"{agent}: action {number} is illegal", "illegal")
        self._cumulative_rewards[agent] = 0.0
        self._apply_step(legal[number])
        if self._match.finished:
            self._end()
        self._select()
        self._accumulate_rewards()

    def _apply_step(self, step: str) -> None:
        """Add a step to the turn, and play the turn if it is complete."""
        answer = self._encoder.find_answer(self._steps, step)
        self._legal = None
        if answer is None:
            self._steps.append(step)
            return
        self._match.apply(answer)
        self._steps.clear()

    def _end(self) -> None:
        """End the game for all agents, and set their rewards unless the game was cut off."""
        if self._match.is_cut:
            self.truncations = dict.fromkeys(self.agents, True)
            return
        ranks = self._match.ranks()
        others = len(ranks) - 1
        for agent, rank in zip(self.possible_agents, ranks, strict=True):
            behind = sum(other > rank for other in ranks)
            ahead = sum(other < rank for other in ranks)
            self.rewards[agent] = (behind - ahead) / others
        self.terminations = dict.fromkeys(self.agents, True)

    def render(self) -> str | None:
        """Return the board as text; None unless ``render_mode`` is ``"ansi"``."""
        if self.render_mode == "ansi":
            return str(self._match)
        return None

    def close(self) -> None:
        """Do nothing: an environment has no process and no window."""
