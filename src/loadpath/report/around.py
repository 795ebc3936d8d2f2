"""What stands around the robot in its picture: the wheels and body of a base, and what the ground does to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from loadpath.drawing.surfaces import Surface
from loadpath.scalars.types import Floats, Ints


class Around(NamedTuple):
    """Things in the frame of the robot's base, whose z points out of the ground."""

    surfaces: Callable[[float], Sequence[Surface]]
    """Of wheels and body, which stand still in the picture, for a robot of that size (m)."""
    ring: Floats | None = None
    """(corners, 3): the support polygon."""
    at_rows: Callable[[Ints], dict[str, Any]] | None = None
    """For some samples: forces of the ground and where they act (`ground`, `at`), the zero-moment point, whether the
    base `tips`.
    """
