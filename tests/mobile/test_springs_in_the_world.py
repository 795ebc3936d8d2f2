"""A spring between the tip of an arm on a rover and the world: the rover drives away from it.

The reference integrates the plane base by hand. Two fixed wheels and a caster without rolling resistance leave v and w;
with the mass center of everything at (c, 0) and J about the middle of the axle, a force F at the point p (all in base
axes) gives m (v' - c w^2) = F_x and J w' + m c v w = p_x F_y - p_y F_x.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp
from loadpath.mobile.wheel_drives import RoverState

K, DAMPING = 200.0, 8.0


def rover() -> lp.Rover:
    base = lp.WheeledBase(
        mass=40, center_of_mass=(0.1, 0, 0.2), inertia=np.diag([1.0, 2, 3]), friction=lp.WheelFriction(0.9),
        wheels=[lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1), lp.CasterWheel((0.4, 0), 0.05)],
    )
    return base.carrying(lp.catalog.planar(2, mass=3.0, length=0.4), at=(0.1, 0.15, 0.3))


def by_hand(carrier, q, rest, duration, velocity):
    """x, y, heading, v, w at the end, from masses and places alone."""
    robot = carrier.robot
    poses = robot.link_poses(q)
    tip = poses[robot.link_names.index("tip"), :3, 3]
    masses = [link.inertia.mass for link in robot.links]
    own = [np.array(link.inertia.center_of_mass) for link in robot.links]
    centers = [pose[:3, :3] @ at + pose[:3, 3] for pose, at in zip(poses, own, strict=True)]
    m, c = sum(masses), sum(mass * at for mass, at in zip(masses, centers, strict=True)) / sum(masses)
    J = 0.0
    for mass, at, pose, link in zip(masses, centers, poses, robot.links, strict=True):
        J += mass * (at[0] ** 2 + at[1] ** 2) + (pose[:3, :3] @ np.array(link.inertia.tensor) @ pose[:3, :3].T)[2, 2]

    def rate(t, y):
        x, at_y, psi, v, w = y
        turn = np.array([[np.cos(psi), -np.sin(psi)], [np.sin(psi), np.cos(psi)]])
        place = turn @ tip[:2] + [x, at_y]
        speed = turn @ [v - w * tip[1], w * tip[0]]
        force = turn.T @ (K * (np.array(rest[:2]) - place) - DAMPING * speed)
        # The axle holds v_y = 0, so only the mass center's distance along x couples v and w; c_y couples w' and v'.
        M = np.array([[m, -m * c[1]], [-m * c[1], J]])
        right = [force[0] + m * c[0] * w * w, tip[0] * force[1] - tip[1] * force[0] - m * c[0] * v * w]
        dv, dw = np.linalg.solve(M, right)
        return [v * np.cos(psi), v * np.sin(psi), w, dv, dw]

    start = [0, 0, 0, velocity[0], velocity[1]]
    return solve_ivp(rate, (0, duration), start, rtol=1e-10, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("velocity", [(1.0, 0.0), (0.6, -0.8)])
def test_the_rover_drives_away_from_the_spring(velocity):
    carrier, q = rover(), np.array([0.3, 0.5])
    tip = carrier.robot.link_poses(q)[carrier.robot.link_names.index("tip"), :3, 3]
    spring = lp.TipSpring("tip", rest=tuple(tip), stiffness=K, damping=DAMPING)
    hold = lp.Motion(np.array([0.0, 0.5]), np.array([q, q]), np.zeros((2, 2)), np.zeros((2, 2)))
    run = carrier.simulate(motion=hold, velocity=velocity, external=spring.during(carrier))
    found = [*run.pose[-1], run.velocity[-1, 0], run.velocity[-1, 2]]
    np.testing.assert_allclose(found, by_hand(carrier, q, tip, 0.5, velocity), atol=2e-7)
    assert run.energy_drift < 1e-7
    # What the spring has taken is what it stores and what its damper has turned into heat: never less than it stores.
    c, s = np.cos(run.pose[:, 2]), np.sin(run.pose[:, 2])
    world = run.pose[:, :2] + np.stack([c * tip[0] - s * tip[1], s * tip[0] + c * tip[1]], axis=-1)
    stored = 0.5 * K * ((world - tip[:2]) ** 2).sum(axis=-1)
    assert (-run.external_work[1:] > stored[1:]).all()


def test_a_torsional_spring_turns_the_base_back():
    carrier, q = rover(), np.array([0.3, 0.5])
    pose = carrier.robot.link_poses(q)[carrier.robot.link_names.index("tip")]
    spring = lp.TipSpring("tip", rest=lp.Pose(pose[:3, :3], pose[:3, 3]), stiffness=0.0, torsional_stiffness=30.0)
    hold = lp.Motion(np.array([0.0, 0.4]), np.array([q, q]), np.zeros((2, 2)), np.zeros((2, 2)))
    run = carrier.simulate(motion=hold, velocity=(0.0, 1.0), external=spring.during(carrier))
    np.testing.assert_allclose(-run.external_work, 0.5 * 30.0 * run.pose[:, 2] ** 2, atol=1e-7)


def test_a_spring_of_the_arm_alone_does_not_travel_with_the_rover():
    carrier, q = rover(), np.array([0.3, 0.5])
    spring = lp.TipSpring("tip", rest=(0.5, 0, 0.5), stiffness=K)
    with pytest.raises(ValueError, match=r"spring at 'tip' is in the world.*would travel with rover.*during\(rover\)"):
        carrier.simulate(q, duration=0.1, external=spring.during(carrier.robot))
    table = lp.TipOnSurface("tip", point=(0, 0, 0), normal=(0, 0, 1), friction=0.3)
    with pytest.raises(ValueError, match="the surface under 'tip' is in the world"):
        carrier.simulate(q, duration=0.1, external=table.sliding(carrier.robot).external)
    for call in (lambda: spring.wrenches(carrier, q, 0 * q), lambda: table.gap(carrier, q),
                 lambda: table.forward_dynamics(carrier, q, 0 * q, 0 * q)):
        with pytest.raises(ValueError, match=r"'tip' is in the world, and 'rover' is a rover"):
            call()


def test_a_torsional_damper_takes_what_the_base_turns():
    """c w^2 in watts, w being that of the base: the arm is held on it."""
    carrier, q, c = rover(), np.array([0.3, 0.5]), 5.0
    pose = carrier.robot.link_poses(q)[carrier.robot.link_names.index("tip")]
    damper = lp.TipSpring("tip", rest=lp.Pose(pose[:3, :3], pose[:3, 3]), stiffness=0.0, torsional_damping=c)
    hold = lp.Motion(np.array([0.0, 0.4]), np.array([q, q]), np.zeros((2, 2)), np.zeros((2, 2)))
    times = np.linspace(0, 0.4, 401)
    run = carrier.simulate(motion=hold, velocity=(0.2, 1.0), times=times, external=damper.during(carrier))
    taken = np.trapezoid(c * run.velocity[:, 2] ** 2, times)
    assert taken > 0.5 and -run.external_work[-1] == pytest.approx(taken, rel=1e-5)


def test_the_wrench_is_in_the_axes_of_the_base():
    """A force at a point beside the link's origin, by hand: K (rest - point) in the world, turned by the heading."""
    carrier, q, at, rest = rover(), np.array([0.3, 0.5]), np.array([0.05, 0.1, -0.2]), np.array([0.4, -0.3, 0.9])
    pose = carrier.robot.link_poses(q)[carrier.robot.link_names.index("tip")]
    heading, place = 0.7, np.array([0.3, -0.2, 0.0])
    turn = np.array([[np.cos(heading), -np.sin(heading), 0], [np.sin(heading), np.cos(heading), 0], [0, 0, 1.0]])
    arm = pose[:3, :3] @ at
    force = turn.T @ (K * (rest - (turn @ (pose[:3, 3] + arm) + place)))
    spring = lp.TipSpring("tip", rest=tuple(rest), stiffness=K, at=tuple(at))
    state = RoverState(np.array([*place[:2], heading]), np.zeros(3), q, np.zeros(2))
    found = spring.during(carrier)(0.0, state)["tip"]
    np.testing.assert_allclose(found.force, force, atol=1e-9)
    np.testing.assert_allclose(found.torque, np.cross(arm, force), atol=1e-9)
