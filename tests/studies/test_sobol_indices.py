"""Sobol indices: Ishigami's function and a product in closed form, SciPy's estimators, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sobol_indices, uniform

import loadpath as lp
from loadpath.studies.indices import indices_of

PI = np.pi
A, B = 7.0, 0.1


def ishigami(x: np.ndarray) -> np.ndarray:
    return np.sin(x[0]) + A * np.sin(x[1]) ** 2 + B * x[2] ** 4 * np.sin(x[0])


def cube(**more: object) -> lp.Space:
    return lp.Space(x=lp.span(-PI, PI), y=lp.span(-PI, PI), z=lp.span(-PI, PI), **more)


def test_ishigami_in_closed_form() -> None:
    space = cube(fixed=3.0, copy=lambda x: 2 * x).pairs(2048, seed=1)
    columns = space.columns(slice(0, len(space)))
    assert len(space) == 2048 * 5
    values = ishigami(np.stack([columns[name] for name in "xyz"]))
    found = indices_of({"f": values, "shifted": values + 1000.0}, space.varying, 0.95, 0)
    variance = A**2 / 8 + B * PI**4 / 5 + B**2 * PI**8 / 18 + 0.5
    first = np.array([0.5 * (1 + B * PI**4 / 5) ** 2, A**2 / 8, 0.0]) / variance
    both = 8 * B**2 * PI**8 / 225 / variance
    total = first + np.array([both, 0.0, both])
    for name in ("f", "shifted"):
        np.testing.assert_allclose(found.first[name], first, atol=0.02)
        np.testing.assert_allclose(found.total[name], total, atol=0.02)
        low, high = found.first_bounds[name]
        assert (low <= first + 5e-3).all() and (first - 5e-3 <= high).all() and (high - low < 0.2).all()
    assert [name for name, _ in found.ranked("f")] == ["x", "y", "z"]


def test_estimators_are_those_of_scipy() -> None:
    """Both draw the same points: the halves of a scrambled sequence."""
    space = cube().pairs(256, seed=5)
    columns = space.columns(slice(0, len(space)))
    plan = ishigami(np.stack([columns[name] for name in "xyz"])).reshape(256, 5)
    evaluations = {"f_A": plan[:, :1].T, "f_B": plan[:, -1:].T, "f_AB": plan[:, 1:-1].T[:, None, :]}
    expected = sobol_indices(func=evaluations, n=256, dists=[uniform(-PI, 2 * PI)] * 3)
    found = indices_of({"f": plan.ravel()}, ("x", "y", "z"), 0.95, 0)
    np.testing.assert_allclose(found.first["f"], np.ravel(expected.first_order), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.total["f"], np.ravel(expected.total_order), rtol=1e-12, atol=1e-12)


def test_a_study_goes_through_the_kernels_and_stops_anywhere(tmp_path) -> None:
    """Torque of a level arm: g (m l + what is constant), of a mass and a length, by hand; entries of all wrenches."""
    arm = lp.catalog.planar(1).with_payload(1.0)
    space = lp.Space({"payload.mass": lp.span("1 kg", "5 kg"), "link1.length": lp.span("0.5 m", "1.5 m")})
    level = ([[0.0]], [[0.0]], [[0.0]])
    asked = ["joint1.drive", "wrenches", "mass"]
    study = lp.study(arm, space.pairs(512, seed=2), level, answers=asked, to=tmp_path / "pairs.zarr", chunk=300).run()
    found = study.sobol_indices()
    of_mass, of_length, both = 16 / 12 * 1.0**2, 1.0 / 12 * 3.0**2, 16 / 12 * 1.0 / 12  # Var(m) E(l)^2, E(m)^2 Var(l)
    variance = of_mass + of_length + both
    np.testing.assert_allclose(found.first["joint1.drive"], [of_mass / variance, of_length / variance], atol=0.02)
    total = [(of_mass + both) / variance, (of_length + both) / variance]
    np.testing.assert_allclose(found.total["joint1.drive"], total, atol=0.02)
    np.testing.assert_allclose(found.total["mass"], [1.0, 0.0], atol=0.02)
    assert found.total["wrenches"].shape == (2, 3, 6)
    assert np.isnan(found.total["wrenches"][:, 0, 0]).all()  # no force along x, in no design
    again = lp.study(arm, space.pairs(512, seed=2), level, answers=asked, to=tmp_path / "pairs.zarr").sobol_indices()
    np.testing.assert_array_equal(again.first_bounds["wrenches"], found.first_bounds["wrenches"])
    few = lp.study(arm, space.pairs(128, seed=2), level, answers=asked).run()
    np.testing.assert_array_equal(few.answer("mass"), study.answer("mass")[:512])  # a plan begins as a shorter one
    assert "mass" in str(found) and "wrenches" not in str(found)
    assert len(found.to_dataframe()) == 2 * (1 + 18 + 1)


def test_what_has_no_indices_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pairs: this space has conditions \(x <= y\), which tie parameters"):
        cube().subject_to("x <= y").pairs(16)
    with pytest.raises(ValueError, match="a condition ties them"):
        cube().pairs(16).subject_to("x <= y")
    with pytest.raises(ValueError, match="no parameter of this space varies"):
        lp.Space(a=1.0).pairs(16)
    arm = lp.catalog.planar(1).with_payload(1.0)
    masses = lp.Space({"payload.mass": lp.span("0 kg", "5 kg")})
    with pytest.raises(ValueError, match=r"space\.pairs\(1024\)"):
        lp.study(arm, masses, answers=["mass"]).run().sobol_indices()
    with pytest.raises(ValueError, match="no pair is computed yet"):
        lp.study(arm, masses.pairs(16), answers=["mass"]).sobol_indices()
    with pytest.raises(ValueError, match="confidence is 2"):
        lp.study(arm, masses.pairs(16), answers=["mass"]).run().sobol_indices(confidence=2)
    fails = lp.Answer(lambda robot: float("nan") if robot.link("payload").inertia.mass > 2 else 1.0, name="f")
    with pytest.raises(ValueError, match=r"of 16 pairs \d+ have a design that failed"):
        lp.study(arm, masses.pairs(16), answers=[fails]).run().sobol_indices()
