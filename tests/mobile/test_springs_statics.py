"""How a base stands on its springs: by hand, against an enumeration of all pieces of all laws, against plain tyres."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.mobile.springs import Springs

G = 9.81
CORNERS = tuple((x, y) for x in (-1.2, 1.2) for y in (0.7, -0.7))
NAMES = ("rl", "rr", "fl", "fr")
STOPS = {"bump_travel": 0.08, "bump_stop_stiffness": 2e5, "rebound_travel": 0.1, "rebound_stop_stiffness": 3e5}
CAR = lp.Suspension(stiffness=2e4, preload=3000.0, **STOPS)


def car(spring: lp.Suspension = CAR, tyre: float | None = 2e5, *, mass: float = 1600.0, bars: bool = False,
        center: tuple[float, float, float] = (0.0, 0.0, 0.5)) -> lp.Rover:
    wheels = [lp.FixedWheel(at, 0.3, suspension=spring, stiffness=tyre, name=name)
              for at, name in zip(CORNERS, NAMES, strict=True)]
    held = [lp.AntiRollBar("fl", "fr", 1e4), lp.AntiRollBar("rl", "rr", 5e3)] if bars else []
    return lp.WheeledBase(mass=mass, center_of_mass=center, inertia=np.diag([400.0, 1500, 1700]), wheels=wheels,
                          anti_roll_bars=held).carrying()


def test_preload_by_hand() -> None:
    """4000 N on each wheel: 1000 N beyond the preload press the spring in by 50 mm, all of them the tyre by 20 mm."""
    light = car(mass=16000 / G)
    stands = light.posture()
    assert_allclose(stands.normal, 4000.0, rtol=1e-14)
    assert_allclose(stands.suspension, 0.05, rtol=1e-12)
    assert_allclose(stands.tyre, 0.02, rtol=1e-12)
    assert_allclose([stands.heave, stands.roll, stands.pitch], [-0.07, 0, 0], atol=1e-15)
    assert_allclose(stands.travel_used, 0.625, rtol=1e-12)


def test_preload_that_is_not_overcome() -> None:
    """The stop holds the spring at 3000 N: below, both give way together, 10 + 190 kN/m."""
    held = lp.Suspension(stiffness=1e4, preload=3000.0, rebound_travel=0.0, rebound_stop_stiffness=1.9e5)
    stands = car(held, None, mass=4 * 2000 / G).posture()
    assert stands.on_rebound_stop.all()
    assert not stands.lifted.any()
    assert_allclose(stands.heave, 1000 / 2e5, rtol=1e-12)
    assert_allclose(car(held, None, mass=4 * 3100 / G).posture().heave, -100 / 1e4, rtol=1e-12)


def test_a_bump_stop_by_hand() -> None:
    """6000 N at the wheel: the spring carries 3000 + 20 kN/m s, the stop what is beyond 80 mm."""
    stands = car(mass=24000 / G).posture()
    s = (6000 - 3000 + 2e5 * 0.08) / 2.2e5
    assert stands.on_bump_stop.all()
    assert_allclose(stands.suspension, s, rtol=1e-12)
    assert_allclose(stands.heave, -s - 6000 / 2e5, rtol=1e-12)
    assert_allclose(stands.stiffness[0, 0], 4 / (1 / 2.2e5 + 1 / 2e5), rtol=1e-12)


@pytest.mark.parametrize("tyre", [None, 2e5])
def test_roll_stiffness_with_anti_roll_bars_by_hand(tyre: float | None) -> None:
    """A bar adds twice its stiffness at each wheel where the wheels move against each other, and nothing in heave."""
    soft = 0.0 if tyre is None else 1 / tyre
    stands = car(tyre=tyre, bars=True).posture()
    each = [1 / (soft + 1 / (2e4 + 2 * bar)) for bar in (1e4, 5e3)]
    assert_allclose(stands.roll_stiffness, 2 * 0.7**2 * sum(each), rtol=1e-12)
    assert_allclose(stands.stiffness[0, 0], 4 / (soft + 1 / 2e4), rtol=1e-12)
    assert_allclose(stands.pitch_stiffness, 4 * 1.2**2 / (soft + 1 / 2e4), rtol=1e-12)
    turning = car(tyre=tyre, bars=True).posture(velocity=(4.0, 0.1))
    assert_allclose(turning.roll, 1600 * 0.4 * 0.5 / stands.roll_stiffness, rtol=1e-10)  # outwards: the left goes up
    front, rear = turning.normal[3] - turning.normal[2], turning.normal[1] - turning.normal[0]
    assert_allclose(front / rear, each[0] / each[1], rtol=1e-9)  # the stiffer axle takes more


def enumerated(
    springs: list[lp.Suspension], tyre: float, bars: list[tuple[int, int, float]], load: np.ndarray, g: float,
    heights: np.ndarray,
) -> np.ndarray:
    """Normal forces by trying all pieces of all laws: (z, a, b) and the hubs' heights are the unknowns."""
    S = np.array([(1.0, y, -x) for x, y in CORNERS])
    for pieces in product(range(3), (False, True), repeat=4):
        K, f = np.zeros((7, 7)), np.zeros(7)
        f[:3] = load
        for i, spring in enumerate(springs):
            piece, on = pieces[2 * i : 2 * i + 2]
            row = np.concatenate([-S[i], np.eye(4)[i]])  # deflection = height of the hub - that of the base
            slope, start = [(2e4 + 3e5, 3e5 * 0.1), (2e4, 0.0), (2e4 + 2e5, -2e5 * 0.08)][piece]
            start += spring.preload
            K += slope * np.outer(row, row)
            f += start * row
            f[3 + i] += spring.unsprung_mass * g
            f[:3] -= spring.unsprung_mass * g * S[i]  # of the load that the ground carries in all
            if on:
                K[3 + i, 3 + i] += tyre
                f[3 + i] -= tyre * heights[i]
        for i, j, k in bars:
            row = np.concatenate([S[j] - S[i], np.eye(4)[i] - np.eye(4)[j]])
            K += k * np.outer(row, row)
        try:
            x = np.linalg.solve(K, -f)
        except np.linalg.LinAlgError:
            continue
        s, pressed = x[3:] - S @ x[:3], heights - x[3:]
        fits = all(
            (pressed[i] >= 0) == pieces[2 * i + 1] and (0 if s[i] < -0.1 else 2 if s[i] > 0.08 else 1) == pieces[2 * i]
            for i in range(4)
        )
        if fits and np.linalg.cond(K) < 1e12:  # two wheels alone hold no base
            return np.where(pressed > 0, tyre * pressed, 0.0)
    raise AssertionError("no pieces fit")


