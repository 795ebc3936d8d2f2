"""Wheel loads by cause: they sum to the loads, and each is the load with all other causes taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp

RNG = np.random.default_rng(8)
SLOPE = 0.1


def four_wheels(**spins: float) -> lp.Rover:
    friction = lp.WheelFriction(sliding=0.7, static=0.8, rolling=0.01)
    places = [(0.5, 0.4), (0.5, -0.4), (-0.4, 0.4), (-0.4, -0.4)]
    wheels = [lp.FixedWheel(at, 0.1, compliance=1.0 + k, **spins) for k, at in enumerate(places)]
    tensor = np.diag([2.0, 2.5, 3.0])
    base = lp.WheeledBase(mass=80, inertia=tensor, center_of_mass=(0.05, 0.02, 0.2), wheels=wheels, friction=friction)
    return base.carrying(lp.catalog.lau_arm(), at=(0.1, 0.05, 0.3), ground=lp.Ground(slope=SLOPE))


def states(rover: lp.Rover, *batch: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    q, qd, qdd = RNG.uniform(-0.4, 0.4, (3, *batch, rover.n))
    velocity, acceleration = RNG.uniform(-0.3, 0.3, (2, *batch, 3))
    return (q, qd, qdd), {"velocity": velocity, "acceleration": acceleration, "heading": RNG.uniform(-3, 3, batch)}


ROVERS = {
    "three contacts": lp.catalog.lau_rover,
    "three contacts on a slope": lambda: lp.catalog.lau_rover().on(lp.Ground(slope=SLOPE)),
    "four wheels": four_wheels,
    "four wheels that spin": lambda: four_wheels(spin_inertia=0.4),
}


@pytest.mark.parametrize("kind", ROVERS)
def test_causes_sum_to_the_loads(kind: str) -> None:
    rover = ROVERS[kind]()
    state, base = states(rover, 2, 3)
    pull = {rover.link_names[-1]: lp.Wrench([1.0, 2.0, -3.0], [0.1, 0.2, 0.3])}
    split = rover.wheel_load_breakdown(*state, external=pull, **base)
    loads = rover.wheel_loads(*state, external=pull, **base)
    size = np.abs(loads.normal).max()
    assert np.abs(split.total() - loads.normal).max() < 1e-12 * size
    for k, wheel in enumerate(rover.contact_names):
        assert np.abs(sum(split.by_kind(wheel).values()) - loads.normal[..., k]).max() < 1e-12 * size
        others = [split.by_kind(wheel)[kind] for kind in ("gravity", "external")]
        assert np.abs(sum([*split.by_mover(wheel).values(), *others]) - loads.normal[..., k]).max() < 1e-12 * size
    one = rover.wheel_load_breakdown(*(part[1, 2] for part in state), **{key: part[1, 2] for key, part in base.items()},
                                     external=pull)
    np.testing.assert_allclose(one.normal, split.normal[1, 2], atol=1e-12 * size)


@pytest.mark.parametrize("kind", ROVERS)
def test_each_cause_by_itself(kind: str) -> None:
    """Differences of wheel loads as one thing after the other is taken away: weight of a link, an acceleration, ..."""
    rover = ROVERS[kind]()
    (q, qd, qdd), base = states(rover)
    still, heading = np.zeros(rover.n), base["heading"]
    split = rover.wheel_load_breakdown(q, qd, qdd, **base)
    rows = dict(zip(split.causes, split.normal, strict=True))
    at_rest = rover.wheel_loads(q, heading=heading).normal
    weights = [force for cause, force in rows.items() if cause.startswith("gravity ")]
    np.testing.assert_allclose(sum(weights), at_rest, atol=1e-10)
    link = rover.link_names[-1]
    lighter = rover.with_inertias({link: replace(rover.link(link).inertia, mass=1e-9)}).wheel_loads(q, heading=heading)
    np.testing.assert_allclose(rows[f"gravity {link}"], at_rest - lighter.normal, atol=1e-7)
    for k, dof in enumerate(rover.dof_names):
        unit = np.eye(rover.n)[k]
        alone = rover.wheel_loads(q, still, qdd[k] * unit, heading=heading).normal - at_rest
        np.testing.assert_allclose(rows[f"inertial {dof}"], alone, atol=1e-10)
        alone = rover.wheel_loads(q, qd[k] * unit, still, heading=heading).normal - at_rest
        np.testing.assert_allclose(rows.get(f"centrifugal {dof}", 0.0) + 0 * alone, alone, atol=1e-10)
    of_base = [force for cause, force in rows.items() if cause in ("base inertial", "base centrifugal", "base spin")]
    alone = rover.wheel_loads(q, **base).normal - at_rest
    np.testing.assert_allclose(sum(of_base), alone, atol=1e-10)
    both = rover.wheel_loads(q, qd, qdd, **base).normal - rover.wheel_loads(q, qd, qdd, heading=heading).normal - alone
    turning = [force for cause, force in rows.items() if cause.startswith("base coriolis")]
    np.testing.assert_allclose(sum(turning), both, atol=1e-10)


def test_a_motion_with_loads_and_a_simulation() -> None:
    rover = lp.catalog.lau_rover()
    ran = rover.simulate([0.1, 0.2, 0.5], [0.5, 0.1, 0.0], velocity=(0.5, 0.4), duration=0.1)
    np.testing.assert_allclose(rover.wheel_load_breakdown(ran).total(), rover.wheel_loads(ran).normal, atol=1e-10)
    swing = lp.Motion.swing(rover, 11, 1.0).with_loads([lp.Carried(0.3, from_=0.3, to=0.8, name="box")])
    split = rover.wheel_load_breakdown(swing)
    np.testing.assert_allclose(split.total(), rover.wheel_loads(swing).normal, atol=1e-10)
    box = split.by_cause("wheel1")["carried box"]
    assert not box[0] and box[5]


def test_a_contact_that_lifts_is_named() -> None:
    rover = four_wheels()
    turning: dict[str, Any] = {"acceleration": (9.0, 9.0, 0.0)}
    assert rover.wheel_loads(np.zeros(rover.n), **turning).lifted.any()
    with pytest.raises(ValueError, match=r"contact 'wheel1' lifts, and without it the others share what the causes"):
        rover.wheel_load_breakdown(np.zeros(rover.n), **turning)
    with pytest.raises(TypeError, match="the base of a rover moves by velocity="):
        rover.wheel_load_breakdown(np.zeros(rover.n), base_velocity=np.zeros(6))
