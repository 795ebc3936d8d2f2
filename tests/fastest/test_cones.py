"""Limits of what joints carry as a whole: bearings, bolts, gears, friction, against the robot's own loads and Ipopt."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from ipopt_rows import ipopt_with_cones
from scipy.optimize import brentq

import loadpath as lp
from loadpath.fastest.asked import OF_JOINTS, asked_limits
from loadpath.fastest.cones import ByDifferences, Cone, demand_of, is_cone
from loadpath.fastest.demands import Sum
from loadpath.loads.motors.motor_side import motor_side
from loadpath.loads.resultants import RESULTANTS, axes_of, resultants
from loadpath.scalars.types import Floats

G = 9.81


def tilting(robot: lp.Robot, q: Floats, qd: Floats, qdd: Floats, quantity: str = "tilting_moment") -> Floats:
    found = robot.joint_wrenches(q, qd, qdd)
    every = resultants(axes_of(robot), np.asarray(found.force), np.asarray(found.torque))
    return every[..., RESULTANTS.index(quantity)]


def arm_with_limits(seed: int, share: float = 0.75) -> tuple[lp.Robot, Floats, dict[str, float]]:
    """An arm, a path, and tilting moments that are less than without them, and more than at rest."""
    arm = lp.catalog.ur5()
    points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(seed).uniform(-0.6, 0.6, (4, 6))
    free = arm.fastest(points, intervals=60).motion
    moved, still = (tilting(arm, free.q, k * free.qd, k * free.qdd).max(axis=0) for k in (1, 0))
    limits = np.maximum(share * moved, 1.1 * still)
    return arm, points, {name: float(limits[arm.joint_names.index(name)]) for name in arm.dof_names}


def test_tilting_moments_between_points_too() -> None:
    arm, points, limits = arm_with_limits(4)
    found = arm.fastest(points, limits={"tilting_moment": limits}, intervals=60)
    assert found.certificate <= 1 + 2e-6
    seen = tilting(arm, *found.sampled(97))
    used = {name: float(seen[:, arm.joint_names.index(name)].max() / most) for name, most in limits.items()}
    assert 0.9999 < max(used.values()) <= found.certificate + 1e-9
    assert any("tilting moment" in stretch.limit for stretch in found.rules)
    assert found.duration > arm.fastest(points, intervals=60).duration


@pytest.mark.slow
def test_cones_by_ipopt() -> None:
    """The whole problem with the cones as they are, not their planes: no shorter time."""
    pytest.importorskip("casadi")
    arm, points, limits = arm_with_limits(4)
    found = arm.fastest(points, limits={"tilting_moment": limits, "torque": False}, intervals=40)
    best = ipopt_with_cones(found.found)
    assert found.duration == pytest.approx(best, rel=2e-4)
    assert found.duration >= best * (1 - 1e-6)


def test_a_glass_on_a_tray_by_hand() -> None:
    """On a rod that swings a glass is pressed by its weight; it holds until (r qdd, g - r qd^2) leaves its cone."""
    arm = lp.catalog.planar(1, gravity=0).with_gravity((0, 0, -G)).with_payload(mass=0.3, center_of_mass=(0, 0, 0))
    path = lp.Path.lines([[math.pi / 2 - 0.3], [math.pi / 2 + 0.3]])  # near upright: the tip moves level
    tray = arm.joint_names[-1]
    R = np.asarray(arm.link_poses([math.pi / 2]))[-1, :3, :3]
    up = tuple(float(x) for x in (R.T @ [0, 0, 1]))
    found = arm.fastest(path, limits={"friction": {tray: lp.FrictionCone(axis=up, friction=0.5)}})
    q, qd, qdd = (part[:, 0] for part in found.sampled(33))
    # Of the tip, along the rod and across it: it accelerates by -r qd^2 and r qdd, and is held against gravity.
    along, across = G * np.sin(q) - qd**2, G * np.cos(q) + qdd
    used = np.abs(across) / (0.5 * along)
    assert 0.999 < used.max() <= 1 + 1e-5
    assert along.min() > 0
    with pytest.raises(lp.NoMotionError, match="friction"):
        arm.fastest([[math.pi / 2 - 0.3], [math.pi / 2 + 0.6]],
                    limits={"friction": {tray: lp.FrictionCone(axis=up, friction=0.5)}})
    held = arm.fastest(path, limits={"friction": {tray: lp.FrictionCone(axis=up, friction=0.5, hold=20.0)}})
    assert held.duration < found.duration
    fingers = arm.fastest(path, limits={"friction": {tray: lp.FrictionCone(axis=(0, 0, 1), friction=0.5, fingers=9.0)}})
    q, qd, qdd = (part[:, 0] for part in fingers.sampled(33))
    force = 0.3 * np.hypot(G * np.cos(q) + qdd, G * np.sin(q) - qd**2)  # the axis of the fingers is that of the joint
    assert 0.999 < force.max() / (2 * 0.5 * 9.0) <= 1 + 1e-5


def test_parts_bring_their_limits() -> None:
    """What a motion was made for, the verdict on it says: bearings, bolts, a gear that is used in full and holds."""
    arm = lp.catalog.ur5().with_parts({
        "shoulder_pan_joint": [lp.CrossedRollerBearing(C=9e3, C0=4.5e3, dp=0.08, permitted_moment=190.0)],
        "shoulder_lift_joint": [lp.StrainWaveGear(ratio=100, peak_torque=95.0)],
        "elbow_joint": [lp.BoltedFlange(bolts=8, circle=0.09, proof_load=6000.0, preload=3000.0, friction=0.15,
                                        normal=(0, 0, 1), safety=1.5)],
    })
    points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(4).uniform(-0.6, 0.6, (4, 6))
    found = arm.fastest(points, intervals=60)
    assert found.certificate <= 1 + 2e-6
    kinds = {limit.kind for limit in found.limits}
    assert {"crossed roller bearing, static safety,", "crossed roller bearing, tilting moment,"} < kinds
    assert any("peak torque" in kind for kind in kinds)
    assert any("slip" in kind for kind in kinds)
    checks = ("static safety", "tilting moment", "repeated peak torque", "bolt force", "separation", "slip")
    used = [row.utilisation for row in arm.verdict(found.motion).checks if row.check in checks]
    assert len(used) == len(checks)
    assert 0.99 < max(used) <= 1 + 1e-3  # samples of a motion between its jumps
    assert arm.fastest(points, limits={"parts": False}, intervals=60).duration < found.duration
    assert not found.left_out
    assert pickle.loads(pickle.dumps(found)).certificate == found.certificate
    strip = found.plot().to_plotly_json()["data"]
    assert {str(found.limits[k]) for k in found.ruling if k >= 0} <= {trace["name"] for trace in strip}


def test_gears_do_not_carry_what_rotors_take() -> None:
    """One joint: the motor gives J_rotor qdd before the gear."""
    drive = lp.Drive(ratio=100, rotor_inertia=2e-5)
    rod = lp.catalog.planar(1, gravity=0).with_drives({"joint1": drive}).with_parts(
        {"joint1": [lp.StrainWaveGear(ratio=100, peak_torque=1.0)]})
    found = rod.fastest([[0.0], [1.0]], limits={"speed": 100.0})
    assert found.duration == pytest.approx(2 * math.sqrt(1 / 3 / 1.0), rel=1e-6)


def test_demands_that_are_no_cones_are_told_from_those_that_are() -> None:
    assert is_cone(lambda w: np.linalg.norm(w[..., :2], axis=-1) + 3 * np.linalg.norm(w[..., 3:], axis=-1) - w[..., 2])
    assert not is_cone(lambda w: w[..., 0] ** 2)
    assert not is_cone(lambda w: 1 + np.abs(w[..., 0]))


def arm_with_all_cones() -> tuple[lp.Robot, dict[str, object]]:
    bolts = {"bolts": 8, "circle": 0.09, "proof_load": 6000.0, "preload": 3000.0, "friction": 0.15, "load_factor": 0.3}
    arm = lp.catalog.ur5().with_parts({
        "shoulder_pan_joint": [lp.CrossedRollerBearing(C=9e3, C0=4.5e3, dp=0.08, offset=0.02, permitted_moment=190.0)],
        "shoulder_lift_joint": [lp.CycloidalGear(ratio=100, allowable_moment=200.0, bearing_offset=0.03,
                                                 axial_force=900.0)],
        "elbow_joint": [lp.BoltedFlange(**bolts, normal=(0.6, 0, 0.8), offset=0.01)],
        "wrist_1_joint": [lp.BoltedFlange(**bolts)],
    })
    limits: dict[str, object] = dict.fromkeys(OF_JOINTS, 300.0)
    return arm, limits | {"friction": {
        "wrist_1_joint": lp.FrictionCone(axis=(0, 0.6, 0.8), friction=0.3, hold=20.0),
        "wrist_2_joint": lp.FrictionCone(axis=(0, 1, 0), friction=0.3, fingers=20.0),
    }}


def test_gradients_of_demands_are_those_of_their_functions() -> None:
    """By differences of the functions themselves, of all kinds that the library has."""
    arm, limits = arm_with_all_cones()
    functions: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        for module in ("cones", "asked"):
            name = "sum_of" if module == "cones" else "known_sum"
            own = getattr(__import__(f"loadpath.fastest.{module}", fromlist=[name]), name)

            def kept(function: object, own: object = own) -> object:
                functions.append(function)
                return own(function)  # type: ignore[operator]

            patch.setattr(f"loadpath.fastest.{module}.{name}", kept)
        asked, left_out = asked_limits([arm], limits, 1.0)
    cones = [cone for cone in asked if isinstance(cone, Cone)]
    assert not left_out
    assert len(cones) == len(functions) > 6 * len(OF_JOINTS) + 2 + 6
    wrench = np.random.default_rng(0).normal(size=(3, 40, 6)) * [100, 80, 60, 5, 20, 10]
    for cone, function in zip(cones, functions, strict=True):
        assert isinstance(cone.demand, Sum)
        by_differences = ByDifferences(function)  # type: ignore[arg-type]
        np.testing.assert_allclose(cone.demand(wrench), by_differences(wrench), rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(cone.demand.gradient(wrench), by_differences.gradient(wrench), rtol=1e-5, atol=1e-6)
        along = np.vecdot(cone.demand.gradient(wrench), wrench)  # Euler: of what grows in proportion
        np.testing.assert_allclose(along, cone.demand(wrench), rtol=1e-12, atol=1e-10)
        assert not np.isnan(cone.demand.gradient(np.zeros(6))).any()


def test_demands_that_are_no_sums_have_differences() -> None:
    """The larger of two forces, as of a part of one's own."""
    larger = demand_of(lambda w: np.maximum(np.abs(w[..., 0]), np.abs(w[..., 1])))
    assert isinstance(larger, ByDifferences)
    assert larger.gradient(np.array([[3.0, -4, 0, 0, 0, 0]])) == pytest.approx(np.array([[0, -1.0, 0, 0, 0, 0]]))
    assert demand_of(lambda w: w[..., 0] - np.abs(w[..., 1])) is None
    assert demand_of(lambda w: w[..., 0] * w[..., 1]) is None


