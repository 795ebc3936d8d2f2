"""The terms of the closed form: each by itself against Newton-Euler, their sums and names, joints of all variants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.formulations.generalized_motion import GRAVITY, Cause, Mover, path
from loadpath.formulations.generalized_terms import Terms, terms
from loadpath.mechanics.wrenches import on_bodies
from loadpath.robot.joints import Free
from loadpath.robot.mechanism import BASE, Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars import zeros
from on_scalars import applied, entries, on_arrays, on_symbols
from references.lau_robots import TurnThenSlide, assert_near, in_two_joints
from references.to_pinocchio import random_state


def flat(wrench: object) -> np.ndarray:
    return np.concatenate([part.astype(float) for part in wrench])


def newton(mechanism: Mechanism, *state: np.ndarray, external: object = None) -> np.ndarray:
    """Force and torque at the origin of every link, (links, 6)."""
    q, qd, qdd = map(entries, state)
    links = newton_euler.outward(mechanism, q, qd, qdd)
    return np.array([flat(w) for w in newton_euler.inward(mechanism, links, on_bodies(mechanism, q, external))])


def only_link(mechanism: Mechanism, j: int) -> Mechanism:
    """The mechanism with all links but one without inertia."""
    bodies = tuple(
        body if k == j else replace(body, mass=0.0, moment=zeros(3), inertia=zeros(3, 3))
        for k, body in enumerate(mechanism.bodies)
    )
    return replace(mechanism, bodies=bodies)


# Each term by itself


SEVERAL = lp.catalog.random_chain(5, 3, ["universal", "free", "revolute", "planar", "prismatic"], general=True)


def test_each_term_of_each_link_is_what_its_cause_alone_takes() -> None:
    """Inertial: only qdd_k. Centrifugal: only qd_k. Coriolis: qd_k and qd_l less each alone. Gravity: at rest. Of each
    link: all others without inertia."""
    mechanism = plain(SEVERAL)
    still = replace(mechanism, gravity=zeros(3))
    q, qd, qdd = random_state(SEVERAL, np.random.default_rng(4))
    found = terms(mechanism, *map(entries, (q, qd, qdd)), by="freedom")
    none = np.zeros(SEVERAL.n)
    size = np.abs(newton(mechanism, q, qd, qdd)).max()

    def only(values: np.ndarray, *kept: int) -> np.ndarray:
        return np.where(np.isin(np.arange(SEVERAL.n), kept), values, 0.0)

    for j in range(len(mechanism.bodies)):
        alone, at_rest = only_link(still, j), only_link(mechanism, j)
        squares = [newton(alone, q, only(qd, k), none) for k in range(SEVERAL.n)]
        expected = {GRAVITY: newton(at_rest, q, none, none)}
        for k in range(SEVERAL.n):
            expected[Cause("inertial", k)] = newton(alone, q, none, only(qdd, k))
            expected[Cause("centrifugal", k, k)] = squares[k]
            for l in range(k + 1, SEVERAL.n):  # noqa: E741
                both = newton(alone, q, only(qd, k, l), none)
                expected[Cause("coriolis", k, l)] = both - squares[k] - squares[l]
        assert set(found.of_links[j]) <= set(expected)
        for cause, wrenches in expected.items():
            for i in path(mechanism, j):
                term = flat(found.at_joint(i, j, cause))
                np.testing.assert_allclose(term, wrenches[i], rtol=0, atol=1e-13 * size)


def test_terms_that_are_never_there_have_no_name() -> None:
    robot = lp.catalog.random_chain(4, 1, ["prismatic", "revolute", "cylindrical", "translational"], general=True)
    found = terms(plain(robot), *map(entries, random_state(robot, np.random.default_rng(0))), by="freedom")
    named = {found.name(cause) for cause in found.of_links[-1] if cause.kind != "inertial"}
    slides = [f"joint4.{axis}" for axis in "xyz"]
    assert named == {
        "gravity",
        "centrifugal joint2",
        "centrifugal joint3.angle",
        "coriolis joint2 joint3.angle",
        "coriolis joint2 joint3.slide",
        *(f"coriolis joint2 {slide}" for slide in slides),
        *(f"coriolis joint3.angle {slide}" for slide in slides),
    }


def test_names_do_not_depend_on_the_state_or_the_scalars() -> None:
    """At rest at q = 0 as anywhere, on symbols as on floats: results of a compiled breakdown have fixed places."""
    import casadi

    robot = lp.catalog.random_chain(5, 1, ["planar", "universal", "cylindrical", "free", "revolute"], general=True)
    mechanism = plain(robot)
    neutral = np.concatenate([joint.motion.neutral() for joint in robot.joints])
    states = [
        tuple(map(entries, random_state(robot, np.random.default_rng(0)))),
        tuple(map(entries, (neutral, np.zeros(robot.n), np.zeros(robot.n)))),
        tuple(
            np.array([casadi.SX.sym(f"{x}{k}") for k in range(size)], dtype=object)
            for x, size in (("q", robot.nq), ("v", robot.n), ("a", robot.n))
        ),
    ]
    for by in ("joint", "freedom"):
        names = [[list(link) for link in terms(mechanism, *state, by=by).of_links] for state in states]
        assert names[0] == names[1] == names[2]


# Sums


@settings(max_examples=8)
@given(
    seed=st.integers(0, 10_000),
    branches=st.booleans(),
    by=st.sampled_from(["joint", "freedom"]),
    speed=st.sampled_from([0.0, 1.0, 50.0]),
)
def test_parts_sum_to_the_joint_wrenches(seed: int, branches: bool, by: str, speed: float) -> None:
    make = lp.catalog.random_tree if branches else lp.catalog.random_chain
    robot = make(6, seed, "all", general=True)
    mechanism, rng = plain(robot), np.random.default_rng(seed)
    q, qd, qdd = random_state(robot, rng)
    external = {link: applied(*rng.normal(size=(2, 3)) * 10) for link in robot.link_names[1::2]}
    state = q, speed * qd, qdd
    found = terms(mechanism, *map(entries, state), external, by=by)
    expected = newton(mechanism, *state, external=external)
    assert_near(np.array([flat(wrench) for wrench in found.totals()]), expected)
    at_joints = [{cause: flat(wrench) for cause, wrench in joint.items()} for joint in found.at_joints()]
    assert_near(np.array([sum(joint.values()) for joint in at_joints]), expected)
    by_link = found.by_link()
    sums = np.zeros_like(expected)
    sum_of_cause: dict[tuple[int, Cause], np.ndarray] = {}
    for (i, j, cause), wrench in by_link.items():
        assert i in path(mechanism, j)
        sums[i] += flat(wrench)
        sum_of_cause[i, cause] = sum_of_cause.get((i, cause), 0) + flat(wrench)
    assert_near(sums, expected)
    size = np.abs(expected).max()
    assert set(sum_of_cause) == {(i, cause) for i, joint in enumerate(at_joints) for cause in joint}
    for (i, cause), value in sum_of_cause.items():
        np.testing.assert_allclose(at_joints[i][cause], value, rtol=0, atol=1e-12 * max(size, 1.0))


def test_joints_are_the_sums_of_their_freedoms() -> None:
    robot = lp.catalog.random_chain(11, 8, "all", general=True)
    state = tuple(map(entries, random_state(robot, np.random.default_rng(1))))
    whole, single = (terms(plain(robot), *state, by=by) for by in ("joint", "freedom"))
    number = {mover.body: k for k, mover in enumerate(whole.movers)}
    angular = [flag for body in plain(robot).bodies for flag in body.motion.angular]

    def of_joints(cause: Cause) -> Cause:
        if cause.k is None:
            return cause
        k = number[single.movers[cause.k].body]
        if cause.l is None:
            return Cause(cause.kind, k)
        l = number[single.movers[cause.l].body]  # noqa: E741
        turning = angular[cause.k] == angular[cause.l]
        return Cause("centrifugal" if k == l and turning else "coriolis", k, l)

    for i, joint in enumerate(single.at_joints()):
        sums: dict[Cause, np.ndarray] = {}
        for cause, wrench in joint.items():
            sums[of_joints(cause)] = sums.get(of_joints(cause), 0) + flat(wrench)
        expected = whole.at_joints()[i]
        assert set(sums) == set(expected)
        size = max(np.abs(value).max() for value in sums.values())
        for cause, value in sums.items():
            np.testing.assert_allclose(flat(expected[cause]), value, rtol=0, atol=1e-12 * size)


def test_gravity_by_link() -> None:
    robot = lp.catalog.planar(3)
    found = terms(plain(robot), *(zeros(3) for _ in range(3)))
    shares = found.gravity_by_link(0)
    torques = [shares[j].torque[2] for j in sorted(shares)]
    np.testing.assert_allclose(torques, [0.5 * 9.81, 1.5 * 9.81, 2.5 * 9.81, 0.0], rtol=1e-14)
    assert set(found.gravity_by_link(1)) == {1, 2, 3}


def test_terms_of_links_that_are_not_beyond_are_zero() -> None:
    robot = lp.catalog.planar(3)
    found = terms(plain(robot), *(entries(np.ones(3)) for _ in range(3)))
    assert not flat(found.at_joint(2, 0, GRAVITY)).any()
    assert not flat(found.at_joint(0, 0, Cause("inertial", 2))).any()


def test_at_joints_on_batches_and_symbols() -> None:
    robot = lp.catalog.random_chain(3, 2, ["free", "universal", "prismatic"], general=True)
    mechanism, rng = plain(robot), np.random.default_rng(0)
    states = [random_state(robot, rng) for _ in range(3)]

    def breakdown(mechanism: Mechanism, *state: np.ndarray) -> tuple:
        found = terms(mechanism, *state, by="freedom")
        return tuple(part for joint in found.at_joints() for wrench in joint.values() for part in wrench)

    batch = on_arrays(breakdown, mechanism, *(np.array(part) for part in zip(*states, strict=True)))
    for k, state in enumerate(states):
        one = on_arrays(breakdown, mechanism, *state)
        assert_near(np.array([part[k] for part in batch]), np.array(one), 1e-13)
    assert_near(
        on_symbols(breakdown, mechanism, *states[0]), np.concatenate(on_arrays(breakdown, mechanism, *states[0]))
    )


# How joints turn and slide at once


def own_coriolis(robot: RobotModel) -> bool:
    """Whether the first joint has a Coriolis term with itself."""
    found = terms(plain(robot), *map(entries, random_state(robot, np.random.default_rng(0))))
    return Cause("coriolis", 0, 0) in found.of_links[-1]


def test_which_joints_have_a_coriolis_term_with_themselves() -> None:
    for kind in ("revolute", "prismatic", "helical", "cylindrical", "universal", "translational", "spherical"):
        assert not own_coriolis(lp.catalog.random_chain(1, 1, kind, general=True)), kind
    assert not own_coriolis(lp.catalog.random_chain(1, 1, "planar"))  # slides along its parent's axes
    assert own_coriolis(lp.catalog.random_chain(1, 1, "free"))  # slides along its own
    assert own_coriolis(thesis_joints(1))


def thesis_joints(n: int, seed: int = 1) -> RobotModel:
    """A random chain of joints that turn and then slide along the turned axes."""
    robot = lp.catalog.random_chain(n, seed, "free", general=True)
    joints = (Joint(j.name, j.parent, j.child, TurnThenSlide(), j.origin, j.link_offset) for j in robot.joints)
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("by", ["joint", "freedom"])
def test_the_joint_of_the_thesis(by: str) -> None:
    """As a class of its own it moves as a spherical and a translational joint in a row, to the last term."""
    robot = thesis_joints(3)
    double = in_two_joints(robot)
    q, qd, qdd = random_state(robot, np.random.default_rng(5))
    turned_first = [(*range(7 * k + 3, 7 * k + 7), *range(7 * k, 7 * k + 3)) for k in range(3)]
    speeds_first = [(*range(6 * k + 3, 6 * k + 6), *range(6 * k, 6 * k + 3)) for k in range(3)]
    order, speeds = np.concatenate(turned_first), np.concatenate(speeds_first)
    expected = on_arrays(newton_euler.joint_wrenches, plain(double), q[order], qd[speeds], qdd[speeds])
    found = terms(plain(robot), *map(entries, (q, qd, qdd)), by=by).totals()
    for part, wanted in zip(range(2), expected, strict=True):
        assert_near(np.array([wrench[part].astype(float) for wrench in found]), wanted[1::2])


def test_own_terms_of_the_joint_of_the_thesis() -> None:
    """Centrifugal force m w x (w x r) with r from the joint's point, Coriolis force 2 m w x u: (3-88), (3-98b)."""
    robot = thesis_joints(1)
    mechanism = plain(robot)
    q, qd, qdd = random_state(robot, np.random.default_rng(2))
    found = terms(mechanism, *map(entries, (q, qd, qdd)))
    body = mechanism.bodies[0]
    m, c = body.mass, body.moment.astype(float) / body.mass
    d, u, w = q[:3], qd[:3], qd[3:]  # all in the link's axes
    own = {cause.kind: found.at_joint(0, 0, cause).force.astype(float) for cause in found.of_links[0] if cause.l == 0}
    np.testing.assert_allclose(own["coriolis"], 2 * m * np.cross(w, u), atol=1e-13)
    np.testing.assert_allclose(own["centrifugal"], m * np.cross(w, np.cross(w, d + c)), atol=1e-13)


