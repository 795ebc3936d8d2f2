"""What a simulation of a rover checks of itself: its energy, and that wheels are held where they are said to be."""

from __future__ import annotations

import numpy as np

from loadpath.mobile.equations import BASE
from loadpath.mobile.rover_system import RoverSystem, Sample
from loadpath.scalars.types import Floats
from loadpath.simulate.guard import check_all, check_energy
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT

SLIPS, BEYOND, APART, PULLS = 1e-4, 1e-3, 1e-4, 1e-6
"""The most there may be: slip of what sticks (of the fastest contact, and as much in m/s), share of friction that is
asked for in excess, acceleration of what cannot stick together (of the largest, and as much in m/s^2), share of the
weight that contacts pull with. Those in `tests/mobile` have up to 1e-6, 0, 1e-7 and 0."""

REMEDY = (
    "the contacts of this rover at this moment are beyond this simulation. Rates that start with an acceleration, "
    "wheel_torques instead of wheel_rates, friction without rolling resistance (rolling=0), or steering angles whose "
    "axles meet in one point may lead round it; a smaller rtol or max_step, if little is missing"
)


def check_rover(result: Simulation, system: RoverSystem, rtol: float) -> None:
    """An error where the numbers of a result do not go together."""
    samples = system.samples[:-1] if result.tipped or result.rocks else system.samples
    slips, beyond, apart, pulls = np.array([_faults(system, each) for each in samples]).reshape(-1, 4).T
    check_all(
        result,
        [
            ("a contact that holds slides", slips, SLIPS, " of the fastest"),
            ("contacts hold more than their friction", beyond, BEYOND, " of it in excess"),
            ("what holds the base cannot hold together", apart, APART, " of the acceleration"),
            ("a contact pulls", pulls, PULLS, " of the weight"),
        ],
        REMEDY,
    )
    system.check_closed(result, MORE_EXACT)
    check_energy(result, REMEDY, rtol=rtol)


def _faults(system: RoverSystem, sample: Sample) -> tuple[float, float, float, float]:
    """Of one moment, in the order of the checks."""
    mode, outcome = sample.mode, sample.outcome
    rows = [np.abs(outcome.slip[e.rows]).max() for i, e in enumerate(system.elements.all) if mode.stuck[i]]
    fastest = float(np.abs(_speeds(system, sample)).max(initial=0.0))
    weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
    return (
        max(rows, default=0.0) / (1.0 + fastest),
        -outcome.shares.reserve if mode.stuck.any() else 0.0,
        outcome.strife * 1e-7,
        float(-np.where(mode.touching, outcome.normal, 0.0).min(initial=0.0)) / weight,
    )


def _speeds(system: RoverSystem, sample: Sample) -> Floats:
    """Speeds of the contacts, m/s."""
    vx, vy, w = sample.at.U[:BASE]
    points = sample.outcome.placed.points
    return np.asarray(np.hypot(vx - w * points[:, 1], vy + w * points[:, 0]))
