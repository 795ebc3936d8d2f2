"""Robots with loops and bases on tracks as free bodies: a coupling against the joint that mimics, linkages by what they
keep, tracks in space against tracks on the plane and by hand.
"""

import numpy as np
import pytest

import loadpath as lp
from tests.mobile.carts import G

FRICTION = lp.WheelFriction(0.6, static=0.7, rolling=0.01)
RAMP = lp.Ground(surface=lp.Ramp(at=0.45, slope=0.2))


def cart(robot, ground=None, height=0.25, **wheel):
    wheels = [lp.FixedWheel((x, y), 0.1, **wheel) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    return lp.WheeledBase(mass=60, center_of_mass=(0, 0, height), inertia=np.diag([2.0, 3, 4]), wheels=wheels,
                          friction=FRICTION).carrying(robot, at=(0.1, 0, 0.4), ground=ground)


def arm(tie):
    """Two joints, the second of which turns by -1.5 times the first; both rub."""
    links = [lp.Link("foot"), lp.Link("a", lp.Inertia(2, (0.2, 0, 0), 0.1 * np.eye(3))),
             lp.Link("b", lp.Inertia(1.5, (0.1, 0.02, 0.1), 0.05 * np.eye(3)))]
    follows = {"mimic": lp.Mimic("j1", -1.5)} if tie == "mimic" else {}
    joints = [lp.Joint("j1", "foot", "a", lp.Revolute((0, 1, 0)), coulomb_friction=1.0),
              lp.Joint("j2", "a", "b", lp.Revolute((1, 0, 0)), (0.4, 0, 0), coulomb_friction=0.5, **follows)]
    robot = lp.Robot("arm", links, joints)
    return robot if tie == "mimic" else robot.with_coupling({"j2": 1.0, "j1": 1.5})


@pytest.mark.parametrize(("ground", "height", "wheel", "options"), [
    pytest.param(None, 0.25, {"stiffness": 3e4, "damping": 100.0}, {}, id="on tyres"),
    pytest.param(RAMP, 0.25, {}, {"velocity": (0.8, 0.0)}, id="onto a ramp", marks=pytest.mark.slow),
    pytest.param(None, 0.8, {}, {"velocity": (1.0, 0.0), "wheel_rates": True, "rtol": 1e-11}, id="rocking",
                 marks=pytest.mark.slow),
])
def test_a_coupling_on_a_free_base_is_a_joint_that_mimics(ground, height, wheel, options):
    robots = [cart(arm(tie), ground, height, **wheel) for tie in ("mimic", "coupling")]
    options = dict(options)
    if options.pop("wheel_rates", False):
        options["wheel_rates"] = dict.fromkeys(robots[0].contact_names, 0.0)
    states = ([-0.5], [8.0]), ([-0.5, 0.75], [8.0, -12.0])
    one, other = (rover.simulate(*state, duration=0.1, sample_rate=50, **options)
                  for rover, state in zip(robots, states, strict=True))
    most = 2e-7 if "rtol" in options else 1e-9  # what it slides on its edge before it sticks is less exact
    assert np.allclose(other.position, one.position, rtol=0, atol=most)
    assert np.allclose(other.q[:, 0], one.q[:, 0], rtol=0, atol=most)
    assert np.allclose(other.normal, one.normal, rtol=0, atol=1e-4)
    assert [event.kind for event in other.events] == [event.kind for event in one.events]
    assert other.closure.max() < 1e-12
    assert np.allclose(robots[1].wheel_loads(other).force.sum(axis=-2), robots[1].ground_wrench(other).force, atol=1e-7)


def test_a_linkage_rocks_with_its_base():
    """Energy, closure, and the moment of the ground by Newton and Euler."""
    robot = lp.catalog.four_bar()
    qd = robot.complete(robot.home, [2.0]).qd
    rover = cart(robot, height=0.9)
    run = rover.simulate(robot.home, qd, velocity=(1.2, 0.0), wheel_rates=dict.fromkeys(rover.contact_names, 0.0),
                         duration=0.2, sample_rate=50)
    assert run.of_kind("rocks")
    assert run.pitch.max() > 0.02
    assert run.closure.max() < 1e-12
    assert run.energy_drift < 1e-8
    assert np.allclose(rover.wheel_loads(run).force.sum(axis=-2), rover.ground_wrench(run).force, atol=1e-6)
    assert not rover.verdict(run).holds


def bogies(tie, ground=None):
    """Six wheels on two rockers with bogies and a differential: a mimic, or a coupling."""
    links, joints, wheels = [lp.Link("frame")], [], []
    body = lp.Inertia(1.0, (0, 0, 0), 0.01 * np.eye(3))
    for side, name in ((1, "left"), (-1, "right")):
        links += [lp.Link(f"{name} rocker", body), lp.Link(f"{name} bogie", body)]
        follows = {"mimic": lp.Mimic("left pivot", -1.0)} if tie == "mimic" and side < 0 else {}
        joints += [lp.Joint(f"{name} pivot", "frame", f"{name} rocker", lp.Revolute((0, 1, 0)), (0, 0.5 * side, 0.5),
                            **follows),
                   lp.Joint(f"{name} bogie pivot", f"{name} rocker", f"{name} bogie", lp.Revolute((0, 1, 0)),
                            (-0.4, 0, -0.2))]
        wheels += [lp.FixedWheel((x, 0), 0.1, name=f"{name} {which}", link=f"{name} {link}")
                   for which, x, link in (("front", 0.5, "rocker"), ("middle", 0.3, "bogie"), ("rear", -0.2, "bogie"))]
    robot = lp.Robot("legs", links, joints)
    if tie != "mimic":
        robot = robot.with_coupling({"left pivot": 1.0, "right pivot": 1.0})
    return lp.WheeledBase(mass=40, center_of_mass=(0, 0, 0.6), inertia=2 * np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.8)).carrying(robot, ground=ground)


