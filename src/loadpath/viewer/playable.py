"""A motion as it is played: states at their times, as many a second as are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion.motion import Motion
from loadpath.states.load_case import LoadCase, external_of
from loadpath.states.reading import as_motion
from loadpath.viewer.state import BaseMotion, State

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.subject import Subject

FEWEST = 50.0
"""Samples a second; a motion with fewer gets more between them."""
MOST = 100_000
"""Samples that are made between those of a motion."""


@dataclass(frozen=True, eq=False)
class Playable:
    """States over time."""

    t: Floats
    """(samples,), s, from 0."""
    q: Floats
    qd: Floats
    qdd: Floats
    velocity: Floats
    """(samples, 3), of a rover's base; so are its acceleration and its pose."""
    acceleration: Floats
    pose: Floats
    case: LoadCase
    """With the wrenches that the motion brings."""
    source: Any
    """The motion or simulation that it is made of."""

    @property
    def duration(self) -> float:
        """s."""
        return float(self.t[-1])

    def number(self, time: float) -> int:
        """The sample nearest to a time."""
        k = int(np.searchsorted(self.t, time))
        if k == 0:
            return 0
        return min(k if k < len(self.t) and self.t[k] - time < time - self.t[k - 1] else k - 1, len(self.t) - 1)

    def at(self, time: float, state: State) -> State:
        """The state at the sample nearest to a time, under the same payload and pull."""
        k = self.number(time)
        base = BaseMotion(self.velocity[k], self.acceleration[k], self.pose[k])
        base = base if base.velocity.any() or base.acceleration.any() or base.pose.any() else state.base
        external = self.case.of_states(k, (len(self.t),)).external
        return replace(
            state, q=self.q[k], qd=self.qd[k], qdd=self.qdd[k], time=float(self.t[k]), base=base, external=external
        )


def playable(subject: Subject, given: Any) -> Playable:
    """A motion, or a simulation of the robot or the rover, to play; of another robot it is refused by name.

    >>> import loadpath as lp
    >>> from loadpath.viewer.subject import subject_of
    >>> arm = lp.catalog.planar(2)
    >>> playable(subject_of(arm), lp.Motion.swing(arm, samples=11, duration=2.0)).q.shape
    (101, 2)
    """
    owner = subject.robot if subject.rover is None else subject.rover
    motion = as_motion(owner, given, "view", counts_loads=True)
    unknown = ~np.isfinite(np.concatenate([motion.q, motion.qd, motion.qdd], axis=1)).all(axis=1)
    if unknown.any():
        k = int(np.flatnonzero(unknown)[0])
        raise ValueError(f"view: sample {k} of the motion, at {motion.t[k]:.4g} s, has a NaN or an infinite number")
    base = getattr(given, "base_state", None) or {}
    acting = external_of(given)
    if not base and not acting and len(motion) < FEWEST * motion.duration <= MOST:
        motion = motion.resampled(FEWEST)
    case = LoadCase(external=acting).with_motion_of(motion, owner, "view")
    still = np.zeros((len(motion), 3))
    pose = getattr(given, "pose", None) if base else None
    return Playable(
        motion.t - motion.t[0], motion.q, motion.qd, motion.qdd,
        np.asarray(base.get("velocity", still), dtype=float), np.asarray(base.get("acceleration", still), dtype=float),
        still if pose is None else np.asarray(pose, dtype=float), LoadCase(case.external), given,
    )


def swing(subject: Subject) -> Playable | None:
    """The swing from rest to rest that a robot plays if it is given nothing else; none of one that cannot move."""
    if not subject.moving.controls:
        return None
    try:
        return playable(subject, Motion.swing(subject.robot))
    except ValueError:  # as of a chain that cannot be assembled all the way
        return None
