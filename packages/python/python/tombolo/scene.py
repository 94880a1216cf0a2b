"""Worlds of entities with components, from scene files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from . import _tombolo


def _text(value: Any) -> str:
    """A value in the syntax of scene files; the engine takes the brackets of a vector for a list too."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_quoted(part) if isinstance(part, str) else _text(_plain(part)) for part in value) + ")"
    return str(value)


def _plain(value: Any) -> Any:
    """An array or number of NumPy as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value


def _quoted(text: str) -> str:
    """A text in quotes, for a list."""
    escaped = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escaped.get(letter, letter) for letter in text) + '"'


class SceneWorld:
    """A running world of entities. Properties are named ``entity.component.property``.

    A vector or a color is read as a tuple, a choice as its word, an entity as its name, or its number if it has none, and each
    can be set to what was read. A text is set as it is. Vectors, colors and lists can be set to any sequence and to arrays of NumPy.
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, *, text: str | None = None, seed: int | None = None
    ) -> None:
        """Creates a world from a scene file, or from a scene's text. A seed replaces that of the scene's settings."""
        if (path is None) == (text is None):
            raise TypeError("give a path or a text")
        if text is None:
            assert path is not None
            text = Path(path).read_text(encoding="utf-8")
        # What it was made of: for pickles.
        self._scene = ("scene" if path is None else str(path), text, seed)
        self._native = _tombolo.SceneWorld(*self._scene)

    def step(self, steps: int = 1) -> None:
        """Advances the world by steps of its own length; other Python threads run meanwhile."""
        self._native.step(steps)

    @property
    def step_seconds(self) -> float:
        """The length of a step, in seconds."""
        return self._native.step_seconds()

    @property
    def names(self) -> list[str]:
        """The names of all entities that have one."""
        return self._native.names()

    def __len__(self) -> int:
        return self._native.entity_count()

    def pose(self, name: str) -> tuple[float, float, float]:
        """x, y and angle of an entity."""
        return self._native.pose(name)

    def __getitem__(self, path: str) -> Any:
        return self._native.get(path)

    def __setitem__(self, path: str, value: Any) -> None:
        value = _plain(value)
        if isinstance(value, str):
            self._native.set(path, value, True)
        else:
            self._native.set(path, _text(value), False)

    def get(self, paths: Sequence[str]) -> list[Any]:
        """The values of several properties."""
        return [self[path] for path in paths]

    @property
    def faults(self) -> list[str]:
        """The faults of scripts and spawners."""
        return self._native.faults()

    def save(self) -> bytes:
        """Saves the whole world."""
        return self._native.save()

    def restore(self, save: bytes) -> None:
        """Replaces the world by a saved one of the same scene."""
        self._native.restore(save)

    def fork(self) -> SceneWorld:
        """An independent copy, which ``copy`` makes too."""
        world = SceneWorld.__new__(SceneWorld)
        world._scene, world._native = self._scene, self._native.fork()
        return world

    def __copy__(self) -> SceneWorld:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> SceneWorld:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._scene, self.save())

    def hash(self) -> int:
        """A hash of all state that the next steps depend on."""
        return self._native.hash()


def _unpickled(scene: tuple[str, str, int | None], save: bytes) -> SceneWorld:
    world = SceneWorld.__new__(SceneWorld)
    world._scene, world._native = scene, _tombolo.SceneWorld(*scene)
    world.restore(save)
    return world
