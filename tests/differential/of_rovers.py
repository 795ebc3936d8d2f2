"""Rovers: Pinocchio's robot on a free-flyer for what the ground gives, and plain searches for how contacts share it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

import loadpath as lp
from differential.register import Compared, check
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


@cache
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
    import pinocchio as pin

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


# How wheels and base move together


def contact_speed(wheel: Any, velocity: np.ndarray) -> np.ndarray:
    x, y = wheel.position
    return np.array([velocity[0] - velocity[2] * y, velocity[1] + velocity[2] * x])


@check(
    "Rover.wheel_motion",
    "Rover.base_motion",
    "Rover.constraint_matrix",
    "Rover.rotation_axis",
    "Rover.instantaneous_axis",
    against="the textbooks' formula of each wheel, least squares, ranks",
    bound=1e-9,
)
def wheel_kinematics(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number, ("fixed", "steered", "caster", "mecanum", "omni"))
    rover, rng = on.rover, case.rng("wheels")
    velocity = rng.normal(size=3)
    found = rover.wheel_motion(velocity)
    rates, angles, scrubs, rows, held = [], [], [], [], []
    for wheel in rover.base.wheels:
        v = contact_speed(wheel, velocity)
        angle = wheel.direction
        if isinstance(wheel, (lp.SteeredWheel, lp.CasterWheel)):
            angle = np.arctan2(v[1], v[0])
            if isinstance(wheel, lp.SteeredWheel) and abs(angle) > np.pi / 2:
                angle -= np.sign(angle) * np.pi  # no further than a quarter turn
            angles.append(angle)
        along, left = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        roller = np.tan(wheel.roller_angle) if isinstance(wheel, lp.OmniWheel) else 0.0
        rolling = along + roller * left
        rates.append(rolling @ v / wheel.radius)
        free = isinstance(wheel, (lp.OmniWheel, lp.SteeredWheel, lp.CasterWheel))
        scrubs.append(0.0 if free else left @ v)
        x, y = wheel.position
        row = np.array([*rolling, rolling @ (-y, x)]) / wheel.radius
        if not isinstance(wheel, lp.CasterWheel):
            rows.append(row)
        if isinstance(wheel, (lp.FixedWheel, lp.SteeredWheel)) and not isinstance(wheel, lp.OmniWheel):
            held.append([*left, left @ (-y, x)])
    yield Compared(found.rate, rates)
    yield Compared(np.cos(found.steering), np.cos(angles))
    yield Compared(np.sin(found.steering), np.sin(angles))
    yield Compared(found.scrub, scrubs, float(np.abs(velocity).max()))
    yield Compared(rover.instantaneous_axis(velocity), [-velocity[1] / velocity[2], velocity[0] / velocity[2]])
    steering = found.steering
    A = rover.constraint_matrix(steering)
    held = np.array(held).reshape(-1, 3)
    # The same null space, whatever the rows.
    yield Compared(A.T @ A, held.T @ held, 1.0) if len(A) else Compared(len(held), 0)
    rank = np.linalg.matrix_rank(held, 1e-9) if len(held) else 0
    yield Compared(int(rover.rotation_axis(steering).mobility), 3 - rank)
    if rows and np.linalg.matrix_rank(np.array(rows), 1e-6) == 3 and not len(held):
        wanted = np.linalg.lstsq(np.array(rows), rng.normal(size=len(rows)), rcond=None)[0]
        given = np.array(rows) @ wanted
        yield Compared(rover.base_motion(given, steering).velocity, wanted)


# Forces at the contacts


def shared_normals(points: np.ndarray, compliance: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Springs that cannot pull: every set of contacts that might stay down is tried."""
    count = len(points)
    G = np.vstack([np.ones(count), points[:, 1], -points[:, 0]])
    best, least = np.full(count, np.nan), np.inf
    for size in range(1, count + 1):
        for kept in combinations(range(count), size):
            k = list(kept)
            scaled = G[:, k] / np.sqrt(compliance[k])
            share = np.linalg.lstsq(scaled, load, rcond=None)[0] / np.sqrt(compliance[k])
            if np.abs(G[:, k] @ share - load).max() > 1e-9 * np.abs(load).max() or share.min() < -1e-9 * share.max():
                continue
            energy = float(compliance[k] @ share**2)
            if energy < least:
                best, least = np.zeros(count), energy
                best[k] = share
    return best


