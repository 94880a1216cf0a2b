"""Jobs over a Ray cluster: one actor on each machine, which runs many worlds on the machine's cores.

``sweep`` and ``rollout`` use it when they are given an address. The loss of a machine loses no result: a job that was
lost with its machine is run again elsewhere from its inputs (a scene's hash, a seed, settings, a count of steps),
and gives the same row. Only the cluster's head and the calling process must stay alive.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .jobs import Stop

if TYPE_CHECKING:
    from .jobs import Done, Job, Row

# Least duration of a call in seconds: above it Ray's own cost is small, and little is lost with a machine.
_CALL_SECONDS = 0.25
# Calls that a machine has at a time, so that it need not wait for the result of the one before.
_CALLS = 2
# Seconds between two polls of the list of machines, and seconds without any machine until it is an error.
_LOOK_SECONDS = 1.0
_WAIT_SECONDS = 60.0
# Losses of one job until it counts as the cause of its machines' deaths.
_LOSSES_MAX = 10
# Starts of a machine's actor that fail, one after another, until the reason is raised.
_STARTS_MAX = 3


def _import() -> ModuleType:
    """Imports Ray, which this package does not depend on."""
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "an address means a Ray cluster, and Ray is not installed: pip install 'ray>=2.60', or leave out the address"
        ) from error
    return ray


class _Worker:
    """The actor of a machine, which keeps no state between calls."""

    def __init__(self, shared: Any, threads: int) -> None:
        self._shared, self._pool = shared, ThreadPoolExecutor(threads)

    def version(self) -> str:
        """The package's version on the machine: another one may give other bits."""
        return version("tombolo")

    def run(self, jobs: Sequence[tuple[str, Job]]) -> tuple[float, list[Row]]:
        """Runs jobs; returns the seconds that they took, and their rows in their order."""
        start = time.monotonic()
        # The actor is killed when the call ends.
        stop = Stop()
        rows = list(self._pool.map(lambda job: job[1].run(self._shared, stop), jobs))
        return time.monotonic() - start, rows


