"""A load case at rest: poses, what acts more, and torques that an emergency brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.motion.with_units import through_in_si
from loadpath.parts.verdict.momentary import Event
from loadpath.robot.arrays import numbers
from loadpath.robot.numbers import known, number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion
    from loadpath.quantities.table import RobotQuantities
    from loadpath.quantities.wrench import Wrench


@dataclass(frozen=True, eq=False)
class Static:
    """A robot at rest in some poses, or in given states, with what acts there."""

    robot: RobotQuantities
    states: tuple[Floats, Floats, Floats]
    external: Mapping[str, Wrench] | None
    torques: Mapping[str, float]
    """N m (N) that gears give to their joints at least, as the user says."""
    words: str

    @property
    def event(self) -> Event:
        """For a verdict on momentary limits."""
        return Event(self.robot, self.states, LoadCase(external=self.external), self.gear_torques,
                     typed=frozenset(self.typed))

    @cached_property
    def held(self) -> dict[str, float]:
        """N m (N): the largest that each gear gives to its joint in the states."""
        robot = self.robot
        case = LoadCase(external=self.external)
        tau = np.asarray(robot.inverse_dynamics(*self.states, **case.keywords))
        for joint in robot.joints:
            where = robot.v_slices.get(joint.name)
            if where is not None and joint.mimic is None:
                tau[:, where] -= joint.reflected_inertia * self.states[2][:, where]
        return dict(zip(robot.dof_names, np.abs(tau).max(axis=0).tolist(), strict=True))

    @property
    def typed(self) -> dict[str, float]:
        """Of these, what the user says is more."""
        return {name: torque for name, torque in self.torques.items() if torque > self.held[name]}

    @property
    def gear_torques(self) -> dict[str, float]:
        """N m (N) that gears give to their joints."""
        return {**self.held, **self.typed}


def static(
    robot: RobotQuantities,
    motion: Motion | Any = None,
    *,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    external: Mapping[str, Wrench] | None = None,
    torques: Mapping[str, float] | None = None,
    payload: float | str = 0.0,
    center_of_mass: ArrayLike = (0.0, 0.0, 0.0),
    link: str | None = None,
) -> Static:
    """A load case at rest, in the poses of a motion or in `q`, (nq,) or (poses, nq); with speeds and accelerations
    where these are given. `payload` (kg) is carried in addition, at `center_of_mass` (m) of `link`; `external` are
    wrenches from outside; `torques` are those that an emergency brings at the gears of joints (N m, N).

    >>> import loadpath as lp
    >>> round(static(lp.catalog.planar(1), q=[0.0], payload=2.0).gear_torques["joint1"], 9)   # 2 g + g / 2
    24.525
    """
    if q is None:
        if qd is not None or qdd is not None:
            raise ValueError("static: speeds and accelerations are of given poses: expected q, too")
        if motion is None:
            raise ValueError("static: no poses are known: expected q")
        poses = np.asarray(motion[0] if isinstance(motion, tuple) else motion.q, dtype=float)
        poses = poses.reshape(-1, robot.nq)
        poses = poses[np.isfinite(poses).all(axis=1)]
        if not len(poses):
            raise ValueError("static: no pose of the motion is a number: give q")
        words = f"{len(poses)} poses of the motion" if len(poses) != 1 else "the pose of the motion"
    else:
        poses = _rows(robot, "q", q, robot.nq)
        words = f"{len(poses)} given poses" if len(poses) != 1 else "a given pose"
    speeds, gains = (np.zeros((1, robot.n)) if each is None else _rows(robot, name, each, robot.n)
                     for name, each in (("qd", qd), ("qdd", qdd)))
    for name, rows in (("qd", speeds), ("qdd", gains)):
        if len(rows) not in (1, len(poses)):
            raise ValueError(f"static: {name} has {len(rows)} rows, and q has {len(poses)}: expected one, or as many")
    moving = [np.broadcast_to(each, (len(poses), robot.n)) for each in (speeds, gains)]
    for name in external or {}:
        known(name, robot.link_names, "link")
    brought = {name: _torque(robot, name, value) for name, value in (torques or {}).items()}
    mass = number(in_si(payload, ("mass",), "payload"), "static: payload")
    if mass < 0:
        raise ValueError(f"static: payload is {mass:g} kg: expected zero or more")
    if mass:
        name = next(f"overload{k or ''}" for k in range(len(robot.links) + 1)
                    if f"overload{k or ''}" not in robot.link_names)
        robot = robot.with_payload(mass, center_of_mass, link=link, name=name)  # type: ignore[attr-defined]
    elif link is not None:
        raise ValueError("static: 'link' says where a payload is, and there is none: give payload, kg")
    return Static(robot, (poses, moving[0], moving[1]), external, brought, words)


STATES = {"q": "through", "qd": "velocity", "qdd": "acceleration"}
"""States, and the options of a motion through points that have their units."""


def states_in_si(robot: RobotQuantities, name: str, given: Any) -> Any:
    """One state of the joints, or several, text with units of what each joint does as numbers.

    >>> import loadpath as lp
    >>> states_in_si(lp.catalog.planar(2), "q", ["90 deg", 0]), states_in_si(lp.catalog.planar(2), "q", [[1, 2]])
    ([1.5707963267948966, 0], [[1, 2]])
    """
    if not isinstance(given, (list, tuple, Mapping)):
        return given
    several = not isinstance(given, Mapping) and bool(given) and all(
        isinstance(row, (list, tuple, Mapping)) for row in given)
    key = STATES[name]
    rows = [through_in_si(robot, key, [row])[0] if key == "through" else through_in_si(robot, key, row)
            for row in (given if several else [given])]
    return rows if several else rows[0]


def _rows(robot: RobotQuantities, name: str, given: ArrayLike, count: int) -> Floats:
    try:
        found = numbers(states_in_si(robot, name, given), name)
    except TypeError:
        found = np.empty(0)
    if found.ndim not in (1, 2) or found.shape[-1] != count or not found.size or not np.isfinite(found).all():
        raise ValueError(f"static: {name} is {given!r}: expected {count} finite numbers for robot '{robot.name}', or "
                         "rows of so many")
    return found.reshape(-1, count)


def _torque(robot: RobotQuantities, name: str, value: object) -> float:
    if name not in robot.dof_names:
        known(name, robot.dof_names, "joint")
    found = number(in_si(value, ("torque", "force"), "torques"), f"static: the torque at '{name}'")
    if found < 0:
        raise ModelError(f"static: the torque at '{name}' is {found:g}: expected a magnitude, zero or more")
    return found
