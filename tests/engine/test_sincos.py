"""Sine and cosine: at most two units in the last place, anywhere; the C library's results beyond the limit."""

from __future__ import annotations

import math

import casadi
import mpmath
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from programs import WIDTHS, program, ufunc

from loadpath.engine.llvm.sincos import LIMIT

ANGLES = program("angles", {"a": ()}, {"s": (), "c": ()}, lambda a: [casadi.sin(a), casadi.cos(a)])
BITS = {"f8": 53, "f4": 24}


def error(result: np.ndarray, angles: np.ndarray, function: str, dtype: str) -> float:
    """The largest error in units of the last place of the true value."""
    worst = 0.0
    with mpmath.workprec(200):
        for got, angle in zip(result, angles, strict=True):
            true = getattr(mpmath, function)(mpmath.mpf(float(angle)))
            unit = 2.0 ** (max(math.frexp(float(true))[1], -1021 if dtype == "f8" else -125) - BITS[dtype])
            worst = max(worst, abs(float((mpmath.mpf(float(got)) - true) / unit)))
    return worst


def near_multiples(dtype: str, largest: int) -> np.ndarray:
    """The numbers next to multiples of pi/2, where all digits cancel."""
    random = np.random.default_rng(0)
    k = np.unique(np.round(np.exp(random.uniform(0, math.log(largest), 500))))
    angle = (k * (math.pi / 2)).astype(dtype)
    return np.concatenate([angle, np.nextafter(angle, 0), np.nextafter(angle, np.inf)])


LARGEST = [1e-8, 0.1, math.pi / 4, 7.0, 1e3, 1e5, 1e6, 1e15]
EXTREMES = {"f8": [1e-300, 1e300], "f4": [1e-37, 1e38]}


@pytest.mark.parametrize(("dtype", "largest"), [(d, x) for d in ("f8", "f4") for x in LARGEST + EXTREMES[d]])
def test_random_angles(dtype: str, largest: float) -> None:
    angles = np.random.default_rng(1).uniform(-largest, largest, 1500).astype(dtype)
    sine, cosine = ufunc(ANGLES)(angles)
    assert error(sine, angles, "sin", dtype) <= 2
    assert error(cosine, angles, "cos", dtype) <= 2


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_angles_next_to_multiples_of_a_right_angle(dtype: str) -> None:
    angles = near_multiples(dtype, 2**20 if dtype == "f8" else 2**11)
    angles = angles[np.abs(angles) < LIMIT[dtype]]
    sine, cosine = ufunc(ANGLES)(angles)
    assert error(sine, angles, "sin", dtype) <= 2
    assert error(cosine, angles, "cos", dtype) <= 2


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_both_sides_of_the_limit(dtype: str) -> None:
    limit = np.array(LIMIT[dtype], dtype)
    angles = np.array([limit, np.nextafter(limit, 0), np.nextafter(limit, np.inf), -limit, 2 * limit], dtype)
    sine, cosine = ufunc(ANGLES)(angles)
    assert error(sine, angles, "sin", dtype) <= 2
    assert error(cosine, angles, "cos", dtype) <= 2


@pytest.mark.parametrize("width", WIDTHS)
def test_infinities_and_nan_stay_in_their_lane(width: int) -> None:
    angles = np.linspace(-3, 3, 4 * width + 1)
    plain = ufunc(ANGLES, width)(angles)
    spoiled = angles.copy()
    spoiled[::3] = np.resize([np.inf, np.nan, -np.inf, 1e22], spoiled[::3].shape)
    with np.errstate(invalid="ignore"):
        results = ufunc(ANGLES, width)(spoiled)
        expected = np.sin(spoiled[::3]), np.cos(spoiled[::3])
    for result, whole, outside in zip(results, plain, expected, strict=True):
        kept = np.arange(len(angles)) % 3 != 0
        assert_array_equal(result[kept], whole[kept])
        np.testing.assert_allclose(result[~kept], outside, rtol=1e-15)


def test_floating_point_exceptions_are_those_of_numpy() -> None:
    compiled = ufunc(ANGLES)
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        compiled(np.array([1e300, -1e200, np.nan, 0.0, 5e-324]))
        with pytest.raises(FloatingPointError, match="invalid"):
            compiled(np.array([1.0, np.inf]))


def test_exact_values() -> None:
    sine, cosine = ufunc(ANGLES)(np.zeros(3))
    assert_array_equal(sine, 0)
    assert_array_equal(cosine, 1)
