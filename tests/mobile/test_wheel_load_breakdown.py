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
    split = rover.wheel_load_breakdown(np.zeros(rover.n), **turning)
    for asked in (lambda: split.normal, lambda: split.by_cause("wheel2", "longitudinal")):
        with pytest.raises(ValueError, match=r"contact 'wheel1' lifts, and without it the others share what the cause"):
            asked()
    assert "wheel1 (N)" not in split._repr_html_()
    tipping = rover.stability(np.zeros(rover.n), **turning)
    np.testing.assert_allclose(split.edge_moments.sum(axis=-2), tipping.edge_moments, rtol=1e-12)
    with pytest.raises(TypeError, match="the base of a rover moves by velocity="):
        rover.wheel_load_breakdown(np.zeros(rover.n), base_velocity=np.zeros(6))


# Wrench, tipping and friction


PLACES = {3: [(0.5, 0.4), (0.5, -0.4), (-0.4, 0.0)], 4: [(0.5, 0.4), (0.5, -0.4), (-0.4, 0.4), (-0.4, -0.4)]}


def wheels_of(*kinds: str) -> list[Any]:
    made: list[Any] = []
    for k, (kind, at) in enumerate(zip(kinds, PLACES[len(kinds)], strict=True)):
        soft: dict[str, Any] = {"compliance": 1.0 + k, "grip_compliance": 1.0 + 0.3 * k, "name": f"w{k}"}
        rollers = np.pi / 4 if at[0] * at[1] > 0 else -np.pi / 4
        made.append({
            "free": lambda at=at, soft=soft: lp.FixedWheel(at, 0.15, **soft),
            "driven": lambda at=at, soft=soft: lp.FixedWheel(at, 0.15, driven=True, spin_inertia=0.2, **soft),
            "steered": lambda at=at, soft=soft, k=k: lp.SteeredWheel(at, 0.15, driven=k % 2 == 0, **soft),
            "caster": lambda at=at, soft=soft: lp.CasterWheel(at, 0.1, trail=0.04, **soft),
            "mecanum": lambda at=at, soft=soft, a=rollers: lp.MecanumWheel(at, 0.15, driven=True, roller_angle=a,
                                                                           **soft),
        }[kind]())
    return made


BASES = [("free",) * 4, ("driven", "driven", "caster", "caster"), ("driven", "driven", "steered", "steered"),
         ("mecanum",) * 4, ("driven", "free", "caster")]
MOTIONS = {"at rest": (), "starting": ("acceleration",), "moving": ("velocity", "acceleration")}


@pytest.mark.parametrize("moves", MOTIONS)
@pytest.mark.parametrize("kinds", BASES, ids="-".join)
def test_wrench_tipping_and_friction_sum_to_the_wholes(kinds: tuple[str, ...], moves: str) -> None:
    friction = lp.WheelFriction(sliding=0.9, static=1.2, rolling=0.02)
    base = lp.WheeledBase(mass=80, inertia=np.diag([2.0, 2.5, 3]), center_of_mass=(0.05, 0.02, 0.2), friction=friction,
                          wheels=wheels_of(*kinds))
    rover = base.carrying(lp.catalog.lau_arm(), at=(0.1, 0.05, 0.3), ground=lp.Ground(slope=SLOPE))
    state, given = states(rover, 20)
    motion: dict[str, Any] = {name: given[name] for name in (*MOTIONS[moves], "heading")}
    motion["external"] = {rover.link_names[-1]: lp.Wrench([1.0, 2.0, -3.0], [0.1, 0.2, 0.3])}
    split = rover.wheel_load_breakdown(*state, **motion)
    loads, slip, standing = split.loads, rover.slip(*state, **motion), rover.stability(*state, **motion)
    wrench = rover.ground_wrench(*state, **motion)
    size = 1e-12 * float(wrench.force[..., 2].max())
    np.testing.assert_allclose(split.wrench.sum(axis=-2), np.concatenate([wrench.force, wrench.torque], -1), atol=size)
    for name in ("normal", "longitudinal", "lateral", "drive_torque"):
        np.testing.assert_allclose(getattr(split, name).sum(axis=-2), getattr(loads, name), atol=size)
    np.testing.assert_allclose(split.used.sum(axis=-2), slip.used, atol=size)
    assert split.edges == standing.edges
    np.testing.assert_allclose(split.edge_moments.sum(axis=-2), standing.edge_moments, atol=size)
    # What a cause does is the difference that it makes, where friction has no say in which way wheels roll.
    without = rover.wheel_loads(*state, **{**motion, "external": None})
    row = split.causes.index(f"external {rover.link_names[-1]}")
    for name in ("longitudinal", "lateral", "drive_torque"):
        np.testing.assert_allclose(getattr(split, name)[..., row, :], getattr(loads, name) - getattr(without, name),
                                   atol=1e-9)


