"""Gymnasium environments from any scene file, whose observations and actions are properties by name."""

from __future__ import annotations

import copy
import struct
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

import gymnasium
import numpy

from ._tombolo import TomboloError, next_seed
from .agents import Agent, Reward
from .scene import SceneWorld
from .scene_batch import Range, scene_text
from .vector import check_render_mode

# The steps of the episode, whether one has begun, whether it has a seed that is not the scene's own, and the seed.
_HEAD = struct.Struct("<Q??Q")


def _changes_of(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The properties that a reset sets. Raises ``ValueError`` for another option than ``set``."""
    for name in options or {}:
        if name != "set":
            raise ValueError(f"a reset has no option {name!r}; it has 'set'")
    return dict((options or {}).get("set", {}))


class SceneEnv(gymnasium.Env):
    """A scene as an environment of Gymnasium.

    ``observe`` names the properties of an observation, in order: ``entity.component.property``, numbers, flags and
    vectors. ``act`` names the numbers and flags that an action sets, with the range of each (-1 to 1 if it is a list); a
    flag is set by a number above the middle of its range, and a whole number to the nearest one. ``reward`` is a property's
    name, whose value after a step is the reward; or ``entity.component`` of a script, which keeps ``this.reward`` and, if it has an end, ``this.done``; or a
    function of the world. ``done``, the name of a flag or number, ends the episode when it is true or not zero.

    ``reset(seed=…)`` replaces the scene's own seed, and an episode without a seed is the last one again; with ``new_seeds`` it
    has one that follows from the last. ``reset(options={"set": {…}})`` sets properties at the beginning. An action holds
    for ``steps`` of the scene's steps; ``max_steps`` actions are an episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}

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
        new_seeds: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Reads the scene, and each property once, so that a wrong name is refused here."""
        if steps < 1 or (max_steps is not None and max_steps < 1):
            raise ValueError("steps and max_steps are from 1 up")
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.name, self._text = scene_text(path, text)
        self.render_mode, self._new_seeds = render_mode, new_seeds
        self._begin(None)
        self._has_begun = False
        self._agent = Agent(self.world, observe=observe, act=act, reward=reward, done=done)
        self._steps, self._max_steps, self._step = steps, max_steps, 0
        self.action_space, self.observation_space = self._agent.action_space, self._agent.observation_space

    def _begin(self, seed: int | None) -> None:
        """Builds the world of a seed."""
        self.world = SceneWorld(text=self._text, seed=seed)
        self._start, self._seed = self.world.save(), seed

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Starts the scene again, with the properties of ``options["set"]``; if one is refused, the episode goes on.

        Raises ``ValueError`` for other options.
        """
        changes = _changes_of(options)
        # What is refused changes nothing, and only properties that are set can be.
        before, kept = (self.world, self._start, self._seed), self.world.save() if changes else None
        try:
            if seed is not None:
                self._begin(int(seed))
            elif self._new_seeds and self._has_begun:
                self._begin(next_seed(self._seed if self._seed is not None else self.world.seed))
            else:
                self.world.restore(self._start)
            for path, value in changes.items():
                self.world[path] = value
            super().reset(seed=seed)
        except Exception:
            self.world, self._start, self._seed = before
            if kept is not None:
                self.world.restore(kept)
            raise
        self._has_begun, self._step = True, 0
        return self._agent.observation(self.world), {}

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """Sets the properties of an action, and advances the world."""
        self._agent.act(self.world, self._agent.checked(action))
        self.world.step(self._steps)
        self._step += 1
        reward, terminated = self._agent.outcome(self.world)
        truncated = self._max_steps is not None and self._step >= self._max_steps
        return self._agent.observation(self.world), reward, terminated, truncated, {}

    def render(self) -> Any:
        """The picture of the world, all of it in view: 400 rows of 600 pixels, each red, green and blue."""
        if self.render_mode is None:
            gymnasium.logger.warn("render without a render_mode draws nothing: give render_mode='rgb_array'")
            return None
        return self.world.picture()

    def save(self) -> bytes:
        """Saves the middle of an episode: the number of its steps, its seed, and the world."""
        has_seed, seed = self._seed is not None, self._seed or 0
        return _HEAD.pack(self._step, self._has_begun, has_seed, seed) + self.world.save()

    def restore(self, save: bytes) -> numpy.ndarray:
        """Restores a save of the same scene; returns the observation. Others are refused, and change nothing."""
        if len(save) < _HEAD.size:
            raise TomboloError("not a save of an environment: it is too short")
        step, has_begun, has_seed, seed = _HEAD.unpack_from(save)
        world, before = save[_HEAD.size :], (self.world, self._start, self._seed)
        try:
            if (seed if has_seed else None) != self._seed:
                self._begin(seed if has_seed else None)
            self.world.restore(world)
        except TomboloError:
            self.world, self._start, self._seed = before
            raise
        self._step, self._has_begun = step, has_begun
        return self._agent.observation(self.world)

    def fork(self) -> Self:
        """An independent copy."""
        fork = type(self).__new__(type(self))
        fork.__dict__.update(self.__dict__, world=self.world.fork(), _agent=self._agent.fork())
        fork.action_space, fork.observation_space = fork._agent.action_space, fork._agent.observation_space
        fork._np_random = copy.deepcopy(self._np_random)
        return fork
