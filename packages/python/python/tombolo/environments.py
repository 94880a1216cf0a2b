"""Gymnasium's environments over this engine: ``gymnasium.make("tombolo/LunarLander-v3")``.

Spaces, seeds, rewards and terrain are Gymnasium's own; motion is computed by another engine, so it is similar, not equal.
In addition to Gymnasium's interface an environment has ``save``, ``restore`` and ``fork``, also within an episode.
"""

from __future__ import annotations

import copy
import operator
import secrets
from typing import Any, ClassVar, Self

import gymnasium
import numpy
from gymnasium import spaces

from . import _tombolo
from ._tombolo import TomboloError
from .seeds import checked
from .vector import (
    AutoresetMode,
    BatchVectorEnv,
    check_counts,
    check_render_mode,
    checked_steps,
    keeps_look,
    picture_of,
)

_Options = dict[str, float]


class _WrongAction(TomboloError, gymnasium.error.InvalidAction, TypeError):
    """An action that an environment does not have: as Gymnasium's own say it, and as Python does."""


class _About:
    """What the kinds have in common."""

    # Modes of one world; of many there are those without a window.
    render_modes: ClassVar[list[str]] = ["human", "rgb_array"]
    # Options of the original that nothing here depends on.
    ignored: ClassVar[frozenset[str]] = frozenset()
    # Options that a step reads, as the original's does; others are of the next reset.
    of_steps: ClassVar[frozenset[str]] = frozenset()
    # The name under which an episode that ended by itself says whether its task was done.
    ending: ClassVar[str | None] = None


class _Lander(_About):
    """The lander's kind, options and spaces for Gymnasium."""

    kind = "LunarLander"
    of_steps: ClassVar[frozenset[str]] = frozenset({"enable_wind", "wind_power", "turbulence_power"})
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


class _Walker(_About):
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


class _Car(_About):
    """The car's kind, options and spaces for Gymnasium."""

    kind = "CarRacing"
    defaults: ClassVar[_Options] = {
        "verbose": False,
        "lap_complete_percent": 0.95,
        "domain_randomize": False,
        "continuous": True,
    }
    render_modes: ClassVar[list[str]] = [*_About.render_modes, "state_pixels"]
    ignored: ClassVar[frozenset[str]] = frozenset({"verbose"})
    ending: ClassVar[str | None] = "lap_finished"

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


def _batch(
    about: Any, options: _Options, count: int = 1, threads: int = 1, autoreset: str = "Disabled", most: int | None = None
) -> _tombolo.EnvironmentBatch:
    """The worlds of a kind, with all of its options."""
    options = {name: value for name, value in options.items() if name not in about.ignored}
    return _tombolo.EnvironmentBatch(about.kind, count, threads, autoreset, most, options)


