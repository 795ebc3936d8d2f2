"""Mechanisms that their loops hold altogether: nothing moves, and everything that is asked says so or is right."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import compiled_line

HINGE = lp.Revolute((0, 1, 0))


@pytest.fixture(scope="module")
def held() -> lp.ClosedRobot:
    """A four-bar with its crank locked: two speeds, no freedom."""
    bar = lp.catalog.four_bar()
    return bar.locked({"crank_joint": bar.home[0]})


def test_every_formulation_leaves_a_structure_at_rest(held):
    quantity = compiled_line(held, "forward_dynamics")
    for formulation in quantity.formulations:
        run = quantity.uncompiled(held, Variant(formulation))
        assert abs(run(held.home, np.zeros(2), np.array([1.0, 2.0]))[0]).max() < 1e-11
    with pytest.raises(ValueError, match="no freedom, so there are no drive forces to compare"):
        lp.verify(held)


def test_speeds_of_a_structure_are_zero(held):
    assert not np.any(held.complete(held.home, {}))
    with pytest.raises(ValueError, match="has 0 freedoms: its loops hold it, so all are zero"):
        held.complete(held.home, {"rocker_joint": 1.0})


def test_motions_of_a_structure_are_refused_with_the_way_to_its_loads(held):
    for call in (lambda: held.motion([0, 1, 2], {}), lambda: lp.Motion.swing(held)):
        with pytest.raises(ValueError, match="static_wrenches"):
            call()


def test_all_joints_locked_leave_a_structure_without_speeds():
    bar = lp.catalog.four_bar()
    welded = bar.locked(dict(zip(bar.dof_names, bar.home, strict=True)))
    assert (welded.n, welded.mobility, welded.driven) == (0, 0, ())
    weight = 9.81 * sum(link.inertia.mass for link in bar.links)
    forces = welded.static_wrenches([]).force
    world = welded.link_poses([])
    up = world[1, 2, :3] @ forces[0] + world[3, 2, :3] @ forces[2]
    assert up == pytest.approx(weight, rel=1e-12)


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_a_truss_has_the_forces_of_its_joints_by_hand():
    """Three bars on a pin and a roller, 1 kN down at the top: 500 N at the roller, sqrt(2) * 500 N in the rafters."""
    rafter, q = np.hypot(2, 2), [0, -np.pi / 4, -3 * np.pi / 4]
    links = tuple(lp.Link(name) for name in ("ground", "tie", "left", "right"))
    joints = (
        lp.Joint("a", "ground", "tie", HINGE),
        lp.Joint("a2", "ground", "left", HINGE),
        lp.Joint("b", "tie", "right", HINGE, (4, 0, 0)),
    )
    truss = (
        lp.Robot("truss", links, joints)
        .with_loop("c", "left", "right", motion=HINGE, at=(rafter, 0, 0), on=(rafter, 0, 0), q=q)
        .with_loop("roller", "ground", "tie", motion=lp.PointOnPlane((0, 0, 1)), at=(4, 0, 0), on=(4, 0, 0), q=q)
    )
    load = {"left": lp.Wrench(force=(0, 0, -1000.0), point=(2, 0, 2))}
    found = truss.static_wrenches(truss.home, external=load)
    diagonal = 500 * np.sqrt(2)
    by_hand = {"a": -500.0, "a2": diagonal, "b": diagonal, "c": -diagonal}
    for joint, axial in by_hand.items():
        assert found[joint].force == pytest.approx([axial, 0, 0], abs=1e-9)
    assert found["roller"].force == pytest.approx([0, 0, 500.0], abs=1e-9)
    assert found.determinate[:, [0, 2]].all()
