"""Natural frequencies that books print, and what every arm's must obey."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from random_arms import random_arm
from scipy.linalg import eigh
from scipy.optimize import brentq

import loadpath as lp
from loadpath.structure.vibration.eigenvalues import largest_eigenpairs
from loadpath.structure.vibration.mass import arm_parts, rotary

E, RHO, G = 210e9, 7850.0, 81e9


def cantilever(section: lp.Rod = lp.Rod(1e-4), **options: float) -> lp.FlexibleRobot:  # noqa: B008
    """A steel rod of 1 m on a locked joint; a tip frame at its end."""
    beam = lp.Beam(section, lp.STEEL, end="tip_joint")
    return lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)


def euler_frequency(beta: float, radius: float, length: float = 1.0) -> float:
    """Of a slender rod: beta^2 / (2 pi L^2) sqrt(E I / mu)."""
    return beta**2 / (2 * math.pi * length**2) * math.sqrt(E / RHO) * radius / 2


@pytest.mark.parametrize("effects", [("bending",), ("bending", "shear"), None])
def test_uniform_cantilever(effects: tuple[str, ...] | None) -> None:
    modes = cantilever().natural_frequencies([0.7], 8, effects=effects, loaded=False)
    betas = [1.87510406871, 4.69409113297, 7.85475743824, 10.9955407349]
    expected = np.repeat([euler_frequency(beta, 1e-4) for beta in betas], 2)
    np.testing.assert_allclose(modes.frequencies, expected, rtol=2e-6)


def test_shape_of_a_cantilever() -> None:
    modes = cantilever().natural_frequencies([0.0], 4, effects=("bending",), loaded=False)
    (line,) = modes.beam_lines(21)
    b = 4.69409113297
    x = line.position
    ratio = (math.cosh(b) + math.cos(b)) / (math.sinh(b) + math.sin(b))
    book = np.cosh(b * x) - np.cos(b * x) - ratio * (np.sinh(b * x) - np.sin(b * x))
    shape = np.linalg.norm(line.displacement[2], axis=-1) * np.sign(book)
    np.testing.assert_allclose(shape / shape[-1], book / book[-1], atol=1e-5)
    np.testing.assert_allclose(line.displacement[:, -1], modes.displacement[:, -1], atol=1e-9)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 20.0])
def test_cantilever_with_a_mass_at_its_tip(ratio: float) -> None:
    arm = cantilever()
    mass = arm.link("link1").inertia.mass
    found = (
        arm.with_payload(mass=ratio * mass)
        .natural_frequencies([0.0], 6, effects=("bending",), loaded=False)
        .frequencies
    )

    def characteristic(b: float) -> float:
        return float(
            1 + 1 / (math.cos(b) * math.cosh(b)) - ratio * b * (math.tan(b) - math.tanh(b))
        )  # over cos b cosh b

    def smooth(b: float) -> float:
        return characteristic(b) * math.cos(b) * math.cosh(b)

    betas = [brentq(smooth, a, b, xtol=1e-13) for a, b in ((0.1, 1.9), (3.0, 4.7), (6.2, 7.9))]
    np.testing.assert_allclose(found[::2], [euler_frequency(b, 1e-4) for b in betas], rtol=2e-6)
    # Blevins, Formulas for natural frequency and mode shape, table 8-8: good to 1 %.
    blevins = math.sqrt(3 * E * math.pi * 1e-16 / 4 / ((ratio + 0.24) * mass)) / (2 * math.pi)
    assert found[0] == pytest.approx(blevins, rel=0.01)


def test_torsion_and_extension_of_a_rod() -> None:
    arm = cantilever(lp.Rod(0.01))
    odd = np.array([1, 3, 5, 7])
    torsion = arm.natural_frequencies([0.0], 4, effects=("torsion",))
    np.testing.assert_allclose(torsion.frequencies, odd / 4 * math.sqrt(G / RHO), rtol=1e-7)
    extension = arm.natural_frequencies([0.0], 4, effects=["extension"])
    np.testing.assert_allclose(extension.frequencies, odd / 4 * math.sqrt(E / RHO), rtol=1e-7)
    assert set(extension.names) == {"link 'link1': extension"}


def test_rod_with_a_disc() -> None:
    """Torsion: beta tan(beta) = J_rod / J_disc."""
    arm = cantilever(lp.Rod(0.01))
    own = RHO * math.pi * 0.01**4 / 2
    disc = arm.with_payload(mass=1.0, inertia=np.diag([3 * own, 2 * own, 2 * own]))
    found = disc.natural_frequencies([0.0], 2, effects=("torsion",)).frequencies
    betas = [brentq(lambda b: b * math.tan(b) - 1 / 3, a, b) for a, b in ((0.1, 1.5), (3.0, 4.5))]
    np.testing.assert_allclose(found, np.array(betas) / (2 * math.pi) * math.sqrt(G / RHO), rtol=1e-7)


def test_locked_joints_make_one_beam_of_two() -> None:
    beams = {
        "link1": lp.Beam(lp.Rod(1e-3), lp.STEEL, end="joint2"),
        "link2": lp.Beam(lp.Rod(1e-3), lp.STEEL, end="tip_joint"),
    }
    arm = lp.catalog.planar(2).with_beams(beams, inertia_from_beams=True)
    found = arm.natural_frequencies([0.3, 0.0], 6, effects=("bending",), loaded=False).frequencies
    betas = [1.87510406871, 4.69409113297, 7.85475743824]
    np.testing.assert_allclose(found[::2], [euler_frequency(b, 1e-3, 2.0) for b in betas], rtol=2e-5)


@pytest.mark.parametrize("stiffness", [0.01, 1.0, 50.0])
def test_rod_on_a_spring_hinge(stiffness: float) -> None:
    """k L / EI (1 + cos cosh) = beta (sin cosh - cos sinh) for a hinge with the stiffness k."""
    EI = E * math.pi * 1e-16 / 4
    arm = cantilever().with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=stiffness * EI)})
    modes = arm.natural_frequencies([0.2], 4, effects=("bending", "joints"), loaded=False)

    def characteristic(b: float) -> float:
        c, s, C, S = math.cos(b), math.sin(b), math.cosh(b), math.sinh(b)
        return stiffness * (1 + c * C) - b * (s * C - c * S)

    hinged = euler_frequency(brentq(characteristic, 0.01, 1.8750), 1e-4)
    assert modes.frequencies[0] == pytest.approx(hinged, rel=1e-6)
    assert modes.frequencies[1] == pytest.approx(euler_frequency(1.87510406871, 1e-4), rel=1e-6)  # across the axis
    rigid = arm.natural_frequencies([0.2], effects=("joints",), loaded=False)
    mass = arm.link("link1").inertia.mass
    assert rigid.frequencies.shape == (1,)
    assert rigid.frequencies[0] == pytest.approx(math.sqrt(stiffness * EI / (mass / 3)) / (2 * math.pi), rel=1e-6)


def test_a_massless_beam_with_a_mass() -> None:
    """A finite number of vibrations; in every other direction nothing moves."""
    light = lp.Material(E, G, density=0.0, name="light")
    rod = lp.Rod(0.01)
    robot = lp.Robot(
        "mast",
        (lp.Link("base"), lp.Link("mast", lp.Inertia(5.0, (0, 0, 2.0)))),
        (lp.Joint("foot", "base", "mast", lp.Revolute((0, 0, 1))),),
    )
    arm = robot.with_beams({"mast": lp.Beam(rod, light, end=(0, 0, 2.0))})
    found = arm.natural_frequencies([0.4], loaded=False).frequencies
    GA = rod.shear_factors(light.poisson_ratio)[0] * G * rod.area
    across = 1 / (8 / (3 * E * rod.second_moment_y) + 2 / GA)
    along = E * rod.area / 2
    expected = np.sqrt(np.array([across, across, along]) / 5) / (2 * math.pi)
    np.testing.assert_allclose(found[:3], expected, rtol=1e-9)
    assert np.isinf(found[3:]).all()


def test_a_tree_rings_in_every_branch() -> None:
    """Two equal rods on a rigid stem do not feel each other; on a soft one their frequencies part."""
    rod = lp.Beam(lp.Rod(0.005), lp.STEEL, end=(0.6, 0, 0))
    links = (
        lp.Link("base"),
        lp.Link("stem", lp.Inertia(1.0)),
        lp.Link("left", lp.Inertia(0.1)),
        lp.Link("right", lp.Inertia(0.1)),
    )
    joints = (
        lp.Joint("foot", "base", "stem", lp.Revolute((0, 0, 1))),
        lp.Joint("a", "stem", "left", lp.Revolute((0, 1, 0)), lp.Pose.from_xyz_rpy((0, 0.1, 0.5))),
        lp.Joint("b", "stem", "right", lp.Revolute((0, 1, 0)), lp.Pose.from_xyz_rpy((0, -0.1, 0.5))),
    )
    stiff = lp.Robot("tree", links, joints).with_beams({"left": rod, "right": rod}, inertia_from_beams=True)
    q = [0.3, -0.7, 1.1]
    found = stiff.natural_frequencies(q, 8, loaded=False).frequencies
    np.testing.assert_allclose(found[:4], found[0], rtol=1e-9)
    np.testing.assert_allclose(found[4:], found[4], rtol=1e-9)
    soft = stiff.with_beams(joint_compliance={"foot": lp.JointCompliance(drive=20.0)})
    apart = soft.natural_frequencies(q, 8, loaded=False).frequencies
    assert apart[0] < 0.5 * found[0]
    np.testing.assert_allclose(apart[1:3], found[0], rtol=1e-9)  # up and down the foot does not turn


def sag_of(arm: lp.FlexibleRobot, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and rotation of the link frames under gravity, by the mass and stiffness of the vibration model."""
    model = arm.natural_frequencies(q, 1, order=4).model
    at = model.at(q[None])
    moved, turned = at.frame_motions((at.matrices()[1][:, :, :3] @ np.array(arm.gravity))[:, None])
    return moved[0, 0], turned[0, 0]


