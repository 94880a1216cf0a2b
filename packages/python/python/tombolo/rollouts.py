"""Rollouts: episodes of an environment under a policy, on the cores of this machine or of a Ray cluster, as a table."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy

from .jobs import Stop, run
from .tables import Row, check_table, write_table

_Make = str | Callable[..., Any]
_Policy = Callable[[Any, numpy.random.Generator], Any]


def _digest(digest: Any, seen: Any) -> None:
    """Adds an observation to a hash: an array's numbers; of dictionaries and tuples the names, in order, and the parts."""
    if isinstance(seen, Mapping):
        digest.update(struct.pack("<cQ", b"d", len(seen)))
        for name in sorted(seen, key=str):
            digest.update(f"{name}\0".encode())
            _digest(digest, seen[name])
    elif isinstance(seen, tuple):
        digest.update(struct.pack("<cQ", b"t", len(seen)))
        for part in seen:
            _digest(digest, part)
    elif seen is None:
        digest.update(b"n")
    else:
        array = numpy.asarray(seen)
        if array.dtype.hasobject:
            raise TypeError(f"an observation with {seen!r}, which has no numbers to hash")
        digest.update(array.tobytes())


@dataclass(frozen=True)
class _Shared:
    """The data shared by all episodes of a call."""

    env: _Make
    options: dict[str, Any]
    policy: _Policy
    max_steps: int | None

    @property
    def name(self) -> str:
        """The environment's name in the table."""
        return self.env if isinstance(self.env, str) else getattr(self.env, "__name__", type(self.env).__name__)

    def make(self) -> Any:
        if not isinstance(self.env, str):
            return self.env(**self.options)
        import gymnasium

        return gymnasium.make(self.env, **self.options)


@dataclass(frozen=True)
class _Episode:
    """One episode. Its result follows from the environment, the policy and the seed."""

    seed: int

    def run(self, shared: _Shared, stop: Stop) -> Row:
        """The row of the table; its hash is over all observations, rewards and ends."""
        random, digest = numpy.random.default_rng(self.seed), hashlib.blake2b(digest_size=8)
        total, steps, terminated, truncated = 0.0, 0, False, False
        env = shared.make()
        try:
            seen, _ = env.reset(seed=self.seed)
            _digest(digest, seen)
            while not (terminated or truncated) and (shared.max_steps is None or steps < shared.max_steps):
                stop.check()
                seen, reward, terminated, truncated, _ = env.step(shared.policy(seen, random))
                total, steps = total + float(reward), steps + 1
                _digest(digest, seen)
                digest.update(struct.pack("<d??", reward, terminated, truncated))
        finally:
            env.close()
        ends = {"terminated": bool(terminated), "truncated": bool(truncated)}
        return {"env": shared.name, "seed": self.seed, "return": total, "steps": steps, **ends, "hash": digest.hexdigest()}


def rollout(
    env: _Make,
    policy: _Policy,
    *,
    seeds: Sequence[int],
    options: Mapping[str, Any] | None = None,
    max_steps: int | None = None,
    out: str | PathLike[str] | None = None,
    threads: int | None = None,
    address: str | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> list[Row]:
    """Plays an episode for each seed; returns the rows, in that order: return, steps, kind of end, and a hash.

    ``env`` is a name for ``gymnasium.make`` or a function that makes an environment, called with ``options``. ``policy`` is a
    function of an observation and of a random generator that is seeded with each episode's seed. It has no
    state of its own: episodes run at the same time, in one process or several. So an episode depends on nothing but
    environment, policy and seed, and the rows are the same for any number of threads and machines. An episode without an
    end is stopped after ``max_steps``. ``out``, ``threads``, ``address`` and ``progress`` are those of ``sweep``; finished rows
    are not kept until the table is whole, since a file could not distinguish one policy from another.

    Raises ``ImportError`` if there is an address and Ray is not installed, ``TypeError`` for observations that are neither
    arrays, numbers and texts nor dictionaries and tuples of them, ``OSError`` for a table that cannot be written, before the
    first episode, and all exceptions of environment or policy.
    """
    if max_steps is not None and max_steps < 1:
        raise ValueError("max_steps are from 1 up")
    if out is not None:
        check_table(Path(out))
    shared = _Shared(env, dict(options or {}), policy, max_steps)
    jobs = {str(seed): _Episode(int(seed)) for seed in seeds}
    done = run(jobs, shared, threads=threads, address=address, progress=progress)
    rows = [done[str(seed)] for seed in seeds]
    if out is not None:
        write_table(Path(out), rows)
    return rows
