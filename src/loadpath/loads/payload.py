"""The largest payload that a robot carries through a motion: `robot.max_payload(motion, limits)`.

Drive forces and joint wrenches are sums over bodies and linear in their masses: with a payload of mass m, each is
(what it is without) + m (what a payload of 1 kg adds). So two evaluations, without a payload and with one of 1 kg, give
the mass at which every limit is reached in every state: by a division, or by a quadratic equation for magnitudes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.resultants import RESULTANTS, axes_of, effort_limits
from loadpath.motion.spectrum import DutySpectrum
from loadpath.printable import printable
from loadpath.quantities.carriers import carrier, drive_names
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot import edit
from loadpath.robot.model import RobotModel
from loadpath.robot.parameters import payloads_of
from loadpath.scalars.types import Floats
from loadpath.states import Block, StateBatch, StatesLike
from loadpath.states.batch import WRENCH_BLOCK, states_of
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

Limits: TypeAlias = Mapping[str, Any]
"""Limits by the names of drives and joints."""


@dataclass(frozen=True, eq=False)
class LimitReached:
    """One limit: the mass at which it is reached, and where."""

    name: str
    """Of the joint, or of the drive's degree of freedom."""
    quantity: str
    """"drive", a component like "force_x", or a resultant like "tilting_moment"."""
    lower: float
    upper: float
    mass: float
    """kg: with more, the limit is exceeded; 0 if it is without any payload, infinite if no payload loads it."""
    exceeded: bool
    """Whether it is exceeded without any payload."""
    sample: int
    """Number of the state where it is reached first."""
    time: float | None
    """s, if the states are a motion."""
    q: Floats = field(repr=False)
    motion: str = ""
    """Name of the motion in a duty spectrum; sample and time are those in it."""


@dataclass(frozen=True, eq=False, repr=False)
class MaxPayload:
    """The largest payload within all limits, and the limit that binds."""

    mass: float
    """kg; 0 if a limit is exceeded without any payload, infinite if no payload brings any limit nearer."""
    binding: LimitReached | None
    """The limit that is reached first; None where the mass is infinite."""
    limits: tuple[LimitReached, ...]
    """All limits, the first to be reached in front."""
    link: str
    """The link that carries the payload."""
    carried: float = 0.0
    """kg of payload that the robot carries already: `mass` is in addition to it."""

    @property
    def exceeded(self) -> bool:
        """Whether a limit is exceeded without any payload."""
        return self.binding is not None and self.binding.exceeded

    def __float__(self) -> float:
        return self.mass

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        """In words."""
        if self.binding is None:
            return printable(f"no payload on '{self.link}' brings any of the {len(self.limits)} limits nearer")
        by, where = self.binding, f"sample {self.binding.sample}"
        where += "" if by.time is None else f" (t = {by.time:.6g} s)"
        where += f" of '{by.motion}'" if by.motion else ""
        if by.exceeded:
            return printable(
                f"no payload on '{self.link}': without any, {by.quantity} of '{by.name}' is beyond its limit at {where}"
            )
        bound = f"bound by {by.quantity} of '{by.name}' at {where}"
        more = f", in addition to the {self.carried:.6g} kg that it carries" if self.carried else ""
        return printable(f"payload of {self.mass:.6g} kg on '{self.link}'{more}, {bound}")

    def _table(self) -> Table:
        """All limits, the first to be reached in front."""
        rows: list[tuple[str, ...]] = []
        for limit in self.limits:
            bound = f"{limit.upper:.6g}" if limit.lower == -limit.upper else f"{limit.lower:.6g} .. {limit.upper:.6g}"
            when = f"sample {limit.sample}" if limit.time is None else f"{limit.time:.6g} s"
            when += f" of {printable(limit.motion)}" if limit.motion else ""
            mass = "exceeded" if limit.exceeded else f"{limit.mass:.6g}"
            rows.append((printable(limit.name), limit.quantity, bound, mass, "" if math.isinf(limit.mass) else when))
        return Table(str(self), ["joint or drive", "quantity", "limit", "mass (kg)", "at"], rows, left=2, right=1)

    def _repr_html_(self) -> str:
        return self._table().html()

    def to_table(self) -> str:
        """All limits as text, the first to be reached in front."""
        return self._table().text()