@pytest.mark.parametrize("unsprung", [0.0, 45.0])
@pytest.mark.parametrize("bars", [False, True])
def test_stops_lifted_wheels_and_uneven_ground_against_all_pieces(bars: bool, unsprung: float) -> None:
    rng = np.random.default_rng(3)
    spring = replace(CAR, unsprung_mass=unsprung)
    heights = rng.normal(scale=0.06, size=(6, 4))
    places = rng.uniform(-0.9, 0.9, (6, 2)) * (1.2, 0.7)
    seen = set()
    for k in range(6):
        mass = float(rng.uniform(400, 4000))
        rover = car(spring, mass=mass, bars=bars, center=(*places[k], 0.5))
        stands = rover.posture(heights=heights[k])
        load = mass * G * np.array([1.0, places[k, 1], -places[k, 0]])
        held = [(2, 3, 1e4), (0, 1, 5e3)] if bars else []
        assert_allclose(stands.normal, enumerated([spring] * 4, 2e5, held, load, G, heights[k]), atol=1e-8)
        for kind in ("lifted", "on_bump_stop", "on_rebound_stop"):
            seen |= {kind} if getattr(stands, kind).any() else set()
    assert seen == {"lifted", "on_bump_stop", "on_rebound_stop"}


def test_rigid_tyres_are_the_limit_of_stiff_ones() -> None:
    rng = np.random.default_rng(4)
    heights = rng.normal(scale=0.2, size=(30, 4))
    stiff, rigid = (car(replace(CAR, unsprung_mass=30.0), tyre, bars=True).posture(heights=heights)
                    for tyre in (1e11, None))
    assert_allclose(rigid.normal, stiff.normal, rtol=1e-6, atol=5e-3)
    assert_allclose(rigid.heave, stiff.heave, atol=1e-6)
    assert_allclose(rigid.normal.sum(axis=-1), 1600 * G, rtol=1e-12)
    assert (rigid.lifted == stiff.lifted).all()
    assert rigid.lifted.any()