def test_statics_by_the_same_coordinates() -> None:
    """The vibration model, loaded by gravity, sags as `deflection` says: two derivations."""
    arm = random_arm(5, ["prismatic", "revolute"])
    q = np.random.default_rng(0).normal(size=arm.n)
    sag, turn = sag_of(arm, q)
    still = arm.deflection(q)
    np.testing.assert_allclose(sag, still.displacement, atol=1e-12 * np.abs(sag).max())
    np.testing.assert_allclose(turn, still.rotation, atol=1e-12 * np.abs(turn).max())


@pytest.mark.filterwarnings("ignore:.*negative eigenvalue")  # random tensors, light pieces
def test_statics_of_a_tree_with_every_joint() -> None:
    """The same with branches, two beams to a link (one that starts off the joint), a base that bends, joints of every
    type that give way in every direction.
    """
    robot = lp.catalog.random_tree(7, 2, joints="all", general=True)
    pair = [
        lp.Beam(lp.Tube(0.03, 0.003), lp.ALUMINIUM, end=(0.2, 0.1, 0.1), start=(0.01, 0.02, 0.0)),
        lp.Beam(lp.Tube(0.02, 0.003), lp.ALUMINIUM, end=(0.2, -0.1, 0.1)),
    ]
    beams: dict[str, Any] = {joint.child: pair for joint in robot.joints[::2]}
    beams[robot.base.name] = lp.Beam(lp.Tube(0.05, 0.003), lp.ALUMINIUM, end=(0, 0, 0.5))
    springs = {joint.name: lp.JointCompliance(rotation=1e4, translation=1e6) for joint in robot.joints[1::2]}
    arm = robot.with_beams(beams, joint_compliance=springs)
    q = arm.neutral() + 0.3 * np.random.default_rng(0).normal(size=arm.nq)
    sag, turn = sag_of(arm, q)
    still = arm.deflection(q)
    np.testing.assert_allclose(sag, still.displacement, atol=1e-12 * np.abs(sag).max())
    np.testing.assert_allclose(turn, still.rotation, atol=1e-12 * np.abs(turn).max())


