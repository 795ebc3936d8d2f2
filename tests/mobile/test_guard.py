"""A simulation that goes wrong says so: faults that were once in the contact solver are put back one by one."""

import importlib
import math
from dataclasses import replace

import numpy as np
import pytest
import typer
from carts import cart, differential

import loadpath as lp
from loadpath.mobile import rover_system
from loadpath.mobile.contacts import switching
from loadpath.simulate.guard import LARGE, check_all, check_energy, up_to


def test_what_cannot_stand_together_and_is_not_let_go_is_an_error(monkeypatch):
    """A wheel that is driven and one that stands: the base went at two thirds of its speed."""
    seen = switching.Switching.named_margins
    blind = lambda self, outcome, mode: seen(self, outcome, mode)._replace(together=np.array([np.inf]))  # noqa: E731
    monkeypatch.setattr(switching.Switching, "named_margins", blind)
    rates = dict.fromkeys(("rl", "rr"), lambda t: 2 * t * t)
    with pytest.raises(lp.IntegrationError, match=r"cannot hold together.*not to be trusted from t = 0 s on") as found:
        differential().simulate(wheel_rates=rates, duration=0.1)
    assert "rolling=0" in str(found.value) and "wheel_torques" in str(found.value)
    assert found.value.result.times.tolist() == [0.0]


def test_a_cart_that_stands_by_more_friction_than_there_is_is_an_error(monkeypatch):
    monkeypatch.setattr(switching.Switching, "_overloaded", lambda self, trial: False)
    with pytest.raises(lp.IntegrationError, match=r"at t = 0 s contacts hold more than their friction \(1\.29 of it"):
        cart(0.2, lp.Ground(slope=0.43)).simulate(pose=(0, 0, math.pi / 2), duration=0.01)


@pytest.fixture
def lifts_one(monkeypatch):
    """The plane says that it tips at the first change, though every contact presses on the ground."""
    settle = switching.Switching.settle

    def lifting(self, at, before, creeping=()):
        settled = settle(self, at, before, creeping)
        touching = settled.mode.touching.copy()
        touching[0] = False
        return settled if before is None else replace(settled, tips=True, mode=replace(settled.mode, touching=touching))

    monkeypatch.setattr(switching.Switching, "settle", lifting)


RATES = dict.fromkeys(("rl", "rr"), lambda t: 2 * max(t - 0.1, 0))


def test_a_rover_that_would_tip_though_all_contacts_press_is_an_error(lifts_one):
    """Without an inertia of its own it cannot go on as a free body, which would settle what the plane leaves open."""
    wheels = [lp.FixedWheel((0, y), 0.2, name=name) for y, name in ((0.4, "rl"), (-0.4, "rr"))]
    point = lp.WheeledBase(mass=200, center_of_mass=(0.2, 0, 0.3), wheels=[*wheels, lp.CasterWheel((1.0, 0), 0.1)],
                           friction=lp.WheelFriction(sliding=0.5, static=0.7, rolling=0.01)).carrying()
    with pytest.raises(lp.IntegrationError, match=r"tip over though all contacts press on the ground \(\d+") as found:
        point.simulate(wheel_rates=RATES, duration=0.5)
    assert 0.08 < found.value.result.times[-1] <= 0.1 and not found.value.result.tipped


def test_what_the_plane_does_not_settle_goes_on_as_a_free_body_and_says_so(lifts_one):
    run = differential().simulate(wheel_rates=RATES, duration=0.3)
    event = run.of_kind("rocks")[0]
    assert "nothing lifts" in event.cause and 0.08 < event.time <= 0.1
    assert run.pose[-1] == pytest.approx([0.2 * 0.2**2, 0, 0], abs=1e-9) and run.energy_drift < 1e-7
    assert not run.tipped


def test_a_search_without_end_is_an_error_after_a_bounded_effort(monkeypatch):
    monkeypatch.setattr(rover_system, "_AT_ONE_MOMENT", 200)
    monkeypatch.setattr(switching.Switching, "_spins_right", lambda self, trial: self._try(trial, trial.mode) or True)
    rover = differential()
    with pytest.raises(lp.IntegrationError, match=r"at t = 0 s contacts change without end.*error\.result.*rolling=0"):
        rover.simulate(wheel_rates={"rl": lambda t: 2 * t}, duration=0.5)