def hull_margin(points: np.ndarray, at: np.ndarray) -> float:
    """Distance inside the hull, negative outside, by SciPy's facets."""
    return float(-(ConvexHull(points).equations @ np.array([*at, 1.0])).max())


@check(
    "Rover.wheel_loads",
    "Rover.contact_loads",
    "WheelLoads",
    against="balance with Pinocchio's wrench; all sets of lifted contacts tried",
    bound=1e-8,
)
def wheel_loads(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number)
    arm, motion = state(case, on)
    wrench, _ = on.wrench(*arm, motion)
    loads = on.rover.wheel_loads(*arm, **motion)
    arms = np.column_stack([loads.points, np.zeros(len(loads.points))])
    force, torque = loads.force.sum(axis=0), np.cross(arms, loads.force).sum(axis=0)
    force[:2] += loads.unsupplied[:2]
    torque[2] += loads.unsupplied[2]
    size = np.abs(wrench).max()
    yield Compared(force, wrench[:3], size)
    yield Compared(torque, wrench[3:], size)
    zmp = np.array([-wrench[4], wrench[3]]) / wrench[2]
    margin = hull_margin(loads.points, zmp) if wrench[2] > 0 else -np.inf
    if abs(margin) > 1e-6 * on.length:
        yield Compared(float(loads.tips_over), float(margin < 0))
    if margin > 1e-6 * on.length:
        compliance = np.array([wheel.compliance for wheel in on.rover.base.wheels])
        yield Compared(loads.normal, shared_normals(loads.points, compliance, wrench[[2, 3, 4]]), size)


@check(
    "Rover.slip",
    "Slip",
    against="shares of feet by least squares; the friction that is needed by SciPy's SLSQP",
    bound=1e-4,
    every=2,
)
def slip(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number, ("support",))
    arm, motion = state(case, on, hard=0.3)
    motion = {"acceleration": motion["acceleration"], "heading": motion["heading"]}
    wrench, _ = on.wrench(*arm, motion)
    found = on.rover.slip(*arm, **motion)
    normal, points = found.loads.normal, found.loads.points
    if found.loads.tips_over or (normal <= 1e-6 * normal.max()).any():
        return
    yield Compared(found.available, 0.8 * normal)
    yield Compared(found.used, np.hypot(found.loads.longitudinal, found.loads.lateral))
    yield Compared(found.ratio, found.used / found.available)
    count = len(points)
    G = np.zeros((3, 2 * count))
    G[0, 0::2] = G[1, 1::2] = 1.0
    G[2, 0::2], G[2, 1::2] = -points[:, 1], points[:, 0]
    grip = np.repeat([wheel.grip_compliance for wheel in on.rover.base.wheels], 2)
    planar = wrench[[0, 1, 5]]
    free = np.linalg.lstsq(G / np.sqrt(grip), planar, rcond=None)[0] / np.sqrt(grip)
    if (np.hypot(free[0::2], free[1::2]) < 0.79 * normal).all():  # none at its limit: springs share it
        yield Compared(found.loads.force[:, :2].ravel(), free)
    size = np.abs(planar).max()

    def use(x: np.ndarray) -> np.ndarray:
        return np.hypot(x[0:-1:2], x[1:-1:2]) * size / (0.8 * normal)

    start = np.append(free / size, 1.1 * (np.hypot(free[0::2], free[1::2]) / (0.8 * normal)).max())
    best = minimize(
        lambda x: x[-1],
        start,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda x: G @ x[:-1] - planar / size},
            {"type": "ineq", "fun": lambda x: x[-1] - use(x)},
        ],
    )
    if best.success:
        yield Compared(found.friction_factor, best.x[-1], 1.0)
    if abs(best.x[-1] - 1) > 1e-3:
        yield Compared(float(found.slips.any()), float(best.x[-1] > 1))


