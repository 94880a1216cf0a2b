"""Fields: areas in which bodies are pushed in every step, by wind, a fluid or a gravity."""

from __future__ import annotations

import json
from typing import Any, cast

from . import _tombolo
from .options import options_text
from .queries import Geometry
from .things import _setting, _Thing

_KINDS = {
    "wind": "Wind",
    "fluid": "Fluid",
    "gravity": "Gravity",
    "radial_gravity": "RadialGravity",
    "chain_gravity": "ChainGravity",
}


class Field(_Thing):
    """A field of a world. A call on one that was destroyed raises ``TomboloError``."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The kind, as it was given to :meth:`World.create_field`."""
        name = _tombolo.field_options(self._native, self.id)[0]
        return next(kind for kind, engine in _KINDS.items() if engine == name)

    @property
    def options(self) -> dict[str, Any]:
        """All options, as they are now, but for the area."""
        options: dict[str, Any] = json.loads(_tombolo.field_options(self._native, self.id)[1])
        for name in options.keys() & {"velocity", "acceleration"}:
            if isinstance(options[name], list):
                options[name] = tuple(options[name])
        place = options["position"]
        return {**options, "position": (place["x"], place["y"])}

    def set(self, **options: Any) -> None:
        """Sets options: all of them or, refused, none. The bodies that it reaches, or reached, wake."""
        _tombolo.set_field(self._native, self.id, options_text(options))

    def _get(self, name: str) -> Any:
        return self.options[name]

    def _set(self, name: str, value: Any) -> None:
        self.set(**{name: value})

    position = _setting("position", "The position of its frame's origin in the world.")
    angle = _setting("angle", "The angle of its frame, in radians.")
    enabled = _setting("enabled", "Whether it acts.")

    def destroy(self) -> None:
        """Removes the field, and wakes the bodies that it reached."""
        _tombolo.destroy_field(self._native, self.id)


class Fields:
    """The calls of worlds about fields."""

    _native: Any

    def create_field(self, kind: str, area: Geometry | None = None, **options: Any) -> Field:
        """Adds a field in an area (a circle, capsule, box or polygon in its frame), or everywhere.

        Kinds and their options, vectors in its frame: ``"wind"`` (``velocity``, ``density``, ``drag``, ``lift``), ``"fluid"``
        (``density``, ``velocity``, ``drag``, ``viscosity``), whose area's border is its surface, ``"gravity"``
        (``acceleration``), ``"radial_gravity"`` toward its origin (``acceleration`` at ``radius``, fading with the ``power`` of
        the distance), ``"chain_gravity"`` toward a row of ``points`` and along it (``closed``, ``pull``, ``along``, ``reach``).
        All have ``position``, ``angle``, ``mask``, ``replaces_gravity``, ``enabled`` and ``user_key``.
        """
        id = _tombolo.create_field(self._native, kind, options_text({**options, "area": area}))
        return Field(cast(Any, self), id)

    @property
    def fields(self) -> list[Field]:
        """All fields."""
        return [Field(cast(Any, self), id) for id in _tombolo.fields(self._native)]