def test_linear_springs_are_tyres() -> None:
    """A suspension in series with a tyre, by the general way and by the one of plain tyres."""
    plain = [lp.FixedWheel(at, 0.3, stiffness=1 / (1 / 2e5 + 1 / 2e6)) for at in CORNERS]
    body = {"mass": 1600.0, "center_of_mass": (0.2, -0.1, 0.6), "inertia": np.diag([400.0, 1500, 1700])}
    tyres = lp.WheeledBase(**body, wheels=plain).carrying()
    light = lp.Suspension(stiffness=2e5, unsprung_mass=1e-9)  # a hub that weighs next to nothing
    both = [lp.WheeledBase(**body, wheels=[lp.FixedWheel(at, 0.3, stiffness=2e6, suspension=spring) for at in CORNERS])
            for spring in (lp.Suspension(stiffness=2e5), light)]
    motion = {"velocity": (3.0, 0.2), "acceleration": (-1.5, 0.1)}
    for base in both:
        sprung = base.carrying()
        assert_allclose(sprung.wheel_loads(**motion).normal, tyres.wheel_loads(**motion).normal, rtol=1e-11)
        shifted = [r.wheel_loads(deflected=True, **motion).normal - r.wheel_loads(**motion).normal
                   for r in (sprung, tyres)]
        assert np.abs(shifted[1]).max() > 10
        assert_allclose(shifted[0], shifted[1], rtol=0.01)  # of first order
        bent = [r.deflection(**motion)["rover"] for r in (sprung, tyres)]
        assert_allclose(bent[0].displacement, bent[1].displacement, rtol=1e-10)
        assert_allclose(bent[0].rotation, bent[1].rotation, rtol=1e-10)
        stands = sprung.posture(**motion)
        assert_allclose([stands.heave, stands.roll, stands.pitch],
                        [bent[1].displacement[2], *bent[1].rotation[:2]], rtol=1e-10)
        margins = [r.stability(deflected=True, **motion).margin for r in (sprung, tyres)]
        assert_allclose(margins[0], margins[1], rtol=1e-3)


def test_a_lean_on_springs_with_preload_by_hand() -> None:
    """h times the roll moves the load outwards: m g h phi over the track, on top of what the turn does."""
    rover = car(bars=True, center=(0.0, 0.0, 0.9))
    turn = {"velocity": (5.0, 0.3)}
    stands = rover.posture(**turn)
    firm, leaning = (rover.wheel_loads(deflected=deflected, **turn).normal for deflected in (False, True))
    moved = 1600 * (G * 0.9 * stands.roll + 1.5 * stands.heave)
    assert_allclose((leaning - firm) @ [0.7, -0.7, 0.7, -0.7], -moved, rtol=0.02)


