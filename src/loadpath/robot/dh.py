"""Robots from tables of Denavit-Hartenberg parameters, standard (distal) and modified (proximal, Craig's).

The pose of frame i in frame i-1 is

    standard    Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha)        frame i at the far end of link i
    modified    Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d)        frame i on the axis of joint i

In a modified table the row of joint i holds what Craig calls alpha_{i-1} and a_{i-1}, as his tables do.

- J. Denavit, R. S. Hartenberg, A kinematic notation for lower-pair mechanisms based on matrices, J. Applied Mechanics
  22 (1955), 215-221.
- J. J. Craig, Introduction to Robotics: Mechanics and Control, 3rd ed., Pearson 2005, section 3.4.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, JointType, Prismatic, Revolute, X, Z
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.model import STANDARD_GRAVITY, RobotModel
from loadpath.robot.numbers import Matrix3, matrix3, number, numbers, vector3
from loadpath.robot.parts import Joint, Limits, Link
from loadpath.robot.pose import Pose
from loadpath.scalars import turn_about
from loadpath.scalars.types import ArrayLike

__all__ = ["DHRow", "from_dh"]

_PARAMETERS = ("theta", "d", "a", "alpha")
_ANGLES = ("theta", "alpha")
_JOINTS = ("revolute", "prismatic", "fixed")
_BASE = Link("base")


@dataclass(frozen=True)
class DHRow(Measured):
    """One joint and the link it moves. Lengths in m, angles in rad, masses in kg; nothing is checked before `from_dh`.

    The coordinate q is added to `theta` of a revolute row and to `d` of a prismatic one: what stands there is the value
    at q = 0. `offset` is added to it as well, for tables that keep it in a column of its own.

    >>> import loadpath as lp
    >>> row = lp.DHRow(a=0.5, alpha=1.57, mass=4.0, center_of_mass=(-0.25, 0, 0), limits=(-2, 2))
    >>> lp.from_dh([row, row]).dof_names
    ('joint1', 'joint2')
    """

    theta: float = field(default=0.0, metadata=measures("angle"))
    d: float = field(default=0.0, metadata=measures("length"))
    a: float = field(default=0.0, metadata=measures("length"))
    alpha: float = field(default=0.0, metadata=measures("angle"))
    joint: Literal["revolute", "prismatic", "fixed"] = "revolute"
    offset: float = field(default=0.0, metadata=measures("angle", "length"))
    mass: float = field(default=0.0, metadata=measures("mass"))
    center_of_mass: Sequence[float] = field(default=(0.0, 0.0, 0.0), metadata=measures("length"))
    """In the link's DH frame."""
    inertia: ArrayLike | None = field(default=None, metadata=measures("moment of inertia"))
    """3 x 3, or the three entries of its diagonal, in the axes of the link's DH frame; about the mass center unless
    `from_dh` is given another choice. None: a point mass."""
    viscous_friction: float = field(default=0.0, metadata=measures("damping", "damping of a slide"))
    coulomb_friction: float = field(default=0.0, metadata=measures("torque", "force"))
    rotor_inertia: float = field(default=0.0, metadata=measures("moment of inertia"))
    gear_ratio: float = field(default=1.0, metadata=measures("plain number"))
    limits: Limits | Sequence[float] | None = field(default=None, metadata=measures("angle", "length", Limits))
    """`Limits`, or a pair (lower, upper) of q."""
    name: str | None = None
    """Name of the joint; joint1, joint2, ... if not given."""
    link: str | None = None
    """Name of the link; link1, link2, ... if not given."""
    armature: float = field(default=0.0, metadata=measures("moment of inertia"))
    """In place of a rotor inertia at the motor's shaft: the rotor as felt at the joint, whatever the gear ratio."""


