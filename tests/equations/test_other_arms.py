"""Equations of arms that no source has: letters that must stay apart, joints whose constraints need divisions."""

from __future__ import annotations

import lettered
import numpy as np
import pytest

import loadpath as lp
from loadpath.cli.app import app


def test_a_length_and_a_friction_of_equal_numbers_have_two_letters() -> None:
    body = lp.Inertia.from_moments(2.0, (0.1, 0.2, 0.3), ixx=0.1, iyy=0.1, izz=0.1)
    joint = lp.Joint("turn", "base", "arm", lp.Revolute((0, 0, 1)), link_offset=(0.1, 0.3, 0.2), viscous_friction=0.3)
    found = lp.Robot("arm", (lp.Link("base"), lp.Link("arm", body)), (joint,)).equations(letters="lau")
    assert all(len(keys) == 1 for keys in found.names.keys.values())
    assert found.friction[0].free_symbols.isdisjoint(found.mass_matrix[0].free_symbols)


def test_drives_of_a_closed_chain_are_not_called_as_its_loop_forces() -> None:
    found = lp.catalog.four_bar().equations(letters="course")
    assert found.latex("gravity") and found.names.scheme.force == "tau"
    assert found.latex("torques").splitlines()[1].startswith(r"\tau")


@pytest.mark.parametrize("freedoms", [("ry", "-x"), ("rz", "ry", "rx")])
def test_constraints_of_a_joint_whose_freedoms_are_not_at_right_angles(freedoms: tuple[str, ...]) -> None:
    body = lp.Inertia.from_moments(1.5, (0.5, 0, 0), ixx=0.01, iyy=0.1, izz=0.1)
    joint = lp.Joint("joint", "base", "rod", lp.Generalized(freedoms), origin=(0, 0.3, 0))
    robot = lp.Robot("rod", (lp.Link("base"), lp.Link("rod", body)), (joint,))
    found = robot.equations()
    numbers = lettered.state(found)
    q, qd, qdd = lettered.arrays(found, numbers)
    book = robot.books.angeles
    expected = {
        "K": book.K(q),
        "constraint_wrenches": book.w_C(q, qd, qdd)[:, None],
        "multipliers": book.multipliers(q, qd, qdd)[:, None],
    }
    for name, value in expected.items():
        assert np.allclose(lettered.values(found[name], numbers)[""], value, rtol=0, atol=1e-11), name


def test_all_objects_as_code_leaves_out_what_a_robot_has_not_in_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app(["equations", "four_bar", "--all", "--code", "python"])
    shown = capsys.readouterr()
    assert not ended.value.code
    assert "def reduced_mass_matrix(" in shown.out and "def joint_wrenches(" not in shown.out
    assert "joint_wrenches" in shown.err