def test_a_crate_on_four_wheels_by_hand() -> None:
    """100 kg on a square of 1 m, mass center 0.4 m above the ground, braking at 2 m/s^2 in a bend of 1 rad/s."""
    wheels = [lp.FixedWheel((x, y), 0.1, driven=True) for x in (0.5, -0.5) for y in (0.5, -0.5)]
    rover = lp.WheeledBase(mass=100, center_of_mass=(0, 0, 0.4), wheels=wheels, name="crate").carrying()
    split = rover.wheel_load_breakdown(velocity=(3.0, 1.0), acceleration=(-2.0, 0.0))
    weight, brakes, bend = "gravity crate", "base inertial", "base centrifugal"
    front = split.by_cause(("wheel2", "wheel1"))
    assert front[weight] == pytest.approx(981 * 0.5)
    assert front[brakes] == pytest.approx(-100 * 2 * 0.4)
    assert sum(front.values()) == pytest.approx(float(rover.stability(velocity=(3.0, 1.0), acceleration=(-2.0, 0.0))
                                                      .edge_moments[split.edges.index(("wheel2", "wheel1"))]))
    left = split.by_kind("wheel1", "longitudinal")
    assert left["base"] == pytest.approx(-50.0) and left["gravity"] == pytest.approx(0.0, abs=1e-12)
    lateral = split.by_cause("base", "force_y")
    assert sum(lateral.values()) == pytest.approx(300.0) and lateral[weight] == 0
    assert sum(split.by_cause("wheel1", "lateral").values()) == pytest.approx(75.0)
    assert sum(split.by_cause("wheel1", "drive_torque").values()) == pytest.approx(-5.0)
    assert split.by_mover("wheel3")["base"] == pytest.approx(-100 * 2 * 0.4 / 2 - 300 * 0.4 / 2)
    assert bend not in lateral or lateral[bend] == pytest.approx(0.0)
    assert split.worst() == () and split.top(count=1)[0].cause == weight


def test_the_causes_of_the_tipping_moment_at_its_worst() -> None:
    rover = four_wheels()
    swing = lp.Motion.swing(rover, 101, 0.6)
    split, standing = rover.wheel_load_breakdown(swing), rover.stability(swing)
    place = split.worst()
    k = standing.edges.index(split.nearest_edge)
    assert standing.edge_moments[place][k] == pytest.approx(standing.edge_moments.min())
    assert sum(term.value for term in split.top(count=1000)) == pytest.approx(standing.edge_moments.min())
    margin = standing.margin[place] * split.total("base", "force_z")[place]
    assert sum(term.value for term in split.top(count=1000)) == pytest.approx(margin)
    assert [abs(term.value) for term in split.top("wheel1", "used")] == sorted(
        (abs(term.value) for term in split.top("wheel1", "used")), reverse=True)
    here = split.top("wheel2", state=3, count=2)
    assert [term.value for term in here] == [pytest.approx(split.by_cause("wheel2")[term.cause][3]) for term in here]


def test_what_cannot_be_split_is_named() -> None:
    friction = lp.WheelFriction(sliding=0.2, static=0.2)
    wheels = [lp.FixedWheel((x, y), 0.1, driven=True, compliance=1.0 + x) for x in (0.5, -0.5) for y in (0.5, -0.5)]
    rover = lp.WheeledBase(mass=100, center_of_mass=(0, 0, 0.2), wheels=wheels, friction=friction).carrying()
    ramp = {"acceleration": np.linspace(0, 1.9, 20)[:, None] * [1.0, 0.0, 0.0]}
    split = rover.wheel_load_breakdown(**ramp)
    np.testing.assert_allclose(split.total(), split.loads.normal, atol=1e-10)
    with pytest.raises(ValueError, match=r"contact 'wheel\d' is asked for more than its share of the friction.* of 20"):
        split.by_cause("wheel1", "longitudinal")
    with pytest.raises(ValueError, match=r"no edge \('wheel1', 'wheel4'\); there are \("):
        split.top(("wheel1", "wheel4"))
    with pytest.raises(ValueError, match="contact 'wheel1' has no 'force_x': 'base' has that"):
        split.by_cause("wheel1", "force_x")
    with pytest.raises(ValueError, match="an edge has no 'normal'"):
        split.by_kind(split.edges[0], "normal")
    with pytest.raises(ValueError, match="no contact 'wheel9'"):
        split.total("wheel9")
    with pytest.raises(ValueError, match=r"state 3 is not one state|state is 3"):
        rover.wheel_load_breakdown().top("wheel1", state=3)


