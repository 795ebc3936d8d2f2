"""The compiled motion within a mode of contacts, against the equations it stands for, written out in NumPy."""

import numpy as np
import pytest

import loadpath as lp
from loadpath.mobile.contacts.elements import Elements
from loadpath.mobile.contacts.forces import ContactForces
from loadpath.mobile.contacts.modes import Input, Mode
from loadpath.mobile.contacts.steady import SteadyMotion
from loadpath.mobile.equations import BASE, equations_of
from loadpath.mobile.wheel_drives import WheelDrives

FRICTION = lp.WheelFriction(0.5, 0.7, rolling=0.02)


def _rover(kind: str) -> lp.Rover:
    arm = lp.catalog.planar(2)
    if kind == "casters":
        wheels = [lp.FixedWheel((0.0, 0.3), 0.1), lp.FixedWheel((0.0, -0.3), 0.1),
                  lp.CasterWheel((0.4, 0.0), 0.05, trail=0.03), lp.CasterWheel((-0.4, 0.1), 0.05, trail=0.04)]
    elif kind == "spinning":
        wheels = [lp.FixedWheel((x, y), 0.1, spin_inertia=0.02) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    else:
        wheels = [*(lp.FixedWheel((x, 0.3), 0.1) for x in (0.4, -0.4)),
                  *(lp.Support(at) for at in ((0.1, -0.3), (-0.2, -0.4)))]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=FRICTION)
    return base.carrying(arm, at=(0.1, 0, 0.4))


def _drawn(rover: lp.Rover, rates: dict[str, float], rng: np.random.Generator) -> tuple[ContactForces, Input, Mode]:
    """The solver of a rover, a random state and a random mode."""
    drives = WheelDrives(rover, {} if rates else {rover.contact_names[0]: 1.5}, rates)
    elements = Elements(rover, set(drives.rates), driven_joints=True)
    free = np.ones(elements.size, dtype=bool)
    free[[elements.spin_at[k] for k in drives.rates]] = False
    forces = ContactForces(rover, elements, drives, free)
    stuck = rng.random(len(elements.all)) < 0.4
    directions = tuple(d / np.linalg.norm(d) for d in (rng.normal(size=e.count) for e in elements.all))
    contacts = len(rover.contact_names)
    mode = Mode(stuck, directions, np.ones(contacts, dtype=bool), np.zeros(contacts), ~stuck)
    U, q = 0.3 * rng.normal(size=elements.size), rng.normal(size=rover.nq)
    angles, torques = rng.normal(size=len(rover.arrangement.steerable)), np.zeros(contacts)
    torques[list(drives.torques)] = 1.5
    given = np.where(free, 0.0, rng.normal(size=elements.size))
    at = Input(q, U[BASE : BASE + rover.n], 0.4, U, given, rng.normal(size=rover.n), torques, angles,
               np.zeros(len(angles)), None)
    return forces, forces.held_to(at, mode), mode


@pytest.mark.parametrize("kind", ["casters", "spinning", "feet"])
@pytest.mark.parametrize("rated", [False, True])
def test_the_motion_within_a_mode_obeys_its_equations(kind, rated):
    rover, rng = _rover(kind), np.random.default_rng(len(kind) + rated)
    rates = dict.fromkeys(rover.contact_names[:2], 0.5) if rated else {}
    for _ in range(20):
        forces, at, mode = _drawn(rover, rates, rng)
        outcome = forces.evaluate(at, mode)
        elements, n, free = forces.elements, rover.n, forces.free
        M, h, V, v = equations_of(rover, at.q, at.U[BASE : BASE + n], at.U[:BASE], at.heading)
        own, wheels = BASE + n, rover.arrangement
        inertia, placed = elements.members @ wheels.axle_inertia, wheels.placed(at.angles)
        D, Udot, scale = elements.matrix(placed), outcome.Udot, 1.0 + np.abs(outcome.Udot).max()
        push = np.concatenate([np.zeros(BASE), at.tau, elements.members @ at.wheel_torques])
        push += (at.wheel_torques[elements.pulled] / -elements.pulls.spin) @ elements.pull_matrix(placed)
        inert = np.concatenate([M @ Udot[:own] + h, inertia * Udot[own:]])
        missing = inert - push - D.T @ outcome.forces
        strength = 60 * 9.81 * (1.0 + np.abs(outcome.shares.forces).max(initial=0.0)) * scale
        assert np.abs(missing[free]).max() < 1e-9 * strength
        assert np.allclose(outcome.reaction[forces.fixed], missing[forces.fixed], atol=1e-9 * strength)
        if outcome.consistent:
            stuck = [r for e, sticks in zip(elements.all, mode.stuck, strict=True) if sticks
                     for r in range(e.rows.start, e.rows.stop)]
            assert np.abs(outcome.slip_rate[stuck]).max(initial=0.0) < 1e-7 * scale
        momentum = elements.members @ wheels.momentum_inertia
        forward = wheels.at_rest.forward[elements.spinning]
        axles = np.concatenate([np.zeros((1, len(momentum))), [-momentum * forward[:, 1], momentum * forward[:, 0]]])
        load = V @ Udot[:own] + v + axles @ Udot[own:]
        load[1:] -= at.U[2] * (momentum * at.U[own:]) @ forward
        x, y = placed.points.T
        assert np.allclose([outcome.normal.sum(), y @ outcome.normal, -x @ outcome.normal], load, atol=1e-9 * scale)
        for e, sticks, d in zip(elements.all, mode.stuck, mode.direction, strict=True):
            if not sticks and e.count == 1 and not e.massless:  # whose drive may take a part
                limit = e.kinetic * (outcome.normal[e.contact] if e.contact >= 0 else 1.0)
                assert outcome.sliding[e.rows] == pytest.approx(-limit * d, abs=1e-9)


def test_the_steady_motion_is_the_same():
    rover, rng = _rover("casters"), np.random.default_rng(3)
    for _ in range(20):
        forces, at, mode = _drawn(rover, {}, rng)
        if forces.decided(mode).steady and not forces.decided(mode).sideways:
            row = SteadyMotion(forces, at, mode).rates(
                at.q, at.U, np.array([at.heading]), at.angles, at.tau, at.wheel_torques)
            assert np.allclose(row[:-1], forces.evaluate(at, mode).row[:-1], rtol=1e-11, atol=1e-11)
