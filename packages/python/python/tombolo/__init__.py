"""Tombolo: a deterministic, multicore 2D world engine.

``World`` holds bodies, shapes and joints; ``SceneWorld`` a world of entities from a scene file. With Gymnasium installed,
``gymnasium.make("tombolo/LunarLander-v3")`` makes an environment over this engine, and ``gymnasium.make_vec`` thousands of them.
"""

import warnings

from ._tombolo import TomboloError
from .characters import Character
from .composites import Member, RigidWeld, WeldLoad
from .cuts import Cut, Piece, Vanished
from .fields import Field
from .listeners import Events, Listener, Met
from .physics import Blow, Body, Load, RayHit, World
from .queries import Geometry, RayHits, box, capsule, circle, png_of, polygon, segment
from .recordings import Played, Recording
from .rewind import Frame, Rewind
from .rollouts import rollout
from .scene import Entity, SceneEvent, SceneHit, SceneWorld
from .scene_batch import SceneBatch
from .sweeps import sweep
from .things import ConcavePolygon, Joint, Shape, TileGrid

__all__ = [
    "Blow",
    "Body",
    "Character",
    "ConcavePolygon",
    "Cut",
    "Entity",
    "Events",
    "Field",
    "Frame",
    "Geometry",
    "Joint",
    "Listener",
    "Load",
    "Member",
    "Met",
    "Piece",
    "Played",
    "RayHit",
    "RayHits",
    "Recording",
    "Rewind",
    "RigidWeld",
    "SceneBatch",
    "SceneEnv",
    "SceneEvent",
    "SceneHit",
    "SceneParallelEnv",
    "SceneVectorEnv",
    "SceneWorld",
    "Shape",
    "TileGrid",
    "TomboloError",
    "Vanished",
    "WeldLoad",
    "World",
    "box",
    "capsule",
    "circle",
    "png_of",
    "polygon",
    "rollout",
    "segment",
    "sweep",
]


def __getattr__(name: str) -> type:
    """Imports the environments on first use, which need Gymnasium, or PettingZoo for several agents."""
    if name == "SceneEnv":
        from .scene_env import SceneEnv

        return SceneEnv
    if name == "SceneVectorEnv":
        from .scene_vector_env import SceneVectorEnv

        return SceneVectorEnv
    if name == "SceneParallelEnv":
        from .scene_parallel_env import SceneParallelEnv

        return SceneParallelEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register() -> None:
    """Adds the environments to Gymnasium, if it is installed."""
    from importlib.util import find_spec

    if find_spec("gymnasium") is None:
        return
    try:
        from .registration import register

        register()
    except Exception as error:
        # Worlds and scenes need no Gymnasium, so one that cannot be used is no reason to fail.
        warnings.warn(f"no environments are registered, since Gymnasium cannot be used: {error}", stacklevel=2)


_register()
