"""What a log has beside the motion: torques, currents, payloads, each a number for every sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


class Channel(NamedTuple):
    """A column of a log that is kept: a number for each sample, and its unit ("" if the log says none)."""

    values: Floats
    unit: str


def carried_over(motion: Motion, t: Floats) -> Mapping[str, Channel]:
    """The channels of a motion at other times within it, straight between samples; none where times are beyond it, as
    of a dwell: nobody measured there.
    """
    if len(t) and (t[0] < motion.t[0] or t[-1] > motion.t[-1]):
        return {}
    return {
        name: Channel(np.interp(t, motion.t, channel.values), channel.unit) for name, channel in motion.extra.items()
    }
