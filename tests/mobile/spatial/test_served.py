"""What is asked of a simulation in which the base was a free body: loads, verdict, report, viewer, plots."""

import math
import warnings

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.base_in_space import BaseInSpace
from loadpath.mobile.off_the_plane import OffThePlane

POINTS = [(x, y) for x in (0.35, -0.35) for y in (0.3, -0.3)]


def cart(arm=True, **wheel):
    wheels = [lp.FixedWheel(at, 0.1, **wheel) for at in POINTS]
    base = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.diag([9.3, 9.3, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.5), body_points=[(0.4, 0, 1.2), (-0.4, 0, 1.2)])
    return base.carrying(lp.catalog.two_link(), at=(0.0, 0.0, 1.0)) if arm else base.carrying()


def run(rover, speed, duration, **more):
    held = dict.fromkeys(rover.contact_names, 0.0)
    moves = {"torque": lambda t, q, qd: -5.0 * qd} if rover.n else {}
    start = ([0.3, 0.4], [1.0, 0.0]) if rover.n else ()
    return rover.simulate(*start, velocity=(speed, 0.0), wheel_rates=held, duration=duration, **moves, **more)


@pytest.fixture(scope="module")
def rocked():
    rover = cart()
    return rover, run(rover, 0.6, 0.3)


@pytest.fixture(scope="module")
def fallen():
    rover = cart()
    return rover, run(rover, 2.6, 1.0)


@pytest.fixture(scope="module")
def sprung():
    rover = cart(stiffness=4e4, damping=400.0)
    return rover, run(rover, 0.1, 0.2)


@pytest.mark.parametrize("which", ["rocked", "fallen", "sprung"])
def test_the_forces_of_the_ground_are_those_that_the_motion_takes(which, request):
    """Sum of the contact forces = m (a - g), and the moments, by the Newton-Euler recursion from the motion alone."""
    rover, simulation = request.getfixturevalue(which)
    free = simulation.base_state["in_space"]
    row = BaseInSpace(free.gravity, free.velocity, free.acceleration).row
    still = np.zeros((len(simulation.t), 3))
    force, moment = rover.compiled_ground_wrench(simulation.q, simulation.qd, simulation.qdd, velocity=still,
                                                 acceleration=still, in_space=row)
    found = rover.ground_wrench(simulation)
    np.testing.assert_allclose(found.force, force, atol=1e-9)
    np.testing.assert_allclose(found.torque, moment, atol=1e-9)
    loads = rover.wheel_loads(simulation)
    on_wheels = simulation.body_forces.sum(axis=1) == 0
    np.testing.assert_allclose(loads.force.sum(axis=1)[on_wheels], force[on_wheels], atol=1e-9)
    np.testing.assert_array_equal(loads.normal, simulation.normal)


def test_on_a_surface_the_forces_are_those_of_the_run():
    rover = cart(arm=False, stiffness=4e4, damping=400.0).on(lp.Ground(surface=lp.Kerb(at=0.5, step=0.01)))
    simulation = rover.simulate(duration=0.02)
    force = rover.wheel_loads(simulation).force.sum(axis=1)
    np.testing.assert_allclose(rover.ground_wrench(simulation).force, force, atol=1e-9)
    np.testing.assert_allclose(force[:, 2], 30 * 9.81, rtol=1e-6)


def test_joint_loads_are_those_of_the_same_robot_on_a_free_joint(rocked):
    """Joints of the arm, by a robot with a free root joint whose motion is the base's: another model."""
    rover, simulation = rocked
    floating = rover.robot.floating()
    free = simulation.base_state["in_space"]
    n = rover.n
    q = np.concatenate([simulation.position, simulation.quaternion, simulation.q], axis=1)
    # Speeds of a free joint: linear and angular, in the axes of the moving frame; rates of these numbers.
    v, w, a = free.velocity[:, :3], free.velocity[:, 3:], free.acceleration
    qd = np.concatenate([v, w, simulation.qd], axis=1)
    qdd = np.concatenate([a[:, :3] - np.cross(w, v), a[:, 3:], simulation.qdd], axis=1)
    other = floating.joint_wrenches(q, qd, qdd)
    own = rover.joint_wrenches(simulation)
    np.testing.assert_allclose(own.force, other.force[:, -own.force.shape[1]:], atol=1e-8)
    np.testing.assert_allclose(own.torque, other.torque[:, -own.torque.shape[1]:], atol=1e-8)
    np.testing.assert_allclose(rover.inverse_dynamics(simulation), simulation.tau, atol=1e-8)
    np.testing.assert_allclose(floating.inverse_dynamics(q, qd, qdd)[:, -n:], simulation.tau, atol=1e-8)


def test_what_rocks_does_not_hold_and_is_far_from_falling(rocked):
    rover, simulation = rocked
    verdict = rover.verdict(simulation)
    tipping, falling = verdict["rover", "tipping over"], verdict["rover", "falling over"]
    assert not verdict.holds and math.isinf(tipping.utilisation)
    assert "turns over the edge" in tipping.note and "N s (restitution 0)" in tipping.note
    assert falling.holds
    # The mass center is over the front edge when the cart has turned by atan(reach / height) from flat.
    pitch = float(np.degrees(simulation.pitch.max()))
    center = rover.mass_center(simulation.q[simulation.pitch.argmax()])
    assert falling.demand == pytest.approx(pitch, rel=1e-6)
    assert falling.capacity == pytest.approx(np.degrees(np.arctan2(0.35 - center[0], center[2])), rel=2e-2)
    impacts = [event.impulse for event in simulation.of_kind("impacts")]
    assert OffThePlane(rover, simulation).hardest.impulse == max(impacts) > 0


