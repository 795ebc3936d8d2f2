"""Wrong calls: the error names the function, the argument, what came and what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp

Z = np.zeros(2)


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.two_link()


def bare(dtype: object) -> np.ndarray:
    return np.array([0, 0], dtype=dtype)


WRONG: dict[str, tuple[Callable[[lp.Robot], object], type[Exception], str]] = {
    "short": (lambda a: a.inverse_dynamics([1.0], Z, Z), ValueError,
              "inverse_dynamics: 'q' has the shape (1,): expected (..., 2)"),
    "long": (lambda a: a.inverse_dynamics(Z, Z, np.zeros((5, 3))), ValueError,
             "inverse_dynamics: 'qdd' has the shape (5, 3): expected (..., 2)"),
    "transposed": (lambda a: a.inverse_dynamics(np.zeros((2, 7)), np.zeros((2, 7)), np.zeros((2, 7))), ValueError,
                   "inverse_dynamics: 'q' has the shape (2, 7): expected (..., 2)"),
    "a number": (lambda a: a.gravity_forces(0.0), ValueError,
                 "gravity_forces: 'q' has the shape (): expected (..., 2)"),
    "nothing": (lambda a: a.gravity_forces(None), ValueError, "gravity_forces: 'q' has the dtype object"),
    "ragged": (lambda a: a.gravity_forces([[1, 2], [3]]), ValueError, "gravity_forces: 'q' is not an array of numbers"),
    "text": (lambda a: a.gravity_forces(["0", "1"]), ValueError, "gravity_forces: 'q' has the dtype <U1"),
    "one text": (lambda a: a.gravity_forces("01"), ValueError, "gravity_forces: 'q' has the dtype <U2"),
    "complex": (lambda a: a.link_poses(bare(complex)), ValueError,
                "link_poses: 'q' has the dtype complex128: expected float64 or float32"),
    "object": (lambda a: a.kinetic_energy(Z, bare(object)), ValueError, "kinetic_energy: 'qd' has the dtype object"),
    "longdouble": (lambda a: a.joint_wrenches(Z, Z, bare(np.longdouble)), ValueError,
                   f"joint_wrenches: 'qdd' has the dtype {np.dtype(np.longdouble)}"),
    "dates": (lambda a: a.gravity_forces(bare("datetime64[s]")), ValueError, "'q' has the dtype datetime64[s]"),
    "batches": (lambda a: a.inverse_dynamics(np.zeros((2, 2)), np.zeros((3, 2)), Z), ValueError,
                "inverse_dynamics: the batch shapes do not go together: 'q' (2,), 'qd' (3,), 'qdd' ()"),
    "batches of wrenches": (lambda a: a.joint_wrenches(np.zeros((2, 2)), np.zeros((3, 2)), Z), ValueError,
                            "joint_wrenches: the batch shapes do not go together: 'q' (2,), 'qd' (3,), 'qdd' ()"),
    "missing": (lambda a: a.inverse_dynamics(Z), TypeError, "inverse_dynamics needs qd, qdd as well"),
    "missing all": (lambda a: a.jacobian(), TypeError, "jacobian needs q as well"),
    "missing by keyword": (lambda a: a.inverse_dynamics(Z, qdd=Z), TypeError, "inverse_dynamics needs qd as well"),
    "twice": (lambda a: a.inverse_dynamics(Z, Z, Z, q=Z), TypeError, "inverse_dynamics got 'q' twice"),
    "too many": (lambda a: a.inverse_dynamics(Z, Z, Z, Z, Z), TypeError,
                 "inverse_dynamics takes q, qd, qdd: 5 arguments were given"),
    "too many for a link": (lambda a: a.jacobian(Z, "tip", 3), TypeError, "jacobian takes q, link: 3 arguments"),
    "unknown option": (lambda a: a.inverse_dynamics(Z, Z, Z, fast=True), TypeError,
                       "inverse_dynamics takes no 'fast'"),
    "link where none is taken": (lambda a: a.gravity_forces(Z, link="tip"), TypeError,
                                 "gravity_forces takes no 'link'"),
    "external where none is taken": (lambda a: a.gravity_forces(Z, external={}), TypeError,
                                     "gravity_forces takes no 'external'"),
    "unknown link": (lambda a: a.jacobian(Z, "link3"), ValueError, "has no link 'link3'; did you mean 'link"),
    "link by number": (lambda a: a.jacobian(Z, 3), ValueError, "has no link '3'"),
    "unknown formulation": (lambda a: a.inverse_dynamics(Z, Z, Z, formulation="newton"), ValueError,
                            "inverse_dynamics has no formulation 'newton'; it has newton-euler"),
    "formulation of no name": (lambda a: a.inverse_dynamics(Z, Z, Z, formulation=["x"]), ValueError,
                               "inverse_dynamics has no formulation ['x']"),
    "small out": (lambda a: a.inverse_dynamics(Z, Z, Z, out=np.zeros(3)), ValueError, "inverse_dynamics"),
    "out of whole numbers": (lambda a: a.inverse_dynamics(Z, Z, Z, out=np.zeros(2, dtype=int)), TypeError,
                             "inverse_dynamics"),
    "read-only out": (lambda a: a.inverse_dynamics(Z, Z, Z, out=np.broadcast_to(1.0, (2,))), ValueError, "read-only"),
    "external as an array": (lambda a: a.inverse_dynamics(Z, Z, Z, external=np.zeros((3, 6))), ValueError,
                             "inverse_dynamics: 'external' is a ndarray: expected a mapping"),
    "external as a wrench": (lambda a: a.inverse_dynamics(Z, Z, Z, external=lp.Wrench((0, 0, 1))), ValueError,
                             "'external' is a Wrench: expected a mapping from link names"),
    "external of six numbers": (lambda a: a.joint_wrenches(Z, Z, Z, external={"tip": [0] * 6}), ValueError,
                                "joint_wrenches: external wrench on 'tip' is a list: expected an lp.Wrench"),
    "external on no link": (lambda a: a.inverse_dynamics(Z, Z, Z, external={"hand": lp.Wrench((0, 0, 1))}),
                            ValueError, "has no link 'hand'; it has base, link1, link2, tip"),
    "external in joint axes": (
        lambda a: a.inverse_dynamics(Z, Z, Z, external={"tip": a.joint_wrenches(Z, Z, Z)["joint2"]}), ValueError,
        "inverse_dynamics: external wrench on 'tip' has the axes 'joint': expected 'world' or 'link'"),
    "batch of wrenches": (
        lambda a: a.inverse_dynamics(np.zeros((4, 2)), Z, Z, external={"tip": lp.Wrench(np.zeros((3, 3)))}),
        ValueError, "the batch shapes do not go together: 'q' (4,), 'qd' (), 'qdd' (), 'external' (3,)"),
    "two batches of wrenches": (
        lambda a: a.inverse_dynamics(
            Z, Z, Z, external={"tip": lp.Wrench(np.zeros((3, 3))), "link1": lp.Wrench(np.zeros((4, 3)))}),
        ValueError, "the batch shapes do not go together: 'external on link1' (4,), 'external on tip' (3,)"),
    "count of nothing": (lambda a: a.operation_count("n"), ValueError, "'n' is not a compiled function; there are inv"),
    "count by no formulation": (lambda a: a.operation_count("jacobian", formulation="x"), ValueError,
                                "jacobian has no formulation 'x'"),
    "count of no link": (lambda a: a.operation_count("jacobian", link="x"), ValueError, "has no link 'x'"),
}


@pytest.mark.parametrize("warm", [False, True], ids=["first call", "later call"])
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(arm: lp.Robot, name: str, warm: bool) -> None:
    call, kind, message = WRONG[name]
    robot = arm if warm else lp.catalog.two_link()
    if warm:
        robot.inverse_dynamics(Z, Z, Z)
        robot.gravity_forces(Z)
    with pytest.raises(kind, match=re.escape(message)):
        call(robot)


def test_several_ends_must_be_told_apart() -> None:
    hand = lp.Inertia(1.0)
    fork = lp.Robot(
        "fork",
        (lp.Link("base"), lp.Link("left", hand), lp.Link("right", hand)),
        (lp.Joint("a", "base", "left", lp.Revolute()), lp.Joint("b", "base", "right", lp.Revolute())),
    )
    with pytest.raises(ValueError, match="'fork' has several ends, 'left', 'right': name the link, like link='right'"):
        fork.jacobian([0, 0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lp.Wrench((1, 2)), "force of a wrench has the shape (2,)"),
        (lambda: lp.Wrench(3.0), "force of a wrench has the shape ()"),
        (lambda: lp.Wrench((1, 2, 3), (1, 2, 3, 4)), "torque of a wrench has the shape (4,)"),
        (lambda: lp.Wrench(("a", "b", "c")), "dtype <U1: expected real numbers of the shape (..., 3)"),
        (lambda: lp.Wrench((1j, 2, 3)), "dtype complex128"),
        (lambda: lp.Wrench((1, 2, 3), axes="hand"), "axes of a wrench are 'hand'"),
        (lambda: lp.Wrench(np.zeros((2, 3)), np.zeros((3, 3))), "shapes (2, 3) and (3, 3), which do not go together"),
    ],
)
def test_wrong_wrenches(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_joint_wrenches_are_found_by_name_only(arm: lp.Robot) -> None:
    wrenches = arm.joint_wrenches(Z, Z, Z)
    with pytest.raises(ValueError, match="no joint 'joint9'; there are joint1, joint2, tip_joint"):
        wrenches["joint9"]
    with pytest.raises(TypeError, match="not iterable"):
        _force, _torque = wrenches


def test_an_error_leaves_the_function_usable() -> None:
    arm = lp.catalog.planar(1)
    with pytest.raises(ValueError):
        arm.gravity_forces([1.0, 2.0])
    assert arm.gravity_forces([0.0]).shape == (1,)
    with pytest.raises(ValueError):
        arm.gravity_forces([1.0, 2.0])
    assert arm.gravity_forces([0.0]).shape == (1,)


def test_a_folder_and_a_name_of_nothing_are_not_robots(tmp_path: Path) -> None:
    with pytest.raises(lp.ModelError, match=r" is a folder: expected the path of a file, like '.*arm\.urdf'"):
        lp.load(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no such file: '.*arm'"):
        lp.load(tmp_path / "arm")
