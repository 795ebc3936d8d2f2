"""Rods, discs and bars are found by their numbers, and only they."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.equations.letters.names import names_of

m1, l1, I1xx, w1, t1 = sympy.symbols("m1 l1 I1xx w1 t1")
MASS, LENGTH = 2.3, 0.7


def arm(center: float, moments: tuple[float, float, float], product: float = 0.0, length: float = LENGTH) -> lp.Robot:
    """One link along x with a tip at its length."""
    tensor = np.diag(moments)
    tensor[0, 1] = tensor[1, 0] = product
    links = (lp.Link("base"), lp.Link("link", lp.Inertia(MASS, (center, 0, 0), tensor)), lp.Link("tip"))
    joints = (lp.Joint("j", "base", "link", lp.Revolute((0, 0, 1))),
              lp.Joint("tip", "link", "tip", lp.Fixed(), (length, 0, 0)))
    return lp.Robot("arm", links, joints)


def moments(robot: lp.Robot, shapes: bool = True) -> tuple[sympy.Expr | None, ...]:
    found = names_of(robot, "symbols", shapes=shapes).expressions
    return tuple(found.get(f"link.inertia.{axis}") for axis in ("xx", "yy", "zz"))


ROD = MASS * LENGTH**2 / 12


def test_a_rod() -> None:
    robot = arm(LENGTH / 2, (0.0, ROD, ROD))
    assert moments(robot) == (None, m1 * l1**2 / 12, m1 * l1**2 / 12)
    assert names_of(robot, "symbols").expressions["link.center_of_mass.x"] == l1 / 2
    assert str(robot.equations(parameters="symbols").mass_matrix[0, 0]) == "l1**2*m1/3"
    assert moments(robot, shapes=False) == (None, *sympy.symbols("I1yy I1zz"))


def test_a_rod_that_is_held_elsewhere() -> None:
    robot = arm(0.1, (0.0, ROD, ROD))
    assert moments(robot)[1] == m1 * l1**2 / 12
    assert str(names_of(robot, "symbols").expressions["link.center_of_mass.x"]) == "c1x"


@pytest.mark.parametrize(
    "robot",
    [
        arm(LENGTH / 2, (0.0, ROD, ROD * (1 + 1e-10))),
        arm(LENGTH / 2, (1e-9 * ROD, ROD, ROD)),
        arm(LENGTH / 2, (0.0, ROD * (1 + 1e-10), ROD * (1 + 1e-10))),
        arm(LENGTH / 2, (0.0, ROD, ROD), product=1e-9 * ROD),
        arm(0.1, (0.0, ROD, ROD), length=0.71),
        arm(0.0, (0.3, 0.4, 0.5)),
    ],
    ids=["unequal", "thick", "long", "tilted", "of another length", "no shape"],
)
def test_what_is_nearly_one_is_none(robot: lp.Robot) -> None:
    assert {str(x) for x in moments(robot) if x is not None} <= {"I1xx", "I1yy", "I1zz"}


def test_a_bar_and_a_round_one() -> None:
    bar = arm(LENGTH / 2, tuple(MASS / 12 * x for x in (0.05**2 + 0.02**2, LENGTH**2 + 0.02**2, LENGTH**2 + 0.05**2)))
    assert moments(bar) == (m1 * (w1**2 + t1**2) / 12, m1 * (l1**2 + t1**2) / 12, m1 * (l1**2 + w1**2) / 12)
    values = names_of(bar, "symbols").values
    assert (values[w1], values[t1]) == pytest.approx((0.05, 0.02), rel=1e-9)
    across = MASS * (3 * 0.03**2 + LENGTH**2) / 12
    round_bar = arm(LENGTH / 2, (MASS * 0.03**2 / 2, across, across))
    assert moments(round_bar) == (I1xx, m1 * l1**2 / 12 + I1xx / 2, m1 * l1**2 / 12 + I1xx / 2)


def test_a_disc_whose_radius_is_known() -> None:
    found = names_of(lp.catalog.lau_arm(), "symbols").expressions
    assert found["turntable.inertia.zz"] == m1 * l1**2 / 2
    assert found["turntable.inertia.xx"] == m1 * l1**2 / 4
    assert str(found["rod.center_of_mass.x"]) == "l3/2" and str(found["rod.inertia.yy"]) == "l3**2*m3/12"


def test_links_of_a_dh_table_reach_back_to_their_joint() -> None:
    rod = {"a": 0.5, "mass": 3.0, "center_of_mass": (-0.25, 0, 0), "inertia": (0, 3 * 0.25 / 12, 3 * 0.25 / 12)}
    found = names_of(lp.from_dh([rod, rod]), "symbols").expressions
    assert str(found["link2.center_of_mass.x"]) == "-a2/2"
    assert str(lp.from_dh([rod]).equations(parameters="symbols").mass_matrix[0, 0]) == "a1**2*m1/3"


def test_robots_of_the_catalog_without_shapes_keep_their_letters() -> None:
    for robot in (lp.catalog.puma560(), lp.catalog.stanford_arm(), lp.catalog.panda(), lp.catalog.ur5()):
        found = names_of(robot, "symbols").expressions.values()
        assert all(isinstance(expression, sympy.Symbol) for expression in found), robot.name
