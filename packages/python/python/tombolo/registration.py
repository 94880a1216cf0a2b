"""The names of the environments in Gymnasium's register. ``environments.py`` is imported when the first one is made."""

from __future__ import annotations

import gymnasium


def register() -> None:
    """Adds the environments to Gymnasium's register; called by ``import tombolo``."""
    if "tombolo/LunarLander-v3" in gymnasium.registry:
        return
    for name, kind, steps_max, threshold, options in (
        ("LunarLander-v3", "LunarLander", 1000, 200, {}),
        ("LunarLanderContinuous-v3", "LunarLander", 1000, 200, {"continuous": True}),
        ("BipedalWalker-v3", "BipedalWalker", 1600, 300, {}),
        ("BipedalWalkerHardcore-v3", "BipedalWalker", 2000, 300, {"hardcore": True}),
        ("CarRacing-v3", "CarRacing", 1000, 900, {}),
    ):
        gymnasium.register(
            id=f"tombolo/{name}",
            entry_point=f"tombolo.environments:{kind}",
            vector_entry_point=f"tombolo.environments:{kind}Vector",
            max_episode_steps=steps_max,
            reward_threshold=threshold,
            kwargs=options,
        )
    gymnasium.register(
        id="tombolo/Scene-v0",
        entry_point="tombolo.scene_env:SceneEnv",
        vector_entry_point="tombolo.scene_vector_env:SceneVectorEnv",
    )
