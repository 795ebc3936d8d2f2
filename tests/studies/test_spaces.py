"""Spaces of designs: what they are made of, how they are sampled, and which input is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

import loadpath as lp


def test_a_grid_is_every_combination() -> None:
    space = lp.Space(a=lp.span("0 mm", "300 mm", 4), b=["1 kg", "2000 g"], c=lambda a, b: a * b)
    found = space.columns(slice(0, len(space)))
    a, b = np.meshgrid([0.0, 0.1, 0.2, 0.3], [1.0, 2.0], indexing="ij")
    np.testing.assert_allclose(found["a"], a.ravel(), atol=1e-16)
    np.testing.assert_allclose(found["b"], b.ravel())
    np.testing.assert_allclose(found["c"], (a * b).ravel(), atol=1e-16)
    assert space.shape == (4, 2)


@pytest.mark.parametrize("how", ["latin_hypercube", "sobol"])
def test_part_of_the_samples_is_as_all_of_them(how: str) -> None:
    space = getattr(lp.Space(a=lp.span(-1.0, 3.0), b=["x", "y", "z"]), how)(64, seed=3)
    every = space.columns(slice(0, 64))
    part = space.columns([40, 7, 41])
    np.testing.assert_array_equal(part["a"], every["a"][[40, 7, 41]])
    assert list(part["b"]) == list(every["b"][[40, 7, 41]])
    if how == "latin_hypercube":  # one in each of 64 parts of the range
        assert sorted(np.floor((every["a"] + 1.0) / 4.0 * 64).astype(int)) == list(range(64))
    else:
        points = qmc.Sobol(2, scramble=True, seed=3).random(64)
        np.testing.assert_array_equal(every["a"], -1.0 + points[:, 0] * 4.0)


def test_large_samples_take_no_memory_and_are_the_same_by_part() -> None:
    """Of a hundred million designs any few, at once; each part of a range has one, in an order that looks drawn."""
    space = lp.Space(a=lp.span(0.0, 1.0), b=lp.span(0.0, 1.0), c=lp.span(0.0, 1.0))
    for count in (1, 2, 1000, 4097):
        columns = space.latin_hypercube(count, seed=7).columns(slice(0, count))
        for name in "abc":
            assert sorted(np.floor(columns[name] * count).astype(int)) == list(range(count))
    both = np.corrcoef(columns["a"], columns["b"])[0, 1], np.corrcoef(columns["a"][1:], columns["a"][:-1])[0, 1]
    assert np.abs(both).max() < 0.06  # four standard deviations of independent ones
    inside = columns["a"] * 4097 % 1
    assert abs(inside.mean() - 0.5) < 0.02 and abs(inside.std() - 12**-0.5) < 0.02
    for large in (space.latin_hypercube(10**8, seed=7), space.sobol(3 * 10**5, seed=7)):
        few = large.columns([len(large) - 1, 5, 17])
        part = large.columns(slice(5, 18))
        np.testing.assert_array_equal(few["b"][1:], part["b"][[0, 12]])
        assert few["b"][0] == large.columns([len(large) - 1])["b"][0]


def test_logarithmic_spans_and_own_samples() -> None:
    space = lp.Space(k=lp.span(1.0, 1000.0, 4, spacing="logarithmic"))
    np.testing.assert_allclose(space.columns(slice(0, 4))["k"], [1, 10, 100, 1000], rtol=1e-14)
    own = lp.Space(a=lp.span("0 m", "1 m"), b=lambda a: 2 * a).samples({"a": ["500 mm", "20 cm"]})
    np.testing.assert_allclose(own.columns(slice(0, 2))["b"], [1.0, 0.4])


def test_dependent_parameters_are_asked_as_they_can_be() -> None:
    """A function that takes numbers alone gives the same as one that takes arrays."""
    by_number = lp.Space(a=lp.span(0.0, 1.0, 5), b=lambda a: 1.0 if a > 0.4 else a, c=lambda b: b + 1)
    by_array = lp.Space(a=lp.span(0.0, 1.0, 5), b=lambda a: np.where(a > 0.4, 1.0, a), c=lambda b: b + 1)
    one, other = (space.columns(slice(0, 5)) for space in (by_number, by_array))
    np.testing.assert_array_equal(one["b"], other["b"])
    np.testing.assert_array_equal(one["c"], other["c"])


def test_conditions_have_units_and_functions() -> None:
    space = lp.Space({"arm.length": lp.span("0 m", "1 m", 11)})
    text = space.subject_to("'arm.length' >= 200 mm and arm.length < 0.5 m")
    called = space.subject_to(lambda arm_length: 0.2 <= arm_length < 0.5)
    columns = space.columns(slice(0, 11))
    # 0.2 and 0.5 are points of the grid up to rounding, so both are asked of the very numbers.
    expected = (columns["arm.length"] >= 0.2) & (columns["arm.length"] < 0.5)
    assert text.feasible(columns).tolist() == called.feasible(columns).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: lp.span("0", "12 kg"), "expected a number with its unit"),
        (lambda: lp.span(0.0, "12 kg"), "a unit at both ends, or at none"),
        (lambda: lp.span("0 kg", "12 lightyears"), "unit 'lightyears' is not known"),
        (lambda: lp.span(2.0, 1.0), "the smaller end first"),
        (lambda: lp.span(0.0, 1.0, 1), "count of a span is 1"),
        (lambda: lp.span(0.0, 1.0, spacing="logarithmic"), "ends above zero"),
        (lambda: lp.span(0.0, float("inf")), "finite"),
        (lp.Space, "a space without parameters"),
        (lambda: lp.Space(a=[]), "'a' is an empty list"),
        (lambda: lp.Space(a=["3 mm", 2.0]), "with and without a unit"),
        (lambda: lp.Space(a=["3 mm", "4 kg"]), "several kinds"),
        (lambda: lp.Space(a=lp.span()).columns(slice(0, 1)), "a span without a lower end"),
        (lambda: lp.Space(a=[1.0], b=lambda c: c), "function of 'c', which is no parameter"),
        (lambda: lp.Space(a=lambda b: b, b=lambda a: a), "in a circle"),
        (lambda: lp.Space(a=[1.0]).subject_to("aa > 1"), "there is no parameter 'aa'; did you mean 'a'"),
        (lambda: lp.Space(a=[1.0]).subject_to("a + 1"), "compares nothing"),
        (lambda: lp.Space(a=[1.0]).subject_to("__import__('os').system('true') > 1"), "is not known here"),
        (lambda: lp.Space(a=[1.0]).samples({"b": [1.0]}), "'b' is no free parameter"),
        (lambda: lp.Space(a=[1.0], b=[2.0]).samples({"a": [1.0, 2.0], "b": [1.0]}), "as many values"),
        (lambda: lp.Space(a=[1.0]).sobol(0), "count is 0"),
        (lambda: lp.Space(a=[1.0]).sobol(4, seed=-1), "seed is -1"),
    ],
)
def test_what_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]
