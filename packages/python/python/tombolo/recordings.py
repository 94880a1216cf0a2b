"""Recordings: every call that changes a world, in a file that any machine plays again to the same bits."""

from __future__ import annotations

import html
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _tombolo
from ._tombolo import TomboloError

if TYPE_CHECKING:
    from .physics import World
    from .scene import SceneWorld

Hashes = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.uint64]]

# The height of the replay page in a notebook, in pixels.
_HEIGHT = 640
# The longest recording that a notebook shows without being asked, in steps: the page of a longer one takes long to make.
_STEPS_MAX = 20_000
_NONE = "the world is not recorded: start_recording begins that"


class Played(NamedTuple):
    """What playing a recording came to."""

    world: World | SceneWorld
    """A world of its own after the last step that was played. A :class:`SceneWorld` of a recording is saved and forked, but
    neither pickled nor asked for its seed."""
    first_difference: tuple[int, int] | None
    """The steps between which the results began to differ from the recorded ones: they agreed after the first, and not after
    the second. ``None`` if all hashes of the recording agree, as they do on every machine with the version that recorded."""


class Recording:
    """A recording: the calls of a world, and hashes to compare with.

    ``bytes(recording)`` is its file, which ``tombolo replay``, ``diff`` and ``shrink`` read too. In a notebook it is the replay
    page, with a timeline. Raises ``TomboloError`` for bytes that are no recording, or one that this version cannot read.
    """

    __slots__ = ("_data", "_native")

    def __init__(self, data: bytes) -> None:
        """Reads a recording from the bytes of a file."""
        self._data = bytes(data)
        self._native = _tombolo.Recording(self._data)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Recording:
        """Reads a file."""
        return cls(Path(path).read_bytes())

    def write(self, path: str | PathLike[str]) -> None:
        """Writes the file."""
        Path(path).write_bytes(self._data)

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        """The number of steps."""
        return self._native.facts()[0]

    @property
    def is_whole(self) -> bool:
        """Whether its end was written; the recording of a program that crashed is one up to the last bytes that were taken."""
        return self._native.facts()[1]

    @property
    def version(self) -> str:
        """The version of the engine that recorded it."""
        return self._native.facts()[2]

    @property
    def is_of_scene(self) -> bool:
        """Whether it is of a :class:`SceneWorld`; else it is of a :class:`World`."""
        return self._native.facts()[3]

    def play(self, end: int | None = None, *, threads: int = 1) -> Played:
        """Plays all calls to the end, or to the end of a step; the results are the same for any number of threads."""
        native, differs = self._native.world((0, end, threads))
        return Played(_world_of(native), None if differs is None else (differs[0], differs[1]))

    def at(self, step: int, *, threads: int = 1) -> World | SceneWorld:
        """The world after a step, from the last key frame before it, if the recording has any."""
        return _world_of(self._native.world((step, step, threads))[0])

    def hashes(self, start: int = 0, end: int | None = None, *, threads: int = 1) -> Hashes:
        """What ``hash()`` of the world was after each step from ``start`` + 1 to ``end``, which two machines can compare."""
        return numpy.array(self._native.hashes((start, end, threads)), dtype=numpy.uint64)

    def page(
        self, start: int = 0, end: int | None = None, *, name: str = "recording", threads: int = 1
    ) -> str:
        """The replay page: HTML that needs neither a network nor any other file, with every step from ``start`` to ``end``."""
        return self._native.page(name, (start, end, threads)).decode()

    def _repr_html_(self) -> str | None:
        """What a notebook shows: the page, if it is not too long for that."""
        return framed(self.page()) if len(self) <= _STEPS_MAX else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Recording, (self._data,)

    def __repr__(self) -> str:
        world = "SceneWorld" if self.is_of_scene else "World"
        return f"<Recording of a {world}, {len(self)} steps{'' if self.is_whole else ', without its end'}>"


def _world_of(native: _tombolo.World | _tombolo.SceneWorld) -> World | SceneWorld:
    """A world of the class of its kind."""
    from .physics import World
    from .scene import SceneWorld

    return World._of(native) if isinstance(native, _tombolo.World) else SceneWorld._of(native, None)


def framed(page: str) -> str:
    """A page as a part of another one, in which it can do nothing but show itself."""
    style = f"width:100%;height:{_HEIGHT}px;border:0"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


class Recordable:
    """The calls of worlds about recordings. Copies, forks and pickles of a world are not recorded."""

    _native: Any
    # What was recorded before, and whether some of the recording was taken away.
    _recorded: bytes = b""
    _is_taken: bool = False

    def start_recording(self, *, key_frame_steps: int = 0, hash_steps: int = 0) -> None:
        """Begins to record each call that changes the world. A recording that has begun is dropped.

        ``key_frame_steps`` writes a save every so many steps, from which :meth:`Recording.at` begins; ``hash_steps`` a hash,
        which :meth:`Recording.play` compares. With 0 there are no key frames, and hashes when they cost little.
        """
        _tombolo.start_recording(self._native, key_frame_steps, hash_steps)
        self._recorded, self._is_taken = b"", False

    @property
    def is_recording(self) -> bool:
        """Whether its calls are recorded."""
        return _tombolo.is_recording(self._native)

    def take_recording(self, *, end: bool = False) -> bytes:
        """The bytes that were recorded since the last call of this, which a program appends to a file: after a crash the file
        is a recording up to there. They are not kept. ``end`` ends the recording, and has the last of it."""
        if not self.is_recording:
            raise TomboloError(_NONE)
        taken = self._recorded + _tombolo.take_recording(self._native, end)
        self._recorded, self._is_taken = b"", not end
        return taken

    @property
    def recording(self) -> Recording:
        """What was recorded so far; the recording goes on. Raises ``TomboloError`` if nothing is recorded, or if bytes of it were
        taken by :meth:`take_recording`."""
        self._record(False)
        return Recording(self._recorded)

    def end_recording(self) -> Recording:
        """Ends the recording, and returns it. Raises ``TomboloError`` in the same cases as :attr:`recording`."""
        self._record(True)
        whole, self._recorded = self._recorded, b""
        return Recording(whole)

    def _record(self, end: bool) -> None:
        if not self.is_recording:
            raise TomboloError(_NONE)
        if self._is_taken:
            raise TomboloError("take_recording took parts of it: put one after another, they are what Recording reads")
        self._recorded += _tombolo.take_recording(self._native, end)

    def _repr_html_(self) -> str | None:
        """What a notebook shows of a world that is recorded: the replay page. Others are shown as a picture."""
        return self.recording._repr_html_() if self.is_recording and not self._is_taken else None
