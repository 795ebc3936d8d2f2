"""What robots have, rovers have: asked of a rover whose base moves on a slope, and of the same robot on a planar joint.

The reference is `rover.planar`, a robot on a joint with the freedoms x, y and heading in the frame of the ground, whose
base is moved by coordinates, not by a load case, and under gravity as it is there, whatever the heading.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.rover import Rover
from loadpath.robot.model import RobotModel

SLOPE = 0.25
RNG = np.random.default_rng(5)
COUNT = 6
Q, QD, QDD = RNG.uniform(-1, 1, (3, COUNT, 3))
HEADING = RNG.uniform(-3, 3, COUNT)
VELOCITY, ACCELERATION = RNG.uniform(-1, 1, (2, COUNT, 3))
BASE: dict[str, Any] = {"velocity": VELOCITY, "acceleration": ACCELERATION, "heading": HEADING}
WRENCH = {"rod": lp.Wrench([1.0, 2.0, 3.0], [0.1, 0.2, 0.3], axes="link")}


@pytest.fixture(scope="module")
def rover() -> lp.Rover:
    return lp.catalog.lau_rover().on(lp.Ground(slope=SLOPE))


def on_ground() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same states of the robot on a planar joint: velocity and its rate turned into the axes of the ground."""
    c, s, w = np.cos(HEADING), np.sin(HEADING), VELOCITY[:, 2]
    turn = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    v = np.einsum("kij,kj->ki", turn, VELOCITY[:, :2])
    change = ACCELERATION[:, :2] + np.stack([-w * VELOCITY[:, 1], w * VELOCITY[:, 0]], -1)
    a = np.einsum("kij,kj->ki", turn, change)
    place = RNG.uniform(-2, 2, (COUNT, 2))
    return (
        np.hstack([place, HEADING[:, None], Q]),
        np.hstack([v, w[:, None], QD]),
        np.hstack([a, ACCELERATION[:, 2:], QDD]),
    )


def test_forces_on_a_moving_base(rover: lp.Rover) -> None:
    whole = rover.planar
    state = on_ground()
    tau = whole.inverse_dynamics(*state, external=WRENCH)
    np.testing.assert_allclose(rover.inverse_dynamics(Q, QD, QDD, external=WRENCH, **BASE), tau[:, 3:], atol=1e-12)
    found, wanted = rover.joint_wrenches(Q, QD, QDD, **BASE), whole.joint_wrenches(*state)
    for joint in rover.joint_names:
        np.testing.assert_allclose(found[joint].force, wanted[joint].force, atol=1e-12)
        np.testing.assert_allclose(found[joint].torque, wanted[joint].torque, atol=1e-12)
    split = rover.load_breakdown(Q, QD, QDD, **BASE)
    np.testing.assert_allclose(split.totals(), np.concatenate([found.force, found.torque], -1), atol=1e-12)
    np.testing.assert_allclose(rover.regressor(Q, QD, QDD, **BASE), whole.regressor(*state)[:, 3:, 10:], atol=1e-12)
    bias = whole.inverse_dynamics(state[0], state[1], np.hstack([state[2][:, :3], 0 * QDD]))[:, 3:]
    np.testing.assert_allclose(rover.bias_forces(Q, QD, **BASE), bias, atol=1e-12)
    tau = rover.inverse_dynamics(Q, QD, QDD, **BASE)
    peaks = rover.peak_loads(Q, QD, QDD, **BASE)
    np.testing.assert_allclose([peaks[dof, "drive"].magnitude for dof in rover.dof_names], abs(tau).max(axis=0))
    geared = rover.with_drives({"theta2": lp.Drive(ratio=50)}).motor_loads(Q, QD, QDD, **BASE)
    np.testing.assert_allclose(geared.torque[:, 0], tau[:, 1] / 50, atol=1e-12)
    slopes = rover.forward_dynamics_derivatives(Q, QD, tau, **BASE)
    np.testing.assert_allclose(slopes.tau, np.linalg.inv(whole.mass_matrix(state[0])[:, 3:, 3:]), atol=1e-9)


