"""The common part of all vector environments: many worlds of a native batch, with Gymnasium's interface."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy
from gymnasium import spaces

from . import _tombolo
from ._tombolo import TomboloError
from .seeds import seeds_of

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        f"tombolo's environments need Gymnasium 1.2 to 1.4, and {gymnasium.__version__} is installed"
    ) from error


def picture_of(native: _tombolo.EnvironmentBatch, world: int) -> numpy.ndarray:
    """The picture of a world: rows, columns, and red, green and blue."""
    rows, columns, rgb = native.picture(world)
    return numpy.frombuffer(rgb, dtype=numpy.uint8).reshape(rows, columns, 3).copy()


def check_render_mode(mode: str | None, modes: list[str]) -> None:
    """Raises ``ValueError`` for a mode that is none of the modes."""
    if mode is not None and mode not in modes:
        raise ValueError(f"no render_mode {mode!r}; there are {', '.join(modes)}")


def checked_steps(max_episode_steps: int | None) -> int | None:
    """The limit of an episode's steps; -1 is none, as in Gymnasium."""
    most = None if max_episode_steps == -1 else max_episode_steps
    if most is not None and most < 1:
        raise ValueError(f"max_episode_steps is {most}, expected a number from 1, or -1 for no limit")
    return most


def check_counts(worlds: int, threads: int) -> None:
    """Raises ``ValueError`` for counts of worlds and threads that no batch has."""
    if worlds < 1 or threads < 0:
        raise ValueError(f"{worlds} worlds on {threads} threads: worlds are from 1 up, threads from 0 up")


def keeps_look(options: dict[str, Any] | None) -> bool:
    """Whether the options of a reset ask for the colors that are there."""
    return not (options or {}).get("randomize", True)


