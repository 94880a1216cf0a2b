"""Gymnasium's environments over this engine: ``gymnasium.make("tombolo/LunarLander-v3")``.

Spaces, seeds, rewards and terrain are Gymnasium's own; motion is computed by another engine, so it is similar, not equal.
In addition to Gymnasium's interface an environment has ``save``, ``restore`` and ``fork``, also within an episode.
"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar, Self

import gymnasium
import numpy
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _tombolo

_Options = dict[str, float]


def register() -> None:
    """Adds the environments to Gymnasium's register; called by ``import tombolo``."""
    if "tombolo/LunarLander-v3" in gymnasium.registry:
        return
    for name, kind, steps_max, threshold, options in (
        ("LunarLander-v3", LunarLander, 1000, 200, {}),
        ("LunarLanderContinuous-v3", LunarLander, 1000, 200, {"continuous": True}),
        ("BipedalWalker-v3", BipedalWalker, 1600, 300, {}),
        ("BipedalWalkerHardcore-v3", BipedalWalker, 2000, 300, {"hardcore": True}),
        ("CarRacing-v3", CarRacing, 1000, 900, {}),
    ):
        gymnasium.register(
            id=f"tombolo/{name}",
            entry_point=f"tombolo.environments:{kind.__name__}",
            vector_entry_point=f"tombolo.environments:{kind.__name__}Vector",
            max_episode_steps=steps_max,
            reward_threshold=threshold,
            kwargs=options,
        )


def _seed(seed: int | None) -> int:
    return secrets.randbits(64) if seed is None else int(seed)


def _picture(native: _tombolo.EnvironmentBatch, world: int) -> numpy.ndarray:
    rows, columns, rgb = native.picture(world)
    return numpy.frombuffer(rgb, dtype=numpy.uint8).reshape(rows, columns, 3).copy()


class _Lander:
    """The lander's kind, options and spaces for Gymnasium."""

    kind = "LunarLander"
    defaults: ClassVar[_Options] = {
        "continuous": False,
        "gravity": -10.0,
        "enable_wind": False,
        "wind_power": 15.0,
        "turbulence_power": 1.5,
    }

    @staticmethod
    def observation_space(_: _Options) -> spaces.Box:
        high = numpy.array([2.5, 2.5, 10.0, 10.0, 2 * numpy.pi, 10.0, 1.0, 1.0]).astype(numpy.float32)
        low = -high
        low[6:] = 0.0
        return spaces.Box(low, high)

    @staticmethod
    def action_space(options: _Options) -> spaces.Space[Any]:
        return spaces.Box(-1, +1, (2,), dtype=numpy.float32) if options["continuous"] else spaces.Discrete(4)


class _Walker:
    """The walkers' kinds, options and spaces for Gymnasium."""

    kind = "BipedalWalker"
    defaults: ClassVar[_Options] = {"hardcore": False}

    @staticmethod
    def observation_space(_: _Options) -> spaces.Box:
        pi = numpy.pi
        leg = [pi, 5.0, pi, 5.0, 5.0]
        high = numpy.array([pi, 5.0, 5.0, 5.0, *leg, *leg, *[1.0] * 10]).astype(numpy.float32)
        low = -high
        low[[8, 13]] = -0.0
        return spaces.Box(low, high)

    @staticmethod
    def action_space(_: _Options) -> spaces.Space[Any]:
        one = numpy.ones(4, dtype=numpy.float32)
        return spaces.Box(-one, one)


class _Car:
    """The car's kind, options and spaces for Gymnasium."""

    kind = "CarRacing"
    defaults: ClassVar[_Options] = {"continuous": True, "lap_complete_percent": 0.95, "domain_randomize": False}

    @staticmethod
    def observation_space(_: _Options) -> spaces.Box:
        return spaces.Box(low=0, high=255, shape=(96, 96, 3), dtype=numpy.uint8)

    @staticmethod
    def action_space(options: _Options) -> spaces.Space[Any]:
        low = numpy.array([-1, 0, 0], dtype=numpy.float32)
        return spaces.Box(low, numpy.ones(3, dtype=numpy.float32)) if options["continuous"] else spaces.Discrete(5)


