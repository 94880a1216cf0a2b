"""Steps a second of environments, ours beside Gymnasium's and EnvPool's: python bench.py [--json FILE] [--seconds 5].

Random choices, resets included, the same number of worlds for all; contenders that are not installed are left out.
"""

import argparse
import json
import time

import gymnasium
import numpy

import tombolo  # noqa: F401

WORLDS = 64


def ours(threads):
    return gymnasium.make_vec("tombolo/LunarLander-v3", num_envs=WORLDS, threads=threads, copy=False)


def theirs(threads):
    return gymnasium.make_vec("LunarLander-v3", num_envs=WORLDS, vectorization_mode="sync")


def pooled(threads):
    import envpool

    return envpool.make_gymnasium("LunarLander-v3", num_envs=WORLDS, num_threads=threads, seed=0)


CONTENDERS = [("tombolo", ours, (1, 2)), ("gymnasium", theirs, (1,)), ("envpool", pooled, (1, 2))]


def rate(env, seconds):
    """Steps of single worlds a second, the best of five parts of the time."""
    actions = numpy.random.default_rng(0).integers(4, size=(1000, WORLDS))
    if "tombolo" not in type(env).__module__ and "gymnasium" not in type(env).__module__:
        actions = actions.astype(numpy.int32)
    env.reset()
    for row in actions[:50]:
        env.step(row)
    best = 0.0
    for _ in range(5):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < seconds / 5:
            for row in actions[:20]:
                env.step(row)
            steps += 20 * WORLDS
        best = max(best, steps / (time.perf_counter() - start))
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    rows = []
    for name, make, counts in CONTENDERS:
        for threads in counts:
            try:
                env = make(threads)
            except (ImportError, gymnasium.error.Error) as error:
                print(f"{name}: left out, {error}")
                break
            steps = rate(env, arguments.seconds)
            rows.append({"area": "environments", "case": "lander", "contender": name, "threads": threads, "steps_per_s": round(steps)})
            print(f"lander, {name}, {threads} threads: {steps:,.0f} steps a second")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
