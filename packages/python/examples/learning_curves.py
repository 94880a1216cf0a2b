"""Curves of learning in two engines: this package's lander and walkers beside Gymnasium's own, which run on Box2D.

    python learning_curves.py train --env tombolo/LunarLander-v3 --seed 0 --out curves
    python learning_curves.py train --env LunarLander-v3 --seed 0 --out curves
    python learning_curves.py train --env tombolo/BipedalWalker-v3 --seed 0 --out curves --normalize --settings '{"ent_coef": 0.0}'
    python learning_curves.py evaluate curves/LunarLander-v3-0.zip --env tombolo/LunarLander-v3
    python learning_curves.py plot curves --out curves.png

Needs what ``ppo_stable_baselines3.py`` beside it needs, ``gymnasium[box2d]``, and ``matplotlib`` for the plot. A run writes a
line for each episode: the steps of all worlds until its end, and its return. ``plot`` draws a line for each run and their mean,
and prints a table of the same; a run that was stopped (``*.part``) counts as far as it came.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy

# A task counts as solved when the mean of so many episodes in a row has reached the return at which Gymnasium says so.
EPISODES = 100


def solved_at(env: str) -> float:
    """The return at which an environment counts as solved."""
    import gymnasium
    import tombolo  # noqa: F401

    threshold = gymnasium.spec(env).reward_threshold
    return float("inf") if threshold is None else threshold


def train(given: argparse.Namespace) -> None:
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

    given.out.mkdir(parents=True, exist_ok=True)
    name = f"{given.env.replace('/', '-')}-{given.seed}"
    part = given.out / f"{name}.part"
    # A line at a time, so that a run that is stopped can be drawn.
    with part.open("w", newline="", encoding="utf-8", buffering=1) as file:
        rows = csv.writer(file)
        envs = make_envs(given.env, given.worlds, normalize=given.normalize, gamma=given.settings.get("gamma"))
        model = make_model(envs, given.seed, given.settings)
        model.learn(total_timesteps=given.steps, callback=Episodes())
        final = numpy.mean(returns_of(model, gymnasium.make(given.env), EPISODES))
        rows.writerow(["final", final])
    model.save(given.out / f"{name}.zip")
    if (scaling := model.get_vec_normalize_env()) is not None:
        scaling.save(str(given.out / f"{name}.pkl"))
    part.replace(given.out / f"{name}.csv")


def evaluate(model: Path, env: str) -> None:
    """Prints the mean of 100 episodes of a trained policy without exploration, in any engine's environment."""
    import gymnasium
    from ppo_stable_baselines3 import make_envs, returns_of
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    envs, scaling = make_envs(env, 1), model.with_suffix(".pkl")
    if scaling.exists():
        envs = VecNormalize.load(str(scaling), envs)
    returns = returns_of(PPO.load(model, envs, device="cpu"), gymnasium.make(env), EPISODES)
    print(f"{model.stem} in {env}: {numpy.mean(returns):.1f}, standard deviation {numpy.std(returns):.1f}")


def read(path: Path) -> tuple[numpy.ndarray, float | None]:
    """The rows of steps and return, and the mean without exploration, which a run that was stopped has not."""
    with path.open(newline="", encoding="utf-8") as file:
        # The last line of a run that was stopped may be cut off.
        rows = [row for row in csv.reader(file) if len(row) == 2 and row[1]]
    if rows and rows[-1][0] == "final":
        return numpy.array(rows[:-1], dtype=float), float(rows[-1][1])
    return numpy.array(rows[:-1], dtype=float).reshape(-1, 2), None