@takes_loads
def max_payload(
    robot: RobotQuantities,
    states: StatesLike | DutySpectrum,
    *arrays: ArrayLike | Limits | None,
    limits: Limits | None = None,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    inertia_per_mass: ArrayLike | None = None,
    model_limits: bool = True,
    **acting: Unpack[LoadKeywords],
) -> MaxPayload:
    """The largest payload (kg) that the robot carries through a motion, or holds in every state of a batch, before any
    limit is exceeded, and which one binds: in which joint, when.

    `states` is an `lp.Motion` or a simulation, an `lp.DutySpectrum`, or the array q with qd and qdd after it (or a
    tuple of all three). The payload sits on `link` (the only end of the arm unless given)
    with its mass center at `center_of_mass` (m, frame of the link): a point mass, or with `inertia_per_mass` (m^2,
    3 x 3, about the mass center, axes of the link) a body whose inertia grows with its mass. A payload that the robot
    carries already stays on.

    Limits are the effort limits of the model's drives (not with `model_limits=False`), and those given by names:
    `{"joint2": 80.0}` for the drive of a degree of freedom (N m or N), `{"joint3": {"radial_force": 900.0,
    "tilting_moment": 40.0, "force_z": (-100.0, 2000.0)}}` for the wrench at a joint: its components, or axial_force,
    radial_force, axial_torque, tilting_moment (about the joint's axis), force, torque (magnitudes).

    The answer is exact but for rounding: loads are linear in the payload's mass. Payloads that the robot has already
    stay on it: the answer is in addition to them.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)                           # rods of 1 m and 1 kg in a vertical plane
    >>> level = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    >>> arm.max_payload(level, {"joint1": 100.0})            # 9.81 (1 + m 2) = 100
    <payload of 4.09684 kg on 'tip', bound by drive of 'joint1' at sample 0>
    """
    qd, qdd, limits = _arrays_and_limits(arrays, limits)
    case = acting["under"]
    every = states_of(robot, "max_payload", states, qd, qdd, case)
    asked = limits_of(robot, limits, model_limits)
    if not asked:
        raise ValueError(f"robot '{robot.name}' has no limits of effort: give some, like limits={{'"
                         f"{(robot.dof_names or robot.joint_names or ('joint1',))[0]}': 100.0}}")
    name = free_payload_name(robot)
    tensor = None if inertia_per_mass is None else np.asarray(inertia_per_mass, dtype=float)
    loaded = edit.with_payload(robot, 1.0, center_of_mass, inertia=tensor, link=link, name=name)
    mass = np.full(len(asked), np.inf)
    sample = np.zeros(len(asked), dtype=np.intp)
    for block in every.blocks(WRENCH_BLOCK):
        for k, reached in enumerate(_masses(robot, loaded, block, asked)):
            where = int(np.argmin(reached))
            if not reached[where] >= mass[k]:
                _check(every, block.first + where, float(reached[where]))
                mass[k], sample[k] = reached[where], block.first + where
    found = [_reached(every, limit, float(m), int(s)) for limit, m, s in zip(asked, mass, sample, strict=True)]
    found.sort(key=lambda limit: (not limit.exceeded, limit.mass))
    first = found[0]
    carrier = loaded.joint(f"{name}_joint").parent
    carried = sum(robot.link(payload).inertia.mass for payload in payloads_of(robot))
    return MaxPayload(first.mass, None if math.isinf(first.mass) else first, tuple(found), carrier, carried)


def free_payload_name(robot: RobotModel) -> str:
    """A name for one payload more, which no link has, nor a joint that holds it."""
    name = "payload"
    while name in robot.link_names or f"{name}_joint" in robot.closed_joint_names:
        name += "_"
    return name