@pytest.mark.slow
def test_a_differential_as_a_coupling_climbs_a_kerb():
    ground = lp.Ground(surface=lp.Kerb(at=0.7, step=0.03))
    one, other = (bogies(tie, ground).simulate(np.zeros(n), velocity=(0.8, 0.0), duration=0.3, sample_rate=50)
                  for tie, n in (("mimic", 3), ("coupling", 4)))
    assert one.position[-1, 2] > 0.01
    assert np.allclose(other.position, one.position, rtol=0, atol=1e-8)
    assert np.allclose(other.q[:, 0], -other.q[:, 2], rtol=0, atol=1e-10)
    assert np.allclose(other.q[:, [0, 1, 3]], one.q, rtol=0, atol=1e-8)
    assert other.energy_drift < 1e-6


def test_a_differential_as_a_coupling_accelerates():
    one, other = (bogies(tie).forward_dynamics(np.zeros(n), np.zeros(n), wheel_torques={"left front": 2.0})
                  for tie, n in (("mimic", 3), ("coupling", 4)))
    assert np.allclose(other.acceleration, one.acceleration, rtol=0, atol=1e-9)
    assert np.allclose(other.normal, one.normal, rtol=0, atol=1e-7)
    assert abs(one.acceleration[0] - 2.0 / 0.1 / 44.0) < 0.1


def test_what_loops_and_wheels_on_links_do_not_have():
    rover = bogies("coupling")
    still = lp.Motion(np.linspace(0, 0.1, 3), *np.zeros((3, 3, 4)))
    with pytest.raises(lp.ModelError, match="not known how passive joints follow"):
        rover.roll(still)
    with pytest.raises(lp.ModelError, match="forces alone"):
        rover.base_acceleration(np.zeros(4), np.zeros(4), np.zeros(4))


# Tracks


def crawler(ground=None, height=0.3, **track):
    tracks = [lp.Track((0, y), 0.15, length=1.2, spin_inertia=0.2, name=name, **track)
              for y, name in ((0.5, "left"), (-0.5, "right"))]
    return lp.WheeledBase(mass=300, center_of_mass=(0, 0, height), inertia=np.diag([20.0, 40, 50]), wheels=tracks,
                          friction=FRICTION).carrying(ground=ground)


