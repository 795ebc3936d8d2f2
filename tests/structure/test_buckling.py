"""Buckling of the whole arm against columns whose equations are known, and against other models in space."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever
from frame_buckling import frame_factor
from frame_of_arm import ArmFrame
from lumped_chain import Rod, chain_factor
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import loadpath as lp

ROD = lp.Rod(0.01)
E, G = WEIGHTLESS.youngs_modulus, WEIGHTLESS.shear_modulus
EI = E * ROD.second_moment_y
BENDING = ("bending", "joints")
UP = [np.pi / 2, 0.0]


def factor(arm: Any, q: Any, load: float = 1.0, effects: Any = BENDING, link: str = "tip") -> float:
    """Under a push of `load` straight down (against the arm at q = 0: along -x)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return float(arm.buckling(q, external={link: lp.Wrench(force=(0, 0, -load))}, effects=effects).factor)


def column(links: int, springs: dict[str, float] | None = None, beams: Any = None) -> lp.FlexibleRobot:
    """Rods of 1 m in line without weight; upright at q = (pi/2, 0, ...)."""
    ends = [*(f"joint{k}" for k in range(2, links + 1)), "tip_joint"]
    chosen = {f"link{k + 1}": lp.Beam(ROD, WEIGHTLESS, end=end) for k, end in enumerate(ends)}
    soft = {joint: lp.JointCompliance(drive=k) for joint, k in (springs or {}).items()}
    return lp.catalog.planar(links, gravity=0.0).with_beams(chosen if beams is None else beams, joint_compliance=soft)


def test_clamped_and_free() -> None:
    """Euler's first column; of an arm, which is held at one end, the column with two hinges is two of these."""
    assert_allclose(factor(column(1), [np.pi / 2]), np.pi**2 * EI / 4, rtol=1e-4)
    found = column(1).buckling([np.pi / 2], external={"tip": lp.Wrench(force=(0, 0, -1.0))})
    assert 0 <= found.error <= 1e-4
    P = np.pi**2 * EI / 4
    shear = ROD.shear_factors(WEIGHTLESS.poisson_ratio)[0] * G * ROD.area
    assert_allclose(found.factor, P / (1 + P / shear), rtol=1e-4)  # Engesser's column


@pytest.mark.parametrize("h", [-0.7, 0.3, 2.0, 90.0])
def test_a_column_whose_load_hangs_on_a_bar(h: float) -> None:
    """A rigid bar on top, upwards (h < 0) or back down, carries the load at its end: tan kL = -1 / hk. A long one does
    not let the end turn: Euler's column with two hinges, pi^2 EI / L^2, and half of the one that is clamped twice.
    """
    robot = lp.catalog.planar(1, gravity=0.0)
    hook = lp.Joint("hook_joint", "tip", "hook", lp.Fixed(), lp.Pose(translation=(-h, 0.0, 0.0)))
    robot = lp.Robot("bar", (*robot.links, lp.Link("hook")), (*robot.joints, hook), (0.0, 0.0, 0.0))
    arm = robot.with_beams({"link1": lp.Beam(ROD, WEIGHTLESS, end="tip_joint")})
    low, high = (1e-6, np.pi / 2 - 1e-9) if h < 0 else (np.pi / 2 + 1e-9, np.pi)
    k = brentq(lambda k: np.sin(k) * h * k + np.cos(k), low, high)
    assert_allclose(factor(arm, [np.pi / 2], link="hook"), k**2 * EI, rtol=1e-4)
    if h == 90:
        assert_allclose(k, np.pi, rtol=2e-3)


def test_links_in_line_are_one_column() -> None:
    assert_allclose(factor(column(2), UP), np.pi**2 * EI / 16, rtol=1e-4)
    assert_allclose(factor(column(3), [np.pi / 2, 0, 0]), np.pi**2 * EI / 36, rtol=1e-4)


@pytest.mark.parametrize("k", [50.0, 2000.0, 1e5])
def test_a_column_on_a_spring(k: float) -> None:
    x = brentq(lambda x: x * np.tan(x) - k / EI, 1e-9, np.pi / 2 - 1e-12)
    arm = column(1, {"joint1": k})
    assert_allclose(factor(arm, [np.pi / 2]), x**2 * EI, rtol=1e-4)
    found = arm.buckling([np.pi / 2], external={"tip": lp.Wrench(force=(0, 0, -1.0))})
    assert found.link == ("joint1" if k < 1e4 else "link1")


@pytest.mark.parametrize("k", [300.0, 5000.0])
def test_a_spring_between_two_links(k: float) -> None:
    """From the line of the load: w = sin above, w = cos below, and the slope jumps by P w / k at the spring."""

    def jump(P: float) -> float:
        a = np.sqrt(P / EI)
        return float(a * np.cos(a) * np.cos(a) - a * np.sin(a) * np.sin(a) - P / k * np.sin(a) * np.cos(a))

    P = brentq(jump, 1e-6, np.pi**2 * EI / 16)
    assert_allclose(factor(column(2, {"joint2": k}), UP), P, rtol=1e-4)


