"""What it takes to turn a rover over whose wheels sit on links: work along the motion in which some of them stay down.

A base alone turns about an edge as one rigid body, and its mass center goes round a circle (`tipping`). With wheels on
rockers, bogies and trailers a tipping motion moves passive joints, too: the contacts that stay on the ground leave base
and joints one freedom, and the mass center goes along a curve. It is followed here in steps, each put right so that the
heights of these contacts are zero; the work is what the potential grows by up to its largest value. Contacts are points
of their links, as those of a base alone are; on a slope they are held on the mean. Where the linkage comes to its end
before (they cannot all stay down any more), it is what it has taken until then, which is less than the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.contacts.linked import TippingMotions
from loadpath.mobile.linked_state import LinkedState
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_STEP = 0.08
"""rad, or what the fastest of the joints moves: a step."""
_FURTHEST = np.pi
_EXACT, _GOOD, _CORRECTIONS = 1e-11, 1e-8, 8
_SMALL, _SINGULAR = 1e-5, 1e12


class _Posture(NamedTuple):
    """Where curves are: rotation (k, 3, 3) and height (k,) of the base, coordinates (k, n) of the joints."""

    R: Floats
    z: Floats
    q: Floats

    def some(self, rows: Ints) -> _Posture:
        """Of some of them."""
        return _Posture(*(part[rows] for part in self))


class _Curves:
    """Tipping motions in a row, each with the contacts that it is of. They are stepped along in the base's height, its
    rotations about the axes x and y of the ground, and the passive freedoms that lift wheels: (k, r).
    """

    def __init__(
        self, rover: Rover, linked: LinkedState, gravity: Floats, mass: Floats, members: Ints, of_state: Ints
    ) -> None:
        assert rover.linkage is not None
        self.rover, self.linkage, self.size = rover, rover.linkage, rover.arrangement.size
        self.members, self.gravity, self.mass = members, gravity[of_state], mass[of_state]
        self.P = linked.directions[of_state][..., : linked.lifting]
        hubs = rover.linkage.hubs(linked.q)
        # The contacts in the axes of their links, from which they are known in every other posture.
        self.at = (np.swapaxes(hubs.axes, -1, -2) @ (linked.points - hubs.center)[..., None])[of_state]
        rows = np.arange(len(of_state))[:, None]
        self.start, self.normals = (part[of_state][rows, members] for part in (linked.points, linked.normals))
        count = len(of_state)
        self.begin = _Posture(np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros(count), linked.q[of_state])

    def some(self, rows: Ints) -> _Curves:
        """Some of them."""
        other = object.__new__(_Curves)
        other.__dict__.update(self.__dict__)
        for part in ("members", "gravity", "mass", "P", "at", "start", "normals"):
            setattr(other, part, getattr(self, part)[rows])
        return other

    def moved(self, at: _Posture, step: Floats) -> _Posture:
        """Postures after steps (k, r)."""
        return _Posture(_rotation(step[:, 1], step[:, 2]) @ at.R, at.z + step[:, 0],
                        at.q + (self.P @ step[:, 3:, None])[..., 0])

    def heights(self, at: _Posture) -> tuple[Floats, Floats]:
        """Of the contacts that stay down, along the normals of the ground from where they were (k, r - 1), and how
        they grow with steps (k, r - 1, r).
        """
        hubs, rows = self.linkage.hubs(at.q), np.arange(len(at.q))[:, None]
        whole = hubs.center + (hubs.axes @ self.at)[..., 0]
        up = np.swapaxes(at.R, -1, -2)
        points, n = whole[rows, self.members] @ up, self.normals
        moved = points - self.start
        moved[..., 2] += at.z[:, None]
        joints = at.R[:, None] @ hubs.point_jacobian(whole)[rows, self.members] @ self.P[:, None]
        turned = np.cross(points, n)
        J = np.concatenate([n[..., 2:], turned[..., :2], (n[..., None, :] @ joints)[..., 0, :]], axis=-1)
        return (n * moved).sum(axis=-1), J

    def potential(self, at: _Posture) -> Floats:
        """(k,): J, the contacts that stay down being held on the mean."""
        hubs, rows = self.linkage.hubs(at.q), np.arange(len(at.q))[:, None]
        points = (hubs.center + (hubs.axes @ self.at)[..., 0])[rows, self.members]
        center, held = np.asarray(self.rover.mass_center(at.q)), points.mean(axis=1)
        place = (at.R @ center[..., None])[..., 0] - (at.R @ held[..., None])[..., 0] * (1.0, 1.0, 0.0)
        place[:, 2] += at.z
        return np.asarray(-self.mass * (self.gravity * place).sum(axis=-1))

    def slope(self, at: _Posture, tangent: Floats) -> Floats:
        """(k,): of the potential along the curves."""
        after, before = (self.potential(self.moved(at, sign * _SMALL * tangent)) for sign in (1.0, -1.0))
        return (after - before) / (2 * _SMALL)


def _rotation(a: Floats, b: Floats) -> Floats:
    """(k, 3, 3): of rotation vectors (a, b, 0)."""
    angle = np.hypot(a, b)
    s, c = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # sin t / t, (1 - cos t) / t^2
    rows = [1 - c * b * b, c * a * b, s * b, c * a * b, 1 - c * a * a, -s * a, -s * b, s * a, 1 - c * (a * a + b * b)]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def work_over_linkage(
    rover: Rover, linked: LinkedState, tipping: TippingMotions, gravity: Floats, mass: Floats, holding: Floats
) -> Floats:
    """(s, motions): J that it takes through each motion under gravity (s, 3) as it acts, of states in a row with masses
    (s,); where gravity does not hold it (`holding`, (s, motions), below zero), less what would bring it back. Infinite
    where there is no such motion.
    """
    linkage = rover.linkage
    assert linkage is not None
    if linkage.robot.loops or rover.nq != rover.n:
        what = "loops" if linkage.robot.loops else "joints with other coordinates than speeds"
        raise ModelError(f"margins of stability in joules: rover '{rover.name}' has wheels on links and {what}: how "
                         "far such a linkage turns is not known; its margin in metres is")
    known = np.isfinite(holding) & tipping.there
    if not len(gravity):
        return holding
    # Postures that come again take the same work.
    _, first, again = np.unique(np.concatenate([linked.q, gravity, linked.points.reshape(len(gravity), -1)], axis=-1),
                                axis=0, return_index=True, return_inverse=True)
    work = np.where(tipping.there, np.nan, np.inf)[first]
    one, motion = np.nonzero(known[first])
    if len(one):
        state = first[one]
        curves = _Curves(rover, linked, gravity, mass, tipping.members[motion], state)
        sense = np.where(holding[state, motion] < 0, -1.0, 1.0)
        work[one, motion] = sense * _climbed(curves, sense[:, None] * tipping.motion[state, motion])
    return work[again.reshape(-1)]


def _climbed(curves: _Curves, tangent: Floats) -> Floats:
    """(k,): J, by how much the potential grows until it falls again."""
    scale = np.ones(tangent.shape[-1])
    scale[0] = 1.0 / curves.size  # heights count by the size of the base
    at, tangent = curves.begin, _unit(tangent * scale) / scale
    zero, slope = curves.potential(at), curves.slope(at, tangent)
    value, climbed, left = np.zeros(len(zero)), np.zeros(len(zero)), np.arange(len(zero))
    here = curves
    for _ in range(int(2 * _FURTHEST / _STEP)):
        last = at
        at, good, ahead = _stepped(here, last, np.full(len(left), _STEP), tangent, scale)
        new, rises = here.potential(at) - zero[left], here.slope(at, ahead)
        over = ~(rises > 0)
        climbed[left] = np.where(good, new, value)
        if len(top := np.flatnonzero(good & over)):
            some = here.some(top)
            part = _STEP * _top(value[top], slope[top], new[top], rises[top])
            near, _, along = _stepped(some, last.some(top), part, tangent[top], scale)
            # What is left to the top of a parabola from there.
            bend = (slope[top] - rises[top]) / _STEP
            more = some.slope(near, along) ** 2 / (2 * np.where(bend > 0, bend, np.inf))
            climbed[left[top]] = some.potential(near) - zero[left[top]] + more
        go = np.flatnonzero(good & ~over)
        if not len(go):
            return climbed
        left, at, here = left[go], at.some(go), curves.some(left[go])
        value, slope, tangent = new[go], rises[go], ahead[go]
    climbed[left] = np.inf  # there is no end to it
    return climbed


def _stepped(
    curves: _Curves, at: _Posture, length: Floats, tangent: Floats, scale: Floats
) -> tuple[_Posture, Bools, Floats]:
    """Postures on the curves after steps of a length (k,), which of them are there, and the tangents there."""
    at = curves.moved(at, length[:, None] * tangent)
    for _ in range(_CORRECTIONS):
        gaps, J = curves.heights(at)
        if not (np.abs(gaps) > _EXACT * curves.size).any():
            break
        rows = np.concatenate([J / scale, (tangent * scale)[:, None]], axis=-2)
        right = np.concatenate([gaps, np.zeros((len(gaps), 1))], axis=-1)
        bad = ~(np.linalg.cond(rows) < _SINGULAR)
        rows[bad], right[bad] = np.eye(rows.shape[-1]), 0.0
        at = curves.moved(at, -np.linalg.solve(rows, right[..., None])[..., 0] / scale)
    ahead = np.linalg.svd(J / scale, full_matrices=True)[2][..., -1, :] / scale  # what stays free
    ahead *= np.sign((ahead * tangent * scale**2).sum(axis=-1))[:, None]
    return at, np.asarray((np.abs(gaps) < _GOOD * curves.size).all(axis=-1)), ahead


def _unit(vectors: Floats) -> Floats:
    result: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return result


def _top(low: Floats, rising: Floats, high: Floats, falling: Floats) -> Floats:
    """(k,): where in a step a cubic with these values and slopes at both ends is largest, 0 to 1."""
    b, c = rising * _STEP, 3 * (high - low) - (2 * rising + falling) * _STEP
    d = 2 * (low - high) + (rising + falling) * _STEP
    root = np.sqrt(np.maximum(c * c - 3 * d * b, 0.0))  # b + 2 c t + 3 d t^2 = 0
    apart = root - c != 0
    return np.clip(np.where(apart, b / np.where(apart, root - c, 1.0), 0.0), 0.0, 1.0)
