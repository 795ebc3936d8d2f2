"""Which limits a motion shall keep: those of the robot, its drives and parts, changed and added to by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from loadpath.fastest.cones import Cone, FrictionCone
from loadpath.fastest.cups import limits_of_cups
from loadpath.fastest.demands import known_sum
from loadpath.fastest.equivalent import limits_of_bearings
from loadpath.fastest.limits import Limits, Magnitudes, Name
from loadpath.fastest.loads import ACCELERATION, BASE, DRIVE, SPEED, Model
from loadpath.fastest.means import limits_of_means
from loadpath.fastest.of_beams import limits_of_beams, refuse_bent_loops
from loadpath.fastest.of_parts import limits_of_parts
from loadpath.fastest.power import limits_of_power
from loadpath.fastest.rates import OF_RATES, limits_of_rates
from loadpath.loads.resultants import RESULTANTS, axes_of, effort_limits, resultants
from loadpath.motion.checks import limits_with_followers
from loadpath.motion.via_points import speed_limits
from loadpath.quantities.carriers import driven
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import ArrayLike, Floats

OF_DRIVES = (("torque", DRIVE), ("speed", SPEED), ("acceleration", ACCELERATION))
OF_JOINTS = {"axial_force": "axial_force", "radial_force": "radial_force", "axial_torque": "axial_torque",
             "tilting_moment": "tilting_moment", "force": "force", "moment": "torque"}
"""Resultants of joint wrenches, by what `peak_loads` calls them: "torque" is that of a drive here."""
KINDS = (*(kind for kind, _ in OF_DRIVES), *OF_RATES, *OF_JOINTS, "mean_torque", "equivalent_load", "friction", "parts",
         "base", "spill", "stress", "deflection", "power")
"""What can be limited, by the keys of `limits`."""

BY_WRENCHES = (*OF_JOINTS, "equivalent_load", "friction")

Given = Mapping[str, "ArrayLike | Mapping[str, Any] | bool | None"]


def asked_limits(
    robots: Sequence[Any], limits: Given | None, factor: float | Mapping[str, float],
    external: Mapping[str, Any] | None = None,
) -> tuple[list[Limits], list[str]]:
    """The limits of all robots, those of speed and acceleration once; and what their parts have that is none."""
    given = dict(limits or {})
    for kind in given:
        known(kind, KINDS, "kind of limit")
    shares = _factors(factor)
    found: list[Limits] = []
    left_out: list[str] = []
    for number_, robot in enumerate(robots):
        model = Model(robot, external)
        suffix = f" ({number_ + 1})" if len(robots) > 1 else ""
        for kind, load in OF_DRIVES:
            if kind != "torque" and number_ > 0:
                continue  # of another payload they are the same
            capacity = _capacity(robot, kind, given.get(kind)) * shares.get(kind, 1.0)
            columns = np.flatnonzero(np.isfinite(capacity)).tolist()
            if columns:
                names = [Name(kind, robot.dof_names[k] + suffix, float(capacity[k]), _unit(robot, kind, k))
                         for k in columns]
                there = capacity[columns]
                found.append(Magnitudes(model, load, names, columns, there**2 if load == SPEED else there))
        for kind in OF_RATES:
            if kind != "jerk" or number_ == 0:
                found += limits_of_rates(model, kind, given.get(kind), shares.get(kind, 1.0), suffix)
        for kind in OF_JOINTS:
            if given.get(kind) not in (None, False):
                found += _resultants(model, kind, given[kind], shares.get(kind, 1.0), suffix)
        found += limits_of_bearings(model, given.get("equivalent_load"), shares.get("equivalent_load", 1.0), suffix)
        found += _friction(model, given.get("friction"), shares.get("friction", 1.0), suffix)
        found += _base(model, given.get("base"), shares.get("base", 1.0), suffix)
        found += limits_of_means(model, given.get("mean_torque"), shares.get("mean_torque", 1.0), suffix)
        found += limits_of_power(model, given.get("power"), shares.get("power", 1.0), suffix)
        found += limits_of_cups(model, given.get("spill"), shares.get("spill", 1.0), suffix)
        found += limits_of_beams(model, given.get("stress"), given.get("deflection"), shares, suffix)
        if robot.closing_names and robot.is_elastic:
            refuse_bent_loops(robot, (kind for kind in BY_WRENCHES if given.get(kind) not in (None, False)))
            left_out += ["stress of beams, checks of parts: a closed robot that bends"]
        elif given.get("parts", True) not in (None, False):
            of_parts = limits_of_parts(model, shares.get("parts", 1.0), suffix)
            found += of_parts.limits
            left_out += of_parts.left_out
    return found, left_out


def _size(axis: Floats, place: int, wrench: Floats) -> Floats:
    """The magnitude of a resultant of wrenches (..., 6), by its place among `RESULTANTS`."""
    parts = resultants(axis[None], wrench[..., None, :3], wrench[..., None, 3:])
    size: Floats = np.abs(parts[..., 0, place])
    return size


def _resultants(model: Model, kind: str, given: Any, share: float, suffix: str) -> list[Limits]:
    """Limits of one resultant of joint wrenches: by joints, or one number for all that have it."""
    robot, quantity = model.robot, OF_JOINTS[kind]
    axes = axes_of(robot)
    place = RESULTANTS.index(quantity)
    if not isinstance(given, Mapping):
        most = number(given, f"limit of {kind}")
        needs_axis = quantity not in ("force", "torque")
        given = {name: most for name, axis in zip(robot.closed_joint_names, axes, strict=True)
                 if not (needs_axis and np.isnan(axis).any())}
    found: list[Limits] = []
    for joint, value in given.items():
        k = robot.closed_joint_names.index(known(joint, robot.closed_joint_names, "joint"))
        capacity = share * number(value, f"{kind} limit of joint '{joint}'")
        if capacity <= 0:
            raise ValueError(f"{kind} limit of joint '{joint}' is {value}: expected more than zero")
        axis = axes[k]
        if np.isnan(axis).any() and quantity not in ("force", "torque"):
            raise ValueError(f"joint '{joint}' has no single axis, so it has no {kind.replace('_', ' ')}")
        unit = "N" if quantity.endswith("force") else "N m"
        name = Name(kind.replace("_", " "), joint + suffix, capacity, unit)
        found.append(Cone.of_joint(model, k, name, known_sum(partial(_size, axis, place)), capacity))
    return found


def _base(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Limits of resultants of the wrench of the foundation on the base, about its origin and against its z axis."""
    if given is None or given is False:
        return []
    if not isinstance(given, Mapping):
        raise ValueError(f"base is {given!r}: expected a dict like {{'force': 900, 'tilting_moment': 400}}, of "
                         f"{', '.join(OF_JOINTS)}")
    found: list[Limits] = []
    for kind, value in given.items():
        place = RESULTANTS.index(OF_JOINTS[known(kind, tuple(OF_JOINTS), "resultant of the base")])
        capacity = share * number(value, f"{kind} limit of the base")
        if capacity <= 0:
            raise ValueError(f"{kind} limit of the base is {value}: expected more than zero")
        name = Name(f"base {kind.replace('_', ' ')}", model.robot.base.name + suffix, capacity,
                    "N" if kind.endswith("force") else "N m")
        demand = known_sum(partial(_size, np.array([0.0, 0.0, 1.0]), place))
        found.append(Cone(model, name, demand, capacity, capacity, BASE, slice(0, 6)))
    return found


