"""Bases on tyres: heave, pitch and roll by hand, frequencies by the free rover's mass matrix, loads by stiffness."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.linalg import eigh

import loadpath as lp
from loadpath.mobile.tyres import base_compliance

K = 2e5
G = 9.81


def base(**wheel: float) -> lp.WheeledBase:
    return lp.WheeledBase(
        mass=40,
        center_of_mass=(0.05, 0.02, 0.3),
        inertia=np.diag([1.0, 2.0, 3.0]),
        wheels=[lp.FixedWheel((x, y), 0.1, **wheel) for x in (-0.5, 0.5) for y in (-0.3, 0.3)],
        friction=lp.WheelFriction(0.8),
    )


def boom() -> lp.FlexibleRobot:
    rod = lp.Beam(lp.Rod(0.02), lp.STEEL, end="tip_joint")
    return lp.catalog.planar(1).with_payload(5.0).with_beams({"link1": rod}, inertia_from_beams=True)


def test_heave_pitch_and_roll_by_hand() -> None:
    cart = base(stiffness=K).carrying()
    bent = cart.deflection()["rover"]
    weight = 40 * G
    assert bent.displacement == pytest.approx([0.0, 0.0, -weight / (4 * K)], abs=1e-15)
    assert bent.rotation == pytest.approx([-weight * 0.02 / (4 * K * 0.3**2), weight * 0.05 / (4 * K * 0.5**2), 0.0])
    braking = cart.deflection(acceleration=(-2.0, 0.0))["rover"]  # the nose goes down: by a moment m a h
    assert braking.rotation[1] - bent.rotation[1] == pytest.approx(40 * 2.0 * 0.3 / (4 * K * 0.5**2))
    assert cart.deflection().link_names == ("ground", "rover")


def test_the_sag_of_a_tip_by_hand() -> None:
    arm = boom()
    rover = base(stiffness=K).carrying(arm, at=(0.3, 0.0, 0.4))
    own = base().carrying(arm, at=(0.3, 0.0, 0.4)).deflection([0.0]).tip
    m = arm.link("link1").inertia.mass
    force, moment = (40 + 5 + m) * G, (40 * 0.05 + 5 * 1.3 + m * 0.8) * G
    pitch = moment / (4 * K * 0.5**2)
    tip = rover.deflection([0.0]).tip
    assert tip.rotation[1] == pytest.approx(own.rotation[1] + pitch, rel=1e-12)
    assert tip.displacement[2] == pytest.approx(own.displacement[2] - force / (4 * K) - 1.3 * pitch, rel=1e-12)
    assert tip.displacement[0] == pytest.approx(0.4 * pitch, rel=1e-9)


@pytest.mark.parametrize("grip", [None, 5e4])
def test_frequencies_of_a_rigid_rover_by_its_free_mass_matrix(grip: float | None) -> None:
    rigid = lp.catalog.planar(2, mass=3.0)
    soft = {} if grip is None else {"grip_stiffness": grip}
    rover = base(stiffness=K, **soft).carrying(rigid, at=(0.3, 0.1, 0.4))
    q = [0.4, 0.7]
    free = rover.robot.locked(dict(zip(rigid.dof_names, q, strict=True))).floating()
    at = np.array([0.0, 0, 0, 0, 0, 0, 1])
    M = free.mass_matrix(at)  # linear first, at the base frame's origin
    spots = np.array([(x, y) for x in (-0.5, 0.5) for y in (-0.3, 0.3)])
    stiffness = np.zeros((6, 6))
    for x, y in spots:
        rows = [(K, (0, 0, 1, y, -x, 0)), (grip or 0, (1, 0, 0, 0, 0, -y)), (grip or 0, (0, 1, 0, 0, 0, x))]
        for k, row in rows:
            stiffness += k * np.outer(row, row)
    kept = [2, 3, 4] if grip is None else list(range(6))
    values = eigh(stiffness[np.ix_(kept, kept)], M[np.ix_(kept, kept)], eigvals_only=True)
    found = rover.natural_frequencies(q, count=len(kept), loaded=False).frequencies
    assert found == pytest.approx(np.sqrt(values) / (2 * np.pi), rel=1e-9)


def cart_with_a_tower(stiffness: float, height: float) -> lp.Rover:
    wheels = [lp.FixedWheel((x, y), 0.1, stiffness=stiffness) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    cart = lp.WheeledBase(mass=100, center_of_mass=(0, 0, height), inertia=np.diag([5.0, 5.0, 5.0]), wheels=wheels)
    return cart.carrying()


def test_a_tower_on_soft_tyres_buckles_by_hand() -> None:
    """A rigid body on springs falls over sideways by itself where m g h is more than they hold, k_phi."""
    k_phi = 4 * 2e4 * 0.3**2
    height = 0.6 * k_phi / (100 * G)
    rover = cart_with_a_tower(2e4, height)
    found = rover.buckling()
    assert found.factor == pytest.approx(1 / 0.6, rel=1e-9)
    assert found.link == "tyres"
    inertia = 5.0 + 100 * height**2
    rolls = np.sqrt((k_phi - 100 * G * height) / inertia) / (2 * np.pi)
    assert rover.natural_frequencies(count=1).frequencies[0] == pytest.approx(rolls, rel=1e-9)
    assert rover.natural_frequencies(count=1, loaded=False).frequencies[0] == pytest.approx(rolls / np.sqrt(0.4))
    on_slope = rover.on(lp.Ground(slope=0.05)).buckling(heading=1.0)  # less weight across the ground
    assert on_slope.factor == pytest.approx(1 / (0.6 * np.cos(0.05)), rel=5e-3)
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        assert not cart_with_a_tower(2e4, 2 * height).buckling().stable


def test_a_base_that_begins_to_brake_pitches_as_an_oscillator() -> None:
    """A rigid cart on tyres, its weight on top: m a h rises over 0.1 s and stays; by Duhamel's integral. The base has
    sunk in by 5 mm, which takes as much from the lever of 2 m: the ground has not sunk.
    """
    wheels = [lp.FixedWheel((x, y), 0.1, stiffness=5e4) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    cart = lp.WheeledBase(mass=100, center_of_mass=(0, 0, 2.0), inertia=np.diag([5.0, 5.0, 5.0]), wheels=wheels)
    rover = cart.carrying(lp.catalog.planar(1, mass=1e-6), at=(0, 0, 0.1))
    stay = lp.Motion(np.linspace(0, 0.6, 121), *np.zeros((3, 121, 1)), robot=rover.robot)
    rise = np.clip(stay.t / 0.1, 0.0, 1.0)
    braking = rover.respond(stay, damping=0.0, acceleration=(-0.5 * rise, 0.0), after=0.0)
    k_pitch, inertia = 4 * 5e4 * 0.5**2 - 100 * G * 2.0, 5.0 + 100 * 2.0**2
    lever = 2.0 - 100 * G / (4 * 5e4)
    t, angle, omega = braking.times, 100 * 0.5 * lever / k_pitch, np.sqrt(k_pitch / inertia)
    late = np.maximum(t - 0.1, 0.0)
    exact = angle / 0.1 * (t - np.sin(omega * t) / omega - late + np.sin(omega * late) / omega)
    assert braking.rotation["rover"][:, 1] == pytest.approx(exact, abs=1e-4 * angle)
    assert exact.max() > 1.2 * angle
    already = rover.respond(stay, damping=0.0, acceleration=(-0.5, 0.0), after=0.0)  # as before the motion began
    assert already.rotation["rover"][:, 1] == pytest.approx(angle, rel=1e-4)
    hill = rover.on(lp.Ground(slope=0.02)).respond(stay, damping=0.0, after=0.0)  # weight does not set in
    leaning = 100 * G * np.sin(0.02) * lever / (4 * 5e4 * 0.5**2 - 100 * G * np.cos(0.02) * 2.0)
    assert hill.rotation["rover"][:, 1] == pytest.approx(-leaning, rel=1e-4)


def test_tyres_lower_the_frequencies_of_an_arm_and_stiff_ones_do_not() -> None:
    arm = boom()
    firm = base().carrying(arm, at=(0.3, 0.0, 0.4)).natural_frequencies([0.2], count=3).frequencies
    found = [base(stiffness=k).carrying(arm, at=(0.3, 0.0, 0.4)).natural_frequencies([0.2], count=3).frequencies
             for k in (K, 1e12)]
    assert found[0][0] < 0.95 * firm[0]
    assert found[1] == pytest.approx(firm, rel=1e-6)


def test_stiffness_shares_the_weight_as_compliance_does() -> None:
    spots = [(x, y) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    values = (1e5, 3e5, 2e5, 4e5)
    made = []
    for part, each in (("stiffness", values), ("compliance", [1 / k for k in values])):
        wheels = [lp.FixedWheel(at, 0.1, **{part: k}) for at, k in zip(spots, each, strict=True)]
        made.append(lp.WheeledBase(mass=40, center_of_mass=(0.05, 0.02, 0.3), wheels=wheels).carrying())
    loads = [rover.wheel_loads(acceleration=(1.0, 0.0)).normal for rover in made]
    assert loads[0] == pytest.approx(loads[1], rel=1e-12)
    # The tyres are pressed in by what they carry.
    bent = made[0].deflection(acceleration=(1.0, 0.0))["rover"]
    sunk = [-(bent.displacement[2] + y * bent.rotation[0] - x * bent.rotation[1]) for x, y in spots]
    assert np.array(values) * sunk == pytest.approx(loads[0], rel=1e-12)


def test_a_high_mass_on_tyres_leans_further() -> None:
    """The load moves outwards by h times the tilt, first order: m g h phi over the track."""
    cart = lp.WheeledBase(mass=100, center_of_mass=(0.0, 0.05, 1.0), wheels=[
        lp.FixedWheel((x, y), 0.1, stiffness=K) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]).carrying()
    tilt = 100 * G * 0.05 / (4 * K * 0.3**2)
    change = cart.wheel_loads(deflected=True).normal - cart.wheel_loads().normal
    sunk = 100 * G / (4 * K)
    assert change[1] + change[3] == pytest.approx(100 * G * 1.0 * tilt / 0.6, rel=2 * sunk)
    margins = [float(cart.stability(deflected=d).margin) for d in (False, True)]
    assert margins[0] - margins[1] == pytest.approx(1.0 * tilt, rel=2 * sunk)


def test_without_beams_the_wheels_are_rigid_and_share_as_before() -> None:
    rover = base(stiffness=K).carrying(boom(), at=(0.3, 0.0, 0.4))
    with pytest.raises(lp.ModelError, match=r"without_beams\(\).simulate"):
        rover.simulate([0.1])
    with pytest.raises(lp.ModelError, match="its damping is not known"):
        base(stiffness=K).carrying(lp.catalog.planar(1), at=(0.3, 0.0, 0.4)).simulate([0.1])
    rigid = rover.without_beams()
    assert not rigid.base.on_tyres
    assert rigid.wheel_loads([0.1]).normal == pytest.approx(rover.wheel_loads([0.1]).normal)
    assert pickle.loads(pickle.dumps(rover)) == rover
    copy = pickle.loads(pickle.dumps(rover))
    assert np.array_equal(copy.deflection([0.1]).displacement, rover.deflection([0.1]).displacement)


def test_trailing_casters_at_other_angles_from_state_to_state_are_refused() -> None:
    casters = [lp.CasterWheel((0.5, y), 0.05, trail=0.04, stiffness=K) for y in (-0.3, 0.3)]
    fixed = [lp.FixedWheel((-0.5, y), 0.1, stiffness=K) for y in (-0.3, 0.3)]
    cart = lp.WheeledBase(mass=40, center_of_mass=(0.0, 0, 0.3), wheels=[*fixed, *casters]).carrying()
    back = cart.deflection(velocity=(-1.0, 0.0))["rover"]
    x = np.array([-0.5, -0.5, 0.54, 0.54])  # the casters point backwards: their contacts lie ahead
    stiffness = K * np.array([[4, -x.sum()], [-x.sum(), (x * x).sum()]])
    sunk = np.linalg.solve(stiffness, [-40 * G, 0.0])
    assert [back.displacement[2], back.rotation[1]] == pytest.approx(sunk)
    both = np.array([[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(lp.ModelError, match="at other angles from state to state"):
        cart.deflection(velocity=both)
    assert cart.deflection(velocity=both, steering=[0.0, 0.0]).displacement.shape == (2, 2, 3)


def test_a_wheel_that_lifts_is_warned_of() -> None:
    rover = base(stiffness=K).carrying(lp.catalog.planar(1, mass=1.0).with_payload(60.0), at=(0.3, 0.0, 0.4))
    with pytest.warns(lp.ModelWarning, match="lifts; its tyre is counted as if it pulled: the base gives way further"):
        rover.deflection([0.0])


@pytest.mark.parametrize(
    ("wheel", "message"),
    [
        ({"stiffness": 0.0}, "stiffness of a fixed wheel is 0.0: expected more than zero"),
        ({"stiffness": np.inf}, "stiffness of a fixed wheel is inf"),
        ({"stiffness": K, "compliance": 2.0}, "has a stiffness of 200000 N/m and a compliance of 2: give one of them"),
        ({"grip_stiffness": -1.0}, "grip_stiffness of a fixed wheel is -1.0"),
    ],
)
def test_stiffnesses_that_cannot_be(wheel: dict, message: str) -> None:
    with pytest.raises(lp.ModelError, match=message.replace("(", r"\(")):
        lp.FixedWheel((0.0, 0.3), 0.1, **wheel)


def test_some_wheels_with_a_stiffness_are_refused() -> None:
    wheels = [lp.FixedWheel((x, y), 0.1, stiffness=K if x > 0 else None) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    with pytest.raises(lp.ModelError, match="'wheel3' has a stiffness, 'wheel1' has none"):
        lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.3), wheels=wheels)


def test_a_stiffness_in_other_units_is_asked_about() -> None:
    with pytest.warns(lp.ModelWarning, match="is their stiffness in N/mm?"):
        base(stiffness=200.0)


def test_a_base_that_rolls_away_on_its_grip_is_refused() -> None:
    rover = base(stiffness=K, grip_stiffness=1e5, driven=False).carrying()
    with pytest.raises(lp.ModelError, match=r"in all directions but \(v_x, v_y, w\) = \(1, 0, 0\): it rolls away"):
        rover.deflection()
    held = base(stiffness=K, grip_stiffness=1e5).carrying()
    C = base_compliance(held)
    turning = 1e5 * 4 * (0.5**2 + 0.3**2)
    assert 1 / C.diagonal()[[0, 1, 5]] == pytest.approx([4e5, 4e5, turning])


@pytest.mark.parametrize(
    ("wheel", "message"),
    [
        ({"damping": 5.0}, "has a damping of 5 N s/m and no stiffness: a rigid contact has none"),
        ({"stiffness": K, "damping": -1.0}, "damping of a fixed wheel is -1.0: expected zero or more"),
        ({"restitution": 1.5}, "restitution of a fixed wheel is 1.5: expected 0"),
        ({"stiffness": K, "restitution": 0.5}, "on its spring it rebounds by itself"),
    ],
)
def test_dampings_and_restitutions_that_cannot_be(wheel: dict, message: str) -> None:
    with pytest.raises(lp.ModelError, match=message):
        lp.FixedWheel((0.0, 0.3), 0.1, **wheel)


def test_the_damping_of_a_tyre_goes_with_its_stiffness() -> None:
    soft = lp.FixedWheel((0.0, 0.3), 0.1, stiffness=K, damping=300.0)
    wheels = [soft, *(lp.FixedWheel(at, 0.1, stiffness=K, damping=0.0) for at in ((0, -0.3), (0.5, 0.0)))]
    cart = lp.WheeledBase(mass=40, center_of_mass=(0.1, 0, 0.3), wheels=wheels)
    assert [wheel.damping for wheel in cart.rigid.wheels] == [None] * 3


def test_body_points_lie_above_the_ground() -> None:
    wheels = [lp.Support(at) for at in ((0, -0.3), (0, 0.3), (0.5, 0.0))]
    base = lp.WheeledBase(mass=40, center_of_mass=(0.1, 0, 0.3), wheels=wheels, body_points=[[0.5, 0, 1]])
    assert base.body_points == ((0.5, 0.0, 1.0),)
    with pytest.raises(lp.ModelError, match=r"body point 1 of base 'rover' is .* expected one above the ground"):
        lp.WheeledBase(mass=40, center_of_mass=(0.1, 0, 0.3), wheels=wheels, body_points=[[0.5, 0, 0]])