class _Environment(gymnasium.Env):
    """An environment of one world."""

    metadata: dict[str, Any] = {"render_modes": _About.render_modes, "render_fps": 50}
    _about: ClassVar[Any]

    def __init__(self, render_mode: str | None = None, *values: float, **options: float) -> None:
        """Takes the options of the kind, by name or in the order of Gymnasium's.

        Each is also an attribute, and holds from the next reset on if it is set; wind and its powers from the next step on.
        ``continuous`` stays as it is: the space of actions does.
        """
        if len(values) > len(self._about.defaults):
            raise TypeError(f"{len(values)} options, of {len(self._about.defaults)}: {', '.join(self._about.defaults)}")
        positional = dict(zip(self._about.defaults, values, strict=False))
        if twice := positional.keys() & options.keys():
            raise TypeError(f"the option {min(twice)!r} is given twice")
        check_render_mode(render_mode, self._about.render_modes)
        self._options = _whole(self._about, positional | options)
        # Not by `__setattr__`, which sets them in the native module too.
        self.__dict__.update(self._options)
        self._native = _batch(self._about, self._options)
        # The options of the native module, which those that were set since the last reset are not among yet.
        self._held = self._options
        self._has_reset = False
        # Whether Gymnasium's generator was given out, and so must have the state of the native one.
        self._shares_random = False
        self._window: Any = None
        self.render_mode = render_mode
        self.observation_space = self._about.observation_space(self._options)
        self.action_space = self._about.action_space(self._options)
        self._takes_choices = isinstance(self.action_space, spaces.Discrete)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._about.defaults and name not in self._about.ignored:
            self._set_option(name, value)
        super().__setattr__(name, value)

    def _set_option(self, name: str, value: float) -> None:
        if name == "continuous" and bool(value) != bool(self._options[name]):
            raise AttributeError("the option 'continuous' is given to gymnasium.make: other actions are another environment")
        options = {**self._options, name: value}
        # Refuses a value that is out of range.
        _batch(self._about, options)
        self._options = options
        if name in self._about.of_steps:
            self._hold({**self._held, name: value})

    def _hold(self, options: _Options) -> None:
        self._native.set_options({name: value for name, value in options.items() if name not in self._about.ignored})
        self._held = options

    @property
    def np_random(self) -> numpy.random.Generator:
        """The generator from which the environment draws, as Gymnasium's do: what is drawn here is not drawn there.

        One with another bit generator than NumPy's PCG64 gives the seed of the next reset.
        """
        random = super().np_random
        if not self._shares_random:
            self._shares_random = True
            if self._has_reset:
                self._pull_random()
        return random

    @np_random.setter
    def np_random(self, value: numpy.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1
        self._shares_random = True

    def _shared(self) -> numpy.random.PCG64 | None:
        """The state of Gymnasium's generator, if that was given out and can be the native one's."""
        bits = self._np_random.bit_generator if self._shares_random and self._np_random is not None else None
        return bits if isinstance(bits, numpy.random.PCG64) else None

    def _pull_random(self) -> None:
        """Gives Gymnasium's generator, if it was given out, the state of the native one."""
        if (bits := self._shared()) is not None:
            state, inc, half = self._native.random_state(0)
            bits.state = {
                "bit_generator": "PCG64",
                "state": {"state": state, "inc": inc},
                "has_uint32": int(half is not None),
                "uinteger": half or 0,
            }

    def _push_random(self) -> None:
        """Gives the native generator the state of Gymnasium's, from which somebody may have drawn."""
        if (bits := self._shared()) is not None:
            state: Any = bits.state
            half = state["uinteger"] if state["has_uint32"] else None
            self._native.set_random_state(0, (state["state"]["state"], state["state"]["inc"], half))

    def _observation(self) -> numpy.ndarray:
        space = self.observation_space
        assert space.shape is not None
        observation: numpy.ndarray = numpy.empty(space.shape, dtype=space.dtype)
        self._native.read_observations(observation)
        return observation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins an episode; without a seed the random sequence continues.

        With ``options={"randomize": False}`` colors that are drawn for each episode stay as they are.
        """
        if seed is not None:
            checked(seed, BatchVectorEnv._seed_bits)
        super().reset(seed=seed)
        self._shares_random = self._shares_random and seed is None
        if self._held != self._options:
            self._hold(self._options)
        self._push_random()
        self._native.reset([(0, self._native_seed(seed))], keeps_look(options))
        self._has_reset = True
        self._pull_random()
        if self.render_mode == "human":
            self.render()
        return self._observation(), {}

    def _native_seed(self, seed: int | None) -> int | None:
        """The seed of an episode; ``None`` if the native generator goes on."""
        if seed is not None or self._shared() is not None:
            return seed
        if self._shares_random:
            return int(self._np_random.integers(2**63))  # type: ignore[union-attr]
        return None if self._has_reset else self.np_random_seed

    def step(self, action: Any) -> tuple[numpy.ndarray, float, bool, bool, dict[str, Any]]:
        """Advances the world by one fiftieth of a second.

        Raises Gymnasium's ``InvalidAction``, which is a ``TypeError`` and a ``TomboloError`` too, for what is none of the
        choices, or no array of numbers of the action space's shape.
        """
        choice, numbers = (self._choice(action), []) if self._takes_choices else (0, self._numbers(action))
        self._push_random()
        reward, terminated, succeeded = self._native.step_one(choice, numbers)
        self._pull_random()
        if self.render_mode == "human":
            self.render()
        info = {self._about.ending: succeeded} if terminated and self._about.ending else {}
        return self._observation(), reward, terminated, False, info

    def _choice(self, action: Any) -> int:
        try:
            choice = operator.index(action)
        except TypeError as error:
            raise _WrongAction(f"{action!r} is none of the choices: {error}") from error
        assert isinstance(self.action_space, spaces.Discrete)
        count = int(self.action_space.n)
        if not 0 <= choice < count:
            raise _WrongAction(f"no such action: {choice} is none of the {count} choices")
        return choice

    def _numbers(self, action: Any) -> list[float]:
        numbers = numpy.asarray(action)
        if numbers.dtype.kind not in "fiub" or numbers.shape != self.action_space.shape:
            raise _WrongAction(f"the action {action!r}: expected numbers of the shape {self.action_space.shape}")
        return numbers.tolist()

    def save(self) -> bytes:
        """Saves the whole environment: world, random generator, episode."""
        self._push_random()
        return self._native.save(0)

    def restore(self, save: bytes) -> numpy.ndarray:
        """Replaces the environment by a saved one of the same options; returns the observation. Others are refused."""
        self._native.restore(0, save)
        # The next reset of one that never had one draws its first seed.
        self._has_reset = self._native.has_begun()[0]
        self._pull_random()
        return self._observation()

    def fork(self) -> Self:
        """An independent copy, whose results are the same until actions differ."""
        self._push_random()
        fork = type(self).__new__(type(self))
        # Spaces have random generators.
        own = {name: copy.deepcopy(getattr(self, name)) for name in ("action_space", "observation_space", "_np_random")}
        fork.__dict__.update(self.__dict__, **own, _native=self._native.fork(), _window=None)
        return fork

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": self.save() if self._has_reset else None, "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = _batch(self._about, self._held)
        if state["_native"] is not None:
            self._native.restore(0, state["_native"])

    def render(self) -> Any:
        """Returns the picture as an array, or shows the window's next frame."""
        if self.render_mode is None:
            gymnasium.logger.warn("render without a render_mode draws nothing: give one to gymnasium.make")
            return None
        if self.render_mode == "state_pixels":
            return self._observation()
        picture = picture_of(self._native, 0)
        if self.render_mode == "rgb_array":
            return picture
        self._show(picture)
        return None

    def _show(self, picture: numpy.ndarray) -> None:
        try:
            import pygame
        except ImportError as error:
            raise gymnasium.error.DependencyNotInstalled("pygame is not installed: run `pip install pygame`") from error

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


class _Vector(BatchVectorEnv):
    """An environment of many worlds stepped in one call. A world's result depends neither on the others nor on threads."""

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
        """Without ``copy`` each step overwrites the arrays of the one before. ``max_episode_steps`` of -1 is no limit."""
        options = _whole(self._about, options)
        modes = [mode for mode in self._about.render_modes if mode != "human"]
        most, mode = checked_steps(max_episode_steps), AutoresetMode(autoreset_mode)
        check_counts(num_envs, threads)
        self._ending = self._about.ending
        self._made_of = (options, num_envs, threads, mode.value, most)
        self._begin(
            (self._about.observation_space(options), self._about.action_space(options)),
            [secrets.randbits(64) for _ in range(num_envs)],
            autoreset_mode=mode,
            copy=copy,
            render_mode=render_mode,
            metadata={**_Environment.metadata, "render_modes": modes},
        )

    def _made(self) -> _tombolo.EnvironmentBatch:
        return _batch(self._about, *self._made_of)


class LunarLander(_Environment):
    """LunarLander-v3, one world."""

    _about = _Lander

    @property
    def wind_idx(self) -> int:
        """The place of the wind in its pattern."""
        return int(self._native.episode_numbers(0)[0])

    @property
    def torque_idx(self) -> int:
        """The place of the turbulence in its pattern."""
        return int(self._native.episode_numbers(0)[1])


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

    metadata: dict[str, Any] = {**_Environment.metadata, "render_modes": _Car.render_modes}
    _about = _Car

    def _color(self, place: int) -> numpy.ndarray:
        return numpy.array(self._native.episode_numbers(0)[3 * place : 3 * place + 3])

    @property
    def road_color(self) -> numpy.ndarray:
        """Red, green and blue of the road, from 0 to 255."""
        return self._color(0)

    @property
    def bg_color(self) -> numpy.ndarray:
        """Red, green and blue of the field."""
        return self._color(1)

    @property
    def grass_color(self) -> numpy.ndarray:
        """Red, green and blue of the patches of grass."""
        return self._color(2)


class CarRacingVector(_Vector):
    """CarRacing-v3, many worlds."""

    _about = _Car
