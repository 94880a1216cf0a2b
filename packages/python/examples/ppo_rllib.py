"""RLlib's PPO on the lander: `pip install '.[gymnasium,ray]' torch` in the folder above, then run this file.

RLlib asks Gymnasium for this package's own vector environment, which steps its worlds in one call. Its loop wants the
autoreset mode NEXT_STEP, which is the default.
"""

from __future__ import annotations

import ray
from ray.rllib.algorithms.ppo import PPOConfig


def make_environments() -> None:
    """Registers the environments in each process of Ray."""
    import tombolo  # noqa: F401


config = (
    PPOConfig()
    .environment("tombolo/LunarLander-v3")
    .env_runners(
        num_env_runners=2,
        num_envs_per_env_runner=16,
        gym_env_vectorize_mode="vector_entry_point",
    )
    .training(gamma=0.999, lambda_=0.98, lr=3e-4, train_batch_size_per_learner=16384, minibatch_size=512, num_epochs=4)
)

if __name__ == "__main__":
    make_environments()
    ray.init(runtime_env={"worker_process_setup_hook": make_environments})
    algorithm = config.build_algo()
    for iteration in range(60):
        result = algorithm.train()
        mean = result["env_runners"].get("episode_return_mean", float("nan"))
        print(f"{iteration}: mean return {mean:.1f}")
        if mean >= 200:
            break
    algorithm.stop()
