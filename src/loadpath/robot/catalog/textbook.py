"""Small arms of the textbooks: two links in a plane, n links in a plane, and the three joints of Lau's thesis."""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.errors import ModelError
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Free, Generalized, Prismatic, Revolute, Y, Z
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


# The generalized manipulator of Lau's thesis: links that may move in all six directions against each other.


def generalized(
    n: int,
    length: float = 0.5,
    mass: float = 2.0,
    radius: float = 0.05,
    *,
    gravity: float | Sequence[float] = 9.81,
) -> RobotModel:
    """The N-link generalized manipulator: n equal links, each joined to the one before by a joint of six degrees of
    freedom, so 6n speeds and forces.

    A link is a solid round bar of the given `length` (m), `mass` (kg) and `radius` (m), its axis on x of its frame,
    which lies at its near end; the next joint sits at its far end, as does the frame "tip" of the last link. At
    q = `neutral` the bars lie end to end along the world's x. The joints are free ones: q of a joint is the position
    of the link's frame (three coordinates, in the axes of the link before) and its orientation (a quaternion
    x, y, z, w); its speeds are `vx, vy, vz, wx, wy, wz`, the relative velocity and angular velocity in the link's own
    axes; its forces are conjugate to them, the whole force and torque at the joint.

    From To-Choi Lau's thesis of 1985, chapter 3 and figure 1, which gives no numbers: the defaults are ours. Its joint
    turns first and then slides along the turned axes; here the displacement is given in the axes of the parent link,
    which is the same set of motions. `reduced` selects freedoms of it, as chapter 4 does; `generalized()` of any robot
    gives its joints six freedoms. For links of random shape and placement take `random_chain(n, seed, "free")`.

    >>> robot = generalized(3)
    >>> robot.n, robot.nq, robot.link_names
    (18, 21, ('base', 'link1', 'link2', 'link3', 'tip'))
    >>> robot.dof_names[:6]
    ('joint1.vx', 'joint1.vy', 'joint1.vz', 'joint1.wx', 'joint1.wy', 'joint1.wz')
    """
    if not isinstance(n, int) or n < 1:
        raise ModelError(f"number of links is {n!r}: expected a whole number from 1")
    given = {"length": length, "mass": mass, "radius": radius}
    for what, value in given.items():
        given[what] = number(value, what)
        if given[what] <= 0:
            raise ModelError(f"{what} is {given[what]}: expected more than zero")
    length, mass, radius = given.values()
    across = mass * (3 * radius**2 + length**2) / 12
    bar = Inertia.from_moments(mass, (length / 2, 0.0, 0.0), ixx=mass * radius**2 / 2, iyy=across, izz=across)
    end = Pose(translation=(length, 0.0, 0.0))
    links, joints = [Link("base")], []
    for i in range(1, n + 1):
        joints.append(Joint(f"joint{i}", links[-1].name, f"link{i}", Free(), Pose() if i == 1 else end))
        links.append(Link(f"link{i}", bar))
    joints.append(Joint("tip_joint", links[-1].name, "tip", Fixed(), end))
    return RobotModel(f"generalized{n}", (*links, Link("tip")), tuple(joints), gravity_vector(gravity))