def _whole(about: Any, options: _Options) -> _Options:
    """All options of a kind: the given values, and defaults for the others."""
    for name in options:
        if name not in about.defaults:
            raise TypeError(f"no option {name!r}; there are {', '.join(about.defaults)}")
    return {**about.defaults, **options}


class _Environment(gymnasium.Env):
    """An environment of one world."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 50}
    _about: ClassVar[Any]

    def __init__(self, render_mode: str | None = None, **options: float) -> None:
        """Takes the options of the kind; each is also an attribute."""
        self._options = _whole(self._about, options)
        self.__dict__.update(self._options)
        self._native = self._batch()
        self._has_reset = False
        self._window: Any = None
        self.render_mode = render_mode
        self.observation_space = self._about.observation_space(self._options)
        self.action_space = self._about.action_space(self._options)
        self._takes_choices = isinstance(self.action_space, spaces.Discrete)

    def _batch(self) -> _tombolo.EnvironmentBatch:
        return _tombolo.EnvironmentBatch(self._about.kind, 1, 1, "Disabled", None, self._options)

    def _observation(self) -> numpy.ndarray:
        space = self.observation_space
        observation = numpy.empty(space.shape, dtype=space.dtype)
        self._native.read_observations(observation)
        return observation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins an episode; without a seed the random sequence continues."""
        super().reset(seed=seed)
        fresh = seed is not None or not self._has_reset
        self._native.reset_world(0, _seed(seed) if fresh else None)
        self._has_reset = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """Advances the world by one fiftieth of a second."""
        if self._takes_choices:
            reward, terminated = self._native.step_one(int(action), ())
        else:
            reward, terminated = self._native.step_one(0, tuple(map(float, action)))
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, False, {}

    def save(self) -> bytes:
        """Saves the whole environment: world, random generator, episode."""
        return self._native.save(0)

    def restore(self, save: bytes) -> numpy.ndarray:
        """Replaces the environment by a saved one of the same options; returns the observation."""
        self._native.restore(0, save)
        self._has_reset = True
        return self._observation()

    def fork(self) -> Self:
        """An independent copy, whose results are the same until actions differ."""
        fork = type(self).__new__(type(self))
        fork.__dict__.update(self.__dict__, _native=self._native.fork(), _window=None)
        return fork

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": self.save() if self._has_reset else None, "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = self._batch()
        if state["_native"] is not None:
            self._native.restore(0, state["_native"])

    def render(self) -> numpy.ndarray | None:
        """Returns the picture, or shows the window's next frame."""
        if self.render_mode is None:
            gymnasium.logger.warn("render without a render_mode draws nothing: give one to gymnasium.make")
            return None
        picture = _picture(self._native, 0)
        if self.render_mode == "rgb_array":
            return picture
        self._show(picture)
        return None

    def _show(self, picture: numpy.ndarray) -> None:
        import pygame

        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode(picture.shape[1::-1]), pygame.time.Clock()
        screen, clock = self._window
        screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        clock.tick(self.metadata["render_fps"])
        pygame.display.flip()

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            import pygame

            pygame.display.quit()
            self._window = None


