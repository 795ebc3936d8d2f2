"""Chapter 7 of Lau's thesis, as far as `test_cantilevers.py` does not have it: rows of docs/errata.md."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever

import loadpath as lp
from loadpath.structure.beams.column import critical_load

E, ROD, L = WEIGHTLESS.youngs_modulus, lp.Rod(0.01), 0.8
EI = E * ROD.second_moment_y
cross = np.cross


def test_the_vector_form_of_7_12() -> None:
    """(7-12): n = (L/EI)(d x F/2 - ((N x d) x d)/(d.d)), L the length; printed with L/EI on the first term alone."""
    F, N = np.random.default_rng(1).normal(size=(2, 3))
    d = np.array([L, 0.0, 0.0])
    found = cantilever(ROD, length=L).deflection([0.0], external={"tip": lp.Wrench(F, N)}, effects=["bending"]).tip
    of_force, of_torque = cross(d, F) / 2, -cross(cross(N, d), d) / (d @ d)
    np.testing.assert_allclose(found.rotation, L / EI * (of_force + of_torque), rtol=1e-12, atol=1e-18)
    assert np.abs(found.rotation - (L / EI * of_force + of_torque)).max() > 1e-3


def test_a_point_mass_along_the_beam() -> None:
    """Figure 15 and (7-17), (7-18): a^2 (3L - a) M g/(6EI) and a^2 M g/(2EI), for all weight at a."""
    arm = cantilever(ROD, length=L, gravity=9.81)
    link = arm.link("link1")
    for a in (0.3, 0.6):
        lumped = replace(link, inertia=lp.Inertia(1.7, (a, 0.0, 0.0)))
        moved = replace(arm, links=tuple(lumped if one.name == "link1" else one for one in arm.links))
        found = moved.deflection([0.0], effects=["bending"]).tip
        weight = 1.7 * 9.81
        assert -found.displacement[2] == pytest.approx(a**2 * (3 * L - a) * weight / (6 * EI), rel=1e-9)
        assert found.rotation[1] == pytest.approx(a**2 * weight / (2 * EI), rel=1e-9)


def test_propagation_along_a_bent_arm() -> None:
    """(7-21), (7-22): the next link takes A^T (m + n x A d) and A^T n, d its own length; printed with A, and d of this
    link.
    """
    q = np.array([0.3, 0.9])
    robot = lp.catalog.planar(2, length=L, gravity=0.0)
    arm = robot.with_beams({"link1": lp.Beam(ROD, WEIGHTLESS, end="joint2")})
    found = arm.deflection(
        q, external={"tip": lp.Wrench((0, 0, -20.0), axes="world")}, axes="link", effects=["bending"]
    )
    poses = np.asarray(arm.link_poses(q))
    A = poses[1][:3, :3].T @ poses[2][:3, :3]
    # What link 1 does at its end, from the wrench that acts there (in its own axes).
    F = poses[1][:3, :3].T @ [0, 0, -20.0]
    N = cross(A @ [L, 0, 0], F)
    d = np.array([L, 0, 0])
    m = -(L / EI) * (cross(d, cross(d, F)) / 3 + cross(d, N) / 2)
    n = (L / EI) * (cross(d, F) / 2 + cross(cross(d, N), d) / (d @ d))
    m_next, n_next = A.T @ (m + cross(n, A @ [L, 0, 0])), A.T @ n
    np.testing.assert_allclose(found.tip.displacement, m_next, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.tip.rotation, n_next, rtol=1e-9, atol=1e-14)
    assert np.abs(found.tip.displacement - A @ (m + cross(n, d))).max() > 0.1 * np.abs(m).max()


def test_buckling_modes_of_figure_17() -> None:
    """1, 9, 25 times pi^2 EI/4L^2 if clamped at one end; mode^2 is the column with two hinges."""
    beam = lp.Beam(ROD, WEIGHTLESS, end=(L, 0, 0))
    euler = np.pi**2 * EI / (4 * L**2)
    loads = [critical_load(beam, L, shear=False, mode=mode) / euler for mode in (1, 2, 3)]
    np.testing.assert_allclose(loads, [1, 9, 25], rtol=1e-12)
    hinged = replace(beam, end_condition="pinned-pinned")
    loads = [critical_load(hinged, L, shear=False, mode=mode) / (4 * euler) for mode in (1, 2, 3)]
    np.testing.assert_allclose(loads, [1, 4, 9], rtol=1e-12)
    # The finite elements of a beam in two equal segments know nothing of the closed form.
    half = lp.Segment(0.5, ROD, WEIGHTLESS)
    stepped = lp.Beam(segments=(half, half), end=(L, 0, 0))
    loads = [critical_load(stepped, L, shear=False, mode=mode) / euler for mode in (1, 2, 3)]
    np.testing.assert_allclose(loads, [1, 9, 25], rtol=1e-5)


def test_buckling_needs_compression_and_depends_on_E() -> None:
    up = [np.pi / 2]
    column = cantilever(ROD, length=L)
    push, pull = (lp.Wrench((0, 0, sign), axes="world") for sign in (-1.0, 1.0))
    pushed = column.buckling(up, external={"tip": push}, effects=["bending"])
    assert float(pushed.factor) == pytest.approx(np.pi**2 * EI / (4 * L**2), rel=1e-4)
    assert float(column.buckling(up, external={"tip": pull}, effects=["bending"]).factor) == np.inf
    softer = cantilever(ROD, lp.Material(E / 3, WEIGHTLESS.shear_modulus / 3, WEIGHTLESS.density), L)
    half = softer.buckling(up, external={"tip": push}, effects=["bending"])
    assert float(half.factor) == pytest.approx(float(pushed.factor) / 3, rel=1e-9)
