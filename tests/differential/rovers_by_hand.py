"""Random rovers, and the same base and arm put together here on a free-flyer of Pinocchio."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import loadpath as lp
from differential.robots import Case, random_coordinates, random_pose, random_robot, random_speeds
from references.to_pinocchio import Peer, to_pinocchio

KINDS = ("Revolute", "Prismatic", "Universal", "Fixed", "Spherical")


@dataclass
class OnWheels:
    """A rover, and the same base and arm in Pinocchio on a free-flyer, put together here."""

    rover: lp.Rover
    peer: Peer
    length: float
    mass: float

    def wrench(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, motion: dict[str, Any], *, peer: Peer | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment of the ground about the base's origin, base axes, and the forces of the arm's drives."""
        peer = peer or self.peer
        vx, vy, w = motion.get("velocity", np.zeros(3))
        ax, ay, alpha = motion.get("acceleration", np.zeros(3))
        heading, ground = motion.get("heading", 0.0), self.rover.ground
        along, down = ground.gravity * np.sin(ground.slope), ground.gravity * np.cos(ground.slope)
        # Uphill is (cos, -sin) of the heading in base axes.
        peer.model.gravity.linear = np.array([-along * np.cos(heading), along * np.sin(heading), -down])
        v = np.array([vx, vy, 0, 0, 0, w])
        a = np.array([ax - w * vy, ay + w * vx, 0, 0, 0, alpha])
        a[:3] -= np.cross(v[3:], v[:3])
        at = np.concatenate([np.zeros(6), [1.0], q])
        tau = peer.inverse_dynamics(at, np.concatenate([v, qd]), np.concatenate([a, qdd]))
        for wheel in self.rover.base.wheels:
            if wheel.spin_inertia:
                x, y = np.cos(wheel.direction), np.sin(wheel.direction)
                left = np.array([-y, x, 0.0])
                px, py = wheel.position
                rate, change = (
                    ((u[0] - u[2] * py) * x + (u[1] + u[2] * px) * y) / wheel.radius
                    for u in ((vx, vy, w), (ax, ay, alpha))
                )
                spin = wheel.spin_inertia
                tau[3:6] += spin * change * left + np.cross([0, 0, w], spin * rate * left)
        return tau[:6], tau[6:]


def random_wheels(rng: np.random.Generator, length: float, kinds: tuple[str, ...], count: int) -> list[Any]:
    wheels = []
    for angle in np.linspace(0, 2 * np.pi, count, endpoint=False) + rng.uniform(-0.3, 0.3, count):
        at = tuple(length * rng.uniform(0.5, 0.8) * np.array([np.cos(angle), np.sin(angle)]))
        options = {"compliance": rng.uniform(0.5, 2), "grip_compliance": rng.uniform(0.5, 2)}
        radius, turned = 0.1 * length * rng.uniform(0.5, 1.5), rng.uniform(-3, 3)
        match str(rng.choice(kinds)):
            case "fixed":
                wheels.append(lp.FixedWheel(at, radius, direction=turned, spin_inertia=1e-3 * rng.random(), **options))
            case "steered":
                wheels.append(lp.SteeredWheel(at, radius, **options))
            case "caster":
                wheels.append(lp.CasterWheel(at, radius, **options))
            case "trailing":
                wheels.append(lp.CasterWheel(at, radius, trail=0.1 * length, **options))
            case "mecanum":
                roller = float(rng.choice([-1, 1])) * np.pi / 4
                wheels.append(lp.MecanumWheel(at, radius, roller_angle=roller, direction=turned, **options))
            case "omni":
                wheels.append(lp.OmniWheel(at, radius, direction=turned, **options))
            case _:
                wheels.append(lp.Support(at, **options))
    return wheels


ALL = ("fixed", "steered", "caster", "trailing", "mecanum", "omni", "support")


@lru_cache(maxsize=4)
def made(seed: int, number: int, kinds: tuple[str, ...] = ALL, slope: bool = True) -> OnWheels:
    rng = Case(seed, number).rng("rover" + "".join(kinds))
    while True:
        arm, mass, length = random_robot(rng, kinds=KINDS, most=2, chain=True)
        if arm.n and 0.2 < length < 3 and 0.3 < mass < 30 and not any(j.mimic for j in arm.joints):
            break
    half = rng.normal(size=(3, 3)) * length / 3
    body = 10 * mass * (np.trace(half @ half.T) * np.eye(3) - half @ half.T)
    center = (*rng.uniform(-0.1, 0.1, 2) * length, 0.3 * length)
    base = lp.WheeledBase(
        mass=30 * mass,
        center_of_mass=center,
        inertia=body.tolist(),
        wheels=random_wheels(rng, 2 * length, kinds, int(rng.integers(3, 6))),
        friction=lp.WheelFriction(0.6, 0.8),
    )
    at = random_pose(rng, 0.3 * length)
    ground = lp.Ground(slope=float(rng.uniform(0, 0.2)) if slope else 0.0, gravity=float(rng.uniform(2, 12)))
    rover = base.carrying(arm, at=at, ground=ground)
    # The same by hand.
    root = lp.Link("~base", lp.Inertia(base.mass, base.center_of_mass, base.inertia))
    joints = (
        lp.Joint("~free", "~world", "~base", lp.Free()),
        lp.Joint("~mount", "~base", arm.base.name, lp.Fixed(), at),
    )
    robot = lp.Robot("by hand", (lp.Link("~world"), root, *arm.links), (*joints, *arm.joints), (0, 0, 0))
    return OnWheels(rover, to_pinocchio(robot), length, 30 * mass)


