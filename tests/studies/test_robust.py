"""What becomes of designs over payloads and tolerances; fronts that are refined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2).with_payload(0.0)
LEVEL = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
G = 9.81


def torque(length: Any, payload: Any) -> Any:
    """Of joint 1 of the level arm, N m: both links weigh 1 kg, with mass centers halfway of 1 m."""
    return G * (0.5 + length + 0.5 + payload * (length + 1.0))


def space() -> lp.Space:
    return lp.Space({"nominal": lp.span("0.6 m", "1 m", 3), "off": lp.span("-2 mm", "2 mm"),
                     "link1.length": lambda nominal, off: nominal + off, "payload.mass": lp.span("0 kg", "4 kg")})


def test_the_worst_is_at_a_corner_and_probability_is_a_share() -> None:
    scattered = space().scatter("off", "payload.mass", count=256, seed=3)
    assert scattered.shape == (3, 260) and scattered.varying == ("nominal", "off", "payload.mass")
    study = lp.study(ARM, scattered, LEVEL, answers={"drive": "joint1.drive", "m": "mass"}, chunk=50).run()
    found = study.robust(where="drive <= 60 and m > 0")
    nominal = np.array([0.6, 0.8, 1.0])
    np.testing.assert_allclose(found.worst["drive"], torque(nominal + 0.002, 4.0), rtol=1e-12)
    assert [study.design(int(k))["off"] for k in found.worst_at["drive"]] == [0.002] * 3
    columns = study.columns()
    draws = torque(columns["link1.length"], columns["payload.mass"]).reshape(3, 260)[:, 4:]
    assert found.probability is not None
    np.testing.assert_array_equal(found.probability, (draws <= 60).mean(axis=1))
    np.testing.assert_allclose(found.mean["drive"], draws.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.spread["drive"], draws.std(axis=1, ddof=1), rtol=1e-12)
    exact = (60 / G - nominal - 1.0) / (nominal + 1.0) / 4.0  # the payload that is just carried, of 4 kg
    np.testing.assert_allclose(found.probability, exact, atol=0.01)
    front = found.front("drive", "nominal", maximise=["nominal"], where="probability >= 65 %")
    assert front.numbers.tolist() == [0] and "payload.mass" not in front.designs[0]
    assert found.to_dataframe()["drive worst"].tolist() == found.worst["drive"].tolist()
    assert study.dataset["drive"].dims == ("nominal", "draw") if _has_xarray() else True


def _has_xarray() -> bool:
    try:
        import xarray  # noqa: F401
    except ImportError:
        return False
    return True


def test_axes_of_a_grid_and_designs_that_fail() -> None:
    grid = lp.Space({"link1.length": [0.6, 1.0], "payload.mass": [-1.0, 1.0, 4.0]})
    study = lp.study(ARM, grid, LEVEL, answers=["joint1.drive"]).run()
    found = study.robust(over=["payload.mass"], where="joint1.drive < 60")
    assert np.isnan(found.worst["joint1.drive"]).all() and found.probability is not None
    np.testing.assert_array_equal(found.probability, [1 / 3, 1 / 3])
    left_out = lp.study(ARM, grid.subject_to("payload.mass > 0"), LEVEL, answers=["joint1.drive"]).run()
    found = left_out.robust(over=["payload.mass"], smallest=["joint1.drive"])
    np.testing.assert_allclose(found.worst["joint1.drive"], torque(np.array([0.6, 1.0]), 1.0), rtol=1e-12)


def test_samples_are_scattered_too_and_are_the_same_by_part(tmp_path: Any) -> None:
    sampled = space().sobol(8, seed=1).scatter("payload.mass", count=6, seed=2)
    assert sampled.shape == (8, 8) and len(sampled) == 64
    whole = sampled.columns(slice(0, 64))
    for name, column in sampled.columns([3, 40, 17]).items():
        np.testing.assert_array_equal(column, whole[name][[3, 40, 17]])
    assert len(np.unique(whole["nominal"])) == 8
    np.testing.assert_array_equal(whole["payload.mass"][:8], whole["payload.mass"][8:16])
    assert sampled.content != space().sobol(8, seed=1).scatter("payload.mass", count=6, seed=3).content


@pytest.mark.parametrize(("make", "said"), [
    (lambda: space().scatter("payloadmass"), "did you mean 'payload.mass'"),
    (lambda: space().scatter(), "expected the names"),
    (lambda: space().scatter("nominal", "off", "payload.mass"), "one at least that is"),
    (lambda: space().scatter("off").pairs(8), "scattered about each design"),
    (lambda: space().pairs(8).scatter("off"), "scatter before"),
    (lambda: lp.study(ARM, space(), LEVEL, answers=["mass"]).run().robust(), "nothing is scattered"),
    (lambda: lp.study(ARM, space().sobol(4), LEVEL, answers=["mass"]).run().robust(over=["off"]), "are samples"),
    (lambda: lp.study(ARM, space(), LEVEL, answers=["mass"]).run().robust(over=["of"]), "no axis of this grid"),
])
def test_what_is_refused(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_a_refined_front_is_as_good_or_better() -> None:
    """Of two aims against each other, over a curve that is known: torque and reach of an arm with its tube's wall."""
    wide = lp.Space({"link1.length": lp.span("0.5 m", "1.5 m", 5), "payload.mass": lp.span("0 kg", "4 kg", 5),
                     "tool": [0.0, 0.3], "link2.mass": lambda tool: 1.0 + tool}).subject_to(
        "link1.length * payload.mass <= 4.4")
    study = lp.study(ARM, wide, LEVEL, answers=["joint1.drive"]).run()
    asked: dict[str, Any] = {"maximise": ["payload.mass", "link1.length"]}
    front = study.front("joint1.drive", **asked)
    finer = study.refined(front, 400, within=0.5, seed=2).run()
    assert finer.counts["failed"] == 0 and finer.counts["left out"] > 0
    better = finer.front("joint1.drive", **asked)
    assert len(better) > 3 * len(front)
    for row in front.values * [1, -1, -1]:
        assert (better.values * [1, -1, -1] <= row).all(axis=1).any()
    columns = finer.columns()
    assert {*columns["tool"]} == {0.0} and columns["link1.length"].min() >= 0.5 and columns["payload.mass"].max() <= 4
    again = study.refined(front, 400, within=0.5, seed=2)
    np.testing.assert_array_equal(again.columns()["payload.mass"], columns["payload.mass"])
    with pytest.raises(ValueError, match="is no front"):
        study.refined([1, 2])  # type: ignore[arg-type]
