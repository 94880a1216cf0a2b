"""Jobs by key, for sweeps and rollouts: run on the cores of this machine or of a Ray cluster."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol

from .tables import Row

Done = Callable[[str, Row], None]
Progress = bool | Callable[[int, int], None]


class Stopped(Exception):
    """A job that ended before its row, since its call ends."""


class Stop:
    """Whether a call ends, which its jobs ask from time to time."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Lets all jobs end."""
        self._event.set()

    def check(self) -> None:
        """Raises ``Stopped`` if the call ends."""
        if self._event.is_set():
            raise Stopped


class Job(Protocol):
    """Work whose row depends on nothing but the job and the data shared by all jobs of a call: it may run twice."""

    def run(self, shared: Any, stop: Stop) -> Row:
        """The row of the table, of values that JSON has. Work that takes long asks whether to stop."""


class _Journal:
    """A file with a line for each finished job, by key. A line that was cut short by a kill is skipped."""

    def __init__(self, path: Path | None) -> None:
        self.rows: dict[str, Row] = {}
        self._file: io.TextIOWrapper | None = None
        if path is None:
            return
        if path.exists():
            # After a loss of power a line may be any bytes.
            for line in path.read_bytes().split(b"\n"):
                try:
                    key, row = json.loads(line)
                except (TypeError, ValueError):
                    continue
                self.rows[key] = row
        self._file = path.open("a", encoding="utf-8")
        # The file may end with a partial line.
        self._file.write("\n")

    def add(self, key: str, row: Row) -> None:
        self.rows[key] = row
        if self._file is not None:
            self._file.write(json.dumps([key, row]) + "\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _run_here(jobs: Mapping[str, Job], shared: Any, done: Done, threads: int | None) -> None:
    """Runs jobs on this machine's cores. Finished rows are handed over also when a job fails or Ctrl-C comes; others stop."""
    stop = Stop()
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        running = {pool.submit(job.run, shared, stop): key for key, job in jobs.items()}
        try:
            for future in as_completed(running):
                done(running.pop(future), future.result())
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            for future, key in running.items():
                if not future.cancelled() and future.exception() is None:
                    done(key, future.result())
            raise


def _show(done: int, count: int) -> None:
    """Shows the progress in a line that overwrites itself."""
    print(f"\r{done} of {count}", end="\n" if done == count else "", file=sys.stderr, flush=True)


def run(
    jobs: Mapping[str, Job],
    shared: Any,
    *,
    threads: int | None,
    address: str | None,
    progress: Progress,
    part: Path | None = None,
) -> dict[str, Row]:
    """The rows of all jobs, by key. The file ``part`` keeps finished rows, for a repeated call."""
    if threads is not None and threads < 1:
        raise ValueError("threads are from 1 up")
    report = _show if progress is True else progress or None
    journal = _Journal(part)
    open_jobs = {key: job for key, job in jobs.items() if key not in journal.rows}
    # A journal may have jobs of another call, which are left out.
    count = len(jobs) - len(open_jobs)

    def done(key: str, row: Row) -> None:
        nonlocal count
        journal.add(key, row)
        count += 1
        if report is not None:
            report(count, len(jobs))

    try:
        if address is None:
            _run_here(open_jobs, shared, done, threads)
        else:
            from .ray import run_jobs

            run_jobs(open_jobs, shared, done, address=address, threads=threads)
        return journal.rows
    finally:
        journal.close()
