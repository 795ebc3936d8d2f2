"""What the ground gives to a rover, and how it moves: Pinocchio's robot on a free-flyer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case, random_coordinates, random_speeds
from differential.rovers_by_hand import differential_drive, made, rolling, state


@check(
    "Rover.ground_wrench",
    "Rover.compiled_ground_wrench",
    "Rover.mass_center",
    "Rover.mass_matrix",
    "WheeledBase.carrying",
    "Rover.on",
    "Ground.gravity_in_base",
    against="Pinocchio, rnea, crba and mass center on a free-flyer",
    bound=1e-10,
)
def ground_wrench(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number)
    arm, motion = state(case, on)
    expected, _ = on.wrench(*arm, motion)
    found = on.rover.ground_wrench(*arm, **motion)
    size = np.abs(expected).max()
    yield Compared(found.force, expected[:3], size)
    yield Compared(found.torque, expected[3:], size)
    force, _ = on.rover.compiled_ground_wrench(*arm, **motion)
    yield Compared(force, expected[:3], size)
    peer = on.peer
    at = peer.q(np.concatenate([np.zeros(6), [1.0], arm[0]]))
    yield Compared(on.rover.mass_center(arm[0]), pin.centerOfMass(peer.model, peer.data, at, False), on.length)
    M = peer.mass_matrix(np.concatenate([np.zeros(6), [1.0], arm[0]]))
    kept = [0, 1, 5, *range(6, len(M))]
    yield Compared(on.rover.mass_matrix(arm[0]), M[np.ix_(kept, kept)])
    yield Compared(on.rover.ground.gravity_in_base(motion["heading"]), peer.model.gravity.linear)
    loaded = on.rover.with_payload(on.mass, (0.1, 0.0, 0.2)).ground_wrench(arm[0])
    without = on.rover.ground_wrench(arm[0])
    yield Compared(np.linalg.norm(loaded.force - without.force), on.mass * on.rover.ground.gravity)


@check("Rover.family", against="Pinocchio, rnea on a free-flyer in gravity of another size", bound=1e-10)
def rovers_of_a_family(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number)
    arm, motion = state(case, on)
    sizes = on.rover.ground.gravity * np.array([0.5, 1.0, 2.0])
    found = on.rover.family({"ground.gravity": sizes}).ground_wrench(*arm, **motion)
    for k, size in enumerate(sizes):
        there = replace(on.rover.ground, gravity=float(size))  # from which Pinocchio's gravity is made
        expected, _ = replace(on, rover=replace(on.rover, ground=there)).wrench(*arm, motion)
        yield Compared(found.force[k], expected[:3], np.abs(expected).max())
        yield Compared(found.torque[k], expected[3:], np.abs(expected).max())


@check(
    "Rover.forward_dynamics",
    "Rover.base_acceleration",
    against="Newton's equations with Pinocchio's rnea, a column at a time",
    bound=1e-8,
)
def rover_forward_dynamics(case: Case) -> Iterator[Compared]:
    on, d, radius = differential_drive(case.seed, case.number)
    rng, rover = case.rng("forces"), on.rover
    q, qd = random_coordinates(rng, rover.robot, on.length), random_speeds(rng, rover.robot, on.length)
    speeds, heading = (float(rng.normal() * on.length), float(rng.normal())), float(rng.uniform(-3, 3))
    tau = on.mass * on.length * rng.normal(size=rover.n)
    torques = tuple(on.mass * radius * rng.normal(size=2))
    found = rover.forward_dynamics(
        q, qd, tau, velocity=speeds, heading=heading, wheel_torques={"wheel1": torques[0], "wheel2": torques[1]}
    )
    base, qdd = rolling(on, d, radius, q, qd, speeds, heading, tau, torques)
    size = max(np.abs(qdd).max(), np.abs(base).max())
    yield Compared(found.acceleration[[0, 2]], base, size)
    yield Compared(found.acceleration[1], 0.0, size)
    yield Compared(found.qdd, qdd, size)
    again = rover.base_acceleration(
        q, qd, found.qdd, velocity=speeds, heading=heading, wheel_torques={"wheel1": torques[0], "wheel2": torques[1]}
    )
    yield Compared(again.acceleration[[0, 2]], base, size)
    yield Compared(again.tau, tau, np.abs(tau).max() + on.mass * on.length * size)


@check(
    "Rover.linearize",
    against="differences of Newton's equations with Pinocchio's rnea, along a direction",
    bound=1e-6,
)
def rover_linearized(case: Case) -> Iterator[Compared]:
    on, d, radius = differential_drive(case.seed, case.number)
    rng, rover, n = case.rng("deviations"), on.rover, on.rover.n
    q, qd = random_coordinates(rng, rover.robot, on.length), random_speeds(rng, rover.robot, on.length)
    speeds, heading = np.array([rng.normal() * on.length, rng.normal()]), float(rng.uniform(-3, 3))
    tau, torques = on.mass * on.length * rng.normal(size=n), on.mass * radius * rng.normal(size=2)
    if rover.quaternion_starts:
        return
    found = rover.linearize(q, qd, tau, velocity=tuple(speeds), heading=heading, inputs=[*rover.dof_names, "wheel1",
                            "wheel2"], wheel_torques={"wheel1": torques[0], "wheel2": torques[1]})
    here = np.concatenate([[heading], q, speeds, qd, tau, torques])
    units = np.concatenate([[1.0], random_speeds(rng, rover.robot, on.length), [on.length, 1.0],
                            random_speeds(rng, rover.robot, on.length), tau, torques])
    along = rng.normal(size=len(here)) * units

    def rates(x: np.ndarray) -> np.ndarray:
        facing, at, own, joints, forces, turned = np.split(x, np.cumsum([1, n, 2, n, n]))
        return np.concatenate(rolling(on, d, radius, at, joints, tuple(own), facing[0], forces, tuple(turned)))

    h = 1e-3
    slope = sum(weight * (rates(here + k * h * along) - rates(here - k * h * along))
                for k, weight in ((1, 2 / 3), (2, -1 / 12))) / h
    expected = found.A[3 + n :, 2:] @ along[: 3 + 2 * n] + found.B[3 + n :] @ along[3 + 2 * n :]
    yield Compared(expected, slope, max(np.abs(slope).max(), np.abs(rates(here)).max()))
    v, w = speeds
    yield Compared(found.A[:3, :3], np.array([[0, w, 0], [-w, 0, v], [0, 0, 0]]))


@check(
    "Rover.simulate",
    "Rover.roll",
    "RoverSimulation",
    "RoverEvent",
    against="SciPy's DOP853 on Newton's equations with Pinocchio's rnea",
    bound=1e-5,
    every=3,
)
def rover_simulation(case: Case) -> Iterator[Compared]:
    on, d, radius = differential_drive(case.seed, case.number)
    rng, rover = case.rng("simulated"), on.rover
    q, qd = random_coordinates(rng, rover.robot, on.length), 0.3 * random_speeds(rng, rover.robot, on.length)
    speeds = (0.2 * on.length, 0.1)
    torques = tuple(0.1 * on.mass * radius * rng.normal(size=2))
    tau = 0.02 * on.mass * on.length**2 * rng.normal(size=rover.n)
    n = rover.n

    def rate(_: float, x: np.ndarray) -> np.ndarray:
        pose, at, (v, w), joints = x[:3], x[3 : 3 + n], x[3 + n : 5 + n], x[5 + n :]
        base, qdd = rolling(on, d, radius, at, joints, (v, w), pose[2], tau, torques)
        return np.concatenate([[v * np.cos(pose[2]), v * np.sin(pose[2]), w], joints, base, qdd])

    times = np.linspace(0, 0.2, 5)
    start = np.concatenate([np.zeros(3), q, speeds, qd])
    expected = solve_ivp(rate, (0, 0.2), start, "DOP853", times, rtol=1e-10, atol=1e-10).y.T
    found = rover.simulate(
        q, qd, tau, velocity=speeds, times=times, wheel_torques={"wheel1": torques[0], "wheel2": torques[1]}
    )
    if found.events and len(found.times) < len(times):
        return  # it tips over
    yield Compared(found.pose, expected[:, :3], on.length)
    yield Compared(found.q, expected[:, 3 : 3 + n], on.length)
    yield Compared(found.velocity[:, [0, 2]], expected[:, 3 + n : 5 + n], 1.0)
    # The arm moved by hand: the base answers by its momentum.
    points = np.array([q, q + 0.3 * random_speeds(rng, rover.robot, on.length)])
    swing = lp.Motion.through(rover.robot, points, [0.0, 1.0], rate=50)

    def carried(t: float, x: np.ndarray) -> np.ndarray:
        at = swing.at(min(max(t, 0.0), 1.0))
        arm = at.q[0], at.qd[0], at.qdd[0]

        def ground(change: np.ndarray) -> np.ndarray:
            motion = {
                "velocity": np.array([x[3], 0, x[4]]),
                "acceleration": np.array([change[0], 0, change[1]]),
                "heading": x[2],
            }
            return on.wrench(*arm, motion)[0][[0, 5]]

        bias = ground(np.zeros(2))
        M = np.array([ground(unit) - bias for unit in np.eye(2)]).T
        for side in (d, -d):
            row = np.array([1.0, -side])
            M = M + np.outer(row, row) * 1e-3 / radius**2
        change = np.linalg.solve(M, -bias)
        return np.array([x[3] * np.cos(x[2]), x[3] * np.sin(x[2]), x[4], *change])

    rolled = rover.roll(swing, times=times)
    if len(rolled.times) < len(times):
        return
    expected = solve_ivp(carried, (0, 0.2), np.zeros(5), "DOP853", times, rtol=1e-9, atol=1e-10).y.T
    yield Compared(rolled.pose, expected[:, :3], on.length)
    yield Compared(rolled.velocity[:, [0, 2]], expected[:, 3:], 1.0)
