"""Robots made from others, from DH tables and from files; poses, inertias and wrenches: by hand and with Pinocchio."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.linalg import expm

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case, direction, random_body, random_coordinates, random_pose, random_speeds
from loadpath.scalars import array


@check(
    "Robot.with_gravity",
    "Robot.with_inertias",
    "Robot.without_friction",
    "Robot.without_rotors",
    against="Pinocchio with the model's own fields changed",
    bound=1e-10,
)
def edited(case: Case) -> Iterator[Compared]:
    robot, rng, state = case.robot, case.rng("edit"), case.state
    g = direction(rng) * 7.0
    body = random_body(rng, case.mass, case.length)
    link = str(rng.choice(robot.link_names[1:]))
    model = case.peer.model.copy()
    model.gravity.linear = g
    own = pin.Inertia(body.mass, np.array(body.center_of_mass), np.array(body.tensor))
    model.inertias[case.peer.body_of[link]] = case.peer.offset_of[link].act(own)
    peer = replace(case.peer, model=model)
    v, a = peer.v(state[1]), peer.v(state[2])
    tau = pin.rnea(model, model.createData(), peer.q(state[0]), v, a)
    other = robot.with_gravity(g).with_inertias({link: body})
    size = case.wrench_size
    friction = peer._per_speed("viscous_friction") * v + peer._per_speed("coulomb_friction") * np.sign(v)
    rotors = peer._per_speed("reflected_inertia") * a
    for made, expected in (
        (other, tau + friction + rotors),
        (other.without_friction(), tau + rotors),
        (other.without_rotors(), tau + friction),
    ):
        yield Compared(made.inverse_dynamics(*state), peer.speeds.T @ expected, size)


@check("Robot.family", "Family", against="Pinocchio with the model's own fields changed", bound=1e-10)
def families(case: Case) -> Iterator[Compared]:
    robot, rng, state = case.robot, case.rng("family"), case.state
    link = str(rng.choice(robot.link_names[1:]))
    gravities = np.array([direction(rng) * 7.0 for _ in range(2)])
    bodies = [random_body(rng, case.mass, case.length) for _ in range(2)]
    made = robot.family({
        "gravity": gravities,
        f"{link}.mass": [body.mass for body in bodies],
        f"{link}.center_of_mass": [body.center_of_mass for body in bodies],
        f"{link}.inertia": [body.tensor for body in bodies],
    })
    changed = [robot.with_inertias({link: body}).with_gravity(g) for body, g in zip(bodies, gravities, strict=True)]
    found = made.inverse_dynamics(*state), lp.Family(changed).inverse_dynamics(*state)
    for k, (body, g) in enumerate(zip(bodies, gravities, strict=True)):
        model = case.peer.model.copy()
        model.gravity.linear = g
        own = pin.Inertia(body.mass, np.array(body.center_of_mass), np.array(body.tensor))
        model.inertias[case.peer.body_of[link]] = case.peer.offset_of[link].act(own)
        peer = replace(case.peer, model=model)
        v, a = peer.v(state[1]), peer.v(state[2])
        tau = pin.rnea(model, model.createData(), peer.q(state[0]), v, a)
        tau = tau + peer._per_speed("viscous_friction") * v + peer._per_speed("coulomb_friction") * np.sign(v)
        tau = tau + peer._per_speed("reflected_inertia") * a
        for each in found:
            yield Compared(each[k], peer.speeds.T @ tau, case.wrench_size)


@check("Robot.locked", against="Pinocchio with those joints held still", bound=1e-10)
def locked(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd), rng = case.robot, case.state, case.rng("locked")
    moving = [j.name for j in robot.joints if j.motion.dof and j.mimic is None]
    followed = {robot.mimic_of(j).joint for j in robot.joints if j.mimic is not None}
    free = [name for name in moving if name not in followed]
    if len(moving) < 2 or not free:
        return
    name = str(rng.choice(free))
    held = robot.locked({name: q[robot.q_slices[name]]})
    own = robot.v_slices[name]
    rows = [k for k in range(robot.n) if not own.start <= k < own.stop]
    where = robot.q_slices[name]
    coordinates = [k for k in range(robot.nq) if not where.start <= k < where.stop]
    v, a = qd.copy(), qdd.copy()
    v[own] = a[own] = 0.0
    expected = case.peer.inverse_dynamics(q, v, a)[rows]
    yield Compared(held.inverse_dynamics(q[coordinates], qd[rows], qdd[rows]), expected, case.wrench_size)
    force, torque = case.peer.joint_wrenches(q, v, a)
    found = held.joint_wrenches(q[coordinates], qd[rows], qdd[rows])
    order = [robot.joint_names.index(joint) for joint in held.joint_names]
    yield Compared(found.torque, torque[order], case.wrench_size)
    yield Compared(found.force, force[order], case.wrench_size / max(case.length, 1.0))


def free_of_mimics(robot: lp.Robot, *kinds: type[lp.JointType]) -> list[str]:
    """Joints of these types that follow none and that none follows."""
    tied = {name for j in robot.joints if j.mimic is not None for name in (j.name, robot.mimic_of(j).joint)}
    return [j.name for j in robot.joints if isinstance(j.motion, kinds) and j.name not in tied]


@check("Robot.generalized", against="the joint wrenches of Pinocchio, component by component", bound=1e-10)
def generalized(case: Case) -> Iterator[Compared]:
    robot, (q, qd, qdd) = case.robot.without_friction().without_rotors(), case.state
    names = free_of_mimics(robot, lp.JointType)
    wide = robot.generalized(names)
    states = [np.zeros(wide.nq), np.zeros(wide.n), np.zeros(wide.n)]
    for joint in wide.joints:
        if not joint.motion.dof or joint.mimic is not None:
            continue
        at, v = wide.q_slices[joint.name], wide.v_slices[joint.name]
        if joint.name not in names:
            states[0][at] = q[robot.q_slices[joint.name]]
            states[1][v], states[2][v] = qd[robot.v_slices[joint.name]], qdd[robot.v_slices[joint.name]]
            continue
        own = robot.joint(joint.name)
        rows = robot.q_slices.get(own.name, slice(0, 0)), robot.v_slices.get(own.name, slice(0, 0))
        parts = as_free(own.motion, q[rows[0]], qd[rows[1]], qdd[rows[1]])
        for state, part, to in zip(states, parts, (at, v, v), strict=True):
            state[to] = part
    tau = wide.inverse_dynamics(*states)
    force, torque = case.peer.joint_wrenches(q, qd, qdd)
    for name in names:
        k, found = robot.joint_names.index(name), tau[wide.v_slices[name]]
        yield Compared(found[:3], force[k], case.wrench_size / max(case.length, 1.0))
        yield Compared(found[3:], torque[k], case.wrench_size)


def as_free(motion: lp.JointType, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[np.ndarray]:
    """The motion of a joint as that of a free one from where it stands unmoved: pose, twist and its rate."""
    start, at = (pose_of(motion, np.asarray(x, dtype=float)) for x in (motion.neutral(), q))
    pose = np.linalg.inv(start) @ at
    S = columns(motion.subspace(array(q.tolist())))
    rate = columns(motion.subspace_rate(array(q.tolist()), array(qd.tolist())))
    twist, change = S.T @ qd, S.T @ qdd + rate.T @ qd
    quaternion = pin.Quaternion(pose[:3, :3]).coeffs()
    return [np.array([*pose[:3, 3], *quaternion]), twist, change]


def pose_of(motion: lp.JointType, q: np.ndarray) -> np.ndarray:
    turn, shift = motion.placement(array(q.tolist()))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn.matrix().astype(float), shift.astype(float)
    return matrix


def columns(found: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """(speeds, 6), linear first."""
    return np.array([[*linear, *angular] for angular, linear in found], dtype=float).reshape(-1, 6)


@check("Robot.reduced", against="Pinocchio with the joints that were given six freedoms first", bound=1e-10)
def reduced(case: Case) -> Iterator[Compared]:
    robot = case.robot.without_friction().without_rotors()
    selection = {}
    for name in free_of_mimics(robot, lp.Revolute, lp.Prismatic, lp.Cylindrical, lp.Generalized):
        motion = robot.joint(name).motion
        if isinstance(motion, lp.Generalized):
            selection[name] = motion.freedoms
        else:
            kinds = [kind for kind, has in (("turn", motion.angular[0]), ("slide", not motion.angular[-1])) if has]
            selection[name] = [(kind, motion.axis) for kind in kinds]
    if selection:
        made = robot.generalized(selection).reduced(selection)
        expected = case.peer.inverse_dynamics(*case.state, drives=False)
        yield Compared(made.inverse_dynamics(*case.state), expected, case.wrench_size)


@check("Robot.floating", against="Pinocchio on a free-flyer", bound=1e-10)
def floating(case: Case) -> Iterator[Compared]:
    rng = case.rng("floating")
    pose = rng.normal(size=7)
    pose[3:] /= np.linalg.norm(pose[3:])
    q, v, a = case.free_state()
    q[:7] = pose
    found = case.robot.floating().inverse_dynamics(q, v, a)
    yield Compared(found, case.free_peer.inverse_dynamics(q, v, a), case.wrench_size)


def dh_transform(theta: float, d: float, a: float, alpha: float, standard: bool) -> np.ndarray:
    """Screws about z and x, by matrix exponentials."""
    about_z, about_x = np.zeros((2, 4, 4))
    about_z[0, 1], about_z[1, 0], about_z[2, 3] = -theta, theta, d
    about_x[1, 2], about_x[2, 1], about_x[0, 3] = -alpha, alpha, a
    return expm(about_z) @ expm(about_x) if standard else expm(about_x) @ expm(about_z)


@check("from_dh", "DHRow", against="matrix exponentials of the table's screws", bound=1e-10)
def from_dh(case: Case) -> Iterator[Compared]:
    rng = case.rng("dh")
    count = int(rng.integers(1, 5))
    numbers = rng.uniform(-2, 2, (count, 4))
    kinds = [str(rng.choice(["revolute", "prismatic"])) for _ in range(count)]
    for convention in ("standard", "modified"):
        rows = [
            lp.DHRow(*map(float, row), joint=kind, mass=1.0, inertia=np.eye(3).tolist())
            for row, kind in zip(numbers, kinds, strict=True)
        ]
        arm = lp.from_dh(rows, convention=convention)
        q = rng.uniform(-2, 2, count)
        here, expected = np.eye(4), []
        for row, kind, move in zip(numbers, kinds, q, strict=True):
            theta, d, a, alpha = row
            theta, d = (theta + move, d) if kind == "revolute" else (theta, d + move)
            here = here @ dh_transform(theta, d, a, alpha, convention == "standard")
            expected.append(here)
        yield Compared(arm.link_poses(q)[1 : count + 1], expected)


def numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in values)


@check("load", against="Pinocchio's own reading of the same URDF", bound=1e-9)
def load(case: Case) -> Iterator[Compared]:
    rng = case.rng("urdf")
    count = int(rng.integers(1, 5))
    text = ['<robot name="r"><link name="l0"/>']
    for k in range(1, count + 1):
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed"])) if k < count else "revolute"
        parent = int(rng.integers(k))
        half = rng.normal(size=(3, 3))
        I3 = np.trace(half @ half.T) * np.eye(3) - half @ half.T
        text.append(
            f'<link name="l{k}"><inertial>'
            f'<origin xyz="{numbers(rng.normal(size=3))}" rpy="{numbers(rng.normal(size=3))}"/>'
            f'<mass value="{10.0 ** rng.uniform(-3, 3)!r}"/><inertia ixx="{I3[0, 0]!r}" ixy="{I3[0, 1]!r}" '
            f'ixz="{I3[0, 2]!r}" iyy="{I3[1, 1]!r}" iyz="{I3[1, 2]!r}" izz="{I3[2, 2]!r}"/></inertial></link>'
            f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{numbers(rng.normal(size=3))}" rpy="{numbers(3 * rng.normal(size=3))}"/>'
            f'<axis xyz="{numbers(direction(rng))}"/><limit lower="-9" upper="9" effort="1e9" velocity="1e9"/></joint>'
        )
    whole = "".join(text).replace("np.float64(", "").replace(")", "") + "</robot>"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.urdf"
        path.write_text(whole, encoding="utf-8")
        robot = lp.load(path)
    model = pin.buildModelFromXML(whole)
    data = model.createData()
    q, qd, qdd = rng.uniform(-3, 3, (3, robot.n))
    names = list(robot.dof_names)
    coordinates, speeds, rates = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    columns = []
    for k, name in enumerate(names):
        number = model.getJointId(name)
        start, column = model.joints[number].idx_q, model.joints[number].idx_v
        if model.joints[number].nq == 2:
            coordinates[start : start + 2] = np.cos(q[k]), np.sin(q[k])
        else:
            coordinates[start] = q[k]
        speeds[column], rates[column] = qd[k], qdd[k]
        columns.append(column)
    tau = pin.rnea(model, data, coordinates, speeds, rates)
    yield Compared(robot.inverse_dynamics(q, qd, qdd), tau[columns], float(np.abs(data.f[1].vector).max()))


@check(
    "Pose",
    "Inertia",
    "Wrench",
    "Joint.reflected_inertia",
    "Robot.mimic_of",
    against="Pinocchio, SE3, Inertia, Force",
    bound=1e-11,
)
def values(case: Case) -> Iterator[Compared]:
    rng = case.rng("values")
    pose, other = random_pose(rng, case.length), random_pose(rng, case.length)
    X, Y = pin.SE3(pose.R, pose.p), pin.SE3(other.R, other.p)
    point = rng.normal(size=3)
    yield Compared((pose @ other).matrix, (X * Y).homogeneous)
    yield Compared(pose.inverse().matrix, X.inverse().homogeneous)
    yield Compared(pose.transform(point), X.act(point))
    yield Compared(lp.Pose.from_matrix(X.homogeneous).p, pose.p)
    rpy = rng.uniform(-3, 3, 3)
    yield Compared(lp.Pose.from_xyz_rpy((0, 0, 0), rpy).R, pin.rpy.rpyToMatrix(*rpy))
    body, second = (random_body(rng, case.mass, case.length) for _ in range(2))

    def theirs(inertia: lp.Inertia) -> pin.Inertia:
        return pin.Inertia(inertia.mass, np.array(inertia.center_of_mass), np.array(inertia.tensor))

    both = theirs(body) + theirs(second)
    ours = body + second
    yield Compared(ours.mass, both.mass)
    yield Compared(ours.center_of_mass, both.lever, case.length)
    yield Compared(ours.tensor, both.inertia)
    there = X.act(theirs(body))
    yield Compared(body.seen_from(pose).center_of_mass, there.lever, case.length)
    yield Compared(body.seen_from(pose).tensor, there.inertia)
    matrix = theirs(body).matrix()
    yield Compared(body.at_origin(), matrix[3:, 3:])
    yield Compared(body.principal_moments, np.linalg.eigvalsh(np.array(body.tensor)))
    yield Compared(body.first_moment, body.mass * np.array(body.center_of_mass))
    about = lp.Inertia.about_origin(body.mass, body.center_of_mass, matrix[3:, 3:])
    yield Compared(about.tensor, body.tensor, float(np.abs(matrix[3:, 3:]).max()))
    moments = np.array(body.tensor)
    again = lp.Inertia.from_moments(
        body.mass,
        body.center_of_mass,
        ixx=moments[0, 0],
        iyy=moments[1, 1],
        izz=moments[2, 2],
        ixy=moments[0, 1],
        ixz=moments[0, 2],
        iyz=moments[1, 2],
    )
    yield Compared(again.tensor, body.tensor)
    force, torque = rng.normal(size=(2, 3))
    wrench, F = lp.Wrench(force, torque), pin.Force(force, torque)
    moved = wrench.at(point)
    yield Compared(moved.torque, pin.SE3(np.eye(3), point).actInv(F).angular)
    seen = wrench.in_frame(pose).at((0, 0, 0))
    yield Compared(seen.force, X.actInv(F).linear)
    yield Compared(seen.torque, X.actInv(F).angular)
    v, omega = rng.normal(size=(2, 3))
    yield Compared(wrench.power(v, omega), pin.Motion(v, omega).vector @ F.vector, 1.0)
    joint = lp.Joint("j", "a", "b", lp.Revolute(), rotor_inertia=2e-4, gear_ratio=-50.0)
    yield Compared(joint.reflected_inertia, [0.5])
    # A mimic of a mimic.
    a, b, c, d = rng.normal(size=4)
    links = tuple(lp.Link(name, lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=1)) for name in "pqrs")
    joints = (
        lp.Joint("third", "r", "s", lp.Revolute(), mimic=lp.Mimic("second", c, d)),
        lp.Joint("second", "q", "r", lp.Revolute(), mimic=lp.Mimic("first", a, b)),
        lp.Joint("first", "p", "q", lp.Revolute()),
    )
    robot = lp.Robot("followers", links, joints)
    turned = float(rng.normal())
    angle = turned + (a * turned + b) + c * (a * turned + b) + d
    yield Compared(robot.link_poses([turned])[-1, :2, 0], [np.cos(angle), np.sin(angle)])
    mimic = robot.mimic_of(robot.joint("third"))
    yield Compared([mimic.multiplier, mimic.offset], [c * a, c * b + d])


@check("Robot.inverse_kinematics", "IKResult", against="Pinocchio's pose at the coordinates found", bound=1e-5)
def inverse_kinematics(case: Case) -> Iterator[Compared]:
    robot, rng = case.robot, case.rng("ik")
    q = random_coordinates(rng, robot, case.length)
    link = robot.link_names[-1]
    at = robot.link_names.index(link)
    target = case.peer.link_poses(q)[at]
    near = q.copy()
    small = 0.05 * random_speeds(rng, robot, case.length)
    if robot.nq == robot.n:
        near = q + small
    found = robot.inverse_kinematics(target, link, near, restarts=3)
    pose = case.peer.link_poses(found.q)[at]
    error = pin.log3(pose[:3, :3].T @ target[:3, :3])
    yield Compared(found.position_error, np.linalg.norm(pose[:3, 3] - target[:3, 3]), max(1.0, case.length))
    yield Compared(found.rotation_error, np.linalg.norm(error), 1.0)
    yield Compared(float(found.reached), 1.0 if found.position_error < 1e-6 and found.rotation_error < 1e-6 else 0.0)