def test_rigid_links_on_two_springs() -> None:
    """The textbook's: both bars 1 m on springs k: P = k (3 - sqrt 5) / 2."""
    robot = lp.catalog.planar(2, gravity=0.0)
    soft = {joint: lp.JointCompliance(drive=700.0) for joint in ("joint1", "joint2")}
    arm = robot.with_beams(joint_compliance=soft)
    assert_allclose(factor(arm, UP), 700 * (3 - np.sqrt(5)) / 2, rtol=1e-12)


def test_a_stepped_column() -> None:
    thin = lp.Rod(0.007)
    steps = [(0.4, ROD, WEIGHTLESS), (0.6, thin, WEIGHTLESS)]
    arm = column(1, beams={"link1": lp.Beam(end="tip_joint", segments=steps)})
    first, second = EI, E * thin.second_moment_y

    def characteristic(P: float) -> float:
        a, b = np.sqrt(P / first), np.sqrt(P / second)
        return float(np.tan(0.4 * a) * np.tan(0.6 * b) - b / a)

    P = brentq(characteristic, 1.0, (np.pi / 2 / 0.6) ** 2 * second * (1 - 1e-9))
    assert_allclose(factor(arm, [np.pi / 2]), P, rtol=1e-4)


def test_a_tapered_column() -> None:
    beam = lp.Beam(lp.Rod(0.02), WEIGHTLESS, end="tip_joint", end_section=lp.Rod(0.008))
    from loadpath.structure.beams.column import critical_load

    assert_allclose(
        factor(column(1, beams={"link1": beam}), [np.pi / 2]), critical_load(beam, 1.0, shear=False), rtol=1e-4
    )