class _Machine:
    """A machine of the cluster with its actor."""

    def __init__(self, name: str, actor: Any, threads: int, cpus: int) -> None:
        self.name, self.actor, self.threads, self.cpus = name, actor, threads, cpus
        # The number of jobs in a call: as many as take long enough.
        self.size = threads
        self.ready = False

    def learn(self, seconds: float, count: int) -> None:
        """Fits the size of calls to the time of the last one."""
        if seconds < _CALL_SECONDS and count == self.size:
            self.size *= 2
        elif seconds > 4 * _CALL_SECONDS:
            self.size = max(self.threads, self.size // 2)


class _Cluster:
    """The open jobs, the machines, and the running calls."""

    def __init__(self, ray: ModuleType, jobs: Mapping[str, Job], shared: Any, threads: int | None) -> None:
        self._ray, self._shared, self._threads = ray, ray.put(shared), threads
        self._jobs, self._open = jobs, deque(jobs)
        self._losses = dict.fromkeys(jobs, 0)
        self._machines: dict[str, _Machine] = {}
        # The starts that failed since the last one that did not, by machine.
        self._failures: Counter[str] = Counter()
        # Each call by its future: the machine, and the keys of its jobs.
        self._calls: dict[Any, tuple[_Machine, list[str]]] = {}
        # The last time at which a machine worked, and whether it was said that none does.
        self._seen, self._said = time.monotonic(), False

    def hire(self) -> None:
        """Starts an actor on each machine that has none: also on one that joined late, or whose actor died."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        for node in self._ray.nodes():
            name, cores = node["NodeID"], int(node["Resources"].get("CPU", 0)) if node["Alive"] else 0
            if cores < 1 or name in self._machines:
                continue
            here = NodeAffinitySchedulingStrategy(node_id=name, soft=False)
            threads = self._threads or cores
            cpus = min(cores, threads)
            worker = self._ray.remote(_Worker).options(num_cpus=cpus, max_restarts=0, scheduling_strategy=here)
            machine = _Machine(name, worker.remote(self._shared, threads), threads, cpus)
            self._machines[name] = machine
            self._calls[machine.actor.version.remote()] = (machine, [])
        now = time.monotonic()
        if any(machine.ready for machine in self._machines.values()):
            self._seen, self._said = now, False
        elif now - self._seen > _WAIT_SECONDS:
            if not self._machines:
                raise RuntimeError(f"the cluster has had no machine with a CPU for {_WAIT_SECONDS:.0f} s")
            self._say_that_all_wait()

    def _say_that_all_wait(self) -> None:
        """Says once that there are machines and none of them begins. Their CPUs may be free later, so it is no error."""
        if self._said:
            return
        self._said = True
        asked = sum(machine.cpus for machine in self._machines.values())
        free = self._ray.available_resources().get("CPU", 0)
        warnings.warn(
            f"no machine of the cluster has begun in {_WAIT_SECONDS:.0f} s: they still start, or something else has their CPUs "
            f"({asked} asked for, {free:g} free); the call goes on waiting. threads= asks for fewer on each machine",
            RuntimeWarning,
            stacklevel=2,
        )

    def send(self) -> None:
        """Sends each idle machine as many jobs as a call of the usual length takes."""
        ready = [machine for machine in self._machines.values() if machine.ready]
        for machine in ready:
            calls = sum(other is machine for other, _ in self._calls.values())
            for _ in range(calls, _CALLS):
                # The last jobs are divided among the machines.
                count = min(machine.size, -(-len(self._open) // (_CALLS * len(ready))))
                if count == 0:
                    return
                keys = [self._open.popleft() for _ in range(count)]
                answer = machine.actor.run.remote([(key, self._jobs[key]) for key in keys])
                self._calls[answer] = (machine, keys)

    def receive(self, done: Done) -> None:
        """Hands over the rows of a finished call. A job's exception is raised with its own class."""
        if not self._calls:
            time.sleep(_LOOK_SECONDS)
            return
        answers, _ = self._ray.wait(list(self._calls), timeout=_LOOK_SECONDS)
        errors = self._ray.exceptions
        for answer in answers:
            machine, keys = self._calls.pop(answer)
            try:
                result = self._ray.get(answer)
            except errors.RayTaskError:
                raise
            except errors.RayError as error:
                self._lose(machine, keys, error)
                continue
            if isinstance(result, str):
                self._check(result)
                machine.ready = True
                del self._failures[machine.name]
                continue
            seconds, rows = result
            machine.learn(seconds, len(rows))
            for key, row in zip(keys, rows, strict=True):
                done(key, row)

    def _check(self, there: str) -> None:
        here = version("tombolo")
        if there != here:
            raise RuntimeError(f"a machine of the cluster has tombolo {there}, this one {here}: install the same there")

    def _lose(self, machine: _Machine, keys: list[str], error: Exception) -> None:
        """Opens the jobs of a call that was lost with its machine again, before all others."""
        if not machine.ready and self._machines.get(machine.name) is machine:
            self._failures[machine.name] += 1
            if self._failures[machine.name] >= _STARTS_MAX:
                raise RuntimeError(f"the machine {machine.name} could not begin, {_STARTS_MAX} times: {error}") from error
        for key in keys:
            self._losses[key] += 1
            if self._losses[key] >= _LOSSES_MAX:
                raise RuntimeError(f"lost {_LOSSES_MAX} times with its machine: {self._jobs[key]}") from error
        self._open.extendleft(reversed(keys))
        # Another actor may have been started already: the calls of one that died fail one after another.
        if self._machines.get(machine.name) is machine:
            del self._machines[machine.name]
            self._ray.kill(machine.actor)

    @property
    def is_through(self) -> bool:
        """Whether no job is open or running."""
        return not self._open and not any(keys for _, keys in self._calls.values())

    def dismiss(self) -> None:
        """Ends the actors."""
        for machine in self._machines.values():
            self._ray.kill(machine.actor)


def run_jobs(jobs: Mapping[str, Job], shared: Any, done: Done, *, address: str, threads: int | None) -> None:
    """Runs jobs on all machines of a cluster and hands over each row once, in no particular order.

    Each machine has one actor, which reserves ``threads`` of its CPUs, or all. Shared data is sent to each machine once. A
    machine that dies loses up to two calls of about half a second; they are made again on the others, and on machines that
    join later. Machines whose CPUs are taken are waited for; if none has begun for a minute, a ``RuntimeWarning`` says so.

    Raises ``ImportError`` without Ray; ``RuntimeError`` if a machine has another version of this package, if its actor cannot
    start three times, if there is no machine for a minute, or if a job was lost ten times; and what a job raises.
    """
    ray = _import()
    if not jobs:
        return
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(address=address, log_to_driver=False, logging_level="warning")
    try:
        cluster = _Cluster(ray, jobs, shared, threads)
        looked = -_LOOK_SECONDS
        try:
            while not cluster.is_through:
                if time.monotonic() - looked >= _LOOK_SECONDS:
                    cluster.hire()
                    looked = time.monotonic()
                cluster.send()
                cluster.receive(done)
        finally:
            cluster.dismiss()
    finally:
        if is_ours:
            ray.shutdown()
