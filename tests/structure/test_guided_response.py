"""Vibration in time of arms with guides whose slides stand: against the whole model, Duhamel's integral, and arms
without guides that are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from telescopes import telescope
from test_guided_vibration import RAILS, on_rails
from test_respond import duhamel

import loadpath as lp
from loadpath.motion.profiles import quintic_step
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.response.guided_reduction import reduced_at
from loadpath.structure.response.moving_frame import moving_terms
from loadpath.structure.vibration.elastic_model import elastic_model
from loadpath.structure.vibration.guided_stiffness import generalized_forces, guided_loads

BENDING = ("bending",)
LIGHT = lp.Material(210e9, 81e9, density=0.0, name="light")


def arms() -> list[tuple[str, Any, dict[str, float]]]:
    """Arms with the extensions in which they stand."""
    front = {"along": "front", "torsion": "front"}
    return [
        ("two stages in space", telescope(2, 5, offset=0.1), {"slide1": 1.3}),
        ("steps and pads in front", telescope(2, 5, stepped=True, guides=front), {"slide1": 0.4}),
        ("three stages", telescope(3, 7), {"slide1": 1.3, "slide2": 0.7}),
        ("carriage", on_rails(*RAILS[2], drive=1e5), {"slide": 0.6}),
        ("trolley", on_rails(*RAILS[3], drive=1e5), {"slide": 0.6}),
    ]


@pytest.mark.parametrize("case", arms(), ids=lambda case: case[0])
def test_few_coordinates_against_all(case: tuple[str, Any, dict[str, float]]) -> None:
    """Mass, geometric stiffness, forces and frames of the constant tree in other poses than that it was made in."""
    _, arm, extension = case
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 3, arm.n))
    for joint, value in extension.items():
        q[:, list(arm.dof_names).index(joint)] = value
    model = elastic_model(arm, EFFECTS, 4)
    Y = np.linalg.qr(rng.normal(size=(model.size, 6)))[0]
    small, whole = reduced_at(model, Y, q[:1]), model.at(q)
    at = small.placed(q)
    pulled = LoadCase({arm.link_names[-1]: lp.Wrench((100, 200, -300), (10, 20, 30), point=(0.1, 0.2, 0.3))})
    rows = guided_loads(whole, (q, qd, qdd), pulled)  # type: ignore[arg-type]
    moved, turned = whole.frame_motions(np.broadcast_to(Y.T, (3, *Y.T.shape)))
    pairs = [
        (small.mass(at), Y.T @ whole.matrices()[0] @ Y),
        (small.geometric_stiffness(at, small.loads((q, qd, qdd), LoadCase())),
         Y.T @ whole.loaded((q, qd, qdd), LoadCase())[0] @ Y),
        (small.geometric_stiffness(at, small.loads((q, qd, qdd), pulled)),
         Y.T @ whole.loaded((q, qd, qdd), pulled)[0] @ Y),
        (rows.reshape(3, -1) @ small.load_map.T, generalized_forces(whole, rows) @ Y),  # type: ignore[arg-type]
        (small.frames(at), np.concatenate([np.moveaxis(part, 1, -1) for part in (moved, turned)], axis=-2)),
    ]  # fmt: skip
    for found, expected in pairs:
        assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_moving_terms_of_a_telescope_are_rates() -> None:
    """M' = N + N^T, and N' - N'^T = L - L^T: what the displacements' derivatives must obey."""
    arm = telescope(2, 5, offset=0.1).without_gravity() if hasattr(lp.Robot, "without_gravity") else telescope(2, 5)
    rng = np.random.default_rng(2)
    base = rng.normal(size=(2, 6))
    model = elastic_model(arm, BENDING, 3)
    Y = np.linalg.qr(rng.normal(size=(model.size, 5)))[0]
    small = reduced_at(model, Y, np.array([[0.3, 1.3]]))
    rate, growth, h = np.array([[1.3, 0.0]]), np.array([[0.7, 0.0]]), 1e-4

    def terms(t: float) -> tuple[Any, Any, Any]:
        q, qd = np.array([[0.3, 1.3]]) + rate * t + growth * t**2 / 2, rate + growth * t
        at = small.placed(q)
        return small.mass(at)[0], *(part[0] for part in moving_terms(small, at, (q, qd, growth), LoadCase()))

    assert base.shape == (2, 6)
    before, (M, N, L), after = terms(-h), terms(0.0), terms(h)
    M_rate, N_rate = ((after[k] - before[k]) / (2 * h) for k in range(2))
    assert_allclose(N + N.T, M_rate, atol=1e-6 * np.abs(N).max())
    assert_allclose(L - L.T, N_rate - N_rate.T, atol=1e-6 * np.abs(L).max())
