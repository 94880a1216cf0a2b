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
    "SceneEvent",
    "SceneHit",
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

# The environments by module, imported on first use: they need Gymnasium, or PettingZoo for several agents, and so
# ``from tombolo import *`` leaves them out.
_ENVIRONMENTS = {
    "SceneEnv": "scene_env",
    "SceneParallelEnv": "scene_parallel_env",
    "SceneVectorEnv": "scene_vector_env",
}


def __getattr__(name: str) -> type:
    if name not in _ENVIRONMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    environment: type = getattr(import_module(f".{_ENVIRONMENTS[name]}", __name__), name)
    return environment


def __dir__() -> list[str]:
    return sorted({*globals(), *_ENVIRONMENTS})


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
