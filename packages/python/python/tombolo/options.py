"""Options of the engine's definitions in the form of the native module: JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._tombolo import TomboloError

# JSON has no infinity, but numbers that are infinite once they have 32 bits.
_HUGE = 1.7e308


def options_text(options: Any) -> str:
    """Options, or the value of one, as JSON: vectors and arrays as lists.

    Raises ``TomboloError`` for a number that is not one (NaN).
    """
    try:
        return json.dumps(_plain(options), allow_nan=False)
    except ValueError as error:
        raise TomboloError(f"an option is no finite number: {error}") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return math.copysign(_HUGE, value) if math.isinf(value) else value
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value]
