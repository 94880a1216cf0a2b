"""Thousands of worlds of one scene, stepped in one call."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy

from . import _tombolo
from .options import options_text
from .scene import written
from .seeds import seeds_of

Floats = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]
Doubles = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float64]]
Flags = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.bool_]]
Range = tuple[float, float]

_AUTORESETS = {"next_step": "NextStep", "same_step": "SameStep", "disabled": "Disabled"}


def scene_text(path: str | PathLike[str] | None, text: str | None) -> tuple[str, str]:
    """The name for messages and the text of a scene, of which a path or a text is given."""
    if (path is None) == (text is None):
        raise TypeError("give a path or a text")
    if text is not None:
        return "scene", text
    assert path is not None
    return str(path), Path(path).read_text(encoding="utf-8")


def list_of(values: Iterable[Any], what: str) -> list[Any]:
    """The items of a list. Raises ``TypeError`` for a single one, and for a text, whose letters would be items."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{values!r} is one {what}: give a list, [{values!r}]")
    return list(values)


def names_of(names: Sequence[str]) -> list[str]:
    """The names of properties. Raises ``TypeError`` for a single one, whose letters would be names."""
    return list_of(names, "property's name")


def ranges_of(act: Sequence[str] | Mapping[str, Range]) -> dict[str, Range]:
    """The range of each property of an action: from -1 to 1, if none is given."""
    if not isinstance(act, Mapping):
        act = names_of(act)
    return dict(act) if isinstance(act, Mapping) else dict.fromkeys(act, (-1.0, 1.0))


Made = tuple[tuple[str, str], tuple[int, int, str, int | None], str, list[bytes]]


def made_of(
    scene: tuple[str, str],
    batch: tuple[int, int, str, int | None],
    ranges: Mapping[str, Range],
    *,
    observe: Sequence[str],
    reward: str,
    done: str | None,
    steps: int,
    new_seeds: bool,
    saves: Iterable[bytes],
) -> Made:
    """The arguments of ``EnvironmentBatch.of_scene``; ``batch`` is count, threads, autoreset and most steps of an episode."""
    if not isinstance(reward, str):
        raise TypeError("the reward of many worlds is the name of a property or script: their steps call no Python")
    if batch[0] < 1 or batch[1] < 0 or steps < 1 or (batch[3] is not None and batch[3] < 1):
        raise ValueError("the count of worlds, steps and max_steps are from 1 up, and threads from 0 up")
    task = {
        "observe": names_of(observe),
        "act": [(path, float(low), float(high)) for path, (low, high) in ranges.items()],
        "reward": reward,
        "done": done,
        "steps": steps,
        "new_seeds": new_seeds,
    }
    return scene, batch, options_text(task), list(saves)


Changes = Mapping[str, Any] | Sequence[Mapping[str, Any] | None]


def begin_set(
    native: _tombolo.EnvironmentBatch, count: int, worlds: Sequence[tuple[int, int | None]], changes: Changes
) -> None:
    """Begins episodes in some of ``count`` worlds, which are given with a seed or none, with properties that are set: the same
    in each, or those of the world's place in a list for all. Nothing is changed if one is refused.
    """
    each = [changes] * count if isinstance(changes, Mapping) else list(changes)
    if len(each) != count or not all(of is None or isinstance(of, Mapping) for of in each):
        raise ValueError(f"properties to set are a dict for all worlds, or a list with a dict or None for each of {count}")
    of_world = [each[world] or {} for world, _ in worlds]
    native.reset_set(worlds, [[(path, *written(value)) for path, value in of.items()] for of in of_world])


