"""Where a rigid base comes to rest on uneven ground: lowered until it stands, its origin over (x, y), with its heading.

Of the height z of its origin and of the angles of C = Rz(heading) Ry(pitch) Rx(roll) those are sought with the least
potential energy, no contact being below the ground: what a base at rest does that friction holds along the ground.
The gaps are linear for small steps, so that every step is a linear program within a trust region.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.spatial.forces import SpatialForces
from loadpath.mobile.spatial.geometry import Touch, rotation_of
from loadpath.mobile.spatial.input import Input, Place
from loadpath.scalars.types import Floats

_STEPS, _WIDEST, _DONE = 200, 0.1, 1e-9
_ON, _EXACT = 1e-7, 1e-13
_STEEP = 1.2
"""rad: pitch or roll beyond which a base does not stand."""


def lowered(forces: SpatialForces, at: Input, pose: Floats) -> tuple[Place, Floats]:
    """Place and quaternion."""
    from scipy.optimize import linprog

    contacts, size = forces.contacts, forces.contacts.extent
    still = at._replace(U=np.zeros(len(at.U)), given=np.zeros(len(at.given)))
    center = np.asarray(forces.rover.mass_center(at.q), dtype=float)
    down = forces.gravity / max(float(np.sqrt(forces.gravity @ forces.gravity)), 1e-300)
    x = np.array([_above(forces, pose), 0.0, 0.0])
    scale = np.array([1.0, 1.0 / size, 1.0 / size])

    def touching(x: Floats) -> tuple[Touch, Floats]:
        """Contacts, and what (z, pitch, roll) do to their gaps."""
        place = _place(pose, x)[0]
        touch = contacts.touch(still._replace(place=place))
        return touch, touch.G[:, :6] @ _twists(pose, place)

    trust = _WIDEST * size
    for _ in range(_STEPS):
        touch, rates = touching(x)
        place = _place(pose, x)[0]
        twists = _twists(pose, place)
        moves = place.rotation @ (twists[:3] + np.cross(twists[3:], center, axisa=0, axisb=0, axisc=0))
        found = linprog(-(down @ moves) * scale, A_ub=-rates * scale, b_ub=touch.apart, bounds=[(-trust, trust)] * 3,
                        method="highs", options={"primal_feasibility_tolerance": 1e-10})
        if not found.success:
            x = x + np.array([0.5 * trust, 0.0, 0.0])
            continue
        x = x + scale * found.x
        largest = float(np.abs(found.x).max())
        if np.abs(x[1:]).max() > _STEEP:
            break
        if largest < _DONE * size:
            return _place(pose, _exact(x, touching, scale))
        if largest < trust * (1 - 1e-9):
            trust = 0.5 * trust if largest > 0.25 * trust else trust
        if float(touching(x)[0].apart.min()) < -0.1 * trust:
            trust *= 0.5
    raise ModelError(f"rover '{forces.rover.name}' does not stand on the ground at {pose[:2].tolist()} with the "
                     f"heading {pose[2]:.4g} rad: it would fall over, or has no three contacts to stand on")


def _exact(x: Floats, touching: Callable[[Floats], tuple[Touch, Floats]], scale: Floats) -> Floats:
    """The same with no gap at what touches."""
    on = None
    for _ in range(8):
        touch, rates = touching(x)
        on = touch.apart < _ON if on is None else on
        gap = touch.gap[on]
        if not len(gap) or float(np.abs(gap).max()) < _EXACT:
            break
        x = x - scale * np.linalg.lstsq(rates[on] * scale, gap, rcond=1e-9)[0]
    return x


def _above(forces: SpatialForces, pose: Floats) -> float:
    """A height at which all contacts are above the ground."""
    contacts, ground = forces.contacts, forces.rover.ground
    reach = float(contacts.radius.max(initial=0.0))
    around = np.linspace(-1.0, 1.0, 9) * reach
    c, s = np.cos(pose[2]), np.sin(pose[2])
    centers = contacts.centers
    x = pose[0] + c * centers[:, 0] - s * centers[:, 1]
    y = pose[1] + s * centers[:, 0] + c * centers[:, 1]
    heights = [float(ground.height(px + a, py + b).max()) for px, py in zip(x, y, strict=True)
               for a, b in ((around, 0.0 * around), (0.0 * around, around))]
    lowest = float((centers[:, 2] - contacts.radius[: len(centers)]).min())
    return max(heights) - lowest + 1e-3 * contacts.extent


def _place(pose: Floats, x: Floats) -> tuple[Place, Floats]:
    """Place and quaternion of (z, pitch, roll)."""
    (h, p, r), half = (pose[2], x[1], x[2]), 0.5
    (ch, sh), (cp, sp), (cr, sr) = ((np.cos(half * a), np.sin(half * a)) for a in (h, p, r))
    quaternion = np.array([ch * cp * sr - sh * sp * cr, ch * sp * cr + sh * cp * sr, sh * cp * cr - ch * sp * sr,
                           ch * cp * cr + sh * sp * sr])
    return Place(np.array([pose[0], pose[1], x[0]]), rotation_of(quaternion)), quaternion


def _twists(pose: Floats, place: Place) -> Floats:
    """(6, 3): velocity and angular velocity of the base per rate of z, pitch and roll, in base axes."""
    result = np.zeros((6, 3))
    result[:3, 0] = place.rotation[2]
    result[3:, 1] = np.array([-np.sin(pose[2]), np.cos(pose[2]), 0.0]) @ place.rotation
    result[3:, 2] = 1.0, 0.0, 0.0
    return result
