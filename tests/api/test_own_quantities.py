"""Quantities and formulations that are no part of the library: `lp.quantity`, `lp.verify(others=)`."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.formulations import luh
from loadpath.scalars import Array, cos, zeros


def level(mechanism: object, q: Array) -> object:
    """The cosine of the first angle."""
    return cos(q[0])


def test_it_is_batched_compiled_counted_and_exported() -> None:
    made = lp.quantity(level, "(q)->()")
    arm = lp.catalog.planar(2)
    q = np.linspace(-1, 1, 12).reshape(2, 3, 2)
    np.testing.assert_allclose(made(arm, q), np.cos(q[..., 0]), rtol=1e-15)

    class Levelled(lp.Robot):
        level = made

    robot = Levelled(arm.name, arm.links, arm.joints)
    np.testing.assert_allclose(robot.level(q), np.cos(q[..., 0]), rtol=1e-15)
    assert robot.operation_count("level").functions == 2  # a sine comes with it
    assert float(robot.casadi_function("level")(q[0, 0])) == pytest.approx(np.cos(q[0, 0, 0]))
    assert "cosine of the first angle" in (made.__doc__ or "")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: lp.quantity(3, "(q)->()"), "made of 3"),
        (lambda: lp.quantity(level, "q->1"), "like '(q),(n)->(n)'"),
        (lambda: lp.quantity(level, "(q),(n)->()"), "names 1 arrays"),
        (lambda: lp.verify(lp.catalog.planar(1), others={"luh": luh.inverse_dynamics}), "'luh' already"),
        (lambda: lp.verify(lp.catalog.planar(1), others=[luh.inverse_dynamics]), "functions by name"),
        (lambda: lp.verify(lp.catalog.four_bar(), others={"mine": luh.inverse_dynamics}), "robot.tree"),
    ],
)
def test_what_is_refused(ask: object, words: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        ask()
    assert words in str(caught.value)


def test_a_wrong_formulation_is_seen() -> None:
    def still(mechanism: object, q: Array, qd: Array, qdd: Array) -> Array:
        return luh.inverse_dynamics(mechanism, q, zeros(len(qd)), qdd)

    arm = lp.catalog.planar(2)
    assert lp.verify(arm, others={"again": luh.inverse_dynamics}).agrees
    found = lp.verify(arm, others={"still": still})
    assert not found.agrees
    assert "still" in str(found)
