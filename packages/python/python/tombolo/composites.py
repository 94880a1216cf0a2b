"""Composites: bodies welded rigidly into one, which divides where a weld breaks."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _tombolo
from ._tombolo import TomboloError
from .options import options_text
from .queries import Point, point_of
from .things import Shape, _Thing

if TYPE_CHECKING:
    from .physics import Body, World


class Member(_Thing):
    """A member of a composite: what was a body of its own before it was welded. It stays one whatever body it is in; it is
    destroyed with its last shape. A call on one that is gone raises ``TomboloError``."""

    __slots__ = ()

    def _numbers(self) -> _tombolo._Member:
        return _tombolo.member(self._native, self.id)

    @property
    def body(self) -> Body:
        """The body that it is a part of now."""
        return self.world._body(self._numbers()[0])

    @property
    def shapes(self) -> list[Shape]:
        """Its shapes."""
        return [Shape(self.world, id) for id in self._numbers()[1]]

    @property
    def welds(self) -> list[RigidWeld]:
        """Its welds."""
        return [RigidWeld(self.world, id) for id in self._numbers()[2]]

    @property
    def position(self) -> Point:
        """The position that the body that it was made from would have, were it still one of its own."""
        return self._numbers()[3][0]

    @property
    def angle(self) -> float:
        """The angle of that body in radians, from -π to π."""
        return self._numbers()[3][1]

    @property
    def mass(self) -> float:
        """The mass of its shapes, in kilograms."""
        return self._numbers()[4]

    @property
    def center_of_gravity(self) -> Point:
        """Its center of mass in the world."""
        return self._numbers()[5]

    @property
    def user_key(self) -> int:
        """A number of the user's own, from 0 to 2**64 - 1."""
        return self._numbers()[6]

    @user_key.setter
    def user_key(self, key: int) -> None:
        _tombolo.set_member_key(self._native, self.id, key)

    def take(self, shape: Shape) -> None:
        """Makes a shape of the same body one of its own: a new shape of a composite is the nearest member's."""
        if shape.world is not self.world:
            raise TomboloError("a shape of another world")
        _tombolo.set_member_of(self._native, shape.id, self.id)

    def destroy(self) -> None:
        """Removes it with its shapes and welds; the body divides if it held together only through it."""
        _tombolo.destroy_member(self._native, self.id)


class RigidWeld(_Thing):
    """A rigid weld of two members. A call on one that broke or was destroyed raises ``TomboloError``."""

    __slots__ = ()

    def _numbers(self) -> tuple[list[int], Point, Point, float, str]:
        return _tombolo.rigid_weld(self._native, self.id)

    @property
    def exists(self) -> bool:
        """Whether it neither broke nor was destroyed."""
        return self.id in _tombolo.rigid_welds(self._native)

    @property
    def members(self) -> tuple[Member, Member]:
        """The two members."""
        a, b = self._numbers()[0]
        return Member(self.world, a), Member(self.world, b)

    @property
    def point(self) -> Point:
        """Where it is in the world."""
        return self._numbers()[1]

    @property
    def force(self) -> Point:
        """The force on the second member in the last step, in newtons. What pulls all matter alike, as gravity does, is no load."""
        return self._numbers()[2]

    @property
    def torque(self) -> float:
        """The torque on the second member about the point, in newton meters."""
        return self._numbers()[3]

    @property
    def options(self) -> dict[str, Any]:
        """The options of :meth:`World.weld`, as they are now."""
        options = json.loads(self._numbers()[4])
        return {name: math.inf if value is None else value for name, value in options.items()}

    def set(self, **options: Any) -> None:
        """Sets options of :meth:`World.weld`; all of them or, refused, none."""
        _tombolo.set_rigid_weld(self._native, self.id, options_text(options))

    def destroy(self) -> None:
        """Removes it; the body divides if it held together only through it."""
        _tombolo.destroy_rigid_weld(self._native, self.id)


class WeldLoad(NamedTuple):
    """The load of a rigid weld beyond a threshold: the body that had the two members, the force in newtons and the torque in
    newton meters on the second, and whether it broke."""

    weld: RigidWeld
    body: Body
    members: tuple[Member, Member]
    force: Point
    torque: float
    broke: bool


class Welding:
    """The calls of worlds about composites."""

    _native: Any

    def create_member(self, body: Body, *, user_key: int = 0) -> Member:
        """Makes a body with shapes a composite of one member."""
        self._check_own(body)
        return Member(cast("World", self), _tombolo.create_member(self._native, body.id, user_key))

    def weld(self, a: Body | Member, b: Body | Member, point: Sequence[float], **options: Any) -> RigidWeld:
        """Welds two bodies rigidly at a point of the world, or members of bodies: the second one's body becomes a part of the
        first one's, and its id and joints between the two are gone. For the solver they are one body, rigid whatever it weighs.

        Bodies become members, with :attr:`Body.members`; of a body that has several, one of them is given. Options:
        ``force_threshold`` and ``torque_threshold``, in newtons and newton meters, beyond which it breaks or, with
        ``breaks=False``, is only reported by :meth:`weld_loads`; ``user_key``. Parts that no longer hold together become bodies
        of their own at the end of the step, which :meth:`cut_events` has.
        """
        self._check_own(a)
        self._check_own(b)
        ends = [(isinstance(end, Member), end.id) for end in (a, b)]
        id = _tombolo.create_rigid_weld(self._native, ends, point_of(point), options_text(options))
        return RigidWeld(cast("World", self), id)

    def _check_own(self, thing: Body | Member) -> None:
        if thing.world is not self:
            raise TomboloError(f"{thing!r} is of another world")

    @property
    def rigid_welds(self) -> list[RigidWeld]:
        """All rigid welds."""
        return [RigidWeld(cast("World", self), id) for id in _tombolo.rigid_welds(self._native)]

    def weld_loads(self) -> list[WeldLoad]:
        """The rigid welds of the last step whose load was above a threshold of theirs."""
        world = cast("World", self)
        return [
            WeldLoad(
                RigidWeld(world, weld), world._body(body), (Member(world, a), Member(world, b)), force, torque, broke
            )
            for weld, body, (a, b), force, torque, broke in _tombolo.weld_loads(self._native)
        ]
