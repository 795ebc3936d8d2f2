"""The fastest motion of a rover, and states of a rover on a planar joint: on a base that stands, and on one that rolls
straight on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from combination_flexible import relative
from combination_methods import close
from combination_states import Floats, States
from combination_subjects import Equivalent, loops, rover

import loadpath as lp

SLIP = 0.6
LIMITS: dict[str, Any] = {"torque": False, "speed": False, "acceleration": 30.0, "slip": SLIP, "margin": 0.02}
HEADING = 0.5
STRAIGHT = np.array([[0.0, 0.0, HEADING], [0.3 * np.cos(HEADING), 0.3 * np.sin(HEADING), HEADING]])
"""A course of the base, along its own x-axis."""


def planar(*states: Floats) -> tuple[Floats, ...]:
    """q, qd and qdd of the arms with those of a base before them, that goes anywhere."""
    count = int(np.prod(states[0].shape[:-1]))
    moves = np.random.default_rng(7).uniform(-1, 1, (3, count, 3))
    return tuple(np.concatenate([move.reshape(*part.shape[:-1], 3), part], axis=-1)
                 for move, part in zip(moves, states, strict=True))


def ground_wrench(r: Any, *states: Any) -> list[Floats]:
    """That of the ground, of states on a planar joint, or of a motion of them."""
    if len(states) == 1:
        arms = states[0]
        states = (lp.Motion(arms.t, *planar(arms.q, arms.qd, arms.qdd), robot=r.planar),)
    else:
        states = planar(*states)
    found = r.ground_wrench(**r.from_planar(*states))
    return [found.force, found.torque]


def duration(r: Any, path: Any, *_: Any) -> list[Floats]:
    """How long the fastest motion takes between the first two of some configurations, or along a motion."""
    return [np.array(r.fastest(path[:2] if isinstance(path, np.ndarray) else path, LIMITS, intervals=60).duration)]


def check_planar(own: Any, other: Any, s: States, there: States) -> None:
    """What the ground gives is what the planar joint of the reference carries."""
    states = [planar(*(part[name] for name in ("q", "qd", "qdd"))) for part in (s, there)]
    found, wanted = own.from_planar(*states[0]), other.planar.joint_wrenches.uncompiled(*states[1])
    wrench = own.ground_wrench(**found)
    for part, whole in ((wrench.force, wanted.force), (wrench.torque, wanted.torque)):
        close(part, whole[:, other.planar.joint_names.index(other.planar.joints[0].name)])
    for name in ("q", "qd", "qdd"):
        close(found[name], s[name])


def check_fastest(own: Any, other: Any, pair: Equivalent, s: States) -> None:
    """As long as that of the reference; its wheels use as much of their friction as they may, and no more; and where
    the margin that is asked for is a little more, the zero-moment point comes as near to an edge as it may.
    """
    ends = s["q"][0] + np.array([[0.0], [0.2]]) * (s["q"][1] - s["q"][0])
    if pair.subject.quaternion_starts:
        with pytest.raises(lp.ModelError, match="has a quaternion"):
            own.fastest(ends, LIMITS)
        return
    there = pair.q_of(ends)
    standing = _reaching(own, ends, other, there)
    near = standing + 0.005
    found = own.fastest(ends, LIMITS | {"margin": near}, intervals=30)
    assert near * (1 - 1e-6) <= own.stability(*found.sampled(9)).margin.min() <= near * (1 + 1e-3)
    if not own.closing_names:  # those roll nowhere: tests/mobile/test_fastest_rovers.py
        _reaching(own, np.hstack([STRAIGHT, ends]), other, np.hstack([STRAIGHT, there]))


def _reaching(own: Any, path: Floats, other: Any, there: Floats) -> float:
    """The least margin on a path on which a wheel is at its limit."""
    found, wanted = own.fastest(path, LIMITS, intervals=30), other.fastest(there, LIMITS, intervals=30)
    relative(np.array(found.duration), np.array(wanted.duration), 1e-6)
    states = found.sampled(9)
    rolls = path.shape[1] > len(own.coordinate_names)
    named = own.from_planar(*states) if rolls else dict(zip(("q", "qd", "qdd"), states, strict=True))
    used, margin = own.slip(**named).ratio.max() / SLIP, own.stability(**named).margin.min()
    assert 0.99 < used <= found.certificate + 1e-8 < 1 + 1e-4
    assert margin >= LIMITS["margin"]
    return float(margin)


def check(name: str, feature: str, pair: Equivalent, s: States, there: States) -> None:
    """A rover whose robot has a feature, and the one with the reference; on wheels and on a slope, the rover itself."""
    own, other = rover(pair.subject), rover(pair.reference)
    if feature in ("wheels", "slope"):
        own = other = rover(slope=0.2 if feature == "slope" else 0.0)
    if name == "from_planar":
        check_planar(own, other, s, there)
    elif feature == "free base":
        own.fastest(s["q"][:2], LIMITS)
    elif feature == "loops":  # friction of a joint without a drive is not known along a path
        with pytest.raises(lp.ModelError, match="'joint3' has no drive"):
            own.fastest(s["q"][:2], LIMITS)
        [pair] = loops(friction=False)
        check_fastest(rover(pair.subject), rover(pair.reference), pair, s)
    else:
        check_fastest(own, other, pair, s)


def along_motion(source: lp.Motion) -> None:
    """Along a motion that goes straight on in joint space: as long as from its beginning to its end."""
    relative(duration(rover(), source)[0], duration(rover(), source.q[[0, -1]])[0], 1e-3)


ASKED = {"fastest": duration, "from_planar": ground_wrench}