def from_dh(
    rows: Iterable[DHRow | Mapping[str, object] | Sequence[float]],
    convention: Literal["standard", "modified"] = "standard",
    *,
    inertia_at: Literal["center", "origin"] = "center",
    name: str = "robot",
    gravity: Sequence[float] = STANDARD_GRAVITY,
    base: Link = _BASE,
) -> RobotModel:
    """A serial arm from its Denavit-Hartenberg table.

    A row is a `DHRow`, a dict with the same keys, or the four numbers theta, d, a, alpha (in this order in both
    conventions) of a revolute joint without mass. What a dict leaves out is zero. Link frames are the DH frames; frame
    0, that of the link `base`, is the world's.

    `center_of_mass` and `inertia` of a link are given in its DH frame. With `inertia_at="center"` the tensor is about
    the mass center (as in Corke's toolbox), with "origin" about the frame's origin (as identification gives it).

    >>> import numpy as np
    >>> arm = from_dh([
    ...     dict(d=0.4, alpha=np.pi / 2, mass=4, center_of_mass=(0, -0.2, 0), inertia=(0.06, 0.01, 0.06)),
    ...     dict(a=0.5, mass=3, center_of_mass=(-0.25, 0, 0), inertia=(0.005, 0.07, 0.07), limits=(-2, 2)),
    ...     dict(joint="prismatic", theta=np.pi, d=0.1, mass=1),
    ... ])
    >>> arm.joint_names, arm.link_names
    (('joint1', 'joint2', 'joint3'), ('base', 'link1', 'link2', 'link3'))
    >>> arm.joint("joint1").link_offset.rotation          # exact zeros and ones
    ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    """
    links, joints = links_and_joints(rows, convention, inertia_at=inertia_at, base=base)
    return RobotModel(name, links, joints, vector3(gravity, "gravity"))


