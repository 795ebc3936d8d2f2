"""Columns of motions by their names: in tables that are handed in, and in files, where a column serves one joint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import loadpath as lp

T = np.linspace(0.0, 1.0, 5)


@pytest.fixture
def arm() -> lp.Robot:
    return lp.catalog.planar(2)


def _named(arm: lp.Robot, *names: str) -> lp.Robot:
    """The robot with other names of its moving joints."""
    other = dict(zip(arm.dof_names, names, strict=True))
    return replace(arm, joints=tuple(replace(joint, name=other.get(joint.name, joint.name)) for joint in arm.joints))


# Tables


def test_columns_of_tables_are_put_in_the_order_of_the_robot(arm: lp.Robot) -> None:
    table = pd.DataFrame({"joint2": T**2, "joint1": T})
    rates = pd.DataFrame({"joint2": 2 * T, "joint1": np.ones(5)})
    motion = lp.Motion(pd.Series(T, index=list("abcde")), table, rates, 0 * rates, robot=arm)
    np.testing.assert_array_equal(motion.q, np.column_stack([T, T**2]))
    np.testing.assert_array_equal(motion.qd, np.column_stack([np.ones(5), 2 * T]))
    np.testing.assert_array_equal(motion.t, T)
    with pytest.raises(ValueError, match=r"q has no 'joint1' \(did you mean 'joint1' by 'joint_1'\?\)"):
        lp.Motion(T, table.rename(columns={"joint1": "joint_1"}), robot=arm)
    points = pd.DataFrame({"joint2": [0.0, 1.0], "joint1": [0.0, 0.5]})
    assert lp.Motion.through(arm, points, [0, 1]).q[-1].tolist() == [0.5, 1.0]


def test_without_a_robot_names_cannot_be_matched() -> None:
    with pytest.raises(ValueError, match="q has the labels 'b', 'a', and no names are known here to match them with"):
        lp.Motion(T, pd.DataFrame({"b": T, "a": T}))
    assert lp.Motion(T, pd.DataFrame(np.column_stack([T, T]))).q.shape == (5, 2)


@pytest.mark.parametrize("what", ["t", "q", "qd", "qdd"])
def test_masked_samples_are_refused(arm: lp.Robot, what: str) -> None:
    parts = {"t": T, "q": np.zeros((5, 2)), "qd": np.zeros((5, 2)), "qdd": np.zeros((5, 2))}
    hidden = np.zeros(parts[what].shape, dtype=bool)
    hidden[3] = True
    with pytest.raises(ValueError, match=rf"^{what} has \d masked values?, the first at \(3,"):
        lp.Motion(**(parts | {what: np.ma.masked_array(parts[what], mask=hidden)}), robot=arm)


# Text files


def _read(tmp_path: Path, robot: lp.Robot, header: str) -> lp.Motion:
    """A file whose column number k holds k, but for the times in the first."""
    columns = header.count(",") + 1
    rows = "\n".join(",".join([str(t), *(str(k) for k in range(1, columns))]) for t in T)
    (tmp_path / "m.csv").write_text(f"{header}\n{rows}\n")
    return lp.Motion.from_csv(tmp_path / "m.csv", robot)


def test_a_column_serves_one_joint(arm: lp.Robot, tmp_path: Path) -> None:
    robot = _named(arm, "shoulder", "Shoulder")
    with pytest.raises(ValueError, match=r"there is no column 'q\.Shoulder'; there are 't', 'q\.shoulder'"):
        _read(tmp_path, robot, "t,q.shoulder")
    assert _read(tmp_path, robot, "t,q.Shoulder,q.shoulder").q[0].tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match=r"'SHOULDER' could be 'q\.shoulder' or 'q\.Shoulder': spell"):
        _read(tmp_path, robot, "t,SHOULDER")


def test_an_exact_name_comes_before_a_prefix(arm: lp.Robot, tmp_path: Path) -> None:
    robot = _named(arm, "shoulder", "q_shoulder")
    assert _read(tmp_path, robot, "t,shoulder,q_shoulder").q[0].tolist() == [1.0, 2.0]
    assert _read(tmp_path, robot, "t,q.q_shoulder,q.shoulder").q[0].tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match=r"there is no column 'q\.shoulder'"):
        _read(tmp_path, robot, "t,q_shoulder")


def test_two_columns_that_could_be_one_joint_are_refused(arm: lp.Robot, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"m\.csv has 'pos_joint1', 'joint1_q', and each of them could be 'q\.joint1'"):
        _read(tmp_path, arm, "t,joint1_q,pos_joint1,joint2")
    with pytest.warns(lp.ModelWarning, match="not used are the columns 'joint1'"):  # spelled less exactly
        assert _read(tmp_path, arm, "t,joint1,q.joint1,JOINT2").q[0].tolist() == [2.0, 3.0]


def test_a_name_twice_is_refused_in_both_kinds_of_files(arm: lp.Robot, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'joint1' is there twice"):
        _read(tmp_path, arm, "t,joint1,joint2,joint1")
    np.savez(tmp_path / "m.npz", t=T, q=np.zeros((5, 3)), coordinate_names=["joint1", "joint2", "joint1"])
    with pytest.raises(ValueError, match=r"m\.npz: q: 'joint1' is there twice"):
        lp.Motion.from_npz(tmp_path / "m.npz", arm)
    np.savez(tmp_path / "m.npz", t=T, q=np.zeros((5, 2)), coordinate_names=np.array("joint1"))
    with pytest.raises(ValueError, match="1 names of its columns"):
        lp.Motion.from_npz(tmp_path / "m.npz", arm)


def test_an_archive_may_have_columns_of_other_joints(arm: lp.Robot, tmp_path: Path) -> None:
    q = np.column_stack([9 + T, T, 2 * T])
    np.savez(tmp_path / "m.npz", t=T, q=q, qd=q, qdd=q, coordinate_names=["gripper", "joint2", "joint1"],
             dof_names=["gripper", "joint2", "joint1"])
    with pytest.warns(lp.ModelWarning) as warned:
        motion = lp.Motion.from_npz(tmp_path / "m.npz", arm)
    assert sum("not used are the columns 'gripper'" in str(warning.message) for warning in warned) == 1
    np.testing.assert_array_equal(motion.q, q[:, [2, 1]])
    np.testing.assert_array_equal(motion.qd, q[:, [2, 1]])
    np.savez(tmp_path / "m.npz", t=T, q=q, coordinate_names=["gripper", "joint2", "joint1"])
    with pytest.warns(lp.ModelWarning, match="not used are the columns 'gripper'"):
        lp.Motion.from_npz(tmp_path / "m.npz", arm)