def test_the_impulses_of_an_impact_are_the_change_of_momentum():
    """A cart alone that lands on all four: their sum along the vertical is the momentum that stops."""
    rover = cart(arm=False, stiffness=None)
    simulation = run(rover, 0.6, 0.32)
    hits = simulation.of_kind("impacts")
    first = hits[0].time
    total = sum(event.impulse for event in hits if event.time == first)
    k = int(np.searchsorted(simulation.times, first))
    before, after = simulation.base_velocity[k - 1], simulation.base_velocity[k]
    z = [v[2] + np.cross(v[3:], (0, 0, 0.9))[2] for v in (before, after)]
    # Gravity and the forces of the other wheels act over the step between the two samples.
    step = simulation.times[k] - simulation.times[k - 1]
    assert 30 * (z[1] - z[0]) == pytest.approx(total, abs=1.2 * 30 * 9.81 * step)


def test_what_falls_is_said_to_fall(fallen):
    rover, simulation = fallen
    assert simulation.tipped
    verdict = rover.verdict(simulation)
    assert math.isinf(verdict["rover", "falling over"].utilisation) and not verdict.holds
    assert "falls over at" in verdict["rover", "tipping over"].note
    assert rover.stability(simulation).tips_over[1:].any()


def test_springs_that_keep_all_wheels_on_the_ground_hold(sprung):
    rover, simulation = sprung
    verdict = rover.verdict(simulation)
    assert OffThePlane(rover, simulation).leaves is None
    row = verdict["rover", "tipping over"]
    assert row.utilisation == pytest.approx(1 - simulation.margin.min() / 0.3, rel=1e-9) and row.holds
    np.testing.assert_allclose(rover.stability(simulation).margin, simulation.margin, rtol=1e-12)


def test_what_if_is_refused_and_so_is_another_motion(rocked, sprung):
    rover, simulation = rocked
    with pytest.raises(ValueError, match="the base moves in space"):
        sprung[0].posture(sprung[1])
    with pytest.raises(ValueError, match="'in_space' is 3"):
        rover.wheel_loads([0, 0], in_space=3)
    verdict = rover.verdict(simulation)
    with pytest.raises(ValueError, match="simulate with the payload"):
        verdict.sensitivity()
    with pytest.raises(ValueError, match="'velocity' is given"):
        rover.wheel_loads(simulation, velocity=(1.0, 0.0))
    with pytest.raises(ValueError, match="'heading' is given"):
        rover.joint_wrenches(simulation, heading=0.2)
    for ask in (rover.base_acceleration, rover.largest_slope, rover.forward_dynamics):
        with pytest.raises(ValueError, match="the base moves in space"):
            ask(simulation)
    with pytest.raises(ValueError, match="the base moves in space"):
        rover.stability(simulation, deflected=True)
    with pytest.raises(ValueError, match="split is 'load'"):
        rover.wheel_loads(simulation, split="load")


def test_ratings_count_and_impacts_are_not_passed_over(rocked):
    rover, simulation = rocked
    rated = rover.with_parts({"wheel1": lp.WheelRating(load=1000.0, dynamic_load=1000.0, speed=3.0)})
    verdict = rated.verdict(simulation)
    assert verdict["wheel1", "load"].demand == pytest.approx(simulation.normal[:, 0].max())
    assert any(row.check == "impacts" for row in verdict.not_checked)


def test_the_report_has_it(fallen):
    rover, simulation = fallen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = rover.report(simulation, only=["verdict", "overview", "wheels", "in space"])
    section = report.sections[-1]
    assert section.title == "In space" and "falls over" in section.lead
    assert section.figures[0].value == "falls over"
    assert "falls over" in report.subtitle
    assert "Pitch and roll of the base" in report.html


def test_the_viewer_tilts_the_base(fallen):
    pytest.importorskip("viser")
    rover, simulation = fallen
    with rover.view(motion=simulation, open_browser=False) as viewer:
        k = len(simulation.times) // 2
        viewer.seek(float(simulation.times[k]))
        ground = next(one for one in viewer.stage.layers if type(one).__name__ == "GroundUnderRover")
        np.testing.assert_allclose(ground.root.position, simulation.position[k], atol=1e-6)
        x, y, z, w = simulation.quaternion[k]
        np.testing.assert_allclose(np.abs(ground.root.wxyz @ np.array([w, x, y, z])), 1.0, atol=1e-9)
        assert "falls over" in ground.summary.content


def test_plots(fallen, sprung):
    rover, simulation = fallen
    titles = [note.text for note in simulation.plot().layout.annotations]
    assert "Pitch and roll (deg)" in titles
    assert rover.stability(simulation).plot().data and rover.wheel_loads(simulation).plot(simulation.t).data
    assert sprung[1].plot().data
