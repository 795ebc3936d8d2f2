"""Ranges on programs: every value of every point of a box lies in them, computed with more digits than they have."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loadpath as lp
from loadpath.bounds.branch_and_bound import Bounded, maximize
from loadpath.bounds.intervals import OPERATIONS, IntervalTape, UnboundedOperationError, numbers
from loadpath.bounds.mean_value import MeanValue
from loadpath.engine.program import Tape

EXACT = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": np.divide,
    "neg": lambda a: -a, "inv": lambda a: np.divide(1.0, a), "sq": lambda a: a * a, "twice": lambda a: a + a,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "exp": np.exp, "sign": np.sign, "fabs": np.abs, "atan2": np.arctan2,
}
TWO = ("add", "sub", "mul", "div", "atan2")


def random_tape(rng: np.random.Generator, inputs: int, length: int) -> Tape:
    tape = Tape(inputs, {inputs: float(rng.normal()), inputs + 1: 0.0}, {}, {}, ())
    count = inputs + 2
    for _ in range(length):
        name = str(rng.choice([*OPERATIONS]))
        arguments = tuple(int(k) for k in rng.integers(0, count, 2 if name in TWO else 1))
        if name in ("sin", "cos"):
            if arguments[0] in tape.angles:
                continue
            tape.angles[arguments[0]] = count, count + 1
            count += 2
            continue
        tape.operations[count] = name, arguments
        count += 1
    return Tape(tape.inputs, tape.constants, tape.operations, tape.angles, tuple(range(inputs, count)))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_value_lies_in_its_range(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tape = random_tape(rng, 3, 30)
    center, half = rng.normal(size=(6, 3)) * 2, rng.choice([0.0, 1e-9, 0.1, 2.0], size=(6, 3))
    low, high = center - half, center + half
    least, most = IntervalTape(tape).ranges(low, high)
    for k in range(6):
        points = np.vstack([rng.uniform(low[k], high[k], (200, 3)), low[k], high[k]])
        for kind in (np.float64, np.longdouble):
            columns = [points[:, j].astype(kind) for j in range(3)]
            for place, value in enumerate(tape.run(columns, EXACT)):
                values = np.broadcast_to(value, len(points))
                known = ~np.isnan(values)
                assert (values[known] >= least[k, place]).all(), (tape, place)
                assert (values[known] <= most[k, place]).all(), (tape, place)


def test_a_range_of_cosines_is_as_narrow_as_it_can_be() -> None:
    low, high = np.array([[-0.5], [0.2], [3.0], [1.0], [-100.0]]), np.array([[0.4], [0.3], [3.3], [8.0], [-99.9]])
    least, most = IntervalTape(Tape(1, {}, {}, {0: (1, 2)}, (1, 2))).ranges(low, high)
    points = low + (high - low) * np.linspace(0, 1, 200_001)
    for column, function in ((0, np.sin), (1, np.cos)):
        np.testing.assert_allclose(least[:, column], function(points).min(axis=1), atol=2e-9)
        np.testing.assert_allclose(most[:, column], function(points).max(axis=1), atol=2e-9)


def test_what_has_no_range_is_said() -> None:
    with pytest.raises(UnboundedOperationError, match="no range of erf"):
        IntervalTape(Tape(1, {}, {1: ("erf", (0,))}, {}, (1,)))
    assert math.isnan(numbers(Tape(1, {}, {1: ("inv", (0,))}, {}, (1,)), [0.0])[0])


class _Bowl:
    """Less than 3 by the square of the distance from a point; known only by halves that are exact."""

    def __init__(self, top: np.ndarray) -> None:
        self.top = top

    def values(self, points: np.ndarray) -> np.ndarray:
        return 3.0 - ((points - self.top) ** 2).sum(axis=1)

    def bounds(self, low: np.ndarray, high: np.ndarray) -> Bounded:
        center, half = (low + high) / 2, (high - low) / 2
        slope = -2 * (center - self.top)
        plane = self.values(center)  # concave: below its tangent
        return Bounded(plane + (np.abs(slope) * half).sum(axis=1), plane, slope, slope, 2 * half, half)


def test_branch_and_bound_ends_at_the_top() -> None:
    top = np.array([0.3, -0.2, 5.0])
    low, high = np.full((1, 3), -1.0), np.full((1, 3), 1.0)
    found = maximize(_Bowl(top), low, high, start=low, tolerance=1e-6, seconds=60)
    assert found.certified
    assert found.value == pytest.approx(3.0 - 16.0, rel=1e-6)
    assert found.value <= 3.0 - 16.0 <= found.bound
    np.testing.assert_allclose(found.point, [0.3, -0.2, 1.0], atol=1e-2)


def test_the_mean_value_form_bounds_values_and_slopes() -> None:
    form = MeanValue(2, lambda x: (x[0].sin() * x[1] + x[0] * x[0]).exp(), lambda p: p[:, 0])
    rng = np.random.default_rng(4)
    low = rng.uniform(-1, 1, (40, 2))
    high = low + rng.choice([0.0, 1e-3, 0.5], (40, 2))
    bounds = form.bounds(low, high)
    x = low + (high - low) * rng.uniform(size=(100, 40, 2))
    values = np.exp(np.sin(x[..., 0]) * x[..., 1] + x[..., 0] ** 2)
    slopes = values[..., None] * np.stack([np.cos(x[..., 0]) * x[..., 1] + 2 * x[..., 0], np.sin(x[..., 0])], axis=-1)
    assert (values <= bounds.upper).all()
    center = (low + high) / 2
    assert (values <= bounds.plane + ((x - center) * bounds.tilt).sum(axis=-1) + 1e-12).all()
    moving = high > low
    assert (np.abs(slopes - bounds.slope) <= bounds.slope_error)[:, moving].all()


def test_a_load_with_a_spring_is_bounded_by_ranges() -> None:
    """A rod on a spring: m g l / 2 cos q + k q, whose largest value in reach is where the slope is zero."""
    rod = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(3.0))})
    found = rod.worst_case("joint1", "drive", over={"q": (-1.0, 2.0), "qd": 0}, sense="max", tolerance=1e-6)
    q = np.linspace(-1.0, 2.0, 300_001)
    exact = float((4.905 * np.cos(q) + 3.0 * q).max())
    assert found.certified
    assert found.value == pytest.approx(exact, rel=1e-9)
    assert found.bound >= exact
