"""Steps a second of environments, ours beside Gymnasium's and EnvPool's: python bench.py [--json FILE] [--seconds 5].

Random actions, resets included, the same number of worlds for all; contenders that are not installed are left out. The
contenders of a case take turns, so that what else the machine does falls on all of them; the best turn of each counts.
"""

import argparse
import json
import time

import gymnasium
import numpy

import tombolo  # noqa: F401

ROUNDS = 5
# The name of a case, Gymnasium's id, and how many worlds there are.
CASES = [
    ("lander", "LunarLander-v3", 64),
    ("walker", "BipedalWalker-v3", 64),
    ("walker, hardcore", "BipedalWalkerHardcore-v3", 64),
    ("car", "CarRacing-v3", 16),
]


def ours(id, worlds, threads):
    return gymnasium.make_vec(f"tombolo/{id}", num_envs=worlds, threads=threads, copy=False)


def theirs(id, worlds, threads):
    return gymnasium.make_vec(id, num_envs=worlds, vectorization_mode="sync")


def pooled(id, worlds, threads):
    import envpool

    return envpool.make_gymnasium(id, num_envs=worlds, num_threads=threads, seed=0)


CONTENDERS = [("tombolo", ours, (1, 2)), ("gymnasium", theirs, (1,)), ("envpool", pooled, (1, 2))]


def actions(id, worlds, name):
    rng = numpy.random.default_rng(0)
    if id == "LunarLander-v3":
        return rng.integers(4, size=(100, worlds)).astype(numpy.int32 if name == "envpool" else numpy.int64)
    if id == "CarRacing-v3":
        return rng.uniform((-1, 0, 0), (1, 1, 0.2), size=(100, worlds, 3)).astype(numpy.float32)
    return rng.uniform(-1, 1, size=(100, worlds, 4)).astype(numpy.float32)


def rate(env, rows, seconds):
    """Steps of single worlds a second."""
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        env.step(rows[steps % len(rows)])
        steps += 1
    return steps * rows.shape[1] / (time.perf_counter() - start)


def measure(id, worlds, seconds):
    """The best rate of each contender, by its name and number of threads."""
    envs = {}
    for name, make, counts in CONTENDERS:
        for threads in counts:
            try:
                env = make(id, worlds, threads)
            except (ImportError, gymnasium.error.Error) as error:
                print(f"{name}: left out, {error}")
                break
            env.reset()
            rows = actions(id, worlds, name)
            for row in rows[:3]:
                env.step(row)
            envs[name, threads] = env, rows
    best = dict.fromkeys(envs, 0.0)
    for _ in range(ROUNDS):
        for key, (env, rows) in envs.items():
            best[key] = max(best[key], rate(env, rows, seconds / ROUNDS))
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    rows = []
    for case, id, worlds in CASES:
        for (name, threads), steps in measure(id, worlds, arguments.seconds).items():
            rows.append(
                {"area": "environments", "case": case, "contender": name, "threads": threads, "steps_per_s": round(steps)}
            )
            print(f"{case}, {name}, {threads} threads: {steps:,.0f} steps a second", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