def test_states_that_are_not_numbers() -> None:
    rover = four_wheels()
    q = np.zeros((5, rover.n))
    q[2, 0] = np.nan
    split = rover.wheel_load_breakdown(q, acceleration=(0.5, 0.0))
    assert np.isnan(split.wrench[2]).any() and np.isfinite(split.wrench[[0, 1, 3, 4]]).all()
    assert np.isfinite(split.longitudinal[[0, 1, 3, 4]]).all()
    with pytest.warns(lp.ModelWarning, match="1 of 5 states is not a number"):
        assert split.worst() != (2,)
    with pytest.raises(ValueError, match="no state in this breakdown that is a number"):
        rover.wheel_load_breakdown(np.full(rover.n, np.nan)).top()


def test_causes_in_verdict_and_report() -> None:
    rating = lp.WheelRating(load=60.0, dynamic_load=50.0, speed=2.0, torque=3.0, side_force=10.0)
    rover = lp.catalog.lau_rover(driven=True).with_parts({"wheel1": rating})
    swing, moves = lp.Motion.swing(rover, 51, 1.0), {"velocity": (np.full(51, 0.5), 0.3)}
    verdict = rover.verdict(swing, **moves)
    ground = [row for row in verdict if row.joint in (*rover.contact_names, rover.name) and row.check != "speed"]
    assert len(ground) == 8
    for row in ground:
        assert sum(row.causes.values()) == pytest.approx(row.demand, abs=1e-12)
    assert verdict["rover", "tipping over"].top(1)[0].cause == "coriolis theta2, d2"
    with pytest.raises(ValueError, match="speed of wheel 'wheel1' has no causes"):
        verdict["wheel1", "speed"].top()
    assert "coriolis theta2, d2" in str(verdict)
    (section,) = [one for one in rover.report(swing, **moves).sections if one.title == "Wheels"]
    tips, loads, table = section.blocks[-3:]
    assert tips.shown == "wheel1 to wheel2"
    assert "7.338 N m at 0.480 s; most of it from gravity rover (+17.55)" in tips.note
    assert loads.shown == "wheel1" and set(loads.charts) == set(rover.contact_names)
    assert len(table.rows) == 9 and all(row[2].count(";") == 2 for row in table.rows)


def test_a_report_where_wheels_lift_and_slip() -> None:
    """Where a wheel carries what all causes do together, no cause is named; the tipping moment has its causes."""
    rover = four_wheels()
    verdict = rover.verdict(([0.0] * 3, [0.0] * 3, [0.0] * 3), acceleration=(9.0, 9.0, 0.0))
    row = next(row for row in verdict if row.check == "slip" and row.at is not None)
    with pytest.raises(ValueError, match=r"contact 'wheel1' lifts|tips over"):
        row.top()
    assert verdict["rover", "tipping over"].top(1)[0].cause == "base inertial" and "slip" in str(verdict)
    (section,) = [one for one in rover.report(acceleration=(9.0, 9.0, 0.0)).sections if one.title == "Wheels"]
    assert [block.title for block in section.blocks[-2:]] == ["What keeps the base from tipping over an edge",
                                                             "Causes of what the ground gives"]


