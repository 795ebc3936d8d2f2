"""What `--json` prints: one strict JSON object, whose keys are those of `json_keys`.

JSON has no numbers that are not finite: what is not known is null, and a number without end the text "Infinity".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import typer


def print_json(**values: Any) -> None:
    """An object on standard output."""
    typer.echo(json.dumps(plain(values), indent=1, allow_nan=False))


def plain(value: Any) -> Any:
    """Numbers, texts, lists and objects as JSON has them.

    >>> plain({"a": np.array([1.0, np.nan]), "b": math.inf, "c": (np.int64(2), None)})
    {'a': [1.0, None], 'b': 'Infinity', 'c': [2, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, str) or value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        without_end = "-Infinity" if value < 0 else "Infinity"
        return value if math.isfinite(value) else None if math.isnan(value) else without_end
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    raise TypeError(f"{value!r} has no place in JSON")