def state(case: Case, on: OnWheels, *, hard: float = 1.0) -> tuple[tuple[np.ndarray, ...], dict[str, Any]]:
    rng = case.rng("rover state")
    robot = on.rover.robot
    arm = (
        random_coordinates(rng, robot, on.length),
        random_speeds(rng, robot, on.length),
        random_speeds(rng, robot, on.length, 2.0),
    )
    scale = np.array([on.length, on.length, 1.0])
    motion = {
        "velocity": rng.normal(size=3) * scale,
        "acceleration": hard * rng.normal(size=3) * scale,
        "heading": float(rng.uniform(-3, 3)),
    }
    return arm, motion


@lru_cache(maxsize=4)
def differential_drive(seed: int, number: int) -> tuple[OnWheels, float, float]:
    """Two driven wheels on one axle and casters, no rolling resistance, friction without end."""
    rng = Case(seed, number).rng("drive")
    while True:
        arm, mass, length = random_robot(rng, kinds=("Revolute", "Prismatic"), most=2, chain=True)
        if arm.n == len(arm.joints) and 0.2 < length < 2 and 0.3 < mass < 30 and not any(j.mimic for j in arm.joints):
            break
    arm = arm.without_friction()
    d, radius = float(rng.uniform(0.3, 0.8) * length), float(rng.uniform(0.05, 0.2) * length)
    wheels = [
        lp.FixedWheel((0, d), radius, spin_inertia=1e-3),
        lp.FixedWheel((0, -d), radius, spin_inertia=1e-3),
        lp.CasterWheel((3 * length, length), radius),
        lp.CasterWheel((3 * length, -length), radius),
        lp.CasterWheel((-3 * length, 0), radius),
    ]
    base = lp.WheeledBase(
        mass=100 * mass,
        center_of_mass=(0.2 * length, 0, 0.1 * length),
        inertia=(40 * mass * length**2 * np.eye(3)).tolist(),
        wheels=wheels,
        friction=lp.WheelFriction(50.0),
    )
    at = random_pose(rng, 0.2 * length)
    rover = base.carrying(arm, at=at, ground=lp.Ground(slope=0.05))
    root = lp.Link("~base", lp.Inertia(base.mass, base.center_of_mass, base.inertia))
    joints = (
        lp.Joint("~free", "~world", "~base", lp.Free()),
        lp.Joint("~mount", "~base", arm.base.name, lp.Fixed(), at),
    )
    robot = lp.Robot("by hand", (lp.Link("~world"), root, *arm.links), (*joints, *arm.joints), (0, 0, 0))
    return OnWheels(rover, to_pinocchio(robot), length, 100 * mass), d, radius


def rolling(
    on: OnWheels,
    d: float,
    radius: float,
    q: np.ndarray,
    qd: np.ndarray,
    speeds: tuple[float, float],
    heading: float,
    tau: np.ndarray,
    torques: tuple[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of (v, w) and qdd, with v_y = 0 held: Newton's equations along v, w and the joints, wheels rolling."""
    v, w = speeds
    n = len(qd)
    motion = {"velocity": np.array([v, 0.0, w]), "heading": heading}

    def forces(rate: np.ndarray) -> np.ndarray:
        ground, drives = on.wrench(q, qd, rate[2:], {**motion, "acceleration": np.array([rate[0], 0.0, rate[1]])})
        return np.concatenate([[ground[0], ground[5]], drives])

    bias = forces(np.zeros(2 + n))
    M = np.array([forces(unit) - bias for unit in np.eye(2 + n)]).T
    # A wheel at +-d: J db/dt = torque - R f, with b = (v -+ d w) / R.
    push = np.zeros(2 + n)
    for side, torque in zip((d, -d), torques, strict=True):
        row = np.array([1.0, -side] + [0.0] * n)
        push += row * torque / radius
        M = M + np.outer(row, row) * 1e-3 / radius**2
    push[2:] = tau
    rate = np.linalg.solve(M, push - bias)
    return rate[:2], rate[2:]
