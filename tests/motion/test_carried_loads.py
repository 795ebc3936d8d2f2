"""Loads that a motion carries, against robots with the payload welded on, at the samples where it is carried."""

import numpy as np
import pytest

import loadpath as lp

CENTER = (0.05, -0.1, 0.2)
TENSOR = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.025]]
MASS = 2.5
RNG = np.random.default_rng(0)
MOVING = {"base_velocity": RNG.normal(size=(21, 6)), "base_acceleration": RNG.normal(size=6)}


def carrying(motion, link, **more):
    """The motion with a load in its middle, and (samples,) when."""
    load = lp.Carried(MASS, from_=motion.t[5], to=motion.t[15], link=link, center_of_mass=CENTER, inertia=TENSOR,
                      name="box")
    return motion.with_loads([load], **more), load.at(motion.t)


def either(when, heavy, light):
    """What is expected: with the payload where it is carried."""
    return np.where(when.reshape(-1, *[1] * (np.ndim(light) - 1)), heavy, light)


def arm_and_tree():
    """A prismatic arm, and a tree whose second branch does not carry."""
    yield "prismatic", lp.catalog.stanford_arm(), None
    yield "tree", lp.catalog.panda(hand=True), "panda_leftfinger"


@pytest.mark.parametrize("name, arm, link", list(arm_and_tree()), ids=lambda x: x if isinstance(x, str) else "")
@pytest.mark.parametrize("given", [{}, MOVING], ids=["fixed", "moving base"])
def test_wrenches_and_drives_are_those_of_a_payload(name, arm, link, given):
    link = link or arm.link_names[-1]
    motion = lp.Motion.swing(arm, samples=21)
    loaded, when = carrying(motion, link)
    heavy = arm.with_payload(MASS, CENTER, inertia=TENSOR, link=link)
    states = motion.q, motion.qd, motion.qdd
    # Not compiled: these robots are large, and the states few.
    found, rigid, light = (robot.joint_wrenches.uncompiled(*states, **more) for robot, more in (
        (arm, wrenches(arm, loaded, given)), (heavy, given), (arm, given)))
    same = [rigid.joint_names.index(joint) for joint in arm.joint_names]
    for part in ("force", "torque"):
        expected = either(when, getattr(rigid, part)[:, same], getattr(light, part))
        assert np.abs(getattr(found, part) - expected).max() < 1e-11
    assert not np.allclose(found.force, light.force)


def wrenches(arm, motion, given):
    """The load case of a motion, as keywords."""
    from loadpath.states import LoadCase

    return LoadCase(**given).with_motion_of(motion, arm, "test").keywords


ARM = lp.catalog.planar(2)
MOTION = lp.Motion.through(ARM, [[0, 0], [1, 0.5]], times=[0, 0.8], rate=25)
LOADED, WHEN = carrying(MOTION, "tip")
HEAVY = ARM.with_payload(MASS, CENTER, inertia=TENSOR)
OTHERS = {"tip": lp.Wrench(force=(1, 2, 3), torque=(0.1, 0, 0.4), axes="link", point=(0.1, 0, 0)),
          "link1": lp.Wrench(force=(3, 0, -4))}


def of_heavy(motion=MOTION):
    return lp.Motion.from_checked(motion.t, motion.q, motion.qd, motion.qdd, HEAVY)


@pytest.mark.parametrize("external", [None, OTHERS], ids=["alone", "with wrenches"])
def test_every_function_of_a_motion_counts_them(external):
    given = {} if external is None else {"external": external}
    heavy = of_heavy()
    expected = either(WHEN, HEAVY.inverse_dynamics(heavy, **given), ARM.inverse_dynamics(MOTION, **given))
    assert np.abs(ARM.inverse_dynamics(LOADED, **given) - expected).max() < 1e-12
    bias = either(WHEN, HEAVY.bias_forces(heavy, **given), ARM.bias_forces(MOTION, **given))
    assert np.abs(ARM.bias_forces(LOADED, **given) - bias).max() < 1e-12
    loads = ARM.load_breakdown(LOADED, **given)
    assert np.abs(sum(loads.drive("joint1").values()) - expected[:, 0]).max() < 1e-12
    peaks = ARM.peak_loads(LOADED, **given)
    assert np.allclose(peaks.drive.maximum, expected.max(axis=0), atol=1e-12)
    reduced = ARM.reduce_loads(LOADED, lp.LoadExtremes(), block=7, **given)
    assert np.allclose(reduced.largest.total("joint1")[5], loads.total("joint1").torque[:, 2].max(), atol=1e-12)


