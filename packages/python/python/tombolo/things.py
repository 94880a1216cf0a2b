"""What bodies have: shapes, concave polygons, grids of tiles and joints."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _tombolo
from .options import options_text
from .queries import Point, point_of

if TYPE_CHECKING:
    from .composites import Member
    from .physics import Body, World


def _setting(name: str, about: str) -> Any:
    """A property whose value the engine has under a name. An infinite number is read as null of JSON, a vector as a list."""

    def get(self: Any) -> Any:
        value = self._get(name)
        return math.inf if value is None else tuple(value) if isinstance(value, list) else value

    def set_to(self: Any, value: Any) -> None:
        self._set(name, value)

    return property(get, set_to, doc=about)


class _Thing:
    """An object of a world by its id, which is never used for another object. Equal if world and id are."""

    __slots__ = ("id", "world")

    def __init__(self, world: World, id: int) -> None:
        self.world, self.id = world, id

    @property
    def _native(self) -> _tombolo.World:
        return self.world._native

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.world is other.world and self.id == other.id  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id})"


class Shape(_Thing):
    """A shape of a body."""

    __slots__ = ()

    @property
    def body(self) -> Body:
        """The body of the shape."""
        return self.world._body(self._native.body_of(self.id))

    @property
    def concave_polygon(self) -> ConcavePolygon | None:
        """The concave polygon that it is a part of, if it is one."""
        polygon = _tombolo.part_of(self._native, self.id)
        return None if polygon is None else ConcavePolygon(self.world, polygon)

    @property
    def member(self) -> Member | None:
        """The member of a composite that it belongs to."""
        from .composites import Member

        member = _tombolo.member_of(self._native, self.id)
        return None if member is None else Member(self.world, member)

    def _get(self, name: str) -> Any:
        return json.loads(_tombolo.shape_settings(self._native, self.id))[name]

    def _set(self, name: str, value: Any) -> None:
        _tombolo.set_shape(self._native, self.id, name, options_text(value))

    density = _setting("density", "The density in kilograms per square meter. Setting it changes the body's mass.")
    friction = _setting("friction", "The coefficient of friction, from 0 up.")
    restitution = _setting("restitution", "The bounciness, 0 to 1; pymunk's elasticity.")
    rolling_resistance = _setting("rolling_resistance", "The resistance to rolling, from 0 up.")
    tangent_speed = _setting("tangent_speed", "The speed of the surface in meters per second, as of a conveyor belt.")
    contact_skin = _setting("contact_skin", "The distance that it keeps to others, in meters.")
    material = _setting("material", "The number of the material, for contact rules.")
    sensor = _setting("sensor", "Whether it is a sensor: it reports what enters and leaves, and stops nothing.")
    contact_events = _setting("contact_events", "Whether begins and ends of its touches are reported.")
    hit_events = _setting("hit_events", "Whether its hits are reported.")
    filter = _setting("filter", "A dict of ``category``, ``mask`` and ``group``; what is left out when it is set stays as it is.")
    force_threshold = _setting("force_threshold", "The force in newtons above which contacts are reported; 0 for never.")
    user_key = _setting("user_key", "A number of the user's own, from 0 to 2**64 - 1.")

    def destroy(self) -> None:
        """Removes the shape from its body; a part of a concave polygon with all of that."""
        self._native.destroy_shape(self.id)


class ConcavePolygon(_Thing):
    """A concave polygon of a body, in one piece; a cut replaces it by others."""

    __slots__ = ()

    @property
    def body(self) -> Body:
        """The body that it is on."""
        return self.world._body(_tombolo.concave_polygon(self._native, self.id)[0])

    @property
    def parts(self) -> list[Shape]:
        """The convex shapes that collide; queries and events have them. A setting of one changes all."""
        return [Shape(self.world, id) for id in _tombolo.concave_polygon(self._native, self.id)[1]]

    @property
    def border(self) -> list[Point]:
        """The corners in the body's frame, counter-clockwise."""
        return _tombolo.concave_polygon(self._native, self.id)[2][0]

    @property
    def holes(self) -> list[list[Point]]:
        """The corners of the holes in the body's frame, clockwise."""
        return _tombolo.concave_polygon(self._native, self.id)[2][1:]

    @property
    def radius(self) -> float:
        """The radius in meters by which it is rounded."""
        return _tombolo.concave_polygon(self._native, self.id)[3]

    @property
    def area(self) -> float:
        """The area in square meters."""
        return _tombolo.concave_polygon(self._native, self.id)[4]

    def destroy(self) -> None:
        """Removes it with all its parts."""
        _tombolo.destroy_concave_polygon(self._native, self.id)


