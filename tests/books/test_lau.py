"""The objects of Lau's thesis: against Pinocchio, Jacobians, and Christoffel symbols by automatic differentiation."""

from __future__ import annotations

import pickle

import casadi
import numpy as np
import pytest
from book_checks import ask, close, states, transposed

import loadpath as lp
from formulation_checks import ROBOTS
from references.lau_robots import with_mimics
from references.to_pinocchio import to_pinocchio

IN_TURN = ["revolute", "prismatic", "universal", "cylindrical", "planar", "translational", "helical"]
"""Joints whose speeds are rates of coordinates."""



def turns_then_slides() -> lp.Robot:
    """Two links on joints that turn about some axes, then slide along the turned ones (chapter 3)."""
    body = lp.Inertia.from_moments(2.0, (0.1, 0.2, -0.3), ixx=0.3, iyy=0.2, izz=0.4)
    first = lp.Joint("first", "base", "link1", lp.Generalized(("rz", "ry", "x")))
    second = lp.Joint("second", "link1", "link2", lp.Generalized(("rx", "y", "z")), (0.3, 0.1, 0.2))
    return lp.Robot("turns", (lp.Link("base"), lp.Link("link1", body), lp.Link("link2", body)), (first, second))


HOLONOMIC = {
    "lau_arm": lp.catalog.lau_arm(),
    "puma560": lp.catalog.puma560(),
    "stanford_arm": lp.catalog.stanford_arm(),
    "the thesis's joint": turns_then_slides(),
    "chain": lp.catalog.random_chain(4, 1, IN_TURN, general=True, drives=True),
    "tree with mimics": with_mimics(lp.catalog.random_tree(5, 2, IN_TURN, general=True, drives=True)),
}
SMALL = HOLONOMIC | {
    "tree with quaternions": lp.catalog.random_tree(4, 7, ["universal", "spherical", "planar"], drives=True),
    "floating": lp.catalog.random_chain(2, 6, general=True).floating(),
    "welds": lp.catalog.random_tree(2, 7, "fixed", general=True),
}
SLOW = {f"{name}, slow": robot for name, robot in ROBOTS.items() if robot.n < 13}
ALL = SMALL | SLOW
EVERY = pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])


@pytest.mark.parametrize("name", HOLONOMIC)
def test_velocity_coefficients_are_christoffel_symbols(name: str) -> None:
    """Of the first kind, from the mass matrix differentiated by CasADi, to 1e-11 of the largest."""
    robot, (q, *_) = HOLONOMIC[name], states(HOLONOMIC[name], 3)
    n = robot.n
    x = casadi.SX.sym("q", robot.nq)
    M = casadi.densify(robot.casadi_function("mass_matrix")(x))
    slope = casadi.Function("slope", [x], [casadi.jacobian(casadi.vec(M), x)])
    dM = np.array([np.asarray(slope(one)).reshape(n, n, n, order="F") for one in q])  # M_ik by q_l
    expected = 0.5 * (dM + np.swapaxes(dM, 2, 3) - np.moveaxis(dM, 3, 1))  # C_ikl: M_ik,l + M_il,k - M_kl,i
    close(ask(robot.books.lau, "D_ikl", q), expected, 1e-11)


@EVERY
def test_the_dynamical_model(name: str) -> None:
    """(4-98) is the inverse dynamics, without the friction of the drives."""
    robot, (q, qd, qdd) = ALL[name], states(ALL[name], 2)
    book, peer = robot.books.lau, to_pinocchio(robot)
    D_i, D_ik, D_ikl = (ask(book, letter, q) for letter in ("D_i", "D_ik", "D_ikl"))
    close(D_i, [peer.gravity_forces(one) for one in q], 1e-11)
    close(D_ik, [peer.mass_matrix(one, rotors=False) for one in q], 1e-11)
    close(D_ik + np.diag(book.Ia()), [peer.mass_matrix(one) for one in q], 1e-11)
    assert (D_ikl == np.swapaxes(D_ikl, 2, 3)).all()
    assert (D_ik == transposed(D_ik)).all()
    tau = D_i + np.einsum("sik,sk->si", D_ik, qdd) + np.einsum("sikl,sk,sl->si", D_ikl, qd, qd)
    expected = [peer.inverse_dynamics(*one, drives=False) for one in zip(q, qd, qdd, strict=True)]
    close(tau, expected, 1e-11)


