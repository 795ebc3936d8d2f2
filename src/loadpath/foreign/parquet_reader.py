"""Columns of a Parquet file, by pyarrow, polars or pandas; runs in a process of its own."""

from __future__ import annotations

import importlib
import io
import json
import math
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message, as_bytes

READERS = ("pyarrow.parquet", "polars", "pandas")


def run(request: Message, ask: Callable[[dict[str, Any]], Message]) -> Message:
    """The columns of a file, each an array of numbers; of texts, the number of each in a list in JSON beside them."""
    try:
        return _sent(_frame(request.arrays["content"], int(request.fields["most"])))
    except (MemoryError, ImportError, ModelError):
        raise
    except Exception as problem:  # whatever a reader of a broken file may raise
        raise ModelError(f"this Parquet file cannot be read: {str(problem)[:300]}") from None


def _frame(content: NDArray[np.uint8], most: int) -> Any:
    for name in READERS:
        try:
            library = importlib.import_module(name)
            if name != "pyarrow.parquet":
                return library.read_parquet(io.BytesIO(content.data))
        except ImportError:  # also of pandas without an engine for Parquet
            continue
        file = library.ParquetFile(io.BytesIO(content.data))
        if file.metadata.num_rows * file.metadata.num_columns > most:  # a few bytes can stand for all of them
            raise ModelError(f"there are more than {most:,} numbers: split the motion, or take fewer samples a second")
        return file.read(use_threads=False)
    raise ImportError("reading Parquet files needs pyarrow, polars or pandas with pyarrow: pip install pyarrow")


def _sent(frame: Any) -> Message:
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    kinds: list[str] = []
    arrays: dict[str, NDArray[Any]] = {}
    for place, values in enumerate(_columns(frame, names)):
        kind = values.dtype.kind
        if kind in "Mm":  # dates and spans of time
            arrays[str(place)] = values.astype(f"{kind}8[ns]").view("<i8")
        elif kind in "biuf":
            plain = "<f8" if kind == "f" or values.dtype == np.uint64 else "<i8"
            arrays[str(place)] = values.astype(plain, copy=False)
        else:
            kind = "O"
            texts, arrays[str(place)] = _texts(values)
            arrays[f"texts of {place}"] = as_bytes(json.dumps(texts).encode())
        kinds.append(kind)
    return Message({"names": [str(name) for name in names], "kinds": kinds}, arrays)


def _texts(values: NDArray[Any]) -> tuple[list[str | None], NDArray[np.int64]]:
    """The texts of a column, each once, and which of them stands in each row."""
    number: dict[str | None, int] = {}
    rows = [number.setdefault(_text(value), len(number)) for value in values]
    return list(number), np.array(rows, dtype="<i8")


def _text(value: object) -> str | None:
    """A value as text; None where there is none, for which pandas has NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _columns(frame: Any, names: list[Any]) -> Iterator[NDArray[Any]]:
    for place, name in enumerate(names):
        if hasattr(frame, "column_names"):
            yield np.asarray(frame.column(place))
        else:
            yield np.asarray(frame.iloc[:, place] if hasattr(frame, "iloc") else frame[name])
