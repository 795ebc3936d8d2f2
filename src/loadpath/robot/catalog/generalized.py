"""The generalized manipulator of Lau's thesis: links that may move in all six directions against each other."""

from __future__ import annotations

from collections.abc import Sequence

from loadpath.errors import ModelError
from loadpath.robot.edit import gravity_vector
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, Free
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose


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