@pytest.mark.parametrize("seed", [0, 1])
def test_rigid_links_on_springs_ring_by_the_mass_matrix(seed: int) -> None:
    """K y = omega^2 M y with the mass matrix of the rigid dynamics."""
    robot = lp.catalog.random_tree(5, seed, joints=["revolute", "prismatic"], general=True)
    stiffness = np.random.default_rng(seed).uniform(1e3, 1e4, robot.n)
    springs = {j.name: lp.JointCompliance(drive=k) for j, k in zip(robot.joints, stiffness, strict=True)}
    arm = robot.with_beams(joint_compliance=springs)
    q = np.random.default_rng(5).normal(size=(3, robot.n))
    found = arm.natural_frequencies(q, loaded=False).frequencies
    for pose, frequencies in zip(q, found, strict=True):
        squares = eigh(np.diag(stiffness), robot.mass_matrix(pose), eigvals_only=True)
        np.testing.assert_allclose(frequencies, np.sqrt(squares) / (2 * math.pi), rtol=1e-9)


def test_bookkeeping() -> None:
    arm = random_arm(3)
    q = np.random.default_rng(1).normal(size=(2, 3, arm.n))
    q[1, 1, 0] = np.nan
    modes = arm.natural_frequencies(q, 4)
    assert modes.frequencies.shape == (2, 3, 4)
    assert modes.displacement.shape == modes.rotation.shape == (2, 3, 4, len(arm.links), 3)
    assert np.isnan(modes.frequencies[1, 1]).all()
    assert modes.names[1, 1, 0] == "nan"
    fine = np.isfinite(q).all(axis=-1)
    assert np.isfinite(modes.frequencies[fine]).all()
    assert (np.diff(modes.frequencies[fine], axis=-1) >= 0).all()
    np.testing.assert_allclose(modes.energy_shares[fine].sum(axis=-1), 1.0, rtol=1e-12)
    one = arm.natural_frequencies(q[0, 2], 4, order=modes.model.order)
    np.testing.assert_allclose(one.frequencies, modes[0, 2].frequencies, rtol=1e-12)
    np.testing.assert_allclose(one.displacement, modes[0, 2].displacement, atol=1e-6)
    assert f"{one.frequencies[0]:.4g} Hz" in str(one)
    assert "poses" in str(modes)
    with pytest.raises(ValueError, match="choose it"):
        modes.beam_lines()
    with pytest.raises(IndexError, match="no batch"):
        one[0]


