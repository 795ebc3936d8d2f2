"""The data of grounds: surfaces, patches, motions."""

import math
import pickle

import numpy as np
import pytest

import loadpath as lp

DECK = lp.GroundMotion(
    surge=lp.Sinusoid(0.4, 0.2, 0.3), sway=(lp.Sinusoid(0.2, 0.15), lp.Sinusoid(0.1, 0.4, 1.0)),
    heave=lp.Sinusoid(1.5, 0.1, 0.2, mean=0.3), roll=lp.Sinusoid(0.3, 0.12), pitch=lp.Sinusoid(0.15, 0.17, 0.5),
    yaw=lp.Sinusoid(0.2, 0.05, 1.1), about=(-3.0, 0.5, -2.0),
)


def in_world(motion: lp.GroundMotion, point: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Where a point of the ground is, by Euler angles in another order of composing."""
    state = motion.at(t)
    return state.position + state.rotation @ point


def test_velocities_and_accelerations_are_the_rates_of_places() -> None:
    t, h, point = np.linspace(0.0, 9.0, 13), 1e-4, np.array([1.0, -2.0, 0.5])
    before, now, after = (in_world(DECK, point, t + k * h) for k in (-1, 0, 1))
    state = DECK.at(t)
    velocity = np.einsum("kij,kj->ki", state.rotation, state.velocity_at(point))
    acceleration = np.einsum("kij,kj->ki", state.rotation, state.acceleration_at(point))
    np.testing.assert_allclose((after - before) / (2 * h), velocity, atol=1e-7)
    np.testing.assert_allclose((after - 2 * now + before) / h**2, acceleration, atol=1e-5)


def test_the_point_about_which_it_moves_is_heaved_and_not_turned() -> None:
    about = np.array(DECK.about)
    np.testing.assert_allclose(in_world(DECK, about, np.array(2.0))[2] - about[2],
                               1.5 * math.sin(0.4 * math.pi + 0.2) + 0.3, atol=1e-12)


def test_signs_of_roll_and_pitch() -> None:
    rolled, pitched = lp.GroundMotion(roll=0.1).at(0.0).rotation, lp.GroundMotion(pitch=0.1).at(0.0).rotation
    assert (rolled @ [0, -1, 0])[2] < 0  # lowers the right
    assert (pitched @ [1, 0, 0])[2] < 0  # lowers what is ahead


def test_functions_logs_and_sinusoids_say_the_same() -> None:
    wave, t = lp.Sinusoid(0.7, 0.3, 0.4), np.linspace(0, 10, 2001)
    turn = 2 * math.pi * 0.3
    alone = lp.GroundMotion(heave=lambda t: 0.7 * math.sin(turn * t + 0.4))
    all_three = lp.GroundMotion(heave=lambda t: tuple(wave.derivatives(t)))
    logged = lp.GroundMotion(heave=lp.TimeSeries(t, wave.derivatives(t)[:, 0]))
    at = np.linspace(1.0, 9.0, 7)
    right = lp.GroundMotion(heave=wave).at(at).acceleration
    np.testing.assert_allclose(all_three.at(at).acceleration, right, atol=1e-14)
    np.testing.assert_allclose(alone.at(at).acceleration, right, atol=1e-8)
    np.testing.assert_allclose(logged.at(at).acceleration, right, atol=1e-8)


def test_cubic_maps_are_smooth_and_linear_maps_are_exact_at_their_points() -> None:
    x, y = np.linspace(-1, 1, 41), np.linspace(0, 2, 31)
    z = 0.1 * np.sin(2 * x[:, None]) * np.cos(y)
    smooth, linear = lp.HeightMap(x, y, z, "cubic"), lp.HeightMap(x, y, z)
    np.testing.assert_allclose(linear.height(x[:, None], y), z, atol=1e-15)
    px, py = np.array([0.123, -0.7]), np.array([0.456, 1.9])
    np.testing.assert_allclose(smooth.height(px, py), 0.1 * np.sin(2 * px) * np.cos(py), atol=1e-6)
    slopes = np.stack([0.2 * np.cos(2 * px) * np.cos(py), -0.1 * np.sin(2 * px) * np.sin(py)], axis=-1)
    np.testing.assert_allclose(smooth.gradient(px, py), slopes, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(smooth.normal(px, py), axis=-1), 1.0, atol=1e-15)


def test_kerbs_and_ramps_in_any_direction_over_a_strip() -> None:
    kerb = lp.Kerb(at=1.0, step=0.1, depth=0.5, direction=math.pi / 2, across=(-1.0, 0.0))  # for 0 <= x <= 1
    x, y = np.array([0.5, 0.5, 0.5, -0.5]), np.array([0.9, 1.2, 1.6, 1.2])
    assert kerb.height(x, y).tolist() == [0.0, 0.1, 0.0, 0.0]
    ramp = lp.Ramp(at=0.0, slope=math.atan(0.5), length=2.0, direction=math.pi)
    np.testing.assert_allclose(ramp.height([-1.0, -5.0, 1.0], 0.0), [0.5, 1.0, 0.0])
    np.testing.assert_allclose(ramp.gradient(-1.0, 0.0), [-0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose((kerb + ramp).height(x, y), kerb.height(x, y) + ramp.height(x, y))


def test_patches_by_distance_and_the_last_counts() -> None:
    rng = np.random.default_rng(1)
    triangle = lp.Patch(((0, 0), (2, 0), (0, 2)), lp.WheelFriction(0.1))
    x, y = rng.uniform(-1, 3, (2, 500))
    assert (triangle.contains(x, y) == ((x >= 0) & (y >= 0) & (x + y <= 2))).all()
    mat = lp.Patch(((-1, -1), (0.5, 0.5)), lp.WheelFriction(0.9))
    ground = lp.Ground(patches=(triangle, mat), friction=lp.WheelFriction(0.6))
    assert [ground.friction_at(*at).sliding for at in ((0.2, 0.2), (1, 0.5), (3, 3))] == [0.9, 0.1, 0.6]


def test_nan_stays_nan() -> None:
    surface = lp.Kerb(1.0, 0.1, across=(-1, 1)) + lp.Ramp(0.0, 0.1) + lp.HeightMap((-9, 9), (-9, 9), ((0, 1), (2, 3)))
    for x, y in ((np.nan, 0.0), (0.0, np.nan)):
        assert np.isnan(surface.height(x, y)) and np.isnan(surface.normal(x, y)).all()
    assert np.isnan(lp.HeightMap(range(4), range(4), np.zeros((4, 4)), "cubic").height([1.0, np.nan], 0.5))[1]
    assert np.isnan(DECK.at([0.0, np.nan]).acceleration).all(axis=-1).tolist() == [False, True]


def test_grounds_are_data() -> None:
    def ground() -> lp.Ground:
        surface = lp.Kerb(1.0, 0.1) + lp.HeightMap((0, 1), (0, 1), np.zeros((2, 2)))
        patches = (lp.Patch(((0, 0), (1, 1)), lp.WheelFriction(0.2)),)
        return lp.Ground(surface=surface, patches=patches, motion=DECK)

    assert ground() == ground() and hash(ground()) == hash(ground())
    assert pickle.loads(pickle.dumps(ground())) == ground() and ground().plane == lp.Ground()


@pytest.mark.parametrize(("make", "words"), [
    (lambda: lp.Ground(surface=0.1), "surface of the ground is 0.1: expected an lp.HeightMap"),
    (lambda: lp.Ground(patches=(3,)), "patches of the ground have 3"),
    (lambda: lp.Ground(motion=lambda t: t), "motion of the ground is"),
    (lambda: lp.GroundMotion(roll=15.0), "15 degrees are 0.2618 rad"),
    (lambda: lp.GroundMotion(roll=lp.Sinusoid(20.0, 0.1)), "20 degrees are 0.3491 rad"),
    (lambda: lp.GroundMotion(heave="up"), "heave of the ground is 'up'"),
    (lambda: lp.GroundMotion(heave=(1.0, 2.0)), "expected a number, an lp.Sinusoid or several"),
    (lambda: lp.Sinusoid(1.0, -0.1), "a period of T seconds has 1/T"),
    (lambda: lp.TimeSeries((0, 1), (0, 1)), "expected 6 or more that rise"),
    (lambda: lp.TimeSeries(range(7), range(6)), "7 times and 6 values"),
    (lambda: lp.Ramp(0.0, 12.0), "12.0 degrees are 0.2094 rad"),
    (lambda: lp.Kerb(0.0, 100.0), "is it in millimetres"),
    (lambda: lp.Kerb(0.0, 0.1, across=(1.0, 0.0)), "which rises"),
    (lambda: lp.HeightMap((0, 1), (0, 1), ((0, 1),)), "expected (2, 2)"),
    (lambda: lp.HeightMap((0, 0), (0, 1), ((0, 1), (0, 1))), "numbers or more that rise"),
    (lambda: lp.Patch(((0, 0), (0, 1)), lp.WheelFriction(0.1)), "has no area"),
    (lambda: lp.Patch(((0, 0), (1, 1)), 0.1), "friction of a patch is 0.1"),
])
def test_wrong_grounds_are_refused(make, words: str) -> None:
    with pytest.raises(lp.ModelError) as problem:
        make()
    assert words in str(problem.value)


def test_points_and_times_outside_are_refused() -> None:
    with pytest.raises(ValueError, match="height map has x from 0 to 1 m"):
        lp.HeightMap((0, 1), (0, 1), np.zeros((2, 2))).height(2.0, 0.5)
    with pytest.raises(ValueError, match="its log goes from 0 to 5 s"):
        lp.GroundMotion(heave=lp.TimeSeries(range(6), range(6))).at([1.0, 7.0])
    with pytest.raises(ValueError, match="no rotation matrix"):
        lp.GroundState(rotation=2 * np.eye(3))
