"""The tables of sweeps and rollouts as files: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Row = dict[str, Any]


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _pyarrow() -> ModuleType:
    """Imports pyarrow, which this package does not depend on."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "a table in Parquet needs pyarrow, which is not installed: pip install pyarrow, or give a name that ends with .csv"
        ) from error
    return pyarrow


def check_table(path: Path) -> None:
    """Raises ``ImportError`` if a table of this name could not be written, before hours are spent on it."""
    if _is_parquet(path):
        _pyarrow()


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Writes a table whole or not at all: in Parquet if the name ends with ``.parquet``, else in CSV."""
    # Scenes may have different properties set: the columns are those of all rows.
    columns = list(dict.fromkeys(column for row in rows for column in row))
    data = _parquet(columns, rows) if _is_parquet(path) else _csv(columns, rows)
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(data)
    os.replace(beside, path)


def _csv(columns: list[str], rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(columns: list[str], rows: Sequence[Row]) -> bytes:
    pyarrow = _pyarrow()

    def column(name: str) -> Any:
        values = [row.get(name) for row in rows]
        # Seeds may be too large for pyarrow's default integer type.
        for kind in (None, pyarrow.uint64()):
            try:
                array = pyarrow.array(values, kind)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError):
                continue
            # A column without a value, such as that of errors, has the text type that it would have with one.
            return array.cast(pyarrow.string()) if pyarrow.types.is_null(array.type) else array
        # A property may have both words and numbers as values: they become text, as in CSV.
        return pyarrow.array([None if value is None else str(value) for value in values])

    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({name: column(name) for name in columns})
    pyarrow.parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()
