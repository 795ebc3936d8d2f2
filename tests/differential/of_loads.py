"""Loads by cause, peaks, payloads: against Pinocchio run once for each cause, plain NumPy and a search by bisection."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case, random_coordinates, random_speeds
from references.to_pinocchio import Peer, to_pinocchio

RESULTANTS = ("axial_force", "radial_force", "axial_torque", "tilting_moment", "force", "torque")


class Causes:
    """Joint wrenches (joints, 6) of single causes: rnea with one speed, one acceleration, one link's mass alone."""

    def __init__(self, case: Case, peer: Peer, q: np.ndarray) -> None:
        self.peer, self.q, self.joints = peer, peer.q(q), case.robot.joints
        self.weightless = peer.model.copy()
        self.weightless.gravity.linear = np.zeros(3)

    def wrenches(self, v: np.ndarray, a: np.ndarray, model: pin.Model, external: list | None = None) -> np.ndarray:
        data = model.createData()
        if external is None:
            pin.rnea(model, data, self.q, v, a)
        else:
            pin.rnea(model, data, self.q, v, a, external)
        return np.array([data.f[self.peer.body_of[joint.child]].vector for joint in self.joints])

    def moved(self, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return self.wrenches(v, a, self.weightless)

    def of_link(self, link: str, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Everything that the mass of one link takes."""
        model = self.peer.model.copy()
        for k in range(1, model.njoints):
            if k != self.peer.body_of[link]:
                model.inertias[k] = pin.Inertia.Zero()
        return self.wrenches(v, a, model)


def movers(case: Case) -> dict[str, int]:
    """Names of all freedoms, those of mimicking joints too, and their places in Pinocchio's speeds."""
    found, row = {}, 0
    for joint in case.peer.order:
        for label in joint.motion.labels if joint.motion.dof else ():
            found[f"{joint.name}.{label}" if label else joint.name] = row
            row += 1
        row += not joint.motion.dof
    return found


def six(wrench: lp.Wrench) -> np.ndarray:
    return np.concatenate([wrench.force, wrench.torque], axis=-1)


@check(
    "Robot.load_breakdown",
    "Robot.load_terms",
    "LoadBreakdown",
    against="Pinocchio, rnea with one speed, one acceleration, one mass at a time",
    bound=1e-9,
)
def load_breakdown(case: Case) -> Iterator[Compared]:
    robot, peer, (q, qd, qdd) = case.robot, case.peer, case.state
    loads = robot.load_breakdown(q, qd, qdd, external=case.external, by_link=True, compiled=False)
    causes, names = Causes(case, peer, q), movers(case)
    v, a = peer.v(qd), peer.v(qdd)
    still = np.zeros_like(v)
    unit = np.eye(len(v))
    rng = case.rng("causes")
    size = np.abs(causes.wrenches(v, a, peer.model)).max() + case.wrench_size
    joint = str(rng.choice(robot.joint_names))
    at = robot.joint_names.index(joint)
    yield Compared(
        six(loads.total(joint)),
        np.concatenate([part[at] for part in peer.joint_wrenches(q, qd, qdd, case.in_link_axes(case.external, q))]),
        size,
    )
    squares = {name: causes.moved(v[k] * unit[k], still) for name, k in names.items()}
    for name, k in names.items():
        yield Compared(six(loads.inertial[joint, name]), causes.moved(still, a[k] * unit[k])[at], size)
        yield Compared(six(loads.centrifugal[joint, name]), squares[name][at], size)
    if len(names) > 1:
        one, two = (str(name) for name in rng.permutation(list(names))[:2])
        both = causes.moved(v[names[one]] * unit[names[one]] + v[names[two]] * unit[names[two]], still)
        yield Compared(six(loads.coriolis[joint, one, two]), (both - squares[one] - squares[two])[at], size)
    link = str(rng.choice(robot.link_names[1:]))
    yield Compared(six(loads.gravity[joint, link]), causes.of_link(link, still, still)[at], size)
    carried = loads.by_carrier(joint).get(link)
    pushed = peer._external({k: w for k, w in case.in_link_axes(case.external, q).items() if k == link})
    alone = causes.wrenches(still, still, causes.weightless, pushed)[at]
    expected = causes.of_link(link, v, a)[at] + alone
    yield Compared(np.zeros(6) if carried is None else six(carried), expected, size)
    if link in case.external:
        yield Compared(six(loads.external[joint, link]), alone, size)
    # The sums, all ways.
    kinds = loads.by_kind(joint)
    expected = causes.moved(v, still)[at] - sum(square[at] for square in squares.values())
    yield Compared(six(kinds["coriolis"]) if "coriolis" in kinds else np.zeros(6), expected, size)
    everything = np.concatenate(peer.joint_wrenches(q, qd, qdd, case.in_link_axes(case.external, q)), axis=1)
    yield Compared(loads.totals(), everything, size)
    yield Compared(sum(six(w) for w in loads.by_cause(joint).values()), everything[at], size)
    others = sum(six(kinds[kind]) for kind in ("gravity", "external") if kind in kinds)
    yield Compared(sum((six(w) for w in loads.by_mover(joint).values()), np.zeros(6)) + others, everything[at], size)
    # What the drive gives.
    tau = peer.inverse_dynamics(q, qd, qdd, case.in_link_axes(case.external, q))
    freedom = int(rng.integers(robot.n))
    yield Compared(sum(loads.drive(robot.dof_names[freedom]).values()), tau[freedom], size)
    # In the world's axes, summed over links, on a base that moves, compiled.
    moving = robot.load_breakdown(q, qd, qdd, external=case.external, frame="world", **case.base_motion)
    peer.link_poses(q)
    R = peer.data.oMi[peer.body_of[robot.joint(joint).child]].rotation
    free = [
        part[at + 1] for part in case.free_peer.joint_wrenches(*case.free_state(), case.in_link_axes(case.external, q))
    ]
    yield Compared(six(moving.total(joint)), np.concatenate([R @ free[0], R @ free[1]]), size)
    terms = robot.load_terms(q, qd, qdd)
    own = robot.load_breakdown(q, qd, qdd)
    rows = own.index.all_rows(joint)
    yield Compared(
        terms.values[rows].sum(axis=0), np.concatenate([p[at] for p in peer.joint_wrenches(q, qd, qdd)]), size
    )
    drives = peer.inverse_dynamics(q, qd, qdd) - peer.inverse_dynamics(q, qd, qdd, drives=False)
    yield Compared(terms.friction + terms.rotor, drives, size)


def some_states(case: Case, count: int, purpose: str) -> list[np.ndarray]:
    rng = case.rng(purpose)
    return [
        np.array([random_coordinates(rng, case.robot, case.length) for _ in range(count)]),
        np.array([random_speeds(rng, case.robot, case.length) for _ in range(count)]),
        np.array([random_speeds(rng, case.robot, case.length, 5.0) for _ in range(count)]),
    ]


def their_wrenches(case: Case, states: list[np.ndarray]) -> np.ndarray:
    """(states, joints, 6)."""
    return np.array([np.concatenate(case.peer.joint_wrenches(*state), axis=1) for state in zip(*states, strict=True)])


@check(
    "Robot.reduce_loads",
    "LoadExtremes",
    "LoadMean",
    "LoadRMS",
    "LoadHistogram",
    "LoadBreakdown.worst",
    "LoadBreakdown.top",
    against="NumPy over Pinocchio's wrenches, state by state",
    bound=1e-9,
)
def reduce_loads(case: Case) -> Iterator[Compared]:
    robot = case.robot
    states = some_states(case, 11, "reduced")
    wrenches = their_wrenches(case, states)
    size = float(np.abs(wrenches).max())
    joint = str(case.rng("joint").choice(robot.joint_names))
    at = robot.joint_names.index(joint)
    edges = np.linspace(wrenches[:, at, 5].min() - size / 10, wrenches[:, at, 5].max() + size / 10, 5)
    reducers = [lp.LoadExtremes(), lp.LoadMean(), lp.LoadRMS(), lp.LoadHistogram(joint, "torque_z", edges)]
    extremes, mean, rms, histogram = robot.reduce_loads(tuple(states), reducers, block=4)
    yield Compared(extremes.largest.totals, wrenches.max(axis=0), size)
    yield Compared(extremes.smallest.totals, wrenches.min(axis=0), size)
    yield Compared(mean.totals(), wrenches.mean(axis=0), size)
    yield Compared(rms.totals, np.sqrt((wrenches**2).mean(axis=0)), size)
    yield Compared(histogram, np.histogram(wrenches[:, at, 5], edges)[0])
    loads = robot.load_breakdown(*states)
    worst = loads.worst(joint, "torque_z")[0]
    yield Compared(abs(wrenches[worst, at, 5]), np.abs(wrenches[:, at, 5]).max(), size)
    first = loads.top(joint, "torque_z", 1, state=worst)
    if first:
        parts = [abs(float(six(w)[..., 5])) for w in loads.at(worst).by_cause(joint).values()]
        yield Compared(abs(first[0].value), max(parts), size)


@check("Robot.peak_loads", "PeakLoads", against="NumPy and the trapezoid rule over Pinocchio's forces", bound=1e-9)
def peak_loads(case: Case) -> Iterator[Compared]:
    robot = case.robot
    q, qd, qdd = some_states(case, 9, "peaks")
    t = np.cumsum(case.rng("times").uniform(0.1, 1.0, 9))
    peaks = robot.peak_loads(lp.Motion.from_checked(t, q, qd, qdd, robot))
    tau = np.array([case.peer.inverse_dynamics(*state) for state in zip(q, qd, qdd, strict=True)])
    wrenches = their_wrenches(case, [q, qd, qdd])
    size = float(max(np.abs(wrenches).max(), np.abs(tau).max()))
    duration = t[-1] - t[0]

    def mean(x: np.ndarray) -> np.ndarray:
        return np.trapezoid(x, t, axis=0) / duration

    for found, x, weight in ((peaks.drive, tau, np.abs(qd)), (peaks.components, wrenches, None)):
        yield Compared(found.maximum, x.max(axis=0), size)
        yield Compared(found.minimum, x.min(axis=0), size)
        yield Compared(found.mean, mean(x), size)
        yield Compared(found.mean_magnitude, mean(np.abs(x)), size)
        yield Compared(found.rms, np.sqrt(mean(x * x)), size)
        yield Compared(found.cubic_mean, np.cbrt(mean(np.abs(x) ** 3)), size)
        if weight is not None:
            yield Compared(found.travel_cubic_mean, np.cbrt(mean(weight * np.abs(x) ** 3) / mean(weight)), size)
    power = tau * qd
    large = float(np.abs(power).max())
    yield Compared(peaks.power.maximum, power.max(axis=0), large)
    yield Compared(peaks.work_done, mean(np.maximum(power, 0)) * duration, large * duration)
    yield Compared(peaks.work_returned, mean(np.minimum(power, 0)) * duration, large * duration)
    yield Compared(peaks.speed.maximum, qd.max(axis=0))
    yield Compared(peaks.acceleration.minimum, qdd.min(axis=0))
    parts = np.array([resultants(joint, wrenches[:, k]) for k, joint in enumerate(robot.joints)])
    yield Compared(peaks.resultants.maximum, parts.max(axis=2), size)
    joint = robot.joints[int(case.rng("joint").integers(len(robot.joints)))]
    peak = peaks[joint.name, "torque"].peak
    yield Compared(peak.value, np.linalg.norm(wrenches[:, robot.joints.index(joint), 3:], axis=1).max(), size)
    yield Compared(sum(part.value for part in peak.top(1000)), peak.value, size)


def resultants(joint: lp.Joint, wrenches: np.ndarray) -> list[np.ndarray]:
    """Of one joint over all states, in the order of the table in `PeakLoads`, by the joint's own kind."""
    force, torque = wrenches[:, :3], wrenches[:, 3:]
    found = []
    has_axis = isinstance(joint.motion, (lp.Revolute, lp.Prismatic, lp.Helical, lp.Cylindrical))
    for vector in (force, torque):
        if has_axis:
            axis = np.array(joint.motion.axis)
            found += [vector @ axis, np.linalg.norm(np.cross(vector, axis), axis=1)]
        else:
            found += [np.full(len(vector), np.nan)] * 2
    return [*found, np.linalg.norm(force, axis=1), np.linalg.norm(torque, axis=1)]


@check(
    "Robot.max_payload",
    "MaxPayload",
    "Robot.with_payload",
    "Robot.without_payload",
    against="Pinocchio with a body added, bisection on its mass",
    bound=1e-8,
)
def payloads(case: Case) -> Iterator[Compared]:
    robot, rng = case.robot, case.rng("payload")
    q, qd, qdd = (part[:3] for part in some_states(case, 3, "payload"))
    link = str(rng.choice(robot.link_names[1:]))
    center = case.length * rng.uniform(-1, 1, 3)
    half = rng.normal(size=(3, 3)) * case.length / 4
    tensor = np.trace(half @ half.T) * np.eye(3) - half @ half.T

    def forces(mass: float) -> tuple[np.ndarray, np.ndarray]:
        peer = Peer(
            robot, case.peer.model.copy(), case.peer.order, case.peer.speeds, case.peer.body_of, case.peer.offset_of
        )
        body = pin.Inertia(mass, center, mass * tensor)
        peer.model.appendBodyToJoint(peer.body_of[link], body, peer.offset_of[link])
        peer.data = peer.model.createData()
        each = list(zip(q, qd, qdd, strict=True))
        return (
            np.array([peer.inverse_dynamics(*state) for state in each]),
            np.array([peer.joint_wrenches(*state)[1] for state in each]),
        )

    mass = case.mass * rng.uniform(0.1, 2)
    loaded = robot.with_payload(mass, tuple(center), inertia=mass * tensor, link=link)
    size = case.wrench_size
    yield Compared(loaded.inverse_dynamics(q, qd, qdd), forces(mass)[0], size)
    yield Compared(loaded.without_payload().inverse_dynamics(q, qd, qdd), forces(0.0)[0], size)
    tau, torques = forces(0.0)
    joint = str(rng.choice(robot.joint_names))
    at = robot.joint_names.index(joint)
    bounds = {name: float(1.5 * np.abs(tau).max() + size) for name in robot.dof_names}
    turning = 2 * float(np.linalg.norm(torques[:, at], axis=1).max()) + size
    limits: dict = {**bounds, joint: {"torque": turning}} if joint not in bounds else bounds
    found = robot.max_payload(
        (q, qd, qdd), limits, link=link, center_of_mass=tuple(center), inertia_per_mass=tensor, model_limits=False
    )

    def within(mass: float) -> bool:
        tau, torques = forces(mass)
        holds = all(
            np.abs(tau[:, k]).max() <= bounds[name]
            for k, name in enumerate(robot.dof_names)
            if not isinstance(limits[name], dict)
        )
        return holds and (limits is bounds or np.linalg.norm(torques[:, at], axis=1).max() <= turning)

    low, high = 0.0, case.mass
    while within(high) and high < 1e12 * case.mass:
        low, high = high, 2 * high
    if high >= 1e12 * case.mass:
        yield Compared(found.mass > 1e9 * case.mass, 1.0)
        return
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    yield Compared(found.mass, low)


@check(
    "Robot.fastest",
    "Robot.path_durations",
    "Fastest",
    "Path",
    "FrictionCone",
    against="Pinocchio: no limit of torque is exceeded along the motion, and one is reached",
    bound=2e-6,
    every=3,
)
def fastest_motions(case: Case) -> Iterator[Compared]:
    robot, rng = case.robot, case.rng("fastest")
    if robot.quaternion_starts:
        robot = robot.locked({name: robot.neutral()[robot.q_slices[name]] for name in robot.quaternion_starts})
    if not robot.n:
        return
    peer = case.peer if robot is case.robot else to_pinocchio(robot)
    ends = np.array([random_coordinates(rng, robot, case.length) for _ in range(2)])
    between = np.linspace(*ends, 33)
    none, along = np.zeros(robot.n), 1e-9 * (ends[1] - ends[0])  # dry friction asks for its share at any speed
    still = np.abs([peer.inverse_dynamics(q, along, none) for q in between]).max(axis=0)
    limit = 1.5 * still + 0.1 * case.wrench_size
    found = robot.fastest(ends, limits={"torque": limit, "speed": False}, intervals=40)
    states = zip(*found.sampled(3), strict=True)
    used = max(float((np.abs(peer.inverse_dynamics(*state)) / limit).max()) for state in states)
    yield Compared(max(used, 1.0), 1.0)
    yield Compared(min(used, 0.99), 0.99)
    (alone,) = robot.path_durations(ends[None], limits={"torque": limit, "speed": False}, intervals=40)
    yield Compared(min(max(alone / found.duration, 0.9), 1.1), alone / found.duration)


@check(
    "Robot.worst_case",
    "WorstCase",
    "Box",
    against="Pinocchio in the state that is named, and in 30 others of the box",
    bound=1e-8,
    every=3,
)
def worst_cases(case: Case) -> Iterator[Compared]:
    robot, rng = case.robot, case.rng("worst case")
    if robot.quaternion_starts:
        robot = robot.locked({name: robot.neutral()[robot.q_slices[name]] for name in robot.quaternion_starts})
    if not robot.n:
        return
    peer = case.peer if robot is case.robot else to_pinocchio(robot)
    q = random_coordinates(rng, robot, case.length)
    qd, qdd = (random_speeds(rng, robot, case.length) for _ in range(2))
    moved = int(rng.integers(robot.n))
    ends = np.stack([q, q], axis=1)
    ends[moved] += [-0.4, 0.4]
    name = robot.dof_names[int(rng.integers(robot.n))]
    box = lp.Box(q=dict(zip(robot.dof_names, ends, strict=True)), qd=dict(zip(robot.dof_names, qd, strict=True)),
                 qdd=dict(zip(robot.dof_names, qdd, strict=True)))
    found = robot.worst_case(name, "drive", over=box, seconds=5)
    at = robot.dof_names.index(name)
    there = peer.inverse_dynamics(*found.state)[at]
    yield Compared(found.value, abs(there), case.wrench_size)
    for share in np.linspace(0, 1, 30):
        between = q.copy()
        between[moved] = (1 - share) * ends[moved, 0] + share * ends[moved, 1]
        load = abs(peer.inverse_dynamics(between, qd, qdd)[at])
        yield Compared(max(load, found.bound), found.bound, case.wrench_size)