def links_and_joints(
    rows: Iterable[DHRow | Mapping[str, object] | Sequence[float]],
    convention: Literal["standard", "modified"] = "standard",
    *,
    inertia_at: Literal["center", "origin"] = "center",
    base: Link = _BASE,
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """The links and joints of a table, for a robot that has more than these; see `from_dh`."""
    if convention not in ("standard", "modified"):
        raise ModelError(f"DH convention is {convention!r}: expected 'standard' or 'modified'")
    if inertia_at not in ("center", "origin"):
        raise ModelError(
            f"inertia_at is {inertia_at!r}: expected 'center' (of mass) or 'origin' (of the link's DH frame)"
        )
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise ModelError(f"DH rows are {rows!r}: expected a list with one row per joint")
    links, joints = [base], []
    for index, given in enumerate(rows, start=1):
        try:
            row = _read(given)
            link = Link(row.link or f"link{index}", _inertia(row, inertia_at))
            joints.append(_joint(row, convention, row.name or f"joint{index}", links[-1].name, link.name))
        except ModelError as problem:
            raise ModelError(f"DH row {index}: {problem}") from None
        links.append(link)
    if not joints:
        raise ModelError("the DH table is empty: expected one row per joint")
    return tuple(links), tuple(joints)


# Reading a row


def _read(given: object) -> DHRow:
    if isinstance(given, DHRow):
        row = given
    elif isinstance(given, Mapping):
        row = _from_mapping(given)
    else:
        if isinstance(given, np.ndarray):
            given = given.tolist()
        if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or len(given) != 4:
            raise ModelError(f"{given!r}: expected a DHRow, a dict like dict(d=0.3, alpha=0.5, mass=1), or the four "
                             "numbers theta, d, a, alpha")
        row = DHRow(*given)
    if row.joint not in _JOINTS:
        raise ModelError(f"joint is {row.joint!r}: expected 'revolute', 'prismatic' or 'fixed'")
    for key in (*_PARAMETERS, "offset"):
        _parameter(row, key)
    return row


def _from_mapping(given: Mapping[str, Any]) -> DHRow:
    known = [part.name for part in fields(DHRow)]
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"known are {', '.join(known)}"
            raise ModelError(f"unknown key {key!r}; {hint}")
    if not given:  # a row of a mass or a joint alone has zeros for all four
        raise ModelError(f"the row is empty: expected those of {', '.join(_PARAMETERS)} that are not zero; if all are, "
                         "write one of them, as d = 0")
    return DHRow(**given)


def _parameter(row: DHRow, key: str) -> float:
    """One of the numbers of a row, finite, and an angle in radians."""
    value = number(getattr(row, key), key)
    angle = key in _ANGLES or (key == "offset" and row.joint == "revolute")
    if angle and abs(value) > 2 * math.pi + 1e-9:
        raise ModelError(f"{key} is {value:g}, more than a whole turn: angles are in radians; if this one is in "
                         f"degrees, write math.radians({value:g})")
    return value


def _inertia(row: DHRow, inertia_at: str) -> Inertia:
    mass = number(row.mass, "mass")
    center = vector3(row.center_of_mass, "center_of_mass")
    tensor = _tensor(row.inertia)
    if mass == 0 and any(center):
        raise ModelError(f"center_of_mass is {center} but mass is 0: expected a mass")
    if inertia_at == "origin":
        return Inertia.about_origin(mass, center, tensor)
    return Inertia(mass, center, tensor)


def _tensor(value: ArrayLike | None) -> Matrix3:
    if value is None:
        return matrix3(np.zeros((3, 3)), "inertia")
    shape = np.shape(value)
    if shape == (3,):
        return matrix3(np.diag(numbers(value, "inertia", 3)), "inertia")
    if shape != (3, 3):
        orders = " (six numbers are read in different orders by different tools)" if shape == (6,) else ""
        raise ModelError(f"inertia is {value!r}: expected a 3 x 3 tensor or its three diagonal entries{orders}")
    return matrix3(value, "inertia")


# From a row to a joint


def _joint(row: DHRow, convention: str, name: str, parent: str, child: str) -> Joint:
    theta, d, a, alpha, offset = (_parameter(row, key) for key in (*_PARAMETERS, "offset"))
    motion: JointType
    if row.joint == "revolute":
        motion, before, turn = Revolute(Z, zero=theta + offset), Pose(), Pose()
    else:
        motion, before, turn = Prismatic(Z), Pose(), _turn(Z, theta)
        d += offset
        if row.joint == "fixed":
            if offset:
                raise ModelError(f"offset is {offset:g} in a fixed row: expected none, as the joint has no coordinate")
            motion = Fixed()
    slide = Pose(translation=(0.0, 0.0, d))
    if convention == "standard":
        # The turn comes first; the slide commutes with it, so it may come after the motion.
        before, after = turn, slide @ _along_x(a, alpha)
    else:
        before, after = _along_x(a, alpha) @ turn @ slide, Pose()
    moving = row.joint != "fixed"
    if not moving and any((row.viscous_friction, row.coulomb_friction, row.rotor_inertia, row.armature, row.limits)):
        raise ModelError("friction, rotor or limits in a fixed row: expected none, as the joint has no coordinate")
    return Joint(
        name, parent, child, motion, _clean(before), _clean(after),
        viscous_friction=(number(row.viscous_friction, "viscous_friction"),) if moving else (),
        coulomb_friction=(number(row.coulomb_friction, "coulomb_friction"),) if moving else (),
        rotor_inertia=(number(row.rotor_inertia, "rotor_inertia"),) if moving else (),
        gear_ratio=(number(row.gear_ratio, "gear_ratio"),) if moving else (),
        armature=(number(row.armature, "armature"),) if moving else (),
        limits=_limits(row) if moving else (),
    )


def _limits(row: DHRow) -> tuple[Limits, ...]:
    if row.limits is None:
        return ()
    if isinstance(row.limits, Limits):
        limits = row.limits
    elif isinstance(row.limits, Iterable) and not isinstance(row.limits, str) and np.shape(row.limits) == (2,):
        lower, upper = row.limits
        limits = Limits(lower, upper)
    else:
        raise ModelError(f"limits are {row.limits!r}: expected a pair (lower, upper) or Limits")
    return (limits,)


def _turn(axis: Sequence[float], angle: float) -> Pose:
    """Turn about a coordinate axis; whole quarter turns have exact zeros and ones."""
    entries: NDArray[np.float64] = turn_about(axis, 0.0, zero=angle).matrix().astype(float)
    return Pose(entries.tolist())


def _along_x(a: float, alpha: float) -> Pose:
    return Pose(translation=(a, 0.0, 0.0)) @ _turn(X, alpha)


def _clean(pose: Pose) -> Pose:
    """Without minus zeros, so that equal robots look equal."""
    return Pose((pose.R + 0.0).tolist(), (pose.p + 0.0).tolist())