class BatchVectorEnv(VectorEnv):
    """Many worlds stepped in one call. A world's result depends neither on the others nor on threads.

    A class over it calls ``_begin``, and makes its native batch anew in ``_made``.
    """

    metadata: dict[str, Any]
    # The name under which an episode that ended by itself says whether its task was done.
    _ending: str | None = None
    # The bits that a seed may have.
    _seed_bits = 128

    def _begin(
        self,
        single_spaces: tuple[spaces.Space[Any], spaces.Space[Any]],
        seeds: list[int | None],
        *,
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
        metadata: dict[str, Any],
    ) -> None:
        """Sets up spaces of observations and actions, arrays and worlds; a seed for each world is that of its first episode."""
        check_render_mode(render_mode, metadata["render_modes"])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**metadata, "autoreset_mode": self.autoreset_mode}
        self.num_envs, self.render_mode, self.copy = len(seeds), render_mode, copy
        self.single_observation_space, self.single_action_space = single_spaces
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._takes_choices = isinstance(self.single_action_space, spaces.Discrete)
        self._has_reset = numpy.zeros(self.num_envs, dtype=numpy.bool_)
        self._seeds = seeds
        self._native = self._made()
        space = self.single_observation_space
        assert space.shape is not None
        self._observations = numpy.zeros((self.num_envs, *space.shape), dtype=space.dtype)
        self._rewards = numpy.zeros(self.num_envs)
        self._terminated = numpy.zeros(self.num_envs, dtype=numpy.bool_)
        self._truncated = numpy.zeros(self.num_envs, dtype=numpy.bool_)

    def _made(self) -> _tombolo.EnvironmentBatch:
        """A new native batch of this one's options."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins episodes: in all worlds, or in those of ``options["reset_mask"]``. Seed s is s + i for world i.

        With ``options={"randomize": False}`` colors that are drawn for each episode stay as they are.
        """
        # All of them before the first reset.
        given = seeds_of(seed, self.num_envs, self._seed_bits)
        chosen = numpy.flatnonzero(self._mask(options)).tolist()
        seeds = [before if seed is None else seed for before, seed in zip(self._seeds, given, strict=True)]
        fresh = [given[world] is not None or not self._has_reset[world] for world in chosen]
        worlds = [(world, seeds[world] if new else None) for world, new in zip(chosen, fresh, strict=True)]
        try:
            self._begin_episodes(worlds, options)
        finally:
            self._has_reset |= numpy.array(self._native.has_begun())
        for world in chosen:
            self._seeds[world] = seeds[world]
        self._native.read_observations(self._observations)
        return self._given(self._observations), {}

    def _begin_episodes(self, worlds: list[tuple[int, int | None]], options: dict[str, Any] | None) -> None:
        """Begins episodes in worlds, which are given with a seed or none."""
        self._native.reset(worlds, keeps_look(options))

    def _mask(self, options: dict[str, Any] | None) -> numpy.ndarray:
        """The worlds that a reset is for."""
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return numpy.ones(self.num_envs, dtype=numpy.bool_)
        if not isinstance(mask, numpy.ndarray) or mask.dtype != numpy.bool_:
            raise TypeError("reset_mask must be an array of booleans")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask has the shape {mask.shape}, expected {(self.num_envs,)}")
        if not mask.any():
            raise ValueError("reset_mask names no world")
        return mask

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each world: the last one given, or that with which its first reset begins without one; -1 for a
        scene's own."""
        return tuple(-1 if seed is None else seed for seed in self._seeds)

    def step(
        self, actions: Any
    ) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray, dict[str, Any]]:
        """Steps all worlds without Python's lock.

        Raises ``ValueError`` for actions of another shape than ``action_space``'s, and, without automatic resets, if the
        episode of a world has ended; ``TypeError`` for choices that are no whole numbers. No world has moved then. In a
        step that only begins the next episode of a world the numbers of its action are ignored. Raises ``TomboloError`` if a
        world lost a property that was named; the others have moved.
        """
        actions = numpy.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions of the shape {actions.shape}, expected {self.action_space.shape}")
        if self._takes_choices and actions.dtype.kind not in "iu":
            raise TypeError(f"choices of the type {actions.dtype}, expected whole numbers")
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self._refuse_ended()
        dtype = numpy.int64 if self._takes_choices else numpy.float32
        try:
            self._native.step(numpy.ascontiguousarray(actions, dtype=dtype))
        except TomboloError:
            self._refuse_choices(actions)
            raise
        finally:
            self._native.read_observations(self._observations)
            self._native.read_outcomes(self._rewards, self._terminated, self._truncated)
        observations, rewards = self._given(self._observations), self._given(self._rewards)
        return observations, rewards, self._given(self._terminated), self._given(self._truncated), self._infos()

    def _refuse_choices(self, actions: numpy.ndarray) -> None:
        """Says which choice a refused step had that there is not."""
        if isinstance(self.single_action_space, spaces.Discrete):
            count = int(self.single_action_space.n)
            for world in numpy.flatnonzero((actions < 0) | (actions >= count))[:1].tolist():
                raise TomboloError(f"no such action: {actions[world]} of world {world} is none of the {count} choices")

    def _refuse_ended(self) -> None:
        terminated, truncated = (numpy.empty(self.num_envs, dtype=numpy.bool_) for _ in range(2))
        self._native.read_outcomes(numpy.empty(self.num_envs), terminated, truncated)
        ended = numpy.flatnonzero(terminated | truncated)
        if len(ended) > 0:
            worlds = ", ".join(map(str, ended[:8])) + (", …" if len(ended) > 8 else "")
            raise ValueError(f"ended episodes are reset before the next step, by reset_mask: those of worlds {worlds}")

    def _given(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.copy() if self.copy else array

    def _infos(self) -> dict[str, Any]:
        """How episodes ended, and the last observations of those that this step replaced by new ones."""
        infos: dict[str, Any] = {}
        if self._ending is not None and self._terminated.any():
            done = numpy.array(self._native.succeeded()) & self._terminated
            infos = {self._ending: done, f"_{self._ending}": self._terminated.copy()}
        ended = self._terminated | self._truncated
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not ended.any():
            return infos
        final = numpy.empty_like(self._observations)
        self._native.read_final_observations(final)
        rows = numpy.full(self.num_envs, None, dtype=object)
        for world in numpy.flatnonzero(ended):
            rows[world] = final[world]
        return {"final_obs": rows, "_final_obs": ended, "final_info": infos, "_final_info": ended.copy()}

    def save(self, world: int) -> bytes:
        """Saves a world in the middle of its episode."""
        return self._native.save(world)

    def restore(self, world: int, save: bytes) -> None:
        """Replaces a world by a saved one, of this batch or of another with the same options; others are refused."""
        self._native.restore(world, save)
        # The next reset of one that never had one draws its first seed.
        self._has_reset[world] = self._native.has_begun()[world]

    def __getstate__(self) -> dict[str, Any]:
        saves = [self._native.save(world) if begun else None for world, begun in enumerate(self._has_reset.tolist())]
        # A copy writes to arrays of its own.
        own = {name: copy.copy(value) for name, value in self.__dict__.items() if isinstance(value, numpy.ndarray | list)}
        return {**self.__dict__, **own, "_native": saves}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = self._made()
        for world, save in enumerate(state["_native"]):
            if save is not None:
                self._native.restore(world, save)

    def render(self) -> Any:
        """A tuple with a picture of each world, as arrays."""
        if self.render_mode == "rgb_array":
            return tuple(picture_of(self._native, world) for world in range(self.num_envs))
        if self.render_mode == "state_pixels":
            pictures = numpy.empty_like(self._observations)
            self._native.read_observations(pictures)
            return tuple(pictures)
        return None