# The checks themselves


def test_energy_that_is_not_accounted_for_is_told_with_its_beginning():
    fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=1.0)
    turned_over = fall.kinetic.max()
    lost = replace(fall, dissipated=np.where(fall.times >= 0.5, 2 * LARGE * turned_over, 0.0))
    with pytest.raises(lp.IntegrationError, match=r"at t = 0\.5 s .* J of energy.*trusted from t = 0\.49 s") as e:
        check_energy(lost, "nothing helps")
    assert e.value.result.times[-1] == pytest.approx(0.49) and e.value.result.q.shape == (50, 2)
    check_energy(lost, "", rtol=3e-6)  # who asks for less gets less
    check_energy(replace(fall, dissipated=np.where(fall.times >= 0.5, 0.5 * LARGE * turned_over, 0.0)), "")


def test_the_earliest_fault_is_told_and_nan_is_one():
    fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=0.1)
    late, early = np.zeros(11), np.zeros(11)
    late[7], early[4] = 1.0, np.nan
    with pytest.raises(lp.IntegrationError, match=r"at t = 0\.04 s early \(nan m, expected at most 0\.5 m\)") as found:
        check_all(fall, [("late", late, 0.5, " m"), ("early", early, 0.5, " m")], "")
    assert len(found.value.result.times) == 4
    check_all(fall, [("none", np.full(11, 0.5), 0.5, "")], "")
    assert len(up_to(fall, 0).times) == 1


def _bent():
    return lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.ALUMINIUM, end="tip_joint")},
                                           inertia_from_beams=True)


def _kicked(stiffness=None):
    """A cart whose wheels lift, or one on springs: a free body."""
    spring = {} if stiffness is None else {"stiffness": stiffness, "damping": 10.0}
    wheels = [lp.FixedWheel((x, y), 0.1, **spring) for x in (0.35, -0.35) for y in (0.3, -0.3)]
    return lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.5)).carrying()


EVERY_KIND = {
    "tree": (lambda: lp.catalog.planar(2), "loadpath.simulate.tree", {"q": np.zeros(2)}),
    "loops": (lp.catalog.four_bar, "loadpath.simulate.closed.simulation", {"q": lp.catalog.four_bar().home}),
    "beams": (_bent, "loadpath.structure.motion_in_time.simulation", {"q": [0.3], "modes": 4}),
    "wheels": (differential, "loadpath.mobile.spatial.result",
               {"wheel_rates": dict.fromkeys(("rl", "rr"), lambda t: t)}),
    "rocking": (_kicked, "loadpath.mobile.spatial.result", {"velocity": (0.3, 0), "wheel_rates": dict.fromkeys(
        _kicked().contact_names, 0.0)}),
    "springs": (lambda: _kicked(5e3), "loadpath.mobile.spatial.result", {"velocity": (0.3, 0)}),
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_simulation_watches_its_energy(kind, monkeypatch):
    """Heat from nowhere from 0.1 s on: noticed on the way, not cured by finer steps, and told."""
    make, module, arguments = EVERY_KIND[kind]
    room, ends = importlib.import_module(module), []
    name = {"beams": "_recorded", "tree": "recorded", "loops": "recorded"}.get(kind, "recorded_in_space")
    recorded, heat = getattr(room, name), "sliding_heat" if name == "recorded_in_space" else "dissipated"

    def with_heat(*parts):
        found = recorded(*parts)
        ends.append(float(found["times"][-1]))
        return {**found, heat: found[heat] + found["kinetic"].max() * (found["times"] > 0.1)}

    monkeypatch.setattr(room if heat == "dissipated" else importlib.import_module("loadpath.mobile.simulate"), name,
                        with_heat)
    with pytest.raises(lp.IntegrationError, match=r"J of energy are not accounted for.*: .* do not help$"):
        make().simulate(duration=0.4, **arguments)
    assert max(ends) < 0.25


def test_what_does_not_balance_is_computed_again_with_finer_steps():
    """With a tolerance of 0.1 a swing of 5 s gains more than a tenth of its energy."""
    arm, coarse = lp.catalog.planar(2), {"method": "RK23", "rtol": 0.1, "duration": 5.0}
    told = r"J of energy are not accounted for, .* computed again with rtol=0\.001 .* with which all balances"
    with pytest.warns(lp.ModelWarning, match=told):
        run = arm.simulate([0.3, 0.0], [0.0, 0.0], **coarse)
    assert run.energy_drift < 0.1 and run.times[-1] == 5.0


def test_a_command_tells_it_in_one_line(capsys):
    from loadpath.cli.messages import errors_reported

    with pytest.raises(typer.Exit) as found, errors_reported():
        raise lp.IntegrationError("simulate: at t = 0.5 s 2 J of energy are not accounted for")
    assert found.value.exit_code == 2 and "2 J of energy are not accounted for" in capsys.readouterr().err


# What is told


@pytest.mark.parametrize(("speed", "falls"), [(0.3, False), (1.29, False), (1.33, True)])
def test_a_locked_cart_jams_and_falls_only_if_its_energy_takes_it_over(speed, falls):
    """Its front wheels jam (mu h l > I/m + l^2: Painleve) and stop at once. What is left rolls it on its locked front
    wheels until its mass center is over their axle: (m v h)^2 / (2 (I + m (h^2 + l^2))) against
    m g (sqrt(l^2 + (h - R)^2) - (h - R)): 1.309 m/s.
    """
    wheels = [lp.FixedWheel((x, y), 0.1, name=f"{x}{y}") for x in (0.35, -0.35) for y in (0.3, -0.3)]
    tall = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.5)).carrying()
    run = tall.simulate(velocity=(speed, 0), wheel_rates=dict.fromkeys(tall.contact_names, 0.0), sample_rate=10,
                        duration=2.5 if falls else 0.4)
    assert (run.rocks, run.tipped) == (not falls, falls)
    jams = [event for event in run.of_kind("impacts") if "jams" in event.cause]
    assert {event.part for event in jams} == {"0.350.3", "0.35-0.3"} and jams[0].time == 0
    inertia = 1 + 30 * (0.9**2 + 0.35**2)
    assert run.kinetic[0] == pytest.approx((30 * speed * 0.9) ** 2 / (2 * inertia))
    assert run.energy_drift < 1e-6 and ("tips over" if falls else "rocks") in repr(run)