class SceneBatch:
    """Worlds of one scene as tasks: actions and observations are arrays with a row for each world.

    ``observe``, ``act``, ``reward`` and ``done`` are those of :class:`SceneEnv`, but a reward is a property's or script's
    name: a step calls no Python. A world's result depends on its seed and actions only, not on the batch or on threads.

    An episode begins with the scene's own seed, or with one that :meth:`reset` is given; the next one is the same again, or,
    with ``new_seeds``, one of a seed that follows from the last. With ``saves``, made by :meth:`SceneWorld.save`, the
    episode of seed s begins from save s modulo their count. ``autoreset`` says what follows an episode's end:
    ``"next_step"``: the step after it ignores the action and returns the first observation of the next episode;
    ``"same_step"``: the step itself returns that, and ``final_observations`` has the last one; ``"disabled"``: nothing does.

    The arrays are the batch's own and are written over by the next call: copy what is to stay. A step allocates none.
    """

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        count: int = 1,
        *,
        text: str | None = None,
        observe: Sequence[str],
        act: Sequence[str] | Mapping[str, Range],
        reward: str,
        done: str | None = None,
        steps: int = 1,
        max_steps: int | None = None,
        autoreset: str = "next_step",
        threads: int | None = None,
        new_seeds: bool = False,
        saves: Iterable[bytes] = (),
    ) -> None:
        """Reads the scene, and each property once. ``threads`` are all that this process may use, if none are given."""
        if autoreset not in _AUTORESETS:
            raise ValueError(f"no autoreset {autoreset!r}; there are {', '.join(_AUTORESETS)}")
        if threads is None:
            threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        ranges = ranges_of(act)
        # What it was made of: for pickles.
        self._made_of = made_of(
            scene_text(path, text),
            (count, threads, _AUTORESETS[autoreset], max_steps),
            ranges,
            observe=observe,
            reward=reward,
            done=done,
            steps=steps,
            new_seeds=new_seeds,
            saves=saves,
        )
        self._native = _tombolo.EnvironmentBatch.of_scene(*self._made_of)
        low, high = numpy.array(list(ranges.values()), dtype=numpy.float32).reshape(-1, 2).T
        self.action_low, self.action_high = low, high
        self.count = count
        shape = count, self._native.observation_len() // count
        self.observations: Floats = numpy.zeros(shape, dtype=numpy.float32)
        self._final: Floats = numpy.zeros(shape, dtype=numpy.float32)
        self.rewards: Doubles = numpy.zeros(count)
        self.terminated: Flags = numpy.zeros(count, dtype=numpy.bool_)
        self.truncated: Flags = numpy.zeros(count, dtype=numpy.bool_)
        self._native.read_observations(self.observations)
        self._native.read_final_observations(self._final)

    def _read(self, worlds: Sequence[int]) -> None:
        """Reads the rows of worlds that were replaced: the others' are those of the last step."""
        self._native.read_observations(self.observations)
        outcomes = self.rewards, self.terminated, self.truncated
        fresh = numpy.empty_like(self.rewards), numpy.empty_like(self.terminated), numpy.empty_like(self.truncated)
        self._native.read_outcomes(*fresh)
        for rows, read in zip(outcomes, fresh, strict=True):
            rows[worlds] = read[worlds]

    def __len__(self) -> int:
        return self.count

    @property
    def actions_shape(self) -> tuple[int, int]:
        """The shape of the actions of a step: worlds, properties."""
        return self.count, len(self.action_low)

    def reset(
        self,
        seeds: int | Iterable[int | None] | None = None,
        *,
        worlds: Iterable[int] | None = None,
        set: Changes | None = None,
    ) -> Floats:
        """Begins an episode in all worlds, or in those of ``worlds``; returns the observations.

        ``set`` has properties that are set at the beginning: a dict for all of these worlds, or a list with one, or ``None``,
        for each world of the batch. If one is refused, no episode has begun.

        ``seeds`` has one for each world, from 0 to 2**64 - 1, or is that of the first one, and each next world has the next;
        ``None`` goes on as an episode's end does. Raises ``OverflowError`` for another seed, ``ValueError`` for more or
        fewer than worlds, and ``IndexError`` for a world that there is not; then no episode has begun.
        """
        given = seeds_of(seeds, self.count, 64)
        chosen = list(range(self.count)) if worlds is None else [operator.index(world) for world in worlds]
        for world in chosen:
            if not 0 <= world < self.count:
                raise IndexError(f"there is no world {world}: they are from 0 to {self.count - 1}")
        resets = [(world, given[world]) for world in chosen]
        if set:
            begin_set(self._native, self.count, resets, set)
            self._read(chosen)
            return self.observations
        try:
            self._native.reset(resets)
        finally:
            self._read(chosen)
        return self.observations

    def step(self, actions: Any) -> tuple[Floats, Doubles, Flags, Flags]:
        """Advances all worlds without Python's lock; returns observations, rewards, and which episodes ended by themselves
        and which were cut off after ``max_steps``.

        Numbers beyond an action's range count as its ends. Actions of another shape, or that are not numbers, are refused, and
        no world has moved. Raises ``TomboloError`` if a world lost a property that was named; the others have moved.
        """
        actions = numpy.ascontiguousarray(actions, dtype=numpy.float32)
        if actions.shape != self.actions_shape:
            raise ValueError(f"actions of the shape {actions.shape}, expected {self.actions_shape}")
        try:
            self._native.step(actions)
        finally:
            self._native.read_observations(self.observations)
            self._native.read_outcomes(self.rewards, self.terminated, self.truncated)
            if self._made_of[1][2] == "SameStep":
                self._native.read_final_observations(self._final)
        return self.observations, self.rewards, self.terminated, self.truncated

    @property
    def final_observations(self) -> Floats:
        """With ``autoreset="same_step"`` the last observations of the episodes that the last step ended; other rows are older."""
        return self._final

    def picture(self, world: int) -> numpy.ndarray:
        """The picture of a world: rows, columns, and red, green and blue."""
        rows, columns, rgb = self._native.picture(world)
        return numpy.frombuffer(rgb, dtype=numpy.uint8).reshape(rows, columns, 3).copy()

    def save(self, world: int) -> bytes:
        """Saves a world in the middle of its episode."""
        return self._native.save(world)

    def restore(self, world: int, save: bytes) -> None:
        """Replaces a world by a saved one, of this batch or of another with the same scene and task; others are refused."""
        self._native.restore(world, save)
        self._read([world])

    def fork(self) -> Self:
        """An independent copy, stepped on the calling thread."""
        fork = type(self).__new__(type(self))
        own = {name: value.copy() for name, value in self.__dict__.items() if isinstance(value, numpy.ndarray)}
        fork.__dict__.update({**self.__dict__, **own, "_native": self._native.fork()})
        return fork

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __getstate__(self) -> dict[str, Any]:
        # A world without a reset is one in the copy too.
        saves = [self._native.save(world) if begun else None for world, begun in enumerate(self._native.has_begun())]
        return {**self.__dict__, "_native": saves}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = _tombolo.EnvironmentBatch.of_scene(*self._made_of)
        for world, save in enumerate(state["_native"]):
            if save is not None:
                self._native.restore(world, save)