class _Vector(VectorEnv):
    """An environment of many worlds stepped in one call. A world's result depends neither on the others nor on threads."""

    metadata: dict[str, Any]
    _about: ClassVar[Any]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **options: float,
    ) -> None:
        """Without ``copy`` each step overwrites the arrays of the one before."""
        options = _whole(self._about, options)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**_Environment.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.single_observation_space = self._about.observation_space(options)
        self.single_action_space = self._about.action_space(options)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._takes_choices = isinstance(self.single_action_space, spaces.Discrete)
        self._has_reset = numpy.zeros(num_envs, dtype=numpy.bool_)
        self._native = _tombolo.EnvironmentBatch(
            self._about.kind, num_envs, threads, self.autoreset_mode.value, max_episode_steps, options
        )
        space = self.single_observation_space
        self._observations = numpy.zeros((num_envs, *space.shape), dtype=space.dtype)
        self._rewards = numpy.zeros(num_envs)
        self._terminated = numpy.zeros(num_envs, dtype=numpy.bool_)
        self._truncated = numpy.zeros(num_envs, dtype=numpy.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins episodes: in all worlds, or in those of ``options["reset_mask"]``. Seed s is s + i for world i."""
        if seed is None:
            seeds: list[int | None] = [None] * self.num_envs
        elif isinstance(seed, int):
            seeds = [seed + world for world in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds, expected {self.num_envs}")
        mask = (options or {}).get("reset_mask")
        if mask is None:
            mask = numpy.ones(self.num_envs, dtype=numpy.bool_)
        elif not isinstance(mask, numpy.ndarray) or mask.dtype != numpy.bool_ or mask.shape != (self.num_envs,):
            raise TypeError(f"reset_mask must be an array of {self.num_envs} booleans")
        elif not mask.any():
            raise ValueError("reset_mask names no world")
        for world in numpy.flatnonzero(mask):
            given = seeds[world]
            fresh = given is not None or not self._has_reset[world]
            self._native.reset_world(int(world), _seed(given) if fresh else None)
            self._has_reset[world] = True
        self._native.read_observations(self._observations)
        return self._given(self._observations), {}

    def step(
        self, actions: Any
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray, dict[str, Any]]:
        """Steps all worlds without Python's lock."""
        dtype = numpy.int64 if self._takes_choices else numpy.float32
        self._native.step(numpy.ascontiguousarray(actions, dtype=dtype))
        self._native.read_observations(self._observations)
        self._native.read_outcomes(self._rewards, self._terminated, self._truncated)
        outcomes = (self._observations, self._rewards, self._terminated, self._truncated)
        return *(self._given(array) for array in outcomes), self._final()

    def _given(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.copy() if self.copy else array

    def _final(self) -> dict[str, Any]:
        """The last observations of the episodes that this step replaced by new ones."""
        ended = self._terminated | self._truncated
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not ended.any():
            return {}
        final = numpy.empty_like(self._observations)
        self._native.read_final_observations(final)
        rows = numpy.full(self.num_envs, None, dtype=object)
        for world in numpy.flatnonzero(ended):
            rows[world] = final[world]
        return {"final_obs": rows, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}

    def save(self, world: int) -> bytes:
        """Saves a world in the middle of its episode."""
        return self._native.save(world)

    def restore(self, world: int, save: bytes) -> None:
        """Replaces a world by a saved one, of this batch or of another."""
        self._native.restore(world, save)
        self._has_reset[world] = True

    def render(self) -> tuple[numpy.ndarray, ...] | None:
        """A picture of each world."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(_picture(self._native, world) for world in range(self.num_envs))


class LunarLander(_Environment):
    """LunarLander-v3, one world."""

    _about = _Lander


class LunarLanderVector(_Vector):
    """LunarLander-v3, many worlds."""

    _about = _Lander


class BipedalWalker(_Environment):
    """BipedalWalker-v3 and, with ``hardcore=True``, BipedalWalkerHardcore-v3, one world."""

    _about = _Walker


class BipedalWalkerVector(_Vector):
    """BipedalWalker-v3 and, with ``hardcore=True``, BipedalWalkerHardcore-v3, many worlds."""

    _about = _Walker


class CarRacing(_Environment):
    """CarRacing-v3, one world. An observation is a picture."""

    _about = _Car


class CarRacingVector(_Vector):
    """CarRacing-v3, many worlds."""

    _about = _Car