def _arrays_and_limits(
    given: tuple[ArrayLike | Limits | None, ...], limits: Limits | None
) -> tuple[ArrayLike | None, ArrayLike | None, Limits | None]:
    """What stands after the states: qd and qdd, the limits, or all of these."""
    before = list(given)
    if len(before) in (1, 3):
        last = before.pop()
        if limits is not None and last is not None:
            raise TypeError("max_payload got 'limits' twice")
        limits = cast("Limits | None", last) if limits is None else limits
    if len(before) not in (0, 2):
        raise TypeError("max_payload takes a motion, or q, qd and qdd, and after them the limits")
    qd, qdd = before or (None, None)
    return cast("ArrayLike | None", qd), cast("ArrayLike | None", qdd), limits


def _reached(states: StateBatch, limit: Limit, mass: float, sample: int) -> LimitReached:
    at, bounds = states.located(sample), (limit.lower, limit.upper)
    return LimitReached(limit.name, limit.quantity, *bounds, max(mass, 0.0), mass < 0, at.sample, at.time,
                        states.q[sample], at.motion)


def _check(states: StateBatch, sample: int, mass: float) -> None:
    if math.isnan(mass):
        raise ValueError(f"loads are not finite at {states.where(sample)}: q = {states.q[sample].tolist()}, "
                         f"qd = {states.qd[sample].tolist()}, qdd = {states.qdd[sample].tolist()}")


def _masses(robot: RobotQuantities, loaded: RobotQuantities, block: Block, limits: list[Limit]) -> list[Floats]:
    """For each limit, the mass (states,) at which it is reached in each state."""
    state, options = block.arrays, block.case.keywords
    drives = any(limit.quantity == "drive" for limit in limits)
    wrenches = any(limit.quantity != "drive" for limit in limits)
    tau = [of.inverse_dynamics(*state, **options) for of in (robot, loaded)] if drives else []
    wrench = [of.joint_wrenches(*state, **options) for of in (robot, loaded)] if wrenches else []
    axes = dict(zip(robot.closed_joint_names, axes_of(robot), strict=True))
    found = []
    for limit in limits:
        if limit.quantity == "drive":
            k = robot.dof_names.index(limit.name)
            found.append(_to_bounds(limit, tau[0][:, k], tau[1][:, k]))
            continue
        part = "force" if "force" in limit.quantity else "torque"
        start, end = (np.asarray(getattr(of[limit.name], part)) for of in wrench)
        axis = axes[limit.name]
        if limit.quantity in COMPONENTS:
            k = COMPONENTS.index(limit.quantity) % 3
            found.append(_to_bounds(limit, start[:, k], end[:, k]))
        elif limit.quantity in SIGNED:
            found.append(_to_bounds(limit, start @ axis, end @ axis))
        else:
            if limit.quantity in ("radial_force", "tilting_moment"):
                start, end = (vectors - (vectors @ axis)[:, None] * axis for vectors in (start, end))
            found.append(mass_to_length(limit.upper, start, _slope(start, end)))
    return found


def _to_bounds(limit: Limit, start: Floats, end: Floats) -> Floats:
    return mass_to_bounds(limit.lower, limit.upper, start, _slope(start, end))


def _slope(start: Floats, end: Floats) -> Floats:
    """What 1 kg adds; rounding of loads that it does not touch is no load."""
    slope = end - start
    size = 1e-13 * (np.abs(start) + np.abs(end)) if start.ndim == 1 else (
        1e-13 * np.linalg.norm(np.abs(start) + np.abs(end), axis=-1, keepdims=True)
    )
    return np.where(np.abs(slope) <= size, 0.0, slope)


# Limits that a payload can bring a robot to: efforts of drives, and components or resultants of joint wrenches.

SIGNED = (*COMPONENTS, "axial_force", "axial_torque")
"""Quantities that may have bounds to both sides; the others are magnitudes."""


SLACK = 1e-9
"""Relatively, a load may be beyond its limit by so much and still be at it: that is rounding."""


@dataclass(frozen=True)
class Limit:
    """Bounds of one quantity of a joint or drive; infinite where there is none."""

    name: str
    """Of the joint, or of the drive's degree of freedom."""
    quantity: str
    lower: float
    upper: float