def test_rigid_feet_on_uneven_ground() -> None:
    """Four feet, one jacked up: the base stands on it and on two others, by moments; the fourth carries nothing."""
    feet = lp.WheeledBase(mass=100, center_of_mass=(0.1, 0.05, 0.5), wheels=[lp.Support(at) for at in CORNERS])
    load = 100 * G * np.array([[1.0, 0.05, -0.1]])
    stands = Springs(feet).settle(feet.positions, load, np.asarray(G), np.array([[0.0, 0.0, 0.02, 0.0]]))
    # On rl, fl, fr: what lies off the diagonal's other side carries it.
    x, y = feet.positions.T
    three = [k for k in range(4) if stands.normal[0, k] > 0]
    assert len(three) == 3
    by_hand = np.linalg.solve(np.array([np.ones(4), y, -x])[:, three], load[0])
    assert_allclose(stands.normal[0, three], by_hand, atol=1e-7)
    even = Springs(feet).settle(feet.positions, load, np.asarray(G))
    assert_allclose(even.normal[0], feet.carrying().wheel_loads().normal, rtol=1e-9)


def test_batches_are_states_one_at_a_time() -> None:
    rover = car(replace(CAR, unsprung_mass=30.0), bars=True)
    turns = np.linspace(-4.0, 4.0, 25)
    rates = np.stack([np.full(25, 4.0), turns], axis=-1)
    many = rover.posture(velocity=rates)
    assert many.tips_over.any()
    assert many.lifted.any()
    for k in range(25):
        one = rover.posture(velocity=rates[k])
        for part in ("heave", "roll", "pitch", "normal", "suspension", "tyre", "tips_over"):
            assert_allclose(getattr(many, part)[k], getattr(one, part), rtol=1e-12, atol=1e-15)
    assert_allclose(rover.wheel_loads(velocity=rates).normal, many.normal, rtol=1e-14)
    assert np.isnan(many.heave[many.tips_over]).all()
    assert (rover.stability(velocity=rates).tips_over == many.tips_over).all()
    assert many.compliance.shape == (25, 3, 3)


def test_states_that_are_no_numbers_and_calls_that_are_wrong() -> None:
    rover = car()
    with pytest.warns(lp.ModelWarning, match="posture"):
        stands = rover.posture(velocity=[(1.0, 0.0), (np.nan, 0.0)])
    assert stands.unknown.tolist() == [False, True]
    assert stands.tips_over.tolist() == [False, True]
    with pytest.raises(ValueError, match=r"heights have the shape \(3,\): expected \(..., 4\)"):
        rover.posture(heights=[0, 0, 0])
    rigid = lp.WheeledBase(mass=9, center_of_mass=(0, 0, 1), wheels=[lp.Support(at) for at in CORNERS]).carrying()
    with pytest.raises(lp.ModelError, match="stands on rigid wheels: give them stiffness="):
        rigid.posture()


def test_what_bends_stands_on_the_springs_as_they_are() -> None:
    rover = car(bars=True)
    roll = rover.posture().roll_stiffness
    modes = rover.natural_frequencies(count=3, loaded=False)
    each = 1 / (1 / 2e4 + 1 / 2e5)
    inertia = 1600 * 0.5**2
    by_hand = np.sqrt([4 * each / 1600, 4 * 1.2**2 * each / (1500 + inertia), roll / (400 + inertia)])
    assert_allclose(modes.frequencies * 2 * np.pi, by_hand, rtol=1e-9)
    assert_allclose(rover.buckling().factor, roll / (1600 * G * 0.5), rtol=1e-9)
    stands, bent = rover.posture(velocity=(3.0, 0.2)), rover.deflection(velocity=(3.0, 0.2))["rover"]
    assert_allclose([bent.displacement[2], *bent.rotation[:2]], [stands.heave, stands.roll, stands.pitch], rtol=1e-10)
    with pytest.raises(lp.ModelError, match="on other pieces of their laws from state to state"):
        rover.deflection(velocity=[(4.0, 0.0), (4.0, 1.5)])
    with pytest.raises(lp.ModelError, match=r"deflection\(iterate=True\): base 'rover' stands on springs with preload"):
        rover.deflection(iterate=True)
    with pytest.warns(lp.ModelWarning, match="the unsprung masses of 'rover' move with the base here"):
        car(replace(CAR, unsprung_mass=30.0)).natural_frequencies(count=1)


