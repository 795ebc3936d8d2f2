"""Mean torques of gears as limits of fastest motions: by the calculus of variations, by Ipopt, and by samples of the
robot's own torques.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import loadpath as lp
from loadpath.fastest.means import Means

POINTS = [[0, -1.2, 1.4, -0.3, 0.4, 0], [0.8, -0.9, 0.9, -0.1, 0.6, 0.5], [1.4, -1.4, 1.6, -0.5, 0.2, 1.0]]


def test_a_rod_by_the_calculus_of_variations() -> None:
    """Least integral of x^-1/2 ds with that of |I x'/2|^3 ds given, x = s'^2: as neither depends on s, x'^3 is k^3
    (sqrt(x_m / x) - 1) on the way up, with x_m in the middle. One torque all along, as large as the mean, takes 18 %
    longer.
    """
    rod, way, most = lp.catalog.planar(1, gravity=0), 2.0, 5.0
    inertia = float(rod.mass_matrix([0.0])[0, 0])
    # With x = x_m r^4: the way, the mean and the time.
    length, cubes, seconds = (quad(lambda r, a=a, b=b: 4 * r**b * (r**-2 - 1) ** a, 0, 1)[0]
                              for a, b in ((-1 / 3, 3), (2 / 3, 3), (-1 / 3, 1)))
    # x_m length / k = way / 2,  (I / 2)^3 2 k^2 x_m cubes = most^3 way
    k = (most**3 * way / ((inertia / 2) ** 3 * 2 * cubes * (way / 2 / length))) ** (1 / 3)
    top = way / 2 * k / length
    best = 2 * math.sqrt(top) / k * seconds
    found = rod.fastest([[0.0], [way]], {"torque": 500.0, "mean_torque": {"joint1": most}})
    assert found.duration == pytest.approx(best, rel=5e-5)
    assert found.duration < 0.86 * 2 * math.sqrt(way * inertia / most)
    assert {stretch.limit for stretch in found.rules} == {"mean torque of the gear of 'joint1'"}
    assert found.utilisation.max() <= 1.0
    dearer = rod.fastest([[0.0], [way]], {"torque": 500.0, "mean_torque": {"joint1": 1.1 * most}})
    cost = found.costs["mean torque of the gear of 'joint1'"]
    assert cost == pytest.approx(found.duration - dearer.duration, rel=1e-2)


def mean(arm: lp.Robot, found: lp.Fastest, joint: str) -> float:
    """By 20,001 instants."""
    q, qd, qdd = found.at(np.linspace(0.0, found.duration, 20001))
    k = arm.dof_names.index(joint)
    rotor = sum(each.reflected_inertia[0] for each in arm.joints if each.name == joint)
    torque, turns = arm.inverse_dynamics(q, qd, qdd)[:, k] - rotor * qdd[:, k], np.abs(qd[:, k])
    return float(np.cbrt((turns * np.abs(torque) ** 3).sum() / turns.sum()))


@pytest.mark.parametrize("rubs", [False, True])
def test_means_of_an_arm_by_samples(rubs: bool) -> None:
    """Two gears, with friction and a rotor: kept, and used in full by one at least."""
    arm = lp.catalog.ur5()
    if rubs:
        drive = lp.Drive(ratio=100, rotor_inertia=4e-5, friction=lp.Friction(coulomb=4.0, viscous=2.0))
        arm = arm.with_drives(dict.fromkeys(("elbow_joint", "shoulder_lift_joint"), drive))
    limits = {"torque": [150.0] * 3 + [28.0] * 3, "speed": 3.0}
    plain = arm.fastest(POINTS, limits)
    joints = ("elbow_joint", "shoulder_lift_joint")
    most = {joint: 0.9 * mean(arm, plain, joint) for joint in joints}
    found = arm.fastest(POINTS, limits | {"mean_torque": most}, intervals=200)
    shares = [mean(arm, found, joint) / most[joint] for joint in joints]
    assert 0.9995 < max(shares) <= 1 + 2e-4
    assert found.duration > plain.duration
    assert found.certificate <= 1.0001
    assert np.abs(arm.inverse_dynamics(*found.sampled(33))[:, :3]).max() <= 150.0 * 1.000002
    loose = arm.fastest(POINTS, limits | {"mean_torque": {joint: 4 * value for joint, value in most.items()}})
    assert loose.duration == pytest.approx(plain.duration, rel=1e-3)


@pytest.mark.parametrize("share", [0.97, 0.8])
def test_the_whole_problem_by_ipopt(share: float) -> None:
    """Rows of the search and the means as they are: no shorter time."""
    casadi = pytest.importorskip("casadi")
    arm, points = lp.catalog.planar(2), [[-1.2, 0.5], [-0.4, 1.2], [0.2, 0.1]]
    limits = {"torque": 60.0, "speed": 6.0}
    plain = arm.fastest(points, limits)
    most = {joint: share * mean(arm, plain, joint) for joint in arm.dof_names}
    result = arm.fastest(points, limits | {"mean_torque": most}, intervals=30).found
    problem, course, grid, rows = result.problem, result.course, result.grid, result.rows
    (means,) = [limits for limits in problem.limits if isinstance(limits, Means)]
    *_, tight = problem.split(result.tight)
    count = len(grid.h)
    y = casadi.SX.sym("y", count + 1)
    x = y * y
    u = (x[1:] - x[:-1]) / (2 * grid.h)
    kept = []
    near = (rows.gamma - rows.alpha * result.solution.u[:, None] - rows.beta * result.solution.x[:-1, None]).min(axis=0)
    for k in np.flatnonzero(near < 0.6):
        kept.append(rows.gamma[:, k] - rows.alpha[:, k] * u - rows.beta[:, k] * x[:-1])
    for each in means.means(course, (), tight):
        total = sum(casadi.sum1(each.weight[:, j] * casadi.fabs(
            each.alpha[:, j] * u + each.beta[:, j] * x[:-1] + each.value[:, j]) ** 3) for j in range(grid.d.shape[1]))
        kept.append(each.most - total)
    duration = casadi.sum1(2 * grid.h / (y[1:] + y[:-1] + 1e-14))
    solver = casadi.nlpsol("fastest", "ipopt", {"x": y, "f": duration, "g": casadi.vertcat(*kept)}, {
        "print_time": False, "ipopt": {"print_level": 0, "tol": 1e-10, "max_iter": 500}})
    top = np.sqrt(np.minimum(problem.top(grid), 1e4))
    found = solver(x0=0.5 * np.sqrt(result.solution.x), lbx=0, ubx=top, lbg=0, ubg=np.inf)
    assert solver.stats()["success"]
    best = float(found["f"])
    assert result.duration == pytest.approx(best, rel=2e-6)


def test_what_is_refused_and_what_is_not_possible() -> None:
    rod = lp.catalog.planar(1)
    with pytest.raises(ValueError, match="mean_torque is 3"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": 3.0})
    with pytest.raises(ValueError, match="joint7"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint7": 3.0}})
    with pytest.raises(ValueError, match="expected more than zero"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint1": -3.0}})
    with pytest.raises(ValueError, match="mean_torque is not for motions within torque_rate"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "torque_rate": 500.0, "mean_torque": {"joint1": 3.0}})
    with pytest.raises(ValueError, match="give one of these, too"):
        rod.fastest([[0.0], [1.0]], {"torque": False, "speed": False, "mean_torque": {"joint1": 3.0}})
    with pytest.raises(lp.NoMotionError, match="mean torques of its gears, joint1"):
        rod.fastest([[0.0], [1.0]], {"torque": 50.0, "mean_torque": {"joint1": 0.01}}, intervals=50)
