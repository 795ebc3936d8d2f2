"""Base parameters and identification: ranks and least squares of Pinocchio's regressors, forces made by Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

import loadpath as lp
from differential.peers_regressor import peers_regressor
from differential.register import Compared, check
from differential.robots import Case, random_coordinates, random_robot, random_speeds
from excitations import excitation_motion

PLAIN = ("Fixed", "Revolute", "Continuous", "Prismatic", "Helical", "Cylindrical", "Universal", "Planar")


@lru_cache(maxsize=4)
def small(seed: int, number: int) -> Case:
    """A chain or tree without quaternions, of handy size."""
    case = Case(seed, number)
    rng = case.rng("identified")
    while True:
        robot, mass, length = random_robot(rng, kinds=PLAIN, most=3)
        if robot.n and 0.1 < length < 3 and all(joint.mimic is None for joint in robot.joints):
            case.__dict__["_made"] = (robot, mass, length)
            return case


@check(
    "Robot.base_parameters",
    "BaseParameters",
    against="rank and least squares of Pinocchio's regressor",
    bound=1e-8,
    every=2,
)
def base_parameters(case: Case) -> Iterator[Compared]:
    case = small(case.seed, case.number)
    robot, rng = case.robot, case.rng("base parameters")
    states = [
        (
            random_coordinates(rng, robot, case.length),
            random_speeds(rng, robot, case.length),
            random_speeds(rng, robot, case.length, 5.0),
        )
        for _ in range(60)
    ]
    Y = np.vstack([peers_regressor(case, *state) for state in states])
    unit = np.tile([1.0] + [case.length] * 3 + [case.length**2] * 6, len(robot.links))
    values = np.linalg.svd(Y * unit, compute_uv=False)
    base = robot.base_parameters()
    yield Compared(base.number, int((values > 1e-9 * values[0]).sum()))
    q, qd, qdd = states[0]
    expected = case.peer.inverse_dynamics(q, qd, qdd, drives=False)
    yield Compared(base.regressor(q, qd, qdd) @ base.values, expected, case.wrench_size)


@check(
    "identify",
    "Identification",
    "excitation",
    "Excitation",
    against="the forces of Pinocchio's robot in motions that were not measured",
    bound=1e-6,
    every=2,
)
def identify(case: Case) -> Iterator[Compared]:
    case = small(case.seed, case.number)
    robot = case.robot
    length = np.concatenate([np.where(j.motion.angular, 1.0, case.length) for j in robot.joints if j.motion.dof])
    q, qd, qdd = (part * length for part in excitation_motion(robot, 300, case.number))
    tau = np.array([case.peer.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
    rng = case.rng("prior")
    prior = robot.with_inertias(
        {
            link.name: lp.Inertia(
                link.inertia.mass * rng.uniform(0.7, 1.4),
                link.inertia.center_of_mass,
                (np.array(link.inertia.tensor) * rng.uniform(1.0, 1.5)).tolist(),
            )
            for link in robot.links
        }
    )
    if not lp.excitation(prior, q, qd, qdd, rotors=True).condition < 3000:
        return
    found = lp.identify(prior, q, qd, qdd, tau, rotors=True)
    other = [part * length for part in excitation_motion(robot, 20, case.number + 1000)]
    expected = np.array([case.peer.inverse_dynamics(*state) for state in zip(*other, strict=True)])
    yield Compared(found.robot.inverse_dynamics(*other), expected)
    yield Compared(found.fitted_torque, tau)
    yield Compared(found.values, found.base.of(robot))
