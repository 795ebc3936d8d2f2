"""Colours that people with any colour vision tell apart: Okabe and Ito's for causes, grey to amber for how much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import ArrayLike

Color = tuple[int, int, int]

OF_CAUSES = {
    "gravity": "#0072b2",
    "inertial": "#e69f00",
    "centrifugal": "#009e73",
    "coriolis": "#cc79a7",
    "friction": "#7f7f7f",
    "base": "#882255",
    "external": "#f0e442",
    "payload": "#56b4e9",
    "pull": "#d55e00",
}
FORCE, TORQUE = "#d1495b", "#0b5cad"
"""Totals, as in the pictures of `robot.plot`."""
BODY, JOINT, GROUND = "#b4bec7", "#33414d", "#e8ecef"
BEYOND = "#a8003c"
"""What is beyond its limit."""
USED = ("#c6d0d9", "#d3d3b8", "#e6cf83", "#efbd4c", "#ea9d2c", "#dd7a1a")
"""From nothing to the limit: darker and warmer, so that what is loaded stands out on light and on dark pages."""


def rgb(color: str) -> Color:
    """Red, green and blue, each from 0 to 255.

    >>> rgb("#0072b2")
    (0, 114, 178)
    """
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def linear(colors: ArrayLike) -> NDArray[np.uint8]:
    """(..., 3): colours as the browser takes those of many bodies drawn as one: as amounts of light, not as it takes
    all others.

    >>> linear([0, 128, 255]).tolist()
    [0, 55, 255]
    """
    c = np.asarray(colors, dtype=float) / 255.0
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.asarray((255.0 * light).round(), dtype=np.uint8)


def shades(shares: ArrayLike) -> NDArray[np.uint8]:
    """(..., 3): from grey at 0 through yellow to amber at 1; beyond 1 crimson, which no share within has.

    >>> shades([0.0, 1.0, 1.1]).tolist()
    [[198, 208, 217], [221, 122, 26], [168, 0, 60]]
    """
    given = np.asarray(shares, dtype=float)
    table = np.array([rgb(color) for color in USED], dtype=float)
    at = np.clip(np.nan_to_num(given), 0.0, 1.0) * (len(table) - 1)
    found = np.stack([np.interp(at, np.arange(len(table)), table[:, k]) for k in range(3)], axis=-1)
    found = np.where((given > 1.0)[..., None], np.array(rgb(BEYOND), dtype=float), found)
    return np.asarray(found.round(), dtype=np.uint8)
