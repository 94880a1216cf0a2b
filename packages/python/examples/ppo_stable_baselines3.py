"""PPO of Stable-Baselines3 on the lander: `pip install '.[gymnasium]' stable-baselines3` in the folder above, then run
this file.

On a scene with `--env tombolo/Scene-v0` and its options as JSON, an end of its episodes among them:

    --options '{"path": "cart.ron", "observe": ["cart.transform.position.x"], "act": ["cart.body.linear_velocity.x"],
                "reward": "cart.transform.position.x", "max_steps": 600}'

The worlds are stepped in one call. ``BatchVecEnv`` is the adapter: Stable-Baselines3 wants an ended episode to begin anew in
the same step, with the last observation in ``info``, and rewards in single precision.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import gymnasium
import numpy
import tombolo  # noqa: F401
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize


class BatchVecEnv(VecEnv):
    """A vector environment of this package for Stable-Baselines3."""

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        self.env, self.actions = env, None
        self.render_mode = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> numpy.ndarray:
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observations, _ = self.env.reset(seed=seeds)
        self._reset_seeds()
        return observations

    def step_async(self, actions: numpy.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, list[dict[str, Any]]]:
        observations, rewards, terminated, truncated, info = self.env.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = terminated | truncated
        for world in numpy.flatnonzero(ended):
            infos[world]["terminal_observation"] = info["final_obs"][world]
            infos[world]["TimeLimit.truncated"] = bool(truncated[world] and not terminated[world])
        return observations, rewards.astype(numpy.float32), ended, infos

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("the worlds of a batch have no attributes of their own")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        raise NotImplementedError("the worlds of a batch have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))


def make_envs(
    env: str, worlds: int, threads: int = 1, normalize: bool = False, gamma: float | None = None, **options: Any
) -> VecEnv:
    """Worlds of an environment, which begin anew in the step that ends an episode: of this package, or of Gymnasium's own.

    With ``normalize`` observations and rewards are scaled by what was seen of them so far, as RL Zoo does for the walkers;
    rewards with the discount ``gamma``, or that of `SETTINGS`.
    """
    same_step = gymnasium.vector.AutoresetMode.SAME_STEP
    if env.startswith("tombolo/"):
        envs = gymnasium.make_vec(env, num_envs=worlds, threads=threads, autoreset_mode=same_step, **options)
    else:
        vector = {"autoreset_mode": same_step}
        envs = gymnasium.make_vec(env, num_envs=worlds, vectorization_mode="sync", vector_kwargs=vector, **options)
    monitored = VecMonitor(BatchVecEnv(envs))
    return VecNormalize(monitored, gamma=gamma or SETTINGS["gamma"]) if normalize else monitored


# RL Zoo's settings for the lander, which are made for 16 worlds.
SETTINGS = {"n_steps": 1024, "batch_size": 64, "gae_lambda": 0.98, "gamma": 0.999, "n_epochs": 4, "ent_coef": 0.01}


def make_model(envs: VecEnv, seed: int, settings: dict[str, Any]) -> PPO:
    """PPO with RL Zoo's settings, but for those that are given."""
    # The network is small: more threads only wait for each other.
    torch.set_num_threads(1)
    return PPO("MlpPolicy", envs, seed=seed, device="cpu", verbose=1, **{**SETTINGS, **settings})


def returns_of(model: PPO, env: gymnasium.Env, episodes: int) -> list[float]:
    """The returns of episodes with the seeds from 0 on, without exploration; observations are scaled as they were in training."""
    scaling = model.get_vec_normalize_env()
    returns = []
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        returns.append(0.0)
        done = False
        while not done:
            seen = observation if scaling is None else scaling.normalize_obs(observation)
            action = model.predict(seen, deterministic=True)[0]
            observation, reward, terminated, truncated, _ = env.step(action)
            returns[-1] += float(reward)
            done = terminated or truncated
    return returns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="tombolo/LunarLander-v3")
    parser.add_argument("--options", type=json.loads, default={}, help="options of the environment, as JSON")
    parser.add_argument("--settings", type=json.loads, default={}, help="settings of PPO in place of RL Zoo's, as JSON")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--normalize", action="store_true", help="scale observations and rewards, as for the walkers")
    given = parser.parse_args()
    envs = make_envs(
        given.env, given.worlds, given.threads, given.normalize, given.settings.get("gamma"), **given.options
    )
    model = make_model(envs, given.seed, given.settings)
    model.learn(total_timesteps=given.steps)
    returns = returns_of(model, gymnasium.make(given.env, **given.options), 100)
    print(f"mean of 100 episodes: {numpy.mean(returns):.1f}")


if __name__ == "__main__":
    main()
