"""Locked wheels on hills that are slippery on one side: what friction can hold at all, it holds.

Whether it can is a linear program, with cones of many sides: forces of the contacts that touch balance the weight.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

import loadpath as lp
from tests.mobile.carts import G

SIDES = 48
FRICTION = np.array([0.8, 0.1, 0.8, 0.1])
"""Of the wheels: those to the right stand on ice."""


def on_hills(seed):
    rng = np.random.default_rng(seed)
    x = np.linspace(-3, 3, 25)
    a, b, c, d = (rng.uniform(1, 2.5), rng.uniform(0, 3), rng.uniform(1, 2.5), rng.uniform(0, 3))
    hills = lp.HeightMap(x, x, 0.15 * np.sin(a * x + b)[:, None] * np.cos(c * x + d), interpolation="cubic")
    ice = lp.Patch(((-3, -3), (3, 0)), lp.WheelFriction(0.1))
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3, 4]), wheels=wheels,
                          friction=lp.WheelFriction(0.8))
    return base.carrying(ground=lp.Ground(surface=hills, patches=[ice]))


def most_friction_used(run):
    """The least share of its friction up to which every contact must be used, that all is in balance at the start."""
    touching = np.flatnonzero(~run.lifted[0])
    columns, limits = [], []
    angles = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
    for k in touching:
        frame = run.contact_frames[0, k]
        along, left, normal, point = (frame[:, i] for i in range(4))
        for force in (normal, *(np.cos(a) * along + np.sin(a) * left for a in angles)):
            columns.append(np.concatenate([force, np.cross(point, force)]))
    per = SIDES + 1
    weight = 60 * run.gravity[0]
    load = -np.concatenate([weight, np.cross([0, 0, 0.25], weight)])
    # Least t with sum of sides <= t mu N is not linear in t and N: bisect on t.
    low, high = 0.0, 50.0
    while high - low > 1e-4 * high:
        t = 0.5 * (low + high)
        limits = np.zeros((len(touching), len(columns)))
        for i, k in enumerate(touching):
            limits[i, i * per], limits[i, i * per + 1 : (i + 1) * per] = -t * FRICTION[k], 1.0
        found = linprog(np.zeros(len(columns)), limits, np.zeros(len(touching)), np.array(columns).T, load)
        low, high = (low, t) if found.status == 0 else (t, high)
    return high


def check(seed):
    rover = on_hills(seed)
    run = rover.simulate(duration=0.03, sample_rate=100, wheel_rates=dict.fromkeys(rover.contact_names, 0.0))
    used = most_friction_used(run)
    moves = np.abs(run.base_velocity[-1]).max() > 1e-4
    if used < 0.99:
        assert not moves
        assert not run.sliding.any()
    elif used > 1.01:
        assert moves
    friction = np.hypot(run.longitudinal, run.lateral)
    assert (friction <= FRICTION * run.normal * (1 + 1e-6) + 1e-6).all()
    assert run.normal.min() >= -1e-6
    force = rover.ground_wrench(run).force
    if not moves:
        assert np.allclose(np.linalg.norm(force, axis=-1), 60 * G, rtol=0, atol=1e-5)
    return used


@pytest.mark.parametrize("seed", [1, 7])
def test_what_friction_can_hold_it_holds(seed):
    check(seed)


@pytest.mark.slow
def test_always():
    used = [check(seed) for seed in range(60)]
    assert min(used) < 0.9
    assert max(used) > 1.1
