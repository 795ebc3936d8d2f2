"""Gears that give way in a stop: two masses in closed form, and against equations of motion that are integrated apart.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp

J, STIFFNESS, SPEED = 0.5, 1e4, 2.0
ROD = lp.Robot("rod", (lp.Link("base"), lp.Link("rod", lp.Inertia.from_moments(1.0, iyy=J, izz=J))),
               (lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),), gravity=(0, 0, 0))


def steady(speed: float = SPEED) -> lp.Motion:
    return lp.Motion([0.0, 1.0], [[0.0], [speed]], [[speed], [speed]], [[0.0], [0.0]])


def geared(share: float, torque: float, arm: lp.Robot = ROD, **gear: object) -> lp.Robot:
    """A rod with a rotor of so much of its inertia, and a brake on the motor."""
    name = arm.dof_names[0]
    drive = lp.Drive(ratio=100, rotor_inertia=share * (J if arm is ROD else 1 / 3) / 1e4)
    given = {"stiffness": STIFFNESS} | gear
    one = (lp.PlanetaryGear(ratio=100, **given) if "backlash" in gear  # type: ignore[arg-type]
           else lp.StrainWaveGear(ratio=100, momentary_torque=100.0, **given))  # type: ignore[arg-type]
    brake = lp.Brake(holding_torque=torque / 100, response_time=0.01)
    return arm.with_drives({name: drive}).with_parts({name: [one, brake]})


@pytest.mark.parametrize("share", [0.07, 0.3, 1.0, 3.0])
def test_a_rotor_that_slips_for_long_doubles_the_torque(share: float) -> None:
    """T J / (B + J) of a stiff gear, 1 - cos of it with a spring."""
    torque = 20.0
    stop = geared(share, torque).stop(steady(), at=0.5)
    stiff = torque / (1 + share)
    assert np.isclose(stop.rigid_gear_torques["turn"], stiff, rtol=1e-9)
    assert np.isclose(stop.gear_torques["turn"], 2 * stiff, rtol=1e-3)
    assert np.isclose(stop.elastic_factors["turn"], 2.0, rtol=1e-3)
    assert np.isclose(stop.peaks["turn", "drive"].magnitude, 2 * stiff, rtol=1e-3)
    (row,) = [row for row in stop.checks if row.check == "momentary peak torque"]
    assert np.isclose(row.demand, 2 * stiff, rtol=1e-3) and "stiff" not in row.note
    assert "give way" in " ".join(stop.notes)


def test_a_rotor_that_stops_at_once_leaves_the_link_on_the_spring() -> None:
    """A strong brake: w sqrt(K J), whatever the brake; the stiff gear bears all of the brake."""
    stop = geared(0.01, 5000.0).stop(steady(), at=0.5)
    assert np.isclose(stop.gear_torques["turn"], SPEED * np.sqrt(STIFFNESS * J), rtol=0.02)
    assert stop.elastic_factors["turn"] < 0.1


@pytest.mark.parametrize(("gear", "law"), [
    ({}, lambda x: STIFFNESS * x),
    ({"backlash": 0.002}, lambda x: STIFFNESS * np.sign(x) * max(abs(x) - 0.001, 0.0)),
    ({"stiffness": (5e3, 2e4), "stiffness_torques": (15.0,)},
     lambda x: np.sign(x) * (min(5e3 * abs(x), 15.0) + max(abs(x) - 0.003, 0.0) * 2e4)),
])
def test_a_pendulum_against_its_equations(gear: dict[str, object], law: object) -> None:
    """With gravity, from a motion that loads the gear: rotor and link integrated apart, until the rotor rests."""
    assert callable(law)
    arm = geared(0.5, 25.0, lp.catalog.planar(1), **gear)
    motion = lp.Motion.through(arm, [[-1.0], [1.0]], times=[0.0, 0.6])
    stop = arm.stop(motion, at=0.2)
    found = stop.ringing
    assert found is not None and found.simulation is not None
    assert found.simulation.energy_drift < 1e-7
    B, q = 0.5 / 3, found.motion.q[:, 0]

    def rate(t: float, y: np.ndarray) -> list[float]:
        bears = float(law(y[2] - y[0]))
        return [y[1], (bears - 25.0 * (t >= 0.01)) / B, y[3], 3 * (-4.905 * np.cos(y[2]) - bears)]

    twist = found.simulation.q[0, 1]
    y0 = [q[0] - twist, found.simulation.qd[0, 0], q[0], found.motion.qd[0, 0]]
    assert np.isclose(-law(twist), arm.inverse_dynamics(motion.at(0.2))[0, 0] - B * motion.at(0.2).qdd[0, 0], rtol=1e-9)
    moves = (found.simulation.qd[:, 0] > 0.05) & (found.motion.t < stop.time)
    moves &= np.cumsum(~moves) == 0
    own = solve_ivp(rate, (0, found.motion.t[moves][-1]), y0, rtol=1e-10, atol=1e-12, max_step=1e-3,
                    t_eval=found.motion.t[moves])
    bears = -np.array([law(x) for x in own.y[2] - own.y[0]])
    assert moves.sum() > 100
    assert np.allclose(found.torques[moves, 0], bears, atol=1e-3 * np.abs(bears).max())


def test_rotors_that_brake_along_a_path_ring_too() -> None:
    """The acceleration of a rotor jumps by a: J a (1 - cos w t), and again at rest; the link is left on the spring."""
    rod = geared(0.3, 20.0)
    stop = rod.stop(steady(), at=0.25, category=2, limits={"torque": 40.0})
    slows = 40.0 / (J * 1.3)
    w, T = np.sqrt(STIFFNESS / J), SPEED / slows
    assert np.isclose(stop.rigid_gear_torques["turn"], J * slows, rtol=1e-5) and np.isclose(stop.time, T, rtol=1e-4)
    after = J * slows * np.hypot(np.sin(w * T), 1 - np.cos(w * T))
    assert np.isclose(stop.gear_torques["turn"], max(2 * J * slows, after), rtol=2e-3)
    assert stop.ringing is not None
    late = stop.ringing.motion.t > stop.time + 1e-3
    assert np.isclose(np.abs(stop.ringing.torques[late]).max(), after, rtol=0.01)
    assert stop.rigid_gear_torques["turn"] * 1.9 < rod.stop(
        steady(), at=0.25, category=2, limits={"torque": 40.0}).peaks["turn", "drive"].magnitude


def test_what_is_not_known_is_said() -> None:
    gear = lp.StrainWaveGear(ratio=100, momentary_torque=50.0)
    drive = lp.Drive(ratio=100, rotor_inertia=1e-4)
    brakes = [lp.Brake(holding_torque=0.3, response_time=0.0)]
    bare = ROD.with_drives({"turn": drive}).with_parts({"turn": [gear, *brakes]}).stop(steady(), at=0.5)
    assert bare.ringing is None and "no stiffness is given" in bare.to_table()
    (row,) = [row for row in bare.checks if row.check == "momentary peak torque"]
    assert "of a stiff gear" in row.note
    stiff = geared(0.3, 20.0)
    on_joint = stiff.stop(steady(), at=0.5, brakes={"turn": 20.0})
    assert on_joint.ringing is None and "brake is on the joint's side" in " ".join(on_joint.notes)
    rotorless = ROD.with_parts({"turn": [lp.StrainWaveGear(ratio=100, stiffness=1e4)]})
    assert "rotor's inertia is not known" in " ".join(rotorless.stop(steady(), 0.5, brakes={
        "turn": lp.Brake(holding_torque=20.0, response_time=0.0, on="joint")}).notes)
    with pytest.raises(ValueError, match="'elastic' is 3"):
        stiff.stop(steady(), at=0.5, elastic=3)  # type: ignore[arg-type]


def test_a_tree_and_an_arm_of_which_one_gear_is_known() -> None:
    """The other joints are stiff; the links' motion has them all."""
    arm = lp.catalog.planar(2)
    arm = arm.with_drives(dict.fromkeys(arm.dof_names, lp.Drive(ratio=100, rotor_inertia=1e-5, efficiency=(0.9, 0.8))))
    arm = arm.with_parts({"joint2": [lp.StrainWaveGear(ratio=100, momentary_torque=300.0, stiffness=2e4)]})
    brakes = {name: lp.Brake(holding_torque=0.8, response_time=0.02) for name in arm.dof_names}
    stop = arm.stop(lp.Motion.swing(arm, 51, 1.0), at=0.5, brakes=brakes)
    assert stop.ringing is not None and stop.ringing.joints == ("joint2",) and list(stop.elastic_factors) == ["joint2"]
    assert 1.2 < stop.elastic_factors["joint2"] < 3
    assert stop.ringing.simulation is not None and stop.ringing.simulation.energy_drift < 1e-7
    assert stop.peaks["joint1", "force"].magnitude > 0
    own = np.asarray(stop.ringing.robot.inverse_dynamics(stop.ringing.motion))[:, 1]
    assert np.allclose(own, stop.ringing.torques[:, 0], atol=1e-6 * np.abs(own).max())