# A base that moves


def test_a_moving_base_is_one_more_cause() -> None:
    """The same wrenches as with the base on a free joint that moves so; and at rest it takes nothing."""
    robot = lp.catalog.random_tree(6, 4, ["revolute", "free", "universal"], general=True)
    base = Joint("base_joint", "ground", robot.base.name, Free())
    loose = replace(robot, links=(lp.Link("ground"), *robot.links), joints=(base, *robot.joints))
    rng = np.random.default_rng(6)
    q, qd, qdd = random_state(robot, rng)
    v, w, vdot, wdot = rng.normal(size=(4, 3))
    state = np.array([0, 0, 0, 0, 0, 0, 1, *q]), np.array([*v, *w, *qd]), np.array([*vdot, *wdot, *qdd])
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(loose), *state)
    mover = Mover("base", BASE, *map(entries, (w, wdot, v, vdot + np.cross(w, v), np.zeros(3))), turns=True)
    for by in ("joint", "freedom"):
        found = terms(plain(robot), *map(entries, (q, qd, qdd)), by=by, base=mover)
        assert found.movers[0].name == "base"
        totals = np.array([flat(wrench) for wrench in found.totals()])
        assert_near(totals, np.concatenate([force, torque], axis=1)[1:])
    resting = Mover("base", BASE, *(zeros(3) for _ in range(5)), turns=True)
    found = terms(plain(robot), *map(entries, (q, qd, qdd)), base=resting)
    assert_near(np.array([flat(w) for w in found.totals()]), newton(plain(robot), q, qd, qdd))


