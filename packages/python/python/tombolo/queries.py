"""Queries of worlds: rays, one or thousands in a call, moved shapes, overlaps, the closest shape."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy

from . import _tombolo
from ._tombolo import TomboloError
from .options import options_text

Point = tuple[float, float]
Floats = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float32]]
Ids = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.uint64]]

_FILTER = ("category", "mask", "exclude", "sensors", "one_sided", "material")


def point_of(point: Sequence[float]) -> Point:
    """Two numbers as Python's."""
    x, y = point
    return float(x), float(y)


def bits_of(name: str, value: Any) -> int:
    """A set of bits. Raises ``TomboloError`` for what is no whole number of 64 bits."""
    try:
        bits = operator.index(value)
    except TypeError:
        bits = -1
    if not 0 <= bits < 2**64:
        raise TomboloError(f"{name} is a whole number from 0 to 2**64 - 1, not {value!r}")
    return bits


class Geometry(NamedTuple):
    """A shape of no body, for queries; made by :func:`circle`, :func:`box`, :func:`polygon`, :func:`capsule`, :func:`segment`."""

    kind: str
    numbers: tuple[float, ...]


def circle(radius: float, center: Sequence[float] = (0.0, 0.0)) -> Geometry:
    """A disc."""
    return Geometry("circle", (*point_of(center), float(radius)))


def box(width: float, height: float, center: Sequence[float] = (0.0, 0.0), angle: float = 0.0) -> Geometry:
    """A rectangle."""
    return Geometry("box", (float(width), float(height), *point_of(center), float(angle)))


def polygon(corners: Iterable[Sequence[float]], radius: float = 0.0) -> Geometry:
    """A convex polygon of up to eight corners, rounded by a radius."""
    return Geometry("polygon", (float(radius), *(number for corner in corners for number in point_of(corner))))


def capsule(a: Sequence[float], b: Sequence[float], radius: float) -> Geometry:
    """All points within a radius of a segment."""
    return Geometry("capsule", (*point_of(a), *point_of(b), float(radius)))


def segment(a: Sequence[float], b: Sequence[float]) -> Geometry:
    """A line."""
    return Geometry("segment", (*point_of(a), *point_of(b)))


class RayHits(NamedTuple):
    """The first hits of many rays, an entry or row for each."""

    hit: numpy.ndarray
    """Whether it hit anything."""
    fraction: Floats
    """The part of the ray before the hit, from 0 to 1; 1 without a hit."""
    point: Floats
    """Where it hit; the ray's end without a hit."""
    normal: Floats
    """The normal out of the shape; 0 without a hit."""
    body: Ids
    """The ids of the bodies; 0 without a hit."""
    shape: Ids
    """The ids of the shapes; 0 without a hit."""