def test_all_modes_together_carry_the_moving_mass() -> None:
    """What of a beam's mass shakes with the base: all of it, but for what sits on the clamped end."""
    arm = cantilever(lp.Rod(0.02)).with_payload(mass=2.0)
    modes = arm.natural_frequencies([0.4], 46, order=10)
    total = modes.effective_mass.sum(axis=0)
    mass = arm.link("link1").inertia.mass + 2.0
    assert (total < mass).all()
    assert (total > 0.97 * mass).all()


def test_frequencies_without_loads_care_for_the_pose_alone() -> None:
    arm = random_arm(2)
    q = np.random.default_rng(3).normal(size=arm.n)
    found = arm.natural_frequencies(q, loaded=False).frequencies
    heavier = arm.with_gravity((3.0, 2.0, 40.0)).natural_frequencies(q, loaded=False).frequencies
    np.testing.assert_allclose(heavier, found, rtol=1e-12)
    turned = q + np.array([2.0, 0, 0])  # about the first axis: everything turns with it
    np.testing.assert_allclose(arm.natural_frequencies(turned, loaded=False).frequencies, found, rtol=1e-9)
    other = arm.natural_frequencies(q + np.array([0, 1.0, 0]), loaded=False).frequencies
    assert abs(other[0] / found[0] - 1) > 1e-3


def test_tolerance() -> None:
    arm = random_arm(1)
    q = np.random.default_rng(3).normal(size=arm.n)
    exact = arm.natural_frequencies(q, 8, tolerance=1e-10, loaded=False)
    rough = arm.natural_frequencies(q, 8, tolerance=1e-2, loaded=False)
    assert rough.model.order < exact.model.order
    assert np.abs(rough.frequencies / exact.frequencies - 1).max() < 1e-2
    assert (rough.frequencies >= exact.frequencies * (1 - 1e-9)).all()  # Rayleigh: from above
    with pytest.warns(lp.ModelWarning, match="ask for fewer"):
        cantilever().natural_frequencies([0.0], 60, loaded=False)