# The worked example of the thesis


@pytest.fixture(scope="module")
def example() -> tuple[Terms, dict[str, float]]:
    m1, m2, d1, length, g = 1.3, 0.7, 0.35, 0.9, 9.81
    arm = lp.catalog.lau_arm(m1, m2, 0.1, d1, length, gravity=g)
    q, qd, qdd = (0.4, 0.6, 0.8), (0.5, -0.7, 0.9), (1.1, 1.7, -1.3)
    found = terms(plain(arm), *(entries(np.array(part)) for part in (q, qd, qdd)))
    s, c, r = np.sin(q[1]), np.cos(q[1]), q[2] - length / 2
    values = {"M": m2, "d1": d1, "r": r, "s": s, "c": c, "g": g, "I1zz": m1 * d1**2 / 2, "m1": m1}
    values |= {"Ixx": 0.0, "Iyy": m2 * length**2 / 12, "Izz": m2 * length**2 / 12}
    values |= dict(zip(("al1", "al2", "a2"), qdd, strict=True)) | dict(zip(("w1", "w2", "u"), qd, strict=True))
    return found, values


def of_kind(found: Terms, joint: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    wrenches = [flat(w) for cause, w in found.at_joints()[joint].items() if cause.kind == kind]
    return sum(w[:3] for w in wrenches), sum(w[3:] for w in wrenches)


def test_inertial_terms_of_the_example(example: tuple) -> None:
    """(3-121) to (3-124), corrected."""
    found, x = example
    M, d1, r, s, c, al1, al2, a2 = (x[k] for k in ("M", "d1", "r", "s", "c", "al1", "al2", "a2"))
    I1zz, Ixx, Iyy, Izz = (x[k] for k in ("I1zz", "Ixx", "Iyy", "Izz"))
    force, torque = of_kind(found, 1, "inertial")
    assert_near(force, M * np.array([-a2 - al1 * d1 * c, -al1 * r * c, al2 * r - al1 * d1 * s]))
    about_y = (Iyy + M * r**2) * al2 - M * d1 * r * s * al1
    assert_near(torque, np.array([-Ixx * s * al1, about_y, (Izz + M * r**2) * c * al1]))
    force, torque = of_kind(found, 0, "inertial")
    expected = M * np.array([-a2 * c - al1 * d1 + al2 * r * s, -al1 * r * c, a2 * s + al2 * r * c])
    assert_near(force, expected)
    about_x = M * d1 * (a2 * s + r * c * al2) + (Izz + M * r**2 - Ixx) * s * c * al1
    about_z = M * d1 * (a2 * c - r * s * al2) + (I1zz + M * d1**2 + Ixx * s**2 + (Izz + M * r**2) * c**2) * al1
    assert_near(torque, np.array([about_x, about_y, about_z]))


def test_gravity_terms_of_the_example(example: tuple) -> None:
    """(3-114) to (3-120), corrected: the demand is minus the load."""
    found, x = example
    M, d1, r, s, c, g = (x[k] for k in ("M", "d1", "r", "s", "c", "g"))
    rod = found.at_joint(1, 2, GRAVITY)
    assert_near(flat(rod), -M * g * np.array([s, 0, -c, 0, -r * c, 0]))
    at_first = found.at_joint(0, 2, GRAVITY)
    assert_near(flat(at_first), -M * g * np.array([0, 0, -1, -d1, -r * c, 0]))


def test_velocity_terms_of_the_example(example: tuple) -> None:
    """h1, h2, h3, cause by cause."""
    found, x = example
    M, d1, r, s, c, w1, w2, u = (x[k] for k in ("M", "d1", "r", "s", "c", "w1", "w2", "u"))
    Ixx, Izz = x["Ixx"], x["Izz"]

    def about(joint: int, component: int) -> dict[str, float]:
        causes = found.at_joints()[joint].items()
        return {found.name(cause): flat(w)[component] for cause, w in causes if cause.l is not None}

    def assert_causes(values: dict[str, float], expected: dict[str, float]) -> None:
        for name, value in values.items():
            assert value == pytest.approx(expected.get(name, 0.0), rel=1e-12, abs=1e-14), name

    assert_causes(
        about(0, 5),
        {
            "coriolis theta1 theta2": 2 * (Ixx - Izz - M * r**2) * s * c * w1 * w2,
            "coriolis theta1 d2": 2 * M * r * c**2 * w1 * u,
            "centrifugal theta2": -M * d1 * r * c * w2**2,
            "coriolis theta2 d2": -2 * M * d1 * s * w2 * u,
        },
    )
    assert_causes(
        about(1, 4),
        {
            "centrifugal theta1": (Izz + M * r**2 - Ixx) * s * c * w1**2,
            "coriolis theta2 d2": 2 * M * r * w2 * u,
        },
    )
    along_slide = {name: -value for name, value in about(2, 0).items()}  # it slides along -x
    assert_causes(
        along_slide,
        {"centrifugal theta1": -M * r * c**2 * w1**2, "centrifugal theta2": -M * r * w2**2},
    )