@pytest.mark.parametrize("speed", [0.3, 2.0])
def test_no_force_is_told_that_nothing_asks_for(speed):
    """Front wheels that stay parallel while they turn: their axles do not meet, and no finite force holds them all."""
    wheels = [lp.FixedWheel((0, y), 0.2, name=f"r{y}") for y in (0.4, -0.4)]
    wheels += [lp.SteeredWheel((1, y), 0.2, name=f"f{y}") for y in (0.4, -0.4)]
    car = lp.WheeledBase(mass=200, center_of_mass=(0.5, 0, 0.3), inertia=np.diag([20.0, 40, 50]), wheels=wheels,
                         friction=lp.WheelFriction(sliding=0.5, static=0.7, rolling=0.01)).carrying()
    turned = dict.fromkeys(car.steerable_names, lambda t: 0.3 * math.sin(3 * t))
    run = car.simulate(velocity=(speed, 0), steering=turned, duration=0.4)
    assert run.events and not [event for event in run.events if "e+" in str(event) or "x -" in str(event)]
    assert run.energy_drift < 1e-6


def test_a_steering_angle_that_is_not_a_number_is_one_answer():
    wheels = [lp.FixedWheel((0, y), 0.1) for y in (0.3, -0.3)] + [lp.SteeredWheel((0.6, 0), 0.1)]
    rover = lp.WheeledBase(mass=20, center_of_mass=(0.2, 0, 0.3), wheels=wheels,
                           friction=lp.WheelFriction(0.5)).carrying()
    angles = [[0.0], [np.nan], [0.1]]
    told = r": 1 of 3 states is not a number \(1\).*counted as tipping over"
    with pytest.warns(lp.ModelWarning, match=f"stability{told}"):
        standing = rover.stability(np.zeros((3, 0)), steering=angles)
    with pytest.warns(lp.ModelWarning, match=f"wheel_loads{told}"):
        loads = rover.wheel_loads(np.zeros((3, 0)), steering=angles)
    for found in (standing, loads):
        assert found.tips_over.tolist() == found.unknown.tolist() == [False, True, False]
