"""Deflection, stiffness and vibrations of random arms against finite elements of the tests' own."""

from __future__ import annotations

import numpy as np
import pytest
from frame_fe import Frame, Properties
from frame_of_arm import ArmFrame, motions
from random_arms import random_arm
from scipy.linalg import eigh

import loadpath as lp

KINDS = {0: "revolute", 2: ["revolute", "prismatic"], 3: ["prismatic", "revolute"]}


def state(arm: lp.FlexibleRobot, seed: int) -> np.ndarray:
    return np.random.default_rng(seed + 100).normal(size=(3, arm.n))


def test_the_elements_know_the_tables() -> None:
    """A cantilever's end under a force, a torque and its weight, with shear."""
    p = Properties(EA=3e6, EIy=2e3, EIz=1e3, GJ=700.0, GAy=5e4, GAz=8e4, mass=4.0)
    L, g = 1.7, 9.81
    frame = Frame()
    root = frame.fixed(np.zeros(3))
    tip = frame.beam(root, np.array([L, 0, 0]), np.array([0.0, 1, 0]), p, 3)
    frame.force(tip, np.array([5.0, 7.0, 0.0]), np.array([2.0, 3.0, 0.0]), np.array([L, 0, 0]))
    u = frame.displacements(lambda beam, at: np.array([0, 0, g]))[tip]
    assert u[0] == pytest.approx(5 * L / p.EA, rel=1e-9)
    assert u[1] == pytest.approx(7 * (L**3 / (3 * p.EIz) + L / p.GAy), rel=1e-9)
    sag = -4 * g * (L**4 / (8 * p.EIy) + L**2 / (2 * p.GAz)) - 3 * L**2 / (2 * p.EIy)
    assert u[2] == pytest.approx(sag, rel=1e-9)
    assert u[3] == pytest.approx(2 * L / p.GJ, rel=1e-9)
    mass = frame.mass()
    up = np.tile([0, 0, 1.0, 0, 0, 0], 3)
    assert up @ mass @ up == pytest.approx(4 * L * (2 / 3 + 13 / 35 / 3), rel=0.02)  # two thirds, and a clamped third
    assert eigh(mass, eigvals_only=True)[0] > -1e-15


@pytest.mark.parametrize("seed", KINDS)
def test_the_references_kinematics(seed: int) -> None:
    arm = random_arm(seed, KINDS[seed])
    q, qd, qdd = state(arm, seed)
    poses = arm.link_poses(q)
    for k, (link, move) in enumerate(motions(arm, q, qd, qdd).items()):
        offset = lp.Pose() if k == 0 else arm.joints[k - 1].link_offset
        np.testing.assert_allclose(move.R @ offset.R, poses[k, :3, :3], atol=1e-12, err_msg=link)


@pytest.mark.parametrize("seed", KINDS)
def test_deflection(seed: int) -> None:
    """All effects and joints, in motion: weight, inertia and the wrenches from beyond bend every beam."""
    arm = random_arm(seed, KINDS[seed])
    q, qd, qdd = state(arm, seed)
    expected = ArmFrame(arm, q, qd, qdd).deflection()
    found = arm.deflection(q, qd, qdd)
    np.testing.assert_allclose(found.displacement, expected[:, :3], atol=1e-8 * np.abs(expected[:, :3]).max(), rtol=0)
    np.testing.assert_allclose(found.rotation, expected[:, 3:], atol=1e-8 * np.abs(expected[:, 3:]).max(), rtol=0)


@pytest.mark.parametrize("seed", KINDS)
def test_stiffness(seed: int) -> None:
    arm = random_arm(seed, KINDS[seed])
    q, _, _ = state(arm, seed)
    reference = ArmFrame(arm, q)
    link = arm.link_names[-1]
    expected = reference.frame.compliance(reference.nodes[link])
    assert np.abs(arm.compliance(q, link) - expected).max() < 1e-8 * np.abs(expected).max()
    assert np.abs(arm.stiffness(q, link) @ expected - np.eye(6)).max() < 1e-6


@pytest.mark.parametrize("seed", KINDS)
def test_frequencies(seed: int) -> None:
    """Elements of half the length come nearer by a factor of about four, from above."""
    arm = random_arm(seed, KINDS[seed])
    q, _, _ = state(arm, seed)
    found = arm.natural_frequencies(q, 6, tolerance=1e-9, loaded=False).frequencies
    coarse, fine = (ArmFrame(arm, q, pieces=pieces, rotary=True).frame.frequencies(6) / found - 1 for pieces in (3, 9))
    assert np.abs(fine).max() < 1e-6
    assert np.abs(coarse).max() > 3 * np.abs(fine).max()


def test_frequencies_of_a_tapered_beam() -> None:
    """Against many short uniform elements, extrapolated."""
    arm = lp.catalog.planar(1).with_beams(
        {"link1": lp.Beam(lp.Tube(0.05, 0.004), lp.STEEL, "tip_joint", lp.Tube(0.02, 0.002))}, inertia_from_beams=True
    )
    loaded = arm.with_payload(mass=3.0)
    results = []
    for pieces in (30, 60):
        frame = Frame()
        node = frame.fixed(np.zeros(3))
        for k in range(pieces):
            section = lp.Tube(0.05, 0.004).towards(lp.Tube(0.02, 0.002), (k + 0.5) / pieces)
            E, G, rho, A, I2 = 210e9, 81e9, 7850.0, section.area, section.second_moment_y
            shear = section.shear_factors(lp.STEEL.poisson_ratio)[0] * G * A
            p = Properties(E * A, E * I2, E * I2, G * 2 * I2, shear, shear, rho * A, rho * I2, rho * I2)
            node = frame.beam(node, np.array([(k + 1) / pieces, 0, 0]), np.array([0.0, 1, 0]), p)
        frame.body(node, np.array([1.0, 0, 0]), 3.0, np.zeros((3, 3)))
        results.append(frame.frequencies(4))
    extrapolated = (4 * results[1] - results[0]) / 3
    found = loaded.natural_frequencies([0.4], 4, tolerance=1e-8, loaded=False).frequencies
    np.testing.assert_allclose(found, extrapolated, rtol=2e-6)
