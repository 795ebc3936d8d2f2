"""Families as users hold them: names, axes, values, sensitivities, and robots that are members of one."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import loadpath as lp
from loadpath.engine import jit, kernels
from loadpath.robot.design import designed

RNG = np.random.default_rng(0)
Q = RNG.uniform(-1, 1, (4, 2))


def arm(mass: float = 1.0) -> lp.Robot:
    return lp.catalog.planar(2, mass=mass)


# Axes


def test_axes_of_designs_come_before_those_of_states() -> None:
    family = arm().family({"link1.mass": [[1.0], [2.0], [3.0]], "gravity": [[0, 0, -9.81], [1, 0, -3]]})
    assert family.shape == (3, 2)
    assert len(family) == 3
    assert family.gravity_forces(Q).shape == (3, 2, 4, 2)
    assert family.gravity_forces(Q[0]).shape == (3, 2, 2)
    found = family.joint_wrenches(Q[:, None], Q, Q)
    assert found.force.shape == (3, 2, 4, 4, 3, 3)
    one = family.robot_of((2, 1))
    assert_allclose(found["joint2"].torque[2, 1], one.joint_wrenches(Q[:, None], Q, Q)["joint2"].torque, atol=1e-13)


def test_as_many_designs_as_states_are_no_pairs_unless_asked_for() -> None:
    masses = {"link2.mass": [1.0, 2.0, 3.0, 4.0]}
    every, paired = arm().family(masses).gravity_forces(Q), arm().family(masses, paired=True).gravity_forces(Q)
    assert every.shape == (4, 4, 2)
    assert paired.shape == (4, 2)
    for k in range(4):
        assert_allclose(paired[k], every[k, k], rtol=1e-14)


def test_one_design_and_results_in_given_arrays() -> None:
    family = arm().family(["link2.mass"])
    assert family.shape == ()
    out = np.empty((4, 2))
    assert family.gravity_forces(Q, out=out) is out
    assert_allclose(out, arm().gravity_forces(Q), rtol=1e-14)
    assert family.gravity_forces(Q.astype(np.float32)).dtype == np.float32


def test_keywords_of_quantities() -> None:
    family = arm().family({"link2.mass": [1.0, 2.0]})
    push = {"link2": lp.Wrench(force=(3, 0, 5.0))}
    for k in range(2):
        robot = family.robot_of(k)
        assert_allclose(family.inverse_dynamics(Q, Q, Q, external=push)[k],
                        robot.inverse_dynamics(Q, Q, Q, external=push), rtol=1e-13)
        assert_allclose(family.inverse_dynamics(Q, Q, Q, formulation="lagrangian")[k],
                        robot.inverse_dynamics(Q, Q, Q), rtol=1e-12)
        assert_allclose(family.jacobian(Q, "link2")[k], robot.jacobian(Q, "link2"), atol=1e-14)
        assert_allclose(family.inverse_dynamics(Q, Q, Q, gravity=(1, 0, -2.0))[k],
                        robot.with_gravity((1, 0, -2.0)).inverse_dynamics.uncompiled(Q, Q, Q), rtol=1e-12)


# Lengths, by hand


def test_length_moves_all_that_is_joined_along_its_line() -> None:
    family = arm().family({"link1.length": [0.25, 3.0]})
    assert_allclose(family.link_poses([0.0, 0.0])[:, 2, 0, 3], [0.25, 3.0], rtol=1e-15)
    bent = lp.Robot(
        "bent",
        (lp.Link("base"), lp.Link("a", lp.Inertia(1.0, (0.5, 0, 0))), lp.Link("b", lp.Inertia(1.0, (1.0, 0, 0))),
         lp.Link("tool")),
        (lp.Joint("j1", "base", "a", lp.Revolute((0, 1, 0))),
         lp.Joint("j2", "a", "b", lp.Revolute((0, 1, 0)), (2.0, 0.0, 0.0)),
         lp.Joint("on", "a", "tool", lp.Fixed(), (1.0, 0.3, 0.0))),
    )
    places = bent.family({"a.length": [4.0]}).link_poses([0.0, 0.0])[0]
    assert_allclose(places[2, :3, 3], (4.0, 0, 0))
    assert_allclose(places[3, :3, 3], (2.0, 0.3, 0))  # beside the line it stays beside it
    tau = bent.family({"a.length": [4.0]}).gravity_forces([0.0, 0.0])
    assert_allclose(np.abs(tau), [[9.81 * (0.5 + 5.0), 9.81]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_turns_between_parallel_axes(dtype: type) -> None:
    """Frames follow turns between axes, and for parallel axes any will do."""
    robot = lp.catalog.planar(3)
    tilts = np.array([[0, 0, 0], [1e-9, 0, 0], [0, 0, 1e-17], [0.3, 0, 0], [0, np.pi, 0], [np.pi / 2, 0, 0.1]])
    family = robot.family({"joint2.origin.rpy": tilts, "joint3.origin.rpy": tilts[::-1]})
    q = RNG.uniform(-1, 1, (3, 3)).astype(dtype)
    found = family.inverse_dynamics(q, q, q), family.joint_wrenches(q, q, q).torque
    assert found[0].dtype == dtype
    bound = 1e-13 if dtype is np.float64 else 2e-5
    for k in range(len(tilts)):
        one = designed(robot, {"joint2.origin.rpy": tilts[k], "joint3.origin.rpy": tilts[::-1][k]})
        given = [q.astype(float)] * 3
        expected = one.inverse_dynamics.uncompiled(*given), one.joint_wrenches.uncompiled(*given).torque
        for a, b in zip(found, expected, strict=True):
            assert np.abs(a[k] - b).max() <= bound * np.abs(b).max()


# Robots as a family


def test_robots_that_differ_in_numbers() -> None:
    robots = [arm(mass) for mass in (1.0, 2.0, 5.0)]
    robots[2] = robots[2].with_gravity((0, 0, -1.0)).with_drives({"joint1": lp.Drive(friction=lp.Friction(coulomb=2))})
    family = lp.Family(robots)
    assert {"gravity", "link1.mass", "joint1.coulomb_friction"} <= set(family.names)
    assert "joint1.origin" not in family.names
    found = family.inverse_dynamics(Q, Q, Q)
    for k, robot in enumerate(robots):
        assert_allclose(found[k], robot.inverse_dynamics.uncompiled(Q, Q, Q), rtol=1e-13)


def test_what_is_no_family_is_named() -> None:
    other = lp.Robot(arm().name, arm().links, (arm().joints[0], lp.Joint(
        "joint2", "link1", "link2", lp.Prismatic((1, 0, 0)), (1, 0, 0)), *arm().joints[2:]))
    with pytest.raises(ValueError, match="motion of joint 'joint2' is Revolute"):
        lp.Family([arm(), other])
    with pytest.raises(ValueError, match="'link3'"):
        lp.Family([arm(), lp.catalog.planar(3)])
    with pytest.raises(ValueError, match=r"differ in 'link1\.mass'"):
        lp.Family([arm(), arm(2.0)], ["gravity"])


# Mistakes


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["link1.lenght"], r"did you mean 'link1.length'\?"),
        (["payload.mass"], r"carries no payload: robot.with_payload\(0.0\)"),
        (["link1.length", "joint2.origin"], "both say where joints are on 'link1'"),
        (["tip.length"], "nothing is joined to link 'tip'"),
        (["link1.beam.section.wall"], r"robot 'planar2' has no beams; robot.with_beams\(...\) gives it some"),
        ({"link1.mass": -1.0}, "has the number -1: expected 0 or more"),
        ({"link1.mass": np.nan}, "not finite"),
        ({"link1.inertia": np.arange(9.0).reshape(3, 3)}, "not symmetric"),
        ({"gravity": 9.81}, r"'gravity' has the shape \(\): expected \(\.\.\., 3\)"),
        ({"link1.mass": [1, 2], "link2.mass": [1, 2, 3]}, "link1.mass"),
        ([], "no parameters"),
        ("mass", "expected several names"),
    ],
)
def test_mistakes(given: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        arm().family(given)  # type: ignore[arg-type]


def test_what_a_family_has_not() -> None:
    family = arm().family({"link1.mass": [1.0, 2.0]})
    with pytest.raises(AttributeError, match=r"family.robot_of\(design\).verdict"):
        family.verdict  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        family.nothing  # noqa: B018
    with pytest.raises(ValueError, match=r"no parameter of this family; did you mean 'link1.mass'\?"):
        family.at({"link1.mas": 1.0})
    tube = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.STEEL, end="joint2")
    flexible = lp.catalog.planar(2, mass=8.0).with_beams({"link1": tube}).family(["link2.mass"])
    assert flexible.inverse_dynamics(Q, Q, Q).shape == (4, 2)  # of the rigid arm
    with pytest.raises(AttributeError, match="has no attribute 'complaince'"):
        flexible.complaince  # noqa: B018


# Sensitivities


def test_sensitivities_are_those_of_differences() -> None:
    robot = lp.catalog.random_chain(3, 4, joints="all").with_payload(1.0, (0.1, 0.2, 0.3))
    link, joint = robot.link_names[1], robot.joint_names[1]
    keys = ["payload.mass", "payload.center_of_mass", "gravity", f"{link}.inertia", f"{joint}.origin",
            f"{joint}.origin.rpy"]
    family = robot.family(keys)
    q, qd, qdd = RNG.uniform(0.1, 1, (2, robot.nq)), *RNG.uniform(-1, 1, (2, 2, robot.n))
    exact = family.sensitivity("joint_wrenches", q, qd, qdd)
    h = 1e-5
    for parameter in family.parameters:
        for k in range(parameter.size):
            either = []
            for step in (h, -h):
                value = np.array(parameter.nominal)
                value[k] += step
                moved = family.at({parameter.key: value.reshape(parameter.shape)})
                found = moved.joint_wrenches(q, qd, qdd)
                either.append((found.force, found.torque))
            for part, (plus, minus) in zip(exact[parameter.key], zip(*either, strict=True), strict=True):
                slope = part[..., k] if parameter.shape else part
                assert_allclose(slope, (plus - minus) / (2 * h), atol=1e-6 * max(1.0, np.abs(plus).max()))


# Members: robots whose numbers a family has


def test_another_payload_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = arm().with_payload(1.0, (0.1, 0, 0))
    q = Q.copy()
    expected = {name: getattr(first, name)(q, q, q) for name in ("inverse_dynamics",)}
    first.joint_wrenches(q, q, q), first.load_breakdown(q, q, q), first.mass_matrix(q)
    monkeypatch.setattr(kernels, "_make", None)  # nor is anything loaded
    for mass in (0.0, 2.0, 7.5):
        other = arm().with_payload(mass, (0.3, 0.1, 0), inertia=0.1 * mass * np.eye(3))
        for name, given in (("inverse_dynamics", (q, q, q)), ("joint_wrenches", (q, q, q)), ("mass_matrix", (q,))):
            found, right = getattr(other, name)(*given), getattr(other, name).uncompiled(*given)
            for a, b in zip(*[(x.force, x.torque) if hasattr(x, "force") else (x,) for x in (found, right)],
                            strict=True):
                assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        if mass:
            other.load_breakdown(q, q, q)
    assert np.abs(expected["inverse_dynamics"] - other.inverse_dynamics(q, q, q)).max() > 1


def test_a_robot_of_a_family_gives_the_same_bits_in_every_call() -> None:
    """Also after its own kernel was made, which differs in the last digits: for options that only that one takes."""
    robot = arm().with_payload(3.25)
    first = robot.inverse_dynamics(Q, Q, Q)
    assert not robot.inverse_dynamics._kernels
    one = robot.inverse_dynamics(Q[0], Q[0], Q[0])
    assert_array_equal(one, first[0])
    own = robot.inverse_dynamics(Q, Q, Q, order="F")
    assert robot.inverse_dynamics._kernels and own.flags.f_contiguous
    assert_allclose(own, first, rtol=1e-13)
    room = np.empty_like(first)
    for _ in range(60):
        assert_array_equal(robot.inverse_dynamics(Q, Q, Q), first)
        assert robot.inverse_dynamics(Q, Q, Q, out=room) is room
        assert_array_equal(room, first)


def test_members_are_robots_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    family = arm().family({"link1.length": [0.5, 0.7]})
    tau = family.inverse_dynamics(Q, Q, Q)
    robot = family.robot_of(1)
    with monkeypatch.context() as patched:
        patched.setattr(jit, "compile_object", None)
        assert_array_equal(robot.inverse_dynamics(Q, Q, Q), tau[1])
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot
    assert_allclose(again.inverse_dynamics(Q, Q, Q), tau[1], rtol=1e-13)
    heavier = robot.with_payload(1.0)  # no longer a design of that family
    assert np.abs(heavier.gravity_forces(Q) - robot.gravity_forces(Q)).max() > 1


def test_a_mass_that_differs_alone_leaves_the_inertia() -> None:
    """A family by name scales the inertia with the mass; robots as they are say what it is."""
    def arm(mass: float) -> lp.Robot:
        body = lp.Inertia(mass, (0.3, 0.0, 0.0), np.diag([0.1, 0.2, 0.3]))
        return lp.Robot("arm", links=(lp.Link("base"), lp.Link("link", body)),
                        joints=(lp.Joint("joint", "base", "link", lp.Revolute((0, 0, 1))),))

    robots = [arm(mass) for mass in (1.0, 4.0)]
    expected = [robot.mass_matrix([0.0]) for robot in robots]
    np.testing.assert_allclose(lp.Family(robots).mass_matrix([0.0]), expected, rtol=1e-14)