FAR = lp.Ground(surface=lp.Ramp(at=50.0, slope=0.1))
"""A plane for all that happens here, on which bases are free bodies."""


@pytest.mark.parametrize("options", [
    pytest.param({"wheel_torques": {"left": 100.0, "right": -100.0}}, marks=pytest.mark.slow),
    {"velocity": (0.5, 0.0), "brakes": {"left": 20.0, "right": 10.0}},
    pytest.param({"wheel_rates": {"left": lambda t: 2 * t, "right": lambda t: -t}}, marks=pytest.mark.slow),
], ids=["scrubbing", "braking", "rates"])
def test_tracks_of_a_free_body_are_those_on_the_plane(options):
    plane, space = (crawler(ground).simulate(duration=0.1, sample_rate=50, **options) for ground in (None, FAR))
    for name, most in (("pose", 1e-9), ("velocity", 1e-7), ("wheel_rates", 1e-6), ("normal", 1e-3),
                       ("wheel_torques", 1e-3), ("brake_torques", 1e-9), ("wheel_work", 1e-6), ("rolling_heat", 1e-7)):
        assert np.allclose(getattr(space, name), getattr(plane, name), rtol=0, atol=most), name
    assert space.energy_drift < 1e-9


def test_a_crawler_drives_up_a_ramp():
    """M + 2 J / R^2 moved by both sprockets less gravity and rolling resistance, all pieces on the ramp."""
    slope, torque = 0.3, 120.0
    ramp = lp.Ground(surface=lp.Ramp(at=0.0, slope=slope))
    rover = crawler(ramp)
    run = rover.simulate(pose=(1.5, 0, 0), wheel_torques={"left": torque, "right": torque}, duration=0.1)
    angle = slope
    push = 2 * torque / 0.15 - 300 * G * (np.sin(angle) + 0.01 * np.cos(angle))
    assert abs(run.velocity[-1, 0] - 0.1 * push / (300 + 2 * 0.2 / 0.15**2)) < 1e-8
    assert np.allclose(run.wheel_rates[-1], run.velocity[-1, 0] / 0.15)
    assert abs(run.pitch[-1] + angle) < 1e-9


@pytest.mark.slow
def test_a_crawler_that_stops_dead_rocks_over_its_front_pieces():
    rover = crawler(height=1.5)
    run = rover.simulate(velocity=(1.5, 0.0), wheel_rates={"left": 0.0, "right": 0.0}, duration=0.2)
    assert run.of_kind("rocks")
    assert run.pitch.max() > 0.05
    assert run.energy_drift < 1e-8
    assert not rover.verdict(run).holds


def over_a_kerb(stiffness=1e5, **options):
    kerb = lp.Ground(surface=lp.Kerb(at=0.8, step=0.05))
    return crawler(kerb, count=5, stiffness=stiffness, damping=2000.0).simulate(
        velocity=(1.0, 0.0), duration=0.25, sample_rate=50, **options)


def test_a_crawler_on_springs_drives_over_a_kerb():
    """A piece slides slowly on the edge while others stick: it turns round no faster than friction lets it."""
    run = over_a_kerb()
    assert run.of_kind("sticks") and run.of_kind("lifts")
    assert run.energy_drift < 1e-6
    assert run.impact_heat[-1] < 1e-9 < run.damper_heat[-1]
    assert np.abs(run.position[:, 1]).max() < 1e-9  # both tracks alike
    slides = run.sliding & ~run.lifted
    pull = np.hypot(run.longitudinal, run.lateral)
    assert (pull[slides] <= 0.7 * run.normal[slides] + 1e-6 * 300 * G).all()


@pytest.mark.slow
def test_a_crawler_on_springs_goes_the_same_way_in_finer_steps():
    coarse, fine = over_a_kerb(), over_a_kerb(rtol=1e-10, max_step=1e-3)
    assert np.allclose(coarse.position, fine.position, rtol=0, atol=2e-5)


def test_a_crawler_that_is_too_soft_for_a_kerb():
    with pytest.raises(lp.IntegrationError, match=r"more than half of its radius.*a larger stiffness"):
        over_a_kerb(stiffness=2e4)
