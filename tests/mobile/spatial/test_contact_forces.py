"""Forces of many contacts that could hold the same: what the complementarity problem asks, looked at by itself."""

import numpy as np
import pytest

from loadpath.mobile.spatial.cones import Sets, contact_forces


def problem(seed, contacts=6, rubs=0):
    """Contacts of a body with 8 freedoms, each with a normal and a row of friction; `rubs` slide sideways in addition,
    with their friction in the columns of their normal forces.
    """
    rng = np.random.default_rng(seed)
    places = np.column_stack([rng.uniform(-1, 1, (contacts, 2)), np.full(contacts, -0.5)])
    J = np.zeros((2 * contacts, 8))
    for k, r in enumerate(places):
        for row, n in ((k, (0, 0, 1)), (contacts + k, (0, 1, 0))):
            J[row, :6] = *n, *np.cross(r, n)
            J[row, 6:] = rng.normal(size=2) * (k < 4)
    inertia = np.diag(rng.uniform(0.5, 2.0, 8))
    E = J.T.copy()
    for k in range(rubs):
        E[:6, k] += 0.2 * np.array([1, 0, 0, *np.cross(places[k], (1, 0, 0))])
    per = np.linalg.solve(inertia, np.column_stack([E, J.T]))
    soft = 1e-9 * np.eye(2 * contacts)
    W, alone = J @ per[:, : 2 * contacts] + soft, J @ per[:, 2 * contacts :] + soft
    force = np.array([*rng.normal(size=2), -10.0, *rng.normal(size=3), 0, 0])
    groups = tuple(np.array([contacts + k]) for k in range(contacts))
    sets = Sets(np.arange(contacts), groups, np.zeros(contacts), np.full(contacts, 0.8), np.arange(contacts))
    return W, J @ np.linalg.solve(inertia, force), sets, alone if rubs else None


@pytest.mark.parametrize("rubs", [0, 2])
def test_forces_press_hold_and_rub_as_they_must(rubs):
    for seed in (*range(20), 56):
        W, b, sets, alone = problem(seed, rubs=rubs)
        x, solved = contact_forces(W, b, sets, None, alone)
        assert solved, seed
        v, count = W @ x + b, len(sets.normals)
        size = 1e-5 * (1 + np.abs(x).max())
        N, f, lifts, slips = x[:count], x[count:], v[:count], v[count:]
        assert N.min() > -size and lifts.min() > -size and np.abs(N * lifts).max() < size
        assert (np.abs(f) <= 0.8 * np.maximum(N, 0) + size).all()
        moves = np.abs(slips) > size
        assert f[moves] == pytest.approx(-0.8 * N[moves] * np.sign(slips[moves]), abs=size)
