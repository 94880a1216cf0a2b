"""Curves of learning in two engines: this package's lander beside Gymnasium's own, which runs on Box2D.

    python learning_curves.py train --env tombolo/LunarLander-v3 --seed 0 --out curves
    python learning_curves.py train --env LunarLander-v3 --seed 0 --out curves
    python learning_curves.py plot curves --out curves.png

Needs what ``ppo_stable_baselines3.py`` beside it needs, ``gymnasium[box2d]``, and ``matplotlib`` for the plot. A run writes a
line for each episode: the steps of all worlds until its end, and its return.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy

# A task counts as solved when the mean of so many episodes in a row has reached this return.
EPISODES, SOLVED = 100, 200.0


def train(env: str, seed: int, steps: int, worlds: int, settings: dict[str, Any], out: Path) -> None:
    """Trains once, and writes the episodes and, as the last line, the mean of 100 more without exploration."""
    import gymnasium
    from ppo_stable_baselines3 import make_envs, make_model, returns_of
    from stable_baselines3.common.callbacks import BaseCallback

    class Episodes(BaseCallback):
        """Writes each episode that ends."""

        def _on_step(self) -> bool:
            for info in self.locals["infos"]:
                if "episode" in info:
                    rows.writerow([self.num_timesteps, info["episode"]["r"]])
            return True

    out.mkdir(parents=True, exist_ok=True)
    name = f"{env.replace('/', '-')}-{seed}"
    part = out / f"{name}.part"
    with part.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        model = make_model(make_envs(env, worlds), seed, settings)
        model.learn(total_timesteps=steps, callback=Episodes())
        final = numpy.mean(returns_of(model, gymnasium.make(env), EPISODES))
        rows.writerow(["final", final])
    part.replace(out / f"{name}.csv")


def read(path: Path) -> tuple[numpy.ndarray, float]:
    """The rows of steps and return, and the mean without exploration."""
    with path.open(newline="", encoding="utf-8") as file:
        *rows, (_, final) = csv.reader(file)
    return numpy.array(rows, dtype=float), float(final)


def smooth(rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The mean of each 100 episodes in a row, by the steps at the end of the last."""
    sums = numpy.cumsum(numpy.insert(rows[:, 1], 0, 0.0))
    return rows[EPISODES - 1 :, 0], (sums[EPISODES:] - sums[:-EPISODES]) / EPISODES


def plot(folder: Path, out: Path) -> None:
    """Draws all runs of a folder, and prints when each was solved."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), dpi=100)
    colors: dict[str, str] = {}
    for path in sorted(folder.glob("*.csv")):
        env, seed = path.stem.rsplit("-", 1)
        is_new = env not in colors
        label = env.replace("tombolo-", "tombolo/", 1)
        color = colors.setdefault(env, f"C{len(colors)}")
        rows, final = read(path)
        steps, means = smooth(rows)
        solved = numpy.flatnonzero(means >= SOLVED)
        when = f"solved after {steps[solved[0]]:,.0f} steps" if len(solved) else "not solved"
        print(f"{env}, seed {seed}: {when}; best mean {means.max():.0f}; without exploration {final:.0f}")
        axes.plot(steps / 1e6, means, color=color, linewidth=1, label=label if is_new else None)
    axes.axhline(SOLVED, color="0.6", linewidth=0.8, linestyle="--")
    axes.set_xlabel("steps of all worlds, millions")
    axes.set_ylabel(f"return, mean of {EPISODES} episodes")
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train", help="train once")
    training.add_argument("--env", default="tombolo/LunarLander-v3")
    training.add_argument("--seed", type=int, default=0)
    training.add_argument("--steps", type=int, default=500_000)
    training.add_argument("--worlds", type=int, default=16)
    training.add_argument("--settings", type=json.loads, default={}, help="settings of PPO in place of RL Zoo's, as JSON")
    training.add_argument("--out", type=Path, default=Path("curves"))
    training.set_defaults(
        run=lambda given: train(given.env, given.seed, given.steps, given.worlds, given.settings, given.out)
    )
    drawing = commands.add_parser("plot", help="draw the runs of a folder")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--out", type=Path, default=Path("curves.png"))
    drawing.set_defaults(run=lambda given: plot(given.folder, given.out))
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
