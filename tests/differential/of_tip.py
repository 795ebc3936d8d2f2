"""Conditions at the tip and grasps, of plane arms whose equations are written out here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case

G = 9.81


class PlaneArm:
    """Three bars with a point mass at the end of each, in the vertical plane: everything by complex numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.lengths, self.masses = rng.uniform(0.2, 0.8, 3), rng.uniform(0.3, 3.0, 3)

    def robot(self) -> lp.Robot:
        names = ("base", "l1", "l2", "l3", "tip")
        bodies = [lp.Inertia(float(m), (float(a), 0, 0)) for a, m in zip(self.lengths, self.masses, strict=True)]
        links = (lp.Link("base"), *map(lp.Link, names[1:4], bodies), lp.Link("tip"))
        before = (lp.Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0))), *((float(a), 0, 0) for a in self.lengths))
        joints = [lp.Joint(f"j{k}", names[k], names[k + 1], lp.Revolute((0, 0, 1)) if k < 3 else lp.Fixed(), at)
                  for k, at in enumerate(before)]
        return lp.Robot("plane", links, tuple(joints))

    def ends(self, q: np.ndarray) -> np.ndarray:
        """Ends of the bars, x + i z."""
        return np.cumsum(self.lengths * np.exp(1j * np.cumsum(q)))

    def jacobians(self, q: np.ndarray) -> np.ndarray:
        """(ends, joints): complex velocity of each end per unit of each speed."""
        ends = self.ends(q)
        starts = np.concatenate([[0.0], ends[:-1]])
        return np.array([[1j * (end - starts[k]) if k <= i else 0.0 for k in range(3)] for i, end in enumerate(ends)])

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Accelerations of the ends while the speeds are constant."""
        return np.cumsum(-(np.cumsum(qd) ** 2) * self.lengths * np.exp(1j * np.cumsum(q)))

    def dynamics(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix and bias forces."""
        J, a = self.jacobians(q), self.bias(q, qd) + 1j * G
        return (J.conj().T @ np.diag(self.masses) @ J).real, (J.conj().T @ (self.masses * a)).real


def of_force(J: np.ndarray, force: complex) -> np.ndarray:
    """Joint torques that a force at a point does, from the point's complex Jacobian."""
    return (J.conj() * force).real


@check("TipSpring", against="a plane arm in complex numbers", bound=1e-11)
def springs(case: Case) -> Iterator[Compared]:
    rng = np.random.default_rng([case.seed, case.number, 71])
    arm = PlaneArm(rng)
    robot, (q, qd) = arm.robot(), rng.uniform(-2, 2, (2, 3))
    rest, (kx, kz), (dx, dz) = rng.uniform(-1, 1, 2), rng.uniform(0, 500, 2), rng.uniform(0, 50, 2)
    spring = lp.TipSpring("tip", (rest[0], 0, rest[1]), (kx, 0, kz), (dx, 0, dz))
    end, J = arm.ends(q)[-1], arm.jacobians(q)[-1]
    speed = J @ qd
    force = complex(kx * (rest[0] - end.real) - dx * speed.real, kz * (rest[1] - end.imag) - dz * speed.imag)
    wrench = spring.wrenches(robot, q, qd)["tip"]
    yield Compared(wrench.force, [force.real, 0, force.imag])
    away = end - complex(*rest)
    yield Compared(spring.energy(robot, q), 0.5 * (kx * away.real**2 + kz * away.imag**2))


@check("TipOnSurface", "SurfaceMotion", against="a plane arm in complex numbers, with the normal force as unknown",
       bound=1e-9)
