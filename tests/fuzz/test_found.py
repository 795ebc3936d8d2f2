"""What the fuzzer found, each mended: these must not come back."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.algorithms import composite_body
from loadpath.files.urdf.reading import parse_urdf
from loadpath.formulations import newton_euler
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from on_scalars import on_arrays

_TENSOR = '<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/>'
_BODY = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>{_TENSOR}</inertial>'
_LIMIT = '<limit lower="-2" upper="2" velocity="1" effort="1"/>'


def joint(name: str, parent: str, child: str, inner: str = "", kind: str = "revolute") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{_LIMIT}{inner}</joint>'


def robot(*parts: str) -> str:
    links = "".join(f'<link name="{name}">{_BODY}</link>' for name in "abcd")
    return f'<robot name="r">{links}{"".join(parts)}</robot>'


@pytest.mark.parametrize("tilt", [1e-7, 1e-8, 1e-9, 1e-12])
def test_an_axis_tilted_by_little_is_not_taken_for_a_coordinate_axis(tilt: float) -> None:
    """Its component of 1 alone decided: the turn was off by up to 6e-9, and not the turn of its own axis."""
    axis = np.array([tilt, 0, 1]) / np.hypot(tilt, 1)
    turn, _ = lp.Revolute((tilt, 0, 1)).placement(np.array([0.7]))
    expected = Rotation.from_rotvec(0.7 * axis).as_matrix()
    np.testing.assert_allclose(turn.matrix().astype(float), expected, rtol=0, atol=1e-15)
    text = robot(
        joint("j1", "a", "b", '<axis xyz="0 1 0"/>'),
        joint("j2", "b", "c", f'<origin xyz="0.3 0 0.1"/><axis xyz="{tilt} 0 1"/>'),
        joint("j3", "c", "d", '<origin xyz="0 0.3 0.1"/><axis xyz="1 0 0"/>'),
    )
    check_reduction(text)


def test_a_joint_far_away_keeps_the_inertia_of_its_link() -> None:
    """Its frame was put at the foot of the normal from the axis before, 4e8 m away; the torque came out as zero."""
    text = robot(
        joint("j1", "a", "b", '<axis xyz="0 0 -1"/>', kind="prismatic"),
        joint("j2", "b", "c", '<origin xyz="1e9 0 -1"/><axis xyz="0.39 0.44 0.8"/>'),
        joint("j3", "b", "d", '<axis xyz="1 0 0"/>'),
    )
    check_reduction(text)


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e6, 1e9])
def test_a_mass_far_along_an_axis_leaves_the_inertia_of_the_link_there(distance: float) -> None:
    """It was added to the link that turns about that axis; the own (Iyy - Ixx) of that link, all it feels, was lost."""
    text = robot(
        joint("j1", "a", "b", '<axis xyz="0 1 0"/>'),
        joint("j2", "b", "c", '<axis xyz="0 0 1"/>'),
        joint("j3", "c", "d", f'<origin xyz="0 0 {distance}"/><axis xyz="0 0 1"/>'),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = parse_urdf(text)
    state = np.array([0.3, -0.7, 1.1]), np.array([0.5, 1.0, -0.4]), np.array([0.0, 2.0, 3.0])
    expected = on_arrays(newton_euler.inverse_dynamics, plain(arm), *state)
    found = on_arrays(newton_euler.inverse_dynamics, reduced(arm), *state)
    np.testing.assert_allclose(found, expected, rtol=2e-8)


def check_reduction(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arm = parse_urdf(text)
    q, qd, qdd = np.array([0.3, -0.7, 1.1]), np.array([0.5, 1.0, -0.4]), np.array([1.0, 2.0, 3.0])
    for formulation, state in ((newton_euler.inverse_dynamics, (q, qd, qdd)), (composite_body.mass_matrix, (q,))):
        expected = on_arrays(formulation, plain(arm), *state)
        found = on_arrays(formulation, reduced(arm), *state)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_a_joint_that_mimics_itself_ends() -> None:
    """Looking for joints that no inertia resists, the mimics were followed round and round."""
    text = '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>' + joint("j1", "a", "b") + joint(
        "j2", "b", "c", '<mimic joint="j2"/>') + "</robot>"
    with pytest.raises(lp.ModelError, match="joint 'j2' follows itself"):
        parse_urdf(text)


def test_a_center_of_mass_out_of_range_is_named_with_its_file() -> None:
    text = robot(joint("j1", "a", "b"), joint("j2", "b", "c"), joint("j3", "c", "d"))
    with pytest.raises(lp.ModelError, match=r"^arm\.urdf, line 1: link 'a': a coordinate of the center of mass is 1e"):
        parse_urdf(text.replace('"0.1 0.2 0.3"', '"0 0 1e16"', 1), source="arm.urdf")


def test_all_dimensions_of_a_large_section_are_read() -> None:
    """A question about the first left the others unread, whatever they were."""
    with pytest.raises(lp.ModelError, match="wall of a tube is -5"):
        lp.Tube(60, -5)


def test_a_quote_before_a_tab_in_a_name_comes_back_from_csv(tmp_path: Path) -> None:
    """The quote, written twice, was taken for the end of the name, and the tab for what separates the columns."""
    links = [lp.Link("base"), lp.Link("end", lp.Inertia(1.0, (0, 0, 0), np.eye(3).tolist()))]
    arm = lp.Robot("arm", links, [lp.Joint('"\t', "base", "end", lp.Revolute((0, 0, 1)))])
    motion = lp.Motion([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]], robot=arm)
    motion.to_csv(tmp_path / "motion.csv")
    np.testing.assert_array_equal(lp.Motion.from_csv(tmp_path / "motion.csv", arm).q, motion.q)


def test_a_profile_that_is_an_array_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"profile is array\(.*expected 'quintic' or 'trapezoidal'"):
        lp.Motion.through(lp.catalog.two_link(), [[0, 0], [1, 1]], [0, 1], profile=np.zeros(2))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda arm, word: arm.c_source("gravity_forces", scalar=word),
        lambda arm, word: arm.javascript_source("gravity_forces", module=word),
        lambda arm, word: arm.load_breakdown([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], by=word),
        lambda arm, word: lp.catalog.four_bar().load_breakdown([0.3] * 3, [0.0] * 3, [0.0] * 3, by=word),
    ],
    ids=["c_source", "javascript_source", "load_breakdown", "of a closed chain"],
)
def test_an_array_in_place_of_a_word_is_told_by_its_name(call: Any) -> None:
    """NumPy answered that the truth value of an array is ambiguous."""
    with pytest.raises(ValueError, match=r"^(.*: )?(scalar|module|by) is .*: expected"):
        call(lp.catalog.planar(2), np.zeros(3))
