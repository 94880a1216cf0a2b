"""Worlds of rigid bodies. Names are pymunk's if they mean the same; units are meters, kilograms, seconds, radians."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy

from . import _tombolo
from ._tombolo import TomboloError
from .characters import Character
from .composites import Member, Welding
from .cuts import Cut, Cutting, cut_of
from .fields import Fields
from .listeners import Listening
from .options import options_text
from .queries import Floats, Point, Queries, point_of
from .recordings import Recordable
from .things import ConcavePolygon, Joint, Shape, TileGrid, _setting, _Thing

_KINDS = {"static": "Static", "kinematic": "Kinematic", "dynamic": "Dynamic"}


def _kind(kind: str) -> str:
    """The engine's name of a body's kind."""
    if kind not in _KINDS:
        raise TomboloError(f"no kind {kind!r}; there are {', '.join(_KINDS)}")
    return _KINDS[kind]


_RULE = ("friction", "restitution", "surface_speed", "one_way", "ignore", "sensor", "hit_threshold")


def _tile_shape(shape: Any) -> str:
    """The engine's form of a tile's shape: a name, or corners."""
    if isinstance(shape, str | Mapping):
        return options_text(shape)
    return options_text({"Convex": {"corners": [point_of(corner) for corner in shape]}})


def _rule(rule: dict[str, Any]) -> str:
    for name in rule:
        if name not in _RULE:
            raise TomboloError(f"a rule has no {name!r}; it has {', '.join(_RULE)}")
    return options_text(rule)


class RayHit(NamedTuple):
    """A hit of a ray or moved shape: the fraction of the way from 0 to 1, the point, and the normal out of the shape, 0 where a
    moved shape overlaps it from the start."""

    body: Body
    shape: Shape
    fraction: float
    point: Point
    normal: Point


class Blow(NamedTuple):
    """A hit, or a force of contact: two shapes, the point, the normal out of the first, the speed of approach in meters per
    second or the force in newtons, and the impulse in newton seconds."""

    a: Shape
    b: Shape
    point: Point
    normal: Point
    strength: float
    impulse: float


class Load(NamedTuple):
    """The load of a joint beyond a threshold: its bodies, force in newtons, torque in newton meters, and whether it broke."""

    joint: Joint
    bodies: tuple[Body, Body]
    force: Point
    torque: float
    broke: bool


class Body(_Thing):
    """A body. A call on one that was destroyed raises ``TomboloError``; no other body ever gets its id."""

    __slots__ = ()

    @property
    def exists(self) -> bool:
        """Whether it was not destroyed."""
        return self._native.has_body(self.id)

    @property
    def kind(self) -> str:
        """``"static"``, ``"kinematic"`` or ``"dynamic"``; pymunk's body_type."""
        return self._native.kind(self.id)

    @kind.setter
    def kind(self, kind: str) -> None:
        self._set("kind", _kind(kind))

    def _get(self, name: str) -> Any:
        return json.loads(_tombolo.body_settings(self._native, self.id))[name]

    def _set(self, name: str, value: Any) -> None:
        _tombolo.set_body(self._native, self.id, name, options_text(value))

    linear_damping = _setting("linear_damping", "The damping of the velocity, per second, from 0 up.")
    angular_damping = _setting("angular_damping", "The damping of the angular velocity, per second, from 0 up.")
    gravity_scale = _setting("gravity_scale", "The part of the world's gravity that acts on it; 1 by default.")
    sleep_threshold = _setting("sleep_threshold", "The speed below which it may fall asleep, in meters per second.")
    bullet = _setting("bullet", "Whether it does not pass through other moving bodies either.")
    enabled = _setting("enabled", "Whether it takes part in the simulation.")
    fast_rotation = _setting("fast_rotation", "Whether it may turn by more than a quarter turn in a step.")
    fixed_rotation = _setting("fixed_rotation", "Whether forces do not turn it.")
    may_sleep = _setting("may_sleep", "Whether it may fall asleep.")
    fixed_x = _setting("fixed_x", "Whether its center of mass does not move along x.")
    fixed_y = _setting("fixed_y", "Whether its center of mass does not move along y.")
    speed_max = _setting("speed_max", "The greatest speed in meters per second.")
    spin_max = _setting("spin_max", "The greatest angular velocity in radians per second.")
    dominance = _setting("dominance", "A whole number: bodies of a greater one are not moved by contacts with this one.")
    extra_substeps = _setting("extra_substeps", "Further substeps of the bodies that it is connected with.")
    added_mass = _setting("added_mass", "A mass in kilograms beside that of its shapes.")
    lasting_force = _setting("lasting_force", "A force in newtons on its center of mass in every step.")
    lasting_torque = _setting("lasting_torque", "A torque in newton meters in every step.")
    user_key = _setting("user_key", "A number of the user's own, from 0 to 2**64 - 1.")

    @property
    def center_of_gravity(self) -> Point:
        """The center of mass in the world."""
        return _tombolo.body_at(self._native, self.id, (0.0, 0.0))[0]

    @property
    def shapes(self) -> list[Shape]:
        """Its shapes."""
        return [Shape(self.world, id) for id in _tombolo.body_parts(self._native, self.id)[0]]

    @property
    def concave_polygons(self) -> list[ConcavePolygon]:
        """Its concave polygons, whose parts are among its shapes."""
        return [ConcavePolygon(self.world, id) for id in _tombolo.concave_polygons(self._native, self.id)]

    @property
    def members(self) -> list[Member]:
        """Its members, if :meth:`World.weld` made it a composite."""
        return [Member(self.world, id) for id in _tombolo.members(self._native, self.id)]

    @property
    def joints(self) -> list[Joint]:
        """Its joints; pymunk's constraints."""
        return [Joint(self.world, id) for id in _tombolo.body_parts(self._native, self.id)[1]]

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
        self._native.teleport(self.id, point_of(position), self.angle)

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
        self._native.set_velocity(self.id, point_of(velocity))

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
        self._native.apply_force(self.id, point_of(force), None if point is None else point_of(point))

    def apply_impulse(self, impulse: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Applies an impulse in newton seconds, which changes the velocity at once."""
        self._native.apply_impulse(self.id, point_of(impulse), None if point is None else point_of(point))

    def velocity_at_world_point(self, point: Sequence[float]) -> Point:
        """The velocity of a point of the world that moves with it, in meters per second."""
        return _tombolo.body_at(self._native, self.id, point_of(point))[1]

    def wake(self) -> None:
        """Wakes it and what touches it; pymunk's activate."""
        _tombolo.wake_body(self._native, self.id)

    def sleep(self) -> bool:
        """Puts it to sleep with all that it is connected with; whether that was possible."""
        return _tombolo.put_to_sleep(self._native, self.id)

    def move_to(self, position: Sequence[float], angle: float, dt: float = 1.0 / 60.0) -> None:
        """Gives a kinematic body the velocity that takes it to a pose in a step of ``dt`` seconds."""
        _tombolo.move_body_to(self._native, self.id, point_of(position), angle, dt)

    def apply_angular_impulse(self, impulse: float) -> None:
        """Applies an impulse in newton meter seconds, which changes the angular velocity at once."""
        _tombolo.apply_angular_impulse(self._native, self.id, impulse)

    def apply_torque(self, torque: float) -> None:
        """Applies a torque in newton meters during the next step."""
        self._native.apply_torque(self.id, torque)

    def _shape(self, kind: str, numbers: Iterable[float], options: dict[str, Any]) -> Shape:
        numbers = [float(number) for number in numbers]
        return Shape(self.world, self._native.create_shape(self.id, kind, numbers, options_text(options)))

    def add_circle(self, radius: float, center: Sequence[float] = (0.0, 0.0), **options: Any) -> Shape:
        """Adds a disc. Options are those of the engine's ShapeDef: ``density``, ``friction``, ``sensor`` and others."""
        return self._shape("circle", [*point_of(center), radius], options)

    def add_box(
        self, width: float, height: float, center: Sequence[float] = (0.0, 0.0), angle: float = 0.0, **options: Any
    ) -> Shape:
        """Adds a rectangle."""
        return self._shape("box", [width, height, *point_of(center), angle], options)

    def add_polygon(self, corners: Iterable[Sequence[float]], radius: float = 0.0, **options: Any) -> Shape:
        """Adds a convex polygon of up to eight corners, rounded by a radius."""
        return self._shape("polygon", [radius, *(number for corner in corners for number in point_of(corner))], options)

    def add_concave_polygon(
        self,
        border: Iterable[Sequence[float]],
        holes: Iterable[Iterable[Sequence[float]]] = (),
        radius: float = 0.0,
        **options: Any,
    ) -> ConcavePolygon:
        """Adds a polygon that may be concave and have holes: the border counter-clockwise, holes clockwise. Its convex parts
        collide. Only one that is convex and has no holes may be rounded by a radius."""
        loops = [point_of(corner) for corner in border], [[point_of(corner) for corner in hole] for hole in holes]
        id = _tombolo.create_concave_polygon(self._native, self.id, loops, radius, options_text(options))
        return ConcavePolygon(self.world, id)

    def add_capsule(self, a: Sequence[float], b: Sequence[float], radius: float, **options: Any) -> Shape:
        """Adds a capsule: all points within a radius of a segment."""
        return self._shape("capsule", [*point_of(a), *point_of(b), radius], options)

    def add_segment(self, a: Sequence[float], b: Sequence[float], **options: Any) -> Shape:
        """Adds a line that is solid from both sides."""
        return self._shape("segment", [*point_of(a), *point_of(b)], options)

    def add_chain(self, corners: Iterable[Sequence[float]], *, closed: bool = False, **options: Any) -> list[Shape]:
        """Adds segments from point to point, solid on the right side of their direction."""
        numbers = [number for corner in corners for number in point_of(corner)]
        ids = self._native.create_chain(self.id, numbers, closed, options_text(options))
        return [Shape(self.world, id) for id in ids]

    def add_half_space(
        self, point: Sequence[float] = (0.0, 0.0), normal: Sequence[float] = (0.0, 1.0), **options: Any
    ) -> Shape:
        """Adds the half-space behind the line through a point, against its normal; not for dynamic bodies."""
        return self._shape("half_space", [*point_of(point), *point_of(normal)], options)

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
        field: dict[str, Any] = {"spacing": float(spacing), "origin": point_of(origin)}
        field |= {name: float(end) for name, end in (("before", before), ("after", after)) if end is not None}
        segments = [1] * (len(heights) - 1)
        for hole in holes:
            if not 0 <= hole < len(segments):
                raise ValueError(f"there is no segment {hole} to leave out: they are from 0 to {len(segments) - 1}")
            segments[hole] = 0
        field["segments"] = segments
        ids = self._native.create_heightfield(self.id, heights, options_text(field), options_text(options))
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
        and options of ShapeDef: ``{"shape": "Full", "friction": 0.05, "material": 3}``. A shape may also be three to eight
        corners in the cell, from (0, 0) at the lower left to (1, 1).
        """
        cells = numpy.asarray(rows)
        if cells.ndim != 2 or cells.dtype.kind not in "iub" or not ((0 <= cells) & (cells <= 255)).all():
            raise ValueError("rows of the same length with whole numbers of tiles from 0 to 255 are expected")
        height, width = cells.shape
        kinds = [{"shape": tile} if isinstance(tile, str) else dict(tile) for tile in tiles]
        native = [(_tile_shape(kind.pop("shape", "Full")), options_text(kind)) for kind in kinds]
        data = (width, height, cells.astype(numpy.uint8).tobytes())
        id = self._native.create_tile_grid(self.id, data, native, (float(cell_size), point_of(origin)))
        return TileGrid(self.world, id)

    def slice(self, start: Sequence[float], end: Sequence[float]) -> Cut | None:
        """Cuts it along the line through two points of the world; ``None`` if that does not divide it, and changes nothing.

        The greatest piece remains this body; the others are new ones, with the motion that their matter had. Segments, sensors
        and grids of tiles are not cut. What remains and what becomes of joints: the engine's ``PhysicsWorld::slice``.
        """
        cut = _tombolo.slice(self._native, self.id, [point_of(start), point_of(end)])
        return None if cut is None else cut_of(self.world, cut)

    def shatter(
        self, count: int = 2, *, seed: int = 0, sites: Iterable[Sequence[float]] | None = None
    ) -> Cut | None:
        """Breaks it into the cells of 2 to 1024 sites: each has what is nearer to its site than to others. They are places in the
        world, or, without ``sites``, ``count`` places on the body that a seed gives. ``None`` if it lies in one cell."""
        places = None if sites is None else [point_of(site) for site in sites]
        cut = _tombolo.shatter(self._native, self.id, places, (seed, count))
        return None if cut is None else cut_of(self.world, cut)

    def destroy(self) -> None:
        """Removes the body with its shapes and joints."""
        self._native.destroy_body(self.id)


class World(Queries, Recordable, Fields, Cutting, Welding, Listening):
    """A world of bodies: the same calls give the same bits, on any number of threads and on every machine."""

    def __init__(self, gravity: Sequence[float] = (0.0, -10.0), *, threads: int = 1, **options: Any) -> None:
        """Options: ``substeps``, ``sleeping``, ``continuous`` and the others of the engine's WorldDef."""
        self._native = _tombolo.World(options_text({"gravity": point_of(gravity), **options}), threads)

    def step(self, dt: float = 1.0 / 60.0, steps: int = 1) -> None:
        """Advances the world; other Python threads run meanwhile, and signals are heard as by :meth:`SceneWorld.step`."""
        self._make_steps(dt, steps)

    @property
    def step_index(self) -> int:
        """The number of steps that the world has made."""
        return self._native.step_index()

    def create_body(self, kind: str = "dynamic", position: Sequence[float] = (0.0, 0.0), **options: Any) -> Body:
        """Adds a body. Options are those of the engine's BodyDef: ``name``, ``angle``, ``linear_velocity``, ``bullet`` and others."""
        options = {"kind": _kind(kind), "position": point_of(position), **options}
        return Body(self, self._native.create_body(options_text(options)))

    def create_joint(
        self,
        kind: str,
        a: Body,
        b: Body,
        anchor_a: Sequence[float] = (0.0, 0.0),
        anchor_b: Sequence[float] = (0.0, 0.0),
        **options: Any,
    ) -> Joint:
        """Joins two bodies at points of their frames, with the options of the engine's definition of a kind:

        ``"revolute"`` (pymunk's PivotJoint), ``"distance"`` (PinJoint, SlideJoint, DampedSpring), ``"prismatic"``
        (GrooveJoint), ``"weld"``, ``"wheel"``, ``"motor"``, ``"filter"``, ``"generic"``, ``"gear"`` (GearJoint), ``"rack"``,
        ``"pulley"``, ``"mover"`` or ``"pogo"``. The options of another joint, :attr:`Joint.options`, fit too.
        """
        if a.world is not self or b.world is not self:
            raise TomboloError("a body of another world")
        anchors = [point_of(anchor_a), point_of(anchor_b)]
        return Joint(self, self._native.create_joint(kind, [a.id, b.id], anchors, options_text(options)))

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
        """Adds an upright character: a capsule along ``up``, (0, 1) unless it is among the options. They are ``step_height``,
        ``slope_max``, ``acceleration``, ``material``, ``body`` (a kinematic body of its own for others to touch) and the others
        of the engine's CharacterDef."""
        half, (x, y) = max(0.5 * height - radius, 0.0), point_of(options.get("up", (0.0, 1.0)))
        if (body := options.get("body")) is not None:
            if body.world is not self:
                raise TomboloError("a body of another world")
            options["body"] = body.id
        numbers = [-half * x, -half * y, half * x, half * y, radius]
        return Character(self, _tombolo.Character("capsule", numbers, point_of(position), options_text(options)))

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

    @property
    def gravity(self) -> Point:
        """The gravity in meters per second squared."""
        return _tombolo.gravity(self._native)

    @gravity.setter
    def gravity(self, gravity: Sequence[float]) -> None:
        _tombolo.set_gravity(self._native, point_of(gravity))

    def events(self) -> dict[str, list[tuple[Shape, Shape]]]:
        """The events of the last step as pairs of shapes: ``begin``, ``end`` of touches; ``enter``, ``leave`` of sensors."""
        names = ("begin", "end", "enter", "leave")
        lists = self._native.events()
        return {
            name: [(Shape(self, a), Shape(self, b)) for a, b in pairs]
            for name, pairs in zip(names, lists, strict=True)
        }

    def hits(self) -> list[Blow]:
        """The hits of the last step, of shapes with ``hit_events``; ``strength`` is the speed of approach."""
        return [self._blow(*blow) for blow in _tombolo.blows(self._native)[0]]

    def forces(self) -> list[Blow]:
        """The contacts of the last step whose force, ``strength``, is above the ``force_threshold`` of a shape."""
        return [self._blow(*blow) for blow in _tombolo.blows(self._native)[1]]

    def _blow(self, shapes: Sequence[int], point: Point, normal: Point, strength: float, impulse: float) -> Blow:
        a, b = shapes
        return Blow(Shape(self, a), Shape(self, b), point, normal, strength, impulse)

    def loads(self) -> list[Load]:
        """The joints of the last step whose load is above a threshold of theirs, and those that it broke."""
        return [
            Load(Joint(self, joint), (Body(self, a), Body(self, b)), force, torque, broke)
            for joint, (a, b), force, torque, broke in _tombolo.loads(self._native)
        ]

    def body_events(self) -> dict[str, list[Body]]:
        """The bodies that the last step let fall asleep (``"slept"``), woke (``"woke"``), froze, because something of them was
        not finite (``"frozen"``), and held at the border of the world (``"held"``)."""
        lists = _tombolo.body_events(self._native)
        names = ("slept", "woke", "frozen", "held")
        return {name: [Body(self, id) for id in ids] for name, ids in zip(names, lists, strict=True)}

    def _body(self, id: int) -> Body:
        return Body(self, id)

    def _excluded(self, thing: Any) -> tuple[str, int]:
        if not isinstance(thing, Body | Shape) or thing.world is not self:
            raise TomboloError(f"{thing!r} is no body or shape of this world: a query cannot exclude it")
        return ("exclude_bodies" if isinstance(thing, Body) else "exclude_shapes"), thing.id

    def _hit(self, body: int, shape: int, fraction: float, point: Point, normal: Point) -> RayHit:
        return RayHit(Body(self, body), Shape(self, shape), fraction, point, normal)

    def _found(self, shape: int) -> Shape:
        return Shape(self, shape)

    def save(self) -> bytes:
        """Saves the whole world; ids stay valid over :meth:`restore`."""
        return self._native.save()

    def restore(self, save: bytes) -> None:
        """Replaces the world by a saved one."""
        self._native.restore(save)
        self._forget_touches()

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