@pytest.mark.parametrize("spin", [0.0, 0.02])
def test_of_a_simulation_in_space_the_wrench_is_split_by_cause(spin: float) -> None:
    """A base that rocks: what its contacts carry is that of the simulation, which has no causes of it."""
    wheels = [lp.FixedWheel((x, y), 0.1, driven=True, spin_inertia=spin) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    tall = lp.WheeledBase(mass=80, inertia=np.diag([8.0, 8.0, 3.0]), center_of_mass=(0, 0, 0.9), wheels=wheels,
                          friction=lp.WheelFriction(1.5))
    rover = tall.carrying(lp.catalog.planar(1), at=(0, 0, 1.0))
    still = dict.fromkeys(rover.contact_names, 0.0)
    run = rover.simulate([0.3], [0.0], velocity=(1.0, 0.0), duration=0.1, wheel_rates=still)
    assert run.rocks and run.pitch.max() > 0.01
    split, whole = rover.wheel_load_breakdown(run), rover.ground_wrench(run)
    assert (("base", ("spin",)) in split.all_causes) == bool(spin)
    np.testing.assert_allclose(split.wrench.sum(axis=-2), np.concatenate([whole.force, whole.torque], axis=-1),
                               atol=1e-12 * 81 * 9.81)
    with pytest.raises(ValueError, match="in the simulation the base moves in space"):
        split.by_cause("wheel1")
    with pytest.raises(ValueError, match="no causes"):
        rover.verdict(run)["wheel1", "slip"].top()
    np.testing.assert_array_equal(rover.wheel_loads(run).normal, run.normal)
    np.testing.assert_allclose(rover.robot.inverse_dynamics(run), run.tau, atol=1e-9)


def test_of_a_simulation_on_a_ramp_that_moves_the_wrench_is_split_by_cause() -> None:
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    cart = lp.WheeledBase(mass=80, inertia=np.diag([8.0, 8.0, 3.0]), center_of_mass=(0, 0, 0.3), wheels=wheels,
                          friction=lp.WheelFriction(0.8))
    ground = lp.Ground(surface=lp.Ramp(at=0.5, slope=0.2), motion=lp.GroundMotion(heave=lp.Sinusoid(1.0, 0.1)))
    rover = cart.carrying(lp.catalog.planar(1), at=(0, 0, 0.5), ground=ground)
    run = rover.simulate([0.3], [0.0], velocity=(1.0, 0.0), duration=0.2)
    assert run.pitch.min() < -0.01
    split, whole = rover.wheel_load_breakdown(run), rover.ground_wrench(run)
    np.testing.assert_allclose(split.wrench.sum(axis=-2), np.concatenate([whole.force, whole.torque], axis=-1),
                               atol=1e-12 * 81 * 9.81)
    with pytest.raises(ValueError, match="in the simulation the base moves in space"):
        split.by_cause("wheel1")
    with pytest.raises(ValueError, match="does not know ground with a surface"):
        rover.wheel_load_breakdown([0.3], time=0.0)


def test_a_report_says_what_is_not_split_by_cause() -> None:
    """On uneven ground, of which the breakdown knows nothing."""
    rover = four_wheels().on(lp.Ground(surface=lp.Kerb(at=0.2, step=0.02)))
    swing = lp.Motion.swing(rover, 11, 1.0)
    (section,) = [one for one in rover.report(swing).sections if one.title == "Wheels"]
    assert any(text.startswith("Not by cause: wheel_load_breakdown does not know ground") for text in section.warnings)
    assert section.blocks[-1].title == "Wheels"


def test_causes_on_patches_sum_to_the_loads_there():
    """Rolling resistance of each contact is that of where it stands; states on different patches in one call."""
    icy = lp.Patch(((-5.0, 0.2), (0.5, 3.0)), lp.WheelFriction(0.4, rolling=0.05))
    arm = lp.catalog.planar(2, length=0.3, mass=2.0)
    wheels = [lp.FixedWheel((x, y), 0.1, driven=x < 0) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    rover = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3, 4]), wheels=wheels,
                           friction=lp.WheelFriction(0.6, rolling=0.01)).carrying(
        arm, at=(0.1, 0, 0.4), ground=lp.Ground(patches=[icy]))
    states = {"velocity": (0.5, 0.0), "acceleration": (0.3, 0.0), "position": [[0.0, 0.0], [0.3, 0.0], [9.0, 0.0]]}
    split = rover.wheel_load_breakdown([0.3, 0.4], [1.0, -0.5], [2.0, 0.0], **states)
    loads = rover.wheel_loads([0.3, 0.4], [1.0, -0.5], [2.0, 0.0], **states)
    for quantity in ("normal", "longitudinal", "lateral", "drive_torque"):
        assert np.allclose(getattr(split, quantity).sum(axis=-2), getattr(loads, quantity), rtol=0, atol=1e-9)
    assert np.allclose(split.longitudinal.sum(axis=-2)[0, 0], -0.05 * loads.normal[0, 0])
    assert np.allclose(split.longitudinal.sum(axis=-2)[2, 0], -0.01 * loads.normal[2, 0])
