"""A beam that turns at constant speed: it stiffens across its plane of rotation, and less so in it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eig
from test_respond import two_links

import loadpath as lp
from loadpath.motion.layout import layout_of
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.course import Arm
from loadpath.structure.response.kinetics import Placed
from loadpath.structure.response.moving_frame import moving_terms
from loadpath.structure.response.reduction import ReducedModel, reduced_at
from loadpath.structure.response.track import track_of
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.world_axes import skew

FLAPWISE = {1: 3.6816, 2: 4.1373, 3: 4.7973, 4: 5.5850, 5: 6.4495, 6: 7.3604, 8: 9.2568, 12: 13.1702}
"""First frequency across the plane, over that of EI / mu L^4, by the speed in the same unit: Wright, Smith and others,
Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49, 1982, for a uniform beam without a hub."""


@pytest.mark.parametrize("speed", [1, 4, 12])
def test_frequencies_of_a_rotating_beam(speed: int) -> None:
    radius, length = 1e-3, 1.0
    unit = math.sqrt(210e9 * radius**2 / 4 / 7850.0) / length**2
    robot = lp.Robot(
        "rotor",
        (lp.Link("base"), lp.Link("blade", lp.Inertia(1.0, (0.5, 0, 0)))),
        (lp.Joint("shaft", "base", "blade", lp.Revolute((0, 0, 1))),),
        gravity=(0.0, 0.0, 0.0),
    )
    beam = lp.Beam(lp.Rod(radius), lp.STEEL, end=(length, 0, 0))
    rotor = robot.with_beams({"blade": beam}, inertia_from_beams=True)
    model = vibration_model(rotor, ("bending", "extension"), 8)
    turns = speed * unit
    t = np.array([[0.0], [1.0]])
    track = track_of(layout_of(rotor), t[:, 0], turns * t, turns + 0 * t, 0 * t)
    all_of_it = reduced_at(model, np.eye(model.size), np.zeros((1, rotor.nq)))
    M, G, K = (part[0] for part in Arm(all_of_it, track, True).matrices(np.array([0.3]))[:3])
    size = model.size
    zero, one = np.zeros((size, size)), np.eye(size)
    rates = eig(np.block([[zero, one], [-K, -G]]), np.block([[one, zero], [zero, M]]), right=False)
    found = np.sort(np.abs(rates.imag[rates.imag > 0])) / unit
    lag = math.sqrt(FLAPWISE[speed] ** 2 - speed**2)
    assert np.abs(found - FLAPWISE[speed]).min() < 2e-4 * FLAPWISE[speed]
    assert np.abs(found - lag).min() < 1e-3 * lag
    assert found[0] == pytest.approx(lag, rel=1e-3)


def test_moving_terms_are_derivatives() -> None:
    """N and L against differences of the displacements of all mass points with time."""
    arm = two_links(center_of_mass=(0.05, 0.02, 0.1), inertia=np.diag([0.02, 0.03, 0.04]))
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 1, arm.n))
    model = vibration_model(arm, EFFECTS, 3)
    small = reduced_at(model, np.linalg.qr(rng.normal(size=(model.size, 5)))[0], np.zeros((1, model.arm.nq)))
    h = 1e-3
    at = [_points(small, small.placed(q + qd * t + qdd * t**2 / 2)) for t in (-h, 0.0, h)]
    rate, second = (at[2] - at[0]) / (2 * h), (at[2] - 2 * at[1] + at[0]) / h**2
    N, L = moving_terms(small, small.placed(q), (q, qd, qdd), LoadCase())
    mass = small.mass(small.placed(q))[0]
    np.testing.assert_allclose(at[1].T @ at[1], mass, atol=2e-4 * np.abs(mass).max())  # without rotary inertia
    for found, expected in ((N[0], at[1].T @ rate), (L[0], at[1].T @ second)):
        np.testing.assert_allclose(found, expected, atol=2e-4 * np.abs(expected).max())


def _points(small: ReducedModel, at: Placed) -> np.ndarray:
    """(coordinates of points, size): displacements of points with mass, times the root of it. A body is six points on
    its principal axes; a tensor that no six points have is left a little short.
    """
    rows = []
    model = small.model
    twists = np.einsum("bk,kic->bic", small.body_moved, at.twists[0])
    lines = np.einsum("jk,kic->jic", small.before, at.twists[0])
    for inertia, link, twist in zip(model.inertias, model.body_links, twists, strict=True):
        mass = inertia[0, 0]
        moment = np.array([inertia[5, 1], inertia[3, 2], inertia[4, 0]])
        tensor = inertia[3:, 3:]
        spread = 0.5 * np.trace(tensor) * np.eye(3) - tensor
        # Root of the 4 x 4 matrix of moments: signs of its eigenvalues are kept by complex weights.
        J = np.zeros((4, 4))
        J[:3, :3], J[:3, 3], J[3, :3], J[3, 3] = spread, moment, moment, mass
        values, vectors = np.linalg.eigh(J)
        for value, x in zip(values, vectors.T, strict=True):
            place = at.R[0, link] @ x[:3] + at.p[0, link] * x[3]
            moved = twist[:3] * x[3] - skew(place) @ twist[3:]
            rows.append(math.sqrt(max(value, 0.0)) * moved)
    from loadpath.structure.vibration.basis import shapes
    from loadpath.structure.vibration.mass import arm_parts

    shares = arm_parts(model.arm).shares
    for row, k in enumerate(small.pieces):
        piece = model.pieces[k]
        if piece.stretch is None:
            continue
        x, weights = piece.stretch.nodes()
        mass = shares[k] * weights * piece.stretch.properties(x).mass
        own = shapes(piece.stretch, x, piece.order, model.effects).values[:, :3] @ small.basis[piece.columns]
        link = small.links[row]
        for m, s, d in zip(mass, own, x, strict=True):
            place = at.R[0, link] @ (piece.start + d * piece.axes[:, 0]) + at.p[0, link]
            rigid = lines[row, :3] - skew(place) @ lines[row, 3:]
            rows.append(math.sqrt(m) * (rigid + at.R[0, link] @ piece.axes @ s))
            # The line as a rigid body is in the bodies already: it is taken out again by an imaginary mass.
            rows.append(1j * math.sqrt(m) * rigid)
    return np.concatenate(rows)
