"""How wheels turn, and how contacts share forces: formulas of textbooks, searches through all possibilities."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case
from differential.rovers_by_hand import made, state
from references.to_pinocchio import Peer


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
    "Rover.wheel_load_derivatives",
    "Rover.wheel_load_slopes",
    against="central differences of that, the contacts held where they are",
    bound=1e-5,
    every=2,
)
def wheel_load_derivatives(case: Case) -> Iterator[Compared]:
    on = made(case.seed, case.number)
    arm, motion = state(case, on)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)  # kinks are looked at here
        found = on.rover.wheel_load_derivatives(*arm, **motion)
    normal, points = found.loads.normal, found.loads.points
    if found.loads.tips_over or normal[normal > 0].min() < 1e-3 * normal.max():
        return
    yield Compared(float(found.kinks), 0.0)
    compliance = np.array([wheel.compliance for wheel in on.rover.base.wheels])
    base = {name: np.broadcast_to(motion.get(name, 0.0), 3).astype(float) for name in ("velocity", "acceleration")}
    here = {**dict(zip(("q", "qd", "qdd"), arm, strict=True)), **base}
    step, size = 1e-5, np.abs(normal).max() / min(on.length, 1.0)
    for name, value in here.items():
        entries = np.eye(on.rover.n if name == "q" else len(value))
        for k, unit in enumerate(entries):
            ends = []
            for by in (step, -step):  # `integrate` is compared in of_kinematics
                there = {**here, name: on.rover.integrate(value, by * unit) if name == "q" else value + by * unit}
                moving = {**motion, "velocity": there["velocity"], "acceleration": there["acceleration"]}
                wrench, _ = on.wrench(there["q"], there["qd"], there["qdd"], moving)
                ends.append(shared_normals(points, compliance, wrench[[2, 3, 4]]))
            expected = (ends[0] - ends[1]) / (2 * step)
            if ((ends[0] > 0) == (ends[1] > 0)).all():
                yield Compared(getattr(found, name).normal[:, k], expected, max(size, np.abs(expected).max()))


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


def work_over(corners: np.ndarray, center: np.ndarray, weight: np.ndarray) -> float:
    """The least work over an edge: the mass center turned about each in fine steps; corners clockwise from above."""
    least = np.inf
    for i in range(len(corners)):
        first, second = np.append(corners[i], 0.0), np.append(corners[(i + 1) % len(corners)], 0.0)
        axis = (first - second) / np.linalg.norm(first - second)
        arm, turns = center - first, np.linspace(-np.pi, np.pi, 20_001)[:, None]
        at = arm * np.cos(turns) + np.cross(axis, arm) * np.sin(turns) + axis * (axis @ arm) * (1 - np.cos(turns))
        work = float((-at @ weight).max() + arm @ weight)
        least = min(least, work if np.cross(arm, weight) @ axis <= 0 else -work)
    return least


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
    gravity = on.rover.ground.gravity_in_base(motion.get("heading", 0.0))
    mass = sum(link.inertia.mass for link in on.rover.robot.links)
    still = on.rover.stability(arm[0], heading=motion.get("heading", 0.0), steering=motion.get("steering"))
    if motion.get("steering") is None and any(wheel.swivels for wheel in on.rover.base.wheels):
        return  # at rest casters look forward
    yield Compared(still.energy_margin, work_over(corners, center, mass * gravity), mass * on.length * 9.81)


@check(
    "Rover.largest_payload",
    "Rover.largest_acceleration",
    "Rover.with_payload",
    against="bisection over Pinocchio's wrench and SciPy's hull",
    bound=1e-7,
)
def until_tipping(case: Case) -> Iterator[Compared]:
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