def test_statics_counts_the_weight_alone():
    rigid = HEAVY.static_wrenches(of_heavy())
    same = [rigid.joint_names.index(joint) for joint in ARM.joint_names]
    expected = either(WHEN, rigid.torque[:, same], ARM.static_wrenches(MOTION).torque)
    assert np.abs(ARM.static_wrenches(LOADED).torque - expected).max() < 1e-12


def test_loads_are_causes_by_their_names():
    two = MOTION.with_loads([lp.Carried(2.0, from_=0.3, name="box"),
                             lp.Carried(1.0, to=0.5, name="ball", center_of_mass=(0.1, 0, 0))])
    with_others = ARM.load_breakdown(two, external=OTHERS)
    assert with_others.causes("joint1")[-4:] == ["external link1", "external tip", "carried box", "carried ball"]
    wrench = ARM.joint_wrenches(two, external=OTHERS)
    assert np.abs(with_others.totals()[..., 3:] - wrench.torque).max() < 1e-12
    for name in ("box", "ball"):
        only = MOTION.with_loads([load for load in two.loads if load.name == name])
        alone = ARM.joint_wrenches(only).torque - ARM.joint_wrenches(MOTION).torque
        assert np.abs(with_others.carried["joint1", name].torque - alone[:, 0]).max() < 1e-12
    plain = ARM.load_breakdown(MOTION, external=OTHERS)
    assert np.abs(with_others.external["joint1", "tip"].torque - plain.external["joint1", "tip"].torque).max() < 1e-12
    with pytest.raises(ValueError, match="no carried load 'bag'; there are box, ball"):
        with_others.carried["joint1", "bag"]
    by_link = ARM.load_breakdown(two, by_link=True).by_carrier("joint1")
    assert np.abs(sum(w.torque for w in by_link.values()) - ARM.joint_wrenches(two).torque[:, 0]).max() < 1e-12


def test_hand_calculation():
    """Level and at rest at the first sample: 2.5 kg at 2 m + 0.05 m from joint 1, 1 kg rods."""
    loaded = MOTION.with_loads([lp.Carried(2.5, center_of_mass=(0.05, 0, 0))])
    assert ARM.inverse_dynamics(loaded)[0] == pytest.approx([9.81 * (0.5 + 1.5 + 2.5 * 2.05),
                                                             9.81 * (0.5 + 2.5 * 1.05)])


def test_a_closed_chain_carries():
    bar = lp.catalog.four_bar()
    motion = lp.Motion.swing(bar, samples=21)
    loaded, when = carrying(motion, "coupler")
    heavy = bar.with_payload(MASS, CENTER, inertia=TENSOR, link="coupler")
    states = motion.q, motion.qd, motion.qdd
    drive = [robot.inverse_dynamics.uncompiled(*states, **more)
             for robot, more in ((bar, wrenches(bar, loaded, {})), (heavy, {}), (bar, {}))]
    assert np.abs(drive[0] - either(when, drive[1], drive[2])).max() < 1e-11
    loads = bar.load_breakdown(loaded, compiled=False)
    assert "carried box" in loads.causes("rocker_pin")
    assert np.abs(sum(loads.drive(bar.dof_names[0]).values()) - drive[0][:, 0]).max() < 1e-11


def test_the_largest_payload_beside_a_load():
    whole = MOTION.with_loads([lp.Carried(MASS, center_of_mass=CENTER, inertia=TENSOR)])
    limits = {"joint1": 200.0}
    assert ARM.max_payload(whole, limits).mass == pytest.approx(HEAVY.max_payload(of_heavy(), limits, link="tip").mass)


@pytest.mark.parametrize("call, more", [
    ("mass_matrix", ()), ("gravity_forces", ()), ("kinetic_energy", ()), ("forward_dynamics", (np.zeros(2),)),
    ("inverse_dynamics_derivatives", ()), ("regressor", ()), ("center_of_mass", ()),
])
def test_what_cannot_count_them_refuses(call, more):
    with pytest.raises(ValueError, match=f"{call} .*the motion carries 'box'.*with_payload"):
        getattr(ARM, call)(LOADED, *more)