def test_reports_verdicts_and_accelerations_on_springs() -> None:
    arm = lp.catalog.planar(1, mass=20.0)
    rover = car(bars=True).base.carrying(arm, at=(0.3, 0.1, 0.8))
    motion = lp.Motion.through(rover.robot, [[0.0], [1.0]], times=[0.0, 1.0])
    page = rover.report(motion).html
    assert "Roll and pitch on the springs" in page
    assert "loads by cause, deflections and vibrations are not on this page" in page
    assert "tipping over" in str(rover.verdict(motion))
    with pytest.raises(lp.ModelError, match=r"forward_dynamics: base 'rover' stands on springs with preload"):
        rover.forward_dynamics([0.0], [0.0], [0.0])
    with pytest.raises(ValueError, match="does not grow in proportion"):
        rover.wheel_load_breakdown([0.0]).total()


def test_posture_against_mujoco() -> None:
    """Slide joints with springs and preload, bars as tendons, at rest after all has rung out: angles of 3 mrad."""
    mujoco = pytest.importorskip("mujoco")
    spring = lp.Suspension(stiffness=2e5, preload=3000.0, rebound_travel=0.0005, rebound_stop_stiffness=1.8e6)
    wheels = [lp.FixedWheel(at, 0.3, suspension=spring, stiffness=2e6, name=name)
              for at, name in zip(CORNERS, NAMES, strict=True)]
    x, y, mass = 0.25, -0.12, 1600.0
    bars = (("fl", "fr", 1e5), ("rl", "rr", 5e4))
    stands = lp.WheeledBase(mass=mass, center_of_mass=(x, y, 0.0), wheels=wheels,
                            anti_roll_bars=[lp.AntiRollBar(*bar) for bar in bars]).carrying().posture()
    assert stands.on_rebound_stop.any()
    legs = "".join(f'''<body pos="{at[0]} {at[1]} 0"><joint name="{name}" type="slide" axis="0 0 1" stiffness="2e5"
        springref="-0.015" damping="2e4"/><geom type="sphere" size="0.001" mass="1e-3"/><site name="{name}"/></body>'''
                   for name, at in zip(NAMES, CORNERS, strict=True))
    tendons = "".join(f'''<fixed stiffness="{k}" springlength="0"><joint joint="{left}" coef="1"/><joint
        joint="{right}" coef="-1"/></fixed>''' for left, right, k in bars)
    body = "".join(f'<joint type="{kind}" axis="{axis}" damping="1e4"/>'
                   for kind, axis in (("slide", "0 0 1"), ("hinge", "1 0 0"), ("hinge", "0 1 0")))
    model = mujoco.MjModel.from_xml_string(f'''<mujoco><option timestep="1e-3" integrator="implicit"/><worldbody>
        <body>{body}<inertial pos="{x} {y} 0" mass="{mass}" diaginertia="400 1500 1700"/>{legs}</body></worldbody>
        <tendon>{tendons}</tendon></mujoco>''')
    data = mujoco.MjData(model)
    for _ in range(3000):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        data.qfrc_applied[:] = 0.0
        for name in NAMES:
            site, joint = model.site(name).id, model.joint(name)
            force = np.array([0.0, 0.0, 2e6 * max(0.0, -data.site_xpos[site, 2])])  # the tyre
            mujoco.mj_applyFT(model, data, force, np.zeros(3), data.site_xpos[site], model.site_bodyid[site],
                              data.qfrc_applied)
            data.qfrc_applied[joint.dofadr[0]] -= 1.8e6 * min(0.0, data.qpos[joint.qposadr[0]] + 0.0005)
        mujoco.mj_step(model, data)
    assert_allclose(data.qpos[:3], [stands.heave, stands.roll, stands.pitch], rtol=0.005)
    assert_allclose([data.qpos[model.joint(name).qposadr[0]] for name in NAMES], stands.suspension, atol=4e-5)
