"""Flexible arms in time: a rod that a hub turns, by finite elements of the tests' own in inertial coordinates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
from planar_rod_fe import PlanarRod, spun_rod

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case


def rod_on_a_hub(rod: PlanarRod) -> lp.FlexibleRobot:
    """The same rod as a robot, in the plane x-y without weight."""
    EA, GA, EI = rod.stiffness
    m = rod.mass[0]
    area = 1e-3
    second = EI / EA * area
    section = lp.Section(area, second, second, second, shear_factor_y=1.0, shear_factor_z=1.0)
    material = lp.Material(EA / area, GA / area, m / area, orthotropic=True)
    inertia = lp.Inertia(m * rod.length, (rod.length / 2, 0, 0), (m * rod.length**3 / 12 * np.eye(3)).tolist())
    joints = (
        lp.Joint("hub", "base", "rod", lp.Revolute((0, 0, 1))),
        lp.Joint("end", "rod", "tip", lp.Fixed(), origin=lp.Pose(translation=(rod.length, 0, 0))),
    )
    links = lp.Link("base"), lp.Link("rod", inertia), lp.Link("tip")
    robot = lp.Robot("rod on a hub", links, joints, gravity=(0, 0, 0))
    return robot.with_beams({"rod": lp.Beam(section, material, end="end")}, inertia_from_beams=True)


@check(
    "FlexibleRobot.simulate",
    against="Reissner's rod by finite elements in inertial coordinates, generalized alpha",
    bound=1e-2,
    every=4,
)
def flexible_in_time(case: Case) -> Iterator[Compared]:
    rng = case.rng("rod")
    length, m = rng.uniform(0.5, 5.0), rng.uniform(0.5, 5.0)
    slenderness = rng.uniform(60.0, 150.0)
    EI = 10 ** rng.uniform(1.0, 4.0)
    gyration = length / slenderness
    EA = EI / gyration**2
    rod = PlanarRod(length, (EA, 0.35 * EA, EI), (m, m * gyration**2), elements=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        arm = rod_on_a_hub(rod)
    period = 2 * math.pi / (3.516 * math.sqrt(EI / m) / length**2)
    turn, T = rng.uniform(0.5, 3.0), rng.uniform(1.0, 3.0) * period

    def law(t: float) -> tuple[float, float, float]:
        """Begins and ends without speed and acceleration."""
        x = min(t / T, 1.0)
        return (
            turn * x**3 * (10 - 15 * x + 6 * x * x),
            turn * 30 * x * x * (1 - x) ** 2 / T,
            turn * 60 * x * (1 - x) * (1 - 2 * x) / T**2,
        )

    times, tip = spun_rod(rod, law, 1.3 * T, 1.3 * T / 400)
    asked = np.linspace(0.0, times[-1], 14)
    found = arm.simulate([0.0], [0.0], times=asked, prescribed={"hub": law}, modes=8, damping=0.0)
    c, s = np.cos(found.q[:, 0]), np.sin(found.q[:, 0])
    d = found.deflection.tip.displacement
    across = -s * d[:, 0] + c * d[:, 1]
    expected = np.interp(asked, times, tip[:, 1])
    yield Compared(across, expected, float(np.abs(expected).max()))