@EVERY
def test_rotations_and_displacements_are_jacobians_in_the_axes_of_the_link(name: str) -> None:
    robot, (q, *_) = ALL[name], states(ALL[name], 2)
    book, poses = robot.books.lau, robot.link_poses.uncompiled(q)
    deltas, mus = ask(book, "deltas", q), ask(book, "mus", q)
    for k, link in enumerate(robot.link_names):
        R, J = poses[:, k, :3, :3], robot.jacobian.uncompiled(q, link)
        close(transposed(R @ transposed(mus[:, k])), transposed(J[:, :3]), 1e-12, 1.0)
        close(transposed(R @ transposed(deltas[:, k])), transposed(J[:, 3:]), 1e-12, 1.0)
        close(ask(book, "delta", q, link), deltas[:, k])
        close(ask(book, "mu", q, link), mus[:, k])
    assert not deltas[:, 0].any()  # of the base
    assert not mus[:, 0].any()


@EVERY
def test_selection_vectors_are_directions_of_the_joints(name: str) -> None:
    """Unit vectors; of the joint's own link, the rotation, or the displacement of a slide that turns nothing."""
    robot, (q, *_) = ALL[name], states(ALL[name], 2)
    s = ask(robot.books.lau, "s", q)
    close(np.linalg.norm(s, axis=-1), np.ones((2, robot.n)))
    poses = dict(zip(robot.link_names, np.moveaxis(robot.link_poses.uncompiled(q), 1, 0), strict=True))
    for joint in (joint for joint in robot.joints if joint.mimic is None and joint.motion.dof):
        own = robot.v_slices[joint.name]
        to_joint = np.array(joint.link_offset.rotation)
        R = poses[joint.child][:, :3, :3] @ to_joint.T  # of the joint's frame
        J = robot.jacobian.uncompiled(q, joint.child)[..., own]
        in_world = np.einsum("sij,skj->sik", R, s[:, own])  # (states, 3, speeds)
        angular = np.array(joint.motion.angular)
        close(in_world[..., angular], J[:, 3:][..., angular], 1e-12, 1.0)
        close(in_world[..., ~angular], J[:, :3][..., ~angular], 1e-12, 1.0)


