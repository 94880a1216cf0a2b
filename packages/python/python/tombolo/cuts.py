"""Cuts: bodies that are divided, cells of tiles that are emptied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _tombolo
from .options import options_text
from .queries import Point, point_of
from .things import ConcavePolygon

if TYPE_CHECKING:
    from .physics import Body, World

_ALL = 2**64 - 1


class Vanished(NamedTuple):
    """A piece that was too small to keep: its body, the area in square meters, the mass in kilograms, and the position and
    velocity of its center."""

    body: Body
    area: float
    mass: float
    center: Point
    velocity: Point


class Piece(NamedTuple):
    """A new body that a cut separated from one, and whether it is debris."""

    body: Body
    piece: Body
    debris: bool


class Cut(NamedTuple):
    """What a cut of a body made."""

    body: Body
    """The body, which remains as its greatest piece."""
    pieces: list[Body]
    """The new bodies."""
    vanished: list[Vanished]
    """The pieces that were too small and vanished."""
    concave_polygons: list[ConcavePolygon]
    """The new concave polygons, of the body and of the pieces."""
    segments: list[tuple[Point, Point]]
    """The segments of the world along which a line cut material; none of a shattered body."""


def _vanished(world: World, numbers: _tombolo._Vanished) -> Vanished:
    body, area, mass, center, velocity = numbers
    return Vanished(world._body(body), area, mass, center, velocity)


def cut_of(world: World, numbers: _tombolo._Cut) -> Cut:
    """A cut from the native module's numbers."""
    body, pieces, vanished, polygons, segments = numbers
    return Cut(
        world._body(body),
        [world._body(piece) for piece in pieces],
        [_vanished(world, piece) for piece in vanished],
        [ConcavePolygon(world, polygon) for polygon, _ in polygons],
        [(start, end) for start, end in segments],
    )


class Cutting:
    """The calls of worlds that cut, and what they report."""

    _native: Any
    _filter: Any

    def cut_through(self, start: Sequence[float], end: Sequence[float], **filter: Any) -> list[Cut]:
        """Cuts every body that a segment crosses from one side to the other, as :meth:`Body.slice` does; a body in which it ends
        stays whole. With the filters of queries. If one body cannot be cut, none is."""
        cuts = _tombolo.cut_through(self._native, [point_of(start), point_of(end)], self._filter(filter))
        return [cut_of(cast("World", self), cut) for cut in cuts]

    def cut_tiles(
        self, start: Sequence[float], end: Sequence[float] | None = None, *, radius: float = 0.0, mask: int = _ALL
    ) -> int:
        """Empties the cells of all grids of tiles within a radius of a segment, or of a point without ``end``, whose tiles have
        one of the categories of ``mask``; returns their number."""
        ends = {"from": point_of(start), "to": point_of(start if end is None else end)}
        return _tombolo.cut_tiles(self._native, options_text({**ends, "radius": radius, "mask": mask}))

    def cut_events(self) -> tuple[list[Piece], list[Vanished]]:
        """The pieces that the calls before the last step cut off, and those that vanished, like :meth:`events` of that step."""
        body = cast("World", self)._body
        pieces, vanished = _tombolo.cut_events(self._native)
        return (
            [Piece(body(of), body(piece), debris) for of, piece, debris in pieces],
            [_vanished(cast("World", self), piece) for piece in vanished],
        )

    def explode(
        self,
        position: Sequence[float],
        *,
        radius: float = 0.0,
        falloff: float = 0.0,
        impulse_per_length: float = 0.0,
        tile_radius: float = 0.0,
        mask: int = _ALL,
    ) -> int:
        """Pushes dynamic bodies away from a point at once; returns their number.

        Each shape gets ``impulse_per_length`` newton seconds for each meter of its width as seen from there: all of it within
        ``radius`` meters, and less over ``falloff`` meters beyond. Cells of tiles within ``tile_radius`` are emptied before.
        """
        options: dict[str, Any] = {"radius": radius, "falloff": falloff, "impulse_per_length": impulse_per_length}
        options |= {"position": point_of(position), "tile_radius": tile_radius, "mask": mask}
        return _tombolo.explode(self._native, options_text(options))
