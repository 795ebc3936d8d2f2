"""Wheels on links as data: round trips, and what cannot be."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer

import loadpath as lp


def test_round_trips() -> None:
    rover = with_trailer()
    assert rover.base.on_links
    assert not tractor().on_links
    again = pickle.loads(pickle.dumps(rover))
    assert again == rover
    assert again.base.wheels[4].link == "trailer"
    assert "link='trailer'" in repr(rover.base.wheels[4])
    assert rover != replace(rover, wheeled_base=tractor())
    assert rocker_bogie().n == 3  # one rocker follows the other


@pytest.mark.parametrize(
    ("wheel", "message"),
    [
        ({"link": "trayler"}, "is on link 'trayler', which no robot on the base has .*did you mean 'trailer'"),
        ({"link": "rover"}, "which is the base itself: leave link out"),
        ({"link": 3}, "link of fixed wheel 'x' is 3: expected the name of a link"),
        ({"link": ""}, "expected the name of a link"),
        ({"link": "trailer", "spin_inertia": 0.1}, "and has spin inertia, which is known of wheels on the base only"),
        ({"link": "trailer", "stiffness": 1e5}, "has a stiffness"),
    ],
)
def test_links_that_cannot_be(wheel: dict, message: str) -> None:
    with pytest.raises(lp.ModelError, match=message):
        tractor([lp.FixedWheel((-3, 0), 0.3, name="x", **wheel)]).carrying(trailer(), at=(-0.8, 0, 0.4))


def test_a_swing_leaves_passive_joints_alone() -> None:
    rover = with_trailer(pitch=True)
    swing = lp.Motion.swing(rover, 5, 1.0)
    assert not swing.q.any() and not swing.qd.any()
    with_arm = rover.carrying(lp.catalog.planar(1), at=(1, 0, 1))
    moved = lp.Motion.swing(with_arm, 5, 1.0)
    assert (abs(moved.q).max(axis=0) > 0).tolist() == [False, False, True]
    assert not with_arm.wheel_loads(moved).tips_over.any()


def test_a_base_without_its_robot_is_refused() -> None:
    with pytest.raises(lp.ModelError, match="it carries no robot"):
        tractor(axle()).carrying()
    with pytest.raises(lp.ModelError, match="tracks are known of the base only"):
        lp.Track((0, 0), 0.2, length=1.0, link="trailer")


def test_links_in_a_project_file(tmp_path: Path) -> None:
    wheels = "".join(
        f'[[base.wheels]]\nkind = "fixed wheel"\nposition = [{x}, {y}]\nradius = 0.3\n{more}'
        for x, y, more in ((0, 0.7, ""), (0, -0.7, ""), (2.5, 0, ""), (-1, 0.7, 'link = "trailer"\n'),
                           (-1, -0.7, 'link = "trailer"\n')))
    (tmp_path / "arm.urdf").write_text(trailer().to_urdf())
    head = '[robot]\nfile = "arm.urdf"\n[base]\nmass = 800\ncenter_of_mass = [1.2, 0, 0.5]\n' \
        'position = [-0.8, 0, 0.4]\n'
    file = tmp_path / "truck.toml"
    file.write_text(head + wheels)
    rover = lp.load_project(file).rover
    assert rover is not None
    assert [wheel.link for wheel in rover.base.wheels] == [None] * 3 + ["trailer"] * 2
    file.write_text(head + wheels.replace('"trailer"', '"trayler"'))
    with pytest.raises(lp.ModelError, match="did you mean 'trailer'"):
        lp.load_project(file)
