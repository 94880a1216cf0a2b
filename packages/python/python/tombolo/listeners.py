"""What a program hears of the steps of a world of bodies: calls after each step, and the events of many steps in a row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _tombolo
from ._tombolo import TomboloError
from .queries import Point

if TYPE_CHECKING:
    from .things import Shape

_KINDS = ("begin", "end", "enter", "leave", "hit", "force")


class Met(NamedTuple):
    """An event of two shapes in a step.

    ``kind`` is ``"begin"`` or ``"end"`` of a touch, ``"enter"`` or ``"leave"`` of a sensor, which is ``a``, ``"hit"`` or
    ``"force"``. An end or leave has the ``materials`` of its begin or enter, whatever became of the shapes meanwhile. A shape
    that was destroyed, and whose begin was before the world had listeners or was restored, has the material ``None``. The last
    four fields are those of :class:`Blow`, and zero for other kinds than hits and forces.
    """

    step: int
    kind: str
    a: Shape
    b: Shape
    materials: _Materials
    point: Point
    normal: Point
    strength: float
    impulse: float

    def turned(self) -> Met:
        """The same from the other shape's side."""
        x, y = self.normal
        return self._replace(a=self.b, b=self.a, materials=self.materials[::-1], normal=(-x, -y))


Call = Callable[[Met], Any]
_Materials = tuple[int | None, int | None]

# The kinds of events that begin something, by those that end it.
_BEGINS = {"end": "begin", "leave": "enter"}


class Listener:
    """Calls that a world makes after its steps, until it is removed."""

    def __init__(self, world: Listening, of: tuple[int | None, int | None], calls: dict[str, Call]) -> None:
        """Hears of events of two materials, ``None`` for any, by kind."""
        self._world, self._of, self._calls = world, of, calls

    def _hear(self, event: Met) -> None:
        call = self._calls.get(event.kind)
        if call is None:
            return
        for seen in (event, event.turned()):
            if all(wanted in (None, material) for wanted, material in zip(self._of, seen.materials, strict=True)):
                call(seen)
                return

    def remove(self) -> None:
        """Ends its calls, also within one."""
        self._world._drop(self)


class Events:
    """The events of a world's steps, from the oldest on: a loop over it takes what has happened so far, and another one goes on
    from there. They wait until they are taken, or it is closed."""

    def __init__(self, world: Listening, kinds: frozenset[str]) -> None:
        """Keeps events of some kinds."""
        self._world, self._kinds = world, kinds
        self._waiting: deque[Met] = deque()

    def _hear(self, event: Met) -> None:
        if event.kind in self._kinds:
            self._waiting.append(event)

    def __iter__(self) -> Iterator[Met]:
        while self._waiting:
            yield self._waiting.popleft()

    def __len__(self) -> int:
        """The number of events that wait."""
        return len(self._waiting)

    def close(self) -> None:
        """Keeps no more events; those that wait stay."""
        self._world._drop(self)


class Listening:
    """The part of a world that tells of its steps. Listeners are no part of saves, forks, copies and pickles."""

    _native: Any
    _listeners: tuple[Listener | Events, ...] = ()
    _is_telling: bool = False
    # The materials with which touches and visits began, by the kind of that event and its shapes, until they end.
    _touches: dict[tuple[str, int, int], _Materials] | None = None

    def on_collision(
        self,
        a: int | None = None,
        b: int | None = None,
        *,
        begin: Call | None = None,
        separate: Call | None = None,
        hit: Call | None = None,
        force: Call | None = None,
    ) -> Listener:
        """Calls functions with the events of two materials, ``None`` for any, after each step in which there are some.

        Material ``a`` is that of ``event.a``. ``begin`` and ``separate`` are called for touches and for sensors, ``hit`` and
        ``force`` for what :meth:`World.hits` and :meth:`World.forces` have. The step is over then, so that calls may change the
        world; what should not collide, or otherwise, is said beforehand by :meth:`World.set_contact_rule`. Calls are in the
        order of the events, listeners in that of their creation. An exception of one leaves :meth:`World.step` after that step.
        ``separate`` is called for what ``begin`` was called for, also if the shape was destroyed or has another material then.
        """
        given = {"begin": begin, "enter": begin, "end": separate, "leave": separate, "hit": hit, "force": force}
        listener = Listener(self, (a, b), {kind: call for kind, call in given.items() if call is not None})
        self._add(listener)
        return listener

    def on_event(self, *kinds: str) -> Events:
        """The events of all further steps, of some kinds or all: ``begin``, ``end``, ``enter``, ``leave``, ``hit``, ``force``.

        Also of the steps within one call: ``events = world.on_event("hit"); world.step(steps=600); list(events)``.
        """
        for kind in kinds:
            if kind not in _KINDS:
                raise TomboloError(f"no kind of event {kind!r}; there are {', '.join(_KINDS)}")
        events = Events(self, frozenset(kinds or _KINDS))
        self._add(events)
        return events

    def _add(self, listener: Listener | Events) -> None:
        if not self._listeners:
            # Ends were not heard without listeners.
            self._forget_touches()
        self._listeners = (*self._listeners, listener)

    def _forget_touches(self) -> None:
        """Forgets what touches: the world is another one."""
        self._touches = None

    def _materials_of(self, met: Sequence[tuple[Any, ...]]) -> list[_Materials]:
        """The materials of the events of a step: those of its beginning for what ends, or else those of now."""
        materials: list[_Materials] = [(of_a, of_b) for _, _, (of_a, of_b), *_ in met]
        touches = self._touches = {} if self._touches is None else self._touches
        # Ends first: what calls parted may touch again in the same step, and that beginning stays.
        for place, (kind, (a, b), *_) in enumerate(met):
            if (began := _BEGINS.get(kind)) is not None:
                materials[place] = touches.pop((began, a, b), materials[place])
        for (kind, (a, b), *_), now in zip(met, materials, strict=True):
            if kind in _BEGINS.values():
                touches[kind, a, b] = now
        return materials

    def _drop(self, listener: Listener | Events) -> None:
        self._listeners = tuple(kept for kept in self._listeners if kept is not listener)

    def _make_steps(self, dt: float, steps: int) -> None:
        """Makes steps, and tells of each."""
        if self._is_telling:
            raise TomboloError("a call after a step cannot make steps of its world")
        if not self._listeners:
            self._native.step(dt, steps)
            return
        if steps < 1:
            # Refused or nothing to do, and said by the same words as without listeners.
            self._native.step(dt, steps)
            return
        for _ in range(steps):
            self._native.step(dt, 1)
            self._tell()

    def _tell(self) -> None:
        step, met = self._native.step_index(), _tombolo.met(self._native)
        events = [
            Met(step, kind, self._found(a), self._found(b), materials, point, normal, strength, impulse)
            for (kind, (a, b), _, point, normal, strength, impulse), materials in zip(met, self._materials_of(met), strict=True)
        ]
        listeners = self._listeners
        self._is_telling = True
        try:
            # Those that only keep events first: an exception of a call takes none from them.
            for listener in sorted(listeners, key=lambda listener: isinstance(listener, Listener)):
                for event in events:
                    if listener in self._listeners:
                        listener._hear(event)
        finally:
            self._is_telling = False

    def _found(self, shape: int) -> Shape:
        raise NotImplementedError