def limits_of(robot: ClosableRobot, given: Mapping[str, Any] | None, model_limits: bool) -> list[Limit]:
    """All finite limits: the given ones, and those of the model's drives that are not given."""
    found: dict[tuple[str, str], Limit] = {}
    if model_limits:
        for name, effort in zip(robot.dof_names, effort_limits(robot).tolist(), strict=True):
            found[name, "drive"] = Limit(name, "drive", -effort, effort)
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"limits are {given!r}: expected a dict by names, like {{'{(*robot.dof_names, 'joint1')[0]}': "
                         "80.0}")
    for name, value in (given or {}).items():
        parts = value if isinstance(value, Mapping) else {"drive": value}
        for quantity, bound in parts.items():
            found[name, quantity] = _limit(robot, name, quantity, bound)
    return [limit for limit in found.values() if math.isfinite(limit.lower) or math.isfinite(limit.upper)]


def _limit(robot: ClosableRobot, name: str, quantity: str, bound: Any) -> Limit:
    what = f"limit of '{name}', {quantity}"
    names = drive_names(robot) if quantity == "drive" else robot.closed_joint_names
    if quantity not in ("drive", *COMPONENTS, *RESULTANTS):
        known = ", ".join(("drive", *COMPONENTS, *RESULTANTS))
        raise ValueError(f"{what}: there is no such quantity; there are {known}")
    if name not in names:
        kind = "joint" if quantity != "drive" else "drive" if name in robot.dof_names else "degree of freedom"
        raise ValueError(f"{what}: robot '{robot.name}' has no such {kind}; it has {', '.join(names)}")
    needs_axis = quantity in ("axial_force", "radial_force", "axial_torque", "tilting_moment")
    if needs_axis and carrier(robot, name).motion.axis_direction() is None:
        raise ValueError(f"{what}: the joint has no single axis; limit its force, torque or their components")
    pair = np.asarray(bound)
    if pair.dtype.kind not in "iuf":
        raise ValueError(f"{what} is {bound!r}: expected a number")
    if pair.shape == (2,) and (quantity in SIGNED or quantity == "drive"):
        lower, upper = float(pair[0]), float(pair[1])
    elif pair.shape == ():
        lower, upper = -float(pair), float(pair)
    else:
        raise ValueError(f"{what} is {bound!r}: expected a number"
                         f"{'' if quantity in RESULTANTS[1:] else ' or a pair (lowest, highest)'}")
    if not lower <= upper or upper < 0 or lower > 0:
        raise ValueError(f"{what} is {bound!r}: expected zero or more, or a pair around zero")
    return Limit(name, quantity, lower, upper)


def mass_to_bounds(lower: float, upper: float, start: Floats, slope: Floats) -> Floats:
    """The largest m >= 0 with lower <= start + m slope <= upper, per state; -1 where m = 0 is outside already.

    >>> mass_to_bounds(-10.0, 10.0, np.array([4.0, 4.0, 4.0, 11.0]), np.array([2.0, -2.0, 0.0, -1.0])).tolist()
    [3.0, 7.0, inf, -1.0]
    """
    room = np.where(slope > 0, np.maximum(upper - start, 0.0), np.minimum(lower - start, 0.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mass = np.where(slope == 0, np.inf, room / slope)
    slack = SLACK * (np.abs([bound for bound in (lower, upper) if np.isfinite(bound)]).max())
    return np.where((start > upper + slack) | (start < lower - slack), -1.0, mass)


def mass_to_length(limit: float, start: Floats, slope: Floats) -> Floats:
    """The largest m >= 0 with |start + m slope| <= limit, for vectors (..., 3); -1 where m = 0 is outside already.

    >>> mass_to_length(5.0, np.array([[3.0, 0, 0], [3, 4, 1]]), np.array([[0.0, 2, 0], [1, 0, 0]])).tolist()
    [2.0, -1.0]
    """
    a = np.einsum("...k,...k->...", slope, slope)
    b = np.einsum("...k,...k->...", start, slope)
    square = np.einsum("...k,...k->...", start, start)
    c = np.minimum(square - limit**2, 0.0)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Of the two ways to write the larger root, the one that adds numbers of one sign.
        mass = np.where(b > 0, -c / (b + root), (root - b) / a)
    return np.where(square > (limit * (1 + SLACK)) ** 2, -1.0, np.where(a == 0, np.inf, mass))