def test_a_mast_of_four_metres() -> None:
    """60 kg on top of two tubes in line, with their own weight: shooting from the top, M = P w + weight above."""
    tube = lp.Tube(0.02, 0.0015)
    beams = {"link1": lp.Beam(tube, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    mast = lp.catalog.planar(2, length=2.0).with_payload(60.0).with_beams(beams, inertia_from_beams=True)
    rigidity = lp.ALUMINIUM.youngs_modulus * tube.second_moment_y
    weight = lp.ALUMINIUM.density * tube.area * 9.81

    def slope_at_the_base(f: float) -> float:  # theta'' EI + (P + weight s) theta = 0, theta' = 0 at the top
        def turn(s: float, y: Any) -> list[float]:
            return [y[1], -f * (60 * 9.81 + weight * s) * y[0] / rigidity]

        return float(solve_ivp(turn, (0, 4), [1.0, 0.0], rtol=1e-10, atol=1e-12).y[0, -1])

    expected = brentq(slope_at_the_base, 0.4, 0.8)
    assert abs(expected - 0.61) < 0.01
    with pytest.warns(lp.ModelWarning, match=r"past buckling, where the whole arm holds 0.60\d+ times"):
        found = mast.buckling(UP)
        slender = mast.buckling(UP, effects=("bending",))
    assert_allclose(slender.factor, expected, rtol=1e-4)
    assert_allclose(found.factor, expected, rtol=2e-4)  # shear
    assert (found.link, bool(found.stable)) == ("link1", False)
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        safety = mast.buckling_safety(UP)
    assert_allclose(safety.worst.safety, expected, rtol=0.02)  # a little less: it is bent by nothing, and yields nearly
    assert safety.worst.safety <= safety.arm_factor
    assert safety.worst_euler.safety > 2  # a link by itself
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        extremes = mast.extremes([UP, [0.3, 0.2]])
    assert_allclose(extremes.buckling.factor, found.factor, rtol=1e-4)
    assert extremes.buckling.state == (0,)
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        assert "the whole arm buckles at 0.603 times its loads" in mast.plot_safety(UP).layout.title.text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        assert not mast.deflection(UP, iterate=True).stable
    hanging = mast.buckling([-np.pi / 2, 0.0])
    assert (float(hanging.factor), hanging.link, bool(hanging.stable)) == (np.inf, "none", True)


# Sideways


STRIP = lp.Bar(0.15, 0.004)  # narrow, upright


def strip(length: float = 1.0) -> lp.FlexibleRobot:
    """A narrow strip along x, stiff against bending by a weight."""
    return cantilever(STRIP, length=length)


def test_a_narrow_strip_gives_way_sideways() -> None:
    """Prandtl's and Michell's cantilever: 4.0126 sqrt(EI GJ) / L^2 at the tip; 12.854 of its own weight, all of it."""
    arm = strip()
    weak = E * min(STRIP.second_moment_y, STRIP.second_moment_z)
    expected = 4.01260 * np.sqrt(weak * G * STRIP.torsion_constant)
    assert_allclose(factor(arm, [0.0], effects=("bending", "torsion")), expected, rtol=1e-4)
    heavy = lp.Material(200e9, 80e9, 7850.0, 300e6)
    own = cantilever(STRIP, heavy, gravity=9.81, inertia_from_beams=True)
    weight = 9.81 * own.link("link1").inertia.mass
    found = own.buckling([0.0], effects=("bending", "torsion"))
    assert_allclose(found.factor * weight, 12.8537 * np.sqrt(weak * G * STRIP.torsion_constant), rtol=1e-4)
    twist = [k for k, name in enumerate(found.part_names) if "torsion" in name]
    assert 0.2 < found.energy_shares[twist].sum() < 0.8
    with warnings.catch_warnings():  # the iterated deflection agrees
        warnings.simplefilter("ignore", lp.ModelWarning)
        for share, holds in ((0.93, True), (1.07, False)):
            push = {"tip": lp.Wrench(force=(0, 1e-6 * share * expected, -share * expected))}
            assert bool(arm.deflection([0.0], external=push, iterate=True, pieces=8).stable) == holds


def test_a_shaft_under_torque() -> None:
    """A semi-tangential torque at the end of a clamped shaft: pi EI / L (Ziegler)."""
    arm = column(1)
    found = arm.buckling([0.0], external={"tip": lp.Wrench(torque=(1.0, 0, 0))}, effects=("bending",))
    assert_allclose(found.factor, np.pi * EI, rtol=1e-4)


# In space


def bent_arm(springs: bool) -> tuple[lp.FlexibleRobot, list[Rod], Any]:
    """Three rods at angles with weight, and a load at the end; the same for the reference."""
    rng = np.random.default_rng(5)
    sections = [lp.Bar(0.02, 0.03), lp.RectangularTube(0.03, 0.02, 0.002), lp.Bar(0.015, 0.02)]
    ends = [rng.normal(size=3) for _ in range(3)]
    ends = [0.8 * end / np.linalg.norm(end) for end in ends]
    material = lp.ALUMINIUM
    links, joints, beams, rods = [lp.Link("base")], [], {}, []
    at, start = np.zeros(3), np.zeros(3)
    for k, (section, end) in enumerate(zip(sections, ends, strict=True)):
        y = np.cross(end, [0.3, -0.2, 1.0])
        y = y / np.linalg.norm(y)
        name = f"link{k + 1}"
        joints.append(
            lp.Joint(f"joint{k + 1}", links[-1].name, name, lp.Revolute((0, 0, 1)), lp.Pose(translation=start.tolist()))
        )
        links.append(lp.Link(name))
        beams[name] = lp.Beam(section, material, end=f"joint{k + 2}" if k < 2 else tuple(end), y_axis=tuple(y))
        m, A = material, section.area
        ky, kz = section.shear_factors(m.poisson_ratio)
        stiffness = [m.youngs_modulus * A, ky * m.shear_modulus * A, kz * m.shear_modulus * A,
                     m.shear_modulus * section.torsion_constant, m.youngs_modulus * section.second_moment_y,
                     m.youngs_modulus * section.second_moment_z]
        weight = np.array([0, 0, -9.81 * m.density * A])
        rods.append(Rod(at, at + end, y, np.array(stiffness), weight))
        at, start = at + end, end
    links.append(lp.Link("tip"))
    joints.append(lp.Joint("tip_joint", "link3", "tip", lp.Fixed(), lp.Pose(translation=ends[-1].tolist())))
    soft = {"joint2": lp.JointCompliance(drive=900.0)} if springs else {}
    robot = lp.Robot("bent", tuple(links), tuple(joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = robot.with_beams(beams, joint_compliance=soft, inertia_from_beams=True)
    return arm, rods, [(1, (0, 0, 1.0), 900.0)] if springs else []


@pytest.mark.parametrize("springs", [False, True])
def test_a_bent_arm_in_space(springs: bool) -> None:
    arm, rods, hinges = bent_arm(springs)
    push = np.array([300.0, 400.0, -200.0])
    found = arm.buckling([0.0, 0.0, 0.0], external={"tip": lp.Wrench(force=push)})
    coarse, fine = (chain_factor(rods, [(2, push)], count, hinges) for count in (4, 8))
    assert_allclose(found.factor, fine + (fine - coarse) / 3, rtol=1e-4)
    assert_allclose(fine, coarse, rtol=0.05)


@pytest.mark.parametrize("elbow", [0.4, 1.3, -2.2])
def test_a_bent_arm_in_its_plane(elbow: float) -> None:
    """Against frame elements with the geometric stiffness of the axial forces; across the plane it is far stiffer."""
    flat = lp.Section(area=4e-3, second_moment_y=4e-6, second_moment_z=1e-8, torsion_constant=4e-6, shear_factor_y=1.0,
                      shear_factor_z=1.0, extreme_y=0.01, extreme_z=0.05, torsion_modulus=1e-4)
    beams = {"link1": lp.Beam(flat, WEIGHTLESS, end="joint2"), "link2": lp.Beam(flat, WEIGHTLESS, end="tip_joint")}
    springs = {"joint2": lp.JointCompliance(drive=4e3)}
    arm = lp.catalog.planar(2, gravity=0.0, mass=1e-9).with_beams(beams, joint_compliance=springs)
    q = np.array([1.1, elbow])
    push = np.array([-300.0, 0.0, -700.0])
    found = arm.buckling(q, external={"tip": lp.Wrench(force=push)}, effects=("bending", "extension", "joints"))
    frame = ArmFrame(arm, q, pieces=8)
    tip = frame.nodes["tip"]
    frame.frame.force(tip, push, np.zeros(3), frame.frame.positions[tip])
    load = frame.frame.load(lambda beam, at: np.zeros(3))
    assert_allclose(found.factor, frame_factor(frame.frame, load), rtol=1e-4)


# Bookkeeping


def test_batches_motions_shapes_and_states_that_are_no_numbers() -> None:
    arm = column(2, {"joint2": 2000.0}).with_gravity((0.0, 0.0, -9.81)).with_payload(5.0)
    q = np.random.default_rng(0).uniform(-2, 2, (200, 2))
    q[7] = np.nan
    qd, qdd = np.random.default_rng(1).uniform(-1, 1, (2, 200, 2))
    with pytest.warns(lp.ModelWarning, match=r"buckling: 1 of 200 states is not a number \(7\)"):
        found = arm.buckling(q, qd, qdd)
    assert found.factor.shape == (200,) and np.flatnonzero(found.unknown).tolist() == [7]
    assert not found.stable[7] and found.link[7] == "nan"
    k = found.worst.state[0]
    assert found.factor[k] == np.nanmin(found.factor)
    one = arm.buckling(q[k], qd[k], qdd[k])
    assert_allclose(one.factor, found.worst.factor, rtol=2e-4)
    assert one.link == found[k].link == found.worst.link
    assert_allclose(abs(one.shape.displacement), abs(found[k].shape.displacement), atol=1e-2)
    assert_allclose(np.abs(one.shape.displacement).max(), 1.0)
    assert_allclose(one.energy_shares.sum(), 1.0)
    (first, second) = one.shape.beam_lines(11)
    assert_allclose(second.displacement[0, -1], one.shape.displacement[-1], atol=1e-6)
    assert first.link == "link1"
    assert "buckles at" in one.shape.plot().layout.title.text
    assert "the smallest factor" in str(found) and "all loads may grow" in str(one)
    with pytest.raises(ValueError, match="choose it"):
        found.shape.plot()
    assert found[3:5].factor.shape == (2,) and found.shape.displacement.shape == (200, 5, 3)
    motion = lp.Motion.swing(arm)
    assert_allclose(arm.buckling(motion).factor, arm.buckling(motion.q, motion.qd, motion.qdd).factor, rtol=1e-9)


def test_factors_fall_as_loads_grow_and_loads_count_together() -> None:
    arm = column(1).with_gravity((0.0, 0.0, -9.81)).with_payload(20.0)
    alone = float(arm.buckling([np.pi / 2]).factor)
    push = lp.Wrench(force=np.array([[0.0, 0, 0], [0, 0, -20 * 9.81], [0, 0, 20 * 9.81 * 0.999]]))
    both = arm.buckling([np.pi / 2], external={"payload": push}).factor
    assert_allclose(both[0], alone, rtol=1e-5)
    assert_allclose(both[1], alone / 2, rtol=0.01)  # the rod's own kilogram stays what it is
    assert both[2] > 20 * alone
    lifted = arm.buckling([np.pi / 2], base_acceleration=[0, 0, 9.81, 0, 0, 0]).factor
    assert_allclose(lifted, alone / 2, rtol=1e-6)


def test_what_is_rigid_does_not_buckle() -> None:
    arm = column(1, {"joint1": 100.0})
    with pytest.raises(
        lp.ModelError, match="no elastic part with the effects extension: what is rigid does not buckle"
    ):
        column(1, beams={}, springs={"joint1": 5.0}).buckling([0.0], effects=["extension"])
    with pytest.raises(ValueError, match="tolerance is 2"):
        arm.buckling([0.0], tolerance=2)
    with pytest.raises(ValueError, match="order is 99"):
        arm.buckling([0.0], order=99)
    with pytest.raises(AttributeError, match="is rigid and has no 'buckling'"):
        _ = lp.catalog.planar(2).buckling