def _friction(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Friction cones, by the joints that press."""
    if given is None or given is False:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(each, FrictionCone) for each in given.values()):
        raise ValueError(f"friction is {given!r}: expected a dict from joints to lp.FrictionCone, like "
                         "{'payload': lp.FrictionCone(axis=(0, 0, 1), friction=0.4)}")
    robot = model.robot
    found: list[Limits] = []
    for joint, cone in given.items():
        k = robot.closed_joint_names.index(known(joint, robot.closed_joint_names, "joint"))
        kept = replace(cone, friction=share * cone.friction)
        weight = sum(link.inertia.mass for link in robot.links if link.name == robot.joints[k].child)
        scale = kept.capacity + kept.friction * weight * float(np.linalg.norm(robot.gravity))
        if scale <= 0:
            raise ValueError(f"what joint '{joint}' presses with friction has no weight, and nothing holds it: give "
                             "the FrictionCone hold= or fingers=, or the link a mass")
        name = Name("friction", joint + suffix, kept.capacity, "N")
        found.append(Cone.of_joint(model, k, name, known_sum(kept.demand), kept.capacity, scale))
    return found


def _capacity(robot: Any, kind: str, given: Any) -> Floats:
    """(n,): infinite where there is none."""
    none = np.full(robot.n, np.inf)
    if given is False:
        return none
    if kind == "torque":
        own = effort_limits(robot)
    elif kind == "speed":
        velocity = np.array([limit.velocity for limit in limits_with_followers(robot)])
        own = np.where(velocity > 0, velocity, np.inf)
    else:
        own = none
    found = own if given is True else speed_limits(given, own, robot.dof_names, kind)
    return np.where(driven(robot), found, np.inf) if kind == "torque" else found  # passive joints of loops give none


def _unit(robot: Any, kind: str, k: int) -> str:
    turning = [turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular][k]
    return {"torque": ("N", "N m"), "speed": ("m/s", "rad/s"), "acceleration": ("m/s^2", "rad/s^2")}[kind][turning]


def _factors(factor: float | Mapping[str, float]) -> dict[str, float]:
    by_kind = dict(factor) if isinstance(factor, Mapping) else dict.fromkeys(KINDS, factor)
    for kind, value in by_kind.items():
        known(kind, KINDS, "kind of limit")
        by_kind[kind] = number(value, f"factor of {kind}")
        if by_kind[kind] <= 0:
            raise ValueError(f"factor of {kind} is {value}: expected more than zero")
    return by_kind
