"""Robots as pictures: points where the kinematics puts them, arrows as long as the forces, refusals by name."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp


def named(figure, name):
    return next(part for part in figure.data if part.name == name)


def points(part) -> np.ndarray:
    return np.stack([np.asarray(part[k], dtype=float) for k in "xyz"], axis=-1)


def test_links_run_between_their_joints() -> None:
    arm = lp.catalog.lau_arm(d1=0.3)
    q = [0.4, 0.7, 0.9]
    poses = dict(zip(arm.link_names, arm.link_poses(q), strict=True))
    rod = points(named(arm.plot(q), "rod"))
    ends = [poses["carriage"][:3, 3], poses["rod"][:3, 3]]
    for end in ends:
        assert np.nanmin(np.linalg.norm(rod - end, axis=1)) < 1e-12


def test_solids_lie_on_the_axes() -> None:
    arm = lp.catalog.planar(2)
    solids = points(named(arm.plot([0.3, 0.4]), "joints"))
    assert np.isclose(np.ptp(solids[:, 1]), 2.6 * 0.022 * np.ptp(arm.link_poses([0.3, 0.4])[:, 0, 3]), rtol=1e-9)


@pytest.mark.parametrize("which", ["force", "torque"])
def test_arrows_are_the_loads(which: str) -> None:
    arm = lp.catalog.planar(2)
    q = np.array([0.3, -0.8])
    part = named(arm.plot(q, [1, 2], [3, 4], loads=True), which)
    wrenches = arm.joint_wrenches(q, [1, 2], [3, 4])
    poses = arm.link_poses(q)
    loads = [poses[k + 1, :3, :3] @ getattr(wrenches, which)[k] for k in range(2)]
    lines = points(part)
    lengths = [np.linalg.norm(lines[k * 16 + 1] - lines[k * 16]) for k in range(2)]
    directions = [lines[k * 16 + 1] - lines[k * 16] for k in range(2)]
    assert np.isclose(lengths[1] / lengths[0], np.linalg.norm(loads[1]) / np.linalg.norm(loads[0]), rtol=1e-9)
    assert np.allclose(np.cross(directions[0], loads[0]), 0, atol=1e-9)
    assert directions[0] @ loads[0] > 0


def test_a_motion_has_its_path_and_earlier_poses() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 50)
    figure = arm.plot(motion, poses=4)
    assert sum(part.name == "earlier poses" for part in figure.data) == 3
    path = points(named(figure, "path of tip"))[:-1]
    assert np.allclose(path, arm.link_poses(motion.q)[:, -1, :3, 3])


def test_closed_free_and_odd_robots() -> None:
    for robot in (lp.catalog.four_bar(), lp.catalog.generalized(1), lp.Robot("box", (lp.Link("box"),), ()),
                  lp.catalog.random_tree(6, seed=3)):
        assert robot.plot().data is not None
    assert "ball" not in {part.name for part in lp.catalog.four_bar().plot().data}


def test_what_cannot_be_drawn_says_so() -> None:
    arm = lp.catalog.planar(2)
    with pytest.raises(ValueError, match="NaN"):
        arm.plot([np.nan, 0])
    with pytest.raises(ValueError, match="poses is 0"):
        arm.plot([0, 0], poses=0)
    with pytest.raises(ValueError, match="loads=True"):
        arm.plot([0, 0], external={"tip": lp.Wrench(force=(1, 0, 0))})
    with pytest.raises(ValueError, match="no state"):
        arm.plot(np.zeros((0, 2)))


def test_names_of_files_are_escaped() -> None:
    arm = lp.Robot("<b>x</b>", (lp.Link("base"), lp.Link("<i>", lp.Inertia(1.0, (0.1, 0, 0), np.eye(3)))),
                   (lp.Joint("<script>", "base", "<i>", lp.Revolute((0, 0, 1))),))
    for text in (arm.plot().to_json(), arm._repr_html_(), arm.joint_wrenches([0], [0], [0])._repr_html_()):
        assert "<script>" not in text
        assert "<i>" not in text


def test_results_show_as_tables() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 20)
    wrenches = arm.joint_wrenches([0, 0], [0, 0], [0, 0])
    assert f"{wrenches.force[0, 1]:.4g}" in wrenches._repr_html_()
    peaks = arm.peak_loads(motion)
    assert f"{peaks['joint1', 'radial_force'].magnitude:.4g}" in peaks._repr_html_()
    loads = arm.load_breakdown([0, 0], [1, 2], [3, 4])
    assert f"{loads.total('joint1').torque[2]:.3f}" in loads._repr_html_()
    assert "agree to 1e-12" in lp.verify(arm)._repr_html_()
    rover = lp.catalog.lau_rover()
    assert f"{rover.wheel_loads([0, 0, 0.5]).normal[0]:.4g}" in rover.wheel_loads([0, 0, 0.5])._repr_html_()
    assert "tips over in 0 of 1" in rover.stability([0, 0, 0.5])._repr_html_()
    assert "Joints that close loops" in lp.catalog.four_bar()._repr_html_()


def test_robots_of_all_kinds_show_what_they_are() -> None:
    assert "3 speeds" in lp.catalog.four_bar()._repr_html_()  # it has one degree of freedom
    assert "1 degree of freedom," in lp.catalog.planar(1)._repr_html_()
    assert "Generalized (ry, x)" in lp.catalog.lau_arm(joints=2)._repr_html_()
    beam = lp.Beam(lp.Tube(0.05, 0.04), lp.ALUMINIUM, end="tip_joint")
    assert "beams: link1" in lp.catalog.planar(1, mass=25.0).with_beams({"link1": beam})._repr_html_()
    rover = lp.catalog.lau_rover()
    shown = rover._repr_html_()
    assert all(name in shown for name in (*rover.contact_names, *rover.robot.dof_names, "caster"))
    assert f"{rover.base.mass:.4g} kg on 3 contacts" in shown
    assert "joint" not in rover.base.carrying()._repr_html_()