@pytest.mark.parametrize(("limits", "words"), [
    ({"tilting_moment": {"joint7": 3.0}}, "joint7"),
    ({"tilting_moment": -3.0}, "more than zero"),
    ({"friction": {"joint1": 0.3}}, "FrictionCone"),
    ({"friction": {"nowhere": lp.FrictionCone(axis=(0, 0, 1), friction=0.3)}}, "nowhere"),
])
def test_wrong_limits_are_named(limits: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.planar(2).fastest([[0.0, 0.0], [0.5, 0.5]], limits={"torque": 60.0, "speed": 2.0} | limits)


def test_wrong_friction_cones_are_named() -> None:
    for options in ({"axis": (0, 0, 0), "friction": 1.0}, {"axis": (0, 0, 1), "friction": -1.0},
                    {"axis": (0, 0, 1), "friction": 1.0, "hold": -2.0}):
        with pytest.raises(ValueError, match="of a FrictionCone"):
            lp.FrictionCone(**options)


@pytest.mark.parametrize("curve", [None, [(0, 1.5), (200, 1.5), (450, 0.3)]])
def test_motors_by_the_verdict(curve: list[tuple[float, float]] | None) -> None:
    """Peak torque and torque-speed curve, with losses of the gear and a rotor: used in full, and kept."""
    motor = lp.Motor(peak_torque=None if curve else 1.2, intermittent_curve=curve, max_speed=400.0)
    drive = lp.Drive(ratio=100, rotor_inertia=4e-5, efficiency=(0.8, 0.7), no_load_torque=0.03,
                     friction=lp.Friction(viscous=2.0, coulomb=4.0))
    arm = lp.catalog.ur5().with_drives({"shoulder_lift_joint": drive}).with_parts({"shoulder_lift_joint": [motor]})
    points = np.array([0, -1.2, 1.4, -0.3, 0.4, 0]) + np.random.default_rng(4).uniform(-0.6, 0.6, (4, 6))
    found = arm.fastest(points, {"speed": 5.0}, intervals=200)
    assert found.certificate <= 1 + 2e-6
    q, qd, qdd = found.sampled(97)
    shaft = motor_side(arm, q, qd, qdd, arm.inverse_dynamics(q, qd, qdd))
    torque, omega = np.abs(shaft.torque[:, 0]), np.abs(shaft.speed[:, 0])
    most = np.interp(omega, *np.transpose(curve)) if curve else np.full_like(omega, 1.2)
    used = torque / most
    assert 0.999 < used.max() <= 1 + 2e-6
    assert omega.max() <= 400.0 * (1 + 1e-9)
    on_samples = arm.verdict(found.motion)["shoulder_lift_joint", "peak torque"].utilisation
    assert on_samples <= 1 + 0.05  # where the joint turns back, friction has either sense
    assert any("motor, peak torque," in stretch.limit for stretch in found.rules)


def test_a_motor_on_its_line_by_hand() -> None:
    """T = T0 - m w moves J as a viscous brake would: w = w0 (1 - exp(-k t)), k = m / J at the shaft."""
    J, ratio = 1 / 3, 50
    drive = lp.Drive(ratio=ratio, rotor_inertia=0.0)
    motor = lp.Motor(intermittent_curve=[(0, 0.2), (400, 0.0)])
    rod = lp.catalog.planar(1, gravity=0).with_drives({"joint1": drive}).with_parts({"joint1": [motor]})
    found = rod.fastest([[0.0], [4.0]], end="any", intervals=1000)
    last, k = 400 / ratio, 0.2 / 400 * ratio**2 / J

    def off(t: float) -> float:
        return last * (t - (1 - math.exp(-k * t)) / k) - 4.0

    assert found.duration == pytest.approx(brentq(off, 0, 10), rel=1e-3)


PUMA = [[0.858, 1.145, 0.462, -1.375, -0.678, 0.946], [0.181, 0.618, 0.616, -0.129, 0.248, 1.607],
        [1.16, 0.098, -0.092, -0.818, -1.1, 0.552], [0.306, 0.549, 1.271, -0.788, -0.254, 1.382],
        [-0.175, -0.269, -0.034, -0.675, -0.818, 1.153], [-0.614, 1.204, -0.102, -1.439, 0.406, 1.405]]
PUMA_LIMITS = {"torque": [54.0, 101.3, 20.5, 4.2, 3.8, 3.1], "tilting_moment": dict(zip(
    [f"joint{k}" for k in range(1, 7)], [150.2, 69.1, 14.8, 11.2, 0.1, 0.1], strict=True))}


@pytest.mark.filterwarnings("ignore:joint 'joint3' is at:loadpath.ModelWarning")
def test_friction_beside_cones_does_not_hold_the_motion_where_it_began() -> None:
    """Begun near a motion of a coarser grid, tangents of friction left nothing but what is slower and exceeds limits:
    4.24 s with a certificate of 1.03.
    """
    found = lp.catalog.puma560().fastest(PUMA, PUMA_LIMITS)
    assert found.certificate < 1 + 1e-6
    assert found.duration < 3.70


def test_a_search_that_does_not_close_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate is a number that nobody has to look at."""
    monkeypatch.setattr("loadpath.fastest.search.tightened", lambda found: found)
    monkeypatch.setattr("loadpath.fastest.search.HALVINGS", 0)
    monkeypatch.setattr("loadpath.fastest.search.SWITCHINGS", 0)
    with pytest.warns(lp.ModelWarning, match=r"'ur5', torque of '.*' may be used by .* %.*: the search did not close"):
        found = lp.catalog.ur5().fastest([[0.0] * 6, [1.0, -1.0, 1.5, -1.0, 0.5, 1.0], [0.5, 0, 0, 1, 1, 1]],
                                         {"torque": 100.0}, intervals=12)
    assert found.certificate > 1.0001