def smooth(rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The mean of each 100 episodes in a row, by the steps at the end of the last."""
    sums = numpy.cumsum(numpy.insert(rows[:, 1], 0, 0.0))
    return rows[EPISODES - 1 :, 0], (sums[EPISODES:] - sums[:-EPISODES]) / EPISODES


def runs_of(folder: Path) -> dict[str, list[tuple[str, numpy.ndarray, float | None]]]:
    """The runs of each environment: seed, rows, and the mean without exploration."""
    runs: dict[str, list[tuple[str, numpy.ndarray, float | None]]] = {}
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.part")]):
        if path.suffix == ".part" and path.with_suffix(".csv").exists():
            continue
        rows, final = read(path)
        if len(rows) < EPISODES:
            print(f"{path.name}: left out, fewer than {EPISODES} episodes")
            continue
        env, seed = path.stem.rsplit("-", 1)
        runs.setdefault(env.replace("tombolo-", "tombolo/", 1), []).append((seed, rows, final))
    return runs


def print_table(runs: dict[str, list[tuple[str, numpy.ndarray, float | None]]], part: int) -> None:
    """Prints the mean return of the episodes that end in each part of the steps, a column for each run."""
    columns = [(f"{env}, seed {seed}", rows, final) for env in runs for seed, rows, final in runs[env]]
    print("| steps | " + " | ".join(name for name, _, _ in columns) + " |\n|" + " --- |" * (1 + len(columns)))
    last = max(rows[-1, 0] for _, rows, _ in columns)
    for start in range(0, int(last), part):
        cells = []
        for _, rows, _ in columns:
            inside = rows[(rows[:, 0] > start) & (rows[:, 0] <= start + part)]
            cells.append(f"{inside[:, 1].mean():.0f}" if rows[-1, 0] >= start + 0.95 * part else "")
        if any(cells):
            print(f"| up to {start + part:,} | " + " | ".join(cells) + " |")
    bests = [f"{smooth(rows)[1].max():.0f}" for _, rows, _ in columns]
    print(f"| best {EPISODES} in a row | " + " | ".join(bests) + " |")
    finals = ["" if final is None else f"{final:.0f}" for _, _, final in columns]
    print("| without exploration | " + " | ".join(finals) + " |")


def plot(folder: Path, out: Path, part: int) -> None:
    """Draws all runs of a folder, and prints their table and when each was solved."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), dpi=100)
    runs = runs_of(folder)
    print_table(runs, part)
    for color, env in enumerate(runs):
        curves = [smooth(rows) for _, rows, _ in runs[env]]
        for (seed, _, _), (steps, means) in zip(runs[env], curves, strict=True):
            solved = numpy.flatnonzero(means >= solved_at(env))
            when = f"solved after {steps[solved[0]]:,.0f} steps" if len(solved) else "not solved"
            print(f"{env}, seed {seed}: {when}, of {steps[-1]:,.0f}")
            axes.plot(steps / 1e6, means, color=f"C{color}", linewidth=0.8, alpha=0.5)
        # As far as all seeds came.
        common = numpy.linspace(max(c[0][0] for c in curves), min(c[0][-1] for c in curves), 500)
        mean = numpy.mean([numpy.interp(common, *curve) for curve in curves], axis=0)
        seeds = f"{len(curves)} seeds" if len(curves) > 1 else "one seed"
        axes.plot(common / 1e6, mean, color=f"C{color}", linewidth=2, label=f"{env}, {seeds}")
    for threshold in {solved_at(env) for env in runs}:
        axes.axhline(threshold, color="0.6", linewidth=0.8, linestyle="--")
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
    training.add_argument("--normalize", action="store_true", help="scale observations and rewards, as for the walkers")
    training.add_argument("--out", type=Path, default=Path("curves"))
    training.set_defaults(run=train)
    trying = commands.add_parser("evaluate", help="try a trained policy in an environment")
    trying.add_argument("model", type=Path)
    trying.add_argument("--env", default="tombolo/LunarLander-v3")
    trying.set_defaults(run=lambda given: evaluate(given.model, given.env))
    drawing = commands.add_parser("plot", help="draw the runs of a folder")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("--out", type=Path, default=Path("curves.png"))
    drawing.add_argument("--part", type=int, default=100_000, help="the steps of a row of the table")
    drawing.set_defaults(run=lambda given: plot(given.folder, given.out, given.part))
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
