"""PettingZoo's parallel interface for any scene file: several agents, each with properties of its own."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy
from gymnasium import spaces
from pettingzoo import ParallelEnv

from .agents import Agent
from .scene import SceneWorld

Save = tuple[int, list[str], int | None, bytes]


class SceneParallelEnv(ParallelEnv):
    """Several agents in one scene.

    ``agents`` has for each agent's name its ``observe``, ``act``, ``reward`` and, if it can end before the others, ``done``,
    as in ``SceneEnv``. All agents act, then the world makes ``steps`` of its steps, then all observe and are rewarded. An
    agent that is done leaves; the values that it set last stay. After ``max_steps`` actions the episode is cut off for all.

    ``reset(seed=…)`` replaces the scene's own seed until another one is given; ``options={"set": {…}}`` sets
    properties at the beginning. The same seed and actions give the same bits.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "tombolo_scene", "is_parallelizable": True}

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        agents: Mapping[str, Mapping[str, Any]],
        steps: int = 1,
        max_steps: int | None = None,
    ) -> None:
        """Reads the scene, and each property once, so that a wrong name is refused here."""
        if (path is None) == (text is None):
            raise TypeError("give a path or a text")
        if not agents:
            raise ValueError("agents are from one up")
        if steps < 1 or (max_steps is not None and max_steps < 1):
            raise ValueError("steps and max_steps are from 1 up")
        self.render_mode = None
        self._text = Path(path).read_text(encoding="utf-8") if path is not None else text
        self._begin(None)
        self._agents = {name: Agent(self.world, **properties) for name, properties in agents.items()}
        self._steps, self._max_steps, self._step = steps, max_steps, 0
        self.possible_agents = list(agents)
        self.agents = list(agents)

    def _begin(self, seed: int | None) -> None:
        """Builds the world of a seed."""
        self.world = SceneWorld(text=self._text, seed=seed)
        self._start, self._seed = self.world.save(), seed

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of an agent's observations."""
        return self._agents[agent].observation_space

    def action_space(self, agent: str) -> spaces.Space:
        """The space of an agent's actions."""
        return self._agents[agent].action_space

    @property
    def observation_spaces(self) -> dict[str, spaces.Space]:
        """The space of each agent's observations, by its name: what wrappers of older versions read."""
        return {name: agent.observation_space for name, agent in self._agents.items()}

    @property
    def action_spaces(self) -> dict[str, spaces.Space]:
        """The space of each agent's actions."""
        return {name: agent.action_space for name, agent in self._agents.items()}

    def _observations(self, names: list[str]) -> dict[str, numpy.ndarray]:
        return {name: self._agents[name].observation(self.world) for name in names}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, numpy.ndarray], dict[str, dict[str, Any]]]:
        """Starts the scene again with all agents, and with the properties of ``options["set"]``; if one is refused, the episode
        goes on. Other options are for other environments, and ignored, as PettingZoo wants it.
        """
        changes = (options or {}).get("set", {})
        before, kept = (self.world, self._start, self._seed), self.world.save() if changes else None
        try:
            if seed is None:
                self.world.restore(self._start)
            else:
                self._begin(int(seed))
            for path, value in changes.items():
                self.world[path] = value
        except Exception:
            self.world, self._start, self._seed = before
            if kept is not None:
                self.world.restore(kept)
            raise
        self._step, self.agents = 0, list(self.possible_agents)
        return self._observations(self.agents), {name: {} for name in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, numpy.ndarray], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Sets the properties of all actions, in the agents' order, and advances the world.

        Raises ``ValueError`` if an agent that plays has no action or a wrong one; nothing is changed then. Actions of
        agents that have left do nothing.
        """
        playing = self.agents
        if not playing:
            return {}, {}, {}, {}, {}
        for name in playing:
            if name not in actions:
                raise ValueError(f"no action for the agent {name!r}")
        for name in actions:
            if name not in self._agents:
                raise ValueError(f"no agent {name!r}; there are {', '.join(self.possible_agents)}")
        checked = {name: self._agents[name].checked(actions[name]) for name in playing}
        for name, action in checked.items():
            self._agents[name].act(self.world, action)
        self.world.step(self._steps)
        self._step += 1
        outcomes = {name: self._agents[name].outcome(self.world) for name in playing}
        cut = self._max_steps is not None and self._step >= self._max_steps
        self.agents = [name for name in playing if not (outcomes[name][1] or cut)]
        rewards = {name: reward for name, (reward, _) in outcomes.items()}
        ends = {name: end for name, (_, end) in outcomes.items()}
        return self._observations(playing), rewards, ends, dict.fromkeys(playing, cut), {name: {} for name in playing}

    def save(self) -> Save:
        """Saves the middle of an episode: the number of steps, the agents that still play, the seed if it is not the scene's
        own, and the world."""
        return self._step, list(self.agents), self._seed, self.world.save()

    def restore(self, save: Save) -> dict[str, numpy.ndarray]:
        """Restores a save of the same scene and agents; returns the observations. Others are refused, and change nothing."""
        step, playing, seed, world = save
        before = self.world, self._start, self._seed
        try:
            if seed != self._seed:
                self._begin(seed)
            self.world.restore(world)
        except Exception:
            self.world, self._start, self._seed = before
            raise
        self._step, self.agents = step, list(playing)
        return self._observations(self.agents)

    def fork(self) -> Self:
        """An independent copy."""
        fork = type(self).__new__(type(self))
        agents = {name: agent.fork() for name, agent in self._agents.items()}
        fork.__dict__.update(self.__dict__, world=self.world.fork(), agents=list(self.agents), _agents=agents)
        return fork

    def render(self) -> None:
        """Does nothing: there are no render modes."""

    def close(self) -> None:
        """Does nothing: there are no windows or files to close."""