def test_selection_vectors_of_the_worked_example() -> None:
    """Section 4.3: about z, about y, along x of frame 3 (minus, as the slide of the catalog's arm is counted)."""
    book = lp.catalog.lau_arm().books.lau
    assert book.s([0.3, 0.2, 0.6]).tolist() == [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    c, s = np.cos(0.2), np.sin(0.2)
    close(book.delta([0.3, 0.2, 0.6], "rod"), [[-s, 0, c], [0, 1, 0], [0, 0, 0]], 1e-15)


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")  # of a link without mass
@pytest.mark.parametrize("name", ["lau_arm", "quaternion"])
def test_forces_and_torques_in_any_direction(name: str) -> None:
    """By a virtual joint in (4-98), at rest: its D_i, D_ik, D_ikl (end of chapter 4)."""
    robot = SMALL.get(name) or lp.catalog.random_chain(2, 3, ["spherical", "cylindrical"], general=True)
    q, qd, qdd = states(robot, 1)
    rng = np.random.default_rng(2)
    for joint in robot.joints:
        direction, point = rng.normal(size=(2, 3))
        direction /= np.linalg.norm(direction)
        for kind, motion in (("force", lp.Prismatic(direction)), ("torque", lp.Revolute(direction))):
            # The same robot with a joint more, at rest, right after the joint: tau of it by D_i, D_ik, D_ikl.
            fixed = kind == "force"
            found = (robot.force_along if fixed else robot.torque_about).uncompiled(
                q, qd, qdd, direction, joint=joint.name, **({} if fixed else {"point": point})
            )
            more = _with_virtual_joint(robot, joint, motion, point if not fixed else np.zeros(3))
            state = [more.neutral()[None].copy(), np.zeros((1, more.n)), np.zeros((1, more.n))]
            for moved in (j for j in robot.joints if j.motion.dof and j.mimic is None):
                state[0][:, more.q_slices[moved.name]] = q[:, robot.q_slices[moved.name]]
                state[1][:, more.v_slices[moved.name]] = qd[:, robot.v_slices[moved.name]]
                state[2][:, more.v_slices[moved.name]] = qdd[:, robot.v_slices[moved.name]]
            book, i = more.books.lau, more.v_slices["virtual"].start
            D_i, D_ik, D_ikl = (ask(book, letter, state[0])[:, i] for letter in ("D_i", "D_ik", "D_ikl"))
            tau = D_i + np.einsum("sk,sk->s", D_ik, state[2]) + np.einsum("skl,sk,sl->s", D_ikl, state[1], state[1])
            close(found, tau, 1e-10, 1.0)


def _with_virtual_joint(robot: lp.Robot, joint: lp.Joint, motion: lp.Revolute, at: np.ndarray) -> lp.Robot:
    """The robot with one more joint after a joint, at a point of its child's joint frame."""
    before = lp.Joint(joint.name, joint.parent, "between", joint.motion, joint.origin)
    back = lp.Pose(translation=tuple(-at)) @ joint.link_offset
    after = lp.Joint("virtual", "between", joint.child, motion, lp.Pose(translation=tuple(at)), link_offset=back)
    joints = [j for old in robot.joints for j in ((before, after) if old.name == joint.name else (old,))]
    return lp.Robot("virtual", (*robot.links, lp.Link("between")), tuple(joints), robot.gravity)


def test_sums_over_links_and_causes_are_those_of_the_breakdown() -> None:
    """F^{k,j}, F^{kk,j}, F^{kl,j}, F^{g,j} projected on the drives are the terms with D_ik, D_ikl, D_i."""
    robot = lp.catalog.lau_arm()
    book = robot.books.lau
    q, qd, qdd = np.array([0.3, 0.2, 0.6]), np.array([0.5, -0.7, 0.9]), np.array([1.1, 0.4, -0.6])
    loads = robot.load_breakdown(q, qd, qdd, by="joint", by_link=True)
    D_i, D_ik, D_ikl, s = book.D_i(q), book.D_ik(q), book.D_ikl(q), book.s(q)
    for i, drive in enumerate(robot.joint_names):
        part = slice(3, 6) if drive != "d2" else slice(0, 3)
        found: dict[tuple[str, tuple[str, ...]], float] = {}
        for term, values in zip(loads.index.terms, loads.values, strict=True):
            if term.joint == drive:
                key = term.kind, term.names if term.kind != "gravity" else ()  # which names the link
                found[key] = found.get(key, 0.0) + float(values[part] @ s[i])
        names = robot.joint_names
        for k in range(3):
            assert found.get(("inertial", (names[k],)), 0.0) == pytest.approx(D_ik[i, k] * qdd[k], abs=1e-12)
            own = D_ikl[i, k, k] * qd[k] ** 2
            assert found.get(("centrifugal", (names[k],)), 0.0) == pytest.approx(own, abs=1e-12)
            for other in range(k + 1, 3):
                both = 2 * D_ikl[i, k, other] * qd[k] * qd[other]
                assert found.get(("coriolis", (names[k], names[other])), 0.0) == pytest.approx(both, abs=1e-12)
        assert found.get(("gravity", ()), 0.0) == pytest.approx(D_i[i], abs=1e-12)


# Calls


def test_batches_compiled_and_not() -> None:
    robot = lp.catalog.lau_arm()
    book = robot.books.lau
    q = np.random.default_rng(0).uniform(-1, 1, (2, 50_000, 3))
    q[0, 7] = np.nan
    for letter in ("D_i", "D_ik", "D_ikl"):
        found = getattr(book, letter)(q)
        assert found.shape == (2, 50_000, *(3,) * (len(letter) - 2))
        close(found[1, :5], ask(book, letter, q[1, :5]))
        bad = np.isnan(found).any(axis=tuple(range(2, found.ndim)))
        assert np.argwhere(bad).tolist() == [[0, 7]]
    assert pickle.loads(pickle.dumps(book)).D_ik(q[1, 0]).tolist() == book.D_ik(q[1, 0]).tolist()


def test_large_robots_run_uncompiled_and_say_so() -> None:
    robot = lp.catalog.planar(11)
    q = np.linspace(0.1, 0.9, 11)
    with pytest.warns(lp.UncompiledWarning, match=r"D_ikl runs uncompiled.*11 degrees of freedom.*up to 10"):
        found = robot.books.lau.D_ikl(q)
    qd = np.ones(11)
    C = robot.coriolis_matrix.uncompiled(q, qd)
    close(np.einsum("ikl,k,l->i", found, qd, qd), C @ qd, 1e-11)
    assert "uncompiled" in repr(robot.books.lau.D_ikl)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda book: book.D_ik([0.1, 0.2]), r"D_ik: 'q' has the shape \(2,\): expected \(\.\.\., 3\)"),
        (lambda book: book.delta([0.1, 0.2, 0.3], "rodd"), "no link 'rodd'; did you mean 'rod'"),
        (lambda book: book.D_ikl("abc"), "D_ikl: 'q' has the dtype"),
        (lambda book: book.D_i([0.1, 0.2, 0.3], external={}), "D_i takes no 'external'"),
        (lambda book: book.D_kl([0.1, 0.2, 0.3]), "no object 'D_kl'; did you mean 'D_ikl'"),
    ],
)
def test_bad_calls(call, words: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError), match=words):
        call(lp.catalog.lau_arm().books.lau)


def test_loops_are_refused() -> None:
    with pytest.raises(lp.ModelError, match=r"has loops.*books\.lau has none: robot\.tree\.books\.lau"):
        _ = lp.catalog.four_bar().books.lau
