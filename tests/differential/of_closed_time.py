"""Closed chains in time: SciPy's integrator on Pinocchio's dynamics with closures, which drifts as it likes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

import loadpath as lp
from closed.references.pinocchio_loops import ClosedPeer
from differential.register import Compared, check
from differential.robots import Case

TIMES = np.linspace(0.0, 0.15, 4)


@check("ClosedRobot.simulate", "ClosedSimulation", "DeadPoint", against="SciPy on Pinocchio's constraintDynamics",
       bound=1e-6, every=2)
def closed_motion(case: Case) -> Iterator[Compared]:
    rng = np.random.default_rng([case.seed, case.number, 15])
    robot = lp.catalog.four_bar() if case.number % 4 else lp.catalog.slider_crank()
    home = robot.home
    free = np.linalg.svd(robot.constraint_jacobian(home))[2][-1]
    qd, tau = rng.uniform(2.0, 8.0) * free / abs(free[0]), np.array([rng.normal(), 0.0, 0.0])
    peer, n = ClosedPeer(robot), robot.n

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], peer.forward_dynamics(x[:n], x[n:], tau)])

    def turns(t: float, x: np.ndarray) -> float:
        return float(x[-1])  # the speed of rocker or slider, which has dead points

    start = np.concatenate([home, qd])
    done = solve_ivp(rate, (0.0, TIMES[-1]), start, "DOP853", TIMES, events=turns, rtol=1e-11, atol=1e-12)
    run = robot.simulate(home, qd, tau, times=TIMES, rtol=1e-9)
    yield Compared(run.q, done.y[:n].T)
    yield Compared(run.qd, done.y[n:].T)
    # Speeds of a mechanism that never stops pass zero at dead points alone.
    speed = abs(run.qd[:, 0]).min()
    if speed > 1.0 and (run.qd[:, 0] * qd[0] > 0).all():
        yield Compared([point.time for point in run.dead_points if point.joints == (robot.dof_names[-1],)],
                       done.t_events[0], TIMES[-1])
