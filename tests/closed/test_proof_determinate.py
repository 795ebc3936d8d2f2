"""Components that are called determinate do not depend on how stiff the joints are; the others do.

The compliances of all joints and loops are changed by random factors, under wrenches on all links in all directions:
determinate components stay (1e-9), the others move. And the numbers are those of the least energy for the given
compliances, by the reference.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import ask, catalog, random_closed, reference, state

CASES = {
    "four_bar": lambda: catalog("four_bar"),
    "slider_crank": lambda: catalog("slider_crank"),
    "palletizer": lambda: catalog("parallelogram_palletizer"),
    "excavator": lambda: catalog("excavator"),
    "spatial, second bearing": lambda: random_closed(0),
    "spatial, two hinges": lambda: random_closed(8),
}


@pytest.mark.parametrize("name", CASES)
def test_determinate_components_do_not_depend_on_compliances(name):
    robot = CASES[name]()
    q, qd, qdd = state(robot, 1)
    rng = np.random.default_rng(3)
    scale = 100.0 if name == "excavator" else 1.0
    push = {link: scale * rng.normal(size=(2, 3)) for link in robot.link_names[1:]}
    external = {link: lp.Wrench(force=both[0], torque=both[1]) for link, both in push.items()}
    determinate = ask(robot, "reaction_leverages", q) < 1e-11
    found = []
    for _ in range(3):
        factors = np.exp(rng.uniform(-2, 2, (len(robot.closed_joint_names), 6)))
        given = tuple((joint, tuple(six)) for joint, six in zip(robot.closed_joint_names, factors, strict=True))
        wrenches = ask(robot, "joint_wrenches", q, qd, qdd, external=external, compliances=given)
        both = np.concatenate([wrenches.force, wrenches.torque], axis=-1)
        expected = reference(robot).inverse(q, qd, qdd, robot.split.driven, external=push, compliance=factors)
        size = abs(both).max()
        np.testing.assert_allclose(wrenches.force, expected.force, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(wrenches.torque, expected.torque, rtol=0, atol=1e-10 * size)
        found.append(both)
    moved = np.ptp(found, axis=0) / abs(found[0]).max()
    assert moved[determinate].max() < 1e-9
    assert moved[~determinate].min() > 1e-9
    assert determinate.any()
    assert not determinate.all()


def test_a_four_bar_of_real_hinges_leaves_three_of_the_five_reactions_of_its_pin_open():
    robot = catalog("four_bar")
    wrenches = ask(robot, "joint_wrenches", robot.home, np.zeros(3), np.zeros(3))
    open_to = ask(robot, "reaction_leverages", robot.home)
    pin = robot.closed_joint_names.index("rocker_pin")
    # Known are the forces across the pin and the torque about it; open the force along it and the torques across.
    np.testing.assert_array_equal(open_to[pin] < 1e-11, [True, True, False, False, False, True])
    assert abs(wrenches["rocker_pin"].torque[2]) < 1e-15


def test_balls_in_place_of_hinges_make_a_four_bar_determinate():
    """Ball at the coupler's end and a universal joint at its start: nothing is too much, nothing is open."""
    bar = lp.catalog.four_bar()
    joints = tuple(
        lp.Joint(joint.name, joint.parent, joint.child, lp.Universal((0, 0, 1), (0, 1, 0)), joint.origin)
        if joint.name == "coupler_joint" else joint
        for joint in bar.joints
    )
    loop = bar.loops[0]
    q = [*bar.near[:2], 0, bar.near[2]]
    robot = lp.Robot("four_bar", bar.links, joints).with_loop(
        "ball", loop.first, loop.second, motion=lp.Spherical(), at=loop.at, on=loop.on, q=q
    )
    robot = robot.with_driven("crank_joint")
    assert robot.mobility == 1
    assert not ask(robot, "reaction_leverages", robot.home).any()
    still = np.zeros(4)
    tau = ask(robot, "inverse_dynamics", robot.home, still, still)
    hinges = ask(catalog("four_bar"), "inverse_dynamics", bar.home, np.zeros(3), np.zeros(3))
    assert tau[0] == pytest.approx(hinges[0], abs=1e-13)


def test_a_large_robot_is_not_compiled_for_a_few_states():
    """Four slider-cranks on one shaft: compiling takes 12 s, eight of them minutes."""
    pin, shaft, near = lp.Revolute((0, 1, 0)), lp.Joint("shaft", "block", "crank", lp.Revolute((0, 1, 0))), [0.0]
    links, joints = [lp.Link("block"), lp.Link("crank", lp.Inertia(8.0))], [shaft]
    for k, at in enumerate(0.04 * np.exp(2j * np.pi * np.arange(4) / 4)):
        links += [lp.Link(f"rod{k}", lp.Inertia(0.5, (0, 0, 0.07))), lp.Link(f"piston{k}", lp.Inertia(0.4))]
        joints += [lp.Joint(f"big{k}", "crank", f"rod{k}", pin, (at.imag, 0.1 * k, at.real)),
                   lp.Joint(f"bore{k}", "block", f"piston{k}", lp.Prismatic((0, 0, 1)), (0, 0.1 * k, 0))]
        near += [-np.arcsin(at.imag / 0.14), at.real + np.sqrt(0.14**2 - at.imag**2)]
    engine: lp.Robot = lp.Robot("engine", tuple(links), tuple(joints))
    for k in range(4):
        engine = engine.with_loop(f"pin{k}", f"rod{k}", f"piston{k}", motion=pin, at=(0, 0, 0.14), on=(0, 0, 0))
    engine = engine.with_home(near).with_driven("shaft")
    wrenches = engine.static_wrenches.uncompiled(engine.home)
    assert (wrenches.determinate == [True, False, True, False, True, False]).all()  # what acts in the plane of each
    assert not engine.reaction_leverages._kernels
