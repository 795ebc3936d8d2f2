"""The steady-state rollover threshold: the lateral acceleration at which a rover on tyres and springs rolls over.

The acceleration a pushes the mass center (height h, weight W = m g) outwards. The base leans outwards by phi on its
springs and sways by m a / K_y on the lateral stiffness K_y of its contacts, both of which carry the weight outwards,

    m a h + W (h phi + m a / K_y) = M,      a / g = (M / W - h phi(M)) / (h + W / K_y),

where M is the moment of the normal forces about the line through the mass center, and phi(M) how far the base leans
under it. The threshold is the largest a of all M up to where only an edge carries: after it no steady turn is possible.
For one axle of the track t on springs of the roll stiffness K the inner wheels lift at M = W t / 2, and it is

    (t / 2) (1 - W h / K) / (h + W / K_y),      t / 2h where nothing gives way.

With several axles, or another share of the weight, wheels lift one after the other: phi(M) is then piecewise linear.
Small angles; the roll axis lies on the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.springs import Springs
from loadpath.mobile.standards.reading import at_least
from loadpath.mobile.standards.result import StandardRow, StandardTest
from loadpath.mobile.tyres import base_compliance
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

SIDES = {"to the left": (0.0, 1.0), "to the right": (0.0, -1.0)}
"""Where it rolls over to, as the direction in which it is pushed."""
_STEPS, _ROUNDS = 401, 8
_EDGE = 1.0 - 1e-9
"""Share of the moment at which only an edge carries, where the lean is not defined any more."""


def rollover_threshold(
    rover: Rover, q: StatesLike | None = None, *, minimum: float = 0.35, lateral_stiffness: float | None = None
) -> StandardTest:
    """Steady-state rollover threshold (lateral acceleration over g) to the left and to the right, with the tyres and
    springs under the base (`stiffness`, `suspension` of its contacts; rigid without), against a `minimum`.
    `lateral_stiffness` (N/m) of all contacts together, else that of their `grip_stiffness`, else they do not sway.

    >>> import loadpath as lp
    >>> def truck(**springs):
    ...     wheels = [lp.FixedWheel((x, y), 0.5, **springs) for x in (0.0, 4.0) for y in (-1.0, 1.0)]
    ...     return lp.WheeledBase(mass=9000, center_of_mass=(2, 0, 1.5), wheels=wheels).carrying()
    >>> round(truck().standards.rollover_threshold().rows[0].limit, 6)                       # t / 2h
    0.666667
    >>> row = truck(stiffness=8e5).standards.rollover_threshold().rows[0]
    >>> K, W = 4 * 8e5 * 1.0**2, 9000 * 9.81
    >>> round(row.limit, 6), round((1 - W * 1.5 / K) / 1.5, 6)                              # (t / 2) (1 - W h / K) / h
    (0.639076, 0.639076)
    """
    least = at_least(minimum, "minimum", "g")
    standing = rover.stability(q)
    state = standing.state
    if state.placed.points.ndim > 2 and rover.linkage is None:
        raise ValueError("rollover_threshold: casters with a trail are at other places from state to state: ask for "
                         "one state at a time")
    weight = -np.asarray(state.gravity)[..., 2] * standing.mass
    if rover.ground.slope:
        raise ValueError(f"rollover_threshold is on level ground, the rover stands on a slope of "
                         f"{rover.ground.slope:g} rad: rover.on(lp.Ground()) is on the level")
    if rover.linkage is not None and (lateral_stiffness is not None or rover.base.on_tyres):
        raise ValueError(f"rollover_threshold: rover '{rover.name}' has wheels on links, and its contacts give way: "
                         "leave lateral_stiffness and stiffness out, or set the wheels on the base")
    if lateral_stiffness is None and rover.linkage is not None:
        plane = np.zeros((3, 3))
    elif lateral_stiffness is None:
        plane = base_compliance(rover)[np.ix_((0, 1, 5), (0, 1, 5))]
    else:
        plane = np.diag([1.0, 1.0, 0.0]) / at_least(lateral_stiffness, "lateral_stiffness", "N/m", above=True)
    centers = standing.mass_center.reshape(-1, 3)
    rows = []
    for side, direction in SIDES.items():
        if rover.linkage is not None:
            each = _of_linkage(rover, q, direction)
        else:
            each = [_threshold(rover, state.placed.points, center, float(weight), np.array(direction), plane)
                    for center in centers]
        k = int(np.argmin([one["threshold"] for one in each]))
        numbers = each[k]
        rows.append(StandardRow(
            f"rolls over {side}", least, numbers.pop("threshold"), "g",
            "after ISO 22135 in its purpose (its text was not at hand); 0.35 g is the minimum of New Zealand's rule "
            "for heavy vehicles (Vehicle Dimensions and Mass 2016)",
            "Steady turn on the level, small angles, arms held, the roll axis on the ground, springs that do not pull",
            {**numbers, **({"state": float(k)} if len(each) > 1 else {})},
        ))
    return StandardTest("rollover threshold", rover.name, tuple(rows))


def _of_linkage(rover: Rover, q: StatesLike | None, outward: tuple[float, float]) -> list[dict[str, Any]]:
    """The same where wheels are on links, all of them rigid: the acceleration at which the linkage tips."""
    most = rover.largest_acceleration(q, direction=(-outward[0], -outward[1], 0.0))
    return [{"threshold": float(a) / rover.ground.gravity, "lean (rad)": 0.0, "rigid": float(a) / rover.ground.gravity,
             "lateral compliance (m/N)": 0.0} for a in np.ravel(most)]


def _threshold(
    rover: Rover, points: Floats, center: Floats, weight: float, outward: Floats, plane: Floats
) -> dict[str, Any]:
    """The largest a / g, where it is, and what it would be on rigid contacts. `plane` (3, 3) is the compliance of the
    contacts in the plane, in x, y and the rotation about z, at the origin.
    """
    height = float(center[2])
    along = np.array([*outward, center[0] * outward[1] - center[1] * outward[0]])
    sway = float(along @ plane @ along)  # of the mass center under a force there
    if height <= 0:
        raise ModelError(f"rollover_threshold: the mass center of '{rover.name}' lies {height:.4g} m high: expected "
                         "above the ground")
    reach = _reach(rover, center, outward)
    if not all(wheel.stiffness is not None or wheel.suspension is not None for wheel in rover.base.wheels):
        return {"threshold": reach / (height + weight * sway), "lean (rad)": 0.0, "rigid": reach / height,
                "lateral compliance (m/N)": sway}
    low, high = 0.0, _EDGE * reach * weight
    upright = _lean(rover, points, center, weight, outward, np.zeros(1))[0]
    best = lean = 0.0
    for _ in range(_ROUNDS):
        moments = np.linspace(low, high, _STEPS)
        leans = _lean(rover, points, center, weight, outward, moments) - upright
        values = (moments / weight - height * leans) / (height + weight * sway)
        k = int(values.argmax())
        best, lean = float(values[k]), float(leans[k])
        low, high = float(moments[max(k - 1, 0)]), float(moments[min(k + 1, _STEPS - 1)])
    return {"threshold": best, "lean (rad)": lean, "rigid": reach / height, "lateral compliance (m/N)": sway}


def _reach(rover: Rover, center: Floats, outward: Floats) -> float:
    """m from the mass center to the boundary of the support polygon, straight outwards."""
    edges = rover.edges
    x, y = edges.along[edges.there].T
    inside = x * (center[1] - edges.start[edges.there][:, 1]) - y * (center[0] - edges.start[edges.there][:, 0])
    speed = y * outward[0] - x * outward[1]
    over = speed > 1e-12
    return float((inside[over] / speed[over]).min())


def _lean(
    rover: Rover, points: Floats, center: Floats, weight: float, outward: Floats, moments: Floats
) -> Floats:
    """rad by which the base leans outwards, the resultant of its normal forces moved so that it has these moments."""
    at = center[:2] + (moments / weight)[:, None] * outward
    load = np.column_stack([np.full(len(moments), weight), at[:, 1] * weight, -at[:, 0] * weight])
    tilts = rotations_on_springs(rover, points, load)
    # A rotation (a, b) about x and y lowers a point outwards by b u_x - a u_y a metre.
    return np.asarray(tilts[:, 1] * outward[0] - tilts[:, 0] * outward[1])


def rotations_on_springs(rover: Rover, points: Floats, load: Floats) -> Floats:
    """(s, 2): rotations (rad) of the base about x and y on its springs, under loads (s, 3) F_z, N_x, N_y."""
    return Springs(rover.base).settle(points, load, np.asarray(rover.ground.gravity)).base[:, 1:]
