"""Gymnasium's environments over this engine: ``gymnasium.make("tombolo/LunarLander-v3")``.

Spaces, seeds, rewards and terrain are Gymnasium's own; motion is that of another engine, so it is alike and not equal.
Beside Gymnasium's interface an environment has ``save``, ``restore`` and ``fork``, in the middle of an episode too.
"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar, TypedDict

import gymnasium
import numpy
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _tombolo
from .lander_picture import HEIGHT, WIDTH, draw

_STEPS_MAX = 1000
_NO_NUMBERS = (0.0, 0.0)


class _Options(TypedDict):
    continuous: bool
    gravity: float
    enable_wind: bool
    wind_power: float
    turbulence_power: float


def register() -> None:
    """Adds the environments to Gymnasium's register; done by ``import tombolo``."""
    if "tombolo/LunarLander-v3" in gymnasium.registry:
        return
    for name, options in (("LunarLander-v3", {}), ("LunarLanderContinuous-v3", {"continuous": True})):
        gymnasium.register(
            id=f"tombolo/{name}",
            entry_point="tombolo.environments:LunarLander",
            vector_entry_point="tombolo.environments:LunarLanderVector",
            max_episode_steps=_STEPS_MAX,
            reward_threshold=200,
            kwargs=options,
        )


def _observation_space() -> spaces.Box:
    high = numpy.array([2.5, 2.5, 10.0, 10.0, 2 * numpy.pi, 10.0, 1.0, 1.0]).astype(numpy.float32)
    low = -high
    low[6:] = 0.0
    return spaces.Box(low, high)


def _action_space(continuous: bool) -> spaces.Box | spaces.Discrete:
    return spaces.Box(-1, +1, (2,), dtype=numpy.float32) if continuous else spaces.Discrete(4)


def _seed(seed: int | None) -> int:
    return secrets.randbits(64) if seed is None else int(seed)


class LunarLander(gymnasium.Env):
    """LunarLander-v3, one world."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 50}

    def __init__(
        self,
        render_mode: str | None = None,
        continuous: bool = False,
        gravity: float = -10.0,
        enable_wind: bool = False,
        wind_power: float = 15.0,
        turbulence_power: float = 1.5,
    ) -> None:
        self._options: _Options = {
            "continuous": continuous,
            "gravity": gravity,
            "enable_wind": enable_wind,
            "wind_power": wind_power,
            "turbulence_power": turbulence_power,
        }
        self._native = self._batch()
        self._has_reset = False
        self._window: Any = None
        self.render_mode = render_mode
        self.continuous = continuous
        self.observation_space = _observation_space()
        self.action_space = _action_space(continuous)

    def _batch(self) -> _tombolo.LanderBatch:
        return _tombolo.LanderBatch(1, 1, "Disabled", None, **self._options)

    def _observation(self) -> numpy.ndarray:
        observation = numpy.empty(8, dtype=numpy.float32)
        self._native.read_observations(observation)
        return observation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins an episode; without a seed the random numbers go on."""
        super().reset(seed=seed)
        fresh = seed is not None or not self._has_reset
        self._native.reset_world(0, _seed(seed) if fresh else None)
        self._has_reset = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """One fiftieth of a second."""
        if self.continuous:
            main, side = action
            reward, terminated = self._native.step_one(0, (float(main), float(side)))
        else:
            reward, terminated = self._native.step_one(int(action), _NO_NUMBERS)
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, False, {}

    def save(self) -> bytes:
        """The whole environment: world, random numbers, episode."""
        return self._native.save(0)

    def restore(self, save: bytes) -> numpy.ndarray:
        """Replaces the environment by a saved one of the same options; what it sees."""
        self._native.restore(0, save)
        self._has_reset = True
        return self._observation()

    def fork(self) -> LunarLander:
        """A copy with a future of its own, which is the same until actions differ."""
        fork = LunarLander.__new__(LunarLander)
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
        """The picture, or the window's next frame."""
        if self.render_mode is None:
            gymnasium.logger.warn("render without a render_mode draws nothing: give one to gymnasium.make")
            return None
        picture = draw(self._native.terrain(0), self._native.outlines(0))
        if self.render_mode == "rgb_array":
            return picture
        self._show(picture)
        return None

    def _show(self, picture: numpy.ndarray) -> None:
        import pygame

        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode((WIDTH, HEIGHT)), pygame.time.Clock()
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


class LunarLanderVector(VectorEnv):
    """LunarLander-v3, many worlds stepped in one call. A world's result depends neither on the others nor on threads."""

    metadata: dict[str, Any]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = _STEPS_MAX,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        continuous: bool = False,
        gravity: float = -10.0,
        enable_wind: bool = False,
        wind_power: float = 15.0,
        turbulence_power: float = 1.5,
    ) -> None:
        """Without ``copy`` the arrays of a step are written over by the next one."""
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**LunarLander.metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.single_observation_space = _observation_space()
        self.single_action_space = _action_space(continuous)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._continuous = continuous
        self._has_reset = False
        self._native = _tombolo.LanderBatch(
            num_envs,
            threads,
            self.autoreset_mode.value,
            max_episode_steps,
            continuous,
            gravity,
            enable_wind,
            wind_power,
            turbulence_power,
        )
        self._observations = numpy.zeros((num_envs, 8), dtype=numpy.float32)
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
            fresh = given is not None or not self._has_reset
            self._native.reset_world(int(world), _seed(given) if fresh else None)
        self._has_reset = True
        self._native.read_observations(self._observations)
        return self._given(self._observations), {}

    def step(
        self, actions: Any
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray, dict[str, Any]]:
        """Steps all worlds without Python's lock."""
        dtype = numpy.float32 if self._continuous else numpy.int64
        self._native.step(numpy.ascontiguousarray(actions, dtype=dtype))
        self._native.read_observations(self._observations)
        self._native.read_outcomes(self._rewards, self._terminated, self._truncated)
        outcomes = (self._observations, self._rewards, self._terminated, self._truncated)
        return *(self._given(array) for array in outcomes), self._final()

    def _given(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.copy() if self.copy else array

    def _final(self) -> dict[str, Any]:
        """What was seen at the ends that this step replaced."""
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
        """A world in the middle of its episode."""
        return self._native.save(world)

    def restore(self, world: int, save: bytes) -> None:
        """Replaces a world by a saved one, of this batch or of another."""
        self._native.restore(world, save)
        self._has_reset = True

    def render(self) -> tuple[numpy.ndarray, ...] | None:
        """A picture of each world."""
        if self.render_mode != "rgb_array":
            return None
        worlds = range(self.num_envs)
        return tuple(draw(self._native.terrain(world), self._native.outlines(world)) for world in worlds)
