"""The tables of sweeps and rollouts as files: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import os
import secrets
import tempfile
import unicodedata
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
    """Makes the folder of a table, and raises ``ImportError`` or ``OSError`` if the table could not be written, before hours are
    spent on it."""
    if _is_parquet(path):
        _pyarrow()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: a table is a file")
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name + "."):
        pass


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Writes a table whole or not at all: in Parquet if the name ends with ``.parquet``, else in CSV."""
    # Scenes may have different properties set: the columns are those of all rows.
    columns = list(dict.fromkeys(column for row in rows for column in row))
    data = _parquet(columns, rows) if _is_parquet(path) else _csv(columns, rows)
    # A name of its own: another process may write the same table.
    beside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    try:
        beside.write_bytes(data)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _csv(columns: list[str], rows: Sequence[Row]) -> bytes:
    """The bytes of the command's table: ``crates/cli/src/sweep/table.rs`` and ``cell.rs`` have the same rules."""
    lines = [columns, *([_cell(row.get(column)) for column in columns] for row in rows)]
    return "".join(",".join(map(_quoted_cell, line)) + "\n" for line in lines).encode()


def _cell(value: Any) -> str:
    """The text of a value: that of ``str``, but for nothing, and for the texts in lists."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _item(value)


def _item(value: Any) -> str:
    """The text of a value in a list: that of ``repr``, but that of the letters only controls are written as escapes."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_item, value)) + "]"
    if not isinstance(value, str):
        return str(value)
    quote = '"' if "'" in value and '"' not in value else "'"
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", quote: "\\" + quote}
    escaped = (
        known.get(letter) or (f"\\x{ord(letter):02x}" if unicodedata.category(letter) == "Cc" else letter)
        for letter in value
    )
    return quote + "".join(escaped) + quote


def _quoted_cell(cell: str) -> str:
    """A cell in quotes if it needs some, as Python's module ``csv`` writes it; a carriage return has some too."""
    if any(letter in cell for letter in ',"\n\r'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


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
