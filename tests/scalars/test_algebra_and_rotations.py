"""Vectors and rotations over any scalar, against NumPy and SciPy."""

from __future__ import annotations

import math

import casadi
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as SciPyRotation

from loadpath.scalars import (
    IDENTITY,
    AxisTurn,
    Counter,
    array,
    compose,
    cos,
    cross,
    dot,
    outer,
    rotation_from_matrix,
    scale,
    sign,
    sin,
    skew,
    sqrt,
    turn_about,
    vector,
)
from on_scalars import entries, gathered

angles = st.floats(-10, 10)
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)


def matrix(rotation: object) -> np.ndarray:
    return rotation.matrix().astype(float)


@pytest.mark.parametrize("batch", [(), (5,), (2, 3)])
def test_products_are_those_of_numpy_for_floats_and_batches(batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    a, b, s = rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 3)), rng.normal(size=batch)
    x, y = entries(a), entries(b)
    np.testing.assert_allclose(gathered(cross(x, y), batch), np.cross(a, b), atol=1e-15)
    np.testing.assert_allclose(gathered(dot(x, y), batch), (a * b).sum(-1), atol=1e-15)
    np.testing.assert_allclose(gathered(skew(x) @ y, batch), np.cross(a, b), atol=1e-15)
    np.testing.assert_allclose(gathered(outer(x, y), batch), a[..., :, None] * b[..., None, :])
    np.testing.assert_allclose(gathered(scale(s, x), batch), s[..., None] * a)


def test_dot_refuses_vectors_of_different_lengths() -> None:
    with pytest.raises(ValueError):
        dot(vector(1.0, 2.0, 3.0), array([1.0, 2.0]))


@given(directions, angles, angles)
def test_turns_about_any_axis_are_those_of_scipy(direction: tuple[float, ...], angle: float, zero: float) -> None:
    axis = np.array(direction) / math.hypot(*direction)
    expected = SciPyRotation.from_rotvec(axis * (angle + zero)).as_matrix()
    np.testing.assert_allclose(matrix(turn_about(axis, angle, zero)), expected, atol=5e-15)


@given(st.integers(0, 2), st.sampled_from([1.0, -1.0]), angles, st.integers(-7, 7))
def test_quarter_turns_as_zero_are_exact(k: int, direction: float, angle: float, quarters: int) -> None:
    axis = direction * np.eye(3)[k]
    expected = SciPyRotation.from_rotvec(axis * (angle + quarters * math.pi / 2)).as_matrix()
    np.testing.assert_allclose(matrix(turn_about(axis, angle, quarters * math.pi / 2)), expected, atol=1e-14)
    still = matrix(turn_about(axis, 0.0, quarters * math.pi / 2))
    assert set(np.abs(still).ravel()) == {0.0, 1.0}


@given(st.lists(st.tuples(directions, angles), max_size=4))
def test_products_of_rotations_and_their_inverses(parts: list[tuple[tuple[float, ...], float]]) -> None:
    turns = [turn_about(np.array(d) / math.hypot(*d), angle) for d, angle in parts]
    product = compose(IDENTITY, *turns, IDENTITY)
    expected = np.eye(3)
    for turn in turns:
        expected = expected @ matrix(turn)
    np.testing.assert_allclose(matrix(product), expected, atol=1e-14)
    np.testing.assert_allclose(matrix(product.T), expected.T, atol=1e-14)
    v = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose((product @ entries(v)).astype(float), expected @ v, atol=1e-13)


def test_a_turn_about_a_coordinate_axis_costs_four_multiplications_and_two_additions() -> None:
    counter = Counter()
    turn = AxisTurn(2, counter.scalar(0.6), counter.scalar(0.8))
    _ = turn @ array([counter.scalar(x) for x in (1.0, 2.0, 3.0)])
    assert (counter.multiplications, counter.additions) == (4, 2)


def test_two_turns_cost_what_the_book_says_of_dh_frames() -> None:
    """Angeles (7.23), (7.24): 8 multiplications and 4 additions for Q_i v."""
    counter = Counter()
    Q = compose(turn_about((0, 0, 1), counter.scalar(0.3)), turn_about((1, 0, 0), 0.4))
    counter.functions = 0
    _ = Q @ array([counter.scalar(x) for x in (1.0, 2.0, 3.0)])
    assert (counter.multiplications, counter.additions) == (8, 4)


@pytest.mark.parametrize("exponent", range(17))
@pytest.mark.parametrize("axis", [*np.eye(3), np.array([0.6, 0.0, 0.8]), np.array([0.48, 0.6, 0.64])], ids=str)
def test_no_tilt_is_lost_when_a_rotation_is_recognised(axis: np.ndarray, exponent: int) -> None:
    """The cosine of 1e-8 is 1 to the last digit, but its sine is not 0."""
    for quarter in (np.eye(3), SciPyRotation.from_euler("z", 90, degrees=True).as_matrix()):
        expected = SciPyRotation.from_rotvec(axis * 10.0**-exponent).as_matrix() @ quarter
        np.testing.assert_allclose(matrix(rotation_from_matrix(expected)), expected, rtol=0, atol=5e-15)


@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda v: math.hypot(*v) > 0.1))
def test_any_rotation_matrix_comes_back(quaternion: tuple[float, ...]) -> None:
    expected = SciPyRotation.from_quat(quaternion).as_matrix()
    np.testing.assert_allclose(matrix(rotation_from_matrix(expected)), expected, rtol=0, atol=5e-15)
    np.testing.assert_allclose(matrix(rotation_from_matrix(expected).T), expected.T, rtol=0, atol=5e-15)


@pytest.mark.parametrize(("function", "plain"), [(sin, math.sin), (cos, math.cos), (sqrt, math.sqrt)])
def test_functions_of_every_kind_of_scalar(function: object, plain: object) -> None:
    expected = plain(0.7)
    x = casadi.SX.sym("x")
    symbol = sympy.Symbol("x")
    values = {
        "float": function(0.7),
        "int": function(1) - plain(1) + expected,
        "NumPy float": function(np.float64(0.7)),
        "batch": function(np.array([0.7, 0.9]))[0],
        "CasADi": casadi.Function("f", [x], [function(x)])(0.7),
        "SymPy": function(symbol).subs(symbol, 0.7),
        "counting": function(Counter().scalar(0.7)),
    }
    assert {kind: float(value) for kind, value in values.items()} == pytest.approx(dict.fromkeys(values, expected))


@pytest.mark.parametrize("value", [-2.5, 0.0, 3.0])
def test_sign_of_every_kind_of_scalar(value: float) -> None:
    x = casadi.SX.sym("x")
    symbol = sympy.Symbol("x")
    found = [
        sign(value),
        sign(np.array([value]))[0],
        casadi.Function("f", [x], [sign(x)])(value),
        sign(symbol).subs(symbol, value),
        sign(Counter().scalar(value)),
    ]
    assert [float(entry) for entry in found] == [np.sign(value)] * len(found)


def test_a_scalar_of_an_unknown_kind_is_named() -> None:
    with pytest.raises(TypeError, match="sin of a str is not known"):
        sin("0.7")
