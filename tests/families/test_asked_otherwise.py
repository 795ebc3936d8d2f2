"""Families as others ask for them: pickled, of rovers, with numbers that are none; results that are packed, pickled."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.family import shared_kernel

ARM = lp.catalog.planar(2).with_payload(0.0)
Q = np.linspace(-1.0, 1.0, 10).reshape(5, 2)


@pytest.mark.parametrize("sent", [copy.deepcopy, lambda what: pickle.loads(pickle.dumps(what))])
def test_a_family_and_its_methods_arrive(sent):
    family = ARM.family({"payload.mass": [0.0, 1.0, 3.0]})
    wanted = family.gravity_forces(Q)
    arrived = sent(family)
    assert arrived.shape == (3,) and arrived.names == family.names and not arrived.paired
    np.testing.assert_array_equal(arrived.gravity_forces(Q), wanted)
    np.testing.assert_array_equal(sent(family.gravity_forces)(Q), wanted)
    assert sent(family.at({"payload.mass": np.ones(5)}, paired=True)).gravity_forces(Q).shape == (5, 2)


def test_packed_results_arrive():
    found = ARM.inverse_dynamics_derivatives(Q, Q, Q, packed=True)
    arrived = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(arrived.dense().q, ARM.inverse_dynamics_derivatives(Q, Q, Q).q)
    with pytest.raises(ValueError, match="read-only"):
        found.index.q[0, 0] = 5  # which all later results share


def test_what_is_no_number_is_refused_and_what_no_body_has_is_warned_of():
    for given in (["2", "3"], "2kg", [None]):
        with pytest.raises(ValueError, match=r"'payload.mass' is .*: expected numbers"):
            ARM.family({"payload.mass": given})
    for given in (None, 3):
        with pytest.raises(ValueError, match=f"'parameters' is {given}: expected names"):
            ARM.family(given)
    sound = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    with pytest.warns(lp.ModelWarning, match=r"'payload.inertia': negative principal moment of inertia: -2, 1, 1"):
        ARM.family({"payload.inertia": [sound, [-2.0, *sound[1:]], sound]})
    with pytest.warns(lp.ModelWarning, match="triangle inequality"):
        ARM.family({"payload.inertia": [sound, [*sound[:5], 5.0]]})
    assert ARM.family({"payload.inertia": np.zeros((0, 6))}).shape == (0,)


def test_designs_that_do_not_pair_with_the_states_are_named():
    family = ARM.family({"payload.mass": [0.0, 1.0, 2.0]}, paired=True)
    with pytest.raises(ValueError, match=r"gravity_forces of a paired family.*designs"):
        family.gravity_forces(Q)


def test_of_a_rover_what_is_of_base_and_robots_together_is_that_of_each_design():
    rover = lp.catalog.lau_rover()
    q = np.array([0.3, 0.2, 0.5])
    family = rover.family({"rod.mass": [1.0, 2.0]})
    still = 0 * q
    np.testing.assert_allclose(
        family.inverse_dynamics(q, still, still)[1], family.robot_of(1).inverse_dynamics(q, still, still), rtol=1e-12
    )
    assert rover.mass_matrix(q).shape == (6, 6)  # other than the robots' alone
    for changed in (family, family.at({"rod.mass": [1.0, 3.0]}), pickle.loads(pickle.dumps(family))):
        assert changed.mass_matrix(q).shape == (2, 6, 6)
        np.testing.assert_allclose(changed.mass_matrix(q)[1], changed.robot_of(1).mass_matrix(q), rtol=1e-12)
    assert rover.on_fixed_base.family(["rod.mass"]).mass_matrix(q).shape == (3, 3)
    with pytest.raises(ValueError, match="stands on wheels"):
        lp.Family([rover, rover])


def test_of_a_trailer_what_its_wheels_carry_is_that_of_each_design():
    joints = [lp.Joint("yaw", "coupling", "swivel", lp.Revolute((0, 0, 1))),
              lp.Joint("nod", "swivel", "trailer", lp.Revolute((0, 1, 0)))]
    links = [lp.Link("coupling"), lp.Link("swivel"), lp.Link("trailer", lp.Inertia(300.0, (-2.6, 0, 0), np.eye(3)))]
    wheels = [lp.FixedWheel((x, y), 0.3) for x in (0, 2.4) for y in (0.7, -0.7)]
    behind = [lp.FixedWheel((-3.0, y), 0.3, name=f"behind {y}", link="trailer") for y in (0.7, -0.7)]
    base = lp.WheeledBase(mass=800, center_of_mass=(1.2, 0, 0.5), inertia=np.eye(3), wheels=wheels + behind,
                          friction=lp.WheelFriction(0.8))
    truck = base.carrying(lp.Robot("trailer", links, joints), at=(-0.8, 0, 0.4))
    family = truck.family(["trailer.mass"])
    still = np.zeros(2)
    wrenches = family.joint_wrenches(still, still, still)
    own = family.robot_of(()).joint_wrenches(still, still, still)
    np.testing.assert_allclose(wrenches.force, own.force, rtol=1e-12)
    assert family.link_poses([0.0, 0.0]).shape[-2:] == (4, 4)


def test_rovers_with_other_bodies_wheels_and_ground():
    """Against rovers that are made anew; and how often equations are compiled: once for other bodies."""
    def made(mass, rod, reach, static, slope):
        rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.6, static), driven=True)
        robot = rover.on_fixed_base
        masses = {"rover": mass, "rod": rod}
        links = tuple(
            replace(link, inertia=lp.Inertia(masses[link.name], link.inertia.center_of_mass,
                                             np.array(link.inertia.tensor) * (masses[link.name] / link.inertia.mass)))
            if link.name in masses else link for link in robot.links)
        stands = rover._with_robot(replace(robot, links=links))
        wheels = tuple(replace(wheel, position=(0.0, reach)) if wheel.name == "wheel2" else wheel
                       for wheel in rover.base.wheels)
        base = replace(stands.wheeled_base, wheels=wheels)
        return replace(stands, wheeled_base=base, ground=lp.Ground(slope=slope))

    rover, moving = made(10.0, 1.0, 0.3, 0.8, 0.0), {"velocity": (0.5, 0.1), "acceleration": (0.4, 0.0)}
    numbers = {"rover.mass": [10.0, 30.0], "rod.mass": [1.0, 2.0], "wheel2.position": [(0.0, 0.3), (0.0, 0.4)],
               "rover.friction.static": [0.7, 0.9], "ground.slope": [0.0, 0.1]}
    family = rover.family(numbers)
    q = np.random.default_rng(0).uniform(0, 0.5, (3, 3))
    for k, anew in enumerate([made(10.0, 1.0, 0.3, 0.7, 0.0), made(30.0, 2.0, 0.4, 0.9, 0.1)]):
        for name, part in (("wheel_loads", "normal"), ("wheel_loads", "lateral"), ("stability", "margin"),
                           ("slip", "used"), ("ground_wrench", "torque")):
            found = getattr(getattr(family, name)(q, **moving), part)
            wanted = np.asarray(getattr(getattr(anew, name)(q, **moving), part))
            assert found.shape == (2, *wanted.shape)
            assert np.abs(found[k] - wanted).max() <= 1e-12 * max(1.0, float(np.abs(wanted).max()))
    bodies = rover.family({"rover.mass": [10.0, 30.0], "rod.mass": [1.0, 2.0]})
    bodies.wheel_loads(q, **moving)
    kernels = [bodies.robot_of(k).contact_loads for k in range(2)]
    assert all(shared_kernel(each.robot, each.quantity, Variant()) is not None for each in kernels)
    with pytest.raises(ValueError, match=r"did you mean 'wheel2[.]position'"):
        rover.family(["wheel2.positon"])
    with pytest.raises(ValueError, match=r"name 'ground.gravity'"):
        rover.family(["gravity"])
