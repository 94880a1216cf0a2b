"""Rewinding: the most recent moments of a world, to go back to or to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from . import _tombolo
from ._tombolo import TomboloError
from .listeners import Listening

if TYPE_CHECKING:
    from .physics import World
    from .scene import SceneWorld

    AnyWorld = TypeVar("AnyWorld", World, SceneWorld)
else:
    AnyWorld = TypeVar("AnyWorld")


class Frame:
    """A moment that a :class:`Rewind` saved. Of two of one ring the later has the greater number; equal if they are the same."""

    __slots__ = ("_id", "_ring")

    def __init__(self, ring: _tombolo.Rewind, id: _tombolo.FrameId) -> None:
        self._ring, self._id = ring, id

    @property
    def number(self) -> int:
        """The number of frames that its ring had saved before."""
        return self._id.number()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and self._ring is other._ring and self._id == other._id

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"Frame({self.number})"


class Rewind(Generic[AnyWorld]):
    """A ring of the most recent frames of a world. A frame costs what changed since the one before it, not a whole save.

    The oldest make room beyond ``frames_max`` frames or ``bytes_max`` bytes; the newest is always kept.
    """

    def __init__(self, world: AnyWorld, *, frames_max: int = 600, bytes_max: int = 256 << 20) -> None:
        for name, limit in (("frames_max", frames_max), ("bytes_max", bytes_max)):
            if limit < 0:
                raise TomboloError(f"{name} is {limit}, expected a number from 0")
        self.world: AnyWorld = world
        self._native = _tombolo.Rewind(world._native, frames_max, bytes_max)
        self._witness: AnyWorld | None = None

    def save(self) -> Frame:
        """Saves the world as it is."""
        return Frame(self._native, self._native.save(self.world._native))

    def restore(self, frame: Frame) -> None:
        """Sets the world back to a frame, and drops all later ones. Ids of that moment are valid again.

        Raises ``TomboloError``, and changes nothing, for a frame that made room or was dropped, or of another ring.
        """
        self._set(self.world, frame, rewinds=True)

    def ask(self, frame: Frame) -> AnyWorld:
        """A world in the state of a frame, for queries; the world itself stays as it is. It is one world of the ring's own, which
        the next call sets to another frame: :meth:`fork` makes one to keep."""
        if self._witness is None:
            self._witness = self.world.fork()
        self._set(self._witness, frame, rewinds=False)
        return self._witness

    def fork(self, frame: Frame) -> AnyWorld:
        """An independent world in the state of a frame."""
        world = self.world.fork()
        self._set(world, frame, rewinds=False)
        return world

    def _set(self, world: AnyWorld, frame: Frame, *, rewinds: bool) -> None:
        if frame._ring is not self._native:
            raise TomboloError(f"{frame!r} is of another ring")
        self._native.restore(world._native, frame._id, rewinds)
        if isinstance(world, Listening):
            world._forget_touches()

    @property
    def frames(self) -> list[Frame]:
        """The frames that can be restored, the oldest first."""
        return [Frame(self._native, id) for id in self._native.ids()]

    @property
    def bytes(self) -> int:
        """The memory of all frames, what they share counted once."""
        return self._native.bytes()

    def clear(self) -> None:
        """Drops all frames."""
        self._native.clear()
        self._witness = None

    def __len__(self) -> int:
        return len(self._native.ids())

    def __repr__(self) -> str:
        return f"<Rewind of {len(self)} frames>"
