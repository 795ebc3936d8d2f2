"""Derivatives of wheel loads against differences of them, by hand, and where they have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import loadpath as lp

PARTS = ("normal", "longitudinal", "lateral", "drive_torque")


def rover(arm: lp.Robot, *, casters: bool, driven: bool) -> lp.Rover:
    wheels: list[Any] = [lp.FixedWheel((0.0, y), 0.1, driven=driven) for y in (0.3, -0.3)]
    if casters:
        wheels += [lp.CasterWheel((x, 0.0), 0.05, trail=0.03) for x in (0.4, -0.4)]
    else:
        wheels += [lp.FixedWheel((0.5, y), 0.1) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=60, center_of_mass=(0.1, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01))
    return base.carrying(arm, at=(0.1, 0, 0.4))


def loads(on: lp.Rover, arrays: list[np.ndarray], angles: Any, **options: Any) -> np.ndarray:
    q, qd, qdd, velocity, acceleration = arrays
    found = on.wheel_loads(q, qd, qdd, velocity=velocity, acceleration=acceleration, steering=angles, **options)
    return np.stack([getattr(found, part) for part in PARTS])


def differences(on: lp.Rover, arrays: list[np.ndarray], which: int, k: int, **options: Any) -> np.ndarray:
    """By one entry of one argument, casters held at the angles that they have."""
    wheels, ends = on.arrangement, []
    angles = wheels.aligned(arrays[3]) if len(wheels.steerable) else None
    for side in (1e-5, -1e-5):
        there = list(arrays)
        unit = side * np.eye(on.n if which == 0 else arrays[which].shape[-1])[k]
        there[which] = on.integrate(arrays[0], np.broadcast_to(unit, (len(arrays[0]), on.n))) if which == 0 else (
            arrays[which] + unit)
        ends.append(loads(on, there, angles, **options))
    return (ends[0] - ends[1]) / 2e-5


@pytest.mark.parametrize(("casters", "driven"), [(True, True), (False, False)])
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_against_differences(casters: bool, driven: bool) -> None:
    """On a slope, with joints of all kinds, under a wrench; some states have contacts in the air."""
    arm = lp.catalog.random_chain(3, 2, joints="all")
    on = rover(arm, casters=casters, driven=driven).on(lp.Ground(slope=0.1))
    rng, count = np.random.default_rng(0), 6
    q = arm.integrate(np.broadcast_to(arm.neutral(), (count, arm.nq)), rng.uniform(-1, 1, (count, arm.n)))
    turning = 0.3 * casters
    motions = [np.stack([speed, np.zeros(count), turning * rng.uniform(-1, 1, count)], axis=-1)
               for speed in (rng.uniform(0.5, 1, count), rng.uniform(-2, 2, count))]
    arrays = [q, *rng.uniform(-1, 1, (2, count, on.n)), *motions]
    options = {"heading": 0.4, "external": {arm.link_names[-1]: lp.Wrench(force=rng.normal(size=(count, 3)))}}
    found = on.wheel_load_derivatives(*arrays[:3], velocity=arrays[3], acceleration=arrays[4], **options)
    assert not found.kinks.any()
    assert found.loads.lifted.any() is not casters
    for which, name in enumerate(("q", "qd", "qdd", "velocity", "acceleration")):
        slopes = np.stack([getattr(getattr(found, name), part) for part in PARTS])
        known = ~np.isnan(slopes[0].sum(axis=(-2, -1))), ~found.friction_kinks
        for k in range(slopes.shape[-1]):
            wanted = differences(on, arrays, which, k, **options)
            size = max(1.0, float(np.nanmax(np.abs(slopes))))
            assert np.abs(slopes[0, ..., k] - wanted[0])[known[0]].max() < 1e-6 * size
            assert np.abs(slopes[1:, ..., k] - wanted[1:])[:, known[1]].max() < 1e-6 * size
    assert (~found.friction_kinks).sum() >= 2


def test_a_mass_on_a_slide_by_hand() -> None:
    """A slide of 2 kg 0.3 m above the ground moves weight to the front, and pushes back as it is accelerated."""
    slide = lp.Robot("slide", (lp.Link("base"), lp.Link("mass", lp.Inertia(2.0))),
                     (lp.Joint("x", "base", "mass", lp.Prismatic((1, 0, 0))),))
    wheels = [lp.FixedWheel((0.5, 0.0), 0.1), *(lp.FixedWheel((-0.5, y), 0.1, driven=False) for y in (0.4, -0.4))]
    base = lp.WheeledBase(mass=20, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.9))
    found = base.carrying(slide, at=(0, 0, 0.3)).wheel_load_derivatives([0.1], [0.0], [0.0], velocity=(1.0, 0.0))
    np.testing.assert_allclose(found.q.normal[:, 0], 2.0 * 9.81 * np.array([1.0, -0.5, -0.5]), atol=1e-12)
    np.testing.assert_allclose(found.qdd.normal[:, 0], -2.0 * 0.3 * np.array([1.0, -0.5, -0.5]), atol=1e-12)
    np.testing.assert_allclose(found.acceleration.normal[:, 0], -4.6 * np.array([1.0, -0.5, -0.5]), atol=1e-12)
    np.testing.assert_allclose(found.acceleration.drive_torque[:, 0], [2.2, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.qd.normal, 0.0, atol=1e-12)


def test_where_there_is_none_it_says_so() -> None:
    on = rover(lp.catalog.planar(2), casters=False, driven=True)
    states = np.zeros((3, 2))
    with pytest.warns(lp.ModelWarning, match="in 1 of 3 states the base tips over"):
        found = on.wheel_load_derivatives(states, acceleration=[[0, 0, 0], [9.0, 0, 0], [-0.1, 0, 0]],
                                          velocity=(1.0, 0.0))
    assert found.kinks.tolist() == [False, True, False]
    assert np.isnan(found.q.normal[1]).all()
    assert np.isfinite(found.q.normal[[0, 2]]).all()
    with pytest.warns(lp.ModelWarning, match="wheel_load_derivatives: 1 of 3 states is not a number") as said:
        unknown = on.wheel_load_derivatives(states, velocity=(1.0, 0.0), heading=[0.0, np.nan, 0.0])
    assert unknown.kinks.tolist() == unknown.friction_kinks.tolist() == [False, True, False]
    assert np.isnan(unknown.qdd.normal[1]).all()
    assert len(said) == 1
    with pytest.raises(ValueError, match="heights of the ground"):
        on.wheel_load_derivatives(states, heights=[0, 0, 0, 0.01])
    with pytest.raises(ValueError, match="patches"):
        on.on(lp.Ground(patches=[lp.Patch([(0, 0), (1, 0), (1, 1)], lp.WheelFriction(0.1))])).wheel_load_derivatives(
            states)


def test_no_states() -> None:
    found = rover(lp.catalog.planar(2), casters=True, driven=True).wheel_load_derivatives(np.zeros((0, 2)))
    assert found.velocity.lateral.shape == (0, 4, 3)
