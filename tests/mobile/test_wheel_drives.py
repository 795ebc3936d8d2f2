"""Drives and brakes of wheels with their limits: closed forms of carts, hand calculations of motors, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.rate_limits import RateLimited

R, MASS, ALL = 0.1, 50.0, ("rl", "rr", "fl", "fr")
PLACES = {"rl": (-0.3, 0.2), "rr": (-0.3, -0.2), "fl": (0.3, 0.2), "fr": (0.3, -0.2)}


def cart(drive: lp.WheelDrive | None = None, spin: float = 0.0, slope: float = 0.0, mu: float = 0.8) -> lp.Rover:
    wheels = [lp.FixedWheel(at, R, name=name, drive=drive, spin_inertia=spin) for name, at in PLACES.items()]
    return lp.WheeledBase(
        mass=MASS, center_of_mass=(0, 0, 0.1), inertia=np.diag([1.0, 2, 3]), wheels=wheels,
        friction=lp.WheelFriction(mu),
    ).carrying(ground=lp.Ground(slope=slope))


@pytest.mark.parametrize("spin", [0.0, 0.01])
def test_a_motor_line_leads_to_its_top_speed_exponentially(spin: float) -> None:
    """m' v' = F0 (1 - v/v0): v = v0 (1 - exp(-t/T)), T = m' v0/F0, with rotors and wheels as m' = m + 4 J/R^2."""
    drive = lp.WheelDrive(intermittent_curve=[(0, 0.25), (300, 0)], ratio=20, efficiency=0.9, rotor_inertia=2e-5)
    run = cart(drive, spin).simulate(wheel_torques=dict.fromkeys(ALL, 100.0), duration=1.0, sample_rate=20)
    effective = MASS + 4 * (spin + 20**2 * 2e-5) / R**2
    most, top = 4 * 20 * 0.9 * 0.25 / R, R * 300 / 20
    assert np.abs(run.velocity[:, 0] - top * (1 - np.exp(-run.times * most / (effective * top)))).max() < 1e-9
    assert run.drive_limited.all() and run.energy_drift < 1e-9


def test_peak_torque_then_power() -> None:
    """Constant force until F v = P, then v^2 grows linearly: a corner in between."""
    drive = lp.WheelDrive(peak_torque=0.2, power=15.0, ratio=20)
    run = cart(drive, 0.01).simulate(wheel_torques=dict.fromkeys(ALL, 100.0), duration=1.5, sample_rate=20)
    mass, force, power = MASS + 4 * 0.01 / R**2, 4 * 20 * 0.2 / R, 60.0
    corner = mass * power / force**2
    late = np.sqrt((power / force) ** 2 + 2 * power * np.maximum(run.times - corner, 0) / mass)
    expected = np.where(run.times < corner, force * run.times / mass, late)
    assert np.abs(run.velocity[:, 0] - expected).max() < 1e-6      # the corner is met by step control


def test_the_largest_speed_is_not_exceeded_by_driving() -> None:
    run = cart(lp.WheelDrive(peak_torque=0.3, max_speed=100.0, ratio=20), 0.01).simulate(
        wheel_torques=dict.fromkeys(ALL, 100.0), duration=1.0, sample_rate=20)
    assert 0.5 < run.velocity[-1, 0] < 0.5 * 1.02 + 1e-9


def test_a_brake_on_a_slope_slips_at_its_torque() -> None:
    slope, spin = 0.2, 0.02
    down, mass = MASS * 9.81 * np.sin(slope), MASS + 4 * spin / R**2
    held = cart(None, spin, slope).simulate(brakes=dict.fromkeys(ALL, down * R / 4 * 1.01), duration=0.3)
    assert np.abs(held.velocity).max() < 1e-9 and not held.events
    assert np.allclose(held.brake_torques, down * R / 4)
    slips = cart(None, spin, slope).simulate(brakes=dict.fromkeys(ALL, 2.0), duration=0.5)
    acceleration = (4 * 2.0 / R - down) / mass
    assert abs(slips.velocity[-1, 0] - 0.5 * acceleration) < 1e-9
    assert [event.kind for event in slips.events] == ["brake slips"] * 4
    assert abs(slips.brake_heat[-1] - 4 * 2.0 * abs(slips.pose[-1, 0]) / R) < 1e-9 and slips.energy_drift < 1e-9


def test_braking_from_a_given_time_and_locked_wheels() -> None:
    spin = 0.02
    drive = lp.WheelDrive(brake=0.4, ratio=20)
    run = cart(drive, spin).simulate(
        velocity=(1.0, 0.0), brakes={name: lambda t: 8.0 * (t > 0.3) for name in ("rl", "rr")}, duration=1.2,
        max_step=0.02)
    slows = 2 * 8.0 / R / (MASS + 4 * spin / R**2)
    assert abs(run.pose[-1, 0] - 0.3 - 1 / (2 * slows)) < 1e-8 and run.energy_drift < 1e-8
    same = cart(drive, spin).simulate(velocity=(1.0, 0.0), brakes=dict.fromkeys(("rl", "rr"), True), duration=1.0)
    assert abs(same.pose[-1, 0] - 1 / (2 * slows)) < 1e-9                       # 20 x 0.4 N m
    locked = cart(None, spin, mu=0.5).simulate(velocity=(1.0, 0.0), brakes=dict.fromkeys(ALL, 12.0), duration=0.5)
    assert np.abs(locked.wheel_rates[10:20]).max() < 1e-9 and locked.energy_drift < 1e-9
    # What stopped the wheels came from the ground: v^2/(2 mu g), less what is stored in the wheels.
    assert abs(locked.pose[-1, 0] - 1 / (2 * 0.5 * 9.81)) < 2e-3


def test_rotors_in_wheel_loads_and_at_the_shaft() -> None:
    """tau = R F/4 + N^2 J db/dt; the motor gives (tau - N^2 J db/dt)/(N e) + N J db/dt, braking times e."""
    drive = lp.WheelDrive(peak_torque=2.0, ratio=20, efficiency=(0.8, 0.7), rotor_inertia=1e-4, max_speed=400, power=50)
    rover = cart(drive, 0.01)
    loads = rover.wheel_loads([], velocity=[(0.5, 0.0), (-0.5, 0.0)], acceleration=(1.0, 0.0))
    change = 1.0 / R
    # The spin-up of wheels and rotors shifts load; it is shared evenly along.
    assert np.allclose(loads.drive_torque.sum(-1), MASS * R + 4 * (0.01 + 400 * 1e-4) * change)
    through = (loads.drive_torque - 400 * 1e-4 * change) / 20
    motors = loads.motors
    assert np.allclose(motors.torque[0], through[0] / 0.8 + 20 * 1e-4 * change)
    assert np.allclose(motors.torque[1], through[1] * 0.7 + 20 * 1e-4 * change)
    assert np.allclose(motors.speed, [[100.0] * 4, [-100.0] * 4])
    assert np.allclose(motors.torque_share, np.abs(motors.torque) / 0.5)          # 50 W at 100 rad/s
    assert np.allclose(motors.power_share, np.abs(motors.torque) * 100 / 50)
    # Angular momentum of wheel and rotor: (J + N J_r) db/dt each, taken by the ground about y.
    still, moving = (rover.ground_wrench([], velocity=(0.5, 0), acceleration=(a, 0)).torque[1] for a in (0.0, 1.0))
    assert np.isclose(moving - still, MASS * 0.1 * 1.0 + 4 * (0.01 + 20 * 1e-4) * change)


def test_a_rotor_on_a_steered_wheel_resists() -> None:
    drive = lp.WheelDrive(peak_torque=2.0, ratio=20, rotor_inertia=1e-4)
    wheels = [lp.SteeredWheel((0.5, 0.0), R, name="front", drive=drive),
              *(lp.FixedWheel((0, y), R, driven=False) for y in (0.3, -0.3))]
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0.2, 0, 0.1), inertia=np.eye(3), wheels=wheels,
                           friction=lp.WheelFriction(0.8)).carrying()
    run = rover.simulate(wheel_torques={"front": 5.0}, duration=0.2, sample_rate=20)
    assert np.isclose(run.velocity[-1, 0], 0.2 * 5.0 / R / (MASS + 400 * 1e-4 / R**2))
    assert np.isclose(rover.wheel_loads([], acceleration=(1.0, 0.0)).drive_torque[0], MASS * R + 400 * 1e-4 / R)


def test_verdict_rates_the_drives() -> None:
    drive = lp.WheelDrive(peak_torque=1.0, continuous_torque=0.5, max_speed=200, power=80, ratio=20, brake=0.3,
                          name="hub")
    rover = cart(drive)
    rows = {row.check: row for row in rover.verdict(velocity=(0.5, 0.0), acceleration=(2.0, 0.0)) if row.joint == "rl"}
    torque = MASS * 2.0 * R / 4 / 20
    assert np.isclose(rows["motor torque"].utilisation, torque / 0.8)             # 80 W at 100 rad/s
    assert np.isclose(rows["motor speed"].utilisation, 0.5)
    assert np.isclose(rows["motor power"].utilisation, torque * 100 / 80)
    assert np.isclose(rows["motor RMS torque"].utilisation, torque / 0.5)
    assert rows["motor torque"].part == "hub"
    parked = cart(drive, slope=0.3).verdict()
    brake = next(row for row in parked if row.check == "brake holds")
    assert np.isclose(brake.utilisation, MASS * 9.81 * np.sin(0.3) * R / 4 / 6.0)


def test_steering_on_the_spot() -> None:
    """2/3 mu N r, the integral of mu p r over a round patch."""
    steering = lp.WheelDrive(peak_torque=0.5, ratio=50, efficiency=0.8)
    wheels = [lp.SteeredWheel((0.5, 0.0), R, name="front", steering_drive=steering, patch_radius=0.03),
              *(lp.FixedWheel((0, y), R) for y in (0.3, -0.3))]
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0.2, 0, 0.1), wheels=wheels,
                           friction=lp.WheelFriction(0.8)).carrying()
    loads = rover.wheel_loads([])
    radii = (np.arange(2000) + 0.5) * 0.03 / 2000
    pressure = loads.normal[0] / (np.pi * 0.03**2)
    by_hand = (0.8 * pressure * radii * 2 * np.pi * radii).sum() * 0.03 / 2000
    assert np.isclose(loads.motors.steering_torque[0], by_hand, rtol=1e-6)
    assert np.isclose(loads.motors.steering_share[0], by_hand / 20.0, rtol=1e-6)
    row = next(row for row in rover.verdict() if row.check == "steering torque")
    assert np.isclose(row.utilisation, by_hand / 20.0, rtol=1e-6)


def test_steering_follows_no_faster_than_its_drive() -> None:
    steering = lp.WheelDrive(max_speed=40.0, ratio=50)
    wheels = [lp.SteeredWheel((0.5, 0.0), R, name="front", steering_drive=steering, driven=False),
              *(lp.FixedWheel((0, y), R) for y in (0.3, -0.3))]
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0.2, 0, 0.1), inertia=np.eye(3), wheels=wheels,
                           friction=lp.WheelFriction(0.8)).carrying()
    run = rover.simulate(velocity=(0.5, 0.0), steering={"front": lambda t: 0.3 * (t > 0.1)}, duration=0.6,
                         sample_rate=50)
    assert np.abs(run.steering[:, 0] - np.clip(0.8 * (run.times - 0.1), 0.0, 0.3)).max() < 1e-9
    # It rolls: w = v tan(angle)/0.5.
    assert np.abs(run.velocity[:, 2] - run.velocity[:, 0] * np.tan(run.steering[:, 0]) / 0.5).max() < 1e-7


def test_a_smooth_law_followed_at_a_limited_rate() -> None:
    """sin(t) at a rate of at most 0.5: leaves it where cos t = 0.5, on a line until it meets it again."""
    followed = RateLimited(lambda t: np.sin(t - np.pi / 2), 0.5, 0.0, 3.0)
    leaves = np.pi / 2 - np.arccos(0.5)
    assert abs(followed.ramps[0].begin - leaves) < 1e-6
    t = np.linspace(0.0, 3.0, 301)
    angles = np.array([followed.at(each)[0] for each in t])
    line = np.sin(leaves - np.pi / 2) + 0.5 * (t - leaves)
    assert np.abs(angles - np.where(t < leaves, np.sin(t - np.pi / 2), line)).max() < 1e-6
    assert np.abs(np.diff(angles)).max() <= 0.5 * 0.01 + 1e-9


def test_a_given_rate_beyond_the_drive_is_told() -> None:
    rover = cart(lp.WheelDrive(peak_torque=0.05, ratio=20, max_speed=100.0), 0.01)
    with pytest.warns(lp.ModelWarning, match=r"the rate of wheel 'rl' takes .* N m at t"):
        run = rover.simulate(wheel_rates={name: lambda t: 10 * t for name in ALL}, duration=0.1)
    assert run.drive_limited.any()
    with pytest.warns(lp.ModelWarning, match=r"is given 10 rad/s at t = .* turns it at 5 rad/s at most"):
        rover.simulate(velocity=(1.0, 0.0), wheel_rates=dict.fromkeys(ALL, 10.0), duration=0.05)


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        ({"peak_torque": -1}, "peak_torque of a WheelDrive is -1: expected more than zero"),
        ({"ratio": 0}, "ratio of a WheelDrive is 0"),
        ({"efficiency": 80}, r"efficiency of a WheelDrive is 80: .*\(80 % is 0.8\)"),
        ({"efficiency": (0.8, 0.7, 0.6)}, "expected one number, or two"),
        ({"intermittent_curve": [(0, 1), (0, 2)]}, "increasing speeds from 0 on"),
        ({"intermittent_curve": [(0, 0), (10, 2)]}, "more than zero at rest"),
        ({"intermittent_curve": 3}, "expected pairs"),
        ({"rotor_inertia": -1}, "rotor_inertia of a WheelDrive is -1"),
        ({"name": 3}, "name of a WheelDrive is 3"),
    ],
)
def test_wrong_drives_are_refused(drive: dict[str, object], words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        lp.WheelDrive(**drive)  # type: ignore[arg-type]


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(lp.ModelError, match=r"drive of a fixed wheel is 3: expected an lp\.WheelDrive"):
        lp.FixedWheel((0, 0), R, drive=3)  # type: ignore[arg-type]
    with pytest.raises(lp.ModelError, match="has a drive, and driven=False"):
        lp.FixedWheel((0, 0), R, drive=lp.WheelDrive(), driven=False)
    with pytest.raises(lp.ModelError, match=r"expected an lp\.Motor that turns"):
        lp.WheelDrive.of(lp.Motor(linear=True))
    rover = cart()
    with pytest.raises(lp.ModelError, match="'rl' has a brake that slips at a torque, and no spin inertia"):
        rover.simulate(brakes={"rl": 3.0}, duration=0.1)
    heavy = cart(None, 0.01)
    with pytest.raises(ValueError, match="brakes of 'rl' are -3"):
        heavy.simulate(brakes={"rl": -3.0}, duration=0.1)
    with pytest.raises(ValueError, match="the brake of wheel 'rl' at t = 0 s is -3"):
        heavy.simulate(brakes={"rl": lambda t: -3.0}, duration=0.1)
    with pytest.raises(ValueError, match="brakes of 'rl' are True, and its drive has no brake"):
        heavy.simulate(brakes={"rl": True}, duration=0.1)
    with pytest.raises(ValueError, match="'rl' has a brake and a rate"):
        heavy.simulate(brakes={"rl": 1.0}, wheel_rates={"rl": 1.0}, duration=0.1)
    with pytest.raises(lp.ModelError, match="'brakes' names 'rl', which is no degree of freedom of robot 'planar1'"):
        lp.catalog.planar(1).simulate([0.0], brakes={"rl": 1.0}, duration=0.1)


def test_steering_torques_on_patches_have_their_friction() -> None:
    """2/3 mu N r with mu of the patch under the front wheel, the same N."""
    wheels = [lp.SteeredWheel((0.5, 0.0), R, patch_radius=0.03), *(lp.FixedWheel((0.0, y), R) for y in (-0.3, 0.3))]
    ice = lp.Patch(((0.2, -1.0), (1.0, 1.0)), lp.WheelFriction(0.1))
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0.1, 0, 0.1), wheels=wheels, friction=lp.WheelFriction(0.8)
                           ).carrying(ground=lp.Ground(patches=(ice,)))
    loads = rover.wheel_loads(position=[[0.0, 0.0], [-2.0, 0.0]])
    np.testing.assert_allclose(loads.motors.steering_torque[:, 0], 2 / 3 * np.array([0.1, 0.8]) * loads.normal[..., 0]
                               * 0.03, rtol=1e-12)