class TileGrid(_Thing):
    """A grid of tiles in columns, from the left, and rows, from below; ``grid[x, y]`` is a kind of tile, 0 for an empty cell."""

    __slots__ = ()

    @property
    def size(self) -> tuple[int, int]:
        """The number of columns and of rows."""
        return self._native.tile_grid_size(self.id)

    def __getitem__(self, cell: tuple[int, int]) -> int:
        tile = self._native.tile(self.id, *self._inside(cell))
        assert tile is not None
        return tile

    def __setitem__(self, cell: tuple[int, int], tile: int) -> None:
        self.fill(*self._inside(cell), 1, 1, tile)

    def _inside(self, cell: tuple[int, int]) -> tuple[int, int]:
        (x, y), (width, height) = cell, self.size
        if not (0 <= x < width and 0 <= y < height):
            raise IndexError(f"the grid has {width} columns and {height} rows, and no cell {cell}")
        return x, y

    def fill(self, x: int, y: int, width: int, height: int, tile: int) -> None:
        """Fills ``width`` columns and ``height`` rows from a cell on with a kind of tile. The bodies around wake."""
        self._native.fill_tiles(self.id, [x, y, width, height], tile)

    def cell_at(self, point: Sequence[float]) -> tuple[int, int] | None:
        """The cell that contains a point of the world."""
        return self._native.cell_at(self.id, point_of(point))

    def cell_center(self, x: int, y: int) -> Point:
        """The center of a cell in the world."""
        return self._native.cell_center(self.id, x, y)

    def destroy(self) -> None:
        """Removes the grid from its body."""
        self._native.destroy_tile_grid(self.id)


class Joint(_Thing):
    """A joint between two bodies."""

    __slots__ = ()

    @property
    def angle(self) -> float:
        """The angle of the second body relative to the first, in radians."""
        return self._native.joint(self.id)[0]

    @property
    def length(self) -> float:
        """The distance of the two anchors, in meters."""
        return self._native.joint(self.id)[1]

    @property
    def force(self) -> Point:
        """The joint's force in the last step, in newtons."""
        return self._native.joint(self.id)[2]

    @property
    def torque(self) -> float:
        """The joint's torque in the last step, in newton meters."""
        return self._native.joint(self.id)[3]

    @property
    def kind(self) -> str:
        """The kind, as it was given to :meth:`World.create_joint`."""
        return _tombolo.joint_options(self._native, self.id)[0]

    @property
    def bodies(self) -> tuple[Body, Body]:
        """The two bodies."""
        a, b = _tombolo.joint_places(self._native, self.id)[0]
        return self.world._body(a), self.world._body(b)

    @property
    def anchors(self) -> tuple[Point, Point]:
        """The two anchors in the world."""
        a, b = _tombolo.joint_places(self._native, self.id)[1]
        return a, b

    @property
    def translation(self) -> Point:
        """The second anchor in the frame of the first."""
        return _tombolo.joint_places(self._native, self.id)[2]

    @property
    def turns(self) -> int:
        """The whole turns, if the joint has ``count_turns``; 0 otherwise."""
        return _tombolo.joint_places(self._native, self.id)[3]

    @property
    def options(self) -> dict[str, Any]:
        """All options of the engine's definition of its kind, as they are now: for :meth:`set`, or for
        ``world.create_joint(joint.kind, a, b, **joint.options)``. The bodies are none of them."""
        options = json.loads(_tombolo.joint_options(self._native, self.id)[1])
        return {name: math.inf if value is None else value for name, value in options.items()}

    def set(self, **options: Any) -> None:
        """Sets options of the engine's definition: limits, springs, motors, anchors, thresholds; all of them or, refused, none.

        ``joint.set(enable_limit=True, lower_angle=-0.5, upper_angle=0.5)``
        """
        _tombolo.set_joint_options(self._native, self.id, options_text(options))

    def set_motor(self, speed: float, max: float, *, enabled: bool = True) -> None:
        """Drives the joint at a speed with a force or torque of at most ``max``.

        If not ``enabled`` the motor is off and keeps its numbers; those given here are ignored.
        """
        self._native.set_motor(self.id, enabled, speed, max)

    def destroy(self) -> None:
        """Removes the joint."""
        self._native.destroy_joint(self.id)