def papadopoulos_rey(
    points: np.ndarray, center: np.ndarray, force: np.ndarray, moment: np.ndarray
) -> tuple[float, float]:
    """Least angle and measure as the paper builds them: corners clockwise seen from above."""
    angles, measures = [], []
    for i in range(len(points)):
        a = points[(i + 1) % len(points)] - points[i]
        a = a / np.linalg.norm(a)
        across = np.eye(3) - np.outer(a, a)
        arm = across @ (points[(i + 1) % len(points)] - center)
        f = across @ force
        f = f + np.cross(arm / np.linalg.norm(arm), a * (a @ moment)) / np.linalg.norm(arm)
        unit = f / np.linalg.norm(f)
        d = -arm + (arm @ unit) * unit
        sign = 1.0 if np.cross(arm / np.linalg.norm(arm), unit) @ a < 0 else -1.0
        angles.append(sign * np.arccos(np.clip(unit @ arm / np.linalg.norm(arm), -1, 1)))
        measures.append(angles[-1] * np.linalg.norm(d) * np.linalg.norm(f))
    return min(angles), min(measures)


@check(
    "Rover.stability",
    "Rover.edge_moments",
    "Rover.edge_angles",
    "Rover.edges",
    "Stability",
    against="SciPy's convex hull, the paper's construction, on Pinocchio's wrench",
    bound=1e-7,
)
def stability(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number)
    arm, motion = state(case, on, hard=2.0)
    wrench, _ = on.wrench(*arm, motion)
    found = on.rover.stability(*arm, **motion)
    points = on.rover.wheel_loads(*arm, **motion).points
    if wrench[2] <= 0:
        yield Compared(found.margin, -np.inf)
        return
    zmp = np.array([-wrench[4], wrench[3]]) / wrench[2]
    yield Compared(found.zero_moment_point, zmp, on.length)
    margin = hull_margin(points, zmp)
    yield Compared(found.margin, margin, on.length)
    yield Compared(found.edge_moments.min(), margin * wrench[2], on.length * wrench[2])
    yield Compared(float(found.tips_over), float(margin < 0))
    corners = points[ConvexHull(points).vertices][::-1]
    center = on.rover.mass_center(arm[0])
    moment = -(wrench[3:] - np.cross(center, wrench[:3]))
    solid = np.column_stack([corners, np.zeros(len(corners))])
    angle, measure = papadopoulos_rey(solid, center, -wrench[:3], moment)
    yield Compared(found.angle, angle, 1.0)
    yield Compared(found.force_angle, measure, np.abs(wrench).max() * on.length)


@check(
    "Rover.largest_payload",
    "Rover.largest_acceleration",
    "Rover.with_payload",
    against="bisection over Pinocchio's wrench and SciPy's hull",
    bound=1e-7,
)
def until_tipping(case: Case) -> Iterator[Compared]:
    import pinocchio as pin

    on = made(case.seed, case.number, ("fixed", "omni", "support"))
    arm, motion = state(case, on, hard=0.3)
    rover, rng = on.rover, case.rng("tipping")
    points = np.array([wheel.position for wheel in rover.base.wheels])

    def holds(peer: Peer | None = None, more: np.ndarray | None = None) -> bool:
        moved = motion if more is None else {**motion, "acceleration": motion["acceleration"] + more}
        wrench, _ = on.wrench(*arm, moved, peer=peer)
        return bool(wrench[2] > 0) and hull_margin(points, np.array([-wrench[4], wrench[3]]) / wrench[2]) >= 0

    def most(test: Any) -> float:
        low, high = 0.0, 1e-3
        if not test(0.0):
            return 0.0
        while test(high) and high < 1e9:
            low, high = high, 2 * high
        if high >= 1e9:
            return np.inf
        for _ in range(70):
            middle = (low + high) / 2
            low, high = (middle, high) if test(middle) else (low, middle)
        return low

    direction = rng.normal(size=3)
    found = rover.largest_acceleration(*arm, direction=direction, **motion)
    yield Compared(found, most(lambda x: holds(more=x * direction)))
    link = str(rng.choice(rover.robot.link_names))
    center = tuple(rng.normal(size=3) * on.length)
    own = "~base" if link == rover.robot.link_names[0] else link
    if own not in on.peer.body_of:
        return

    def heavier(mass: float) -> Peer:
        peer = Peer(
            on.peer.robot, on.peer.model.copy(), on.peer.order, on.peer.speeds, on.peer.body_of, on.peer.offset_of
        )
        body = pin.Inertia(mass, np.array(center), np.zeros((3, 3)))
        peer.model.appendBodyToJoint(peer.body_of[own], body, peer.offset_of[own])
        peer.data = peer.model.createData()
        return peer

    mass = rover.largest_payload(*arm, link=link, center_of_mass=center, **motion)
    yield Compared(mass, most(lambda x: holds(heavier(x))))


# Under forces


@cache
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
