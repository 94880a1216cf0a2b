"""Worlds of rigid bodies. Names are pymunk's if they mean the same; units are meters, kilograms, seconds, radians."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy

from . import _tombolo
from ._tombolo import TomboloError

Point = tuple[float, float]
Floats = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]

_KINDS = {"static": "Static", "kinematic": "Kinematic", "dynamic": "Dynamic"}


def _point(point: Sequence[float]) -> Point:
    x, y = point
    return float(x), float(y)


def _options(options: dict[str, Any]) -> str:
    """Options in the form of the native module: vectors as lists, a kind by its name."""

    def plain(value: Any) -> Any:
        return value.tolist() if hasattr(value, "tolist") else list(value)

    try:
        return json.dumps(options, default=plain, allow_nan=False)
    except ValueError as error:
        raise TomboloError(f"an option is no finite number: {error}") from None


_RULE = ("friction", "restitution", "surface_speed", "one_way", "ignore", "sensor", "hit_threshold")


def _rule(rule: dict[str, Any]) -> str:
    for name in rule:
        if name not in _RULE:
            raise TomboloError(f"a rule has no {name!r}; it has {', '.join(_RULE)}")
    return _options(rule)


class RayHit(NamedTuple):
    """A hit of a ray: the fraction of the ray from 0 to 1, the point, and the normal out of the shape."""

    body: Body
    shape: Shape
    fraction: float
    point: Point
    normal: Point


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
        return Body(self.world, self._native.body_of(self.id))

    def destroy(self) -> None:
        """Removes the shape from its body."""
        self._native.destroy_shape(self.id)


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
        return self._native.cell_at(self.id, _point(point))

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

    def set_motor(self, speed: float, max: float, *, enabled: bool = True) -> None:
        """Drives the joint at a speed with a force or torque of at most ``max``.

        If not ``enabled`` the motor is off and keeps its numbers; those given here are ignored.
        """
        self._native.set_motor(self.id, enabled, speed, max)

    def destroy(self) -> None:
        """Removes the joint."""
        self._native.destroy_joint(self.id)


class Body(_Thing):
    """A body. A call on one that was destroyed raises ``TomboloError``; no other body ever gets its id."""

    __slots__ = ()

    @property
    def exists(self) -> bool:
        """Whether it was not destroyed."""
        return self._native.has_body(self.id)

    @property
    def kind(self) -> str:
        """``"static"``, ``"kinematic"`` or ``"dynamic"``."""
        return self._native.kind(self.id)

    @property
    def name(self) -> str:
        """The name for people, at most 31 bytes, empty for none: names may be alike, and have no effect on the simulation."""
        return self._native.name(self.id)

    @name.setter
    def name(self, name: str) -> None:
        self._native.set_name(self.id, name)

    @property
    def position(self) -> Point:
        """The position of its origin. Setting it is a teleport."""
        return self._native.body(self.id)[0]

    @position.setter
    def position(self, position: Sequence[float]) -> None:
        self._native.teleport(self.id, _point(position), self.angle)

    @property
    def angle(self) -> float:
        """The angle in radians, from -π to π. Setting it is a teleport."""
        return self._native.body(self.id)[1]

    @angle.setter
    def angle(self, angle: float) -> None:
        self._native.teleport(self.id, self.position, angle)

    @property
    def velocity(self) -> Point:
        """The velocity of the center of mass, in meters per second."""
        return self._native.body(self.id)[2]

    @velocity.setter
    def velocity(self, velocity: Sequence[float]) -> None:
        self._native.set_velocity(self.id, _point(velocity))

    @property
    def angular_velocity(self) -> float:
        """The angular velocity, in radians per second."""
        return self._native.body(self.id)[3]

    @angular_velocity.setter
    def angular_velocity(self, velocity: float) -> None:
        self._native.set_angular_velocity(self.id, velocity)

    @property
    def mass(self) -> float:
        """The mass of all shapes, in kilograms."""
        return self._native.body(self.id)[4]

    @property
    def moment(self) -> float:
        """The moment of inertia about the center of mass, in kilogram square meters."""
        return self._native.body(self.id)[5]

    @property
    def is_awake(self) -> bool:
        """Whether it is awake, and so simulated."""
        return self._native.is_awake(self.id)

    def apply_force(self, force: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Applies a force in newtons during the next step, at the center of mass or at a point of the world."""
        self._native.apply_force(self.id, _point(force), None if point is None else _point(point))

    def apply_impulse(self, impulse: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Applies an impulse in newton seconds, which changes the velocity at once."""
        self._native.apply_impulse(self.id, _point(impulse), None if point is None else _point(point))

    def apply_torque(self, torque: float) -> None:
        """Applies a torque in newton meters during the next step."""
        self._native.apply_torque(self.id, torque)

    def _shape(self, kind: str, numbers: Iterable[float], options: dict[str, Any]) -> Shape:
        numbers = [float(number) for number in numbers]
        return Shape(self.world, self._native.create_shape(self.id, kind, numbers, _options(options)))

    def add_circle(self, radius: float, center: Sequence[float] = (0.0, 0.0), **options: Any) -> Shape:
        """Adds a disc. Options are those of the engine's ShapeDef: ``density``, ``friction``, ``sensor`` and others."""
        return self._shape("circle", [*_point(center), radius], options)

    def add_box(
        self, width: float, height: float, center: Sequence[float] = (0.0, 0.0), angle: float = 0.0, **options: Any
    ) -> Shape:
        """Adds a rectangle."""
        return self._shape("box", [width, height, *_point(center), angle], options)

    def add_polygon(self, corners: Iterable[Sequence[float]], radius: float = 0.0, **options: Any) -> Shape:
        """Adds a convex polygon of up to eight corners, rounded by a radius."""
        return self._shape("polygon", [radius, *(number for corner in corners for number in _point(corner))], options)

    def add_capsule(self, a: Sequence[float], b: Sequence[float], radius: float, **options: Any) -> Shape:
        """Adds a capsule: all points within a radius of a segment."""
        return self._shape("capsule", [*_point(a), *_point(b), radius], options)

    def add_segment(self, a: Sequence[float], b: Sequence[float], **options: Any) -> Shape:
        """Adds a line that is solid from both sides."""
        return self._shape("segment", [*_point(a), *_point(b)], options)

    def add_chain(self, corners: Iterable[Sequence[float]], *, closed: bool = False, **options: Any) -> list[Shape]:
        """Adds segments from point to point, solid on the right side of their direction."""
        numbers = [number for corner in corners for number in _point(corner)]
        ids = self._native.create_chain(self.id, numbers, closed, _options(options))
        return [Shape(self.world, id) for id in ids]

    def add_half_space(
        self, point: Sequence[float] = (0.0, 0.0), normal: Sequence[float] = (0.0, 1.0), **options: Any
    ) -> Shape:
        """Adds the half-space behind the line through a point, against its normal; not for dynamic bodies."""
        return self._shape("half_space", [*_point(point), *_point(normal)], options)

    def add_heightfield(
        self,
        heights: Iterable[float],
        *,
        spacing: float = 1.0,
        origin: Sequence[float] = (0.0, 0.0),
        before: float | None = None,
        after: float | None = None,
        holes: Iterable[int] = (),
        **options: Any,
    ) -> list[Shape]:
        """Adds ground through heights in meters at distances of ``spacing``, from left to right; the first is above ``origin``.

        ``before`` and ``after`` are the heights of the neighbors in the pieces to the left and right, if the ground goes on
        there. ``holes`` are the segments that are left out, from 0; the shapes are those of the others.
        """
        heights = [float(height) for height in heights]
        field: dict[str, Any] = {"spacing": float(spacing), "origin": _point(origin)}
        field |= {name: float(end) for name, end in (("before", before), ("after", after)) if end is not None}
        segments = [1] * (len(heights) - 1)
        for hole in holes:
            if not 0 <= hole < len(segments):
                raise ValueError(f"there is no segment {hole} to leave out: they are from 0 to {len(segments) - 1}")
            segments[hole] = 0
        field["segments"] = segments
        ids = self._native.create_heightfield(self.id, heights, _options(field), _options(options))
        return [Shape(self.world, id) for id in ids]

    def add_tiles(
        self,
        rows: Sequence[Sequence[int]] | numpy.ndarray,
        tiles: Iterable[str | dict[str, Any]] = ("Full",),
        *,
        cell_size: float = 1.0,
        origin: Sequence[float] = (0.0, 0.0),
    ) -> TileGrid:
        """Adds a grid of tiles: ``rows`` from below, with a number for each cell, 0 for none and 1 for the first of ``tiles``.

        A kind of tile is the name of a shape of the engine's TileShape (``"Full"``, ``"SlopeUp"``) or a dict with ``shape``
        and options of ShapeDef: ``{"shape": "Full", "friction": 0.05, "material": 3}``.
        """
        cells = numpy.asarray(rows)
        if cells.ndim != 2 or cells.dtype.kind not in "iub" or not ((0 <= cells) & (cells <= 255)).all():
            raise ValueError("rows of the same length with whole numbers of tiles from 0 to 255 are expected")
        height, width = cells.shape
        kinds = [{"shape": tile} if isinstance(tile, str) else dict(tile) for tile in tiles]
        native = [(json.dumps(kind.pop("shape", "Full")), _options(kind)) for kind in kinds]
        data = (width, height, cells.astype(numpy.uint8).tobytes())
        id = self._native.create_tile_grid(self.id, data, native, (float(cell_size), _point(origin)))
        return TileGrid(self.world, id)

    def destroy(self) -> None:
        """Removes the body with its shapes and joints."""
        self._native.destroy_body(self.id)


class Character:
    """A character, which is moved by geometry and not by forces. It is not part of its world, nor of its saves and forks.

    ``copy.deepcopy`` of a structure that has both copies both; it cannot be pickled.
    """

    __slots__ = ("_native", "world")

    def __init__(self, world: World, native: _tombolo.Character) -> None:
        self.world, self._native = world, native

    def move(
        self,
        walk: float = 0.0,
        *,
        jump: float = 0.0,
        climb: float = 0.0,
        drop: bool = False,
        climbing: bool = False,
        lift: float = 0.0,
        drag: float = 0.0,
        dt: float = 1.0 / 60.0,
    ) -> None:
        """Moves it by a step among the bodies' present poses: to be called after each step of the world, with the same ``dt``.

        ``walk`` and ``climb`` are meters per second, ``jump`` the speed with which it leaves the ground; ``drop`` lets go of
        one-way platforms; ``lift`` and ``drag`` are those of a fluid.
        """
        self._native.advance(self.world._native, dt, ([walk, climb, jump, lift, drag], drop, climbing))

    @property
    def position(self) -> Point:
        """The position of its center. Setting it is a teleport, after which it is at rest."""
        return self._native.state()[0]

    @position.setter
    def position(self, position: Sequence[float]) -> None:
        self._native.teleport(_point(position))

    @property
    def velocity(self) -> Point:
        """The velocity in the world, that of the body that carries it included, in meters per second."""
        return self._native.state()[1]

    @property
    def is_grounded(self) -> bool:
        """Whether it stands on something."""
        return self._native.state()[2]

    @property
    def is_crushed(self) -> bool:
        """Whether it is pressed against something by something that it cannot push away."""
        return self._native.state()[3]

    @property
    def touches(self) -> list[Shape]:
        """The shapes that it touched at the end of its last move."""
        return [Shape(self.world, id) for id in self._native.touches()]

    def fork(self, world: World) -> Character:
        """A copy for a fork of its world."""
        return Character(world, self._native.fork())

    def __copy__(self) -> Character:
        return self.fork(self.world)

    def __deepcopy__(self, memo: dict[int, Any]) -> Character:
        return self.fork(copy.deepcopy(self.world, memo))


class World:
    """A world of bodies: the same calls give the same bits, on any number of threads and on every machine."""

    def __init__(self, gravity: Sequence[float] = (0.0, -10.0), *, threads: int = 1, **options: Any) -> None:
        """Options: ``substeps``, ``sleeping``, ``continuous`` and the others of the engine's WorldDef."""
        self._native = _tombolo.World(_options({"gravity": _point(gravity), **options}), threads)

    def step(self, dt: float = 1.0 / 60.0, steps: int = 1) -> None:
        """Advances the world; other Python threads run meanwhile."""
        self._native.step(dt, steps)

    @property
    def step_index(self) -> int:
        """The number of steps that the world has made."""
        return self._native.step_index()

    def create_body(self, kind: str = "dynamic", position: Sequence[float] = (0.0, 0.0), **options: Any) -> Body:
        """Adds a body. Options are those of the engine's BodyDef: ``name``, ``angle``, ``linear_velocity``, ``bullet`` and others."""
        if kind not in _KINDS:
            raise TomboloError(f"no kind {kind!r}; there are {', '.join(_KINDS)}")
        options = {"kind": _KINDS[kind], "position": _point(position), **options}
        return Body(self, self._native.create_body(_options(options)))

    def create_joint(
        self,
        kind: str,
        a: Body,
        b: Body,
        anchor_a: Sequence[float] = (0.0, 0.0),
        anchor_b: Sequence[float] = (0.0, 0.0),
        **options: Any,
    ) -> Joint:
        """Joins two bodies at points of their frames: ``"revolute"``, ``"distance"``, ``"prismatic"``, ``"weld"``, ``"wheel"``,
        ``"motor"`` or ``"filter"``, with the options of the engine's definition of that kind."""
        if a.world is not self or b.world is not self:
            raise TomboloError("a body of another world")
        anchors = [_point(anchor_a), _point(anchor_b)]
        return Joint(self, self._native.create_joint(kind, [a.id, b.id], anchors, _options(options)))

    def set_contact_rule(self, first: int | None, second: int | None, **rule: Any) -> None:
        """Sets the contact rule of two materials, which overrides the shapes' values; ``None`` is every material without a rule.

        A shape's material is the option ``material`` of :meth:`Body.add_box` and the like. ``rule`` is any of ``friction``,
        ``restitution``, ``surface_speed``, ``one_way`` (direction out of the first), ``ignore``, ``sensor``, ``hit_threshold``.
        """
        self._native.rule_materials([first, second], _rule(rule))

    def remove_contact_rule(self, first: int | None, second: int | None) -> None:
        """Removes the rule of two materials, if there is one."""
        self._native.rule_materials([first, second], None)

    def set_category_rule(self, first: int | None, second: int | None, **rule: Any) -> None:
        """Sets the contact rule of two categories of filters, each one bit."""
        self._native.rule_categories([first, second], _rule(rule))

    def remove_category_rule(self, first: int | None, second: int | None) -> None:
        """Removes the rule of two categories, if there is one."""
        self._native.rule_categories([first, second], None)

    def create_character(
        self, position: Sequence[float] = (0.0, 0.0), *, height: float = 1.8, radius: float = 0.35, **options: Any
    ) -> Character:
        """Adds an upright character: a capsule. Options: ``step_height``, ``slope_max``, ``acceleration``, ``material``, ``body``
        (a kinematic body of its own for others to touch) and the others of the engine's CharacterDef."""
        half = max(0.5 * height - radius, 0.0)
        if (body := options.get("body")) is not None:
            options["body"] = body.id
        numbers = [0.0, -half, 0.0, half, radius]
        return Character(self, _tombolo.Character("capsule", numbers, _point(position), _options(options)))

    @property
    def bodies(self) -> list[Body]:
        """All bodies, in the order of the rows of :meth:`poses`."""
        return [Body(self, id) for id in self._native.bodies()]

    def poses(self, out: Floats | None = None) -> Floats:
        """A row for each body: x, y, angle. With ``out``, an array of float32 of that shape in any order, nothing is allocated."""
        return self._rows(out, self._native.read_poses)

    def velocities(self, out: Floats | None = None) -> Floats:
        """A row for each body: vx, vy, angular velocity."""
        return self._rows(out, self._native.read_velocities)

    def _rows(self, out: Floats | None, read: Any) -> Floats:
        if out is None:
            out = numpy.empty((len(self._native.bodies()), 3), dtype=numpy.float32)
        read(out)
        return out

    def events(self) -> dict[str, list[tuple[Shape, Shape]]]:
        """The events of the last step as pairs of shapes: ``begin``, ``end`` of touches; ``enter``, ``leave`` of sensors."""
        names = ("begin", "end", "enter", "leave")
        lists = self._native.events()
        return {
            name: [(Shape(self, a), Shape(self, b)) for a, b in pairs]
            for name, pairs in zip(names, lists, strict=True)
        }

    def cast_ray(self, start: Sequence[float], end: Sequence[float]) -> RayHit | None:
        """The first hit of a ray."""
        hit = self._native.cast_ray(_point(start), _point(end))
        if hit is None:
            return None
        body, shape, fraction, point, normal = hit
        return RayHit(Body(self, body), Shape(self, shape), fraction, point, normal)

    def overlap_box(self, lower: Sequence[float], upper: Sequence[float]) -> list[Shape]:
        """The shapes whose boxes overlap a box. A box of what is no number, or whose corners are swapped, is refused."""
        return [Shape(self, id) for id in self._native.overlap_box(_point(lower), _point(upper))]

    def save(self) -> bytes:
        """Saves the whole world; ids stay valid over :meth:`restore`."""
        return self._native.save()

    def restore(self, save: bytes) -> None:
        """Replaces the world by a saved one."""
        self._native.restore(save)

    def fork(self) -> World:
        """An independent copy, whose results are the same until calls differ."""
        return self._of(self._native.fork())

    @classmethod
    def _of(cls, native: _tombolo.World) -> World:
        world = cls.__new__(cls)
        world._native = native
        return world

    def hash(self) -> int:
        """A hash of all state that the next steps depend on, the same on every machine."""
        return self._native.hash()

    def __copy__(self) -> World:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.save(),)


def _unpickled(save: bytes) -> World:
    world = World()
    world.restore(save)
    return world
