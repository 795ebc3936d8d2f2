"""Robots that have a feature, each with the robot that it must be equal to: one without the feature, built by hand.

The speeds of both are related by a constant matrix, `speeds of the reference = T @ speeds of the subject`, so forces
are T^T times those of the reference, mass matrices T^T M T, and Jacobians J T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

import loadpath as lp

Floats = NDArray[np.float64]

TUBE = lp.Tube(outer_radius=0.03, wall=0.003)


def _inertia(k: int) -> lp.Inertia:
    x = 0.02 * k
    tensor = ((0.05 + x, 0.004, 0.002), (0.004, 0.06 + x, -0.003), (0.002, -0.003, 0.07 + x))
    return lp.Inertia(1.5 + 0.3 * k, (0.12 + x, 0.02, -0.03), tensor)


def _pose(x: float, y: float, z: float, turn: float = 0.0) -> lp.Pose:
    c, s = np.cos(turn), np.sin(turn)
    return lp.Pose(((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)), (x, y, z))


def _joint(k: int, motion: object, **options: object) -> lp.Joint:
    limits = (lp.Limits(lower=-2.5, upper=2.5, velocity=3.0, effort=150.0),) * motion.dof  # type: ignore[attr-defined]
    own = {"viscous_friction": 0.2, "rotor_inertia": 1e-3, "gear_ratio": 5.0, "limits": limits} | options
    origin = _pose(0.1, 0.0, 0.2) if k == 1 else _pose(0.3, 0.05, 0.02, 0.4 * k)
    parent = "base" if k == 1 else f"link{k - 1}"
    return lp.Joint(f"joint{k}", parent, f"link{k}", motion, origin, **own)  # type: ignore[arg-type]


def _chain(name: str, joints: list[lp.Joint], links: list[lp.Link] | None = None) -> lp.Robot:
    """A chain on a heavy base, with a tip welded to its last link."""
    links = links or [lp.Link(joint.child, _inertia(k)) for k, joint in enumerate(joints, start=1)]
    tip = lp.Joint("tip_joint", joints[-1].child, "tip", lp.Fixed(), _pose(0.25, 0.0, 0.0))
    base = lp.Link("base", lp.Inertia(20.0, (0.01, 0.02, 0.1), ((1.0, 0, 0), (0, 1.1, 0), (0, 0, 1.2))))
    return lp.Robot(name, (base, *links, lp.Link("tip", _inertia(0))), (*joints, tip))


@cache
def arm() -> lp.Robot:
    """The robot that features are put on: a turning joint and a sliding one."""
    return _chain("arm", [_joint(1, lp.Revolute((0, 0.6, 0.8))), _joint(2, lp.Prismatic((1, 0, 0)))])


@cache
def longer_arm() -> lp.Robot:
    """One with a third joint."""
    return _chain("longer arm", [_joint(1, lp.Revolute((0, 0.6, 0.8))), _joint(2, lp.Prismatic((1, 0, 0))),
                                 _joint(3, lp.Revolute((0, 1, 0)))])


@dataclass(frozen=True, eq=False)
class Equivalent:
    """A robot with a feature and one without that moves in the same way."""

    subject: lp.Robot
    reference: lp.Robot
    T: Floats
    """(speeds of the reference, speeds of the subject)."""
    q_of: Callable[[Floats], Floats]
    """Coordinates of the reference for those of the subject."""
    pick: tuple[int, ...]
    """Where the coordinates of the subject are among those of the reference."""
    renamed: Callable[[str], str] = str
    """Names of links and joints in the subject for those of the reference."""


def _same(subject: lp.Robot, reference: lp.Robot, renamed: Callable[[str], str] = str) -> Equivalent:
    return Equivalent(subject, reference, np.eye(subject.n), lambda q: q, tuple(range(subject.nq)), renamed)


def payload() -> list[Equivalent]:
    """The mass of the payload merged by hand into the link that carries it."""
    box = lp.Inertia(2.5, (0.1, 0.0, 0.05), ((0.02, 0, 0), (0, 0.03, 0), (0, 0, 0.04)))
    loaded = arm().with_payload(2.5, (0.1, 0.0, 0.05), inertia=box.tensor, link="tip")
    return [_same(loaded, arm().with_inertias({"tip": arm().link("tip").inertia + box}))]


def free_base() -> list[Equivalent]:
    """A chain whose first joint is an lp.Free, from a link without mass."""
    free = lp.Joint("free", "ground", "base", lp.Free())
    chain = lp.Robot("chain", (lp.Link("ground"), *arm().links), (free, *arm().joints))
    names = {"free": "floating_base", "ground": "world"}
    return [_same(arm().floating(), chain, lambda name: names.get(name, name))]


def locked() -> list[Equivalent]:
    """The joint that is locked kept at its coordinate, with no speed."""
    return [Equivalent(longer_arm().locked({"joint2": 0.4}), longer_arm(), np.eye(3)[:, [0, 2]],
                       lambda q: np.insert(q, 1, 0.4, axis=-1), (0, 2))]


def mimic() -> list[Equivalent]:
    """The joint that follows another moved by hand."""
    joints = {joint.name: joint for joint in longer_arm().joints}
    follows = replace(joints["joint3"], mimic=lp.Mimic("joint1", -0.5, 0.3))
    coupled = replace(longer_arm(), joints=tuple((joints | {"joint3": follows}).values()))
    T = np.vstack([np.eye(2), [-0.5, 0.0]])
    return [Equivalent(coupled, longer_arm(), T, lambda q: np.concatenate([q, 0.3 - 0.5 * q[..., :1]], axis=-1),
                       (0, 1))]


OFFSET, RATIO = 0.3, -0.5
"""The third joint follows the first: q3 = RATIO q1 + OFFSET."""


def _third_joint(friction: bool) -> lp.Robot:
    """The longer arm, with friction in its third joint or without."""
    third = longer_arm().joint("joint3")
    eased = third if friction else replace(third, viscous_friction=0.0)
    joints = tuple(eased if joint is third else joint for joint in longer_arm().joints)
    return replace(longer_arm(), joints=joints)


@cache
def coupled(*, friction: bool = True) -> lp.ClosedRobot:
    """The longer arm with a belt between two joints, with friction in the one that it moves, or without."""
    return _third_joint(friction).with_coupling({"joint3": 1.0, "joint1": -RATIO}, name="belt", offset=OFFSET)


@cache
def mimicking(*, friction: bool = True) -> lp.Robot:
    """The same as a tree."""
    tree = _third_joint(friction)
    joints = {joint.name: joint for joint in tree.joints}
    follows = replace(joints["joint3"], mimic=lp.Mimic("joint1", RATIO, OFFSET))
    return replace(tree, joints=tuple((joints | {"joint3": follows}).values()))


@cache
def loops(*, friction: bool = True) -> list[Equivalent]:
    """The joint that follows by a coupling as one that mimics."""
    robots = coupled(friction=friction), mimicking(friction=friction)
    return [Equivalent(*robots, np.eye(2, 3), lambda q: q[..., :2], (0, 1))]


def many_freedoms() -> list[Equivalent]:
    """Joints of two freedoms as two joints with a massless link between; a spherical one as a free one that stays."""
    plain = {"viscous_friction": 0.2, "rotor_inertia": 0.0, "gear_ratio": 1.0}
    both = _chain("two freedoms", [_joint(1, lp.Universal((0, 0, 1), (0, 1, 0)), **plain),
                                   _joint(2, lp.Generalized(("rx", "y")), **plain)])
    single = []
    parts = ((lp.Revolute((0, 0, 1)), lp.Revolute((0, 1, 0))), (lp.Revolute((1, 0, 0)), lp.Prismatic((0, 1, 0))))
    for joint, (first, second) in zip(both.joints, parts, strict=False):
        between = f"between {joint.name}"
        common = {"viscous_friction": 0.2}
        single.append(lp.Joint(f"{joint.name} first", joint.parent, between, first, joint.origin, **common))
        single.append(lp.Joint(joint.name, between, joint.child, second, **common))
    links = [lp.Link("between joint1"), both.link("link1"), lp.Link("between joint2"), both.link("link2")]
    ball = _chain("ball", [_joint(1, lp.Revolute((0, 0, 1))), _joint(2, lp.Spherical(), **plain)])
    free = lp.Joint("joint2", "link1", "link2", lp.Free(), ball.joints[1].origin, viscous_friction=0.2)
    loose = replace(ball, joints=(ball.joints[0], free, ball.joints[2]))
    return [
        _same(both, _chain("single freedoms", single, links)),
        Equivalent(ball, loose, np.eye(7)[:, [0, 4, 5, 6]], lambda q: np.insert(q, [1, 1, 1], 0.0, axis=-1),
                   (0, 4, 5, 6, 7)),
    ]


def flexible(robot: lp.Robot | None = None) -> lp.FlexibleRobot:
    """The arm, or another, with a beam in its first link."""
    beam = lp.Beam(TUBE, lp.ALUMINIUM, end="joint2")
    return (robot or arm()).with_beams({"link1": beam})


def beams() -> list[Equivalent]:
    """The rigid robot."""
    return [_same(flexible(), arm())]


def compliant(robot: lp.Robot | None = None) -> lp.FlexibleRobot:
    """The arm, or another, with a joint that gives way."""
    return (robot or arm()).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=2e4)})


def joint_compliance() -> list[Equivalent]:
    """The robot with stiff joints."""
    return [_same(compliant(), arm())]


@cache
def base(rolling: float = 0.01, mass: float = 60.0) -> lp.WheeledBase:
    """A base with two driven wheels and a caster."""
    friction = lp.WheelFriction(sliding=0.7, static=0.8, rolling=rolling)
    tensor = ((2.0, 0, 0), (0, 2.5, 0), (0, 0, 3.0))
    wheels = [lp.FixedWheel(position=(0.0, 0.4), radius=0.1, name="left", driven=True),
              lp.FixedWheel(position=(0.0, -0.4), radius=0.1, name="right", driven=True),
              lp.CasterWheel(position=(0.8, 0.0), radius=0.1, name="caster")]
    return lp.WheeledBase(mass=mass, inertia=tensor, center_of_mass=(0.3, 0.0, 0.2), wheels=wheels, friction=friction)


def rover(robot: lp.Robot | None = None, slope: float = 0.0, rolling: float = 0.01) -> lp.Rover:
    """The base carrying the arm, or another robot."""
    made = base(rolling).carrying(robot or arm(), at=(0.3, 0.0, 0.3))
    return made.on(lp.Ground(slope=slope)) if slope else made


def timed(rolling: float = 0.01) -> lp.Rover:
    """A rover for motions in time, which is compiled: another mass keeps it apart from those that are not."""
    return base(rolling, mass=61.0).carrying(arm(), at=(0.3, 0.0, 0.3))


def wheels() -> list[Equivalent]:
    """The robot by itself, its links as the rover has them."""
    return [_mounted(rover())]


def on_rover(feature: str) -> list[Equivalent]:
    """The rover itself, uphill where there is a slope, and the robot by itself under gravity as it is there."""
    carrier = rover(slope=0.2 if feature == "slope" else 0.0)
    alone = _mounted(carrier)
    return [replace(alone, subject=carrier)]


def slope() -> list[Equivalent]:
    """The robot by itself, under the gravity that it has on the slope with a heading of 0.5 rad."""
    return [_mounted(rover(slope=0.2), 0.5)]


def _mounted(carrier: lp.Rover, heading: float = 0.0) -> Equivalent:
    gravity = carrier.ground.gravity_in_base(heading)
    own = carrier.robot.with_gravity(gravity)
    mast = lp.Joint("mast", "rover", "base", lp.Fixed(), _pose(0.3, 0.0, 0.3))
    alone = lp.Robot("alone", (lp.Link("rover", carrier.base.body), *arm().links), (mast, *arm().joints),
                     gravity=tuple(gravity))
    return _same(own, alone, _renamed(own, alone))


def _renamed(robot: lp.Robot, alone: lp.Robot) -> Callable[[str], str]:
    names = dict(zip(alone.link_names, robot.link_names, strict=True))
    names |= dict(zip(alone.joint_names, robot.joint_names, strict=True))
    return lambda name: names.get(name, name)


OF_ROBOTS: dict[str, Callable[[], list[Equivalent]]] = {
    "payload": payload,
    "free base": free_base,
    "locked joints": locked,
    "mimic": mimic,
    "many freedoms": many_freedoms,
    "beams": beams,
    "joint compliance": joint_compliance,
    "wheels": wheels,
    "slope": slope,
    "loops": loops,
}
"""Features of a robot, with what a robot that has them is compared to."""