def test_sections_turn_as_far_as_the_tensor_has_it() -> None:
    beam = lp.Beam(lp.Rod(0.03), lp.STEEL, end="tip_joint")
    solid = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
    assert set(rotary(arm_parts(solid)).shares.values()) == {1.0}
    body = solid.link("link1").inertia
    thin = np.diag([0.0, 1.0, 1.0]) * body.mass / 12
    line = solid.with_inertias({"link1": lp.Inertia(body.mass, body.center_of_mass, thin)})
    assert set(rotary(arm_parts(line)).shares.values()) == {0.0}
    tensor = (np.array(body.tensor) + thin) / 2
    half = solid.with_inertias({"link1": lp.Inertia(body.mass, body.center_of_mass, tensor)})
    assert list(rotary(arm_parts(half)).shares.values()) == pytest.approx([0.5] * len(arm_parts(half).elements))
    slow, between, quick = (arm.natural_frequencies([0.0], 5).frequencies for arm in (solid, half, line))
    assert slow[2] < between[2] < quick[2]


def test_bad_questions() -> None:
    arm = cantilever()
    with pytest.raises(AttributeError, match="is rigid and has no 'natural_frequencies': give it beams"):
        lp.catalog.planar(2).with_beams({}).natural_frequencies([0.0, 0.0])
    with pytest.raises(lp.ModelError, match="with the effects joints"):
        arm.natural_frequencies([0.0], effects=("joints",))
    springs = lp.catalog.planar(2).with_beams(joint_compliance={"joint2": lp.JointCompliance(drive=1e3)})
    assert springs.natural_frequencies([0.0, 0.0]).frequencies.shape == (1,)
    with pytest.raises(ValueError, match=r"count is 3: robot 'planar2' has 1 elastic coordinates, so no more"):
        springs.natural_frequencies([0.0, 0.0], 3)
    with pytest.raises(ValueError, match=r"count is 0"):
        arm.natural_frequencies([0.0], 0)
    with pytest.raises(ValueError, match=r"count is 1.5"):
        arm.natural_frequencies([0.0], 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected \(\.\.\., 1\)"):
        arm.natural_frequencies([0.0, 1.0])
    with pytest.raises(ValueError, match="'bending2' is no effect"):
        arm.natural_frequencies([0.0], effects=("bending2",))
    with pytest.raises(ValueError, match="tolerance is 2"):
        arm.natural_frequencies([0.0], tolerance=2)
    with pytest.raises(ValueError, match="order is 99"):
        arm.natural_frequencies([0.0], order=99)


def test_a_tensor_too_small_for_the_beam_is_told() -> None:
    arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.02), lp.STEEL, end="tip_joint")},
                                          inertia_from_beams=True)
    body = arm.link("link1").inertia
    small = arm.with_inertias({"link1": lp.Inertia(body.mass, body.center_of_mass, np.diag([1e-6] * 3))})
    with pytest.warns(lp.ModelWarning, match="inertia tensor is smaller than its beam's mass asks for"):
        small.natural_frequencies([0.0], 3)


def test_block_iteration_against_the_full_solver() -> None:
    """Double eigenvalues, slow ones that never converge, and more than a block."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(3, 120, 120)))[0]
    values = np.stack([np.repeat(1 / np.arange(1, 61) ** 4, 2), 1 / np.arange(1, 121) ** 2, 1 - 1e-6 * np.arange(120)])
    M = turn @ (values[:, :, None] * np.swapaxes(turn, -1, -2))
    found, vectors = largest_eigenpairs(M, 6)
    np.testing.assert_allclose(found, values[:, :6], rtol=1e-12)
    np.testing.assert_allclose(vectors @ M, found[..., None] * vectors, atol=1e-6)
    np.testing.assert_allclose(vectors @ np.swapaxes(vectors, -1, -2), np.tile(np.eye(6), (3, 1, 1)), atol=1e-12)


def test_a_beam_on_the_ground_vibrates_as_one_welded_to_it() -> None:
    """Short and thick, so that the rotary inertia of its sections counts."""
    beam = lp.Beam(lp.Rod(0.1), lp.STEEL, end="hinge")
    head = lp.Link("head", lp.Inertia.from_moments(5.0, (0, 0, 0.1), ixx=0.1, iyy=0.1, izz=0.1))
    hinge = lp.Joint("hinge", "column", "head", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0, 0, 0.6)))
    weld = lp.Joint("weld", "ground", "column", lp.Fixed())
    standing = lp.Robot("standing", (lp.Link("column"), head), (hinge,))
    welded = lp.Robot("welded", (lp.Link("ground"), lp.Link("column"), head), (weld, hinge))
    found = [
        robot.with_beams({"column": beam}, inertia_from_beams=True).natural_frequencies([0.3], 6).frequencies
        for robot in (standing, welded)
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