def test_identification_refuses_them():
    with pytest.raises(ValueError, match=r"excitation .*the motion carries 'box'"):
        lp.excitation(ARM, LOADED)
    with pytest.raises(ValueError, match=r"identify .*the motion carries 'box'"):
        lp.identify(ARM, LOADED, np.zeros((len(LOADED), 2)))


def test_kinematics_needs_no_masses():
    assert np.array_equal(ARM.link_poses(LOADED), ARM.link_poses(MOTION))


def test_intervals():
    load = lp.Carried(1.0, from_=0.2, to=0.6)
    assert load.at([0.19, 0.2, 0.59, 0.6]).tolist() == [False, True, True, False]
    assert lp.Carried(1.0).at([0.0, 1e9]).all()
    with pytest.warns(lp.ModelWarning, match="carried load 'load': the motion, 0 to 0.8 s, has no sample"):
        MOTION.with_loads([lp.Carried(1.0, from_=0.41, to=0.42)])
    with pytest.warns(lp.ModelWarning, match="carried load 'load' has its center of mass 50 m away .* millimetres"):
        MOTION.with_loads([lp.Carried(1.0, center_of_mass=(0, 0, 50))])
    assert lp.Carried(2.0, to=1.5, name="bag").sentence == (
        "Carries bag, 2 kg on the end of the arm with its mass center at (0, 0, 0) m, from the beginning to 1.5 s.")


@pytest.mark.parametrize("given, message", [
    ({"mass": 0.0}, "mass is 0: expected more than zero"), ({"mass": -1.0}, "mass is -1"),
    ({"mass": "2kN"}, "mass of a Carried 'load' is '2kN', a force"),
    ({"mass": 1.0, "from_": 2.0, "to": 1.0}, "expected from_ < to"),
    ({"mass": 1.0, "from_": float("nan")}, "expected a finite number"), ({"mass": 1.0, "name": ""}, "name of a load"),
    ({"mass": 1.0, "center_of_mass": (1, 2)}, "center of mass has 2 numbers"),
    ({"mass": 1.0, "inertia": [1, 1, 1]}, "expected 3 x 3"), ({"mass": 1.0, "link": 3}, "expected the name of a link"),
])
def test_loads_that_are_none(given, message):
    with pytest.raises(lp.ModelError, match=message):
        lp.Carried(**given)


def test_loads_on_links_that_are_not_there():
    with pytest.raises(lp.ModelError, match=r"carried load 'box'.*no link 'hand'"):
        MOTION.with_loads([lp.Carried(1.0, link="hand", name="box")])
    body = lp.Inertia(1.0, (0.1, 0, 0))
    fork = lp.Robot(
        "fork",
        (lp.Link("base"), lp.Link("left", body), lp.Link("right", body)),
        (lp.Joint("a", "base", "left", lp.Revolute()), lp.Joint("b", "base", "right", lp.Revolute())),
    )
    with pytest.raises(lp.ModelError, match=r"carried load 'load': robot 'fork' has several ends, .*: name the link"):
        lp.Motion.swing(fork, samples=5).with_loads([lp.Carried(1.0)])
    for wrong in (lp.Carried(1.0), [1.0], [(1.0, 0, 1)]):
        with pytest.raises(ValueError, match="with_loads"):
            MOTION.with_loads(wrong)


def test_a_state_that_is_not_a_number_stays_alone():
    q = MOTION.q.copy()
    q[8] = np.nan
    broken = lp.Motion.from_checked(MOTION.t, q, MOTION.qd, MOTION.qdd, ARM).with_loads(LOADED.loads)
    found, sound = ARM.inverse_dynamics(broken), ARM.inverse_dynamics(LOADED)
    good = np.arange(len(q)) != 8
    assert np.isnan(found[8]).all() and np.array_equal(found[good], sound[good])


def test_a_motion_without_its_robot():
    bare = lp.Motion(MOTION.t, MOTION.q, MOTION.qd, MOTION.qdd).with_loads([lp.Carried(MASS, center_of_mass=CENTER)])
    assert bare.loads[0].link is None
    known = MOTION.with_loads([lp.Carried(MASS, center_of_mass=CENTER)])
    assert np.array_equal(ARM.inverse_dynamics(bare), ARM.inverse_dynamics(known))
