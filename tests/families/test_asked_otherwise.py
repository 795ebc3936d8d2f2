"""Families as others ask for them: pickled, of rovers, with numbers that are none; results that are packed, pickled."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import loadpath as lp

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


def test_of_a_rover_what_is_of_base_and_robots_together_is_refused():
    rover = lp.catalog.lau_rover()
    q = np.array([0.3, 0.2, 0.5])
    family = rover.family({"rod.mass": [1.0, 2.0]})
    still = 0 * q
    np.testing.assert_allclose(
        family.inverse_dynamics(q, still, still)[1], family.robot_of(1).inverse_dynamics(q, still, still), rtol=1e-12
    )
    assert rover.mass_matrix(q).shape == (6, 6)  # other than the robots' alone
    for changed in (family, family.at({"rod.mass": 3.0}), pickle.loads(pickle.dumps(family))):
        with pytest.raises(AttributeError, match="has no 'mass_matrix': on a rover it is of base and robots together"):
            _ = changed.mass_matrix
    assert rover.on_fixed_base.family(["rod.mass"]).mass_matrix(q).shape == (3, 3)
    with pytest.raises(ValueError, match="stands on wheels"):
        lp.Family([rover, rover])


def test_of_a_trailer_what_its_wheels_carry_is_refused():
    joints = [lp.Joint("yaw", "coupling", "swivel", lp.Revolute((0, 0, 1))),
              lp.Joint("nod", "swivel", "trailer", lp.Revolute((0, 1, 0)))]
    links = [lp.Link("coupling"), lp.Link("swivel"), lp.Link("trailer", lp.Inertia(300.0, (-2.6, 0, 0), np.eye(3)))]
    wheels = [lp.FixedWheel((x, y), 0.3) for x in (0, 2.4) for y in (0.7, -0.7)]
    behind = [lp.FixedWheel((-3.0, y), 0.3, name=f"behind {y}", link="trailer") for y in (0.7, -0.7)]
    base = lp.WheeledBase(mass=800, center_of_mass=(1.2, 0, 0.5), inertia=np.eye(3), wheels=wheels + behind,
                          friction=lp.WheelFriction(0.8))
    truck = base.carrying(lp.Robot("trailer", links, joints), at=(-0.8, 0, 0.4))
    family = truck.family(["trailer.mass"])
    with pytest.raises(AttributeError, match="has no 'joint_wrenches': wheels are on links"):
        _ = family.joint_wrenches
    assert family.link_poses([0.0, 0.0]).shape[-2:] == (4, 4)
