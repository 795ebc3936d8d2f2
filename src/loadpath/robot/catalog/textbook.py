"""Small arms of the textbooks: two links in a plane, n links in a plane, and the three joints of Lau's thesis."""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.errors import ModelError
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Generalized, Prismatic, Revolute, Y, Z
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings

# Axes of a link that moves in the world's x-z plane: its z is the joint axis, pointing to the viewer (world -y).
_HANGING = Pose(((0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)))  # its x down
_LYING = Pose(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))  # its x along the world's


def _rod(mass: float, length: float) -> Inertia:
    """A slender uniform rod from the origin to (length, 0, 0)."""
    moment = mass * length**2 / 12
    return Inertia.from_moments(mass, (length / 2, 0.0, 0.0), iyy=moment, izz=moment)


def _positive(value: float, what: str) -> float:
    result = number(value, what)
    if result <= 0:
        raise ModelError(f"{what} is {result}: expected more than zero")
    return result


def two_link(
    m1: float = 1.0,
    m2: float = 1.0,
    l1: float = 1.0,
    l2: float = 1.0,
    distributed: bool = False,
    *,
    gravity: float | Sequence[float] = 9.8,
) -> RobotModel:
    """The two-link arm of the textbooks: a double pendulum with motors, in the vertical x-z plane of the world.

    Both angles turn counterclockwise as seen with x to the right and z up. q1 is the angle of link 1 from hanging
    straight down, q2 that of link 2 from the direction of link 1. The mass of a link is a point at its far end, or
    with `distributed=True` spread evenly along it. The frame of a link lies at its joint, x along the link, z along
    the joint axis (world -y); the frame "tip" lies at the far end of link 2.

    From "Dynamics", notes of the course MECEE 4602, Introduction to Robotics, fall 2019, sections 1.1 to 1.4, with
    their 9.8 m/s^2 (their y is our z); after S. B. Niku, Introduction to Robotics. Equation (34) of the notes measures
    q1 from the horizontal, unlike the others and unlike here.

    >>> arm = two_link(m2=0.5, distributed=True)
    >>> arm.link("link1").inertia.center_of_mass, arm.gravity
    ((0.5, 0.0, 0.0), (0.0, 0.0, -9.8))
    """
    m1, m2 = _positive(m1, "m1"), _positive(m2, "m2")
    l1, l2 = _positive(l1, "l1"), _positive(l2, "l2")
    bodies = (_rod(m1, l1), _rod(m2, l2)) if distributed else (Inertia(m1, (l1, 0.0, 0.0)), Inertia(m2, (l2, 0.0, 0.0)))
    return RobotModel(
        "two_link",
        (Link("base"), Link("link1", bodies[0]), Link("link2", bodies[1]), Link("tip")),
        (
            Joint("joint1", "base", "link1", Revolute(Z), _HANGING),
            Joint("joint2", "link1", "link2", Revolute(Z), Pose(translation=(l1, 0.0, 0.0))),
            Joint("tip_joint", "link2", "tip", Fixed(), Pose(translation=(l2, 0.0, 0.0))),
        ),
        gravity_vector(gravity),
    )


def planar(n: int, length: float = 1.0, mass: float = 1.0, gravity: float | Sequence[float] = 9.81) -> RobotModel:
    """n equal slender rods joined end to end by parallel revolute joints, in the vertical x-z plane of the world.

    At q = 0 the arm is stretched out along the world's x; positive angles lift it. Link frames lie at the joints, x
    along the rod, z along the joint axis (world -y); the frame "tip" lies at the far end.

    >>> arm = planar(3, length=0.5)
    >>> arm.n, arm.link_names
    (3, ('base', 'link1', 'link2', 'link3', 'tip'))
    """
    if not isinstance(n, int) or n < 1:
        raise ModelError(f"number of links is {n!r}: expected a whole number from 1")
    length = _positive(length, "length")
    body = _rod(_positive(mass, "mass"), length)
    links, joints = [Link("base")], []
    for i in range(1, n + 1):
        origin = _LYING if i == 1 else Pose(translation=(length, 0.0, 0.0))
        joints.append(Joint(f"joint{i}", links[-1].name, f"link{i}", Revolute(Z), origin))
        links.append(Link(f"link{i}", body))
    joints.append(Joint("tip_joint", links[-1].name, "tip", Fixed(), Pose(translation=(length, 0.0, 0.0))))
    return RobotModel(f"planar{n}", (*links, Link("tip")), tuple(joints), gravity_vector(gravity))


def lau_arm(
    m1: float = 1.0,
    m2: float = 1.0,
    d0: float = 0.1,
    d1: float = 0.3,
    length: float = 1.0,
    *,
    joints: int = 3,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The three-degree-of-freedom arm of Lau's thesis (figures 4 and 5): a turntable, and a rod that swings and slides.

    q = theta1, theta2, d2. The turntable, a disc of mass `m1` and radius `d1` at the height `d0`, turns by theta1
    about the world's z. On its rim, at (0, d1, 0) of its frame, sits a carriage without mass that turns by theta2 about
    y. Through it slides a slender rod of mass `m2`: the frame of the link "rod" lies at its tip, d2 from the carriage
    along -x; the rod reaches from there back along +x, so its mass center is r = d2 - length/2 from the carriage.

    The thesis gives the rod the length d2 itself, which would stretch as it slides; its printed values hold for the
    instant d2 = length. It also takes the disc's moments with y for its axis; here the axis is z, about which it
    turns: Ixx = Iyy = m1 d1^2/4, Izz = m1 d1^2/2. It gives no numbers; the defaults are ours.

    That is chapter 4, with one degree of freedom for each joint. With `joints=2` it is the same arm as in chapter 3:
    two links, the second on a joint that turns and then slides (`lp.Generalized`), and no carriage.

    >>> lau_arm().joint_names
    ('theta1', 'theta2', 'd2')
    >>> lau_arm(joints=2).dof_names
    ('theta1', 'joint2.ry', 'joint2.x')
    """
    if joints not in (2, 3):
        raise ModelError(f"joints of Lau's arm are {joints!r}: expected 3, or 2 where the second turns and slides")
    m1, m2, d1, length = (_positive(v, k) for k, v in (("m1", m1), ("m2", m2), ("d1", d1), ("length", length)))
    disc = Inertia.from_moments(m1, ixx=m1 * d1**2 / 4, iyy=m1 * d1**2 / 4, izz=m1 * d1**2 / 2)
    base, turntable, rod = Link("base"), Link("turntable", disc), Link("rod", _rod(m2, length))
    first = Joint("theta1", "base", "turntable", Revolute(Z), Pose(translation=(0.0, 0.0, number(d0, "d0"))))
    if joints == 2:
        second = Joint("joint2", "turntable", "rod", Generalized(("ry", "-x")), Pose(translation=(0.0, d1, 0.0)))
        return RobotModel("lau_arm", (base, turntable, rod), (first, second), gravity_vector(gravity))
    links = (base, turntable, Link("carriage"), rod)
    moving = (
        first,
        Joint("theta2", "turntable", "carriage", Revolute(Y), Pose(translation=(0.0, d1, 0.0))),
        Joint("d2", "carriage", "rod", Prismatic((-1.0, 0.0, 0.0))),
    )
    # No need to warn of the carriage (M2 = 0 in chapter 4 of the thesis): the rod gives its motion inertia.
    known = frozenset(model_warnings(links, moving))
    return RobotModel("lau_arm", links, moving, gravity_vector(gravity), known_faults=known)