def test_motion_of_links(rover: lp.Rover) -> None:
    """No gravity is in accelerations: in the axes of the base, whatever the slope and the heading."""
    state, whole = on_ground(), rover.planar
    c, s, zero = np.cos(HEADING), np.sin(HEADING), 0 * HEADING
    to_base = np.moveaxis(np.array([[c, s, zero], [-s, c, zero], [zero, zero, zero + 1]]), -1, 0)
    for name, states in (("link_velocities", state[:2]), ("link_accelerations", state)):
        base = {key: value for key, value in BASE.items() if key != "acceleration" or name == "link_accelerations"}
        found, wanted = getattr(rover, name)(*(Q, QD, QDD)[: len(states)], **base), getattr(whole, name)(*states)
        for part in ("linear", "angular"):
            turned = np.einsum("kij,klj->kli", to_base, getattr(wanted, part)[:, 1:])
            np.testing.assert_allclose(getattr(found, part), turned, atol=1e-12)


def test_gravity_is_that_of_the_slope_at_the_heading(rover: lp.Rover) -> None:
    g, h = 9.81, 0.7
    down = np.array([-g * np.sin(SLOPE) * np.cos(h), g * np.sin(SLOPE) * np.sin(h), -g * np.cos(SLOPE)])
    alone = rover.robot.with_gravity(down)
    np.testing.assert_allclose(rover.gravity_forces(Q, heading=h), alone.gravity_forces(Q), atol=1e-12)
    np.testing.assert_allclose(rover.potential_energy(Q, heading=h), alone.potential_energy(Q), atol=1e-12)
    np.testing.assert_allclose(
        rover.static_wrenches(Q, heading=h).torque, alone.static_wrenches(Q).torque, atol=1e-12
    )
    uphill = rover.robot.with_gravity((-g * np.sin(SLOPE), 0.0, -g * np.cos(SLOPE)))
    np.testing.assert_allclose(rover.gravity_forces(Q), uphill.gravity_forces(Q), atol=1e-12)
    ahead = rover.step(Q, QD, 0 * Q, 0.01, heading=h)
    for one, other in zip(ahead, alone.step(Q, QD, 0 * Q, 0.01), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    each = [rover.gravity_forces(q, heading=at) for q, at in zip(Q, HEADING, strict=True)]
    np.testing.assert_allclose(rover.gravity_forces(Q, heading=HEADING), each, atol=1e-12)
    with pytest.raises(TypeError, match=r"inverse_dynamics takes no 'gravity': that of a rover is that of its ground"):
        rover.inverse_dynamics(Q, QD, QDD, gravity=down)
    with pytest.raises(TypeError, match=r"wheel_loads takes no 'gravity': that of a rover is that of its ground"):
        rover.wheel_loads(Q, QD, QDD, gravity=down)
    with pytest.raises(TypeError, match=r"wheel_loads takes no 'under': .* is given by velocity=, acceleration="):
        rover.wheel_loads(Q, QD, QDD, under=lp.LoadCase(gravity=down))
    with pytest.raises(TypeError, match=r"peak_loads takes no 'base_velocity': the base of a rover moves by velocity="):
        rover.peak_loads(Q, QD, QDD, under=lp.LoadCase(base_velocity=np.zeros(6)))
    # By cause, gravity is gravity: nothing of it counts as motion of the base.
    split, wanted = rover.load_breakdown(Q, QD, QDD, heading=h), alone.load_breakdown(Q, QD, QDD)
    assert all(split.causes(joint) == wanted.causes(joint) for joint in rover.joint_names)
    np.testing.assert_allclose(split.values, wanted.values, atol=1e-12)
    turning = rover.load_breakdown(Q, QD, QDD, heading=HEADING)
    assert all(turning.causes(joint) == wanted.causes(joint) for joint in rover.joint_names)
    each = [rover.load_breakdown(*one, heading=at, compiled=False).values
            for *one, at in zip(Q, QD, QDD, HEADING, strict=True)]
    np.testing.assert_allclose(turning.values, each, atol=1e-12)


def test_a_simulation_brings_the_motion_of_the_base(rover: lp.Rover) -> None:
    pulled = {"rod": lp.Wrench([0.5, 0.0, 0.2])}
    ran = rover.simulate([0.1, 0.2, 0.5], [0.3, 0.1, 0.0], velocity=(0.5, 0.4), duration=0.2, external=pulled)
    np.testing.assert_allclose(rover.inverse_dynamics(ran), ran.tau, atol=1e-9)
    peaks = rover.peak_loads(ran)
    np.testing.assert_allclose(
        [peaks[dof, "drive"].magnitude for dof in rover.dof_names], abs(ran.tau).max(axis=0), atol=1e-9
    )
    np.testing.assert_allclose(rover.load_breakdown(q=ran).totals(), rover.load_breakdown(ran).totals())
    np.testing.assert_allclose(rover.jacobian(ran, "rod"), rover.robot.jacobian(ran.q, "rod"))
    with pytest.raises(ValueError, match=r"kinetic_energy takes no motion of the base"):
        rover.kinetic_energy(ran)
    each = [rover.gravity_forces(q, heading=at) for q, at in zip(ran.q, ran.pose[:, 2], strict=True)]
    np.testing.assert_allclose(rover.gravity_forces(ran), each, atol=1e-12)


def test_motions_of_a_robot_by_its_own_names() -> None:
    base, arm = lp.catalog.lau_rover().base, lp.catalog.two_link()
    two = base.carrying(arm, at=(0.1, 0, 0.4), prefix="left_")
    moves = lp.Motion.through(arm, [[0.0, 0.0], [0.5, 0.3]], [0.0, 1.0])
    np.testing.assert_allclose(two.inverse_dynamics(moves), two.robot.inverse_dynamics(moves.q, moves.qd, moves.qdd))
    loaded = moves.with_loads([lp.Carried(2.0, from_=0.2, to=0.8)])
    assert np.abs(two.inverse_dynamics(loaded) - two.inverse_dynamics(moves)).max() > 1.0


def test_edits_give_rovers(rover: lp.Rover) -> None:
    rated = rover.with_parts({"wheel1": lp.WheelRating(load=80.0)})
    for made in (
        rated.locked({"theta2": 0.3}),
        rated.with_limits({"theta2": {"effort": 5.0}}),
        rated.with_drives({"theta2": lp.Drive(ratio=50)}),
        rated.with_payload(2.0, link="rod").without_payload(),
        rated.with_coupling({"theta1": 1.0, "theta2": -1.0}),
        rated.without_friction(),
        rated.tree,
    ):
        assert isinstance(made, Rover)
        assert made.ratings == rated.ratings
        assert made.ground == rover.ground
        assert made.robot.gravity == rover.robot.gravity
        assert pickle.loads(pickle.dumps(made)) == made
    assert rated.with_payload(2.0, link="rod").without_payload() == rated
    assert rated.with_coupling({"theta1": 1.0, "theta2": -1.0}).mobility == 2
    heavier = rover.with_inertias({"rover": replace(rover.link("rover").inertia, mass=20.0)})
    assert heavier.base.mass == 20.0
    weight = heavier.ground_wrench([0, 0, 0.5]).force[2] - rover.ground_wrench([0, 0, 0.5]).force[2]
    np.testing.assert_allclose(weight, 10 * 9.81 * np.cos(SLOPE))
    assert not isinstance(rover.floating(), Rover)
    with pytest.raises(lp.ModelError, match=r"its gravity is that of the ground, .* rover.on\(lp.Ground"):
        rover.with_gravity((0, 0, -1.62))


def test_what_does_not_go_is_named(rover: lp.Rover) -> None:
    with pytest.raises(TypeError, match=r"takes no 'base_velocity': the base of a rover moves by velocity="):
        rover.inverse_dynamics(Q, QD, QDD, base_velocity=np.ones(6))
    with pytest.raises(TypeError, match=r"jacobian takes no 'velocity': it does not depend on the motion of the base"):
        rover.jacobian(Q, "rod", velocity=(1.0, 0.0))
    with pytest.raises(AttributeError, match=r"'rover' is an open chain, .* has no 'assemble'"):
        _ = rover.assemble
    with pytest.raises(ValueError, match="a base can carry robots"):
        rover.base.carrying(rover)
    with pytest.raises(lp.ModelError, match="a hold is by a robot"):
        lp.Hold(rover)


def test_it_is_a_robot(rover: lp.Rover) -> None:
    assert isinstance(rover, lp.Robot)
    assert not isinstance(rover, (lp.ClosedRobot, lp.FlexibleRobot))
    assert rover != rover.robot
    missing = {name for name in dir(rover.robot) if not name.startswith("_")} - set(dir(rover))
    assert not missing
    assert lp.Rover.inverse_dynamics(rover, Q, QD, QDD).shape == (COUNT, 3)
    made = pickle.loads(pickle.dumps(rover.inverse_dynamics))
    np.testing.assert_array_equal(made(Q, QD, QDD, **BASE), rover.inverse_dynamics(Q, QD, QDD, **BASE))


def test_wheels_are_data_of_a_robot(rover: lp.Rover) -> None:
    rated = rover.with_parts({"wheel1": lp.WheelRating(load=80.0)})
    data = {part.name: getattr(rated, part.name) for part in fields(lp.Robot)}
    made = lp.Robot(**data)
    assert isinstance(made, lp.Rover) and made == rated and hash(made) == hash(rated) and made.digest == rated.digest
    np.testing.assert_array_equal(made.wheel_loads(Q, QD, QDD).normal, rover.wheel_loads(Q, QD, QDD).normal)
    standing = replace(rover.robot, wheeled_base=rover.base, ground=rover.ground)
    assert isinstance(standing, lp.Rover) and standing == rover
    assert rover.gravity == tuple(rover.ground.gravity_in_base()) and rover.robot.gravity == (0.0, 0.0, -9.81)
    # What the body of the base weighs is said once: by the base, which a robot that is put on it by hand may change.
    heavier = replace(rover, wheeled_base=replace(rover.base, mass=20.0))
    assert heavier.link("rover").inertia.mass == heavier.robot.base.inertia.mass == heavier.base.mass == 20.0
    assert lp.Rover(rover.base, heavier.robot).base.mass == 20.0
    assert rover.with_inertias({"rover": lp.Inertia(30.0, (0.2, 0.0, 0.2))}).base.mass == 30.0
    keys = [one.digest for one in (rover, rover.on(lp.Ground(slope=0.1)), heavier, rover.robot)]
    assert len(set(keys)) == len(keys)
    with pytest.raises(lp.ModelError, match="has a ground or ratings of wheels, and no wheels"):
        replace(rover.robot, ground=rover.ground)
    with pytest.raises(lp.ModelError, match="has a ground or ratings of wheels, and no wheels"):
        replace(rover, wheeled_base=None)
    with pytest.raises(lp.ModelError, match=r"a rover stands on an lp\.WheeledBase"):
        lp.Rover(robot=rover.robot)
    with pytest.raises(lp.ModelError, match=r"stands on 'cart': expected a lp\.WheeledBase"):
        RobotModel(**data | {"wheeled_base": "cart"})


def test_rovers_that_were_pickled_as_a_class_of_their_own(rover: lp.Rover) -> None:
    again = lp.Rover.__new__(lp.Rover)
    again.__setstate__(rover.__getstate__())
    assert again == rover and type(again) is type(rover) is lp.Robot


def test_a_rover_is_a_kind_by_its_data(rover: lp.Rover) -> None:
    class Mine(lp.Rover):
        def mass_center(self, q):
            return super().mass_center(q) + 1.0

        def gravity_forces(self, q, **options):
            return 2 * super().gravity_forces(q, **options)

    mine = Mine(rover.base, rover.robot, rover.ground)
    assert type(mine) is Mine and type(mine.on(lp.Ground())) is Mine and type(mine.locked({"theta2": 0.1})) is Mine
    for again in (mine, pickle.loads(pickle.dumps(rover)), copy.deepcopy(rover), replace(mine, name="other")):
        assert isinstance(again, lp.Rover) and isinstance(again, lp.Robot)
    np.testing.assert_array_equal(mine.mass_center(Q[0]), rover.mass_center(Q[0]) + 1.0)
    for _ in range(2):
        np.testing.assert_array_equal(mine.gravity_forces(Q[0], heading=0.3),
                                      2 * rover.gravity_forces(Q[0], heading=0.3))
    assert not isinstance(rover.robot, lp.Rover) and not hasattr(rover.robot, "wheel_loads")
    assert "wheel_loads" not in dir(rover.robot) and "wheel_loads" in dir(rover)
    assert lp.Rover.gravity_forces(rover, Q[0]).tolist() == lp.Robot.gravity_forces(rover, Q[0]).tolist()
    assert lp.Rover(rover.base).n == 0 and repr(lp.Rover(rover.base)).startswith("<Rover 'rover': 3 contacts")


def test_what_bends_has_the_keywords_of_robots_and_the_motion_of_the_base() -> None:
    tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    arm, base = lp.catalog.planar(1), lp.catalog.lau_rover().base
    rigid, bending = base.carrying(arm), base.carrying(arm.with_beams({"link1": tube}))
    tyres = replace(base, wheels=[replace(wheel, stiffness=1e5) for wheel in base.wheels])
    for name in ("deflection", "stress", "natural_frequencies", "frequency_map", "respond", "plot_deflection"):
        own = set(inspect.signature(getattr(bending.robot, name)).parameters)
        own -= {"base_velocity", "base_acceleration", "gravity"}
        wanted = own | {"velocity", "acceleration", "heading"}
        assert set(inspect.signature(getattr(bending, name)).parameters) == wanted
        assert name not in dir(rigid)
        assert name in dir(bending) and name in dir(tyres.carrying(arm)) and name in dir(tyres.carrying())
    alone = tyres.carrying()
    np.testing.assert_array_equal(alone.deflection().displacement, alone.deflection([]).displacement)
    assert alone.deflection().link_names == ("ground", "rover")
    with pytest.raises(TypeError, match="carries 1 coordinates: q is needed, or a motion"):
        bending.deflection()
    with pytest.raises(TypeError, match=r"takes no 'base_acceleration': the base of a rover moves by velocity="):
        bending.stress([0.1], base_acceleration=np.ones(6))
    with pytest.raises(ValueError, match="'acceleration' is a load, and loaded=False leaves all loads out"):
        bending.frequency_map(loaded=False, acceleration=(1.0, 0.0))
    with pytest.raises(TypeError, match="compliance takes no 'velocity'"):
        bending.compliance([0.1], velocity=(1.0, 0.0))


def test_functions_of_robots(rover: lp.Rover) -> None:
    own = lp.quantity(lambda mechanism, q: q @ q, "(q)->()")
    np.testing.assert_allclose(own(rover, Q), (Q * Q).sum(axis=-1))
    swing = lp.Motion.swing(rover, 21, 1.0)
    light = lp.compare(rover, rover.with_payload(0.5, link="rod"), swing)
    assert light["theta2", "drive"].change > 0
    assert any(check.check == "tipping over" for check in light.checks)
