"""The observations, actions and rewards of an agent as properties: for ``SceneEnv`` and ``SceneParallelEnv``."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy
from gymnasium import spaces

from ._tombolo import TomboloError
from .scene import SceneWorld
from .scene_batch import Range, names_of, ranges_of

Reward = str | Callable[[SceneWorld], float]


def _numbers(path: str, value: Any) -> list[float]:
    """A property's value as numbers of an observation."""
    if isinstance(value, bool | int | float):
        return [float(value)]
    if isinstance(value, tuple | list) and all(isinstance(part, int | float) for part in value):
        return [float(part) for part in value]
    raise TypeError(f"{path} is {value!r}, which is no number, flag or vector")


def _number(world: SceneWorld, path: str) -> float:
    numbers = _numbers(path, world[path])
    if len(numbers) != 1:
        raise TypeError(f"{path} is a vector: name one of its parts, as {path}.x")
    return numbers[0]


class Agent:
    """The properties of one agent, with its spaces. It has no state: every call is given the world."""

    def __init__(
        self,
        world: SceneWorld,
        *,
        observe: Sequence[str],
        act: Sequence[str] | Mapping[str, Range],
        reward: Reward,
        done: str | None = None,
    ) -> None:
        """Reads each property once, so that a wrong name is refused here."""
        self._observe, self._act = names_of(observe), ranges_of(act)
        self._reward, self._done = reward, done
        self._types = [self._type(world, path) for path in self._act]
        low, high = numpy.array(list(self._act.values()), dtype=numpy.float32).reshape(-1, 2).T
        if not (numpy.isfinite(low) & numpy.isfinite(high) & (low < high)).all():
            raise ValueError("a range of an action is two finite numbers, the lower one first")
        self.action_space = spaces.Box(low, high)
        self._middle = (low + high) / 2
        count = len(self.observation(world))
        self.observation_space = spaces.Box(-math.inf, math.inf, (count,), dtype=numpy.float32)
        self._is_scripted = isinstance(reward, str) and self._has_script(world, reward)
        if isinstance(reward, str) and not self._is_scripted:
            _number(world, reward)
        if done is not None:
            _number(world, done)

    @staticmethod
    def _type(world: SceneWorld, path: str) -> type:
        """The type of a property that is one number or flag."""
        _number(world, path)
        return type(world[path])

    @staticmethod
    def _has_script(world: SceneWorld, path: str) -> bool:
        """Whether it is a script's path, and not that of a property. Names of entities may have periods."""
        try:
            world[f"{path}.state"]
        except TomboloError:
            if path.count(".") < 2:
                raise
            return False
        return True

    def fork(self) -> Self:
        """An agent of the same properties, with spaces of its own."""
        fork = copy.copy(self)
        fork.action_space = copy.deepcopy(self.action_space)
        fork.observation_space = copy.deepcopy(self.observation_space)
        return fork

    def observation(self, world: SceneWorld) -> numpy.ndarray:
        """The values of the observed properties."""
        numbers = [number for path in self._observe for number in _numbers(path, world[path])]
        return numpy.array(numbers, dtype=numpy.float32)

    def checked(self, action: Any) -> numpy.ndarray:
        """An action, clipped to its ranges. Raises ``ValueError`` if its count of numbers is wrong, or if one is not a number."""
        action = numpy.asarray(action, dtype=numpy.float32)
        if action.shape != self.action_space.shape or numpy.isnan(action).any():
            raise ValueError(f"an action is {len(self._act)} numbers")
        return numpy.clip(action, self.action_space.low, self.action_space.high)

    def act(self, world: SceneWorld, action: numpy.ndarray) -> None:
        """Sets the properties to the numbers of a checked action."""
        for path, kind, number, middle in zip(self._act, self._types, action, self._middle, strict=True):
            if kind is bool:
                world[path] = bool(number > middle)
            else:
                world[path] = round(float(number)) if kind is int else float(number)

    def outcome(self, world: SceneWorld) -> tuple[float, bool]:
        """The step's reward, and whether the episode has ended for the agent."""
        done = self._done is not None and _number(world, self._done) != 0.0
        if not isinstance(self._reward, str):
            return float(self._reward(world)), done
        if not self._is_scripted:
            return _number(world, self._reward), done
        reward, is_done = world._native.kept_outcome(self._reward)
        if reward is None:
            state = world[f"{self._reward}.state"]
            raise ValueError(f"the script {self._reward} keeps no number this.reward: {state or world.faults}")
        return reward, done or is_done