class Queries:
    """The queries that worlds of bodies and of scenes have in common.

    ``filter`` of each is any of: ``category`` and ``mask``, bits as in the filters of shapes; ``exclude``, a list of what is
    not found (bodies and shapes of a :class:`World`, entities of a :class:`SceneWorld`); ``sensors=True`` to find them too;
    ``one_sided=True`` to pass through one-sided segments from behind; ``material``, for contact rules. What is not finite is
    refused.
    """

    _native: Any

    def _excluded(self, thing: Any) -> tuple[str, int]:
        """The list that something to exclude belongs to, and its id."""
        raise TomboloError(f"{thing!r} is nothing that a query can exclude")

    def _hit(self, body: int, shape: int, fraction: float, point: Point, normal: Point) -> Any:
        raise NotImplementedError

    def _found(self, shape: int) -> Any:
        raise NotImplementedError

    def _filter(self, filter: dict[str, Any]) -> str:
        for name in filter:
            if name not in _FILTER:
                raise TomboloError(f"a query's filter has no {name!r}; it has {', '.join(_FILTER)}")
        options = {name: value for name, value in filter.items() if name != "exclude"}
        for name in ("category", "mask"):
            if name in options:
                options[name] = bits_of(name, options[name])
        excluded = filter.get("exclude", ())
        if not isinstance(excluded, Iterable):
            raise TomboloError(f"exclude is a list of what is not found, not {excluded!r}")
        for thing in excluded:
            list_name, id = self._excluded(thing)
            options.setdefault(list_name, []).append(id)
        return options_text(options)

    def _hits(self, hits: list[tuple[int, int, float, Point, Point]]) -> list[Any]:
        return [self._hit(*hit) for hit in hits]

    def cast_ray(self, start: Sequence[float], end: Sequence[float], **filter: Any) -> Any:
        """The first hit of a ray, or ``None``."""
        hits = _tombolo.cast_ray(self._native, point_of(start), point_of(end), False, self._filter(filter))
        return self._hit(*hits[0]) if hits else None

    def cast_ray_all(self, start: Sequence[float], end: Sequence[float], **filter: Any) -> list[Any]:
        """All hits of a ray, in their order from its start on."""
        return self._hits(_tombolo.cast_ray(self._native, point_of(start), point_of(end), True, self._filter(filter)))

    def cast_rays(self, starts: Any, ends: Any, **filter: Any) -> RayHits:
        """The first hits of many rays, on the world's threads and without Python's lock.

        ``starts`` and ``ends`` have two columns and a row for each ray; either may be a single point.
        """
        starts, ends = numpy.asarray(starts, dtype=numpy.float32), numpy.asarray(ends, dtype=numpy.float32)
        starts, ends = numpy.broadcast_arrays(numpy.atleast_2d(starts), numpy.atleast_2d(ends))
        if starts.ndim != 2 or starts.shape[1] != 2:
            raise ValueError(f"starts and ends of the shape {starts.shape}, expected rows of two numbers")
        rays = numpy.ascontiguousarray(numpy.concatenate([starts, ends], axis=1))
        numbers = numpy.empty((len(rays), 5), dtype=numpy.float32)
        ids = numpy.empty((len(rays), 2), dtype=numpy.uint64)
        _tombolo.cast_rays(self._native, rays, self._filter(filter), numbers, ids)
        return RayHits(ids[:, 1] != 0, numbers[:, 0], numbers[:, 1:3], numbers[:, 3:5], ids[:, 0], ids[:, 1])

    def cast_shape(
        self,
        geometry: Geometry,
        start: Sequence[float],
        translation: Sequence[float],
        *,
        angle: float = 0.0,
        turn: float = 0.0,
        **filter: Any,
    ) -> Any:
        """The first hit of a shape that moves from a position along a line, and turns by ``turn`` on its way; or ``None``."""
        hits = self._cast(geometry, start, translation, angle, turn, False, filter)
        return self._hit(*hits[0]) if hits else None

    def cast_shape_all(
        self,
        geometry: Geometry,
        start: Sequence[float],
        translation: Sequence[float],
        *,
        angle: float = 0.0,
        turn: float = 0.0,
        **filter: Any,
    ) -> list[Any]:
        """All hits of a shape that moves along a line, in their order."""
        return self._hits(self._cast(geometry, start, translation, angle, turn, True, filter))

    def _cast(
        self,
        geometry: Geometry,
        start: Sequence[float],
        translation: Sequence[float],
        angle: float,
        turn: float,
        all: bool,
        filter: dict[str, Any],
    ) -> list[tuple[int, int, float, Point, Point]]:
        placed = (geometry.kind, list(geometry.numbers), point_of(start), float(angle))
        return _tombolo.cast_shape(self._native, placed, (point_of(translation), turn), all, self._filter(filter))

    def overlap_box(self, lower: Sequence[float], upper: Sequence[float], **filter: Any) -> list[Any]:
        """What has boxes that overlap a box. A box of what is no number, or whose corners are swapped, is refused."""
        found = _tombolo.overlap_box(self._native, point_of(lower), point_of(upper), self._filter(filter))
        return [self._found(shape) for shape in found]

    def overlap_shape(
        self, geometry: Geometry, position: Sequence[float] = (0.0, 0.0), *, angle: float = 0.0, **filter: Any
    ) -> list[Any]:
        """What a shape at a position overlaps."""
        placed = (geometry.kind, list(geometry.numbers), point_of(position), float(angle))
        return [self._found(shape) for shape in _tombolo.overlap_shape(self._native, placed, self._filter(filter))]

    def overlap_point(self, point: Sequence[float], **filter: Any) -> list[Any]:
        """What contains a point."""
        found = _tombolo.overlap_point(self._native, point_of(point), self._filter(filter))
        return [self._found(shape) for shape in found]

    def closest(self, point: Sequence[float], distance_max: float, **filter: Any) -> Any:
        """The closest shape to a point within a distance, or ``None``. Its ``fraction`` is the distance in meters."""
        found = _tombolo.closest(self._native, point_of(point), distance_max, self._filter(filter))
        return None if found is None else self._hit(*found)

    def picture(
        self,
        size: tuple[int, int] = (600, 400),
        *,
        center: Sequence[float] | None = None,
        pixels_per_meter: float | None = None,
    ) -> numpy.ndarray:
        """Shapes and joints as an array of rows, columns, and red, green and blue from 0 to 255.

        ``size`` is columns and rows. All of the world is in view, if neither ``center`` nor ``pixels_per_meter`` is given.
        """
        view = None if center is None else point_of(center)
        rgb = _tombolo.picture(self._native, size, view, pixels_per_meter)
        return numpy.frombuffer(rgb, dtype=numpy.uint8).reshape(size[1], size[0], 3).copy()

    def png(self, size: tuple[int, int] = (600, 400), **view: Any) -> bytes:
        """The picture of :meth:`picture` as a PNG file."""
        return png_of(self.picture(size, **view))

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        return self.png()


def png_of(picture: numpy.ndarray) -> bytes:
    """An array of rows, columns, and red, green and blue as a PNG file."""
    import struct
    import zlib

    if picture.dtype != numpy.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise ValueError(f"an array of {picture.dtype} and the shape {picture.shape}, expected rows, columns, 3 of uint8")
    rows, columns, _ = picture.shape

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    # Each row begins with its filter: none.
    lines = numpy.concatenate([numpy.zeros((rows, 1), numpy.uint8), picture.reshape(rows, columns * 3)], axis=1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    data = zlib.compress(lines.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
