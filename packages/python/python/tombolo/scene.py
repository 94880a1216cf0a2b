"""Worlds of entities with components, from scene files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from . import _tombolo
from ._tombolo import TomboloError
from .queries import Floats, Point, Queries, point_of
from .recordings import Recordable


# The name of a scene for messages, its text, and the seed in place of its own.
_Source = tuple[str, str, int | None]


def _text(value: Any) -> str:
    """A value in the syntax of scene files; the engine takes the brackets of a vector for a list too."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_quoted(part) if isinstance(part, str) else _text(_plain(part)) for part in value) + ")"
    return str(value)


def _plain(value: Any) -> Any:
    """An array or number of NumPy as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value


def _quoted(text: str) -> str:
    """A text in quotes, for a list."""
    escaped = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escaped.get(letter, letter) for letter in text) + '"'


class Entity:
    """An entity of a world, by its handle, which is never used for another one. Equal if world and handle are.

    Its properties are ``entity["component.property"]``. A call on one that has ended raises ``TomboloError``.
    """

    __slots__ = ("id", "world")

    def __init__(self, world: SceneWorld, id: int) -> None:
        self.world, self.id = world, id

    @property
    def exists(self) -> bool:
        """Whether it has not ended."""
        return self.world._native.exists(self.id)

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        return self.world._native.name_of(self.id)

    @property
    def pose(self) -> tuple[float, float, float]:
        """x, y and angle."""
        pose = self.world._native.pose_of(self.id)
        if pose is None:
            raise TomboloError(f"{self!r} has ended, or has no Transform")
        return pose

    def destroy(self) -> None:
        """Ends it, and its children with it."""
        self.world._native.despawn(self.id)

    def __getitem__(self, path: str) -> Any:
        return self.world._native.get_of(self.id, path)

    def __setitem__(self, path: str, value: Any) -> None:
        self.world._native.set_of(self.id, path, *written(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entity) and self.world is other.world and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"Entity({self.id})"


class SceneEvent(NamedTuple):
    """An event of the last step."""

    kind: str
    """``"spawned"``, ``"despawned"``, ``"begin_touch"``, ``"end_touch"``, ``"hit"``, ``"force"``, ``"enter"`` and ``"leave"`` of a
    trigger, ``"enter_zone"``, ``"leave_zone"``, ``"strain"`` and ``"break"`` of a joint, ``"meet"`` and ``"part"`` of a
    character."""
    entity: Entity
    """The entity; that of the trigger, zone, joint or character. It may have ended."""
    other: Entity | None
    """The other entity, if there is one."""
    component: str | None
    """The name of the zone or joint."""
    point: Point
    """The point of a hit or force; of a strain or break the force in newtons."""
    normal: Point
    """The normal of a hit or force, from the entity to the other."""
    strength: float
    """The speed of approach of a hit in meters per second, a force in newtons, the torque of a strain in newton meters."""
    impulse: float
    """The impulse of a hit or force along the normal, in newton seconds."""


class SceneHit(NamedTuple):
    """A hit of a query: the entity, the name of its component, the fraction of the way, the point, the normal.

    ``entity`` and ``component`` are ``None`` for a shape that belongs to no entity.
    """

    entity: Entity | None
    component: str | None
    fraction: float
    point: Point
    normal: Point


def written(value: Any) -> tuple[str, bool]:
    """A value for the native module: its text, and whether that is to be taken as it is."""
    value = _plain(value)
    return (value, True) if isinstance(value, str) else (_text(value), False)


class SceneWorld(Queries, Recordable):
    """A running world of entities. Properties are named ``entity.component.property``.

    A vector or a color is read as a tuple, a choice as its word, an entity as its name, or its number if it has none, and each
    can be set to what was read. A text is set as it is. Vectors, colors and lists can be set to any sequence and to arrays of NumPy.
    """

    def __init__(
        self,
        path: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        seed: int | None = None,
        threads: int = 1,
    ) -> None:
        """Creates a world from a scene file, or from a scene's text. A seed replaces that of the scene's settings.

        The results are the same for any number of threads; copies and forks are stepped on the calling one.
        """
        if (path is None) == (text is None):
            raise TypeError("give a path or a text")
        if text is None:
            assert path is not None
            text = Path(path).read_text(encoding="utf-8")
        # What it was made of, for pickles; ``None`` for the world of a recording.
        self._scene: _Source | None = ("scene" if path is None else str(path), text, seed)
        self._native = _tombolo.SceneWorld(*self._scene, threads)

    @property
    def seed(self) -> int:
        """The seed with which the world began: the one it was given, or that of the scene's settings."""
        if self._scene is not None and self._scene[2] is not None:
            return self._scene[2]
        seed = self._native.own_seed()
        if seed is None:
            raise TomboloError("the seed of a recorded world is in its recording, and cannot be asked for")
        return seed

    def step(self, steps: int = 1) -> None:
        """Advances the world by steps of its own length; other Python threads run meanwhile.

        Among many steps it hears signals some times a second: after Ctrl-C the steps that were made stay. Calls of other threads
        on this world may come in between.
        """
        self._native.step(steps)

    @property
    def step_seconds(self) -> float:
        """The length of a step, in seconds."""
        return self._native.step_seconds()

    @property
    def names(self) -> list[str]:
        """The names of all entities that have one."""
        return self._native.names()

    def __len__(self) -> int:
        return self._native.entity_count()

    def pose(self, name: str) -> tuple[float, float, float]:
        """x, y and angle of an entity."""
        return self._native.pose(name)

    @property
    def entities(self) -> list[Entity]:
        """All entities, in the order of the rows of :meth:`poses`."""
        return [Entity(self, id) for id in self._native.entities()]

    def poses(self, out: Floats | None = None) -> Floats:
        """A row for each entity: x, y, angle; not a number for one without a Transform.

        With ``out``, an array of float32 of that shape, nothing is allocated.
        """
        if out is None:
            out = numpy.empty((len(self), 3), dtype=numpy.float32)
        self._native.read_poses(out)
        return out

    def find(self, name: str) -> Entity | None:
        """The entity of a name."""
        id = self._native.find(name)
        return None if id is None else Entity(self, id)

    def spawn(
        self,
        resource: str,
        position: Sequence[float] | None = None,
        *,
        angle: float = 0.0,
        name: str | None = None,
        parent: Entity | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> Entity:
        """Adds an entity of the scene's ``entities``, at its own place if no position is given, with properties by
        ``component.property``. It has its body and shapes at once, and its scripts begin in the next step.

        With ``set`` it costs a copy of the world; setting the properties afterwards does not.
        """
        pose = None if position is None else (*point_of(position), float(angle))
        values = [(path, *written(value)) for path, value in (set or {}).items()]
        parent_id = None if parent is None else self._own(parent)
        return Entity(self, self._native.spawn(resource, name, pose, parent_id, values))

    def _own(self, entity: Entity) -> int:
        if entity.world is not self:
            raise TomboloError(f"{entity!r} is of another world")
        return entity.id

    def events(self) -> list[SceneEvent]:
        """The events of the last step, in the engine's order."""
        return [
            SceneEvent(kind, Entity(self, a), Entity(self, b) if b else None, *rest)
            for kind, (a, b), *rest in self._native.events()
        ]

    def set_action(self, name: str, value: float) -> None:
        """Sets an input of a player until it is set again: scripts hear of it. Buttons are 0 or 1, sticks from -1 to 1."""
        self._native.set_action(name, float(value))

    def action(self, name: str) -> float:
        """The value of an input; 0 if it was never set."""
        return self._native.action(name)

    @property
    def actions(self) -> dict[str, float]:
        """The inputs that were ever set, with their values."""
        return dict(self._native.actions())

    def _excluded(self, thing: Any) -> tuple[str, int]:
        if not isinstance(thing, Entity):
            raise TomboloError(f"{thing!r} is no entity: a query cannot exclude it")
        body = self._native.body_of(self._own(thing))
        if body is None:
            raise TomboloError(f"{thing!r} has no body that a query could exclude")
        return "exclude_bodies", body

    def _part(self, shape: int) -> tuple[Entity | None, str | None]:
        part = self._native.part_of(shape)
        return (None, None) if part is None else (Entity(self, part[0]), part[1])

    def _hit(self, body: int, shape: int, fraction: float, point: Point, normal: Point) -> SceneHit:
        return SceneHit(*self._part(shape), fraction, point, normal)

    def _found(self, shape: int) -> Entity | None:
        return self._part(shape)[0]

    def __getitem__(self, path: str) -> Any:
        return self._native.get(path)

    def __setitem__(self, path: str, value: Any) -> None:
        self._native.set(path, *written(value))

    def get(self, paths: Sequence[str]) -> list[Any]:
        """The values of several properties."""
        return [self[path] for path in paths]

    @property
    def faults(self) -> list[str]:
        """The faults of scripts and spawners."""
        return self._native.faults()

    def save(self) -> bytes:
        """Saves the whole world."""
        return self._native.save()

    def restore(self, save: bytes) -> None:
        """Replaces the world by a saved one of the same scene."""
        self._native.restore(save)

    def fork(self) -> SceneWorld:
        """An independent copy, which ``copy`` makes too."""
        return self._of(self._native.fork(), self._scene)

    @classmethod
    def _of(cls, native: _tombolo.SceneWorld, scene: _Source | None) -> SceneWorld:
        world = SceneWorld.__new__(SceneWorld)
        world._scene, world._native = scene, native
        return world

    def __copy__(self) -> SceneWorld:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> SceneWorld:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._scene is None:
            raise TomboloError("the world of a recording is not pickled: pickle the recording")
        return _unpickled, (self._scene, self.save())

    def hash(self) -> int:
        """A hash of all state that the next steps depend on."""
        return self._native.hash()


def _unpickled(scene: _Source, save: bytes) -> SceneWorld:
    world = SceneWorld._of(_tombolo.SceneWorld(*scene), scene)
    world.restore(save)
    return world
