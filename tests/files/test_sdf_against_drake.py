"""SDF files against Drake, whose reader is libsdformat: poses, mass matrices and forces of the same states."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from drake_numbers import CASES, FOLDER, NUMBERS, Numbers, bases, drake_numbers
from sdf_text import robot_of

import loadpath as lp
from loadpath.files.assets import Assets
from loadpath.files.sdf import read_sdf

TOLERANCE = 1e-10


def stored() -> dict[str, Numbers]:
    found: dict[str, Numbers] = json.loads(NUMBERS.read_text())
    return found


@pytest.mark.parametrize("name", CASES)
def test_poses_mass_matrices_and_forces_are_those_of_drake(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        path = FOLDER / "sdf_files" / f"{name}.sdf"
        robot = robot_of(read_sdf(path.read_bytes(), str(path), assets=Assets.beside(path)))
    numbers = stored()[name]
    drake_order = [f"{child}{k}" for child, count in numbers["joints"] for k in range(count)]
    ours = [f"{joint.child}{k}" for joint in robot.joints for k in range(joint.motion.dof)]
    at = [drake_order.index(entry) for entry in ours]
    shift = np.eye(4)
    if name in bases():  # there the base frame is the world's here
        shift = np.linalg.inv(numbers["states"][0]["poses"][bases()[name]])
    for state in numbers["states"]:
        q, qd, qdd, tau = (np.array(state[part])[at] for part in ("q", "qd", "qdd", "tau"))
        poses = dict(zip(robot.link_names, robot.link_poses(q), strict=True))
        for link, pose in state["poses"].items():
            np.testing.assert_allclose(poses[link], shift @ np.array(pose), atol=TOLERANCE, err_msg=link)
        mass = np.array(state["mass_matrix"])[np.ix_(at, at)]
        np.testing.assert_allclose(robot.mass_matrix(q), mass, atol=TOLERANCE)
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_the_stored_numbers_are_those_of_drake(name: str) -> None:
    pytest.importorskip("pydrake")
    now, then = drake_numbers(FOLDER / "sdf_files" / f"{name}.sdf", bases().get(name)), stored()[name]
    assert now["joints"] == then["joints"]
    for new, old in zip(now["states"], then["states"], strict=True):
        for part in ("q", "qd", "qdd", "tau", "mass_matrix"):
            np.testing.assert_allclose(new[part], old[part], atol=1e-9)