def test_a_rod_whose_rotor_jams() -> None:
    """w sqrt(K J) without a load before, whatever the rotor was; with backlash the same, and later."""
    for gear in ({}, {"backlash": 0.002}):
        rod = geared(0.5, 20.0, **gear)
        found = rod.jam(steady(), at=0.5, joint="turn")
        assert np.isclose(found.peak_torque, SPEED * np.sqrt(STIFFNESS * J), rtol=1e-4) and found.energy_drift < 1e-9
        late = 0.001 / SPEED if gear else 0.0
        assert np.isclose(found.peak_time, late + np.pi / 2 * np.sqrt(J / STIFFNESS), rtol=0.01)
        assert np.isclose(found.peaks["turn", "drive"].magnitude, found.peak_torque, rtol=1e-9)
        if not gear:
            (row,) = [row for row in found.checks if row.check == "momentary peak torque"]
            assert np.isclose(row.demand, found.peak_torque) and not row.holds


def test_a_joint_that_jams_moves_the_others() -> None:
    """M q'' + h = tau but for the jammed joint, whose torque is -k (q - q0) + what it bore: integrated apart."""
    arm = lp.catalog.planar(2).with_drives({"joint2": lp.Drive(ratio=50, rotor_inertia=1e-4)})
    motion = lp.Motion.swing(arm, 201, 1.0)
    found = arm.jam(motion, at=0.3, joint="joint2", stiffness="8000 N m/rad")
    links = arm.with_drives({"joint2": lp.Drive(rotor_inertia=0.0)})
    here, tau = motion.at(0.3), np.asarray(arm.inverse_dynamics(motion))
    bore = np.asarray(links.inverse_dynamics(here))[0, 1]
    q0 = here.q[0, 1]

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        drive = np.interp(0.3 + t, motion.t, tau[:, 0])
        torque = [drive, bore - 8000.0 * (y[1] - q0)]
        return np.concatenate([y[2:], links.forward_dynamics(y[:2], y[2:], torque)])

    own = solve_ivp(rate, (0, found.simulation.times[-1]), np.concatenate([here.q[0], here.qd[0]]), rtol=1e-10,
                    atol=1e-12, t_eval=found.simulation.times)
    assert np.allclose(found.torques, bore - 8000.0 * (own.y[1] - q0), atol=1e-5 * found.peak_torque)
    assert "jams at t = 0.3 s" in found.to_table() and "jam of 'joint2'" in repr(found)
    assert "<table" in found._repr_html_() and len(found.plot().data) == 1
    worst = arm.jam(motion, [0.1, 0.3], joint="joint2", stiffness=8000.0)
    assert worst.at == 0.3 and np.isclose(worst.sizes[1], found.peak_torque, rtol=1e-2)


@pytest.mark.parametrize(("given", "words"), [
    ({"joint": "turn"}, "no stiffness is known of a gear at 'turn'"),
    ({"joint": "turm"}, "did you mean 'turn'"),
    ({"joint": "turn", "stiffness": -1.0}, "'stiffness' is -1.0"),
    ({"joint": "turn", "stiffness": "3 N/m"}, "stiffness"),
    ({"joint": "turn", "stiffness": 1e4, "at": 2.0}, "outside the motion"),
])
def test_jams_that_cannot_be(given: dict[str, object], words: str) -> None:
    with pytest.raises((ValueError, lp.ModelError), match=words):
        ROD.jam(steady(), **{"at": 0.5} | given)  # type: ignore[arg-type]


def test_ringing_that_is_seldom_looked_at_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A very stiff gear rings so quickly that no number of samples will do."""
    assert "looked at" not in " ".join(geared(0.3, 20.0).stop(steady(), at=0.5).notes)
    monkeypatch.setattr("loadpath.stops.elastic.MOST_SAMPLES", 20)
    (note,) = [note for note in geared(0.3, 20.0).stop(steady(), at=0.5).notes if "looked at" in note]
    assert "times in a period: its peaks may be larger" in note
