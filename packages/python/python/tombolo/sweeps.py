"""Sweeps: scenes × seeds × properties, each a world of its own, on all cores of this machine."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ._tombolo import TomboloError
from .scene import SceneWorld

_Row = dict[str, Any]


@dataclass(frozen=True)
class _Job:
    """One world of a sweep."""

    scene: str
    text: str
    seed: int | None
    values: tuple[tuple[str, Any], ...]
    steps: int
    read: tuple[str, ...]

    def key(self) -> str:
        """The same for the same work, whatever else is in the sweep."""
        what = [self.scene, self.text, self.seed, self.values, self.steps, self.read]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    def run(self) -> _Row:
        """The row of the table. What the engine refuses is a row, too: the sweep goes on."""
        row: _Row = {"scene": self.scene, "seed": self.seed, **dict(self.values), "steps": self.steps}
        result: _Row = {**dict.fromkeys(self.read), "hash": None, "error": None}
        try:
            world = SceneWorld(text=self.text, seed=self.seed)
            for path, value in self.values:
                world[path] = value
            world.step(self.steps)
            result |= {**{path: world[path] for path in self.read}, "hash": f"{world.hash():016x}"}
        except TomboloError as error:
            result["error"] = str(error)
        # As a table from a journal has it: tuples are lists.
        return json.loads(json.dumps({**row, **result}))


class _Journal:
    """A file with a line for each job that is done, by key. A line that a kill cut short is left out."""

    def __init__(self, path: Path | None) -> None:
        self.rows: dict[str, _Row] = {}
        self._file: io.TextIOWrapper | None = None
        if path is None:
            return
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    key, row = json.loads(line)
                except ValueError:
                    continue
                self.rows[key] = row
        self._file = path.open("a", encoding="utf-8")
        # After a line without its end.
        self._file.write("\n")

    def add(self, key: str, row: _Row) -> None:
        self.rows[key] = row
        if self._file is not None:
            self._file.write(json.dumps([key, row]) + "\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _write(path: Path, rows: Sequence[_Row]) -> None:
    """Writes a table whole or not at all."""
    text = io.StringIO()
    # Scenes may have been given different properties to set: the columns are those of all rows.
    columns = dict.fromkeys(column for row in rows for column in row)
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text.getvalue(), encoding="utf-8")
    os.replace(beside, path)


def sweep(
    scenes: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    steps: int,
    seeds: Sequence[int | None] = (None,),
    set: Mapping[str, Sequence[Any]] | None = None,
    read: Sequence[str] = (),
    out: str | PathLike[str] | None = None,
    threads: int | None = None,
) -> list[_Row]:
    """Steps a world for each scene, seed and combination of the values in ``set``; the rows, in that order.

    A row has the scene, the seed (none is the scene's own), the values that were set, the properties ``read`` after the last
    step, and the world's hash; or the error for which there is none. Rows are the same for any number of threads. With
    ``out`` they are a table in a CSV file, and a file ``.part`` beside it keeps what is done: a sweep that is killed goes on
    where it was when the same call is made again.
    """
    if isinstance(scenes, str | PathLike):
        scenes = [scenes]
    if steps < 0:
        raise ValueError("steps are from 0 up")
    texts = [(str(path), Path(path).read_text(encoding="utf-8")) for path in scenes]
    names, choices = list(set or {}), [list(values) for values in (set or {}).values()]
    jobs = [
        _Job(scene, text, seed, tuple(zip(names, values, strict=True)), steps, tuple(read))
        for (scene, text), seed, values in itertools.product(texts, seeds, itertools.product(*choices))
    ]
    table = None if out is None else Path(out)
    part = None if table is None else table.with_name(table.name + ".part")
    journal = _Journal(part)
    try:
        open_jobs = {job.key(): job for job in jobs if job.key() not in journal.rows}
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            running = {pool.submit(job.run): key for key, job in open_jobs.items()}
            try:
                for done in as_completed(running):
                    journal.add(running[done], done.result())
            except BaseException:
                pool.shutdown(cancel_futures=True)
                for future, key in running.items():
                    if not future.cancelled() and future.exception() is None:
                        journal.add(key, future.result())
                raise
        rows = [journal.rows[job.key()] for job in jobs]
    finally:
        journal.close()
    if table is not None and part is not None:
        _write(table, rows)
        part.unlink()
    return rows
