"""Sweeps: a world for each combination of scenes, seeds and properties, on all cores of this machine or of a Ray cluster."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy

from ._tombolo import PanicException, TomboloError
from .jobs import Stop, run
from .scene import SceneWorld
from .scene_batch import list_of, names_of
from .tables import Row, check_table, write_table


# The columns that each row has.
_OWN_COLUMNS = ("scene", "seed", "steps", "hash", "error")


@dataclass(frozen=True)
class _Job:
    """One world of a sweep. Its row follows from the scene's hash, the seed, the set values, and the count of steps."""

    scene: str
    text_hash: str
    seed: int | None
    values: tuple[tuple[str, Any], ...]
    steps: int
    read: tuple[str, ...]

    def key(self) -> str:
        """A key that is the same for the same work in the same release, whatever else is in the sweep."""
        what = [version("tombolo"), self.scene, self.text_hash, self.seed, self.values, self.steps, self.read]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    def run(self, texts: Mapping[str, str], stop: Stop) -> Row:
        """The row of the table, given the scenes' texts by hash. A refusal of the engine is a row too, and the sweep goes on."""
        row: Row = {"scene": self.scene, "seed": self.seed, **dict(self.values), "steps": self.steps}
        result: Row = {**dict.fromkeys(self.read), "hash": None, "error": None}
        try:
            world = SceneWorld(text=texts[self.text_hash], seed=self.seed)
            for path, value in self.values:
                world[path] = value
            _make_steps(world, self.steps, stop)
            result |= {**{path: world[path] for path in self.read}, "hash": f"{world.hash():016x}"}
            # The world ran to its end without what the fault has stopped.
            result["error"] = next(iter(world.faults), None)
        except (TomboloError, TypeError, ValueError, OverflowError) as error:
            result["error"] = str(error)
        except PanicException as panic:
            # A defect of the engine in this one world, in the words of the command.
            result["error"] = f"panics: {panic}"
        # In the form in which a journal gives it back: tuples are lists.
        return json.loads(json.dumps({**row, **result}))


def _make_steps(world: SceneWorld, steps: int, stop: Stop) -> None:
    """Makes steps, as many at a time as take about a tenth of a second, so that a stopped call ends soon."""
    count = 1
    while steps > 0:
        stop.check()
        count = min(count, steps)
        start = time.monotonic()
        world.step(count)
        steps, seconds = steps - count, time.monotonic() - start
        count = count * 2 if seconds < 0.05 else max(count // 2, 1) if seconds > 0.2 else count


def _plain(value: Any) -> Any:
    """A value in JSON's types, converted from NumPy's numbers, arrays and vectors too."""
    if isinstance(value, numpy.ndarray | numpy.generic):
        value = value.tolist()
    return tuple(_plain(part) for part in value) if isinstance(value, list | tuple) else value


def sweep(
    scenes: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    steps: int,
    seeds: Sequence[int | None] = (None,),
    set: Mapping[str, Sequence[Any]] | None = None,
    read: Sequence[str] = (),
    out: str | PathLike[str] | None = None,
    threads: int | None = None,
    address: str | None = None,
    progress: bool | Callable[[int, int], None] = False,
) -> list[Row]:
    """Steps a world for each scene, seed and combination of the values in ``set``; returns the rows, in that order.

    A row has the scene, the seed (none is the scene's own), the values that were set, the properties ``read`` after the
    last step, and the world's hash; or the error for which there is none. A world with a fault of a script or spawner has the
    first one as its error, beside its hash. Rows are the same for any number of threads. With
    ``out`` they are a table in a CSV file, or in Parquet if its name ends with ``.parquet``, and a file ``.part`` beside it
    keeps finished rows: a sweep that was killed continues where it was when the same call is made again.

    With ``address`` the worlds run on a Ray cluster, ``"auto"`` for the one of this machine, with ``threads`` for each of its
    machines; the rows and the table are the same. ``progress`` is true for a line on stderr, or a function of the number of
    finished jobs and of all jobs.

    Ctrl-C ends the call after the steps that each world is making, of about a tenth of a second; finished rows are kept.

    Raises ``TypeError`` for one value where a list is expected. Raises ``ValueError`` if a column would have two values, as
    of a property that is read twice, or both set and read, and if the table would replace a scene. Raises ``ImportError`` if
    there is an address and Ray is not installed, or a table in Parquet is asked for without pyarrow, and ``OSError`` for a
    table that cannot be written, before the first step.
    """
    if isinstance(scenes, str | PathLike):
        scenes = [scenes]
    read, seeds = names_of(read), list_of(seeds, "seed")
    given = {path: list_of(values, f"value of {path}") for path, values in (set or {}).items()}
    if steps < 0:
        raise ValueError("steps are from 0 up")
    texts = {str(path): Path(path).read_text(encoding="utf-8") for path in scenes}
    hashes = {scene: hashlib.sha256(text.encode()).hexdigest() for scene, text in texts.items()}
    columns = [*_OWN_COLUMNS, *given, *read]
    if twice := next((name for name in columns if columns.count(name) > 1), None):
        raise ValueError(f"the column {twice!r} would have two values: leave it out of what is read, or of what is set")
    choices = [[_plain(value) for value in values] for values in given.values()]
    seeds = [_plain(seed) for seed in seeds]
    jobs = [
        _Job(scene, hashes[scene], seed, tuple(zip(given, values, strict=True)), steps, tuple(read))
        for scene, seed, values in itertools.product(map(str, scenes), seeds, itertools.product(*choices))
    ]
    table = None if out is None else Path(out)
    if table is not None:
        if table.exists() and (same := next((scene for scene in texts if table.samefile(scene)), None)):
            raise ValueError(f"the table {str(table)!r} would replace the scene {same!r}, which is read")
        check_table(table)
    part = None if table is None else table.with_name(table.name + ".part")
    done = run(
        {job.key(): job for job in jobs},
        {hashes[scene]: text for scene, text in texts.items()},
        threads=threads,
        address=address,
        progress=progress,
        part=part,
    )
    rows = [done[job.key()] for job in jobs]
    if table is not None and part is not None:
        write_table(table, rows)
        # An equal call in another process may have finished first.
        part.unlink(missing_ok=True)
    return rows
