"""Ten lines that train a lander: `pip install '.[gymnasium]' stable-baselines3` in the folder above, then run this file."""

import gymnasium
import tombolo  # noqa: F401
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

envs = make_vec_env("tombolo/LunarLander-v3", n_envs=16, seed=0)
model = PPO("MlpPolicy", envs, n_steps=1024, batch_size=64, gae_lambda=0.98, gamma=0.999, n_epochs=4, ent_coef=0.01, device="cpu")
model.learn(500_000)
mean, deviation = evaluate_policy(model, gymnasium.make("tombolo/LunarLander-v3"), n_eval_episodes=20, warn=False)
print(f"return {mean:.0f} ± {deviation:.0f}")
