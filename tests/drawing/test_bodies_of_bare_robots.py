"""Robots without shapes: bodies whose places, volumes and thickness are those of the kinematics, none a bare stick."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.drawing.scene import bevelled, lathe
from loadpath.drawing.surfaces import bodies_of, ends_of_carrier, skeletons
from loadpath.quantities.carriers import carriers
from loadpath.report.scene import rim_of

MADE = {"generalized": (3,), "planar": (3,), "random_chain": (5, 1), "random_dh_arm": (6, 1), "random_tree": (8, 1)}
NAMES = list(lp.catalog.__all__)


def robot_of(name):
    made = getattr(lp.catalog, name)(*MADE.get(name, ()))
    return made if isinstance(made, lp.Robot) else made.robot


def size_of(robot):
    q = getattr(robot, "home", None)
    poses = robot.link_poses.uncompiled(robot.neutral() if q is None else q)
    return float(np.ptp(poses[:, :3, 3], axis=0).max())


def volume(solid):
    a, b, c = (solid.points[solid.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("name", NAMES)
def test_no_robot_of_the_catalog_is_a_bare_stick(name):
    robot = robot_of(name)
    size = size_of(robot)
    bodies, _ = bodies_of(robot, size)
    places = {link: [] for link in robot.link_names}
    for carrier in carriers(robot):
        ends = ends_of_carrier(carrier)
        places[ends.first].append(ends.at.p)
        places[ends.second].append(ends.on.p)
        if carrier.motion.dof:  # a housing around the joint, thicker than a line
            cloud = np.concatenate([surface.points for surface in bodies[ends.second]])
            near = cloud[np.linalg.norm(cloud - ends.on.p, axis=1) < 0.25 * size]
            assert np.linalg.norm(near - ends.on.p, axis=1).max() > 0.004 * size, (name, carrier.name)
    for link, points in places.items():
        reach = np.ptp(np.array(points).reshape(-1, 3), axis=0).max(initial=0.0)
        if reach > 0.05 * size and not (link == robot.base.name and len(points) < 2):
            cloud = np.concatenate([surface.points for surface in bodies[link]])
            thin = np.linalg.svd(cloud - cloud.mean(axis=0), compute_uv=False)[-1] / np.sqrt(len(cloud))
            assert thin > 0.002 * size, (name, link)
            for point in points:  # it reaches the joints that it carries
                assert np.linalg.norm(cloud - point, axis=1).min() < 0.1 * size, (name, link)


def test_turned_bodies_are_closed_and_have_their_volumes():
    axis, sides = np.array([0.3, -0.2, 0.9]), 64
    polygon = np.pi * np.sinc(2 / sides)  # area of a ring of so many sides, of its radius squared
    cone = lathe(np.ones(3), axis, [(0.1, 0.3), (0.6, 0.1)], sides)
    assert volume(cone) == pytest.approx(polygon * 0.5 / 3 * (0.09 + 0.03 + 0.01), rel=1e-9)
    assert 0 < volume(bevelled(np.zeros(3), axis, 0.2, 0.3)) < np.pi * 0.04 * 0.3
    edges = np.sort(np.concatenate([cone.triangles[:, [0, 1]], cone.triangles[:, [1, 2]], cone.triangles[:, [2, 0]]]))
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()


def test_links_are_thicker_towards_the_base_and_have_a_corner_where_theirs_is():
    arm = lp.catalog.planar(4)
    thick = [np.ptp(skeletons(arm, 4.0)[f"link{k}"].tubes.points[:, 1]) for k in (1, 2, 3, 4)]
    assert thick == sorted(thick, reverse=True) and thick[0] > 1.3 * thick[-1]
    links = (lp.Link("base"), lp.Link("crank", lp.Inertia(1.0)), lp.Link("end", lp.Inertia(1.0, (0.1, 0, 0))))
    joints = (lp.Joint("a", "base", "crank", lp.Revolute((0, 0, 1))),
              lp.Joint("b", "crank", "end", lp.Revolute((0, 1, 0)), (0.5, 0, 0.4)))
    crank = skeletons(lp.Robot("crank", links, joints), 1.0)["crank"].tubes.points
    corner = np.array([0.0, 0.0, 0.4])  # along the axis of its joint, then across
    assert np.linalg.norm(crank - corner, axis=1).min() < 0.05
    assert np.linalg.norm(crank - np.array([0.25, 0, 0.2]), axis=1).min() > 0.1  # not the straight way


def test_the_rim_reaches_as_far_as_all_points():
    points = np.random.default_rng(0).normal(size=(5000, 3))
    rim = rim_of(points)
    assert len(rim) <= 96
    for way in np.random.default_rng(1).normal(size=(50, 3)):
        assert (rim @ way).max() > 0.85 * (points @ way).max()
