"""Whether the beams in guides are held in the states that are asked about."""

from __future__ import annotations

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.beams.placed_guide import PlacedGuide, fault
from loadpath.robot.model import RobotModel
from loadpath.states import place_of, state_words


def check_guide_range(arm: RobotModel, q: object) -> None:
    """Refuses states in which a pad has left its beam, or the pads of a guide have met: nothing holds the link there.
    States that are not numbers are none of these; lazy arrays (Dask's) are not computed for it, and NaN there.
    """
    if not arm.placed_guides or not isinstance(q, (np.ndarray, list, tuple)):
        return
    q = np.asarray(q, dtype=float)
    if q.shape[-1:] != (arm.nq,):
        return  # an error that comes anyway
    for guide in arm.placed_guides:
        if not guide.extension.moves:
            continue  # locked, and looked at when the arm was made
        x, (low, high) = q[..., guide.extension.coordinate], guide.allowed
        with np.errstate(invalid="ignore"):
            lost = (x < low) | (x > high)
        if not lost.any():
            continue
        state = place_of(int(np.argmax(lost)), np.shape(lost))
        value = float(x[state])
        own = guide.extension.at({guide.extension.coordinate: value})
        several = f" ({int(lost.sum())} of {lost.size} states)" if np.shape(lost) else ""
        raise ModelError(f"arm '{arm.name}', joint '{guide.joint}' at {own:g} m{state_words(state)}{several}: "
                         f"{fault(guide, value)}. Its guide, {guide.guide}, holds it from {_words(guide)}")


def _words(guide: PlacedGuide) -> str:
    """The extensions at which a guide holds."""
    ends = sorted(guide.extension.at({guide.extension.coordinate: q}) for q in guide.allowed)
    return " to ".join(f"{round(end, 6) + 0.0:g}" for end in ends) + " m"


def refuse_guides(arm: RobotModel, what: str, instead: str) -> None:
    """An error where an arm has a guide and the question does not know guides."""
    if arm.placed_guides:
        guide = arm.placed_guides[0]
        raise ModelError(f"arm '{arm.name}': {what} does not know guides, and joint '{guide.joint}' has one "
                         f"({guide.guide}): {instead}")
