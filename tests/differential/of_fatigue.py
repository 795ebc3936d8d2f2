"""Fatigue: stresses by hand, the rules of ASTM E1049 one by one, curves in logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from random_arms import random_arm

import loadpath as lp
from differential.register import Compared, check
from differential.robots import Case


def turning(history: np.ndarray) -> list[float]:
    turns = [float(history[0])]
    for x in map(float, history[1:]):
        if x == turns[-1]:
            continue
        if len(turns) > 1 and (x > turns[-1]) == (turns[-1] > turns[-2]):
            turns[-1] = x
        else:
            turns.append(x)
    return turns


def half_cycles(history: np.ndarray) -> Iterator[tuple[float, float]]:
    """ASTM E1049-85, 5.4.4: (range, count)."""
    stack: list[float] = []
    for point in turning(history):
        stack.append(point)
        while len(stack) >= 3 and abs(stack[-1] - stack[-2]) >= abs(stack[-2] - stack[-3]):
            yield abs(stack[-2] - stack[-3]), 0.5 if len(stack) == 3 else 1.0
            if len(stack) == 3:
                stack.pop(0)
            else:
                del stack[-3:-1]
    yield from ((abs(b - a), 0.5) for a, b in pairwise(stack))


def borne(curve: lp.SNCurve, size: float) -> float:
    """Cycles, along the straight lines of the curve in logarithms."""
    at_knee = math.log(curve.stress_range) - (math.log(curve.knee) - math.log(curve.cycles)) / curve.slope
    slope = curve.slope if math.log(size) >= at_knee else curve.slope_beyond
    N = math.exp(math.log(curve.knee) + slope * (at_knee - math.log(size)))
    return math.inf if curve.cut_off < N else N


@check(
    "FlexibleRobot.fatigue",
    "SNCurve",
    "Fatigue",
    against="N/A and M/I at the corners, the rules of ASTM E1049-85 one by one, lines in logarithms",
    bound=1e-7,
)
def fatigue(case: Case) -> Iterator[Compared]:
    rng = case.rng("fatigue")
    arm = random_arm(int(rng.integers(1 << 30)), ["revolute"] * 2)
    states = rng.normal(size=(3, 30, arm.n))
    force, moment = arm.section_actions(*states)
    loudest = float(arm.stress(*states).bending.max())
    curve = lp.SNCurve(loudest, 1e5, slope=float(rng.uniform(2, 6)), knee=1e6, slope_beyond=8.0, cut_off=1e9)
    found = arm.fatigue(*states, detail=curve, counting="once")
    for row in rng.integers(len(found.damage), size=10):
        name, at = found.fibres.links[row], int(found.fibres.sections[row])
        beam = dict(arm.beams)[name]
        if len(beam.segments) > 1 or beam.segments[0].tapered:
            continue
        section = beam.segments[0].section
        corner = next(c for c in section.corners if c.name == found.fibres.names[row])
        sigma = (force[:, at, 0] / section.area + moment[:, at, 1] * corner.z / section.second_moment_y
                 - moment[:, at, 2] * corner.y / section.second_moment_z)
        cycles = list(half_cycles(sigma))
        yield Compared(found.largest_range[row], max((size for size, _ in cycles), default=0.0), loudest)
        tau = moment[:, at, 0] / section.torsion_modulus
        sheared = sum(count / borne(curve, size * math.sqrt(3)) for size, count in half_cycles(tau) if size > 0)
        yield Compared(found.shear_damage[row], sheared)
        yield Compared(found.damage[row], sheared + sum(count / borne(curve, size) for size, count in cycles))
        if found.damage[row] > 0:
            endless = replace(curve, cut_off=math.inf)
            yield Compared(borne(endless, float(found.equivalent_stress[row])), found.life[row])
    yield Compared(found.worst.damage, found.damage.max())