def surfaces(case: Case) -> Iterator[Compared]:
    rng = np.random.default_rng([case.seed, case.number, 72])
    arm = PlaneArm(rng)
    robot, q, tau = arm.robot(), rng.uniform(-2, 2, 3), rng.uniform(-20, 20, 3)
    normal, mu = np.exp(1j * rng.uniform(0, 2 * np.pi)), rng.uniform(0, 0.3)
    J, end = arm.jacobians(q)[-1], arm.ends(q)[-1]
    across = (J.conj() * normal).real  # speed along the normal
    qd = rng.uniform(-2, 2, 3)
    qd -= across * (across @ qd) / (across @ across)
    along = (J @ qd) / abs(J @ qd)
    surface = lp.TipOnSurface("tip", (end.real, 0, end.imag), (normal.real, 0, normal.imag), mu, one_sided=False)
    M, h = arm.dynamics(q, qd)
    for sign in (1, -1):  # pushes, or pulls with friction against the motion all the same
        per_newton = of_force(J, normal - sign * mu * along)
        bias = (arm.bias(q, qd)[-1] * np.conj(normal)).real
        *qdd, force = np.linalg.solve(np.block([[M, -per_newton[:, None]], [across, 0.0]]), [*(tau - h), -bias])
        if force * sign > 0:
            break
    found = surface.forward_dynamics(robot, q, qd, tau)
    if not found.jams and force * sign > 0:
        size = float(np.abs(qdd).max()) * np.linalg.cond(M) * 1e-3
        yield Compared(found.qdd, qdd, size)
        yield Compared(found.normal, force, float(np.abs(tau).max()) * np.linalg.cond(M) * 1e-3)
    push = surface.wrenches(robot, q, qd, force=50.0)["tip"].force
    total = 50.0 * (normal - mu * along)
    yield Compared(push, [total.real, 0, total.imag])


@check("grasp", "Hold", "ClosedRobot.preload_for", against="the box's equilibrium and each arm's virtual work, least "
       "squares of the torques", bound=1e-8, every=4)
def grasps(case: Case) -> Iterator[Compared]:
    rng = np.random.default_rng([case.seed, case.number, 73])
    arms, at = [PlaneArm(rng), PlaneArm(rng)], rng.uniform(0.3, 1.2, (2, 3)) * [[1, -1, 1], [1, 1, -1]]
    mass, width = float(rng.uniform(0.5, 5)), float(rng.uniform(0.05, 0.3))
    # Both tips as they are: the second arm's base is put where its tip meets the box.
    robots = [arm.robot() for arm in arms]
    tips = [lp.Pose.from_matrix(robot.link_poses(q)[-1]) for robot, q in zip(robots, at, strict=True)]
    box = tips[0] @ lp.Pose(translation=(width, 0, 0))
    second = box @ lp.Pose(translation=(width, 0, 0))
    base = lp.Pose(translation=tuple(second.p - tips[1].p))
    grips = [box.inverse() @ tips[0], box.inverse() @ base @ tips[1]]
    holds = {name: lp.Hold(robot, where, grip)
             for name, robot, where, grip in zip("ab", robots, (lp.Pose(), base), grips, strict=True)}
    pair = lp.grasp(holds, lp.Inertia(mass), q=dict(zip("ab", at, strict=True)))
    q, rest = pair.home, np.zeros(6)
    # Unknown: force and moment of the second hand on the box; the first has what is missing to equilibrium.
    center, ends = complex(box.p[0], box.p[2]), [complex(tips[0].p[0], tips[0].p[2]), complex(second.p[0], second.p[2])]

    def torques(hand: np.ndarray) -> np.ndarray:
        """Of all drives, from force x, z and the moment (about the joint axes) of the second hand on the box."""
        other = complex(hand[0], hand[1])
        own = 1j * mass * G - other
        levers = [end - center for end in ends]
        moment = -(hand[2] + (np.conj(levers[1]) * other).imag + (np.conj(levers[0]) * own).imag)
        found = []
        for arm, q_arm, force, turn in zip(arms, at, (own, other), (moment, hand[2]), strict=True):
            found.append(arm.dynamics(q_arm, np.zeros(3))[1] + of_force(arm.jacobians(q_arm)[-1], force) + turn)
        return np.concatenate(found)

    start = torques(np.zeros(3))
    slopes = np.stack([torques(unit) - start for unit in np.eye(3)], axis=-1)
    least = np.linalg.lstsq(slopes, -start)[0]
    size = float(np.abs(start).max()) * float(np.linalg.cond(slopes))
    yield Compared(pair.inverse_dynamics(q, rest, rest), torques(least), size)
    wanted = rng.uniform(-50, 50, 3)
    pressed = lp.Wrench(force=(wanted[0], 0, wanted[1]), torque=(0, -wanted[2], 0))
    preload = pair.preload_for({"b_grip": pressed}, q, rest, rest)
    yield Compared(pair.inverse_dynamics(q, rest, rest, preload=preload), torques(wanted), size)
