"""Thousands of worlds of one scene with Gymnasium's vector interface: what ``make_vec`` makes of ``tombolo/Scene-v0``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy
from gymnasium import spaces

from . import _tombolo
from .scene_batch import Range, begin_set, made_of, ranges_of, scene_text
from .vector import AutoresetMode, BatchVectorEnv, checked_steps

_AUTORESETS = {
    AutoresetMode.NEXT_STEP: "NextStep",
    AutoresetMode.SAME_STEP: "SameStep",
    AutoresetMode.DISABLED: "Disabled",
}


class SceneVectorEnv(BatchVectorEnv):
    """Worlds of one scene, stepped in one call: many of :class:`SceneEnv`, with the same results.

    Options are those of :class:`SceneEnv`, but a reward is a name, and those of the package's other vector environments:
    ``threads``, ``autoreset_mode``, ``copy``. World i has seed s + i after ``reset(seed=s)``.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}
    _seed_bits = 64

    def __init__(
        self,
        num_envs: int = 1,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        observe: Sequence[str],
        act: Sequence[str] | Mapping[str, Range],
        reward: str,
        done: str | None = None,
        steps: int = 1,
        max_steps: int | None = None,
        max_episode_steps: int | None = None,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        new_seeds: bool = False,
        saves: Iterable[bytes] = (),
    ) -> None:
        """Reads the scene, and each property once. ``max_episode_steps`` is Gymnasium's name of ``max_steps``."""
        ranges, mode = ranges_of(act), AutoresetMode(autoreset_mode)
        limits = [most for most in (checked_steps(max_steps), checked_steps(max_episode_steps)) if most is not None]
        self._made_of = made_of(
            scene_text(path, text),
            (num_envs, threads, _AUTORESETS[mode], min(limits, default=None)),
            ranges,
            observe=observe,
            reward=reward,
            done=done,
            steps=steps,
            new_seeds=new_seeds,
            saves=saves,
        )
        low, high = numpy.array(list(ranges.values()), dtype=numpy.float32).reshape(-1, 2).T
        width = self._made().observation_len() // num_envs
        self._begin(
            (spaces.Box(-numpy.inf, numpy.inf, (width,), dtype=numpy.float32), spaces.Box(low, high)),
            [None] * num_envs,
            autoreset_mode=mode,
            copy=copy,
            render_mode=render_mode,
            metadata=dict(type(self).metadata),
        )

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray, dict[str, Any]]:
        """Begins episodes: in all worlds, or in those of ``options["reset_mask"]``.

        ``options["set"]`` has properties that are set at the beginning: a dict for all of these worlds, or a list with one, or
        ``None``, for each world of the batch. If one is refused, the error says of which world, and no episode has begun. An
        episode that begins by itself has the scene's own again. Raises ``ValueError`` for other options.
        """
        for name in options or {}:
            if name not in ("reset_mask", "set"):
                raise ValueError(f"a reset of many worlds has no option {name!r}; it has 'reset_mask' and 'set'")
        return super().reset(seed=seed, options=options)

    def _begin_episodes(self, worlds: list[tuple[int, int | None]], options: dict[str, Any] | None) -> None:
        if changes := (options or {}).get("set"):
            begin_set(self._native, self.num_envs, worlds, changes)
        else:
            super()._begin_episodes(worlds, options)

    def _made(self) -> _tombolo.EnvironmentBatch:
        return _tombolo.EnvironmentBatch.of_scene(*self._made_of)
