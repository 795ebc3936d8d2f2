"""Closed robots with beams on a base that moves on a slope, against the same robot on a planar joint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp

BAR = lp.catalog.four_bar()
BEAMS = {"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin"),
         "crank": lp.Beam(lp.Rod(0.006), lp.STEEL, end="coupler_joint")}
SOFT = {"crank_joint": lp.JointCompliance(drive=200.0)}
BASE = lp.WheeledBase(
    mass=40,
    center_of_mass=(0.0, 0.0, 0.2),
    inertia=np.diag([1.0, 2.0, 3.0]),
    wheels=[lp.FixedWheel((x, y), 0.1, driven=True) for x in (-0.4, 0.4) for y in (-0.3, 0.3)],
    friction=lp.WheelFriction(0.8),
)
AT = (0.1, 0.0, 0.4)


@pytest.fixture(scope="module")
def rover() -> lp.Rover:
    bending = BAR.with_beams(BEAMS, joint_compliance=SOFT, inertia_from_beams=True)
    return BASE.carrying(bending, at=AT, ground=lp.Ground(slope=0.2))


def states(rover: lp.Rover) -> tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]:
    """Of the arm, of its base, and of both on the planar joint, whose axes are those of the ground."""
    q = rover.robot.home
    moving = rover.robot.complete(q, [0.7], [0.4])
    v, a, h = np.array([0.5, -0.3, 0.8]), np.array([0.4, 1.0, -0.6]), 0.5
    turn = np.array([[np.cos(h), -np.sin(h)], [np.sin(h), np.cos(h)]])
    rate = turn @ (a[:2] + v[2] * np.array([-v[1], v[0]]))
    on_joint = np.r_[0.3, 0.2, h, q], np.r_[turn @ v[:2], v[2], moving.qd], np.r_[rate, a[2], moving.qdd]
    return (q, moving.qd, moving.qdd), {"velocity": v, "acceleration": a, "heading": h}, on_joint


def test_the_same_as_on_a_planar_joint(rover: lp.Rover) -> None:
    arm, base, on_joint = states(rover)
    whole, h = rover.planar, base["heading"]
    to_base = np.array([[np.cos(h), np.sin(h), 0], [-np.sin(h), np.cos(h), 0], [0, 0, 1]])
    found, wanted = rover.deflection(*arm, **base), whole.deflection(*on_joint)
    for link in ("crank", "coupler", "rocker"):
        for part in ("displacement", "rotation"):
            ours, theirs = getattr(found[link], part), to_base @ getattr(wanted[link], part)
            np.testing.assert_allclose(ours, theirs, atol=1e-10 * 5e-5)
    assert np.abs(found["coupler"].displacement).max() > 1e-6
    pin, other = (one.joint_wrenches(*state, **case)["rocker_pin"] for one, state, case in
                  ((rover, arm, base), (whole, on_joint, {})))
    np.testing.assert_allclose(pin.force, other.force, atol=1e-10)
    np.testing.assert_allclose(rover.stress(*arm, **base).von_mises, whole.stress(*on_joint).von_mises, rtol=1e-9)
    ringing = rover.natural_frequencies(arm[0], 3, qd=arm[1], qdd=arm[2], **base).frequencies
    same = whole.natural_frequencies(on_joint[0], 3, qd=on_joint[1], qdd=on_joint[2]).frequencies
    np.testing.assert_allclose(ringing, same, rtol=1e-9)


def test_on_tyres_it_sinks_in_by_its_weight(rover: lp.Rover) -> None:
    sprung = replace(BASE, wheels=[replace(wheel, stiffness=1e5) for wheel in BASE.wheels])
    weight = 9.81 * sum(link.inertia.mass for link in rover.links)
    for arm in (BAR.with_inertias({link.name: link.inertia for link in rover.links if link.name in BAR.link_names}),
                BAR.with_beams(BEAMS, inertia_from_beams=True)):
        centred = sprung.carrying(arm, at=AT)
        found = centred.deflection(centred.robot.home)
        origin = found["rover"].displacement[2]
        center = centred.mass_center(centred.robot.home)
        # The springs are alike and about the origin: it sinks by the weight over all of them, wherever that acts.
        np.testing.assert_allclose(origin, -weight / 4e5, rtol=1e-12)
        np.testing.assert_allclose(found["rover"].rotation[1], weight * center[0] / (4e5 * 0.4**2), rtol=1e-9)


def test_edits_and_refusals(rover: lp.Rover) -> None:
    rigid = rover.without_beams()
    assert rigid.loops and not rigid.is_elastic
    again = rigid.with_beams(dict(rover.beams), joint_compliance=dict(rover.joint_compliances))
    assert again == rover
    q = rover.robot.home
    np.testing.assert_allclose(rover.wheel_loads(q).normal, rigid.wheel_loads(q).normal, rtol=1e-12)
    with pytest.raises(lp.ModelError, match=r"wheel_loads\(deflected=True\) is for open chains.*rover.deflection"):
        rover.wheel_loads(q, deflected=True)


def test_compensated_and_vibrating_on_a_slope_as_under_its_gravity(rover: lp.Rover) -> None:
    tilted = rover.robot.with_gravity(rover.ground.gravity_in_base(0.0))
    q = rover.robot.home
    ours, theirs = (each.compensated(q, link="coupler").q for each in (rover, tilted))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert np.abs(ours - q).max() > 1e-6
    t = np.linspace(0.0, 0.1, 11)
    motion = tilted.motion(t, {"crank_joint": q[0] + 0.1 * (1 - np.cos(np.pi * t / 0.1))})
    ours, theirs = (each.respond(motion, modes=2, link="coupler", after=0.0).displacement["coupler"]
                    for each in (rover, tilted))
    np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(theirs).max())


def test_motion_in_time_is_not_that_of_rigid_links(rover: lp.Rover) -> None:
    q = rover.robot.home
    with pytest.raises(lp.ModelError, match=r"carries a robot with beams or compliant joints.*without_beams\(\)"):
        rover.simulate(q, np.zeros(3), duration=0.1)
    assert rover.without_beams().simulate(q, np.zeros(3), duration=0.01).q.shape[-1] == 3
