"""The objects of the natural orthogonal complement, against Pinocchio, differences, and the equations of the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from book_checks import ask, base_motion, close, states, times, transposed, wrenches

import loadpath as lp
from formulation_checks import ROBOTS, with_mimic
from references.to_pinocchio import to_pinocchio

SMALL = {
    "chain of R and P": lp.catalog.random_chain(3, 4, ["revolute", "prismatic"], general=True, drives=True),
    "tree": lp.catalog.random_tree(4, 7, ["universal", "helical", "free", "planar"], general=True, drives=True),
    "mimic": with_mimic(lp.catalog.random_tree(4, 8, ["revolute", "prismatic"], general=True, drives=True)),
    "welds": lp.catalog.random_tree(2, 7, "fixed", general=True),
}
ALL = SMALL | ROBOTS
BOOKS = {name: robot.books.angeles for name, robot in ALL.items()}
EVERY = pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in ROBOTS)])
LOADS = {"none": {}, "external": {"external": True}, "moving base": {"base": True},
         "both": {"external": True, "base": True}}
KINDS = pytest.mark.parametrize(
    "kind", ["none", "both", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("external", "moving base"))]
)


def loads_of(robot: Any, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "external" in LOADS[kind]:
        found["external"] = wrenches(robot)
    if "base" in LOADS[kind]:
        found |= base_motion()
    return found


def velocity_part(loads: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in loads.items() if key == "base_velocity"}


def motion_part(loads: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in loads.items() if key != "external"}


def external_at_centers(robot: Any, q: np.ndarray, loads: dict[str, Any]) -> np.ndarray:
    """The external wrenches on the links about their mass centers, by hand."""
    result = np.zeros((len(q), 6 * len(robot.joints)))
    poses = robot.link_poses.uncompiled(q)
    for i, joint in enumerate(robot.joints):
        wrench = loads.get("external", {}).get(joint.child)
        if wrench is None:
            continue
        link = robot.link(joint.child)
        R = poses[:, robot.link_names.index(joint.child), :3, :3]
        f, n = np.broadcast_to(wrench.force, (len(q), 3)), np.broadcast_to(wrench.torque, (len(q), 3))
        if wrench.axes == "link":
            f, n = times(R, f), times(R, n)
        own = link.inertia.center_of_mass if link.inertia.mass else -joint.link_offset.R.T @ joint.link_offset.p
        arm = times(R, np.broadcast_to(own, (len(q), 3)))  # from the link's origin to its center
        result[:, 6 * i : 6 * i + 3] = n - np.cross(arm, f)
        result[:, 6 * i + 3 : 6 * i + 6] = f
    return result


# Kinematics


@EVERY
def test_t_is_pinocchios_jacobians_of_the_mass_centers(name: str) -> None:
    robot, (q, qd, _) = ALL[name], states(ALL[name], 2)
    peer = to_pinocchio(robot)
    T = ask(BOOKS[name], "T", q)
    for k, one in enumerate(q):
        for i, joint in enumerate(robot.joints):
            body = peer.body_of[joint.child]
            inertia = robot.link(joint.child).inertia
            at = peer.offset_of[joint.child] if inertia.mass else pin.SE3.Identity()
            place = at * pin.SE3(np.eye(3), np.array(inertia.center_of_mass)) if inertia.mass else at
            frame = peer.model.addFrame(pin.Frame(f"c{k}.{i}", body, 0, place, pin.FrameType.OP_FRAME))
            data = peer.model.createData()
            kind = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            J = pin.computeFrameJacobian(peer.model, data, peer.q(one), frame, kind) @ peer.speeds
            close(T[k, 6 * i : 6 * i + 6], [*J[3:], *J[:3]], 1e-12, 1.0)
    close(ask(BOOKS[name], "t", q, qd), times(T, qd))


@EVERY
def test_k_t_is_zero_and_rank(name: str) -> None:
    robot, (q, *_) = ALL[name], states(ALL[name])
    K, T = ask(BOOKS[name], "K", q), ask(BOOKS[name], "T", q)
    close(K @ T, np.zeros((len(q), K.shape[1], robot.n)), 1e-13, 10.0)
    freedoms = sum(joint.motion.dof for joint in robot.joints)
    singular = np.linalg.svd(K, compute_uv=False)
    assert ((singular > 1e-10).sum(axis=-1) == K.shape[1] - freedoms).all()


@EVERY
@pytest.mark.parametrize("moving", [False, True])
def test_rates_are_those_of_differences(name: str, moving: bool) -> None:
    """On a moving base against the robot on a free joint that moves so, stepped to both sides."""
    robot, (q, qd, qdd) = ALL[name], states(ALL[name], 2)
    book = BOOKS[name]
    if moving and robot is ROBOTS["floating"]:
        return  # it is on a free joint itself
    base = base_motion() if moving else {}
    h = 1e-6

    def stepped(sign: float) -> tuple[np.ndarray, np.ndarray]:
        """T and t a moment later or before, in the axes of the world."""
        later = robot.integrate.uncompiled(q, sign * h * qd + 0.5 * h * h * qdd)
        speeds = qd + sign * h * qdd
        if not moving:
            return ask(book, "T", later), ask(book, "t", later, speeds)
        v, a = base["base_velocity"], base["base_acceleration"]
        # Turn R of the base after the time, its velocity in world axes, and these in its own axes.
        R = pin.exp3(sign * h * v[3:] + 0.5 * h * h * a[3:])
        own = np.concatenate([R.T @ (v[:3] + sign * h * a[:3]), R.T @ (v[3:] + sign * h * a[3:])])
        turned = np.kron(np.eye(2 * len(robot.joints)), R)
        return turned @ ask(book, "T", later), times(turned, ask(book, "t", later, speeds, base_velocity=own))

    (T_after, t_after), (T_before, t_before) = stepped(1.0), stepped(-1.0)
    given = {"base_velocity": base["base_velocity"]} if moving else {}
    close(ask(book, "T_dot", q, qd, **given), (T_after - T_before) / (2 * h), 2e-8, 1.0)
    close(ask(book, "t_dot", q, qd, qdd, **base), (t_after - t_before) / (2 * h), 2e-7, 1.0)


# Equations of motion


@EVERY
@KINDS
def test_newton_and_euler_of_the_uncoupled_links(name: str, kind: str) -> None:
    """(7.48): M tdot + W M t is the sum of all wrenches, and each of them does what the source says."""
    robot, book, (q, qd, qdd) = ALL[name], BOOKS[name], states(ALL[name])
    loads = loads_of(robot, kind)
    M, T = ask(book, "M", q), ask(book, "T", q)
    W, t = (ask(book, letter, q, qd, **velocity_part(loads)) for letter in "Wt")
    t_dot = ask(book, "t_dot", q, qd, qdd, **motion_part(loads))
    w_C, w_A, lam = (ask(book, letter, q, qd, qdd, **loads) for letter in ("w_C", "w_A", "multipliers"))
    w_D, w_G, given = ask(book, "w_D", q, qd), book.w_G(), external_at_centers(robot, q, loads)
    left = times(M, t_dot) + times(W, times(M, t))
    size = float(np.abs(left).max() + np.abs(w_C).max())
    close(left, w_A + w_D + w_G + w_C + given, 1e-12, size)
    # T^T takes out the constraint wrenches and leaves tau (less the rotors'), delta, gamma
    close(times(transposed(T), w_C), np.zeros((3, robot.n)), 1e-12, size)
    rotors = np.zeros((3, robot.n))
    for joint in robot.joints:
        k = robot.mimic_of(joint).multiplier if joint.motion.dof else 0.0
        for i, inertia in enumerate(joint.reflected_inertia):
            speed = robot.v_slices[joint.name].start + i
            rotors[:, speed] += k * k * inertia * qdd[:, speed]
    close(times(transposed(T), w_A), ask(book, "tau", q, qd, qdd, **loads) - rotors, 1e-11, size)
    close(times(transposed(T), w_D), ask(book, "delta", q, qd), 1e-12, size)
    close(times(transposed(T), np.broadcast_to(w_G, w_C.shape)), ask(book, "gamma", q), 1e-12, size)
    # lambda: gives w^C, and is the shortest that does
    K = ask(book, "K", q)
    close(times(transposed(K), lam), w_C, 1e-12, size)
    shortest = times(np.linalg.pinv(transposed(K), rcond=1e-10), w_C)
    close(lam, shortest, 1e-11, size)
    if not motion_part(loads):
        assert np.abs(np.einsum("ki,ki->k", t, w_C)).max() <= 1e-12 * size * max(1.0, np.abs(t).max())


@EVERY
@KINDS
def test_tau_is_the_inverse_dynamics_of_pinocchio_and_newton_euler(name: str, kind: str) -> None:
    robot, book, state = ALL[name], BOOKS[name], states(ALL[name])
    loads = loads_of(robot, kind)
    found = ask(book, "tau", *state, **loads)
    close(found, robot.inverse_dynamics.uncompiled(*state, **loads))
    if kind == "none":
        peer = to_pinocchio(robot)
        close(found, [peer.inverse_dynamics(*one) for one in zip(*state, strict=True)], 1e-11)
        inertia, C = ask(book, "I", state[0]), ask(book, "C", *state[:2])
        close(inertia, [peer.mass_matrix(q, rotors=False) for q in state[0]], 1e-11)
        bias = -times(C, state[1]) - ask(book, "gamma", state[0])
        still = np.zeros(robot.n)
        close(bias, [peer.inverse_dynamics(q, qd, still, drives=False) for q, qd in zip(*state[:2], strict=True)],
              1e-11, float(np.abs(found).max(initial=1.0)))


@EVERY
def test_joint_wrenches_come_back_from_the_multipliers(name: str) -> None:
    """Sums of K^T lambda and of the working wrenches over the links beyond a joint are what it carries."""
    robot, book, state = ALL[name], BOOKS[name], states(ALL[name])
    loads = loads_of(robot, "external")
    K, lam = ask(book, "K", state[0]), ask(book, "multipliers", *state, **loads)
    w = times(transposed(K), lam) + ask(book, "w_A", *state, **loads) + ask(book, "w_D", *state[:2])
    wrench = robot.joint_wrenches.uncompiled(*state, **loads)
    poses = robot.link_poses.uncompiled(state[0])
    links = robot.link_names
    for i, joint in enumerate(robot.joints):
        child = poses[:, links.index(joint.child)]
        R = child[:, :3, :3] @ joint.link_offset.R.T
        O = child[:, :3, 3] - times(R, np.broadcast_to(joint.link_offset.p, (len(R), 3)))  # noqa: E741
        force, torque = np.zeros((2, len(R), 3))
        for j, other in enumerate(robot.joints):
            if joint not in chain(robot, other):
                continue
            at = poses[:, links.index(other.child)]
            link = robot.link(other.child)
            arm = np.broadcast_to(link.inertia.center_of_mass if link.inertia.mass
                                  else -other.link_offset.R.T @ other.link_offset.p, (len(R), 3))
            c = at[:, :3, 3] + times(at[:, :3, :3], arm)
            n, f = w[:, 6 * j : 6 * j + 3], w[:, 6 * j + 3 : 6 * j + 6]
            force, torque = force + f, torque + n + np.cross(c - O, f)
        size = float(np.abs(w).max())
        close(times(transposed(R), force), wrench.force[:, i], 1e-12, size)
        close(times(transposed(R), torque), wrench.torque[:, i], 1e-12, 10 * size)


def chain(robot: Any, joint: Any) -> list[Any]:
    """The joint and all between it and the base."""
    found = [joint]
    while found[-1].parent != robot.base.name:
        found.append(next(other for other in robot.joints if other.child == found[-1].parent))
    return found


# A noninertial base


@EVERY
def test_noninertial_base(name: str) -> None:
    robot = ALL[name]
    free = robot if robot is ROBOTS["floating"] else robot.floating()
    book = robot.books.angeles.noninertial
    q, qd, qdd = states(free)
    T, K = ask(book, "T", q), ask(book, "K", q)
    close(K @ T, np.zeros((len(q), K.shape[1], free.n)), 1e-13, 10.0)
    close(T[:, 6:, :6], ask(book, "A_0", q))
    close(T[:, 6:, 6:], ask(book, "T_prime", q))
    close(T[:, :6], np.broadcast_to(np.eye(6, free.n), (len(q), 6, free.n)))
    # The same twists as those of the robot on a free joint, in its own speeds
    v, t = ask(book, "v", q, qd), ask(book, "t", q, qd)
    close(times(T, v), t)
    close(t, ask(free.books.angeles, "t", q, qd))
    close(v, np.concatenate([t[:, :6], qd[:, 6:]], axis=1))
    t_dot = ask(book, "t_dot", q, qd, qdd)
    vdot = np.concatenate([t_dot[:, :6], qdd[:, 6:]], axis=1)
    close(times(T, vdot) + times(ask(book, "T_dot", q, qd), v), t_dot)
    # Equations of motion, and the free joint's forces through the matrix between its speeds and the base's twist
    loads = {"external": wrenches(free)}
    tau = ask(book, "tau", q, qd, qdd, **loads)
    B = np.broadcast_to(np.eye(free.n), (len(q), free.n, free.n)).copy()
    B[:, :6, :6] = ask(free.books.angeles, "T", q)[:, :6, :6]
    expected = free.inverse_dynamics.uncompiled(q, qd, qdd, **loads)
    size = float(np.abs(expected).max())
    close(times(transposed(B), tau), expected, 1e-11, size)
    close(transposed(B) @ ask(book, "I", q) @ B, free.without_rotors().mass_matrix.uncompiled(q), 1e-11)
    plain_tau = ask(book, "tau", q, qd, qdd)
    sum_ = times(ask(book, "I", q), vdot) - times(ask(book, "C", q, qd), v) - ask(book, "gamma", q)
    sum_ -= ask(book, "delta", q, qd)
    drives = free.without_friction().inverse_dynamics.uncompiled(q, qd, qdd)
    drives -= free.without_friction().without_rotors().inverse_dynamics.uncompiled(q, qd, qdd)
    close(plain_tau, sum_ + drives, 1e-11, size)
    # Wrenches
    w_C, lam = ask(book, "w_C", q, qd, qdd, **loads), ask(book, "multipliers", q, qd, qdd, **loads)
    close(times(transposed(K), lam), w_C, 1e-12, size)
    close(times(transposed(T), w_C), np.zeros((len(q), free.n)), 1e-12, 10 * size)
    left = times(ask(book, "M", q), t_dot) + times(ask(book, "W", q, qd), times(ask(book, "M", q), t))
    for acting in ({}, loads):
        right = ask(book, "w_A", q, qd, qdd, **acting) + ask(book, "w_D", q, qd) + book.w_G()
        right += ask(book, "w_C", q, qd, qdd, **acting) + external_at_centers(free, q, acting)
        close(left, right, 1e-12, 10 * size)


def test_a_robot_left_to_itself_needs_no_wrench_on_its_base() -> None:
    robot = lp.catalog.random_chain(4, 3, general=True).with_gravity((0, 0, 0))
    q, qd, qdd = states(robot)
    moved = robot.free_base_motion(q, qd, qdd, momentum=[1.0, 2, 3, 0.1, 0.2, 0.3])
    v, a = moved.velocity, moved.acceleration
    rates = a - np.concatenate([np.cross(v[:, 3:], v[:, :3]), np.zeros((len(q), 3))], axis=1)
    unturned = np.broadcast_to([0, 0, 0, 0, 0, 0, 1.0], (len(q), 7))
    book = robot.books.angeles.noninertial
    tau = ask(book, "tau", *(np.concatenate(pair, axis=1) for pair in ((unturned, q), (v, qd), (rates, qdd))))
    close(tau[:, :6], np.zeros((len(q), 6)), 1e-10, float(np.abs(tau).max()))


def test_a_free_joint_with_friction_is_refused() -> None:
    base = lp.Link("box", lp.Inertia(3.0, tensor=np.eye(3)))
    joint = lp.Joint("free", "world", "box", lp.Free(), viscous_friction=1.0)
    robot = lp.Robot("float", (lp.Link("world"), base), (joint,))
    with pytest.raises(lp.ModelError, match=r"robot 'float': the free joint 'free' .* robot.without_friction"):
        _ = robot.books.angeles.noninertial
    assert robot.without_friction().books.angeles.noninertial.T.uncompiled(robot.neutral()).shape == (6, 6)


def test_a_warning_about_the_free_base_names_the_line_of_the_user() -> None:
    with pytest.warns(lp.ModelWarning, match="no mass") as caught:
        _ = lp.catalog.two_link().books.angeles.noninertial
    assert [warning.filename for warning in caught] == [__file__]


def test_a_weld_to_the_world_is_no_body_of_the_noninertial_base() -> None:
    """As URDF files begin: 'world' welded to the first link, which is the base that moves then."""
    arm = lp.catalog.planar(1)
    base = lp.Link("pedestal", lp.Inertia(3.0, (0.0, 0.0, 0.1), np.eye(3)))
    weld = lp.Joint("weld", "world", "pedestal", lp.Fixed(), lp.Pose(translation=(0.0, 0.0, 0.5)))
    hinge = lp.Joint("hinge", "pedestal", "link1", lp.Revolute((0, 1, 0)))
    welded = lp.Robot("welded", (lp.Link("world"), base, arm.link("link1")), (weld, hinge))
    direct = lp.Robot("direct", (base, arm.link("link1")), (hinge,))
    found, expected = (robot.books.angeles.noninertial for robot in (welded, direct))
    assert found.link_names == expected.link_names == ("world", "pedestal", "link1")
    close(found.T.uncompiled(found.neutral()), expected.T.uncompiled(expected.neutral()))
