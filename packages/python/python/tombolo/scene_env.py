"""Gymnasium environments from any scene file, whose observations and actions are properties by name."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium
import numpy

from .agents import Agent, Range, Reward
from .scene import SceneWorld


class SceneEnv(gymnasium.Env):
    """A scene as an environment of Gymnasium.

    ``observe`` names the properties of an observation, in order: ``entity.component.property``, numbers, flags and
    vectors. ``act`` names the numbers and flags that an action sets, with the range of each (-1 to 1 if it is a list); a
    flag is set by a number above the middle of its range, and a whole number to the nearest one. ``reward`` is a property's name, whose value after a step is the
    reward; or ``entity.component`` of a script, which keeps ``this.reward`` and, if it has an end, ``this.done``; or a
    function of the world. ``done``, the name of a flag or number, ends the episode when it is true or not zero.

    A scene has one seed of its own: every episode begins alike, unless ``reset`` is given ``options={"set": {…}}``,
    properties by name. An action holds for ``steps`` of the scene's steps; ``max_steps`` actions are an episode.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        observe: Sequence[str],
        act: Sequence[str] | Mapping[str, Range],
        reward: Reward,
        done: str | None = None,
        steps: int = 1,
        max_steps: int | None = None,
    ) -> None:
        """Reads the scene, and each property once, so that a wrong name is refused here."""
        if path is not None and text is None:
            text, name = Path(path).read_text(encoding="utf-8"), str(path)
        else:
            name = "scene"
        if text is None:
            raise TypeError("give a path or a text")
        if steps < 1 or (max_steps is not None and max_steps < 1):
            raise ValueError("steps and max_steps are from 1 up")
        self.name, self.world = name, SceneWorld(text=text)
        self._start = self.world.save()
        self._agent = Agent(self.world, observe=observe, act=act, reward=reward, done=done)
        self._steps, self._max_steps, self._step = steps, max_steps, 0
        self.action_space, self.observation_space = self._agent.action_space, self._agent.observation_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Starts the scene again, with the properties of ``options["set"]``."""
        super().reset(seed=seed)
        self.world.restore(self._start)
        for path, value in (options or {}).get("set", {}).items():
            self.world[path] = value
        self._step = 0
        return self._agent.observation(self.world), {}

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """Sets the properties of an action, and advances the world."""
        self._agent.act(self.world, self._agent.checked(action))
        self.world.step(self._steps)
        self._step += 1
        reward, terminated = self._agent.outcome(self.world)
        truncated = self._max_steps is not None and self._step >= self._max_steps
        return self._agent.observation(self.world), reward, terminated, truncated, {}

    def save(self) -> bytes:
        """Saves the world in the middle of an episode, and the number of steps that it has made."""
        return self._step.to_bytes(8, "little") + self.world.save()

    def restore(self, save: bytes) -> numpy.ndarray:
        """Replaces the world by a saved one of the same scene; returns the observation."""
        self.world.restore(save[8:])
        self._step = int.from_bytes(save[:8], "little")
        return self._agent.observation(self.world)

    def fork(self) -> Self:
        """An independent copy."""
        fork = type(self).__new__(type(self))
        fork.__dict__.update(self.__dict__, world=self.world.fork(), _agent=self._agent.fork())
        fork.action_space, fork.observation_space = fork._agent.action_space, fork._agent.observation_space
        fork._np_random = copy.deepcopy(self._np_random)
        return fork
