"""Peaks and payloads of closed chains: loop pins by name, drives where there are any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from closed.cases import catalog, states
from loadpath.loads.resultants import effort_limits, travel


@pytest.fixture(scope="module")
def bar():
    return catalog("four_bar")


@pytest.fixture(scope="module")
def moving(bar):
    return lp.Motion.swing(bar, 60)


@pytest.fixture(scope="module")
def peaks(bar, moving):
    return bar.peak_loads(moving)


def test_loop_pins_have_peaks_like_joints(bar, moving, peaks):
    assert peaks.joint_names == bar.closed_joint_names
    wrenches = bar.joint_wrenches(moving.q, moving.qd, moving.qdd)
    sizes = np.linalg.norm(wrenches["rocker_pin"].force[:, :2], axis=-1)
    found = peaks["rocker_pin", "radial_force"]
    assert found.peak.sample == sizes.argmax()
    assert found.magnitude == pytest.approx(sizes.max(), rel=1e-12)
    causes = found.peak.top(99)
    assert sum(part.value for part in causes) == pytest.approx(found.peak.value, rel=1e-11)
    assert {part.kind for part in causes} >= {"gravity", "inertial", "centrifugal", "coriolis"}


def test_causes_of_a_drive_sum_to_it(bar, moving, peaks):
    peak = peaks["crank_joint", "drive"].peak
    assert sum(part.value for part in peak.top(99)) == pytest.approx(peak.value, rel=1e-11)
    assert peak.value == bar.inverse_dynamics(moving.q, moving.qd, moving.qdd)[peak.sample, 0]


def test_a_pin_travels_as_its_links_turn_against_each_other(bar):
    q, qd, _ = states(bar, 4)
    expected = abs(qd[:, 2] - qd[:, 0] - qd[:, 1])  # all three turn about one direction
    np.testing.assert_allclose(travel(bar, q, qd)[:, 3], expected, atol=1e-13)
    crank = catalog("slider_crank")
    slides = crank.tree.with_loop("guide", "base", "slider", motion=lp.Prismatic((1, 0, 0)), q=crank.home)
    speeds = np.array([[0.0, 0.0, 0.7]])
    k = crank.dof_names.index("slider_joint")
    np.testing.assert_allclose(travel(slides, crank.home[None], np.eye(3)[[k]] * speeds[0, 2])[0, -1], 0.7, atol=1e-13)


def test_what_statics_leaves_open_is_marked(bar, peaks):
    assert not peaks.open["rocker_pin", "radial_force"] and peaks.open["rocker_pin", "tilting_moment"]
    text = peaks.to_table()
    assert "rigid statics leaves it open" in text and "rocker_pin" in text
    drives = text.split("Drives")[1]
    assert "crank_joint" in drives and "coupler_joint" not in drives


def test_a_passive_joint_has_no_drive(bar, peaks):
    with pytest.raises(ValueError, match="'coupler_joint' is passive: it has no drive; the drives are crank_joint"):
        peaks["coupler_joint", "drive"]
    assert peaks["coupler_joint", "speed"].magnitude > 0
    frame = peaks.to_dataframe()
    assert set(frame[frame.quantity == "drive"].name) == {"crank_joint"}
    limited = replace(
        bar, joints=tuple(replace(joint, limits=(lp.Limits(effort=0.001),)) for joint in bar.joints)
    )
    assert effort_limits(limited).tolist() == [0.001, np.inf, np.inf]


def test_the_largest_payload_brings_a_loop_pin_to_its_limit(bar, moving):
    limits = {"rocker_pin": {"radial_force": 60.0}, "crank_joint": 500.0}
    found = bar.max_payload(moving, limits, link="coupler", center_of_mass=(0.3, 0.0, 0.0))
    assert found.binding.name == "rocker_pin" and found.binding.quantity == "radial_force"
    loaded = bar.with_payload(found.mass, (0.3, 0.0, 0.0), link="coupler")
    force = loaded.joint_wrenches.uncompiled(moving.q, moving.qd, moving.qdd)["rocker_pin"].force
    assert np.linalg.norm(force[:, :2], axis=-1).max() == pytest.approx(60.0, rel=1e-9)


def test_limits_are_of_drives_and_of_joints_that_there_are(bar, moving):
    with pytest.raises(ValueError, match=r"limit of 'coupler_joint', drive: .* has no such drive; it has crank_joint"):
        bar.max_payload(moving, {"coupler_joint": 5.0}, link="coupler")
    with pytest.raises(ValueError, match=r"limit of 'pin', radial_force: .* no such joint; it has .*rocker_pin"):
        bar.max_payload(moving, {"pin": {"radial_force": 5.0}}, link="coupler")
