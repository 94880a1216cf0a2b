"""The seeds of many worlds."""

from __future__ import annotations

import operator
from collections.abc import Iterable


def seeds_of(seeds: int | Iterable[int | None] | None, count: int, bits: int) -> list[int | None]:
    """A seed for each of ``count`` worlds: those given, or from a single one on, or ``None`` for each.

    Raises ``ValueError`` if there are more or fewer, and ``OverflowError`` for one below 0 or of more than ``bits`` bits.
    """
    if seeds is None:
        return [None] * count
    try:
        first = operator.index(seeds)  # type: ignore[arg-type]
    except TypeError:
        given = list(seeds)  # type: ignore[arg-type]
    else:
        given = list(range(first, first + count))
    if len(given) != count:
        raise ValueError(f"{len(given)} seeds, expected {count}")
    return [None if seed is None else checked(seed, bits) for seed in given]


def checked(seed: int, bits: int) -> int:
    """The seed; raises ``OverflowError`` for one below 0 or of more than ``bits`` bits."""
    seed = operator.index(seed)
    if not 0 <= seed < 2**bits:
        raise OverflowError(f"the seed {seed} is no number from 0 to 2**{bits} - 1")
    return seed
