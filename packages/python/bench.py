"""Steps a second of environments, ours beside Gymnasium's and EnvPool's: python bench.py [--json FILE] [--seconds 5].

Random actions, resets included, the same number of worlds and the same seed for all. Each contender runs in every mode that it
has, without copies of what it observes where it can do without; the faster mode counts. Each has as many cores as it is asked to
use threads, if the system can bind it to them: Gymnasium's processes, one for each world, would take all others. The contenders
of a case take turns, so that what else the machine does falls on all of them; the best turn of each counts. What cannot be run is
listed with the reason.
"""

import argparse
import contextlib
import json
import os
import time

import gymnasium
import numpy

import tombolo  # noqa: F401

ROUNDS = 5
SEED = 0
# The name of a case, Gymnasium's id, and how many worlds there are.
CASES = [
    ("lander", "LunarLander-v3", 64),
    ("walker", "BipedalWalker-v3", 64),
    ("walker, hardcore", "BipedalWalkerHardcore-v3", 64),
    ("car", "CarRacing-v3", 16),
]


class Whole:
    """A contender that steps all worlds at once."""

    def __init__(self, env):
        self.env = env
        env.reset(seed=SEED)

    def step(self, row):
        """Steps worlds with their actions, and says how many."""
        self.env.step(row)
        return len(row)


class Seeded(Whole):
    """EnvPool, which takes its seed when it is made."""

    def __init__(self, env):
        self.env = env
        env.reset()


class Parts(Whole):
    """EnvPool with a batch of fewer worlds than it has: those that are ready first are answered, the others go on meanwhile."""

    def __init__(self, env):
        self.env = env
        env.async_reset()

    def step(self, row):
        ready = self.env.recv()[-1]["env_id"]
        self.env.send(row[ready], ready)
        return len(ready)


def ours(id, worlds, threads):
    return Whole(gymnasium.make_vec(f"tombolo/{id}", num_envs=worlds, threads=threads, copy=False))


def gymnasiums(mode):
    def make(id, worlds, threads):
        return Whole(gymnasium.make_vec(id, num_envs=worlds, vectorization_mode=mode, vector_kwargs={"copy": False}))

    return make


def pooled(id, worlds, threads):
    import envpool

    return Seeded(envpool.make_gymnasium(id, num_envs=worlds, num_threads=threads, seed=SEED))


def pooled_in_parts(id, worlds, threads):
    import envpool

    # A third of the worlds, as its documents advise.
    return Parts(
        envpool.make_gymnasium(id, num_envs=worlds, batch_size=max(worlds // 3, 1), num_threads=threads, seed=SEED)
    )


# A contender, its mode, what makes it, and the numbers of threads that it is run with.
CONTENDERS = [
    ("tombolo", "together", ours, (1, 2)),
    ("gymnasium", "sync", gymnasiums("sync"), (1, 2)),
    ("gymnasium", "async", gymnasiums("async"), (2,)),
    ("envpool", "sync", pooled, (1, 2)),
    ("envpool", "async", pooled_in_parts, (1, 2)),
]


@contextlib.contextmanager
def on_cores(count):
    """Binds the calling thread, and the threads and processes that it starts, to so many cores, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def actions(id, worlds, name):
    rng = numpy.random.default_rng(SEED)
    if id == "LunarLander-v3":
        return rng.integers(4, size=(100, worlds)).astype(numpy.int32 if name == "envpool" else numpy.int64)
    if id == "CarRacing-v3":
        return rng.uniform((-1, 0, 0), (1, 1, 0.2), size=(100, worlds, 3)).astype(numpy.float32)
    return rng.uniform(-1, 1, size=(100, worlds, 4)).astype(numpy.float32)


def rate(contender, rows, seconds):
    """Steps of single worlds a second."""
    start, calls, steps = time.perf_counter(), 0, 0
    while time.perf_counter() - start < seconds:
        steps += contender.step(rows[calls % len(rows)])
        calls += 1
    return steps / (time.perf_counter() - start)


def measure(id, worlds, seconds):
    """The best rate of each contender by its name, mode and number of threads, and why others are left out."""
    made, left_out = {}, {}
    for name, mode, make, counts in CONTENDERS:
        for threads in counts:
            key = name, mode, threads
            with on_cores(threads):
                try:
                    contender = make(id, worlds, threads)
                    rows = actions(id, worlds, name)
                    for row in rows[:3]:
                        contender.step(row)
                # Whatever a peer raises, the others are measured.
                except Exception as error:  # noqa: BLE001
                    if name == "tombolo":
                        raise
                    left_out[key] = f"{type(error).__name__}: {error}"
                    continue
            made[key] = contender, rows
    best = dict.fromkeys(made, 0.0)
    for _ in range(ROUNDS):
        for key, (contender, rows) in made.items():
            with on_cores(key[-1]):
                best[key] = max(best[key], rate(contender, rows, seconds / ROUNDS))
    for contender, _ in made.values():
        contender.env.close()
    return best, left_out


def table(case, best, left_out):
    """A row for each contender, mode and number of threads; `counts` marks the faster mode of each contender."""
    rows = []
    for (name, mode, threads), steps in best.items():
        fastest = max(value for key, value in best.items() if (key[0], key[2]) == (name, threads))
        of = {"steps_per_s": round(steps), "counts": steps == fastest}
        rows.append({"area": "environments", "case": case, "contender": name, "mode": mode, "threads": threads} | of)
    for (name, mode, threads), reason in left_out.items():
        of = {"steps_per_s": None, "counts": False, "left_out": reason}
        rows.append({"area": "environments", "case": case, "contender": name, "mode": mode, "threads": threads} | of)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    rows = []
    for case, id, worlds in CASES:
        of_case = table(case, *measure(id, worlds, arguments.seconds))
        for row in of_case:
            who = f"{case}, {row['contender']} ({row['mode']}), {row['threads']} threads"
            if row["steps_per_s"] is None:
                print(f"{who}: left out, {row['left_out']}", flush=True)
            else:
                counts = ", counts" if row["counts"] else ""
                print(f"{who}: {row['steps_per_s']:,.0f} steps a second{counts}", flush=True)
        rows += of_case
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
