"""An environment of Gymnasium from any scene file, whose observations and actions are properties by name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium
import numpy
from gymnasium import spaces

from .scene import SceneWorld

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_Range = tuple[float, float]
_Reward = str | Callable[[SceneWorld], float]


def _numbers(path: str, value: Any) -> list[float]:
    """A property's value as numbers of an observation."""
    if isinstance(value, bool | int | float):
        return [float(value)]
    if isinstance(value, tuple | list) and all(isinstance(part, int | float) for part in value):
        return [float(part) for part in value]
    raise TypeError(f"{path} is {value!r}, which is no number, flag or vector")


def _entries(state: str) -> dict[str, str]:
    """What a script keeps, as printed, by name; maps, lists and texts within stay whole."""
    entries: list[str] = [""]
    depth = 0
    for token in re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|.', state[2:-1], re.DOTALL):
        depth += (token in "{[(") - (token in "}])")
        if token == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += token
    pairs = (entry.strip().partition(": ") for entry in entries)
    return {name: value for name, _, value in pairs}


class SceneEnv(gymnasium.Env):
    """A scene as an environment.

    ``observe`` names the properties that are seen, one after another: ``entity.component.property``, numbers, flags and
    vectors. ``act`` names the numbers and flags that an action sets, with the range of each (-1 to 1 if it is a list); a
    flag is set by what is above the middle of its range. ``reward`` is a property's name, whose value after a step is the
    reward; or ``entity.component`` of a script, which keeps ``this.reward`` and, if it knows an end, ``this.done``; or a
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
        act: Sequence[str] | Mapping[str, _Range],
        reward: _Reward,
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
        self._observe = list(observe)
        self._act = dict(act) if isinstance(act, Mapping) else dict.fromkeys(act, (-1.0, 1.0))
        self._reward, self._done, self._steps, self._max_steps = reward, done, steps, max_steps
        self._step = 0
        self._flags = [self._is_flag(path) for path in self._act]
        low, high = numpy.array(list(self._act.values()), dtype=numpy.float32).reshape(-1, 2).T
        if not (numpy.isfinite(low) & numpy.isfinite(high) & (low < high)).all():
            raise ValueError("a range of an action is two finite numbers, the lower one first")
        self.action_space = spaces.Box(low, high)
        self._middle = (low + high) / 2
        count = len(self._observation())
        self.observation_space = spaces.Box(-math.inf, math.inf, (count,), dtype=numpy.float32)
        if isinstance(reward, str) and reward.count(".") > 1:
            self._number(reward)
        elif isinstance(reward, str):
            self.world[f"{reward}.state"]
        if done is not None:
            self._number(done)

    def _number(self, path: str) -> float:
        numbers = _numbers(path, self.world[path])
        if len(numbers) != 1:
            raise TypeError(f"{path} is a vector: name one of its parts, as {path}.x")
        return numbers[0]

    def _is_flag(self, path: str) -> bool:
        self._number(path)
        return isinstance(self.world[path], bool)

    def _observation(self) -> numpy.ndarray:
        numbers = [number for path in self._observe for number in _numbers(path, self.world[path])]
        return numpy.array(numbers, dtype=numpy.float32)

    def _outcome(self) -> tuple[float, bool]:
        """The step's reward, and whether the episode has ended."""
        done = self._done is not None and self._number(self._done) != 0.0
        if not isinstance(self._reward, str):
            return float(self._reward(self.world)), done
        if self._reward.count(".") > 1:
            return self._number(self._reward), done
        state = self.world[f"{self._reward}.state"]
        kept = _entries(state)
        if re.fullmatch(_NUMBER, kept.get("reward", "")) is None:
            raise ValueError(f"the script {self._reward} keeps no number this.reward: {state or self.world.faults}")
        return float(kept["reward"]), done or kept.get("done") == "true"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """The scene's beginning, with the properties of ``options["set"]``."""
        super().reset(seed=seed)
        self.world.restore(self._start)
        for path, value in (options or {}).get("set", {}).items():
            self.world[path] = value
        self._step = 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """Sets the properties of an action, and advances the world."""
        action = numpy.asarray(action, dtype=numpy.float32)
        if action.shape != self.action_space.shape or numpy.isnan(action).any():
            raise ValueError(f"an action is {len(self._act)} numbers")
        action = numpy.clip(action, self.action_space.low, self.action_space.high)
        for path, flag, number, middle in zip(self._act, self._flags, action, self._middle, strict=True):
            self.world[path] = bool(number > middle) if flag else float(number)
        self.world.step(self._steps)
        self._step += 1
        reward, terminated = self._outcome()
        truncated = self._max_steps is not None and self._step >= self._max_steps
        return self._observation(), reward, terminated, truncated, {}

    def save(self) -> bytes:
        """The world in the middle of an episode, and how many steps it has made."""
        return self._step.to_bytes(8, "little") + self.world.save()

    def restore(self, save: bytes) -> numpy.ndarray:
        """Replaces the world by a saved one of the same scene; what is seen."""
        self.world.restore(save[8:])
        self._step = int.from_bytes(save[:8], "little")
        return self._observation()

    def fork(self) -> Self:
        """A copy with a future of its own."""
        fork = type(self).__new__(type(self))
        fork.__dict__.update(self.__dict__, world=self.world.fork())
        return fork
