"""Options of the engine's definitions in the form of the native module: JSON."""

from __future__ import annotations

import json
from typing import Any

from ._tombolo import TomboloError


def options_text(options: Any) -> str:
    """Options, or the value of one, as JSON: vectors and arrays as lists.

    Raises ``TomboloError`` for a number that is not finite.
    """

    def plain(value: Any) -> Any:
        return value.tolist() if hasattr(value, "tolist") else list(value)

    try:
        return json.dumps(options, default=plain, allow_nan=False)
    except ValueError as error:
        raise TomboloError(f"an option is no finite number: {error}") from None
