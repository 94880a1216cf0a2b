"""Characters: what walks on a world's bodies by geometry, and not by forces."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _tombolo
from .queries import Point, point_of
from .things import Shape

if TYPE_CHECKING:
    from .physics import World


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
        self._native.teleport(point_of(position))

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
